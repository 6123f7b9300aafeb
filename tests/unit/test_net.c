// SPDX-License-Identifier: MIT
// Crossing networks of weaves: nodes, slots, order, signs, lengths and mass; what is refused.
#include "heddle/net.h"

#include "fabric/fabric.h"
#include "heddle/weave.h"
#include "math/vec3.h"
#include "support/no_memory.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

// Relative, sums of some hundred masses or lengths.
static const double ROUNDING = 1e-13;

static void weave(const char* pattern, int32_t ends, int32_t picks, HedSelvedge selvedge,
                  HedFabric* fabric) {
    HedError error = {0};
    HedWeave draft = {0};
    HedWeaveDef def = hed_weave_def_default();
    def.warp.count = ends;
    def.weft.count = picks;
    def.selvedge = selvedge;
    cr_assert_eq(hed_weave_named(pattern, &draft, &error), HED_OK, "%s", error.message);
    cr_assert_eq(hed_weave_build(&draft, &def, fabric, &error), HED_OK, "%s", error.message);
    hed_weave_free(&draft);
}

static void create(const HedFabric* fabric, HedNet* net) {
    HedError error = {0};
    HedNetDef def = hed_net_def_default();
    cr_assert_eq(hed_net_create(fabric, &def, net, &error), HED_OK, "%s", error.message);
}

// Mass of the straight pieces.
static double mass_of(const HedNet* net) {
    double mass = 0.0;
    for (int32_t i = 0; i < net->yarn_count; ++i) {
        const HedNetYarn* y = &net->yarns[i];
        mass += y->linear_density * net->visits[y->first + y->count - 1].at;
    }
    return mass;
}

// --- weaves ---

// End e meets picks from the first on, pick k ends from the left on; both have a tail at each end.
static void expect_grid(const HedFabric* fabric, const HedNet* net, int32_t ends, int32_t picks) {
    cr_assert_eq(net->node_count, ends * picks + 2 * (ends + picks));
    cr_assert_eq(net->yarn_count, ends + picks);
    cr_assert_eq(net->clasp_count, 0);
    cr_assert_eq(net->hinge_count, 0);
    for (int32_t i = 0; i < net->yarn_count; ++i) {
        const HedNetYarn* y = &net->yarns[i];
        bool is_warp = i < ends;
        cr_assert_eq(y->count, (is_warp ? picks : ends) + 2);
        cr_assert_not(y->holds_ends);
        cr_assert_eq(y->source, i);
        cr_assert_str_eq(y->name, is_warp ? "warp" : "weft");
        for (int32_t k = 0; k < y->count; ++k) {
            const HedNetVisit* v = &net->visits[y->first + k];
            const HedNetNode* node = &net->nodes[v->node];
            cr_assert_eq(v->clasp, -1);
            if (k == 0 || k + 1 == y->count) {
                cr_assert_eq(node->sign, 0);
                cr_assert_eq(node->crossing, -1);
                continue;
            }
            cr_assert_eq(v->slot, is_warp ? 0 : 1);
            HedFabricCrossing c = fabric->crossings[node->crossing];
            int32_t other = is_warp ? ends + k - 1 : k - 1;
            cr_assert(c.over.yarn + c.under.yarn == i + other);
            // Warp along y, weft along x: n = y cross x = -z, so a warp that is over has -1.
            cr_assert_eq(node->sign, c.over.yarn < ends ? -1 : 1);
        }
    }
}

static void expect_lengths(const HedFabric* fabric, const HedNet* net) {
    for (int32_t i = 0; i < net->yarn_count; ++i) {
        const HedNetYarn* y = &net->yarns[i];
        double at = 0.0;
        for (int32_t k = 0; k < y->count; ++k) {
            const HedNetVisit* v = &net->visits[y->first + k];
            at += k > 0
                      ? hed_distance3(net->nodes[v->node].position, net->nodes[v[-1].node].position)
                      : 0.0;
            cr_assert_float_eq(v->at, at, 1e-12 * (at + net->spacing)); // sums in the same order
        }
        // A half is exact.
        cr_assert_float_eq(y->radius, 0.5 * fabric->yarns[y->source].diameter, 0.0);
    }
    // No yarn was added, as tails of weaves are half a spacing long; rounding of some 1e3 terms.
    double mass = hed_fabric_mass(fabric);
    cr_assert_gt(mass, 0.0);
    cr_assert_float_eq(mass_of(net), mass, ROUNDING * mass);
}

