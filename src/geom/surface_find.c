// SPDX-License-Identifier: MIT
// Refitting the tree of a surface, and finding pairs with it.
#include "geom/surface_tree.h"

#include "math/vec3.h"

#include <float.h>

enum {
    FORMS = 13, // directions with opposite signs share a form
    LANES = 16,
    GRAIN = 1024, // triangles of a task that is not cut further
    STACK = 512
};

// Cosine of the largest angle between a normal and a direction it leans towards.
#define LEAN 0.25f

static const float FORM[3][LANES] = {
    {1, 0, 0, 1, 1, 1, 1, 0, 0, 1, 1, 1, 1},
    {0, 1, 0, 1, -1, 0, 0, 1, 1, 1, 1, -1, -1},
    {0, 0, 1, 0, 0, 1, -1, 1, -1, 1, -1, 1, -1},
};
// LEAN times the length of the direction.
static const float FORM_LEAN[LANES] = {
    LEAN * 1.0f,       LEAN * 1.0f,       LEAN * 1.0f,       LEAN * 1.4142136f, LEAN * 1.4142136f,
    LEAN * 1.4142136f, LEAN * 1.4142136f, LEAN * 1.4142136f, LEAN * 1.4142136f, LEAN * 1.7320509f,
    LEAN * 1.7320509f, LEAN * 1.7320509f, LEAN * 1.7320509f,
};

HedVec3 hed_surface_direction(int32_t k) {
    int32_t form = k % FORMS;
    HedVec3 d = {(double)FORM[0][form], (double)FORM[1][form], (double)FORM[2][form]};
    return hed_mul3((k < FORMS ? 1.0 : -1.0) / hed_norm3(d), d);
}

static inline HedSweptBox box_join(HedSweptBox a, HedSweptBox b) {
    HedSweptBox box;
    for (int k = 0; k < 8; ++k) {
        box.lane[k] = a.lane[k] < b.lane[k] ? a.lane[k] : b.lane[k];
    }
    return box;
}

// Lane k of one and lane k + 4 of the other: low <= high, in both directions.
static inline bool box_overlaps(const HedSweptBox* a, const HedSweptBox* b) {
    bool is_apart = false;
    for (int k = 0; k < 3; ++k) {
        is_apart |= a->lane[k] > -b->lane[k + 4];
        is_apart |= b->lane[k] > -a->lane[k + 4];
    }
    return !is_apart;
}

// A float that is not above x.
static inline float float_below(double x) {
    float f = (float)(x < (double)FLT_MAX ? x : (double)FLT_MAX);
    return f - (fabsf(f) * FLT_EPSILON + FLT_MIN);
}

static inline HedSweptBox point_box(HedVec3 p, HedVec3 q, double reach) {
    HedVec3 low = {p.x < q.x ? p.x : q.x, p.y < q.y ? p.y : q.y, p.z < q.z ? p.z : q.z};
    HedVec3 high = {p.x < q.x ? q.x : p.x, p.y < q.y ? q.y : p.y, p.z < q.z ? q.z : p.z};
    return (HedSweptBox){{float_below(low.x - reach), float_below(low.y - reach),
                          float_below(low.z - reach), 0.0f, float_below(-high.x - reach),
                          float_below(-high.y - reach), float_below(-high.z - reach), 0.0f}};
}

// Values of the forms at a normal of length 1; not a number if it is too short for its direction to
// be trusted.
static inline void form_values(HedVec3 normal, double least_squared, float* value) {
    double squared = hed_dot3(normal, normal);
    double scale = squared > least_squared ? 1.0 / sqrt(squared) : (double)NAN;
    float x = (float)(scale * normal.x);
    float y = (float)(scale * normal.y);
    float z = (float)(scale * normal.z);
    for (int k = 0; k < LANES; ++k) {
        value[k] = x * FORM[0][k] + y * FORM[1][k] + z * FORM[2][k];
    }
}

