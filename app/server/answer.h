// SPDX-License-Identifier: MIT
// Requests of the viewer and their answers (docs/protocol.md), without any socket.
#ifndef SERVER_ANSWER_H
#define SERVER_ANSWER_H

#include "heddle/heddle.h"

enum {
    REQUEST_LIMIT = 256, // bytes
    SHOW_LIST_LIMIT = 2, // runs or files in one viewer
};

/// What the viewer shows, and what it was told about it last.
typedef struct ShowList {
    HedShow* shows[SHOW_LIST_LIMIT];
    int32_t count;
    int32_t frames[SHOW_LIST_LIMIT];
    bool growing[SHOW_LIST_LIMIT];
} ShowList;

/// Looks how far the runs are; bit i is set if run i has changed since the last look.
uint32_t show_list_look(ShowList* list);

/// A message for the viewer. Zero-initialise; free with message_free.
typedef struct Message {
    const void* data; // NULL: none
    size_t size;
    bool is_text;
    HedBuffer bytes; // holds data, if the library made it
    char* json;      // or this does
} Message;

void message_free(Message* message);

/// Messages of ours. They never fail: without memory they say so.
void message_welcome(int32_t run_count, Message* message);
void message_grown(const ShowList* list, int32_t run, Message* message);

/// Answers one request, with an error message if it cannot be met. False: it is not a request.
bool answer_request(const ShowList* list, const char* request, Message* message);

#endif
