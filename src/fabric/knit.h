// SPDX-License-Identifier: MIT
// From a loop graph to yarns: where each loop stands, the curves through them, and the proof that
// they run as the graph says.
//
// Yarns are drawn on a *sheet* first: x along the courses, y along the wales, z towards the face.
// In rounds x has a period. The sheet is then laid out flat or rolled up.
#ifndef HED_FABRIC_KNIT_H
#define HED_FABRIC_KNIT_H

#include "fabric/fabric.h"
#include "fabric/loops.h"
#include "fabric/stitch.h"
#include "heddle/knit.h"

/// Where the loops of a graph stand on the sheet. Zero-initialise; free with hed_knit_plan_free.
typedef struct HedKnitPlan {
    const HedLoops* graph;
    HedStitchShape shape;
    HedStitchLoop* loops;
    double* heights; ///< m, per course: where its feet stand; one more at the end.
    double period;   ///< m along x; 0 if the sheet does not close.
} HedKnitPlan;

HedStatus hed_knit_plan(const HedLoops* graph, const HedStitchShape* shape, HedKnitPlan* plan,
                        HedError* error);
void hed_knit_plan_free(HedKnitPlan* plan);

/// The nearest of the places that are a whole number of periods from x to `near`.
double hed_knit_near(const HedKnitPlan* plan, double x, double near);

/// The part of a yarn that is one loop: places as in HedFabricPlace.
typedef struct HedLoopSpan {
    int32_t yarn;
    double start; ///< Half way from the loop before.
    double apex;  ///< The top of its head.
    double end;
} HedLoopSpan;

/// Draws the yarns of a plan on the sheet. yarn holds what all of them share. spans has room for
/// every loop.
HedStatus hed_knit_draw(const HedKnitPlan* plan, const HedFabricYarn* yarn, int32_t points_per_loop,
                        HedFabric* sheet, HedLoopSpan* spans, HedError* error);

/// Finds the crossings of the yarns on a sheet with a period and puts them into it, in order.
HedStatus hed_knit_cross(const HedKnitPlan* plan, HedFabric* sheet, HedError* error);

/// Proves that the crossings of a sheet are those of the graph: every loop goes through the heads
/// of its parents, from the side that it should, and through no other loop; loops that changed
/// places and floats pass on the side that they should. HED_INVALID names the first pair of loops
/// for which that is not so.
HedStatus hed_knit_check(const HedLoops* graph, const HedFabric* sheet, const HedLoopSpan* spans,
                         HedError* error);

/// Rolls up a sheet with a period around the y axis, in place; leaves others as they are.
HedStatus hed_knit_roll(const HedKnitPlan* plan, HedFabric* sheet, HedError* error);

/// Smallest distance (m) of the surfaces of yarns, apart from places of one yarn that are less than
/// `apart` diameters from each other along it. Negative if they overlap.
HedStatus hed_fabric_gap(const HedFabric* fabric, double apart, double* gap, HedError* error);

/// Everything from a finished graph on; def says yarn, loop length and points. As hed_knit_create.
HedStatus hed_knit_build(const HedLoops* graph, const HedKnitDef* def, HedFabric* fabric,
                         HedKnitReport* report, HedError* error);

#endif
