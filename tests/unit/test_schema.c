// SPDX-License-Identifier: MIT
#include "base/alloc.h"
#include "scene/schema.h"
#include "scene/yaml.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

// A made-up format with one entry of each type.
typedef struct Part {
    const HedNode* node;
    double mass;
    const char* name;
} Part;

typedef struct Inner {
    const HedNode* node;
    int32_t level;
} Inner;

typedef struct Thing {
    const HedNode* node;
    int32_t kind;
    double length;
    double until;
    int32_t count;
    uint64_t seed;
    bool flag;
    const char* title;
    const char* name;
    HedVec3 velocity;
    double size[2];
    int32_t cells[2];
    HedList picks;
    HedList words;
    Inner inner;
    HedList parts;
    double only_round;
} Thing;

static const char* kind_name(int32_t index) {
    static const char* const NAMES[] = {"flat", "round", NULL};
    return NAMES[index];
}

static void part_defaults(void* record) {
    *(Part*)record = (Part){.mass = 2.0};
}

static void inner_defaults(void* record) {
    *(Inner*)record = (Inner){.level = 4};
}

static void thing_defaults(void* record) {
    *(Thing*)record = (Thing){.length = 0.5, .until = (double)INFINITY, .count = 3, .seed = 9};
}

#define AT(entry) offsetof(Thing, entry)

static const HedEntry PART_ENTRIES[] = {
    {.key = "mass",
     .type = HED_ENTRY_NUMBER,
     .offset = offsetof(Part, mass),
     .dimension = {0, 1, 0},
     .rule = HED_RULE_NOT_NEGATIVE,
     .doc = "How heavy."},
    {.key = "name", .type = HED_ENTRY_NAME, .offset = offsetof(Part, name), .doc = "A name."},
    {.key = NULL}};

static const HedTable PART = {.name = "part",
                              .size = sizeof(Part),
                              .has_node = true,
                              .defaults = part_defaults,
                              .entries = PART_ENTRIES};

static const HedEntry INNER_ENTRIES[] = {
    {.key = "level", .type = HED_ENTRY_INTEGER, .offset = offsetof(Inner, level), .doc = "Level."},
    {.key = NULL}};

static const HedTable INNER = {.name = "inner",
                               .size = sizeof(Inner),
                               .has_node = true,
                               .defaults = inner_defaults,
                               .entries = INNER_ENTRIES};

static const HedEntry THING_ENTRIES[] = {
    {.key = "kind",
     .type = HED_ENTRY_CHOICE,
     .offset = AT(kind),
     .choice = kind_name,
     .doc = "Which."},
    {.key = "length",
     .type = HED_ENTRY_NUMBER,
     .offset = AT(length),
     .dimension = {1, 0, 0},
     .rule = HED_RULE_POSITIVE,
     .doc = "How long."},
    {.key = "until",
     .type = HED_ENTRY_NUMBER,
     .offset = AT(until),
     .dimension = {0, 0, 1},
     .infinite = "never",
     .doc = "Until when."},
    {.key = "count",
     .type = HED_ENTRY_INTEGER,
     .offset = AT(count),
     .least = 1,
     .most = 10,
     .doc = "How many."},
    {.key = "seed", .type = HED_ENTRY_SEED, .offset = AT(seed), .doc = "Seed."},
    {.key = "flag", .type = HED_ENTRY_BOOL, .offset = AT(flag), .doc = "Flag."},
    {.key = "title", .type = HED_ENTRY_TEXT, .offset = AT(title), .doc = "Title."},
    {.key = "name", .type = HED_ENTRY_NAME, .offset = AT(name), .doc = "Name."},
    {.key = "velocity",
     .type = HED_ENTRY_VECTOR,
     .offset = AT(velocity),
     .dimension = {1, 0, -1},
     .doc = "Velocity."},
    {.key = "size",
     .type = HED_ENTRY_PAIR,
     .offset = AT(size),
     .dimension = {1, 0, 0},
     .doc = "Size."},
    {.key = "cells", .type = HED_ENTRY_POINTS, .offset = AT(cells), .doc = "Cells."},
    {.key = "picks", .type = HED_ENTRY_INDICES, .offset = AT(picks), .doc = "Picks."},
    {.key = "words", .type = HED_ENTRY_WORDS, .offset = AT(words), .doc = "Words."},
    {.key = "inner",
     .type = HED_ENTRY_MAPPING,
     .offset = AT(inner),
     .table = &INNER,
     .doc = "Inside."},
    {.key = "parts",
     .type = HED_ENTRY_LIST,
     .offset = AT(parts),
     .table = &PART,
     .most = 3,
     .doc = "Parts."},
    {.key = "roundness",
     .type = HED_ENTRY_NUMBER,
     .offset = AT(only_round),
     .when = 2u,
     .required = true,
     .doc = "Of round ones."},
    {.key = NULL}};

