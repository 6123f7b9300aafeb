// SPDX-License-Identifier: MIT
#include "cli/box.h"

#include <math.h>

static HedVec3 least(HedVec3 a, HedVec3 b) {
    return (HedVec3){fmin(a.x, b.x), fmin(a.y, b.y), fmin(a.z, b.z)};
}

static HedVec3 most(HedVec3 a, HedVec3 b) {
    return (HedVec3){fmax(a.x, b.x), fmax(a.y, b.y), fmax(a.z, b.z)};
}

void box_add(Box* box, const HedVec3* points, int32_t count) {
    for (int32_t i = 0; i < count; ++i) {
        box->low = box->has_points ? least(box->low, points[i]) : points[i];
        box->high = box->has_points ? most(box->high, points[i]) : points[i];
        box->has_points = true;
    }
}

void box_join(Box* box, const Box* other) {
    if (other->has_points) {
        box_add(box, &other->low, 1);
        box_add(box, &other->high, 1);
    }
}

static HedVec3 size_of(const Box* box) {
    return (HedVec3){box->high.x - box->low.x, box->high.y - box->low.y, box->high.z - box->low.z};
}

void box_print(const Box* box, const char* label) {
    HedVec3 size = size_of(box);
    if (box->has_points) {
        printf("box       %s%s%.6g %.6g %.6g to %.6g %.6g %.6g m, size %.4g x %.4g x %.4g m\n",
               label ? label : "", label ? ": " : "", box->low.x, box->low.y, box->low.z,
               box->high.x, box->high.y, box->high.z, size.x, size.y, size.z);
    }
}

static void put_point(Json* json, const char* key, HedVec3 p) {
    json_array(json, key);
    json_number(json, NULL, p.x);
    json_number(json, NULL, p.y);
    json_number(json, NULL, p.z);
    json_end(json);
}

void box_put(Json* json, const char* key, const Box* box) {
    if (!box->has_points) {
        return;
    }
    if (key) {
        json_object(json, key);
    }
    put_point(json, "low", box->low);
    put_point(json, "high", box->high);
    put_point(json, "size", size_of(box));
    if (key) {
        json_end(json);
    }
}
