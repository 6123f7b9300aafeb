// SPDX-License-Identifier: MIT
// The rods of a simulation and what holds their frames. Private to src/sim.
#ifndef HED_SIM_RODS_H
#define HED_SIM_RODS_H

#include "model/rod/rod.h"

/// A segment whose frame a pin keeps, or an end that a pin clamps.
typedef struct HedRodGrip {
    int32_t pin;
    int32_t rod;
    int32_t segment;  // -1: an end
    bool is_last;     // of ends: the last point, else the first
    HedVec3 tangent;  // at the start
    HedVec3 director; // at the start
} HedRodGrip;

/// Frames and angles are those of the points that were asked for last; a step begins by committing
/// those of its start.
typedef struct HedSimRods {
    HedRods rods;
    HedRodCondense condense;
    bool has_condense; // the setup of the present matrix went well
    HedRodGrip* grip;
    int32_t grip_count;
    bool is_at_start; // prepared at the points of the step's start
} HedSimRods;

struct HedSim;

/// NULL in sim->rods if there are none.
HedStatus hed_sim_rods_create(struct HedSim* sim, HedError* error);
void hed_sim_rods_free(struct HedSim* sim);

/// Brings frames and angles to positions.
void hed_sim_rods_prepare(struct HedSim* sim, const HedVec3* x);

/// Before a step from t to t + h: rest shapes yield, frames are carried on from here, and pins turn
/// what they hold.
void hed_sim_rods_begin(struct HedSim* sim, double t, double h);

/// After the state was read from a checkpoint, and pins were brought up to date.
HedStatus hed_sim_rods_restored(struct HedSim* sim, HedError* error);

/// The freedom of angles takes something off the stiffness of points, which the matrix has no
/// place for: products subtract it. `assembled` once per matrix, at the state prepared last.
void hed_sim_rods_assembled(struct HedSim* sim, bool is_exact);
void hed_sim_rods_condense(const struct HedSim* sim, const HedVec3* from, HedVec3* to);

/// Adds to each point's row of the stiffness matrix what its absolute values sum up to at most,
/// N/m; sharply bent rods (a right angle at a vertex) included.
void hed_sim_rods_bound(const struct HedSim* sim, double* sum);

/// The state of frames was put back: they are not those of the present points.
void hed_sim_rods_moved(const struct HedSim* sim);

#endif
