// SPDX-License-Identifier: MIT
// Force over extension: loops, work and stiffness.
#include "cli/plot_job.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME = 160 };

// What to draw if the command line does not name it. A gauge is both: how far the pins are apart,
// and the force along the pull. Of a box the side along the force is drawn, whichever changes most.
static bool default_extension(const PlotRun* run, const char* force, char name[NAME]) {
    static const HedMeasureKind KINDS[] = {HED_MEASURE_GAUGE, HED_MEASURE_DISTANCE,
                                           HED_MEASURE_EXTENT, HED_MEASURE_POSITION,
                                           HED_MEASURE_STRAIN};
    for (size_t i = 0; i < sizeof KINDS / sizeof KINDS[0]; ++i) {
        const char* first = plot_run_first(run, KINDS[i]);
        if (first) {
            int32_t part = KINDS[i] == HED_MEASURE_EXTENT ? plot_run_direction(run, force) : -1;
            snprintf(name, NAME, "%.120s%s%s", first, part >= 0 ? "_" : "",
                     part >= 0 ? hed_measure_part(KINDS[i], part) : "");
            return true;
        }
    }
    return false;
}

static bool default_force(const PlotRun* run, char name[NAME]) {
    const char* gauge = plot_run_first(run, HED_MEASURE_GAUGE);
    const char* reaction = plot_run_first(run, HED_MEASURE_REACTION);
    if (gauge) {
        snprintf(name, NAME, "%.120s_%s", gauge, hed_measure_part(HED_MEASURE_GAUGE, 1));
    } else if (reaction) {
        snprintf(name, NAME, "%.120s", reaction);
    }
    return gauge || reaction;
}

// From lengths to what they have grown by: m, or a share of the first one.
static int make_extension(const PlotJob* job, const PlotRun* run, PlotValues* x) {
    double rest = x->values[0];
    if (job->request->use_strain && strcmp(x->unit.unit, "1") == 0) {
        return CLI_GO;
    }
    if (job->request->use_strain && (!x->is_length || !(rest > 0.0))) {
        return cli_fail(CLI_BAD_INPUT,
                        "%s: --strain needs a length that is above 0 at first; '%s' is none",
                        run->path, x->name);
    }
    for (int32_t i = 0; i < run->row_count && x->is_length; ++i) {
        x->values[i] -= rest;
    }
    x->unit.quantity = x->is_length ? "extension" : x->unit.quantity;
    return CLI_GO;
}

// What the picture shows of the numbers the report was made from.
static void draw_as_strain(PlotCurve* curve, double rest) {
    for (int32_t i = 0; i < curve->count; ++i) {
        curve->x[i] /= rest;
    }
}

static int measure_load(PlotJob* job, const PlotRun* run, const PlotCurve* curve,
                        const PlotValues* x, const PlotValues* y) {
    HedError error;
    char text[PLOT_TEXT];
    PlotReport* report = plot_job_report(job, run, y, curve->count);
    if (!report) {
        return CLI_MACHINE;
    }
    if (hed_fit_pull(curve->x, curve->y, curve->count, &report->load, &error) != HED_OK) {
        return cli_fail(CLI_BAD_INPUT, "%s: '%s' over '%s': %s", run->path, y->name, x->name,
                        error.message);
    }
    report->has_load = true;
    snprintf(report->slope_unit, sizeof report->slope_unit, "%.15s",
             plot_ratio_unit(y->unit, x->unit, text));
    snprintf(report->work_unit, sizeof report->work_unit, "%.15s",
             plot_product_unit(y->unit, x->unit, text));
    return CLI_GO;
}

// Twice the error or more: a slope that can be told from none.
static bool is_told(HedEstimate slope) {
    return isfinite(slope.value) && fabs(slope.value) >= 2.0 * slope.error;
}

// What is known of the stiffness. A slope that may as well be none only has a bound; then the one
// at the end says more: what is slack or starts with a jerk, and locks.
static void slope_text(const PlotReport* report, char text[3 * PLOT_TEXT]) {
    const HedPullTest* load = &report->load;
    char first[PLOT_TEXT];
    char last[PLOT_TEXT];
    if (is_told(load->slope)) {
        plot_estimate_text(load->slope, report->slope_unit, first);
        snprintf(text, 3 * PLOT_TEXT, "stiffness %.40s over the first tenth", first);
        return;
    }
    double most = fabs(load->slope.value) + 2.0 * load->slope.error;
    plot_number_text(most, report->slope_unit, first);
    int size = snprintf(text, 3 * PLOT_TEXT, "stiffness below %.40s over the first tenth", first);
    if (is_told(load->last_slope)) {
        plot_estimate_text(load->last_slope, report->slope_unit, last);
        snprintf(text + size, 3 * PLOT_TEXT - (size_t)size, ", %.40s over the last", last);
    }
}

