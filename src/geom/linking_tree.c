// SPDX-License-Identifier: MIT
// Linking integrals of long polylines by trees (Barnes and Hut 1986; for linking numbers Qu and
// James 2021). With f(r) = r / |r|^3 the integrand is f(a - b) . (da x db). About the centres of
// two parts, r = A - B, it is to first order
//   f_k(r) e_kmn A_m B_n + G_kl e_kmn (MA_lm B_n - A_m MB_ln),    G = (1 - 3 r r'/|r|^2) / |r|^3,
// where A, B are the sums of the pieces and MA, MB their moments about the centres. What is left
// out is of second order in the size of the parts over their distance, FAR at most.
#include "geom/linking.h"

enum { LEAF = 4 }; // pieces, at most, of a part that is not cut
static const double FAR = 0.2;

static int32_t depth_of(int32_t knot_count) {
    int32_t depth = 0;
    while (((int64_t)LEAF << depth) < knot_count - 1) {
        ++depth;
    }
    return depth;
}

int64_t hed_polyline_tree_size(int32_t knot_count) {
    return (INT64_C(2) << depth_of(knot_count)) - 1;
}

// Pieces of a node.
typedef struct Span {
    int32_t first, end;
} Span;

static HedVec3 piece_of(HedPolyline line, int32_t k) {
    return hed_sub3(line.knots[k + 1], line.knots[k]);
}

static HedVec3 middle_of(HedPolyline line, int32_t k) {
    return hed_lerp3(line.knots[k], line.knots[k + 1], 0.5);
}

static HedPolylineNode node_of(HedPolyline line, Span span) {
    HedPolylineNode node = {.center = line.knots[span.first]};
    HedVec3 sum = {0};
    for (int32_t k = span.first; k < span.end; ++k) {
        sum = hed_add3(sum, middle_of(line, k));
        node.along = hed_add3(node.along, piece_of(line, k));
    }
    if (span.end > span.first) {
        node.center = hed_mul3(1.0 / (span.end - span.first), sum);
    }
    for (int32_t k = span.first; k <= span.end; ++k) {
        node.radius = fmax(node.radius, hed_distance3(node.center, line.knots[k]));
    }
    for (int32_t k = span.first; k < span.end; ++k) {
        HedVec3 from = hed_sub3(middle_of(line, k), node.center);
        node.moment = hed_mat3_add(node.moment, hed_mat3_outer(from, piece_of(line, k)));
    }
    return node;
}

static void build(HedPolylineTree* tree, int64_t at, Span span, int32_t depth) {
    tree->nodes[at] = node_of(tree->line, span);
    if (depth > 0) {
        int32_t middle = span.first + (span.end - span.first) / 2;
        build(tree, 2 * at + 1, (Span){span.first, middle}, depth - 1);
        build(tree, 2 * at + 2, (Span){middle, span.end}, depth - 1);
    }
}

HedPolylineTree hed_polyline_tree(HedPolyline line, HedPolylineNode* nodes) {
    HedPolylineTree tree = {line, nodes, depth_of(line.count)};
    build(&tree, 0, (Span){0, line.count - 1}, tree.depth);
    return tree;
}

// A node of a tree, its pieces, and how often it is still cut.
typedef struct TreePart {
    const HedPolylineTree* tree;
    int64_t at;
    Span span;
    int32_t depth;
} TreePart;

static TreePart half_of(TreePart p, int second) {
    int32_t middle = p.span.first + (p.span.end - p.span.first) / 2;
    Span span = second ? (Span){middle, p.span.end} : (Span){p.span.first, middle};
    return (TreePart){p.tree, 2 * p.at + 1 + second, span, p.depth - 1};
}

static double far_part(const HedPolylineNode* a, const HedPolylineNode* b, HedVec3 r, double d) {
    double cube = 1.0 / (d * d * d);
    HedVec3 f = hed_mul3(cube, r);
    HedMat3 g = hed_mat3_outer_diag(-3.0 * cube, hed_mul3(1.0 / d, r), cube);
    // Row l of what G is summed with: row l of MA x B - A x row l of MB.
    double sum = hed_dot3(f, hed_cross3(a->along, b->along));
    for (int l = 0; l < 3; ++l) {
        HedVec3 ma = {a->moment.m[l][0], a->moment.m[l][1], a->moment.m[l][2]};
        HedVec3 mb = {b->moment.m[l][0], b->moment.m[l][1], b->moment.m[l][2]};
        HedVec3 row = {g.m[l][0], g.m[l][1], g.m[l][2]};
        HedVec3 both = hed_sub3(hed_cross3(ma, b->along), hed_cross3(a->along, mb));
        sum += hed_dot3(row, both);
    }
    return sum / (4.0 * 3.14159265358979323846);
}

static double near_part(TreePart a, TreePart b) {
    const HedVec3* p = a.tree->line.knots;
    const HedVec3* q = b.tree->line.knots;
    double sum = 0.0;
    for (int32_t i = a.span.first; i < a.span.end; ++i) {
        for (int32_t j = b.span.first; j < b.span.end; ++j) {
            sum += hed_gauss_pair(p[i], p[i + 1], q[j], q[j + 1]);
        }
    }
    return sum;
}

static double integral(TreePart a, TreePart b) {
    const HedPolylineNode* m = &a.tree->nodes[a.at];
    const HedPolylineNode* n = &b.tree->nodes[b.at];
    HedVec3 r = hed_sub3(m->center, n->center);
    double d = hed_norm3(r);
    if (m->radius + n->radius < FAR * d) {
        return far_part(m, n, r, d);
    }
    if (a.depth == 0 && b.depth == 0) {
        return near_part(a, b);
    }
    bool cuts_first = b.depth == 0 || (a.depth > 0 && m->radius >= n->radius);
    double sum = 0.0;
    for (int k = 0; k < 2; ++k) {
        sum += cuts_first ? integral(half_of(a, k), b) : integral(a, half_of(b, k));
    }
    return sum;
}

double hed_gauss_integral_near(const HedPolylineTree* a, const HedPolylineTree* b) {
    return integral((TreePart){a, 0, {0, a->line.count - 1}, a->depth},
                    (TreePart){b, 0, {0, b->line.count - 1}, b->depth});
}
