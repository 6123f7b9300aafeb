// SPDX-License-Identifier: MIT
// Sheets as a continuum: patch tests, stresses, waves, cantilevers; statics.
#include "base/random.h"
#include "support/rig.h"

#include <criterion/criterion.h>
#include <stdio.h>

static const double PI = 3.14159265358979323846;

static HedSimDef statics(void) {
    HedSimDef def = hed_sim_def_default();
    def.integrator = HED_QUASI_STATIC;
    def.gravity = (HedVec3){0};
    def.linear_tolerance = 1e-12;
    def.thread_count = 1;
    return def;
}

static bool is_rim(const Mesh* mesh, int32_t k) {
    int32_t column = k % mesh->columns;
    int32_t row = k / mesh->columns;
    return column == 0 || row == 0 || column + 1 == mesh->columns || row + 1 == mesh->rows;
}

// The xz plane sheared, stretched and turned.
static HedVec3 map_affine(HedVec3 x) {
    HedVec3 plane = {1.08 * x.x + 0.11 * x.z, 0.0, -0.05 * x.x + 1.03 * x.z};
    return hed_vec3(0.8 * plane.x, 0.6 * plane.x + 0.02, plane.z);
}

// An irregular mesh of the xz plane; rim must hold all of it.
static Mesh patch_mesh(int32_t* rim, int32_t* rim_count) {
    const double size = 0.2;
    Mesh mesh = mesh_grid(7, 6, (HedVec3){0}, hed_vec3(size, 0.0, 0.0), hed_vec3(0.0, 0.0, size));
    for (int32_t k = 0; k < mesh.vertex_count; ++k) {
        if (is_rim(&mesh, k)) {
            rim[(*rim_count)++] = k;
        } else {
            mesh.vertices[k].x += 0.012 * (hed_random_uniform(7, 1, (uint64_t)k) - 0.5);
            mesh.vertices[k].z += 0.012 * (hed_random_uniform(7, 2, (uint64_t)k) - 0.5);
        }
    }
    mesh_keep_rest(&mesh);
    for (int32_t k = 0; k < mesh.vertex_count; ++k) {
        mesh.vertices[k] = map_affine(mesh.rest[k]);
        if (!is_rim(&mesh, k)) {
            mesh.vertices[k].x += 0.004 * (hed_random_uniform(7, 3, (uint64_t)k) - 0.5);
            mesh.vertices[k].y += 0.004 * (hed_random_uniform(7, 4, (uint64_t)k) - 0.5);
        }
    }
    return mesh;
}

// Coordinates along warp and weft of every corner, warp at an angle to x.
static void turn_material(const Mesh* mesh, double angle, double* material) {
    for (int32_t k = 0; k < 3 * mesh->triangle_count; ++k) {
        HedVec3 x = mesh->rest[mesh->triangles[k]];
        material[2 * k] = cos(angle) * x.x + sin(angle) * x.z;
        material[2 * k + 1] = -sin(angle) * x.x + cos(angle) * x.z;
    }
}

// Energy per area at rest under the affine map, for the material of the patch test.
static double patch_energy(double angle) {
    HedVec3 zero = map_affine((HedVec3){0});
    HedVec3 u = hed_sub3(map_affine(hed_vec3(cos(angle), 0.0, sin(angle))), zero);
    HedVec3 v = hed_sub3(map_affine(hed_vec3(-sin(angle), 0.0, cos(angle))), zero);
    double e_u = 0.5 * (hed_dot3(u, u) - 1.0);
    double e_v = 0.5 * (hed_dot3(v, v) - 1.0);
    double shear = hed_dot3(u, v);
    double over = 1.0 / (1.0 - 0.3 * 0.3 * 200.0 / 500.0);
    return 0.5 * over * (500.0 * e_u * e_u + 200.0 * e_v * e_v + 2.0 * 0.3 * 200.0 * e_u * e_v) +
           0.5 * 40.0 * shear * shear;
}

// An irregular mesh whose rim follows an affine map: the inside must follow it, too, whatever the
// material, wherever it started and however the material lies in the mesh.
Test(membrane, patch_test) {
    for (int turn = 0; turn < 4; ++turn) {
        double angle = turn * PI / 9.0;
        int32_t rim[42];
        int32_t rim_count = 0;
        Mesh mesh = patch_mesh(rim, &rim_count);
        double material[6 * 60];
        cr_assert_leq(mesh.triangle_count, 60);
        turn_material(&mesh, angle, material);
        HedSheetDef sheet_def = mesh_sheet(&mesh);
        sheet_def.grid_columns = sheet_def.grid_rows = 0;
        sheet_def.material = turn > 0 ? material : NULL;
        sheet_def.model = HED_SHEET_MEMBRANE;
        sheet_def.bending = HED_BENDING_HINGES;
        sheet_def.stretch = 500.0;
        sheet_def.weft = 200.0;
        sheet_def.shear = 40.0;
        sheet_def.poisson = 0.3;
        HedSimDef def = statics();
        def.force_tolerance = 1e-12;
        HedSim* sim = rig_sim(&def);
        HedSheetId sheet = rig_sheet(sim, &sheet_def);
        rig_pin(sim, sheet, rim, rim_count);
        HedStepReport report = rig_step(sim);
        double worst = 0.0;
        for (int32_t k = 0; k < mesh.vertex_count; ++k) {
            HedVec3 expected = map_affine(mesh.rest[k]);
            worst = fmax(worst, hed_distance3(rig_position(sim, sheet, k), expected));
        }
        double energy = rig_potential(sim, "membrane") / (0.04 * patch_energy(angle));
        printf("patch test, warp at %.0f degrees: off by %.2e m after %d iterations, energy %.1e\n",
               angle * 180.0 / PI, worst, report.iterations, energy - 1.0);
        // 1e-12 N against a stiffness of some 10 N/m across the sheet.
        cr_expect(worst < 1e-12, "%.3g", worst);
        // The energy is stationary: places that are off by 1e-12 m change it by the square,
        // so rounding of sixty terms is left.
        cr_expect(fabs(energy - 1.0) < 1e-13, "%.3g", energy - 1.0);
        hed_sim_destroy(sim);
        mesh_free(&mesh);
    }
}

