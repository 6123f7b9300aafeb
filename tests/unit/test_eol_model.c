// SPDX-License-Identifier: MIT
// Sliding yarns as a whole: derivatives of all energies of a net, its matrix against them, lines
// and preconditioners, steps.
#include "base/alloc.h"
#include "base/random.h"
#include "eol/dirichlet_rows.h"
#include "eol/eol.h"
#include "solve/pcg.h"
#include "support/eol_steps.h"
#include "support/nets.h"
#include "support/no_memory.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static double PARTIAL[4096];
static HedTeam TEAM = {1, PARTIAL, 4096};

static HedEolSettings settings(void) {
    return (HedEolSettings){
        .gravity = {0.0, 0.0, -9.81},
        .preconditioner = HED_PRECONDITION_AUTO,
    };
}

static HedEol* make(const HedNet* net, HedSlidingDef def, HedPreconditionerKind kind) {
    HedError error = {0};
    HedEol* eol = NULL;
    HedEolSettings set = settings();
    set.preconditioner = kind;
    def.net = net;
    cr_assert_eq(hed_eol_create(&def, &set, &TEAM, &eol, &error), HED_OK, "%s", error.message);
    return eol;
}

// Moves everything that is free by up to a part of the spacing; the same for every net.
static void shake(HedEol* eol, double part) {
    for (int32_t k = 0; k < HED_NODE_SIZE * eol->node_count; ++k) {
        double by = (hed_random_uniform(7, 0, (uint64_t)k) - 0.5) * eol->model.spacing;
        eol->q[k] += eol->is_fixed[k] ? 0.0 : part * by;
    }
}

static int32_t size_of(const HedEol* eol) {
    return HED_NODE_SIZE * eol->node_count;
}

// --- derivatives ---

static double energy_at(HedEol* eol, const double* start, double over) {
    double sums[HED_EOL_SUMS];
    HedEolEval at = {eol->q, start, over, eol->trial, NULL};
    hed_eol_model_evaluate(&eol->model, at, sums);
    double energy = 0.0;
    for (int k = 0; k < HED_EOL_SUMS; ++k) {
        energy += sums[k];
    }
    return energy;
}

// Gradient against central differences of the energy, in every free unknown.
static void check_gradient(HedEol* eol, double over) {
    double sums[HED_EOL_SUMS];
    HedEolEval at = {eol->q, eol->start, over, eol->gradient, NULL};
    double step = 1e-6 * eol->model.spacing;
    double largest = 0.0, error = 0.0;
    hed_eol_model_evaluate(&eol->model, at, sums);
    for (int32_t k = 0; k < size_of(eol); ++k) {
        if (eol->is_fixed[k]) {
            continue;
        }
        double old = eol->q[k];
        eol->q[k] = old + step;
        double up = energy_at(eol, eol->start, over);
        eol->q[k] = old - step;
        double down = energy_at(eol, eol->start, over);
        eol->q[k] = old;
        double slope = (up - down) / (2.0 * step);
        largest = fmax(largest, fabs(slope));
        error = fmax(error, fabs(slope - eol->gradient[k]));
    }
    // Second order in 1e-6 of the spacing, and rounding 1e-16/1e-6 of sums over all elements.
    cr_assert_lt(error, 1e-6 * largest, "off by %g of %g", error, largest);
    cr_assert_gt(largest, 0.0);
}

Test(eol, gradient_of_a_weave_with_all_terms) {
    HedNet net = {0};
    test_net_weave(5, 6, &net);
    HedEol* eol = make(&net, hed_sliding_def_default(), HED_PRECONDITION_AUTO);
    memcpy(eol->start, eol->q, sizeof(double) * (size_t)size_of(eol));
    shake(eol, 0.2);
    check_gradient(eol, 0.0);
    check_gradient(eol, 1000.0);
    hed_eol_destroy(eol);
    hed_net_free(&net);
}

