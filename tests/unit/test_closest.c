// SPDX-License-Identifier: MIT
#include "geom/closest.h"

#include "base/random.h"

#include <criterion/criterion.h>

static HedVec3 random_point(uint64_t stream, uint64_t i) {
    return hed_vec3(2.0 * hed_random_uniform(7, stream, 3 * i) - 1.0,
                    2.0 * hed_random_uniform(7, stream, 3 * i + 1) - 1.0,
                    2.0 * hed_random_uniform(7, stream, 3 * i + 2) - 1.0);
}

// Where coordinates are halves and small integers no operation rounds, but for one division.
static const double EXACT = 1e-15;

// A dozen operations on numbers of up to 3, each rounded by 2e-16 of its result.
static const double ROUNDING = 1e-14;

static void assert_close(HedVec3 a, HedVec3 b, double tolerance) {
    cr_assert_lt(hed_distance3(a, b), tolerance, "(%g %g %g) is not (%g %g %g)", a.x, a.y, a.z, b.x,
                 b.y, b.z);
}

Test(closest, point_on_segment) {
    HedVec3 a = {0, 0, 0}, b = {2, 0, 0};
    HedClosestSegment inside = hed_closest_segment(hed_vec3(0.5, 3, 4), a, b);
    cr_assert_float_eq(inside.t, 0.25, EXACT);
    cr_assert_float_eq(inside.distance_squared, 25.0, EXACT);
    HedClosestSegment before = hed_closest_segment(hed_vec3(-1, 1, 0), a, b);
    cr_assert_eq(before.t, 0.0);
    cr_assert_float_eq(before.distance_squared, 2.0, EXACT);
    HedClosestSegment after = hed_closest_segment(hed_vec3(5, 0, 0), a, b);
    cr_assert_eq(after.t, 1.0);
    assert_close(after.point, b, EXACT);
    HedClosestSegment point = hed_closest_segment(hed_vec3(5, 0, 0), b, b);
    cr_assert_eq(point.t, 0.0);
    cr_assert_float_eq(point.distance_squared, 9.0, EXACT);
}

// The closest point q of a convex set to p is the one with (p - q).(r - q) <= 0 for all r in it;
// for a triangle it is enough to try the corners.
static void assert_is_closest(HedVec3 p, const HedVec3 corner[3], HedClosestTriangle found,
                              double tolerance) {
    HedVec3 sum = {0};
    double weights = 0.0;
    for (int k = 0; k < 3; ++k) {
        cr_assert_geq(found.weight[k], 0.0);
        weights += found.weight[k];
        sum = hed_madd3(sum, found.weight[k], corner[k]);
        HedVec3 gap = hed_sub3(p, found.point);
        double into = hed_dot3(gap, hed_sub3(corner[k], found.point));
        cr_assert_leq(into, tolerance, "corner %d is nearer by %g", k, into);
    }
    cr_assert_float_eq(weights, 1.0, ROUNDING);
    assert_close(sum, found.point, ROUNDING);
    // Squares of up to 20.
    cr_assert_float_eq(found.distance_squared, pow(hed_distance3(p, found.point), 2.0),
                       10.0 * ROUNDING);
}

Test(closest, point_on_random_triangles) {
    int32_t seen[7] = {0};
    for (uint64_t i = 0; i < 20000; ++i) {
        HedVec3 corner[3] = {random_point(1, i), random_point(2, i), random_point(3, i)};
        HedVec3 p = hed_mul3(1.5, random_point(4, i));
        HedClosestTriangle found = hed_closest_triangle(p, corner[0], corner[1], corner[2]);
        // Corners of this size are rounded by 2e-16; thin ones among 20000 lose four digits.
        assert_is_closest(p, corner, found, 1e-11);
        ++seen[found.feature];
    }
    for (int f = 0; f < 7; ++f) {
        cr_assert_gt(seen[f], 500, "feature %d was met %d times only", f, seen[f]);
    }
}

