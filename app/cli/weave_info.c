// SPDX-License-Identifier: MIT
// Facts about weave drafts: those of the draft first, then those of its yarns.
#include "cli/json.h"
#include "cli/weave.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

// Of more crossings than this a piece is woven, and the rest is reckoned from it.
enum { CROSSINGS_MOST = 1000000, PIECE = 250, KINDS = 12 };

// Threads of one thickness.
typedef struct Kind {
    int32_t yarns;
    double diameter;       // m
    double linear_density; // kg/m
    double length;         // m
} Kind;

// What one system of threads needs.
typedef struct Need {
    int32_t threads;
    int32_t yarns;
    double length, mass; // of all
    int32_t kind_count;  // the last of many holds all others
    Kind kinds[KINDS];
} Need;

typedef struct Facts {
    const char* path;
    HedWeave weave;
    HedWeaveDef def;
    HedWeaveFacts draft;
    HedCover cover;
    HedFabric fabric;
    double scale; // cloth by the piece that was woven
    int64_t crossings;
    Need warp, weft;
} Facts;

static void add_kind(Need* need, const HedFabricYarn* yarn, double length) {
    int32_t k = 0;
    while (k < need->kind_count && (need->kinds[k].diameter != yarn->diameter ||
                                    need->kinds[k].linear_density != yarn->linear_density)) {
        ++k;
    }
    k = k < KINDS ? k : KINDS - 1;
    Kind* kind = &need->kinds[k];
    if (k == need->kind_count) {
        *kind = (Kind){.diameter = yarn->diameter, .linear_density = yarn->linear_density};
        need->kind_count += 1;
    }
    // Where there are too many kinds the last has their mean, so that its mass is right.
    double all = kind->length + length;
    kind->linear_density += (yarn->linear_density - kind->linear_density) * length / all;
    kind->diameter += (yarn->diameter - kind->diameter) * length / all;
    kind->length = all;
    kind->yarns += 1;
}

static void add_yarn(Need* need, const HedFabric* fabric, int32_t yarn, double scale) {
    const HedFabricYarn* y = &fabric->yarns[yarn];
    double length = hed_fabric_length(fabric, yarn) * scale;
    add_kind(need, y, length);
    need->yarns += 1;
    need->length += length;
    need->mass += length * y->linear_density;
}

// The yarns: woven, proved and measured; of a large cloth those of a piece.
static HedStatus find_needs(Facts* f, HedError* error) {
    HedStatus status = HED_OK;
    HedWeaveDef def = f->def;
    int32_t ends = def.warp.count > 0 ? def.warp.count : f->weave.end_count;
    int32_t picks = def.weft.count > 0 ? def.weft.count : f->weave.pick_count;
    f->crossings = (int64_t)ends * picks;
    f->scale = 1.0;
    if (f->crossings > CROSSINGS_MOST) {
        def.warp.count = ends < PIECE ? ends : PIECE;
        def.weft.count = picks < PIECE ? picks : PIECE;
        f->scale = (double)f->crossings / ((double)def.warp.count * def.weft.count);
    }
    status = hed_weave_build(&f->weave, &def, &f->fabric, error);
    if (status == HED_OK) {
        status = hed_fabric_check(&f->fabric, error);
    }
    for (int32_t i = 0; i < f->fabric.yarn_count && status == HED_OK; ++i) {
        bool is_warp = strcmp(f->fabric.yarns[i].name, "warp") == 0;
        add_yarn(is_warp ? &f->warp : &f->weft, &f->fabric, i, f->scale);
    }
    f->warp.threads = ends;
    f->weft.threads = picks;
    return status;
}

static double mean_density(const Need* need) {
    return need->kind_count == 1 ? need->kinds[0].linear_density
                                 : (need->length > 0.0 ? need->mass / need->length : 0.0);
}

// --- json

