// SPDX-License-Identifier: MIT
// The matrix of a step, its products and its preconditioner: of all that is made of points, of
// parts, and of what acts between them.
#include "sim/newton.h"
#include "sim/profile.h"

#include <string.h>

static void assemble_range(HedStep* step, const HedEval* at, HedMatrixScale scale, int32_t range) {
    HedSim* sim = step->sim;
    HedMatrix* matrix = &sim->implicit.matrix;
    bool is_part = hed_sim_is_part_range(sim, range);
    hed_matrix_clear_range(matrix, range);
    for (int32_t k = 0; k < sim->term_count; ++k) {
        if (is_part && sim->terms[k].is_of_points) {
            continue;
        }
        HedMatrixScale own = hed_rayleigh_scale(&sim->terms[k], range, scale);
        sim->terms[k].add_matrix(sim->terms[k].self, at, range, own, matrix);
    }
    for (int32_t i = sim->ranges.first[range]; !is_part && i < sim->ranges.first[range + 1]; ++i) {
        double m = sim->mass.data[i] * (step->inertia + step->newton.shift);
        matrix->diagonal[i] = hed_mat3_add(matrix->diagonal[i], hed_mat3_diagonal(m, m, m));
    }
}

// Takes held points out of the equations; then a filter need not do it.
bool hed_newton_is_eliminated(const HedSim* sim) {
    return sim->def.constraints == HED_CONSTRAIN_ELIMINATION && sim->parts.list.count == 0;
}

static void take_out_held(HedSim* sim) {
#pragma omp parallel for schedule(static)                                                          \
    num_threads(hed_team_size(&sim->team, INT64_C(20) * sim->x.count))
    for (int32_t r = 0; r < sim->ranges.count; ++r) {
        hed_matrix_hold_range(&sim->implicit.matrix, r, sim->inverse_mass);
    }
}

static void assemble_points(HedStep* step, HedMatrixScale scale) {
    HedSim* sim = step->sim;
    HedEval at = hed_newton_eval(step);
#pragma omp parallel for schedule(static)                                                          \
    num_threads(hed_team_size(&sim->team, INT64_C(300) * sim->x.count))
    for (int32_t r = 0; r < sim->ranges.count; ++r) {
        assemble_range(step, &at, scale, r);
    }
    hed_sim_rods_assembled(sim, scale.is_exact);
    // In motion contacts take the positive form: as exact it gains no iteration there, and could
    // cost the matrix its positivity.
    bool moves = step->inertia > 0.0;
    hed_sim_note(sim, hed_yarn_dynamics_assembled(sim, step->rate, scale.is_exact && !moves));
}

void hed_newton_hold_parts(const HedSim* sim, double* vector) {
    for (int32_t k = 0; k < sim->parts.list.count; ++k) {
        const HedPart* part = &sim->parts.list.data[k];
        part->type->hold(part->self, vector + part->first);
    }
}

// What acts on the points of parts from outside goes into their own matrices.
static void assemble_parts(HedStep* step) {
    HedSim* sim = step->sim;
    HedMat3* diagonal = sim->implicit.matrix.diagonal;
    if (sim->touches) {
        hed_touches_linearise(sim->touches, step->newton.is_wary);
    }
    for (int32_t k = 0; k < sim->parts.list.count; ++k) {
        const HedPart* part = &sim->parts.list.data[k];
        HedMat3* own = diagonal ? diagonal + part->first_point : NULL;
        part->type->assemble(part->self, step->newton.shift, step->newton.is_wary,
                             hed_newton_has_outside(sim) ? own : NULL);
        part->type->hold(part->self, sim->implicit.residual + part->first); // it may hold more now
        if (own) {
            memset(own, 0, sizeof *own * (size_t)part->point_count);
        }
    }
}

