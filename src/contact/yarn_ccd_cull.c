// SPDX-License-Identifier: MIT
// Cheap proofs that yarns did not pass through each other in a step (yarn_ccd.h).
#include "base/alloc.h"
#include "contact/swept_segment.h"
#include "geom/closest.h"

#include <string.h>

enum { CHORDS = HED_YARN_CHORDS };

double hed_yarn_approach(const HedYarnContact* y, const HedVec3* from, const HedVec3* to) {
    return 2.0 * y->reach_most * hed_yarn_motion(y, from, to);
}

double hed_yarn_approach_within(const HedYarnContact* y, const HedVec3* from, const HedVec3* to,
                                double enough) {
    double rough = hed_yarn_approach(y, from, to);
    return rough <= enough ? rough : 2.0 * hed_yarn_curve_motion(y, from, to);
}

// m, least distance of the centre lines of two segments at the start (0) or the end (1), at most
// `most`; less by what curves bulge out of their chords.
static double gap_of(const HedYarnContact* y, const HedSweptSegment* first,
                     const HedSweptSegment* second, int when, double most) {
    const int32_t i = first->segment, j = second->segment;
    double bulge = first->bulge + second->bulge;
    double least = most;
    for (int k = 0; k < CHORDS * CHORDS; ++k) {
        int a = k / CHORDS;
        int b = k % CHORDS;
        const HedVec3* p = &first->knot[when][a];
        const HedVec3* q = &second->knot[when][b];
        // Twice the distance of the middles, and twice what it has to be for the rest to matter.
        HedVec3 between = hed_sub3(hed_add3(p[0], p[1]), hed_add3(q[0], q[1]));
        double near = 2.0 * (least + bulge) + first->chord[when][a] + second->chord[when][b];
        if (near <= 0.0 || hed_dot3(between, between) >= near * near || (i == j && b <= a) ||
            hed_yarn_are_joined(y, i, a, j, b)) {
            continue;
        }
        HedClosestPair pair = hed_closest_segments(p[0], p[1], q[0], q[1]);
        least = fmin(least, hed_distance3(pair.first, pair.second) - bulge);
    }
    return least;
}

// Whether two segments that are `gap` apart at the start come nearer by more than share of `reach`.
static void look_for_rush(const HedYarnContact* y, const HedSweptSegment* first,
                          const HedSweptSegment* second, double gap, double share,
                          HedYarnMeeting* earliest) {
    double reach = hed_yarn_radius(y, first->segment) + hed_yarn_radius(y, second->segment);
    if (!earliest->is_found && gap - gap_of(y, first, second, 1, reach) > share * reach) {
        earliest->is_found = earliest->is_rush = true;
        earliest->segment[0] = first->segment;
        earliest->segment[1] = second->segment;
    }
}

