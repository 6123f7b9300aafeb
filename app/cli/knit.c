// SPDX-License-Identifier: MIT
// Facts about knitting charts and instructions, and the yarns they give.
#include "cli/knit.h"
#include "cli/json.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

static bool is_speech(const char* path) {
    return strcasecmp(cli_extension(path), "ks") == 0;
}

bool cli_is_chart(const char* path) {
    return strcasecmp(cli_extension(path), "knit") == 0 || is_speech(path);
}

// --- settings ---

typedef struct Setting {
    const char* key;
    bool (*set)(const char* value, HedKnitDef* def);
    const char* rule;
} Setting;

static bool set_diameter(const char* value, HedKnitDef* def) {
    return cli_length(value, &def->diameter) && def->diameter > 0.0;
}

static bool set_loop(const char* value, HedKnitDef* def) {
    return cli_length(value, &def->loop_length) && def->loop_length > 0.0;
}

static bool set_count(const char* value, HedKnitDef* def) {
    return hed_yarn_count(value, &def->linear_density, NULL) == HED_OK;
}

static bool set_points(const char* value, HedKnitDef* def) {
    int64_t number = 0;
    bool fits = cli_integer(value, 8, 1000, &number);
    def->points_per_loop = (int32_t)number;
    return fits;
}

static bool set_round(const char* value, HedKnitDef* def) {
    def->is_round = strcmp(value, "true") == 0;
    return def->is_round || strcmp(value, "false") == 0;
}

static const Setting SETTINGS[] = {
    {"diameter", set_diameter, "a length above 0, such as 1.5mm"},
    {"loop", set_loop, "a length above 0, such as 12mm"},
    {"count", set_count, "a yarn count such as '30 tex' or 'Ne 20'"},
    {"points", set_points, "a whole number from 8 to 1000"},
    {"round", set_round, "true or false"},
};

static int apply(const char* text, HedKnitDef* def) {
    size_t size = strcspn(text, "=");
    for (size_t i = 0; i < sizeof SETTINGS / sizeof SETTINGS[0]; ++i) {
        const Setting* setting = &SETTINGS[i];
        if (strlen(setting->key) == size && strncmp(setting->key, text, size) == 0 && text[size]) {
            return setting->set(text + size + 1, def)
                       ? CLI_GO
                       : cli_fail(CLI_BAD_INPUT, "--knit %s needs %s, got '%s'", setting->key,
                                  setting->rule, text + size + 1);
        }
    }
    return cli_fail(CLI_BAD_INPUT,
                    "--knit needs KEY=VALUE with diameter, loop, count, points or round, got '%s'",
                    text);
}

int cli_knit_def(const CliList* settings, HedKnitDef* def) {
    *def = hed_knit_def_default();
    int code = CLI_GO;
    for (int32_t i = 0; i < settings->count && code == CLI_GO; ++i) {
        code = apply(settings->items[i], def);
    }
    return code;
}

bool cli_knit_assume_count(HedKnitDef* def) {
    static const double PI = 3.14159265358979323846;
    if (def->linear_density > 0.0) {
        return false;
    }
    double density = hed_weave_def_default().yarn_density;
    def->linear_density = 0.25 * PI * def->diameter * def->diameter * density;
    return true;
}

static int make(const char* path, const HedKnitDef* def, HedFabric* fabric, HedKnitReport* report) {
    HedError error = {0};
    HedStatus status = is_speech(path) ? hed_knitspeak_load(path, def, fabric, report, &error)
                                       : hed_knit_load(path, def, fabric, report, &error);
    return status == HED_OK ? CLI_GO : cli_error(&error);
}

int cli_knit_fabric(const char* path, const CliList* settings, HedFabric* fabric) {
    HedKnitDef def;
    int code = cli_knit_def(settings, &def);
    return code == CLI_GO ? make(path, &def, fabric, NULL) : code;
}

// --- info ---

