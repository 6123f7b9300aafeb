// SPDX-License-Identifier: MIT
#include "scene/schema.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// Nothing in a scene is larger than this in SI units, and nothing that must be positive smaller
// than its inverse; it keeps squares and products finite.
static const double LARGEST = 1e15;

typedef struct Binding {
    const HedEntry* entry;
    const HedNode* node;
    HedPool* pool;
    HedError* error;
} Binding;

static HedStatus fail(const Binding* b, const HedNode* node, const char* message) {
    return hed_place_fail(b->error, node->place, HED_PARSE, NULL, "'%s'%s", b->entry->key, message);
}

static HedStatus fail_kind(const Binding* b, const HedNode* node, const char* expected) {
    char found[HED_NODE_TEXT];
    return hed_place_fail(b->error, node->place, HED_PARSE, NULL, "'%s': expected %s, got %s",
                          b->entry->key, expected, hed_node_describe(node, found));
}

static HedStatus fail_memory(const Binding* b) {
    return hed_fail_memory(b->error, b->entry->key);
}

static HedStatus check_range(const Binding* b, const HedNode* node, double value) {
    const HedEntry* f = b->entry;
    char got[HED_NODE_TEXT];
    hed_text_shorten(node->text, got);
    const char* rule = NULL;
    if (f->rule == HED_RULE_POSITIVE && !(value > 0.0)) {
        rule = "positive";
    } else if (f->rule == HED_RULE_NOT_NEGATIVE && !(value >= 0.0)) {
        rule = "zero or more";
    }
    if (rule) {
        return hed_place_fail(b->error, node->place, HED_PARSE, NULL, "'%s' must be %s, got %s",
                              f->key, rule, got);
    }
    if (f->most > f->least && !(value >= f->least && value <= f->most)) {
        char low[HED_DIMENSION_TEXT + HED_NUMBER_TEXT];
        char high[HED_DIMENSION_TEXT + HED_NUMBER_TEXT];
        return hed_place_fail(b->error, node->place, HED_PARSE, NULL,
                              "'%s' must be from %s to %s, got %s", f->key,
                              hed_quantity_format(f->least, f->dimension, low),
                              hed_quantity_format(f->most, f->dimension, high), got);
    }
    return HED_OK;
}

static HedStatus read_number(const Binding* b, const HedNode* node, double* value) {
    if (node->kind != HED_NODE_SCALAR || hed_node_is_null(node)) {
        return fail_kind(b, node, "a number");
    }
    if (b->entry->infinite && strcmp(node->text, b->entry->infinite) == 0) {
        *value = (double)INFINITY;
        return HED_OK;
    }
    char why[HED_UNIT_MESSAGE];
    HedSpan text = {node->text, node->size};
    if (!hed_quantity_read(text, b->entry->dimension, value, why)) {
        char got[HED_NODE_TEXT];
        bool names_it = strncmp(why, "expected a number", 17) == 0 || strstr(why, "finite");
        return hed_place_fail(b->error, node->place, HED_PARSE, NULL, "'%s': %s%s%s", b->entry->key,
                              why, names_it ? ", got " : "",
                              names_it ? hed_node_describe(node, got) : "");
    }
    if (fabs(*value) > LARGEST) {
        return fail(b, node, " must not be larger than 1e15 in SI units");
    }
    if (b->entry->rule == HED_RULE_POSITIVE && *value > 0.0 && *value < 1.0 / LARGEST) {
        return fail(b, node, " must not be smaller than 1e-15 in SI units");
    }
    return check_range(b, node, *value);
}

static HedStatus read_whole(const Binding* b, const HedNode* node, int64_t limit, int64_t* value) {
    bool is_octal = false;
    if (node->kind == HED_NODE_SCALAR) {
        const char* digits = node->text + (node->text[0] == '-' || node->text[0] == '+');
        is_octal = digits[0] == '0' && digits[1] != '\0';
    }
    if (node->kind != HED_NODE_SCALAR || is_octal ||
        !hed_span_int64((HedSpan){node->text, node->size}, value)) {
        return fail_kind(b, node, "a whole number");
    }
    if (*value > limit || *value < -limit) {
        return fail_kind(b, node, "a smaller number");
    }
    return check_range(b, node, (double)*value);
}

