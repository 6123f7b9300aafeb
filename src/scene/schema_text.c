// SPDX-License-Identifier: MIT
// The other direction: records to YAML, and tables to the reference page.
#include "scene/schema.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void hed_sink_print(HedSink* sink, const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int wanted = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    if (sink->failed || wanted < 0) {
        sink->failed = true;
        return;
    }
    size_t needed = sink->size + (size_t)wanted + 1;
    if (needed > sink->capacity) {
        size_t capacity = needed > 2 * sink->capacity ? needed + 1024 : 2 * sink->capacity;
        char* grown = hed_realloc(sink->data, capacity);
        if (!grown) {
            sink->failed = true;
            return;
        }
        sink->data = grown;
        sink->capacity = capacity;
    }
    va_start(arguments, format);
    vsnprintf(sink->data + sink->size, sink->capacity - sink->size, format, arguments);
    va_end(arguments);
    sink->size += (size_t)wanted;
}

void hed_sink_free(HedSink* sink) {
    hed_free(sink->data);
    *sink = (HedSink){0};
}

static void write_text(HedSink* sink, const char* text) {
    hed_sink_print(sink, "\"");
    for (const char* c = text; *c; ++c) {
        hed_sink_print(sink, *c == '"' || *c == '\\' ? "\\%c" : "%c", *c);
    }
    hed_sink_print(sink, "\"");
}

static void write_number(HedSink* sink, const HedEntry* entry, double value) {
    char text[HED_NUMBER_TEXT];
    bool is_word = isinf(value) && entry->infinite;
    hed_sink_print(sink, "%s", is_word ? entry->infinite : hed_format_double(value, text));
}

static void write_numbers(HedSink* sink, const HedEntry* entry, const double* values, int count) {
    for (int i = 0; i < count; ++i) {
        hed_sink_print(sink, i ? ", " : "[");
        write_number(sink, entry, values[i]);
    }
    hed_sink_print(sink, "]");
}

static void write_list(HedSink* sink, const HedEntry* entry, const HedList* list) {
    hed_sink_print(sink, "[");
    for (int32_t i = 0; i < list->count; ++i) {
        hed_sink_print(sink, i ? ", " : "");
        if (entry->type == HED_ENTRY_WORDS || entry->type == HED_ENTRY_LINES) {
            write_text(sink, ((const char* const*)list->data)[i]);
        } else if (entry->type == HED_ENTRY_VECTORS) {
            HedVec3 v = ((const HedVec3*)list->data)[i];
            write_numbers(sink, entry, (const double[]){v.x, v.y, v.z}, 3);
        } else {
            hed_sink_print(sink, "%d", (int)((const int32_t*)list->data)[i]);
        }
    }
    hed_sink_print(sink, "]");
}

static void write_choices(HedSink* sink, const HedEntry* entry, uint32_t bits) {
    const char* between = "";
    hed_sink_print(sink, "[");
    for (int32_t i = 0; entry->choice(i); ++i) {
        if (bits >> i & 1) {
            hed_sink_print(sink, "%s%s", between, entry->choice(i));
            between = ", ";
        }
    }
    hed_sink_print(sink, "]");
}

// A value that stands on the line of its key.
static void write_value(HedSink* sink, const HedEntry* entry, const void* value) {
    const int32_t* whole = value;
    const HedVec3* v = value;
    switch (entry->type) {
    case HED_ENTRY_NUMBER:
        write_number(sink, entry, *(const double*)value);
        break;
    case HED_ENTRY_INTEGER:
        hed_sink_print(sink, "%d", (int)whole[0]);
        break;
    case HED_ENTRY_SEED:
        hed_sink_print(sink, "%llu", (unsigned long long)*(const uint64_t*)value);
        break;
    case HED_ENTRY_BOOL:
        hed_sink_print(sink, "%s", *(const bool*)value ? "true" : "false");
        break;
    case HED_ENTRY_TEXT:
    case HED_ENTRY_NAME:
        write_text(sink, *(const char* const*)value);
        break;
    case HED_ENTRY_CHOICE:
        hed_sink_print(sink, "%s", entry->choice(whole[0]));
        break;
    case HED_ENTRY_CHOICES:
        write_choices(sink, entry, *(const uint32_t*)value);
        break;
    case HED_ENTRY_VECTOR:
        write_numbers(sink, entry, (const double[]){v->x, v->y, v->z}, 3);
        break;
    case HED_ENTRY_PAIR:
        write_numbers(sink, entry, value, 2);
        break;
    case HED_ENTRY_POINTS:
        hed_sink_print(sink, "[%d, %d]", (int)whole[0], (int)whole[1]);
        break;
    case HED_ENTRY_INDICES:
    case HED_ENTRY_WORDS:
    case HED_ENTRY_LINES:
    case HED_ENTRY_VECTORS:
        write_list(sink, entry, value);
        break;
    case HED_ENTRY_MAPPING:
    case HED_ENTRY_LIST:
        break;
    }
}

static void write_fields(const HedTable* table, const void* record, int32_t indent, bool is_element,
                         HedSink* sink);

