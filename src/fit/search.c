// SPDX-License-Identifier: MIT
// Start values. For a given decay and frequency the curve is linear in all other parameters, so the
// best sum of squares on a grid of both is a periodogram that knows about damping. Long records are
// looked at through windows: the first samples as they are, then means of 2, 4, 8, ... samples, so
// that fast swings that die early and slow ones are found alike at a cost that hardly grows.
#include "base/status.h"
#include "fit/fit.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { WINDOW = 512, DECAYS = 9, STARTS = 4 };

// A window of the record in scaled numbers.
typedef struct FitWindow {
    int32_t count;
    double t[WINDOW];
    double y[WINDOW];
    double fade[DECAYS][WINDOW]; // exp(-g t)
    double g[DECAYS];
} FitWindow;

// The best minima of the grid so far, best first.
typedef struct Starts {
    int32_t count;
    double score[STARTS];
    double g[STARTS];
    double w[STARTS];
} Starts;

// The first samples of the record, each the mean of so many.
static void fill_window(const HedFitData* data, int32_t mean_of, FitWindow* window) {
    // In lengths of the window. Growth is tried too: an unstable run should be told as one.
    static const double DECAY[DECAYS] = {-3.0, 0.0, 1.0, 3.0, 10.0, 30.0, 100.0, 300.0, 1000.0};
    window->count = data->count / mean_of < WINDOW ? data->count / mean_of : WINDOW;
    HED_ASSERT(window->count > 1);
    for (int32_t i = 0; i < window->count; ++i) {
        window->t[i] = window->y[i] = 0.0;
        for (int32_t k = 0; k < mean_of; ++k) {
            window->t[i] += hed_fit_t(data, i * mean_of + k) / mean_of;
            window->y[i] += hed_fit_y(data, i * mean_of + k) / mean_of;
        }
    }
    double length = window->t[window->count - 1] - window->t[0];
    for (int32_t d = 0; d < DECAYS; ++d) {
        window->g[d] = DECAY[d] / length;
        for (int32_t i = 0; i < window->count; ++i) {
            window->fade[d][i] = exp(-window->g[d] * window->t[i]);
        }
    }
}

// Sum of squares that is left when the curve's linear parameters are the best ones; cosine and sine
// are those of w t. Gives these parameters too.
static double fit_linear(const FitWindow* window, const HedFitCurve* curve, int32_t d,
                         const double* cosine, const double* sine, double p[HED_FIT_LIMIT]) {
    double a[HED_FIT_LIMIT][HED_FIT_LIMIT] = {{0}};
    double b[HED_FIT_LIMIT] = {0};
    double squares = 0.0;
    int32_t first = curve->used[1] == HED_FIT_W ? 2 : 1; // g and w are given
    int32_t n = curve->count - first;
    for (int32_t i = 0; i < window->count; ++i) {
        double e = window->fade[d][i];
        const double all[HED_FIT_LIMIT] = {0.0, 0.0, 1.0, e * cosine[i], e * sine[i], e};
        for (int32_t j = 0; j < n; ++j) {
            double basis = all[curve->used[first + j]];
            b[j] += basis * window->y[i];
            for (int32_t k = 0; k <= j; ++k) {
                a[j][k] += basis * all[curve->used[first + k]];
            }
        }
        squares += window->y[i] * window->y[i];
    }
    double right[HED_FIT_LIMIT];
    memcpy(right, b, sizeof right);
    for (int32_t j = 0; j < n; ++j) {
        a[j][j] *= 1.0 + 1e-10; // a tie is no reason to give up
        for (int32_t k = j + 1; k < n; ++k) {
            a[j][k] = a[k][j];
        }
    }
    if (!hed_fit_solve(n, a, b)) {
        return DBL_MAX;
    }
    for (int32_t j = 0; j < n; ++j) {
        squares -= b[j] * right[j];
        p[curve->used[first + j]] = b[j];
    }
    return squares;
}

static void keep_start(Starts* starts, double score, double g, double w) {
    if (starts->count == STARTS && score >= starts->score[STARTS - 1]) {
        return;
    }
    int32_t at = starts->count < STARTS ? starts->count++ : STARTS - 1;
    for (; at > 0 && starts->score[at - 1] > score; --at) {
        starts->score[at] = starts->score[at - 1];
        starts->g[at] = starts->g[at - 1];
        starts->w[at] = starts->w[at - 1];
    }
    starts->score[at] = score;
    starts->g[at] = g;
    starts->w[at] = w;
}

