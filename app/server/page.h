// SPDX-License-Identifier: MIT
// The viewer's page, carried inside the program.
#ifndef SERVER_PAGE_H
#define SERVER_PAGE_H

#include <stdbool.h>
#include <stddef.h>

typedef struct Page {
    const char* text;
    size_t size;
    bool is_viewer; // false: only a text that says that this build has none
} Page;

Page page_get(void);

#endif
