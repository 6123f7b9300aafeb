// SPDX-License-Identifier: MIT
#include "io/store.h"
#include "base/alloc.h"
#include "base/array.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/text.h"
#include "base/words.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

// Values go to the file as they stand in memory, and the hash reads words the same way.
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "stores are little-endian");

static const char MAGIC[] = "heddle-store 1\n";

enum {
    UNIT = 64,    // bytes to which data is aligned
    LINE = 128,   // bytes that hold any line of the header
    TRAILER = 22, // bytes of "hash <16 hex digits>\n"
};

typedef struct Type {
    const char* name;
    int64_t size; // bytes of one value
} Type;

static const Type TYPES[] = {{"f64", 8}, {"f32", 4}, {"i32", 4}, {"i64", 8}, {"u64", 8}, {"u8", 1}};

static const Type* find_type(HedSpan name) {
    for (size_t i = 0; i < sizeof TYPES / sizeof TYPES[0]; ++i) {
        if (hed_span_equal(name, TYPES[i].name)) {
            return &TYPES[i];
        }
    }
    return NULL;
}

static HedSpan span_of(const char* text) {
    size_t size = text ? strlen(text) : 0;
    return (HedSpan){text, size < INT32_MAX ? (int32_t)size : INT32_MAX};
}

static int64_t round_up(int64_t size) {
    return (size + UNIT - 1) / UNIT * UNIT;
}

static bool is_name(HedSpan name) {
    for (int32_t i = 0; i < name.size; ++i) {
        char c = name.data[i];
        bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        if (!is_plain && (!c || !strchr("_.-/:[]", c))) {
            return false;
        }
    }
    return name.size > 0 && name.size < HED_STORE_NAME;
}

// Bytes of the values of one array. Counts up to INT32_MAX, so that the sum over a file stays far
// from overflow.
static int64_t data_bytes(const HedStoreArray* array) {
    return array->count * find_type(span_of(array->type))->size;
}

// --- Saving ----------------------------------------------------------------------------------

static HedStatus check_array(const char* path, const HedStoreArray* arrays, int32_t index,
                             HedError* error) {
    const HedStoreArray* array = &arrays[index];
    if (!is_name(span_of(array->name))) {
        return hed_fail(error, HED_INVALID, "%s: '%s' cannot be the name of an array", path,
                        hed_quote(span_of(array->name)).text);
    }
    if (!find_type(span_of(array->type))) {
        return hed_fail(error, HED_INVALID, "%s: array '%s' has unknown type '%s'", path,
                        array->name, hed_quote(span_of(array->type)).text);
    }
    if (array->count < 0 || (array->count > 0 && !array->data)) {
        return hed_fail(error, HED_INVALID, "%s: array '%s' has %" PRId64 " values%s", path,
                        array->name, array->count, array->data ? "" : " and no data");
    }
    if (array->count > INT32_MAX) {
        return hed_fail(error, HED_UNSUPPORTED, "%s: array '%s' is over 2 GiB", path, array->name);
    }
    for (int32_t i = 0; i < index; ++i) {
        if (strcmp(arrays[i].name, array->name) == 0) {
            return hed_fail(error, HED_INVALID, "%s: two arrays are named '%s'", path, array->name);
        }
    }
    return HED_OK;
}

static HedStatus check_arrays(const char* path, const HedStoreArray* arrays, int32_t count,
                              HedError* error) {
    if (count < 0 || count > HED_STORE_ARRAYS) {
        return hed_fail(error, HED_INVALID, "%s: a store holds 0 to %d arrays, got %d", path,
                        HED_STORE_ARRAYS, count);
    }
    for (int32_t i = 0; i < count; ++i) {
        HedStatus status = check_array(path, arrays, i, error);
        if (status != HED_OK) {
            return status;
        }
    }
    return HED_OK;
}

