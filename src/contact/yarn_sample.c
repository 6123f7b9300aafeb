// SPDX-License-Identifier: MIT
// Quadrature points of all segments, and balls around them: of spans of four, and of the whole.
#include "contact/yarn_near.h"

// Points of a segment, or other vectors there: sums over its four points by weights, [4][row].
HED_WIDE void fill_points(HedYarnTableShape shape, const HedYarnContact* y, int32_t segment,
                          const HedVec3* from, double* out) {
    const int32_t row = shape.row;
    const double* weights = hed_yarn_weights(y, segment) + 4 * (size_t)row;
    const int32_t* point = y->segments[segment].point;
    const HedVec3 *a = &from[point[0]], *b = &from[point[1]], *c = &from[point[2]],
                  *d = &from[point[3]];
    for (int32_t k = 0; k < row; k += HED_YARN_SPAN) {
        HedWide p = hed_wide_load(weights + k), q = hed_wide_load(weights + row + k);
        HedWide r = hed_wide_load(weights + 2 * row + k), s = hed_wide_load(weights + 3 * row + k);
        hed_wide_store(out + k, p * a->x + q * b->x + r * c->x + s * d->x);
        hed_wide_store(out + row + k, p * a->y + q * b->y + r * c->y + s * d->y);
        hed_wide_store(out + 2 * row + k, p * a->z + q * b->z + r * c->z + s * d->z);
    }
}

// A little more than the root, so that rounding never makes a ball too small.
HED_WIDE double radius_of(double square) {
    return 1.000001 * sqrt(square);
}

HED_WIDE double most_of(HedWide a) {
    HedWide b = hed_wide_max(a, __builtin_shufflevector(a, a, 2, 3, 0, 1));
    return b[0] > b[1] ? b[0] : b[1];
}

// Balls of the spans, and the mean of their centres.
HED_WIDE HedVec3 fill_spans(HedYarnTableShape shape, const double* p, double* ball) {
    const int32_t row = shape.row, n = shape.ball_row;
    HedWide all = hed_wide_all(0.0);
    for (int32_t s = 0; s < shape.spans; ++s) {
        HedYarnWide3 at = hed_yarn_load(p + s * HED_YARN_SPAN, row);
        HedWide mean = 0.25 * hed_wide_sums(at.x, at.y, at.z);
        HedYarnWide3 d = {at.x - mean[0], at.y - mean[1], at.z - mean[2]};
        ball[s] = mean[0];
        ball[n + s] = mean[1];
        ball[2 * n + s] = mean[2];
        ball[3 * n + s] = radius_of(most_of(hed_yarn_dot(d, d)));
        all += mean;
    }
    for (int32_t s = shape.spans; s < n; ++s) { // nowhere, so that nothing is near
        ball[s] = 1e150;
    }
    return hed_mul3(1.0 / shape.spans, hed_vec3(all[0], all[1], all[2]));
}

HED_WIDE void sample(HedYarnTableShape shape, const HedYarnContact* y, int32_t segment,
                     const HedVec3* x) {
    double* ball = hed_yarn_balls(y, segment);
    double* p = hed_yarn_positions(y, segment);
    const int32_t n = shape.ball_row;
    fill_points(shape, y, segment, x, p);
    HedVec3 centre = fill_spans(shape, p, ball);
    double most = 0.0;
    for (int32_t s = 0; s < shape.spans; ++s) {
        HedVec3 d = hed_sub3(hed_vec3(ball[s], ball[n + s], ball[2 * n + s]), centre);
        double radius = radius_of(hed_dot3(d, d)) + ball[3 * n + s];
        most = radius > most ? radius : most;
    }
    double* whole = y->ball + 4 * (int64_t)segment;
    whole[0] = centre.x;
    whole[1] = centre.y;
    whole[2] = centre.z;
    whole[3] = most;
}

void hed_yarn_sample(HedYarnContact* y, const HedVec3* x) {
    const HedYarnTableShape shape = hed_yarn_shape(y);
#pragma omp parallel for schedule(static)                                                          \
    num_threads(hed_team_size(y->def.team, INT64_C(100) * y->def.segment_count))
    for (int32_t s = 0; s < y->def.segment_count; ++s) {
        if (shape.points == HED_YARN_USUAL.points) {
            sample(HED_YARN_USUAL, y, s, x);
        } else {
            sample(shape, y, s, x);
        }
    }
}

void hed_yarn_sample_velocities(HedYarnContact* y, const HedVec3* v) {
    const HedYarnTableShape shape = hed_yarn_shape(y);
#pragma omp parallel for schedule(static)                                                          \
    num_threads(hed_team_size(y->def.team, INT64_C(50) * y->def.segment_count))
    for (int32_t s = 0; s < y->def.segment_count; ++s) {
        if (shape.points == HED_YARN_USUAL.points) {
            fill_points(HED_YARN_USUAL, y, s, v, hed_yarn_velocities(y, s));
        } else {
            fill_points(shape, y, s, v, hed_yarn_velocities(y, s));
        }
    }
}
