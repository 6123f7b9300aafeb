// SPDX-License-Identifier: MIT
// Cloth that repeats for ever: one repeat is simulated, and its copies stand beside it.
#ifndef HEDDLE_PERIOD_H
#define HEDDLE_PERIOD_H

#include "heddle/base.h"
#include "heddle/vec.h"

#ifdef __cplusplus
extern "C" {
#endif

struct HedSim;

/// How often a yarn goes along the two vectors of a period before it meets its own copy. Both 0: it
/// ends in the repeat.
typedef struct HedTurns {
    int32_t a, b;
} HedTurns;

/// Two vectors by which all yarns repeat. Fill with hed_period_def_default().
typedef struct HedPeriodDef {
    HedVec3 a, b;    ///< m, from each yarn to its next copies. b may be 0: copies along a alone.
    bool is_free[2]; ///< The vector takes the length at which the cloth is at rest; its direction
                     ///< stays. Default false: it stays, or moves as hed_sim_move_period says.
    double pull[2];  ///< N, that stretches one repeat along a free vector. Default 0.
    double mass;     ///< kg, inertia of free vectors; 0: four times the mass of the yarns.
    uint32_t stamp;  ///< Written by the default function; any other value is refused.
} HedPeriodDef;

HED_API HedPeriodDef hed_period_def_default(void);

/// Before the first yarns. HedYarnsDef.turns says which of them go on in their copies. Only yarns,
/// explicit steps, no gravity, no bodies, and no pins on yarns that go on.
HED_API HedStatus hed_sim_set_period(struct HedSim* sim, const HedPeriodDef* def, HedError* error);

/// m/s, how the vectors change from now on; those that are free ignore it.
HED_API HedStatus hed_sim_move_period(struct HedSim* sim, HedVec3 a_rate, HedVec3 b_rate,
                                      HedError* error);

typedef struct HedPeriodState {
    HedVec3 vector[2]; ///< m, a and b; 0 without a period.
    HedVec3 pull[2];   ///< N, with which one repeat pulls on each: the derivative of its energy, as
                       ///< of the last evaluation of forces. Along the vector it is positive where
                       ///< the cloth wants to become shorter.
} HedPeriodState;

HED_API HedPeriodState hed_sim_period(const struct HedSim* sim);

#ifdef __cplusplus
}
#endif

#endif
