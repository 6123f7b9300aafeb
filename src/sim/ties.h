// SPDX-License-Identifier: MIT
// Glue between yarns, pins that hold places of curves, and soft pins. Private to src/sim.
//
// A tie is hard or soft. Explicit steps meet hard ones by projection, after the free motion and
// before lengths (Kaldor 2011, figure 4.12), and a spring helps against what later stages undo. In
// implicit steps a hard tie is a stiff spring.
#ifndef HED_SIM_TIES_H
#define HED_SIM_TIES_H

#include "heddle/sim.h"
#include "model/spline/spline.h"

/// What a tie of the term's list belongs to.
typedef struct HedTieOwner {
    int32_t pin;   // -1: glue
    HedVec3 start; // m, of pins: where the place was
    bool is_hard;
    double strength; // N, of glue
} HedTieOwner;

struct HedSim;
struct HedCloth;

/// A place as a mean of points: vertex number and, on rods and splines, part of the way to the
/// next.
HedStatus hed_cloth_place(const struct HedSim* sim, const struct HedCloth* cloth, double at,
                          HedSplineStencil* place, HedError* error);

/// Ties a place to where it stands now, moved by a pin. stiffness: N/m; 0: hard.
HedStatus hed_ties_add_pin(struct HedSim* sim, HedSplineStencil place, int32_t pin,
                           double stiffness, HedError* error);

/// Stiffness of hard ties; before terms are made.
HedStatus hed_ties_create(struct HedSim* sim, HedError* error);
void hed_ties_free(struct HedSim* sim);

/// Brings anchors to a time, and lets go what pins do not hold any more.
void hed_ties_place(struct HedSim* sim, double time);

/// After a step: stitches that were pulled by more than they can bear are gone; returns how many.
int32_t hed_ties_break(struct HedSim* sim);

/// Ties are as the saved list of broken ones says.
void hed_ties_restored(struct HedSim* sim);

/// Meets hard ties at positions x.
void hed_ties_project(const struct HedSim* sim, HedVec3* x);
bool hed_ties_are_hard(const struct HedSim* sim);

/// As hed_sim_rods_bound.
void hed_ties_bound(const struct HedSim* sim, double* sum);

/// N, what a pin's ties add to its reaction.
HedVec3 hed_ties_reaction(const struct HedSim* sim, int32_t pin);

#endif
