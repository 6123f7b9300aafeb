// SPDX-License-Identifier: MIT
// The words of knitting instructions. Parentheses are comments, but for the side of a row.
#include "fabric/speech.h"
#include "base/text.h"
#include "base/words.h"
#include "fabric/chart_text.h"
#include "geom/sort.h"

#include <stdio.h>
#include <string.h>

enum { WORD = 24 };

typedef struct Reader {
    HedSpeech* speech;
    HedError* error;
    const char* at;
    const char* end;
    int32_t line;
    char word[WORD]; // the present one, in lower case: letters, digits and '/', or one sign; "" at
                     // the end
    int32_t depth;
    HED_ARRAY(int32_t) numbers; // of the rows being told
} Reader;

void hed_speech_free(HedSpeech* speech) {
    hed_free(speech->nodes.data);
    hed_free(speech->rows.data);
    hed_free(speech->repeats.data);
    hed_free(speech->repeated.data);
    *speech = (HedSpeech){0};
}

static HedStatus fail(const Reader* r, const char* rule) {
    return hed_fail(r->error, HED_PARSE, "%s:%d: %s, got '%s'", r->speech->name, r->line, rule,
                    r->word[0] ? r->word : "the end");
}

// --- words ---

static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

// The text in parentheses that begins here if it is a side, "rs" or "ws": 1 or 2; else 0.
static int32_t side_at(const char* at, const char* end) {
    char mark[3] = {0};
    int count = 0;
    for (++at; at < end && !strchr(")]}", *at); ++at) {
        if (*at == ' ' || *at == '\t') {
            continue;
        }
        if (count == 2) {
            return 0;
        }
        mark[count++] = (char)(*at >= 'A' && *at <= 'Z' ? *at + 32 : *at);
    }
    return at == end ? 0 : (strcmp(mark, "rs") == 0 ? 1 : (strcmp(mark, "ws") == 0 ? 2 : 0));
}

static void skip_comment(Reader* r) {
    int32_t depth = 0;
    for (; r->at < r->end; ++r->at) {
        r->line += *r->at == '\n';
        depth += (*r->at == '(') - (*r->at == ')');
        if (depth == 0) {
            ++r->at;
            return;
        }
    }
}

static void next_word(Reader* r) {
    int32_t size = 0;
    for (;;) {
        while (r->at < r->end && (unsigned char)*r->at <= ' ') {
            r->line += *r->at++ == '\n';
        }
        if (r->at == r->end || *r->at != '(' || side_at(r->at, r->end) != 0) {
            break;
        }
        skip_comment(r);
    }
    while (r->at < r->end && size < WORD - 1 &&
           (is_letter(*r->at) || is_digit(*r->at) || *r->at == '/')) {
        char c = *r->at++;
        r->word[size++] = (char)(c >= 'A' && c <= 'Z' ? c + 32 : c);
    }
    if (size == 0 && r->at < r->end) {
        char c = *r->at++;
        r->word[size++] = c >= ' ' && c <= '~' ? c : '?';
    }
    r->word[size] = '\0';
}

static bool is_word(const Reader* r, const char* word) {
    return strcmp(r->word, word) == 0;
}

static bool take(Reader* r, const char* word) {
    bool is_there = is_word(r, word);
    if (is_there) {
        next_word(r);
    }
    return is_there;
}

static bool take_number(Reader* r, int32_t most, int32_t* number) {
    int64_t value = 0;
    HedSpan span = {r->word, (int32_t)strlen(r->word)};
    if (!is_digit(r->word[0]) || !hed_span_int64(span, &value) || value > most) {
        return false;
    }
    *number = (int32_t)value;
    next_word(r);
    return true;
}

static bool is_header(const Reader* r) {
    return is_word(r, "row") || is_word(r, "rows") || is_word(r, "round") || is_word(r, "rounds") ||
           is_word(r, "rnd") || is_word(r, "rnds");
}

static bool is_repeat(const Reader* r) {
    return is_word(r, "repeat") || is_word(r, "rep");
}

// --- stitches ---