Test(net, weaves) {
    static const char* const PATTERNS[] = {"plain", "twill 2/2", "satin 5", "basket 2/2"};
    for (size_t i = 0; i < sizeof PATTERNS / sizeof PATTERNS[0]; ++i) {
        HedFabric fabric = {0};
        HedNet net = {0};
        weave(PATTERNS[i], 7, 10, HED_SELVEDGE_CUT, &fabric);
        create(&fabric, &net);
        expect_grid(&fabric, &net, 7, 10);
        expect_lengths(&fabric, &net);
        cr_assert_eq(net.note_count, 0);
        hed_net_free(&net);
        hed_fabric_free(&fabric);
    }
}

// All threads have the same spacing, so crossings stand in a flat grid of squares.
Test(net, weave_is_flat) {
    HedFabric fabric = {0};
    HedNet net = {0};
    weave("plain", 6, 6, HED_SELVEDGE_CUT, &fabric);
    create(&fabric, &net);
    for (int32_t i = 0; i < net.yarn_count; ++i) {
        const HedNetYarn* y = &net.yarns[i];
        for (int32_t k = 1; k < y->count; ++k) {
            const HedNetVisit* v = &net.visits[y->first + k];
            bool is_tail = k == 1 || k + 1 == y->count;
            double wanted = is_tail ? 0.5 * net.spacing : net.spacing; // half a slot
            cr_assert_float_eq(v->at - v[-1].at, wanted, ROUNDING * net.spacing);
            cr_assert_float_eq(net.nodes[v->node].position.z, 0.0, ROUNDING * net.spacing);
        }
    }
    hed_net_free(&net);
    hed_fabric_free(&fabric);
}

// One weft goes back and forth: around each turn it has samples, and its signs change with its way.
// Layers of a weave share no nodes.
Test(net, layers) {
    const char* const rows[] = {"#...", "###.", "..#.", "#.##"};
    HedWeave draft = {0};
    HedWeaveDef def = hed_weave_def_default();
    HedFabric fabric = {0};
    HedNet net = {0};
    HedError error = {0};
    def.warp.count = def.weft.count = 8;
    cr_assert_eq(hed_weave_rows(rows, 4, &draft, &error), HED_OK, "%s", error.message);
    cr_assert_eq(hed_weave_build(&draft, &def, &fabric, &error), HED_OK, "%s", error.message);
    create(&fabric, &net);
    cr_assert_eq(net.node_count, 2 * 4 * 4 + 2 * (8 + 8)); // crossings, ends of yarns
    cr_assert_eq(net.note_count, 1);
    for (int32_t yarn = 0; yarn < net.yarn_count; ++yarn) {
        const HedNetYarn* y = &net.yarns[yarn];
        cr_assert_eq(y->count, 4 + 2);
        for (int32_t k = y->first; k < y->first + y->count; ++k) {
            cr_assert_eq(net.nodes[net.visits[k].node].position.z > 0.0, yarn % 2 == 0);
        }
    }
    hed_net_free(&net);
    hed_fabric_free(&fabric);
    hed_weave_free(&draft);
}

Test(net, turned_selvedge) {
    enum { ENDS = 5, PICKS = 4 };
    HedFabric fabric = {0};
    HedNet net = {0};
    weave("plain", ENDS, PICKS, HED_SELVEDGE_TURNED, &fabric);
    create(&fabric, &net);
    cr_assert_eq(net.yarn_count, ENDS + 1);
    const HedNetYarn* weft = &net.yarns[ENDS];
    int32_t crossings = 0, samples = 0;
    for (int32_t k = 1; k + 1 < weft->count; ++k) {
        const HedNetNode* node = &net.nodes[net.visits[weft->first + k].node];
        if (node->crossing < 0) {
            cr_assert_eq(crossings % ENDS, 0, "a sample after %d crossings", crossings);
            samples += 1;
            continue;
        }
        bool is_backward = crossings / ENDS % 2 == 1;
        bool is_warp_over = fabric.crossings[node->crossing].over.yarn < ENDS;
        cr_assert_eq(node->sign, is_warp_over == is_backward ? 1 : -1);
        crossings += 1;
    }
    cr_assert_eq(crossings, ENDS * PICKS);
    cr_assert_geq(samples, PICKS - 1);
    hed_net_free(&net);
    hed_fabric_free(&fabric);
}

// --- tails ---