static HedStatus read_integer(const Binding* b, const HedNode* node, int32_t* value) {
    int64_t whole = 0;
    HedStatus status = read_whole(b, node, INT32_MAX, &whole);
    if (status == HED_OK) {
        *value = (int32_t)whole;
    }
    return status;
}

static HedStatus read_seed(const Binding* b, const HedNode* node, uint64_t* value) {
    int64_t whole = 0;
    HedStatus status = read_whole(b, node, INT64_MAX, &whole);
    if (status == HED_OK && whole < 0) {
        return fail_kind(b, node, "a number of zero or more");
    }
    if (status == HED_OK) {
        *value = (uint64_t)whole;
    }
    return status;
}

static HedStatus read_bool(const Binding* b, const HedNode* node, bool* value) {
    bool is_true = node->kind == HED_NODE_SCALAR && strcmp(node->text, "true") == 0;
    bool is_false = node->kind == HED_NODE_SCALAR && strcmp(node->text, "false") == 0;
    if (!is_true && !is_false) {
        return fail_kind(b, node, "true or false");
    }
    *value = is_true;
    return HED_OK;
}

// Characters that would end a line or change how the text reads back.
static bool has_control(const char* text) {
    for (const unsigned char* c = (const unsigned char*)text; *c; ++c) {
        bool is_c1 = c[0] == 0xC2 && c[1] < 0xA0;
        bool is_separator = c[0] == 0xE2 && c[1] == 0x80 && (c[2] == 0xA8 || c[2] == 0xA9);
        bool is_mark = c[0] == 0xEF && c[1] == 0xBB && c[2] == 0xBF;
        if (*c < ' ' || *c == 0x7F || is_c1 || is_separator || is_mark) {
            return true;
        }
    }
    return false;
}

enum { TEXT_LIMIT = 4096 }; // bytes

static HedStatus read_text(const Binding* b, const HedNode* node, const char** value) {
    if (node->kind != HED_NODE_SCALAR || hed_node_is_null(node)) {
        return fail_kind(b, node, "text");
    }
    if (node->size == 0 || node->size > TEXT_LIMIT || has_control(node->text)) {
        return fail(b, node, " must be one line of 1 to 4096 bytes");
    }
    *value = node->text;
    return HED_OK;
}

static HedStatus read_name(const Binding* b, const HedNode* node, const char** value) {
    enum { LONGEST = 63 };
    if (node->kind != HED_NODE_SCALAR || hed_node_is_null(node)) {
        return fail_kind(b, node, "a name");
    }
    size_t good = strspn(node->text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                                     "0123456789_-");
    bool is_number = strspn(node->text, "0123456789") == (size_t)node->size;
    if (good != (size_t)node->size || is_number || node->size > LONGEST) {
        char got[HED_NODE_TEXT];
        return hed_place_fail(b->error, node->place, HED_PARSE, NULL,
                              "'%s' must be made of letters, digits, '_' and '-', with one that is "
                              "no digit, and at most 63 long, got %s",
                              b->entry->key, hed_node_describe(node, got));
    }
    *value = node->text;
    return HED_OK;
}

static const char* candidate_choice(const void* context, int32_t index) {
    const HedEntry* entry = context;
    return entry->choice(index);
}

static HedStatus read_choice(const Binding* b, const HedNode* node, int32_t* value) {
    const HedEntry* f = b->entry;
    if (node->kind == HED_NODE_SCALAR) {
        const char* name = NULL;
        for (int32_t i = 0; (name = f->choice(i)) != NULL; ++i) {
            if (strcmp(node->text, name) == 0) {
                *value = i;
                return HED_OK;
            }
        }
    }
    char known[320] = "";
    size_t used = 0;
    for (int32_t i = 0; f->choice(i) && used < sizeof known; ++i) {
        used += (size_t)snprintf(known + used, sizeof known - used, "%s%s", i ? ", " : "",
                                 f->choice(i));
    }
    char got[HED_NODE_TEXT];
    char hint[HED_NODE_TEXT];
    const char* near =
        node->kind == HED_NODE_SCALAR ? hed_suggest(node->text, candidate_choice, f, hint) : NULL;
    return hed_place_fail(b->error, node->place, HED_PARSE, near, "'%s' must be one of %s; got %s",
                          f->key, known, hed_node_describe(node, got));
}

