// SPDX-License-Identifier: MIT
// JSON on one line, written piece by piece. Commas, quotes and brackets are the writer's business.
#ifndef CLI_JSON_H
#define CLI_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { JSON_DEPTH = 16 };

typedef struct Json {
    FILE* out;
    int depth;
    char closing[JSON_DEPTH];
    bool begun[JSON_DEPTH]; // something stands there already
} Json;

/// Opens the outermost object.
Json json_begin(FILE* out);

/// Closes whatever is open and ends the line, and sees to it that a reader gets it now.
void json_finish(Json* json);

/// key is NULL inside arrays.
void json_object(Json* json, const char* key);
void json_array(Json* json, const char* key);
void json_end(Json* json);
void json_text(Json* json, const char* key, const char* text);
void json_number(Json* json, const char* key, double value); // null if not finite
void json_integer(Json* json, const char* key, int64_t value);
void json_bool(Json* json, const char* key, bool value);

#endif
