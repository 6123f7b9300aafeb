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

static bool append(HedYarnMemory* memory, HedYarnKept kept) {
    if (!HED_RESERVE(&memory->pair, 2) || !HED_RESERVE(&memory->value, 4)) {
        return false;
    }
    int32_t* pair = memory->pair.data + memory->pair.count;
    double* value = memory->value.data + memory->value.count;
    pair[0] = kept.first;
    pair[1] = kept.second;
    value[0] = kept.patch.strain.x;
    value[1] = kept.patch.strain.y;
    value[2] = kept.patch.strain.z;
    value[3] = kept.patch.push;
    memory->pair.count += 2;
    memory->value.count += 4;
    return true;
}

// What waits off the list comes between what is on it, in rising order.
HedStatus hed_yarn_save(const HedYarnContact* contact, HedYarnMemory* memory, HedError* error) {
    const HedYarnList* list = &contact->list;
    const HedYarnKept* kept = contact->kept.data;
    int32_t n = contact->kept.count;
    int32_t next = 0;
    bool ok = true;
    memory->pair.count = 0;
    memory->value.count = 0;
    for (int32_t i = 0; i < contact->def.segment_count && ok; ++i) {
        for (int32_t k = list->first[i]; k < list->first[i + 1] && ok; ++k) {
            HedYarnKept one = {i, list->other[k], list->patch[k]};
            for (; ok && next < n && kept[next].first == i && kept[next].second < one.second;
                 ++next) {
                ok = append(memory, kept[next]);
            }
            ok = ok && (!(one.patch.push > 0.0) || append(memory, one));
        }
        for (; ok && next < n && kept[next].first == i; ++next) {
            ok = append(memory, kept[next]);
        }
    }
    return ok ? HED_OK : hed_fail_memory(error, "memory of contacts");
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
        HedYarnPatch patch = {hed_vec3(value[0], value[1], value[2]), value[3]};
        if (pair >= 0) {
            y->list.patch[pair] = patch;
        } else if (!HED_APPEND(&y->kept, ((HedYarnKept){segment[0], segment[1], patch}))) {
            HED_TRY(hed_fail_memory(error, "memory of contacts"));
        }
    }
done:
    return status;
}
