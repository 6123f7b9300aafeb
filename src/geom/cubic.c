// SPDX-License-Identifier: MIT
#include "geom/cubic.h"

// B-splines by the recursion of Cox and de Boor, on the knots about each segment.
//
// The inner Catmull-Rom weights are (-s + 2s^2 - s^3, 2 - 5s^2 + 3s^3, s + 4s^2 - 3s^3, -s^2 +
// s^3)/2. At an end the first (last) weight a of the reflected point 2 p1 - p2 becomes 2a on its
// neighbour and -a on the next.
static const HedCubicMatrix MATRIX[HED_CUBIC_BASES][HED_CUBIC_PLACES] =
    {
        [HED_CUBIC_BSPLINE] =
            {
                [HED_CUBIC_INNER] = {{{1.0 / 6.0, 2.0 / 3.0, 1.0 / 6.0, 0.0},
                                      {-0.5, 0.0, 0.5, 0.0},
                                      {0.5, -1.0, 0.5, 0.0},
                                      {-1.0 / 6.0, 0.5, -0.5, 1.0 / 6.0}}},
                [HED_CUBIC_FIRST] = {{{1.0, 0.0, 0.0, 0.0},
                                      {-3.0, 3.0, 0.0, 0.0},
                                      {3.0, -4.5, 1.5, 0.0},
                                      {-1.0, 1.75, -11.0 / 12.0, 1.0 / 6.0}}},
                [HED_CUBIC_LAST] = {{{1.0 / 6.0, 7.0 / 12.0, 0.25, 0.0},
                                     {-0.5, -0.25, 0.75, 0.0},
                                     {0.5, -1.25, 0.75, 0.0},
                                     {-1.0 / 6.0, 11.0 / 12.0, -1.75, 1.0}}},
                [HED_CUBIC_ONLY] = {{{1.0, 0.0, 0.0, 0.0},
                                     {-3.0, 3.0, 0.0, 0.0},
                                     {3.0, -6.0, 3.0, 0.0},
                                     {-1.0, 3.0, -3.0, 1.0}}},
                [HED_CUBIC_SECOND] = {{{0.25, 7.0 / 12.0, 1.0 / 6.0, 0.0},
                                       {-0.75, 0.25, 0.5, 0.0},
                                       {0.75, -1.25, 0.5, 0.0},
                                       {-0.25, 7.0 / 12.0, -0.5, 1.0 / 6.0}}},
                [HED_CUBIC_LAST_BUT_ONE] = {{{1.0 / 6.0, 2.0 / 3.0, 1.0 / 6.0, 0.0},
                                             {-0.5, 0.0, 0.5, 0.0},
                                             {0.5, -1.0, 0.5, 0.0},
                                             {-1.0 / 6.0, 0.5, -7.0 / 12.0, 0.25}}},
                [HED_CUBIC_FIRST_OF_TWO] = {{{1.0, 0.0, 0.0, 0.0},
                                             {-3.0, 3.0, 0.0, 0.0},
                                             {3.0, -4.5, 1.5, 0.0},
                                             {-1.0, 1.75, -1.0, 0.25}}},
                [HED_CUBIC_LAST_OF_TWO] = {{{0.25, 0.5, 0.25, 0.0},
                                            {-0.75, 0.0, 0.75, 0.0},
                                            {0.75, -1.5, 0.75, 0.0},
                                            {-0.25, 1.0, -1.75, 1.0}}},
                [HED_CUBIC_MIDDLE] = {{{0.25, 7.0 / 12.0, 1.0 / 6.0, 0.0},
                                       {-0.75, 0.25, 0.5, 0.0},
                                       {0.75, -1.25, 0.5, 0.0},
                                       {-0.25, 7.0 / 12.0, -7.0 / 12.0, 0.25}}},
            },
        [HED_CUBIC_CATMULL_ROM] =
            {
                [HED_CUBIC_INNER] = {{{0.0, 1.0, 0.0, 0.0},
                                      {-0.5, 0.0, 0.5, 0.0},
                                      {1.0, -2.5, 2.0, -0.5},
                                      {-0.5, 1.5, -1.5, 0.5}}},
                [HED_CUBIC_FIRST] = {{{0.0, 1.0, 0.0, 0.0},
                                      {0.0, -1.0, 1.0, 0.0},
                                      {0.0, -0.5, 1.0, -0.5},
                                      {0.0, 0.5, -1.0, 0.5}}},
                [HED_CUBIC_LAST] = {{{0.0, 1.0, 0.0, 0.0},
                                     {-0.5, 0.0, 0.5, 0.0},
                                     {1.0, -2.0, 1.0, 0.0},
                                     {-0.5, 1.0, -0.5, 0.0}}},
                [HED_CUBIC_ONLY] = {{{0.0, 1.0, 0.0, 0.0}, {0.0, -1.0, 1.0, 0.0}, {0.0}, {0.0}}},
            },
};

