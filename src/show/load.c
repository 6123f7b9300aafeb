// SPDX-License-Identifier: MIT
// Runs, meshes and yarn curves, read from their files.
#define _POSIX_C_SOURCE 200809L
#include "base/alloc.h"
#include "base/file.h"
#include "heddle/knitout.h"
#include "heddle/weave.h"
#include "show/internal.h"

#include <string.h>
#include <strings.h>

static HedStatus load_run(HedShow* show, HedError* error) {
    HedStatus status = hed_run_open(show->path, &show->run, error);
    if (status != HED_OK) {
        return status;
    }
    if (hed_run_frame_count(show->run) == 0) {
        return hed_fail(error, HED_NOT_FOUND, "%s: the run there has no frames yet", show->path);
    }
    show->title = hed_text_copy(hed_run_name(show->run));
    return show->title ? HED_OK : hed_fail_memory(error, show->path);
}

static bool scale_vertices(HedVec3* vertices, int32_t count, double scale) {
    bool ok = true;
    for (int32_t i = 0; i < count; ++i) {
        vertices[i] = hed_mul3(scale, vertices[i]);
        ok = ok && hed_is_finite3(vertices[i]);
    }
    return ok;
}

// Radii that the file does not give come from the options, or from the distances of the yarns.
static HedStatus complete_radii(HedShow* show, const HedShowOptions* options, HedError* error) {
    double fallback = options->radius;
    for (int32_t i = 0; i < show->curves.curve_count; ++i) {
        HedCurve* curve = &show->curves.curves[i];
        if (!(curve->radius > 0.0) && !(fallback > 0.0)) {
            HedStatus status = hed_yarn_radius_estimate(&show->curves, &fallback, error);
            if (status != HED_OK) {
                return status;
            }
        }
        curve->radius = curve->radius > 0.0 ? options->scale * curve->radius : fallback;
    }
    return HED_OK;
}

static HedStatus check_options(const HedShow* show, const HedShowOptions* options,
                               HedError* error) {
    if (!(options->scale > 0.0) || !isfinite(options->scale)) {
        return hed_fail(error, HED_INVALID, "%s: scale must be positive and finite, got %g",
                        show->path, options->scale);
    }
    if (!(options->radius >= 0.0) || !isfinite(options->radius)) {
        return hed_fail(error, HED_INVALID, "%s: radius must not be negative, got %g m", show->path,
                        options->radius);
    }
    return HED_OK;
}

// A draft is woven with what it says itself.
static HedStatus load_weave(HedShow* show, HedError* error) {
    HedStatus status = HED_OK;
    HedWeave weave = {0};
    HedFabric fabric = {0};
    HedWeaveDef def = hed_weave_def_default();
    HED_TRY(hed_weave_load(show->path, &weave, error));
    HED_TRY(hed_weave_build(&weave, &def, &fabric, error));
    HED_TRY(hed_fabric_curves(&fabric, &show->curves, error));
done:
    hed_fabric_free(&fabric);
    hed_weave_free(&weave);
    return status;
}

// Knitted with plain yarn.
static HedStatus load_knit(HedShow* show, HedError* error) {
    HedFabric fabric = {0};
    HedKnitDef def = hed_knit_def_default();
    HedStatus status = hed_knit_file_load(show->path, &def, &fabric, NULL, error);
    if (status == HED_OK) {
        status = hed_fabric_curves(&fabric, &show->curves, error);
    }
    hed_fabric_free(&fabric);
    return status;
}

static HedStatus load_geometry(HedShow* show, HedError* error) {
    const char* extension = hed_path_extension(show->path);
    HedStatus status = hed_geometry_load(show->path, &show->mesh, &show->curves, error);
    bool may_hold_both = strcasecmp(extension, "obj") == 0 || strcasecmp(extension, "ply") == 0 ||
                         strcasecmp(extension, "vtp") == 0;
    if (status == HED_OK && may_hold_both && show->mesh.vertex_count > 0) {
        status = hed_curves_load(show->path, &show->curves, error);
        status = status == HED_NOT_FOUND ? HED_OK : status;
    }
    return status;
}

static const struct Loader {
    const char* extension;
    HedStatus (*load)(HedShow* show, HedError* error);
} LOADERS[] = {
    {"obj", load_geometry},   {"ply", load_geometry}, {"bcc", load_geometry},
    {"yarns", load_geometry}, {"pyp", load_geometry}, {"usda", load_geometry},
    {"vtp", load_geometry},   {"wif", load_weave},    {"knit", load_knit},
    {"ks", load_knit},        {"k", load_knit},       {"knitout", load_knit},
};

static const struct Loader* find_loader(const char* extension) {
    for (size_t i = 0; i < sizeof LOADERS / sizeof LOADERS[0]; ++i) {
        if (strcasecmp(extension, LOADERS[i].extension) == 0) {
            return &LOADERS[i];
        }
    }
    return NULL;
}

// A scene is called by its name, a pattern by that of its file.
static HedStatus load_still(HedShow* show, const HedShowOptions* options, HedError* error) {
    HedStatus status = hed_still_load(show->path, options, &show->still, error);
    if (status != HED_OK || !show->still.scene) {
        return status;
    }
    char* title = hed_text_copy(hed_scene_name(show->still.scene));
    if (!title) {
        return hed_fail_memory(error, show->path);
    }
    hed_free(show->title);
    show->title = title;
    return HED_OK;
}

static HedStatus load_file(HedShow* show, const HedShowOptions* options, HedError* error) {
    HedStatus status = HED_OK;
    const char* slash = strrchr(show->path, '/');
    show->title = hed_text_copy(slash ? slash + 1 : show->path);
    if (!show->title) {
        return hed_fail_memory(error, show->path);
    }
    if (hed_still_is_file(show->path)) {
        return load_still(show, options, error);
    }
    const struct Loader* loader = find_loader(hed_path_extension(show->path));
    if (!loader) {
        return hed_fail(
            error, HED_INVALID,
            "%s: is neither a run directory nor a scene (.yaml, .yml, .json), a garment (.json), a "
            "file of yarns (.bcc, .yarns, .pyp, .usda, .vtp, .obj, .ply), a mesh (.obj, .ply, "
            ".vtp), "
            "a weave (.wif) or a knit (.knit, .ks, .k, .knitout)",
            show->path);
    }
    HED_TRY(loader->load(show, error));
    HED_TRY(hed_curves_tile(&show->curves, options->tiles[0], options->tiles[1], error));
    if (!scale_vertices(show->mesh.vertices, show->mesh.vertex_count, options->scale) ||
        !scale_vertices(show->curves.vertices, show->curves.vertex_count, options->scale)) {
        status = hed_fail(error, HED_INVALID, "%s: is not finite after scaling by %g", show->path,
                          options->scale);
        goto done;
    }
    HED_TRY(complete_radii(show, options, error));
done:
    return status;
}

HedStatus hed_show_load(HedShow* show, const HedShowOptions* options, HedError* error) {
    HedStatus status = check_options(show, options, error);
    if (status != HED_OK) {
        return status;
    }
    if (!hed_file_exists(show->path)) {
        return hed_fail(error, HED_NOT_FOUND, "%s: there is no such file or directory", show->path);
    }
    bool is_run = hed_file_is_directory(show->path);
    if (options->override_count > 0 && (is_run || !hed_still_is_file(show->path))) {
        return hed_fail(error, HED_INVALID, "%s: is no scene: there is nothing to set", show->path);
    }
    return is_run ? load_run(show, error) : load_file(show, options, error);
}
