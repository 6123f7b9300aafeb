// SPDX-License-Identifier: MIT
// Friction between yarns on small set-ups: a yarn pressed between two others, driven along itself
// by a force or a motion, with an integrator of its own.
#include "contact/yarn_contact.h"
#include "contact/yarn_friction.h"

#include "base/random.h"

#include <criterion/criterion.h>
#include <string.h>

// Relative: sums over some hundred points.
static const double ROUNDING = 1e-13;

static const HedTeam ONE = {.threads = 1};
static const HedTeam TWO = {.threads = 2};

enum { SLIDER = 25, CROSS = 9, POINTS = SLIDER + 2 * CROSS, CURVES = 3 };

static const double R = 0.5e-3;     // m, radius
static const double PIECE = 0.9e-3; // m, length of a segment
static const double SQUEEZE = 0.92; // distance of centre lines over 2 R
static const double MASS = 5e-6;    // kg, of the slider
static const double MU = 0.3;

// A slider along x, one yarn across it above and one below. Only the slider moves.
typedef struct Rig {
    HedCubicSegment segments[POINTS];
    double rest_length[POINTS];
    HedYarnCurve curves[CURVES];
    HedVec3 x[POINTS], v[POINTS], force[POINTS];
    HedYarnContact contact;
    double s, speed; // m, m/s: the slider's motion
    double drag;     // N, friction and contact on the slider, along its way, of the last evaluation
    HedYarnSum sum;
    double heat; // J
} Rig;

static void place_slider(Rig* rig) {
    for (int i = 0; i < SLIDER; ++i) {
        rig->x[i] = hed_vec3(rig->s + PIECE * (i - SLIDER / 2), 0.0, 0.0);
        rig->v[i] = hed_vec3(rig->speed, 0.0, 0.0);
    }
}

static void open_rig(Rig* rig, HedYarnFriction law, double angle) {
    static const int32_t COUNT[CURVES] = {SLIDER, CROSS, CROSS};
    HedYarnContactDef def = hed_yarn_contact_def_default();
    int32_t points = 0, segments = 0;
    *rig = (Rig){0};
    place_slider(rig);
    for (int i = 0; i < 2 * CROSS; ++i) {
        double along = PIECE * (i % CROSS - CROSS / 2);
        double side = i < CROSS ? 1.0 : -1.0;
        rig->x[SLIDER + i] =
            hed_vec3(along * cos(angle), side * 2.0 * R * SQUEEZE, along * sin(angle));
    }
    for (int c = 0; c < CURVES; ++c) {
        rig->curves[c] =
            (HedYarnCurve){HED_CUBIC_CATMULL_ROM, segments, COUNT[c] - 1, false, R, 100.0};
        for (int k = 0; k < COUNT[c] - 1; ++k) {
            rig->segments[segments] =
                hed_cubic_segment(HED_CUBIC_CATMULL_ROM, points, COUNT[c], false, k);
            rig->rest_length[segments++] = PIECE;
        }
        points += COUNT[c];
    }
    def.point_count = POINTS;
    def.segments = rig->segments;
    def.rest_length = rig->rest_length;
    def.segment_count = segments;
    def.curves = rig->curves;
    def.curve_count = CURVES;
    def.friction_law = law;
    def.friction = MU;
    def.team = &ONE;
    HedError error = {0};
    HedStatus status = hed_yarn_contact_create(&rig->contact, &def, &error);
    cr_assert_eq(status, HED_OK, "%s", error.message);
}

static void evaluate(Rig* rig, double ahead) {
    HedError error = {0};
    place_slider(rig);
    memset(rig->force, 0, sizeof rig->force);
    cr_assert_eq(hed_yarn_update(&rig->contact, rig->x, &error), HED_OK, "%s", error.message);
    rig->sum = hed_yarn_add_force(&rig->contact, (HedYarnState){rig->x, rig->v, ahead}, rig->force);
    rig->drag = 0.0;
    for (int i = 0; i < SLIDER; ++i) {
        rig->drag -= rig->force[i].x;
    }
}

