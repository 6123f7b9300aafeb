// SPDX-License-Identifier: MIT
#include "cli/fabric.h"
#include "cli/knit.h"
#include "cli/knitout.h"
#include "cli/progress.h"
#include "cli/weave.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

// --- how it comes to rest ---

static const struct Number {
    const char* key;
    size_t offset; // of a double in HedRelaxDef
} NUMBERS[] = {
    {"friction", offsetof(HedRelaxDef, friction)}, {"shrink", offsetof(HedRelaxDef, shrink)},
    {"stretch", offsetof(HedRelaxDef, stretch)},   {"contact", offsetof(HedRelaxDef, contact)},
    {"plates", offsetof(HedRelaxDef, plates)},     {"force", offsetof(HedRelaxDef, force)},
    {"speed", offsetof(HedRelaxDef, speed)},
};

static bool is_key(const char* text, const char* key) {
    size_t size = strlen(key);
    return strncmp(text, key, size) == 0 && text[size] == '=';
}

static int apply(const char* text, HedRelaxDef* def) {
    const char* value = text + strcspn(text, "=") + (strchr(text, '=') != NULL);
    if (is_key(text, "iterations")) {
        int64_t number = 0;
        bool fits = cli_integer(value, 1, 100000000, &number);
        def->limit = (int32_t)number;
        return fits ? CLI_GO
                    : cli_fail(CLI_BAD_INPUT,
                               "--relax-set iterations needs a whole number from 1 to 100000000, "
                               "got '%s'",
                               value);
    }
    for (size_t k = 0; k < sizeof NUMBERS / sizeof NUMBERS[0]; ++k) {
        if (is_key(text, NUMBERS[k].key)) {
            double* target = (double*)(void*)((char*)def + NUMBERS[k].offset);
            return cli_number(value, target)
                       ? CLI_GO
                       : cli_fail(CLI_BAD_INPUT, "--relax-set %s needs a number, got '%s'",
                                  NUMBERS[k].key, value);
        }
    }
    return cli_fail(CLI_BAD_INPUT,
                    "--relax-set needs KEY=VALUE with friction, shrink, stretch, contact, plates, "
                    "force, speed or iterations, got '%s'",
                    text);
}

typedef struct Talk {
    const char* path;
    double said; // s
} Talk;

static void say(const HedRelaxProgress* p, void* context) {
    const double every = 5.0; // s
    Talk* talk = context;
    if (cli_now() - talk->said >= every) {
        talk->said = cli_now();
        fprintf(stderr,
                "%s: relaxing: iteration %" PRId32 " of at most %" PRId32
                ", thickness %.2f, force %.2g, speed %.2g, overlap %.2g, %.0f s\n",
                talk->path, p->iteration, p->limit, p->thickness, p->force, p->speed, p->overlap,
                p->wall);
    }
}

static bool is_stopped(void* context) {
    (void)context;
    return cli_progress_stop(NULL);
}

static int relax(const char* path, const CliFabricOptions* options, HedFabric* fabric) {
    HedError error = {0};
    HedRelaxDef def = hed_relax_def_default();
    HedRelaxReport report;
    Talk talk = {path, cli_now()};
    int code = CLI_GO;
    for (int32_t i = 0; i < options->rest.count && code == CLI_GO; ++i) {
        code = apply(options->rest.items[i], &def);
    }
    if (code != CLI_GO) {
        return code;
    }
    def.progress = say;
    def.stop = is_stopped;
    def.context = &talk;
    cli_progress_catch_signals();
    if (hed_fabric_relax_cached(fabric, &def, NULL, &report, &error) != HED_OK) {
        return cli_error(&error);
    }
    fprintf(stderr,
            "heddle: note: %s: relaxed%s in %" PRId32
            " iterations: force %.2g B/d^2, speed %.2g d, overlap %.2g d%s\n",
            path, report.is_quiet ? "" : ", but not quiet", report.iterations, report.force,
            report.speed, report.overlap, report.is_cached ? " (kept from before)" : "");
    return CLI_GO;
}

// --- yarns ---

bool cli_is_fabric(const char* path) {
    return cli_is_draft(path) || cli_is_chart(path) || cli_is_knitout(path);
}

bool cli_fabric_relaxes(const CliFabricOptions* options) {
    return options->relax || options->rest.count > 0;
}

static int make(const char* path, const CliFabricOptions* options, HedFabric* fabric) {
    if (cli_is_draft(path)) {
        return cli_weave_fabric(path, &options->weave, fabric);
    }
    return cli_is_chart(path) ? cli_knit_fabric(path, &options->knit, fabric)
                              : cli_knitout_fabric(path, &options->knit, fabric);
}

int cli_fabric_curves(const char* path, const CliFabricOptions* options, HedCurves* curves) {
    HedError error = {0};
    HedFabric fabric = {0};
    int code = make(path, options, &fabric);
    for (int32_t i = 0; code == CLI_GO && i < fabric.note_count; ++i) {
        fprintf(stderr, "heddle: note: %s: %s\n", path, fabric.notes[i]);
    }
    if (code == CLI_GO && cli_fabric_relaxes(options)) {
        code = relax(path, options, &fabric);
    }
    if (code == CLI_GO && hed_fabric_curves(&fabric, curves, &error) != HED_OK) {
        code = cli_error(&error);
    }
    hed_fabric_free(&fabric);
    return code;
}
