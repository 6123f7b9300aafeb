// SPDX-License-Identifier: MIT
// Free motion of sliding yarns: momentum, nodes that move along their yarns, damping that does not
// see a turn of the whole, and a straight yarn hit sideways.
#include "eol/eol.h"
#include "support/eol_steps.h"
#include "support/nets.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double PARTIAL[4096];
static HedTeam TEAM = {1, PARTIAL, 4096};

static const double SOLVED = 1e-9; // m/s: tolerance of steps

// Without damping and friction; what is wanted is set by the caller.
static HedSlidingDef bare(void) {
    HedSlidingDef def = hed_sliding_def_default();
    def.friction = 0.0;
    def.stretch_damping = def.bend_damping = def.shear_damping = (HedSlidingDamping){0};
    return def;
}

// The same with yarns that stick to each other: springs of friction take no energy.
static HedSlidingDef stuck(void) {
    HedSlidingDef def = bare();
    def.friction = 0.3;
    def.crossing_preload = 10.0;
    return def;
}

static HedEol* make(HedNet* net, HedSlidingDef def) {
    HedError error = {0};
    HedEol* eol = NULL;
    HedEolSettings settings = {.preconditioner = HED_PRECONDITION_AUTO};
    for (int32_t n = 0; n < net->node_count; ++n) {
        net->nodes[n].position.z = 0.0; // flat: pieces are straight
    }
    def.net = net;
    cr_assert_eq(hed_eol_create(&def, &settings, &TEAM, &eol, &error), HED_OK, "%s", error.message);
    return eol;
}

static void go(HedEol* eol, double h, int steps) {
    for (int k = 0; k < steps; ++k) {
        TestSlideStep one = {.h = h, .tolerance = SOLVED};
        cr_assert_eq(test_slide_step(eol, &one), HED_NEWTON_CONVERGED);
    }
}

static double* at(double* values, int32_t node) {
    return values + (int64_t)HED_NODE_SIZE * node;
}

static HedVec3 first3(const double* values) {
    return (HedVec3){values[0], values[1], values[2]};
}

typedef struct Moments {
    HedVec3 momentum; // kg m/s
    HedVec3 angular;  // kg m^2/s
    double kinetic, potential, mass;
} Moments;

// kg m/s, of a node by masses that are given: (M v)_x.
static HedVec3 carried(const HedEolMass* m, const double* v) {
    HedVec3 p = hed_mul3(m->mass, first3(v));
    for (int s = 0; s < 2; ++s) {
        HedVec3 along = {m->coupling[s][0], m->coupling[s][1], m->coupling[s][2]};
        p = hed_madd3(p, v[3 + s], along);
    }
    return p;
}

static Moments moments_of(HedEol* eol) {
    Moments all = {0};
    double sums[HED_EOL_SUMS];
    hed_eol_energies(eol, sums, &all.kinetic);
    for (int32_t i = 0; i < eol->node_count; ++i) {
        HedVec3 p = carried(&eol->mass[i], at(eol->v, i));
        all.mass += eol->mass[i].mass;
        all.momentum = hed_add3(all.momentum, p);
        all.angular = hed_add3(all.angular, hed_cross3(first3(at(eol->q, i)), p));
    }
    for (int k = 0; k < HED_EOL_ENERGY_COUNT; ++k) {
        all.potential += sums[k];
    }
    return all;
}

// --- momentum

// It flies, turns about an axis and is bent by a start that differs from node to node.
static HedEol* thrown(HedNet* net, HedSlidingDef def) {
    test_net_weave(8, 7, net);
    HedEol* eol = make(net, def);
    const HedVec3 spin = {30.0, -20.0, 40.0};
    for (int32_t i = 0; i < eol->node_count; ++i) {
        HedVec3 x = first3(at(eol->q, i));
        HedVec3 v = hed_add3((HedVec3){0.3, 0.1, -0.2}, hed_cross3(spin, x));
        v.z += 0.1 * cos(3000.0 * x.x);
        v.x += 0.02 * sin(2500.0 * x.y);
        memcpy(at(eol->v, i), &v, sizeof v);
    }
    return eol;
}

// Parts of the momentum and of the angular momentum of the start.
typedef struct Drift {
    double momentum; // at the end, by masses of the end: first order in the step where yarns slide
    double angular;
    double handed; // the momentum that steps hand to each other: by masses of their starts
    double torque; // that forces of a step exert in all
} Drift;

