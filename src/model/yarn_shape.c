// SPDX-License-Identifier: MIT
#include "model/yarn_shape.h"
#include "base/alloc.h"
#include "geom/cubic.h"

enum { ARC_POINTS = 11, SEGMENT_LIMIT = 100000000 };

static const double REPEAT = 1e-9; // of the size of a line: nearer points are one

static HedStatus check_points(const HedYarnShape* shape, HedError* error) {
    for (int32_t k = 0; k < shape->count; ++k) {
        HedVec3 p = shape->points[k];
        if (!hed_is_finite3(p)) {
            return hed_fail(error, HED_INVALID, "point %d must be finite, got (%g, %g, %g)", k, p.x,
                            p.y, p.z);
        }
    }
    if (!(shape->segment_length >= 0.0 && isfinite(shape->segment_length))) {
        return hed_fail(error, HED_INVALID,
                        "segment length must be finite and not negative, got %g",
                        shape->segment_length);
    }
    return HED_OK;
}

static HedStatus drop_repeats(const HedYarnShape* shape, HedYarnLine* line, HedError* error) {
    HedBox box = hed_box_around(shape->points, shape->count);
    double near = shape->count > 0 ? REPEAT * hed_distance3(box.low, box.high) : 0.0;
    for (int32_t k = 0; k < shape->count; ++k) {
        bool is_repeat = line->count > 0 &&
                         hed_distance3(shape->points[k], line->points[line->count - 1]) <= near;
        if (!is_repeat) {
            line->points[line->count++] = shape->points[k];
        }
    }
    while (shape->is_closed && line->count > 1 &&
           hed_distance3(line->points[line->count - 1], line->points[0]) <= near) {
        --line->count;
    }
    line->repeat_count = shape->count - line->count;
    int32_t least = shape->is_closed ? 3 : 2;
    if (line->count < least) {
        return hed_fail(
            error, HED_INVALID, "%s yarn needs at least %d different points, got %d of %d",
            shape->is_closed ? "a closed" : "an open", least, line->count, shape->count);
    }
    return HED_OK;
}

// A walk along the curve through points.
typedef struct Walk {
    const HedVec3* points;
    int32_t count, segment_count;
    bool is_closed;
    int32_t segment; // where the walk is
    double before;   // arc length up to it
    double length;   // of it
} Walk;

static HedCubic cubic_at(const Walk* walk) {
    HedCubicSegment segment =
        hed_cubic_segment(HED_CUBIC_CATMULL_ROM, 0, walk->count, walk->is_closed, walk->segment);
    HedVec3 p[4];
    for (int k = 0; k < 4; ++k) {
        p[k] = walk->points[segment.point[k]];
    }
    return hed_cubic_make(hed_cubic_matrix(HED_CUBIC_CATMULL_ROM, segment.place), p);
}

static void enter(Walk* walk, int32_t segment) {
    walk->before += segment > 0 ? walk->length : 0.0;
    walk->segment = segment;
    HedCubic y = cubic_at(walk);
    walk->length = hed_cubic_length(&y, 0.0, 1.0, ARC_POINTS);
}

// The parameter of an arc length within the present segment, by bisection: lengths rise with it.
static HedVec3 point_at(const Walk* walk, double arc) {
    HedCubic y = cubic_at(walk);
    double low = 0.0, high = 1.0;
    for (int k = 0; k < 50; ++k) {
        double middle = 0.5 * (low + high);
        bool is_before = hed_cubic_length(&y, 0.0, middle, ARC_POINTS) < arc - walk->before;
        *(is_before ? &low : &high) = middle;
    }
    return hed_cubic_point(&y, 0.5 * (low + high));
}

static double whole_length(Walk* walk) {
    for (int32_t s = 0; s < walk->segment_count; ++s) {
        enter(walk, s);
    }
    double whole = walk->before + walk->length;
    walk->before = walk->length = 0.0;
    enter(walk, 0);
    return whole;
}

static HedStatus resample(const HedYarnShape* shape, HedYarnLine* line, HedError* error) {
    Walk walk = {.points = line->points,
                 .count = line->count,
                 .segment_count =
                     hed_cubic_count(HED_CUBIC_CATMULL_ROM, line->count, shape->is_closed),
                 .is_closed = shape->is_closed};
    double whole = whole_length(&walk);
    double wanted = floor(whole / shape->segment_length + 0.5);
    if (!(wanted <= SEGMENT_LIMIT)) {
        return hed_fail(error, HED_INVALID,
                        "segments of %g m on a yarn of %g m are %g, more than %d",
                        shape->segment_length, whole, wanted, SEGMENT_LIMIT);
    }
    int32_t least = shape->is_closed ? 3 : 1;
    int32_t segments = wanted > least ? (int32_t)wanted : least;
    int32_t count = shape->is_closed ? segments : segments + 1;
    HedVec3* points = HED_NEW_ARRAY(HedVec3, count);
    if (!points) {
        return hed_fail_memory(error, "points of a yarn");
    }
    for (int32_t k = 0; k < count; ++k) {
        double arc = whole * k / segments;
        while (arc > walk.before + walk.length && walk.segment + 1 < walk.segment_count) {
            enter(&walk, walk.segment + 1);
        }
        points[k] = point_at(&walk, arc);
    }
    points[0] = line->points[0];
    points[count - 1] = shape->is_closed ? points[count - 1] : line->points[line->count - 1];
    hed_free(line->points);
    line->points = points;
    line->count = count;
    return HED_OK;
}

HedStatus hed_yarn_line(const HedYarnShape* shape, HedYarnLine* line, HedError* error) {
    HedStatus status = HED_OK;
    *line = (HedYarnLine){0};
    HED_TRY(check_points(shape, error));
    line->points = HED_NEW_ARRAY(HedVec3, shape->count);
    if (!line->points) {
        HED_TRY(hed_fail_memory(error, "points of a yarn"));
    }
    HED_TRY(drop_repeats(shape, line, error));
    if (shape->segment_length > 0.0) {
        HED_TRY(resample(shape, line, error));
    }
done:
    if (status != HED_OK) {
        hed_free(line->points);
        *line = (HedYarnLine){0};
    }
    return status;
}

HedYarnSection hed_yarn_round_section(double young, double poisson, double radius) {
    const double pi = 3.14159265358979323846;
    double area = pi * radius * radius;
    double moment = 0.25 * area * radius * radius;
    double shear = young / (2.0 * (1.0 + poisson));
    return (HedYarnSection){young * moment, 2.0 * shear * moment, young * area};
}
