// SPDX-License-Identifier: MIT
// Reads garments. A garment that is taken has finite vertices, triangles with an area, equally many
// points on both sides of each seam, and welds into a surface or is refused; nothing leaks.
#include "fuzz/mesh_promises.h"
#include "fuzz/small_memory.h"
#include "heddle/fabric.h"

static void check_panel(const HedPanel* p) {
    promise(p->triangle_count > 0 && p->least_angle > 0.0 && p->area > 0.0);
    for (int32_t i = 0; i < 3 * p->triangle_count; ++i) {
        promise(p->triangles[i] >= 0 && p->triangles[i] < p->vertex_count);
    }
    for (int32_t i = 0; i < p->vertex_count; ++i) {
        promise(isfinite(p->material[i].u) && isfinite(p->material[i].v));
    }
}

static void check_garment(const HedGarment* g) {
    for (int32_t p = 0; p < g->panel_count; ++p) {
        check_panel(g->panels + p);
    }
    for (int32_t s = 0; s < g->seam_count; ++s) {
        for (int32_t k = 0; k < 2 * g->seams[s].point_count; ++k) {
            const HedPanel* p = g->panels + g->seams[s].sides[k % 2].panel;
            int32_t point = g->seams[s].points[k % 2][k / 2];
            promise(point >= 0 && point < p->outline_count);
        }
    }
    for (int32_t sewing = 0; sewing < HED_SEWING_COUNT; ++sewing) {
        HedGarmentMesh mesh = {0};
        HedError error = {0};
        HedStatus status = hed_garment_mesh(g, (HedSewing)sewing, &mesh, &error);
        promise(status == HED_OK || status == HED_NO_MEMORY);
        for (int32_t k = 0; k < 3 * mesh.triangle_count; ++k) {
            promise(fabs(mesh.rest_angles[k]) <= 3.1415926535897932);
        }
        hed_garment_mesh_free(&mesh);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    small_memory((size_t)1 << 18);
    HedGarment garment = {0};
    HedError error = {0};
    HedStatus status = hed_garment_parse((const char*)data, size, "fuzz", 0.15, &garment, &error);
    promise((status != HED_OK) == (error.message[0] != '\0'));
    if (status == HED_OK) {
        check_garment(&garment);
    }
    hed_garment_free(&garment);
    promise(hed_alloc_stats().live_count == 0);
    return 0;
}
