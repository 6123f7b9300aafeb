// SPDX-License-Identifier: MIT
// heddle check: reads a scene, builds it, and prints what a run would do. Writes nothing.
#include "cli/json.h"
#include "cli/options.h"
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
} Forecast;

static bool is_explicit(HedIntegrator integrator) {
    return integrator == HED_EXPLICIT_EULER || integrator == HED_SYMPLECTIC_EULER ||
           integrator == HED_VERLET || integrator == HED_RK4 || integrator == HED_MIDPOINT;
}

static Forecast forecast(const HedScene* scene, const HedSim* sim) {
    Forecast f = {.size = hed_sim_size(sim), .def = hed_sim_def(sim)};
    f.duration = hed_scene_duration(scene);
    f.steps = round(f.duration / f.def->time_step);
    double per_frame = fmax(1.0, round(hed_scene_frame_interval(scene) / f.def->time_step));
    f.frames = floor(f.steps / per_frame) + 1.0 + (fmod(f.steps, per_frame) > 0.0);
    // A frame holds 3 numbers for each point and 7 for each body; its head and the two rows of the
    // tables take about a kilobyte.
    double frame_bytes = 24.0 * f.size.points + 56.0 * f.size.bodies + 1000.0;
    double object_bytes = 0.0;
    for (int32_t i = 0; i < hed_scene_object_count(scene); ++i) {
        HedSceneObject object = hed_scene_object(scene, sim, i);
        object_bytes += 4.0 * object.triangles.count + 24.0 * object.vertices.count;
    }
    f.disk = f.frames * frame_bytes + object_bytes;
    f.unstable = is_explicit(f.def->integrator) && f.size.stable_step > 0.0 &&
                 f.def->time_step > f.size.stable_step;
    return f;
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

int cli_check(int argc, char** argv) {
    CliList set = {.count = 0};
    bool as_json = false;
    const CliOption options[] = {
        {"set", 0, CLI_LIST, &set, "KEY=VALUE", "change a value of the scene by its dotted path"},
        {"json", 0, CLI_FLAG, &as_json, NULL, "print a JSON object"},
    };
    const CliCommand command = {
        .usage = "check SCENE [--set KEY=VALUE]... [--json]",
        .about =
            "Reads and validates a scene and prints what a run would simulate. Writes nothing.",
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
    HedSim* sim = NULL;
    HedStatus status = hed_scene_load(arguments.items[0], set.items, set.count, &scene, &error);
    if (status == HED_OK) {
        status = hed_scene_build(scene, 0, &sim, &error);
    }
    if (status == HED_OK) {
        status = hed_sim_prepare(sim, &error);
    }
    code = CLI_DONE;
    if (status == HED_OK) {
        Forecast f = forecast(scene, sim);
        (as_json ? print_json : print_text)(scene, sim, &f);
        print_warnings(scene, &f);
    } else {
        code = cli_error(&error);
    }
    hed_sim_destroy(sim);
    hed_scene_destroy(scene);
    return code;
}
