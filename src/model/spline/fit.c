// SPDX-License-Identifier: MIT
// Control points from points: through them, or near them.
#include "base/alloc.h"
#include "model/spline/spline.h"
#include "solve/tridiagonal.h"

static HedStatus check_points(const HedVec3* points, int32_t count, bool is_closed,
                              HedError* error) {
    int32_t least = is_closed ? 3 : 2;
    if (count < least) {
        return hed_fail(error, HED_INVALID, "a spline needs at least %d points, got %d", least,
                        count);
    }
    for (int32_t k = 0; k < count; ++k) {
        if (!hed_is_finite3(points[k])) {
            return hed_fail(error, HED_INVALID, "point %d must be finite, got (%g, %g, %g)", k,
                            points[k].x, points[k].y, points[k].z);
        }
    }
    return HED_OK;
}

// On uniform knots the curve passes point k where segment k starts: (u_k + 4 u_(k+1) + u_(k+2))/6 =
// p_k. Unknowns are the d_k = u_(k+1); at open ends u_0 - 2 u_1 + u_2 = 0 (no bend) makes d_0 =
// p_0. Fourfold knots at open ends change two control points there: the end itself, and its
// neighbour, which a third of the way from u_1 to u_2 is the blossom of (0, 0, 1).
static void interpolate(const HedVec3* points, int32_t count, bool is_closed, HedVec3* control,
                        double* work) {
    double *diagonal = work, *off = work + count, *border = off + count, *d = border + count;
    for (int32_t k = 0; k < count; ++k) {
        bool is_end = !is_closed && (k == 0 || k == count - 1);
        bool is_next_end = !is_closed && (k == 0 || k >= count - 2);
        diagonal[k] = is_end ? 1.0 : 4.0 / 6.0;
        off[k] = is_next_end ? 0.0 : 1.0 / 6.0;
    }
    HedTridiagonal matrix = {count, is_closed, diagonal, off, border};
    hed_tridiagonal_factor(&matrix);
    for (int c = 0; c < 3; ++c) {
        for (int32_t k = 0; k < count; ++k) {
            d[k] = hed_get3(points[k], c);
        }
        if (!is_closed && count > 2) {
            d[1] -= d[0] / 6.0;
            d[count - 2] -= d[count - 1] / 6.0;
        }
        hed_tridiagonal_solve(&matrix, d);
        for (int32_t k = 0; k < count; ++k) {
            hed_set3(&control[is_closed ? (k + 1) % count : k + 1], c, d[k]);
        }
    }
    if (!is_closed) {
        HedVec3 first = control[1], last = control[count];
        HedVec3 second = control[2], before = control[count - 1]; // of two points, the other one
        control[0] = first;
        control[1] = hed_lerp3(first, second, 1.0 / 3.0);
        control[count] = hed_lerp3(last, before, 1.0 / 3.0);
        control[count + 1] = last;
    }
}

HedStatus hed_spline_interpolate(const HedVec3* points, int32_t count, bool is_closed,
                                 HedVec3* control, HedError* error) {
    HedStatus status = check_points(points, count, is_closed, error);
    if (status != HED_OK) {
        return status;
    }
    double* work = HED_NEW_ARRAY(double, 4 * (int64_t)count);
    if (!work) {
        return hed_fail_memory(error, "a spline through points");
    }
    interpolate(points, count, is_closed, control, work);
    hed_free(work);
    return HED_OK;
}

// A fit in progress: n control points, normal equations in a band.
typedef struct Fit {
    const HedVec3* points;
    int32_t count, n, segments;
    bool is_closed;
    HedSkyline matrix;
    double* right; // three per control point
    double* place; // of points along the chords, in segments
    int32_t* low;
} Fit;

static HedStatus place_points(Fit* fit, HedError* error) {
    double sum = 0.0;
    for (int32_t k = 0; k < fit->count; ++k) {
        fit->place[k] = sum;
        sum += hed_distance3(fit->points[k], fit->points[(k + 1) % fit->count]);
    }
    double all = fit->is_closed ? sum : fit->place[fit->count - 1];
    if (!(all > 0.0)) {
        return hed_fail(error, HED_INVALID, "all %d points of a spline are one point", fit->count);
    }
    for (int32_t k = 0; k < fit->count; ++k) {
        fit->place[k] *= fit->segments / all;
    }
    return HED_OK;
}

