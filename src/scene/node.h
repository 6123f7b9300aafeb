// SPDX-License-Identifier: MIT
// A YAML document as a tree of our own, in which every node knows its place; messages with places.
#ifndef HED_SCENE_NODE_H
#define HED_SCENE_NODE_H

#include "base/text.h"
#include "scene/pool.h"

/// Where text came from: a file, or the value of one override.
typedef struct HedSource {
    const char* name;   ///< File name for messages; of an override, "--set path=value".
    const char* prefix; ///< The file's directory, seen from the directory of the scene; "" for it.
    const char* text;   ///< text[size] is 0.
    size_t size;
    bool is_override; ///< Has no lines and columns.
} HedSource;

typedef struct HedLocation {
    const HedSource* source;
    int32_t line;   ///< From 1.
    int32_t column; ///< From 1, in characters.
} HedLocation;

typedef enum HedNodeKind { HED_NODE_SCALAR, HED_NODE_SEQUENCE, HED_NODE_MAPPING } HedNodeKind;

typedef struct HedNode HedNode;
struct HedNode {
    HedNodeKind kind;
    bool is_quoted; ///< A scalar in quotes or a block: never null.
    HedLocation place;
    const char* key; ///< In a mapping; NULL elsewhere.
    HedLocation key_place;
    const char* text; ///< Of a scalar; terminated, without NUL inside.
    int32_t size;     ///< Bytes of text.
    int32_t count;    ///< Children.
    HedNode* first;
    HedNode* last;
    HedNode* next;
};

/// Appends a child; key is NULL in a sequence.
void hed_node_append(HedNode* parent, HedNode* child);

/// The child of a mapping with this key, or NULL; NULL for anything but a mapping (NULL too).
HedNode* hed_node_child(const HedNode* node, const char* key);

/// Takes the child with this key out of a mapping and returns it; NULL if there is none.
HedNode* hed_node_remove(HedNode* node, const char* key);

/// Puts `fresh` where `old` was among the children of parent.
void hed_node_replace(HedNode* parent, HedNode* old, HedNode* fresh);

/// An unquoted scalar that says nothing: empty, ~ or null.
bool hed_node_is_null(const HedNode* node);

/// "a list", "a mapping", "nothing" or "'text'" for messages; returns buffer.
enum { HED_NODE_TEXT = 72 };
const char* hed_node_describe(const HedNode* node, char buffer[HED_NODE_TEXT]);

/// Copies text for a message: at most 60 bytes, cut at a character, controls shown as '?'.
const char* hed_text_shorten(const char* text, char buffer[HED_NODE_TEXT]);

/// "name:line:column: error: message", a hint line if hint is not NULL, the line and a caret if
/// they fit.
HedStatus hed_place_fail(HedError* error, HedLocation place, HedStatus status, const char* hint,
                         const char* format, ...) HED_PRINTF(5, 6);

/// "did you mean 'x'?" for the candidate nearest to word, or NULL if none is near. candidate
/// returns NULL after the last.
const char* hed_suggest(const char* word, const char* (*candidate)(const void*, int32_t),
                        const void* context, char buffer[HED_NODE_TEXT]);

#endif
