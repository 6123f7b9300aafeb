// SPDX-License-Identifier: MIT
// Eight bytes at a time: xor in, multiply by an odd constant, fold the high half down. The multiply
// spreads each bit upwards and the shift brings it back, so every input bit reaches every output
// bit within two words; the length enters at the end, so that zero padding shows.
#include "base/hash.h"

#include <string.h>

static uint64_t mix(uint64_t h, uint64_t word) {
    h = (h ^ word) * 0x9E3779B97F4A7C15u;
    return h ^ (h >> 32);
}

uint64_t hed_hash(uint64_t seed, const void* data, size_t size) {
    const unsigned char* bytes = data;
    uint64_t h = mix(seed, 0x6865646466616272u);
    size_t whole = size / 8;
    for (size_t i = 0; i < whole; ++i) {
        uint64_t word;
        memcpy(&word, bytes + 8 * i, 8);
        h = mix(h, word);
    }
    uint64_t tail = 0;
    if (size % 8) {
        memcpy(&tail, bytes + 8 * whole, size % 8);
    }
    h = mix(h, tail);
    return mix(mix(h, (uint64_t)size), 0);
}
