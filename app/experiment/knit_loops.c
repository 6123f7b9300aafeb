// SPDX-License-Identifier: MIT
#include "experiment/knit_loops.h"

#include <math.h>

static HedVec3 loop_at(double s, double course, double d) {
    double t = 6.283185307179586 * s;
    return (HedVec3){4.0 * d * (s + 0.24 * sin(2.0 * t)), d * (3.2 * course - 2.6 * cos(t)),
                     -0.8 * d * cos(2.0 * t)};
}

void knit_loops(const KnitLoops* knit, YarnCurves* curves) {
    for (int32_t c = 0; c < knit->courses; ++c) {
        yarn_curves_begin(curves, knit->radius);
        for (int32_t k = 0; k <= knit->wales * knit->per_loop; ++k) {
            yarn_curves_add(curves, loop_at((double)k / knit->per_loop, c, knit->diameter));
        }
    }
}