// Best decay for one frequency.
static double best_decay(const FitWindow* window, const HedFitCurve* curve, double w, double* g) {
    double cosine[WINDOW];
    double sine[WINDOW];
    double p[HED_FIT_LIMIT];
    for (int32_t i = 0; i < window->count; ++i) {
        cosine[i] = cos(w * window->t[i]);
        sine[i] = sin(w * window->t[i]);
    }
    double best = DBL_MAX;
    for (int32_t d = 0; d < DECAYS; ++d) {
        // Faster than that it is gone within a fraction of a period.
        bool is_slow = w <= 0.0 || window->g[d] <= 4.0 * w;
        double score = is_slow ? fit_linear(window, curve, d, cosine, sine, p) : DBL_MAX;
        if (score < best) {
            best = score;
            *g = window->g[d];
        }
    }
    return best;
}

// Minima over frequencies from half a period in the window to half the sampling rate, four steps
// for each further period: the width of a minimum.
static void find_starts(const FitWindow* window, const HedFitCurve* curve, Starts* starts) {
    const double pi = 3.14159265358979323846;
    double length = window->t[window->count - 1] - window->t[0];
    int32_t steps = 2 * (window->count - 1);
    double score[3] = {DBL_MAX, DBL_MAX, DBL_MAX}; // before last, last, this
    double g[3] = {0};
    for (int32_t k = 2; k <= steps + 1; ++k) {
        score[0] = score[1];
        score[1] = score[2];
        g[0] = g[1];
        g[1] = g[2];
        score[2] = DBL_MAX;
        if (k <= steps) {
            score[2] = best_decay(window, curve, 0.5 * pi / length * k, &g[2]);
        }
        if (score[1] < DBL_MAX && score[1] <= score[0] && score[1] < score[2]) {
            keep_start(starts, score[1], g[1], 0.5 * pi / length * (k - 1));
        }
    }
}

// Where the descent begins: the linear parameters fitted to the whole window.
static HedFitPoint start_point(const FitWindow* window, const HedFitCurve* curve, double g,
                               double w) {
    HedFitPoint point = {.p = {g, w}};
    double cosine[WINDOW];
    double sine[WINDOW];
    int32_t d = 0;
    for (int32_t i = 0; i < window->count; ++i) {
        cosine[i] = cos(w * window->t[i]);
        sine[i] = sin(w * window->t[i]);
    }
    while (d + 1 < DECAYS && window->g[d] < g) {
        ++d;
    }
    fit_linear(window, curve, d, cosine, sine, point.p);
    return point;
}

static void search_window(const HedFitData* data, const HedFitCurve* curve, const FitWindow* window,
                          int32_t mean_of, HedFitPoint* best) {
    Starts starts = {0};
    if (curve->used[1] == HED_FIT_W) {
        find_starts(window, curve, &starts);
    } else {
        double g = 0.0;
        double score = best_decay(window, curve, 0.0, &g);
        keep_start(&starts, score, g, 0.0);
    }
    // The window in its own right: its numbers are scaled already.
    HedFitData part = {window->t, window->y, window->count, 0.0, 1.0, 0.0, 1.0};
    HedFitPoint winner = {.squares = DBL_MAX};
    for (int32_t k = 0; k < starts.count; ++k) {
        HedFitPoint point = start_point(window, curve, starts.g[k], starts.w[k]);
        hed_fit_descend(&part, curve, &point);
        winner = point.squares < winner.squares ? point : winner;
    }
    if (starts.count == 0 || !(winner.squares < DBL_MAX)) {
        return;
    }
    // Over longer and longer parts, so that a small error of the frequency never grows to a period.
    HedFitData head = *data;
    for (int64_t n = 4 * (int64_t)window->count * mean_of; n < data->count; n *= 4) {
        head.count = (int32_t)n;
        hed_fit_descend(&head, curve, &winner);
    }
    hed_fit_descend(data, curve, &winner);
    *best = winner.squares < best->squares ? winner : *best;
}

HedFitPoint hed_fit_search(const HedFitData* data, const HedFitCurve* curve) {
    const double good = 0.01; // share of the variance left at which shorter windows are spared
    HedFitPoint best = {.squares = DBL_MAX};
    int32_t mean_of = 1;
    while (data->count / mean_of > WINDOW) {
        mean_of *= 2;
    }
    for (; mean_of > 0 && !(best.squares < good * data->count); mean_of /= 2) {
        FitWindow window;
        fill_window(data, mean_of, &window);
        search_window(data, curve, &window, mean_of, &best);
    }
    return best;
}
