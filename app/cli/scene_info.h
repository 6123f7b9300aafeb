// SPDX-License-Identifier: MIT
// Scenes for info.
#ifndef CLI_SCENE_INFO_H
#define CLI_SCENE_INFO_H

#include "cli/common.h"

/// heddle info FILE.yaml: at once, also if its fabrics have not come to rest yet.
int cli_scene_info(const char* path, bool as_json);

#endif
