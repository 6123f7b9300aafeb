// SPDX-License-Identifier: MIT
// Bending: energy of a cylinder, cantilevers, and a heavy strip without bending (the catenary).
#include "base/random.h"
#include "heddle/fabric.h"
#include "sim/internal.h"
#include "support/rig.h"

#include <criterion/criterion.h>
#include <stdio.h>

static const double PI = 3.14159265358979323846;
static const HedVec3 ZERO = {0.0, 0.0, 0.0};

// Rolls a flat mesh of the xz plane onto a cylinder; the axis makes the angle `axis` with z,
// lengths along the surface are kept.
static void roll(Mesh* mesh, double radius, double axis) {
    mesh_keep_rest(mesh);
    HedVec3 e = {cos(axis), 0.0, sin(axis)};
    HedVec3 f = {-sin(axis), 0.0, cos(axis)};
    for (int32_t k = 0; k < mesh->vertex_count; ++k) {
        double s = hed_dot3(mesh->rest[k], e);
        HedVec3 x = hed_mul3(radius * sin(s / radius), e);
        x = hed_madd3(x, hed_dot3(mesh->rest[k], f), f);
        mesh->vertices[k] = hed_madd3(x, radius * (cos(s / radius) - 1.0), hed_vec3(0.0, 1.0, 0.0));
    }
}

static HedSim* make_rolled(const Mesh* mesh, HedSheetId* sheet) {
    HedSimDef def = hed_sim_def_default();
    HedSheetDef sheet_def = mesh_sheet(mesh);
    sheet_def.bend_rigidity = 1e-5;
    HedSim* sim = rig_sim(&def);
    *sheet = rig_sheet(sim, &sheet_def);
    rig_prepare(sim);
    return sim;
}

// A grid of quads rolled along its rows. The energy is 1/2 B/R^2 per area; elements stand at all
// columns but the two outermost, so a strip of half a cell at either end carries none: against the
// area of the elements the error is of second order, against the whole sheet of first.
Test(bending, energy_of_a_cylinder_quads) {
    const double radius = 0.1;
    const double length = 0.2;
    const double width = 0.1;
    double size[4];
    double inner[4];
    double whole[4];
    for (int k = 0; k < 4; ++k) {
        int32_t cells = 10 << k;
        Mesh mesh = mesh_grid(cells + 1, cells / 2 + 1, ZERO, hed_vec3(length, 0.0, 0.0),
                              hed_vec3(0.0, 0.0, width));
        roll(&mesh, radius, 0.0);
        HedSheetId sheet;
        HedSim* sim = make_rolled(&mesh, &sheet);
        double energy = rig_potential(sim, "bend");
        size[k] = length / cells;
        double unit = 0.5 * 1e-5 / (radius * radius); // J/m^2
        inner[k] = fabs(energy / (unit * width * (length - size[k])) - 1.0);
        whole[k] = fabs(energy / (unit * width * length) - 1.0);
        hed_sim_destroy(sim);
        mesh_free(&mesh);
    }
    double order = observed_order(size, inner, 4);
    double order_whole = observed_order(size, whole, 4);
    printf("quads: %.2e %.2e %.2e %.2e, order %.2f; whole sheet %.2e to %.2e, order %.2f\n",
           inner[0], inner[1], inner[2], inner[3], order, whole[0], whole[3], order_whole);
    cr_expect(fabs(order - 2.0) < 0.05);
    cr_expect(fabs(order_whole - 1.0) < 0.05);
    // |c| = (4 R/h) sin^2(h/2R): the energy is short of it by (h/R)^2/6.
    double predicted = size[3] * size[3] / (6.0 * radius * radius);
    cr_expect(fabs(inner[3] / predicted - 1.0) < 0.01);
}

