// SPDX-License-Identifier: MIT
// Long work asks now and then whether somebody wants it to end.
#ifndef HED_BASE_WATCH_H
#define HED_BASE_WATCH_H

#include <stdbool.h>

typedef struct HedWatch {
    bool (*is_stopped)(void* context); // cheap: asked in every iteration; NULL: nobody asks
    void* context;
} HedWatch;

static inline bool hed_watch_stops(HedWatch watch) {
    return watch.is_stopped && watch.is_stopped(watch.context);
}

#endif
