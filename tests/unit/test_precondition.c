// SPDX-License-Identifier: MIT
// Approximate inverses of a net's matrix stay positive where shares of corrections that were found
// for another matrix, or products in single precision, would make them indefinite.
#include "eol/precondition.h"

#include "base/random.h"
#include "eol/eol.h"
#include "heddle/sliding.h"
#include "support/nets.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

static double PARTIAL[4096];

static const HedPreconditionerKind KINDS[] = {HED_PRECONDITION_LINES, HED_PRECONDITION_TWO_LEVEL};

static HedEol* make(const HedNet* net, HedSlidingDef def, HedPreconditionerKind kind,
                    const HedTeam* team) {
    HedError error = {0};
    HedEol* eol = NULL;
    HedEolSettings set = {.preconditioner = kind};
    def.net = net;
    cr_assert_eq(hed_eol_create(&def, &set, team, &eol, &error), HED_OK, "%s", error.message);
    return eol;
}

static int32_t size_of(const HedEol* eol) {
    return HED_NODE_SIZE * eol->node_count;
}

// The matrix of a step of size h whose nodes have moved by up to a part of the spacing.
static void assemble(HedEol* eol, double part, double h) {
    for (int32_t k = 0; k < size_of(eol); ++k) {
        double by = (hed_random_uniform(7, 0, (uint64_t)k) - 0.5) * eol->model.spacing;
        eol->q[k] += eol->is_fixed[k] ? 0.0 : part * by;
    }
    size_t bytes = sizeof(double) * (size_t)size_of(eol);
    memcpy(eol->start, eol->q, bytes);
    memcpy(eol->guess, eol->q, bytes);
    memcpy(eol->is_held, eol->is_fixed, (size_t)size_of(eol));
    hed_eol_find_mass(&eol->model, eol->q, eol->mass);
    hed_eol_evaluate(eol, eol->q, 1.0 / h, true);
    hed_eol_hold(eol);
}

static void draw(const HedEol* eol, uint64_t seed, double* x) {
    for (int32_t k = 0; k < size_of(eol); ++k) {
        double value = hed_random_uniform(seed, 1, (uint64_t)k) - 0.5;
        x[k] = eol->is_fixed[k] ? 0.0 : value;
    }
}

// The right-hand side that corrections of all lines, taken whole, enlarge most.
static void find_worst(HedEol* eol, double* r) {
    const HedEolPreconditioner* p = &eol->preconditioner;
    int32_t size = size_of(eol);
    double* z = eol->guess;
    draw(eol, 1, r);
    for (int k = 0; k < 200; ++k) {
        memset(z, 0, sizeof(double) * (size_t)size);
        for (int32_t c = 0; c < p->matrix->bands->color_count; ++c) {
            hed_eol_lines_add(&p->lines, c, 1.0, (HedLineSide){.r = r}, z, HED_ALONE);
        }
        double scale = 1.0 / hed_team_max_abs(eol->team, z, size);
        for (int32_t i = 0; i < size; ++i) {
            z[i] *= scale;
        }
        hed_eol_matrix_multiply(p->matrix, z, r);
    }
}

// Shares of a matrix that was not so stiff; results are the same for any number of threads.
Test(precondition, shares_that_are_too_large_are_found_out) {
    for (size_t kind = 0; kind < sizeof KINDS / sizeof *KINDS; ++kind) {
        double first = 0.0;
        for (int32_t threads = 1; threads <= 3; ++threads) {
            HedTeam team = {threads, PARTIAL, 4096};
            HedNet net = {0};
            HedSlidingDef def = hed_sliding_def_default();
            def.shear = 0.0;
            test_net_knit("stockinette", 16, 16, &net);
            HedEol* eol = make(&net, def, KINDS[kind], &team);
            HedEolPreconditioner* p = &eol->preconditioner;
            assemble(eol, 0.01, 1e-3);
            cr_assert(hed_eol_preconditioner_update(p, eol->is_held));
            for (int32_t c = 0; c < p->matrix->bands->color_count; ++c) {
                cr_assert_lt(p->share[c], 1.0);
                p->share[c] = 1.0;
            }
            find_worst(eol, eol->trial);
            hed_eol_preconditioner_apply(p, eol->trial, eol->base);
            double square = hed_team_dot(&team, eol->trial, eol->base, size_of(eol));
            cr_assert_gt(square, 0.0);
            cr_assert_lt(p->share[0], 0.95);
            first = threads == 1 ? square : first;
            cr_assert_eq(square, first, "with %d threads", threads);
            hed_eol_destroy(eol);
            hed_net_free(&net);
        }
    }
}

// Without friction, in a long step, inertia is 1e-10 of stiffness: less than what rounding to
// floats takes from the matrix.
Test(precondition, long_steps_without_friction_stay_positive) {
    for (size_t kind = 0; kind < sizeof KINDS / sizeof *KINDS; ++kind) {
        HedTeam team = {1, PARTIAL, 4096};
        HedNet net = {0};
        HedSlidingDef def = hed_sliding_def_default();
        def.friction = def.crossing_preload = 0.0;
        test_net_weave(12, 17, &net);
        HedEol* eol = make(&net, def, KINDS[kind], &team);
        HedEolPreconditioner* p = &eol->preconditioner;
        assemble(eol, 0.02, 0.1);
        cr_assert(hed_eol_preconditioner_update(p, eol->is_held));
        for (uint64_t seed = 1; seed <= 20; ++seed) {
            draw(eol, seed, eol->trial);
            hed_eol_preconditioner_apply(p, eol->trial, eol->base);
            double square = hed_team_dot(&team, eol->trial, eol->base, size_of(eol));
            cr_assert_gt(square, 0.0, "seed %d", (int)seed);
            // What it makes of that is rich in what the matrix hardly resists.
            hed_eol_matrix_multiply(&eol->matrix, eol->base, eol->trial);
            hed_eol_preconditioner_apply(p, eol->trial, eol->base);
            square = hed_team_dot(&team, eol->trial, eol->base, size_of(eol));
            cr_assert_gt(square, 0.0, "seed %d, second", (int)seed);
        }
        hed_eol_destroy(eol);
        hed_net_free(&net);
    }
}
