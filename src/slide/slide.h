// SPDX-License-Identifier: MIT
// Sliding yarns in time: implicit steps of a crossing network.
//
// One step minimises, over the q at its end, besides what acts from outside,
//   1/(2 h^2) (q - p)' M (q - p) + V(q) + friction(q) + h Phi((q - q0)/h),      p = q0 + h v0,
// with the mass M, the limits of friction and the gradient of bending in damping Phi as they are at
// its start: an energy, which a line search can decrease (docs/eol.md, section 7.1).
#ifndef HED_SLIDE_SLIDE_H
#define HED_SLIDE_SLIDE_H

#include "heddle/sliding.h"
#include "model/eol/kernel_slide.h"
#include "slide/leave.h"
#include "slide/model.h"
#include "slide/precondition.h"
#include "slide/spheres.h"
#include "state/part.h"

/// Numbers of a whole simulation that a step needs.
typedef struct HedSlideSettings {
    HedVec3 gravity;        // m/s^2
    double drag;            // 1/s
    double force_tolerance; // N, of rest; 0: from weight, or from the pull in yarns
    HedPreconditionerKind preconditioner;
} HedSlideSettings;

typedef struct HedSlide {
    HedSlideSettings settings;
    const HedTeam* team; // borrowed
    HedNetModel model;
    HedNetMatrix matrix;
    HedNetMatrix stiffness; // at the start of the step, for Rayleigh damping; empty without
    HedNetPreconditioner preconditioner;
    HedSpheres* spheres; // NULL: no self-collision
    int32_t node_count;
    int32_t* number; // node of the net -> node here
    int32_t* order;  // and back
    int8_t* sign;    // per node, of its crossing
    HedVec3* home;   // m, per node, at the start of the simulation
    HedVec3* load;   // N, per node: forces that never change; NULL: none
    double rayleigh; // s
    double* flow;    // N, per unknown: of material that runs, at the start of the step; NULL: none

    HedSlideLeave leave; // yarns that slide out of crossings

    // The state: five numbers per node; friction's anchors, two per node; what has come apart.
    double* q;
    double* v;
    double* trend;  // m/s^2, change of v in the last step: where the next one begins to look
    double* anchor; // m
    double* gone;   // per node: which yarns it has left (slide/leave.h)

    double friction;           // Coulomb
    double friction_stiffness; // N/m, at most
    double friction_give;      // m, that a spring gives at least before it slips
    double elastic;            // part of turns that is not set
    double* rest_press;        // N, per node: between its yarns, besides what they pull
    double* press;             // N, per node: between its yarns, at the start of the step
    HedVec3* normal;           // per node: of the crossing
    double slip_begins;        // share of the bound of friction for what begins to slip
    bool is_wary;              // the last correction of the step went too far
    float* slip_bound;         // per slot: of the bound of friction in the last matrix, with the
                               // sign of the slip; 0 where it stuck

    double least_piece; // m, of material: nodes come no closer along a yarn

    uint8_t* is_fixed; // per unknown: never free (ends, slots that are not there)
    uint8_t* is_held;  // per unknown: in this step
    HedNetMass* mass;  // at the start of the step
    double size;       // s, of the step
    bool is_static;    // it has no inertia and no damping
    double shift;      // 1/s^2, of masses in the matrix besides inertia
    double* start;     // q at its start
    double* guess;     // where it would end without forces
    double* trial;     // where its end is looked for
    double* base;      // where a line begins
    double* gradient;  // N
    double* scratch;   // two vectors; only with Rayleigh damping, else NULL
    double* node_sum;  // per block of nodes
} HedSlide;

HedStatus hed_slide_create(const HedSlidingDef* def, const HedSlideSettings* settings,
                           const HedTeam* team, HedSlide** slide, HedError* error);
void hed_slide_destroy(HedSlide* slide); ///< NULL is allowed.

/// Before the first step: parts of the fabric that are not neighbours keep apart.
HedStatus hed_slide_set_self(HedSlide* slide, HedError* error);

/// What the whole of a simulation knows of it (slide/part.c).
extern const HedPartType HED_SLIDE_PART;

/// Forces between the yarns of crossings at q, which limit friction.
void hed_slide_find_press(HedSlide* slide, const double* q);

/// Gradient of a step's energy at q into slide->gradient, and the matrix if wanted; returns the
/// energy (J). over: 1/s, inverse of the step's size; 0: at rest. Held unknowns are as free as
/// others until hed_slide_hold().
double hed_slide_evaluate(HedSlide* slide, const double* q, double over, bool has_matrix);

/// Blocks of points from outside into the matrix.
void hed_slide_add_blocks(HedSlide* slide, const HedMat3* blocks);

/// Takes held unknowns out of the matrix, which is whole then.
void hed_slide_hold(HedSlide* slide);

/// Whether every piece of yarn has some length at q, and all is finite.
bool hed_slide_is_feasible(const HedSlide* slide, const double* q);

/// Of a node in this step.
static inline HedSlideFriction hed_slide_friction_at(const HedSlide* slide, int32_t node) {
    double limit = slide->friction * slide->press[node];
    double soft = limit / slide->friction_give;
    return (HedSlideFriction){soft < slide->friction_stiffness ? soft : slide->friction_stiffness,
                              limit};
}

/// Energies of the present state and kinetic energy, J.
void hed_slide_energies(HedSlide* slide, double sums[HED_NET_SUMS], double* kinetic);

#endif