static const HedTable THING = {.name = "thing",
                               .size = sizeof(Thing),
                               .has_node = true,
                               .defaults = thing_defaults,
                               .entries = THING_ENTRIES,
                               .selector = "kind"};

typedef struct Bound {
    HedPool pool;
    HedSource source;
    Thing thing;
    HedStatus status;
    HedError error;
} Bound;

static Bound* bind(const char* text) {
    Bound* b = HED_NEW(Bound);
    size_t size = strlen(text);
    b->source = (HedSource){
        .name = "t.yaml", .prefix = "", .text = hed_pool_text(&b->pool, text, size), .size = size};
    HedNode* root = NULL;
    b->status = hed_yaml_parse(&b->source, &b->pool, &root, &b->error);
    if (b->status == HED_OK) {
        b->status = hed_schema_read(&THING, root, &b->pool, &b->thing, &b->error);
    }
    return b;
}

static void release(Bound* b) {
    hed_pool_free(&b->pool);
    hed_free(b);
}

static void refuse(const char* text, const char* message) {
    Bound* b = bind(text);
    cr_expect_eq(b->status, HED_PARSE, "%s: status %d", text, (int)b->status);
    cr_expect_eq(strncmp(b->error.message, message, strlen(message)), 0,
                 "%s:\n  got      %s\n  expected %s", text, b->error.message, message);
    release(b);
}

Test(schema, defaults) {
    Bound* b = bind("{}");
    cr_assert_eq(b->status, HED_OK, "%s", b->error.message);
    cr_expect_eq(b->thing.length, 0.5);
    cr_expect(isinf(b->thing.until));
    cr_expect_eq(b->thing.count, 3);
    cr_expect_eq(b->thing.seed, 9u);
    cr_expect_null(b->thing.inner.node);
    cr_expect_not_null(b->thing.node);
    release(b);
}

static const char* const FULL = "kind: round\n"
                                "length: 25 cm\n"
                                "until: 2 min\n"
                                "count: 7\n"
                                "seed: 9223372036854775807\n"
                                "flag: true\n"
                                "title: 'a \"b\" \\ é'\n"
                                "name: x-1_Y\n"
                                "velocity: [1 km/h, -2, 0]\n"
                                "size: [1 mm, 2]\n"
                                "cells: [4, 5]\n"
                                "picks: [3, 0, 2]\n"
                                "words: [a, \"b c\"]\n"
                                "inner: {level: -2}\n"
                                "parts:\n"
                                "  - {mass: 3 g, name: p}\n"
                                "  - {}\n"
                                "roundness: 50 %\n";

Test(schema, every_type) {
    Bound* b = bind(FULL);
    cr_assert_eq(b->status, HED_OK, "%s", b->error.message);
    const Thing* t = &b->thing;
    cr_expect_eq(t->kind, 1);
    cr_expect_eq(t->length, 0.25);
    cr_expect_eq(t->until, 120.0);
    cr_expect_eq(t->count, 7);
    cr_expect_eq(t->seed, (uint64_t)INT64_MAX);
    cr_expect(t->flag);
    cr_expect_str_eq(t->title, "a \"b\" \\ é");
    cr_expect_str_eq(t->name, "x-1_Y");
    // km/h is 1000/3600 m/s, rounded once.
    cr_expect_eq(t->velocity.x, 1000.0 / 3600.0);
    cr_expect_eq(t->velocity.y, -2.0);
    cr_expect_eq(t->size[0], 0.001);
    cr_expect_eq(t->cells[1], 5);
    cr_assert_eq(t->picks.count, 3);
    cr_expect_eq(((int32_t*)t->picks.data)[2], 2);
    cr_assert_eq(t->words.count, 2);
    cr_expect_str_eq(((const char**)t->words.data)[1], "b c");
    cr_expect_eq(t->inner.level, -2);
    cr_assert_eq(t->parts.count, 2);
    cr_expect_eq(((Part*)t->parts.data)[0].mass, 0.003);
    cr_expect_eq(((Part*)t->parts.data)[1].mass, 2.0);
    cr_expect_eq(t->only_round, 0.5);
    release(b);
}

