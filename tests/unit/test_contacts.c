// SPDX-License-Identifier: MIT
// Finding contacts, their forces and matrix, and the filter, on single triangles.
#include "base/alloc.h"
#include "contact/contact.h"
#include "geom/shape_mesh.h"
#include "math/mat3.h"
#include "math/quat.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

static const HedVec3 ZERO = {0.0, 0.0, 0.0};

// One triangle of half thickness 1 mm and area 0.01 m^2 per point, against one body.
typedef struct Scene {
    HedVec3 x[3];
    HedVec3 v[3];
    HedBody body;
    HedContacts contacts;
    HedTeam team;
} Scene;

static const int32_t EDGES[6] = {0, 1, 1, 2, 0, 2};
static const int32_t TRIANGLE[3] = {0, 1, 2};
static const double HALF[3] = {1e-3, 1e-3, 1e-3};
static const double AREA[3] = {0.01, 0.01, 0.01};
static const double INVERSE_MASS[3] = {1.0 / 0.0015, 1.0 / 0.0015, 1.0 / 0.0015};

static void make_scene(Scene* scene, const HedBodyDef* def) {
    *scene = (Scene){.team = {.threads = 1}};
    HedError error = {0};
    cr_assert_eq(hed_body_init(&scene->body, def, &error), HED_OK, "%s", error.message);
    HedSurface surface = {.point_count = 3,
                          .edges = EDGES,
                          .edge_count = 3,
                          .triangles = TRIANGLE,
                          .triangle_count = 1,
                          .half_thickness = HALF,
                          .area = AREA};
    HedStatus status =
        hed_contacts_create(&scene->contacts, &scene->body, 1, surface, &scene->team, &error);
    cr_assert_eq(status, HED_OK, "%s", error.message);
}

static void free_scene(Scene* scene) {
    hed_contacts_free(&scene->contacts);
    hed_body_free(&scene->body);
}

static void place(Scene* scene, HedVec3 a, HedVec3 b, HedVec3 c) {
    scene->x[0] = a;
    scene->x[1] = b;
    scene->x[2] = c;
}

static HedBodyDef ball(double radius) {
    HedBodyDef def = hed_body_def_default();
    def.radius = radius;
    return def;
}

// Distances are differences of coordinates of some decimetres, which are rounded by 1e-17 m; speeds
// of about 1 m/s and energies below 1 J are by 1e-16.
static const double ROUNDING = 1e-15;

static void find(Scene* scene, double t, double h) {
    cr_assert_eq(hed_contacts_find(&scene->contacts, scene->x, scene->v, t, h, NULL), HED_OK);
}

Test(contacts, a_vertex_touches) {
    Scene s;
    HedBodyDef def = ball(0.1);
    make_scene(&s, &def);
    place(&s, hed_vec3(0.0, 0.1005, 0.0), hed_vec3(0.3, 0.4, 0.0), hed_vec3(0.0, 0.4, 0.3));
    find(&s, 0.0, 0.0);
    cr_assert_eq(s.contacts.list.count, 1);
    const HedContact* c = &s.contacts.list.data[0];
    cr_expect(c->kind == HED_CONTACT_POINT && c->element == 0 && c->size == 1);
    cr_expect_float_eq(c->distance, 0.5e-3, ROUNDING);
    cr_expect_float_eq(c->offset, 1e-3, ROUNDING);
    // A product of two numbers.
    cr_expect_float_eq(c->stiffness, def.stiffness * 0.01, 1e-15 * def.stiffness);
    cr_expect(hed_distance3(c->normal, hed_vec3(0.0, 1.0, 0.0)) < ROUNDING);
    cr_expect_float_eq(hed_contacts_depth(&s.contacts), 0.5e-3, ROUNDING);
    free_scene(&s);
}

