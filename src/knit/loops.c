// SPDX-License-Identifier: MIT
#include "knit/loops.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LOOP_LIMIT = 50000000 }; // keeps every count of what is made of loops in 32 bits

const char* hed_loop_kind_name(HedLoopKind kind) {
    static const char* const NAMES[HED_LOOP_KINDS] = {
        "stitch", "cast-on", "yarn-over", "lifted", "tuck", "bind-off", "end",
    };
    return kind >= 0 && kind < HED_LOOP_KINDS ? NAMES[kind] : "unknown";
}

HedLoop hed_loop_default(void) {
    return (HedLoop){.kind = HED_LOOP_STITCH, .plate = -1};
}

void hed_loops_free(HedLoops* graph) {
    for (int32_t i = 0; i < graph->names.count; ++i) {
        hed_free(graph->names.data[i]);
    }
    hed_free(graph->names.data);
    hed_free(graph->yarns.data);
    hed_free(graph->loops.data);
    hed_free(graph->first_parents.data);
    hed_free(graph->parents.data);
    hed_free(graph->steps.data);
    hed_free(graph->widths.data);
    hed_free(graph->pitches.data);
    hed_free(graph->swaps.data);
    hed_free(graph->first_children);
    hed_free(graph->children);
    hed_free(graph->loop_steps);
    *graph = (HedLoops){0};
}

const char* hed_loop_name(const HedLoops* graph, int32_t loop, char buffer[HED_LOOP_NAME]) {
    if (loop < 0 || loop >= graph->loops.count) {
        snprintf(buffer, HED_LOOP_NAME, "loop %" PRId32, loop);
        return buffer;
    }
    const HedLoop* l = &graph->loops.data[loop];
    bool is_pulled = l->kind == HED_LOOP_STITCH;
    char line[32] = "";
    if (l->line > 0) {
        snprintf(line, sizeof line, ", line %" PRId32, l->line);
    }
    char where[48];
    if (l->bed) {
        snprintf(where, sizeof where, "needle %c%" PRId32, l->bed, l->needle);
    } else {
        snprintf(where, sizeof where, "course %" PRId32 ", wale %.4g", l->course, l->wale);
    }
    snprintf(buffer, HED_LOOP_NAME, "loop %" PRId32 " (%s%s, %s%s)", loop,
             is_pulled ? (l->is_purl ? "purl " : "knit ") : "", hed_loop_kind_name(l->kind), where,
             line);
    return buffer;
}

HedStatus hed_loops_fail_pair(const HedLoops* graph, int32_t loop, int32_t other, const char* does,
                              const char* how, HedError* error) {
    char a[HED_LOOP_NAME];
    char b[HED_LOOP_NAME];
    char line[16] = "";
    if (graph->loops.data[loop].line > 0) {
        snprintf(line, sizeof line, "%" PRId32 ": ", graph->loops.data[loop].line);
    }
    return hed_fail(error, HED_INVALID, "%s%s %s %s %s", line, hed_loop_name(graph, loop, a), does,
                    hed_loop_name(graph, other, b), how);
}

HedStatus hed_loops_add_yarn(HedLoops* graph, const HedLoopYarn* yarn, HedError* error) {
    HED_ASSERT(!graph->is_finished);
    size_t size = strlen(yarn->name) + 1;
    char* name = hed_alloc(size);
    if (!name) {
        return hed_fail_memory(error, "yarns of a knit");
    }
    memcpy(name, yarn->name, size);
    HedLoopYarn copy = *yarn;
    copy.name = name;
    copy.first_step = 0;
    copy.step_count = 0;
    if (!HED_RESERVE(&graph->yarns, 1) || !HED_APPEND(&graph->names, name)) {
        hed_free(name);
        return hed_fail_memory(error, "yarns of a knit");
    }
    graph->yarns.data[graph->yarns.count++] = copy;
    return HED_OK;
}

static bool takes_parents(HedLoopKind kind) {
    return kind == HED_LOOP_STITCH || kind == HED_LOOP_BIND_OFF || kind == HED_LOOP_END;
}

