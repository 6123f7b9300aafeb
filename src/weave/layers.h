// SPDX-License-Identifier: MIT
// The layers of a weave: parts that can be lifted off each other.
#ifndef HED_WEAVE_LAYERS_H
#define HED_WEAVE_LAYERS_H

#include "weave/weave.h"

/// The layer of each thread, ends first and then picks, counted from the lowest. A thread that is
/// not interlaced belongs to the layer on which it lies, or the lowest. count: layers that hang
/// together by themselves; 0 if there is none, and then all threads are in layer 0.
HedStatus hed_weave_layers(const HedWeave* weave, int32_t* layer, int32_t* count, HedError* error);

#endif
