// SPDX-License-Identifier: MIT
#include "experiment/rod_lab.h"

#include <math.h>
#include <stdlib.h>

int rod_begin(HedLab* lab, const RodWay* way, bool is_closed, RodTrial* trial) {
    *trial = (RodTrial){.lab = lab, .is_closed = is_closed, .rate = 1.0, .size = 1.0};
    trial->count = way->segments + !is_closed;
    trial->x = calloc((size_t)trial->count, sizeof(HedVec3));
    if (!trial->x) {
        return lab_fail_text(lab, "no memory for %d segments", (int)way->segments);
    }
    trial->def = hed_sim_def_default();
    trial->def.gravity = (HedVec3){0};
    trial->def.yarn_contact = false;
    trial->def.thread_count = lab_threads(lab) > 0 ? lab_threads(lab) : 1;
    trial->def.integrator = way->is_explicit ? HED_SYMPLECTIC_EULER : HED_QUASI_STATIC;
    trial->def.time_step = way->is_explicit ? 0.01 : 1.0;
    trial->yarn = hed_yarns_def_default();
    trial->yarn.name = "yarn";
    trial->yarn.model = way->model;
    trial->yarn.linear_density = 1.0;
    trial->yarn.bend = 1.0;
    trial->yarn.twist = 1.0;
    trial->yarn.damping = 0.0;
    trial->yarn.radius = 4e-3;
    // In explicit steps alone; constraints on the lengths of splines make them stiff in bending.
    trial->yarn.inextensible = way->model == HED_YARN_ROD;
    return 0;
}

void rod_line(RodTrial* trial, HedVec3 from, HedVec3 to) {
    for (int32_t k = 0; k < trial->count; ++k) {
        double part = k / (trial->count - 1.0);
        trial->x[k] = (HedVec3){from.x + part * (to.x - from.x), from.y + part * (to.y - from.y),
                                from.z + part * (to.z - from.z)};
    }
}

int rod_build(RodTrial* trial) {
    HedError error = {0};
    HedCurve curve = {.count = trial->count,
                      .is_closed = trial->is_closed,
                      .color = HED_COLOR_NONE,
                      .radius = trial->yarn.radius};
    trial->def.drag = trial->def.integrator == HED_QUASI_STATIC ? 0.0 : 2.0 * trial->rate;
    trial->yarn.vertices = trial->x;
    trial->yarn.vertex_count = trial->count;
    trial->yarn.curves = &curve;
    trial->yarn.curve_count = 1;
    HedStatus status = hed_sim_create(&trial->def, &trial->sim, &error);
    status = status ? status : hed_yarns_create(trial->sim, &trial->yarn, &trial->id, &error);
    return status == HED_OK ? 0 : lab_fail(trial->lab, &error);
}

int rod_hold(RodTrial* trial, int32_t vertex, bool clamps, const HedKeyframe* keyframes,
             int32_t keyframe_count) {
    HedError error = {0};
    HedPinId id;
    HedPinDef pin = hed_pin_def_default();
    pin.yarns = trial->id;
    pin.vertices = &vertex;
    pin.vertex_count = 1;
    pin.clamps = clamps;
    pin.pivot = trial->x[vertex];
    pin.keyframes = keyframes;
    pin.keyframe_count = keyframe_count;
    HedStatus status = hed_pin_create(trial->sim, &pin, &id, &error);
    return status == HED_OK ? 0 : lab_fail(trial->lab, &error);
}

int rod_pull(RodTrial* trial, int32_t vertex, HedVec3 force) {
    HedError error = {0};
    HedLoadDef load = hed_load_def_default();
    load.yarns = trial->id;
    load.vertices = &vertex;
    load.vertex_count = 1;
    load.force = force;
    HedStatus status = hed_load_create(trial->sim, &load, &error);
    return status == HED_OK ? 0 : lab_fail(trial->lab, &error);
}

