// SPDX-License-Identifier: MIT
// Sliding yarns as part of a simulation.
//
// Each set has an engine of its own (slide/slide.h), which holds its state: positions, and where
// along its yarns each node stands. The points of the simulation are the nodes, in the order of the
// net: their positions and velocities follow the engines, and pins, loads and measurements need to
// know nothing else. What is seen of a set are the smooth curves of its net.
#ifndef HED_SIM_SLIDING_H
#define HED_SIM_SLIDING_H

#include "base/array.h"
#include "heddle/sliding.h"
#include "slide/slide.h"

typedef struct HedSlidingSet {
    HedNet net;          // as it was at the start, but for crossings that have come apart since
    int32_t net_version; // of those (slide/leave.h)
    HedTeam team;
    HedSlide* slide;
    int32_t first_point; // node 0 in the simulation
    int32_t curve_point_count;
} HedSlidingSet;

typedef struct HedSimSliding {
    HED_ARRAY(HedSlidingSet*) sets;

    // Written by prepare.
    int64_t state_count;
    int32_t gone_count;  // of crossings that had come apart at the start of the step
    double* state;       // of all sets, at the start of the step or when it was last asked for
    double* piece_state; // the same at the start of a piece of a step; NULL for a single set
                         // whose own steps leave it as it was
    HedSlideHold* holds; // room for what pins hold of any set
} HedSimSliding;

/// HED_UNSUPPORTED if there are sliding yarns: they stand alone.
HedStatus hed_sliding_check_alone(const HedSim* sim, const char* what, HedError* error);

/// In place of what sheets and other yarns need (sim/prepare.c).
HedStatus hed_sliding_prepare(HedSim* sim, HedError* error);
void hed_sliding_free(HedSim* sim);

/// One step of size h from time t; the state changes only if the reason says converged.
HedReason hed_step_sliding(HedSim* sim, double t, double h, HedStepReport* report);

/// As hed_sim_measure_solve().
HedStatus hed_sliding_measure_solve(HedSim* sim, int32_t rounds, HedSolveMeasure* out,
                                    HedError* error);

/// Keeps the state of the start of a step; back to it.
void hed_sliding_keep(HedSim* sim);
void hed_sliding_restore(HedSim* sim);

/// Whether all numbers of the kept state are finite.
bool hed_sliding_is_finite(const HedSim* sim);

/// The engines' state from the points' positions and velocities, and back.
void hed_sliding_take_points(HedSim* sim);
void hed_sliding_give_points(HedSim* sim);

/// Makes the net of a set agree with what has come apart.
void hed_sliding_follow(HedSlidingSet* set);

/// After a step: what came apart in it.
void hed_sliding_note_gone(const HedSim* sim, HedStepReport* report);

/// Adds what sliding yarns have to energies, which have kinetic energy and columns only.
void hed_sliding_add_energies(const HedSim* sim, HedEnergies* energies);

/// After a step: energy (J) of contacts with bodies and of self-collision; the forces of bodies on
/// each point.
double hed_sliding_contact_energy(const HedSim* sim);
void hed_sliding_note_contacts(HedSim* sim);

/// Forces (N) of everything but inertia on the nodes that a pin holds, with the pin's sign.
HedVec3 hed_sliding_reaction(const HedSim* sim, int32_t pin);

/// Mean and largest strain of pieces of yarn.
void hed_sliding_strain(const HedSlidingSet* set, double values[2]);

/// Points of the curves, and their velocities.
void hed_sliding_positions(const HedSim* sim, const HedSlidingSet* set, HedVec3* positions);
void hed_sliding_velocities(const HedSlidingSet* set, HedVec3* velocities);

/// A quantity at each of them.
void hed_sliding_quantity(const HedSim* sim, const HedSlidingSet* set, HedQuantity quantity,
                          double* values);

#endif
