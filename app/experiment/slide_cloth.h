// SPDX-License-Identifier: MIT
// What the benchmark of sliding yarns steps: a woven or knitted cloth, held at two corners.
#ifndef EXPERIMENT_SLIDE_CLOTH_H
#define EXPERIMENT_SLIDE_CLOTH_H

#include "experiment/experiment.h"

typedef enum SlideKind {
    SLIDE_SOFT, ///< Woven, as soft as the cloth on a sphere of Sanchez-Banderas and Otaduy (2017).
    SLIDE_COTTON, ///< Woven cotton shirting: yarns of 1 GPa.
    SLIDE_KNIT,   ///< Stockinette of fine yarn.
} SlideKind;

typedef struct FallingCloth {
    SlideKind kind;
    int32_t side; ///< Threads of each system, or stitches and rows.
    int32_t threads;
    double step; ///< s
    HedPreconditionerKind preconditioner;
    double linear_tolerance; ///< 0: as by default.
    int32_t linear_limit;    ///< 0: as by default.
    double newton_tolerance; ///< m/s; 0: as by default.
} FallingCloth;

/// Two equal woven cloths, level, on a table with friction 0.3.
typedef struct LyingCloths {
    SlideKind kind;
    int32_t side;
    int32_t threads;
    double step;             ///< s
    double newton_tolerance; ///< m/s; 0: as by default.
    bool touch;   ///< One lies on the other. Else both lie on the table, through each other.
    double speed; ///< m/s, of the second one along the first.
} LyingCloths;

HedStatus slide_build_lying(const LyingCloths* cloths, HedSim** sim, HedYarnsId yarns[2],
                            HedError* error);

/// Copies the state of one simulation into another made from the same defs.
bool slide_copy_state(HedSim* from, HedSim* to);

/// The cloth lies level, held at two of its corners, and begins to fall.
HedStatus slide_build(const FallingCloth* cloth, HedSim** sim, HedYarnsId* yarns, HedError* error);

#endif
