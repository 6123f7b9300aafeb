// SPDX-License-Identifier: MIT
#include "sim/sliding_touch.h"
#include "sim/internal.h"

// Of a part whose yarns touch one by one; NULL: it does not.
static HedEol* eol_of(const HedPart* part) {
    HedEol* eol = part->type == &HED_EOL_PART ? part->self : NULL;
    return eol && eol->touches ? eol : NULL;
}

bool hed_sim_has_touches(const HedSim* sim) {
    bool has = false;
    for (int32_t k = 0; k < sim->parts.list.count; ++k) {
        has = has || eol_of(&sim->parts.list.data[k]);
    }
    return has && sim->def.self_collision;
}

void hed_sim_mark_touches(const HedSim* sim, bool* is_marked) {
    for (int32_t k = 0; k < sim->parts.list.count; ++k) {
        const HedPart* part = &sim->parts.list.data[k];
        for (int32_t i = 0; i < part->point_count; ++i) {
            is_marked[part->first_point + i] = eol_of(part) != NULL;
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
    for (int32_t k = 0; k < sim->parts.list.count; ++k) {
        const HedPart* part = &sim->parts.list.data[k];
        HedEol* eol = eol_of(part);
        if (eol) {
            HED_TRY(hed_touches_add(touches, eol, eol->view.net.clasp_count > 0, error));
            touches->cloths.data[touches->cloths.count - 1].first = part->first;
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
    for (int32_t k = 0, t = 0; sim->touches && k < sim->parts.list.count; ++k) {
        const HedPart* part = &sim->parts.list.data[k];
        const HedEol* eol = eol_of(part);
        const HedVec3* own = eol ? sim->touches->cloths.data[t++].force : NULL;
        for (int32_t i = 0; eol && i < eol->node_count; ++i) {
            HedVec3* to = &force[part->first_point + eol->order[i]];
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