Test(eol, gradient_of_a_knit_with_torsion_and_curl) {
    HedNet net = {0};
    test_net_knit("rib-1x1", 5, 6, &net);
    HedSlidingDef def = hed_sliding_def_default();
    def.shear = 0.0;
    def.curl_stiffness = 1e-6;
    def.curl_along = -0.15;
    def.curl_across = 0.15;
    HedEol* eol = make(&net, def, HED_PRECONDITION_AUTO);
    cr_assert_gt(eol->model.star_count, 0);
    cr_assert(eol->model.has_torsion);
    memcpy(eol->start, eol->q, sizeof(double) * (size_t)size_of(eol));
    shake(eol, 0.1);
    // Torsion takes the material of the start of the step: that is now.
    memcpy(eol->start, eol->q, sizeof(double) * (size_t)size_of(eol));
    check_gradient(eol, 0.0);
    hed_eol_destroy(eol);
    hed_net_free(&net);
}

// Where yarns are straight and taut the positive form is exact.
Test(eol, matrix_of_a_taut_weave_is_the_second_derivative) {
    HedNet net = {0};
    double sums[HED_EOL_SUMS];
    test_net_weave(5, 6, &net);
    HedEol* eol = make(&net, hed_sliding_def_default(), HED_PRECONDITION_AUTO);
    int32_t size = size_of(eol);
    for (int32_t k = 0; k < size; ++k) {
        eol->q[k] *= k % HED_NODE_SIZE < 2 ? 1.01 : 1.0;
    }
    HedEolEval at = {eol->q, NULL, 0.0, eol->gradient, &eol->matrix};
    hed_eol_model_evaluate(&eol->model, at, sums);
    hed_eol_matrix_settle(&eol->matrix);
    at.matrix = NULL;
    double step = 1e-6 * eol->model.spacing;
    double largest = 0.0, error = 0.0;
    double* unit = eol->base;
    for (int32_t k = 0; k < size; ++k) {
        if (eol->is_fixed[k]) {
            continue;
        }
        double old = eol->q[k];
        eol->q[k] = old + step;
        at.gradient = eol->gradient;
        hed_eol_model_evaluate(&eol->model, at, sums);
        eol->q[k] = old - step;
        at.gradient = eol->trial;
        hed_eol_model_evaluate(&eol->model, at, sums);
        eol->q[k] = old;
        memset(unit, 0, sizeof(double) * (size_t)size);
        unit[k] = 1.0;
        hed_eol_matrix_multiply(&eol->matrix, unit, eol->guess);
        for (int32_t i = 0; i < size; ++i) {
            double slope = (eol->gradient[i] - eol->trial[i]) / (2.0 * step);
            if (!eol->is_fixed[i]) {
                largest = fmax(largest, fabs(slope));
                error = fmax(error, fabs(slope - eol->guess[i]));
            }
        }
    }
    // Differences of forces: 1e-16/1e-6 of the largest, and gravity's coupling, which is left out.
    cr_assert_lt(error, 1e-7 * largest, "off by %g of %g", error, largest);
    hed_eol_destroy(eol);
    hed_net_free(&net);
}

// --- solving ---

// The matrix of a step at a shaken state.
static void assemble(HedEol* eol) {
    memcpy(eol->start, eol->q, sizeof(double) * (size_t)size_of(eol));
    memcpy(eol->guess, eol->q, sizeof(double) * (size_t)size_of(eol));
    memcpy(eol->is_held, eol->is_fixed, (size_t)size_of(eol));
    hed_eol_find_mass(&eol->model, eol->q, eol->mass);
    hed_eol_evaluate(eol, eol->q, 1000.0, true);
    hed_eol_hold(eol);
}

static double dot(const double* a, const double* b, int32_t n) {
    double sum = 0.0;
    for (int32_t k = 0; k < n; ++k) {
        sum += a[k] * b[k];
    }
    return sum;
}

static void draw(HedEol* eol, uint64_t seed, double* x) {
    for (int32_t k = 0; k < size_of(eol); ++k) {
        double value = hed_random_uniform(seed, 1, (uint64_t)k) - 0.5;
        x[k] = eol->is_fixed[k] ? 0.0 : value;
    }
}

static const HedPreconditionerKind KINDS[] = {HED_PRECONDITION_JACOBI, HED_PRECONDITION_LINES,
                                              HED_PRECONDITION_TWO_LEVEL};