static void put_need(Json* json, const char* key, const Need* need) {
    json_object(json, key);
    json_integer(json, "threads", need->threads);
    json_integer(json, "yarns", need->yarns);
    json_number(json, "diameter", need->kinds[0].diameter);
    json_number(json, "linear_density", mean_density(need));
    json_number(json, "length", need->length);
    json_number(json, "mass", need->mass);
    json_array(json, "kinds");
    for (int32_t k = 0; k < need->kind_count; ++k) {
        const Kind* kind = &need->kinds[k];
        json_object(json, NULL);
        json_integer(json, "yarns", kind->yarns);
        json_number(json, "diameter", kind->diameter);
        json_number(json, "linear_density", kind->linear_density);
        json_number(json, "length", kind->length);
        json_number(json, "mass", kind->length * kind->linear_density);
        json_end(json);
    }
    json_end(json);
    json_end(json);
}

static void put_notes(Json* json, const Facts* f) {
    json_array(json, "notes");
    for (int32_t i = 0; i < f->weave.note_count; ++i) {
        json_text(json, NULL, f->weave.notes[i]);
    }
    for (int32_t i = 0; i < f->fabric.note_count; ++i) {
        json_text(json, NULL, f->fabric.notes[i]);
    }
    json_end(json);
}

static void put_draft(Json* json, const Facts* f) {
    json_text(json, "kind", "weave");
    json_text(json, "path", f->path);
    if (f->weave.title) {
        json_text(json, "title", f->weave.title);
    }
    json_integer(json, "ends", f->weave.end_count);
    json_integer(json, "picks", f->weave.pick_count);
    json_integer(json, "shafts", f->weave.shaft_count);
    json_integer(json, "treadles", f->weave.treadle_count);
    json_integer(json, "repeat_ends", f->draft.repeat_ends);
    json_integer(json, "repeat_picks", f->draft.repeat_picks);
    json_integer(json, "warp_float", f->draft.warp_float);
    json_integer(json, "weft_float", f->draft.weft_float);
    json_integer(json, "loose_ends", f->draft.loose_ends);
    json_integer(json, "loose_picks", f->draft.loose_picks);
    json_integer(json, "layers", f->draft.layer_count);
    json_number(json, "warp_cover", f->cover.warp);
    json_number(json, "weft_cover", f->cover.weft);
    json_number(json, "cover", f->cover.cloth);
    fflush(stdout);
}

static void put_yarns(Json* json, const Facts* f) {
    put_need(json, "warp", &f->warp);
    put_need(json, "weft", &f->weft);
    json_bool(json, "estimated", f->scale > 1.0);
    json_number(json, "width", f->cover.width);
    json_number(json, "height", f->cover.height);
    json_number(json, "mass", f->warp.mass + f->weft.mass);
    json_integer(json, "crossings", f->crossings);
    json_integer(json, "points", (int64_t)((double)f->fabric.point_count * f->scale));
    put_notes(json, f);
}

// --- text

static void print_layers(const HedWeaveFacts* d) {
    if (d->layer_count == 0) {
        printf(
            "layers    0: no threads hold each other, as each lies on one side of all others, or "
            "can be lifted off\n");
    } else if (d->layer_count > 1) {
        printf("layers    %" PRId32 ", which can be lifted off each other\n", d->layer_count);
    }
    if (d->loose_ends + d->loose_picks > 0) {
        printf("loose     %" PRId32 " ends and %" PRId32
               " picks are not interlaced: they lie on one side of all others\n",
               d->loose_ends, d->loose_picks);
    }
}

static void print_draft(const Facts* f) {
    const HedWeave* w = &f->weave;
    printf("weave     %s%s%s\n", f->path, w->title ? ": " : "", w->title ? w->title : "");
    printf("draft     %" PRId32 " ends, %" PRId32 " picks", w->end_count, w->pick_count);
    if (w->shaft_count > 0) {
        printf("; %" PRId32 " shafts, ", w->shaft_count);
        if (w->treadle_count > 0) {
            printf("%" PRId32 " treadles", w->treadle_count);
        } else {
            printf("a lift plan");
        }
    }
    printf("\nrepeat    %" PRId32 " ends, %" PRId32 " picks\n", f->draft.repeat_ends,
           f->draft.repeat_picks);
    printf("floats    over or under %" PRId32 " picks (end %" PRId32 "), %" PRId32
           " ends (pick %" PRId32 ")\n",
           f->draft.warp_float, f->draft.warp_float_end, f->draft.weft_float,
           f->draft.weft_float_pick);
    print_layers(&f->draft);
    printf("cover     %.3g of the warp, %.3g of the weft, %.3g of the cloth\n", f->cover.warp,
           f->cover.weft, f->cover.cloth);
    fflush(stdout);
}

