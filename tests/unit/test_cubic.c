// SPDX-License-Identifier: MIT
#include "geom/cubic.h"

#include "base/random.h"

#include <criterion/criterion.h>

static HedVec3 random_point(uint64_t stream, uint64_t i) {
    return hed_vec3(2.0 * hed_random_uniform(11, stream, 3 * i) - 1.0,
                    2.0 * hed_random_uniform(11, stream, 3 * i + 1) - 1.0,
                    2.0 * hed_random_uniform(11, stream, 3 * i + 2) - 1.0);
}

static HedCubic cubic_of(HedCubicBasis basis, HedCubicSegment segment, const HedVec3* x) {
    HedVec3 p[4];
    for (int k = 0; k < 4; ++k) {
        p[k] = x[segment.point[k]];
    }
    return hed_cubic_make(hed_cubic_matrix(basis, segment.place), p);
}

static void assert_close(HedVec3 a, HedVec3 b, double tolerance) {
    cr_assert_lt(hed_distance3(a, b), tolerance, "(%g %g %g) is not (%g %g %g)", a.x, a.y, a.z, b.x,
                 b.y, b.z);
}

// Weights by the recursion of Cox and de Boor, which knows nothing of the matrices: knots from
// knot[0] on.
static double bspline(int degree, double u, const double* knot) {
    if (degree == 0) {
        return u >= knot[0] && u < knot[1] ? 1.0 : 0.0;
    }
    double up = knot[degree] - knot[0], down = knot[degree + 1] - knot[1], sum = 0.0;
    sum += up > 0.0 ? (u - knot[0]) / up * bspline(degree - 1, u, knot) : 0.0;
    sum += down > 0.0 ? (knot[degree + 1] - u) / down * bspline(degree - 1, u, knot + 1) : 0.0;
    return sum;
}

// Curves of one to eight segments have every place there is; closed ones are uniform.
Test(cubic, bspline_weights_follow_the_recursion) {
    for (int closed = 0; closed < 2; ++closed) {
        for (int32_t n = closed ? 3 : 1; n <= 8; ++n) {
            for (int32_t i = 0; i < n; ++i) {
                int32_t points = closed ? n : n + 3;
                HedCubicSegment at = hed_cubic_segment(HED_CUBIC_BSPLINE, 0, points, closed, i);
                const HedCubicMatrix* b = hed_cubic_matrix(HED_CUBIC_BSPLINE, at.place);
                double knot[8];
                for (int k = 0; k < 8; ++k) { // those of basis functions i .. i + 3
                    double whole = i + k - 3;
                    knot[k] = closed ? whole : fmin(fmax(whole, 0.0), n);
                }
                for (int k = 0; k < 20; ++k) {
                    double w[4];
                    hed_cubic_weights(b, k / 20.0, w);
                    for (int m = 0; m < 4; ++m) {
                        // The recursion takes differences of places up to 8, rounded by
                        // 9e-16, on three levels with slopes up to 1.5; what else it and the
                        // cubic round is of 1e-16.
                        cr_assert_float_eq(w[m], bspline(3, i + k / 20.0, knot + m), 1e-14,
                                           "%d of %d: %d", i, n, m);
                    }
                }
            }
        }
    }
}

// Catmull-Rom as Hermite's cubic with half the difference of the neighbours as tangents; a missing
// neighbour is the reflected one.
static HedVec3 hermite(const HedVec3* x, int32_t n, int32_t i, double s) {
    HedVec3 before = i > 0 ? x[i - 1] : hed_sub3(hed_mul3(2.0, x[0]), x[1]);
    HedVec3 after = i + 2 < n ? x[i + 2] : hed_sub3(hed_mul3(2.0, x[n - 1]), x[n - 2]);
    HedVec3 t0 = hed_mul3(0.5, hed_sub3(x[i + 1], before));
    HedVec3 t1 = hed_mul3(0.5, hed_sub3(after, x[i]));
    double a = s * s * (3.0 - 2.0 * s);
    HedVec3 y = hed_lerp3(x[i], x[i + 1], a);
    y = hed_madd3(y, s * (1.0 - s) * (1.0 - s), t0);
    return hed_madd3(y, s * s * (s - 1.0), t1);
}

