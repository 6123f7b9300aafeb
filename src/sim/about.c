// SPDX-License-Identifier: MIT
// What this build of heddle is.
#include "heddle/base.h"

#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)
#define VERSION TEXT(HED_VERSION_MAJOR) "." TEXT(HED_VERSION_MINOR) "." TEXT(HED_VERSION_PATCH)

#if defined(_OPENMP)
#define THREADS "OpenMP threads"
#else
#define THREADS "one thread"
#endif

#if defined(__clang__)
#define COMPILER "clang " __clang_version__
#else
#define COMPILER "gcc " __VERSION__
#endif

const char* hed_version(void) {
    return VERSION;
}

const char* hed_build_info(void) {
    return "heddle " VERSION " (MIT), " COMPILER ", " THREADS ", linked with libfyaml (MIT)";
}
