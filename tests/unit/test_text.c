// SPDX-License-Identifier: MIT
#define _GNU_SOURCE // setenv
#include "base/alloc.h"
#include "base/random.h"
#include "base/text.h"

#include <criterion/criterion.h>
#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static HedSpan span(const char* text) {
    return (HedSpan){text, (int32_t)strlen(text)};
}

static void write_file(const char* path, const void* data, size_t size) {
    FILE* file = fopen(path, "wb");
    cr_assert_not_null(file);
    cr_assert_eq(fwrite(data, 1, size, file), size);
    fclose(file);
}

Test(text, reads_whole_files_of_any_size) {
    size_t sizes[] = {0, 1, 2, 4095, 4096, 4097, 100000};
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; ++k) {
        char* content = hed_alloc(sizes[k] + 1);
        for (size_t i = 0; i < sizes[k]; ++i) {
            content[i] = (char)(i % 251);
        }
        write_file("content.bin", content, sizes[k]);
        HedText text;
        cr_assert_eq(hed_text_read("content.bin", &text, NULL), HED_OK);
        cr_assert_eq(text.size, sizes[k]);
        cr_assert_eq(memcmp(text.data, content, sizes[k]), 0);
        cr_assert_eq(text.data[text.size], '\0');
        hed_text_free(&text);
        hed_free(content);
    }
}

Test(text, reads_what_has_no_size) {
    HedText text;
    cr_assert_eq(hed_text_read("/proc/self/status", &text, NULL), HED_OK);
    cr_assert_gt(text.size, 0);
    cr_assert_not_null(strstr(text.data, "Name:"));
    hed_text_free(&text);
}

Test(text, pipes_are_read_to_their_end) {
    HedText text;
    HedError error = {0};
    char path[64];
    int ends[2];
    cr_assert_eq(pipe(ends), 0);
    cr_assert_eq(write(ends[1], "abc", 3), 3);
    close(ends[1]);
    snprintf(path, sizeof path, "/proc/self/fd/%d", ends[0]);
    cr_assert_eq(hed_text_read(path, &text, &error), HED_OK, "%s", error.message);
    cr_assert_str_eq(text.data, "abc");
    hed_text_free(&text);
    close(ends[0]);
    cr_assert_eq(hed_text_read("/dev/zero", &text, &error), HED_INVALID);
    cr_assert_not_null(strstr(error.message, "is a device"));
}

Test(text, missing_files_and_directories_are_errors) {
    HedText text;
    HedError error = {0};
    cr_assert_eq(hed_text_read("no/such.file", &text, &error), HED_NOT_FOUND);
    cr_assert_not_null(strstr(error.message, "no/such.file"));
    cr_assert_null(text.data);
    cr_assert_eq(mkdir("folder", 0777), 0);
    cr_assert_eq(hed_text_read("folder", &text, &error), HED_INVALID);
    cr_assert_not_null(strstr(error.message, "directory"));
    cr_assert_null(text.data);
}

Test(text, zero_bytes_are_no_text) {
    HedError error = {0};
    cr_assert_eq(hed_text_check("", 0, "f", &error), HED_OK);
    cr_assert_eq(hed_text_check(NULL, 0, "f", &error), HED_OK);
    cr_assert_eq(hed_text_check("a\nb\n", 4, "f", &error), HED_OK);
    cr_assert_eq(hed_text_check("", 1, "f", &error), HED_PARSE);
    cr_assert(strstr(error.message, "f:1: is no text: it holds a zero byte"), "%s", error.message);
    cr_assert_eq(hed_text_check("a\r\nb\rcd\0e\n", 9, "f", &error), HED_PARSE);
    cr_assert(strstr(error.message, "f:3: "), "%s", error.message);
    cr_assert_eq(hed_text_check("a\n\0", 3, "f", &error), HED_PARSE);
    cr_assert(strstr(error.message, "f:2: "), "%s", error.message);
}

