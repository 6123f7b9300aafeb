// SPDX-License-Identifier: MIT
// A rectangle cut out of a fabric at an angle: yarns end where the scissors met them.
#include "base/array.h"
#include "fabric/fabric.h"
#include "fabric/warnings.h"
#include "math/vec3.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

// A part of a yarn that lies in the rectangle: between two places on it.
typedef struct CutPart {
    int32_t yarn;  // of the fabric that is cut
    int32_t whole; // of the part: the first point of the yarn behind its start
    double from, to;
    int32_t crossing_count;
    int32_t number; // as a yarn of the new fabric; -1: it crosses nothing, and falls off
} CutPart;

typedef struct Cutter {
    const HedFabric* fabric;
    double c, s;    // of the angle
    double half[2]; // m
    HED_ARRAY(CutPart) parts;
    int32_t* first_part; // per yarn, + 1
} Cutter;

static HedVec3 turned(const Cutter* cut, int32_t point) {
    HedVec3 x = cut->fabric->points[point];
    return (HedVec3){cut->c * x.x - cut->s * x.y, cut->s * x.x + cut->c * x.y, x.z};
}

// How much of a segment is inside: from and to, 0 to 1. False if nothing.
static bool clip(const Cutter* cut, HedVec3 a, HedVec3 b, double* from, double* to) {
    const double start[2] = {a.x, a.y};
    const double way[2] = {b.x - a.x, b.y - a.y};
    *from = 0.0;
    *to = 1.0;
    for (int k = 0; k < 2; ++k) {
        for (int side = -1; side <= 1; side += 2) {
            // side * (start + t way) <= half
            double room = cut->half[k] - side * start[k];
            double speed = side * way[k];
            if (speed > 0.0) {
                *to = fmin(*to, room / speed);
            } else if (speed < 0.0) {
                *from = fmax(*from, room / speed);
            } else if (room < 0.0) {
                return false;
            }
        }
    }
    return *to > *from;
}

static bool find_parts(Cutter* cut, int32_t y) {
    const HedFabricYarn* yarn = &cut->fabric->yarns[y];
    bool ok = true;
    bool is_open = false; // the last part reaches to the start of this segment
    for (int32_t k = 0; ok && k + 1 < yarn->count; ++k) {
        double from, to;
        bool is_in =
            clip(cut, turned(cut, yarn->first + k), turned(cut, yarn->first + k + 1), &from, &to);
        if (is_in && !(is_open && from == 0.0)) {
            ok = HED_APPEND(&cut->parts,
                            (CutPart){.yarn = y, .whole = k + 1, .from = k + from, .number = -1});
        }
        if (ok && is_in) {
            cut->parts.data[cut->parts.count - 1].to = k + to;
        }
        is_open = is_in && to == 1.0;
    }
    return ok;
}

// The part that a place is on; -1: none.
static int32_t part_at(const Cutter* cut, HedFabricPlace place) {
    for (int32_t k = cut->first_part[place.yarn]; k < cut->first_part[place.yarn + 1]; ++k) {
        if (place.at > cut->parts.data[k].from && place.at < cut->parts.data[k].to) {
            return k;
        }
    }
    return -1;
}

// The last point of the yarn before a part's end.
static int32_t last_whole(const CutPart* part) {
    int32_t last = (int32_t)ceil(part->to) - 1;
    return last < part->whole - 1 ? part->whole - 1 : last;
}

static double place_on(const CutPart* part, double at) {
    int32_t last = last_whole(part);
    if (last < part->whole) { // within one segment
        return (at - part->from) / (part->to - part->from);
    }
    if (at < part->whole) {
        return (at - part->from) / (part->whole - part->from);
    }
    double whole = 1.0 + last - part->whole;
    return at <= last ? 1.0 + at - part->whole : whole + (at - last) / (part->to - last);
}

static HedVec3 point_at(const Cutter* cut, const CutPart* part, double at) {
    const HedFabricYarn* yarn = &cut->fabric->yarns[part->yarn];
    int32_t k = (int32_t)at;
    k = k > yarn->count - 2 ? yarn->count - 2 : k;
    return hed_lerp3(turned(cut, yarn->first + k), turned(cut, yarn->first + k + 1), at - k);
}

static bool add_yarn(const Cutter* cut, const CutPart* part, HedFabric* out) {
    HedFabricYarn yarn = cut->fabric->yarns[part->yarn];
    int32_t first = yarn.first;
    HED_ARRAY(HedVec3) points = {out->points, out->point_count, out->point_capacity};
    yarn.first = points.count;
    bool ok = HED_APPEND(&points, point_at(cut, part, part->from));
    for (int32_t k = part->whole; ok && k <= last_whole(part); ++k) {
        ok = HED_APPEND(&points, turned(cut, first + k));
    }
    ok = ok && HED_APPEND(&points, point_at(cut, part, part->to));
    yarn.count = points.count - yarn.first;
    out->points = points.data;
    out->point_count = points.count;
    out->point_capacity = points.capacity;
    HED_ARRAY(HedFabricYarn) yarns = {out->yarns, out->yarn_count, out->yarn_capacity};
    ok = ok && HED_APPEND(&yarns, yarn);
    out->yarns = yarns.data;
    out->yarn_count = yarns.count;
    out->yarn_capacity = yarns.capacity;
    return ok;
}

