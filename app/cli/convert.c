// SPDX-License-Identifier: MIT
// heddle convert: yarns, a mesh or the frames of a run into another format.
#include "cli/export.h"
#include "cli/fabric.h"
#include "cli/frames.h"
#include "cli/garment.h"
#include "cli/knit.h"
#include "cli/options.h"
#include "cli/size.h"
#include "cli/verbs.h"
#include "cli/weave.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

typedef struct Request {
    const char* in;
    const char* out;
    const char* frames; // NULL for what the format suggests
    double scale;       // m per unit of a file; 0 if not given
    double radius;      // m, of yarns; 0 if not given
    int32_t tiles[2];   // cells of yarns that repeat
    bool force;
    double size;         // m, of a garment's triangles; 0: not given
    const char* garment; // how its panels are laid out; NULL: not given
    CliFabricOptions fabric;
    CliList set; // changes of a scene
} Request;

// A format of OUT.
typedef struct Output {
    const char* extension;
    bool holds_series; // all frames in one go
    bool holds_radii;  // of yarns
    int (*convert)(const Request* request, const struct Output* output);
} Output;

static bool is_scene(const char* path) {
    static const char* const KNOWN[] = {"yaml", "yml", "json"};
    bool is_known = false;
    for (size_t i = 0; i < sizeof KNOWN / sizeof KNOWN[0]; ++i) {
        is_known = is_known || strcasecmp(cli_extension(path), KNOWN[i]) == 0;
    }
    return is_known && !hed_garment_is_file(path);
}

