// SPDX-License-Identifier: MIT
// Statements of a Wavefront OBJ file: words over continued lines, numbers, indices. The readers of
// faces and of polylines share it.
#ifndef HED_IO_OBJ_TEXT_H
#define HED_IO_OBJ_TEXT_H

#include "base/text.h"
#include "heddle/file.h"

typedef struct HedObjText {
    const char* name;
    HedTextLines lines;
    HedSpan rest;   // of the present line
    bool continued; // the present line goes on in the next
    HedError* error;
} HedObjText;

HedObjText hed_obj_begin(const char* data, size_t size, const char* name, HedError* error);

/// Goes to the next statement and takes its keyword; false at the end of the file.
bool hed_obj_statement(HedObjText* text, HedSpan* keyword);

/// The next word of the statement, over continued lines and up to a comment.
bool hed_obj_word(HedObjText* text, HedSpan* word);

HedStatus hed_obj_number(HedObjText* text, const char* what, double* value);
HedStatus hed_obj_vertex(HedObjText* text, HedVec3* vertex);

/// The colour behind a vertex that was just read: three numbers from 0 to 1, the last ones of the
/// statement, as 0xRRGGBB. HED_COLOR_NONE for anything else.
int32_t hed_obj_color(HedObjText* text);

/// Takes a signed integer and the slash behind it off the front of a word. Nothing before the slash
/// gives 0, which is no index. False for anything else.
bool hed_obj_take_index(HedSpan* word, int64_t* index);

/// The largest index seen of one kind, and where: it tells at the end whether all were in range.
typedef struct HedObjFurthest {
    int32_t index;
    int32_t line;
} HedObjFurthest;

/// From the file's counting, from 1 or backwards from -1, to ours. Indices forward are judged at
/// the end of the file, by hed_obj_check_range.
bool hed_obj_resolve(const HedObjText* text, int64_t index, int32_t count, HedObjFurthest* furthest,
                     int32_t* resolved);
HedStatus hed_obj_check_range(const HedObjText* text, const char* what, HedObjFurthest furthest,
                              int32_t count);

#endif
