// SPDX-License-Identifier: MIT
// Which points, edges and faces of the sheets are near which body.
#include "base/alloc.h"
#include "contact/places.h"
#include "contact/ridges.h"
#include "math/quat.h"

#include <string.h>

HedStatus hed_contacts_create(HedContacts* contacts, HedBody* bodies, int32_t body_count,
                              HedSurface surface, const HedTeam* team, HedError* error) {
    *contacts = (HedContacts){
        .bodies = bodies, .body_count = body_count, .surface = surface, .team = team, .only = -1};
    if (body_count == 0) {
        return HED_OK;
    }
    contacts->places = 1;
    for (int32_t b = 0; b < body_count; ++b) {
        contacts->places = bodies[b].field.shape == HED_MESH ? HED_PLACES : contacts->places;
    }
    int64_t edge_places = (int64_t)contacts->places * surface.edge_count;
    int64_t face_places = (int64_t)contacts->places * surface.triangle_count;
    contacts->sample = HED_NEW_ARRAY(HedFieldSample, surface.point_count);
    contacts->reach = HED_NEW_ARRAY(double, surface.point_count);
    contacts->edge_at = HED_NEW_ARRAY(double, edge_places);
    contacts->face_at = HED_NEW_ARRAY(double, 2 * face_places);
    contacts->spot_at = HED_NEW_ARRAY(double, surface.spot_count);
    if (!contacts->sample || !contacts->reach || !contacts->edge_at || !contacts->face_at ||
        !contacts->spot_at) {
        hed_contacts_free(contacts);
        return hed_fail_memory(error, "contacts");
    }
    return HED_OK;
}

void hed_contacts_free(HedContacts* contacts) {
    hed_free(contacts->list.data);
    hed_free(contacts->sample);
    hed_free(contacts->reach);
    hed_free(contacts->edge_at);
    hed_free(contacts->face_at);
    hed_free(contacts->spot_at);
    *contacts = (HedContacts){0};
}

static double longest_edge(const HedContacts* contacts, const HedVec3* x) {
    const HedSurface* s = &contacts->surface;
    double longest = 0.0;
    for (int32_t e = 0; e < s->edge_count; ++e) {
        HedVec3 d = hed_sub3(x[s->edges[2 * e]], x[s->edges[2 * e + 1]]);
        longest = fmax(longest, hed_dot3(d, d));
    }
    return sqrt(longest);
}

// Distances of all points; those too far for any edge or face of theirs to matter are set to
// infinity.
static void sample_points(HedContactSearch* search) {
    HedContacts* c = search->contacts;
    const HedBody* body = &c->bodies[search->body];
#pragma omp parallel for schedule(static)                                                          \
    num_threads(hed_team_size(c->team, INT64_C(30) * c->surface.point_count))
    for (int32_t i = 0; i < c->surface.point_count; ++i) {
        HedVec3 local = hed_pose_apply_inverse(search->motion.pose, search->x[i]);
        HedFieldSample sample = {.distance = HUGE_VAL};
        double radius = c->reach[i] + 0.6 * search->longest;
        bool is_hidden = c->surface.is_hidden && c->surface.is_hidden[i];
        if (!is_hidden && hed_field_sample_near(&body->field, local, radius, &sample)) {
            sample.normal = hed_quat_rotate(search->motion.pose.rotation, sample.normal);
        }
        c->sample[i] = sample;
    }
}

static double keep_of(const HedContacts* contacts, const HedContact* contact) {
    double keep = 0.0;
    for (int32_t k = 0; k < contact->size; ++k) {
        keep = fmax(keep, contacts->surface.half_thickness[contact->point[k]]);
    }
    return keep;
}

static double sewing_of(const HedContacts* contacts, int32_t point) {
    return contacts->surface.sewing ? contacts->surface.sewing[point] : 0.0;
}

static bool is_sewn(const HedContacts* contacts, const HedContact* contact) {
    bool is = false;
    for (int32_t k = 0; k < contact->size; ++k) {
        is = is || sewing_of(contacts, contact->point[k]) > 0.0;
    }
    return is;
}