// One step under a force along x (symplectic Euler), or at the present speed if mass is 0.
static void step(Rig* rig, double force, double mass, double h) {
    evaluate(rig, 3.0 * h);
    rig->speed += mass > 0.0 ? h * (force - rig->drag) / mass : 0.0;
    rig->s += h * rig->speed;
    place_slider(rig);
    rig->heat += hed_yarn_advance(&rig->contact, (HedYarnState){rig->x, rig->v, 0.0}, h);
}

// Normal force on both sides, added up: what friction can hold over mu.
static double squeeze(Rig* rig) {
    double push = 0.0;
    evaluate(rig, 0.0);
    for (int i = SLIDER; i < SLIDER + CROSS; ++i) {
        push += rig->force[i].y;
    }
    return 2.0 * push;
}

// Where along its way the contacts of the slider stand: within a segment, and astride two.
static const double STARTS[3] = {0.0, 0.27e-3, 0.45e-3};

// What docs/yarn-contact.md promises of the force while a yarn slides, over mu N.
static const double PROMISED = 0.03; // quadrature, and segments that take contacts over

Test(yarn_friction, holds_below_and_slides_above_the_limit) {
    for (int k = 0; k < 6; ++k) {
        Rig rig;
        open_rig(&rig, HED_YARN_STICTION, k < 3 ? 1.5707963 : 0.6);
        rig.s = STARTS[k % 3];
        double limit = MU * squeeze(&rig);
        double h = 2e-6, start = rig.s;
        // Loaded slowly, so that inertia does not overshoot.
        for (int n = 0; n < 20000; ++n) {
            step(&rig, 0.97 * limit * fmin(1.0, n / 15000.0), MASS, h);
        }
        // The presliding distance is 0.04 R.
        cr_assert_lt(fabs(rig.s - start), 0.0405 * R, "went %g R", (rig.s - start) / R);
        // m/s: a tenth of what counts as sliding.
        cr_assert_lt(fabs(rig.speed), 1e-4);
        double there = rig.s;
        for (int n = 0; n < 5000; ++n) {
            step(&rig, 1.03 * limit, MASS, h);
        }
        cr_assert_gt(rig.s - there, 0.2 * R, "should slide, but went %g R", (rig.s - there) / R);
        hed_yarn_contact_free(&rig.contact);
    }
}

// Slowly over four segments: the force is Coulomb's at every place, also where contacts go over
// from one segment to the next; its work becomes heat.
Test(yarn_friction, slides_evenly_over_segments) {
    Rig rig;
    open_rig(&rig, HED_YARN_STICTION, 1.5707963);
    double limit = MU * squeeze(&rig);
    double h = 1e-4, work = 0.0;
    rig.speed = 0.01;
    for (int n = 0; n < 3600; ++n) {
        step(&rig, 0.0, 0.0, h);
        work += rig.drag * rig.speed * h;
        if (n > 100) {
            cr_assert_float_eq(rig.drag, limit, PROMISED * limit, "at %g mm: %g of the limit",
                               1e3 * rig.s, rig.drag / limit);
        }
    }
    // What contacts store: half of 0.04 R of a path of 3.6 mm is 0.28 %.
    cr_assert_float_eq(rig.heat, work, 3e-3 * work, "%g J of %g", rig.heat, work);
    hed_yarn_contact_free(&rig.contact);
}

// To and fro with an amplitude of 0.1 R: second and third round trace one loop, which holds the
// energy 4 F a less what the contacts give elastically.
Test(yarn_friction, hysteresis_loops_close) {
    Rig rig;
    open_rig(&rig, HED_YARN_STICTION, 1.5707963);
    double limit = MU * squeeze(&rig);
    enum { ROUND = 2000 };
    double force[2][ROUND], work[2] = {0.0, 0.0};
    double a = 0.1 * R, h = 1e-4, w = 6.283185307179586 / (ROUND * h);
    for (int n = 0; n < 3 * ROUND; ++n) {
        rig.speed = a * (sin(w * h * (n + 1)) - sin(w * h * n)) / h;
        step(&rig, 0.0, 0.0, h);
        if (n >= ROUND) {
            force[n / ROUND - 1][n % ROUND] = rig.drag;
            work[n / ROUND - 1] += rig.drag * rig.speed * h;
        }
    }
    for (int n = 0; n < ROUND; ++n) {
        // Both see the same motion, to the rounding of sines, over 0.04 R.
        cr_assert_float_eq(force[0][n], force[1][n], 1e-8 * limit);
    }
    // Each turn gives up 2 presliding distances of 0.04 R before it slides: 4 F (a - 0.04 R).
    double expected = 4.0 * limit * (a - 0.04 * R);
    cr_assert_float_eq(work[1], expected, PROMISED * expected, "%g J instead of %g", work[1],
                       expected);
    // The same motion, as above.
    cr_assert_float_eq(work[0], work[1], 1e-8 * expected);
    hed_yarn_contact_free(&rig.contact);
}

