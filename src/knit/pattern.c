// SPDX-License-Identifier: MIT
// Patterns are drawn as they look from the face: stitch l counts from the left, row r from below.
#include "knit/pattern.h"
#include "base/text.h"
#include "heddle/knit.h"

#include <inttypes.h>
#include <string.h>

enum { SIZE_LIMIT = 100000, LOOP_LIMIT = 20000000 };

typedef bool (*IsPurl)(int32_t r, int32_t l);

static bool is_stockinette(int32_t r, int32_t l) {
    (void)r, (void)l;
    return false;
}

static bool is_reverse(int32_t r, int32_t l) {
    (void)r, (void)l;
    return true;
}

static bool is_garter(int32_t r, int32_t l) {
    (void)l;
    return r % 2 == 1;
}

static bool is_seed(int32_t r, int32_t l) {
    return (r + l) % 2 == 1;
}

static bool is_moss(int32_t r, int32_t l) {
    return (r / 2 + l) % 2 == 1;
}

static bool is_rib_1x1(int32_t r, int32_t l) {
    (void)r;
    return l % 2 == 1;
}

static bool is_rib_2x2(int32_t r, int32_t l) {
    (void)r;
    return l % 4 >= 2;
}

static bool is_basketweave(int32_t r, int32_t l) {
    return (r / 4 + l / 4) % 2 == 1;
}

// A cable of four columns between two purled ones on each side.
enum { CABLE_WIDTH = 8, CABLE_FIRST = 2, CABLE_HEIGHT = 6, CABLE_ROW = 2 };

static bool is_cable(int32_t r, int32_t l) {
    (void)r;
    int32_t k = l % CABLE_WIDTH;
    return k < CABLE_FIRST || k >= CABLE_FIRST + 4;
}

typedef enum Special { PLAIN, CABLE, LACE, JACQUARD } Special;

typedef struct Pattern {
    const char* name;
    IsPurl is_purl;
    Special special;
    bool is_round;
    HedKnitRepeat repeat; // of a flat one
} Pattern;

static const Pattern PATTERNS[] = {
    {"stockinette", is_stockinette, PLAIN, false, {1, 1}},
    {"reverse-stockinette", is_reverse, PLAIN, false, {1, 1}},
    {"garter", is_garter, PLAIN, false, {2, 1}},
    {"seed", is_seed, PLAIN, false, {2, 2}},
    {"moss", is_moss, PLAIN, false, {4, 2}},
    {"rib-1x1", is_rib_1x1, PLAIN, false, {1, 2}},
    {"rib-2x2", is_rib_2x2, PLAIN, false, {1, 4}},
    {"basketweave", is_basketweave, PLAIN, false, {8, 8}},
    {"cable", is_cable, CABLE, false, {CABLE_HEIGHT, CABLE_WIDTH}},
    {"lace", is_stockinette, LACE, false, {8, 4}},
    {"jacquard", is_stockinette, JACQUARD, false, {6, 6}},
    {"tube", is_stockinette, PLAIN, true, {0, 0}},
    {HED_PATTERN_SWEATER, NULL, PLAIN, true, {0, 0}},
};

enum { PATTERN_COUNT = sizeof PATTERNS / sizeof PATTERNS[0] };

const char* hed_knit_pattern_name(int32_t index) {
    return index >= 0 && index < PATTERN_COUNT ? PATTERNS[index].name : NULL;
}

HedKnitRepeat hed_knit_pattern_repeat(const char* name) {
    for (int32_t i = 0; i < PATTERN_COUNT; ++i) {
        if (strcmp(PATTERNS[i].name, name) == 0) {
            return PATTERNS[i].repeat;
        }
    }
    return (HedKnitRepeat){0};
}

// The row at hand, and how its stitches are counted.
typedef struct PatternRow {
    HedChart* chart;
    const Pattern* pattern;
    int32_t number;
    int32_t width;
    bool is_wrong_side;
    HedError* error;
} PatternRow;

static int32_t from_left(const PatternRow* row, int32_t worked) {
    return row->is_wrong_side ? worked : row->width - 1 - worked;
}

static HedStatus add_plain(const PatternRow* row, int32_t worked) {
    HedStitch s = hed_stitch_default(HED_STITCH_KNIT);
    int32_t l = from_left(row, worked);
    s.is_purl = row->pattern->is_purl(row->number, l) != row->is_wrong_side;
    // Diagonal stripes, three stitches wide: no float is longer.
    s.yarn = row->pattern->special == JACQUARD ? (row->number + l) / 3 % 2 : 0;
    return hed_chart_add_stitch(row->chart, &s, row->error);
}

