// SPDX-License-Identifier: MIT
// Bounding boxes in what verbs print.
#ifndef CLI_BOX_H
#define CLI_BOX_H

#include "cli/common.h"
#include "cli/json.h"

/// Zero-initialise; empty until something was added.
typedef struct Box {
    HedVec3 low, high; // m
    bool has_points;
} Box;

void box_add(Box* box, const HedVec3* points, int32_t count);
void box_join(Box* box, const Box* other);

/// "box       LABEL: x y z to x y z m, size x y z m" on a line; nothing for an empty box. label
/// NULL: none.
void box_print(const Box* box, const char* label);

/// Members low, high and size of the object at hand, or of one named by key; nothing for an empty
/// box.
void box_put(Json* json, const char* key, const Box* box);

#endif
