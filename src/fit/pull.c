// SPDX-License-Identifier: MIT
// Work and stiffness of a pull, and the direction of a force.
#include "base/status.h"
#include "heddle/fit.h"

#include <math.h>

// Integral of y dx from one sample to another.
static double work_between(const double* x, const double* y, int32_t first, int32_t last) {
    double sum = 0.0;
    for (int32_t i = first; i < last; ++i) {
        sum += 0.5 * (y[i] + y[i + 1]) * (x[i + 1] - x[i]);
    }
    return sum;
}

// The line through samples by least squares, with the standard error of its slope.
static HedEstimate line_slope(const double* x, const double* y, int32_t count) {
    double mean_x = 0.0;
    double mean_y = 0.0;
    for (int32_t i = 0; i < count; ++i) {
        mean_x += x[i] / count;
        mean_y += y[i] / count;
    }
    double xx = 0.0;
    double xy = 0.0;
    for (int32_t i = 0; i < count; ++i) {
        xx += (x[i] - mean_x) * (x[i] - mean_x);
        xy += (x[i] - mean_x) * (y[i] - mean_y);
    }
    if (count < 3 || !(xx > 0.0)) {
        return (HedEstimate){(double)NAN, (double)NAN};
    }
    double slope = xy / xx;
    double left = 0.0;
    for (int32_t i = 0; i < count; ++i) {
        double r = y[i] - mean_y - slope * (x[i] - mean_x);
        left += r * r;
    }
    return (HedEstimate){slope, sqrt(left / (count - 2) / xx)};
}

// The slope where the pull turns back, or ends.
static void fit_last(const double* x, const double* y, double range, HedPullTest* load) {
    int32_t from = load->turn;
    while (from > 0 && fabs(x[from - 1] - x[load->turn]) <= 0.1 * range) {
        --from;
    }
    from = load->turn - from < 2 && load->turn >= 2 ? load->turn - 2 : from;
    int32_t count = load->turn - from + 1;
    load->last_slope = line_slope(x + from, y + from, count);
    load->last_count = isfinite(load->last_slope.value) ? count : 0;
}

HedStatus hed_fit_pull(const double* x, const double* y, int32_t count, HedPullTest* load,
                       HedError* error) {
    const HedEstimate none = {(double)NAN, (double)NAN};
    *load = (HedPullTest){.slope = none, .last_slope = none};
    if (count < 2) {
        return hed_fail(error, HED_INVALID, "a pull needs at least 2 samples, got %d", count);
    }
    double range = 0.0;
    for (int32_t i = 0; i < count; ++i) {
        if (!isfinite(x[i]) || !isfinite(y[i])) {
            return hed_fail(error, HED_INVALID, "sample %d is not finite: %g at %g", i, y[i], x[i]);
        }
        if (fabs(x[i] - x[0]) > range) {
            range = fabs(x[i] - x[0]);
            load->turn = i;
        }
    }
    load->loading = work_between(x, y, 0, load->turn);
    load->returned = -work_between(x, y, load->turn, count - 1);
    load->work = load->loading - load->returned;
    load->is_closed = load->turn < count - 1 && fabs(x[count - 1] - x[0]) <= 0.05 * range;
    int32_t first = 0;
    while (first < count && fabs(x[first] - x[0]) <= 0.1 * range) {
        ++first;
    }
    first = first < 3 && count >= 3 ? 3 : first;
    load->slope = line_slope(x, y, first);
    load->slope_count = isfinite(load->slope.value) ? first : 0;
    fit_last(x, y, range, load);
    return HED_OK;
}

void hed_fit_component(const double* xyz, int32_t count, const double origin[3], double* parts) {
    double far[3] = {0};
    double farthest = 0.0;
    for (int32_t i = 0; i < count; ++i) {
        double d[3];
        for (int32_t k = 0; k < 3; ++k) {
            d[k] = xyz[3 * (int64_t)i + k] - origin[k];
        }
        double size = hypot(hypot(d[0], d[1]), d[2]);
        if (isfinite(size) && size > farthest) {
            farthest = size;
            far[0] = d[0] / size;
            far[1] = d[1] / size;
            far[2] = d[2] / size;
        }
    }
    for (int32_t i = 0; i < count; ++i) {
        parts[i] = 0.0;
        for (int32_t k = 0; k < 3; ++k) {
            parts[i] += (xyz[3 * (int64_t)i + k] - origin[k]) * far[k];
        }
    }
}
