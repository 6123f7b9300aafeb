// SPDX-License-Identifier: MIT
// From files and overrides to one tree: includes, merging, "--set", and the list of files read.
#ifndef HED_SCENE_LOADER_H
#define HED_SCENE_LOADER_H

#include "base/array.h"
#include "scene/format.h"

enum { HED_INCLUDE_DEPTH = 8, HED_INCLUDE_COUNT = 64, HED_HASH_TEXT = 17 };

typedef struct HedLoader {
    HedPool* pool;
    HedError* error;
    const char* directory; ///< Where paths begin; NULL: no file may be read.
    int32_t include_count;
    HED_ARRAY(HedSceneFile) files; ///< Read so far, each once.
} HedLoader;

/// Copies text (a byte order mark at its start is left out); NULL if there is no memory.
HedSource* hed_source_create(HedPool* pool, const char* name, const char* data, size_t size);

/// Reads a file seen from the loader's directory and keeps its hash. A hash that is known already
/// must agree. Failures are told at place.
HedStatus hed_loader_read(HedLoader* loader, const char* path, HedLocation place, HedText* text);

/// Parses source and merges it over the files that it includes.
HedStatus hed_loader_tree(HedLoader* loader, const HedSource* source, HedNode** root);

/// Puts the value of "path=value" into the tree.
HedStatus hed_override_apply(HedPool* pool, HedNode* root, const char* text, HedError* error);

/// Mappings merge key by key, anything else of `over` replaces what base has.
void hed_node_merge(HedNode* base, HedNode* over);

/// The path of a file named in a source, seen from the scene's directory; NULL if there is no
/// memory.
const char* hed_source_path(HedPool* pool, const HedSource* source, const char* path);

#endif
