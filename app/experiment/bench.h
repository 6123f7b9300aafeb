// SPDX-License-Identifier: MIT
// Benchmarks: like experiments, without parameters. Results are times with their accuracy beside.
#ifndef EXPERIMENT_BENCH_H
#define EXPERIMENT_BENCH_H

#include "experiment/experiment.h"

typedef struct HedBench {
    const char* name;
    const char* title;
    int (*run)(HedLab* lab);
} HedBench;

/// All benchmarks; the last one has no name.
extern const HedBench BENCHES[];

#endif
