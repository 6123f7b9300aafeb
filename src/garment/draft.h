// SPDX-License-Identifier: MIT
// A garment between def and mesh: curves of all edges, which edges are sewn, and where the points
// on them stand. Edges of all panels are numbered through.
#ifndef HED_GARMENT_DRAFT_H
#define HED_GARMENT_DRAFT_H

#include "base/array.h"
#include "base/status.h"
#include "garment/curve.h"
#include "garment/mesher.h"

typedef struct HedDraftEdge {
    HedPlaneCurve curve;
    int32_t panel;
    int32_t number;         // in its panel
    int32_t next;           // edge that follows in its loop
    int32_t seam;           // -1 if free
    int32_t first_fraction; // of the points on it, as fractions of its length; the first is 0
    int32_t steps;
} HedDraftEdge;

/// What is being looked at, so that a failure can be told where it came from; -1 for none.
typedef struct HedDraftPlace {
    int32_t panel;
    int32_t seam;
} HedDraftPlace;

typedef struct HedDraft {
    const HedGarmentDef* def;
    HedDraftPlace place;
    HedDraftEdge* edges;
    int32_t edge_count;
    int32_t* panel_edges; // per panel: its first edge
    int32_t* corners;     // per edge: the corner at its start is joined to that of this edge
    HED_ARRAY(double) fractions;
    HED_ARRAY(char*) notes;
} HedDraft;

/// Checks the panels of a def and finds loops and curves. Free in any case.
HedStatus hed_draft_begin(const HedGarmentDef* def, HedDraft* draft, HedError* error);
void hed_draft_free(HedDraft* draft);

/// Checks seams and joins corners.
HedStatus hed_draft_seams(HedDraft* draft, HedError* error);

/// Places points on sewn edges, the same number on both sides, then on the others.
HedStatus hed_draft_divide(HedDraft* draft, HedError* error);

/// hed_garment_create, which also tells what it was at when it ended.
HedStatus hed_garment_build(const HedGarmentDef* def, HedGarment* garment, HedDraftPlace* place,
                            HedError* error);

static inline HedDraftPlace hed_at_panel(int32_t panel) {
    return (HedDraftPlace){panel, -1};
}

static inline HedDraftPlace hed_at_seam(int32_t seam) {
    return (HedDraftPlace){-1, seam};
}

static inline HedDraftPlace hed_at_nothing(void) {
    return (HedDraftPlace){-1, -1};
}

/// Adds a note; HED_NO_MEMORY if it does not fit.
HedStatus hed_draft_note(HedDraft* draft, HedError* error, const char* format, ...)
    HED_PRINTF(3, 4);

/// The corner that stands for all that are sewn to the one at the start of an edge.
int32_t hed_draft_corner(HedDraft* draft, int32_t edge);

static inline double hed_draft_length(const HedDraft* draft, int32_t edge) {
    return hed_plane_curve_length(&draft->edges[edge].curve);
}

/// First edge of one side of a seam.
static inline int32_t hed_draft_side(const HedDraft* draft, const HedSeamSide* side) {
    return draft->panel_edges[side->panel] + side->edge;
}

/// Length (m) of a side.
double hed_draft_side_length(const HedDraft* draft, const HedSeamSide* side);

enum { HED_SEAM_NAME = 200 };

/// "seam 3 (panel 'front' edge 2, panel 'back' edge 5)"; returns buffer.
const char* hed_seam_name(const HedGarmentDef* def, int32_t seam, char buffer[HED_SEAM_NAME]);

/// Sides of triangles to make of a length, for curves that turn by bend on it.
int32_t hed_step_count(double length, double size, double bend);

#endif
