// SPDX-License-Identifier: MIT
#include "geom/shape_mesh.h"

#include "base/alloc.h"

#include <string.h>

enum {
    AROUND = 48,  // steps around the y axis
    QUARTER = 12, // steps from pole to equator
    TUBE = 24,    // steps around the tube of a torus
    PROFILE_LIMIT = 2 * QUARTER + 2
};

static const double TWO_PI = 6.28318530717958647693;

static HedStatus allocate(HedMesh* mesh, int32_t vertex_count, int32_t triangle_count,
                          HedError* error) {
    *mesh = (HedMesh){.vertices = HED_NEW_ARRAY(HedVec3, vertex_count),
                      .vertex_count = vertex_count,
                      .triangles = HED_NEW_ARRAY(int32_t, 3 * (int64_t)triangle_count),
                      .triangle_count = triangle_count};
    if (!mesh->vertices || !mesh->triangles) {
        hed_free(mesh->vertices);
        hed_free(mesh->triangles);
        *mesh = (HedMesh){0};
        return hed_fail_memory(error, "mesh of a shape");
    }
    return HED_OK;
}

static int32_t* put_triangle(int32_t* next, int32_t a, int32_t b, int32_t c) {
    next[0] = a;
    next[1] = b;
    next[2] = c;
    return next + 3;
}

// Two triangles, anticlockwise a b c d.
static int32_t* put_quad(int32_t* next, int32_t a, int32_t b, int32_t c, int32_t d) {
    return put_triangle(put_triangle(next, a, b, c), a, c, d);
}

// Cosine and sine of step i of count around a circle; whole at the quarters, so that vertices stand
// on the axes exactly.
static void circle_point(int32_t i, int32_t count, double* c, double* s) {
    static const double quarter_cos[4] = {1.0, 0.0, -1.0, 0.0};
    static const double quarter_sin[4] = {0.0, 1.0, 0.0, -1.0};
    i %= count;
    if (4 * i % count == 0) {
        *c = quarter_cos[4 * i / count];
        *s = quarter_sin[4 * i / count];
    } else {
        *c = cos(TWO_PI * i / count);
        *s = sin(TWO_PI * i / count);
    }
}

static HedStatus make_plane(double half, HedMesh* mesh, HedError* error) {
    if (!(half > 0.0) || !isfinite(half)) {
        return hed_fail(error, HED_INVALID,
                        "plane: half size of its square must be positive and finite, got %g m",
                        half);
    }
    HedStatus status = allocate(mesh, 4, 2, error);
    if (status == HED_OK) {
        mesh->vertices[0] = hed_vec3(-half, 0.0, -half);
        mesh->vertices[1] = hed_vec3(-half, 0.0, half);
        mesh->vertices[2] = hed_vec3(half, 0.0, half);
        mesh->vertices[3] = hed_vec3(half, 0.0, -half);
        put_quad(mesh->triangles, 0, 1, 2, 3);
    }
    return status;
}

// Vertex 4 i + 2 j + k stands at the upper side of x, y, z where i, j, k is 1.
static HedStatus make_box(HedVec3 half, HedMesh* mesh, HedError* error) {
    static const int32_t quad[6][4] = {{0, 1, 3, 2}, {4, 6, 7, 5}, {0, 4, 5, 1},
                                       {2, 3, 7, 6}, {0, 2, 6, 4}, {1, 5, 7, 3}};
    HedStatus status = allocate(mesh, 8, 12, error);
    if (status == HED_OK) {
        for (int32_t v = 0; v < 8; ++v) {
            mesh->vertices[v] = hed_vec3(v & 4 ? half.x : -half.x, v & 2 ? half.y : -half.y,
                                         v & 1 ? half.z : -half.z);
        }
        int32_t* next = mesh->triangles;
        for (int q = 0; q < 6; ++q) {
            next = put_quad(next, quad[q][0], quad[q][1], quad[q][2], quad[q][3]);
        }
    }
    return status;
}

// Half the outline of a body of revolution about y, from the upper to the lower pole.
typedef struct Profile {
    double across[PROFILE_LIMIT]; // m, 0 at both poles only
    double along[PROFILE_LIMIT];  // m, y
    int32_t count;
} Profile;

static void profile_add(Profile* profile, double across, double along) {
    profile->across[profile->count] = across;
    profile->along[profile->count++] = along;
}

static void revolve_vertices(const Profile* profile, HedVec3* next) {
    *next++ = hed_vec3(0.0, profile->along[0], 0.0);
    for (int32_t row = 1; row + 1 < profile->count; ++row) {
        for (int32_t i = 0; i < AROUND; ++i) {
            double c, s;
            circle_point(i, AROUND, &c, &s);
            *next++ =
                hed_vec3(profile->across[row] * c, profile->along[row], profile->across[row] * s);
        }
    }
    *next = hed_vec3(0.0, profile->along[profile->count - 1], 0.0);
}

