// SPDX-License-Identifier: MIT
// Blocks of stitches and crossings, and pairs: every point in one block, blocks of the size asked
// for, neighbours together.
#include "base/alloc.h"
#include "heddle/heddle.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static HedFabric knit(const char* pattern, int32_t rows, int32_t stitches, bool is_round) {
    HedKnitDef def = hed_knit_def_default();
    HedFabric fabric = {0};
    HedError error = {0};
    def.pattern = pattern;
    def.rows = rows;
    def.stitches = stitches;
    def.is_round = is_round;
    cr_assert_eq(hed_knit_create(&def, &fabric, NULL, &error), HED_OK, "%s", error.message);
    return fabric;
}

static HedFabric weave(const char* pattern, int32_t ends, int32_t picks, bool is_turned) {
    HedWeaveDef def = hed_weave_def_default();
    HedWeave draft = {0};
    HedFabric fabric = {0};
    HedError error = {0};
    def.warp.count = ends;
    def.weft.count = picks;
    def.selvedge = is_turned ? HED_SELVEDGE_TURNED : HED_SELVEDGE_CUT;
    cr_assert_eq(hed_weave_named(pattern, &draft, &error), HED_OK, "%s", error.message);
    cr_assert_eq(hed_weave_build(&draft, &def, &fabric, &error), HED_OK, "%s", error.message);
    hed_weave_free(&draft);
    return fabric;
}

static HedFabricParts blocks(const HedFabric* fabric, int32_t size) {
    HedFabricParts parts;
    HedError error = {0};
    cr_assert_eq(hed_fabric_blocks(fabric, size, &parts, &error), HED_OK, "%s", error.message);
    return parts;
}

// Per point: its part; -1: none. No point may be in two.
static int32_t* parts_of(const HedFabric* fabric, const HedFabricParts* parts) {
    int32_t* of = malloc(sizeof(int32_t) * (size_t)fabric->point_count);
    memset(of, -1, sizeof(int32_t) * (size_t)fabric->point_count);
    cr_assert_eq(parts->first[0], 0);
    for (int32_t p = 0; p < parts->count; ++p) {
        cr_assert_lt(parts->first[p], parts->first[p + 1]);
        for (int32_t k = parts->first[p]; k < parts->first[p + 1]; ++k) {
            cr_assert_eq(of[parts->points[k]], -1, "point %d is in two parts", parts->points[k]);
            of[parts->points[k]] = p;
        }
    }
    return of;
}

static int32_t apex_point(const HedFabric* fabric, int32_t loop) {
    const HedFabricLoop* l = &fabric->loops[loop];
    return fabric->yarns[l->yarn].first + (int32_t)ceil(l->apex);
}

// Loops per part.
static int32_t* count_loops(const HedFabric* fabric, const int32_t* of, int32_t count) {
    int32_t* loops = calloc((size_t)count, sizeof(int32_t));
    for (int32_t i = 0; i < fabric->loop_count; ++i) {
        cr_assert_geq(of[apex_point(fabric, i)], 0, "loop %d is in no block", i);
        loops[of[apex_point(fabric, i)]] += 1;
    }
    return loops;
}

