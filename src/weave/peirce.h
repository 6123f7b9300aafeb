// SPDX-License-Identifier: MIT
// The way of a thread between two threads that it crosses (Peirce 1937, for any float and any
// diameters). Along its way a thread lies on the crossed threads as a string lies on rollers: at
// crossing i it stands at height z_i, on an arc of radius r_i about the centre c_i = z_i - s_i r_i,
// with s_i = 1 over the crossed thread and -1 under it. From one side to the other it follows the
// common tangent of both arcs. With direction (cos a, sin a) and normal n = (-sin a, cos a) the
// tangent touches the arcs at c_i + s_i r_i n, so that
//   dz cos a - dx sin a = q,   q = s_0 r_0 - s_1 r_1,   dz = c_1 - c_0
//   a = atan2(dz, dx) - asin(q / L),   L^2 = dx^2 + dz^2,   straight length sqrt(L^2 - q^2).
// For equal threads, D = r_0 + r_1, these are Peirce's p = (l - D t) cos t + D sin t and
// h = (l - D t) sin t + D (1 - cos t) with t = |a|. On one side (a float) the way is straight.
#ifndef HED_WEAVE_PEIRCE_H
#define HED_WEAVE_PEIRCE_H

#include <math.h>
#include <stdbool.h>

/// Where a thread crosses another: at the top of an arc, or at the bottom.
typedef struct HedCrest {
    double at;     ///< m, along the way.
    double height; ///< m
    double radius; ///< m, of the arc: half the sum of both diameters.
    bool is_up;    ///< The thread lies over the other.
} HedCrest;

typedef struct HedCrestStep {
    HedCrest from, to;
    double angle;    ///< rad, rise of the straight part.
    double straight; ///< m, its length.
    double length;   ///< m, of the whole way from crest to crest.
} HedCrestStep;

/// The way from a crest to the next. Where threads are too thick for a tangent its straight part is
/// empty.
static inline HedCrestStep hed_crest_step(HedCrest from, HedCrest to) {
    HedCrestStep step = {from, to, 0.0, 0.0, 0.0};
    double dx = to.at - from.at;
    if (from.is_up == to.is_up) {
        double dz = to.height - from.height;
        step.angle = atan2(dz, dx);
        step.straight = step.length = hypot(dx, dz);
        return step;
    }
    double s = from.is_up ? 1.0 : -1.0;
    double q = s * (from.radius + to.radius);
    double dz = (to.height + s * to.radius) - (from.height - s * from.radius);
    double l = hypot(dx, dz);
    step.angle = atan2(dz, dx) - asin(fmin(fmax(q / l, -1.0), 1.0));
    step.straight = sqrt(fmax(l * l - q * q, 0.0));
    step.length = step.straight + fabs(step.angle) * (from.radius + to.radius);
    return step;
}

/// The point after a length (from 0 to step->length) of the way: how far along, and how high.
static inline void hed_crest_point(const HedCrestStep* step, double length, double* along,
                                   double* height) {
    const HedCrest* from = &step->from;
    const HedCrest* to = &step->to;
    bool has_arcs = from->is_up != to->is_up;
    double turn = has_arcs ? fabs(step->angle) : 0.0;
    double first = from->radius * turn;
    double s = from->is_up ? 1.0 : -1.0;
    double left = step->length - length;
    if (has_arcs && length <= first) {
        double a = length / from->radius;
        *along = from->at + from->radius * sin(a);
        *height = from->height - s * from->radius * (1.0 - cos(a));
    } else if (has_arcs && left <= to->radius * turn) {
        double a = left / to->radius;
        *along = to->at - to->radius * sin(a);
        *height = to->height + s * to->radius * (1.0 - cos(a));
    } else {
        double start_x = from->at + (has_arcs ? from->radius * sin(turn) : 0.0);
        double start_z = from->height - (has_arcs ? s * from->radius * (1.0 - cos(turn)) : 0.0);
        *along = start_x + (length - first) * cos(step->angle);
        *height = start_z + (length - first) * sin(step->angle);
    }
}

#endif
