// SPDX-License-Identifier: MIT
// What a run is taken up from: the last good checkpoint, and frames that are still whole.
#ifndef HED_RUN_RESUME_H
#define HED_RUN_RESUME_H

#include "heddle/scene.h"
#include "record/checkpoint.h"
#include "record/directory.h"

/// Puts the state of the last checkpoint into a sim built from the scene and prepared; that of the
/// one before, with a warning, where the last one is damaged.
HedStatus hed_resume_state(const HedRunDirectory* directory, const HedScene* scene, HedSim* sim,
                           HedCheckpoint* found, HedError* error);

/// How many of the first frames are missing or damaged, with a warning for each of some of them:
/// going on does not bring them back.
int32_t hed_resume_lost_frames(const HedRunDirectory* directory, int64_t count);

#endif
