// SPDX-License-Identifier: MIT
// All elastic rods of a simulation: bending and twisting of chains of points, with material frames.
//
// A rod is a run of consecutive points; segment k runs from its point k to point k + 1 (closed: the
// last to point 0), vertex k stands at point k between segments k - 1 and k. Angles of the material
// frames are not unknowns of the simulation: for given points they are those of least energy, found
// anew by hed_rods_prepare. Frames are carried along from the last committed state, so that within
// a step the energy is a function of the points alone and a step that is given up needs no undoing.
//
//   x changes  ->  hed_rods_prepare(rods, team, x)  ->  any function of hed_rods_term(rods) at x
//   a step is accepted  ->  hed_rods_commit(rods)   (after prepare at its end)
//
// Arrays have one slot per segment or vertex and a few more per rod, so that loops need not know
// ends: rod r has slots first_slot + HED_ROD_BEFORE + k. Closed rods repeat their first and last
// slots there; open rods have slots without stiffness, or the wall that an end is clamped in.
#ifndef HED_MODEL_ROD_ROD_H
#define HED_MODEL_ROD_ROD_H

#include "base/clone.h"
#include "base/parallel.h"
#include "base/status.h"
#include "heddle/vec.h"
#include "solve/lines.h"
#include "state/groups.h"
#include "state/term.h"

enum { HED_ROD_BEFORE = 2, HED_ROD_AROUND = 4, HED_ROD_WORK = 10 };

/// One rod. Zero-initialise, then fill.
typedef struct HedRodDef {
    int32_t first; // its first point in the simulation
    int32_t point_count;
    bool is_closed;
    bool is_bent_at_rest; // at rest as created; false: straight at rest
    double bend[2];       // N m^2, EI against turning about the second and the first director
    double twist;         // N m^2, GJ
    double density;       // kg/m
    double natural_twist; // rad/m
    double closing_twist; // rad, put into a closed rod before its ends were joined
    double plastic;       // the rest state follows the turn of a vertex at this distance; 0: never
    double plastic_limit; // largest turn that a rest state can have; 0: no limit
    HedVec3 director;     // about where the first director of the first segment points; 0: anywhere
} HedRodDef;

/// Vectors by coordinate.
typedef struct HedRodVectors {
    double *x, *y, *z;
} HedRodVectors;

/// Part of a rod inside a range of points: its points begin .. end - 1.
typedef struct HedRodRun {
    int32_t rod, begin, end;
} HedRodRun;

typedef struct HedRod {
    HedRodDef def;
    int32_t first_slot;
    int32_t segment_count;
    bool is_plain;      // equal stiffness both ways, straight at rest: angles have a closed form
    int32_t iterations; // of the last prepare; -1 if it gave out
    int32_t held_count; // held segments
} HedRod;

typedef struct HedRods {
    HedRod* rod;
    int32_t rod_count;
    int32_t slot_count;

    // What a checkpoint has to keep, as of the last commit: one array, the parts below point into
    // it.
    double* state;
    int64_t state_count;
    HedRodVectors old_t, old_u; // directions and reference frames of segments
    double* old_theta;          // rad, angle of the material frame from the reference frame
    double* old_twist;          // rad, of the reference frame at a vertex, turns counted
    double* curve[4];           // turn of vertices at rest: w_00, w_01, w_10, w_11 (kernel_rod.h)

    // Written by prepare.
    HedRodVectors t, u, m; // directions, reference frames, first directors of segments
    double* inverse;       // 1/m, one over the length of segments
    double* theta;         // rad
    double* twist;         // rad
    double* moment;        // N m, twisting moment at vertices

    // Constant.
    double* bend[2]; // J, EI/(2 D) at vertices
    double* stiff;   // J, GJ/D at vertices
    double* turn;    // rad, twist of vertices at rest
    double* length;  // m, of segments at rest

    uint8_t* is_held; // segments whose angle is prescribed, and walls

    double* memory; // all arrays above
    double* work;   // HED_ROD_WORK per slot, for angles
    HedRodRun* run;
    int32_t* run_first; // ranges + 1: the runs of a range
    int32_t range_count;
    int32_t run_count;

    // For the matrix.
    int32_t* stencil; // three points per vertex
    int32_t* vertex;  // its slot
    int32_t vertex_count;
    HedGroups groups;
    int32_t* slot;
} HedRods;