// Tight garments press hard: so that none is pressed through the distance to keep, the force grows
// like the square of the depth. The factor is that of the start of the step, and the depth of the
// end follows by less than it was off: u (1 + a u) = p is approached by u <- p / (1 + a u).
static double hardening(const HedContact* contact, double keep) {
    double depth = contact->offset - contact->distance;
    return depth > 0.0 && keep > 0.0 ? 1.0 + 10.0 * fmin(2.0, depth / keep) : 1.0;
}

// What is being sewn comes out of the body while the seams close.
static double slack_of(const HedContacts* contacts, const HedBody* body, const HedContact* contact,
                       double time) {
    double slack = 0.0;
    for (int32_t k = 0; k < contact->size && body->slack; ++k) {
        int32_t point = contact->point[k];
        double sewing = sewing_of(contacts, point);
        double start = body->slack[point];
        slack = fmax(slack, sewing > 0.0 ? start * (1.0 - time / sewing)
                                         : start - body->push_speed * time);
    }
    return slack;
}

// Normal force with which the step starts: the body, too, as it stood then, for its way during the
// step is many times the depth of a contact.
static double push_before(const HedContactSearch* search, const HedContact* contact, double keep,
                          HedVec3 place) {
    const HedBody* body = &search->contacts->bodies[search->body];
    bool moves = body->track.count > 1;
    double distance =
        moves ? hed_body_sample(body, &search->before, place).distance : contact->distance;
    double offset = keep - slack_of(search->contacts, body, contact, search->start);
    return contact->stiffness * fmax(0.0, offset - distance);
}

// A gap between two sides of a body that is too narrow for the sheet: it comes out where the gap
// widens, which is along the sum of both normals. The contact's half space is then the one that
// begins, less the distance to keep, where two planes through the feet on both sides leave room.
// False if there is room, or if the sides are parallel.
static bool leave_gap(const HedContactSearch* search, HedVec3 place, const HedContact* one,
                      const HedContact* other, HedContact* way_out) {
    const double least = 0.02; // of a sum of normals: some 1 degree between the sides
    const double most = 10.0;  // distances to keep
    double lack = one->offset + other->offset - one->distance - other->distance;
    HedVec3 sum = hed_add3(one->normal, other->normal);
    double size = hed_norm3(sum);
    if (!(lack > 0.0) || size < least) {
        return false;
    }
    double depth = fmin(lack / size, most * keep_of(search->contacts, one));
    *way_out = *one;
    way_out->normal = hed_mul3(1.0 / size, sum);
    way_out->distance = one->offset - depth;
    way_out->limit = 0.0;
    hed_contact_flatten(way_out, &search->motion, place,
                        (HedFieldSample){way_out->distance, way_out->normal});
    return true;
}

// Where sheets are drawn through a body, or lie in a narrow gap of it, the nearest place jumps from
// one side to the other within the way of a step, and no solve would end. There the contact keeps
// the side it has, as a half space. If the other side is in reach, too, *other becomes a contact
// with that and the result is true.
static bool look_behind(const HedContactSearch* search, HedVec3 place, HedContact* contact,
                        HedContact* other) {
    const double turned = 0.5; // cosine
    double reach = 0.0;
    for (int32_t k = 0; k < contact->size; ++k) {
        reach = fmax(reach, search->contacts->reach[contact->point[k]]);
    }
    HedFieldSample here = {contact->distance, contact->normal};
    HedFieldSample ahead = hed_places_sample(search, hed_madd3(place, reach, here.normal));
    HedFieldSample behind = hed_places_sample(search, hed_madd3(place, -reach, here.normal));
    bool is_gap = hed_dot3(ahead.normal, here.normal) < turned;
    bool turns = is_gap || hed_dot3(behind.normal, here.normal) < turned;
    if (!turns && !search->contacts->is_flat) {
        return false;
    }
    hed_contact_flatten(contact, &search->motion, place, here);
    double gap = ahead.distance - reach * hed_dot3(ahead.normal, here.normal);
    if (!is_gap || gap >= reach || gap <= 0.0) {
        return false;
    }
    hed_contact_flatten(other, &search->motion, place, (HedFieldSample){gap, ahead.normal});
    other->distance = gap;
    other->normal = ahead.normal;
    other->limit = 0.0;
    return true;
}

