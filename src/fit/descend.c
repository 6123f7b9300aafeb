// SPDX-License-Identifier: MIT
// Levenberg (1944) and Marquardt (1963): steps of the normal equations with a raised diagonal,
// raised more after a step that fails and less after one that holds.
#include "fit/fit.h"

#include <math.h>
#include <string.h>

bool hed_fit_solve(int32_t n, double a[HED_FIT_LIMIT][HED_FIT_LIMIT], double b[HED_FIT_LIMIT]) {
    double scale[HED_FIT_LIMIT];
    for (int32_t i = 0; i < n; ++i) {
        if (!(a[i][i] > 0.0) || !isfinite(a[i][i])) {
            return false;
        }
        scale[i] = 1.0 / sqrt(a[i][i]);
    }
    double l[HED_FIT_LIMIT][HED_FIT_LIMIT] = {{0}};
    for (int32_t i = 0; i < n; ++i) {
        for (int32_t j = 0; j <= i; ++j) {
            double sum = i == j ? 1.0 : a[i][j] * scale[i] * scale[j];
            // The raised diagonal of the caller is in a[i][i] already and so in the scale.
            for (int32_t k = 0; k < j; ++k) {
                sum -= l[i][k] * l[j][k];
            }
            if (i == j && !(sum > 1e-15)) {
                return false;
            }
            l[i][j] = i == j ? sqrt(sum) : sum / l[j][j];
        }
    }
    for (int32_t i = 0; i < n; ++i) {
        b[i] *= scale[i];
        for (int32_t k = 0; k < i; ++k) {
            b[i] -= l[i][k] * b[k];
        }
        b[i] /= l[i][i];
    }
    for (int32_t i = n - 1; i >= 0; --i) {
        for (int32_t k = i + 1; k < n; ++k) {
            b[i] -= l[k][i] * b[k];
        }
        b[i] /= l[i][i];
    }
    for (int32_t i = 0; i < n; ++i) {
        b[i] *= scale[i];
    }
    return true;
}

void hed_fit_gather(const HedFitData* data, const HedFitCurve* curve, HedFitPoint* point) {
    const double* p = point->p;
    point->squares = 0.0;
    memset(point->normal, 0, sizeof point->normal);
    memset(point->right, 0, sizeof point->right);
    for (int32_t i = 0; i < data->count; ++i) {
        double t = hed_fit_t(data, i);
        double e = exp(-p[HED_FIT_G] * t);
        double ec = e * cos(p[HED_FIT_W] * t);
        double es = e * sin(p[HED_FIT_W] * t);
        double swing = p[HED_FIT_C] * ec + p[HED_FIT_S] * es + p[HED_FIT_B] * e;
        double r = hed_fit_y(data, i) - p[HED_FIT_O] - swing;
        double slope[HED_FIT_LIMIT];
        slope[HED_FIT_G] = -t * swing;
        slope[HED_FIT_W] = t * (p[HED_FIT_S] * ec - p[HED_FIT_C] * es);
        slope[HED_FIT_O] = 1.0;
        slope[HED_FIT_C] = ec;
        slope[HED_FIT_S] = es;
        slope[HED_FIT_B] = e;
        point->squares += r * r;
        for (int32_t j = 0; j < curve->count; ++j) {
            double d = slope[curve->used[j]];
            point->right[j] += d * r;
            for (int32_t k = 0; k <= j; ++k) {
                point->normal[j][k] += d * slope[curve->used[k]];
            }
        }
    }
    for (int32_t j = 0; j < curve->count; ++j) {
        for (int32_t k = j + 1; k < curve->count; ++k) {
            point->normal[j][k] = point->normal[k][j];
        }
    }
}

// The point that one damped step leads to, and the gain that the linear model promises.
static bool try_step(const HedFitData* data, const HedFitCurve* curve, const HedFitPoint* from,
                     double damping, HedFitPoint* to, double* promise) {
    double a[HED_FIT_LIMIT][HED_FIT_LIMIT];
    double step[HED_FIT_LIMIT];
    memcpy(a, from->normal, sizeof a);
    memcpy(step, from->right, sizeof step);
    for (int32_t j = 0; j < curve->count; ++j) {
        a[j][j] *= 1.0 + damping;
    }
    *promise = 0.0;
    if (!hed_fit_solve(curve->count, a, step)) {
        return false;
    }
    memcpy(to->p, from->p, sizeof to->p);
    for (int32_t j = 0; j < curve->count; ++j) {
        to->p[curve->used[j]] += step[j];
        *promise += step[j] * from->right[j];
    }
    // Beyond half the sampling rate the same curve comes again under other names.
    const double pi = 3.14159265358979323846;
    if (fabs(to->p[HED_FIT_W]) * hed_fit_t(data, data->count - 1) > pi * (data->count - 1)) {
        return false;
    }
    hed_fit_gather(data, curve, to);
    return isfinite(to->squares) && to->squares <= from->squares;
}

void hed_fit_descend(const HedFitData* data, const HedFitCurve* curve, HedFitPoint* point) {
    enum { ITERATIONS = 60 };
    const double most_damping = 1e12;
    double damping = 1e-3;
    hed_fit_gather(data, curve, point);
    for (int32_t i = 0; i < ITERATIONS && damping < most_damping; ++i) {
        HedFitPoint next;
        double promise = 0.0;
        if (try_step(data, curve, point, damping, &next, &promise)) {
            *point = next;
            damping = fmax(damping * 0.1, 1e-12);
        } else {
            damping *= 10.0;
            continue;
        }
        // What is left is far below the standard errors and below rounding (y is of size 1).
        if (promise <= 1e-13 * next.squares && damping <= 1e-9) {
            return;
        }
        if (promise <= 1e-33 * (double)data->count) {
            return;
        }
    }
}
