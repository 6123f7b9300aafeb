// SPDX-License-Identifier: MIT
// What stands in each other's place at the start of a simulation.
#ifndef HEDDLE_OVERLAP_H
#define HEDDLE_OVERLAP_H

#include "heddle/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum HedOverlapKind {
    HED_OVERLAP_BODY,   ///< Cloth is inside a body.
    HED_OVERLAP_SHEETS, ///< Triangles intersect, of one sheet or of two.
    HED_OVERLAP_YARNS,  ///< Centre lines of yarns are nearer than half of touching.
    HED_OVERLAP_KIND_COUNT
} HedOverlapKind;

HED_API const char* hed_overlap_kind_name(HedOverlapKind kind); ///< "body", "sheets", "yarns"

/// All places where the same two things overlap.
typedef struct HedOverlapReport {
    HedOverlapKind kind;
    const char* first;  ///< Name of a sheet or of yarns. Borrowed from the sim.
    const char* second; ///< Of a body, or as before.
    int64_t count;      ///< Places in the body, or pairs of triangles or of segments.
    double depth;       ///< m, the deepest; 0 if it was not measured.
    HedVec3 at;         ///< m, where that is, or the first place.
    char place[160];    ///< The same in words.
    bool is_refused;    ///< A run would not begin.
} HedOverlapReport;

typedef struct HedOverlaps {
    HedOverlapReport* list; ///< Bodies first, then sheets, then yarns.
    int32_t list_count;
} HedOverlaps;

/// Zero-initialise; free with hed_overlaps_free. The sim is one that hed_sim_prepare() was called
/// for, whatever it said, and that has made no step.
HED_API HedStatus hed_sim_overlaps(HedSim* sim, HedOverlaps* overlaps, HedError* error);
HED_API void hed_overlaps_free(HedOverlaps* overlaps);

#ifdef __cplusplus
}
#endif

#endif
