// SPDX-License-Identifier: MIT
// Making drafts.
#ifndef HED_WEAVE_WEAVE_H
#define HED_WEAVE_WEAVE_H

#include "base/array.h"
#include "base/status.h"
#include "heddle/weave.h"

enum { HED_WEAVE_CELLS = 1 << 26 };

/// An empty draft of this size. Refuses more than HED_WEAVE_CELLS crossings and none.
HedStatus hed_weave_create(int64_t end_count, int64_t pick_count, HedWeave* weave, HedError* error);

HedStatus hed_weave_note(HedWeave* weave, HedError* error, const char* format, ...)
    HED_PRINTF(3, 4);

static inline bool hed_weave_is_up(const HedWeave* weave, int32_t pick, int32_t end) {
    return weave->is_up[(int64_t)pick * weave->end_count + end] != 0;
}

#endif
