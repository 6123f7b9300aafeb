// SPDX-License-Identifier: MIT
// Contacts as springs and dissipation, for implicit steps. Sampling the bodies is parallel; adding
// to shared points is not: there are few contacts for each sample's cost, and so the order of sums
// is fixed.
#include "contact/contact.h"
#include "contact/kernel_friction.h"
#include "contact/kernel_gap.h"

// Slip below this speed counts as sticking; Coulomb's limit is reached here.
static const double STICK_SPEED = 1e-3; // m/s

static void sample_all(HedContacts* contacts, const HedVec3* x, double time) {
#pragma omp parallel for schedule(static)                                                          \
    num_threads(hed_team_size(contacts->team, INT64_C(100) * contacts->list.count))
    for (int32_t k = 0; k < contacts->list.count; ++k) {
        hed_contact_sample(contacts, &contacts->list.data[k], x, time);
    }
}

static HedFrictionPlane friction_of(const HedContact* c, const HedVec3* v) {
    HedVec3 w = hed_sub3(hed_contact_mix(c, v), c->velocity);
    return hed_friction_plane(w, c->normal, (HedFriction){c->limit, STICK_SPEED}, c->bound);
}

static HedGapOut gap_of(const HedContact* c) {
    return hed_gap_eval(c->distance - c->offset, c->normal, (HedGapLaw){c->stiffness, 0.0});
}

static HedGapDrag drag_of(const HedContact* c, const HedVec3* v) {
    HedVec3 w = hed_sub3(hed_contact_mix(c, v), c->velocity);
    return hed_gap_drag(c->distance - c->offset, w, c->normal, c->damping);
}

HedPower hed_contacts_add_force(HedContacts* contacts, const HedVec3* x, const HedVec3* v,
                                double time, HedVec3* force) {
    HedPower power = {0};
    sample_all(contacts, x, time);
    for (int32_t k = 0; k < contacts->list.count; ++k) {
        const HedContact* c = &contacts->list.data[k];
        HedGapOut gap = gap_of(c);
        HedFrictionPlane friction = friction_of(c, v);
        HedGapDrag drag = drag_of(c, v);
        HedVec3 pull = hed_add3(hed_add3(gap.gradient, drag.gradient), friction.gradient);
        for (int32_t m = 0; m < c->size; ++m) {
            HedVec3* f = &force[c->point[m]];
            *f = hed_madd3(*f, -c->weight[m], pull);
        }
        HedVec3 w = hed_sub3(hed_contact_mix(c, v), c->velocity);
        power.dissipated += hed_dot3(friction.gradient, w) + hed_dot3(drag.gradient, w);
        power.external -= hed_dot3(pull, c->velocity);
    }
    return power;
}

static void add_block(HedMatrix* matrix, int32_t i, int32_t j, const HedMat3* h) {
    if (i == j) {
        matrix->diagonal[i] = hed_mat3_add(matrix->diagonal[i], *h);
        return;
    }
    hed_matrix_add(matrix, matrix->range_of[i], i, j, h);
    if (matrix->range_of[i] != matrix->range_of[j]) {
        hed_matrix_add(matrix, matrix->range_of[j], i, j, h);
    }
}

void hed_contacts_add_matrix(const HedContacts* contacts, const HedVec3* v, HedMatrixScale scale,
                             HedMatrix* matrix) {
    for (int32_t k = 0; k < contacts->list.count; ++k) {
        const HedContact* c = &contacts->list.data[k];
        HedGapOut gap = gap_of(c);
        HedMat3 rate = hed_mat3_add(friction_of(c, v).hessian, drag_of(c, v).hessian);
        HedMat3 h = hed_mat3_add(hed_mat3_scale(scale.stiffness, gap.hessian),
                                 hed_mat3_scale(scale.damping, rate));
        for (int32_t m = 0; m < c->size; ++m) {
            for (int32_t n = m; n < c->size; ++n) {
                // In a closed curve of three points one of them may stand in two places.
                bool is_twice = m != n && c->point[m] == c->point[n];
                double w = c->weight[m] * c->weight[n] * (is_twice ? 2.0 : 1.0);
                HedMat3 block = hed_mat3_scale(w, h);
                add_block(matrix, c->point[m], c->point[n], &block);
            }
        }
    }
}

void hed_contacts_note_slip(HedContacts* contacts, const HedVec3* v) {
    for (int32_t k = 0; k < contacts->list.count; ++k) {
        HedContact* c = &contacts->list.data[k];
        HedVec3 w = hed_sub3(hed_contact_mix(c, v), c->velocity);
        HedVec3 slip = hed_friction_slip(w, c->normal);
        double sizes = hed_norm3(c->slip) * hed_norm3(slip);
        bool slid = hed_norm3(c->slip) > STICK_SPEED && sizes > 0.0;
        double cosine = slid ? hed_dot3(slip, c->slip) / sizes : 0.0;
        c->bound = hed_friction_bound(cosine, c->bound, 1.0);
        c->slip = slip;
    }
}

double hed_contacts_energy(const HedContacts* contacts) {
    double sum = 0.0;
    for (int32_t k = 0; k < contacts->list.count; ++k) {
        const HedContact* c = &contacts->list.data[k];
        sum += gap_of(c).energy;
    }
    return sum;
}

double hed_contacts_dissipation(const HedContacts* contacts, const HedVec3* v) {
    double sum = 0.0;
    for (int32_t k = 0; k < contacts->list.count; ++k) {
        const HedContact* c = &contacts->list.data[k];
        sum += friction_of(c, v).energy + drag_of(c, v).dissipation;
    }
    return sum;
}

void hed_contacts_add_push(const HedContacts* contacts, double scale, double* push) {
    for (int32_t k = 0; k < contacts->list.count; ++k) {
        const HedContact* c = &contacts->list.data[k];
        double force = scale * gap_of(c).push;
        for (int32_t m = 0; m < c->size; ++m) {
            push[c->point[m]] += c->weight[m] * force;
        }
    }
}

double hed_contacts_depth(const HedContacts* contacts) {
    double deepest = 0.0;
    for (int32_t k = 0; k < contacts->list.count; ++k) {
        const HedContact* c = &contacts->list.data[k];
        deepest = fmax(deepest, c->offset - c->distance);
    }
    return deepest;
}
