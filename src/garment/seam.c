// SPDX-License-Identifier: MIT
// Checks of seams: edges exist, follow each other, are sewn once, and are about equally long.
#include "garment/draft.h"

#include <stdio.h>

const char* hed_seam_name(const HedGarmentDef* def, int32_t seam, char buffer[HED_SEAM_NAME]) {
    const HedSeamDef* s = def->seams + seam;
    if (s->purpose) {
        snprintf(buffer, HED_SEAM_NAME, "seam %d ('%.100s')", seam, s->purpose);
        return buffer;
    }
    const char* names[2];
    for (int32_t k = 0; k < 2; ++k) {
        int32_t p = s->sides[k].panel;
        names[k] = p >= 0 && p < def->panel_count ? def->panels[p].name : "?";
    }
    snprintf(buffer, HED_SEAM_NAME, "seam %d (panel '%.50s' edge %d, panel '%.50s' edge %d)", seam,
             names[0], s->sides[0].edge, names[1], s->sides[1].edge);
    return buffer;
}

// Marks the edges of one side as sewn.
static HedStatus take_edges(HedDraft* draft, int32_t seam, int32_t which, HedError* error) {
    const HedGarmentDef* def = draft->def;
    const HedSeamSide* side = def->seams[seam].sides + which;
    char name[HED_SEAM_NAME];
    hed_seam_name(def, seam, name);
    if (side->panel < 0 || side->panel >= def->panel_count) {
        return hed_fail(error, HED_INVALID, "%s: names panel %d; there are panels 0 to %d", name,
                        side->panel, def->panel_count - 1);
    }
    const HedPanelDef* panel = def->panels + side->panel;
    if (side->edge < 0 || side->edge >= panel->edge_count || side->edge_count < 1) {
        return hed_fail(error, HED_INVALID,
                        "%s: names %d edges from edge %d on; panel '%s' has edges 0 to %d", name,
                        side->edge_count, side->edge, panel->name, panel->edge_count - 1);
    }
    int32_t edge = hed_draft_side(draft, side);
    for (int32_t k = 0; k < side->edge_count; ++k) {
        HedDraftEdge* e = draft->edges + edge;
        if (e->seam >= 0) {
            char other[HED_SEAM_NAME];
            return hed_fail(error, HED_INVALID, "%s: edge %d of panel '%s' is sewn already, by %s",
                            name, e->number, panel->name, hed_seam_name(def, e->seam, other));
        }
        e->seam = seam;
        edge = e->next;
    }
    return HED_OK;
}

static HedStatus check_lengths(HedDraft* draft, int32_t seam, HedError* error) {
    const HedGarmentDef* def = draft->def;
    const HedSeamDef* s = def->seams + seam;
    char name[HED_SEAM_NAME];
    double a = hed_draft_side_length(draft, s->sides);
    double b = hed_draft_side_length(draft, s->sides + 1);
    double ratio = a > b ? a / b : b / a;
    if (!isfinite(s->angle)) {
        return hed_fail(error, HED_INVALID, "%s: its rest angle must be finite, got %g",
                        hed_seam_name(def, seam, name), s->angle);
    }
    if (!(ratio <= def->most_ratio) && !s->is_gathered) {
        return hed_fail(error, HED_INVALID,
                        "%s: its sides do not match: %.4g m and %.4g m, a ratio of %.4g; at most "
                        "%g unless it is said to be gathered",
                        hed_seam_name(def, seam, name), a, b, ratio, def->most_ratio);
    }
    if (ratio > def->note_ratio && !s->is_gathered) {
        return hed_draft_note(draft, error,
                              "%s: sides of %.4g m and %.4g m, a ratio of %.4g: the longer one is "
                              "gathered",
                              hed_seam_name(def, seam, name), a, b, ratio);
    }
    return HED_OK;
}

// The edge that begins where a side ends.
static int32_t after_side(const HedDraft* draft, const HedSeamSide* side) {
    int32_t edge = hed_draft_side(draft, side);
    for (int32_t k = 0; k < side->edge_count; ++k) {
        edge = draft->edges[edge].next;
    }
    return edge;
}

static void join_corners(HedDraft* draft, int32_t a, int32_t b) {
    int32_t low = hed_draft_corner(draft, a);
    int32_t high = hed_draft_corner(draft, b);
    draft->corners[low > high ? low : high] = low < high ? low : high;
}

HedStatus hed_draft_seams(HedDraft* draft, HedError* error) {
    const HedGarmentDef* def = draft->def;
    HedStatus status = HED_OK;
    for (int32_t i = 0; i < def->seam_count; ++i) {
        draft->place = hed_at_seam(i);
        HED_TRY(take_edges(draft, i, 0, error));
        HED_TRY(take_edges(draft, i, 1, error));
        HED_TRY(check_lengths(draft, i, error));
    }
    for (int32_t i = 0; i < def->seam_count; ++i) {
        const HedSeamSide* sides = def->seams[i].sides;
        int32_t starts[2] = {hed_draft_side(draft, sides), hed_draft_side(draft, sides + 1)};
        int32_t ends[2] = {after_side(draft, sides), after_side(draft, sides + 1)};
        bool same = def->seams[i].joins_starts;
        join_corners(draft, starts[0], same ? starts[1] : ends[1]);
        join_corners(draft, ends[0], same ? ends[1] : starts[1]);
    }
done:
    return status;
}
