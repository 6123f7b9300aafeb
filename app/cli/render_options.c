// SPDX-License-Identifier: MIT
#include "cli/render_options.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const double DEGREE = 3.14159265358979323846 / 180.0;

// The words as they stand on the command line; NULL if not given.
typedef struct Words {
    const char *size, *samples, *look, *range, *bits, *fps, *seed, *plies, *twist, *fuzz;
    const char *azimuth, *elevation, *zoom, *fov, *camera, *target, *up, *orbit, *depth;
} Words;

// A number within bounds; nothing happens if the word was not given.
typedef struct NumberRule {
    const char* name;
    const char* text;
    double least, most;
    double* target;
} NumberRule;

static int read_numbers(const NumberRule* rules, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        const NumberRule* r = &rules[i];
        double value = 0.0;
        if (!r->text) {
            continue;
        }
        if (!cli_number(r->text, &value) || value < r->least || value > r->most) {
            return cli_fail(CLI_BAD_INPUT, "--%s needs a number from %g to %g, got '%s'", r->name,
                            r->least, r->most, r->text);
        }
        *r->target = value;
    }
    return CLI_GO;
}

typedef struct WholeRule {
    const char* name;
    const char* text;
    int64_t least, most;
    int32_t* target;
} WholeRule;

static int read_wholes(const WholeRule* rules, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        const WholeRule* r = &rules[i];
        int64_t value = 0;
        if (!r->text) {
            continue;
        }
        if (!cli_integer(r->text, r->least, r->most, &value)) {
            return cli_fail(CLI_BAD_INPUT,
                            "--%s needs a whole number from %" PRId64 " to %" PRId64 ", got '%s'",
                            r->name, r->least, r->most, r->text);
        }
        *r->target = (int32_t)value;
    }
    return CLI_GO;
}

// "a<separator>b<separator>c" as count numbers.
static bool split_numbers(const char* text, char separator, int count, double* out) {
    for (int i = 0; i < count; ++i) {
        char part[64];
        const char* end = strchr(text, separator);
        size_t size = end ? (size_t)(end - text) : strlen(text);
        bool is_last = i + 1 == count;
        if ((end != NULL) == is_last || size >= sizeof part) {
            return false;
        }
        memcpy(part, text, size);
        part[size] = '\0';
        if (!cli_number(part, &out[i])) {
            return false;
        }
        text += size + 1;
    }
    return true;
}

static int read_place(const char* name, const char* text, HedVec3* out, bool* has) {
    double v[3];
    if (!text) {
        return CLI_GO;
    }
    if (!split_numbers(text, ',', 3, v)) {
        return cli_fail(CLI_BAD_INPUT, "--%s needs X,Y,Z in metres, got '%s'", name, text);
    }
    *out = (HedVec3){v[0], v[1], v[2]};
    *has = true;
    return CLI_GO;
}

static int read_size(const char* text, HedRenderDef* def) {
    double v[2];
    if (!text) {
        return CLI_GO;
    }
    if (!split_numbers(text, 'x', 2, v) || v[0] < 1.0 || v[1] < 1.0 || v[0] > 16384.0 ||
        v[1] > 16384.0 || v[0] != floor(v[0]) || v[1] != floor(v[1])) {
        return cli_fail(CLI_BAD_INPUT, "--size needs WIDTHxHEIGHT, each from 1 to 16384, got '%s'",
                        text);
    }
    def->width = (int32_t)v[0];
    def->height = (int32_t)v[1];
    return CLI_GO;
}

static int read_look(const char* text, RenderOptions* options) {
    const char* names[HED_LOOK_COUNT];
    // Colours of a quantity want even light, unless another look is asked for.
    options->def.look = options->color_by ? HED_LOOK_STRAIN : HED_LOOK_STUDIO;
    for (int i = 0; text && i < HED_LOOK_COUNT; ++i) {
        names[i] = hed_look_name((HedLook)i);
        if (strcmp(text, names[i]) == 0) {
            options->def.look = (HedLook)i;
            text = NULL;
        }
    }
    if (options->def.look == HED_LOOK_STRAIN && !options->color_by) {
        options->color_by = "strain";
    }
    if (!text) {
        return CLI_GO;
    }
    const char* nearest = cli_nearest(text, names, HED_LOOK_COUNT);
    return nearest ? cli_fail(CLI_BAD_INPUT, "unknown look '%s'; did you mean '%s'?", text, nearest)
                   : cli_fail(CLI_BAD_INPUT,
                              "unknown look '%s'; there are studio, flat, xray and strain", text);
}

