// SPDX-License-Identifier: MIT
// Status, error text, version, allocator and log hooks.
#ifndef HEDDLE_BASE_H
#define HEDDLE_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HED_VERSION_MAJOR 0
#define HED_VERSION_MINOR 1
#define HED_VERSION_PATCH 0

#if defined(_WIN32)
#define HED_API
#else
#define HED_API __attribute__((visibility("default")))
#endif

#if defined(__GNUC__)
#define HED_PRINTF(format_index, first_index)                                                      \
    __attribute__((format(printf, format_index, first_index)))
#else
#define HED_PRINTF(format_index, first_index)
#endif

#ifdef __cplusplus
extern "C" {
#endif

/// How a call ended. Numerical outcomes (a solver that gave up) are not errors: see HedReason.
typedef enum HedStatus {
    HED_OK = 0,
    HED_INVALID,     ///< A value given by the caller breaks a rule.
    HED_PARSE,       ///< A text or binary file is not what it should be.
    HED_NOT_FOUND,   ///< A file or a named thing does not exist.
    HED_EXISTS,      ///< A result is there already and would have been overwritten.
    HED_UNSUPPORTED, ///< Left out of this build, or not possible for this content.
    HED_IO,          ///< Reading or writing failed (disk full, permission).
    HED_NO_MEMORY,   ///< An allocation failed.
    HED_STOPPED,     ///< The caller asked to stop; what was done is kept.
    HED_STATUS_COUNT
} HedStatus;

enum { HED_ERROR_TEXT = 1024 };

/// Filled by a call that fails. Owned by the caller; every function accepts NULL for "no text
/// wanted".
typedef struct HedError {
    HedStatus status;
    char message[HED_ERROR_TEXT]; ///< Names the place, the rule and the value found. Never empty on
                                  ///< failure.
} HedError;

/// Short lower-case name of a status, such as "no memory". Never NULL.
HED_API const char* hed_status_name(HedStatus status);

/// "0.1.0"; a static string.
HED_API const char* hed_version(void);

/// One line that names version, compiler, thread support and linked libraries; a static string.
HED_API const char* hed_build_info(void);

/// What the allocator has done since the process started.
typedef struct HedAllocStats {
    int64_t live_count; ///< Blocks not yet freed.
    int64_t live_bytes;
    int64_t peak_bytes;
    int64_t call_count;   ///< Allocations asked for so far, failed ones included.
    int64_t limit_bytes;  ///< That may live at once; 0: no limit.
    int64_t beyond_bytes; ///< Size of the last block that there was no room for; 0: none.
} HedAllocStats;

HED_API HedAllocStats hed_alloc_stats(void);

/// Replaces malloc and free below heddle's allocator. Call before anything else; NULL restores the
/// C library's.
HED_API void hed_alloc_set_hooks(void* (*allocate)(size_t size, size_t alignment),
                                 void (*release)(void* block));

/// Blocks that would make more than so many bytes live are refused, as if there were no memory;
/// 0: no limit. A system that promises more memory than it has ends programs that believe it.
HED_API void hed_alloc_set_limit(int64_t bytes);

/// For tests: the n-th allocation from now on fails (1 is the next one); 0 switches this off.
HED_API void hed_alloc_fail_at(int64_t n);

typedef enum HedLogLevel { HED_LOG_DEBUG, HED_LOG_INFO, HED_LOG_WARNING } HedLogLevel;

/// Receives every message of the library. Default: none, the library never prints.
typedef void (*HedLogHook)(HedLogLevel level, const char* message, void* context);
HED_API void hed_log_set_hook(HedLogHook hook, void* context);

#ifdef __cplusplus
}
#endif

#endif
