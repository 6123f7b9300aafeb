// SPDX-License-Identifier: MIT
// heddle check: reads a scene, builds it, and prints what a run would do. Writes nothing.
#include "cli/json.h"
#include "cli/options.h"
#include "cli/size.h"
#include "cli/verbs.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct Forecast {
    HedSimSize size;
    const HedSimDef* def;
    double duration;
    double steps;
    double frames;
    double disk; // bytes
    bool unstable;
    HedOverlaps overlaps;
    const HedError* refused; // why a run would not begin; NULL: it would
} Forecast;

enum { MOST_OVERLAPS = 50 };

static bool is_explicit(HedIntegrator integrator) {
    return integrator == HED_EXPLICIT_EULER || integrator == HED_SYMPLECTIC_EULER ||
           integrator == HED_VERLET || integrator == HED_RK4 || integrator == HED_MIDPOINT;
}

static Forecast forecast(const HedScene* scene, const HedSim* sim) {
    Forecast f = {.size = hed_sim_size(sim), .def = hed_sim_def(sim)};
    f.duration = hed_scene_duration(scene);
    f.steps = round(f.duration / f.def->time_step);
    CliSize size = cli_size_of_run(scene, f.duration, f.def->time_step);
    f.frames = size.frames;
    f.disk = size.bytes;
    f.unstable = is_explicit(f.def->integrator) && f.size.stable_step > 0.0 &&
                 f.def->time_step > f.size.stable_step;
    return f;
}

static void put_overlaps(Json* json, const HedOverlaps* overlaps) {
    json_array(json, "overlaps");
    for (int32_t i = 0; i < overlaps->list_count && i < MOST_OVERLAPS; ++i) {
        const HedOverlapReport* o = &overlaps->list[i];
        json_object(json, NULL);
        json_text(json, "kind", hed_overlap_kind_name(o->kind));
        json_text(json, "first", o->first);
        json_text(json, "second", o->second);
        json_integer(json, "count", o->count);
        json_number(json, "depth", o->depth);
        json_array(json, "at");
        json_number(json, NULL, o->at.x);
        json_number(json, NULL, o->at.y);
        json_number(json, NULL, o->at.z);
        json_end(json);
        json_text(json, "place", o->place);
        json_bool(json, "refused", o->is_refused);
        json_end(json);
    }
    json_end(json);
    json_integer(json, "overlaps_left_out",
                 overlaps->list_count > MOST_OVERLAPS ? overlaps->list_count - MOST_OVERLAPS : 0);
}

static void print_overlaps(const HedOverlaps* overlaps) {
    static const char* const WHAT[HED_OVERLAP_KIND_COUNT] = {
        [HED_OVERLAP_BODY] = "places",
        [HED_OVERLAP_SHEETS] = "pairs of triangles",
        [HED_OVERLAP_YARNS] = "pairs of segments",
    };
    for (int32_t i = 0; i < overlaps->list_count && i < MOST_OVERLAPS; ++i) {
        const HedOverlapReport* o = &overlaps->list[i];
        const char* end = o->is_refused ? "" : " (a run begins nevertheless)";
        if (o->kind == HED_OVERLAP_SHEETS) { // in words that name panels
            printf("overlap   %s%s\n", o->place, end);
            continue;
        }
        bool is_own = strcmp(o->first, o->second) == 0;
        printf("overlap   %s with %s: %" PRId64 " %s", o->first, is_own ? "itself" : o->second,
               o->count, WHAT[o->kind]);
        if (o->depth > 0.0) {
            printf(", up to %.3g m deep,", o->depth);
        }
        printf(" at %s%s\n", o->place, end);
    }
    if (overlaps->list_count > MOST_OVERLAPS) {
        printf("overlap   %" PRId32 " more pairs of objects\n",
               overlaps->list_count - MOST_OVERLAPS);
    }
}

static void print_json(const HedScene* scene, const HedSim* sim, const Forecast* f) {
    Json json = json_begin(stdout);
    json_text(&json, "scene", hed_scene_name(scene));
    json_array(&json, "objects");
    for (int32_t i = 0; i < hed_scene_object_count(scene); ++i) {
        HedSceneObject object = hed_scene_object(scene, sim, i);
        json_object(&json, NULL);
        json_text(&json, "name", object.name);
        json_text(&json, "kind", hed_object_kind_name(object.kind));
        json_integer(&json, "curves", object.curve_count);
        json_integer(&json, "vertices", object.vertices.count);
        json_integer(&json, "triangles", object.triangles.count / 3);
        json_end(&json);
    }
    json_end(&json);
    json_integer(&json, "points", f->size.points);
    json_integer(&json, "held_points", f->size.held_points);
    json_integer(&json, "springs", f->size.springs);
    json_integer(&json, "bends", f->size.bends);
    json_integer(&json, "triangles", f->size.triangles);
    json_integer(&json, "bodies", f->size.bodies);
    json_integer(&json, "bytes", f->size.bytes);
    json_text(&json, "integrator", hed_integrator_name(f->def->integrator));
    json_number(&json, "time_step", f->def->time_step);
    json_number(&json, "stable_step", f->size.stable_step);
    json_bool(&json, "unstable", f->unstable);
    json_number(&json, "duration", f->duration);
    json_number(&json, "steps", f->steps);
    json_number(&json, "frames", f->frames);
    json_number(&json, "disk_bytes", f->disk);
    json_integer(&json, "measurements", hed_scene_measure_count(scene));
    json_bool(&json, "at_rest", hed_scene_is_complete(scene));
    put_overlaps(&json, &f->overlaps);
    json_bool(&json, "starts", !f->refused);
    if (f->refused) {
        json_text(&json, "error", f->refused->message);
    }
    json_text(&json, "notes", hed_scene_notes(scene));
    json_finish(&json);
}

