// SPDX-License-Identifier: MIT
// A corner that is no ear becomes one only when one of its neighbours is cut off, so corners wait
// in a queue that an ear's two neighbours join again. Corners that are not convex, the only ones
// that can stand inside an ear, are found through a grid.
#include "geom/ears.h"
#include "math/vec3.h"

// What counts as an ear, from choosy to not at all. Of a simple polygon the third finds all.
typedef enum EarRule {
    RULE_GOOD, // twice the area over the square of the longest side is at least LEAST of it
    RULE_THICK,
    RULE_ANY,
    RULE_TOUCHED, // others may touch its sides from outside
    RULE_COUNT
} EarRule;

static const double LEAST[RULE_COUNT] = {0.1, 1e-6, 0.0, 0.0};

enum {
    MOST_PASSES = 32, // over all corners by the last rule
    CORNER_STEPS = 16 // what a look at a corner costs, in looks at cells
};

typedef struct EarCut {
    HedEars* ears;
    int32_t* triangles;
    int32_t triangle_count;
    int32_t head, waiting; // of the queue, a ring
    int32_t cursor;        // a corner that is left
    EarRule rule;
    bool is_tangled; // corners were cut off that were no ears, or the ring turned inside out
} EarCut;

void hed_ears_free(HedEars* ears) {
    hed_free(ears->corners.data);
    hed_free(ears->queue.data);
    hed_free(ears->sides.data);
    hed_free(ears->grid.cells.data);
    *ears = (HedEars){0};
}

// --- The plane -------------------------------------------------------------------------------

static HedVec3 place(const HedEars* ears, int32_t corner) {
    return ears->x[ears->vertices[corner]];
}

// The sum of the fan's normals, or the largest of them if they cancel. False if all are zero.
static bool find_plane(HedEars* ears) {
    HedVec3 sum = {0};
    HedVec3 largest = {0};
    HedVec3 origin = place(ears, 0);
    for (int32_t i = 1; i + 1 < ears->count; ++i) {
        HedVec3 n =
            hed_cross3(hed_sub3(place(ears, i), origin), hed_sub3(place(ears, i + 1), origin));
        sum = hed_add3(sum, n);
        largest = hed_norm3(n) > hed_norm3(largest) ? n : largest;
    }
    HedVec3 normal = hed_norm3(sum) > 1e-12 * hed_norm3(largest) ? sum : largest;
    double size[3] = {fabs(normal.x), fabs(normal.y), fabs(normal.z)};
    ears->axis = size[0] > size[1] ? (size[0] > size[2] ? 0 : 2) : (size[1] > size[2] ? 1 : 2);
    double along = ears->axis == 0 ? normal.x : ears->axis == 1 ? normal.y : normal.z;
    ears->sign = along < 0.0 ? -1 : 1;
    return fabs(along) > 0.0 && isfinite(along);
}

// Whether all others are seen from the first corner one after the other, in less than half a turn:
// then the ring is simple, and its triangles are a fan.
static bool is_fan(const HedEars* ears) {
    for (int32_t i = 2; i < ears->count; ++i) {
        if (hed_ears_turn(ears, 0, i - 1, i) <= 0 || hed_ears_turn(ears, 0, 1, i) <= 0) {
            return false;
        }
    }
    return true;
}

static void cut_fan(int32_t count, int32_t* triangles) {
    for (int32_t i = 0; i < count - 2; ++i) {
        triangles[3 * (int64_t)i] = 0;
        triangles[3 * (int64_t)i + 1] = i + 1;
        triangles[3 * (int64_t)i + 2] = i + 2;
    }
}

static void plane_vector(const HedEars* ears, int32_t from, int32_t to, double vector[2]) {
    for (int k = 0; k < 2; ++k) {
        vector[k] = hed_ears_coordinate(ears, to, k) - hed_ears_coordinate(ears, from, k);
    }
}

// --- Ears ------------------------------------------------------------------------------------

// A corner where the ring turns back on itself, or stands still.
static bool turns_back(const HedEars* ears, int32_t a, int32_t b, int32_t c) {
    double in[2], out[2];
    plane_vector(ears, a, b, in);
    plane_vector(ears, b, c, out);
    return in[0] * out[0] + in[1] * out[1] <= 0.0;
}

static bool is_thick(const HedEars* ears, const int32_t t[3], double least) {
    double side[3][2];
    double longest = 0.0;
    for (int i = 0; i < 3; ++i) {
        plane_vector(ears, t[i], t[(i + 1) % 3], side[i]);
        longest = fmax(longest, side[i][0] * side[i][0] + side[i][1] * side[i][1]);
    }
    return fabs(side[0][0] * side[1][1] - side[0][1] * side[1][0]) >= least * longest;
}