// x.P y = y.P x and x.P x > 0 for random x and y.
Test(eol, preconditioners_are_symmetric_and_positive) {
    const char* patterns[] = {NULL, "stockinette"};
    for (int n = 0; n < 2; ++n) {
        for (size_t k = 0; k < sizeof KINDS / sizeof KINDS[0]; ++k) {
            HedNet net = {0};
            if (patterns[n]) {
                test_net_knit(patterns[n], 6, 8, &net);
            } else {
                test_net_weave(12, 17, &net);
            }
            HedSlidingDef def = hed_sliding_def_default();
            def.shear = patterns[n] ? 0.0 : def.shear;
            HedEol* eol = make(&net, def, KINDS[k]);
            shake(eol, 0.01);
            assemble(eol);
            cr_assert(hed_eol_preconditioner_update(&eol->preconditioner, eol->is_held));
            int32_t size = size_of(eol);
            double *x = eol->trial, *y = eol->guess;
            draw(eol, 1, x);
            draw(eol, 2, y);
            hed_eol_preconditioner_apply(&eol->preconditioner, x, eol->base);
            double xy = dot(y, eol->base, size);
            double xx = dot(x, eol->base, size);
            hed_eol_preconditioner_apply(&eol->preconditioner, y, eol->base);
            double yx = dot(x, eol->base, size);
            double yy = dot(y, eol->base, size);
            cr_assert_gt(xx, 0.0);
            cr_assert_gt(yy, 0.0);
            // Factors are floats, but applied as they are: the same numbers both ways, and sums in
            // double precision of terms whose sizes differ by the matrix' condition.
            cr_assert_lt(fabs(xy - yx), 1e-5 * sqrt(xx * yy));
            hed_eol_destroy(eol);
            hed_net_free(&net);
        }
    }
}

static void multiply(void* context, const double* x, double* y) {
    hed_eol_matrix_multiply(context, x, y);
}

static int32_t iterations_of(HedEol* eol, double tolerance) {
    cr_assert(hed_eol_preconditioner_update(&eol->preconditioner, eol->is_held));
    HedPcg pcg = {.size = size_of(eol),
                  .matrix = {multiply, &eol->matrix},
                  .precondition = {hed_eol_preconditioner_apply, &eol->preconditioner},
                  .tolerance = tolerance,
                  .max_iterations = 20000,
                  .team = &TEAM,
                  .work = malloc(sizeof(double) * 4 * (size_t)size_of(eol))};
    HedPcgReport report = hed_pcg_solve(&pcg, eol->trial, eol->base);
    free(pcg.work);
    cr_assert_eq(report.reason, HED_PCG_CONVERGED);
    return report.iterations;
}

// Solutions are compared in the matrix' own norm, in which conjugate gradients converge.
Test(eol, all_preconditioners_give_one_solution_and_lines_need_few_iterations) {
    enum { SIDE = 30, ROOM = 5 * (SIDE + 2) * (SIDE + 2) };
    static double first[ROOM], product[ROOM];
    int32_t count[3];
    HedNet net = {0};
    test_net_weave(SIDE, SIDE, &net);
    for (int k = 0; k < 3; ++k) {
        HedEol* eol = make(&net, hed_sliding_def_default(), KINDS[k]);
        int32_t size = size_of(eol);
        cr_assert_leq(size, ROOM);
        shake(eol, 1e-3);
        assemble(eol);
        draw(eol, 3, eol->trial);
        // Without rigid motions a preconditioner is blind for errors in them: small residuals in
        // its norm mean little, and it must go on for longer.
        count[k] = iterations_of(eol, k < 2 ? 1e-10 : 1e-6);
        if (k == 0) {
            memcpy(first, eol->base, sizeof(double) * (size_t)size);
        }
        double whole = dot(first, eol->trial, size);
        for (int32_t i = 0; i < size; ++i) {
            eol->guess[i] = eol->base[i] - first[i];
        }
        hed_eol_matrix_multiply(&eol->matrix, eol->guess, product);
        double off = dot(eol->guess, product, size);
        // Squares of 1e-6 of the solution, ten times as much in the norm of the matrix.
        cr_assert_lt(off, 1e-10 * whole, "%d: %g of %g", k, off, whole);
        hed_eol_destroy(eol);
    }
    hed_net_free(&net);
    cr_assert_lt(30 * count[2], count[0], "%d against %d", count[2], count[0]);
    cr_assert_lt(count[2], count[1]);
}