// Contacts between sheets join points that no element joins: the matrix has no place for their
// blocks, so products add them (multiply), and the preconditioner sees their diagonal alone.
bool hed_newton_precondition(HedStep* step) {
    HedSim* sim = step->sim;
    HedImplicit* im = &sim->implicit;
    double begin = hed_stage_begin(sim);
    bool has_pairs = sim->has_self && sim->self.contacts.count > 0;
    bool has_strands = sim->yarn_dynamics && sim->yarn_dynamics->has_contact;
    size_t bytes = sizeof(HedMat3) * (size_t)sim->x.count;
    bool ok = true;
    if (has_pairs || has_strands) {
        memcpy(im->diagonal, im->matrix.diagonal, bytes);
        hed_yarn_dynamics_add_diagonal(sim, im->matrix.diagonal);
    }
    if (has_pairs) {
        hed_self_add_diagonal(&sim->self, im->matrix.diagonal);
    }
    if (im->has_points) {
        ok = hed_preconditioner_update(im->preconditioner, &im->matrix, im->free);
    }
    for (int32_t k = 0; ok && k < sim->parts.list.count; ++k) {
        const HedPart* part = &sim->parts.list.data[k];
        const HedMat3* blocks = has_pairs ? im->matrix.diagonal + part->first_point : NULL;
        ok = part->type->precondition_update(part->self, blocks);
    }
    if (has_pairs || has_strands) {
        memcpy(im->matrix.diagonal, im->diagonal, bytes);
    }
    hed_stage_end(sim, HED_STAGE_PRECONDITIONER, begin);
    return ok;
}

// Membranes take what inertia lends them; all else becomes exact.
static HedMatrixScale scale_of(const HedStep* step, HedNewtonForm form) {
    const double safe = 0.95; // the rest keeps the matrix well conditioned
    const double bold = 4.0;
    bool has_membranes = step->sim->membranes.list.count > 0;
    bool is_bold = form == HED_FORM_BOLD;
    double lent = form == HED_FORM_SAFE ? safe : is_bold ? bold : 0.0;
    bool is_exact = form == HED_FORM_EXACT || (is_bold && !has_membranes);
    double damping = step->inertia > 0.0 ? step->rate : 0.0;
    return (HedMatrixScale){1.0, damping, is_exact, lent * step->inertia};
}

bool hed_newton_assemble(void* self, HedNewtonForm form) {
    HedStep* step = self;
    HedSim* sim = step->sim;
    HedImplicit* im = &sim->implicit;
    HedMatrixScale scale = scale_of(step, form);
    double begin = hed_stage_begin(sim);
    if (im->has_points) {
        assemble_points(step, scale);
    } else if (hed_newton_has_outside(sim)) {
        memset(im->matrix.diagonal, 0, sizeof(HedMat3) * (size_t)sim->x.count);
    }
    hed_contacts_note_slip(&sim->contacts, im->v_trial);
    HedMatrixScale contact = {1.0, step->rate, scale.is_exact && im->has_points, 0.0};
    hed_contacts_add_matrix(&sim->contacts, im->v_trial, contact, &im->matrix);
    if (hed_newton_is_eliminated(sim)) {
        take_out_held(sim);
    }
    assemble_parts(step);
    if (sim->has_self && sim->failure == HED_OK) {
        HedSelfScale own = {1.0, step->rate};
        hed_sim_note(sim, hed_self_linearise(&sim->self, im->x_trial, im->v_trial, own, NULL));
    }
    hed_stage_end(sim, HED_STAGE_ASSEMBLY, begin);
    return sim->failure == HED_OK && hed_newton_precondition(step);
}

// What touches changes with every correction, so contacts of yarns are always those of the present
// state: they act in the products, while the preconditioner may keep those that it was made of.
bool hed_newton_relinearise(void* self) {
    const HedStep* step = self;
    hed_sim_note(step->sim, hed_yarn_dynamics_linearise(step->sim));
    return step->sim->failure == HED_OK;
}

// --- products ---

static void multiply_points(const HedSim* sim, const HedVec3* from, HedVec3* to) {
    hed_matrix_multiply(&sim->implicit.matrix, &sim->team, from, to);
    hed_sim_rods_condense(sim, from, to);
    hed_yarn_dynamics_multiply(sim, from, to);
    if (sim->has_self) {
        hed_self_multiply(&sim->self, from, to);
    }
}

