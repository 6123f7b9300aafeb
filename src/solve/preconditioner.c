// SPDX-License-Identifier: MIT
#include "base/alloc.h"
#include "math/mat3.h"
#include "solve/preconditioner_kinds.h"

enum { SMALL = 2000 }; // rows; an estimate from membranes of 576 and 2,025 points

struct HedPreconditioner {
    const HedPreconditionerType* type;
    void* self;
};

static const HedPreconditionerType* const TYPES[HED_PRECONDITION_COUNT] = {
    [HED_PRECONDITION_JACOBI] = &HED_JACOBI,       [HED_PRECONDITION_CHOLESKY] = &HED_INCOMPLETE,
    [HED_PRECONDITION_TWO_LEVEL] = &HED_TWO_LEVEL, [HED_PRECONDITION_DIRECT] = &HED_DIRECT,
    [HED_PRECONDITION_LINES] = &HED_LINES,
};

const char* hed_preconditioner_name(HedPreconditionerKind kind) {
    if (kind == HED_PRECONDITION_AUTO) {
        return "auto";
    }
    return (unsigned)kind < HED_PRECONDITION_COUNT ? TYPES[kind]->name : "unknown";
}

const char* hed_constraint_name(HedConstraintKind kind) {
    static const char* const NAMES[HED_CONSTRAIN_COUNT] = {"filter", "elimination"};
    return (unsigned)kind < HED_CONSTRAIN_COUNT ? NAMES[kind] : "unknown";
}

static HedPreconditionerKind choose(HedPreconditionerInput input) {
    if (input.lines && input.lines->line_count > 0) {
        return HED_PRECONDITION_LINES;
    }
    return input.matrix->row_count < SMALL ? HED_PRECONDITION_JACOBI : HED_PRECONDITION_TWO_LEVEL;
}

HedStatus hed_preconditioner_create(HedPreconditionerKind kind, HedPreconditionerInput input,
                                    HedPreconditioner** out, HedError* error) {
    *out = NULL;
    if ((unsigned)kind >= HED_PRECONDITION_COUNT) {
        return hed_fail(error, HED_INVALID, "there is no preconditioner %d", (int)kind);
    }
    if (kind == HED_PRECONDITION_AUTO) {
        kind = choose(input);
    }
    HedPreconditioner* fresh = HED_NEW(HedPreconditioner);
    if (!fresh) {
        return hed_fail_memory(error, "the preconditioner");
    }
    HedStatus status = HED_OK;
    fresh->type = TYPES[kind];
    fresh->self = fresh->type->create(input, &status);
    if (!fresh->self || status != HED_OK) {
        hed_preconditioner_destroy(fresh);
        return status == HED_UNSUPPORTED
                   ? hed_fail(error, status,
                              "the preconditioner '%s' is not in this build: it needs CHOLMOD "
                              "(cmake -DHEDDLE_CHOLMOD=ON); 'auto' always works",
                              TYPES[kind]->name)
                   : hed_fail_memory(error, "the preconditioner");
    }
    *out = fresh;
    return HED_OK;
}

void hed_preconditioner_destroy(HedPreconditioner* preconditioner) {
    if (preconditioner) {
        if (preconditioner->self) {
            preconditioner->type->destroy(preconditioner->self);
        }
        hed_free(preconditioner);
    }
}

bool hed_preconditioner_update(HedPreconditioner* preconditioner, const HedMatrix* matrix,
                               const double* free) {
    return preconditioner->type->update(preconditioner->self, matrix, free);
}

void hed_preconditioner_apply(const HedPreconditioner* preconditioner, const double* x, double* y) {
    preconditioner->type->apply(preconditioner->self, x, y);
}

// The inverse of each point's own block.
typedef struct Jacobi {
    HedMat3* inverse;
    int32_t count;
    const HedTeam* team;
} Jacobi;

static void jacobi_destroy(void* self) {
    Jacobi* jacobi = self;
    hed_free(jacobi->inverse);
    hed_free(jacobi);
}

static void* jacobi_create(HedPreconditionerInput input, HedStatus* status) {
    Jacobi* jacobi = HED_NEW(Jacobi);
    if (!jacobi) {
        *status = HED_NO_MEMORY;
        return NULL;
    }
    jacobi->count = input.matrix->row_count;
    jacobi->team = input.team;
    jacobi->inverse = HED_NEW_ARRAY(HedMat3, jacobi->count);
    *status = jacobi->inverse ? HED_OK : HED_NO_MEMORY;
    return jacobi;
}

static bool jacobi_update(void* self, const HedMatrix* matrix, const double* free) {
    Jacobi* jacobi = self;
    int32_t bad = 0;
    for (int32_t i = 0; i < jacobi->count; ++i) {
        bool ok = true;
        jacobi->inverse[i] =
            free[i] > 0.0 ? hed_mat3_inverse_spd(matrix->diagonal[i], &ok) : hed_mat3_identity();
        bad += !ok;
    }
    return bad == 0;
}

static void jacobi_apply(const void* self, const double* x, double* y) {
    const Jacobi* jacobi = self;
    const HedVec3* from = (const HedVec3*)(const void*)x;
    HedVec3* to = (HedVec3*)(void*)y;
#pragma omp parallel for schedule(static)                                                          \
    num_threads(hed_team_size(jacobi->team, INT64_C(3) * jacobi->count))
    for (int32_t i = 0; i < jacobi->count; ++i) {
        to[i] = hed_mat3_apply(jacobi->inverse[i], from[i]);
    }
}

const HedPreconditionerType HED_JACOBI = {
    "jacobi", jacobi_create, jacobi_destroy, jacobi_update, jacobi_apply,
};
