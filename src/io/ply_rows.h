// SPDX-License-Identifier: MIT
// Rows of a PLY file, value by value. Two cursors of equal shape, one over words and one over
// bytes, let the same loops read ascii, where each row is a line of its own, and binary files.
#ifndef HED_IO_PLY_ROWS_H
#define HED_IO_PLY_ROWS_H

#include "base/words.h"
#include "io/ply_header.h"

typedef struct HedPlyRows {
    const char* name;
    const char* data;
    size_t size;
    HedPlyHeader header;
    HedTextLines lines; // ascii: the present row
    HedSpan rest;       // ascii: what is left of it
    const char* at;     // binary: the next value
    const char* value;  // binary: where the last value stood
    HedError* error;
} HedPlyRows;

/// Reads the header and stands before the first row. Free rows->header in any case.
HedStatus hed_ply_rows_begin(HedPlyRows* rows, const char* data, size_t size, const char* name,
                             HedError* error);

/// Notes bytes that are left after the last row.
void hed_ply_rows_end(const HedPlyRows* rows);

bool hed_ply_is_ascii(const HedPlyRows* rows);

/// "file:line" in ascii, "file: byte n" otherwise, then what is wrong and what was found.
HedStatus hed_ply_fail(const HedPlyRows* rows, const char* rule, HedQuote found);
HedStatus hed_ply_fail_number(const HedPlyRows* rows, const char* rule, double value);

/// Refuses a count of rows that the bytes left cannot hold, before anything is sized by it.
HedStatus hed_ply_check_room(HedPlyRows* rows, const HedPlyElement* element);

/// Goes to the next line that is not blank; does nothing in binary files.
HedStatus hed_ply_begin_row(HedPlyRows* rows, const HedPlyElement* element);
HedStatus hed_ply_end_row(const HedPlyRows* rows);

/// Passes over one value, and reads it unless value is NULL.
HedStatus hed_ply_next_value(HedPlyRows* rows, const HedPlyType* type, double* value);
HedStatus hed_ply_next_length(HedPlyRows* rows, const HedPlyProperty* list, int32_t* length);
HedStatus hed_ply_skip_property(HedPlyRows* rows, const HedPlyProperty* property);
HedStatus hed_ply_skip_rows(HedPlyRows* rows, const HedPlyElement* element);

/// The place of a single value in a row of an element; -1 for none, and for lists.
int32_t hed_ply_find_single(const HedPlyRows* rows, const HedPlyElement* element, const char* name);

/// Reads the single values of a row that have a role: roles[k] is the place of values[k] in it, -1
/// for none. All must be finite.
HedStatus hed_ply_read_roles(HedPlyRows* rows, const HedPlyElement* element, const int32_t* roles,
                             int32_t role_count, double* values);

#endif
