// SPDX-License-Identifier: MIT
// What makes a smooth tube look like yarn. Everything is a function of the place on the yarn: the
// length s along it and the angle phi around it.
//
// Plies. n strands of circular section lie round the axis and turn about it with s. At an angle
// theta from the middle of a ply the surface of the strand is inclined by beta against that of the
// tube, with sin(beta) = sin(theta) / sin(pi/n). The normal is tilted by most of beta, across the
// ply; the groove between plies is darker.
//
// Fibres. In a ply they run the other way round, so that they lie almost along the yarn. Smooth
// noise, long along the fibres and short across, tilts normals and varies brightness; the fibres'
// direction is that of the anisotropic sheen.
//
// Fuzz. A wider tube about the yarn is transparent but for hairs, drawn in cells of (s, phi) on
// three cylinders inside it. At the outline they stand against the background.
#ifndef HED_RENDER_YARN_H
#define HED_RENDER_YARN_H

#include "render/camera.h"
#include "render/shape.h"

typedef struct HedYarnStyle {
    int32_t plies;
    float fuzz;   // 0 to 1: how many hairs
    float cavity; // 0 to 1: how dark grooves are. Part of the colour, as grain is.
    float grain;  // 0 to 1: how rough fibres make the surface
} HedYarnStyle;

/// How far hairs reach, in radii of the yarn.
#define HED_FUZZ_REACH 0.5f

/// A place on a yarn as its material sees it.
typedef struct HedYarnPoint {
    const HedStrand* strand;
    HedVec3f normal; // tilted by plies and fibres
    HedVec3f fibre;  // along the fibres, not of unit length
    float shade;     // to multiply the colour by, at most 1
    float value;     // of the quantity shown, NaN for none
} HedYarnPoint;

/// footprint: radius of what a pixel sees there, over the yarn's radius; finer detail is left out.
HedYarnPoint hed_yarn_point(const HedRenderShape* shape, const HedYarnStyle* style,
                            uint32_t segment, float u, HedVec3f normal, float footprint);

/// A place on a yarn's wider tube where a ray comes in.
typedef struct HedFuzzHit {
    uint32_t segment;
    float u;
    HedVec3f normal;
    HedVec3f direction; // of the ray, unit length
} HedFuzzHit;

/// Whether the ray meets a hair on its way through the tube.
bool hed_fuzz_meets(const HedRenderShape* shape, const HedYarnStyle* style, const HedFuzzHit* hit);

#endif
