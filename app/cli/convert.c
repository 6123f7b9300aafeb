// SPDX-License-Identifier: MIT
// heddle convert: a mesh or the frames of a run into another format.
#include "cli/options.h"
#include "cli/verbs.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

static bool holds_series(const char* path) {
    return strcasecmp(cli_extension(path), "usda") == 0 ||
           strcasecmp(cli_extension(path), "pvd") == 0;
}

static bool is_known_format(const char* path) {
    const char* extension = cli_extension(path);
    size_t size = strlen(extension);
    const char* formats = hed_series_formats();
    while (size > 0 && *formats) {
        size_t word = strcspn(formats, " ");
        if (word == size && strncasecmp(formats, extension, size) == 0) {
            return true;
        }
        formats += word + strspn(formats + word, " ");
    }
    return false;
}

// "7", "last", "2:5", ":5", "2:", ":" against a number of frames. The end is included.
static bool parse_frames(const char* text, int32_t count, int32_t* first, int32_t* last) {
    int64_t a = 0;
    int64_t b = count - 1;
    const char* colon = strchr(text, ':');
    if (strcmp(text, "last") == 0) {
        a = b;
    } else if (!colon) {
        if (!cli_integer(text, 0, INT32_MAX, &a)) {
            return false;
        }
        b = a;
    } else {
        char start[16] = "";
        size_t size = (size_t)(colon - text);
        if (size >= sizeof start) {
            return false;
        }
        memcpy(start, text, size);
        if ((size > 0 && !cli_integer(start, 0, INT32_MAX, &a)) ||
            (colon[1] && strcmp(colon + 1, "last") != 0 &&
             !cli_integer(colon + 1, 0, INT32_MAX, &b))) {
            return false;
        }
    }
    *first = (int32_t)a;
    *last = (int32_t)b;
    return a <= b;
}

static HedStatus load_mesh_frame(void* context, int32_t frame, HedVec3* const* positions,
                                 HedError* error) {
    const HedMesh* mesh = context;
    (void)frame;
    (void)error;
    if (mesh->vertex_count > 0) {
        memcpy(positions[0], mesh->vertices, (size_t)mesh->vertex_count * sizeof(HedVec3));
    }
    return HED_OK;
}

static int end(HedStatus status, const HedError* error) {
    if (status == HED_OK) {
        return CLI_DONE;
    }
    int code = cli_error(error);
    if (status == HED_EXISTS) {
        fputs("--force replaces it\n", stderr);
    }
    return code;
}

static int convert_mesh(const char* in, const char* out, const char* frames, bool force) {
    if (frames && strcmp(frames, "0") != 0 && strcmp(frames, "last") != 0) {
        return cli_fail(CLI_BAD_INPUT, "%s: is a mesh and has one frame, 0; got --frame %s", in,
                        frames);
    }
    HedError error = {0};
    HedMesh mesh = {0};
    HedStatus status = hed_mesh_load(in, &mesh, &error);
    if (status == HED_OK) {
        const char* slash = strrchr(in, '/');
        char name[256];
        snprintf(name, sizeof name, "%s", slash ? slash + 1 : in);
        name[strcspn(name, ".")] = '\0';
        double time = 0.0;
        HedSeriesObject object = {.name = name[0] ? name : "mesh",
                                  .vertex_count = mesh.vertex_count,
                                  .triangles = mesh.triangles,
                                  .triangle_count = mesh.triangle_count};
        HedSeries series = {&object, 1, &time, 1, load_mesh_frame, &mesh};
        status = hed_series_save(out, &series, force, &error);
    }
    hed_mesh_free(&mesh);
    return end(status, &error);
}

static int convert_frames(HedRunReader* reader, const char* in, const char* out, const char* frames,
                          bool force) {
    int32_t count = hed_run_frame_count(reader);
    int32_t first = 0;
    int32_t last = 0;
    if (count == 0) {
        return cli_fail(CLI_BAD_INPUT, "%s: the run has no frames yet", in);
    }
    if (!parse_frames(frames, count, &first, &last)) {
        return cli_fail(CLI_BAD_INPUT, "--frame needs N, last or A:B, got '%s'", frames);
    }
    if (last >= count) {
        return cli_fail(CLI_BAD_INPUT, "--frame %s: the run has frames 0 to %" PRId32, frames,
                        count - 1);
    }
    HedError error = {0};
    HedSeries series;
    HedStatus status = hed_run_series(reader, first, last, &series, &error);
    if (status == HED_OK) {
        status = hed_series_save(out, &series, force, &error);
    }
    return end(status, &error);
}

static int convert_run(const char* in, const char* out, const char* frames, bool force) {
    HedError error = {0};
    HedRunReader* reader = NULL;
    if (hed_run_open(in, &reader, &error) != HED_OK) {
        return cli_error(&error);
    }
    if (!frames) {
        frames = holds_series(out) ? ":" : "last";
    }
    int code = convert_frames(reader, in, out, frames, force);
    hed_run_close(reader);
    return code;
}

int cli_convert(int argc, char** argv) {
    const char* frames = NULL;
    bool force = false;
    const CliOption options[] = {
        {"frame", 0, CLI_TEXT, &frames, "N|last|A:B",
         "frames of a run (default: all for usda and pvd, else the last)"},
        {"force", 0, CLI_FLAG, &force, NULL, "replace OUT if it is there"},
    };
    char about[256];
    snprintf(about, sizeof about,
             "Writes a mesh (.obj, .ply) or the frames of a run directory in the format that the\n"
             "extension of OUT names: %s.",
             hed_series_formats());
    const CliCommand command = {
        .usage = "convert IN OUT [--frame N|last|A:B] [--force]",
        .about = about,
        .options = options,
        .option_count = sizeof options / sizeof options[0],
        .least = 2,
        .most = 2,
        .missing = "IN OUT",
    };
    CliList arguments;
    int code = cli_parse(&command, argc, argv, &arguments);
    if (code != CLI_GO) {
        return code;
    }
    const char* in = arguments.items[0];
    const char* out = arguments.items[1];
    if (!is_known_format(out)) {
        return cli_fail(CLI_BAD_INPUT, "%s: unknown format '%s'; known are %s", out,
                        cli_extension(out), hed_series_formats());
    }
    return cli_is_directory(in) ? convert_run(in, out, frames, force)
                                : convert_mesh(in, out, frames, force);
}
