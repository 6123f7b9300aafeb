// SPDX-License-Identifier: MIT
// What the readers of yarn curves share: curves put together point by point, and their way to a
// HedCurves.
#ifndef HED_IO_CURVES_H
#define HED_IO_CURVES_H

#include "base/array.h"
#include "base/status.h"
#include "heddle/file.h"

/// Curves as they come out of a file. Zero-initialise; free with hed_curve_list_free.
typedef struct HedCurveList {
    HED_ARRAY(HedVec3) vertices;
    HED_ARRAY(HedCurve) curves;
    int32_t first;        // vertex of the curve being built
    int32_t given_count;  // curves so far, short ones included
    int32_t short_count;  // of them too short to keep
    int32_t first_short;  // number of the first of those
    int64_t repeat_count; // points left out because they repeat their predecessor
} HedCurveList;

void hed_curve_list_free(HedCurveList* list);

/// Adds a point to the curve being built, unless it repeats the one before; false if there is no
/// memory.
bool hed_curve_list_point(HedCurveList* list, HedVec3 point);

/// Ends the curve being built, which is closed, has a radius and a colour like another. A last
/// point of a closed curve that repeats the first is dropped, and so are curves with fewer points
/// than a HedCurve needs. False if there is no memory.
bool hed_curve_list_end(HedCurveList* list, HedCurve like);

/// Gives all curves to `curves`, turned so that y is up, and notes in the log what was dropped. No
/// curve left is HED_PARSE.
HedStatus hed_curve_list_finish(HedCurveList* list, int32_t up_axis, const char* name,
                                HedCurves* curves, HedError* error);

/// Readers. The curves come in empty and stay so on failure.
HedStatus hed_bcc_parse(const char* data, size_t size, const char* name, HedCurves* curves,
                        HedError* error);

/// A .yarns file.
HedStatus hed_yarns_file_parse(const char* data, size_t size, const char* name, HedCurves* curves,
                               HedError* error);

/// A periodic yarn pattern.
HedStatus hed_pyp_parse(const char* data, size_t size, const char* name, HedCurves* curves,
                        HedError* error);

/// The BasisCurves of a USD text; HED_NOT_FOUND if there are none.
HedStatus hed_usda_curves_parse(const char* data, size_t size, const char* name, HedCurves* curves,
                                HedError* error);

/// The lines of VTK PolyData; HED_NOT_FOUND if there are none.
HedStatus hed_vtp_curves_parse(const char* data, size_t size, const char* name, HedCurves* curves,
                               HedError* error);

/// Whether the lines of VTK PolyData are yarns, even beside polygons: its cells have a radius.
bool hed_vtp_holds_yarns(const char* data, size_t size);

/// The edges of a PLY file; HED_NOT_FOUND if there are none.
HedStatus hed_ply_curves_parse(const char* data, size_t size, const char* name, HedCurves* curves,
                               HedError* error);

/// The 'l' statements of an OBJ file; HED_NOT_FOUND if there are none.
HedStatus hed_polylines_parse(const char* data, size_t size, const char* name, HedCurves* curves,
                              HedError* error);

#endif
