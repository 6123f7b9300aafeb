// SPDX-License-Identifier: MIT
// Built from the top by the surface area heuristic over bins (Wald, "On fast construction of SAH
// based bounding volume hierarchies", 2007) along the widest axis of the centres.
#include "geom/bvh.h"

#include "base/alloc.h"
#include "base/array.h"

enum {
    LEAF_SIZE = 4,
    BINS = 16,
    HALVING_DEPTH = 48, // from here on nodes are halved, so no tree is deeper than 48 + 31
    STACK = 128         // a walk keeps one waiting child per level, and one more
};

// What the tree is built over, kept together so that sorting into halves moves it as one.
typedef struct Reference {
    float low[3], high[3];
    int32_t item;
} Reference;

typedef struct FloatBox {
    float low[3], high[3];
} FloatBox;

static float float_below(double x) {
    float f = (float)x;
    return (double)f > x ? nextafterf(f, -INFINITY) : f;
}

static float float_above(double x) {
    float f = (float)x;
    return (double)f < x ? nextafterf(f, INFINITY) : f;
}

static FloatBox float_box(HedBox box) {
    return (FloatBox){{float_below(box.low.x), float_below(box.low.y), float_below(box.low.z)},
                      {float_above(box.high.x), float_above(box.high.y), float_above(box.high.z)}};
}

