// SPDX-License-Identifier: MIT
// A mass that turns about a held point on a damped spring: where its motion ends, exactly and as a
// scheme of time steps sees it.
//
// A spring of rest length L and stiffness k = k_e / L pulls with k (r - L), so that a circle of
// radius r is run through at a speed v with m v^2 / r = k (r - L). Damping of the length has no
// moment: m r v keeps its first value J. Both together give
//   k (r - L) = J^2 / (m r^3),
// which has one solution above L.
//
// Symplectic Euler with step h keeps J = m x cross v to the last bit. On its circle each step turns
// by an angle a, the velocity being the chord of the step before, so it sees the length grow at
// r (1 - cos a) / h and damps that:
//   F = k (r - L) + b k r (1 - cos a) / h,   m 2 r (1 - cos a) / h^2 = F,   m r^2 sin a / h = J.
// Newmark's method (1/4, 1/2) keeps m r v (1 + (h v / 2 r)^2), and m v^2 / r = k (r - L) as it is.
#ifndef EXPERIMENT_SPRING_CIRCLE_H
#define EXPERIMENT_SPRING_CIRCLE_H

#include "heddle/sim.h"

/// SI units. stiffness is k_e in N: energy 1/2 L k_e (r/L - 1)^2.
typedef struct Spring {
    double beta; ///< s, damping over stiffness
    double stiffness;
    double length;
    double mass;
    double velocity;
} Spring;

typedef struct Circle {
    double radius;  ///< m; NaN if there is none
    double speed;   ///< m/s
    double kinetic; ///< J
} Circle;

Circle spring_circle(const Spring* spring);

/// That of a scheme; the exact one for schemes that have none of their own.
Circle spring_circle_of(const Spring* spring, HedIntegrator integrator, double step);

/// s, until what is left of the swing about the circle has fallen to 1e-5: by the slower of
/// the two rates of m d'' + b k d' + (k + 3 J^2/(m r^4)) d = 0.
double spring_settling(const Spring* spring);

/// s, until Rayleigh damping has left a thousandth of the kinetic energy to a mass that circles.
/// The moment of -b K v on a circle is -b k (1 - L/r) J/m = -b J^3/(m^2 r^4), r going with J.
double spring_stopping(const Spring* spring);

/// J, what it leaves after a time, by that law. In the end it is m L^2 / (4 b time), whatever the
/// start.
double spring_remains(const Spring* spring, double time);

/// Parts that a step must be cut into: 1 if it is stable (explicit schemes), and if its circle has
/// radius and kinetic energy within `error` of the exact one. 0 if no number up to a million does.
int32_t spring_parts(const Spring* spring, HedIntegrator integrator, double step, double error);

#endif