Test(contacts, an_edge_touches_between_its_ends) {
    Scene s;
    HedBodyDef def = ball(0.1);
    make_scene(&s, &def);
    // Nearest at a quarter of the way from point 0 to point 1, 0.4 mm above the ball.
    place(&s, hed_vec3(-0.1, 0.1004, 0.0), hed_vec3(0.3, 0.1004, 0.0), hed_vec3(0.0, 0.5, 0.3));
    find(&s, 0.0, 0.0);
    cr_assert_eq(s.contacts.list.count, 1, "%d", s.contacts.list.count);
    const HedContact* c = &s.contacts.list.data[0];
    cr_expect(c->kind == HED_CONTACT_EDGE && c->element == 0 && c->size == 2);
    // Bisection in ten steps: a thousandth of the edge.
    cr_expect_float_eq(c->weight[1], 0.25, 1e-3);
    cr_expect_float_eq(c->weight[0] + c->weight[1], 1.0, ROUNDING);
    cr_expect_float_eq(c->distance, 0.4e-3, 1e-6); // (1e-3 of 0.4 m)^2/2 over 0.1 m: 0.8e-6
    free_scene(&s);
}

Test(contacts, a_face_touches_inside) {
    Scene s;
    HedBodyDef def = ball(0.05);
    make_scene(&s, &def);
    place(&s, hed_vec3(-0.2, 0.0506, -0.2), hed_vec3(0.4, 0.0506, -0.2),
          hed_vec3(-0.2, 0.0506, 0.4));
    find(&s, 0.0, 0.0);
    cr_assert_eq(s.contacts.list.count, 1);
    const HedContact* c = &s.contacts.list.data[0];
    cr_expect(c->kind == HED_CONTACT_FACE && c->size == 3);
    for (int k = 0; k < 3; ++k) {
        // Rounding of the foot of a perpendicular.
        cr_expect_float_eq(c->weight[k], 1.0 / 3.0, 1e-14);
    }
    // A difference of two numbers of 0.05, rounded by 7e-18.
    cr_expect_float_eq(c->distance, 0.6e-3, 1e-16);
    free_scene(&s);
}

// A step of 10 ms at 2 m/s reaches 20 mm far; without a step only what touches counts.
Test(contacts, reach_grows_with_the_step) {
    Scene s;
    HedBodyDef def = ball(0.1);
    make_scene(&s, &def);
    place(&s, hed_vec3(0.0, 0.118, 0.0), hed_vec3(0.3, 0.4, 0.0), hed_vec3(0.0, 0.4, 0.3));
    find(&s, 0.0, 0.0);
    cr_expect_eq(s.contacts.list.count, 0);
    s.v[0] = hed_vec3(0.0, -2.0, 0.0);
    find(&s, 0.0, 0.01);
    cr_expect_eq(s.contacts.list.count, 1);
    find(&s, 0.0, 0.001);
    cr_expect_eq(s.contacts.list.count, 0);
    free_scene(&s);
}

// Friction's limit is that of the start of the step, though the body is looked at where it ends.
Test(contacts, limit_of_friction_on_a_moving_body) {
    Scene s;
    HedKeyframe keys[2] = {{0.0, {ZERO, hed_quat_identity()}},
                           {1.0, {{0.0, 1.0, 0.0}, hed_quat_identity()}}};
    HedBodyDef def = hed_body_def_default();
    def.shape = HED_PLANE;
    def.keyframes = keys;
    def.keyframe_count = 2;
    def.friction = 0.5;
    def.stiffness = 1e6;
    make_scene(&s, &def);
    // At t = 0.1 s the plane is at 0.1 m; the points are 1 micrometre too near to it.
    place(&s, hed_vec3(0.0, 0.101 - 1e-6, 0.0), hed_vec3(0.1, 0.101 - 1e-6, 0.0),
          hed_vec3(0.0, 0.101 - 1e-6, 0.1));
    find(&s, 0.1, 0.01);
    cr_assert_eq(s.contacts.list.count, 3);
    // 0.5 * 1e6 N/m^3 * 0.01 m^2 * 1e-6 m = 5 mN, however far the plane goes.
    cr_expect_float_eq(s.contacts.list.data[0].limit, 5e-3, 1e-8);
    cr_expect_float_eq(s.contacts.list.data[0].distance, -0.01 + 1e-3 - 1e-6, ROUNDING);
    cr_expect_float_eq(s.contacts.list.data[0].velocity.y, 1.0, ROUNDING);
    free_scene(&s);
}

