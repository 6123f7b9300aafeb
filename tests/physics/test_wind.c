// SPDX-License-Identifier: MIT
// Air against flat plates, and the statistics of gusts.
#include "model/load/wind_term.h"
#include "support/rig.h"

#include <criterion/criterion.h>
#include <stdio.h>

static const double PI = 3.14159265358979323846;
static const HedVec3 ZERO = {0.0, 0.0, 0.0};

// A plate of 0.3 m x 0.2 m in the xz plane.
static Mesh plate(void) {
    return mesh_grid(7, 5, ZERO, hed_vec3(0.3, 0.0, 0.0), hed_vec3(0.0, 0.0, 0.2));
}

static HedSimDef no_gravity(HedIntegrator integrator, double h) {
    HedSimDef def = hed_sim_def_default();
    def.integrator = integrator;
    def.time_step = h;
    def.gravity = ZERO;
    def.thread_count = 1;
    def.newton_tolerance = 1e-12;
    def.linear_tolerance = 1e-12;
    return def;
}

// All points of the plate feel the same acceleration, as each has a third of the same triangles'
// mass and force; the plate keeps its shape and obeys dv/dt = k (U - v)^2, k = rho Cn/(2 density),
// so U - v = U/(1 + k U t).
static double plate_error(HedIntegrator integrator, int steps) {
    const double duration = 0.5;
    const double speed = 4.0;
    Mesh mesh = plate();
    HedSimDef def = no_gravity(integrator, duration / steps);
    HedSheetDef sheet_def = mesh_sheet(&mesh);
    sheet_def.stretch = 0.01; // rest is kept, so no force; soft, so that rounding stays small
    sheet_def.shear = 0.002;
    sheet_def.bend_rigidity = 1e-9;
    HedSim* sim = rig_sim(&def);
    HedSheetId sheet = rig_sheet(sim, &sheet_def);
    HedWindDef wind = hed_wind_def_default();
    wind.velocity = hed_vec3(0.0, speed, 0.0);
    rig_wind(sim, &wind);
    rig_run(sim, steps);
    double k = wind.density * wind.normal_drag / (2.0 * sheet_def.density);
    double exact = speed - speed / (1.0 + k * speed * duration);
    double error = 0.0;
    for (int32_t i = 0; i < mesh.vertex_count; ++i) {
        error = fmax(error, hed_distance3(rig_velocity(sim, sheet, i), hed_vec3(0.0, exact, 0.0)));
    }
    mesh_free(&mesh);
    hed_sim_destroy(sim);
    return error / exact;
}

Test(wind, a_free_plate_takes_the_speed_of_the_air) {
    static const struct {
        HedIntegrator integrator;
        int steps;
        double order;
    } CASES[] = {
        {HED_SYMPLECTIC_EULER, 200, 1.0}, {HED_VERLET, 100, 2.0}, {HED_RK4, 40, 4.0},
        {HED_IMPLICIT_EULER, 400, 1.0},   {HED_XPBD, 200, 1.0},
    };
    for (size_t c = 0; c < sizeof CASES / sizeof CASES[0]; ++c) {
        double size[3];
        double error[3];
        for (int k = 0; k < 3; ++k) {
            size[k] = 1.0 / (CASES[c].steps << k);
            error[k] = plate_error(CASES[c].integrator, CASES[c].steps << k);
        }
        double order = observed_order(size, error, 3);
        printf("plate, %s: %.2g %.2g %.2g, order %.2f\n", hed_integrator_name(CASES[c].integrator),
               error[0], error[1], error[2], order);
        cr_expect(fabs(order - CASES[c].order) < 0.15, "%s: order %.2f",
                  hed_integrator_name(CASES[c].integrator), order);
        cr_expect(error[2] < 5e-3); // of the speed, for the first-order ones
    }
}

typedef struct Held {
    HedSim* sim;
    HedSheetId sheet;
    HedPinId pin;
} Held;

static Held hold_plate(const HedWindDef* wind, uint64_t seed) {
    Mesh mesh = plate();
    HedSimDef def = no_gravity(HED_SYMPLECTIC_EULER, 0.01);
    def.seed = seed;
    HedSheetDef sheet_def = mesh_sheet(&mesh);
    int32_t all[35];
    for (int32_t k = 0; k < 35; ++k) {
        all[k] = k;
    }
    Held held = {.sim = rig_sim(&def)};
    held.sheet = rig_sheet(held.sim, &sheet_def);
    held.pin = rig_pin(held.sim, held.sheet, all, 35);
    rig_wind(held.sim, wind);
    rig_prepare(held.sim);
    mesh_free(&mesh);
    return held;
}