// Energy per area of the elements around points that are at least three edges inside.
static double inner_density(const HedSim* sim, const Mesh* mesh, HedSheetId sheet, double edge) {
    const int32_t* place = sim->cloths.data[sheet.index - 1].place;
    HedVec3 low = mesh->rest[0];
    HedVec3 high = mesh->rest[mesh->vertex_count - 1];
    double energy = 0.0;
    double area = 0.0;
    for (int32_t vertex = 0; vertex < mesh->vertex_count; ++vertex) {
        HedVec3 at = mesh->rest[vertex];
        double inside = fmin(fmin(at.x - low.x, high.x - at.x), fmin(at.z - low.z, high.z - at.z));
        if (inside < 3.0 * edge) {
            continue;
        }
        area += sim->area.data[place[vertex]];
        for (int32_t c = 0; c < sim->curves.list.count; ++c) {
            const HedBend* curve = &sim->curves.list.data[c];
            if (curve->point[1] == place[vertex]) {
                HedVec3 x0 = sim->x.data[curve->point[0]];
                HedVec3 x1 = sim->x.data[curve->point[1]];
                HedVec3 x2 = sim->x.data[curve->point[2]];
                HedVec3 turn = hed_sub3(hed_mul3(curve->rest.inverse1, hed_sub3(x2, x1)),
                                        hed_mul3(curve->rest.inverse0, hed_sub3(x1, x0)));
                energy += 0.5 * curve->rest.stiffness * hed_dot3(turn, turn);
            }
        }
    }
    cr_assert(area > 0.0);
    return energy / area;
}

// Equilateral triangles, rolled along any direction: three lines through each point see
// cos^2(angle) of the curvature each, and cos^4 sums to 9/8 for every direction.
Test(bending, energy_of_a_cylinder_triangles) {
    const double radius = 0.1;
    for (int turn = 0; turn < 4; ++turn) {
        double axis = turn * PI / 12.0; // 0, 15, 30, 45 degrees
        double size[3];
        double error[3];
        for (int k = 0; k < 3; ++k) {
            int32_t cells = 12 << k;
            size[k] = 0.2 / cells;
            Mesh mesh = mesh_lattice(cells + 1, cells + 1, size[k]);
            roll(&mesh, radius, axis);
            HedSheetId sheet;
            HedSim* sim = make_rolled(&mesh, &sheet);
            double density = inner_density(sim, &mesh, sheet, size[k]);
            error[k] = fabs(density / (0.5 * 1e-5 / (radius * radius)) - 1.0);
            hed_sim_destroy(sim);
            mesh_free(&mesh);
        }
        double order = observed_order(size, error, 3);
        printf("triangles, %2.0f degrees: %.2e %.2e %.2e, order %.2f\n", axis * 180.0 / PI,
               error[0], error[1], error[2], order);
        cr_expect(fabs(order - 2.0) < 0.05);
        // Each line is short by (l cos/R)^2/6 at most, l = 0.2/48: 3e-4.
        cr_expect(error[2] < size[2] * size[2] / (6.0 * radius * radius));
    }
}

// An unstructured mesh of a disc in the xz plane, as garments have them.
static Mesh mesh_disc(double radius, double size) {
    HedMaterialPoint corners[3];
    HedPanelEdge edges[3];
    for (int k = 0; k < 3; ++k) {
        corners[k] =
            (HedMaterialPoint){radius * cos(2.0 * PI * k / 3.0), radius * sin(2.0 * PI * k / 3.0)};
        edges[k] = (HedPanelEdge){.start = k,
                                  .end = (k + 1) % 3,
                                  .kind = HED_EDGE_ARC,
                                  .radius = radius,
                                  .is_right = true};
    }
    HedPanelDef panel = hed_panel_def_default();
    panel.name = "disc";
    panel.vertices = corners;
    panel.vertex_count = 3;
    panel.edges = edges;
    panel.edge_count = 3;
    HedGarmentDef def = hed_garment_def_default();
    def.panels = &panel;
    def.panel_count = 1;
    def.target_size = size;
    HedGarment garment = {0};
    cr_assert_eq(hed_garment_create(&def, &garment, NULL), HED_OK);
    const HedPanel* made = &garment.panels[0];
    Mesh mesh = {.vertex_count = made->vertex_count, .triangle_count = made->triangle_count};
    mesh.vertices = calloc((size_t)mesh.vertex_count, sizeof *mesh.vertices);
    mesh.triangles = calloc(3 * (size_t)mesh.triangle_count, sizeof *mesh.triangles);
    cr_assert(mesh.vertices && mesh.triangles);
    for (int32_t k = 0; k < mesh.vertex_count; ++k) {
        mesh.vertices[k] = hed_vec3(made->material[k].u, 0.0, made->material[k].v);
    }
    for (int32_t k = 0; k < 3 * mesh.triangle_count; ++k) {
        mesh.triangles[k] = made->triangles[k];
    }
    hed_garment_free(&garment);
    return mesh;
}

