// SPDX-License-Identifier: MIT
// Relaxation: the yarns of a fabric come to rest.
#ifndef HEDDLE_RELAX_H
#define HEDDLE_RELAX_H

#include "heddle/fabric.h"

#ifdef __cplusplus
extern "C" {
#endif

/// How far a relaxation has come.
typedef struct HedRelaxProgress {
    int32_t stage;     ///< Counted from 0.
    int32_t stages;    ///< The last one has yarns of their full thickness.
    int32_t iteration; ///< In all stages together.
    int32_t limit;     ///< Most iterations.
    double thickness;  ///< Of yarns in this stage, part of the full one.
    double force;      ///< Largest unbalanced force on a point, in B/d^2.
    double speed;      ///< Largest way of a point in an iteration, in d.
    double overlap;    ///< Deepest overlap of two yarns, part of the distance at which they touch.
    double energy;     ///< In B/d.
    double wall;       ///< s since the call.
} HedRelaxProgress;

/// How a fabric comes to rest. Fill with hed_relax_def_default(), then edit. Rest depends on ratios
/// alone: d is the mean diameter of the yarns, B the bending stiffness (N m^2) of a yarn of that
/// diameter; it cancels out. Thicker yarns are stiffer, as bundles of fibres are: with the square.
typedef struct HedRelaxDef {
    double stretch;  ///< Stiffness along yarns, in B/d^2. Default 20.
    double contact;  ///< Stiffness of contact (docs/yarn-contact.md), in B/d^3. Default 10.
    double friction; ///< Between yarns. Without it yarns run out of their loops. Default 0.3.
    double shrink;   ///< Length of yarns at rest over that at the start. Default 1.
    double plates;   ///< Distance of two smooth plates that keep the fabric flat, in d; 0: none.
                     ///< Default 0.
    double force;    ///< Rest: no force on a point is larger than this, in B/d^2. Default 0.01,
    double speed;    ///< and none moves further in an iteration, in d. Default 1e-3.
    int32_t limit;   ///< Most iterations. Default 30000.
    int32_t threads; ///< 0: one per core. Results do not depend on it.
    const double* lengths;  ///< m at rest, per point: to the next one of its yarn. NULL: those of
                            ///< the start times shrink.
    const uint8_t* is_held; ///< Per point, 1: does not move. NULL: none.
    bool holds_period[2];   ///< Of a fabric that repeats: this vector keeps its length. Default
                            ///< false: it takes the one at which the fabric is at rest.
    double pull[2];         ///< In B/d^2, that stretches one repeat along its vectors. Default 0.
    HedVec3* forces;        ///< Filled, if not NULL: what holds each point at the end, in B/d^2;
                            ///< of free points, what is not balanced.
    void (*progress)(const HedRelaxProgress* progress, void* context); ///< Now and then; or NULL.
    bool (*stop)(void* context); ///< Asked as often; true ends it. May be NULL.
    void* context;
    uint32_t stamp;
} HedRelaxDef;

HED_API HedRelaxDef hed_relax_def_default(void);

/// How it ended.
typedef struct HedRelaxReport {
    bool is_quiet; ///< Both bounds were kept, and no yarns overlap by more than 0.25; otherwise the
                   ///< limit was reached.
    int32_t iterations;
    int32_t stages;
    int32_t backed_out; ///< Iterations taken back, because yarns would have met.
    int32_t proofs;     ///< Straight ways, one after the other from the start to the end, on which
                        ///< all yarns were proved to stay apart: links are those of the start.
    double force;       ///< As in HedRelaxProgress.
    double speed;
    double overlap;
    double strain;  ///< Largest of a piece of yarn.
    double energy;  ///< In B/d.
    double wall;    ///< s
    bool is_cached; ///< It was done before, and read from a file.
    double pull[2]; ///< In B/d^2, with which one repeat pulls along each of its vectors.
} HedRelaxReport;

/// Moves the points of a fabric to rest: bending (straight at rest), stretching and contact balance
/// each other, without gravity. Yarns start as thin as they must be not to overlap and
/// grow to their thickness in stages. No yarn ever passes through another, so that all crossings
/// stay as they are, which is proved on the way (HED_INVALID names the yarns if not); places of
/// crossings along yarns, and what lies over what seen along z, may change with the shape. Pieces
/// of yarn have rest lengths such that none is under tension afterwards: the lengths that they have
/// then. HED_STOPPED if the stop hook asked for it; points are then those reached. The vectors of a
/// fabric that repeats keep their directions.
HED_API HedStatus hed_fabric_relax(HedFabric* fabric, const HedRelaxDef* def,
                                   HedRelaxReport* report, HedError* error);

/// The same, but a fabric that was relaxed before with the same numbers is read from a file. Files
/// stand in a directory, named after a hash of fabric and def: NULL takes $HEDDLE_CACHE, else
/// $XDG_CACHE_HOME/heddle, else $HOME/.cache/heddle; an empty $HEDDLE_CACHE keeps nothing. Damaged
/// files are noticed and made anew. A directory that cannot be written is no failure.
HED_API HedStatus hed_fabric_relax_cached(HedFabric* fabric, const HedRelaxDef* def,
                                          const char* directory, HedRelaxReport* report,
                                          HedError* error);

/// What the two above would refuse before any work.
HED_API HedStatus hed_fabric_relax_check(const HedFabric* fabric, const HedRelaxDef* def,
                                         HedError* error);

/// Takes over what the same call of hed_fabric_relax_cached left in a file before. False, and the
/// fabric is as it was, if there is none.
HED_API bool hed_fabric_relax_find(HedFabric* fabric, const HedRelaxDef* def, const char* directory,
                                   HedRelaxReport* report);

/// Path of a file in the directory that the cache has by default, which is made if it is not there.
/// False if there is none, or no room for the path.
HED_API bool hed_cache_path(const char* name, char* path, size_t size);

#ifdef __cplusplus
}
#endif

#endif
