// SPDX-License-Identifier: MIT
// The container of WIF files: sections with keys and values, in any order, with lines for messages.
#ifndef HED_WEAVE_WIF_H
#define HED_WEAVE_WIF_H

#include "base/array.h"
#include "base/text.h"
#include "weave/weave.h"

enum { HED_WIF_MOST = 1 << 16 }; // largest number of a shaft, treadle or colour

typedef enum HedWifSection {
    HED_WIF_WEAVING,
    HED_WIF_WARP,
    HED_WIF_WEFT,
    HED_WIF_THREADING,
    HED_WIF_TIEUP,
    HED_WIF_TREADLING,
    HED_WIF_LIFTPLAN,
    HED_WIF_PALETTE,
    HED_WIF_COLORS,
    HED_WIF_WARP_COLORS,
    HED_WIF_WEFT_COLORS,
    HED_WIF_WARP_SPACING,
    HED_WIF_WEFT_SPACING,
    HED_WIF_WARP_THICKNESS,
    HED_WIF_WEFT_THICKNESS,
    HED_WIF_TEXT,
    HED_WIF_SECTIONS ///< Any other section: its keys are left out.
} HedWifSection;

/// A line `key=value` of a known section.
typedef struct HedWifEntry {
    HedWifSection section;
    HedSpan key;    // trimmed
    HedSpan value;  // trimmed, as it stands
    int64_t number; // the key as a number; 0 for a word
    int32_t line;
} HedWifEntry;

typedef struct HedWifRows {
    HED_ARRAY(HedWifEntry) list; // by rising number, each once: the last of the file
    int32_t line;                // of the header; 0 if there is no such section
} HedWifRows;

/// A file taken apart; it points into the text. Zero-initialise; free with hed_wif_free.
typedef struct HedWif {
    const char* name;
    HedWifRows rows[HED_WIF_SECTIONS]; // with number
    HED_ARRAY(HedWifEntry) words;      // without
    int32_t header_count;
    int32_t odd_count; // lines that are no entries
    int32_t odd_line;  // the first of them
} HedWif;

HedStatus hed_wif_read(const char* data, size_t size, const char* name, HedWif* wif,
                       HedError* error);
void hed_wif_free(HedWif* wif);

/// The last entry of a section with this key (in lower case), or NULL.
const HedWifEntry* hed_wif_find(const HedWif* wif, HedWifSection section, const char* key);

/// The entry with this number, or NULL.
const HedWifEntry* hed_wif_row(const HedWifRows* rows, int64_t number);

/// The value without a comment that follows it, trimmed.
HedSpan hed_wif_value(const HedWifEntry* entry);

/// Takes the next element off a list; false at its end. Elements may be empty.
bool hed_wif_element(HedSpan* list, HedSpan* element);

/// Fails at a line: "name:line: rule, got 'found'".
HedStatus hed_wif_fail(const HedWif* wif, HedError* error, int32_t line, const char* rule,
                       HedSpan found);

/// A number of a shaft, treadle or colour in the value of an entry; 0 and an empty text mean none.
HedStatus hed_wif_number(const HedWif* wif, const HedWifEntry* entry, HedSpan text, int32_t* number,
                         HedError* error);

/// A key with a count; 0 if it is not there.
HedStatus hed_wif_count(const HedWif* wif, HedWifSection section, const char* key, int64_t* count,
                        HedError* error);

/// Slots, thickness and colours of the threads of a draft, whose numbers are known.
HedStatus hed_wif_threads(const HedWif* wif, HedWeave* weave, HedError* error);

#endif
