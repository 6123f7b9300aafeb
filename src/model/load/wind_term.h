// SPDX-License-Identifier: MIT
// Wind with gusts on every triangle of every sheet.
//
// Gusts: the speed along the mean wind is U (1 + s G), where G is a sum of waves frozen into the
// moving air (Taylor's hypothesis), so that the same eddies pass one point after another:
//   G(x, t) = sum over octaves k of a_k cos(q_k (e . x - U t) + small cross terms + phase_k),
//   q_k = 2 pi 2^k / length,  a_k ~ 2^(-k/3) (energy falls as the -5/3 power), sum of a_k^2 / 2
//   = 1.
#ifndef HED_MODEL_LOAD_WIND_TERM_H
#define HED_MODEL_LOAD_WIND_TERM_H

#include "model/load/kernel_wind.h"
#include "state/term.h"
#include "state/tiles.h"

enum { HED_GUST_WAVES = 6 };

typedef struct HedGustWave {
    HedVec3 wave;     // rad/m
    double frequency; // rad/s
    double phase;
    double amplitude;
} HedGustWave;

typedef struct HedWindTerm {
    HedVec3 velocity; // m/s, mean
    double gust;      // deviation of the speed over its mean
    HedAir air;       // drag per density; its velocity is not used
    HedGustWave wave[HED_GUST_WAVES];
    const int32_t* triangles; // borrowed, point indices
    int32_t triangle_count;
    HedTiles tiles;
    double* share; // per range: part of its triangles' area that counts
} HedWindTerm;

/// Draws the waves. length > 0 is the size of the largest gusts in m.
void hed_wind_term_gusts(HedWindTerm* term, double length, uint64_t seed);

/// Velocity of the air at a place and time, m/s.
HedVec3 hed_wind_velocity(const HedWindTerm* term, HedVec3 place, double time);

/// share: one per range; 1/2 where triangles cover the sheet twice. Triangles are borrowed.
HedStatus hed_wind_term_prepare(HedWindTerm* term, HedRanges ranges, HedStencils triangles,
                                const double* share, HedError* error);
void hed_wind_term_free(HedWindTerm* term);

HedTerm hed_wind_term(HedWindTerm* term);

#endif
