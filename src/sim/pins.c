// SPDX-License-Identifier: MIT
// Held points: which, where, and how fast.
#include "base/file.h"
#include "math/quat.h"
#include "sim/internal.h"

// A pin holds through every step that begins before its release, give or take rounding of the time.
static bool find_changes(HedSim* sim, double time) {
    bool changed = false;
    for (int32_t p = 0; p < sim->pins.count; ++p) {
        HedPin* pin = &sim->pins.data[p];
        bool active = time + 1e-6 * sim->def.time_step < pin->release_time;
        changed = changed || active != pin->is_active;
        pin->is_active = active;
    }
    return changed;
}

bool hed_pins_update(HedSim* sim, double time) {
    bool changed = find_changes(sim, time);
    if (!changed && sim->are_pins_current) {
        return false;
    }
    sim->are_pins_current = true;
    for (int32_t i = 0; i < sim->x.count; ++i) {
        sim->inverse_mass[i] = 1.0 / sim->mass.data[i];
    }
    sim->held_count = 0;
    if (sim->splines) {
        sim->splines->is_factored = false;
    }
    for (int32_t p = 0; p < sim->pins.count; ++p) {
        const HedPin* pin = &sim->pins.data[p];
        for (int32_t k = 0; k < pin->point_count && pin->is_active; ++k) {
            sim->held_count += sim->inverse_mass[pin->points[k]] > 0.0;
            sim->inverse_mass[pin->points[k]] = 0.0;
        }
    }
    return changed;
}

static void place_pin(const HedPin* pin, double time, HedVec3* x, HedVec3* v) {
    HedPose pose = {{0.0, 0.0, 0.0}, hed_quat_identity()};
    HedVec3 linear = {0};
    HedVec3 angular = {0};
    if (pin->has_track) {
        pose = hed_track_pose(&pin->track, time);
        hed_track_velocity(&pin->track, time, &linear, &angular);
    }
    HedVec3 centre = hed_add3(pin->pivot, pose.position);
    for (int32_t k = 0; k < pin->point_count; ++k) {
        HedVec3 arm = hed_quat_rotate(pose.rotation, hed_sub3(pin->start[k], pin->pivot));
        x[pin->points[k]] = pin->has_track ? hed_add3(centre, arm) : pin->start[k];
        if (v) {
            v[pin->points[k]] = hed_add3(linear, hed_cross3(angular, arm));
        }
    }
}

void hed_pins_place(const HedSim* sim, double time, HedVec3* x, HedVec3* v) {
    for (int32_t p = 0; p < sim->pins.count; ++p) {
        if (sim->pins.data[p].is_active) {
            place_pin(&sim->pins.data[p], time, x, v);
        }
    }
}

double hed_pins_kinetic(const HedSim* sim) {
    double sum = 0.0;
    for (int32_t p = 0; p < sim->pins.count; ++p) {
        const HedPin* pin = &sim->pins.data[p];
        for (int32_t k = 0; k < pin->point_count && pin->is_active && pin->has_track; ++k) {
            int32_t i = pin->points[k];
            sum += 0.5 * sim->mass.data[i] * hed_dot3(sim->v.data[i], sim->v.data[i]);
        }
    }
    return sum;
}

HedPinDef hed_pin_def_default(void) {
    return (HedPinDef){.name = "pin", .release_time = HUGE_VAL, .stamp = 0x70696E31};
}

static const char* name_of(const HedPinDef* def) {
    return def->name ? def->name : "pin";
}

// Marks the vertices that a def names. One that is held twice would count twice in its reaction.
static HedStatus mark_vertices(const HedCloth* cloth, const HedPinDef* def, uint8_t* marks,
                               HedError* error) {
    for (int32_t k = 0; k < def->vertex_count; ++k) {
        int32_t vertex = def->vertices[k];
        if (vertex < 0 || vertex >= cloth->vertex_count) {
            return hed_fail(error, HED_INVALID,
                            "pin '%s': vertex %d does not exist, '%s' has 0 to %d", name_of(def),
                            vertex, cloth->name, cloth->vertex_count - 1);
        }
        if (marks[vertex]) {
            return hed_fail(error, HED_INVALID, "pin '%s' names vertex %d twice", name_of(def),
                            vertex);
        }
        marks[vertex] = 1;
    }
    return HED_OK;
}

static void append_point(const HedSim* sim, HedPin* pin, int32_t point) {
    pin->points[pin->point_count] = point;
    pin->start[pin->point_count] = sim->x.data[point];
    pin->point_count += 1;
}

// A curve of a spline: its vertices, and which of them are held.
typedef struct Row {
    const HedSplineStencil* knot;
    const uint8_t* marks;
    int32_t count;
    bool is_closed;
} Row;

static bool is_row_held(const Row* row, int32_t k) {
    if (row->is_closed) {
        k = (k + row->count) % row->count;
    }
    return k >= 0 && k < row->count && row->marks[k];
}

