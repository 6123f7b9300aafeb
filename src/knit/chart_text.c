// SPDX-License-Identifier: MIT
#include "knit/chart_text.h"
#include "base/text.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

enum { ROW_LIMIT = 1000000, STITCH_LIMIT = 20000000, WORD = 32, DEPTH = 16, YARNS = 16 };

typedef struct Name {
    const char* text;
    HedStitch stitch;
    bool is_counted; // a number may follow
} Name;

#define PURL .is_purl = true
#define ONE .consumed = 1, .produced = 1

static const Name NAMES[] = {
    {"k", {.kind = HED_STITCH_KNIT, ONE}, true},
    {"p", {.kind = HED_STITCH_KNIT, ONE, PURL}, true},
    {"ktbl", {.kind = HED_STITCH_KNIT, ONE, .is_twisted = true}, true},
    {"ptbl", {.kind = HED_STITCH_KNIT, ONE, PURL, .is_twisted = true}, true},
    {"yo", {.kind = HED_STITCH_YARN_OVER, ONE}, true},
    {"k2tog", {.kind = HED_STITCH_DECREASE, .consumed = 2}, false},
    {"k3tog", {.kind = HED_STITCH_DECREASE, .consumed = 3}, false},
    {"p2tog", {.kind = HED_STITCH_DECREASE, .consumed = 2, PURL}, false},
    {"p3tog", {.kind = HED_STITCH_DECREASE, .consumed = 3, PURL}, false},
    {"ssk", {.kind = HED_STITCH_DECREASE, .consumed = 2, .lean = HED_LEAN_LEFT}, false},
    {"sssk", {.kind = HED_STITCH_DECREASE, .consumed = 3, .lean = HED_LEAN_LEFT}, false},
    {"sk2p", {.kind = HED_STITCH_DECREASE, .consumed = 3, .lean = HED_LEAN_LEFT}, false},
    {"ssp", {.kind = HED_STITCH_DECREASE, .consumed = 2, .lean = HED_LEAN_LEFT, PURL}, false},
    {"cdd", {.kind = HED_STITCH_DECREASE, .consumed = 3, .lean = HED_LEAN_CENTER}, false},
    {"kfb", {.kind = HED_STITCH_INCREASE, .produced = 2}, false},
    {"pfb", {.kind = HED_STITCH_INCREASE, .produced = 2, PURL}, false},
    {"mb", {.kind = HED_STITCH_BOBBLE, .produced = 5}, false},
    {"m1", {.kind = HED_STITCH_MAKE_ONE, ONE}, false},
    {"m1l", {.kind = HED_STITCH_MAKE_ONE, ONE}, false},
    {"m1r", {.kind = HED_STITCH_MAKE_ONE, ONE}, false},
    {"m1p", {.kind = HED_STITCH_MAKE_ONE, ONE, PURL}, false},
    {"sl", {.kind = HED_STITCH_SLIP, ONE}, true},
    {"slf", {.kind = HED_STITCH_SLIP, ONE, .float_side = HED_FLOAT_FRONT}, true},
    {"slb", {.kind = HED_STITCH_SLIP, ONE, .float_side = HED_FLOAT_BACK}, true},
    {"tuck", {.kind = HED_STITCH_TUCK, ONE}, true},
    {"ptuck", {.kind = HED_STITCH_TUCK, ONE, PURL}, true},
    {"co", {.kind = HED_STITCH_CAST_ON, ONE}, true},
    {"bo", {.kind = HED_STITCH_BIND_OFF, ONE}, true},
    {"pbo", {.kind = HED_STITCH_BIND_OFF, ONE, PURL}, true},
};

enum { NAME_COUNT = sizeof NAMES / sizeof NAMES[0] };

typedef struct ChartReader {
    HedChart* chart;
    const char* name;
    HedError* error;
    HedSpan line;
    int32_t number; // of the line
    const char* at;
    const char* end;
    HED_ARRAY(HedStitch) row;
    int32_t star_first, star_count; // the group that fills the row; count -1 if there is none
    int32_t yarn;
    int32_t depth; // of brackets
    int32_t width; // loops that the row before leaves; -1 if not known
} ChartReader;

static HedStatus fail_at(const ChartReader* r, const char* place, const char* message,
                         const char* word) {
    return hed_fail(r->error, HED_PARSE, "%s:%" PRId32 ":%" PRId32 ": %s%s%s%s", r->name, r->number,
                    hed_span_column(r->line, place), message, word ? " '" : "", word ? word : "",
                    word ? "'" : "");
}

