// SPDX-License-Identifier: MIT
// Held points: they stand, follow keyframes, are let go of, and what moves them does work.
#include "math/quat.h"
#include "support/rig.h"

#include <criterion/criterion.h>
#include <stdio.h>

static const double PI = 3.14159265358979323846;
static const HedVec3 ZERO = {0.0, 0.0, 0.0};

// Drag keeps explicit Euler stable: it needs more than h w^2, w^2 = 1200 1/s^2 for waves of a cloth
// under its own weight (tension over density and cell size squared).
static HedSimDef common_def(HedIntegrator integrator, double h) {
    HedSimDef def = hed_sim_def_default();
    def.integrator = integrator;
    def.time_step = h;
    def.drag = 5.0;
    def.thread_count = 1;
    return def;
}

// Soft enough for every explicit step of 1/500 s: fastest mode about 8 S/(density l^2) = 1e5 1/s^2.
static HedSheetDef soft_sheet(const Mesh* mesh) {
    HedSheetDef def = mesh_sheet(mesh);
    def.stretch = 2.0;
    def.shear = 0.4;
    def.bend_rigidity = 1e-7;
    def.damping = 4e-3; // above h, as explicit Euler needs
    return def;
}

static Mesh flat_grid(void) {
    return mesh_grid(6, 6, hed_vec3(0.0, 1.0, 0.0), hed_vec3(0.2, 0.0, 0.0),
                     hed_vec3(0.0, 0.0, 0.2));
}

Test(held, a_pin_stands) {
    const int32_t held[3] = {0, 5, 14};
    for (int kind = 0; kind < HED_INTEGRATOR_COUNT; ++kind) {
        Mesh mesh = flat_grid();
        HedSimDef def = common_def((HedIntegrator)kind, 1.0 / 500.0);
        HedSheetDef sheet_def = soft_sheet(&mesh);
        sheet_def.velocity = hed_vec3(0.3, 0.0, 0.0); // held points do not get it
        HedSim* sim = rig_sim(&def);
        HedSheetId sheet = rig_sheet(sim, &sheet_def);
        rig_pin(sim, sheet, held, 3);
        rig_run(sim, 100);
        for (int k = 0; k < 3; ++k) {
            HedVec3 x = rig_position(sim, sheet, held[k]);
            HedVec3 start = mesh.vertices[held[k]];
            cr_expect(x.x == start.x && x.y == start.y && x.z == start.z, "%s moved",
                      hed_integrator_name((HedIntegrator)kind));
            cr_expect_eq(hed_norm3(rig_velocity(sim, sheet, held[k])), 0.0);
        }
        cr_expect(rig_position(sim, sheet, 35).y < 0.95, "the rest falls");
        mesh_free(&mesh);
        hed_sim_destroy(sim);
    }
}