// 15 rows, one cast on, one bound off and the end of the yarn are 18 courses: 5 bands of 3 or 4
// courses, the last of which has but one loop. 16 stitches are 4 pieces of 4.
Test(blocks, of_a_plain_knit_are_squares_of_stitches) {
    HedFabric fabric = knit("stockinette", 15, 16, false);
    HedFabricParts parts = blocks(&fabric, 4);
    int32_t* of = parts_of(&fabric, &parts);
    int32_t* loops = count_loops(&fabric, of, parts.count);
    cr_assert_eq(parts.count, 20);
    for (int32_t p = 0; p < parts.count; ++p) {
        cr_assert(loops[p] >= 8 && loops[p] <= 16, "block %d has %d loops", p, loops[p]);
    }
    // A loop of the first course and the one through it, of the next row and of another part of
    // the yarn, are in one block; so are neighbours of a course but for every fourth.
    int32_t apart = 0;
    for (int32_t i = 0; i < 16; ++i) {
        apart += i > 0 && of[apex_point(&fabric, i)] != of[apex_point(&fabric, i - 1)];
    }
    cr_assert_eq(apart, 3);
    for (int32_t i = 16; i < 32; ++i) {
        int32_t parent = fabric.loops[i].parent;
        cr_assert_eq(fabric.loops[parent].course, 0);
        cr_assert_eq(of[apex_point(&fabric, i)], of[apex_point(&fabric, parent)]);
    }
    // All of a loop is in its block.
    for (int32_t i = 0; i < fabric.loop_count; ++i) {
        const HedFabricLoop* l = &fabric.loops[i];
        int32_t first = fabric.yarns[l->yarn].first;
        for (int32_t k = (int32_t)ceil(l->start); k < (int32_t)ceil(l->end); ++k) {
            cr_assert_eq(of[first + k], of[apex_point(&fabric, i)]);
        }
    }
    free(of);
    free(loops);
    hed_fabric_parts_free(&parts);
    hed_fabric_free(&fabric);
    cr_assert_eq(hed_alloc_stats().live_count, 0);
}

// Blocks are compact: no two loops of one are further apart than two of its diagonals.
static void check_compact(const HedFabric* fabric, const char* name, int32_t size) {
    HedFabricParts parts = blocks(fabric, size);
    int32_t* of = parts_of(fabric, &parts);
    int32_t* loops = count_loops(fabric, of, parts.count);
    int32_t* some = malloc(sizeof(int32_t) * (size_t)parts.count);
    double most = 0.0;
    double side = 0.0; // m, of a loop: a quarter of its length
    memset(some, -1, sizeof(int32_t) * (size_t)parts.count);
    for (int32_t y = 0; y < fabric->yarn_count; ++y) {
        side += hed_fabric_length(fabric, y) / (4.0 * fabric->loop_count);
    }
    for (int32_t i = 0; i < fabric->loop_count; ++i) {
        int32_t p = of[apex_point(fabric, i)];
        some[p] = some[p] < 0 ? i : some[p];
        HedVec3 a = fabric->points[apex_point(fabric, i)];
        HedVec3 b = fabric->points[apex_point(fabric, some[p])];
        most = fmax(most, hypot(hypot(a.x - b.x, a.y - b.y), a.z - b.z));
    }
    int32_t largest = 0;
    for (int32_t p = 0; p < parts.count; ++p) {
        largest = loops[p] > largest ? loops[p] : largest;
    }
    double expected = (double)fabric->loop_count / (size * size);
    cr_expect(parts.count > 0.6 * expected && parts.count < 1.7 * expected + 2.0,
              "%s: %d blocks, not %g", name, parts.count, expected);
    cr_expect_leq(largest, 3 * size * size, "%s", name);
    cr_expect_lt(most, 2.0 * sqrt(2.0) * size * side, "%s: %g of %g m", name, most, size * side);
    free(of);
    free(loops);
    free(some);
    hed_fabric_parts_free(&parts);
}

Test(blocks, of_all_patterns_are_compact) {
    for (int32_t i = 0; hed_knit_pattern_name(i); ++i) {
        const char* name = hed_knit_pattern_name(i);
        if (strcmp(name, "raglan-sweater") != 0) {
            HedFabric fabric = knit(name, 17, 22, false);
            check_compact(&fabric, name, 4);
            hed_fabric_free(&fabric);
        }
    }
    HedFabric tube = knit("stockinette", 12, 30, true);
    check_compact(&tube, "round", 3);
    hed_fabric_free(&tube);
}

// Body and sleeves have rows of the same number; blocks stay in one of them.
Test(blocks, of_a_sweater_stay_in_its_parts, .timeout = 120) {
    HedFabric fabric = knit("raglan-sweater", 8, 36, false);
    check_compact(&fabric, "raglan-sweater", 4);
    hed_fabric_free(&fabric);
}

