// SPDX-License-Identifier: MIT
// Runs, meshes and yarn curves, read from their files.
#define _POSIX_C_SOURCE 200809L
#include "base/alloc.h"
#include "base/file.h"
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

static HedStatus load_mesh(HedShow* show, double scale, HedError* error) {
    HedStatus status = hed_mesh_load(show->path, &show->mesh, error);
    for (int32_t i = 0; status == HED_OK && i < show->mesh.vertex_count; ++i) {
        show->mesh.vertices[i] = hed_mul3(scale, show->mesh.vertices[i]);
    }
    return status;
}

static HedStatus check_finite(const HedShow* show, HedError* error) {
    HedBox mesh = hed_box_around(show->mesh.vertices, show->mesh.vertex_count);
    if (show->mesh.vertex_count > 0 && !(hed_is_finite3(mesh.low) && hed_is_finite3(mesh.high))) {
        return hed_fail(error, HED_INVALID, "%s: is not finite after scaling", show->path);
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

static HedStatus load_file(HedShow* show, const HedShowOptions* options, HedError* error) {
    HedStatus status = HED_OK;
    const char* extension = hed_path_extension(show->path);
    const char* slash = strrchr(show->path, '/');
    show->title = hed_text_copy(slash ? slash + 1 : show->path);
    if (!show->title) {
        return hed_fail_memory(error, show->path);
    }
    if (strcasecmp(extension, "ply") != 0 && strcasecmp(extension, "obj") != 0) {
        return hed_fail(error, HED_INVALID,
                        "%s: is neither a run directory nor a file of yarns (.bcc, .obj) or a mesh "
                        "(.obj, .ply)",
                        show->path);
    }
    HED_TRY(load_mesh(show, options->scale, error));
    HED_TRY(check_finite(show, error));
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
    return hed_file_is_directory(show->path) ? load_run(show, error)
                                             : load_file(show, options, error);
}