// Prints the header for data that starts at `start`, into room for (count + 3) lines. Places have a
// fixed width, so the length does not depend on them. Returns the length; file_size may be NULL.
static int64_t print_header(const HedStoreArray* arrays, int32_t count, int64_t start, char* header,
                            int64_t* file_size) {
    size_t used = sizeof MAGIC - 1;
    memcpy(header, MAGIC, used);
    int64_t offset = start;
    for (int32_t i = 0; i < count; ++i) {
        used += (size_t)snprintf(header + used, LINE, "array %s %s %" PRId64 " %10" PRId64 "\n",
                                 arrays[i].name, arrays[i].type, arrays[i].count, offset);
        offset = round_up(offset + data_bytes(&arrays[i]));
    }
    *file_size = offset + TRAILER;
    used += (size_t)snprintf(header + used, LINE, "end %10" PRId64 "\n", *file_size);
    return (int64_t)used;
}

static void write_store(HedWriter* writer, const HedStoreArray* arrays, int32_t count,
                        const char* header, size_t start) {
    static const char ZERO[UNIT];
    hed_writer_bytes(writer, header, start);
    uint64_t hash = hed_hash(0, header, start);
    for (int32_t i = 0; i < count; ++i) {
        int64_t size = data_bytes(&arrays[i]);
        hed_writer_bytes(writer, arrays[i].data, (size_t)size);
        hed_writer_bytes(writer, ZERO, (size_t)(round_up(size) - size));
        hash = hed_hash(hash, size > 0 ? arrays[i].data : ZERO, (size_t)size);
    }
    hed_writer_print(writer, "hash %016" PRIx64 "\n", hash);
}

HedStatus hed_store_save(const char* path, const HedStoreArray* arrays, int32_t count,
                         HedError* error) {
    HedStatus status = HED_OK;
    HedWriter writer = {0};
    char* header = NULL;
    HED_TRY(check_arrays(path, arrays, count, error));
    header = hed_alloc((size_t)(count + 3) * LINE);
    if (!header) {
        return hed_fail_memory(error, path);
    }
    int64_t file_size = 0;
    int64_t start = round_up(print_header(arrays, count, 0, header, &file_size));
    print_header(arrays, count, start, header, &file_size);
    if (file_size >= INT32_MAX) {
        status = hed_fail(error, HED_UNSUPPORTED, "%s: would be %" PRId64 " bytes, over 2 GiB",
                          path, file_size);
        goto done;
    }
    HED_TRY(hed_writer_replace(&writer, path, error));
    write_store(&writer, arrays, count, header, (size_t)start);
    HED_TRY(hed_writer_commit(&writer, error));
done:
    hed_writer_abandon(&writer);
    hed_free(header);
    return status;
}

// --- Loading ---------------------------------------------------------------------------------

// One line of the header, with a name that is not terminated yet.
typedef struct StoreEntry {
    HedSpan name;
    const Type* type;
    int64_t count;
    int64_t offset;
} StoreEntry;

typedef struct StoreReader {
    const char* name; // of the file
    HedText text;
    HedTextLines lines;
    HED_ARRAY(StoreEntry) entries;
    int64_t file_size; // as the header says
    HedError* error;
} StoreReader;

static HedStatus fail_line(const StoreReader* reader, const char* rule, HedSpan found) {
    return hed_fail(reader->error, HED_PARSE, "%s:%d: %s, got '%s'", reader->name,
                    reader->lines.number, rule, hed_quote(found).text);
}

static HedStatus check_magic(const StoreReader* reader) {
    const HedText* text = &reader->text;
    if (text->size >= sizeof MAGIC - 1 && memcmp(text->data, MAGIC, sizeof MAGIC - 1) == 0) {
        return HED_OK;
    }
    HedTextLines lines = hed_lines_begin(text->data, text->size);
    if (!hed_lines_next(&lines)) {
        return hed_fail(reader->error, HED_PARSE, "%s: is empty", reader->name);
    }
    return hed_fail(reader->error, HED_PARSE, "%s:1: expected 'heddle-store 1', got '%s'",
                    reader->name, hed_quote(lines.line).text);
}

static bool has_entry(const StoreReader* reader, HedSpan name) {
    for (int32_t i = 0; i < reader->entries.count; ++i) {
        HedSpan other = reader->entries.data[i].name;
        if (other.size == name.size && memcmp(other.data, name.data, (size_t)name.size) == 0) {
            return true;
        }
    }
    return false;
}

