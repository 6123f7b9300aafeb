// SPDX-License-Identifier: MIT
// A square cloth of 1 m, held along one edge, let go from horizontal, in steps of 5 ms with
// self-collision: what a vertex and step cost, where the time goes, and how right the motion is.
//
// The angle of the centre of mass about the held edge is compared with that of the same engine at a
// quarter of the step. Times are of the whole swing, the best of several rounds.
#include "experiment/blender.h"
#include "experiment/list.h"
#include "experiment/sheet_lab.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_STEPS = 120 };

static const double STEP = 5e-3; // s

// How a cloth is simulated.
typedef struct Way {
    const char* name;
    double tolerance; // m/s; 0: the default
    HedIntegrator integrator;
    int32_t iterations; // of Newton's method or over constraints; 0: the default
} Way;

typedef struct Swing {
    Way way;
    int32_t side;
    double length; // m, of an edge; 0: 1
    int32_t steps;
    int32_t split; // of a step
    HedSim* sim;
    HedSheetId sheet;
    HedVec3* positions;
    HedProfile profile;

    // Found by run_swing.
    double wall; // s, in steps
    double strain;
    double loss; // of total energy, over what the fall to the lowest place sets free
    double newton, linear, pieces; // per step
    double angle[MOST_STEPS];      // rad, after each step
    double tip_drop;               // m
} Swing;

static HedSheetDef cloth_def(const Way* way) {
    HedSheetDef def = hed_sheet_def_default();
    bool by_position = way->integrator == HED_XPBD;
    def.model = by_position ? HED_SHEET_SPRINGS : HED_SHEET_MEMBRANE;
    def.bending = by_position ? HED_BENDING_CURVATURE : HED_BENDING_HINGES;
    return def;
}

static HedSimDef sim_def(const Swing* swing, int32_t threads) {
    HedSimDef def = hed_sim_def_default();
    const Way* way = &swing->way;
    bool by_position = way->integrator == HED_XPBD;
    def.integrator = way->integrator;
    def.time_step = STEP / swing->split;
    def.self_collision = true;
    def.thread_count = threads;
    def.newton_tolerance = way->tolerance > 0.0 ? way->tolerance : def.newton_tolerance;
    if (way->iterations > 0) {
        *(by_position ? &def.pbd_iterations : &def.newton_iterations) = way->iterations;
    }
    return def;
}

static void fill_mesh(int32_t n, double length, HedVec3* vertices, int32_t* triangles) {
    double cell = length / (n - 1);
    for (int32_t a = 0; a < n * n; ++a) {
        int32_t row = a / n;
        int32_t column = a % n;
        vertices[a] = (HedVec3){cell * column, 0.0, cell * row};
        if (row + 1 < n && column + 1 < n) {
            const int32_t six[6] = {a, a + n, a + 1, a + 1, a + n, a + n + 1};
            memcpy(triangles, six, sizeof six);
            triangles += 6;
        }
    }
}

static HedStatus create(Swing* swing, int32_t threads, int32_t* triangles, int32_t* held,
                        HedError* error) {
    int32_t n = swing->side;
    HedSimDef def = sim_def(swing, threads);
    HedSheetDef sheet = cloth_def(&swing->way);
    HedPinDef pin = hed_pin_def_default();
    HedPinId pin_id;
    fill_mesh(n, swing->length > 0.0 ? swing->length : 1.0, swing->positions, triangles);
    for (int32_t k = 0; k < n; ++k) {
        held[k] = k;
    }
    sheet.vertices = swing->positions;
    sheet.vertex_count = n * n;
    sheet.triangles = triangles;
    sheet.triangle_count = 2 * (n - 1) * (n - 1);
    sheet.grid_columns = sheet.grid_rows = n;
    HedStatus status = hed_sim_create(&def, &swing->sim, error);
    status = status ? status : hed_sheet_create(swing->sim, &sheet, &swing->sheet, error);
    pin.sheet = swing->sheet;
    pin.vertices = held;
    pin.vertex_count = n;
    status = status ? status : hed_pin_create(swing->sim, &pin, &pin_id, error);
    return status ? status : hed_sim_prepare(swing->sim, error);
}