static HedStatus read_choices(const Binding* b, uint32_t* bits) {
    if (b->node->kind != HED_NODE_SEQUENCE) {
        return fail_kind(b, b->node, "a list");
    }
    *bits = 0;
    for (const HedNode* item = b->node->first; item; item = item->next) {
        int32_t choice = 0;
        HedStatus status = read_choice(b, item, &choice);
        if (status != HED_OK) {
            return status;
        }
        *bits |= 1u << choice;
    }
    return HED_OK;
}

static HedStatus read_numbers(const Binding* b, double* values, int32_t count) {
    char expected[48];
    snprintf(expected, sizeof expected, "a list of %d numbers", (int)count);
    if (b->node->kind != HED_NODE_SEQUENCE) {
        return fail_kind(b, b->node, expected);
    }
    if (b->node->count != count) {
        return hed_place_fail(b->error, b->node->place, HED_PARSE, NULL,
                              "'%s': expected %s, got %d", b->entry->key, expected,
                              (int)b->node->count);
    }
    const HedNode* item = b->node->first;
    for (int32_t i = 0; i < count; ++i, item = item->next) {
        HedStatus status = read_number(b, item, &values[i]);
        if (status != HED_OK) {
            return status;
        }
    }
    return HED_OK;
}

static HedStatus read_vector(const Binding* b, HedVec3* value) {
    double v[3] = {0};
    HedStatus status = read_numbers(b, v, 3);
    if (status == HED_OK) {
        *value = (HedVec3){v[0], v[1], v[2]};
    }
    return status;
}

static HedStatus read_vectors(const Binding* b, HedList* value) {
    if (b->node->kind != HED_NODE_SEQUENCE) {
        return fail_kind(b, b->node, "a list of points [x, y, z]");
    }
    HedVec3* data = HED_POOL_ARRAY(b->pool, HedVec3, b->node->count);
    if (!data) {
        return fail_memory(b);
    }
    int32_t count = 0;
    for (const HedNode* item = b->node->first; item; item = item->next) {
        Binding one = {b->entry, item, b->pool, b->error};
        HedStatus status = read_vector(&one, &data[count]);
        if (status != HED_OK) {
            return status;
        }
        ++count;
    }
    *value = (HedList){data, count};
    return HED_OK;
}

static HedStatus read_points(const Binding* b, int32_t value[2]) {
    if (b->node->kind != HED_NODE_SEQUENCE || b->node->count != 2) {
        return fail_kind(b, b->node, "a list of two whole numbers");
    }
    HedStatus status = read_integer(b, b->node->first, &value[0]);
    return status == HED_OK ? read_integer(b, b->node->last, &value[1]) : status;
}

static HedStatus read_indices(const Binding* b, HedList* value) {
    if (b->node->kind != HED_NODE_SEQUENCE) {
        return fail_kind(b, b->node, "a list of whole numbers");
    }
    int32_t* data = HED_POOL_ARRAY(b->pool, int32_t, b->node->count);
    if (!data) {
        return fail_memory(b);
    }
    int32_t count = 0;
    for (const HedNode* item = b->node->first; item; item = item->next) {
        HedStatus status = read_integer(b, item, &data[count]);
        if (status == HED_OK && data[count] < 0) {
            status = fail_kind(b, item, "an index of zero or more");
        }
        if (status != HED_OK) {
            return status;
        }
        ++count;
    }
    *value = (HedList){data, count};
    return HED_OK;
}