Test(closest, features_of_a_known_triangle) {
    HedVec3 a = {0, 0, 0}, b = {1, 0, 0}, c = {0, 1, 0};
    cr_assert_eq(hed_closest_triangle(hed_vec3(0.2, 0.2, 1), a, b, c).feature, HED_FACE);
    cr_assert_eq(hed_closest_triangle(hed_vec3(-1, -1, 1), a, b, c).feature, HED_CORNER_0);
    cr_assert_eq(hed_closest_triangle(hed_vec3(3, -1, 1), a, b, c).feature, HED_CORNER_1);
    cr_assert_eq(hed_closest_triangle(hed_vec3(-1, 3, 1), a, b, c).feature, HED_CORNER_2);
    cr_assert_eq(hed_closest_triangle(hed_vec3(0.5, -1, 1), a, b, c).feature, HED_EDGE_0);
    cr_assert_eq(hed_closest_triangle(hed_vec3(1, 1, 1), a, b, c).feature, HED_EDGE_1);
    cr_assert_eq(hed_closest_triangle(hed_vec3(-1, 0.5, 1), a, b, c).feature, HED_EDGE_2);
}

Test(closest, degenerate_triangles_are_segments_and_points) {
    HedVec3 a = {0, 0, 0}, b = {1, 0, 0}, c = {3, 0, 0};
    HedVec3 p = {2, 1, 0};
    HedVec3 forms[4][3] = {{a, b, c}, {b, c, a}, {c, a, b}, {a, a, c}};
    for (int f = 0; f < 4; ++f) {
        HedClosestTriangle found = hed_closest_triangle(p, forms[f][0], forms[f][1], forms[f][2]);
        assert_close(found.point, hed_vec3(2, 0, 0), EXACT);
        cr_assert_float_eq(found.distance_squared, 1.0, EXACT);
    }
    HedClosestTriangle point = hed_closest_triangle(p, b, b, b);
    cr_assert_float_eq(point.distance_squared, 2.0, EXACT);
    HedClosestTriangle tiny = hed_closest_triangle(hed_vec3(2e-120, 0, 0), a,
                                                   hed_vec3(1e-120, 0, 0), hed_vec3(0, 1e-120, 0));
    cr_assert(hed_is_finite3(tiny.point));
    cr_assert_leq(fabs(tiny.point.x), 1e-120); // the corner's own coordinate
}

// Needles of all thicknesses: the found distance is compared with that to the long side, which is
// at most the thickness away from any point of the triangle.
Test(closest, slivers_of_any_thickness) {
    for (uint64_t i = 0; i < 4000; ++i) {
        double thickness = pow(10.0, -18.0 * hed_random_uniform(8, 1, i));
        HedVec3 a = random_point(11, i);
        HedVec3 along = hed_unit3(random_point(12, i), hed_vec3(1, 0, 0));
        HedVec3 b = hed_madd3(a, 1.0, along);
        double where = hed_random_uniform(8, 2, i);
        HedVec3 c = hed_madd3(hed_madd3(a, where, along), thickness, hed_perpendicular3(along));
        HedVec3 p = hed_mul3(1.5, random_point(13, i));
        HedClosestTriangle found = hed_closest_triangle(p, a, b, c);
        double long_side = sqrt(hed_closest_segment(p, a, b).distance_squared);
        double distance = sqrt(found.distance_squared);
        // Places and distances of up to 2, rounded by 2e-16 a few times.
        const double rounding = 1e-14;
        cr_assert_leq(distance, long_side + rounding);
        cr_assert_geq(distance, long_side - thickness - rounding);
        cr_assert_leq(hed_closest_segment(found.point, a, b).distance_squared,
                      pow(thickness + rounding, 2.0));
    }
}

// Minimum over a fine grid of s, with the exact closest point on the other segment.
static double segments_by_search(HedVec3 a, HedVec3 b, HedVec3 c, HedVec3 d) {
    double low = 0.0, high = 1.0, best = HUGE_VAL, at = 0.0;
    for (int level = 0; level < 12; ++level) {
        for (int k = 0; k <= 20; ++k) {
            double s = low + (high - low) * k / 20.0;
            double q = hed_closest_segment(hed_lerp3(a, b, s), c, d).distance_squared;
            if (q < best) {
                best = q;
                at = s;
            }
        }
        double step = (high - low) / 20.0;
        low = fmax(0.0, at - step);
        high = fmin(1.0, at + step);
    }
    return best;
}

