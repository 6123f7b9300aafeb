// SPDX-License-Identifier: MIT
// label: slow
// Whatever falls on whatever, at 0.1 to 10 m/s (up to 10 mm in a step of 1 ms, through cloth of 0.2
// mm): nothing passes through anything. A small piece of one kind falls on the middle of a larger
// one, which is held all around, or at its ends.
//
// What proves it knows nothing of contact: wherever, seen from above, a corner of one piece is over
// a triangle of the other, or two edges cross, the piece that fell is above. (Pieces are not turned
// over in these few steps.)
#include "heddle/sliding.h"
#include "sim/internal.h"
#include "support/nets.h"
#include "support/rig.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>

typedef enum Kind { SHEET, WEAVE, ROD, SPLINE, KIND_COUNT } Kind;

static const char* const NAMES[KIND_COUNT] = {"sheet", "weave", "rod", "spline"};

enum { EDGES_MOST = 4096 };

static const double SPACING = 4e-4; // m, of crossings of the weave of tests

// A piece as it is seen from above: corners, triangles and edges by points of the simulation.
typedef struct Piece {
    Kind kind;
    int32_t first, count; // points
    const int32_t* triangles;
    int32_t triangle_count;
    int32_t edges[EDGES_MOST][2];
    int32_t edge_count;
    HedSheetId sheet;
    HedYarnsId yarns;
    HedNet net;
} Piece;

static void add_edge(Piece* piece, int32_t a, int32_t b) {
    cr_assert_lt(piece->edge_count, EDGES_MOST);
    piece->edges[piece->edge_count][0] = a;
    piece->edges[piece->edge_count++][1] = b;
}

// A square of 2 half on a side (m) at a height, or lines of that length: a rod, or five that are
// held.
static void add_piece(HedSim* sim, Kind kind, double half, double height, double speed,
                      Piece* piece) {
    *piece = (Piece){.kind = kind, .first = sim->x.count};
    HedVec3 velocity = {0.0, 0.0, -speed};
    if (kind == SHEET) {
        Mesh mesh = mesh_grid(9, 9, hed_vec3(-half, -half, height), hed_vec3(2.0 * half, 0.0, 0.0),
                              hed_vec3(0.0, 2.0 * half, 0.0));
        HedSheetDef sheet = mesh_sheet(&mesh);
        sheet.thickness = 2e-4;
        sheet.velocity = velocity;
        piece->sheet = rig_sheet(sim, &sheet);
        mesh_free(&mesh);
    } else if (kind == WEAVE) {
        int32_t side = (int32_t)lround(2.0 * half / SPACING) + 1;
        test_net_weave(side, side, &piece->net);
        for (int32_t n = 0; n < piece->net.node_count; ++n) {
            piece->net.nodes[n].position.z += height;
        }
        HedSlidingDef def = hed_sliding_def_default();
        HedError error = {0};
        def.name = "weave";
        def.net = &piece->net;
        def.velocity = velocity;
        cr_assert_eq(hed_sliding_create(sim, &def, &piece->yarns, &error), HED_OK, "%s",
                     error.message);
    } else {
        enum { LINES = 5, VERTICES = 9 };
        HedVec3 line[LINES * VERTICES];
        HedCurve curves[LINES];
        HedYarnsDef def = hed_yarns_def_default();
        HedError error = {0};
        def.curve_count = speed > 0.0 ? 1 : LINES; // those held lie across those that fall
        for (int32_t c = 0; c < def.curve_count; ++c) {
            curves[c] = (HedCurve){.first = c * VERTICES, .count = VERTICES, .color = -1};
            double aside = speed > 0.0 ? 1.3e-5 : (c - LINES / 2) * SPACING;
            for (int32_t k = 0; k < VERTICES; ++k) {
                double along = half * (2.0 * k / (VERTICES - 1) - 1.0);
                line[c * VERTICES + k] =
                    speed > 0.0 ? hed_vec3(aside, along, height) : hed_vec3(along, aside, height);
            }
        }
        def.model = kind == ROD ? HED_YARN_ROD : HED_YARN_SPLINE;
        def.vertices = line;
        def.vertex_count = def.curve_count * VERTICES;
        def.curves = curves;
        def.radius = 1e-4;
        def.linear_density = 2.5e-5;
        def.bend = def.twist = 2e-9;
        def.velocity = velocity;
        cr_assert_eq(hed_yarns_create(sim, &def, &piece->yarns, &error), HED_OK, "%s",
                     error.message);
    }
    piece->count = sim->x.count - piece->first;
}

