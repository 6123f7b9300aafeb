// SPDX-License-Identifier: MIT
// Four quadrature points of a segment against four of another.
//
// Each pair of points has three numbers for its force, and two for its bounds. They are added up
// per point on both sides: on the second segment by plain addition, on the first one into four
// lanes, which are added up once all its pairs are done. What lies beyond reach adds zeros, so
// leaving it out early changes no bit of a sum.
#ifndef HED_CONTACT_YARN_PAIR_H
#define HED_CONTACT_YARN_PAIR_H

#include "base/simd.h"
#include "contact/kernel_yarn.h"
#include "contact/yarn_inner.h"

/// What to evaluate; a constant wherever it is used.
typedef struct HedYarnKind {
    bool is_pushed;  // forces are wanted: minus that on the second segment; and energy and power
    bool is_moving;  // velocities count
    bool is_rubbing; // sums for friction are wanted
    bool is_rated;   // bounds on stiffness and damping are wanted, for wider reach
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

/// What touches, and what bounds are found for.
typedef struct HedYarnLoads {
    HedYarnLoad near, wide;
} HedYarnLoads;

/// Sums over the pairs of points of a pair of segments.
typedef struct HedYarnLanes {
    HedWide weight; // of force; more than 0 if they touch
    HedWide energy;
    HedWide least;         // u
    HedWide damped;        // W
    HedWide first, second; // parameters times weight
    HedWide x, y, z;       // m, distances times weight
} HedYarnLanes;

typedef struct HedYarnSides {
    HedYarnLanes near, wide; // of the two loads
} HedYarnSides;

/// A quadrature point of the first segment.
typedef struct HedYarnSpot {
    double x, y, z, vx, vy, vz, weight, parameter;
} HedYarnSpot;

/// Four of the first segment, with their sums in lanes.
typedef struct HedYarnSpots {
    const double* position; // [3][row]
    const double* velocity; // [3][row]
    const double* weight;
    const double* parameter;
    HedWide (*sum)[3];
    HedWide (*bound)[2]; // stiffness, damping
} HedYarnSpots;

HED_WIDE HedYarnSpot hed_yarn_spot(const HedYarnSpots* spots, int32_t row, int k) {
    const double *x = spots->position + k, *v = spots->velocity + k;
    return (HedYarnSpot){x[0],   x[row],     x[2 * row],       v[0],
                         v[row], v[2 * row], spots->weight[k], spots->parameter[k]};
}

/// Four of the second segment.
typedef struct HedYarnRow {
    const double* position; // [3][row]
    const double* velocity; // [3][row]
    const double* weight;   // [row], or [4][4] if it differs from spot to spot
    const double* parameter;
    double* sum;   // [3][row]
    double* bound; // [2][row]
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

/// Force of contact, and of damping if there is any.
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

/// Energy and power.
HED_WIDE void hed_yarn_add_power(bool is_moving, const HedYarnLaws* law, HedWide c, HedWide u,
                                 HedWide power, HedYarnLanes* sums) {
    HedWide one = hed_wide_all(1.0);
    sums->energy += c * hed_yarn_laws_value(law, u);
    sums->least = hed_wide_min(sums->least, hed_wide_choose(c > hed_wide_all(0.0), u, one));
    if (is_moving) {
        sums->damped += power;
    }
}

/// What friction needs to know: where the force is, and how large.
HED_WIDE void hed_yarn_add_place(const HedYarnSpot* at, const HedYarnRow* other, HedYarnWide3 d,
                                 HedWide force, HedYarnLanes* sums) {
    sums->first += force * at->parameter;
    sums->second += force * hed_wide_load(other->parameter);
    sums->x += force * d.x;
    sums->y += force * d.y;
    sums->z += force * d.z;
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
    HedYarnWide3 f = hed_yarn_push_numbers(kind.is_moving, load, &law, c, d, w);
    HedWide power = hed_yarn_dot(f, w) + load->stiff * force * hed_yarn_dot(d, w);
    hed_yarn_add_power(kind.is_moving, &law, c, u, power, sums);
    sums->weight += force;
    if (kind.is_rubbing) {
        hed_yarn_add_place(at, other, d, force, sums);
    }
    return f;
}

/// Where bounds of a spot go.
typedef struct HedYarnRating {
    const HedYarnLoad* load;
    HedWide* to; // stiffness, damping
    HedYarnLanes* sums;
} HedYarnRating;

/// Adds the largest stiffness and the largest damping of one spot and the row to both sides.
HED_WIDE void hed_yarn_rate_spot(bool is_rubbing, HedYarnRating rating, const HedYarnSpot* at,
                                 const HedYarnRow* other, HedYarnWide3 d) {
    const HedYarnLoad* load = rating.load;
    HedWide u = load->over * hed_yarn_dot(d, d);
    HedYarnLaws law = hed_yarn_laws(u);
    HedWide c = at->weight * hed_wide_load(other->weight);
    HedWide force = -c * law.slope;
    HedWide stiff = load->stiff * c * hed_wide_max(hed_yarn_laws_along(&law, u), hed_wide_all(0.0));
    HedWide damp =
        hed_wide_where(law.touch, c) * (load->along > load->across ? load->along : load->across);
    double* bound = other->bound;
    hed_wide_store(bound, hed_wide_load(bound) + stiff);
    hed_wide_store(bound + other->row, hed_wide_load(bound + other->row) + damp);
    rating.to[0] += stiff;
    rating.to[1] += damp;
    rating.sums->weight += force;
    if (is_rubbing) {
        hed_yarn_add_place(at, other, d, force, rating.sums);
    }
}

/// Four spots against the row. Spots that nothing touches, most of them, are left out.
HED_WIDE void hed_yarn_meet_all(HedYarnKind kind, const HedYarnLoads* loads, HedYarnSpots spots,
                                const HedYarnRow* row, HedYarnSides* sides) {
    HedYarnRow other = *row;
    HedWide reach = hed_wide_all(loads->near.reach), wide = hed_wide_all(loads->wide.reach);
    const double* p = other.position;
    HedYarnWide3 there = {hed_wide_load(p), hed_wide_load(p + other.row),
                          hed_wide_load(p + 2 * other.row)};
    double* to = other.sum;
    for (int k = 0; k < HED_YARN_SPAN; ++k, other.weight += other.weight_step) {
        const double* x = spots.position + k;
        HedYarnWide3 d = {there.x - x[0], there.y - x[other.row], there.z - x[2 * other.row]};
        HedWide square = hed_yarn_dot(d, d);
        if (kind.is_rated && hed_wide_bits(square < wide) != 0) {
            HedYarnSpot at = hed_yarn_spot(&spots, other.row, k);
            HedYarnRating rating = {&loads->wide, spots.bound[k], &sides->wide};
            hed_yarn_rate_spot(kind.is_rubbing, rating, &at, &other, d);
        }
        if (!kind.is_pushed || hed_wide_bits(square < reach) == 0) {
            continue;
        }
        HedYarnSpot at = hed_yarn_spot(&spots, other.row, k);
        HedYarnWide3 f = hed_yarn_meet(kind, &loads->near, &at, &other, d, &sides->near);
        hed_wide_store(to, hed_wide_load(to) + f.x);
        hed_wide_store(to + other.row, hed_wide_load(to + other.row) + f.y);
        hed_wide_store(to + 2 * other.row, hed_wide_load(to + 2 * other.row) + f.z);
        spots.sum[k][0] -= f.x;
        spots.sum[k][1] -= f.y;
        spots.sum[k][2] -= f.z;
    }
}

#endif
