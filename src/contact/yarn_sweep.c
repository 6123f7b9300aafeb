// SPDX-License-Identifier: MIT
#include "contact/yarn_sweep.h"

#include "contact/yarn_inner.h"
#include "geom/impact.h"

enum { CHORDS = 4, KNOTS = CHORDS + 1, SOME = 256 };

// A segment on its way: ends of its chords at the start and at the end, and how far the curve
// bulges out of them.
typedef struct HedYarnWay {
    HedVec3 knot[2][KNOTS];
    double bulge;
} Way;

// A cubic over an interval of 1/CHORDS differs from its chord by at most 1/8 of the largest second
// derivative times the square of the interval; it is linear, so largest at an end of the segment
// and of the step.
static Way way_of(const HedYarnContact* y, int32_t s, const HedVec3* start, const HedVec3* end) {
    Way way = {.bulge = 0.0};
    const int32_t* point = y->segments[s].point;
    const HedVec3* from[2] = {start, end};
    for (int f = 0; f < 2; ++f) {
        HedVec3 p[4];
        for (int k = 0; k < 4; ++k) {
            p[k] = from[f][point[k]];
        }
        HedCubic cubic = hed_cubic_make(hed_yarn_matrix(y, s), p);
        for (int k = 0; k < KNOTS; ++k) {
            way.knot[f][k] = hed_cubic_point(&cubic, (double)k / CHORDS);
        }
        double most =
            fmax(hed_norm3(hed_cubic_bend(&cubic, 0.0)), hed_norm3(hed_cubic_bend(&cubic, 1.0)));
        way.bulge = fmax(way.bulge, most / (8.0 * CHORDS * CHORDS));
    }
    return way;
}

static HedBox grown(HedBox box, double by) {
    HedVec3 around = {by, by, by};
    return (HedBox){hed_sub3(box.low, around), hed_add3(box.high, around)};
}

static HedBox box_of(const Way* way) {
    HedBox box = hed_box_around(way->knot[0], KNOTS);
    HedBox end = hed_box_around(way->knot[1], KNOTS);
    return grown((HedBox){hed_min3(box.low, end.low), hed_max3(box.high, end.high)}, way->bulge);
}

static HedBox chord_box(const Way* way, int a) {
    HedBox box = hed_box_empty();
    for (int f = 0; f < 2; ++f) {
        box = hed_box_add(hed_box_add(box, way->knot[f][a]), way->knot[f][a + 1]);
    }
    return grown(box, way->bulge);
}

// Chord a of segment i and chord b of segment j > i, or a later one of the same: whether they are
// neighbours along their yarn.
static bool are_joined(const HedYarnContact* y, int32_t i, int a, int32_t j, int b) {
    int32_t curve = y->curve_of[i];
    if (curve != y->curve_of[j]) {
        return false;
    }
    int64_t apart = (int64_t)(j - i) * CHORDS + b - a;
    int64_t round = (int64_t)y->curves[curve].segment_count * CHORDS - apart;
    double first = y->arc[i] + a * y->rest_length[i] / CHORDS;
    double second = y->arc[j] + b * y->rest_length[j] / CHORDS;
    double gap = second - first - y->rest_length[i] / CHORDS;
    double skip = y->def.contact_free * y->curves[curve].radius;
    if (y->curves[curve].is_closed) {
        double back = y->curve_length[curve] - (second + y->rest_length[j] / CHORDS - first);
        return apart <= 1 || round <= 1 || gap < skip || back < skip;
    }
    return apart <= 1 || gap < skip;
}

// The meeting of two chords, if it is earlier than what is known.
static void meet_chords(const Way* first, int a, const Way* second, int b,
                        HedYarnMeeting* earliest) {
    HedVec3 start[4] = {first->knot[0][a], first->knot[0][a + 1], second->knot[0][b],
                        second->knot[0][b + 1]};
    HedVec3 end[4] = {first->knot[1][a], first->knot[1][a + 1], second->knot[1][b],
                      second->knot[1][b + 1]};
    HedImpact impact;
    ++earliest->chord_pairs;
    if (hed_impact(HED_SEGMENT_SEGMENT, start, end, first->bulge + second->bulge, &impact) &&
        (!earliest->is_found || impact.time < earliest->time)) {
        earliest->is_found = true;
        earliest->time = impact.time;
        earliest->parameter[0] = (a + impact.nearest.weight[1]) / CHORDS;
        earliest->parameter[1] = (b - impact.nearest.weight[3]) / CHORDS;
    }
}

static void meet_segments(const HedYarnContact* y, int32_t i, int32_t j, HedYarnMeeting* earliest) {
    const Way* first = &y->ways[i];
    const Way* second = &y->ways[j];
    HedYarnMeeting own = *earliest;
    for (int a = 0; a < CHORDS; ++a) {
        HedBox box = chord_box(first, a);
        if (!hed_box_overlaps(box, y->boxes[j])) {
            continue;
        }
        for (int b = i == j ? a + 1 : 0; b < CHORDS; ++b) {
            if (!are_joined(y, i, a, j, b) && hed_box_overlaps(box, chord_box(second, b))) {
                meet_chords(first, a, second, b, &own);
            }
        }
    }
    bool is_earlier = own.is_found && (!earliest->is_found || own.time < earliest->time);
    earliest->chord_pairs = own.chord_pairs;
    if (is_earlier) {
        *earliest = own;
        earliest->segment[0] = i;
        earliest->segment[1] = j;
    }
}

