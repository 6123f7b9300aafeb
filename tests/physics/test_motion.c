// SPDX-License-Identifier: MIT
// Free motion of sheets: momentum, fall, drag, and the balance of energy.
#include "base/random.h"
#include "support/rig.h"

#include <criterion/criterion.h>
#include <stdio.h>

static const HedVec3 ZERO = {0.0, 0.0, 0.0};

// A crumpled 8 x 8 cloth that moves, turns and vibrates: random displacements of a tenth of a cell
// and random velocities on top of a common one.
typedef struct Scene {
    HedSim* sim;
    HedSheetId sheet;
} Scene;

static Scene make_crumpled(const HedSimDef* def, double damping) {
    Mesh mesh = mesh_grid(8, 8, hed_vec3(0.3, 0.1, -0.2), hed_vec3(0.2, 0.0, 0.0),
                          hed_vec3(0.0, 0.05, 0.2));
    mesh_keep_rest(&mesh);
    for (int32_t k = 0; k < mesh.vertex_count; ++k) {
        HedVec3 shift = {hed_random_uniform(7, 1, 3 * (uint64_t)k) - 0.5,
                         hed_random_uniform(7, 1, 3 * (uint64_t)k + 1) - 0.5,
                         hed_random_uniform(7, 1, 3 * (uint64_t)k + 2) - 0.5};
        mesh.vertices[k] = hed_madd3(mesh.vertices[k], 0.005, shift);
    }
    HedSheetDef sheet = mesh_sheet(&mesh);
    sheet.damping = damping;
    sheet.bend_rigidity = 1e-4;
    Scene scene = {.sim = rig_sim(def)};
    scene.sheet = rig_sheet(scene.sim, &sheet);
    rig_prepare(scene.sim);
    for (int32_t k = 0; k < mesh.vertex_count; ++k) {
        HedVec3 x = mesh.vertices[k];
        HedVec3 v = hed_add3(hed_vec3(0.5, -0.2, 0.3), hed_cross3(hed_vec3(1.0, 2.0, -1.5), x));
        HedVec3 noise = {hed_random_uniform(7, 2, 3 * (uint64_t)k) - 0.5,
                         hed_random_uniform(7, 2, 3 * (uint64_t)k + 1) - 0.5,
                         hed_random_uniform(7, 2, 3 * (uint64_t)k + 2) - 0.5};
        rig_set_velocity(scene.sim, scene.sheet, k, hed_madd3(v, 0.3, noise));
    }
    mesh_free(&mesh);
    return scene;
}

static HedSimDef still_air(HedIntegrator integrator, double h) {
    HedSimDef def = hed_sim_def_default();
    def.integrator = integrator;
    def.time_step = h;
    def.gravity = ZERO;
    def.thread_count = 1;
    return def;
}

// A square of soft cloth without damping whose fastest mode (w^2 of about 8 S / (density l^2) =
// 4300 1/s^2) is stable with every explicit step used here, so that rounding is not amplified.
static HedSheetDef soft_sheet(const Mesh* mesh) {
    HedSheetDef def = mesh_sheet(mesh);
    def.stretch = 0.1;
    def.shear = 0.02;
    def.bend_rigidity = 1e-9;
    def.damping = 0.0;
    return def;
}

typedef struct Change {
    double linear;  // relative
    double angular; // relative
} Change;

static Change momentum_change(HedIntegrator integrator, double h, int steps, double damping) {
    HedSimDef def = still_air(integrator, h);
    def.newton_tolerance = 1e-11;
    def.linear_tolerance = 1e-10;
    Scene scene = make_crumpled(&def, damping);
    Momentum before = rig_momentum(scene.sim);
    rig_run(scene.sim, steps);
    Momentum after = rig_momentum(scene.sim);
    hed_sim_destroy(scene.sim);
    return (Change){hed_distance3(after.linear, before.linear) / hed_norm3(before.linear),
                    hed_distance3(after.angular, before.angular) / hed_norm3(before.angular)};
}