// Half the limit, and the other yarns shake a little across: nothing creeps.
Test(yarn_friction, nothing_creeps_at_rest) {
    Rig rig;
    open_rig(&rig, HED_YARN_STICTION, 1.5707963);
    rig.s = 0.3e-3;
    double limit = MU * squeeze(&rig);
    double h = 2e-6, at[3];
    for (int part = 0; part < 3; ++part) {
        for (int n = 0; n < 15000; ++n) {
            step(&rig, 0.5 * limit * (part == 0 ? fmin(1.0, n / 5000.0) : 1.0), MASS, h);
        }
        at[part] = rig.s;
    }
    // What is left of the shaking; creep would go on by more than that in each step.
    cr_assert_float_eq(at[1], at[2], 1e-9 * R, "creeps by %g R", (at[2] - at[1]) / R);
    hed_yarn_contact_free(&rig.contact);
}

Test(yarn_friction, kinetic_alone_slides_under_any_force) {
    Rig rig;
    open_rig(&rig, HED_YARN_KINETIC, 1.5707963);
    double limit = MU * squeeze(&rig);
    rig.speed = 0.1;
    evaluate(&rig, 0.0);
    cr_assert_float_eq(rig.drag, limit, PROMISED * limit);
    cr_assert_float_eq(rig.sum.rubbed, limit * rig.speed, PROMISED * limit * rig.speed);
    rig.speed = 0.5e-3; // half of what counts as sliding
    evaluate(&rig, 0.0);
    // As above, but the same for both halves.
    cr_assert_float_eq(rig.drag, 0.5 * limit, 1e-3 * limit);
    hed_yarn_contact_free(&rig.contact);
}

static double draw(uint64_t stream, int64_t k) {
    return hed_random_uniform(9, stream, (uint64_t)k) - 0.5;
}

// The rig bent out of shape, with strains everywhere.
static void shake(Rig* rig) {
    squeeze(rig);
    for (int i = 0; i < POINTS; ++i) {
        rig->x[i] = hed_madd3(rig->x[i], 0.05e-3, hed_vec3(draw(1, i), draw(2, i), draw(3, i)));
        rig->v[i] = hed_vec3(draw(4, i), draw(5, i), draw(6, i));
    }
    cr_assert_eq(hed_yarn_update(&rig->contact, rig->x, NULL), HED_OK);
    memset(rig->force, 0, sizeof rig->force);
    hed_yarn_add_force(&rig->contact, (HedYarnState){rig->x, rig->v, 1e-4}, rig->force);
    hed_yarn_advance(&rig->contact, (HedYarnState){rig->x, rig->v, 0.0}, 2e-5);
}

// Forces of friction sum to nothing; power is what the sum says. (Moments: test_yarn_slip.c.)
Test(yarn_friction, conserves_momentum_and_counts_power) {
    Rig rig;
    open_rig(&rig, HED_YARN_STICTION, 1.1);
    shake(&rig);
    HedYarnState at = {rig.x, rig.v, 1e-4};
    HedVec3 with[POINTS] = {{0}}, without[POINTS] = {{0}};
    HedYarnSum sum = hed_yarn_add_force(&rig.contact, at, with);
    rig.contact.def.friction = 0.0;
    hed_yarn_add_force(&rig.contact, at, without);
    HedVec3 total = {0};
    double power = 0.0, size = 0.0;
    for (int i = 0; i < POINTS; ++i) {
        HedVec3 f = hed_sub3(with[i], without[i]);
        total = hed_add3(total, f);
        power -= hed_dot3(f, rig.v[i]);
        size = fmax(size, hed_norm3(f));
    }
    // N: friction is there; normal forces are some hundredths.
    cr_assert_gt(size, 1e-3);
    cr_assert_gt(sum.rubbed, 0.0);
    cr_assert_lt(hed_norm3(total), ROUNDING * size);
    cr_assert_float_eq(sum.rubbed, power, ROUNDING * power);
    hed_yarn_contact_free(&rig.contact);
}