static FloatBox empty_box(void) {
    return (FloatBox){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
}

static inline void box_join(FloatBox* box, const float low[3], const float high[3]) {
    for (int i = 0; i < 3; ++i) {
        box->low[i] = low[i] < box->low[i] ? low[i] : box->low[i];
        box->high[i] = high[i] > box->high[i] ? high[i] : box->high[i];
    }
}

// Half the surface; zero for an empty box.
static float box_area(const FloatBox* box) {
    float x = box->high[0] - box->low[0];
    float y = box->high[1] - box->low[1];
    float z = box->high[2] - box->low[2];
    return x >= 0.0f ? x * y + y * z + z * x : 0.0f;
}

static HedBox triangle_box(const HedVec3* vertices, const int32_t* triangle) {
    HedVec3 a = vertices[triangle[0]];
    HedVec3 b = vertices[triangle[1]];
    HedVec3 c = vertices[triangle[2]];
    return (HedBox){hed_min3(a, hed_min3(b, c)), hed_max3(a, hed_max3(b, c))};
}

// How a run of references is cut: by the bin of twice the centre along an axis.
typedef struct Split {
    int axis;
    float origin;
    float scale; // 0: cut the run in the middle instead
    int first_right_bin;
} Split;

static inline int bin_of(const Reference* reference, const Split* split) {
    float centre = reference->low[split->axis] + reference->high[split->axis];
    float at = (centre - split->origin) * split->scale;
    if (!(at > 0.0f)) {
        return 0; // also the centre of an infinite box, which is not a number
    }
    return at < (float)BINS ? (int)at : BINS - 1;
}

static Split choose_axis(const Reference* references, int32_t count) {
    FloatBox centres = empty_box();
    for (int32_t i = 0; i < count; ++i) {
        float centre[3];
        for (int k = 0; k < 3; ++k) {
            centre[k] = references[i].low[k] + references[i].high[k];
        }
        box_join(&centres, centre, centre);
    }
    Split split = {0};
    float widest = 0.0f;
    for (int k = 0; k < 3; ++k) {
        float extent = centres.high[k] - centres.low[k];
        if (extent > widest) {
            widest = extent;
            split.axis = k;
        }
    }
    float scale = (float)BINS / widest;
    if (widest > 0.0f && isfinite(widest) && isfinite(scale)) {
        split.origin = centres.low[split.axis];
        split.scale = scale;
    }
    return split;
}

// Cheapest cut between bins: area times count on the left plus the same on the right. The centres
// lie in the first and the last bin and perhaps others, so a cut with both sides filled exists.
static int choose_bin(const Reference* references, int32_t count, const Split* split) {
    FloatBox box[BINS];
    int32_t size[BINS] = {0};
    for (int b = 0; b < BINS; ++b) {
        box[b] = empty_box();
    }
    for (int32_t i = 0; i < count; ++i) {
        int b = bin_of(&references[i], split);
        ++size[b];
        box_join(&box[b], references[i].low, references[i].high);
    }
    float left_cost[BINS] = {0};
    FloatBox side = empty_box();
    int32_t left = 0;
    for (int b = 0; b + 1 < BINS; ++b) {
        box_join(&side, box[b].low, box[b].high);
        left += size[b];
        left_cost[b + 1] = box_area(&side) * (float)left;
    }
    side = empty_box();
    int best = BINS - 1;
    float best_cost = INFINITY;
    int32_t right = 0;
    for (int b = BINS - 1; b > 0; --b) {
        box_join(&side, box[b].low, box[b].high);
        right += size[b];
        float cost = left_cost[b] + box_area(&side) * (float)right;
        if (right < count && cost < best_cost) {
            best_cost = cost;
            best = b;
        }
    }
    return best;
}

// Brings the left part of a run to its front and returns its size, at least 1 and below count.
static int32_t split_run(Reference* references, int32_t count, int32_t depth) {
    Split split = {0};
    if (depth < HALVING_DEPTH) {
        split = choose_axis(references, count);
    }
    if (split.scale == 0.0f) {
        return count / 2;
    }
    split.first_right_bin = choose_bin(references, count, &split);
    int32_t left = 0;
    int32_t end = count;
    while (left < end) {
        if (bin_of(&references[left], &split) < split.first_right_bin) {
            ++left;
        } else {
            Reference swap = references[left];
            references[left] = references[--end];
            references[end] = swap;
        }
    }
    return left > 0 && left < count ? left : count / 2;
}

typedef HED_ARRAY(HedBvhNode) NodeArray;

typedef struct Task {
    int32_t begin, end; // run of references
    int32_t parent;     // node whose child is to be filled
    int32_t side;
    int32_t depth;
} Task;

static void set_child_box(HedBvhNode* node, int side, const FloatBox* box) {
    for (int k = 0; k < 3; ++k) {
        node->low[k][side] = box->low[k];
        node->high[k][side] = box->high[k];
    }
}

static HedBvhNode empty_node(void) {
    HedBvhNode node = {.child = {-1, -1}};
    FloatBox box = empty_box();
    set_child_box(&node, 0, &box);
    set_child_box(&node, 1, &box);
    return node;
}

// Fills a child as a leaf, or makes a node for it and asks for its two halves.
static bool run_task(Reference* references, Task task, NodeArray* nodes, Task* waiting,
                     int32_t* waiting_count) {
    Reference* run = references + task.begin;
    int32_t count = task.end - task.begin;
    FloatBox box = empty_box();
    for (int32_t i = 0; i < count; ++i) {
        box_join(&box, run[i].low, run[i].high);
    }
    HedBvhNode* parent = &nodes->data[task.parent];
    set_child_box(parent, task.side, &box);
    if (count <= LEAF_SIZE) {
        parent->child[task.side] = task.begin;
        parent->count[task.side] = count;
        return true;
    }
    int32_t node = nodes->count;
    parent->child[task.side] = node;
    if (!HED_APPEND(nodes, empty_node())) {
        return false;
    }
    int32_t middle = task.begin + split_run(run, count, task.depth);
    waiting[(*waiting_count)++] = (Task){middle, task.end, node, 1, task.depth + 1};
    waiting[(*waiting_count)++] = (Task){task.begin, middle, node, 0, task.depth + 1};
    return true;
}

static HedStatus build_from(Reference* references, int32_t count, HedBvh* bvh, HedError* error) {
    NodeArray nodes = {0};
    Task waiting[STACK];
    int32_t waiting_count = 0;
    bvh->items = HED_NEW_ARRAY(int32_t, count);
    bool ok = bvh->items && HED_RESERVE(&nodes, (int64_t)count / 2 + 1) &&
              HED_APPEND(&nodes, empty_node());
    if (ok && count > LEAF_SIZE) {
        int32_t middle = split_run(references, count, 0);
        waiting[waiting_count++] = (Task){middle, count, 0, 1, 1};
        waiting[waiting_count++] = (Task){0, middle, 0, 0, 1};
    } else if (ok && count > 0) {
        waiting[waiting_count++] = (Task){0, count, 0, 0, 1};
    }
    while (ok && waiting_count > 0) {
        Task task = waiting[--waiting_count];
        ok = run_task(references, task, &nodes, waiting, &waiting_count);
    }
    bvh->nodes = nodes.data;
    bvh->node_count = nodes.count;
    bvh->item_count = count;
    if (!ok) {
        hed_bvh_free(bvh);
        return hed_fail_memory(error, "tree of boxes");
    }
    for (int32_t i = 0; i < count; ++i) {
        bvh->items[i] = references[i].item;
    }
    return HED_OK;
}

// Boxes of things given as boxes or as triangles.
static HedBox thing_box(const HedBox* boxes, const HedVec3* vertices, const int32_t* triangles,
                        int32_t i) {
    return boxes ? boxes[i] : triangle_box(vertices, triangles + 3 * (int64_t)i);
}

static HedStatus build(const HedBox* boxes, const HedVec3* vertices, const int32_t* triangles,
                       int32_t count, HedBvh* bvh, HedError* error) {
    *bvh = (HedBvh){0};
    Reference* references = HED_NEW_ARRAY(Reference, count);
    if (!references) {
        return hed_fail_memory(error, "tree of boxes");
    }
    for (int32_t i = 0; i < count; ++i) {
        FloatBox box = float_box(thing_box(boxes, vertices, triangles, i));
        for (int k = 0; k < 3; ++k) {
            references[i].low[k] = box.low[k];
            references[i].high[k] = box.high[k];
        }
        references[i].item = i;
    }
    HedStatus status = build_from(references, count, bvh, error);
    hed_free(references);
    return status;
}

HedStatus hed_bvh_build(const HedBox* boxes, int32_t count, HedBvh* bvh, HedError* error) {
    return build(boxes, NULL, NULL, count, bvh, error);
}

HedStatus hed_bvh_build_triangles(const HedVec3* vertices, const int32_t* triangles,
                                  int32_t triangle_count, HedBvh* bvh, HedError* error) {
    return build(NULL, vertices, triangles, triangle_count, bvh, error);
}

static FloatBox leaf_box(const HedBvh* bvh, const HedBox* boxes, const HedVec3* vertices,
                         const int32_t* triangles, const HedBvhNode* node, int side) {
    FloatBox box = empty_box();
    for (int32_t i = 0; i < node->count[side]; ++i) {
        int32_t item = bvh->items[node->child[side] + i];
        FloatBox own = float_box(thing_box(boxes, vertices, triangles, item));
        box_join(&box, own.low, own.high);
    }
    return box;
}

static FloatBox node_box(const HedBvhNode* node) {
    FloatBox box;
    for (int k = 0; k < 3; ++k) {
        const float* low = node->low[k];
        const float* high = node->high[k];
        box.low[k] = low[0] < low[1] ? low[0] : low[1];
        box.high[k] = high[0] > high[1] ? high[0] : high[1];
    }
    return box;
}

static void refit(HedBvh* bvh, const HedBox* boxes, const HedVec3* vertices,
                  const int32_t* triangles) {
    for (int32_t n = bvh->node_count - 1; n >= 0; --n) {
        HedBvhNode* node = &bvh->nodes[n];
        for (int side = 0; side < 2; ++side) {
            if (node->child[side] < 0) {
                continue;
            }
            FloatBox box = node->count[side] > 0
                               ? leaf_box(bvh, boxes, vertices, triangles, node, side)
                               : node_box(&bvh->nodes[node->child[side]]);
            set_child_box(node, side, &box);
        }
    }
}

void hed_bvh_refit(HedBvh* bvh, const HedBox* boxes) {
    refit(bvh, boxes, NULL, NULL);
}

void hed_bvh_refit_triangles(HedBvh* bvh, const HedVec3* vertices, const int32_t* triangles) {
    refit(bvh, NULL, vertices, triangles);
}

void hed_bvh_free(HedBvh* bvh) {
    if (bvh) {
        hed_free(bvh->nodes);
        hed_free(bvh->items);
        *bvh = (HedBvh){0};
    }
}

// A child that waits to be looked at.
typedef struct ChildVisit {
    double distance_squared;
    int32_t child;
    int32_t count;
} ChildVisit;

// Squared distances from p to both children's boxes, side by side so that they are found in lanes.
static inline void child_gaps(const HedBvhNode* node, const double p[3], double gap_squared[2]) {
    gap_squared[0] = gap_squared[1] = 0.0;
    for (int k = 0; k < 3; ++k) {
        for (int side = 0; side < 2; ++side) {
            double below = (double)node->low[k][side] - p[k];
            double above = p[k] - (double)node->high[k][side];
            double gap = below > above ? below : above;
            gap = gap > 0.0 ? gap : 0.0;
            gap_squared[side] += gap * gap;
        }
    }
}

bool hed_bvh_closest(const HedBvh* bvh, const HedVec3* vertices, const int32_t* triangles,
                     HedVec3 p, double radius, HedBvhHit* hit) {
    const double at[3] = {p.x, p.y, p.z};
    double best = radius * radius;
    bool is_hit = false;
    ChildVisit stack[STACK];
    int32_t depth = 0;
    if (bvh->item_count > 0) {
        stack[depth++] = (ChildVisit){0.0, 0, 0};
    }
    while (depth > 0) {
        ChildVisit visit = stack[--depth];
        if (visit.distance_squared > best) {
            continue;
        }
        for (int32_t i = visit.child; i < visit.child + visit.count; ++i) {
            int32_t t = bvh->items[i];
            const int32_t* v = triangles + 3 * (int64_t)t;
            HedClosestTriangle closest =
                hed_closest_triangle(p, vertices[v[0]], vertices[v[1]], vertices[v[2]]);
            if (closest.distance_squared < best || (!is_hit && closest.distance_squared <= best)) {
                best = closest.distance_squared;
                *hit = (HedBvhHit){t, closest};
                is_hit = true;
            }
        }
        if (visit.count == 0 && visit.child >= 0) {
            const HedBvhNode* node = &bvh->nodes[visit.child];
            double gap[2];
            child_gaps(node, at, gap);
            int nearer = gap[1] < gap[0];
            int farther = 1 - nearer;
            if (gap[farther] <= best) {
                stack[depth++] =
                    (ChildVisit){gap[farther], node->child[farther], node->count[farther]};
            }
            if (gap[nearer] <= best) {
                stack[depth++] =
                    (ChildVisit){gap[nearer], node->child[nearer], node->count[nearer]};
            }
        }
    }
    return is_hit;
}

static bool child_overlaps(const HedBvhNode* node, int side, const HedBox* box) {
    const float(*low)[2] = node->low;
    const float(*high)[2] = node->high;
    return (double)low[0][side] <= box->high.x && box->low.x <= (double)high[0][side] &&
           (double)low[1][side] <= box->high.y && box->low.y <= (double)high[1][side] &&
           (double)low[2][side] <= box->high.z && box->low.z <= (double)high[2][side];
}

int32_t hed_bvh_overlap(const HedBvh* bvh, HedBox box, int32_t* found, int32_t capacity) {
    int32_t stack[STACK];
    int32_t depth = 0;
    int32_t total = 0;
    if (bvh->item_count > 0) {
        stack[depth++] = 0;
    }
    while (depth > 0) {
        const HedBvhNode* node = &bvh->nodes[stack[--depth]];
        for (int side = 0; side < 2; ++side) {
            if (node->child[side] < 0 || !child_overlaps(node, side, &box)) {
                continue;
            }
            if (node->count[side] == 0) {
                stack[depth++] = node->child[side];
                continue;
            }
            for (int32_t i = 0; i < node->count[side]; ++i, ++total) {
                if (total < capacity) {
                    found[total] = bvh->items[node->child[side] + i];
                }
            }
        }
    }
    return total;
}
