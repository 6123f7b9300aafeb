// SPDX-License-Identifier: MIT
// Crossing networks of knits: four crossings per stitch, in their order along the yarn, with their
// signs; clasps and hinges; rows that are cut; loops that are bound off.
#include "fabric/fabric.h"
#include "heddle/knit.h"
#include "heddle/knitout.h"
#include "heddle/net.h"
#include "math/vec3.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const double PI = 3.14159265358979323846;

enum { ROWS = 6, STITCHES = 7 };

typedef enum Corner { L1, L2, R2, R1, CORNERS } Corner;

typedef struct Swatch {
    HedFabric fabric;
    HedNet net;
    int32_t (*corners)[CORNERS]; // nodes per loop: where it is pulled through its parent
    int32_t* above;              // per loop: the one that is pulled through it, or -1
    int32_t* nodes;              // per crossing
} Swatch;

// The loop that a place is in.
static int32_t loop_at(const HedFabric* f, HedFabricPlace place) {
    for (int32_t i = 0; i < f->loop_count; ++i) {
        const HedFabricLoop* loop = &f->loops[i];
        if (loop->yarn == place.yarn && loop->start <= place.at && place.at <= loop->end) {
            return i;
        }
    }
    return -1;
}

static HedVec3 point_at(const HedFabric* f, HedFabricPlace place) {
    int32_t k = (int32_t)place.at;
    const HedVec3* x = f->points + f->yarns[place.yarn].first + k;
    return place.at > k ? hed_lerp3(x[0], x[1], place.at - k) : x[0];
}

// To the right: along the rows, or around the axis of a tube.
static double across(HedVec3 x, bool is_round) {
    return is_round ? atan2(x.x, x.z) : x.x;
}

// The four crossings of a loop and its parent.
static void find_four(const HedFabric* f, int32_t i, int32_t found[CORNERS]) {
    int32_t count = 0;
    for (int32_t k = 0; k < f->crossing_count; ++k) {
        int32_t a = loop_at(f, f->crossings[k].over), b = loop_at(f, f->crossings[k].under);
        if ((a == i && b == f->loops[i].parent) || (b == i && a == f->loops[i].parent)) {
            cr_assert_lt(count, CORNERS);
            found[count++] = k;
        }
    }
    cr_assert_eq(count, CORNERS);
}

// Which is which, by where they are: left and right of the middle of the loop, low and high.
static void find_corners(Swatch* s, int32_t loop, bool is_round) {
    const HedFabric* f = &s->fabric;
    int32_t found[CORNERS];
    find_four(f, loop, found);
    HedVec3 apex = point_at(f, (HedFabricPlace){f->loops[loop].yarn, f->loops[loop].apex});
    double middle = 0.0; // height
    for (int32_t k = 0; k < CORNERS; ++k) {
        middle += point_at(f, f->crossings[found[k]].over).y / CORNERS;
    }
    for (int32_t k = 0; k < CORNERS; ++k) {
        HedVec3 x = point_at(f, f->crossings[found[k]].over);
        double right = across(x, is_round) - across(apex, is_round);
        right = is_round ? remainder(right, 2.0 * PI) : right;
        bool is_low = x.y < middle;
        Corner corner = right < 0.0 ? (is_low ? L1 : L2) : (is_low ? R1 : R2);
        s->corners[loop][corner] = s->nodes[found[k]];
    }
}

static void find_stitches(Swatch* s, bool is_round) {
    const HedFabric* f = &s->fabric;
    s->corners = hed_alloc_array(f->loop_count, sizeof s->corners[0]);
    s->above = hed_alloc_array(f->loop_count, sizeof s->above[0]);
    s->nodes = hed_alloc_array(f->crossing_count, sizeof s->nodes[0]);
    for (int32_t i = 0; i < s->net.node_count; ++i) {
        if (s->net.nodes[i].crossing >= 0) {
            s->nodes[s->net.nodes[i].crossing] = i;
        }
    }
    for (int32_t i = 0; i < f->loop_count; ++i) {
        s->above[i] = -1;
        if (f->loops[i].parent >= 0) {
            s->above[f->loops[i].parent] = i;
            find_corners(s, i, is_round);
        }
    }
}

