// SPDX-License-Identifier: MIT
#define _POSIX_C_SOURCE 200809L
#include "cli/plot_run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_COLUMN = 2, NAME_LIMIT = 256 }; // columns begin after time and step

// Of the k-th number of a measurement.
static PlotUnit unit_of(HedMeasureKind kind, int32_t k) {
    static const PlotUnit UNITS[HED_MEASURE_COUNT] = {
        [HED_MEASURE_POSITION] = {"position", "m"}, [HED_MEASURE_SPEED] = {"speed", "m/s"},
        [HED_MEASURE_DISTANCE] = {"distance", "m"}, [HED_MEASURE_AREA] = {"area", "m²"},
        [HED_MEASURE_SHADOW] = {"area", "m²"},      [HED_MEASURE_EXTENT] = {"extent", "m"},
        [HED_MEASURE_STRAIN] = {"strain", "1"},     [HED_MEASURE_REACTION] = {"force", "N"},
        [HED_MEASURE_GAUGE] = {"distance", "m"},
    };
    if (kind == HED_MEASURE_GAUGE && k == 1) {
        return UNITS[HED_MEASURE_REACTION];
    }
    return (unsigned)kind < HED_MEASURE_COUNT ? UNITS[kind] : (PlotUnit){"", ""};
}

// measure.csv has names only; what they measure stands in the run's scene. If that cannot be read
// any more (a mesh was moved away) the curves are drawn without a unit.
static bool read_measures(PlotRun* run) {
    HedScene* scene = NULL;
    HedSim* sim = NULL;
    bool has_memory = true;
    char* path = cli_path_join(run->path, "scene.yaml");
    HedSimDef def = hed_sim_def_default();
    def.thread_count = 1;
    // The handles of the definitions are not used: a sim without sheets will do.
    if (path && hed_scene_preview(path, NULL, 0, &scene, NULL) == HED_OK &&
        hed_sim_create(&def, &sim, NULL) == HED_OK) {
        int32_t count = hed_scene_measure_count(scene);
        int32_t column = FIRST_COLUMN;
        run->measures = calloc((size_t)count + 1, sizeof *run->measures);
        for (int32_t i = 0; run->measures && i < count; ++i) {
            PlotMeasure* measure = &run->measures[run->measure_count];
            measure->kind = hed_scene_measure(scene, sim, i).kind;
            measure->first = column;
            column += hed_measure_width(measure->kind);
            if (column > run->measure.column_count) {
                break;
            }
            measure->name = strdup(hed_scene_measure_name(scene, i));
            has_memory = has_memory && measure->name;
            run->measure_count += 1;
        }
        has_memory = has_memory && run->measures;
    }
    hed_sim_destroy(sim);
    hed_scene_destroy(scene);
    free(path);
    return has_memory && path;
}

static int load_table(const PlotRun* run, const char* name, CliTable* table) {
    char* path = cli_path_join(run->path, name);
    int code = path ? cli_table_load(path, table) : cli_no_memory();
    free(path);
    if (code == CLI_GO &&
        (table->column_count < FIRST_COLUMN || strcmp(table->names[0], "time") != 0)) {
        return cli_fail(CLI_BAD_INPUT, "%s/%s: the first column must be 'time'", run->path, name);
    }
    return code;
}

int plot_run_load(const char* path, PlotRun* run) {
    *run = (PlotRun){.path = path};
    int code = hed_run_is_directory(path) ? load_table(run, "energy.csv", &run->energy)
                                          : cli_fail(CLI_BAD_INPUT, "%s: holds no run", path);
    if (code == CLI_GO) {
        code = load_table(run, "measure.csv", &run->measure);
    }
    if (code != CLI_GO) {
        return code;
    }
    // Of a run that grows one table may be a row ahead.
    run->row_count = run->energy.row_count < run->measure.row_count ? run->energy.row_count
                                                                    : run->measure.row_count;
    if (run->row_count == 0) {
        return cli_fail(CLI_BAD_INPUT, "%s: the run has no frames yet", path);
    }
    return read_measures(run) ? CLI_GO : cli_no_memory();
}

