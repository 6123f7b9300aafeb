// SPDX-License-Identifier: MIT
// The closest point comes from a tree of boxes, the sign from the normal of the face, edge or
// corner it lies on: edges take the sum of their two face normals, corners the sum of face normals
// weighted by the angle there (Baerentzen and Aanaes, "Signed distance computation using the angle
// weighted pseudonormal", 2005). Of a mesh that passes through itself only what bounds it counts
// (geom/outer.h). A coarse grid of distances tells far points from near ones and bounds every
// search: distance changes by no more than one metre per metre.
#include "geom/mesh_field.h"

#include "base/alloc.h"
#include "geom/outer.h"

enum { GRID_CELLS_LEAST = 512, GRID_CELLS_MOST = 16384, GRID_SIDE_MOST = 256 };

struct HedMeshField {
    HedSolid solid; // triangles in the order of the tree's leaves
    HedBvh bvh;
    HedOuter outer; // none if the mesh does not pass through itself
    HedBvh outer_bvh;
    HedVec3* face_normals;   // unit
    HedVec3* vertex_normals; // unit
    uint8_t* ridges;         // of each triangle: bits of edges, then those of corners
    HedBox bounds;
    double magnitude; // m, largest coordinate: rounding errors are in proportion to it
    float* grid;      // m, signed distance at the centre of each cell of bounds, x fastest
    int32_t side[3];  // cells along each axis
    double cell[3];   // m, their size
    double slack;     // m, more than a grid value and its use may be rounded by
};

static HedVec3 triangle_cross(const HedSolid* solid, int32_t t) {
    const int32_t* v = solid->triangles + 3 * t;
    HedVec3 a = solid->vertices[v[0]];
    return hed_cross3(hed_sub3(solid->vertices[v[1]], a), hed_sub3(solid->vertices[v[2]], a));
}

static void fill_face_normals(const HedSolid* solid, HedVec3* normals) {
    for (int32_t t = 0; t < solid->triangle_count; ++t) {
        normals[t] = hed_unit3(triangle_cross(solid, t), (HedVec3){0});
    }
    // A triangle whose corners stand in a line has no normal of its own. It closes a gap of no
    // width, and takes the mean of its neighbours.
    for (int32_t t = 0; t < solid->triangle_count; ++t) {
        if (hed_dot3(normals[t], normals[t]) > 0.0) {
            continue;
        }
        HedVec3 sum = {0};
        for (int k = 0; k < 3; ++k) {
            sum = hed_add3(sum, normals[solid->neighbours[3 * t + k]]);
        }
        normals[t] = hed_unit3(sum, (HedVec3){0});
    }
}

static double corner_angle(const HedSolid* solid, int32_t t, int k) {
    const int32_t* v = solid->triangles + 3 * t;
    HedVec3 a = solid->vertices[v[k]];
    HedVec3 ab = hed_sub3(solid->vertices[v[(k + 1) % 3]], a);
    HedVec3 ac = hed_sub3(solid->vertices[v[(k + 2) % 3]], a);
    return atan2(hed_norm3(hed_cross3(ab, ac)), hed_dot3(ab, ac));
}

static void fill_vertex_normals(const HedSolid* solid, const HedVec3* face_normals,
                                HedVec3* normals) {
    for (int32_t t = 0; t < solid->triangle_count; ++t) {
        for (int k = 0; k < 3; ++k) {
            HedVec3* normal = &normals[solid->triangles[3 * t + k]];
            *normal = hed_madd3(*normal, corner_angle(solid, t, k), face_normals[t]);
        }
    }
    for (int32_t v = 0; v < solid->vertex_count; ++v) {
        normals[v] = hed_unit3(normals[v], hed_vec3(0.0, 1.0, 0.0));
    }
}