static HedStatus read_words(const Binding* b, HedList* value) {
    if (b->node->kind != HED_NODE_SEQUENCE) {
        return fail_kind(b, b->node, "a list of texts");
    }
    const char** data = HED_POOL_ARRAY(b->pool, const char*, b->node->count);
    if (!data) {
        return fail_memory(b);
    }
    int32_t count = 0;
    for (const HedNode* item = b->node->first; item; item = item->next) {
        HedStatus status = read_text(b, item, &data[count]);
        if (status != HED_OK) {
            return status;
        }
        ++count;
    }
    *value = (HedList){data, count};
    return HED_OK;
}

// The lines of a block. An empty one becomes "#", so that lines keep their numbers and none of them
// is empty when they are written as a list.
static HedStatus read_lines(const Binding* b, HedList* value) {
    if (b->node->kind != HED_NODE_SCALAR || hed_node_is_null(b->node)) {
        return b->node->kind == HED_NODE_SEQUENCE
                   ? read_words(b, value)
                   : fail_kind(b, b->node, "lines of text, or a list of texts");
    }
    int32_t count = 0;
    HedTextLines lines = hed_lines_begin(b->node->text, (size_t)b->node->size);
    while (hed_lines_next(&lines)) {
        ++count;
    }
    const char** data = HED_POOL_ARRAY(b->pool, const char*, count);
    lines = hed_lines_begin(b->node->text, (size_t)b->node->size);
    for (int32_t i = 0; data && hed_lines_next(&lines); ++i) {
        HedSpan line = hed_span_trim(lines.line);
        data[i] = line.size > 0 ? hed_pool_text(b->pool, line.data, (size_t)line.size) : "#";
        if (data[i] && (has_control(data[i]) || line.size > TEXT_LIMIT)) {
            return fail(b, b->node, " must be made of lines of at most 4096 bytes");
        }
        if (!data[i]) {
            data = NULL;
        }
    }
    *value = (HedList){data, count};
    return data ? HED_OK : fail_memory(b);
}

static HedStatus read_list(const Binding* b, HedList* value) {
    const HedTable* table = b->entry->table;
    if (hed_node_is_null(b->node)) {
        return HED_OK;
    }
    if (b->node->kind != HED_NODE_SEQUENCE) {
        return fail_kind(b, b->node, "a list (each element begins with '-')");
    }
    if (b->entry->most > 0.0 && b->node->count > b->entry->most) {
        return hed_place_fail(b->error, b->node->place, HED_PARSE, NULL,
                              "'%s' has %d elements, at most %.0f are allowed", b->entry->key,
                              (int)b->node->count, b->entry->most);
    }
    char* data = hed_pool_push(b->pool, b->node->count, table->size);
    if (!data) {
        return fail_memory(b);
    }
    char* record = data;
    for (const HedNode* item = b->node->first; item; item = item->next) {
        if (item->kind != HED_NODE_MAPPING) {
            return fail_kind(b, item, "a mapping");
        }
        HedStatus status = hed_schema_read(table, item, b->pool, record, b->error);
        if (status != HED_OK) {
            return status;
        }
        record += table->size;
    }
    *value = (HedList){data, b->node->count};
    return HED_OK;
}

static HedStatus read_field(const Binding* b, void* value) {
    switch (b->entry->type) {
    case HED_ENTRY_NUMBER:
        return read_number(b, b->node, value);
    case HED_ENTRY_INTEGER:
        return read_integer(b, b->node, value);
    case HED_ENTRY_SEED:
        return read_seed(b, b->node, value);
    case HED_ENTRY_BOOL:
        return read_bool(b, b->node, value);
    case HED_ENTRY_TEXT:
        return read_text(b, b->node, value);
    case HED_ENTRY_NAME:
        return read_name(b, b->node, value);
    case HED_ENTRY_CHOICE:
        return read_choice(b, b->node, value);
    case HED_ENTRY_CHOICES:
        return read_choices(b, value);
    case HED_ENTRY_VECTOR:
        return read_vector(b, value);
    case HED_ENTRY_PAIR:
        return read_numbers(b, value, 2);
    case HED_ENTRY_POINTS:
        return read_points(b, value);
    case HED_ENTRY_INDICES:
        return read_indices(b, value);
    case HED_ENTRY_WORDS:
        return read_words(b, value);
    case HED_ENTRY_LINES:
        return read_lines(b, value);
    case HED_ENTRY_VECTORS:
        return read_vectors(b, value);
    case HED_ENTRY_MAPPING:
        return hed_schema_read(b->entry->table, b->node, b->pool, value, b->error);
    case HED_ENTRY_LIST:
        return read_list(b, value);
    }
    return HED_OK;
}