// Completes a contact that has kind, element, points and weights, and appends it.
static HedStatus append(const HedContactSearch* search, HedContact contact, HedError* error) {
    HedContacts* c = search->contacts;
    const HedBody* body = &c->bodies[search->body];
    double keep = keep_of(c, &contact);
    double area = 0.0;
    for (int32_t k = 0; k < contact.size; ++k) {
        area += c->surface.area[contact.point[k]] / contact.size;
    }
    contact.body = search->body;
    contact.offset = keep - slack_of(c, body, &contact, search->time);
    area = contact.kind == HED_CONTACT_SPOT ? c->surface.spots[contact.element].area : area;
    contact.stiffness = body->stiffness * area;
    HedVec3 place = hed_contact_mix(&contact, search->x);
    HedFieldSample sample = hed_places_sample(search, place);
    contact.distance = sample.distance;
    contact.normal = sample.normal;
    contact.stiffness *= is_sewn(c, &contact) ? hardening(&contact, keep) : 1.0;
    contact.damping = body->damping * contact.stiffness;
    contact.velocity = hed_body_velocity(&search->motion, place);
    contact.limit = body->friction * push_before(search, &contact, keep, place);
    HedContact other = contact;
    HedContact way_out = contact;
    bool has_other = is_sewn(c, &contact) && look_behind(search, place, &contact, &other);
    bool is_narrow = has_other && leave_gap(search, place, &contact, &other, &way_out);
    bool ok = HED_APPEND(&c->list, contact) && (!has_other || HED_APPEND(&c->list, other)) &&
              (!is_narrow || HED_APPEND(&c->list, way_out));
    return ok ? HED_OK : hed_fail_memory(error, "contacts");
}

static HedStatus collect_points(const HedContactSearch* search, HedError* error) {
    const HedContacts* c = search->contacts;
    HedStatus status = HED_OK;
    for (int32_t i = 0; i < c->surface.point_count && status == HED_OK; ++i) {
        if (c->sample[i].distance < c->reach[i]) {
            HedContact contact = {
                .kind = HED_CONTACT_POINT, .element = i, .size = 1, .point = {i}, .weight = {1.0}};
            status = append(search, contact, error);
        }
    }
    return status;
}

static HedStatus collect_edges(const HedContactSearch* search, HedError* error) {
    const HedContacts* c = search->contacts;
    HedStatus status = HED_OK;
    for (int64_t k = 0; k < (int64_t)c->places * c->surface.edge_count && status == HED_OK; ++k) {
        int32_t e = (int32_t)(k / c->places);
        const int32_t* point = c->surface.edges + 2 * (int64_t)e;
        double t = c->edge_at[k];
        if (isnan(t)) {
            return hed_fail_memory(error, "contacts");
        }
        if (t >= 0.0) {
            HedContact contact = {.kind = HED_CONTACT_EDGE,
                                  .element = e,
                                  .size = 2,
                                  .point = {point[0], point[1]},
                                  .weight = {1.0 - t, t}};
            status = append(search, contact, error);
        }
    }
    return status;
}

static HedStatus collect_faces(const HedContactSearch* search, HedError* error) {
    const HedContacts* c = search->contacts;
    HedStatus status = HED_OK;
    int64_t count = (int64_t)c->places * c->surface.triangle_count;
    for (int64_t k = 0; k < count && status == HED_OK; ++k) {
        int32_t f = (int32_t)(k / c->places);
        const int32_t* point = c->surface.triangles + 3 * (int64_t)f;
        const double* at = c->face_at + 2 * k;
        if (isnan(at[0])) {
            return hed_fail_memory(error, "contacts");
        }
        if (at[0] >= 0.0) {
            HedContact contact = {.kind = HED_CONTACT_FACE,
                                  .element = f,
                                  .size = 3,
                                  .point = {point[0], point[1], point[2]},
                                  .weight = {at[0], at[1], 1.0 - at[0] - at[1]}};
            status = append(search, contact, error);
        }
    }
    return status;
}

