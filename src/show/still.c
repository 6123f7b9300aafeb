// SPDX-License-Identifier: MIT
#define _POSIX_C_SOURCE 200809L
#include "show/still.h"
#include "base/alloc.h"
#include "base/file.h"
#include "base/log.h"
#include "geom/box.h"
#include "heddle/run.h"
#include "math/vec3.h"
#include "show/internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { MOST_MARKS = 400, MARK_VERTICES = 6, MARK_TRIANGLES = 8 };

static bool is_scene_name(const char* path) {
    const char* extension = hed_path_extension(path);
    return strcasecmp(extension, "yaml") == 0 || strcasecmp(extension, "yml") == 0 ||
           strcasecmp(extension, "json") == 0;
}

bool hed_still_is_file(const char* path) {
    return is_scene_name(path);
}

static HedStatus make_room(HedStill* still, int32_t count, const char* path, HedError* error) {
    still->objects = HED_NEW_ARRAY(HedSeriesObject, count);
    still->positions = HED_NEW_ARRAY(const HedVec3*, count);
    still->is_ground = HED_NEW_ARRAY(bool, count);
    bool ok = still->objects && still->positions && still->is_ground;
    return ok ? HED_OK : hed_fail_memory(error, path);
}

static void add(HedStill* still, HedSeriesObject object, const HedVec3* positions, bool is_ground) {
    still->objects[still->count] = object;
    still->positions[still->count] = positions;
    still->is_ground[still->count++] = is_ground;
}

// --- marks of pins ---

// An octahedron about a point.
static void add_mark(HedMesh* mesh, HedVec3 at, double size) {
    static const int32_t SIDES[MARK_TRIANGLES][3] = {{0, 2, 4}, {2, 1, 4}, {1, 3, 4}, {3, 0, 4},
                                                     {2, 0, 5}, {1, 2, 5}, {3, 1, 5}, {0, 3, 5}};
    int32_t base = mesh->vertex_count;
    for (int k = 0; k < MARK_VERTICES; ++k) {
        double way = k % 2 ? -size : size;
        HedVec3 d = {k / 2 == 0 ? way : 0.0, k / 2 == 1 ? way : 0.0, k / 2 == 2 ? way : 0.0};
        mesh->vertices[mesh->vertex_count++] = hed_add3(at, d);
    }
    for (int k = 0; k < MARK_TRIANGLES; ++k) {
        for (int m = 0; m < 3; ++m) {
            mesh->triangles[3 * mesh->triangle_count + m] = base + SIDES[k][m];
        }
        mesh->triangle_count += 1;
    }
}

// Of a pin that holds many vertices, evenly some.
static HedStatus mark(HedStill* still, const HedSceneHold* hold, double size, HedError* error) {
    int32_t step = (hold->vertex_count + MOST_MARKS - 1) / MOST_MARKS;
    int32_t count = (hold->vertex_count + step - 1) / step;
    HedMesh* mesh = &still->marks[still->mark_count];
    size_t room = strlen(hold->name) + 8;
    char* name = HED_NEW_ARRAY(char, (int64_t)room);
    still->mark_names[still->mark_count++] = name;
    mesh->vertices = HED_NEW_ARRAY(HedVec3, MARK_VERTICES * (int64_t)count);
    mesh->triangles = HED_NEW_ARRAY(int32_t, 3 * MARK_TRIANGLES * (int64_t)count);
    if (!name || !mesh->vertices || !mesh->triangles) {
        return hed_fail_memory(error, hold->name);
    }
    snprintf(name, room, "pin %s", hold->name);
    for (int32_t k = 0; k < hold->vertex_count; k += step) {
        add_mark(mesh, hold->points.data[hold->vertices[k]], size);
    }
    add(still,
        (HedSeriesObject){.name = name,
                          .kind = HED_OBJECT_SHEET,
                          .vertex_count = mesh->vertex_count,
                          .triangles = mesh->triangles,
                          .triangle_count = mesh->triangle_count},
        mesh->vertices, false);
    return HED_OK;
}