// Marks the control points that hold a curve's vertices. The end of an open one is a control point
// itself, and its direction is held with the next; elsewhere all that a vertex is made of are held.
static void mark_controls(const Row* row, bool clamps, uint8_t* points) {
    for (int32_t k = 0; k < row->count; ++k) {
        const HedSplineStencil* at = &row->knot[k];
        for (int m = 0; m < 4 && row->marks[k]; ++m) {
            points[at->point[m]] |= at->weight[m] > 0.0;
        }
    }
    if (!row->is_closed && clamps && is_row_held(row, 0)) {
        points[row->knot[0].point[1]] = 1;
    }
    if (!row->is_closed && clamps && is_row_held(row, row->count - 1)) {
        points[row->knot[row->count - 1].point[2]] = 1;
    }
}

static HedStatus copy_controls(HedSim* sim, const HedCloth* cloth, const uint8_t* marks,
                               HedPin* pin, HedError* error) {
    uint8_t* points = HED_NEW_ARRAY(uint8_t, sim->x.count);
    if (!points) {
        return hed_fail_memory(error, "pins");
    }
    int32_t vertex = 0;
    for (int32_t c = 0; c < cloth->curve_count; ++c) {
        const HedCurve* strand = &sim->strand_list.data[cloth->first_curve + c];
        Row row = {cloth->knot + vertex, marks + vertex,
                   strand->count - (strand->is_closed ? 0 : 2), strand->is_closed};
        mark_controls(&row, pin->clamps, points);
        vertex += row.count;
    }
    for (int32_t k = 0; k < cloth->point_count; ++k) {
        if (points[cloth->first_point + k]) {
            append_point(sim, pin, cloth->first_point + k);
        }
    }
    hed_free(points);
    return HED_OK;
}

static HedStatus copy_points(HedSim* sim, const HedPinDef* def, HedPin* pin, HedError* error) {
    HedStatus status = HED_OK;
    const HedCloth* cloth = hed_sim_find_cloth(sim, def->sheet, def->yarns, error);
    if (!cloth) {
        return HED_INVALID;
    }
    uint8_t* marks = HED_NEW_ARRAY(uint8_t, cloth->vertex_count);
    pin->points = HED_NEW_ARRAY(int32_t, cloth->point_count);
    pin->start = HED_NEW_ARRAY(HedVec3, cloth->point_count);
    if (!marks || !pin->points || !pin->start) {
        HED_TRY(hed_fail_memory(error, "pins"));
    }
    HED_TRY(mark_vertices(cloth, def, marks, error));
    if (cloth->knot) {
        HED_TRY(copy_controls(sim, cloth, marks, pin, error));
    }
    for (int32_t k = 0; k < def->vertex_count && !cloth->knot; ++k) {
        append_point(sim, pin, cloth->place[def->vertices[k]]);
    }
done:
    hed_free(marks);
    return status;
}

static void pin_free(HedPin* pin) {
    hed_free(pin->name);
    hed_free(pin->points);
    hed_free(pin->start);
    hed_track_free(&pin->track);
    *pin = (HedPin){0};
}

void hed_pins_free(HedSim* sim) {
    for (int32_t p = 0; p < sim->pins.count; ++p) {
        pin_free(&sim->pins.data[p]);
    }
    hed_free(sim->pins.data);
}

static HedStatus check_pin(HedSim* sim, const HedPinDef* def, HedError* error) {
    if (def->stamp != hed_pin_def_default().stamp) {
        return hed_fail(error, HED_INVALID, "pin def was not filled by hed_pin_def_default");
    }
    if (sim->is_prepared) {
        return hed_fail(error, HED_INVALID, "pin '%s' comes after the first step", name_of(def));
    }
    if (def->vertex_count < 1 || !def->vertices) {
        return hed_fail(error, HED_INVALID, "pin '%s' holds no vertex", name_of(def));
    }
    if (!(def->release_time >= 0.0) || !hed_is_finite3(def->pivot)) {
        return hed_fail(error, HED_INVALID,
                        "pin '%s': release time must be zero or more and pivot finite",
                        name_of(def));
    }
    if (def->keyframe_count < 0) {
        return hed_fail(error, HED_INVALID, "pin '%s': number of keyframes is %d", name_of(def),
                        def->keyframe_count);
    }
    return HED_OK;
}

HedStatus hed_pin_create(HedSim* sim, const HedPinDef* def, HedPinId* id, HedError* error) {
    HedStatus status = HED_OK;
    HedPin pin = {.pivot = def->pivot, .release_time = def->release_time, .clamps = def->clamps};
    HED_TRY(check_pin(sim, def, error));
    pin.name = hed_text_copy(def->name ? def->name : "pin");
    if (!pin.name) {
        status = hed_fail_memory(error, "pins");
        goto done;
    }
    HED_TRY(copy_points(sim, def, &pin, error));
    if (def->keyframe_count > 0) {
        HED_TRY(hed_track_create(def->keyframes, def->keyframe_count, &pin.track, error));
        pin.has_track = true;
    }
    if (!HED_APPEND(&sim->pins, pin)) {
        status = hed_fail_memory(error, "pins");
        goto done;
    }
    *id = (HedPinId){sim->pins.count, sim->stamp};
done:
    if (status != HED_OK) {
        pin_free(&pin);
    }
    return status;
}
