// SPDX-License-Identifier: MIT
#include "support/rig.h"
#include "base/hash.h"
#include "sim/internal.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

HedSim* rig_sim(const HedSimDef* def) {
    HedError error = {0};
    HedSim* sim = NULL;
    cr_assert_eq(hed_sim_create(def, &sim, &error), HED_OK, "%s", error.message);
    return sim;
}

HedSheetId rig_sheet(HedSim* sim, const HedSheetDef* def) {
    HedError error = {0};
    HedSheetId id = {0};
    cr_assert_eq(hed_sheet_create(sim, def, &id, &error), HED_OK, "%s", error.message);
    return id;
}

HedYarnsId rig_yarn_line(HedSim* sim, const HedYarnsDef* def, HedVec3 from, HedVec3 to,
                         int32_t count) {
    HedVec3* vertices = calloc((size_t)count, sizeof *vertices);
    HedCurve curve = {.count = count, .color = HED_COLOR_NONE};
    for (int32_t k = 0; k < count; ++k) {
        vertices[k] = hed_lerp3(from, to, (double)k / (count - 1));
    }
    HedYarnsDef line = *def;
    line.vertices = vertices;
    line.vertex_count = count;
    line.curves = &curve;
    line.curve_count = 1;
    HedYarnsId id;
    HedError error = {0};
    cr_assert_eq(hed_yarns_create(sim, &line, &id, &error), HED_OK, "%s", error.message);
    free(vertices);
    return id;
}

HedBodyId rig_body(HedSim* sim, const HedBodyDef* def) {
    HedError error = {0};
    HedBodyId id = {0};
    cr_assert_eq(hed_body_create(sim, def, &id, &error), HED_OK, "%s", error.message);
    return id;
}

HedPinId rig_pin_def(HedSim* sim, const HedPinDef* def) {
    HedError error = {0};
    HedPinId id = {0};
    cr_assert_eq(hed_pin_create(sim, def, &id, &error), HED_OK, "%s", error.message);
    return id;
}

HedPinId rig_pin(HedSim* sim, HedSheetId sheet, const int32_t* vertices, int32_t count) {
    HedPinDef def = hed_pin_def_default();
    def.sheet = sheet;
    def.vertices = vertices;
    def.vertex_count = count;
    return rig_pin_def(sim, &def);
}

void rig_wind(HedSim* sim, const HedWindDef* def) {
    HedError error = {0};
    cr_assert_eq(hed_sim_set_wind(sim, def, &error), HED_OK, "%s", error.message);
}

void rig_prepare(HedSim* sim) {
    HedError error = {0};
    cr_assert_eq(hed_sim_prepare(sim, &error), HED_OK, "%s", error.message);
}

HedStepReport rig_step(HedSim* sim) {
    HedError error = {0};
    HedStepReport report = {0};
    cr_assert_eq(hed_sim_step(sim, &report, &error), HED_OK, "%s", error.message);
    cr_assert_eq(report.reason, HED_REASON_CONVERGED, "%s, step %lld: %s",
                 hed_reason_name(report.reason), (long long)hed_sim_steps(sim), report.trouble);
    return report;
}

HedStepReport rig_run(HedSim* sim, int64_t steps) {
    HedStepReport report = {0};
    for (int64_t k = 0; k < steps; ++k) {
        report = rig_step(sim);
    }
    return report;
}

double rig_fastest(const HedSim* sim, HedSheetId sheet) {
    double fastest = 0.0;
    for (int32_t k = 0; k < hed_sheet_vertex_count(sim, sheet); ++k) {
        fastest = fmax(fastest, hed_norm3(rig_velocity(sim, sheet, k)));
    }
    return fastest;
}

int64_t rig_settle(HedSim* sim, HedSheetId sheet, double speed, int64_t most) {
    int64_t steps = 0;
    do {
        rig_step(sim);
        ++steps;
    } while (steps < most && rig_fastest(sim, sheet) > speed);
    return steps;
}

static int32_t point_of(const HedSim* sim, HedSheetId sheet, int32_t vertex) {
    return sim->cloths.data[sheet.index - 1].place[vertex];
}

HedVec3 rig_position(const HedSim* sim, HedSheetId sheet, int32_t vertex) {
    return sim->x.data[point_of(sim, sheet, vertex)];
}

HedVec3 rig_velocity(const HedSim* sim, HedSheetId sheet, int32_t vertex) {
    return sim->v.data[point_of(sim, sheet, vertex)];
}

void rig_set_velocity(HedSim* sim, HedSheetId sheet, int32_t vertex, HedVec3 v) {
    sim->v.data[point_of(sim, sheet, vertex)] = v;
}

HedVec3 rig_reaction(const HedSim* sim, HedSheetId sheet, HedPinId pin) {
    HedError error = {0};
    HedMeasureDef def = {.kind = HED_MEASURE_REACTION, .sheet = sheet, .pin = pin};
    double f[3];
    cr_assert_eq(hed_sim_measure(sim, &def, f, &error), HED_OK, "%s", error.message);
    return hed_vec3(f[0], f[1], f[2]);
}

double rig_potential(const HedSim* sim, const char* name) {
    HedEnergies energies = hed_sim_energies(sim);
    for (int32_t k = 0; k < energies.potential_count; ++k) {
        if (strcmp(energies.potential_name[k], name) == 0) {
            return energies.potential[k];
        }
    }
    cr_assert_fail("no energy is named '%s'", name);
    return 0.0;
}

uint8_t* rig_save(HedSim* sim) {
    HedSnapshotArray arrays[HED_SNAPSHOT_LIMIT];
    int32_t count = hed_sim_snapshot(sim, arrays);
    int64_t size = 0;
    for (int32_t k = 0; k < count; ++k) {
        size += arrays[k].bytes;
    }
    uint8_t* bytes = malloc((size_t)size);
    uint8_t* next = bytes;
    for (int32_t k = 0; k < count; ++k) {
        if (arrays[k].bytes > 0) {
            memcpy(next, arrays[k].data, (size_t)arrays[k].bytes);
            next += arrays[k].bytes;
        }
    }
    return bytes;
}

void rig_restore(HedSim* sim, const uint8_t* bytes) {
    HedSnapshotArray arrays[HED_SNAPSHOT_LIMIT];
    int32_t count = hed_sim_snapshot(sim, arrays);
    for (int32_t k = 0; k < count; ++k) {
        memcpy(arrays[k].data, bytes, (size_t)arrays[k].bytes);
        bytes += arrays[k].bytes;
    }
    cr_assert_eq(hed_sim_restored(sim, NULL), HED_OK);
}

uint64_t rig_hash(HedSim* sim) {
    size_t bytes = sizeof(HedVec3) * (size_t)sim->x.count;
    uint64_t hash = hed_hash(0, sim->x.data, bytes);
    return hed_hash(hash, sim->v.data, bytes);
}

Momentum rig_momentum(const HedSim* sim) {
    Momentum sum = {0};
    for (int32_t i = 0; i < sim->x.count; ++i) {
        double m = sim->mass.data[i];
        HedVec3 x = sim->x.data[i];
        HedVec3 v = sim->v.data[i];
        sum.mass += m;
        sum.linear = hed_madd3(sum.linear, m, v);
        sum.angular = hed_madd3(sum.angular, m, hed_cross3(x, v));
        sum.centre = hed_madd3(sum.centre, m, x);
    }
    sum.centre = hed_mul3(1.0 / sum.mass, sum.centre);
    return sum;
}

double observed_order(const double* size, const double* error, int n) {
    return log(error[0] / error[n - 1]) / log(size[0] / size[n - 1]);
}
