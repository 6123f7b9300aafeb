// SPDX-License-Identifier: MIT
// How hard does the wind pull at a flag? A pole holds one side; the reaction of the pin is the
// pull.
#include <heddle/heddle.h>

#include <math.h>
#include <stdio.h>

enum {
    COLUMNS = 13,
    ROWS = 9,
    POINTS = COLUMNS * ROWS,
    TRIANGLES = 2 * (COLUMNS - 1) * (ROWS - 1)
};

static const double WIDTH = 0.6, HEIGHT = 0.4; // m

static void make_flag(HedVec3* vertices, int32_t* triangles) {
    for (int32_t i = 0; i < POINTS; ++i) {
        int32_t column = i % COLUMNS;
        int32_t row = i / COLUMNS;
        vertices[i] = (HedVec3){WIDTH * column / (COLUMNS - 1), -HEIGHT * row / (ROWS - 1), 0.0};
        if (column + 1 < COLUMNS && row + 1 < ROWS) {
            const int32_t two[6] = {i, i + COLUMNS, i + COLUMNS + 1, i, i + COLUMNS + 1, i + 1};
            for (int k = 0; k < 6; ++k) {
                *triangles++ = two[k];
            }
        }
    }
}

// Mean pull along the wind over the second half of a second, N; negative if something failed.
static double mean_pull(double speed, const HedSheetDef* flag, HedError* error) {
    int32_t pole[ROWS];
    for (int32_t row = 0; row < ROWS; ++row) {
        pole[row] = row * COLUMNS;
    }
    HedSimDef def = hed_sim_def_default();
    def.time_step = 1.0 / 200.0;
    HedWindDef wind = hed_wind_def_default();
    wind.velocity = (HedVec3){speed, 0.0, 0.15 * speed}; // a little from the side
    wind.gust = 0.1;
    HedPinDef pin = hed_pin_def_default();
    pin.vertices = pole;
    pin.vertex_count = ROWS;
    HedMeasureDef pull = {.kind = HED_MEASURE_REACTION};
    HedSim* sim = NULL;
    HedStatus status = hed_sim_create(&def, &sim, error);
    if (status == HED_OK) {
        status = hed_sheet_create(sim, flag, &pull.sheet, error);
    }
    if (status == HED_OK) {
        pin.sheet = pull.sheet;
        status = hed_pin_create(sim, &pin, &pull.pin, error);
    }
    if (status == HED_OK) {
        status = hed_sim_set_wind(sim, &wind, error);
    }
    double sum = 0.0;
    for (int k = 0; k < 200 && status == HED_OK; ++k) {
        double force[3] = {0};
        status = hed_sim_step(sim, NULL, error);
        if (status == HED_OK && k >= 100) {
            status = hed_sim_measure(sim, &pull, force, error);
        }
        sum -= force[0]; // the pin pulls the flag back
    }
    hed_sim_destroy(sim);
    return status == HED_OK ? sum / 100.0 : -1.0;
}

int main(void) {
    static HedVec3 vertices[POINTS];
    static int32_t triangles[3 * TRIANGLES];
    make_flag(vertices, triangles);
    HedSheetDef flag = hed_sheet_def_default();
    flag.name = "flag";
    flag.vertices = vertices;
    flag.vertex_count = POINTS;
    flag.triangles = triangles;
    flag.triangle_count = TRIANGLES;
    flag.grid_columns = COLUMNS;
    flag.grid_rows = ROWS;
    flag.stretch = 100.0;
    flag.damping = 3e-3;

    printf("wind m/s   pull N   of a plate facing it\n");
    for (double speed = 2.0; speed <= 8.0; speed *= 2.0) {
        HedError error;
        double pull = mean_pull(speed, &flag, &error);
        if (pull < 0.0) {
            fprintf(stderr, "wind: %s\n", error.message);
            return 1;
        }
        // A plate of the same size that faces the wind: 1/2 rho Cn A U^2.
        double plate = 0.5 * 1.2 * 1.2 * WIDTH * HEIGHT * speed * speed;
        printf("%8.0f %8.3f %8.1f %%\n", speed, pull, 100.0 * pull / plate);
    }
    return 0;
}