const HedCubicMatrix* hed_cubic_matrix(HedCubicBasis basis, HedCubicPlace place) {
    return &MATRIX[basis][place];
}

int32_t hed_cubic_count(HedCubicBasis basis, int32_t point_count, bool is_closed) {
    if (is_closed) {
        return point_count >= 3 ? point_count : 0;
    }
    int32_t extra = basis == HED_CUBIC_BSPLINE ? 3 : 1;
    return point_count > extra ? point_count - extra : 0;
}

// From the segments before and behind.
static HedCubicPlace bspline_place(int32_t before, int32_t behind) {
    static const HedCubicPlace PLACE[3][3] = {
        {HED_CUBIC_ONLY, HED_CUBIC_FIRST_OF_TWO, HED_CUBIC_FIRST},
        {HED_CUBIC_LAST_OF_TWO, HED_CUBIC_MIDDLE, HED_CUBIC_SECOND},
        {HED_CUBIC_LAST, HED_CUBIC_LAST_BUT_ONE, HED_CUBIC_INNER},
    };
    return PLACE[before < 2 ? before : 2][behind < 2 ? behind : 2];
}

HedCubicSegment hed_cubic_segment(HedCubicBasis basis, int32_t first, int32_t point_count,
                                  bool is_closed, int32_t i) {
    HedCubicSegment segment = {.place = HED_CUBIC_INNER};
    int32_t low = basis == HED_CUBIC_BSPLINE ? i : i - 1;
    for (int32_t k = 0; k < 4; ++k) {
        int32_t at = low + k;
        if (is_closed) {
            at = (at + point_count) % point_count;
        }
        segment.point[k] = first + (at < 0 ? 0 : (at < point_count ? at : point_count - 1));
    }
    if (basis == HED_CUBIC_BSPLINE && !is_closed) {
        segment.place = bspline_place(i, point_count - 4 - i);
    } else if (!is_closed) {
        bool is_last = i == point_count - 2;
        segment.place = i == 0 ? (is_last ? HED_CUBIC_ONLY : HED_CUBIC_FIRST)
                               : (is_last ? HED_CUBIC_LAST : HED_CUBIC_INNER);
    }
    return segment;
}

double hed_cubic_length(const HedCubic* y, double a, double b, int32_t points) {
    double sum = 0.0;
    for (int32_t k = 0; k < points; ++k) {
        double s = a + (b - a) * k / (points - 1);
        sum += hed_simpson_weight(k, points) * hed_norm3(hed_cubic_slope(y, s));
    }
    return (b - a) * sum;
}

// Where one coordinate turns: roots of c1 + 2 c2 s + 3 c3 s^2, in the form without cancellation.
// Anything outside (0, 1), infinite or NaN is no turn.
static void turns_of(double c1, double c2, double c3, double s[2]) {
    double root = sqrt(fmax(c2 * c2 - 3.0 * c1 * c3, 0.0));
    double q = -(c2 + copysign(root, c2));
    s[0] = q / (3.0 * c3);
    s[1] = c1 / q;
}

HedBox hed_cubic_box(const HedCubic* y) {
    const HedVec3* c = y->c;
    double s[6];
    turns_of(c[1].x, c[2].x, c[3].x, &s[0]);
    turns_of(c[1].y, c[2].y, c[3].y, &s[2]);
    turns_of(c[1].z, c[2].z, c[3].z, &s[4]);
    HedBox box = hed_box_add(hed_box_empty(), hed_cubic_point(y, 0.0));
    box = hed_box_add(box, hed_cubic_point(y, 1.0));
    for (int k = 0; k < 6; ++k) {
        if (s[k] > 0.0 && s[k] < 1.0) {
            box = hed_box_add(box, hed_cubic_point(y, s[k]));
        }
    }
    return box;
}
