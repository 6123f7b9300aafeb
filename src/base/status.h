// SPDX-License-Identifier: MIT
// Reporting failure: fill the caller's HedError and return its status.
#ifndef HED_BASE_STATUS_H
#define HED_BASE_STATUS_H

#include "heddle/base.h"

/// Fills error (NULL allowed) and returns status, so that a failure is one `return` statement.
HedStatus hed_fail(HedError* error, HedStatus status, const char* format, ...) HED_PRINTF(3, 4);

/// HED_NO_MEMORY with the name of what did not fit.
HedStatus hed_fail_memory(HedError* error, const char* what);

/// Puts a prefix before the message of a failure that is being passed on; returns status. HED_OK
/// changes nothing.
HedStatus hed_fail_prefix(HedError* error, HedStatus status, const char* format, ...)
    HED_PRINTF(3, 4);

#if defined(__clang_analyzer__)
// The analyser does not look into status.c: this tells it that what was given comes back.
#define hed_fail(error, status, ...) (hed_fail((error), (status), __VA_ARGS__), (status))
#define hed_fail_memory(error, what) (hed_fail_memory((error), (what)), HED_NO_MEMORY)
#endif

/// Calls, keeps the status in a local `status`, and leaves by the label `done` on failure.
#define HED_TRY(call)                                                                              \
    do {                                                                                           \
        status = (call);                                                                           \
        if (status != HED_OK) {                                                                    \
            goto done;                                                                             \
        }                                                                                          \
    } while (0)

/// A bug of ours. On in debug builds and in optimised test builds (HED_ENABLE_ASSERTS).
#if defined(HED_ENABLE_ASSERTS)
_Noreturn void hed_assert_failed(const char* expression, const char* file, int line);
#define HED_ASSERT(expression)                                                                     \
    ((expression) ? (void)0 : hed_assert_failed(#expression, __FILE__, __LINE__))
#else
#define HED_ASSERT(expression) ((void)sizeof(expression))
#endif

#endif
