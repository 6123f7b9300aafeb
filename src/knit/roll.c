// SPDX-License-Identifier: MIT
// Rolls up the sheet of a fabric knitted in rounds.
//
// A point (x, y, z) of the sheet goes to the angle 2 pi x / period. The radius at its height is
// that of its course: as many wale spacings around as the course has loops. Between courses both
// radius and height are interpolated so that courses keep their distance along the surface.
#include "knit/knit.h"

#include <math.h>

static const double PI = 3.14159265358979323846;

// Of the tube at course c: its radius (m) and its height (m).
typedef struct Ring {
    double radius, height;
} Ring;

static Ring next_ring(const HedKnitPlan* plan, Ring ring, int32_t c) {
    static const double STEEPEST = 0.95; // a cone is never quite flat
    double step = plan->heights[c + 1] - plan->heights[c];
    double wanted =
        hed_loops_width(plan->graph, c + 1) * plan->shape.wale / (2.0 * PI) - ring.radius;
    double out = fmax(-STEEPEST * step, fmin(STEEPEST * step, wanted));
    return (Ring){ring.radius + out, ring.height + sqrt(step * step - out * out)};
}

static HedVec3 rolled(const HedKnitPlan* plan, HedVec3 p, const Ring* rings) {
    int32_t last = plan->graph->course_count;
    int32_t c = 0;
    int32_t end = last;
    while (end - c > 1) { // the course below the point
        int32_t middle = c + (end - c) / 2;
        *(plan->heights[middle] <= p.y ? &c : &end) = middle;
    }
    double step = plan->heights[c + 1] - plan->heights[c];
    double s = (p.y - plan->heights[c]) / step;
    double out = rings[c + 1].radius - rings[c].radius;
    double up = rings[c + 1].height - rings[c].height;
    // The face looks outwards, across the slope of the surface.
    double radius = rings[c].radius + s * out + p.z * up / step;
    double height = rings[c].height + s * up - p.z * out / step;
    double angle = 2.0 * PI * p.x / plan->period;
    return hed_vec3(radius * sin(angle), height, radius * cos(angle));
}

HedStatus hed_knit_roll(const HedKnitPlan* plan, HedFabric* sheet, HedError* error) {
    if (!(plan->period > 0.0)) {
        return HED_OK;
    }
    int32_t count = plan->graph->course_count;
    Ring* rings = HED_NEW_ARRAY(Ring, (int64_t)count + 1);
    if (!rings) {
        return hed_fail_memory(error, "rounds of a knit");
    }
    rings[0].radius = hed_loops_width(plan->graph, 0) * plan->shape.wale / (2.0 * PI);
    for (int32_t c = 0; c < count; ++c) {
        rings[c + 1] = next_ring(plan, rings[c], c);
    }
    for (int32_t i = 0; i < sheet->point_count; ++i) {
        sheet->points[i] = rolled(plan, sheet->points[i], rings);
    }
    hed_free(rings);
    return HED_OK;
}