// What was not near at the start of a step but is deep at its end is added, and only once.
Test(contacts, extending_the_list) {
    Scene s;
    HedBodyDef def = ball(0.05);
    make_scene(&s, &def);
    place(&s, hed_vec3(-0.2, 0.06, -0.2), hed_vec3(0.4, 0.06, -0.2), hed_vec3(-0.2, 0.06, 0.4));
    find(&s, 0.0, 1e-4);
    cr_assert_eq(s.contacts.list.count, 0);
    for (int k = 0; k < 3; ++k) {
        s.x[k].y = 0.0502; // 0.8 mm of 1 mm too near
    }
    int32_t added = 0;
    cr_assert_eq(hed_contacts_extend(&s.contacts, s.x, 0.0, 0.2, &added, NULL), HED_OK);
    cr_expect(added == 1 && s.contacts.list.count == 1);
    cr_expect_eq(s.contacts.list.data[0].kind, HED_CONTACT_FACE);
    cr_expect_eq(s.contacts.list.data[0].limit, 0.0);
    cr_assert_eq(hed_contacts_extend(&s.contacts, s.x, 0.0, 0.2, &added, NULL), HED_OK);
    cr_expect(added == 0 && s.contacts.list.count == 1, "known by now");
    // Moved by half a cell the face is met at another place.
    for (int k = 0; k < 3; ++k) {
        s.x[k].x += 0.1;
    }
    cr_assert_eq(hed_contacts_extend(&s.contacts, s.x, 0.0, 0.2, &added, NULL), HED_OK);
    cr_expect_eq(added, 1);
    // A tenth of the distance to keep is not worth another solve.
    find(&s, 0.0, 0.0);
    s.contacts.list.count = s.contacts.found_count = 0;
    for (int k = 0; k < 3; ++k) {
        s.x[k].y = 0.0509;
    }
    cr_assert_eq(hed_contacts_extend(&s.contacts, s.x, 0.0, 0.2, &added, NULL), HED_OK);
    cr_expect_eq(added, 0);
    free_scene(&s);
}

// An overlap at the start gives slack to the points of what touches: no push at first, and after
// the time that push_speed needs the whole distance is kept again.
Test(contacts, slack_of_an_overlap) {
    Scene s;
    HedBodyDef def = ball(0.1);
    def.overlap = HED_OVERLAP_PUSH;
    def.push_speed = 0.1;
    make_scene(&s, &def);
    place(&s, hed_vec3(0.0, 0.08, 0.0), hed_vec3(0.3, 0.4, 0.0), hed_vec3(0.0, 0.4, 0.3));
    HedContact deepest = {0};
    cr_assert_eq(hed_contacts_check_start(&s.contacts, s.x, 0.0, &deepest, NULL), HED_OK);
    find(&s, 0.0, 0.0);
    cr_expect_float_eq(hed_contacts_depth(&s.contacts), 0.0, ROUNDING);
    find(&s, 0.1, 0.0); // pushed out by a centimetre by now
    cr_expect_float_eq(hed_contacts_depth(&s.contacts), 0.01, ROUNDING);
    find(&s, 1.0, 0.0);
    cr_expect_float_eq(hed_contacts_depth(&s.contacts), 0.021, ROUNDING);
    free_scene(&s);
    def.overlap = HED_OVERLAP_REFUSE;
    make_scene(&s, &def);
    place(&s, hed_vec3(0.0, 0.08, 0.0), hed_vec3(0.3, 0.4, 0.0), hed_vec3(0.0, 0.4, 0.3));
    HedError error = {0};
    cr_expect_eq(hed_contacts_check_start(&s.contacts, s.x, 0.0, &deepest, &error), HED_INVALID);
    cr_expect_float_eq(deepest.distance, -0.02, ROUNDING);
    free_scene(&s);
}

