// SPDX-License-Identifier: MIT
// The loop graph: parents, children, order along yarns, live loops, and graphs that are refused.
#include "base/alloc.h"
#include "knit/loops.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

static void add_yarn(HedLoops* g, const char* name) {
    HedError error = {0};
    cr_assert_eq(hed_loops_add_yarn(g, &(HedLoopYarn){.name = name}, &error), HED_OK, "%s",
                 error.message);
}

static int32_t add(HedLoops* g, HedLoop loop, int32_t parent_count, const int32_t* parents) {
    HedError error = {0};
    cr_assert_eq(hed_loops_add(g, &loop, parents, parent_count, &error), HED_OK, "%s",
                 error.message);
    return g->loops.count - 1;
}

static HedLoop cast_on(int32_t yarn, double wale) {
    HedLoop loop = hed_loop_default();
    loop.kind = HED_LOOP_CAST_ON;
    loop.yarn = yarn;
    loop.wale = wale;
    return loop;
}

static HedLoop stitch(int32_t yarn, int32_t course, double wale) {
    HedLoop loop = hed_loop_default();
    loop.yarn = yarn;
    loop.course = course;
    loop.wale = wale;
    return loop;
}

// Three loops cast on; two of them knitted together, one knitted twice.
static void build_small(HedLoops* g) {
    add_yarn(g, "main");
    for (int32_t i = 0; i < 3; ++i) {
        add(g, cast_on(0, i), 0, NULL);
    }
    add(g, stitch(0, 1, 2), 1, (int32_t[]){2});
    add(g, stitch(0, 1, 2.5), 1, (int32_t[]){2});
    add(g, stitch(0, 1, 0), 2, (int32_t[]){0, 1});
}

Test(loops, parents_and_children_answer_each_other) {
    HedLoops g = {0};
    HedError error = {0};
    build_small(&g);
    cr_assert_eq(hed_loops_finish(&g, &error), HED_OK, "%s", error.message);
    cr_assert_eq(hed_child_count(&g, 2), 2);
    cr_assert_eq(hed_children(&g, 2)[0], 3);
    cr_assert_eq(hed_children(&g, 2)[1], 4);
    cr_assert_eq(hed_parent_count(&g, 5), 2);
    cr_assert_eq(hed_parents(&g, 5)[0], 0);
    cr_assert_eq(hed_children(&g, 0)[0], 5);
    cr_assert_eq(hed_children(&g, 1)[0], 5);
    for (int32_t i = 3; i < 6; ++i) {
        cr_assert_eq(hed_child_count(&g, i), 0);
    }
    cr_assert_eq(g.live_count, 3);
    cr_assert_eq(g.course_count, 2);
    hed_loops_free(&g);
    cr_assert_eq(hed_alloc_stats().live_count, 0);
}

Test(loops, steps_stand_yarn_by_yarn_in_their_order) {
    HedLoops g = {0};
    HedError error = {0};
    add_yarn(&g, "a");
    add_yarn(&g, "b");
    int32_t held = add(&g, cast_on(0, 0), 0, NULL);
    int32_t other = add(&g, cast_on(1, 1), 0, NULL);
    cr_assert_eq(hed_loops_pass(&g, 0, other, false, &error), HED_OK);
    int32_t last = add(&g, stitch(1, 1, 0), 1, &held);
    cr_assert_eq(hed_loops_pass(&g, 0, last, true, &error), HED_OK);
    cr_assert_eq(hed_loops_finish(&g, &error), HED_OK, "%s", error.message);
    const HedLoopStep expected[] = {{HED_STEP_LOOP, 0, held},
                                    {HED_STEP_PASS_BEHIND, 0, other},
                                    {HED_STEP_PASS_FRONT, 0, last},
                                    {HED_STEP_LOOP, 1, other},
                                    {HED_STEP_LOOP, 1, last}};
    cr_assert_eq(g.steps.count, 5);
    for (int32_t i = 0; i < 5; ++i) {
        cr_assert_eq(g.steps.data[i].kind, expected[i].kind);
        cr_assert_eq(g.steps.data[i].yarn, expected[i].yarn);
        cr_assert_eq(g.steps.data[i].loop, expected[i].loop);
    }
    cr_assert_eq(g.loop_steps[last], 4);
    hed_loops_free(&g);
}

