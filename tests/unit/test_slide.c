// SPDX-License-Identifier: MIT
// Sliding yarns as a whole: derivatives of all energies of a net, its matrix against them, lines
// and preconditioners, steps.
#include "base/alloc.h"
#include "base/random.h"
#include "slide/hold.h"
#include "slide/slide.h"
#include "solve/pcg.h"
#include "support/nets.h"
#include "support/no_memory.h"
#include "support/slide_steps.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static double PARTIAL[4096];
static HedTeam TEAM = {1, PARTIAL, 4096};

static HedSlideSettings settings(void) {
    return (HedSlideSettings){
        .gravity = {0.0, 0.0, -9.81},
        .preconditioner = HED_PRECONDITION_AUTO,
    };
}

static HedSlide* make(const HedNet* net, HedSlidingDef def, HedPreconditionerKind kind) {
    HedError error = {0};
    HedSlide* slide = NULL;
    HedSlideSettings set = settings();
    set.preconditioner = kind;
    def.net = net;
    cr_assert_eq(hed_slide_create(&def, &set, &TEAM, &slide, &error), HED_OK, "%s", error.message);
    return slide;
}

// Moves everything that is free by up to a part of the spacing; the same for every net.
static void shake(HedSlide* slide, double part) {
    for (int32_t k = 0; k < HED_NODE_SIZE * slide->node_count; ++k) {
        double by = (hed_random_uniform(7, 0, (uint64_t)k) - 0.5) * slide->model.spacing;
        slide->q[k] += slide->is_fixed[k] ? 0.0 : part * by;
    }
}

static int32_t size_of(const HedSlide* slide) {
    return HED_NODE_SIZE * slide->node_count;
}

// --- derivatives ---

static double energy_at(HedSlide* slide, const double* start, double over) {
    double sums[HED_NET_SUMS];
    HedNetEval at = {slide->q, start, over, slide->trial, NULL};
    hed_net_evaluate(&slide->model, at, sums);
    double energy = 0.0;
    for (int k = 0; k < HED_NET_SUMS; ++k) {
        energy += sums[k];
    }
    return energy;
}

// Gradient against central differences of the energy, in every free unknown.
static void check_gradient(HedSlide* slide, double over) {
    double sums[HED_NET_SUMS];
    HedNetEval at = {slide->q, slide->start, over, slide->gradient, NULL};
    double step = 1e-6 * slide->model.spacing;
    double largest = 0.0, error = 0.0;
    hed_net_evaluate(&slide->model, at, sums);
    for (int32_t k = 0; k < size_of(slide); ++k) {
        if (slide->is_fixed[k]) {
            continue;
        }
        double old = slide->q[k];
        slide->q[k] = old + step;
        double up = energy_at(slide, slide->start, over);
        slide->q[k] = old - step;
        double down = energy_at(slide, slide->start, over);
        slide->q[k] = old;
        double slope = (up - down) / (2.0 * step);
        largest = fmax(largest, fabs(slope));
        error = fmax(error, fabs(slope - slide->gradient[k]));
    }
    // Second order in 1e-6 of the spacing, and rounding 1e-16/1e-6 of sums over all elements.
    cr_assert_lt(error, 1e-6 * largest, "off by %g of %g", error, largest);
    cr_assert_gt(largest, 0.0);
}

Test(slide, gradient_of_a_weave_with_all_terms) {
    HedNet net = {0};
    test_net_weave(5, 6, &net);
    HedSlide* slide = make(&net, hed_sliding_def_default(), HED_PRECONDITION_AUTO);
    memcpy(slide->start, slide->q, sizeof(double) * (size_t)size_of(slide));
    shake(slide, 0.2);
    check_gradient(slide, 0.0);
    check_gradient(slide, 1000.0);
    hed_slide_destroy(slide);
    hed_net_free(&net);
}

Test(slide, gradient_of_a_knit_with_torsion_and_curl) {
    HedNet net = {0};
    test_net_knit("rib-1x1", 5, 6, &net);
    HedSlidingDef def = hed_sliding_def_default();
    def.shear = 0.0;
    def.curl_stiffness = 1e-6;
    def.curl_along = -0.15;
    def.curl_across = 0.15;
    HedSlide* slide = make(&net, def, HED_PRECONDITION_AUTO);
    cr_assert_gt(slide->model.star_count, 0);
    cr_assert(slide->model.has_torsion);
    memcpy(slide->start, slide->q, sizeof(double) * (size_t)size_of(slide));
    shake(slide, 0.1);
    // Torsion takes the material of the start of the step: that is now.
    memcpy(slide->start, slide->q, sizeof(double) * (size_t)size_of(slide));
    check_gradient(slide, 0.0);
    hed_slide_destroy(slide);
    hed_net_free(&net);
}

