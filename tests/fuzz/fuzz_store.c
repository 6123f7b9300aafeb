// SPDX-License-Identifier: MIT
#include "base/alloc.h"
#include "io/store.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

static volatile unsigned sink;

// Touches every byte that an accepted store points to.
static void read_arrays(const HedStore* store) {
    for (int32_t i = 0; i < store->count; ++i) {
        const HedStoreArray* array = &store->arrays[i];
        int64_t count = -1;
        const unsigned char* bytes = hed_store_find(store, array->name, array->type, &count);
        if (bytes != array->data || count != array->count || (uintptr_t)bytes % 64 != 0) {
            abort();
        }
        int64_t unit = array->type[0] == 'u' && array->type[1] == '8' ? 1
                       : array->type[1] == '3'                        ? 4
                                                                      : 8;
        for (int64_t j = 0; j < count * unit; ++j) {
            sink += bytes[j];
        }
    }
}

// Mutations rarely meet a 64-bit hash: the message of a refusal tells which one the content has, so
// a second try carries it.
static HedStatus parse_repaired(const uint8_t* data, size_t size, HedStore* store) {
    HedError error = {0};
    char* copy = hed_alloc(size + 1);
    memcpy(copy, data, size);
    HedStatus status = hed_store_parse(copy, size, "fuzz", store, &error);
    static const char MESSAGE[] = "fuzz: damaged: content gives '";
    if (status != HED_OK && strncmp(error.message, MESSAGE, sizeof MESSAGE - 1) == 0) {
        memcpy(copy + size - 22, error.message + sizeof MESSAGE - 1, 21);
        copy[size - 1] = '\n';
        status = hed_store_parse(copy, size, "fuzz", store, &error);
        if (status != HED_OK) {
            abort();
        }
    }
    hed_free(copy);
    return status;
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    HedStore store = {0};
    if (size > 0 && parse_repaired(data, size, &store) == HED_OK) {
        read_arrays(&store);
    }
    hed_store_free(&store);
    if (hed_alloc_stats().live_count != 0) {
        abort();
    }
    return 0;
}
