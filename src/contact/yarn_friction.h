// SPDX-License-Identifier: MIT
// Friction of one contact between two segments.
//
// What rubs are surfaces. With d = y_j - y_i at the mean place of contact, the yarns touch at the
// arms a_i = d r_i/(r_i + r_j) and -a_j = a_i - d from their centre lines, and the slip is
//   s = (I - n n') (w - o_i x a_i - o_j x a_j),     w = d', n along the normal force,
// with o the rotation of each yarn there. It is that of the segment's four points, taken as a rigid
// body: with q_k from their mean and J = sum (|q|^2 I - q q')/4,
//   (J + e t t') o = sum (q_k x q_k')/4.
// Points on a line tell nothing about turns around it. There e t t' decides: a straight yarn does
// not roll, for its twist holds it. A bent one shows how it turns, so that a cloth that turns as a
// whole does not rub against itself. e is such that this changes where the radius of curvature is
// 2 r/SHARP.
//
// The friction force F acts through the same relation, so its power is F . s: both yarns feel the
// moments a x F of a force on their surface, m = (J + e t t')^-1 (a x F), point k the force
// -m x q_k/4. Momentum is kept always, angular momentum but for the moment around straight yarns,
// e t t' m, which goes into their twist and on to what holds their ends.
//
// Memory: z is the strain of the contact, a vector across n of length up to 1. The force is mu N z;
// z grows by slip over the presliding distance, and stays at length 1 while the contact slides. A
// force that is proportional to N at given z lets a contact hand over to the next segment: the next
// one starts with the same z and takes over the force as it takes over N.
#ifndef HED_CONTACT_YARN_FRICTION_H
#define HED_CONTACT_YARN_FRICTION_H

#include "base/simd.h"
#include "contact/kernel_friction.h"
#include "contact/yarn_inner.h"

/// Vectors of the four points of a segment, by coordinate.
typedef struct HedYarnFour {
    HedWide x, y, z;
} HedYarnFour;

/// A contact's geometry at one state. Spins and their matrices are those that hed_yarn_find_spins
/// left.
typedef struct HedContactFrame {
    HedYarnFour at[2];   // m, points of the segments
    double weight[2][4]; // of the place of contact
    HedVec3 arm[2];      // m, a
    HedVec3 normal;      // unit
    double push;         // N, normal force
    double give;         // m, presliding distance
    int32_t segment[2];
} HedContactFrame;

/// The rotation of a contact (mean of both yarns), rad/s, and its slip, m/s; or the same for any
/// other vectors of points.
typedef struct HedYarnSlip {
    HedVec3 turn;
    HedVec3 slip;
} HedYarnSlip;

HED_WIDE HedYarnFour hed_yarn_four(const HedYarnContact* y, int32_t segment, const HedVec3* of) {
    const int32_t* p = y->segments[segment].point;
    if (p[1] == p[0] + 1 && p[2] == p[0] + 2 && p[3] == p[0] + 3) {
        HedWide4 rows = hed_wide_load_vectors(&of[p[0]].x);
        return (HedYarnFour){rows.row[0], rows.row[1], rows.row[2]};
    }
    const HedVec3 *a = &of[p[0]], *b = &of[p[1]], *c = &of[p[2]], *d = &of[p[3]];
    return (HedYarnFour){
        {a->x, b->x, c->x, d->x}, {a->y, b->y, c->y, d->y}, {a->z, b->z, c->z, d->z}};
}

/// Their sum with weights.
HED_WIDE HedVec3 hed_yarn_mix(HedWide w, HedYarnFour p) {
    HedWide sum = hed_wide_sums(w * p.x, w * p.y, w * p.z);
    return (HedVec3){sum[0], sum[1], sum[2]};
}

/// q: from their mean.
HED_WIDE HedYarnFour hed_yarn_around(HedYarnFour p) {
    HedVec3 mean = hed_yarn_mix(hed_wide_all(0.25), p);
    return (HedYarnFour){p.x - mean.x, p.y - mean.y, p.z - mean.z};
}

HED_WIDE HedVec3 hed_yarn_turn(const HedYarnContact* y, int32_t segment, HedVec3 a) {
    const double* turn = y->turn + (int64_t)HED_YARN_TURN * segment;
    return (HedVec3){turn[0] * a.x + turn[3] * a.y + turn[4] * a.z,
                     turn[3] * a.x + turn[1] * a.y + turn[5] * a.z,
                     turn[4] * a.x + turn[5] * a.y + turn[2] * a.z};
}

/// Its part across the normal.
HED_WIDE HedVec3 hed_yarn_across(const HedContactFrame* frame, HedVec3 a) {
    return hed_madd3(a, -hed_dot3(a, frame->normal), frame->normal);
}

/// From the place of contact on the first segment to that on the second.
HED_WIDE HedVec3 hed_yarn_difference(const HedContactFrame* frame, HedYarnFour first,
                                     HedYarnFour second) {
    HedWide a = hed_wide_load(frame->weight[0]), b = hed_wide_load(frame->weight[1]);
    HedWide sum = hed_wide_sums(b * second.x - a * first.x, b * second.y - a * first.y,
                                b * second.z - a * first.z);
    return (HedVec3){sum[0], sum[1], sum[2]};
}

HED_WIDE HedWide hed_yarn_place_weights(const HedYarnContact* y, int32_t segment, double s) {
    const HedCubicMatrix* b = hed_yarn_matrix(y, segment);
    return hed_wide_load(b->m[0]) +
           s * (hed_wide_load(b->m[1]) + s * (hed_wide_load(b->m[2]) + s * hed_wide_load(b->m[3])));
}

