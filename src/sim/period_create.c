// SPDX-License-Identifier: MIT
// What a period needs before the first step, and copies of a whole repeat for contact.
#include "sim/internal.h"

HedStatus hed_period_check(const HedSim* sim, HedError* error) {
    const HedPeriod* period = sim->period;
    bool has_images = period && period->copies.images.count > 0;
    return has_images ? hed_copies_check(&period->copies, sim->x.data, error) : HED_OK;
}

static HedStatus refuse(const HedSim* sim, HedError* error) {
    HedVec3 g = sim->def.gravity;
    if (hed_dot3(g, g) > 0.0) {
        return hed_fail(error, HED_INVALID,
                        "a cloth that repeats for ever would fall for ever: gravity must be 0 with "
                        "a period, got (%g, %g, %g)",
                        g.x, g.y, g.z);
    }
    if (hed_sim_is_implicit(sim) || hed_sim_is_by_position(sim)) {
        return hed_fail(error, HED_UNSUPPORTED, "a period needs explicit steps, and %s is none",
                        hed_integrator_name(sim->def.integrator));
    }
    if (sim->bodies.count > 0 || sim->triangles.count > 0) {
        return hed_fail(error, HED_UNSUPPORTED, "a period is for yarns alone, without %s",
                        sim->bodies.count > 0 ? "bodies" : "sheets");
    }
    if (sim->strand_list.count == 0) {
        return hed_fail(error, HED_INVALID, "there is a period, but no yarn");
    }
    return HED_OK;
}

// kg, of one repeat.
static double mass_of(const HedSim* sim) {
    double mass = 0.0;
    for (int32_t i = sim->period->copies.vector + 2; i < sim->x.count; ++i) {
        mass += sim->mass.data[i];
    }
    return mass;
}

HedStatus hed_period_create(HedSim* sim, HedError* error) {
    HedStatus status = HED_OK;
    HedPeriod* period = sim->period;
    if (!period) {
        return HED_OK;
    }
    HED_TRY(refuse(sim, error));
    for (int k = 0; k < 2; ++k) {
        double* mass = &sim->mass.data[period->copies.vector + k];
        *mass = *mass > 0.0 ? *mass : 4.0 * mass_of(sim);
    }
    double reach = 0.0;
    for (int32_t k = 0; k < sim->strand_list.count && sim->def.yarn_contact; ++k) {
        reach = fmax(reach, 2.0 * sim->strand_list.data[k].radius);
    }
    period->copies.point_count = sim->x.count;
    HED_TRY(hed_copies_choose(&period->copies, sim->x.data, reach, error));
done:
    return status;
}

void hed_period_free(HedSim* sim) {
    if (sim->period) {
        hed_copies_free(&sim->period->copies);
        hed_free(sim->period);
    }
}

int32_t hed_period_spread_count(const HedSim* sim) {
    return sim->period ? hed_copies_count(&sim->period->copies) : sim->x.count;
}

const HedVec3* hed_period_spread(HedSim* sim, HedYarnRoom room, const HedVec3* values) {
    return sim->period ? hed_copies_spread(&sim->period->copies, room, values) : values;
}

HedVec3* hed_period_open(HedSim* sim, HedVec3* force) {
    return sim->period ? hed_copies_open(&sim->period->copies) : force;
}

void hed_period_close(HedSim* sim, HedVec3* force) {
    if (sim->period) {
        hed_copies_close(&sim->period->copies, force);
    }
}

double hed_period_bound(HedSim* sim, const double* sum, int32_t stride, int32_t count) {
    const HedPeriod* period = sim->period;
    hed_copies_bound(&period->copies, period->def.is_free, sum, stride, count);
    double largest = 0.0;
    for (int32_t i = 0; i < sim->x.count; ++i) {
        if (sim->mass.data[i] > 0.0) {
            largest = fmax(largest, period->copies.rows[i] / sim->mass.data[i]);
        }
    }
    return largest;
}
