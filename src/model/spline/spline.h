// SPDX-License-Identifier: MIT
// All spline yarns of a simulation (Kaldor 2011, 4.2): open uniform cubic B-splines whose control
// points are points of the simulation, with bending and with stretching inside of segments.
//
// A yarn of n + 3 control points has n segments (a closed one of n points has n). An open one ends
// in its first and last control points, and points from there to their neighbours (geom/cubic.h):
// whoever holds the first holds the end, whoever holds both clamps it. Rest lengths of
// segments are arc lengths of the curve it is created with; straight is its rest shape.
#ifndef HED_MODEL_SPLINE_SPLINE_H
#define HED_MODEL_SPLINE_SPLINE_H

#include "base/parallel.h"
#include "base/status.h"
#include "geom/cubic.h"
#include "solve/projection.h"
#include "solve/skyline.h"
#include "state/groups.h"
#include "state/term.h"

enum { HED_SPLINE_QUADRATURE = 11, HED_SPLINE_QUADRATURE_MOST = 101 };

/// One yarn. Kaldor's (2011) k_bend is EI/2, his k_len is EA times half the length of a segment.
typedef struct HedSplineDef {
    int32_t first;       // its first control point in the simulation
    int32_t point_count; // at least 4; closed: at least 3
    bool is_closed;
    bool goes_on;        // open, but without ends: all segments are inner ones
    bool keeps_length;   // its segments are constraints of hed_spline_lengths_project
    bool has_full_mass;  // hed_spline_mass_solve goes by its consistent mass
    double bend;         // N m^2, EI
    double axial;        // N, EA
    double density;      // kg/m
    double damping;      // s, of stretching: damping over stiffness
    double bend_damping; // s, of bending
} HedSplineDef;

typedef struct HedSpline {
    HedSplineDef def;
    int32_t first_segment;
    int32_t segment_count;
} HedSpline;

typedef struct HedSplines {
    HedSpline* yarn;
    int32_t yarn_count;
    int32_t segment_count;
    int32_t* point; // four control points per segment
    uint8_t* place; // HedCubicPlace of segments
    double* length; // m, of segments at rest
    double* bend;   // N m^3, EI l of segments
    double* axial;  // N/m, EA/l of segments
    double* drag;   // N s/m and N m^3 s of segments: viscosities of stretching and bending
    bool is_damped;

    // Simpson's rule over a segment.
    int32_t quadrature;
    double* s;
    double* weight;

    HedGroups groups;
    int32_t* slot;
} HedSplines;

/// The matrix of a segment.
static inline const HedCubicMatrix* hed_spline_matrix(const HedSplines* splines, int64_t segment) {
    return hed_cubic_matrix(HED_CUBIC_BSPLINE, (HedCubicPlace)splines->place[segment]);
}

/// The curve of a segment.
static inline HedCubic hed_spline_cubic(const HedSplines* splines, int64_t segment,
                                        const HedVec3* x) {
    const int32_t* p = splines->point + 4 * segment;
    const HedVec3 four[4] = {x[p[0]], x[p[1]], x[p[2]], x[p[3]]};
    return hed_cubic_make(hed_spline_matrix(splines, segment), four);
}

/// Rest lengths from the curve through x. quadrature: points of Simpson's rule per segment, odd, 3
/// to HED_SPLINE_QUADRATURE_MOST. Failures name yarn and value. Free with hed_splines_free.
HedStatus hed_splines_create(HedSplines* splines, const HedSplineDef* defs, int32_t count,
                             const HedVec3* x, int32_t quadrature, HedError* error);
void hed_splines_free(HedSplines* splines);

/// Sorts the segments into ranges of points; before the term is used.
HedStatus hed_splines_cut(HedSplines* splines, HedRanges ranges, HedError* error);

/// Damping of stretching (s) is from now on at most this.
void hed_splines_limit_damping(HedSplines* splines, double most);

/// Bending and stretching as a term with columns "bend" and "stretch".
HedTerm hed_splines_term(HedSplines* splines);

/// A point of a yarn as weights of four control points.
typedef struct HedSplineStencil {
    int32_t point[4];
    double weight[4];
} HedSplineStencil;

/// At parameter s in [0, segment_count] of a yarn; beyond it, at the end.
HedSplineStencil hed_spline_at(const HedSplines* splines, int32_t yarn, double s);

