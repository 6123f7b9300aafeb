// SPDX-License-Identifier: MIT
// Rows of knitting instructions as trees, before their widths are known. Private to knitspeak*.c.
#ifndef HED_FABRIC_SPEECH_H
#define HED_FABRIC_SPEECH_H

#include "base/text.h"
#include "fabric/chart.h"

enum { HED_SPEECH_TIMES = 10000, HED_SPEECH_DEPTH = 12, HED_SPEECH_ROWS = 20000 };

typedef enum HedSpeechKind {
    HED_SPEECH_STITCH,
    HED_SPEECH_GROUP, ///< `times` times
    HED_SPEECH_STAR   ///< as often as it fits
} HedSpeechKind;

/// Nodes stand before what they hold.
typedef struct HedSpeechNode {
    HedSpeechKind kind;
    int32_t end;   ///< Node after all that it holds.
    int32_t times; ///< Of a group, or of a stitch.
    int32_t last;  ///< Of a star: loops to leave over; -1: as many as the rest of the row takes.
    HedStitch stitch;
} HedSpeechNode;

typedef struct HedSpeechRow {
    int32_t number;
    int32_t first, end; ///< Nodes.
    int32_t line;
    int32_t side;  ///< 1: right, 2: wrong, 0: not said.
    bool is_again; ///< It repeats a row told before.
} HedSpeechRow;

/// "Repeat rows 1-4 3 times": what is worked once more when row number `after` is done.
typedef struct HedSpeechRepeat {
    int32_t after;
    int32_t first, count; ///< Numbers of rows, in numbers.
    int32_t times;
    int32_t line;
} HedSpeechRepeat;

/// Zero-initialise; free with hed_speech_free.
typedef struct HedSpeech {
    const char* name;
    HED_ARRAY(HedSpeechNode) nodes;
    HED_ARRAY(HedSpeechRow) rows; ///< In the order of working.
    HED_ARRAY(HedSpeechRepeat) repeats;
    HED_ARRAY(int32_t) repeated; ///< Numbers of rows of all repeats.
    bool is_round;
    int32_t cast_on; ///< 0 if it is not said.
} HedSpeech;

HedStatus hed_speech_read(const char* data, size_t size, const char* name, HedSpeech* speech,
                          HedError* error);
void hed_speech_free(HedSpeech* speech);

#endif