double hed_yarn_watch(const HedYarnContact* y, int32_t i, int32_t j, double share,
                      HedYarnMeeting* earliest) {
    const HedSweptSegment* first = &y->ways[i];
    const HedSweptSegment* second = &y->ways[j];
    double reach = hed_yarn_radius(y, i) + hed_yarn_radius(y, j);
    double motion = hed_distance3(first->shift, second->shift) + first->wander + second->wander;
    double far = hed_distance3(first->center, second->center) - first->radius - second->radius;
    if (far >= reach + motion) {
        return reach;
    }
    double gap = gap_of(y, first, second, 0, reach);
    if (motion >= gap) {
        hed_yarn_meet(y, i, j, earliest);
    }
    if (share > 0.0 && motion > share * reach) {
        look_for_rush(y, first, second, gap, share, earliest);
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
    HED_TRY(hed_yarn_fit_swept_segments(y, x, x, error));
    for (int32_t i = 0; i < y->def.segment_count; ++i) {
        for (int32_t k = y->list.first[i]; k < y->list.first[i + 1]; ++k) {
            HedYarnPair pair = {i, y->list.other[k]};
            const HedSweptSegment *first = &y->ways[i], *second = &y->ways[pair.second];
            double reach = hed_yarn_radius(y, i) + hed_yarn_radius(y, pair.second);
            // Of chords: as much too large in one place as too small in another.
            double apart = gap_of(y, first, second, 0, reach) + first->bulge + second->bulge;
            if (apart < part * reach && !HED_APPEND(&y->merged, pair)) {
                return hed_fail_memory(error, "yarns that start in each other");
            }
        }
    }
    y->list.margin = -1.0; // a list without them
done:
    return status;
}

static double least_reach(const HedYarnContact* y) {
    double least = HUGE_VAL;
    for (int32_t c = 0; c < y->def.curve_count; ++c) {
        least = fmin(least, 2.0 * y->curves[c].radius);
    }
    return least;
}

static bool can_meet_itself(const HedYarnContact* y, int32_t i) {
    return y->rest_length[i] > y->def.contact_free * hed_yarn_radius(y, i);
}

// All pairs on the list; also finds how far everything is apart at the start.
static HedStatus watch_list(HedYarnContact* y, HedYarnTrip trip, HedYarnMeeting* meeting,
                            HedError* error) {
    double least = least_reach(y);
#pragma omp parallel for schedule(dynamic, 1)                                                      \
    num_threads(hed_team_size(y->def.team, INT64_C(1000) * y->def.segment_count))
    for (int32_t block = 0; block < y->block_count; ++block) {
        HedYarnBlock range = hed_yarn_block(y, block);
        HedYarnMeeting own = {.time = 1.0};
        double slack = least; // what is not on the list is further apart
        for (int32_t i = range.first; i < range.end; ++i) {
            if (can_meet_itself(y, i)) {
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

// Mean way of a segment's points, and how much further from it a place of the segment may get, m.
static HedYarnDrift drift_of(const HedYarnContact* y, int32_t segment, HedYarnTrip trip) {
    const int32_t* point = y->segments[segment].point;
    HedYarnDrift drift = {{0.0, 0.0, 0.0}, 0.0};
    double square = 0.0;
    HedVec3 d[4];
    for (int k = 0; k < 4; ++k) {
        d[k] = hed_sub3(trip.end[point[k]], trip.start[point[k]]);
        drift.shift = hed_madd3(drift.shift, 0.25, d[k]);
    }
    for (int k = 0; k < 4; ++k) {
        HedVec3 off = hed_sub3(d[k], drift.shift);
        square = fmax(square, hed_dot3(off, off));
    }
    drift.wander = y->reach_most * sqrt(square);
    return drift;
}

static void rush_pair(const HedYarnContact* y, int32_t i, int32_t j, HedYarnTrip trip,
                      HedYarnMeeting* earliest) {
    const HedYarnDrift *a = &y->drift[i], *b = &y->drift[j];
    double reach = hed_yarn_radius(y, i) + hed_yarn_radius(y, j);
    double most = trip.share * reach - a->wander - b->wander;
    HedVec3 apart = hed_sub3(a->shift, b->shift);
    if (earliest->is_found || (most >= 0.0 && hed_dot3(apart, apart) <= most * most)) {
        return;
    }
    HedSweptSegment first = hed_yarn_swept_segment(y, i, trip.start, trip.end);
    HedSweptSegment second = hed_yarn_swept_segment(y, j, trip.start, trip.end);
    look_for_rush(y, &first, &second, gap_of(y, &first, &second, 0, reach), trip.share, earliest);
}

// The same where it is known that nothing passes: only what comes nearer too fast is looked for,
// and most pairs do not move so far.
static HedStatus watch_rush(HedYarnContact* y, HedYarnTrip trip, HedYarnMeeting* meeting,
                            HedError* error) {
#pragma omp parallel for schedule(static)                                                          \
    num_threads(hed_team_size(y->def.team, INT64_C(20) * y->def.segment_count))
    for (int32_t i = 0; i < y->def.segment_count; ++i) {
        y->drift[i] = drift_of(y, i, trip);
    }
#pragma omp parallel for schedule(dynamic, 1)                                                      \
    num_threads(hed_team_size(y->def.team, INT64_C(50) * y->def.segment_count))
    for (int32_t block = 0; block < y->block_count; ++block) {
        HedYarnBlock range = hed_yarn_block(y, block);
        HedYarnMeeting own = {.time = 1.0};
        for (int32_t i = range.first; i < range.end; ++i) {
            if (can_meet_itself(y, i)) {
                rush_pair(y, i, i, trip, &own);
            }
            for (int32_t k = y->list.first[i]; k < y->list.first[i + 1]; ++k) {
                rush_pair(y, i, y->list.other[k], trip, &own);
            }
        }
        y->meetings[block] = own;
    }
    return hed_yarn_collect(y, meeting, error);
}

// What was known before proves that nothing passes.
static bool is_known(const HedYarnContact* y, HedYarnTrip trip) {
    return y->safe_slack > 0.0 && hed_yarn_approach(y, y->safe_at, trip.end) < y->safe_slack &&
           hed_yarn_approach(y, y->safe_at, trip.start) < y->safe_slack;
}

static HedStatus make_room(HedYarnContact* y, HedError* error) {
    y->safe_at = y->safe_at ? y->safe_at : HED_NEW_ARRAY(HedVec3, y->def.point_count);
    y->drift = y->drift ? y->drift : HED_NEW_ARRAY(HedYarnDrift, y->def.segment_count);
    y->meetings = y->meetings ? y->meetings : HED_NEW_ARRAY(HedYarnMeeting, y->block_count);
    return y->safe_at && y->drift && y->meetings ? HED_OK
                                                 : hed_fail_memory(error, "distances of yarns");
}

HedStatus hed_yarn_ccd_cull(HedYarnContact* contact, HedYarnTrip trip, HedYarnMeeting* meeting,
                            HedError* error) {
    HedYarnContact* y = contact;
    HedStatus status = HED_OK;
    *meeting = (HedYarnMeeting){.time = 1.0};
    if (y->def.segment_count == 0) {
        return HED_OK;
    }
    HED_TRY(make_room(y, error));
    bool is_safe = is_known(y, trip);
    bool is_slow = trip.share <= 0.0 || (is_safe && hed_yarn_approach(y, trip.start, trip.end) <=
                                                        trip.share * least_reach(y));
    if (is_safe && is_slow) {
        return HED_OK;
    }
    bool holds = hed_yarn_list_holds(y, trip.start) && hed_yarn_list_holds(y, trip.end);
    if (is_safe && holds) {
        return watch_rush(y, trip, meeting, error);
    }
    HED_TRY(hed_yarn_fit_swept_segments(y, trip.start, trip.end, error));
    if (holds) {
        HED_TRY(watch_list(y, trip, meeting, error));
    } else {
        HED_TRY(hed_yarn_ccd_tree(y, trip.share, meeting, error));
    }
done:
    return status;
}
