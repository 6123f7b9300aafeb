// SPDX-License-Identifier: MIT
// How do I make yarns of my own and look at them?
//
// Writes knit.bcc: a stockinette swatch, one yarn per course, as `heddle render knit.bcc --radius
// 0.55mm` draws it. scenes/knit.bcc is the same file.
#include <heddle/heddle.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { COURSES = 18, WALES = 16, STITCH = 16, POINTS = WALES * STITCH + 1 };

static const double WALE = 5e-3;     // m, width of a stitch
static const double COURSE = 2.8e-3; // m, height of a row

// A course is a wave whose flanks lean over, so that each loop is wider than its neck; flanks lie
// in front, heads and feet behind, where they hook into the rows above and below. The numbers, in
// widths of a stitch, leave the most room between yarns.
static HedVec3 loop(double stitch, int course) {
    double t = 6.283185307179586 * stitch;
    return (HedVec3){
        WALE * (stitch + 0.24 * sin(2.0 * t)),
        COURSE * course - WALE * 0.45 * cos(t),
        -WALE * 0.17 * cos(2.0 * t),
    };
}

static HedStatus load(void* context, int32_t frame, HedVec3* const* positions, HedError* error) {
    (void)context;
    (void)frame;
    (void)error;
    for (int course = 0; course < COURSES; ++course) {
        for (int k = 0; k < POINTS; ++k) {
            positions[0][course * POINTS + k] = loop((double)k / STITCH, course);
        }
    }
    return HED_OK;
}

int main(void) {
    HedCurve curves[COURSES];
    for (int course = 0; course < COURSES; ++course) {
        curves[course] = (HedCurve){
            .first = course * POINTS,
            .count = POINTS,
            .color = HED_COLOR_NONE,
            .radius = 0.55e-3,
        };
    }
    HedSeriesObject swatch = {
        .name = "swatch",
        .kind = HED_OBJECT_YARNS,
        .vertex_count = COURSES * POINTS,
        .curves = curves,
        .curve_count = COURSES,
    };
    double time = 0.0;
    HedSeries series = {&swatch, 1, &time, 1, load, NULL};
    HedError error = {0};
    if (hed_series_save("knit.bcc", &series, true, &error) != HED_OK) {
        fprintf(stderr, "%s\n", error.message);
        return EXIT_FAILURE;
    }
    printf("knit.bcc: %d yarns, %d points\n", COURSES, COURSES * POINTS);
    return EXIT_SUCCESS;
}
