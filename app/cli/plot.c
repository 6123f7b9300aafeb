// SPDX-License-Identifier: MIT
// heddle plot: energies or measurements of runs over time, or the shape of a frame.
#include "cli/gnuplot.h"
#include "cli/options.h"
#include "cli/shape.h"
#include "cli/table.h"
#include "cli/verbs.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { RUN_LIMIT = 32, UNIT_TEXT = 48, PANEL_LIMIT = 8, FIRST_COLUMN = 2 };

// One run's table; columns 0 and 1 are time and step.
typedef struct Curves {
    const char* run;
    CliTable table;
    char (*units)[UNIT_TEXT]; // axis label of each column, "" if unknown
} Curves;

typedef struct Chart {
    Curves runs[RUN_LIMIT];
    int32_t run_count;
    char panels[PANEL_LIMIT][UNIT_TEXT]; // axis labels; columns with the same one share a panel
    int32_t panel_count;
} Chart;

static const char* measure_label(HedMeasureKind kind) {
    static const char* const LABELS[HED_MEASURE_COUNT] = {
        [HED_MEASURE_POSITION] = "position (m)", [HED_MEASURE_SPEED] = "speed (m/s)",
        [HED_MEASURE_DISTANCE] = "distance (m)", [HED_MEASURE_AREA] = "area (m²)",
        [HED_MEASURE_SHADOW] = "area (m²)",      [HED_MEASURE_EXTENT] = "extent (m)",
        [HED_MEASURE_STRAIN] = "strain",         [HED_MEASURE_REACTION] = "force (N)",
    };
    return (unsigned)kind < HED_MEASURE_COUNT ? LABELS[kind] : "";
}

static void label_column(Curves* curves, int32_t column, const char* label) {
    if (column >= 0 && column < curves->table.column_count) {
        snprintf(curves->units[column], UNIT_TEXT, "%s", label);
    }
}

// measure.csv has names only; what they measure stands in the run's scene. If that cannot be read
// any more (a mesh was moved away) the curves are drawn without a unit.
static void label_measures(Curves* curves, const char* directory) {
    HedScene* scene = NULL;
    HedSim* sim = NULL;
    char* path = cli_path_join(directory, "scene.yaml");
    if (path && hed_scene_load(path, NULL, 0, &scene, NULL) == HED_OK &&
        hed_scene_build(scene, 0, &sim, NULL) == HED_OK) {
        int32_t column = FIRST_COLUMN;
        for (int32_t i = 0; i < hed_scene_measure_count(scene); ++i) {
            HedMeasureDef def = hed_scene_measure(scene, sim, i);
            for (int32_t k = 0; k < hed_measure_width(def.kind); ++k) {
                label_column(curves, column++, measure_label(def.kind));
            }
        }
    }
    hed_sim_destroy(sim);
    hed_scene_destroy(scene);
    free(path);
}

static int load_curves(const char* directory, bool energies, Curves* curves) {
    curves->run = directory;
    char* path = cli_path_join(directory, energies ? "energy.csv" : "measure.csv");
    if (!path) {
        return cli_no_memory();
    }
    int code = hed_run_is_directory(directory)
                   ? cli_table_load(path, &curves->table)
                   : cli_fail(CLI_BAD_INPUT, "%s: holds no run", directory);
    free(path);
    if (code != CLI_GO) {
        return code;
    }
    const CliTable* table = &curves->table;
    if (table->column_count <= FIRST_COLUMN) {
        return cli_fail(CLI_BAD_INPUT, "%s: its scene asks for no measurements", directory);
    }
    if (table->row_count == 0) {
        return cli_fail(CLI_BAD_INPUT, "%s: the run has no frames yet", directory);
    }
    curves->units = calloc((size_t)table->column_count, UNIT_TEXT);
    if (!curves->units) {
        return cli_no_memory();
    }
    if (!energies) {
        label_measures(curves, directory);
    }
    for (int32_t i = FIRST_COLUMN; energies && i < table->column_count; ++i) {
        label_column(curves, i, "energy (J)");
    }
    return CLI_GO;
}

static int32_t panel_of(const Chart* chart, const char* label) {
    for (int32_t i = 0; i < chart->panel_count; ++i) {
        if (strcmp(chart->panels[i], label) == 0) {
            return i;
        }
    }
    return -1;
}

static void find_panels(Chart* chart) {
    for (int32_t r = 0; r < chart->run_count; ++r) {
        const Curves* curves = &chart->runs[r];
        for (int32_t i = FIRST_COLUMN; i < curves->table.column_count; ++i) {
            if (panel_of(chart, curves->units[i]) < 0 && chart->panel_count < PANEL_LIMIT) {
                memcpy(chart->panels[chart->panel_count++], curves->units[i], UNIT_TEXT);
            }
        }
    }
}

static void send_data(const Gnuplot* plot, const Chart* chart) {
    char text[CLI_NUMBER_TEXT];
    for (int32_t r = 0; r < chart->run_count; ++r) {
        const CliTable* table = &chart->runs[r].table;
        fprintf(plot->script, "$run%" PRId32 " << EOD\n", r);
        for (int32_t row = 0; row < table->row_count; ++row) {
            for (int32_t i = 0; i < table->column_count; ++i) {
                double value = table->values[(size_t)row * (size_t)table->column_count + (size_t)i];
                fprintf(plot->script, "%s ",
                        isfinite(value) ? cli_number_text(value, text) : "NaN");
            }
            fputc('\n', plot->script);
        }
        fputs("EOD\n", plot->script);
    }
}

