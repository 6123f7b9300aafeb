// SPDX-License-Identifier: MIT
#include "geom/field.h"

#include "base/alloc.h"
#include "base/random.h"

#include <criterion/criterion.h>
#include <string.h>

// Of distances and places of about 1 m, of normals: some dozens of operations, 1e-16 each.
static const double ROUNDING = 1e-14;

static HedVec3 random_point(uint64_t stream, uint64_t i) {
    return hed_vec3(2.0 * hed_random_uniform(5, stream, 3 * i) - 1.0,
                    2.0 * hed_random_uniform(5, stream, 3 * i + 1) - 1.0,
                    2.0 * hed_random_uniform(5, stream, 3 * i + 2) - 1.0);
}

enum { PRIMITIVES = 6 };

static const HedFieldDef SHAPES[PRIMITIVES] = {
    {.shape = HED_PLANE},
    {.shape = HED_SPHERE, .radius = 0.7},
    {.shape = HED_BOX, .half_size = {0.5, 0.3, 0.8}},
    {.shape = HED_CAPSULE, .radius = 0.3, .half_length = 0.6},
    {.shape = HED_CYLINDER, .radius = 0.4, .half_length = 0.6},
    {.shape = HED_TORUS, .radius = 0.6, .minor_radius = 0.25},
};

static HedField make_field(const HedFieldDef* def) {
    HedField field;
    HedError error = {0};
    cr_assert_eq(hed_field_create(def, &field, &error), HED_OK, "%s", error.message);
    return field;
}

// Unsigned distance from p to the surface seen as a curve in the half plane (across, y) or as six
// faces: other ways than those of the field.
static double distance_to_segment(double u, double v, const double from[2], const double to[2]) {
    double du = to[0] - from[0], dv = to[1] - from[1];
    double t = ((u - from[0]) * du + (v - from[1]) * dv) / (du * du + dv * dv);
    t = fmin(fmax(t, 0.0), 1.0);
    return hypot(u - from[0] - t * du, v - from[1] - t * dv);
}

static double box_surface_distance(HedVec3 p, HedVec3 h) {
    double best = HUGE_VAL;
    double q[3] = {p.x, p.y, p.z};
    double half[3] = {h.x, h.y, h.z};
    for (int axis = 0; axis < 3; ++axis) {
        for (int side = -1; side <= 1; side += 2) {
            double sum = pow(q[axis] - side * half[axis], 2.0);
            for (int other = 1; other < 3; ++other) {
                int k = (axis + other) % 3;
                sum += pow(q[k] - fmin(fmax(q[k], -half[k]), half[k]), 2.0);
            }
            best = fmin(best, sqrt(sum));
        }
    }
    return best;
}

static double surface_distance(const HedFieldDef* d, HedVec3 p) {
    double across = hypot(p.x, p.z);
    double r = d->radius, h = d->half_length;
    switch (d->shape) {
    case HED_SPHERE:
        return fabs(hypot(across, p.y) - r);
    case HED_BOX:
        return box_surface_distance(p, d->half_size);
    case HED_CAPSULE: {
        // A straight side and two quarter circles; a quarter counts only beyond its own end.
        double side = distance_to_segment(across, p.y, (double[2]){r, -h}, (double[2]){r, h});
        double cap = fabs(p.y) >= h ? fabs(hypot(across, fabs(p.y) - h) - r) : HUGE_VAL;
        return fmin(side, cap);
    }
    case HED_CYLINDER: {
        double side = distance_to_segment(across, p.y, (double[2]){r, -h}, (double[2]){r, h});
        double end = distance_to_segment(across, fabs(p.y), (double[2]){0.0, h}, (double[2]){r, h});
        return fmin(side, end);
    }
    case HED_TORUS:
        return fabs(hypot(across - r, p.y) - d->minor_radius);
    default:
        return fabs(p.y);
    }
}

