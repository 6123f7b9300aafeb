// SPDX-License-Identifier: MIT
#include "base/log.h"

#include <stdarg.h>
#include <stdio.h>

static HedLogHook log_hook = NULL;
static void* log_context = NULL;

void hed_log_set_hook(HedLogHook hook, void* context) {
    log_hook = hook;
    log_context = context;
}

void hed_log(HedLogLevel level, const char* format, ...) {
    if (!log_hook) {
        return;
    }
    char message[HED_ERROR_TEXT];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    log_hook(level, message, log_context);
}