// Inner forces come in pairs, so every step keeps the linear momentum but for rounding. Methods
// that read velocities off positions round those, 1e-16 of 0.5 m over 2e-5 s, 3e-12 m/s in each of
// 500 steps: below 1e-10 of 0.6 m/s if the errors are not all of one sign.
Test(motion, linear_momentum_is_conserved) {
    for (int kind = 0; kind < HED_INTEGRATOR_COUNT; ++kind) {
        if (kind == HED_QUASI_STATIC) {
            continue; // has no velocities
        }
        // 2e-5 s: explicit Euler, which is unstable without damping, grows by less than 1 % here.
        Change change = momentum_change((HedIntegrator)kind, 2e-5, 500, 1e-3);
        printf("%s: linear %.2g, angular %.2g\n", hed_integrator_name((HedIntegrator)kind),
               change.linear, change.angular);
        // As above.
        cr_expect(change.linear < 1e-10, "%s: %.3g", hed_integrator_name((HedIntegrator)kind),
                  change.linear);
    }
}

// Symplectic Euler and Verlet keep the angular momentum exactly, as their forces act along the line
// between the points at one of the positions of the step.
Test(motion, angular_momentum_is_conserved) {
    for (int damped = 0; damped < 2; ++damped) {
        double damping = damped ? 1e-5 : 0.0; // s; 1e-4 s is stable up to about 1e-4
        Change symplectic = momentum_change(HED_SYMPLECTIC_EULER, 1e-4, 500, damping);
        Change verlet = momentum_change(HED_VERLET, 1e-4, 500, damping);
        // Each of 500 steps rounds places and speeds of some hundred points by 1e-16: 5e-12 if all
        // errors are of one sign.
        const double rounding = 1e-11;
        cr_expect(symplectic.angular < rounding, "symplectic: %.3g", symplectic.angular);
        cr_expect(verlet.angular < rounding, "Verlet: %.3g", verlet.angular);
    }
}

// RK4 keeps it to its order: sixteen times better for half the step.
Test(motion, angular_momentum_of_rk4_to_its_order) {
    double size[3];
    double error[3];
    for (int k = 0; k < 3; ++k) {
        size[k] = 2e-4 / (1 << k);
        error[k] = momentum_change(HED_RK4, size[k], 100 << k, 0.0).angular;
    }
    double order = observed_order(size, error, 3);
    printf("RK4: angular %.2g %.2g %.2g, order %.2f\n", error[0], error[1], error[2], order);
    // Five for a quadratic invariant of an oscillation: its amplification differs from 1 by
    // (h w)^6/144 a step. Anything from four on is the order of the method.
    cr_expect(order > 3.8);
}

// x = v t - g t^2/2. Verlet, RK4: exact for constant acceleration. Symplectic and implicit Euler
// move with the velocity at the end of each step, so they are ahead by exactly g t h/2; explicit
// Euler is behind by it.
Test(motion, free_fall) {
    const double h = 1.0 / 300.0;
    const int steps = 150;
    static const double AHEAD[HED_INTEGRATOR_COUNT] = {[HED_EXPLICIT_EULER] = -1.0,
                                                       [HED_SYMPLECTIC_EULER] = 1.0,
                                                       [HED_VERLET] = 0.0,
                                                       [HED_RK4] = 0.0,
                                                       [HED_IMPLICIT_EULER] = 1.0,
                                                       [HED_PBD] = 1.0,
                                                       [HED_XPBD] = 1.0};
    for (int kind = 0; kind < HED_INTEGRATOR_COUNT; ++kind) {
        if (kind == HED_QUASI_STATIC) {
            continue; // has no velocities
        }
        HedSimDef def = hed_sim_def_default();
        def.integrator = (HedIntegrator)kind;
        def.time_step = h;
        def.newton_tolerance = 1e-13;
        def.linear_tolerance = 1e-13;
        Mesh mesh = mesh_grid(5, 5, ZERO, hed_vec3(0.1, 0.0, 0.0), hed_vec3(0.0, 0.0, 0.1));
        HedSheetDef sheet_def = soft_sheet(&mesh);
        sheet_def.velocity = hed_vec3(1.0, 2.0, -0.5);
        HedSim* sim = rig_sim(&def);
        HedSheetId sheet = rig_sheet(sim, &sheet_def);
        rig_run(sim, steps);
        double t = hed_sim_time(sim);
        double fall = -0.5 * 9.81 * t * t - AHEAD[kind] * 0.5 * 9.81 * t * h;
        for (int32_t k = 0; k < mesh.vertex_count; ++k) {
            HedVec3 expected = hed_add3(mesh.vertices[k], hed_vec3(t, 2.0 * t + fall, -0.5 * t));
            double error = hed_distance3(rig_position(sim, sheet, k), expected);
            // Rounding of 150 steps, and what the implicit solver leaves: 0.5 s * 1e-13 m/s * 150.
            cr_assert(error < 1e-11, "%s: vertex %d is off by %.3g m",
                      hed_integrator_name((HedIntegrator)kind), k, error);
        }
        // As above, and gravity times 150 steps adds as many roundings of 5 m/s.
        cr_expect(fabs(rig_velocity(sim, sheet, 7).y - (2.0 - 9.81 * t)) < 1e-11);
        mesh_free(&mesh);
        hed_sim_destroy(sim);
    }
}

