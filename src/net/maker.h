// SPDX-License-Identifier: MIT
// What the steps from a fabric to a crossing network share.
#ifndef HED_NET_MAKER_H
#define HED_NET_MAKER_H

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
    // hed_net_order, hed_net_part_sheets, hed_net_thin, hed_net_unkink
    int32_t* first_visits; ///< As in the fabric.
    HedFabricVisit* visits;
    // hed_net_find_loops
    int32_t* loop_order;  ///< Loops yarn by yarn, in the order along it.
    int32_t* first_loops; ///< Per yarn: its first in loop_order; one more at the end.
    HedNetCrossing* crossings;
} HedNetMaker;

/// Orders loops along the yarns and says which of them each crossing belongs to.
HedStatus hed_net_find_loops(HedNetMaker* m);

/// Leaves out crossings of threads that lie in different layers of a weave.
HedStatus hed_net_part_layers(HedNetMaker* m);

/// Leaves out crossings of loops that lie in different sheets of a tube.
HedStatus hed_net_part_sheets(HedNetMaker* m);

/// Leaves out pairs of crossings that undo each other.
HedStatus hed_net_thin(HedNetMaker* m);

/// Leaves out crossings of a yarn with itself that nothing runs through; after net->spacing is
/// known.
HedStatus hed_net_unkink(HedNetMaker* m);

/// Goes along all yarns and makes nodes and visits.
HedStatus hed_net_walk(HedNetMaker* m);

/// Finds the clasps and the hinges of a knit, when everything else is there.
HedStatus hed_net_find_clasps(HedNetMaker* m);
HedStatus hed_net_find_hinges(HedNetMaker* m);

/// Takes the visits of crossings that are left out from the list; is_gone: per crossing.
void hed_net_close_gaps(HedNetMaker* m, const bool* is_gone);

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

/// The point between two places of a yarn that is farthest from the straight way, if that is so far
/// that it becomes a sample; -1: none does.
double hed_net_farthest(const HedNetMaker* m, int32_t yarn, double from, double to);

/// Length (m) of the straight pieces between the points of a yarn, from place a to place b >= a.
double hed_net_arc(const HedFabric* fabric, int32_t yarn, double a, double b);

#endif
