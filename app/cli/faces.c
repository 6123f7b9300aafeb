// SPDX-License-Identifier: MIT
#include "cli/faces.h"

#include "cli/common.h"

#include <stdlib.h>
#include <string.h>

static bool make_room(Faces* faces) {
    size_t n = (size_t)faces->count + 1;
    faces->seen = calloc(n, sizeof *faces->seen);
    faces->objects = calloc(n, sizeof *faces->objects);
    faces->positions = calloc(n, sizeof *faces->positions);
    faces->corners = calloc(n, sizeof *faces->corners);
    faces->triangles = calloc(n, sizeof *faces->triangles);
    faces->middles = calloc(n, sizeof *faces->middles);
    faces->middle_count = calloc(n, sizeof *faces->middle_count);
    bool ok = faces->seen && faces->objects && faces->positions && faces->corners &&
              faces->triangles && faces->middles && faces->middle_count;
    for (int32_t i = 0; i < faces->count && ok; ++i) {
        faces->seen[i] = faces->objects[i] = hed_show_object(faces->show, i);
        size_t vertices = (size_t)faces->seen[i].vertex_count + 1;
        faces->positions[i] = calloc(vertices, sizeof(HedVec3));
        faces->corners[i] = calloc(vertices, sizeof(HedVec3));
        ok = faces->positions[i] && faces->corners[i];
    }
    return ok;
}

// Segments are triangles with two corners in one place.
static bool add_strands(Faces* faces, int32_t object) {
    const HedSeriesObject* seen = &faces->seen[object];
    int32_t* triangles = calloc(3 * (size_t)seen->vertex_count + 1, sizeof *triangles);
    int32_t count = 0;
    for (int32_t c = 0; triangles && c < seen->curve_count; ++c) {
        const HedCurve* curve = &seen->curves[c];
        for (int32_t k = 0; k < hed_curve_segment_count(curve); ++k) {
            int32_t* at = triangles + 3 * (size_t)count++;
            at[0] = curve->first + k;
            at[1] = at[2] = curve->first + (k + 1) % curve->count;
        }
    }
    faces->triangles[object] = triangles;
    faces->objects[object].triangle_count = count;
    faces->has_strands = true;
    return triangles != NULL;
}

static bool add_skin(Faces* faces, int32_t object, const HedSim* sim, HedYarnsId yarns) {
    int32_t count = hed_sliding_skin(sim, yarns, NULL);
    int32_t* middles = calloc(6 * (size_t)count + 1, sizeof *middles);
    int32_t* triangles = calloc(3 * (size_t)count + 1, sizeof *triangles);
    faces->middles[object] = middles;
    faces->triangles[object] = triangles;
    if (!middles || !triangles || hed_sliding_skin(sim, yarns, middles) != count) {
        return false;
    }
    for (int32_t k = 0; k < 3 * count; ++k) {
        triangles[k] = middles[2 * (size_t)k];
    }
    faces->middle_count[object] = 3 * count;
    faces->objects[object].triangle_count = count;
    return true;
}

// The run's own scene, as far as it can be read: without it sliding yarns have no faces.
static HedSim* build_scene(const char* path) {
    HedError error = {0};
    HedScene* scene = NULL;
    HedSim* sim = NULL;
    char* file = cli_path_join(path, "scene.yaml");
    if (file && hed_scene_preview(file, NULL, 0, &scene, &error) == HED_OK &&
        hed_scene_build(scene, 1, &sim, &error) != HED_OK) {
        sim = NULL;
    }
    hed_scene_destroy(scene);
    free(file);
    return sim;
}

static bool add_yarns(Faces* faces, const HedSim* sim) {
    int32_t set = 0;
    bool ok = true;
    for (int32_t i = 0; i < faces->count && ok; ++i) {
        if (faces->seen[i].kind != HED_OBJECT_YARNS) {
            continue;
        }
        HedYarnsId yarns = hed_sim_yarns(sim, set++);
        bool is_known = sim && hed_yarns_vertex_count(sim, yarns) == faces->seen[i].vertex_count;
        bool slides = is_known && hed_sliding_node_count(sim, yarns) > 0;
        faces->lacks_yarns = faces->lacks_yarns || !is_known;
        if (is_known) {
            faces->objects[i].kind = HED_OBJECT_SHEET;
            faces->objects[i].curves = NULL;
            faces->objects[i].curve_count = 0;
            ok = slides ? add_skin(faces, i, sim, yarns) : add_strands(faces, i);
            faces->objects[i].triangles = faces->triangles[i];
        }
    }
    return ok;
}

static bool has_yarns(const Faces* faces) {
    bool found = false;
    for (int32_t i = 0; i < faces->count; ++i) {
        found = found || faces->seen[i].kind == HED_OBJECT_YARNS;
    }
    return found;
}

int faces_open(Faces* faces, const char* path) {
    HedError error = {0};
    HedShowOptions options = hed_show_options_default();
    if (hed_show_open(path, &options, &faces->show, &error) != HED_OK) {
        return cli_error(&error);
    }
    faces->count = hed_show_object_count(faces->show);
    faces->frame_count = hed_show_frame_count(faces->show);
    if (!make_room(faces)) {
        return cli_no_memory();
    }
    if (!has_yarns(faces)) {
        return CLI_GO;
    }
    HedSim* sim = hed_show_is_run(faces->show) ? build_scene(path) : NULL;
    bool ok = add_yarns(faces, sim);
    hed_sim_destroy(sim);
    return ok ? CLI_GO : cli_no_memory();
}

void faces_close(Faces* faces) {
    for (int32_t i = 0; i < faces->count; ++i) {
        free(faces->positions ? faces->positions[i] : NULL);
        free(faces->corners ? faces->corners[i] : NULL);
        free(faces->triangles ? faces->triangles[i] : NULL);
        free(faces->middles ? faces->middles[i] : NULL);
    }
    free(faces->seen);
    free(faces->objects);
    free(faces->positions);
    free(faces->corners);
    free(faces->triangles);
    free(faces->middles);
    free(faces->middle_count);
    hed_show_close(faces->show);
}

int faces_load(Faces* faces, int32_t frame) {
    HedError error = {0};
    double time = 0.0;
    if (hed_show_frame(faces->show, frame, &time, faces->positions, &error) != HED_OK) {
        return cli_error(&error);
    }
    for (int32_t i = 0; i < faces->count; ++i) {
        const HedVec3* from = faces->positions[i];
        HedVec3* to = faces->corners[i];
        memcpy(to, from, sizeof *to * (size_t)faces->seen[i].vertex_count);
        for (int32_t k = 0; k < faces->middle_count[i]; ++k) {
            const int32_t* of = faces->middles[i] + 2 * (size_t)k;
            HedVec3 a = from[of[0]], b = from[of[1]];
            to[of[0]] = (HedVec3){0.5 * (a.x + b.x), 0.5 * (a.y + b.y), 0.5 * (a.z + b.z)};
        }
    }
    return CLI_GO;
}
