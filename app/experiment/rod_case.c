// SPDX-License-Identifier: MIT
// A yarn at rest against theory: three resolutions, and explicit steps against the equations of
// rest.
#include "experiment/rod_lab.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LEVELS = 3, MOST_EXPLICIT = 32 };

// Relative errors below this are those of the solver.
static const double SOLVER = 1e-6;

// Largest difference of all values, relative.
static double apart(const RodCase* from, const double* values, const double* exact) {
    double most = 0.0;
    for (int32_t k = 0; k < from->value_count; ++k) {
        most = lab_worse(most, (values[k] - exact[k]) / exact[k]);
    }
    return most;
}

static void table_begin(HedLab* lab, const RodCase* from) {
    char columns[256] = "segments";
    for (int32_t k = 0; k < from->value_count; ++k) {
        size_t size = strlen(columns);
        snprintf(columns + size, sizeof columns - size, ",%s", from->name[k]);
    }
    size_t size = strlen(columns);
    snprintf(columns + size, sizeof columns - size, ",error,order");
    lab_table_begin(lab, "resolution.csv", columns);
}

static void table_row(HedLab* lab, const RodCase* from, int32_t segments, const double* values,
                      const double last[2]) {
    double row[ROD_VALUES + 3] = {segments};
    for (int32_t k = 0; k < from->value_count; ++k) {
        row[1 + k] = values[k];
    }
    row[1 + from->value_count] = last[0];
    row[2 + from->value_count] = last[1];
    lab_table_row(lab, from->value_count + 3, row);
}

static void note_theory(HedLab* lab, const RodCase* from) {
    char text[200] = "";
    for (int32_t k = 0; k < from->value_count; ++k) {
        size_t size = strlen(text);
        snprintf(text + size, sizeof text - size, "%s%s %.6g", k ? ", " : "", from->name[k],
                 from->expected[k]);
    }
    lab_note(lab, "by theory: %s", text);
}

static void claim_values(HedLab* lab, const RodCase* from, const double* values) {
    for (int32_t k = 0; k < from->value_count; ++k) {
        char text[96];
        snprintf(text, sizeof text, "%s, by theory", from->name[k]);
        lab_result(lab, from->name[k], values[k]);
        lab_claim(lab, text, from->expected[k], values[k], 0.01 * fabs(from->expected[k]));
    }
}

static RodWay way_of(HedLab* lab, const RodCase* from, int32_t segments) {
    int32_t m = from->multiple;
    return (RodWay){.segments = (segments + m - 1) / m * m,
                    .model = strcmp(lab_text(lab, "model"), "spline") == 0 ? HED_YARN_SPLINE
                                                                           : HED_YARN_ROD,
                    .is_explicit = strcmp(lab_text(lab, "integrator"), "explicit") == 0};
}

typedef struct Order {
    double value;
    const char* unknown; // why it is not known; NULL: it is
} Order;

static double floored(double error) {
    return fmax(error, SOLVER);
}

// Splines. Their distance to theory ends at what they are stretched, the same for all resolutions:
// the order shows in how far these are apart. Where all but the finest are softer the longer their
// segments are, they stretch less and less: there it is that of their distance to theory, over both
// refinements or the last one, since stretch may hide one of them. What is below the solver's
// tolerance counts as that, so the order may be more.
static Order spline_order(const RodCase* from, double values[LEVELS][ROD_VALUES + 1],
                          int32_t finest) {
    int32_t n = from->value_count;
    if (finest >> (LEVELS - 1) < from->stiff) {
        double last = floored(values[LEVELS - 1][n]);
        double both = 0.5 * log2(floored(values[0][n]) / last);
        return (Order){fmax(both, log2(floored(values[1][n]) / last)),
                       finest != from->stiff ? "all or some splines are softer" : NULL};
    }
    double coarse = floored(apart(from, values[0], values[1]));
    double fine = floored(apart(from, values[1], values[2]));
    return (Order){log2(coarse / fine),
                   coarse < 10.0 * SOLVER ? "the error is that of the solver" : NULL};
}

// Layers at clamps and loads that are thinner than segments hide the order.
static void claim_order(HedLab* lab, const RodCase* from, int32_t finest, Order order) {
    const double enough = 4.0; // segments in a layer, of the second resolution
    RodWay way = way_of(lab, from, finest);
    if (way.is_explicit) {
        order.unknown = "explicit steps end a little before rest";
    } else if (0.5 * finest * from->layer < enough) {
        order.unknown = "the yarn bends within few segments";
    }
    if (order.unknown) {
        lab_note(lab, "no order is claimed: %s", order.unknown);
    } else {
        lab_claim_above(lab,
                        way.model == HED_YARN_ROD ? "order of convergence of the shape"
                                                  : "order of convergence",
                        order.value, 1.7);
    }
}

// A quarter, a half and all of the segments.
static int refine(HedLab* lab, const RodCase* from, int32_t finest) {
    double values[LEVELS][ROD_VALUES + 1] = {{0}};
    double error[LEVELS] = {0};
    double order = (double)NAN;
    int code = 0;
    table_begin(lab, from);
    for (int k = 0; k < LEVELS && code == 0; ++k) {
        RodWay way = way_of(lab, from, finest >> (LEVELS - 1 - k));
        way.is_kept = k == LEVELS - 1;
        code = from->run(lab, from->context, &way, values[k]);
        if (code == 0) {
            error[k] = values[k][from->value_count];
            order = k > 0 ? log2(error[k - 1] / error[k]) : (double)NAN;
            table_row(lab, from, way.segments, values[k], (double[]){error[k], order});
        }
    }
    lab_table_end(lab);
    if (code != 0) {
        return code;
    }
    claim_values(lab, from, values[LEVELS - 1]);
    lab_result(lab, "error", error[LEVELS - 1]);
    Order found = {order, error[LEVELS - 1] > SOLVER ? NULL : "the error is that of the solver"};
    RodWay way = way_of(lab, from, finest);
    if (way.model == HED_YARN_SPLINE && !way.is_explicit) {
        found = spline_order(from, values, finest);
    }
    lab_result(lab, "order", found.value);
    claim_order(lab, from, finest, found);
    return 0;
}

static int compare(HedLab* lab, const RodCase* from, int32_t segments) {
    double values[2][ROD_VALUES + 1] = {{0}};
    RodWay way = way_of(lab, from, segments);
    int code = 0;
    for (int k = 0; k < 2 && code == 0; ++k) {
        way.is_explicit = k == 1;
        code = from->run(lab, from->context, &way, values[k]);
    }
    if (code == 0) {
        double most = apart(from, values[1], values[0]);
        lab_result(lab, "explicit_difference", most);
        lab_claim_below(lab, "explicit steps with drag against the equations of rest", most, 0.005);
    }
    return code;
}

int rod_case_run(HedLab* lab, const RodCase* from) {
    int32_t finest = lab_count(lab, "segments");
    finest = lab_quick(lab) && finest > 32 ? 32 : finest;
    note_theory(lab, from);
    int code = refine(lab, from, finest);
    // Explicit steps get shorter with the square of the length of segments.
    int32_t few = lab_quick(lab) ? 16 : MOST_EXPLICIT;
    return code ? code : compare(lab, from, finest < few ? finest : few);
}
