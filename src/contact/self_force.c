// SPDX-License-Identifier: MIT
// Contacts between surfaces as springs and dissipation, for implicit steps: forces, energies,
// matrix and products of a list (self_near.c). What each contact does is found in parallel, and
// then summed up by the points that it acts on, in the order of the list: the same bits for any
// number of threads.
#include "contact/self.h"

#include "base/alloc.h"
#include "contact/kernel_friction.h"

#include <string.h>

// Slip below this speed counts as sticking, as against bodies.
static const double STICK_SPEED = 1e-3; // m/s

static HedFrictionPlane friction_of(const HedSelfContact* c, const HedVec3* v) {
    HedVec3 w = hed_self_mix(c->point, c->weight, v);
    return hed_friction_plane(w, c->normal, (HedFriction){c->limit, STICK_SPEED}, c->bound);
}

// --- which contacts act on a point ---

HedStatus hed_self_index(HedSelf* self, HedError* error) {
    int32_t count = self->contacts.count;
    int32_t* uses = self->zone; // scratch, outside of hed_self_resolve
    self->touched.count = self->touched_first.count = self->uses.count = self->acts.count = 0;
    self->hessians.count = 0;
    if (!HED_RESERVE(&self->uses, 4 * (int64_t)count) || !HED_RESERVE(&self->acts, count)) {
        self->contacts.count = self->pull_first = 0;
        return hed_fail_memory(error, "contacts of sheets");
    }
    memset(uses, 0, sizeof *uses * (size_t)self->def.point_count);
    int32_t touched = 0;
    for (int32_t k = 0; k < count; ++k) {
        for (int i = 0; i < 4; ++i) {
            touched += uses[self->contacts.data[k].point[i]]++ == 0;
        }
    }
    if (!HED_RESERVE(&self->touched, touched) ||
        !HED_RESERVE(&self->touched_first, (int64_t)touched + 1)) {
        self->contacts.count = self->pull_first = 0;
        return hed_fail_memory(error, "contacts of sheets");
    }
    int32_t at = 0;
    for (int32_t p = 0; p < self->def.point_count; ++p) {
        int32_t of_point = uses[p];
        if (of_point > 0) {
            self->touched.data[self->touched.count] = p;
            self->touched_first.data[self->touched.count++] = at;
            uses[p] = at;
            at += of_point;
        }
    }
    self->touched_first.data[touched] = self->uses.count = at;
    self->touched_first.count = touched + 1;
    self->acts.count = count;
    for (int32_t k = 0; k < count; ++k) {
        for (int i = 0; i < 4; ++i) {
            self->uses.data[uses[self->contacts.data[k].point[i]]++] = 4 * k + i;
        }
    }
    return HED_OK;
}

// --- forces ---

static HedSelfAct act_of(const HedSelfContact* c, const HedVec3* x, const HedVec3* v) {
    HedGapOut gap = hed_self_gap_force(c, x);
    HedFrictionPlane friction = friction_of(c, v);
    return (HedSelfAct){
        .pull = hed_add3(gap.gradient, friction.gradient),
        .energy = gap.energy,
        .power = hed_dot3(friction.gradient, hed_self_mix(c->point, c->weight, v)),
    };
}

// to += scale sum of weight * pull.
static void spread(const HedSelf* self, double scale, HedVec3* to) {
    const HedSelfContact* contacts = self->contacts.data;
    const HedSelfAct* acts = self->acts.data;
#pragma omp parallel for schedule(static)                                                          \
    num_threads(hed_team_size(self->def.team, INT64_C(8) * self->uses.count))
    for (int32_t t = 0; t < self->touched.count; ++t) {
        int32_t point = self->touched.data[t];
        HedVec3 sum = to[point];
        for (int32_t e = self->touched_first.data[t]; e < self->touched_first.data[t + 1]; ++e) {
            int32_t k = self->uses.data[e] / 4;
            double weight = contacts[k].weight[self->uses.data[e] % 4];
            sum = hed_madd3(sum, scale * weight, acts[k].pull);
        }
        to[point] = sum;
    }
}

double hed_self_add_force(const HedSelf* self, const HedVec3* x, const HedVec3* v, HedVec3* force,
                          double* dissipated) {
    double energy = 0.0;
    double power = 0.0;
    HedSelfAct* acts = self->acts.data;
#pragma omp parallel for schedule(static)                                                          \
    num_threads(hed_team_size(self->def.team, INT64_C(100) * self->contacts.count))
    for (int32_t k = 0; k < self->contacts.count; ++k) {
        acts[k] = act_of(&self->contacts.data[k], x, v);
    }
    for (int32_t k = 0; k < self->contacts.count; ++k) {
        energy += acts[k].energy;
        power += acts[k].power;
    }
    spread(self, -1.0, force);
    if (dissipated) {
        *dissipated = power;
    }
    return energy;
}