// What the forces of one step exert on the whole, times its size: M (v1 - v0) + h c by masses and
// flow of its start, at places of its end, where its forces act.
static HedVec3 torque_of(const HedEol* eol, double* before, double h) {
    HedVec3 sum = {0};
    for (int32_t i = 0; i < eol->node_count; ++i) {
        double change[HED_NODE_SIZE];
        for (int c = 0; c < HED_NODE_SIZE; ++c) {
            change[c] = at(eol->v, i)[c] - at(before, i)[c];
        }
        HedVec3 p = carried(&eol->mass[i], change);
        if (eol->flow) {
            p = hed_madd3(p, h, first3(at(eol->flow, i)));
        }
        sum = hed_add3(sum, hed_cross3(first3(at(eol->q, i)), p));
    }
    return sum;
}

static Drift drift_with(HedSlidingDef def, double h, double time) {
    HedNet net = {0};
    HedEol* eol = thrown(&net, def);
    Moments first = moments_of(eol);
    HedVec3 torque = {0}, handed = {0};
    size_t bytes = sizeof(double) * HED_NODE_SIZE * (size_t)eol->node_count;
    double* before = malloc(bytes);
    for (int k = 0; k < (int)(time / h + 0.5); ++k) {
        memcpy(before, eol->v, bytes);
        go(eol, h, 1);
        torque = hed_add3(torque, torque_of(eol, before, h));
    }
    for (int32_t i = 0; i < eol->node_count; ++i) {
        handed = hed_add3(handed, carried(&eol->mass[i], at(eol->v, i)));
    }
    Moments last = moments_of(eol);
    Drift drift = {
        hed_distance3(last.momentum, first.momentum) / hed_norm3(first.momentum),
        hed_distance3(last.angular, first.angular) / hed_norm3(first.angular),
        hed_distance3(handed, first.momentum) / hed_norm3(first.momentum),
        hed_norm3(torque) / hed_norm3(first.angular),
    };
    free(before);
    hed_eol_destroy(eol);
    hed_net_free(&net);
    return drift;
}

static void print_drift(const char* what, const Drift d[2]) {
    printf("%s: momentum off by %.1e and %.1e, as handed on %.1e and %.1e; angular momentum by "
           "%.2e and %.2e, torque %.1e and %.1e\n",
           what, d[0].momentum, d[1].momentum, d[0].handed, d[1].handed, d[0].angular, d[1].angular,
           d[0].torque, d[1].torque);
}

// Forces within cancel, and so do their torques, as far as steps are solved: each may leave SOLVED
// of the 0.4 m/s that all moves at, in 40 steps 1e-7 if all erred the same way. Backward Euler
// moves places by the velocity of the end, which loses angular momentum at the rate h omega^2
// though there is no torque: first order in the step.
Test(sliding_motion, momentum_is_kept) {
    const double time = 4e-3, solved = 40.0 * SOLVED / 0.4;
    HedSlidingDef running = bare();
    running.convection = true;
    Drift sticks[2], slides[2], bare_of_flow[2];
    for (int k = 0; k < 2; ++k) {
        double h = k == 0 ? 2e-4 : 1e-4;
        sticks[k] = drift_with(stuck(), h, time);
        slides[k] = drift_with(running, h, time);
        bare_of_flow[k] = drift_with(bare(), h, time);
    }
    print_drift("yarns that stick", sticks);
    print_drift("that slide freely", slides);
    print_drift("the same without convection", bare_of_flow);
    for (int k = 0; k < 2; ++k) {
        cr_assert_lt(sticks[k].handed, solved);
        cr_assert_lt(sticks[k].torque, solved);
        cr_assert_lt(slides[k].handed, solved);
        cr_assert_lt(slides[k].torque, solved);
    }
    // First order: half of the step leaves half of the error, but for a fifth of second
    // order.
    cr_assert_float_eq(sticks[1].angular / sticks[0].angular, 0.5, 0.1);
    // The same.
    cr_assert_float_eq(slides[1].angular / slides[0].angular, 0.5, 0.1);
    // Without it, forces of Coriolis on material that runs are left out, whatever the step.
    cr_assert_gt(bare_of_flow[1].angular, 10.0 * slides[1].angular);
}

// --- nodes that move along their yarns

// Stretches the warp evenly, which leaves everything else at rest.
static void stretch_warp(HedEol* eol, double by) {
    for (int32_t i = 0; i < eol->node_count; ++i) {
        at(eol->q, i)[1] *= by;
    }
}

