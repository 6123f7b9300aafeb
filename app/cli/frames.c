// SPDX-License-Identifier: MIT
#include "cli/frames.h"

#include <inttypes.h>
#include <string.h>

static bool parse(const char* text, int32_t count, int64_t* first, int64_t* last) {
    const char* colon = strchr(text, ':');
    *first = 0;
    *last = count - 1;
    if (strcmp(text, "last") == 0) {
        *first = *last;
        return true;
    }
    if (!colon) {
        bool ok = cli_integer(text, 0, INT32_MAX, first);
        *last = *first;
        return ok;
    }
    char start[16] = "";
    size_t size = (size_t)(colon - text);
    if (size >= sizeof start) {
        return false;
    }
    memcpy(start, text, size);
    return (size == 0 || cli_integer(start, 0, INT32_MAX, first)) &&
           (!colon[1] || strcmp(colon + 1, "last") == 0 ||
            cli_integer(colon + 1, 0, INT32_MAX, last));
}

int cli_frames(const char* text, int32_t count, int32_t* first, int32_t* last) {
    int64_t a = 0;
    int64_t b = 0;
    if (!parse(text, count, &a, &b) || a > b) {
        return cli_fail(CLI_BAD_INPUT, "--frame needs N, last or A:B, got '%s'", text);
    }
    if (b >= count) {
        return cli_fail(CLI_BAD_INPUT, "--frame %s: there are frames 0 to %" PRId32, text,
                        count - 1);
    }
    *first = (int32_t)a;
    *last = (int32_t)b;
    return CLI_GO;
}
