// SPDX-License-Identifier: MIT
// Speed of rods on one thread: explicit and implicit steps of one rod, a lattice of rods laid on
// rods with friction, small knits; each with its goal, and how exact it is beside it. Times are
// those of the processor, the least of several rounds: on one thread they are what a clock would
// show on a machine without other work.
#include "experiment/elastica.h"
#include "experiment/knit_loops.h"
#include "experiment/list.h"
#include "experiment/sheet_lab.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const double WEIGHT = 0.0981; // N/m

// Steps one trial in rounds; the least time of a step, s, and of how many pieces steps are made.
typedef struct Timing {
    double best;       // s
    double mean;       // s, of all rounds: they follow each other in the motion
    double pieces;     // explicit steps in one
    double iterations; // Newton's
    double linear;     // of conjugate gradients
} Timing;

static Timing time_steps(YarnTrial* trial, int32_t rounds, int32_t steps) {
    Timing out = {.best = HUGE_VAL};
    double sum = 0.0;
    for (int32_t k = 0; k < rounds && trial->status == HED_OK; ++k) {
        HedStepReport report = {0};
        double pieces = 0.0, iterations = 0.0, linear = 0.0;
        double begin = trial_busy();
        for (int32_t i = 0; i < steps && trial->status == HED_OK; ++i) {
            trial->status = hed_sim_step(trial->sim, &report, &trial->error);
            if (trial->status == HED_OK && report.reason != HED_REASON_CONVERGED) {
                trial->status = HED_INVALID;
                snprintf(trial->error.message, sizeof trial->error.message, "%s", report.trouble);
            }
            pieces += report.substeps;
            iterations += report.iterations;
            linear += report.linear_iterations;
        }
        double each = (trial_busy() - begin) / steps;
        sum += each;
        if (each < out.best) {
            out = (Timing){each, 0.0, pieces / steps, iterations / steps, linear / steps};
        }
    }
    out.mean = sum / rounds;
    return out;
}

// A rod of length 1 along x, clamped at the origin, w L^3/EI = beta.
static HedYarnsId add_cantilever(YarnTrial* trial, int32_t segments, double beta) {
    YarnCurves curves = {0};
    HedYarnsDef yarn = hed_yarns_def_default();
    yarn_curves_begin(&curves, 1e-3);
    for (int32_t k = 0; k <= segments; ++k) {
        yarn_curves_add(&curves, (HedVec3){(double)k / segments, 0.0, 0.0});
    }
    yarn.linear_density = WEIGHT / 9.81;
    yarn.bend = WEIGHT / beta;
    yarn.twist = yarn.bend;
    yarn.stretch = 1e6 * yarn.bend;
    HedYarnsId id = yarn_trial_add(trial, &curves, yarn);
    HedPinDef pin = hed_pin_def_default();
    int32_t first = 0;
    pin.yarns = id;
    pin.vertices = &first;
    pin.vertex_count = 1;
    pin.clamps = true;
    yarn_trial_pin(trial, pin);
    yarn_curves_free(&curves);
    return id;
}

static int one_rod_explicit(HedLab* lab) {
    enum { SEGMENTS = 1000, PIECES = 200 };
    YarnTrial trial = {0};
    HedSimDef def = hed_sim_def_default();
    def.integrator = HED_SYMPLECTIC_EULER;
    def.thread_count = 1;
    def.yarn_contact = false;
    def.time_step = 1e-5;
    yarn_trial_begin(&trial, lab, def);
    add_cantilever(&trial, SEGMENTS, 8.0);
    Timing found = time_steps(&trial, 1, 1);
    found = time_steps(&trial, 20, 1 + (int32_t)(PIECES / found.pieces));
    int code = yarn_trial_code(&trial, lab);
    double each = 1e6 * found.best / found.pieces / SEGMENTS;
    if (code == 0) {
        HedEnergies energies = hed_sim_energies(trial.sim);
        lab_table_row(lab, 5,
                      (double[]){1, SEGMENTS, 0.3, each, energies.total / energies.kinetic});
        lab_result(lab, "explicit_us", each);
        lab_claim_below(lab, "explicit step, us per segment", each, 0.3);
    }
    yarn_trial_end(&trial);
    return code;
}

static int one_rod_implicit(HedLab* lab) {
    enum { SEGMENTS = 100 };
    YarnTrial trial = {0};
    HedSimDef def = hed_sim_def_default();
    def.thread_count = 1;
    def.yarn_contact = false;
    def.time_step = 0.02;
    yarn_trial_begin(&trial, lab, def);
    add_cantilever(&trial, SEGMENTS, 8.0);
    Timing found = time_steps(&trial, 10, 20);
    int code = yarn_trial_code(&trial, lab);
    double each = 1e6 * found.best / SEGMENTS;
    if (code == 0) {
        lab_table_row(lab, 5, (double[]){2, SEGMENTS, 5.0, each, found.iterations});
        lab_result(lab, "implicit_us", each);
        lab_claim_below(lab, "implicit step of 20 ms, us per segment", each, 5.0);
    }
    yarn_trial_end(&trial);
    return code;
}

