// SPDX-License-Identifier: MIT
// Yarns against each other, and what explicit steps do to them afterwards. Private to src/sim.
#ifndef HED_SIM_STRANDS_H
#define HED_SIM_STRANDS_H

#include "contact/yarn_contact.h"
#include "heddle/sim.h"
#include "model/nonrigid.h"
#include "solve/projection.h"

typedef struct HedStrands {
    HedYarnContact contact;
    bool has_contact;
    double ahead;         // s, of the step that is being solved
    HedYarnScale scale;   // of the present matrix
    HedYarnMemory memory; // of friction, for checkpoints
    HedYarnMemory start;  // the same at the start of a step cut into pieces
    HedVec3* scratch;     // one vector per point
    HedLengths lengths;   // of yarns that do not stretch
    bool has_lengths;
    double stiffness;   // 1/s^2, bound on stiffness over mass of all elements at rest
    double damping;     // 1/s, the same of their damping
    HedRegions regions; // of nonrigid damping
    bool has_regions;
} HedStrands;

struct HedSim;

/// NULL in sim->strands without yarns.
HedStatus hed_strands_create(struct HedSim* sim, HedError* error);
void hed_strands_free(struct HedSim* sim);

/// Adds the forces of yarns on each other at a state; returns W that damping takes. *energy, if not
/// NULL: J.
double hed_strands_add_force(const struct HedSim* sim, const HedVec3* x, const HedVec3* v,
                             HedVec3* force, double* energy);

/// Before a step of size h, and after one that went well: friction remembers.
void hed_strands_begin(struct HedSim* sim, double h);
void hed_strands_end(struct HedSim* sim, double h);

/// The matrix of contacts between yarns, for implicit steps: assembled says how the present one is
/// made (rate: dv/dx, 1/s), the others use it at the trial state.
void hed_strands_assembled(struct HedSim* sim, double rate, bool is_exact);
void hed_strands_multiply(const struct HedSim* sim, const HedVec3* from, HedVec3* to);
void hed_strands_add_diagonal(const struct HedSim* sim, HedMat3* diagonal);

/// After the free motion of an explicit step: lengths are restored, motion that is not rigid is
/// damped.
void hed_strands_settle(struct HedSim* sim, double h);

/// s, a size of explicit steps that is stable with all elements and present contacts.
double hed_strands_stable_step(const struct HedSim* sim);

/// Friction's memory in snapshots: appends its arrays, returns how many there are then, or 0
/// without memory; makes room before a restore, and takes it after one.
int32_t hed_strands_snapshot(struct HedSim* sim, HedSnapshotArray* arrays, int32_t count);
HedStatus hed_strands_restored(struct HedSim* sim, HedError* error);

/// A step that is cut into pieces: keeps the memory of its start, and goes back to it.
void hed_strands_keep(struct HedSim* sim);
void hed_strands_restore(struct HedSim* sim);

#endif
