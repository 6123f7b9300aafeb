// SPDX-License-Identifier: MIT
#include "geom/field.h"

static const HedVec3 AXIS_X = {1.0, 0.0, 0.0};
static const HedVec3 AXIS_Y = {0.0, 1.0, 0.0};

// a / |a| even where the squares of a would vanish; fallback where a is zero.
static HedVec3 safe_unit(HedVec3 a, HedVec3 fallback) {
    double largest = fmax(fabs(a.x), fmax(fabs(a.y), fabs(a.z)));
    if (largest > 1e-140) {
        return hed_mul3(1.0 / hed_norm3(a), a);
    }
    return largest > 0.0
               ? hed_unit3(hed_vec3(a.x / largest, a.y / largest, a.z / largest), fallback)
               : fallback;
}

static double sign_of(double x) {
    return x < 0.0 ? -1.0 : 1.0;
}

static const char* shape_name(HedShape shape) {
    static const char* const names[HED_SHAPE_COUNT] = {"plane",    "sphere", "box", "capsule",
                                                       "cylinder", "torus",  "mesh"};
    return (int)shape >= 0 && shape < HED_SHAPE_COUNT ? names[shape] : "unknown";
}

static HedStatus check_size(const HedFieldDef* def, const char* what, double size,
                            HedError* error) {
    if (!(size > 0.0) || !isfinite(size)) {
        return hed_fail(error, HED_INVALID, "%s: '%s' must be positive and finite, got %g m",
                        shape_name(def->shape), what, size);
    }
    return HED_OK;
}

HedStatus hed_field_check(const HedFieldDef* def, HedError* error) {
    HedStatus status = HED_OK;
    if ((int)def->shape < 0 || def->shape >= HED_SHAPE_COUNT) {
        return hed_fail(error, HED_INVALID, "shape must be one of 0 to %d, got %d",
                        HED_SHAPE_COUNT - 1, (int)def->shape);
    }
    if (def->shape == HED_SPHERE || def->shape == HED_CAPSULE || def->shape == HED_CYLINDER ||
        def->shape == HED_TORUS) {
        HED_TRY(check_size(def, "radius", def->radius, error));
    }
    if (def->shape == HED_CAPSULE || def->shape == HED_CYLINDER) {
        HED_TRY(check_size(def, "half_length", def->half_length, error));
    }
    if (def->shape == HED_BOX) {
        HED_TRY(check_size(def, "half_size x", def->half_size.x, error));
        HED_TRY(check_size(def, "half_size y", def->half_size.y, error));
        HED_TRY(check_size(def, "half_size z", def->half_size.z, error));
    }
    if (def->shape == HED_TORUS) {
        HED_TRY(check_size(def, "minor_radius", def->minor_radius, error));
        if (!(def->minor_radius < def->radius)) {
            HED_TRY(hed_fail(error, HED_INVALID,
                             "torus: 'minor_radius' must be less than 'radius' (%g m), got %g m",
                             def->radius, def->minor_radius));
        }
    }
done:
    return status;
}

HedStatus hed_field_create(const HedFieldDef* def, HedField* field, HedError* error) {
    *field = (HedField){0};
    HedStatus status = hed_field_check(def, error);
    HedMeshField* mesh = NULL;
    if (status == HED_OK && def->shape == HED_MESH) {
        status = hed_mesh_field_create(def->vertices, def->vertex_count, def->triangles,
                                       def->triangle_count, &mesh, error);
    }
    if (status == HED_OK) {
        *field = (HedField){def->shape,       def->radius,    def->minor_radius,
                            def->half_length, def->half_size, mesh};
    }
    return status;
}

void hed_field_free(HedField* field) {
    if (field) {
        hed_mesh_field_free(field->mesh);
        *field = (HedField){0};
    }
}

static HedFieldSample sample_plane(HedVec3 p) {
    return (HedFieldSample){p.y, AXIS_Y};
}

static HedFieldSample sample_ball(HedVec3 from_centre, double radius, HedVec3 at_centre) {
    double length = hed_norm3(from_centre);
    return (HedFieldSample){length - radius, safe_unit(from_centre, at_centre)};
}

