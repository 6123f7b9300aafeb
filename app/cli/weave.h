// SPDX-License-Identifier: MIT
// Weave drafts for info and convert.
#ifndef CLI_WEAVE_H
#define CLI_WEAVE_H

#include "cli/options.h"

/// Help of the option --weave, which fills a CliList.
#define CLI_WEAVE_HELP                                                                             \
    "how a draft is woven: sett=20,18 (ends and picks per cm), warp=COUNT, weft=COUNT, ends=N, "   \
    "picks=N, points=N, selvedge=cut|turned, mirrored=true, periodic=true"

/// Whether a path is a draft by its extension.
bool cli_is_draft(const char* path);

/// A def after settings, each KEY=VALUE. CLI_GO, or the exit code with everything said.
int cli_weave_def(const CliList* settings, HedWeaveDef* def);

/// heddle info FILE.wif; each setting is KEY=VALUE.
int cli_weave_info(const char* path, const CliList* settings, bool as_json);

/// The yarns of FILE.wif, for convert. Notes go to stderr.
int cli_weave_fabric(const char* path, const CliList* settings, HedFabric* fabric);

#endif
