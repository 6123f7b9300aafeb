// SPDX-License-Identifier: MIT
// The header of a PLY file: which elements follow, and of which properties their rows consist.
#ifndef HED_IO_PLY_HEADER_H
#define HED_IO_PLY_HEADER_H

#include "base/array.h"
#include "base/text.h"

typedef enum HedPlyFormat { HED_PLY_ASCII, HED_PLY_LITTLE, HED_PLY_BIG } HedPlyFormat;

typedef enum HedPlyKind { HED_PLY_SIGNED, HED_PLY_UNSIGNED, HED_PLY_FLOAT } HedPlyKind;

typedef struct HedPlyType {
    const char* name;
    const char* alias;
    HedPlyKind kind;
    int32_t size; // bytes
} HedPlyType;

typedef struct HedPlyProperty {
    HedSpan name;
    const HedPlyType* type;       // of the value, or of the items of a list
    const HedPlyType* count_type; // of the length of a list; NULL for a single value
} HedPlyProperty;

typedef struct HedPlyElement {
    HedSpan name;
    int32_t row_count;
    int32_t first; // of its properties
    int32_t property_count;
    int32_t line; // where the header declares it
} HedPlyElement;

/// Spans point into the parsed bytes. Zero-initialise; free with hed_ply_header_free.
typedef struct HedPlyHeader {
    HedPlyFormat format;
    HED_ARRAY(HedPlyElement) elements;
    HED_ARRAY(HedPlyProperty) properties;
    HedTextLines lines; // stands before the first row
} HedPlyHeader;

HedStatus hed_ply_header_parse(const char* data, size_t size, const char* name,
                               HedPlyHeader* header, HedError* error);
void hed_ply_header_free(HedPlyHeader* header);

/// Index, or -1 if there is none.
int32_t hed_ply_find_element(const HedPlyHeader* header, const char* name);

/// Index counted from the element's first property, or -1 if there is none.
int32_t hed_ply_find_property(const HedPlyHeader* header, const HedPlyElement* element,
                              const char* name);

/// Fewest bytes that the rows of an element can take.
int64_t hed_ply_least_bytes(const HedPlyHeader* header, const HedPlyElement* element);

#endif
