// SPDX-License-Identifier: MIT
// Quantities on sheets against cases worked out by hand.
#include "base/alloc.h"
#include "support/rig.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// Relative, of strains and of tensions in N/m: quotients of lengths of some centimetres.
static const double ROUNDING = 1e-13;

enum { LIMIT = 2000 };

static void read_quantity(const HedSim* sim, HedSheetId sheet, HedQuantity quantity, double* out) {
    HedError error = {0};
    cr_assert_leq(hed_sheet_vertex_count(sim, sheet), LIMIT);
    cr_assert_eq(hed_sheet_quantity(sim, sheet, quantity, out, &error), HED_OK, "%s",
                 error.message);
}

// Area at rest of the vertices of a flat grid of cells w x h.
static double grid_area(const Mesh* mesh, int32_t i, double cell) {
    int32_t column = i % mesh->columns;
    int32_t row = i / mesh->columns;
    bool side = column == 0 || column == mesh->columns - 1;
    bool end = row == 0 || row == mesh->rows - 1;
    return cell * (side ? 0.5 : 1.0) * (end ? 0.5 : 1.0);
}

Test(quantities, names_and_units) {
    static const char* const NAMES[] = {"strain",  "tension", "curvature",
                                        "contact", "damping", "speed"};
    static const char* const UNITS[] = {"", "N/m", "1/m", "Pa", "W/m^2", "m/s"};
    for (int k = 0; k < HED_QUANTITY_COUNT; ++k) {
        cr_expect_str_eq(hed_quantity_name((HedQuantity)k), NAMES[k]);
        cr_expect_str_eq(hed_quantity_unit((HedQuantity)k), UNITS[k]);
    }
    cr_expect_str_eq(hed_quantity_name(HED_QUANTITY_COUNT), "unknown");
    cr_expect_str_eq(hed_quantity_unit((HedQuantity)-1), "");
}

// A grid pulled to 1.1 times its length along x and left as it was along y. Without shear springs
// the pull along x is stretch * 0.1 per width; the strain is the mean over both directions, here
// with cells as wide as high: 0.05 inside; along an edge in x one spring in three runs across.
Test(quantities, uniform_stretch) {
    Mesh mesh =
        mesh_grid(6, 5, hed_vec3(0.0, 0.0, 0.0), hed_vec3(0.5, 0.0, 0.0), hed_vec3(0.0, 0.4, 0.0));
    mesh_keep_rest(&mesh);
    for (int32_t i = 0; i < mesh.vertex_count; ++i) {
        mesh.vertices[i].x *= 1.1;
    }
    HedSimDef def = hed_sim_def_default();
    HedSheetDef sheet_def = mesh_sheet(&mesh);
    sheet_def.stretch = 200.0;
    sheet_def.shear = 0.0;
    HedSim* sim = rig_sim(&def);
    HedSheetId sheet = rig_sheet(sim, &sheet_def);
    rig_prepare(sim);
    double strain[LIMIT], tension[LIMIT], other[LIMIT];
    read_quantity(sim, sheet, HED_QUANTITY_STRAIN, strain);
    read_quantity(sim, sheet, HED_QUANTITY_TENSION, tension);
    for (int32_t i = 0; i < mesh.vertex_count; ++i) {
        bool side = i % 6 == 0 || i % 6 == 5;
        bool end = i / 6 == 0 || i / 6 == 4;
        double along = side ? 1.0 : 2.0; // springs along x and y at this vertex
        double across = end ? 1.0 : 2.0;
        cr_expect_float_eq(strain[i], 0.1 * along / (along + across), ROUNDING, "vertex %d", i);
        cr_expect_float_eq(tension[i], 20.0, 20.0 * ROUNDING, "vertex %d: %g", i, tension[i]);
    }
    static const HedQuantity ZERO[] = {HED_QUANTITY_CURVATURE, HED_QUANTITY_CONTACT,
                                       HED_QUANTITY_DAMPING, HED_QUANTITY_SPEED};
    for (int k = 0; k < 4; ++k) {
        read_quantity(sim, sheet, ZERO[k], other);
        for (int32_t i = 0; i < mesh.vertex_count; ++i) {
            // Flat, at rest and untouched: places of 0.5 m are rounded by 1e-16 m, over areas
            // of 0.01 m^2.
            cr_expect_float_eq(other[i], 0.0, 1e-13, "%s at vertex %d", hed_quantity_name(ZERO[k]),
                               i);
        }
    }
    hed_sim_destroy(sim);
    mesh_free(&mesh);
}

