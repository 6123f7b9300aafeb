// SPDX-License-Identifier: MIT
// Motions of every violence, and the exact check after each step: nothing may intersect.
#include "contact/self.h"

#include "base/alloc.h"
#include "base/random.h"
#include "geom/crossing.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

// Relative, or of speeds of 10 m/s: sums over six points of some dozens of operations.
static const double ROUNDING = 1e-13;

static const HedTeam TEAMS[3] = {{.threads = 1}, {.threads = 2}, {.threads = 3}};
static const double STEP = 0.005; // s

// A scene of several square sheets or loose triangles.
typedef struct World {
    int32_t point_count, triangle_count;
    int32_t* triangles;
    HedVec3 *rest, *x, *end, *v;
    double *inverse_mass, *half_thickness, *area;
    HedSelf self;
} World;

static void open_world(World* w, int32_t points, int32_t triangles) {
    *w = (World){0};
    w->triangles = HED_NEW_ARRAY(int32_t, 3 * triangles);
    w->rest = HED_NEW_ARRAY(HedVec3, points);
    w->x = HED_NEW_ARRAY(HedVec3, points);
    w->end = HED_NEW_ARRAY(HedVec3, points);
    w->v = HED_NEW_ARRAY(HedVec3, points);
    w->inverse_mass = HED_NEW_ARRAY(double, points);
    w->half_thickness = HED_NEW_ARRAY(double, points);
    w->area = HED_NEW_ARRAY(double, points);
}

// A square of side 1 in the plane y = height, turned by a little so that no two sheets are parallel
// in all their edges.
static void add_sheet(World* w, int32_t side, double height, double turn) {
    int32_t first = w->point_count;
    for (int32_t i = 0; i < side * side; ++i) {
        double a = (double)(i % side) / (side - 1) - 0.5;
        double b = (double)(i / side) / (side - 1) - 0.5;
        int32_t p = w->point_count++;
        w->x[p] = hed_vec3(cos(turn) * a - sin(turn) * b, height, sin(turn) * a + cos(turn) * b);
        w->rest[p] = w->x[p];
        w->inverse_mass[p] = side * side / 0.1;
        w->half_thickness[p] = 0.05 / side;
        w->area[p] = 1.0 / (side * side);
    }
    for (int32_t q = 0; q < (side - 1) * (side - 1); ++q) {
        int32_t v = first + q / (side - 1) * side + q % (side - 1);
        const int32_t quad[6] = {v, v + 1, v + side + 1, v, v + side + 1, v + side};
        memcpy(w->triangles + 3 * w->triangle_count, quad, sizeof quad);
        w->triangle_count += 2;
    }
}

static void close_world(World* w) {
    hed_self_free(&w->self);
    hed_free(w->triangles);
    hed_free(w->rest);
    hed_free(w->x);
    hed_free(w->end);
    hed_free(w->v);
    hed_free(w->inverse_mass);
    hed_free(w->half_thickness);
    hed_free(w->area);
}

static HedSelfDef def_of(const World* w, double friction, const HedTeam* team) {
    return (HedSelfDef){.point_count = w->point_count,
                        .triangles = w->triangles,
                        .triangle_count = w->triangle_count,
                        .rest = w->rest,
                        .half_thickness = w->half_thickness,
                        .area = w->area,
                        .friction = friction,
                        .team = team};
}

static void start(World* w, double friction, const HedTeam* team) {
    HedSelfDef def = def_of(w, friction, team);
    HedError error = {0};
    cr_assert_eq(hed_self_create(&w->self, &def, &error), HED_OK, "%s", error.message);
}

static HedSelfStep step_of(World* w) {
    return (HedSelfStep){w->x, w->end, w->v, w->inverse_mass, STEP};
}

