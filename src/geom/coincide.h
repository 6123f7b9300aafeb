// SPDX-License-Identifier: MIT
// Which points stand at one place.
#ifndef HED_GEOM_COINCIDE_H
#define HED_GEOM_COINCIDE_H

#include "base/status.h"
#include "heddle/vec.h"

/// For each point the lowest earlier one that stands for others and is no farther than distance
/// (m, positive), or the point itself, which then stands for those that follow. Points are finite.
HedStatus hed_find_coincident(const HedVec3* x, int32_t count, double distance, int32_t* first,
                              HedError* error);

#endif
