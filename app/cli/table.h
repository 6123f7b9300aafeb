// SPDX-License-Identifier: MIT
// Numbers from a CSV file with a head line, such as energy.csv.
#ifndef CLI_TABLE_H
#define CLI_TABLE_H

#include "cli/common.h"

/// Zero-initialise; free with cli_table_free.
typedef struct CliTable {
    char* text; // the file; names point into it
    char** names;
    int32_t column_count;
    double* values; // row after row; an empty cell is NaN
    int32_t row_count;
} CliTable;

/// Reads a file. A last line without its end belongs to a row that is still being written, and is
/// left out. On failure says what is wrong and returns the exit code, else CLI_GO.
int cli_table_load(const char* path, CliTable* table);
void cli_table_free(CliTable* table);

/// Index of a column, -1 if there is none of that name.
int32_t cli_table_column(const CliTable* table, const char* name);

#endif
