// SPDX-License-Identifier: MIT
// Facts about the objects of a series.
#include "io/series.h"

const char* hed_object_kind_name(HedObjectKind kind) {
    static const char* const NAMES[HED_OBJECT_KIND_COUNT] = {"sheet", "body", "yarns"};
    return (unsigned)kind < HED_OBJECT_KIND_COUNT ? NAMES[kind] : "unknown";
}

int64_t hed_object_uv_count(const HedSeriesObject* object) {
    return !object->uv             ? 0
           : object->uv_at_corners ? 3 * (int64_t)object->triangle_count
                                   : object->vertex_count;
}

void hed_curve_rgb(const HedCurve* curve, uint8_t rgb[3]) {
    int32_t color = curve->color == HED_COLOR_NONE ? 0xFFFFFF : curve->color;
    for (int32_t i = 0; i < 3; ++i) {
        rgb[i] = (uint8_t)(color >> (16 - 8 * i));
    }
}
