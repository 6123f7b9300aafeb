// SPDX-License-Identifier: MIT
// Least squares for curves that swing and decay, in scaled numbers:
//   m(t) = o + exp(-g t) (c cos w t + s sin w t + b),   t from 0 to 1 over the record.
#ifndef HED_FIT_FIT_H
#define HED_FIT_FIT_H

#include "heddle/fit.h"

/// Index of each parameter. A curve uses some of them; the others stay 0.
enum { HED_FIT_G, HED_FIT_W, HED_FIT_O, HED_FIT_C, HED_FIT_S, HED_FIT_B, HED_FIT_LIMIT };

typedef struct HedFitCurve {
    int32_t count;
    int32_t used[HED_FIT_LIMIT]; // indices of the parameters that are free
} HedFitCurve;

/// Samples as they come and how they are scaled: t = (time - start) / span, y = (value - middle) /
/// unit.
typedef struct HedFitData {
    const double* time;
    const double* value;
    int32_t count;
    double start, span;
    double middle, unit;
} HedFitData;

static inline double hed_fit_t(const HedFitData* data, int32_t i) {
    return (data->time[i] - data->start) / data->span;
}

static inline double hed_fit_y(const HedFitData* data, int32_t i) {
    return (data->value[i] - data->middle) / data->unit;
}

/// Where the search has come to.
typedef struct HedFitPoint {
    double p[HED_FIT_LIMIT];
    double squares;                              // sum of squared residuals
    double normal[HED_FIT_LIMIT][HED_FIT_LIMIT]; // J'J, rows and columns as in used
    double right[HED_FIT_LIMIT];                 // J'r
} HedFitPoint;

/// Fills all but p, which is given.
void hed_fit_gather(const HedFitData* data, const HedFitCurve* curve, HedFitPoint* point);

/// Goes downhill from point->p to a minimum of the sum of squares.
void hed_fit_descend(const HedFitData* data, const HedFitCurve* curve, HedFitPoint* point);

/// Solves a (n by n, symmetric, positive) x = b by Cholesky, in place of b, each row scaled to 1 on
/// the diagonal first. False if a is not positive to rounding.
bool hed_fit_solve(int32_t n, double a[HED_FIT_LIMIT][HED_FIT_LIMIT], double b[HED_FIT_LIMIT]);

/// The minimum of all that good start values lead to. swings: with c, s and w; otherwise an
/// exponential.
HedFitPoint hed_fit_search(const HedFitData* data, const HedFitCurve* curve);

#endif
