// SPDX-License-Identifier: MIT
#include "base/alloc.h"
#include "scene/yaml.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

typedef struct Parsed {
    HedPool pool;
    HedSource source;
    HedNode* root;
    HedStatus status;
    HedError error;
} Parsed;

static Parsed* parse_bytes(const char* text, size_t size) {
    Parsed* p = HED_NEW(Parsed);
    char* copy = hed_pool_text(&p->pool, text, size);
    p->source = (HedSource){.name = "a.yaml", .prefix = "", .text = copy, .size = size};
    p->status = hed_yaml_parse(&p->source, &p->pool, &p->root, &p->error);
    return p;
}

static void release(Parsed* p) {
    hed_pool_free(&p->pool);
    hed_free(p);
}

static void refuse_bytes(const char* text, size_t size, const char* message) {
    Parsed* p = parse_bytes(text, size);
    cr_expect_eq(p->status, HED_PARSE, "%.60s: status %d", text, (int)p->status);
    cr_expect_null(p->root);
    cr_expect_eq(strncmp(p->error.message, message, strlen(message)), 0, "%.60s: got '%s'", text,
                 p->error.message);
    release(p);
}

static void refuse(const char* text, const char* message) {
    refuse_bytes(text, strlen(text), message);
}

static void expect_place(const HedNode* node, int line, int column) {
    cr_assert_not_null(node);
    cr_expect_eq(node->place.line, line, "line %d, expected %d", (int)node->place.line, line);
    cr_expect_eq(node->place.column, column, "column %d, expected %d", (int)node->place.column,
                 column);
}

Test(yaml, tree_and_places) {
    const char* text = "a: 1 mm\n"
                       "b:\n"
                       "  - x\n"
                       "  - \"y z\"\n"
                       "c: {d: é, e: [1,\n"
                       "    2]}\n"
                       "f:\n"
                       "g: null # said\n"
                       "h: 'null'\n"
                       "i: |\n"
                       "  two\n"
                       "  lines\n";
    Parsed* p = parse_bytes(text, strlen(text));
    cr_assert_eq(p->status, HED_OK, "%s", p->error.message);
    const HedNode* root = p->root;
    cr_expect_eq(root->kind, HED_NODE_MAPPING);
    cr_expect_eq(root->count, 7);
    const HedNode* a = hed_node_child(root, "a");
    expect_place(a, 1, 4);
    cr_expect_str_eq(a->text, "1 mm");
    cr_expect_eq(a->key_place.column, 1);
    const HedNode* b = hed_node_child(root, "b");
    cr_assert_eq(b->kind, HED_NODE_SEQUENCE);
    cr_assert_eq(b->count, 2);
    expect_place(b->first, 3, 5);
    expect_place(b->last, 4, 5);
    cr_expect(b->last->is_quoted);
    cr_expect_str_eq(b->last->text, "y z");
    const HedNode* c = hed_node_child(root, "c");
    expect_place(hed_node_child(c, "d"), 5, 8);
    cr_expect_eq(hed_node_child(c, "e")->key_place.column, 11);
    expect_place(hed_node_child(c, "e")->last, 6, 5);
    cr_expect(hed_node_is_null(hed_node_child(root, "f")));
    cr_expect(hed_node_is_null(hed_node_child(root, "g")));
    cr_expect(!hed_node_is_null(hed_node_child(root, "h")));
    cr_expect_str_eq(hed_node_child(root, "i")->text, "two\nlines\n");
    cr_expect_null(hed_node_child(root, "j"));
    release(p);
}

Test(yaml, line_ends) {
    const char* text = "a: 1\r\nb: 2\r\nc:\r\n  - 3\r\n";
    Parsed* p = parse_bytes(text, strlen(text));
    cr_assert_eq(p->status, HED_OK, "%s", p->error.message);
    expect_place(hed_node_child(p->root, "c")->first, 4, 5);
    release(p);
    p = parse_bytes("a: 1\rb: x", 9);
    cr_assert_eq(p->status, HED_OK, "%s", p->error.message);
    expect_place(hed_node_child(p->root, "b"), 2, 4);
    release(p);
}

Test(yaml, json_is_yaml) {
    const char* text = "{\"a\": [1, 2.5e3, true, null, \"x\\u00e9\\n\"], \"b\": {}}";
    Parsed* p = parse_bytes(text, strlen(text));
    cr_assert_eq(p->status, HED_OK, "%s", p->error.message);
    const HedNode* a = hed_node_child(p->root, "a");
    cr_expect_eq(a->count, 5);
    cr_expect_str_eq(a->last->text, "xé\n");
    cr_expect_eq(hed_node_child(p->root, "b")->count, 0);
    release(p);
}

Test(yaml, refused_parts_of_yaml) {
    refuse("a: &x 1\n", "a.yaml:1:5: error: anchors (&name) are not supported\n    a: &x 1\n");
    refuse("a: *x\n", "a.yaml:1:5: error: aliases (*name) are not supported");
    refuse("a: !!str 1\n", "a.yaml:1:4: error: tags (!name) are not supported");
    refuse("<<: {a: 1}\n", "a.yaml:1:1: error: merge keys (<<) are not supported");
    refuse("a: 1\n---\nb: 2\n", "a.yaml:2:1: error: a second document begins here");
    refuse("? [a, b]\n: c\n", "a.yaml:1:3: error: a key must be a single word");
    refuse("a: 1\nb: 2\na: 3\n", "a.yaml:3:1: error: 'a' is given twice, first in line 1");
    refuse("x:\n  a: {b: 1, b: 2}\n", "a.yaml:2:13: error: 'b' is given twice, first in line 2");
    refuse("\"\": 1\n", "a.yaml:1:1: error: a key is empty");
}

