// SPDX-License-Identifier: MIT
#include "base/random.h"
#include "math/vec3.h"

#include <criterion/criterion.h>

// Of products of unit vectors: a few operations, 1e-16 each.
static const double ROUNDING = 1e-15;

static HedVec3 draw(uint64_t i) {
    return hed_vec3(hed_random_normal(1, 0, i), hed_random_normal(1, 1, i),
                    hed_random_normal(1, 2, i));
}

static bool same(HedVec3 a, HedVec3 b) {
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

Test(vec3, arithmetic_by_hand) {
    HedVec3 a = {1.0, 2.0, 3.0};
    HedVec3 b = {-4.0, 5.0, 0.5};
    cr_assert(same(hed_add3(a, b), hed_vec3(-3.0, 7.0, 3.5)));
    cr_assert(same(hed_sub3(a, b), hed_vec3(5.0, -3.0, 2.5)));
    cr_assert(same(hed_mul3(2.0, a), hed_vec3(2.0, 4.0, 6.0)));
    cr_assert(same(hed_madd3(a, 2.0, b), hed_vec3(-7.0, 12.0, 4.0)));
    cr_assert(same(hed_lerp3(a, b, 0.5), hed_vec3(-1.5, 3.5, 1.75)));
    cr_assert_eq(hed_dot3(a, b), 7.5);
    cr_assert(same(hed_cross3(a, b), hed_vec3(-14.0, -12.5, 13.0)));
    cr_assert_eq(hed_norm3(hed_vec3(2.0, 3.0, 6.0)), 7.0);
    cr_assert_eq(hed_distance3(hed_vec3(1.0, 1.0, 1.0), hed_vec3(3.0, 4.0, 7.0)), 7.0);
}

Test(vec3, cross_is_perpendicular_and_handed) {
    cr_assert(same(hed_cross3(hed_vec3(1, 0, 0), hed_vec3(0, 1, 0)), hed_vec3(0, 0, 1)));
    for (uint64_t i = 0; i < 1000; ++i) {
        HedVec3 a = draw(2 * i);
        HedVec3 b = draw(2 * i + 1);
        HedVec3 c = hed_cross3(a, b);
        double scale = hed_norm3(a) * hed_norm3(b);
        // A few roundings of products of this size.
        double tolerance = 1e-15 * scale;
        cr_assert_leq(fabs(hed_dot3(a, c)), 4.0 * tolerance * hed_norm3(a));
        cr_assert_leq(fabs(hed_dot3(b, c)), 4.0 * tolerance * hed_norm3(b));
        double lagrange = scale * scale - hed_dot3(a, b) * hed_dot3(a, b);
        cr_assert_leq(fabs(hed_dot3(c, c) - lagrange), 8.0 * tolerance * scale);
    }
}

Test(vec3, unit_and_its_fallback) {
    HedVec3 up = {0.0, 1.0, 0.0};
    cr_assert(same(hed_unit3(hed_vec3(0, 0, 0), up), up));
    cr_assert(same(hed_unit3(hed_vec3(0, 0, -5), up), hed_vec3(0, 0, -1)));
    for (uint64_t i = 0; i < 1000; ++i) {
        HedVec3 u = hed_unit3(hed_mul3(pow(10.0, (double)i / 10.0 - 50.0), draw(i)), up);
        cr_assert_leq(fabs(hed_norm3(u) - 1.0), 1e-15); // four roundings
    }
}

Test(vec3, perpendicular_is) {
    for (uint64_t i = 0; i < 1000; ++i) {
        HedVec3 n = hed_unit3(draw(i), hed_vec3(1, 0, 0));
        HedVec3 p = hed_perpendicular3(n);
        cr_assert_leq(fabs(hed_dot3(n, p)), ROUNDING);
        cr_assert_leq(fabs(hed_norm3(p) - 1.0), ROUNDING);
    }
    HedVec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (int k = 0; k < 3; ++k) {
        cr_assert_eq(hed_dot3(hed_perpendicular3(axes[k]), axes[k]), 0.0);
        cr_assert_eq(hed_norm3(hed_perpendicular3(axes[k])), 1.0);
    }
}

Test(vec3, finite_means_all_of_it) {
    cr_assert(hed_is_finite3(hed_vec3(1e308, -1e308, 0.0)));
    double bad[] = {NAN, INFINITY, -INFINITY};
    for (int k = 0; k < 3; ++k) {
        cr_assert_not(hed_is_finite3(hed_vec3(bad[k], 0.0, 0.0)));
        cr_assert_not(hed_is_finite3(hed_vec3(0.0, bad[k], 0.0)));
        cr_assert_not(hed_is_finite3(hed_vec3(0.0, 0.0, bad[k])));
    }
}
