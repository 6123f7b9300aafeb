// SPDX-License-Identifier: MIT
#include "cli/plot_job.h"
#include "cli/json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void plot_job_free(PlotJob* job) {
    for (int32_t i = 0; i < job->run_count; ++i) {
        plot_run_free(&job->runs[i]);
    }
    plot_chart_free(&job->chart);
    free(job->runs);
    free(job->reports);
    *job = (PlotJob){0};
}

PlotReport* plot_job_report(PlotJob* job, const PlotRun* run, const PlotValues* values,
                            int32_t samples) {
    size_t size = ((size_t)job->report_count + 1) * sizeof *job->reports;
    PlotReport* grown = realloc(job->reports, size);
    if (!grown) {
        cli_no_memory();
        return NULL;
    }
    job->reports = grown;
    PlotReport* report = &grown[job->report_count++];
    *report = (PlotReport){.run_index = (int32_t)(run - job->runs), .unit = values->unit};
    report->samples = samples;
    snprintf(report->column, sizeof report->column, "%s", values->name);
    return report;
}

int plot_job_curve(const PlotJob* job, const PlotRun* run, const PlotValues* x, const PlotValues* y,
                   bool only_finite, PlotCurve* curve) {
    const PlotRequest* request = job->request;
    *curve = (PlotCurve){.run_index = (int32_t)(run - job->runs)};
    snprintf(curve->run, sizeof curve->run, "%s", run->path);
    snprintf(curve->column, sizeof curve->column, "%s", y->name);
    int code = plot_curve_new(curve, run->row_count);
    if (code != CLI_GO) {
        return code;
    }
    curve->count = 0;
    for (int32_t i = 0; i < run->row_count; ++i) {
        double time = run->energy.values[(size_t)i * (size_t)run->energy.column_count];
        bool is_number = isfinite(x->values[i]) && isfinite(y->values[i]);
        if (time >= request->from && time <= request->to && (is_number || !only_finite)) {
            curve->x[curve->count] = x->values[i];
            curve->y[curve->count++] = y->values[i];
        }
    }
    return CLI_GO;
}

void plot_job_label(const PlotJob* job, const PlotRun* run, const char* text, char* label,
                    size_t size) {
    if (job->run_count > 1) {
        snprintf(label, size, "%.150s: %s", run->name, text);
    } else {
        snprintf(label, size, "%s", text);
    }
}

static void put_estimate(Json* json, const char* key, HedEstimate estimate) {
    json_object(json, key);
    json_number(json, "value", estimate.value);
    json_number(json, "error", estimate.error);
    json_end(json);
}

static void put_decay(Json* json, const HedDecay* decay) {
    json_text(json, "kind", hed_decay_name(decay->kind));
    if (decay->reason[0]) {
        json_text(json, "reason", decay->reason);
    }
    json_number(json, "start", decay->start);
    put_estimate(json, "frequency", decay->frequency);
    put_estimate(json, "rate", decay->rate);
    put_estimate(json, "ratio", decay->ratio);
    put_estimate(json, "amplitude", decay->amplitude);
    put_estimate(json, "phase", decay->phase);
    put_estimate(json, "mean", decay->mean);
    put_estimate(json, "offset", decay->offset);
    json_number(json, "residual", decay->residual);
    json_number(json, "explained", decay->explained);
}

static void put_load(Json* json, const PlotReport* report) {
    const HedPullTest* load = &report->load;
    put_estimate(json, "stiffness", load->slope);
    json_text(json, "stiffness_unit", report->slope_unit);
    json_integer(json, "stiffness_samples", load->slope_count);
    put_estimate(json, "last_stiffness", load->last_slope);
    json_integer(json, "last_stiffness_samples", load->last_count);
    json_number(json, "loading", load->loading);
    json_number(json, "returned", load->returned);
    json_number(json, "work", load->work);
    json_text(json, "work_unit", report->work_unit);
    json_bool(json, "closed", load->is_closed);
}

void plot_job_json(const PlotJob* job, const char* what, const char* output) {
    Json json = json_begin(stdout);
    json_text(&json, "what", what);
    if (output) {
        json_text(&json, "output", output);
    }
    json_array(&json, "curves");
    for (int32_t i = 0; i < job->report_count; ++i) {
        const PlotReport* report = &job->reports[i];
        json_object(&json, NULL);
        json_text(&json, "run", job->runs[report->run_index].path);
        json_text(&json, "column", report->column);
        json_text(&json, "unit", report->unit.unit);
        json_integer(&json, "samples", report->samples);
        if (report->has_decay) {
            put_decay(&json, &report->decay);
        }
        if (report->has_load) {
            put_load(&json, report);
        }
        json_end(&json);
    }
    json_finish(&json);
}
