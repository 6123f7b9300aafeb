// SPDX-License-Identifier: MIT
#include "knit/sweater.h"

#include <inttypes.h>

enum {
    NECK_LEAST = 36,
    NECK_MOST = 20000,
    ROWS_MOST = 100000,
    LOOPS_MOST = 20000000,
    SECTIONS = 4,
    NARROW_EVERY = 6,
    CUFF_LEAST = 16
};

typedef HED_ARRAY(int32_t) Needle;

// Rounds are worked on the face, from right to left; a needle holds loops in that order.
typedef struct Knitter {
    HedLoops* graph;
    HedError* error;
    int32_t yarn;
    int32_t course;
    Needle old, fresh;
    Needle lifted; // yarn between loops that the next round pulls up, in their order
    int32_t bound; // last loop bound off; -1 for none
} Knitter;

static HedStatus no_memory(const Knitter* k) {
    return hed_fail_memory(k->error, "loops of a sweater");
}

// Makes a loop of the round at hand; it is the graph's last one then.
static HedStatus make(Knitter* k, HedLoopKind kind, double wale, const int32_t* parents,
                      int32_t parent_count) {
    HedLoop loop = hed_loop_default();
    loop.kind = kind;
    loop.yarn = k->yarn;
    loop.course = k->course;
    loop.wale = -wale; // counted as it is worked: to the left
    loop.is_leftward = true;
    loop.is_twisted = kind == HED_LOOP_CAST_ON || kind == HED_LOOP_LIFTED;
    return hed_loops_add(k->graph, &loop, parents, parent_count, k->error);
}

// A loop that goes on the new needle.
static HedStatus put(Knitter* k, HedLoopKind kind, const int32_t* parents, int32_t parent_count) {
    HedStatus status = make(k, kind, k->fresh.count, parents, parent_count);
    if (status == HED_OK && !HED_APPEND(&k->fresh, k->graph->loops.count - 1)) {
        status = no_memory(k);
    }
    return status;
}

// The yarn behind the last loop is one of those that the next round pulls up.
static HedStatus lift(Knitter* k) {
    HedStatus status = make(k, HED_LOOP_LIFTED, k->fresh.count - 0.5, NULL, 0);
    if (status == HED_OK && !HED_APPEND(&k->lifted, k->graph->loops.count - 1)) {
        status = no_memory(k);
    }
    return status;
}

static void turn(Knitter* k) {
    Needle needle = k->old;
    k->old = k->fresh;
    k->fresh = needle;
    k->fresh.count = 0;
    k->course += 1;
}

static HedStatus add_yarn(Knitter* k, const char* name) {
    k->yarn = k->graph->yarns.count;
    return hed_loops_add_yarn(k->graph, &(HedLoopYarn){.name = name}, k->error);
}

// --- the yoke ---

typedef struct Yoke {
    int32_t loops[SECTIONS]; // front, sleeve, back, sleeve
} Yoke;

static bool is_gap(const Yoke* yoke, int32_t worked) {
    int32_t first = 0;
    for (int32_t s = 0; s < SECTIONS; ++s) {
        if (worked == first + 1 || worked == first + yoke->loops[s] - 1) {
            return true;
        }
        first += yoke->loops[s];
    }
    return false;
}

// One round; with increases behind the first loop of each section and before its last one, or
// with the yarn lifted there for those of the next round.
static HedStatus knit_yoke(Knitter* k, const Yoke* yoke, bool has_increases, bool is_before) {
    HedStatus status = HED_OK;
    int32_t next = 0;
    for (int32_t i = 0; i < k->old.count; ++i) {
        HED_TRY(put(k, HED_LOOP_STITCH, &k->old.data[i], 1));
        if (has_increases && is_gap(yoke, i + 1)) {
            HED_TRY(put(k, HED_LOOP_STITCH, &k->lifted.data[next++], 1));
        } else if (is_before && is_gap(yoke, i + 1)) {
            HED_TRY(lift(k));
        }
    }
    if (has_increases) {
        k->lifted.count = 0;
    }
    turn(k);
done:
    return status;
}

static HedStatus make_yoke(Knitter* k, const HedSweaterSize* size, Yoke* yoke) {
    HedStatus status = HED_OK;
    HED_TRY(add_yarn(k, "body"));
    for (int32_t i = 0; i < size->neck; ++i) {
        HED_TRY(put(k, HED_LOOP_CAST_ON, NULL, 0));
    }
    turn(k);
    for (int32_t r = 0; r < size->yoke_rows; ++r) {
        // The rounds before the armholes are plain.
        bool has_increases = r % 2 == 1 && r + 2 < size->yoke_rows;
        HED_TRY(knit_yoke(k, yoke, has_increases, r % 2 == 0 && r + 3 < size->yoke_rows));
        for (int32_t s = 0; s < SECTIONS && has_increases; ++s) {
            yoke->loops[s] += 2;
        }
    }
done:
    return status;
}

// --- tubes ---

// A plain round, or one that narrows by a loop at each side of its start.
static HedStatus knit_round(Knitter* k, bool narrows) {
    HedStatus status = HED_OK;
    int32_t count = k->old.count;
    for (int32_t i = 0; i < count;) {
        bool is_together = narrows && (i == 1 || i == count - 3);
        // The first pair leans to the left (its first loop in front), the last to the right.
        int32_t pair[2] = {k->old.data[i], is_together ? k->old.data[i + 1] : 0};
        if (is_together && i > 1) {
            pair[0] = k->old.data[i + 1];
            pair[1] = k->old.data[i];
        }
        HED_TRY(put(k, HED_LOOP_STITCH, pair, is_together ? 2 : 1));
        i += is_together ? 2 : 1;
    }
    turn(k);
done:
    return status;
}