static bool is_inside(const HedFieldDef* d, HedVec3 p) {
    double across = hypot(p.x, p.z);
    HedVec3 h = d->half_size;
    switch (d->shape) {
    case HED_SPHERE:
        return across * across + p.y * p.y < d->radius * d->radius;
    case HED_BOX:
        return fabs(p.x) < h.x && fabs(p.y) < h.y && fabs(p.z) < h.z;
    case HED_CAPSULE: {
        double over = fmax(fabs(p.y) - d->half_length, 0.0);
        return across * across + over * over < d->radius * d->radius;
    }
    case HED_CYLINDER:
        return across < d->radius && fabs(p.y) < d->half_length;
    case HED_TORUS:
        return pow(across - d->radius, 2.0) + p.y * p.y < d->minor_radius * d->minor_radius;
    default:
        return p.y < 0.0;
    }
}

Test(field, distance_and_sign_of_primitives) {
    for (int s = 0; s < PRIMITIVES; ++s) {
        HedField field = make_field(&SHAPES[s]);
        int32_t inside_count = 0;
        for (uint64_t i = 0; i < 20000; ++i) {
            HedVec3 p = hed_mul3(i % 2 ? 1.3 : 0.6, random_point(1, i));
            HedFieldSample sample = hed_field_sample(&field, p);
            bool inside = is_inside(&SHAPES[s], p);
            double expected = surface_distance(&SHAPES[s], p);
            inside_count += inside;
            // A few roundings of numbers of size one.
            cr_assert_float_eq(sample.distance, inside ? -expected : expected, 1e-14,
                               "shape %d at (%g %g %g)", s, p.x, p.y, p.z);
            cr_assert_float_eq(hed_norm3(sample.normal), 1.0, ROUNDING);
        }
        cr_assert_gt(inside_count, 1000);
        hed_field_free(&field);
    }
}

// Walking back along the gradient by the distance meets the surface: true of an exact field, on the
// medial axis as well.
Test(field, gradient_leads_to_the_surface) {
    for (int s = 0; s < PRIMITIVES; ++s) {
        HedField field = make_field(&SHAPES[s]);
        for (uint64_t i = 0; i < 20000; ++i) {
            HedVec3 p = hed_mul3(1.3, random_point(2, i));
            HedFieldSample sample = hed_field_sample(&field, p);
            HedVec3 foot = hed_madd3(p, -sample.distance, sample.normal);
            cr_assert_float_eq(hed_field_sample(&field, foot).distance, 0.0, ROUNDING, "shape %d",
                               s);
        }
        hed_field_free(&field);
    }
}

// Central differences with step h err by h^2 times the third derivative (h^2 / distance^2 near the
// centres of curvature) and by rounding, 1e-16 / h. Where the two one-sided slopes differ the point
// is within h of the medial axis, where there is no gradient.
Test(field, gradient_against_differences) {
    const double h = 1e-6;
    for (int s = 0; s < PRIMITIVES; ++s) {
        HedField field = make_field(&SHAPES[s]);
        int32_t checked = 0;
        for (uint64_t i = 0; i < 5000; ++i) {
            HedVec3 p = hed_mul3(1.3, random_point(3, i));
            HedFieldSample sample = hed_field_sample(&field, p);
            double slope[3];
            bool is_smooth = true;
            for (int k = 0; k < 3; ++k) {
                HedVec3 step = {k == 0 ? h : 0.0, k == 1 ? h : 0.0, k == 2 ? h : 0.0};
                double up = hed_field_sample(&field, hed_add3(p, step)).distance;
                double down = hed_field_sample(&field, hed_sub3(p, step)).distance;
                slope[k] = (up - down) / (2.0 * h);
                is_smooth = is_smooth && fabs(up + down - 2.0 * sample.distance) < 1e-3 * h;
            }
            if (is_smooth) {
                ++checked;
                HedVec3 numeric = {slope[0], slope[1], slope[2]};
                // Where it is smooth curvatures are below 1e-3/h; h^2/6 of their squares is 1.7e-7.
                cr_assert_lt(hed_distance3(numeric, sample.normal), 1.7e-7, "shape %d", s);
            }
        }
        cr_assert_gt(checked, 4900, "shape %d: %d", s, checked);
        hed_field_free(&field);
    }
}