// Rows of AROUND vertices between two poles. Turning from x to z is clockwise seen from above.
static HedStatus revolve(const Profile* profile, HedMesh* mesh, HedError* error) {
    int32_t rows = profile->count - 2;
    HedStatus status = allocate(mesh, rows * AROUND + 2, 2 * rows * AROUND, error);
    if (status != HED_OK) {
        return status;
    }
    revolve_vertices(profile, mesh->vertices);
    int32_t last = mesh->vertex_count - 1;
    int32_t* next = mesh->triangles;
    for (int32_t i = 0; i < AROUND; ++i) {
        int32_t j = (i + 1) % AROUND;
        next = put_triangle(next, 0, 1 + j, 1 + i);
        for (int32_t row = 0; row + 1 < rows; ++row) {
            int32_t upper = 1 + row * AROUND;
            int32_t lower = upper + AROUND;
            next = put_quad(next, upper + i, upper + j, lower + j, lower + i);
        }
        int32_t bottom = 1 + (rows - 1) * AROUND;
        next = put_triangle(next, last, bottom + i, bottom + j);
    }
    return HED_OK;
}

// Two half circles, pulled apart by half_length either way; 0 gives a sphere.
static HedStatus make_capsule(double radius, double half_length, HedMesh* mesh, HedError* error) {
    Profile profile = {0};
    for (int32_t i = 0; i <= 2 * QUARTER; ++i) {
        double c, s;
        circle_point(i, 4 * QUARTER, &c, &s);
        if (i == QUARTER && half_length > 0.0) {
            profile_add(&profile, radius, half_length);
        }
        double shift = i < QUARTER ? half_length : -half_length;
        profile_add(&profile, radius * s, radius * c + shift);
    }
    return revolve(&profile, mesh, error);
}

static HedStatus make_cylinder(double radius, double half_length, HedMesh* mesh, HedError* error) {
    Profile profile = {0};
    profile_add(&profile, 0.0, half_length);
    profile_add(&profile, radius, half_length);
    profile_add(&profile, radius, -half_length);
    profile_add(&profile, 0.0, -half_length);
    return revolve(&profile, mesh, error);
}

static HedStatus make_torus(double radius, double minor_radius, HedMesh* mesh, HedError* error) {
    HedStatus status = allocate(mesh, AROUND * TUBE, 2 * AROUND * TUBE, error);
    if (status != HED_OK) {
        return status;
    }
    int32_t* next = mesh->triangles;
    for (int32_t i = 0; i < AROUND; ++i) {
        int32_t here = i * TUBE;
        int32_t there = (i + 1) % AROUND * TUBE;
        for (int32_t k = 0; k < TUBE; ++k) {
            int32_t up = (k + 1) % TUBE;
            double ci, si, ck, sk;
            circle_point(i, AROUND, &ci, &si);
            circle_point(k, TUBE, &ck, &sk);
            double across = radius + minor_radius * ck;
            mesh->vertices[here + k] = hed_vec3(across * ci, minor_radius * sk, across * si);
            next = put_quad(next, here + k, here + up, there + up, there + k);
        }
    }
    return HED_OK;
}

static HedStatus copy_mesh(const HedFieldDef* def, HedMesh* mesh, HedError* error) {
    if (def->vertex_count < 0 || def->triangle_count < 0) {
        return hed_fail(error, HED_INVALID, "a mesh must not have %d vertices and %d triangles",
                        def->vertex_count, def->triangle_count);
    }
    HedStatus status = allocate(mesh, def->vertex_count, def->triangle_count, error);
    if (status == HED_OK && def->vertex_count > 0) {
        memcpy(mesh->vertices, def->vertices, (size_t)def->vertex_count * sizeof(HedVec3));
    }
    if (status == HED_OK && def->triangle_count > 0) {
        memcpy(mesh->triangles, def->triangles, (size_t)def->triangle_count * 3 * sizeof(int32_t));
    }
    return status;
}

HedStatus hed_shape_mesh_create(const HedFieldDef* def, double plane_half_size, HedMesh* mesh,
                                HedError* error) {
    *mesh = (HedMesh){0};
    HedStatus status = hed_field_check(def, error);
    if (status != HED_OK) {
        return status;
    }
    switch (def->shape) {
    case HED_SPHERE:
        return make_capsule(def->radius, 0.0, mesh, error);
    case HED_BOX:
        return make_box(def->half_size, mesh, error);
    case HED_CAPSULE:
        return make_capsule(def->radius, def->half_length, mesh, error);
    case HED_CYLINDER:
        return make_cylinder(def->radius, def->half_length, mesh, error);
    case HED_TORUS:
        return make_torus(def->radius, def->minor_radius, mesh, error);
    case HED_MESH:
        return copy_mesh(def, mesh, error);
    case HED_PLANE:
    case HED_SHAPE_COUNT:
        break;
    }
    return make_plane(plane_half_size, mesh, error);
}
