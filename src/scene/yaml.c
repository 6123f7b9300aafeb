// SPDX-License-Identifier: MIT
// The only file that includes libfyaml. It reads events, not documents: the tree, its limits and
// its messages are ours, and no alias is ever expanded.
#include "scene/yaml.h"

#include <libfyaml.h>
#include <string.h>

typedef struct NodeBuilder {
    const HedSource* source;
    HedPool* pool;
    HedError* error;
    HedNode* root;
    HedNode* open[HED_YAML_DEPTH];
    int32_t depth;
    int32_t node_count;
    int32_t document_count;
    const char* key; // read, still without its value
    HedLocation key_place;
    HedLocation last; // of the last thing that had a place
} NodeBuilder;

#define FAIL(b, place, ...) hed_place_fail((b)->error, (place), HED_PARSE, NULL, __VA_ARGS__)

// Length of the UTF-8 character at s, or 0: overlong forms, surrogates and numbers above 10FFFF
// are none.
static size_t character_size(const unsigned char* s, size_t left) {
    if (s[0] < 0x80) {
        return 1;
    }
    size_t size = s[0] >= 0xF0 ? 4 : s[0] >= 0xE0 ? 3 : 2;
    if (s[0] < 0xC2 || s[0] > 0xF4 || left < size) {
        return 0;
    }
    for (size_t i = 1; i < size; ++i) {
        if ((s[i] & 0xC0) != 0x80) {
            return 0;
        }
    }
    bool overlong = (s[0] == 0xE0 && s[1] < 0xA0) || (s[0] == 0xF0 && s[1] < 0x90);
    bool outside = (s[0] == 0xED && s[1] >= 0xA0) || (s[0] == 0xF4 && s[1] >= 0x90);
    return overlong || outside ? 0 : size;
}

// Nothing but UTF-8 text without control characters reaches the library.
static HedStatus check_bytes(NodeBuilder* b) {
    const unsigned char* s = (const unsigned char*)b->source->text;
    HedLocation place = {b->source, 1, 1};
    for (size_t i = 0; i < b->source->size;) {
        size_t size = character_size(s + i, b->source->size - i);
        if (size == 0) {
            return FAIL(b, place, "byte 0x%02X is not UTF-8 text", s[i]);
        }
        bool is_break = s[i] == '\n' || s[i] == '\r';
        if ((s[i] < ' ' && !is_break && s[i] != '\t') || s[i] == 0x7F) {
            return FAIL(b, place, "control character 0x%02X is not allowed", s[i]);
        }
        bool ends_line = s[i] == '\n' || (s[i] == '\r' && s[i + 1] != '\n');
        place.line += ends_line;
        place.column = is_break ? 1 : place.column + 1;
        i += size;
    }
    return HED_OK;
}

// The library reads on to the end of all open brackets before it gives the first of them, so that
// a file of brackets costs it gigabytes. Brackets in comments and quotes count here too; the limit
// leaves room for them.
static HedStatus check_brackets(NodeBuilder* b) {
    enum { LIMIT = 1000 };
    HedLocation place = {b->source, 1, 1};
    int32_t depth = 0;
    for (const char* c = b->source->text; *c; ++c) {
        bool opens = *c == '[' || *c == '{';
        bool closes = *c == ']' || *c == '}';
        depth += opens - (closes && depth > 0);
        if (depth > LIMIT) {
            return FAIL(b, place, "more than %d brackets are opened and not closed", LIMIT);
        }
        place.line += *c == '\n';
        place.column = *c == '\n' ? 1 : place.column + (((unsigned char)*c & 0xC0) != 0x80);
    }
    return HED_OK;
}

static HedLocation place_of(NodeBuilder* b, struct fy_token* token) {
    const struct fy_mark* mark = token ? fy_token_start_mark(token) : NULL;
    if (mark) {
        b->last = (HedLocation){b->source, mark->line + 1, mark->column + 1};
    }
    return b->last;
}

static HedStatus refuse_extras(NodeBuilder* b, struct fy_token* anchor, struct fy_token* tag) {
    if (anchor) {
        return FAIL(b, place_of(b, anchor), "anchors (&name) are not supported");
    }
    if (tag) {
        return FAIL(b, place_of(b, tag), "tags (!name) are not supported");
    }
    return HED_OK;
}

