// SPDX-License-Identifier: MIT
// A table that grows row by row; a row is either whole or taken back.
#ifndef HED_RUN_CSV_H
#define HED_RUN_CSV_H

#include "base/array.h"
#include "base/status.h"

/// Zero-initialise; free with hed_csv_close. A row is built in memory by the add functions and goes
/// to the file by hed_csv_end_row.
typedef struct HedCsv {
    char* path;
    int file;      // descriptor + 1; 0: closed
    int64_t bytes; // length of the file up to the last whole row
    uint64_t hash; // of these rows, one after the other
    HED_ARRAY(char) row;
    bool out_of_memory; // while the row was built
} HedCsv;

/// Starts an empty table.
HedStatus hed_csv_create(HedCsv* csv, const char* path, HedError* error);

/// How much of a table there was, and its hash; NULL: a checkpoint that knows none.
typedef struct HedCsvMark {
    int64_t bytes;
    const uint64_t* hash;
} HedCsvMark;

/// Goes on after the first `bytes` bytes, which must be those that were written; what follows them
/// is cut off.
HedStatus hed_csv_resume(HedCsv* csv, const char* path, HedCsvMark mark, HedError* error);

/// Cells of the row. A text with a comma, a quote or a line end is quoted; a number that is not
/// finite gives an empty cell.
void hed_csv_text(HedCsv* csv, const char* text);
void hed_csv_number(HedCsv* csv, double value);
void hed_csv_integer(HedCsv* csv, int64_t value);

/// Appends the row; on failure the file is as long as before.
HedStatus hed_csv_end_row(HedCsv* csv, HedError* error);

/// Waits until the rows are on the disk.
HedStatus hed_csv_sync(HedCsv* csv, HedError* error);
void hed_csv_close(HedCsv* csv);

#endif