// Directions that the normal leans towards during the whole step. With sides e, f at the start and
// their changes e', f' the normal is (e + t e') x (f + t f'), a parabola with the control points
//   e x f,   1/2 (e x f + (e + e') x (f + f') - e' x f'),   (e + e') x (f + f'):
// it leans to where all three do.
static uint32_t triangle_facing(const HedSweep* sweep, const int32_t* p) {
    HedVec3 e0 = hed_sub3(sweep->start[p[1]], sweep->start[p[0]]);
    HedVec3 f0 = hed_sub3(sweep->start[p[2]], sweep->start[p[0]]);
    HedVec3 e1 = hed_sub3(sweep->end[p[1]], sweep->end[p[0]]);
    HedVec3 f1 = hed_sub3(sweep->end[p[2]], sweep->end[p[0]]);
    HedVec3 first = hed_cross3(e0, f0);
    HedVec3 last = hed_cross3(e1, f1);
    HedVec3 turn = hed_cross3(hed_sub3(e1, e0), hed_sub3(f1, f0));
    double sides =
        fmax(hed_dot3(e0, e0), hed_dot3(e1, e1)) * fmax(hed_dot3(f0, f0), hed_dot3(f1, f1));
    double least = 1e-20 * sides;
    float a[LANES], b[LANES], c[LANES];
    form_values(first, least, a);
    form_values(last, least, b);
    form_values(hed_sub3(hed_add3(first, last), turn), least, c);
    uint32_t facing = 0;
    for (int k = 0; k < FORMS; ++k) {
        float lean = FORM_LEAN[k];
        uint32_t up = (uint32_t)(a[k] > lean) & (uint32_t)(b[k] > lean) & (uint32_t)(c[k] > lean);
        uint32_t down =
            (uint32_t)(a[k] < -lean) & (uint32_t)(b[k] < -lean) & (uint32_t)(c[k] < -lean);
        facing |= up << k | down << (k + FORMS);
    }
    return facing;
}

static void refit_leaf(HedSurfaceTree* tree, int32_t n) {
    const HedSurfaceNode* node = &tree->nodes[n];
    const bool* is_new = tree->sweep.is_new;
    HedSweptBox box = {{0}};
    uint32_t facing = UINT32_MAX;
    bool any = is_new == NULL;
    for (int32_t t = node->first; t < node->first + node->count; ++t) {
        const int32_t* p = tree->triangles + 3 * (int64_t)t;
        HedSweptBox own =
            box_join(box_join(tree->point_box[p[0]], tree->point_box[p[1]]), tree->point_box[p[2]]);
        tree->triangle_box[t] = own;
        box = t == node->first ? own : box_join(box, own);
        facing &= triangle_facing(&tree->sweep, p);
        any = any || is_new[p[0]] || is_new[p[1]] || is_new[p[2]];
    }
    tree->node_box[n] = box;
    tree->facing[n] = facing;
    tree->is_new[n] = any;
}

static void refit_node(HedSurfaceTree* tree, int32_t n) {
    int32_t right = tree->nodes[n].right;
    if (right == 0) {
        refit_leaf(tree, n);
        return;
    }
    tree->node_box[n] = box_join(tree->node_box[n + 1], tree->node_box[right]);
    tree->facing[n] = tree->facing[n + 1] & tree->facing[right];
    tree->is_new[n] = tree->is_new[n + 1] || tree->is_new[right];
}

void hed_surface_tree_refit(HedSurfaceTree* tree, const HedSweep* sweep, const HedTeam* team) {
    tree->sweep = *sweep;
    int32_t points = tree->topology->vertex_count;
#pragma omp parallel for schedule(static) num_threads(hed_team_size(team, INT64_C(10) * points))
    for (int32_t i = 0; i < points; ++i) {
        tree->point_box[i] = point_box(sweep->start[i], sweep->end[i], sweep->reach[i]);
    }
#pragma omp parallel for schedule(dynamic)                                                         \
    num_threads(hed_team_size(team, INT64_C(80) * tree->triangle_count))
    for (int32_t s = 0; s < tree->subtrees.count; ++s) {
        int32_t root = tree->subtrees.data[s];
        for (int32_t n = tree->nodes[root].end - 1; n >= root; --n) {
            refit_node(tree, n);
        }
    }
    int32_t s = tree->subtrees.count - 1;
    for (int32_t n = tree->node_count - 1; n >= 0; --n) {
        if (s >= 0 && n < tree->nodes[tree->subtrees.data[s]].end) {
            n = tree->subtrees.data[s--]; // done above
        } else {
            refit_node(tree, n);
        }
    }
}

