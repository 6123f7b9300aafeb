// SPDX-License-Identifier: MIT
// Knitting charts for info and convert.
#ifndef CLI_KNIT_H
#define CLI_KNIT_H

#include "cli/options.h"

/// Help of the option --knit, which fills a CliList.
#define CLI_KNIT_HELP                                                                              \
    "how a chart is knitted: diameter=LENGTH, loop=LENGTH (yarn in a plain stitch), count=COUNT, " \
    "points=N (per stitch), round=true"

/// Whether a path is a chart by its extension.
bool cli_is_chart(const char* path);

/// heddle info FILE.knit; each setting is KEY=VALUE.
int cli_knit_info(const char* path, const CliList* settings, bool as_json);

/// The yarns of FILE.knit, for convert.
int cli_knit_curves(const char* path, const CliList* settings, HedCurves* curves);

#endif
