// SPDX-License-Identifier: MIT
// One crossing of two sliding yarns, pulled along both: friction between them has one limit, in
// whatever direction they slide past each other.
#include "base/alloc.h"
#include "eol/eol.h"
#include "support/eol_steps.h"
#include "support/nets.h"

#include <criterion/criterion.h>
#include <math.h>

static double PARTIAL[4096];
static HedTeam TEAM = {1, PARTIAL, 4096};

static const double MU = 0.3;
static const double PUSH = 1e-3; // N
static const double DEGREE = 3.14159265358979323846 / 180.0;

typedef struct Crossing {
    HedNet net;
    HedEol* eol;
    int32_t node;
    HedVec3 pulled[2]; // m, way of the ends that are pulled
} Crossing;

// The two yarns make an angle. Thin: their own pull presses them on nothing.
static Crossing make(double angle) {
    Crossing c = {.net = {0}};
    HedError error = {0};
    test_net_weave(1, 1, &c.net);
    for (int32_t y = 0; y < 2; ++y) {
        c.net.yarns[y].radius = 1e-7;
    }
    // Sheared: the warp's x by its y.
    for (int32_t n = 0; n < c.net.node_count; ++n) {
        HedVec3* x = &c.net.nodes[n].position;
        *x = hed_vec3(x->x + cos(angle) * x->y, sin(angle) * x->y, 0.0);
    }
    HedSlidingDef def = hed_sliding_def_default();
    def.net = &c.net;
    def.crossing_preload = PUSH;
    def.friction = MU;
    def.shear = 0.0;
    HedEolSettings settings = {.preconditioner = HED_PRECONDITION_AUTO};
    cr_assert_eq(hed_eol_create(&def, &settings, &TEAM, &c.eol, &error), HED_OK, "%s",
                 error.message);
    c.eol->load = HED_NEW_ARRAY(HedVec3, c.eol->node_count);
    for (int32_t n = 0; n < c.net.node_count; ++n) {
        c.node = c.net.nodes[n].sign != 0 ? n : c.node;
    }
    return c;
}

static void end(Crossing* c) {
    hed_eol_destroy(c->eol);
    hed_net_free(&c->net);
}

// Pulls each yarn at its far end, along itself, by so much, and holds the crossing in space.
static void pull(Crossing* c, const double force[2], int steps) {
    HedEol* eol = c->eol;
    HedVec3 centre = c->net.nodes[c->node].position;
    TestHold hold = {eol->number[c->node], false, centre};
    for (int s = 0; s < 2; ++s) {
        const HedNetVisit* visit = &c->net.visits[c->net.nodes[c->node].visit[s]];
        int32_t far = (visit + 1)->node;
        HedVec3 along = hed_unit3(hed_sub3(c->net.nodes[far].position, centre), (HedVec3){0});
        eol->load[eol->number[far]] = hed_mul3(force[s], along);
    }
    for (int k = 0; k < steps; ++k) {
        TestSlideStep one = {.h = 5e-5, .tolerance = 1e-6, .holds = &hold, .hold_count = 1};
        HedNewtonReason reason = test_slide_step(eol, &one);
        cr_assert_eq(reason, HED_NEWTON_CONVERGED, "step %d: reason %d", k, (int)reason);
    }
}

// m, how far both materials have moved at the crossing.
static void slips(const Crossing* c, double slip[2]) {
    const double* q = c->eol->q + (int64_t)HED_NODE_SIZE * c->eol->number[c->node];
    for (int s = 0; s < 2; ++s) {
        slip[s] = c->net.visits[c->net.nodes[c->node].visit[s]].at - q[3 + s];
    }
}

// With a total of 0.99 of the limit nothing moves but springs (0.1 um) and the yarn's own stretch;
// with 1.01 of it what is left, 3 uN, moves some 10 ug by some 0.1 mm in 0.8 ms, along the pull.
Test(crossing, slips_at_mu_times_push_in_any_direction) {
    TEAM.threads = 1;
    for (int k = 0; k <= 6; ++k) {
        double direction = 15.0 * k * DEGREE;
        for (int over = 0; over < 2; ++over) {
            double total = (over ? 1.01 : 0.99) * MU * PUSH;
            double force[2] = {total * cos(direction), total * sin(direction)};
            double slip[2];
            Crossing c = make(90.0 * DEGREE);
            pull(&c, force, 16);
            slips(&c, slip);
            double way = hypot(slip[0], slip[1]);
            if (over) {
                // A part of the 0.1 mm, for yarns stretch first.
                cr_expect_gt(way, 2e-5, "%d degrees: %g m", 15 * k, way);
                double went = atan2(slip[1], slip[0]);
                // Both yarns are equally heavy and pulled from rest.
                cr_expect_float_eq(went, direction, 1.0 * DEGREE, "%g, not %g", went, direction);
            } else {
                // Springs and stretch: ten times what they come to.
                cr_expect_lt(way, 1e-6, "%d degrees: %g m", 15 * k, way);
            }
            end(&c);
        }
    }
}

// Yarns at an angle with cosine c. The force on places is f B's, B = (a, -b) the directions of the
// yarns and s that of the slip: pulls of F on both, s = B^-T (F, F)/f. With B'B = (1, -c; -c, 1)
// that is F^2 (1, 1) (B'B)^-1 (1, 1) = f^2, F = f sqrt((1 - c)/2).
Test(crossing, oblique_yarns_share_the_limit_of_their_plane) {
    TEAM.threads = 1;
    const double angles[] = {40.0, 60.0, 120.0};
    for (int k = 0; k < 6; ++k) {
        double angle = angles[k / 2] * DEGREE;
        double force = (k % 2 ? 1.01 : 0.99) * MU * PUSH * sqrt(0.5 * (1.0 - cos(angle)));
        double slip[2];
        Crossing c = make(angle);
        pull(&c, (double[]){force, force}, 16);
        slips(&c, slip);
        double way = hypot(slip[0], slip[1]);
        if (k % 2) {
            // As above.
            cr_expect_gt(way, 2e-5, "%g degrees: %g m", angles[k / 2], way);
        } else {
            // As above.
            cr_expect_lt(way, 1e-6, "%g degrees: %g m", angles[k / 2], way);
        }
        end(&c);
    }
}
