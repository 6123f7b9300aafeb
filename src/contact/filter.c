// SPDX-License-Identifier: MIT
// Contacts as a filter on positions and velocities, for explicit and position-based steps.
//
// A contact point with weights w_i answers an impulse along n with the change sum w_i^2/m_i =: 1/m.
// What is too deep is moved out along n by the same weights; a velocity into the body is stopped (j
// = -m v.n) and slip is reduced by at most friction times that impulse. Contacts follow each other
// in a fixed order.
#include "contact/contact.h"
#include "contact/kernel_friction.h"

typedef struct Filter {
    HedContacts* contacts;
    const double* inverse_mass;
    HedVec3* x;
    HedVec3* v;
    HedPower work;
} Filter;

static void spread(const HedContact* c, const double* inverse_mass, HedVec3 impulse,
                   HedVec3* values) {
    for (int32_t k = 0; k < c->size; ++k) {
        HedVec3* value = &values[c->point[k]];
        *value = hed_madd3(*value, c->weight[k] * inverse_mass[c->point[k]], impulse);
    }
}

static double kinetic(const Filter* filter, const HedContact* c) {
    double sum = 0.0;
    for (int32_t k = 0; k < c->size; ++k) {
        int32_t i = c->point[k];
        double inverse = filter->inverse_mass[i];
        sum += inverse > 0.0 ? 0.5 / inverse * hed_dot3(filter->v[i], filter->v[i]) : 0.0;
    }
    return sum;
}

static double mobility_of(const Filter* filter, const HedContact* c) {
    double sum = 0.0;
    for (int32_t m = 0; m < c->size; ++m) {
        sum += c->weight[m] * c->weight[m] * filter->inverse_mass[c->point[m]];
    }
    return sum;
}

// Friction of an impulse `push` (N s) along the normal.
static HedVec3 rub(const Filter* filter, const HedContact* c, double push, double mobility) {
    HedVec3 w = hed_sub3(hed_contact_mix(c, filter->v), c->velocity);
    double coefficient = filter->contacts->bodies[c->body].friction;
    return hed_friction_impulse((HedFrictionImpulse){coefficient, push, mobility},
                                hed_friction_slip(w, c->normal), (HedVec3){0});
}

// Applies an impulse, and counts its work.
static void kick(Filter* filter, const HedContact* c, HedVec3 impulse) {
    double before = kinetic(filter, c);
    spread(c, filter->inverse_mass, impulse, filter->v);
    double external = hed_dot3(impulse, c->velocity);
    filter->work.external += external;
    filter->work.dissipated += external + before - kinetic(filter, c);
}

static void stop_approach(Filter* filter, const HedContact* c, double mobility) {
    HedVec3 w = hed_sub3(hed_contact_mix(c, filter->v), c->velocity);
    double approach = hed_dot3(w, c->normal);
    if (approach >= 0.0) {
        return;
    }
    double push = -approach / mobility;
    HedVec3 impulse = hed_madd3(rub(filter, c, push, mobility), push, c->normal);
    kick(filter, c, impulse);
    for (int32_t k = 0; filter->contacts->impulse && k < c->size; ++k) {
        filter->contacts->impulse[c->point[k]] += c->weight[k] * push;
    }
}

static void pass(Filter* filter, double time) {
    HedContacts* contacts = filter->contacts;
    for (int32_t k = 0; k < contacts->list.count; ++k) {
        HedContact* c = &contacts->list.data[k];
        double mobility = mobility_of(filter, c);
        hed_contact_sample(contacts, c, filter->x, time);
        double depth = c->offset - c->distance; // earlier contacts may have lifted it already
        if (depth > 0.0 && mobility > 0.0) {
            HedVec3 lift = hed_mul3(depth / mobility, c->normal);
            spread(c, filter->inverse_mass, lift, filter->x);
            stop_approach(filter, c, mobility);
        }
    }
}

HedPower hed_contacts_filter(HedContacts* contacts, const double* inverse_mass, double time,
                             HedVec3* x, HedVec3* v) {
    enum {
        PASSES = 2
    }; // where contacts share points, the second removes most of what the first left
    Filter filter = {.contacts = contacts, .inverse_mass = inverse_mass, .x = x, .v = v};
    for (int k = 0; k < PASSES; ++k) {
        pass(&filter, time);
    }
    for (int32_t k = 0; k < contacts->list.count; ++k) {
        hed_contact_sample(contacts, &contacts->list.data[k], x, time);
    }
    return filter.work;
}

HedPower hed_contacts_rub(HedContacts* contacts, const double* inverse_mass, double h, HedVec3* v) {
    Filter filter = {.contacts = contacts, .inverse_mass = inverse_mass, .v = v};
    for (int32_t k = 0; k < contacts->list.count; ++k) {
        const HedContact* c = &contacts->list.data[k];
        double mobility = mobility_of(&filter, c);
        double depth = c->offset - c->distance;
        if (depth > 0.0 && mobility > 0.0) {
            kick(&filter, c, rub(&filter, c, h * c->stiffness * depth, mobility));
        }
    }
    return filter.work;
}
