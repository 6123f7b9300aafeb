// SPDX-License-Identifier: MIT
// Knitting charts and knitting instructions for info and convert.
#ifndef CLI_KNIT_H
#define CLI_KNIT_H

#include "cli/options.h"

/// Help of the option --knit, which fills a CliList.
#define CLI_KNIT_HELP                                                                              \
    "how a chart, instructions or a program is knitted: diameter=LENGTH, loop=LENGTH (yarn in a "  \
    "plain stitch), count=COUNT, points=N (per stitch), round=true"

/// Whether a path is a chart (.knit) or instructions (.ks) by its extension.
bool cli_is_chart(const char* path);

/// A def after settings, each KEY=VALUE. CLI_GO, or the exit code with everything said.
int cli_knit_def(const CliList* settings, HedKnitDef* def);

/// Gives a def without a yarn count that of cotton as thick as its diameter; whether it did.
bool cli_knit_assume_count(HedKnitDef* def);

/// heddle info FILE
int cli_knit_info(const char* path, const CliList* settings, bool as_json);

/// The yarns of a file, for convert.
int cli_knit_fabric(const char* path, const CliList* settings, HedFabric* fabric);

#endif
