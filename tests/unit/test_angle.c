// SPDX-License-Identifier: MIT
#include "math/angle.h"

#include <criterion/criterion.h>

// Two roundings of pi or so: 4 units in the last place of a number between 2 and 4.
static const double TOLERANCE = 4.0 * 4.44e-16;

Test(angle, agrees_with_the_library) {
    for (int k = 0; k < 200000; ++k) {
        double turn = 3.14159265358979323846 * (k / 1e5 - 1.0);
        double length = exp2(k % 400 - 200);
        double y = length * sin(turn);
        double x = length * cos(turn);
        double error = fabs(hed_atan2(y, x) - atan2(y, x));
        cr_assert(error <= TOLERANCE, "(%g, %g): off by %g", y, x, error);
    }
}

Test(angle, axes_and_nothing) {
    const double pi = 3.14159265358979323846;
    cr_expect_eq(hed_atan2(0.0, 0.0), 0.0);
    cr_expect_eq(hed_atan2(0.0, 2.0), 0.0);
    cr_expect_eq(hed_atan2(0.0, -2.0), pi);
    cr_expect_eq(hed_atan2(3.0, 0.0), 0.5 * pi);
    cr_expect_eq(hed_atan2(-3.0, 0.0), -0.5 * pi);
    cr_expect(fabs(hed_atan2(1.0, 1.0) - 0.25 * pi) <= TOLERANCE);
    cr_expect(fabs(hed_atan2(-1e-300, -1e-300) + 0.75 * pi) <= TOLERANCE);
    cr_expect_eq(hed_atan2(1e-320, 1.0), 1e-320);
    cr_expect(isnan(hed_atan2(NAN, 1.0)) && isnan(hed_atan2(1.0, NAN)));
}