// With parts: their points move as their unknowns say, and what that costs acts on these.
static void multiply_joined(const HedSim* sim, const double* x, double* y) {
    HedVec3* from = sim->implicit.scratch;
    HedVec3* to = hed_point_block(y);
    memcpy(from, x, sizeof *from * (size_t)sim->x.count);
    for (int32_t k = 0; k < sim->parts.list.count; ++k) {
        const HedPart* part = &sim->parts.list.data[k];
        part->type->points_of(part->self, x + part->first, from + part->first_point);
    }
    multiply_points(sim, from, to);
    for (int32_t k = 0; k < sim->parts.list.count; ++k) {
        const HedPart* part = &sim->parts.list.data[k];
        part->type->multiply(part->self, x + part->first, y + part->first);
        part->type->add_points(part->self, to + part->first_point, y + part->first);
        part->type->hold(part->self, y + part->first);
        memset(to + part->first_point, 0, sizeof *to * (size_t)part->point_count);
    }
    if (sim->touches) {
        hed_touches_multiply(sim->touches, x, y);
        hed_newton_hold_parts(sim, y);
    }
}

// Without numbers of points: parts, and what joins their points.
static void multiply_parts(const HedSim* sim, const double* x, double* y) {
    const HedImplicit* im = &sim->implicit;
    bool has_pairs = sim->has_self && sim->self.links.count > 0;
    for (int32_t k = 0; k < sim->parts.list.count; ++k) {
        const HedPart* part = &sim->parts.list.data[k];
        part->type->multiply(part->self, x + part->first, y + part->first);
        if (has_pairs) {
            part->type->points_of(part->self, x + part->first, im->scratch + part->first_point);
        }
    }
    if (sim->touches) {
        hed_touches_multiply(sim->touches, x, y);
        hed_newton_hold_parts(sim, y);
    }
    if (!has_pairs) {
        return;
    }
    memset(im->product, 0, sizeof *im->product * (size_t)sim->x.count);
    hed_self_multiply(&sim->self, im->scratch, im->product);
    for (int32_t k = 0; k < sim->parts.list.count; ++k) {
        const HedPart* part = &sim->parts.list.data[k];
        part->type->add_points(part->self, im->product + part->first_point, y + part->first);
        part->type->hold(part->self, y + part->first);
    }
}

void hed_newton_multiply(void* context, const double* x, double* y) {
    const HedStep* step = context;
    const HedSim* sim = step->sim;
    if (sim->parts.list.count == 0) {
        multiply_points(sim, (const HedVec3*)(const void*)x, hed_point_block(y));
    } else if (sim->implicit.has_points) {
        multiply_joined(sim, x, y);
    } else {
        multiply_parts(sim, x, y);
    }
}

void hed_newton_apply_preconditioner(void* context, const double* x, double* y) {
    const HedStep* step = context;
    const HedSim* sim = step->sim;
    if (sim->implicit.has_points) {
        hed_preconditioner_apply(sim->implicit.preconditioner, x, y);
    }
    for (int32_t k = 0; k < sim->parts.list.count; ++k) {
        const HedPart* part = &sim->parts.list.data[k];
        part->type->precondition(part->self, x + part->first, y + part->first);
    }
}

void hed_newton_filter(void* context, const double* x, double* y) {
    const HedStep* step = context;
    const HedSim* sim = step->sim;
    HedVec3* to = hed_point_block(y);
    (void)x;
    for (int32_t p = 0; p < sim->pins.count; ++p) {
        const HedPin* pin = &sim->pins.data[p];
        for (int32_t k = 0; k < pin->point_count && pin->is_active; ++k) {
            to[pin->points[k]] = (HedVec3){0};
        }
    }
}

int64_t hed_newton_product_bytes(const HedSim* sim) {
    int64_t bytes = sim->implicit.has_points ? hed_matrix_product_bytes(&sim->implicit.matrix) : 0;
    for (int32_t k = 0; k < sim->parts.list.count; ++k) {
        const HedPart* part = &sim->parts.list.data[k];
        bytes += part->type->product_bytes(part->self);
    }
    return bytes;
}