static int start(HedLab* lab, Swing* swing, int32_t threads) {
    int32_t n = swing->side;
    HedError error = {0};
    swing->positions = calloc((size_t)n * (size_t)n, sizeof(HedVec3));
    int32_t* triangles = calloc((size_t)n * (size_t)n * 6, sizeof(int32_t));
    int32_t* held = calloc((size_t)n, sizeof(int32_t));
    int code = 0;
    if (!swing->positions || !triangles || !held) {
        code = lab_fail_text(lab, "no memory for a cloth of %d x %d", n, n);
    } else if (create(swing, threads, triangles, held, &error) != HED_OK) {
        code = lab_fail(lab, &error);
    }
    free(triangles);
    free(held);
    return code;
}

static void end(Swing* swing) {
    hed_sim_destroy(swing->sim);
    free(swing->positions);
    swing->sim = NULL;
    swing->positions = NULL;
}

static void look(Swing* swing, int32_t step) {
    int32_t n = swing->side;
    double y = 0.0, z = 0.0, strain[3] = {0};
    HedMeasureDef measure = {.kind = HED_MEASURE_STRAIN, .sheet = swing->sheet};
    hed_sheet_positions(swing->sim, swing->sheet, swing->positions);
    for (int32_t k = 0; k < n * n; ++k) {
        y += swing->positions[k].y;
        z += swing->positions[k].z;
    }
    hed_sim_measure(swing->sim, &measure, strain, NULL);
    swing->angle[step] = atan2(-y, z);
    swing->strain = fmax(swing->strain, fabs(strain[1]));
    swing->tip_drop = -swing->positions[n * n - 1 - n / 2].y;
}

// One whole swing. The better of two times counts, so that it may be called again.
static int run_swing(HedLab* lab, Swing* swing, int32_t threads) {
    HedProfile profile = {0};
    double wall = 0.0;
    int code = start(lab, swing, threads);
    double before = code ? 0.0 : hed_sim_energies(swing->sim).total;
    swing->newton = swing->linear = swing->pieces = 0.0;
    if (code == 0) {
        hed_sim_set_profile(swing->sim, &profile);
    }
    for (int32_t k = 0; k < swing->steps && code == 0; ++k) {
        double begin = trial_clock();
        for (int32_t part = 0; part < swing->split && code == 0; ++part) {
            HedStepReport report;
            HedError error = {0};
            if (hed_sim_step(swing->sim, &report, &error) != HED_OK) {
                code = lab_fail(lab, &error);
            } else if (report.reason != HED_REASON_CONVERGED) {
                code = lab_fail_text(lab, "the solver gave up: %s", report.trouble);
            }
            swing->newton += (double)report.iterations / swing->steps;
            swing->linear += (double)report.linear_iterations / swing->steps;
            swing->pieces += (double)report.substeps / swing->steps;
        }
        wall += trial_clock() - begin;
        if (code == 0) {
            look(swing, k);
        }
    }
    if (code == 0) {
        HedEnergies energies = hed_sim_energies(swing->sim);
        swing->loss = (before - energies.total + energies.dissipated) / (0.15 * 9.81 * 0.5);
    }
    if (swing->wall == 0.0 || wall < swing->wall) {
        swing->wall = wall;
        swing->profile = profile;
    }
    end(swing);
    return code;
}

// rad, root of the mean square over the steps.
static double angle_error(const Swing* swing, const Swing* reference) {
    double sum = 0.0;
    for (int32_t k = 0; k < swing->steps; ++k) {
        double e = swing->angle[k] - reference->angle[k];
        sum += e * e;
    }
    return sqrt(sum / swing->steps);
}