double hed_self_renew_limits(HedSelf* self, const HedVec3* x) {
    double before = 0.0, now = 0.0, change = 0.0;
    for (int32_t k = 0; k < self->pull_first; ++k) {
        HedSelfContact* c = &self->contacts.data[k];
        double limit = self->def.friction * hed_self_gap_force(c, x).push;
        change += fabs(limit - c->limit);
        before += c->limit;
        now += limit;
        c->limit = limit;
    }
    double larger = fmax(before, now);
    return larger > 0.0 ? change / larger : 0.0;
}

double hed_self_dissipation(const HedSelf* self, const HedVec3* v) {
    HedSelfAct* acts = self->acts.data;
    double sum = 0.0;
#pragma omp parallel for schedule(static)                                                          \
    num_threads(hed_team_size(self->def.team, INT64_C(50) * self->contacts.count))
    for (int32_t k = 0; k < self->contacts.count; ++k) {
        acts[k].power = friction_of(&self->contacts.data[k], v).energy;
    }
    for (int32_t k = 0; k < self->contacts.count; ++k) {
        sum += acts[k].power;
    }
    return sum;
}

// --- the matrix ---

static void note_slip(HedSelfContact* c, const HedVec3* v) {
    HedVec3 slip = hed_friction_slip(hed_self_mix(c->point, c->weight, v), c->normal);
    double size = hed_norm3(slip);
    double sizes = hed_norm3(c->slip) * size;
    double cosine = sizes > 0.0 ? hed_dot3(slip, c->slip) / sizes : 0.0;
    c->bound = hed_friction_bound(cosine, c->bound, 1.0);
    c->slip = size > STICK_SPEED ? slip : (HedVec3){0};
}

HedStatus hed_self_linearise(HedSelf* self, const HedVec3* x, const HedVec3* v, HedSelfScale scale,
                             HedError* error) {
    self->hessians.count = 0;
    if (!HED_RESERVE(&self->hessians, self->contacts.count)) {
        return hed_fail_memory(error, "contacts of sheets");
    }
    self->hessians.count = self->contacts.count;
#pragma omp parallel for schedule(static)                                                          \
    num_threads(hed_team_size(self->def.team, INT64_C(150) * self->contacts.count))
    for (int32_t k = 0; k < self->contacts.count; ++k) {
        HedSelfContact* c = &self->contacts.data[k];
        note_slip(c, v);
        HedMat3 gap = hed_mat3_scale(scale.stiffness, hed_self_gap_force(c, x).hessian);
        HedMat3 friction = hed_mat3_scale(scale.damping, friction_of(c, v).hessian);
        self->hessians.data[k] = hed_mat3_add(gap, friction);
    }
    return HED_OK;
}

void hed_self_multiply(const HedSelf* self, const HedVec3* from, HedVec3* to) {
    HedSelfAct* acts = self->acts.data;
#pragma omp parallel for schedule(static)                                                          \
    num_threads(hed_team_size(self->def.team, INT64_C(20) * self->hessians.count))
    for (int32_t k = 0; k < self->hessians.count; ++k) {
        const HedSelfContact* c = &self->contacts.data[k];
        acts[k].pull =
            hed_mat3_apply(self->hessians.data[k], hed_self_mix(c->point, c->weight, from));
    }
    if (self->hessians.count > 0) {
        spread(self, 1.0, to);
    }
}

void hed_self_add_diagonal(const HedSelf* self, HedMat3* diagonal) {
#pragma omp parallel for schedule(static)                                                          \
    num_threads(hed_team_size(self->def.team, INT64_C(20) * self->uses.count))
    for (int32_t t = 0; t < self->touched.count; ++t) {
        HedMat3* d = &diagonal[self->touched.data[t]];
        for (int32_t e = self->touched_first.data[t]; e < self->touched_first.data[t + 1]; ++e) {
            int32_t k = self->uses.data[e] / 4;
            double weight = self->contacts.data[k].weight[self->uses.data[e] % 4];
            *d = hed_mat3_add(*d, hed_mat3_scale(weight * weight, self->hessians.data[k]));
        }
    }
}