static HedStatus check_loop(const HedLoops* graph, const HedLoop* loop, int32_t parent_count,
                            HedError* error) {
    int32_t number = graph->loops.count;
    if (loop->kind < 0 || loop->kind >= HED_LOOP_KINDS) {
        return hed_fail(error, HED_INVALID, "loop %" PRId32 ": unknown kind %d", number,
                        (int)loop->kind);
    }
    if (loop->yarn < 0 || loop->yarn >= graph->yarns.count) {
        return hed_fail(error, HED_INVALID,
                        "loop %" PRId32 ": yarn %" PRId32 " does not exist, there are %" PRId32,
                        number, loop->yarn, graph->yarns.count);
    }
    if (!isfinite(loop->wale) || loop->course < 0) {
        return hed_fail(error, HED_INVALID,
                        "loop %" PRId32 ": course must be 0 or more and wale finite, got %" PRId32
                        " and %g",
                        number, loop->course, loop->wale);
    }
    if (loop->plate < -1 || loop->plate >= number) {
        return hed_fail(error, HED_INVALID,
                        "loop %" PRId32 " lies along loop %" PRId32 ", which does not exist yet",
                        number, loop->plate);
    }
    if (takes_parents(loop->kind) != (parent_count > 0)) {
        return hed_fail(error, HED_INVALID, "loop %" PRId32 ": a %s %s", number,
                        hed_loop_kind_name(loop->kind),
                        parent_count > 0 ? "is not pulled through other loops"
                                         : "must be pulled through a loop");
    }
    return HED_OK;
}

static HedStatus check_parents(const HedLoops* graph, const HedLoop* loop, const int32_t* parents,
                               int32_t parent_count, HedError* error) {
    char name[HED_LOOP_NAME];
    int32_t number = graph->loops.count;
    for (int32_t i = 0; i < parent_count; ++i) {
        if (parents[i] < 0 || parents[i] >= number) {
            return hed_fail(error, HED_INVALID,
                            "loop %" PRId32 " is pulled through loop %" PRId32
                            ", which does not exist yet",
                            number, parents[i]);
        }
        if (graph->loops.data[parents[i]].course > loop->course) {
            return hed_fail(error, HED_INVALID,
                            "loop %" PRId32 " of course %" PRId32 " is pulled through %s, which is "
                            "of a later course",
                            number, loop->course, hed_loop_name(graph, parents[i], name));
        }
        for (int32_t j = 0; j < i; ++j) {
            if (parents[j] == parents[i]) {
                return hed_fail(error, HED_INVALID, "loop %" PRId32 " is pulled twice through %s",
                                number, hed_loop_name(graph, parents[i], name));
            }
        }
    }
    return HED_OK;
}

HedStatus hed_loops_add(HedLoops* graph, const HedLoop* loop, const int32_t* parents,
                        int32_t parent_count, HedError* error) {
    HED_ASSERT(!graph->is_finished);
    HedStatus status = HED_OK;
    HED_TRY(check_loop(graph, loop, parent_count, error));
    HED_TRY(check_parents(graph, loop, parents, parent_count, error));
    if (graph->loops.count >= LOOP_LIMIT) {
        return hed_fail(error, HED_UNSUPPORTED, "a knit may have at most %d loops",
                        (int)LOOP_LIMIT);
    }
    // All or nothing: room first, then the loop.
    if (!HED_RESERVE(&graph->loops, 1) || !HED_RESERVE(&graph->first_parents, 2) ||
        !HED_RESERVE(&graph->parents, parent_count) || !HED_RESERVE(&graph->steps, 1)) {
        return hed_fail_memory(error, "loops of a knit");
    }
    int32_t number = graph->loops.count++;
    graph->loops.data[number] = *loop;
    graph->first_parents.data[number] = graph->parents.count;
    for (int32_t i = 0; i < parent_count; ++i) {
        graph->parents.data[graph->parents.count++] = parents[i];
    }
    graph->first_parents.data[number + 1] = graph->parents.count;
    graph->first_parents.count = number + 2;
    graph->steps.data[graph->steps.count++] = (HedLoopStep){HED_STEP_LOOP, loop->yarn, number};
done:
    return status;
}

