// SPDX-License-Identifier: MIT
// Words of a file in messages, and words of a path compared without regard to case.
#ifndef HED_BASE_WORDS_H
#define HED_BASE_WORDS_H

#include "base/text.h"

enum { HED_QUOTE = 44 };

/// A short piece of a file, made safe for a message.
typedef struct HedQuote {
    char text[HED_QUOTE];
} HedQuote;

/// The first bytes of a span, with `?` for all that is not printable ASCII and `...` where it was
/// cut.
static inline HedQuote hed_quote(HedSpan span) {
    HedQuote quote = {{0}};
    enum { ROOM = HED_QUOTE - 4 };
    int32_t kept = span.size < ROOM ? span.size : ROOM;
    for (int32_t i = 0; i < kept; ++i) {
        char c = span.data[i];
        quote.text[i] = c >= ' ' && c <= '~' ? c : '?';
    }
    for (int32_t i = kept; i < kept + 3 && kept < span.size; ++i) {
        quote.text[i] = '.';
    }
    return quote;
}

/// Whether a word equals a lower-case one in ASCII, upper case being the same as lower case.
static inline bool hed_same_word(const char* word, const char* lower) {
    for (; *word && *lower; ++word, ++lower) {
        char c = *word >= 'A' && *word <= 'Z' ? (char)(*word - 'A' + 'a') : *word;
        if (c != *lower) {
            return false;
        }
    }
    return *word == *lower;
}

#endif
