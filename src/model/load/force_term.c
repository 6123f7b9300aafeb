// SPDX-License-Identifier: MIT
#include "model/load/force_term.h"
#include "math/vec3.h"

static HedPower add_force(const void* self, const HedEval* at, int32_t range, HedVec3* force) {
    const HedVec3* load = self;
    int32_t first = at->ranges.first[range];
    for (int32_t i = first; i < at->ranges.first[range + 1]; ++i) {
        force[i - first] = hed_add3(force[i - first], load[i]);
    }
    return (HedPower){0};
}

// The energy is linear.
static void add_matrix(const void* self, const HedEval* at, int32_t range, HedMatrixScale scale,
                       HedMatrix* matrix) {
    (void)self;
    (void)at;
    (void)range;
    (void)scale;
    (void)matrix;
}

static void add_energy(const void* self, const HedEval* at, int32_t range, double* energy) {
    const HedVec3* load = self;
    for (int32_t i = at->ranges.first[range]; i < at->ranges.first[range + 1]; ++i) {
        energy[0] -= hed_dot3(load[i], at->x[i]);
    }
}

HedTerm hed_force_term(HedVec3* force) {
    return (HedTerm){
        .column = {"load"},
        .self = force,
        .is_of_points = true,
        .add_force = add_force,
        .add_matrix = add_matrix,
        .add_energy = add_energy,
    };
}
