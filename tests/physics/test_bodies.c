// SPDX-License-Identifier: MIT
// Sheets on planes: weight, friction, and planes that move.
#include "math/quat.h"
#include "sim/internal.h"
#include "support/rig.h"

#include <criterion/criterion.h>
#include <stdio.h>

static const double G = 9.81;
static const double STICK_SPEED = 1e-3; // m/s, of contact/penalty.c

typedef struct Scene {
    HedSim* sim;
    HedSheetId sheet;
    int32_t vertex_count;
} Scene;

typedef struct Slope {
    HedIntegrator integrator;
    double angle;    // rad, of the plane; gravity is turned instead
    double friction; // of the plane
    HedVec3 motion;  // m/s, of the plane
} Slope;

// A stiff square that lies on the plane, just touching it.
static Scene make_slope(const Slope* slope) {
    Mesh mesh = mesh_grid(6, 6, hed_vec3(-0.05, 0.5e-3, -0.05), hed_vec3(0.1, 0.0, 0.0),
                          hed_vec3(0.0, 0.0, 0.1));
    HedSimDef def = hed_sim_def_default();
    def.integrator = slope->integrator;
    bool is_long = slope->integrator == HED_IMPLICIT_EULER || slope->integrator == HED_XPBD;
    def.time_step = is_long ? 1.0 / 500.0 : 1e-4;
    def.gravity = hed_vec3(G * sin(slope->angle), -G * cos(slope->angle), 0.0);
    def.thread_count = 1;
    def.newton_tolerance = 1e-7;
    def.linear_tolerance = 1e-6;
    HedSheetDef sheet_def = mesh_sheet(&mesh);
    sheet_def.damping = 1e-4; // stable with 1e-4 s
    HedKeyframe keys[2] = {{0.0, {{0.0, 0.0, 0.0}, hed_quat_identity()}},
                           {10.0, {hed_mul3(10.0, slope->motion), hed_quat_identity()}}};
    HedBodyDef body = hed_body_def_default();
    body.shape = HED_PLANE;
    body.friction = slope->friction;
    body.keyframes = keys;
    body.keyframe_count = 2;
    Scene scene = {.sim = rig_sim(&def), .vertex_count = mesh.vertex_count};
    scene.sheet = rig_sheet(scene.sim, &sheet_def);
    rig_body(scene.sim, &body);
    mesh_free(&mesh);
    return scene;
}

static HedVec3 mean_velocity(const Scene* scene) {
    Momentum m = rig_momentum(scene->sim);
    return hed_mul3(1.0 / m.mass, m.linear);
}

static HedVec3 run_for(const Scene* scene, double duration) {
    rig_run(scene->sim, (int64_t)(duration / hed_sim_def(scene->sim)->time_step + 0.5));
    return mean_velocity(scene);
}

// At rest every point is pushed by its weight: the penalty, stiffness k per area, is in balance at
// the depth density g / k everywhere, and the sum of all pushes is the weight.
Test(bodies, a_sheet_at_rest) {
    Slope slope = {.integrator = HED_IMPLICIT_EULER, .friction = 0.3};
    Scene scene = make_slope(&slope);
    HedStepReport report = {0};
    for (int k = 0; k < 1000; ++k) {
        report = rig_step(scene.sim);
    }
    double stiffness = hed_body_def_default().stiffness;
    double depth = hed_sheet_def_default().density * G / stiffness;
    double push = 0.0;
    for (int32_t k = 0; k < scene.sim->contacts.list.count; ++k) {
        const HedContact* c = &scene.sim->contacts.list.data[k];
        push += c->stiffness * fmax(0.0, c->offset - c->distance);
    }
    double weight = hed_sheet_def_default().density * 0.01 * G;
    printf("depth %.6g m, theory %.6g; push %.6g N, weight %.6g\n", report.penetration, depth, push,
           weight);
    // The solver stops at corrections of 1e-7 m/s, which leave 2e-10 m of 5e-7 m.
    cr_expect(fabs(report.penetration / depth - 1.0) < 1e-3);
    // As the depth.
    cr_expect(fabs(push / weight - 1.0) < 1e-3);
    cr_expect_eq(report.contact_count, scene.vertex_count);
    hed_sim_destroy(scene.sim);
    // Steps that filter keep the sheet at half its thickness.
    const HedIntegrator kinds[] = {HED_SYMPLECTIC_EULER, HED_VERLET, HED_RK4, HED_PBD, HED_XPBD};
    for (int k = 0; k < 5; ++k) {
        slope.integrator = kinds[k];
        scene = make_slope(&slope);
        run_for(&scene, 0.1);
        for (int32_t i = 0; i < scene.vertex_count; ++i) {
            double height = rig_position(scene.sim, scene.sheet, i).y;
            // The filter puts them there: roundings of half a millimetre.
            cr_expect(fabs(height - 0.5e-3) < 1e-15, "%s: %.12g", hed_integrator_name(kinds[k]),
                      height);
        }
        hed_sim_destroy(scene.sim);
    }
}