HedStatus hed_loops_pass(HedLoops* graph, int32_t yarn, int32_t loop, bool in_front,
                         HedError* error) {
    HED_ASSERT(!graph->is_finished);
    if (yarn < 0 || yarn >= graph->yarns.count || loop < 0 || loop >= graph->loops.count) {
        return hed_fail(error, HED_INVALID,
                        "yarn %" PRId32 " passes loop %" PRId32 ": there are %" PRId32
                        " yarns and %" PRId32 " loops",
                        yarn, loop, graph->yarns.count, graph->loops.count);
    }
    HedLoopStep step = {in_front ? HED_STEP_PASS_FRONT : HED_STEP_PASS_BEHIND, yarn, loop};
    return HED_APPEND(&graph->steps, step) ? HED_OK : hed_fail_memory(error, "floats of a knit");
}

HedStatus hed_loops_swap(HedLoops* graph, int32_t over, int32_t under, HedError* error) {
    HED_ASSERT(!graph->is_finished);
    int32_t count = graph->loops.count;
    if (over < 0 || over >= count || under < 0 || under >= count || over == under) {
        return hed_fail(error, HED_INVALID,
                        "loops %" PRId32 " and %" PRId32 " cannot change places: there are %" PRId32
                        " loops",
                        over, under, count);
    }
    HedLoopSwap swap = {over, under};
    return HED_APPEND(&graph->swaps, swap) ? HED_OK : hed_fail_memory(error, "swaps of a knit");
}

HedStatus hed_loops_set_width(HedLoops* graph, int32_t course, double width, HedError* error) {
    if (course < 0 || course > LOOP_LIMIT || !(width > 0.0) || !isfinite(width)) {
        return hed_fail(error, HED_INVALID, "course %" PRId32 " cannot have %g loops", course,
                        width);
    }
    while (graph->widths.count <= course) {
        if (!HED_APPEND(&graph->widths, 0.0)) {
            return hed_fail_memory(error, "courses of a knit");
        }
    }
    graph->widths.data[course] = width;
    return HED_OK;
}

double hed_loops_width(const HedLoops* graph, int32_t course) {
    int32_t c = course < graph->widths.count ? course : graph->widths.count - 1;
    while (c >= 0 && !(graph->widths.data[c] > 0.0)) {
        --c;
    }
    return c >= 0 ? graph->widths.data[c] : graph->round_wales;
}

HedStatus hed_loops_set_pitch(HedLoops* graph, int32_t course, double pitch, HedError* error) {
    if (course < 0 || course > LOOP_LIMIT || !(pitch > 0.0) || !isfinite(pitch)) {
        return hed_fail(error, HED_INVALID,
                        "loops of course %" PRId32 " cannot have %g columns each", course, pitch);
    }
    while (graph->pitches.count <= course) {
        if (!HED_APPEND(&graph->pitches, 1.0)) {
            return hed_fail_memory(error, "courses of a knit");
        }
    }
    graph->pitches.data[course] = pitch;
    return HED_OK;
}

double hed_loops_pitch(const HedLoops* graph, int32_t course) {
    int32_t c = course < graph->pitches.count ? course : graph->pitches.count - 1;
    return c >= 0 ? graph->pitches.data[c] : 1.0;
}

// Steps yarn by yarn, each in its order; a counting sort.
static HedStatus order_steps(HedLoops* graph, HedError* error) {
    HedLoopStep* ordered = HED_NEW_ARRAY(HedLoopStep, graph->steps.count);
    graph->loop_steps = HED_NEW_ARRAY(int32_t, graph->loops.count);
    if (!ordered || !graph->loop_steps) {
        hed_free(ordered);
        return hed_fail_memory(error, "steps of a knit");
    }
    for (int32_t i = 0; i < graph->steps.count; ++i) {
        graph->yarns.data[graph->steps.data[i].yarn].step_count += 1;
    }
    int32_t first = 0;
    for (int32_t i = 0; i < graph->yarns.count; ++i) {
        graph->yarns.data[i].first_step = first;
        first += graph->yarns.data[i].step_count;
        graph->yarns.data[i].step_count = 0;
    }
    for (int32_t i = 0; i < graph->steps.count; ++i) {
        HedLoopStep step = graph->steps.data[i];
        HedLoopYarn* yarn = &graph->yarns.data[step.yarn];
        int32_t place = yarn->first_step + yarn->step_count++;
        ordered[place] = step;
        if (step.kind == HED_STEP_LOOP) {
            graph->loop_steps[step.loop] = place;
        }
    }
    hed_free(graph->steps.data);
    graph->steps.data = ordered;
    graph->steps.capacity = graph->steps.count;
    return HED_OK;
}

