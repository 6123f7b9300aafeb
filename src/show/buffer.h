// SPDX-License-Identifier: MIT
// Bytes and JSON that grow at the end of a HedBuffer. Private to src/show.
#ifndef HED_SHOW_BUFFER_H
#define HED_SHOW_BUFFER_H

#include "heddle/show.h"

// Numbers go out as they stand in memory.
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "messages are little-endian");

/// A message being put together. A failed allocation is kept until the end; nothing is added after
/// it.
typedef struct HedMessage {
    HedBuffer* out;
    int64_t start; // size of out before it
    bool failed;
} HedMessage;

HedMessage hed_message_begin(HedBuffer* out);

/// Takes the message back if status is not HED_OK or memory ran out; what names it in the error.
HedStatus hed_message_end(HedMessage* message, HedStatus status, const char* what, HedError* error);

/// Room for size more bytes, which the caller counts into out->size as it fills them; NULL without
/// memory.
uint8_t* hed_message_room(HedMessage* message, int64_t size);

void hed_message_bytes(HedMessage* message, const void* data, int64_t size);
void hed_message_u32(HedMessage* message, uint32_t value);

/// JSON: text as it is, a string with quotes around and everything escaped that must be (bytes that
/// are not UTF-8 become U+FFFD), a number (null if it is not finite).
void hed_json_raw(HedMessage* message, const char* text);
void hed_json_string(HedMessage* message, const char* text);
void hed_json_number(HedMessage* message, double value);
void hed_json_bool(HedMessage* message, bool value);

#endif