static void make(const char* pattern, bool is_round, bool cut_rows, Swatch* s) {
    HedError error = {0};
    HedKnitDef def = hed_knit_def_default();
    HedNetDef net_def = hed_net_def_default();
    *s = (Swatch){0};
    def.pattern = pattern;
    def.rows = ROWS;
    def.stitches = STITCHES;
    def.is_round = is_round;
    def.bind_off = false;
    def.linear_density = 1e-3;
    net_def.cut_rows = cut_rows;
    cr_assert_eq(hed_knit_create(&def, &s->fabric, NULL, &error), HED_OK, "%s", error.message);
    cr_assert_eq(hed_net_create(&s->fabric, &net_def, &s->net, &error), HED_OK, "%s",
                 error.message);
    find_stitches(s, is_round);
}

static void drop(Swatch* s) {
    hed_free(s->corners);
    hed_free(s->above);
    hed_free(s->nodes);
    hed_net_free(&s->net);
    hed_fabric_free(&s->fabric);
}

static const char* const PATTERNS[] = {
    "stockinette", "reverse-stockinette", "garter", "seed", "rib-1x1", "rib-2x2", "moss"};
enum { PATTERN_COUNT = sizeof PATTERNS / sizeof PATTERNS[0] };

// 1 if a loop's yarn runs to the right in its head. Loops that are cast on are twisted.
static int32_t way_of(const Swatch* s, int32_t loop) {
    const HedFabricLoop* l = &s->fabric.loops[loop];
    return l->is_leftward == (l->parent < 0) ? 1 : -1;
}

// --- order ---

typedef struct Meeting {
    int32_t node, slot;
} Meeting;

// The crossings of one loop as the yarn meets them: its own foot and leg, then all of the loop
// above, then its own other leg and foot.
static int32_t expect_loop(const Swatch* s, int32_t i, Meeting* met) {
    bool is_right = way_of(s, i) > 0, has_below = s->fabric.loops[i].parent >= 0;
    int32_t count = 0;
    for (int32_t k = 0; k < 2 && has_below; ++k) {
        met[count++] = (Meeting){s->corners[i][is_right ? k : CORNERS - 1 - k], 0};
    }
    for (int32_t k = 0; k < CORNERS && s->above[i] >= 0; ++k) {
        met[count++] = (Meeting){s->corners[s->above[i]][is_right ? k : CORNERS - 1 - k], 1};
    }
    for (int32_t k = 2; k < CORNERS && has_below; ++k) {
        met[count++] = (Meeting){s->corners[i][is_right ? k : CORNERS - 1 - k], 0};
    }
    return count;
}

// Whether a visit is one of a stitch: no sample, and no crossing of a twisted loop with itself.
static bool is_stitch(const Swatch* s, const HedNetVisit* visit) {
    int32_t crossing = s->net.nodes[visit->node].crossing;
    if (crossing < 0) {
        return false;
    }
    const HedFabricCrossing* c = &s->fabric.crossings[crossing];
    return loop_at(&s->fabric, c->over) != loop_at(&s->fabric, c->under);
}

// Loops are numbered as they were made, which is their order along the one yarn.
static void expect_order(const Swatch* s, const char* pattern) {
    int32_t visit = 0;
    for (int32_t i = 0; i < s->fabric.loop_count; ++i) {
        Meeting met[2 * CORNERS];
        int32_t count = expect_loop(s, i, met), skipped = 0;
        for (int32_t k = 0; k < count; ++k) {
            while (!is_stitch(s, &s->net.visits[visit])) {
                skipped += k > 0;
                visit += 1;
            }
            cr_assert_eq(s->net.visits[visit].node, met[k].node, "%s: loop %d, crossing %d",
                         pattern, i, k);
            cr_assert_eq(s->net.visits[visit].slot, met[k].slot);
            visit += 1;
        }
        // Only live loops have samples inside, and they need them.
        cr_assert_eq(skipped > 0, s->above[i] < 0, "%s: loop %d has %d", pattern, i, skipped);
    }
    while (visit < s->net.visit_count) {
        cr_assert_not(is_stitch(s, &s->net.visits[visit++]));
    }
}

