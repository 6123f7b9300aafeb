// SPDX-License-Identifier: MIT
// The lecture's claims about integrators, on one hanging sheet: order of convergence, which diverge
// and where, energy drift, cost.
#include "experiment/list.h"
#include "experiment/sheet_lab.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Method {
    HedIntegrator integrator;
    double order;      // expected; 0: none is claimed
    double first_step; // s, of the order test: small enough that the leading error dominates
} Method;

// Steps of the order test: the fastest wave of the 9 x 9 sheet has a period of some 2 ms.
// In the order of HedIntegrator, so that one indexes the other.
static const Method METHODS[] = {
    {HED_EXPLICIT_EULER, 1.0, 4e-6},
    {HED_SYMPLECTIC_EULER, 1.0, 4e-5},
    {HED_VERLET, 2.0, 2e-4},
    {HED_RK4, 4.0, 2e-4},
    {HED_IMPLICIT_EULER, 1.0, 4e-5},
    {HED_PBD, 0.0, 0.0},
    {HED_XPBD, 0.0, 0.0},
    {HED_NEWMARK, 2.0, 2e-4},
    {HED_BDF2, 2.0, 1e-4},
};

// J: weight of the cloth (0.2 kg/m^2, 0.09 m^2) times its height, all that falling could set free.
static const double FALL = 0.2 * 0.09 * 9.81 * 0.3;

enum { METHOD_COUNT = sizeof METHODS / sizeof METHODS[0], STIFFNESS_COUNT = 4 };

static const HedParameter PARAMETERS[] = {
    {.name = "stretch",
     .unit = "N/m",
     .number = 50.0,
     .least = 1.0,
     .most = 1e5,
     .help = "softest of the stiffnesses; each next one is ten times stiffer"},
    {.name = "points",
     .unit = "",
     .number = 9.0,
     .least = 3.0,
     .most = 101.0,
     .whole = true,
     .help = "of the sheet along a side"},
    {.name = "duration",
     .unit = "s",
     .number = 0.5,
     .least = 0.01,
     .most = 100.0,
     .help = "simulated in the tests of stability and drift"},
};

static void set_method(HedLab* lab, Trial* trial, HedIntegrator method, double h) {
    int32_t n = lab_count(lab, "points");
    trial_set(trial, "step.integrator=%s", hed_integrator_name(method));
    trial_set(trial, "step.size=%.17g s", h);
    trial_set(trial, "sheets.cloth.grid.points=[%d,%d]", n, n);
    trial_set(trial, "output.frame_interval=%.17g s", 1000.0 * h);
    trial_set(trial, "duration=%.17g s", 1e6 * h);
}

// Positions after a short time, with the solver as exact as it gets. 0 or the exit code.
static int positions_after(HedLab* lab, HedIntegrator method, double h, double time,
                           HedVec3* positions) {
    Trial trial = {0};
    set_method(lab, &trial, method, h);
    trial_set(&trial, "sheets.cloth.stretch=%.17g N/m", lab_number(lab, "stretch"));
    trial_set(&trial, "step.newton_tolerance=1e-11 m/s");
    trial_set(&trial, "step.linear_tolerance=1e-10");
    int code = trial_start(lab, &trial, "scene.yaml");
    if (code != 0) {
        return code;
    }
    bool ok = trial_go(&trial, time);
    trial_positions(&trial);
    memcpy(positions, trial.positions, sizeof(HedVec3) * (size_t)trial.vertex_count);
    trial_end(&trial);
    return ok ? 0 : lab_fail_text(lab, "%s gave up", hed_integrator_name(method));
}

static double distance(const HedVec3* a, const HedVec3* b, int32_t count) {
    double sum = 0.0;
    for (int32_t k = 0; k < count; ++k) {
        double d[3] = {a[k].x - b[k].x, a[k].y - b[k].y, a[k].z - b[k].z};
        sum += d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
    }
    return sqrt(sum / count);
}

// Errors at three steps against a much finer RK4; the order is that of the last halving.
static int measure_orders(HedLab* lab) {
    enum { HALVINGS = 3 };
    const double time = 0.02; // s, a few periods of the fastest waves
    int32_t count = lab_count(lab, "points") * lab_count(lab, "points");
    HedVec3* exact = calloc((size_t)count, sizeof(HedVec3));
    HedVec3* found = calloc((size_t)count, sizeof(HedVec3));
    int code = exact && found ? 0 : lab_fail_text(lab, "no memory");
    code = code ? code : positions_after(lab, HED_RK4, 1.25e-5, time, exact);
    lab_note(lab, "order of convergence (error against RK4 at 12.5 us, after %g s)", time);
    lab_table_begin(lab, "orders.csv", "integrator,step (s),error (m),order");
    for (int m = 0; m < METHOD_COUNT && code == 0; ++m) {
        double before = 0.0;
        double order = 0.0;
        for (int k = 0; k < HALVINGS && METHODS[m].order > 0.0 && code == 0; ++k) {
            double h = METHODS[m].first_step / (1 << k);
            code = positions_after(lab, METHODS[m].integrator, h, time, found);
            double error = distance(exact, found, count);
            order = k > 0 ? log2(before / error) : 0.0;
            before = error;
            lab_table_row(lab, 4, (double[]){m, h, error, order});
        }
        if (METHODS[m].order > 0.0 && code == 0) {
            char text[80];
            snprintf(text, sizeof text, "order of %s", hed_integrator_name(METHODS[m].integrator));
            // The next term of the error is a part in fifty at these steps (RK4) or less.
            lab_claim(lab, text, METHODS[m].order, order, 0.05);
            snprintf(text, sizeof text, "order_%s", hed_integrator_name(METHODS[m].integrator));
            lab_result(lab, text, order);
        }
    }
    lab_table_end(lab);
    free(exact);
    free(found);
    return code;
}

