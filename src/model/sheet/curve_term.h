// SPDX-License-Identifier: MIT
// Curvature elements of all sheets as one term, and those that only damp the bending of rods.
#ifndef HED_MODEL_SHEET_CURVE_TERM_H
#define HED_MODEL_SHEET_CURVE_TERM_H

#include "base/array.h"
#include "model/sheet/kernel_curve.h"
#include "state/groups.h"
#include "state/term.h"

typedef struct HedBend {
    int32_t point[3];
    HedCurveRest rest;
    double viscous; // J, in place of the stiffness, for damping alone; 0: the stiffness
} HedBend;

/// Eight elements in one piece of memory; damping is the range's damping time times viscous.
typedef struct HedCurveGroup {
    int32_t point[3][HED_LANES];
    double inverse0[HED_LANES];
    double inverse1[HED_LANES];
    double turn[HED_LANES];
    double stiffness[HED_LANES];
    double viscous[HED_LANES];
} HedCurveGroup;

typedef struct HedCurveTerm {
    HED_ARRAY(HedBend) list; // filled by the sheets

    // Filled by prepare: the elements once more, under each range they touch, eight to a group;
    // padded with elements of no stiffness.
    HedGroups groups;
    int32_t* stencil; // three points per element of the list
    HedCurveGroup* group;
    int32_t* slot;        // three per lane; NULL without a matrix
    double* damping_time; // s, per range: damping over stiffness
} HedCurveTerm;

/// damping_time: one per range. Call once, when all elements are in the list.
HedStatus hed_curve_term_prepare(HedCurveTerm* term, HedRanges ranges, const double* damping_time,
                                 HedError* error);
void hed_curve_term_free(HedCurveTerm* term);

HedTerm hed_curve_term(HedCurveTerm* term);

#endif
