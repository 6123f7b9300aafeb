// SPDX-License-Identifier: MIT
// A stockinette knit by formula, one yarn a course, for experiments that need a knit and not a
// knitting pattern.
//
//   x = W (s + 0.24 sin 4 pi s),  y = 3.2 d c - 2.6 d cos 2 pi s,  z = -0.8 d cos 4 pi s,  W = 4 d
//
// for loop s of course c and yarns that touch at the diameter d. A loop is 16.5 d long; Peirce's
// has 16.7 d, W = 4 d and courses of 3.46 d.
#ifndef EXPERIMENT_KNIT_LOOPS_H
#define EXPERIMENT_KNIT_LOOPS_H

#include "experiment/yarn_lab.h"

typedef struct KnitLoops {
    int32_t wales, courses;
    int32_t per_loop; ///< Segments.
    double diameter;  ///< m, d above.
    double radius;    ///< m, of the yarns: above d/2 they press on each other.
} KnitLoops;

void knit_loops(const KnitLoops* knit, YarnCurves* curves);

#endif
