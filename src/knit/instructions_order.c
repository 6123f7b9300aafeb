// SPDX-License-Identifier: MIT
// Rows of knitting instructions in the order of working.
#include "geom/sort.h"
#include "knit/instructions.h"

#include <stdio.h>
#include <string.h>

// Whether a rest stands for the row of a number. Sides alternate from `right` on.
static bool stands_for(HedInstructionFill fill, int32_t number, int32_t right) {
    bool is_right = (number - right) % 2 == 0;
    return fill == HED_FILL_ALL || (fill == HED_FILL_ODD && number % 2 != 0) ||
           (fill == HED_FILL_EVEN && number % 2 == 0) || (fill == HED_FILL_RIGHT && is_right) ||
           (fill == HED_FILL_WRONG && !is_right);
}

// Rows that "all even rows" and the like stand for. The last one may follow all that have numbers.
static HedStatus write_rests(HedInstructions* instructions, HedError* error) {
    HedStatus status = HED_OK;
    int32_t told = instructions->rows.count;
    int32_t most = 0, right = 1;
    for (int32_t i = told - 1; i >= 0; --i) {
        const HedInstructionRow* row = &instructions->rows.data[i];
        most = row->number > most ? row->number : most;
        right = row->side != 0 && row->part == 0 ? row->number + (row->side == 2) : right;
    }
    bool* is_told = instructions->rests.count > 0 ? HED_NEW_ARRAY(bool, most + 2) : NULL;
    if (instructions->rests.count > 0 && !is_told) {
        return hed_fail_memory(error, instructions->name);
    }
    for (int32_t i = 0; i < told && is_told; ++i) {
        is_told[instructions->rows.data[i].number] = true;
    }
    for (int32_t n = 1; is_told && n <= most + 1 && n <= HED_INSTRUCTION_ROWS; ++n) {
        for (int32_t k = 0; k < instructions->rests.count && !is_told[n]; ++k) {
            HedInstructionRow row = instructions->rests.data[k].row;
            row.number = n;
            row.side = 0;
            HedInstructionFill fill = instructions->rests.data[k].fill;
            bool fits = stands_for(fill, n, right) && (n <= most || fill != HED_FILL_ALL);
            is_told[n] = fits;
            if (fits && !HED_APPEND(&instructions->rows, row)) {
                HED_TRY(hed_fail_memory(error, instructions->name));
            }
            // What was to be repeated after the row before is repeated after this one.
            for (int32_t i = 0; fits && i < instructions->repeats.count; ++i) {
                instructions->repeats.data[i].after += instructions->repeats.data[i].after == n - 1;
            }
        }
    }
done:
    hed_free(is_told);
    return status;
}

// By number, parts in their order; of what is told twice the last counts.
static HedStatus sort_rows(HedInstructions* instructions, HedError* error) {
    HedStatus status = HED_OK;
    int32_t count = instructions->rows.count;
    HedSortItem* items = HED_NEW_ARRAY(HedSortItem, count);
    HedInstructionRow* sorted = HED_NEW_ARRAY(HedInstructionRow, count);
    if (!items || !sorted) {
        HED_TRY(hed_fail_memory(error, instructions->name));
    }
    for (int32_t i = 0; i < count; ++i) {
        items[i] = (HedSortItem){(uint64_t)instructions->rows.data[i].number, i};
    }
    HED_TRY(hed_sort_items(items, count, error));
    int32_t kept = 0, first = 0; // of the number at hand
    for (int32_t i = 0; i < count; ++i) {
        const HedInstructionRow* row = &instructions->rows.data[items[i].value];
        bool is_same = kept > 0 && sorted[kept - 1].number == row->number;
        if (is_same && row->part == 0) {
            HED_TRY(hed_instructions_note(
                instructions, error, "line %d: row %d is told in line %d too: the last one counts",
                (int)row->line, (int)row->number, (int)sorted[first].line));
            kept = first;
        }
        first = is_same ? first : kept;
        sorted[kept++] = *row;
    }
    memcpy(instructions->rows.data, sorted, (size_t)kept * sizeof(HedInstructionRow));
    instructions->rows.count = kept;
done:
    hed_free(items);
    hed_free(sorted);
    return status;
}

