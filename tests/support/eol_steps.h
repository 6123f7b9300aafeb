// SPDX-License-Identifier: MIT
// Steps of one set of sliding yarns by itself, without a simulation around it.
#ifndef TEST_EOL_STEPS_H
#define TEST_EOL_STEPS_H

#include "eol/eol.h"
#include "solve/newton.h"

/// A node that is held: where it is at the end of a step.
typedef struct TestHold {
    int32_t node; // as the set numbers them
    bool clamps;  // yarns do not slip through it either
    HedVec3 target;
} TestHold;

/// One implicit step.
typedef struct TestSlideStep {
    double h;         // s
    double tolerance; // m/s; 0: 1e-4
    const TestHold* holds;
    int32_t hold_count;
    int32_t iterations; // out: corrections
} TestSlideStep;

/// The state changes only if it converged. BLOCKED also where the fabric would pass through itself.
HedNewtonReason test_slide_step(HedEol* eol, TestSlideStep* step);

#endif