Test(net_knit, order_along_the_yarn) {
    for (int32_t i = 0; i < PATTERN_COUNT; ++i) {
        Swatch s;
        make(PATTERNS[i], false, false, &s);
        cr_assert_eq(s.net.yarn_count, 1);
        cr_assert(s.net.yarns[0].holds_ends);
        cr_assert_eq(s.net.note_count, 0);
        expect_order(&s, PATTERNS[i]);
        drop(&s);
    }
}

// --- signs ---

// With all rows to the right a knit stitch has (-, -, +, +) at L1, L2, R2, R1; a purl one the
// opposite; and either yarn that runs the other way changes the sign.
static void expect_signs(const Swatch* s, const char* pattern) {
    static const int32_t KNIT[CORNERS] = {-1, -1, 1, 1};
    for (int32_t i = 0; i < s->fabric.loop_count; ++i) {
        const HedFabricLoop* loop = &s->fabric.loops[i];
        for (int32_t k = 0; k < CORNERS && loop->parent >= 0; ++k) {
            const HedNetNode* node = &s->net.nodes[s->corners[i][k]];
            int32_t ways = way_of(s, i) * way_of(s, loop->parent);
            cr_assert_eq(node->sign, KNIT[k] * ways * (loop->is_purl ? -1 : 1),
                         "%s: loop %d, corner %d", pattern, i, k);
            // New loops of knit stitches are behind at their feet, in front at the heads.
            const HedFabricCrossing* c = &s->fabric.crossings[node->crossing];
            bool is_over = loop_at(&s->fabric, c->over) == i;
            cr_assert_eq(is_over, (k == L2 || k == R2) != loop->is_purl);
        }
    }
}

Test(net_knit, signs) {
    for (int32_t i = 0; i < PATTERN_COUNT; ++i) {
        for (int32_t is_round = 0; is_round < 2; ++is_round) {
            Swatch s;
            make(PATTERNS[i], is_round == 1, false, &s);
            expect_signs(&s, PATTERNS[i]);
            drop(&s);
        }
    }
}

// --- clasps ---

// The point of a yarn of the fabric half way between two of its crossings.
static HedVec3 half_way(const Swatch* s, int32_t from, int32_t to, int32_t slot) {
    HedFabricPlace place[2];
    const int32_t nodes[2] = {from, to};
    for (int32_t k = 0; k < 2; ++k) {
        const HedNetNode* node = &s->net.nodes[nodes[k]];
        const HedFabricCrossing* c = &s->fabric.crossings[node->crossing];
        bool is_new = slot == 0;
        bool over_is_new = loop_at(&s->fabric, c->over) > loop_at(&s->fabric, c->under);
        place[k] = over_is_new == is_new ? c->over : c->under;
    }
    return point_at(&s->fabric, (HedFabricPlace){place[0].yarn, 0.5 * (place[0].at + place[1].at)});
}

// t1.(t3 x t2) of the thick yarns; false at the edges, where the yarn beyond the foot goes to no
// other stitch of its row.
static bool expect_wrapping(const Swatch* s, const HedNetClasp* c) {
    const HedNetNode* foot = &s->net.nodes[c->foot];
    const HedNetNode* head = &s->net.nodes[c->head];
    const HedNetVisit* beyond = &s->net.visits[2 * foot->visit[0] - head->visit[0]];
    cr_assert_eq(beyond->node, c->outer[0]);
    if (!is_stitch(s, beyond) || beyond->slot != 0) {
        return false;
    }
    HedVec3 t1 = hed_sub3(foot->position, half_way(s, c->foot, c->outer[0], 0));
    HedVec3 t2 = hed_sub3(head->position, foot->position);
    HedVec3 t3 = hed_sub3(half_way(s, c->head, c->outer[1], 1), head->position);
    cr_assert_gt(c->sign * hed_dot3(t1, hed_cross3(t3, t2)), 0.0);
    return true;
}

