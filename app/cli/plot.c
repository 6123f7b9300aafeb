// SPDX-License-Identifier: MIT
// heddle plot: energies, measurements, force over extension or damping of runs.
#include "cli/options.h"
#include "cli/plot_job.h"
#include "cli/verbs.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RUN_LIMIT = 32 };

// The rest of the command line.
typedef struct Options {
    const char* output;
    const char* csv;
    const char* what;
    const char* size;
    const char* title;
    bool log_x, log_y;
    bool json;
    bool force;
} Options;

static int read_size(const char* text, int* width, int* height) {
    char first[16];
    int64_t values[2];
    size_t length = strcspn(text, "x");
    snprintf(first, sizeof first, "%.*s", (int)(length < 15 ? length : 15), text);
    if (text[length] != 'x' || !cli_integer(first, 200, 8000, &values[0]) ||
        !cli_integer(text + length + 1, 200, 8000, &values[1])) {
        return cli_fail(CLI_BAD_INPUT,
                        "--size needs WIDTHxHEIGHT in pixels, each from 200 to 8000, got '%s'",
                        text);
    }
    *width = (int)values[0];
    *height = (int)values[1];
    return CLI_GO;
}

static int load_runs(PlotJob* job) {
    const CliList* paths = &job->request->paths;
    if (paths->count > RUN_LIMIT) {
        return cli_fail(CLI_BAD_INPUT, "at most %d runs on one chart, got %" PRId32, RUN_LIMIT,
                        paths->count);
    }
    job->runs = calloc((size_t)paths->count, sizeof *job->runs);
    if (!job->runs) {
        return cli_no_memory();
    }
    int code = CLI_GO;
    for (int32_t i = 0; i < paths->count && code == CLI_GO; ++i) {
        job->run_count += 1;
        code = plot_run_load(paths->items[i], &job->runs[i]);
    }
    return code == CLI_GO ? plot_run_names(job->runs, job->run_count) : code;
}

static int fill_chart(PlotJob* job, const char* what) {
    if (strcmp(what, "force-extension") == 0) {
        return plot_pull(job);
    }
    if (strcmp(what, "damping") == 0) {
        return plot_damping(job);
    }
    return plot_lines(job, strcmp(what, "energy") == 0);
}

static int write_results(const PlotJob* job, const Options* options) {
    int code = CLI_GO;
    if (options->csv && cli_exists(options->csv) && !options->force) {
        return cli_fail(CLI_BAD_INPUT, "%s: is there already; --force replaces it", options->csv);
    }
    if (options->output) {
        code = plot_chart_draw(&job->chart, options->output, options->force);
        code = code == CLI_DONE ? CLI_GO : code;
    }
    if (options->csv && code == CLI_GO) {
        code = plot_chart_csv(&job->chart, options->csv, options->force);
    }
    if (options->json && code == CLI_GO) {
        plot_job_json(job, options->what, options->output);
    }
    return code == CLI_GO ? CLI_DONE : code;
}

static int draw(const PlotRequest* request, const Options* options) {
    PlotJob job = {.request = request};
    PlotChart* chart = &job.chart;
    int code = options->size ? read_size(options->size, &chart->width, &chart->height) : CLI_GO;
    if (code == CLI_GO) {
        code = load_runs(&job);
    }
    if (code == CLI_GO) {
        chart->log_x = options->log_x;
        chart->log_y = options->log_y;
        chart->title = options->title       ? options->title
                       : job.run_count == 1 ? job.runs[0].name
                                            : NULL;
        code = fill_chart(&job, options->what);
    }
    if (code == CLI_GO) {
        code = write_results(&job, options);
    }
    plot_job_free(&job);
    return code;
}

static int check_request(const PlotRequest* request, const Options* options) {
    static const char* const KINDS[] = {"energy", "measure", "force-extension", "damping"};
    bool is_known = false;
    for (size_t i = 0; i < sizeof KINDS / sizeof KINDS[0]; ++i) {
        is_known = is_known || strcmp(options->what, KINDS[i]) == 0;
    }
    if (!options->output && !options->csv && !options->json) {
        return cli_fail(CLI_BAD_INPUT, "plot needs -o FILE, ending in .png or .svg");
    }
    if (!is_known) {
        return cli_fail(CLI_BAD_INPUT,
                        "--what must be energy, measure, force-extension or damping, got '%s'",
                        options->what);
    }
    if (request->use_strain && strcmp(options->what, "force-extension") != 0) {
        return cli_fail(CLI_BAD_INPUT, "--strain goes with --what force-extension");
    }
    if (!(request->from <= request->to)) {
        return cli_fail(CLI_BAD_INPUT, "--from %g s must not be after --to %g s", request->from,
                        request->to);
    }
    return CLI_GO;
}

int cli_plot(int argc, char** argv) {
    PlotRequest r = {.to = HUGE_VAL};
    Options o = {.what = "energy"};
    const CliOption options[] = {
        {"output", 'o', CLI_TEXT, &o.output, "FILE", "picture to write, .png or .svg"},
        {"what", 0, CLI_TEXT, &o.what, "WHAT",
         "energy (default), measure, force-extension, damping"},
        {"x", 0, CLI_TEXT, &r.x, "NAME", "column or measurement to the right (default: time)"},
        {"y", 0, CLI_LIST, &r.columns, "NAME", "column or measurement upwards; may be repeated"},
        {"column", 0, CLI_LIST, &r.columns, "NAME", "the same as --y"},
        {"from", 0, CLI_TIME, &r.from, "T", "leave out what is before"},
        {"to", 0, CLI_TIME, &r.to, "T", "leave out what is after"},
        {"strain", 0, CLI_FLAG, &r.use_strain, NULL, "extension as a share of the first length"},
        {"log-x", 0, CLI_FLAG, &o.log_x, NULL, "logarithmic axis"},
        {"log-y", 0, CLI_FLAG, &o.log_y, NULL, "logarithmic axis"},
        {"size", 0, CLI_TEXT, &o.size, "WxH", "pixels (default: 1000x560, more for more panels)"},
        {"title", 0, CLI_TEXT, &o.title, "TEXT", "above the chart (default: the run's name)"},
        {"json", 0, CLI_FLAG, &o.json, NULL, "print what was drawn and fitted"},
        {"csv", 0, CLI_TEXT, &o.csv, "FILE", "write the numbers drawn, in SI units"},
        {"force", 0, CLI_FLAG, &o.force, NULL, "replace files that are there"},
    };
    const CliCommand command = {
        .usage = "plot RUN... -o FILE [--what WHAT] [--x NAME] [--y NAME]... [options]",
        .about = "Draws energies or measurements of one or more runs over time, force over\n"
                 "extension, or fits of decaying oscillations, with gnuplot.",
        .options = options,
        .option_count = sizeof options / sizeof options[0],
        .least = 1,
        .most = CLI_LIST_LIMIT,
        .missing = "RUN",
        .more =
            "NAME is a column of energy.csv or measure.csv, or a measurement of the scene: see\n"
            "docs/plots.md.",
    };
    int code = cli_parse(&command, argc, argv, &r.paths);
    if (code == CLI_GO) {
        code = check_request(&r, &o);
    }
    return code == CLI_GO ? draw(&r, &o) : code;
}
