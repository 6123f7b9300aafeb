// SPDX-License-Identifier: MIT
#include "fabric/fabric.h"
#include "fabric/warnings.h"
#include "geom/cubic.h"
#include "geom/sort.h"
#include "math/vec3.h"

#include <string.h>

void hed_fabric_free(HedFabric* fabric) {
    if (!fabric) {
        return;
    }
    hed_warnings_free(fabric->notes, fabric->note_count);
    hed_free(fabric->loops);
    hed_free(fabric->visits);
    hed_free(fabric->first_visits);
    hed_free(fabric->crossings);
    hed_free(fabric->yarns);
    hed_free(fabric->points);
    *fabric = (HedFabric){0};
}

// --- building ---

static bool grow(void** data, int32_t* capacity, int32_t count, size_t size) {
    return count < *capacity || hed_array_grow(data, capacity, (int64_t)count + 1, size);
}

HedStatus hed_fabric_add_yarn(HedFabric* fabric, const HedFabricYarn* yarn, HedError* error) {
    if (!grow((void**)&fabric->yarns, &fabric->yarn_capacity, fabric->yarn_count, sizeof *yarn)) {
        return hed_fail_memory(error, "yarns of a fabric");
    }
    HedFabricYarn* added = &fabric->yarns[fabric->yarn_count++];
    *added = *yarn;
    added->first = fabric->point_count;
    added->count = 0;
    return HED_OK;
}

HedStatus hed_fabric_add_point(HedFabric* fabric, HedVec3 point, HedError* error) {
    HED_ASSERT(fabric->yarn_count > 0);
    if (!grow((void**)&fabric->points, &fabric->point_capacity, fabric->point_count,
              sizeof point)) {
        return hed_fail_memory(error, "points of a fabric");
    }
    fabric->points[fabric->point_count++] = point;
    ++fabric->yarns[fabric->yarn_count - 1].count;
    return HED_OK;
}

HedStatus hed_fabric_add_crossing(HedFabric* fabric, HedFabricCrossing crossing, HedError* error) {
    if (!grow((void**)&fabric->crossings, &fabric->crossing_capacity, fabric->crossing_count,
              sizeof crossing)) {
        return hed_fail_memory(error, "crossings of a fabric");
    }
    fabric->crossings[fabric->crossing_count++] = crossing;
    return HED_OK;
}

HedStatus hed_fabric_note(HedFabric* fabric, HedError* error, const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    bool ok = hed_warnings_add(&fabric->notes, &fabric->note_count, &fabric->note_capacity, format,
                               arguments);
    va_end(arguments);
    return ok ? HED_OK : hed_fail_memory(error, "notes of a fabric");
}

// --- order along yarns ---

// Doubles that are not negative have the order of their bits.
static uint64_t key_of(double at) {
    uint64_t key = 0;
    memcpy(&key, &at, sizeof key);
    return key;
}

static HedFabricPlace place_of(const HedFabricCrossing* crossings, int32_t visit) {
    const HedFabricCrossing* crossing = &crossings[visit / 2];
    return visit % 2 == 0 ? crossing->over : crossing->under;
}

HedStatus hed_visits_sort(const HedFabricCrossing* crossings, int32_t count, int32_t yarn_count,
                          int32_t* first, HedFabricVisit* visits, HedError* error) {
    HedStatus status = HED_OK;
    if (count > INT32_MAX / 2) {
        return hed_fail(error, HED_UNSUPPORTED, "a fabric may have %d crossings, got %d",
                        INT32_MAX / 2, count);
    }
    HedSortItem* items = HED_NEW_ARRAY(HedSortItem, 2 * (int64_t)count);
    if (!items) {
        return hed_fail_memory(error, "crossings of a fabric");
    }
    for (int32_t i = 0; i < 2 * count; ++i) {
        // Zero may be -0.0, whose bits are those of a large number.
        items[i] = (HedSortItem){key_of(place_of(crossings, i).at + 0.0), i};
    }
    HED_TRY(hed_sort_items(items, 2 * count, error));
    for (int32_t i = 0; i < 2 * count; ++i) {
        items[i].key = (uint64_t)place_of(crossings, items[i].value).yarn;
    }
    HED_TRY(hed_sort_items(items, 2 * count, error));
    int32_t at = 0;
    for (int32_t yarn = 0; yarn <= yarn_count; ++yarn) {
        first[yarn] = at;
        for (; at < 2 * count && items[at].key == (uint64_t)yarn; ++at) {
            visits[at] = (HedFabricVisit){items[at].value / 2, items[at].value % 2 == 0};
        }
    }
done:
    hed_free(items);
    return status;
}

static HedStatus check_yarns(const HedFabric* fabric, HedError* error) {
    for (int32_t i = 0; i < fabric->yarn_count; ++i) {
        const HedFabricYarn* yarn = &fabric->yarns[i];
        int32_t least = yarn->is_closed ? 3 : 2;
        if (yarn->count < least) {
            return hed_fail(error, HED_INVALID, "yarn %d ('%s') needs %d points, got %d", i,
                            yarn->name, least, yarn->count);
        }
    }
    return HED_OK;
}