// The wefts of a cloth with turned selvedges are one yarn: blocks are those of cut ones.
Test(blocks, of_weaves_are_squares_of_crossings) {
    for (int turned = 0; turned < 2; ++turned) {
        HedFabric fabric = weave("twill 2/2", 12, 16, turned);
        HedFabricParts parts = blocks(&fabric, 4);
        int32_t* of = parts_of(&fabric, &parts);
        int32_t crossings[12] = {0};
        cr_assert_eq(parts.count, 12, "%d blocks", parts.count);
        for (int32_t c = 0; c < fabric.crossing_count; ++c) {
            const HedFabricPlace places[2] = {fabric.crossings[c].over, fabric.crossings[c].under};
            int32_t part[2];
            for (int k = 0; k < 2; ++k) {
                part[k] =
                    of[fabric.yarns[places[k].yarn].first + (int32_t)floor(places[k].at + 0.5)];
            }
            cr_assert_geq(part[0], 0);
            cr_assert_eq(part[0], part[1], "crossing %d", c); // both yarns
            crossings[part[0]] += 1;
        }
        for (int p = 0; p < 12; ++p) {
            cr_assert_eq(crossings[p], 16);
        }
        free(of);
        hed_fabric_parts_free(&parts);
        hed_fabric_free(&fabric);
    }
}

Test(blocks, pairs_go_through_each_other) {
    HedFabric fabric = knit("rib-2x2", 6, 8, false);
    HedFabricParts pairs;
    cr_assert_eq(hed_fabric_pairs(&fabric, &pairs, NULL), HED_OK);
    int32_t pulled = 0;
    for (int32_t i = 0; i < fabric.loop_count; ++i) {
        if (fabric.loops[i].parent < 0) {
            continue;
        }
        int32_t wanted[2] = {apex_point(&fabric, i), apex_point(&fabric, fabric.loops[i].parent)};
        int found = 0;
        for (int32_t k = pairs.first[pulled]; k < pairs.first[pulled + 1]; ++k) {
            found += pairs.points[k] == wanted[0] || pairs.points[k] == wanted[1];
        }
        cr_assert_eq(found, 2, "loop %d", i);
        ++pulled;
    }
    cr_assert_eq(pairs.count, pulled);
    hed_fabric_parts_free(&pairs);
    hed_fabric_free(&fabric);
    fabric = weave("plain", 5, 7, true);
    cr_assert_eq(hed_fabric_pairs(&fabric, &pairs, NULL), HED_OK);
    cr_assert_eq(pairs.count, 35);
    free(parts_of(&fabric, &pairs));
    hed_fabric_parts_free(&pairs);
    hed_fabric_free(&fabric);
}

// A repeat of a knit has no loops in its list, and what is no fabric has nothing at all.
Test(blocks, nothing_bad_input_and_missing_memory) {
    HedKnitDef def = hed_knit_def_default();
    HedFabric fabric = {0};
    HedFabricParts parts;
    HedError error;
    def.pattern = "stockinette";
    def.rows = def.stitches = 4;
    def.is_periodic = true;
    cr_assert_eq(hed_knit_create(&def, &fabric, NULL, NULL), HED_OK);
    cr_assert_eq(hed_fabric_blocks(&fabric, 4, &parts, NULL), HED_OK);
    cr_assert_eq(parts.count, 0);
    hed_fabric_parts_free(&parts);
    cr_assert_eq(hed_fabric_blocks(&fabric, 0, &parts, &error), HED_INVALID);
    cr_assert(strstr(error.message, "got 0"), "%s", error.message);
    hed_fabric_free(&fabric);
    for (int k = 0; k < 2; ++k) {
        fabric = k ? weave("plain", 4, 4, false) : knit("garter", 3, 4, false);
        int64_t live = hed_alloc_stats().live_count;
        HedStatus status = HED_NO_MEMORY;
        for (int64_t n = 1; status != HED_OK; ++n) {
            hed_alloc_fail_at(n);
            status = hed_fabric_blocks(&fabric, 2, &parts, NULL);
            hed_alloc_fail_at(0);
            cr_assert(status == HED_OK || status == HED_NO_MEMORY);
            cr_assert(status == HED_OK || hed_alloc_stats().live_count == live);
        }
        hed_fabric_parts_free(&parts);
        hed_fabric_free(&fabric);
    }
    hed_fabric_parts_free(NULL);
}
