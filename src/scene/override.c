// SPDX-License-Identifier: MIT
// "sheets.cloth.density=200 g/m^2": one value put into the tree by its path.
#include "scene/loader.h"
#include "scene/yaml.h"

#include <string.h>

typedef struct Override {
    HedPool* pool;
    HedError* error;
    HedLocation place; // the whole override
} Override;

static const char* candidate_element(const void* context, int32_t index) {
    enum { MANY = 1000 }; // each call walks the list: suggestions are not worth more
    const HedNode* list = context;
    if (index >= MANY) {
        return NULL;
    }
    for (const HedNode* item = list->first; item; item = item->next) {
        const HedNode* name = hed_node_child(item, "name");
        if (name && name->kind == HED_NODE_SCALAR && index-- == 0) {
            return name->text;
        }
    }
    return NULL;
}

// An element of a list by its index or its name.
static HedStatus find_element(const Override* o, HedNode* list, const char* word, HedNode** found) {
    bool is_index = strspn(word, "0123456789") == strlen(word);
    int64_t wanted = -1;
    if (is_index && !hed_span_int64((HedSpan){word, (int32_t)strlen(word)}, &wanted)) {
        wanted = INT32_MAX;
    }
    int64_t index = 0;
    for (HedNode* item = list->first; item; item = item->next, ++index) {
        const HedNode* name = hed_node_child(item, "name");
        bool is_named = name && name->kind == HED_NODE_SCALAR && strcmp(name->text, word) == 0;
        if (is_index ? index == wanted : is_named) {
            *found = item;
            return HED_OK;
        }
    }
    char hint[HED_NODE_TEXT];
    char shown[HED_NODE_TEXT];
    hed_text_shorten(word, shown);
    if (is_index) {
        return hed_place_fail(o->error, o->place, HED_PARSE, NULL,
                              "there is no element %s: the list has %d, counted from 0", shown,
                              (int)list->count);
    }
    return hed_place_fail(o->error, o->place, HED_PARSE,
                          hed_suggest(word, candidate_element, list, hint),
                          "no element of the list has the name '%s'", shown);
}

static HedNode* make_mapping(const Override* o, const char* key) {
    HedNode* node = HED_POOL_ARRAY(o->pool, HedNode, 1);
    if (node) {
        *node = (HedNode){
            .kind = HED_NODE_MAPPING, .place = o->place, .key = key, .key_place = o->place};
    }
    return node;
}

// Goes from a node into what `word` names, making mappings on the way.
static HedStatus descend(const Override* o, HedNode* node, const char* word, HedNode** inside) {
    if (node->kind == HED_NODE_SEQUENCE) {
        return find_element(o, node, word, inside);
    }
    HedNode* child = hed_node_child(node, word);
    if (!child) {
        child = make_mapping(o, word);
        if (!child) {
            return hed_fail_memory(o->error, "an override");
        }
        hed_node_append(node, child);
    } else if (hed_node_is_null(child)) {
        child->kind = HED_NODE_MAPPING;
        child->place = o->place;
    }
    *inside = child;
    return HED_OK;
}

static HedStatus refuse_scalar(const Override* o, const char* word) {
    char shown[HED_NODE_TEXT];
    return hed_place_fail(o->error, o->place, HED_PARSE, NULL,
                          "'%s' cannot be set inside a plain value", hed_text_shorten(word, shown));
}

static HedStatus put_value(const Override* o, HedNode* node, const char* word, HedNode* value) {
    if (node->kind == HED_NODE_SCALAR) {
        return refuse_scalar(o, word);
    }
    HedNode* old = NULL;
    if (node->kind == HED_NODE_SEQUENCE) {
        HedStatus status = find_element(o, node, word, &old);
        if (status != HED_OK) {
            return status;
        }
    } else {
        old = hed_node_child(node, word);
        value->key = word;
        value->key_place = o->place;
    }
    if (old) {
        hed_node_replace(node, old, value);
    } else {
        hed_node_append(node, value);
    }
    return HED_OK;
}

// Walks down `path`, whose dots it replaces by ends of text.
static HedStatus put_at(const Override* o, HedNode* root, char* path, HedNode* value) {
    HedNode* node = root;
    int32_t depth = 0;
    for (char* word = path;;) {
        char* dot = strchr(word, '.');
        if (dot) {
            *dot = '\0';
        }
        if (word[0] == '\0' || ++depth > HED_YAML_DEPTH) {
            return hed_place_fail(o->error, o->place, HED_PARSE, NULL,
                                  "expected path=value with a path such as sheets.0.density");
        }
        if (!dot) {
            return put_value(o, node, word, value);
        }
        if (node->kind == HED_NODE_SCALAR) {
            return refuse_scalar(o, word);
        }
        HedStatus status = descend(o, node, word, &node);
        if (status != HED_OK) {
            return status;
        }
        word = dot + 1;
    }
}

HedStatus hed_override_apply(HedPool* pool, HedNode* root, const char* text, HedError* error) {
    char shown[HED_NODE_TEXT];
    char* name = hed_pool_print(pool, "--set %s", hed_text_shorten(text, shown));
    const char* equals = strchr(text, '=');
    const char* data = equals ? equals + 1 : "";
    HedSource* source = name ? hed_source_create(pool, name, data, strlen(data)) : NULL;
    char* path = hed_pool_text(pool, text, equals ? (size_t)(equals - text) : 0);
    if (!source || !path) {
        return hed_fail_memory(error, "an override");
    }
    source->is_override = true;
    Override o = {.pool = pool, .error = error, .place = {source, 1, 1}};
    if (!equals) {
        return hed_place_fail(error, o.place, HED_PARSE, NULL,
                              "expected path=value with a path such as sheets.0.density");
    }
    if (strcmp(path, "include") == 0) {
        return hed_place_fail(error, o.place, HED_PARSE, NULL, "'include' cannot be set");
    }
    HedNode* value = NULL;
    HedStatus status = hed_yaml_parse(source, pool, &value, error);
    return status == HED_OK ? put_at(&o, root, path, value) : status;
}
