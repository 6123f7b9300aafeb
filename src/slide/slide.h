// SPDX-License-Identifier: MIT
// Sliding yarns in time: implicit steps of a crossing network.
//
// One step minimises, over the q at its end,
//   1/(2 h^2) (q - p)' M (q - p) + V(q) + friction(q) + h Phi((q - q0)/h),      p = q0 + h v0,
// with the mass M, the limits of friction and the gradient of bending in damping Phi as they are at
// its start: an energy, which a line search can decrease (docs/eol.md, section 7.1).
#ifndef HED_SLIDE_SLIDE_H
#define HED_SLIDE_SLIDE_H

#include "contact/contact.h"
#include "heddle/sliding.h"
#include "model/eol/kernel_slide.h"
#include "slide/leave.h"
#include "slide/model.h"
#include "slide/precondition.h"
#include "slide/spheres.h"
#include "solve/pcg.h"

/// Numbers of a whole simulation that a step needs.
typedef struct HedSlideSettings {
    HedVec3 gravity;         // m/s^2
    double drag;             // 1/s
    double newton_tolerance; // m/s
    double force_enough;     // N, largest left on a node that ends Newton's method; 0: none does
    double force_tolerance;  // N, of rest; 0: from weight, or from the pull in yarns
    double linear_tolerance;
    int32_t newton_iterations;
    int32_t linear_iterations;
    HedPreconditionerKind preconditioner;
} HedSlideSettings;

/// A node that is held: where it is at the end of a step.
typedef struct HedSlideHold {
    int32_t node;   // as numbered here
    bool clamps;    // yarns do not slip through it either
    HedVec3 target; // m
} HedSlideHold;

/// A step: where it begins, how long it is (s), and what is held at its end.
typedef struct HedSlideStep {
    double time;
    double size;
    const HedSlideHold* holds;
    int32_t hold_count;
} HedSlideStep;

/// Bodies around the yarns.
typedef struct HedSlideBodies {
    HedContacts contacts; // of nodes; bodies are borrowed
    HedRanges ranges;
    HedMatrix blocks; // per node, of its contacts
    double* half_thickness;
    double* area;
    HedVec3* x;
    HedVec3* v;
    HedVec3* force;
} HedSlideBodies;

typedef struct HedSlide {
    HedSlideSettings settings;
    const HedTeam* team; // borrowed
    HedNetModel model;
    HedNetMatrix matrix;
    HedNetMatrix stiffness; // at the start of the step, for Rayleigh damping; empty without
    HedNetPreconditioner preconditioner;
    bool goes_on;           // it starts from the state of another simulation
    HedSlideBodies* bodies; // NULL: none
    HedSpheres* spheres;    // NULL: no self-collision
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
    double nonlinear;          // part of the gradient that the last step's first correction left
    double slip_share;         // of the secant stiffness where friction slips, in the matrix
    double heat;               // J, taken by friction in the last step
    double damped;             // J, by damping

    double least_piece; // m, of material: nodes come no closer along a yarn

    uint8_t* is_fixed; // per unknown: never free (ends, slots that are not there)
    uint8_t* is_held;  // per unknown: in this step
    HedNetMass* mass;  // at the start of the step
    double* start;     // q at its start
    double* guess;     // where it would end without forces
    double* trial;
    double* gradient;
    double* direction;
    double* work;        // of conjugate gradients
    double* node_sum;    // per block of nodes
    double time;         // s, at the end of the step
    HedStatus failure;   // of a step that ran out of memory
    HedProfile* profile; // where steps add their times, borrowed; NULL: nowhere
    HedWatch watch;      // may end a step
} HedSlide;

HedStatus hed_slide_create(const HedSlidingDef* def, const HedSlideSettings* settings,
                           const HedTeam* team, HedSlide** slide, HedError* error);
void hed_slide_destroy(HedSlide* slide); ///< NULL is allowed.

/// Before the first step: what the yarns may meet. Fails with HED_INVALID, naming the node of the
/// net, if they start inside a body that refuses it.
HedStatus hed_slide_set_bodies(HedSlide* slide, HedBody* bodies, int32_t count, double time,
                               HedError* error);
void hed_slide_bodies_free(HedSlideBodies* bodies); ///< NULL is allowed.

/// Before the first step: parts of the fabric that are not neighbours keep apart.
HedStatus hed_slide_set_self(HedSlide* slide, HedError* error);

/// One step of size h from a time. Nothing of the state changes unless the reason says converged.
HedReason hed_slide_step(HedSlide* slide, double time, double h, const HedSlideHold* holds,
                         int32_t hold_count, HedStepReport* report);

/// What a step needs before its first correction; leaves in slide->q where it would end without
/// forces. HED_OK, or why not.
HedStatus hed_slide_begin(HedSlide* slide, HedSlideStep step);

/// y = matrix x, self-collision included.
void hed_slide_multiply(void* slide, const double* x, double* y);

/// Solves matrix direction = -gradient with the preconditioner as it is.
HedPcgReport hed_slide_solve(HedSlide* slide, double tolerance);

/// Forces between the yarns of crossings at q, which limit friction.
void hed_slide_find_press(HedSlide* slide);

/// Gradient of a step's energy at q (zero where held) into slide->gradient, and the matrix if
/// wanted; returns the energy (J). A step calls it with the inverse of its size.
double hed_slide_evaluate(HedSlide* slide, const double* q, double over, bool has_matrix);

/// Newton's method from q to the least energy of a step of size h.
HedReason hed_slide_descend(HedSlide* slide, double h, double* q, HedStepReport* report);

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
