// SPDX-License-Identifier: MIT
#include "heddle/file.h"

#include <math.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

// Whatever is accepted must keep the promises of HedMesh.
int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    HedMesh mesh = {0};
    HedError error = {0};
    HedStatus status = hed_mesh_parse((const char*)data, size, "ply", "fuzz", &mesh, &error);
    if ((status != HED_OK) != (error.message[0] != '\0')) {
        abort();
    }
    for (int32_t i = 0; i < 3 * mesh.triangle_count; ++i) {
        if (mesh.triangles[i] < 0 || mesh.triangles[i] >= mesh.vertex_count) {
            abort();
        }
    }
    for (int32_t i = 0; i < mesh.vertex_count; ++i) {
        HedVec3 x = mesh.vertices[i];
        if (!isfinite(x.x) || !isfinite(x.y) || !isfinite(x.z)) {
            abort();
        }
        if (mesh.uv && (!isfinite(mesh.uv[2 * i]) || !isfinite(mesh.uv[2 * i + 1]))) {
            abort();
        }
    }
    hed_mesh_free(&mesh);
    if (hed_alloc_stats().live_count != 0) {
        abort();
    }
    return 0;
}
