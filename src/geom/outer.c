// SPDX-License-Identifier: MIT
// Triangles that others pass through are cut along the planes of those, into convex pieces that
// nothing passes through. Each piece, and each patch of whole triangles, then has one winding
// number on its outer side: the count of crossings of a ray from there, those outwards less those
// inwards. Where it is 0 the piece bounds the solid; elsewhere it lies inside.
#include "geom/outer.h"

#include "base/array.h"
#include "geom/crossing.h"
#include "math/exact.h"

#include <string.h>

// A convex polygon: corners from first on in a list of places.
typedef struct CutPiece {
    int32_t source;
    int32_t first, count;
} CutPiece;

typedef struct Cutting {
    const HedSolid* solid;
    const HedBvh* bvh;
    HedOuter* outer;
    HedCrossings crossings;
    HED_ARRAY(HedVec3) vertices;
    HED_ARRAY(int32_t) triangles;
    HED_ARRAY(int32_t) source;
    HED_ARRAY(uint8_t) is_part;
    HED_ARRAY(HedVec3) places; // of the pieces of one triangle
    HED_ARRAY(CutPiece) pieces;
    HED_ARRAY(int32_t) near; // triangles beside a ray
    int32_t* cutters;        // of all triangles: those that intersect it, one after the other
    int32_t* cutter_start;   // per triangle, and one more
    int32_t* patch;          // per triangle: the lowest of those it hangs together with
    int8_t* is_outer;        // per patch: -1 if not looked at yet
    double tiny;             // m
    double length;           // m, of a ray that leaves the solid from anywhere on it
    bool is_short;           // memory ran out
} Cutting;

static void corners_of(const HedSolid* solid, int32_t t, HedVec3 corner[3]) {
    for (int k = 0; k < 3; ++k) {
        corner[k] = solid->vertices[solid->triangles[3 * (int64_t)t + k]];
    }
}

static HedVec3 normal_of(const HedVec3 corner[3]) {
    HedVec3 cross = hed_cross3(hed_sub3(corner[1], corner[0]), hed_sub3(corner[2], corner[0]));
    return hed_unit3(cross, (HedVec3){0});
}

// Crossings of the segment from p to q with the solid but for one triangle, those outwards less
// those inwards; false if it touches an edge, or if there is no memory.
static bool count_crossings(Cutting* c, int32_t but, HedVec3 p, HedVec3 q, int32_t* sum) {
    HedBox box = hed_box_around((HedVec3[2]){p, q}, 2);
    int32_t count = hed_bvh_overlap(c->bvh, box, c->near.data, c->near.capacity);
    if (count > c->near.capacity) {
        if (!HED_RESERVE(&c->near, count)) {
            c->is_short = true;
            return false;
        }
        hed_bvh_overlap(c->bvh, box, c->near.data, count);
    }
    *sum = 0;
    for (int32_t k = 0; k < count; ++k) {
        HedVec3 corner[3];
        corners_of(c->solid, c->near.data[k], corner);
        HedCrossing kind =
            c->near.data[k] == but ? HED_CROSSING_NONE : hed_crossing_segment(p, q, corner);
        if (kind == HED_CROSSING_TOUCH) {
            return false;
        }
        if (kind == HED_CROSSING_CROSS) {
            HedVec3 up = hed_cross3(hed_sub3(corner[1], corner[0]), hed_sub3(corner[2], corner[0]));
            bool is_outwards = hed_dot3(up, hed_sub3(q, p)) > 0.0;
            *sum += is_outwards ? 1 : -1;
        }
    }
    return true;
}

