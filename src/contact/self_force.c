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

static bool reserve(HedSelf* self) {
    int64_t count = self->contacts.count;
    self->touched.count = self->touched_first.count = self->uses.count = 0;
    self->use_weight.count = self->acts.count = self->pulls.count = self->links.count = 0;
    return HED_RESERVE(&self->uses, 4 * count) && HED_RESERVE(&self->use_weight, 4 * count) &&
           HED_RESERVE(&self->acts, count) && HED_RESERVE(&self->pulls, count) &&
           HED_RESERVE(&self->touched, 4 * count) &&
           HED_RESERVE(&self->touched_first, 4 * count + 1);
}

HedStatus hed_self_index(HedSelf* self, HedError* error) {
    if (!reserve(self)) {
        self->contacts.count = self->pull_first = 0;
        return hed_fail_memory(error, "contacts of sheets");
    }
    int32_t count = self->contacts.count;
    int32_t* at = self->zone; // scratch, outside of hed_self_resolve: uses, then the next place
    memset(at, 0, sizeof *at * (size_t)self->def.point_count);
    for (int32_t k = 0; k < count; ++k) {
        for (int i = 0; i < 4; ++i) {
            int32_t point = self->contacts.data[k].point[i];
            if (at[point]++ == 0) {
                self->touched.data[self->touched.count++] = point;
            }
        }
    }
    int32_t first = 0;
    for (int32_t t = 0; t < self->touched.count; ++t) {
        int32_t* place = &at[self->touched.data[t]];
        int32_t uses = *place;
        self->touched_first.data[t] = *place = first;
        first += uses;
    }
    self->touched_first.data[self->touched.count] = first;
    for (int32_t k = 0; k < count; ++k) {
        const HedSelfContact* c = &self->contacts.data[k];
        for (int i = 0; i < 4; ++i) {
            int32_t place = at[c->point[i]]++;
            self->uses.data[place] = k;
            self->use_weight.data[place] = c->weight[i];
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

// to += scale sum of weight * pulls.
static void spread(const HedSelf* self, double scale, HedVec3* to) {
    const HedVec3* pulls = self->pulls.data;
    const int32_t* first = self->touched_first.data;
#pragma omp parallel for schedule(static)                                                          \
    num_threads(hed_team_size(self->def.team, INT64_C(10) * self->contacts.count))
    for (int32_t t = 0; t < self->touched.count; ++t) {
        HedVec3* point = &to[self->touched.data[t]];
        HedVec3 sum = *point;
        for (int32_t e = first[t]; e < first[t + 1]; ++e) {
            sum = hed_madd3(sum, scale * self->use_weight.data[e], pulls[self->uses.data[e]]);
        }
        *point = sum;
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
        self->pulls.data[k] = acts[k].pull;
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
    double before = 0.0, now = 0.0;
    for (int32_t k = 0; k < self->pull_first; ++k) {
        HedSelfContact* c = &self->contacts.data[k];
        double limit = self->def.friction * hed_self_gap_force(c, x).push;
        before += c->limit;
        now += limit;
        c->limit = limit;
    }
    double larger = fmax(before, now);
    return larger > 0.0 ? fabs(now - before) / larger : 0.0;
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

static HedSelfLink link_of(const HedSelfContact* c, const HedVec3* x, const HedVec3* v,
                           HedSelfScale scale) {
    HedSelfLink link;
    HedMat3 gap = hed_mat3_scale(scale.stiffness, hed_self_gap_force(c, x).hessian);
    HedMat3 friction = hed_mat3_scale(scale.damping, friction_of(c, v).hessian);
    HedMat3 h = hed_mat3_add(gap, friction);
    memcpy(link.point, c->point, sizeof link.point);
    memcpy(link.weight, c->weight, sizeof link.weight);
    const double upper[6] = {h.m[0][0], h.m[0][1], h.m[0][2], h.m[1][1], h.m[1][2], h.m[2][2]};
    memcpy(link.hessian, upper, sizeof upper);
    return link;
}

HedStatus hed_self_linearise(HedSelf* self, const HedVec3* x, const HedVec3* v, HedSelfScale scale,
                             HedError* error) {
    self->links.count = 0;
    if (!HED_RESERVE(&self->links, self->contacts.count)) {
        return hed_fail_memory(error, "contacts of sheets");
    }
    self->links.count = self->contacts.count;
#pragma omp parallel for schedule(static)                                                          \
    num_threads(hed_team_size(self->def.team, INT64_C(150) * self->contacts.count))
    for (int32_t k = 0; k < self->contacts.count; ++k) {
        note_slip(&self->contacts.data[k], v);
        self->links.data[k] = link_of(&self->contacts.data[k], x, v, scale);
    }
    return HED_OK;
}

void hed_self_multiply(const HedSelf* self, const HedVec3* from, HedVec3* to) {
#pragma omp parallel for schedule(static)                                                          \
    num_threads(hed_team_size(self->def.team, INT64_C(20) * self->links.count))
    for (int32_t k = 0; k < self->links.count; ++k) {
        const HedSelfLink* c = &self->links.data[k];
        const double* h = c->hessian;
        HedVec3 d = hed_self_mix(c->point, c->weight, from);
        self->pulls.data[k] =
            (HedVec3){h[0] * d.x + h[1] * d.y + h[2] * d.z, h[1] * d.x + h[3] * d.y + h[4] * d.z,
                      h[2] * d.x + h[4] * d.y + h[5] * d.z};
    }
    if (self->links.count > 0) {
        spread(self, 1.0, to);
    }
}

void hed_self_add_diagonal(const HedSelf* self, HedMat3* diagonal) {
    const int32_t* first = self->touched_first.data;
    int32_t touched = self->links.count > 0 ? self->touched.count : 0;
#pragma omp parallel for schedule(static)                                                          \
    num_threads(hed_team_size(self->def.team, INT64_C(20) * self->links.count))
    for (int32_t t = 0; t < touched; ++t) {
        double sum[6] = {0.0};
        for (int32_t e = first[t]; e < first[t + 1]; ++e) {
            double square = self->use_weight.data[e] * self->use_weight.data[e];
            const double* h = self->links.data[self->uses.data[e]].hessian;
            for (int c = 0; c < 6; ++c) {
                sum[c] += square * h[c];
            }
        }
        HedMat3* d = &diagonal[self->touched.data[t]];
        *d = hed_mat3_add(*d, (HedMat3){{{sum[0], sum[1], sum[2]},
                                         {sum[1], sum[3], sum[4]},
                                         {sum[2], sum[4], sum[5]}}});
    }
}