/// Arc length of a yarn's k-th segment over that at rest, less 1; and the curvature at parameter s,
/// 1/m.
double hed_splines_strain(const HedSplines* splines, int32_t yarn, int32_t k, const HedVec3* x);
double hed_splines_curvature(const HedSplines* splines, int32_t yarn, double s, const HedVec3* x);

/// W that damping of stretching and bending takes from a segment.
double hed_splines_power(const HedSplines* splines, int32_t segment, const HedVec3* x,
                         const HedVec3* v);

/// Adds the masses of all yarns, lumped by rows, to mass (kg, per point of the simulation). Weight
/// and drag on lumped masses are exact.
void hed_splines_add_mass(const HedSplines* splines, double* mass);

/// The consistent mass matrix, factored yarn by yarn.
typedef struct HedSplineMass {
    HedSkyline* factor;
    int32_t count;
    double* work;        // 3 per point
    int32_t* first;      // of each yarn's work
    int64_t point_count; // of all yarns
} HedSplineMass;

/// Room for the matrices; factor fills them.
HedStatus hed_spline_mass_create(HedSplineMass* mass, const HedSplines* splines, HedError* error);
void hed_spline_mass_free(HedSplineMass* mass);

/// inverse_mass: 1/kg, per point of the simulation; points with 0 are held, and no force moves
/// them.
void hed_spline_mass_factor(HedSplineMass* mass, const HedSplines* splines,
                            const double* inverse_mass);

/// Turns forces on the free control points of yarns with full mass into accelerations times lumped
/// masses (kg), in place. Those of held points stay as they are.
void hed_spline_mass_solve(const HedSplineMass* mass, const HedSplines* splines,
                           const HedTeam* team, const double* inverse_mass, const double* lumped,
                           HedVec3* force);

/// What a change of the motion of held points does to free ones of the same yarn by their inertia
/// alone: -M_ff^-1 M_fc times it, with the consistent masses M of free (f) and held (c) points.
/// change: of held points, which stay; those of free ones are written.
void hed_spline_mass_carry(const HedSplineMass* mass, const HedSplines* splines,
                           const double* inverse_mass, HedVec3* change);

/// J that holders put into motion when velocities change from v0 to v1, by consistent mass beyond
/// that by lumped masses; of yarns with full mass.
double hed_splines_held_work(const HedSplines* splines, const double* inverse_mass,
                             const HedVec3* v0, const HedVec3* v1);

/// J, by how much the kinetic energy of consistent mass differs from that of lumped masses; of
/// yarns with full mass.
double hed_splines_kinetic_beyond(const HedSplines* splines, const HedVec3* v);

/// Lengths of segments as constraints, one per segment so that nothing locks.
typedef struct HedSplineLengths {
    HedSkyline* matrix; // per yarn
    int32_t count;
    HedVec3* gradient; // four per segment
    double* value;     // per segment
    double* error;     // per yarn
    int32_t* iterations;
} HedSplineLengths;

HedStatus hed_spline_lengths_create(HedSplineLengths* lengths, const HedSplines* splines,
                                    HedError* error);
void hed_spline_lengths_free(HedSplineLengths* lengths);

/// As hed_lengths_project, for arc lengths by Simpson's rule. Each iteration is one banded system
/// per yarn, solved directly.
HedProjection hed_spline_lengths_project(HedSplineLengths* lengths, const HedSplines* splines,
                                         const HedTeam* team, HedProjectionLimit limit,
                                         const double* inverse_mass, HedVec3* x);

/// Control points of the spline through given points, one segment from each to the next: count + 2
/// of them (closed: count), not bent at open ends. At least 2 points (closed: 3).
HedStatus hed_spline_interpolate(const HedVec3* points, int32_t count, bool is_closed,
                                 HedVec3* control, HedError* error);

/// Control points of the spline of segment_count segments that comes nearest to given points (least
/// squares, parameters by chord length): segment_count + 3 of them (closed: segment_count). Where
/// points leave it open, the curve is as straight as possible.
HedStatus hed_spline_fit(const HedVec3* points, int32_t count, bool is_closed,
                         int32_t segment_count, HedVec3* control, HedError* error);

#endif
