// SPDX-License-Identifier: MIT
// Cubic curve segments: four points, four weights at a parameter s in [0, 1].
//
// A curve of points p0, p1, ... is a row of segments y(s) = sum_k w_k(s) p_k, each on four point
// indices and one 4 x 4 matrix of coefficients, w_k(s) = sum_j m[j][k] s^j:
// - open uniform cubic B-spline: n + 3 points make n segments, segment i stands on points i .. i
// + 3.
//   Knots are 0, 0, 0, 0, 1, 2, ..., n, n, n, n: the curve begins in the first point, towards the
//   second (dy/ds = 3 (p1 - p0)), and ends alike. The two segments at each end have matrices of
//   their own, those between them are uniform;
// - uniform Catmull-Rom: n + 1 points make n segments, segment i runs from point i to point i + 1
//   and also leans on the points before and after. Where an end has none, the missing point is the
//   reflection of the next one, 2 p0 - p1; its weight is moved to the real points, so that the
//   segment keeps four indices (the end point repeated, with weight zero) and has a matrix of its
//   own. A curve of one segment is then the straight line.
// Closed curves wrap round and have inner segments only.
#ifndef HED_GEOM_CUBIC_H
#define HED_GEOM_CUBIC_H

#include "geom/box.h"

#include <stdint.h>

typedef enum HedCubicBasis {
    HED_CUBIC_BSPLINE,
    HED_CUBIC_CATMULL_ROM,
    HED_CUBIC_BASES
} HedCubicBasis;

/// Where a segment stands in its curve: this and the basis choose its matrix. Catmull-Rom knows the
/// first four alone.
typedef enum HedCubicPlace {
    HED_CUBIC_INNER,
    HED_CUBIC_FIRST,
    HED_CUBIC_LAST,
    HED_CUBIC_ONLY,
    HED_CUBIC_SECOND, ///< Next to the first.
    HED_CUBIC_LAST_BUT_ONE,
    HED_CUBIC_FIRST_OF_TWO,
    HED_CUBIC_LAST_OF_TWO,
    HED_CUBIC_MIDDLE, ///< Of three.
    HED_CUBIC_PLACES
} HedCubicPlace;

/// m[power][point].
typedef struct HedCubicMatrix {
    double m[4][4];
} HedCubicMatrix;

/// The points and the matrix of one segment.
typedef struct HedCubicSegment {
    int32_t point[4];
    HedCubicPlace place;
} HedCubicSegment;

/// Static storage.
const HedCubicMatrix* hed_cubic_matrix(HedCubicBasis basis, HedCubicPlace place);

/// Segments that a curve of point_count points has; 0 if it has too few.
int32_t hed_cubic_count(HedCubicBasis basis, int32_t point_count, bool is_closed);

/// Segment i of hed_cubic_count(...) of the curve whose points are first .. first + point_count
/// - 1.
HedCubicSegment hed_cubic_segment(HedCubicBasis basis, int32_t first, int32_t point_count,
                                  bool is_closed, int32_t i);

/// Weights of the four points at s; of the derivatives dy/ds and d2y/ds2.
static inline void hed_cubic_weights(const HedCubicMatrix* b, double s, double w[4]) {
    for (int k = 0; k < 4; ++k) {
        w[k] = b->m[0][k] + s * (b->m[1][k] + s * (b->m[2][k] + s * b->m[3][k]));
    }
}

static inline void hed_cubic_slopes(const HedCubicMatrix* b, double s, double w[4]) {
    for (int k = 0; k < 4; ++k) {
        w[k] = b->m[1][k] + s * (2.0 * b->m[2][k] + s * (3.0 * b->m[3][k]));
    }
}

static inline void hed_cubic_bends(const HedCubicMatrix* b, double s, double w[4]) {
    for (int k = 0; k < 4; ++k) {
        w[k] = 2.0 * b->m[2][k] + 6.0 * s * b->m[3][k];
    }
}

/// sum_k w[k] p[k].
static inline HedVec3 hed_cubic_sum(const double w[4], const HedVec3 p[4]) {
    return (HedVec3){w[0] * p[0].x + w[1] * p[1].x + w[2] * p[2].x + w[3] * p[3].x,
                     w[0] * p[0].y + w[1] * p[1].y + w[2] * p[2].y + w[3] * p[3].y,
                     w[0] * p[0].z + w[1] * p[1].z + w[2] * p[2].z + w[3] * p[3].z};
}

/// A segment as a polynomial: y(s) = c[0] + c[1] s + c[2] s^2 + c[3] s^3.
typedef struct HedCubic {
    HedVec3 c[4];
} HedCubic;

static inline HedCubic hed_cubic_make(const HedCubicMatrix* b, const HedVec3 p[4]) {
    return (HedCubic){{hed_cubic_sum(b->m[0], p), hed_cubic_sum(b->m[1], p),
                       hed_cubic_sum(b->m[2], p), hed_cubic_sum(b->m[3], p)}};
}

static inline HedVec3 hed_cubic_point(const HedCubic* y, double s) {
    return hed_madd3(y->c[0], s, hed_madd3(y->c[1], s, hed_madd3(y->c[2], s, y->c[3])));
}

/// dy/ds.
static inline HedVec3 hed_cubic_slope(const HedCubic* y, double s) {
    return hed_madd3(y->c[1], s, hed_madd3(hed_mul3(2.0, y->c[2]), 3.0 * s, y->c[3]));
}

/// d2y/ds2.
static inline HedVec3 hed_cubic_bend(const HedCubic* y, double s) {
    return hed_madd3(hed_mul3(2.0, y->c[2]), 6.0 * s, y->c[3]);
}

/// Simpson's weights for points = 3, 5, 7, ... equidistant parameters from 0 to 1.
static inline double hed_simpson_weight(int32_t k, int32_t points) {
    double whole = 3.0 * (points - 1);
    return (k == 0 || k == points - 1 ? 1.0 : (k % 2 == 1 ? 4.0 : 2.0)) / whole;
}

/// Arc length from parameter a to b, m: Simpson's rule on the speed, with points = 3, 5, 7, ...
double hed_cubic_length(const HedCubic* y, double a, double b, int32_t points);

/// The smallest box around the points with s in [0, 1] (up to rounding of its size).
HedBox hed_cubic_box(const HedCubic* y);

#endif