// Whether a side of the ring at corner p, which stands where corner k of a triangle does, leads
// into the triangle.
static bool enters_at(const HedEars* ears, const int32_t t[3], int k, const HedEarCorner* p) {
    const int32_t ends[2] = {p->before, p->after};
    for (int i = 0; i < 2; ++i) {
        if (hed_ears_turn(ears, t[k], t[(k + 1) % 3], ends[i]) > 0 &&
            hed_ears_turn(ears, t[(k + 2) % 3], t[k], ends[i]) > 0) {
            return true;
        }
    }
    return false;
}

// Whether a corner p keeps the triangle from being cut off.
static bool blocks(const HedEars* ears, const int32_t t[3], int32_t p, EarRule rule) {
    const HedEarCorner* corner = &ears->corners.data[p];
    int zeros = 0;
    int on = 0; // the last side that p lies on the line of
    int sum = 0;
    for (int i = 0; i < 3; ++i) {
        int turn = hed_ears_turn(ears, t[i], t[(i + 1) % 3], p);
        if (turn < 0) {
            return false;
        }
        zeros += turn == 0;
        on = turn == 0 ? i : on;
        sum += turn == 0 ? i : 0;
    }
    if (zeros == 2) { // on two sides: where they meet; sides 0 and 1 meet at corner 1, and so on
        return enters_at(ears, t, sum == 1 ? 1 : sum == 3 ? 2 : 0, corner);
    }
    if (zeros == 1 && rule >= RULE_TOUCHED) {
        int32_t next = t[(on + 1) % 3];
        return hed_ears_turn(ears, t[on], next, corner->before) > 0 ||
               hed_ears_turn(ears, t[on], next, corner->after) > 0;
    }
    return true;
}

// Looks for a blocker among the corners of one cell and takes those off its list that are none.
static bool cell_blocks(HedEars* ears, int32_t* cell, const int32_t t[3], EarRule rule) {
    int32_t* link = cell;
    while (*link >= 0) {
        int32_t p = *link;
        HedEarCorner* corner = &ears->corners.data[p];
        ears->budget -= CORNER_STEPS;
        if (corner->is_gone || !corner->is_blocker) {
            *link = corner->below;
            corner->is_in_cell = false;
            continue;
        }
        if (p != t[0] && p != t[1] && p != t[2] && blocks(ears, t, p, rule)) {
            return true;
        }
        link = &corner->below;
    }
    return false;
}

static bool is_free(HedEars* ears, const int32_t t[3], EarRule rule) {
    HedEarRows rows = hed_ears_rows(ears, t, 3);
    while (hed_ears_next_row(&rows)) {
        int32_t* row = ears->grid.cells.data + (int64_t)rows.row * ears->grid.size[0];
        for (int32_t column = rows.first; column <= rows.last; ++column) {
            --ears->budget;
            if (cell_blocks(ears, row + column, t, rule)) {
                return false;
            }
        }
    }
    return true;
}

static bool is_ear(HedEars* ears, int32_t corner, EarRule rule) {
    const HedEarCorner* c = &ears->corners.data[corner];
    const int32_t t[3] = {c->before, corner, c->after};
    int turn = hed_ears_turn(ears, t[0], t[1], t[2]);
    if (turn == 0) {
        return turns_back(ears, t[0], t[1], t[2]);
    }
    return turn > 0 && is_thick(ears, t, LEAST[rule]) && is_free(ears, t, rule);
}

// --- The ring --------------------------------------------------------------------------------

static void enqueue(EarCut* cut, int32_t corner) {
    HedEars* ears = cut->ears;
    if (!ears->corners.data[corner].is_in_queue) {
        ears->corners.data[corner].is_in_queue = true;
        ears->queue.data[(int32_t)(((int64_t)cut->head + cut->waiting++) % ears->count)] = corner;
    }
}

static int32_t dequeue(EarCut* cut) {
    int32_t corner = cut->ears->queue.data[cut->head];
    cut->head = cut->head + 1 < cut->ears->count ? cut->head + 1 : 0;
    --cut->waiting;
    cut->ears->corners.data[corner].is_in_queue = false;
    return corner;
}

static void enqueue_all(EarCut* cut) {
    int32_t at = cut->cursor;
    do {
        enqueue(cut, at);
        at = cut->ears->corners.data[at].after;
    } while (at != cut->cursor);
}