// A chain of loops, each through the one before it and through a loop of the needle; the end of the
// yarn is drawn through the last.
static HedStatus bind_off(Knitter* k) {
    HedStatus status = HED_OK;
    k->bound = -1;
    for (int32_t i = 0; i < k->old.count; ++i) {
        int32_t parents[2] = {k->bound, k->old.data[i]};
        bool is_chain = k->bound >= 0;
        HED_TRY(make(k, is_chain ? HED_LOOP_BIND_OFF : HED_LOOP_STITCH, i,
                     is_chain ? parents : parents + 1, is_chain ? 2 : 1));
        k->bound = k->graph->loops.count - 1;
    }
    HedLoop end = k->graph->loops.data[k->bound];
    end.kind = HED_LOOP_END;
    end.course += 1;
    end.is_leftward = false;
    HED_TRY(hed_loops_add(k->graph, &end, &k->bound, 1, k->error));
done:
    return status;
}

// What is on the needle becomes a tube.
static HedStatus make_tube(Knitter* k, int32_t rows, int32_t narrowest, bool is_bound) {
    HedStatus status = HED_OK;
    for (int32_t r = 0; r < rows; ++r) {
        bool narrows = r % NARROW_EVERY == NARROW_EVERY - 1 && k->old.count - 2 >= narrowest;
        HED_TRY(knit_round(k, narrows));
    }
    HED_TRY(is_bound ? bind_off(k) : HED_OK);
done:
    return status;
}

static HedStatus take_loops(Knitter* k, const Needle* from, int32_t first, int32_t count) {
    for (int32_t i = first; i < first + count; ++i) {
        if (!HED_APPEND(&k->old, from->data[i])) {
            return no_memory(k);
        }
    }
    return HED_OK;
}

static HedStatus make_tubes(Knitter* k, const HedSweaterSize* size, const Yoke* yoke) {
    HedStatus status = HED_OK;
    Needle all = k->old;
    int32_t course = k->course;
    const int32_t* n = yoke->loops;
    k->old = (Needle){0};
    HED_TRY(take_loops(k, &all, 0, n[0]));
    HED_TRY(take_loops(k, &all, n[0] + n[1], n[2]));
    HED_TRY(make_tube(k, size->body_rows, INT32_MAX, size->bind_off));
    for (int32_t side = 0; side < 2; ++side) {
        int32_t first = side == 0 ? n[0] : n[0] + n[1] + n[2];
        int32_t count = n[1 + 2 * side];
        int32_t cuff = count * 3 / 5;
        HED_TRY(add_yarn(k, side == 0 ? "first sleeve" : "second sleeve"));
        k->old.count = 0;
        k->course = course;
        HED_TRY(take_loops(k, &all, first, count));
        HED_TRY(
            make_tube(k, size->sleeve_rows, cuff < CUFF_LEAST ? CUFF_LEAST : cuff, size->bind_off));
    }
done:
    hed_free(all.data);
    return status;
}

static HedStatus check_size(const HedSweaterSize* s, HedError* error) {
    if (s->neck < NECK_LEAST || s->neck > NECK_MOST || s->neck % 2 != 0) {
        return hed_fail(error, HED_INVALID,
                        "a sweater must have an even number of %d to %d stitches around its neck, "
                        "got %" PRId32,
                        (int)NECK_LEAST, (int)NECK_MOST, s->neck);
    }
    if (s->yoke_rows < 1 || s->body_rows < 1 || s->sleeve_rows < 1 || s->yoke_rows > ROWS_MOST ||
        s->body_rows > ROWS_MOST || s->sleeve_rows > ROWS_MOST) {
        return hed_fail(error, HED_INVALID,
                        "a sweater must have 1 to %d rows of yoke, body and sleeves, got %" PRId32
                        ", %" PRId32 " and %" PRId32,
                        (int)ROWS_MOST, s->yoke_rows, s->body_rows, s->sleeve_rows);
    }
    int64_t loops = (int64_t)s->neck * (s->yoke_rows + s->body_rows); // there are more
    if (loops > LOOPS_MOST) {
        return hed_fail(error, HED_INVALID,
                        "a sweater must have at most %d loops, %" PRId32
                        " stitches around its neck "
                        "and %" PRId32 " rows make more than %" PRId64,
                        (int)LOOPS_MOST, s->neck, s->yoke_rows + s->body_rows, loops);
    }
    return HED_OK;
}

HedStatus hed_sweater_loops(const HedSweaterSize* wanted, HedLoops* graph, HedError* error) {
    HedStatus status = HED_OK;
    HedSweaterSize size = *wanted;
    size.yoke_rows = size.yoke_rows == 0 ? size.neck / 3 : size.yoke_rows;
    size.sleeve_rows = size.sleeve_rows == 0 ? size.body_rows : size.sleeve_rows;
    *graph = (HedLoops){0};
    Knitter k = {.graph = graph, .error = error, .bound = -1};
    HED_TRY(check_size(&size, error));
    int32_t sleeve = size.neck / 6;
    int32_t front = (size.neck - 2 * sleeve) / 2;
    Yoke yoke = {{front, sleeve, front, sleeve}};
    HED_TRY(make_yoke(&k, &size, &yoke));
    graph->is_round = true;
    graph->round_wales = 2.0 * (yoke.loops[0] + yoke.loops[1]);
    HED_TRY(make_tubes(&k, &size, &yoke));
    HED_TRY(hed_loops_finish(graph, error));
done:
    hed_free(k.old.data);
    hed_free(k.fresh.data);
    hed_free(k.lifted.data);
    return status;
}
