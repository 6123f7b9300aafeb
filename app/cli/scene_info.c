// SPDX-License-Identifier: MIT
#include "cli/scene_info.h"
#include "cli/box.h"
#include "cli/json.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// m, of all curves.
static double length_of(const HedSceneObject* object) {
    double sum = 0.0;
    for (int32_t k = 0; k < object->curve_count; ++k) {
        const HedCurve* curve = &object->curves[k];
        const HedVec3* x = object->vertices.data + curve->first;
        for (int32_t i = 0; i < hed_curve_segment_count(curve); ++i) {
            HedVec3 a = x[i], b = x[i + 1 < curve->count ? i + 1 : 0];
            sum += hypot(hypot(b.x - a.x, b.y - a.y), b.z - a.z);
        }
    }
    return sum;
}

// Boxes of all objects as they start; bodies of planes have none, as planes have no end. NULL
// without memory.
static Box* find_boxes(const HedSceneThings* things, const HedScene* scene) {
    Box* boxes = calloc((size_t)things->count + 1, sizeof *boxes);
    for (int32_t i = 0; boxes && i < things->count; ++i) {
        HedSceneObject object = hed_scene_object(scene, NULL, i);
        bool is_flat = object.kind == HED_OBJECT_BODY && object.vertices.count == 4;
        if (!is_flat) {
            box_add(&boxes[i], things->positions[i], things->objects[i].vertex_count);
            box_join(&boxes[things->count], &boxes[i]);
        }
    }
    return boxes;
}

static void print_json(const char* path, const HedScene* scene, const char* hash,
                       const Box* boxes) {
    Json json = json_begin(stdout);
    json_text(&json, "kind", "scene");
    json_text(&json, "path", path);
    json_text(&json, "name", hed_scene_name(scene));
    json_number(&json, "duration", hed_scene_duration(scene));
    json_number(&json, "frame_interval", hed_scene_frame_interval(scene));
    if (hash[0]) {
        json_text(&json, "hash", hash);
    }
    json_bool(&json, "at_rest", hed_scene_is_complete(scene));
    json_integer(&json, "objects", hed_scene_object_count(scene));
    json_integer(&json, "measurements", hed_scene_measure_count(scene));
    json_array(&json, "parts");
    for (int32_t i = 0; i < hed_scene_object_count(scene); ++i) {
        HedSceneObject object = hed_scene_object(scene, NULL, i);
        json_object(&json, NULL);
        json_text(&json, "name", object.name);
        json_text(&json, "kind", hed_object_kind_name(object.kind));
        json_integer(&json, "vertices", object.vertices.count);
        json_integer(&json, "triangles", object.triangles.count / 3);
        json_integer(&json, "curves", object.curve_count);
        json_number(&json, "length", length_of(&object));
        box_put(&json, "box", &boxes[i]);
        json_end(&json);
    }
    json_end(&json);
    box_put(&json, "box", &boxes[hed_scene_object_count(scene)]);
    json_text(&json, "notes", hed_scene_notes(scene));
    json_finish(&json);
}

static void print_notes(const char* notes) {
    while (*notes) {
        int size = (int)strcspn(notes, "\n");
        printf("note      %.*s\n", size, notes);
        notes += size + (notes[size] == '\n');
    }
}

static void print_text(const char* path, const HedScene* scene, const char* hash,
                       const Box* boxes) {
    printf("scene     %s\nname      %s\nduration  %.6g s, a frame every %.6g s\n", path,
           hed_scene_name(scene), hed_scene_duration(scene), hed_scene_frame_interval(scene));
    printf("objects   %" PRId32 "\n", hed_scene_object_count(scene));
    for (int32_t i = 0; i < hed_scene_object_count(scene); ++i) {
        HedSceneObject object = hed_scene_object(scene, NULL, i);
        printf("%-9s %s: %" PRId32 " vertices, ", hed_object_kind_name(object.kind), object.name,
               object.vertices.count);
        if (object.kind == HED_OBJECT_YARNS) {
            printf("%" PRId32 " curves, %.4g m along straight segments\n", object.curve_count,
                   length_of(&object));
        } else {
            printf("%" PRId32 " triangles\n", object.triangles.count / 3);
        }
    }
    for (int32_t i = 0; i < hed_scene_object_count(scene); ++i) {
        box_print(&boxes[i], hed_scene_object(scene, NULL, i).name);
    }
    box_print(&boxes[hed_scene_object_count(scene)], NULL);
    printf("measures  %" PRId32 "\n", hed_scene_measure_count(scene));
    printf("hash      %s\n", hash[0] ? hash : "not known before it has come to rest");
    print_notes(hed_scene_notes(scene));
    if (hed_scene_is_complete(scene)) {
        printf("('heddle check %s' builds it and tells more)\n", path);
    } else {
        printf("('heddle run %s' lets it come to rest first)\n", path);
    }
}

int cli_scene_info(const char* path, bool as_json) {
    HedError error = {0};
    HedScene* scene = NULL;
    char hash[32] = "";
    if (hed_scene_preview(path, NULL, 0, &scene, &error) != HED_OK) {
        return cli_error(&error);
    }
    if (hed_scene_hash(scene) != 0) {
        snprintf(hash, sizeof hash, "%016" PRIx64, hed_scene_hash(scene));
    }
    HedSceneThings things = {0};
    int code = CLI_DONE;
    HedStatus status = hed_scene_things(scene, 1, 1, &things, &error);
    Box* boxes = status == HED_OK ? find_boxes(&things, scene) : NULL;
    if (boxes) {
        (as_json ? print_json : print_text)(path, scene, hash, boxes);
    } else {
        code = status == HED_OK ? cli_no_memory() : cli_error(&error);
    }
    free(boxes);
    hed_scene_things_free(&things);
    hed_scene_destroy(scene);
    return code;
}
