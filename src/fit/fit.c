// SPDX-License-Identifier: MIT
// Frequency and damping of an oscillation from samples; see search.c for start values and
// descend.c for the least squares. The fit with an oscillation always has the smaller residual
// for it has more to adjust: whether it is believed is decided by F-tests against the constant and
// against the plain exponential.
#include "fit/fit.h"
#include "base/status.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const double TWO_PI = 6.28318530717958647693;
// Gain of mean square per parameter over the mean square left, below which a gain may be chance.
// The usual tables ask for 4 or so; start values are the best of a thousand, which asks for more.
static const double SIGNIFICANT = 25.0;
// Least share of the variance that a fit must explain.
static const double LEAST_EXPLAINED = 0.5;
// Least w / rate: beyond 97 % of critical damping no swing is left to see.
static const double LEAST_SWING = 0.25;

const char* hed_decay_name(HedDecayKind kind) {
    static const char* const NAMES[HED_DECAY_KIND_COUNT] = {"none", "too-few", "constant",
                                                            "exponential", "oscillation"};
    return (unsigned)kind < HED_DECAY_KIND_COUNT ? NAMES[kind] : "unknown";
}

static HedStatus check_samples(const double* time, const double* value, int32_t count,
                               HedError* error) {
    for (int32_t i = 0; i < count; ++i) {
        if (!isfinite(time[i]) || !isfinite(value[i])) {
            return hed_fail(error, HED_INVALID, "sample %d is not finite: %g at %g s", i, value[i],
                            time[i]);
        }
        if (i > 0 && !(time[i] > time[i - 1])) {
            return hed_fail(error, HED_INVALID, "times must rise, sample %d is at %g s after %g s",
                            i, time[i], time[i - 1]);
        }
    }
    return HED_OK;
}

static HedFitData scale_samples(const double* time, const double* value, int32_t count) {
    HedFitData data = {time, value, count, time[0], time[count - 1] - time[0], 0.0, 0.0};
    double largest = 0.0;
    for (int32_t i = 0; i < count; ++i) {
        data.middle += value[i] / count;
        largest = fmax(largest, fabs(value[i]));
    }
    double squares = 0.0;
    for (int32_t i = 0; i < count; ++i) {
        double r = largest > 0.0 ? (value[i] - data.middle) / largest : 0.0;
        squares += r * r / count;
    }
    // A deviation of a few last digits is rounding: a constant.
    data.unit = squares > 1e4 * DBL_EPSILON * DBL_EPSILON ? sqrt(squares) * largest : 0.0;
    return data;
}

static HedFitCurve swing_curve(HedDecayForm form) {
    HedFitCurve curve = {5, {HED_FIT_G, HED_FIT_W, HED_FIT_O, HED_FIT_C, HED_FIT_S, HED_FIT_B}};
    curve.count += form == HED_DECAY_ENERGY;
    return curve;
}

static const HedFitCurve FADE_CURVE = {3, {HED_FIT_G, HED_FIT_O, HED_FIT_B}};

// How much better the larger fit is, in units of chance. Rounding sets a floor below both.
static double gain(double before, double after, int32_t more, int32_t left, int32_t count) {
    double floor = 1e-26 * count;
    return (before - after) / more / (fmax(after, floor) / left);
}

// Standard error of a function of the parameters with the given slopes.
static double spread(const HedFitData* data, const HedFitCurve* curve, const HedFitPoint* point,
                     const double slope[HED_FIT_LIMIT]) {
    double a[HED_FIT_LIMIT][HED_FIT_LIMIT];
    double x[HED_FIT_LIMIT];
    double variance = 0.0;
    memcpy(a, point->normal, sizeof a);
    for (int32_t j = 0; j < curve->count; ++j) {
        x[j] = slope[curve->used[j]];
    }
    if (!hed_fit_solve(curve->count, a, x)) {
        return (double)INFINITY;
    }
    for (int32_t j = 0; j < curve->count; ++j) {
        variance += slope[curve->used[j]] * x[j];
    }
    return sqrt(variance * point->squares / (data->count - curve->count));
}

