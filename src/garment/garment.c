// SPDX-License-Identifier: MIT
#include "base/file.h"
#include "fabric/warnings.h"
#include "garment/draft.h"
#include "garment/sewn.h"
#include "heddle/fabric.h"
#include "math/quat.h"

#include <string.h>

enum { GARMENT_STAMP = 0x6A5E7701 };

HedPanelDef hed_panel_def_default(void) {
    return (HedPanelDef){.name = "panel", .pose = {.rotation = {1.0, 0.0, 0.0, 0.0}}};
}

HedSeamDef hed_seam_def_default(void) {
    return (HedSeamDef){.sides = {{.edge_count = 1}, {.edge_count = 1}}};
}

HedGarmentDef hed_garment_def_default(void) {
    return (HedGarmentDef){
        .target_size = 0.02, .note_ratio = 1.05, .most_ratio = 5.0, .stamp = GARMENT_STAMP};
}

static HedStatus check_def(const HedGarmentDef* def, HedError* error) {
    if (def->stamp != GARMENT_STAMP) {
        return hed_fail(error, HED_INVALID,
                        "garment: the def was not filled by hed_garment_def_default");
    }
    if (def->panel_count < 1 || def->seam_count < 0) {
        return hed_fail(error, HED_INVALID, "garment: needs panels, got %d panels and %d seams",
                        def->panel_count, def->seam_count);
    }
    if (!(def->target_size > 0.0) || !isfinite(def->target_size)) {
        return hed_fail(error, HED_INVALID,
                        "garment: the target size must be positive and finite, got %g m",
                        def->target_size);
    }
    if (!(def->note_ratio >= 1.0) || !(def->most_ratio >= 1.0)) {
        return hed_fail(error, HED_INVALID,
                        "garment: ratios of seams must be at least 1, got %g and %g",
                        def->note_ratio, def->most_ratio);
    }
    for (int32_t p = 0; p < def->panel_count; ++p) {
        if (!def->panels[p].name) {
            return hed_fail(error, HED_INVALID, "garment: panel %d has no name", p);
        }
    }
    return HED_OK;
}

// --- meshes of panels ---

static void free_outline(HedOutline* outline) {
    hed_free(outline->points);
    hed_free(outline->next);
    hed_free(outline->edges);
}

// The points on the edges of a panel, in the order of the edges.
static HedStatus make_outline(const HedDraft* draft, int32_t p, HedPanel* panel,
                              HedOutline* outline, HedError* error) {
    const HedDraftEdge* edges = draft->edges + draft->panel_edges[p];
    int64_t count = 0;
    for (int32_t e = 0; e < panel->edge_count; ++e) {
        panel->edge_points[e] = (int32_t)count;
        panel->edge_steps[e] = edges[e].steps;
        panel->edge_lengths[e] = hed_plane_curve_length(&edges[e].curve);
        count += edges[e].steps;
        if (count > HED_PLANE_MESH_LIMIT) {
            return hed_fail(error, HED_INVALID, "panel '%s': more than %d points on its outline",
                            panel->name, HED_PLANE_MESH_LIMIT);
        }
    }
    outline->name = panel->name;
    outline->points = HED_NEW_ARRAY(HedMaterialPoint, count);
    outline->next = HED_NEW_ARRAY(int32_t, count);
    outline->edges = HED_NEW_ARRAY(int32_t, count);
    if (!outline->points || !outline->next || !outline->edges) {
        return hed_fail_memory(error, "an outline");
    }
    for (int32_t e = 0; e < panel->edge_count; ++e) {
        int32_t next_edge = edges[e].next - draft->panel_edges[p];
        for (int32_t k = 0; k < edges[e].steps; ++k) {
            int32_t i = outline->count++;
            double fraction = draft->fractions.data[edges[e].first_fraction + k];
            outline->points[i] = hed_plane_curve_at(&edges[e].curve, fraction);
            outline->next[i] = k + 1 < edges[e].steps ? i + 1 : panel->edge_points[next_edge];
            outline->edges[i] = e;
        }
    }
    panel->outline_count = outline->count;
    return HED_OK;
}

// Whether the loop around the largest area, which is the border of the piece, runs clockwise.
static bool runs_clockwise(const HedOutline* o) {
    double largest = 0.0;
    for (int32_t first = 0; first < o->count;) {
        double area = 0.0;
        int32_t i = first;
        int32_t last = first;
        do {
            area += hed_cross2(o->points[first], o->points[i], o->points[o->next[i]]);
            last = i > last ? i : last;
            i = o->next[i];
        } while (i != first);
        largest = fabs(area) > fabs(largest) ? area : largest;
        first = last + 1;
    }
    return largest < 0.0;
}

