// SPDX-License-Identifier: MIT
// Frames in files. frames/objects.hed holds what does not change:
//   names            u8   of all objects, each ended by 0
//   kinds            u8   HED_FRAME_SHEET, HED_FRAME_BODY or HED_FRAME_YARNS
//   vertex_counts    i32
//   triangle_counts  i32
//   triangles        i32  three vertex indices each, object after object
//   body_vertices    f64  of the bodies, in their own frames, body after body
//   curve_counts     i32  curves of each object; this and what follows only if there are yarns
//   curve_sizes      i32  vertices of each curve, object after object
//   curve_flags      u8   1 if the curve is closed
//   curve_colors     i32  0xRRGGBB, or -1
//   curve_radii      f64  m
//   uv_kinds         u8   of each object: HED_FRAME_NO_UV, ...; this and what follows only if a
//                         sheet has places in a pattern
//   uv               f64  two numbers per vertex, or per corner, object after object
// and frames/000000.hed and so on, one for each frame:
//   time             f64  s
//   step             i64
//   positions        f64  of the vertices of sheets and yarns, object after object
//   poses            f64  of the bodies: position, then quaternion w x y z
//   q/NAME           f32  values of a quantity at those vertices, for each quantity written
//   velocities       f32  of those vertices, if the speed is written: what a scene that starts from
//                         the frame goes on with
#ifndef HED_RECORD_FORMAT_H
#define HED_RECORD_FORMAT_H

#define HED_QUANTITY_PREFIX "q/"
#define HED_FRAME_VELOCITIES "velocities"

enum { HED_FRAME_NO_UV = 0, HED_FRAME_VERTEX_UV = 1, HED_FRAME_CORNER_UV = 2 };
enum { HED_FRAME_SHEET = 0, HED_FRAME_BODY = 1, HED_FRAME_YARNS = 2, HED_POSE_NUMBERS = 7 };

#endif