// Where yarns are straight and taut the positive form is exact.
Test(slide, matrix_of_a_taut_weave_is_the_second_derivative) {
    HedNet net = {0};
    double sums[HED_NET_SUMS];
    test_net_weave(5, 6, &net);
    HedSlide* slide = make(&net, hed_sliding_def_default(), HED_PRECONDITION_AUTO);
    int32_t size = size_of(slide);
    for (int32_t k = 0; k < size; ++k) {
        slide->q[k] *= k % HED_NODE_SIZE < 2 ? 1.01 : 1.0;
    }
    HedNetEval at = {slide->q, NULL, 0.0, slide->gradient, &slide->matrix};
    hed_net_evaluate(&slide->model, at, sums);
    hed_net_matrix_settle(&slide->matrix);
    at.matrix = NULL;
    double step = 1e-6 * slide->model.spacing;
    double largest = 0.0, error = 0.0;
    double* unit = slide->base;
    for (int32_t k = 0; k < size; ++k) {
        if (slide->is_fixed[k]) {
            continue;
        }
        double old = slide->q[k];
        slide->q[k] = old + step;
        at.gradient = slide->gradient;
        hed_net_evaluate(&slide->model, at, sums);
        slide->q[k] = old - step;
        at.gradient = slide->trial;
        hed_net_evaluate(&slide->model, at, sums);
        slide->q[k] = old;
        memset(unit, 0, sizeof(double) * (size_t)size);
        unit[k] = 1.0;
        hed_net_matrix_multiply(&slide->matrix, unit, slide->guess);
        for (int32_t i = 0; i < size; ++i) {
            double slope = (slide->gradient[i] - slide->trial[i]) / (2.0 * step);
            if (!slide->is_fixed[i]) {
                largest = fmax(largest, fabs(slope));
                error = fmax(error, fabs(slope - slide->guess[i]));
            }
        }
    }
    // Differences of forces: 1e-16/1e-6 of the largest, and gravity's coupling, which is left out.
    cr_assert_lt(error, 1e-7 * largest, "off by %g of %g", error, largest);
    hed_slide_destroy(slide);
    hed_net_free(&net);
}

// --- solving ---

// The matrix of a step at a shaken state.
static void assemble(HedSlide* slide) {
    memcpy(slide->start, slide->q, sizeof(double) * (size_t)size_of(slide));
    memcpy(slide->guess, slide->q, sizeof(double) * (size_t)size_of(slide));
    memcpy(slide->is_held, slide->is_fixed, (size_t)size_of(slide));
    hed_net_find_mass(&slide->model, slide->q, slide->mass);
    hed_slide_evaluate(slide, slide->q, 1000.0, true);
    hed_slide_hold(slide);
}

static double dot(const double* a, const double* b, int32_t n) {
    double sum = 0.0;
    for (int32_t k = 0; k < n; ++k) {
        sum += a[k] * b[k];
    }
    return sum;
}

static void draw(HedSlide* slide, uint64_t seed, double* x) {
    for (int32_t k = 0; k < size_of(slide); ++k) {
        double value = hed_random_uniform(seed, 1, (uint64_t)k) - 0.5;
        x[k] = slide->is_fixed[k] ? 0.0 : value;
    }
}

static const HedPreconditionerKind KINDS[] = {HED_PRECONDITION_JACOBI, HED_PRECONDITION_LINES,
                                              HED_PRECONDITION_TWO_LEVEL};

// x.P y = y.P x and x.P x > 0 for random x and y.
Test(slide, preconditioners_are_symmetric_and_positive) {
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
            HedSlide* slide = make(&net, def, KINDS[k]);
            shake(slide, 0.01);
            assemble(slide);
            cr_assert(hed_net_preconditioner_update(&slide->preconditioner, slide->is_held));
            int32_t size = size_of(slide);
            double *x = slide->trial, *y = slide->guess;
            draw(slide, 1, x);
            draw(slide, 2, y);
            hed_net_preconditioner_apply(&slide->preconditioner, x, slide->base);
            double xy = dot(y, slide->base, size);
            double xx = dot(x, slide->base, size);
            hed_net_preconditioner_apply(&slide->preconditioner, y, slide->base);
            double yx = dot(x, slide->base, size);
            double yy = dot(y, slide->base, size);
            cr_assert_gt(xx, 0.0);
            cr_assert_gt(yy, 0.0);
            // Factors are floats, but applied as they are: the same numbers both ways, and sums in
            // double precision of terms whose sizes differ by the matrix' condition.
            cr_assert_lt(fabs(xy - yx), 1e-5 * sqrt(xx * yy));
            hed_slide_destroy(slide);
            hed_net_free(&net);
        }
    }
}

