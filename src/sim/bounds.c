// SPDX-License-Identifier: MIT
// How stiff and how damped everything is against its mass, for the size of explicit steps.
#include "sim/internal.h"

#include <string.h>

static void add_springs(const HedSim* sim, double* sum) {
    for (int32_t k = 0; k < sim->springs.list.count; ++k) {
        const HedSpring* s = &sim->springs.list.data[k];
        sum[s->a] += 2.0 * s->stiffness;
        sum[s->b] += 2.0 * s->stiffness;
    }
}

static void add_curve(const HedBend* c, double stiffness, double* sum) {
    HedVec3 w = hed_curve_weights(c->rest);
    double all = fabs(w.x) + fabs(w.y) + fabs(w.z);
    sum[c->point[0]] += stiffness * fabs(w.x) * all;
    sum[c->point[1]] += stiffness * fabs(w.y) * all;
    sum[c->point[2]] += stiffness * fabs(w.z) * all;
}

// The block of corners i and j of a membrane at rest is at most A c |b_i| |b_j|, c the largest
// modulus that can act at once.
static void add_membranes(const HedSim* sim, double* sum) {
    for (int32_t s = 0; s < sim->cloths.count; ++s) {
        const HedCloth* sheet = &sim->cloths.data[s];
        HedModulus c = sheet->material.elastic;
        double most = fmax(c.uu, c.vv) + fabs(c.uv) + c.shear;
        for (int32_t k = 0; k < sheet->membrane_count; ++k) {
            const HedMembrane* m = &sim->membranes.list.data[sheet->first_membrane + k];
            HedMembraneRest rest = hed_membrane_rest(m, sheet->material);
            double b[3];
            for (int i = 0; i < 3; ++i) {
                b[i] = sqrt(rest.b[i][0] * rest.b[i][0] + rest.b[i][1] * rest.b[i][1]);
            }
            for (int i = 0; i < 3; ++i) {
                sum[m->point[i]] += rest.area * most * b[i] * (b[0] + b[1] + b[2]);
            }
        }
    }
}

// Blocks of q_ij grad_i grad_j', at rest.
static void add_shells(const HedShellTerm* shells, double* sum) {
    for (int32_t k = 0; k < shells->list.count; ++k) {
        const HedShellElement* element = &shells->list.data[k];
        double size[3] = {0};
        double share[3][HED_SHELL_POINTS] = {0};
        for (int side = 0; side < 3; ++side) {
            int point[4];
            hed_shell_hinge(side, point);
            for (int m = 0; m < 4; ++m) {
                share[side][point[m]] = fabs(element->weight[side][m]);
                size[side] += share[side][point[m]];
            }
        }
        for (int m = 0; m < HED_SHELL_POINTS; ++m) {
            for (int n = 0; n < 9; ++n) {
                sum[element->point[m]] +=
                    share[n / 3][m] * fabs(element->rest.q[n / 3][n % 3]) * size[n % 3];
            }
        }
    }
}

// Absolute values of each point's row of matrices, added up (N/m, N s/m).
typedef struct BoundRows {
    int32_t count;
    double* part;      // of the elements at hand
    double* stiffness; // of all
    double* damping;
} BoundRows;

// Takes the elements at hand, whose damping over stiffness is so many seconds.
static void take(const BoundRows* rows, double time) {
    for (int32_t i = 0; i < rows->count; ++i) {
        rows->stiffness[i] += rows->part[i];
        rows->damping[i] += time * rows->part[i];
        rows->part[i] = 0.0;
    }
}

// s, the largest damping over stiffness of stretching, of bending, and of what bodies push.
typedef struct Times {
    double stretch, bend, push;
} Times;

static Times longest_times(const HedSim* sim) {
    Times times = {0.0, 0.0, 0.0};
    for (int32_t k = 0; k < sim->cloths.count; ++k) {
        const HedCloth* cloth = &sim->cloths.data[k];
        times.stretch = fmax(times.stretch, fmax(cloth->damping, cloth->rayleigh));
        times.bend = fmax(times.bend, fmax(cloth->bend_damping, cloth->bend_rayleigh));
    }
    for (int32_t b = 0; b < sim->bodies.count && hed_sim_has_penalty(sim); ++b) {
        times.push = fmax(times.push, sim->bodies.data[b].damping);
    }
    return times;
}

static void fill_rows(const HedSim* sim, const BoundRows* rows) {
    Times times = longest_times(sim);
    add_springs(sim, rows->part);
    add_membranes(sim, rows->part);
    hed_sim_splines_bound(sim, false, rows->part);
    take(rows, times.stretch);
    for (int32_t k = 0; k < sim->curves.list.count; ++k) {
        const HedBend* c = &sim->curves.list.data[k];
        add_curve(c, c->rest.stiffness, rows->part);
        add_curve(c, times.bend * c->viscous, rows->damping); // of rods, which bend by themselves
    }
    add_shells(&sim->shells, rows->part);
    add_shells(&sim->flats, rows->part);
    hed_sim_splines_bound(sim, true, rows->part);
    take(rows, times.bend);
    hed_sim_rods_bound(sim, rows->part);
    hed_ties_bound(sim, rows->part);
    take(rows, 0.0);
    hed_sim_penalty_bound(sim, rows->part);
    take(rows, times.push);
}

// The largest of sums over masses.
static double largest_rate(HedSim* sim, const double* sum) {
    double largest = 0.0;
    if (sim->period && sim->period->copies.origin) {
        largest = hed_period_bound(sim, sum, 1, sim->x.count);
    }
    for (int32_t i = 0; i < sim->x.count && !sim->period; ++i) {
        largest = fmax(largest, sum[i] / sim->mass.data[i]);
    }
    return largest * hed_sim_splines_lightness(sim);
}

// Eigenvalues of M^-1 K and M^-1 D at rest are bounded by the largest absolute row sums
// (Gershgorin 1931).
HedStatus hed_sim_bounds(HedSim* sim, HedBounds* bounds, HedError* error) {
    int64_t n = sim->x.count;
    double* room = HED_NEW_ARRAY(double, 3 * n);
    *bounds = (HedBounds){0.0, 0.0};
    if (!room) {
        return hed_fail_memory(error, "bounds on the stiffness");
    }
    BoundRows rows = {sim->x.count, room, room + n, room + 2 * n};
    fill_rows(sim, &rows);
    *bounds = (HedBounds){largest_rate(sim, rows.stiffness), largest_rate(sim, rows.damping)};
    hed_free(room);
    return HED_OK;
}