static void force_of(Scene* s, const HedVec3* x, const HedVec3* v, HedVec3* f) {
    memset(f, 0, 3 * sizeof *f);
    hed_contacts_add_force(&s->contacts, x, v, 0.0, f);
}

// The matrix is the derivative of the force, against a plane, for which it is exact: stiffness by x
// and damping by v, central differences.
Test(contacts, matrix_is_the_derivative_of_the_force) {
    Scene s;
    HedBodyDef def = hed_body_def_default();
    def.shape = HED_PLANE;
    make_scene(&s, &def);
    place(&s, hed_vec3(0.0, 0.7e-3, 0.0), hed_vec3(0.1, 0.8e-3, 0.0), hed_vec3(0.0, 0.3e-3, 0.1));
    s.v[0] = hed_vec3(0.3e-3, 0.0, 0.2e-3); // sticks
    s.v[1] = hed_vec3(0.2, -0.1, 0.3);      // slides
    find(&s, 0.0, 0.0);
    const int32_t first[2] = {0, 3};
    HedMatrix matrix;
    cr_assert_eq(hed_matrix_create(&matrix, 3, (HedRanges){1, first}, EDGES, 3, NULL), HED_OK);
    for (int part = 0; part < 2; ++part) {
        HedMatrixScale scale = {part == 0 ? 1.0 : 0.0, part == 0 ? 0.0 : 1.0, true, 0.0};
        HedVec3 f[2][3];
        force_of(&s, s.x, s.v, f[0]);
        hed_matrix_clear_range(&matrix, 0);
        hed_contacts_add_matrix(&s.contacts, s.v, scale, &matrix);
        double* variable = part == 0 ? &s.x[0].x : &s.v[0].x;
        double step = 1e-7;
        for (int k = 0; k < 9; ++k) {
            double kept = variable[k];
            variable[k] = kept + step;
            force_of(&s, s.x, s.v, f[0]);
            variable[k] = kept - step;
            force_of(&s, s.x, s.v, f[1]);
            variable[k] = kept;
            for (int i = 0; i < 3; ++i) {
                HedVec3 d = hed_mul3(-0.5 / step, hed_sub3(f[0][i], f[1][i]));
                const double found[3] = {d.x, d.y, d.z};
                for (int m = 0; m < 3; ++m) {
                    double expected = i == k / 3 ? matrix.diagonal[i].m[m][k % 3] : 0.0;
                    // Forces up to 10 N are rounded to 1e-15, over 2e-7: 1e-8, relative to 3e4 N/m
                    // or 2e3 N s/m; the second derivative of sliding adds (1e-7/0.3)^2.
                    cr_assert(fabs(found[m] - expected) < 1e-6 * 3e4, "%d %d %d: %g, expected %g",
                              part, k, i, found[m], expected);
                }
            }
        }
    }
    hed_matrix_free(&matrix);
    free_scene(&s);
}

// Through an edge contact, whose two points share one force by their weights.
Test(contacts, force_of_an_edge_is_shared_by_weights) {
    Scene s;
    HedBodyDef def = ball(0.1);
    make_scene(&s, &def);
    place(&s, hed_vec3(-0.1, 0.1004, 0.0), hed_vec3(0.3, 0.1004, 0.0), hed_vec3(0.0, 0.5, 0.3));
    find(&s, 0.0, 0.0);
    HedVec3 f[3];
    force_of(&s, s.x, s.v, f);
    double push = def.stiffness * 0.01 * 0.6e-3;
    // The foot on an edge is searched to some 1e-5 of its length; the distance feels the square.
    cr_expect_float_eq(f[0].y + f[1].y, push, 1e-6 * push);
    // Some 1e-5, as above.
    cr_expect_float_eq(f[1].y / f[0].y, 1.0 / 3.0, 5e-5);
    // As the force, twice.
    cr_expect_float_eq(hed_contacts_energy(&s.contacts), 0.5 * push * 0.6e-3, 2e-6 * push * 0.3e-3);
    free_scene(&s);
}