void plot_run_free(PlotRun* run) {
    for (int32_t i = 0; i < run->measure_count; ++i) {
        free(run->measures[i].name);
    }
    free(run->measures);
    free(run->name);
    cli_table_free(&run->energy);
    cli_table_free(&run->measure);
    *run = (PlotRun){0};
}

// Length of the longest beginning, up to and with a '/', that all paths share.
static size_t shared_part(const PlotRun* runs, int32_t count) {
    size_t shared = 0;
    for (size_t i = 0; runs[0].path[i]; ++i) {
        for (int32_t r = 1; r < count; ++r) {
            if (runs[r].path[i] != runs[0].path[i]) {
                return shared;
            }
        }
        shared = runs[0].path[i] == '/' ? i + 1 : shared;
    }
    return shared;
}

int plot_run_names(PlotRun* runs, int32_t count) {
    size_t shared = shared_part(runs, count);
    for (int32_t r = 0; r < count; ++r) {
        size_t size = strlen(runs[r].path);
        while (size > shared && runs[r].path[size - 1] == '/') {
            --size;
        }
        // One path may be where another only begins: "out/a/" of "out/a" and "out/a/b".
        bool is_empty = size <= shared;
        runs[r].name = is_empty ? strdup(".") : strndup(runs[r].path + shared, size - shared);
        if (!runs[r].name) {
            return cli_no_memory();
        }
    }
    return CLI_GO;
}

static const PlotMeasure* find_measure(const PlotRun* run, const char* name) {
    for (int32_t i = 0; i < run->measure_count; ++i) {
        if (strcmp(run->measures[i].name, name) == 0) {
            return &run->measures[i];
        }
    }
    return NULL;
}

const char* plot_run_first(const PlotRun* run, HedMeasureKind kind) {
    for (int32_t i = 0; i < run->measure_count; ++i) {
        if (run->measures[i].kind == kind) {
            return run->measures[i].name;
        }
    }
    return NULL;
}

static double cell(const CliTable* table, int32_t row, int32_t column) {
    return table->values[(size_t)row * (size_t)table->column_count + (size_t)column];
}

int32_t plot_run_direction(const PlotRun* run, const char* name) {
    const PlotMeasure* measure = name ? find_measure(run, name) : NULL;
    int32_t best = -1;
    double largest = -1.0;
    for (int32_t k = 0; measure && measure->kind == HED_MEASURE_REACTION && k < 3; ++k) {
        for (int32_t row = 0; row < run->row_count; ++row) {
            double size = fabs(cell(&run->measure, row, measure->first + k));
            best = size > largest ? k : best;
            largest = fmax(largest, size);
        }
    }
    return best;
}

static const PlotMeasure* measure_of_column(const PlotRun* run, int32_t column) {
    for (int32_t i = 0; i < run->measure_count; ++i) {
        const PlotMeasure* measure = &run->measures[i];
        if (column >= measure->first &&
            column < measure->first + hed_measure_width(measure->kind)) {
            return measure;
        }
    }
    return NULL;
}

PlotUnit plot_run_unit(const PlotRun* run, int32_t column) {
    const PlotMeasure* measure = measure_of_column(run, column);
    return measure ? unit_of(measure->kind, column - measure->first) : (PlotUnit){"", ""};
}

static int copy_column(const PlotRun* run, const CliTable* table, int32_t column,
                       PlotValues* values) {
    values->values = calloc((size_t)run->row_count, sizeof(double));
    if (!values->values) {
        return cli_no_memory();
    }
    for (int32_t row = 0; row < run->row_count; ++row) {
        values->values[row] = cell(table, row, column);
    }
    return CLI_GO;
}

// Of several columns the one that goes farthest from its first number.
static int32_t busiest(const PlotRun* run, int32_t first, int32_t width) {
    int32_t best = first;
    double farthest = -1.0;
    for (int32_t column = first; column < first + width; ++column) {
        for (int32_t row = 0; row < run->row_count; ++row) {
            double way = fabs(cell(&run->measure, row, column) - cell(&run->measure, 0, column));
            if (way > farthest) {
                farthest = way;
                best = column;
            }
        }
    }
    return best;
}

