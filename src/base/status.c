// SPDX-License-Identifier: MIT
// lint: allow fprintf abort, a broken assumption of ours must not go unseen; only in test builds
#include "base/status.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char* hed_status_name(HedStatus status) {
    static const char* const NAMES[HED_STATUS_COUNT] = {
        [HED_OK] = "ok",
        [HED_INVALID] = "invalid value",
        [HED_PARSE] = "parse error",
        [HED_NOT_FOUND] = "not found",
        [HED_EXISTS] = "exists already",
        [HED_UNSUPPORTED] = "unsupported",
        [HED_IO] = "input/output error",
        [HED_NO_MEMORY] = "no memory",
        [HED_STOPPED] = "stopped",
    };
    return (unsigned)status < HED_STATUS_COUNT ? NAMES[status] : "unknown status";
}

HedStatus hed_fail(HedError* error, HedStatus status, const char* format, ...) {
    if (error) {
        // By way of a copy: the arguments may point into the old message, which is being wrapped.
        char message[HED_ERROR_TEXT];
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(message, sizeof message, format, arguments);
        va_end(arguments);
        memcpy(error->message, message, sizeof message);
        error->status = status;
    }
    return status;
}

HedStatus hed_fail_memory(HedError* error, const char* what) {
    return hed_fail(error, HED_NO_MEMORY, "no memory for %s", what);
}

#if defined(HED_ENABLE_ASSERTS)
void hed_assert_failed(const char* expression, const char* file, int line) {
    fprintf(stderr, "%s:%d: broken assumption: %s\n", file, line, expression);
    abort();
}
#endif
