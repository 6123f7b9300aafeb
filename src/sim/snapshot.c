// SPDX-License-Identifier: MIT
#include "sim/snapshot.h"
#include "base/alloc.h"
#include "sim/internal.h"

#include <string.h>

// --- the list ---

enum { ARRAYS = 10 };

// The arrays of the state that live in the simulation, of the kinds that are asked for. What there
// is none of is left out. Parts and friction hand their state out by functions.
static int32_t list_arrays(HedSim* sim, unsigned what, HedSnapshotArray list[ARRAYS]) {
    const int64_t vectors = (int64_t)sizeof(HedVec3) * sim->x.count;
    const int64_t numbers = (int64_t)sizeof(double) * sim->x.count;
    const int64_t frames = sim->rods ? (int64_t)sizeof(double) * sim->rods->rods.state_count : 0;
    const struct {
        HedSnapshotArray array;
        unsigned kind;
    } all[ARRAYS] = {
        {{"counters", &sim->count, sizeof sim->count}, HED_KEEP_COUNTERS},
        {{"x", sim->x.data, vectors}, HED_KEEP_POINTS},
        {{"v", sim->v.data, vectors}, HED_KEEP_POINTS},
        {{"acceleration", sim->acceleration, vectors}, HED_KEEP_CARRIED},
        {{"a_before", sim->implicit.a_before, vectors}, HED_KEEP_CARRIED},
        {{"x_previous", sim->x_previous, vectors}, HED_KEEP_CARRIED},
        {{"v_previous", sim->v_previous, vectors}, HED_KEEP_CARRIED},
        {{"contact_force", sim->contact_force, numbers}, HED_KEEP_CARRIED},
        {{"rods", sim->rods ? sim->rods->rods.state : NULL, frames}, HED_KEEP_FRAMES},
        {{"broken", sim->tie_broken, sim->ties.list.count}, HED_KEEP_FRAMES},
    };
    int32_t count = 0;
    for (int k = 0; k < ARRAYS; ++k) {
        if (all[k].array.data && (all[k].kind & what)) {
            list[count++] = all[k].array;
        }
    }
    return count;
}

// --- snapshots ---

HedStatus hed_snapshot_create(HedSim* sim, unsigned what, HedSimSnapshot* snapshot,
                              HedError* error) {
    HedSnapshotArray list[ARRAYS];
    int32_t count = list_arrays(sim, what, list);
    int64_t bytes = 0;
    for (int32_t k = 0; k < count; ++k) {
        bytes += list[k].bytes;
    }
    *snapshot = (HedSimSnapshot){.what = what};
    snapshot->bytes = HED_NEW_ARRAY(unsigned char, bytes);
    bool has_parts = (what & HED_KEEP_PARTS) && sim->parts.list.count > 0;
    snapshot->parts = has_parts ? HED_NEW_ARRAY(double, sim->parts.state_count) : NULL;
    if (!snapshot->bytes || (has_parts && !snapshot->parts)) {
        hed_snapshot_free(snapshot);
        return hed_fail_memory(error, "the state of a simulation");
    }
    if (what & HED_KEEP_POINTS) { // behind the counters
        _Static_assert(sizeof(HedCounters) % sizeof(double) == 0, "vectors can follow");
        int64_t first = what & HED_KEEP_COUNTERS ? (int64_t)sizeof sim->count : 0;
        snapshot->x = (HedVec3*)(void*)(snapshot->bytes + first);
        snapshot->v = snapshot->x + sim->x.count;
    }
    return HED_OK;
}

void hed_snapshot_free(HedSimSnapshot* snapshot) {
    hed_free(snapshot->bytes);
    hed_free(snapshot->parts);
    hed_yarn_memory_free(&snapshot->friction);
    hed_free(snapshot->touches.data);
    *snapshot = (HedSimSnapshot){0};
}

HedStatus hed_snapshot_take(HedSim* sim, HedSimSnapshot* snapshot, HedError* error) {
    HedSnapshotArray list[ARRAYS];
    int32_t count = list_arrays(sim, snapshot->what, list);
    unsigned char* next = snapshot->bytes;
    for (int32_t k = 0; k < count; ++k) {
        memcpy(next, list[k].data, (size_t)list[k].bytes);
        next += list[k].bytes;
    }
    if (snapshot->parts) {
        hed_parts_save(sim, snapshot->parts);
    }
    if (snapshot->parts && sim->touches &&
        !hed_touches_copy(&sim->touches->memory, &snapshot->touches)) {
        return hed_fail_memory(error, "contacts of yarns");
    }
    return snapshot->what & HED_KEEP_FRICTION
               ? hed_yarn_dynamics_save(sim, &snapshot->friction, error)
               : HED_OK;
}

