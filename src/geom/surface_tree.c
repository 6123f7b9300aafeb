// SPDX-License-Identifier: MIT
// Building: components first, then patches, cut in halves across their longest side.
#include "geom/surface_tree.h"

#include "base/alloc.h"

#include <math.h>

enum {
    LEAF_SIZE = 2,
    GRAIN = 512, // triangles of a subtree that is worth a thread's while
    STACK = 160
};

// What is being ordered: a triangle, or a component with its triangles.
typedef struct Item {
    float centre[3];
    int32_t id;
    int32_t first, count; // items of a component's triangles
} Item;

typedef struct SplitTask {
    Item* items;
    int32_t count;
    bool are_components;
    int32_t parent; // whose right child this is; -1 for a left child or the root
} SplitTask;

typedef struct Builder {
    HedSurfaceTree* tree;
    const int32_t* triangles;
    Item* parts;     // components
    Item* triangle;  // sorted by component
    int32_t* joined; // per point: union-find
    int32_t part_count;
    int32_t placed; // triangles that have their place
} Builder;

static int32_t find_root(int32_t* joined, int32_t i) {
    while (joined[i] != i) {
        joined[i] = joined[joined[i]];
        i = joined[i];
    }
    return i;
}

static void join_points(Builder* b, int32_t point_count, int32_t triangle_count) {
    for (int32_t i = 0; i < point_count; ++i) {
        b->joined[i] = i;
    }
    for (int32_t t = 0; t < triangle_count; ++t) {
        const int32_t* p = b->triangles + 3 * (int64_t)t;
        for (int k = 1; k < 3; ++k) {
            int32_t first = find_root(b->joined, p[0]);
            int32_t other = find_root(b->joined, p[k]);
            // The lower number wins, so components are numbered by their first point.
            b->joined[first > other ? first : other] = first > other ? other : first;
        }
    }
}

// Makes one item per component and puts the triangles behind each other by component.
static void sort_into_parts(Builder* b, const HedVec3* rest, int32_t* part_of, int32_t n) {
    int32_t points = b->tree->topology->vertex_count;
    for (int32_t i = 0; i < points; ++i) {
        part_of[i] = -1;
    }
    for (int32_t t = 0; t < n; ++t) {
        int32_t root = find_root(b->joined, b->triangles[3 * (int64_t)t]);
        if (part_of[root] < 0) {
            part_of[root] = b->part_count;
            b->parts[b->part_count] = (Item){.id = b->part_count};
            ++b->part_count;
        }
        ++b->parts[part_of[root]].count;
    }
    int32_t first = 0;
    for (int32_t c = 0; c < b->part_count; ++c) {
        b->parts[c].first = first;
        first += b->parts[c].count;
        b->parts[c].count = 0;
    }
    for (int32_t t = 0; t < n; ++t) {
        const int32_t* p = b->triangles + 3 * (int64_t)t;
        Item* part = &b->parts[part_of[find_root(b->joined, p[0])]];
        Item* item = &b->triangle[part->first + part->count++];
        *item = (Item){.id = t, .count = 1};
        const double* corner[3] = {&rest[p[0]].x, &rest[p[1]].x, &rest[p[2]].x};
        for (int k = 0; k < 3; ++k) {
            item->centre[k] = (float)((corner[0][k] + corner[1][k] + corner[2][k]) / 3.0);
            part->centre[k] += (item->centre[k] - part->centre[k]) / (float)part->count;
        }
    }
}

static int widest_axis(const Item* items, int32_t count) {
    float low[3] = {INFINITY, INFINITY, INFINITY};
    float high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int32_t i = 0; i < count; ++i) {
        for (int k = 0; k < 3; ++k) {
            low[k] = fminf(low[k], items[i].centre[k]);
            high[k] = fmaxf(high[k], items[i].centre[k]);
        }
    }
    int axis = 0;
    for (int k = 1; k < 3; ++k) {
        axis = high[k] - low[k] > high[axis] - low[axis] ? k : axis;
    }
    return axis;
}