static void assert_apart(const World* w) {
    HedCrossings found = {0};
    cr_assert_eq(hed_crossings_find(w->x, w->triangles, w->triangle_count, 1, &found, NULL),
                 HED_OK);
    int32_t a = found.list.count > 0 ? found.list.data[0].first : -1;
    int32_t b = found.list.count > 0 ? found.list.data[0].second : -1;
    cr_assert(found.cross_count == 0 && found.touch_count == 0, "%lld, %lld; first %d %d",
              (long long)found.cross_count, (long long)found.touch_count, a, b);
    hed_free(found.list.data);
}

// Moves everything by its velocity; returns the report.
static HedSelfReport advance(World* w) {
    for (int32_t i = 0; i < w->point_count; ++i) {
        w->end[i] = hed_madd3(w->x[i], STEP, w->v[i]);
    }
    HedSelfStep step = step_of(w);
    HedSelfReport report;
    cr_assert_eq(hed_self_resolve(&w->self, &step, &report, NULL), HED_OK);
    if (report.reason == HED_SELF_CLEAR) {
        memcpy(w->x, w->end, (size_t)w->point_count * sizeof(HedVec3));
    }
    return report;
}

static void kick(World* w, uint64_t seed, double speed) {
    for (int32_t i = 0; i < w->point_count; ++i) {
        double* v = &w->v[i].x;
        for (uint64_t k = 0; k < 3; ++k) {
            v[k] += speed * (2.0 * hed_random_uniform(seed, k, (uint64_t)i) - 1.0);
        }
    }
}

// Velocities of up to 2.5 edges per step, anew in every step: the sheet becomes a tangle.
Test(self, crumpled_sheet, .timeout = 250) {
    World w;
    open_world(&w, 1600, 2 * 39 * 39);
    add_sheet(&w, 40, 0.0, 0.1);
    start(&w, 0.3, &TEAMS[1]);
    HedSelfReport most = {0};
    for (uint64_t k = 0; k < 5; ++k) {
        memset(w.v, 0, (size_t)w.point_count * sizeof(HedVec3));
        kick(&w, k, (0.5 + 0.5 * (double)k) / 39.0 / STEP);
        HedSelfReport report = advance(&w);
        cr_assert_eq(report.reason, HED_SELF_CLEAR);
        // J: rounding of the energy of motion.
        cr_assert_geq(report.energy, -1e-12);
        assert_apart(&w);
        most.impact_count += report.impact_count;
        most.rounds = report.rounds > most.rounds ? report.rounds : most.rounds;
        most.zone_points =
            report.zone_points > most.zone_points ? report.zone_points : most.zone_points;
    }
    printf("crumpled: impacts %d, rounds %d, zone points %d\n", most.impact_count, most.rounds,
           most.zone_points);
    cr_assert_gt(most.impact_count, 1000);
    close_world(&w);
}

Test(self, sheets_pushed_through_each_other, .timeout = 250) {
    World w;
    open_world(&w, 3 * 400, 3 * 2 * 19 * 19);
    for (int s = 0; s < 3; ++s) {
        add_sheet(&w, 20, 0.02 * s, 0.3 * s);
    }
    start(&w, 0.2, &TEAMS[0]);
    int32_t impacts = 0;
    for (int k = 0; k < 12; ++k) {
        for (int32_t i = 0; i < w.point_count; ++i) {
            int32_t sheet = i / 400;
            w.v[i] = hed_vec3(0.3 * sheet, sheet == 0 ? 5.0 : sheet == 1 ? 0.0 : -5.0, 0.0);
        }
        kick(&w, (uint64_t)k, 1.0);
        HedSelfReport report = advance(&w);
        impacts += report.impact_count;
        cr_assert_eq(report.reason, HED_SELF_CLEAR);
        assert_apart(&w);
    }
    cr_assert_gt(impacts, 1000);
    close_world(&w);
}

