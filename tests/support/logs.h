// SPDX-License-Identifier: MIT
// What the library says in its log, kept for tests of notes.
#ifndef TESTS_SUPPORT_LOGS_H
#define TESTS_SUPPORT_LOGS_H

#include "heddle/base.h"

#include <stdio.h>
#include <string.h>

/// A line for each message since logs_begin.
static char logs[4 * HED_ERROR_TEXT];

static inline void logs_keep(HedLogLevel level, const char* message, void* context) {
    (void)level;
    (void)context;
    size_t used = strlen(logs);
    snprintf(logs + used, sizeof logs - used, "%s\n", message);
}

static inline void logs_begin(void) {
    logs[0] = '\0';
    hed_log_set_hook(logs_keep, NULL);
}

#endif
