// SPDX-License-Identifier: MIT
// The triangles of all sheets that stretch as a continuum, as one term.
#ifndef HED_MODEL_SHEET_MEMBRANE_TERM_H
#define HED_MODEL_SHEET_MEMBRANE_TERM_H

#include "base/array.h"
#include "model/sheet/kernel_membrane.h"
#include "state/groups.h"
#include "state/term.h"

typedef struct HedMembrane {
    int32_t point[3];
    double area;    // m^2, at rest
    double b[2][2]; // 1/m, gradients of the shape functions of corners 1 and 2
} HedMembrane;

/// What the membranes of one range are made of.
typedef struct HedMembraneMaterial {
    HedModulus elastic; // N/m
    HedModulus damping; // N s/m
    double density;     // kg/m^2
} HedMembraneMaterial;

/// What kernel_membrane.h needs of one of them.
static inline HedMembraneRest hed_membrane_rest(const HedMembrane* m,
                                                HedMembraneMaterial material) {
    double b1u = m->b[0][0], b1v = m->b[0][1], b2u = m->b[1][0], b2v = m->b[1][1];
    return (HedMembraneRest){
        .area = m->area,
        .b = {{-b1u - b2u, -b1v - b2v}, {b1u, b1v}, {b2u, b2v}},
        .elastic = material.elastic,
        .damping = material.damping,
    };
}

/// Eight triangles in one piece of memory.
typedef struct HedMembraneGroup {
    int32_t point[3][HED_LANES];
    double area[HED_LANES];
    double b[2][2][HED_LANES];
} HedMembraneGroup;

typedef struct HedMembraneTerm {
    HED_ARRAY(HedMembrane) list; // filled by the sheets

    // Filled by prepare.
    HedGroups groups;
    int32_t* stencil; // three points per triangle of the list
    HedMembraneGroup* group;
    HedMembraneMaterial* material; // per range
    int32_t* slot;                 // three per lane; NULL without a matrix
} HedMembraneTerm;

/// material: one per range. Call once, when all triangles are in the list.
HedStatus hed_membrane_term_prepare(HedMembraneTerm* term, HedRanges ranges,
                                    const HedMembraneMaterial* material, HedError* error);

/// Gives the triangles of the list another shape at rest: their b. Call after prepare.
void hed_membrane_term_reshape(HedMembraneTerm* term, HedRanges ranges, const double (*b)[2][2]);
void hed_membrane_term_free(HedMembraneTerm* term);

HedTerm hed_membrane_term(HedMembraneTerm* term);

#endif
