// SPDX-License-Identifier: MIT
// Rows of knitting instructions in the order of working.
#include "geom/sort.h"
#include "knit/instructions.h"

#include <stdio.h>
#include <string.h>

// Whether a rest stands for the row of a number. Sides alternate from `right` on.
static bool stands_for(HedSpeechFill fill, int32_t number, int32_t right) {
    bool is_right = (number - right) % 2 == 0;
    return fill == HED_FILL_ALL || (fill == HED_FILL_ODD && number % 2 != 0) ||
           (fill == HED_FILL_EVEN && number % 2 == 0) || (fill == HED_FILL_RIGHT && is_right) ||
           (fill == HED_FILL_WRONG && !is_right);
}

// Rows that "all even rows" and the like stand for. The last one may follow all that have numbers.
static HedStatus write_rests(HedSpeech* speech, HedError* error) {
    HedStatus status = HED_OK;
    int32_t told = speech->rows.count;
    int32_t most = 0, right = 1;
    for (int32_t i = told - 1; i >= 0; --i) {
        const HedSpeechRow* row = &speech->rows.data[i];
        most = row->number > most ? row->number : most;
        right = row->side != 0 && row->part == 0 ? row->number + (row->side == 2) : right;
    }
    bool* is_told = speech->rests.count > 0 ? HED_NEW_ARRAY(bool, most + 2) : NULL;
    if (speech->rests.count > 0 && !is_told) {
        return hed_fail_memory(error, speech->name);
    }
    for (int32_t i = 0; i < told && is_told; ++i) {
        is_told[speech->rows.data[i].number] = true;
    }
    for (int32_t n = 1; is_told && n <= most + 1 && n <= HED_SPEECH_ROWS; ++n) {
        for (int32_t k = 0; k < speech->rests.count && !is_told[n]; ++k) {
            HedSpeechRow row = speech->rests.data[k].row;
            row.number = n;
            row.side = 0;
            HedSpeechFill fill = speech->rests.data[k].fill;
            bool fits = stands_for(fill, n, right) && (n <= most || fill != HED_FILL_ALL);
            is_told[n] = fits;
            if (fits && !HED_APPEND(&speech->rows, row)) {
                HED_TRY(hed_fail_memory(error, speech->name));
            }
            // What was to be repeated after the row before is repeated after this one.
            for (int32_t i = 0; fits && i < speech->repeats.count; ++i) {
                speech->repeats.data[i].after += speech->repeats.data[i].after == n - 1;
            }
        }
    }
done:
    hed_free(is_told);
    return status;
}

// By number, parts in their order; of what is told twice the last counts.
static HedStatus sort_rows(HedSpeech* speech, HedError* error) {
    HedStatus status = HED_OK;
    int32_t count = speech->rows.count;
    HedSortItem* items = HED_NEW_ARRAY(HedSortItem, count);
    HedSpeechRow* sorted = HED_NEW_ARRAY(HedSpeechRow, count);
    if (!items || !sorted) {
        HED_TRY(hed_fail_memory(error, speech->name));
    }
    for (int32_t i = 0; i < count; ++i) {
        items[i] = (HedSortItem){(uint64_t)speech->rows.data[i].number, i};
    }
    HED_TRY(hed_sort_items(items, count, error));
    int32_t kept = 0, first = 0; // of the number at hand
    for (int32_t i = 0; i < count; ++i) {
        const HedSpeechRow* row = &speech->rows.data[items[i].value];
        bool is_same = kept > 0 && sorted[kept - 1].number == row->number;
        if (is_same && row->part == 0) {
            HED_TRY(hed_speech_note(speech, error,
                                    "line %d: row %d is told in line %d too: the last one counts",
                                    (int)row->line, (int)row->number, (int)sorted[first].line));
            kept = first;
        }
        first = is_same ? first : kept;
        sorted[kept++] = *row;
    }
    memcpy(speech->rows.data, sorted, (size_t)kept * sizeof(HedSpeechRow));
    speech->rows.count = kept;
done:
    hed_free(items);
    hed_free(sorted);
    return status;
}

static HedStatus note_missing(HedSpeech* speech, HedError* error) {
    char text[120] = {0};
    size_t size = 0;
    int32_t missing = 0;
    for (int32_t i = 1; i < speech->rows.count; ++i) {
        int32_t from = speech->rows.data[i - 1].number + 1;
        int32_t to = speech->rows.data[i].number - 1;
        if (from > to) {
            continue;
        }
        missing += to - from + 1;
        if (size < 80) {
            const char* comma = size > 0 ? ", " : "";
            int n = to > from ? snprintf(text + size, sizeof text - size, "%s%d-%d", comma,
                                         (int)from, (int)to)
                              : snprintf(text + size, sizeof text - size, "%s%d", comma, (int)from);
            size += n > 0 ? (size_t)n : 0;
        }
    }
    return missing == 0 ? HED_OK
                        : hed_speech_note(speech, error, "%s %s: %s missing, and left out",
                                          missing == 1 ? "row" : "rows", text,
                                          missing == 1 ? "it is" : "they are");
}

