// SPDX-License-Identifier: MIT
#include "geom/closest.h"

// Below this squared sine of the angle between two sides, solving in their plane has lost most of
// its digits: the ends are tried as well and the better answer taken.
static const double SLIVER = 1e-12;

HedClosestSegment hed_closest_segment(HedVec3 p, HedVec3 a, HedVec3 b) {
    HedVec3 ab = hed_sub3(b, a);
    double along = hed_dot3(hed_sub3(p, a), ab);
    double length_squared = hed_dot3(ab, ab);
    double t = 0.0;
    if (along > 0.0) {
        t = along < length_squared ? along / length_squared : 1.0;
    }
    HedVec3 point = t < 1.0 ? hed_madd3(a, t, ab) : b;
    HedVec3 gap = hed_sub3(p, point);
    return (HedClosestSegment){point, t, hed_dot3(gap, gap)};
}

// Takes the closest point on edge k (from corner k to corner k + 1) if it is nearer than best.
static void try_edge(HedVec3 p, const HedVec3 corner[3], int k, HedClosestTriangle* best) {
    int next = (k + 1) % 3;
    HedClosestSegment edge = hed_closest_segment(p, corner[k], corner[next]);
    if (!(edge.distance_squared < best->distance_squared)) {
        return;
    }
    best->point = edge.point;
    best->distance_squared = edge.distance_squared;
    best->weight[k] = 1.0 - edge.t;
    best->weight[next] = edge.t;
    best->weight[(k + 2) % 3] = 0.0;
    if (edge.t <= 0.0) {
        best->feature = (HedFeature)(HED_CORNER_0 + k);
    } else if (edge.t >= 1.0) {
        best->feature = (HedFeature)(HED_CORNER_0 + next);
    } else {
        best->feature = (HedFeature)(HED_EDGE_0 + k);
    }
}

// Projected on the plane of the triangle, with n = ab x ac, the point has the weights
//   w_b = (ap x ac) . n / n.n        w_c = (ab x ap) . n / n.n        w_a = 1 - w_b - w_c.
// If none is negative this is the closest point. Otherwise the closest point lies on an edge that p
// is on the far side of, that is, one opposite to a corner of negative weight: the closest point
// inside an edge has p straight outwards of it.
HedClosestTriangle hed_closest_triangle(HedVec3 p, HedVec3 a, HedVec3 b, HedVec3 c) {
    HedVec3 ab = hed_sub3(b, a);
    HedVec3 ac = hed_sub3(c, a);
    HedVec3 ap = hed_sub3(p, a);
    HedVec3 n = hed_cross3(ab, ac);
    double nn = hed_dot3(n, n);
    double inverse = 1.0 / nn;
    double wb = hed_dot3(hed_cross3(ap, ac), n) * inverse;
    double wc = hed_dot3(hed_cross3(ab, ap), n) * inverse;
    double wa = 1.0 - wb - wc;
    bool is_sliver = !(nn > SLIVER * hed_dot3(ab, ab) * hed_dot3(ac, ac)) || !isfinite(inverse);
    HedClosestTriangle best = {.point = a,
                               .weight = {1.0, 0.0, 0.0},
                               .distance_squared = hed_dot3(ap, ap),
                               .feature = HED_CORNER_0};
    const HedVec3 corner[3] = {a, b, c};
    if (wa >= 0.0 && wb >= 0.0 && wc >= 0.0 && isfinite(inverse)) {
        HedVec3 point = hed_madd3(hed_madd3(a, wb, ab), wc, ac);
        HedVec3 gap = hed_sub3(p, point);
        best = (HedClosestTriangle){.point = point,
                                    .weight = {wa, wb, wc},
                                    .distance_squared = hed_dot3(gap, gap),
                                    .feature = HED_FACE};
        if (!is_sliver) {
            return best;
        }
    }
    if (wc < 0.0 || is_sliver) {
        try_edge(p, corner, 0, &best);
    }
    if (wa < 0.0 || is_sliver) {
        try_edge(p, corner, 1, &best);
    }
    if (wb < 0.0 || is_sliver) {
        try_edge(p, corner, 2, &best);
    }
    return best;
}

static void take_nearer(HedClosestPair* best, HedVec3 first, HedVec3 second, double s, double t) {
    HedVec3 gap = hed_sub3(first, second);
    double distance_squared = hed_dot3(gap, gap);
    if (distance_squared < best->distance_squared) {
        *best = (HedClosestPair){first, second, s, t, distance_squared};
    }
}

// With u = b - a, v = d - c, w = a - c the lines come nearest where
//   s = (u.v v.w - v.v u.w) / D      t = (u.u v.w - u.v u.w) / D      D = |u x v|^2.
// For a small angle both have rounding errors of their own, so t is found again as the point
// nearest to s, and s as the one nearest to t. If the place is outside either segment, or the lines
// are parallel, an end of one segment is a closest point: four cases.
HedClosestPair hed_closest_segments(HedVec3 a, HedVec3 b, HedVec3 c, HedVec3 d) {
    HedVec3 u = hed_sub3(b, a);
    HedVec3 v = hed_sub3(d, c);
    HedVec3 w = hed_sub3(a, c);
    HedVec3 n = hed_cross3(u, v);
    double uu = hed_dot3(u, u), uv = hed_dot3(u, v), vv = hed_dot3(v, v);
    double uw = hed_dot3(u, w), vw = hed_dot3(v, w);
    double denominator = hed_dot3(n, n);
    HedClosestPair best = {a, c, 0.0, 0.0, hed_dot3(w, w)};
    double s = (uv * vw - vv * uw) / denominator;
    double t = (uu * vw - uv * uw) / denominator;
    if (s >= 0.0 && s <= 1.0 && t >= 0.0 && t <= 1.0) {
        HedClosestSegment second = hed_closest_segment(hed_madd3(a, s, u), c, d);
        HedClosestSegment first = hed_closest_segment(second.point, a, b);
        take_nearer(&best, first.point, second.point, first.t, second.t);
        if (denominator > SLIVER * uu * vv) {
            return best;
        }
    }
    HedClosestSegment at_a = hed_closest_segment(a, c, d);
    HedClosestSegment at_b = hed_closest_segment(b, c, d);
    HedClosestSegment at_c = hed_closest_segment(c, a, b);
    HedClosestSegment at_d = hed_closest_segment(d, a, b);
    take_nearer(&best, a, at_a.point, 0.0, at_a.t);
    take_nearer(&best, b, at_b.point, 1.0, at_b.t);
    take_nearer(&best, at_c.point, c, at_c.t, 0.0);
    take_nearer(&best, at_d.point, d, at_d.t, 1.0);
    return best;
}