static double cost(const Swing* swing) {
    return 1e6 * swing->wall / swing->steps / ((double)swing->side * swing->side); // us
}

// The second is what is judged: an error of 1 mm/s is 5 um in a step, far below what is seen; the
// first is the default, ten times finer. XPBD is judged with five passes: more
// change little.
enum { WAYS = 5, GOAL = 1 };

static const Way WAY[WAYS] = {
    {"implicit Euler", 0.0, HED_IMPLICIT_EULER, 0},
    {"implicit Euler to 1 mm/s", 1e-3, HED_IMPLICIT_EULER, 0},
    {"implicit Euler, one linear solve a step", 0.0, HED_IMPLICIT_EULER, 1},
    {"XPBD, 20 passes", 0.0, HED_XPBD, 20},
    {"XPBD, 5 passes", 0.0, HED_XPBD, 5},
};

typedef struct Plan {
    int32_t side, steps, rounds, threads;
    int32_t size[2]; // for the growth of the cost
    int32_t size_steps;
} Plan;

static Plan make_plan(const HedLab* lab) {
    int32_t threads = lab_threads(lab) > 0 ? lab_threads(lab) : 2;
    if (lab_quick(lab)) {
        return (Plan){15, 8, 1, threads, {10, 20}, 4};
    }
    return (Plan){100, MOST_STEPS, 2, threads, {45, 447}, 16};
}

static int run_ways(HedLab* lab, const Plan* plan, Swing swings[WAYS]) {
    int code = 0;
    Swing reference = {0};
    double errors[WAYS] = {0};
    for (int k = 0; k < WAYS && code == 0; ++k) {
        swings[k] = (Swing){.way = WAY[k], .side = plan->side, .steps = plan->steps, .split = 1};
        if (k == 0 || WAY[k].integrator != WAY[k - 1].integrator) {
            reference = swings[k];
            reference.split = 4;
            code = run_swing(lab, &reference, plan->threads);
        }
        for (int round = 0; round < plan->rounds && code == 0; ++round) {
            code = run_swing(lab, &swings[k], plan->threads);
        }
        errors[k] = code ? 0.0 : angle_error(&swings[k], &reference);
    }
    lab_table_begin(lab, "swing.csv",
                    "way,us/vertex/step,iterations,cg,pieces,largest strain (%),"
                    "angle error (deg),energy lost by the scheme (%),drop (m)");
    for (int k = 0; k < WAYS && code == 0; ++k) {
        const Swing* s = &swings[k];
        lab_table_row(lab, 9,
                      (double[]){k + 1, cost(s), s->newton, s->linear, s->pieces, 100.0 * s->strain,
                                 57.29577951308232 * errors[k], 100.0 * s->loss, s->tip_drop});
    }
    lab_table_end(lab);
    for (int k = 0; k < WAYS; ++k) {
        lab_note(lab, "way %d: %s", k + 1, WAY[k].name);
    }
    return code;
}

// Share of each stage in percent.
static void report_stages(HedLab* lab, const Swing* swings, int count) {
    char columns[400] = "way";
    for (int s = 0; s < HED_STAGE_COUNT; ++s) {
        size_t used = strlen(columns);
        snprintf(columns + used, sizeof columns - used, ",%s (%%)", hed_stage_name((HedStage)s));
    }
    lab_table_begin(lab, "stages.csv", columns);
    for (int k = 0; k < count; ++k) {
        double row[1 + HED_STAGE_COUNT] = {k + 1};
        for (int s = 0; s < HED_STAGE_COUNT; ++s) {
            row[1 + s] = 100.0 * swings[k].profile.seconds[s] / swings[k].wall;
        }
        lab_table_row(lab, 1 + HED_STAGE_COUNT, row);
    }
    lab_table_end(lab);
}