Test(cubic, catmull_rom_is_hermite_at_every_place) {
    HedVec3 x[7];
    for (uint64_t i = 0; i < 7; ++i) {
        x[i] = random_point(1, i);
    }
    for (int32_t n = 2; n <= 7; ++n) {
        cr_assert_eq(hed_cubic_count(HED_CUBIC_CATMULL_ROM, n, false), n - 1);
        for (int32_t i = 0; i < n - 1; ++i) {
            HedCubicSegment segment = hed_cubic_segment(HED_CUBIC_CATMULL_ROM, 0, n, false, i);
            HedCubic y = cubic_of(HED_CUBIC_CATMULL_ROM, segment, x);
            for (int k = 0; k <= 8; ++k) {
                assert_close(hed_cubic_point(&y, k / 8.0), hermite(x, n, i, k / 8.0), 1e-14);
            }
        }
    }
}

Test(cubic, segments_join_smoothly) {
    HedVec3 x[9];
    for (uint64_t i = 0; i < 9; ++i) {
        x[i] = random_point(2, i);
    }
    for (HedCubicBasis basis = 0; basis < HED_CUBIC_BASES; ++basis) {
        for (int closed = 0; closed < 2; ++closed) {
            int32_t count = hed_cubic_count(basis, 9, closed);
            cr_assert_eq(count, closed ? 9 : (basis == HED_CUBIC_BSPLINE ? 6 : 8));
            for (int32_t i = 0; i + !closed < count; ++i) {
                HedCubic a = cubic_of(basis, hed_cubic_segment(basis, 0, 9, closed, i), x);
                HedCubic b =
                    cubic_of(basis, hed_cubic_segment(basis, 0, 9, closed, (i + 1) % count), x);
                assert_close(hed_cubic_point(&a, 1.0), hed_cubic_point(&b, 0.0), 1e-14);
                assert_close(hed_cubic_slope(&a, 1.0), hed_cubic_slope(&b, 0.0), 1e-14);
                if (basis == HED_CUBIC_BSPLINE) {
                    assert_close(hed_cubic_bend(&a, 1.0), hed_cubic_bend(&b, 0.0), 1e-13);
                }
            }
        }
    }
}

Test(cubic, weights_are_the_derivatives_of_the_curve) {
    for (HedCubicBasis basis = 0; basis < HED_CUBIC_BASES; ++basis) {
        for (HedCubicPlace place = 0; place < HED_CUBIC_PLACES; ++place) {
            if (basis == HED_CUBIC_CATMULL_ROM && place > HED_CUBIC_ONLY) {
                continue; // places that it does not know
            }
            const HedCubicMatrix* b = hed_cubic_matrix(basis, place);
            HedVec3 p[4] = {random_point(3, 0), random_point(3, 1), random_point(3, 2),
                            random_point(3, 3)};
            HedCubic y = hed_cubic_make(b, p);
            for (int k = 0; k <= 10; ++k) {
                double s = k / 10.0, w[4], sum = 0.0;
                hed_cubic_weights(b, s, w);
                for (int j = 0; j < 4; ++j) {
                    sum += w[j];
                }
                cr_assert_float_eq(sum, 1.0, 1e-15); // a shifted curve is the same curve, shifted
                assert_close(hed_cubic_sum(w, p), hed_cubic_point(&y, s), 1e-14);
                hed_cubic_slopes(b, s, w);
                assert_close(hed_cubic_sum(w, p), hed_cubic_slope(&y, s), 1e-14);
                hed_cubic_bends(b, s, w);
                assert_close(hed_cubic_sum(w, p), hed_cubic_bend(&y, s), 1e-13);
                // Central differences of a cubic are exact up to (1e-3)^2 times its third
                // derivative (below 24 here); of a quadratic, exact.
                HedVec3 rise =
                    hed_sub3(hed_cubic_point(&y, s + 1e-3), hed_cubic_point(&y, s - 1e-3));
                assert_close(hed_mul3(500.0, rise), hed_cubic_slope(&y, s), 3e-5);
                rise = hed_sub3(hed_cubic_slope(&y, s + 1e-3), hed_cubic_slope(&y, s - 1e-3));
                assert_close(hed_mul3(500.0, rise), hed_cubic_bend(&y, s), 1e-11);
            }
        }
    }
}

