// SPDX-License-Identifier: MIT
// Yarns that bend off their crossings (docs/eol.md, section 2.5): derivatives, crimp that is
// elastic, and what steps make of it.
#include "base/random.h"
#include "eol/eol.h"
#include "support/eol_steps.h"
#include "support/nets.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double PARTIAL[4096];

static HedEol* make(const HedNet* net, HedSlidingDef def, const HedTeam* team) {
    HedError error = {0};
    HedEol* eol = NULL;
    HedEolSettings settings = {
        .gravity = {0.0, 0.0, -9.81},
        .preconditioner = HED_PRECONDITION_AUTO,
    };
    def.net = net;
    cr_assert_eq(hed_eol_create(&def, &settings, team, &eol, &error), HED_OK, "%s", error.message);
    memcpy(eol->start, eol->q, sizeof(double) * HED_NODE_SIZE * (size_t)eol->node_count);
    return eol;
}

static HedTeam TEAM = {1, PARTIAL, 4096};

static int32_t size_of(const HedEol* eol) {
    return HED_NODE_SIZE * eol->node_count;
}

// Bending alone.
static HedSlidingDef bent(double thickness, double set) {
    HedSlidingDef def = hed_sliding_def_default();
    def.thickness = thickness;
    def.set_fraction = set;
    def.shear = def.jam_stiffness = def.clasp_stiffness = def.twist = 0.0;
    def.bend_damping = def.stretch_damping = (HedSlidingDamping){0};
    return def;
}

static double bending(HedEol* eol) {
    double sums[HED_EOL_SUMS];
    HedEolEval at = {eol->q, NULL, 0.0, eol->gradient, NULL};
    hed_eol_model_evaluate(&eol->model, at, sums);
    return sums[HED_EOL_BEND];
}

// What is free moves by up to a part of the spacing.
static void shake(HedEol* eol, double part) {
    for (int32_t k = 0; k < size_of(eol); ++k) {
        double by = (hed_random_uniform(11, 0, (uint64_t)k) - 0.5) * eol->model.spacing;
        eol->q[k] += eol->is_fixed[k] ? 0.0 : part * by;
    }
}

// Gradient of bending against central differences, in every free unknown.
static void check_gradient(const HedNet* net, HedSlidingDef def) {
    def.stretch = 1e-12; // hardly anything but bending
    HedEol* eol = make(net, def, &TEAM);
    eol->model.gravity = (HedVec3){0};
    double step = 1e-6 * net->spacing;
    double largest = 0.0, error = 0.0;
    double* gradient = malloc(sizeof *gradient * (size_t)size_of(eol));
    shake(eol, 0.1);
    cr_assert_gt(bending(eol), 0.0);
    memcpy(gradient, eol->gradient, sizeof *gradient * (size_t)size_of(eol));
    for (int32_t k = 0; k < size_of(eol); ++k) {
        if (eol->is_fixed[k]) {
            continue;
        }
        double old = eol->q[k];
        eol->q[k] = old + step;
        double up = bending(eol);
        eol->q[k] = old - step;
        double down = bending(eol);
        eol->q[k] = old;
        double slope = (up - down) / (2.0 * step);
        largest = fmax(largest, fabs(slope));
        error = fmax(error, fabs(slope - gradient[k]));
    }
    // Second order in 1e-6 of the spacing, and rounding 1e-16/1e-6 of sums over all elements. What
    // stretching adds is below 1e-12 N.
    cr_assert_lt(error, 1e-6 * largest + 1e-11, "off by %g of %g", error, largest);
    free(gradient);
    hed_eol_destroy(eol);
}

Test(slide_thick, gradients) {
    HedNet net = {0};
    test_net_weave(5, 6, &net);
    check_gradient(&net, bent(1.0, 0.5));
    check_gradient(&net, bent(0.3, 1.0));
    hed_net_free(&net);
    test_net_knit("rib-1x1", 4, 5, &net);
    check_gradient(&net, bent(1.0, 0.5));
    hed_net_free(&net);
}