// Sum of the cross products along a contour about its first point: twice the area it spans.
static HedVec3 contour_area(const HedVec3* x, const int32_t* contour, int32_t count) {
    HedVec3 area = {0};
    HedVec3 before = {0};
    for (int32_t i = 1; i < count; ++i) {
        HedVec3 p = hed_sub3(x[contour[i]], x[contour[0]]);
        area = hed_add3(area, hed_cross3(before, p));
        before = p;
    }
    return area;
}

static int32_t best_direction(uint32_t facing, HedVec3 area) {
    int32_t best = -1;
    double most = -HUGE_VAL;
    for (int32_t k = 0; k < HED_DIRECTIONS; ++k) {
        if ((facing >> k & 1) == 0) {
            continue;
        }
        double along = hed_dot3(hed_surface_direction(k), area);
        if (along > most) {
            most = along;
            best = k;
        }
    }
    return best;
}

// A point of a contour, seen along a direction from the contour's middle, at the start and the end.
typedef struct Spoke {
    double x0, y0, x1, y1;
} Spoke;

typedef struct Star {
    HedVec3 across, up; // with the direction a right-handed frame
    HedVec3 middle0, middle1;
    double least; // smallest control value so far, m^2
    double size;  // m, largest coordinate so far
    int32_t turns;
} Star;

static Spoke spoke_of(Star* star, const HedSweep* sweep, int32_t point) {
    HedVec3 p = hed_sub3(sweep->start[point], star->middle0);
    HedVec3 q = hed_sub3(sweep->end[point], star->middle1);
    star->size = fmax(star->size, fabs(p.x) + fabs(p.y) + fabs(p.z));
    star->size = fmax(star->size, fabs(q.x) + fabs(q.y) + fabs(q.z));
    return (Spoke){hed_dot3(p, star->across), hed_dot3(p, star->up), hed_dot3(q, star->across),
                   hed_dot3(q, star->up)};
}

// The angle from one spoke to the next must be between 0 and 180 degrees at all times: the cross
// product is a parabola in time, and its control values must be positive.
static void add_wedge(Star* star, Spoke a, Spoke b) {
    double first = a.x0 * b.y0 - a.y0 * b.x0;
    double last = a.x1 * b.y1 - a.y1 * b.x1;
    double middle = 0.5 * (a.x0 * b.y1 - a.y0 * b.x1 + a.x1 * b.y0 - a.y1 * b.x0);
    star->least = fmin(star->least, fmin(first, fmin(middle, last)));
    star->turns += a.y0 < 0.0 && b.y0 >= 0.0;
}

bool hed_surface_node_is_clear(const HedSurfaceTree* tree, int32_t node) {
    int32_t count = tree->nodes[node].contour_count;
    if (count == 0 || tree->facing[node] == 0) {
        return false;
    }
    const int32_t* contour = tree->contours.data + tree->nodes[node].contour;
    const HedSweep* sweep = &tree->sweep;
    int32_t k = best_direction(tree->facing[node], contour_area(sweep->start, contour, count));
    HedVec3 d = hed_surface_direction(k);
    Star star = {.across = hed_perpendicular3(d), .least = HUGE_VAL};
    star.up = hed_cross3(d, star.across);
    for (int32_t i = 0; i < count; ++i) {
        star.middle0 = hed_add3(star.middle0, sweep->start[contour[i]]);
        star.middle1 = hed_add3(star.middle1, sweep->end[contour[i]]);
    }
    star.middle0 = hed_mul3(1.0 / count, star.middle0);
    star.middle1 = hed_mul3(1.0 / count, star.middle1);
    Spoke first = spoke_of(&star, sweep, contour[0]);
    Spoke before = first;
    for (int32_t i = 1; i < count; ++i) {
        Spoke spoke = spoke_of(&star, sweep, contour[i]);
        add_wedge(&star, before, spoke);
        if (!(star.least > 0.0)) {
            return false;
        }
        before = spoke;
    }
    add_wedge(&star, before, first);
    // Differences and products lose less than ten roundings of the size.
    return star.least > 1e-14 * star.size * star.size && star.turns == 1;
}

static bool shares_point(const int32_t* triangle, int32_t point) {
    return triangle[0] == point || triangle[1] == point || triangle[2] == point;
}