static int settled(HedLab* lab) {
    enum { SEGMENTS = 100 };
    YarnTrial trial = {0};
    HedSimDef def = hed_sim_def_default();
    def.thread_count = 1;
    def.yarn_contact = false;
    def.integrator = HED_QUASI_STATIC;
    def.time_step = 1.0;
    yarn_trial_begin(&trial, lab, def);
    HedYarnsId id = add_cantilever(&trial, SEGMENTS, 8.0);
    Timing found = time_steps(&trial, 1, 1);
    int code = yarn_trial_code(&trial, lab);
    if (code == 0) {
        HedVec3 x[SEGMENTS + 1];
        Elastica exact;
        elastica_solve(8.0, &exact);
        hed_yarns_positions(trial.sim, id, x);
        double off = hypot(x[SEGMENTS].x - exact.x[ELASTICA_STEPS],
                           x[SEGMENTS].y + exact.drop[ELASTICA_STEPS]);
        lab_table_row(lab, 5, (double[]){3, SEGMENTS, 1.2e-4, off, 1e3 * found.best});
        lab_result(lab, "tip_error", off);
        lab_claim_below(lab, "settled cantilever: tip over length", off, 1.2e-4);
    }
    yarn_trial_end(&trial);
    return code;
}

// K rods along x with clamped ends, K free ones along z laid on them; crossings are four segments
// apart, so each rod has 4 K segments. Returns the free ones.
static HedYarnsId add_lattice(YarnTrial* trial, int32_t k, int32_t* points) {
    HedYarnsId id = {0};
    const double cell = 2.5e-3, radius = 0.5e-3;
    HedYarnsDef yarn = hed_yarns_def_default();
    int32_t n = 4 * k;
    *points = 2 * k * (n + 1);
    for (int layer = 0; layer < 2; ++layer) {
        YarnCurves curves = {0};
        for (int32_t r = 0; r < k; ++r) {
            double across = cell * (4 * r + 2);
            yarn_curves_begin(&curves, radius);
            for (int32_t i = 0; i <= n; ++i) {
                HedVec3 low = {cell * i, 0.0, across};
                HedVec3 high = {across, 2.0 * radius, cell * i};
                yarn_curves_add(&curves, layer ? high : low);
            }
        }
        id = yarn_trial_add(trial, &curves, yarn);
        for (int32_t r = 0; r < 2 * k && layer == 0; ++r) {
            HedPinDef pin = hed_pin_def_default();
            int32_t vertex = r / 2 * (n + 1) + (r % 2) * n;
            pin.yarns = id;
            pin.vertices = &vertex;
            pin.vertex_count = 1;
            pin.clamps = true;
            yarn_trial_pin(trial, pin);
        }
        yarn_curves_free(&curves);
    }
    return id;
}

// Steps a lattice; the mean height of the rods laid on the others afterwards, m, comes to *height.
typedef struct Lattice {
    int32_t k;
    double tolerance; // of Newton's method and of the linear solves
    int32_t rounds, steps;
} Lattice;

static int lattice_go(HedLab* lab, Lattice lattice, Timing* found, double* height) {
    YarnTrial trial = {0};
    HedSimDef def = hed_sim_def_default();
    int32_t points = 0;
    def.thread_count = 1;
    def.time_step = 1e-3;
    def.yarn_friction = 0.3;
    def.newton_tolerance = def.linear_tolerance = lattice.tolerance;
    yarn_trial_begin(&trial, lab, def);
    HedYarnsId laid = add_lattice(&trial, lattice.k, &points);
    *found = time_steps(&trial, lattice.rounds, lattice.steps);
    HedVec3* x = calloc((size_t)points, sizeof *x);
    if (trial.status == HED_OK && x) {
        hed_yarns_positions(trial.sim, laid, x);
        *height = 0.0;
        for (int32_t i = 0; i < points / 2; ++i) {
            *height += 2.0 * x[i].y / points;
        }
    }
    free(x);
    int code = yarn_trial_code(&trial, lab);
    yarn_trial_end(&trial);
    return code;
}

static int lattice(HedLab* lab, int32_t k, double goal) {
    Lattice plain = {k, 1e-4, lab_quick(lab) ? 1 : 4, lab_quick(lab) ? 2 : 25};
    Timing found;
    double height = 0.0;
    char name[48];
    int code = lattice_go(lab, plain, &found, &height);
    if (code == 0) {
        double ms = 1e3 * found.best;
        lab_table_row(lab, 5, (double[]){4, 2 * k * (4 * k + 1), goal, ms, found.linear});
        snprintf(name, sizeof name, "lattice_%d_ms", (int)k);
        lab_result(lab, name, ms);
        snprintf(name, sizeof name, "lattice of %d x %d rods, ms per step", (int)k, (int)k);
        lab_claim_below(lab, name, ms, goal);
        snprintf(name, sizeof name, "lattice_%d_mean_ms", (int)k);
        lab_result(lab, name, 1e3 * found.mean); // with the steps in which rods land
    }
    return code;
}

