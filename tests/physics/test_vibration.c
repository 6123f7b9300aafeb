// SPDX-License-Identifier: MIT
// Free vibration: a clamped strip, a plate on supports and a stretched membrane, each let go in the
// shape of one of its modes. The frequency is fitted to the motion of one point. Sources: Euler's
// beam (clamped-free), Navier's plate, the wave equation.
#include "heddle/fit.h"
#include "support/rig.h"

#include <criterion/criterion.h>
#include <stdio.h>

static const double PI = 3.14159265358979323846;

enum { PERIODS = 2, MOST_SAMPLES = 512 };

// Newmark's method with mean acceleration slows a motion of angular frequency w to the one with
// tan(w' h/2) = w h/2; this gives back w.
static double undo_newmark(double measured, double h) {
    return 2.0 / h * tan(0.5 * measured * h);
}

static HedSimDef motion(double frequency, int32_t steps) {
    HedSimDef def = hed_sim_def_default();
    def.integrator = HED_NEWMARK;
    def.gravity = (HedVec3){0};
    def.time_step = 2.0 * PI / frequency / steps;
    def.newton_tolerance = 1e-4 * 1e-6 * frequency; // of the speed of a motion of 1e-6 m
    def.linear_tolerance = 1e-6;
    def.linear_iterations = 20000;
    def.thread_count = 1;
    return def;
}

// Follows a vertex for two periods and returns its angular frequency, as stepped.
static double follow(HedSim* sim, HedSheetId sheet, int32_t vertex, int32_t steps) {
    static double time[MOST_SAMPLES];
    static double height[MOST_SAMPLES];
    int32_t count = PERIODS * steps;
    cr_assert(count < MOST_SAMPLES);
    rig_prepare(sim);
    double energy = hed_sim_energies(sim).total;
    for (int32_t k = 0; k <= count; ++k) {
        time[k] = hed_sim_time(sim);
        height[k] = rig_position(sim, sheet, vertex).y;
        rig_step(sim);
    }
    HedDecay decay;
    cr_assert_eq(hed_fit_decay(time, height, count + 1, HED_DECAY_SWING, &decay, NULL), HED_OK);
    cr_assert_eq(decay.kind, HED_DECAY_OSCILLATION, "%s", decay.reason);
    // Nothing damps it, and the method keeps the energy of small motions but for its tolerances.
    double left = hed_sim_energies(sim).total / energy;
    // Some hundred steps, each solved to 1e-4 of the speed, err at random.
    cr_expect(fabs(left - 1.0) < 1e-3, "energy left: %.6f", left);
    return 2.0 * PI * decay.frequency.value;
}

// Shape of a clamped-free beam of length 1, k the root of cos k cosh k = -1.
static double beam_shape(double k, double s) {
    double ratio = (sinh(k) - sin(k)) / (cosh(k) + cos(k));
    return cosh(k * s) - cos(k * s) - ratio * (sinh(k * s) - sin(k * s));
}

static const double BEAM_ROOT[3] = {1.87510406871, 4.69409113297, 7.85475743824};

// Angular frequency of a strip over that of Euler's beam. Two columns are held, the clamp stands in
// the middle between them.
static double strip_frequency(int mode, int32_t cells, int32_t steps, bool undo) {
    const double length = 0.2, density = 0.2, rigidity = 1e-4, amplitude = 1e-6;
    double cell = length / (cells + 0.5);
    Mesh mesh = mesh_grid(cells + 2, 3, hed_vec3(-0.5 * cell, 0.0, 0.0),
                          hed_vec3((cells + 1) * cell, 0.0, 0.0), hed_vec3(0.0, 0.0, 2.0 * cell));
    mesh_keep_rest(&mesh);
    int32_t held[6];
    for (int32_t k = 0; k < mesh.vertex_count; ++k) {
        double s = mesh.rest[k].x / length;
        if (k % (cells + 2) < 2) {
            held[2 * (k / (cells + 2)) + k % (cells + 2)] = k;
        } else {
            mesh.vertices[k].y = 0.5 * amplitude * beam_shape(BEAM_ROOT[mode], s);
        }
    }
    HedSheetDef sheet_def = mesh_sheet(&mesh);
    sheet_def.model = HED_SHEET_MEMBRANE;
    sheet_def.bending = HED_BENDING_HINGES;
    sheet_def.density = density;
    sheet_def.poisson = 0.0;
    sheet_def.bend_rigidity = rigidity;
    sheet_def.damping = 0.0;
    double w = BEAM_ROOT[mode] * BEAM_ROOT[mode] * sqrt(rigidity / (density * pow(length, 4.0)));
    HedSimDef def = motion(w, steps);
    HedSim* sim = rig_sim(&def);
    HedSheetId sheet = rig_sheet(sim, &sheet_def);
    rig_pin(sim, sheet, held, 6);
    double measured = follow(sim, sheet, 2 * (cells + 2) - 1, steps);
    hed_sim_destroy(sim);
    mesh_free(&mesh);
    return (undo ? undo_newmark(measured, def.time_step) : measured) / w;
}