static bool is_held(const Piece* piece, HedVec3 x, double half) {
    bool is_end = fabs(x.x) > half - 1e-6;
    return is_end || (piece->kind <= WEAVE && fabs(x.y) > half - 1e-6);
}

static void hold(HedSim* sim, const Piece* piece, double half) {
    const HedCloth* cloth = hed_sim_cloth_at(sim, piece->first);
    int32_t held[400], count = 0;
    for (int32_t v = 0; v < cloth->vertex_count; ++v) {
        if (is_held(piece, hed_cloth_mix(cloth, v, sim->x.data), half)) {
            cr_assert_lt(count, 400);
            held[count++] = v;
        }
    }
    HedPinDef pin = hed_pin_def_default();
    pin.sheet = piece->sheet;
    pin.yarns = piece->yarns;
    pin.vertices = held;
    pin.vertex_count = count;
    pin.clamps = piece->kind == WEAVE;
    rig_pin_def(sim, &pin);
}

// What the piece looks like from above, once the simulation is prepared.
static void outline(const HedSim* sim, Piece* piece) {
    const HedCloth* cloth = hed_sim_cloth_at(sim, piece->first);
    if (piece->kind == SHEET) {
        piece->triangles = sim->triangles.data + 3 * (int64_t)cloth->first_triangle;
        piece->triangle_count = cloth->triangle_count;
    } else if (piece->kind == WEAVE) {
        piece->triangles = cloth->sliding->skin.triangles.data; // of points from the first on
        piece->triangle_count = cloth->sliding->skin.triangles.count / 3;
    }
    int32_t base = piece->kind == WEAVE ? piece->first : 0;
    for (int32_t t = 0; t < 3 * piece->triangle_count; ++t) {
        int32_t next = t % 3 == 2 ? t - 2 : t + 1;
        add_edge(piece, base + piece->triangles[t], base + piece->triangles[next]);
    }
    for (int32_t c = 0; c < cloth->curve_count && piece->kind >= ROD; ++c) {
        const HedCurve* strand = &sim->strand_list.data[cloth->first_curve + c];
        for (int32_t k = 0; k + 1 < strand->count; ++k) {
            add_edge(piece, strand->first + k, strand->first + k + 1);
        }
    }
}

static double cross(HedVec3 a, HedVec3 b) {
    return a.x * b.y - a.y * b.x;
}

// Height of a triangle above or below a place, if it is there.
static bool height_at(const HedVec3* corner[3], HedVec3 place, double* height) {
    double part[3], sum = 0.0;
    bool is_in = true;
    for (int k = 0; k < 3; ++k) {
        HedVec3 from = *corner[(k + 1) % 3];
        part[k] = cross(hed_sub3(*corner[(k + 2) % 3], from), hed_sub3(place, from));
        sum += part[k];
    }
    for (int k = 0; k < 3; ++k) {
        is_in = is_in && sum != 0.0 && part[k] / sum > 0.0;
    }
    *height = 0.0;
    for (int k = 0; k < 3 && is_in; ++k) {
        *height += part[k] / sum * corner[k]->z;
    }
    return is_in;
}

// Corners of one piece over triangles of the other: how many are on the wrong side.
static int corners_below(const HedSim* sim, const Piece* of, const Piece* faces, double sign) {
    int32_t base = faces->kind == WEAVE ? faces->first : 0;
    const HedVec3* x = sim->x.data;
    int wrong = 0;
    for (int32_t i = of->first; i < of->first + of->count; ++i) {
        for (int32_t t = 0; t < faces->triangle_count; ++t) {
            const HedVec3* corner[3];
            double height;
            for (int k = 0; k < 3; ++k) {
                corner[k] = &x[base + faces->triangles[3 * t + k]];
            }
            wrong += height_at(corner, x[i], &height) && sign * (x[i].z - height) <= 0.0;
        }
    }
    return wrong;
}

