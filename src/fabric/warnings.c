// SPDX-License-Identifier: MIT
#include "fabric/warnings.h"
#include "base/file.h"

#include <stdio.h>

bool hed_warnings_add(char*** notes, int32_t* count, int32_t* capacity, const char* format,
                      va_list arguments) {
    char text[HED_ERROR_TEXT];
    vsnprintf(text, sizeof text, format, arguments);
    char* copy = hed_text_copy(text);
    bool has_room = *count < *capacity ||
                    hed_array_grow((void**)notes, capacity, (int64_t)*count + 1, sizeof copy);
    if (!copy || !has_room) {
        hed_free(copy);
        return false;
    }
    (*notes)[(*count)++] = copy;
    return true;
}

void hed_warnings_free(char** notes, int32_t count) {
    for (int32_t i = 0; i < count; ++i) {
        hed_free(notes[i]);
    }
    hed_free(notes);
}
