// SPDX-License-Identifier: MIT
#include "io/readers.h"
#include "base/file.h"
#include "base/text.h"
#include "base/words.h"

static HedStatus find(const HedReaders* readers, const char* format, const char* name,
                      const HedReader** reader, HedError* error) {
    for (int32_t i = 0; i < readers->count; ++i) {
        if (hed_same_word(format, readers->list[i].extension)) {
            *reader = &readers->list[i];
            return HED_OK;
        }
    }
    return hed_fail(error, HED_UNSUPPORTED, "%s: cannot read %s of format '%s', only %s", name,
                    readers->what, format, readers->formats);
}

HedStatus hed_readers_parse(const HedReaders* readers, HedInput input, const char* format,
                            void* out, HedError* error) {
    const HedReader* reader = NULL;
    HedStatus status = find(readers, format, input.name, &reader, error);
    if (status != HED_OK) {
        return status;
    }
    if (input.size > (size_t)INT32_MAX) {
        return hed_fail(error, HED_UNSUPPORTED, "%s: %zu bytes, over 2 GiB", input.name,
                        input.size);
    }
    input.data = input.size > 0 ? input.data : "";
    if (reader->is_text) {
        status = hed_text_check(input.data, input.size, input.name, error);
    }
    return status == HED_OK ? reader->parse(input, out, error) : status;
}

HedStatus hed_readers_load(const HedReaders* readers, const char* path, void* out,
                           HedError* error) {
    HedStatus status = HED_OK;
    HedText text = {0};
    const HedReader* reader = NULL;
    HED_TRY(find(readers, hed_path_extension(path), path, &reader, error));
    HED_TRY(hed_text_read(path, &text, error));
    HedInput input = {text.data, text.size, path};
    HED_TRY(hed_readers_parse(readers, input, reader->extension, out, error));
done:
    hed_text_free(&text);
    return status;
}
