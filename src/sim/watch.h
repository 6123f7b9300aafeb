// SPDX-License-Identifier: MIT
// Steps that take long can be looked into and given up.
#ifndef HED_SIM_WATCH_H
#define HED_SIM_WATCH_H

#include "sim/internal.h"

/// A step begins.
void hed_sim_watch_begin(HedSim* sim, HedStepReport* report);

/// Whoever solves the equations of a step says how to describe what is worst at present, for as
/// long as that is possible; NULL: nobody does.
void hed_sim_watch_describe(HedSim* sim, HedDescribe describe, const void* self);

/// Whether the step is to be given up; from then on true until its end. Tells the hook how far the
/// step is if it is time to.
bool hed_sim_is_stopped(HedSim* sim);

/// The same question, for solvers that know nothing of simulations.
HedWatch hed_sim_watch(HedSim* sim);

#endif
