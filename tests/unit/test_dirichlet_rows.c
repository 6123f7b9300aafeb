// SPDX-License-Identifier: MIT
// The pressure that inertia lends to the matrix of a membrane (model/sheet/kernel_membrane.h).
#include "base/random.h"
#include "math/eigen.h"
#include "model/sheet/kernel_membrane.h"

#include <criterion/criterion.h>

static double draw(int k, int part) {
    return 2.0 * hed_random_uniform(7, (uint64_t)k, (uint64_t)part) - 1.0;
}

typedef struct Case {
    HedSlope b[3];
    HedPlane stress;
    double h;
} Case;

static Case make_case(int k) {
    HedSlope b1 = {100.0 * draw(k, 0), 100.0 * draw(k, 1)};
    HedSlope b2 = {100.0 * draw(k, 2), 100.0 * draw(k, 3)};
    HedPlane s = {100.0 * draw(k, 4), 100.0 * draw(k, 5), 100.0 * draw(k, 6)};
    return (Case){{{-b1.u - b2.u, -b1.v - b2.v}, b1, b2}, s, 1e4 * (1.1 + draw(k, 7))};
}

// The least eigenvalue of b_i' S b_j + h I: what a triangle and the inertia of its corners do
// against motion across its plane, per area.
static double least_eigenvalue(const Case* c, HedPlane s) {
    double a[9], value[3], vector[9];
    for (int k = 0; k < 9; ++k) {
        HedSlope i = c->b[k / 3], j = c->b[k % 3];
        a[k] = i.u * (s.uu * j.u + s.shear * j.v) + i.v * (s.shear * j.u + s.vv * j.v);
        a[k] += k % 4 == 0 ? c->h : 0.0;
    }
    hed_eigen_symmetric(3, a, value, vector);
    return value[0];
}

// Positive after the clamp; and the clamp takes no more than it must: what was negative is zero
// then, what was positive is as it was.
Test(hold, clamps_exactly_what_inertia_does_not_hold) {
    int clamped = 0;
    for (int k = 0; k < 500; ++k) {
        Case c = make_case(k);
        HedPlane hold = hed_membrane_hold(c.b[1], c.b[2], c.h);
        HedPlane held = hed_plane_held(c.stress, hold);
        double before = least_eigenvalue(&c, c.stress);
        double after = least_eigenvalue(&c, held);
        // Slopes of up to 200 1/m and stresses of up to 200 N/m: sums of about 1e7, and a thin
        // triangle's inverse loses some digits more.
        const double rounding = 1e-12 * 1e7 * 1e2;
        cr_assert_geq(after, -rounding, "case %d: %g", k, after);
        if (before < 0.0) {
            cr_assert_leq(after, rounding, "case %d: %g", k, after);
            ++clamped;
        } else {
            cr_assert_float_eq(after, before, rounding, "case %d: %g, not %g", k, after, before);
        }
    }
    cr_assert_gt(clamped, 50);
    cr_assert_lt(clamped, 450);
}

Test(hold, without_inertia_it_is_the_positive_form) {
    for (int k = 0; k < 100; ++k) {
        Case c = make_case(k);
        HedPlane held = hed_plane_held(c.stress, hed_membrane_hold(c.b[1], c.b[2], 0.0));
        HedPlane positive = hed_plane_positive(c.stress);
        cr_assert_eq(held.uu, positive.uu);
        cr_assert_eq(held.vv, positive.vv);
        cr_assert_eq(held.shear, positive.shear);
    }
}

// Padding has no slopes.
Test(hold, a_triangle_without_slopes_holds_nothing) {
    HedPlane hold = hed_membrane_hold((HedSlope){0}, (HedSlope){0}, 1e4);
    cr_assert_eq(hold.uu, 0.0);
    cr_assert_eq(hold.vv, 0.0);
    cr_assert_eq(hold.shear, 0.0);
}
