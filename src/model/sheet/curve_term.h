// SPDX-License-Identifier: MIT
// Curvature elements of all sheets as one term.
#ifndef HED_MODEL_SHEET_CURVE_TERM_H
#define HED_MODEL_SHEET_CURVE_TERM_H

#include "base/array.h"
#include "model/sheet/kernel_curve.h"
#include "state/term.h"

typedef struct HedCurve {
    int32_t point[3];
    HedCurveRest rest;
} HedCurve;

typedef struct HedCurveTerm {
    HED_ARRAY(HedCurve) list; // filled by the sheets

    // Filled by prepare: the elements once more, under each range they touch, in lanes; padded with
    // elements of no stiffness.
    int32_t* first; // per range
    int32_t* point[3];
    double* inverse[2];
    double* turn;
    double* stiffness;
    double* damping;
} HedCurveTerm;

HedStatus hed_curve_term_prepare(HedCurveTerm* term, HedRanges ranges, HedError* error);
void hed_curve_term_free(HedCurveTerm* term);

HedTerm hed_curve_term(HedCurveTerm* term);

#endif
