// SPDX-License-Identifier: MIT
// What the tests of run directories share: a small scene, and calls that must succeed.
#ifndef TESTS_SUPPORT_RUNS_H
#define TESTS_SUPPORT_RUNS_H

#include "heddle/run.h"

/// 5 x 4 vertices held at a corner beside a moving box: 0.2 s in steps of 1/100 s, frames of 1/50
/// s, two measurements.
extern const char RUN_SCENE[];

/// The scene with one value changed ("path=value"), or as it is (NULL).
HedScene* run_parse(const char* override);

/// One thread, into this directory.
HedRunOptions run_options(const char* directory);

HedRunReport run_scene(const HedScene* scene, const HedRunOptions* options);

#endif