static void mark(HedEars* ears, int32_t index) {
    HedEarCorner* corner = &ears->corners.data[index];
    corner->is_blocker = hed_ears_turn(ears, corner->before, index, corner->after) <= 0;
    if (corner->is_blocker && !corner->is_in_cell) {
        int32_t* cell = &ears->grid.cells.data[hed_ears_cell(ears, index)];
        corner->below = *cell;
        corner->is_in_cell = true;
        *cell = index;
    }
}

static void cut_off(EarCut* cut, int32_t index) {
    HedEars* ears = cut->ears;
    HedEarCorner* corner = &ears->corners.data[index];
    int32_t* t = cut->triangles + 3 * (int64_t)cut->triangle_count++;
    const int32_t ends[2] = {corner->before, corner->after};
    t[0] = ends[0];
    t[1] = index;
    t[2] = ends[1];
    corner->is_gone = true;
    ears->corners.data[ends[0]].after = ends[1];
    ears->corners.data[ends[1]].before = ends[0];
    cut->cursor = ends[1];
    for (int i = 0; i < 2; ++i) {
        HedEarCorner* end = &ears->corners.data[ends[i]];
        bool was_convex = !end->is_blocker;
        mark(ears, ends[i]);
        if (was_convex && end->is_blocker) { // a corner cannot open where a part of it is cut off
            cut->is_tangled =
                cut->is_tangled || hed_ears_turn(ears, end->before, ends[i], end->after) < 0;
        }
        enqueue(cut, ends[i]);
    }
}

// A convex corner, or else any.
static void cut_anything(EarCut* cut) {
    HedEars* ears = cut->ears;
    int32_t at = cut->cursor;
    cut->is_tangled = true;
    do {
        --ears->budget;
        if (!ears->corners.data[at].is_blocker) {
            break;
        }
        at = ears->corners.data[at].after;
    } while (at != cut->cursor && ears->budget > 0);
    cut_off(cut, at);
}

static HedStatus make_ring(HedEars* ears, HedError* error) {
    int32_t count = ears->count;
    ears->corners.count = ears->queue.count = 0;
    if (!HED_RESERVE(&ears->corners, count) || !HED_RESERVE(&ears->queue, count) ||
        !hed_ears_lay_grid(ears, count)) {
        return hed_fail_memory(error, "polygon");
    }
    for (int32_t i = 0; i < count; ++i) {
        ears->corners.data[i] = (HedEarCorner){
            .before = i > 0 ? i - 1 : count - 1, .after = i + 1 < count ? i + 1 : 0, .below = -1};
    }
    for (int32_t i = 0; i < count; ++i) {
        mark(ears, i);
    }
    return HED_OK;
}

static void cut_ring(EarCut* cut) {
    HedEars* ears = cut->ears;
    int32_t last = ears->count - 2;
    int32_t passes = 0;
    int32_t cut_before = -1; // triangles when the last pass began
    enqueue_all(cut);
    while (cut->triangle_count < last) {
        if (ears->budget <= 0) {
            cut_anything(cut);
        } else if (cut->waiting > 0) {
            int32_t corner = dequeue(cut);
            if (!ears->corners.data[corner].is_gone && is_ear(ears, corner, cut->rule)) {
                cut_off(cut, corner);
            }
        } else if (cut->rule + 1 < RULE_COUNT) {
            ++cut->rule;
            enqueue_all(cut);
        } else if (cut->triangle_count > cut_before && passes < MOST_PASSES) {
            cut_before = cut->triangle_count;
            ++passes;
            enqueue_all(cut);
        } else {
            cut_anything(cut);
        }
    }
}

// Steps that a polygon may take: enough for any that is simple and not made to be slow. What
// crosses itself comes out wrong in any case.
static int64_t steps_for(int32_t count, bool crosses) {
    double steps = count * (2000.0 + 100.0 * sqrt(count));
    return (int64_t)fmin(steps, crosses ? 2e7 : 2e8);
}

HedStatus hed_ears_cut(HedEars* ears, HedEarPolygon polygon, int32_t* triangles, bool* crosses,
                       HedError* error) {
    HedStatus status = HED_OK;
    EarCut cut = {.ears = ears, .triangles = triangles};
    ears->x = polygon.x;
    ears->vertices = polygon.vertices;
    ears->count = polygon.count;
    *crosses = false;
    if (!find_plane(ears) || is_fan(ears)) { // without a plane no triangle has an area
        cut_fan(polygon.count, triangles);
        return HED_OK;
    }
    HED_TRY(hed_ears_find_crossing(ears, crosses, error));
    ears->budget = steps_for(polygon.count, *crosses);
    HED_TRY(make_ring(ears, error));
    cut_ring(&cut);
    *crosses = *crosses || cut.is_tangled;
done:
    return status;
}
