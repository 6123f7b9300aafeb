// SPDX-License-Identifier: MIT
// The ways to the vertices of a sheet, one file each. Private to src/scene.
#ifndef HED_SCENE_SHAPE_H
#define HED_SCENE_SHAPE_H

#include "scene/check.h"

/// Reads the mesh in the file named by a key; *path becomes the path from the scene's directory.
HedStatus hed_scene_read_mesh(HedSceneDraft* draft, const HedNode* owner, const char* key,
                              const char** path, HedMesh* mesh);

/// Tells at a place what went wrong below it.
HedStatus hed_scene_pass_on(HedSceneDraft* draft, HedLocation place, HedStatus status,
                            const HedError* why);

/// Fill the arrays of the sheet's def.
HedStatus hed_scene_shape_mesh(HedSceneDraft* draft, HedSceneSheet* sheet);
HedStatus hed_scene_shape_garment(HedSceneDraft* draft, HedSceneSheet* sheet);

/// A mesh as sheets need it: what the file calls its parts, and where messages about it point to.
typedef struct HedMeshCase {
    HedSceneDraft* draft;
    HedLocation place;
    const char* file;
    const HedMesh* mesh;
} HedMeshCase;

/// HED_PARSE about a triangle: "disc.obj:12: triangle 3 (vertices 0, 1, 2): " and what is wrong.
HedStatus hed_mesh_fail(const HedMeshCase* at, int32_t triangle, const char* hint,
                        const char* format, ...) HED_PRINTF(4, 5);

/// Triangles with area, no two of them the same, edges with two triangles at most, fronts that
/// agree. vertices (m): the shape at rest, one per vertex of the mesh.
HedStatus hed_mesh_check(const HedMeshCase* at, const HedVec3* vertices, bool mixed_fronts);

#endif
