// SPDX-License-Identifier: MIT
// Contacts of yarns that cross without sharing a node: of two sliding cloths, or of distant parts
// of one (docs/eol.md, section 9).
//
// A contact is a pair of places (u, v) along two yarns; both points are interpolated between nodes
// (model/eol/kernel_touch.h). It has no unknowns in the system: whatever the nodes, u and v are
// those for which its own energy is least, so that energy is a function of the nodes alone. With W
// the weights of its three directions, G their derivatives by the nodes' unknowns and P by u and v,
// and F the matrix of its friction, its matrix is
//   G' (W - W P (P' W P + F)^-1 P' W) G.
// Which contacts there are is found once a step; what they remember stands in `memory`, sorted by
// their yarns, and is written when a step is accepted only.
#ifndef HED_EOL_TOUCH_H
#define HED_EOL_TOUCH_H

#include "base/array.h"
#include "contact/kernel_friction.h"
#include "eol/eol.h"
#include "geom/bvh.h"
#include "model/eol/kernel_touch.h"

enum { HED_TOUCH_MEMORY = 9, HED_TOUCH_UNKNOWNS = 24 };

/// What a contact keeps from step to step: numbers, as they are saved.
typedef struct HedTouchMemory {
    double yarn[2];   // of all cloths, the first one the lower
    double u[2];      // m
    double anchor[2]; // m, of friction
    double normal;    // N, normal force at the end of the last step
    double side;      // HedEolTouchLaw
    double distance;  // m, that it keeps: less than others if it began nearer
} HedTouchMemory;

/// What friction adds by u and v, at the trial state.
typedef struct HedTouchRub {
    double energy; // J
    double g[2];   // N
    double h[3];   // N/m: uu, uv, vv
    double slide;  // share of the slip by which the anchors follow after the step
    double heat;   // J, that goes with it
} HedTouchRub;

typedef struct HedTouchContact {
    HedTouchMemory is; // at the start of the step
    int32_t cloth[2];
    int32_t place[2]; // where u lies between this one and the next
    HedEolTouchLaw law;
    HedSlipMetric metric; // of friction: of u and v
    HedFriction friction;
    double spacing; // m

    // At the trial state.
    double u[2];
    HedEolTouch touch;
    HedTouchRub rub;
    int32_t node[6]; // of yarn 0, then of yarn 1
    uint8_t slot[6];
    double share[3][3]; // of the last matrix
    double slip[2];     // m, then; 0 if it stuck
    double bound;       // of friction, then (contact/kernel_friction.h)
    bool acts;          // it is not 0
} HedTouchContact;

/// A piece of yarn between two nodes.
typedef struct HedTouchPiece {
    int32_t cloth;
    int32_t yarn;
    int32_t place;
} HedTouchPiece;

typedef struct HedTouchCloth {
    HedEol* eol;
    int32_t first_yarn; // in the count of all cloths
    int32_t first;      // of its unknowns in vectors
    bool is_knit;       // whose loops keep their own distance
    double* own;        // HED_NODE_DIAGONAL per node: of contacts in the last matrix
    double* corner;     // m, per place: how far corners are rounded, in this step
    HedVec3* force;     // N, per node, of contacts at the end of the last step
} HedTouchCloth;

typedef HED_ARRAY(HedTouchMemory) HedTouchMemories;

typedef struct HedTouches {
    const HedTeam* team;
    double friction; // Coulomb
    HED_ARRAY(HedTouchCloth) cloths;
    HedTouchMemories memory;             // at the start of the step
    HED_ARRAY(HedTouchContact) contacts; // of the step, in the order of memory
    double energy;                       // J, at the end of the last step
    double slip_begins;                  // bound of friction for what begins to slip

    // Scratch of the search.
    HED_ARRAY(HedTouchPiece) pieces;
    HED_ARRAY(HedBox) boxes;
    HED_ARRAY(int32_t) found;
    HED_ARRAY(int32_t) next; // per contact: the next one of its bucket, -1: none
    HED_ARRAY(int32_t) head; // per bucket
} HedTouches;

/// Zero-initialise, set team and friction, add cloths; free with hed_touches_free.
HedStatus hed_touches_add(HedTouches* touches, HedEol* eol, bool is_knit, HedError* error);
void hed_touches_free(HedTouches* touches);

/// A step begins, of cloths that have begun it: which contacts there are.
HedStatus hed_touches_begin(HedTouches* touches, HedError* error);

/// Whether the trial states of the cloths can be, as far as contacts go: none has passed through,
/// or nearly.
bool hed_touches_can_be(HedTouches* touches);

/// J, at the trial states; takes gradients from the residual. Infinite where that cannot be.
double hed_touches_evaluate(HedTouches* touches, double* residual);

/// The matrix at the trial states: `own` of cloths, and the rest for hed_touches_multiply. is_wary:
/// the last correction went too far, so that all that slides is bounded from above.
void hed_touches_linearise(HedTouches* touches, bool is_wary);

/// y += what couples different nodes times x.
void hed_touches_multiply(const HedTouches* touches, const double* x, double* y);

/// Limits of friction from the normal forces at the trial states in place of those of the last
/// step. Returns by how much they changed, over the larger of both sums.
double hed_touches_renew(HedTouches* touches);

/// The trial states are the end of the step. Returns the energy (J) that went into heat.
double hed_touches_accept(HedTouches* touches);

/// Copies memory; false without room for it.
bool hed_touches_copy(const HedTouchMemories* from, HedTouchMemories* to);

/// Sum of the normal forces (N) at the end of the last step, and how many contacts have one.
double hed_touches_load(const HedTouches* touches, int32_t* count);

/// Whether what was read from a file can be memory.
bool hed_touches_are_memory(const HedTouches* touches, const HedTouchMemories* memory);

/// The spring of a contact that holds is ten times as stiff as the contact.
static inline HedFriction hed_touch_limit(const HedTouchContact* c, double limit) {
    return (HedFriction){limit, limit / (10.0 * c->law.tracking)};
}

/// Of a yarn's place: the one after it (1) or before it (-1) among its own.
static inline int32_t hed_touch_beside(const HedYarnPacks* bands, int32_t place, int32_t step) {
    return bands->place_of[bands->visit[place + step * HED_YARN_PACK]];
}

/// The place after which u lies at q, from one that is near it; the outermost one beyond the ends.
int32_t hed_touch_locate(const HedEol* eol, const double* q, int32_t place, double u);

/// The three nodes about u at q.
typedef struct HedTouchSide {
    double q[HED_TOUCH_NODES];
    int32_t node[3];
    uint8_t slot[3];
    double corner;
} HedTouchSide;

HedTouchSide hed_touch_side(const HedTouchCloth* cloth, const double* q, int32_t place, double u);

#endif