// Whether there is nothing of the solid on the outer side of a triangle at a place on it. Where no
// ray can tell there is not.
static bool is_outer_at(Cutting* c, int32_t t, HedVec3 place) {
    enum { RAYS = 8 };
    HedVec3 corner[3];
    corners_of(c->solid, t, corner);
    HedVec3 normal = normal_of(corner);
    HedVec3 size = {fabs(normal.x), fabs(normal.y), fabs(normal.z)};
    HedVec3 along = size.x >= size.y && size.x >= size.z ? hed_vec3(1.0, 0.0, 0.0)
                    : size.y >= size.z                   ? hed_vec3(0.0, 1.0, 0.0)
                                                         : hed_vec3(0.0, 0.0, 1.0);
    along = hed_mul3(hed_dot3(along, normal) < 0.0 ? -1.0 : 1.0, along);
    HedVec3 start = hed_madd3(place, c->tiny, normal);
    for (int k = 0; k < RAYS && !c->is_short; ++k) {
        // Nearly along an axis, so that few triangles lie beside it, and aslant, so that edges of
        // boxes do not.
        HedVec3 aslant = {0.0071 + 0.0013 * k, 0.0033 - 0.0017 * k, 0.0059 + 0.0011 * k};
        HedVec3 end = hed_madd3(start, c->length, hed_add3(along, aslant));
        int32_t sum = 0;
        if (count_crossings(c, t, start, end, &sum)) {
            return sum == 0;
        }
    }
    return true;
}

// The part of the line where the planes of two triangles meet that lies in the second: its two
// ends; false if there is none. normal is that of the second plane, off[] are its corners' places
// above the first.
static bool trace_of(const HedVec3 corner[3], const double off[3], double tiny, HedVec3 end[2]) {
    int count = 0;
    HedVec3 found[6];
    for (int k = 0; k < 3; ++k) {
        int next = (k + 1) % 3;
        if (fabs(off[k]) <= tiny) {
            found[count++] = corner[k];
        } else if (fabs(off[next]) > tiny && (off[k] > 0.0) != (off[next] > 0.0)) {
            double share = off[k] / (off[k] - off[next]);
            found[count++] = hed_lerp3(corner[k], corner[next], share);
        }
    }
    double longest = -1.0;
    for (int a = 0; a < count; ++a) {
        for (int b = a + 1; b < count; ++b) {
            double length = hed_distance3(found[a], found[b]);
            if (length > longest) {
                longest = length;
                end[0] = found[a];
                end[1] = found[b];
            }
        }
    }
    return longest > tiny;
}

// Whether a segment in the plane of a convex polygon passes through it, or is that near.
static bool reaches(const HedVec3* corner, int32_t count, HedVec3 normal, const HedVec3 end[2],
                    double tiny) {
    double from = 0.0;
    double to = 1.0;
    for (int32_t k = 0; k < count; ++k) {
        HedVec3 side = hed_sub3(corner[(k + 1) % count], corner[k]);
        HedVec3 inwards = hed_unit3(hed_cross3(normal, side), (HedVec3){0});
        double a = hed_dot3(inwards, hed_sub3(end[0], corner[k])) + tiny;
        double b = hed_dot3(inwards, hed_sub3(end[1], corner[k])) + tiny;
        if (a < 0.0 && b < 0.0) {
            return false;
        }
        if (a < 0.0) {
            from = fmax(from, a / (a - b));
        } else if (b < 0.0) {
            to = fmin(to, a / (a - b));
        }
    }
    return from <= to;
}

