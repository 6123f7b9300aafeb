// SPDX-License-Identifier: MIT
#include "geom/track.h"

#include "base/alloc.h"
#include "base/random.h"
#include "math/quat.h"

#include <criterion/criterion.h>
#include <string.h>

static HedQuat turn(double x, double y, double z) {
    return hed_quat_from_vector(hed_vec3(x, y, z));
}

static const double PI = 3.14159265358979323846;

static HedTrack make_track(const HedKeyframe* keyframes, int32_t count) {
    HedTrack track;
    HedError error = {0};
    cr_assert_eq(hed_track_create(keyframes, count, &track, &error), HED_OK, "%s", error.message);
    return track;
}

// A few operations on numbers of up to 3, each rounded by half a unit in its last place.
static const double ROUNDING = 1e-15;

Test(track, without_keyframes_stands_at_the_origin) {
    HedTrack track = make_track(NULL, 0);
    HedPose pose = hed_track_pose(&track, 3.0);
    cr_assert(pose.position.x == 0.0 && pose.position.y == 0.0 && pose.position.z == 0.0);
    cr_assert(pose.rotation.w == 1.0 && pose.rotation.x == 0.0);
    HedVec3 linear, angular;
    hed_track_velocity(&track, 3.0, &linear, &angular);
    cr_assert(hed_norm3(linear) == 0.0 && hed_norm3(angular) == 0.0);
    hed_track_free(&track);
    hed_track_free(NULL);
}

Test(track, moves_steadily_and_stands_outside) {
    HedKeyframe keyframes[3] = {{1.0, {{0, 0, 0}, turn(0, 0, 0)}},
                                {2.0, {{2, 0, 0}, turn(0, PI / 2, 0)}},
                                {4.0, {{2, 6, 0}, turn(0, PI / 2, 0)}}};
    HedTrack track = make_track(keyframes, 3);
    keyframes[1].pose.position.x = 99.0; // copied, so this changes nothing
    HedVec3 linear, angular;
    HedPose pose = hed_track_pose(&track, 1.25);
    cr_assert_float_eq(pose.position.x, 0.5, ROUNDING);
    HedVec3 rotated = hed_quat_rotate(pose.rotation, hed_vec3(1, 0, 0));
    cr_assert_float_eq(rotated.x, cos(PI / 8), ROUNDING);
    cr_assert_float_eq(rotated.z, -sin(PI / 8), ROUNDING);
    hed_track_velocity(&track, 1.25, &linear, &angular);
    cr_assert_float_eq(linear.x, 2.0, ROUNDING);
    cr_assert_float_eq(angular.y, PI / 2, ROUNDING);
    hed_track_velocity(&track, 2.0, &linear, &angular); // the stretch that begins here
    cr_assert_float_eq(linear.x, 0.0, ROUNDING);
    cr_assert_float_eq(linear.y, 3.0, ROUNDING);
    cr_assert_lt(hed_norm3(angular), ROUNDING);
    const double outside[4] = {-HUGE_VAL, 0.999, 4.0, HUGE_VAL};
    for (int i = 0; i < 4; ++i) {
        hed_track_velocity(&track, outside[i], &linear, &angular);
        cr_assert(hed_norm3(linear) == 0.0 && hed_norm3(angular) == 0.0);
        cr_assert_eq(hed_track_pose(&track, outside[i]).position.y, i < 2 ? 0.0 : 6.0);
    }
    hed_track_velocity(&track, 1.0, &linear, &angular);
    cr_assert_float_eq(linear.x, 2.0, ROUNDING);
    cr_assert_eq(hed_track_pose(&track, (double)NAN).position.x, 0.0);
    hed_track_free(&track);
}

Test(track, meets_its_keyframes) {
    enum { N = 20 };
    HedKeyframe keyframes[N];
    for (int32_t k = 0; k < N; ++k) {
        double v[7];
        for (uint64_t i = 0; i < 7; ++i) {
            v[i] = hed_random_normal(1, (uint64_t)k, i);
        }
        keyframes[k] = (HedKeyframe){0.1 * k * k, {{v[0], v[1], v[2]}, {v[3], v[4], v[5], v[6]}}};
    }
    HedTrack track = make_track(keyframes, N);
    for (int32_t k = 0; k < N; ++k) {
        // Just before a keyframe the pose has to be almost there.
        HedQuat q = hed_quat_unit(keyframes[k].pose.rotation);
        for (int side = 0; side < 2; ++side) {
            HedPose pose = hed_track_pose(&track, keyframes[k].time - (side ? 1e-12 : 0.0));
            double along = q.w * pose.rotation.w + q.x * pose.rotation.x + q.y * pose.rotation.y +
                           q.z * pose.rotation.z;
            // Half a turn in a tenth of a second is 3e-11 rad in 1e-12 s, whose cosine is 1;
            // two quaternions and four products are rounded by 1e-16 each.
            cr_assert_float_eq(fabs(along), 1.0, 2e-15);
            // Numbers drawn are apart by less than 8 m, and a tenth of a second in time: 80
            // m/s for 1e-12 s.
            cr_assert_lt(hed_distance3(pose.position, keyframes[k].pose.position), 1e-10);
        }
    }
    hed_track_free(&track);
}

