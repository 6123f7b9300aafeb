// SPDX-License-Identifier: MIT
#include "io/obj_text.h"
#include "base/words.h"
#include "io/mesh.h"

#include <math.h>
#include <string.h>

HedObjText hed_obj_begin(const char* data, size_t size, const char* name, HedError* error) {
    return (HedObjText){.name = name, .lines = hed_lines_begin(data, size), .error = error};
}

static void take_line(HedObjText* text) {
    text->rest = hed_span_trim(text->lines.line);
    text->continued = text->rest.size > 0 && text->rest.data[text->rest.size - 1] == '\\';
    text->rest.size -= text->continued;
}

bool hed_obj_statement(HedObjText* text, HedSpan* keyword) {
    while (hed_lines_next(&text->lines)) {
        take_line(text);
        if (hed_obj_word(text, keyword)) {
            return true;
        }
    }
    return false;
}

bool hed_obj_word(HedObjText* text, HedSpan* word) {
    while (!hed_span_word(&text->rest, word)) {
        if (!text->continued || !hed_lines_next(&text->lines)) {
            return false;
        }
        take_line(text);
    }
    if (word->data[0] == '#') {
        text->rest.size = 0;
        text->continued = false;
        return false;
    }
    return true;
}

HedStatus hed_obj_number(HedObjText* text, const char* what, double* value) {
    HedSpan word;
    if (!hed_obj_word(text, &word)) {
        return hed_fail(text->error, HED_PARSE, "%s:%d: %s is missing", text->name,
                        text->lines.number, what);
    }
    if (!hed_span_double(word, value)) {
        return hed_fail(text->error, HED_PARSE, "%s:%d: %s must be a finite number, got '%s'",
                        text->name, text->lines.number, what, hed_quote(word).text);
    }
    return HED_OK;
}

HedStatus hed_obj_vertex(HedObjText* text, HedVec3* vertex) {
    HedStatus status = HED_OK;
    HED_TRY(hed_obj_number(text, "vertex x", &vertex->x));
    HED_TRY(hed_obj_number(text, "vertex y", &vertex->y));
    HED_TRY(hed_obj_number(text, "vertex z", &vertex->z));
done:
    return status;
}

int32_t hed_obj_color(HedObjText* text) {
    HedSpan word;
    int32_t color = 0;
    int32_t count = 0;
    for (; count < 3 && hed_obj_word(text, &word); ++count) {
        double part = 0.0;
        if (!hed_span_double(word, &part) || !(part >= 0.0 && part <= 1.0)) {
            return HED_COLOR_NONE;
        }
        color = color << 8 | (int32_t)lround(255.0 * part);
    }
    return count == 3 && !hed_obj_word(text, &word) ? color : HED_COLOR_NONE;
}

bool hed_obj_take_index(HedSpan* word, int64_t* index) {
    const char* slash = memchr(word->data, '/', (size_t)word->size);
    HedSpan digits = *word;
    if (slash) {
        digits.size = (int32_t)(slash - word->data);
    }
    int32_t used = digits.size + (slash != NULL);
    *word = (HedSpan){word->data + used, word->size - used};
    int32_t i = digits.size > 0 && (digits.data[0] == '-' || digits.data[0] == '+');
    *index = 0;
    for (int32_t first = i; i < digits.size; ++i) {
        unsigned digit = (unsigned)digits.data[i] - '0';
        if (digit > 9 || i - first > 10) {
            return false;
        }
        *index = 10 * *index + digit;
    }
    if (digits.size > 0 && *index == 0) {
        return false;
    }
    *index = digits.size > 0 && digits.data[0] == '-' ? -*index : *index;
    return true;
}

bool hed_obj_resolve(const HedObjText* text, int64_t index, int32_t count, HedObjFurthest* furthest,
                     int32_t* resolved) {
    int64_t at = index > 0 ? index - 1 : count + index;
    if (at < 0 || at >= HED_MESH_LIMIT) {
        return false;
    }
    *resolved = (int32_t)at;
    if (at >= count && (furthest->line == 0 || at > furthest->index)) {
        *furthest = (HedObjFurthest){(int32_t)at, text->lines.number};
    }
    return true;
}

HedStatus hed_obj_check_range(const HedObjText* text, const char* what, HedObjFurthest furthest,
                              int32_t count) {
    if (furthest.line > 0 && furthest.index >= count) {
        return hed_fail(text->error, HED_PARSE,
                        "%s:%d: %s index %d is out of range, the file has %d", text->name,
                        furthest.line, what, furthest.index + 1, count);
    }
    return HED_OK;
}