// On a held plate whose normal makes the angle a with the wind: F = 1/2 rho A U^2 (Cn cos^2 a along
// the normal + Ct sin^2 a along the surface). The pin pushes back.
Test(wind, force_on_a_held_plate) {
    const double speed = 5.0;
    const double area = 0.3 * 0.2;
    for (int step = 0; step <= 6; ++step) {
        double a = step * PI / 12.0;
        HedWindDef wind = hed_wind_def_default();
        wind.velocity = hed_vec3(speed * sin(a), speed * cos(a), 0.0);
        Held held = hold_plate(&wind, 1);
        HedVec3 f = rig_reaction(held.sim, held.sheet, held.pin);
        double half = 0.5 * wind.density * area * speed * speed; // 0.9 N
        HedVec3 expected = {-half * wind.tangent_drag * sin(a) * sin(a),
                            -half * wind.normal_drag * cos(a) * cos(a), 0.0};
        // A sum over some hundred triangles of forces of 1 N together, each rounded by 1e-16
        // of a few products.
        cr_expect(hed_distance3(f, expected) < 1e-14, "%g degrees: (%g, %g, %g), expected (%g, %g)",
                  a * 180.0 / PI, f.x, f.y, f.z, expected.x, expected.y);
        hed_sim_destroy(held.sim);
    }
}

static HedWindTerm gusty(double gust, double length, uint64_t seed) {
    HedWindTerm term = {.velocity = {3.0, 4.0, 0.0}, .gust = gust};
    hed_wind_term_gusts(&term, length, seed);
    return term;
}

// The waves have whole multiples of one frequency, so means over the period length/U are exact:
// mean U, deviation gust U. 1024 samples resolve the highest wave, 32 periods, twice over.
Test(wind, gusts_have_the_deviation_asked_for) {
    enum { SAMPLES = 1024 };
    const double length = 2.5;
    const double speed = 5.0;
    for (uint64_t seed = 1; seed <= 20; ++seed) {
        HedWindTerm term = gusty(0.25, length, seed);
        double sum = 0.0;
        double square = 0.0;
        double highest = 0.0;
        for (int k = 0; k < SAMPLES; ++k) {
            double t = k * length / speed / SAMPLES;
            HedVec3 u = hed_wind_velocity(&term, hed_vec3(0.3, -0.2, 0.7), t);
            double along = hed_dot3(u, term.velocity) / speed;
            // Gusts blow along the mean wind: products of speeds of 10 m/s are rounded by
            // 1e-15 m/s.
            cr_assert(fabs(hed_norm3(hed_cross3(u, term.velocity))) < 1e-13, "along the mean wind");
            sum += along;
            square += along * along;
            highest = fmax(highest, along);
        }
        double mean = sum / SAMPLES;
        double deviation = sqrt(square / SAMPLES - mean * mean);
        // 1024 sines, whose arguments of up to 500 rad are rounded by 6e-14, average out.
        cr_expect(fabs(mean - speed) < 1e-13 * speed);
        // The same of their squares.
        cr_expect(fabs(deviation - 0.25 * speed) < 1e-12 * speed, "deviation %.12g", deviation);
        // All six waves on top of each other: sqrt(2) sum a_k / sqrt(sum a_k^2) = 3.18 deviations.
        cr_expect(highest <= speed * (1.0 + 0.25 * 3.19));
    }
}

// Eddies travel with the air: what is here now was length U t upwind before.
Test(wind, gusts_travel_with_the_wind) {
    HedWindTerm term = gusty(0.4, 1.5, 3);
    for (int k = 0; k < 50; ++k) {
        double t = 0.037 * k;
        HedVec3 here = {0.1 * k, 0.2, -0.03 * k};
        HedVec3 before = hed_wind_velocity(&term, here, 0.0);
        HedVec3 after = hed_wind_velocity(&term, hed_madd3(here, t, term.velocity), t);
        cr_expect(hed_distance3(before, after) < 1e-11,
                  "rounding of phases up to 500 rad"); // 6e-14 each
    }
}

Test(wind, same_seed_same_gusts) {
    HedWindDef wind = hed_wind_def_default();
    wind.velocity = hed_vec3(1.0, 4.0, 0.0);
    wind.gust = 0.3;
    const uint64_t seeds[3] = {7, 7, 8};
    HedVec3 force[3];
    for (int k = 0; k < 3; ++k) {
        Held held = hold_plate(&wind, seeds[k]);
        rig_run(held.sim, 37);
        force[k] = rig_reaction(held.sim, held.sheet, held.pin);
        hed_sim_destroy(held.sim);
    }
    cr_expect(force[0].y == force[1].y && force[0].x == force[1].x && force[0].z == force[1].z);
    // Two seeds give other gusts, 0.3 of 0.9 N and more; equal ones would give the same bits.
    cr_expect(fabs(force[0].y - force[2].y) > 1e-6);
}
