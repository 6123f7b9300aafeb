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

typedef struct HedTurn {
    double cosine, sine;
} HedTurn;

/// Cosine and sine of an angle below 1e6, to 3e-16 (and 2e-16 of the angle), for loops over lanes:
/// the angle within pi/4 of a multiple of pi/2, then polynomials of degrees 16 and 15 (Chebyshev
/// fit, error 1e-20).
static inline HedTurn hed_turn2(double angle) {
    const double s[7] = {-0.16666666666666666666,    0.0083333333333333314899,
                         -0.00019841269841265060174, 2.7557319219335453429e-6,
                         -2.5052106231157905487e-8,  1.6058531414589010757e-10,
                         -7.5866850700912671596e-13};
    const double c[7] = {0.041666666666666666666,    -0.0013888888888888887864,
                         0.000024801587301584643775, -2.7557319221400760015e-7,
                         2.0876755790363396129e-9,   -1.1470460773969324627e-11,
                         4.7458652037874551073e-14};
    double quarter = floor(angle * (2.0 / HED_PI) + 0.5);
    double r = (angle - quarter * (0.5 * HED_PI)) - quarter * 6.123233995736766e-17;
    double z = r * r;
    double p = s[6], q = c[6];
    for (int k = 5; k >= 0; --k) {
        p = p * z + s[k];
        q = q * z + c[k];
    }
    double sine = r + r * z * p;
    double cosine = 1.0 - 0.5 * z + z * z * q;
    double side = quarter - 4.0 * floor(0.25 * quarter); // 0, 1, 2, 3
    int is_odd = side == 1.0 || side == 3.0;
    double x = is_odd ? sine : cosine;
    double y = is_odd ? cosine : sine;
    return (HedTurn){side == 1.0 || side == 2.0 ? -x : x, side >= 2.0 ? -y : y};
}

/// u turned about the unit vector t, at a right angle to it.
static inline HedVec3 hed_turn3(HedVec3 u, HedVec3 t, HedTurn turn) {
    return hed_madd3(hed_mul3(turn.cosine, u), turn.sine, hed_cross3(t, u));
}

static inline HedVec3 hed_director3(HedVec3 u, HedVec3 t, double angle) {
    return hed_turn3(u, t, hed_turn2(angle));
}

#endif
