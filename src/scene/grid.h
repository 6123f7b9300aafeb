// SPDX-License-Identifier: MIT
// Rectangles of vertices and triangles.
#ifndef HED_SCENE_GRID_H
#define HED_SCENE_GRID_H

#include "scene/format.h"

/// Rows have equally many vertices, but for the equilateral style, whose odd rows have one more:
/// shifted by half a cell, with a vertex at either end so that the edges stay straight.
int64_t hed_grid_vertex_count(const HedSceneGrid* grid);
int64_t hed_grid_triangle_count(const HedSceneGrid* grid);

/// First vertex of a row, and how many it has.
int32_t hed_grid_row_start(const HedSceneGrid* grid, int32_t row);
int32_t hed_grid_row_size(const HedSceneGrid* grid, int32_t row);

/// Fills vertices. stretch scales across and down about the middle.
void hed_grid_vertices(const HedSceneGrid* grid, const double stretch[2], HedVec3* vertices);

/// Fills two numbers per vertex: metres across and metres up from the last row, at rest.
void hed_grid_uv(const HedSceneGrid* grid, double* uv);

/// Fills triangles, three indices each, all with their normals along down x across.
void hed_grid_triangles(const HedSceneGrid* grid, int32_t* triangles);

/// Calls visit with every vertex of a named part, in rising order, each once. NULL context allowed.
void hed_grid_part(const HedSceneGrid* grid, HedNamedPart part, void (*visit)(void*, int32_t),
                   void* context);

#endif
