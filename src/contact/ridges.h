// SPDX-License-Identifier: MIT
// Where ridges and corners of mesh bodies are nearest to edges and faces of sheets.
//
// Along an edge of a sheet, and over a face, the distance to a body may have many minima, and to a
// mesh each that is not at a vertex of the sheet is over a ridge of the mesh or over one of its
// corners. So all are found by looking at the ridges in reach.
#ifndef HED_CONTACT_RIDGES_H
#define HED_CONTACT_RIDGES_H

#include "geom/mesh_field.h"

enum { HED_PLACES = 4 }; // of one edge or face that are kept: the deepest

/// A place on an edge, at[0] of the way from its first end, or on a face, by its first two weights.
typedef struct HedPlace {
    double at[2];
    double distance; // m
} HedPlace;

typedef struct HedPlaces {
    HedPlace place[HED_PLACES];
    int32_t count;
} HedPlaces;

/// Adds the places nearer than reach (m) of an edge (corner_count 2) or a face (3) with corners as
/// the mesh sees them. What is beside a place of the list and no deeper is left out. False if there
/// is no memory.
bool hed_ridges_find(const HedMeshField* mesh, const HedVec3* corner, int32_t corner_count,
                     double reach, HedPlaces* places);

#endif