// Half of a sheet swings over and is pressed onto the other half.
Test(self, folded_sheet) {
    World w;
    open_world(&w, 400, 2 * 19 * 19);
    add_sheet(&w, 20, 0.0, 0.0);
    start(&w, 0.0, &TEAMS[0]);
    for (int k = 1; k <= 35; ++k) {
        double angle = fmin(3.3, 0.1 * k); // beyond 180 degrees
        for (int32_t i = 0; i < w.point_count; ++i) {
            double a = w.rest[i].x;
            HedVec3 goal = w.rest[i];
            if (a > 0.0) {
                goal = hed_vec3(a * cos(angle), a * sin(angle), w.rest[i].z);
            }
            w.v[i] = hed_mul3(1.0 / STEP, hed_sub3(goal, w.x[i]));
        }
        cr_assert_eq(advance(&w).reason, HED_SELF_CLEAR);
        assert_apart(&w);
    }
    close_world(&w);
}

Test(self, soup_of_triangles) {
    enum { SOUP = 200 };
    World w;
    open_world(&w, 3 * SOUP, SOUP);
    for (int32_t t = 0; t < SOUP; ++t) {
        double c[3] = {t % 6, t / 6 % 6, t / 36};
        for (int32_t k = 0; k < 3; ++k) {
            int32_t p = w.point_count++;
            double* x = &w.x[p].x;
            for (uint64_t m = 0; m < 3; ++m) {
                x[m] = c[m] + 0.9 * hed_random_uniform(3, m, (uint64_t)p);
            }
            w.rest[p] = w.x[p];
            w.inverse_mass[p] = 0.5 + hed_random_uniform(4, 0, (uint64_t)p);
            w.half_thickness[p] = 0.005;
            w.triangles[p] = p;
        }
        ++w.triangle_count;
    }
    start(&w, 0.1, &TEAMS[0]);
    for (uint64_t k = 0; k < 10; ++k) {
        memset(w.v, 0, (size_t)w.point_count * sizeof(HedVec3));
        kick(&w, 50 + k, 1.0 / STEP);
        cr_assert_eq(advance(&w).reason, HED_SELF_CLEAR);
        assert_apart(&w);
    }
    close_world(&w);
}

// A toy cloth: springs along edges with damping, gravity, explicit steps.
static void add_forces(World* w) {
    const double k = 2.0;   // N/m: 200 rad/s at most, steps of 5 ms are stable
    const double c = 0.005; // N s/m
    for (int32_t e = 0; e < w->self.topology.edge_count; ++e) {
        const HedMeshEdge* edge = &w->self.topology.edges[e];
        HedVec3 d = hed_sub3(w->x[edge->b], w->x[edge->a]);
        double length = hed_norm3(d);
        double rest = hed_distance3(w->rest[edge->b], w->rest[edge->a]);
        double speed = hed_dot3(hed_sub3(w->v[edge->b], w->v[edge->a]), d) / length;
        HedVec3 pull = hed_mul3(STEP * (k * (length - rest) + c * speed) / length, d);
        w->v[edge->a] = hed_madd3(w->v[edge->a], w->inverse_mass[edge->a], pull);
        w->v[edge->b] = hed_madd3(w->v[edge->b], -w->inverse_mass[edge->b], pull);
    }
    for (int32_t i = 0; i < w->point_count; ++i) {
        w->v[i].y -= w->inverse_mass[i] > 0.0 ? 9.81 * STEP : 0.0;
    }
}

// Three sheets fall onto a fixed one and onto each other; they drape over its edges.
Test(self, pile_of_sheets, .timeout = 250) {
    enum { SIDE = 14 };
    World w;
    open_world(&w, 4 * SIDE * SIDE, 4 * 2 * (SIDE - 1) * (SIDE - 1));
    for (int s = 0; s < 4; ++s) {
        add_sheet(&w, SIDE, 0.03 * s, 0.4 * s);
    }
    for (int32_t i = 0; i < SIDE * SIDE; ++i) {
        w.inverse_mass[i] = 0.0;
        w.x[i] = w.rest[i] = hed_vec3(0.5 * w.x[i].x, 0.0, 0.5 * w.x[i].z);
    }
    start(&w, 0.4, &TEAMS[0]);
    for (int k = 0; k < 200; ++k) {
        add_forces(&w);
        HedSelfStep step = step_of(&w);
        HedSelfReport report;
        cr_assert_eq(hed_self_repel(&w.self, &step, 50.0, &report, NULL), HED_OK);
        report = advance(&w);
        cr_assert_eq(report.reason, HED_SELF_CLEAR, "step %d", k);
        assert_apart(&w);
    }
    // Friction holds them: the middle of each sheet lies on the fixed one, in order.
    double below = -1.0;
    for (int s = 0; s < 4; ++s) {
        double y = w.x[s * SIDE * SIDE + SIDE * SIDE / 2 + SIDE / 2].y;
        cr_assert_gt(y, below);
        below = y;
    }
    close_world(&w);
}