static void print_need(const char* name, const Need* need, bool is_about) {
    if (need->kind_count == 1) {
        printf("%-9s %" PRId32 " threads of %.4g tex, %.3g mm; %s%.5g m of yarn, %.4g g\n", name,
               need->threads, 1e6 * need->kinds[0].linear_density, 1e3 * need->kinds[0].diameter,
               is_about ? "about " : "", need->length, 1e3 * need->mass);
        return;
    }
    printf("%-9s %" PRId32 " threads of %s%" PRId32 " thicknesses; %s%.5g m of yarn, %.4g g\n",
           name, need->threads, need->kind_count == KINDS ? "at least " : "", need->kind_count,
           is_about ? "about " : "", need->length, 1e3 * need->mass);
    for (int32_t k = 0; k < need->kind_count; ++k) {
        const Kind* kind = &need->kinds[k];
        printf("          %" PRId32 " yarns of %.4g tex, %.3g mm: %.5g m, %.4g g%s\n", kind->yarns,
               1e6 * kind->linear_density, 1e3 * kind->diameter, kind->length,
               1e3 * kind->length * kind->linear_density,
               k == KINDS - 1 ? " (and others, on average)" : "");
    }
}

static void print_yarns(const Facts* f) {
    double mass = f->warp.mass + f->weft.mass;
    bool is_about = f->scale > 1.0;
    print_need("warp", &f->warp, is_about);
    print_need("weft", &f->weft, is_about);
    printf("cloth     %.4g x %.4g mm, %.4g g, %.4g g/m^2\n", 1e3 * f->cover.width,
           1e3 * f->cover.height, 1e3 * mass, 1e3 * mass / (f->cover.width * f->cover.height));
    if (is_about) {
        printf("crossings %" PRId64 ": a piece of at most %d x %d threads was woven and proved; "
               "'about' is reckoned from it\n",
               f->crossings, (int)PIECE, (int)PIECE);
    } else {
        printf("crossings %" PRId64 ", the yarns cross as the draft says\n", f->crossings);
    }
    for (int32_t i = 0; i < f->weave.note_count; ++i) {
        printf("note      %s\n", f->weave.notes[i]);
    }
    for (int32_t i = 0; i < f->fabric.note_count; ++i) {
        printf("note      %s\n", f->fabric.notes[i]);
    }
}

static int find_draft(Facts* f, const CliList* settings) {
    HedError error = {0};
    int code = cli_weave_def(settings, &f->def);
    if (code != CLI_GO) {
        return code;
    }
    bool fits = hed_weave_load(f->path, &f->weave, &error) == HED_OK &&
                hed_weave_facts(&f->weave, &f->draft, &error) == HED_OK &&
                hed_weave_cover(&f->weave, &f->def, &f->cover, &error) == HED_OK;
    return fits ? CLI_GO : cli_error(&error);
}

int cli_weave_info(const char* path, const CliList* settings, bool as_json) {
    Facts facts = {.path = path};
    HedError error = {0};
    Json json = {0};
    int code = find_draft(&facts, settings);
    if (code == CLI_GO) {
        if (as_json) {
            json = json_begin(stdout);
            put_draft(&json, &facts);
        } else {
            print_draft(&facts);
        }
        code = find_needs(&facts, &error) == HED_OK ? CLI_DONE : cli_error(&error);
    }
    if (code == CLI_DONE && as_json) {
        put_yarns(&json, &facts);
        json_finish(&json);
    } else if (code == CLI_DONE) {
        print_yarns(&facts);
    }
    hed_fabric_free(&facts.fabric);
    hed_weave_free(&facts.weave);
    return code;
}
