// SPDX-License-Identifier: MIT
// A square cloth of 1 m, held along one edge, let go from horizontal, in steps of 5 ms with
// self-collision: what a vertex and step cost, where the time goes, and how right the motion is.
//
// Every tenth step is made a second time, from the same state, by a judge that solves the same
// equations to 1 um/s: how far velocities are from its own is the error. Times are of the whole
// swing, with one thread and with two, the best of several rounds; a row is printed as soon as it
// is measured.
#include "experiment/blender.h"
#include "experiment/list.h"
#include "experiment/sheet_lab.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double STEP = 5e-3; // s

// How a cloth is simulated.
typedef struct Way {
    const char* name;
    double tolerance; // m/s; 0: the default
    HedIntegrator integrator;
    int32_t iterations; // of Newton's method or over constraints; 0: the default
    double linear;      // tolerance of linear solves; 0: the default
} Way;

typedef struct Swing {
    Way way;
    int32_t side;
    double length; // m, of an edge
    int32_t steps;
    HedSim* sim;
    HedSheetId sheet;
    HedVec3* positions;
    HedProfile profile;

    // Found by run_swing.
    double wall; // s, in steps; 0: not known yet
    double strain;
    double loss;           // of total energy, over what the fall to the lowest place sets free
    double newton, linear; // per step
    double tip_drop;       // m
    double error;          // m/s, root of the mean square
    double worst;          // m/s, largest error of a vertex
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
    def.time_step = STEP;
    def.self_collision = true;
    def.thread_count = threads;
    def.newton_tolerance = way->tolerance > 0.0 ? way->tolerance : def.newton_tolerance;
    def.linear_tolerance = way->linear > 0.0 ? way->linear : def.linear_tolerance;
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
    fill_mesh(n, swing->length, swing->positions, triangles);
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

static void look(Swing* swing) {
    int32_t n = swing->side;
    double strain[3] = {0};
    HedMeasureDef measure = {.kind = HED_MEASURE_STRAIN, .sheet = swing->sheet};
    hed_sim_measure(swing->sim, &measure, strain, NULL);
    swing->strain = fmax(swing->strain, fabs(strain[1]));
    hed_sheet_positions(swing->sim, swing->sheet, swing->positions);
    swing->tip_drop = -swing->positions[n * n - 1 - n / 2].y;
}

// Who makes steps a second time.
typedef struct Judge {
    Swing cloth;
    HedVec3* velocities; // of the cloth that is judged
    double sum, worst;   // of squares, m^2/s^2; m/s
    int64_t count;
} Judge;

enum { JUDGE_EVERY = 10 };

static int judge_start(HedLab* lab, const Swing* swing, int32_t threads, Judge* judge) {
    size_t vertices = (size_t)swing->side * (size_t)swing->side;
    *judge = (Judge){.cloth = {.side = swing->side, .length = swing->length}};
    judge->cloth.way = (Way){"judge", 1e-6, swing->way.integrator, 500, 1e-6};
    judge->velocities = calloc(vertices, sizeof(HedVec3));
    if (!judge->velocities) {
        return lab_fail_text(lab, "no memory for a judge");
    }
    return start(lab, &judge->cloth, threads);
}

static void judge_end(Judge* judge) {
    end(&judge->cloth);
    free(judge->velocities);
}

// Gives the judge the state before the step.
static int judge_take(HedLab* lab, Swing* swing, Judge* judge) {
    HedSnapshotArray from[HED_SNAPSHOT_LIMIT], to[HED_SNAPSHOT_LIMIT];
    HedError error = {0};
    int32_t count = hed_sim_snapshot(swing->sim, from);
    if (count == 0 || hed_sim_snapshot(judge->cloth.sim, to) != count) {
        return lab_fail_text(lab, "no memory for the state of a cloth");
    }
    for (int32_t k = 0; k < count; ++k) {
        memcpy(to[k].data, from[k].data, (size_t)from[k].bytes);
    }
    return hed_sim_restored(judge->cloth.sim, &error) == HED_OK ? 0 : lab_fail(lab, &error);
}

static int make_step(HedLab* lab, Swing* swing, HedStepReport* report) {
    HedError error = {0};
    if (hed_sim_step(swing->sim, report, &error) != HED_OK) {
        return lab_fail(lab, &error);
    }
    if (report->reason != HED_REASON_CONVERGED) {
        return lab_fail_text(lab, "%s: the solver gave up: %s", swing->way.name, report->trouble);
    }
    return 0;
}

// The same step as the cloth has just made, and what is different.
static int judge_step(HedLab* lab, const Swing* swing, Judge* judge) {
    HedStepReport report;
    int32_t vertices = swing->side * swing->side;
    int code = make_step(lab, &judge->cloth, &report);
    if (code) {
        return code;
    }
    HedVec3* own = judge->cloth.positions;
    hed_sheet_velocities(judge->cloth.sim, judge->cloth.sheet, own);
    hed_sheet_velocities(swing->sim, swing->sheet, judge->velocities);
    for (int32_t k = 0; k < vertices; ++k) {
        HedVec3 a = own[k], b = judge->velocities[k];
        double dx = a.x - b.x, dy = a.y - b.y, dz = a.z - b.z;
        double square = dx * dx + dy * dy + dz * dz;
        judge->sum += square;
        judge->worst = lab_worse(judge->worst, sqrt(square));
    }
    judge->count += vertices;
    return 0;
}

// All steps of a started cloth; returns the exit code. *wall is the time in steps.
static int run_steps(HedLab* lab, Swing* swing, Judge* judge, double* wall) {
    int code = 0;
    swing->newton = swing->linear = 0.0;
    for (int32_t k = 0; k < swing->steps && code == 0; ++k) {
        bool is_judged = judge && k % JUDGE_EVERY == JUDGE_EVERY - 1;
        HedStepReport report = {0};
        code = is_judged ? judge_take(lab, swing, judge) : 0;
        double begin = trial_clock();
        code = code ? code : make_step(lab, swing, &report);
        *wall += trial_clock() - begin;
        code = code || !is_judged ? code : judge_step(lab, swing, judge);
        swing->newton += (double)report.iterations / swing->steps;
        swing->linear += (double)report.linear_iterations / swing->steps;
        if (code == 0) {
            look(swing);
        }
    }
    return code;
}

// One whole swing, judged if there is a judge. The best of several times counts.
static int run_swing(HedLab* lab, Swing* swing, int32_t threads, Judge* judge) {
    HedProfile profile = {0};
    double wall = 0.0;
    int code = start(lab, swing, threads);
    if (code == 0) {
        double before = hed_sim_energies(swing->sim).total;
        hed_sim_set_profile(swing->sim, &profile);
        code = run_steps(lab, swing, judge, &wall);
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

static double cost(const Swing* swing) {
    return 1e6 * swing->wall / swing->steps / ((double)swing->side * swing->side); // us
}

// The second is what is judged: an error of 1 mm/s is 5 um in a step, far below what is seen; the
// first is the default, ten times finer. XPBD is judged with five passes: more change little.
enum { WAYS = 5, GOAL = 1, PASSES = 4 };

static const Way WAY[WAYS] = {
    {"implicit Euler to 0.1 mm/s, the default", 0.0, HED_IMPLICIT_EULER, 0, 0.0},
    {"implicit Euler to 1 mm/s", 1e-3, HED_IMPLICIT_EULER, 0, 0.0},
    {"implicit Euler, one linear solve a step, to 1 %", 0.0, HED_IMPLICIT_EULER, 1, 1e-2},
    {"XPBD, 20 passes", 0.0, HED_XPBD, 20, 0.0},
    {"XPBD, 5 passes", 0.0, HED_XPBD, 5, 0.0},
};

typedef struct Plan {
    int32_t side, steps, rounds, threads;
    int32_t size[2]; // for the growth of the cost
    int32_t size_steps;
} Plan;

static Plan make_plan(const HedLab* lab) {
    int32_t threads = lab_threads(lab) > 0 ? lab_threads(lab) : 2;
    if (lab_quick(lab)) {
        return (Plan){15, 12, 1, threads, {10, 20}, 4};
    }
    return (Plan){100, 120, 2, threads, {45, 447}, 10};
}

// One way with one thread, judged, and with more; what the bench makes claims about, several times.
static int run_way(HedLab* lab, const Plan* plan, const Way* way, Swing* alone, Swing* swing) {
    Judge judge = {0};
    bool is_judged = way->integrator == HED_IMPLICIT_EULER;
    *alone = (Swing){.way = *way, .side = plan->side, .length = 1.0, .steps = plan->steps};
    *swing = *alone;
    int code = is_judged ? judge_start(lab, alone, plan->threads, &judge) : 0;
    code = code ? code : run_swing(lab, alone, 1, is_judged ? &judge : NULL);
    int rounds = way->tolerance == 0.0 && is_judged ? 1 : plan->rounds;
    for (int round = 0; round < rounds && code == 0; ++round) {
        code = run_swing(lab, swing, plan->threads, NULL);
    }
    swing->error = is_judged && judge.count ? sqrt(judge.sum / (double)judge.count) : (double)NAN;
    swing->worst = is_judged ? judge.worst : (double)NAN;
    judge_end(&judge);
    return code;
}

static double assembly_share(const Swing* swing) {
    return swing->profile.seconds[HED_STAGE_ASSEMBLY] / swing->wall;
}

static int run_ways(HedLab* lab, const Plan* plan, Swing swings[WAYS]) {
    int code = 0;
    for (int k = 0; k < WAYS; ++k) {
        lab_note(lab, "way %d: %s", k + 1, WAY[k].name);
    }
    char columns[300];
    snprintf(columns, sizeof columns,
             "way,us/vertex/step 1 thread,%d threads,iterations,cg,largest strain (%%),"
             "error (mm/s),largest (mm/s),assembly (%%),scheme's loss (%%),drop (m)",
             plan->threads);
    lab_table_begin(lab, "swing.csv", columns);
    for (int k = 0; k < WAYS && code == 0; ++k) {
        Swing alone;
        Swing* s = &swings[k];
        code = run_way(lab, plan, &WAY[k], &alone, s);
        if (code == 0) {
            lab_table_row(lab, 11,
                          (double[]){k + 1, cost(&alone), cost(s), s->newton, s->linear,
                                     100.0 * s->strain, 1e3 * s->error, 1e3 * s->worst,
                                     100.0 * assembly_share(s), 100.0 * s->loss, s->tip_drop});
        }
    }
    lab_table_end(lab);
    return code;
}

// Share of each stage in percent, where it took any time.
static void report_stages(HedLab* lab, const Swing* swings, int count) {
    char columns[400] = "way";
    HedStage stages[HED_STAGE_COUNT] = {0};
    int used = 0;
    for (int s = 0; s < HED_STAGE_COUNT; ++s) {
        double most = 0.0;
        for (int k = 0; k < count; ++k) {
            most = fmax(most, swings[k].profile.seconds[s] / swings[k].wall);
        }
        if (most > 1e-3) {
            size_t length = strlen(columns);
            stages[used++] = (HedStage)s;
            snprintf(columns + length, sizeof columns - length, ",%s (%%)",
                     hed_stage_name((HedStage)s));
        }
    }
    lab_table_begin(lab, "stages.csv", columns);
    for (int k = 0; k < count; ++k) {
        double row[1 + HED_STAGE_COUNT] = {k + 1};
        for (int s = 0; s < used; ++s) {
            row[1 + s] = 100.0 * swings[k].profile.seconds[stages[s]] / swings[k].wall;
        }
        lab_table_row(lab, 1 + used, row);
    }
    lab_table_end(lab);
}

// A small cloth, and a large one of the same cells.
static int run_sizes(HedLab* lab, const Plan* plan) {
    double costs[2] = {0};
    int code = 0;
    lab_table_begin(lab, "sizes.csv",
                    "vertices,edge (m),us/vertex/step,iterations,cg,largest strain (%)");
    for (int k = 0; k < 2 && code == 0; ++k) {
        Swing s = {.way = WAY[GOAL],
                   .side = plan->size[k],
                   .length = (plan->size[k] - 1.0) / (plan->size[0] - 1.0),
                   .steps = plan->size_steps};
        int rounds = k == 0 ? 3 : 1; // short ones are disturbed by little
        for (int round = 0; round < rounds && code == 0; ++round) {
            code = run_swing(lab, &s, plan->threads, NULL);
        }
        costs[k] = cost(&s);
        if (code == 0) {
            lab_table_row(lab, 6,
                          (double[]){(double)s.side * s.side, s.length, costs[k], s.newton,
                                     s.linear, 100.0 * s.strain});
        }
    }
    lab_table_end(lab);
    if (code) {
        return code;
    }
    lab_result(lab, "growth", costs[1] / costs[0]);
    if (!lab_quick(lab)) {
        lab_claim_below(lab,
                        "cost per vertex and step of the large cloth over that of the small one, "
                        "same cells",
                        costs[1] / costs[0], 1.4);
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
    lab_note(lab,
             "Blender: %.2f us/vertex/step, %.2f times implicit Euler to 1 mm/s and %.2f times "
             "XPBD; largest strain %.2g %%, drop %.3f m",
             us, us / cost(&swings[GOAL]), us / cost(&swings[PASSES]), 100.0 * found.strain,
             found.tip_drop);
    lab_result(lab, "blender", us);
    lab_result(lab, "blender_drop", found.tip_drop);
    lab_result(lab, "blender_over_implicit", us / cost(&swings[GOAL]));
    lab_result(lab, "blender_over_xpbd", us / cost(&swings[PASSES]));
}

// A short version says nothing about speed.
static void claim(HedLab* lab, const Swing* swings) {
    const Swing* fine = &swings[0];
    const Swing* implicit = &swings[GOAL];
    const Swing* once = &swings[GOAL + 1];
    const Swing* xpbd = &swings[PASSES];
    lab_result(lab, "implicit", cost(implicit));
    lab_result(lab, "implicit_fine", cost(fine));
    lab_result(lab, "xpbd", cost(xpbd));
    lab_result(lab, "implicit_one_solve", cost(once));
    lab_result(lab, "implicit_error", implicit->error);
    lab_claim_below(lab, "implicit, largest strain", implicit->strain, 0.05);
    lab_claim_below(lab, "XPBD, largest strain", xpbd->strain, 0.05);
    if (!lab_quick(lab)) {
        lab_claim_below(lab, "implicit, to 1 mm/s, us per vertex and step", cost(implicit), 3.0);
        // As Blender and most programs of this kind do it.
        lab_claim_below(lab, "implicit, one linear solve, largest strain", once->strain, 0.05);
        lab_claim_below(lab, "implicit, one linear solve, us per vertex and step", cost(once), 3.0);
        lab_claim_below(lab, "implicit, share of assembly", assembly_share(implicit), 0.25);
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
