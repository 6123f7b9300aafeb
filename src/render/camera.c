// SPDX-License-Identifier: MIT
#include "render/camera.h"
#include "math/vec3.h"

static const double PI = 3.14159265358979323846;

HedFraming hed_framing_default(void) {
    return (HedFraming){
        .azimuth = 35.0 * PI / 180.0,
        .elevation = 20.0 * PI / 180.0,
        .field = 30.0 * PI / 180.0,
        .zoom = 1.0,
        .aspect = 4.0 / 3.0,
    };
}

typedef struct Axes {
    HedVec3 right, up, back; // back points from the target to the camera
} Axes;

static Axes axes_of(double azimuth, double elevation) {
    double ce = cos(elevation);
    Axes axes = {.back = {ce * sin(azimuth), sin(elevation), ce * cos(azimuth)},
                 .right = {cos(azimuth), 0.0, -sin(azimuth)}};
    axes.up = hed_cross3(axes.back, axes.right);
    return axes;
}

static HedVec3 corner_of(const HedVec3 box[2], int i) {
    return (HedVec3){box[i & 1].x, box[i >> 1 & 1].y, box[i >> 2].z};
}

// Along one axis of the picture, with the camera at place c and distance D and t the tangent of
// half the angle of view, a point at (x, z) is seen if |x - c| <= t (D - z). So c + t D is at least
// the largest x + t z, and c - t D at most the least x - t z: both are met with equality by one c
// and D.
typedef struct CameraFit {
    double place, distance;
} CameraFit;

static CameraFit fit(const HedVec3 box[2], HedVec3 axis, HedVec3 back, double tangent) {
    HedVec3 middle = hed_lerp3(box[0], box[1], 0.5);
    double high = -HUGE_VAL;
    double low = HUGE_VAL;
    for (int i = 0; i < 8; ++i) {
        HedVec3 d = hed_sub3(corner_of(box, i), middle);
        double x = hed_dot3(d, axis);
        double z = tangent * hed_dot3(d, back);
        high = fmax(high, x + z);
        low = fmin(low, x - z);
    }
    return (CameraFit){0.5 * (high + low), 0.5 * (high - low) / tangent};
}

HedCamera hed_camera_frame(const HedVec3 box[2], const HedFraming* framing) {
    const double fill = 0.86; // of the picture
    Axes axes = axes_of(framing->azimuth, framing->elevation);
    double half = tan(0.5 * framing->field);
    double aspect = framing->aspect;
    CameraFit x = fit(box, axes.right, axes.back, fill * half * fmax(1.0, aspect));
    CameraFit y = fit(box, axes.up, axes.back, fill * half / fmin(1.0, aspect));
    double distance = fmax(x.distance, y.distance);
    if (!(distance > 0.0)) {
        distance = 1.0; // a single point: something must be chosen
    }
    HedVec3 target = hed_lerp3(box[0], box[1], 0.5);
    target = hed_madd3(target, x.place, axes.right);
    target = hed_madd3(target, y.place, axes.up);
    return (HedCamera){
        .position = hed_madd3(target, distance, axes.back),
        .target = target,
        .up = {0.0, 1.0, 0.0},
        // A zoom is a narrower view from the same place: the lights and the perspective stay.
        .field = 2.0 * atan(half / fmax(1e-3, framing->zoom)),
    };
}

static HedVec3f narrow(HedVec3 a) {
    return (HedVec3f){(float)a.x, (float)a.y, (float)a.z};
}

HedStatus hed_lens_create(const HedCamera* camera, int32_t width, int32_t height, HedVec3 origin,
                          HedLens* lens, HedError* error) {
    HedVec3 forward = hed_sub3(camera->target, camera->position);
    double distance = hed_norm3(forward);
    if (!isfinite(distance) || !(distance > 0.0)) {
        return hed_fail(error, HED_INVALID, "camera: position and target must be two places");
    }
    if (!(camera->field > 0.0 && camera->field < 0.99 * PI)) {
        return hed_fail(error, HED_INVALID,
                        "camera: the angle of view must be between 0 and 178 degrees, got %g",
                        camera->field * 180.0 / PI);
    }
    if (!(camera->aperture >= 0.0) || !(camera->focus >= 0.0) || !isfinite(camera->aperture) ||
        !isfinite(camera->focus)) {
        return hed_fail(error, HED_INVALID,
                        "camera: aperture and focus must not be negative, got %g and %g",
                        camera->aperture, camera->focus);
    }
    forward = hed_mul3(1.0 / distance, forward);
    HedVec3 right = hed_cross3(forward, camera->up);
    if (!hed_is_finite3(right) || hed_norm3(right) < 1e-9 * hed_norm3(camera->up)) {
        right = hed_cross3(forward, hed_vec3(0.0, 0.0, forward.y > 0.0 ? 1.0 : -1.0));
    }
    right = hed_unit3(right, hed_perpendicular3(forward));
    double half = tan(0.5 * camera->field);
    double aspect = (double)width / height;
    lens->position = narrow(hed_sub3(camera->position, origin));
    lens->right = narrow(right);
    lens->up = narrow(hed_cross3(right, forward));
    lens->forward = narrow(forward);
    lens->across = (float)(half * fmax(1.0, aspect));
    lens->down = (float)(half / fmin(1.0, aspect));
    lens->focus = (float)(camera->focus > 0.0 ? camera->focus : distance);
    lens->radius = (float)(0.5 * camera->aperture);
    lens->spread = lens->across / (float)width;
    lens->distance = (float)distance;
    lens->width = width;
    lens->height = height;
    return HED_OK;
}

HedRay hed_lens_ray(const HedLens* lens, float x, float y, HedSample2 u) {
    float a = (2.0f * x / (float)lens->width - 1.0f) * lens->across;
    float b = (1.0f - 2.0f * y / (float)lens->height) * lens->down;
    HedVec3f way = hed_madd3f(hed_madd3f(lens->forward, a, lens->right), b, lens->up);
    HedRay ray = {lens->position, way};
    if (lens->radius > 0.0f) {
        float c;
        float s;
        float r = lens->radius * sqrtf(u.b);
        hed_turn(u.a, &c, &s);
        HedVec3f shift = hed_madd3f(hed_mul3f(r * c, lens->right), r * s, lens->up);
        ray.origin = hed_add3f(ray.origin, shift);
        ray.direction = hed_sub3f(hed_mul3f(lens->focus, way), shift);
    }
    ray.direction = hed_unit3f(ray.direction);
    return ray;
}