static void multiply(void* context, const double* x, double* y) {
    hed_net_matrix_multiply(context, x, y);
}

static int32_t iterations_of(HedSlide* slide, double tolerance) {
    cr_assert(hed_net_preconditioner_update(&slide->preconditioner, slide->is_held));
    HedPcg pcg = {.size = size_of(slide),
                  .matrix = {multiply, &slide->matrix},
                  .precondition = {hed_net_preconditioner_apply, &slide->preconditioner},
                  .tolerance = tolerance,
                  .max_iterations = 20000,
                  .team = &TEAM,
                  .work = malloc(sizeof(double) * 4 * (size_t)size_of(slide))};
    HedPcgReport report = hed_pcg_solve(&pcg, slide->trial, slide->base);
    free(pcg.work);
    cr_assert_eq(report.reason, HED_PCG_CONVERGED);
    return report.iterations;
}

// Solutions are compared in the matrix' own norm, in which conjugate gradients converge.
Test(slide, all_preconditioners_give_one_solution_and_lines_need_few_iterations) {
    enum { SIDE = 30, ROOM = 5 * (SIDE + 2) * (SIDE + 2) };
    static double first[ROOM], product[ROOM];
    int32_t count[3];
    HedNet net = {0};
    test_net_weave(SIDE, SIDE, &net);
    for (int k = 0; k < 3; ++k) {
        HedSlide* slide = make(&net, hed_sliding_def_default(), KINDS[k]);
        int32_t size = size_of(slide);
        cr_assert_leq(size, ROOM);
        shake(slide, 1e-3);
        assemble(slide);
        draw(slide, 3, slide->trial);
        // Without rigid motions a preconditioner is blind for errors in them: small residuals in
        // its norm mean little, and it must go on for longer.
        count[k] = iterations_of(slide, k < 2 ? 1e-10 : 1e-6);
        if (k == 0) {
            memcpy(first, slide->base, sizeof(double) * (size_t)size);
        }
        double whole = dot(first, slide->trial, size);
        for (int32_t i = 0; i < size; ++i) {
            slide->guess[i] = slide->base[i] - first[i];
        }
        hed_net_matrix_multiply(&slide->matrix, slide->guess, product);
        double off = dot(slide->guess, product, size);
        cr_assert_lt(off, 1e-8 * whole, "%d: %g of %g", k, off, whole);
        hed_slide_destroy(slide);
    }
    hed_net_free(&net);
    cr_assert_lt(30 * count[2], count[0], "%d against %d", count[2], count[0]);
    cr_assert_lt(count[2], count[1]);
}

// --- steps ---

// A weave falls as a whole: nothing deforms it, and backward Euler is exact for the velocity.
Test(slide, falls_freely) {
    HedNet net = {0};
    test_net_weave(6, 5, &net);
    HedSlide* slide = make(&net, hed_sliding_def_default(), HED_PRECONDITION_AUTO);
    for (int k = 0; k < 20; ++k) {
        TestSlideStep one = {.h = 1e-3};
        cr_assert_eq(test_slide_step(slide, &one), HED_NEWTON_CONVERGED);
    }
    for (int32_t i = 0; i < slide->node_count; ++i) {
        const double* v = slide->v + HED_NODE_SIZE * i;
        // Steps are solved to 1e-4 m/s, twenty of them.
        cr_assert_float_eq(v[2], -9.81 * 0.02, 20 * 1e-4);
        cr_assert_lt(fabs(v[0]) + fabs(v[1]), 20 * 1e-4);
    }
    hed_slide_destroy(slide);
    hed_net_free(&net);
}

