// SPDX-License-Identifier: MIT
// Stretching and shearing: the material is that of the def, whatever the mesh.
#include "support/rig.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

static const HedVec3 ZERO = {0.0, 0.0, 0.0};

static HedSimDef static_def(void) {
    HedSimDef def = hed_sim_def_default();
    // A step so long that inertia does not count: implicit Euler then finds the equilibrium.
    def.time_step = 100.0;
    def.gravity = ZERO;
    def.thread_count = 1;
    def.newton_tolerance = 1e-15; // 1e-13 m, 1e-6 of what the strain 1e-6 moves
    def.linear_tolerance = 1e-9;
    return def;
}

static HedSheetDef membrane(const Mesh* mesh, double shear) {
    HedSheetDef def = mesh_sheet(mesh);
    def.stretch = 300.0;
    def.shear = shear;
    def.bending = HED_BENDING_NONE;
    def.damping = 0.0;
    return def;
}

// Pulls a strip along x to the strain e: the ends are held where a homogeneous strain puts them,
// contracted sideways by nu e, so that there are no end effects; all else starts as it is at rest
// and has to find its place. Returns the pull over width and strain, N/m.
static double pull(Mesh* mesh, double shear, double poisson, int32_t row_size) {
    const double strain = 1e-6;
    mesh_keep_rest(mesh);
    int32_t rows = mesh->vertex_count / row_size;
    int32_t* ends = malloc(sizeof(int32_t) * 2 * (size_t)rows);
    cr_assert_not_null(ends);
    for (int32_t r = 0; r < rows; ++r) {
        ends[r] = r * row_size;
        ends[rows + r] = (r + 1) * row_size - 1;
    }
    for (int32_t k = 0; k < 2 * rows; ++k) {
        HedVec3* x = &mesh->vertices[ends[k]];
        *x = hed_vec3(x->x * (1.0 + strain), x->y, x->z * (1.0 - poisson * strain));
    }
    HedSimDef def = static_def();
    HedSheetDef sheet_def = membrane(mesh, shear);
    HedSim* sim = rig_sim(&def);
    HedSheetId sheet = rig_sheet(sim, &sheet_def);
    rig_pin(sim, sheet, ends, rows);
    HedPinId right = rig_pin(sim, sheet, ends + rows, rows);
    rig_run(sim, 2); // the second one shows that the first had arrived
    double width = mesh->rest[mesh->vertex_count - 1].z - mesh->rest[0].z;
    double force = rig_reaction(sim, sheet, right).x;
    hed_sim_destroy(sim);
    free(ends);
    return force / (width * strain);
}

// Grids: structural springs alone have the modulus S. Diagonals of square cells add the energy
// G/2 (ex + ey)^2 + G/2 g^2 per area (links.h), so the stiffness is C11 = S + G, C12 = C66 = G:
// with free sides the modulus is C11 - C12^2/C11 = S (S + 2 G)/(S + G), Poisson's ratio G/(S + G).
// Equilateral meshes: modulus S, Poisson's ratio 1/3.
Test(material, stretching_does_not_depend_on_the_mesh) {
    const double s = 300.0;
    const double g = 60.0;
    for (int32_t points = 5; points <= 40; points *= 2) {
        HedVec3 across = {0.2, 0.0, 0.0};
        HedVec3 down = {0.0, 0.0, 0.1};
        Mesh plain = mesh_grid(2 * points - 1, points, ZERO, across, down);
        Mesh sheared = mesh_grid(2 * points - 1, points, ZERO, across, down);
        Mesh lattice = mesh_lattice(2 * points, points + 1 - points % 2, 0.1 / points);
        double found[3] = {pull(&plain, 0.0, 0.0, 2 * points - 1),
                           pull(&sheared, g, g / (s + g), 2 * points - 1),
                           pull(&lattice, 0.0, 1.0 / 3.0, 2 * points)};
        double expected[3] = {s, s * (s + 2.0 * g) / (s + g), s};
        printf("%d points across: %.6f %.6f %.6f N/m, expected %g %g %g\n", points, found[0],
               found[1], found[2], expected[0], expected[1], expected[2]);
        for (int k = 0; k < 3; ++k) {
            // Lengths change by the square of the strain, 1e-12 of 1e-6; the solver leaves 1e-9
            // of the force.
            cr_expect(fabs(found[k] / expected[k] - 1.0) < 1e-5, "%d points, case %d: %.8g", points,
                      k, found[k]);
        }
        mesh_free(&plain);
        mesh_free(&sheared);
        mesh_free(&lattice);
    }
}

// Energy of a homogeneous deformation x -> x + ex x + g z / 2, z -> z + g x / 2.
static void shear_energies(Mesh* mesh, double ex, double g, double energy[2]) {
    mesh_keep_rest(mesh);
    for (int32_t k = 0; k < mesh->vertex_count; ++k) {
        HedVec3 x = mesh->rest[k];
        mesh->vertices[k] = hed_vec3(x.x + ex * x.x + 0.5 * g * x.z, x.y, x.z + 0.5 * g * x.x);
    }
    HedSimDef def = static_def();
    HedSheetDef sheet_def = membrane(mesh, 60.0);
    HedSim* sim = rig_sim(&def);
    rig_sheet(sim, &sheet_def);
    rig_prepare(sim);
    energy[0] = rig_potential(sim, "stretch");
    energy[1] = rig_potential(sim, "shear");
    hed_sim_destroy(sim);
}

