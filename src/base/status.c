// SPDX-License-Identifier: MIT
// lint: allow fprintf abort, a broken assumption of ours must not go unseen; only in test builds
#define _POSIX_C_SOURCE 200809L // strnlen
#include "base/status.h"
#include "base/alloc.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#undef hed_fail // defined only while code is analysed
#undef hed_fail_memory

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
    HedAllocStats stats = hed_alloc_stats();
    if (stats.beyond_bytes == 0) {
        return hed_fail(error, HED_NO_MEMORY, "no memory for %s", what);
    }
    return hed_fail(error, HED_NO_MEMORY, "no memory for %s: %.3g GB more than the %.3g GB in use",
                    what, 1e-9 * (double)stats.beyond_bytes, 1e-9 * (double)stats.live_bytes);
}

HedStatus hed_fail_prefix(HedError* error, HedStatus status, const char* format, ...) {
    if (status == HED_OK || !error) {
        return status;
    }
    char prefix[HED_ERROR_TEXT / 2];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(prefix, sizeof prefix, format, arguments);
    va_end(arguments);
    size_t size = strlen(prefix);
    size_t kept = strnlen(error->message, sizeof error->message - size - 1);
    memmove(error->message + size, error->message, kept);
    memcpy(error->message, prefix, size);
    error->message[size + kept] = '\0';
    return status;
}

#if defined(HED_ENABLE_ASSERTS)
void hed_assert_failed(const char* expression, const char* file, int line) {
    fprintf(stderr, "%s:%d: broken assumption: %s\n", file, line, expression);
    abort();
}
#endif
