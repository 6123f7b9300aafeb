// SPDX-License-Identifier: MIT
#include "support/rig.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

// Of lengths, areas and strains below 1 and speeds below 10, sums over a hundred triangles or
// springs.
static const double ROUNDING = 1e-14;
// Of shadows, relative: half a pixel at either end is 1/2000 of the longer side, of up to 0.4 m,
// and 8e-4 of the other, of 0.26 m.
static const double PICTURE = 1.3e-3;

static const HedVec3 ZERO = {0.0, 0.0, 0.0};

static HedSim* make_sim(const Mesh* mesh, HedVec3 gravity, HedSheetId* sheet) {
    HedSimDef def = hed_sim_def_default();
    def.gravity = gravity;
    HedSheetDef sheet_def = mesh_sheet(mesh);
    HedSim* sim = rig_sim(&def);
    *sheet = rig_sheet(sim, &sheet_def);
    rig_prepare(sim);
    return sim;
}

static void measure(const HedSim* sim, HedMeasureDef def, double values[3]) {
    HedError error = {0};
    cr_assert_eq(hed_sim_measure(sim, &def, values, &error), HED_OK, "%s", error.message);
}

static double measure_one(const HedSim* sim, HedMeasureKind kind, HedSheetId sheet) {
    double values[3];
    measure(sim, (HedMeasureDef){.kind = kind, .sheet = sheet}, values);
    return values[0];
}

// A rectangle of 0.4 m x 0.3 m tilted by 30 degrees about x.
static Mesh tilted(void) {
    double c = cos(acos(-1.0) / 6.0);
    return mesh_grid(9, 7, hed_vec3(0.1, 0.2, 0.3), hed_vec3(0.4, 0.0, 0.0),
                     hed_vec3(0.0, 0.3 * 0.5, 0.3 * c));
}

Test(measure, points) {
    Mesh mesh = tilted();
    HedSheetId sheet;
    HedSim* sim = make_sim(&mesh, hed_vec3(0.0, -9.81, 0.0), &sheet);
    rig_set_velocity(sim, sheet, 17, hed_vec3(2.0, 3.0, 6.0));
    double v[3];
    measure(sim, (HedMeasureDef){.kind = HED_MEASURE_POSITION, .sheet = sheet, .a = 17}, v);
    cr_expect(v[0] == mesh.vertices[17].x && v[1] == mesh.vertices[17].y &&
              v[2] == mesh.vertices[17].z);
    measure(sim, (HedMeasureDef){.kind = HED_MEASURE_SPEED, .sheet = sheet, .a = 17}, v);
    cr_expect_float_eq(v[0], 7.0, ROUNDING);
    measure(sim, (HedMeasureDef){.kind = HED_MEASURE_DISTANCE, .sheet = sheet, .a = 0, .b = 62}, v);
    cr_expect_float_eq(v[0], 0.5, 1e-14); // the diagonal of 0.4 x 0.3
    measure(sim, (HedMeasureDef){.kind = HED_MEASURE_EXTENT, .sheet = sheet}, v);
    cr_expect_float_eq(v[0], 0.4, ROUNDING);
    cr_expect_float_eq(v[1], 0.15, ROUNDING);
    cr_expect_float_eq(v[2], 0.3 * sqrt(0.75), ROUNDING);
    hed_sim_destroy(sim);
    mesh_free(&mesh);
}

// Seen along gravity a tilted rectangle shows its area times the cosine; the picture has 2000
// pixels on its longer side, so each of its sides is right to half a pixel at either end.
Test(measure, area_and_shadow) {
    Mesh mesh = tilted();
    HedSheetId sheet;
    HedSim* sim = make_sim(&mesh, hed_vec3(0.0, -9.81, 0.0), &sheet);
    cr_expect_float_eq(measure_one(sim, HED_MEASURE_AREA, sheet), 0.12, ROUNDING);
    cr_expect_float_eq(measure_one(sim, HED_MEASURE_SHADOW, sheet), 0.12 * sqrt(0.75),
                       PICTURE * 0.12);
    hed_sim_destroy(sim);
    // Along its own normal the whole, without gravity from above.
    sim = make_sim(&mesh, hed_vec3(0.0, -sqrt(0.75), 0.5), &sheet);
    cr_expect_float_eq(measure_one(sim, HED_MEASURE_SHADOW, sheet), 0.12, PICTURE * 0.12);
    hed_sim_destroy(sim);
    sim = make_sim(&mesh, ZERO, &sheet);
    cr_expect_float_eq(measure_one(sim, HED_MEASURE_SHADOW, sheet), 0.12 * sqrt(0.75),
                       PICTURE * 0.12);
    hed_sim_destroy(sim);
    mesh_free(&mesh);
}

