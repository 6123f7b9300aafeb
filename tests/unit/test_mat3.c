// SPDX-License-Identifier: MIT
#include "base/random.h"
#include "math/mat3.h"
#include "math/quat.h"

#include <criterion/criterion.h>

static uint64_t drawn;

static double draw(void) {
    return hed_random_normal(4, 4, drawn++);
}

static HedVec3 draw_vector(void) {
    double x = draw();
    double y = draw();
    return hed_vec3(x, y, draw());
}

static HedMat3 draw_matrix(void) {
    HedMat3 a;
    for (int i = 0; i < 9; ++i) {
        a.m[i / 3][i % 3] = draw();
    }
    return a;
}

static HedMat3 draw_rotation(void) {
    HedVec3 v = draw_vector();
    return hed_quat_matrix(hed_quat_unit((HedQuat){draw(), v.x, v.y, v.z}));
}

// V diag(a, b, c) V' with a random V.
static HedMat3 symmetric_with(double a, double b, double c) {
    HedMat3 v = draw_rotation();
    HedMat3 vd = hed_mat3_mul(v, hed_mat3_diagonal(a, b, c));
    HedMat3 s = hed_mat3_mul(vd, hed_mat3_transpose(v));
    return hed_mat3_scale(0.5, hed_mat3_add(s, hed_mat3_transpose(s)));
}

// Matrices of entries of about 1: a dozen or two products and sums, each rounded by 1e-16.
static const double ROUNDING = 1e-14;

static double size_of(HedMat3 a) {
    double size = 0.0;
    for (int i = 0; i < 9; ++i) {
        size = fmax(size, fabs(a.m[i / 3][i % 3]));
    }
    return size;
}

static double apart(HedMat3 a, HedMat3 b) {
    return size_of(hed_mat3_add(a, hed_mat3_scale(-1.0, b)));
}

static void expect_rotation(HedMat3 r) {
    HedMat3 product = hed_mat3_mul(hed_mat3_transpose(r), r);
    cr_assert_leq(apart(product, hed_mat3_identity()), ROUNDING);
    cr_assert_leq(fabs(hed_mat3_determinant(r) - 1.0), ROUNDING);
}

Test(mat3, products_by_hand) {
    HedMat3 a = {{{1, 2, 3}, {4, 5, 6}, {7, 8, 10}}};
    HedMat3 b = {{{0, 1, 0}, {2, 0, 0}, {0, 0, 3}}};
    HedMat3 ab = {{{4, 1, 9}, {10, 4, 18}, {16, 7, 30}}};
    cr_assert_eq(apart(hed_mat3_mul(a, b), ab), 0.0);
    cr_assert_eq(hed_mat3_determinant(a), -3.0);
    HedVec3 v = {1.0, -1.0, 2.0};
    HedVec3 av = hed_mat3_apply(a, v);
    cr_assert(av.x == 5.0 && av.y == 11.0 && av.z == 19.0);
    HedVec3 tv = hed_mat3_apply_transposed(a, v);
    cr_assert(tv.x == 11.0 && tv.y == 13.0 && tv.z == 17.0);
    cr_assert_eq(apart(hed_mat3_transpose(hed_mat3_transpose(a)), a), 0.0);
    cr_assert_eq(hed_mat3_transpose(a).m[0][2], 7.0);
}

Test(mat3, outer_and_skew_do_what_they_say) {
    for (int k = 0; k < 100; ++k) {
        HedVec3 a = draw_vector();
        HedVec3 b = draw_vector();
        HedVec3 v = draw_vector();
        double size = (hed_norm3(a) + 1.0) * (hed_norm3(b) + 1.0) * (hed_norm3(v) + 1.0);
        HedVec3 outer = hed_mat3_apply(hed_mat3_outer(a, b), v);
        // Four roundings of 1.1e-16 on either side, of sums of three products that Cauchy's
        // inequality bounds by the size.
        cr_assert_lt(hed_distance3(outer, hed_mul3(hed_dot3(b, v), a)), 1e-15 * size);
        HedVec3 skew = hed_mat3_apply(hed_mat3_skew(a), v);
        // As many of two products each.
        cr_assert_lt(hed_distance3(skew, hed_cross3(a, v)), 1e-15 * size);
        HedMat3 sum = hed_mat3_add(hed_mat3_scale(2.0, hed_mat3_outer(a, a)),
                                   hed_mat3_diagonal(3.0, 3.0, 3.0));
        cr_assert_lt(apart(hed_mat3_outer_diag(2.0, a, 3.0), sum), ROUNDING * (size_of(sum) + 1.0));
    }
}

Test(mat3, inverse_of_positive_definite) {
    for (int k = 0; k < 500; ++k) {
        double condition = pow(10.0, k % 10);
        HedMat3 a = symmetric_with(1.0, sqrt(condition), condition);
        bool ok = false;
        HedMat3 product = hed_mat3_mul(a, hed_mat3_inverse_spd(a, &ok));
        cr_assert(ok);
        cr_assert_leq(apart(product, hed_mat3_identity()), ROUNDING * condition);
    }
}

Test(mat3, inverse_refuses_the_rest) {
    HedMat3 bad[] = {
        hed_mat3_diagonal(0, 0, 0),        hed_mat3_diagonal(-1, 1, 1),
        hed_mat3_diagonal(1, -1, 1),       hed_mat3_diagonal(1, 1, -1),
        hed_mat3_diagonal(1, 1, 0),        hed_mat3_outer_diag(1.0, hed_vec3(1, 2, 3), 0.0),
        hed_mat3_diagonal(1, NAN, 1),      hed_mat3_diagonal(NAN, 1, 1),
        hed_mat3_diagonal(1, 1, INFINITY), {{{1, 2, 0}, {2, 1, 0}, {0, 0, 1}}},
    };
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; ++k) {
        bool ok = true;
        HedMat3 inverse = hed_mat3_inverse_spd(bad[k], &ok);
        cr_assert_not(ok, "case %zu", k);
        cr_assert_eq(size_of(inverse), 0.0);
    }
}

