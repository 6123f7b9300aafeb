// SPDX-License-Identifier: MIT
// Cheap proofs that yarns did not pass through each other in a step (yarn_sweep.h).
#include "base/alloc.h"
#include "contact/yarn_way.h"
#include "geom/closest.h"

#include <string.h>

enum { CHORDS = HED_YARN_CHORDS };

double hed_yarn_approach(const HedYarnContact* y, const HedVec3* from, const HedVec3* to) {
    int32_t n = y->def.point_count;
    HedVec3 mean = {0.0, 0.0, 0.0}; // a common motion changes nothing
    for (int32_t i = 0; i < n; ++i) {
        mean = hed_add3(mean, hed_sub3(to[i], from[i]));
    }
    mean = hed_mul3(1.0 / n, mean);
    double most = 0.0;
    for (int32_t i = 0; i < n; ++i) {
        HedVec3 d = hed_sub3(hed_sub3(to[i], from[i]), mean);
        most = fmax(most, hed_dot3(d, d));
    }
    return 2.0 * y->reach_most * sqrt(most);
}

// m, least distance of the centre lines of two segments at the start (0) or the end (1), at most
// `most`; less by what curves bulge out of their chords.
static double gap_of(const HedYarnContact* y, int32_t i, int32_t j, int when, double most) {
    const HedYarnWay* first = &y->ways[i];
    const HedYarnWay* second = &y->ways[j];
    double bulge = first->bulge + second->bulge;
    double least = most;
    for (int k = 0; k < CHORDS * CHORDS; ++k) {
        int a = k / CHORDS;
        int b = k % CHORDS;
        const HedVec3* p = &first->knot[when][a];
        const HedVec3* q = &second->knot[when][b];
        HedVec3 between = hed_sub3(hed_add3(p[0], p[1]), hed_add3(q[0], q[1]));
        double far =
            0.5 * (hed_norm3(between) - hed_distance3(p[0], p[1]) - hed_distance3(q[0], q[1]));
        if (far - bulge >= least || (i == j && b <= a) || hed_yarn_are_joined(y, i, a, j, b)) {
            continue;
        }
        HedClosestPair pair = hed_closest_segments(p[0], p[1], q[0], q[1]);
        least = fmin(least, hed_distance3(pair.first, pair.second) - bulge);
    }
    return least;
}

double hed_yarn_watch(const HedYarnContact* y, int32_t i, int32_t j, double share,
                      HedYarnMeeting* earliest) {
    const HedYarnWay* first = &y->ways[i];
    const HedYarnWay* second = &y->ways[j];
    double reach = hed_yarn_radius(y, i) + hed_yarn_radius(y, j);
    double motion = hed_distance3(first->shift, second->shift) + first->wander + second->wander;
    double far = hed_distance3(first->center, second->center) - first->radius - second->radius;
    if (far >= reach + motion) {
        return reach;
    }
    double gap = gap_of(y, i, j, 0, reach);
    if (motion >= gap) {
        hed_yarn_meet(y, i, j, earliest);
    }
    if (share > 0.0 && motion > share * reach && !earliest->is_found &&
        gap - gap_of(y, i, j, 1, reach) > share * reach) {
        earliest->is_found = earliest->is_rush = true;
        earliest->segment[0] = i;
        earliest->segment[1] = j;
    }
    return gap;
}