static bool add_crossings(const Cutter* cut, HedFabric* out) {
    HED_ARRAY(HedFabricCrossing) list = {0};
    bool ok = true;
    for (int32_t k = 0; ok && k < cut->fabric->crossing_count; ++k) {
        HedFabricCrossing c = cut->fabric->crossings[k];
        int32_t over = part_at(cut, c.over);
        int32_t under = part_at(cut, c.under);
        if (over >= 0 && under >= 0) {
            const CutPart* a = &cut->parts.data[over];
            const CutPart* b = &cut->parts.data[under];
            c.over = (HedFabricPlace){a->number, place_on(a, c.over.at)};
            c.under = (HedFabricPlace){b->number, place_on(b, c.under.at)};
            ok = HED_APPEND(&list, c);
        }
    }
    out->crossings = list.data;
    out->crossing_count = list.count;
    out->crossing_capacity = list.capacity;
    return ok;
}

static void count_crossings(const Cutter* cut) {
    for (int32_t k = 0; k < cut->fabric->crossing_count; ++k) {
        int32_t over = part_at(cut, cut->fabric->crossings[k].over);
        int32_t under = part_at(cut, cut->fabric->crossings[k].under);
        if (over >= 0 && under >= 0) {
            cut->parts.data[over].crossing_count += 1;
            cut->parts.data[under].crossing_count += 1;
        }
    }
}

static HedStatus make(Cutter* cut, HedFabric* out, HedError* error) {
    const HedFabric* f = cut->fabric;
    bool ok = true;
    cut->first_part = HED_NEW_ARRAY(int32_t, (int64_t)f->yarn_count + 1);
    ok = cut->first_part != NULL;
    for (int32_t y = 0; ok && y < f->yarn_count; ++y) {
        ok = find_parts(cut, y);
        cut->first_part[y + 1] = cut->parts.count;
    }
    if (ok) {
        count_crossings(cut);
    }
    for (int32_t k = 0; ok && k < cut->parts.count; ++k) {
        CutPart* part = &cut->parts.data[k];
        if (part->crossing_count > 0) {
            part->number = out->yarn_count;
            ok = add_yarn(cut, part, out);
        }
    }
    ok = ok && add_crossings(cut, out);
    out->first_visits = HED_NEW_ARRAY(int32_t, (int64_t)out->yarn_count + 1);
    out->visits = HED_NEW_ARRAY(HedFabricVisit, 2 * (int64_t)out->crossing_count);
    if (!ok || !out->first_visits || !out->visits) {
        return hed_fail_memory(error, "a cut of a fabric");
    }
    if (out->crossing_count == 0) {
        return hed_fail(error, HED_INVALID, "a cut of %g m by %g m leaves no crossing",
                        2.0 * cut->half[0], 2.0 * cut->half[1]);
    }
    return hed_visits_sort(out->crossings, out->crossing_count, out->yarn_count, out->first_visits,
                           out->visits, error);
}

static HedStatus check(const HedFabric* fabric, HedFabricCut def, HedError* error) {
    if (!isfinite(def.angle) || !(def.width > 0.0) || !(def.height > 0.0) || !isfinite(def.width) ||
        !isfinite(def.height)) {
        return hed_fail(error, HED_INVALID,
                        "a cut needs a finite angle and positive sides, got %g rad, %g m by %g m",
                        def.angle, def.width, def.height);
    }
    if (fabric->loop_count > 0 || hed_norm3(fabric->period[0]) > 0.0) {
        return hed_fail(error, HED_UNSUPPORTED, "%s cannot be cut",
                        fabric->loop_count > 0 ? "knits, which would run," : "a repeat");
    }
    for (int32_t y = 0; y < fabric->yarn_count; ++y) {
        if (fabric->yarns[y].is_closed) {
            return hed_fail(error, HED_UNSUPPORTED, "yarn %" PRId32 ": closed yarns cannot be cut",
                            y);
        }
    }
    return HED_OK;
}

HedStatus hed_fabric_cut_out(const HedFabric* fabric, HedFabricCut def, HedFabric* out,
                             HedError* error) {
    HedFabric made = {0};
    Cutter cut = {.fabric = fabric,
                  .c = cos(def.angle),
                  .s = sin(def.angle),
                  .half = {0.5 * def.width, 0.5 * def.height}};
    HedStatus status = check(fabric, def, error);
    if (status == HED_OK) {
        status = make(&cut, &made, error);
    }
    hed_free(cut.parts.data);
    hed_free(cut.first_part);
    if (status != HED_OK) {
        hed_fabric_free(&made);
        return status;
    }
    *out = made;
    return HED_OK;
}
