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
    return hed_yarn_count_parse(value, &def->linear_density, NULL) == HED_OK;
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

// A fabric that cannot be drawn is no bad input: its text was read before.
static int draw_failed(const HedError* error) {
    int code = cli_error(error);
    return error->status == HED_INVALID || error->status == HED_UNSUPPORTED ? CLI_GAVE_UP : code;
}

int cli_knit_fabric(const char* path, const CliList* settings, HedFabric* fabric) {
    HedError error = {0};
    HedKnitDef def;
    HedKnitFacts facts;
    int code = cli_knit_def(settings, &def);
    if (code != CLI_GO) {
        return code;
    }
    if (hed_knit_file_survey(path, &def, &facts, &error) != HED_OK) {
        return cli_error(&error);
    }
    return hed_knit_file_load(path, &def, fabric, NULL, &error) == HED_OK ? CLI_GO
                                                                          : draw_failed(&error);
}

// --- info ---

typedef struct Facts {
    const char* path;
    HedKnitFacts text;
    HedKnitDef def;
    HedFabric fabric; // if it could be drawn
    HedKnitReport report;
    HedStatus status; // of the attempt
    HedError error;
    bool is_assumed; // the yarn count
} Facts;

// What the text says is told before the yarns are drawn, which may take long.
static void tell_text(const Facts* facts, Json* json) {
    const HedKnitFacts* f = &facts->text;
    json_text(json, "kind", is_speech(facts->path) ? "knitspeak" : "knit");
    json_text(json, "path", facts->path);
    json_integer(json, "rows", f->row_count);
    json_integer(json, "cast_on", f->cast_on);
    json_integer(json, "stitches", f->stitch_count);
    json_bool(json, "round", f->is_round);
    json_integer(json, "loops", f->loop_count);
    json_integer(json, "widest", f->widest);
    json_integer(json, "live_loops", f->live_count);
    json_integer(json, "swaps", f->swap_count);
    json_integer(json, "yarns", f->yarn_count);
    fflush(stdout);
}

static double drawn_length(const Facts* facts) {
    bool is_drawn = facts->status == HED_OK;
    return is_drawn ? facts->report.loop_length * facts->report.loop_count
                    : hed_knit_loop_length(&facts->def) * facts->text.stitch_count;
}

static void tell_json(const Facts* facts, Json* json) {
    const HedFabric* fabric = &facts->fabric;
    const HedKnitReport* r = &facts->report;
    bool is_drawn = facts->status == HED_OK;
    double length = drawn_length(facts);
    json_bool(json, "drawn", is_drawn);
    json_bool(json, "proved", is_drawn && r->is_proved);
    json_text(json, is_drawn ? "drawn_by" : "why", is_drawn ? r->drawing : facts->error.message);
    json_number(json, "length", length);
    json_number(json, "yarn_length", length);
    json_number(json, "mass",
                is_drawn ? hed_fabric_mass(fabric) : length * facts->def.linear_density);
    json_number(json, "linear_density", facts->def.linear_density);
    json_bool(json, "linear_density_assumed", facts->is_assumed);
    if (is_drawn) {
        HedVec3 low, high;
        hed_fabric_bounds(fabric, &low, &high);
        json_integer(json, "courses", r->course_count);
        json_number(json, "loop_length", r->loop_length);
        json_number(json, "wale_spacing", r->wale_spacing);
        json_number(json, "course_spacing", r->course_spacing);
        json_number(json, "gap", r->gap);
        json_number(json, "width", high.x - low.x);
        json_number(json, "height", high.y - low.y);
        json_integer(json, "crossings", fabric->crossing_count);
        json_integer(json, "points", fabric->point_count);
    }
    json_array(json, "notes");
    for (int32_t i = 0; i < fabric->note_count; ++i) {
        json_text(json, NULL, fabric->notes[i]);
    }
    json_end(json);
}

static void print_text(const Facts* facts) {
    const HedKnitFacts* f = &facts->text;
    printf("%-9s %s\n", is_speech(facts->path) ? "knitspeak" : "knit", facts->path);
    printf("rows      %" PRId32 " %s of %" PRId32 " stitches in all; %" PRId32 " cast on\n",
           f->row_count, f->is_round ? "rounds" : "rows", f->stitch_count, f->cast_on);
    if (f->loop_count > 0) {
        printf("loops     %" PRId32 ", at most %" PRId32 " in one row; %" PRId32 " live; %" PRId32
               " pairs change places\n",
               f->loop_count, f->widest, f->live_count, f->swap_count);
    }
    fflush(stdout);
}

static void print_yarn(const Facts* facts) {
    bool is_drawn = facts->status == HED_OK;
    double length = drawn_length(facts);
    double mass = is_drawn ? hed_fabric_mass(&facts->fabric) : length * facts->def.linear_density;
    printf("yarn      %" PRId32 " of %.3g mm, %.4g tex%s; %s%.5g m, %.4g g\n",
           facts->text.yarn_count, 1e3 * facts->def.diameter, 1e6 * facts->def.linear_density,
           facts->is_assumed ? " (as cotton: --knit count=COUNT tells better)" : "",
           is_drawn ? "" : "about ", length, 1e3 * mass);
}

static void print_drawn(const Facts* facts) {
    const HedFabric* fabric = &facts->fabric;
    const HedKnitReport* r = &facts->report;
    print_yarn(facts);
    if (facts->status == HED_OK) {
        HedVec3 low, high;
        hed_fabric_bounds(fabric, &low, &high);
        printf("stitch    %.4g mm of yarn on average; columns %.4g mm apart, rows %.4g mm\n",
               1e3 * r->loop_length, 1e3 * r->wale_spacing, 1e3 * r->course_spacing);
        printf("fabric    %.4g x %.4g x %.4g mm before it relaxes\n", 1e3 * (high.x - low.x),
               1e3 * (high.y - low.y), 1e3 * (high.z - low.z));
        printf("gap       %.3g mm between the closest yarns%s\n", 1e3 * r->gap,
               r->gap < 0.0 ? ": they overlap" : "");
        printf("crossings %" PRId32 "; every loop goes through its parents and no other\n",
               fabric->crossing_count);
        printf("drawn     yes, by %s\n", r->drawing);
    } else {
        printf("drawn     no: %s\n", facts->error.message);
    }
    for (int32_t i = 0; i < fabric->note_count; ++i) {
        printf("note      %s\n", fabric->notes[i]);
    }
}

int cli_knit_info(const char* path, const CliList* settings, bool as_json) {
    HedError error = {0};
    Facts facts = {.path = path};
    Json json;
    int code = cli_knit_def(settings, &facts.def);
    if (code != CLI_GO) {
        return code;
    }
    facts.is_assumed = cli_knit_assume_count(&facts.def);
    if (hed_knit_file_survey(path, &facts.def, &facts.text, &error) != HED_OK) {
        return cli_error(&error);
    }
    if (as_json) {
        json = json_begin(stdout);
        tell_text(&facts, &json);
    } else {
        print_text(&facts);
    }
    facts.status = hed_knit_file_load(path, &facts.def, &facts.fabric, &facts.report, &facts.error);
    if (as_json) {
        tell_json(&facts, &json);
        json_finish(&json);
    } else {
        print_drawn(&facts);
    }
    code = facts.status == HED_OK ? CLI_DONE : draw_failed(&facts.error);
    hed_fabric_free(&facts.fabric);
    return code;
}
