// SPDX-License-Identifier: MIT
// Approximate inverses of a net's matrix for conjugate gradients.
#ifndef HED_EOL_PRECONDITION_H
#define HED_EOL_PRECONDITION_H

#include "eol/coarse_rigid_modes.h"
#include "eol/lines.h"
#include "heddle/solve.h"

enum { HED_EOL_LIFE = 100 }; // updates from which on shares are found anew

/// Lines of one colour do not share nodes, but they are coupled, and where neighbours move against
/// each other their corrections together go too far: up to 8/3 times for yarns that resist bending.
/// A preconditioner of such steps would not be positive; so only a share of each is taken, found
/// from the largest eigenvalue of its corrections, by power iteration, now and then.
///
/// That iteration can miss a motion of a few nodes, and matrices change until it is made again. So
/// every application looks at what its first half z leaves of r: with x the exact solution and A
/// the matrix, |x - z|^2 = |x|^2 - z.(r + r - A z) in the norm of A, and what makes that longer
/// makes the whole indefinite. Then shares are found again, beginning from z. Where inertia is so
/// small beside stiffness that rounding A to floats changes the eigenvalues (frictionless yarns in
/// long steps), corrections see A itself.
///
/// Weaves go in alternating directions (eol/alternating.h). JACOBI: each node's own block. LINES:
/// one colour of lines after the other, and back. TWO_LEVEL: the same with rigid motions of patches
/// in the middle.
///
/// The lines of knits have four colours, and a product before each costs more than it saves (67
/// iterations instead of 56 on a swatch of 40 x 40 stitches, with three products instead of nine):
/// theirs are all taken for the same right-hand side, with one share.
typedef struct HedEolPreconditioner {
    HedPreconditionerKind kind;
    const HedEolMatrix* matrix; // borrowed
    double* inverse;            // HED_NODE_DIAGONAL per node; Jacobi only
    bool* is_good;              // per node; Jacobi only
    HedEolMatrixF32 light;      // what corrections see of the matrix
    HedEolLines lines;
    HedEolRigidModes patches;
    bool keeps_coarse; // equations of patches stay those of the last matrix: set by whoever updates
    double* share;     // per colour: part of its corrections that is taken
    int32_t age; // updates since those were found, and HED_EOL_LIFE more while light is not used
    double* largest; // per colour, twice: eigenvalues
    double* gain;    // per range of rows, see HedEolProduct
    double* rest;    // what is left of the right-hand side
    double* part;    // correction of one colour
    double* trial;   // two vectors
} HedEolPreconditioner;

/// kind: of those above; AUTO is TWO_LEVEL, others are HED_UNSUPPORTED. x: positions of nodes.
HedStatus hed_eol_preconditioner_create(HedEolPreconditioner* p, HedPreconditionerKind kind,
                                        const HedEolMatrix* matrix, const HedVec3* x,
                                        HedError* error);
void hed_eol_preconditioner_free(HedEolPreconditioner* p);

/// Takes the values of the matrix; false if it is not positive definite.
bool hed_eol_preconditioner_update(HedEolPreconditioner* p, const uint8_t* is_held);

/// Nodes are coupled from now on that were not when it was made; the matrix has its new rows. False
/// without memory for it.
bool hed_eol_preconditioner_loosen(HedEolPreconditioner* p);

/// As HedOperator has it: context is a HedEolPreconditioner.
void hed_eol_preconditioner_apply(void* context, const double* r, double* z);

#endif
