// SPDX-License-Identifier: MIT
// The loop graph of a knitted fabric: which loop goes through which, and how the yarns run.
//
// Everything is said as seen from the face of the fabric. A loop is a bight of yarn with two feet,
// two legs and a head. It is pulled through the heads of its *parents*: from behind to the front
// (knit) or from the front to behind (purl). Loops without parents are only laid: cast on, made
// over the needle, tucked. A loop may have several parents (a decrease, a tuck) and several
// children (an increase, a split).
//
// Readers fill the graph in the order of working: a loop is added after its parents. Each yarn has
// a path of *steps*: its loops, and between them the held loops that it passes.
#ifndef HED_KNIT_LOOPS_H
#define HED_KNIT_LOOPS_H

#include "base/array.h"
#include "base/status.h"

typedef enum HedLoopKind {
    HED_LOOP_STITCH,    ///< Pulled through its parents, one or more.
    HED_LOOP_CAST_ON,   ///< Laid at the edge, on an empty needle. No parents.
    HED_LOOP_YARN_OVER, ///< Laid between two loops. No parents.
    HED_LOOP_LIFTED,    ///< The yarn between two loops, lifted later (make one). No parents.
    HED_LOOP_TUCK,      ///< Laid on a needle that holds loops. No parents.
    HED_LOOP_BIND_OFF,  ///< Pulled through a loop and through the last one bound off.
    HED_LOOP_END,       ///< Half a loop: the end of the yarn, drawn through its parents.
    HED_LOOP_KINDS
} HedLoopKind;

const char* hed_loop_kind_name(HedLoopKind kind); ///< "stitch", "cast-on", "yarn-over", ...

/// A loop as it is added.
typedef struct HedLoop {
    HedLoopKind kind;
    int32_t yarn;
    int32_t course;   ///< Row or round in which it is made; not less than those of its parents.
    double wale;      ///< Where its feet stand, in columns from the left. In rounds it wraps.
    bool is_purl;     ///< Pulled from the front to behind; of loops without parents: how they lie.
    bool is_twisted;  ///< Its legs cross: the yarn makes a whole turn.
    bool is_leftward; ///< The yarn enters at the right foot and leaves at the left one.
    int32_t layer;  ///< Sheet in which it lies, 0 in front: tubes on two beds have a back sheet, 1.
    int32_t plate;  ///< A loop that this one lies along (plating); -1 for none.
    int32_t bundle; ///< Loops that share its column with it, itself among them (a bobble); 0: none.
    int32_t line;   ///< Of the file that asked for it, for messages; 0 for none.
    char bed;       ///< Of the machine: 'f' or 'b', and the number of the needle; 0 for none.
    int32_t needle;
} HedLoop;

HedLoop hed_loop_default(void); ///< A knit stitch of yarn 0 at course 0, wale 0.

/// A yarn, or the carrier that brings it.
typedef struct HedLoopYarn {
    const char* name; ///< Copied.
    uint32_t color;   ///< 0xRRGGBB.
    bool has_color;
    int32_t first_step, step_count; ///< Filled by hed_loops_finish.
} HedLoopYarn;

typedef enum HedStepKind {
    HED_STEP_LOOP,        ///< The yarn makes the loop.
    HED_STEP_PASS_FRONT,  ///< It passes in front of the loop, which is held (a float).
    HED_STEP_PASS_BEHIND, ///< It passes behind the loop.
    HED_STEP_KINDS
} HedStepKind;

typedef struct HedLoopStep {
    HedStepKind kind;
    int32_t yarn;
    int32_t loop;
} HedLoopStep;

/// Two live loops that change places: `over` passes in front of `under` (a cable).
typedef struct HedLoopSwap {
    int32_t over, under;
} HedLoopSwap;

