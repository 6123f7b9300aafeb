// SPDX-License-Identifier: MIT
#include "server/page.h"

#include <stdint.h>

// page.html is what CMake found when it built the program; it is empty if there was no page. The
// assembler takes it in as it is: a megabyte as a C array would cost the compiler seconds.
__asm__(".section .rodata\n"
        ".hidden heddle_page\n"
        ".globl heddle_page\n"
        "heddle_page:\n"
        ".incbin \"page.html\"\n"
        "heddle_page_end:\n"
        ".byte 0\n"
        ".balign 8\n"
        ".hidden heddle_page_size\n"
        ".globl heddle_page_size\n"
        "heddle_page_size:\n"
        ".quad heddle_page_end - heddle_page\n"
        ".previous\n");

extern const char heddle_page[];
extern const uint64_t heddle_page_size;

static const char NO_PAGE[] =
    "<!doctype html>\n<html lang=\"en\"><meta charset=\"utf-8\"><title>heddle</title>\n"
    "<body style=\"font-family: sans-serif; margin: 3em\">\n"
    "<h1>heddle</h1>\n"
    "<p>This program was built without the viewer's page. The server works: "
    "<code>make</code> builds both.</p>\n</html>\n";

Page page_get(void) {
    size_t size = (size_t)heddle_page_size;
    return size > 0 ? (Page){heddle_page, size, true} : (Page){NO_PAGE, sizeof NO_PAGE - 1, false};
}
