// SPDX-License-Identifier: MIT
// Regions over which motion of yarns is damped where it is not rigid. Private to src/sim.
#ifndef HED_SIM_REGIONS_H
#define HED_SIM_REGIONS_H

#include "heddle/yarn.h"
#include "model/nonrigid.h"

struct HedCloth;
struct HedSim;
struct HedYarnDynamics;

/// Blocks and pairs of a set of yarns: checks them and makes room, before its points are made;
/// takes them over, once it is known which point each vertex is.
HedStatus hed_sim_regions_reserve(struct HedSim* sim, const HedYarnsDef* def, HedError* error);
void hed_sim_regions_take(struct HedSim* sim, const HedYarnsDef* def, const int32_t* place);

/// The regions of all yarns, if their motion is to be damped: those given, and pieces of curves
/// where there are none.
HedStatus hed_sim_regions_create(struct HedSim* sim, struct HedYarnDynamics* own, HedError* error);
void hed_sim_regions_free(struct HedYarnDynamics* own);

/// Damps the motion of a piece of a step: pairs first, then the others.
void hed_sim_regions_settle(struct HedSim* sim, double h);

/// W that this takes from each point; power holds one number per point.
HedStatus hed_sim_regions_power(struct HedSim* sim, double* power, HedError* error);

#endif