static void add_line(HedFabric* fabric, const char* name, HedVec3 from, HedVec3 to) {
    HedFabricYarn yarn = {.color = 7, .diameter = 0.25, .linear_density = 2.0};
    strcpy(yarn.name, name);
    cr_assert_eq(hed_fabric_add_yarn(fabric, &yarn, NULL), HED_OK);
    for (int32_t k = 0; k <= 4; ++k) {
        cr_assert_eq(hed_fabric_add_point(fabric, hed_lerp3(from, to, 0.25 * k), NULL), HED_OK);
    }
}

// Two yarns along x, 1 apart, and two along y; the crossings stand at the very ends of the latter.
static void frame(HedFabric* fabric) {
    add_line(fabric, "a", hed_vec3(-2.0, 0.0, 0.0), hed_vec3(2.0, 0.0, 0.0));
    add_line(fabric, "b", hed_vec3(-2.0, 1.0, 0.0), hed_vec3(2.0, 1.0, 0.0));
    add_line(fabric, "c", hed_vec3(-1.0, 0.0, 0.25), hed_vec3(-1.0, 1.0, 0.25));
    add_line(fabric, "d", hed_vec3(1.0, 0.0, 0.25), hed_vec3(1.0, 1.0, 0.25));
    for (int32_t k = 0; k < 4; ++k) {
        HedFabricPlace over = {2 + k / 2, k % 2 * 4.0}, under = {k % 2, 1.0 + k / 2 * 2.0};
        HedFabricCrossing crossing = {over, under, false};
        cr_assert_eq(hed_fabric_add_crossing(fabric, crossing, NULL), HED_OK);
    }
}

Test(net, short_tails_are_lengthened) {
    HedFabric fabric = {0};
    HedNet net = {0};
    frame(&fabric);
    create(&fabric, &net);
    // Distances of crossings: 2, 2, 1, 1; the upper of the two in the middle.
    cr_assert_float_eq(net.spacing, 2.0, 1e-12);
    const HedNetYarn* c = &net.yarns[2];
    cr_assert_eq(c->count, 4);
    HedVec3 low = net.nodes[net.visits[c->first].node].position;
    HedVec3 high = net.nodes[net.visits[c->first + 3].node].position;
    cr_assert_lt(hed_distance3(low, hed_vec3(-1.0, -1.0, 0.125)), ROUNDING);
    cr_assert_lt(hed_distance3(high, hed_vec3(-1.0, 2.0, 0.125)), ROUNDING);
    cr_assert_float_eq(c->linear_density, 2.0, 1e-12); // of 3 m, with the 2 m that were added
    cr_assert_eq(c->color, 7);
    cr_assert_float_eq(net.yarns[0].linear_density, 2.0, ROUNDING);
    hed_net_free(&net);
    hed_fabric_free(&fabric);
}

// A yarn that crosses nothing keeps its ends, and the corner between them.
Test(net, lone_yarn) {
    HedFabric fabric = {0};
    HedNet net = {0};
    frame(&fabric);
    add_line(&fabric, "lone", hed_vec3(0.0, 5.0, 0.0), hed_vec3(8.0, 5.0, 0.0));
    fabric.points[fabric.point_count - 3].z = 2.0;
    create(&fabric, &net);
    cr_assert_eq(net.yarn_count, 5);
    cr_assert_eq(net.yarns[4].count, 3);
    cr_assert_eq(net.note_count, 1);
    cr_assert_str_eq(net.notes[0], "1 yarns cross nothing");
    hed_net_free(&net);
    hed_fabric_free(&fabric);
}

// --- what is refused ---

static void expect_refused(const HedFabric* fabric, HedStatus wanted, const char* text) {
    HedError error = {0};
    HedNet net = {0};
    HedNetDef def = hed_net_def_default();
    cr_assert_eq(hed_net_create(fabric, &def, &net, &error), wanted, "%s", error.message);
    cr_assert(strstr(error.message, text), "'%s' not in '%s'", text, error.message);
    cr_assert_null(net.nodes);
}

