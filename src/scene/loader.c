// SPDX-License-Identifier: MIT
#include "scene/loader.h"
#include "base/file.h"
#include "base/hash.h"
#include "scene/yaml.h"

#include <stdio.h>
#include <string.h>

// The files that are open above the present one.
typedef struct Frame {
    const char* path;
    const struct Frame* up;
    int32_t depth;
} Frame;

HedSource* hed_source_create(HedPool* pool, const char* name, const char* data, size_t size) {
    if (size >= 3 && memcmp(data, "\xEF\xBB\xBF", 3) == 0) {
        data += 3;
        size -= 3;
    }
    HedSource* source = HED_POOL_ARRAY(pool, HedSource, 1);
    char* name_copy = hed_pool_text(pool, name, strlen(name));
    char* text = hed_pool_text(pool, data, size);
    if (!source || !name_copy || !text) {
        return NULL;
    }
    *source = (HedSource){.name = name_copy, .prefix = "", .text = text, .size = size};
    return source;
}

const char* hed_source_path(HedPool* pool, const HedSource* source, const char* path) {
    bool alone = path[0] == '/' || source->prefix[0] == '\0';
    return alone ? hed_pool_text(pool, path, strlen(path))
                 : hed_pool_print(pool, "%s/%s", source->prefix, path);
}

// Remembers the file, or compares with what was remembered.
static HedStatus keep_hash(HedLoader* l, const char* path, HedLocation place, const HedText* text) {
    char hash[HED_HASH_TEXT];
    snprintf(hash, sizeof hash, "%016llx", (unsigned long long)hed_hash(0, text->data, text->size));
    for (int32_t i = 0; i < l->files.count; ++i) {
        const HedSceneFile* known = &l->files.data[i];
        if (strcmp(known->path, path) != 0) {
            continue;
        }
        if (strcmp(known->hash, hash) == 0) {
            return HED_OK;
        }
        return hed_place_fail(l->error, place, HED_PARSE, NULL,
                              "'%.300s' is not the file it was: hash %s, expected %.16s", path,
                              hash, known->hash);
    }
    HedSceneFile file = {.path = hed_pool_text(l->pool, path, strlen(path)),
                         .hash = hed_pool_text(l->pool, hash, strlen(hash))};
    bool kept = file.path && file.hash && HED_APPEND(&l->files, file);
    return kept ? HED_OK : hed_fail_memory(l->error, path);
}

HedStatus hed_loader_read(HedLoader* l, const char* path, HedLocation place, HedText* text) {
    *text = (HedText){0};
    if (!l->directory) {
        return hed_place_fail(l->error, place, HED_INVALID, NULL,
                              "files cannot be read from here ('%.200s')", path);
    }
    char* full = hed_path_join(l->directory, path);
    if (!full) {
        return hed_fail_memory(l->error, path);
    }
    HedError why;
    HedStatus status = hed_text_read(full, text, &why);
    hed_free(full);
    if (status == HED_NO_MEMORY) {
        return hed_fail_memory(l->error, path);
    }
    if (status != HED_OK) {
        return hed_place_fail(l->error, place, status, NULL, "cannot read %.400s", why.message);
    }
    status = keep_hash(l, path, place, text);
    if (status != HED_OK) {
        hed_text_free(text);
    }
    return status;
}

void hed_node_merge(HedNode* base, HedNode* over) {
    HedNode* child = over->first;
    while (child) {
        HedNode* next = child->next;
        HedNode* old = hed_node_child(base, child->key);
        if (!old) {
            hed_node_append(base, child);
        } else if (old->kind == HED_NODE_MAPPING && child->kind == HED_NODE_MAPPING) {
            old->place = child->place;
            old->key_place = child->key_place;
            hed_node_merge(old, child);
        } else {
            hed_node_replace(base, old, child);
        }
        child = next;
    }
}

// The name of an included file as the user would type it.
static const char* shown_name(HedLoader* l, const char* path) {
    bool alone = path[0] == '/' || strcmp(l->directory, ".") == 0;
    return alone ? path : hed_pool_print(l->pool, "%s/%s", l->directory, path);
}