// All segments that a segment may meet; false if there is no memory.
static bool sweep_segment(const HedYarnContact* y, int32_t i, HedYarnMeeting* earliest) {
    int32_t stack[SOME];
    int32_t* found = stack;
    int32_t count = hed_bvh_overlap(&y->tree, y->boxes[i], found, SOME);
    if (count > SOME) {
        found = HED_NEW_ARRAY(int32_t, count);
        if (!found) {
            return false;
        }
        hed_bvh_overlap(&y->tree, y->boxes[i], found, count);
    }
    for (int32_t k = 0; k < count; ++k) {
        if (found[k] >= i && hed_box_overlaps(y->boxes[i], y->boxes[found[k]])) {
            meet_segments(y, i, found[k], earliest);
        }
    }
    if (found != stack) {
        hed_free(found);
    }
    return true;
}

static HedStatus fit_ways(HedYarnContact* y, const HedVec3* start, const HedVec3* end,
                          HedError* error) {
    int32_t n = y->def.segment_count;
    if (!y->ways) {
        y->ways = HED_NEW_ARRAY(Way, n);
    }
    if (!y->meetings) {
        y->meetings = HED_NEW_ARRAY(HedYarnMeeting, y->block_count);
    }
    if (!y->ways || !y->meetings) {
        return hed_fail_memory(error, "motion of yarns");
    }
#pragma omp parallel for schedule(static) num_threads(hed_team_size(y->def.team, INT64_C(200) * n))
    for (int32_t s = 0; s < n; ++s) {
        y->ways[s] = way_of(y, s, start, end);
        y->boxes[s] = box_of(&y->ways[s]);
    }
    if (!y->tree.nodes) {
        return hed_bvh_build(y->boxes, n, &y->tree, error);
    }
    hed_bvh_refit(&y->tree, y->boxes);
    return HED_OK;
}

HedStatus hed_yarn_sweep(HedYarnContact* contact, const HedVec3* start, const HedVec3* end,
                         HedYarnMeeting* meeting, HedError* error) {
    HedYarnContact* y = contact;
    HedStatus status = HED_OK;
    *meeting = (HedYarnMeeting){.time = 1.0};
    HED_TRY(fit_ways(y, start, end, error));
#pragma omp parallel for schedule(dynamic, 1)                                                      \
    num_threads(hed_team_size(y->def.team, INT64_C(1000) * y->def.segment_count))
    for (int32_t block = 0; block < y->block_count; ++block) {
        HedYarnBlock range = hed_yarn_block(y, block);
        HedYarnMeeting own = {.time = 1.0};
        for (int32_t i = range.first; i < range.end; ++i) {
            if (!sweep_segment(y, i, &own)) {
                own.chord_pairs = -1;
                break;
            }
        }
        y->meetings[block] = own;
    }
    int64_t pairs = 0;
    for (int32_t block = 0; block < y->block_count; ++block) {
        const HedYarnMeeting* own = &y->meetings[block];
        if (own->chord_pairs < 0) {
            return hed_fail_memory(error, "pairs of yarn segments on their way");
        }
        pairs += own->chord_pairs;
        if (own->is_found && (!meeting->is_found || own->time < meeting->time)) {
            *meeting = *own;
        }
    }
    meeting->chord_pairs = pairs;
done:
    return status;
}

// A curve between two quadrature points is nowhere further from the nearer of them than half the
// longest way between two, however it bends; ways are bounded by those of the control polygon.
static double spacing_most(const HedYarnContact* y, const HedVec3* x) {
    double most = 0.0;
    for (int32_t s = 0; s < y->def.segment_count; ++s) {
        const int32_t* p = y->segments[s].point;
        HedVec3 q[4] = {x[p[0]], x[p[1]], x[p[2]], x[p[3]]};
        HedCubic c = hed_cubic_make(hed_yarn_matrix(y, s), q);
        // |y'| = |c1 + 2 c2 s + 3 c3 s^2|
        double speed = hed_norm3(c.c[1]) + 2.0 * hed_norm3(c.c[2]) + 3.0 * hed_norm3(c.c[3]);
        most = fmax(most, speed);
    }
    return 0.5 * most / (y->def.quadrature - 1);
}

bool hed_yarn_is_short_way(const HedYarnContact* contact, double deepest, const HedVec3* start,
                           const HedVec3* end) {
    const HedYarnContact* y = contact;
    int32_t n = y->def.point_count;
    if (n == 0) {
        return true;
    }
    double least = HUGE_VAL;
    for (int32_t c = 0; c < y->def.curve_count; ++c) {
        least = fmin(least, y->curves[c].radius);
    }
    HedVec3 mean = {0.0, 0.0, 0.0};
    for (int32_t i = 0; i < n; ++i) {
        mean = hed_add3(mean, hed_sub3(end[i], start[i]));
    }
    mean = hed_mul3(1.0 / n, mean);
    double most = 0.0;
    for (int32_t i = 0; i < n; ++i) {
        HedVec3 d = hed_sub3(hed_sub3(end[i], start[i]), mean);
        most = fmax(most, hed_dot3(d, d));
    }
    double apart = deepest * 2.0 * least - 2.0 * spacing_most(y, start);
    return isfinite(most) && 2.0 * y->reach_most * sqrt(most) < apart;
}
