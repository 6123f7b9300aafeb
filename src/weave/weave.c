// SPDX-License-Identifier: MIT
// Drafts from nothing: named weaves and rows of signs.
#define _POSIX_C_SOURCE 200809L // strnlen
#include "weave/weave.h"
#include "base/text.h"
#include "base/words.h"
#include "fabric/warnings.h"

#include <string.h>

void hed_weave_free(HedWeave* weave) {
    if (!weave) {
        return;
    }
    hed_warnings_free(weave->notes, weave->note_count);
    hed_free(weave->is_up);
    hed_free(weave->picks);
    hed_free(weave->ends);
    hed_free(weave->title);
    *weave = (HedWeave){0};
}

HedStatus hed_weave_note(HedWeave* weave, HedError* error, const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    bool ok = hed_warnings_add(&weave->notes, &weave->note_count, &weave->note_capacity, format,
                               arguments);
    va_end(arguments);
    return ok ? HED_OK : hed_fail_memory(error, "notes of a draft");
}

HedStatus hed_weave_create(int64_t end_count, int64_t pick_count, HedWeave* weave,
                           HedError* error) {
    if (end_count < 1 || pick_count < 1) {
        return hed_fail(error, HED_INVALID,
                        "a weave needs ends and picks, got %lld ends and %lld picks",
                        (long long)end_count, (long long)pick_count);
    }
    if (end_count > HED_WEAVE_CELLS / pick_count) {
        return hed_fail(error, HED_UNSUPPORTED,
                        "a weave may have %d crossings, got %lld ends and %lld picks",
                        HED_WEAVE_CELLS, (long long)end_count, (long long)pick_count);
    }
    weave->ends = HED_NEW_ARRAY(HedThread, end_count);
    weave->picks = HED_NEW_ARRAY(HedThread, pick_count);
    weave->is_up = HED_NEW_ARRAY(uint8_t, end_count * pick_count);
    if (!weave->ends || !weave->picks || !weave->is_up) {
        return hed_fail_memory(error, "crossings of a weave");
    }
    weave->end_count = (int32_t)end_count;
    weave->pick_count = (int32_t)pick_count;
    for (int32_t i = 0; i < weave->end_count; ++i) {
        weave->ends[i] = (HedThread){.number = i + 1, .color = HED_COLOR_NONE};
    }
    for (int32_t i = 0; i < weave->pick_count; ++i) {
        weave->picks[i] = (HedThread){.number = i + 1, .color = HED_COLOR_NONE};
    }
    return HED_OK;
}

// --- named weaves ---

enum { MOST_THREADS = 64, MOST_NUMBERS = 16 };

// "twill 2/2 s": a word, numbers, and perhaps a direction.
typedef struct NamedPattern {
    const char* text;
    char kind[16];
    int32_t numbers[MOST_NUMBERS];
    int32_t count;
    bool is_s; // the ribs of a twill fall from left to right, like the middle of an S
} NamedPattern;

static HedStatus fail_pattern(const NamedPattern* pattern, const char* rule, HedError* error) {
    return hed_fail(error, HED_INVALID, "weave '%.60s': %s", pattern->text, rule);
}

static HedStatus read_number(NamedPattern* pattern, HedSpan word, HedError* error) {
    int64_t value = 0;
    if (!hed_span_int64(word, &value) || value < 1 || value > MOST_THREADS) {
        return hed_fail(error, HED_INVALID,
                        "weave '%.60s': expected a number from 1 to %d, got '%s'", pattern->text,
                        MOST_THREADS, hed_quote(word).text);
    }
    if (pattern->count == MOST_NUMBERS) {
        return fail_pattern(pattern, "too many numbers", error);
    }
    pattern->numbers[pattern->count++] = (int32_t)value;
    return HED_OK;
}

// Numbers of one word, which slashes divide.
static HedStatus read_numbers(NamedPattern* pattern, HedSpan word, HedError* error) {
    HedStatus status = HED_OK;
    while (status == HED_OK) {
        const char* slash = memchr(word.data, '/', (size_t)word.size);
        int32_t size = slash ? (int32_t)(slash - word.data) : word.size;
        status = read_number(pattern, (HedSpan){word.data, size}, error);
        if (!slash) {
            break;
        }
        word = (HedSpan){slash + 1, word.size - size - 1};
    }
    return status;
}