Test(net, bad_fabrics) {
    HedFabric fabric = {0};
    expect_refused(&fabric, HED_INVALID, "got none");
    frame(&fabric);
    fabric.period[0].x = 1.0;
    expect_refused(&fabric, HED_UNSUPPORTED, "repeats");
    fabric.period[0].x = 0.0;
    fabric.yarns[1].is_closed = true;
    expect_refused(&fabric, HED_UNSUPPORTED,
                   "yarn 1 ('b'): a network has no yarns that are closed");
    fabric.yarns[1].is_closed = false;
    fabric.yarns[1].turns.a = 1;
    expect_refused(&fabric, HED_UNSUPPORTED, "go on in their copies");
    fabric.yarns[1].turns.a = 0;
    fabric.yarns[2].diameter = 0.0;
    expect_refused(&fabric, HED_INVALID, "yarn 2 ('c'): the diameter must be positive");
    fabric.yarns[2].diameter = 0.25;
    fabric.yarns[2].linear_density = -1.0;
    expect_refused(&fabric, HED_INVALID, "got 0.25 m and -1 kg/m");
    fabric.yarns[2].linear_density = 0.0;
    fabric.yarns[3].count = 1;
    expect_refused(&fabric, HED_INVALID, "yarn 3 ('d') needs 2 points or more");
    fabric.yarns[3].count = 5;
    fabric.points[6].y = NAN;
    expect_refused(&fabric, HED_INVALID, "yarn 1 ('b'): point 1 must be finite");
    fabric.points[6].y = 1.0;
    fabric.crossings[2].under.yarn = 4;
    expect_refused(&fabric, HED_INVALID, "crossing 2: there are 4 yarns, got yarn 4");
    fabric.crossings[2].under.yarn = 0;
    fabric.crossings[2].over.at = NAN;
    expect_refused(&fabric, HED_INVALID, "crossing 2: a place on yarn 3 ('d') is from 0 to 4");
    fabric.crossings[2].over.at = 0.0;
    HedNet net = {0};
    create(&fabric, &net);
    hed_net_free(&net);
    hed_fabric_free(&fabric);
}

// Two crossings in one place of both yarns.
Test(net, crossings_in_one_place) {
    HedFabric fabric = {0};
    frame(&fabric);
    cr_assert_eq(hed_fabric_add_crossing(&fabric, fabric.crossings[0], NULL), HED_OK);
    expect_refused(&fabric, HED_INVALID, "yarn 0 ('a'), visit 2 (node 2): places along a yarn");
    hed_fabric_free(&fabric);
}

Test(net, bad_defs) {
    HedFabric fabric = {0};
    HedNet net = {0};
    HedError error = {0};
    HedNetDef def = {0};
    frame(&fabric);
    cr_assert_eq(hed_net_create(&fabric, &def, &net, &error), HED_INVALID);
    cr_assert(strstr(error.message, "hed_net_def_default"));
    def = hed_net_def_default();
    def.bow = 0.0;
    cr_assert_eq(hed_net_create(&fabric, &def, &net, &error), HED_INVALID);
    cr_assert_str_eq(error.message,
                     "tail and bow of a network must be positive, got 0.5 and 0 spacings");
    def.bow = 0.5;
    def.tail = INFINITY;
    cr_assert_eq(hed_net_create(&fabric, &def, &net, NULL), HED_INVALID);
    hed_fabric_free(&fabric);
    hed_net_free(NULL);
}

static HedStatus weave_and_create(void) {
    HedStatus status = HED_OK;
    HedWeave draft = {0};
    HedFabric fabric = {0};
    HedNet net = {0};
    HedWeaveDef weave_def = hed_weave_def_default();
    HedNetDef def = hed_net_def_default();
    weave_def.warp.count = weave_def.weft.count = 4;
    weave_def.selvedge = HED_SELVEDGE_TURNED;
    HED_TRY(hed_weave_named("plain", &draft, NULL));
    HED_TRY(hed_weave_build(&draft, &weave_def, &fabric, NULL));
    HED_TRY(hed_net_create(&fabric, &def, &net, NULL));
done:
    hed_net_free(&net);
    hed_fabric_free(&fabric);
    hed_weave_free(&draft);
    return status;
}

Test(net, no_memory) {
    expect_no_memory(weave_and_create, 20);
}

// --- the check ---

typedef struct Damaged {
    HedFabric fabric;
    HedNet net;
} Damaged;

static void expect_wrong(Damaged* d, const char* text) {
    HedError error = {0};
    cr_assert_eq(hed_net_check(&d->net, &error), HED_INVALID, "'%s' was accepted", text);
    cr_assert(strstr(error.message, text), "'%s' not in '%s'", text, error.message);
    // Mended by making it anew.
    hed_net_free(&d->net);
    create(&d->fabric, &d->net);
    cr_assert_eq(hed_net_check(&d->net, NULL), HED_OK);
}

