// SPDX-License-Identifier: MIT
// Which curves meet on their way, all of them: found block by block, then sorted.
#include "contact/swept_segment.h"

#include <stdlib.h>
#include <string.h>

enum { SOME = 256 };

typedef int32_t CurvePair[2];

// Of one block of segments.
typedef struct Found {
    CurvePair* pairs;
    int32_t count, capacity;
    bool has_failed;
} Found;

static void add_pair(const HedYarnContact* y, int32_t i, int32_t j, Found* found) {
    int32_t a = y->curve_of[i], b = y->curve_of[j];
    CurvePair pair = {hed_min_i32(a, b), hed_max_i32(a, b)};
    CurvePair* last = found->count > 0 ? &found->pairs[found->count - 1] : NULL;
    if (last && memcmp(last, pair, sizeof pair) == 0) {
        return;
    }
    void* data = found->pairs;
    if (found->count == found->capacity &&
        !hed_array_grow(&data, &found->capacity, found->count + 1, sizeof pair)) {
        found->has_failed = true;
        return;
    }
    found->pairs = data;
    memcpy(found->pairs[found->count++], pair, sizeof pair);
}

static void meet_segment(const HedYarnContact* y, int32_t i, Found* out) {
    int32_t stack[SOME];
    int32_t* near = stack;
    int32_t count = hed_bvh_overlap(&y->tree, y->boxes[i], near, SOME);
    if (count > SOME) {
        near = HED_NEW_ARRAY(int32_t, count);
        out->has_failed = out->has_failed || !near;
        count = near ? hed_bvh_overlap(&y->tree, y->boxes[i], near, count) : 0;
    }
    for (int32_t k = 0; k < count; ++k) {
        int32_t j = near[k];
        if (j > i && y->curve_of[i] != y->curve_of[j] &&
            hed_box_overlaps(y->boxes[i], y->boxes[j])) {
            HedYarnMeeting meeting = {.time = 1.0};
            hed_yarn_meet(y, i, j, &meeting);
            if (meeting.is_found) {
                add_pair(y, i, j, out);
            }
        }
    }
    if (near != stack) {
        hed_free(near);
    }
}

static int by_curves(const void* a, const void* b) {
    const int32_t* p = a;
    const int32_t* q = b;
    int first = (p[0] > q[0]) - (p[0] < q[0]);
    return first ? first : (p[1] > q[1]) - (p[1] < q[1]);
}

static HedStatus join(const HedYarnContact* y, const Found* found, HedYarnMeetings* meetings,
                      HedError* error) {
    int64_t total = 0;
    bool ok = true;
    for (int32_t block = 0; block < y->block_count; ++block) {
        total += found[block].count;
        ok = ok && !found[block].has_failed;
    }
    meetings->pairs = ok && total <= INT32_MAX ? HED_NEW_ARRAY(CurvePair, total) : NULL;
    if (!meetings->pairs) {
        return hed_fail_memory(error, "yarns that meet");
    }
    int32_t count = 0;
    for (int32_t block = 0; block < y->block_count; ++block) {
        for (int32_t k = 0; k < found[block].count; ++k) {
            memcpy(meetings->pairs[count++], found[block].pairs[k], sizeof(CurvePair));
        }
    }
    qsort(meetings->pairs, (size_t)count, sizeof(CurvePair), by_curves);
    for (int32_t k = 0; k < count; ++k) {
        CurvePair* last = meetings->pairs + meetings->count - 1;
        if (meetings->count == 0 || by_curves(last, meetings->pairs[k]) != 0) {
            memmove(meetings->pairs[meetings->count++], meetings->pairs[k], sizeof(CurvePair));
        }
    }
    return HED_OK;
}

HedStatus hed_yarn_list_meetings(const HedYarnContact* contact, HedYarnMeetings* meetings,
                                 HedError* error) {
    const HedYarnContact* y = contact;
    *meetings = (HedYarnMeetings){0};
    Found* found = HED_NEW_ARRAY(Found, y->block_count);
    if (!found) {
        return hed_fail_memory(error, "yarns that meet");
    }
#pragma omp parallel for schedule(dynamic, 1)                                                      \
    num_threads(hed_team_size(y->def.team, INT64_C(1000) * y->def.segment_count))
    for (int32_t block = 0; block < y->block_count; ++block) {
        HedYarnBlock range = hed_yarn_block(y, block);
        for (int32_t i = range.first; i < range.end; ++i) {
            meet_segment(y, i, &found[block]);
        }
    }
    HedStatus status = join(y, found, meetings, error);
    for (int32_t block = 0; block < y->block_count; ++block) {
        hed_free(found[block].pairs);
    }
    hed_free(found);
    return status;
}
