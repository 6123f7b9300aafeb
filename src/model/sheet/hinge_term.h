// SPDX-License-Identifier: MIT
// Bending between neighbouring triangles of all sheets, as two terms: by angle, and by the
// quadratic form for sheets that stay nearly flat.
#ifndef HED_MODEL_SHEET_HINGE_TERM_H
#define HED_MODEL_SHEET_HINGE_TERM_H

#include "base/array.h"
#include "model/sheet/kernel_flat.h"
#include "model/sheet/kernel_hinge.h"
#include "state/groups.h"
#include "state/term.h"

/// Two triangles on an edge: its ends, then the points opposite.
typedef struct HedFold {
    int32_t point[4];
    double stiffness; // J
    double angle;     // rad, at rest
    double weight[4]; // of the quadratic form, over the edge's length: stiffness is in J there too
} HedFold;

typedef struct HedFoldTerm {
    HED_ARRAY(HedFold) list; // filled by the sheets

    // Filled by prepare.
    HedGroups groups;
    int32_t* stencil;     // four points per fold of the list
    double* damping_time; // s, per range: damping over stiffness
    int32_t* slot;        // six per lane; NULL without a matrix
} HedFoldTerm;

/// damping_time: one per range. Call once, when all folds are in the list.
HedStatus hed_fold_term_prepare(HedFoldTerm* term, HedRanges ranges, const double* damping_time,
                                HedError* error);
void hed_fold_term_free(HedFoldTerm* term);

HedTerm hed_hinge_term(HedFoldTerm* term); ///< By angle.
HedTerm hed_flat_term(HedFoldTerm* term);  ///< Quadratic.

#endif