static void assert_pair_holds(HedVec3 a, HedVec3 b, HedVec3 c, HedVec3 d, HedClosestPair pair) {
    cr_assert(pair.s >= 0.0 && pair.s <= 1.0 && pair.t >= 0.0 && pair.t <= 1.0);
    assert_close(pair.first, hed_lerp3(a, b, pair.s), ROUNDING);
    assert_close(pair.second, hed_lerp3(c, d, pair.t), ROUNDING);
    cr_assert_float_eq(sqrt(pair.distance_squared), hed_distance3(pair.first, pair.second),
                       ROUNDING);
}

Test(closest, random_segments) {
    for (uint64_t i = 0; i < 5000; ++i) {
        HedVec3 a = random_point(21, i), b = random_point(22, i);
        HedVec3 c = random_point(23, i), d = random_point(24, i);
        HedClosestPair pair = hed_closest_segments(a, b, c, d);
        assert_pair_holds(a, b, c, d, pair);
        // The search stops at steps of 20^-12 and distance is flat at the minimum.
        cr_assert_float_eq(pair.distance_squared, segments_by_search(a, b, c, d), 1e-10);
    }
}

Test(closest, nearly_parallel_segments) {
    for (uint64_t i = 0; i < 4000; ++i) {
        double angle = pow(10.0, -17.0 * hed_random_uniform(9, 1, i));
        HedVec3 a = random_point(31, i);
        HedVec3 along = hed_unit3(random_point(32, i), hed_vec3(1, 0, 0));
        HedVec3 side = hed_perpendicular3(along);
        HedVec3 b = hed_add3(a, along);
        HedVec3 c = hed_madd3(hed_madd3(a, hed_random_uniform(9, 2, i) - 0.5, along),
                              0.1 * hed_random_uniform(9, 3, i), side);
        HedVec3 d = hed_madd3(hed_madd3(c, 1.0, along), angle, hed_cross3(along, side));
        HedClosestPair pair = hed_closest_segments(a, b, c, d);
        assert_pair_holds(a, b, c, d, pair);
        // The search is never nearer than the nearest points, but for rounding of places up
        // to 2.
        cr_assert_leq(sqrt(pair.distance_squared), sqrt(segments_by_search(a, b, c, d)) + 1e-14);
    }
}

Test(closest, parallel_and_zero_length_segments) {
    HedVec3 a = {0, 0, 0}, b = {1, 0, 0};
    HedClosestPair parallel = hed_closest_segments(a, b, hed_vec3(0.5, 2, 0), hed_vec3(3, 2, 0));
    cr_assert_float_eq(parallel.distance_squared, 4.0, EXACT);
    HedClosestPair in_line = hed_closest_segments(a, b, hed_vec3(3, 0, 0), hed_vec3(2, 0, 0));
    cr_assert_float_eq(in_line.distance_squared, 1.0, EXACT);
    cr_assert_eq(in_line.s, 1.0);
    cr_assert_eq(in_line.t, 1.0);
    HedClosestPair point = hed_closest_segments(a, b, hed_vec3(0.5, 1, 0), hed_vec3(0.5, 1, 0));
    cr_assert_float_eq(point.distance_squared, 1.0, EXACT);
    cr_assert_float_eq(point.s, 0.5, EXACT);
    HedClosestPair points = hed_closest_segments(a, a, b, b);
    cr_assert_float_eq(points.distance_squared, 1.0, EXACT);
    HedClosestPair crossing =
        hed_closest_segments(hed_vec3(-1, 0, 0), b, hed_vec3(0, -1, 0.5), hed_vec3(0, 1, 0.5));
    cr_assert_float_eq(crossing.distance_squared, 0.25, EXACT);
    cr_assert_float_eq(crossing.s, 0.5, EXACT);
    cr_assert_float_eq(crossing.t, 0.5, EXACT);
}
