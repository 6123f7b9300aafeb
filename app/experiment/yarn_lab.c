// SPDX-License-Identifier: MIT
#include "experiment/yarn_lab.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool grow(void** data, int32_t* room, int32_t count, size_t size) {
    if (count < *room) {
        return true;
    }
    int32_t wanted = 2 * count + 16;
    void* more = realloc(*data, (size_t)wanted * size);
    if (more) {
        *data = more;
        *room = wanted;
    }
    return more != NULL;
}

void yarn_curves_begin(YarnCurves* curves, double radius) {
    void* data = curves->curves;
    bool ok = !curves->has_failed && grow(&data, &curves->room, curves->count, sizeof(HedCurve));
    curves->curves = data;
    curves->has_failed = !ok;
    if (ok) {
        curves->curves[curves->count++] =
            (HedCurve){.first = curves->point_count, .radius = radius, .color = HED_COLOR_NONE};
    }
}

void yarn_curves_add(YarnCurves* curves, HedVec3 point) {
    void* data = curves->x;
    bool ok = !curves->has_failed && curves->count > 0 &&
              grow(&data, &curves->point_room, curves->point_count, sizeof(HedVec3));
    curves->x = data;
    curves->has_failed = !ok;
    if (ok) {
        curves->x[curves->point_count++] = point;
        curves->curves[curves->count - 1].count += 1;
    }
}

void yarn_curves_free(YarnCurves* curves) {
    free(curves->x);
    free(curves->curves);
    *curves = (YarnCurves){0};
}

void yarn_trial_begin(YarnTrial* trial, HedLab* lab, HedSimDef def) {
    *trial = (YarnTrial){0};
    def.thread_count = def.thread_count > 0 ? def.thread_count : lab_threads(lab);
    trial->status = hed_sim_create(&def, &trial->sim, &trial->error);
}

HedYarnsId yarn_trial_add(YarnTrial* trial, const YarnCurves* curves, HedYarnsDef def) {
    HedYarnsId id = {0};
    if (trial->status == HED_OK && curves->has_failed) {
        trial->status = HED_NO_MEMORY;
        trial->error = (HedError){HED_NO_MEMORY, "no memory for curves of yarns"};
    }
    if (trial->status == HED_OK) {
        def.vertices = curves->x;
        def.vertex_count = curves->point_count;
        def.curves = curves->curves;
        def.curve_count = curves->count;
        trial->status = hed_yarns_create(trial->sim, &def, &id, &trial->error);
    }
    return id;
}

HedPinId yarn_trial_pin(YarnTrial* trial, HedPinDef def) {
    HedPinId id = {0};
    if (trial->status == HED_OK) {
        trial->status = hed_pin_create(trial->sim, &def, &id, &trial->error);
    }
    return id;
}

void yarn_trial_body(YarnTrial* trial, HedBodyDef def) {
    HedBodyId id;
    if (trial->status == HED_OK) {
        trial->status = hed_body_create(trial->sim, &def, &id, &trial->error);
    }
}

bool yarn_trial_go(YarnTrial* trial, double time) {
    while (trial->status == HED_OK &&
           (double)(hed_sim_steps(trial->sim) + 1) * hed_sim_def(trial->sim)->time_step <=
               time * (1.0 + 1e-9)) {
        HedStepReport report;
        trial->status = hed_sim_step(trial->sim, &report, &trial->error);
        if (trial->status == HED_OK && report.reason != HED_REASON_CONVERGED) {
            trial->status = HED_INVALID;
            trial->error.status = HED_INVALID;
            snprintf(trial->error.message, sizeof trial->error.message,
                     "the solver gave up at %g s: %.150s", hed_sim_time(trial->sim),
                     report.trouble);
        }
    }
    return trial->status == HED_OK;
}

HedVec3 yarn_trial_reaction(YarnTrial* trial, HedYarnsId yarns, HedPinId pin) {
    double value[3] = {0.0};
    HedMeasureDef def = {.kind = HED_MEASURE_REACTION, .yarns = yarns, .pin = pin};
    if (trial->status == HED_OK) {
        trial->status = hed_sim_prepare(trial->sim, &trial->error);
    }
    if (trial->status == HED_OK) {
        trial->status = hed_sim_measure(trial->sim, &def, value, &trial->error);
    }
    return (HedVec3){value[0], value[1], value[2]};
}

int yarn_trial_code(const YarnTrial* trial, HedLab* lab) {
    return trial->status == HED_OK ? 0 : lab_fail(lab, &trial->error);
}