Test(self, same_bits_for_any_number_of_threads, .timeout = 250) {
    HedVec3* first = NULL;
    for (int t = 0; t < 3; ++t) {
        World w;
        open_world(&w, 2 * 900, 2 * 2 * 29 * 29); // large enough for threads to be used
        add_sheet(&w, 30, 0.0, 0.0);
        add_sheet(&w, 30, 0.02, 0.2);
        start(&w, 0.3, &TEAMS[t]);
        for (uint64_t k = 0; k < 3; ++k) {
            kick(&w, 70 + k, 0.7 / 29.0 / STEP);
            HedSelfStep step = step_of(&w);
            HedSelfReport report;
            cr_assert_eq(hed_self_repel(&w.self, &step, 50.0, &report, NULL), HED_OK);
            cr_assert_eq(advance(&w).reason, HED_SELF_CLEAR);
        }
        size_t size = (size_t)w.point_count * sizeof(HedVec3);
        if (!first) {
            first = HED_NEW_ARRAY(HedVec3, w.point_count);
            memcpy(first, w.x, size);
        }
        cr_assert_arr_eq(first, w.x, size);
        close_world(&w);
    }
    hed_free(first);
}

// One triangle and a point of another that flies at it.
static void open_dart(World* w, double height) {
    static const HedVec3 x[6] = {{0, 0, 0},     {1, 0, 0},     {0, 0, 1},
                                 {0.3, 1, 0.3}, {0.4, 2, 0.2}, {0.2, 2, 0.4}};
    open_world(w, 6, 2);
    for (int32_t i = 0; i < 6; ++i) {
        w->x[i] = w->rest[i] = hed_add3(x[i], hed_vec3(0.0, i < 3 ? 0.0 : height - 1.0, 0.0));
        w->triangles[i] = i;
        w->inverse_mass[i] = 1.0 + 0.5 * i;
        w->half_thickness[i] = 0.01;
        w->area[i] = 0.1;
    }
    w->point_count = 6;
    w->triangle_count = 2;
}

static HedVec3 momentum(const World* w) {
    HedVec3 sum = {0};
    for (int32_t i = 0; i < w->point_count; ++i) {
        sum = hed_madd3(sum, 1.0 / w->inverse_mass[i], w->v[i]);
    }
    return sum;
}

// Impulses act along the line through both places of contact at the moment of impact, which here is
// vertical: angular momentum is taken there.
static HedVec3 spin(const World* w, const HedVec3* x) {
    HedVec3 sum = {0};
    for (int32_t i = 0; i < w->point_count; ++i) {
        sum = hed_madd3(sum, 1.0 / w->inverse_mass[i], hed_cross3(x[i], w->v[i]));
    }
    return sum;
}

