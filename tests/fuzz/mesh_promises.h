// SPDX-License-Identifier: MIT
// What every mesh reader promises, whatever it is fed.
#ifndef TESTS_FUZZ_MESH_PROMISES_H
#define TESTS_FUZZ_MESH_PROMISES_H

#include "heddle/file.h"

#include <math.h>
#include <stdlib.h>

static inline void promise(bool holds) {
    if (!holds) {
        abort();
    }
}

/// Reads data as a mesh of the format; a mesh that is accepted is finite, its indices are in range;
/// nothing leaks.
static inline void check_mesh_promises(const uint8_t* data, size_t size, const char* format) {
    HedMesh mesh = {0};
    HedError error = {0};
    HedStatus status = hed_mesh_parse((const char*)data, size, format, "fuzz", &mesh, &error);
    promise((status != HED_OK) == (error.message[0] != '\0'));
    for (int32_t i = 0; i < 3 * mesh.triangle_count; ++i) {
        promise(mesh.triangles[i] >= 0 && mesh.triangles[i] < mesh.vertex_count);
        promise(!mesh.uv || (isfinite(mesh.uv[2 * i]) && isfinite(mesh.uv[2 * i + 1])));
        promise(!mesh.lines || mesh.lines[i / 3] > 0);
    }
    for (int32_t i = 0; i < mesh.vertex_count; ++i) {
        HedVec3 x = mesh.vertices[i];
        promise(isfinite(x.x) && isfinite(x.y) && isfinite(x.z));
    }
    hed_mesh_free(&mesh);
    promise(hed_alloc_stats().live_count == 0);
}

#endif