// A sheet stretched to both sides carries the closed-form stress: the force on a side is that of
// the first Piola-Kirchhoff stress, f (c_uu e_u + c_uv e_v) per width at rest, f the stretch along
// it.
Test(membrane, stress_of_a_stretched_sheet) {
    const double length = 0.3, width = 0.2, along = 1.06, across = 0.97;
    Mesh mesh =
        mesh_grid(6, 5, (HedVec3){0}, hed_vec3(length, 0.0, 0.0), hed_vec3(0.0, 0.0, width));
    mesh_keep_rest(&mesh);
    int32_t left[5], rest[30];
    int32_t rest_count = 0;
    for (int32_t k = 0; k < mesh.vertex_count; ++k) {
        mesh.vertices[k].x *= along;
        mesh.vertices[k].z *= across;
        if (k % mesh.columns == 0) {
            left[k / mesh.columns] = k;
        } else {
            rest[rest_count++] = k;
        }
    }
    HedSheetDef sheet_def = mesh_sheet(&mesh);
    sheet_def.model = HED_SHEET_MEMBRANE;
    sheet_def.bending = HED_BENDING_NONE;
    sheet_def.stretch = 400.0;
    sheet_def.weft = 150.0;
    sheet_def.poisson = 0.25;
    HedSimDef def = statics();
    HedSim* sim = rig_sim(&def);
    HedSheetId sheet = rig_sheet(sim, &sheet_def);
    HedPinId hold = rig_pin(sim, sheet, left, 5);
    rig_pin(sim, sheet, rest, rest_count);
    rig_prepare(sim);
    double over = 1.0 / (1.0 - 0.25 * 0.25 * 150.0 / 400.0);
    double e_u = 0.5 * (along * along - 1.0);
    double e_v = 0.5 * (across * across - 1.0);
    double expected = width * along * over * (400.0 * e_u + 0.25 * 150.0 * e_v);
    HedVec3 pull = rig_reaction(sim, sheet, hold);
    // A sum over four cells of stresses that are rounded by 1e-16 of the two terms in them,
    // some ten times.
    cr_expect(fabs(pull.x + expected) < 1e-14 * expected, "%.15g, expected %.15g", pull.x,
              -expected);
    double energy = rig_potential(sim, "membrane");
    double density = 0.5 * over * (400.0 * e_u * e_u + 150.0 * e_v * e_v + 75.0 * e_u * e_v);
    // The same of the energy of forty triangles.
    cr_expect(fabs(energy / (density * length * width) - 1.0) < 1e-14);
    hed_sim_destroy(sim);
    mesh_free(&mesh);
}

// A wave along the sheet: x = s + a sin(k s) cos(w t) between held ends, w = k sqrt(c_uu/density)
// for small a. Newmark's method has the second order, and so have the triangles.
static double wave_error(int32_t cells, HedIntegrator integrator) {
    const double length = 0.2, amplitude = 1e-6;
    double k = PI / length;
    Mesh mesh = mesh_grid(cells + 1, 2, (HedVec3){0}, hed_vec3(length, 0.0, 0.0),
                          hed_vec3(0.0, 0.0, length / cells));
    mesh_keep_rest(&mesh);
    for (int32_t i = 0; i < mesh.vertex_count; ++i) {
        mesh.vertices[i].x += amplitude * sin(k * mesh.rest[i].x);
    }
    int32_t ends[4] = {0, cells, cells + 1, 2 * cells + 1};
    HedSheetDef sheet_def = mesh_sheet(&mesh);
    sheet_def.model = HED_SHEET_MEMBRANE;
    sheet_def.bending = HED_BENDING_NONE;
    sheet_def.poisson = 0.0;
    sheet_def.damping = 0.0;
    double w = k * sqrt(sheet_def.stretch / sheet_def.density);
    HedSimDef def = hed_sim_def_default();
    def.integrator = integrator;
    def.gravity = (HedVec3){0};
    def.time_step = 2.0 * PI / w / (4.0 * cells);
    def.newton_tolerance = 1e-12; // of speeds around 3e-3 m/s
    def.linear_tolerance = 1e-10;
    def.thread_count = 1;
    HedSim* sim = rig_sim(&def);
    HedSheetId sheet = rig_sheet(sim, &sheet_def);
    rig_pin(sim, sheet, ends, 4);
    rig_run(sim, 4 * cells); // one period
    double worst = 0.0;
    for (int32_t i = 0; i <= cells; ++i) {
        double expected = mesh.vertices[i].x;
        worst = fmax(worst, fabs(rig_position(sim, sheet, i).x - expected) / amplitude);
    }
    hed_sim_destroy(sim);
    mesh_free(&mesh);
    return worst;
}

