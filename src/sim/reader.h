// SPDX-License-Identifier: MIT
// A simulation to be read beside others: forces and energies need room to be found, and bring
// frames of rods, ties and lists of contacts up to date. All of that is a reader's own; what
// nothing writes between steps it borrows. Private to src/sim.
#ifndef HED_SIM_READER_H
#define HED_SIM_READER_H

#include "sim/internal.h"

typedef struct HedSimReader {
    HedSim* sim; ///< For forces and energies of the present state, and nothing else.
    HedClones clones;
    HedYarnContact* contact; ///< Its own; NULL: none.
} HedSimReader;

/// Of a prepared simulation. Close it, whatever the status.
HedStatus hed_reader_open(const HedSim* sim, HedSimReader* reader, HedError* error);
void hed_reader_close(HedSimReader* reader);

#endif
