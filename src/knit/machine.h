// SPDX-License-Identifier: MIT
// A knitting machine of two beds: needles with stacks of loops, carriers with yarn, a yarn hook. It
// does one operation after another and writes the loop graph.
#ifndef HED_KNIT_MACHINE_H
#define HED_KNIT_MACHINE_H

#include "base/text.h"
#include "heddle/knitout.h"
#include "knit/beds.h"
#include "knit/loops.h"

enum {
    HED_NEEDLE_MOST = 4096, // needles are numbered from -this to this
    HED_NEEDLE_ROWS = 4,    // needles of a number: front and back, each with a slider
    HED_STACK_MOST = 256,   // loops on a needle with which another is made
    HED_RACK_MOST = 64,
    HED_CARRIER_MOST = 64,
    HED_CARRIER_NAME = 24
};

typedef enum HedBed { HED_BED_FRONT, HED_BED_BACK } HedBed;

typedef struct HedNeedle {
    HedBed bed;
    bool is_slider;
    int32_t number;
} HedNeedle;

/// Loops on a needle, chained by `next` of the machine.
typedef struct HedNeedleStack {
    int32_t first, last; // -1 if it is empty
} HedNeedleStack;

typedef struct HedCarrier {
    char name[HED_CARRIER_NAME];
    bool is_active;
    bool is_hooked;
    int32_t yarn; // in the graph; -1 before its first loop
    int32_t loop; // its last one; -1 for none
    int32_t stitch_count;
    bool is_leftward;  // the way it went last
    bool came_against; // to its last loop, which was made the other way
    bool has_color;
    uint32_t color;
} HedCarrier;

/// A loop of the front bed and one of the back bed that moved past, onto or off each other.
typedef struct HedLoopMeeting {
    int32_t front, back;
    int8_t before, after; // 1 if the back one was (is) at the right, -1 at the left, 0 at one place
} HedLoopMeeting;

/// Zero-initialise all but needs; hed_machine_begin allocates, hed_machine_free frees.
typedef struct HedMachine {
    const char* name; // of the program, for messages
    int32_t line;     // present one
    HedError* error;
    HedLoops* graph;
    HedBedLog* log;    // what happens to loops; NULL: it is not written
    int32_t operation; // of the log
    HedKnitoutFacts facts;
    double rack;       // back needle i faces front needle i + rack
    bool has_carriers; // the header lists them
    HedCarrier carriers[HED_CARRIER_MOST];
    int32_t carrier_count;
    int32_t reach;           // there is room for needles from -reach to reach
    HedNeedleStack* stacks;  // by number, bed and slider
    int32_t* tops;           // the same: lowest course above the loops that fell off
    int32_t highest;         // course of any loop
    HED_ARRAY(int32_t) next; // per loop: the one above it on its needle
    HED_ARRAY(HedLoopMeeting) meetings;
} HedMachine;

/// The carriers of one operation, in order.
typedef struct HedCarrierSet {
    int32_t items[HED_CARRIER_MOST];
    int32_t count;
} HedCarrierSet;

HedStatus hed_machine_begin(HedMachine* machine);

/// Makes room for needles with this number, from -HED_NEEDLE_MOST to HED_NEEDLE_MOST; before each
/// operation that names them. Stacks move.
HedStatus hed_machine_reach(HedMachine* machine, int32_t number);
void hed_machine_free(HedMachine* machine);

/// HED_PARSE at the present line.
HedStatus hed_machine_fail(const HedMachine* machine, const char* format, ...) HED_PRINTF(2, 3);

/// The number of a carrier. One that is not listed is added if the header lists none.
HedStatus hed_machine_carrier(HedMachine* machine, HedSpan name, int32_t* carrier);

HedStatus hed_machine_in(HedMachine* machine, const HedCarrierSet* set);
HedStatus hed_machine_inhook(HedMachine* machine, const HedCarrierSet* set);
HedStatus hed_machine_release(HedMachine* machine, const HedCarrierSet* set);
HedStatus hed_machine_out(HedMachine* machine, const HedCarrierSet* set);
HedStatus hed_machine_outhook(HedMachine* machine, const HedCarrierSet* set);
HedStatus hed_machine_knit(HedMachine* machine, HedNeedle needle, bool is_leftward,
                           const HedCarrierSet* set);
HedStatus hed_machine_tuck(HedMachine* machine, HedNeedle needle, bool is_leftward,
                           const HedCarrierSet* set);
HedStatus hed_machine_miss(HedMachine* machine, HedNeedle needle, bool is_leftward,
                           const HedCarrierSet* set);
HedStatus hed_machine_transfer(HedMachine* machine, HedNeedle from, HedNeedle to);
HedStatus hed_machine_split(HedMachine* machine, HedNeedle needle, HedNeedle to, bool is_leftward,
                            const HedCarrierSet* set);
HedStatus hed_machine_rack(HedMachine* machine, double rack);

/// Where a needle stands: columns are numbered as the front needles.
static inline double hed_machine_wale(const HedMachine* m, HedNeedle n) {
    return n.bed == HED_BED_FRONT ? n.number : n.number + m->rack;
}

/// Whether a needle with this number may hold something.
static inline bool hed_needle_exists(const HedMachine* m, int32_t number) {
    return number >= -m->reach && number <= m->reach;
}

/// The loops on a needle within reach.
static inline HedNeedleStack* hed_needle_stack(const HedMachine* m, HedNeedle n) {
    int32_t row = 2 * (n.bed == HED_BED_BACK) + n.is_slider;
    HED_ASSERT(hed_needle_exists(m, n.number));
    return &m->stacks[HED_NEEDLE_ROWS * (n.number + m->reach) + row];
}

static inline int32_t hed_stack_count(const HedMachine* m) {
    return HED_NEEDLE_ROWS * (2 * m->reach + 1);
}

static inline int32_t hed_needle_count(const HedMachine* m, const HedNeedleStack* stack) {
    int32_t count = 0;
    for (int32_t loop = stack->first; loop >= 0; loop = m->next.data[loop]) {
        ++count;
    }
    return count;
}

/// Write events of the present operation: one for each loop of a needle, with the rank that it has
/// there; or for those from a rank on. hed_machine_log_next begins another operation.
HedStatus hed_machine_log(HedMachine* machine, HedBedEventKind kind, HedNeedle needle);
HedStatus hed_machine_log_above(HedMachine* machine, HedBedEventKind kind, HedNeedle needle,
                                int32_t rank);
void hed_machine_log_next(HedMachine* machine);

/// The same of one loop that was made.
HedStatus hed_machine_log_made(HedMachine* machine, HedNeedle needle, bool is_leftward,
                               int32_t loop, int32_t rank);

/// Counts what is left, writes cables into the graph and finishes it.
HedStatus hed_machine_end(HedMachine* machine);

#endif
