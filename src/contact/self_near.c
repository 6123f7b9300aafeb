// SPDX-License-Identifier: MIT
// What is nearer than its thickness: as a list of contacts (self_force.c), and as impulses on
// velocities.
#include "contact/self.h"

#include "base/alloc.h"
#include "contact/kernel_friction.h"

// In one piece of cloth, what is near at rest keeps at most this share of its distance there.
static const double REST_SHARE = 0.5;

typedef struct NearSearch {
    HedSelf* self;
    const HedVec3* x;
    const HedVec3* v;
    double h;         // s; 0 for what is near now only
    double stiffness; // N/m per m^2
} NearSearch;

// Distance to keep; less between neighbours.
static double offset_of(const HedSelf* self, HedMeeting meeting, const int32_t point[4]) {
    double offset = fmin(hed_self_thickness(self, meeting, point),
                         hed_self_sewn_distance(self, meeting, point));
    if (self->piece[point[0]] != self->piece[point[3]]) {
        return offset;
    }
    HedVec3 rest[4];
    for (int k = 0; k < 4; ++k) {
        rest[k] = self->rest[point[k]];
    }
    return fmin(offset, REST_SHARE * hed_nearest(meeting, rest).distance);
}

static double contact_area(const HedSelf* self, const int32_t point[4], const double weight[4]) {
    double first = 0.0;
    double second = 0.0;
    for (int k = 0; k < 4; ++k) {
        double part = weight[k] * self->def.area[point[k]];
        first += part > 0.0 ? part : 0.0;
        second -= part < 0.0 ? part : 0.0;
    }
    return fmin(first, second);
}

// Whether pair k is near; fills all of the contact but stiffness and limit.
static bool sample_pair(const NearSearch* search, int32_t k, HedSelfContact* contact) {
    const HedSelf* self = search->self;
    contact->meeting = hed_self_pair(self, k, contact->point);
    if (hed_self_is_off(self, k) || hed_self_is_loose(self, contact->meeting, contact->point) ||
        (self->is_kept && self->is_kept[contact->point[0]] && self->is_kept[contact->point[3]])) {
        return false;
    }
    double thickness = hed_self_thickness(self, contact->meeting, contact->point);
    HedVec3 x[4];
    for (int i = 0; i < 4; ++i) {
        x[i] = search->x[contact->point[i]];
    }
    HedNearest nearest = hed_nearest(contact->meeting, x);
    for (int i = 0; i < 4; ++i) {
        contact->weight[i] = nearest.weight[i];
    }
    contact->normal = nearest.normal;
    double then = nearest.distance;
    if (search->h > 0.0) {
        HedVec3 speed = hed_self_mix(contact->point, contact->weight, search->v);
        then = fmin(then, then + search->h * hed_dot3(speed, nearest.normal));
    }
    if (!(then < thickness) || !(nearest.distance > 0.0)) {
        return false;
    }
    contact->offset = contact->soft = offset_of(self, contact->meeting, contact->point);
    return then < contact->offset;
}

// Fills contact k from pair number hit.
static void fill_contact(const NearSearch* search, int32_t k, int32_t hit) {
    HedSelf* self = search->self;
    HedSelfContact contact = {0};
    sample_pair(search, hit, &contact);
    if (search->stiffness > 0.0) {
        contact.stiffness = search->stiffness * contact_area(self, contact.point, contact.weight);
        contact.limit = self->def.friction * hed_self_gap_force(&contact, search->x).push;
    }
    self->contacts.data[k] = contact;
}

// Tests the pairs of the last search; those that are near become contacts, in their order.
static HedStatus list_hits(const NearSearch* search, HedError* error) {
    HedSelf* self = search->self;
    int32_t count = hed_self_pair_count(self);
    self->is_hit.count = self->hits.count = 0;
    self->contacts.count = 0;
    if (!HED_RESERVE(&self->is_hit, count)) {
        return hed_fail_memory(error, "contacts of sheets");
    }
    bool* is_hit = self->is_hit.data;
#pragma omp parallel for schedule(static)                                                          \
    num_threads(hed_team_size(self->def.team, INT64_C(100) * count))
    for (int32_t k = 0; k < count; ++k) {
        HedSelfContact contact;
        is_hit[k] = sample_pair(search, k, &contact);
    }
    int32_t found = 0;
    for (int32_t k = 0; k < count; ++k) {
        found += is_hit[k];
    }
    if (!HED_RESERVE(&self->hits, found) || !HED_RESERVE(&self->contacts, found)) {
        return hed_fail_memory(error, "contacts of sheets");
    }
    for (int32_t k = 0; k < count; ++k) {
        if (is_hit[k]) {
            self->hits.data[self->hits.count++] = k;
        }
    }
#pragma omp parallel for schedule(static)                                                          \
    num_threads(hed_team_size(self->def.team, INT64_C(200) * found))
    for (int32_t k = 0; k < found; ++k) {
        fill_contact(search, k, self->hits.data[k]);
    }
    self->contacts.count = found;
    return HED_OK;
}

