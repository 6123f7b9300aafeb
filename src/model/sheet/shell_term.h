// SPDX-License-Identifier: MIT
// Bending of the triangles of all sheets, as two terms: by angles, and by the quadratic form for
// sheets that rest flat and hardly stretch.
#ifndef HED_MODEL_SHEET_SHELL_TERM_H
#define HED_MODEL_SHEET_SHELL_TERM_H

#include "base/array.h"
#include "model/sheet/kernel_shell.h"
#include "state/groups.h"
#include "state/term.h"

typedef struct HedShellElement {
    int32_t point[HED_SHELL_POINTS]; // a missing neighbour repeats corner 0
    HedShellRest rest;
    double weight[3][4]; // of the quadratic model's vectors, in the order of each hinge
} HedShellElement;

/// Eight elements in one piece of memory, as bending by angles needs them. Padding has q = 0.
typedef struct HedShellGroup {
    int32_t point[HED_SHELL_POINTS][HED_LANES];
    double q[6][HED_LANES];
    double angle[3][HED_LANES];
} HedShellGroup;

typedef struct HedShellTerm {
    HED_ARRAY(HedShellElement) list; // filled by the sheets

    // Filled by prepare.
    HedGroups groups;
    HedShellGroup* group;
    int32_t* stencil;     // six points per element of the list
    double* damping_time; // s, per range: damping over stiffness
    int32_t* slot;        // fifteen per lane; NULL without a matrix
} HedShellTerm;

/// damping_time: one per range. Call once, when all elements are in the list.
HedStatus hed_shell_term_prepare(HedShellTerm* term, HedRanges ranges, const double* damping_time,
                                 HedError* error);
void hed_shell_term_free(HedShellTerm* term);

HedTerm hed_shell_term(HedShellTerm* term); ///< By angles.
HedTerm hed_flat_term(HedShellTerm* term);  ///< Quadratic.

/// Bending by angles (hinge_term.c): the functions of its term, and one element into a lane.
void hed_hinge_fill(const HedShellElement* element, HedShellGroup* group, int l);
HedPower hed_hinge_force(const void* self, const HedEval* at, int32_t range, HedVec3* force);
void hed_hinge_matrix(const void* self, const HedEval* at, int32_t range, HedMatrixScale scale,
                      HedMatrix* matrix);
void hed_hinge_energy(const void* self, const HedEval* at, int32_t range, double* energy);

#endif
