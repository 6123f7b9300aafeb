// SPDX-License-Identifier: MIT
// Self-collision: distant parts of a fabric keep apart by spheres about its nodes.
//   V = k/2 max(0, r_i + r_j - d)^2
// with friction (contact/kernel_friction.h) without memory: slip is what they move across their
// direction in the step, limit and direction are those of its start. Which nodes may meet in a step
// is found at its start with a grid; those that are near each other in the fabric itself are left
// out.
#ifndef HED_EOL_SPHERES_H
#define HED_EOL_SPHERES_H

#include "base/array.h"
#include "contact/kernel_friction.h"
#include "eol/matrix.h"

typedef struct HedSpherePair {
    int32_t node[2];
    HedVec3 across; // unit, from the first to the second at the start of the step
    double limit;   // N, of friction
    HedMat3 block;  // N/m, minus the block between them, of the last evaluation; 0 if one is held
} HedSpherePair;

typedef struct HedSpheres {
    int32_t node_count;
    double radius;       // m
    double stiffness;    // N/m
    double friction;     // Coulomb
    const HedVec3* home; // m, borrowed: where nodes are in the fabric at rest
    HED_ARRAY(HedSpherePair) pairs;
    int32_t* cell_first; // scratch of the search
    int32_t* cell_list;
    int32_t* cell_of;
    int32_t cell_count;
} HedSpheres;

HedStatus hed_spheres_create(HedSpheres* spheres, const HedVec3* home, int32_t node_count,
                             double radius, double stiffness, HedError* error);
void hed_spheres_free(HedSpheres* spheres);

/// Where nodes are at the start of a step, and where they would be at its end without forces.
typedef struct HedSphereMove {
    const double* start;
    const double* guess;
} HedSphereMove;

/// m, the farthest that any node goes from what the fabric does as a whole.
double hed_spheres_reach(const HedSpheres* spheres, HedSphereMove move);

/// Finds pairs that may come to touch.
HedStatus hed_spheres_find(HedSpheres* spheres, HedSphereMove move, HedError* error);

/// Whether a pair has gone through each other.
bool hed_spheres_passed(const HedSpheres* spheres, const double* start, const double* end);

/// A state in a step.
typedef struct HedSphereEval {
    const double* q;
    const double* start; // of the step
    double size;         // s, of it
    const uint8_t* is_held;
    double bound; // of friction that slides, in matrices
} HedSphereEval;

/// Adds the gradient, and to the nodes' own blocks (NULL: not wanted); returns the energy (J).
double hed_spheres_add(HedSpheres* spheres, const HedSphereEval* at, double* gradient,
                       double* diagonal);

/// J, that friction takes in a step that ends there.
double hed_spheres_heat(const HedSpheres* spheres, const HedSphereEval* at);

/// J
double hed_spheres_energy(const HedSpheres* spheres, const double* q);

/// y += the blocks between nodes times x.
void hed_spheres_multiply(const HedSpheres* spheres, const double* x, double* y);

#endif
