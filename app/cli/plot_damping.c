// SPDX-License-Identifier: MIT
// Fits of decaying oscillations, drawn over the data.
#include "cli/plot_job.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PER_PERIOD = 40, LEAST_POINTS = 200, MOST_POINTS = 4000 };

static const char* default_column(const PlotRun* run) {
    const HedMeasureKind kinds[] = {HED_MEASURE_POSITION, HED_MEASURE_DISTANCE, HED_MEASURE_EXTENT};
    const char* name = NULL;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0] && !name; ++i) {
        name = plot_run_first(run, kinds[i]);
    }
    return name ? name : "kinetic";
}

// "fit: 2.214 ± 0.003 Hz, damping 0.31 ± 0.01 1/s, ratio 0.022 ± 0.001", or why there is none.
static void describe(const HedDecay* decay, char* text, size_t size) {
    char frequency[PLOT_TEXT];
    char rate[PLOT_TEXT];
    char ratio[PLOT_TEXT];
    plot_estimate_text(decay->rate, "1/s", rate);
    switch (decay->kind) {
    case HED_DECAY_OSCILLATION:
        plot_estimate_text(decay->frequency, "Hz", frequency);
        // Of critical damping; a plain number, as it is written everywhere.
        plot_estimate_text(decay->ratio, "", ratio);
        snprintf(text, size, "%.50s, damping %.50s, ratio %.50s", frequency, rate, ratio);
        break;
    case HED_DECAY_EXPONENTIAL:
        snprintf(text, size, "over-damped, decay rate %.50s", rate);
        break;
    default:
        snprintf(text, size, "no oscillation: %s", decay->reason);
    }
}

// side: 0 for the fit itself, 1 or -1 for its envelope.
static int add_fit(PlotJob* job, const PlotCurve* data, const HedDecay* decay, int side) {
    PlotCurve curve = *data;
    double first = data->x[0];
    double length = data->x[data->count - 1] - first;
    double wanted = decay->kind == HED_DECAY_OSCILLATION && side == 0
                        ? PER_PERIOD * length * decay->frequency.value
                        : 0.0;
    int32_t count = (int32_t)fmin(fmax(wanted, LEAST_POINTS), MOST_POINTS);
    int code = plot_curve_new(&curve, count);
    if (code != CLI_GO) {
        return code;
    }
    for (int32_t i = 0; i < count; ++i) {
        double time = first + length * i / (count - 1);
        curve.x[i] = time;
        curve.y[i] = side == 0 ? hed_decay_at(decay, time) : hed_decay_envelope(decay, side, time);
    }
    curve.look = side == 0 ? PLOT_LINE : PLOT_ENVELOPE;
    snprintf(curve.column, sizeof curve.column, "%.150s %s", data->column,
             side == 0  ? "fit"
             : side > 0 ? "upper envelope"
                        : "lower envelope");
    if (side == 0) {
        char text[PLOT_TEXT];
        describe(decay, text, sizeof text);
        snprintf(curve.label, sizeof curve.label, "fit: %s", text);
    }
    return plot_chart_add(&job->chart, &curve);
}

static int add_decay(PlotJob* job, const PlotRun* run, const PlotValues* time,
                     const PlotValues* y) {
    PlotCurve data;
    HedError error;
    int code = plot_job_curve(job, run, time, y, true, &data);
    if (code != CLI_GO) {
        return code;
    }
    PlotReport* report = plot_job_report(job, run, y, data.count);
    HedDecayForm form = y->is_energy ? HED_DECAY_ENERGY : HED_DECAY_SWING;
    HedDecay decay = {0};
    if (report && hed_fit_decay(data.x, data.y, data.count, form, &decay, &error) != HED_OK) {
        code = cli_fail(CLI_BAD_INPUT, "%s: '%s': %s", run->path, y->name, error.message);
    }
    if (!report || code != CLI_GO) {
        free(data.x);
        free(data.y);
        return report ? code : CLI_MACHINE;
    }
    report->has_decay = true;
    report->decay = decay;
    data.look = PLOT_DATA;
    data.panel = plot_chart_panel(&job->chart, y->unit);
    data.colour = job->report_count - 1;
    char text[PLOT_TEXT];
    char label[2 * PLOT_TEXT];
    bool has_fit = decay.kind == HED_DECAY_OSCILLATION || decay.kind == HED_DECAY_EXPONENTIAL;
    describe(&decay, text, sizeof text);
    snprintf(label, sizeof label, "%.100s%s%s", y->name, has_fit ? "" : ", ", has_fit ? "" : text);
    plot_job_label(job, run, label, data.label, sizeof data.label);
    const PlotCurve copy = data; // its arrays stay where they are
    code = plot_chart_add(&job->chart, &data);
    for (int side = -1; side <= 1 && code == CLI_GO && has_fit; ++side) {
        bool has_side = side == 0 || decay.kind == HED_DECAY_OSCILLATION;
        code = has_side ? add_fit(job, &copy, &decay, side) : CLI_GO;
    }
    return code;
}

static int add_run(PlotJob* job, const PlotRun* run, const char* name) {
    PlotValues time;
    PlotValues y;
    int code = plot_run_pick(run, "time", &time);
    if (code != CLI_GO) {
        return code;
    }
    code = plot_run_pick(run, name ? name : default_column(run), &y);
    if (code == CLI_GO) {
        code = add_decay(job, run, &time, &y);
        free(y.values);
    }
    free(time.values);
    return code;
}

int plot_damping(PlotJob* job) {
    const CliList* columns = &job->request->columns;
    int code = CLI_GO;
    if (job->request->x) {
        return cli_fail(CLI_BAD_INPUT, "--what damping is over time; --x is not for it");
    }
    job->chart.x = (PlotUnit){"time", "s"};
    job->chart.is_key_below = true;
    for (int32_t i = 0; i < job->run_count && code == CLI_GO; ++i) {
        int32_t k = 0;
        do {
            code = add_run(job, &job->runs[i], columns->count > 0 ? columns->items[k] : NULL);
        } while (++k < columns->count && code == CLI_GO);
    }
    return code;
}