static HedStatus read_entry(StoreReader* reader, HedSpan rest) {
    HedSpan word[4];
    for (int32_t i = 0; i < 4; ++i) {
        hed_span_word(&rest, &word[i]);
    }
    StoreEntry entry = {.name = word[0], .type = find_type(word[1])};
    if (reader->entries.count == HED_STORE_ARRAYS) {
        return fail_line(reader, "a store holds at most 4096 arrays", word[0]);
    }
    if (!is_name(word[0])) {
        return fail_line(reader, "expected the name of an array", word[0]);
    }
    if (has_entry(reader, word[0])) {
        return fail_line(reader, "names must be unique", word[0]);
    }
    if (!entry.type) {
        return fail_line(reader, "expected type f64, f32, i32, i64, u64 or u8", word[1]);
    }
    if (!hed_span_int64(word[2], &entry.count) || entry.count < 0 || entry.count > INT32_MAX) {
        return fail_line(reader, "expected a count of values", word[2]);
    }
    if (!hed_span_int64(word[3], &entry.offset) || hed_span_trim(rest).size > 0) {
        return fail_line(reader, "expected a byte offset and no more", word[3]);
    }
    if (!HED_APPEND(&reader->entries, entry)) {
        return hed_fail_memory(reader->error, reader->name);
    }
    return HED_OK;
}

static HedStatus read_header(StoreReader* reader) {
    reader->lines = hed_lines_begin(reader->text.data, reader->text.size);
    hed_lines_next(&reader->lines);
    while (hed_lines_next(&reader->lines)) {
        HedSpan rest = reader->lines.line;
        HedSpan word;
        if (rest.data + rest.size == reader->lines.end) {
            break; // a line without its end
        }
        hed_span_word(&rest, &word);
        if (hed_span_equal(word, "end")) {
            hed_span_word(&rest, &word);
            if (!hed_span_int64(word, &reader->file_size) || hed_span_trim(rest).size > 0) {
                return fail_line(reader, "expected 'end' and the file size", reader->lines.line);
            }
            return HED_OK;
        }
        if (!hed_span_equal(word, "array")) {
            return fail_line(reader, "expected 'array' or 'end'", reader->lines.line);
        }
        HedStatus status = read_entry(reader, rest);
        if (status != HED_OK) {
            return status;
        }
    }
    return hed_fail(reader->error, HED_PARSE, "%s: cut short: no 'end' line after %zu bytes",
                    reader->name, reader->text.size);
}

// The places in the header must be those that the sizes give. Returns the start of the data.
static HedStatus check_layout(const StoreReader* reader, int64_t* start) {
    *start = round_up(reader->lines.next - reader->text.data);
    int64_t offset = *start;
    for (int32_t i = 0; i < reader->entries.count; ++i) {
        const StoreEntry* entry = &reader->entries.data[i];
        if (entry->offset != offset) {
            return hed_fail(
                reader->error, HED_PARSE,
                "%s:%d: array '%s' must stand at byte %" PRId64 ", header says %" PRId64,
                reader->name, i + 2, hed_quote(entry->name).text, offset, entry->offset);
        }
        offset = round_up(offset + entry->count * entry->type->size);
    }
    if (reader->file_size != offset + TRAILER) {
        return hed_fail(reader->error, HED_PARSE,
                        "%s:%d: the arrays need %" PRId64 " bytes, header says %" PRId64,
                        reader->name, reader->lines.number, offset + TRAILER, reader->file_size);
    }
    int64_t size = (int64_t)reader->text.size;
    if (size != reader->file_size) {
        return hed_fail(reader->error, HED_PARSE, "%s: %s: %" PRId64 " bytes, header says %" PRId64,
                        reader->name, size < reader->file_size ? "cut short" : "too long", size,
                        reader->file_size);
    }
    return HED_OK;
}

static bool is_zero(const char* data, int64_t from, int64_t to) {
    for (int64_t i = from; i < to; ++i) {
        if (data[i]) {
            return false;
        }
    }
    return true;
}

