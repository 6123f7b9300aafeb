// SPDX-License-Identifier: MIT
// Sheets against themselves and each other: after a step has been found, it is changed until
// nothing passes through anything on the way (contact/self.h).
#include "base/alloc.h"
#include "sim/internal.h"

#include <stdio.h>
#include <string.h>

// Triangles of all sheets, then those of the skins of parts.
typedef struct Surfaces {
    HED_ARRAY(int32_t) triangles;
    bool* is_apart; // per point: it keeps its distance from its own part in another way
} Surfaces;

static HedStatus collect_surfaces(const HedSim* sim, Surfaces* surfaces, HedError* error) {
    int64_t count = sim->triangles.count + hed_parts_skin_size(sim);
    surfaces->is_apart = HED_NEW_ARRAY(bool, sim->x.count);
    if (count > INT32_MAX || !surfaces->is_apart ||
        !HED_RESERVE(&surfaces->triangles, (int32_t)count)) {
        return hed_fail_memory(error, "surfaces");
    }
    for (int32_t k = 0; k < sim->triangles.count; ++k) {
        surfaces->triangles.data[surfaces->triangles.count++] = sim->triangles.data[k];
    }
    hed_parts_skins(sim, surfaces->triangles.data + surfaces->triangles.count, surfaces->is_apart);
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
    sim->has_self = true;
    HED_TRY(hed_tangle_create(sim, error));
done:
    hed_free(surfaces.triangles.data);
    hed_free(surfaces.is_apart);
    return status;
}

void hed_sim_self_free(HedSim* sim) {
    hed_self_free(&sim->self);
    hed_tangle_free(sim);
}

// Back to the start of the piece of the step, with a word on why.
static HedReason give_back(HedSim* sim, const HedSelfReport* self, HedStepReport* report) {
    hed_snapshot_restore(sim, &sim->piece, NULL);
    char place[96];
    hed_sim_describe_point(sim, self->worst[0], place, sizeof place);
    snprintf(report->trouble, sizeof report->trouble, "sheets cannot be kept apart (%s) at %s",
             hed_self_reason_name(self->reason), place);
    return self->reason == HED_SELF_NOT_FINITE ? HED_REASON_NOT_FINITE : HED_REASON_MAX_ITERATIONS;
}

// J, of motion and of all elements: what impacts take from it, they dissipate.
static double mechanical_energy(HedSim* sim) {
    hed_parts_set_points(sim);
    HedEnergies energies = hed_sim_find_energies(sim);
    return energies.total - energies.dissipated + energies.external;
}

// The same before impacts changed the step.
static double proposed_energy(HedSim* sim, double h) {
    hed_snapshot_take(sim, &sim->end, NULL);
    for (int32_t i = 0; i < sim->x.count; ++i) {
        HedVec3 change = hed_sub3(sim->x.data[i], sim->self.proposed[i]);
        sim->v.data[i] = hed_madd3(sim->v.data[i], -1.0 / h, change);
        sim->x.data[i] = sim->self.proposed[i];
    }
    double energy = mechanical_energy(sim);
    hed_snapshot_restore(sim, &sim->end, NULL);
    return energy;
}

HedReason hed_sim_self_end(HedSim* sim, double h, HedStepReport* report) {
    if (!sim->has_self) {
        return HED_REASON_CONVERGED;
    }
    HedSelfStep step = {sim->x_old, sim->x.data, sim->v.data, sim->inverse_mass, h};
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
