// SPDX-License-Identifier: MIT
// A pose that changes over time along keyframes.
#ifndef HED_GEOM_TRACK_H
#define HED_GEOM_TRACK_H

#include "base/status.h"
#include "heddle/sim.h"

/// A keyframe and the turn from it to the next one.
typedef struct HedTrackKey {
    double time; ///< s
    HedPose pose;
    HedVec3 turn; ///< rad, axis times angle in the outer frame; 0 for the last one.
} HedTrackKey;

/// Zero-initialise; free with hed_track_free. Without keys it stands at the origin for ever.
typedef struct HedTrack {
    HedTrackKey* keys;
    int32_t count;
} HedTrack;

/// Copies keyframes. Refused by number (from 0): values that are not finite, times that do not
/// rise, rotations that are zero (others are made unit), motion too fast for a number. None
/// (count 0) is fine. On failure track is empty.
HedStatus hed_track_create(const HedKeyframe* keyframes, int32_t count, HedTrack* track,
                           HedError* error);

/// NULL and empty ones are allowed.
void hed_track_free(HedTrack* track);

/// Pose at a time in s: between two keyframes position moves in a line and rotation turns about a
/// fixed axis the shorter way, both steadily; before the first and after the last it stands still.
HedPose hed_track_pose(const HedTrack* track, double time);

/// Exact rates of change of the pose: linear (m/s) of its position and angular (rad/s, outer
/// frame), so that a point at p moves at linear + angular x (p - position). Zero before the first
/// keyframe and from the last one on; at a keyframe, those of the stretch that begins there.
void hed_track_velocity(const HedTrack* track, double time, HedVec3* linear, HedVec3* angular);

#endif
