// SPDX-License-Identifier: MIT
#include "experiment/rod_theory.h"

#include <math.h>
#include <stddef.h>

enum { STEPS = ELASTICA_STEPS };

static const double PI = 3.14159265358979323846;

// angle'' = force sin(angle), with the integrals of sine and cosine beside it.
typedef struct Shot {
    double angle, turn, across, along;
} Shot;

static Shot rate_of(double force, Shot at) {
    return (Shot){at.turn, force * sin(at.angle), sin(at.angle), cos(at.angle)};
}

static Shot after(Shot at, double h, Shot rate) {
    return (Shot){at.angle + h * rate.angle, at.turn + h * rate.turn, at.across + h * rate.across,
                  at.along + h * rate.along};
}

// Runge and Kutta's method of fourth order over a length; stops where the angle has passed half a
// turn. Every place goes into `all`, unless it is NULL.
static Shot shoot(double force, double length, Shot at, Shot* all) {
    const double h = length / STEPS;
    for (int k = 0; k < STEPS && fabs(at.angle) <= PI; ++k) {
        if (all) {
            all[k] = at;
        }
        Shot a = rate_of(force, at);
        Shot b = rate_of(force, after(at, 0.5 * h, a));
        Shot c = rate_of(force, after(at, 0.5 * h, b));
        Shot d = rate_of(force, after(at, h, c));
        at = after(after(after(after(at, h / 6.0, a), h / 3.0, b), h / 3.0, c), h / 6.0, d);
    }
    if (all) {
        all[STEPS] = at;
    }
    return at;
}

// From the free end, with the angle from the load's direction: f'' = alpha sin f, f' = 0 there,
// f = pi/2 at the clamp. f at the clamp grows with f at the free end, which may be very small.
void rod_elastica(double alpha, Elastica* out) {
    double low = log(1e-60), high = log(0.5 * PI);
    for (int k = 0; k < 100; ++k) {
        double middle = 0.5 * (low + high);
        Shot end = shoot(alpha, 1.0, (Shot){.angle = exp(middle)}, NULL);
        *(end.angle > 0.5 * PI ? &high : &low) = middle;
    }
    Shot all[STEPS + 1];
    Shot end = shoot(alpha, 1.0, (Shot){.angle = exp(low)}, all);
    for (int k = 0; k <= STEPS; ++k) {
        const Shot* at = &all[STEPS - k];
        out->slope[k] = 0.5 * PI - at->angle;
        out->x[k] = end.across - at->across;
        out->drop[k] = end.along - at->along;
    }
}

// sinh(z)/z = slack with z = 1/(2 a).
RodCatenary rod_catenary(double slack) {
    double low = 1e-8, high = 750.0;
    for (int k = 0; k < 200; ++k) {
        double z = 0.5 * (low + high);
        // In logarithms, so that nothing overflows; a series where both sides are nearly equal.
        double growth =
            z < 0.1 ? z * z / 6.0 * (1.0 - z * z / 30.0) : z + log1p(-exp(-2.0 * z)) - log(2.0 * z);
        *(growth > log(slack) ? &high : &low) = z;
    }
    double z = 0.5 * (low + high);
    double a = 0.5 / z;
    double sag = 2.0 * a * sinh(0.5 * z) * sinh(0.5 * z);
    return (RodCatenary){sag, a, a + sag};
}

// A quarter from the side (angle 0 from the load's line) to the load (angle pi/2): half of the load
// passes through the side, angle'' = load/2 sin(angle). Small pushes and all pulls: the angle at
// the end grows with the curvature at the side.
RodRing rod_ring(double load) {
    double low = log(1e-60), high = log(20.0);
    Shot end = {0};
    for (int k = 0; k < 100; ++k) {
        double middle = 0.5 * (low + high);
        end = shoot(0.5 * load, 0.5 * PI, (Shot){.turn = exp(middle)}, NULL);
        *(end.angle > 0.5 * PI ? &high : &low) = middle;
    }
    return (RodRing){2.0 * (end.along - 1.0), 2.0 * (1.0 - end.across)};
}

// Equations 14 and 15: d^2 = 16/t (1 - m^2/(4 t)) and turn = m/ratio + 4 acos(m/(2 sqrt t)). With
// c = m/(2 sqrt t), t = 16 (1 - c^2)/d^2 and the second is one equation for c.
bool rod_helix(double shortening, double turn, double ratio, RodHelix* out) {
    double low = 0.0, high = 1.0;
    // The turn has a maximum in c; the branch above it goes on to the straight rod.
    double best = 0.0;
    for (int k = 1; k < 1000; ++k) {
        double c = k / 1000.0;
        double m = 8.0 * c * sqrt(1.0 - c * c) / shortening;
        double value = m / ratio + 4.0 * acos(c);
        if (value > best) {
            best = value;
            low = c;
        }
    }
    if (turn > best) {
        return false;
    }
    for (int k = 0; k < 200; ++k) {
        double c = 0.5 * (low + high);
        double m = 8.0 * c * sqrt(1.0 - c * c) / shortening;
        *(m / ratio + 4.0 * acos(c) > turn ? &low : &high) = c;
    }
    double c = 0.5 * (low + high);
    out->tension = 16.0 * (1.0 - c * c) / (shortening * shortening);
    out->moment = 2.0 * c * sqrt(out->tension);
    return true;
}

double rod_helix_tilt(const RodHelix* helix, double s) {
    double part = 1.0 - 0.25 * helix->moment * helix->moment / helix->tension;
    double c = cosh(s * sqrt(helix->tension * part));
    return 2.0 * part / (c * c);
}
