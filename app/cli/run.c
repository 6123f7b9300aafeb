// SPDX-License-Identifier: MIT
// heddle run: simulates a scene into a run directory.
#include "cli/json.h"
#include "cli/options.h"
#include "cli/progress.h"
#include "cli/size.h"
#include "cli/verbs.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char* const OUTCOMES[HED_OUTCOME_COUNT] = {
    [HED_OUTCOME_DONE] = "done",
    [HED_OUTCOME_GAVE_UP] = "gave up",
    [HED_OUTCOME_STOPPED] = "stopped",
};

static const int OUTCOME_CODES[HED_OUTCOME_COUNT] = {
    [HED_OUTCOME_DONE] = CLI_DONE,
    [HED_OUTCOME_GAVE_UP] = CLI_GAVE_UP,
    [HED_OUTCOME_STOPPED] = CLI_STOPPED,
};

typedef struct RunArguments {
    const char* scene;
    const char* directory;
    CliList set;
    double duration;
    int32_t threads;
    bool resume, force, json, quiet;
} RunArguments;

static void print_energies(Json* json, const HedEnergies* e) {
    json_object(json, "energies");
    json_number(json, "kinetic", e->kinetic);
    for (int32_t i = 0; i < e->potential_count; ++i) {
        json_number(json, e->potential_name[i], e->potential[i]);
    }
    json_number(json, "dissipated", e->dissipated);
    json_number(json, "external", e->external);
    json_number(json, "total", e->total);
    json_end(json);
}

static void print_summary_json(const char* directory, const HedRunReport* report) {
    Json json = json_begin(stdout);
    json_text(&json, "outcome", OUTCOMES[report->outcome]);
    json_text(&json, "directory", directory);
    json_number(&json, "time", report->time);
    json_integer(&json, "steps", report->steps);
    json_integer(&json, "frames", report->frames);
    if (report->lost_frames > 0) {
        json_integer(&json, "lost_frames", report->lost_frames);
    }
    json_number(&json, "wall", report->wall);
    json_number(&json, "worst_residual", report->worst_residual);
    json_number(&json, "worst_penetration", report->worst_penetration);
    if (report->gone_count > 0) {
        json_integer(&json, "gone_count", report->gone_count);
        json_text(&json, "gone", report->gone);
        json_text(&json, "gone_yarns", report->gone_yarns);
    }
    json_integer(&json, "tangled", report->tangle_count);
    if (report->tangle_count > 0) {
        json_text(&json, "tangle", report->tangle);
    }
    print_energies(&json, &report->energies);
    if (report->outcome == HED_OUTCOME_GAVE_UP) {
        json_text(&json, "reason", hed_reason_name(report->last.reason));
        json_text(&json, "trouble", report->last.trouble);
    }
    json_finish(&json);
}

static void print_summary(const char* directory, const HedRunReport* report, bool was_finished) {
    if (was_finished) {
        printf("%s: is finished already: %.6g s, %" PRId64 " steps, %" PRId32
               " frames; --duration T goes on further\n",
               directory, report->time, report->steps, report->frames);
        return;
    }
    printf("%s: %s: %.6g s, %" PRId64 " steps, %" PRId32 " frames in %.1f s of wall time\n",
           directory, OUTCOMES[report->outcome], report->time, report->steps, report->frames,
           report->wall);
    printf("  energy total %.6g J, worst residual %.2g N, worst penetration %.2g mm\n",
           report->energies.total, report->worst_residual, 1e3 * report->worst_penetration);
    if (report->gone_count > 0) {
        printf("  %" PRId32 " crossings have come apart%s%s\n", report->gone_count,
               report->gone[0] ? "; one of them: " : "", report->gone);
        if (report->gone_yarns[0]) {
            printf("  yarns that came off others: %s\n", report->gone_yarns);
        }
    }
    if (report->tangle_count > 0) {
        printf("  %" PRId64 " pairs of triangles intersect (%s), most of them %s\n",
               report->tangle_count, hed_phase_name(report->last.phase), report->tangle);
    }
}

static int finish(const RunArguments* arguments, const char* directory, const HedRunReport* report,
                  const CliProgress* progress) {
    bool was_finished = arguments->resume && report->outcome == HED_OUTCOME_DONE &&
                        report->steps > 0 && progress->call_count == 0;
    if (arguments->json) {
        print_summary_json(directory, report);
    } else if (!arguments->quiet) {
        print_summary(directory, report, was_finished);
    }
    if (report->lost_frames > 0) {
        fprintf(stderr,
                "heddle: %s: %" PRId32
                " of its earlier frames are damaged or missing; --force makes "
                "all of them again\n",
                directory, report->lost_frames);
    }
    if (report->outcome == HED_OUTCOME_GAVE_UP) {
        cli_fail(CLI_GAVE_UP, "the solver gave up at %.6g s (%s): %s", report->time,
                 hed_reason_name(report->last.reason), report->last.trouble);
    } else if (report->outcome == HED_OUTCOME_STOPPED && !arguments->quiet) {
        cli_fail(CLI_STOPPED, "stopped; --resume goes on from here");
    }
    if (report->outcome == HED_OUTCOME_DONE && report->tangle_count > 0 &&
        report->last.phase == HED_PHASE_UNTANGLING) {
        return cli_fail(CLI_GAVE_UP,
                        "seams are closed, but %" PRId64 " pairs of triangles still intersect, "
                        "most of them %s; a longer --duration with --resume goes on",
                        report->tangle_count, report->tangle);
    }
    return OUTCOME_CODES[report->outcome];
}

