// SPDX-License-Identifier: MIT
// Random numbers of a picture: each depends only on (seed, pixel, sample, dimension), so any thread
// may draw it. The samples of a pixel fill each of the first dimensions evenly: a table of
// Owen-scrambled Sobol points (Owen 1995), moved from pixel to pixel by exclusive or, which keeps
// them evenly spread.
#ifndef HED_RENDER_SAMPLER_H
#define HED_RENDER_SAMPLER_H

#include "base/status.h"

enum { HED_SAMPLER_PAIRS = 16 }; // pairs of dimensions in the table; further ones are plain hashes

typedef struct HedSampler {
    uint64_t seed;
    int32_t samples;
    uint32_t (*table)[2]; // [pair * samples + sample]
} HedSampler;

/// Free with hed_sampler_free, also after a failure.
HedStatus hed_sampler_create(HedSampler* sampler, uint64_t seed, int32_t samples, HedError* error);
void hed_sampler_free(HedSampler* sampler);

/// The numbers of one path.
typedef struct HedDraw {
    const HedSampler* sampler;
    uint64_t key;
    int32_t sample;
    int32_t pair; // next pair to give
} HedDraw;

typedef struct HedSample2 {
    float a, b; // each from 0 to below 1
} HedSample2;

static inline uint64_t hed_mix(uint64_t x) {
    x = (x ^ (x >> 32)) * 0xd6e8feb86659fd93u;
    x = (x ^ (x >> 32)) * 0xd6e8feb86659fd93u;
    return x ^ (x >> 32);
}

static inline float hed_unit_float(uint32_t bits) {
    return (float)(bits >> 8) * 0x1p-24f;
}

static inline HedDraw hed_draw_begin(const HedSampler* sampler, int32_t pixel, int32_t sample) {
    uint64_t key = hed_mix(hed_mix(sampler->seed) + (uint64_t)pixel);
    return (HedDraw){sampler, key, sample, 0};
}

static inline HedSample2 hed_draw_pair(HedDraw* draw) {
    int32_t pair = draw->pair++;
    uint64_t hash = hed_mix(draw->key + 0x9e3779b97f4a7c15u * (uint64_t)(pair + 1));
    if (pair >= HED_SAMPLER_PAIRS) {
        hash = hed_mix(hash + (uint64_t)draw->sample);
        return (HedSample2){hed_unit_float((uint32_t)hash), hed_unit_float((uint32_t)(hash >> 32))};
    }
    const uint32_t* point = draw->sampler->table[pair * draw->sampler->samples + draw->sample];
    return (HedSample2){hed_unit_float(point[0] ^ (uint32_t)hash),
                        hed_unit_float(point[1] ^ (uint32_t)(hash >> 32))};
}

#endif
