// SPDX-License-Identifier: MIT
#include "garment/draft.h"
#include "fabric/warnings.h"

HedStatus hed_draft_note(HedDraft* draft, HedError* error, const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    bool ok = hed_warnings_add(&draft->notes.data, &draft->notes.count, &draft->notes.capacity,
                               format, arguments);
    va_end(arguments);
    return ok ? HED_OK : hed_fail_memory(error, "notes of a garment");
}

void hed_draft_free(HedDraft* draft) {
    hed_warnings_free(draft->notes.data, draft->notes.count);
    hed_free(draft->fractions.data);
    hed_free(draft->corners);
    hed_free(draft->panel_edges);
    hed_free(draft->edges);
    *draft = (HedDraft){0};
}

int32_t hed_draft_corner(HedDraft* draft, int32_t edge) {
    while (draft->corners[edge] != edge) {
        draft->corners[edge] = draft->corners[draft->corners[edge]];
        edge = draft->corners[edge];
    }
    return edge;
}

double hed_draft_side_length(const HedDraft* draft, const HedSeamSide* side) {
    double length = 0.0;
    int32_t edge = hed_draft_side(draft, side);
    for (int32_t k = 0; k < side->edge_count; ++k) {
        length += hed_draft_length(draft, edge);
        edge = draft->edges[edge].next;
    }
    return length;
}

// --- panels ---

static HedStatus check_vertices(const HedPanelDef* panel, HedError* error) {
    for (int32_t i = 0; i < panel->vertex_count; ++i) {
        HedMaterialPoint p = panel->vertices[i];
        if (!hed_is_finite2(p)) {
            return hed_fail(error, HED_INVALID,
                            "panel '%s': vertex %d must be finite, got (%g, %g)", panel->name, i,
                            p.u, p.v);
        }
    }
    HedVec3 x = panel->pose.position;
    HedQuat q = panel->pose.rotation;
    double norm = q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z;
    if (!isfinite(x.x) || !isfinite(x.y) || !isfinite(x.z) || !(fabs(norm - 1.0) < 1e-6)) {
        return hed_fail(error, HED_INVALID,
                        "panel '%s': its place must be finite and its rotation of length 1, got "
                        "(%g, %g, %g) and %g",
                        panel->name, x.x, x.y, x.z, sqrt(norm));
    }
    return HED_OK;
}

static HedStatus check_edge(const HedPanelDef* panel, int32_t e, HedError* error) {
    const HedPanelEdge* edge = panel->edges + e;
    int32_t ends[2] = {edge->start, edge->end};
    for (int32_t k = 0; k < 2; ++k) {
        if (ends[k] < 0 || ends[k] >= panel->vertex_count) {
            return hed_fail(error, HED_INVALID,
                            "panel '%s': edge %d names vertex %d; there are vertices 0 to %d",
                            panel->name, e, ends[k], panel->vertex_count - 1);
        }
    }
    HedMaterialPoint a = panel->vertices[edge->start];
    HedMaterialPoint b = panel->vertices[edge->end];
    if (edge->start == edge->end || (a.u == b.u && a.v == b.v)) {
        return hed_fail(error, HED_INVALID,
                        "panel '%s': edge %d begins and ends at the same place (%g, %g) m: "
                        "vertices %d and %d",
                        panel->name, e, a.u, a.v, edge->start, edge->end);
    }
    if ((int)edge->kind < 0 || edge->kind >= HED_EDGE_KIND_COUNT) {
        return hed_fail(error, HED_INVALID, "panel '%s': edge %d has no known kind, got %d",
                        panel->name, e, (int)edge->kind);
    }
    return HED_OK;
}