// With drag d alone v = v0 exp(-d t). What each method multiplies v by in a step is known: explicit
// ones 1 - h d, Verlet and midpoint 1 - h d + (h d)^2/2, RK4 the first five terms of exp(-h d),
// implicit Euler 1/(1 + h d), Newmark (1 - h d/2)/(1 + h d/2).
Test(motion, drag_slows_down) {
    const double h = 0.01;
    const double d = 3.0;
    const double hd = h * d;
    const double factor[HED_INTEGRATOR_COUNT] = {1.0 - hd,
                                                 1.0 - hd,
                                                 1.0 - hd + hd * hd / 2.0,
                                                 1.0 - hd + hd * hd / 2.0 - hd * hd * hd / 6.0 +
                                                     hd * hd * hd * hd / 24.0,
                                                 1.0 / (1.0 + hd),
                                                 1.0 - hd,
                                                 1.0 - hd,
                                                 (1.0 - hd / 2.0) / (1.0 + hd / 2.0),
                                                 exp(-hd),
                                                 1.0 - hd + hd * hd / 2.0};
    for (int kind = 0; kind < HED_INTEGRATOR_COUNT; ++kind) {
        if (kind == HED_QUASI_STATIC) {
            continue; // has no velocities
        }
        HedSimDef def = still_air((HedIntegrator)kind, h);
        def.drag = d;
        def.newton_tolerance = 1e-13;
        Mesh mesh = mesh_grid(4, 4, ZERO, hed_vec3(0.1, 0.0, 0.0), hed_vec3(0.0, 0.0, 0.1));
        HedSheetDef sheet_def = soft_sheet(&mesh);
        sheet_def.velocity = hed_vec3(0.0, 4.0, 0.0);
        HedSim* sim = rig_sim(&def);
        HedSheetId sheet = rig_sheet(sim, &sheet_def);
        rig_run(sim, 100);
        double expected = 4.0 * pow(factor[kind], 100);
        double found = rig_velocity(sim, sheet, 5).y;
        // Verlet weighs the force at the start with that at the predicted end, and carries the
        // latter: its factor holds up to the difference of both, (h d)^3/4 a step.
        // BDF2 has no single factor; its error is (h d)^3/3 a step.
        double tolerance = kind == HED_VERLET || kind == HED_BDF2 ? 100 * hd * hd * hd / 2.0 : 1e-9;
        cr_expect(fabs(found / expected - 1.0) < tolerance, "%s: %.10g, expected %.10g",
                  hed_integrator_name((HedIntegrator)kind), found, expected);
        printf("%s: %.8f m/s, exact solution %.8f\n", hed_integrator_name((HedIntegrator)kind),
               found, 4.0 * exp(-d));
        mesh_free(&mesh);
        hed_sim_destroy(sim);
    }
}

