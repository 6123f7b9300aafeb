// SPDX-License-Identifier: MIT
// label: slow
//
// Sheets on bodies of every shape: nothing passes through, corners and small balls are felt.
#include "base/alloc.h"
#include "geom/closest.h"
#include "geom/shape_mesh.h"
#include "math/quat.h"
#include "sim/internal.h"
#include "support/rig.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static const double HALF_THICKNESS = 0.5e-3; // m

static const HedIntegrator KINDS[3] = {HED_IMPLICIT_EULER, HED_SYMPLECTIC_EULER, HED_XPBD};
static const double STEPS[3] = {1.0 / 300.0, 2e-4, 1.0 / 300.0}; // s

static const char* const SHAPE_NAME[HED_SHAPE_COUNT] = {"plane",    "sphere", "box", "capsule",
                                                        "cylinder", "torus",  "mesh"};

// Bodies about 0.1 m in size around the origin; the mesh is that of an icosphere-like ball.
static HedBodyDef make_body(HedShape shape, HedMesh* mesh) {
    HedBodyDef def = hed_body_def_default();
    def.shape = shape;
    def.radius = shape == HED_TORUS ? 0.06 : 0.05;
    def.minor_radius = 0.02;
    def.half_length = 0.05;
    def.half_size = hed_vec3(0.05, 0.05, 0.05);
    if (shape == HED_MESH) {
        HedFieldDef ball = {.shape = HED_BOX, .half_size = {0.05, 0.04, 0.06}};
        cr_assert_eq(hed_shape_mesh_create(&ball, 1.0, mesh, NULL), HED_OK);
        def.vertices = mesh->vertices;
        def.vertex_count = mesh->vertex_count;
        def.triangles = mesh->triangles;
        def.triangle_count = mesh->triangle_count;
    }
    return def;
}

// Least signed distance from the body over points of all triangles, `cuts` to an edge, m.
static double least_distance(const HedSim* sim, int cuts) {
    HedBodyMotion motion = hed_body_motion(&sim->bodies.data[0], hed_sim_time(sim));
    double least = HUGE_VAL;
    for (int32_t t = 0; t < sim->triangles.count / 3; ++t) {
        const int32_t* p = sim->triangles.data + 3 * t;
        for (int i = 0; i <= cuts; ++i) {
            for (int j = 0; i + j <= cuts; ++j) {
                double a = (double)i / cuts;
                double b = (double)j / cuts;
                HedVec3 x = hed_mul3(1.0 - a - b, sim->x.data[p[0]]);
                x = hed_madd3(hed_madd3(x, a, sim->x.data[p[1]]), b, sim->x.data[p[2]]);
                least = fmin(least, hed_body_sample(&sim->bodies.data[0], &motion, x).distance);
            }
        }
    }
    return least;
}

typedef struct Drop {
    double least_point; // m, least distance of a vertex from the body over the whole run
    double least_face;  // m, of the surface
    double last_face;   // m, at the end
    double fastest;     // m/s
    double height;      // m, of the centre of mass at the end
} Drop;

