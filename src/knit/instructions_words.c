// SPDX-License-Identifier: MIT
#include "knit/instructions_words.h"

#include <string.h>

static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

// Signs of UTF-8 that people's programs put in place of plain ones.
static const struct Sign {
    const char* bytes;
    char plain; // 0: nothing
} SIGNS[] = {
    {"\xE2\x80\x90", '-'}, {"\xE2\x80\x91", '-'}, {"\xE2\x80\x92", '-'}, {"\xE2\x80\x93", '-'},
    {"\xE2\x80\x94", '-'}, {"\xE2\x88\x92", '-'}, {"\xC3\x97", 'x'},     {"\xC2\xA0", ' '},
    {"\xE2\x80\x98", ' '}, {"\xE2\x80\x99", ' '}, {"\xE2\x80\x9C", ' '}, {"\xE2\x80\x9D", ' '},
    {"\xE2\x80\xA2", ' '}, {"\xEF\xBB\xBF", ' '}, {"\xE2\x81\x84", '/'}, {"\xE2\x80\xA6", '.'},
};

// The character at a place, and how many bytes it has.
static char plain_at(const char* at, const char* end, int32_t* size) {
    *size = 1;
    if ((unsigned char)*at < 0x80) {
        return *at;
    }
    for (size_t i = 0; i < sizeof SIGNS / sizeof SIGNS[0]; ++i) {
        size_t length = strlen(SIGNS[i].bytes);
        if ((size_t)(end - at) >= length && memcmp(at, SIGNS[i].bytes, length) == 0) {
            *size = (int32_t)length;
            return SIGNS[i].plain;
        }
    }
    while (at + *size < end && ((unsigned char)at[*size] & 0xC0) == 0x80) {
        ++*size;
    }
    return '?';
}

// '-' joins "k2tog-tbl", "sl1-k1-psso" and "1-to-5", but not "rows 1-4" and "K2 - p2"; '&' joins
// "w&t".
static bool joins(const HedInstructionWord* word, int32_t count, char c, const char* next,
                  const char* end) {
    if (count == 0 || next >= end || (c != '-' && c != '&')) {
        return false;
    }
    bool has_letter = false;
    for (int32_t i = 0; i < count; ++i) {
        has_letter = has_letter || is_letter(word->text[i]);
    }
    bool to = c == '-' && end - next > 3 && (next[0] == 't' || next[0] == 'T') && next[2] == '-';
    return has_letter ? is_letter(*next) || (c == '-' && is_digit(*next)) : to;
}

static const char* cut_word(HedInstructionWord* word, const char* at, const char* end) {
    int32_t count = 0;
    while (at < end) {
        int32_t size = 1;
        char c = plain_at(at, end, &size);
        bool fits =
            is_letter(c) || is_digit(c) || c == '/' || joins(word, count, c, at + size, end);
        if (!fits && count > 0) {
            break;
        }
        if (count < HED_INSTRUCTION_WORD - 1) {
            word->text[count++] = (char)(c >= 'A' && c <= 'Z' ? c + 32 : c);
        }
        at += size;
        if (!fits) {
            break;
        }
    }
    if (count == 1 && (word->text[0] < ' ' || word->text[0] > '~')) {
        word->text[0] = '?';
    }
    return at;
}

static void find_pairs(HedInstructionReader* r) {
    int32_t open[64];
    int32_t depth = 0;
    for (int32_t i = 0; i < r->words.count; ++i) {
        HedInstructionWord* word = &r->words.data[i];
        if (strcmp(word->text, "(") == 0) {
            if (depth < 64) {
                open[depth] = i;
            }
            ++depth;
        } else if (strcmp(word->text, ")") == 0 && depth > 0) {
            --depth;
            if (depth < 64) {
                r->words.data[open[depth]].pair = i;
            }
        }
    }
}

static void skip_comments(HedInstructionReader* r);

HedStatus hed_instruction_split(HedInstructionReader* r, const char* data, size_t size) {
    const char* at = data;
    const char* end = data + size;
    int32_t line = 1;
    bool is_first = true;
    for (;;) {
        HedInstructionWord word = {.line = line, .pair = -1};
        int32_t bytes = 1;
        while (at < end) {
            char c = plain_at(at, end, &bytes);
            if ((unsigned char)c > ' ') {
                break;
            }
            line += c == '\n';
            is_first = is_first || c == '\n';
            at += bytes;
        }
        word.line = line;
        word.is_first = is_first;
        at = at < end ? cut_word(&word, at, end) : at;
        is_first = strcmp(word.text, ".") == 0;
        if (!HED_APPEND(&r->words, word)) {
            return hed_fail_memory(r->error, r->instructions->name);
        }
        if (word.text[0] == '\0') {
            break;
        }
    }
    find_pairs(r);
    skip_comments(r);
    return HED_OK;
}

bool hed_instruction_is_one(const char* word, const char* list) {
    size_t size = strlen(word);
    for (const char* at = list; size > 0 && *at; at += strcspn(at, " "), at += *at == ' ') {
        if (strcspn(at, " ") == size && memcmp(at, word, size) == 0) {
            return true;
        }
    }
    return false;
}

bool hed_instruction_is(const HedInstructionReader* r, const char* word) {
    return strcmp(hed_instruction_word(r), word) == 0;
}

