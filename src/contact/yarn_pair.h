// SPDX-License-Identifier: MIT
// A quadrature point of a segment against four of another.
//
// Each pair of points has three numbers for its force, and two for its bounds. They are added up
// per point on both sides: on the second segment by plain addition, on the first one into four
// lanes, which are added up once all its pairs are done. What lies beyond reach adds zeros, so
// leaving it out early changes no bit of a sum.
#ifndef HED_CONTACT_YARN_PAIR_H
#define HED_CONTACT_YARN_PAIR_H

#include "contact/kernel_yarn.h"
#include "contact/yarn_near.h"

/// What to evaluate; a constant wherever it is used.
typedef struct HedYarnKind {
    bool is_pushed;  // forces are wanted: minus that on the second segment; and energy and power
    bool is_moving;  // velocities count
    bool is_rubbing; // sums for friction are wanted
    bool is_rated;   // bounds on stiffness and damping are wanted, for wider reach
    HedYarnTableShape shape;
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
    double wider; // 1/u of wide over that of near
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

/// A quadrature point of the first segment and four of the second.
typedef struct HedYarnMeet {
    HedYarnWide3 d;           // m, from the first to the second
    HedYarnWide3 w;           // m/s, its velocity
    HedWide c;                // m^2, product of weights
    double parameter;         // of the first
    const double* parameters; // of the second
} HedYarnMeet;

/// hed_yarn_law for four at once, as if all touched.
typedef struct HedYarnLaws {
    HedWide u, held, inverse, square;
    HedWide c; // product of weights, 0 for what does not touch
} HedYarnLaws;

/// 1/u, or somewhat less than that where u is far below U_LEAST.
HED_WIDE HedWide hed_yarn_inverse(HedWide u) {
    return 1.0 / hed_wide_max(u, hed_wide_all(0.5 * HED_YARN_U_LEAST));
}

HED_WIDE HedYarnLaws hed_yarn_laws(HedWide u, HedWide inverse, HedWide c) {
    HedWide held = hed_wide_max(u, hed_wide_all(HED_YARN_U_LEAST));
    inverse = hed_wide_min(inverse, hed_wide_all(1.0 / HED_YARN_U_LEAST));
    return (HedYarnLaws){u, held, inverse, inverse * inverse,
                         hed_wide_where(u < hed_wide_all(1.0), c)};
}

/// What friction needs to know: where the force is, and how large.
HED_WIDE void hed_yarn_add_place(const HedYarnMeet* meet, HedWide force, HedYarnLanes* sums) {
    sums->first += force * meet->parameter;
    sums->second += force * hed_wide_load(meet->parameters);
    sums->x += force * meet->d.x;
    sums->y += force * meet->d.y;
    sums->z += force * meet->d.z;
}

/// What the point and the four give each other: numbers for the second side.
HED_WIDE HedYarnWide3 hed_yarn_push(HedYarnKind kind, const HedYarnLoad* load,
                                    const HedYarnMeet* meet, HedWide u, HedWide inverse,
                                    HedYarnLanes* sums) {
    const HedYarnWide3 d = meet->d, w = meet->w;
    HedYarnLaws law = hed_yarn_laws(u, inverse, meet->c);
    HedWide slope = 1.0 - law.square;
    HedWide force = -law.c * slope;
    HedWide of_d = -load->stiff * force;
    HedYarnWide3 f = {{0}, {0}, {0}};
    if (kind.is_moving) {
        HedWide speed = hed_yarn_dot(d, w);
        HedWide drag = law.c * ((load->along - load->across) * load->over) * law.inverse * speed;
        HedWide a = law.c * load->across;
        f = (HedYarnWide3){a * w.x, a * w.y, a * w.z};
        sums->damped += drag * speed + hed_yarn_dot(f, w);
        of_d += drag;
    }
    f = (HedYarnWide3){f.x + of_d * d.x, f.y + of_d * d.y, f.z + of_d * d.z};
    sums->energy += law.c * ((law.inverse + law.held - 2.0) + slope * (u - law.held));
    sums->least =
        hed_wide_min(sums->least, hed_wide_choose(law.c > hed_wide_all(0.0), u, hed_wide_all(1.0)));
    sums->weight += force;
    if (kind.is_rubbing) {
        hed_yarn_add_place(meet, force, sums);
    }
    return f;
}

/// The largest stiffness and the largest damping of each pair of points.
typedef struct HedYarnBounds {
    HedWide stiffness, damping;
} HedYarnBounds;

HED_WIDE HedYarnBounds hed_yarn_bounds(HedYarnKind kind, const HedYarnLoad* load,
                                       const HedYarnMeet* meet, HedWide u, HedWide inverse,
                                       HedYarnLanes* sums) {
    HedYarnLaws law = hed_yarn_laws(u, inverse, meet->c);
    HedWide force = law.c * (law.square - 1.0);
    HedWide bends = hed_wide_where(u >= hed_wide_all(HED_YARN_U_LEAST), law.c);
    sums->weight += force;
    if (kind.is_rubbing) {
        hed_yarn_add_place(meet, force, sums);
    }
    return (HedYarnBounds){(load->stiff * bends) * (1.0 + 3.0 * law.square),
                           law.c * (load->along > load->across ? load->along : load->across)};
}

#endif