static Drop drop_on(HedShape shape, int kind) {
    HedMesh body_mesh = {0};
    HedBodyDef body = make_body(shape, &body_mesh);
    double top = shape == HED_CAPSULE ? 0.1 : shape == HED_TORUS ? 0.02 : 0.05;
    Mesh mesh = mesh_grid(11, 11, hed_vec3(-0.1, top + 0.02, -0.1), hed_vec3(0.2, 0.0, 0.0),
                          hed_vec3(0.0, 0.0, 0.2));
    HedSimDef def = hed_sim_def_default();
    def.integrator = KINDS[kind];
    def.time_step = STEPS[kind];
    def.thread_count = 1;
    def.drag = 1.0;
    HedSheetDef sheet_def = mesh_sheet(&mesh);
    sheet_def.stretch = 100.0;
    sheet_def.shear = 20.0;
    sheet_def.bend_rigidity = 2e-5;
    sheet_def.damping = 2e-4;
    HedSim* sim = rig_sim(&def);
    HedSheetId sheet = rig_sheet(sim, &sheet_def);
    rig_body(sim, &body);
    Drop drop = {HUGE_VAL, HUGE_VAL, HUGE_VAL, 0.0, 0.0};
    int steps = (int)(0.25 / STEPS[kind] + 0.5);
    int often = kind == 1 ? 50 : 3;
    for (int k = 0; k < steps; ++k) {
        rig_step(sim);
        if (k % often == 0 || k + 1 == steps) {
            drop.last_face = least_distance(sim, 4);
            drop.least_point = fmin(drop.least_point, least_distance(sim, 1));
            drop.least_face = fmin(drop.least_face, drop.last_face);
            drop.fastest = fmax(drop.fastest, rig_fastest(sim, sheet));
        }
    }
    drop.height = rig_momentum(sim).centre.y;
    hed_sim_destroy(sim);
    mesh_free(&mesh);
    hed_free(body_mesh.vertices);
    hed_free(body_mesh.triangles);
    return drop;
}

// Falls of 2 or 3 cm (0.8 m/s at most). Vertices keep half the thickness but for the depth of the
// penalty, v sqrt(density/stiffness) = 0.2 mm, or the filter's nothing. The surface between them
// keeps outside too: implicit steps look for it again at their ends, filters in rounds.
// Without energy from contacts no point gets faster than the fall from the highest place to the
// lowest, sqrt(2 g 0.2 m) = 2 m/s, and somewhat more at whipping corners.
Test(shapes, a_sheet_falls_on_every_shape) {
    for (int shape = HED_SPHERE; shape < HED_SHAPE_COUNT; ++shape) {
        for (int kind = 0; kind < 3; ++kind) {
            Drop drop = drop_on((HedShape)shape, kind);
            printf("%s, %s: vertices %.2e, surface %.2e, at the end %.2e m; %.2f m/s\n",
                   SHAPE_NAME[shape], hed_integrator_name(KINDS[kind]), drop.least_point,
                   drop.least_face, drop.last_face, drop.fastest);
            cr_expect(drop.least_point > HALF_THICKNESS - 0.25e-3, "%s, %s", SHAPE_NAME[shape],
                      hed_integrator_name(KINDS[kind]));
            cr_expect(drop.least_face > 0.0, "%s, %s", SHAPE_NAME[shape],
                      hed_integrator_name(KINDS[kind]));
            cr_expect(drop.fastest < 3.0);
        }
    }
}

// Height of the sheet above the place (x, z).
static double height_at(const HedSim* sim, double x, double z) {
    for (int32_t t = 0; t < sim->triangles.count / 3; ++t) {
        const int32_t* p = sim->triangles.data + 3 * t;
        HedVec3 a = sim->x.data[p[0]];
        HedVec3 ab = hed_sub3(sim->x.data[p[1]], a);
        HedVec3 ac = hed_sub3(sim->x.data[p[2]], a);
        double det = ab.x * ac.z - ab.z * ac.x;
        double u = ((x - a.x) * ac.z - (z - a.z) * ac.x) / det;
        double v = (ab.x * (z - a.z) - ab.z * (x - a.x)) / det;
        if (u >= 0.0 && v >= 0.0 && u + v <= 1.0) {
            return a.y + u * ab.y + v * ac.y;
        }
    }
    return HUGE_VAL;
}

// Distance from a point to the sheet.
static double distance_to(const HedSim* sim, HedVec3 p) {
    double least = HUGE_VAL;
    for (int32_t t = 0; t < sim->triangles.count / 3; ++t) {
        const int32_t* k = sim->triangles.data + 3 * t;
        HedClosestTriangle c =
            hed_closest_triangle(p, sim->x.data[k[0]], sim->x.data[k[1]], sim->x.data[k[2]]);
        least = fmin(least, c.distance_squared);
    }
    return sqrt(least);
}

typedef struct Poke {
    double least;  // m, least room between the body and the sheet, half the thickness if it is good
    double lifted; // m, height of the sheet over the body's top at the end
} Poke;