static void print_text(const HedScene* scene, const HedSim* sim, const Forecast* f) {
    char memory[CLI_NUMBER_TEXT];
    char disk[CLI_NUMBER_TEXT];
    printf("scene     %s\n", hed_scene_name(scene));
    for (int32_t i = 0; i < hed_scene_object_count(scene); ++i) {
        HedSceneObject object = hed_scene_object(scene, sim, i);
        bool is_yarns = object.kind == HED_OBJECT_YARNS;
        printf("%-9s %s: %" PRId32 " vertices, %" PRId32 " %s\n", hed_object_kind_name(object.kind),
               object.name, object.vertices.count,
               is_yarns ? object.curve_count : object.triangles.count / 3,
               is_yarns ? "curves" : "triangles");
    }
    printf("points    %" PRId32 ", %" PRId32 " of them held\n", f->size.points,
           f->size.held_points);
    printf("springs   %" PRId32 ", bending elements %" PRId32 "\n", f->size.springs, f->size.bends);
    printf("memory    %s\n", cli_bytes_text((double)f->size.bytes, memory));
    printf("step      %.4g s, %s", f->def->time_step, hed_integrator_name(f->def->integrator));
    if (f->size.stable_step > 0.0) {
        printf("; explicit steps are stable up to about %.3g s", f->size.stable_step);
    }
    printf("\n");
    if (!hed_scene_is_complete(scene)) {
        printf(
            "rest      not at rest: relaxation is not done, and was not done before (no cache "
            "has it); 'heddle run' does it first.\n          Shapes are those before; pins, loads "
            "and overlaps are not looked at\n");
    }
    print_overlaps(&f->overlaps);
    printf("run       %.6g s: %.0f steps, %.0f frames, about %s on disk\n", f->duration, f->steps,
           f->frames, cli_bytes_text(f->disk, disk));
    if (hed_scene_measure_count(scene) > 0) {
        printf("measures ");
        for (int32_t i = 0; i < hed_scene_measure_count(scene); ++i) {
            printf(" %s", hed_scene_measure_name(scene, i));
        }
        printf("\n");
    }
}

static void print_warnings(const HedScene* scene, const Forecast* f) {
    const char* notes = hed_scene_notes(scene);
    size_t size = strlen(notes);
    if (size > 0) {
        fprintf(stderr, "%s%s", notes, notes[size - 1] == '\n' ? "" : "\n");
    }
    if (f->unstable) {
        fprintf(stderr,
                "warning: time step %.4g s is above the stable one of about %.3g s for %s: expect "
                "the run to blow up; use a smaller step or implicit-euler\n",
                f->def->time_step, f->size.stable_step, hed_integrator_name(f->def->integrator));
    }
    if (f->steps < 1.0) {
        fprintf(stderr, "warning: the duration is shorter than one time step\n");
    }
}

// Builds what can be built without the work of minutes, and says what a run would do.
static int check(const HedScene* scene, bool as_json) {
    HedError error = {0};
    HedError why = {0};
    HedSim* sim = NULL;
    HedStatus status = hed_scene_build(scene, 0, &sim, &error);
    if (status != HED_OK) {
        return cli_error(&error);
    }
    HedStatus prepared = hed_sim_prepare(sim, &error);
    Forecast f = forecast(scene, sim);
    // What is not at rest may overlap as much as it likes, for now.
    if (hed_scene_is_complete(scene) && (prepared == HED_OK || prepared == HED_INVALID)) {
        status = hed_sim_overlaps(sim, &f.overlaps, &why);
    }
    bool is_refused = prepared != HED_OK && hed_scene_is_complete(scene);
    bool tells = status == HED_OK && (!is_refused || f.overlaps.list_count > 0);
    f.refused = is_refused ? &error : NULL;
    if (tells) {
        (as_json ? print_json : print_text)(scene, sim, &f);
        print_warnings(scene, &f);
    }
    int code = is_refused ? cli_error(&error) : status == HED_OK ? CLI_DONE : cli_error(&why);
    hed_overlaps_free(&f.overlaps);
    hed_sim_destroy(sim);
    return code;
}

int cli_check(int argc, char** argv) {
    CliList set = {.count = 0};
    bool as_json = false;
    const CliOption options[] = {
        {"set", 0, CLI_LIST, &set, "KEY=VALUE", "change a value of the scene by its dotted path"},
        {"json", 0, CLI_FLAG, &as_json, NULL, "print a JSON object"},
    };
    const CliCommand command = {
        .usage = "check SCENE [--set KEY=VALUE]... [--json]",
        .about = "Reads and validates a scene and prints what a run would simulate, and all that "
                 "overlaps\n"
                 "at its start. Simulates nothing: fabrics with `relax` are taken from the cache, "
                 "or told\n"
                 "of as they were made. Writes nothing.",
        .options = options,
        .option_count = sizeof options / sizeof options[0],
        .least = 1,
        .most = 1,
        .missing = "SCENE",
    };
    CliList arguments;
    int code = cli_parse(&command, argc, argv, &arguments);
    if (code != CLI_GO) {
        return code;
    }
    HedError error = {0};
    HedScene* scene = NULL;
    HedStatus status = hed_scene_preview(arguments.items[0], set.items, set.count, &scene, &error);
    code = status == HED_OK ? check(scene, as_json) : cli_error(&error);
    hed_scene_destroy(scene);
    return code;
}
