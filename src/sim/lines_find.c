// SPDX-License-Identifier: MIT
// Which springs form chains: at each point those of one kind that go on most nearly straight, in
// the shape at rest.
#include "sim/lines_find.h"

#include "base/alloc.h"
#include "math/vec3.h"

enum { VALENCE = 64 }; // above, a point is the tip of a fan and no line goes through it

static const double COS_35_DEGREES = 0.81915204428899178968;

// Colours of one kind; chains that find none are cut.
enum { COLORS = 16 };

// An end of a spring: twice the spring's number, plus 1 for its second point.
typedef struct Search {
    const HedLineDef* def;
    int32_t kind;
    int32_t* start; // point_count + 2: where the ends at each point stand in the list
    int32_t* list;
    int32_t* next;    // per end, the end of the spring that goes on there; -1: none
    int32_t* seen;    // per point: line that came by last, plus 1
    int32_t* line_of; // per spring; -1: none yet
    uint32_t* used;   // per point: bits of the colours of its chains
    int32_t* queue;   // lines in the order of colouring
    bool* is_queued;  // per line; there are no more of them than springs
    HED_ARRAY(HedLineChain) lines;
} Search;

static int32_t point_at(const HedLineDef* def, int32_t end) {
    const HedSpring* s = &def->springs[end / 2];
    return end % 2 ? s->b : s->a;
}

// From the point at an end to the spring's other one, unit; 0 if they coincide at rest.
static HedVec3 direction(const HedLineDef* def, int32_t end) {
    HedVec3 d = hed_sub3(def->rest[point_at(def, end ^ 1)], def->rest[point_at(def, end)]);
    double length = hed_norm3(d);
    return hed_mul3(length > 0.0 ? 1.0 / length : 0.0, d);
}

static void list_ends(Search* search) {
    const HedLineDef* def = search->def;
    // Sizes go two places up, so that filling leaves the starts where they belong.
    for (int32_t e = 0; e < 2 * def->spring_count; ++e) {
        search->start[point_at(def, e) + 2] += def->springs[e / 2].kind == search->kind;
    }
    for (int32_t p = 1; p <= def->point_count; ++p) {
        search->start[p + 1] += search->start[p];
    }
    for (int32_t e = 0; e < 2 * def->spring_count; ++e) {
        if (def->springs[e / 2].kind == search->kind) {
            search->list[search->start[point_at(def, e) + 1]++] = e;
        }
    }
}

// The end at the same point that goes on most nearly straight; -1 if none does.
static int32_t straightest(const Search* search, int32_t end) {
    int32_t p = point_at(search->def, end);
    int32_t best = -1;
    double least = -COS_35_DEGREES;
    if (search->start[p + 1] - search->start[p] > VALENCE) {
        return -1;
    }
    for (int32_t k = search->start[p]; k < search->start[p + 1]; ++k) {
        int32_t other = search->list[k];
        double along = hed_dot3(direction(search->def, end), direction(search->def, other));
        if (other != end && along < least) {
            least = along;
            best = other;
        }
    }
    return best;
}

// Ends that choose each other go on into each other.
static void join_ends(Search* search) {
    int32_t count = 2 * search->def->spring_count;
    for (int32_t e = 0; e < count; ++e) {
        bool is_here = search->def->springs[e / 2].kind == search->kind;
        int32_t other = is_here ? straightest(search, e) : -1;
        search->next[e] = other >= 0 && straightest(search, other) == e ? other : -1;
    }
}

// The first end of the line that a spring lies in; of a closed one, wherever the way back ends.
static int32_t first_end(const Search* search, int32_t spring) {
    int32_t end = 2 * spring;
    for (int32_t k = 0; k < HED_LINE_EDGES; ++k) {
        int32_t before = search->next[end];
        if (before < 0 || before / 2 == spring) {
            break;
        }
        end = before ^ 1;
    }
    return end;
}

// Follows the line through a spring from its start, and takes the part of it that is not taken yet
// and comes to no point twice.
static bool trace(Search* search, int32_t spring, HedChains* chains) {
    const HedLineDef* def = search->def;
    int32_t end = first_end(search, spring);
    int32_t number = search->lines.count;
    HedLineChain line = {.first = chains->links.count};
    while (search->line_of[end / 2] >= 0) {
        end = search->next[end ^ 1];
    }
    int32_t point = point_at(def, end);
    search->seen[point] = number + 1;
    while (end >= 0 && search->line_of[end / 2] < 0 && line.edge_count < HED_LINE_EDGES &&
           search->seen[point_at(def, end ^ 1)] != number + 1) {
        if (!HED_APPEND(&chains->links, (HedLineLink){point, end / 2})) {
            return false;
        }
        point = point_at(def, end ^ 1);
        search->seen[point] = number + 1;
        search->line_of[end / 2] = number;
        line.edge_count += 1;
        end = search->next[end ^ 1];
    }
    return HED_APPEND(&chains->links, (HedLineLink){point, -1}) && HED_APPEND(&search->lines, line);
}

