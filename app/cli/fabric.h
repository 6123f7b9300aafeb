// SPDX-License-Identifier: MIT
// Files that are woven or knitted, for convert: their yarns, which come to rest if it is asked for.
#ifndef CLI_FABRIC_H
#define CLI_FABRIC_H

#include "cli/common.h"
#include "cli/options.h"

/// Help of the option --relax-set, which fills a CliList.
#define CLI_RELAX_HELP                                                                             \
    "how a fabric comes to rest: friction=X, shrink=X, stretch=X, contact=X, plates=X, force=X, "  \
    "speed=X, iterations=N (docs/relax.md); asks for --relax"

typedef struct CliFabricOptions {
    CliList weave; ///< KEY=VALUE each: how a draft is woven,
    CliList knit;  ///< how anything else is knitted,
    CliList rest;  ///< and how it comes to rest.
    bool relax;
} CliFabricOptions;

/// Whether a path is a draft, a chart, instructions or a program by its extension.
bool cli_is_fabric(const char* path);

/// Whether relaxation is asked for.
bool cli_fabric_relaxes(const CliFabricOptions* options);

/// The yarns of such a file. Notes go to stderr. CLI_GO, or the exit code with everything said.
int cli_fabric_curves(const char* path, const CliFabricOptions* options, HedCurves* curves);

#endif