// --- steps ---

// A weave falls as a whole: nothing deforms it, and backward Euler is exact for the velocity.
Test(eol, falls_freely) {
    HedNet net = {0};
    test_net_weave(6, 5, &net);
    HedEol* eol = make(&net, hed_sliding_def_default(), HED_PRECONDITION_AUTO);
    for (int k = 0; k < 20; ++k) {
        TestSlideStep one = {.h = 1e-3};
        cr_assert_eq(test_slide_step(eol, &one), HED_NEWTON_CONVERGED);
    }
    for (int32_t i = 0; i < eol->node_count; ++i) {
        const double* v = eol->v + HED_NODE_SIZE * i;
        // Steps are solved to 1e-4 m/s, twenty of them.
        cr_assert_float_eq(v[2], -9.81 * 0.02, 20 * 1e-4);
        // As above.
        cr_assert_lt(fabs(v[0]) + fabs(v[1]), 20 * 1e-4);
    }
    hed_eol_destroy(eol);
    hed_net_free(&net);
}

static double* positions_with(int32_t threads) {
    HedNet net = {0};
    test_net_weave(40, 45, &net);
    TEAM.threads = threads;
    HedEol* eol = make(&net, hed_sliding_def_default(), HED_PRECONDITION_AUTO);
    cr_assert_eq(hed_eol_set_self(eol, 0.3, NULL), HED_OK);
    int32_t corner[2] = {0, 0};
    for (int32_t i = 0; i < eol->node_count; ++i) {
        corner[0] =
            eol->home[i].x + eol->home[i].y < eol->home[corner[0]].x + eol->home[corner[0]].y
                ? i
                : corner[0];
        corner[1] =
            eol->home[i].x - eol->home[i].y > eol->home[corner[1]].x - eol->home[corner[1]].y
                ? i
                : corner[1];
    }
    TestHold holds[2] = {{corner[0], true, eol->home[corner[0]]},
                         {corner[1], true, eol->home[corner[1]]}};
    for (int k = 0; k < 4; ++k) {
        TestSlideStep one = {.h = 1e-3, .holds = holds, .hold_count = 2};
        cr_assert_eq(test_slide_step(eol, &one), HED_NEWTON_CONVERGED);
    }
    double* q = malloc(sizeof(double) * (size_t)size_of(eol));
    memcpy(q, eol->q, sizeof(double) * (size_t)size_of(eol));
    hed_eol_destroy(eol);
    hed_net_free(&net);
    TEAM.threads = 1;
    return q;
}

Test(eol, same_bits_for_any_number_of_threads) {
    double* one = positions_with(1);
    for (int32_t threads = 2; threads <= 3; ++threads) {
        double* more = positions_with(threads);
        // 40 x 45 crossings and two ends for each of 85 yarns.
        cr_assert_eq(memcmp(one, more, sizeof(double) * HED_NODE_SIZE * (40 * 45 + 2 * 85)), 0);
        free(more);
    }
    free(one);
}

