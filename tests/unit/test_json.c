// SPDX-License-Identifier: MIT
// The JSON reader: what RFC 8259 allows is read, everything else is refused with its place.
#include "base/alloc.h"
#include "base/json.h"

#include <criterion/criterion.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>

static HedJson parse(const char* text) {
    HedJson json = {0};
    HedError error = {0};
    cr_assert_eq(hed_json_parse(text, strlen(text), "f", &json, &error), HED_OK, "%s: %s", text,
                 error.message);
    return json;
}

static void refuse_bytes(const char* text, size_t size, const char* message) {
    HedJson json = {0};
    HedError error = {0};
    cr_assert_eq(hed_json_parse(text, size, "f", &json, &error), HED_PARSE, "%s", text);
    cr_assert_str_eq(error.message, message);
    cr_assert_null(json.nodes);
    cr_assert_eq(hed_alloc_stats().live_count, 0);
}

static void refuse(const char* text, const char* message) {
    refuse_bytes(text, strlen(text), message);
}

Test(json, values_and_places) {
    HedJson json =
        parse("\xEF\xBB\xBF{\"a\": [1, -2.5e+1, true, false, null],\r\n  \"b\" :{ } }\n");
    const HedJsonNode* a = hed_json_member(&json, json.nodes, "a");
    cr_assert_eq(json.nodes->child_count, 2);
    cr_assert_eq(a->kind, HED_JSON_ARRAY);
    cr_assert_eq(a->child_count, 5);
    const HedJsonNode* v = hed_json_first(&json, a);
    cr_assert_eq(v->number, 1.0);
    v = hed_json_next(&json, v);
    cr_assert_eq(v->number, -25.0);
    cr_assert_eq(v->column, 11);
    v = hed_json_next(&json, v);
    cr_assert(v->kind == HED_JSON_BOOL && v->truth);
    v = hed_json_next(&json, v);
    cr_assert(v->kind == HED_JSON_BOOL && !v->truth);
    v = hed_json_next(&json, v);
    cr_assert_eq(v->kind, HED_JSON_NULL);
    cr_assert_null(hed_json_next(&json, v));
    const HedJsonNode* b = hed_json_member(&json, json.nodes, "b");
    cr_assert_eq(b->line, 2);
    cr_assert_eq(b->column, 8);
    cr_assert_null(hed_json_first(&json, b));
    cr_assert_null(hed_json_member(&json, json.nodes, "c"));
    cr_assert_null(hed_json_member(&json, a, "a"));
    cr_assert_null(hed_json_member(&json, NULL, "a"));
    hed_json_free(&json);
}

Test(json, texts) {
    HedJson json =
        parse("[\"\\\"\\\\\\/\\b\\f\\n\\r\\t\", \"\\u00e9\\u20AC\\ud83d\\ude00\", \"é€😀\"]");
    const HedJsonNode* v = hed_json_first(&json, json.nodes);
    cr_assert_str_eq(v->text, "\"\\/\b\f\n\r\t");
    v = hed_json_next(&json, v);
    cr_assert_str_eq(v->text, "é€😀");
    v = hed_json_next(&json, v);
    cr_assert_str_eq(v->text, "é€😀");
    hed_json_free(&json);
}

Test(json, numbers_do_not_follow_the_locale) {
    setlocale(LC_ALL, "de_DE.UTF-8");
    HedJson json = parse("[0.5, 1e-3, -0, 123456789012345678]");
    const HedJsonNode* v = hed_json_first(&json, json.nodes);
    cr_assert_eq(v->number, 0.5);
    v = hed_json_next(&json, v);
    cr_assert_eq(v->number, 1e-3);
    hed_json_free(&json);
}

