// SPDX-License-Identifier: MIT
// Forces on chosen vertices.
#include "base/alloc.h"
#include "sim/internal.h"

HedLoadDef hed_load_def_default(void) {
    return (HedLoadDef){.name = "load", .stamp = 0x6C6F6164};
}

static HedStatus check_load(HedSim* sim, const HedLoadDef* def, const char* name, HedError* error) {
    if (def->stamp != hed_load_def_default().stamp) {
        return hed_fail(error, HED_INVALID, "load def was not filled by hed_load_def_default");
    }
    if (sim->is_prepared) {
        return hed_fail(error, HED_INVALID, "load '%s' comes after the first step", name);
    }
    if (def->vertex_count < 1 || !def->vertices) {
        return hed_fail(error, HED_INVALID, "load '%s' acts on no vertex", name);
    }
    if (!hed_is_finite3(def->force)) {
        return hed_fail(error, HED_INVALID, "load '%s': force must be finite, got (%g, %g, %g) N",
                        name, def->force.x, def->force.y, def->force.z);
    }
    return HED_OK;
}

// A vertex of a spline is a mean of control points, and shares its force among them alike.
static HedStatus append_pulls(HedSim* sim, const HedCloth* cloth, int32_t vertex, HedVec3 force,
                              HedError* error) {
    bool ok = cloth->knot || HED_APPEND(&sim->pulls, ((HedPull){cloth->place[vertex], force}));
    for (int m = 0; cloth->knot && ok && m < 4; ++m) {
        const HedSplineStencil* at = &cloth->knot[vertex];
        HedPull pull = {at->point[m], hed_mul3(at->weight[m], force)};
        ok = at->weight[m] == 0.0 || HED_APPEND(&sim->pulls, pull);
    }
    return ok ? HED_OK : hed_fail_memory(error, "loads");
}

HedStatus hed_load_create(HedSim* sim, const HedLoadDef* def, HedError* error) {
    HedStatus status = HED_OK;
    int32_t before = sim ? sim->pulls.count : 0;
    const char* name = def->name ? def->name : "load";
    HED_TRY(check_load(sim, def, name, error));
    const HedCloth* cloth = hed_sim_find_cloth(sim, def->sheet, def->yarns, error);
    if (!cloth) {
        return HED_INVALID;
    }
    for (int32_t k = 0; k < def->vertex_count; ++k) {
        int32_t vertex = def->vertices[k];
        if (vertex < 0 || vertex >= cloth->vertex_count) {
            return hed_fail(error, HED_INVALID, "load '%s': %s %d does not exist, '%s' has 0 to %d",
                            name, hed_cloth_vertex(sim, cloth), vertex, cloth->name,
                            cloth->vertex_count - 1);
        }
    }
    for (int32_t k = 0; k < def->vertex_count; ++k) {
        HED_TRY(append_pulls(sim, cloth, def->vertices[k], def->force, error));
    }
done:
    if (sim && status != HED_OK) {
        sim->pulls.count = before;
    }
    return status;
}

HedStatus hed_sim_loads_create(HedSim* sim, HedError* error) {
    if (sim->pulls.count == 0) {
        return HED_OK;
    }
    sim->load = HED_NEW_ARRAY(HedVec3, sim->x.count);
    if (!sim->load) {
        return hed_fail_memory(error, "loads");
    }
    for (int32_t k = 0; k < sim->pulls.count; ++k) {
        HedVec3* at = &sim->load[sim->pulls.data[k].point];
        *at = hed_add3(*at, sim->pulls.data[k].force);
    }
    return HED_OK;
}
