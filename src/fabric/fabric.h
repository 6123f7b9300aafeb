// SPDX-License-Identifier: MIT
// Building fabrics: yarns point by point, then their crossings, then the order along each yarn.
#ifndef HED_FABRIC_FABRIC_H
#define HED_FABRIC_FABRIC_H

#include "base/array.h"
#include "base/status.h"
#include "heddle/fabric.h"

/// Starts a yarn without points; `first` and `count` of what is given are not used.
HedStatus hed_fabric_add_yarn(HedFabric* fabric, const HedFabricYarn* yarn, HedError* error);

/// Puts a point at the end of the last yarn.
HedStatus hed_fabric_add_point(HedFabric* fabric, HedVec3 point, HedError* error);

HedStatus hed_fabric_add_crossing(HedFabric* fabric, HedFabricCrossing crossing, HedError* error);

HedStatus hed_fabric_note(HedFabric* fabric, HedError* error, const char* format, ...)
    HED_PRINTF(3, 4);

/// Orders crossings along their yarns: fills first_visits and visits. Call when all are added.
/// Yarns with too few points and places outside of a yarn are refused.
HedStatus hed_fabric_sort(HedFabric* fabric, HedError* error);

/// Crossings as they are found; zero-initialise, free with hed_free(found.data).
typedef HED_ARRAY(HedFabricCrossing) HedFoundCrossings;

/// All crossings of the straight pieces between points, seen along z. Where pieces meet in a corner
/// or run over each other the answer is that of curves a hair's breadth apart, so no crossing is
/// lost and none counts twice. The order of crossings that stand over one point is left open.
/// Pieces that touch in space are refused: neither is over. Their crossing is the last one found.
HedStatus hed_fabric_find_crossings(const HedFabric* fabric, HedFoundCrossings* found,
                                    HedError* error);

/// A straight piece of a yarn, from point `number` on.
typedef struct HedYarnPiece {
    int32_t yarn;
    int32_t number;
    HedVec3 a, b;
} HedYarnPiece;

/// Whether two pieces cross, seen along z, by the rules of hed_fabric_find_crossings; and their
/// crossing, put to the others.
bool hed_pieces_cross(const HedYarnPiece* p, const HedYarnPiece* q);
HedStatus hed_pieces_add(const HedYarnPiece* p, const HedYarnPiece* q, HedFoundCrossings* found,
                         HedError* error);

/// Visits of a list of crossings in the order along each of yarn_count yarns; first holds one more.
HedStatus hed_visits_sort(const HedFabricCrossing* crossings, int32_t count, int32_t yarn_count,
                          int32_t* first, HedFabricVisit* visits, HedError* error);

/// Smallest distance (m) of the surfaces of yarns, apart from places of one yarn that are less than
/// `apart` diameters from each other along it. Negative if they overlap.
HedStatus hed_fabric_gap(const HedFabric* fabric, double apart, double* gap, HedError* error);

#endif