// A ball of 1 cm, or the corner of a box, rises by 5 cm at 0.1 m/s under the place (x, z) of a
// cloth of four cells of 0.2 m that is held at its corners. No vertex ever comes near the body.
static Poke poke(HedSimDef def, int kind, bool is_ball, double x, double z) {
    const double radius = 0.01;
    const double corner = is_ball ? radius : 0.03 * sqrt(3.0); // top above the body's origin
    HedQuat tilt = hed_quat_from_vector(hed_vec3(0.0, 0.0, acos(-1.0) / 4.0));
    HedQuat stand = hed_quat_from_vector(hed_vec3(atan(sqrt(0.5)), 0.0, 0.0));
    HedQuat turn = is_ball ? hed_quat_identity() : hed_quat_mul(stand, tilt);
    HedKeyframe keys[2] = {{0.0, {{x, -corner - 0.002, z}, turn}},
                           {0.5, {{x, -corner - 0.002 + 0.05, z}, turn}}};
    HedBodyDef body = hed_body_def_default();
    body.shape = is_ball ? HED_SPHERE : HED_BOX;
    body.radius = radius;
    body.half_size = hed_vec3(0.03, 0.03, 0.03);
    body.keyframes = keys;
    body.keyframe_count = 2;
    Mesh mesh = mesh_grid(3, 3, hed_vec3(-0.2, 0.0, -0.2), hed_vec3(0.4, 0.0, 0.0),
                          hed_vec3(0.0, 0.0, 0.4));
    def.integrator = KINDS[kind];
    def.time_step = kind == 1 ? 5e-4 : STEPS[kind];
    def.thread_count = 1;
    HedSheetDef sheet_def = mesh_sheet(&mesh);
    sheet_def.stretch = 50.0;
    HedSim* sim = rig_sim(&def);
    HedSheetId sheet = rig_sheet(sim, &sheet_def);
    const int32_t held[4] = {0, 2, 6, 8};
    rig_pin(sim, sheet, held, 4);
    rig_body(sim, &body);
    Poke result = {HUGE_VAL, 0.0};
    for (int k = (int)(0.5 / def.time_step + 0.5); k > 0; --k) {
        rig_step(sim);
        HedPose pose = hed_body_pose(sim, (HedBodyId){1, sim->stamp});
        double room = is_ball ? distance_to(sim, pose.position) - radius
                              : height_at(sim, x, z) - pose.position.y - corner;
        result.least = fmin(result.least, room);
        result.lifted = height_at(sim, x, z) - pose.position.y - corner;
    }
    hed_sim_destroy(sim);
    mesh_free(&mesh);
    return result;
}

Test(shapes, small_things_between_vertices_are_felt) {
    static const struct {
        const char* name;
        double x, z;
    } PLACES[] = {{"middle of a face", -0.13, -0.07},
                  {"middle of an edge", -0.1, 0.0},
                  {"diagonal", -0.1, -0.1}};
    for (int p = 0; p < 3; ++p) {
        for (int shape = 0; shape < 2; ++shape) {
            for (int kind = 0; kind < 3; ++kind) {
                Poke found =
                    poke(hed_sim_def_default(), kind, shape == 0, PLACES[p].x, PLACES[p].z);
                printf("%s under the %s, %s: least room %.2e m, at the end %.2e m\n",
                       shape == 0 ? "ball" : "corner", PLACES[p].name,
                       hed_integrator_name(KINDS[kind]), found.least, found.lifted);
                // Half a millimetre is kept, but for the depth of the penalty and, at a sharp
                // corner, a step's motion of up to 0.3 mm.
                double bound = shape == 0 ? 0.25e-3 : 0.15e-3;
                cr_expect(found.least > bound, "%s, %s, %s: %.3g", shape == 0 ? "ball" : "corner",
                          PLACES[p].name, hed_integrator_name(KINDS[kind]), found.least);
                cr_expect(found.lifted > bound);
            }
        }
    }
}

