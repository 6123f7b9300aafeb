// SPDX-License-Identifier: MIT
// What a draft tells before it is woven: repeat, floats, loose threads, layers.
#include "weave/layers.h"

#include <string.h>

// --- repeat ---

// Rows or columns of the matrix.
typedef struct MatrixLines {
    const HedWeave* weave;
    bool is_picks;
    int32_t count;
} MatrixLines;

static bool lines_equal(const MatrixLines* lines, int32_t a, int32_t b) {
    const HedWeave* w = lines->weave;
    if (lines->is_picks) {
        return memcmp(w->is_up + (int64_t)a * w->end_count, w->is_up + (int64_t)b * w->end_count,
                      (size_t)w->end_count) == 0;
    }
    for (int32_t pick = 0; pick < w->pick_count; ++pick) {
        if (hed_weave_is_up(w, pick, a) != hed_weave_is_up(w, pick, b)) {
            return false;
        }
    }
    return true;
}

// The smallest period that fits in twice; else the count. Lines are compared as Knuth, Morris and
// Pratt compare letters: border[i] is the longest start of the first i lines that is also their
// end.
static HedStatus find_period(const MatrixLines* lines, int32_t* period, HedError* error) {
    int32_t* border = HED_NEW_ARRAY(int32_t, (int64_t)lines->count + 1);
    if (!border) {
        return hed_fail_memory(error, "the repeat of a weave");
    }
    border[0] = -1;
    for (int32_t i = 0; i < lines->count; ++i) {
        int32_t length = border[i];
        while (length >= 0 && !lines_equal(lines, length, i)) {
            length = border[length];
        }
        border[i + 1] = length + 1;
    }
    int32_t found = lines->count - border[lines->count];
    *period = found <= lines->count / 2 ? found : lines->count;
    hed_free(border);
    return HED_OK;
}

// --- floats ---

typedef struct Floats {
    int32_t longest;
    int32_t number; // of the thread that has it
    int32_t loose;  // threads on one side of all others
} Floats;

static Floats find_floats(const HedWeave* w, bool is_warp) {
    Floats floats = {0};
    int32_t threads = is_warp ? w->end_count : w->pick_count;
    int32_t crossings = is_warp ? w->pick_count : w->end_count;
    for (int32_t i = 0; i < threads; ++i) {
        int32_t length = 0;
        bool has_turned = false;
        bool before = false;
        for (int32_t k = 0; k < crossings; ++k) {
            bool up = is_warp ? hed_weave_is_up(w, k, i) : hed_weave_is_up(w, i, k);
            bool turns = k > 0 && up != before;
            has_turned = has_turned || turns;
            length = turns ? 1 : length + 1;
            before = up;
            if (length > floats.longest) {
                floats.longest = length;
                floats.number = is_warp ? w->ends[i].number : w->picks[i].number;
            }
        }
        floats.loose += !has_turned;
    }
    return floats;
}

static HedStatus count_layers(const HedWeave* weave, int32_t* count, HedError* error) {
    int32_t* layer = HED_NEW_ARRAY(int32_t, (int64_t)weave->end_count + weave->pick_count);
    if (!layer) {
        return hed_fail_memory(error, "the layers of a weave");
    }
    HedStatus status = hed_weave_layers(weave, layer, count, error);
    hed_free(layer);
    return status;
}

HedStatus hed_weave_facts(const HedWeave* weave, HedWeaveFacts* facts, HedError* error) {
    HedStatus status = HED_OK;
    HedWeaveFacts f = {0};
    MatrixLines ends = {weave, false, weave->end_count};
    MatrixLines picks = {weave, true, weave->pick_count};
    HED_TRY(find_period(&ends, &f.repeat_ends, error));
    HED_TRY(find_period(&picks, &f.repeat_picks, error));
    HED_TRY(count_layers(weave, &f.layer_count, error));
    Floats warp = find_floats(weave, true), weft = find_floats(weave, false);
    f.warp_float = warp.longest;
    f.warp_float_end = warp.number;
    f.loose_ends = warp.loose;
    f.weft_float = weft.longest;
    f.weft_float_pick = weft.number;
    f.loose_picks = weft.loose;
    *facts = f;
done:
    return status;
}