// A sheet folded onto itself throws the shadow of one layer.
Test(measure, a_fold_counts_once) {
    Mesh mesh = mesh_grid(21, 11, ZERO, hed_vec3(0.4, 0.0, 0.0), hed_vec3(0.0, 0.0, 0.2));
    for (int32_t k = 0; k < mesh.vertex_count; ++k) {
        if (mesh.vertices[k].x > 0.2) {
            mesh.vertices[k].x = 0.4 - mesh.vertices[k].x;
            mesh.vertices[k].y = 0.01;
        }
    }
    HedSheetId sheet;
    HedSim* sim = make_sim(&mesh, hed_vec3(0.0, -9.81, 0.0), &sheet);
    cr_expect_float_eq(measure_one(sim, HED_MEASURE_SHADOW, sheet), 0.04, PICTURE * 0.04);
    hed_sim_destroy(sim);
    mesh_free(&mesh);
}

// Stretched by 2 % across and pressed by 1 % down: the mean over 8 x 7 springs across and 9 x 6
// down (columns 9, rows 7), the largest is 2 %.
Test(measure, strain) {
    Mesh mesh = tilted();
    mesh_keep_rest(&mesh);
    for (int32_t k = 0; k < mesh.vertex_count; ++k) {
        HedVec3 d = hed_sub3(mesh.rest[k], mesh.rest[0]);
        mesh.vertices[k] = hed_vec3(1.02 * d.x, 0.99 * d.y, 0.99 * d.z);
    }
    HedSheetId sheet;
    HedSim* sim = make_sim(&mesh, ZERO, &sheet);
    double v[3];
    measure(sim, (HedMeasureDef){.kind = HED_MEASURE_STRAIN, .sheet = sheet}, v);
    cr_expect_float_eq(v[0], (56 * 0.02 - 54 * 0.01) / 110.0, ROUNDING);
    cr_expect_float_eq(v[1], 0.02, ROUNDING);
    hed_sim_destroy(sim);
    mesh_free(&mesh);
}

// Two sheets in one simulation do not mix.
Test(measure, each_sheet_for_itself) {
    Mesh mesh = tilted();
    Mesh small = mesh_grid(3, 3, ZERO, hed_vec3(0.1, 0.0, 0.0), hed_vec3(0.0, 0.0, 0.1));
    HedSimDef def = hed_sim_def_default();
    HedSheetDef first = mesh_sheet(&mesh);
    HedSheetDef second = mesh_sheet(&small);
    HedSim* sim = rig_sim(&def);
    HedSheetId a = rig_sheet(sim, &first);
    HedSheetId b = rig_sheet(sim, &second);
    rig_prepare(sim);
    cr_expect_float_eq(measure_one(sim, HED_MEASURE_AREA, a), 0.12, ROUNDING);
    cr_expect_float_eq(measure_one(sim, HED_MEASURE_AREA, b), 0.01, 0.1 * ROUNDING);
    cr_expect_float_eq(measure_one(sim, HED_MEASURE_SHADOW, b), 0.01, PICTURE * 0.01);
    HedSimSize size = hed_sim_size(sim);
    cr_expect(size.points == 63 + 9 && size.triangles == 96 + 8 && size.bodies == 0);
    hed_sim_destroy(sim);
    mesh_free(&mesh);
    mesh_free(&small);
}