// The first of the rows of a number; -1 if there is none. Rows are sorted.
static int32_t find_row(const HedSpeech* speech, int32_t number, int32_t count) {
    int32_t low = 0, high = count;
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        if (speech->rows.data[middle].number < number) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < count && speech->rows.data[low].number == number ? low : -1;
}

static HedStatus add_again(const HedSpeech* speech, const HedSpeechRepeat* repeat, int32_t row,
                           HedSpeech* made, HedError* error) {
    HedSpeechRow again = speech->rows.data[row];
    again.is_again = true;
    if (made->rows.count >= HED_SPEECH_ROWS) {
        return hed_fail(error, HED_UNSUPPORTED, "%s:%d: a text may have %d rows, with repeats",
                        speech->name, (int)repeat->line, (int)HED_SPEECH_ROWS);
    }
    return HED_APPEND(&made->rows, again) ? HED_OK : hed_fail_memory(error, speech->name);
}

// Puts the rows of a repeat behind what is there; told: rows that are no repeats.
static HedStatus work_repeat(const HedSpeech* speech, const HedSpeechRepeat* repeat, int32_t told,
                             HedSpeech* made, HedError* error) {
    for (int64_t k = 0; k < repeat->times * (int64_t)repeat->count; ++k) {
        int32_t number = speech->repeated.data[repeat->first + k % repeat->count];
        int32_t row = find_row(speech, number, told);
        if (row < 0 || number > repeat->after) {
            return hed_fail(error, HED_PARSE, "%s:%d: there is no row %d to repeat yet",
                            speech->name, (int)repeat->line, (int)number);
        }
        for (; row < told && speech->rows.data[row].number == number; ++row) {
            HedStatus status = add_again(speech, repeat, row, made, error);
            if (status != HED_OK) {
                return status;
            }
        }
    }
    return HED_OK;
}

// Rows in the order of working, repeats written out.
static HedStatus write_repeats(HedSpeech* speech, HedError* error) {
    HedStatus status = HED_OK;
    HedSpeech made = {0};
    int32_t told = speech->rows.count;
    for (int32_t k = 0; k < speech->repeats.count; ++k) {
        if (find_row(speech, speech->repeats.data[k].after, told) < 0) {
            HED_TRY(hed_fail(error, HED_PARSE, "%s:%d: there is no row to repeat yet", speech->name,
                             (int)speech->repeats.data[k].line));
        }
    }
    for (int32_t i = 0; i < told && speech->repeats.count > 0; ++i) {
        int32_t number = speech->rows.data[i].number;
        if (!HED_APPEND(&made.rows, speech->rows.data[i])) {
            HED_TRY(hed_fail_memory(error, speech->name));
        }
        bool is_last = i + 1 == told || speech->rows.data[i + 1].number != number;
        for (int32_t k = 0; k < speech->repeats.count && is_last; ++k) {
            if (speech->repeats.data[k].after == number) {
                HED_TRY(work_repeat(speech, &speech->repeats.data[k], told, &made, error));
            }
        }
    }
    if (speech->repeats.count > 0) {
        HedSpeechRow* old = speech->rows.data;
        speech->rows.data = made.rows.data;
        speech->rows.count = made.rows.count;
        speech->rows.capacity = made.rows.capacity;
        made.rows.data = old;
    }
done:
    hed_free(made.rows.data);
    return status;
}

// A first row that only casts on is no row.
static void take_cast_on(HedSpeech* speech) {
    const HedSpeechRow* row = &speech->rows.data[0];
    if (row->end - row->first != 1 || row->part > 0) {
        return;
    }
    const HedSpeechNode* node = &speech->nodes.data[row->first];
    if (node->kind == HED_SPEECH_STITCH && node->stitch.kind == HED_STITCH_CAST_ON) {
        speech->cast_on = node->times;
        --speech->rows.count;
        for (int32_t i = 0; i < speech->rows.count; ++i) {
            speech->rows.data[i] = speech->rows.data[i + 1];
        }
    }
}

HedStatus hed_speech_order(HedSpeech* speech, HedError* error) {
    HedStatus status = HED_OK;
    HED_TRY(write_rests(speech, error));
    HED_TRY(sort_rows(speech, error));
    HED_TRY(note_missing(speech, error));
    take_cast_on(speech);
    HED_TRY(write_repeats(speech, error));
done:
    return status;
}