// Squeezed along x by 5 %, pulled along y by 2 %: the squeeze is the larger one, with its sign.
Test(quantities, compression_is_negative) {
    Mesh mesh =
        mesh_grid(6, 5, hed_vec3(0.0, 0.0, 0.0), hed_vec3(0.5, 0.0, 0.0), hed_vec3(0.0, 0.4, 0.0));
    mesh_keep_rest(&mesh);
    for (int32_t i = 0; i < mesh.vertex_count; ++i) {
        mesh.vertices[i].x *= 0.95;
        mesh.vertices[i].y *= 1.02;
    }
    HedSimDef def = hed_sim_def_default();
    HedSheetDef sheet_def = mesh_sheet(&mesh);
    sheet_def.stretch = 100.0;
    sheet_def.shear = 0.0;
    HedSim* sim = rig_sim(&def);
    HedSheetId sheet = rig_sheet(sim, &sheet_def);
    rig_prepare(sim);
    double tension[LIMIT];
    read_quantity(sim, sheet, HED_QUANTITY_TENSION, tension);
    for (int32_t i = 0; i < mesh.vertex_count; ++i) {
        cr_expect_float_eq(tension[i], -5.0, 5.0 * ROUNDING, "vertex %d: %g", i, tension[i]);
    }
    hed_sim_destroy(sim);
    mesh_free(&mesh);
}

// A strip hangs from its upper edge: the tension at each height is the weight below over the width.
// A stiff strip, so that lengths change little; settled, so that nothing moves.
Test(quantities, hanging_strip) {
    enum { COLUMNS = 5, ROWS = 21 };
    Mesh mesh = mesh_grid(COLUMNS, ROWS, hed_vec3(0.0, 0.0, 0.0), hed_vec3(0.1, 0.0, 0.0),
                          hed_vec3(0.0, -0.5, 0.0));
    HedSimDef def = hed_sim_def_default();
    def.newton_tolerance = 1e-9;
    def.linear_tolerance = 1e-8;
    HedSheetDef sheet_def = mesh_sheet(&mesh);
    sheet_def.density = 0.2;
    sheet_def.stretch = 500.0;
    sheet_def.damping = 0.02;
    HedSim* sim = rig_sim(&def);
    HedSheetId sheet = rig_sheet(sim, &sheet_def);
    const int32_t top[COLUMNS] = {0, 1, 2, 3, 4};
    rig_pin(sim, sheet, top, COLUMNS);
    rig_settle(sim, sheet, 1e-7, 4000);
    double tension[LIMIT];
    read_quantity(sim, sheet, HED_QUANTITY_TENSION, tension);
    for (int32_t row = 1; row + 1 < ROWS; ++row) {
        // Force over the width, by the widths that the columns stand for.
        double force = 0.0;
        for (int32_t c = 0; c < COLUMNS; ++c) {
            double width = 0.025 * (c == 0 || c == COLUMNS - 1 ? 0.5 : 1.0);
            force += width * tension[row * COLUMNS + c];
        }
        double below = 0.2 * 9.81 * 0.1 * 0.5 * (ROWS - 1 - row) / (ROWS - 1);
        // Shear springs pull a little across: strains are up to 0.2 %.
        cr_expect_float_eq(force, below, 2e-3 * 0.2 * 9.81 * 0.05, "row %d: %g, expected %g", row,
                           force, below);
    }
    hed_sim_destroy(sim);
    mesh_free(&mesh);
}

static HedSim* resting_sheet(HedIntegrator integrator, const Mesh* mesh, HedSheetId* sheet) {
    HedSimDef def = hed_sim_def_default();
    def.integrator = integrator;
    def.time_step = integrator == HED_IMPLICIT_EULER ? 1.0 / 300.0 : 1.0 / 5000.0;
    def.newton_tolerance = 1e-7;
    HedSheetDef sheet_def = mesh_sheet(mesh);
    sheet_def.density = 0.3;
    HedBodyDef plane = hed_body_def_default();
    plane.shape = HED_PLANE;
    HedSim* sim = rig_sim(&def);
    *sheet = rig_sheet(sim, &sheet_def);
    rig_body(sim, &plane);
    return sim;
}