// Falling with drag ends at the speed g/d.
Test(motion, drag_limits_the_fall) {
    for (int kind = 0; kind < HED_INTEGRATOR_COUNT; ++kind) {
        if (kind == HED_QUASI_STATIC) {
            continue; // has no velocities
        }
        HedSimDef def = hed_sim_def_default();
        def.integrator = (HedIntegrator)kind;
        def.drag = 5.0;
        def.newton_tolerance = 1e-10;
        Mesh mesh = mesh_grid(4, 4, ZERO, hed_vec3(0.1, 0.0, 0.0), hed_vec3(0.0, 0.0, 0.1));
        HedSheetDef sheet_def = soft_sheet(&mesh);
        HedSim* sim = rig_sim(&def);
        HedSheetId sheet = rig_sheet(sim, &sheet_def);
        rig_run(sim, 1800); // 6 s, 30 times 1/d: exp(-30) = 1e-13
        double speed = rig_velocity(sim, sheet, 0).y;
        // Corrections are below newton_tolerance, and drag forgets those of earlier steps within
        // 1/d, which are 48 steps of 1/240 s: 5e-9 m/s.
        cr_expect(fabs(speed + 9.81 / 5.0) < 1e-8, "%s: %.12g",
                  hed_integrator_name((HedIntegrator)kind), speed);
        mesh_free(&mesh);
        hed_sim_destroy(sim);
    }
}

// How far the total energy strays from its start within 0.02 s, relative to the kinetic energy at
// the end, with damping, drag, gravity and wind all at work.
static double balance_error(HedIntegrator integrator, double h) {
    HedSimDef def = hed_sim_def_default();
    def.integrator = integrator;
    def.time_step = h;
    def.drag = 2.0;
    def.thread_count = 1;
    def.newton_tolerance = 1e-10;
    def.linear_tolerance = 1e-8;
    Mesh mesh = mesh_grid(8, 8, ZERO, hed_vec3(0.2, 0.0, 0.0), hed_vec3(0.0, 0.05, 0.2));
    mesh_keep_rest(&mesh);
    for (int32_t k = 0; k < mesh.vertex_count; ++k) {
        HedVec3 x = mesh.vertices[k];
        // Smooth waves, so that the order shows at steps of practical size.
        HedVec3 shift = {0.01 * sin(30.0 * x.z), 0.02 * cos(20.0 * x.x), 0.01 * sin(25.0 * x.x)};
        mesh.vertices[k] = hed_add3(x, shift);
    }
    HedSheetDef sheet = mesh_sheet(&mesh);
    sheet.stretch = 10.0; // fastest mode about 800 1/s: 16 rad in all
    sheet.shear = 2.0;
    sheet.bend_rigidity = 1e-5;
    HedSim* sim = rig_sim(&def);
    rig_sheet(sim, &sheet);
    HedWindDef wind = hed_wind_def_default();
    wind.velocity = hed_vec3(3.0, 2.0, 1.0);
    wind.gust = 0.3;
    rig_wind(sim, &wind);
    rig_prepare(sim);
    double start = hed_sim_energies(sim).total;
    double worst = 0.0;
    for (int64_t k = (int64_t)(0.02 / h + 0.5); k > 0; --k) {
        rig_step(sim);
        worst = fmax(worst, fabs(hed_sim_energies(sim).total - start));
    }
    HedEnergies end = hed_sim_energies(sim);
    cr_assert(end.dissipated > 0.05 * end.kinetic, "damping takes part");
    cr_assert(fabs(end.external) > 0.01 * end.kinetic, "wind takes part");
    mesh_free(&mesh);
    hed_sim_destroy(sim);
    return worst / end.kinetic;
}

static void check_balance(HedIntegrator integrator, double h, double order, double most) {
    double size[4];
    double error[4];
    printf("balance, %s:", hed_integrator_name(integrator));
    for (int k = 0; k < 4; ++k) {
        size[k] = h / (1 << k);
        error[k] = balance_error(integrator, size[k]);
        printf(" %.3g", error[k]);
    }
    double found = observed_order(size + 1, error + 1, 3);
    printf(", order %.2f\n", found);
    cr_expect(fabs(found - order) < 0.2, "%s: order %.2f, expected %g",
              hed_integrator_name(integrator), found, order);
    cr_expect(error[3] < most, "%s: %.3g", hed_integrator_name(integrator), error[3]);
}

Test(motion, energy_balance_closes_to_the_order_of_the_method) {
    check_balance(HED_EXPLICIT_EULER, 4e-5, 1.0, 1e-2);
    check_balance(HED_SYMPLECTIC_EULER, 1e-4, 1.0, 1e-2);
    check_balance(HED_VERLET, 1e-4, 2.0, 1e-4);
    check_balance(HED_RK4, 2e-4, 4.0, 1e-7);
    check_balance(HED_IMPLICIT_EULER, 2e-4, 1.0, 1e-1);
}