Test(self, impulses_conserve_momentum) {
    World w;
    open_dart(&w, 0.1);
    start(&w, 0.0, &TEAMS[0]);
    for (int32_t i = 3; i < 6; ++i) {
        w.v[i] = hed_vec3(0.0, -60.0, 0.0); // 0.3 m per step
    }
    HedVec3 before = momentum(&w);
    HedVec3 spin_before = spin(&w, w.x);
    HedVec3 x[6];
    memcpy(x, w.x, sizeof x);
    HedSelfReport report = advance(&w);
    cr_assert_eq(report.reason, HED_SELF_CLEAR);
    cr_assert_gt(report.impact_count, 0);
    cr_assert_gt(report.energy, 0.0);
    assert_apart(&w);
    cr_assert_lt(hed_distance3(momentum(&w), before), ROUNDING * hed_norm3(before));
    cr_assert_lt(hed_distance3(spin(&w, x), spin_before), ROUNDING * hed_norm3(spin_before));
    cr_assert_gt(w.v[3].y, -60.0);
    // The point has come to rest against the place it hit: no approach is left but to the gap.
    HedVec3 hit =
        hed_add3(hed_mul3(0.4, w.x[0]), hed_add3(hed_mul3(0.3, w.x[1]), hed_mul3(0.3, w.x[2])));
    double gap = w.x[3].y - hit.y;
    cr_assert(gap > 0.0009 && gap < 0.003, "%g", gap); // 2 * 0.05 * 0.02 = 0.002
    close_world(&w);
}

Test(self, friction_slows_slip) {
    double slip[2];
    for (int k = 0; k < 2; ++k) {
        World w;
        open_dart(&w, 0.1);
        for (int32_t i = 0; i < 3; ++i) {
            w.inverse_mass[i] = 0.0;
        }
        start(&w, k == 0 ? 0.0 : 0.5, &TEAMS[0]);
        for (int32_t i = 3; i < 6; ++i) {
            w.v[i] = hed_vec3(10.0, -40.0, 0.0);
        }
        cr_assert_eq(advance(&w).reason, HED_SELF_CLEAR);
        assert_apart(&w);
        slip[k] = w.v[3].x;
        close_world(&w);
    }
    cr_assert_float_eq(slip[0], 10.0, 10.0 * ROUNDING);
    // It was to go 0.2 m down and is stopped 0.002 m above after 0.098 m: 0.102 m of push, of which
    // half exceeds the slip of 0.05 m, so that the point is held.
    cr_assert_float_eq(slip[1], 0.0, 1e-6);
}

Test(self, pins_that_pass_through) {
    World w;
    open_dart(&w, 0.1);
    for (int32_t i = 0; i < 6; ++i) {
        w.inverse_mass[i] = 0.0;
    }
    start(&w, 0.0, &TEAMS[0]);
    for (int32_t i = 3; i < 6; ++i) {
        w.v[i] = hed_vec3(0.0, -40.0, 0.0);
    }
    HedSelfReport report = advance(&w);
    cr_assert_eq(report.reason, HED_SELF_STUCK);
    cr_assert_str_eq(hed_self_reason_name(report.reason), "stuck");
    for (int32_t i = 0; i < 6; ++i) { // end is as it was proposed
        cr_assert_lt(hed_distance3(w.end[i], hed_madd3(w.x[i], STEP, w.v[i])), 1e-15);
        cr_assert_eq(w.v[i].y, i < 3 ? 0.0 : -40.0);
    }
    w.v[3].x = NAN;
    report = advance(&w);
    cr_assert_eq(report.reason, HED_SELF_NOT_FINITE);
    cr_assert_eq(report.worst[0], 3);
    close_world(&w);
}

// A free sheet between two pinned ones that close in on it, and then pass each other.
Test(self, pins_that_squeeze) {
    World w;
    open_world(&w, 3 * 36, 3 * 2 * 25);
    for (int s = 0; s < 3; ++s) {
        add_sheet(&w, 6, 0.1 * s, 0.2 * s);
    }
    for (int32_t i = 0; i < w.point_count; ++i) {
        w.inverse_mass[i] = i / 36 == 1 ? 10.0 : 0.0;
    }
    start(&w, 0.3, &TEAMS[0]);
    bool is_stuck = false;
    for (int k = 0; k < 30 && !is_stuck; ++k) {
        for (int32_t i = 0; i < w.point_count; ++i) {
            if (i / 36 != 1) {
                w.v[i] = hed_vec3(0.0, i / 36 == 0 ? 1.0 : -1.0, 0.0);
            }
        }
        is_stuck = advance(&w).reason == HED_SELF_STUCK;
        assert_apart(&w);
    }
    cr_assert(is_stuck); // 0.2 m are closed after 20 steps of 0.01 m
    close_world(&w);
}

