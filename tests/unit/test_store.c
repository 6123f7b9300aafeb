// SPDX-License-Identifier: MIT
#define _GNU_SOURCE // mkdtemp
#include "base/alloc.h"
#include "base/file.h"
#include "base/text.h"
#include "io/store.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char directory[64];
static char path[96];

static void set_up(void) {
    snprintf(directory, sizeof directory, "%s/hed-store-XXXXXX", P_tmpdir);
    cr_assert_not_null(mkdtemp(directory));
    snprintf(path, sizeof path, "%s/state.store", directory);
}

static void tear_down(void) {
    unlink(path);
    cr_assert_eq(rmdir(directory), 0, "a file was left behind");
}

TestSuite(store, .init = set_up, .fini = tear_down);

static const double X[5] = {0.1, -2.5e-300, 1e300, -0.0, 3.0};
static const int32_t TRIANGLES[6] = {0, 1, 2, 2, 1, INT32_MIN};
static const int64_t STEP[1] = {INT64_MAX};
static const uint64_t SEED[1] = {UINT64_MAX};
static const char NOTE[] = "hello";

static const HedStoreArray ARRAYS[] = {
    {"sheet[0]/x", "f64", 5, X}, {"tri", "i32", 6, TRIANGLES}, {"step", "i64", 1, STEP},
    {"seed", "u64", 1, SEED},    {"note", "u8", 5, NOTE},      {"empty", "f64", 0, NULL},
};
enum { COUNT = sizeof ARRAYS / sizeof ARRAYS[0] };

static HedText saved_bytes(void) {
    HedText text = {0};
    cr_assert_eq(hed_store_save(path, ARRAYS, COUNT, NULL), HED_OK);
    cr_assert_eq(hed_text_read(path, &text, NULL), HED_OK);
    return text;
}

static void expect_failure(const void* data, size_t size, const char* message) {
    HedStore store = {0};
    HedError error = {0};
    cr_assert_eq(hed_store_parse(data, size, "f", &store, &error), HED_PARSE);
    cr_assert_str_eq(error.message, message);
    cr_assert_null(store.block);
    cr_assert_null(store.arrays);
}

static void expect_text_failure(const char* text, const char* message) {
    expect_failure(text, strlen(text), message);
}

Test(store, round_trip) {
    HedStore store = {0};
    HedError error = {0};
    cr_assert_eq(hed_store_save(path, ARRAYS, COUNT, &error), HED_OK, "%s", error.message);
    cr_assert_eq(hed_store_load(path, &store, &error), HED_OK, "%s", error.message);
    cr_assert_eq(store.count, COUNT);
    for (int32_t i = 0; i < COUNT; ++i) {
        int64_t count = -1;
        const void* data = hed_store_find(&store, ARRAYS[i].name, ARRAYS[i].type, &count);
        cr_assert_not_null(data);
        cr_assert_eq(count, ARRAYS[i].count);
        cr_assert_eq((uintptr_t)data % 64, 0);
        size_t size = (size_t)count * (ARRAYS[i].type[0] == 'u' && ARRAYS[i].type[1] == '8' ? 1
                                       : ARRAYS[i].type[1] == '3'                           ? 4
                                                                                            : 8);
        cr_assert(size == 0 || memcmp(data, ARRAYS[i].data, size) == 0);
    }
    cr_assert_null(hed_store_find(&store, "tri", "f64", NULL));
    cr_assert_null(hed_store_find(&store, "missing", "f64", NULL));
    hed_store_free(&store);
    cr_assert_eq(hed_alloc_stats().live_count, 0);
}

Test(store, empty_store_and_replacement) {
    HedStore store = {0};
    cr_assert_eq(hed_store_save(path, ARRAYS, COUNT, NULL), HED_OK);
    cr_assert_eq(hed_store_save(path, NULL, 0, NULL), HED_OK);
    cr_assert_eq(hed_store_load(path, &store, NULL), HED_OK);
    cr_assert_eq(store.count, 0);
    hed_store_free(&store);
}

// 15 bytes of the first line, 15 of the last: the data, of 0 bytes, starts and ends at 64.
Test(store, the_header_is_text) {
    HedText text = {0};
    cr_assert_eq(hed_store_save(path, NULL, 0, NULL), HED_OK);
    cr_assert_eq(hed_text_read(path, &text, NULL), HED_OK);
    cr_assert_eq(text.size, 64 + 22);
    cr_assert_eq(memcmp(text.data, "heddle-store 1\nend         86\n", 30), 0);
    cr_assert_eq(memcmp(text.data + 64, "hash ", 5), 0);
    hed_text_free(&text);
}