bool hed_yarn_is_merged(const HedYarnContact* y, int32_t i, int32_t j) {
    int32_t low = 0;
    int32_t high = y->merged.count;
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        HedYarnPair pair = y->merged.data[middle];
        if (pair.first == i && pair.second == j) {
            return true;
        }
        if (pair.first < i || (pair.first == i && pair.second < j)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return false;
}

HedStatus hed_yarn_merge(HedYarnContact* contact, const HedVec3* x, double part, HedError* error) {
    HedYarnContact* y = contact;
    HedStatus status = HED_OK;
    y->merged.count = 0;
    HED_TRY(hed_yarn_update(y, x, error));
    HED_TRY(hed_yarn_fit_ways(y, x, x, error));
    for (int32_t i = 0; i < y->def.segment_count; ++i) {
        for (int32_t k = y->list.first[i]; k < y->list.first[i + 1]; ++k) {
            HedYarnPair pair = {i, y->list.other[k]};
            double reach = hed_yarn_radius(y, i) + hed_yarn_radius(y, pair.second);
            if (gap_of(y, i, pair.second, 0, reach) < part * reach &&
                !HED_APPEND(&y->merged, pair)) {
                return hed_fail_memory(error, "yarns that start in each other");
            }
        }
    }
    y->list.margin = -1.0; // a list without them
done:
    return status;
}

// All pairs on the list; also finds how far everything is apart at the start.
static HedStatus watch_list(HedYarnContact* y, HedYarnTrip trip, HedYarnMeeting* meeting,
                            HedError* error) {
    double least = HUGE_VAL;
    for (int32_t c = 0; c < y->def.curve_count; ++c) {
        least = fmin(least, 2.0 * y->curves[c].radius);
    }
#pragma omp parallel for schedule(dynamic, 1)                                                      \
    num_threads(hed_team_size(y->def.team, INT64_C(1000) * y->def.segment_count))
    for (int32_t block = 0; block < y->block_count; ++block) {
        HedYarnBlock range = hed_yarn_block(y, block);
        HedYarnMeeting own = {.time = 1.0};
        double slack = least; // what is not on the list is further apart
        for (int32_t i = range.first; i < range.end; ++i) {
            double free = y->def.contact_free * hed_yarn_radius(y, i);
            if (y->rest_length[i] > free) { // long enough to meet itself
                slack = fmin(slack, hed_yarn_watch(y, i, i, trip.share, &own));
            }
            for (int32_t k = y->list.first[i]; k < y->list.first[i + 1]; ++k) {
                slack = fmin(slack, hed_yarn_watch(y, i, y->list.other[k], trip.share, &own));
            }
        }
        y->meetings[block] = own;
        y->partial[(int64_t)block * HED_YARN_PARTIALS] = slack;
    }
    for (int32_t block = 0; block < y->block_count; ++block) {
        least = fmin(least, y->partial[(int64_t)block * HED_YARN_PARTIALS]);
    }
    memcpy(y->safe_at, trip.start, (size_t)y->def.point_count * sizeof(HedVec3));
    y->safe_slack = fmax(0.0, least);
    return hed_yarn_collect(y, meeting, error);
}

// What was known before proves the step.
static bool is_known(const HedYarnContact* y, HedYarnTrip trip) {
    double least = HUGE_VAL;
    for (int32_t c = 0; c < y->def.curve_count; ++c) {
        least = fmin(least, 2.0 * y->curves[c].radius);
    }
    return y->safe_slack > 0.0 && hed_yarn_approach(y, y->safe_at, trip.end) < y->safe_slack &&
           hed_yarn_approach(y, y->safe_at, trip.start) < y->safe_slack &&
           (trip.share <= 0.0 || hed_yarn_approach(y, trip.start, trip.end) <= trip.share * least);
}

HedStatus hed_yarn_guard(HedYarnContact* contact, HedYarnTrip trip, HedYarnMeeting* meeting,
                         HedError* error) {
    HedYarnContact* y = contact;
    HedStatus status = HED_OK;
    *meeting = (HedYarnMeeting){.time = 1.0};
    if (y->def.segment_count == 0) {
        return HED_OK;
    }
    if (!y->safe_at) {
        y->safe_at = HED_NEW_ARRAY(HedVec3, y->def.point_count);
        if (!y->safe_at) {
            return hed_fail_memory(error, "distances of yarns");
        }
    }
    if (is_known(y, trip)) {
        return HED_OK;
    }
    HED_TRY(hed_yarn_fit_ways(y, trip.start, trip.end, error));
    if (hed_yarn_list_holds(y, trip.start) && hed_yarn_list_holds(y, trip.end)) {
        HED_TRY(watch_list(y, trip, meeting, error));
    } else {
        HED_TRY(hed_yarn_sweep_tree(y, trip.share, meeting, error));
    }
done:
    return status;
}