static int read_range(const char* text, RenderOptions* options) {
    if (!text) {
        return CLI_GO;
    }
    if (!split_numbers(text, ':', 2, options->range) || options->range[0] == options->range[1]) {
        return cli_fail(CLI_BAD_INPUT, "--range needs LOW:HIGH, two different numbers, got '%s'",
                        text);
    }
    return options->color_by ? CLI_GO
                             : cli_fail(CLI_BAD_INPUT, "--range needs --color-by or --look strain");
}

static int read_words(const Words* w, RenderOptions* o) {
    double azimuth = o->framing.azimuth / DEGREE;
    double elevation = o->framing.elevation / DEGREE;
    double field = o->framing.field / DEGREE;
    double orbit = 0.0;
    o->has_elevation = w->elevation != NULL;
    double seed = (double)o->def.seed;
    const NumberRule numbers[] = {
        {"fps", w->fps, 0.1, 240.0, &o->fps},
        {"seed", w->seed, 0.0, 1e15, &seed},
        {"fuzz", w->fuzz, 0.0, 1.0, &o->def.fuzz},
        {"twist", w->twist, -2.0, 2.0, &o->def.ply_twist},
        {"azimuth", w->azimuth, -3600.0, 3600.0, &azimuth},
        {"elevation", w->elevation, -90.0, 90.0, &elevation},
        {"zoom", w->zoom, 0.01, 1000.0, &o->framing.zoom},
        {"fov", w->fov, 0.1, 170.0, &field},
        {"orbit", w->orbit, -36000.0, 36000.0, &orbit},
    };
    const WholeRule wholes[] = {
        {"samples", w->samples, 1, 65536, &o->def.samples},
        {"depth", w->depth, 1, 1000, &o->def.depth},
        {"plies", w->plies, 1, 16, &o->def.plies},
        {"bits", w->bits, 8, 16, &o->bits},
    };
    int code = read_numbers(numbers, sizeof numbers / sizeof numbers[0]);
    code = code == CLI_GO ? read_wholes(wholes, sizeof wholes / sizeof wholes[0]) : code;
    code = code == CLI_GO ? read_size(w->size, &o->def) : code;
    code = code == CLI_GO ? read_look(w->look, o) : code;
    code = code == CLI_GO ? read_range(w->range, o) : code;
    code = code == CLI_GO ? read_place("camera", w->camera, &o->position, &o->has_position) : code;
    code = code == CLI_GO ? read_place("target", w->target, &o->target, &o->has_target) : code;
    code = code == CLI_GO ? read_place("up", w->up, &o->up, &o->has_up) : code;
    if (code == CLI_GO && o->bits != 8 && o->bits != 16) {
        code = cli_fail(CLI_BAD_INPUT, "--bits must be 8 or 16, got '%s'", w->bits);
    }
    o->framing.azimuth = azimuth * DEGREE;
    o->framing.elevation = elevation * DEGREE;
    o->framing.field = field * DEGREE;
    o->framing.aspect = (double)o->def.width / o->def.height;
    o->orbit = orbit * DEGREE;
    o->def.seed = (uint64_t)seed;
    return code;
}