// Cuts one piece along the line through two places, perpendicular to `across` in its plane. The
// part above takes its place in the list, the part below is appended.
static bool cut_piece(Cutting* c, int32_t at, HedVec3 across, HedVec3 on) {
    CutPiece piece = c->pieces.data[at];
    bool is_above = false;
    bool is_below = false;
    for (int32_t k = 0; k < piece.count; ++k) {
        double off = hed_dot3(across, hed_sub3(c->places.data[piece.first + k], on));
        is_above = is_above || off > c->tiny;
        is_below = is_below || off < -c->tiny;
    }
    if (!is_above || !is_below) {
        return true;
    }
    CutPiece part[2];
    for (int side = 0; side < 2; ++side) {
        double sign = side == 0 ? 1.0 : -1.0;
        part[side] = (CutPiece){piece.source, c->places.count, 0};
        if (!HED_RESERVE(&c->places, 2 * piece.count)) {
            return false;
        }
        for (int32_t k = 0; k < piece.count; ++k) {
            HedVec3 a = c->places.data[piece.first + k];
            HedVec3 b = c->places.data[piece.first + (k + 1) % piece.count];
            double at_a = sign * hed_dot3(across, hed_sub3(a, on));
            double at_b = sign * hed_dot3(across, hed_sub3(b, on));
            if (at_a >= 0.0) {
                c->places.data[c->places.count++] = a;
            }
            if ((at_a > 0.0 && at_b < 0.0) || (at_a < 0.0 && at_b > 0.0)) {
                c->places.data[c->places.count++] = hed_lerp3(a, b, at_a / (at_a - at_b));
            }
        }
        part[side].count = c->places.count - part[side].first;
    }
    c->pieces.data[at] = part[0];
    return HED_APPEND(&c->pieces, part[1]);
}

// Fills pieces with those of one triangle.
static bool cut_triangle(Cutting* c, int32_t t) {
    HedVec3 corner[3];
    corners_of(c->solid, t, corner);
    HedVec3 normal = normal_of(corner);
    c->places.count = 0;
    c->pieces.count = 0;
    bool ok = HED_RESERVE(&c->places, 3) && HED_APPEND(&c->pieces, (CutPiece){t, 0, 3});
    for (int k = 0; k < 3 && ok; ++k) {
        c->places.data[c->places.count++] = corner[k];
    }
    for (int32_t i = c->cutter_start[t]; i < c->cutter_start[t + 1] && ok; ++i) {
        HedVec3 other[3];
        HedVec3 end[2] = {0};
        corners_of(c->solid, c->cutters[i], other);
        double off[3];
        for (int k = 0; k < 3; ++k) {
            off[k] = hed_dot3(normal, hed_sub3(other[k], corner[0]));
        }
        if (!trace_of(other, off, c->tiny, end)) {
            continue;
        }
        HedVec3 way = hed_sub3(end[1], end[0]);
        HedVec3 across = hed_unit3(hed_cross3(normal, way), (HedVec3){0});
        int32_t count = c->pieces.count;
        for (int32_t k = 0; k < count && ok; ++k) {
            CutPiece piece = c->pieces.data[k];
            if (reaches(c->places.data + piece.first, piece.count, normal, end, c->tiny)) {
                ok = cut_piece(c, k, across, end[0]);
            }
        }
    }
    return ok;
}

static HedVec3 middle_of(const Cutting* c, CutPiece piece) {
    HedVec3 sum = {0};
    for (int32_t k = 0; k < piece.count; ++k) {
        sum = hed_add3(sum, c->places.data[piece.first + k]);
    }
    return hed_mul3(1.0 / piece.count, sum);
}

// Adds a piece to the outer surface, as a fan.
static bool keep_piece(Cutting* c, CutPiece piece) {
    int32_t first = c->vertices.count;
    bool ok = true;
    for (int32_t k = 0; k < piece.count && ok; ++k) {
        ok = HED_APPEND(&c->vertices, c->places.data[piece.first + k]);
    }
    for (int32_t k = 1; k + 1 < piece.count && ok; ++k) {
        ok = HED_RESERVE(&c->triangles, 3) && HED_APPEND(&c->source, piece.source) &&
             HED_APPEND(&c->is_part, 1);
        if (ok) {
            c->triangles.data[c->triangles.count++] = first;
            c->triangles.data[c->triangles.count++] = first + k;
            c->triangles.data[c->triangles.count++] = first + k + 1;
        }
    }
    return ok;
}

static bool keep_whole(Cutting* c, int32_t t) {
    bool ok =
        HED_RESERVE(&c->triangles, 3) && HED_APPEND(&c->source, t) && HED_APPEND(&c->is_part, 0);
    for (int k = 0; k < 3 && ok; ++k) {
        c->triangles.data[c->triangles.count++] = c->solid->triangles[3 * (int64_t)t + k];
    }
    return ok;
}