// The filter: everything is at least the distance to keep away, no velocity goes in, and friction
// takes at most mu times the impulse of the stop.
Test(contacts, filter_stops_and_slows) {
    Scene s;
    HedBodyDef def = hed_body_def_default();
    def.shape = HED_PLANE;
    def.friction = 0.25;
    make_scene(&s, &def);
    place(&s, hed_vec3(0.0, -0.5e-3, 0.0), hed_vec3(0.1, 0.5e-3, 0.0), hed_vec3(0.0, 0.9e-3, 0.1));
    s.v[0] = hed_vec3(1.0, -2.0, 0.0); // slides on: loses 0.25 * 2 m/s
    s.v[1] = hed_vec3(0.1, -2.0, 0.2); // is stopped: 0.22 < 0.5
    s.v[2] = hed_vec3(0.3, 0.1, -0.1); // leaves: nothing changes
    double before = 0.0;
    for (int k = 0; k < 3; ++k) {
        before += 0.5 * 0.0015 * hed_dot3(s.v[k], s.v[k]);
    }
    find(&s, 0.0, 0.0);
    HedPower work = hed_contacts_filter(&s.contacts, INVERSE_MASS, 0.0, s.x, s.v);
    double after = 0.0;
    for (int k = 0; k < 3; ++k) {
        cr_expect(s.x[k].y >= 1e-3 - ROUNDING);
        after += 0.5 * 0.0015 * hed_dot3(s.v[k], s.v[k]);
    }
    cr_expect(hed_distance3(s.v[0], hed_vec3(0.5, 0.0, 0.0)) < ROUNDING);
    cr_expect(hed_distance3(s.v[1], ZERO) < ROUNDING);
    cr_expect(hed_distance3(s.v[2], hed_vec3(0.3, 0.1, -0.1)) < ROUNDING);
    cr_expect_float_eq(work.dissipated, before - after, ROUNDING);
    cr_expect_eq(work.external, 0.0);
    // A held point is not moved.
    place(&s, hed_vec3(0.0, -0.5e-3, 0.0), hed_vec3(0.1, 0.5, 0.0), hed_vec3(0.0, 0.9, 0.1));
    s.v[0] = hed_vec3(0.0, -1.0, 0.0);
    const double held[3] = {0.0, 1.0, 1.0};
    find(&s, 0.0, 0.0);
    hed_contacts_filter(&s.contacts, held, 0.0, s.x, s.v);
    cr_expect_eq(s.x[0].y, -0.5e-3);
    cr_expect_eq(s.v[0].y, -1.0);
    free_scene(&s);
}

// A slab from x = 0 to 0.4 m and z = -0.1 to 0.1 m with rows of heights above y = 0: two bumps of
// 2 cm at x = 0.1 and 0.3 m, as ridges along z or as tips at z = 0.
enum { ALONG = 5, ACROSS = 3, SIDE = ALONG * ACROSS };

typedef struct Slab {
    HedVec3 vertices[2 * SIDE];
    int32_t triangles[3 * 128];
    int32_t count; // of indices
} Slab;

static void add_quad(Slab* slab, int32_t a, int32_t b, int32_t c, int32_t d) {
    const int32_t corner[6] = {a, b, c, a, c, d};
    memcpy(slab->triangles + slab->count, corner, sizeof corner);
    slab->count += 6;
}