// Corners that triangle t looks after against face `other`.
static bool find_faces(const HedSurfaceTree* tree, int32_t t, int32_t other, HedPairs* out) {
    if (hed_surface_is_segment(tree, other)) {
        return true;
    }
    const int32_t* p = tree->triangles + 3 * (int64_t)t;
    const int32_t* q = tree->triangles + 3 * (int64_t)other;
    const bool* is_new = tree->sweep.is_new;
    for (int k = 0; k < 3; ++k) {
        if ((tree->owned[t] >> k & 1) == 0 || shares_point(q, p[k]) ||
            !box_overlaps(&tree->point_box[p[k]], &tree->triangle_box[other])) {
            continue;
        }
        if (is_new && !is_new[p[k]] && !is_new[q[0]] && !is_new[q[1]] && !is_new[q[2]]) {
            continue;
        }
        if (!HED_APPEND(&out->faces, (HedPair){p[k], tree->order[other]})) {
            return false;
        }
    }
    return true;
}

static bool find_edges(const HedSurfaceTree* tree, int32_t t, int32_t other, HedPairs* out) {
    const int32_t* p = tree->triangles + 3 * (int64_t)t;
    const int32_t* q = tree->triangles + 3 * (int64_t)other;
    const bool* is_new = tree->sweep.is_new;
    for (int k = 0; k < 3; ++k) {
        int32_t a = p[k];
        int32_t b = p[(k + 1) % 3];
        HedSweptBox box = box_join(tree->point_box[a], tree->point_box[b]);
        if ((tree->owned[t] >> (3 + k) & 1) == 0 ||
            !box_overlaps(&box, &tree->triangle_box[other])) {
            continue;
        }
        for (int l = 0; l < 3; ++l) {
            int32_t c = q[l];
            int32_t d = q[(l + 1) % 3];
            if ((tree->owned[other] >> (3 + l) & 1) == 0 || a == c || a == d || b == c || b == d) {
                continue;
            }
            HedSweptBox far = box_join(tree->point_box[c], tree->point_box[d]);
            if (!box_overlaps(&box, &far) ||
                (is_new && !is_new[a] && !is_new[b] && !is_new[c] && !is_new[d])) {
                continue;
            }
            int32_t first = tree->sides[3 * (int64_t)t + k];
            int32_t second = tree->sides[3 * (int64_t)other + l];
            HedPair pair = first < second ? (HedPair){first, second} : (HedPair){second, first};
            if (!HED_APPEND(&out->edges, pair)) {
                return false;
            }
        }
    }
    return true;
}

static bool find_in_leaves(const HedSurfaceTree* tree, int32_t a, int32_t b, HedPairs* out) {
    const HedSurfaceNode* one = &tree->nodes[a];
    const HedSurfaceNode* two = &tree->nodes[b];
    for (int32_t t = one->first; t < one->first + one->count; ++t) {
        for (int32_t u = a == b ? t + 1 : two->first; u < two->first + two->count; ++u) {
            if (box_overlaps(&tree->triangle_box[t], &tree->triangle_box[u]) &&
                !(hed_surface_is_segment(tree, t) && hed_surface_is_segment(tree, u)) &&
                !(find_faces(tree, t, u, out) && find_faces(tree, u, t, out) &&
                  find_edges(tree, t, u, out))) {
                return false;
            }
        }
    }
    return true;
}

// Whether a pair of nodes (a node with itself if a = b) may hold something.
static bool is_open(const HedSurfaceTree* tree, HedPair task) {
    if (!tree->nodes[task.a].has_faces && !tree->nodes[task.b].has_faces) {
        return false;
    }
    if (task.a == task.b) {
        return tree->is_new[task.a] && tree->nodes[task.a].count > 1 &&
               !(tree->enable_culling && hed_surface_node_is_clear(tree, task.a));
    }
    return (tree->is_new[task.a] || tree->is_new[task.b]) &&
           box_overlaps(&tree->node_box[task.a], &tree->node_box[task.b]);
}

