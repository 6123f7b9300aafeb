// SPDX-License-Identifier: MIT
#include "base/clone.h"

#include <string.h>

void* hed_clone(HedClones* clones, const void* data, int64_t bytes) {
    if (!data || clones->is_out) {
        return NULL;
    }
    unsigned char* copy = HED_NEW_ARRAY(unsigned char, bytes);
    if (!copy || !HED_APPEND(&clones->list, (void*)copy)) {
        hed_free(copy);
        clones->is_out = true;
        return NULL;
    }
    if (bytes > 0) {
        memcpy(copy, data, (size_t)bytes);
    }
    return copy;
}

void hed_clones_free(HedClones* clones) {
    for (int32_t k = 0; k < clones->list.count; ++k) {
        hed_free(clones->list.data[k]);
    }
    hed_free(clones->list.data);
    *clones = (HedClones){0};
}
