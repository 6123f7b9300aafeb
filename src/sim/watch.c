// SPDX-License-Identifier: MIT
#include "sim/watch.h"

#include "base/alloc.h"
#include "base/timer.h"

#include <string.h>

static const double PATIENCE = 0.5; // s that a step takes in silence, and from telling to telling

// Reading the clock costs as much as an iteration on a few points: it is read in some of them.
enum { MANY_POINTS = 1000, SELDOM = 16 };

void hed_sim_set_watch(HedSim* sim, HedStepWatch watch) {
    sim->watch.hooks = watch;
}

// Vectors that steps of second order and the guesses of implicit ones take from the step before.
enum { CARRIED = 4 };

static int32_t list_carried(const HedSim* sim, HedVec3* list[CARRIED]) {
    HedVec3* all[CARRIED] = {sim->acceleration, sim->implicit.a_before, sim->x_previous,
                             sim->v_previous};
    int32_t count = 0;
    for (int k = 0; k < CARRIED; ++k) {
        if (all[k]) {
            list[count++] = all[k];
        }
    }
    return count;
}

static HedStatus keep(HedSim* sim, HedError* error) {
    HedVec3* list[CARRIED];
    int32_t count = list_carried(sim, list);
    int64_t size = sim->x.count;
    double* pushes = sim->contact_force;
    if (!sim->watch.kept) {
        sim->watch.kept = HED_NEW_ARRAY(HedVec3, (count + (pushes != NULL)) * size);
    }
    if (!sim->watch.kept) {
        return hed_fail_memory(error, "the start of a step");
    }
    for (int32_t k = 0; k < count; ++k) {
        memcpy(sim->watch.kept + k * size, list[k], sizeof(HedVec3) * (size_t)size);
    }
    if (pushes) {
        memcpy(sim->watch.kept + count * size, pushes, sizeof *pushes * (size_t)size);
    }
    return HED_OK;
}

void hed_sim_watch_restore(HedSim* sim) {
    HedVec3* list[CARRIED];
    int32_t count = list_carried(sim, list);
    int64_t size = sim->x.count;
    double* pushes = sim->contact_force;
    for (int32_t k = 0; k < count; ++k) {
        memcpy(list[k], sim->watch.kept + k * size, sizeof(HedVec3) * (size_t)size);
    }
    if (pushes) {
        memcpy(pushes, sim->watch.kept + count * size, sizeof *pushes * (size_t)size);
    }
}

HedStatus hed_sim_watch_begin(HedSim* sim, HedStepReport* report, HedError* error) {
    HedSimWatch* watch = &sim->watch;
    watch->report = report;
    watch->describe = NULL;
    watch->is_stopped = false;
    watch->asked = 0;
    watch->told = watch->hooks.tell ? hed_time_now() : 0.0;
    return watch->hooks.stop ? keep(sim, error) : HED_OK;
}

void hed_sim_watch_describe(HedSim* sim, HedDescribe describe, const void* self) {
    sim->watch.describe = describe;
    sim->watch.self = self;
}

static void tell(HedSim* sim) {
    HedSimWatch* watch = &sim->watch;
    double now = hed_time_now();
    if (now - watch->told < PATIENCE || !watch->report) {
        return;
    }
    watch->told = now;
    HedStepReport so_far = *watch->report;
    if (watch->describe) {
        watch->describe(watch->self, &so_far);
    }
    watch->hooks.tell(&so_far, watch->hooks.context);
}

bool hed_sim_is_stopped(HedSim* sim) {
    HedSimWatch* watch = &sim->watch;
    if (watch->is_stopped) {
        return true;
    }
    bool is_time = sim->x.count > MANY_POINTS || ++watch->asked % SELDOM == 0;
    if (watch->hooks.tell && is_time) {
        tell(sim);
    }
    watch->is_stopped = watch->hooks.stop && watch->hooks.stop(watch->hooks.context);
    return watch->is_stopped;
}

static bool is_stopped(void* context) {
    return hed_sim_is_stopped(context);
}

HedWatch hed_sim_watch(HedSim* sim) {
    bool is_used = sim->watch.hooks.stop || sim->watch.hooks.tell;
    return is_used ? (HedWatch){is_stopped, sim} : (HedWatch){0};
}
