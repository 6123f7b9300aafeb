// SPDX-License-Identifier: MIT
#include "cli/plot_text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct Step {
    double factor;
    const char* unit;
} Step;

// Larger units first; the first whose number is not below 0.1 is taken, else the last.
typedef struct Ladder {
    const char* unit;
    Step steps[6];
} Ladder;

static const Ladder LADDERS[] = {
    {"m", {{1.0, "m"}, {1e-3, "mm"}, {1e-6, "µm"}, {1e-9, "nm"}}},
    {"m²", {{1.0, "m²"}, {1e-4, "cm²"}, {1e-6, "mm²"}}},
    {"m/s", {{1.0, "m/s"}, {1e-3, "mm/s"}, {1e-6, "µm/s"}}},
    {"s", {{1.0, "s"}, {1e-3, "ms"}, {1e-6, "µs"}}},
    {"N", {{1e3, "kN"}, {1.0, "N"}, {1e-3, "mN"}, {1e-6, "µN"}, {1e-9, "nN"}}},
    {"N/m", {{1e3, "kN/m"}, {1.0, "N/m"}, {1e-3, "mN/m"}, {1e-6, "µN/m"}}},
    {"J", {{1e3, "kJ"}, {1.0, "J"}, {1e-3, "mJ"}, {1e-6, "µJ"}, {1e-9, "nJ"}, {1e-12, "pJ"}}},
    {"Hz", {{1e3, "kHz"}, {1.0, "Hz"}, {1e-3, "mHz"}}},
    {"1", {{1e-2, "%"}}},
};

static Step step_for(const char* unit, double largest) {
    Step none = {1.0, strcmp(unit, "1") == 0 ? "" : unit};
    if (!isfinite(largest) || largest == 0.0) {
        return none;
    }
    for (size_t i = 0; i < sizeof LADDERS / sizeof LADDERS[0]; ++i) {
        if (strcmp(LADDERS[i].unit, unit) != 0) {
            continue;
        }
        const Step* step = LADDERS[i].steps;
        // 0.25 m stays so, 250 N too.
        while (largest < (step->factor > 1.0 ? 1.0 : 0.1) * step->factor &&
               step + 1 < LADDERS[i].steps + 6 && step[1].unit) {
            ++step;
        }
        // Beyond the smallest unit powers of ten of the plain one say more.
        return largest < 1e-3 * step->factor ? none : *step;
    }
    return none;
}

PlotScale plot_scale(PlotUnit unit, double largest) {
    Step step = step_for(unit.unit, largest);
    PlotScale scale = {.factor = step.factor};
    const char* quantity = unit.quantity[0] ? unit.quantity : "value";
    if (step.unit[0]) {
        snprintf(scale.label, sizeof scale.label, "%s (%s)", quantity, step.unit);
    } else {
        snprintf(scale.label, sizeof scale.label, "%s", quantity);
    }
    return scale;
}

const char* plot_number_text(double value, const char* unit, char buffer[PLOT_TEXT]) {
    Step step = step_for(unit, fabs(value));
    snprintf(buffer, PLOT_TEXT, "%.4g%s%s", value / step.factor, step.unit[0] ? " " : "",
             step.unit);
    return buffer;
}

const char* plot_estimate_text(HedEstimate estimate, const char* unit, char buffer[PLOT_TEXT]) {
    Step step = step_for(unit, fabs(estimate.value));
    double value = estimate.value / step.factor;
    double error = estimate.error / step.factor;
    const char* blank = step.unit[0] ? " " : "";
    // Errors below the eighth digit are not worth their place.
    if (!(error > 1e-8 * fabs(value)) || !isfinite(error)) {
        snprintf(buffer, PLOT_TEXT, "%.6g%s%s", value, blank, step.unit);
        return buffer;
    }
    // One digit of the error, two if the first is a 1 or a 2.
    int decimals = (int)ceil(-log10(error / 3.0));
    if (decimals > 9 || fabs(value) > 1e9) {
        snprintf(buffer, PLOT_TEXT, "%.6g ± %.2g%s%s", value, error, blank, step.unit);
    } else {
        decimals = decimals > 0 ? decimals : 0;
        snprintf(buffer, PLOT_TEXT, "%.*f ± %.*f%s%s", decimals, value, decimals, error, blank,
                 step.unit);
    }
    return buffer;
}

static const char* known(PlotUnit unit) {
    return unit.unit[0] ? unit.unit : "?";
}

const char* plot_ratio_unit(PlotUnit over, PlotUnit under, char buffer[PLOT_TEXT]) {
    bool is_plain = strcmp(under.unit, "1") == 0;
    bool is_inverse = strcmp(over.unit, "1") == 0;
    if (is_plain) {
        snprintf(buffer, PLOT_TEXT, "%s", known(over));
    } else {
        snprintf(buffer, PLOT_TEXT, "%s/%s", is_inverse ? "1" : known(over), known(under));
    }
    return buffer;
}

const char* plot_product_unit(PlotUnit a, PlotUnit b, char buffer[PLOT_TEXT]) {
    if ((strcmp(a.unit, "N") == 0 && strcmp(b.unit, "m") == 0) ||
        (strcmp(a.unit, "m") == 0 && strcmp(b.unit, "N") == 0)) {
        snprintf(buffer, PLOT_TEXT, "J");
    } else if (strcmp(b.unit, "1") == 0) {
        snprintf(buffer, PLOT_TEXT, "%s", known(a));
    } else {
        snprintf(buffer, PLOT_TEXT, "%s·%s", known(a), known(b));
    }
    return buffer;
}