static HedStatus check_place(const HedFabric* fabric, int32_t crossing, HedFabricPlace place,
                             HedError* error) {
    if (place.yarn < 0 || place.yarn >= fabric->yarn_count) {
        return hed_fail(error, HED_INVALID, "crossing %d: there are %d yarns, got yarn %d",
                        crossing, fabric->yarn_count, place.yarn);
    }
    const HedFabricYarn* yarn = &fabric->yarns[place.yarn];
    int32_t most = yarn->is_closed ? yarn->count : yarn->count - 1;
    if (!(place.at >= 0.0 && place.at <= most)) {
        return hed_fail(error, HED_INVALID,
                        "crossing %d: a place on yarn %d ('%s') is from 0 to %d, got %g", crossing,
                        place.yarn, yarn->name, most, place.at);
    }
    return HED_OK;
}

HedStatus hed_fabric_sort(HedFabric* fabric, HedError* error) {
    HedStatus status = check_yarns(fabric, error);
    for (int32_t i = 0; i < fabric->crossing_count && status == HED_OK; ++i) {
        status = check_place(fabric, i, fabric->crossings[i].over, error);
        status =
            status == HED_OK ? check_place(fabric, i, fabric->crossings[i].under, error) : status;
    }
    if (status != HED_OK) {
        return status;
    }
    hed_free(fabric->first_visits);
    hed_free(fabric->visits);
    fabric->first_visits = HED_NEW_ARRAY(int32_t, (int64_t)fabric->yarn_count + 1);
    fabric->visits = HED_NEW_ARRAY(HedFabricVisit, 2 * (int64_t)fabric->crossing_count);
    if (!fabric->first_visits || !fabric->visits) {
        return hed_fail_memory(error, "crossings of a fabric");
    }
    return hed_visits_sort(fabric->crossings, fabric->crossing_count, fabric->yarn_count,
                           fabric->first_visits, fabric->visits, error);
}

// --- what it measures ---

double hed_fabric_length(const HedFabric* fabric, int32_t yarn) {
    enum { SIMPSON_POINTS = 5 };
    const HedFabricYarn* y = &fabric->yarns[yarn];
    int32_t segments = hed_cubic_count(HED_CUBIC_CATMULL_ROM, y->count, y->is_closed);
    double length = 0.0;
    for (int32_t i = 0; i < segments; ++i) {
        HedCubicSegment s =
            hed_cubic_segment(HED_CUBIC_CATMULL_ROM, y->first, y->count, y->is_closed, i);
        HedVec3 p[4];
        for (int k = 0; k < 4; ++k) {
            p[k] = fabric->points[s.point[k]];
        }
        HedCubic cubic = hed_cubic_make(hed_cubic_matrix(HED_CUBIC_CATMULL_ROM, s.place), p);
        length += hed_cubic_length(&cubic, 0.0, 1.0, SIMPSON_POINTS);
    }
    return length;
}

double hed_fabric_mass(const HedFabric* fabric) {
    double mass = 0.0;
    for (int32_t i = 0; i < fabric->yarn_count; ++i) {
        mass += fabric->yarns[i].linear_density * hed_fabric_length(fabric, i);
    }
    return mass;
}

void hed_fabric_bounds(const HedFabric* fabric, HedVec3* low, HedVec3* high) {
    HedBox box = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
    if (fabric->point_count > 0) {
        box = hed_box_around(fabric->points, fabric->point_count);
    }
    *low = box.low;
    *high = box.high;
}

HedStatus hed_fabric_curves(const HedFabric* fabric, HedCurves* curves, HedError* error) {
    HedCurves made = {.up_axis = -1, .period = {fabric->period[0], fabric->period[1]}};
    // One more point for each yarn that goes on: the copy of its first one.
    made.vertices = HED_NEW_ARRAY(HedVec3, (int64_t)fabric->point_count + fabric->yarn_count);
    made.curves = HED_NEW_ARRAY(HedCurve, fabric->yarn_count);
    if (!made.vertices || !made.curves) {
        hed_free(made.vertices);
        hed_free(made.curves);
        return hed_fail_memory(error, "curves of a fabric");
    }
    for (int32_t i = 0; i < fabric->yarn_count; ++i) {
        const HedFabricYarn* yarn = &fabric->yarns[i];
        const HedVec3* x = fabric->points + yarn->first;
        HedVec3* to = made.vertices + made.vertex_count;
        bool goes_on = yarn->turns.a != 0 || yarn->turns.b != 0;
        memcpy(to, x, (size_t)yarn->count * sizeof *x);
        if (goes_on) {
            to[yarn->count] = hed_madd3(hed_madd3(x[0], yarn->turns.a, fabric->period[0]),
                                        yarn->turns.b, fabric->period[1]);
        }
        made.curves[i] = (HedCurve){.first = made.vertex_count,
                                    .count = yarn->count + goes_on,
                                    .is_closed = yarn->is_closed,
                                    .color = yarn->color,
                                    .radius = 0.5 * yarn->diameter};
        made.vertex_count += made.curves[i].count;
    }
    made.curve_count = fabric->yarn_count;
    *curves = made;
    return HED_OK;
}