// The product is the derivative of the forces by the velocities.
Test(yarn_friction, product_is_the_derivative) {
    for (int law = HED_YARN_STICTION; law <= HED_YARN_KINETIC; ++law) {
        Rig rig;
        open_rig(&rig, (HedYarnFriction)law, 1.1);
        shake(&rig);
        HedVec3 from[POINTS], low[POINTS] = {{0}}, high[POINTS] = {{0}}, product[POINTS] = {{0}};
        double most = 0.0, e = 1e-6;
        HedYarnState at = {rig.x, rig.v, 1e-4};
        HedVec3 v[POINTS];
        for (int i = 0; i < POINTS; ++i) {
            from[i] = hed_vec3(draw(7, i), draw(8, i), draw(9, i));
            v[i] = rig.v[i];
        }
        hed_yarn_add_force(&rig.contact, at, low);
        cr_assert_eq(hed_yarn_linearise(&rig.contact, at, (HedYarnScale){0.0, 1.0, false}, NULL),
                     HED_OK);
        hed_yarn_multiply(&rig.contact, from, product);
        memset(low, 0, sizeof low);
        for (int i = 0; i < POINTS; ++i) {
            rig.v[i] = hed_madd3(v[i], -e, from[i]);
        }
        hed_yarn_add_force(&rig.contact, at, low);
        for (int i = 0; i < POINTS; ++i) {
            rig.v[i] = hed_madd3(v[i], e, from[i]);
            most = fmax(most, hed_norm3(product[i]));
        }
        hed_yarn_add_force(&rig.contact, at, high);
        cr_assert_gt(most, 0.0);
        for (int i = 0; i < POINTS; ++i) {
            HedVec3 d = hed_mul3(-0.5 / e, hed_sub3(high[i], low[i]));
            // Central differences of forces of 1 N at 1e-6: rounding of 1e-10, truncation of less.
            cr_assert_lt(hed_distance3(d, product[i]), 1e-6 * most, "point %d: %g", i,
                         hed_distance3(d, product[i]) / most);
        }
        hed_yarn_contact_free(&rig.contact);
    }
}

// Saved and taken back elsewhere, it goes on to the last bit, with another list and team.
Test(yarn_friction, memory_goes_on) {
    Rig *a = HED_NEW(Rig), *b = HED_NEW(Rig);
    HedYarnMemory memory = {0};
    HedError error = {0};
    open_rig(a, HED_YARN_STICTION, 1.1);
    open_rig(b, HED_YARN_STICTION, 1.1);
    b->contact.def.team = &TWO;
    double limit = MU * squeeze(a);
    for (int n = 0; n < 300; ++n) {
        step(a, 1.2 * limit, MASS, 5e-6);
    }
    cr_assert_eq(hed_yarn_save(&a->contact, &memory, &error), HED_OK);
    cr_assert_gt(memory.pair.count, 0);
    b->s = a->s;
    b->speed = a->speed;
    place_slider(b);
    cr_assert_eq(hed_yarn_restore(&b->contact, b->x, &memory, &error), HED_OK, "%s", error.message);
    for (int n = 0; n < 300; ++n) {
        step(a, 0.5 * limit, MASS, 5e-6);
        step(b, 0.5 * limit, MASS, 5e-6);
    }
    cr_assert_eq(a->s, b->s);
    cr_assert_eq(a->speed, b->speed);
    memory.value.data[1] = NAN;
    cr_assert_eq(hed_yarn_restore(&b->contact, b->x, &memory, &error), HED_INVALID);
    memory.value.data[1] = 0.0;
    memory.pair.data[0] = -1;
    cr_assert_eq(hed_yarn_restore(&b->contact, b->x, &memory, &error), HED_INVALID);
    memory.pair.count -= 1;
    cr_assert_eq(hed_yarn_restore(&b->contact, b->x, &memory, &error), HED_INVALID);
    hed_yarn_memory_free(&memory);
    hed_yarn_contact_free(&a->contact);
    hed_yarn_contact_free(&b->contact);
    hed_free(a);
    hed_free(b);
}
