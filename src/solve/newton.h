// SPDX-License-Identifier: MIT
// Newton's method for the balance of forces r(z) = 0 of a step or of a state at rest, over
// callbacks that know what an unknown means.
//
// A is symmetric and positive, and -A the derivative of r but for parts that are small or not
// symmetric. Corrections come from preconditioned conjugate gradients, so each goes down in the
// energy whose gradient is -r, if there is one; a line search along it looks at the slope r.d, and
// at the energy where it is known.
#ifndef HED_SOLVE_NEWTON_H
#define HED_SOLVE_NEWTON_H

#include "solve/pcg.h"

/// Which matrix is wanted.
typedef enum HedNewtonForm {
    HED_FORM_SAFE,  ///< Positive: inertia lends elements nearly all of its own positivity.
    HED_FORM_BOLD,  ///< In motion: nearer to the exact one, and so perhaps not positive.
    HED_FORM_EXACT, ///< At rest: the exact one.
    HED_FORM_PLAIN, ///< At rest: positive without help.
} HedNewtonForm;

typedef enum HedNewtonReason {
    HED_NEWTON_CONVERGED,
    HED_NEWTON_MAX_ITERATIONS,
    HED_NEWTON_NOT_FINITE,
    HED_NEWTON_NO_DIRECTION, ///< All is finite, but the matrix shows no way down.
    HED_NEWTON_BLOCKED,      ///< No state along a correction can be reached, or is better.
    HED_NEWTON_STOPPED,      ///< By the watch.
} HedNewtonReason;

/// What is solved. `self` is handed to every callback.
typedef struct HedNewton {
    void* self;
    int32_t size; // doubles in a vector
    const HedTeam* team;
    HedWatch watch;
    double* residual;  // at the trial state, which is the client's; 0 where held
    double* direction; // the correction
    double* tangent;   // of the line at the trial state: the direction where it is straight
    double* work;      // 4 * size doubles

    /// Fills the residual at the trial state; returns the energy, if there is one: has_energy.
    double (*evaluate)(void* self);
    /// A line begins at the trial state, along the direction.
    void (*begin_line)(void* self);
    /// Where on it states end to make sense; infinite: nowhere. NULL: nowhere.
    double (*longest)(void* self);
    /// Brings the trial state to a place on it, and fills the tangent if that is another vector.
    /// False where there is no state, or none that can be reached.
    bool (*move)(void* self, double share);
    /// Matrix and preconditioner at the trial state; false if they failed or are not positive.
    bool (*assemble)(void* self, HedNewtonForm form);
    /// A matrix that is kept takes up what has to be that of the trial state. False: it failed.
    bool (*relinearise)(void* self);
    HedOperator matrix;
    HedOperator precondition;
    HedOperator filter; // apply NULL: none

    // In motion.
    double (*change)(void* self); ///< m/s, largest change of a velocity by the direction.
    double (*bound)(void* self);  ///< m/s, no velocity would be corrected by more; infinite: who
                                  ///< knows.
    double tolerance;             // m/s
    double enough; // residual in the norm of the preconditioner that ends the solve; 0: none
    bool has_energy;
    bool is_smooth;   // corrections shrink as the norm of the residual does; friction that begins
                      // to slide makes them larger than it says
    bool starts_bold; // the first matrix is
    bool is_wary;     ///< The last correction had to be cut by much: read by assemble.
    bool is_timed;
    double* nonlinear; // part of the residual that the first correction left in the last solve

    // At rest.
    double (*left)(void* self);  ///< Largest residual over what may stay.
    double (*noise)(void* self); ///< The same of rounding.
    /// Shortens the direction if it goes too far; true if it did.
    bool (*shorten)(void* self);
    /// After a correction of so large a share: what was met on the way joins. True if there was
    /// anything.
    bool (*meet)(void* self, double share);
    int32_t exact_tries; // matrices to try, each with a larger shift, until one is positive
    double shift;        // 1/s^2, of masses, in place of inertia in the matrix: read by assemble
    double first_shift;  // 1/s^2
    double most_shift;   // 1/s^2

    double linear_tolerance;
    int32_t linear_iterations; // per solve, at most
    int32_t iterations;        // corrections, at most

    // Out.
    int32_t done;        // corrections
    int32_t linear_done; // iterations of conjugate gradients
    int32_t matrices;    // made in this solve
    double seconds;      // of linear solves; 0 unless timed
} HedNewton;

/// Improves the trial state of a step until the next correction would be below the tolerance.
HedNewtonReason hed_newton_motion(HedNewton* newton);

/// The same without inertia, until all forces balance.
HedNewtonReason hed_newton_rest(HedNewton* newton);

#endif
