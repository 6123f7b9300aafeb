// SPDX-License-Identifier: MIT
// A page with data inside being written: text as it is, messages in base64. It gets its name when
// it is whole.
#ifndef CLI_PAGE_FILE_H
#define CLI_PAGE_FILE_H

#include "cli/common.h"

#include <stdio.h>

/// Errors are kept until the commit. Zero-initialise; end with commit or abandon.
typedef struct PageFile {
    FILE* stream;
    const char* path; // borrowed
    char* temporary;  // beside it
    int failure;      // errno of the first write that failed
    int64_t size;     // bytes written
    uint8_t carry[3]; // bytes that wait to be three
    int carry_count;
} PageFile;

typedef enum PageMessage { PAGE_TEXT = 0, PAGE_BINARY = 1 } PageMessage;

/// CLI_GO, or the exit code with everything said.
int page_file_open(PageFile* file, const char* path, bool force);

void page_file_text(PageFile* file, const char* text, size_t size);

/// One message of the data: its length, its kind, its bytes (docs/protocol.md).
void page_file_message(PageFile* file, PageMessage kind, const void* data, size_t size);
void page_file_end_data(PageFile* file);

/// CLI_DONE, or the exit code with everything said and nothing left behind.
int page_file_commit(PageFile* file);

/// Removes what was written. Harmless after a commit.
void page_file_abandon(PageFile* file);

#endif