static bool comes_before(const Item* a, const Item* b, int axis) {
    return a->centre[axis] < b->centre[axis] ||
           (a->centre[axis] == b->centre[axis] && a->id < b->id);
}

// Brings the `goal` first along an axis to the front (quickselect; the pivot is the middle one).
static void select_first(Item* items, int32_t count, int32_t goal, int axis) {
    int32_t low = 0;
    int32_t high = count - 1;
    while (low < high) {
        Item pivot = items[low + (high - low) / 2];
        int32_t i = low;
        int32_t j = high;
        while (i <= j) {
            while (comes_before(&items[i], &pivot, axis)) {
                ++i;
            }
            while (comes_before(&pivot, &items[j], axis)) {
                --j;
            }
            if (i <= j) {
                Item swap = items[i];
                items[i++] = items[j];
                items[j--] = swap;
            }
        }
        if (goal <= j) {
            high = j;
        } else if (goal >= i) {
            low = i;
        } else {
            return;
        }
    }
}

// Sorts by bringing halves in order until one is left.
static void sort_items(Item* items, int32_t count, int axis) {
    while (count > 1) {
        int32_t half = count / 2;
        select_first(items, count, half, axis);
        sort_items(items, half, axis); // depth: log2 of count
        items += half;
        count -= half;
    }
}

// Cuts across the longest side, at the widest gap between centres near the middle: in a regular
// mesh that is a straight line between two columns, which leaves patches with smooth edges. Returns
// how many are in front of the cut.
static int32_t cut_items(Item* items, int32_t count) {
    int axis = widest_axis(items, count);
    int32_t low = (int32_t)((int64_t)count * 3 / 8);
    int32_t high = count - low;
    select_first(items, count, low, axis);
    select_first(items + low, count - low, high - low, axis);
    sort_items(items + low, high - low, axis);
    int32_t best = count / 2;
    float widest = -1.0f;
    for (int32_t k = 0; k < (high - low) / 2; ++k) { // from the middle outwards
        for (int side = 0; side < 2; ++side) {
            int32_t at = side == 0 ? count / 2 - k : count / 2 + k;
            if (at <= low || at >= high) {
                continue;
            }
            float gap = items[at].centre[axis] - items[at - 1].centre[axis];
            if (gap > 1.01f * widest) {
                widest = gap;
                best = at;
            }
        }
    }
    return best;
}

static int32_t triangles_in(const SplitTask* task) {
    int32_t sum = 0;
    for (int32_t i = 0; i < task->count; ++i) {
        sum += task->items[i].count;
    }
    return sum;
}

static void place_leaf(Builder* b, const SplitTask* task) {
    for (int32_t i = 0; i < task->count; ++i) {
        b->tree->order[b->placed++] = task->items[i].id;
    }
}

static void build_nodes(Builder* b) {
    HedSurfaceTree* tree = b->tree;
    SplitTask stack[STACK];
    int32_t waiting = 0;
    stack[waiting++] = (SplitTask){b->parts, b->part_count, true, -1};
    while (waiting > 0) {
        SplitTask task = stack[--waiting];
        while (task.are_components && task.count == 1) {
            task = (SplitTask){b->triangle + task.items[0].first, task.items[0].count, false,
                               task.parent};
        }
        int32_t node = tree->node_count++;
        if (task.parent >= 0) {
            tree->nodes[task.parent].right = node;
        }
        tree->nodes[node] = (HedSurfaceNode){.first = b->placed, .count = triangles_in(&task)};
        if (!task.are_components && task.count <= LEAF_SIZE) {
            place_leaf(b, &task);
            continue;
        }
        int32_t half = cut_items(task.items, task.count);
        HED_ASSERT(waiting + 2 <= STACK);
        stack[waiting++] =
            (SplitTask){task.items + half, task.count - half, task.are_components, node};
        stack[waiting++] = (SplitTask){task.items, half, task.are_components, -1};
    }
    for (int32_t n = tree->node_count - 1; n >= 0; --n) {
        HedSurfaceNode* own = &tree->nodes[n];
        own->end = own->right > 0 ? tree->nodes[own->right].end : n + 1;
    }
}

