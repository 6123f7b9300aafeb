// SPDX-License-Identifier: MIT
// Rows that follow each other as the points of a yarn do, and their equations solved directly.
#ifndef HED_SOLVE_LINES_H
#define HED_SOLVE_LINES_H

#include "base/parallel.h"
#include "base/status.h"
#include "heddle/vec.h"

/// Rows first .. first + count - 1 of a matrix, each coupled with those at most `width` before and
/// after it; closed: the last with the first, too. What lies farther apart is left out.
typedef struct HedRowLine {
    int32_t first;
    int32_t count;
    int32_t width;
    bool is_closed;
    bool has_extra;
} HedRowLine;

/// An unknown that the matrix does not have, one for each row k of a line: eliminated, it takes
/// something off the stiffness of rows that may be far apart, but beside its row it fits into the
/// band. All zero: there is none at this row.
typedef struct HedLineExtra {
    double diagonal;
    double next; // couples it with that of row k + 1 (closed: around)
    HedVec3
        cross[4]; // with rows k - 1 .. k + 2; those beyond the ends of an open line are not read
} HedLineExtra;

/// Borrowed: lines stay as they are, the values of extras are read at each update.
typedef struct HedLineSet {
    const HedRowLine* line; // rising, without overlap
    int32_t line_count;
    const HedLineExtra* extra; // one per row of the matrix; NULL: no line has any
} HedLineSet;

#endif
