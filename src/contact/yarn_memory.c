// SPDX-License-Identifier: MIT
// Friction's memory as plain arrays.
#include "contact/yarn_inner.h"

#include "base/alloc.h"

void hed_yarn_memory_free(HedYarnMemory* memory) {
    if (memory) {
        hed_free(memory->pair.data);
        hed_free(memory->value.data);
        *memory = (HedYarnMemory){0};
    }
}

HedStatus hed_yarn_save(const HedYarnContact* contact, HedYarnMemory* memory, HedError* error) {
    const HedYarnList* list = &contact->list;
    memory->pair.count = 0;
    memory->value.count = 0;
    for (int32_t i = 0; i < contact->def.segment_count; ++i) {
        for (int32_t k = list->first[i]; k < list->first[i + 1]; ++k) {
            const HedYarnPatch* patch = &list->patch[k];
            if (!(patch->push > 0.0)) {
                continue;
            }
            if (!HED_RESERVE(&memory->pair, 2) || !HED_RESERVE(&memory->value, 4)) {
                return hed_fail_memory(error, "memory of contacts");
            }
            int32_t* pair = memory->pair.data + memory->pair.count;
            double* value = memory->value.data + memory->value.count;
            pair[0] = i;
            pair[1] = list->other[k];
            value[0] = patch->strain.x;
            value[1] = patch->strain.y;
            value[2] = patch->strain.z;
            value[3] = patch->push;
            memory->pair.count += 2;
            memory->value.count += 4;
        }
    }
    return HED_OK;
}

// Refuses what cannot have been saved.
static HedStatus check_entry(const HedYarnContact* y, const HedYarnMemory* memory, int32_t k,
                             HedError* error) {
    const int32_t* pair = memory->pair.data + 2 * (int64_t)k;
    const double* value = memory->value.data + 4 * (int64_t)k;
    int32_t n = y->def.segment_count;
    if (pair[0] < 0 || pair[1] <= pair[0] || pair[1] >= n) {
        return hed_fail(error, HED_INVALID,
                        "contact %d: two rising segments in 0..%d expected, got %d and %d", k,
                        n - 1, pair[0], pair[1]);
    }
    bool rises = k == 0 || pair[-2] < pair[0] || (pair[-2] == pair[0] && pair[-1] < pair[1]);
    if (!rises) {
        return hed_fail(error, HED_INVALID, "contact %d: segments %d and %d are out of order", k,
                        pair[0], pair[1]);
    }
    bool is_finite = hed_is_finite3(hed_vec3(value[0], value[1], value[2])) && isfinite(value[3]);
    if (!is_finite || !(value[3] > 0.0)) {
        return hed_fail(error, HED_INVALID,
                        "contact %d: strain (%g, %g, %g) must be finite and push %g N positive", k,
                        value[0], value[1], value[2], value[3]);
    }
    return HED_OK;
}

HedStatus hed_yarn_restore(HedYarnContact* contact, const HedVec3* x, const HedYarnMemory* memory,
                           HedError* error) {
    HedYarnContact* y = contact;
    HedStatus status = HED_OK;
    int32_t count = memory->pair.count / 2;
    if (memory->pair.count % 2 != 0 || memory->value.count != 4 * count) {
        return hed_fail(error, HED_INVALID,
                        "contacts: two segments and four values each expected, got %d and %d",
                        memory->pair.count, memory->value.count);
    }
    for (int32_t k = 0; k < count; ++k) {
        HED_TRY(check_entry(y, memory, k, error));
    }
    HED_TRY(hed_yarn_update(y, x, error));
    y->kept.count = 0;
    for (int32_t k = 0; k < y->list.first[y->def.segment_count]; ++k) {
        y->list.patch[k] = (HedYarnPatch){{0.0, 0.0, 0.0}, 0.0};
    }
    for (int32_t k = 0; k < count; ++k) {
        const int32_t* segment = memory->pair.data + 2 * (int64_t)k;
        const double* value = memory->value.data + 4 * (int64_t)k;
        int32_t pair = hed_yarn_find_pair(y, segment[0], segment[1]);
        // What is too far apart to touch has parted in the last step and would be forgotten anyway.
        if (pair >= 0) {
            y->list.patch[pair] = (HedYarnPatch){hed_vec3(value[0], value[1], value[2]), value[3]};
        }
    }
done:
    return status;
}
