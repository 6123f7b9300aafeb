// SPDX-License-Identifier: MIT
// Which row is which: "Rows 1 and 3 (RS):", "2nd and all even rows:", "Next row:", "Repeat rows
// 1-4".
#include "knit/instructions_names.h"
#include "knit/instructions_row.h"

#include <stdio.h>
#include <string.h>

static const char ROWS[] = "row rows round rounds rnd rnds course courses";

static bool is_row_word(const char* word) {
    return hed_instruction_is_one(word, ROWS);
}

// "1st", "r12": the number; 0 if the word is none.
static int32_t ordinal(const char* word) {
    int32_t number = 0;
    bool is_numbered = word[0] == 'r';
    int32_t size = hed_instruction_digits(word + is_numbered, &number);
    const char* rest = word + is_numbered + size;
    bool fits =
        size > 0 && (is_numbered ? rest[0] == '\0' : hed_instruction_is_one(rest, "st nd rd th"));
    return fits && number > 0 && number <= HED_INSTRUCTION_ROWS ? number : 0;
}

// A number of a row, "1st" and "r1" too; walks past it.
static bool take_row_number(HedInstructionReader* r, int32_t* number) {
    *number = ordinal(hed_instruction_word(r));
    if (*number > 0) {
        hed_instruction_next(r);
        return true;
    }
    return hed_instruction_is_number(r) &&
           hed_instruction_take_number(r, HED_INSTRUCTION_ROWS, number);
}

static bool is_row_number(const HedInstructionReader* r, int32_t ahead) {
    HedInstructionReader there = *r;
    there.at = r->at + ahead < r->words.count ? r->at + ahead : r->words.count - 1;
    return ordinal(hed_instruction_word(&there)) > 0 || hed_instruction_is_number(&there);
}

// Whether a row is named before the next colon: "2nd and 4th rows:", "All WS rows (6):".
static bool has_colon(const HedInstructionReader* r) {
    enum { MOST = 24 };
    bool has_row = false;
    for (int32_t i = 0; i < MOST; ++i) {
        const HedInstructionWord* word = hed_instruction_ahead(r, i);
        if (strcmp(word->text, ":") == 0) {
            return has_row;
        }
        if (word->text[0] == '\0' || hed_instruction_is_one(word->text, "* ; . [k rep repeat") ||
            (i > 0 && word->line != hed_instruction_ahead(r, 0)->line)) {
            return false;
        }
        has_row = has_row || is_row_word(word->text);
    }
    return false;
}

static bool is_numbered(const HedInstructionReader* r) {
    const char* word = hed_instruction_word(r);
    const char* then = hed_instruction_ahead(r, 1)->text;
    return word[0] == 'r' && ordinal(word) > 0 && hed_instruction_is_one(then, ": - ( [");
}

static bool starts_line(const HedInstructionReader* r) {
    return r->at == 0 || r->words.data[r->at - 1].line != r->words.data[r->at].line;
}

// "Bind off all sts." in a line of its own.
static bool is_last_bind_off(const HedInstructionReader* r) {
    bool is_one = hed_instruction_is(r, "bo");
    bool is_two = hed_instruction_is_one(hed_instruction_word(r), "bind cast") &&
                  strcmp(hed_instruction_ahead(r, 1)->text, "off") == 0;
    const char* then = hed_instruction_ahead(r, is_two ? 2 : 1)->text;
    return (is_one || is_two) && r->at != r->last_row && starts_line(r) &&
           r->instructions->nodes.count > 0 && r->depth == 0 && r->at > 0 &&
           hed_instruction_is_one(r->words.data[r->at - 1].text, ". )") &&
           (then[0] == '\0' || hed_instruction_is_one(then, "all . loosely in rem remaining"));
}

bool hed_instruction_is_header(const HedInstructionReader* r) {
    bool is_first = hed_instruction_ahead(r, 0)->is_first;
    return (is_row_word(hed_instruction_word(r)) && (is_first || is_row_number(r, 1))) ||
           is_last_bind_off(r) || (is_first && (is_numbered(r) || has_colon(r)));
}

bool hed_instruction_is_repeat(const HedInstructionReader* r) {
    return hed_instruction_is_one(hed_instruction_word(r), "repeat rep");
}

