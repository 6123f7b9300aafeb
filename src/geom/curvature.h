// SPDX-License-Identifier: MIT
// Curvature of triangle meshes and of yarn curves, at their vertices.
#ifndef HED_GEOM_CURVATURE_H
#define HED_GEOM_CURVATURE_H

#include "base/status.h"
#include "heddle/file.h"

/// A part of a mesh: triangles over the vertices first, ..., first + count - 1.
typedef struct HedSurfacePart {
    const HedVec3* vertices; ///< m, those before `first` included; finite.
    int32_t first;
    int32_t count;
    const int32_t* triangles; ///< Three vertices each, all in the part.
    int32_t triangle_count;
} HedSurfacePart;

/// Fills values (1/m, part.count of them) with the size of the mean curvature. Vertices on a
/// boundary take the mean of their neighbours inside, or, without any, of those neighbours that got
/// a value this way. NaN where that gives nothing: vertices without triangles, and sheets that are
/// all boundary.
HedStatus hed_surface_curvature(HedSurfacePart part, double* values, HedError* error);

/// Fills values (1/m, curve->count of them) with the curvature of the Catmull-Rom curve at its
/// vertices: the mean of both sides, one side at the ends of an open curve. vertices are those of
/// all curves. 0 where the curve stands still.
void hed_curve_curvature(const HedVec3* vertices, const HedCurve* curve, float* values);

#endif
