// SPDX-License-Identifier: MIT
// The state of a simulation, kept and gone back to: the one list of what it consists of. Steps and
// pieces of steps that fail go back by it, and checkpoints are made of it. Private to src/sim.
#ifndef HED_SIM_SNAPSHOT_H
#define HED_SIM_SNAPSHOT_H

#include "contact/yarn_contact.h"
#include "eol/touch.h"
#include "heddle/sim.h"

/// What there is to keep.
enum {
    HED_KEEP_COUNTERS = 1,
    HED_KEEP_POINTS = 2,    ///< Positions and velocities.
    HED_KEEP_CARRIED = 4,   ///< What a step hands on to the next besides them.
    HED_KEEP_FRAMES = 8,    ///< Of rods; which stitches are broken.
    HED_KEEP_PARTS = 16,    ///< Unknowns of parts (state/part.h), and contacts of their yarns.
    HED_KEEP_FRICTION = 32, ///< What friction between yarns remembers.
    HED_KEEP_ALL = 63
};

typedef struct HedSimSnapshot {
    unsigned what;            ///< Of the above; 0: nothing is ever kept.
    unsigned char* bytes;     ///< The arrays, one after the other.
    HedVec3* x;               ///< In them; NULL without points.
    HedVec3* v;               ///< Behind x.
    double* parts;            ///< NULL without parts.
    HedYarnMemory friction;   ///< Its size changes.
    HedTouchMemories touches; ///< Of contacts of yarns; so does theirs.
} HedSimSnapshot;

struct HedSim;

/// Those of a simulation whose parts and arrays are all there: of a step, of a piece of one, and of
/// what checkpoints have to be told.
HedStatus hed_snapshots_create(struct HedSim* sim, HedError* error);
void hed_snapshots_free(struct HedSim* sim);

/// Room for a snapshot. Free with hed_snapshot_free.
HedStatus hed_snapshot_create(struct HedSim* sim, unsigned what, HedSimSnapshot* snapshot,
                              HedError* error);
void hed_snapshot_free(HedSimSnapshot* snapshot);

/// Keeps the present state. Can fail for memory with friction, and with parts whose yarns touch.
HedStatus hed_snapshot_take(struct HedSim* sim, HedSimSnapshot* snapshot, HedError* error);

/// Back to what was kept. A failure with friction is made up for by the next take of friction.
HedStatus hed_snapshot_restore(struct HedSim* sim, const HedSimSnapshot* snapshot, HedError* error);

#endif