Test(store, every_cut_is_seen) {
    HedText text = saved_bytes();
    for (size_t size = 0; size < text.size; ++size) {
        HedStore store = {0};
        HedError error = {0};
        cr_assert_eq(hed_store_parse(text.data, size, "f", &store, &error), HED_PARSE);
        cr_assert_eq(strncmp(error.message, "f:", 2), 0);
    }
    char message[96];
    snprintf(message, sizeof message, "f: cut short: %zu bytes, header says %zu", text.size - 1,
             text.size);
    expect_failure(text.data, text.size - 1, message);
    expect_failure(text.data, 40, "f: cut short: no 'end' line after 40 bytes");
    expect_failure(text.data, 0, "f: is empty");
    hed_text_free(&text);
}

Test(store, every_flipped_bit_is_seen) {
    HedText text = saved_bytes();
    for (size_t bit = 0; bit < 8 * text.size; ++bit) {
        HedStore store = {0};
        HedError error = {0};
        text.data[bit / 8] = (char)(text.data[bit / 8] ^ (1 << (bit % 8)));
        cr_assert_eq(hed_store_parse(text.data, text.size, "f", &store, &error), HED_PARSE,
                     "bit %zu", bit);
        cr_assert_neq(error.message[0], '\0');
        text.data[bit / 8] = (char)(text.data[bit / 8] ^ (1 << (bit % 8)));
    }
    hed_text_free(&text);
}

Test(store, damage_on_disk_names_the_file) {
    HedText text = saved_bytes();
    HedStore store = {0};
    HedError error = {0};
    FILE* file = fopen(path, "wb");
    cr_assert_eq(fwrite(text.data, 1, text.size / 2, file), text.size / 2);
    fclose(file);
    cr_assert_eq(hed_store_load(path, &store, &error), HED_PARSE);
    cr_assert_eq(strncmp(error.message, path, strlen(path)), 0);
    cr_assert_not_null(strstr(error.message, "cut short"));
    unlink(path);
    cr_assert_eq(hed_store_load(path, &store, &error), HED_NOT_FOUND);
    cr_assert_eq(hed_store_load(directory, &store, &error), HED_INVALID);
    hed_text_free(&text);
}

Test(store, bad_headers) {
    expect_text_failure("PNG\n", "f:1: expected 'heddle-store 1', got 'PNG'");
    expect_text_failure("heddle-store 2\nend 86\n",
                        "f:1: expected 'heddle-store 1', got 'heddle-store 2'");
    expect_text_failure("heddle-store 1\n\nend 86\n", "f:2: expected 'array' or 'end', got ''");
    expect_text_failure("heddle-store 1\narray\n", "f:2: expected the name of an array, got ''");
    expect_text_failure("heddle-store 1\narray a~ u8 1 0\n",
                        "f:2: expected the name of an array, got 'a~'");
    expect_text_failure("heddle-store 1\narray a u8 1 0\narray a u8 1 0\n",
                        "f:3: names must be unique, got 'a'");
    expect_text_failure("heddle-store 1\narray a f16 1 0\n",
                        "f:2: expected type f64, f32, i32, i64, u64 or u8, got 'f16'");
    expect_text_failure("heddle-store 1\narray a f64 -1 0\n",
                        "f:2: expected a count of values, got '-1'");
    expect_text_failure("heddle-store 1\narray a f64 99999999999 0\n",
                        "f:2: expected a count of values, got '99999999999'");
    expect_text_failure("heddle-store 1\narray a f64 1 x\n",
                        "f:2: expected a byte offset and no more, got 'x'");
    expect_text_failure("heddle-store 1\narray a f64 1 64 7\n",
                        "f:2: expected a byte offset and no more, got '64'");
    expect_text_failure("heddle-store 1\nend\n",
                        "f:2: expected 'end' and the file size, got 'end'");
    expect_text_failure("heddle-store 1\narray a f64 1 0\nend 150\n",
                        "f:2: array 'a' must stand at byte 64, header says 0");
    expect_text_failure("heddle-store 1\narray a f64 9 64\narray b u8 1 128\nend 0\n",
                        "f:3: array 'b' must stand at byte 192, header says 128");
    expect_text_failure("heddle-store 1\narray a f64 1 64\nend 151\n",
                        "f:3: the arrays need 150 bytes, header says 151");
    expect_text_failure("heddle-store 1\narray a f64 2147483647 64\nend 17179869270\n",
                        "f: cut short: 57 bytes, header says 17179869270");
}