bool hed_instruction_is_prose(const HedInstructionReader* r) {
    const char* word = hed_instruction_word(r);
    HedInstructionReader ahead = *r;
    HedStitch stitch;
    int32_t times = 0;
    return strlen(word) >= 4 && word[strspn(word, "abcdefghijklmnopqrstuvwxyz-")] == '\0' &&
           starts_line(r) && r->depth == 0 && r->at > 0 &&
           hed_instruction_is_one(r->words.data[r->at - 1].text, ". )") &&
           !hed_instruction_is_one(word,
                                   "turn wrap with using then work ending cast bind knit purl") &&
           !hed_instruction_find(&ahead) && !hed_instruction_named(word, &stitch, &times);
}

// --- headers

static HedStatus add_number(HedInstructionReader* r, int32_t number) {
    if (r->numbers.count >= HED_INSTRUCTION_ROWS) {
        return hed_instruction_fail(r, "a text may have 20000 rows");
    }
    return HED_APPEND(&r->numbers, number) ? HED_OK
                                           : hed_fail_memory(r->error, r->instructions->name);
}

// "4", "1-4", "1 to 4"
static HedStatus read_range(HedInstructionReader* r) {
    HedStatus status = HED_OK;
    int32_t first = 0, last = 0;
    if (!take_row_number(r, &first)) {
        HED_TRY(hed_instruction_fail(r, "expected the number of a row, up to 20000"));
    }
    last = first;
    if (hed_instruction_is_one(hed_instruction_word(r), "- to through thru") &&
        is_row_number(r, 1)) {
        hed_instruction_next(r);
        if (!take_row_number(r, &last) || last < first) {
            HED_TRY(hed_instruction_fail(r, "expected a rising range of rows"));
        }
    }
    for (int32_t i = first; i <= last; ++i) {
        HED_TRY(add_number(r, i));
    }
done:
    return status;
}

typedef struct Header {
    HedInstructionFill fill;
    int32_t side;
    bool is_other; // "and every other row": of the parity of its number
    bool is_set_up;
    bool is_round;
} Header;

// A word of a header that is no number.
static void take_header_word(HedInstructionReader* r, Header* h) {
    const char* word = hed_instruction_word(r);
    if (strcmp(word, "even") == 0 || strcmp(word, "even-numbered") == 0) {
        h->fill = HED_FILL_EVEN;
    } else if (strcmp(word, "odd") == 0 || strcmp(word, "odd-numbered") == 0) {
        h->fill = HED_FILL_ODD;
    } else if (hed_instruction_is_one(word, "rs ws")) {
        bool is_right = word[0] == 'r';
        h->side = is_right ? 1 : 2;
        h->fill = h->fill == HED_FILL_ALL ? (is_right ? HED_FILL_RIGHT : HED_FILL_WRONG) : h->fill;
    } else if (hed_instruction_is_one(word, "all every")) {
        h->fill = h->fill == HED_FILL_NONE ? HED_FILL_ALL : h->fill;
    } else if (hed_instruction_is_one(word, "other alternate alt")) {
        h->is_other = true;
    } else if (hed_instruction_is_one(word, "set-up setup set foundation preparation")) {
        h->is_set_up = true;
    } else if (is_row_word(word)) {
        h->is_round = h->is_round || (word[1] != 'o' || word[2] == 'u');
        h->is_round = h->is_round && word[0] == 'r';
    }
    hed_instruction_next(r);
}

static int32_t take_side(HedInstructionReader* r) {
    int32_t side = hed_instruction_side(r);
    for (int32_t i = 0; side != 0 && i < 3; ++i) {
        hed_instruction_next(r);
    }
    return side;
}

// Up to the colon, or to the first stitch where there is none.
static HedStatus read_header(HedInstructionReader* r, Header* h) {
    HedStatus status = HED_OK;
    int32_t line = hed_instruction_ahead(r, 0)->line;
    *h = (Header){0};
    r->numbers.count = 0;
    bool needs_colon = has_colon(r);
    while (!hed_instruction_take(r, ":")) {
        int32_t side = take_side(r);
        h->side = side != 0 ? side : h->side;
        if (side != 0) {
            continue;
        }
        const char* word = hed_instruction_word(r);
        bool is_known = is_row_word(word) || hed_instruction_is_one(word, ", and &");
        if (is_row_number(r, 0)) {
            HED_TRY(read_range(r));
        } else if (r->numbers.count > 0 && !is_known && (!needs_colon || strcmp(word, "-") == 0)) {
            hed_instruction_take_one(r, "- .");
            break; // "Row 1 k2", "R1 - k2"
        } else if (word[0] == '\0' || hed_instruction_ahead(r, 0)->line > line + 1) {
            HED_TRY(hed_instruction_fail(r, "expected ':'"));
        } else {
            take_header_word(r, h);
        }
    }
    int32_t side = take_side(r);
    h->side = side != 0 ? side : h->side;
done:
    return status;
}

