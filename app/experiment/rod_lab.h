// SPDX-License-Identifier: MIT
// What the experiments on single yarns share: a yarn built by hand, brought to rest in two ways,
// and compared with theory on three resolutions.
#ifndef EXPERIMENT_ROD_LAB_H
#define EXPERIMENT_ROD_LAB_H

#include "experiment/experiment.h"

/// A yarn in a simulation of its own. Begin, change def and yarn, place vertices, build.
typedef struct RodTrial {
    HedLab* lab;
    HedSimDef def;
    HedYarnsDef yarn;
    HedVec3* x; ///< m, of all vertices: the start, later what was measured.
    int32_t count;
    bool is_closed;
    HedSim* sim;
    HedYarnsId id;
    double rate; ///< 1/s, explicit: how fast the slowest motion dies away; drag is twice this.
    double size; ///< m, explicit: how far it goes; a ten-thousandth of it counts as rest.
} RodTrial;

/// How a yarn is simulated.
typedef struct RodWay {
    int32_t segments;
    HedYarnModel model;
    bool is_explicit; ///< Steps with drag until all is still; else the equations of rest.
    bool is_kept;     ///< Its shape is saved as shape.bcc.
} RodWay;

/// A yarn of 1 kg/m, no gravity, no contact, no radius to speak of. 0 or the exit code.
int rod_begin(HedLab* lab, const RodWay* way, bool is_closed, RodTrial* trial);

/// Makes the simulation from def, yarn and x.
int rod_build(RodTrial* trial);

/// Holds one vertex; clamps: direction and twist of an end, too. keyframes may be NULL.
int rod_hold(RodTrial* trial, int32_t vertex, bool clamps, const HedKeyframe* keyframes,
             int32_t keyframe_count);
int rod_pull(RodTrial* trial, int32_t vertex, HedVec3 force);

/// Goes on for a number of steps; x is read. 0, or the exit code: a solver that gave up is said.
int rod_go(RodTrial* trial, int32_t steps);

/// Brings it to rest by whichever way it was begun with; x is read.
int rod_rest(RodTrial* trial);

/// N, what the k-th pin does to the yarn.
HedVec3 rod_reaction(const RodTrial* trial, int32_t pin);

/// Saves the present shape as shape.bcc and draws it as shape.png (not if quick).
void rod_draw(RodTrial* trial);
void rod_end(RodTrial* trial);

/// Straight from `from` to `to`.
void rod_line(RodTrial* trial, HedVec3 from, HedVec3 to);

enum { ROD_VALUES = 3 };

/// Something that theory tells about a yarn at rest.
typedef struct RodCase {
    int32_t value_count;
    const char* name[ROD_VALUES]; ///< Of the results.
    double expected[ROD_VALUES];
    /// Simulates once; 0 or the exit code. values[value_count] is an error of the whole shape,
    /// which, unlike those of single values, does not pass through zero at some parameter.
    int (*run)(HedLab* lab, const void* context, const RodWay* way, double* values);
    const void* context;
    int32_t multiple; ///< Numbers of segments are multiples of this.
    double layer;  ///< Where the yarn bends most, over how much of its length: EI/P L^2 and such.
    int32_t stiff; ///< Splines of fewer segments are softer, the fewer the more; 0: none are.
} RodCase;

/// Parameters that every case has: segments, model, integrator.
#define ROD_PARAMETERS                                                                             \
    {.name = "segments",                                                                           \
     .unit = "",                                                                                   \
     .number = 64.0,                                                                               \
     .least = 16.0,                                                                                \
     .most = 4096.0,                                                                               \
     .whole = true,                                                                                \
     .help =                                                                                       \
         "of the finest yarn (of each side of a ring); coarser ones have a half and a quarter"},   \
        {.name = "model",                                                                          \
         .text = "rod",                                                                            \
         .choices = "rod spline",                                                                  \
         .help = "straight pieces with twist, or cubic B-splines"},                                \
    {                                                                                              \
        .name = "integrator", .text = "implicit", .choices = "implicit explicit",                  \
        .help = "the equations of rest, or explicit steps with drag until all is still"            \
    }

/// Three resolutions, errors, order; then explicit steps against the equations of rest. Results
/// and claims are made.
int rod_case_run(HedLab* lab, const RodCase* from);

#endif