Test(yaml, laughs_are_refused_at_once) {
    refuse("a: &a [x, x]\nb: &b [*a, *a]\nc: &c [*b, *b]\nd: [*c, *c]\n",
           "a.yaml:1:5: error: anchors");
}

Test(yaml, broken_text) {
    refuse("a: [1, 2\n", "a.yaml:2:1: error: flow sequence without a closing bracket");
    refuse("a: \"abc\n", "a.yaml:1:5: error: double-quoted scalar without closing quote");
    refuse("a:\n\tb: 1\n", "a.yaml:2:1: error: tab character may not be used as indentation");
    refuse("a: \"\\q\"\n", "a.yaml:1:5: error: invalid escape 'q'");
    refuse("a: \"x\\0y\"\n", "a.yaml:1:4: error: a NUL character is not allowed");
    refuse("a: b: c\n", "a.yaml:1:");
    refuse("}\n", "a.yaml:1:1: error: ");
}

Test(yaml, nothing_in_it) {
    refuse("", "a.yaml:1:1: error: there is nothing in it");
    refuse("# only\n# comments\n", "a.yaml:1:1: error: there is nothing in it");
    refuse("  \n\n", "a.yaml:1:1: error: there is nothing in it");
}

Test(yaml, bytes) {
    refuse_bytes("a: 1\0b\n", 7, "a.yaml:1:5: error: control character 0x00 is not allowed");
    refuse_bytes("a: \x07\n", 5, "a.yaml:1:4: error: control character 0x07 is not allowed");
    refuse("é: 1\na: \xff\n", "a.yaml:2:4: error: byte 0xFF is not UTF-8 text");
    refuse("a: \xc3", "a.yaml:1:4: error: byte 0xC3 is not UTF-8 text");
    refuse("a: \xc0\xaf", "a.yaml:1:4: error: byte 0xC0");     // overlong
    refuse("a: \xe0\x80\xaf", "a.yaml:1:4: error: byte 0xE0"); // overlong
    refuse("a: \xed\xa0\x80", "a.yaml:1:4: error: byte 0xED"); // surrogate
    refuse("a: \xf4\x90\x80\x80", "a.yaml:1:4: error: byte 0xF4");
    refuse_bytes("\xff\xfe"
                 "a\0",
                 4, "a.yaml:1:1: error: byte 0xFF"); // UTF-16
}

static void refuse_repeated(const char* head, const char* unit, int32_t count,
                            const char* message) {
    size_t size = strlen(unit);
    char* text = hed_alloc(strlen(head) + size * (size_t)count + 1);
    char* out = text + strlen(head);
    memcpy(text, head, strlen(head));
    for (int32_t i = 0; i < count; ++i, out += size) {
        memcpy(out, unit, size);
    }
    refuse(text, message);
    hed_free(text);
}

Test(yaml, limits) {
    refuse_repeated("", "[", 1000000, "a.yaml:1:1001: error: more than 1000 brackets");
    refuse_repeated("a: ", "{a: ", 1000000, "a.yaml:1:4004: error: more than 1000 brackets");
    refuse_repeated("a: ", "[", 900, "a.yaml:1:67: error: nested deeper than 64 levels");
    refuse_repeated("", "- ", 100000, "a.yaml:1:129: error: nested deeper than 64 levels");
    refuse_repeated("a:\n", "- 1\n", 1000001, "a.yaml:");
    refuse_repeated("# ", "0123456789abcdef", 262144, "a.yaml:1:1: error: larger than 4 MiB");
    char text[300 * 10];
    size_t used = 0;
    for (int i = 0; i < 300; ++i) {
        used += (size_t)snprintf(text + used, sizeof text - used, "k%d: 1\n", i);
    }
    refuse(text, "a.yaml:257:1: error: more than 256 keys in one mapping");
}

Test(yaml, deepest_allowed) {
    char text[256] = "";
    memset(text, '[', 64);
    memset(text + 64, ']', 64);
    Parsed* p = parse_bytes(text, 128);
    cr_expect_eq(p->status, HED_OK, "%s", p->error.message);
    release(p);
}

Test(yaml, caret_stands_below_the_place) {
    Parsed* p = parse_bytes("é: {b: 1, b: 2}\n", 17);
    cr_expect_str_eq(p->error.message, "a.yaml:1:11: error: 'b' is given twice, first in line 1\n"
                                       "    é: {b: 1, b: 2}\n"
                                       "              ^");
    release(p);
}

Test(yaml, no_leak) {
    int64_t before = hed_alloc_stats().live_count;
    refuse("a: [1, 2\n", "a.yaml");
    refuse("a: *x\n", "a.yaml");
    cr_expect_eq(hed_alloc_stats().live_count, before);
}
