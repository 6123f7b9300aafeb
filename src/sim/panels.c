// SPDX-License-Identifier: MIT
// Which panels and sheets intersect: intersecting triangles, gathered by the panels they are of.
#include "base/file.h"
#include "geom/crossing.h"
#include "sim/internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

HedStatus hed_panels_copy(HedCloth* sheet, const HedSheetDef* def, HedError* error) {
    if (!def->panels || def->panel_count <= 0) {
        return HED_OK;
    }
    for (int32_t k = 0; k < def->triangle_count; ++k) {
        int32_t panel = def->triangle_panels ? def->triangle_panels[k] : -1;
        if (panel < 0 || panel >= def->panel_count) {
            return hed_fail(error, HED_INVALID, "sheet '%s': triangle %d has no panel %d of %d",
                            sheet->name, (int)k, (int)panel, (int)def->panel_count);
        }
    }
    sheet->panels = HED_NEW_ARRAY(char*, def->panel_count);
    sheet->triangle_panels = HED_NEW_ARRAY(int32_t, def->triangle_count);
    if (!sheet->panels || !sheet->triangle_panels) {
        return hed_fail_memory(error, "panels");
    }
    for (; sheet->panel_count < def->panel_count; ++sheet->panel_count) {
        char* name = hed_text_copy(def->panels[sheet->panel_count]);
        if (!name) {
            return hed_fail_memory(error, "panels");
        }
        sheet->panels[sheet->panel_count] = name;
    }
    memcpy(sheet->triangle_panels, def->triangle_panels,
           (size_t)def->triangle_count * sizeof *def->triangle_panels);
    return HED_OK;
}

void hed_panels_free(HedCloth* sheet) {
    for (int32_t k = 0; k < sheet->panel_count; ++k) {
        hed_free(sheet->panels[k]);
    }
    hed_free(sheet->panels);
    hed_free(sheet->triangle_panels);
    sheet->panels = NULL;
    sheet->triangle_panels = NULL;
    sheet->panel_count = 0;
}

// The names of the sheet and panel of a triangle of the sim.
static void name_triangle(const HedSim* sim, int32_t triangle, const char** sheet,
                          const char** panel) {
    const HedCloth* cloth = hed_sim_cloth_at(sim, hed_sim_triangle(sim, triangle)[0]);
    *sheet = cloth->name;
    *panel = cloth->panels ? cloth->panels[cloth->triangle_panels[triangle - cloth->first_triangle]]
                           : NULL;
}

static bool is_sewn(const HedSim* sim, int32_t triangle) {
    return hed_sim_cloth_at(sim, hed_sim_triangle(sim, triangle)[0])->sewing_time > 0.0;
}

// Names are compared by place: each panel and each sheet has its own.
static bool is_same(const HedPanelOverlap* a, const HedPanelOverlap* b) {
    bool same = a->sheet[0] == b->sheet[0] && a->sheet[1] == b->sheet[1] &&
                a->panel[0] == b->panel[0] && a->panel[1] == b->panel[1];
    bool swapped = a->sheet[0] == b->sheet[1] && a->sheet[1] == b->sheet[0] &&
                   a->panel[0] == b->panel[1] && a->panel[1] == b->panel[0];
    return same || swapped;
}

static HedVec3 middle_of(const HedSim* sim, int32_t triangle) {
    const int32_t* t = hed_sim_triangle(sim, triangle);
    const HedVec3* x = sim->x.data;
    return hed_mul3(1.0 / 3.0, hed_add3(x[t[0]], hed_add3(x[t[1]], x[t[2]])));
}

// Largest counts first; equal ones stay in the order they were found in.
static void sort_falling(HedPanelOverlaps* overlaps) {
    for (int32_t k = 1; k < overlaps->count; ++k) {
        HedPanelOverlap pair = overlaps->list[k];
        int32_t at = k;
        for (; at > 0 && overlaps->list[at - 1].count < pair.count; --at) {
            overlaps->list[at] = overlaps->list[at - 1];
        }
        overlaps->list[at] = pair;
    }
}

typedef HED_ARRAY(HedPanelOverlap) PairList;

HedStatus hed_panel_overlaps_sort(const HedSim* sim, const HedCrossings* found,
                                  HedPanelOverlaps* overlaps, HedError* error) {
    PairList list = {overlaps->list, 0, overlaps->capacity};
    bool ok = true;
    for (int32_t k = 0; k < found->list.count && ok; ++k) {
        HedCrossingPair crossing = found->list.data[k];
        HedPanelOverlap pair = {.count = 1};
        name_triangle(sim, crossing.first, &pair.sheet[0], &pair.panel[0]);
        name_triangle(sim, crossing.second, &pair.sheet[1], &pair.panel[1]);
        pair.is_sewn = is_sewn(sim, crossing.first) || is_sewn(sim, crossing.second);
        int32_t at = 0;
        while (at < list.count && !is_same(&list.data[at], &pair)) {
            ++at;
        }
        if (at < list.count) {
            list.data[at].count += 1;
            continue;
        }
        pair.place = hed_mul3(
            0.5, hed_add3(middle_of(sim, crossing.first), middle_of(sim, crossing.second)));
        ok = HED_APPEND(&list, pair);
    }
    overlaps->list = list.data;
    overlaps->count = list.count;
    overlaps->capacity = list.capacity;
    overlaps->triangle_pairs = found->list.count;
    sort_falling(overlaps);
    return ok ? HED_OK : hed_fail_memory(error, "intersections");
}

HedStatus hed_sim_panel_overlaps(const HedSim* sim, HedPanelOverlaps* overlaps, HedError* error) {
    HedStatus status = HED_OK;
    HedCrossings found = {0};
    HED_TRY(hed_crossings_find(sim->x.data, sim->triangles.data, sim->triangles.count / 3,
                               INT32_MAX, &found, error));
    HED_TRY(hed_panel_overlaps_sort(sim, &found, overlaps, error));
done:
    hed_free(found.list.data);
    return status;
}

void hed_panel_overlaps_free(HedPanelOverlaps* overlaps) {
    if (overlaps) {
        hed_free(overlaps->list);
        *overlaps = (HedPanelOverlaps){0};
    }
}

static void describe_side(const HedPanelOverlap* pair, int side, char* text, size_t size) {
    if (pair->panel[side]) {
        snprintf(text, size, "panel '%.30s' of '%.30s'", pair->panel[side], pair->sheet[side]);
    } else {
        snprintf(text, size, "sheet '%.30s'", pair->sheet[side]);
    }
}

void hed_panel_overlap_describe(const HedPanelOverlap* pair, char* text, size_t size) {
    char first[80], second[80];
    describe_side(pair, 0, first, sizeof first);
    describe_side(pair, 1, second, sizeof second);
    bool is_self = pair->sheet[0] == pair->sheet[1] && pair->panel[0] == pair->panel[1];
    snprintf(text, size, "%s with %s: %" PRId64 " pair%s of triangles near (%.3g, %.3g, %.3g)",
             first, is_self ? "itself" : second, pair->count, pair->count == 1 ? "" : "s",
             pair->place.x, pair->place.y, pair->place.z);
}