// Between two keyframes the pose moves steadily: at the part s of the way, position s p and the
// turn s angle about the pivot.
Test(held, a_pin_follows_keyframes) {
    const int32_t held[2] = {0, 5};
    const double duration = 0.4;
    const double angle = 0.5 * PI;
    HedVec3 pivot = hed_vec3(0.1, 1.0, 0.0);
    HedQuat turn = hed_quat_from_vector(hed_vec3(0.0, angle, 0.0));
    HedKeyframe keys[2] = {{0.0, {ZERO, hed_quat_identity()}}, {duration, {{0.0, 0.2, 0.1}, turn}}};
    for (int kind = 0; kind < HED_INTEGRATOR_COUNT; ++kind) {
        Mesh mesh = flat_grid();
        HedSimDef def = common_def((HedIntegrator)kind, 1.0 / 500.0);
        HedSheetDef sheet_def = soft_sheet(&mesh);
        HedSim* sim = rig_sim(&def);
        HedPinDef pin = hed_pin_def_default();
        pin.sheet = rig_sheet(sim, &sheet_def);
        pin.vertices = held;
        pin.vertex_count = 2;
        pin.keyframes = keys;
        pin.keyframe_count = 2;
        pin.pivot = pivot;
        rig_pin_def(sim, &pin);
        for (int step = 0; step < 210; ++step) {
            rig_step(sim);
            double s = fmin(1.0, hed_sim_time(sim) / duration);
            bool moves = hed_sim_time(sim) < duration - 1e-9;
            double c = cos(s * angle);
            double n = sin(s * angle);
            for (int k = 0; k < 2; ++k) {
                HedVec3 arm = hed_sub3(mesh.vertices[held[k]], pivot);
                HedVec3 turned = {c * arm.x + n * arm.z, arm.y, c * arm.z - n * arm.x};
                HedVec3 way = hed_mul3(s, keys[1].pose.position);
                HedVec3 expected = hed_add3(hed_add3(pivot, way), turned);
                HedVec3 x = rig_position(sim, pin.sheet, held[k]);
                cr_assert(hed_distance3(x, expected) < 1e-13, "rounding only"); // of 1 m
                HedVec3 v = hed_cross3(hed_vec3(0.0, angle / duration, 0.0), turned);
                v = hed_madd3(v, 1.0 / duration, keys[1].pose.position);
                // Implicit steps take the velocity from positions: that of the chord, which is
                // (w h)^2/24 shorter than the arc's and lags by half a step: w h/2 of 0.4 m/s.
                double late = kind == HED_IMPLICIT_EULER ? 0.5 * (angle / duration) / 500.0 : 0.0;
                HedVec3 found = rig_velocity(sim, pin.sheet, held[k]);
                if (kind == HED_QUASI_STATIC) {
                    cr_assert_eq(hed_norm3(found), 0.0); // statics know no velocities
                } else {
                    // A few roundings of 1 m/s; the lag, of w times the arm of 0.1 m.
                    cr_assert(!moves || hed_distance3(found, v) < 1e-12 + 0.4 * late);
                }
            }
        }
        mesh_free(&mesh);
        hed_sim_destroy(sim);
    }
}

// A sheet held by all its vertices is carried at 1 m/s and let go of at t0: from there on it is
// thrown, x = x0 + (t - t0) v, y = -g (t - t0)^2/2 (-+ g (t - t0) h/2 for first-order methods).
Test(held, release_lets_fall) {
    const double h = 1.0 / 500.0;
    const double release = 0.1;
    static const double AHEAD[HED_INTEGRATOR_COUNT] = {[HED_EXPLICIT_EULER] = -1.0,
                                                       [HED_SYMPLECTIC_EULER] = 1.0,
                                                       [HED_VERLET] = 0.0,
                                                       [HED_RK4] = 0.0,
                                                       [HED_IMPLICIT_EULER] = 1.0,
                                                       [HED_PBD] = 1.0,
                                                       [HED_XPBD] = 1.0};
    HedKeyframe keys[2] = {{0.0, {ZERO, hed_quat_identity()}},
                           {1.0, {{1.0, 0.0, 0.0}, hed_quat_identity()}}};
    for (int kind = 0; kind < HED_INTEGRATOR_COUNT; ++kind) {
        if (kind == HED_QUASI_STATIC) {
            continue; // has no velocities
        }
        Mesh mesh = mesh_grid(3, 3, ZERO, hed_vec3(0.1, 0.0, 0.0), hed_vec3(0.0, 0.0, 0.1));
        int32_t all[9] = {0, 1, 2, 3, 4, 5, 6, 7, 8};
        HedSimDef def = common_def((HedIntegrator)kind, h);
        def.drag = 0.0;
        def.newton_tolerance = 1e-13;
        def.linear_tolerance = 1e-13;
        HedSheetDef sheet_def = soft_sheet(&mesh);
        HedSim* sim = rig_sim(&def);
        HedPinDef pin = hed_pin_def_default();
        pin.sheet = rig_sheet(sim, &sheet_def);
        pin.vertices = all;
        pin.vertex_count = 9;
        pin.keyframes = keys;
        pin.keyframe_count = 2;
        pin.release_time = release;
        rig_pin_def(sim, &pin);
        rig_run(sim, 50);
        // It was carried along x alone.
        cr_expect(fabs(rig_position(sim, pin.sheet, 4).y) < 1e-15, "held until 0.1 s");
        rig_run(sim, 100);
        double t = 100 * h;
        double fall = -0.5 * 9.81 * t * t - AHEAD[kind] * 0.5 * 9.81 * t * h;
        HedVec3 expected = hed_add3(mesh.vertices[4], hed_vec3(release + t, fall, 0.0));
        double error = hed_distance3(rig_position(sim, pin.sheet, 4), expected);
        // Rounding; velocities read off positions are rounded to 1e-16/h, times 0.2 s.
        cr_expect(error < 1e-11, "%s: %.3g", hed_integrator_name((HedIntegrator)kind), error);
        mesh_free(&mesh);
        hed_sim_destroy(sim);
    }
}