Test(membrane, a_wave_along_the_sheet) {
    const HedIntegrator kinds[2] = {HED_NEWMARK, HED_BDF2};
    for (int m = 0; m < 2; ++m) {
        double size[3], error[3];
        for (int k = 0; k < 3; ++k) {
            size[k] = 1.0 / (8 << k);
            error[k] = wave_error(8 << k, kinds[m]);
        }
        double order = observed_order(size, error, 3);
        printf("wave, %s: %.2e %.2e %.2e, order %.2f\n", hed_integrator_name(kinds[m]), error[0],
               error[1], error[2], order);
        // Phase errors enter as a cosine's square where amplitude is at its peak: orders 2 to 4.
        cr_expect(order > 1.8, "order %.2f", order);
        cr_expect(error[2] < 0.02);
    }
}

// Drop over length of a strip two cells wide under its own weight, clamped level.
static double heavy_drop(double beta, int32_t cells, HedBending bending) {
    const double length = 0.1, gravity = 9.81, density = 0.2;
    double cell = length / (cells + 0.5); // the clamp is in the middle between the held columns
    Mesh mesh = mesh_grid(cells + 2, 3, hed_vec3(-cell, 0.0, 0.0),
                          hed_vec3((cells + 1) * cell, 0.0, 0.0), hed_vec3(0.0, 0.0, 2.0 * cell));
    HedSheetDef sheet_def = mesh_sheet(&mesh);
    sheet_def.model = HED_SHEET_MEMBRANE;
    sheet_def.bending = bending;
    sheet_def.density = density;
    sheet_def.poisson = 0.0;
    sheet_def.bend_rigidity = density * gravity * pow(length, 3.0) / beta;
    sheet_def.stretch = 2e4 * density * gravity * length; // strain 5e-5 at most
    sheet_def.shear = 0.4 * sheet_def.stretch;
    int32_t held[6];
    for (int32_t row = 0; row < 3; ++row) {
        held[2 * row] = row * (cells + 2);
        held[2 * row + 1] = row * (cells + 2) + 1;
    }
    HedSimDef def = statics();
    def.gravity = hed_vec3(0.0, -gravity, 0.0);
    def.time_step = 0.05;
    HedSim* sim = rig_sim(&def);
    HedSheetId sheet = rig_sheet(sim, &sheet_def);
    rig_pin(sim, sheet, held, 6);
    rig_step(sim);
    double drop = -rig_position(sim, sheet, (cells + 2) + cells + 1).y / length;
    hed_sim_destroy(sim);
    mesh_free(&mesh);
    return drop;
}

// Hinges and the quadratic form against the elastica.
Test(membrane, heavy_strip_of_hinges) {
    // Elastica under its own weight, by shooting with RK4 (five digits); beta/8 for a small beta.
    static const struct {
        double beta, drop;
    } CASES[] = {{0.01, 0.01 / 8.0}, {1.0, 0.12347}, {8.0, 0.64063}};
    for (int c = 0; c < 3; ++c) {
        double size[3], error[3];
        for (int k = 0; k < 3; ++k) {
            int32_t cells = 8 << k;
            size[k] = 1.0 / (cells + 0.5);
            error[k] = heavy_drop(CASES[c].beta, cells, HED_BENDING_HINGES) / CASES[c].drop - 1.0;
        }
        for (int k = 0; k < 3; ++k) {
            error[k] = fabs(error[k]);
        }
        double order = observed_order(size, error, 3);
        printf("heavy strip of hinges, beta %g: %.2e %.2e %.2e, order %.2f\n", CASES[c].beta,
               error[0], error[1], error[2], order);
        // The digits of the reference, beta^2 and the strain leave 1e-4 in the last run's 5e-4.
        cr_expect(fabs(order - 2.0) < 0.2, "order %.2f", order);
        // Twice the last run's 5e-4, by what the reference leaves.
        cr_expect(error[2] < 1e-3, "beta %g: %.2e", CASES[c].beta, error[2]);
    }
    double flat = heavy_drop(0.01, 32, HED_BENDING_FLAT) / (0.01 / 8.0) - 1.0;
    double hinges = heavy_drop(0.01, 32, HED_BENDING_HINGES) / (0.01 / 8.0) - 1.0;
    printf("quadratic %.6e, by angle %.6e\n", flat, hinges);
    cr_expect(fabs(flat - hinges) < 1e-4); // slopes of 2e-3 change angles by their cube
}
