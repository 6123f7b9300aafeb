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
    hed_period_hold(sim);
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

void hed_pin_place(const HedPin* pin, double time, HedVec3 start, HedVec3* x, HedVec3* v) {
    HedPose pose = {{0.0, 0.0, 0.0}, hed_quat_identity()};
    HedVec3 linear = {0};
    HedVec3 angular = {0};
    if (pin->has_track) {
        pose = hed_track_pose(&pin->track, time);
        hed_track_velocity(&pin->track, time, &linear, &angular);
    }
    HedVec3 arm = hed_quat_rotate(pose.rotation, hed_sub3(start, pin->pivot));
    *x = pin->has_track ? hed_add3(hed_add3(pin->pivot, pose.position), arm) : start;
    *v = hed_add3(linear, hed_cross3(angular, arm));
}

static void place_pin(const HedPin* pin, double time, HedVec3* x, HedVec3* v) {
    for (int32_t k = 0; k < pin->point_count; ++k) {
        HedVec3 rate;
        hed_pin_place(pin, time, pin->start[k], &x[pin->points[k]], &rate);
        if (v) {
            v[pin->points[k]] = rate;
        }
    }
}

void hed_pins_place(const HedSim* sim, double time, HedVec3* x, HedVec3* v) {
    for (int32_t p = 0; p < sim->pins.count; ++p) {
        if (sim->pins.data[p].is_active) {
            place_pin(&sim->pins.data[p], time, x, v);
        }
    }
    hed_period_place(sim, x);
    if (v) {
        hed_period_place(sim, v);
    }
}

bool hed_pins_move(const HedSim* sim) {
    bool found = false;
    for (int32_t p = 0; p < sim->pins.count; ++p) {
        found = found || (sim->pins.data[p].is_active && sim->pins.data[p].has_track);
    }
    return found;
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
    return (HedPinDef){.name = "pin", .release_time = HUGE_VAL, .every = 1, .stamp = 0x70696E31};
}

static const char* name_of(const HedPinDef* def) {
    return def->name ? def->name : "pin";
}

// How a vertex is held.
enum { FREE, HARD, SOFT };

// Marks the vertices that a def names. One that is held twice would count twice in its reaction.
static HedStatus mark_vertices(const HedSim* sim, const HedCloth* cloth, const HedPinDef* def,
                               uint8_t* marks, HedError* error) {
    for (int32_t k = 0; k < def->vertex_count; ++k) {
        int32_t vertex = def->vertices[k];
        if (vertex < 0 || vertex >= cloth->vertex_count) {
            return hed_fail(error, HED_INVALID, "pin '%s': %s %d does not exist, '%s' has 0 to %d",
                            name_of(def), hed_cloth_vertex(sim, cloth), vertex, cloth->name,
                            cloth->vertex_count - 1);
        }
        if (marks[vertex] != FREE) {
            return hed_fail(error, HED_INVALID, "pin '%s' names vertex %d twice", name_of(def),
                            vertex);
        }
        marks[vertex] = k % def->every == 0 ? HARD : SOFT;
    }
    return HED_OK;
}

// What a pin is made from.
typedef struct Making {
    HedSim* sim;
    const HedPinDef* def;
    const HedCloth* cloth;
    uint8_t* marks;  // per vertex
    uint8_t* points; // per point of the simulation: held
    HedPin* pin;
    HedError* error;
} Making;

static HedStatus tie(const Making* making, HedSplineStencil place, double stiffness) {
    return hed_ties_add_pin(making->sim, place, making->sim->pins.count, stiffness, making->error);
}

// A curve of a spline: its vertices, and which of them are held.
typedef struct PinRow {
    const HedSplineStencil* knot;
    const uint8_t* marks;
    int32_t count;
    bool is_closed;
} PinRow;

static bool is_hard(const PinRow* row, int32_t k) {
    if (row->is_closed) {
        k = (k + row->count) % row->count;
    }
    return k >= 0 && k < row->count && row->marks[k] == HARD;
}

// Marks the control points that hold a curve's vertices, or ties the vertex. The end of an open one
// is a control point itself, and its direction is held with the next. Where neighbours are held,
// all that they are made of is.
static HedStatus hold_row(const Making* making, const PinRow* row) {
    HedStatus status = HED_OK;
    int32_t last = row->count - 1;
    for (int32_t k = 0; k <= last && status == HED_OK; ++k) {
        const HedSplineStencil* at = &row->knot[k];
        bool is_end = !row->is_closed && (k == 0 || k == last);
        if (is_hard(row, k) && !is_end && !is_hard(row, k - 1) && !is_hard(row, k + 1)) {
            status = tie(making, *at, 0.0);
            continue;
        }
        for (int m = 0; m < 4 && is_hard(row, k); ++m) {
            making->points[at->point[m]] |= at->weight[m] > 0.0;
        }
        if (is_hard(row, k) && is_end && making->def->clamps) {
            making->points[at->point[k == 0 ? 1 : 2]] = 1;
        }
    }
    return status;
}

