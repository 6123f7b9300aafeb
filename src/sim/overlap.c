// SPDX-License-Identifier: MIT
// All overlaps at the start: what preparing a simulation stops at, and what it lets pass.
#include "heddle/overlap.h"
#include "eol/eol.h"
#include "sim/internal.h"

#include <stdio.h>
#include <string.h>

const char* hed_overlap_kind_name(HedOverlapKind kind) {
    static const char* const NAMES[HED_OVERLAP_KIND_COUNT] = {"body", "sheets", "yarns"};
    return (unsigned)kind < HED_OVERLAP_KIND_COUNT ? NAMES[kind] : "unknown";
}

typedef struct Finding {
    HedSim* sim;
    HedOverlaps* out;
    HED_ARRAY(HedOverlapReport) list;
} Finding;

// The report about two things; NULL without memory.
static HedOverlapReport* report_of(Finding* f, HedOverlapReport wanted) {
    for (int32_t k = 0; k < f->list.count; ++k) {
        HedOverlapReport* known = &f->list.data[k];
        if (known->kind == wanted.kind && known->first == wanted.first &&
            known->second == wanted.second) {
            return known;
        }
    }
    return HED_APPEND(&f->list, wanted) ? &f->list.data[f->list.count - 1] : NULL;
}

static HedStatus note_contact(Finding* f, const HedContacts* contacts, const HedContact* contact,
                              int32_t point) {
    const HedBody* body = &contacts->bodies[contact->body];
    const HedSim* sim = f->sim;
    bool is_sewn = contacts->surface.sewing && contacts->surface.sewing[contact->point[0]] > 0.0;
    HedOverlapReport fresh = {.kind = HED_OVERLAP_BODY,
                              .first = hed_sim_cloth_at(sim, point)->name,
                              .second = body->name,
                              .is_refused = body->overlap == HED_OVERLAP_REFUSE && !is_sewn};
    HedOverlapReport* report = report_of(f, fresh);
    if (!report) {
        return HED_NO_MEMORY;
    }
    report->count += 1;
    if (-contact->distance > report->depth) {
        report->depth = -contact->distance;
        report->at = sim->x.data[point];
        hed_sim_describe_point(sim, point, report->place, sizeof report->place);
    }
    return HED_OK;
}

// order: from a contact's point to one of the simulation, NULL: the same; first: of the set.
static HedStatus find_bodies(Finding* f, HedContacts* contacts, const HedVec3* x,
                             const int32_t* order, int32_t first, HedError* error) {
    const double rounding = 1e-9; // m
    if (contacts->body_count == 0) {
        return HED_OK;
    }
    int32_t only = contacts->only;
    contacts->only = -1;
    HedStatus status = hed_contacts_find(contacts, x, x, 0.0, 0.0, error);
    contacts->only = only;
    for (int32_t k = 0; k < contacts->list.count && status == HED_OK; ++k) {
        const HedContact* contact = &contacts->list.data[k];
        if (contact->distance < -rounding) {
            int32_t point = order ? first + order[contact->point[0]] : contact->point[0];
            status = note_contact(f, contacts, contact, point);
        }
    }
    return status == HED_NO_MEMORY ? hed_fail_memory(error, "overlaps") : status;
}

static HedStatus find_sheets(Finding* f, HedError* error) {
    HedPanelOverlaps found = {0};
    HedStatus status = hed_sim_panel_overlaps(f->sim, &found, error);
    for (int32_t k = 0; k < found.count && status == HED_OK; ++k) {
        const HedPanelOverlap* pair = &found.list[k];
        HedOverlapReport report = {.kind = HED_OVERLAP_SHEETS,
                                   .first = pair->sheet[0],
                                   .second = pair->sheet[1],
                                   .count = pair->count,
                                   .at = pair->place,
                                   .is_refused = f->sim->def.self_collision && !pair->is_sewn};
        hed_panel_overlap_describe(pair, report.place, sizeof report.place);
        status = HED_APPEND(&f->list, report) ? HED_OK : hed_fail_memory(error, "overlaps");
    }
    hed_panel_overlaps_free(&found);
    return status;
}

static HedStatus find_yarns(Finding* f, HedError* error) {
    const HedSim* sim = f->sim;
    if (!sim->yarn_dynamics || !sim->yarn_dynamics->has_contact) {
        return HED_OK;
    }
    const HedYarnContact* contact = &sim->yarn_dynamics->contact;
    for (int32_t k = 0; k < contact->merged.count; ++k) {
        HedYarnPair pair = contact->merged.data[k];
        int32_t point[2] = {contact->def.segments[pair.first].point[1],
                            contact->def.segments[pair.second].point[1]};
        if (point[0] >= sim->x.count || point[1] >= sim->x.count) {
            continue; // of copies
        }
        HedOverlapReport fresh = {.kind = HED_OVERLAP_YARNS,
                                  .first = hed_sim_cloth_at(sim, point[0])->name,
                                  .second = hed_sim_cloth_at(sim, point[1])->name,
                                  .at = sim->x.data[point[0]]};
        HedOverlapReport* report = report_of(f, fresh);
        if (!report) {
            return hed_fail_memory(error, "overlaps");
        }
        if (report->count++ == 0) {
            hed_sim_describe_point(sim, point[0], report->place, sizeof report->place);
        }
    }
    return HED_OK;
}

HedStatus hed_sim_overlaps(HedSim* sim, HedOverlaps* overlaps, HedError* error) {
    HedStatus status = HED_OK;
    *overlaps = (HedOverlaps){0};
    Finding f = {.sim = sim, .out = overlaps};
    if (sim->count.steps > 0) {
        return hed_fail(error, HED_INVALID, "overlaps are those of the start: steps were made");
    }
    HED_TRY(find_bodies(&f, &sim->contacts, sim->x.data, NULL, 0, error));
    HED_TRY(find_sheets(&f, error));
    HED_TRY(find_yarns(&f, error));
    overlaps->list = f.list.data;
    overlaps->list_count = f.list.count;
    f.list.data = NULL;
done:
    hed_free(f.list.data);
    return status;
}

void hed_overlaps_free(HedOverlaps* overlaps) {
    hed_free(overlaps->list);
    *overlaps = (HedOverlaps){0};
}