void yarn_trial_end(YarnTrial* trial) {
    hed_sim_destroy(trial->sim);
    trial->sim = NULL;
}

void yarn_trial_positions(const YarnTrial* trial, HedYarnsId yarns, YarnCurves* curves) {
    if (trial->status == HED_OK) {
        hed_yarns_positions(trial->sim, yarns, curves->x);
    }
}

static double distance(HedVec3 a, HedVec3 b) {
    return sqrt((a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y) + (a.z - b.z) * (a.z - b.z));
}

double* yarn_masses(const YarnCurves* curves, double linear_density) {
    double* mass = calloc((size_t)curves->point_count + 1, sizeof *mass);
    for (int32_t c = 0; mass && c < curves->count; ++c) {
        const HedCurve* curve = &curves->curves[c];
        for (int32_t k = 0; k < hed_curve_segment_count(curve); ++k) {
            int32_t a = curve->first + k;
            int32_t b = curve->first + (k + 1) % curve->count;
            double half = 0.5 * linear_density * distance(curves->x[a], curves->x[b]);
            mass[a] += half;
            mass[b] += half;
        }
    }
    return mass;
}

YarnMotion yarn_trial_motion(const YarnTrial* trial, HedYarnsId yarns, YarnCurves* curves,
                             const double* mass) {
    YarnMotion sum = {0};
    HedVec3* velocity = calloc((size_t)curves->point_count + 1, sizeof *velocity);
    if (velocity && mass && trial->status == HED_OK) {
        hed_yarns_positions(trial->sim, yarns, curves->x);
        hed_yarns_velocities(trial->sim, yarns, velocity);
        for (int32_t i = 0; i < curves->point_count; ++i) {
            HedVec3 x = curves->x[i], v = velocity[i];
            double m = mass[i];
            sum.momentum.x += m * v.x;
            sum.momentum.y += m * v.y;
            sum.momentum.z += m * v.z;
            sum.angular.x += m * (x.y * v.z - x.z * v.y);
            sum.angular.y += m * (x.z * v.x - x.x * v.z);
            sum.angular.z += m * (x.x * v.y - x.y * v.x);
            sum.kinetic += 0.5 * m * (v.x * v.x + v.y * v.y + v.z * v.z);
        }
    }
    free(velocity);
    return sum;
}

static HedStatus render(const HedPicture* picture, HedVec3 box[2], const double view[2],
                        const char* path, HedError* error) {
    HedRenderDef def = hed_render_def_default();
    HedFraming framing = hed_framing_default();
    HedImage image = {0};
    HedRenderReport report;
    def.width = 640;
    def.height = 480;
    def.samples = 16;
    def.fuzz = 0.0;
    def.plies = 1;
    framing.aspect = 640.0 / 480.0;
    framing.azimuth = view[0];
    framing.elevation = view[1];
    def.camera = hed_camera_frame(box, &framing);
    HedStatus status = hed_render(picture, &def, &image, &report, error);
    if (status == HED_OK) {
        status = hed_image_save(&image, path, 8, true, error);
    }
    hed_image_free(&image);
    return status;
}

void yarn_lab_draw(HedLab* lab, const YarnCurves* const* sets, int32_t count, const char* picture,
                   const double view[2]) {
    enum { MOST = 4 };
    HedSeriesObject objects[MOST];
    const HedVec3* positions[MOST];
    HedVec3 box[2] = {{HUGE_VAL, HUGE_VAL, HUGE_VAL}, {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}};
    HedError error = {0};
    if (lab_quick(lab)) {
        return;
    }
    for (int32_t s = 0; s < count && s < MOST; ++s) {
        const YarnCurves* set = sets[s];
        objects[s] = (HedSeriesObject){.name = "yarns",
                                       .kind = HED_OBJECT_YARNS,
                                       .vertex_count = set->point_count,
                                       .curves = set->curves,
                                       .curve_count = set->count};
        positions[s] = set->x;
        for (int32_t i = 0; i < set->point_count; ++i) {
            HedVec3 x = set->x[i];
            box[0] = (HedVec3){fmin(box[0].x, x.x), fmin(box[0].y, x.y), fmin(box[0].z, x.z)};
            box[1] = (HedVec3){fmax(box[1].x, x.x), fmax(box[1].y, x.y), fmax(box[1].z, x.z)};
        }
    }
    HedPicture shown = {.objects = objects, .object_count = count, .positions = positions};
    if (render(&shown, box, view, lab_path(lab, picture), &error) != HED_OK) {
        lab_note(lab, "%s: not drawn: %s", picture, error.message);
    }
}