// tan(35 degrees) = 0.70 > 0.4: it slides with g (sin - 0.4 cos) = 2.41 m/s^2.
Test(bodies, sliding) {
    const double angle = 35.0 * acos(-1.0) / 180.0;
    const double expected = G * (sin(angle) - 0.4 * cos(angle));
    const HedIntegrator kinds[] = {HED_IMPLICIT_EULER, HED_SYMPLECTIC_EULER, HED_VERLET, HED_RK4,
                                   HED_XPBD};
    for (int k = 0; k < 5; ++k) {
        Slope slope = {.integrator = kinds[k], .angle = angle, .friction = 0.4};
        Scene scene = make_slope(&slope);
        double early = run_for(&scene, 0.1).x;
        double late = run_for(&scene, 0.2).x;
        double found = (late - early) / 0.2;
        printf("%s: slides at %.6f m/s^2, theory %.6f\n", hed_integrator_name(kinds[k]), found,
               expected);
        // Implicit steps know the normal force to 1e-7 m/s / h of g; the others stop each point's
        // approach of exactly g cos h.
        cr_expect(fabs(found / expected - 1.0) < 1e-3, "%s: %.6g", hed_integrator_name(kinds[k]),
                  found);
        hed_sim_destroy(scene.sim);
    }
}

// tan(20 degrees) = 0.364 < 0.5: it stays. The smooth start of friction, mu N s/e below the speed
// e, lets it creep at exactly e tan/mu in implicit steps; the filter stops it altogether.
Test(bodies, sticking) {
    const double angle = 20.0 * acos(-1.0) / 180.0;
    const HedIntegrator kinds[] = {HED_IMPLICIT_EULER, HED_SYMPLECTIC_EULER, HED_VERLET, HED_RK4,
                                   HED_XPBD};
    for (int k = 0; k < 5; ++k) {
        Slope slope = {.integrator = kinds[k], .angle = angle, .friction = 0.5};
        Scene scene = make_slope(&slope);
        double speed = run_for(&scene, 0.3).x;
        double creep = kinds[k] == HED_IMPLICIT_EULER ? STICK_SPEED * tan(angle) / 0.5 : 0.0;
        printf("%s: creeps at %.3g m/s, theory %.3g\n", hed_integrator_name(kinds[k]), speed,
               creep);
        // Implicit steps are solved to 1e-7 m/s; filters stop it.
        cr_expect(fabs(speed - creep) < 1e-7, "%s: %.3g", hed_integrator_name(kinds[k]), speed);
        hed_sim_destroy(scene.sim);
    }
}

// A plane that moves sideways at 0.2 m/s takes the sheet along: after 0.2/(0.4 g) = 0.05 s of
// sliding both are equally fast.
Test(bodies, a_moving_plane_carries) {
    const HedIntegrator kinds[] = {HED_IMPLICIT_EULER, HED_SYMPLECTIC_EULER, HED_XPBD};
    for (int k = 0; k < 3; ++k) {
        Slope slope = {.integrator = kinds[k], .friction = 0.4, .motion = {0.2, 0.0, 0.0}};
        Scene scene = make_slope(&slope);
        double sliding = run_for(&scene, 0.03).x;
        double carried = run_for(&scene, 0.2).x;
        printf("%s: %.4f m/s at 0.03 s (theory %.4f), %.6f at 0.23 s\n",
               hed_integrator_name(kinds[k]), sliding, 0.03 * 0.4 * G, carried);
        // The first implicit steps have no normal force yet: two of them may be lost.
        cr_expect(fabs(sliding - 0.03 * 0.4 * G) < 2.0 * 0.4 * G / 500.0);
        // Slip fades within e/(mu g) = 0.3 ms; steps are solved to 1e-7 m/s.
        cr_expect(fabs(carried - 0.2) < 1e-7);
        hed_sim_destroy(scene.sim);
    }
}

// A plane that rises at 0.3 m/s lifts the sheet at that speed; friction is still that of the
// weight, so a sheet that slides on it does so with g (sin - mu cos). The same for a plane that
// sinks.
Test(bodies, friction_on_a_plane_that_rises_or_sinks) {
    const double angle = 35.0 * acos(-1.0) / 180.0;
    const double expected = G * (sin(angle) - 0.4 * cos(angle));
    const HedIntegrator kinds[] = {HED_IMPLICIT_EULER, HED_SYMPLECTIC_EULER, HED_XPBD};
    for (int k = 0; k < 6; ++k) {
        double rise = k < 3 ? 0.3 : -0.3;
        Slope slope = {.integrator = kinds[k % 3],
                       .angle = angle,
                       .friction = 0.4,
                       .motion = {0.0, rise, 0.0}};
        Scene scene = make_slope(&slope);
        // A sinking plane leaves the sheet behind until it has fallen to the same speed: 0.04 s,
        // and then it meets the plane at 0.3 m/s.
        HedVec3 early = run_for(&scene, 0.25);
        HedVec3 late = run_for(&scene, 0.2);
        double found = (late.x - early.x) / 0.2;
        printf("%s, %+.1f m/s: slides at %.4f m/s^2, theory %.4f; rises at %.5f m/s\n",
               hed_integrator_name(kinds[k % 3]), rise, found, expected, late.y);
        // Velocities to 1e-7 m/s, 0.2 s apart: 1e-6 m/s^2.
        cr_expect(fabs(found / expected - 1.0) < 1e-6);
        // As steps are solved.
        cr_expect(fabs(late.y - rise) < 1e-7);
        hed_sim_destroy(scene.sim);
    }
}
