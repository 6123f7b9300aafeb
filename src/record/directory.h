// SPDX-License-Identifier: MIT
// The files of a run directory: their names, who may write them, and taking them away again.
#ifndef HED_RECORD_DIRECTORY_H
#define HED_RECORD_DIRECTORY_H

#include "base/status.h"

typedef enum HedRunFile {
    HED_RUN_SCENE,
    HED_RUN_SUMMARY,
    HED_RUN_ENERGY,
    HED_RUN_MEASURE,
    HED_RUN_CHECKPOINT,
    HED_RUN_BEFORE, // the checkpoint before it, while the run goes on
    HED_RUN_FRAMES, // a directory
    HED_RUN_OBJECTS,
    HED_RUN_LOCK,
    HED_RUN_FILE_COUNT
} HedRunFile;

/// Paths of one run. Zero-initialise; free with hed_run_directory_free, which also gives back the
/// lock.
typedef struct HedRunDirectory {
    char* root;
    char* path[HED_RUN_FILE_COUNT];
    char* frame; // room for the path of a frame
    size_t frame_size;
    int lock; // file descriptor + 1; 0: not locked
} HedRunDirectory;

HedStatus hed_run_directory_init(HedRunDirectory* directory, const char* root, HedError* error);
void hed_run_directory_free(HedRunDirectory* directory);

/// Path of a frame's file, valid until the next call.
const char* hed_run_frame_path(const HedRunDirectory* directory, int64_t frame);

/// Whether heddle has begun a run there.
bool hed_run_directory_is_run(const HedRunDirectory* directory);

/// Frames 0, 1, ... that are there without a gap, counted from a number known to be there.
int32_t hed_run_directory_frames(const HedRunDirectory* directory, int32_t known);

/// Refuses if a run is there (unless resume or force), or files of the same names that are not
/// heddle's (always). Writes nothing.
HedStatus hed_run_directory_check(const HedRunDirectory* directory, bool resume, bool force,
                                  HedError* error);

/// Whether a living process is writing the run.
bool hed_run_directory_is_locked(const HedRunDirectory* directory);

/// Makes the directory, takes the lock that one process at a time may have, and checks again.
HedStatus hed_run_directory_claim(HedRunDirectory* directory, bool resume, bool force,
                                  HedError* error);

/// Removes the results of an earlier run, in an order that leaves no old checkpoint beside new
/// files. Removes nothing else. The scene stays: it is replaced at once by the next one.
HedStatus hed_run_directory_clear(const HedRunDirectory* directory, HedError* error);

/// Removes halves of files that a killed process left behind.
void hed_run_directory_tidy(const HedRunDirectory* directory);

#endif
