// SPDX-License-Identifier: MIT
#include "geom/crossing.h"

#include "base/alloc.h"
#include "geom/bvh.h"
#include "math/exact.h"

// Segments in one plane, seen along an axis to which that plane is not parallel.
static bool segments_meet_in_plane(HedVec3 p, HedVec3 q, HedVec3 a, HedVec3 b, int axis) {
    int at_p = hed_orient2(a, b, p, axis);
    int at_q = hed_orient2(a, b, q, axis);
    int at_a = hed_orient2(p, q, a, axis);
    int at_b = hed_orient2(p, q, b, axis);
    if (at_p == 0 && at_q == 0 && at_a == 0 && at_b == 0) {
        // On one line: every coordinate rises or falls along it, so overlap in all is overlap.
        return hed_box_overlaps(hed_box_around((HedVec3[2]){p, q}, 2),
                                hed_box_around((HedVec3[2]){a, b}, 2));
    }
    return at_p * at_q <= 0 && at_a * at_b <= 0;
}

// An axis along which the triangle has an area, -1 if its corners are on one line.
static int axis_with_area(HedVec3 a, HedVec3 b, HedVec3 c) {
    for (int axis = 0; axis < 3; ++axis) {
        if (hed_orient2(a, b, c, axis) != 0) {
            return axis;
        }
    }
    return -1;
}

static bool segments_meet(HedVec3 p, HedVec3 q, HedVec3 a, HedVec3 b) {
    if (hed_orient3(p, q, a, b) != 0) {
        return false;
    }
    const HedVec3 triple[4][3] = {{p, q, a}, {p, q, b}, {a, b, p}, {a, b, q}};
    int axis = -1;
    for (int k = 0; k < 4 && axis < 0; ++k) {
        axis = axis_with_area(triple[k][0], triple[k][1], triple[k][2]);
    }
    return segments_meet_in_plane(p, q, a, b, axis < 0 ? 0 : axis);
}

// A segment in the plane of the triangle, or a triangle without area.
static bool meets_in_plane(HedVec3 p, HedVec3 q, const HedVec3 corner[3]) {
    for (int k = 0; k < 3; ++k) {
        if (segments_meet(p, q, corner[k], corner[(k + 1) % 3])) {
            return true;
        }
    }
    int axis = axis_with_area(corner[0], corner[1], corner[2]);
    if (axis < 0) {
        return false;
    }
    int side = hed_orient2(corner[0], corner[1], corner[2], axis);
    for (int k = 0; k < 3; ++k) {
        if (hed_orient2(corner[k], corner[(k + 1) % 3], p, axis) * side < 0) {
            return false;
        }
    }
    return true; // p inside, and so the whole segment
}

HedCrossing hed_crossing_segment(HedVec3 p, HedVec3 q, const HedVec3 corner[3]) {
    int at_p = hed_orient3(corner[0], corner[1], corner[2], p);
    int at_q = hed_orient3(corner[0], corner[1], corner[2], q);
    if (at_p * at_q > 0) {
        return HED_CROSSING_NONE;
    }
    if (at_p == 0 && at_q == 0) {
        return meets_in_plane(p, q, corner) ? HED_CROSSING_TOUCH : HED_CROSSING_NONE;
    }
    // The line p q meets the plane once: inside the triangle if it passes all sides the same way.
    int lowest = 1;
    int highest = -1;
    bool is_inner = at_p * at_q < 0;
    for (int k = 0; k < 3; ++k) {
        int side = hed_orient3(p, q, corner[k], corner[(k + 1) % 3]);
        lowest = side < lowest ? side : lowest;
        highest = side > highest ? side : highest;
        is_inner = is_inner && side != 0;
    }
    if (lowest < 0 && highest > 0) {
        return HED_CROSSING_NONE;
    }
    return is_inner ? HED_CROSSING_CROSS : HED_CROSSING_TOUCH;
}

static HedCrossing worse(HedCrossing a, HedCrossing b) {
    return a > b ? a : b;
}

// Corners that two triangles share, as numbers of corners of the first and of the second.
typedef struct Shared {
    int count;
    int first[3], second[3];
} Shared;

static Shared find_shared(const int32_t first[3], const int32_t second[3]) {
    Shared shared = {0};
    for (int k = 0; k < 3; ++k) {
        bool is_again = (k > 0 && first[k] == first[0]) || (k > 1 && first[k] == first[1]);
        for (int l = 0; l < 3 && !is_again; ++l) {
            if (first[k] == second[l]) {
                shared.first[shared.count] = k;
                shared.second[shared.count++] = l;
                break;
            }
        }
    }
    return shared;
}

// The edge opposite to a corner: of a segment, written as a triangle that names one of its ends
// twice, the other end.
static void find_opposite(const int32_t triangle[3], int corner, int edge[2]) {
    edge[0] = (corner + 1) % 3;
    edge[1] = (corner + 2) % 3;
    if (triangle[edge[0]] == triangle[corner]) {
        edge[0] = edge[1];
    } else if (triangle[edge[1]] == triangle[corner]) {
        edge[1] = edge[0];
    }
}