int32_t hed_instruction_side(const HedInstructionReader* r) {
    if (!hed_instruction_is_one(hed_instruction_word(r), "( [ {") ||
        !hed_instruction_is_one(hed_instruction_ahead(r, 2)->text, ") ] }")) {
        return 0;
    }
    const char* word = hed_instruction_ahead(r, 1)->text;
    return strcmp(word, "rs") == 0 ? 1 : (strcmp(word, "ws") == 0 ? 2 : 0);
}

// Whether what closes at `pair` is worked: how often, or into what, is said behind it.
static bool is_group(const HedInstructionReader* r, int32_t pair) {
    const HedInstructionWord* next = &r->words.data[pair + 1]; // there is always one: ""
    const HedInstructionWord* then = &r->words.data[pair + (next->text[0] ? 2 : 1)];
    const char* word = next->text;
    if (hed_instruction_is_one(word, "once twice thrice across around all")) {
        return true;
    }
    if (hed_instruction_is_one(word, "in into to rep repeat x")) {
        return hed_instruction_is_one(then->text, "next the same last end one st each all to") ||
               is_digit(then->text[0]);
    }
    bool is_number =
        is_digit(word[0]) || hed_instruction_is_one(word, "two three four five six seven "
                                                          "eight nine ten eleven twelve");
    return (word[0] == 'x' && is_digit(word[1])) ||
           (is_number && hed_instruction_is_one(then->text, "times time more x"));
}

// "(12 sts)" says how many there are.
static void note_count(HedInstructionReader* r, int32_t first, int32_t end) {
    for (int32_t i = first; i + 1 < end; ++i) {
        const char* word = r->words.data[i].text;
        int64_t value = 0;
        bool is_count = i == first &&
                        hed_instruction_is_one(r->words.data[i + 1].text, "st sts stitch stitches");
        if (is_count && hed_span_int64((HedSpan){word, (int32_t)strlen(word)}, &value) &&
            value > 0 && value < INT32_MAX) {
            r->told = (int32_t)value;
        }
    }
}

static void skip_comments(HedInstructionReader* r) {
    while (strcmp(r->words.data[r->at].text, "(") == 0 && hed_instruction_side(r) == 0) {
        int32_t pair = r->words.data[r->at].pair;
        if (pair >= 0 && is_group(r, pair)) {
            return;
        }
        note_count(r, r->at + 1, pair >= 0 ? pair : r->words.count - 1);
        r->at = pair >= 0 ? pair + 1 : r->words.count - 1;
    }
}

void hed_instruction_next(HedInstructionReader* r) {
    if (r->at < r->words.count - 1) {
        ++r->at;
        skip_comments(r);
    }
}

bool hed_instruction_take(HedInstructionReader* r, const char* words) {
    int32_t count = 0;
    for (const char* at = words; *at; ++count) {
        size_t size = strcspn(at, " ");
        const char* word = hed_instruction_ahead(r, count)->text;
        if (strlen(word) != size || memcmp(word, at, size) != 0) {
            return false;
        }
        at += size;
        at += *at == ' ';
    }
    for (int32_t i = 0; i < count; ++i) {
        hed_instruction_next(r);
    }
    return true;
}

bool hed_instruction_take_one(HedInstructionReader* r, const char* list) {
    bool is_there = hed_instruction_is_one(hed_instruction_word(r), list);
    if (is_there) {
        hed_instruction_next(r);
    }
    return is_there;
}

// "three" is 3; 0 if the word is no number.
static int32_t spelled(const char* word) {
    static const char* const NAMES[] = {"one",   "two",   "three", "four", "five",   "six",
                                        "seven", "eight", "nine",  "ten",  "eleven", "twelve"};
    for (int32_t i = 0; i < 12; ++i) {
        if (strcmp(word, NAMES[i]) == 0) {
            return i + 1;
        }
    }
    return 0;
}

int32_t hed_instruction_digits(const char* text, int32_t* number) {
    int32_t size = 0;
    *number = 0;
    while (size < 6 && is_digit(text[size])) {
        *number = 10 * *number + (text[size++] - '0');
    }
    return size < 6 ? size : 0;
}

bool hed_instruction_is_number(const HedInstructionReader* r) {
    const char* word = hed_instruction_word(r);
    return (word[0] != '\0' && word[strspn(word, "0123456789")] == '\0') || spelled(word) > 0;
}

bool hed_instruction_take_number(HedInstructionReader* r, int32_t most, int32_t* number) {
    const char* word = hed_instruction_word(r);
    int64_t value = spelled(word);
    bool is_number = value > 0 || (is_digit(word[0]) &&
                                   hed_span_int64((HedSpan){word, (int32_t)strlen(word)}, &value));
    if (!is_number || value > most) {
        return false;
    }
    *number = (int32_t)value;
    hed_instruction_next(r);
    return true;
}

HedStatus hed_instruction_fail(const HedInstructionReader* r, const char* rule) {
    const HedInstructionWord* word = hed_instruction_ahead(r, 0);
    return hed_fail(r->error, HED_PARSE, "%s:%d: %s, got '%s'", r->instructions->name, word->line,
                    rule, word->text[0] ? word->text : "the end");
}
