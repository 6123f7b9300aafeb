// SPDX-License-Identifier: MIT
#include "cli/plot_chart.h"
#include "cli/gnuplot.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LABEL_LIMIT = 48, BELOW_ENTRIES = 12, ENTRY_HEIGHT = 25, DEFAULT_WIDTH = 1000 };

int32_t plot_chart_panel(PlotChart* chart, PlotUnit unit) {
    for (int32_t i = 0; i < chart->panel_count; ++i) {
        if (strcmp(chart->panels[i].quantity, unit.quantity) == 0 &&
            strcmp(chart->panels[i].unit, unit.unit) == 0) {
            return i;
        }
    }
    if (chart->panel_count == PLOT_PANEL_LIMIT) {
        return -1;
    }
    chart->panels[chart->panel_count] = unit;
    return chart->panel_count++;
}

int plot_curve_new(PlotCurve* curve, int32_t count) {
    curve->x = calloc((size_t)count + 1, sizeof(double));
    curve->y = calloc((size_t)count + 1, sizeof(double));
    curve->count = count;
    if (!curve->x || !curve->y) {
        free(curve->x);
        free(curve->y);
        curve->x = curve->y = NULL;
        return cli_no_memory();
    }
    return CLI_GO;
}

int plot_chart_add(PlotChart* chart, PlotCurve* curve) {
    if (chart->curve_count == chart->capacity) {
        int32_t capacity = chart->capacity * 2 + 16;
        PlotCurve* grown = realloc(chart->curves, (size_t)capacity * sizeof *grown);
        if (!grown) {
            free(curve->x);
            free(curve->y);
            return cli_no_memory();
        }
        chart->curves = grown;
        chart->capacity = capacity;
    }
    chart->curves[chart->curve_count++] = *curve;
    return CLI_GO;
}

void plot_chart_free(PlotChart* chart) {
    for (int32_t i = 0; i < chart->curve_count; ++i) {
        free(chart->curves[i].x);
        free(chart->curves[i].y);
    }
    free(chart->curves);
    *chart = (PlotChart){0};
}

// Can the sample be drawn at all?
static bool is_drawn(const PlotChart* chart, const PlotCurve* curve, int32_t i) {
    return isfinite(curve->x[i]) && isfinite(curve->y[i]) && (!chart->log_x || curve->x[i] > 0.0) &&
           (!chart->log_y || curve->y[i] > 0.0);
}

static int32_t drawn_count(const PlotChart* chart, const PlotCurve* curve) {
    int32_t count = 0;
    for (int32_t i = 0; i < curve->count; ++i) {
        count += is_drawn(chart, curve, i);
    }
    return count;
}

// gnuplot makes no axis without a number.
static int check_panels(const PlotChart* chart) {
    for (int32_t p = 0; p < chart->panel_count; ++p) {
        int32_t count = 0;
        const char* column = "";
        for (int32_t i = 0; i < chart->curve_count; ++i) {
            const PlotCurve* curve = &chart->curves[i];
            if (curve->panel == p) {
                count += drawn_count(chart, curve);
                column = column[0] ? column : curve->column;
            }
        }
        if (count == 0) {
            return cli_fail(CLI_BAD_INPUT, "'%s' has no number%s in this range of time", column,
                            chart->log_x || chart->log_y ? " above 0" : "");
        }
    }
    return CLI_GO;
}

// Largest size of an axis: of x if panel is negative.
static double largest(const PlotChart* chart, int32_t panel) {
    double size = 0.0;
    for (int32_t i = 0; i < chart->curve_count; ++i) {
        const PlotCurve* curve = &chart->curves[i];
        for (int32_t k = 0; k < curve->count && (panel < 0 || curve->panel == panel); ++k) {
            if (is_drawn(chart, curve, k)) {
                size = fmax(size, fabs(panel < 0 ? curve->x[k] : curve->y[k]));
            }
        }
    }
    return size;
}

static void send_data(const Gnuplot* plot, const PlotChart* chart, const PlotScale* x,
                      const PlotScale* y) {
    char text[CLI_NUMBER_TEXT];
    for (int32_t i = 0; i < chart->curve_count; ++i) {
        const PlotCurve* curve = &chart->curves[i];
        fprintf(plot->script, "$curve%" PRId32 " << EOD\n", i);
        for (int32_t k = 0; k < curve->count; ++k) {
            if (is_drawn(chart, curve, k)) {
                fprintf(plot->script, "%s ", cli_number_text(curve->x[k] / x->factor, text));
                fprintf(plot->script, "%s\n",
                        cli_number_text(curve->y[k] / y[curve->panel].factor, text));
            } else {
                fputc('\n', plot->script); // a gap
            }
        }
        fputs("EOD\n", plot->script);
    }
}

