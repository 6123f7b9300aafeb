// SPDX-License-Identifier: MIT
// What the writers of moving meshes and curves share. Writers print freely and leave failure of the
// disk to the writer's commit.
#ifndef HED_IO_SERIES_H
#define HED_IO_SERIES_H

#include "base/file.h"
#include "heddle/file.h"

// Binary formats here are little-endian and take values as they stand in memory.
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "binary meshes are little-endian");
_Static_assert(sizeof(HedVec3) == 3 * sizeof(double), "positions are three doubles");

/// One frame in memory; positions[object][vertex], all finite.
typedef struct HedSeriesFrame {
    const HedSeries* series;
    HedVec3* const* positions;
    int32_t vertex_total;
    int32_t triangle_total;
    int32_t curve_total;
    int32_t curve_vertex_total; // of objects that are curves
} HedSeriesFrame;

/// Places in the pattern that an object has, two numbers each.
int64_t hed_object_uv_count(const HedSeriesObject* object);

/// Red, green and blue of a curve; white if it has no colour.
void hed_curve_rgb(const HedCurve* curve, uint8_t rgb[3]);

/// Fills the frame; refuses positions beyond `limit` and those that are not finite. The path is for
/// messages.
HedStatus hed_series_load(const HedSeriesFrame* frame, int32_t index, double limit,
                          const char* path, HedError* error);

/// Wavefront OBJ, one `o` group per object; curves are `l` statements of two vertices, with their
/// colour at the vertices.
void hed_obj_write(HedWriter* writer, const HedSeriesFrame* frame);

/// Binary little-endian PLY; faces and the edges of curves carry the number of their object,
/// vertices the radius and the colour of their curve as they are known, and vertices or faces the
/// places in the pattern.
void hed_ply_write(HedWriter* writer, const HedSeriesFrame* frame);

/// VTK PolyData in XML with raw appended arrays; cells carry the number of their object. Curves are
/// lines, with radius and colour as they are known.
void hed_vtp_write(HedWriter* writer, const HedSeriesFrame* frame);

/// ParaView collection; files[i] is the file of frame i, relative to the collection.
void hed_pvd_write(HedWriter* writer, const HedSeries* series, char* const* files);

/// Binary curve collection of all curves, y up.
void hed_bcc_write(HedWriter* writer, const HedSeriesFrame* frame);

/// USD text with all frames as time samples; loads them one by one, once per object.
HedStatus hed_usda_write(HedWriter* writer, const HedSeriesFrame* frame, const char* path,
                         HedError* error);

#endif
