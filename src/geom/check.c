// SPDX-License-Identifier: MIT
// The public check: all sheets in one list of points and triangles.
#include "heddle/check.h"

#include "base/alloc.h"
#include "geom/crossing.h"
#include "math/vec3.h"

typedef struct Joined {
    HedVec3* x;
    int32_t* triangles;
    int32_t* object; // of each triangle
    int32_t* number; // of each triangle within its object
    int32_t point_count;
    int32_t triangle_count;
} Joined;

static HedStatus count_all(const HedSeriesObject* objects, int32_t object_count, Joined* joined,
                           HedError* error) {
    int64_t points = 0;
    int64_t triangles = 0;
    for (int32_t o = 0; o < object_count; ++o) {
        bool is_sheet = objects[o].kind == HED_OBJECT_SHEET;
        points += is_sheet ? objects[o].vertex_count : 0;
        triangles += is_sheet ? objects[o].triangle_count : 0;
    }
    if (points > INT32_MAX || triangles > INT32_MAX / 3) {
        return hed_fail(error, HED_INVALID, "%lld vertices and %lld triangles: too many to check",
                        (long long)points, (long long)triangles);
    }
    joined->x = HED_NEW_ARRAY(HedVec3, points);
    joined->triangles = HED_NEW_ARRAY(int32_t, 3 * triangles);
    joined->object = HED_NEW_ARRAY(int32_t, triangles);
    joined->number = HED_NEW_ARRAY(int32_t, triangles);
    if (!joined->x || !joined->triangles || !joined->object || !joined->number) {
        return hed_fail_memory(error, "intersections");
    }
    return HED_OK;
}

static HedStatus join_object(const HedSeriesObject* object, int32_t index, const HedVec3* positions,
                             Joined* joined, HedError* error) {
    int32_t first = joined->point_count;
    for (int32_t i = 0; i < object->vertex_count; ++i) {
        if (!hed_is_finite3(positions[i])) {
            return hed_fail(error, HED_INVALID, "%s: vertex %d is not finite (%g, %g, %g)",
                            object->name, i, positions[i].x, positions[i].y, positions[i].z);
        }
        joined->x[joined->point_count++] = positions[i];
    }
    for (int32_t t = 0; t < object->triangle_count; ++t) {
        for (int k = 0; k < 3; ++k) {
            int32_t v = object->triangles[3 * (int64_t)t + k];
            if (v < 0 || v >= object->vertex_count) {
                return hed_fail(error, HED_INVALID,
                                "%s: triangle %d: vertex must be in 0..%d, got %d", object->name, t,
                                object->vertex_count - 1, v);
            }
            joined->triangles[3 * (int64_t)joined->triangle_count + k] = first + v;
        }
        joined->object[joined->triangle_count] = index;
        joined->number[joined->triangle_count++] = t;
    }
    return HED_OK;
}

static HedStatus fill(const Joined* joined, const HedCrossings* found,
                      HedIntersections* intersections, HedError* error) {
    intersections->list = HED_NEW_ARRAY(HedIntersection, found->list.count);
    if (!intersections->list) {
        return hed_fail_memory(error, "intersections");
    }
    for (int32_t k = 0; k < found->list.count; ++k) {
        HedCrossingPair pair = found->list.data[k];
        intersections->list[k] = (HedIntersection){
            .object = {joined->object[pair.first], joined->object[pair.second]},
            .triangle = {joined->number[pair.first], joined->number[pair.second]},
            .is_touch = pair.kind == HED_CROSSING_TOUCH,
        };
    }
    intersections->list_count = found->list.count;
    intersections->cross_count = found->cross_count;
    intersections->touch_count = found->touch_count;
    return HED_OK;
}

HedStatus hed_intersections_find(const HedSeriesObject* objects, int32_t object_count,
                                 const HedVec3* const* positions, HedIntersections* intersections,
                                 HedError* error) {
    HedStatus status = HED_OK;
    Joined joined = {0};
    HedCrossings found = {0};
    *intersections = (HedIntersections){0};
    HED_TRY(count_all(objects, object_count, &joined, error));
    for (int32_t o = 0; o < object_count; ++o) {
        if (objects[o].kind == HED_OBJECT_SHEET) {
            HED_TRY(join_object(&objects[o], o, positions[o], &joined, error));
        }
    }
    HED_TRY(hed_crossings_find(joined.x, joined.triangles, joined.triangle_count,
                               HED_INTERSECTIONS_LISTED, &found, error));
    HED_TRY(fill(&joined, &found, intersections, error));
done:
    hed_free(joined.x);
    hed_free(joined.triangles);
    hed_free(joined.object);
    hed_free(joined.number);
    hed_free(found.list.data);
    return status;
}

void hed_intersections_free(HedIntersections* intersections) {
    if (intersections) {
        hed_free(intersections->list);
        *intersections = (HedIntersections){0};
    }
}
