// SPDX-License-Identifier: MIT
// A tensile test between two pins: how far apart they hold the cloth, and with which force.
//
// At the start that is the shortest way between what they hold, the free length. From then on it
// grows by the way of one pin along the axis less that of the other: pins are rigid, so the way of
// each is the mean of its points'.
#include "base/alloc.h"
#include "sim/internal.h"

#include <stdlib.h>

// What a pin holds, as it was at the start.
typedef struct Held {
    HedVec3* start; // m
    int32_t count;
    HedVec3 middle; // m
    HedVec3 moved;  // m, from there to now
} Held;

static void add_start(const HedSim* sim, const HedPin* pin, HedVec3 start, Held* held) {
    HedVec3 now, rate;
    hed_pin_place(pin, hed_sim_time(sim), start, &now, &rate);
    held->start[held->count++] = start;
    held->middle = hed_add3(held->middle, start);
    held->moved = hed_add3(held->moved, hed_sub3(now, start));
}

static HedStatus find_held(const HedSim* sim, int32_t index, Held* held, HedError* error) {
    const HedPin* pin = &sim->pins.data[index];
    held->start = HED_NEW_ARRAY(HedVec3, (int64_t)pin->point_count + sim->tie_owners.count);
    if (!held->start) {
        return hed_fail_memory(error, "gauges");
    }
    for (int32_t k = 0; k < pin->point_count; ++k) {
        add_start(sim, pin, pin->start[k], held);
    }
    for (int32_t k = 0; k < sim->tie_owners.count; ++k) {
        if (sim->tie_owners.data[k].pin == index) {
            add_start(sim, pin, sim->tie_owners.data[k].start, held);
        }
    }
    if (held->count > 0) {
        held->middle = hed_mul3(1.0 / held->count, held->middle);
        held->moved = hed_mul3(1.0 / held->count, held->moved);
    }
    return HED_OK;
}

// --- free length

typedef struct Mark {
    double along; // m, towards the other pin
    HedVec3 x;    // m
} Mark;

static int compare_marks(const void* a, const void* b) {
    double first = ((const Mark*)a)->along;
    double second = ((const Mark*)b)->along;
    return (first < second) - (first > second);
}

static Mark* sort_marks(const Held* held, HedVec3 axis) {
    Mark* marks = HED_NEW_ARRAY(Mark, held->count);
    for (int32_t k = 0; marks && k < held->count; ++k) {
        marks[k] = (Mark){hed_dot3(axis, held->start[k]), held->start[k]};
    }
    if (marks) {
        qsort(marks, (size_t)held->count, sizeof *marks, compare_marks);
    }
    return marks;
}

// m, between the nearest points of two pins. The foremost come first: behind them pairs are soon
// further apart along the line alone than the nearest so far.
static HedStatus find_free_length(const Held held[2], double* length, HedError* error) {
    HedVec3 axis = hed_unit3(hed_sub3(held[0].middle, held[1].middle), hed_vec3(1.0, 0.0, 0.0));
    Mark* a = sort_marks(&held[0], hed_mul3(-1.0, axis));
    Mark* b = sort_marks(&held[1], axis);
    double best = HUGE_VAL;
    for (int32_t i = 0; a && b && i < held[0].count; ++i) {
        for (int32_t k = 0; k < held[1].count && -a[i].along - b[k].along < best; ++k) {
            best = fmin(best, hed_distance3(a[i].x, b[k].x));
        }
    }
    *length = isfinite(best) ? best : 0.0;
    HedStatus status = a && b ? HED_OK : hed_fail_memory(error, "gauges");
    hed_free(a);
    hed_free(b);
    return status;
}

// --- what is measured

// The direction of the pull: the scene's, turned so that it leads from one pin to the other, or the
// line between the middles of both.
static HedStatus find_axis(const HedMeasureDef* def, const Held held[2], HedVec3* axis,
                           HedError* error) {
    HedVec3 line = hed_sub3(held[0].middle, held[1].middle);
    bool is_named = hed_norm3(def->axis) > 0.0;
    HedVec3 way = is_named ? def->axis : line;
    if (is_named && def->from.index != 0 && hed_dot3(way, line) < 0.0) {
        way = hed_mul3(-1.0, way);
    }
    *axis = hed_unit3(way, (HedVec3){0});
    bool is_known = is_named || (def->from.index != 0 && hed_norm3(line) > 0.0);
    return is_known ? HED_OK
                    : hed_fail(error, HED_INVALID,
                               def->from.index != 0 ? "a gauge between pins with the same middle "
                                                      "needs an 'axis'"
                                                    : "a gauge of one pin needs an 'axis'");
}

static HedStatus gauge_of(const HedSim* sim, const HedMeasureDef* def, double values[3],
                          HedError* error) {
    HedStatus status = HED_OK;
    Held held[2] = {{0}, {0}};
    HedVec3 axis, force;
    double length = 0.0;
    HED_TRY(find_held(sim, def->pin.index - 1, &held[0], error));
    if (def->from.index != 0) {
        HED_TRY(find_held(sim, def->from.index - 1, &held[1], error));
        HED_TRY(find_free_length(held, &length, error));
    }
    HED_TRY(find_axis(def, held, &axis, error));
    HED_TRY(hed_sim_reaction(sim, def->pin.index - 1, &force, error));
    values[0] = length + hed_dot3(axis, hed_sub3(held[0].moved, held[1].moved));
    values[1] = hed_dot3(axis, force);
done:
    hed_free(held[0].start);
    hed_free(held[1].start);
    return status;
}

static HedStatus check_pin(const HedSim* sim, HedPinId id, HedError* error) {
    return hed_sim_check_id(sim, id.index, id.stamp, sim->pins.count, "pin", error);
}

HedStatus hed_sim_measure_pin(const HedSim* sim, const HedMeasureDef* def, double values[3],
                              HedError* error) {
    HedVec3 force;
    HedStatus status = check_pin(sim, def->pin, error);
    if (status == HED_OK && def->kind == HED_MEASURE_GAUGE) {
        status = def->from.index != 0 ? check_pin(sim, def->from, error) : HED_OK;
        return status == HED_OK ? gauge_of(sim, def, values, error) : status;
    }
    status = status == HED_OK ? hed_sim_reaction(sim, def->pin.index - 1, &force, error) : status;
    if (status == HED_OK) {
        values[0] = force.x;
        values[1] = force.y;
        values[2] = force.z;
    }
    return status;
}