Test(net, check_names_what_is_wrong) {
    Damaged d = {0};
    weave("plain", 3, 3, HED_SELVEDGE_CUT, &d.fabric);
    create(&d.fabric, &d.net);
    HedNet* net = &d.net;
    // Visits of yarn 1: an end, three crossings, an end.
    int32_t first = net->yarns[1].first;
    net->visits[first + 2].at = net->visits[first + 1].at;
    expect_wrong(&d, "yarn 1 ('warp'), visit 2 (node 7): places along a yarn must rise");
    net->visits[first + 2].at = NAN;
    expect_wrong(&d, "got nan m after");
    HedNetVisit swap = net->visits[first + 1];
    net->visits[first + 1] = net->visits[first + 2];
    net->visits[first + 2] = swap;
    expect_wrong(&d, "is not one of this node and slot");
    net->visits[first + 1].node = net->node_count;
    expect_wrong(&d, "is not one of this node and slot");
    net->nodes[net->visits[first + 1].node].visit[1] = -1;
    expect_wrong(&d, "a crossing needs two yarns and a sign, got one and the sign");
    net->nodes[net->visits[first].node].sign = 1;
    expect_wrong(&d, "a crossing needs two yarns and a sign, got one and the sign 1");
    net->nodes[net->visits[first + 1].node].sign = 2;
    expect_wrong(&d, "a sign must be -1, 0 or 1, got 2");
    net->nodes[4].position.x = INFINITY;
    expect_wrong(&d, "node 4: its position must be finite, got (inf,");
    net->nodes[net->visits[first + 2].node].position =
        net->nodes[net->visits[first + 1].node].position;
    expect_wrong(&d, "stand in the same place");
    net->yarns[1].first += 1;
    net->yarns[1].count -= 1;
    expect_wrong(&d, "yarn 1 ('warp'): it must have 2 visits or more, from number 5");
    net->yarns[0].radius = 0.0;
    expect_wrong(&d, "yarn 0 ('warp'): the radius must be positive");
    net->yarns[0].radius = -1e-4;
    expect_wrong(&d, "the radius must be positive");
    net->yarns[0].linear_density = NAN;
    expect_wrong(&d, "linear density zero or more, got");
    net->node_count = 0;
    expect_wrong(&d, "a network needs nodes");
    net->visits[first + 1].clasp = 0;
    expect_wrong(&d, "runs along a clasp that is not there");
    net->visits[first + 1].yarn = 0;
    expect_wrong(&d, "yarn 1 ('warp'), visit 1 (node 6, slot 0): names another yarn");
    net->yarn_count -= 1;
    expect_wrong(&d, "the yarns have 25 visits, got 30");
    net->spacing = 0.0;
    expect_wrong(&d, "a positive spacing, got");
    net->node_count = -1;
    expect_wrong(&d, "-1 nodes, fewer than none");
    net->hinge_count = 1;
    expect_wrong(&d, "1 hinges, but holds none");
    hed_net_free(&d.net);
    hed_fabric_free(&d.fabric);
}

// A yarn whose last visit is a crossing.
Test(net, check_wants_ends) {
    HedNetNode nodes[3] = {{.position = {0.0, 0.0, 0.0}, .visit = {0, -1}},
                           {.position = {1.0, 0.0, 0.0}, .visit = {1, 3}, .sign = 1},
                           {.position = {1.0, 1.0, 0.0}, .visit = {2, -1}}};
    HedNetVisit visits[4] = {
        {0, 0, 0, -1, 0.0}, {1, 0, 0, -1, 1.0}, {2, 0, 1, -1, 0.0}, {1, 1, 1, -1, 1.0}};
    HedNetYarn yarns[2] = {{.first = 0, .count = 2, .radius = 0.1, .name = "a"},
                           {.first = 2, .count = 2, .radius = 0.1, .name = "b"}};
    HedNet net = {.nodes = nodes,
                  .node_count = 3,
                  .visits = visits,
                  .visit_count = 4,
                  .yarns = yarns,
                  .yarn_count = 2,
                  .spacing = 1.0};
    HedError error = {0};
    cr_assert_eq(hed_net_check(&net, &error), HED_INVALID);
    cr_assert_str_eq(error.message, "yarn 0 ('a'), visit 1 (node 1, slot 0): is a crossing, but a "
                                    "yarn must end in a node of its own");
}
