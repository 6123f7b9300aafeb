// SPDX-License-Identifier: MIT
// Quadrature points of all segments, and balls around them: of spans of four, and of the whole.
#include "contact/yarn_inner.h"

// One coordinate of the points of a segment: sum over its four points.
static void fill_row(const double* restrict rows, const double p[4], int32_t row,
                     double* restrict out) {
    for (int32_t k = 0; k < row; k += HED_YARN_SPAN) {
#pragma omp simd
        for (int l = k; l < k + HED_YARN_SPAN; ++l) {
            out[l] = rows[l] * p[0] + rows[row + l] * p[1] + rows[2 * row + l] * p[2] +
                     rows[3 * row + l] * p[3];
        }
    }
}

static void fill_points(const HedYarnContact* y, int32_t segment, const HedVec3* from,
                        double* out) {
    const double* rows = hed_yarn_weights(y, segment) + 4 * (size_t)y->row;
    const int32_t* point = y->segments[segment].point;
    HedVec3 p[4] = {from[point[0]], from[point[1]], from[point[2]], from[point[3]]};
    fill_row(rows, (double[]){p[0].x, p[1].x, p[2].x, p[3].x}, y->row, out);
    fill_row(rows, (double[]){p[0].y, p[1].y, p[2].y, p[3].y}, y->row, out + y->row);
    fill_row(rows, (double[]){p[0].z, p[1].z, p[2].z, p[3].z}, y->row, out + 2 * (size_t)y->row);
}

// A little more than the root, so that rounding never makes a ball too small.
static double radius_of(double square) {
    return 1.000001 * sqrt(square);
}

static void fill_ball(const double* p, int32_t row, double* x, double* y, double* z, double* r) {
    enum { S = HED_YARN_SPAN };
    const double *px = p, *py = p + row, *pz = p + 2 * (size_t)row;
    *x = 0.25 * (px[0] + px[1] + px[2] + px[3]);
    *y = 0.25 * (py[0] + py[1] + py[2] + py[3]);
    *z = 0.25 * (pz[0] + pz[1] + pz[2] + pz[3]);
    double most = 0.0;
    for (int k = 0; k < S; ++k) {
        double dx = px[k] - *x, dy = py[k] - *y, dz = pz[k] - *z;
        double square = dx * dx + dy * dy + dz * dz;
        most = square > most ? square : most;
    }
    *r = radius_of(most);
}

static void fill_balls(const HedYarnContact* y, int32_t segment) {
    double* ball = hed_yarn_balls(y, segment);
    const double* p = hed_yarn_positions(y, segment);
    int32_t n = y->ball_row;
    double *cx = ball, *cy = ball + n, *cz = ball + 2 * (size_t)n, *r = ball + 3 * (size_t)n;
    double sum[3] = {0.0};
    for (int32_t s = 0; s < y->spans; ++s) {
        fill_ball(p + s * HED_YARN_SPAN, y->row, cx + s, cy + s, cz + s, r + s);
        sum[0] += cx[s];
        sum[1] += cy[s];
        sum[2] += cz[s];
    }
    for (int32_t s = y->spans; s < n; ++s) { // nowhere, so that nothing is near
        cx[s] = 1e150;
    }
    double* whole = y->ball + 4 * (int64_t)segment;
    double most = 0.0;
    for (int k = 0; k < 3; ++k) {
        whole[k] = sum[k] / y->spans;
    }
    for (int32_t s = 0; s < y->spans; ++s) {
        double dx = cx[s] - whole[0], dy = cy[s] - whole[1], dz = cz[s] - whole[2];
        most = fmax(most, radius_of(dx * dx + dy * dy + dz * dz) + r[s]);
    }
    whole[3] = most;
}

void hed_yarn_sample(HedYarnContact* y, const HedVec3* x) {
#pragma omp parallel for schedule(static)                                                          \
    num_threads(hed_team_size(y->def.team, INT64_C(100) * y->def.segment_count))
    for (int32_t s = 0; s < y->def.segment_count; ++s) {
        fill_points(y, s, x, hed_yarn_positions(y, s));
        fill_balls(y, s);
    }
}

void hed_yarn_sample_velocities(HedYarnContact* y, const HedVec3* v) {
#pragma omp parallel for schedule(static)                                                          \
    num_threads(hed_team_size(y->def.team, INT64_C(50) * y->def.segment_count))
    for (int32_t s = 0; s < y->def.segment_count; ++s) {
        fill_points(y, s, v, hed_yarn_velocities(y, s));
    }
}
