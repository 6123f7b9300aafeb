// SPDX-License-Identifier: MIT
// A binary tree of boxes over triangles or other things with boxes.
#ifndef HED_GEOM_BVH_H
#define HED_GEOM_BVH_H

#include "base/status.h"
#include "geom/box.h"
#include "geom/closest.h"

/// One cache line: the boxes of both children, rounded outwards to float, last index the child.
typedef struct HedBvhNode {
    float low[3][2];
    float high[3][2];
    int32_t child[2]; ///< Node, or place in items of a leaf's first item; -1 for none.
    int32_t count[2]; ///< Items of a leaf; 0 for a node.
} HedBvhNode;

/// Zero-initialise; free with hed_bvh_free. Children stand behind their parents.
typedef struct HedBvh {
    HedBvhNode* nodes; ///< The first is the root; at least one.
    int32_t node_count;
    int32_t* items; ///< Numbers of the things built over, leaf by leaf.
    int32_t item_count;
} HedBvh;

/// Builds a tree over boxes (finite or not, not NaN; count may be 0); the array is not kept. Equal
/// input gives an equal tree. On failure bvh is empty.
HedStatus hed_bvh_build(const HedBox* boxes, int32_t count, HedBvh* bvh, HedError* error);

/// The same over triangles (three valid indices each, finite vertices).
HedStatus hed_bvh_build_triangles(const HedVec3* vertices, const int32_t* triangles,
                                  int32_t triangle_count, HedBvh* bvh, HedError* error);

/// Fits the tree to the boxes of the same things after they have moved.
void hed_bvh_refit(HedBvh* bvh, const HedBox* boxes);

/// The same for triangles.
void hed_bvh_refit_triangles(HedBvh* bvh, const HedVec3* vertices, const int32_t* triangles);

/// NULL and empty ones are allowed.
void hed_bvh_free(HedBvh* bvh);

typedef struct HedBvhHit {
    int32_t triangle;
    HedClosestTriangle closest;
} HedBvhHit;

/// Finds the closest point on the triangles the tree was built over, if any is within radius (m,
/// inclusive; HUGE_VAL for all) of p. Otherwise, or if p is NaN, returns false and leaves hit
/// alone.
bool hed_bvh_closest(const HedBvh* bvh, const HedVec3* vertices, const int32_t* triangles,
                     HedVec3 p, double radius, HedBvhHit* hit);

/// Collects candidates for overlap with box: all items whose box overlaps it, and perhaps others of
/// the same leaves (at most four share one). Writes the first capacity of them to found and returns
/// how many there are; each once, in an order fixed by the tree.
int32_t hed_bvh_overlap(const HedBvh* bvh, HedBox box, int32_t* found, int32_t capacity);

#endif