// Distances of the spots that are near; those of others are infinite.
static void sample_spots(HedContactSearch* search) {
    HedContacts* c = search->contacts;
    const HedBody* body = &c->bodies[search->body];
#pragma omp parallel for schedule(static)                                                          \
    num_threads(hed_team_size(c->team, INT64_C(30) * c->surface.spot_count))
    for (int32_t k = 0; k < c->surface.spot_count; ++k) {
        const HedSpot* spot = &c->surface.spots[k];
        HedVec3 place = {0};
        double reach = -HUGE_VAL;
        for (int m = 0; m < 4; ++m) {
            place = hed_madd3(place, spot->weight[m], search->x[spot->point[m]]);
            reach = fmax(reach, c->reach[spot->point[m]]);
        }
        HedFieldSample sample = {.distance = HUGE_VAL};
        HedVec3 local = hed_pose_apply_inverse(search->motion.pose, place);
        bool is_near = hed_field_sample_near(&body->field, local, fmax(reach, 0.0), &sample);
        c->spot_at[k] = is_near && sample.distance < reach ? sample.distance : HUGE_VAL;
    }
}

static HedStatus collect_spots(const HedContactSearch* search, HedError* error) {
    const HedContacts* c = search->contacts;
    HedStatus status = HED_OK;
    for (int32_t k = 0; k < c->surface.spot_count && status == HED_OK; ++k) {
        if (c->spot_at[k] < HUGE_VAL) {
            HedContact contact = {.kind = HED_CONTACT_SPOT, .element = k, .size = 4};
            memcpy(contact.point, c->surface.spots[k].point, sizeof contact.point);
            memcpy(contact.weight, c->surface.spots[k].weight, sizeof contact.weight);
            status = append(search, contact, error);
        }
    }
    return status;
}

// Appends what is within reach of the bodies as they stand at t + h.
static HedStatus search_bodies(HedContacts* contacts, const HedVec3* x, double t, double h,
                               HedError* error) {
    HedStatus status = HED_OK;
    HedContactSearch search = {.contacts = contacts,
                               .x = x,
                               .start = t,
                               .time = t + h,
                               .longest = longest_edge(contacts, x)};
    for (int32_t b = 0; b < contacts->body_count; ++b) {
        if (contacts->only >= 0 && (int32_t)contacts->bodies[b].response != contacts->only) {
            continue;
        }
        search.body = b;
        search.motion = hed_body_motion(&contacts->bodies[b], t + h);
        search.before = hed_body_motion(&contacts->bodies[b], t);
        sample_points(&search);
        HED_TRY(collect_points(&search, error));
        if (contacts->bodies[b].field.shape !=
            HED_PLANE) { // distance to a plane is least at a vertex
            hed_places_find(&search);
            HED_TRY(collect_edges(&search, error));
            HED_TRY(collect_faces(&search, error));
        }
        sample_spots(&search);
        HED_TRY(collect_spots(&search, error));
    }
done:
    return status;
}

HedStatus hed_contacts_find(HedContacts* contacts, const HedVec3* x, const HedVec3* v, double t,
                            double h, HedError* error) {
    contacts->list.count = 0;
    contacts->found_count = 0;
    if (contacts->body_count == 0) {
        return HED_OK;
    }
    const HedSurface* s = &contacts->surface;
    for (int32_t i = 0; i < s->point_count; ++i) {
        // Its own motion over the step, some more for what acceleration adds, and a part of the
        // distance to keep.
        double motion = h > 0.0 ? 1.25 * h * (hed_norm3(v[i]) + 10.0 * h) : 0.0;
        contacts->reach[i] =
            s->half_thickness[i] + motion + (h > 0.0 ? 0.25 : 0.0) * s->half_thickness[i];
    }
    HedStatus status = search_bodies(contacts, x, t, h, error);
    contacts->found_count = contacts->list.count;
    return status;
}

// Order of the list; 0 for the same part of the sheet on the same body.
static int compare_parts(const HedContact* a, const HedContact* b) {
    if (a->body != b->body) {
        return a->body < b->body ? -1 : 1;
    }
    if (a->kind != b->kind) {
        return a->kind < b->kind ? -1 : 1;
    }
    return (a->element > b->element) - (a->element < b->element);
}

