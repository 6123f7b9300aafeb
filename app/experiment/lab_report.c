// SPDX-License-Identifier: MIT
// What an experiment found: results, claims, tables, plots.
#include "cli/gnuplot.h"
#include "cli/json.h"
#include "cli/stage.h"
#include "cli/table.h"
#include "experiment/lab.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

static const char* const RELATIONS[] = {
    [LAB_EQUAL] = "equal",
    [LAB_BELOW] = "below",
    [LAB_ABOVE] = "above",
    [LAB_TRUE] = "true",
};

void lab_note(HedLab* lab, const char* format, ...) {
    FILE* out = lab->json ? stderr : stdout;
    va_list arguments;
    va_start(arguments, format);
    vfprintf(out, format, arguments);
    va_end(arguments);
    fputc('\n', out);
    fflush(out);
}

void lab_result(HedLab* lab, const char* name, double value) {
    if (lab->result_count == LAB_LIMIT) {
        lab_bug(lab, "no room for result", name);
        return;
    }
    LabResult* result = &lab->results[lab->result_count++];
    snprintf(result->name, sizeof result->name, "%s", name);
    result->value = value;
}

static void add_claim(HedLab* lab, const char* text, LabClaim claim) {
    if (lab->claim_count == LAB_LIMIT) {
        lab_bug(lab, "no room for claim", text);
        return;
    }
    snprintf(claim.text, sizeof claim.text, "%s", text);
    lab->claims[lab->claim_count++] = claim;
}

void lab_claim(HedLab* lab, const char* text, double expected, double measured, double tolerance) {
    add_claim(lab, text,
              (LabClaim){.relation = LAB_EQUAL,
                         .expected = expected,
                         .measured = measured,
                         .tolerance = tolerance,
                         .ok = fabs(measured - expected) <= tolerance});
}

void lab_claim_true(HedLab* lab, const char* text, bool holds) {
    add_claim(lab, text,
              (LabClaim){.relation = LAB_TRUE, .expected = 1.0, .measured = holds, .ok = holds});
}

void lab_claim_below(HedLab* lab, const char* text, double measured, double bound) {
    add_claim(lab, text,
              (LabClaim){.relation = LAB_BELOW,
                         .expected = bound,
                         .measured = measured,
                         .ok = measured < bound});
}

void lab_claim_above(HedLab* lab, const char* text, double measured, double bound) {
    add_claim(lab, text,
              (LabClaim){.relation = LAB_ABOVE,
                         .expected = bound,
                         .measured = measured,
                         .ok = measured > bound});
}

// "a.b" is b in an object a; results of one object follow each other.
static void write_results(const HedLab* lab, Json* json) {
    char open[64] = "";
    json_object(json, "results");
    for (int32_t i = 0; i < lab->result_count; ++i) {
        const char* name = lab->results[i].name;
        const char* dot = strchr(name, '.');
        size_t size = dot ? (size_t)(dot - name) : 0;
        if (open[0] && (strlen(open) != size || strncmp(open, name, size) != 0)) {
            json_end(json);
            open[0] = '\0';
        }
        if (dot && !open[0]) {
            snprintf(open, sizeof open, "%.*s", (int)size, name);
            json_object(json, open);
        }
        json_number(json, dot ? dot + 1 : name, lab->results[i].value);
    }
    if (open[0]) {
        json_end(json);
    }
    json_end(json);
}

