// SPDX-License-Identifier: MIT
#include "io/usda_text.h"
#include "base/words.h"

#include <string.h>

static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

HedUsdaText hed_usda_begin(const char* data, size_t size, const char* name, HedError* error) {
    HedUsdaText text = {.name = name, .at = data, .end = data + size, .line = 1, .error = error};
    hed_usda_next(&text);
    return text;
}

static void skip_blanks(HedUsdaText* text) {
    while (text->at < text->end) {
        if (*text->at == '#') {
            const char* line_end = memchr(text->at, '\n', (size_t)(text->end - text->at));
            text->at = line_end ? line_end : text->end;
        } else if ((unsigned char)*text->at <= ' ') {
            text->line += *text->at == '\n';
            ++text->at;
        } else {
            return;
        }
    }
}

// A text that begins with `mark` (one quote, or three) and goes to the next one; '\' takes the sign
// behind it along.
static void read_text(HedUsdaText* text, const char* mark) {
    size_t size = strlen(mark);
    text->at += size;
    const char* start = text->at;
    while (text->at < text->end &&
           ((size_t)(text->end - text->at) < size || memcmp(text->at, mark, size) != 0)) {
        text->line += *text->at == '\n';
        text->at += *text->at == '\\' && text->at + 1 < text->end ? 2 : 1;
    }
    text->token = (HedSpan){start, (int32_t)(text->at - start)};
    size_t left = (size_t)(text->end - text->at);
    text->at += left < size ? left : size;
    text->kind = HED_USDA_TEXT;
}

typedef struct TextMark {
    const char* begin;
    const char* end;
} TextMark;

static const TextMark MARKS[] = {{"\"\"\"", "\"\"\""}, {"'''", "'''"}, {"\"", "\""},
                                 {"'", "'"},           {"@", "@"},     {"<", ">"}};

// What ends a text that begins here; NULL if none does. Longer marks stand first.
static const char* mark_at(const HedUsdaText* text) {
    for (size_t i = 0; i < sizeof MARKS / sizeof MARKS[0]; ++i) {
        size_t size = strlen(MARKS[i].begin);
        if ((size_t)(text->end - text->at) >= size && memcmp(text->at, MARKS[i].begin, size) == 0) {
            return MARKS[i].end;
        }
    }
    return NULL;
}

void hed_usda_next(HedUsdaText* text) {
    skip_blanks(text);
    const char* start = text->at;
    text->kind = HED_USDA_END;
    text->token = (HedSpan){start, 0};
    if (text->at == text->end) {
        return;
    }
    const char* mark = mark_at(text);
    if (mark) {
        read_text(text, mark);
        return;
    }
    bool is_word = is_letter(*start);
    bool is_number = is_digit(*start) || strchr("+-.", *start);
    text->kind = is_word ? HED_USDA_WORD : is_number ? HED_USDA_NUMBER : HED_USDA_SIGN;
    ++text->at;
    while (text->at < text->end && text->kind != HED_USDA_SIGN &&
           (is_letter(*text->at) || is_digit(*text->at) || *text->at == '.' ||
            (is_word && *text->at == ':') || (is_number && strchr("+-", *text->at)))) {
        ++text->at;
    }
    text->token.size = (int32_t)(text->at - start);
}

bool hed_usda_is_sign(const HedUsdaText* text, char sign) {
    return text->kind == HED_USDA_SIGN && text->token.data[0] == sign;
}

bool hed_usda_is_word(const HedUsdaText* text, const char* word) {
    return text->kind == HED_USDA_WORD && hed_span_equal(text->token, word);
}

HedStatus hed_usda_fail(const HedUsdaText* text, const char* what) {
    return hed_fail(text->error, HED_PARSE, "%s:%d: expected %s, got %s%s%s", text->name,
                    text->line, what, text->kind == HED_USDA_END ? "the end" : "'",
                    hed_quote(text->token).text, text->kind == HED_USDA_END ? "" : "'");
}

HedStatus hed_usda_take(HedUsdaText* text, char sign) {
    char what[4] = {'\'', sign, '\'', '\0'};
    if (!hed_usda_is_sign(text, sign)) {
        return hed_usda_fail(text, what);
    }
    hed_usda_next(text);
    return HED_OK;
}

HedStatus hed_usda_number(HedUsdaText* text, double* value) {
    if (text->kind != HED_USDA_NUMBER || !hed_span_double(text->token, value)) {
        return hed_usda_fail(text, "a finite number");
    }
    hed_usda_next(text);
    return HED_OK;
}

HedStatus hed_usda_skip(HedUsdaText* text) {
    int64_t depth = 0;
    do {
        if (text->kind == HED_USDA_END) {
            return hed_usda_fail(text, "more");
        }
        char sign = '\0';
        if (text->kind == HED_USDA_SIGN) {
            sign = text->token.data[0];
        }
        depth += (sign == '(' || sign == '[' || sign == '{');
        depth -= (sign == ')' || sign == ']' || sign == '}');
        hed_usda_next(text);
    } while (depth > 0);
    return HED_OK;
}