Test(store, bytes_after_the_end) {
    HedText text = saved_bytes();
    char* longer = hed_alloc(text.size + 1);
    memcpy(longer, text.data, text.size);
    char message[96];
    snprintf(message, sizeof message, "f: too long: %zu bytes, header says %zu", text.size + 1,
             text.size);
    expect_failure(longer, text.size + 1, message);
    hed_free(longer);
    hed_text_free(&text);
}

Test(store, bad_arrays_are_not_saved) {
    static const struct {
        HedStoreArray array;
        const char* message;
    } CASES[] = {
        {{"", "f64", 1, X}, "'' cannot be the name of an array"},
        {{NULL, "f64", 1, X}, "'' cannot be the name of an array"},
        {{"a b", "f64", 1, X}, "'a b' cannot be the name of an array"},
        {{"a", "f16", 1, X}, "array 'a' has unknown type 'f16'"},
        {{"a", "f64", -1, X}, "array 'a' has -1 values"},
        {{"a", "f64", 1, NULL}, "array 'a' has 1 values and no data"},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; ++i) {
        HedError error = {0};
        cr_assert_eq(hed_store_save(path, &CASES[i].array, 1, &error), HED_INVALID);
        cr_assert_str_eq(error.message + strlen(path) + 2, CASES[i].message);
        cr_assert_not(hed_file_exists(path));
    }
    HedStoreArray twice[2] = {{"a", "f64", 1, X}, {"a", "u8", 1, NOTE}};
    cr_assert_eq(hed_store_save(path, twice, 2, NULL), HED_INVALID);
    cr_assert_eq(hed_store_save(path, twice, HED_STORE_ARRAYS + 1, NULL), HED_INVALID);
    HedStoreArray huge = {"a", "f64", INT64_C(1) << 40, X};
    cr_assert_eq(hed_store_save(path, &huge, 1, NULL), HED_UNSUPPORTED);
    huge.count = 300000000; // 2.4e9 bytes
    cr_assert_eq(hed_store_save(path, &huge, 1, NULL), HED_UNSUPPORTED);
}

Test(store, many_long_names) {
    char(*names)[HED_STORE_NAME] = hed_alloc_array(HED_STORE_ARRAYS, HED_STORE_NAME);
    HedStoreArray* arrays = HED_NEW_ARRAY(HedStoreArray, HED_STORE_ARRAYS);
    for (int32_t i = 0; i < HED_STORE_ARRAYS; ++i) {
        snprintf(names[i], HED_STORE_NAME, "%063d", i);
        arrays[i] = (HedStoreArray){names[i], "u8", 1, NOTE};
    }
    HedStore store = {0};
    cr_assert_eq(hed_store_save(path, arrays, HED_STORE_ARRAYS, NULL), HED_OK);
    cr_assert_eq(hed_store_load(path, &store, NULL), HED_OK);
    cr_assert_eq(*(const char*)hed_store_find(&store, names[4095], "u8", NULL), 'h');
    hed_store_free(&store);
    hed_free(names);
    hed_free(arrays);
}

Test(store, every_allocation_may_fail) {
    cr_assert_eq(hed_store_save(path, ARRAYS, COUNT, NULL), HED_OK);
    HedStatus status = HED_NO_MEMORY;
    for (int64_t n = 1; status != HED_OK; ++n) {
        int64_t calls = hed_alloc_stats().call_count;
        hed_alloc_fail_at(n);
        status = hed_store_save(path, ARRAYS, COUNT, NULL);
        hed_alloc_fail_at(0);
        cr_assert_eq(status, hed_alloc_stats().call_count - calls < n ? HED_OK : HED_NO_MEMORY);
        cr_assert_eq(hed_alloc_stats().live_count, 0);
    }
    status = HED_NO_MEMORY;
    for (int64_t n = 1; status != HED_OK; ++n) {
        HedStore store = {0};
        int64_t calls = hed_alloc_stats().call_count;
        hed_alloc_fail_at(n);
        status = hed_store_load(path, &store, NULL);
        hed_alloc_fail_at(0);
        cr_assert_eq(status, hed_alloc_stats().call_count - calls < n ? HED_OK : HED_NO_MEMORY);
        hed_store_free(&store);
        cr_assert_eq(hed_alloc_stats().live_count, 0);
    }
}