// Whether the sheet stays together: all steps done and never more kinetic energy than falling could
// give.
static int stays(HedLab* lab, HedIntegrator method, double stretch, double h, bool* stable,
                 double* cost) {
    Trial trial = {0};
    double duration = lab_number(lab, "duration");
    set_method(lab, &trial, method, h);
    trial_set(&trial, "sheets.cloth.stretch=%.17g N/m", stretch);
    trial_set(&trial, "sheets.cloth.shear=%.17g N/m", 0.3 * stretch);
    int code = trial_start(lab, &trial, "scene.yaml");
    if (code != 0) {
        return code;
    }
    *stable = true;
    for (int k = 1; k <= 20 && *stable; ++k) {
        *stable = trial_go(&trial, duration * k / 20);
        HedEnergies energies = hed_sim_energies(trial.sim);
        *stable = *stable && energies.kinetic < FALL;
    }
    *cost = trial.wall / duration;
    trial_end(&trial);
    return 0;
}

// Largest step of 2^-k s that stays together; 0 if even the smallest tried does not.
static int largest_step(HedLab* lab, HedIntegrator method, double stretch, double* step,
                        double* cost) {
    int last = lab_quick(lab) ? 13 : 15;
    *step = 0.0;
    for (int k = 4; k <= last; ++k) {
        bool stable = false;
        int code = stays(lab, method, stretch, exp2(-k), &stable, cost);
        if (code != 0) {
            return code;
        }
        if (stable) {
            *step = exp2(-k);
            return 0;
        }
    }
    return 0;
}

static int measure_stability(HedLab* lab, double steps[METHOD_COUNT][STIFFNESS_COUNT]) {
    int code = 0;
    int stiffnesses = lab_quick(lab) ? 2 : STIFFNESS_COUNT;
    lab_note(lab, "largest stable step (s) for %g s of simulated time, 0: none down to %g s",
             lab_number(lab, "duration"), exp2(lab_quick(lab) ? -13 : -15));
    lab_table_begin(lab, "stability.csv",
                    "stretch (N/m),explicit,symplectic,verlet,rk4,implicit,pbd,xpbd,newmark,bdf2");
    double cost[METHOD_COUNT][STIFFNESS_COUNT] = {{0}};
    for (int s = 0; s < stiffnesses && code == 0; ++s) {
        double row[METHOD_COUNT + 1] = {lab_number(lab, "stretch") * pow(10.0, s)};
        for (int m = 0; m < METHOD_COUNT && code == 0; ++m) {
            code = largest_step(lab, METHODS[m].integrator, row[0], &steps[m][s], &cost[m][s]);
            row[m + 1] = steps[m][s];
        }
        lab_table_row(lab, METHOD_COUNT + 1, row);
    }
    lab_table_end(lab);
    lab_note(lab, "cost at that step (s of one core per simulated second)");
    lab_table_begin(lab, "cost.csv",
                    "stretch (N/m),explicit,symplectic,verlet,rk4,implicit,pbd,xpbd,newmark,bdf2");
    for (int s = 0; s < stiffnesses && code == 0; ++s) {
        double row[METHOD_COUNT + 1] = {lab_number(lab, "stretch") * pow(10.0, s)};
        for (int m = 0; m < METHOD_COUNT; ++m) {
            row[m + 1] = steps[m][s] > 0.0 ? cost[m][s] : 0.0;
        }
        lab_table_row(lab, METHOD_COUNT + 1, row);
    }
    lab_table_end(lab);
    return code;
}

