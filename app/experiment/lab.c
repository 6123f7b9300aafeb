// SPDX-License-Identifier: MIT
// Runs an experiment and answers its questions.
#define _POSIX_C_SOURCE 200809L
#include "experiment/lab.h"
#include "cli/progress.h"
#include "cli/table.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void lab_bug(HedLab* lab, const char* what, const char* name) {
    lab->broken = true;
    cli_fail(CLI_MACHINE, "bug in experiment '%s': %s '%s'", lab->experiment.name, what, name);
}

static int32_t find_parameter(HedLab* lab, const char* name) {
    for (int32_t i = 0; i < lab->experiment.parameter_count; ++i) {
        if (strcmp(lab->experiment.parameters[i].name, name) == 0) {
            return i;
        }
    }
    lab_bug(lab, "it has no parameter", name);
    return -1;
}

double lab_number(HedLab* lab, const char* name) {
    int32_t i = find_parameter(lab, name);
    return i >= 0 ? lab->numbers[i] : 0.0;
}

int32_t lab_count(HedLab* lab, const char* name) {
    double value = lab_number(lab, name);
    return value >= INT32_MIN && value <= INT32_MAX ? (int32_t)lround(value) : 0;
}

const char* lab_text(HedLab* lab, const char* name) {
    int32_t i = find_parameter(lab, name);
    return i >= 0 && lab->texts[i] ? lab->texts[i] : "";
}

bool lab_quick(const HedLab* lab) {
    return lab->quick;
}

int32_t lab_threads(const HedLab* lab) {
    return lab->threads;
}

const char* lab_out(const HedLab* lab) {
    return lab->out;
}

// Keeps a path until the lab ends.
// Paths live as long as the lab; one that is asked for again is not kept twice.
static const char* keep(HedLab* lab, char* path) {
    for (int32_t k = 0; path && k < lab->path_count; ++k) {
        if (strcmp(lab->paths[k], path) == 0) {
            free(path);
            return lab->paths[k];
        }
    }
    if (!path || lab->path_count == LAB_LIMIT) {
        free(path);
        lab_bug(lab, "no room for", "a path");
        return "";
    }
    lab->paths[lab->path_count++] = path;
    return path;
}

const char* lab_path(HedLab* lab, const char* name) {
    return keep(lab, cli_path_join(lab->out, name));
}

// The directory of the program, with a relative one appended; NULL if it cannot be found out.
static char* beside_program(const char* relative) {
    char program[4096];
    ssize_t size = readlink("/proc/self/exe", program, sizeof program - 1);
    if (size <= 0) {
        return NULL;
    }
    program[size] = '\0';
    char* slash = strrchr(program, '/');
    if (slash) {
        *slash = '\0';
    }
    return cli_path_join(program, relative);
}

const char* lab_scene_path(HedLab* lab, const char* name) {
    // Where the program is installed, or else in a tree with its source above it.
    static const char* const PLACES[] = {HEDDLE_EXPERIMENTS_FROM_PROGRAM, "../experiments",
                                         "../../experiments"};
    char inner[512];
    snprintf(inner, sizeof inner, "%s/%s", lab->experiment.name, name);
    const char* wanted = getenv("HEDDLE_EXPERIMENTS");
    if (wanted && wanted[0]) {
        return keep(lab, cli_path_join(wanted, inner));
    }
    for (size_t i = 0; i < sizeof PLACES / sizeof PLACES[0]; ++i) {
        char* place = beside_program(PLACES[i]);
        char* path = place ? cli_path_join(place, inner) : NULL;
        free(place);
        if (path && cli_exists(path)) {
            return keep(lab, path);
        }
        free(path);
    }
    // Nothing found: the message of whoever opens this will name the first place.
    char* place = beside_program(PLACES[0]);
    char* path = cli_path_join(place ? place : "experiments", inner);
    free(place);
    return keep(lab, path);
}

int lab_simulate(HedLab* lab, const char* scene_path, const char* const* overrides,
                 int32_t override_count, const char* name, HedRunReport* report) {
    HedError error = {0};
    HedScene* scene = NULL;
    if (hed_scene_load(scene_path, overrides, override_count, &scene, &error) != HED_OK) {
        return lab_fail(lab, &error);
    }
    CliProgress progress = cli_progress_begin(false, lab->quiet);
    HedRunOptions options = hed_run_options_default();
    options.directory = lab_path(lab, name);
    options.thread_count = lab->threads;
    options.force = true;
    options.checkpoint_interval = 10.0;
    options.progress = cli_progress_hook;
    options.stop = cli_progress_stop;
    options.context = &progress;
    HedStatus status = hed_run(scene, &options, report, &error);
    cli_progress_end(&progress);
    hed_scene_destroy(scene);
    if (status != HED_OK) {
        return lab_fail(lab, &error);
    }
    if (report->outcome == HED_OUTCOME_STOPPED) {
        return cli_fail(CLI_STOPPED, "stopped");
    }
    if (report->outcome == HED_OUTCOME_GAVE_UP) {
        lab_note(lab, "%s: the solver gave up at %.6g s: %s", name, report->time,
                 report->last.trouble);
    }
    return 0;
}