static HedBodyDef bumps(Slab* slab, bool is_ridge) {
    *slab = (Slab){0};
    for (int32_t i = 0; i < ALONG; ++i) {
        for (int32_t j = 0; j < ACROSS; ++j) {
            double height = i % 2 == 1 && (is_ridge || j == 1) ? 0.02 : 0.0;
            slab->vertices[ACROSS * i + j] = hed_vec3(0.1 * i, height, 0.1 * (j - 1));
            slab->vertices[SIDE + ACROSS * i + j] = hed_vec3(0.1 * i, -0.05, 0.1 * (j - 1));
        }
    }
    for (int32_t i = 0; i + 1 < ALONG; ++i) {
        for (int32_t j = 0; j + 1 < ACROSS; ++j) {
            int32_t v = ACROSS * i + j;
            add_quad(slab, v, v + 1, v + ACROSS + 1, v + ACROSS);
            add_quad(slab, SIDE + v, SIDE + v + ACROSS, SIDE + v + ACROSS + 1, SIDE + v + 1);
        }
        int32_t a = ACROSS * i;
        int32_t b = a + ACROSS - 1;
        add_quad(slab, a, a + ACROSS, SIDE + a + ACROSS, SIDE + a);
        add_quad(slab, b, SIDE + b, SIDE + b + ACROSS, b + ACROSS);
    }
    for (int32_t j = 0; j + 1 < ACROSS; ++j) {
        int32_t b = ACROSS * (ALONG - 1) + j;
        add_quad(slab, j, SIDE + j, SIDE + j + 1, j + 1);
        add_quad(slab, b, b + 1, SIDE + b + 1, SIDE + b);
    }
    HedBodyDef def = hed_body_def_default();
    def.shape = HED_MESH;
    def.vertices = slab->vertices;
    def.vertex_count = 2 * SIDE;
    def.triangles = slab->triangles;
    def.triangle_count = slab->count / 3;
    return def;
}

// The contacts of a kind, up to two of them.
static int32_t contacts_of(const Scene* s, HedContactKind kind, const HedContact* found[2]) {
    int32_t count = 0;
    for (int32_t k = 0; k < s->contacts.list.count; ++k) {
        const HedContact* c = &s->contacts.list.data[k];
        if (c->kind == kind && count++ < 2) {
            found[count - 1] = c;
        }
    }
    return count;
}

// An edge that sinks from 0.8 mm above one ridge to 0.2 mm above the next touches both, though
// from its first end the distance falls, rises, falls and rises.
Test(contacts, an_edge_touches_two_ridges) {
    Scene s;
    Slab slab;
    HedBodyDef def = bumps(&slab, true);
    make_scene(&s, &def);
    place(&s, hed_vec3(0.0, 0.0211, 0.0), hed_vec3(0.4, 0.0199, 0.0), hed_vec3(0.2, 0.4, 0.09));
    find(&s, 0.0, 0.0);
    const HedContact* found[2] = {NULL, NULL};
    cr_assert_eq(contacts_of(&s, HED_CONTACT_EDGE, found), 2);
    const HedContact* deep = found[found[0]->distance < found[1]->distance ? 0 : 1];
    const HedContact* shallow = found[found[0]->distance < found[1]->distance ? 1 : 0];
    // The slope of 0.003 moves the nearest place by 2.4e-6 m of 0.4 m.
    cr_expect_float_eq(shallow->weight[1], 0.25, 1e-5);
    cr_expect_float_eq(deep->weight[1], 0.75, 1e-5); // as above
    // It makes the distance shorter by 4.5e-6 of it.
    cr_expect_float_eq(shallow->distance, 0.8e-3, 1e-8);
    cr_expect_float_eq(deep->distance, 0.2e-3, 1e-8); // as above
    free_scene(&s);
}

