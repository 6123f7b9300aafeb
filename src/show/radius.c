// SPDX-License-Identifier: MIT
// How thick are yarns whose file does not say it? In a fabric yarns touch where they cross: along a
// yarn, the distance to the nearest other piece of yarn has a minimum there, and half of it is the
// radius.
//
// Other pieces are those of other yarns, and of the same yarn once the way along it is more than
// three times the straight distance (a half circle's is 1.57 times). Minima are collected on
// stretches of consecutive vertices spread over all yarns. Their lower quartile is taken: some
// minima lie where nothing touches, and most contacts should not overlap.
#include "base/alloc.h"
#include "base/array.h"
#include "geom/bvh.h"
#include "geom/closest.h"
#include "show/internal.h"

#include <stdlib.h>

enum { STRETCHES = 64, STRETCH = 64, LEAST_MINIMA = 4, FIRST_WORK = 50000000 };
static const double ROUNDABOUT = 3.0; // the way along the yarn over the straight distance

// One piece of a yarn.
typedef struct CurveSegment {
    int32_t curve;
    int32_t a, b; // vertices
} CurveSegment;

typedef struct RadiusSearch {
    const HedCurves* curves;
    CurveSegment* segments;
    int32_t segment_count;
    double* way;    // m, of each vertex along its curve
    double* length; // m, of each curve, around if it is closed
    double mean;    // m, length of a segment
    double largest; // m, size of everything
    HedBvh bvh;
    int32_t* found;
    int64_t work_left; // segments that may still be looked at
} RadiusSearch;

static HedStatus list_segments(RadiusSearch* s, HedError* error) {
    const HedCurves* curves = s->curves;
    int64_t count = (int64_t)curves->vertex_count; // at most one segment begins at each vertex
    s->segments = HED_NEW_ARRAY(CurveSegment, count);
    s->way = HED_NEW_ARRAY(double, count);
    s->length = HED_NEW_ARRAY(double, curves->curve_count);
    s->found = HED_NEW_ARRAY(int32_t, count);
    if (!s->segments || !s->way || !s->length || !s->found) {
        return hed_fail_memory(error, "the distances of yarns");
    }
    double total = 0.0;
    for (int32_t c = 0; c < curves->curve_count; ++c) {
        const HedCurve* curve = &curves->curves[c];
        double way = 0.0;
        for (int32_t k = 0; k < hed_curve_segment_count(curve); ++k) {
            int32_t a = curve->first + k;
            int32_t b = curve->first + (k + 1) % curve->count;
            s->segments[s->segment_count++] = (CurveSegment){c, a, b};
            s->way[a] = way;
            way += hed_distance3(curves->vertices[a], curves->vertices[b]);
            s->way[b] = b > a ? way : 0.0;
        }
        s->length[c] = way;
        total += way;
    }
    s->mean = s->segment_count > 0 ? total / s->segment_count : 0.0;
    HedBox box = hed_box_around(curves->vertices, curves->vertex_count);
    s->largest = hed_distance3(box.low, box.high);
    return HED_OK;
}

static HedStatus build_tree(RadiusSearch* s, HedError* error) {
    HedBox* boxes = HED_NEW_ARRAY(HedBox, s->segment_count);
    if (!boxes) {
        return hed_fail_memory(error, "the distances of yarns");
    }
    for (int32_t i = 0; i < s->segment_count; ++i) {
        const HedVec3* x = s->curves->vertices;
        boxes[i] =
            hed_box_add(hed_box_add(hed_box_empty(), x[s->segments[i].a]), x[s->segments[i].b]);
    }
    HedStatus status = hed_bvh_build(boxes, s->segment_count, &s->bvh, error);
    hed_free(boxes);
    return status;
}

// Distance (m) of a vertex of a curve to a segment, infinite if the segment is a neighbour along
// the same yarn.
static double distance_to(const RadiusSearch* s, int32_t curve, int32_t vertex,
                          const CurveSegment* segment) {
    const HedVec3* x = s->curves->vertices;
    HedVec3 a = x[segment->a];
    HedVec3 ab = hed_sub3(x[segment->b], a);
    double square = hed_dot3(ab, ab);
    double t = square > 0.0 ? hed_dot3(hed_sub3(x[vertex], a), ab) / square : 0.0;
    t = fmin(fmax(t, 0.0), 1.0);
    double distance = hed_distance3(x[vertex], hed_madd3(a, t, ab));
    if (segment->curve == curve) {
        double way = fabs(s->way[segment->a] + t * sqrt(square) - s->way[vertex]);
        if (s->curves->curves[curve].is_closed) {
            way = fmin(way, s->length[curve] - way);
        }
        if (way <= ROUNDABOUT * distance) {
            return HUGE_VAL;
        }
    }
    return distance;
}

