// SPDX-License-Identifier: MIT
// Tables of a run: comma-separated text with a line of names. Private to src/show.
#ifndef HED_SHOW_TABLE_H
#define HED_SHOW_TABLE_H

#include "base/array.h"
#include "base/text.h"
#include "heddle/show.h"

typedef enum HedTableKind { HED_TABLE_ENERGY, HED_TABLE_MEASURE, HED_TABLE_COUNT } HedTableKind;

const char* hed_table_name(HedTableKind kind); ///< "energy", "measure"

/// A table in memory. Zero-initialise; free with hed_table_free.
typedef struct HedTableData {
    char* names;                // of the columns, each ended by 0
    HED_ARRAY(int32_t) columns; // where each name begins
    HED_ARRAY(double) cells;    // row after row; NaN for an empty cell
} HedTableData;

/// Reads whole lines: one without an end is still being written. Stops at the first line that does
/// not fit the names. name is for messages.
HedStatus hed_table_parse(const char* data, size_t size, const char* name, HedTableData* table,
                          HedError* error);
void hed_table_free(HedTableData* table);

/// Whether the show has a table with more than time and step.
bool hed_show_has_table(const HedShow* show, HedTableKind kind);

#endif
