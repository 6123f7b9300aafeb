// SPDX-License-Identifier: MIT
// JSON read strictly (RFC 8259) into a tree whose nodes know their line and column.
#ifndef HED_BASE_JSON_H
#define HED_BASE_JSON_H

#include "base/status.h"

typedef enum HedJsonKind {
    HED_JSON_NULL,
    HED_JSON_BOOL,
    HED_JSON_NUMBER,
    HED_JSON_TEXT,
    HED_JSON_ARRAY,
    HED_JSON_OBJECT,
    HED_JSON_KIND_COUNT
} HedJsonKind;

/// "null", "true or false", "a number", "a text", "a list", "an object"; a static string.
const char* hed_json_kind_name(HedJsonKind kind);

typedef struct HedJsonNode {
    HedJsonKind kind;
    bool truth;           ///< Of HED_JSON_BOOL.
    int32_t line, column; ///< Where the value begins; both count from 1, columns in bytes.
    double number;        ///< Of HED_JSON_NUMBER; finite.
    const char* text;     ///< Of HED_JSON_TEXT, UTF-8 without zero bytes inside.
    const char* key;      ///< Name in its object; NULL elsewhere.
    int32_t child;        ///< First value of a list or an object; -1 for none.
    int32_t next;         ///< Next value of the same parent; -1 for none.
    int32_t child_count;
} HedJsonNode;

/// Zero-initialise; free with hed_json_free. nodes[0] is the whole text.
typedef struct HedJson {
    HedJsonNode* nodes;
    int32_t node_count;
    char* pool; // all texts and keys
} HedJson;

enum { HED_JSON_DEPTH = 64 };

/// Reads one value that fills the text but for blanks. Refused with name:line:column: what is not
/// JSON (comments, trailing commas, NaN), numbers beyond a double, keys given twice, text that is
/// not UTF-8, more than HED_JSON_DEPTH levels. The data is not kept. On failure json is empty.
HedStatus hed_json_parse(const char* data, size_t size, const char* name, HedJson* json,
                         HedError* error);
void hed_json_free(HedJson* json);

/// First value of a list or an object, NULL if there is none; and the one after it.
static inline const HedJsonNode* hed_json_first(const HedJson* json, const HedJsonNode* node) {
    return node->child < 0 ? NULL : json->nodes + node->child;
}

static inline const HedJsonNode* hed_json_next(const HedJson* json, const HedJsonNode* node) {
    return node->next < 0 ? NULL : json->nodes + node->next;
}

/// The member of an object with that key; NULL if there is none or node is NULL or no object.
const HedJsonNode* hed_json_member(const HedJson* json, const HedJsonNode* node, const char* key);

#endif
