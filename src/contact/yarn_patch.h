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
#ifndef HED_CONTACT_YARN_PATCH_H
#define HED_CONTACT_YARN_PATCH_H

#include "contact/kernel_gap.h"
#include "contact/yarn_inner.h"

/// A contact's geometry at one state. Spins and their matrices are those that hed_yarn_find_spins
/// left.
typedef struct HedYarnGrip {
    int32_t segment[2];
    double weight[2][4]; // of the place of contact
    HedVec3 arm[2];      // m, a
    HedVec3 normal;      // unit
    double push;         // N, normal force
    double give;         // m, presliding distance
} HedYarnGrip;

/// The rotation of a contact (mean of both yarns), rad/s, and its slip, m/s; or the same for any
/// other vectors of points.
typedef struct HedYarnSlip {
    HedVec3 turn;
    HedVec3 slip;
} HedYarnSlip;

HedYarnGrip hed_yarn_grip(const HedYarnContact* y, int32_t i, int32_t j, const HedYarnTouch* touch,
                          const HedVec3* x);
HedYarnSlip hed_yarn_slip(const HedYarnContact* y, const HedYarnGrip* grip, const HedVec3* v,
                          const HedVec3* spin);

/// Adds what a force F along the slip of the second segment against the first is on the points of
/// both: [3][4] each.
void hed_yarn_spread(const HedYarnContact* y, const HedYarnGrip* grip, const HedVec3* x,
                     HedVec3 force, double* const out[2]);

/// How much the slip changes with the velocity of point n % 4 of segment n / 4, at most.
double hed_yarn_lever(const HedYarnContact* y, const HedYarnGrip* grip, const HedVec3* x, int n);

/// Friction at a slip: gradient is minus the force on the second segment; hessian its derivative by
/// the slip.
HedFrictionOut hed_yarn_rub(const HedYarnContact* y, const HedYarnGrip* grip, HedVec3 slip,
                            HedVec3 strain, double ahead);

/// Its gradient alone.
HedVec3 hed_yarn_rub_force(const HedYarnContact* y, const HedYarnGrip* grip, HedVec3 slip,
                           HedVec3 strain, double ahead);

#endif