static HedStatus read_pattern(const char* text, NamedPattern* pattern, HedError* error) {
    HedSpan rest = {text, (int32_t)strnlen(text, 1000)};
    HedSpan word;
    *pattern = (NamedPattern){.text = text};
    if (!hed_span_word(&rest, &word) || word.size >= (int32_t)sizeof pattern->kind) {
        return fail_pattern(pattern, "expected plain, twill, satin, sateen, basket or rib", error);
    }
    for (int32_t i = 0; i < word.size; ++i) {
        char c = word.data[i];
        pattern->kind[i] = c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
    }
    HedStatus status = HED_OK;
    while (status == HED_OK && hed_span_word(&rest, &word)) {
        bool is_s = hed_span_equal(word, "s") || hed_span_equal(word, "S");
        bool is_z = hed_span_equal(word, "z") || hed_span_equal(word, "Z");
        pattern->is_s = pattern->is_s || is_s;
        if ((is_s || is_z) && strcmp(pattern->kind, "twill") != 0) {
            status = fail_pattern(pattern, "s and z are for twills", error);
        } else if (!is_s && !is_z) {
            status = read_numbers(pattern, word, error);
        }
    }
    return status;
}

// Whether place k of a row that is so many over, so many under, and so on, is over.
static bool is_over(const int32_t* numbers, int32_t count, int32_t k) {
    int32_t at = 0;
    for (; k >= numbers[at]; at = (at + 1) % count) {
        k -= numbers[at];
    }
    return at % 2 == 0;
}

static int32_t sum_of(const int32_t* numbers, int32_t count) {
    int32_t sum = 0;
    for (int32_t i = 0; i < count; ++i) {
        sum += numbers[i];
    }
    return sum;
}

static void set_up(HedWeave* weave, int32_t pick, int32_t end, bool up) {
    weave->is_up[(int64_t)pick * weave->end_count + end] = up;
}

// Each pick is the one before, moved on by one end.
static HedStatus make_twill(const NamedPattern* pattern, HedWeave* weave, HedError* error) {
    if (pattern->count < 2 || pattern->count % 2 != 0) {
        return fail_pattern(pattern, "a twill needs over/under, such as 2/2 or 3/1/1/3", error);
    }
    int32_t size = sum_of(pattern->numbers, pattern->count);
    HedStatus status = hed_weave_create(size, size, weave, error);
    for (int32_t i = 0; status == HED_OK && i < size * size; ++i) {
        int32_t pick = i / size, end = i % size;
        int32_t move = pattern->is_s ? (end + pick) % size : (end - pick + size) % size;
        set_up(weave, pick, end, is_over(pattern->numbers, pattern->count, move));
    }
    return status;
}