// With a common edge they overlap only if folded flat on each other.
static HedCrossing folded_flat(HedVec3 u, HedVec3 v, HedVec3 a, HedVec3 b) {
    if (hed_orient3(u, v, a, b) != 0) {
        return HED_CROSSING_NONE;
    }
    for (int axis = 0; axis < 3; ++axis) {
        if (hed_orient2(u, v, a, axis) * hed_orient2(u, v, b, axis) > 0) {
            return HED_CROSSING_TOUCH;
        }
    }
    return HED_CROSSING_NONE;
}

HedCrossing hed_crossing_triangles(const HedVec3* x, const int32_t first[3],
                                   const int32_t second[3]) {
    const HedVec3 p[3] = {x[first[0]], x[first[1]], x[first[2]]};
    const HedVec3 q[3] = {x[second[0]], x[second[1]], x[second[2]]};
    Shared shared = find_shared(first, second);
    if (shared.count == 3) {
        return HED_CROSSING_TOUCH;
    }
    if (shared.count == 2) {
        int a = 3 - shared.first[0] - shared.first[1];
        int b = 3 - shared.second[0] - shared.second[1];
        return folded_flat(p[shared.first[0]], p[shared.first[1]], p[a], q[b]);
    }
    if (shared.count == 1) {
        // What they have in common beyond the corner reaches the edge opposite to it in one of
        // them.
        int a[2], b[2];
        find_opposite(first, shared.first[0], a);
        find_opposite(second, shared.second[0], b);
        return worse(hed_crossing_segment(p[a[0]], p[a[1]], q),
                     hed_crossing_segment(q[b[0]], q[b[1]], p));
    }
    HedCrossing found = HED_CROSSING_NONE;
    for (int k = 0; k < 3 && found < HED_CROSSING_CROSS; ++k) {
        found = worse(found, hed_crossing_segment(p[k], p[(k + 1) % 3], q));
        found = worse(found, hed_crossing_segment(q[k], q[(k + 1) % 3], p));
    }
    return found;
}

typedef struct TriangleSearch {
    const HedVec3* x;
    const int32_t* triangles;
    HedBvh tree;
    HED_ARRAY(int32_t) near;
} TriangleSearch;

static HedBox box_of(const TriangleSearch* search, int32_t t) {
    HedBox box = hed_box_empty();
    for (int k = 0; k < 3; ++k) {
        box = hed_box_add(box, search->x[search->triangles[3 * (int64_t)t + k]]);
    }
    return box;
}

static void sort_rising(int32_t* values, int32_t count) {
    for (int32_t i = 1; i < count; ++i) {
        int32_t value = values[i];
        int32_t at = i;
        for (; at > 0 && values[at - 1] > value; --at) {
            values[at] = values[at - 1];
        }
        values[at] = value;
    }
}

// Fills search->near with the triangles after t whose boxes overlap that of t, in rising order.
static bool find_near(TriangleSearch* search, int32_t t) {
    HedBox box = box_of(search, t);
    int32_t count = hed_bvh_overlap(&search->tree, box, search->near.data, search->near.capacity);
    if (count > search->near.capacity) {
        search->near.count = 0;
        if (!HED_RESERVE(&search->near, count)) {
            return false;
        }
        hed_bvh_overlap(&search->tree, box, search->near.data, search->near.capacity);
    }
    search->near.count = 0;
    for (int32_t k = 0; k < count; ++k) {
        int32_t other = search->near.data[k];
        if (other > t && hed_box_overlaps(box, box_of(search, other))) {
            search->near.data[search->near.count++] = other;
        }
    }
    sort_rising(search->near.data, search->near.count);
    return true;
}

static bool add_pair(HedCrossings* crossings, int32_t capacity, HedCrossingPair pair) {
    if (pair.kind == HED_CROSSING_NONE) {
        return true;
    }
    crossings->cross_count += pair.kind == HED_CROSSING_CROSS;
    crossings->touch_count += pair.kind == HED_CROSSING_TOUCH;
    return crossings->list.count >= capacity || HED_APPEND(&crossings->list, pair);
}

HedStatus hed_crossings_find(const HedVec3* x, const int32_t* triangles, int32_t triangle_count,
                             int32_t capacity, HedCrossings* crossings, HedError* error) {
    HedStatus status = HED_OK;
    TriangleSearch search = {.x = x, .triangles = triangles};
    crossings->list.count = 0;
    crossings->cross_count = 0;
    crossings->touch_count = 0;
    HED_TRY(hed_bvh_build_triangles(x, triangles, triangle_count, &search.tree, error));
    for (int32_t t = 0; t < triangle_count; ++t) {
        if (!find_near(&search, t)) {
            HED_TRY(hed_fail_memory(error, "intersections"));
        }
        for (int32_t k = 0; k < search.near.count; ++k) {
            int32_t other = search.near.data[k];
            HedCrossing kind = hed_crossing_triangles(x, triangles + 3 * (int64_t)t,
                                                      triangles + 3 * (int64_t)other);
            if (!add_pair(crossings, capacity, (HedCrossingPair){t, other, kind})) {
                HED_TRY(hed_fail_memory(error, "intersections"));
            }
        }
    }
done:
    hed_bvh_free(&search.tree);
    hed_free(search.near.data);
    return status;
}