// Whether the neighbour across edge k of a triangle lies below it, by more than a thousandth of its
// size: what is flatter bulges by no more than that.
static bool is_ridge(const HedMeshField* field, int32_t t, int k) {
    const double least = 1e-3;
    const HedSolid* solid = &field->solid;
    const int32_t* v = solid->triangles + 3 * t;
    const int32_t* w = solid->triangles + 3 * solid->neighbours[3 * t + k];
    int32_t from = v[k];
    int32_t to = v[(k + 1) % 3];
    int32_t across = w[0] != from && w[0] != to ? w[0] : w[1] != from && w[1] != to ? w[1] : w[2];
    HedVec3 way = hed_sub3(solid->vertices[across], solid->vertices[from]);
    return hed_dot3(field->face_normals[t], way) < -least * hed_norm3(way);
}

// An edge is told of by the first of its triangles, a vertex by the first of those around it.
static HedStatus fill_ridges(HedMeshField* field, HedError* error) {
    const HedSolid* solid = &field->solid;
    field->ridges = HED_NEW_ARRAY(uint8_t, solid->triangle_count);
    uint8_t* is_corner = HED_NEW_ARRAY(uint8_t, solid->vertex_count);
    if (!field->ridges || !is_corner) {
        hed_free(is_corner);
        return hed_fail_memory(error, "mesh ridges");
    }
    for (int32_t t = 0; t < solid->triangle_count; ++t) {
        for (int k = 0; k < 3; ++k) {
            if (t < solid->neighbours[3 * t + k] && is_ridge(field, t, k)) {
                field->ridges[t] = (uint8_t)(field->ridges[t] | 1U << k);
                is_corner[solid->triangles[3 * t + k]] = 1;
                is_corner[solid->triangles[3 * t + (k + 1) % 3]] = 1;
            }
        }
    }
    for (int32_t t = 0; t < solid->triangle_count; ++t) {
        for (int k = 0; k < 3; ++k) {
            uint8_t* is = &is_corner[solid->triangles[3 * t + k]];
            field->ridges[t] = (uint8_t)(field->ridges[t] | (unsigned)*is << (3 + k));
            *is = 0;
        }
    }
    hed_free(is_corner);
    return HED_OK;
}

static HedVec3 feature_normal(const HedMeshField* field, int32_t t, HedFeature feature) {
    const HedSolid* solid = &field->solid;
    HedVec3 face = field->face_normals[t];
    if (feature == HED_FACE) {
        return face;
    }
    if (feature >= HED_EDGE_0) {
        int32_t other = solid->neighbours[3 * t + (int)feature - HED_EDGE_0];
        return hed_unit3(hed_add3(face, field->face_normals[other]), face);
    }
    return field->vertex_normals[solid->triangles[3 * t + (int)feature - HED_CORNER_0]];
}

static const double TINY = 1e-12; // weights of places on a triangle are rounded by less

// The part of the triangle a point with these weights lies on; a rounding error beside an edge or a
// corner counts as on it, where the normals of all triangles there have a say.
static HedFeature snapped_feature(const double weight[3], double tiny) {
    bool on[3] = {weight[0] > tiny, weight[1] > tiny, weight[2] > tiny};
    int count = on[0] + on[1] + on[2];
    if (count == 3) {
        return HED_FACE;
    }
    if (count == 2) {
        return !on[2] ? HED_EDGE_0 : !on[0] ? HED_EDGE_1 : HED_EDGE_2;
    }
    return on[0] ? HED_CORNER_0 : on[1] ? HED_CORNER_1 : HED_CORNER_2;
}

// A place of the surface.
typedef struct Foot {
    int32_t triangle; // of the solid
    HedFeature feature;
    bool is_part; // on a triangle that ends where others pass through it
    HedVec3 point;
} Foot;