// A flat sheet that lies on a plane is carried by it: pressure times area is the weight.
Test(quantities, weight_on_a_plane) {
    static const HedIntegrator KINDS[] = {HED_IMPLICIT_EULER, HED_SYMPLECTIC_EULER, HED_VERLET,
                                          HED_RK4, HED_XPBD};
    Mesh mesh = mesh_grid(8, 6, hed_vec3(-0.2, 0.0005, -0.2), hed_vec3(0.35, 0.0, 0.0),
                          hed_vec3(0.0, 0.0, 0.25));
    double weight = 0.3 * 0.35 * 0.25 * 9.81;
    for (int k = 0; k < 5; ++k) {
        HedSheetId sheet;
        HedSim* sim = resting_sheet(KINDS[k], &mesh, &sheet);
        rig_run(sim, KINDS[k] == HED_IMPLICIT_EULER ? 200 : 50);
        double pressure[LIMIT];
        double sum = 0.0;
        read_quantity(sim, sheet, HED_QUANTITY_CONTACT, pressure);
        for (int32_t i = 0; i < mesh.vertex_count; ++i) {
            sum += pressure[i] * grid_area(&mesh, i, 0.05 * 0.05);
            // Corrections of 1e-7 m/s leave 2e-10 m of a depth of 1e-6 m.
            cr_expect_float_eq(pressure[i], 0.3 * 9.81, 2e-4 * 0.3 * 9.81, "%s: vertex %d: %g",
                               hed_integrator_name(KINDS[k]), i, pressure[i]);
        }
        // The same.
        cr_expect_float_eq(sum, weight, 2e-4 * weight, "%s: %g N of %g N",
                           hed_integrator_name(KINDS[k]), sum, weight);
        hed_sim_destroy(sim);
    }
    mesh_free(&mesh);
}

// A sheet in random motion: the damping of all vertices is the power that the step counts. Over a
// short step both are the same but for what changes in it.
Test(quantities, damping_is_the_power_of_a_step) {
    for (int kind = 0; kind < 2; ++kind) {
        Mesh mesh = mesh_grid(7, 6, hed_vec3(0.0, 0.0, 0.0), hed_vec3(0.3, 0.0, 0.0),
                              hed_vec3(0.0, 0.0, 0.25));
        HedSimDef def = hed_sim_def_default();
        def.integrator = kind ? HED_SYMPLECTIC_EULER : HED_IMPLICIT_EULER;
        def.time_step = 1e-7;
        def.gravity = hed_vec3(0.0, 0.0, 0.0);
        def.newton_tolerance = 1e-9;
        HedSheetDef sheet_def = mesh_sheet(&mesh);
        sheet_def.damping = 1e-3;
        HedSim* sim = rig_sim(&def);
        HedSheetId sheet = rig_sheet(sim, &sheet_def);
        rig_prepare(sim);
        for (int32_t i = 0; i < mesh.vertex_count; ++i) {
            rig_set_velocity(sim, sheet, i,
                             hed_vec3(sin(3.0 * i), cos(5.0 * i), sin(7.0 * i + 1.0)));
        }
        double damping[LIMIT], speed[LIMIT];
        double power = 0.0;
        read_quantity(sim, sheet, HED_QUANTITY_DAMPING, damping);
        read_quantity(sim, sheet, HED_QUANTITY_SPEED, speed);
        for (int32_t i = 0; i < mesh.vertex_count; ++i) {
            power += damping[i] * grid_area(&mesh, i, 0.05 * 0.05);
            double v = hed_norm3(rig_velocity(sim, sheet, i));
            cr_expect_float_eq(speed[i], v, 0.01 * ROUNDING);
            cr_expect_geq(damping[i], 0.0);
        }
        rig_step(sim);
        double counted = hed_sim_energies(sim).dissipated / def.time_step;
        // Velocities decay at up to stiffness * damping / mass * 8 = 6e4 /s: 1 % in a step.
        cr_expect_float_eq(power, counted, 0.01 * counted, "%g W, the step counts %g W", power,
                           counted);
        hed_sim_destroy(sim);
        mesh_free(&mesh);
    }
}

// A sheet on part of a cylinder: curvature comes through in the order of the def's vertices.
Test(quantities, curvature_of_a_sheet) {
    enum { N = 17 };
    Mesh mesh = mesh_grid(N, N, hed_vec3(-0.4, 0.0, -0.4), hed_vec3(0.8, 0.0, 0.0),
                          hed_vec3(0.0, 0.0, 0.8));
    Mesh flat =
        mesh_grid(3, 3, hed_vec3(4.0, 0.0, 0.0), hed_vec3(1.0, 0.0, 0.0), hed_vec3(0.0, 0.0, 1.0));
    for (int32_t i = 0; i < mesh.vertex_count; ++i) {
        double u = mesh.vertices[i].x;
        mesh.vertices[i].x = 0.5 * sin(2.0 * u);
        mesh.vertices[i].y = 0.5 * cos(2.0 * u);
    }
    HedSimDef def = hed_sim_def_default();
    HedSheetDef first = mesh_sheet(&flat);
    HedSheetDef second = mesh_sheet(&mesh);
    HedSim* sim = rig_sim(&def);
    HedSheetId ids[2];
    ids[0] = rig_sheet(sim, &first);
    ids[1] = rig_sheet(sim, &second);
    rig_prepare(sim);
    double h[LIMIT];
    read_quantity(sim, ids[0], HED_QUANTITY_CURVATURE, h);
    for (int32_t i = 0; i < 9; ++i) {
        cr_expect_float_eq(h[i], 0.0, ROUNDING);
    }
    read_quantity(sim, ids[1], HED_QUANTITY_CURVATURE, h);
    for (int32_t i = 0; i < mesh.vertex_count; ++i) {
        cr_expect_float_eq(h[i], 1.0, 0.01, "vertex %d: %g", i, h[i]); // half of 1/0.5 m
    }
    hed_sim_destroy(sim);
    mesh_free(&mesh);
    mesh_free(&flat);
}

