// SPDX-License-Identifier: MIT
// The lists of experiments and benchmarks: one line each.
#include "experiment/bench.h"
#include "experiment/experiment.h"

const HedExperiment EXPERIMENTS[] = {
    {.name = NULL},
};

const HedBench BENCHES[] = {
    {.name = NULL},
};