// Contacts as forces: derivatives by differences, and forces add up to nothing.
Test(self, penalty) {
    World w;
    open_dart(&w, 0.012);
    start(&w, 0.5, &TEAMS[0]);
    kick(&w, 9, 0.01);
    cr_assert_eq(hed_self_find(&w.self, w.x, w.v, STEP, 1e5, NULL), HED_OK);
    cr_assert_eq(w.self.contacts.count, 1);
    const HedSelfContact* c = &w.self.contacts.data[0];
    cr_assert_eq(c->meeting, HED_POINT_TRIANGLE);
    cr_assert_float_eq(c->offset, 0.02, 0.01 * ROUNDING);
    // Smaller of 0.1 m^2 (the point's) and the mean over the face, 0.1 m^2.
    cr_assert_float_eq(c->stiffness, 1e4, 1e-9);
    // Soft over the 2 cm to keep: k d^2 / (2 c) at a depth of 8 mm.
    const double push = 1e4 * 0.008 * 0.008 / 0.04;
    cr_assert_float_eq(c->limit, 0.5 * push, push * ROUNDING);
    HedVec3 force[6] = {{0}};
    double power;
    double energy = hed_self_add_force(&w.self, w.x, w.v, force, &power);
    cr_assert_float_eq(energy, push * 0.008 / 3.0, ROUNDING);
    cr_assert_gt(power, 0.0);
    HedVec3 sum = {0};
    for (int i = 0; i < 6; ++i) {
        sum = hed_add3(sum, force[i]);
    }
    cr_assert_lt(hed_norm3(sum), push * ROUNDING);
    HedVec3 rest[6] = {{0}};
    HedVec3 still[6] = {{0}};
    hed_self_add_force(&w.self, w.x, still, rest, NULL);
    HedVec3 way[6], moved[6], product[6] = {{0}};
    const double eps = 1e-6;
    for (uint64_t i = 0; i < 6; ++i) {
        way[i] = hed_vec3(hed_random_uniform(8, 0, i), hed_random_uniform(8, 1, i),
                          hed_random_uniform(8, 2, i));
        moved[i] = hed_madd3(w.x[i], eps, way[i]);
    }
    HedVec3 after[6] = {{0}};
    double higher = hed_self_add_force(&w.self, moved, still, after, NULL);
    HedSelfScale scale = {1.0, 0.0};
    cr_assert_eq(hed_self_linearise(&w.self, w.x, still, scale, NULL), HED_OK);
    hed_self_multiply(&w.self, way, product);
    HedMat3 diagonal[6] = {{{{0}}}};
    hed_self_add_diagonal(&w.self, diagonal);
    double slope = 0.0;
    for (int i = 0; i < 6; ++i) {
        slope -= hed_dot3(rest[i], way[i]);
        HedVec3 change = hed_mul3(-1.0 / eps, hed_sub3(after[i], rest[i]));
        cr_assert_lt(hed_distance3(change, product[i]),
                     2e-6 * 1e4 / 0.02); // curvature k/c, times eps
    }
    double curve = 0.0;
    for (int i = 0; i < 6; ++i) {
        curve += hed_dot3(way[i], product[i]);
    }
    // eps^2/6 of k/c^2 = 2.5e7, times the cubes of motions of about a half.
    cr_assert_float_eq((higher - energy) / eps, slope + 0.5 * eps * curve, 1e-6);
    cr_assert_float_eq(diagonal[3].m[1][1], 1e4 * 0.008 / 0.02, 1e-6); // the point's weight is 1
    close_world(&w);
}