// So does a face above two tips, also where it has been pressed through one of them.
Test(contacts, a_face_touches_two_tips) {
    Scene s;
    Slab slab;
    HedBodyDef def = bumps(&slab, false);
    make_scene(&s, &def);
    place(&s, hed_vec3(-0.2, 0.0204, -0.2), hed_vec3(0.6, 0.0204, -0.2),
          hed_vec3(0.2, 0.0204, 0.4));
    find(&s, 0.0, 0.0);
    const HedContact* found[2] = {NULL, NULL};
    cr_assert_eq(contacts_of(&s, HED_CONTACT_FACE, found), 2);
    double sum = 0.0; // m
    for (int k = 0; k < 2; ++k) {
        HedVec3 at = hed_contact_mix(found[k], s.x);
        // Differences of decimetres, mixed by rounded weights.
        cr_expect_float_eq(found[k]->distance, 0.4e-3, 1e-12);
        cr_expect_float_eq(fabs(at.x - 0.2), 0.1, 1e-12); // as above, right over a tip
        cr_expect_float_eq(at.z, 0.0, 1e-12);             // as above
        sum += at.x;
    }
    cr_expect_float_eq(sum, 0.4, 1e-12); // one below each
    for (int k = 0; k < 3; ++k) {
        s.x[k].y = 0.0197;
    }
    find(&s, 0.0, 0.0);
    cr_assert_eq(contacts_of(&s, HED_CONTACT_FACE, found), 2);
    for (int k = 0; k < 2; ++k) {
        // 0.3 mm below the tip; the sides of the pyramid slope, and one of them is nearer.
        cr_expect(found[k]->distance < -0.28e-3 && found[k]->distance > -0.3e-3);
    }
    free_scene(&s);
}

// A face whose box holds hundreds of triangles of a fine mesh is nearest over one corner of it;
// where there is no memory to list them that is told.
Test(contacts, a_face_over_a_fine_mesh) {
    Scene s;
    HedFieldDef shape = {.shape = HED_SPHERE, .radius = 0.05};
    HedMesh mesh;
    cr_assert_eq(hed_shape_mesh_create(&shape, 1.0, &mesh, NULL), HED_OK);
    cr_assert_gt(mesh.triangle_count, 256);
    HedBodyDef def = hed_body_def_default();
    def.shape = HED_MESH;
    def.vertices = mesh.vertices;
    def.vertex_count = mesh.vertex_count;
    def.triangles = mesh.triangles;
    def.triangle_count = mesh.triangle_count;
    make_scene(&s, &def);
    HedVec3 up = hed_vec3(0.48, 0.6, 0.64);
    HedVec3 across = hed_vec3(0.8, 0.0, -0.6);
    HedVec3 along = hed_cross3(up, across);
    double top = 0.0; // m, of the highest corner
    for (int32_t k = 0; k < mesh.vertex_count; ++k) {
        top = fmax(top, hed_dot3(mesh.vertices[k], up));
    }
    HedVec3 middle = hed_mul3(top + 0.4e-3, up);
    place(&s, hed_madd3(hed_madd3(middle, -0.2, across), -0.15, along),
          hed_madd3(hed_madd3(middle, 0.2, across), -0.15, along), hed_madd3(middle, 0.2, along));
    find(&s, 0.0, 0.0);
    double nearest = 1.0; // m
    for (int32_t k = 0; k < s.contacts.list.count; ++k) {
        const HedContact* c = &s.contacts.list.data[k];
        nearest = c->kind == HED_CONTACT_FACE ? fmin(nearest, c->distance) : nearest;
    }
    cr_expect_float_eq(nearest, 0.4e-3, 1e-12); // differences of decimetres, mixed
    hed_alloc_fail_at(1);
    cr_expect_eq(hed_contacts_find(&s.contacts, s.x, s.v, 0.0, 0.0, NULL), HED_NO_MEMORY);
    hed_alloc_fail_at(0);
    free_scene(&s);
    hed_free(mesh.vertices);
    hed_free(mesh.triangles);
}

// Without bodies nothing is found and nothing is needed.
// A groove along z whose sides stand at atan(SLOPE) from the middle plane, in a block.
static const double SLOPE = 0.2;