HedStatus hed_snapshot_restore(HedSim* sim, const HedSimSnapshot* snapshot, HedError* error) {
    HedSnapshotArray list[ARRAYS];
    int32_t count = list_arrays(sim, snapshot->what, list);
    const unsigned char* next = snapshot->bytes;
    if (snapshot->parts) {
        hed_parts_restore(sim, snapshot->parts);
    }
    if (snapshot->parts && sim->touches &&
        !hed_touches_copy(&snapshot->touches, &sim->touches->memory)) {
        return hed_fail_memory(error, "contacts of yarns");
    }
    for (int32_t k = 0; k < count; ++k) {
        memcpy(list[k].data, next, (size_t)list[k].bytes);
        next += list[k].bytes;
    }
    if (snapshot->what & HED_KEEP_FRAMES) {
        hed_sim_rods_moved(sim);
        hed_ties_restored(sim);
    }
    return snapshot->what & HED_KEEP_FRICTION
               ? hed_yarn_dynamics_restore(sim, &snapshot->friction, error)
               : HED_OK;
}

// What a piece of a step may have changed when it fails, or is looked at in the end: schemes that
// see no force but those of the start have changed nothing.
static unsigned kept_of_piece(const HedSim* sim) {
    bool is_implicit = hed_sim_is_implicit(sim);
    bool is_swept = !is_implicit && sim->yarn_dynamics && sim->yarn_dynamics->has_contact;
    bool is_looked_at = sim->has_self || is_swept;
    bool is_simple =
        sim->def.integrator == HED_EXPLICIT_EULER || sim->def.integrator == HED_SYMPLECTIC_EULER;
    if (is_simple && !is_looked_at && !hed_sim_splines_are_full(sim)) {
        return 0;
    }
    unsigned what = HED_KEEP_COUNTERS | HED_KEEP_POINTS;
    return is_looked_at ? what | HED_KEEP_CARRIED | HED_KEEP_PARTS : what;
}

HedStatus hed_snapshots_create(HedSim* sim, HedError* error) {
    HedStatus status = HED_OK;
    bool is_cut = hed_sim_is_implicit(sim) || sim->yarn_dynamics;
    HED_TRY(hed_snapshot_create(sim, is_cut ? HED_KEEP_ALL : 0, &sim->step, error));
    HED_TRY(hed_snapshot_create(sim, kept_of_piece(sim), &sim->piece, error));
    HED_TRY(hed_snapshot_create(sim, HED_KEEP_PARTS | HED_KEEP_FRICTION, &sim->told, error));
    sim->x_old = sim->piece.x;
    sim->v_old = sim->piece.v;
    if (sim->has_self) {
        HED_TRY(hed_snapshot_create(sim, HED_KEEP_POINTS, &sim->end, error));
    }
done:
    return status;
}

void hed_snapshots_free(HedSim* sim) {
    hed_snapshot_free(&sim->step);
    hed_snapshot_free(&sim->piece);
    hed_snapshot_free(&sim->told);
    hed_snapshot_free(&sim->end);
}

// --- checkpoints ---

int32_t hed_sim_snapshot(HedSim* sim, HedSnapshotArray arrays[HED_SNAPSHOT_LIMIT]) {
    if (hed_snapshot_take(sim, &sim->told, NULL) != HED_OK) {
        return 0;
    }
    int32_t count = list_arrays(sim, HED_KEEP_ALL, arrays);
    if (sim->told.parts) {
        int64_t size = (int64_t)sizeof(double) * sim->parts.state_count;
        arrays[count++] = (HedSnapshotArray){"sliding", sim->told.parts, size};
    }
    if (sim->touches) {
        HedTouchMemories* m = &sim->told.touches;
        arrays[count++] =
            (HedSnapshotArray){"touches", m->data, (int64_t)sizeof *m->data * m->count};
    }
    if (hed_yarn_dynamics_remembers(sim)) {
        HedYarnMemory* m = &sim->told.friction;
        arrays[count++] = (HedSnapshotArray){"yarn_pairs", m->pair.data,
                                             (int64_t)sizeof(int32_t) * m->pair.count};
        arrays[count++] = (HedSnapshotArray){"yarn_strains", m->value.data,
                                             (int64_t)sizeof(double) * m->value.count};
    }
    return count;
}