// Energy of the shells that have three neighbours, over what a plate has: 1/2 D/R^2 per area.
static double shell_ratio(const Mesh* mesh, double radius) {
    const double rigidity = 1e-5;
    HedSimDef def = hed_sim_def_default();
    HedSheetDef sheet_def = mesh_sheet(mesh);
    sheet_def.model = HED_SHEET_MEMBRANE;
    sheet_def.bending = HED_BENDING_HINGES;
    sheet_def.bend_rigidity = rigidity;
    HedSim* sim = rig_sim(&def);
    rig_sheet(sim, &sheet_def);
    rig_prepare(sim);
    double energy = 0.0;
    double area = 0.0;
    for (int32_t k = 0; k < sim->shells.list.count; ++k) {
        const HedShellElement* shell = &sim->shells.list.data[k];
        const HedMembrane* membrane = &sim->membranes.list.data[k];
        cr_assert_eq(membrane->point[0], shell->point[0]);
        if (!shell->rest.has_side[0] || !shell->rest.has_side[1] || !shell->rest.has_side[2]) {
            continue;
        }
        HedVec3 x[HED_SHELL_POINTS];
        for (int i = 0; i < HED_SHELL_POINTS; ++i) {
            x[i] = sim->x.data[shell->point[i]];
        }
        HedShell state;
        double moment[3];
        hed_shell_eval(x, &shell->rest, &state);
        hed_shell_moments(shell->rest.q, state.angle, moment);
        energy += hed_shell_half_product(state.angle, moment);
        area += membrane->area;
    }
    hed_sim_destroy(sim);
    return energy / (0.5 * rigidity / (radius * radius) * area);
}

// Moves every vertex by up to a part of the edge each way.
static void shake(Mesh* mesh, double reach) {
    for (int32_t k = 0; k < mesh->vertex_count; ++k) {
        mesh->vertices[k].x += reach * (2.0 * hed_random_uniform(3, 1, (uint64_t)k) - 1.0);
        mesh->vertices[k].z += reach * (2.0 * hed_random_uniform(3, 2, (uint64_t)k) - 1.0);
    }
}

static Mesh shell_mesh(int kind, int32_t cells) {
    const double side = 0.2;
    Mesh mesh = kind == 0   ? mesh_grid(cells + 1, cells + 1, ZERO, hed_vec3(side, 0.0, 0.0),
                                        hed_vec3(0.0, 0.0, side))
                : kind == 2 ? mesh_disc(0.5 * side, side / cells)
                            : mesh_lattice(cells + 1, cells + 1, side / cells);
    mesh.columns = mesh.rows = 0;
    if (kind == 3) {
        shake(&mesh, 0.1 * side / cells);
    }
    return mesh;
}

