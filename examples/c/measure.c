// SPDX-License-Identifier: MIT
// Do the pins carry the cloth's weight, and where does its energy go?
#include <heddle/heddle.h>

#include <math.h>
#include <stdio.h>

enum { SIDE = 11, POINTS = SIDE * SIDE, TRIANGLES = 2 * (SIDE - 1) * (SIDE - 1) };

static const double SIZE = 0.3; // m

static void make_square(HedVec3* vertices, int32_t* triangles) {
    for (int32_t i = 0; i < POINTS; ++i) {
        int32_t column = i % SIDE;
        int32_t row = i / SIDE;
        vertices[i] = (HedVec3){SIZE * column / (SIDE - 1), -SIZE * row / (SIDE - 1), 0.0};
        if (column + 1 < SIDE && row + 1 < SIDE) {
            const int32_t two[6] = {i, i + SIDE, i + SIDE + 1, i, i + SIDE + 1, i + 1};
            for (int k = 0; k < 6; ++k) {
                *triangles++ = two[k];
            }
        }
    }
}

static HedStatus build(HedSim** sim, HedMeasureDef* pull, HedError* error) {
    static HedVec3 vertices[POINTS];
    static int32_t triangles[3 * TRIANGLES];
    const int32_t corners[2] = {0, SIDE - 1};
    make_square(vertices, triangles);
    HedSimDef def = hed_sim_def_default();
    def.drag = 2.0; // to come to rest soon
    HedSheetDef cloth = hed_sheet_def_default();
    cloth.vertices = vertices;
    cloth.vertex_count = POINTS;
    cloth.triangles = triangles;
    cloth.triangle_count = TRIANGLES;
    cloth.grid_columns = cloth.grid_rows = SIDE;
    HedPinDef pin = hed_pin_def_default();
    pin.vertices = corners;
    pin.vertex_count = 2;
    HedStatus status = hed_sim_create(&def, sim, error);
    if (status == HED_OK) {
        status = hed_sheet_create(*sim, &cloth, &pull->sheet, error);
    }
    if (status == HED_OK) {
        pin.sheet = pull->sheet;
        status = hed_pin_create(*sim, &pin, &pull->pin, error);
    }
    return status == HED_OK ? hed_sim_prepare(*sim, error) : status;
}

static void print_energies(const HedSim* sim) {
    HedEnergies e = hed_sim_energies(sim);
    printf("energies in mJ: kinetic %.3f", 1e3 * e.kinetic);
    for (int32_t k = 0; k < e.potential_count; ++k) {
        printf(", %s %.3f", e.potential_name[k], 1e3 * e.potential[k]);
    }
    printf(", dissipated %.3f, total %.3f\n", 1e3 * e.dissipated, 1e3 * e.total);
}

int main(void) {
    HedError error;
    HedSim* sim = NULL;
    HedMeasureDef pull = {.kind = HED_MEASURE_REACTION};
    HedStatus status = build(&sim, &pull, &error);
    HedMeasureDef strain = {.kind = HED_MEASURE_STRAIN, .sheet = pull.sheet};
    double force[3] = {0};
    double weight = hed_sheet_def_default().density * SIZE * SIZE * 9.81;
    for (int step = 0; step <= 900 && status == HED_OK; ++step) {
        if (step % 300 == 0) {
            double s[3] = {0};
            status = hed_sim_measure(sim, &pull, force, &error);
            if (status == HED_OK) {
                status = hed_sim_measure(sim, &strain, s, &error);
            }
            printf("%.0f s: pins carry %.4f N of %.4f N, strain %.2f %% at most\n",
                   hed_sim_time(sim), force[1], weight, 100.0 * s[1]);
            print_energies(sim);
        }
        if (status == HED_OK && step < 900) {
            status = hed_sim_step(sim, NULL, &error);
        }
    }
    hed_sim_destroy(sim);
    if (status != HED_OK) {
        fprintf(stderr, "measure: %s\n", error.message);
        return 1;
    }
    bool carries = fabs(force[1] / weight - 1.0) < 0.01;
    printf("at rest the pins %s the weight\n", carries ? "carry" : "do not carry");
    return carries ? 0 : 1;
}