static void label_load(const PlotJob* job, const PlotRun* run, const PlotReport* report,
                       PlotCurve* curve) {
    char work[PLOT_TEXT];
    char slope[3 * PLOT_TEXT];
    char text[5 * PLOT_TEXT];
    plot_number_text(report->load.work, report->work_unit, work);
    const char* kind = report->load.is_closed ? "loop" : "work";
    if (report->load.slope_count > 0) {
        slope_text(report, slope);
        snprintf(text, sizeof text, "%.60s, %s, %s %.40s", curve->column, slope, kind, work);
    } else {
        snprintf(text, sizeof text, "%.60s, %s %.40s", curve->column, kind, work);
    }
    plot_job_label(job, run, text, curve->label, sizeof curve->label);
}

// The part after the turn is drawn broken, as a curve of its own.
static int split_curve(PlotJob* job, PlotCurve* curve, int32_t turn) {
    PlotCurve back = *curve;
    int code = plot_curve_new(&back, curve->count - turn);
    if (code != CLI_GO) {
        free(curve->x);
        free(curve->y);
        return code;
    }
    for (int32_t i = turn; i < curve->count; ++i) {
        back.x[i - turn] = curve->x[i];
        back.y[i - turn] = curve->y[i];
    }
    back.look = PLOT_RETURN;
    curve->count = turn + 1;
    code = plot_chart_add(&job->chart, curve);
    if (code != CLI_GO) {
        free(back.x);
        free(back.y);
        return code;
    }
    return plot_chart_add(&job->chart, &back);
}

static int add_pull(PlotJob* job, const PlotRun* run, PlotValues* x, PlotValues* y) {
    double rest = x->values[0];
    bool is_scaled = job->request->use_strain && x->is_length;
    PlotCurve curve;
    int code = make_extension(job, run, x);
    if (code == CLI_GO) {
        code = plot_job_curve(job, run, x, y, true, &curve);
    }
    if (code != CLI_GO) {
        return code;
    }
    code = measure_load(job, run, &curve, x, y);
    if (code != CLI_GO) {
        free(curve.x);
        free(curve.y);
        return code;
    }
    const PlotReport* report = &job->reports[job->report_count - 1];
    if (is_scaled) {
        draw_as_strain(&curve, rest);
    }
    job->chart.x = is_scaled ? (PlotUnit){"strain", "1"} : x->unit;
    curve.panel = plot_chart_panel(&job->chart, y->unit);
    curve.colour = job->report_count - 1;
    label_load(job, run, report, &curve);
    return split_curve(job, &curve, report->load.turn);
}

static int add_run(PlotJob* job, const PlotRun* run, const char* y_name) {
    const char* x_name = job->request->x;
    char force[NAME] = "";
    char extension[NAME] = "";
    if (!y_name) {
        y_name = default_force(run, force) ? force : NULL;
    }
    if (!x_name) {
        x_name = default_extension(run, y_name, extension) ? extension : NULL;
    }
    if (!x_name || !y_name) {
        return cli_fail(
            CLI_BAD_INPUT, "%s: its scene measures no %s; name a column by --%c", run->path,
            x_name ? "reaction or gauge" : "distance, extent, position, strain or gauge",
            x_name ? 'y' : 'x');
    }
    PlotValues x;
    PlotValues y;
    int code = plot_run_pick(run, x_name, &x);
    if (code != CLI_GO) {
        return code;
    }
    code = plot_run_pick(run, y_name, &y);
    if (code == CLI_GO) {
        code = add_pull(job, run, &x, &y);
        free(y.values);
    }
    free(x.values);
    return code;
}

int plot_pull(PlotJob* job) {
    const CliList* columns = &job->request->columns;
    int code = CLI_GO;
    job->chart.is_key_below = true;
    for (int32_t i = 0; i < job->run_count && code == CLI_GO; ++i) {
        int32_t k = 0;
        do {
            code = add_run(job, &job->runs[i], columns->count > 0 ? columns->items[k] : NULL);
        } while (++k < columns->count && code == CLI_GO);
    }
    return code;
}
