// SPDX-License-Identifier: MIT
// From a line of points, as files and weavers give it, to the points of a yarn model.
#ifndef HED_MODEL_YARN_SHAPE_H
#define HED_MODEL_YARN_SHAPE_H

#include "base/status.h"
#include "heddle/vec.h"

typedef struct HedYarnShape {
    const HedVec3* points;
    int32_t count;
    bool is_closed;
    double segment_length; // m, to aim at; 0: segments as given
} HedYarnShape;

/// Points of a yarn on the heap; free with hed_free(line->points).
typedef struct HedYarnLine {
    HedVec3* points;
    int32_t count;
    int32_t repeat_count; // given points that were left out because they repeat their predecessor
} HedYarnLine;

/// Leaves out repeated points (nearer than 1e-9 of the size of the whole), the last of a closed
/// line that repeats its first among them. With a segment length, new points stand at equal arc
/// lengths on the smooth curve (Catmull-Rom) through those that are left; ends stay where they are.
/// Too few points, or points that are not finite, are HED_INVALID by number; more than 1e8 segments
/// too.
HedStatus hed_yarn_line(const HedYarnShape* shape, HedYarnLine* line, HedError* error);

/// Stiffness of a full round section.
typedef struct HedYarnSection {
    double bend;  // N m^2, EI
    double twist; // N m^2, GJ
    double axial; // N, EA
} HedYarnSection;

/// young: Pa; poisson: of the material, G = E/(2 (1 + nu)); radius: m.
HedYarnSection hed_yarn_round_section(double young, double poisson, double radius);

#endif
