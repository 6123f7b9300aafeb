// SPDX-License-Identifier: MIT
#include "sim/sliding_touch.h"
#include "sim/internal.h"

bool hed_sim_has_touches(const HedSim* sim) {
    bool has = false;
    for (int32_t k = 0; k < sim->sliding.sets.count; ++k) {
        has = has || sim->sliding.sets.data[k]->touches;
    }
    return has && sim->def.self_collision;
}

void hed_sim_mark_touches(const HedSim* sim, bool* is_marked) {
    for (int32_t k = 0; k < sim->sliding.sets.count; ++k) {
        const HedSlidingSet* set = sim->sliding.sets.data[k];
        for (int32_t i = 0; i < set->net.node_count; ++i) {
            is_marked[set->first_point + i] = set->touches;
        }
    }
}

HedStatus hed_sim_touches_create(HedSim* sim, HedError* error) {
    HedStatus status = HED_OK;
    if (!hed_sim_has_touches(sim)) {
        return HED_OK;
    }
    HedTouches* touches = sim->touches = HED_NEW(HedTouches);
    if (!touches) {
        return hed_fail_memory(error, "contacts of yarns");
    }
    touches->team = &sim->team;
    touches->friction = sim->def.self_friction;
    for (int32_t k = 0; k < sim->sliding.sets.count; ++k) {
        const HedSlidingSet* set = sim->sliding.sets.data[k];
        if (set->touches) {
            HED_TRY(hed_touches_add(touches, set->eol, set->net.clasp_count > 0, error));
            touches->cloths.data[touches->cloths.count - 1].first =
                hed_sim_part_at(sim, set->first_point)->first;
        }
    }
done:
    return status;
}

void hed_sim_touches_free(HedSim* sim) {
    if (sim->touches) {
        hed_touches_free(sim->touches);
        hed_free(sim->touches);
    }
}

bool hed_sim_touches_begin(HedSim* sim) {
    if (!sim->touches) {
        return true;
    }
    hed_sim_note(sim, hed_touches_begin(sim->touches, &sim->why));
    if (sim->failure != HED_OK || hed_touches_can_be(sim->touches)) {
        return true;
    }
    // Where all goes on as it did something would pass through: from the start, then.
    for (int32_t k = 0; k < sim->parts.list.count; ++k) {
        sim->parts.list.data[k].type->guess_start(sim->parts.list.data[k].self);
    }
    return hed_touches_can_be(sim->touches);
}

void hed_sim_touches_add_forces(const HedSim* sim, HedVec3* force) {
    for (int32_t k = 0, t = 0; sim->touches && k < sim->sliding.sets.count; ++k) {
        const HedSlidingSet* set = sim->sliding.sets.data[k];
        if (!set->touches) {
            continue;
        }
        const HedVec3* own = sim->touches->cloths.data[t++].force;
        for (int32_t i = 0; i < set->eol->node_count; ++i) {
            HedVec3* to = &force[set->first_point + set->eol->order[i]];
            *to = hed_add3(*to, own[i]);
        }
    }
}

HedStatus hed_sim_touches_resize(HedSim* sim, int64_t bytes, HedSnapshotArray* array,
                                 HedError* error) {
    int64_t entry = sizeof(HedTouchMemory);
    if (bytes < 0 || bytes % entry != 0 || bytes > INT32_MAX) {
        return hed_fail(error, HED_INVALID, "'%s' cannot have %lld bytes", array->name,
                        (long long)bytes);
    }
    HedTouchMemories* m = &sim->told.touches;
    m->count = 0;
    if (!HED_RESERVE(m, bytes / entry)) {
        return hed_fail_memory(error, array->name);
    }
    m->count = (int32_t)(bytes / entry);
    array->data = m->data;
    array->bytes = bytes;
    return HED_OK;
}