// A label no longer than it may be; what is left out is in the middle, where paths are alike.
static void shorten(const char* label, int32_t limit, char* text, size_t size) {
    int32_t length = 0;
    for (const char* c = label; *c; ++c) {
        length += (*c & 0xC0) != 0x80; // bytes that begin a character
    }
    int32_t left = limit / 2;
    int32_t right = limit - left - 1;
    size_t used = 0;
    int32_t at = 0;
    for (const char* c = label; *c && used + 8 < size; ++c) {
        at += (*c & 0xC0) != 0x80;
        if (length <= limit || at <= left || at > length - right) {
            text[used++] = *c;
        } else if (at == left + 1 && (*c & 0xC0) != 0x80) {
            memcpy(text + used, "…", sizeof "…" - 1);
            used += sizeof "…" - 1;
        }
    }
    text[used] = '\0';
}

// Characters that a text of the key may have. Below the chart it may go as far as the picture, less
// the margin and the sample of the line; a character is up to 8 pixels wide.
static int32_t label_limit(const PlotChart* chart) {
    int32_t width = chart->width ? chart->width : DEFAULT_WIDTH;
    return chart->is_key_below ? (width - 160) / 8 : LABEL_LIMIT;
}

static bool has_entry(const PlotCurve* curve) {
    return curve->look != PLOT_ENVELOPE && curve->look != PLOT_RETURN;
}

static void send_look(const Gnuplot* plot, const PlotChart* chart, const PlotCurve* curve) {
    const char* colour = gnuplot_colour(curve->colour);
    int32_t dash = curve->dash % 5 + 1;
    switch (curve->look) {
    case PLOT_DATA:
        fprintf(plot->script, "with points pt 6 ps 0.5 lw 1 lc rgb '%s'", colour);
        break;
    case PLOT_ENVELOPE:
        fprintf(plot->script, "with lines lw 1 dt 3 lc rgb '%s'", colour);
        break;
    case PLOT_RETURN:
        fprintf(plot->script, "with lines lw 1.6 dt '-' lc rgb '%s'", colour);
        break;
    default:
        // A single sample gives no line: a point then.
        fprintf(plot->script, "with %s lw %s dt %" PRId32 " lc rgb '%s'",
                drawn_count(chart, curve) > 1 ? "lines" : "points pt 7",
                curve->look == PLOT_TOTAL ? "2.4" : "1.8", dash,
                curve->look == PLOT_TOTAL ? "#000000" : colour);
    }
}

static void send_curves(const Gnuplot* plot, const PlotChart* chart, int32_t panel,
                        int32_t entries) {
    int32_t sent = 0;
    int32_t titled = 0;
    int32_t left = 0;
    for (int32_t i = 0; i < chart->curve_count; ++i) {
        const PlotCurve* curve = &chart->curves[i];
        if (curve->panel != panel || drawn_count(chart, curve) == 0) {
            continue;
        }
        fprintf(plot->script, "%s$curve%" PRId32 " using 1:2 ", sent++ ? ", \\\n  " : "plot ", i);
        send_look(plot, chart, curve);
        if (has_entry(curve) && titled < entries) {
            char text[2 * PLOT_TEXT + 8];
            shorten(curve->label, label_limit(chart), text, sizeof text);
            fputs(" title ", plot->script);
            gnuplot_text(plot, text);
            ++titled;
        } else {
            fputs(" notitle", plot->script);
            left += has_entry(curve);
        }
    }
    if (left > 0) {
        fprintf(plot->script,
                ", \\\n  NaN with lines lc rgb '#ffffff' title 'and %" PRId32 " more'", left);
    }
    fputc('\n', plot->script);
}

// Panels one above the other end at the same place, so room for the longest text is kept in all.
static void send_margin(const Gnuplot* plot, const PlotChart* chart) {
    int32_t longest = 0;
    for (int32_t i = 0; i < chart->curve_count; ++i) {
        char text[2 * PLOT_TEXT + 8];
        int32_t length = 0;
        shorten(chart->curves[i].label, LABEL_LIMIT, text, sizeof text);
        for (const char* c = text; *c; ++c) {
            length += (*c & 0xC0) != 0x80;
        }
        longest = has_entry(&chart->curves[i]) && length > longest ? length : longest;
    }
    fprintf(plot->script, "set rmargin %d\nset key at graph 1.02,1 left top\n",
            (int)(0.95 * longest) + 9);
}

