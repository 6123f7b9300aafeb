// SPDX-License-Identifier: MIT
// Enough to go on to the last bit: where the run stands, how long its tables were, the sim's state.
#ifndef HED_RECORD_CHECKPOINT_H
#define HED_RECORD_CHECKPOINT_H

#include "base/status.h"
#include "heddle/sim.h"

/// Everything but the sim's arrays. Nothing here depends on the clock on the wall or on the
/// machine: the last checkpoint of a run is the same however often it was stopped.
typedef struct HedCheckpoint {
    uint64_t scene_hash;
    int64_t steps;
    int64_t frames;           // whole ones, with their rows in both tables
    int64_t energy_bytes;     // length of energy.csv up to the last frame's row
    int64_t measure_bytes;    // the same of measure.csv
    double worst_residual;    // N
    double worst_penetration; // m
    bool knows_hashes;        // of the tables; checkpoints of version 0.1 may not
    uint64_t energy_hash;     // of the rows up to there
    uint64_t measure_hash;
} HedCheckpoint;

HedStatus hed_checkpoint_save(const char* path, const HedCheckpoint* checkpoint, HedSim* sim,
                              HedError* error);

/// Reads all but the sim's state.
HedStatus hed_checkpoint_read(const char* path, HedCheckpoint* checkpoint, HedError* error);

/// Puts the state into a sim built from the same scene and prepared.
HedStatus hed_checkpoint_restore(const char* path, HedSim* sim, HedError* error);

#endif