typedef struct Bad {
    HedLoop loop;
    int32_t parent_count;
    int32_t parents[2];
    const char* words;
} Bad;

static HedLoop with_kind(HedLoop loop, HedLoopKind kind) {
    loop.kind = kind;
    return loop;
}

Test(loops, loops_that_cannot_be_are_refused_by_name) {
    HedLoops g = {0};
    build_small(&g);
    const Bad bad[] = {
        {stitch(1, 1, 0), 1, {0}, "yarn 1 does not exist"},
        {stitch(0, 1, 0), 0, {0}, "must be pulled through a loop"},
        {cast_on(0, 0), 1, {0}, "is not pulled through"},
        {stitch(0, 2, 0), 1, {6}, "does not exist yet"},
        {stitch(0, 2, 0), 1, {-1}, "does not exist yet"},
        {stitch(0, 2, 0), 2, {5, 5}, "pulled twice through loop 5"},
        {stitch(0, 0, 0), 1, {5}, "of a later course"},
        {stitch(0, 1, (double)NAN), 1, {0}, "wale finite"},
        {stitch(0, -1, 0), 1, {0}, "course must be 0 or more"},
        {with_kind(stitch(0, 1, 0), HED_LOOP_KINDS), 1, {0}, "unknown kind"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i) {
        HedError error = {0};
        cr_assert_eq(hed_loops_add(&g, &bad[i].loop, bad[i].parents, bad[i].parent_count, &error),
                     HED_INVALID);
        cr_assert(strstr(error.message, bad[i].words), "%zu: %s", i, error.message);
    }
    cr_assert_eq(g.loops.count, 6, "nothing of what was refused is left");
    HedError error = {0};
    cr_assert_eq(hed_loops_pass(&g, 0, 9, true, &error), HED_INVALID);
    cr_assert_eq(hed_loops_swap(&g, 0, 0, &error), HED_INVALID);
    hed_loops_free(&g);
}

Test(loops, graphs_that_cannot_be_are_refused_at_the_end) {
    HedError error = {0};
    HedLoops empty = {0};
    cr_assert_eq(hed_loops_finish(&empty, &error), HED_INVALID);
    HedLoops idle = {0};
    build_small(&idle);
    add_yarn(&idle, "idle");
    cr_assert_eq(hed_loops_finish(&idle, &error), HED_INVALID);
    cr_assert(strstr(error.message, "'idle' makes no loop"), "%s", error.message);
    hed_loops_free(&idle);
    HedLoops alone = {0};
    build_small(&alone);
    HedLoop tuck = cast_on(0, 1);
    tuck.kind = HED_LOOP_TUCK;
    tuck.course = 1;
    int32_t number = add(&alone, tuck, 0, NULL);
    add(&alone, stitch(0, 2, 1), 1, &number);
    cr_assert_eq(hed_loops_finish(&alone, &error), HED_INVALID);
    cr_assert(strstr(error.message, "loop 6 (tuck, course 1, wale 1)"), "%s", error.message);
    hed_loops_free(&alone);
}

// Builds all of it; false at the first failure, which must be for lack of memory.
static bool try_build(HedLoops* g) {
    HedError error = {0};
    HedLoop base = cast_on(0, 0);
    HedLoop top = stitch(0, 1, 0);
    int32_t zero = 0;
    HedStatus status = hed_loops_add_yarn(g, &(HedLoopYarn){.name = "main"}, &error);
    status = status ? status : hed_loops_add(g, &base, NULL, 0, &error);
    status = status ? status : hed_loops_add(g, &top, &zero, 1, &error);
    status = status ? status : hed_loops_pass(g, 0, 0, false, &error);
    status = status ? status : hed_loops_swap(g, 0, 1, &error);
    status = status ? status : hed_loops_finish(g, &error);
    cr_assert(status == HED_OK || status == HED_NO_MEMORY, "%s", error.message);
    return status == HED_OK;
}

Test(loops, every_failed_allocation_is_told_and_nothing_leaks) {
    int64_t n = 1;
    for (;; ++n) {
        HedLoops g = {0};
        hed_alloc_fail_at(n);
        bool is_built = try_build(&g);
        hed_alloc_fail_at(0);
        hed_loops_free(&g);
        cr_assert_eq(hed_alloc_stats().live_count, 0);
        if (is_built) {
            break;
        }
    }
    cr_assert_gt(n, 8); // there were allocations to fail
}