// A cloth is pulled at one side, first slowly and from the middle of the time on fast, so that the
// held points themselves gain kinetic energy. kinks: 0 for a steady pull.
static double work_error(HedIntegrator integrator, double h, bool has_kink) {
    const double duration = 0.032;
    HedSimDef def = common_def(integrator, h);
    def.newton_tolerance = 1e-10;
    def.linear_tolerance = 1e-9;
    Mesh mesh = flat_grid();
    HedSheetDef sheet_def = soft_sheet(&mesh);
    sheet_def.stretch = 20.0;
    sheet_def.damping = 1e-4;
    HedSim* sim = rig_sim(&def);
    HedPinDef pin = hed_pin_def_default();
    const int32_t held[6] = {0, 1, 2, 3, 4, 5};
    HedKeyframe keys[3] = {{0.0, {ZERO, hed_quat_identity()}},
                           {0.5 * duration, {{0.0, 0.004, -0.008}, hed_quat_identity()}},
                           {2.0 * duration, {{0.0, 0.012, -0.024}, hed_quat_identity()}}};
    double fast = has_kink ? 4.0 : 1.0;
    keys[2].pose.position = hed_mul3(1.0 + 3.0 * fast, keys[1].pose.position);
    pin.sheet = rig_sheet(sim, &sheet_def);
    pin.vertices = held;
    pin.vertex_count = 6;
    pin.keyframes = keys;
    pin.keyframe_count = 3;
    rig_pin_def(sim, &pin);
    rig_prepare(sim);
    double start = hed_sim_energies(sim).total;
    double worst = 0.0;
    for (int64_t k = (int64_t)(duration / h + 0.5); k > 0; --k) {
        rig_step(sim);
        worst = fmax(worst, fabs(hed_sim_energies(sim).total - start));
    }
    double external = hed_sim_energies(sim).external;
    cr_assert(external > 0.0);
    mesh_free(&mesh);
    hed_sim_destroy(sim);
    return worst / external;
}

static void check_work(HedIntegrator integrator, double h, double steady, double kinked) {
    for (int has_kink = 0; has_kink < 2; ++has_kink) {
        double size[4];
        double error[4];
        double order = has_kink ? kinked : steady;
        printf("%s pull, %s:", has_kink ? "kinked" : "steady", hed_integrator_name(integrator));
        for (int k = 0; k < 4; ++k) {
            size[k] = h / (1 << k);
            error[k] = work_error(integrator, size[k], has_kink != 0);
            printf(" %.3g", error[k]);
        }
        double found = observed_order(size + 1, error + 1, 3);
        printf(", order %.2f\n", found);
        cr_expect(found > order - 0.2, "%s, kink %d: order %.2f, expected %g",
                  hed_integrator_name(integrator), has_kink, found, order);
    }
}

// The error of the balance falls with the order of the method; a sudden change of the pins'
// velocity leaves first order, as the damping forces jump within a step.
Test(held, work_of_moving_pins) {
    check_work(HED_EXPLICIT_EULER, 1e-4, 1.0, 1.0);
    check_work(HED_SYMPLECTIC_EULER, 1e-4, 1.0, 1.0);
    check_work(HED_VERLET, 2e-4, 2.0, 1.0);
    check_work(HED_RK4, 8e-4, 4.0, 1.0);
    check_work(HED_IMPLICIT_EULER, 2e-4, 1.0, 1.0);
}