static HedStatus order_triangles(HedSurfaceTree* tree, const int32_t* triangles,
                                 const HedVec3* rest, HedError* error) {
    int32_t n = tree->triangle_count;
    int32_t points = tree->topology->vertex_count;
    Builder b = {.tree = tree, .triangles = triangles};
    b.parts = HED_NEW_ARRAY(Item, n);
    b.triangle = HED_NEW_ARRAY(Item, n);
    b.joined = HED_NEW_ARRAY(int32_t, points);
    int32_t* part_of = HED_NEW_ARRAY(int32_t, points);
    HedStatus status = HED_OK;
    if (!b.parts || !b.triangle || !b.joined || !part_of) {
        status = hed_fail_memory(error, "tree of a surface");
    } else if (n > 0) {
        join_points(&b, points, n);
        sort_into_parts(&b, rest, part_of, n);
        build_nodes(&b);
    }
    hed_free(b.parts);
    hed_free(b.triangle);
    hed_free(b.joined);
    hed_free(part_of);
    return status;
}

// Segments look after themselves, and points after the segment or triangle that comes first.
static void claim_segment(HedSurfaceTree* tree, const int32_t* triangles, int32_t t,
                          bool* is_point_claimed) {
    const HedTopology* topology = tree->topology;
    const int32_t* from = triangles + 3 * (int64_t)tree->order[t];
    tree->owned[t] = 8;
    for (int k = 0; k < 3; ++k) {
        tree->triangles[3 * (int64_t)t + k] = from[k];
        tree->sides[3 * (int64_t)t + k] =
            topology->edge_count + tree->order[t] - topology->triangle_count;
        tree->owned[t] = (uint8_t)(tree->owned[t] | (is_point_claimed[from[k]] ? 0 : 1 << k));
        is_point_claimed[from[k]] = true;
    }
}

// Every point and edge is looked after by the first triangle of the tree that has it.
static HedStatus claim_features(HedSurfaceTree* tree, const int32_t* triangles, HedError* error) {
    bool* is_point_claimed = HED_NEW_ARRAY(bool, tree->topology->vertex_count);
    bool* is_edge_claimed = HED_NEW_ARRAY(bool, tree->topology->edge_count);
    HedStatus status = HED_OK;
    if (!is_point_claimed || !is_edge_claimed) {
        status = hed_fail_memory(error, "tree of a surface");
    }
    for (int32_t t = 0; status == HED_OK && t < tree->triangle_count; ++t) {
        if (hed_surface_is_segment(tree, t)) {
            claim_segment(tree, triangles, t, is_point_claimed);
            continue;
        }
        for (int k = 0; k < 3; ++k) {
            int64_t from = 3 * (int64_t)tree->order[t] + k;
            int32_t point = triangles[from];
            int32_t side = tree->topology->triangle_edges[from];
            tree->triangles[3 * (int64_t)t + k] = point;
            tree->sides[3 * (int64_t)t + k] = side;
            tree->owned[t] = (uint8_t)(tree->owned[t] | (is_point_claimed[point] ? 0 : 1 << k) |
                                       (is_edge_claimed[side] ? 0 : 8 << k));
            is_point_claimed[point] = true;
            is_edge_claimed[side] = true;
        }
    }
    hed_free(is_point_claimed);
    hed_free(is_edge_claimed);
    return status;
}

// Scratch for finding the edges of patches.
typedef struct Outline {
    int32_t* place; // place in the tree of each given triangle
    int32_t* next;  // per point: where its side of the edge leads to
    int32_t* stamp; // per point: node + 1 if next is of that node
} Outline;