// The crossing of a cable that begins with this stitch.
static HedStatus add_cable(const PatternRow* row) {
    HedStitch s = hed_stitch_default(HED_STITCH_CABLE);
    s.front = 2;
    s.back = 2;
    s.is_left = true;
    return hed_chart_add_stitch(row->chart, &s, row->error);
}

static bool starts_cable(const PatternRow* row, int32_t worked) {
    int32_t l = from_left(row, worked);
    return row->pattern->special == CABLE && !row->is_wrong_side &&
           row->number % CABLE_HEIGHT == CABLE_ROW && l % CABLE_WIDTH == CABLE_FIRST + 3 &&
           worked + 4 <= row->width;
}

// A hole, and a decrease beside it.
static HedStatus add_eyelet(const PatternRow* row) {
    HedStitch over = hed_stitch_default(HED_STITCH_YARN_OVER);
    HedStitch together = hed_stitch_default(HED_STITCH_DECREASE);
    together.consumed = 2;
    HedStatus status = hed_chart_add_stitch(row->chart, &over, row->error);
    return status == HED_OK ? hed_chart_add_stitch(row->chart, &together, row->error) : status;
}

// Every fourth row has a hole every fourth stitch, by turns shifted by two.
static bool starts_eyelet(const PatternRow* row, int32_t worked) {
    int32_t shift = row->number % 8 == 2 ? 0 : 2;
    return row->pattern->special == LACE && row->number % 4 == 2 && (worked + shift) % 4 == 1 &&
           worked + 2 < row->width;
}

static HedStatus add_row(const PatternRow* row) {
    HedStatus status = HED_OK;
    for (int32_t i = 0; status == HED_OK && i < row->width;) {
        if (starts_cable(row, i)) {
            status = add_cable(row);
            i += 4;
        } else if (starts_eyelet(row, i)) {
            status = add_eyelet(row);
            i += 2;
        } else {
            status = add_plain(row, i);
            i += 1;
        }
    }
    return status;
}

static HedStatus add_bind_off(const PatternRow* row) {
    HedStatus status = HED_OK;
    HedStitch s = hed_stitch_default(HED_STITCH_BIND_OFF);
    s.is_purl = row->is_wrong_side; // the chain lies on the face
    for (int32_t i = 0; status == HED_OK && i < row->width; ++i) {
        status = hed_chart_add_stitch(row->chart, &s, row->error);
    }
    return status;
}

static const Pattern* find_pattern(const char* name, HedError* error) {
    int32_t nearest = 0;
    int32_t least = INT32_MAX;
    for (int32_t i = 0; i < PATTERN_COUNT; ++i) {
        if (strcmp(PATTERNS[i].name, name) == 0) {
            return &PATTERNS[i];
        }
        int32_t distance = hed_text_distance(PATTERNS[i].name, name);
        if (distance < least) {
            least = distance;
            nearest = i;
        }
    }
    hed_fail(error, HED_INVALID, "there is no knitting pattern '%.40s'; the nearest name is '%s'",
             name, PATTERNS[nearest].name);
    return NULL;
}

HedStatus hed_pattern_chart(const char* name, const HedPatternSize* size, HedChart* chart,
                            HedError* error) {
    HedStatus status = HED_OK;
    *chart = (HedChart){0};
    const Pattern* pattern = find_pattern(name, error);
    if (!pattern) {
        return HED_INVALID;
    }
    if (!pattern->is_purl) {
        return hed_fail(error, HED_INVALID, "'%s' has no chart of rows", name);
    }
    if (size->rows < 1 || size->stitches < 2 || size->rows > SIZE_LIMIT ||
        size->stitches > SIZE_LIMIT || (int64_t)size->rows * size->stitches > LOOP_LIMIT) {
        return hed_fail(error, HED_INVALID,
                        "a pattern must have 1 or more rows, 2 or more stitches and at most %d "
                        "loops, got %" PRId32 " x %" PRId32,
                        (int)LOOP_LIMIT, size->rows, size->stitches);
    }
    chart->name = pattern->name;
    chart->is_round = size->is_round || pattern->is_round;
    chart->cast_on = size->stitches;
    PatternRow row = {.chart = chart, .pattern = pattern, .width = size->stitches, .error = error};
    for (int32_t r = 0; r < size->rows + size->bind_off; ++r) {
        HED_TRY(hed_chart_add_row(chart, error));
        row.number = r;
        row.is_wrong_side = chart->rows.data[r].is_wrong_side;
        HED_TRY(r < size->rows ? add_row(&row) : add_bind_off(&row));
    }
done:
    return status;
}
