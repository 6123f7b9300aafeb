// SPDX-License-Identifier: MIT
// For straight pieces the differences b(t) - a(s) fill a plane parallelogram, and the integral is
// its solid angle seen from the origin over 4 pi: two triangles, each by the tangent of half its
// solid angle (Van Oosterom and Strackee 1983), which needs no arc sine and loses no digits for
// small or nearly flat ones.
#include "geom/linking.h"

static double half_angle(HedVec3 a, HedVec3 b, HedVec3 c) {
    double la = hed_norm3(a), lb = hed_norm3(b), lc = hed_norm3(c);
    double volume = hed_dot3(a, hed_cross3(b, c));
    double rest = la * lb * lc + hed_dot3(a, b) * lc + hed_dot3(b, c) * la + hed_dot3(c, a) * lb;
    return volume == 0.0 ? 0.0 : atan2(volume, rest);
}

double hed_gauss_pair(HedVec3 a0, HedVec3 a1, HedVec3 b0, HedVec3 b1) {
    HedVec3 p = hed_sub3(b0, a0), q = hed_sub3(b1, a0), r = hed_sub3(b1, a1), s = hed_sub3(b0, a1);
    // Both triangles are turned so that the sign is that of (a - b) . (da x db).
    double sum = half_angle(p, r, q) + half_angle(p, s, r);
    return sum * (2.0 / (4.0 * 3.14159265358979323846));
}

double hed_gauss_integral(HedPolyline a, HedPolyline b) {
    double sum = 0.0;
    for (int32_t i = 0; i + 1 < a.count; ++i) {
        double part = 0.0;
        for (int32_t j = 0; j + 1 < b.count; ++j) {
            part += hed_gauss_pair(a.knots[i], a.knots[i + 1], b.knots[j], b.knots[j + 1]);
        }
        sum += part;
    }
    return sum;
}
