// SPDX-License-Identifier: MIT
// How weave drafts are woven, and the yarns they give.
#include "cli/weave.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

bool cli_is_draft(const char* path) {
    return strcasecmp(cli_extension(path), "wif") == 0;
}

// --- settings ---

typedef struct Setting {
    const char* key;
    int (*set)(const char* value, HedWeaveDef* def);
    const char* rule;
} Setting;

static int set_sett(const char* value, HedWeaveDef* def) {
    char first[32];
    const char* comma = strchr(value, ',');
    size_t size = comma ? (size_t)(comma - value) : strlen(value);
    double ends = 0.0, picks = 0.0;
    if (size >= sizeof first) {
        return CLI_BAD_INPUT;
    }
    memcpy(first, value, size);
    first[size] = '\0';
    if (!cli_number(first, &ends) || !cli_number(comma ? comma + 1 : first, &picks) ||
        !(ends > 0.0) || !(picks > 0.0)) {
        return CLI_BAD_INPUT;
    }
    def->warp.sett = 100.0 * ends;
    def->weft.sett = 100.0 * picks;
    return CLI_GO;
}

static int set_count(const char* value, double* linear_density) {
    return hed_yarn_count_parse(value, linear_density, NULL) == HED_OK ? CLI_GO : CLI_BAD_INPUT;
}

static int set_warp(const char* value, HedWeaveDef* def) {
    return set_count(value, &def->warp.linear_density);
}

static int set_weft(const char* value, HedWeaveDef* def) {
    return set_count(value, &def->weft.linear_density);
}

static int set_integer(const char* value, int64_t least, int32_t* target) {
    int64_t number = 0;
    if (!cli_integer(value, least, 100000, &number)) {
        return CLI_BAD_INPUT;
    }
    *target = (int32_t)number;
    return CLI_GO;
}

static int set_ends(const char* value, HedWeaveDef* def) {
    return set_integer(value, 1, &def->warp.count);
}

static int set_picks(const char* value, HedWeaveDef* def) {
    return set_integer(value, 1, &def->weft.count);
}

static int set_points(const char* value, HedWeaveDef* def) {
    return set_integer(value, 2, &def->points);
}

static int set_selvedge(const char* value, HedWeaveDef* def) {
    for (int32_t i = 0; i < HED_SELVEDGE_COUNT; ++i) {
        if (strcmp(value, hed_selvedge_name((HedSelvedge)i)) == 0) {
            def->selvedge = (HedSelvedge)i;
            return CLI_GO;
        }
    }
    return CLI_BAD_INPUT;
}

static int set_mirrored(const char* value, HedWeaveDef* def) {
    def->is_mirrored = strcmp(value, "true") == 0;
    return def->is_mirrored || strcmp(value, "false") == 0 ? CLI_GO : CLI_BAD_INPUT;
}

static int set_periodic(const char* value, HedWeaveDef* def) {
    def->is_periodic = strcmp(value, "true") == 0;
    return def->is_periodic || strcmp(value, "false") == 0 ? CLI_GO : CLI_BAD_INPUT;
}

static const Setting SETTINGS[] = {
    {"sett", set_sett, "threads per cm, such as 20,18"},
    {"warp", set_warp, "a yarn count such as '30 tex' or 'Ne 20'"},
    {"weft", set_weft, "a yarn count such as '30 tex' or 'Ne 20'"},
    {"ends", set_ends, "a whole number from 1 to 100000"},
    {"picks", set_picks, "a whole number from 1 to 100000"},
    {"points", set_points, "a whole number from 2 to 1000"},
    {"selvedge", set_selvedge, "cut or turned"},
    {"mirrored", set_mirrored, "true or false"},
    {"periodic", set_periodic, "true or false"},
};

static int apply(const char* text, HedWeaveDef* def) {
    size_t size = strcspn(text, "=");
    for (size_t i = 0; i < sizeof SETTINGS / sizeof SETTINGS[0]; ++i) {
        const Setting* setting = &SETTINGS[i];
        if (strlen(setting->key) == size && strncmp(setting->key, text, size) == 0 && text[size]) {
            int code = setting->set(text + size + 1, def);
            return code == CLI_GO ? CLI_GO
                                  : cli_fail(CLI_BAD_INPUT, "--weave %s needs %s, got '%s'",
                                             setting->key, setting->rule, text + size + 1);
        }
    }
    return cli_fail(CLI_BAD_INPUT,
                    "--weave needs KEY=VALUE with sett, warp, weft, ends, picks, points, selvedge, "
                    "mirrored or periodic, got '%s'",
                    text);
}

int cli_weave_def(const CliList* settings, HedWeaveDef* def) {
    *def = hed_weave_def_default();
    for (int32_t i = 0; i < settings->count; ++i) {
        int code = apply(settings->items[i], def);
        if (code != CLI_GO) {
            return code;
        }
    }
    return CLI_GO;
}

int cli_weave_fabric(const char* path, const CliList* settings, HedFabric* fabric) {
    HedError error = {0};
    HedWeaveDef def;
    HedWeave weave = {0};
    int code = cli_weave_def(settings, &def);
    if (code != CLI_GO) {
        return code;
    }
    HedStatus status = hed_weave_load(path, &weave, &error);
    for (int32_t i = 0; i < weave.note_count; ++i) {
        fprintf(stderr, "heddle: note: %s: %s\n", path, weave.notes[i]);
    }
    status = status == HED_OK ? hed_weave_build(&weave, &def, fabric, &error) : status;
    hed_weave_free(&weave);
    return status == HED_OK ? CLI_GO : cli_error(&error);
}