static HedStatus mesh_panel(const HedDraft* draft, int32_t p, HedPanel* panel, HedError* error) {
    const HedPanelDef* def = draft->def->panels + p;
    HedOutline outline = {0};
    HedPlaneMesh mesh = {0};
    HedStatus status = HED_OK;
    panel->edge_count = def->edge_count;
    panel->name = hed_text_copy(def->name);
    panel->edge_points = HED_NEW_ARRAY(int32_t, def->edge_count);
    panel->edge_steps = HED_NEW_ARRAY(int32_t, def->edge_count);
    panel->edge_lengths = HED_NEW_ARRAY(double, def->edge_count);
    if (!panel->name || !panel->edge_points || !panel->edge_steps || !panel->edge_lengths) {
        return hed_fail_memory(error, "a panel");
    }
    HED_TRY(make_outline(draft, p, panel, &outline, error));
    HED_TRY(hed_plane_mesh(&outline, draft->def->target_size, &mesh, error));
    if (runs_clockwise(&outline)) {
        for (int32_t t = 0; t < mesh.triangle_count; ++t) {
            int32_t* v = mesh.triangles + 3 * (size_t)t;
            int32_t second = v[1];
            v[1] = v[2];
            v[2] = second;
        }
    }
    panel->material = mesh.points;
    panel->vertex_count = mesh.point_count;
    panel->triangles = mesh.triangles;
    panel->triangle_count = mesh.triangle_count;
done:
    free_outline(&outline);
    return status;
}

// Place in space, area and shapes of triangles.
static HedStatus finish_panel(const HedPanelDef* def, HedPanel* panel, HedError* error) {
    panel->positions = HED_NEW_ARRAY(HedVec3, panel->vertex_count);
    if (!panel->positions) {
        return hed_fail_memory(error, "a panel");
    }
    for (int32_t i = 0; i < panel->vertex_count; ++i) {
        HedMaterialPoint p = panel->material[i];
        panel->positions[i] = hed_pose_apply(def->pose, (HedVec3){p.u, p.v, 0.0});
    }
    panel->least_angle = HUGE_VAL;
    double sum = 0.0;
    for (int32_t t = 0; t < panel->triangle_count; ++t) {
        const int32_t* v = panel->triangles + 3 * (size_t)t;
        HedMaterialPoint a = panel->material[v[0]];
        HedMaterialPoint b = panel->material[v[1]];
        HedMaterialPoint c = panel->material[v[2]];
        bool turned = hed_cross2(a, b, c) < 0.0;
        double angle = 0.0;
        double quality = 0.0;
        hed_triangle_shape(a, turned ? c : b, turned ? b : c, &angle, &quality);
        panel->least_angle = fmin(panel->least_angle, angle);
        panel->area += 0.5 * fabs(hed_cross2(a, b, c));
        sum += quality;
    }
    panel->mean_quality = sum / panel->triangle_count;
    return HED_OK;
}

// --- seams ---

// Points of a side in its own direction, one more than its steps.
static void side_points(const HedDraft* draft, const HedPanel* panel, const HedSeamSide* side,
                        int32_t* points) {
    int32_t base = draft->panel_edges[side->panel];
    int32_t edge = side->edge;
    for (int32_t k = 0; k < side->edge_count; ++k) {
        for (int32_t i = 0; i < panel->edge_steps[edge]; ++i) {
            *points++ = panel->edge_points[edge] + i;
        }
        edge = draft->edges[base + edge].next - base;
    }
    *points = panel->edge_points[edge];
}

static int32_t side_steps(const HedDraft* draft, const HedSeamSide* side) {
    int32_t steps = 0;
    int32_t edge = hed_draft_side(draft, side);
    for (int32_t k = 0; k < side->edge_count; ++k) {
        steps += draft->edges[edge].steps;
        edge = draft->edges[edge].next;
    }
    return steps;
}

static HedStatus make_seam(const HedDraft* draft, const HedGarment* garment, int32_t s,
                           HedSeam* seam, HedError* error) {
    const HedSeamDef* def = draft->def->seams + s;
    *seam = (HedSeam){.sides = {def->sides[0], def->sides[1]},
                      .angle = def->angle,
                      .joins_starts = def->joins_starts,
                      .point_count = side_steps(draft, def->sides) + 1};
    HED_ASSERT(side_steps(draft, def->sides + 1) + 1 == seam->point_count);
    for (int32_t w = 0; w < 2; ++w) {
        const HedPanel* panel = garment->panels + def->sides[w].panel;
        seam->lengths[w] = hed_draft_side_length(draft, def->sides + w);
        seam->points[w] = HED_NEW_ARRAY(int32_t, seam->point_count);
        if (!seam->points[w]) {
            return hed_fail_memory(error, "a seam");
        }
        side_points(draft, panel, def->sides + w, seam->points[w]);
    }
    seam->ratio = fmax(seam->lengths[0] / seam->lengths[1], seam->lengths[1] / seam->lengths[0]);
    int32_t* second = seam->points[1];
    int32_t last = seam->point_count - 1;
    for (int32_t i = 0; !def->joins_starts && i < last - i; ++i) {
        int32_t other = second[i];
        second[i] = second[last - i];
        second[last - i] = other;
    }
    return HED_OK;
}

