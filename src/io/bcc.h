// SPDX-License-Identifier: MIT
// Binary curve collections (.bcc): a header, then per curve a count and that many points. A
// negative count marks a closed curve. All little-endian.
#ifndef HED_IO_BCC_H
#define HED_IO_BCC_H

#include <stdint.h>

// Numbers are copied between file and memory as they stand.
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "curve collections are little-endian");

typedef struct HedBccHeader {
    char magic[3];        // "BCC"
    uint8_t number_sizes; // bytes of an integer and of a float, four bits each
    char curve_type[2];   // "C0": uniform Catmull-Rom
    uint8_t dimension_count;
    uint8_t up_axis; // 0, 1, 2 for x, y, z
    uint64_t curve_count;
    uint64_t point_count; // of all curves
    char text[40];        // free, padded with zeros
} HedBccHeader;
_Static_assert(sizeof(HedBccHeader) == 64, "the header has no holes");

typedef struct HedBccPoint {
    float x[3];
} HedBccPoint;
_Static_assert(sizeof(HedBccPoint) == 12, "points are three floats");

enum { HED_BCC_SIZES = 0x44 };

#endif