// Whether the way from a place to p leaves the triangle aslant, or its edge, if that is what it is
// on: then the surface ends there, at others that pass through it, and p is inside of both.
static bool is_aslant(const HedMeshField* field, const Foot* foot, HedVec3 gap) {
    const double least = 1e-6; // far above the rounding of ways for which this is asked
    const HedSolid* solid = &field->solid;
    double size = hed_norm3(gap);
    if (foot->feature == HED_FACE) {
        double up = hed_dot3(gap, field->face_normals[foot->triangle]);
        return size * size - up * up > least * least * size * size;
    }
    if (foot->feature >= HED_EDGE_0) {
        int k = (int)foot->feature - HED_EDGE_0;
        const int32_t* v = solid->triangles + 3 * (int64_t)foot->triangle;
        HedVec3 edge = hed_sub3(solid->vertices[v[(k + 1) % 3]], solid->vertices[v[k]]);
        return fabs(hed_dot3(gap, edge)) > least * size * hed_norm3(edge);
    }
    return false;
}

static HedFieldSample sample_of_foot(const HedMeshField* field, HedVec3 p, const Foot* foot) {
    HedVec3 outwards = feature_normal(field, foot->triangle, foot->feature);
    HedVec3 gap = hed_sub3(p, foot->point);
    double distance = hed_norm3(gap);
    HedVec3 inner = hed_box_clamp(field->bounds, p);
    bool is_within = inner.x == p.x && inner.y == p.y && inner.z == p.z;
    bool is_below = hed_dot3(gap, outwards) < 0.0 || (foot->is_part && is_aslant(field, foot, gap));
    double sign = is_within && is_below ? -1.0 : 1.0;
    // The gap is rounded by some 1e-16 magnitude; this near to the surface its direction would be
    // worse than the surface's own normal.
    if (distance <= 1e-8 * field->magnitude) {
        return (HedFieldSample){sign * distance, hed_unit3(outwards, hed_vec3(0.0, 1.0, 0.0))};
    }
    return (HedFieldSample){sign * distance, hed_mul3(sign / distance, gap)};
}

// The place on the solid of one on its outer surface.
static Foot foot_on_solid(const HedMeshField* field, const HedBvhHit* hit) {
    const double tiny = 1e-9; // of the triangle: places on cuts are rounded
    int32_t source = field->outer.source[hit->triangle];
    Foot foot = {source, snapped_feature(hit->closest.weight, TINY), false, hit->closest.point};
    if (field->outer.is_part[hit->triangle]) {
        const int32_t* v = field->solid.triangles + 3 * (int64_t)source;
        const HedVec3* x = field->solid.vertices;
        HedClosestTriangle on = hed_closest_triangle(foot.point, x[v[0]], x[v[1]], x[v[2]]);
        foot.feature = snapped_feature(on.weight, tiny);
        foot.is_part = true;
    }
    return foot;
}

static bool search(const HedMeshField* field, HedVec3 p, double radius, HedFieldSample* sample) {
    bool is_whole = field->outer.triangle_count == 0;
    const HedVec3* x = is_whole ? field->solid.vertices : field->outer.vertices;
    const int32_t* triangles = is_whole ? field->solid.triangles : field->outer.triangles;
    HedBvhHit hit;
    if (!hed_bvh_closest(is_whole ? &field->bvh : &field->outer_bvh, x, triangles, p, radius,
                         &hit)) {
        return false;
    }
    Foot foot = {hit.triangle, HED_FACE, false, hit.closest.point};
    if (is_whole) {
        foot.feature = snapped_feature(hit.closest.weight, TINY);
    } else {
        foot = foot_on_solid(field, &hit);
    }
    *sample = sample_of_foot(field, p, &foot);
    return true;
}

static int32_t cell_along(double offset, double size, int32_t count) {
    double at = offset / size;
    int32_t cell = at > 0.0 && at < (double)count ? (int32_t)at : at > 0.0 ? count - 1 : 0;
    return cell < count ? cell : count - 1;
}

static HedVec3 cell_centre(const HedMeshField* field, const int32_t cell[3]) {
    return hed_vec3(field->bounds.low.x + ((double)cell[0] + 0.5) * field->cell[0],
                    field->bounds.low.y + ((double)cell[1] + 0.5) * field->cell[1],
                    field->bounds.low.z + ((double)cell[2] + 0.5) * field->cell[2]);
}

// What the grid knows of the distance at p: it is within guess -+ error.
typedef struct Guess {
    double guess, error; // m
} Guess;

