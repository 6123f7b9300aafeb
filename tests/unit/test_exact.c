// SPDX-License-Identifier: MIT
// Expected signs come from whole numbers: coordinates are integers of at most 38 bits, so that the
// determinant fits into 128 bits, times a power of two that cannot change the sign.
#include "math/exact.h"

#include "base/random.h"
#include "math/vec3.h"

#include <criterion/criterion.h>

typedef __int128 Int128;

typedef struct Grid {
    int64_t v[3];
} Grid;

static int64_t draw(uint64_t stream, uint64_t counter, int64_t limit) {
    double u = hed_random_uniform(11, stream, counter);
    return (int64_t)((2.0 * u - 1.0) * (double)limit);
}

static Grid draw_point(uint64_t stream, uint64_t i, int64_t limit) {
    Grid p;
    for (int k = 0; k < 3; ++k) {
        p.v[k] = draw(stream, 3 * i + (uint64_t)k, limit);
    }
    return p;
}

static HedVec3 to_vec(Grid p, int exponent) {
    return hed_vec3(ldexp((double)p.v[0], exponent), ldexp((double)p.v[1], exponent),
                    ldexp((double)p.v[2], exponent));
}

static int sign(Int128 x) {
    return (x > 0) - (x < 0);
}

static int expected3(const Grid p[4]) {
    Int128 u[3][3];
    for (int r = 0; r < 3; ++r) {
        for (int k = 0; k < 3; ++k) {
            u[r][k] = p[r + 1].v[k] - p[0].v[k];
        }
    }
    Int128 det = 0;
    for (int k = 0; k < 3; ++k) {
        int l = (k + 1) % 3;
        int m = (k + 2) % 3;
        det += u[0][k] * (u[1][l] * u[2][m] - u[1][m] * u[2][l]);
    }
    return sign(det);
}

static void assert_all_orders(const Grid p[4], int exponent) {
    HedVec3 x[4];
    for (int k = 0; k < 4; ++k) {
        x[k] = to_vec(p[k], exponent);
    }
    int want = expected3(p);
    cr_assert_eq(hed_orient3(x[0], x[1], x[2], x[3]), want);
    cr_assert_eq(hed_orient3(x[1], x[0], x[2], x[3]), -want);
    cr_assert_eq(hed_orient3(x[1], x[2], x[0], x[3]), want);
    cr_assert_eq(hed_orient3(x[3], x[2], x[1], x[0]), want);
}

// Largest, smallest (subnormal) and middling powers of two.
static const int EXPONENTS[] = {0, -40, -1074, -1050, -700, 300, 980};
enum { EXPONENT_COUNT = sizeof EXPONENTS / sizeof EXPONENTS[0], TRIES = 200000 };

Test(exact, random_points) {
    for (uint64_t i = 0; i < TRIES; ++i) {
        int64_t limit = INT64_C(1) << (1 + i % 38);
        Grid p[4];
        for (uint64_t k = 0; k < 4; ++k) {
            p[k] = draw_point(1, 4 * i + k, limit);
        }
        assert_all_orders(p, EXPONENTS[i % EXPONENT_COUNT]);
    }
}

// d = a + m (b - a) + n (c - a) is coplanar; one unit more in one coordinate is hardly not.
Test(exact, nearly_coplanar_points) {
    int zero_count = 0;
    for (uint64_t i = 0; i < TRIES; ++i) {
        Grid p[4] = {draw_point(2, i, INT64_C(1) << 37)};
        int64_t m = draw(3, 2 * i, 50);
        int64_t n = draw(3, 2 * i + 1, 50);
        for (int k = 0; k < 3; ++k) {
            int64_t u = draw(4, 6 * i + (uint64_t)k, INT64_C(1) << (1 + i % 31));
            int64_t v = draw(4, 6 * i + 3 + (uint64_t)k, INT64_C(1) << (1 + i % 31));
            p[1].v[k] = p[0].v[k] + u;
            p[2].v[k] = p[0].v[k] + v;
            p[3].v[k] = p[0].v[k] + m * u + n * v;
        }
        p[3].v[i % 3] += (int64_t)(i % 5) / 2 - 1;
        zero_count += expected3(p) == 0;
        assert_all_orders(p, EXPONENTS[i % EXPONENT_COUNT]);
    }
    cr_assert_gt(zero_count, TRIES / 10);
}

Test(exact, plane) {
    int zero_count = 0;
    for (uint64_t i = 0; i < TRIES; ++i) {
        Grid p[3] = {draw_point(5, i, INT64_C(1) << 37)};
        int64_t m = draw(6, i, 20);
        for (int k = 0; k < 3; ++k) {
            int64_t u = draw(7, 3 * i + (uint64_t)k, INT64_C(1) << (1 + i % 33));
            p[1].v[k] = p[0].v[k] + u;
            p[2].v[k] = p[0].v[k] + m * u;
        }
        p[2].v[i % 3] += (int64_t)(i % 5) / 2 - 1;
        int exponent = EXPONENTS[i % EXPONENT_COUNT];
        for (int axis = 0; axis < 3; ++axis) {
            int l = (axis + 1) % 3;
            int n = (axis + 2) % 3;
            Int128 first = (Int128)(p[1].v[l] - p[0].v[l]) * (p[2].v[n] - p[0].v[n]);
            Int128 second = (Int128)(p[1].v[n] - p[0].v[n]) * (p[2].v[l] - p[0].v[l]);
            int want = sign(first - second);
            zero_count += want == 0;
            cr_assert_eq(hed_orient2(to_vec(p[0], exponent), to_vec(p[1], exponent),
                                     to_vec(p[2], exponent), axis),
                         want);
        }
    }
    cr_assert_gt(zero_count, TRIES / 10);
}

// The whole range of exponents in one determinant.
Test(exact, extremes) {
    const double huge = 1.7e308;
    const double tiny = 4.9406564584124654e-324; // the smallest there is
    HedVec3 a = {0};
    HedVec3 b = {huge, 0.0, 0.0};
    HedVec3 c = {0.0, huge, 0.0};
    for (int s = -1; s <= 1; ++s) {
        cr_assert_eq(hed_orient3(a, b, c, hed_vec3(huge, -huge, s * tiny)), s);
        cr_assert_eq(hed_orient3(a, hed_vec3(tiny, 0.0, 0.0), hed_vec3(0.0, tiny, 0.0),
                                 hed_vec3(huge, huge, s * tiny)),
                     s);
        cr_assert_eq(hed_orient2(a, b, hed_vec3(-huge, s * tiny, 0.0), 2), s);
    }
    cr_assert_eq(hed_orient3(a, b, c, hed_vec3(0.0, NAN, 1.0)), 0);
    cr_assert_eq(hed_orient3(a, b, c, hed_vec3(0.0, 1.0, INFINITY)), 0);
    cr_assert_eq(hed_orient2(a, b, hed_vec3(NAN, 1.0, 0.0), 2), 0);
}

// 0.1 + 0.2 is not 0.3: the line through (0.1, 0.1) and (0.2, 0.2) and doubles next to it.
Test(exact, neighbouring_doubles) {
    HedVec3 a = {0.1, 0.1, 0.0};
    HedVec3 b = {0.2, 0.2, 0.0};
    double y = 0.1 + 0.2;
    cr_assert_eq(hed_orient2(a, b, hed_vec3(y, y, 0.0), 2), 0);
    cr_assert_eq(hed_orient2(a, b, hed_vec3(0.3, y, 0.0), 2), 1);
    cr_assert_eq(hed_orient2(a, b, hed_vec3(y, 0.3, 0.0), 2), -1);
}
