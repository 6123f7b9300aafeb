// SPDX-License-Identifier: MIT
// What a relaxation consists of. Private to src/relax.
//
// Rest is found by dynamic relaxation: points move under their forces with masses of their own
// choice, as large as their stiffness, so that every point can use the same step, 1; motion is
// steered downhill (FIRE, Bitzek et al. 2006). Lengths are over the mean diameter, forces over
// B/d^2.
#ifndef HED_RELAX_RELAX_H
#define HED_RELAX_RELAX_H

#include "base/parallel.h"
#include "contact/yarn_copies.h"
#include "heddle/relax.h"

// The fabric as a whole along an axis (whole.c). It is longer by speed times its length per step.
typedef struct HedRelaxAxis {
    bool is_on;
    double speed;
    double force; // on the speed
    double centre;
    double reach; // of the furthest point from the centre
} HedRelaxAxis;

typedef struct HedRelaxWhole {
    HedRelaxAxis axes[3];
    double mass; // of each speed
    double pull; // largest of all axes: that a strand of yarn feels, on average
} HedRelaxWhole;

typedef struct HedRelax {
    HedRelaxDef def;
    HedTeam team;
    int32_t points;   // of the fabric
    int32_t count;    // points that move: the vectors of a fabric that repeats behind those
    double unit;      // m, mean diameter
    int32_t* next;    // per point: the next one of its yarn, or -1
    int32_t* prev;    // per point, or -1
    double* length;   // per point: at rest, to the next one
    double* bend;     // per point: bending stiffness of its yarn
    int32_t* next_at; // per point: where the next one stands: itself, or its copy
    int32_t* prev_at; // the same of the one before

    bool repeats;
    HedYarnCopies copies; // of a fabric that repeats: its ends stand behind all points that move
    HedTurns* turns;      // per yarn
    int32_t yarn_count;
    HedVec3 along[2]; // unit vectors
    bool is_free[2];
    double pull[2]; // of the last evaluation, along the vectors

    HedYarnContact contact; // of the present stage
    HedRelaxWhole whole;

    // Written by each evaluation.
    HedVec3* x;
    HedVec3* v;     // of points, besides that of the whole
    HedVec3* moves; // per point: both together
    HedVec3* force;
    HedVec3* first;   // per point: of its turn, on the point before
    HedVec3* last;    // and on the point behind
    HedVec3* tension; // per point: of the piece to the next one, on the next one
    double* mass;
    double energy;
    double overlap;
    double strain;

    double ahead;     // that friction looks, in steps
    HedVec3* before;  // points before the last move
    HedVec3* scratch; // one vector per point

    HedVec3* proved; // points at the last proof that no yarns passed
    double way;      // longest that a point may have gone since, in diameters
    int32_t proof_count;
} HedRelax;

/// Takes over the points of a fabric, without units. Free in any case.
HedStatus hed_relax_create(HedRelax* relax, const HedFabric* fabric, const HedRelaxDef* def,
                           HedError* error);
void hed_relax_free(HedRelax* relax);

/// Contact of yarns that are thinner by a part, at the present points.
HedStatus hed_relax_set_thickness(HedRelax* relax, const HedFabric* fabric, double part,
                                  HedError* error);

/// Forces at x, and what comes with them: energy, overlap, strain.
HedStatus hed_relax_find_force(HedRelax* relax, HedError* error);

/// Masses that are stable with steps of 1 at present.
HedStatus hed_relax_find_mass(HedRelax* relax, HedError* error);

/// What becomes of a velocity: how much is kept, and how much of force over mass is added.
typedef struct HedRelaxBlend {
    double keep, mix;
} HedRelaxBlend;

/// The whole: at the start of a stage, which axes it has, if anything is free to move; its forces
/// and mass, from those of points; its new speed, by which no point goes further than `most` in a
/// step; the velocity that a place has with it.
void hed_relax_whole_begin(HedRelax* relax);
void hed_relax_whole_find(HedRelax* relax);
void hed_relax_whole_move(HedRelax* relax, HedRelaxBlend blend, double step, double most);
HedVec3 hed_relax_whole_velocity(const HedRelax* relax, HedVec3 x);

/// How the motion goes on; zero-initialise at the start of a stage.
typedef struct HedRelaxPace {
    bool is_settling; // set from outside: no more speed, to a halt
    double step;
    double mixing;
    double drag;        // while it settles
    int32_t downhill;   // iterations since force and motion last disagreed
    int32_t age;        // iterations since masses were found
    double overlap;     // then
    int32_t backed_out; // iterations taken back
    double largest;     // force on a free point, or pull of a strand
    double speed;       // longest way of a point in the last iteration
} HedRelaxPace;

/// One iteration: forces, steering, motion. Leaves x as it was if yarns would have met.
HedStatus hed_relax_move(HedRelax* relax, HedRelaxPace* pace, HedError* error);

/// The proof that no yarn passed through another (proof.c): from here on; now, which fails if one
/// did; if points have gone far enough since, by another way of this length.
void hed_relax_proof_begin(HedRelax* relax);
HedStatus hed_relax_prove(HedRelax* relax, HedError* error);
HedStatus hed_relax_proof_follow(HedRelax* relax, double way, double thickness, HedError* error);

/// Fabrics that repeat (repeat.c): once, after points and yarns; what they add to forces, and to
/// masses. Zeros and nothing for others.
HedStatus hed_relax_repeat(HedRelax* relax, const HedFabric* fabric, HedError* error);
void hed_relax_fold(HedRelax* relax);
HedStatus hed_relax_fold_mass(HedRelax* relax, HedError* error);

/// Ends of yarns that go on, from the points that they are copies of.
void hed_relax_place(const HedRelax* relax, HedVec3* values);

/// Points, velocities or forces of all copies, for contact.
const HedVec3* hed_relax_spread(const HedRelax* relax, HedYarnRoom room, const HedVec3* values);

/// Point k of a yarn, or a copy of it: -1, count and count + 1 of one that goes on.
int32_t hed_relax_point(const HedRelax* relax, const HedFabricYarn* yarn, int32_t k);

/// Does not move.
static inline bool hed_relax_is_held(const HedRelax* relax, int32_t i) {
    return i < relax->points ? relax->def.is_held && relax->def.is_held[i]
                             : !relax->is_free[i - relax->points];
}

#endif
