// SPDX-License-Identifier: MIT
#include "show/buffer.h"
#include "base/alloc.h"
#include "base/status.h"
#include "base/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void hed_buffer_free(HedBuffer* buffer) {
    hed_free(buffer->data);
    *buffer = (HedBuffer){0};
}

HedMessage hed_message_begin(HedBuffer* out) {
    return (HedMessage){.out = out, .start = out->size};
}

HedStatus hed_message_end(HedMessage* message, HedStatus status, const char* what,
                          HedError* error) {
    if (status == HED_OK && message->failed) {
        status = hed_fail_memory(error, what);
    }
    if (status != HED_OK) {
        message->out->size = message->start;
    }
    return status;
}

uint8_t* hed_message_room(HedMessage* message, int64_t size) {
    HedBuffer* out = message->out;
    int64_t needed = out->size + size;
    if (!message->failed && needed > out->capacity) {
        int64_t capacity = out->capacity + out->capacity / 2 + 256;
        capacity = capacity > needed ? capacity : needed;
        uint8_t* grown = hed_realloc(out->data, (size_t)capacity);
        message->failed = !grown;
        out->data = grown ? grown : out->data;
        out->capacity = grown ? capacity : out->capacity;
    }
    return message->failed ? NULL : out->data + out->size;
}

void hed_message_bytes(HedMessage* message, const void* data, int64_t size) {
    uint8_t* to = hed_message_room(message, size);
    if (to && size > 0) {
        memcpy(to, data, (size_t)size);
        message->out->size += size;
    }
}

void hed_message_u32(HedMessage* message, uint32_t value) {
    hed_message_bytes(message, &value, sizeof value);
}

void hed_json_raw(HedMessage* message, const char* text) {
    hed_message_bytes(message, text, (int64_t)strlen(text));
}

// Bytes of the UTF-8 sequence at text (RFC 3629: shortest forms, no surrogates, up to U+10FFFF), 0
// if it is none. The text ends with a zero byte, which no sequence contains.
static int sequence_length(const unsigned char* text) {
    unsigned char c = text[0];
    if (c < 0x80) {
        return 1;
    }
    int length = c >= 0xC2 && c <= 0xDF   ? 2
                 : (c & 0xF0) == 0xE0     ? 3
                 : c >= 0xF0 && c <= 0xF4 ? 4
                                          : 0;
    for (int k = 1; k < length; ++k) {
        if ((text[k] & 0xC0) != 0x80) {
            return 0;
        }
    }
    bool is_bad = (c == 0xE0 && text[1] < 0xA0) || (c == 0xED && text[1] > 0x9F) ||
                  (c == 0xF0 && text[1] < 0x90) || (c == 0xF4 && text[1] > 0x8F);
    return is_bad ? 0 : length;
}

void hed_json_string(HedMessage* message, const char* text) {
    const unsigned char* next = (const unsigned char*)text;
    hed_json_raw(message, "\"");
    while (*next) {
        int length = sequence_length(next);
        if (length == 0) {
            hed_json_raw(message, "\xEF\xBF\xBD");
            length = 1;
        } else if (*next < 0x20 || *next == 0x7F || *next == '"' || *next == '\\') {
            char escape[8];
            snprintf(escape, sizeof escape, "\\u%04x", (unsigned)*next);
            hed_json_raw(message, escape);
        } else {
            hed_message_bytes(message, next, length);
        }
        next += length;
    }
    hed_json_raw(message, "\"");
}

void hed_json_number(HedMessage* message, double value) {
    char text[HED_NUMBER_TEXT];
    hed_json_raw(message, isfinite(value) ? hed_format_double(value, text) : "null");
}

void hed_json_bool(HedMessage* message, bool value) {
    hed_json_raw(message, value ? "true" : "false");
}