static const char* directory_part(HedPool* pool, const char* path) {
    const char* slash = strrchr(path, '/');
    size_t size = slash ? (size_t)(slash - path) : 0;
    return hed_pool_text(pool, path, slash == path ? 1 : size);
}

static HedStatus load_tree(HedLoader* l, const HedSource* source, const Frame* up, HedNode** root);

static HedStatus load_include(HedLoader* l, const char* name, HedLocation place, const Frame* frame,
                              HedNode** root) {
    const char* path = hed_source_path(l->pool, place.source, name);
    if (!path) {
        return hed_fail_memory(l->error, name);
    }
    for (const Frame* f = frame; f; f = f->up) {
        if (strcmp(f->path, path) == 0) {
            return hed_place_fail(l->error, place, HED_PARSE, NULL,
                                  "'%.300s' includes itself, directly or through others", path);
        }
    }
    if (frame->depth >= HED_INCLUDE_DEPTH) {
        return hed_place_fail(l->error, place, HED_PARSE, NULL,
                              "files are included more than %d levels deep", HED_INCLUDE_DEPTH);
    }
    if (++l->include_count > HED_INCLUDE_COUNT) {
        return hed_place_fail(l->error, place, HED_PARSE, NULL, "more than %d files are included",
                              HED_INCLUDE_COUNT);
    }
    HedText text;
    HedStatus status = hed_loader_read(l, path, place, &text);
    if (status != HED_OK) {
        return status;
    }
    const char* shown = shown_name(l, path);
    HedSource* source = shown ? hed_source_create(l->pool, shown, text.data, text.size) : NULL;
    hed_text_free(&text);
    if (source) {
        source->prefix = directory_part(l->pool, path);
    }
    if (!source || !source->prefix) {
        return hed_fail_memory(l->error, path);
    }
    Frame below = {.path = path, .up = frame, .depth = frame->depth + 1};
    return load_tree(l, source, &below, root);
}

// Merges the files named by a removed `include` key into base, in order.
static HedStatus merge_includes(HedLoader* l, HedNode* include, const Frame* frame, HedNode* base) {
    HedNode alone = {.kind = HED_NODE_MAPPING, .place = include->place};
    hed_node_append(&alone, include);
    HedList names = {0};
    HedStatus status = hed_schema_read(&hed_include_table, &alone, l->pool, &names, l->error);
    const HedNode* item = include->first;
    for (int32_t i = 0; i < names.count && status == HED_OK; ++i, item = item->next) {
        HedNode* tree = NULL;
        status = load_include(l, ((const char**)names.data)[i], item->place, frame, &tree);
        if (status == HED_OK) {
            hed_node_merge(base, tree);
        }
    }
    return status;
}

static HedStatus load_tree(HedLoader* l, const HedSource* source, const Frame* up, HedNode** root) {
    HedNode* tree = NULL;
    HedStatus status = hed_yaml_parse(source, l->pool, &tree, l->error);
    if (status != HED_OK) {
        return status;
    }
    if (tree->kind != HED_NODE_MAPPING) {
        char found[HED_NODE_TEXT];
        return hed_place_fail(l->error, tree->place, HED_PARSE, NULL,
                              "a scene is a mapping (key: value), got %s",
                              hed_node_describe(tree, found));
    }
    HedNode* include = hed_node_remove(tree, "include");
    if (!include) {
        *root = tree;
        return HED_OK;
    }
    if (hed_node_child(tree, "directory")) {
        return hed_place_fail(l->error, include->key_place, HED_PARSE, NULL,
                              "'include' and 'directory' exclude each other");
    }
    HedNode* base = HED_POOL_ARRAY(l->pool, HedNode, 1);
    if (!base) {
        return hed_fail_memory(l->error, source->name);
    }
    *base = (HedNode){.kind = HED_NODE_MAPPING, .place = tree->place};
    status = merge_includes(l, include, up, base);
    if (status == HED_OK) {
        hed_node_merge(base, tree);
        *root = base;
    }
    return status;
}

HedStatus hed_loader_tree(HedLoader* loader, const HedSource* source, HedNode** root) {
    // The scene's own name, seen from its own directory, so that it cannot include itself.
    const char* slash = strrchr(source->name, '/');
    Frame top = {.path = slash ? slash + 1 : source->name};
    return load_tree(loader, source, &top, root);
}
