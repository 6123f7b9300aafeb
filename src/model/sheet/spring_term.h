// SPDX-License-Identifier: MIT
// All springs of all sheets as one term: structural, shearing and bending ones.
#ifndef HED_MODEL_SHEET_SPRING_TERM_H
#define HED_MODEL_SHEET_SPRING_TERM_H

#include "base/array.h"
#include "state/groups.h"
#include "state/term.h"

typedef enum HedSpringKind {
    HED_SPRING_STRETCH,
    HED_SPRING_SHEAR,
    HED_SPRING_BEND,
    HED_SPRING_KINDS
} HedSpringKind;

typedef struct HedSpring {
    int32_t a, b; // points, a < b
    int32_t kind;
    double length;    // m, at rest
    double stiffness; // N/m
} HedSpring;

/// Eight springs in one piece of memory: one stream to read, whatever the number of springs.
typedef struct HedSpringGroup {
    int32_t a[HED_LANES];
    int32_t b[HED_LANES];
    double length[HED_LANES];
    double stiffness[HED_LANES];
} HedSpringGroup;

typedef struct HedSpringTerm {
    HED_ARRAY(HedSpring) list; // filled by the sheets; sorted by (a, b) in prepare

    // Filled by prepare: springs once more, under each range they touch, eight to a group; padded
    // with springs of no stiffness. Group g holds the springs HED_LANES * g and following of kind
    // and slot.
    HedGroups groups;
    int32_t* stencil; // two points per spring of the list
    HedSpringGroup* group;
    uint8_t* kind;
    int32_t* slot;        // of the block (a, b) in the matrix; NULL without one
    double* damping_time; // s, per range: damping over stiffness
} HedSpringTerm;

/// damping_time: one per range. Call once, when all springs are in the list.
HedStatus hed_spring_term_prepare(HedSpringTerm* term, HedRanges ranges, const double* damping_time,
                                  HedError* error);

void hed_spring_term_free(HedSpringTerm* term);

HedTerm hed_spring_term(HedSpringTerm* term);

#endif
