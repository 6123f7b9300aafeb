// SPDX-License-Identifier: MIT
// On which side: signs of determinants, exact for all finite doubles.
#ifndef HED_MATH_EXACT_H
#define HED_MATH_EXACT_H

#include "heddle/vec.h"

/// Sign (-1, 0, 1) of (b - a) x (c - a) . (d - a) in exact arithmetic: positive if a, b, c turn
/// counterclockwise seen from d. Huge, tiny and subnormal coordinates are fine; if one is not
/// finite the answer is 0.
int hed_orient3(HedVec3 a, HedVec3 b, HedVec3 c, HedVec3 d);

/// The same in the plane that is left when coordinate `axis` (0, 1, 2) is dropped: sign of
/// (b - a) x (c - a) along that axis.
int hed_orient2(HedVec3 a, HedVec3 b, HedVec3 c, int axis);

#endif