// What a node costs in a correction of Newton's method with four times as many rods as with ten.
// The larger lattice falls further and needs more corrections in a step.
static int lattice_growth(HedLab* lab) {
    const int32_t k[2] = {10, 40};
    double each[2] = {0.0}, height;
    int code = 0;
    for (int n = 0; n < 2 && code == 0; ++n) {
        Timing found;
        Lattice lattice = {k[n], 1e-4, 1, lab_quick(lab) ? 1 : 10};
        int32_t points = 2 * k[n] * (4 * k[n] + 1);
        code = lattice_go(lab, lattice, &found, &height);
        each[n] = 1e6 * found.best / found.iterations / points;
        if (code == 0) {
            lab_table_row(lab, 5, (double[]){7, points, 1.5 * each[0], each[n], found.iterations});
        }
    }
    if (code == 0) {
        lab_result(lab, "lattice_growth", each[1] / each[0]);
        lab_claim_below(lab, "lattice: a node's cost at 40 x 40 over that at 10 x 10",
                        each[1] / each[0], 1.5);
    }
    return code;
}

// How far tolerances a thousand times as tight bring the rods elsewhere, over how far they came.
static int lattice_error(HedLab* lab) {
    const double start = 1e-3; // m
    Lattice plain = {10, 1e-4, 1, lab_quick(lab) ? 10 : 100};
    Lattice tight = {10, 1e-7, plain.rounds, plain.steps};
    Timing found;
    double at = 0.0, exact = 0.0;
    int code = lattice_go(lab, plain, &found, &at);
    code = code ? code : lattice_go(lab, tight, &found, &exact);
    if (code == 0) {
        double off = fabs(at - exact) / fabs(start - exact);
        lab_table_row(lab, 5, (double[]){6, 820, 1e-3, off, found.linear});
        lab_result(lab, "lattice_error", off);
        lab_claim_below(lab, "lattice: height off from that with tight tolerances", off, 1e-3);
    }
    return code;
}

static int knit(HedLab* lab, int32_t wales, int32_t courses) {
    YarnTrial trial = {0};
    YarnCurves curves = {0};
    KnitLoops loops = {wales, courses, 8, 1.2e-3, 0.65e-3};
    HedSimDef def = hed_sim_def_default();
    HedYarnsDef yarn = hed_yarns_def_default();
    knit_loops(&loops, &curves);
    yarn.rest = HED_YARN_AS_STARTED;
    yarn.linear_density = 6e-4;
    yarn.stretch = 50.0;
    yarn.bend = 2e-8;
    yarn.twist = 1e-8;
    def.integrator = HED_SYMPLECTIC_EULER;
    def.thread_count = 1;
    def.time_step = 1e-4;
    yarn_trial_begin(&trial, lab, def);
    yarn_trial_add(&trial, &curves, yarn);
    int32_t points = curves.point_count;
    yarn_curves_free(&curves);
    Timing found = time_steps(&trial, lab_quick(lab) ? 1 : 6, 2);
    int code = yarn_trial_code(&trial, lab);
    if (code == 0) {
        double each = 1e6 * found.best / found.pieces / points;
        char name[64];
        lab_table_row(lab, 5, (double[]){5, points, 3.0, each, found.pieces});
        snprintf(name, sizeof name, "knit_%d_us", (int)points);
        lab_result(lab, name, each);
        snprintf(name, sizeof name, "knit of %d nodes, us per node-step", (int)points);
        lab_claim_below(lab, name, each, 3.0);
    }
    yarn_trial_end(&trial);
    return code;
}

int bench_rods(HedLab* lab) {
    lab_note(lab, "1: explicit step (us per segment; energy over kinetic energy beside it)");
    lab_note(lab, "2: implicit step of 20 ms (us per segment; Newton iterations)");
    lab_note(lab, "3: settled cantilever (tip error over length; ms)");
    lab_note(lab, "4: lattice of rods on rods, 1 ms, friction (ms per step; linear iterations)");
    lab_note(lab, "5: knit, explicit (us per node-step; explicit steps in 0.1 ms)");
    lab_note(lab,
             "6: lattice, its height against that with tight tolerances (part of the way down; "
             "linear iterations then)");
    lab_note(lab,
             "7: lattice, a correction of Newton's method (us per node; corrections in a step)");
    lab_table_begin(lab, "rods.csv", "case,segments or nodes,goal,measured,beside");
    int code = one_rod_explicit(lab);
    code = code ? code : one_rod_implicit(lab);
    code = code ? code : settled(lab);
    code = code ? code : lattice(lab, 10, 5.0);
    code = code ? code : lattice(lab, 20, 20.0);
    code = code ? code : lattice_growth(lab);
    code = code ? code : lattice_error(lab);
    code = code ? code : knit(lab, 10, 15);
    code = code ? code : knit(lab, 25, 28);
    lab_table_end(lab);
    return code;
}
