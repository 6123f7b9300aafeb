// SPDX-License-Identifier: MIT
// Facts about weave drafts, and the yarns they give.
#include "cli/weave.h"
#include "cli/json.h"

#include <inttypes.h>
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
    return hed_yarn_count(value, linear_density, NULL) == HED_OK ? CLI_GO : CLI_BAD_INPUT;
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

// --- a draft and its cloth ---

typedef struct Cloth {
    HedWeave weave;
    HedWeaveDef def;
    HedFabric fabric;
} Cloth;

static void cloth_free(Cloth* cloth) {
    hed_fabric_free(&cloth->fabric);
    hed_weave_free(&cloth->weave);
}

static int cloth_make(const char* path, const CliList* settings, Cloth* cloth) {
    HedError error = {0};
    cloth->def = hed_weave_def_default();
    for (int32_t i = 0; i < settings->count; ++i) {
        int code = apply(settings->items[i], &cloth->def);
        if (code != CLI_GO) {
            return code;
        }
    }
    if (hed_weave_load(path, &cloth->weave, &error) != HED_OK ||
        hed_weave_build(&cloth->weave, &cloth->def, &cloth->fabric, &error) != HED_OK) {
        return cli_error(&error);
    }
    return CLI_GO;
}

int cli_weave_fabric(const char* path, const CliList* settings, HedFabric* fabric) {
    Cloth cloth = {0};
    int code = cloth_make(path, settings, &cloth);
    for (int32_t i = 0; code == CLI_GO && i < cloth.weave.note_count; ++i) {
        fprintf(stderr, "heddle: note: %s: %s\n", path, cloth.weave.notes[i]);
    }
    *fabric = cloth.fabric;
    cloth.fabric = (HedFabric){0};
    cloth_free(&cloth);
    return code;
}

// --- info ---

// What one system of threads needs.
typedef struct Need {
    int32_t threads;
    int32_t yarns;
    double diameter;       // m, of its first yarn
    double linear_density; // kg/m, of the same
    double length, mass;   // of all
} Need;

typedef struct Facts {
    HedWeaveFacts draft;
    HedCover cover;
    Need warp, weft;
} Facts;

static void add_yarn(Need* need, const HedFabric* fabric, int32_t yarn) {
    const HedFabricYarn* y = &fabric->yarns[yarn];
    if (need->yarns++ == 0) {
        need->diameter = y->diameter;
        need->linear_density = y->linear_density;
    }
    double length = hed_fabric_length(fabric, yarn);
    need->length += length;
    need->mass += length * y->linear_density;
}

static HedStatus find_facts(const Cloth* cloth, Facts* facts, HedError* error) {
    const HedFabric* fabric = &cloth->fabric;
    HedStatus status = hed_weave_facts(&cloth->weave, &facts->draft, error);
    if (status == HED_OK) {
        status = hed_weave_cover(&cloth->weave, &cloth->def, &facts->cover, error);
    }
    if (status == HED_OK) {
        status = hed_fabric_check(fabric, error);
    }
    for (int32_t i = 0; i < fabric->yarn_count; ++i) {
        bool is_warp = strcmp(fabric->yarns[i].name, "warp") == 0;
        add_yarn(is_warp ? &facts->warp : &facts->weft, fabric, i);
    }
    facts->warp.threads = facts->warp.yarns;
    facts->weft.threads = fabric->crossing_count / (facts->warp.yarns > 0 ? facts->warp.yarns : 1);
    return status;
}

static void put_need(Json* json, const char* key, const Need* need) {
    json_object(json, key);
    json_integer(json, "threads", need->threads);
    json_integer(json, "yarns", need->yarns);
    json_number(json, "diameter", need->diameter);
    json_number(json, "linear_density", need->linear_density);
    json_number(json, "length", need->length);
    json_number(json, "mass", need->mass);
    json_end(json);
}

static void put_notes(Json* json, const Cloth* cloth) {
    json_array(json, "notes");
    for (int32_t i = 0; i < cloth->weave.note_count; ++i) {
        json_text(json, NULL, cloth->weave.notes[i]);
    }
    for (int32_t i = 0; i < cloth->fabric.note_count; ++i) {
        json_text(json, NULL, cloth->fabric.notes[i]);
    }
    json_end(json);
}