// Distance of a vertex to the nearest other piece of yarn; infinite if there is none nearby. `hint`
// is the neighbour's, or 0.
static double nearest(RadiusSearch* s, int32_t curve, int32_t vertex, double hint) {
    HedVec3 p = s->curves->vertices[vertex];
    double reach = hint > 0.0 && hint < HUGE_VAL ? hint + s->mean : s->mean;
    double best = HUGE_VAL;
    while (s->work_left > 0) {
        HedVec3 half = hed_vec3(reach, reach, reach);
        HedBox box = {hed_sub3(p, half), hed_add3(p, half)};
        int32_t count = hed_bvh_overlap(&s->bvh, box, s->found, s->segment_count);
        s->work_left -= count + 1;
        for (int32_t i = 0; i < count; ++i) {
            best = fmin(best, distance_to(s, curve, vertex, &s->segments[s->found[i]]));
        }
        if (best <= reach || reach > 0.25 * s->largest) {
            break;
        }
        reach *= 2.0;
    }
    return best <= reach ? best : HUGE_VAL;
}

typedef HED_ARRAY(double) Minima;

// Adds the minima along count consecutive vertices of a curve.
static bool add_minima(RadiusSearch* s, int32_t curve, int32_t first, int32_t count,
                       Minima* minima) {
    double before = HUGE_VAL;
    double here = HUGE_VAL;
    for (int32_t k = 0; k < count; ++k) {
        double next = nearest(s, curve, first + k, here);
        if (k >= 2 && here < before && here <= next && !HED_APPEND(minima, here)) {
            return false;
        }
        before = here;
        here = next;
    }
    return true;
}

static HedStatus collect_minima(RadiusSearch* s, Minima* minima, HedError* error) {
    const HedCurves* curves = s->curves;
    int32_t stride = curves->vertex_count / STRETCHES;
    stride = stride > STRETCH ? stride : STRETCH;
    int32_t next = 0; // vertex at which the next stretch may begin
    for (int32_t c = 0; c < curves->curve_count; ++c) {
        const HedCurve* curve = &curves->curves[c];
        int32_t end = curve->first + curve->count;
        int32_t begin = next > curve->first ? next : curve->first;
        while (begin < end && begin >= next) {
            int32_t count = end - begin < STRETCH ? end - begin : STRETCH;
            if (!add_minima(s, c, begin, count, minima)) {
                return hed_fail_memory(error, "the distances of yarns");
            }
            next = begin + stride;
            begin = next;
        }
    }
    return HED_OK;
}

static int compare_doubles(const void* left, const void* right) {
    double a = *(const double*)left;
    double b = *(const double*)right;
    return (a > b) - (a < b);
}

HedStatus hed_yarn_radius_estimate(const HedCurves* curves, double* radius, HedError* error) {
    HedStatus status = HED_OK;
    RadiusSearch s = {.curves = curves, .work_left = FIRST_WORK};
    Minima minima = {0};
    *radius = 0.0;
    HED_TRY(list_segments(&s, error));
    // Without neighbours: a line that can be seen, thinner than its segments are long.
    *radius = fmax(fmin(0.25 * s.mean, s.largest / 50.0), s.largest / 2000.0);
    HED_TRY(build_tree(&s, error));
    HED_TRY(collect_minima(&s, &minima, error));
    if (minima.count >= LEAST_MINIMA) {
        qsort(minima.data, (size_t)minima.count, sizeof *minima.data, compare_doubles);
        double distance = minima.data[minima.count / 4];
        *radius = fmax(fmin(0.5 * distance, s.largest / 8.0), s.largest / 67108864.0);
    }
done:
    hed_bvh_free(&s.bvh);
    hed_free(s.segments);
    hed_free(s.way);
    hed_free(s.length);
    hed_free(s.found);
    hed_free(minima.data);
    return status;
}