void lab_write_json(const HedLab* lab, bool ok, FILE* out) {
    Json json = json_begin(out);
    json_text(&json, lab->kind, lab->experiment.name);
    json_object(&json, "parameters");
    for (int32_t i = 0; i < lab->experiment.parameter_count; ++i) {
        const HedParameter* p = &lab->experiment.parameters[i];
        if (p->text) {
            json_text(&json, p->name, lab->texts[i]);
        } else {
            json_number(&json, p->name, lab->numbers[i]);
        }
    }
    json_end(&json);
    write_results(lab, &json);
    json_array(&json, "claims");
    for (int32_t i = 0; i < lab->claim_count; ++i) {
        const LabClaim* claim = &lab->claims[i];
        json_object(&json, NULL);
        json_text(&json, "text", claim->text);
        json_number(&json, "expected", claim->expected);
        json_number(&json, "measured", claim->measured);
        json_number(&json, "tolerance", claim->tolerance);
        if (claim->relation != LAB_EQUAL) {
            json_text(&json, "relation", RELATIONS[claim->relation]);
        }
        json_bool(&json, "ok", claim->ok);
        json_end(&json);
    }
    json_end(&json);
    json_bool(&json, "ok", ok);
    json_finish(&json);
}

void lab_print_claims(const HedLab* lab) {
    for (int32_t i = 0; i < lab->result_count; ++i) {
        printf("%-28s %.6g\n", lab->results[i].name, lab->results[i].value);
    }
    for (int32_t i = 0; i < lab->claim_count; ++i) {
        const LabClaim* claim = &lab->claims[i];
        printf("%s  %s", claim->ok ? "ok  " : "FAIL", claim->text);
        if (claim->relation == LAB_EQUAL) {
            printf(": %.6g, expected %.6g +- %.2g", claim->measured, claim->expected,
                   claim->tolerance);
        } else if (claim->relation != LAB_TRUE) {
            printf(": %.6g, must be %s %.6g", claim->measured, RELATIONS[claim->relation],
                   claim->expected);
        }
        printf("\n");
    }
}

void lab_table_begin(HedLab* lab, const char* csv, const char* columns) {
    lab_table_end(lab);
    lab->table = fopen(lab_path(lab, csv), "w");
    if (!lab->table) {
        lab_bug(lab, "cannot write", csv);
    } else {
        fprintf(lab->table, "%s\n", columns);
    }
    lab->table_columns = 0;
    for (const char* c = columns; *c && lab->table_columns < LAB_LIMIT;) {
        size_t size = strcspn(c, ",");
        int32_t width = size < 10 ? 10 : (int32_t)size;
        lab->widths[lab->table_columns++] = width;
        if (!lab->json) {
            printf("%*.*s  ", (int)width, (int)size, c);
        }
        c += size + (c[size] == ',');
    }
    if (!lab->json) {
        printf("\n");
    }
}

void lab_table_row(HedLab* lab, int32_t count, const double* values) {
    char text[CLI_NUMBER_TEXT];
    if (count != lab->table_columns) {
        lab_bug(lab, "wrong number of values in a row of", "a table");
        return;
    }
    for (int32_t i = 0; i < count; ++i) {
        if (lab->table) {
            fprintf(lab->table, "%s%s", i ? "," : "",
                    isfinite(values[i]) ? cli_number_text(values[i], text) : "");
        }
        if (!lab->json) {
            printf("%*.5g  ", (int)lab->widths[i], values[i]);
        }
    }
    if (lab->table) {
        fputc('\n', lab->table);
    }
    if (!lab->json) {
        printf("\n");
        fflush(stdout);
    }
}

void lab_table_end(HedLab* lab) {
    if (lab->table) {
        bool failed = ferror(lab->table) != 0;
        if (fclose(lab->table) != 0 || failed) {
            lab_bug(lab, "cannot write", "a table");
        }
        lab->table = NULL;
    }
}

// Sends one curve's points; false if its file or columns are not there.
static bool send_curve(HedLab* lab, const Gnuplot* plot, const LabCurve* curve, int32_t index) {
    CliTable table;
    if (cli_table_load(lab_path(lab, curve->csv), &table) != CLI_GO) {
        return false;
    }
    int32_t x = cli_table_column(&table, curve->x);
    int32_t y = cli_table_column(&table, curve->y);
    fprintf(plot->script, "$curve%" PRId32 " << EOD\n", index);
    for (int32_t i = 0; x >= 0 && y >= 0 && i < table.row_count; ++i) {
        const double* row = table.values + (size_t)i * (size_t)table.column_count;
        if (isfinite(row[x]) && isfinite(row[y])) {
            fprintf(plot->script, "%.17g %.17g\n", row[x], row[y]);
        }
    }
    fputs("EOD\n", plot->script);
    if (x < 0 || y < 0) {
        lab_bug(lab, "no such column in", curve->csv);
    }
    cli_table_free(&table);
    return x >= 0 && y >= 0;
}