// Square grids hold 1/2 G g^2 per area in their diagonals when sheared and nothing in the
// structural springs; when stretched by e, 1/2 S e^2 and 1/2 G e^2. Equilateral meshes hold 1/2
// (3/8) S g^2 in their edges (three directions, sin^2 cos^2 summing to 3/8) and 1/2 G g^2 across
// hinges inside; a mesh has no hinge at its boundary, whose part falls with the size of a triangle.
Test(material, shearing) {
    const double size = 1e-5;
    double size_of[3];
    double missing[3];
    for (int k = 0; k < 3; ++k) {
        int32_t points = 10 << k;
        double e[2];
        Mesh grid = mesh_grid(points + 1, points + 1, ZERO, hed_vec3(0.1, 0.0, 0.0),
                              hed_vec3(0.0, 0.0, 0.1));
        Mesh same = mesh_grid(points + 1, points + 1, ZERO, hed_vec3(0.1, 0.0, 0.0),
                              hed_vec3(0.0, 0.0, 0.1));
        double unit = 0.5 * 0.01 * size * size; // J per N/m
        // The diagonals' lengths change by g/2 to first order: relative error about g.
        shear_energies(&grid, 0.0, size, e);
        // In sums over both diagonals signs of g cancel: g^2 = 1e-10 is left.
        cr_expect(fabs(e[1] / (60.0 * unit) - 1.0) < 1e-10, "shear of a grid: %.6g", e[1] / unit);
        // Upright springs get longer by g^2/2, which is g^2/4 of the energy.
        cr_expect(e[0] < 1e-10 * 300.0 * unit);
        shear_energies(&same, size, 0.0, e);
        // Exact; lengths are rounded by 1e-16 of a strain of 1e-5, twice.
        cr_expect(fabs(e[0] / (300.0 * unit) - 1.0) < 1e-10);
        // Of first order in the strain: e/2.
        cr_expect(fabs(e[1] / (60.0 * unit) - 1.0) < 1e-5);
        double edge = 0.1 / points;
        Mesh lattice = mesh_lattice(points + 1, points + 1, edge);
        double area = 2.0 * points * points * sqrt(0.1875) * edge * edge;
        shear_energies(&lattice, 0.0, size, e);
        double expected = 0.5 * area * size * size;
        // By symmetry of second order again, and rounding as above.
        cr_expect(fabs(e[0] / (0.375 * 300.0 * expected) - 1.0) < 1e-9);
        size_of[k] = edge;
        missing[k] = 1.0 - e[1] / (60.0 * expected);
        mesh_free(&grid);
        mesh_free(&same);
        mesh_free(&lattice);
    }
    double order = observed_order(size_of, missing, 3);
    printf("hinges missing at the boundary: %.4f %.4f %.4f, order %.2f\n", missing[0], missing[1],
           missing[2], order);
    cr_expect(order > 0.9 && missing[2] < 0.05);
}

// A strip that hangs from its upper edge gets longer by density g L^2/(2 S): the strain at the
// height z is that of the weight below, a linear function, whose sum over segments (each with the
// weight below its middle) is exact for any number of them. The two lower corners have 1/6 and 1/3
// of a cell instead of 1/4 each; their mean is right.
Test(material, a_strip_stretches_under_its_weight) {
    const double length = 0.4;
    for (int32_t points = 5; points <= 40; points *= 2) {
        Mesh mesh = mesh_grid(points, 2 * points, ZERO, hed_vec3(0.1, 0.0, 0.0),
                              hed_vec3(0.0, -length, 0.0));
        HedSimDef def = static_def();
        def.gravity = hed_vec3(0.0, -1.0, 0.0);
        HedSheetDef sheet_def = membrane(&mesh, 0.0);
        HedSim* sim = rig_sim(&def);
        HedSheetId sheet = rig_sheet(sim, &sheet_def);
        int32_t top[40];
        for (int32_t k = 0; k < points; ++k) {
            top[k] = k;
        }
        HedPinId pin = rig_pin(sim, sheet, top, points);
        rig_run(sim, 2); // the second one shows that the first had arrived
        double lowest = 0.0;
        for (int32_t k = 0; k < points; ++k) {
            double y = rig_position(sim, sheet, mesh.vertex_count - 1 - k).y;
            lowest += (k == 0 || k == points - 1 ? 0.5 : 1.0) * y / (points - 1);
        }
        double expected = sheet_def.density * 1.0 * length * length / (2.0 * sheet_def.stretch);
        double found = -lowest - length;
        double weight = sheet_def.density * 0.1 * length;
        double reaction = rig_reaction(sim, sheet, pin).y;
        printf("%d points: longer by %.8g m, theory %.8g; pins carry %.8g N of %.8g\n", points,
               found, expected, reaction, weight);
        // The corners' columns differ in length by a part of a cell's strain, which tilts the lower
        // edge by 1e-4 and shortens it by the square of that.
        cr_expect(fabs(found / expected - 1.0) < 1e-5);
        cr_expect(fabs(reaction / weight - 1.0) < 1e-6); // what the solver leaves
        hed_sim_destroy(sim);
        mesh_free(&mesh);
    }
}
