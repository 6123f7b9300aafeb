// SPDX-License-Identifier: MIT
// Starting from the state that another simulation came to: positions, velocities, what yarns
// remember. The shape at rest stays that of the defs.
#ifndef HEDDLE_START_H
#define HEDDLE_START_H

#include "heddle/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Where a sheet or a set of yarns is at the start, in place of its def. Fill with
/// hed_start_def_default().
typedef struct HedStartDef {
    HedSheetId sheet;          ///< Either this
    HedYarnsId yarns;          ///< or this.
    const HedVec3* positions;  ///< m, one per vertex; of sliding yarns one per node.
    const HedVec3* velocities; ///< m/s, the same; NULL: as its def says.
    bool are_controls;         ///< Of splines: both are of control points (HedStatePart), not of
                               ///< vertices. Default false.
    uint32_t stamp;
} HedStartDef;

HED_API HedStartDef hed_start_def_default(void);

/// Comes after the sheet or the yarns were created and before pins and glue, which take hold of
/// what is there. HED_UNSUPPORTED for yarns that repeat.
HED_API HedStatus hed_sim_start(HedSim* sim, const HedStartDef* def, HedError* error);

/// What yarns remember beside that: arrays of hed_sim_snapshot() of a simulation with the same
/// yarns, of which "rods" (frames, twist, plastic bends), "sliding" (material along yarns,
/// friction, crossings that came apart; with it int32_t "rows", the place of all nodes as the
/// layout has it), "yarn_pairs" and "yarn_strains" (friction between yarns) are taken. They are
/// copied, and taken up by hed_sim_prepare(), which refuses arrays of another size. is_at_rest:
/// material along sliding yarns does not move at the start.
HED_API HedStatus hed_sim_start_memory(HedSim* sim, const HedSnapshotArray* arrays, int32_t count,
                                       bool is_at_rest, HedError* error);

typedef enum HedStateKind {
    HED_STATE_SHEET,
    HED_STATE_ROD,
    HED_STATE_SPLINE,
    HED_STATE_SLIDING,
    HED_STATE_KIND_COUNT
} HedStateKind;

/// How points of a snapshot's "x" and "v" belong to one sheet or set of yarns.
typedef struct HedStatePart {
    int32_t kind; ///< HedStateKind
    int32_t first_point;
    int32_t point_count;  ///< Of splines: control points. Of sliding yarns: nodes.
    int32_t vertex_count; ///< Of sliding yarns: nodes.
} HedStatePart;

/// Zero-initialise; free with hed_state_layout_free.
typedef struct HedStateLayout {
    HedStatePart* parts; ///< Sheets and yarns in the order of their creation.
    int32_t part_count;
    int32_t* place; ///< The point of each vertex, part after part; of splines the nearest one. Of
                    ///< sliding yarns the row of each node among those of its set in "sliding".
    int32_t place_count;
} HedStateLayout;

HED_API HedStatus hed_sim_layout(const HedSim* sim, HedStateLayout* layout, HedError* error);
HED_API void hed_state_layout_free(HedStateLayout* layout);

#ifdef __cplusplus
}
#endif

#endif
