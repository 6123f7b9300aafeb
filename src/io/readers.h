// SPDX-License-Identifier: MIT
// Which reader takes a file: by its extension. Meshes and curves have a table of readers each.
#ifndef HED_IO_READERS_H
#define HED_IO_READERS_H

#include "base/status.h"

/// Bytes of a file and what messages call it.
typedef struct HedInput {
    const char* data; ///< Not NULL, even if there are none.
    size_t size;      ///< At most 2 GiB.
    const char* name;
} HedInput;

typedef struct HedReader {
    const char* extension;
    HedStatus (*parse)(HedInput input, void* out, HedError* error);
    bool is_text; ///< Never binary: bytes that are no text are refused.
} HedReader;

typedef struct HedReaders {
    const char* what;    ///< "meshes"
    const char* formats; ///< "obj and ply"
    const HedReader* list;
    int32_t count;
} HedReaders;

/// Parses input of a format (an extension) into out, whose type the readers know.
HedStatus hed_readers_parse(const HedReaders* readers, HedInput input, const char* format,
                            void* out, HedError* error);

/// The same for a file; a format that is not known is refused before the file is opened.
HedStatus hed_readers_load(const HedReaders* readers, const char* path, void* out, HedError* error);

#endif