static void print_json(const char* path, const Cloth* cloth, const Facts* f) {
    Json json = json_begin(stdout);
    json_text(&json, "kind", "weave");
    json_text(&json, "path", path);
    if (cloth->weave.title) {
        json_text(&json, "title", cloth->weave.title);
    }
    json_integer(&json, "ends", cloth->weave.end_count);
    json_integer(&json, "picks", cloth->weave.pick_count);
    json_integer(&json, "repeat_ends", f->draft.repeat_ends);
    json_integer(&json, "repeat_picks", f->draft.repeat_picks);
    json_integer(&json, "warp_float", f->draft.warp_float);
    json_integer(&json, "weft_float", f->draft.weft_float);
    json_integer(&json, "loose_ends", f->draft.loose_ends);
    json_integer(&json, "loose_picks", f->draft.loose_picks);
    json_integer(&json, "layers", f->draft.layer_count);
    json_number(&json, "warp_cover", f->cover.warp);
    json_number(&json, "weft_cover", f->cover.weft);
    json_number(&json, "cover", f->cover.cloth);
    put_need(&json, "warp", &f->warp);
    put_need(&json, "weft", &f->weft);
    json_number(&json, "width", f->cover.width);
    json_number(&json, "height", f->cover.height);
    json_number(&json, "mass", f->warp.mass + f->weft.mass);
    json_integer(&json, "crossings", cloth->fabric.crossing_count);
    json_integer(&json, "points", cloth->fabric.point_count);
    put_notes(&json, cloth);
    json_finish(&json);
}

static void print_need(const char* name, const Need* need) {
    printf("%-9s %" PRId32 " threads of %.4g tex, %.3g mm; %.5g m of yarn, %.4g g\n", name,
           need->threads, 1e6 * need->linear_density, 1e3 * need->diameter, need->length,
           1e3 * need->mass);
}

static void print_text(const char* path, const Cloth* cloth, const Facts* f) {
    const HedWeave* w = &cloth->weave;
    double mass = f->warp.mass + f->weft.mass;
    printf("weave     %s%s%s\n", path, w->title ? ": " : "", w->title ? w->title : "");
    printf("draft     %" PRId32 " ends, %" PRId32 " picks\n", w->end_count, w->pick_count);
    printf("repeat    %" PRId32 " ends, %" PRId32 " picks\n", f->draft.repeat_ends,
           f->draft.repeat_picks);
    printf("floats    over or under %" PRId32 " picks (end %" PRId32 "), %" PRId32
           " ends (pick %" PRId32 ")\n",
           f->draft.warp_float, f->draft.warp_float_end, f->draft.weft_float,
           f->draft.weft_float_pick);
    print_need("warp", &f->warp);
    print_need("weft", &f->weft);
    printf("cover     %.3g of the warp, %.3g of the weft, %.3g of the cloth\n", f->cover.warp,
           f->cover.weft, f->cover.cloth);
    printf("cloth     %.4g x %.4g mm, %.4g g, %.4g g/m^2\n", 1e3 * f->cover.width,
           1e3 * f->cover.height, 1e3 * mass, 1e3 * mass / (f->cover.width * f->cover.height));
    printf("crossings %" PRId32 ", the yarns cross as the draft says\n",
           cloth->fabric.crossing_count);
    for (int32_t i = 0; i < w->note_count; ++i) {
        printf("note      %s\n", w->notes[i]);
    }
    for (int32_t i = 0; i < cloth->fabric.note_count; ++i) {
        printf("note      %s\n", cloth->fabric.notes[i]);
    }
}

int cli_weave_info(const char* path, const CliList* settings, bool as_json) {
    Cloth cloth = {0};
    Facts facts = {0};
    HedError error = {0};
    int code = cloth_make(path, settings, &cloth);
    if (code == CLI_GO) {
        code = find_facts(&cloth, &facts, &error) == HED_OK ? CLI_DONE : cli_error(&error);
    }
    if (code == CLI_DONE) {
        (as_json ? print_json : print_text)(path, &cloth, &facts);
    }
    cloth_free(&cloth);
    return code;
}
