// SPDX-License-Identifier: MIT
// What the files of this folder share.
#ifndef HED_MODEL_ROD_INTERNAL_H
#define HED_MODEL_ROD_INTERNAL_H

#include "model/rod/kernel_rod.h"
#include "model/rod/rod.h"

static inline HedVec3 hed_rod_vector(HedRodVectors v, int32_t i) {
    return (HedVec3){v.x[i], v.y[i], v.z[i]};
}

static inline void hed_rod_set(HedRodVectors v, int32_t i, HedVec3 value) {
    v.x[i] = value.x;
    v.y[i] = value.y;
    v.z[i] = value.z;
}

/// The prepared frame of the segment at slot i.
static inline HedRodFrame hed_rod_frame(const HedRods* rods, int32_t i) {
    return (HedRodFrame){hed_rod_vector(rods->t, i), hed_rod_vector(rods->m, i), rods->inverse[i]};
}

static inline HedRodRest hed_rod_rest(const HedRods* rods, int32_t i) {
    return (HedRodRest){
        {rods->bend[0][i], rods->bend[1][i]},
        rods->stiff[i],
        {{rods->curve[0][i], rods->curve[1][i]}, {rods->curve[2][i], rods->curve[3][i]}},
        rods->turn[i]};
}

/// The segments before and after vertex k; -1 at the ends of an open rod.
typedef struct HedRodSides {
    int32_t left, right;
} HedRodSides;

static inline HedRodSides hed_rod_sides(const HedRod* rod, int32_t k) {
    int32_t left = k > 0 || !rod->def.is_closed ? k - 1 : rod->segment_count - 1;
    return (HedRodSides){left, k < rod->segment_count ? k : -1};
}

/// Copies the first and last slots of a closed rod to the places around it.
static inline void hed_rod_wrap(const HedRod* rod, double* values) {
    if (rod->def.is_closed) {
        int32_t n = rod->def.point_count;
        double* v = values + hed_rod_slot(rod, 0);
        v[-2] = v[n - 2];
        v[-1] = v[n - 1];
        v[n] = v[0];
    }
}

static inline void hed_rod_wrap_vectors(const HedRod* rod, HedRodVectors v) {
    hed_rod_wrap(rod, v.x);
    hed_rod_wrap(rod, v.y);
    hed_rod_wrap(rod, v.z);
}

/// Finds the angles of one rod; returns Newton's iterations, or -1 if they gave out.
int32_t hed_rod_solve_angles(HedRods* rods, int32_t rod);

/// d2E/dtheta2 of a rod as a tridiagonal system in diagonal and off; held angles are fixed.
void hed_rod_angle_matrix(const HedRods* rods, const HedRod* rod, bool is_exact, double* diagonal,
                          double* off);

/// Rough cost of a stage in ns, to decide whether threads are worth waking.
static inline int64_t hed_rod_cost(const HedRods* rods, int64_t each) {
    return each * rods->slot_count;
}

#endif