// What an open pair of nodes, not both leaves, is made of; at most three.
static int cut(const HedSurfaceTree* tree, HedPair task, HedPair part[3]) {
    const HedSurfaceNode* a = &tree->nodes[task.a];
    const HedSurfaceNode* b = &tree->nodes[task.b];
    if (task.a == task.b) {
        part[0] = (HedPair){task.a + 1, a->right};
        part[1] = (HedPair){a->right, a->right};
        part[2] = (HedPair){task.a + 1, task.a + 1};
        return 3;
    }
    bool first = b->right == 0 || (a->right > 0 && a->count >= b->count);
    part[0] = first ? (HedPair){a->right, task.b} : (HedPair){task.a, b->right};
    part[1] = first ? (HedPair){task.a + 1, task.b} : (HedPair){task.a, task.b + 1};
    return 2;
}

static bool are_leaves(const HedSurfaceTree* tree, HedPair task) {
    return tree->nodes[task.a].right == 0 && tree->nodes[task.b].right == 0;
}

// Cuts down to tasks of limited size; the tests of large patches are done here.
static bool list_tasks(HedSurfaceTree* tree) {
    HedPair stack[STACK];
    int32_t depth = 0;
    tree->tasks.count = 0;
    if (tree->node_count > 0) {
        stack[depth++] = (HedPair){0, 0};
    }
    while (depth > 0) {
        HedPair task = stack[--depth];
        int32_t size = tree->nodes[task.a].count + tree->nodes[task.b].count;
        if (size <= 2 * GRAIN || are_leaves(tree, task)) {
            if (!HED_APPEND(&tree->tasks, task)) {
                return false;
            }
        } else if (is_open(tree, task)) {
            HED_ASSERT(depth + 3 <= STACK);
            depth += cut(tree, task, stack + depth);
        }
    }
    return true;
}

static bool run_task(const HedSurfaceTree* tree, HedPair task, HedPairs* out) {
    HedPair stack[STACK];
    int32_t depth = 0;
    stack[depth++] = task;
    while (depth > 0) {
        HedPair now = stack[--depth];
        if (!is_open(tree, now)) {
            continue;
        }
        if (!are_leaves(tree, now)) {
            HED_ASSERT(depth + 3 <= STACK);
            depth += cut(tree, now, stack + depth);
        } else if (!find_in_leaves(tree, now.a, now.b, out)) {
            return false;
        }
    }
    return true;
}

static bool gather(const HedSurfaceTree* tree, HedPairs* pairs) {
    pairs->faces.count = 0;
    pairs->edges.count = 0;
    for (int c = 0; c < HED_SURFACE_CHUNKS; ++c) {
        const HedPairs* from = &tree->chunk[c];
        if (!HED_RESERVE(&pairs->faces, from->faces.count) ||
            !HED_RESERVE(&pairs->edges, from->edges.count)) {
            return false;
        }
        for (int32_t k = 0; k < from->faces.count; ++k) {
            pairs->faces.data[pairs->faces.count++] = from->faces.data[k];
        }
        for (int32_t k = 0; k < from->edges.count; ++k) {
            pairs->edges.data[pairs->edges.count++] = from->edges.data[k];
        }
    }
    return true;
}

HedStatus hed_surface_tree_find(HedSurfaceTree* tree, const HedTeam* team, HedPairs* pairs,
                                HedError* error) {
    bool is_full = list_tasks(tree);
    bool is_done[HED_SURFACE_CHUNKS] = {false};
    int64_t count = is_full ? tree->tasks.count : 0;
#pragma omp parallel for schedule(dynamic) num_threads(hed_team_size(team, INT64_C(20000) * count))
    for (int32_t c = 0; c < HED_SURFACE_CHUNKS; ++c) {
        HedPairs* out = &tree->chunk[c];
        out->faces.count = 0;
        out->edges.count = 0;
        is_done[c] = true;
        int64_t end = count * (c + 1) / HED_SURFACE_CHUNKS;
        for (int64_t k = count * c / HED_SURFACE_CHUNKS; k < end; ++k) {
            is_done[c] = is_done[c] && run_task(tree, tree->tasks.data[k], out);
        }
    }
    for (int32_t c = 0; c < HED_SURFACE_CHUNKS; ++c) {
        is_full = is_full && is_done[c];
    }
    return is_full && gather(tree, pairs) ? HED_OK : hed_fail_memory(error, "pairs of a surface");
}
