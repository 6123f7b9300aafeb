// SPDX-License-Identifier: MIT
// Which quadrature points of two segments are near each other.
//
// First balls around spans of four points are compared, then each point of one segment with four of
// the other. Both find all that is near without a branch, and leave a list: what is near is as good
// as random, and a branch on it that the processor guesses wrong costs more than the distance.
#ifndef HED_CONTACT_YARN_NEAR_H
#define HED_CONTACT_YARN_NEAR_H

#include "base/simd.h"
#include "contact/yarn_inner.h"

enum { HED_YARN_SPANS_MOST = HED_YARN_ROW_MOST / HED_YARN_SPAN }; // 8

/// A point of the first segment and four of the second, from that one on. No chars: these may point
/// anywhere, and all else would be read again after each.
typedef struct HedYarnReach {
    uint16_t first, second;
} HedYarnReach;

typedef struct HedYarnNear {
    int32_t count;
    // One more than there can be, which is written to but does not count.
    HedYarnReach rows[HED_YARN_ROW_MOST * HED_YARN_SPANS_MOST + 1];
} HedYarnNear;

typedef struct HedYarnWide3 {
    HedWide x, y, z;
} HedYarnWide3;

HED_WIDE HedWide hed_yarn_dot(HedYarnWide3 a, HedYarnWide3 b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

/// Four of a row, and the way to them from a point: both are [3][row].
HED_WIDE HedYarnWide3 hed_yarn_load(const double* four, int32_t row) {
    return (HedYarnWide3){hed_wide_load(four), hed_wide_load(four + row),
                          hed_wide_load(four + 2 * row)};
}

HED_WIDE HedYarnWide3 hed_yarn_between(const double* point, HedYarnWide3 four, int32_t row) {
    return (HedYarnWide3){four.x - point[0], four.y - point[row], four.z - point[2 * row]};
}

/// How many points a segment has, and how its record is laid out: what yarn_inner.h finds in the
/// contact, but a constant where loops are short and hot.
typedef struct HedYarnTableShape {
    int32_t points, row, spans, ball_row;
} HedYarnTableShape;

/// That of most yarns; loops are written for it and for any other.
static const HedYarnTableShape HED_YARN_USUAL = {11, 12, 3, 4};

HED_WIDE HedYarnTableShape hed_yarn_shape(const HedYarnContact* y) {
    return (HedYarnTableShape){y->def.quadrature, y->row, y->spans, y->ball_row};
}

/// Bit k is set for the spans k of a segment within reach of span a of another.
HED_WIDE uint32_t hed_yarn_near_spans(HedYarnTableShape shape, const double* ball, int32_t a,
                                      const double* other, double reach) {
    const int32_t n = shape.ball_row;
    double far = ball[3 * n + a] + reach;
    uint32_t bits = 0;
    for (int32_t k = 0; k < n; k += HED_YARN_SPAN) {
        HedYarnWide3 d = hed_yarn_between(ball + a, hed_yarn_load(other + k, n), n);
        HedWide sum = hed_wide_load(other + 3 * n + k) + far;
        bits |= hed_wide_bits(hed_yarn_dot(d, d) < sum * sum) << k;
    }
    return bits;
}

/// Spans of two segments whose points may be nearer than reach, m: bit 8 a + b for span a of the
/// first and b of the second.
HED_WIDE uint64_t hed_yarn_find_spans(HedYarnTableShape shape, const double* first,
                                      const double* second, double reach) {
    uint64_t spans = 0;
    for (int32_t a = 0; a < shape.spans; ++a) {
        spans |= (uint64_t)hed_yarn_near_spans(shape, first, a, second, reach)
                 << (HED_YARN_SPANS_MOST * a);
    }
    return spans;
}

/// Of these the points that have some of four nearer than the root of reach, m^2. x and z: their
/// positions.
HED_WIDE void hed_yarn_find_rows(HedYarnTableShape shape, const double* x, const double* z,
                                 uint64_t spans, double reach, HedYarnNear* near) {
    const HedWide most = hed_wide_all(reach);
    int32_t count = 0;
    for (; spans != 0; spans &= spans - 1) {
        int32_t at = __builtin_ctzll(spans);
        int32_t p = at / HED_YARN_SPANS_MOST * HED_YARN_SPAN;
        int32_t q = at % HED_YARN_SPANS_MOST * HED_YARN_SPAN;
        HedYarnWide3 there = hed_yarn_load(z + q, shape.row);
        for (int32_t k = 0; k < HED_YARN_SPAN; ++k) {
            HedYarnWide3 d = hed_yarn_between(x + p + k, there, shape.row);
            uint32_t bits = hed_wide_bits(hed_yarn_dot(d, d) < most);
            near->rows[count] = (HedYarnReach){(uint16_t)(p + k), (uint16_t)q};
            // Points that fill up a row have no weight.
            count += (bits != 0) & (p + k < shape.points);
        }
    }
    near->count = count;
}

/// Which of four points of segment j, with these parameters, push the point s of segment i of the
/// same yarn: they are far enough from each other along it.
HED_WIDE HedWideMask hed_yarn_pushes(const HedYarnContact* y, HedYarnPair pair, double s,
                                     HedWide parameters) {
    const int32_t i = pair.first, j = pair.second;
    const HedYarnCurve* curve = &y->curves[y->curve_of[i]];
    HedWide there = y->arc[j] + parameters * y->rest_length[j];
    HedWide way = hed_wide_abs(there - (y->arc[i] + s * y->rest_length[i]));
    if (curve->is_closed) {
        way = hed_wide_min(way, y->curve_length[y->curve_of[i]] - way);
    }
    return way >= hed_wide_all(y->def.contact_free * curve->radius);
}

#endif