// Shells rolled onto a cylinder hold 1/2 D/R^2 per area, whichever way they are rolled: to second
// order on regular meshes, right-angled or equilateral. Meshes of garments are regular but for rows
// along which parts of the lattice meet, so the error falls with their share of the area. Where all
// triangles are irregular a part of the error stays, as with every energy of one angle per side:
// the curvature of a triangle then scatters about that of the sheet, and the mean of squares counts
// this, too.
Test(bending, energy_of_a_cylinder_shells) {
    static const char* const KIND[4] = {"squares", "lattice", "garment", "shaken"};
    const double radius = 0.1;
    for (int kind = 0; kind < 4; ++kind) {
        double size[3], worst[3] = {0}, spread[3] = {0};
        for (int k = 0; k < 3; ++k) {
            int32_t cells = 10 << k;
            double low = HUGE_VAL, high = -HUGE_VAL;
            for (int turn = 0; turn < 4; ++turn) {
                Mesh mesh = shell_mesh(kind, cells);
                roll(&mesh, radius, turn * PI / 8.0);
                double off = shell_ratio(&mesh, radius) - 1.0;
                low = fmin(low, off);
                high = fmax(high, off);
                mesh_free(&mesh);
            }
            size[k] = 0.2 / cells;
            worst[k] = fmax(fabs(low), fabs(high));
            spread[k] = high - low;
        }
        printf("cylinder, %s: off by %.1e %.1e %.1e, directions differ by %.1e %.1e %.1e\n",
               KIND[kind], worst[0], worst[1], worst[2], spread[0], spread[1], spread[2]);
        if (kind < 2) {
            cr_expect(fabs(observed_order(size, worst, 3) - 2.0) < 0.05);
        } else if (kind == 2) {
            cr_expect(worst[2] < 0.01, "%.2e", worst[2]);
            cr_expect(spread[2] < 1e-3, "%.2e", spread[2]); // no direction is preferred
        } else {
            cr_expect(spread[2] < 0.25 * worst[2], "%.2e of %.2e", spread[2], worst[2]);
        }
    }
}

// A strip along x, one cell wide, whose first two columns are held: the edge of the clamp lies
// midway between them. With the free length L measured from there the places where it can bend
// stand in the middles of equal pieces, and the error is of second order.
typedef struct Strip {
    HedSim* sim;
    HedSheetId sheet;
    HedPinId tip; // if held
    double width;
    int32_t columns;
} Strip;

typedef struct StripDef {
    double length;   // m, from the clamp to the tip
    int32_t cells;   // from the first column to the tip
    double rigidity; // N m
    double gravity;  // m/s^2
    double lift;     // m, of the tip, if it is held; 0: it is free
    double drag;     // 1/s
    double step;     // s
} StripDef;

static const double STRIP_DENSITY = 0.1;  // kg/m^2
static const double STRIP_STRETCH = 2000; // N/m

static Strip make_strip(const StripDef* def) {
    double cell = def->length / (def->cells - 0.5);
    Mesh mesh = mesh_grid(def->cells + 1, 2, ZERO, hed_vec3(cell * def->cells, 0.0, 0.0),
                          hed_vec3(0.0, 0.0, cell));
    mesh_keep_rest(&mesh);
    HedSimDef sim_def = hed_sim_def_default();
    sim_def.time_step = def->step;
    sim_def.gravity = hed_vec3(0.0, -def->gravity, 0.0);
    sim_def.drag = def->drag;
    sim_def.thread_count = 1;
    sim_def.newton_tolerance = 1e-9;
    sim_def.linear_tolerance = 1e-8;
    sim_def.linear_iterations = 5000;
    HedSheetDef sheet_def = mesh_sheet(&mesh);
    sheet_def.density = STRIP_DENSITY;
    sheet_def.stretch = STRIP_STRETCH;
    sheet_def.bend_rigidity = def->rigidity;
    sheet_def.damping = 0.0;
    if (def->rigidity == 0.0) {
        sheet_def.bending = HED_BENDING_NONE;
    }
    int32_t c = def->cells;
    int32_t clamp[4] = {0, 1, c + 1, c + 2};
    int32_t tip[2] = {c, 2 * c + 1};
    if (def->lift != 0.0) {
        sim_def.newton_tolerance = 1e-16;
        sim_def.linear_tolerance = 1e-12;
        mesh.vertices[tip[0]].y = def->lift;
        mesh.vertices[tip[1]].y = def->lift;
    }
    Strip strip = {.sim = rig_sim(&sim_def), .width = cell, .columns = c + 1};
    strip.sheet = rig_sheet(strip.sim, &sheet_def);
    rig_pin(strip.sim, strip.sheet, clamp, 4);
    if (def->lift != 0.0) {
        strip.tip = rig_pin(strip.sim, strip.sheet, tip, 2);
    }
    mesh_free(&mesh);
    return strip;
}

