// SPDX-License-Identifier: MIT
#define _GNU_SOURCE // realpath
#include "scene/scene.h"
#include "base/file.h"
#include "base/hash.h"
#include "heddle/knitout.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// "cloth" for "scenes/cloth.yaml"; bytes that could not be read back become '_'.
static const char* name_from_file(HedPool* pool, const char* file) {
    const char* slash = strrchr(file, '/');
    const char* start = slash ? slash + 1 : file;
    const char* extension = hed_path_extension(file);
    size_t size = extension[0] ? (size_t)(extension - start) - 1 : strlen(start);
    char* name = size > 0 ? hed_pool_text(pool, start, size) : hed_pool_text(pool, "scene", 5);
    for (char* c = name; c && *c; ++c) {
        if (*c < ' ' || *c > '~') {
            *c = '_';
        }
    }
    return name;
}

// Compares the files listed in a resolved scene with those on the disk.
static HedStatus verify_files(HedSceneDraft* d) {
    HedLoader* l = d->loader;
    for (int32_t i = 0; i < d->data->files.count; ++i) {
        HedSceneFile* file = &((HedSceneFile*)d->data->files.data)[i];
        HedLocation place = hed_node_where(file->node, "path");
        if (strlen(file->hash) != HED_HASH_TEXT - 1) {
            return hed_place_fail(d->error, hed_node_where(file->node, "hash"), HED_PARSE, NULL,
                                  "'hash' must have %d digits", HED_HASH_TEXT - 1);
        }
        for (int32_t k = 0; k < l->files.count; ++k) {
            if (strcmp(l->files.data[k].path, file->path) == 0) {
                return hed_place_fail(d->error, place, HED_PARSE, NULL, "'%.200s' is listed twice",
                                      file->path);
            }
        }
        if (!HED_APPEND(&l->files, *file)) {
            return hed_fail_memory(d->error, file->path);
        }
        HedText text;
        HedStatus status = hed_loader_read(l, file->path, place, &text);
        hed_text_free(&text);
        if (status != HED_OK) {
            return status;
        }
    }
    return HED_OK;
}

// Where paths of files begin, if the scene says so itself.
static HedStatus take_directory(HedSceneDraft* d) {
    if (!d->data->directory) {
        return HED_OK;
    }
    HedLocation place = hed_node_where(d->data->node, "directory");
    if (!d->loader->directory) {
        return hed_place_fail(d->error, place, HED_INVALID, NULL, "files cannot be read from here");
    }
    char* joined = hed_path_join(d->loader->directory, d->data->directory);
    d->loader->directory = joined ? hed_pool_text(d->pool, joined, strlen(joined)) : NULL;
    hed_free(joined);
    return d->loader->directory ? HED_OK : hed_fail_memory(d->error, "the scene");
}

static HedStatus write_text(HedScene* scene, HedError* error) {
    HedSceneData* data = &scene->data;
    data->files = (HedList){scene->loader.files.data, scene->loader.files.count};
    data->directory = NULL;
    hed_schema_write(&hed_scene_table, data, 0, &scene->text);
    if (!scene->text.failed) {
        // Moving a scene to another directory does not change what it is.
        scene->hash = hed_hash(0, scene->text.data, scene->text.size);
    }
    if (data->files.count > 0) {
        char absolute[PATH_MAX];
        data->directory = realpath(scene->loader.directory, absolute);
        scene->text.size = 0;
        hed_schema_write(&hed_scene_table, data, 0, &scene->text);
        data->directory = NULL;
    }
    return scene->text.failed || scene->notes.failed ? hed_fail_memory(error, "the scene") : HED_OK;
}

// What is read: a text with changes, and how.
typedef struct Reading {
    const char* data;
    size_t size;
    const char* name;
    const char* directory;
    const char* const* overrides;
    int32_t override_count;
    bool is_preview;
} Reading;

static HedStatus read_scene(HedScene* scene, const HedSource* source, const Reading* reading,
                            HedError* error) {
    HedSceneData* data = &scene->data;
    HedSceneDraft draft = {.data = data,
                           .loader = &scene->loader,
                           .pool = &scene->pool,
                           .error = error,
                           .notes = &scene->notes,
                           .is_preview = reading->is_preview};
    HedNode* root = NULL;
    HedStatus status = HED_OK;
    HED_TRY(hed_loader_tree(&scene->loader, source, &root));
    for (int32_t i = 0; i < reading->override_count; ++i) {
        HED_TRY(hed_override_apply(&scene->pool, root, reading->overrides[i], error));
    }
    HED_TRY(hed_schema_rename(&hed_scene_table, root, &scene->notes, error));
    HED_TRY(hed_schema_read(&hed_scene_table, root, &scene->pool, data, error));
    if (!data->name) {
        data->name = name_from_file(&scene->pool, source->name);
        HED_TRY(data->name ? HED_OK : hed_fail_memory(error, "the scene"));
    }
    HED_TRY(take_directory(&draft));
    HED_TRY(verify_files(&draft));
    HED_TRY(hed_scene_check(&draft));
    HED_TRY(hed_scene_shape(&draft));
    HED_TRY(hed_scene_move(&draft));
    HED_TRY(hed_scene_start(&draft));
    scene->is_partial = draft.is_partial;
    if (!draft.is_partial) { // what stands in a box is known at rest
        HED_TRY(hed_scene_select(&draft));
    }
    HED_TRY(write_text(scene, error));
    scene->hash = draft.is_guessed ? 0 : scene->hash;
done:
    scene->loader.error = NULL;
    return status;
}