int lab_column(HedLab* lab, const char* csv, const char* column, double** values, int32_t* count) {
    CliTable table;
    *values = NULL;
    *count = 0;
    int code = cli_table_load(lab_path(lab, csv), &table);
    if (code != CLI_GO) {
        return code;
    }
    int32_t index = cli_table_column(&table, column);
    double* copy = malloc(((size_t)table.row_count + 1) * sizeof *copy);
    if (index < 0) {
        code = cli_fail(CLI_BAD_INPUT, "%s: has no column '%s'", csv, column);
    } else if (!copy) {
        code = cli_no_memory();
    } else {
        for (int32_t i = 0; i < table.row_count; ++i) {
            copy[i] = table.values[(size_t)i * (size_t)table.column_count + (size_t)index];
        }
        *values = copy;
        *count = table.row_count;
        copy = NULL;
        code = 0;
    }
    free(copy);
    cli_table_free(&table);
    return code;
}

bool lab_stop(void* context) {
    return cli_progress_stop(context);
}

int lab_fail(HedLab* lab, const HedError* error) {
    (void)lab;
    return cli_error(error);
}

int lab_fail_text(HedLab* lab, const char* format, ...) {
    (void)lab;
    char text[HED_ERROR_TEXT];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return cli_fail(CLI_MACHINE, "%s", text);
}

int lab_refuse(HedLab* lab, const char* format, ...) {
    (void)lab;
    char text[HED_ERROR_TEXT];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return cli_fail(CLI_BAD_INPUT, "%s", text);
}

// An experiment may write into a new or empty directory, or over its own earlier results.
static int claim_directory(const HedLab* lab) {
    DIR* listing = opendir(lab->out);
    if (!listing && errno != ENOENT) {
        return cli_fail(CLI_BAD_INPUT, "%s: %s", lab->out, strerror(errno));
    }
    bool empty = true;
    const struct dirent* entry = NULL;
    while (listing && (entry = readdir(listing)) != NULL) {
        empty = empty && (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0);
    }
    if (listing) {
        closedir(listing);
    }
    char mark[64];
    snprintf(mark, sizeof mark, ".%s", lab->experiment.name);
    char* path = cli_path_join(lab->out, mark);
    if (!path) {
        return cli_no_memory();
    }
    int code = CLI_GO;
    if (!empty && !cli_exists(path)) {
        code = cli_fail(CLI_BAD_INPUT,
                        "%s: holds other files than results of '%s'; choose another directory",
                        lab->out, lab->experiment.name);
    } else if (!cli_make_directory(lab->out)) {
        code = cli_fail(CLI_MACHINE, "%s: %s", lab->out, strerror(errno));
    } else {
        FILE* file = fopen(path, "w");
        if (!file || fclose(file) != 0) {
            code = cli_fail(CLI_MACHINE, "%s: %s", path, strerror(errno));
        }
    }
    free(path);
    return code;
}

static int save_json(const HedLab* lab, bool ok) {
    char* path = cli_path_join(lab->out, "result.json");
    FILE* file = path ? fopen(path, "w") : NULL;
    if (file) {
        lab_write_json(lab, ok, file);
    }
    bool saved = file && ferror(file) == 0;
    saved = file && fclose(file) == 0 && saved;
    int code =
        saved ? CLI_GO : cli_fail(CLI_MACHINE, "%s/result.json: %s", lab->out, strerror(errno));
    free(path);
    return code;
}

static int conclude(HedLab* lab) {
    bool ok = !lab->broken;
    for (int32_t i = 0; i < lab->claim_count; ++i) {
        ok = ok && lab->claims[i].ok;
    }
    int code = save_json(lab, ok);
    if (lab->json) {
        lab_write_json(lab, ok, stdout);
    } else {
        lab_print_claims(lab);
        printf("results are in %s\n", lab->out);
    }
    return code != CLI_GO ? code : ok ? CLI_DONE : CLI_GAVE_UP;
}

static int prepare(HedLab* lab, const LabRequest* request) {
    const HedExperiment* experiment = &lab->experiment;
    if (experiment->parameter_count > LAB_LIMIT) {
        lab_bug(lab, "too many", "parameters");
        return CLI_MACHINE;
    }
    for (int32_t i = 0; i < experiment->parameter_count; ++i) {
        lab->numbers[i] = experiment->parameters[i].number;
        lab->texts[i] = experiment->parameters[i].text;
    }
    for (int32_t i = 0; request->set && i < request->set->count; ++i) {
        int code = lab_set(lab, request->set->items[i]);
        if (code != CLI_GO) {
            return code;
        }
    }
    lab->out = request->out;
    if (!lab->out) {
        char name[256];
        snprintf(name, sizeof name, "out/%s/%s", lab->kind, experiment->name);
        lab->out = keep(lab, strdup(name));
    }
    if (!lab->out[0]) {
        return cli_no_memory();
    }
    return claim_directory(lab);
}

int lab_run(const HedExperiment* experiment, const LabRequest* request) {
    HedLab* lab = calloc(1, sizeof *lab);
    if (!lab) {
        return cli_no_memory();
    }
    lab->experiment = *experiment;
    snprintf(lab->kind, sizeof lab->kind, "%s", request->kind);
    lab->quick = request->quick;
    lab->json = lab->quiet = request->json;
    lab->threads = request->threads;
    int code = prepare(lab, request);
    if (code == CLI_GO) {
        cli_progress_catch_signals();
        code = experiment->run(lab);
        lab_table_end(lab);
        code = code == 0 ? conclude(lab) : code;
    }
    for (int32_t i = 0; i < lab->path_count; ++i) {
        free(lab->paths[i]);
    }
    free(lab);
    return code;
}