Test(schema, text_reads_back) {
    Bound* b = bind(FULL);
    cr_assert_eq(b->status, HED_OK, "%s", b->error.message);
    HedSink first = {0};
    HedSink second = {0};
    hed_schema_write(&THING, &b->thing, 0, &first);
    cr_assert(!first.failed);
    Bound* again = bind(first.data);
    cr_assert_eq(again->status, HED_OK, "%s\n%s", again->error.message, first.data);
    hed_schema_write(&THING, &again->thing, 0, &second);
    cr_expect_str_eq(first.data, second.data);
    cr_expect(strstr(first.data, "  - mass: 0.003\n    name: \"p\"\n  - mass: 2\n"), "%s",
              first.data);
    cr_expect(strstr(first.data, "title: \"a \\\"b\\\" \\\\ é\"\n"), "%s", first.data);
    hed_sink_free(&first);
    hed_sink_free(&second);
    release(again);
    release(b);
}

Test(schema, default_text) {
    Bound* b = bind("{}");
    HedSink text = {0};
    hed_schema_write(&THING, &b->thing, 0, &text);
    cr_expect_str_eq(text.data, "kind: flat\nlength: 0.5\nuntil: never\ncount: 3\nseed: 9\n"
                                "flag: false\nvelocity: [0, 0, 0]\nsize: [0, 0]\ncells: [0, 0]\n"
                                "picks: []\nwords: []\nparts: []\n");
    hed_sink_free(&text);
    release(b);
}

Test(schema, unknown_keys) {
    refuse("lenght: 3\n", "t.yaml:1:1: error: unknown key 'lenght' in thing\n"
                          "  hint: did you mean 'length'?\n    lenght: 3\n    ^");
    refuse("parts:\n  - {masss: 1}\n", "t.yaml:2:6: error: unknown key 'masss' in part\n"
                                       "  hint: did you mean 'mass'?");
    refuse("inner: {height: 3}\n", "t.yaml:1:9: error: unknown key 'height' in inner\n"
                                   "  hint: known here: level");
}

Test(schema, ranges) {
    refuse("length: -0.1 mm\n", "t.yaml:1:9: error: 'length' must be positive, got -0.1 mm\n");
    refuse("length: 0\n", "t.yaml:1:9: error: 'length' must be positive, got 0\n");
    refuse("parts: [{mass: -1 g}]\n", "t.yaml:1:16: error: 'mass' must be zero or more, got -1 g");
    refuse("count: 11\n", "t.yaml:1:8: error: 'count' must be from 1 to 10, got 11");
    refuse("length: 1e16\n", "t.yaml:1:9: error: 'length' must not be larger than 1e15");
    refuse("seed: -1\n", "t.yaml:1:7: error: 'seed': expected a number of zero or more, got '-1'");
    refuse("picks: [1, -1]\n", "t.yaml:1:12: error: 'picks': expected an index of zero or more");
    refuse("parts: [{}, {}, {}, {}]\n", "t.yaml:1:8: error: 'parts' has 4 elements, at most 3");
}

