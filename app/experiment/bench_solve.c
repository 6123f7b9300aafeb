// SPDX-License-Identifier: MIT
// Speed of the linear solves in implicit steps of a membrane with hinges: products against the
// machine's own triad bandwidth in the same run, iterations and times of each preconditioner, and
// beside them how exact the solution is.
#include "experiment/list.h"
#include "experiment/sheet_lab.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SIZES = 3 };

// A square cloth, held at one side, waved: its start is not its rest.
typedef struct Cloth {
    int32_t side;  // points
    double length; // m
    int32_t threads;
    HedPreconditionerKind kind;
    int32_t limit; // iterations; 0: as many as a step may take
} Cloth;

typedef struct Grid {
    HedVec3* start;
    HedVec3* rest;
    int32_t* triangles;
    int32_t* held;
} Grid;

static void free_grid(Grid* grid) {
    free(grid->start);
    free(grid->rest);
    free(grid->triangles);
    free(grid->held);
}

static bool make_grid(const Cloth* cloth, Grid* grid) {
    int32_t n = cloth->side;
    size_t points = (size_t)n * (size_t)n;
    grid->start = calloc(points, sizeof(HedVec3));
    grid->rest = calloc(points, sizeof(HedVec3));
    grid->triangles = calloc(6 * points, sizeof(int32_t));
    grid->held = calloc((size_t)n, sizeof(int32_t));
    if (!grid->start || !grid->rest || !grid->triangles || !grid->held) {
        return false;
    }
    int32_t* next = grid->triangles;
    for (int32_t a = 0; a < n * n; ++a) {
        int32_t row = a / n, column = a % n;
        double u = cloth->length * column / (n - 1.0);
        double s = cloth->length * row / (n - 1.0);
        grid->rest[a] = (HedVec3){u, -0.8 * s, 0.6 * s};
        grid->start[a] = grid->rest[a];
        grid->start[a].z += 0.05 * sin(6.0 * u) * sin(4.0 * s);
        grid->held[column] = column;
        if (row + 1 < n && column + 1 < n) {
            // Diagonals alternate, so that the cloth is as stiff in both.
            const int32_t one[6] = {a, a + n, a + 1, a + 1, a + n, a + n + 1};
            const int32_t other[6] = {a, a + n, a + n + 1, a, a + n + 1, a + 1};
            memcpy(next, (row + column) % 2 ? other : one, sizeof one);
            next += 6;
        }
    }
    return true;
}

static HedStatus build(const Cloth* cloth, const Grid* grid, HedSim** sim, HedError* error) {
    int32_t n = cloth->side;
    HedSimDef def = hed_sim_def_default();
    HedSheetDef sheet = hed_sheet_def_default();
    HedPinDef pin = hed_pin_def_default();
    HedPinId id;
    def.time_step = 5e-3;
    def.thread_count = cloth->threads;
    def.preconditioner = cloth->kind;
    def.linear_iterations = cloth->limit > 0 ? cloth->limit : def.linear_iterations;
    sheet.vertices = grid->start;
    sheet.rest_vertices = grid->rest;
    sheet.vertex_count = n * n;
    sheet.triangles = grid->triangles;
    sheet.triangle_count = 2 * (n - 1) * (n - 1);
    sheet.model = HED_SHEET_MEMBRANE;
    sheet.bending = HED_BENDING_HINGES;
    pin.vertices = grid->held;
    pin.vertex_count = n;
    HedStatus status = hed_sim_create(&def, sim, error);
    status = status ? status : hed_sheet_create(*sim, &sheet, &pin.sheet, error);
    return status ? status : hed_pin_create(*sim, &pin, &id, error);
}

// 0 or the exit code.
static int measure(HedLab* lab, Cloth cloth, int32_t rounds, HedSolveMeasure* out) {
    HedError error;
    Grid grid = {0};
    HedSim* sim = NULL;
    if (!make_grid(&cloth, &grid)) {
        free_grid(&grid);
        return lab_fail_text(lab, "no memory for a cloth of %d x %d", cloth.side, cloth.side);
    }
    HedStatus status = build(&cloth, &grid, &sim, &error);
    status = status ? status : hed_sim_measure_solve(sim, rounds, out, &error);
    free_grid(&grid);
    hed_sim_destroy(sim);
    return status == HED_OK ? 0 : lab_fail(lab, &error);
}

static const int32_t* sides(const HedLab* lab) {
    static const int32_t FULL[SIZES] = {45, 142, 450};
    static const int32_t QUICK[SIZES] = {12, 24, 48};
    return lab_quick(lab) ? QUICK : FULL;
}

