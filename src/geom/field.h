// SPDX-License-Identifier: MIT
// Signed distance fields of all shapes, in the shape's own frame.
#ifndef HED_GEOM_FIELD_H
#define HED_GEOM_FIELD_H

#include "geom/mesh_field.h"
#include "heddle/sim.h"

/// A shape and its size; each kind reads the fields named with it in HedShape.
typedef struct HedFieldDef {
    HedShape shape;
    double radius;           ///< m, sphere, capsule, cylinder; of the circle of a torus.
    double minor_radius;     ///< m, of the tube of a torus, less than radius.
    double half_length;      ///< m, along y; of a capsule without its caps.
    HedVec3 half_size;       ///< m, of a box.
    const HedVec3* vertices; ///< m, of a mesh; copied.
    int32_t vertex_count;
    const int32_t* triangles; ///< Of a mesh; copied.
    int32_t triangle_count;
} HedFieldDef;

/// Zero-initialise; free with hed_field_free. May be read by many threads at once.
typedef struct HedField {
    HedShape shape;
    double radius, minor_radius, half_length; ///< m
    HedVec3 half_size;                        ///< m
    HedMeshField* mesh;                       ///< Owned; NULL unless shape is HED_MESH.
} HedField;

/// Checks that the sizes the shape needs are positive and finite, without looking at meshes.
HedStatus hed_field_check(const HedFieldDef* def, HedError* error);

/// Makes a field. Sizes must be positive and finite; for meshes see hed_mesh_field_create. On
/// failure field is empty.
HedStatus hed_field_create(const HedFieldDef* def, HedField* field, HedError* error);

/// NULL and empty ones are allowed.
void hed_field_free(HedField* field);

/// Exact Euclidean distance to the surface, inside and outside, and a unit normal everywhere: where
/// several are equally right (centres, axes, edges) always the same one. p in m, in the shape's
/// frame, finite and below 1e150.
HedFieldSample hed_field_sample(const HedField* field, HedVec3 p);

/// The same if the signed distance is at most radius (m), so points deep inside count as near;
/// otherwise returns false, for far points of meshes sooner, and leaves sample alone.
bool hed_field_sample_near(const HedField* field, HedVec3 p, double radius, HedFieldSample* sample);

/// Smallest box around the solid; that of a plane is infinite but for its top at y = 0.
HedBox hed_field_bounds(const HedField* field);

#endif