static HedEstimate single(const HedFitData* data, const HedFitCurve* curve,
                          const HedFitPoint* point, int32_t index, double unit) {
    double slope[HED_FIT_LIMIT] = {0};
    slope[index] = 1.0;
    return (HedEstimate){point->p[index] * unit, spread(data, curve, point, slope) * unit};
}

// Numbers that both curves have.
static void report_common(const HedFitData* data, const HedFitCurve* curve,
                          const HedFitPoint* point, HedDecay* decay) {
    decay->rate = single(data, curve, point, HED_FIT_G, 1.0 / data->span);
    decay->offset = single(data, curve, point, HED_FIT_O, data->unit);
    decay->offset.value += data->middle;
    decay->mean = (HedEstimate){0};
    if (curve->used[curve->count - 1] == HED_FIT_B) {
        decay->mean = single(data, curve, point, HED_FIT_B, data->unit);
    }
    decay->residual = sqrt(point->squares / data->count) * data->unit;
    decay->explained = 1.0 - point->squares / data->count;
}

// c cos + s sin = A cos(w t + phase) with A = |(c, s)|, phase = atan2(-s, c).
static void report_swing(const HedFitData* data, const HedFitCurve* curve, const HedFitPoint* point,
                         HedDecay* decay) {
    double g = point->p[HED_FIT_G];
    double w = point->p[HED_FIT_W];
    double c = point->p[HED_FIT_C];
    double s = point->p[HED_FIT_S];
    double size = hypot(c, s);
    double natural = hypot(g, w);
    report_common(data, curve, point, decay);
    decay->frequency = single(data, curve, point, HED_FIT_W, 1.0 / (data->span * TWO_PI));
    double ratio[HED_FIT_LIMIT] = {[HED_FIT_G] = w * w, [HED_FIT_W] = -g * w};
    ratio[HED_FIT_G] /= natural * natural * natural;
    ratio[HED_FIT_W] /= natural * natural * natural;
    decay->ratio = (HedEstimate){g / natural, spread(data, curve, point, ratio)};
    double along[HED_FIT_LIMIT] = {[HED_FIT_C] = c / size, [HED_FIT_S] = s / size};
    decay->amplitude =
        (HedEstimate){size * data->unit, spread(data, curve, point, along) * data->unit};
    double across[HED_FIT_LIMIT] = {
        [HED_FIT_C] = s / (size * size), [HED_FIT_S] = -c / (size * size)};
    decay->phase = (HedEstimate){atan2(-s, c), spread(data, curve, point, across)};
}

// Makes the frequency positive: cos is even, sin odd.
static void turn_positive(HedFitPoint* point) {
    if (point->p[HED_FIT_W] < 0.0) {
        point->p[HED_FIT_W] = -point->p[HED_FIT_W];
        point->p[HED_FIT_S] = -point->p[HED_FIT_S];
        for (int32_t j = 0; j < HED_FIT_LIMIT; ++j) {
            point->normal[1][j] = -point->normal[1][j]; // w is the second of the curve, s the fifth
            point->normal[j][1] = -point->normal[j][1];
            point->normal[4][j] = -point->normal[4][j];
            point->normal[j][4] = -point->normal[j][4];
        }
    }
}

// Is it an oscillation? Says why not.
static bool accept_swing(const HedFitData* data, const HedFitCurve* curve, const HedFitPoint* swing,
                         double fade_squares, HedDecay* decay) {
    double n = (double)data->count;
    int32_t left = data->count - curve->count;
    double periods = swing->p[HED_FIT_W] / TWO_PI;
    double explained = 1.0 - swing->squares / n;
    if (!(swing->squares < DBL_MAX) || explained < LEAST_EXPLAINED ||
        gain(n, swing->squares, curve->count - 1, left, data->count) < SIGNIFICANT) {
        snprintf(decay->reason, sizeof decay->reason,
                 "an oscillation explains only %.0f %% of the variance",
                 100.0 * fmax(0.0, explained));
    } else if (periods < 1.0) {
        snprintf(decay->reason, sizeof decay->reason, "less than one period in %.3g s", data->span);
    } else if (swing->p[HED_FIT_W] < LEAST_SWING * fabs(swing->p[HED_FIT_G]) ||
               gain(fade_squares, swing->squares, 2, left, data->count) < SIGNIFICANT) {
        snprintf(decay->reason, sizeof decay->reason, "it does not swing: over-damped");
    } else {
        decay->kind = HED_DECAY_OSCILLATION;
        return true;
    }
    return false;
}

