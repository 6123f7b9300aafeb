// SPDX-License-Identifier: MIT
// The fabric as a whole draws together or spreads along x, y and z, besides the motion of its
// points. A large swatch that wants to become shorter feels this at its edges alone: inside, each
// row pulls at both neighbours alike. From point to point that takes thousands of iterations; as a
// motion of its own it takes hundreds.
//
//   x_i moves by (x_i - c) e dt along an axis     G = sum f_i (x_i - c), the force on e
//   K = FOLLOW sum m_i max(1, L_i)^2 is its mass: masses are bounds of stiffness, and points move
//   only against what they touch, a diameter or a piece of yarn away.
#include "relax/relax.h"

// An axis counts if the fabric is at least so many diameters long along it.
static const double LEAST_EXTENT = 12.0;

// By so much the whole is slower than it could be: loops that are drawn together faster than they
// can bend tip over. Garter of 16 x 12 does with 30, and keeps its ridges with 300.
static const double FOLLOW = 300.0;

static bool is_free(const HedRelax* r) {
    for (int32_t i = 0; i < r->points; ++i) {
        if (hed_relax_is_held(r, i)) {
            return false;
        }
    }
    return !r->repeats;
}

void hed_relax_whole_begin(HedRelax* r) {
    r->whole = (HedRelaxWhole){0};
    for (int axis = 0; axis < 3 && is_free(r); ++axis) {
        double low = HUGE_VAL, high = -HUGE_VAL;
        for (int32_t i = 0; i < r->points; ++i) {
            low = fmin(low, hed_get3(r->x[i], axis));
            high = fmax(high, hed_get3(r->x[i], axis));
        }
        r->whole.axes[axis].is_on = high - low >= LEAST_EXTENT;
    }
}

// Force and reach along an axis. Returns the pull of a strand: a section across the axis is crossed
// by as many strands as there is yarn along it.
static double find_axis(const HedRelax* r, int axis, HedRelaxAxis* a) {
    double sum = 0.0, yarn = 0.0;
    for (int32_t i = 0; i < r->points; ++i) {
        sum += hed_get3(r->x[i], axis);
        yarn += r->next[i] >= 0 ? fabs(hed_get3(r->x[r->next[i]], axis) - hed_get3(r->x[i], axis))
                                : 0.0;
    }
    a->centre = sum / r->points;
    a->force = a->reach = 0.0;
    for (int32_t i = 0; i < r->points; ++i) {
        double off = hed_get3(r->x[i], axis) - a->centre;
        a->force += off * hed_get3(r->force[i], axis);
        a->reach = fmax(a->reach, fabs(off));
    }
    return yarn > 0.0 ? fabs(a->force) / yarn : 0.0;
}

void hed_relax_whole_find(HedRelax* r) {
    HedRelaxWhole* w = &r->whole;
    w->mass = w->pull = 0.0;
    for (int32_t i = 0; i < r->points; ++i) {
        double length = r->next[i] >= 0 ? fmax(1.0, r->length[i]) : 1.0;
        w->mass += FOLLOW * r->mass[i] * length * length;
    }
    for (int axis = 0; axis < 3; ++axis) {
        if (w->axes[axis].is_on) {
            w->pull = fmax(w->pull, find_axis(r, axis, &w->axes[axis]));
        }
    }
}

void hed_relax_whole_move(HedRelax* r, HedRelaxBlend blend, double step, double most) {
    for (int axis = 0; axis < 3; ++axis) {
        HedRelaxAxis* a = &r->whole.axes[axis];
        if (a->is_on) {
            double speed = blend.keep * a->speed + (blend.mix + step) * a->force / r->whole.mass;
            double fastest = most / (step * a->reach);
            a->speed = fmin(fmax(speed, -fastest), fastest);
        }
    }
}

HedVec3 hed_relax_whole_velocity(const HedRelax* r, HedVec3 x) {
    const HedRelaxAxis* a = r->whole.axes;
    return hed_vec3(a[0].speed * (x.x - a[0].centre), a[1].speed * (x.y - a[1].centre),
                    a[2].speed * (x.z - a[2].centre));
}
