// SPDX-License-Identifier: MIT
// What the shear tests of woven cloth share: the cloth, its shear angle, and what is claimed.
#ifndef EXPERIMENT_SHEAR_LAB_H
#define EXPERIMENT_SHEAR_LAB_H

#include "experiment/slide_lab.h"

/// Spacing of yarns, and their width over it, which decides where they lock.
#define SHEAR_SPACING 1e-3 // m
#define SHEAR_COVER 0.75

/// speed: m/s, of what pulls; steps are solved to a part of it.
HedSimDef shear_sim(double speed);
HedSlidingDef shear_material(void);
SlideCloth shear_cloth(int32_t ends, int32_t picks);

/// deg, at which yarns side by side touch: cos gamma = width/spacing (Prodromou and Chen 1997).
double shear_lock_deg(void);

/// deg, mean over the crossings that start with |x| < half_width and |x| + |y| < reach: 90 less the
/// angle between the yarns, positive where the cloth gets longer along y.
double shear_angle_deg(const SlideTrial* s, double half_width, double reach);

/// What is seen at one displacement.
typedef struct ShearLook {
    double part;      // d/D or d/L
    double kinematic; // deg, of a net of yarns that neither stretch nor slide
    double angle;     // deg, mean over the part that is sheared alike
    double centre;    // deg, in the very middle
    double force;     // N
    double isotropic; // deg, of a sheet that is alike in all directions; 0: none
} ShearLook;

/// The force at an angle, by straight lines between looks.
double shear_force_at(const ShearLook* looks, int32_t count, double angle_deg);

/// Results and claims of a test, at the last look, and its plots.
void shear_report(HedLab* lab, const ShearLook* looks, int32_t count, const char* part);

#endif
