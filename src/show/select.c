// SPDX-License-Identifier: MIT
// A part of a show: some of its frames, some of its quantities.
#include "show/internal.h"

#include <inttypes.h>
#include <string.h>

int32_t hed_show_source(const HedShow* show, int32_t frame) {
    const HedShowSelection* selection = &show->selection;
    if (selection->count == 0) {
        return frame;
    }
    return frame >= 0 && frame < selection->count ? selection->first + frame * selection->every
                                                  : -1;
}

HedStatus hed_show_check_selected(HedShow* show, int32_t frame, HedError* error) {
    return show->run && show->selection.count == 0
               ? HED_OK
               : hed_show_check_frames(show, frame, frame, error);
}

HedStatus hed_show_select(HedShow* show, int32_t first, int32_t last, int32_t every,
                          HedError* error) {
    if (every < 1) {
        return hed_fail(error, HED_INVALID, "%s: each how-many-th frame must be at least 1, got %d",
                        show->path, (int)every);
    }
    HedStatus status = hed_show_check_frames(show, first, last, error);
    if (status != HED_OK) {
        return status;
    }
    // A selection of a selection: both run from one frame to the last by equal steps.
    int32_t step = show->selection.count > 0 ? show->selection.every : 1;
    int32_t count = (last - first) / every + 1;
    show->selection = (HedShowSelection){.first = hed_show_source(show, first),
                                         .every = count > 1 ? step * every : 1,
                                         .count = count};
    // What is remembered goes by the old numbers.
    for (int32_t i = 0; i < HED_SHOW_SLOTS; ++i) {
        show->slots[i].is_used = false;
    }
    show->survey.frame_count = 0;
    return HED_OK;
}

HedStatus hed_show_select_quantities(HedShow* show, const char* const* names, int32_t count,
                                     HedError* error) {
    bool wanted[HED_SHOW_QUANTITIES] = {0};
    for (int32_t i = 0; i < count; ++i) {
        int32_t found = hed_show_find_quantity(show, names[i]);
        if (found < 0) {
            return hed_fail(error, HED_NOT_FOUND, "%s: has no quantity '%s'", show->path, names[i]);
        }
        wanted[found] = true;
    }
    int32_t kept = 0;
    for (int32_t i = 0; i < show->quantity_count; ++i) {
        if (wanted[i]) {
            show->quantities[kept++] = show->quantities[i];
        }
    }
    show->quantity_count = kept;
    show->survey.frame_count = 0;
    return HED_OK;
}
