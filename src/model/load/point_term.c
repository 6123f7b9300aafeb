// SPDX-License-Identifier: MIT
#include "model/load/point_term.h"
#include "math/mat3.h"

static HedPower add_force(const void* self, const HedEval* at, int32_t range, HedVec3* force) {
    HedPointLoad load = *(const HedPointLoad*)self;
    int32_t first = at->ranges.first[range];
    int32_t end = at->ranges.first[range + 1];
    HedPower power = {0};
    for (int32_t i = first; i < end; ++i) {
        HedPointOut p = hed_point_eval(at->x[i], at->v[i], at->mass[i], load);
        HedVec3 pull = hed_add3(p.gradient, p.rate_gradient);
        force[i - first] = hed_sub3(force[i - first], pull);
        power.dissipated += 2.0 * p.dissipation;
    }
    return power;
}

static void add_matrix(const void* self, const HedEval* at, int32_t range, HedMatrixScale scale,
                       HedMatrix* matrix) {
    HedPointLoad load = *(const HedPointLoad*)self;
    for (int32_t i = at->ranges.first[range]; i < at->ranges.first[range + 1]; ++i) {
        HedPointOut p = hed_point_eval(at->x[i], at->v[i], at->mass[i], load);
        double d = scale.damping * p.rate;
        matrix->diagonal[i] = hed_mat3_add(matrix->diagonal[i], hed_mat3_diagonal(d, d, d));
    }
}

static void add_energy(const void* self, const HedEval* at, int32_t range, double* energy) {
    HedPointLoad load = *(const HedPointLoad*)self;
    for (int32_t i = at->ranges.first[range]; i < at->ranges.first[range + 1]; ++i) {
        energy[0] += hed_point_eval(at->x[i], at->v[i], at->mass[i], load).energy;
    }
}

HedTerm hed_point_term(HedPointLoad* load) {
    return (HedTerm){
        .column = {"gravity"},
        .self = load,
        .is_of_points = true,
        .add_force = add_force,
        .add_matrix = add_matrix,
        .add_energy = add_energy,
    };
}