static bool sort_cut(Cutting* c, int32_t t) {
    if (!cut_triangle(c, t)) {
        return false;
    }
    int32_t kept = 0;
    int32_t count = c->pieces.count;
    for (int32_t k = 0; k < count; ++k) {
        CutPiece piece = c->pieces.data[k];
        if (is_outer_at(c, t, middle_of(c, piece))) {
            c->pieces.data[kept++] = piece;
        }
    }
    c->outer->is_gone[t] = kept == 0;
    bool ok = true;
    if (kept == count) {
        return keep_whole(c, t);
    }
    for (int32_t k = 0; k < kept && ok; ++k) {
        ok = keep_piece(c, c->pieces.data[k]);
    }
    return ok;
}

static bool sort_whole(Cutting* c, int32_t t) {
    int8_t* is_outer = &c->is_outer[c->patch[t]];
    if (*is_outer < 0) {
        HedVec3 corner[3];
        corners_of(c->solid, t, corner);
        HedVec3 middle = hed_mul3(1.0 / 3.0, hed_add3(corner[0], hed_add3(corner[1], corner[2])));
        *is_outer = (int8_t)is_outer_at(c, t, middle);
    }
    c->outer->is_gone[t] = *is_outer == 0;
    return *is_outer == 0 || keep_whole(c, t);
}

// Triangles that nothing intersects hang together across their edges.
static bool find_patches(Cutting* c) {
    int32_t count = c->solid->triangle_count;
    HED_ARRAY(int32_t) open = {0};
    bool ok = true;
    for (int32_t t = 0; t < count; ++t) {
        c->patch[t] = -1;
        c->is_outer[t] = -1;
    }
    for (int32_t t = 0; t < count && ok; ++t) {
        if (c->patch[t] >= 0 || c->cutter_start[t] < c->cutter_start[t + 1]) {
            continue;
        }
        c->patch[t] = t;
        ok = HED_APPEND(&open, t);
        while (ok && open.count > 0) {
            int32_t here = open.data[--open.count];
            for (int k = 0; k < 3 && ok; ++k) {
                int32_t next = c->solid->neighbours[3 * (int64_t)here + k];
                if (c->patch[next] < 0 && c->cutter_start[next] == c->cutter_start[next + 1]) {
                    c->patch[next] = t;
                    ok = HED_APPEND(&open, next);
                }
            }
        }
    }
    hed_free(open.data);
    return ok;
}

// Turns pairs into the list of each triangle.
static void list_cutters(Cutting* c) {
    int32_t count = c->solid->triangle_count;
    memset(c->cutter_start, 0, ((size_t)count + 1) * sizeof c->cutter_start[0]);
    for (int32_t k = 0; k < c->crossings.list.count; ++k) {
        c->cutter_start[c->crossings.list.data[k].first] += 1;
        c->cutter_start[c->crossings.list.data[k].second] += 1;
    }
    int32_t sum = 0;
    for (int32_t t = 0; t <= count; ++t) { // to the ends of the lists, which are filled backwards
        sum += t < count ? c->cutter_start[t] : 0;
        c->cutter_start[t] = sum;
    }
    for (int32_t k = c->crossings.list.count - 1; k >= 0; --k) {
        HedCrossingPair pair = c->crossings.list.data[k];
        c->cutters[--c->cutter_start[pair.first]] = pair.second;
        c->cutters[--c->cutter_start[pair.second]] = pair.first;
    }
}

