// SPDX-License-Identifier: MIT
#include "base/random.h"

#include <math.h>

HedRandom4 hed_philox(HedRandom4 counter, uint32_t key0, uint32_t key1) {
    uint32_t* c = counter.word;
    for (int round = 0; round < 10; ++round) {
        uint64_t p0 = (uint64_t)0xD2511F53u * c[0];
        uint64_t p1 = (uint64_t)0xCD9E8D57u * c[2];
        uint32_t next0 = (uint32_t)(p1 >> 32) ^ c[1] ^ key0;
        uint32_t next2 = (uint32_t)(p0 >> 32) ^ c[3] ^ key1;
        c[1] = (uint32_t)p1;
        c[3] = (uint32_t)p0;
        c[0] = next0;
        c[2] = next2;
        key0 += 0x9E3779B9u;
        key1 += 0xBB67AE85u;
    }
    return counter;
}

static HedRandom4 draw(uint64_t seed, uint64_t stream, uint64_t counter) {
    HedRandom4 c = {
        {(uint32_t)counter, (uint32_t)(counter >> 32), (uint32_t)stream, (uint32_t)(stream >> 32)}};
    return hed_philox(c, (uint32_t)seed, (uint32_t)(seed >> 32));
}

static double to_unit(uint32_t high, uint32_t low) {
    uint64_t bits = ((uint64_t)high << 32 | low) >> 11;
    return (double)bits * 0x1p-53;
}

double hed_random_uniform(uint64_t seed, uint64_t stream, uint64_t counter) {
    HedRandom4 r = draw(seed, stream, counter);
    return to_unit(r.word[0], r.word[1]);
}

double hed_random_normal(uint64_t seed, uint64_t stream, uint64_t counter) {
    // Box and Muller 1958; 1 - u keeps the logarithm away from zero.
    HedRandom4 r = draw(seed, stream, counter);
    double radius = sqrt(-2.0 * log(1.0 - to_unit(r.word[0], r.word[1])));
    return radius * cos(6.283185307179586 * to_unit(r.word[2], r.word[3]));
}
