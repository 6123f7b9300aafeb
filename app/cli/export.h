// SPDX-License-Identifier: MIT
// Writing runs and files as a page that shows them without any program behind it.
#ifndef CLI_EXPORT_H
#define CLI_EXPORT_H

#include "cli/options.h"

typedef struct ExportDef {
    CliList paths;
    const char* page;
    const char* frames;  // "A:B" or "last"; NULL for all
    int32_t every;       // 1 for all of these
    CliList quantities;  // none: all
    bool no_values;      // no quantities at all
    bool force;          // replace the page if it is there
    const char* way_out; // how the caller's options make a page smaller
    HedShowOptions show; // for files
} ExportDef;

ExportDef export_def_default(void);

/// The exit code, with everything said.
int export_page(const ExportDef* def);

#endif