// Contact forces belong to the state: a restored simulation has them.
Test(quantities, contact_survives_a_snapshot) {
    Mesh mesh = mesh_grid(5, 4, hed_vec3(-0.2, 0.0005, -0.2), hed_vec3(0.4, 0.0, 0.0),
                          hed_vec3(0.0, 0.0, 0.3));
    static const HedIntegrator KINDS[] = {HED_IMPLICIT_EULER, HED_SYMPLECTIC_EULER};
    for (int k = 0; k < 2; ++k) {
        HedSheetId sheet, other;
        HedSim* sim = resting_sheet(KINDS[k], &mesh, &sheet);
        HedSim* copy = resting_sheet(KINDS[k], &mesh, &other);
        rig_run(sim, 20);
        rig_prepare(copy);
        HedSnapshotArray from[HED_SNAPSHOT_LIMIT], to[HED_SNAPSHOT_LIMIT];
        int32_t count = hed_sim_snapshot(sim, from);
        cr_assert_eq(hed_sim_snapshot(copy, to), count);
        for (int32_t i = 0; i < count; ++i) {
            cr_assert_eq(from[i].bytes, to[i].bytes);
            memcpy(to[i].data, from[i].data, (size_t)from[i].bytes);
        }
        cr_assert_eq(hed_sim_restored(copy, NULL), HED_OK);
        for (int q = 0; q < HED_QUANTITY_COUNT; ++q) {
            double a[LIMIT], b[LIMIT];
            read_quantity(sim, sheet, (HedQuantity)q, a);
            read_quantity(copy, other, (HedQuantity)q, b);
            cr_expect_eq(memcmp(a, b, 20 * sizeof(double)), 0, "%s",
                         hed_quantity_name((HedQuantity)q));
        }
        hed_sim_destroy(sim);
        hed_sim_destroy(copy);
    }
    mesh_free(&mesh);
}

Test(quantities, bad_input) {
    Mesh mesh =
        mesh_grid(3, 3, hed_vec3(0.0, 0.0, 0.0), hed_vec3(1.0, 0.0, 0.0), hed_vec3(0.0, 0.0, 1.0));
    HedSimDef def = hed_sim_def_default();
    HedSheetDef sheet_def = mesh_sheet(&mesh);
    HedSim* sim = rig_sim(&def);
    HedSheetId sheet = rig_sheet(sim, &sheet_def);
    HedError error = {0};
    double values[9];
    cr_expect_eq(hed_sheet_quantity(sim, sheet, HED_QUANTITY_SPEED, values, &error), HED_INVALID);
    cr_expect_str_eq(error.message,
                     "quantity 5 cannot be read: the simulation is not prepared yet");
    rig_prepare(sim);
    cr_expect_eq(hed_sheet_quantity(sim, sheet, HED_QUANTITY_COUNT, values, &error), HED_INVALID);
    cr_expect_eq(hed_sheet_quantity(sim, (HedSheetId){0}, HED_QUANTITY_SPEED, values, &error),
                 HED_INVALID);
    for (int q = 0; q < HED_QUANTITY_COUNT; ++q) {
        HedStatus status = HED_NO_MEMORY;
        for (int n = 1; status != HED_OK && n < 20; ++n) {
            hed_alloc_fail_at(n);
            status = hed_sheet_quantity(sim, sheet, (HedQuantity)q, values, &error);
            hed_alloc_fail_at(0);
            cr_expect(status == HED_OK || status == HED_NO_MEMORY);
        }
        cr_expect_eq(status, HED_OK);
    }
    hed_sim_destroy(sim);
    mesh_free(&mesh);
    cr_expect_eq(hed_alloc_stats().live_count, 0);
}
