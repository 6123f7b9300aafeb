// SPDX-License-Identifier: MIT
// The experiments and benchmarks that table.c lists.
#ifndef EXPERIMENT_LIST_H
#define EXPERIMENT_LIST_H

#include "experiment/bench.h"

extern const HedExperiment EXPERIMENT_BIAS_EXTENSION;
extern const HedExperiment EXPERIMENT_CANTILEVER;
extern const HedExperiment EXPERIMENT_CAPSTAN;
extern const HedExperiment EXPERIMENT_CATENARY;
extern const HedExperiment EXPERIMENT_CLOTH_ON_SPHERE;
extern const HedExperiment EXPERIMENT_DAMPING_INDEPENDENCE;
extern const HedExperiment EXPERIMENT_CURL;
extern const HedExperiment EXPERIMENT_DRAPE;
extern const HedExperiment EXPERIMENT_HELICAL_BUCKLING;
extern const HedExperiment EXPERIMENT_HYSTERESIS;
extern const HedExperiment EXPERIMENT_INCLINE;
extern const HedExperiment EXPERIMENT_INTEGRATORS;
extern const HedExperiment EXPERIMENT_KNIT_REST;
extern const HedExperiment EXPERIMENT_KNIT_STRETCH;
extern const HedExperiment EXPERIMENT_MASS_SPRING_LIMITS;
extern const HedExperiment EXPERIMENT_MICHELL;
extern const HedExperiment EXPERIMENT_MUNDEN;
extern const HedExperiment EXPERIMENT_PEIRCE;
extern const HedExperiment EXPERIMENT_PICTURE_FRAME;
extern const HedExperiment EXPERIMENT_PULL_OUT;
extern const HedExperiment EXPERIMENT_RING_LOAD;
extern const HedExperiment EXPERIMENT_SELF_WEIGHT;
extern const HedExperiment EXPERIMENT_SHEET_DAMPING;
extern const HedExperiment EXPERIMENT_SLIDING_TRUTH;
extern const HedExperiment EXPERIMENT_SNAG;
extern const HedExperiment EXPERIMENT_SPRING_DAMPING;
extern const HedExperiment EXPERIMENT_STICK_SLIP;
extern const HedExperiment EXPERIMENT_STRIP;
extern const HedExperiment EXPERIMENT_SWATCHES;
extern const HedExperiment EXPERIMENT_TANGLE;
extern const HedExperiment EXPERIMENT_TWIST_TURNS;
extern const HedExperiment EXPERIMENT_WIND;
extern const HedExperiment EXPERIMENT_YARN_DAMPING;

int bench_sheet(HedLab* lab);
int bench_implicit(HedLab* lab);
int bench_solve(HedLab* lab);
int bench_swing(HedLab* lab);
int bench_rods(HedLab* lab);
int bench_slide(HedLab* lab);
int bench_statics(HedLab* lab);
int bench_contact(HedLab* lab);
int bench_render(HedLab* lab);
int bench_yarns(HedLab* lab);

#endif