static HedStatus list_children(HedLoops* graph, HedError* error) {
    int32_t count = graph->loops.count;
    graph->first_children = HED_NEW_ARRAY(int32_t, (int64_t)count + 1);
    graph->children = HED_NEW_ARRAY(int32_t, graph->parents.count);
    if (!graph->first_children || !graph->children) {
        return hed_fail_memory(error, "children of a knit");
    }
    int32_t* first = graph->first_children;
    for (int32_t i = 0; i < graph->parents.count; ++i) {
        first[graph->parents.data[i] + 1] += 1;
    }
    graph->live_count = 0;
    for (int32_t i = 0; i < count; ++i) {
        graph->live_count += first[i + 1] == 0 && graph->loops.data[i].kind != HED_LOOP_END;
        first[i + 1] += first[i];
    }
    // Filled from the back, so that first[] ends where it began and the order is that of making.
    for (int32_t i = count - 1; i >= 0; --i) {
        for (int32_t k = 0; k < hed_parent_count(graph, i); ++k) {
            int32_t parent = hed_parents(graph, i)[k];
            graph->children[--first[parent + 1]] = i;
        }
    }
    for (int32_t i = 0; i < count; ++i) {
        first[i] = first[i + 1];
    }
    first[count] = graph->parents.count;
    return HED_OK;
}

static HedStatus check_yarns(const HedLoops* graph, HedError* error) {
    for (int32_t i = 0; i < graph->yarns.count; ++i) {
        const HedLoopYarn* yarn = &graph->yarns.data[i];
        bool has_loop = false;
        for (int32_t k = 0; k < yarn->step_count && !has_loop; ++k) {
            has_loop = graph->steps.data[yarn->first_step + k].kind == HED_STEP_LOOP;
        }
        if (!has_loop) {
            return hed_fail(error, HED_INVALID, "yarn '%s' makes no loop", yarn->name);
        }
    }
    return HED_OK;
}

// What was laid on a needle with loops is taken up together with some of them.
static HedStatus check_tucks(const HedLoops* graph, HedError* error) {
    for (int32_t i = 0; i < graph->loops.count; ++i) {
        if (graph->loops.data[i].kind != HED_LOOP_TUCK || hed_child_count(graph, i) == 0) {
            continue;
        }
        int32_t child = hed_children(graph, i)[0];
        if (hed_parent_count(graph, child) < 2) {
            char name[HED_LOOP_NAME];
            char other[HED_LOOP_NAME];
            return hed_fail(error, HED_INVALID,
                            "%s must be taken up together with the loops below it, but %s is "
                            "pulled through it alone",
                            hed_loop_name(graph, i, name), hed_loop_name(graph, child, other));
        }
    }
    return HED_OK;
}

HedStatus hed_loops_finish(HedLoops* graph, HedError* error) {
    HED_ASSERT(!graph->is_finished);
    HedStatus status = HED_OK;
    if (graph->loops.count == 0) {
        return hed_fail(error, HED_INVALID, "a knit needs at least one loop");
    }
    if (graph->is_round && !(graph->round_wales >= 1.0 && isfinite(graph->round_wales))) {
        return hed_fail(error, HED_INVALID, "rounds must have 1 or more columns, got %g",
                        graph->round_wales);
    }
    HED_TRY(order_steps(graph, error));
    HED_TRY(check_yarns(graph, error));
    HED_TRY(list_children(graph, error));
    HED_TRY(check_tucks(graph, error));
    for (int32_t i = 0; i < graph->loops.count; ++i) {
        int32_t course = graph->loops.data[i].course;
        graph->course_count = graph->course_count > course ? graph->course_count : course + 1;
    }
    graph->is_finished = true;
done:
    return status;
}