// A seventieth of the size of the cloth.
static double mark_size(const HedSceneThings* things) {
    HedBox box = hed_box_empty();
    for (int32_t i = 0; i < things->count; ++i) {
        bool is_cloth = things->objects[i].kind != HED_OBJECT_BODY;
        for (int32_t k = 0; is_cloth && k < things->objects[i].vertex_count; ++k) {
            box = hed_box_add(box, things->positions[i][k]);
        }
    }
    return fmax(0.014 * hed_distance3(box.low, box.high), 1e-6);
}

// --- scenes ---

static void tell_notes(const char* notes) {
    while (*notes) {
        int size = (int)strcspn(notes, "\n");
        hed_log(HED_LOG_INFO, "%.*s", size, notes);
        notes += size + (notes[size] == '\n');
    }
}

static HedStatus load_scene(const char* path, const HedShowOptions* options, HedStill* still,
                            HedError* error) {
    HedStatus status = HED_OK;
    HED_TRY(
        hed_scene_preview(path, options->overrides, options->override_count, &still->scene, error));
    tell_notes(hed_scene_notes(still->scene));
    HED_TRY(hed_scene_things(still->scene, options->tiles[0], options->tiles[1], &still->things,
                             error));
    int32_t pins = hed_scene_hold_count(still->scene);
    HED_TRY(make_room(still, still->things.count + pins, path, error));
    still->marks = HED_NEW_ARRAY(HedMesh, pins);
    still->mark_names = HED_NEW_ARRAY(char*, pins);
    HED_TRY(still->marks && still->mark_names ? HED_OK : hed_fail_memory(error, path));
    for (int32_t i = 0; i < still->things.count; ++i) {
        HedSceneObject from = hed_scene_object(still->scene, NULL, i);
        bool is_body = from.kind == HED_OBJECT_BODY;
        add(still, still->things.objects[i], still->things.positions[i],
            is_body && hed_show_is_plane(from.vertices, from.triangles.count / 3));
    }
    double size = mark_size(&still->things);
    for (int32_t i = 0; i < pins; ++i) {
        HedSceneHold hold = hed_scene_hold(still->scene, i);
        if (hold.vertex_count > 0) {
            HED_TRY(mark(still, &hold, size, error));
        }
    }
done:
    return status;
}

// --- garments ---

static HedStatus load_garment(const char* path, HedStill* still, HedError* error) {
    const double size = 0.02; // m, of triangles
    HedStatus status = hed_garment_load(path, size, &still->garment, error);
    HED_TRY(status);
    HED_TRY(make_room(still, still->garment.panel_count, path, error));
    for (int32_t i = 0; i < still->garment.note_count; ++i) {
        hed_log(HED_LOG_INFO, "%s", still->garment.notes[i]);
    }
    for (int32_t i = 0; i < still->garment.panel_count; ++i) {
        const HedPanel* panel = &still->garment.panels[i];
        add(still,
            (HedSeriesObject){.name = panel->name,
                              .kind = HED_OBJECT_SHEET,
                              .vertex_count = panel->vertex_count,
                              .triangles = panel->triangles,
                              .triangle_count = panel->triangle_count},
            panel->positions, false);
    }
done:
    return status;
}

HedStatus hed_still_load(const char* path, const HedShowOptions* options, HedStill* still,
                         HedError* error) {
    bool is_garment =
        strcasecmp(hed_path_extension(path), "json") == 0 && hed_garment_is_file(path);
    if (options->scale != 1.0 || options->radius != 0.0) {
        return hed_fail(error, HED_INVALID,
                        "%s: a scale and a radius are for files of yarns and "
                        "meshes; %s say their own",
                        path, is_garment ? "patterns" : "scenes");
    }
    if (is_garment && options->override_count > 0) {
        return hed_fail(error, HED_INVALID, "%s: is a sewing pattern: there is nothing to set",
                        path);
    }
    return is_garment ? load_garment(path, still, error) : load_scene(path, options, still, error);
}

void hed_still_free(HedStill* still) {
    for (int32_t i = 0; i < still->mark_count; ++i) {
        hed_mesh_free(&still->marks[i]);
        hed_free(still->mark_names[i]);
    }
    hed_free(still->marks);
    hed_free(still->mark_names);
    hed_scene_things_free(&still->things);
    hed_scene_destroy(still->scene);
    hed_garment_free(&still->garment);
    hed_free(still->objects);
    hed_free((void*)(uintptr_t)still->positions);
    hed_free(still->is_ground);
    *still = (HedStill){0};
}