// Is it a decay to a value that the data tells? Otherwise the reason above stands.
static bool accept_fade(const HedFitData* data, const HedFitPoint* fade, const HedDecay* decay) {
    double n = (double)data->count;
    return fade->squares < DBL_MAX && 1.0 - fade->squares / n >= LEAST_EXPLAINED &&
           gain(n, fade->squares, 2, data->count - 3, data->count) >= SIGNIFICANT &&
           fade->p[HED_FIT_G] > 0.5 && decay->rate.error < 0.3 * decay->rate.value;
}

static void clear(HedDecay* decay) {
    const HedEstimate none = {(double)NAN, (double)NAN};
    *decay = (HedDecay){.frequency = none,
                        .rate = none,
                        .ratio = none,
                        .amplitude = none,
                        .phase = none,
                        .mean = none,
                        .offset = none};
}

static void fit_both(const HedFitData* data, HedDecayForm form, HedDecay* decay) {
    HedFitCurve curve = swing_curve(form);
    HedFitPoint swing = hed_fit_search(data, &curve);
    HedFitPoint fade = hed_fit_search(data, &FADE_CURVE);
    turn_positive(&swing);
    if (accept_swing(data, &curve, &swing, fade.squares, decay)) {
        report_swing(data, &curve, &swing, decay);
        return;
    }
    HedDecay other = *decay;
    report_common(data, &FADE_CURVE, &fade, &other);
    if (accept_fade(data, &fade, &other)) {
        *decay = other;
        decay->kind = HED_DECAY_EXPONENTIAL;
        return;
    }
    decay->residual = data->unit;
}

HedStatus hed_fit_decay(const double* time, const double* value, int32_t count, HedDecayForm form,
                        HedDecay* decay, HedError* error) {
    clear(decay);
    if ((unsigned)form >= HED_DECAY_FORM_COUNT || count < 0) {
        return hed_fail(error, HED_INVALID, "no such form of decay: %d, or %d samples", (int)form,
                        count);
    }
    HedStatus status = check_samples(time, value, count, error);
    if (status != HED_OK) {
        return status;
    }
    decay->sample_count = count;
    decay->start = count > 0 ? time[0] : (double)NAN;
    if (count < HED_DECAY_LEAST) {
        decay->kind = HED_DECAY_TOO_FEW;
        snprintf(decay->reason, sizeof decay->reason, "%d samples, at least %d are needed", count,
                 HED_DECAY_LEAST);
        return HED_OK;
    }
    HedFitData data = scale_samples(time, value, count);
    if (!(data.unit > 0.0) || !isfinite(data.unit)) {
        decay->kind = HED_DECAY_CONSTANT;
        decay->offset = (HedEstimate){data.middle, 0.0};
        snprintf(decay->reason, sizeof decay->reason, "it does not change");
        return HED_OK;
    }
    fit_both(&data, form, decay);
    return HED_OK;
}

static double part(const HedDecay* decay, double time, double swing) {
    double fade = exp(-decay->rate.value * (time - decay->start));
    return decay->offset.value + fade * (decay->mean.value + swing);
}

double hed_decay_at(const HedDecay* decay, double time) {
    double swing = 0.0;
    if (decay->kind == HED_DECAY_OSCILLATION) {
        double angle = TWO_PI * decay->frequency.value * (time - decay->start);
        swing = decay->amplitude.value * cos(angle + decay->phase.value);
    }
    return decay->kind >= HED_DECAY_EXPONENTIAL ? part(decay, time, swing) : (double)NAN;
}

double hed_decay_envelope(const HedDecay* decay, double side, double time) {
    return decay->kind == HED_DECAY_OSCILLATION ? part(decay, time, side * decay->amplitude.value)
                                                : (double)NAN;
}