static int copy_component(const PlotRun* run, const PlotMeasure* measure, PlotValues* values) {
    size_t rows = (size_t)run->row_count;
    double* xyz = calloc(3 * rows, sizeof(double));
    values->values = calloc(rows, sizeof(double));
    if (!xyz || !values->values) {
        free(xyz);
        return cli_no_memory();
    }
    for (int32_t row = 0; row < run->row_count; ++row) {
        for (int32_t k = 0; k < 3; ++k) {
            xyz[3 * (size_t)row + (size_t)k] = cell(&run->measure, row, measure->first + k);
        }
    }
    const double zero[3] = {0};
    bool from_start = measure->kind == HED_MEASURE_POSITION;
    hed_fit_component(xyz, run->row_count, from_start ? xyz : zero, values->values);
    free(xyz);
    return CLI_GO;
}

static bool is_length(const PlotMeasure* measure, int32_t column) {
    return measure->kind == HED_MEASURE_DISTANCE || measure->kind == HED_MEASURE_EXTENT ||
           (measure->kind == HED_MEASURE_GAUGE && column == measure->first);
}

static int pick_measure(const PlotRun* run, const PlotMeasure* measure, PlotValues* values) {
    values->unit = unit_of(measure->kind, 0);
    values->is_length = is_length(measure, measure->first);
    switch (measure->kind) {
    case HED_MEASURE_POSITION:
        values->unit.quantity = "displacement";
        return copy_component(run, measure, values);
    case HED_MEASURE_REACTION:
        return copy_component(run, measure, values);
    case HED_MEASURE_EXTENT:
        return copy_column(run, &run->measure, busiest(run, measure->first, 3), values);
    default:
        return copy_column(run, &run->measure, measure->first, values);
    }
}

static int fail_name(const PlotRun* run, const char* name) {
    const CliTable* tables[2] = {&run->measure, &run->energy};
    const char* names[NAME_LIMIT];
    int32_t count = 0;
    char list[1024] = "";
    for (int32_t i = 0; i < run->measure_count && count < NAME_LIMIT; ++i) {
        names[count++] = run->measures[i].name;
    }
    for (int32_t t = 0; t < 2; ++t) {
        for (int32_t i = 0; i < tables[t]->column_count && count < NAME_LIMIT; ++i) {
            names[count++] = tables[t]->names[i];
        }
    }
    const char* nearest = cli_nearest(name, names, count);
    size_t size = 0;
    for (int32_t i = 0; i < count; ++i) {
        bool is_new = true;
        for (int32_t k = 0; k < i; ++k) {
            is_new = is_new && strcmp(names[k], names[i]) != 0;
        }
        if (is_new && size + strlen(names[i]) + 8 < sizeof list) {
            size += (size_t)snprintf(list + size, sizeof list - size, "%s%s", size ? ", " : "",
                                     names[i]);
        } else if (is_new) {
            snprintf(list + size, sizeof list - size, ", ...");
            break;
        }
    }
    return cli_fail(CLI_BAD_INPUT, "%s: no column '%s'%s%s%s there are: %s", run->path, name,
                    nearest ? "; did you mean '" : ";", nearest ? nearest : "",
                    nearest ? "'? Else" : "", list);
}

int plot_run_pick(const PlotRun* run, const char* name, PlotValues* values) {
    *values = (PlotValues){.unit = {"", ""}};
    snprintf(values->name, sizeof values->name, "%s", name);
    const PlotMeasure* measure = find_measure(run, name);
    int code = CLI_GO;
    int32_t column = cli_table_column(&run->measure, name);
    if (measure) {
        code = pick_measure(run, measure, values);
    } else if (column >= FIRST_COLUMN) {
        const PlotMeasure* owner = measure_of_column(run, column);
        values->unit = plot_run_unit(run, column);
        values->is_length = owner && is_length(owner, column);
        code = copy_column(run, &run->measure, column, values);
    } else if ((column = cli_table_column(&run->energy, name)) >= 0) {
        values->is_energy = column >= FIRST_COLUMN;
        values->unit = column == 0   ? (PlotUnit){"time", "s"}
                       : column == 1 ? (PlotUnit){"step", ""}
                                     : (PlotUnit){"energy", "J"};
        code = copy_column(run, &run->energy, column, values);
    } else {
        code = fail_name(run, name);
    }
    if (code != CLI_GO) {
        free(values->values);
        values->values = NULL;
    }
    return code;
}
