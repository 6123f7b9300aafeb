// SPDX-License-Identifier: MIT
// Triangle meshes of shapes, for looking at and for files.
#ifndef HED_GEOM_SHAPE_MESH_H
#define HED_GEOM_SHAPE_MESH_H

#include "geom/field.h"
#include "heddle/file.h"

/// Makes triangles for a shape in its own frame, facing outwards, every vertex on the surface.
/// A plane becomes a square of half side plane_half_size (m, positive; not read for other shapes);
/// all others are closed. HED_MESH is copied as it is given. The arrays of mesh are allocated with
/// hed_alloc and are the caller's; on failure mesh is empty.
HedStatus hed_shape_mesh_create(const HedFieldDef* def, double plane_half_size, HedMesh* mesh,
                                HedError* error);

#endif