static int32_t divisor(int32_t a, int32_t b) {
    while (b != 0) {
        int32_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

// The step of a satin has no divisor in common with its ends, and its points do not touch.
static bool is_step(int32_t size, int32_t step) {
    return step > 1 && step < size - 1 && divisor(size, step) == 1;
}

static HedStatus make_satin(const NamedPattern* pattern, bool is_weft, HedWeave* weave,
                            HedError* error) {
    int32_t size = pattern->numbers[0];
    int32_t step = pattern->count > 1 ? pattern->numbers[1] : 2;
    if (pattern->count < 1 || pattern->count > 2) {
        return fail_pattern(pattern, "a satin needs its ends, and perhaps a step", error);
    }
    while (pattern->count == 1 && step < size && !is_step(size, step)) {
        ++step;
    }
    if (!is_step(size, step)) {
        return fail_pattern(pattern,
                            pattern->count == 1
                                ? "there is no satin of so many ends; 5, 7, 8 are the first"
                                : "the step of a satin is above 1, below the ends less 1, and "
                                  "has no divisor in common with the ends",
                            error);
    }
    HedStatus status = hed_weave_create(size, size, weave, error);
    for (int32_t i = 0; status == HED_OK && i < size * size; ++i) {
        bool is_bound = i % size == step * (i / size) % size;
        set_up(weave, i / size, i % size, is_bound == is_weft);
    }
    return status;
}

// Blocks of plain weave: groups of ends change sides with groups of picks.
static HedStatus make_blocks(const NamedPattern* pattern, bool is_rib, HedWeave* weave,
                             HedError* error) {
    if (pattern->count != 2) {
        return fail_pattern(pattern, "expected two numbers, such as 2/2", error);
    }
    int32_t size = sum_of(pattern->numbers, 2);
    HedStatus status = hed_weave_create(is_rib ? 2 : size, size, weave, error);
    for (int32_t pick = 0; status == HED_OK && pick < size; ++pick) {
        for (int32_t end = 0; end < weave->end_count; ++end) {
            bool first = is_rib ? end == 0 : is_over(pattern->numbers, 2, end);
            set_up(weave, pick, end, first == is_over(pattern->numbers, 2, pick));
        }
    }
    return status;
}

static HedStatus make_named(const NamedPattern* pattern, HedWeave* weave, HedError* error) {
    const char* kind = pattern->kind;
    if (strcmp(kind, "plain") == 0) {
        NamedPattern plain = {.text = pattern->text, .numbers = {1, 1}, .count = 2};
        return pattern->count > 0 ? fail_pattern(pattern, "plain takes no numbers", error)
                                  : make_blocks(&plain, false, weave, error);
    }
    if (strcmp(kind, "twill") == 0) {
        return make_twill(pattern, weave, error);
    }
    if (strcmp(kind, "satin") == 0 || strcmp(kind, "sateen") == 0) {
        return make_satin(pattern, strcmp(kind, "sateen") == 0, weave, error);
    }
    if (strcmp(kind, "basket") == 0 || strcmp(kind, "rib") == 0) {
        return make_blocks(pattern, strcmp(kind, "rib") == 0, weave, error);
    }
    return fail_pattern(pattern, "known are plain, twill, satin, sateen, basket and rib", error);
}

HedStatus hed_weave_named(const char* text, HedWeave* weave, HedError* error) {
    NamedPattern pattern;
    HedWeave made = {0};
    HedStatus status = read_pattern(text, &pattern, error);
    if (status == HED_OK) {
        status = make_named(&pattern, &made, error);
    }
    if (status != HED_OK) {
        hed_weave_free(&made);
        return status;
    }
    *weave = made;
    return HED_OK;
}

// --- rows of signs ---

static bool is_blank(char c) {
    return c == ' ' || c == '\t';
}

static int32_t count_signs(const char* row) {
    int32_t count = 0;
    for (; *row && count < INT32_MAX; ++row) {
        count += !is_blank(*row);
    }
    return count;
}

static HedStatus fill_row(const char* row, int32_t pick, HedWeave* weave, HedError* error) {
    int32_t end = 0;
    for (; *row; ++row) {
        if (is_blank(*row)) {
            continue;
        }
        if (!strchr("#1.0", *row)) {
            return hed_fail(error, HED_INVALID,
                            "row %d of a weave: expected '#', '1', '.' or '0', got '%s'", pick + 1,
                            hed_quote((HedSpan){row, 1}).text);
        }
        set_up(weave, pick, end++, *row == '#' || *row == '1');
    }
    return HED_OK;
}

HedStatus hed_weave_rows(const char* const* rows, int32_t row_count, HedWeave* weave,
                         HedError* error) {
    HedWeave made = {0};
    int32_t width = row_count > 0 ? count_signs(rows[0]) : 0;
    HedStatus status = hed_weave_create(width, row_count, &made, error);
    for (int32_t i = 0; i < row_count && status == HED_OK; ++i) {
        int32_t count = count_signs(rows[i]);
        status = count == width
                     ? fill_row(rows[i], i, &made, error)
                     : hed_fail(error, HED_INVALID, "row %d of a weave has %d signs, row 1 has %d",
                                i + 1, count, width);
    }
    if (status != HED_OK) {
        hed_weave_free(&made);
        return status;
    }
    *weave = made;
    return HED_OK;
}