// Which way triangle t (of the tree) runs along its k-th side: from the edge's lower point or not.
static bool runs_up(const HedSurfaceTree* tree, int32_t t, int k) {
    const int32_t* p = tree->triangles + 3 * (int64_t)t;
    return p[k] < p[(k + 1) % 3];
}

static int side_of(const HedSurfaceTree* tree, int32_t t, int32_t edge) {
    const int32_t* s = tree->sides + 3 * (int64_t)t;
    return s[0] == edge ? 0 : s[1] == edge ? 1 : 2;
}

// Collects the sides of a patch that have no other triangle of it beyond, as next[]. Returns their
// number, or 0 if triangles disagree in orientation or the edge forks.
static int32_t collect_sides(const HedSurfaceTree* tree, int32_t n, Outline* outline) {
    const HedSurfaceNode* node = &tree->nodes[n];
    int32_t count = 0;
    for (int32_t t = node->first; t < node->first + node->count; ++t) {
        if (hed_surface_is_segment(tree, t)) {
            return 0;
        }
        for (int k = 0; k < 3; ++k) {
            int32_t side = tree->sides[3 * (int64_t)t + k];
            const HedMeshEdge* edge = &tree->topology->edges[side];
            if (edge->triangle_count > 2 || tree->topology->duplicate_count > 0) {
                return 0;
            }
            int32_t other =
                edge->triangle[0] == tree->order[t] ? edge->triangle[1] : edge->triangle[0];
            int32_t place = other >= 0 ? outline->place[other] : -1;
            if (place >= node->first && place < node->first + node->count) {
                if (runs_up(tree, t, k) == runs_up(tree, place, side_of(tree, place, side))) {
                    return 0;
                }
                continue;
            }
            int32_t from = tree->triangles[3 * (int64_t)t + k];
            if (outline->stamp[from] == n + 1) {
                return 0;
            }
            outline->stamp[from] = n + 1;
            outline->next[from] = tree->triangles[3 * (int64_t)t + (k + 1) % 3];
            ++count;
        }
    }
    return count;
}

static bool add_contour(HedSurfaceTree* tree, int32_t n, Outline* outline) {
    HedSurfaceNode* node = &tree->nodes[n];
    int32_t count = collect_sides(tree, n, outline);
    if (count == 0 || !HED_RESERVE(&tree->contours, count)) {
        return count == 0;
    }
    int32_t start = tree->triangles[3 * (int64_t)node->first];
    for (int32_t t = 3 * node->first; outline->stamp[start] != n + 1; ++t) {
        start = tree->triangles[t];
    }
    int32_t at = start;
    int32_t length = 0;
    node->contour = tree->contours.count;
    do {
        tree->contours.data[tree->contours.count + length++] = at;
        at = outline->stamp[at] == n + 1 ? outline->next[at] : -1;
    } while (at >= 0 && at != start && length < count);
    if (at == start && length == count) { // otherwise there are several loops: a hole, two pieces
        tree->contours.count += count;
        node->contour_count = count;
    }
    return true;
}

static void mark_faces(HedSurfaceTree* tree) {
    for (int32_t n = tree->node_count - 1; n >= 0; --n) {
        HedSurfaceNode* node = &tree->nodes[n];
        node->has_faces =
            node->right > 0 && (tree->nodes[n + 1].has_faces || tree->nodes[node->right].has_faces);
        for (int32_t t = node->first; node->right == 0 && t < node->first + node->count; ++t) {
            node->has_faces = node->has_faces || !hed_surface_is_segment(tree, t);
        }
    }
}

