// SPDX-License-Identifier: MIT
// Knitout programs and knitting instructions for info and convert.
#ifndef CLI_KNITOUT_H
#define CLI_KNITOUT_H

#include "cli/common.h"

/// Whether a path is a knitout program by its extension.
bool cli_is_knitout(const char* path);

/// Whether it is knitting instructions.
bool cli_is_knitspeak(const char* path);

/// heddle info FILE.ks
int cli_knitspeak_info(const char* path, bool as_json);

/// heddle info FILE.k
int cli_knitout_info(const char* path, bool as_json);

/// The yarns of FILE.k or FILE.ks, for convert; diameter in m, 0 for the default. Notes go to
/// stderr.
int cli_knitout_curves(const char* path, double diameter, HedCurves* curves);

#endif
