// SPDX-License-Identifier: MIT
// What every reader of curves promises, whatever it is fed.
#ifndef TESTS_FUZZ_CURVE_PROMISES_H
#define TESTS_FUZZ_CURVE_PROMISES_H

#include "fuzz/mesh_promises.h"

static inline bool is_same_point(HedVec3 a, HedVec3 b) {
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

/// Reads data as curves of the format. Those that are accepted are finite, long enough, follow each
/// other without gaps and repeat no point; memory stays in proportion to the input; nothing leaks.
static inline void check_curve_promises(const uint8_t* data, size_t size, const char* format) {
    HedCurves curves = {0};
    HedError error = {0};
    HedStatus status = hed_curves_parse((const char*)data, size, format, "fuzz", &curves, &error);
    promise((status != HED_OK) == (error.message[0] != '\0'));
    promise((status == HED_OK) == (curves.curve_count > 0));
    promise((uint64_t)curves.vertex_count <= size);
    int32_t first = 0;
    for (int32_t i = 0; i < curves.curve_count; ++i) {
        HedCurve curve = curves.curves[i];
        promise(curve.first == first && curve.count >= (curve.is_closed ? 3 : 2));
        promise(isfinite(curve.radius) && curve.radius >= 0.0);
        promise(curve.color >= HED_COLOR_NONE && curve.color <= 0xFFFFFF);
        const HedVec3* x = curves.vertices + first;
        for (int32_t j = 0; j < curve.count; ++j) {
            promise(isfinite(x[j].x) && isfinite(x[j].y) && isfinite(x[j].z));
            promise(j == 0 || !is_same_point(x[j - 1], x[j]));
        }
        promise(!curve.is_closed || !is_same_point(x[0], x[curve.count - 1]));
        first += curve.count;
    }
    promise(first == curves.vertex_count);
    hed_curves_free(&curves);
    promise(hed_alloc_stats().live_count == 0);
}

#endif