static HedStatus parse(const Reading* reading, HedScene** out, HedError* error) {
    const char* name = reading->name;
    const char* directory = reading->directory;
    *out = NULL;
    HedScene* scene = HED_NEW(HedScene);
    if (!scene) {
        return hed_fail_memory(error, name);
    }
    HedStatus status = HED_NO_MEMORY;
    HedSource* source = hed_source_create(&scene->pool, name, reading->data, reading->size);
    scene->loader = (HedLoader){.pool = &scene->pool, .error = error};
    if (directory) {
        scene->loader.directory = hed_pool_text(&scene->pool, directory, strlen(directory));
    }
    if (!source || (directory && !scene->loader.directory)) {
        hed_fail_memory(error, name);
    } else {
        status = read_scene(scene, source, reading, error);
    }
    if (status != HED_OK) {
        hed_scene_destroy(scene);
        return status;
    }
    *out = scene;
    return HED_OK;
}

// lint: long, the arguments are those of the public header
HedStatus hed_scene_parse(const char* data, size_t size, const char* name, const char* directory,
                          const char* const* overrides, int32_t override_count, HedScene** scene,
                          HedError* error) {
    Reading reading = {data, size, name, directory, overrides, override_count, false};
    return parse(&reading, scene, error);
}

// The rest of the reading, from a file.
static HedStatus load(const char* path, Reading reading, HedScene** scene, HedError* error) {
    *scene = NULL;
    HedText text = {0};
    HedStatus status = hed_text_read(path, &text, error);
    if (status != HED_OK) {
        return status;
    }
    char* directory = hed_path_directory(path);
    reading.data = text.data;
    reading.size = text.size;
    reading.name = path;
    reading.directory = directory;
    status = directory ? parse(&reading, scene, error) : hed_fail_memory(error, path);
    hed_free(directory);
    hed_text_free(&text);
    return status;
}

HedStatus hed_scene_load(const char* path, const char* const* overrides, int32_t override_count,
                         HedScene** scene, HedError* error) {
    Reading reading = {.overrides = overrides, .override_count = override_count};
    bool is_draft = strcmp(hed_path_extension(path), "wif") == 0;
    if (is_draft || hed_knit_file_is(path)) {
        *scene = NULL;
        return hed_fail(error, HED_INVALID,
                        "%s: is no scene: scenes are .yaml, .yml or .json files, which name it by "
                        "'%s'; 'heddle info' tells what it is",
                        path, is_draft ? "weave: {draft: FILE}" : "knit: {file: FILE}");
    }
    return load(path, reading, scene, error);
}

HedStatus hed_scene_preview(const char* path, const char* const* overrides, int32_t override_count,
                            HedScene** scene, HedError* error) {
    Reading reading = {
        .overrides = overrides, .override_count = override_count, .is_preview = true};
    return load(path, reading, scene, error);
}

bool hed_scene_is_complete(const HedScene* scene) {
    return !scene->is_partial;
}

void hed_scene_destroy(HedScene* scene) {
    if (!scene) {
        return;
    }
    hed_free(scene->loader.files.data);
    hed_sink_free(&scene->text);
    hed_sink_free(&scene->notes);
    hed_pool_free(&scene->pool);
    hed_free(scene);
}

const char* hed_scene_text(const HedScene* scene) {
    return scene->text.data;
}

const char* hed_scene_notes(const HedScene* scene) {
    return scene->notes.data ? scene->notes.data : "";
}

const char* hed_scene_name(const HedScene* scene) {
    return scene->data.name;
}

double hed_scene_duration(const HedScene* scene) {
    return scene->data.duration;
}

uint32_t hed_scene_quantities(const HedScene* scene) {
    return scene->data.output.quantities;
}

double hed_scene_frame_interval(const HedScene* scene) {
    double step = scene->data.sim.time_step;
    return step * fmax(1.0, round(scene->data.output.frame_interval / step));
}

uint64_t hed_scene_hash(const HedScene* scene) {
    return scene->hash;
}

bool hed_scene_origin(const HedScene* scene, HedSceneOrigin* origin) {
    const HedSceneStart* start = &scene->data.start;
    if (start->node) {
        *origin = (HedSceneOrigin){.run = start->run,
                                   .directory = scene->loader.directory,
                                   .frame = (int32_t)start->frame,
                                   .time = start->at,
                                   .hash = start->hash,
                                   .keeps_velocities = start->velocities == HED_VELOCITIES_KEEP,
                                   .is_whole = start->is_whole};
    }
    return start->node != NULL;
}

int32_t hed_scene_measure_count(const HedScene* scene) {
    return scene->data.measures.count;
}

const char* hed_scene_measure_name(const HedScene* scene, int32_t index) {
    return HED_MEASURES(&scene->data)[index].name;
}