// All of a still sheet held: the pin carries its weight, density * area * g.
Test(measure, reaction) {
    Mesh mesh = mesh_grid(3, 3, ZERO, hed_vec3(0.1, 0.0, 0.0), hed_vec3(0.0, 0.0, 0.1));
    HedSimDef def = hed_sim_def_default();
    HedSheetDef sheet_def = mesh_sheet(&mesh);
    HedSim* sim = rig_sim(&def);
    HedSheetId sheet = rig_sheet(sim, &sheet_def);
    const int32_t all[9] = {0, 1, 2, 3, 4, 5, 6, 7, 8};
    HedPinId pin = rig_pin(sim, sheet, all, 9);
    rig_prepare(sim);
    HedVec3 f = rig_reaction(sim, sheet, pin);
    cr_expect(hed_distance3(f, hed_vec3(0.0, 0.15 * 0.01 * 9.81, 0.0)) < 0.01 * ROUNDING);
    HedMeasureDef bad = {.kind = HED_MEASURE_REACTION, .sheet = sheet, .pin = {2, pin.stamp}};
    double v[3];
    HedError error = {0};
    cr_expect_eq(hed_sim_measure(sim, &bad, v, &error), HED_INVALID);
    cr_expect(strstr(error.message, "pin"));
    hed_sim_destroy(sim);
    mesh_free(&mesh);
}

Test(measure, bad_defs_are_refused) {
    Mesh mesh = tilted();
    HedSimDef def = hed_sim_def_default();
    HedSheetDef sheet_def = mesh_sheet(&mesh);
    HedSim* sim = rig_sim(&def);
    HedSheetId sheet = rig_sheet(sim, &sheet_def);
    double v[3] = {1.0, 1.0, 1.0};
    HedMeasureDef good = {.kind = HED_MEASURE_POSITION, .sheet = sheet};
    cr_expect_eq(hed_sim_measure(sim, &good, v, NULL), HED_INVALID, "not prepared");
    cr_expect(v[0] == 0.0 && v[1] == 0.0 && v[2] == 0.0);
    rig_prepare(sim);
    HedError error = {0};
    HedMeasureDef bad = good;
    bad.a = 63;
    cr_expect_eq(hed_sim_measure(sim, &bad, v, &error), HED_INVALID);
    cr_expect(strstr(error.message, "63"));
    bad.a = -1;
    cr_expect_eq(hed_sim_measure(sim, &bad, v, &error), HED_INVALID);
    bad = good;
    bad.kind = HED_MEASURE_DISTANCE;
    bad.b = 99;
    cr_expect_eq(hed_sim_measure(sim, &bad, v, &error), HED_INVALID);
    bad = good;
    bad.kind = HED_MEASURE_COUNT;
    cr_expect_eq(hed_sim_measure(sim, &bad, v, &error), HED_INVALID);
    bad = good;
    bad.sheet.index = 2;
    cr_expect_eq(hed_sim_measure(sim, &bad, v, &error), HED_INVALID);
    bad.sheet = (HedSheetId){1, 12345};
    cr_expect_eq(hed_sim_measure(sim, &bad, v, &error), HED_INVALID);
    HedMeasureDef shadow = {.kind = HED_MEASURE_SHADOW, .sheet = sheet};
    hed_alloc_fail_at(1);
    cr_expect_eq(hed_sim_measure(sim, &shadow, v, &error), HED_NO_MEMORY);
    hed_alloc_fail_at(0);
    hed_sim_destroy(sim);
    mesh_free(&mesh);
}

Test(measure, names_and_widths) {
    static const struct {
        const char* name;
        int32_t width;
        const char* part[3];
    } EXPECTED[HED_MEASURE_COUNT] = {
        {"position", 3, {"x", "y", "z"}},
        {"speed", 1, {"", "", ""}},
        {"distance", 1, {"", "", ""}},
        {"area", 1, {"", "", ""}},
        {"shadow", 1, {"", "", ""}},
        {"extent", 3, {"x", "y", "z"}},
        {"strain", 2, {"mean", "largest", ""}},
        {"reaction", 3, {"x", "y", "z"}},
        {"gauge", 2, {"length", "force", ""}},
    };
    for (int k = 0; k < HED_MEASURE_COUNT; ++k) {
        cr_expect_str_eq(hed_measure_name((HedMeasureKind)k), EXPECTED[k].name);
        cr_expect_eq(hed_measure_width((HedMeasureKind)k), EXPECTED[k].width);
        for (int p = 0; p < 3; ++p) {
            cr_expect_str_eq(hed_measure_part((HedMeasureKind)k, p), EXPECTED[k].part[p]);
        }
    }
    cr_expect_str_eq(hed_measure_name(HED_MEASURE_COUNT), "unknown");
    cr_expect_eq(hed_measure_width(HED_MEASURE_COUNT), 0);
    cr_expect_str_eq(hed_measure_part(HED_MEASURE_POSITION, 3), "");
}