// Edges that cross, seen from above.
static int edges_below(const HedSim* sim, const Piece* upper, const Piece* lower) {
    const HedVec3* x = sim->x.data;
    int wrong = 0;
    for (int32_t i = 0; i < upper->edge_count; ++i) {
        HedVec3 a = x[upper->edges[i][0]], u = hed_sub3(x[upper->edges[i][1]], a);
        for (int32_t k = 0; k < lower->edge_count; ++k) {
            HedVec3 b = x[lower->edges[k][0]], w = hed_sub3(x[lower->edges[k][1]], b);
            double det = cross(u, w);
            double s = cross(hed_sub3(b, a), w) / det;
            double t = cross(hed_sub3(b, a), u) / det;
            if (det != 0.0 && s > 0.0 && s < 1.0 && t > 0.0 && t < 1.0) {
                wrong += a.z + s * u.z <= b.z + t * w.z;
            }
        }
    }
    return wrong;
}

static void fall(Kind falling, Kind held, double speed) {
    const double gap = 6e-4, large = 2e-3, small = 0.8e-3; // m
    HedSimDef def = hed_sim_def_default();
    def.time_step = 1e-3;
    def.thread_count = 1;
    def.self_collision = true;
    def.gravity = (HedVec3){0};
    HedSim* sim = rig_sim(&def);
    static Piece upper, lower;
    add_piece(sim, held, large, 0.0, 0.0, &lower);
    add_piece(sim, falling, falling >= ROD && held >= ROD ? large : small, gap, speed, &upper);
    hold(sim, &lower, large);
    rig_prepare(sim);
    outline(sim, &upper);
    outline(sim, &lower);
    int steps = (int)ceil(gap / speed / def.time_step) + 8;
    double slowest = -speed;
    for (int k = 0; k < steps; ++k) {
        HedStepReport report = {0};
        HedError error = {0};
        cr_assert_eq(hed_sim_step(sim, &report, &error), HED_OK, "%s", error.message);
        cr_assert_eq(report.reason, HED_REASON_CONVERGED, "%s on %s, %g m/s, step %d: %s",
                     NAMES[falling], NAMES[held], speed, k, report.trouble);
        int wrong = corners_below(sim, &upper, &lower, 1.0) +
                    corners_below(sim, &lower, &upper, -1.0) + edges_below(sim, &upper, &lower);
        cr_assert_eq(wrong, 0, "%s on %s, %g m/s, step %d: %d places passed through",
                     NAMES[falling], NAMES[held], speed, k, wrong);
        double mean = 0.0;
        for (int32_t i = upper.first; i < upper.first + upper.count; ++i) {
            mean += sim->v.data[i].z / upper.count;
        }
        slowest = fmax(slowest, mean);
    }
    // It has met something: an impact without bounce leaves what the lighter side lends it.
    cr_assert_gt(slowest, -0.9 * speed, "%s on %s, %g m/s: never met", NAMES[falling], NAMES[held],
                 speed);
    hed_sim_destroy(sim);
    hed_net_free(&upper.net);
    hed_net_free(&lower.net);
}

static void fall_on_all(Kind falling) {
    static const double SPEEDS[3] = {0.1, 1.0, 10.0}; // m/s
    for (int held = SHEET; held < KIND_COUNT; ++held) {
        for (int k = 0; k < 3; ++k) {
            fall(falling, (Kind)held, SPEEDS[k]);
        }
    }
}

Test(meetings, of_a_falling_sheet) {
    fall_on_all(SHEET);
}

Test(meetings, of_a_falling_weave) {
    fall_on_all(WEAVE);
}

Test(meetings, of_a_falling_rod) {
    fall_on_all(ROD);
}

Test(meetings, of_a_falling_spline) {
    fall_on_all(SPLINE);
}