// 3.5160, 22.0345, 61.6972 times sqrt(D/(density L^4)).
Test(vibration, clamped_strip) {
    for (int mode = 0; mode < 3; ++mode) {
        double size[3], error[3];
        for (int k = 0; k < 3; ++k) {
            int32_t cells = 8 << k;
            size[k] = 1.0 / (cells + 0.5);
            error[k] = fabs(strip_frequency(mode, cells, 24, true) - 1.0);
        }
        double order = observed_order(size, error, 3);
        double root = BEAM_ROOT[mode];
        printf("clamped strip, %.4f: off by %.2e %.2e %.2e, order %.2f\n", root * root, error[0],
               error[1], error[2], order);
        cr_expect(fabs(order - 2.0) < 0.2, "mode %d: order %.2f", mode + 1, order);
        // A wave of wave number k on cells of length h is slow by about (k h)^2/12 and more at
        // ends.
        cr_expect(error[2] < pow(root * size[2], 2.0), "mode %d: %.2e", mode + 1, error[2]);
    }
}

// The method itself: steps alone, on one strip.
Test(vibration, order_in_time) {
    double size[3], error[3];
    double settled = strip_frequency(0, 8, 80, true);
    for (int k = 0; k < 3; ++k) {
        int32_t steps = 12 << k;
        size[k] = 1.0 / steps;
        error[k] = fabs(strip_frequency(0, 8, steps, false) / settled - 1.0);
        double expected = pow(2.0 * PI / steps, 2.0) / 12.0;
        cr_expect(fabs(error[k] / expected - 1.0) < 0.2, "%.3e, expected %.3e", error[k], expected);
    }
    double order = observed_order(size, error, 3);
    printf("Newmark: off by %.2e %.2e %.2e, order %.2f\n", error[0], error[1], error[2], order);
    cr_expect(fabs(order - 2.0) < 0.1, "order %.2f", order);
}

// A square of n cells a side, held all round, in the shape of mode (m, 1).
typedef struct Square {
    Mesh mesh;
    int32_t* rim;
    int32_t rim_count;
} Square;

static Square make_square(int32_t n, double side, int m, double amplitude) {
    Square square = {
        mesh_grid(n + 1, n + 1, (HedVec3){0}, hed_vec3(side, 0.0, 0.0), hed_vec3(0.0, 0.0, side)),
        calloc((size_t)(n + 1) * (size_t)(n + 1), sizeof(int32_t)), 0};
    cr_assert(square.rim);
    mesh_keep_rest(&square.mesh);
    for (int32_t k = 0; k < square.mesh.vertex_count; ++k) {
        int32_t column = k % (n + 1);
        int32_t row = k / (n + 1);
        if (column == 0 || row == 0 || column == n || row == n) {
            square.rim[square.rim_count++] = k;
        } else {
            square.mesh.vertices[k].y = amplitude * sin(m * PI * column / n) * sin(PI * row / n);
        }
    }
    return square;
}

