// SPDX-License-Identifier: MIT
// Garments for info and convert.
#ifndef CLI_GARMENT_H
#define CLI_GARMENT_H

#include "cli/common.h"

/// Target size (m) from the text of an option, the default of the library if it is NULL. False,
/// with everything said, if it is not a positive number.
bool cli_garment_size(const char* text, double* size);

/// heddle info FILE.json
int cli_garment_info(const char* path, double size, bool as_json);

/// How convert lays out a garment.
typedef struct CliGarmentLayout {
    double size;      ///< m, target size
    const char* sewn; ///< "placed" (NULL), "flat" or "welded"
    bool force;
} CliGarmentLayout;

/// heddle convert FILE.json OUT
int cli_garment_convert(const char* in, const char* out, const CliGarmentLayout* layout);

#endif