static HedStatus add_node(Reader* r, HedSpeechNode node) {
    return HED_APPEND(&r->speech->nodes, node) ? HED_OK
                                               : hed_fail_memory(r->error, r->speech->name);
}

static HedStatus close_node(Reader* r, int32_t node) {
    r->speech->nodes.data[node].end = r->speech->nodes.count;
    return HED_OK;
}

// "twice", "3 times", or nothing: once.
static HedStatus read_times(Reader* r, int32_t* times) {
    *times = 1;
    if (take(r, "twice")) {
        *times = 2;
    } else if (take(r, "once")) {
        *times = 1;
    } else if (is_digit(r->word[0])) {
        bool is_number = take_number(r, HED_SPEECH_TIMES, times);
        take(r, "more");
        if (!is_number || !(take(r, "times") || take(r, "time"))) {
            return fail(r, "expected a number up to 10000 and 'times'");
        }
    }
    return HED_OK;
}

// "to last 4 sts", "to last st", "to end": loops that are left over; -1 if nothing is said.
static HedStatus read_last(Reader* r, int32_t* last) {
    *last = -1;
    if (!take(r, "to")) {
        return HED_OK;
    }
    *last = 0;
    if (take(r, "end")) {
        return HED_OK;
    }
    if (!take(r, "last")) {
        return fail(r, "expected 'to last' and a number of stitches");
    }
    *last = 1;
    if (is_digit(r->word[0]) && !take_number(r, HED_SPEECH_TIMES, last)) {
        return fail(r, "expected a number of stitches up to 10000");
    }
    return take(r, "sts") || take(r, "st") || take(r, "stitches") || take(r, "stitch")
               ? HED_OK
               : fail(r, "expected 'sts'");
}

// What stands behind a stitch and changes it: "k1 tbl", "sl1 wyif", "2/2 rc".
static void read_ending(Reader* r, char name[2 * WORD], bool is_cable) {
    static const char* const CROSSES[][2] = {{"rt", "rc"},   {"lt", "lc"},  {"rpt", "rpc"},
                                             {"lpt", "lpc"}, {"rc", "rc"},  {"lc", "lc"},
                                             {"rpc", "rpc"}, {"lpc", "lpc"}};
    for (size_t i = 0; i < sizeof CROSSES / sizeof CROSSES[0] && is_cable; ++i) {
        if (take(r, CROSSES[i][0])) {
            size_t size = strlen(name);
            snprintf(name + size, 2 * WORD - size, "%s", CROSSES[i][1]);
            return;
        }
    }
}

static HedStatus read_stitch(Reader* r) {
    HedStatus status = HED_OK;
    char name[2 * WORD];
    char base[WORD];
    HedSpeechNode node = {.kind = HED_SPEECH_STITCH, .times = 1};
    int32_t number = 0;
    memcpy(base, r->word, sizeof base);
    snprintf(name, sizeof name, "%s", r->word);
    bool is_cable = is_digit(name[0]) && strchr(name, '/');
    next_word(r);
    read_ending(r, name, is_cable);
    bool is_open = !is_cable && !is_digit(name[strlen(name) - 1]);
    bool fits = hed_stitch_named(name, &node.stitch, &node.times);
    if (strcmp(base, "mb") == 0) { // a bobble takes one loop and leaves one
        fits = hed_stitch_named("k", &node.stitch, &node.times);
    } else if (strcmp(base, "k0") == 0 || strcmp(base, "p0") == 0) {
        return HED_OK;
    }
    if (!fits) {
        memcpy(r->word, base, WORD);
        return fail(r, "expected a stitch such as k2, yo, ssk or 2/2 RC");
    }
    if (is_open && is_digit(r->word[0]) && !strchr(r->word, '/')) { // "k 10"
        if (!take_number(r, HED_SPEECH_TIMES, &number)) {
            return fail(r, "expected a number of stitches up to 10000");
        }
        node.times = number;
    }
    node.stitch.is_twisted = node.stitch.is_twisted || take(r, "tbl");
    if (take(r, "wyif")) {
        node.stitch.float_side = HED_FLOAT_FRONT;
    } else if (take(r, "wyib")) {
        node.stitch.float_side = HED_FLOAT_BACK;
    }
    take(r, "sts");
    take(r, "st");
    node.stitch.line = r->line;
    node.end = r->speech->nodes.count + 1;
    if (node.times > 0) {
        HED_TRY(add_node(r, node));
    }
done:
    return status;
}