static HedBodyDef groove(HedVec3 vertices[10], int32_t triangles[48]) {
    const double around[5][2] = {{0, 0}, {-SLOPE, 1}, {-2, -1}, {2, -1}, {SLOPE, 1}};
    int32_t* next = triangles;
    for (int32_t k = 0; k < 5; ++k) {
        vertices[k] = hed_vec3(around[k][0], around[k][1], 1.0);
        vertices[5 + k] = hed_vec3(around[k][0], around[k][1], -1.0);
        int32_t on = (k + 1) % 5;
        memcpy(next, (int32_t[6]){k, 5 + k, on, on, 5 + k, 5 + on}, 6 * sizeof *next);
        next += 6;
    }
    for (int32_t k = 1; k < 4; ++k) {
        memcpy(next, (int32_t[6]){0, k, k + 1, 5, 6 + k, 5 + k}, 6 * sizeof *next);
        next += 6;
    }
    HedBodyDef def = hed_body_def_default();
    def.shape = HED_MESH;
    def.vertices = vertices;
    def.vertex_count = 10;
    def.triangles = triangles;
    def.triangle_count = 16;
    return def;
}

// In the middle of a groove at height y both sides are y sin(a) away. What is sewn
// and too thick for that comes out upwards, as far as it takes: to keep / sin(a).
Test(contacts, what_is_sewn_comes_out_of_a_narrow_gap) {
    const double keep = 1e-3;
    const double fits = keep * sqrt(1.0 + SLOPE * SLOPE) / SLOPE;
    const double sewing[3] = {1.0, 1.0, 1.0};
    HedVec3 vertices[10];
    int32_t triangles[48];
    HedBodyDef def = groove(vertices, triangles);
    Scene s;
    make_scene(&s, &def);
    for (int k = 0; k < 2; ++k) {
        double y = k == 0 ? 2e-3 : 1.1 * fits;
        s.contacts.surface.sewing = sewing;
        place(&s, hed_vec3(0, y, 0), hed_vec3(0, 0.5, 0.1), hed_vec3(0, 0.5, -0.1));
        find(&s, 0.0, 0.01);
        int count = 0;
        double lift = 0.0;
        for (int32_t i = 0; i < s.contacts.list.count; ++i) {
            const HedContact* c = &s.contacts.list.data[i];
            bool is_up = c->kind == HED_CONTACT_POINT && c->normal.y > 0.9;
            count += is_up;
            lift = is_up ? c->offset - c->distance : lift;
        }
        cr_expect_eq(count, k == 0 ? 1 : 0, "%d", count);
        // Distances of millimetres to places of 1 m: 1e-16, over sin(a).
        cr_expect_float_eq(lift, k == 0 ? fits - y : 0.0, 1e-14);
    }
    // What is not sewn went in by itself and stays.
    s.contacts.surface.sewing = NULL;
    place(&s, hed_vec3(0, 2e-3, 0), hed_vec3(0, 0.5, 0.1), hed_vec3(0, 0.5, -0.1));
    find(&s, 0.0, 0.01);
    for (int32_t i = 0; i < s.contacts.list.count; ++i) {
        cr_expect_lt(s.contacts.list.data[i].normal.y, 0.9);
    }
    free_scene(&s);
}

Test(contacts, no_bodies) {
    HedContacts contacts;
    HedSurface surface = {.point_count = 3};
    HedAllocStats before = hed_alloc_stats();
    cr_assert_eq(hed_contacts_create(&contacts, NULL, 0, surface, NULL, NULL), HED_OK);
    HedVec3 x[3] = {ZERO, ZERO, ZERO};
    cr_expect_eq(hed_contacts_find(&contacts, x, x, 0.0, 0.1, NULL), HED_OK);
    cr_expect_eq(contacts.list.count, 0);
    cr_expect_eq(hed_contacts_depth(&contacts), 0.0);
    hed_contacts_free(&contacts);
    cr_expect_eq(hed_alloc_stats().call_count, before.call_count);
}
