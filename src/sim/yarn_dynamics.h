// SPDX-License-Identifier: MIT
// Yarns against each other, and what explicit steps do to them afterwards. Private to src/sim.
#ifndef HED_SIM_YARN_DYNAMICS_H
#define HED_SIM_YARN_DYNAMICS_H

#include "contact/yarn_contact.h"
#include "heddle/sim.h"
#include "sim/regions.h"
#include "solve/projection.h"

typedef struct HedYarnDynamics {
    HedYarnContact contact;
    double ahead;              // s, of the step that is being solved
    HedYarnScale scale;        // of the present matrix
    const HedYarnMemory* owed; // of friction: for lack of memory not gone back to yet; NULL: none
    HedVec3* scratch;          // one vector per point
    HedLengths lengths;        // of yarns that do not stretch
    double stiffness;          // 1/s^2, bound on stiffness over mass of all elements at rest
    double damping;            // 1/s, the same of their damping
    double energy;             // J, of contacts, when forces were last found
    double deepest;       // least distance of yarns over r_i + r_j, when forces were last found
    double stable;        // s, stable size of explicit pieces, when it was last found
    double rated_deepest; // deepest then; infinite: not known yet
    HedRegions regions;   // of nonrigid damping
    HedRegions pairs;     // of its first pass
    HedVec3* lag;         // m, where regions see their points
    HedVec3* rated;       // m, points when the stable size was last found
    double least_reach;   // m, at which the thinnest yarns touch
    int32_t rated_piece;  // number of the piece when the stable size was last found
    int32_t piece;        // number of the present piece of a step
    bool has_contact;
    bool has_lengths;
    bool wants_rate; // the next forces are to find the stable size anew
    bool has_regions;
} HedYarnDynamics;

struct HedSim;

/// NULL in sim->strands without yarns.
HedStatus hed_yarn_dynamics_create(struct HedSim* sim, HedError* error);
void hed_yarn_dynamics_free(struct HedSim* sim);

/// Adds the forces of yarns on each other at a state on the way of a step; returns W that damping
/// takes. A failure is noted in the sim.
double hed_yarn_dynamics_add_force(struct HedSim* sim, const HedVec3* x, const HedVec3* v,
                                   HedVec3* force);

/// The same at the present places with velocities v, between steps.
HedStatus hed_yarn_dynamics_measure(struct HedSim* sim, const HedVec3* v, HedVec3* force,
                                    HedYarnSum* sum, HedError* error);

/// Before a step of size h, and after one that went well: friction remembers.
void hed_yarn_dynamics_begin(struct HedSim* sim, double h);
void hed_yarn_dynamics_end(struct HedSim* sim, double h);

/// The matrix of contacts between yarns, for implicit steps: assembled says how the present one is
/// made (rate: dv/dx, 1/s) and takes it at the trial state, at which forces were found last;
/// linearise takes it again, at another one; the others use it.
HedStatus hed_yarn_dynamics_assembled(struct HedSim* sim, double rate, bool is_exact);
HedStatus hed_yarn_dynamics_linearise(struct HedSim* sim);
void hed_yarn_dynamics_multiply(const struct HedSim* sim, const HedVec3* from, HedVec3* to);
void hed_yarn_dynamics_add_diagonal(const struct HedSim* sim, HedMat3* diagonal);

/// After the free motion of an explicit step from t to t + h: glue and lengths are restored, motion
/// that is not rigid is damped.
void hed_yarn_dynamics_settle(struct HedSim* sim, double t, double h);

/// Yarns that are nearer than touching by this part count as if they touched, when the size of
/// explicit pieces is found.
#define HED_NEARLY 0.1

/// hed_yarn_add_force, and what the size of the next pieces follows from.
HedYarnSum hed_yarn_dynamics_add_force_rated(struct HedSim* sim, HedYarnState at, HedVec3* force);

/// s, a size of the next explicit piece of a step that is stable with all elements and present
/// contacts. pieces: made so far in this step.
double hed_yarn_dynamics_piece(struct HedSim* sim, int32_t pieces);

/// What friction between yarns remembers (sim/snapshot.h): whether it does, and to and fro. What
/// could not be restored for lack of memory stays owed, and `memory` must stay, until the next save
/// or restore.
bool hed_yarn_dynamics_remembers(const struct HedSim* sim);
HedStatus hed_yarn_dynamics_save(struct HedSim* sim, HedYarnMemory* memory, HedError* error);
HedStatus hed_yarn_dynamics_restore(struct HedSim* sim, const HedYarnMemory* memory,
                                    HedError* error);

/// Continuous-time test (sim/sweep.c). Explicit: after a piece of a step from t on, a reason if
/// yarns passed through each other in it.
HedReason hed_sim_sweep_end(struct HedSim* sim, double t, double h, HedStepReport* report);

/// Says in the log which segments start in each other.
void hed_sim_sweep_note(const struct HedSim* sim, const HedYarnPair* pairs, int32_t count);

/// Implicit: a first guess that yarns cannot reach is replaced by the start, with pins where they
/// have to be; not even that may be possible. A correction has to be finite and clear: if it is
/// not, *meeting says what yarns would meet, if any do. The last names them in the report of a step
/// to a time.
HedReason hed_sim_sweep_guess(struct HedSim* sim, double t, double h, HedStepReport* report);
bool hed_sim_sweep_is_clear(struct HedSim* sim, const HedVec3* from, const HedVec3* to,
                            struct HedYarnMeeting* meeting);
void hed_sim_sweep_describe(const struct HedSim* sim, const struct HedYarnMeeting* meeting,
                            double time, HedStepReport* report);

#endif
