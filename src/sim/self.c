// SPDX-License-Identifier: MIT
// Sheets against themselves and each other: after a step has been found, it is changed until
// nothing passes through anything on the way (contact/self.h).
#include "base/alloc.h"
#include "sim/internal.h"

#include <stdio.h>
#include <string.h>

// Triangles of all sheets, then those of the skins of sliding yarns.
typedef struct Surfaces {
    HED_ARRAY(int32_t) triangles;
    bool* is_apart; // per point: loops of a knit keep their own distance (eol/spheres.h)
    bool* is_kept;  // per point: yarns keep their own distance (eol/touch.h)
} Surfaces;

static HedStatus collect_surfaces(const HedSim* sim, Surfaces* surfaces, HedError* error) {
    int64_t count = sim->triangles.count + hed_sliding_skin_size(sim);
    surfaces->is_apart = HED_NEW_ARRAY(bool, sim->x.count);
    surfaces->is_kept = HED_NEW_ARRAY(bool, sim->x.count);
    if (count > INT32_MAX || !surfaces->is_apart || !surfaces->is_kept ||
        !HED_RESERVE(&surfaces->triangles, (int32_t)count)) {
        return hed_fail_memory(error, "surfaces");
    }
    for (int32_t k = 0; k < sim->triangles.count; ++k) {
        surfaces->triangles.data[surfaces->triangles.count++] = sim->triangles.data[k];
    }
    hed_sliding_skins(sim, surfaces->triangles.data + surfaces->triangles.count,
                      surfaces->is_apart);
    hed_sim_mark_touches(sim, surfaces->is_kept);
    surfaces->triangles.count = (int32_t)count;
    return HED_OK;
}

HedStatus hed_sim_self_create(HedSim* sim, HedError* error) {
    HedStatus status = HED_OK;
    Surfaces surfaces = {0};
    if (!sim->def.self_collision) {
        return HED_OK;
    }
    HED_TRY(collect_surfaces(sim, &surfaces, error));
    if (surfaces.triangles.count == 0) {
        goto done;
    }
    HedSelfDef def = {
        .point_count = sim->x.count,
        .triangles = surfaces.triangles.data,
        .triangle_count = surfaces.triangles.count / 3,
        .is_apart = surfaces.is_apart,
        .is_kept = hed_sim_has_touches(sim) ? surfaces.is_kept : NULL,
        .rest = sim->rest.data,
        .half_thickness = sim->half_thickness.data,
        .area = sim->area.data,
        .friction = sim->def.self_friction,
        .team = &sim->team,
    };
    for (int32_t k = 0; k < sim->cloths.count; ++k) {
        if (!sim->cloths.data[k].is_yarns && !(sim->cloths.data[k].half_thickness > 0.0)) {
            HED_TRY(hed_fail(error, HED_INVALID,
                             "sheet '%s': 'thickness' must be positive with self_collision, got %g",
                             sim->cloths.data[k].name, 2.0 * sim->cloths.data[k].half_thickness));
        }
    }
    HED_TRY(hed_self_create(&sim->self, &def, error));
    sim->self_start = HED_NEW_ARRAY(HedVec3, 2 * (int64_t)sim->x.count);
    if (!sim->self_start) {
        HED_TRY(hed_fail_memory(error, "self-collision"));
    }
    HED_TRY(hed_tangle_create(sim, error));
done:
    hed_free(surfaces.triangles.data);
    hed_free(surfaces.is_apart);
    hed_free(surfaces.is_kept);
    return status;
}

void hed_sim_self_free(HedSim* sim) {
    hed_self_free(&sim->self);
    hed_free(sim->self_start);
    hed_tangle_free(sim);
}

void hed_sim_self_begin(HedSim* sim) {
    if (sim->self_start) {
        size_t bytes = sizeof(HedVec3) * (size_t)sim->x.count;
        memcpy(sim->self_start, sim->x.data, bytes);
        memcpy(sim->self_start + sim->x.count, sim->v.data, bytes);
        sim->self_count = sim->count;
        hed_parts_save(sim, sim->parts.piece);
        hed_tangle_begin(sim);
    }
}

// Back to the start of the step, with a word on why.
static HedReason give_back(HedSim* sim, const HedSelfReport* self, HedStepReport* report) {
    size_t bytes = sizeof(HedVec3) * (size_t)sim->x.count;
    hed_parts_restore(sim, sim->parts.piece);
    memcpy(sim->x.data, sim->self_start, bytes);
    memcpy(sim->v.data, sim->self_start + sim->x.count, bytes);
    sim->count = sim->self_count;
    char place[96];
    hed_sim_describe_point(sim, self->worst[0], place, sizeof place);
    snprintf(report->trouble, sizeof report->trouble, "sheets cannot be kept apart (%s) at %s",
             hed_self_reason_name(self->reason), place);
    return self->reason == HED_SELF_NOT_FINITE ? HED_REASON_NOT_FINITE : HED_REASON_MAX_ITERATIONS;
}

// J, of motion and of all elements: what impacts take from it, they dissipate.
static double mechanical_energy(HedSim* sim) {
    hed_parts_set_points(sim);
    HedEnergies energies = hed_sim_energies(sim);
    return energies.total - energies.dissipated + energies.external;
}

// The same before impacts changed the step. The state of its start is not needed any more: its
// place holds the state of the end meanwhile.
static double proposed_energy(HedSim* sim, double h) {
    int32_t n = sim->x.count;
    size_t bytes = sizeof(HedVec3) * (size_t)n;
    memcpy(sim->self_start, sim->x.data, bytes);
    memcpy(sim->self_start + n, sim->v.data, bytes);
    for (int32_t i = 0; i < n; ++i) {
        HedVec3 change = hed_sub3(sim->x.data[i], sim->self.proposed[i]);
        sim->v.data[i] = hed_madd3(sim->v.data[i], -1.0 / h, change);
        sim->x.data[i] = sim->self.proposed[i];
    }
    double energy = mechanical_energy(sim);
    memcpy(sim->x.data, sim->self_start, bytes);
    memcpy(sim->v.data, sim->self_start + n, bytes);
    return energy;
}

HedReason hed_sim_self_end(HedSim* sim, double h, HedStepReport* report) {
    if (!sim->self_start) {
        return HED_REASON_CONVERGED;
    }
    HedSelfStep step = {sim->self_start, sim->x.data, sim->v.data, sim->inverse_mass, h};
    HedSelfReport found = {0};
    hed_sim_note(sim, hed_self_resolve(&sim->self, &step, &found, NULL));
    report->impact_count += found.impact_count;
    if (sim->failure != HED_OK) {
        return HED_REASON_MAX_ITERATIONS;
    }
    if (found.reason != HED_SELF_CLEAR) {
        return give_back(sim, &found, report);
    }
    if (found.impact_count > 0) {
        double before = proposed_energy(sim, h);
        sim->count.dissipated += before - mechanical_energy(sim); // parts follow the points
        hed_sim_forget_past(sim);                                 // velocities have jumped
    }
    return HED_REASON_CONVERGED;
}
