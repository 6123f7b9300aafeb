// SPDX-License-Identifier: MIT
// Numbers out of curves: frequency and damping of an oscillation, work and stiffness of a pull.
#ifndef HEDDLE_FIT_H
#define HEDDLE_FIT_H

#include "heddle/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A fitted number.
typedef struct HedEstimate {
    double value;
    double error; ///< One standard error, as the scatter about the fit tells; 0 for exact data.
} HedEstimate;

/// What is fitted; s = time - start, w = 2 pi frequency.
typedef enum HedDecayForm {
    HED_DECAY_SWING,  ///< offset + amplitude exp(-rate s) cos(w s + phase)
    HED_DECAY_ENERGY, ///< offset + exp(-rate s) (mean + amplitude cos(w s + phase))
    HED_DECAY_FORM_COUNT
} HedDecayForm;

/// What the data turned out to be.
typedef enum HedDecayKind {
    HED_DECAY_NONE,        ///< Nothing below explains it: noise, a drift, less than one period.
    HED_DECAY_TOO_FEW,     ///< Fewer than HED_DECAY_LEAST samples.
    HED_DECAY_CONSTANT,    ///< It does not change by more than rounding.
    HED_DECAY_EXPONENTIAL, ///< offset + mean exp(-rate s): over-damped.
    HED_DECAY_OSCILLATION,
    HED_DECAY_KIND_COUNT
} HedDecayKind;

enum { HED_DECAY_LEAST = 8 };

/// "none", "too-few", "constant", "exponential", "oscillation".
HED_API const char* hed_decay_name(HedDecayKind kind);

/// Numbers that the kind does not have are NaN.
typedef struct HedDecay {
    HedDecayKind kind;
    double start;          ///< s, time of the first sample.
    HedEstimate frequency; ///< Hz, of the damped oscillation.
    HedEstimate rate;      ///< 1/s; negative: it grows.
    HedEstimate ratio;     ///< rate / sqrt(rate^2 + w^2), of critical damping.
    HedEstimate amplitude; ///< At the start; not negative.
    HedEstimate phase;     ///< rad, at the start, from -pi to pi.
    HedEstimate mean;      ///< At the start; 0 for HED_DECAY_SWING.
    HedEstimate offset;    ///< Where it ends.
    double residual;       ///< Root of the mean square of data minus fit.
    double explained;      ///< Share of the variance that the fit explains.
    int32_t sample_count;
    char reason[160]; ///< Why the kind is not HED_DECAY_OSCILLATION; "" if it is.
} HedDecay;

/// Fits by least squares (Levenberg-Marquardt). Times rise, in s, and need not be even; the
/// frequency is looked for up to half the mean sampling rate. Data that holds no oscillation is an
/// outcome, not an error. HED_INVALID if a number is not finite or times do not rise.
HED_API HedStatus hed_fit_decay(const double* time, const double* value, int32_t count,
                                HedDecayForm form, HedDecay* decay, HedError* error);

/// The fitted curve; NaN if there is none.
HED_API double hed_decay_at(const HedDecay* decay, double time);

/// The envelope on one side: offset + exp(-rate s) (mean + side * amplitude), side 1 or -1.
HED_API double hed_decay_envelope(const HedDecay* decay, double side, double time);

/// What a pull tells: y is a force and x an extension, in the order of time.
typedef struct HedPullTest {
    int32_t turn;      ///< Sample at which x is farthest from its first value.
    double loading;    ///< J, integral of y dx up to the turn.
    double returned;   ///< J, given back after the turn: minus the integral from there on.
    double work;       ///< J, loading - returned. The area of the loop if it is closed.
    bool is_closed;    ///< x ends within 5 % of its range from where it began.
    HedEstimate slope; ///< N/m at the start: line through the first slope_count samples; NaN: none.
    int32_t slope_count; ///< Samples until x has gone a tenth of the way to the turn; at least 3.
    HedEstimate last_slope; ///< N/m before the turn, of the last tenth of the way; NaN: none.
    int32_t last_count;     ///< Samples of that; at least 3.
} HedPullTest;

/// Trapezia between the samples. HED_INVALID if a number is not finite or count is below 2.
HED_API HedStatus hed_fit_pull(const double* x, const double* y, int32_t count, HedPullTest* load,
                               HedError* error);

/// One signed number from a vector that moves: its component along the direction in which it is
/// farthest from origin. xyz holds count times x, y, z; NaN gives NaN. parts must hold count.
HED_API void hed_fit_component(const double* xyz, int32_t count, const double origin[3],
                               double* parts);

#ifdef __cplusplus
}
#endif

#endif