static double* positions_with(int32_t threads) {
    HedNet net = {0};
    test_net_weave(40, 45, &net);
    TEAM.threads = threads;
    HedSlide* slide = make(&net, hed_sliding_def_default(), HED_PRECONDITION_AUTO);
    cr_assert_eq(hed_slide_set_self(slide, NULL), HED_OK);
    int32_t corner[2] = {0, 0};
    for (int32_t i = 0; i < slide->node_count; ++i) {
        corner[0] = slide->home[i].x + slide->home[i].y <
                            slide->home[corner[0]].x + slide->home[corner[0]].y
                        ? i
                        : corner[0];
        corner[1] = slide->home[i].x - slide->home[i].y >
                            slide->home[corner[1]].x - slide->home[corner[1]].y
                        ? i
                        : corner[1];
    }
    TestHold holds[2] = {{corner[0], true, slide->home[corner[0]]},
                         {corner[1], true, slide->home[corner[1]]}};
    for (int k = 0; k < 4; ++k) {
        TestSlideStep one = {.h = 1e-3, .holds = holds, .hold_count = 2};
        cr_assert_eq(test_slide_step(slide, &one), HED_NEWTON_CONVERGED);
    }
    double* q = malloc(sizeof(double) * (size_t)size_of(slide));
    memcpy(q, slide->q, sizeof(double) * (size_t)size_of(slide));
    hed_slide_destroy(slide);
    hed_net_free(&net);
    TEAM.threads = 1;
    return q;
}

Test(slide, same_bits_for_any_number_of_threads) {
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
    def.press = 1e-3;
    def.friction = 0.3;
    HedSlide* slide = make(&net, def, HED_PRECONDITION_AUTO);
    slide->model.gravity = (HedVec3){0};
    slide->load = HED_NEW_ARRAY(HedVec3, slide->node_count);
    const HedNetYarn* weft = &net.yarns[ENDS + 1];
    int32_t end = slide->number[net.visits[weft->first + weft->count - 1].node];
    slide->load[end].x = force;
    TestHold holds[ENDS * 3];
    int32_t count = 0;
    for (int32_t n = 0; n < net.node_count; ++n) {
        if (net.nodes[n].sign != 0) {
            holds[count++] = (TestHold){slide->number[n], false, net.nodes[n].position};
        }
    }
    double before = slide->q[HED_NODE_SIZE * end];
    for (int k = 0; k < 6; ++k) {
        TestSlideStep one = {.h = 5e-5, .holds = holds, .hold_count = count};
        cr_assert_eq(test_slide_step(slide, &one), HED_NEWTON_CONVERGED);
    }
    double way = slide->q[HED_NODE_SIZE * end] - before;
    hed_slide_destroy(slide);
    hed_net_free(&net);
    return way;
}

Test(slide, friction_holds_below_its_limit_and_slides_above) {
    double limit = 20 * 0.3 * 1e-3;
    // Springs give 2 % of the radius, the yarn itself stretches by 6 mN/30 N over half of 8 mm.
    cr_assert_lt(way_of_pulled_yarn(0.95 * limit), 4e-6);
    cr_assert_gt(way_of_pulled_yarn(1.05 * limit), 4e-5);
}

// --- refusal ---

static const HedNet* SHARED;

static HedStatus build(void) {
    HedSlide* slide = NULL;
    HedSlideSettings set = settings();
    HedSlidingDef def = hed_sliding_def_default();
    def.rayleigh = 1e-3;
    def.net = SHARED;
    HedStatus status = hed_slide_create(&def, &set, &TEAM, &slide, NULL);
    hed_slide_destroy(slide);
    return status;
}

// The net is not counted: it is copied to memory of the test's own.
Test(slide, survives_without_memory) {
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

Test(slide, refuses_values_that_mean_nothing) {
    HedNet net = {0};
    test_net_weave(4, 4, &net);
    HedSlideSettings set = settings();
    HedSlide* slide = NULL;
    HedError error = {0};
    HedSlidingDef def = hed_sliding_def_default();
    def.net = &net;
    def.friction = -0.1;
    cr_assert_eq(hed_slide_create(&def, &set, &TEAM, &slide, &error), HED_INVALID);
    cr_assert(strstr(error.message, "friction must be at least 0, got -0.1"), "%s", error.message);
    def = hed_sliding_def_default();
    cr_assert_eq(hed_slide_create(&def, &set, &TEAM, &slide, &error), HED_INVALID);
    cr_assert(strstr(error.message, "no net"));
    def.net = &net;
    def.set = 1.5;
    cr_assert_eq(hed_slide_create(&def, &set, &TEAM, &slide, &error), HED_INVALID);
    cr_assert(strstr(error.message, "set must be at most 1"));
    def.set = 1.0;
    net.visits[3].at = net.visits[2].at - 1e-3;
    cr_assert_eq(hed_slide_create(&def, &set, &TEAM, &slide, &error), HED_INVALID);
    cr_assert(strstr(error.message, "yarn"), "%s", error.message);
    cr_assert_null(slide);
    hed_net_free(&net);
}
