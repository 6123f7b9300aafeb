// SPDX-License-Identifier: MIT
// The angle of a vector in the plane, without branches or calls, so that loops over lanes stay
// packed.
//
// Swapping and subtracting pi/4 bring the tangent into |t| <= tan(pi/8); there
//   atan(t) = t + t^3 g(t^2),
// g a polynomial of degree 11 fitted at Chebyshev's points: exact to 2e-19, so that rounding is all
// that is left (some units in the last place of pi).
#ifndef HED_MATH_ANGLE_H
#define HED_MATH_ANGLE_H

#include "base/inline.h"

#include <math.h>

HED_ALWAYS_INLINE double hed_atan_small(double t) {
    double u = t * t;
    double g = 0.016284375050043394444;
    g = -0.034569315063326089813 + u * g;
    g = 0.045515447340221616522 + u * g;
    g = -0.05230443640686947707 + u * g;
    g = 0.058789275544738067649 + u * g;
    g = -0.066664247602005201418 + u * g;
    g = 0.076922963680422971183 + u * g;
    g = -0.090909087532591129423 + u * g;
    g = 0.11111111105150587894 + u * g;
    g = -0.14285714285659777756 + u * g;
    g = 0.19999999999999804328 + u * g;
    g = -0.33333333333333333217 + u * g;
    return t + t * u * g;
}

/// atan2 of finite numbers: from -pi to pi, 0 for (0, 0). What is not finite gives NaN.
HED_ALWAYS_INLINE double hed_atan2(double y, double x) {
    const double pi = 3.14159265358979323846;
    const double eighth = 0.41421356237309504880; // tan(pi/8)
    double ax = fabs(x);
    double ay = fabs(y);
    double low = ay > ax ? ax : ay;
    double high = ay > ax ? ay : ax;
    double top = low > eighth * high ? low - high : low;
    double bottom = low > eighth * high ? low + high : high;
    double t = top / (bottom == 0.0 ? 1.0 : bottom);
    double angle = (low > eighth * high ? 0.25 * pi : 0.0) + hed_atan_small(t);
    angle = ay > ax ? 0.5 * pi - angle : angle;
    angle = x < 0.0 ? pi - angle : angle;
    return y < 0.0 ? -angle : angle;
}

#endif