static void expect_clasps(const Swatch* s) {
    int32_t wrapped = 0;
    cr_assert_eq(s->net.clasp_count, 2 * ROWS * STITCHES);
    for (int32_t i = 0; i < s->net.clasp_count; ++i) {
        const HedNetClasp* c = &s->net.clasps[i];
        int32_t crossing = s->net.nodes[c->foot].crossing;
        int32_t a = loop_at(&s->fabric, s->fabric.crossings[crossing].over);
        int32_t b = loop_at(&s->fabric, s->fabric.crossings[crossing].under);
        int32_t loop = a > b ? a : b;
        bool is_left = c->foot == s->corners[loop][L1];
        cr_assert_eq(c->foot, s->corners[loop][is_left ? L1 : R1]);
        cr_assert_eq(c->head, s->corners[loop][is_left ? L2 : R2]);
        cr_assert_eq(c->outer[1], s->corners[loop][is_left ? R2 : L2]);
        cr_assert_eq(c->sign, is_left != s->fabric.loops[loop].is_purl ? 1 : -1);
        cr_assert_eq(s->net.nodes[c->foot].sign, s->net.nodes[c->head].sign);
        wrapped += expect_wrapping(s, c);
    }
    cr_assert_eq(wrapped, 2 * ROWS * (STITCHES - 1));
}

Test(net_knit, clasps) {
    for (int32_t i = 0; i < PATTERN_COUNT; ++i) {
        Swatch s;
        make(PATTERNS[i], false, false, &s);
        expect_clasps(&s);
        drop(&s);
    }
}

// --- hinges ---

// Loops beside a loop of flat rows, seen from the face.
static int32_t beside(const Swatch* s, int32_t loop, int32_t right) {
    return loop + (s->fabric.loops[loop].is_leftward ? -right : right);
}

Test(net_knit, hinges) {
    for (int32_t i = 0; i < PATTERN_COUNT; ++i) {
        Swatch s;
        make(PATTERNS[i], false, false, &s);
        int32_t found = 0;
        for (int32_t k = 0; k < s.net.hinge_count; ++k) {
            const HedNetHinge* h = &s.net.hinges[k];
            for (int32_t loop = 0; loop < s.fabric.loop_count; ++loop) {
                const HedFabricLoop* l = &s.fabric.loops[loop];
                Corner corner = h->centre == s.corners[loop][L2] ? L2 : R2;
                if (l->parent < 0 || h->centre != s.corners[loop][corner]) {
                    continue;
                }
                cr_assert_eq(h->along[0], s.corners[beside(&s, loop, -1)][corner]);
                cr_assert_eq(h->along[1], s.corners[beside(&s, loop, 1)][corner]);
                cr_assert_eq(h->across[0], s.corners[l->parent][corner]);
                cr_assert_eq(h->across[1], s.corners[s.above[loop]][corner]);
                cr_assert_eq(h->sign, l->is_purl ? -1 : 1);
                found += 1;
            }
        }
        // Neither in the first nor in the last row, nor at the edges.
        cr_assert_eq(found, 2 * (ROWS - 2) * (STITCHES - 2));
        cr_assert_eq(s.net.hinge_count, found);
        drop(&s);
    }
}

// A tube has no edges beside; its first and its last round go on in the next ones.
Test(net_knit, hinges_around_a_tube) {
    Swatch s;
    make("stockinette", true, false, &s);
    cr_assert_eq(s.net.hinge_count, 2 * (ROWS - 2) * STITCHES);
    drop(&s);
}

// --- pieces ---

static double mass_of(const HedNet* net) {
    double mass = 0.0;
    for (int32_t i = 0; i < net->yarn_count; ++i) {
        const HedNetYarn* y = &net->yarns[i];
        mass += y->linear_density * net->visits[y->first + y->count - 1].at;
    }
    return mass;
}

