// SPDX-License-Identifier: MIT
// Sliding yarns in time: implicit steps of a crossing network.
//
// One step minimises, over the q at its end, besides what acts from outside,
//   1/(2 h^2) (q - p)' M (q - p) + V(q) + friction(q) + h Phi((q - q0)/h),      p = q0 + h v0,
// with the mass M, the limits of friction and the gradient of bending in damping Phi as they are at
// its start: an energy, which a line search can decrease (docs/eol.md, section 7.1).
#ifndef HED_EOL_EOL_H
#define HED_EOL_EOL_H

#include "contact/kernel_friction.h"
#include "eol/model.h"
#include "eol/precondition.h"
#include "eol/pullout.h"
#include "eol/spheres.h"
#include "eol/view.h"
#include "heddle/sliding.h"
#include "state/part.h"

/// Numbers of a whole simulation that a step needs.
typedef struct HedEolSettings {
    HedVec3 gravity;        // m/s^2
    double drag;            // 1/s
    double force_tolerance; // N, of rest; 0: from weight, or from the pull in yarns
    HedPreconditionerKind preconditioner;
} HedEolSettings;

typedef struct HedEol {
    HedEolSettings settings;
    const HedTeam* team; // borrowed
    HedEolModel model;
    HedEolMatrix matrix;
    HedEolMatrix stiffness; // at the start of the step, for Rayleigh damping; empty without
    HedEolPreconditioner preconditioner;
    HedSpheres* spheres; // NULL: no self-collision
    int32_t node_count;
    int32_t* number; // node of the net -> node here
    int32_t* order;  // and back
    int8_t* sign;    // per node, of its crossing
    HedVec3* home;   // m, per node, at the start of the simulation
    HedVec3* load;   // N, per node: forces that never change; NULL: none
    double rayleigh; // s
    double* flow;    // N, per unknown: of material that runs, at the start of the step; NULL: none

    HedEolPullout pullout; // yarns that slide out of crossings
    HedEolView view;       // what is seen of it

    // The state: five numbers per node; friction's anchors, two per node; what has come apart.
    double* q;
    double* v;
    double* trend;    // m/s^2, change of v in the last step: where the next one begins to look
    double* anchor;   // m
    double* detached; // per node: which yarns it has left (eol/pullout.h)

    bool touches;          // other layers yarn by yarn (eol/touch.h)
    const double* outside; // HED_NODE_DIAGONAL per node: own blocks of the matrix by what acts from
                           // outside on all of its unknowns (eol/touch.h); borrowed; NULL: none

    double friction;            // Coulomb
    double friction_stiffness;  // N/m, at most
    double friction_give;       // m, that a spring gives at least before it slips
    double elastic;             // part of turns that is not set
    double* rest_normal_force;  // N, per node: between its yarns, besides what they pull
    double* normal_force;       // N, per node: between its yarns, at the start of the step
    HedVec3* normal;            // per node: of the crossing
    HedSlipMetric* slip_metric; // per node: of its two places, at the start of the step
    double slip_begins;         // share of the bound of friction for what begins to slip
    bool is_wary;               // the last correction of the step went too far
    float* slip_bound;          // two per node: slip of its places in the last matrix, as long as
                                // the bound of friction was then; 0 where it stuck

    double least_piece; // m, of material: nodes come no closer along a yarn

    uint8_t* is_fixed; // per unknown: never free (ends, slots that are not there)
    uint8_t* is_held;  // per unknown: in this step
    HedEolMass* mass;  // at the start of the step
    double size;       // s, of the step
    bool is_static;    // it has no inertia and no damping
    bool is_first;     // nothing has been evaluated in it yet
    bool has_coarse;   // the preconditioner has equations of patches of this step
    bool is_assembled; // the matrix is that of the trial state, but for what acts from outside
    double shift;      // 1/s^2, of masses in the matrix besides inertia
    double* start;     // q at its start
    double* guess;     // where it would end without forces
    double* trial;     // where its end is looked for
    double* base;      // where a line begins
    double* gradient;  // N
    double* scratch;   // two vectors; only with Rayleigh damping, else NULL
    double* node_sum;  // per block of nodes
} HedEol;

HedStatus hed_eol_create(const HedSlidingDef* def, const HedEolSettings* settings,
                         const HedTeam* team, HedEol** eol, HedError* error);
void hed_eol_destroy(HedEol* eol); ///< NULL is allowed.

/// Before the first step: parts of the fabric that are not neighbours keep apart, with friction.
HedStatus hed_eol_set_self(HedEol* eol, double friction, HedError* error);

/// What the whole of a simulation knows of it (eol/part.c).
extern const HedPartType HED_EOL_PART;

/// Forces between the yarns of crossings at q, which limit friction.
void hed_eol_find_normal_forces(HedEol* eol, const double* q);

/// Gradient of a step's energy at q into slide->gradient, and the matrix if wanted; returns the
/// energy (J). over: 1/s, inverse of the step's size; 0: at rest. Held unknowns are as free as
/// others until hed_eol_hold().
double hed_eol_evaluate(HedEol* eol, const double* q, double over, bool has_matrix);

/// m/s^2, largest of a node's unknowns: its lumped mass inverted on a residual.
double hed_eol_largest_acceleration(const HedEolMass* mass, const double* residual);

/// Blocks of points from outside into the matrix.
void hed_eol_add_blocks(HedEol* eol, const HedMat3* blocks);

/// Takes held unknowns out of the matrix, which is whole then.
void hed_eol_hold(HedEol* eol);

/// Whether every piece of yarn has some length at q, and all is finite.
bool hed_eol_is_feasible(const HedEol* eol, const double* q);

/// Of a node in this step. No spring is so stiff that it gives less than friction_give.
static inline HedFriction hed_eol_friction_of(const HedEol* eol, int32_t node) {
    double limit = eol->friction * eol->normal_force[node];
    double give = limit / eol->friction_stiffness;
    return (HedFriction){limit, give > eol->friction_give ? give : eol->friction_give};
}

/// How far the places of a node are from their anchors.
static inline void hed_eol_slip_of(const HedEol* eol, int32_t node, const double* q,
                                   double slip[2]) {
    slip[0] = q[3] - eol->anchor[2 * node];
    slip[1] = q[4] - eol->anchor[2 * node + 1];
}

/// J, in the springs that hold what does not slide, at the present state.
double hed_eol_friction_energy(const HedEol* eol);

/// Energies of the present state and kinetic energy, J.
void hed_eol_energies(HedEol* eol, double sums[HED_EOL_SUMS], double* kinetic);

#endif