static bool trace_all(Search* search, HedChains* chains) {
    for (int32_t k = 0; k < search->def->spring_count; ++k) {
        while (search->def->springs[k].kind == search->kind && search->line_of[k] < 0) {
            if (!trace(search, k, chains)) {
                return false;
            }
        }
    }
    return true;
}

// Gives a chain the first colour that none of its points has; cuts it in two where there is none.
static bool color_chain(Search* search, HedChains* chains, HedLineChain chain) {
    const HedLineLink* link = &chains->links.data[chain.first];
    uint32_t used = 0;
    if (chain.edge_count < 2) {
        return true;
    }
    for (int32_t k = 0; k <= chain.edge_count; ++k) {
        used |= search->used[link[k].point];
    }
    int32_t color = 0;
    while (color < COLORS && (used >> color & 1u)) {
        ++color;
    }
    if (color == COLORS) {
        int32_t half = chain.edge_count / 2;
        return color_chain(search, chains, (HedLineChain){chain.first, half, 0}) &&
               color_chain(search, chains,
                           (HedLineChain){chain.first + half, chain.edge_count - half, 0});
    }
    for (int32_t k = 0; k <= chain.edge_count; ++k) {
        search->used[link[k].point] |= 1u << color;
    }
    chain.color = chains->color_count + color;
    return HED_APPEND(&chains->list, chain);
}

// The lines that cross a line join the queue.
static int32_t queue_crossing(Search* search, const HedChains* chains, int32_t line, int32_t tail) {
    const HedLineChain* chain = &search->lines.data[line];
    for (int32_t k = 0; k <= chain->edge_count; ++k) {
        int32_t p = chains->links.data[chain->first + k].point;
        for (int32_t i = search->start[p]; i < search->start[p + 1]; ++i) {
            int32_t other = search->line_of[search->list[i] / 2];
            if (!search->is_queued[other]) {
                search->is_queued[other] = true;
                search->queue[tail++] = other;
            }
        }
    }
    return tail;
}

// From each line on to those that cross it: so the two directions of a grid get one colour each.
static bool color_all(Search* search, HedChains* chains) {
    int32_t head = 0, tail = 0, last = -1;
    for (int32_t seed = 0; seed < search->lines.count; ++seed) {
        if (!search->is_queued[seed]) {
            search->is_queued[seed] = true;
            search->queue[tail++] = seed;
        }
        for (; head < tail; ++head) {
            int32_t line = search->queue[head];
            if (!color_chain(search, chains, search->lines.data[line])) {
                return false;
            }
            tail = queue_crossing(search, chains, line, tail);
        }
    }
    for (int32_t k = 0; k < chains->list.count; ++k) {
        last = hed_max_i32(last, chains->list.data[k].color);
    }
    chains->color_count = last + 1;
    return true;
}

static bool search_create(Search* search, const HedLineDef* def, int32_t kind) {
    int64_t springs = def->spring_count;
    *search = (Search){
        .def = def,
        .kind = kind,
        .start = HED_NEW_ARRAY(int32_t, (int64_t)def->point_count + 2),
        .list = HED_NEW_ARRAY(int32_t, 2 * springs),
        .next = HED_NEW_ARRAY(int32_t, 2 * springs),
        .seen = HED_NEW_ARRAY(int32_t, def->point_count),
        .line_of = HED_NEW_ARRAY(int32_t, springs),
        .used = HED_NEW_ARRAY(uint32_t, def->point_count),
        .queue = HED_NEW_ARRAY(int32_t, springs),
        .is_queued = HED_NEW_ARRAY(bool, springs),
    };
    bool ok = search->start && search->list && search->next && search->seen && search->line_of &&
              search->used && search->queue && search->is_queued;
    for (int32_t k = 0; ok && k < def->spring_count; ++k) {
        search->line_of[k] = -1;
    }
    return ok;
}

static void search_free(Search* search) {
    hed_free(search->start);
    hed_free(search->list);
    hed_free(search->next);
    hed_free(search->seen);
    hed_free(search->line_of);
    hed_free(search->used);
    hed_free(search->queue);
    hed_free(search->is_queued);
    hed_free(search->lines.data);
}

HedStatus hed_chains_find(HedChains* chains, const HedLineDef* def, int32_t kind, HedError* error) {
    Search search;
    bool ok = search_create(&search, def, kind);
    if (ok) {
        list_ends(&search);
        join_ends(&search);
        ok = trace_all(&search, chains) && color_all(&search, chains);
    }
    search_free(&search);
    return ok ? HED_OK : hed_fail_memory(error, "lines of springs");
}

void hed_chains_free(HedChains* chains) {
    hed_free(chains->links.data);
    hed_free(chains->list.data);
    *chains = (HedChains){0};
}