// Velocity of a point fixed to the moving frame, against central differences of its place.
// Step 1e-5: h^2 omega^3 / 6 is below 1e-8 for |omega| < 8, rounding 1e-16 / h is 1e-11.
Test(track, velocity_of_a_point_against_differences) {
    HedKeyframe keyframes[4] = {{0.0, {{0, 1, 0}, turn(0.3, -2, 0.5)}},
                                {0.5, {{2, 0, 1}, turn(1, 1, 1)}},
                                {1.7, {{2, 3, -1}, turn(-2.5, 0.1, 1)}},
                                {2.5, {{0, 0, 0}, turn(0, 0, 3)}}};
    HedTrack track = make_track(keyframes, 4);
    const double h = 1e-5;
    for (uint64_t i = 0; i < 500; ++i) {
        double time = 2.5 * hed_random_uniform(2, 0, i);
        bool is_near_key = fabs(time - 0.5) < 2 * h || fabs(time - 1.7) < 2 * h || time < 2 * h ||
                           time > 2.5 - 2 * h;
        if (is_near_key) {
            continue;
        }
        HedVec3 local = {hed_random_normal(2, 1, i), hed_random_normal(2, 2, i),
                         hed_random_normal(2, 3, i)};
        HedPose pose = hed_track_pose(&track, time);
        HedVec3 p = hed_pose_apply(pose, local);
        HedVec3 linear, angular;
        hed_track_velocity(&track, time, &linear, &angular);
        HedVec3 velocity = hed_add3(linear, hed_cross3(angular, hed_sub3(p, pose.position)));
        HedVec3 ahead = hed_pose_apply(hed_track_pose(&track, time + h), local);
        HedVec3 behind = hed_pose_apply(hed_track_pose(&track, time - h), local);
        HedVec3 numeric = hed_mul3(0.5 / h, hed_sub3(ahead, behind));
        // 1e-8 for each metre from the frame's origin, as above; points drawn are less than 5
        // m away.
        cr_assert_lt(hed_distance3(velocity, numeric), 1e-7);
    }
    hed_track_free(&track);
}

Test(track, turns_the_shorter_way) {
    HedQuat q = turn(0, 0, 0.4);
    HedKeyframe keyframes[2] = {{0.0, {{0, 0, 0}, turn(0, 0, 0)}},
                                {1.0, {{0, 0, 0}, {-q.w, -q.x, -q.y, -q.z}}}};
    HedTrack track = make_track(keyframes, 2);
    HedVec3 linear, angular;
    hed_track_velocity(&track, 0.5, &linear, &angular);
    cr_assert_float_eq(angular.z, 0.4, ROUNDING);
    hed_track_free(&track);
}

Test(track, rotations_of_any_length_are_made_unit) {
    const double scales[3] = {1e-300, 5.0, 1e300};
    for (int i = 0; i < 3; ++i) {
        HedKeyframe keyframe = {0.0, {{0, 0, 0}, {0.6 * scales[i], 0.8 * scales[i], 0, 0}}};
        HedTrack track = make_track(&keyframe, 1);
        HedQuat q = hed_track_pose(&track, 0.0).rotation;
        cr_assert_float_eq(q.w, 0.6, ROUNDING);
        cr_assert_float_eq(q.x, 0.8, ROUNDING);
        hed_track_free(&track);
    }
}

static void assert_refused(HedKeyframe second, const char* word) {
    HedKeyframe keyframes[2] = {{0.0, {{0, 0, 0}, {1, 0, 0, 0}}}, second};
    HedTrack track;
    HedError error = {0};
    int64_t live = hed_alloc_stats().live_count;
    cr_assert_eq(hed_track_create(keyframes, 2, &track, &error), HED_INVALID, "%s", word);
    cr_assert_not_null(strstr(error.message, "keyframe 1"), "%s", error.message);
    cr_assert_not_null(strstr(error.message, word), "%s", error.message);
    cr_assert_eq(hed_alloc_stats().live_count, live);
    cr_assert_eq(track.count, 0);
}

Test(track, refuses_bad_keyframes_by_number) {
    double nan = (double)NAN;
    assert_refused((HedKeyframe){0.0, {{0, 0, 0}, {1, 0, 0, 0}}}, "rise");
    assert_refused((HedKeyframe){-1.0, {{0, 0, 0}, {1, 0, 0, 0}}}, "rise");
    assert_refused((HedKeyframe){nan, {{0, 0, 0}, {1, 0, 0, 0}}}, "finite");
    assert_refused((HedKeyframe){HUGE_VAL, {{0, 0, 0}, {1, 0, 0, 0}}}, "finite");
    assert_refused((HedKeyframe){1.0, {{0, nan, 0}, {1, 0, 0, 0}}}, "finite");
    assert_refused((HedKeyframe){1.0, {{0, 0, 0}, {0, 0, 0, 0}}}, "zero");
    assert_refused((HedKeyframe){1.0, {{0, 0, 0}, {1, nan, 0, 0}}}, "finite");
    assert_refused((HedKeyframe){5e-324, {{1, 0, 0}, {1, 0, 0, 0}}}, "velocity");
    HedTrack track;
    cr_assert_eq(hed_track_create(NULL, 2, &track, NULL), HED_INVALID);
    cr_assert_eq(hed_track_create(NULL, -1, &track, NULL), HED_INVALID);
}

Test(track, no_memory) {
    HedKeyframe keyframe = {0.0, {{0, 0, 0}, {1, 0, 0, 0}}};
    HedTrack track;
    hed_alloc_fail_at(1);
    cr_assert_eq(hed_track_create(&keyframe, 1, &track, NULL), HED_NO_MEMORY);
    hed_alloc_fail_at(0);
    hed_track_free(&track);
}
