// SPDX-License-Identifier: MIT
#include "sim/watch.h"

#include "base/timer.h"

static const double PATIENCE = 0.5; // s that a step takes in silence, and from telling to telling

// Reading the clock costs as much as an iteration on a few points: it is read in some of them.
enum { MANY_POINTS = 1000, SELDOM = 16 };

void hed_sim_set_watch(HedSim* sim, HedStepWatch watch) {
    sim->watch.hooks = watch;
}

void hed_sim_watch_begin(HedSim* sim, HedStepReport* report) {
    HedSimWatch* watch = &sim->watch;
    watch->report = report;
    watch->describe = NULL;
    watch->is_stopped = false;
    watch->asked = 0;
    watch->told = watch->hooks.tell ? hed_time_now() : 0.0;
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
