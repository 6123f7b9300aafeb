// SPDX-License-Identifier: MIT
// How do I drop a cloth on a ball?
#include <heddle/heddle.h>

#include <stdio.h>

enum { SIDE = 21, POINTS = SIDE * SIDE, TRIANGLES = 2 * (SIDE - 1) * (SIDE - 1) };

// A level square of 0.4 m, 2 cm above the ball.
static void make_square(HedVec3* vertices, int32_t* triangles) {
    for (int32_t row = 0; row < SIDE; ++row) {
        for (int32_t column = 0; column < SIDE; ++column) {
            int32_t i = row * SIDE + column;
            double step = 0.4 / (SIDE - 1);
            vertices[i] = (HedVec3){-0.2 + step * column, 0.12, -0.2 + step * row};
            if (row + 1 < SIDE && column + 1 < SIDE) {
                const int32_t two[6] = {i, i + SIDE, i + SIDE + 1, i, i + SIDE + 1, i + 1};
                for (int k = 0; k < 6; ++k) {
                    *triangles++ = two[k];
                }
            }
        }
    }
}

static int fail(const HedError* error) {
    fprintf(stderr, "hello: %s\n", error->message);
    return 1;
}

int main(void) {
    static HedVec3 vertices[POINTS];
    static int32_t triangles[3 * TRIANGLES];
    make_square(vertices, triangles);

    HedError error;
    HedSim* sim = NULL;
    HedSimDef def = hed_sim_def_default();
    if (hed_sim_create(&def, &sim, &error) != HED_OK) {
        return fail(&error);
    }

    // Every def has a default function; change what matters.
    HedSheetDef cloth = hed_sheet_def_default();
    cloth.vertices = vertices;
    cloth.vertex_count = POINTS;
    cloth.triangles = triangles;
    cloth.triangle_count = TRIANGLES;
    cloth.grid_columns = cloth.grid_rows = SIDE; // springs along rows and columns
    cloth.stretch = 100.0;
    cloth.bend_rigidity = 1e-5;
    HedSheetId sheet;
    HedBodyDef ball = hed_body_def_default();
    ball.shape = HED_SPHERE;
    ball.radius = 0.1;
    HedBodyId body;
    if (hed_sheet_create(sim, &cloth, &sheet, &error) != HED_OK ||
        hed_body_create(sim, &ball, &body, &error) != HED_OK) {
        hed_sim_destroy(sim);
        return fail(&error);
    }

    int code = 0;
    for (int frame = 0; frame <= 4 && code == 0; ++frame) {
        HedStepReport report = {0};
        for (int k = 0; k < 15 && frame > 0 && code == 0; ++k) {
            if (hed_sim_step(sim, &report, &error) != HED_OK) {
                code = fail(&error);
            } else if (report.reason != HED_REASON_CONVERGED) {
                printf("gave up: %s\n", report.trouble); // an outcome, not an error
                code = 1;
            }
        }
        hed_sheet_positions(sim, sheet, vertices);
        printf("%.2f s: middle at %.3f m, corner at %.3f m, %d contacts\n", hed_sim_time(sim),
               vertices[POINTS / 2].y, vertices[0].y, report.contact_count);
    }
    hed_sim_destroy(sim);
    return code;
}
