// SPDX-License-Identifier: MIT
// Four quadrature points of a segment against four of another.
//
// Each kind of evaluation gives three numbers per pair of points. They are added up per point on
// both sides: on the second segment by plain addition, on the first one into four lanes, which are
// added up once all its pairs are done. What lies beyond reach adds zeros, so leaving it out early
// changes no bit of a sum.
#ifndef HED_CONTACT_YARN_PAIR_H
#define HED_CONTACT_YARN_PAIR_H

#include "base/simd.h"
#include "contact/kernel_yarn.h"
#include "contact/yarn_inner.h"

typedef enum HedYarnMode {
    HED_YARN_PUSH, // minus the force on the second segment; sums of energy and power
    HED_YARN_BOUND // largest stiffness, largest damping, 0
} HedYarnMode;

/// What to evaluate; a constant wherever it is used.
typedef struct HedYarnKind {
    HedYarnMode mode;
    bool is_moving;  // velocities count
    bool is_rubbing; // sums for friction are wanted
} HedYarnKind;

/// Constants of a pair of segments.
typedef struct HedYarnLoad {
    double over;   // 1/m^2, 1/R^2
    double reach;  // m^2, R^2 and a little more
    double energy; // N/m, k
    double stiff;  // N/m^3, 2 k/R^2
    double along;  // N s/m^3, twice the damping
    double across; // the same across the normal
} HedYarnLoad;

/// Sums over the pairs of points of a pair of segments.
typedef struct HedYarnLanes {
    HedWide weight; // of force; more than 0 if they touch
    HedWide energy;
    HedWide least;         // u
    HedWide damped;        // W
    HedWide first, second; // parameters times weight
    HedWide x, y, z;       // m, distances times weight
} HedYarnLanes;

/// A quadrature point of the first segment.
typedef struct HedYarnSpot {
    double x, y, z, vx, vy, vz, weight, parameter;
} HedYarnSpot;

/// Four of the first segment, with their sums in lanes.
typedef struct HedYarnSpots {
    const HedYarnSpot* spot;
    HedWide (*sum)[3];
} HedYarnSpots;

/// Four of the second segment.
typedef struct HedYarnRow {
    const double* position; // [3][row]
    const double* velocity; // [3][row]
    const double* weight;   // [row], or [4][4] if it differs from spot to spot
    const double* parameter;
    double* sum; // [3][row]
    int32_t row;
    int32_t weight_step; // 4, or 0 if it does not
} HedYarnRow;

typedef struct HedYarnWide3 {
    HedWide x, y, z;
} HedYarnWide3;