/// Fills all of it; as a value it would be cleared and copied, which takes a fifth of the time that
/// friction does.
HED_WIDE void hed_yarn_contact_frame(const HedYarnContact* y, int32_t i, int32_t j,
                                     const HedYarnTouch* touch, const HedVec3* x,
                                     HedContactFrame* frame) {
    double first = hed_yarn_radius(y, i);
    double reach = first + hed_yarn_radius(y, j);
    frame->segment[0] = i;
    frame->segment[1] = j;
    hed_wide_store(frame->weight[0], hed_yarn_place_weights(y, i, touch->first));
    hed_wide_store(frame->weight[1], hed_yarn_place_weights(y, j, touch->second));
    frame->at[0] = hed_yarn_four(y, i, x);
    frame->at[1] = hed_yarn_four(y, j, x);
    HedVec3 d = hed_yarn_difference(frame, frame->at[0], frame->at[1]);
    frame->arm[0] = hed_mul3(first / reach, d);
    frame->arm[1] = hed_sub3(d, frame->arm[0]);
    frame->push = hed_norm3(touch->push);
    frame->normal = frame->push > 0.0 ? hed_mul3(1.0 / frame->push, touch->push)
                                      : hed_unit3(d, hed_vec3(0.0, 0.0, 1.0));
    frame->give = y->def.presliding * reach;
}

HED_WIDE HedYarnSlip hed_yarn_slip(const HedYarnContact* y, const HedContactFrame* frame,
                                   const HedVec3* v, const HedVec3* spin) {
    HedVec3 a = spin[frame->segment[0]], b = spin[frame->segment[1]];
    HedVec3 turned = hed_add3(hed_cross3(a, frame->arm[0]), hed_cross3(b, frame->arm[1]));
    HedVec3 moved = hed_yarn_difference(frame, hed_yarn_four(y, frame->segment[0], v),
                                        hed_yarn_four(y, frame->segment[1], v));
    HedVec3 slip = hed_sub3(moved, turned);
    return (HedYarnSlip){hed_mul3(0.5, hed_add3(a, b)), hed_yarn_across(frame, slip)};
}

/// J, in a contact that gives by `give` before it slides, at the normal force of its last strain.
HED_WIDE double hed_yarn_stored(const HedYarnContact* y, const HedYarnPatch* patch, double give) {
    return 0.5 * y->def.friction * patch->push * give * hed_dot3(patch->strain, patch->strain);
}

/// Adds what a force F along the slip of the second segment against the first is on the points of
/// both: [3][4] each.
HED_WIDE void hed_yarn_spread(const HedYarnContact* y, const HedContactFrame* frame, HedVec3 force,
                              double* const out[2]) {
    HedVec3 f = hed_yarn_across(frame, force);
    for (int side = 0; side < 2; ++side) {
        int32_t segment = frame->segment[side];
        double* to = out[side];
        HedYarnFour q = hed_yarn_around(frame->at[side]);
        HedVec3 m = hed_yarn_turn(y, segment, hed_cross3(hed_mul3(0.25, frame->arm[side]), f));
        HedWide w = (side == 0 ? -1.0 : 1.0) * hed_wide_load(frame->weight[side]);
        hed_wide_store(to, hed_wide_load(to) + (w * f.x - (m.y * q.z - m.z * q.y)));
        hed_wide_store(to + 4, hed_wide_load(to + 4) + (w * f.y - (m.z * q.x - m.x * q.z)));
        hed_wide_store(to + 8, hed_wide_load(to + 8) + (w * f.z - (m.x * q.y - m.y * q.x)));
    }
}

/// How much the slip changes with the velocity of each point of a side, at most.
HedWide hed_yarn_levers(const HedYarnContact* y, const HedContactFrame* frame, int side);

/// The slip from the anchor that the law sees over a step, as a velocity, and the law. Of a contact
/// that remembers: the slip and what its strain amounts to over `ahead`, with the presliding
/// distance over that time. With ahead 0: the strain itself.
typedef struct HedYarnSlide {
    HedVec3 slip; // across the normal
    HedFriction law;
} HedYarnSlide;

HED_WIDE HedYarnSlide hed_yarn_slide(const HedYarnContact* y, const HedContactFrame* frame,
                                     HedVec3 slip, HedVec3 strain, double ahead) {
    double limit = y->def.friction * frame->push;
    if (y->def.friction_law == HED_YARN_KINETIC) {
        return (HedYarnSlide){slip, {limit, y->def.slip_speed}};
    }
    if (!(ahead > 0.0)) {
        return (HedYarnSlide){hed_yarn_across(frame, strain), {limit, 1.0}};
    }
    double speed = frame->give / ahead;
    return (HedYarnSlide){hed_yarn_across(frame, hed_madd3(slip, speed, strain)), {limit, speed}};
}

/// Minus the force on the second segment.
HED_WIDE HedVec3 hed_yarn_friction_force(const HedYarnContact* y, const HedContactFrame* frame,
                                         HedVec3 slip, HedVec3 strain, double ahead) {
    HedYarnSlide at = hed_yarn_slide(y, frame, slip, strain, ahead);
    return hed_mul3(hed_friction_eval(hed_norm3(at.slip), at.law).stiffness, at.slip);
}

#endif
