// SPDX-License-Identifier: MIT
// Sorting by whole numbers: stable, so the result is the same everywhere.
#ifndef HED_GEOM_SORT_H
#define HED_GEOM_SORT_H

#include "base/status.h"

typedef struct HedSortItem {
    uint64_t key;
    int32_t value;
} HedSortItem;

/// Sorts items by rising key; equal keys keep their order. Time grows linearly with count. Needs
/// as much scratch memory as items hold; on HED_NO_MEMORY nothing has changed.
HedStatus hed_sort_items(HedSortItem* items, int32_t count, HedError* error);

#endif