static void skip_blanks(ChartReader* r) {
    while (r->at < r->end && (isspace((unsigned char)*r->at) || *r->at == ',' || *r->at == '.')) {
        ++r->at;
    }
    if (r->at < r->end && *r->at == '#') {
        r->at = r->end;
    }
}

static bool read_number(ChartReader* r, int32_t* value) {
    int64_t number = 0;
    const char* start = r->at;
    while (r->at < r->end && isdigit((unsigned char)*r->at) && number <= ROW_LIMIT) {
        number = 10 * number + (*r->at++ - '0');
    }
    *value = (int32_t)number;
    return r->at > start && number >= 1 && number <= ROW_LIMIT;
}

// Repeats what was read from `first` on, `times` in all.
static HedStatus repeat(ChartReader* r, int32_t first, int32_t times) {
    int32_t count = r->row.count - first;
    if ((int64_t)count * times > ROW_LIMIT - first) {
        return fail_at(r, r->at, "a row may have at most 1000000 stitches", NULL);
    }
    if (!HED_RESERVE(&r->row, (int64_t)count * times)) {
        return hed_fail_memory(r->error, "stitches of a chart");
    }
    for (int32_t i = 0; i < count * (times - 1); ++i) {
        r->row.data[r->row.count] = r->row.data[first + i];
        ++r->row.count;
    }
    return HED_OK;
}

// What follows a stitch or a group: '*', 'x4', or nothing.
static HedStatus read_times(ChartReader* r, int32_t first) {
    if (r->at < r->end && *r->at == '*') {
        if (r->star_count >= 0 || r->depth > 0) {
            return fail_at(r, r->at, "only one '*' can stand in a row, and not in brackets", NULL);
        }
        r->star_first = first;
        r->star_count = r->row.count - first;
        ++r->at;
    } else if (r->at + 1 < r->end && (*r->at == 'x' || *r->at == 'X') &&
               isdigit((unsigned char)r->at[1])) {
        int32_t times = 0;
        ++r->at;
        if (!read_number(r, &times)) {
            return fail_at(r, r->at, "a group must be repeated 1 to 1000000 times", NULL);
        }
        return repeat(r, first, times);
    }
    return HED_OK;
}

// "2/2lc", "2/1/2rpc": how many in front (behind a left cross: first), how many stay, which way.
static bool read_cable(const char* word, HedStitch* stitch) {
    int32_t counts[3] = {0};
    int32_t groups = 0;
    const char* at = word;
    for (;;) {
        int32_t n = 0;
        while (isdigit((unsigned char)*at) && n <= HED_STITCH_MOST) {
            n = 10 * n + (*at++ - '0');
        }
        if (n < 1 || n > HED_STITCH_MOST || groups == 3) {
            return false;
        }
        counts[groups++] = n;
        if (*at != '/') {
            break;
        }
        ++at;
    }
    bool is_purl = strcmp(at, "lpc") == 0 || strcmp(at, "rpc") == 0;
    bool is_plain = strcmp(at, "lc") == 0 || strcmp(at, "rc") == 0;
    if (groups < 2 || (!is_purl && !is_plain)) {
        return false;
    }
    *stitch = hed_stitch_default(HED_STITCH_CABLE);
    stitch->front = counts[0];
    stitch->middle = groups == 3 ? counts[1] : 0;
    stitch->back = counts[groups - 1];
    stitch->is_left = at[0] == 'l';
    stitch->is_back_purl = is_purl;
    stitch->is_middle_purl = is_purl;
    return true;
}

// "k12" is "k" twelve times; "k2tog" and "m1" are names of their own.
static const Name* find_name(const char* word, int32_t* count) {
    *count = 1;
    for (int32_t i = 0; i < NAME_COUNT; ++i) {
        if (strcmp(NAMES[i].text, word) == 0) {
            return &NAMES[i];
        }
    }
    size_t letters = strcspn(word, "0123456789");
    size_t digits = strspn(word + letters, "0123456789");
    if (digits == 0 || digits > 6 || word[letters + digits] != '\0') {
        return NULL;
    }
    for (int32_t i = 0; i < NAME_COUNT; ++i) {
        if (NAMES[i].is_counted && strlen(NAMES[i].text) == letters &&
            strncmp(NAMES[i].text, word, letters) == 0) {
            *count = 0;
            for (size_t k = 0; k < digits; ++k) {
                *count = 10 * *count + (word[letters + k] - '0');
            }
            return *count > 0 ? &NAMES[i] : NULL;
        }
    }
    return NULL;
}

