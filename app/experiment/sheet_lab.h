// SPDX-License-Identifier: MIT
// What the sheet experiments share: a scene with changed values, stepped by hand.
#ifndef EXPERIMENT_SHEET_LAB_H
#define EXPERIMENT_SHEET_LAB_H

#include "experiment/experiment.h"

enum { TRIAL_SETS = 16 };

/// A simulation built from a scene of the experiment, with values changed as by --set.
typedef struct Trial {
    HedScene* scene;
    HedSim* sim;
    HedSheetId sheet;
    int32_t vertex_count;
    HedVec3* positions; ///< Of the first sheet; filled by trial_positions.
    char set[TRIAL_SETS][1200];
    int32_t set_count;
    double wall; ///< s, spent in steps
} Trial;

/// Adds a change, "step.size=1e-3 s"; before trial_start.
void trial_set(Trial* trial, const char* format, ...) HED_PRINTF(2, 3);

/// Loads, builds and checks. 0, or the exit code with everything said.
int trial_start(HedLab* lab, Trial* trial, const char* scene);

/// Goes on to a simulated time. False if the solver gave up on the way.
bool trial_go(Trial* trial, double time);

/// Reads the positions of the first sheet into trial->positions.
void trial_positions(Trial* trial);
void trial_end(Trial* trial);

/// a = b + s c over three arrays of `count` doubles: bytes per second, counting 24 an element.
double trial_triad(int32_t threads, int32_t count);

/// Seconds of a clock that never goes back.
double trial_clock(void);

/// Seconds that the calling thread has had a processor: a measure that others on the machine hardly
/// change.
double trial_busy(void);

#endif