// The tip is moved by a ten-thousandth of a percent of the length; the force there is
// F = 3 B b d / L^3. (Held at both ends the strip gets longer by 0.6 d^2/L: its tension S 0.6
// d^2/L^2 changes the force by S d^2/B = 2e-7 of it.)
Test(bending, a_clamped_strip_under_a_load_at_its_tip) {
    const double length = 0.1;
    const double rigidity = 1e-4;
    const double lift = 1e-7;
    double size[3];
    double error[3];
    for (int k = 0; k < 3; ++k) {
        int32_t cells = 8 << k;
        StripDef def = {length, cells, rigidity, 0.0, lift, 0.0, 1e3};
        Strip strip = make_strip(&def);
        rig_run(strip.sim, 2); // steps without inertia: equilibrium
        double force = rig_reaction(strip.sim, strip.sheet, strip.tip).y;
        double expected = 3.0 * rigidity * strip.width * lift / (length * length * length);
        size[k] = 1.0 / (cells - 0.5);
        error[k] = fabs(force / expected - 1.0);
        hed_sim_destroy(strip.sim);
    }
    double order = observed_order(size, error, 3);
    printf("load at the tip: %.2e %.2e %.2e, order %.2f\n", error[0], error[1], error[2], order);
    cr_expect(fabs(order - 2.0) < 0.2);
    // The sum over hinges, j cells from the tip, of (j h)^2 is less than the integral by (h/L)^2/4.
    cr_expect(error[2] < 0.26 * size[2] * size[2]);
}

// Drop over length of a strip under its own weight, beta = weight per length * L^3 / (B b).
static double heavy_drop(double beta, int32_t cells) {
    const double length = 0.1;
    const double gravity = 9.81;
    double rigidity = STRIP_DENSITY * gravity * length * length * length / beta;
    StripDef def = {length, cells, rigidity, gravity, 0.0, 5.0, 0.02};
    Strip strip = make_strip(&def);
    int64_t steps = rig_settle(strip.sim, strip.sheet, 1e-6, 2000);
    cr_assert(steps < 2000, "not quiet: %g m/s", rig_fastest(strip.sim, strip.sheet));
    // The two corners at the tip have 1/6 and 1/3 of a cell's mass instead of 1/4 each, and nothing
    // but the rows' own stiffness keeps the strip from twisting: the mean of both counts.
    double left = rig_position(strip.sim, strip.sheet, strip.columns - 1).y;
    double right = rig_position(strip.sim, strip.sheet, 2 * strip.columns - 1).y;
    double drop = -0.5 * (left + right) / length;
    hed_sim_destroy(strip.sim);
    return drop;
}

// Elastica under its own weight (inextensible, clamped level). beta = 1 and 8 by shooting with RK4,
// five digits; small beta: drop/L = beta/8. Axial strain is at most weight/S = 5e-5.
Test(bending, heavy_strip) {
    static const struct {
        double beta;
        double drop;
        double exact; // relative error of the value itself: digits, or beta^2 for the small one
    } CASES[] = {{0.01, 0.01 / 8.0, 1e-4}, {1.0, 0.12347, 5e-5}, {8.0, 0.64063, 1e-5}};
    for (int c = 0; c < 3; ++c) {
        double size[3];
        double error[3];
        for (int k = 0; k < 3; ++k) {
            int32_t cells = 8 << k;
            size[k] = 1.0 / (cells - 0.5);
            error[k] = fabs(heavy_drop(CASES[c].beta, cells) / CASES[c].drop - 1.0);
        }
        double order = observed_order(size, error, 3);
        printf("heavy strip, beta %g: %.2e %.2e %.2e, order %.2f\n", CASES[c].beta, error[0],
               error[1], error[2], order);
        // What the digits of the reference and the axial strain leave shows in the last run.
        cr_expect(fabs(order - 2.0) < 0.2, "order %.2f", order);
        // By the same sum (h/L)^2/2 for small turns, and less where the strip hangs.
        cr_expect(error[2] < 0.51 * size[2] * size[2] + CASES[c].exact, "beta %g: %.2e",
                  CASES[c].beta, error[2]);
    }
}