Test(text, marks_of_other_encodings) {
    static const struct {
        const char* data;
        const char* message;
    } CASES[] = {{"\xFF\xFE"
                  "a\0",
                  "mark:1: is UTF-16 text; save it as UTF-8"},
                 {"\xFE\xFF\0a", "mark:1: is UTF-16 text; save it as UTF-8"},
                 {"\xFF\xFE\0\0", "mark:1: is UTF-32 text; save it as UTF-8"},
                 {"\0\0\xFE\xFF", "mark:1: is UTF-32 text; save it as UTF-8"}};
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; ++i) {
        HedText text = {0};
        HedError error = {0};
        write_file("mark", CASES[i].data, 4);
        cr_assert_eq(hed_text_read("mark", &text, &error), HED_PARSE);
        cr_assert_str_eq(error.message, CASES[i].message);
        cr_assert_null(text.data);
        cr_assert_eq(hed_text_check(CASES[i].data, 4, "mark", &error), HED_PARSE);
        cr_assert_str_eq(error.message, CASES[i].message);
    }
    HedText text = {0};
    write_file("mark",
               "\xEF\xBB\xBF"
               "a",
               4); // UTF-8
    cr_assert_eq(hed_text_read("mark", &text, NULL), HED_OK);
    hed_text_free(&text);
}

Test(text, no_memory_is_reported) {
    write_file("some.txt", "some", 4);
    HedAllocStats before = hed_alloc_stats();
    HedText text;
    hed_alloc_fail_at(1);
    cr_assert_eq(hed_text_read("some.txt", &text, NULL), HED_NO_MEMORY);
    cr_assert_null(text.data);
    cr_assert_eq(hed_alloc_stats().live_count, before.live_count);
}

static void expect_lines(const char* data, const char* const* expected) {
    HedTextLines lines = hed_lines_begin(data, strlen(data));
    int32_t number = 0;
    while (hed_lines_next(&lines)) {
        cr_assert_not_null(expected[number], "one line too many in '%s'", data);
        cr_assert(hed_span_equal(lines.line, expected[number]), "line %d of '%s'", number, data);
        cr_assert_eq(lines.number, ++number);
    }
    cr_assert_null(expected[number], "a line is missing in '%s'", data);
    cr_assert_not(hed_lines_next(&lines));
}

Test(text, lines_end_in_any_way) {
    const char* const three[] = {"a", "", "bc", NULL};
    expect_lines("a\n\nbc", three);
    expect_lines("a\n\nbc\n", three);
    expect_lines("a\r\n\r\nbc\r\n", three);
    expect_lines("a\r\rbc\r", three);
    expect_lines("a\r\n\rbc\n", three); // CRLF, then CR
    expect_lines("\xEF\xBB\xBF"
                 "a\n\nbc",
                 three);
    const char* const none[] = {NULL};
    expect_lines("", none);
    expect_lines("\xEF\xBB\xBF", none);
    const char* const blank[] = {"", NULL};
    expect_lines("\n", blank);
    expect_lines("\r\n", blank);
    const char* const partial_mark[] = {"\xEF\xBB", NULL};
    expect_lines("\xEF\xBB", partial_mark);
    HedTextLines nothing = hed_lines_begin(NULL, 0);
    cr_assert_not(hed_lines_next(&nothing));
}

Test(text, lines_are_not_read_beyond_their_end) {
    char* exact = hed_alloc(64); // the sanitizer sees a read past the block
    memset(exact, 'x', 64);
    exact[63] = '\r';
    HedTextLines lines = hed_lines_begin(exact, 64);
    cr_assert(hed_lines_next(&lines));
    cr_assert_eq(lines.line.size, 63);
    cr_assert_not(hed_lines_next(&lines));
    hed_free(exact);
}

Test(text, words_columns_and_trim) {
    HedSpan line = span("  v\t1.5  -2 ");
    HedSpan rest = line;
    HedSpan word;
    cr_assert(hed_span_word(&rest, &word) && hed_span_equal(word, "v"));
    cr_assert_eq(hed_span_column(line, word.data), 3);
    cr_assert(hed_span_word(&rest, &word) && hed_span_equal(word, "1.5"));
    cr_assert_eq(hed_span_column(line, word.data), 5);
    cr_assert(hed_span_word(&rest, &word) && hed_span_equal(word, "-2"));
    cr_assert_not(hed_span_word(&rest, &word));
    cr_assert_not(hed_span_word(&rest, &word));
    cr_assert(hed_span_equal(hed_span_trim(span(" \t a b \n")), "a b"));
    cr_assert(hed_span_equal(hed_span_trim(span("  ")), ""));
    HedSpan foreign = span("na\xC3\xAFve");
    cr_assert(hed_span_word(&foreign, &word) && hed_span_equal(word, "na\xC3\xAFve"));
}