static HedStatus refuse_word(const ChartReader* r, const char* place, const char* word) {
    const char* nearest = NAMES[0].text;
    int32_t least = INT32_MAX;
    for (int32_t i = 0; i < NAME_COUNT; ++i) {
        int32_t distance = hed_text_distance(NAMES[i].text, word);
        if (distance < least) {
            least = distance;
            nearest = NAMES[i].text;
        }
    }
    return hed_fail(r->error, HED_PARSE,
                    "%s:%" PRId32 ":%" PRId32 ": unknown stitch '%s'; the nearest name is '%s'",
                    r->name, r->number, hed_span_column(r->line, place), word, nearest);
}

// A number of its own behind a stitch, as in "k 12".
static void read_count(ChartReader* r, int32_t* count) {
    const char* back = r->at;
    int32_t number = 0;
    skip_blanks(r);
    bool is_apart = r->at > back;
    bool is_number = is_apart && read_number(r, &number);
    bool is_word = r->at < r->end && (isalnum((unsigned char)*r->at) || *r->at == '/');
    if (is_number && !is_word) {
        *count = number;
    } else {
        r->at = back;
    }
}

static HedStatus read_stitch(ChartReader* r) {
    char word[WORD] = {0};
    int32_t size = 0;
    const char* place = r->at;
    while (r->at < r->end && (isalnum((unsigned char)*r->at) || *r->at == '/')) {
        if (size + 1 == WORD) {
            return fail_at(r, place, "a word is too long for a stitch", NULL);
        }
        word[size++] = (char)tolower((unsigned char)*r->at++);
    }
    word[size] = '\0';
    if (size == 0) {
        char found[2] = {isprint((unsigned char)*r->at) ? *r->at : '?', '\0'};
        return fail_at(r, place, "expected a stitch, got", found);
    }
    HedStitch stitch;
    int32_t count = 1;
    const Name* name = find_name(word, &count);
    if (name) {
        stitch = name->stitch;
    } else if (!read_cable(word, &stitch)) {
        return refuse_word(r, place, word);
    }
    if (name && name->is_counted && strcmp(name->text, word) == 0) {
        read_count(r, &count);
    }
    stitch.yarn = r->yarn;
    stitch.line = r->number;
    stitch.column = hed_span_column(r->line, place);
    int32_t first = r->row.count;
    if (!HED_APPEND(&r->row, stitch)) {
        return hed_fail_memory(r->error, "stitches of a chart");
    }
    HedStatus status = repeat(r, first, count);
    return status == HED_OK ? read_times(r, first) : status;
}

static HedStatus read_yarn(ChartReader* r) {
    const char* place = r->at++;
    int32_t yarn = 0;
    if (!read_number(r, &yarn) || yarn > YARNS) {
        return fail_at(r, place, "expected the number of a yarn, 1 to 16, behind '@'", NULL);
    }
    r->yarn = yarn - 1;
    return HED_OK;
}

// Stitches up to the end of the line; brackets open and close on the way.
static HedStatus read_items(ChartReader* r) {
    HedStatus status = HED_OK;
    int32_t firsts[DEPTH];
    for (skip_blanks(r); status == HED_OK && r->at < r->end; skip_blanks(r)) {
        if (*r->at == '[' || *r->at == '(') {
            if (r->depth == DEPTH) {
                return fail_at(r, r->at, "brackets stand too deep in each other", NULL);
            }
            firsts[r->depth++] = r->row.count;
            ++r->at;
        } else if (*r->at == ']' || *r->at == ')') {
            if (r->depth == 0) {
                return fail_at(r, r->at, "a bracket closes that was not opened", NULL);
            }
            ++r->at;
            status = read_times(r, firsts[--r->depth]);
        } else {
            status = *r->at == '@' ? read_yarn(r) : read_stitch(r);
        }
    }
    if (status == HED_OK && r->depth > 0) {
        return fail_at(r, r->end, "a bracket is not closed", NULL);
    }
    return status;
}

static int32_t consumed(const HedStitch* stitches, int32_t count) {
    int32_t sum = 0;
    for (int32_t i = 0; i < count; ++i) {
        sum += hed_stitch_consumed(&stitches[i]);
    }
    return sum;
}

// How often the starred group fits; 1 if there is none.
static HedStatus fit_star(ChartReader* r, int32_t* times) {
    *times = 1;
    if (r->star_count < 0) {
        return HED_OK;
    }
    int32_t all = consumed(r->row.data, r->row.count);
    int32_t group = consumed(r->row.data + r->star_first, r->star_count);
    int32_t room = r->width - (all - group);
    if (r->width < 0) {
        return fail_at(r, r->line.data, "'*' needs a first line 'co' with the loops cast on", NULL);
    }
    if (group == 0 || room < 0 || room % group != 0) {
        return hed_fail(r->error, HED_PARSE,
                        "%s:%" PRId32 ": the group with '*' takes %" PRId32 " loops, but %" PRId32
                        " of %" PRId32 " are left for it",
                        r->name, r->number, group, room, r->width);
    }
    *times = room / group;
    return HED_OK;
}