static HedStatus add_node(NodeBuilder* b, HedNodeKind kind, HedLocation place, HedNode** added) {
    if (b->node_count >= HED_YAML_NODES) {
        return FAIL(b, place, "more than %d values", HED_YAML_NODES);
    }
    HedNode* node = HED_POOL_ARRAY(b->pool, HedNode, 1);
    if (!node) {
        return hed_fail_memory(b->error, b->source->name);
    }
    b->node_count += 1;
    *node = (HedNode){.kind = kind, .place = place, .key = b->key, .key_place = b->key_place};
    b->key = NULL;
    if (b->depth > 0) {
        hed_node_append(b->open[b->depth - 1], node);
    } else {
        b->root = node;
    }
    *added = node;
    return HED_OK;
}

static bool expects_key(const NodeBuilder* b) {
    return b->depth > 0 && b->open[b->depth - 1]->kind == HED_NODE_MAPPING && !b->key;
}

static HedStatus take_key(NodeBuilder* b, const char* text, size_t size, HedLocation place) {
    const HedNode* mapping = b->open[b->depth - 1];
    if (size == 0) {
        return FAIL(b, place, "a key is empty");
    }
    if (strcmp(text, "<<") == 0) {
        return FAIL(b, place, "merge keys (<<) are not supported");
    }
    if (mapping->count >= HED_YAML_KEYS) {
        return FAIL(b, place, "more than %d keys in one mapping", HED_YAML_KEYS);
    }
    const HedNode* twin = hed_node_child(mapping, text);
    if (twin) {
        char name[HED_NODE_TEXT];
        return FAIL(b, place, "'%s' is given twice, first in line %d", hed_text_shorten(text, name),
                    (int)twin->key_place.line);
    }
    b->key = text;
    b->key_place = place;
    return HED_OK;
}

static HedStatus take_scalar(NodeBuilder* b, const struct fy_event* event) {
    struct fy_token* token = event->scalar.value;
    HedStatus status = refuse_extras(b, event->scalar.anchor, event->scalar.tag);
    if (status != HED_OK) {
        return status;
    }
    size_t size = 0;
    const char* data = token ? fy_token_get_text(token, &size) : "";
    HedLocation place = place_of(b, token);
    enum fy_scalar_style style = fy_token_scalar_style(token);
    if (style == FYSS_SINGLE_QUOTED || style == FYSS_DOUBLE_QUOTED) {
        place.column -= place.column > 1; // the mark stands behind the quote
    }
    if (!data) {
        return FAIL(b, place, "the text of this value cannot be read");
    }
    if (size > 0 && memchr(data, '\0', size)) {
        return FAIL(b, place, "a NUL character is not allowed");
    }
    char* text = hed_pool_text(b->pool, data, size);
    if (!text) {
        return hed_fail_memory(b->error, b->source->name);
    }
    if (expects_key(b)) {
        return take_key(b, text, size, place);
    }
    HedNode* node = NULL;
    status = add_node(b, HED_NODE_SCALAR, place, &node);
    if (status == HED_OK) {
        node->text = text;
        node->size = (int32_t)size;
        node->is_quoted = style != FYSS_PLAIN;
    }
    return status;
}

static HedStatus take_start(NodeBuilder* b, HedNodeKind kind, struct fy_token* anchor,
                            struct fy_token* tag, struct fy_token* start) {
    HedStatus status = refuse_extras(b, anchor, tag);
    if (status != HED_OK) {
        return status;
    }
    HedLocation place = place_of(b, start);
    if (expects_key(b)) {
        return FAIL(b, place, "a key must be a single word");
    }
    if (b->depth >= HED_YAML_DEPTH) {
        return FAIL(b, place, "nested deeper than %d levels", HED_YAML_DEPTH);
    }
    HedNode* node = NULL;
    status = add_node(b, kind, place, &node);
    if (status == HED_OK) {
        b->open[b->depth++] = node;
    }
    return status;
}