// What a sharp corner meets is found well enough that it never gets inside, where the nearest way
// out is sideways, whatever way the solver takes to the end of a step. Of the 0.5 mm to keep, 0.3
// mm are a step's motion.
Test(shapes, corners_do_not_depend_on_the_solver) {
    static const HedPreconditionerKind KIND[] = {HED_PRECONDITION_JACOBI, HED_PRECONDITION_CHOLESKY,
                                                 HED_PRECONDITION_TWO_LEVEL};
    static const double TOLERANCE[][2] = {{1e-4, 1e-4}, {1e-4, 0.1}, {1e-8, 1e-10}};
    static const double PLACE[][2] = {{-0.1, 0.0}, {-0.1, 1e-3}, {-0.1, -0.02}, {-0.12, -0.03}};
    for (int k = 0; k < 9; ++k) {
        HedSimDef def = hed_sim_def_default();
        def.preconditioner = KIND[k / 3];
        def.newton_tolerance = TOLERANCE[k % 3][0];
        def.linear_tolerance = TOLERANCE[k % 3][1];
        double least = HUGE_VAL;
        for (size_t p = 0; p < sizeof PLACE / sizeof PLACE[0]; ++p) {
            least = fmin(least, poke(def, 0, false, PLACE[p][0], PLACE[p][1]).least);
        }
        printf("%s, %g m/s, %g: least room %.2e m\n", hed_preconditioner_name(def.preconditioner),
               def.newton_tolerance, def.linear_tolerance, least);
        // 0.5 mm less a step's 0.3 mm.
        cr_expect(least > 0.2e-3);
    }
}

// A sheet that stands 2 cm below a surface is brought out at no more than 0.1 m/s, in 0.2 s, and
// then lies on it: its kinetic energy is never above that of 0.1 m/s, and no hop is higher than
// v^2/2g = 0.5 mm.
Test(shapes, overlap_is_pushed_out_gently) {
    for (int kind = 0; kind < 3; ++kind) {
        Mesh mesh = mesh_grid(6, 6, hed_vec3(-0.05, -0.02, -0.05), hed_vec3(0.1, 0.0, 0.0),
                              hed_vec3(0.0, 0.0, 0.1));
        HedSimDef def = hed_sim_def_default();
        def.integrator = KINDS[kind];
        def.time_step = STEPS[kind];
        def.thread_count = 1;
        HedSheetDef sheet_def = mesh_sheet(&mesh);
        sheet_def.stretch = 50.0;
        sheet_def.damping = 2e-4;
        HedBodyDef body = hed_body_def_default();
        body.shape = HED_PLANE;
        body.overlap = HED_OVERLAP_PUSH;
        HedSim* sim = rig_sim(&def);
        HedSheetId sheet = rig_sheet(sim, &sheet_def);
        rig_body(sim, &body);
        double most = 0.0;
        double mass = 0.15 * 0.01;
        for (int k = (int)(0.5 / def.time_step); k > 0; --k) {
            rig_step(sim);
            double t = hed_sim_time(sim);
            HedVec3 centre = rig_momentum(sim).centre;
            // Half a millimetre of thickness is pushed out of as well.
            cr_assert(centre.y < -0.02 + 0.1 * t + 1e-6 || centre.y < 0.5e-3 + 0.5e-3 + 1e-6,
                      "%s: %.4g m at %.3f s", hed_integrator_name(KINDS[kind]), centre.y, t);
            most = fmax(most, hed_sim_energies(sim).kinetic / (0.5 * mass * 0.01));
        }
        double height = rig_momentum(sim).centre.y;
        printf("push, %s: ends at %.4g m, kinetic energy at most %.3f of that of 0.1 m/s\n",
               hed_integrator_name(KINDS[kind]), height, most);
        cr_expect(most < 1.05); // a start of steps that overshoot by a few percent
        // By penalty it lies density g/k = 4.905e-7 m deep; filters leave nothing.
        cr_expect(fabs(height - 0.5e-3) < 5e-7);
        // Implicit steps are solved to 1e-4 m/s.
        cr_expect(rig_fastest(sim, sheet) < 1e-4);
        mesh_free(&mesh);
        hed_sim_destroy(sim);
    }
}

