// SPDX-License-Identifier: MIT
// Which crossings of a fabric its rods and splines have come out of. Private to src/sim.
#ifndef HED_SIM_YARN_CROSSINGS_H
#define HED_SIM_YARN_CROSSINGS_H

#include "heddle/yarn.h"

/// Those of one set of yarns; without any all is zero.
typedef struct HedFabricCrossings {
    HedYarnCrossing* list;
    int32_t count;
    int32_t* curve;      // per vertex of the set: its curve
    int32_t* first;      // per curve: its first vertex; one more at the end
    HedYarnLabel* label; // per curve; NULL: they have numbers
} HedFabricCrossings;

struct HedSim;
struct HedCloth;

/// Copies the crossings of a def whose curves were checked.
HedStatus hed_fabric_crossings_create(const HedYarnsDef* def, HedFabricCrossings* crossings,
                                      HedError* error);
void hed_fabric_crossings_free(HedFabricCrossings* crossings);

#endif
