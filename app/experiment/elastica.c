// SPDX-License-Identifier: MIT
// With t the arc length from the free end and f the angle from the vertical, the moment of the
// weight of the part from 0 to t gives
//   f'' = beta t sin f,   f'(0) = 0,   f(1) = pi/2.
// It is shot from the free end: f(1) grows with f(0), so f(0) is found by bisection. From the clamp
// it would be no good, because there neighbouring solutions part by exp(2/3 sqrt(beta)).
#include "experiment/elastica.h"

#include <math.h>

static const double PI = 3.14159265358979323846;

typedef struct Shot {
    double angle, turn; // f, f'
} Shot;

// One step by Runge and Kutta's method of fourth order.
static Shot shoot_step(double beta, double t, double h, Shot at) {
    double half = 0.5 * h;
    Shot k1 = {at.turn, beta * t * sin(at.angle)};
    Shot k2 = {at.turn + half * k1.turn, beta * (t + half) * sin(at.angle + half * k1.angle)};
    Shot k3 = {at.turn + half * k2.turn, beta * (t + half) * sin(at.angle + half * k2.angle)};
    Shot k4 = {at.turn + h * k3.turn, beta * (t + h) * sin(at.angle + h * k3.angle)};
    return (Shot){at.angle + h / 6.0 * (k1.angle + 2.0 * k2.angle + 2.0 * k3.angle + k4.angle),
                  at.turn + h / 6.0 * (k1.turn + 2.0 * k2.turn + 2.0 * k3.turn + k4.turn)};
}

// The angle at the clamp for one at the free end, or one above the level that it has passed.
static double shoot(double beta, double tip, Elastica* keep) {
    const double h = 1.0 / ELASTICA_STEPS;
    Shot at = {tip, 0.0};
    for (int i = 0; i < ELASTICA_STEPS && at.angle <= 0.5 * PI; ++i) {
        keep->slope[ELASTICA_STEPS - i] = 0.5 * PI - at.angle;
        at = shoot_step(beta, i * h, h, at);
    }
    return at.angle;
}

// Places are integrals of cosine and sine, by Simpson's rule; the slope half-way between two known
// ones is their mean less a'' h^2/8, where a'' = -beta t cos a.
static void integrate(double beta, Elastica* e) {
    const double h = 1.0 / ELASTICA_STEPS;
    e->x[0] = e->drop[0] = 0.0;
    for (int i = 0; i < ELASTICA_STEPS; ++i) {
        double a = e->slope[i];
        double b = e->slope[i + 1];
        double mean = 0.5 * (a + b);
        double middle = mean + 0.125 * h * h * beta * (1.0 - (i + 0.5) * h) * cos(mean);
        e->x[i + 1] = e->x[i] + h / 6.0 * (cos(a) + 4.0 * cos(middle) + cos(b));
        e->drop[i + 1] = e->drop[i] + h / 6.0 * (sin(a) + 4.0 * sin(middle) + sin(b));
    }
}

void elastica_solve(double beta, Elastica* out) {
    double low = 0.0;
    double high = 0.5 * PI;
    while (high - low > 1e-16 * high) {
        double middle = 0.5 * (low + high);
        if (middle <= low || middle >= high) {
            break;
        }
        if (shoot(beta, middle, out) > 0.5 * PI) {
            high = middle;
        } else {
            low = middle;
        }
    }
    shoot(beta, low, out);
    out->slope[0] = 0.0;
    integrate(beta, out);
}

// Cubic through two places and their directions: off by h^4/384 of the fourth derivative.
void elastica_at(const Elastica* elastica, double s, double* x, double* drop) {
    const double h = 1.0 / ELASTICA_STEPS;
    int i = (int)fmin(fmax(s / h, 0.0), ELASTICA_STEPS - 1);
    double u = s / h - i;
    double from = (1.0 + 2.0 * u) * (1.0 - u) * (1.0 - u);
    double to = u * u * (3.0 - 2.0 * u);
    double from_way = h * u * (1.0 - u) * (1.0 - u);
    double to_way = h * u * u * (u - 1.0);
    double a = elastica->slope[i];
    double b = elastica->slope[i + 1];
    *x = from * elastica->x[i] + to * elastica->x[i + 1] + from_way * cos(a) + to_way * cos(b);
    *drop =
        from * elastica->drop[i] + to * elastica->drop[i + 1] + from_way * sin(a) + to_way * sin(b);
}

double elastica_chord_deg(const Elastica* elastica) {
    return atan2(elastica->drop[ELASTICA_STEPS], elastica->x[ELASTICA_STEPS]) * 180.0 / PI;
}
