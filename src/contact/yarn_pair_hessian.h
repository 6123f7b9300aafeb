// SPDX-License-Identifier: MIT
// What two segments that touch are to each other in the matrix of implicit steps: all their pairs
// of quadrature points, and their friction, as blocks between the four points of one and of the
// other.
//
// A pair of points at y_i = sum of w_a x_a and y_j = sum of w_b x_b with stiffness B (3 x 3) is
//   w_a w_a' B  among the points of the first,  -w_a w_b B  between both,  w_b w_b' B  on the
// second. Friction acts on the slip, which is linear in all eight points; its Hessian has rank two.
#ifndef HED_CONTACT_YARN_PAIR_HESSIAN_H
#define HED_CONTACT_YARN_PAIR_HESSIAN_H

#include "contact/yarn_contact.h"

enum { HED_YARN_OWN = 10 }; // pairs a <= b of four points

/// Place of the pair a <= b.
static inline int hed_yarn_own(int a, int b) {
    return b * (b + 1) / 2 + a;
}

/// Two segments that touch.
struct HedYarnPairHessian {
    HedMat3 cross[4][4];       // rows: points of the first, columns: of the second
    HedMat3 own[HED_YARN_OWN]; // the second with itself
    int32_t segment[2];
    int32_t pair; // on the list
};

/// The state, and how the matrix is made.
typedef struct HedYarnMatrixEval {
    HedYarnState at;
    HedYarnScale scale;
    bool rubs;
} HedYarnMatrixEval;

/// Fills the blocks of a bond whose pair and segments are known, and adds to what its first segment
/// has with itself.
void hed_yarn_pair_hessian_fill(const HedYarnContact* y, const HedYarnMatrixEval* eval,
                                HedYarnPairHessian* bond, HedMat3* own);

#endif