// A flat sheet whose thickness is more than its edges has no contacts with itself.
Test(self, neighbours_at_rest_are_no_contacts) {
    World w;
    open_world(&w, 225, 2 * 14 * 14);
    add_sheet(&w, 15, 0.0, 0.0);
    for (int32_t i = 0; i < w.point_count; ++i) {
        w.half_thickness[i] = 0.1; // edges are 1/14
    }
    start(&w, 0.0, &TEAMS[0]);
    w.self.tree.enable_culling = false;
    cr_assert_eq(hed_self_find(&w.self, w.x, w.v, STEP, 1e5, NULL), HED_OK);
    cr_assert_gt(hed_self_pair_count(&w.self), 1000);
    cr_assert_eq(w.self.contacts.count, 0);
    close_world(&w);
}

Test(self, repulsion) {
    World w;
    open_dart(&w, 0.012);
    start(&w, 0.0, &TEAMS[0]);
    HedSelfStep step = step_of(&w);
    HedSelfReport report;
    cr_assert_eq(hed_self_repel(&w.self, &step, 1e9, &report, NULL), HED_OK);
    cr_assert_eq(report.impact_count, 1);
    // However stiff, a tenth of the overlap of 0.008 m per step.
    HedVec3 place =
        hed_add3(hed_mul3(0.4, w.v[0]), hed_add3(hed_mul3(0.3, w.v[1]), hed_mul3(0.3, w.v[2])));
    cr_assert_float_eq(w.v[3].y - place.y, 0.1 * 0.008 / STEP, 1e-9);
    cr_assert_lt(hed_norm3(momentum(&w)), ROUNDING);
    close_world(&w);
}

Test(self, refused) {
    World w;
    open_dart(&w, 0.1);
    HedError error = {0};
    HedSelfDef def = def_of(&w, -1.0, &TEAMS[0]);
    cr_assert_eq(hed_self_create(&w.self, &def, &error), HED_INVALID);
    cr_assert_str_eq(error.message, "friction must not be negative, got -1");
    w.half_thickness[2] = 0.0;
    def = def_of(&w, 0.0, &TEAMS[0]);
    cr_assert_eq(hed_self_create(&w.self, &def, &error), HED_INVALID);
    cr_assert_str_eq(error.message, "point 2: half thickness must be positive and finite, got 0 m");
    w.half_thickness[2] = 0.01;
    w.rest[4].z = INFINITY;
    cr_assert_eq(hed_self_create(&w.self, &def, &error), HED_INVALID);
    w.rest[4].z = 0.0;
    w.triangles[5] = 6;
    cr_assert_eq(hed_self_create(&w.self, &def, &error), HED_INVALID);
    close_world(&w);
}

Test(self, no_memory) {
    World w;
    open_world(&w, 2 * 64, 2 * 2 * 49);
    add_sheet(&w, 8, 0.0, 0.0);
    add_sheet(&w, 8, 0.02, 0.3);
    HedSelfDef def = def_of(&w, 0.1, &TEAMS[0]);
    HedStatus status = HED_NO_MEMORY;
    int64_t live = hed_alloc_stats().live_count;
    for (int64_t n = 1; status != HED_OK; ++n) {
        memset(w.v, 0, (size_t)w.point_count * sizeof(HedVec3));
        kick(&w, 1, 2.0 / 7.0 / STEP);
        for (int32_t i = 0; i < w.point_count; ++i) {
            w.end[i] = hed_madd3(w.x[i], STEP, w.v[i]);
        }
        hed_alloc_fail_at(n);
        status = hed_self_create(&w.self, &def, NULL);
        HedSelfStep step = step_of(&w);
        HedSelfReport report;
        if (status == HED_OK) {
            status = hed_self_resolve(&w.self, &step, &report, NULL);
        }
        if (status == HED_OK) {
            status = hed_self_find(&w.self, w.x, w.v, STEP, 1.0, NULL);
        }
        hed_alloc_fail_at(0);
        cr_assert(status == HED_OK || status == HED_NO_MEMORY);
        hed_self_free(&w.self);
        cr_assert_eq(hed_alloc_stats().live_count, live);
    }
    close_world(&w);
}