int rod_go(RodTrial* trial, int32_t steps) {
    HedError error = {0};
    for (int32_t k = 0; k < steps; ++k) {
        HedStepReport report;
        if (hed_sim_step(trial->sim, &report, &error) != HED_OK) {
            return lab_fail(trial->lab, &error);
        }
        if (report.reason != HED_REASON_CONVERGED) {
            return lab_fail_text(trial->lab, "the solver gave up: %s", report.trouble);
        }
    }
    hed_yarns_positions(trial->sim, trial->id, trial->x);
    return 0;
}

// How far any vertex is from where it was, which becomes where it is.
static double moved(const RodTrial* trial, HedVec3* was) {
    double most = 0.0;
    for (int32_t k = 0; k < trial->count; ++k) {
        HedVec3 a = trial->x[k], b = was[k];
        most = fmax(most, hypot(hypot(a.x - b.x, a.y - b.y), a.z - b.z));
        was[k] = a;
    }
    return most;
}

int rod_rest(RodTrial* trial) {
    // In a time of 1/rate the slowest motion falls to a third or less: it is that near to rest.
    const double still = 1e-4 * trial->size;
    const double longest = 200.0 / trial->rate;
    int32_t steps = (int32_t)ceil(1.0 / (trial->rate * trial->def.time_step));
    if (trial->def.integrator == HED_QUASI_STATIC) {
        return rod_go(trial, 1);
    }
    HedVec3* was = calloc((size_t)trial->count, sizeof(HedVec3));
    int code = was ? 0 : lab_fail_text(trial->lab, "no memory for positions");
    bool is_still = false;
    while (code == 0 && !is_still && hed_sim_time(trial->sim) < longest) {
        code = rod_go(trial, steps);
        is_still = code == 0 && moved(trial, was) < still;
    }
    free(was);
    if (code == 0 && !is_still) {
        code = lab_fail_text(trial->lab, "explicit steps: not at rest after %g s", longest);
    }
    return code;
}

HedVec3 rod_reaction(const RodTrial* trial, int32_t pin) {
    double values[3] = {0};
    HedMeasureDef measure = {
        .kind = HED_MEASURE_REACTION, .yarns = trial->id, .pin = hed_sim_pin(trial->sim, pin)};
    if (hed_sim_measure(trial->sim, &measure, values, NULL) != HED_OK) {
        return (HedVec3){(double)NAN, (double)NAN, (double)NAN};
    }
    return (HedVec3){values[0], values[1], values[2]};
}

static HedStatus load_shape(void* context, int32_t frame, HedVec3* const* positions,
                            HedError* error) {
    const RodTrial* trial = context;
    (void)frame;
    (void)error;
    for (int32_t k = 0; k < trial->count; ++k) {
        positions[0][k] = trial->x[k];
    }
    return HED_OK;
}

void rod_draw(RodTrial* trial) {
    HedError error = {0};
    double time = 0.0;
    HedCurve curve = {.count = trial->count,
                      .is_closed = trial->is_closed,
                      .color = HED_COLOR_NONE,
                      .radius = trial->yarn.radius};
    HedSeriesObject object = {.name = "yarn",
                              .kind = HED_OBJECT_YARNS,
                              .vertex_count = trial->count,
                              .curves = &curve,
                              .curve_count = 1};
    HedSeries series = {.objects = &object,
                        .object_count = 1,
                        .times = &time,
                        .frame_count = 1,
                        .load = load_shape,
                        .context = trial};
    if (hed_series_save(lab_path(trial->lab, "shape.bcc"), &series, true, &error) != HED_OK) {
        lab_note(trial->lab, "shape.bcc: %s", error.message);
    } else if (!lab_quick(trial->lab)) {
        lab_picture(trial->lab, "shape.bcc", "shape.png");
    }
}

void rod_end(RodTrial* trial) {
    hed_sim_destroy(trial->sim);
    free(trial->x);
    trial->sim = NULL;
    trial->x = NULL;
}