static Guess guess_distance(const HedMeshField* field, HedVec3 p) {
    HedVec3 offset = hed_sub3(p, field->bounds.low);
    int32_t cell[3] = {cell_along(offset.x, field->cell[0], field->side[0]),
                       cell_along(offset.y, field->cell[1], field->side[1]),
                       cell_along(offset.z, field->cell[2], field->side[2])};
    int32_t index = (cell[2] * field->side[1] + cell[1]) * field->side[0] + cell[0];
    double away = hed_distance3(p, cell_centre(field, cell));
    return (Guess){(double)field->grid[index], away * (1.0 + 1e-12) + field->slack};
}

static void choose_grid(HedMeshField* field) {
    HedVec3 size = hed_sub3(field->bounds.high, field->bounds.low);
    double extent[3] = {size.x, size.y, size.z};
    double cells = 2.0 * field->solid.triangle_count;
    cells = fmin(fmax(cells, GRID_CELLS_LEAST), GRID_CELLS_MOST);
    double target = cbrt(size.x) * cbrt(size.y) * cbrt(size.z) / cbrt(cells);
    for (int k = 0; k < 3; ++k) {
        double side = fmin(fmax(floor(extent[k] / target), 1.0), GRID_SIDE_MOST);
        field->side[k] = (int32_t)side;
        field->cell[k] = extent[k] / side;
    }
    field->slack = 1e-6 * hed_norm3(size) + 1e-12 * field->magnitude;
}

// Each cell's distance is known from the one before to within the distance between the centres.
static HedStatus fill_grid(HedMeshField* field, HedError* error) {
    choose_grid(field);
    int64_t count = (int64_t)field->side[0] * field->side[1] * field->side[2];
    field->grid = HED_NEW_ARRAY(float, count);
    if (!field->grid) {
        return hed_fail_memory(error, "mesh distance grid");
    }
    HedFieldSample sample = {0};
    HedVec3 before = {0};
    for (int32_t i = 0; i < (int32_t)count; ++i) {
        int32_t cell[3] = {i % field->side[0], i / field->side[0] % field->side[1],
                           i / field->side[0] / field->side[1]};
        HedVec3 p = cell_centre(field, cell);
        double bound = fabs(sample.distance) + hed_distance3(p, before) + field->slack;
        search(field, p, i == 0 ? HUGE_VAL : bound, &sample);
        before = p;
        field->grid[i] = (float)sample.distance;
    }
    return HED_OK;
}

static HedStatus build_outer(HedMeshField* field, HedError* error) {
    HedOuter* outer = &field->outer;
    HedStatus status = hed_outer_create(&field->solid, &field->bvh, outer, error);
    return status == HED_OK && outer->triangle_count > 0
               ? hed_bvh_build_triangles(outer->vertices, outer->triangles, outer->triangle_count,
                                         &field->outer_bvh, error)
               : status;
}

static HedStatus build(HedMeshField* field, HedError* error) {
    HedSolid* solid = &field->solid;
    HedStatus status = hed_bvh_build_triangles(solid->vertices, solid->triangles,
                                               solid->triangle_count, &field->bvh, error);
    if (status == HED_OK) {
        status = hed_solid_reorder(solid, field->bvh.items, error);
    }
    if (status != HED_OK) {
        return status;
    }
    for (int32_t t = 0; t < solid->triangle_count; ++t) {
        field->bvh.items[t] = t; // the solid has taken over the order of the leaves
    }
    status = build_outer(field, error);
    if (status != HED_OK) {
        return status;
    }
    field->face_normals = HED_NEW_ARRAY(HedVec3, solid->triangle_count);
    field->vertex_normals = HED_NEW_ARRAY(HedVec3, solid->vertex_count);
    if (!field->face_normals || !field->vertex_normals) {
        return hed_fail_memory(error, "mesh normals");
    }
    fill_face_normals(solid, field->face_normals);
    fill_vertex_normals(solid, field->face_normals, field->vertex_normals);
    field->bounds = hed_box_around(solid->vertices, solid->vertex_count);
    HedVec3 low = field->bounds.low;
    HedVec3 high = field->bounds.high;
    field->magnitude = fmax(fmax(fmax(fabs(low.x), fabs(low.y)), fabs(low.z)),
                            fmax(fmax(fabs(high.x), fabs(high.y)), fabs(high.z)));
    HedStatus filled = fill_ridges(field, error);
    return filled == HED_OK ? fill_grid(field, error) : filled;
}

