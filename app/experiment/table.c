// SPDX-License-Identifier: MIT
// The lists of experiments and benchmarks: one line each.
#include "experiment/list.h"

const HedExperiment* const EXPERIMENTS[] = {
    &EXPERIMENT_CANTILEVER,
    &EXPERIMENT_CAPSTAN,
    &EXPERIMENT_CATENARY,
    &EXPERIMENT_CLOTH_ON_SPHERE,
    &EXPERIMENT_DAMPING_INDEPENDENCE,
    &EXPERIMENT_CURL,
    &EXPERIMENT_DRAPE,
    &EXPERIMENT_HELICAL_BUCKLING,
    &EXPERIMENT_HYSTERESIS,
    &EXPERIMENT_INTEGRATORS,
    &EXPERIMENT_KNIT_REST,
    &EXPERIMENT_KNIT_STRETCH,
    &EXPERIMENT_MASS_SPRING_LIMITS,
    &EXPERIMENT_MICHELL,
    &EXPERIMENT_MUNDEN,
    &EXPERIMENT_PEIRCE,
    &EXPERIMENT_RING_LOAD,
    &EXPERIMENT_SELF_WEIGHT,
    &EXPERIMENT_SHEET_DAMPING,
    &EXPERIMENT_SPRING_DAMPING,
    &EXPERIMENT_STICK_SLIP,
    &EXPERIMENT_STRIP,
    &EXPERIMENT_SWATCHES,
    &EXPERIMENT_TANGLE,
    &EXPERIMENT_TWIST_TURNS,
    &EXPERIMENT_WIND,
    &EXPERIMENT_YARN_DAMPING,
    NULL,
};

const HedBench BENCHES[] = {
    {"sheet", "explicit steps of a mass-spring sheet against the machine's bandwidth", bench_sheet},
    {"implicit", "implicit steps of a mass-spring sheet", bench_implicit},
    {"solve", "linear solves of implicit steps: products, preconditioners, direct", bench_solve},
    {"swing", "a cloth let go from horizontal, with self-collision: cost, accuracy, Blender",
     bench_swing},
    {"rods", "rods on one thread: explicit, implicit, settled, a lattice with friction, knits",
     bench_rods},
    {"yarns", "explicit steps of knits with contact and friction between yarns", bench_yarns},
    {"slide", "sliding yarns: steps of woven and knitted cloth, preconditioners, products",
     bench_slide},
    {"render", "path tracing against Embree's own rate for the same rays", bench_render},
    {.name = NULL},
};