static HedStatus list_near(const NearSearch* search, const HedSweep* sweep, HedError* error) {
    HedSelf* self = search->self;
    hed_surface_tree_refit(&self->tree, sweep, self->def.team);
    HedStatus status = hed_surface_tree_find(&self->tree, self->def.team, &self->pairs, error);
    if (status != HED_OK) {
        return status;
    }
    status = list_hits(search, error);
    self->pull_first = self->contacts.count;
    return status == HED_OK ? hed_self_index(self, error) : status;
}

HedStatus hed_self_find(HedSelf* self, const HedVec3* x, const HedVec3* v, double h,
                        double stiffness, HedError* error) {
    NearSearch search = {self, x, v, h, stiffness};
    for (int32_t i = 0; i < self->def.point_count; ++i) {
        self->held[i] = hed_madd3(x[i], h, v[i]);
    }
    HedSweep sweep = {x, self->held, self->def.half_thickness, NULL};
    return list_near(&search, &sweep, error);
}

static double kinetic(const HedSelfContact* c, const HedSelfStep* step) {
    double sum = 0.0;
    for (int k = 0; k < 4; ++k) {
        double inverse = step->inverse_mass[c->point[k]];
        HedVec3 v = step->velocity[c->point[k]];
        sum += inverse > 0.0 ? 0.5 / inverse * hed_dot3(v, v) : 0.0;
    }
    return sum;
}

// One pair, after Bridson, Fedkiw and Anderson (2002), section 7.2: approach is stopped, a spring
// pushes, but not beyond a tenth of the overlap per step, and friction follows the impulse.
static void repel_pair(const HedSelfContact* c, const HedSelfStep* step, double stiffness,
                       double friction) {
    double mobility = 0.0;
    for (int k = 0; k < 4; ++k) {
        mobility += c->weight[k] * c->weight[k] * step->inverse_mass[c->point[k]];
    }
    if (!(mobility > 0.0)) {
        return;
    }
    HedVec3 w = hed_self_mix(c->point, c->weight, step->velocity);
    double apart = hed_dot3(w, c->normal);
    double overlap = -hed_self_gap(c, step->start);
    double most = fmax(0.0, (0.1 * overlap / step->size - apart) / mobility);
    double push = apart < 0.0 ? -apart / mobility : 0.0;
    push = fmin(push + step->size * stiffness * overlap, most);
    HedVec3 drag = hed_friction_impulse((HedFrictionImpulse){friction, push, mobility},
                                        hed_friction_slip(w, c->normal), (HedVec3){0});
    HedVec3 impulse = hed_madd3(drag, push, c->normal);
    for (int k = 0; k < 4; ++k) {
        HedVec3* v = &step->velocity[c->point[k]];
        *v = hed_madd3(*v, c->weight[k] * step->inverse_mass[c->point[k]], impulse);
    }
}

HedStatus hed_self_repel(HedSelf* self, const HedSelfStep* step, double stiffness,
                         HedSelfReport* report, HedError* error) {
    *report = (HedSelfReport){.rounds = 1};
    NearSearch search = {.self = self, .x = step->start, .v = step->velocity};
    HedSweep sweep = {step->start, step->start, self->def.half_thickness, NULL};
    HedStatus status = list_near(&search, &sweep, error);
    if (status != HED_OK) {
        return status;
    }
    report->pair_count = hed_self_pair_count(self);
    report->impact_count = self->contacts.count;
    for (int32_t k = 0; k < self->contacts.count; ++k) {
        const HedSelfContact* c = &self->contacts.data[k];
        double before = kinetic(c, step);
        repel_pair(c, step, stiffness, self->def.friction);
        report->energy += before - kinetic(c, step);
    }
    return HED_OK;
}
