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

#if defined(HED_HAVE_EMBREE)
#define EMBREE ", Embree 3 (Apache-2.0)"
#else
#define EMBREE ""
#endif

#if defined(HED_HAVE_SPNG)
#define SPNG ", libspng (BSD-2-Clause)"
#else
#define SPNG ""
#endif

#if defined(HED_HAVE_CAIRO)
#define CAIRO ", cairo (LGPL-2.1)"
#else
#define CAIRO ""
#endif

#if defined(HED_HAVE_CHOLMOD)
#define CHOLMOD ", CHOLMOD (GPL-2+, and so this binary as a whole)"
#else
#define CHOLMOD ""
#endif

const char* hed_version(void) {
    return VERSION;
}

const char* hed_build_info(void) {
    return "heddle " VERSION " (MIT), " COMPILER ", " THREADS
           ", linked with libfyaml (MIT)" EMBREE SPNG CAIRO CHOLMOD;
}