static double square_frequency(Square* square, HedSheetDef def, double w, int32_t n) {
    enum { STEPS = 24 };
    HedSimDef sim_def = motion(w, STEPS);
    HedSim* sim = rig_sim(&sim_def);
    HedSheetId sheet = rig_sheet(sim, &def);
    rig_pin(sim, sheet, square->rim, square->rim_count);
    double measured = follow(sim, sheet, (n / 2) * (n + 1) + n / 4, STEPS);
    hed_sim_destroy(sim);
    mesh_free(&square->mesh);
    free(square->rim);
    return undo_newmark(measured, sim_def.time_step);
}

// A plate on supports: pi^2 (m^2 + 1)/a^2 sqrt(D/density), whatever Poisson's ratio.
Test(vibration, plate_on_supports) {
    const double side = 0.2, density = 0.2, rigidity = 1e-4;
    for (int m = 1; m <= 2; ++m) {
        double size[3], error[3];
        double w = PI * PI * (m * m + 1) / (side * side) * sqrt(rigidity / density);
        for (int k = 0; k < 3; ++k) {
            int32_t n = 8 + 4 * k;
            Square square = make_square(n, side, m, 1e-6);
            HedSheetDef def = mesh_sheet(&square.mesh);
            def.model = HED_SHEET_MEMBRANE;
            def.bending = HED_BENDING_HINGES;
            def.density = density;
            def.bend_rigidity = rigidity;
            def.damping = 0.0;
            size[k] = 1.0 / n;
            error[k] = square_frequency(&square, def, w, n) / w - 1.0;
        }
        printf("plate, mode (%d, 1): off by %.2e %.2e %.2e\n", m, error[0], error[1], error[2]);
        for (int k = 0; k < 3; ++k) {
            error[k] = fabs(error[k]);
        }
        double order = observed_order(size, error, 3);
        cr_expect(order > 1.8, "mode (%d, 1): order %.2f", m, order);
        cr_expect(error[2] < 0.02, "mode (%d, 1): %.2e", m, error[2]);
    }
}

// A membrane stretched by the factor f each way carries the stress (second Piola-Kirchhoff)
// S = stretch (f^2 - 1)/2 with Poisson's ratio 0; across its plane it swings as
//   density w'' = S (w,uu + w,vv)     in the coordinates at rest,
// at the frequency pi sqrt(S/density (m^2 + 1))/a. Right-angled triangles with masses at their
// corners make of this the five-point formula, whose frequencies are known, too:
//   w^2 = 4 S/(density h^2) (sin^2(m pi/2n) + sin^2(pi/2n)).
Test(vibration, stretched_membrane) {
    const double side = 0.2, density = 0.2, stretch = 200.0, factor = 1.05;
    double stress = stretch * 0.5 * (factor * factor - 1.0);
    for (int m = 1; m <= 2; ++m) {
        double size[3], error[3];
        double w = PI / side * sqrt(stress / density * (m * m + 1));
        for (int k = 0; k < 3; ++k) {
            int32_t n = 8 + 4 * k;
            Square square = make_square(n, side, m, 1e-6);
            for (int32_t i = 0; i < square.mesh.vertex_count; ++i) {
                square.mesh.vertices[i].x *= factor;
                square.mesh.vertices[i].z *= factor;
            }
            HedSheetDef def = mesh_sheet(&square.mesh);
            def.model = HED_SHEET_MEMBRANE;
            def.bending = HED_BENDING_NONE;
            def.density = density;
            def.stretch = stretch;
            def.poisson = 0.0;
            def.damping = 0.0;
            double cell = side / n;
            double measured = square_frequency(&square, def, w, n);
            double discrete = 2.0 / cell * sqrt(stress / density) *
                              hypot(sin(0.5 * m * PI / n), sin(0.5 * PI / n));
            // What is left is the fit and the square of slopes of 1e-5.
            cr_expect(fabs(measured / discrete - 1.0) < 1e-6, "%.3e", measured / discrete - 1.0);
            size[k] = 1.0 / n;
            error[k] = fabs(measured / w - 1.0);
        }
        double order = observed_order(size, error, 3);
        printf("membrane, mode (%d, 1): off by %.2e %.2e %.2e, order %.2f\n", m, error[0], error[1],
               error[2], order);
        cr_expect(fabs(order - 2.0) < 0.1, "mode (%d, 1): order %.2f", m, order);
    }
}