static HedStatus check_hash(const StoreReader* reader, int64_t start) {
    const char* data = reader->text.data;
    uint64_t hash = hed_hash(0, data, (size_t)start);
    for (int32_t i = 0; i < reader->entries.count; ++i) {
        const StoreEntry* entry = &reader->entries.data[i];
        int64_t size = entry->count * entry->type->size;
        int64_t offset = entry->offset;
        hash = hed_hash(hash, data + offset, (size_t)size);
        if (!is_zero(data, offset + size, round_up(offset + size))) {
            return hed_fail(reader->error, HED_PARSE, "%s: byte %" PRId64 ": damaged padding",
                            reader->name, offset + size);
        }
    }
    char expected[TRAILER + 1];
    snprintf(expected, sizeof expected, "hash %016" PRIx64 "\n", hash);
    const char* found = data + reader->file_size - TRAILER;
    if (memcmp(found, expected, TRAILER) != 0) {
        return hed_fail(reader->error, HED_PARSE,
                        "%s: damaged: content gives '%.21s', file ends '%s'", reader->name,
                        expected, hed_quote((HedSpan){found, TRAILER - 1}).text);
    }
    return HED_OK;
}

// Hands the checked bytes to the store: names get their final 0 over the blank that follows them.
static HedStatus fill_store(StoreReader* reader, HedStore* store) {
    int32_t count = reader->entries.count;
    store->arrays = HED_NEW_ARRAY(HedStoreArray, count);
    if (!store->arrays) {
        return hed_fail_memory(reader->error, reader->name);
    }
    store->count = count;
    store->block = reader->text.data;
    reader->text = (HedText){0};
    for (int32_t i = 0; i < count; ++i) {
        const StoreEntry* entry = &reader->entries.data[i];
        ptrdiff_t name = entry->name.data - store->block;
        store->block[name + entry->name.size] = '\0';
        store->arrays[i] = (HedStoreArray){
            .name = store->block + name,
            .type = entry->type->name,
            .count = entry->count,
            .data = store->block + entry->offset,
        };
    }
    return HED_OK;
}

// Takes over text, whatever happens.
static HedStatus read_store(HedText text, const char* name, HedStore* store, HedError* error) {
    HedStatus status = HED_OK;
    StoreReader reader = {.name = name, .text = text, .error = error};
    int64_t start = 0;
    HED_TRY(check_magic(&reader));
    HED_TRY(read_header(&reader));
    HED_TRY(check_layout(&reader, &start));
    HED_TRY(check_hash(&reader, start));
    HED_TRY(fill_store(&reader, store));
done:
    hed_free(reader.entries.data);
    hed_text_free(&reader.text);
    return status;
}

HedStatus hed_store_load(const char* path, HedStore* store, HedError* error) {
    HedText text = {0};
    *store = (HedStore){0};
    HedStatus status = hed_text_read(path, &text, error);
    return status == HED_OK ? read_store(text, path, store, error) : status;
}

HedStatus hed_store_parse(const void* data, size_t size, const char* name, HedStore* store,
                          HedError* error) {
    *store = (HedStore){0};
    if (size >= (size_t)INT32_MAX) {
        return hed_fail(error, HED_UNSUPPORTED, "%s: %zu bytes, over 2 GiB", name, size);
    }
    HedText text = {.data = hed_alloc(size + 1), .size = size};
    if (!text.data) {
        return hed_fail_memory(error, name);
    }
    if (size > 0) {
        memcpy(text.data, data, size);
    }
    return read_store(text, name, store, error);
}

const void* hed_store_find(const HedStore* store, const char* name, const char* type,
                           int64_t* count) {
    for (int32_t i = 0; i < store->count; ++i) {
        const HedStoreArray* array = &store->arrays[i];
        if (strcmp(array->name, name) == 0 && strcmp(array->type, type) == 0) {
            if (count) {
                *count = array->count;
            }
            return array->data;
        }
    }
    return NULL;
}

void hed_store_free(HedStore* store) {
    hed_free(store->arrays);
    hed_free(store->block);
    *store = (HedStore){0};
}