static HedStatus flush_row(ChartReader* r) {
    HedStatus status = HED_OK;
    int32_t times = 1;
    int32_t width = 0;
    HED_TRY(fit_star(r, &times));
    int32_t star_end = r->star_first + (r->star_count > 0 ? r->star_count : 0);
    if (r->chart->stitches.count > STITCH_LIMIT - ROW_LIMIT) {
        return hed_fail(r->error, HED_UNSUPPORTED,
                        "%s:%" PRId32 ": a chart may have at most %d stitches", r->name, r->number,
                        (int)STITCH_LIMIT);
    }
    HED_TRY(hed_chart_add_row(r->chart, r->error));
    r->chart->rows.data[r->chart->rows.count - 1].line = r->number;
    if (r->width < 0) {
        r->chart->cast_on = consumed(r->row.data, r->row.count);
    }
    for (int32_t i = 0; i < r->row.count; ++i) {
        bool is_end = r->star_count > 0 && i == star_end - 1;
        if (r->star_count > 0 && times == 0 && i >= r->star_first && i < star_end) {
            continue;
        }
        HED_TRY(hed_chart_add_stitch(r->chart, &r->row.data[i], r->error));
        width += hed_stitch_produced(&r->row.data[i]);
        if (is_end && --times > 0) {
            i = r->star_first - 1;
        }
    }
    r->width = width;
done:
    return status;
}

// "3:" or "row 3:" before the stitches of a row.
static void skip_label(ChartReader* r) {
    const char* colon = memchr(r->at, ':', (size_t)(r->end - r->at));
    if (!colon) {
        return;
    }
    for (const char* c = r->at; c < colon; ++c) {
        if (*c == '#' || *c == '[' || *c == '*') {
            return;
        }
    }
    r->at = colon + 1;
}

// A line "rounds" before all rows.
static bool is_rounds(const ChartReader* r) {
    HedSpan rest = {r->line.data, r->line.size};
    HedSpan word;
    return r->chart->rows.count == 0 && hed_span_word(&rest, &word) &&
           hed_span_equal(word, "rounds");
}

// A line "co 12" before all rows.
static bool is_cast_on(const ChartReader* r) {
    return r->chart->rows.count == 0 && r->width < 0 && r->row.count > 0 && r->star_count < 0 &&
           r->row.data[0].kind == HED_STITCH_CAST_ON && consumed(r->row.data, r->row.count) == 0;
}

static HedStatus read_line(ChartReader* r) {
    HedStatus status = HED_OK;
    r->at = r->line.data;
    r->end = r->at + r->line.size;
    r->row.count = 0;
    r->star_first = 0;
    r->star_count = -1;
    r->depth = 0;
    if (is_rounds(r)) {
        r->chart->is_round = true;
        r->at += strcspn(r->at, "s") + 1; // behind the word
        skip_blanks(r);
        return r->at == r->end ? HED_OK
                               : fail_at(r, r->at, "'rounds' stands alone in its line", NULL);
    }
    skip_label(r);
    HED_TRY(read_items(r));
    if (r->row.count == 0) {
        return HED_OK;
    }
    if (is_cast_on(r)) {
        r->width = r->row.count;
        r->chart->cast_on = r->width;
        return HED_OK;
    }
    HED_TRY(flush_row(r));
done:
    return status;
}

HedStatus hed_chart_read(const char* text, const char* name, bool is_round, HedChart* chart,
                         HedError* error) {
    HedStatus status = HED_OK;
    *chart = (HedChart){.name = name, .is_round = is_round};
    ChartReader r = {.chart = chart, .name = name, .error = error, .width = -1};
    HedTextLines lines = hed_lines_begin(text, strlen(text));
    while (hed_lines_next(&lines)) {
        r.line = lines.line;
        r.number = lines.number;
        HED_TRY(read_line(&r));
    }
    if (chart->rows.count == 0) {
        status = hed_fail(error, HED_PARSE, "%s: a chart needs at least one row", name);
    }
done:
    hed_free(r.row.data);
    return status;
}

bool hed_stitch_named(const char* word, HedStitch* stitch, int32_t* count) {
    const Name* name = find_name(word, count);
    if (name) {
        *stitch = name->stitch;
        return true;
    }
    *count = 1;
    return read_cable(word, stitch);
}
