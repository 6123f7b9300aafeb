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

static bool is_part(const HedSeriesObject* object, bool with_bodies) {
    return object->kind == HED_OBJECT_SHEET || (with_bodies && object->kind == HED_OBJECT_BODY);
}

static HedStatus count_all(const HedSeriesObject* objects, int32_t object_count, bool with_bodies,
                           Joined* joined, HedError* error) {
    int64_t points = 0;
    int64_t triangles = 0;
    for (int32_t o = 0; o < object_count; ++o) {
        bool is_in = is_part(&objects[o], with_bodies);
        points += is_in ? objects[o].vertex_count : 0;
        triangles += is_in ? objects[o].triangle_count : 0;
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

// Leaves pairs of a sheet and a body alone in the list, the first of them up to the limit.
static void keep_mixed(const HedSeriesObject* objects, const Joined* joined, HedCrossings* found) {
    int32_t count = 0;
    found->cross_count = 0;
    found->touch_count = 0;
    for (int32_t k = 0; k < found->list.count; ++k) {
        HedCrossingPair pair = found->list.data[k];
        if (objects[joined->object[pair.first]].kind == objects[joined->object[pair.second]].kind) {
            continue;
        }
        found->cross_count += pair.kind == HED_CROSSING_CROSS;
        found->touch_count += pair.kind == HED_CROSSING_TOUCH;
        if (count < HED_INTERSECTIONS_LISTED) {
            found->list.data[count++] = pair;
        }
    }
    found->list.count = count;
}

static HedStatus find_all(const HedSeriesObject* objects, int32_t object_count,
                          const HedVec3* const* positions, bool with_bodies,
                          HedIntersections* intersections, HedError* error) {
    HedStatus status = HED_OK;
    Joined joined = {0};
    HedCrossings found = {0};
    *intersections = (HedIntersections){0};
    HED_TRY(count_all(objects, object_count, with_bodies, &joined, error));
    for (int32_t o = 0; o < object_count; ++o) {
        if (is_part(&objects[o], with_bodies)) {
            HED_TRY(join_object(&objects[o], o, positions[o], &joined, error));
        }
    }
    HED_TRY(hed_crossings_find(joined.x, joined.triangles, joined.triangle_count,
                               with_bodies ? INT32_MAX : HED_INTERSECTIONS_LISTED, &found, error));
    if (with_bodies) {
        keep_mixed(objects, &joined, &found);
    }
    HED_TRY(fill(&joined, &found, intersections, error));
done:
    hed_free(joined.x);
    hed_free(joined.triangles);
    hed_free(joined.object);
    hed_free(joined.number);
    hed_free(found.list.data);
    return status;
}

HedStatus hed_intersections_find(const HedSeriesObject* objects, int32_t object_count,
                                 const HedVec3* const* positions, HedIntersections* intersections,
                                 HedError* error) {
    return find_all(objects, object_count, positions, false, intersections, error);
}

HedStatus hed_intersections_with_bodies(const HedSeriesObject* objects, int32_t object_count,
                                        const HedVec3* const* positions,
                                        HedIntersections* intersections, HedError* error) {
    return find_all(objects, object_count, positions, true, intersections, error);
}

void hed_intersections_free(HedIntersections* intersections) {
    if (intersections) {
        hed_free(intersections->list);
        *intersections = (HedIntersections){0};
    }
}
