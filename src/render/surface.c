// SPDX-License-Identifier: MIT
#include "render/surface.h"

void hed_materials_build(HedMaterials* materials, const HedYarnStyle* style) {
    // Fibres are thin cylinders: their normals agree along them and point everywhere across.
    hed_lobe_build(&materials->yarn, 0.42f, 0.85f, 0.03f);
    hed_lobe_build(&materials->cloth, 0.55f, 0.55f, 0.035f);
    hed_lobe_build(&materials->matt, 0.45f, 0.45f, 0.03f);
    materials->style = *style;
}

static HedVec3f load3(const float* v) {
    return (HedVec3f){v[0], v[1], v[2]};
}

static HedVec3f ramp_color(const HedScenery* scenery, float value, HedVec3f otherwise) {
    if (isnan(value)) {
        return otherwise;
    }
    float x = value * HED_RAMP_LAST;
    int32_t i = (int32_t)x;
    i = i < HED_RAMP_LAST ? i : HED_RAMP_LAST - 1;
    return hed_lerp3f(scenery->ramp[i], scenery->ramp[i + 1], x - (float)i);
}

// A normal that the viewer can see: bent towards them just as far as needed.
static HedVec3f visible(HedVec3f normal, HedVec3f to_viewer) {
    const float least = 0.05f;
    float c = hed_dot3f(normal, to_viewer);
    return c >= least ? normal : hed_unit3f(hed_madd3f(normal, least - c + 0.01f, to_viewer));
}

static HedShadingPoint surface_of_yarn(const HedScenery* scenery, const HedMaterials* materials,
                                       const HedRay* ray, const HedHit* hit, float spread) {
    const HedRenderShape* shape = &scenery->shapes[hit->geometry >> 1];
    bool is_cap = hit->geometry & 1;
    uint32_t segment = is_cap ? shape->cap_segment[hit->primitive] : hit->primitive;
    float radius = shape->strands[shape->strand_of[segment]].radius;
    float footprint = spread * hit->distance / radius;
    float u = is_cap ? (float)(hit->primitive & 1) : hit->u;
    HedVec3f to_viewer = hed_mul3f(-1.0f, ray->direction);
    HedVec3f normal =
        hed_dot3f(hit->normal, to_viewer) < 0.0f ? hed_mul3f(-1.0f, hit->normal) : hit->normal;
    HedYarnPoint yarn = hed_yarn_point(shape, &materials->style, segment, u, normal, footprint);
    HedVec3f color = ramp_color(scenery, yarn.value, yarn.strand->color);
    float shade = is_cap ? yarn.shade * (1.0f - 0.2f * materials->style.cavity) : yarn.shade;
    HedVec3f position = hed_madd3f(ray->origin, hit->distance, ray->direction);
    float lift = 0.02f * radius + 2e-6f * scenery->extent;
    return (HedShadingPoint){
        .position = hed_madd3f(position, lift, normal),
        .below = position,
        .normal = normal,
        .basis = hed_basis_along(visible(yarn.normal, to_viewer), yarn.fibre),
        .albedo = hed_mul3f(shade, color),
        .lobe = &materials->yarn,
    };
}

// Corners of a triangle with normals towards the viewer.
typedef struct ShadedCorners {
    HedVec3f normal[3];
    float weight[3];
    bool is_smooth;
} ShadedCorners;

static ShadedCorners corners_of(const HedRenderShape* shape, const HedHit* hit, HedVec3f face) {
    const uint32_t* v = shape->triangles[hit->primitive];
    // Cloth bends; the edges of a box do not.
    float sharp = shape->kind == HED_OBJECT_SHEET ? 0.1f : 0.75f;
    ShadedCorners corners = {.weight = {1.0f - hit->u - hit->v, hit->u, hit->v}, .is_smooth = true};
    for (int k = 0; k < 3; ++k) {
        HedVec3f n = load3(shape->normals[v[k]]);
        float c = hed_dot3f(n, face);
        corners.normal[k] = c < 0.0f ? hed_mul3f(-1.0f, n) : n;
        corners.is_smooth = corners.is_smooth && fabsf(c) > sharp;
    }
    return corners;
}

// The place on the smooth surface that the triangle stands for. Rays that start there do not meet
// the neighbours of a coarse mesh at the edge of its shadow (Hanika 2021).
static HedVec3f smooth_place(const HedRenderShape* shape, const HedHit* hit,
                             const ShadedCorners* corners, HedVec3f position) {
    const uint32_t* v = shape->triangles[hit->primitive];
    HedVec3f moved = position;
    for (int k = 0; k < 3; ++k) {
        HedVec3f from = hed_sub3f(position, load3(shape->vertices[v[k]]));
        float under = hed_minf(0.0f, hed_dot3f(from, corners->normal[k]));
        moved = hed_madd3f(moved, -corners->weight[k] * under, corners->normal[k]);
    }
    return moved;
}