static int32_t highest(const HedInstructions* instructions) {
    int32_t most = -1;
    for (int32_t i = 0; i < instructions->rows.count; ++i) {
        most = instructions->rows.data[i].number > most ? instructions->rows.data[i].number : most;
    }
    return most;
}

// Which rows a header means: in r->numbers, and the rest that it stands for.
static HedStatus resolve(HedInstructionReader* r, Header* h) {
    HedStatus status = HED_OK;
    bool has_number = r->numbers.count > 0;
    if (h->is_other && has_number) {
        h->fill = r->numbers.data[0] % 2 == 0 ? HED_FILL_EVEN : HED_FILL_ODD;
    }
    // "WS rows: purl" without a number means all of them, "Row 1 (WS):" does not.
    if (!has_number && h->fill == HED_FILL_NONE && h->side != 0 && h->is_other) {
        h->fill = h->side == 1 ? HED_FILL_RIGHT : HED_FILL_WRONG;
    }
    if (!has_number && h->fill == HED_FILL_NONE) {
        int32_t most = highest(r->instructions);
        HED_TRY(add_number(r, most < 0 ? !h->is_set_up : most + 1));
    }
done:
    return status;
}

static HedStatus add_rows(HedInstructionReader* r, HedInstructionRow row, const Header* h) {
    HedStatus status = HED_OK;
    for (int32_t i = 0; i < r->numbers.count; ++i) {
        row.number = r->numbers.data[i];
        if (!HED_APPEND(&r->instructions->rows, row)) {
            HED_TRY(hed_fail_memory(r->error, r->instructions->name));
        }
    }
    if (h->fill != HED_FILL_NONE &&
        !HED_APPEND(&r->instructions->rests, (HedInstructionRest){h->fill, row})) {
        HED_TRY(hed_fail_memory(r->error, r->instructions->name));
    }
done:
    return status;
}

static HedStatus read_row(HedInstructionReader* r) {
    HedStatus status = HED_OK;
    Header h = {0};
    HedInstructionRow row = {.line = hed_instruction_ahead(r, 0)->line};
    r->numbers.count = 0;
    if (is_last_bind_off(r)) {
        r->last_row = r->at;
    } else {
        HED_TRY(read_header(r, &h));
    }
    HED_TRY(resolve(r, &h));
    r->instructions->is_round = r->instructions->is_round || h.is_round;
    row.side = h.side;
    do {
        HED_TRY(hed_instruction_row_part(r, &row));
        if (row.part == 0 || row.end > row.first) { // nothing is left behind a last turn
            HED_TRY(add_rows(r, row, &h));
        }
        if (row.is_turned && row.side != 0) {
            row.side = 3 - row.side;
        }
        ++row.part;
    } while (row.is_turned);
done:
    return status;
}

// --- repeats

// "rows 1-4", "last 2 rows", "these 4 rows"
static HedStatus read_repeated(HedInstructionReader* r) {
    HedStatus status = HED_OK;
    int32_t count = 0;
    r->numbers.count = 0;
    hed_instruction_take_one(r, "the");
    if (hed_instruction_take_one(r, "last these previous")) {
        int32_t most = highest(r->instructions);
        if (!hed_instruction_take_number(r, HED_INSTRUCTION_ROWS, &count)) {
            count = 1;
        }
        if (!hed_instruction_take_one(r, ROWS) || count > most) {
            HED_TRY(hed_instruction_fail(r, "expected how many of the rows before to repeat"));
        }
        for (int32_t i = most - count + 1; i <= most; ++i) {
            HED_TRY(add_number(r, i));
        }
        return HED_OK;
    }
    if (!hed_instruction_take_one(r, ROWS)) {
        HED_TRY(hed_instruction_fail(r, "expected 'rows' or 'rounds' to repeat"));
    }
    hed_instruction_take(r, "from");
    do {
        HED_TRY(read_range(r));
        while (hed_instruction_take_one(r, ", and &")) {
        }
    } while (is_row_number(r, 0) &&
             !hed_instruction_is_one(hed_instruction_ahead(r, 1)->text, "times time more x"));
done:
    return status;
}

