// SPDX-License-Identifier: MIT
// Advancing by separating planes.
//
// For a fixed direction n the gap between point i of one side and point j of the other,
//   g_ij(t) = n . (a_i(t) - b_j(t)),
// is linear in t, and both sides are convex: while all g_ij are positive a plane across n stands
// between them. So two dot products per pair of points prove a whole interval of time, whatever n
// is. With n along the shortest connection at the present time the proof reaches until the smallest
// of the linear gaps falls to the distance to keep; from there the search goes on with a new n.
// Each turn gains at least (distance - keep) / (largest relative speed), as conservative
// advancement does, but for a pair that moves without much turning it goes to the end, or to the
// impact, at once.
//
// Rounding: differences are formed first, so errors are relative to the size of the pair and not to
// its place. A gap is wrong by less than 16 roundings of that size, and the distance to keep is
// never below FLOOR of it: a plane that is found is there in exact arithmetic too. An inaccurate n
// (parallel segments, slivers) costs turns, never truth.
#include "geom/impact.h"

#include "geom/closest.h"

static const double FLOOR = 0x1p-46; // 64 * 2^-52
enum { TURNS = 100 };

// Relative positions of all pairs of points of the two sides, at the start and their change.
typedef struct Motion {
    HedMeeting meeting;
    int count;
    HedVec3 from[4];
    HedVec3 change[4];
    double size; // m, bound on all coordinates of relative positions
} Motion;

static double larger(double a, double b) {
    return a > b ? a : b;
}

static double size_of(HedVec3 a) {
    return larger(fabs(a.x), larger(fabs(a.y), fabs(a.z)));
}

static Motion relative_motion(HedMeeting meeting, const HedVec3 start[4], const HedVec3 end[4]) {
    bool is_face = meeting == HED_POINT_TRIANGLE;
    Motion motion = {.meeting = meeting, .count = is_face ? 3 : 4};
    for (int k = 0; k < motion.count; ++k) {
        int i = is_face ? 0 : k / 2;
        int j = is_face ? k + 1 : 2 + k % 2;
        HedVec3 from = hed_sub3(start[i], start[j]);
        HedVec3 to = hed_sub3(end[i], end[j]);
        motion.from[k] = from;
        motion.change[k] = hed_sub3(to, from);
        motion.size = larger(motion.size, larger(size_of(from), size_of(to)));
    }
    return motion;
}

static bool is_still(const Motion* motion) {
    for (int k = 0; k < motion->count; ++k) {
        HedVec3 c = motion->change[k];
        if (c.x != 0.0 || c.y != 0.0 || c.z != 0.0) {
            return false;
        }
    }
    return true;
}

static HedVec3 across(HedMeeting meeting, const HedVec3 x[4]) {
    HedVec3 u = meeting == HED_POINT_TRIANGLE ? hed_sub3(x[2], x[1]) : hed_sub3(x[1], x[0]);
    HedVec3 v = meeting == HED_POINT_TRIANGLE ? hed_sub3(x[3], x[1]) : hed_sub3(x[3], x[2]);
    HedVec3 along = hed_unit3(hed_dot3(u, u) > hed_dot3(v, v) ? u : v, hed_vec3(1.0, 0.0, 0.0));
    return hed_unit3(hed_cross3(u, v), hed_perpendicular3(along));
}

HedNearest hed_nearest(HedMeeting meeting, const HedVec3 x[4]) {
    HedNearest nearest;
    HedVec3 gap;
    if (meeting == HED_POINT_TRIANGLE) {
        HedClosestTriangle c = hed_closest_triangle(x[0], x[1], x[2], x[3]);
        gap = hed_sub3(x[0], c.point);
        nearest.weight[0] = 1.0;
        for (int k = 0; k < 3; ++k) {
            nearest.weight[k + 1] = -c.weight[k];
        }
    } else {
        HedClosestPair c = hed_closest_segments(x[0], x[1], x[2], x[3]);
        gap = hed_sub3(c.first, c.second);
        nearest.weight[0] = 1.0 - c.s;
        nearest.weight[1] = c.s;
        nearest.weight[2] = c.t - 1.0;
        nearest.weight[3] = -c.t;
    }
    nearest.distance = hed_norm3(gap);
    nearest.normal =
        nearest.distance > 0.0 ? hed_mul3(1.0 / nearest.distance, gap) : across(meeting, x);
    return nearest;
}

// Places of the pair at a time, with a corner of the second side (or the point) in the origin.
static HedNearest nearest_at(const Motion* motion, double t) {
    HedVec3 d[4];
    for (int k = 0; k < motion->count; ++k) {
        d[k] = hed_madd3(motion->from[k], t, motion->change[k]);
    }
    HedVec3 x[4] = {{0.0, 0.0, 0.0}};
    if (motion->meeting == HED_POINT_TRIANGLE) {
        for (int k = 0; k < 3; ++k) {
            x[k + 1] = hed_mul3(-1.0, d[k]);
        }
    } else {
        x[0] = d[0];
        x[1] = d[2];
        x[2] = hed_vec3(0.0, 0.0, 0.0);
        x[3] = hed_sub3(d[0], d[1]);
    }
    return hed_nearest(motion->meeting, x);
}

// How long, from t on, all gaps along n stay above keep: above 1 if to the end, t if they are not
// so even at t (n is inaccurate where the sides have come very near).
static double reach(const Motion* motion, HedVec3 n, double t, double keep) {
    double earliest = 2.0;
    for (int k = 0; k < motion->count; ++k) {
        double gap = hed_dot3(n, motion->from[k]);
        double change = hed_dot3(n, motion->change[k]);
        if (!(gap + t * change > keep)) {
            return t;
        }
        if (gap + change <= keep) {
            double until = (gap - keep) / -change;
            earliest = until < earliest ? until : earliest;
        }
    }
    return earliest;
}

bool hed_impact(HedMeeting meeting, const HedVec3 start[4], const HedVec3 end[4], double separation,
                HedImpact* impact) {
    Motion motion = relative_motion(meeting, start, end);
    if (is_still(&motion)) {
        return false;
    }
    HedNearest nearest = nearest_at(&motion, 0.0);
    double floor = FLOOR * motion.size;
    double first = nearest.distance;
    double keep = larger(0.5 * first < separation ? 0.5 * first : separation, floor);
    double t = 0.0;
    int turn = 0;
    while (turn < TURNS && nearest.distance > 1.05 * keep) {
        ++turn;
        double until = reach(&motion, nearest.normal, t, keep);
        if (until >= 1.0) {
            return false;
        }
        if (!(until > t)) {
            break;
        }
        t = until;
        nearest = nearest_at(&motion, t);
    }
    *impact = (HedImpact){t, first, nearest, turn};
    return true;
}
