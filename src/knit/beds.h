// SPDX-License-Identifier: MIT
// A knitting as it hangs between the two beds of its machine: the log of what happened to each loop
// while needles held it, and yarns drawn from that.
//
// x runs along the needles of the front bed, y is the time of knitting, z points from the back bed
// to the front one. Where nothing else stands between the same columns, later operations share the
// height of earlier ones. At each height the cross-section is that of the machine at that time:
// loops of the front bed stand in a zone in front, those of the back bed in one behind, and between
// them each carrier has a lane of its own, in the order of the header. Loops on one needle stand
// behind each other, the oldest farthest from the lanes. A loop runs upwards from its feet in the
// lane of its carrier to the zone of its bed, follows its needle through racks and transfers, and
// ends in an arch on the lanes' side of its zone: what is pulled through it comes from the lanes
// and passes outside of that arch. So every program that a machine can run has such a drawing, and
// its yarns interlace as the machine makes them.
#ifndef HED_KNIT_BEDS_H
#define HED_KNIT_BEDS_H

#include "knit/knit.h"

typedef enum HedBedEventKind {
    HED_BED_MADE,    ///< A loop was made.
    HED_BED_TAKEN,   ///< It left its needle: the loops of this operation were pulled through it.
    HED_BED_DROPPED, ///< It left its needle and is held by nothing there.
    HED_BED_MOVED,   ///< It went to the facing needle of the other bed.
    HED_BED_RACKED   ///< It moved along its bed: that of a machine moves, the back one.
} HedBedEventKind;

typedef struct HedBedEvent {
    HedBedEventKind kind;
    int32_t operation; ///< Events of one operation have one number and follow each other.
    int32_t loop;
    double wale;  ///< In front needles, where the loop is after it.
    int32_t rank; ///< On its needle after it: loops that were there before.
    bool is_back, is_slider;
    bool is_leftward; ///< Of loops made: the way of the carrier.
} HedBedEvent;

/// Zero-initialise; free with hed_bed_log_free.
typedef struct HedBedLog {
    HED_ARRAY(HedBedEvent) events;
    HED_ARRAY(int32_t) lanes; ///< Per yarn of the graph: its carrier, from the front backwards.
    int32_t needle_most;      ///< Loops on a needle,
    int32_t slider_most;      ///< and on a slider.
} HedBedLog;

void hed_bed_log_free(HedBedLog* log);

/// The log of a machine that knits the rows of a finished graph, which need not come from one.
/// HED_INVALID: it has rounds, loops that several are pulled through, or one that passes in front
/// of one and behind another at once.
HedStatus hed_bed_log_of_rows(const HedLoops* graph, HedBedLog* log, HedError* error);

/// A loop on its way from y0 to y1; it stands still before and after that.
typedef struct HedBedWay {
    int32_t loop;
    double y0, y1; ///< courses
    double x;      ///< columns, at y1
    double z;      ///< diameters, at y1
} HedBedWay;

/// Where one loop stands: x in columns, y in courses, z in diameters.
typedef struct HedBedLoop {
    double x, base;     ///< Between its legs, and at its feet.
    double foot;        ///< x between its feet: x itself but where facing needles share a column.
    double lane;        ///< z of its feet,
    double zone;        ///< and of its legs.
    double narrow;      ///< From the middle to a foot,
    double wide;        ///< and above.
    double end;         ///< y of the feet that are pulled through it; of its end if there are none.
    double arch;        ///< z of its head.
    double from;        ///< x where its yarn waited for it; that of its start for the first loop.
    double rise;        ///< y to which the yarn went there.
    bool is_from_foot;  ///< It did not wait: it comes straight from the loop before.
    bool comes_against; ///< It passes the loop at `rise` and comes in from the other side.
    bool is_leftward, is_taken;
} HedBedLoop;

/// Zero-initialise; free with hed_bed_layout_free.
typedef struct HedBedLayout {
    HedBedLoop* loops;
    HedBedWay* ways;     ///< Loop by loop, in order.
    int32_t* first_ways; ///< Per loop, one more at the end.
    int32_t way_count;
} HedBedLayout;

HedStatus hed_bed_layout(const HedLoops* graph, const HedBedLog* log, HedBedLayout* layout,
                         HedError* error);
void hed_bed_layout_free(HedBedLayout* layout);

/// Draws the yarns as hed_knit_draw does.
HedStatus hed_bed_draw(const HedKnitPlan* plan, const HedFabricYarn* yarn, int32_t points_per_loop,
                       HedFabric* sheet, HedLoopSpan* spans, HedError* error);

#endif