Test(net_knit, cut_rows) {
    Swatch s;
    make("stockinette", false, true, &s);
    cr_assert_eq(s.net.yarn_count, ROWS + 1);
    for (int32_t i = 0; i < s.net.yarn_count; ++i) {
        const HedNetYarn* y = &s.net.yarns[i];
        int32_t met[2] = {0, 0};
        cr_assert_eq(y->source, 0);
        for (int32_t k = y->first; k < y->first + y->count; ++k) {
            if (is_stitch(&s, &s.net.visits[k])) {
                met[s.net.visits[k].slot] += 1;
            }
        }
        cr_assert_eq(met[0], i > 0 ? CORNERS * STITCHES : 0);
        cr_assert_eq(met[1], i < ROWS ? CORNERS * STITCHES : 0);
    }
    cr_assert_eq(s.net.clasp_count, 2 * ROWS * STITCHES);
    cr_assert_eq(s.net.hinge_count, 2 * (ROWS - 2) * (STITCHES - 2));
    double mass = hed_fabric_mass(&s.fabric);
    cr_assert_float_eq(mass_of(&s.net), mass, 1e-11 * mass); // rounding of some 1e3 terms
    drop(&s);
}

// The polyline through the crossings of a plain stitch is 15 to 20 % shorter than its yarn.
Test(net_knit, mass_is_that_of_the_curve) {
    Swatch s;
    make("stockinette", false, false, &s);
    double mass = hed_fabric_mass(&s.fabric);
    // Both sum some thousand lengths, rounded by 1e-16 of the sum; of random errors 1e-14 are
    // left.
    cr_assert_float_eq(mass_of(&s.net), mass, 1e-13 * mass);
    double ratio = s.net.yarns[0].linear_density / s.fabric.yarns[0].linear_density;
    cr_assert(ratio > 1.1 && ratio < 1.25, "%g", ratio);
    drop(&s);
}

// Loops that are bound off lie along each other and cross back and forth; what is left has pieces
// that an engine can work with (at least 2 % of the spacing).
Test(net_knit, bound_off) {
    for (int32_t i = 0; i < PATTERN_COUNT; ++i) {
        HedError error = {0};
        HedFabric fabric = {0};
        HedNet net = {0};
        HedKnitDef def = hed_knit_def_default();
        HedNetDef net_def = hed_net_def_default();
        def.pattern = PATTERNS[i];
        def.rows = ROWS;
        def.stitches = STITCHES;
        cr_assert_eq(hed_knit_create(&def, &fabric, NULL, &error), HED_OK, "%s", error.message);
        cr_assert_eq(hed_net_create(&fabric, &net_def, &net, &error), HED_OK, "%s", error.message);
        cr_assert_eq(net.note_count, 2);
        cr_assert(strstr(net.notes[0], "undo each other"), "%s", net.notes[0]);
        cr_assert(strstr(net.notes[1], "lie in stacks"), "%s", net.notes[1]);
        cr_assert_geq(net.clasp_count, 2 * ROWS * STITCHES);
        for (int32_t k = 1; k < net.visit_count; ++k) {
            cr_assert_gt(net.visits[k].at - net.visits[k - 1].at, 0.02 * net.spacing);
        }
        hed_net_free(&net);
        hed_fabric_free(&fabric);
    }
}

enum { NEEDLES = 5, ROUNDS = 6 };

// A tube on both beds, round by round: so many rounds of each carrier by turns.
static void write_tube(int32_t carriers, char* text, size_t size) {
    size_t at = (size_t)snprintf(text, size, ";!knitout-2\n;;Carriers: 1 2 3\n");
    for (int32_t c = 1; c <= carriers; ++c) {
        at += (size_t)snprintf(text + at, size - at, "in %d\n", c);
    }
    for (int32_t round = 0; round < ROUNDS; ++round) {
        int32_t carrier = 1 + round % carriers;
        for (int32_t k = 0; k < 2 * NEEDLES; ++k) {
            bool is_front = k < NEEDLES;
            at +=
                (size_t)snprintf(text + at, size - at, "knit %c %c%d %d\n", is_front ? '+' : '-',
                                 is_front ? 'f' : 'b', is_front ? k + 1 : 2 * NEEDLES - k, carrier);
        }
    }
}

// Loops that are linked cross each other at least twice, once over and once under.
static bool is_held(const HedFabric* f, const HedNet* net, int32_t loop) {
    bool is_over = false, is_under = false;
    for (int32_t i = 0; i < net->node_count; ++i) {
        if (net->nodes[i].crossing >= 0) {
            const HedFabricCrossing* c = &f->crossings[net->nodes[i].crossing];
            int32_t a = loop_at(f, c->over), b = loop_at(f, c->under);
            is_over = is_over || (a == loop && b == f->loops[loop].parent);
            is_under = is_under || (b == loop && a == f->loops[loop].parent);
        }
    }
    return is_over && is_under;
}

