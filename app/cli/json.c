// SPDX-License-Identifier: MIT
#include "cli/json.h"
#include "cli/common.h"

#include <inttypes.h>
#include <math.h>

// Length of the well-formed UTF-8 sequence at the start of text, 0 if there is none.
static int utf8_length(const unsigned char* text) {
    if (text[0] < 0x80) {
        return 1;
    }
    int length = text[0] >= 0xF0 && text[0] <= 0xF4  ? 4
                 : text[0] >= 0xE0 && text[0] < 0xF0 ? 3
                 : text[0] >= 0xC2 && text[0] < 0xE0 ? 2
                                                     : 0;
    for (int i = 1; i < length; ++i) {
        if ((text[i] & 0xC0) != 0x80) {
            return 0;
        }
    }
    bool overlong = (text[0] == 0xE0 && text[1] < 0xA0) || (text[0] == 0xF0 && text[1] < 0x90);
    bool surrogate = text[0] == 0xED && text[1] >= 0xA0;
    bool too_large = text[0] == 0xF4 && text[1] >= 0x90;
    return overlong || surrogate || too_large ? 0 : length;
}

static void put_string(FILE* out, const char* text) {
    fputc('"', out);
    const unsigned char* c = (const unsigned char*)text;
    while (*c) {
        int length = utf8_length(c);
        if (length == 0) {
            fputs("\\ufffd", out);
            ++c;
        } else if (*c == '"' || *c == '\\') {
            fprintf(out, "\\%c", *c++);
        } else if (*c < 0x20) {
            fprintf(out, "\\u%04x", (unsigned)*c++);
        } else {
            fwrite(c, 1, (size_t)length, out);
            c += length;
        }
    }
    fputc('"', out);
}

static void put_key(Json* json, const char* key) {
    if (json->begun[json->depth]) {
        fputs(", ", json->out);
    }
    json->begun[json->depth] = true;
    if (key) {
        put_string(json->out, key);
        fputs(": ", json->out);
    }
}

static void open_level(Json* json, char opening, char closing) {
    fputc(opening, json->out);
    if (json->depth + 1 < JSON_DEPTH) {
        json->depth += 1;
    }
    json->closing[json->depth] = closing;
    json->begun[json->depth] = false;
}

Json json_begin(FILE* out) {
    Json json = {.out = out};
    open_level(&json, '{', '}');
    return json;
}

void json_finish(Json* json) {
    while (json->depth > 0) {
        json_end(json);
    }
    fputc('\n', json->out);
    fflush(json->out);
}

void json_object(Json* json, const char* key) {
    put_key(json, key);
    open_level(json, '{', '}');
}

void json_array(Json* json, const char* key) {
    put_key(json, key);
    open_level(json, '[', ']');
}

void json_end(Json* json) {
    if (json->depth > 0) {
        fputc(json->closing[json->depth], json->out);
        json->depth -= 1;
    }
}

void json_text(Json* json, const char* key, const char* text) {
    put_key(json, key);
    put_string(json->out, text);
}

void json_number(Json* json, const char* key, double value) {
    char text[CLI_NUMBER_TEXT];
    put_key(json, key);
    fputs(isfinite(value) ? cli_number_text(value, text) : "null", json->out);
}

void json_integer(Json* json, const char* key, int64_t value) {
    put_key(json, key);
    fprintf(json->out, "%" PRId64, value);
}

void json_bool(Json* json, const char* key, bool value) {
    put_key(json, key);
    fputs(value ? "true" : "false", json->out);
}