static HedShadingPoint surface_of_mesh(const HedScenery* scenery, const HedMaterials* materials,
                                       const HedRay* ray, const HedHit* hit) {
    const HedRenderShape* shape = &scenery->shapes[hit->geometry >> 1];
    bool is_sheet = shape->kind == HED_OBJECT_SHEET;
    HedVec3f to_viewer = hed_mul3f(-1.0f, ray->direction);
    HedVec3f face =
        hed_dot3f(hit->normal, to_viewer) < 0.0f ? hed_mul3f(-1.0f, hit->normal) : hit->normal;
    HedVec3f position = hed_madd3f(ray->origin, hit->distance, ray->direction);
    HedVec3f smooth = face;
    HedVec3f above = position;
    ShadedCorners corners = corners_of(shape, hit, face);
    if (corners.is_smooth) {
        smooth = hed_mul3f(corners.weight[0], corners.normal[0]);
        smooth = hed_madd3f(smooth, corners.weight[1], corners.normal[1]);
        smooth = hed_unit3f(hed_madd3f(smooth, corners.weight[2], corners.normal[2]));
        smooth = visible(smooth, to_viewer);
        above = smooth_place(shape, hit, &corners, position);
    }
    float value = NAN;
    if (shape->values) {
        const uint32_t* v = shape->triangles[hit->primitive];
        value = corners.weight[0] * shape->values[v[0]] + corners.weight[1] * shape->values[v[1]] +
                corners.weight[2] * shape->values[v[2]];
    }
    float lift = 1e-5f * scenery->extent;
    return (HedShadingPoint){
        .position = hed_madd3f(above, lift, face),
        .below = hed_madd3f(position, -lift, face),
        .normal = face,
        .basis = hed_basis_of(smooth),
        .albedo = ramp_color(scenery, value, shape->color),
        .lobe = is_sheet ? &materials->cloth : &materials->matt,
        .through = is_sheet ? materials->through : 0.0f,
    };
}

HedShadingPoint hed_surface_at(const HedScenery* scenery, const HedMaterials* materials,
                               const HedRay* ray, const HedHit* hit, float spread) {
    const HedRenderShape* shape = &scenery->shapes[hit->geometry >> 1];
    return shape->kind == HED_OBJECT_YARNS ? surface_of_yarn(scenery, materials, ray, hit, spread)
                                           : surface_of_mesh(scenery, materials, ray, hit);
}

HedShadingPoint hed_surface_of_hair(const HedScenery* scenery, const HedMaterials* materials,
                                    const HedRay* ray, const HedHit* hit) {
    const HedRenderShape* shape = &scenery->shapes[hit->geometry >> 1];
    HedYarnPoint yarn =
        hed_yarn_point(shape, &materials->style, hit->primitive, hit->u, hit->normal, 10.0f);
    HedVec3f to_viewer = hed_mul3f(-1.0f, ray->direction);
    // A hair is round: it turns its brightest side to the viewer as well as outwards.
    HedVec3f normal = hed_unit_or3f(hed_add3f(hit->normal, to_viewer), to_viewer);
    HedVec3f position = hed_madd3f(ray->origin, hit->distance, ray->direction);
    HedVec3f color = ramp_color(scenery, yarn.value, yarn.strand->color);
    return (HedShadingPoint){
        .position = position,
        .below = position,
        .normal = normal,
        .basis = hed_basis_along(normal, yarn.fibre),
        .albedo = color,
        .lobe = &materials->yarn,
        .through = 0.4f,
    };
}

HedShadingPoint hed_surface_of_floor(const HedScenery* scenery, const HedMaterials* materials,
                                     const HedLighting* lighting, const HedRay* ray,
                                     float distance) {
    HedVec3f normal = lighting->floor_normal;
    if (hed_dot3f(normal, ray->direction) > 0.0f) {
        normal = hed_mul3f(-1.0f, normal);
    }
    HedVec3f position = hed_madd3f(ray->origin, distance, ray->direction);
    return (HedShadingPoint){
        .position = hed_madd3f(position, 1e-5f * scenery->extent, normal),
        .below = position,
        .normal = normal,
        .basis = hed_basis_of(normal),
        .albedo = lighting->floor_color,
        .lobe = &materials->matt,
    };
}
