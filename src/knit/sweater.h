// SPDX-License-Identifier: MIT
// A raglan sweater knitted from the neck down (Kaldor 2011, 7.1 and figure 6.12).
#ifndef HED_KNIT_SWEATER_H
#define HED_KNIT_SWEATER_H

#include "knit/loops.h"

/// Rounds and loops of a sweater.
typedef struct HedSweaterSize {
    int32_t neck;      ///< Loops cast on, at least 36.
    int32_t yoke_rows; ///< Rounds from the neck to the armholes; every second one has 8 increases.
                       ///< 0: a third of neck.
    int32_t body_rows; ///< Rounds below the armholes, 1 or more.
    int32_t sleeve_rows; ///< Rounds of a sleeve; 0: as many as the body has.
    bool bind_off;       ///< Hem and cuffs are bound off.
} HedSweaterSize;

/// The loop graph: one yarn for yoke and body, one for each sleeve. Front, sleeve, back and sleeve
/// follow each other around the yoke and grow by two loops each in every second round. Then the
/// loops of the sleeves wait, front and back are joined to a tube, and each sleeve becomes a tube
/// of its own, which narrows towards the cuff. Finished; free it in any case.
HedStatus hed_sweater_loops(const HedSweaterSize* size, HedLoops* graph, HedError* error);

#endif
