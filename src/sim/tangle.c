// SPDX-License-Identifier: MIT
// Sheets that intersect at the start because their seams are still to close.
//
// While seams are open, pieces of cloth that intersect something at the start are let through each
// other and themselves. After that only what is near an intersection is let through, all else is
// kept apart as ever, and forces shorten the lines along which sheets intersect
// (contact/self_untangle.c); loads wait. Once an exact search finds no intersection the tangle is
// over: from there on each step proves that there is none.
#include "base/alloc.h"
#include "sim/internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static bool are_sewn(const HedSim* sim, HedCrossingPair pair) {
    const int32_t* face = hed_sim_triangle(sim, pair.first);
    const int32_t* segment = hed_sim_triangle(sim, pair.second);
    const int32_t* seam = sim->self.seam;
    for (int k = 0; k < 6 && seam; ++k) {
        int32_t a = seam[segment[k / 3]];
        if (a >= 0 && a == seam[face[k % 3]]) {
            return true;
        }
    }
    return false;
}

static HedStatus find_crossings(HedSim* sim, HedError* error) {
    const HedSelf* self = &sim->self;
    HedCrossings* found = &sim->tangle.found;
    int32_t faces = self->def.triangle_count;
    HedStatus status = hed_crossings_find(sim->x.data, self->triangles,
                                          faces + self->def.segment_count, INT32_MAX, found, error);
    int32_t kept = 0;
    for (int32_t k = 0; k < found->list.count; ++k) {
        HedCrossingPair pair = found->list.data[k];
        int32_t first = hed_sim_triangle(sim, pair.first)[0];
        int32_t second = hed_sim_triangle(sim, pair.second)[0];
        bool has_segment = pair.second >= faces;
        if (pair.first >= faces || (has_segment && are_sewn(sim, pair))) {
            continue; // what rods and splines do among themselves is for yarn contact
        }
        if (!self->is_apart[first] || self->piece[first] != self->piece[second]) {
            found->list.data[kept++] = pair;
        }
    }
    found->list.count = kept;
    return status;
}

static bool is_sewn(const HedSim* sim, int32_t triangle) {
    return sim->sew.point && sim->sew.point[hed_sim_triangle(sim, triangle)[0]] > 0.0;
}

// All pairs of panels, as far as there is room.
static void list_overlaps(const HedPanelOverlaps* overlaps, char* text, size_t size) {
    size_t used = 0;
    text[0] = '\0';
    for (int32_t k = 0; k < overlaps->count; ++k) {
        char one[240];
        hed_panel_overlap_describe(&overlaps->list[k], one, sizeof one);
        int more = overlaps->count - k;
        if (used + strlen(one) + 24 > size) {
            snprintf(text + used, size - used, "; and %d more", more);
            return;
        }
        used += (size_t)snprintf(text + used, size - used, "%s%s", k > 0 ? "; " : "", one);
    }
}

// Pieces of cloth that are sewn may intersect at the start; others must not.
static HedStatus check_start(HedSim* sim, HedError* error) {
    HedStatus status = HED_OK;
    HedPanelOverlaps overlaps = {0};
    HedCrossings refused = {0};
    const HedCrossings* found = &sim->tangle.found;
    for (int32_t k = 0; k < found->list.count; ++k) {
        HedCrossingPair pair = found->list.data[k];
        bool is_refused = !is_sewn(sim, pair.first) && !is_sewn(sim, pair.second);
        if (is_refused && !HED_APPEND(&refused.list, pair)) {
            HED_TRY(hed_fail_memory(error, "intersections"));
        }
    }
    HED_TRY(hed_panel_overlaps_sort(sim, &refused, &overlaps, error));
    if (overlaps.count > 0) {
        char text[HED_ERROR_TEXT - 160]; // beside the words around it
        list_overlaps(&overlaps, text, sizeof text);
        HED_TRY(hed_fail(error, HED_INVALID,
                         "sheets intersect at the start (%" PRId64
                         " pairs of triangles): %s; with self_collision they must not even touch",
                         overlaps.triangle_pairs, text));
    }
done:
    hed_free(refused.list.data);
    hed_panel_overlaps_free(&overlaps);
    return status;
}

static void mark_pieces(HedSim* sim) {
    HedTangle* tangle = &sim->tangle;
    const int32_t* piece = sim->self.piece;
    for (int32_t k = 0; k < tangle->found.list.count; ++k) {
        HedCrossingPair pair = tangle->found.list.data[k];
        tangle->is_open[piece[hed_sim_triangle(sim, pair.first)[0]]] = true;
        tangle->is_open[piece[hed_sim_triangle(sim, pair.second)[0]]] = true;
    }
    for (int32_t i = 0; i < sim->x.count; ++i) {
        tangle->is_open[i] = tangle->is_open[piece[i]];
    }
}