// Front and back of a flat tube lie over each other, and are apart: no node joins them. Every
// stitch is held by its parent; with one carrier it has two clasps, as in a swatch.
Test(net_knit, tubes_of_needle_beds) {
    for (int32_t carriers = 1; carriers <= 3; ++carriers) {
        char text[4096];
        HedError error = {0};
        HedFabric fabric = {0};
        HedNet net = {0};
        HedKnitDef def = hed_knit_def_default();
        HedNetDef net_def = hed_net_def_default();
        write_tube(carriers, text, sizeof text);
        def.name = "tube.k";
        cr_assert_eq(hed_knit_file_parse(text, &def, &fabric, NULL, &error), HED_OK, "%s",
                     error.message);
        cr_assert_eq(hed_net_create(&fabric, &net_def, &net, &error), HED_OK, "%s", error.message);
        cr_expect_eq(net.yarn_count, carriers);
        cr_expect(carriers > 1 || net.clasp_count == 2 * 2 * NEEDLES * (ROUNDS - 1), "%d",
                  net.clasp_count);
        for (int32_t i = 0; i < net.node_count; ++i) {
            if (net.nodes[i].crossing >= 0) {
                const HedFabricCrossing* c = &fabric.crossings[net.nodes[i].crossing];
                cr_expect_eq(fabric.loops[loop_at(&fabric, c->over)].layer,
                             fabric.loops[loop_at(&fabric, c->under)].layer);
            }
        }
        for (int32_t i = 0; i < fabric.loop_count; ++i) {
            cr_expect(fabric.loops[i].parent < 0 || is_held(&fabric, &net, i));
        }
        hed_net_free(&net);
        hed_fabric_free(&fabric);
    }
}

Test(net_knit, bad_loops) {
    Swatch s;
    HedError error = {0};
    HedNet net = {0};
    HedNetDef def = hed_net_def_default();
    make("stockinette", false, false, &s);
    HedFabricLoop good = s.fabric.loops[20];
    s.fabric.loops[20].parent = 20;
    cr_assert_eq(hed_net_create(&s.fabric, &def, &net, &error), HED_INVALID);
    cr_assert(strstr(error.message, "loop 20: "), "%s", error.message);
    s.fabric.loops[20] = good;
    s.fabric.loops[20].yarn = 1;
    cr_assert_eq(hed_net_create(&s.fabric, &def, &net, &error), HED_INVALID);
    s.fabric.loops[20] = good;
    s.fabric.loops[20].apex = NAN;
    cr_assert_eq(hed_net_create(&s.fabric, &def, &net, &error), HED_INVALID);
    cr_assert(strstr(error.message, "must rise and be from 0"), "%s", error.message);
    drop(&s);
}

// --- the check ---

Test(net_knit, check_names_clasps_and_hinges) {
    Swatch s;
    HedError error = {0};
    make("stockinette", false, false, &s);
    HedNetClasp clasp = s.net.clasps[3];
    s.net.clasps[3].outer[1] = clasp.foot;
    cr_assert_eq(hed_net_check(&s.net, &error), HED_INVALID);
    cr_assert(strstr(error.message, "clasp 3: "), "%s", error.message);
    s.net.clasps[3] = clasp;
    s.net.clasps[3].head = -1;
    cr_assert_eq(hed_net_check(&s.net, NULL), HED_INVALID);
    s.net.clasps[3] = clasp;
    s.net.clasps[3].sign = 0;
    cr_assert_eq(hed_net_check(&s.net, NULL), HED_INVALID);
    s.net.clasps[3] = clasp;
    HedNetHinge hinge = s.net.hinges[2];
    s.net.hinges[2].across[0] = hinge.centre;
    cr_assert_eq(hed_net_check(&s.net, &error), HED_INVALID);
    cr_assert(strstr(error.message, "hinge 2 around node"), "%s", error.message);
    s.net.hinges[2] = hinge;
    cr_assert_eq(hed_net_check(&s.net, NULL), HED_OK);
    drop(&s);
}
