// SPDX-License-Identifier: MIT
// Knitting charts: rows of stitches as they are worked, and the loop graph that they make.
//
// Rows are flat by default: the first one is worked on the right side (the face), from right to
// left, the next on the wrong side, from left to right, and so on. In rounds every row is on the
// right side. Stitches are named as the worker sees them: knit on the wrong side is purl on the
// face.
#ifndef HED_KNIT_CHART_H
#define HED_KNIT_CHART_H

#include "knit/loops.h"

typedef enum HedStitchKind {
    HED_STITCH_KNIT,      ///< k, p, k1tbl
    HED_STITCH_YARN_OVER, ///< yo
    HED_STITCH_DECREASE,  ///< k2tog, ssk, k3tog, p2tog, cdd: `consumed` loops become one
    HED_STITCH_INCREASE,  ///< kfb: one loop becomes `produced`, by turns knit and purl
    HED_STITCH_MAKE_ONE,  ///< m1: the yarn between two loops of the row below is lifted
    HED_STITCH_SLIP,      ///< sl: the loop is held, the yarn passes it
    HED_STITCH_TUCK,      ///< tuck: the loop is held, and another laid with it
    HED_STITCH_CABLE,     ///< 2/2 LC: `front` loops cross over `back` others
    HED_STITCH_CAST_ON,   ///< co: a new loop at the edge, or between two loops
    HED_STITCH_BIND_OFF,  ///< bo
    HED_STITCH_WAIT,      ///< A loop that is not reached: the yarn turns before it (short rows).
    HED_STITCH_WRAP,      ///< The same, and the yarn goes round it before it turns.
    HED_STITCH_DROP,      ///< The loop falls off the needle: nothing holds it.
    HED_STITCH_BOBBLE, ///< mb: a loop becomes `produced`, which are worked back and taken together
    HED_STITCH_KINDS
} HedStitchKind;

typedef enum HedLean {
    HED_LEAN_RIGHT, ///< As k2tog: what is worked last lies in front.
    HED_LEAN_LEFT,  ///< As ssk: what is worked first lies in front.
    HED_LEAN_CENTER ///< The loop in the middle lies in front.
} HedLean;

/// What an increase makes out of its loop.
typedef enum HedIncrease {
    HED_INCREASE_ALTERNATE, ///< Knit and purl by turns.
    HED_INCREASE_PLAIN,     ///< All alike: through the front and the back of it.
    HED_INCREASE_YARN_OVER  ///< With a yarn-over between any two: k1, yo, k1.
} HedIncrease;

typedef enum HedFloat {
    HED_FLOAT_WRONG_SIDE, ///< On the wrong side of the fabric.
    HED_FLOAT_BACK,       ///< On the side away from the worker.
    HED_FLOAT_FRONT       ///< On the side of the worker.
} HedFloat;

enum { HED_STITCH_MOST = 12 }; ///< Loops that one stitch may take or make.

typedef struct HedStitch {
    HedStitchKind kind;
    bool is_purl;
    bool is_twisted;      ///< Through the back of the loop: the legs of the old loop cross.
    int32_t consumed;     ///< Of a decrease.
    int32_t produced;     ///< Of an increase.
    HedIncrease increase; ///< Of an increase.
    HedLean lean;         ///< Of a decrease.
    int32_t front, back;  ///< Of a cable: loops of each group.
    int32_t middle;       ///< Of a cable: loops that stay between the groups, behind both.
    bool is_left;         ///< Of a cable: the front group goes to the left.
    bool is_back_purl;    ///< Of a cable: the back group is purled,
    bool is_middle_purl;  ///< and the middle is;
    bool is_middle_over;  ///< the middle lies in front of the back group;
    bool is_front_slip;   ///< the front group is slipped, not worked.
    bool is_bundled;      ///< Its loops share one column with others of a bobble.
    HedFloat float_side;  ///< Of a slipped stitch.
    int32_t yarn;         ///< From 0.
    int32_t line, column; ///< In its text, from 1, for messages; 0 if there is none.
} HedStitch;

HedStitch hed_stitch_default(HedStitchKind kind); ///< Of one loop, made with yarn 0.

/// Loops that a stitch takes from the row below and leaves for the row above.
int32_t hed_stitch_consumed(const HedStitch* stitch);
int32_t hed_stitch_produced(const HedStitch* stitch);

typedef struct HedChartRow {
    int32_t first, count; ///< Its stitches.
    int32_t number;       ///< As the author counts, for messages.
    bool is_wrong_side;
    int32_t line; ///< 0 if there is none.
} HedChartRow;

/// Zero-initialise; free with hed_chart_free.
typedef struct HedChart {
    const char* name; ///< For messages; borrowed.
    bool is_round;
    int32_t cast_on; ///< Loops before the first row.
    int32_t yarn_count;
    HED_ARRAY(HedChartRow) rows;
    HED_ARRAY(HedStitch) stitches;
    char** notes; ///< What is odd about its text but was accepted.
    int32_t note_count, note_capacity;
} HedChart;

void hed_chart_free(HedChart* chart);

/// Starts a row on the side that follows from the last one; change it in the last row if needed.
HedStatus hed_chart_add_row(HedChart* chart, HedError* error);

/// Puts a stitch at the end of the last row.
HedStatus hed_chart_add_stitch(HedChart* chart, const HedStitch* stitch, HedError* error);

/// Every row takes what the one before it leaves. Failures name row and stitch.
HedStatus hed_chart_check(const HedChart* chart, HedError* error);

/// The graph of a chart, finished. Free it in any case.
HedStatus hed_chart_loops(const HedChart* chart, HedLoops* graph, HedError* error);

#endif