static void write_records(HedSink* sink, const HedEntry* entry, const HedList* list,
                          int32_t indent) {
    if (list->count == 0) {
        hed_sink_print(sink, " []\n");
        return;
    }
    hed_sink_print(sink, "\n");
    for (int32_t i = 0; i < list->count; ++i) {
        const char* record = (const char*)list->data + (size_t)i * entry->table->size;
        hed_sink_print(sink, "%*s- ", (int)indent + 2, "");
        write_fields(entry->table, record, indent + 4, true, sink);
    }
}

static bool is_absent(const HedEntry* entry, const void* value) {
    bool is_text = entry->type == HED_ENTRY_TEXT || entry->type == HED_ENTRY_NAME;
    bool is_optional = entry->type == HED_ENTRY_MAPPING && entry->table->has_node;
    const void* first = NULL;
    if (is_text || is_optional) {
        memcpy(&first, value, sizeof first);
    }
    return (is_text || is_optional) && !first;
}

// The first key of a list's element stands on the line of its dash.
static void write_fields(const HedTable* table, const void* record, int32_t indent, bool is_element,
                         HedSink* sink) {
    for (const HedEntry* f = table->entries; f->key; ++f) {
        const void* value = hed_entry_at(f, record);
        if (f->hidden || !hed_entry_belongs(table, f, record) || is_absent(f, value)) {
            continue;
        }
        hed_sink_print(sink, "%*s%s:", is_element ? 0 : (int)indent, "", f->key);
        is_element = false;
        if (f->type == HED_ENTRY_MAPPING) {
            hed_sink_print(sink, "\n");
            hed_schema_write(f->table, value, indent + 2, sink);
        } else if (f->type == HED_ENTRY_LIST) {
            write_records(sink, f, value, indent);
        } else {
            hed_sink_print(sink, " ");
            write_value(sink, f, value);
            hed_sink_print(sink, "\n");
        }
    }
}

void hed_schema_write(const HedTable* table, const void* record, int32_t indent, HedSink* sink) {
    write_fields(table, record, indent, false, sink);
}

static void document_kind(HedSink* sink, const HedEntry* f) {
    char unit[HED_DIMENSION_TEXT];
    static const char* const NAMES[] = {
        [HED_ENTRY_NUMBER] = "number",
        [HED_ENTRY_INTEGER] = "whole number",
        [HED_ENTRY_SEED] = "whole number",
        [HED_ENTRY_BOOL] = "true or false",
        [HED_ENTRY_TEXT] = "text",
        [HED_ENTRY_NAME] = "name",
        [HED_ENTRY_CHOICE] = "one of ",
        [HED_ENTRY_CHOICES] = "list of ",
        [HED_ENTRY_VECTOR] = "[x, y, z]",
        [HED_ENTRY_PAIR] = "[a, b]",
        [HED_ENTRY_POINTS] = "[whole, whole]",
        [HED_ENTRY_INDICES] = "list of indices",
        [HED_ENTRY_WORDS] = "list of texts",
        [HED_ENTRY_LINES] = "lines of text, or a list of texts",
        [HED_ENTRY_VECTORS] = "list of [x, y, z]",
        [HED_ENTRY_MAPPING] = "mapping",
        [HED_ENTRY_LIST] = "list of mappings",
    };
    hed_sink_print(sink, "%s", NAMES[f->type]);
    if (f->choice) {
        for (int32_t i = 0; f->choice(i); ++i) {
            hed_sink_print(sink, "%s`%s`", i ? ", " : "", f->choice(i));
        }
    }
    hed_dimension_unit(f->dimension, unit);
    if (unit[0]) {
        hed_sink_print(sink, ", %s", unit);
    }
    if (f->rule != HED_RULE_ANY) {
        hed_sink_print(sink, ", %s", f->rule == HED_RULE_POSITIVE ? "> 0" : ">= 0");
    }
    if (f->type == HED_ENTRY_LIST && f->most > 0.0) {
        hed_sink_print(sink, ", at most %.0f", f->most);
    } else if (f->most > f->least) {
        hed_sink_print(sink, ", %.10g to %.10g", f->least, f->most);
    }
}

void hed_schema_document(const HedTable* table, const void* record, HedSink* sink) {
    for (const HedEntry* f = table->entries; f->key; ++f) {
        const void* value = hed_entry_at(f, record);
        hed_sink_print(sink, "| `%s` | ", f->key);
        document_kind(sink, f);
        hed_sink_print(sink, " | ");
        bool is_nested = f->type == HED_ENTRY_MAPPING || f->type == HED_ENTRY_LIST;
        if (f->required) {
            hed_sink_print(sink, "required");
        } else if (f->fallback) {
            hed_sink_print(sink, "%s", f->fallback);
        } else if (!is_nested && !is_absent(f, value)) {
            write_value(sink, f, value);
        }
        hed_sink_print(sink, " | %s", f->doc);
        if (f->alias) {
            hed_sink_print(sink, " Once called `%s`, which is still read.", f->alias);
        }
        hed_sink_print(sink, " |\n");
    }
}
