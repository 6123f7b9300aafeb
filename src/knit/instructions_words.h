// SPDX-License-Identifier: MIT
// The words of knitting instructions, and a reader that walks over them. Private to speech*.c.
//
// Parentheses are comments, unless they hold the side of a row, or are followed by how often they
// are worked: "(a comment)", "(RS)", "(k1, yo) twice", "(k1, yo, k1) in next st".
#ifndef HED_KNIT_INSTRUCTIONS_WORDS_H
#define HED_KNIT_INSTRUCTIONS_WORDS_H

#include "knit/instructions.h"

enum { HED_SPEECH_WORD = 32 };

/// In lower case: letters, digits, '/', '&' and '-' between letters; or one sign; "" at the end.
typedef struct HedSpeechWord {
    char text[HED_SPEECH_WORD];
    int32_t line;
    int32_t pair;  ///< Of "(": the word that closes it; -1 if none does.
    bool is_first; ///< In its line, or behind a full stop.
} HedSpeechWord;

typedef struct HedSpeechReader {
    HedSpeech* speech;
    HedError* error;
    HED_ARRAY(HedSpeechWord) words; ///< The last one is "".
    int32_t at;
    int32_t depth; ///< Of brackets and stars.
    int32_t stars; ///< That are open.
    int32_t told;  ///< From the last comment such as "(12 sts)"; 0: none.
    int32_t yarn;
    int32_t last_row;           ///< Word at which the row "Bind off all sts." was begun; 0: none.
    HED_ARRAY(int32_t) numbers; ///< Of the rows being told.
    char yarns[16][HED_SPEECH_WORD];
    int32_t yarn_count;
} HedSpeechReader;

/// Cuts a text into words and stands on the first. Free words and numbers in any case.
HedStatus hed_speech_split(HedSpeechReader* r, const char* data, size_t size);

void hed_speech_next(HedSpeechReader* r);

static inline const HedSpeechWord* hed_speech_ahead(const HedSpeechReader* r, int32_t more) {
    int32_t last = r->words.count - 1;
    return &r->words.data[r->at + more < last ? r->at + more : last];
}

static inline const char* hed_speech_word(const HedSpeechReader* r) {
    return hed_speech_ahead(r, 0)->text;
}

bool hed_speech_is(const HedSpeechReader* r, const char* word);

/// Whether the word is one of a list "row rows round".
bool hed_speech_is_one(const char* word, const char* list);

/// Whether the next words are these ("wrap and turn"), and walks past them.
bool hed_speech_take(HedSpeechReader* r, const char* words);
bool hed_speech_take_one(HedSpeechReader* r, const char* list);

/// The number at the start of a text, of at most five digits, and how many it has; 0: none.
int32_t hed_speech_digits(const char* text, int32_t* number);

/// "12", or "three"; walks past it if it is not more than `most`.
bool hed_speech_take_number(HedSpeechReader* r, int32_t most, int32_t* number);
bool hed_speech_is_number(const HedSpeechReader* r);

/// Whether the word opens the side of a row: 1 for "(RS)", 2 for "[WS]"; else 0.
int32_t hed_speech_side(const HedSpeechReader* r);

/// "file:3: rule, got 'word'"
HedStatus hed_speech_fail(const HedSpeechReader* r, const char* rule);

// --- speech_stitch.c

HedStatus hed_speech_add(HedSpeechReader* r, HedSpeechNode node);

/// Reads a stitch with all that belongs to it, and how often it is worked.
HedStatus hed_speech_stitch(HedSpeechReader* r);

/// "twice", "3 times", "x3", or nothing: once. Whether anything was said: *is_said.
HedStatus hed_speech_times(HedSpeechReader* r, int32_t* times, bool* is_said);

/// "in next st" and the like, behind parentheses.
bool hed_speech_take_place(HedSpeechReader* r);

/// Makes one stitch out of the nodes from `first` on: all are worked into one loop.
HedStatus hed_speech_increase(HedSpeechReader* r, int32_t first);

// --- speech_rows.c

/// Whether a row, or what is said of rows, begins here.
bool hed_speech_is_header(const HedSpeechReader* r);
bool hed_speech_is_repeat(const HedSpeechReader* r);

/// A line of prose behind a row: "Fasten off.", "Weave in ends."
bool hed_speech_is_prose(const HedSpeechReader* r);

#endif