Test(mat3, polar_recovers_the_rotation) {
    for (int k = 0; k < 1000; ++k) {
        HedMat3 r = draw_rotation();
        // The rotation is as well determined as the sum of the two smallest stretches is large.
        double least = pow(10.0, -(k % 5));
        HedMat3 s = symmetric_with(1.0, least, least);
        HedMat3 a = hed_mat3_mul(r, s);
        HedPolar3 polar = hed_mat3_polar(a);
        expect_rotation(polar.rotation);
        cr_assert_leq(apart(polar.rotation, r), ROUNDING / least);
        cr_assert_leq(apart(polar.stretch, s), ROUNDING / least);
        cr_assert_leq(apart(hed_mat3_mul(polar.rotation, polar.stretch), a), 2.0 * ROUNDING);
    }
}

Test(mat3, polar_of_random_matrices) {
    for (int k = 0; k < 2000; ++k) {
        HedMat3 a = draw_matrix();
        HedPolar3 polar = hed_mat3_polar(a);
        expect_rotation(polar.rotation);
        cr_assert_eq(apart(polar.stretch, hed_mat3_transpose(polar.stretch)), 0.0);
        HedMat3 again = hed_mat3_mul(polar.rotation, polar.stretch);
        cr_assert_leq(apart(again, a), 2.0 * ROUNDING * size_of(a));
        if (hed_mat3_determinant(a) > 0.0) {
            cr_assert_geq(hed_mat3_eigen(polar.stretch).value[0], -ROUNDING * size_of(a));
        }
        // No other rotation is nearer: trace(R'a) is largest.
        HedMat3 other = draw_rotation();
        double best = 0.0;
        double trace = 0.0;
        for (int i = 0; i < 9; ++i) {
            best += polar.rotation.m[i / 3][i % 3] * a.m[i / 3][i % 3];
            trace += other.m[i / 3][i % 3] * a.m[i / 3][i % 3];
        }
        // Nine products of either trace, with a rotation that is known to ROUNDING.
        cr_assert_leq(trace, best + 9.0 * ROUNDING * size_of(a));
    }
}

Test(mat3, polar_of_inverted_and_singular) {
    HedMat3 cases[] = {
        hed_mat3_diagonal(-1, 1, 1),
        hed_mat3_diagonal(-1, -1, -1),
        hed_mat3_diagonal(1, 1, 0),
        hed_mat3_diagonal(1, 0, 0),
        hed_mat3_diagonal(-1, 0, 0),
        hed_mat3_diagonal(0, 0, 0),
        hed_mat3_outer(hed_vec3(1, 2, 3), hed_vec3(-3, 0, 1)),
        hed_mat3_skew(hed_vec3(1, 2, 3)),
        {{{0, 0, 0}, {0, 0, 0}, {1e-310, 0, 0}}},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; ++k) {
        expect_rotation(hed_mat3_polar(cases[k]).rotation);
    }
    // A flat piece that is turned keeps its turn.
    HedMat3 r = draw_rotation();
    HedMat3 flat = hed_mat3_mul(r, hed_mat3_diagonal(2.0, 3.0, 0.0));
    cr_assert_leq(apart(hed_mat3_polar(flat).rotation, r), ROUNDING);
    cr_assert_eq(
        apart(hed_mat3_polar(hed_mat3_diagonal(0, 0, 0)).stretch, hed_mat3_diagonal(0, 0, 0)), 0.0);
}

Test(mat3, polar_of_huge_and_tiny) {
    double scales[] = {1e150, 1e-150, 1e300, 1e-300, 1e-312};
    for (int k = 0; k < 5; ++k) {
        HedMat3 r = draw_rotation();
        HedMat3 a = hed_mat3_scale(scales[k], hed_mat3_mul(r, symmetric_with(1.0, 2.0, 3.0)));
        HedPolar3 polar = hed_mat3_polar(a);
        expect_rotation(polar.rotation);
        // Subnormal entries have fewer digits: 1e-312 is 2e11 times the least number.
        double tolerance = scales[k] < 1e-308 ? 1e-10 : ROUNDING;
        cr_assert_leq(apart(polar.rotation, r), tolerance);
        HedMat3 again = hed_mat3_mul(polar.rotation, polar.stretch);
        cr_assert_leq(apart(again, a), 2.0 * tolerance * size_of(a));
    }
}

Test(mat3, eigen_columns_belong_to_values) {
    for (int k = 0; k < 200; ++k) {
        HedMat3 a = symmetric_with(-1.0, 0.5, k % 2 ? 0.5 : 4.0);
        HedEigen3 eigen = hed_mat3_eigen(a);
        double expected[3] = {-1.0, 0.5, k % 2 ? 0.5 : 4.0};
        for (int c = 0; c < 3; ++c) {
            cr_assert_lt(fabs(eigen.value[c] - expected[c]), ROUNDING);
            HedVec3 v = {eigen.vectors.m[0][c], eigen.vectors.m[1][c], eigen.vectors.m[2][c]};
            HedVec3 av = hed_mat3_apply(a, v);
            cr_assert_lt(hed_distance3(av, hed_mul3(eigen.value[c], v)), 2.0 * ROUNDING);
        }
        HedMat3 gram = hed_mat3_mul(hed_mat3_transpose(eigen.vectors), eigen.vectors);
        cr_assert_lt(apart(gram, hed_mat3_identity()), ROUNDING);
    }
}