static void send_curve(const Gnuplot* plot, const Chart* chart, int32_t run, int32_t column,
                       int32_t colour) {
    const Curves* curves = &chart->runs[run];
    char title[256];
    bool total = strcmp(curves->table.names[column], "total") == 0;
    if (chart->run_count > 1) {
        snprintf(title, sizeof title, "%.120s: %.120s", curves->run, curves->table.names[column]);
    } else {
        snprintf(title, sizeof title, "%.250s", curves->table.names[column]);
    }
    // A single row gives no line: points then.
    fprintf(plot->script,
            "$run%" PRId32 " using 1:%" PRId32 " with %s lc rgb '%s' lw %s dt %" PRId32 " title ",
            run, column + 1, curves->table.row_count > 1 ? "lines" : "points",
            total ? "#000000" : gnuplot_colour(colour), total ? "2.4" : "1.8", run % 5 + 1);
    gnuplot_text(plot, title);
}

static void send_panel(const Gnuplot* plot, const Chart* chart, int32_t panel) {
    bool last = panel + 1 == chart->panel_count;
    fputs("set ylabel ", plot->script);
    gnuplot_text(plot, chart->panels[panel][0] ? chart->panels[panel] : "value");
    fprintf(plot->script, "\nset xlabel '%s'\nplot ", last ? "time (s)" : "");
    int32_t sent = 0;
    for (int32_t r = 0; r < chart->run_count; ++r) {
        const Curves* curves = &chart->runs[r];
        int32_t colour = 0;
        for (int32_t i = FIRST_COLUMN; i < curves->table.column_count; ++i) {
            if (panel_of(chart, curves->units[i]) == panel) {
                fputs(sent++ ? ", \\\n  " : "", plot->script);
                send_curve(plot, chart, r, i, colour++);
            }
        }
    }
    fputc('\n', plot->script);
}

static int draw_chart(const Chart* chart, const char* output, bool force) {
    Gnuplot plot;
    int height = chart->panel_count > 1 ? 80 + 300 * chart->panel_count : 560;
    int code = gnuplot_open(&plot, output, 1000, height, force);
    if (code != CLI_GO) {
        return code;
    }
    gnuplot_style(&plot);
    send_data(&plot, chart);
    fputs("set title ", plot.script);
    gnuplot_text(&plot, chart->run_count == 1 ? chart->runs[0].run : "");
    fputc('\n', plot.script);
    if (chart->panel_count > 1) {
        fprintf(plot.script, "set multiplot layout %" PRId32 ",1\n", chart->panel_count);
    }
    for (int32_t i = 0; i < chart->panel_count; ++i) {
        send_panel(&plot, chart, i);
        fputs("unset title\n", plot.script);
    }
    return gnuplot_close(&plot);
}

static int plot_tables(const CliList* runs, bool energies, const char* output, bool force) {
    if (runs->count > RUN_LIMIT) {
        return cli_fail(CLI_BAD_INPUT, "at most %d runs on one chart, got %" PRId32, RUN_LIMIT,
                        runs->count);
    }
    Chart* chart = calloc(1, sizeof *chart);
    if (!chart) {
        return cli_no_memory();
    }
    int code = CLI_GO;
    for (int32_t i = 0; i < runs->count && code == CLI_GO; ++i) {
        chart->run_count += 1;
        code = load_curves(runs->items[i], energies, &chart->runs[i]);
    }
    if (code == CLI_GO) {
        find_panels(chart);
        code = draw_chart(chart, output, force);
    }
    for (int32_t i = 0; i < chart->run_count; ++i) {
        cli_table_free(&chart->runs[i].table);
        free(chart->runs[i].units);
    }
    free(chart);
    return code;
}

int cli_plot(int argc, char** argv) {
    const char* output = NULL;
    const char* what = "energy";
    const char* frame = "last";
    bool force = false;
    const CliOption options[] = {
        {"output", 'o', CLI_TEXT, &output, "FILE", "picture to write, .png or .svg"},
        {"what", 0, CLI_TEXT, &what, "WHAT", "energy (default), measure or shape"},
        {"frame", 0, CLI_TEXT, &frame, "N|last", "frame for --what shape (default: last)"},
        {"force", 0, CLI_FLAG, &force, NULL, "replace FILE if it is there"},
    };
    const CliCommand command = {
        .usage = "plot RUN... -o FILE [--what energy|measure|shape] [--frame N|last] [--force]",
        .about =
            "Draws energies or measurements of one or more runs over time, or a picture of one\n"
            "frame, with gnuplot.",
        .options = options,
        .option_count = sizeof options / sizeof options[0],
        .least = 1,
        .most = CLI_LIST_LIMIT,
        .missing = "RUN",
    };
    CliList runs;
    int code = cli_parse(&command, argc, argv, &runs);
    if (code != CLI_GO) {
        return code;
    }
    if (!output) {
        return cli_fail(CLI_BAD_INPUT, "plot needs -o FILE, ending in .png or .svg");
    }
    if (strcmp(what, "shape") == 0) {
        return runs.count == 1 ? cli_shape_draw(runs.items[0], frame, output, force)
                               : cli_fail(CLI_BAD_INPUT, "--what shape takes one run, got %" PRId32,
                                          runs.count);
    }
    bool energies = strcmp(what, "energy") == 0;
    if (!energies && strcmp(what, "measure") != 0) {
        return cli_fail(CLI_BAD_INPUT, "--what must be energy, measure or shape, got '%s'", what);
    }
    return plot_tables(&runs, energies, output, force);
}
