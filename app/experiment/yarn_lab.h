// SPDX-License-Identifier: MIT
// What the experiments with yarns share: curves that are made point by point, a simulation of them
// that is stepped by hand, and what is read off it.
#ifndef EXPERIMENT_YARN_LAB_H
#define EXPERIMENT_YARN_LAB_H

#include "experiment/experiment.h"

/// Curves that grow. Zero-initialise; free with yarn_curves_free.
typedef struct YarnCurves {
    HedVec3* x;
    int32_t point_count;
    int32_t point_room;
    HedCurve* curves;
    int32_t count;
    int32_t room;
    bool has_failed; ///< No memory: nothing was added since.
} YarnCurves;

/// Begins a new curve; points follow.
void yarn_curves_begin(YarnCurves* curves, double radius);
void yarn_curves_add(YarnCurves* curves, HedVec3 point);
void yarn_curves_free(YarnCurves* curves);

/// A simulation of sets of yarns. Zero-initialise; end with yarn_trial_end.
typedef struct YarnTrial {
    HedSim* sim;
    HedError error;
    HedStatus status; ///< Of the first call that failed; later ones do nothing.
} YarnTrial;

/// hed_sim_create and the others, in a row; the first failure stays in the trial. Threads are those
/// of the def, or else of the command line.
void yarn_trial_begin(YarnTrial* trial, HedLab* lab, HedSimDef def);
HedYarnsId yarn_trial_add(YarnTrial* trial, const YarnCurves* curves, HedYarnsDef def);
HedPinId yarn_trial_pin(YarnTrial* trial, HedPinDef def);
void yarn_trial_body(YarnTrial* trial, HedBodyDef def);

/// Goes on to a time. False, with the reason in the trial, if it could not.
bool yarn_trial_go(YarnTrial* trial, double time);

/// Force of a pin on its yarns, N; zero after a failure.
HedVec3 yarn_trial_reaction(YarnTrial* trial, HedYarnsId yarns, HedPinId pin);

/// 0, or the exit code of what failed, said.
int yarn_trial_code(const YarnTrial* trial, HedLab* lab);
void yarn_trial_end(YarnTrial* trial);

/// Brings the points of curves to where the set made of them is now.
void yarn_trial_positions(const YarnTrial* trial, HedYarnsId yarns, YarnCurves* curves);

/// Sum of mass * velocity and of mass * position x velocity, and the kinetic energy, of a set whose
/// points have the masses that yarn_masses gave.
typedef struct YarnMotion {
    HedVec3 momentum; // kg m/s
    HedVec3 angular;  // kg m^2/s
    double kinetic;   // J
} YarnMotion;

/// One mass a point, kg, from the curves' present lengths; freed by the caller. NULL: no memory.
double* yarn_masses(const YarnCurves* curves, double linear_density);

/// Leaves the present points in curves.
YarnMotion yarn_trial_motion(const YarnTrial* trial, HedYarnsId yarns, YarnCurves* curves,
                             const double* mass);

/// Draws curves where they are, into the output directory, but not in a quick run. view: azimuth
/// and elevation, rad.
void yarn_lab_draw(HedLab* lab, const YarnCurves* const* sets, int32_t count, const char* picture,
                   const double view[2]);

#endif