static HedStatus take_event(NodeBuilder* b, const struct fy_event* event) {
    switch (event->type) {
    case FYET_DOCUMENT_START:
        b->document_count += 1;
        if (b->document_count > 1) {
            return FAIL(b, place_of(b, event->document_start.document_start),
                        "a second document begins here; only one is read");
        }
        return HED_OK;
    case FYET_ALIAS:
        return FAIL(b, place_of(b, event->alias.anchor), "aliases (*name) are not supported");
    case FYET_SCALAR:
        return take_scalar(b, event);
    case FYET_MAPPING_START:
        return take_start(b, HED_NODE_MAPPING, event->mapping_start.anchor,
                          event->mapping_start.tag, event->mapping_start.mapping_start);
    case FYET_SEQUENCE_START:
        return take_start(b, HED_NODE_SEQUENCE, event->sequence_start.anchor,
                          event->sequence_start.tag, event->sequence_start.sequence_start);
    case FYET_MAPPING_END:
    case FYET_SEQUENCE_END:
        b->depth -= 1;
        return HED_OK;
    default:
        return HED_OK;
    }
}

static HedStatus report_library(NodeBuilder* b, struct fy_diag* diag) {
    void* position = NULL;
    const struct fy_diag_error* first = fy_diag_errors_iterate(diag, &position);
    if (!first) {
        return FAIL(b, b->last, "not valid YAML");
    }
    HedLocation place = {b->source, first->line > 0 ? first->line : 1,
                         first->column > 0 ? first->column : 1};
    return FAIL(b, place, "%.200s", first->msg);
}

static HedStatus read_events(NodeBuilder* b, struct fy_parser* parser, struct fy_diag* diag) {
    HedStatus status = HED_OK;
    struct fy_event* event = NULL;
    while (status == HED_OK && (event = fy_parser_parse(parser)) != NULL) {
        status = take_event(b, event);
        fy_parser_event_free(parser, event);
    }
    if (status == HED_OK && fy_parser_get_stream_error(parser)) {
        status = report_library(b, diag);
    }
    if (status == HED_OK && !b->root) {
        status = FAIL(b, ((HedLocation){b->source, 1, 1}), "there is nothing in it");
    }
    return status;
}

static void swallow(struct fy_diag* diag, void* user, const char* text, size_t size) {
    (void)diag;
    (void)user;
    (void)text;
    (void)size;
}

static HedStatus run_library(NodeBuilder* b) {
    HedStatus status = HED_NO_MEMORY;
    struct fy_diag_cfg quiet;
    fy_diag_cfg_default(&quiet);
    quiet.fp = NULL;
    quiet.output_fn = swallow;
    struct fy_parser* parser = NULL;
    struct fy_diag* diag = fy_diag_create(&quiet);
    if (diag) {
        fy_diag_set_collect_errors(diag, true);
        struct fy_parse_cfg config = {
            .flags = FYPCF_QUIET | FYPCF_COLLECT_DIAG | FYPCF_JSON_NONE | FYPCF_DEFAULT_VERSION_1_2,
            .diag = diag,
        };
        parser = fy_parser_create(&config);
    }
    if (parser && fy_parser_set_string(parser, b->source->text, b->source->size) == 0) {
        status = read_events(b, parser, diag);
    } else {
        hed_fail_memory(b->error, b->source->name);
    }
    fy_parser_destroy(parser);
    fy_diag_destroy(diag);
    return status;
}

HedStatus hed_yaml_parse(const HedSource* source, HedPool* pool, HedNode** root, HedError* error) {
    NodeBuilder b = {.source = source, .pool = pool, .error = error, .last = {source, 1, 1}};
    *root = NULL;
    if (source->size > HED_YAML_SIZE) {
        return FAIL(&b, b.last, "larger than %d MiB", HED_YAML_SIZE >> 20);
    }
    HedStatus status = check_bytes(&b);
    if (status == HED_OK) {
        status = check_brackets(&b);
    }
    if (status == HED_OK) {
        status = source->size == 0 ? FAIL(&b, b.last, "there is nothing in it") : run_library(&b);
    }
    *root = status == HED_OK ? b.root : NULL;
    return status;
}
