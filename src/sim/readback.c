// SPDX-License-Identifier: MIT
// What can be read off a simulation: positions and poses.
#include "sim/internal.h"

static const HedCloth* find(const HedSim* sim, int32_t index, uint32_t stamp, bool is_yarns,
                            HedError* error) {
    const char* what = is_yarns ? "set of yarns" : "sheet";
    if (hed_sim_check_id(sim, index, stamp, sim->cloths.count, what, error) != HED_OK) {
        return NULL;
    }
    const HedCloth* sheet = &sim->cloths.data[index - 1];
    if (sheet->is_yarns != is_yarns) {
        hed_fail(error, HED_INVALID, "this simulation has no such %s", what);
        return NULL;
    }
    return sheet;
}

const HedCloth* hed_sim_find_sheet(const HedSim* sim, HedSheetId id, HedError* error) {
    return find(sim, id.index, id.stamp, false, error);
}

const HedCloth* hed_sim_find_yarns(const HedSim* sim, HedYarnsId id, HedError* error) {
    return find(sim, id.index, id.stamp, true, error);
}

const HedCloth* hed_sim_find_cloth(const HedSim* sim, HedSheetId sheet, HedYarnsId yarns,
                                   HedError* error) {
    return yarns.index ? hed_sim_find_yarns(sim, yarns, error)
                       : hed_sim_find_sheet(sim, sheet, error);
}

// The number that handles give to the index-th sheet or set of yarns; 0 for none.
static int32_t number_of(const HedSim* sim, int32_t index, bool is_yarns) {
    for (int32_t k = 0; sim && index >= 0 && k < sim->cloths.count; ++k) {
        const HedCloth* cloth = &sim->cloths.data[k];
        bool is_period = cloth->is_yarns && cloth->curve_count == 0;
        if (cloth->is_yarns == is_yarns && !is_period && index-- == 0) {
            return k + 1;
        }
    }
    return 0;
}

HedSheetId hed_sim_sheet(const HedSim* sim, int32_t index) {
    int32_t number = number_of(sim, index, false);
    return number ? (HedSheetId){number, sim->stamp} : (HedSheetId){0};
}

HedYarnsId hed_sim_yarns(const HedSim* sim, int32_t index) {
    int32_t number = number_of(sim, index, true);
    return number ? (HedYarnsId){number, sim->stamp} : (HedYarnsId){0};
}

HedBodyId hed_sim_body(const HedSim* sim, int32_t index) {
    bool ok = sim && index >= 0 && index < sim->bodies.count;
    return ok ? (HedBodyId){index + 1, sim->stamp} : (HedBodyId){0};
}

HedPinId hed_sim_pin(const HedSim* sim, int32_t index) {
    bool ok = sim && index >= 0 && index < sim->pins.count;
    return ok ? (HedPinId){index + 1, sim->stamp} : (HedPinId){0};
}

int32_t hed_sheet_vertex_count(const HedSim* sim, HedSheetId id) {
    const HedCloth* sheet = hed_sim_find_sheet(sim, id, NULL);
    return sheet ? sheet->vertex_count : 0;
}

int32_t hed_yarns_vertex_count(const HedSim* sim, HedYarnsId id) {
    const HedCloth* yarns = hed_sim_find_yarns(sim, id, NULL);
    const HedPart* part = yarns ? hed_cloth_part(sim, yarns) : NULL;
    if (part) {
        return part->type->vertex_count(part->self);
    }
    return yarns ? yarns->vertex_count : 0;
}

static void copy_out(const HedCloth* sheet, const HedVec3* from, HedVec3* to) {
    for (int32_t k = 0; sheet && k < sheet->vertex_count; ++k) {
        to[k] = hed_cloth_mix(sheet, k, from);
    }
}

void hed_sheet_positions(const HedSim* sim, HedSheetId id, HedVec3* positions) {
    copy_out(hed_sim_find_sheet(sim, id, NULL), sim->x.data, positions);
}

void hed_yarns_positions(const HedSim* sim, HedYarnsId id, HedVec3* positions) {
    const HedCloth* yarns = hed_sim_find_yarns(sim, id, NULL);
    const HedPart* part = yarns ? hed_cloth_part(sim, yarns) : NULL;
    if (part) {
        part->type->vertices(part->self, sim->x.data + part->first_point, positions);
    } else {
        copy_out(yarns, sim->x.data, positions);
    }
}

void hed_sheet_velocities(const HedSim* sim, HedSheetId id, HedVec3* velocities) {
    copy_out(hed_sim_find_sheet(sim, id, NULL), sim->v.data, velocities);
}

void hed_yarns_velocities(const HedSim* sim, HedYarnsId id, HedVec3* velocities) {
    const HedCloth* yarns = hed_sim_find_yarns(sim, id, NULL);
    const HedPart* part = yarns ? hed_cloth_part(sim, yarns) : NULL;
    if (part) {
        part->type->velocities(part->self, velocities);
    } else {
        copy_out(yarns, sim->v.data, velocities);
    }
}

HedPose hed_body_pose(const HedSim* sim, HedBodyId id) {
    bool ok = hed_sim_check_id(sim, id.index, id.stamp, sim->bodies.count, "body", NULL) == HED_OK;
    if (!ok) {
        return (HedPose){{0.0, 0.0, 0.0}, {1.0, 0.0, 0.0, 0.0}};
    }
    return hed_track_pose(&sim->bodies.data[id.index - 1].track, hed_sim_time(sim));
}