// What is said of how long to go on, and cannot be counted: "until piece measures 10 cm".
static HedStatus skip_until(HedInstructionReader* r, int32_t line) {
    bool is_said = false;
    while (hed_instruction_word(r)[0] != '\0' && !hed_instruction_is_header(r) &&
           !hed_instruction_is(r, ".") && !hed_instruction_is_repeat(r) &&
           hed_instruction_ahead(r, 0)->line == line) {
        is_said = is_said || hed_instruction_is_one(hed_instruction_word(r), "until for to as");
        hed_instruction_next(r);
    }
    return is_said
               ? hed_instructions_note(r->instructions, r->error,
                                       "line %d: how long to repeat is not read: it is done once",
                                       (int)line)
               : HED_OK;
}

static HedStatus keep_repeat(HedInstructionReader* r, HedInstructionRepeat repeat) {
    HedInstructions* instructions = r->instructions;
    repeat.first = instructions->repeated.count;
    repeat.count = r->numbers.count;
    bool fits = true;
    for (int32_t i = 0; i < r->numbers.count; ++i) {
        fits = fits && HED_APPEND(&instructions->repeated, r->numbers.data[i]);
    }
    fits = fits && HED_APPEND(&instructions->repeats, repeat);
    return fits ? HED_OK : hed_fail_memory(r->error, instructions->name);
}

// "Repeat rows 1-4 3 times", "Rep row 2 once more": worked after all rows told so far.
static HedStatus read_repeat(HedInstructionReader* r) {
    HedStatus status = HED_OK;
    HedInstructionRepeat repeat = {.after = highest(r->instructions),
                                   .line = hed_instruction_ahead(r, 0)->line};
    bool is_said = false;
    hed_instruction_next(r);
    HED_TRY(read_repeated(r));
    HED_TRY(hed_instruction_times(r, &repeat.times, &is_said));
    hed_instruction_take_one(r, "more additional");
    if (!is_said) {
        HED_TRY(skip_until(r, repeat.line));
    }
    while (hed_instruction_take_one(r, ", . ;")) {
    }
    HED_TRY(keep_repeat(r, repeat));
done:
    return status;
}

// --- the text

// A title, a gauge, "Cast on 24 sts.": up to the first row.
static HedStatus read_preamble(HedInstructionReader* r) {
    int32_t first = r->at;
    while (hed_instruction_word(r)[0] != '\0' && !hed_instruction_is_header(r)) {
        if (hed_instruction_take(r, "cast on") || hed_instruction_take(r, "co")) {
            int32_t count = 0;
            hed_instruction_take_one(r, "the a about");
            if (hed_instruction_take_number(r, HED_INSTRUCTION_TIMES, &count) && count > 0) {
                r->instructions->cast_on = count;
            }
            first = first == r->at - 3 || first == r->at - 2 ? r->at : first;
        } else {
            hed_instruction_next(r);
        }
    }
    bool is_plain = first == r->at || hed_instruction_is_one(r->words.data[first].text, ". st sts");
    if (hed_instruction_word(r)[0] == '\0') {
        r->at = first < r->words.count ? first : r->words.count - 1;
        return hed_instruction_word(r)[0] ? hed_instruction_fail(r, "expected 'Row' or 'Round'")
                                          : HED_OK;
    }
    return is_plain ? HED_OK
                    : hed_instructions_note(r->instructions, r->error,
                                            "line %d: what stands before the first row is not read",
                                            (int)r->words.data[first].line);
}

static HedStatus skip_prose(HedInstructionReader* r) {
    const HedInstructionWord word = *hed_instruction_ahead(r, 0);
    while (hed_instruction_word(r)[0] != '\0' && hed_instruction_ahead(r, 0)->line == word.line) {
        hed_instruction_next(r);
    }
    return hed_instructions_note(r->instructions, r->error, "line %d: '%s ...' is not read",
                                 (int)word.line, word.text);
}

HedStatus hed_instructions_rows(HedInstructionReader* r) {
    HedStatus status = HED_OK;
    HED_TRY(read_preamble(r));
    while (hed_instruction_word(r)[0] != '\0') {
        if (hed_instruction_is_header(r)) {
            HED_TRY(read_row(r));
        } else if (hed_instruction_is_repeat(r) && r->instructions->rows.count > 0) {
            HED_TRY(read_repeat(r));
        } else if (hed_instruction_is_prose(r)) {
            HED_TRY(skip_prose(r));
        } else {
            HED_TRY(hed_instruction_fail(r, "expected 'Row' or 'Round'"));
        }
    }
    if (r->instructions->rows.count == 0) {
        HED_TRY(hed_fail(r->error, HED_PARSE, "%s: there is no row", r->instructions->name));
    }
done:
    return status;
}
