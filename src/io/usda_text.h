// SPDX-License-Identifier: MIT
// Tokens of USD text files.
#ifndef HED_IO_USDA_TEXT_H
#define HED_IO_USDA_TEXT_H

#include "base/text.h"

typedef enum HedUsdaKind {
    HED_USDA_END,
    HED_USDA_WORD,   ///< Letters, digits, '_', ':' and '.', a letter or '_' first.
    HED_USDA_NUMBER, ///< Whatever begins with a digit, a sign or a dot.
    HED_USDA_TEXT,   ///< Between quotes, which are left out; also paths and assets.
    HED_USDA_SIGN    ///< One other character.
} HedUsdaKind;

typedef struct HedUsdaText {
    const char* name; // of the file
    const char* at;
    const char* end;
    int32_t line; // of the present token
    HedUsdaKind kind;
    HedSpan token;
    HedError* error;
} HedUsdaText;

/// Stands at the first token.
HedUsdaText hed_usda_begin(const char* data, size_t size, const char* name, HedError* error);
void hed_usda_next(HedUsdaText* text);

bool hed_usda_is_sign(const HedUsdaText* text, char sign);
bool hed_usda_is_word(const HedUsdaText* text, const char* word);

/// HED_PARSE at the present line: "expected <what>, got '...'".
HedStatus hed_usda_fail(const HedUsdaText* text, const char* what);

/// Takes a sign, or fails.
HedStatus hed_usda_take(HedUsdaText* text, char sign);

/// Takes a finite number, or fails.
HedStatus hed_usda_number(HedUsdaText* text, double* value);

/// Passes over a value: one token, or everything between brackets of any kind that match.
HedStatus hed_usda_skip(HedUsdaText* text);

#endif
