// SPDX-License-Identifier: MIT
// Counter-based random numbers: the value depends only on (seed, stream, counter), never on order
// of calls or threads. Philox 4x32 with ten rounds (Salmon, Moraes, Dror, Shaw 2011).
#ifndef HED_BASE_RANDOM_H
#define HED_BASE_RANDOM_H

#include <stdint.h>

typedef struct HedRandom4 {
    uint32_t word[4];
} HedRandom4;

HedRandom4 hed_philox(HedRandom4 counter, uint32_t key0, uint32_t key1);

/// Uniform in [0, 1), 53 bits.
double hed_random_uniform(uint64_t seed, uint64_t stream, uint64_t counter);

/// Mean 0, deviation 1.
double hed_random_normal(uint64_t seed, uint64_t stream, uint64_t counter);

#endif