static HedStatus hold_rows(const Making* making) {
    const HedCloth* cloth = making->cloth;
    HedStatus status = HED_OK;
    int32_t vertex = 0;
    for (int32_t c = 0; c < cloth->curve_count && status == HED_OK; ++c) {
        const HedCurve* strand = &making->sim->strand_list.data[cloth->first_curve + c];
        PinRow row = {cloth->knot + vertex, making->marks + vertex,
                      hed_strand_vertex_count(making->sim, cloth->first_curve + c, HED_YARN_SPLINE),
                      strand->is_closed};
        status = hold_row(making, &row);
        vertex += row.count;
    }
    return status;
}

// A vertex as a mean of points.
static HedSplineStencil place_of(const HedCloth* cloth, int32_t vertex) {
    if (cloth->knot) {
        return cloth->knot[vertex];
    }
    int32_t point = cloth->place[vertex];
    return (HedSplineStencil){{point, point, point, point}, {1.0, 0.0, 0.0, 0.0}};
}

static HedStatus hold(const Making* making) {
    HedStatus status = HED_OK;
    const HedCloth* cloth = making->cloth;
    HED_TRY(mark_vertices(making->sim, cloth, making->def, making->marks, making->error));
    if (cloth->knot) {
        HED_TRY(hold_rows(making));
    }
    for (int32_t k = 0; k < cloth->vertex_count; ++k) {
        if (making->marks[k] == SOFT && making->def->soft_stiffness > 0.0) {
            HED_TRY(tie(making, place_of(cloth, k), making->def->soft_stiffness));
        } else if (making->marks[k] == HARD && !cloth->knot) {
            making->points[cloth->place[k]] = 1;
        }
    }
    for (int32_t i = cloth->first_point; i < cloth->first_point + cloth->point_count; ++i) {
        if (making->points[i]) {
            making->pin->points[making->pin->point_count] = i;
            making->pin->start[making->pin->point_count++] = making->sim->x.data[i];
        }
    }
done:
    return status;
}

static HedStatus hold_points(HedSim* sim, const HedPinDef* def, HedPin* pin, HedError* error) {
    HedStatus status = HED_OK;
    const HedCloth* cloth = hed_sim_find_cloth(sim, def->sheet, def->yarns, error);
    if (!cloth) {
        return HED_INVALID;
    }
    if (hed_period_goes_on(sim, cloth)) {
        return hed_fail(error, HED_UNSUPPORTED, "pin '%s': '%s' repeats and cannot be held",
                        name_of(def), cloth->name);
    }
    if (hed_cloth_part(sim, cloth) && def->every > 1) {
        return hed_fail(error, HED_UNSUPPORTED,
                        "pin '%s': '%s' is held at every %s named, got 'every' %d", name_of(def),
                        cloth->name, hed_cloth_vertex(sim, cloth), def->every);
    }
    Making making = {.sim = sim, .def = def, .cloth = cloth, .pin = pin, .error = error};
    making.marks = HED_NEW_ARRAY(uint8_t, cloth->vertex_count);
    making.points = HED_NEW_ARRAY(uint8_t, sim->x.count);
    // A vertex of a spline holds up to four points, and a clamped end one more.
    int32_t most = (int32_t)fmin(cloth->point_count, 5.0 * def->vertex_count);
    pin->points = HED_NEW_ARRAY(int32_t, most);
    pin->start = HED_NEW_ARRAY(HedVec3, most);
    if (!making.marks || !making.points || !pin->points || !pin->start) {
        HED_TRY(hed_fail_memory(error, "pins"));
    }
    HED_TRY(hold(&making));
done:
    hed_free(making.marks);
    hed_free(making.points);
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
    if (def->every < 1 || !(def->soft_stiffness >= 0.0 && isfinite(def->soft_stiffness))) {
        return hed_fail(error, HED_INVALID,
                        "pin '%s': 'every' must be at least 1 and 'soft_stiffness' zero or more, "
                        "got %d and %g",
                        name_of(def), def->every, def->soft_stiffness);
    }
    if (def->keyframe_count < 0) {
        return hed_fail(error, HED_INVALID, "pin '%s': number of keyframes is %d", name_of(def),
                        def->keyframe_count);
    }
    return HED_OK;
}

HedStatus hed_pin_create(HedSim* sim, const HedPinDef* def, HedPinId* id, HedError* error) {
    HedStatus status = HED_OK;
    int32_t tie_count = sim->ties.list.count;
    HedPin pin = {.pivot = def->pivot, .release_time = def->release_time, .clamps = def->clamps};
    HED_TRY(check_pin(sim, def, error));
    pin.name = hed_text_copy(def->name ? def->name : "pin");
    if (!pin.name) {
        status = hed_fail_memory(error, "pins");
        goto done;
    }
    if (def->keyframe_count > 0) {
        HED_TRY(hed_track_create(def->keyframes, def->keyframe_count, &pin.track, error));
        pin.has_track = true;
    }
    HED_TRY(hold_points(sim, def, &pin, error));
    if (!HED_APPEND(&sim->pins, pin)) {
        HED_TRY(hed_fail_memory(error, "pins"));
    }
    *id = (HedPinId){sim->pins.count, sim->stamp};
done:
    if (status != HED_OK) {
        sim->ties.list.count = sim->tie_owners.count = tie_count;
        pin_free(&pin);
    }
    return status;
}
