// SPDX-License-Identifier: MIT
// Approximate inverses of a net's matrix stay positive where shares of corrections that were found
// for another matrix, or products in single precision, would make them indefinite.
#include "eol/precondition.h"

#include "base/array.h"
#include "base/random.h"
#include "eol/alternating.h"
#include "eol/eol.h"
#include "heddle/sliding.h"
#include "solve/pcg.h"
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

// --- alternating directions ---

// y = M x with M of the lines of a colour and all five numbers of their nodes.
static void multiply_lines(const HedEolPreconditioner* p, int32_t color, const double* x,
                           double* y) {
    for (int32_t i = 0; i < p->matrix->bands->node_count; ++i) {
        const double* d = p->matrix->diagonal + (int64_t)HED_NODE_DIAGONAL * i;
        bool is_on = p->lines.colors_of[i] >> color & 1;
        for (int r = 0; r < HED_NODE_SIZE; ++r) {
            double sum = 0.0;
            for (int c = 0; c < HED_NODE_SIZE; ++c) {
                sum += d[r < c ? hed_eol_diagonal(r, c) : hed_eol_diagonal(c, r)] *
                       x[HED_NODE_SIZE * i + c];
            }
            y[HED_NODE_SIZE * i + r] = is_on ? sum : 0.0;
        }
    }
    hed_eol_lines_subtract(&p->lines, color, -1.0, x, y, HED_ALONE);
}

// A weave whose equations are assembled, and its preconditioner made. Friction at every crossing
// keeps lines alone exact enough.
static HedEol* make_weave(int32_t side, double shear, const HedTeam* team, HedNet* net) {
    HedSlidingDef def = hed_sliding_def_default();
    def.shear = shear;
    def.friction = 0.3;
    def.crossing_preload = 1e-3;
    test_net_weave(side, side + 3, net);
    HedEol* eol = make(net, def, HED_PRECONDITION_TWO_LEVEL, team);
    hed_eol_find_normal_forces(eol, eol->q);
    assemble(eol, 0.01, 1e-3);
    cr_assert(hed_eol_preconditioner_update(&eol->preconditioner, eol->is_held));
    cr_assert(hed_eol_is_alternating(&eol->preconditioner));
    return eol;
}

// Without shear across crossings lines hold all of the matrix: A = M0 + M1 - D.
Test(precondition, lines_of_a_weave_are_its_matrix) {
    HedTeam team = {1, PARTIAL, 4096};
    HedNet net = {0};
    HedEol* eol = make_weave(12, 0.0, &team, &net);
    draw(eol, 3, eol->trial);
    hed_eol_matrix_multiply(&eol->matrix, eol->trial, eol->base);
    hed_eol_alternating_multiply(&eol->preconditioner, eol->trial, eol->guess);
    double largest = hed_team_max_abs(&team, eol->base, size_of(eol));
    for (int32_t k = 0; k < size_of(eol); ++k) {
        // Blocks between nodes are floats: 6e-8 of each, ten of them.
        cr_assert_float_eq(eol->guess[k], eol->base[k], 6e-7 * largest);
    }
    hed_eol_destroy(eol);
    hed_net_free(&net);
}

// S M x = x on the lines of each colour. Factors are floats: an error E of 6e-8 |M| leaves S E x,
// which in the norm of M is 6e-8 of the root of its condition, some 1e6, of x.
Test(precondition, lines_are_solved_exactly) {
    HedTeam team = {1, PARTIAL, 4096};
    HedNet net = {0};
    HedEol* eol = make_weave(20, 1e-3, &team, &net);
    const HedEolPreconditioner* p = &eol->preconditioner;
    int32_t size = size_of(eol);
    for (int32_t color = 0; color < 2; ++color) {
        draw(eol, 4, eol->trial);
        for (int32_t k = 0; k < size; ++k) {
            eol->trial[k] *= p->lines.colors_of[k / HED_NODE_SIZE] >> color & 1;
        }
        multiply_lines(p, color, eol->trial, eol->base);
        double whole = hed_team_dot(&team, eol->trial, eol->base, size);
        memset(eol->guess, 0, sizeof(double) * (size_t)size);
        hed_eol_lines_add(&p->lines, color, -1.0, (HedLineSide){.r = eol->base}, eol->guess,
                          HED_ALONE);
        hed_team_axpy(&team, 1.0, eol->trial, eol->guess, size);
        multiply_lines(p, color, eol->guess, eol->base);
        double off = hed_team_dot(&team, eol->guess, eol->base, size);
        cr_assert_gt(whole, 0.0);
        // 6e-8 of a thousand, as said above.
        cr_assert_lt(sqrt(fabs(off)), 1e-4 * sqrt(whole), "colour %d: %g of %g", (int)color, off,
                     whole);
    }
    hed_eol_destroy(eol);
    hed_net_free(&net);
}

static void multiply(void* context, const double* x, double* y) {
    hed_eol_matrix_multiply(context, x, y);
}

static int32_t iterations_of(HedEol* eol) {
    HedPcg pcg = {.size = size_of(eol),
                  .matrix = {multiply, &eol->matrix},
                  .precondition = {hed_eol_preconditioner_apply, &eol->preconditioner},
                  .tolerance = 1e-6,
                  .max_iterations = 1000,
                  .team = eol->team,
                  .work = HED_NEW_ARRAY(double, 4 * (int64_t)size_of(eol))};
    HedPcgReport report = hed_pcg_solve(&pcg, eol->trial, eol->base);
    hed_free(pcg.work);
    cr_assert_eq(report.reason, HED_PCG_CONVERGED);
    return report.iterations;
}

// Corrections that reach from node to node take iterations in proportion to the side, four times as
// many for four times the side. Patches reach everywhere: what grows is how well their rigid
// motions fit the smoothest ones, by less than the root of that for each of both directions.
Test(precondition, iterations_grow_less_than_a_weave) {
    HedTeam team = {1, PARTIAL, 4096};
    int32_t count[2];
    for (int k = 0; k < 2; ++k) {
        HedNet net = {0};
        HedEol* eol = make_weave(k == 0 ? 20 : 80, 1e-3, &team, &net);
        draw(eol, 5, eol->trial);
        count[k] = iterations_of(eol);
        hed_eol_destroy(eol);
        hed_net_free(&net);
    }
    cr_assert_lt(count[1], 2.5 * count[0], "%d, then %d", (int)count[0], (int)count[1]);
}