Test(text, doubles_that_are_numbers) {
    static const struct {
        const char* text;
        double value;
    } CASES[] = {{"0", 0.0},       {"-0.5", -0.5},    {"+3", 3.0},
                 {".25", 0.25},    {"7.", 7.0},       {"1e3", 1000.0},
                 {"1E-3", 0.001},  {"1.5e+2", 150.0}, {"0.1", 0.1},
                 {"1e-400", 0.0},  {"007", 7.0},      {"5e-324", 0x1p-1074},
                 {"2.5e-1", 0.25}, {"-1e0", -1.0},    {"123456789", 123456789.0},
                 {"1e308", 1e308}};
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; ++i) {
        double value = NAN;
        cr_assert(hed_span_double(span(CASES[i].text), &value), "'%s'", CASES[i].text);
        cr_assert_eq(value, CASES[i].value, "'%s' gave %.17g", CASES[i].text, value);
    }
}

Test(text, doubles_that_are_not) {
    static const char* const CASES[] = {"",      "-",     ".",     "e5",  "1e",   "1e+",
                                        "1,5",   "1.5.2", "nan",   "inf", "-inf", "0x1",
                                        "1e400", "1 ",    " 1",    "1_0", "--1",  "1d3",
                                        "1.5f",  "+",     "1e5.5", "1-2", "NaN",  "-1e999"};
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; ++i) {
        double value = 42.0;
        cr_assert_not(hed_span_double(span(CASES[i]), &value), "'%s'", CASES[i]);
        cr_assert_eq(value, 42.0);
    }
    char digits[2000];
    memset(digits, '9', sizeof digits);
    double value = 42.0;
    cr_assert_not(hed_span_double((HedSpan){digits, sizeof digits}, &value));
    cr_assert_not(hed_span_double((HedSpan){"1\0", 2}, &value));
}

Test(text, doubles_stop_at_the_span) {
    double value = 0.0;
    cr_assert(hed_span_double((HedSpan){"12345", 3}, &value));
    cr_assert_eq(value, 123.0);
}

Test(text, integers) {
    int64_t value = 0;
    cr_assert(hed_span_int64(span("9223372036854775807"), &value) && value == INT64_MAX);
    cr_assert(hed_span_int64(span("-9223372036854775808"), &value) && value == INT64_MIN);
    cr_assert(hed_span_int64(span("+12"), &value) && value == 12);
    cr_assert(hed_span_int64(span("-0"), &value) && value == 0);
    static const char* const BAD[] = {"9223372036854775808", "1.0", "1e3", "", "-", "0x10", "1 2"};
    for (size_t i = 0; i < sizeof BAD / sizeof BAD[0]; ++i) {
        cr_assert_not(hed_span_int64(span(BAD[i]), &value), "'%s'", BAD[i]);
    }
}

static void expect_round_trip(double value) {
    char buffer[HED_NUMBER_TEXT];
    double back = NAN;
    const char* text = hed_format_double(value, buffer);
    cr_assert_eq(text, buffer);
    cr_assert(hed_span_double(span(text), &back), "%.17g gave '%s'", value, text);
    cr_assert_eq(memcmp(&back, &value, sizeof value), 0, "%.17g gave '%s'", value, text);
}

Test(text, formatted_doubles_read_back_the_same) {
    double hard[] = {0.0,       -0.0, 0.1,  1.0 / 3.0, DBL_MAX,    -DBL_MAX, DBL_MIN, 0x1p-1074,
                     0x1p-1073, 1e22, 1e23, 5e-324,    123456.789, 1e-5,     1e5,     0.3};
    for (size_t i = 0; i < sizeof hard / sizeof hard[0]; ++i) {
        expect_round_trip(hard[i]);
    }
    for (uint64_t i = 0; i < 20000; ++i) {
        HedRandom4 r = hed_philox((HedRandom4){{(uint32_t)i, 0, 0, 0}}, 5, 6);
        double value;
        memcpy(&value, r.word, sizeof value); // any bits: all exponents
        if (isfinite(value)) {
            expect_round_trip(value);
        }
    }
}

