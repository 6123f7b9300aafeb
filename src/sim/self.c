// SPDX-License-Identifier: MIT
// Sheets against themselves and each other: after a step has been found, it is changed until
// nothing passes through anything on the way (contact/self.h).
#include "base/alloc.h"
#include "contact/yarn_ccd.h"
#include "sim/internal.h"
#include "sim/surfaces.h"

#include <stdio.h>
#include <string.h>

HedStatus hed_sim_self_create(HedSim* sim, HedError* error) {
    HedStatus status = HED_OK;
    HedSurfaces surfaces = {0};
    if (!sim->def.self_collision) {
        return HED_OK;
    }
    HED_TRY(hed_surfaces_collect(sim, &surfaces, error));
    if (surfaces.triangles.count == 0) {
        goto done;
    }
    HedSelfDef def = {
        .point_count = sim->x.count,
        .triangles = surfaces.triangles.data,
        .triangle_count = surfaces.triangles.count / 3,
        .segments = surfaces.segments.data,
        .segment_count = surfaces.segments.count / 2,
        .is_apart = surfaces.is_apart,
        .is_kept = hed_sim_has_touches(sim) ? surfaces.is_kept : NULL,
        .seam = surfaces.seam,
        .start = sim->x.data,
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
    hed_surfaces_free(&surfaces);
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

// Impacts have moved what the way to the solution had proved: rods must not meet on that last leg
// either.
static HedReason sweep_change(HedSim* sim, HedStepReport* report) {
    HedYarnMeeting meeting;
    if (!hed_sim_is_implicit(sim) || // explicit steps are looked at as a whole (sim/sweep.c)
        hed_sim_sweep_is_clear(sim, sim->self.proposed, sim->x.data, &meeting)) {
        return HED_REASON_CONVERGED;
    }
    hed_sim_sweep_describe(sim, &meeting, hed_sim_time(sim) + sim->def.time_step, report);
    hed_snapshot_restore(sim, &sim->piece, NULL);
    return HED_REASON_TUNNELED;
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
    if (found.impact_count > 0 && sweep_change(sim, report) != HED_REASON_CONVERGED) {
        return HED_REASON_TUNNELED;
    }
    if (found.impact_count > 0) {
        double before = proposed_energy(sim, h);
        sim->count.dissipated += before - mechanical_energy(sim); // parts follow the points
        hed_sim_forget_past(sim);                                 // velocities have jumped
    }
    return HED_REASON_CONVERGED;
}