static const char* candidate_key(const void* context, int32_t index) {
    const HedTable* table = context;
    return table->entries[index].key;
}

static HedStatus check_keys(const HedTable* table, const HedNode* node, HedError* error) {
    for (const HedNode* child = node->first; child; child = child->next) {
        const HedEntry* f = table->entries;
        while (f->key && strcmp(f->key, child->key) != 0) {
            ++f;
        }
        if (f->key) {
            continue;
        }
        char hint[HED_NODE_TEXT];
        char name[HED_NODE_TEXT];
        char known[320] = "known here: ";
        const char* near = hed_suggest(child->key, candidate_key, table, hint);
        size_t used = strlen(known);
        for (f = table->entries; f->key && used < sizeof known; ++f) {
            used += (size_t)snprintf(known + used, sizeof known - used, "%s%s",
                                     f == table->entries ? "" : ", ", f->key);
        }
        return hed_place_fail(error, child->key_place, HED_PARSE, near ? near : known,
                              "unknown key '%s' in %s", hed_text_shorten(child->key, name),
                              table->name);
    }
    return HED_OK;
}

static const HedEntry* find_field(const HedTable* table, const char* key) {
    const HedEntry* f = table->entries;
    while (f->key && strcmp(f->key, key) != 0) {
        ++f;
    }
    return f;
}

bool hed_entry_belongs(const HedTable* table, const HedEntry* entry, const void* record) {
    if (entry->when == 0) {
        return true;
    }
    int32_t value = 0;
    memcpy(&value, hed_entry_at(find_field(table, table->selector), record), sizeof value);
    return (entry->when >> value & 1u) != 0;
}

static HedStatus refuse_stranger(const HedTable* table, const HedEntry* entry, const HedNode* child,
                                 const void* record, HedError* error) {
    const HedEntry* selector = find_field(table, table->selector);
    int32_t value = 0;
    memcpy(&value, hed_entry_at(selector, record), sizeof value);
    return hed_place_fail(error, child->key_place, HED_PARSE, NULL,
                          "'%s' does not belong to a %s of %s '%s'", entry->key, table->name,
                          selector->key, selector->choice(value));
}

HedStatus hed_schema_read(const HedTable* table, const HedNode* node, HedPool* pool, void* record,
                          HedError* error) {
    if (table->defaults) {
        table->defaults(record);
    }
    if (!node || hed_node_is_null(node)) {
        return HED_OK;
    }
    if (node->kind != HED_NODE_MAPPING) {
        char found[HED_NODE_TEXT];
        return hed_place_fail(error, node->place, HED_PARSE, NULL,
                              "%s: expected a mapping (key: value), got %s", table->name,
                              hed_node_describe(node, found));
    }
    if (table->has_node) {
        memcpy(record, &node, sizeof(void*));
    }
    HedStatus status = check_keys(table, node, error);
    for (const HedEntry* f = table->entries; f->key && status == HED_OK; ++f) {
        const HedNode* child = hed_node_child(node, f->key);
        bool belongs = hed_entry_belongs(table, f, record);
        if (child && !belongs) {
            status = refuse_stranger(table, f, child, record, error);
        } else if (child) {
            Binding b = {f, child, pool, error};
            status = read_field(&b, (char*)record + f->offset);
        } else if (belongs && f->required) {
            status = hed_place_fail(error, node->place, HED_PARSE, NULL, "'%s' is missing in %s",
                                    f->key, table->name);
        }
    }
    return status;
}
