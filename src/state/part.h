// SPDX-License-Identifier: MIT
// Parts of a simulation that have unknowns of their own beyond the positions of points.
//
// The unknowns of a step are one vector: three numbers a point for all that is points and nothing
// else, then a slice for each part. A part has points, too: their positions are among its unknowns.
// What acts between parts, and between parts and bodies, knows points only; forces on a part's
// points are added to its residual, blocks of their stiffness to its matrix.
#ifndef HED_STATE_PART_H
#define HED_STATE_PART_H

#include "base/clone.h"
#include "base/status.h"
#include "heddle/sim.h"

#include <stdbool.h>
#include <stdint.h>

/// How a point is held in a step.
typedef enum HedHoldKind {
    HED_HOLD_FREE,
    HED_HOLD_PLACE, ///< Dirichlet: where it is at the end of the step is known.
    HED_HOLD_CLAMP, ///< And nothing moves relative to it.
} HedHoldKind;

/// A step that begins: where all points of the part are held.
typedef struct HedPartStep {
    double time;           // s, at its start
    double size;           // s
    bool is_static;        // no inertia, no damping
    const uint8_t* hold;   // HedHoldKind per point of the part
    const HedVec3* target; // m, per point: of those that are held
} HedPartStep;

/// Sums of a part.
typedef struct HedPartEnergies {
    double kinetic;          // J
    int32_t count;           // of potentials
    const char* const* name; // static strings
    double potential[12];    // J
} HedPartEnergies;

/// What a part has to know of the simulation before the first step.
typedef struct HedPartSetup {
    const HedVec3* load; // N, per point: forces that never change; NULL: none
    bool has_self;       // self-collision
    double friction;     // of it
} HedPartSetup;

/// Triangles by which a part meets others, and segments of yarn that stick out of them.
typedef struct HedPartSkin {
    const int32_t* triangles; // three of its points each
    int32_t size;             // numbers
    const int32_t* ends;      // two of its points each, as at the start
    int32_t end_size;         // numbers
    bool is_apart;            // it keeps its distance from itself in its own way
} HedPartSkin;

/// For HedSimSize.
typedef struct HedPartSize {
    int32_t springs, bends;
} HedPartSize;

