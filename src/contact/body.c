// SPDX-License-Identifier: MIT
// A body: a distance field that moves along a track.
#include "base/alloc.h"
#include "base/file.h"
#include "contact/contact.h"
#include "math/quat.h"

static HedStatus check_values(const HedBodyDef* def, HedError* error) {
    const struct {
        const char* what;
        double value;
        bool may_be_zero;
    } rules[] = {
        {"friction", def->friction, true},
        {"push_speed", def->push_speed, false},
        {"stiffness", def->stiffness, false},
        {"damping", def->damping, true},
    };
    for (size_t k = 0; k < sizeof rules / sizeof rules[0]; ++k) {
        double value = rules[k].value;
        if (!isfinite(value) || !(value > 0.0 || (rules[k].may_be_zero && value == 0.0))) {
            return hed_fail(error, HED_INVALID, "'%s' must be %s, got %g", rules[k].what,
                            rules[k].may_be_zero ? "zero or more" : "positive", value);
        }
    }
    if ((unsigned)def->overlap >= HED_OVERLAP_COUNT) {
        return hed_fail(error, HED_INVALID, "there is no kind of overlap %d", (int)def->overlap);
    }
    if ((unsigned)def->response >= HED_RESPONSE_COUNT) {
        return hed_fail(error, HED_INVALID, "there is no kind of response %d", (int)def->response);
    }
    return HED_OK;
}

HedStatus hed_body_init(HedBody* body, const HedBodyDef* def, HedError* error) {
    HedStatus status = HED_OK;
    *body = (HedBody){
        .friction = def->friction,
        .response = def->response,
        .stiffness = def->stiffness,
        .damping = def->damping,
        .overlap = def->overlap,
        .push_speed = def->push_speed,
    };
    HedFieldDef field = {
        .shape = def->shape,
        .radius = def->radius,
        .minor_radius = def->minor_radius,
        .half_length = def->half_length,
        .half_size = def->half_size,
        .vertices = def->vertices,
        .vertex_count = def->vertex_count,
        .triangles = def->triangles,
        .triangle_count = def->triangle_count,
    };
    body->name = hed_text_copy(def->name ? def->name : "body");
    if (!body->name) {
        return hed_fail_memory(error, "a body");
    }
    HED_TRY(check_values(def, error));
    HED_TRY(hed_field_create(&field, &body->field, error));
    HED_TRY(hed_track_create(def->keyframes, def->keyframe_count, &body->track, error));
done:
    if (status != HED_OK) {
        hed_fail_prefix(error, status, "body '%s': ", def->name ? def->name : "body");
        hed_body_free(body);
    }
    return status;
}

void hed_body_free(HedBody* body) {
    hed_free(body->name);
    hed_field_free(&body->field);
    hed_track_free(&body->track);
    hed_free(body->slack);
    *body = (HedBody){0};
}

HedBodyMotion hed_body_motion(const HedBody* body, double time) {
    HedBodyMotion motion = {.pose = hed_track_pose(&body->track, time)};
    hed_track_velocity(&body->track, time, &motion.linear, &motion.angular);
    return motion;
}

HedFieldSample hed_body_sample(const HedBody* body, const HedBodyMotion* motion, HedVec3 point) {
    HedVec3 local = hed_pose_apply_inverse(motion->pose, point);
    HedFieldSample sample = hed_field_sample(&body->field, local);
    sample.normal = hed_quat_rotate(motion->pose.rotation, sample.normal);
    return sample;
}

HedVec3 hed_body_velocity(const HedBodyMotion* motion, HedVec3 point) {
    HedVec3 arm = hed_sub3(point, motion->pose.position);
    return hed_add3(motion->linear, hed_cross3(motion->angular, arm));
}

void hed_contact_flatten(HedContact* contact, const HedBodyMotion* motion, HedVec3 place,
                         HedFieldSample sample) {
    HedVec3 foot = hed_madd3(place, -sample.distance, sample.normal);
    contact->is_plane = true;
    contact->foot = hed_pose_apply_inverse(motion->pose, foot);
    contact->facing = hed_quat_rotate(hed_quat_conjugate(motion->pose.rotation), sample.normal);
}

void hed_contact_sample(const HedContacts* contacts, HedContact* contact, const HedVec3* x,
                        double time) {
    const HedBody* body = &contacts->bodies[contact->body];
    HedBodyMotion motion = hed_body_motion(body, time);
    HedVec3 place = hed_contact_mix(contact, x);
    contact->velocity = hed_body_velocity(&motion, place);
    if (contact->is_plane) {
        HedVec3 foot = hed_pose_apply(motion.pose, contact->foot);
        contact->normal = hed_quat_rotate(motion.pose.rotation, contact->facing);
        contact->distance = hed_dot3(contact->normal, hed_sub3(place, foot));
        return;
    }
    HedFieldSample sample = hed_body_sample(body, &motion, place);
    contact->distance = sample.distance;
    contact->normal = sample.normal;
}