typedef struct Facts {
    const char* path;
    HedFabric fabric;
    HedKnitReport report;
    bool is_assumed; // the yarn count
} Facts;

static void print_json(const Facts* facts) {
    const HedFabric* fabric = &facts->fabric;
    const HedKnitReport* r = &facts->report;
    HedVec3 low, high;
    hed_fabric_bounds(fabric, &low, &high);
    Json json = json_begin(stdout);
    json_text(&json, "kind", is_speech(facts->path) ? "knitspeak" : "knit");
    json_text(&json, "path", facts->path);
    json_integer(&json, "loops", r->loop_count);
    json_integer(&json, "courses", r->course_count);
    json_integer(&json, "widest", r->widest);
    json_integer(&json, "live_loops", r->live_count);
    json_integer(&json, "yarns", r->yarn_count);
    json_number(&json, "length", r->loop_length * r->loop_count);
    json_number(&json, "yarn_length", r->loop_length * r->loop_count);
    json_number(&json, "mass", hed_fabric_mass(fabric));
    json_number(&json, "linear_density", fabric->yarns[0].linear_density);
    json_bool(&json, "linear_density_assumed", facts->is_assumed);
    json_number(&json, "loop_length", r->loop_length);
    json_number(&json, "wale_spacing", r->wale_spacing);
    json_number(&json, "course_spacing", r->course_spacing);
    json_number(&json, "gap", r->gap);
    json_number(&json, "width", high.x - low.x);
    json_number(&json, "height", high.y - low.y);
    json_integer(&json, "crossings", fabric->crossing_count);
    json_integer(&json, "points", fabric->point_count);
    json_finish(&json);
}

static void print_text(const Facts* facts) {
    const HedFabric* fabric = &facts->fabric;
    const HedKnitReport* r = &facts->report;
    HedVec3 low, high;
    hed_fabric_bounds(fabric, &low, &high);
    const HedFabricYarn* yarn = &fabric->yarns[0];
    printf("%-9s %s\n", is_speech(facts->path) ? "knitspeak" : "knit", facts->path);
    printf("loops     %" PRId32 " in %" PRId32 " courses, at most %" PRId32 " in one; %" PRId32
           " live\n",
           r->loop_count, r->course_count, r->widest, r->live_count);
    printf("yarn      %" PRId32 " of %.3g mm, %.4g tex%s; %.5g m, %.4g g\n", r->yarn_count,
           1e3 * yarn->diameter, 1e6 * yarn->linear_density,
           facts->is_assumed ? " (as cotton: --knit count=COUNT tells better)" : "",
           r->loop_length * r->loop_count, 1e3 * hed_fabric_mass(fabric));
    printf("stitch    %.4g mm of yarn on average; columns %.4g mm apart, rows %.4g mm\n",
           1e3 * r->loop_length, 1e3 * r->wale_spacing, 1e3 * r->course_spacing);
    printf("fabric    %.4g x %.4g x %.4g mm before it relaxes\n", 1e3 * (high.x - low.x),
           1e3 * (high.y - low.y), 1e3 * (high.z - low.z));
    printf("gap       %.3g mm between the closest yarns%s\n", 1e3 * r->gap,
           r->gap < 0.0 ? ": they overlap" : "");
    printf("crossings %" PRId32 "; every loop goes through its parents and no other\n",
           fabric->crossing_count);
    for (int32_t i = 0; i < fabric->note_count; ++i) {
        printf("note      %s\n", fabric->notes[i]);
    }
}

int cli_knit_info(const char* path, const CliList* settings, bool as_json) {
    Facts facts = {.path = path};
    HedKnitDef def;
    int code = cli_knit_def(settings, &def);
    if (code == CLI_GO) {
        facts.is_assumed = cli_knit_assume_count(&def);
        code = make(path, &def, &facts.fabric, &facts.report);
    }
    if (code == CLI_GO) {
        (as_json ? print_json : print_text)(&facts);
        code = CLI_DONE;
    }
    hed_fabric_free(&facts.fabric);
    return code;
}
