// SPDX-License-Identifier: MIT
// Knitout programs for info and convert.
#ifndef CLI_KNITOUT_H
#define CLI_KNITOUT_H

#include "cli/options.h"

/// Whether a path is a knitout program by its extension.
bool cli_is_knitout(const char* path);

/// heddle info FILE.k; each setting is KEY=VALUE of --knit.
int cli_knitout_info(const char* path, const CliList* settings, bool as_json);

/// The yarns of FILE.k, for convert. Notes go to stderr.
int cli_knitout_fabric(const char* path, const CliList* settings, HedFabric* fabric);

#endif
