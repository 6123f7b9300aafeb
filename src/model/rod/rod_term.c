// SPDX-License-Identifier: MIT
// Forces, matrix and energy of rods.
#include "model/rod/internal.h"
#include "state/lanes.h"

enum { L = HED_LANES, BLOCK = 64 };

// Gradients of vertices by the segments before and after them.
typedef struct Gradients {
    double ex[BLOCK], ey[BLOCK], ez[BLOCK];
    double fx[BLOCK], fy[BLOCK], fz[BLOCK];
} Gradients;

// Vertices at slots first .. first + count - 1.
static void evaluate_block(const HedRods* rods, int32_t first, int32_t count, Gradients* g) {
    HedRodVectors t = rods->t, m = rods->m;
    const double *inverse = rods->inverse, *moment = rods->moment, *b0 = rods->bend[0],
                 *b1 = rods->bend[1];
    const double *c0 = rods->curve[0], *c1 = rods->curve[1], *c2 = rods->curve[2],
                 *c3 = rods->curve[3];
#pragma omp simd
    for (int32_t v = 0; v < count; ++v) {
        int32_t i = first + v, h = i - 1;
        HedRodFrame a = {{t.x[h], t.y[h], t.z[h]}, {m.x[h], m.y[h], m.z[h]}, inverse[h]};
        HedRodFrame b = {{t.x[i], t.y[i], t.z[i]}, {m.x[i], m.y[i], m.z[i]}, inverse[i]};
        HedRodRest rest = {{b0[i], b1[i]}, 0.0, {{c0[i], c1[i]}, {c2[i], c3[i]}}, 0.0};
        HedRodGradient out = hed_rod_gradient(a, b, rest, moment[i]);
        g->ex[v] = out.e.x;
        g->ey[v] = out.e.y;
        g->ez[v] = out.e.z;
        g->fx[v] = out.f.x;
        g->fy[v] = out.f.y;
        g->fz[v] = out.f.z;
    }
}

// The energy rises with segment k by G_k = e of vertex k + 1 + f of vertex k; the force on point k
// is G_k - G_(k-1). Points begin .. end - 1 need the vertices from begin - 1 to end.
static void add_run(const HedRods* rods, HedRodRun run, HedVec3* force) {
    const HedRod* rod = &rods->rod[run.rod];
    for (int32_t begin = run.begin; begin < run.end; begin += BLOCK - 2) {
        int32_t count = hed_min_i32(run.end - begin, BLOCK - 2);
        Gradients g;
        evaluate_block(rods, hed_rod_slot(rod, begin - 1), count + 2, &g);
        HedVec3* f = force + (begin - run.begin);
#pragma omp simd
        for (int32_t k = 0; k < count; ++k) {
            f[k].x += (g.ex[k + 2] + g.fx[k + 1]) - (g.ex[k + 1] + g.fx[k]);
            f[k].y += (g.ey[k + 2] + g.fy[k + 1]) - (g.ey[k + 1] + g.fy[k]);
            f[k].z += (g.ez[k + 2] + g.fz[k + 1]) - (g.ez[k + 1] + g.fz[k]);
        }
    }
}

static HedPower add_force(const void* self, const HedEval* at, int32_t range, HedVec3* force) {
    const HedRods* rods = self;
    for (int32_t r = rods->run_first[range]; r < rods->run_first[range + 1]; ++r) {
        HedRodRun run = rods->run[r];
        int32_t first = rods->rod[run.rod].def.first + run.begin;
        add_run(rods, run, force + (first - at->ranges.first[range]));
    }
    return (HedPower){0};
}

static HedRodOut evaluate_vertex(const HedRods* rods, int32_t i, bool is_exact) {
    HedRodRest rest = hed_rod_rest(rods, i);
    double twist = rest.twist > 0.0 ? rest.turn + rods->moment[i] / rest.twist : rest.turn;
    return hed_rod_eval(hed_rod_frame(rods, i - 1), hed_rod_frame(rods, i), rest, twist, is_exact);
}

static void add_matrix(const void* self, const HedEval* at, int32_t range, HedMatrixScale scale,
                       HedMatrix* matrix) {
    const HedRods* rods = self;
    HedTile tile = hed_tile(at->ranges, range);
    for (int32_t o = L * rods->groups.first[range]; o < L * rods->groups.first[range + 1]; ++o) {
        int32_t v = rods->groups.element[o];
        if (v < 0) {
            continue;
        }
        const int32_t* point = rods->stencil + 3 * (int64_t)v;
        HedRodOut out = evaluate_vertex(rods, rods->vertex[v], scale.is_exact);
        for (int n = 0; n < 3; ++n) {
            for (int m = 0; m <= n; ++m) {
                HedMat3 h = hed_mat3_scale(scale.stiffness, hed_rod_block(&out.hessian, m, n));
                if (m < n) {
                    hed_slot_add(matrix, rods->slot[3 * (int64_t)o + hed_pair_index(m, n)], &h);
                } else if (hed_tile_owns(tile, point[n])) {
                    matrix->diagonal[point[n]] = hed_mat3_add(matrix->diagonal[point[n]], h);
                }
            }
        }
    }
}

static void add_energy(const void* self, const HedEval* at, int32_t range, double* energy) {
    const HedRods* rods = self;
    (void)at;
    for (int32_t r = rods->run_first[range]; r < rods->run_first[range + 1]; ++r) {
        HedRodRun run = rods->run[r];
        const HedRod* rod = &rods->rod[run.rod];
        for (int32_t k = run.begin; k < run.end; ++k) {
            int32_t i = hed_rod_slot(rod, k);
            HedRodRest rest = hed_rod_rest(rods, i);
            HedRodParts p = hed_rod_parts(hed_rod_frame(rods, i - 1), hed_rod_frame(rods, i), rest);
            energy[0] += p.bend;
            energy[1] +=
                rest.twist > 0.0 ? 0.5 * rods->moment[i] * rods->moment[i] / rest.twist : 0.0;
        }
    }
}

static HedStencils stencils_of(const HedRods* rods) {
    return (HedStencils){rods->stencil, 3, rods->vertex_count};
}

static HedStatus attach(void* self, HedRanges ranges, const HedMatrix* matrix, HedError* error) {
    HedRods* rods = self;
    return hed_groups_slots(&rods->groups, ranges, stencils_of(rods), matrix, &rods->slot, error);
}

HedTerm hed_rods_term(HedRods* rods) {
    return (HedTerm){
        .column = {"bend", "twist"},
        .self = rods,
        .add_force = add_force,
        .add_matrix = add_matrix,
        .add_energy = add_energy,
        .stencils = stencils_of(rods),
        .attach = attach,
    };
}