// A sheet that cuts through a ball: points inside leave it on the shortest way, at 0.1 m/s. Without
// gravity all motion comes from the push; what the stretched cloth adds is of the same size.
Test(shapes, overlap_with_a_ball) {
    for (int kind = 0; kind < 3; ++kind) {
        Mesh mesh = mesh_grid(11, 11, hed_vec3(-0.1, 0.035, -0.1), hed_vec3(0.2, 0.0, 0.0),
                              hed_vec3(0.0, 0.0, 0.2));
        HedSimDef def = hed_sim_def_default();
        def.integrator = KINDS[kind];
        def.time_step = STEPS[kind];
        def.thread_count = 1;
        def.gravity = hed_vec3(0.0, 0.0, 0.0);
        HedSheetDef sheet_def = mesh_sheet(&mesh);
        sheet_def.stretch = 50.0;
        sheet_def.damping = 2e-4;
        HedBodyDef body = hed_body_def_default();
        body.radius = 0.05;
        body.overlap = HED_OVERLAP_PUSH;
        HedSim* sim = rig_sim(&def);
        HedSheetId sheet = rig_sheet(sim, &sheet_def);
        rig_body(sim, &body);
        double fastest = 0.0;
        for (int k = (int)(0.25 / def.time_step); k > 0; --k) {
            rig_step(sim);
            fastest = fmax(fastest, rig_fastest(sim, sheet));
        }
        double least = least_distance(sim, 4);
        printf("ball, %s: %.3f m/s, room at the end %.2e m\n", hed_integrator_name(KINDS[kind]),
               fastest, least);
        cr_expect(fastest < 0.5);
        cr_expect(least > 0.0); // 15 mm deep at the start, out after 0.155 s
        mesh_free(&mesh);
        hed_sim_destroy(sim);
    }
}

static void check_refused(const char* what, HedVec3 origin, double size, const char* depth) {
    Mesh mesh = mesh_grid(2, 2, origin, hed_vec3(size, 0.0, 0.0), hed_vec3(0.0, 0.0, size));
    HedSimDef def = hed_sim_def_default();
    HedSheetDef sheet_def = mesh_sheet(&mesh);
    sheet_def.name = "towel";
    HedBodyDef body = hed_body_def_default();
    body.name = "globe";
    body.radius = 0.1;
    HedSim* sim = rig_sim(&def);
    rig_sheet(sim, &sheet_def);
    rig_body(sim, &body);
    HedError error = {0};
    cr_expect_eq(hed_sim_prepare(sim, &error), HED_INVALID, "%s", what);
    printf("%s: %s\n", what, error.message);
    cr_expect(strstr(error.message, "'globe'") && strstr(error.message, "'towel'"));
    cr_expect(strstr(error.message, depth), "%s: depth %s", what, depth);
    cr_expect(strstr(error.message, "vertex"));
    cr_expect_eq(hed_sim_step(sim, NULL, &error), HED_INVALID, "and stays so");
    mesh_free(&mesh);
    hed_sim_destroy(sim);
}

Test(shapes, overlap_at_the_start_is_refused) {
    // Vertex (0.06, 0, 0) is 0.04 m inside a ball of 0.1 m; the others are outside.
    check_refused("vertex", hed_vec3(0.06, 0.0, 0.0), 0.2, "0.04 m");
    // The edge from (-0.2, 0.08, 0) to (0.2, 0.08, 0) is 0.02 m inside, its ends are not.
    check_refused("edge", hed_vec3(-0.2, 0.08, 0.0), 0.4, "0.02 m");
    // Only the middle of a face: the triangle (-0.3, -0.3) (-0.3, 0.3) (0.3, 0.3) of a square, with
    // the ball 0.1 m beside its diagonal.
    check_refused("face", hed_vec3(-0.2, 0.07, -0.4), 0.6, "0.03 m");
}