// Adds scale (sum w y)^2 and its right side scale (sum w y) p.
static void add_row(Fit* fit, const int32_t at[4], const double w[4], double scale, HedVec3 p) {
    for (int a = 0; a < 4; ++a) {
        for (int c = 0; c < 3; ++c) {
            fit->right[c * (int64_t)fit->n + at[a]] += scale * w[a] * hed_get3(p, c);
        }
        for (int b = 0; b < 4; ++b) {
            if (at[b] <= at[a] && w[a] != 0.0 && w[b] != 0.0) {
                *hed_skyline_at(&fit->matrix, at[a], at[b]) += scale * w[a] * w[b];
            }
        }
    }
}

static void assemble(Fit* fit) {
    for (int32_t k = 0; k < fit->count; ++k) {
        int32_t segment = hed_min_i32((int32_t)fit->place[k], fit->segments - 1);
        HedCubicSegment at =
            hed_cubic_segment(HED_CUBIC_BSPLINE, 0, fit->n, fit->is_closed, segment);
        double w[4];
        hed_cubic_weights(hed_cubic_matrix(HED_CUBIC_BSPLINE, at.place), fit->place[k] - segment,
                          w);
        add_row(fit, at.point, w, 1.0, fit->points[k]);
    }
    // Second derivatives decide what the points do not: too weak (1e-7) to be seen otherwise.
    for (int32_t k = 0; k < fit->segments + !fit->is_closed; ++k) {
        int32_t segment = hed_min_i32(k, fit->segments - 1);
        HedCubicSegment at =
            hed_cubic_segment(HED_CUBIC_BSPLINE, 0, fit->n, fit->is_closed, segment);
        double w[4];
        hed_cubic_bends(hed_cubic_matrix(HED_CUBIC_BSPLINE, at.place), k - segment, w);
        add_row(fit, at.point, w, 1e-7, (HedVec3){0});
    }
}

static HedStatus solve_fit(Fit* fit, HedVec3* control, HedError* error) {
    if (!hed_skyline_factor(&fit->matrix)) {
        return hed_fail(error, HED_INVALID, "no spline of %d segments fits %d points",
                        fit->segments, fit->count);
    }
    for (int c = 0; c < 3; ++c) {
        double* x = fit->right + c * (int64_t)fit->n;
        hed_skyline_solve(&fit->matrix, x);
        for (int32_t k = 0; k < fit->n; ++k) {
            hed_set3(&control[k], c, x[k]);
        }
    }
    return HED_OK;
}

HedStatus hed_spline_fit(const HedVec3* points, int32_t count, bool is_closed,
                         int32_t segment_count, HedVec3* control, HedError* error) {
    HedStatus status = HED_OK;
    Fit fit = {.points = points,
               .count = count,
               .n = segment_count + (is_closed ? 0 : 3),
               .segments = segment_count,
               .is_closed = is_closed};
    HED_TRY(check_points(points, count, is_closed, error));
    if (segment_count < (is_closed ? 3 : 1)) {
        HED_TRY(hed_fail(error, HED_INVALID, "segments of a spline must be at least %d, got %d",
                         is_closed ? 3 : 1, segment_count));
    }
    fit.right = HED_NEW_ARRAY(double, 3 * (int64_t)fit.n);
    fit.place = HED_NEW_ARRAY(double, count);
    fit.low = HED_NEW_ARRAY(int32_t, fit.n);
    if (!fit.right || !fit.place || !fit.low) {
        HED_TRY(hed_fail_memory(error, "a spline near points"));
    }
    for (int32_t k = 0; k < fit.n; ++k) {
        fit.low[k] = is_closed && k >= fit.n - 3 ? 0 : hed_max_i32(0, k - 3);
    }
    HED_TRY(hed_skyline_create(&fit.matrix, fit.n, fit.low, error));
    HED_TRY(place_points(&fit, error));
    assemble(&fit);
    HED_TRY(solve_fit(&fit, control, error));
done:
    hed_free(fit.right);
    hed_free(fit.place);
    hed_free(fit.low);
    hed_skyline_free(&fit.matrix);
    return status;
}
