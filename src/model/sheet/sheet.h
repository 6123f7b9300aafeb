// SPDX-License-Identifier: MIT
// From a sheet's def to points, springs and bending elements.
#ifndef HED_MODEL_SHEET_SHEET_H
#define HED_MODEL_SHEET_SHEET_H

#include "heddle/sim.h"
#include "model/sheet/curve_term.h"
#include "model/sheet/membrane_term.h"
#include "model/sheet/shell_term.h"
#include "model/sheet/spring_term.h"

/// Everything a sheet brings into a simulation. Points are numbered along a space-filling curve, so
/// that neighbours in the cloth are neighbours in memory; order[k] is the def's vertex at point k
/// and place its inverse. All indices are of points, counted from 0. Free with
/// hed_sheet_parts_free.
typedef struct HedSheetParts {
    int32_t point_count;
    int32_t* order;
    int32_t* place;
    double* area; // m^2, per point, at rest
    int32_t* triangles;
    int32_t triangle_count;
    int32_t*
        wind_triangles; // a grid's quads cut both ways, so that no diagonal shows; else triangles
    int32_t wind_count;
    int32_t* edges; // two per edge
    int32_t edge_count;
    HED_ARRAY(HedSpring) springs;
    HED_ARRAY(HedBend) curves;
    HED_ARRAY(HedMembrane) membranes;
    HED_ARRAY(HedShellElement) shells;
} HedSheetParts;

/// Checks the def (values, finite vertices, triangles, area) and builds its parts.
HedStatus hed_sheet_parts_create(const HedSheetDef* def, HedSheetParts* parts, HedError* error);
void hed_sheet_parts_free(HedSheetParts* parts);

#endif
