// SPDX-License-Identifier: MIT
// The spline yarns of a simulation. Private to src/sim.
//
// Points of the simulation are control points: of an open yarn two more than it has vertices. Its
// vertices are the points of the curve where segments begin and end; each is a mean of control
// points (HedCloth.knot), at open ends the first and the last of them.
#ifndef HED_SIM_SPLINES_H
#define HED_SIM_SPLINES_H

#include "contact/contact.h"
#include "heddle/yarn.h"
#include "model/spline/spline.h"

typedef struct HedSimSplines {
    HedSplines splines;
    HedSplineLengths lengths; // of yarns that keep them, in explicit steps
    bool has_lengths;
    HedSplineMass mass; // consistent, in explicit steps
    bool has_mass;
    bool is_factored; // for the points that are held now

    // Where bodies touch: SPOTS a segment, evenly spaced, and the ends of open yarns.
    HedSpot* spots;
    int32_t spot_count;
    uint8_t* is_control; // per point of the simulation
} HedSimSplines;

struct HedSim;
struct HedCloth;

/// Points of the simulation that a set of yarns takes, and of one curve of it.
int32_t hed_yarns_point_count(const HedYarnsDef* def);
int32_t hed_curve_point_count(const HedYarnsDef* def, const HedCurve* curve);

/// Control points through the vertices of a def, their masses and surfaces, and what vertices are
/// made of, for spline yarns whose points begin at cloth->first_point. The simulation's arrays have
/// room; nothing is counted up on failure.
HedStatus hed_sim_splines_append(struct HedSim* sim, const HedYarnsDef* def, struct HedCloth* cloth,
                                 HedError* error);

/// NULL in sim->splines if there are none.
HedStatus hed_sim_splines_create(struct HedSim* sim, HedError* error);
void hed_sim_splines_free(struct HedSim* sim);

/// The yarn of the model whose points begin at first.
int32_t hed_sim_splines_find(const struct HedSim* sim, int32_t first);

/// Makes forces so that force over lumped mass is the acceleration by the consistent one. Points
/// that are held keep theirs. Not if masses are lumped.
void hed_sim_splines_accelerate(struct HedSim* sim, HedVec3* force);

/// After the free motion of an explicit step of size h from x_old and v_old, with held points where
/// they are taken to: by consistent mass they take their neighbours along. Counts what their
/// holders put in for that.
void hed_sim_splines_carry(struct HedSim* sim, double h);

/// J, kinetic energy by consistent mass beyond that of lumped masses; 0 if masses are lumped.
double hed_sim_splines_kinetic(const struct HedSim* sim, const HedVec3* v);

/// As hed_sim_rods_bound, of stretching or of bending.
void hed_sim_splines_bound(const struct HedSim* sim, bool bends, double* sum);

/// Whether some have consistent masses.
bool hed_sim_splines_are_full(const struct HedSim* sim);

/// How much stiffer everything is against consistent masses than against lumped ones, at most.
double hed_sim_splines_lightness(const struct HedSim* sim);

#endif