/// Zero-initialise; free with hed_loops_free.
typedef struct HedLoops {
    bool is_round;             ///< Courses are rounds: the end of one joins the start of the next.
    double round_wales;        ///< Columns of the widest round, if is_round: wales wrap there.
    HED_ARRAY(double) widths;  ///< Per course: loops on the needle after it; see hed_loops_width.
    HED_ARRAY(double) pitches; ///< Per course, of flat ones: see hed_loops_pitch.
    HED_ARRAY(HedLoopYarn) yarns;
    HED_ARRAY(char*) names; // of the yarns, owned
    HED_ARRAY(HedLoop) loops;
    HED_ARRAY(int32_t) first_parents; ///< Per loop, one more at the end: its part of parents.
    HED_ARRAY(int32_t) parents;       ///< From the face backwards: the first lies in front.
    HED_ARRAY(HedLoopStep) steps;     ///< As added; after hed_loops_finish yarn by yarn.
    HED_ARRAY(HedLoopSwap) swaps;
    // hed_loops_finish
    int32_t* first_children; ///< Per loop, one more at the end.
    int32_t* children;       ///< In the order in which they were made.
    int32_t* loop_steps;     ///< Per loop: its own step.
    int32_t live_count;      ///< Loops that no other goes through; the ends of yarns do not count.
    int32_t course_count;
    bool is_finished;
    int32_t laid_count; ///< Make-ones of a chart without a yarn to lift: a loop was laid instead.
} HedLoops;

void hed_loops_free(HedLoops* graph);

HedStatus hed_loops_add_yarn(HedLoops* graph, const HedLoopYarn* yarn, HedError* error);

/// Adds a loop at the end of its yarn's path; its number is graph->loops.count - 1 then. Refused:
/// unknown yarns and parents, parents given twice, parents of a later course, kinds that must have
/// parents without them and the other way round, numbers that are not finite.
HedStatus hed_loops_add(HedLoops* graph, const HedLoop* loop, const int32_t* parents,
                        int32_t parent_count, HedError* error);

/// The yarn passes a held loop without making one.
HedStatus hed_loops_pass(HedLoops* graph, int32_t yarn, int32_t loop, bool in_front,
                         HedError* error);

/// Two live loops change places.
HedStatus hed_loops_swap(HedLoops* graph, int32_t over, int32_t under, HedError* error);

/// Says how many loops are on the needle after a course (those held included): the size of a round.
HedStatus hed_loops_set_width(HedLoops* graph, int32_t course, double width, HedError* error);

/// What was said, or of the last course before it; the columns of a round if nothing was.
double hed_loops_width(const HedLoops* graph, int32_t course);

/// Says how many columns a loop of a course has for itself, in a row that was spread or gathered.
HedStatus hed_loops_set_pitch(HedLoops* graph, int32_t course, double pitch, HedError* error);

/// What was said, or of the last course of which it was; 1 if nothing was.
double hed_loops_pitch(const HedLoops* graph, int32_t course);

/// Orders steps by yarn, lists children, counts live loops. Refused: graphs without loops, yarns
/// without loops, a tuck that the next loop does not take up together with others.
HedStatus hed_loops_finish(HedLoops* graph, HedError* error);

/// A finished copy of a finished graph in which turned loops are told from their other side: right
/// is left, knit is purl, in front is behind. Free it in any case.
HedStatus hed_loops_turn(const HedLoops* graph, const bool* is_turned, HedLoops* copy,
                         HedError* error);

static inline int32_t hed_parent_count(const HedLoops* graph, int32_t loop) {
    return graph->first_parents.data[loop + 1] - graph->first_parents.data[loop];
}

static inline const int32_t* hed_parents(const HedLoops* graph, int32_t loop) {
    return graph->parents.data ? graph->parents.data + graph->first_parents.data[loop] : NULL;
}

static inline int32_t hed_child_count(const HedLoops* graph, int32_t loop) {
    return graph->first_children[loop + 1] - graph->first_children[loop];
}

static inline const int32_t* hed_children(const HedLoops* graph, int32_t loop) {
    return graph->children + graph->first_children[loop];
}

enum { HED_LOOP_NAME = 160 };

/// "loop 17 (knit stitch, course 3, wale 4)", with needle and line if there are; returns buffer.
const char* hed_loop_name(const HedLoops* graph, int32_t loop, char buffer[HED_LOOP_NAME]);

/// HED_INVALID: "LOOP does something to OTHER in some way". It begins with the line of the first
/// loop and a colon if it has one.
HedStatus hed_loops_fail_pair(const HedLoops* graph, int32_t loop, int32_t other, const char* does,
                              const char* how, HedError* error);

#endif
