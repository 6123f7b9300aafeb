// SPDX-License-Identifier: MIT
// What the steps from a fabric to a crossing network share.
#ifndef HED_FABRIC_NET_MAKER_H
#define HED_FABRIC_NET_MAKER_H

#include "base/array.h"
#include "base/status.h"
#include "heddle/net.h"
#include "math/vec3.h"

/// A crossing of the fabric on its way. Index 0 is the yarn that is over, 1 the one that is under.
typedef struct HedNetCrossing {
    int32_t loop[2]; ///< Of a knit; -1 without loops.
    int32_t node;    ///< -1 before a yarn came there.
    int8_t slot[2];
} HedNetCrossing;

typedef struct HedNetMaker {
    const HedFabric* fabric;
    const HedNetDef* def;
    HedNet* net;
    HedError* error;
    // hed_net_order, hed_net_thin
    int32_t* first_visits; ///< As in the fabric.
    HedFabricVisit* visits;
    // hed_net_find_loops
    int32_t* loop_order;  ///< Loops yarn by yarn, in the order along it.
    int32_t* first_loops; ///< Per yarn: its first in loop_order; one more at the end.
    HedNetCrossing* crossings;
} HedNetMaker;

/// Orders loops along the yarns and says which of them each crossing belongs to.
HedStatus hed_net_find_loops(HedNetMaker* m);

/// Leaves out pairs of crossings that undo each other.
HedStatus hed_net_thin(HedNetMaker* m);

/// Goes along all yarns and makes nodes and visits.
HedStatus hed_net_walk(HedNetMaker* m);

/// Finds the clasps and the hinges of a knit, when everything else is there.
HedStatus hed_net_find_clasps(HedNetMaker* m);
HedStatus hed_net_find_hinges(HedNetMaker* m);

HedStatus hed_net_note(HedNetMaker* m, const char* format, ...) HED_PRINTF(2, 3);

static inline HedFabricPlace hed_net_place(const HedNetMaker* m, HedFabricVisit visit) {
    const HedFabricCrossing* crossing = &m->fabric->crossings[visit.crossing];
    return visit.is_over ? crossing->over : crossing->under;
}

/// The point of a yarn at a place.
static inline HedVec3 hed_net_point(const HedFabric* fabric, HedFabricPlace place) {
    const HedFabricYarn* yarn = &fabric->yarns[place.yarn];
    int32_t k = (int32_t)place.at;
    k = k + 1 < yarn->count ? k : yarn->count - 2;
    const HedVec3* x = fabric->points + yarn->first + k;
    return hed_lerp3(x[0], x[1], place.at - k);
}

/// Length (m) of the straight pieces between the points of a yarn, from place a to place b >= a.
double hed_net_arc(const HedFabric* fabric, int32_t yarn, double a, double b);

#endif
