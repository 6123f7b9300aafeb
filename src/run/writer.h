// SPDX-License-Identifier: MIT
// The writing side of a run: frames, tables and checkpoints in step with each other.
#ifndef HED_RUN_WRITER_H
#define HED_RUN_WRITER_H

#include "record/checkpoint.h"
#include "record/directory.h"
#include "run/csv.h"
#include "run/frames.h"

/// Zero-initialise; free with hed_run_writer_free. Scene and sim are borrowed.
typedef struct HedRunWriter {
    const HedScene* scene;
    HedSim* sim;
    HedRunDirectory directory;
    HedFrameBuffer buffer;
    HedCsv energy;
    HedCsv measure;
    HedCheckpoint state; // what a checkpoint written now would say
} HedRunWriter;

/// Buffers only; nothing is written.
HedStatus hed_run_writer_init(HedRunWriter* writer, const HedScene* scene, HedSim* sim,
                              HedError* error);
void hed_run_writer_free(HedRunWriter* writer);

/// Removes an earlier run and writes what stands before the first frame.
HedStatus hed_run_writer_start(HedRunWriter* writer, HedError* error);

/// Takes up the run of `state` (as read from the checkpoint): checks the tables and cuts them back
/// to it, and writes again what follows from the scene alone.
HedStatus hed_run_writer_resume(HedRunWriter* writer, HedError* error);

/// hed_sim_energies, or HED_NO_MEMORY.
HedStatus hed_run_energies(const HedSim* sim, HedEnergies* energies, HedError* error);

/// Writes the present state as the next frame, with its rows. If a value is not finite nothing is
/// written, *finite is false and trouble says what.
HedStatus hed_run_writer_frame(HedRunWriter* writer, bool* finite, char trouble[160],
                               HedError* error);

/// The checkpoint before is kept beside it.
HedStatus hed_run_writer_checkpoint(HedRunWriter* writer, HedError* error);

/// At the end: removes the checkpoint before the last, and frames from `count` on, left by an
/// earlier, longer attempt.
void hed_run_writer_trim(HedRunWriter* writer, int64_t count);

#endif
