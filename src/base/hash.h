// SPDX-License-Identifier: MIT
// A 64-bit hash for contents and checksums. Not against an enemy.
#ifndef HED_BASE_HASH_H
#define HED_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

/// Start with 0; feed the last result to hash several pieces as one.
uint64_t hed_hash(uint64_t seed, const void* data, size_t size);

#endif