static void assert_sample(const HedField* field, HedVec3 p, double distance, HedVec3 normal) {
    HedFieldSample sample = hed_field_sample(field, p);
    cr_assert_float_eq(sample.distance, distance, 0.1 * ROUNDING);
    cr_assert_lt(hed_distance3(sample.normal, normal), 0.1 * ROUNDING, "(%g %g %g)",
                 sample.normal.x, sample.normal.y, sample.normal.z);
}

Test(field, normals_where_many_are_right) {
    HedField sphere = make_field(&SHAPES[1]);
    assert_sample(&sphere, hed_vec3(0, 0, 0), -0.7, hed_vec3(0, 1, 0));
    HedField box = make_field(&(HedFieldDef){.shape = HED_BOX, .half_size = {1, 1, 1}});
    assert_sample(&box, hed_vec3(0, 0, 0), -1.0, hed_vec3(1, 0, 0));
    assert_sample(&box, hed_vec3(-0.0, -0.0, -0.0), -1.0, hed_vec3(1, 0, 0));
    assert_sample(&box, hed_vec3(0, 0.5, -0.5), -0.5, hed_vec3(0, 1, 0));
    assert_sample(&box, hed_vec3(1, 1, 1), 0.0, hed_vec3(1, 0, 0));
    assert_sample(&box, hed_vec3(0, -1, 1), 0.0, hed_vec3(0, -1, 0));
    assert_sample(&box, hed_vec3(4, 5, 1), 5.0, hed_vec3(0.6, 0.8, 0));
    HedField capsule = make_field(&SHAPES[3]);
    assert_sample(&capsule, hed_vec3(0, 0.2, 0), -0.3, hed_vec3(1, 0, 0));
    assert_sample(&capsule, hed_vec3(0, -0.6, 0), -0.3, hed_vec3(1, 0, 0));
    HedField cylinder = make_field(&SHAPES[4]);
    assert_sample(&cylinder, hed_vec3(0, 0, 0), -0.4, hed_vec3(1, 0, 0));
    assert_sample(&cylinder, hed_vec3(0, -0.6, 0), 0.0, hed_vec3(0, -1, 0));
    assert_sample(&cylinder, hed_vec3(0.4, 0.6, 0), 0.0, hed_vec3(1, 0, 0));
    assert_sample(&cylinder, hed_vec3(0, 1.6, 0), 1.0, hed_vec3(0, 1, 0));
    HedField torus = make_field(&SHAPES[5]);
    assert_sample(&torus, hed_vec3(0, 0, 0), 0.35, hed_vec3(-1, 0, 0));
    assert_sample(&torus, hed_vec3(0.6, 0, 0), -0.25, hed_vec3(0, 1, 0));
    HedField plane = make_field(&SHAPES[0]);
    assert_sample(&plane, hed_vec3(3, -2, 1), -2.0, hed_vec3(0, 1, 0));
}

Test(field, tiny_distances_keep_unit_normals) {
    for (int s = 0; s < PRIMITIVES; ++s) {
        HedField field = make_field(&SHAPES[s]);
        for (uint64_t i = 0; i < 2000; ++i) {
            double scale = pow(10.0, -330.0 * hed_random_uniform(6, 1, i));
            HedVec3 p = hed_mul3(scale, random_point(6, i));
            cr_assert_float_eq(hed_norm3(hed_field_sample(&field, p).normal), 1.0, ROUNDING);
            HedFieldSample start = hed_field_sample(&field, random_point(7, i));
            HedVec3 foot = hed_madd3(random_point(7, i), scale - start.distance, start.normal);
            cr_assert_float_eq(hed_norm3(hed_field_sample(&field, foot).normal), 1.0, ROUNDING);
        }
    }
}