HED_WIDE HedWide hed_yarn_dot(HedYarnWide3 a, HedYarnWide3 b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

/// hed_yarn_law for four at once.
typedef struct HedYarnLaws {
    HedWide held, inverse, square, slope;
    HedWideMask touch;
} HedYarnLaws;

HED_WIDE HedYarnLaws hed_yarn_laws(HedWide u) {
    HedWide held = hed_wide_max(u, hed_wide_all(HED_YARN_U_LEAST));
    HedWide inverse = 1.0 / held;
    HedWide square = inverse * inverse;
    HedWideMask touch = u < hed_wide_all(1.0);
    return (HedYarnLaws){held, inverse, square, hed_wide_where(touch, 1.0 - square), touch};
}

HED_WIDE HedWide hed_yarn_laws_along(const HedYarnLaws* law, HedWide u) {
    HedWideMask bends = law->touch & (u >= hed_wide_all(HED_YARN_U_LEAST));
    return law->slope + hed_wide_where(bends, 4.0 * law->square);
}

HED_WIDE HedWide hed_yarn_laws_value(const HedYarnLaws* law, HedWide u) {
    return hed_wide_where(law->touch, law->inverse + law->held - 2.0) +
           law->slope * (u - law->held);
}

/// The three numbers of HED_YARN_BOUND.
HED_WIDE HedYarnWide3 hed_yarn_bound_numbers(const HedYarnLoad* load, const HedYarnLaws* law,
                                             HedWide c, HedYarnWide3 d) {
    HedWide zero = hed_wide_all(0.0);
    HedWide along = hed_yarn_laws_along(law, load->over * hed_yarn_dot(d, d));
    HedWide touch = hed_wide_where(law->touch, c);
    double most = load->along > load->across ? load->along : load->across;
    return (HedYarnWide3){load->stiff * c * hed_wide_max(along, zero), touch * most, zero};
}

/// The three numbers of HED_YARN_PUSH: force of contact, and of damping if there is any.
HED_WIDE HedYarnWide3 hed_yarn_push_numbers(bool is_moving, const HedYarnLoad* load,
                                            const HedYarnLaws* law, HedWide c, HedYarnWide3 d,
                                            HedYarnWide3 w) {
    HedWide of_d = (load->stiff * c) * law->slope;
    if (!is_moving) {
        return (HedYarnWide3){of_d * d.x, of_d * d.y, of_d * d.z};
    }
    HedWide touch = hed_wide_where(law->touch, c);
    HedWide a = touch * load->across;
    of_d += touch * ((load->along - load->across) * load->over) * law->inverse * hed_yarn_dot(d, w);
    return (HedYarnWide3){of_d * d.x + a * w.x, of_d * d.y + a * w.y, of_d * d.z + a * w.z};
}

/// What only HED_YARN_PUSH adds up.
HED_WIDE void hed_yarn_add_power(bool is_moving, const HedYarnLaws* law, HedWide c, HedWide u,
                                 HedWide power, HedYarnLanes* sums) {
    HedWide one = hed_wide_all(1.0);
    sums->energy += c * hed_yarn_laws_value(law, u);
    sums->least = hed_wide_min(sums->least, hed_wide_choose(c > hed_wide_all(0.0), u, one));
    if (is_moving) {
        sums->damped += power;
    }
}

/// What one spot and the row, at distances d, give each other: numbers for the second side.
HED_WIDE HedYarnWide3 hed_yarn_meet(HedYarnKind kind, const HedYarnLoad* load,
                                    const HedYarnSpot* at, const HedYarnRow* other, HedYarnWide3 d,
                                    HedYarnLanes* sums) {
    const double* v = other->velocity;
    const int32_t row = other->row;
    HedYarnWide3 w = {{0}, {0}, {0}};
    if (kind.is_moving) {
        w = (HedYarnWide3){hed_wide_load(v) - at->vx, hed_wide_load(v + row) - at->vy,
                           hed_wide_load(v + 2 * row) - at->vz};
    }
    HedWide u = load->over * hed_yarn_dot(d, d);
    HedYarnLaws law = hed_yarn_laws(u);
    HedWide c = at->weight * hed_wide_load(other->weight);
    HedWide force = -c * law.slope;
    HedYarnWide3 f;
    if (kind.mode == HED_YARN_PUSH) {
        f = hed_yarn_push_numbers(kind.is_moving, load, &law, c, d, w);
        HedWide power = hed_yarn_dot(f, w) + load->stiff * force * hed_yarn_dot(d, w);
        hed_yarn_add_power(kind.is_moving, &law, c, u, power, sums);
    } else {
        f = hed_yarn_bound_numbers(load, &law, c, d);
    }
    sums->weight += force;
    if (kind.is_rubbing) {
        sums->first += force * at->parameter;
        sums->second += force * hed_wide_load(other->parameter);
        sums->x += force * d.x;
        sums->y += force * d.y;
        sums->z += force * d.z;
    }
    return f;
}

HED_WIDE void hed_yarn_add3(double sign, HedYarnWide3 f, HedWide to[3]) {
    to[0] += sign * f.x;
    to[1] += sign * f.y;
    to[2] += sign * f.z;
}

/// Four spots against the row. Spots that nothing touches, most of them, are left out.
HED_WIDE void hed_yarn_meet_all(HedYarnKind kind, const HedYarnLoad* load, HedYarnSpots spots,
                                const HedYarnRow* row, HedYarnLanes* lanes) {
    HedYarnRow other = *row;
    HedWide reach = hed_wide_all(load->reach);
    const double* p = other.position;
    HedYarnWide3 there = {hed_wide_load(p), hed_wide_load(p + other.row),
                          hed_wide_load(p + 2 * other.row)};
    double* to = other.sum;
    for (int k = 0; k < HED_YARN_SPAN; ++k, other.weight += other.weight_step) {
        const HedYarnSpot* at = &spots.spot[k];
        HedYarnWide3 d = {there.x - at->x, there.y - at->y, there.z - at->z};
        if (hed_wide_bits(hed_yarn_dot(d, d) < reach) == 0) {
            continue;
        }
        HedYarnWide3 f = hed_yarn_meet(kind, load, at, &other, d, lanes);
        hed_wide_store(to, hed_wide_load(to) + f.x);
        hed_wide_store(to + other.row, hed_wide_load(to + other.row) + f.y);
        hed_wide_store(to + 2 * other.row, hed_wide_load(to + 2 * other.row) + f.z);
        hed_yarn_add3(kind.mode == HED_YARN_BOUND ? 1.0 : -1.0, f, spots.sum[k]);
    }
}

#endif
