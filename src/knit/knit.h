// SPDX-License-Identifier: MIT
// From a loop graph to yarns: where each loop stands, the curves through them, and the proof that
// they run as the graph says.
//
// Yarns are drawn on a *sheet* first: x along the courses, y along the wales, z towards the face.
// In rounds x has a period. The sheet is then laid out flat or rolled up.
#ifndef HED_KNIT_KNIT_H
#define HED_KNIT_KNIT_H

#include "fabric/fabric.h"
#include "heddle/embed.h"
#include "heddle/knit.h"
#include "knit/chart.h"
#include "knit/loops.h"
#include "knit/stitch.h"

/// Distances to neighbours over those of plain stitches.
typedef struct HedLoopSpacing {
    double across, up;
} HedLoopSpacing;

/// How the surface bends away from its face at a loop, 1/m.
typedef struct HedLoopBend {
    double across, twist, up;
} HedLoopBend;

/// Loops in space, and what is known of their surroundings; one of each per loop.
typedef struct HedLoopSurface {
    const HedLoopPlace* places;
    const HedLoopSpacing* spacing;
    const HedLoopBend* bends;
} HedLoopSurface;

/// Where the loops of a graph stand on the sheet. Zero-initialise; free with hed_knit_plan_free.
typedef struct HedKnitPlan {
    const HedLoops* graph;
    HedStitchShape shape;
    HedStitchLoop* loops;
    double* heights;  ///< m, per course: where its feet stand; one more at the end.
    double period;    ///< m along x; 0 if the sheet does not close.
    double low, high; ///< m along x, from the first column of the sheet to the last.
    double sunk;      ///< m, how much deeper tucks lie that join rows: floats are behind them.
    bool is_tight;    ///< See hed_knit_plan.
    bool is_quick;    ///< One number of points per loop is tried: other plans follow.
    bool is_placed;   ///< Loops stand in space (hed_knit_plan_places), not on a sheet.
    HedError* doubt;  ///< If not NULL: gets the failure of the proof, and the yarns stay.
    const struct HedBedLog* log; ///< Loops hang between the beds of a machine (beds.h) if not NULL.
} HedKnitPlan;

/// is_tight: loops that are made half a needle apart have half the room.
HedStatus hed_knit_plan(const HedLoops* graph, const HedStitchShape* shape, bool is_tight,
                        HedKnitPlan* plan, HedError* error);
void hed_knit_plan_free(HedKnitPlan* plan);

/// The same for loops in space: where an embedding put them.
HedStatus hed_knit_plan_places(const HedLoops* graph, const HedStitchShape* shape,
                               const HedLoopSurface* surface, HedKnitPlan* plan, HedError* error);

/// Parts of both: how a loop is made, and a head as its feet are, before anything is pulled through
/// it; shifts of the legs of loops that change places; of heads that lie on each other,
/// and of the feet of the loop that comes through them.
void hed_knit_plan_make(HedKnitPlan* plan, int32_t loop);
void hed_knit_plan_head(HedKnitPlan* plan, int32_t loop);
void hed_knit_plan_swaps(HedKnitPlan* plan);
void hed_knit_plan_stack(HedKnitPlan* plan, int32_t child);

/// From where two loops in space are looked at: the middle of their frames. The surface is laid
/// flat on the way, so that what is straight above a place of it is seen there.
HedStitchFrame hed_knit_view(const HedKnitPlan* plan, int32_t a, int32_t b);

/// A point as it is seen: across, up, and above the surface.
HedVec3 hed_knit_seen(const HedStitchFrame* view, HedVec3 point);

/// The nearest of the places that are a whole number of periods from x to `near`.
double hed_knit_near(const HedKnitPlan* plan, double x, double near);

/// The part of a yarn that is one loop: places as in HedFabricPlace.
typedef struct HedLoopSpan {
    int32_t yarn;
    double start; ///< Half way from the loop before.
    double apex;  ///< The top of its head.
    double end;
    double bight[2]; ///< From foot to foot, where it is a float that leads there; else start, end.
} HedLoopSpan;

/// Draws the yarns of a plan on the sheet. yarn holds what all of them share. spans has room for
/// every loop.
HedStatus hed_knit_draw(const HedKnitPlan* plan, const HedFabricYarn* yarn, int32_t points_per_loop,
                        HedFabric* sheet, HedLoopSpan* spans, HedError* error);

/// Finds the crossings of the yarns on a sheet with a period and puts them into it, in order.
HedStatus hed_knit_cross(const HedKnitPlan* plan, const HedLoopSpan* spans, HedFabric* sheet,
                         HedError* error);

/// The failure that yarns touch at a crossing, told by the loops that they are in there.
HedStatus hed_knit_fail_touch(const HedLoops* graph, const HedLoopSpan* spans,
                              const HedFabricCrossing* crossing, HedError* error);

/// Proves that the crossings of a sheet are those of the graph: every loop goes through the heads
/// of its parents, from the side that it should, and through no other loop; loops that changed
/// places and floats pass on the side that they should. HED_INVALID names the first pair of loops
/// for which that is not so.
HedStatus hed_knit_check(const HedKnitPlan* plan, const HedFabric* sheet, const HedLoopSpan* spans,
                         HedError* error);

/// The same two for loops in space. Two loops whose boxes do not overlap cannot hold each other; of
/// the others, crossings are those seen from their own direction.
HedStatus hed_knit_cross_space(const HedKnitPlan* plan, const HedLoopSpan* spans, HedFabric* fabric,
                               HedError* error);
HedStatus hed_knit_check_space(const HedKnitPlan* plan, const HedFabric* fabric,
                               const HedLoopSpan* spans, HedError* error);

/// Rolls up a sheet with a period around the y axis, in place; leaves others as they are.
HedStatus hed_knit_roll(const HedKnitPlan* plan, HedFabric* sheet, HedError* error);

/// "file:line: it cannot be drawn: why": puts the place before the message of a fabric that could
/// not be drawn; returns status.
HedStatus hed_knit_place(const char* name, HedStatus status, HedError* error);

/// What is to be noted of the chart of a fabric and of its graph.
HedStatus hed_knit_notes(const HedChart* chart, const HedLoops* graph, HedFabric* fabric,
                         HedError* error);

/// Whether number i of colours or linear densities belongs to the yarn of this place, not to one
/// that is named.
static inline bool hed_knit_is_ordered(const char* const* names, int32_t i) {
    return !names || !names[i];
}

/// Colours and linear densities of yarns that are named. HED_INVALID: there is none of a name.
HedStatus hed_knit_dress_named(const HedKnitDef* def, HedFabric* fabric, HedError* error);

/// Makes yarns of the text of a file, which is named by def->name.
typedef HedStatus HedKnitMake(const char* text, const HedKnitDef* def, HedFabric* fabric,
                              HedKnitReport* report, HedError* error);

/// Reads a file of text and makes yarns of it; the fabric is empty where that fails.
HedStatus hed_knit_load_by(HedKnitMake* make, const char* path, const HedKnitDef* def,
                           HedFabric* fabric, HedKnitReport* report, HedError* error);

/// Everything from a finished graph on. log is that of the machine that made the graph: where rows,
/// columns and places in space fail, loops are drawn as the beds hold them; NULL: that is not
/// tried. def says yarn, loop length and points. As hed_knit_create.
HedStatus hed_knit_build(const HedLoops* graph, const struct HedBedLog* log, const HedKnitDef* def,
                         HedFabric* fabric, HedKnitReport* report, HedError* error);

#endif