// One yarn through twenty crossings that press with F: it stays just below 20 mu F, and runs just
// above: 0.3 mN too much move its 0.2 mg by 0.07 mm in 0.3 ms.
static double way_of_pulled_yarn(double force) {
    enum { ENDS = 20 };
    HedNet net = {0};
    test_net_weave(ENDS, 3, &net);
    for (int32_t y = 0; y < net.yarn_count; ++y) {
        net.yarns[y].radius = 1e-7; // thin: its own pull presses it on nothing
    }
    HedSlidingDef def = hed_sliding_def_default();
    def.crossing_preload = 1e-3;
    def.friction = 0.3;
    HedEol* eol = make(&net, def, HED_PRECONDITION_AUTO);
    eol->model.gravity = (HedVec3){0};
    eol->load = HED_NEW_ARRAY(HedVec3, eol->node_count);
    const HedNetYarn* weft = &net.yarns[ENDS + 1];
    int32_t end = eol->number[net.visits[weft->first + weft->count - 1].node];
    eol->load[end].x = force;
    TestHold holds[ENDS * 3];
    int32_t count = 0;
    for (int32_t n = 0; n < net.node_count; ++n) {
        if (net.nodes[n].sign != 0) {
            holds[count++] = (TestHold){eol->number[n], false, net.nodes[n].position};
        }
    }
    double before = eol->q[HED_NODE_SIZE * end];
    for (int k = 0; k < 6; ++k) {
        TestSlideStep one = {.h = 5e-5, .holds = holds, .hold_count = count};
        cr_assert_eq(test_slide_step(eol, &one), HED_NEWTON_CONVERGED);
    }
    double way = eol->q[HED_NODE_SIZE * end] - before;
    hed_eol_destroy(eol);
    hed_net_free(&net);
    return way;
}

Test(eol, friction_holds_below_its_limit_and_slides_above) {
    double limit = 20 * 0.3 * 1e-3;
    // Springs give 2 % of the radius, the yarn itself stretches by 6 mN/30 N over half of 8 mm.
    cr_assert_lt(way_of_pulled_yarn(0.95 * limit), 4e-6);
    // Ten times as far as what sticks.
    cr_assert_gt(way_of_pulled_yarn(1.05 * limit), 4e-5);
}

// --- refusal ---

static const HedNet* SHARED;

static HedStatus build(void) {
    HedEol* eol = NULL;
    HedEolSettings set = settings();
    HedSlidingDef def = hed_sliding_def_default();
    def.rayleigh = 1e-3;
    def.net = SHARED;
    HedStatus status = hed_eol_create(&def, &set, &TEAM, &eol, NULL);
    hed_eol_destroy(eol);
    return status;
}

// The net is not counted: it is copied to memory of the test's own.
Test(eol, survives_without_memory) {
    HedNet net = {0}, own;
    test_net_weave(4, 4, &net);
    own = net;
    own.nodes = malloc(sizeof *net.nodes * (size_t)net.node_count);
    own.visits = malloc(sizeof *net.visits * (size_t)net.visit_count);
    own.yarns = malloc(sizeof *net.yarns * (size_t)net.yarn_count);
    memcpy(own.nodes, net.nodes, sizeof *net.nodes * (size_t)net.node_count);
    memcpy(own.visits, net.visits, sizeof *net.visits * (size_t)net.visit_count);
    memcpy(own.yarns, net.yarns, sizeof *net.yarns * (size_t)net.yarn_count);
    hed_net_free(&net);
    SHARED = &own;
    expect_no_memory(build, 30);
    free(own.nodes);
    free(own.visits);
    free(own.yarns);
}

Test(eol, refuses_values_that_mean_nothing) {
    HedNet net = {0};
    test_net_weave(4, 4, &net);
    HedEolSettings set = settings();
    HedEol* eol = NULL;
    HedError error = {0};
    HedSlidingDef def = hed_sliding_def_default();
    def.net = &net;
    def.friction = -0.1;
    cr_assert_eq(hed_eol_create(&def, &set, &TEAM, &eol, &error), HED_INVALID);
    cr_assert(strstr(error.message, "friction must be at least 0, got -0.1"), "%s", error.message);
    def = hed_sliding_def_default();
    cr_assert_eq(hed_eol_create(&def, &set, &TEAM, &eol, &error), HED_INVALID);
    cr_assert(strstr(error.message, "no net"));
    def.net = &net;
    def.set_fraction = 1.5;
    cr_assert_eq(hed_eol_create(&def, &set, &TEAM, &eol, &error), HED_INVALID);
    cr_assert(strstr(error.message, "set_fraction must be at most 1"));
    def.set_fraction = 1.0;
    net.visits[3].at = net.visits[2].at - 1e-3;
    cr_assert_eq(hed_eol_create(&def, &set, &TEAM, &eol, &error), HED_INVALID);
    cr_assert(strstr(error.message, "yarn"), "%s", error.message);
    cr_assert_null(eol);
    hed_net_free(&net);
}