static HedStatus find_contours(HedSurfaceTree* tree, HedError* error) {
    int32_t points = tree->topology->vertex_count;
    Outline outline = {
        .place = HED_NEW_ARRAY(int32_t, tree->triangle_count),
        .next = HED_NEW_ARRAY(int32_t, points),
        .stamp = HED_NEW_ARRAY(int32_t, points),
    };
    bool ok = outline.place && outline.next && outline.stamp;
    for (int32_t t = 0; ok && t < tree->triangle_count; ++t) {
        outline.place[tree->order[t]] = t;
    }
    for (int32_t n = 0; ok && n < tree->node_count; ++n) {
        const HedSurfaceNode* node = &tree->nodes[n];
        ok = node->count < 2 || add_contour(tree, n, &outline);
        bool is_top = node->count > GRAIN;
        if (ok && !is_top &&
            (tree->subtrees.count == 0 ||
             n >= tree->nodes[tree->subtrees.data[tree->subtrees.count - 1]].end)) {
            ok = HED_APPEND(&tree->subtrees, n);
        }
    }
    hed_free(outline.place);
    hed_free(outline.next);
    hed_free(outline.stamp);
    return ok ? HED_OK : hed_fail_memory(error, "tree of a surface");
}

static HedStatus allocate(HedSurfaceTree* tree, HedError* error) {
    int64_t n = tree->triangle_count;
    tree->order = HED_NEW_ARRAY(int32_t, n);
    tree->triangles = HED_NEW_ARRAY(int32_t, 3 * n);
    tree->sides = HED_NEW_ARRAY(int32_t, 3 * n);
    tree->owned = HED_NEW_ARRAY(uint8_t, n);
    tree->nodes = HED_NEW_ARRAY(HedSurfaceNode, 2 * n);
    tree->point_box = HED_NEW_ARRAY(HedSweptBox, tree->topology->vertex_count);
    tree->triangle_box = HED_NEW_ARRAY(HedSweptBox, n);
    tree->node_box = HED_NEW_ARRAY(HedSweptBox, 2 * n);
    tree->facing = HED_NEW_ARRAY(uint32_t, 2 * n);
    tree->is_new = HED_NEW_ARRAY(bool, 2 * n);
    bool ok = tree->order && tree->triangles && tree->sides && tree->owned && tree->nodes &&
              tree->point_box && tree->triangle_box && tree->node_box && tree->facing &&
              tree->is_new;
    return ok ? HED_OK : hed_fail_memory(error, "tree of a surface");
}

HedStatus hed_surface_tree_create(HedSurfaceTree* tree, const int32_t* triangles,
                                  int32_t segment_count, const HedTopology* topology,
                                  const HedVec3* rest, HedError* error) {
    HedStatus status = HED_OK;
    *tree = (HedSurfaceTree){.topology = topology,
                             .triangle_count = topology->triangle_count + segment_count,
                             .enable_culling = true};
    HED_TRY(allocate(tree, error));
    HED_TRY(order_triangles(tree, triangles, rest, error));
    HED_TRY(claim_features(tree, triangles, error));
    mark_faces(tree);
    HED_TRY(find_contours(tree, error));
done:
    if (status != HED_OK) {
        hed_surface_tree_free(tree);
    }
    return status;
}

void hed_pairs_free(HedPairs* pairs) {
    if (pairs) {
        hed_free(pairs->faces.data);
        hed_free(pairs->edges.data);
        *pairs = (HedPairs){0};
    }
}

void hed_surface_tree_free(HedSurfaceTree* tree) {
    if (!tree) {
        return;
    }
    hed_free(tree->order);
    hed_free(tree->triangles);
    hed_free(tree->sides);
    hed_free(tree->owned);
    hed_free(tree->nodes);
    hed_free(tree->contours.data);
    hed_free(tree->subtrees.data);
    hed_free(tree->point_box);
    hed_free(tree->triangle_box);
    hed_free(tree->node_box);
    hed_free(tree->facing);
    hed_free(tree->is_new);
    hed_free(tree->tasks.data);
    for (int c = 0; c < HED_SURFACE_CHUNKS; ++c) {
        hed_pairs_free(&tree->chunk[c]);
    }
    *tree = (HedSurfaceTree){0};
}