// q holds the distances past the faces, negative inside. Outside, the nearest surface point is
// found axis by axis; inside, it lies on the nearest face.
static HedFieldSample sample_box(HedVec3 p, HedVec3 half) {
    HedVec3 q = {fabs(p.x) - half.x, fabs(p.y) - half.y, fabs(p.z) - half.z};
    HedVec3 past = hed_max3(q, (HedVec3){0});
    double distance = hed_norm3(past);
    if (distance > 0.0) {
        HedVec3 gap = {sign_of(p.x) * past.x, sign_of(p.y) * past.y, sign_of(p.z) * past.z};
        return (HedFieldSample){distance, safe_unit(gap, AXIS_X)};
    }
    if (q.x >= q.y && q.x >= q.z) {
        return (HedFieldSample){q.x, {sign_of(p.x), 0.0, 0.0}};
    }
    if (q.y >= q.z) {
        return (HedFieldSample){q.y, {0.0, sign_of(p.y), 0.0}};
    }
    return (HedFieldSample){q.z, {0.0, 0.0, sign_of(p.z)}};
}

static HedFieldSample sample_capsule(HedVec3 p, double radius, double half_length) {
    double along = fmin(fmax(p.y, -half_length), half_length);
    return sample_ball(hed_vec3(p.x, p.y - along, p.z), radius, AXIS_X);
}

// Unit vector away from the y axis; +x on it.
static HedVec3 radial_direction(HedVec3 p) {
    return safe_unit(hed_vec3(p.x, 0.0, p.z), AXIS_X);
}

// A box in the plane of the axis and the point.
static HedFieldSample sample_cylinder(HedVec3 p, double radius, double half_length) {
    HedVec3 radial = radial_direction(p);
    HedVec3 axial = {0.0, sign_of(p.y), 0.0};
    double across = sqrt(p.x * p.x + p.z * p.z) - radius;
    double along = fabs(p.y) - half_length;
    if (across > 0.0 && along > 0.0) {
        double distance = sqrt(across * across + along * along);
        HedVec3 gap = hed_add3(hed_mul3(across, radial), hed_mul3(along, axial));
        return (HedFieldSample){distance, safe_unit(gap, radial)};
    }
    return across >= along ? (HedFieldSample){across, radial} : (HedFieldSample){along, axial};
}

static HedFieldSample sample_torus(HedVec3 p, double radius, double minor_radius) {
    HedVec3 radial = radial_direction(p);
    double across = sqrt(p.x * p.x + p.z * p.z) - radius;
    return sample_ball(hed_madd3(hed_vec3(0.0, p.y, 0.0), across, radial), minor_radius, AXIS_Y);
}

HedFieldSample hed_field_sample(const HedField* field, HedVec3 p) {
    switch (field->shape) {
    case HED_SPHERE:
        return sample_ball(p, field->radius, AXIS_Y);
    case HED_BOX:
        return sample_box(p, field->half_size);
    case HED_CAPSULE:
        return sample_capsule(p, field->radius, field->half_length);
    case HED_CYLINDER:
        return sample_cylinder(p, field->radius, field->half_length);
    case HED_TORUS:
        return sample_torus(p, field->radius, field->minor_radius);
    case HED_MESH:
        return hed_mesh_field_sample(field->mesh, p);
    case HED_PLANE:
    case HED_SHAPE_COUNT:
        break;
    }
    return sample_plane(p);
}

bool hed_field_sample_near(const HedField* field, HedVec3 p, double radius,
                           HedFieldSample* sample) {
    if (field->shape == HED_MESH) {
        return hed_mesh_field_sample_near(field->mesh, p, radius, sample);
    }
    HedFieldSample found = hed_field_sample(field, p);
    if (!(found.distance <= radius)) {
        return false;
    }
    *sample = found;
    return true;
}

static HedBox box_of_half(double x, double y, double z) {
    return (HedBox){{-x, -y, -z}, {x, y, z}};
}

HedBox hed_field_bounds(const HedField* field) {
    double r = field->radius;
    double across = r + field->minor_radius;
    switch (field->shape) {
    case HED_SPHERE:
        return box_of_half(r, r, r);
    case HED_BOX:
        return box_of_half(field->half_size.x, field->half_size.y, field->half_size.z);
    case HED_CAPSULE:
        return box_of_half(r, field->half_length + r, r);
    case HED_CYLINDER:
        return box_of_half(r, field->half_length, r);
    case HED_TORUS:
        return box_of_half(across, field->minor_radius, across);
    case HED_MESH:
        return hed_mesh_field_bounds(field->mesh);
    case HED_PLANE:
    case HED_SHAPE_COUNT:
        break;
    }
    return (HedBox){{-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}, {HUGE_VAL, 0.0, HUGE_VAL}};
}