// A small cloth, a large one of the same cells, and a large one of the same size.
static int run_sizes(HedLab* lab, const Plan* plan) {
    enum { SIZES = 3 };
    double large = (plan->size[1] - 1.0) / (plan->size[0] - 1.0);
    const int32_t side[SIZES] = {plan->size[0], plan->size[1], plan->size[1]};
    const double length[SIZES] = {1.0, large, 1.0};
    Swing swings[SIZES];
    int code = 0;
    for (int k = 0; k < SIZES && code == 0; ++k) {
        swings[k] = (Swing){.way = WAY[GOAL],
                            .side = side[k],
                            .length = length[k],
                            .steps = plan->size_steps,
                            .split = 1};
        code = run_swing(lab, &swings[k], plan->threads);
    }
    if (code) {
        return code;
    }
    lab_table_begin(lab, "sizes.csv",
                    "vertices,edge (m),us/vertex/step,iterations,cg,largest strain (%)");
    for (int k = 0; k < SIZES; ++k) {
        const Swing* s = &swings[k];
        lab_table_row(lab, 6,
                      (double[]){(double)s->side * s->side, s->length, cost(s), s->newton,
                                 s->linear, 100.0 * s->strain});
    }
    lab_table_end(lab);
    double growth = cost(&swings[1]) / cost(&swings[0]);
    lab_result(lab, "growth", growth);
    lab_result(lab, "growth_finer", cost(&swings[2]) / cost(&swings[0]));
    if (!lab_quick(lab)) {
        lab_claim_below(lab,
                        "cost per vertex and step of the large cloth over that of the small one, "
                        "same cells",
                        growth, 1.4);
    }
    return 0;
}

static void compare(HedLab* lab, const Plan* plan, const Swing* swings) {
    BlenderJob job = {plan->side, plan->steps / 8 * 8, plan->threads};
    BlenderResult found;
    if (lab_quick(lab) || !blender_swing(lab, &job, &found)) {
        return;
    }
    double us = 1e6 * found.wall / job.steps / ((double)job.side * job.side);
    lab_note(lab, "Blender: %.2f us/vertex/step, largest strain %.2g %%, drop %.3f m", us,
             100.0 * found.strain, found.tip_drop);
    lab_result(lab, "blender", us);
    lab_result(lab, "blender_drop", found.tip_drop);
    lab_result(lab, "blender_over_implicit", us / cost(&swings[GOAL]));
    lab_result(lab, "blender_over_xpbd", us / cost(&swings[WAYS - 1]));
}

// A short version says nothing about speed.
static void claim(HedLab* lab, const Swing* swings) {
    const Swing* fine = &swings[0];
    const Swing* implicit = &swings[GOAL];
    const Swing* xpbd = &swings[WAYS - 1];
    lab_result(lab, "implicit", cost(implicit));
    lab_result(lab, "implicit_fine", cost(fine));
    lab_result(lab, "xpbd", cost(xpbd));
    lab_claim_below(lab, "implicit, largest strain", implicit->strain, 0.05);
    lab_claim_below(lab, "XPBD, largest strain", xpbd->strain, 0.05);
    if (!lab_quick(lab)) {
        lab_claim_below(lab, "implicit, us per vertex and step", cost(implicit), 3.0);
        lab_claim_below(lab, "implicit, share of assembly",
                        fine->profile.seconds[HED_STAGE_ASSEMBLY] / fine->wall, 0.25);
        lab_claim_below(lab, "XPBD, us per vertex and step", cost(xpbd), 1.5);
    }
}

int bench_swing(HedLab* lab) {
    Plan plan = make_plan(lab);
    Swing* swings = calloc(WAYS, sizeof *swings);
    int code = swings ? run_ways(lab, &plan, swings) : lab_fail_text(lab, "no memory");
    if (code == 0) {
        report_stages(lab, swings, WAYS);
        code = run_sizes(lab, &plan);
        compare(lab, &plan, swings);
        claim(lab, swings);
    }
    free(swings);
    return code;
}