static HedStatus read_items(Reader* r);

// "[k2, p2] 3 times"
static HedStatus read_group(Reader* r) {
    HedStatus status = HED_OK;
    int32_t node = r->speech->nodes.count;
    if (r->depth >= HED_SPEECH_DEPTH) {
        return fail(r, "brackets may be nested 12 deep");
    }
    next_word(r);
    HED_TRY(add_node(r, (HedSpeechNode){.kind = HED_SPEECH_GROUP, .times = 1}));
    ++r->depth;
    HED_TRY(read_items(r));
    --r->depth;
    if (!take(r, "]")) {
        HED_TRY(fail(r, "expected ']'"));
    }
    int32_t times = 1;
    HED_TRY(read_times(r, &times));
    r->speech->nodes.data[node].times = times;
    HED_TRY(close_node(r, node));
done:
    return status;
}

// "*k2, p2, repeat from * to last 2 sts"
static HedStatus read_star(Reader* r) {
    HedStatus status = HED_OK;
    int32_t node = r->speech->nodes.count;
    if (r->depth > 0) {
        return fail(r, "'*' cannot stand in brackets or in another '*'");
    }
    next_word(r);
    HED_TRY(add_node(r, (HedSpeechNode){.kind = HED_SPEECH_STAR, .last = -1}));
    ++r->depth;
    HED_TRY(read_items(r));
    --r->depth;
    if (!(take(r, "repeat") || take(r, "rep")) || !take(r, "from") || !take(r, "*")) {
        HED_TRY(fail(r, "expected 'repeat from *'"));
    }
    int32_t last = -1;
    HED_TRY(read_last(r, &last));
    r->speech->nodes.data[node].last = last;
    HED_TRY(close_node(r, node));
done:
    return status;
}

// "Knit to last 3 sts"
static HedStatus read_filler(Reader* r) {
    HedStatus status = HED_OK;
    int32_t node = r->speech->nodes.count;
    HedSpeechNode inner = {.kind = HED_SPEECH_STITCH, .times = 1, .end = node + 2};
    hed_stitch_named(is_word(r, "knit") ? "k" : "p", &inner.stitch, &inner.times);
    inner.stitch.line = r->line;
    if (r->depth > 0) {
        return fail(r, "a whole row cannot stand in brackets");
    }
    next_word(r);
    int32_t last = -1;
    HED_TRY(read_last(r, &last));
    HED_TRY(add_node(r, (HedSpeechNode){.kind = HED_SPEECH_STAR, .last = last, .end = node + 2}));
    HED_TRY(add_node(r, inner));
done:
    return status;
}

// Up to something that is no item.
static HedStatus read_items(Reader* r) {
    HedStatus status = HED_OK;
    while (status == HED_OK) {
        if (take(r, ",") || take(r, ".") || take(r, ";")) {
            continue;
        }
        if (r->word[0] == '\0' || is_word(r, "]") || is_repeat(r) || is_header(r)) {
            break;
        }
        if (is_word(r, "[")) {
            status = read_group(r);
        } else if (is_word(r, "*")) {
            status = read_star(r);
        } else if (is_word(r, "knit") || is_word(r, "purl")) {
            status = read_filler(r);
        } else {
            status = read_stitch(r);
        }
    }
    return status;
}

// --- rows ---

static HedStatus add_number(Reader* r, int32_t number) {
    if (r->numbers.count >= HED_SPEECH_ROWS) {
        return fail(r, "a text may have 20000 rows");
    }
    return HED_APPEND(&r->numbers, number) ? HED_OK : hed_fail_memory(r->error, r->speech->name);
}