// Turned and moved as a whole, nothing changes; forces and moments of all nodes are zero.
Test(slide_thick, rigid_motion_is_free) {
    HedNet net = {0};
    test_net_knit("stockinette", 4, 5, &net);
    HedEol* eol = make(&net, bent(1.0, 0.3), &TEAM);
    eol->model.gravity = (HedVec3){0};
    shake(eol, 0.05);
    double before = bending(eol);
    HedVec3 force = {0}, moment = {0};
    double size = 0.0;
    for (int32_t i = 0; i < eol->node_count; ++i) {
        HedVec3 f = hed_eol_point(eol->gradient + (int64_t)HED_NODE_SIZE * i);
        HedVec3 x = hed_eol_point(eol->q + (int64_t)HED_NODE_SIZE * i);
        force = hed_add3(force, f);
        moment = hed_add3(moment, hed_cross3(x, f));
        size += hed_norm3(f);
    }
    // Sums of so many numbers that cancel out.
    cr_assert_lt(hed_norm3(force), 1e-12 * size);
    // The same, with levers of a centimetre.
    cr_assert_lt(hed_norm3(moment), 1e-14 * size);
    for (int32_t i = 0; i < eol->node_count; ++i) {
        double* q = eol->q + (int64_t)HED_NODE_SIZE * i;
        double x = q[0], y = q[1], z = q[2];
        q[0] = 0.6 * x - 0.8 * z + 0.01;
        q[1] = y - 0.02;
        q[2] = 0.8 * x + 0.6 * z;
    }
    // The turn is one to 1e-16, and the energy a sum of some hundred terms.
    cr_assert_lt(fabs(bending(eol) - before), 1e-12 * before);
    hed_eol_destroy(eol);
    hed_net_free(&net);
}

// J, bending of a weave that lies flat, of yarns so thin that angles are small.
static double crimp_of(int32_t ends, int32_t picks, HedSlidingDef def, double* spacing) {
    HedNet net = {0};
    test_net_weave(ends, picks, &net);
    for (int32_t y = 0; y < net.yarn_count; ++y) {
        net.yarns[y].radius = 1e-6;
    }
    HedEol* eol = make(&net, def, &TEAM);
    double energy = bending(eol);
    *spacing = net.spacing;
    hed_eol_destroy(eol);
    hed_net_free(&net);
    return energy;
}

// Crimp that is set has no energy; that which is not turns by 4 R/L at each crossing and costs
// B (4 R/L)^2/(2 L) there. Sizes of weaves are chosen such that their edges cancel out: of n ends
// and m picks there are 2 n m turns less something that goes with n + m.
Test(slide_thick, crimp_is_elastic) {
    double spacing;
    HedSlidingDef def = bent(1.0, 1.0);
    double set = crimp_of(12, 12, def, &spacing);
    for (int k = 0; k < 2; ++k) {
        def = bent(k ? 0.5 : 1.0, 0.0);
        double got = crimp_of(14, 14, def, &spacing) - 2.0 * crimp_of(12, 14, def, &spacing) +
                     crimp_of(12, 12, def, &spacing);
        // The smooth normal is |m|/sqrt(m.m + 1/4) long: 4/sqrt(16.25).
        double angle = def.thickness * 4e-6 * (4.0 / sqrt(16.25)) / spacing;
        double expected = 8.0 * def.bend * angle * angle / (2.0 * spacing);
        // Angles are 0.01, what is left out of them their square.
        cr_assert_lt(fabs(got - expected), 1e-3 * expected, "%g, not %g", got, expected);
        // Squares of what rounding makes of angles of 0.01, against their squares.
        cr_assert_lt(set, 1e-20 * expected);
    }
}

// A weave that is held by one corner swings for some steps, with one thread and with three.
static double* swing(double thickness, double set, int32_t threads, int32_t* iterations) {
    HedNet net = {0};
    HedTeam team = {threads, PARTIAL, 4096};
    test_net_weave(16, 16, &net);
    HedSlidingDef def = hed_sliding_def_default();
    def.thickness = thickness;
    def.set_fraction = set;
    HedEol* eol = make(&net, def, &team);
    TestHold hold = {.node = eol->number[0], .target = net.nodes[0].position};
    *iterations = 0;
    for (int k = 0; k < 10; ++k) {
        TestSlideStep one = {.h = 1e-3, .holds = &hold, .hold_count = 1};
        HedNewtonReason reason = test_slide_step(eol, &one);
        cr_assert_eq(reason, HED_NEWTON_CONVERGED, "thickness %g, step %d: %d", thickness, k,
                     (int)reason);
        *iterations += one.iterations;
    }
    double* q = malloc(sizeof *q * (size_t)size_of(eol));
    memcpy(q, eol->q, sizeof *q * (size_t)size_of(eol));
    hed_eol_destroy(eol);
    hed_net_free(&net);
    return q;
}

Test(slide_thick, steps_converge) {
    const double cases[][2] = {{0.0, 1.0}, {0.3, 1.0}, {1.0, 1.0}, {0.3, 0.8}};
    for (int k = 0; k < 4; ++k) {
        int32_t iterations[2];
        double* one = swing(cases[k][0], cases[k][1], 1, &iterations[0]);
        double* three = swing(cases[k][0], cases[k][1], 3, &iterations[1]);
        cr_assert_eq(memcmp(one, three, sizeof *one * HED_NODE_SIZE * 256), 0);
        printf("thickness %g, set %g: %d iterations in 10 steps\n", cases[k][0], cases[k][1],
               iterations[0]);
        free(one);
        free(three);
    }
}
