// SPDX-License-Identifier: MIT
// What the experiments on damping of sliding yarns share: a plain weave that is let go from a
// shape, its kinetic energy over time, and the damping ratio that it shows.
#ifndef EXPERIMENT_SWAY_LAB_H
#define EXPERIMENT_SWAY_LAB_H

#include "experiment/experiment.h"

/// A plain weave, flat in the x-y plane with the warp along y and its middle at the origin, and
/// what it is made of.
typedef struct SwayCloth {
    int32_t ends, picks;
    double spacing;        ///< m, of threads
    double radius;         ///< m
    double linear_density; ///< kg/m
    double tail;       ///< m, that threads reach beyond the outermost crossing; set by sway_weave
    HedSlidingDef def; ///< net is set by sway_weave
    HedNet net;        ///< Zero-initialise; free with hed_net_free.
} SwayCloth;

/// Makes cloth->net, its nodes on an even grid and its threads of the linear density given. 0 or
/// the exit code.
int sway_weave(HedLab* lab, SwayCloth* cloth);

/// How it starts, and for how long it is watched.
typedef struct SwayStart {
    double gravity; ///< m/s^2, along -y
    double step;    ///< s
    double duration;
    double tolerance; ///< m/s, of Newton's method
    /// Where a node starts that lies at rest at x, and whether it stays there. Is asked for all
    /// nodes; yarns do not slip through those that stay.
    HedVec3 (*place)(const SwayCloth* cloth, HedVec3 x, bool* stays);
} SwayStart;

/// A motion as it was recorded. Zero-initialise; free with sway_free.
typedef struct Sway {
    double* time;    ///< s
    double* kinetic; ///< J
    int32_t count, room;
    HedEnergies last;
    HedVec3* nodes; ///< m, at the end
    bool has_ended; ///< The solver went to the end.
    HedDecay fit;   ///< Of the kinetic energy; set by sway_fit.
} Sway;

/// Lets a cloth go. 0, also if the solver gave up; else the exit code.
int sway_run(HedLab* lab, const SwayCloth* cloth, const SwayStart* start, Sway* out);
void sway_free(Sway* sway);

/// Fits (24) of Sanchez-Banderas and Otaduy (2017) to the kinetic energy. 0 or the exit code.
int sway_fit(HedLab* lab, Sway* sway);

/// The damping ratio of the fit; 1 of what does not oscillate but fades; NaN of neither.
double sway_ratio(const Sway* sway);

/// Writes time and kinetic energy as columns of a CSV file of the output directory.
int sway_save(HedLab* lab, const Sway* sway, const char* csv);

/// Draws the cloth as it is at the end, but not in a quick run. view: azimuth and elevation, rad.
void sway_draw(HedLab* lab, const SwayCloth* cloth, const Sway* sway, const char* picture,
               const double view[2]);

#endif