static int fail(const RunArguments* arguments, const HedError* error) {
    int code = cli_error(error);
    if (arguments->json) {
        Json json = json_begin(stdout);
        json_text(&json, "outcome", "error");
        json_text(&json, "error", error->message);
        json_integer(&json, "exit", code);
        json_finish(&json);
    }
    return code;
}

static void print_notes(const HedScene* scene, bool quiet) {
    const char* notes = hed_scene_notes(scene);
    size_t size = strlen(notes);
    if (size > 0 && !quiet) {
        fprintf(stderr, "%s%s", notes, notes[size - 1] == '\n' ? "" : "\n");
    }
}

// out/<scene name>; a name that would lead elsewhere is made harmless.
static char* default_directory(const HedScene* scene) {
    char* path = cli_path_join("out", hed_scene_name(scene));
    for (char* c = path ? path + 4 : NULL; c && *c; ++c) {
        bool hidden = c == path + 4 && *c == '.';
        if (*c == '/' || hidden) {
            *c = '_';
        }
    }
    return path;
}

// What the hooks of a run need.
typedef struct RunWatch {
    CliProgress progress;
    const HedScene* scene;
    const char* directory;
    bool is_told; // how much will be written
} RunWatch;

// After the first step it is known how long a step is, and what frames a resumed run has already.
static void tell_size(RunWatch* watch, const HedProgress* p) {
    CliSize size = cli_size_of_run(watch->scene, p->duration, p->time / (double)p->step);
    double share = fmax(0.0, 1.0 - p->frame / size.frames);
    size.points *= share;
    size.bytes *= share;
    cli_size_tell(watch->directory, size,
                  hed_scene_quantities(watch->scene)
                      ? "a longer output.frame_interval writes fewer frames, fewer "
                        "output.quantities fewer values"
                      : "a longer output.frame_interval writes fewer frames");
}

static void on_progress(const HedProgress* p, void* context) {
    RunWatch* watch = context;
    if (!watch->is_told && p->step > 0) {
        watch->is_told = true;
        tell_size(watch, p);
    }
    cli_progress_hook(p, &watch->progress);
}

static int simulate(const RunArguments* arguments, const HedScene* scene, const char* directory) {
    HedError error = {0};
    HedRunReport report;
    RunWatch watch = {.progress = cli_progress_begin(arguments->json, arguments->quiet),
                      .scene = scene,
                      .directory = directory,
                      .is_told = arguments->quiet};
    HedRunOptions options = hed_run_options_default();
    options.directory = directory;
    options.duration = arguments->duration;
    options.thread_count = arguments->threads;
    options.resume = arguments->resume;
    options.force = arguments->force;
    options.progress = on_progress;
    options.stop = cli_progress_stop;
    options.context = &watch;
    cli_progress_catch_signals();
    HedStatus status = hed_run(scene, &options, &report, &error);
    cli_progress_end(&watch.progress);
    return status == HED_OK ? finish(arguments, directory, &report, &watch.progress)
                            : fail(arguments, &error);
}

static int run(const RunArguments* arguments) {
    HedError error = {0};
    HedScene* scene = NULL;
    if (!arguments->quiet) {
        cli_show_notes();
    }
    HedStatus status = hed_scene_load(arguments->scene, arguments->set.items, arguments->set.count,
                                      &scene, &error);
    if (status != HED_OK) {
        return fail(arguments, &error);
    }
    print_notes(scene, arguments->quiet);
    char* made = arguments->directory ? NULL : default_directory(scene);
    const char* directory = arguments->directory ? arguments->directory : made;
    int code = directory ? simulate(arguments, scene, directory) : cli_no_memory();
    free(made);
    hed_scene_destroy(scene);
    return code;
}

int cli_run(int argc, char** argv) {
    RunArguments a = {.duration = -1.0};
    const CliOption options[] = {
        {"output", 'o', CLI_TEXT, &a.directory, "DIR", "run directory (default: out/<scene name>)"},
        {"set", 0, CLI_LIST, &a.set, "KEY=VALUE", "change a value of the scene by its dotted path"},
        {"duration", 0, CLI_TIME, &a.duration, "T", "simulated time, such as 2s or 500ms"},
        {"threads", 0, CLI_COUNT, &a.threads, "N", "threads; results do not depend on them"},
        {"resume", 0, CLI_FLAG, &a.resume, NULL,
         "go on from the checkpoint in DIR, if there is one"},
        {"force", 0, CLI_FLAG, &a.force, NULL, "replace the run in DIR"},
        {"json", 0, CLI_FLAG, &a.json, NULL,
         "one JSON object per line on stdout, the last the summary"},
        {"quiet", 'q', CLI_FLAG, &a.quiet, NULL, "say nothing but errors"},
    };
    const CliCommand command = {
        .usage = "run SCENE [-o DIR] [--set KEY=VALUE]... [--duration T] [--threads N] [--resume]",
        .about =
            "Simulates a scene (YAML) into a run directory: frames, energies, measurements\n"
            "and a checkpoint. Ctrl-C and SIGTERM end within a second or two, if need be in the\n"
            "middle of a step, which is then made again: --resume goes on to the same bits.",
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
    a.scene = arguments.items[0];
    if (a.resume && a.force) {
        return cli_fail(CLI_BAD_INPUT, "--resume and --force exclude each other");
    }
    return run(&a);
}
