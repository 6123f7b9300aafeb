// SPDX-License-Identifier: MIT
#include "experiment/spring_circle.h"

#include <math.h>
#include <stdbool.h>

static double rate_of(const Spring* spring) {
    return spring->stiffness / spring->length; // N/m
}

// m r v of the scheme's circle with stretch s = r - L, over the mass; and its speed.
static double moment_at(const Spring* spring, HedIntegrator integrator, double step, double s,
                        double* speed) {
    double r = spring->length + s;
    double pull = rate_of(spring) * s / spring->mass; // m/s^2
    if (integrator == HED_SYMPLECTIC_EULER) {
        double lag = 0.5 * spring->beta * rate_of(spring) * step / spring->mass;
        double fall = 0.5 * step * step * pull / (1.0 - lag) / r; // 1 - cos of the angle
        *speed = r * sqrt(2.0 * fall) / step;
        return lag < 1.0 && fall < 1.0 ? r * r * sqrt(fall * (2.0 - fall)) / step : HUGE_VAL;
    }
    double half = integrator == HED_NEWMARK ? 0.25 * step * step * pull / r : 0.0;
    *speed = sqrt(r * pull);
    return r * *speed * (1.0 + half);
}

Circle spring_circle_of(const Spring* spring, HedIntegrator integrator, double step) {
    double goal = spring->length * spring->velocity;
    double low = 0.0;
    // (r - L)^4 < r^3 (r - L) bounds the stretch; schemes may lie somewhat beyond.
    double high = 4.0 * sqrt(goal * sqrt(spring->mass / rate_of(spring)));
    double speed = 0.0;
    for (int k = 0; k < 300; ++k) {
        double middle = 0.5 * (low + high);
        bool beyond = moment_at(spring, integrator, step, middle, &speed) > goal;
        high = beyond ? middle : high;
        low = beyond ? low : middle;
    }
    double reached = moment_at(spring, integrator, step, low, &speed);
    double radius = fabs(reached - goal) < 1e-9 * goal ? spring->length + low : (double)NAN;
    return (Circle){radius, speed, 0.5 * spring->mass * speed * speed};
}

Circle spring_circle(const Spring* spring) {
    return spring_circle_of(spring, HED_INTEGRATOR_COUNT, 0.0);
}

double spring_settling(const Spring* spring) {
    const double logarithm = 11.5; // of 1e5
    Circle end = spring_circle(spring);
    double turn = end.speed / end.radius;
    double square = rate_of(spring) / spring->mass + 3.0 * turn * turn;
    double half = 0.5 * spring->beta * rate_of(spring) / spring->mass;
    double inside = half * half - square;
    double rate = inside < 0.0 ? half : square / (half + sqrt(inside));
    return logarithm / rate;
}

// s for the moment to fall by a factor e, on the circle of the moment m L exp(log_speed).
static double time_scale(const Spring* spring, double log_speed) {
    Spring now = *spring;
    now.velocity = exp(log_speed);
    double r = spring_circle(&now).radius / spring->length;
    double way = spring->length * r * r / now.velocity;
    return way * way / spring->beta;
}

// Follows the law of Rayleigh damping until a time, or until the kinetic energy falls below a
// bound; returns both as they are then.
static Circle follow(const Spring* spring, double time, double bound, double* end) {
    const double part = 1.0 / 64.0; // of a factor e
    Spring now = *spring;
    double y = log(spring->velocity);
    *end = 0.0;
    for (int k = 0; k < 64 * 64 && *end < time && spring_circle(&now).kinetic > bound; ++k) {
        double more = part / 6.0 *
                      (time_scale(spring, y) + 4.0 * time_scale(spring, y - 0.5 * part) +
                       time_scale(spring, y - part));
        double share = fmin(1.0, (time - *end) / more);
        y -= share * part;
        *end += share * more;
        now.velocity = exp(y);
    }
    return spring_circle(&now);
}

double spring_stopping(const Spring* spring) {
    double start = 0.5 * spring->mass * spring->velocity * spring->velocity;
    double end;
    follow(spring, HUGE_VAL, 1e-3 * start, &end);
    return end;
}

double spring_remains(const Spring* spring, double time) {
    double end;
    return follow(spring, time, 0.0, &end).kinetic;
}

// Symplectic Euler on x'' = -w^2 x - d x' is stable while h (h w^2 + 2 d) <= 4; the rest is margin
// for the swing at the start, where w is largest.
static bool is_stable(const Spring* spring, double step) {
    double turn = spring->velocity / spring->length;
    double square = rate_of(spring) / spring->mass + 3.0 * turn * turn;
    double damping = spring->beta * rate_of(spring) / spring->mass;
    return step * (step * square + 2.0 * damping) < 2.0;
}

static bool is_near(const Spring* spring, HedIntegrator integrator, double step, double error) {
    Circle exact = spring_circle(spring);
    Circle seen = spring_circle_of(spring, integrator, step);
    return fabs(seen.radius / exact.radius - 1.0) <= error &&
           fabs(seen.kinetic / exact.kinetic - 1.0) <= error;
}

int32_t spring_parts(const Spring* spring, HedIntegrator integrator, double step, double error) {
    const int32_t most = 1 << 20;
    int32_t bad = 0;
    int32_t good = 1;
    bool stable = integrator != HED_SYMPLECTIC_EULER;
    while (good <= most && !((stable || is_stable(spring, step / good)) &&
                             is_near(spring, integrator, step / good, error))) {
        bad = good;
        good *= 2;
    }
    while (good <= most && good - bad > 1) {
        int32_t middle = bad + (good - bad) / 2;
        bool fine = (stable || is_stable(spring, step / middle)) &&
                    is_near(spring, integrator, step / middle, error);
        good = fine ? middle : good;
        bad = fine ? bad : middle;
    }
    return good <= most ? good : 0;
}