// "1, 5, and 9-14"
static HedStatus read_numbers(Reader* r) {
    HedStatus status = HED_OK;
    r->numbers.count = 0;
    do {
        int32_t first = 0;
        if (!take_number(r, HED_SPEECH_ROWS, &first)) {
            HED_TRY(fail(r, "expected the number of a row, up to 20000"));
        }
        int32_t last = first;
        if (take(r, "-") && (!take_number(r, HED_SPEECH_ROWS, &last) || last < first)) {
            HED_TRY(fail(r, "expected a rising range of rows"));
        }
        for (int32_t i = first; i <= last; ++i) {
            HED_TRY(add_number(r, i));
        }
        while (take(r, ",") || take(r, "and") || take(r, "&")) {
        }
    } while (is_digit(r->word[0]));
done:
    return status;
}

static int32_t read_side(Reader* r) {
    // The sign that opens it was taken as a word.
    bool is_open = is_word(r, "(") || is_word(r, "[") || is_word(r, "{");
    int32_t side = is_open ? side_at(r->at - 1, r->end) : 0;
    if (side == 0) {
        return 0;
    }
    next_word(r);
    next_word(r);
    next_word(r);
    return side;
}

static HedStatus read_row(Reader* r) {
    HedStatus status = HED_OK;
    bool is_round = r->word[1] != 'o' || r->word[2] == 'u';
    int32_t line = r->line;
    next_word(r);
    HED_TRY(read_numbers(r));
    int32_t side = read_side(r);
    if (!take(r, ":")) {
        HED_TRY(fail(r, "expected ':'"));
    }
    r->speech->is_round = r->speech->is_round || is_round;
    int32_t first = r->speech->nodes.count;
    HED_TRY(read_items(r));
    if (r->word[0] != '\0' && !is_header(r) && !is_repeat(r)) {
        HED_TRY(fail(r, "expected a stitch or the next row"));
    }
    for (int32_t i = 0; i < r->numbers.count; ++i) {
        HedSpeechRow row = {.number = r->numbers.data[i],
                            .first = first,
                            .end = r->speech->nodes.count,
                            .line = line,
                            .side = side};
        if (!HED_APPEND(&r->speech->rows, row)) {
            HED_TRY(hed_fail_memory(r->error, r->speech->name));
        }
    }
done:
    return status;
}

// "Repeat rows 1-4 3 times", "Rep row 2 once more": worked after all rows told so far.
static HedStatus read_repeat(Reader* r) {
    HedStatus status = HED_OK;
    HedSpeech* speech = r->speech;
    HedSpeechRepeat repeat = {.after = -1, .first = speech->repeated.count, .line = r->line};
    next_word(r);
    if (!is_header(r)) {
        HED_TRY(fail(r, "expected 'rows' or 'rounds' to repeat"));
    }
    next_word(r);
    HED_TRY(read_numbers(r));
    // "rows 1 and 2 3 times": a number before 'times' is none of a row.
    if (r->numbers.count > 1 && (is_word(r, "times") || is_word(r, "time") || is_word(r, "more"))) {
        repeat.times = r->numbers.data[--r->numbers.count];
        take(r, "more");
        if (!take(r, "times") && !take(r, "time")) {
            HED_TRY(fail(r, "expected 'times'"));
        }
    } else {
        HED_TRY(read_times(r, &repeat.times));
    }
    take(r, "more");
    while (take(r, ",") || take(r, ".") || take(r, ";")) {
    }
    for (int32_t i = 0; i < speech->rows.count; ++i) {
        int32_t number = speech->rows.data[i].number;
        repeat.after = number > repeat.after ? number : repeat.after;
    }
    repeat.count = r->numbers.count;
    for (int32_t i = 0; i < r->numbers.count; ++i) {
        if (!HED_APPEND(&speech->repeated, r->numbers.data[i])) {
            HED_TRY(hed_fail_memory(r->error, speech->name));
        }
    }
    if (!HED_APPEND(&speech->repeats, repeat)) {
        HED_TRY(hed_fail_memory(r->error, speech->name));
    }
done:
    return status;
}