Test(field, near_agrees_with_sample) {
    for (int s = 0; s < PRIMITIVES; ++s) {
        HedField field = make_field(&SHAPES[s]);
        for (uint64_t i = 0; i < 2000; ++i) {
            HedVec3 p = hed_mul3(1.3, random_point(4, i));
            HedFieldSample sample = hed_field_sample(&field, p);
            HedFieldSample near = {99.0, {0, 0, 0}};
            bool is_near = hed_field_sample_near(&field, p, 0.1, &near);
            cr_assert_eq(is_near, sample.distance <= 0.1);
            cr_assert_eq(near.distance, is_near ? sample.distance : 99.0);
        }
    }
}

// Bounds touch the surface on all sides: the solid lies within, and shrinking any side cuts it.
Test(field, bounds_are_tight) {
    for (int s = 1; s < PRIMITIVES; ++s) {
        HedField field = make_field(&SHAPES[s]);
        HedBox bounds = hed_field_bounds(&field);
        HedVec3 most = {0, 0, 0};
        for (uint64_t i = 0; i < 50000; ++i) {
            HedVec3 p = hed_mul3(1.3, random_point(8, i));
            HedFieldSample sample = hed_field_sample(&field, p);
            HedVec3 foot = hed_madd3(p, -sample.distance, sample.normal);
            cr_assert_lt(hed_distance3(foot, hed_box_clamp(bounds, foot)), ROUNDING);
            most = hed_max3(most, foot);
        }
        cr_assert_lt(hed_distance3(most, bounds.high), 0.01); // as dense as the random points
        cr_assert_eq(bounds.low.x, -bounds.high.x);
        cr_assert_eq(bounds.low.y, -bounds.high.y);
    }
    HedField plane = make_field(&SHAPES[0]);
    HedBox bounds = hed_field_bounds(&plane);
    cr_assert_eq(bounds.high.y, 0.0);
    cr_assert(isinf(bounds.low.y) && isinf(bounds.high.x) && isinf(bounds.low.z));
}

static void assert_refused(HedFieldDef def, const char* word) {
    HedField field;
    HedError error = {0};
    cr_assert_eq(hed_field_create(&def, &field, &error), HED_INVALID, "%s", word);
    cr_assert_not_null(strstr(error.message, word), "%s", error.message);
    hed_field_free(&field);
}

Test(field, refuses_bad_sizes) {
    const double bad[4] = {0.0, -1.0, (double)NAN, HUGE_VAL};
    for (int i = 0; i < 4; ++i) {
        double b = bad[i];
        assert_refused((HedFieldDef){.shape = HED_SPHERE, .radius = b}, "'radius'");
        assert_refused((HedFieldDef){.shape = HED_CAPSULE, .radius = b, .half_length = 1.0},
                       "'radius'");
        assert_refused((HedFieldDef){.shape = HED_CAPSULE, .radius = 1.0, .half_length = b},
                       "'half_length'");
        assert_refused((HedFieldDef){.shape = HED_CYLINDER, .radius = 1.0, .half_length = b},
                       "'half_length'");
        assert_refused((HedFieldDef){.shape = HED_BOX, .half_size = {1.0, b, 1.0}}, "y");
        assert_refused((HedFieldDef){.shape = HED_TORUS, .radius = 1.0, .minor_radius = b},
                       "'minor_radius'");
    }
    assert_refused((HedFieldDef){.shape = HED_TORUS, .radius = 1.0, .minor_radius = 1.0},
                   "less than");
    assert_refused((HedFieldDef){.shape = HED_SHAPE_COUNT}, "shape");
    assert_refused((HedFieldDef){.shape = (HedShape)-1}, "shape");
    assert_refused((HedFieldDef){.shape = HED_MESH}, "triangles");
}