// lint: long, a table with one line per option
int render_options_read(int argc, char** argv, RenderOptions* o) {
    Words w = {0};
    *o = (RenderOptions){.show = hed_show_options_default(),
                         .def = hed_render_def_default(),
                         .framing = hed_framing_default(),
                         .range = {(double)NAN, (double)NAN},
                         .bits = 8};
    const CliOption options[] = {
        {"output", 'o', CLI_TEXT, &o->output, "FILE", "picture (.png) or film (.mp4) to write"},
        {"frame", 0, CLI_TEXT, &o->frames, "N|last|A:B",
         "frames of a run (default: last; film: all)"},
        {"size", 0, CLI_TEXT, &w.size, "WxH", "pixels (default: 1280x960)"},
        {"samples", 0, CLI_TEXT, &w.samples, "N", "paths per pixel: less noise (default: 64)"},
        {"threads", 0, CLI_COUNT, &o->def.thread_count, "N",
         "threads; the picture does not change"},
        {"look", 0, CLI_TEXT, &w.look, "NAME", "studio (default), flat, xray or strain"},
        {"color-by", 0, CLI_TEXT, &o->color_by, "NAME", "colours of a quantity, with a legend"},
        {"range", 0, CLI_TEXT, &w.range, "LOW:HIGH", "values of the first and the last colour"},
        {"no-legend", 0, CLI_FLAG, &o->hide_legend, NULL, "no colour scale in the picture"},
        {"azimuth", 0, CLI_TEXT, &w.azimuth, "DEG", "camera goes round (default: 35)"},
        {"elevation", 0, CLI_TEXT, &w.elevation, "DEG",
         "camera goes up (default: 20 to 50, the flatter the thing)"},
        {"zoom", 0, CLI_TEXT, &w.zoom, "X", "2 shows the middle half (default: 1)"},
        {"fov", 0, CLI_TEXT, &w.fov, "DEG", "angle of view, shorter side (default: 30)"},
        {"camera", 0, CLI_TEXT, &w.camera, "X,Y,Z", "where the camera is, m"},
        {"target", 0, CLI_TEXT, &w.target, "X,Y,Z", "what is in the middle, m"},
        {"up", 0, CLI_TEXT, &w.up, "X,Y,Z", "what is up in the picture (default: 0,1,0)"},
        {"aperture", 0, CLI_LENGTH, &o->def.camera.aperture, "LENGTH",
         "width of the lens: blurs what is out of focus"},
        {"focus", 0, CLI_LENGTH, &o->def.camera.focus, "LENGTH",
         "distance that is sharp (default: the target's)"},
        {"plies", 0, CLI_TEXT, &w.plies, "N", "strands of a yarn (default: 3; 1: smooth)"},
        {"twist", 0, CLI_TEXT, &w.twist, "X", "turns of plies per yarn diameter (default: 0.2)"},
        {"fuzz", 0, CLI_TEXT, &w.fuzz, "X", "hairs on yarns, 0 to 1 (default: 0.5)"},
        {"depth", 0, CLI_TEXT, &w.depth, "N", "most bounces of light (default: 8)"},
        {"scale", 0, CLI_LENGTH, &o->show.scale, "LENGTH",
         "unit of a mesh or yarn file (default: 1 m)"},
        {"radius", 0, CLI_LENGTH, &o->show.radius, "LENGTH", "of yarns whose file gives none"},
        {"set", 0, CLI_LIST, &o->set, "KEY=VALUE", "change a value of a scene by its dotted path"},
        {"tiles", 0, CLI_PAIR, o->show.tiles, "NxM",
         "cells of yarns that repeat (.pyp) side by side (default: 1x1)"},
        {"fps", 0, CLI_TEXT, &w.fps, "X", "frames per second of a film (default: real time)"},
        {"orbit", 0, CLI_TEXT, &w.orbit, "DEG", "turn of the camera during a film"},
        {"bits", 0, CLI_TEXT, &w.bits, "8|16", "per channel of a PNG (default: 8)"},
        {"seed", 0, CLI_TEXT, &w.seed, "N", "another pattern of noise"},
        {"force", 0, CLI_FLAG, &o->force, NULL, "replace FILE if it is there"},
        {"json", 0, CLI_FLAG, &o->json, NULL, "JSON lines on stdout, the last the summary"},
        {"quiet", 'q', CLI_FLAG, &o->quiet, NULL, "say nothing but errors"},
    };
    const CliCommand command = {
        .usage = "render RUN|FILE [-o FILE.png|FILE.mp4] [--frame N|last|A:B] [--look NAME] ...",
        .about = "Draws a run directory or a FILE by path tracing. Without -o the picture goes "
                 "into the\n"
                 "current directory, named after the input. Ctrl-C ends after the pass in hand and "
                 "keeps the\n"
                 "picture so far.\n" CLI_SHOWN,
        .options = options,
        .option_count = sizeof options / sizeof options[0],
        .least = 1,
        .most = 1,
        .missing = "RUN or FILE",
    };
    CliList arguments;
    int code = cli_parse(&command, argc, argv, &arguments);
    if (code != CLI_GO) {
        return code;
    }
    o->input = arguments.items[0];
    o->show.overrides = o->set.items;
    o->show.override_count = o->set.count;
    if (!o->quiet) {
        cli_show_notes();
    }
    return read_words(&w, o);
}
