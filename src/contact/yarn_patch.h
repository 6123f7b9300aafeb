// SPDX-License-Identifier: MIT
// Friction of one contact between two segments.
//
// The slip of a contact must not see a common rotation of both yarns, or a cloth that turns would
// rub against itself. With d = y_j - y_i at the mean place of contact and w its velocity, the
// rotation of the contact is the o that fits best how the two tangents t_i, t_j (and, with little
// weight e, d itself: it decides only about turns around parallel yarns) are seen to turn:
//   least over o of  |o x t_i - t_i'|^2 / |t_i|^2 + |o x t_j - t_j'|^2 / |t_j|^2 + e |o x d - w|^2
//   / |d|^2 A o = sum of c_a a x a',   A = sum of c_a (|a|^2 I - a a')
// and the slip is s = (I - n n') (w - o x d), n along the normal force: zero for every rigid
// motion. A friction force F acts through the same relation, so its power is F . s and it changes
// neither momentum nor angular momentum: with m = A^-1 (d x F) the tangents feel -c_a m x a, and d
// feels F - c_d m x d.
//
// Memory: z is the strain of the contact, a vector across n of length up to 1. The force is mu N z;
// z grows by slip over the presliding distance, and stays at length 1 while the contact slides. A
// force that is proportional to N at given z lets a contact hand over to the next segment: the next
// one starts with the same z and takes over the force as it takes over N.
#ifndef HED_CONTACT_YARN_PATCH_H
#define HED_CONTACT_YARN_PATCH_H

#include "contact/kernel_gap.h"
#include "contact/yarn_inner.h"

/// A contact's geometry at one state.
typedef struct HedYarnGrip {
    const int32_t* point[2]; // four points of each segment
    double weight[2][4];     // of the place of contact
    double slope[2][4];      // of the tangent there
    HedVec3 tangent[2];
    double scale[2]; // 1/|t|^2
    HedVec3 d;       // m
    double d_scale;  // e/|d|^2
    HedVec3 normal;  // unit
    double push;     // N, normal force
    double give;     // m, presliding distance
    HedMat3 inverse; // of A
} HedYarnGrip;

/// The rotation of a contact, rad/s, and its slip, m/s; or the same for any other vectors of
/// points.
typedef struct HedYarnSlip {
    HedVec3 turn;
    HedVec3 slip;
} HedYarnSlip;

HedYarnGrip hed_yarn_grip(const HedYarnContact* y, int32_t i, int32_t j, const HedYarnTouch* touch,
                          const HedVec3* x);
HedYarnSlip hed_yarn_slip(const HedYarnGrip* grip, const HedVec3* v);

/// Adds factor times what a force F along the slip of the second segment against the first is on
/// the points of both: [3][4] each.
void hed_yarn_spread(const HedYarnGrip* grip, HedVec3 force, double* first, double* second);

/// Friction at a slip: gradient is minus the force on the second segment; hessian its derivative by
/// the slip.
HedFrictionOut hed_yarn_rub(const HedYarnContact* y, const HedYarnGrip* grip, HedVec3 slip,
                            HedVec3 strain, double ahead);

#endif