/// Rods at rest lengths in the positions x, frames without twist; ranges cut their points (and may
/// cut those of other things). Failures name rod and point. Free with hed_rods_free.
HedStatus hed_rods_create(HedRods* rods, const HedRodDef* defs, int32_t count, const HedVec3* x,
                          HedRanges ranges, HedError* error);
void hed_rods_free(HedRods* rods);

/// Of a plain copy of rods: gives it arrays of its own for all that prepare writes.
void hed_rods_clone(HedRods* rods, HedClones* clones);

static inline int32_t hed_rod_slot(const HedRod* rod, int32_t k) {
    return rod->first_slot + HED_ROD_BEFORE + k;
}

/// Turns the first director of a segment to direction (its part across the committed segment) and
/// keeps its angle: from there the director follows the segment by transport alone. Call again at
/// the start of each step for a holder that turns. Turns beyond a half per call are not seen.
void hed_rods_hold(HedRods* rods, int32_t rod, int32_t segment, HedVec3 direction);

/// Prescribes the angle that a segment has.
void hed_rods_keep(HedRods* rods, int32_t rod, int32_t segment);

/// The segment's angle is free again.
void hed_rods_release(HedRods* rods, int32_t rod, int32_t segment);

/// Clamps an end of an open rod in a wall that stands at its end point: beyond the wall the rod
/// would go on along tangent (which points from the rod's start to its end, as segments do) with
/// its first director along director. The wall takes up the bending and twisting moment; hold the
/// end point too. Call again when the wall turns, before prepare; by less than half a turn per
/// commit.
void hed_rods_clamp(HedRods* rods, int32_t rod, bool is_last, HedVec3 tangent, HedVec3 director);
void hed_rods_unclamp(HedRods* rods, int32_t rod, bool is_last);

/// How the angles were found.
typedef struct HedRodAnglesReport {
    int32_t iterations; // most that any rod took; 0 if all have the closed form
    bool is_converged;
} HedRodAnglesReport;

/// Brings frames, angles and moments to the positions x of the simulation's points.
HedRodAnglesReport hed_rods_prepare(HedRods* rods, const HedTeam* team, const HedVec3* x);

/// Makes the prepared state the one that frames are carried along from.
void hed_rods_commit(HedRods* rods);

/// Lets rest turns follow the prepared state (Kaldor 2011, 4.5.2): each rest point w_j further than
/// def.plastic from the present one is pulled to that distance, then into the circle of
/// def.plastic_limit. Once per step, between prepare and commit.
void hed_rods_yield(HedRods* rods, const HedTeam* team);

/// Adds the masses of all rods to mass (kg, per point of the simulation): half of each segment's to
/// each of its ends.
void hed_rods_add_mass(const HedRods* rods, double* mass);

/// First director of a segment in the prepared state; unit length.
HedVec3 hed_rods_director(const HedRods* rods, int32_t rod, int32_t segment);

/// Total twist of a rod in the prepared state, rad: sum over vertices, turns counted.
double hed_rods_twist(const HedRods* rods, int32_t rod);

/// Bending and twisting as a term with columns "bend" and "twist". Only vertices are in it: axial
/// stretch is springs of stiffness EA/length (spring_term.h), or constraints.
HedTerm hed_rods_term(HedRods* rods);

/// What the angles' freedom takes off the stiffness: adds -E_xt E_tt^-1 E_tx p to y, for a matrix
/// asked for with the same is_exact. `setup` once per prepared state, `apply` as often as wanted.
/// False from setup: E_tt is not positive definite (angles not at a minimum).
typedef struct HedRodCondense {
    HedVec3* cross;       // 4 per slot: d2E/(dtheta_j de), d2E/(dtheta_j df) of each vertex
    double* factor;       // 3 per slot
    double* angle;        // 1 per slot
    uint8_t* is_positive; // per rod
    HedLineExtra* extra;  // per point: the angle of the segment after it as an unknown, for a
                          // preconditioner along the rods. Set by the caller and its own, or NULL
} HedRodCondense;

HedStatus hed_rod_condense_create(HedRodCondense* condense, const HedRods* rods, HedError* error);
void hed_rod_condense_free(HedRodCondense* condense);
bool hed_rod_condense_setup(HedRodCondense* condense, const HedRods* rods, const HedTeam* team,
                            bool is_exact);
void hed_rod_condense_apply(const HedRodCondense* condense, const HedRods* rods,
                            const HedTeam* team, const HedVec3* p, HedVec3* y);

#endif
