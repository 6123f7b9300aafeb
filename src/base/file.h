// SPDX-License-Identifier: MIT
// Writing files so that a reader sees either the old content or the whole new one.
#ifndef HED_BASE_FILE_H
#define HED_BASE_FILE_H

#include "base/status.h"

/// A file being written under a temporary name beside its final one. Errors are kept until the
/// commit, so that callers write freely and check once. Zero-initialise; end with commit or
/// abandon.
typedef struct HedWriter {
    void* stream; // FILE*
    char* path;
    char* temporary;
    bool failed;
    int failure; // errno of the first failed write
} HedWriter;

HedStatus hed_writer_open(HedWriter* writer, const char* path, HedError* error);

/// The same for files that are heddle's own: a pipe or a device in their place is replaced, too,
/// and not waited for.
HedStatus hed_writer_replace(HedWriter* writer, const char* path, HedError* error);
void hed_writer_bytes(HedWriter* writer, const void* data, size_t size);
void hed_writer_print(HedWriter* writer, const char* format, ...) HED_PRINTF(2, 3);

/// Shortest round-trip text of a number (see hed_format_double).
void hed_writer_double(HedWriter* writer, double value);

/// Flushes to the disk and gives the file its final name; on failure removes it and says why.
HedStatus hed_writer_commit(HedWriter* writer, HedError* error);

/// Removes what was written. Harmless after a commit and on a zero-initialised writer.
void hed_writer_abandon(HedWriter* writer);

bool hed_file_exists(const char* path);
bool hed_file_is_directory(const char* path);

/// Whether two paths lead to one file or directory that is there.
bool hed_file_is_same(const char* a, const char* b);

/// Makes a directory, and its missing parents; one that is there already is fine.
HedStatus hed_directory_make(const char* path, HedError* error);

/// "a/b" from "a" and "b" (b alone if it is absolute). Allocated with hed_alloc; NULL if there is
/// no memory.
char* hed_path_join(const char* directory, const char* name);

/// The directory part of a path, "." if there is none. Allocated; NULL if there is no memory.
char* hed_path_directory(const char* path);

/// The part after the last dot of the last component, "" if there is none. Points into path.
const char* hed_path_extension(const char* path);

/// A copy on heddle's heap; NULL if there is no memory or text is NULL.
char* hed_text_copy(const char* text);

#endif
