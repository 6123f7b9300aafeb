// SPDX-License-Identifier: MIT
#include "contact/yarn_ccd.h"

#include "contact/swept_segment.h"
#include "geom/impact.h"

enum { CHORDS = HED_YARN_CHORDS, KNOTS = CHORDS + 1, SOME = 256, DEPTH = 4 };

typedef HedSweptSegment Way;

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

// The same for a further piece of the yarn, which may lie before or behind.
static bool are_near_along(const HedYarnContact* y, int32_t i, int a, int32_t j, int b) {
    double chords[2] = {y->rest_length[i] / CHORDS, y->rest_length[j] / CHORDS};
    double first = y->arc[i] + a * chords[0];
    double second = y->arc[j] + b * chords[1];
    double gap = first <= second ? second - first - chords[0] : first - second - chords[1];
    double skip = y->def.contact_free * y->curves[y->curve_of[i]].radius;
    return gap < fmax(skip, 1e-6 * chords[0]); // next to each other in any case
}

bool hed_yarn_are_joined(const HedYarnContact* y, int32_t i, int a, int32_t j, int b) {
    int32_t curve = y->curve_of[i];
    if (y->yarn_of[i] != y->yarn_of[j]) {
        return false;
    }
    if (curve != y->curve_of[j]) {
        return are_near_along(y, i, a, j, b);
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

// A part of a segment on its way.
typedef struct CcdPart {
    const Way* way;
    double from, to;
} CcdPart;

static double bulge_of(CcdPart part) {
    double width = part.to - part.from;
    return 0.125 * width * width * part.way->bend;
}

static void place_parts(CcdPart a, CcdPart b, HedVec3 ends[2][4]) {
    for (int f = 0; f < 2; ++f) {
        ends[f][0] = hed_cubic_point(&a.way->cubic[f], a.from);
        ends[f][1] = hed_cubic_point(&a.way->cubic[f], a.to);
        ends[f][2] = hed_cubic_point(&b.way->cubic[f], b.from);
        ends[f][3] = hed_cubic_point(&b.way->cubic[f], b.to);
    }
}

// Curves that start nearer than they bulge, or nearly so, may come no nearer at all: not even in
// many small steps do they get through each other.
static bool do_meet(const HedVec3 ends[2][4], double bulge, double start, HedImpact* impact) {
    if (hed_impact(HED_SEGMENT_SEGMENT, ends[0], ends[1], bulge, impact)) {
        return true;
    }
    if (start >= 2.0 * bulge) {
        return false;
    }
    HedNearest end = hed_nearest(HED_SEGMENT_SEGMENT, ends[1]);
    *impact = (HedImpact){1.0, start, end, 0};
    return end.distance < bulge && end.distance < start;
}

// The meeting of two parts, if it is earlier than what is known. Where their chords come as near as
// the curves bulge, halves of them tell more, down to where bulges are small against the yarns.
static void meet_parts(CcdPart a, CcdPart b, double enough, int depth, HedYarnMeeting* earliest) {
    HedVec3 ends[2][4];
    place_parts(a, b, ends);
    HedImpact impact = {.time = 0.0};
    double bulge = bulge_of(a) + bulge_of(b);
    bool is_last = depth == 0 || bulge <= enough;
    ++earliest->chord_pairs;
    // hed_impact takes its distance from the start if that is small: then it proves nothing here.
    double start = hed_nearest(HED_SEGMENT_SEGMENT, ends[0]).distance;
    bool is_open = !is_last && start < 2.0 * bulge;
    if ((!is_open && !do_meet(ends, bulge, start, &impact)) ||
        (earliest->is_found && impact.time >= earliest->time)) {
        return;
    }
    if (!is_last) {
        double middle[2] = {0.5 * (a.from + a.to), 0.5 * (b.from + b.to)};
        for (int k = 0; k < 4; ++k) {
            CcdPart first =
                k / 2 ? (CcdPart){a.way, middle[0], a.to} : (CcdPart){a.way, a.from, middle[0]};
            CcdPart second =
                k % 2 ? (CcdPart){b.way, middle[1], b.to} : (CcdPart){b.way, b.from, middle[1]};
            meet_parts(first, second, enough, depth - 1, earliest);
        }
        return;
    }
    earliest->is_found = true;
    earliest->is_rush = false;
    earliest->time = impact.time;
    earliest->parameter[0] = a.from + (a.to - a.from) * impact.nearest.weight[1];
    earliest->parameter[1] = b.from - (b.to - b.from) * impact.nearest.weight[3];
}

static void meet_chords(const HedYarnContact* y, int32_t i, int a, int32_t j, int b,
                        HedYarnMeeting* earliest) {
    const double small = 0.01; // of r_i + r_j: what bulges come to then
    double enough = small * (hed_yarn_radius(y, i) + hed_yarn_radius(y, j));
    CcdPart first = {&y->ways[i], (double)a / CHORDS, (a + 1.0) / CHORDS};
    CcdPart second = {&y->ways[j], (double)b / CHORDS, (b + 1.0) / CHORDS};
    meet_parts(first, second, enough, DEPTH, earliest);
}

void hed_yarn_meet(const HedYarnContact* y, int32_t i, int32_t j, HedYarnMeeting* earliest) {
    const Way* first = &y->ways[i];
    const Way* second = &y->ways[j];
    HedYarnMeeting own = *earliest;
    HedBox all = box_of(second);
    for (int a = 0; a < CHORDS; ++a) {
        HedBox box = chord_box(first, a);
        if (!hed_box_overlaps(box, all)) {
            continue;
        }
        for (int b = i == j ? a + 1 : 0; b < CHORDS; ++b) {
            if (!hed_yarn_are_joined(y, i, a, j, b) &&
                hed_box_overlaps(box, chord_box(second, b))) {
                meet_chords(y, i, a, j, b, &own);
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

// All segments that a segment may meet, or come near to; false if there is no memory.
static bool sweep_segment(const HedYarnContact* y, int32_t i, double share,
                          HedYarnMeeting* earliest) {
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
        bool is_pair = found[k] >= i && hed_yarn_is_counted(y, i);
        if (is_pair && hed_box_overlaps(y->boxes[i], y->boxes[found[k]]) &&
            !hed_yarn_is_merged(y, i, found[k])) {
            if (share > 0.0) {
                hed_yarn_watch(y, i, found[k], share, earliest);
            } else {
                hed_yarn_meet(y, i, found[k], earliest);
            }
        }
    }
    if (found != stack) {
        hed_free(found);
    }
    return true;
}

// A cubic over an interval of 1/CHORDS differs from its chord by at most 1/8 of the largest second
// derivative times the square of the interval; it is linear, so largest at an end of the segment
// and of the step.
HedSweptSegment hed_yarn_swept_segment(const HedYarnContact* y, int32_t segment,
                                       const HedVec3* start, const HedVec3* end) {
    Way way = {.segment = segment, .bend = 0.0, .shift = {0.0, 0.0, 0.0}};
    const int32_t* point = y->segments[segment].point;
    const HedVec3* from[2] = {start, end};
    for (int f = 0; f < 2; ++f) {
        HedVec3 p[4];
        for (int k = 0; k < 4; ++k) {
            p[k] = from[f][point[k]];
        }
        HedCubic cubic = hed_cubic_make(hed_yarn_matrix(y, segment), p);
        for (int k = 0; k < KNOTS; ++k) {
            way.knot[f][k] = hed_cubic_point(&cubic, (double)k / CHORDS);
        }
        for (int k = 0; k < CHORDS; ++k) {
            way.chord[f][k] = hed_distance3(way.knot[f][k], way.knot[f][k + 1]);
        }
        double most =
            fmax(hed_norm3(hed_cubic_bend(&cubic, 0.0)), hed_norm3(hed_cubic_bend(&cubic, 1.0)));
        way.bend = fmax(way.bend, most);
        way.cubic[f] = cubic;
    }
    way.bulge = way.bend / (8.0 * CHORDS * CHORDS);
    way.center = way.knot[0][CHORDS / 2];
    for (int k = 0; k < 4; ++k) {
        HedVec3 d = hed_sub3(end[point[k]], start[point[k]]);
        way.shift = hed_madd3(way.shift, 0.25, d);
    }
    for (int k = 0; k < 4; ++k) {
        HedVec3 d = hed_sub3(end[point[k]], start[point[k]]);
        way.wander = fmax(way.wander, y->reach_most * hed_distance3(d, way.shift));
    }
    for (int k = 0; k < KNOTS; ++k) {
        way.radius = fmax(way.radius, hed_distance3(way.knot[0][k], way.center) + way.bulge);
    }
    return way;
}

HedStatus hed_yarn_fit_swept_segments(HedYarnContact* y, const HedVec3* start, const HedVec3* end,
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
        y->ways[s] = hed_yarn_swept_segment(y, s, start, end);
    }
    return HED_OK;
}

static HedStatus fit_tree(HedYarnContact* y, bool with_radii, HedError* error) {
    int32_t n = y->def.segment_count;
    for (int32_t s = 0; s < n; ++s) {
        double radius = with_radii ? hed_yarn_radius(y, s) : 0.0;
        y->boxes[s] = grown(box_of(&y->ways[s]), radius);
    }
    if (!y->tree.nodes) {
        return hed_bvh_build(y->boxes, n, &y->tree, error);
    }
    hed_bvh_refit(&y->tree, y->boxes);
    return HED_OK;
}

HedStatus hed_yarn_collect(const HedYarnContact* y, HedYarnMeeting* meeting, HedError* error) {
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
    return HED_OK;
}

HedStatus hed_yarn_ccd_tree(HedYarnContact* y, double share, HedYarnMeeting* meeting,
                            HedError* error) {
    HedStatus status = HED_OK;
    *meeting = (HedYarnMeeting){.time = 1.0};
    HED_TRY(fit_tree(y, share > 0.0, error));
#pragma omp parallel for schedule(dynamic, 1)                                                      \
    num_threads(hed_team_size(y->def.team, INT64_C(1000) * y->def.segment_count))
    for (int32_t block = 0; block < y->block_count; ++block) {
        HedYarnBlock range = hed_yarn_block(y, block);
        HedYarnMeeting own = {.time = 1.0};
        for (int32_t i = range.first; i < range.end; ++i) {
            if (!sweep_segment(y, i, share, &own)) {
                own.chord_pairs = -1;
                break;
            }
        }
        y->meetings[block] = own;
    }
    HED_TRY(hed_yarn_collect(y, meeting, error));
done:
    return status;
}

HedStatus hed_yarn_ccd(HedYarnContact* contact, const HedVec3* start, const HedVec3* end,
                       HedYarnMeeting* meeting, HedError* error) {
    HedStatus status = HED_OK;
    HED_TRY(hed_yarn_fit_swept_segments(contact, start, end, error));
    HED_TRY(hed_yarn_ccd_tree(contact, 0.0, meeting, error));
done:
    return status;
}
