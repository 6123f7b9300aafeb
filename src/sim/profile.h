// SPDX-License-Identifier: MIT
// Where the time of a step goes. Without a profile no clock is read.
#ifndef HED_SIM_PROFILE_H
#define HED_SIM_PROFILE_H

#include "base/timer.h"
#include "sim/internal.h"

static inline double hed_stage_begin(const HedSim* sim) {
    return sim->profile ? hed_time_now() : 0.0;
}

static inline void hed_stage_end(const HedSim* sim, HedStage stage, double begin) {
    if (sim->profile) {
        sim->profile->seconds[stage] += hed_time_now() - begin;
    }
}

#endif