// A strip without bending, length 1.1 D, between two level ends: sag 0.20030 D, horizontal pull
// w a = 0.65496 w D, and each end carries half the weight. S = 2000 N/m stretches it by
// 0.855 w D/(S b) = 4e-4, which adds 0.94 times that (3/(16 sag)) to the sag; 40 pieces instead of
// a curve change it by about 1/40^2.
Test(bending, catenary) {
    const double span = 1.0;
    const int32_t cells = 40;
    double cell = 1.1 * span / cells;
    Mesh mesh =
        mesh_grid(cells + 1, 2, ZERO, hed_vec3(1.1 * span, 0.0, 0.0), hed_vec3(0.0, 0.0, cell));
    mesh_keep_rest(&mesh);
    for (int32_t k = 0; k < mesh.vertex_count; ++k) {
        // Folded in the middle to a V of the right length.
        int32_t column = k % (cells + 1);
        double s = fabs(2.0 * column / cells - 1.0);
        double depth = sqrt(0.55 * 0.55 - 0.25) * span;
        mesh.vertices[k].x = span * column / cells;
        mesh.vertices[k].y = -(1.0 - s) * depth;
    }
    HedSimDef def = hed_sim_def_default();
    def.time_step = 0.01;
    def.drag = 2.0;
    def.thread_count = 1;
    HedSheetDef sheet_def = mesh_sheet(&mesh);
    sheet_def.density = STRIP_DENSITY;
    sheet_def.stretch = STRIP_STRETCH;
    sheet_def.bending = HED_BENDING_NONE;
    HedSim* sim = rig_sim(&def);
    HedSheetId sheet = rig_sheet(sim, &sheet_def);
    int32_t left[2] = {0, cells + 1};
    int32_t right[2] = {cells, 2 * cells + 1};
    HedPinId pins[2] = {rig_pin(sim, sheet, left, 2), rig_pin(sim, sheet, right, 2)};
    int64_t steps = rig_settle(sim, sheet, 1e-4, 3000);
    double weight = STRIP_DENSITY * 9.81 * cell; // N/m, per length
    double sag = -rig_position(sim, sheet, cells / 2).y / span;
    HedVec3 f[2] = {rig_reaction(sim, sheet, pins[0]), rig_reaction(sim, sheet, pins[1])};
    printf("catenary: sag %.5f (0.20030), pull %.5f (0.65496) after %lld steps\n", sag,
           f[1].x / (weight * span), (long long)steps);
    // With L = 2 a sinh(1/2a) strain alters the sag by 5.6 times as much, and the polygon by
    // 1/40^2.
    cr_expect(fabs(sag / 0.20030 - 1.0) < 3e-3);
    // The pull, per stretched length, by 6.3 times the strain, and as much for the polygon.
    cr_expect(fabs(f[1].x / (weight * span) / 0.65496 - 1.0) < 3.3e-3);
    // Points move at up to 1e-4 m/s: drag takes 2e-5 of the weight, and so does what slows down.
    cr_expect(fabs(f[0].x + f[1].x) < 1e-4 * f[1].x);
    // The points move at up to 1e-4 m/s; 1 % of the weight would move them much faster.
    cr_expect(fabs((f[0].y + f[1].y) / (1.1 * weight * span) - 1.0) < 1e-2);
    // As for the pull.
    cr_expect(fabs(f[0].y / f[1].y - 1.0) < 1e-4);
    hed_sim_destroy(sim);
    mesh_free(&mesh);
}