static HedStatus copy_positions(void* context, int32_t frame, HedVec3* const* positions,
                                HedError* error) {
    const HedVec3View* vertices = context;
    (void)frame;
    (void)error;
    if (vertices->count > 0) {
        memcpy(positions[0], vertices->data, (size_t)vertices->count * sizeof(HedVec3));
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

static void scale_vertices(double scale, HedVec3* x, int32_t count) {
    for (int32_t i = 0; i < count; ++i) {
        x[i] = (HedVec3){scale * x[i].x, scale * x[i].y, scale * x[i].z};
    }
}

static void set_radii(const Request* request, HedCurves* curves) {
    for (int32_t i = 0; i < curves->curve_count; ++i) {
        HedCurve* curve = &curves->curves[i];
        if (request->radius > 0.0) {
            curve->radius = request->radius;
        } else if (request->scale > 0.0) {
            curve->radius *= request->scale;
        }
    }
}

// Name of an object: that of the file, up to its first dot.
static void name_object(const char* path, char name[256]) {
    const char* slash = strrchr(path, '/');
    snprintf(name, 256, "%s", slash ? slash + 1 : path);
    name[strcspn(name, ".")] = '\0';
    if (name[0] == '\0') {
        snprintf(name, 256, "mesh");
    }
}

// Either the mesh or the curves are empty.
static HedStatus save_geometry(const Request* request, HedMesh* mesh, HedCurves* curves,
                               HedError* error) {
    char name[256];
    double time = 0.0;
    name_object(request->in, name);
    if (request->scale > 0.0) {
        scale_vertices(request->scale, mesh->vertices, mesh->vertex_count);
        scale_vertices(request->scale, curves->vertices, curves->vertex_count);
    }
    set_radii(request, curves);
    bool is_mesh = curves->curve_count == 0;
    HedVec3View vertices = {is_mesh ? mesh->vertices : curves->vertices,
                            is_mesh ? mesh->vertex_count : curves->vertex_count};
    HedSeriesObject object = {.name = name,
                              .kind = is_mesh ? HED_OBJECT_SHEET : HED_OBJECT_YARNS,
                              .vertex_count = vertices.count,
                              .triangles = mesh->triangles,
                              .triangle_count = mesh->triangle_count,
                              .curves = curves->curves,
                              .curve_count = curves->curve_count,
                              .uv = mesh->uv,
                              .uv_at_corners = true};
    HedSeries series = {&object, 1, &time, 1, copy_positions, &vertices};
    cli_size_note(request->in, request->out, &series);
    return hed_series_save(request->out, &series, request->force, error);
}

static int load_file(const Request* request, HedMesh* mesh, HedCurves* curves) {
    HedError error = {0};
    HedStatus status = HED_OK;
    if (cli_is_fabric(request->in)) {
        int code = cli_fabric_curves(request->in, &request->fabric, curves);
        if (code != CLI_GO) {
            return code;
        }
    } else {
        status = hed_geometry_load(request->in, mesh, curves, &error);
    }
    if (status == HED_UNSUPPORTED) {
        return cli_fail(CLI_BAD_INPUT,
                        "%s; convert reads runs, scenes (.yaml, .yml, .json), garments (.json), "
                        "weaves (.wif) and knits (.knit, .ks, .k, .knitout) besides",
                        error.message);
    }
    if (status == HED_OK) {
        status = hed_curves_tile(curves, request->tiles[0], request->tiles[1], &error);
    }
    return end(status, &error);
}

static int convert_file(const Request* request, const Output* output) {
    const char* frames = request->frames;
    if (frames && strcmp(frames, "0") != 0 && strcmp(frames, "last") != 0) {
        return cli_fail(CLI_BAD_INPUT, "%s: is no run and has one frame, 0; got --frame %s",
                        request->in, frames);
    }
    HedError error = {0};
    HedMesh mesh = {0};
    HedCurves curves = {0};
    int code = load_file(request, &mesh, &curves);
    if (code == CLI_DONE && request->radius > 0.0 && curves.curve_count == 0) {
        code = cli_fail(CLI_BAD_INPUT, "--radius is for yarns, %s is a mesh", request->in);
    }
    if (code == CLI_DONE) {
        bool has_radius =
            request->radius > 0.0 || (curves.curve_count > 0 && curves.curves[0].radius > 0.0);
        code = end(save_geometry(request, &mesh, &curves, &error), &error);
        if (code == CLI_DONE && has_radius && !output->holds_radii) {
            fprintf(stderr, "heddle: note: %s: the radius is left out, %s files do not hold it\n",
                    request->out, output->extension);
        }
    }
    hed_mesh_free(&mesh);
    hed_curves_free(&curves);
    return code;
}

static int convert_frames(HedRunReader* reader, const Request* request, const char* frames) {
    int32_t count = hed_run_frame_count(reader);
    int32_t first = 0;
    int32_t last = 0;
    if (count == 0) {
        return cli_fail(CLI_BAD_INPUT, "%s: the run has no frames yet", request->in);
    }
    int code = cli_frames(frames, count, &first, &last);
    if (code != CLI_GO) {
        return code;
    }
    HedError error = {0};
    HedSeries series;
    HedStatus status = hed_run_series(reader, first, last, &series, &error);
    if (status == HED_OK) {
        cli_size_note(request->in, request->out, &series);
        status = hed_series_save(request->out, &series, request->force, &error);
    }
    return end(status, &error);
}

static int convert_run(const Request* request, const Output* output) {
    if (request->scale > 0.0 || request->radius > 0.0) {
        return cli_fail(CLI_BAD_INPUT, "--scale and --radius are for files, %s is a run",
                        request->in);
    }
    HedError error = {0};
    HedRunReader* reader = NULL;
    if (hed_run_open(request->in, &reader, &error) != HED_OK) {
        return cli_error(&error);
    }
    const char* frames = request->frames;
    if (!frames) {
        frames = output->holds_series ? ":" : "last";
    }
    int code = convert_frames(reader, request, frames);
    hed_run_close(reader);
    return code;
}

// What a scene holds at the start, its fabrics built and relaxed as it says.
static int convert_scene(const Request* request) {
    HedError error = {0};
    HedScene* scene = NULL;
    if (request->scale > 0.0 || request->radius > 0.0 || request->frames) {
        return cli_fail(CLI_BAD_INPUT, "%s: is a scene: it takes no --scale, --radius or --frame",
                        request->in);
    }
    HedStatus status =
        hed_scene_load(request->in, request->set.items, request->set.count, &scene, &error);
    if (status == HED_OK) {
        fputs(hed_scene_notes(scene), stderr);
        bool has_tiles = request->tiles[0] * request->tiles[1] > 1;
        cli_size_tell(request->out,
                      cli_size_of_scene(request->out, scene, request->tiles[0] * request->tiles[1]),
                      has_tiles ? "smaller --tiles write fewer yarns" : "");
        status = hed_scene_save(scene, request->out, request->tiles[0], request->tiles[1],
                                request->force, &error);
    }
    hed_scene_destroy(scene);
    return end(status, &error);
}

// Options that belong to one kind of IN.
static int check_kind(const Request* request) {
    if (cli_fabric_relaxes(&request->fabric) && !cli_is_fabric(request->in)) {
        return cli_fail(CLI_BAD_INPUT, "--relax is for drafts, charts and programs, not for %s%s",
                        request->in, is_scene(request->in) ? ": scenes say it by 'relax'" : "");
    }
    if (request->set.count > 0 && !is_scene(request->in)) {
        return cli_fail(CLI_BAD_INPUT, "--set is for scenes, not for %s", request->in);
    }
    return CLI_GO;
}

static int convert_series(const Request* request, const Output* output) {
    int code = check_kind(request);
    if (code == CLI_GO && !request->force && cli_exists(request->out)) {
        HedError error = {.status = HED_EXISTS}; // said before fabrics come to rest for minutes
        snprintf(error.message, sizeof error.message, "%s: exists already", request->out);
        return end(error.status, &error);
    }
    if (code != CLI_GO) {
        return code;
    }
    if (strcasecmp(cli_extension(request->in), "json") == 0 && hed_garment_is_file(request->in)) {
        CliGarmentLayout layout = {request->size, request->garment, request->force};
        return cli_garment_convert(request->in, request->out, &layout);
    }
    if (!cli_is_directory(request->in) && is_scene(request->in)) {
        return convert_scene(request);
    }
    return cli_is_directory(request->in) ? convert_run(request, output)
                                         : convert_file(request, output);
}

// The viewer with the run inside.
static int convert_page(const Request* request, const Output* output) {
    (void)output;
    ExportDef def = export_def_default();
    def.way_out = "--frame A:B writes fewer frames, 'heddle export' has --every N and --no-values";
    def.paths.items[def.paths.count++] = request->in;
    def.page = request->out;
    def.frames = request->frames;
    def.force = request->force;
    def.show.scale = request->scale > 0.0 ? request->scale : def.show.scale;
    def.show.radius = request->radius;
    def.show.tiles[0] = request->tiles[0];
    def.show.tiles[1] = request->tiles[1];
    return export_page(&def);
}

static const Output OUTPUTS[] = {
    {"obj", false, false, convert_series}, {"ply", false, true, convert_series},
    {"vtp", false, true, convert_series},  {"pvd", true, true, convert_series},
    {"usda", true, true, convert_series},  {"bcc", false, false, convert_series},
    {"html", true, true, convert_page},
};

enum { OUTPUT_COUNT = sizeof OUTPUTS / sizeof OUTPUTS[0] };

static const Output* find_output(const char* extension) {
    for (int32_t i = 0; i < OUTPUT_COUNT; ++i) {
        if (strcasecmp(extension, OUTPUTS[i].extension) == 0) {
            return &OUTPUTS[i];
        }
    }
    return NULL;
}

// "obj ply ..."
static const char* list_outputs(char list[64]) {
    list[0] = '\0';
    for (int32_t i = 0; i < OUTPUT_COUNT; ++i) {
        size_t used = strlen(list);
        snprintf(list + used, 64 - used, "%s%s", i ? " " : "", OUTPUTS[i].extension);
    }
    return list;
}

int cli_convert(int argc, char** argv) {
    Request request = {.tiles = {1, 1}};
    const CliOption options[] = {
        {"frame", 0, CLI_TEXT, &request.frames, "N|last|A:B",
         "frames of a run (default: all for usda, pvd and html, else the last)"},
        {"scale", 0, CLI_LENGTH, &request.scale, "LENGTH",
         "what a unit of a file is long: 0.01 or 1cm (default: 1 m)"},
        {"radius", 0, CLI_LENGTH, &request.radius, "LENGTH",
         "of yarns, such as 0.125mm, whatever their file says"},
        {"tiles", 0, CLI_PAIR, request.tiles, "NxM",
         "cells of yarns that repeat (.pyp, periodic fabrics) side by side (default: 1x1)"},
        {"size", 0, CLI_LENGTH, &request.size, "LENGTH", "of the triangles of a garment"},
        {"garment", 0, CLI_TEXT, &request.garment, "HOW",
         "panels of a garment: placed (default), flat or welded"},
        {"weave", 0, CLI_LIST, &request.fabric.weave, "KEY=VALUE", CLI_WEAVE_HELP},
        {"knit", 0, CLI_LIST, &request.fabric.knit, "KEY=VALUE", CLI_KNIT_HELP},
        {"relax", 0, CLI_FLAG, &request.fabric.relax, NULL,
         "yarns of a draft, a chart or a program come to rest first"},
        {"relax-set", 0, CLI_LIST, &request.fabric.rest, "KEY=VALUE", CLI_RELAX_HELP},
        {"set", 0, CLI_LIST, &request.set, "KEY=VALUE",
         "change a value of a scene by its dotted path"},
        {"force", 0, CLI_FLAG, &request.force, NULL, "replace OUT if it is there"},
    };
    char list[64];
    char about[560];
    snprintf(
        about, sizeof about,
        "Writes yarns (.bcc, .yarns, .pyp, .usda; .obj, .ply and .vtp with lines), a mesh (.obj,\n"
        ".ply, .vtp), a garment (.json), a weave draft (.wif), a knitting chart (.knit, .ks), a\n"
        "program of a knitting machine (.k, .knitout), what a scene (.yaml, .json) holds at its\n"
        "start, or the frames of a run directory in the format that the extension of OUT names: "
        "%s.",
        list_outputs(list));
    const CliCommand command = {
        .usage = "convert IN OUT [--frame N|last|A:B] [--scale LENGTH] [--radius LENGTH]\n"
                 "               [--tiles NxM] [--size LENGTH] [--garment placed|flat|welded]\n"
                 "               [--weave KEY=VALUE]... [--knit KEY=VALUE]... [--relax]\n"
                 "               [--relax-set KEY=VALUE]... [--set KEY=VALUE]... [--force]",
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
    request.in = arguments.items[0];
    request.out = arguments.items[1];
    const Output* output = find_output(cli_extension(request.out));
    if (!output) {
        return cli_fail(CLI_BAD_INPUT, "%s: unknown format '%s'; known are %s", request.out,
                        cli_extension(request.out), list);
    }
    cli_show_notes();
    return output->convert(&request, output);
}
