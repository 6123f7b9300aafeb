// SPDX-License-Identifier: MIT
#include "base/array.h"

bool hed_array_grow(void** data, int32_t* capacity, int64_t needed, size_t size) {
    if (needed <= *capacity) {
        return true;
    }
    if (needed > INT32_MAX) {
        return false;
    }
    int64_t grown = (int64_t)*capacity + *capacity / 2 + 16;
    if (grown < needed) {
        grown = needed;
    }
    if (grown > INT32_MAX) {
        grown = INT32_MAX;
    }
    if ((uint64_t)grown > (uint64_t)PTRDIFF_MAX / size) {
        return false;
    }
    void* fresh = hed_realloc(*data, (size_t)grown * size);
    if (!fresh) {
        return false;
    }
    *data = fresh;
    *capacity = (int32_t)grown;
    return true;
}
