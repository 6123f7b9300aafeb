// SPDX-License-Identifier: MIT
// Statics of sliding yarns.
#ifndef HED_SLIDE_REST_H
#define HED_SLIDE_REST_H

#include "slide/slide.h"

/// Brings yarns to rest under holds as they are at time + h. Unless the reason says converged the
/// state is one on the way, and the caller goes back.
HedReason hed_slide_rest(HedSlide* slide, double time, double h, const HedSlideHold* holds,
                         int32_t hold_count, HedStepReport* report);

/// N, largest force that nothing but inertia and damping could balance, on a node or along a yarn
/// on the material at it. What the last step held counts as held.
double hed_slide_unbalanced(HedSlide* slide);

#endif