/// What a part is to those who know nothing of its model. `self` is handed to every call; vectors
/// have `size` numbers, points come in the part's own order.
typedef struct HedPartType {
    const char* what; ///< of a point, in messages: "node"

    /// Once, before the first step.
    HedStatus (*prepare)(void* self, const HedPartSetup* setup, HedError* error);
    void (*destroy)(void* self);
    HedPartSkin (*skin)(const void* self);
    /// Whether a yarn still goes straight from one point to the other.
    bool (*has_segment)(const void* self, int32_t a, int32_t b);
    HedPartSize (*size)(const void* self);

    /// Room for a step that begins at the present state; the trial state is a guess of its end.
    HedStatus (*begin)(void* self, const HedPartStep* step);
    /// Whether what is guessed goes so far that it could pass through things unseen.
    bool (*is_too_fast)(const void* self);
    /// The guess is to be the start with what is held in place, nothing else.
    void (*guess_start)(void* self);
    /// Positions of the trial state.
    void (*trial_points)(const void* self, HedVec3* x);
    /// Residual (minus the gradient) of everything inside the part at the trial state, held
    /// unknowns included; returns the energy of the step, infinite where there is no state.
    double (*evaluate)(void* self, double* residual);
    /// Sets what is held to zero.
    void (*hold)(const void* self, double* vector);
    /// The matrix at the trial state, with blocks of points from outside added (NULL: none).
    /// shift: 1/s^2 of masses besides those of inertia. is_wary: the last correction went too far,
    /// so that the matrix had better bound what it knows from above.
    void (*assemble)(void* self, double shift, bool is_wary, const HedMat3* blocks);
    void (*multiply)(void* self, const double* x, double* y);
    int64_t (*product_bytes)(const void* self); ///< That one product moves.
    /// The preconditioner of the matrix, which sees further blocks of points (NULL: none) that
    /// others multiply by. False if it is not positive.
    bool (*precondition_update)(void* self, const HedMat3* blocks);
    void (*precondition)(void* self, const double* r, double* z);
    /// Motion of points in a vector of unknowns, and the reverse: adds to positions' unknowns.
    void (*points_of)(const void* self, const double* vector, HedVec3* d);
    void (*add_points)(const void* self, const HedVec3* d, double* vector);

    /// The share of a direction at which a segment of yarn would lose its last material; infinite:
    /// none would.
    double (*longest)(const void* self, const double* direction);
    /// A line begins at the trial state; the trial state goes to a place on it. False if the
    /// unknowns there make no sense.
    void (*begin_line)(void* self);
    bool (*move)(void* self, double share, const double* direction);

    /// m/s, no velocity would be corrected by more; infinite: not known.
    double (*bound)(const void* self, const double* residual);
    double (*mass)(const void* self); ///< kg

    /// At rest. N, what may be left of the residual; the part of the trial state that others laid
    /// down at the start of the step (limits of friction) is brought up to date.
    double (*force_tolerance)(const void* self);
    void (*renew)(void* self);

    /// Whether anything passed through anything on the way from the start to the trial state.
    bool (*has_passed)(const void* self);
    /// The trial state is the end of the step; returns the energy (J) that went into heat.
    double (*accept)(void* self);
    /// Positions and velocities of the present state, to and fro.
    void (*get_points)(const void* self, HedVec3* x, HedVec3* v);
    void (*set_points)(void* self, const HedVec3* x, const HedVec3* v);

    /// N, forces of everything inside but inertia, on all points, held ones too, at the present
    /// state. is_still: none of rates.
    /// Both write into scratch, so beside others they are asked of a clone, which is all that it
    /// can be asked for; NULL: no memory.
    void* (*clone)(const void* self, HedClones* clones);
    void (*forces)(void* self, double h, bool is_still, HedVec3* force);
    void (*energies)(void* self, HedPartEnergies* energies);
    double (*contact_energy)(const void* self); ///< J, of contacts inside the part
    /// J, that drag will take in a step from the present state.
    double (*drag)(void* self, double h);

    /// Numbers that the state consists of besides the points', and these.
    int64_t (*state_count)(const void* self);
    void (*save)(const void* self, double* state);
    void (*restore)(void* self, const double* state);
    /// Takes over the state of another simulation's part, whose rows of points may stand in another
    /// order: row[point]; row() says in which they stand here. count: numbers it has. is_at_rest:
    /// velocities are left out. HED_INVALID if it does not fit.
    HedStatus (*start)(void* self, const double* state, int64_t count, const int32_t* row,
                       bool is_at_rest, HedError* error);
    int32_t (*row)(const void* self, int32_t point);

    /// How much has come apart for good since the start; the last of it in words, where `name` is
    /// that of the part.
    int32_t (*gone_count)(const void* self);
    void (*tell_gone)(const void* self, const char* name, char* text, size_t size);

    /// What is seen of the part: vertices, which follow from its points, their velocities, and a
    /// quantity at each of them. push: N, of bodies on each point; NULL: none. Mean and largest
    /// strain.
    int32_t (*vertex_count)(const void* self);
    void (*vertices)(const void* self, const HedVec3* points, HedVec3* vertices);
    void (*velocities)(const void* self, HedVec3* velocities);
    void (*quantity)(const void* self, HedQuantity quantity, const double* push, double* values);
    void (*strain)(const void* self, double values[2]);
} HedPartType;

typedef struct HedPart {
    const HedPartType* type;
    void* self;
    int32_t size; // unknowns
    int32_t point_count;
    int32_t first_point; // in the simulation
    int32_t gone_count;  // at the start of the step
    int32_t first;       // in the vector of unknowns
} HedPart;

#endif
