// SPDX-License-Identifier: MIT
#include "scene/node.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void hed_node_append(HedNode* parent, HedNode* child) {
    child->next = NULL;
    *(parent->last ? &parent->last->next : &parent->first) = child;
    parent->last = child;
    parent->count += 1;
}

HedNode* hed_node_child(const HedNode* node, const char* key) {
    if (!node || node->kind != HED_NODE_MAPPING) {
        return NULL;
    }
    for (HedNode* child = node->first; child; child = child->next) {
        if (strcmp(child->key, key) == 0) {
            return child;
        }
    }
    return NULL;
}

static HedNode* node_before(const HedNode* parent, const HedNode* node) {
    HedNode* before = NULL;
    for (HedNode* child = parent->first; child && child != node; child = child->next) {
        before = child;
    }
    return before;
}

HedNode* hed_node_remove(HedNode* node, const char* key) {
    HedNode* found = hed_node_child(node, key);
    if (found) {
        HedNode* before = node_before(node, found);
        *(before ? &before->next : &node->first) = found->next;
        if (node->last == found) {
            node->last = before;
        }
        node->count -= 1;
        found->next = NULL;
    }
    return found;
}

void hed_node_replace(HedNode* parent, HedNode* old, HedNode* fresh) {
    HedNode* before = node_before(parent, old);
    fresh->next = old->next;
    *(before ? &before->next : &parent->first) = fresh;
    if (parent->last == old) {
        parent->last = fresh;
    }
    old->next = NULL;
}

bool hed_node_is_null(const HedNode* node) {
    return node->kind == HED_NODE_SCALAR && !node->is_quoted &&
           (node->size == 0 || strcmp(node->text, "~") == 0 || strcmp(node->text, "null") == 0);
}

const char* hed_text_shorten(const char* text, char buffer[HED_NODE_TEXT]) {
    enum { LIMIT = 60 };
    size_t size = 0;
    while (size < LIMIT && text[size]) {
        buffer[size] = (unsigned char)text[size] < ' ' ? '?' : text[size];
        ++size;
    }
    if (text[size]) {
        while (size > 0 && ((unsigned char)text[size] & 0xC0) == 0x80) {
            --size;
        }
        memcpy(buffer + size, "...", 3);
        size += 3;
    }
    buffer[size] = '\0';
    return buffer;
}

const char* hed_node_describe(const HedNode* node, char buffer[HED_NODE_TEXT]) {
    if (node->kind != HED_NODE_SCALAR) {
        snprintf(buffer, HED_NODE_TEXT, "%s",
                 node->kind == HED_NODE_MAPPING ? "a mapping" : "a list");
    } else if (hed_node_is_null(node)) {
        snprintf(buffer, HED_NODE_TEXT, "nothing");
    } else {
        char text[HED_NODE_TEXT];
        hed_text_shorten(node->text, text);
        snprintf(buffer, HED_NODE_TEXT, "'%.*s'", HED_NODE_TEXT - 3, text);
    }
    return buffer;
}

// The line of a place, without its end.
static HedSpan line_of(HedLocation place) {
    HedTextLines lines = hed_lines_begin(place.source->text, place.source->size);
    while (hed_lines_next(&lines)) {
        if (lines.number == place.line) {
            return lines.line;
        }
    }
    return (HedSpan){0};
}

// Appends the line and a caret below the column, unless it is long or does not fit.
static void append_line(HedError* error, HedLocation place) {
    enum { LONGEST = 160 };
    HedSpan line = line_of(place);
    size_t used = strlen(error->message);
    size_t room = sizeof error->message - used;
    if (line.size <= 0 || line.size > LONGEST || (size_t)line.size * 2 + 16 > room) {
        return;
    }
    char* out = error->message + used;
    out += snprintf(out, room, "\n    %.*s\n    ", (int)line.size, line.data);
    int32_t column = 1;
    for (int32_t i = 0; i < line.size && column < place.column; ++i) {
        bool begins = ((unsigned char)line.data[i] & 0xC0) != 0x80;
        if (begins) {
            *out++ = line.data[i] == '\t' ? '\t' : ' ';
            ++column;
        }
    }
    *out++ = '^';
    *out = '\0';
}

HedStatus hed_place_fail(HedError* error, HedLocation place, HedStatus status, const char* hint,
                         const char* format, ...) {
    if (!error) {
        return status;
    }
    char message[HED_ERROR_TEXT / 2];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    char at[48] = "";
    if (!place.source->is_override) {
        snprintf(at, sizeof at, ":%d:%d", (int)place.line, (int)place.column);
    }
    hed_fail(error, status, "%.200s%s: error: %s%s%.300s", place.source->name, at, message,
             hint ? "\n  hint: " : "", hint ? hint : "");
    if (!place.source->is_override) {
        append_line(error, place);
    }
    return status;
}

const char* hed_suggest(const char* word, const char* (*candidate)(const void*, int32_t),
                        const void* context, char buffer[HED_NODE_TEXT]) {
    // A third of the letters may differ, and three at most: more of them is a different word.
    size_t size = strlen(word);
    int32_t least = size < 6 ? (int32_t)size / 3 + 2 : 4;
    const char* best = NULL;
    const char* name = NULL;
    for (int32_t i = 0; (name = candidate(context, i)) != NULL; ++i) {
        int32_t distance = hed_text_distance(word, name);
        if (distance < least) {
            least = distance;
            best = name;
        }
    }
    if (!best) {
        return NULL;
    }
    snprintf(buffer, HED_NODE_TEXT, "did you mean '%.40s'?", best);
    return buffer;
}
