// SPDX-License-Identifier: MIT
// Columns of runs over time or over another column.
#include "cli/gnuplot.h"
#include "cli/plot_job.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_COLUMN = 2 }; // after time and step

static int add_line(PlotJob* job, const PlotRun* run, const PlotValues* x, const PlotValues* y) {
    PlotCurve curve;
    int code = plot_job_curve(job, run, x, y, false, &curve);
    if (code != CLI_GO) {
        return code;
    }
    PlotReport* report = plot_job_report(job, run, y, curve.count);
    curve.panel = plot_chart_panel(&job->chart, y->unit);
    curve.look = y->is_energy && strcmp(y->name, "total") == 0 ? PLOT_TOTAL : PLOT_LINE;
    code = plot_chart_add(&job->chart, &curve);
    return report ? code : CLI_MACHINE;
}

static int add_column(PlotJob* job, const PlotRun* run, const PlotValues* x, const char* name) {
    PlotValues y;
    int code = plot_run_pick(run, name, &y);
    if (code == CLI_GO) {
        code = add_line(job, run, x, &y);
        free(y.values);
    }
    return code;
}

// Is there anything but zero in this column of any run? Energies that a scene does not have would
// only fill the key.
static bool is_used(const PlotJob* job, const char* name) {
    for (int32_t r = 0; r < job->run_count; ++r) {
        const CliTable* table = &job->runs[r].energy;
        int32_t column = cli_table_column(table, name);
        for (int32_t i = 0; column >= 0 && i < table->row_count; ++i) {
            if (table->values[(size_t)i * (size_t)table->column_count + (size_t)column] != 0.0) {
                return true;
            }
        }
    }
    return strcmp(name, "total") == 0;
}

static int add_run(PlotJob* job, const PlotRun* run, const PlotValues* x, bool energies) {
    const CliList* columns = &job->request->columns;
    int code = CLI_GO;
    for (int32_t i = 0; i < columns->count && code == CLI_GO; ++i) {
        code = add_column(job, run, x, columns->items[i]);
    }
    if (columns->count > 0) {
        return code;
    }
    const CliTable* table = energies ? &run->energy : &run->measure;
    if (table->column_count <= FIRST_COLUMN) {
        return cli_fail(CLI_BAD_INPUT, "%s: its scene asks for no measurements", run->path);
    }
    for (int32_t i = FIRST_COLUMN; i < table->column_count && code == CLI_GO; ++i) {
        bool is_drawn = !energies || is_used(job, table->names[i]);
        code = is_drawn ? add_column(job, run, x, table->names[i]) : CLI_GO;
    }
    return code;
}

// The how many-th column name of its panel this is, counted without repeats.
static int32_t rank_in_panel(const PlotChart* chart, int32_t index, int32_t* total) {
    int32_t rank = -1;
    *total = 0;
    for (int32_t i = 0; i < chart->curve_count; ++i) {
        const PlotCurve* curve = &chart->curves[i];
        bool is_new = curve->panel == chart->curves[index].panel;
        for (int32_t k = 0; k < i && is_new; ++k) {
            is_new = chart->curves[k].panel != curve->panel ||
                     strcmp(chart->curves[k].column, curve->column) != 0;
        }
        bool is_ours = strcmp(curve->column, chart->curves[index].column) == 0;
        rank = is_new && is_ours ? *total : rank;
        *total += is_new;
    }
    return rank;
}

// Colours tell columns apart, or runs if there is one column; dashes tell runs apart, and what
// comes after as many columns as there are colours.
static void style_lines(PlotJob* job) {
    PlotChart* chart = &job->chart;
    for (int32_t i = 0; i < chart->curve_count; ++i) {
        PlotCurve* curve = &chart->curves[i];
        const PlotRun* run = &job->runs[curve->run_index];
        int32_t total = 0;
        int32_t rank = rank_in_panel(chart, i, &total);
        curve->colour = total > 1 || job->run_count == 1 ? rank : curve->run_index;
        curve->dash = curve->run_index + curve->colour / GNUPLOT_COLOURS * job->run_count;
        plot_job_label(job, run, curve->column, curve->label, sizeof curve->label);
    }
}

int plot_lines(PlotJob* job, bool energies) {
    int code = CLI_GO;
    for (int32_t i = 0; i < job->run_count && code == CLI_GO; ++i) {
        const PlotRun* run = &job->runs[i];
        PlotValues x;
        code = plot_run_pick(run, job->request->x ? job->request->x : "time", &x);
        if (code == CLI_GO) {
            job->chart.x = x.unit;
            if (job->request->x && !x.unit.quantity[0]) {
                job->chart.x.quantity = job->request->x;
            }
            code = add_run(job, run, &x, energies);
            free(x.values);
        }
    }
    style_lines(job);
    return code;
}
