// SPDX-License-Identifier: MIT
// What models give to the simulation: terms, each a set of elements of one kind that answers
// energy, force and stiffness for one range of points at a time.
//
// An element that touches two ranges is evaluated in both and each keeps what falls on its own
// points: about one in twenty elements is computed twice, and in return no thread waits for
// another, nothing is stored per element, and sums do not depend on the number of threads.
#ifndef HED_STATE_TERM_H
#define HED_STATE_TERM_H

#include "base/parallel.h"
#include "heddle/vec.h"
#include "solve/matrix.h"
#include "state/tiles.h"

/// Where terms are evaluated. All arrays hold point_count entries.
typedef struct HedEval {
    const HedVec3* x;   // m
    const HedVec3* v;   // m/s
    const double* mass; // kg
    int32_t point_count;
    double time;          // s
    const HedVec3* start; // m; damping compares with this state. NULL: damping takes rates from v
    double over;          // 1/s, inverse of the time since start
    HedRanges ranges;
} HedEval;

/// W; counted once per element, in the range of its first point.
typedef struct HedPower {
    double dissipated; // taken from the system by damping
    double external;   // put into it from outside
} HedPower;

/// The matrix asked for is stiffness * d2E/dx2 + damping * d2D/dv2. d2E/dx2 may be indefinite if
/// is_exact; otherwise it is in a form that is positive semidefinite, at least when `inertia` times
/// the masses of the points is added to it; d2D/dv2 is never indefinite.
typedef struct HedMatrixScale {
    double stiffness;
    double damping;
    bool is_exact;
    double inertia; // 1/s^2; 0: positive semidefinite without help
} HedMatrixScale;

/// What the stiffness is multiplied with, and which form of it.
typedef struct HedStiffness {
    const HedVec3* d;
    bool is_exact;
} HedStiffness;

enum { HED_TERM_COLUMNS = 4 };

typedef struct HedTerm {
    const char* column[HED_TERM_COLUMNS]; // names of the energies it has, NULL beyond the last
    void* self;
    /// Adds the forces of range r; force[k] belongs to point first + k, and force[count] collects
    /// what falls on points of other ranges.
    HedPower (*add_force)(const void* self, const HedEval* at, int32_t range, HedVec3* force);
    void (*add_matrix)(const void* self, const HedEval* at, int32_t range, HedMatrixScale scale,
                       HedMatrix* matrix);
    /// Adds the energies of the elements whose first point lies in range r, one per column.
    void (*add_energy)(const void* self, const HedEval* at, int32_t range, double* energy);
    /// Adds K d to the range's product, laid out as forces are: K is the second derivative of the
    /// energy at at->x, exact or in positive-semidefinite form. NULL: there is none.
    void (*add_product)(const void* self, const HedEval* at, int32_t range, HedStiffness d,
                        HedVec3* product);
    const double* rayleigh; // s, per range: a force -rayleigh K v comes on top; NULL: none
    const bool* is_exact;   // per range: which K that is
    bool is_of_points;      // it leaves the points of parts (state/part.h) alone, energies too
    /// The points that each element couples; arity 0 if it couples none.
    HedStencils stencils;
    /// Finds the places of the elements' blocks in a matrix that has them all; NULL if not needed.
    HedStatus (*attach)(void* self, HedRanges ranges, const HedMatrix* matrix, HedError* error);
} HedTerm;

/// The scale at which a term's matrix is asked for, if the force -rayleigh K v counts. Its change
/// with K is left out: it is indefinite.
static inline HedMatrixScale hed_rayleigh_scale(const HedTerm* term, int32_t range,
                                                HedMatrixScale scale) {
    scale.stiffness += term->rayleigh ? term->rayleigh[range] * scale.damping : 0.0;
    return scale;
}

/// Index into a range's force array: own points first, everything else in the last place.
static inline int32_t hed_local_index(int32_t point, int32_t first, int32_t count) {
    uint32_t local = (uint32_t)(point - first);
    return local < (uint32_t)count ? (int32_t)local : count;
}

#endif
