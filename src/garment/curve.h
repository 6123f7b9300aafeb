// SPDX-License-Identifier: MIT
// Edges of panels as curves: points at equal distances along them.
#ifndef HED_GARMENT_CURVE_H
#define HED_GARMENT_CURVE_H

#include "garment/plane.h"

enum { HED_CURVE_PIECES = 32 };

/// A curve over t in [0, 1] and a table of its length.
typedef struct HedPlaneCurve {
    HedEdgeKind kind;
    HedMaterialPoint p[4];                // ends and control points; an arc's centre is p[1]
    double radius, angle, turn;           // arc: p[1] + radius (cos, sin)(angle + t turn)
    double lengths[HED_CURVE_PIECES + 1]; // m, from the start to t = i / HED_CURVE_PIECES
    double bend;                          // rad, total change of direction
} HedPlaneCurve;

/// Prepares an edge between two different, finite points. False if an arc's radius is less than
/// half the distance of its ends (by more than rounding) or a number is not finite.
bool hed_plane_curve(const HedPanelEdge* edge, HedMaterialPoint start, HedMaterialPoint end,
                     HedPlaneCurve* curve);

static inline double hed_plane_curve_length(const HedPlaneCurve* curve) {
    return curve->lengths[HED_CURVE_PIECES];
}

/// The point at a distance s from the start, as fraction of the whole length. Ends are exact.
HedMaterialPoint hed_plane_curve_at(const HedPlaneCurve* curve, double s);

#endif
