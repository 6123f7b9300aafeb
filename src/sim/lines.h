// SPDX-License-Identifier: MIT
// Chains of springs for position-based steps. Private to src/sim.
//
// Springs that go on straight through a point form chains: warp and weft of a grid, its diagonals,
// the lines of a mesh. The constraints of a chain are solved together, directly, so that one pass
// carries a load from one end to the other whatever the number of points. Chains of one colour
// share no point; eight of them stand side by side.
#ifndef HED_SIM_LINES_H
#define HED_SIM_LINES_H

#include "model/sheet/curve_term.h"
#include "model/sheet/spring_term.h"
#include "state/lanes.h"

/// Longer lines are cut.
enum { HED_LINE_EDGES = 1024 };

/// A point of eight chains and the spring from there to the next one. What a chain does not have is
/// empty: no rest length, on points that coincide.
typedef struct HedLineNode {
    int32_t point[HED_LANES];
    double rest[HED_LANES];       // m
    double stiffness[HED_LANES];  // N/m
    double start[HED_LANES];      // m, length at the start of the step
    double compliance[HED_LANES]; // 1/kg: 1 / (stiffness h^2)
    double multiplier[HED_LANES]; // kg m
} HedLineNode;

/// The curvature element whose middle is a point of eight chains. Empty: weights of 0.
typedef struct HedLineCurve {
    double weight[3][HED_LANES]; // 1/m
    double rest[HED_LANES];
    double stiffness[HED_LANES]; // J
    double start[HED_LANES];
    double compliance[HED_LANES];
    double multiplier[HED_LANES];
} HedLineCurve;

/// Eight chains, by falling length.
typedef struct HedLineGroup {
    int32_t first;      // node, and curve
    int32_t node_count; // of the longest chain
    bool has_curves;
    int32_t count[HED_LANES];       // nodes of each chain; 0: no chain
    double damping[HED_LANES];      // s
    double bend_damping[HED_LANES]; // s
} HedLineGroup;

typedef struct HedLines {
    HedLineNode* node;
    HedLineCurve* curve; // at each node; empty if there is none
    HedLineGroup* group; // sorted by colour
    int32_t group_count;
    int32_t* color_first; // color_count + 1, groups
    int32_t color_count;
    int32_t longest;    // nodes of a chain
    int32_t node_count; // of all groups
} HedLines;

/// What chains are made of. Damping times (s) are those of a spring or a curve.
typedef struct HedLineDef {
    const HedVec3* rest; // m, per point
    int32_t point_count;
    const HedSpring* springs;
    const double* spring_damping;
    int32_t spring_count;
    const HedBend* curves;
    const double* curve_damping;
    int32_t curve_count;
} HedLineDef;

/// Finds chains of two springs or more. is_taken: one per spring, then one per curve; true if a
/// chain has it.
HedStatus hed_lines_create(HedLines* lines, const HedLineDef* def, bool* is_taken, HedError* error);
void hed_lines_free(HedLines* lines);

/// Numbers of one node during a solve.
typedef struct HedLineWork {
    HedLanes3 x;               // m
    HedLanes3 t;               // unit, to the next one; 0 if there is none
    HedLanes3 motion;          // m
    double w[HED_LANES];       // 1/kg
    double off[HED_LANES];     // of the matrix: with the edge before
    double inverse[HED_LANES]; // of the pivot
    double change[HED_LANES];  // of the multiplier
    double largest[HED_LANES]; // m, the larger of the lengths now and at rest
} HedLineWork;

/// One step of size h. remembers: XPBD; else multipliers and damping are left out (PBD).
typedef struct HedLineStep {
    double h;
    bool remembers;
    const double* inverse_mass;
    HedVec3* x;
} HedLineStep;

/// Before the passes of a step of size h, with the positions at its start.
void hed_line_group_begin(HedLines* lines, int32_t group, double h, const HedVec3* x);

/// One pass over a group. work: `longest` nodes.
void hed_line_group_solve(HedLines* lines, int32_t group, const HedLineStep* step,
                          HedLineWork* work);

#endif