static void claim_stability(HedLab* lab, double steps[METHOD_COUNT][STIFFNESS_COUNT]) {
    int last = (lab_quick(lab) ? 2 : STIFFNESS_COUNT) - 1;
    double decades = last;
    // A spring's frequency grows as the root of its stiffness; steps are powers of two, so half a
    // power may be lost at either end.
    double slope =
        log10(steps[HED_SYMPLECTIC_EULER][last] / steps[HED_SYMPLECTIC_EULER][0]) / decades;
    lab_claim(lab, "symplectic Euler: step against stiffness, slope in log-log", -0.5, slope,
              0.3 / decades + 0.02);
    lab_claim_true(lab,
                   "explicit Euler needs a far smaller step than symplectic Euler, if any will do",
                   steps[HED_EXPLICIT_EULER][0] <= 0.25 * steps[HED_SYMPLECTIC_EULER][0]);
    lab_claim_true(lab, "implicit Euler is stable at 1/16 s for every stiffness",
                   steps[HED_IMPLICIT_EULER][0] == 0.0625 &&
                       steps[HED_IMPLICIT_EULER][last] == 0.0625);
    lab_claim_true(lab, "PBD and XPBD are stable at 1/16 s for every stiffness",
                   steps[HED_PBD][last] == 0.0625 && steps[HED_XPBD][last] == 0.0625);
    lab_claim_true(lab, "RK4 bears at least the step of Verlet",
                   steps[HED_RK4][0] >= steps[HED_VERLET][0]);
    lab_result(lab, "symplectic_step", steps[HED_SYMPLECTIC_EULER][0]);
    lab_result(lab, "implicit_step", steps[HED_IMPLICIT_EULER][last]);
}

// Change of the total energy over the test, relative to what falling sets free.
static int measure_drift(HedLab* lab, double h) {
    int code = 0;
    lab_note(lab, "energy drift without damping at a step of %g s", h);
    lab_table_begin(lab, "drift.csv", "integrator,change of total over kinetic scale");
    for (int m = 0; m < METHOD_COUNT && code == 0; ++m) {
        Trial trial = {0};
        set_method(lab, &trial, METHODS[m].integrator, h);
        trial_set(&trial, "sheets.cloth.stretch=%.17g N/m", lab_number(lab, "stretch"));
        code = trial_start(lab, &trial, "scene.yaml");
        if (code != 0) {
            break;
        }
        double before = hed_sim_energies(trial.sim).total;
        trial_go(&trial, lab_number(lab, "duration"));
        double drift = (hed_sim_energies(trial.sim).total - before) / FALL;
        lab_table_row(lab, 2, (double[]){m, drift});
        char name[80];
        snprintf(name, sizeof name, "drift_%s", hed_integrator_name(METHODS[m].integrator));
        lab_result(lab, name, drift);
        if (METHODS[m].integrator == HED_EXPLICIT_EULER) {
            lab_claim_above(lab, "explicit Euler gains energy", drift, 0.0);
        } else if (METHODS[m].integrator == HED_IMPLICIT_EULER) {
            lab_claim_below(lab, "implicit Euler loses energy", drift, 0.0);
        } else if (METHODS[m].order >= 2.0 && METHODS[m].integrator != HED_BDF2) {
            // Second order at h w = 0.1 and better: a thousandth of the energy in play.
            snprintf(name, sizeof name, "%s keeps energy",
                     hed_integrator_name(METHODS[m].integrator));
            lab_claim(lab, name, 0.0, drift, 2e-3);
        }
        trial_end(&trial);
    }
    lab_table_end(lab);
    return code;
}

static void draw(HedLab* lab) {
    const char* const columns[METHOD_COUNT] = {
        "explicit", "symplectic", "verlet", "rk4", "implicit", "pbd", "xpbd", "newmark", "bdf2"};
    LabCurve curves[METHOD_COUNT];
    for (int m = 0; m < METHOD_COUNT; ++m) {
        curves[m] = (LabCurve){.csv = "stability.csv",
                               .x = "stretch (N/m)",
                               .y = columns[m],
                               .title = columns[m],
                               .points = true};
    }
    LabPlot plot = {.picture = "stability.svg",
                    .title = "Largest stable step of a hanging sheet",
                    .x_label = "stiffness (N/m)",
                    .y_label = "step (s)",
                    .log_x = true,
                    .log_y = true,
                    .curves = curves,
                    .curve_count = METHOD_COUNT};
    lab_plot(lab, &plot);
}

static int run(HedLab* lab) {
    double steps[METHOD_COUNT][STIFFNESS_COUNT] = {{0}};
    lab_note(lab, "integrators: 0 explicit-euler, 1 symplectic-euler, 2 verlet, 3 rk4, "
                  "4 implicit-euler, 5 pbd, 6 xpbd, 7 newmark, 8 bdf2");
    int code = measure_orders(lab);
    code = code ? code : measure_stability(lab, steps);
    if (code != 0) {
        return code;
    }
    claim_stability(lab, steps);
    code = measure_drift(lab, 0.125 * steps[HED_SYMPLECTIC_EULER][0]);
    draw(lab);
    return code;
}

const HedExperiment EXPERIMENT_INTEGRATORS = {
    .name = "integrators",
    .title = "which integrator diverges where, at what order it converges, what it costs",
    .parameters = PARAMETERS,
    .parameter_count = sizeof PARAMETERS / sizeof PARAMETERS[0],
    .run = run,
};