// One pick moves along the warp, with as much of its material: only the pick itself moves.
Test(sliding_motion, resampling_changes_no_energy) {
    const double ratio = 1.02;
    HedNet net = {0};
    test_net_weave(6, 7, &net);
    HedSlidingDef def = bare();
    HedEol* eol = make(&net, def);
    stretch_warp(eol, ratio);
    Moments before = moments_of(eol);
    const HedNetYarn* pick = &net.yarns[6 + 3];
    for (int32_t k = 0; k < pick->count; ++k) {
        int32_t node = eol->number[net.visits[pick->first + k].node];
        double shift = 0.05 * net.spacing;
        at(eol->q, node)[1] += ratio * shift;
        if (k > 0 && k + 1 < pick->count) {
            at(eol->q, node)[3] += shift;
        }
    }
    Moments after = moments_of(eol);
    cr_assert_gt(before.potential, 0.0);
    // Sums of a hundred numbers.
    cr_assert_float_eq(after.potential, before.potential, 1e-12 * before.potential);
    hed_eol_destroy(eol);
    hed_net_free(&net);
}

// --- damping

// Part of its kinetic energy that a cloth keeps which turns about its middle.
static double kept_by_turning(HedSlidingDef def) {
    HedNet net = {0};
    test_net_weave(6, 6, &net);
    HedEol* eol = make(&net, def);
    for (int32_t i = 0; i < eol->node_count; ++i) {
        HedVec3 v = hed_cross3((HedVec3){0.0, 0.0, 20.0}, first3(at(eol->q, i)));
        memcpy(at(eol->v, i), &v, sizeof v);
    }
    double before = moments_of(eol).kinetic;
    go(eol, 1e-3, 20);
    double kept = moments_of(eol).kinetic / before;
    hed_eol_destroy(eol);
    hed_net_free(&net);
    return kept;
}

// No damping knows of a turn; what backward Euler takes is the same with and without.
Test(sliding_motion, a_turn_is_not_damped) {
    HedSlidingDef def = stuck();
    double none = kept_by_turning(def);
    def.stretch_damping.time = def.bend_damping.time = def.shear_damping.time = 0.03;
    double damped = kept_by_turning(def);
    printf("of a turn are kept: %.6f without damping, %.6f with\n", none, damped);
    // A damping that takes a turn for strain sees (omega h)^2/2 = 2e-4 in each of the 20 steps.
    cr_assert_float_eq(damped, none, 1e-4 * none);
}

typedef struct Hit {
    double kinetic, aside; // J; m/s, largest velocity along the cloth
    double middle;         // m/s, of what was hit
} Hit;

// Hits the middle of a flat cloth across it, every yarn exactly straight.
static Hit hit(double speed, double damping) {
    HedNet net = {0};
    test_net_weave(7, 7, &net);
    HedSlidingDef def = bare();
    def.bend_damping.density = damping;
    HedEol* eol = make(&net, def);
    int32_t node = eol->number[net.visits[net.yarns[3].first + 4].node];
    at(eol->v, node)[2] = speed;
    go(eol, 1e-5, 5);
    Hit seen = {.kinetic = moments_of(eol).kinetic, .middle = at(eol->v, node)[2]};
    for (int32_t i = 0; i < eol->node_count; ++i) {
        const double* v = at(eol->v, i);
        for (int c = 0; c < HED_NODE_SIZE; ++c) {
            cr_assert(isfinite(v[c]));
        }
        seen.aside = fmax(seen.aside, fabs(v[0]) + fabs(v[1]));
    }
    hed_eol_destroy(eol);
    hed_net_free(&net);
    return seen;
}

Test(sliding_motion, straight_yarns_hit_sideways_are_damped) {
    const double speed = 1e-3, damping = 1e-12;
    Hit none = hit(speed, 0.0);
    Hit up = hit(speed, damping);
    Hit down = hit(-speed, damping);
    printf("kinetic energy after a hit: %.3e J, %.3e J with damping\n", none.kinetic, up.kinetic);
    cr_assert_lt(up.kinetic, 0.9 * none.kinetic);
    // The direction is that of the hit, on whichever side, and no other.
    cr_assert_float_eq(up.middle, -down.middle, 1e-6 * speed);
    // Mirror images: they differ by rounding alone.
    cr_assert_float_eq(up.kinetic, down.kinetic, 1e-12 * up.kinetic);
    cr_assert_lt(up.aside, 1e-3 * speed); // second order in the hit: it goes 1e-5 of a spacing
}
