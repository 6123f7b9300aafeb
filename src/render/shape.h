// SPDX-License-Identifier: MIT
// What a picture shows, in single precision about its middle, as the ray caster and the materials
// want it.
#ifndef HED_RENDER_SHAPE_H
#define HED_RENDER_SHAPE_H

#include "base/status.h"
#include "heddle/render.h"
#include "render/color.h"
#include "render/vec3f.h"

/// One yarn.
typedef struct HedStrand {
    HedVec3f color; // linear
    float radius;   // m
    float rate;     // rad/m, at which its plies turn
    uint32_t hash;  // no two yarns have the same hairs
} HedStrand;

/// One object: either yarns or triangles.
typedef struct HedRenderShape {
    HedObjectKind kind;
    HedVec3f color; // linear, of sheets and bodies

    // Yarns. Each has one control point more at both ends, a closed one two at its last.
    float (*points)[4]; // x, y, z, radius
    float (
        *frames)[4]; // a direction across the yarn that does not turn about it; length up to here
    uint32_t* first; // of each segment: its first control point, of four
    int32_t* strand_of; // of each segment
    HedStrand* strands;
    int32_t point_count, segment_count, strand_count;
    float (*caps)[4];      // spheres that close open yarns
    uint32_t* cap_segment; // a segment that ends there
    int32_t cap_count;

    // Triangles.
    float (*vertices)[3];
    float (*normals)[3];
    uint32_t (*triangles)[3];
    int32_t vertex_count, triangle_count;

    float* values; // per control point or vertex, 0 to 1, NaN for none; NULL: no values at all
} HedRenderShape;

typedef struct HedScenery {
    HedRenderShape* shapes;
    int32_t shape_count;
    HedVec3 origin; // the middle: subtracted from all positions
    float extent;   // m, from the middle to the farthest corner
    float lowest;   // m, relative to the origin
    bool has_floor;
    HedVec3f floor_point, floor_normal;
    HedVec3f ramp[HED_RAMP_LAST + 1]; // colours of values, linear
} HedScenery;

/// Copies what it needs. twist: turns of the plies per yarn diameter. Free with hed_scenery_free,
/// also after a failure.
HedStatus hed_scenery_create(const HedPicture* picture, double twist, int32_t plies,
                             HedScenery* scenery, HedError* error);
void hed_scenery_free(HedScenery* scenery);

/// strand.c: fills the yarns of a shape.
HedStatus hed_yarn_dynamics_build(const HedSeriesObject* object, const HedVec3* positions,
                                  const float* values, HedVec3 origin, HedRenderShape* shape,
                                  HedError* error);

/// strand.c: lays the plies; a closed yarn gets the nearest twist with which they meet.
void hed_yarn_dynamics_twist(HedRenderShape* shape, const HedSeriesObject* object, double twist,
                             int32_t plies);

#endif