Test(json, what_is_not_json) {
    refuse("", "f:1:1: expected a value, found the end of the file");
    refuse("{\"a\": 1,\n \"a\": 2}", "f:2:7: 'a' is given twice");
    refuse("[1, 2,]", "f:1:7: expected a value, found ']'");
    refuse("[1 2]", "f:1:4: expected ',' or ']', found '2'");
    refuse("{\"a\" 1}", "f:1:6: expected ':', found '1'");
    refuse("{a: 1}", "f:1:2: expected a name in quotes, found 'a'");
    refuse("{\"a\": 1", "f:1:8: expected ',' or '}', found the end of the file");
    refuse("[1] x", "f:1:5: expected the end of the file, found 'x'");
    refuse("[NaN]", "f:1:2: numbers must be finite; NaN and Infinity are not JSON");
    refuse("[-Infinity]", "f:1:3: expected a digit, found 'I'");
    refuse("[1e999]", "f:1:2: a number beyond double precision, or longer than 399 digits");
    refuse("[01]", "f:1:2: a number must not begin with a needless zero");
    refuse("[1.]", "f:1:4: expected a digit after the point, found ']'");
    refuse("[1e+]", "f:1:5: expected a digit in the exponent, found ']'");
    refuse("[+1]", "f:1:2: expected a value, found '+'");
    refuse("[tru]", "f:1:2: expected a value, found 't'");
    refuse("// c\n1", "f:1:1: expected a value, found '/'");
    refuse("[\"a\nb\"]", "f:1:4: line ends and control characters in a text need an escape");
    refuse("[\"a", "f:1:4: the text has no closing quote");
    refuse("[\"\\x\"]", "f:1:3: a backslash must stand before one of \" \\ / b f n r t u");
    refuse("[\"\\u12g4\"]", "f:1:3: \\u needs four hexadecimal digits");
    refuse("[\"\\ud800x\"]", "f:1:3: half of a surrogate pair");
    refuse("[\"\\udc00\"]", "f:1:3: half of a surrogate pair");
    refuse("[\"\\u0000\"]", "f:1:3: a text must not contain the character zero");
    refuse_bytes("[\0]", 3, "f:1:2: expected a value, found byte 0x00");
}

Test(json, text_that_is_not_utf8) {
    static const char* const BAD[] = {"\x80",         "\xC0\xAF",         "\xC3",
                                      "\xE0\x80\x80", "\xED\xA0\x80",     "\xF0\x80\x80\x80",
                                      "\xE2\x82",     "\xF4\x90\x80\x80", "\xF5\x80\x80\x80"};
    for (size_t i = 0; i < sizeof BAD / sizeof BAD[0]; ++i) {
        char text[32];
        snprintf(text, sizeof text, "[\"%s\"]", BAD[i]);
        refuse(text, "f:1:3: not UTF-8");
    }
}

Test(json, depth_has_a_limit) {
    char text[2 * HED_JSON_DEPTH + 3] = "";
    for (int32_t extra = 0; extra < 2; ++extra) {
        int32_t depth = HED_JSON_DEPTH + extra;
        memset(text, '[', (size_t)depth);
        memset(text + depth, ']', (size_t)depth);
        text[2 * depth] = '\0';
        if (extra) {
            refuse(text, "f:1:65: lists and objects stand more than 64 deep in each other");
        } else {
            HedJson json = parse(text);
            cr_assert_eq(json.node_count, HED_JSON_DEPTH);
            hed_json_free(&json);
        }
    }
}

Test(json, every_allocation_may_fail) {
    const char* text =
        "{\"a\": [1, 2, {\"b\": \"c\", \"d\": null}], \"e\": [[], [], [], [], [], [], "
        "[], [], [], [], [], [], [], [], [], [], [], []]}";
    int32_t n = 1;
    for (;; ++n) {
        HedJson json = {0};
        HedError error = {0};
        hed_alloc_fail_at(n);
        HedStatus status = hed_json_parse(text, strlen(text), "f", &json, &error);
        hed_alloc_fail_at(0);
        hed_json_free(&json);
        cr_assert_eq(hed_alloc_stats().live_count, 0);
        if (status == HED_OK) {
            break;
        }
        cr_assert_eq(status, HED_NO_MEMORY);
    }
    cr_assert_gt(n, 3);
}
