// SPDX-License-Identifier: MIT
#ifndef HED_BASE_LOG_H
#define HED_BASE_LOG_H

#include "heddle/base.h"

/// Hands a message to the hook, if there is one. Threads may call it one at a time.
void hed_log(HedLogLevel level, const char* format, ...) HED_PRINTF(2, 3);

#endif