// Whether a contact of the list, at its own place on the same part, feels at least half of the
// depth.
static bool feels(const HedContact* known, const HedContact* contact) {
    double depth = contact->offset - contact->distance;
    return compare_parts(known, contact) == 0 && known->offset - known->distance >= 0.5 * depth;
}

static bool is_known(const HedContacts* contacts, int32_t count, const HedContact* contact) {
    int32_t low = 0;
    int32_t high = contacts->found_count;
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        if (compare_parts(&contacts->list.data[middle], contact) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    bool known = false;
    for (int32_t k = low; k < contacts->found_count && !known; ++k) {
        const HedContact* found = &contacts->list.data[k];
        if (compare_parts(found, contact) != 0) {
            break;
        }
        known = feels(found, contact);
    }
    for (int32_t k = contacts->found_count; k < count && !known; ++k) {
        known = feels(&contacts->list.data[k], contact);
    }
    return known;
}

HedStatus hed_contacts_extend(HedContacts* contacts, const HedVec3* x, double time, double share,
                              int32_t* added, HedError* error) {
    const double least = share > 0.0 ? 1e-6 : 0.0; // m, for sheets without thickness
    const HedSurface* s = &contacts->surface;
    int32_t before = contacts->list.count;
    *added = 0;
    for (int32_t k = 0; k < before; ++k) {
        hed_contact_sample(contacts, &contacts->list.data[k], x, time);
    }
    for (int32_t i = 0; i < s->point_count; ++i) {
        contacts->reach[i] = (1.0 - share) * s->half_thickness[i] - least;
    }
    HedStatus status = search_bodies(contacts, x, time, 0.0, error);
    int32_t count = before;
    for (int32_t k = before; k < contacts->list.count && status == HED_OK; ++k) {
        HedContact contact = contacts->list.data[k];
        // What is pushed out slowly may be deeper than that, by its slack.
        double depth = contact.offset - contact.distance;
        bool is_deep = depth > share * keep_of(contacts, &contact) + least;
        if (is_deep && !is_known(contacts, count, &contact)) {
            contact.limit = 0.0;
            contacts->list.data[count++] = contact;
        }
    }
    contacts->list.count = count;
    *added = count - before;
    return status;
}

static HedStatus set_slack(HedContacts* contacts, const HedContact* contact, HedError* error) {
    HedBody* body = &contacts->bodies[contact->body];
    if (!body->slack) {
        body->slack = HED_NEW_ARRAY(double, contacts->surface.point_count);
        if (!body->slack) {
            return hed_fail_memory(error, "overlap");
        }
    }
    // To all its points, so that what touches beside it later is let out as gently.
    for (int32_t k = 0; k < contact->size; ++k) {
        double* slack = &body->slack[contact->point[k]];
        *slack = fmax(*slack, keep_of(contacts, contact) - contact->distance);
    }
    return HED_OK;
}

HedStatus hed_contacts_check_start(HedContacts* contacts, const HedVec3* x, double time,
                                   HedContact* deepest, HedError* error) {
    // Rounding of an input that stands exactly on a surface must not count as an overlap.
    const double rounding = 1e-9; // m
    // Of sheets without thickness that rest on a body: 300 Pa on the usual stiffness of a penalty.
    const double pressed = 1e-4; // m
    const double least = contacts->goes_on ? pressed : rounding;
    HedStatus status = HED_OK;
    deepest->distance = 0.0;
    HED_TRY(hed_contacts_find(contacts, x, x, time, 0.0, error));
    for (int32_t k = 0; k < contacts->list.count; ++k) {
        const HedContact* contact = &contacts->list.data[k];
        bool refuses = contacts->bodies[contact->body].overlap == HED_OVERLAP_REFUSE;
        refuses = refuses && !is_sewn(contacts, contact);
        if (refuses && contact->distance < fmin(deepest->distance, -least)) {
            *deepest = *contact;
        }
    }
    if (deepest->distance < 0.0) {
        return hed_fail(error, HED_INVALID, "sheet and body overlap at the start");
    }
    for (int32_t k = 0; k < contacts->list.count; ++k) {
        bool is_rest = contacts->goes_on && contacts->list.data[k].distance >= -least;
        HED_TRY(is_rest ? HED_OK : set_slack(contacts, &contacts->list.data[k], error));
    }
done:
    return status;
}
