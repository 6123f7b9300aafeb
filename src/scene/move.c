// SPDX-License-Identifier: MIT
// Keyframes as written to keyframes as simulated. Between two keyframes a simulation turns the
// shorter way, so a turn of half a circle or more gets keyframes in between.
#include "geom/track.h"
#include "math/quat.h"
#include "scene/check.h"

#define PI 3.14159265358979323846

enum { MOST_KEYFRAMES = 1000000 };

// Values left out are those of the keyframe before.
static HedStatus fill_in(HedSceneDraft* d, HedSceneKey* keys, int32_t count) {
    for (int32_t i = 1; i < count; ++i) {
        if (!(keys[i].time > keys[i - 1].time)) {
            return hed_place_fail(d->error, hed_node_where(keys[i].node, "time"), HED_PARSE, NULL,
                                  "'time' must rise from keyframe to keyframe: %g s after %g s",
                                  keys[i].time, keys[i - 1].time);
        }
        if (!hed_node_child(keys[i].node, "position")) {
            keys[i].position = keys[i - 1].position;
        }
        if (!hed_node_child(keys[i].node, "rotation")) {
            keys[i].rotation = keys[i - 1].rotation;
        }
    }
    return HED_OK;
}

// Into how many parts the way from a to b is cut: each turns by a third of a circle at most. The
// rotation vector goes straight from a to b, which about a fixed axis is a steady turn.
static double part_count(const HedSceneKey* a, const HedSceneKey* b) {
    double angle = hed_distance3(a->rotation, b->rotation);
    return angle < PI * (1.0 - 1e-9) ? 1.0 : ceil(angle / (2.0 * PI / 3.0));
}

static HedKeyframe keyframe_between(const HedSceneKey* a, const HedSceneKey* b, double t) {
    return (HedKeyframe){
        .time = a->time + t * (b->time - a->time),
        .pose = {.position = hed_lerp3(a->position, b->position, t),
                 .rotation = hed_quat_from_vector(hed_lerp3(a->rotation, b->rotation, t))},
    };
}

static HedStatus expand(HedSceneDraft* d, const HedList* list, const HedKeyframe** keyframes,
                        int32_t* keyframe_count) {
    HedSceneKey* keys = list->data;
    HedStatus status = fill_in(d, keys, list->count);
    if (status != HED_OK || list->count == 0) {
        return status;
    }
    double total = 1.0;
    for (int32_t i = 0; i + 1 < list->count; ++i) {
        total += part_count(&keys[i], &keys[i + 1]);
        if (total > MOST_KEYFRAMES) {
            return hed_place_fail(d->error, keys[i + 1].node->place, HED_PARSE, NULL,
                                  "too many turns: more than %d keyframes would be needed",
                                  MOST_KEYFRAMES);
        }
    }
    HedKeyframe* out = HED_POOL_ARRAY(d->pool, HedKeyframe, (int64_t)total);
    if (!out) {
        return hed_fail_memory(d->error, "keyframes");
    }
    *keyframes = out;
    for (int32_t i = 0; i + 1 < list->count; ++i) {
        int32_t parts = (int32_t)part_count(&keys[i], &keys[i + 1]);
        for (int32_t k = 0; k < parts; ++k) {
            *out++ = keyframe_between(&keys[i], &keys[i + 1], (double)k / parts);
        }
    }
    const HedSceneKey* last = &keys[list->count - 1];
    *out++ = keyframe_between(last, last, 0.0);
    *keyframe_count = (int32_t)(out - *keyframes);
    return HED_OK;
}

// Where a body stands at the start.
static HedStatus find_start(HedSceneDraft* d, HedSceneBody* body) {
    HedTrack track = {0};
    HedError why;
    HedStatus status =
        hed_track_create(body->def.keyframes, body->def.keyframe_count, &track, &why);
    if (status == HED_OK) {
        body->start = hed_track_pose(&track, 0.0);
        hed_track_free(&track);
    }
    return status == HED_NO_MEMORY ? hed_fail_memory(d->error, "keyframes") : HED_OK;
}

static HedStatus move_body(HedSceneDraft* d, HedSceneBody* body) {
    if (body->keyframes.count == 0) {
        HedSceneKey still = {.position = body->position, .rotation = body->rotation};
        HedKeyframe* only = HED_POOL_ARRAY(d->pool, HedKeyframe, 1);
        if (!only) {
            return hed_fail_memory(d->error, "keyframes");
        }
        *only = keyframe_between(&still, &still, 0.0);
        body->def.keyframes = only;
        body->def.keyframe_count = 1;
        return HED_OK;
    }
    HedVec3 zero = {0.0, 0.0, 0.0};
    bool placed = hed_distance3(body->position, zero) > 0.0;
    bool turned = hed_distance3(body->rotation, zero) > 0.0;
    if (placed || turned) {
        const char* key = placed ? "position" : "rotation";
        return hed_place_fail(d->error, hed_node_where(body->node, key), HED_PARSE, NULL,
                              "'%s' and 'keyframes' exclude each other", key);
    }
    return expand(d, &body->keyframes, &body->def.keyframes, &body->def.keyframe_count);
}

HedStatus hed_scene_move(HedSceneDraft* d) {
    HedStatus status = HED_OK;
    for (int32_t i = 0; i < d->data->bodies.count && status == HED_OK; ++i) {
        status = move_body(d, &HED_BODIES(d->data)[i]);
        status = status == HED_OK ? find_start(d, &HED_BODIES(d->data)[i]) : status;
    }
    for (int32_t i = 0; i < d->data->pins.count && status == HED_OK; ++i) {
        HedScenePin* pin = &HED_PINS(d->data)[i];
        status = expand(d, &pin->keyframes, &pin->def.keyframes, &pin->def.keyframe_count);
    }
    return status;
}