static void send_panels(const Gnuplot* plot, const PlotChart* chart, int height) {
    PlotScale y[PLOT_PANEL_LIMIT];
    PlotScale x = plot_scale(chart->x, largest(chart, -1));
    for (int32_t i = 0; i < chart->panel_count; ++i) {
        y[i] = plot_scale(chart->panels[i], largest(chart, i));
    }
    send_data(plot, chart, &x, y);
    // gnuplot leaves out what does not fit, so there must be room for "and 5 more" too.
    int32_t entries = (height / chart->panel_count - 120) / ENTRY_HEIGHT - 1;
    entries = chart->is_key_below ? BELOW_ENTRIES : entries < 1 ? 1 : entries;
    if (chart->panel_count > 1) {
        fprintf(plot->script, "set multiplot layout %" PRId32 ",1\n", chart->panel_count);
        if (!chart->is_key_below) {
            send_margin(plot, chart);
        }
    }
    for (int32_t i = 0; i < chart->panel_count; ++i) {
        fputs("set ylabel ", plot->script);
        gnuplot_text(plot, y[i].label);
        fputs("\nset xlabel ", plot->script);
        gnuplot_text(plot, i + 1 == chart->panel_count ? x.label : "");
        fputc('\n', plot->script);
        send_curves(plot, chart, i, entries);
        fputs("unset title\n", plot->script);
    }
}

int plot_chart_draw(const PlotChart* chart, const char* output, bool force) {
    int code = check_panels(chart);
    if (code != CLI_GO) {
        return code;
    }
    Gnuplot plot;
    int height = chart->height            ? chart->height
                 : chart->panel_count > 1 ? 80 + 300 * chart->panel_count
                                          : 560;
    code = gnuplot_open(&plot, output, chart->width ? chart->width : DEFAULT_WIDTH, height, force);
    if (code != CLI_GO) {
        return code;
    }
    gnuplot_style(&plot);
    if (chart->is_key_below) {
        fputs("set key outside below left vertical maxcols 1 height 1\nset xlabel offset 0,0.4\n",
              plot.script);
    }
    fprintf(plot.script, "%s%s", chart->log_x ? "set logscale x\nset format x '%g'\n" : "",
            chart->log_y ? "set logscale y\nset format y '%g'\n" : "");
    if (chart->title) {
        fputs("set title ", plot.script);
        gnuplot_text(&plot, chart->title);
        fputc('\n', plot.script);
    }
    send_panels(&plot, chart, height);
    return gnuplot_close(&plot);
}

static void put_cell(FILE* out, const char* text) {
    fputc('"', out);
    for (const char* c = text; *c; ++c) {
        fputs(*c == '"' ? "\"\"" : (char[]){*c, '\0'}, out);
    }
    fputc('"', out);
}

static void put_curves(FILE* out, const PlotChart* chart) {
    char text[CLI_NUMBER_TEXT];
    fputs("run,column,x,y\n", out);
    for (int32_t i = 0; i < chart->curve_count; ++i) {
        const PlotCurve* curve = &chart->curves[i];
        for (int32_t k = 0; k < curve->count; ++k) {
            put_cell(out, curve->run);
            fputc(',', out);
            put_cell(out, curve->column);
            fprintf(out, ",%s", isfinite(curve->x[k]) ? cli_number_text(curve->x[k], text) : "");
            fprintf(out, ",%s\n", isfinite(curve->y[k]) ? cli_number_text(curve->y[k], text) : "");
        }
    }
}

int plot_chart_csv(const PlotChart* chart, const char* path, bool force) {
    if (cli_exists(path) && !force) {
        return cli_fail(CLI_BAD_INPUT, "%s: is there already; --force replaces it", path);
    }
    size_t size = strlen(path) + HED_PART_ROOM;
    char* part = malloc(size);
    if (!part) {
        return cli_no_memory();
    }
    hed_part_sweep(path);
    hed_part_name(path, part, size);
    FILE* out = fopen(part, "w");
    bool ok = out != NULL;
    if (out) {
        put_curves(out, chart);
        ok = !ferror(out);
        ok = fclose(out) == 0 && ok && rename(part, path) == 0;
    }
    int code = ok ? CLI_GO : cli_fail(CLI_MACHINE, "%s: %s", path, strerror(errno));
    if (out && !ok) {
        unlink(part);
    }
    free(part);
    return code;
}
