// SPDX-License-Identifier: MIT
// Garments for info and convert.
#ifndef CLI_GARMENT_H
#define CLI_GARMENT_H

#include "cli/common.h"

/// heddle info FILE.json; size is the target size (m), 0 for the default of the library.
int cli_garment_info(const char* path, double size, bool as_json);

/// How convert lays out a garment.
typedef struct CliGarmentLayout {
    double size;      ///< m, target size; 0 for the default
    const char* sewn; ///< "placed" (NULL), "flat" or "welded"
    bool force;
} CliGarmentLayout;

/// heddle convert FILE.json OUT
int cli_garment_convert(const char* in, const char* out, const CliGarmentLayout* layout);

#endif