HedStatus hed_mesh_field_create(const HedVec3* vertices, int32_t vertex_count,
                                const int32_t* triangles, int32_t triangle_count,
                                HedMeshField** field, HedError* error) {
    *field = NULL;
    HedMeshField* fresh = HED_NEW(HedMeshField);
    if (!fresh) {
        return hed_fail_memory(error, "mesh field");
    }
    HedStatus status =
        hed_solid_create(vertices, vertex_count, triangles, triangle_count, &fresh->solid, error);
    if (status == HED_OK) {
        status = build(fresh, error);
    }
    if (status != HED_OK) {
        hed_mesh_field_free(fresh);
        return status;
    }
    *field = fresh;
    return HED_OK;
}

void hed_mesh_field_free(HedMeshField* field) {
    if (field) {
        hed_solid_free(&field->solid);
        hed_bvh_free(&field->bvh);
        hed_outer_free(&field->outer);
        hed_bvh_free(&field->outer_bvh);
        hed_free(field->face_normals);
        hed_free(field->vertex_normals);
        hed_free(field->ridges);
        hed_free(field->grid);
        hed_free(field);
    }
}

HedBox hed_mesh_field_bounds(const HedMeshField* field) {
    return field->bounds;
}

HedFieldSample hed_mesh_field_sample(const HedMeshField* field, HedVec3 p) {
    HedFieldSample sample = {(double)NAN, {0.0, 1.0, 0.0}};
    if (!hed_is_finite3(p)) {
        return sample;
    }
    Guess known = guess_distance(field, p);
    if (!search(field, p, fabs(known.guess) + known.error, &sample)) {
        search(field, p, HUGE_VAL, &sample);
    }
    return sample;
}

bool hed_mesh_field_sample_near(const HedMeshField* field, HedVec3 p, double radius,
                                HedFieldSample* sample) {
    HedVec3 to_bounds = hed_sub3(p, hed_box_clamp(field->bounds, p));
    double outside_squared = hed_dot3(to_bounds, to_bounds);
    if (!hed_is_finite3(p) || (outside_squared > 0.0 && !(outside_squared <= radius * radius))) {
        return false;
    }
    Guess known = guess_distance(field, p);
    if (known.guess - known.error > radius) {
        return false;
    }
    if (known.guess > known.error || outside_squared > 0.0) {
        return radius >= 0.0 && search(field, p, radius, sample); // outside for sure
    }
    HedFieldSample found = hed_mesh_field_sample(field, p);
    if (!(found.distance <= radius)) {
        return false;
    }
    *sample = found;
    return true;
}

bool hed_mesh_field_sample_within(const HedMeshField* field, HedVec3 p, double bound,
                                  HedFieldSample* sample) {
    return hed_is_finite3(p) && search(field, p, bound, sample);
}

HedMeshRidges hed_mesh_field_ridges(const HedMeshField* field, int32_t triangle) {
    const int32_t* v = field->solid.triangles + 3 * (int64_t)triangle;
    bool is_gone = field->outer.is_gone && field->outer.is_gone[triangle];
    unsigned bits = is_gone ? 0U : field->ridges[triangle];
    HedMeshRidges ridges = {.edges = bits & 7U, .corners = bits >> 3};
    for (int k = 0; k < 3; ++k) {
        ridges.corner[k] = field->solid.vertices[v[k]];
    }
    return ridges;
}

int32_t hed_mesh_field_overlap(const HedMeshField* field, HedBox box, int32_t* found,
                               int32_t capacity) {
    return hed_bvh_overlap(&field->bvh, box, found, capacity);
}