// By number; what is told twice counts as told last.
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
    int32_t kept = 0;
    for (int32_t i = 0; i < count; ++i) {
        const HedSpeechRow* row = &speech->rows.data[items[i].value];
        kept -= kept > 0 && sorted[kept - 1].number == row->number;
        sorted[kept++] = *row;
    }
    for (int32_t i = 0; i < kept; ++i) {
        speech->rows.data[i] = sorted[i];
    }
    speech->rows.count = kept;
done:
    hed_free(items);
    hed_free(sorted);
    return status;
}

static const HedSpeechRow* find_row(const HedSpeech* speech, int32_t number, int32_t count) {
    for (int32_t i = 0; i < count; ++i) {
        if (speech->rows.data[i].number == number) {
            return &speech->rows.data[i];
        }
    }
    return NULL;
}

// Puts the rows of a repeat behind what is there; told: rows that are no repeats.
static HedStatus work_repeat(HedSpeech* speech, const HedSpeechRepeat* repeat, int32_t told,
                             HedSpeech* made, HedError* error) {
    for (int32_t k = 0; k < repeat->times * (int64_t)repeat->count; ++k) {
        int32_t number = speech->repeated.data[repeat->first + k % repeat->count];
        const HedSpeechRow* row = find_row(speech, number, told);
        if (!row || row->number > repeat->after) {
            return hed_fail(error, HED_PARSE, "%s:%d: there is no row %d to repeat yet",
                            speech->name, repeat->line, number);
        }
        HedSpeechRow again = *row;
        again.is_again = true;
        if (made->rows.count >= HED_SPEECH_ROWS) {
            return hed_fail(error, HED_UNSUPPORTED, "%s:%d: a text may have %d rows, with repeats",
                            speech->name, repeat->line, HED_SPEECH_ROWS);
        }
        if (!HED_APPEND(&made->rows, again)) {
            return hed_fail_memory(error, speech->name);
        }
    }
    return HED_OK;
}

// Rows in the order of working, repeats written out.
static HedStatus write_out(HedSpeech* speech, HedError* error) {
    HedStatus status = HED_OK;
    HedSpeech made = {0};
    int32_t told = speech->rows.count;
    for (int32_t k = 0; k < speech->repeats.count; ++k) {
        if (!find_row(speech, speech->repeats.data[k].after, told)) {
            HED_TRY(hed_fail(error, HED_PARSE, "%s:%d: there is no row to repeat yet", speech->name,
                             speech->repeats.data[k].line));
        }
    }
    for (int32_t i = 0; i < told && speech->repeats.count > 0; ++i) {
        if (!HED_APPEND(&made.rows, speech->rows.data[i])) {
            HED_TRY(hed_fail_memory(error, speech->name));
        }
        for (int32_t k = 0; k < speech->repeats.count; ++k) {
            if (speech->repeats.data[k].after == speech->rows.data[i].number) {
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
    if (row->end - row->first != 1) {
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

HedStatus hed_speech_read(const char* data, size_t size, const char* name, HedSpeech* speech,
                          HedError* error) {
    HedStatus status = HED_OK;
    bool is_marked = size >= 3 && memcmp(data, "\xEF\xBB\xBF", 3) == 0; // as UTF-8
    Reader r = {.speech = speech, .error = error, .end = data + size, .line = 1};
    r.at = is_marked ? data + 3 : data;
    speech->name = name;
    HED_TRY(hed_text_check(data, size, name, error));
    next_word(&r);
    while (r.word[0] != '\0') {
        if (is_header(&r)) {
            HED_TRY(read_row(&r));
        } else if (is_repeat(&r) && speech->rows.count > 0) {
            HED_TRY(read_repeat(&r));
        } else {
            HED_TRY(fail(&r, "expected 'Row' or 'Round'"));
        }
    }
    if (speech->rows.count == 0) {
        HED_TRY(hed_fail(error, HED_PARSE, "%s: there is no row", name));
    }
    HED_TRY(sort_rows(speech, error));
    take_cast_on(speech);
    HED_TRY(write_out(speech, error));
done:
    hed_free(r.numbers.data);
    return status;
}