static HedStatus prepare(Cutting* c, HedError* error) {
    const HedSolid* solid = c->solid;
    HedStatus status = HED_OK;
    HED_TRY(hed_crossings_find(solid->vertices, solid->triangles, solid->triangle_count, INT32_MAX,
                               &c->crossings, error));
    c->cutters = HED_NEW_ARRAY(int32_t, 2 * (int64_t)c->crossings.list.count);
    c->cutter_start = HED_NEW_ARRAY(int32_t, (int64_t)solid->triangle_count + 1);
    c->patch = HED_NEW_ARRAY(int32_t, solid->triangle_count);
    c->is_outer = HED_NEW_ARRAY(int8_t, solid->triangle_count);
    c->outer->is_gone = HED_NEW_ARRAY(uint8_t, solid->triangle_count);
    if (!c->cutters || !c->cutter_start || !c->patch || !c->is_outer || !c->outer->is_gone ||
        !HED_RESERVE(&c->vertices, solid->vertex_count) || !HED_RESERVE(&c->near, 1)) {
        HED_TRY(hed_fail_memory(error, "outer surface"));
    }
    list_cutters(c);
    if (!find_patches(c)) {
        HED_TRY(hed_fail_memory(error, "outer surface"));
    }
    HedBox bounds = hed_box_around(solid->vertices, solid->vertex_count);
    c->length = 2.0 * hed_distance3(bounds.low, bounds.high);
    HedVec3 most = hed_max3(bounds.high, hed_mul3(-1.0, bounds.low));
    c->tiny = 1e-9 * fmax(most.x, fmax(most.y, most.z));
    memcpy(c->vertices.data, solid->vertices, (size_t)solid->vertex_count * sizeof(HedVec3));
    c->vertices.count = solid->vertex_count;
done:
    return status;
}

static HedStatus sort_all(Cutting* c, HedError* error) {
    bool ok = true;
    int32_t changed = 0;
    for (int32_t t = 0; t < c->solid->triangle_count && ok; ++t) {
        HedVec3 corner[3];
        corners_of(c->solid, t, corner);
        if (!(hed_norm3(normal_of(corner)) > 0.0)) {
            continue; // without area it bounds nothing that its neighbours do not
        }
        int32_t before = c->source.count;
        ok = c->patch[t] >= 0 ? sort_whole(c, t) : sort_cut(c, t);
        changed += ok && (c->source.count != before + 1 || c->is_part.data[before] != 0);
    }
    if (!ok || c->is_short) {
        return hed_fail_memory(error, "outer surface");
    }
    if (changed > 0 && c->source.count > 0) {
        HedOuter* outer = c->outer;
        outer->vertices = c->vertices.data;
        outer->vertex_count = c->vertices.count;
        outer->triangles = c->triangles.data;
        outer->triangle_count = c->source.count;
        outer->source = c->source.data;
        outer->is_part = c->is_part.data;
        c->vertices.data = NULL;
        c->triangles.data = NULL;
        c->source.data = NULL;
        c->is_part.data = NULL;
    }
    return HED_OK;
}

HedStatus hed_outer_create(const HedSolid* solid, const HedBvh* bvh, HedOuter* outer,
                           HedError* error) {
    *outer = (HedOuter){0};
    Cutting c = {.solid = solid, .bvh = bvh, .outer = outer};
    HedStatus status = prepare(&c, error);
    if (status == HED_OK) {
        status = sort_all(&c, error);
    }
    hed_free(c.crossings.list.data);
    hed_free(c.vertices.data);
    hed_free(c.triangles.data);
    hed_free(c.source.data);
    hed_free(c.is_part.data);
    hed_free(c.places.data);
    hed_free(c.pieces.data);
    hed_free(c.near.data);
    hed_free(c.cutters);
    hed_free(c.cutter_start);
    hed_free(c.patch);
    hed_free(c.is_outer);
    if (status != HED_OK || outer->triangle_count == 0) {
        hed_outer_free(outer);
    }
    return status;
}

void hed_outer_free(HedOuter* outer) {
    if (outer) {
        hed_free(outer->vertices);
        hed_free(outer->triangles);
        hed_free(outer->source);
        hed_free(outer->is_part);
        hed_free(outer->is_gone);
        *outer = (HedOuter){0};
    }
}
