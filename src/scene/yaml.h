// SPDX-License-Identifier: MIT
// YAML text to a tree of nodes. The part of YAML that is taken: mappings, lists, scalars in every
// style, comments, one document. Anchors, aliases, tags and merge keys are refused.
#ifndef HED_SCENE_YAML_H
#define HED_SCENE_YAML_H

#include "scene/node.h"

enum {
    HED_YAML_SIZE = 4 << 20, ///< bytes
    HED_YAML_DEPTH = 64,
    HED_YAML_NODES = 1000000,
    HED_YAML_KEYS = 256, ///< In one mapping.
};

/// Reads source->text. Nodes live in pool and point to source.
HedStatus hed_yaml_parse(const HedSource* source, HedPool* pool, HedNode** root, HedError* error);

#endif
