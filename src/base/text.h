// SPDX-License-Identifier: MIT
// Whole text files in memory, read line by line and word by word, with places for messages.
#ifndef HED_BASE_TEXT_H
#define HED_BASE_TEXT_H

#include "base/status.h"

/// A file's bytes; data[size] is always 0. Zero-initialise; free with hed_text_free.
typedef struct HedText {
    char* data;
    size_t size;
} HedText;

/// Reads a whole file, or a pipe to its end. Directories, devices, missing files, pipes that stay
/// silent, anything over INT32_MAX bytes and what begins with the mark of UTF-16 or UTF-32 are
/// errors.
HedStatus hed_text_read(const char* path, HedText* text, HedError* error);
void hed_text_free(HedText* text);

/// Refuses what is no text, at its line: marks as above, and a zero byte, as in files of 16 bits
/// per letter without a mark.
HedStatus hed_text_check(const char* data, size_t size, const char* name, HedError* error);

/// A run of bytes inside a text; not terminated.
typedef struct HedSpan {
    const char* data;
    int32_t size;
} HedSpan;

/// Walks over lines ended by LF, CRLF or CR, mixed freely. Skips a UTF-8 mark at the start.
typedef struct HedTextLines {
    const char* next;
    const char* end;
    HedSpan line;   // the present line without its end
    int32_t number; // counts from 1
} HedTextLines;

HedTextLines hed_lines_begin(const char* data, size_t size);
bool hed_lines_next(HedTextLines* lines);

/// Takes the next word (bytes above blank) off the front of rest; false at its end.
bool hed_span_word(HedSpan* rest, HedSpan* word);
HedSpan hed_span_trim(HedSpan span);
bool hed_span_equal(HedSpan span, const char* text);

/// Column, counted from 1, of a place inside a line.
int32_t hed_span_column(HedSpan line, const char* place);

/// The whole span as a finite decimal number or integer, whatever the locale; false otherwise.
bool hed_span_double(HedSpan span, double* value);
bool hed_span_int64(HedSpan span, int64_t* value);

enum { HED_NUMBER_TEXT = 32 };

/// Shortest text that reads back to the same double, whatever the locale; returns buffer.
const char* hed_format_double(double value, char buffer[HED_NUMBER_TEXT]);

/// Number of single-letter changes (insert, delete, replace, swap) between two short words.
int32_t hed_text_distance(const char* a, const char* b);

#endif
