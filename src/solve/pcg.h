// SPDX-License-Identifier: MIT
// Conjugate gradients on any symmetric positive operator, with exchangeable preconditioner and
// filter.
#ifndef HED_SOLVE_PCG_H
#define HED_SOLVE_PCG_H

#include "base/parallel.h"
#include "base/watch.h"

/// y = operator(x), vectors of doubles. A filter is an operator applied in place (x == y).
typedef struct HedOperator {
    void (*apply)(void* context, const double* x, double* y);
    void* context;
} HedOperator;

typedef enum HedPcgReason {
    HED_PCG_CONVERGED,
    HED_PCG_MAX_ITERATIONS,
    HED_PCG_NOT_POSITIVE, ///< The operator or preconditioner showed a direction of no or negative
                          ///< curvature.
    HED_PCG_NOT_FINITE,
    HED_PCG_STOPPED, ///< By the watch.
} HedPcgReason;

typedef struct HedPcgReport {
    HedPcgReason reason;
    int32_t iterations;
    double residual; ///< Relative, in the norm of the preconditioner.
    double start;    ///< What it is relative to: sqrt(b.P b) of the filtered right-hand side.
} HedPcgReport;

typedef struct HedPcg {
    int32_t size; // doubles in a vector
    HedOperator matrix;
    HedOperator precondition;
    HedOperator filter; // removes constrained parts; apply NULL for none
    double tolerance;   // relative, in the norm of the preconditioner
    double enough;      // absolute, in the same norm: what ends it as well; 0: nothing does
    int32_t max_iterations;
    const HedTeam* team;
    double* work;   // 4 * size doubles
    HedWatch watch; // asked before every iteration
} HedPcg;

/// Solves matrix x = b starting from x = 0; on return x is the best found. b is left alone.
HedPcgReport hed_pcg_solve(const HedPcg* pcg, const double* b, double* x);

#endif