Test(cubic, closed_curves_wrap_and_short_ones_have_no_segments) {
    HedCubicSegment last = hed_cubic_segment(HED_CUBIC_CATMULL_ROM, 100, 5, true, 4);
    const int32_t expected[4] = {103, 104, 100, 101};
    cr_assert_arr_eq(last.point, expected, sizeof expected);
    HedCubicSegment first = hed_cubic_segment(HED_CUBIC_CATMULL_ROM, 100, 5, true, 0);
    cr_assert_eq(first.point[0], 104);
    HedCubicSegment only = hed_cubic_segment(HED_CUBIC_CATMULL_ROM, 10, 2, false, 0);
    const int32_t repeated[4] = {10, 10, 11, 11};
    cr_assert_arr_eq(only.point, repeated, sizeof repeated);
    cr_assert_eq(only.place, HED_CUBIC_ONLY);
    cr_assert_eq(hed_cubic_count(HED_CUBIC_BSPLINE, 3, false), 0);
    cr_assert_eq(hed_cubic_count(HED_CUBIC_CATMULL_ROM, 1, false), 0);
    cr_assert_eq(hed_cubic_count(HED_CUBIC_CATMULL_ROM, 2, true), 0);
}

Test(cubic, length_of_straight_and_of_bent_segments) {
    // Uneven speed on a straight line: the length is the distance of the ends while nothing turns.
    HedVec3 line[4] = {{0, 0, 0}, {1, 0, 0}, {1.7, 0, 0}, {3.1, 0, 0}};
    const HedCubicMatrix* b = hed_cubic_matrix(HED_CUBIC_CATMULL_ROM, HED_CUBIC_INNER);
    HedCubic y = hed_cubic_make(b, line);
    // Simpson's rule is exact for the speed, which is a parabola: what is left are some nine
    // roundings of 1e-16.
    cr_assert_float_eq(hed_cubic_length(&y, 0.0, 1.0, 3), 0.7, 1e-15);
    // Simpson against a fine polygon: fourth order.
    HedVec3 bent[4] = {{0, 0, 0}, {1, 0, 0}, {1.5, 0.8, 0}, {1.2, 1.9, 0.6}};
    y = hed_cubic_make(b, bent);
    double polygon = 0.0;
    for (int k = 0; k < 20000; ++k) {
        polygon +=
            hed_distance3(hed_cubic_point(&y, k / 20000.0), hed_cubic_point(&y, (k + 1) / 20000.0));
    }
    double coarse = fabs(hed_cubic_length(&y, 0.0, 1.0, 11) - polygon);
    double fine = fabs(hed_cubic_length(&y, 0.0, 1.0, 21) - polygon);
    // h^4/180 times what the third derivative of the speed changes by, some 20 to 30.
    cr_assert_lt(coarse, 2e-5);
    cr_assert_gt(coarse / fine, 12.0, "%g became %g; fourth order gives 16", coarse, fine);
    double parts = hed_cubic_length(&y, 0.0, 0.3, 41) + hed_cubic_length(&y, 0.3, 1.0, 41);
    cr_assert_float_eq(parts, polygon, 1e-8); // the polygon itself is short by 1e-9
}

Test(cubic, box_holds_the_curve_and_nothing_more) {
    for (uint64_t trial = 0; trial < 2000; ++trial) {
        HedCubicBasis basis = trial % 2 ? HED_CUBIC_BSPLINE : HED_CUBIC_CATMULL_ROM;
        HedVec3 p[4];
        for (uint64_t k = 0; k < 4; ++k) {
            p[k] = random_point(100 + trial, k);
        }
        HedCubic y = hed_cubic_make(hed_cubic_matrix(basis, HED_CUBIC_INNER), p);
        HedBox box = hed_cubic_box(&y);
        HedBox seen = hed_box_empty();
        for (int k = 0; k <= 500; ++k) {
            seen = hed_box_add(seen, hed_cubic_point(&y, k / 500.0));
        }
        // Samples miss a turn by at most (1/1000)^2/2 times the second derivative (below 20).
        HedVec3 low = hed_sub3(seen.low, box.low), high = hed_sub3(box.high, seen.high);
        for (int axis = 0; axis < 3; ++axis) {
            double gap_low = (&low.x)[axis], gap_high = (&high.x)[axis];
            // The box is worked out by other sums of some ten numbers up to 10.
            const double rounding = 1e-14;
            const double missed = 1e-5; // samples miss a turn by that, as above
            cr_assert(gap_low > -rounding && gap_low < missed, "trial %d: %g", (int)trial, gap_low);
            cr_assert(gap_high > -rounding && gap_high < missed, "trial %d: %g", (int)trial,
                      gap_high);
        }
    }
    HedVec3 still[4] = {{1, 2, 3}, {1, 2, 3}, {1, 2, 3}, {1, 2, 3}};
    HedCubic dot = hed_cubic_make(hed_cubic_matrix(HED_CUBIC_BSPLINE, HED_CUBIC_INNER), still);
    HedBox box = hed_cubic_box(&dot);
    assert_close(box.low, still[0], 1e-15);
    assert_close(box.high, still[0], 1e-15);
}