Test(schema, wrong_kinds) {
    refuse("length: 3 kg\n", "t.yaml:1:9: error: 'length': expected a length, got mass (3 kg)");
    refuse("length: [1]\n", "t.yaml:1:9: error: 'length': expected a number, got a list");
    refuse("length: {a: 1}\n", "t.yaml:1:9: error: 'length': expected a number, got a mapping");
    refuse("length:\n", "t.yaml:1:1: error: 'length': expected a number, got nothing");
    refuse("length: long\n", "t.yaml:1:9: error: 'length': expected a number, got 'long'");
    refuse("length: 3 mmm\n",
           "t.yaml:1:9: error: 'length': unknown unit 'mmm', did you mean 'mm'?");
    refuse("length: never\n", "t.yaml:1:9: error: 'length': expected a number, got 'never'");
    refuse("count: 2.5\n", "t.yaml:1:8: error: 'count': expected a whole number, got '2.5'");
    refuse("count: 1e1\n", "t.yaml:1:8: error: 'count': expected a whole number, got '1e1'");
    refuse("count: 010\n", "t.yaml:1:8: error: 'count': expected a whole number, got '010'");
    refuse("count: 0x10\n", "t.yaml:1:8: error: 'count': expected a whole number");
    refuse("count: 99999999999\n", "t.yaml:1:8: error: 'count': expected a smaller number");
    refuse("seed: 9223372036854775808\n", "t.yaml:1:7: error: 'seed': expected a whole number");
    refuse("flag: yes\n", "t.yaml:1:7: error: 'flag': expected true or false, got 'yes'");
    refuse("title: [a]\n", "t.yaml:1:8: error: 'title': expected text, got a list");
    refuse("title: \"a\\nb\"\n", "t.yaml:1:8: error: 'title' must be one line");
    refuse("name: a b\n", "t.yaml:1:7: error: 'name' must be made of letters");
    refuse("name: 12\n", "t.yaml:1:7: error: 'name' must be made of letters");
    refuse("kind: rund\n", "t.yaml:1:7: error: 'kind' must be one of flat, round; got 'rund'\n"
                           "  hint: did you mean 'round'?");
    refuse("kind: [flat]\n", "t.yaml:1:7: error: 'kind' must be one of flat, round; got a list");
    refuse("velocity: 3\n",
           "t.yaml:1:11: error: 'velocity': expected a list of 3 numbers, got '3'");
    refuse("velocity: [1, 2]\n",
           "t.yaml:1:11: error: 'velocity': expected a list of 3 numbers, got 2");
    refuse("velocity: [1, x, 2]\n", "t.yaml:1:15: error: 'velocity': expected a number, got 'x'");
    refuse("size: [1, 2 s]\n", "t.yaml:1:11: error: 'size': expected a length, got time (2 s)");
    refuse("cells: [1]\n", "t.yaml:1:8: error: 'cells': expected a list of two whole numbers");
    refuse("picks: 3\n", "t.yaml:1:8: error: 'picks': expected a list of whole numbers, got '3'");
    refuse("words: a\n", "t.yaml:1:8: error: 'words': expected a list of texts, got 'a'");
    refuse("inner: 3\n", "t.yaml:1:8: error: inner: expected a mapping (key: value), got '3'");
    refuse("parts: {mass: 1}\n", "t.yaml:1:8: error: 'parts': expected a list");
    refuse("parts: [1]\n", "t.yaml:1:9: error: 'parts': expected a mapping, got '1'");
}

Test(schema, selector) {
    refuse("roundness: 1\n",
           "t.yaml:1:1: error: 'roundness' does not belong to a thing of kind 'flat'");
    refuse("kind: round\n", "t.yaml:1:1: error: 'roundness' is missing in thing");
}

Test(schema, null_is_left_out) {
    Bound* b = bind("inner:\nparts: ~\n");
    cr_assert_eq(b->status, HED_OK, "%s", b->error.message);
    cr_expect_null(b->thing.inner.node);
    cr_expect_eq(b->thing.parts.count, 0);
    release(b);
}

Test(schema, reference_rows) {
    Thing thing;
    thing_defaults(&thing);
    HedSink rows = {0};
    hed_schema_document(&THING, &thing, &rows);
    cr_expect(strstr(rows.data, "| `length` | number, m, > 0 | 0.5 | How long. |\n"), "%s",
              rows.data);
    cr_expect(strstr(rows.data, "| `kind` | one of `flat`, `round` | flat | Which. |\n"));
    cr_expect(strstr(rows.data, "| `count` | whole number, 1 to 10 | 3 | How many. |\n"));
    cr_expect(strstr(rows.data, "| `roundness` | number | required | Of round ones. |\n"));
    hed_sink_free(&rows);
}
