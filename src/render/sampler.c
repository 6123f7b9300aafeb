// SPDX-License-Identifier: MIT
#include "render/sampler.h"
#include "base/alloc.h"

// Flips each bit by a coin that depends on all bits above it: evenly spread points stay so, and
// are random otherwise (Owen 1995). On an index it shuffles, and keeps blocks of powers of two.
static uint32_t owen(uint32_t x, uint64_t seed) {
    uint32_t result = 0;
    for (int bit = 31; bit >= 0; --bit) {
        uint64_t above = bit == 31 ? 0 : x >> (bit + 1);
        uint32_t coin = (uint32_t)(hed_mix(seed + (above << 6) + (uint64_t)bit) >> 17) & 1u;
        result |= ((x >> bit ^ coin) & 1u) << bit;
    }
    return result;
}

// The first two dimensions of Sobol's sequence. The direction numbers of the first are single bits;
// in the second each is the one before, added modulo 2 to itself moved by a place.
static void sobol(uint32_t index, uint32_t point[2]) {
    uint32_t first = 0x80000000u;
    uint32_t second = 0x80000000u;
    point[0] = point[1] = 0;
    for (; index; index >>= 1) {
        if (index & 1u) {
            point[0] ^= first;
            point[1] ^= second;
        }
        first >>= 1;
        second ^= second >> 1;
    }
}

HedStatus hed_sampler_create(HedSampler* sampler, uint64_t seed, int32_t samples, HedError* error) {
    *sampler = (HedSampler){.seed = seed, .samples = samples};
    sampler->table = hed_alloc_array((int64_t)samples * HED_SAMPLER_PAIRS, sizeof *sampler->table);
    if (!sampler->table) {
        return hed_fail_memory(error, "the table of samples");
    }
    for (int32_t pair = 0; pair < HED_SAMPLER_PAIRS; ++pair) {
        // The same for every seed: pictures of two seeds differ by what moves the pixels' points.
        uint64_t key = hed_mix((uint64_t)pair + 1);
        for (int32_t i = 0; i < samples; ++i) {
            uint32_t* point = sampler->table[pair * samples + i];
            sobol(owen((uint32_t)i, hed_mix(key + 1)), point);
            point[0] = owen(point[0], hed_mix(key + 2));
            point[1] = owen(point[1], hed_mix(key + 3));
        }
    }
    return HED_OK;
}

void hed_sampler_free(HedSampler* sampler) {
    hed_free(sampler->table);
    *sampler = (HedSampler){0};
}
