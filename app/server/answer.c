// SPDX-License-Identifier: MIT
#define _POSIX_C_SOURCE 200809L
#include "server/answer.h"
#include "cli/common.h"
#include "cli/json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORD_LIMIT = 5 };

uint32_t show_list_look(ShowList* list) {
    uint32_t changed = 0;
    for (int32_t run = 0; run < list->count; ++run) {
        // In this order: a run that ends between the two is looked at once more.
        bool growing = hed_show_is_growing(list->shows[run]);
        int32_t frames = hed_show_frame_count(list->shows[run]);
        if (growing != list->growing[run] || frames != list->frames[run]) {
            changed |= 1u << run;
        }
        list->growing[run] = growing;
        list->frames[run] = frames;
    }
    return changed;
}

void message_free(Message* message) {
    hed_buffer_free(&message->bytes);
    free(message->json);
    *message = (Message){0};
}

static void no_memory(Message* message) {
    static const char TEXT[] = "{\"type\": \"error\", \"run\": 0, \"text\": \"no memory\"}";
    message_free(message);
    *message = (Message){.data = TEXT, .size = sizeof TEXT - 1, .is_text = true};
}

// JSON into memory: the stream is closed by finish.
typedef struct Draft {
    FILE* stream;
    char* text;
    size_t size;
    Json json;
} Draft;

static bool begin(Draft* draft, const char* type) {
    *draft = (Draft){0};
    draft->stream = open_memstream(&draft->text, &draft->size);
    if (draft->stream) {
        draft->json = json_begin(draft->stream);
        json_text(&draft->json, "type", type);
    }
    return draft->stream != NULL;
}

static void finish(Draft* draft, Message* message) {
    json_finish(&draft->json);
    bool failed = ferror(draft->stream) != 0;
    failed |= fclose(draft->stream) != 0;
    if (failed || !draft->text) {
        free(draft->text);
        no_memory(message);
        return;
    }
    *message = (Message){
        .data = draft->text, .size = draft->size - 1, .is_text = true, .json = draft->text};
}

void message_welcome(int32_t run_count, Message* message) {
    Draft draft;
    if (!begin(&draft, "welcome")) {
        no_memory(message);
        return;
    }
    json_text(&draft.json, "version", hed_version());
    json_integer(&draft.json, "runs", run_count);
    finish(&draft, message);
}

void message_grown(const ShowList* list, int32_t run, Message* message) {
    Draft draft;
    if (!begin(&draft, "grown")) {
        no_memory(message);
        return;
    }
    json_integer(&draft.json, "run", run);
    json_integer(&draft.json, "frames", list->frames[run]);
    json_bool(&draft.json, "growing", list->growing[run]);
    finish(&draft, message);
}

static void message_error(int32_t run, const char* text, Message* message) {
    Draft draft;
    message_free(message);
    if (!begin(&draft, "error")) {
        no_memory(message);
        return;
    }
    json_integer(&draft.json, "run", run);
    json_text(&draft.json, "text", text);
    finish(&draft, message);
}

// A request in words: its name, and numbers where it has any.
typedef struct Request {
    char words[WORD_LIMIT][REQUEST_LIMIT + 1];
    int32_t numbers[WORD_LIMIT];
    int32_t word_count;
} Request;

// A whole number as the page writes it: digits, perhaps a minus before them.
static bool read_number(const char* word, int32_t* number) {
    size_t digits = strspn(word + (word[0] == '-'), "0123456789");
    int64_t value = 0;
    if (digits == 0 || digits != strlen(word + (word[0] == '-')) ||
        !cli_integer(word, INT32_MIN, INT32_MAX, &value)) {
        return false;
    }
    *number = (int32_t)value;
    return true;
}

// False if there are more than five words, or blanks other than one between two.
static bool split(const char* text, Request* request) {
    *request = (Request){0};
    for (;;) {
        size_t size = strcspn(text, " ");
        if (size == 0 || size > REQUEST_LIMIT || request->word_count == WORD_LIMIT) {
            return false;
        }
        memcpy(request->words[request->word_count++], text, size);
        if (!text[size]) {
            return true;
        }
        text += size + 1;
    }
}

typedef HedStatus Meet(HedShow* show, const Request* request, Message* message, HedError* error);

static HedStatus meet_about(HedShow* show, const Request* request, Message* message,
                            HedError* error) {
    return hed_show_encode_about(show, request->numbers[1], &message->bytes, error);
}

static HedStatus meet_geometry(HedShow* show, const Request* request, Message* message,
                               HedError* error) {
    return hed_show_encode_geometry(show, request->numbers[1], &message->bytes, error);
}

static HedStatus meet_frame(HedShow* show, const Request* request, Message* message,
                            HedError* error) {
    HedFrameRequest wanted = {request->numbers[2], request->numbers[3], request->numbers[4]};
    return hed_show_encode_frame(show, request->numbers[1], wanted, &message->bytes, error);
}

static HedStatus meet_table(HedShow* show, const Request* request, Message* message,
                            HedError* error) {
    return hed_show_encode_table(show, request->numbers[1], request->words[2], request->numbers[3],
                                 &message->bytes, error);
}

// Requests about a run. pattern: a letter per word after the name, n for a number, t for a text.
static const struct {
    const char* name;
    const char* pattern;
    Meet* meet;
    bool is_text;
} REQUESTS[] = {
    {"about", "n", meet_about, true},
    {"geometry", "n", meet_geometry, false},
    {"frame", "nnnn", meet_frame, false},
    {"table", "ntn", meet_table, true},
};

enum { REQUEST_COUNT = sizeof REQUESTS / sizeof REQUESTS[0] };

static bool fits(Request* request, const char* pattern) {
    if (request->word_count != 1 + (int32_t)strlen(pattern)) {
        return false;
    }
    for (int32_t i = 1; i < request->word_count; ++i) {
        if (pattern[i - 1] == 'n' && !read_number(request->words[i], &request->numbers[i])) {
            return false;
        }
    }
    return true;
}

static void meet(const ShowList* list, int32_t kind, const Request* request, Message* message) {
    int32_t run = request->numbers[1];
    if (run < 0 || run >= list->count) {
        char text[64];
        snprintf(text, sizeof text, "there is no run %d: there are %d", (int)run, (int)list->count);
        message_error(run, text, message);
        return;
    }
    HedError error = {0};
    if (REQUESTS[kind].meet(list->shows[run], request, message, &error) != HED_OK) {
        message_error(run, error.message, message);
        return;
    }
    message->data = message->bytes.data;
    message->size = (size_t)message->bytes.size;
    message->is_text = REQUESTS[kind].is_text;
}

bool answer_request(const ShowList* list, const char* text, Message* message) {
    Request request;
    if (!split(text, &request)) {
        return false;
    }
    if (strcmp(text, "hello") == 0) {
        message_welcome(list->count, message);
        return true;
    }
    for (int32_t kind = 0; kind < REQUEST_COUNT; ++kind) {
        if (strcmp(request.words[0], REQUESTS[kind].name) == 0) {
            if (!fits(&request, REQUESTS[kind].pattern)) {
                return false;
            }
            meet(list, kind, &request, message);
            return true;
        }
    }
    return false;
}
