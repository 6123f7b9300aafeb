// SPDX-License-Identifier: MIT
// The table of knitted yarns.
#include "scene/format.h"

#include <stddef.h>

static void knit_defaults(void* record) {
    *(HedSceneKnit*)record = (HedSceneKnit){.def = hed_knit_def_default()};
}

#define AT(entry) offsetof(HedSceneKnit, entry)

static const HedEntry KNIT_ENTRIES[] = {
    {.key = "pattern",
     .type = HED_ENTRY_TEXT,
     .offset = AT(def.pattern),
     .fallback = "this or `chart`",
     .doc = "A pattern by its name, such as `stockinette`, `rib-2x2` or `cable` (docs/knit.md)."},
    {.key = "chart",
     .type = HED_ENTRY_LINES,
     .offset = AT(chart),
     .fallback = "this or `pattern`",
     .doc = "Rows of stitches, one per line (`chart: |`) or per element, the lowest first."},
    {.key = "rows",
     .type = HED_ENTRY_INTEGER,
     .offset = AT(def.rows),
     .least = 1,
     .most = 100000,
     .doc = "Of a pattern."},
    {.key = "stitches",
     .type = HED_ENTRY_INTEGER,
     .offset = AT(def.stitches),
     .least = 2,
     .most = 100000,
     .doc = "Of a pattern: loops cast on."},
    {.key = "round",
     .type = HED_ENTRY_BOOL,
     .offset = AT(def.is_round),
     .doc = "Rows are rounds: the fabric is a tube around y."},
    {.key = "bind_off",
     .type = HED_ENTRY_BOOL,
     .offset = AT(def.bind_off),
     .doc = "A pattern ends with a row that is bound off; otherwise its last loops are live."},
    {.key = "count",
     .type = HED_ENTRY_TEXT,
     .offset = AT(count),
     .fallback = "as `linear_density`",
     .doc = "Yarn count: `30 tex`, `150 den`, `Ne 20`, `2/34 Nm`."},
    {.key = "diameter",
     .type = HED_ENTRY_NUMBER,
     .offset = AT(def.diameter),
     .dimension = {1, 0, 0},
     .rule = HED_RULE_POSITIVE,
     .doc = "Of the yarn."},
    {.key = "loop_length",
     .type = HED_ENTRY_NUMBER,
     .offset = AT(def.loop_length),
     .dimension = {1, 0, 0},
     .rule = HED_RULE_NOT_NEGATIVE,
     .doc = "Of yarn in a plain stitch, at least 12 diameters; 0: 16.66 diameters."},
    {.key = "points",
     .type = HED_ENTRY_INTEGER,
     .offset = AT(def.points_per_loop),
     .least = 8,
     .most = 1000,
     .doc = "Vertices per plain stitch."},
    {.key = "colors",
     .type = HED_ENTRY_WORDS,
     .offset = AT(colors),
     .fallback = "none",
     .doc = "One per yarn, such as `[\"#1f3a93\", \"#f0e6d2\"]`."},
    {.key = "position",
     .type = HED_ENTRY_VECTOR,
     .offset = AT(position),
     .dimension = {1, 0, 0},
     .doc = "Where the middle of the fabric goes."},
    {.key = "rotation",
     .type = HED_ENTRY_VECTOR,
     .offset = AT(rotation),
     .doc = "Turn about the middle: axis times angle. Without it rows run along x, columns along "
            "y, and the face looks along z."},
    {.key = NULL}};

const HedTable hed_knit_table = {.name = "knit",
                                 .size = sizeof(HedSceneKnit),
                                 .has_node = true,
                                 .defaults = knit_defaults,
                                 .entries = KNIT_ENTRIES};
