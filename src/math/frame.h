// SPDX-License-Identifier: MIT
// Frames along a line: parallel transport of directors and the angle between them.
//
// Transport from the unit vector a to the unit vector b is the smallest rotation that takes a to b.
// A director w at a right angle to a becomes
//   P w = w - (w.b)/(1 + a.b) (a + b),
// at a right angle to b and as long as before. For b = -a there is no smallest rotation; the half
// turn about w itself leaves w where it is.
//
// Functions here have no branches that a loop over lanes could not take in both ways.
#ifndef HED_MATH_FRAME_H
#define HED_MATH_FRAME_H

#include "math/vec3.h"

static const double HED_PI = 3.14159265358979323846;

/// 1 + a.b below which two unit vectors count as opposite: less than 2e-8 from a half turn.
static const double HED_FRAME_OPPOSITE = 1e-16;

static inline HedVec3 hed_transport3(HedVec3 w, HedVec3 a, HedVec3 b) {
    double beside = 1.0 + hed_dot3(a, b);
    double part = beside > HED_FRAME_OPPOSITE ? hed_dot3(w, b) / beside : 0.0;
    return hed_madd3(w, -part, hed_add3(a, b));
}

/// The unit vector nearest to w at a right angle to the unit vector t; some such vector where w is
/// along t.
static inline HedVec3 hed_across3(HedVec3 w, HedVec3 t) {
    HedVec3 across = hed_madd3(w, -hed_dot3(w, t), t);
    double length = hed_norm3(across);
    HedVec3 other = hed_perpendicular3(t);
    double scale = length > 0.0 ? 1.0 / length : 0.0;
    return length > 1e-12 * hed_norm3(w) ? hed_mul3(scale, across) : other;
}

/// The angle of the point (cosine, sine) in [-pi, pi], rad, to 3e-16; 0 for the origin. What atan2
/// of the C library answers, in a form that loops over lanes can use: the quotient of the smaller
/// by the larger is brought below tan(pi/8), where a polynomial of degree 25 (Chebyshev fit, error
/// 1e-18) gives its arc tangent.
static inline double hed_angle2(double sine, double cosine) {
    const double c[12] = {
        -0.33333333333333333217,  0.19999999999999804328,   -0.14285714285659777756,
        0.11111111105150587894,   -0.090909087532591129423, 0.076922963680422971183,
        -0.066664247602005201418, 0.058789275544738067649,  -0.05230443640686947707,
        0.045515447340221616522,  -0.034569315063326089813, 0.016284375050043394444};
    double y = fabs(sine), x = fabs(cosine);
    double low = y < x ? y : x;
    double high = y < x ? x : y;
    const double tan_eighth = 0.41421356237309504880;
    int is_wide = low > tan_eighth * high;
    double top = is_wide ? low - high : low;
    double under = is_wide ? low + high : high;
    double r = under > 0.0 ? top / under : 0.0;
    double z = r * r;
    double p = c[11];
    for (int k = 10; k >= 0; --k) {
        p = p * z + c[k];
    }
    double angle = r + r * z * p + (is_wide ? 0.25 * HED_PI : 0.0);
    angle = y < x ? angle : (high > 0.0 ? 0.5 * HED_PI - angle : 0.0);
    angle = cosine < 0.0 ? HED_PI - angle : angle;
    return sine < 0.0 ? -angle : angle;
}

/// angle plus the whole turns that bring it nearest to near.
static inline double hed_angle_near(double angle, double near) {
    return angle + 2.0 * HED_PI * floor((near - angle) / (2.0 * HED_PI) + 0.5);
}

/// The angle about the unit vector t from the director u to the director w, in [-pi, pi].
static inline double hed_angle_about(HedVec3 u, HedVec3 w, HedVec3 t) {
    return hed_angle2(hed_dot3(t, hed_cross3(u, w)), hed_dot3(u, w));
}

/// Twist from the frame (t0, u0) to the frame (t1, u1): the angle from u0, transported to t1, to
/// u1.
static inline double hed_frame_twist(HedVec3 t0, HedVec3 u0, HedVec3 t1, HedVec3 u1) {
    return hed_angle_about(hed_transport3(u0, t0, t1), u1, t1);
}

/// u turned by angle about the unit vector t, at a right angle to it.
static inline HedVec3 hed_director3(HedVec3 u, HedVec3 t, double angle) {
    return hed_madd3(hed_mul3(cos(angle), u), sin(angle), hed_cross3(t, u));
}

#endif