static void send_plot(const Gnuplot* plot, const LabPlot* wanted) {
    const struct {
        const char* command;
        const char* text;
    } labels[] = {{"set title", wanted->title},
                  {"set xlabel", wanted->x_label},
                  {"set ylabel", wanted->y_label}};
    gnuplot_style(plot);
    for (size_t i = 0; i < 3; ++i) {
        fprintf(plot->script, "%s ", labels[i].command);
        gnuplot_text(plot, labels[i].text ? labels[i].text : "");
        fputc('\n', plot->script);
    }
    fprintf(plot->script, "%s\n%s\nplot ", wanted->log_x ? "set logscale x" : "",
            wanted->log_y ? "set logscale y" : "");
    for (int32_t i = 0; i < wanted->curve_count; ++i) {
        fprintf(plot->script, "%s$curve%" PRId32 " with %s lw 1.8 pt 7 ps 0.7 lc rgb '%s' title ",
                i ? ", " : "", i, wanted->curves[i].points ? "linespoints" : "lines",
                gnuplot_colour(i));
        gnuplot_text(plot, wanted->curves[i].title ? wanted->curves[i].title : wanted->curves[i].y);
    }
    fputc('\n', plot->script);
}

void lab_plot(HedLab* lab, const LabPlot* wanted) {
    Gnuplot plot;
    lab_table_end(lab);
    if (gnuplot_open(&plot, lab_path(lab, wanted->picture), 1000, 600, true) != CLI_GO) {
        lab_note(lab, "%s: not drawn", wanted->picture);
        return;
    }
    bool ok = wanted->curve_count > 0;
    for (int32_t i = 0; i < wanted->curve_count; ++i) {
        ok = send_curve(lab, &plot, &wanted->curves[i], i) && ok;
    }
    if (ok) {
        send_plot(&plot, wanted);
    }
    if (gnuplot_close(&plot) != CLI_DONE) {
        lab_note(lab, "%s: not drawn", wanted->picture);
    }
}

static int draw_last_frame(Stage* stage, const char* run, const char* path) {
    HedError error = {0};
    HedVec3 box[2];
    double time = 0.0;
    HedShowOptions options = hed_show_options_default();
    int code = stage_open(stage, run, &options);
    if (code != CLI_GO) {
        return code;
    }
    int32_t last = hed_show_frame_count(stage->show) - 1;
    code = stage_load(stage, last, &time);
    if (code != CLI_GO) {
        return code;
    }
    HedRenderDef def = hed_render_def_default();
    HedFraming framing = hed_framing_default();
    HedImage image = {0};
    HedRenderReport report;
    def.width = 640;
    def.height = 480;
    def.samples = 32;
    framing.aspect = 640.0 / 480.0;
    HedStatus status = hed_show_bounds(stage->show, last, last, box, &error);
    if (status == HED_OK) {
        def.camera = hed_camera_frame(box, &framing);
        status = hed_render(&stage->picture, &def, &image, &report, &error);
    }
    if (status == HED_OK) {
        status = hed_image_save(&image, path, 8, true, &error);
    }
    hed_image_free(&image);
    return status == HED_OK ? CLI_DONE : cli_error(&error);
}

void lab_picture(HedLab* lab, const char* run, const char* picture) {
    Stage stage = {0};
    if (draw_last_frame(&stage, lab_path(lab, run), lab_path(lab, picture)) != CLI_DONE) {
        lab_note(lab, "%s: not drawn", picture);
    }
    stage_free(&stage);
}