// A seam whose ends lie much closer together the other way round is probably meant so.
static HedStatus note_direction(HedDraft* draft, const HedGarment* garment, int32_t s,
                                HedError* error) {
    const HedSeam* seam = garment->seams + s;
    const HedVec3* a = garment->panels[seam->sides[0].panel].positions;
    const HedVec3* b = garment->panels[seam->sides[1].panel].positions;
    int32_t last = seam->point_count - 1;
    const int32_t* i = seam->points[0];
    const int32_t* j = seam->points[1];
    double said = hed_distance3(a[i[0]], b[j[0]]) + hed_distance3(a[i[last]], b[j[last]]);
    double other = hed_distance3(a[i[0]], b[j[last]]) + hed_distance3(a[i[last]], b[j[0]]);
    if (other < 0.5 * said && said > seam->lengths[0]) {
        char name[HED_SEAM_NAME];
        return hed_draft_note(draft, error,
                              "%s: its ends are %.3g m apart as placed, but %.3g m the other way "
                              "round; perhaps one side has to be turned",
                              hed_seam_name(draft->def, s, name), 0.5 * said, 0.5 * other);
    }
    return HED_OK;
}

static HedStatus build(HedDraft* draft, HedGarment* garment, HedError* error) {
    const HedGarmentDef* def = draft->def;
    HedStatus status = HED_OK;
    garment->target_size = def->target_size;
    garment->panels = HED_NEW_ARRAY(HedPanel, def->panel_count);
    garment->seams = HED_NEW_ARRAY(HedSeam, def->seam_count);
    if (!garment->panels || !garment->seams) {
        return hed_fail_memory(error, "a garment");
    }
    garment->panel_count = def->panel_count;
    garment->seam_count = def->seam_count;
    for (int32_t p = 0; p < def->panel_count; ++p) {
        draft->place = hed_at_panel(p);
        HED_TRY(mesh_panel(draft, p, garment->panels + p, error));
    }
    for (int32_t s = 0; s < def->seam_count; ++s) {
        HED_TRY(make_seam(draft, garment, s, garment->seams + s, error));
    }
    draft->place = hed_at_nothing();
    HED_TRY(hed_garment_split_chords(garment, error));
    for (int32_t p = 0; p < def->panel_count; ++p) {
        HED_TRY(finish_panel(def->panels + p, garment->panels + p, error));
    }
    for (int32_t s = 0; s < def->seam_count; ++s) {
        HED_TRY(note_direction(draft, garment, s, error));
    }
    garment->notes = draft->notes.data;
    garment->note_count = draft->notes.count;
    draft->notes.data = NULL;
    draft->notes.count = 0;
done:
    return status;
}

HedStatus hed_garment_build(const HedGarmentDef* def, HedGarment* garment, HedDraftPlace* place,
                            HedError* error) {
    *garment = (HedGarment){0};
    HedDraft draft = {.place = hed_at_nothing()};
    HedStatus status = HED_OK;
    HED_TRY(check_def(def, error));
    HED_TRY(hed_draft_begin(def, &draft, error));
    HED_TRY(hed_draft_seams(&draft, error));
    HED_TRY(hed_draft_divide(&draft, error));
    HED_TRY(build(&draft, garment, error));
done:
    *place = draft.place;
    hed_draft_free(&draft);
    if (status != HED_OK) {
        hed_garment_free(garment);
    }
    return status;
}

HedStatus hed_garment_create(const HedGarmentDef* def, HedGarment* garment, HedError* error) {
    HedDraftPlace place;
    return hed_garment_build(def, garment, &place, error);
}

void hed_garment_free(HedGarment* garment) {
    if (!garment) {
        return;
    }
    for (int32_t p = 0; p < garment->panel_count; ++p) {
        HedPanel* panel = garment->panels + p;
        hed_free(panel->name);
        hed_free(panel->material);
        hed_free(panel->positions);
        hed_free(panel->triangles);
        hed_free(panel->edge_points);
        hed_free(panel->edge_steps);
        hed_free(panel->edge_lengths);
    }
    for (int32_t s = 0; s < garment->seam_count; ++s) {
        hed_free(garment->seams[s].points[0]);
        hed_free(garment->seams[s].points[1]);
    }
    hed_warnings_free(garment->notes, garment->note_count);
    hed_free(garment->panels);
    hed_free(garment->seams);
    *garment = (HedGarment){0};
}