static HedStatus note_missing(HedInstructions* instructions, HedError* error) {
    char text[120] = {0};
    size_t size = 0;
    int32_t missing = 0;
    for (int32_t i = 1; i < instructions->rows.count; ++i) {
        int32_t from = instructions->rows.data[i - 1].number + 1;
        int32_t to = instructions->rows.data[i].number - 1;
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
    return missing == 0
               ? HED_OK
               : hed_instructions_note(instructions, error, "%s %s: %s missing, and left out",
                                       missing == 1 ? "row" : "rows", text,
                                       missing == 1 ? "it is" : "they are");
}

// The first of the rows of a number; -1 if there is none. Rows are sorted.
static int32_t find_row(const HedInstructions* instructions, int32_t number, int32_t count) {
    int32_t low = 0, high = count;
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        if (instructions->rows.data[middle].number < number) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < count && instructions->rows.data[low].number == number ? low : -1;
}

static HedStatus add_again(const HedInstructions* instructions, const HedInstructionRepeat* repeat,
                           int32_t row, HedInstructions* made, HedError* error) {
    HedInstructionRow again = instructions->rows.data[row];
    again.is_again = true;
    if (made->rows.count >= HED_INSTRUCTION_ROWS) {
        return hed_fail(error, HED_UNSUPPORTED, "%s:%d: a text may have %d rows, with repeats",
                        instructions->name, (int)repeat->line, (int)HED_INSTRUCTION_ROWS);
    }
    return HED_APPEND(&made->rows, again) ? HED_OK : hed_fail_memory(error, instructions->name);
}

// Puts the rows of a repeat behind what is there; told: rows that are no repeats.
static HedStatus work_repeat(const HedInstructions* instructions,
                             const HedInstructionRepeat* repeat, int32_t told,
                             HedInstructions* made, HedError* error) {
    for (int64_t k = 0; k < repeat->times * (int64_t)repeat->count; ++k) {
        int32_t number = instructions->repeated.data[repeat->first + k % repeat->count];
        int32_t row = find_row(instructions, number, told);
        if (row < 0 || number > repeat->after) {
            return hed_fail(error, HED_PARSE, "%s:%d: there is no row %d to repeat yet",
                            instructions->name, (int)repeat->line, (int)number);
        }
        for (; row < told && instructions->rows.data[row].number == number; ++row) {
            HedStatus status = add_again(instructions, repeat, row, made, error);
            if (status != HED_OK) {
                return status;
            }
        }
    }
    return HED_OK;
}

// Rows in the order of working, repeats written out.
static HedStatus write_repeats(HedInstructions* instructions, HedError* error) {
    HedStatus status = HED_OK;
    HedInstructions made = {0};
    int32_t told = instructions->rows.count;
    for (int32_t k = 0; k < instructions->repeats.count; ++k) {
        if (find_row(instructions, instructions->repeats.data[k].after, told) < 0) {
            HED_TRY(hed_fail(error, HED_PARSE, "%s:%d: there is no row to repeat yet",
                             instructions->name, (int)instructions->repeats.data[k].line));
        }
    }
    for (int32_t i = 0; i < told && instructions->repeats.count > 0; ++i) {
        int32_t number = instructions->rows.data[i].number;
        if (!HED_APPEND(&made.rows, instructions->rows.data[i])) {
            HED_TRY(hed_fail_memory(error, instructions->name));
        }
        bool is_last = i + 1 == told || instructions->rows.data[i + 1].number != number;
        for (int32_t k = 0; k < instructions->repeats.count && is_last; ++k) {
            if (instructions->repeats.data[k].after == number) {
                HED_TRY(
                    work_repeat(instructions, &instructions->repeats.data[k], told, &made, error));
            }
        }
    }
    if (instructions->repeats.count > 0) {
        HedInstructionRow* old = instructions->rows.data;
        instructions->rows.data = made.rows.data;
        instructions->rows.count = made.rows.count;
        instructions->rows.capacity = made.rows.capacity;
        made.rows.data = old;
    }
done:
    hed_free(made.rows.data);
    return status;
}

// A first row that only casts on is no row.
static void take_cast_on(HedInstructions* instructions) {
    const HedInstructionRow* row = &instructions->rows.data[0];
    if (row->end - row->first != 1 || row->part > 0) {
        return;
    }
    const HedInstructionNode* node = &instructions->nodes.data[row->first];
    if (node->kind == HED_INSTRUCTION_STITCH && node->stitch.kind == HED_STITCH_CAST_ON) {
        instructions->cast_on = node->times;
        --instructions->rows.count;
        for (int32_t i = 0; i < instructions->rows.count; ++i) {
            instructions->rows.data[i] = instructions->rows.data[i + 1];
        }
    }
}

HedStatus hed_instructions_order(HedInstructions* instructions, HedError* error) {
    HedStatus status = HED_OK;
    HED_TRY(write_rests(instructions, error));
    HED_TRY(sort_rows(instructions, error));
    HED_TRY(note_missing(instructions, error));
    take_cast_on(instructions);
    HED_TRY(write_repeats(instructions, error));
done:
    return status;
}
