// SPDX-License-Identifier: MIT
// What each kind of preconditioner gives to solve/preconditioner.c.
#ifndef HED_SOLVE_PRECONDITIONER_KINDS_H
#define HED_SOLVE_PRECONDITIONER_KINDS_H

#include "solve/preconditioner.h"

typedef struct HedPreconditionerType {
    const char* name;
    /// Gives an object also on failure, to be destroyed; NULL if there is not even memory for that.
    /// HED_UNSUPPORTED if the build has no such kind.
    void* (*create)(HedPreconditionerInput input, HedStatus* status);
    void (*destroy)(void* self);
    bool (*update)(void* self, const HedMatrix* matrix, const double* free);
    void (*apply)(const void* self, const double* x, double* y);
} HedPreconditionerType;

extern const HedPreconditionerType HED_JACOBI;
extern const HedPreconditionerType HED_INCOMPLETE;
extern const HedPreconditionerType HED_TWO_LEVEL;
extern const HedPreconditionerType HED_DIRECT;
extern const HedPreconditionerType HED_LINES;

#endif