Test(text, formatted_doubles_are_short) {
    char buffer[HED_NUMBER_TEXT];
    cr_assert_str_eq(hed_format_double(0.1, buffer), "0.1");
    cr_assert_str_eq(hed_format_double(-2.0, buffer), "-2");
    cr_assert_str_eq(hed_format_double(1e-300, buffer), "1e-300");
    cr_assert_str_eq(hed_format_double(0x1p-1074, buffer), "5e-324");
    cr_assert_str_eq(hed_format_double(0.30000000000000004, buffer), "0.30000000000000004");
    cr_assert_str_eq(hed_format_double(INFINITY, buffer), "inf");
}

// Makes a locale whose decimal mark is the given code point, in the present directory, and enters
// it.
static void enter_locale(const char* name, const char* mark) {
    char source[256];
    int size = snprintf(source, sizeof source,
                        "escape_char /\nLC_NUMERIC\ndecimal_point \"<%s>\"\nthousands_sep \"\"\n"
                        "grouping -1\nEND LC_NUMERIC\n",
                        mark);
    write_file("locale.source", source, (size_t)size);
    char command[256];
    snprintf(command, sizeof command,
             "localedef -c --no-archive -i ./locale.source -f UTF-8 ./%s >localedef.log 2>&1",
             name);
    (void)!system(command); // warns, with exit code 1, that other categories are missing
    cr_assert_eq(setenv("LOCPATH", ".", 1), 0);
    cr_assert_not_null(setlocale(LC_ALL, "C"));
    cr_assert_not_null(setlocale(LC_NUMERIC, name), "localedef could not make %s", name);
}

static void expect_numbers_as_in_c(const char* native) {
    char text[HED_NUMBER_TEXT];
    snprintf(text, sizeof text, "%g", 1.5);
    cr_assert_str_eq(text, native, "the locale is not in force");
    double value = 0.0;
    cr_assert(hed_span_double(span("1.5"), &value));
    cr_assert_eq(value, 1.5);
    cr_assert_not(hed_span_double(span(native), &value));
    cr_assert_str_eq(hed_format_double(-1234.5678, text), "-1234.5678");
    expect_round_trip(1.0 / 3.0);
    snprintf(text, sizeof text, "%g", 1.5);
    cr_assert_str_eq(text, native, "the caller's locale was not restored");
}

Test(text, numbers_do_not_depend_on_the_locale) {
    enter_locale("comma.UTF-8", "U002C");
    expect_numbers_as_in_c("1,5");
    enter_locale("arabic.UTF-8", "U066B"); // two bytes in UTF-8
    expect_numbers_as_in_c("1\xD9\xAB"
                           "5");
}

Test(text, distance_counts_single_changes) {
    static const struct {
        const char* a;
        const char* b;
        int32_t distance;
    } CASES[] = {{"", "", 0},
                 {"abc", "abc", 0},
                 {"", "abc", 3},
                 {"radius", "raduis", 1},
                 {"radius", "radis", 1},
                 {"radius", "radiuss", 1},
                 {"radius", "radiux", 1},
                 {"kitten", "sitting", 3},
                 {"ab", "ba", 1},
                 {"abcd", "badc", 2},
                 {"a", "b", 1},
                 {"stretch", "shear", 5}};
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; ++i) {
        cr_assert_eq(hed_text_distance(CASES[i].a, CASES[i].b), CASES[i].distance, "%s %s",
                     CASES[i].a, CASES[i].b);
        cr_assert_eq(hed_text_distance(CASES[i].b, CASES[i].a), CASES[i].distance);
    }
    char longer[200];
    memset(longer, 'a', sizeof longer);
    longer[199] = '\0';
    cr_assert_geq(hed_text_distance(longer, "a"), 64);
}