HedStatus hed_tangle_create(HedSim* sim, HedError* error) {
    HedStatus status = HED_OK;
    HED_TRY(find_crossings(sim, error));
    HED_TRY(check_start(sim, error));
    if (sim->tangle.found.list.count > 0) {
        sim->tangle.is_open = HED_NEW_ARRAY(bool, sim->x.count);
        if (!sim->tangle.is_open) {
            HED_TRY(hed_fail_memory(error, "self-collision"));
        }
        mark_pieces(sim);
        sim->count.is_tangled = 1;
    }
done:
    return status;
}

void hed_tangle_free(HedSim* sim) {
    hed_free(sim->tangle.is_open);
    hed_free(sim->tangle.found.list.data);
    sim->tangle = (HedTangle){0};
}

static void mark_triangle(HedSim* sim, int32_t triangle) {
    for (int k = 0; k < 3; ++k) {
        sim->self.is_loose[hed_sim_triangle(sim, triangle)[k]] = true;
    }
}

// Points of triangles that intersect, and their neighbours.
static void mark_near(HedSim* sim) {
    const HedTangle* tangle = &sim->tangle;
    bool* is_loose = sim->self.is_loose;
    memset(is_loose, 0, (size_t)sim->x.count * sizeof *is_loose);
    for (int32_t k = 0; k < tangle->found.list.count; ++k) {
        mark_triangle(sim, tangle->found.list.data[k].first);
        mark_triangle(sim, tangle->found.list.data[k].second);
    }
    bool* is_marked = sim->self.is_new; // scratch there, too
    memcpy(is_marked, is_loose, (size_t)sim->x.count * sizeof *is_loose);
    const HedTopology* topology = &sim->self.topology;
    for (int32_t e = 0; e < topology->edge_count; ++e) {
        int32_t a = topology->edges[e].a;
        int32_t b = topology->edges[e].b;
        is_loose[a] = is_loose[a] || is_marked[b];
        is_loose[b] = is_loose[b] || is_marked[a];
    }
}

void hed_tangle_begin(HedSim* sim) {
    if (!sim->count.is_tangled) {
        return;
    }
    HedError error = {0};
    hed_sim_note(sim, find_crossings(sim, &error));
    if (hed_sim_sew_is_closed(sim)) {
        mark_near(sim);
    } else {
        memcpy(sim->self.is_loose, sim->tangle.is_open, (size_t)sim->x.count * sizeof(bool));
    }
}

void hed_tangle_find(HedSim* sim, double stiffness) {
    if (sim->count.is_tangled && hed_sim_sew_is_closed(sim) && sim->failure == HED_OK) {
        hed_sim_note(sim, hed_self_untangle(&sim->self, sim->x.data, &sim->tangle.found, stiffness,
                                            &sim->why));
    }
}

// After so many times the time of sewing there is no hope.
static double patience(const HedSim* sim) {
    return fmax(1.0, 2.0 * sim->sew.time);
}

static HedReason give_up(HedSim* sim, HedStepReport* report) {
    HedPanelOverlaps overlaps = {0};
    hed_sim_note(sim, hed_panel_overlaps_sort(sim, &sim->tangle.found, &overlaps, &sim->why));
    int used = snprintf(report->trouble, sizeof report->trouble,
                        "%" PRId32 " pairs of triangles intersect %.3g s after the seams closed: ",
                        report->tangle_count, hed_sim_time(sim) - sim->sew.time);
    list_overlaps(&overlaps, report->trouble + used, sizeof report->trouble - (size_t)used);
    hed_panel_overlaps_free(&overlaps);
    return HED_REASON_TANGLED;
}

HedReason hed_tangle_step(HedSim* sim, HedStepReport* report) {
    if (!sim->count.is_tangled) {
        return HED_REASON_CONVERGED;
    }
    hed_sim_note(sim, find_crossings(sim, &sim->why));
    if (sim->failure != HED_OK) {
        return HED_REASON_MAX_ITERATIONS;
    }
    report->tangle_count = sim->tangle.found.list.count;
    if (report->tangle_count == 0 && hed_sim_sew_is_closed(sim)) {
        sim->count.is_tangled = 0;
        memset(sim->self.is_loose, 0, (size_t)sim->x.count * sizeof(bool));
    } else if (hed_sim_time(sim) > sim->sew.time + patience(sim)) {
        return give_up(sim, report);
    }
    return HED_REASON_CONVERGED;
}
