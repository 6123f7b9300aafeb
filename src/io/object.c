// SPDX-License-Identifier: MIT
// Facts about the objects of a series.
#include "heddle/file.h"

const char* hed_object_kind_name(HedObjectKind kind) {
    static const char* const NAMES[HED_OBJECT_KIND_COUNT] = {"sheet", "body", "yarns"};
    return (unsigned)kind < HED_OBJECT_KIND_COUNT ? NAMES[kind] : "unknown";
}

int32_t hed_curve_segment_count(const HedCurve* curve) {
    return curve->is_closed ? curve->count : curve->count - 1;
}
