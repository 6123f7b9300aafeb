// SPDX-License-Identifier: MIT
// Curl of sliding knits, from a swatch of the same knit made of rods.
//
// Crossings know no thickness, and without it a knit does not curl: its hinges are told how far to
// (docs/sliding.md#curl). A small swatch comes to rest as rods do that bend, stretch and touch
// (heddle/relax.h), and the turns at rest of the hinges are chosen such that the same swatch of
// sliding yarns comes to rest with the same turns.
#ifndef HEDDLE_CURL_H
#define HEDDLE_CURL_H

#include "heddle/knit.h"
#include "heddle/relax.h"
#include "heddle/sliding.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What is calibrated. Fill with hed_curl_def_default(), then edit.
typedef struct HedCurlDef {
    HedKnitDef knit;   ///< Its yarn, loops and pattern; rows and stitches are those of the swatch,
                       ///< by default 6. A chart stands for stockinette.
    HedRelaxDef relax; ///< How the swatch of rods comes to rest.
    HedSlidingDef sliding; ///< The material; its net and curl are not used.
    uint32_t stamp;
} HedCurlDef;

HED_API HedCurlDef hed_curl_def_default(void);

/// What was found.
typedef struct HedCurl {
    double stiffness;     ///< J, curl_stiffness of heddle/sliding.h
    double along, across; ///< curl_along and curl_across
    double rods[2];       ///< Mean turn per stitch along courses and wales of the rods,
    double yarns[2];      ///< and of the sliding swatch with these hinges.
    double force;         ///< N, largest that is left on the sliding swatch.
    bool is_quiet;        ///< The swatches of rods came to rest.
    bool is_cached;       ///< It was found before, and read from a file.
} HedCurl;

/// Finds the hinges of a knit; what was found before is read from a file of the cache for relaxed
/// fabrics. HED_UNSUPPORTED if its stitches have no neighbours on all sides to be hinged to.
HED_API HedStatus hed_curl_calibrate(const HedCurlDef* def, HedCurl* curl, HedError* error);

#ifdef __cplusplus
}
#endif

#endif
