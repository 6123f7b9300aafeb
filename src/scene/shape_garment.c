// SPDX-License-Identifier: MIT
// A sheet from a sewing pattern: panels, welded along their seams, flat at rest.
#include "heddle/fabric.h"
#include "math/quat.h"
#include "scene/shape.h"

#include <string.h>

// Sewn panels have a shape at rest for each triangle, not one for all.
static HedStatus choose_models(HedSceneDraft* d, HedSceneSheet* sheet) {
    HedSheetDef* def = &sheet->def;
    if (!hed_node_child(sheet->node, "model")) {
        def->model = HED_SHEET_MEMBRANE;
    }
    if (!hed_node_child(sheet->node, "bending")) {
        def->bending = HED_BENDING_HINGES;
    }
    if (def->model != HED_SHEET_MEMBRANE) {
        return hed_place_fail(d->error, hed_node_where(sheet->node, "model"), HED_PARSE, NULL,
                              "a garment needs 'model: membrane'");
    }
    bool fits = def->bending == HED_BENDING_NONE || def->bending == HED_BENDING_HINGES ||
                def->bending == HED_BENDING_FLAT;
    if (!fits) {
        return hed_place_fail(d->error, hed_node_where(sheet->node, "bending"), HED_PARSE, NULL,
                              "a garment needs 'bending: hinges', 'flat' or 'none'");
    }
    return HED_OK;
}

static HedStatus read_garment(HedSceneDraft* d, HedSceneGarment* g, HedGarment* garment,
                              HedGarmentMesh* mesh) {
    HedText text = {0};
    HedError why;
    HedLocation place = hed_node_where(g->node, "file");
    HedStatus status = hed_scene_read_file(d, g->node, "file", &g->file, &text);
    if (status != HED_OK) {
        return status;
    }
    status = hed_garment_parse(text.data, text.size, g->file, g->size, garment, &why);
    hed_text_free(&text);
    if (status == HED_OK) {
        status = hed_garment_mesh(garment, HED_SEWING_WELD, mesh, &why);
    }
    return hed_scene_pass_on(d, place, status, &why);
}

static HedStatus take_panels(HedSceneDraft* d, HedSceneSheet* sheet, const HedGarment* garment,
                             const HedGarmentMesh* mesh) {
    const char** names = HED_POOL_ARRAY(d->pool, const char*, garment->panel_count);
    int32_t* of = HED_POOL_ARRAY(d->pool, int32_t, mesh->triangle_count);
    bool ok = names && of;
    for (int32_t p = 0; p < garment->panel_count && ok; ++p) {
        names[p] = hed_pool_print(d->pool, "%s", garment->panels[p].name);
        ok = names[p] != NULL;
    }
    if (!ok) {
        return hed_fail_memory(d->error, sheet->def.name);
    }
    memcpy(of, mesh->triangle_panels, (size_t)mesh->triangle_count * sizeof *of);
    sheet->def.panels = names;
    sheet->def.panel_count = garment->panel_count;
    sheet->def.triangle_panels = of;
    return HED_OK;
}

static HedStatus take_garment(HedSceneDraft* d, HedSceneSheet* sheet, const HedGarment* garment,
                              const HedGarmentMesh* mesh) {
    const HedSceneGarment* g = &sheet->garment;
    int64_t corners = 3 * (int64_t)mesh->triangle_count;
    HedVec3* vertices = HED_POOL_ARRAY(d->pool, HedVec3, mesh->vertex_count);
    int32_t* triangles = HED_POOL_ARRAY(d->pool, int32_t, corners);
    double* material = HED_POOL_ARRAY(d->pool, double, 2 * corners);
    double* angles = HED_POOL_ARRAY(d->pool, double, corners);
    double* uv = HED_POOL_ARRAY(d->pool, double, 2 * corners);
    if (!vertices || !triangles || !material || !angles || !uv) {
        return hed_fail_memory(d->error, sheet->def.name);
    }
    HedPose pose = {g->position, hed_quat_from_vector(g->rotation)};
    for (int32_t i = 0; i < mesh->vertex_count; ++i) {
        vertices[i] = hed_pose_apply(pose, mesh->positions[i]);
    }
    memcpy(triangles, mesh->triangles, (size_t)corners * sizeof *triangles);
    memcpy(angles, mesh->rest_angles, (size_t)corners * sizeof *angles);
    for (int64_t i = 0; i < corners; ++i) {
        material[2 * i] = mesh->corners[i].v; // warp runs up the panel
        material[2 * i + 1] = mesh->corners[i].u;
        uv[2 * i] = mesh->corners[i].u;
        uv[2 * i + 1] = mesh->corners[i].v;
    }
    sheet->def.vertices = vertices;
    sheet->def.vertex_count = mesh->vertex_count;
    sheet->def.triangles = triangles;
    sheet->def.triangle_count = mesh->triangle_count;
    sheet->def.material = material;
    sheet->def.rest_angles = angles;
    sheet->def.sewing_time = g->sewing_time;
    sheet->uv = uv;
    sheet->uv_at_corners = true;
    return take_panels(d, sheet, garment, mesh);
}

HedStatus hed_scene_shape_garment(HedSceneDraft* d, HedSceneSheet* sheet) {
    HedStatus status = HED_OK;
    HedGarment garment = {0};
    HedGarmentMesh mesh = {0};
    HED_TRY(choose_models(d, sheet));
    HED_TRY(read_garment(d, &sheet->garment, &garment, &mesh));
    for (int32_t i = 0; i < garment.note_count; ++i) {
        hed_sink_print(d->notes, "%s: %s\n", sheet->garment.file, garment.notes[i]);
    }
    if (mesh.turned_count > 0) {
        hed_sink_print(d->notes, "%s: the front changes to the back at %d sides of triangles\n",
                       sheet->garment.file, (int)mesh.turned_count);
    }
    HED_TRY(take_garment(d, sheet, &garment, &mesh));
done:
    hed_garment_mesh_free(&mesh);
    hed_garment_free(&garment);
    return status;
}
