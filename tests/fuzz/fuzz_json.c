// SPDX-License-Identifier: MIT
// Reads JSON. Whatever is taken has a tree that hangs together; nothing leaks.
#include "base/json.h"
#include "fuzz/mesh_promises.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

static void check_tree(const HedJson* json) {
    int64_t children = 0;
    for (int32_t i = 0; i < json->node_count; ++i) {
        const HedJsonNode* node = json->nodes + i;
        int32_t count = 0;
        for (const HedJsonNode* c = hed_json_first(json, node); c; c = hed_json_next(json, c)) {
            promise(c > node && (c->key != NULL) == (node->kind == HED_JSON_OBJECT));
            ++count;
        }
        promise(count == node->child_count && node->line > 0 && node->column > 0);
        promise(node->kind != HED_JSON_TEXT || strlen(node->text) < SIZE_MAX);
        promise(isfinite(node->number));
        children += count;
    }
    promise(children == json->node_count - 1);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    HedJson json = {0};
    HedError error = {0};
    HedStatus status = hed_json_parse((const char*)data, size, "fuzz", &json, &error);
    promise((status != HED_OK) == (error.message[0] != '\0'));
    if (status == HED_OK) {
        check_tree(&json);
    }
    hed_json_free(&json);
    promise(hed_alloc_stats().live_count == 0);
    return 0;
}