static int products(HedLab* lab) {
    double share[2] = {0};
    int code = 0;
    lab_table_begin(lab, "product.csv", "points,threads,us,GB/s,triad (GB/s),of triad (%)");
    for (int32_t threads = 1; threads <= 2; ++threads) {
        for (int s = 0; s < SIZES && code == 0; ++s) {
            HedSolveMeasure found = {0};
            Cloth cloth = {sides(lab)[s], 1.0, threads, HED_PRECONDITION_JACOBI, 1};
            int32_t count = lab_quick(lab) ? 1 << 20 : 1 << 24;
            // Before and after, so that a noisy moment does not fall on the product alone.
            double triad = trial_triad(threads, count);
            code = measure(lab, cloth, 4, &found);
            triad = fmax(triad, trial_triad(threads, count));
            double rate = (double)found.product_bytes / found.product_time;
            share[threads - 1] = rate / triad;
            if (code == 0) {
                lab_table_row(lab, 6,
                              (double[]){found.points, threads, 1e6 * found.product_time,
                                         1e-9 * rate, 1e-9 * triad, 100.0 * rate / triad});
            }
        }
    }
    lab_table_end(lab);
    if (code == 0 && !lab_quick(lab)) {
        lab_result(lab, "product_of_triad_1", share[0]);
        lab_result(lab, "product_of_triad_2", share[1]);
        lab_claim_above(lab, "product over triad at 202,500 points, one thread", share[0], 0.75);
        lab_claim_above(lab, "product over triad at 202,500 points, two threads", share[1], 0.75);
    }
    return code;
}

static void add_row(HedLab* lab, const HedSolveMeasure* found, double length) {
    lab_table_row(lab, 8,
                  (double[]){found->points, length, found->is_solved, found->iterations,
                             1e3 * found->update_time, 1e3 * found->solve_time,
                             1e6 * found->solve_time / fmax(1.0, found->iterations),
                             found->residual});
}

// One table of a preconditioner; the largest cloth only if it is worth the wait.
static int solves(HedLab* lab, HedPreconditionerKind kind, int sizes, int32_t iterations[SIZES]) {
    const char* name = hed_preconditioner_name(kind);
    int32_t threads = lab_threads(lab);
    int code = 0;
    char csv[64] = "";
    strncat(strncat(csv, name, 40), ".csv", 5);
    lab_note(lab, "%s", name);
    lab_table_begin(lab, csv,
                    "points,length (m),solved,iterations,update (ms),solve (ms),us/iteration,"
                    "true residual");
    for (int s = 0; s < sizes && code == 0; ++s) {
        HedSolveMeasure found = {0};
        code = measure(lab, (Cloth){sides(lab)[s], 1.0, threads, kind, 0}, s == 2 ? 1 : 3, &found);
        if (code == 0) {
            add_row(lab, &found, 1.0);
            iterations[s] = found.iterations;
        }
    }
    if (code == 0 && kind == HED_PRECONDITION_TWO_LEVEL && !lab_quick(lab)) {
        HedSolveMeasure found = {0}; // the mesh of the smallest, ten times as long and wide
        code = measure(lab, (Cloth){sides(lab)[2], 10.0, threads, kind, 0}, 1, &found);
        if (code == 0) {
            add_row(lab, &found, 10.0);
            lab_claim_below(lab, "iterations of a larger cloth over those at 2,025 points",
                            found.iterations / (double)iterations[0], 2.0);
        }
    }
    lab_table_end(lab);
    return code;
}

int bench_solve(HedLab* lab) {
    // Jacobi needs a thousand iterations at 202,500 points, incomplete factors break down there and
    // exact ones take longer than all else together.
    static const int SIZES_OF[] = {2, 2, 3, 2};
    int32_t iterations[SIZES] = {0};
    bool has_direct = strstr(hed_build_info(), "CHOLMOD") != NULL;
    int code = products(lab);
    for (int kind = 0; kind < (has_direct ? 4 : 3) && code == 0; ++kind) {
        int32_t found[SIZES] = {0};
        code = solves(lab, (HedPreconditionerKind)kind, SIZES_OF[kind], found);
        if (kind == HED_PRECONDITION_TWO_LEVEL) {
            memcpy(iterations, found, sizeof found);
        }
    }
    if (code == 0 && !lab_quick(lab)) {
        double ratio = iterations[2] / (double)iterations[0];
        lab_result(lab, "iterations_ratio", ratio);
        lab_claim_below(lab, "two-level: iterations at 202,500 points over those at 2,025", ratio,
                        2.0);
    }
    return code;
}