HedStatus hed_sim_snapshot_resize(HedSim* sim, int64_t bytes, HedSnapshotArray* array,
                                  HedError* error) {
    bool has_memory = hed_yarn_dynamics_remembers(sim);
    if (sim->touches && strcmp(array->name, "touches") == 0) {
        return hed_sim_touches_resize(sim, bytes, array, error);
    }
    bool is_pair = has_memory && strcmp(array->name, "yarn_pairs") == 0;
    bool is_value = has_memory && strcmp(array->name, "yarn_strains") == 0;
    int64_t entry = is_pair ? 2 * (int64_t)sizeof(int32_t) : 4 * (int64_t)sizeof(double);
    if ((!is_pair && !is_value) || bytes < 0 || bytes % entry != 0 || bytes > INT32_MAX) {
        return hed_fail(error, HED_INVALID, "'%s' cannot have %lld bytes", array->name,
                        (long long)bytes);
    }
    HedYarnMemory* m = &sim->told.friction;
    int32_t count = (int32_t)(bytes / entry);
    m->pair.count = is_pair ? 0 : m->pair.count;
    m->value.count = is_value ? 0 : m->value.count;
    if ((is_pair && !HED_RESERVE(&m->pair, 2 * (int64_t)count)) ||
        (is_value && !HED_RESERVE(&m->value, 4 * (int64_t)count))) {
        return hed_fail_memory(error, array->name);
    }
    m->pair.count = is_pair ? 2 * count : m->pair.count;
    m->value.count = is_value ? 4 * count : m->value.count;
    array->data = is_pair ? (void*)m->pair.data : (void*)m->value.data;
    array->bytes = bytes;
    return HED_OK;
}

static bool is_finite(const double* values, int64_t count) {
    bool ok = true;
    for (int64_t k = 0; values && k < count && ok; ++k) {
        ok = isfinite(values[k]);
    }
    return ok;
}

static bool are_finite(const HedVec3* vectors, int32_t count) {
    bool ok = true;
    for (int32_t k = 0; vectors && k < count && ok; ++k) {
        ok = hed_is_finite3(vectors[k]);
    }
    return ok;
}

static bool are_counters_good(const HedSim* sim) {
    const HedCounters* count = &sim->count;
    bool knows_tangle = count->is_tangled == 0 || (count->is_tangled == 1 && sim->tangle.is_open);
    return knows_tangle && count->steps >= 0 && isfinite(count->dissipated) &&
           isfinite(count->external) && isfinite(count->contact) && count->nonlinear >= 0.0 &&
           count->nonlinear <= 1.0 && isfinite(count->power.dissipated) &&
           isfinite(count->power.external);
}

HedStatus hed_sim_restored(HedSim* sim, HedError* error) {
    if (!sim->is_prepared) {
        return hed_fail(error, HED_INVALID, "only a prepared simulation can be restored");
    }
    int32_t n = sim->x.count;
    bool ok = are_counters_good(sim) && are_finite(sim->x.data, n) && are_finite(sim->v.data, n) &&
              are_finite(sim->acceleration, n) && are_finite(sim->implicit.a_before, n) &&
              are_finite(sim->x_previous, n) && are_finite(sim->v_previous, n) &&
              is_finite(sim->contact_force, n) &&
              is_finite(sim->told.parts, sim->parts.state_count) &&
              (!sim->touches || hed_touches_are_memory(sim->touches, &sim->told.touches)) &&
              (!sim->rods || is_finite(sim->rods->rods.state, sim->rods->rods.state_count));
    sim->are_pins_current = false;
    sim->contacts.list.count = 0;
    if (!ok) {
        return hed_fail(error, HED_PARSE, "the saved state is not finite");
    }
    hed_sim_sew_set(sim, hed_sim_time(sim));
    double last = (double)(sim->count.steps - 1) * sim->def.time_step;
    hed_pins_update(sim, last); // as the last step did
    HedStatus status = hed_sim_rods_restored(sim, error);
    hed_ties_restored(sim);
    return status == HED_OK ? hed_snapshot_restore(sim, &sim->told, error) : status;
}
