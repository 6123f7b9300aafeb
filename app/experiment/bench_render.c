// SPDX-License-Identifier: MIT
// Speed of pictures: rays per second with shading, against casting the very same rays again with
// Embree alone. The least time of several rounds counts; the spread over rounds stands beside it.
#include "experiment/list.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SCENES = 2, ROUNDS = 7, YARNS = 160, POINTS = 200, SIDE = 300 };

static const char* const NAMES[SCENES] = {"yarns", "sheet"};

// One object with its arrays.
typedef struct Thing {
    HedSeriesObject object;
    HedVec3* positions;
    HedCurve* curves;
    int32_t* triangles;
} Thing;

static bool make_room(Thing* t, int32_t vertices, int32_t curves, int32_t triangles) {
    t->positions = calloc((size_t)vertices, sizeof *t->positions);
    t->curves = calloc((size_t)curves + 1, sizeof *t->curves);
    t->triangles = calloc(3 * (size_t)triangles + 1, sizeof *t->triangles);
    t->object = (HedSeriesObject){.name = "thing",
                                  .kind = curves ? HED_OBJECT_YARNS : HED_OBJECT_SHEET,
                                  .vertex_count = vertices,
                                  .triangles = t->triangles,
                                  .triangle_count = triangles,
                                  .curves = t->curves,
                                  .curve_count = curves};
    return t->positions && t->curves && t->triangles;
}

// A plain weave: half of the yarns along x, half along z, over and under.
static bool build_yarns(Thing* t) {
    const double pi = 3.14159265358979323846;
    if (!make_room(t, YARNS * POINTS, YARNS, 0)) {
        return false;
    }
    int32_t half = YARNS / 2;
    double pitch = 1.0 / half;
    for (int32_t i = 0; i < YARNS; ++i) {
        bool is_warp = i < half;
        int32_t row = i % half;
        t->curves[i] = (HedCurve){
            .first = i * POINTS, .count = POINTS, .color = HED_COLOR_NONE, .radius = 0.22 * pitch};
        for (int32_t k = 0; k < POINTS; ++k) {
            double along = (double)k / (POINTS - 1);
            double across = (row + 0.5) * pitch;
            double phase = pi * (along / pitch + row + (is_warp ? 1.0 : 0.0));
            double y = 0.24 * pitch * sin(phase) + 0.05 * sin(5.0 * along + 3.0 * across);
            t->positions[i * POINTS + k] = is_warp ? (HedVec3){along - 0.5, y, across - 0.5}
                                                   : (HedVec3){across - 0.5, y, along - 0.5};
        }
    }
    return true;
}

// A cloth with folds.
static bool build_sheet(Thing* t) {
    int32_t cells = (SIDE - 1) * (SIDE - 1);
    if (!make_room(t, SIDE * SIDE, 0, 2 * cells)) {
        return false;
    }
    int32_t* out = t->triangles;
    for (int32_t i = 0; i < SIDE * SIDE; ++i) {
        double x = (double)(i % SIDE) / (SIDE - 1) - 0.5;
        int32_t row = i / SIDE;
        double z = (double)row / (SIDE - 1) - 0.5;
        double y = 0.08 * sin(14.0 * x + 3.0 * sin(5.0 * z)) + 0.04 * cos(11.0 * z - 4.0 * x);
        t->positions[i] = (HedVec3){x, y, z};
        if (i % SIDE < SIDE - 1 && row < SIDE - 1) {
            int32_t six[6] = {i, i + SIDE, i + 1, i + 1, i + SIDE, i + SIDE + 1};
            memcpy(out, six, sizeof six);
            out += 6;
        }
    }
    return true;
}

static void free_thing(Thing* t) {
    free(t->positions);
    free(t->curves);
    free(t->triangles);
}

// Least and median of the rounds.
typedef struct Times {
    double rounds[ROUNDS];
    int32_t count;
} Times;

static double least(const Times* t) {
    double best = HUGE_VAL;
    for (int32_t i = 0; i < t->count; ++i) {
        best = fmin(best, t->rounds[i]);
    }
    return best;
}

static int compare(const void* a, const void* b) {
    double x = *(const double*)a;
    double y = *(const double*)b;
    return (x > y) - (x < y);
}

// How far the middle round is above the best one, percent: the noise of the machine.
static double spread(Times t) {
    qsort(t.rounds, (size_t)t.count, sizeof t.rounds[0], compare);
    return 100.0 * (t.rounds[t.count / 2] / t.rounds[0] - 1.0);
}

static int measure(HedLab* lab, const Thing* thing, int32_t threads, int scene) {
    const HedVec3* positions[1] = {thing->positions};
    HedPicture picture = {.objects = &thing->object, .object_count = 1, .positions = positions};
    HedRenderDef def = hed_render_def_default();
    HedFraming framing = hed_framing_default();
    const HedVec3 box[2] = {{-0.5, -0.1, -0.5}, {0.5, 0.1, 0.5}};
    framing.elevation = 0.7;
    def.camera = hed_camera_frame(box, &framing);
    def.width = lab_quick(lab) ? 80 : 320;
    def.height = lab_quick(lab) ? 60 : 240;
    def.samples = lab_quick(lab) ? 1 : 4;
    def.thread_count = threads;
    Times traced = {.count = 0};
    Times alone = {.count = 0};
    HedRenderReport report = {0};
    for (int32_t round = 0; round < ROUNDS; ++round) {
        for (int pass = 0; pass < 2; ++pass) {
            HedImage image = {0};
            HedError error;
            // The rays are written down in a picture of their own: that takes time too.
            def.enable_replay = pass == 1;
            if (hed_render(&picture, &def, &image, &report, &error) != HED_OK) {
                return lab_fail(lab, &error);
            }
            hed_image_free(&image);
            if (pass == 0) {
                traced.rounds[traced.count++] = report.trace;
            } else {
                alone.rounds[alone.count++] = report.replay;
            }
        }
    }
    double rays = 1e-6 * (double)report.rays;
    double ratio = least(&alone) / least(&traced);
    lab_table_row(lab, 8,
                  (double[]){scene, threads, rays, rays / least(&traced), spread(traced),
                             rays / least(&alone), spread(alone), ratio});
    if (threads == 2) {
        char name[64];
        snprintf(name, sizeof name, "%s_ratio", NAMES[scene]);
        lab_result(lab, name, ratio);
        snprintf(name, sizeof name, "%s: rays per second over Embree's own", NAMES[scene]);
        // The few rays of the short version say nothing about speed.
        lab_claim_above(lab, name, ratio, lab_quick(lab) ? 0.0 : 0.5);
    }
    return 0;
}

int bench_render(HedLab* lab) {
    Thing things[SCENES] = {{.positions = NULL}};
    int code = 0;
    if (!build_yarns(&things[0]) || !build_sheet(&things[1])) {
        code = lab_fail_text(lab, "no memory for the scenes");
    }
    if (code == 0) {
        lab_note(lab, "scene 0: %d yarns of %d segments; scene 1: %d triangles", YARNS, POINTS - 1,
                 2 * (SIDE - 1) * (SIDE - 1));
        lab_table_begin(lab, "render.csv",
                        "scene,threads,Mrays,Mray/s,noise (%),Embree Mray/s,noise (%),ratio");
        for (int k = 0; k < 2 * SCENES && code == 0; ++k) {
            code = measure(lab, &things[k / 2], k % 2 + 1, k / 2);
        }
        lab_table_end(lab);
    }
    for (int i = 0; i < SCENES; ++i) {
        free_thing(&things[i]);
    }
    return code;
}
