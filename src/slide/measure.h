// SPDX-License-Identifier: MIT
#ifndef HED_SLIDE_MEASURE_H
#define HED_SLIDE_MEASURE_H

#include "slide/slide.h"

/// Solves the linear equations with which a step begins, rounds times. The caller
/// brings back the state.
HedStatus hed_slide_measure(HedSlide* slide, HedSlideStep step, int32_t rounds,
                            HedSolveMeasure* out);

#endif
