// SPDX-License-Identifier: MIT
#include "geom/track.h"

#include "base/alloc.h"
#include "math/quat.h"

// Scaled by the largest component first, so that tiny and huge ones do not vanish or overflow.
static bool unit_rotation(HedQuat q, HedQuat* unit) {
    double largest = fmax(fmax(fabs(q.w), fabs(q.x)), fmax(fabs(q.y), fabs(q.z)));
    bool is_finite = isfinite(q.w) && isfinite(q.x) && isfinite(q.y) && isfinite(q.z);
    if (!is_finite || !(largest > 0.0)) {
        return false;
    }
    *unit = hed_quat_unit((HedQuat){q.w / largest, q.x / largest, q.y / largest, q.z / largest});
    return true;
}

static HedStatus add_key(HedTrack* track, const HedKeyframe* keyframe, HedError* error) {
    int32_t k = track->count;
    HedVec3 at = keyframe->pose.position;
    HedQuat q = keyframe->pose.rotation;
    HedTrackKey key = {.time = keyframe->time, .pose.position = at};
    if (!isfinite(keyframe->time) || !hed_is_finite3(at)) {
        return hed_fail(error, HED_INVALID,
                        "keyframe %d: time and position must be finite, got %g s, (%g, %g, %g) m",
                        k, keyframe->time, at.x, at.y, at.z);
    }
    if (!unit_rotation(q, &key.pose.rotation)) {
        return hed_fail(error, HED_INVALID,
                        "keyframe %d: rotation must be finite and not zero, got (%g, %g, %g, %g)",
                        k, q.w, q.x, q.y, q.z);
    }
    if (k > 0) {
        HedTrackKey* last = &track->keys[k - 1];
        double step = key.time - last->time;
        if (!(step > 0.0)) {
            return hed_fail(error, HED_INVALID, "keyframe %d: times must rise, got %g s after %g s",
                            k, key.time, last->time);
        }
        last->turn = hed_quat_to_vector(
            hed_quat_mul(key.pose.rotation, hed_quat_conjugate(last->pose.rotation)));
        HedVec3 way = hed_sub3(at, last->pose.position);
        if (!hed_is_finite3(hed_mul3(1.0 / step, way)) ||
            !hed_is_finite3(hed_mul3(1.0 / step, last->turn))) {
            return hed_fail(error, HED_INVALID,
                            "keyframe %d: velocity must be finite, got a way of %g m in %g s", k,
                            hed_norm3(way), step);
        }
    }
    track->keys[track->count++] = key;
    return HED_OK;
}

HedStatus hed_track_create(const HedKeyframe* keyframes, int32_t count, HedTrack* track,
                           HedError* error) {
    *track = (HedTrack){0};
    if (count < 0 || (count > 0 && !keyframes)) {
        return hed_fail(error, HED_INVALID, "keyframes must be given, got %d of them", count);
    }
    if (count == 0) {
        return HED_OK;
    }
    track->keys = HED_NEW_ARRAY(HedTrackKey, count);
    if (!track->keys) {
        return hed_fail_memory(error, "keyframes");
    }
    for (int32_t k = 0; k < count; ++k) {
        HedStatus status = add_key(track, &keyframes[k], error);
        if (status != HED_OK) {
            hed_track_free(track);
            return status;
        }
    }
    return HED_OK;
}

void hed_track_free(HedTrack* track) {
    if (track) {
        hed_free(track->keys);
        *track = (HedTrack){0};
    }
}

// Last keyframe at or before time; -1 if there is none (or time is not a number).
static int32_t find_key(const HedTrack* track, double time) {
    int32_t low = -1;
    int32_t high = track->count;
    while (high - low > 1) {
        int32_t middle = low + (high - low) / 2;
        if (track->keys[middle].time <= time) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

HedPose hed_track_pose(const HedTrack* track, double time) {
    if (track->count == 0) {
        return (HedPose){{0.0, 0.0, 0.0}, hed_quat_identity()};
    }
    int32_t k = find_key(track, time);
    if (k < 0) {
        return track->keys[0].pose;
    }
    const HedTrackKey* key = &track->keys[k];
    if (k == track->count - 1 || time == key->time) {
        return key->pose;
    }
    double part = (time - key->time) / (key[1].time - key->time);
    HedQuat turn = hed_quat_from_vector(hed_mul3(part, key->turn));
    return (HedPose){hed_lerp3(key->pose.position, key[1].pose.position, part),
                     hed_quat_unit(hed_quat_mul(turn, key->pose.rotation))};
}

void hed_track_velocity(const HedTrack* track, double time, HedVec3* linear, HedVec3* angular) {
    *linear = *angular = (HedVec3){0};
    int32_t k = find_key(track, time);
    if (k < 0 || k >= track->count - 1) {
        return;
    }
    const HedTrackKey* key = &track->keys[k];
    double rate = 1.0 / (key[1].time - key->time);
    *linear = hed_mul3(rate, hed_sub3(key[1].pose.position, key->pose.position));
    *angular = hed_mul3(rate, key->turn);
}
