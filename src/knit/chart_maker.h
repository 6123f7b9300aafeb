// SPDX-License-Identifier: MIT
// Inside of hed_chart_loops: the needle is a row of slots from left to right, each with the loops
// that hang there; every stitch takes slots of the old needle and leaves slots on the new one.
#ifndef HED_KNIT_CHART_MAKER_H
#define HED_KNIT_CHART_MAKER_H

#include "knit/chart.h"

/// Loops on one place of the needle, from the face backwards.
typedef struct HedSlot {
    int32_t loops[HED_STITCH_MOST];
    int32_t count;
} HedSlot;

/// A needle: slots in the order in which the row at hand works them.
typedef struct HedChartNeedle {
    HED_ARRAY(HedSlot) slots;
    double left;                        ///< Column of its leftmost slot, in flat knitting,
    double pitch;                       ///< and columns from one slot to the next.
    int32_t bundle_first, bundle_count; ///< Slots from the left that share a column; count 0: none.
} HedChartNeedle;

/// First slots of a stitch on both needles.
typedef struct HedStitchPart {
    int32_t old_slot, new_slot;
} HedStitchPart;

typedef struct HedChartMaker {
    const HedChart* chart;
    HedLoops* graph;
    HedError* error;
    HedChartNeedle old, fresh;
    HED_ARRAY(HedStitchPart) parts; ///< Of the stitches of the row at hand.
    HED_ARRAY(int32_t) lifted;      ///< Per gap of the old needle, from the left: loop, or -1.
    HED_ARRAY(int32_t)
    wanted; ///< Per gap of the new one, from the left: 0, or 1 if the next
            ///< row lifts it; then the loop, counted from 1.
    const HedChartRow* row;
    int32_t course;
    bool is_leftward;
    double widest;    ///< Slots of the widest row.
    double narrowest; ///< Smallest pitch of a flat row.
    int32_t bound;    ///< Last loop bound off, while a run of them goes on; -1 else.
    int32_t* last_at; ///< Per yarn: last row that uses it.
} HedChartMaker;

/// The same chart with its bobbles as short rows. Free it in any case.
HedStatus hed_chart_unroll(const HedChart* chart, HedChart* plain, HedError* error);
bool hed_chart_has_bobbles(const HedChart* chart);

/// Makes the loops of one stitch.
HedStatus hed_chart_stitch(HedChartMaker* m, const HedStitch* stitch, HedStitchPart part);

/// The yarn passes what hangs in a slot.
HedStatus hed_chart_pass(HedChartMaker* m, int32_t yarn, const HedSlot* slot, bool in_front);

/// Hangs the loop made last in a slot of the new needle; lifts the yarn behind it if it is wanted.
HedStatus hed_chart_hang(HedChartMaker* m, const HedStitch* stitch, int32_t slot, bool in_front);

/// Lays a loop; its number is the graph's last one.
HedStatus hed_chart_lay(HedChartMaker* m, const HedStitch* stitch, HedLoopKind kind, double slot);

/// Gaps are counted from the left: which one lies behind the first `worked` of count slots?
static inline int32_t hed_chart_gap(const HedChartMaker* m, int32_t worked, int32_t count) {
    return m->is_leftward ? count - worked : worked;
}

/// The column of the slot that is worked as number k (between two if not whole) of a needle.
double hed_chart_wale(const HedChartMaker* m, const HedChartNeedle* needle, double k);

#endif