static HedStatus make_curve(const HedPanelDef* panel, int32_t e, HedDraftEdge* out,
                            HedError* error) {
    HedStatus status = check_edge(panel, e, error);
    if (status != HED_OK) {
        return status;
    }
    const HedPanelEdge* edge = panel->edges + e;
    HedMaterialPoint a = panel->vertices[edge->start];
    HedMaterialPoint b = panel->vertices[edge->end];
    if (!hed_plane_curve(edge, a, b, &out->curve)) {
        if (edge->kind == HED_EDGE_ARC) {
            return hed_fail(error, HED_INVALID,
                            "panel '%s': edge %d: the radius of an arc must be at least half the "
                            "distance of its ends, %g m, got %g m",
                            panel->name, e, 0.5 * hed_distance2(a, b), edge->radius);
        }
        return hed_fail(error, HED_INVALID, "panel '%s': edge %d has no finite length", panel->name,
                        e);
    }
    return HED_OK;
}

// Edges in order form loops: each begins where the one before ended, or closes its loop.
static HedStatus find_loops(const HedPanelDef* panel, HedDraftEdge* edges, int32_t base,
                            HedError* error) {
    int32_t first = 0;
    for (int32_t e = 0; e < panel->edge_count; ++e) {
        bool closes = panel->edges[e].end == panel->edges[first].start;
        edges[e].next = base + (closes ? first : e + 1);
        if (closes) {
            first = e + 1;
        } else if (e + 1 == panel->edge_count) {
            return hed_fail(error, HED_INVALID,
                            "panel '%s': the outline is open: edge %d ends at vertex %d, edge %d "
                            "begins at vertex %d",
                            panel->name, e, panel->edges[e].end, first, panel->edges[first].start);
        } else if (panel->edges[e].end != panel->edges[e + 1].start) {
            return hed_fail(error, HED_INVALID,
                            "panel '%s': edge %d ends at vertex %d, but edge %d begins at vertex "
                            "%d",
                            panel->name, e, panel->edges[e].end, e + 1, panel->edges[e + 1].start);
        }
    }
    return HED_OK;
}

static HedStatus begin_panel(HedDraft* draft, int32_t p, HedError* error) {
    const HedPanelDef* panel = draft->def->panels + p;
    int32_t base = draft->panel_edges[p];
    if (panel->edge_count < 2) {
        return hed_fail(error, HED_INVALID, "panel '%s': needs at least 2 edges, got %d",
                        panel->name, panel->edge_count);
    }
    HedStatus status = check_vertices(panel, error);
    for (int32_t e = 0; e < panel->edge_count && status == HED_OK; ++e) {
        HedDraftEdge* edge = draft->edges + base + e;
        *edge = (HedDraftEdge){.panel = p, .number = e, .seam = -1};
        draft->corners[base + e] = base + e;
        status = make_curve(panel, e, edge, error);
        double length = hed_plane_curve_length(&edge->curve);
        if (status == HED_OK && length < 0.1 * draft->def->target_size) {
            status = hed_draft_note(draft, error,
                                    "panel '%s': edge %d is %.3g m long, much shorter than the "
                                    "target size; triangles get small there",
                                    panel->name, e, length);
        }
    }
    return status == HED_OK ? find_loops(panel, draft->edges + base, base, error) : status;
}

HedStatus hed_draft_begin(const HedGarmentDef* def, HedDraft* draft, HedError* error) {
    *draft = (HedDraft){.def = def, .place = hed_at_nothing()};
    int64_t total = 0;
    for (int32_t p = 0; p < def->panel_count; ++p) {
        total += def->panels[p].edge_count > 0 ? def->panels[p].edge_count : 0;
    }
    if (total > INT32_MAX / 4) {
        return hed_fail(error, HED_INVALID, "a garment of %lld edges is too large",
                        (long long)total);
    }
    draft->edge_count = (int32_t)total;
    draft->edges = HED_NEW_ARRAY(HedDraftEdge, total);
    draft->corners = HED_NEW_ARRAY(int32_t, total);
    draft->panel_edges = HED_NEW_ARRAY(int32_t, def->panel_count);
    if (!draft->edges || !draft->corners || !draft->panel_edges) {
        return hed_fail_memory(error, "a garment");
    }
    int32_t base = 0;
    HedStatus status = HED_OK;
    for (int32_t p = 0; p < def->panel_count && status == HED_OK; ++p) {
        draft->panel_edges[p] = base;
        draft->place = hed_at_panel(p);
        status = begin_panel(draft, p, error);
        base += def->panels[p].edge_count;
    }
    return status;
}
