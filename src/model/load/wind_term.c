// SPDX-License-Identifier: MIT
#include "model/load/wind_term.h"
#include "base/alloc.h"
#include "base/random.h"

#include <string.h>

void hed_wind_term_gusts(HedWindTerm* term, double length, uint64_t seed) {
    enum { STREAM = 0x77696E64 };
    const double two_pi = 6.283185307179586;
    double speed = hed_norm3(term->velocity);
    HedVec3 e = hed_unit3(term->velocity, hed_vec3(1.0, 0.0, 0.0));
    HedVec3 side = hed_perpendicular3(e);
    HedVec3 up = hed_cross3(e, side);
    double sum = 0.0;
    for (int k = 0; k < HED_GUST_WAVES; ++k) {
        // Cross components below half of the main one: gusts are longer than wide, but not sheets.
        double q = two_pi * exp2(k) / length;
        double across = hed_random_uniform(seed, STREAM, 3 * (uint64_t)k) - 0.5;
        double above = hed_random_uniform(seed, STREAM, 3 * (uint64_t)k + 1) - 0.5;
        HedVec3 direction = hed_madd3(hed_madd3(e, across, side), above, up);
        term->wave[k] = (HedGustWave){
            .wave = hed_mul3(q, direction),
            .frequency = q * speed,
            .phase = two_pi * hed_random_uniform(seed, STREAM, 3 * (uint64_t)k + 2),
            .amplitude = exp2(-k / 3.0),
        };
        sum += 0.5 * term->wave[k].amplitude * term->wave[k].amplitude;
    }
    for (int k = 0; k < HED_GUST_WAVES; ++k) {
        term->wave[k].amplitude /= sqrt(sum);
    }
}

HedVec3 hed_wind_velocity(const HedWindTerm* term, HedVec3 place, double time) {
    if (term->gust <= 0.0) {
        return term->velocity;
    }
    double g = 0.0;
    for (int k = 0; k < HED_GUST_WAVES; ++k) {
        const HedGustWave* w = &term->wave[k];
        g += w->amplitude * cos(hed_dot3(w->wave, place) - w->frequency * time + w->phase);
    }
    return hed_mul3(1.0 + term->gust * g, term->velocity);
}

HedStatus hed_wind_term_prepare(HedWindTerm* term, HedRanges ranges, HedStencils triangles,
                                const double* share, HedError* error) {
    term->triangles = triangles.point;
    term->triangle_count = triangles.count;
    term->share = HED_NEW_ARRAY(double, ranges.count);
    if (!term->share) {
        return hed_fail_memory(error, "the wind");
    }
    memcpy(term->share, share, sizeof(double) * (size_t)ranges.count);
    return hed_tiles_create(&term->tiles, ranges, triangles, error);
}

void hed_wind_term_free(HedWindTerm* term) {
    hed_tiles_free(&term->tiles);
    hed_free(term->share);
    term->share = NULL;
}

typedef struct Triangle {
    const int32_t* point;
    HedVec3 v[3];
    HedWindOut out;
} Triangle;

static Triangle evaluate(const HedWindTerm* term, const HedEval* at, int32_t range,
                         int32_t element) {
    Triangle triangle = {.point = term->triangles + 3 * (int64_t)element};
    HedVec3 x[3];
    HedVec3 centre = {0};
    for (int m = 0; m < 3; ++m) {
        x[m] = at->x[triangle.point[m]];
        triangle.v[m] = at->v[triangle.point[m]];
        centre = hed_madd3(centre, 1.0 / 3.0, x[m]);
    }
    HedAir air = term->air;
    air.normal *= term->share[range];
    air.tangent *= term->share[range];
    air.velocity = hed_wind_velocity(term, centre, at->time);
    triangle.out = hed_wind_eval(x, triangle.v, air);
    return triangle;
}

static HedPower add_force(const void* self, const HedEval* at, int32_t range, HedVec3* force) {
    const HedWindTerm* term = self;
    int32_t first = at->ranges.first[range];
    int32_t count = at->ranges.first[range + 1] - first;
    HedPower power = {0};
    for (int32_t k = term->tiles.first[range]; k < term->tiles.first[range + 1]; ++k) {
        Triangle triangle = evaluate(term, at, range, term->tiles.element[k]);
        HedVec3 third = hed_mul3(-1.0 / 3.0, triangle.out.gradient);
        double work = 0.0;
        for (int m = 0; m < 3; ++m) {
            HedVec3* f = &force[hed_local_index(triangle.point[m], first, count)];
            *f = hed_add3(*f, third);
            work += hed_dot3(third, triangle.v[m]);
        }
        if (hed_local_index(triangle.point[0], first, count) < count) {
            power.external += work;
        }
    }
    return power;
}

static void add_matrix(const void* self, const HedEval* at, int32_t range, HedMatrixScale scale,
                       HedMatrix* matrix) {
    const HedWindTerm* term = self;
    int32_t first = at->ranges.first[range];
    int32_t count = at->ranges.first[range + 1] - first;
    for (int32_t k = term->tiles.first[range]; k < term->tiles.first[range + 1]; ++k) {
        Triangle triangle = evaluate(term, at, range, term->tiles.element[k]);
        HedMat3 ninth = hed_mat3_scale(scale.damping / 9.0, triangle.out.hessian);
        for (int m = 0; m < 3; ++m) {
            int32_t i = triangle.point[m];
            if (hed_local_index(i, first, count) < count) {
                matrix->diagonal[i] = hed_mat3_add(matrix->diagonal[i], ninth);
            }
            for (int n = m + 1; n < 3; ++n) {
                hed_matrix_add(matrix, range, i, triangle.point[n], &ninth);
            }
        }
    }
}

static void add_energy(const void* self, const HedEval* at, int32_t range, double* energy) {
    (void)self;
    (void)at;
    (void)range;
    (void)energy;
}

HedTerm hed_wind_term(HedWindTerm* term) {
    return (HedTerm){
        .self = term,
        .add_force = add_force,
        .add_matrix = add_matrix,
        .add_energy = add_energy,
        .stencils = {term->triangles, 3, term->triangle_count},
    };
}
