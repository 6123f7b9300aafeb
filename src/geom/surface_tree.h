// SPDX-License-Identifier: MIT
// A tree over the triangles of moving sheets, and over segments of curves beside them, that finds
// which points and faces, and which edges, may meet in a step. Segments meet triangles only.
//
// Built once over the shape at rest, so that a node is a compact patch of cloth; refit in every
// step. A patch that cannot meet itself is left out as a whole (see hed_surface_tree_find).
#ifndef HED_GEOM_SURFACE_TREE_H
#define HED_GEOM_SURFACE_TREE_H

#include "base/array.h"
#include "base/parallel.h"
#include "base/status.h"
#include "geom/topology.h"
#include "heddle/vec.h"

/// Low corner, then the high corner negated, so that joining boxes is one minimum of all lanes. The
/// fourth and eighth lanes are zero.
typedef struct HedSweptBox {
    float lane[8];
} HedSweptBox;

/// Nodes stand in preorder: the left child is the next one, and what is below a node ends at `end`.
typedef struct HedSurfaceNode {
    int32_t first, count;  // triangles, in the order of the tree
    int32_t right;         // second child; 0 for a leaf
    int32_t end;           // first node that is not below this one
    int32_t contour;       // place of the first point of the patch's edge in contours
    int32_t contour_count; // 0 if its edge is not one closed line, or if there are segments in it
    bool has_faces;        // not segments alone
} HedSurfaceNode;

typedef struct HedPair {
    int32_t a, b;
} HedPair;

/// What may meet, in an order fixed by the tree, each pair once.
typedef struct HedPairs {
    HED_ARRAY(HedPair) faces; // a point and a triangle that does not have it
    HED_ARRAY(HedPair)
    edges; // two edges without a common point: numbers of the topology, which
           // segments continue
} HedPairs;

void hed_pairs_free(HedPairs* pairs);

/// Where points go in a step. Borrowed, and needed until the last find.
typedef struct HedSweep {
    const HedVec3* start; // m
    const HedVec3* end;   // m, all move on straight lines
    const double* reach;  // m, per point: how far around it things are looked for
    const bool* is_new;   // per point, or NULL for all: pairs of old points only are left out
} HedSweep;

enum { HED_SURFACE_CHUNKS = 64 };

/// Zero-initialise; free with hed_surface_tree_free.
typedef struct HedSurfaceTree {
    const HedTopology* topology; // borrowed
    int32_t triangle_count;      // with segments
    int32_t* order;     // given number of each triangle of the tree; segments follow triangles
    int32_t* triangles; // three points each, in the order of the tree; segments: a, b, b
    int32_t* sides;     // three edges each
    uint8_t* owned;     // bit k: corner k, bit 3 + k: side k is looked after by this triangle
    HedSurfaceNode* nodes;
    int32_t node_count;
    HED_ARRAY(int32_t) contours;
    HED_ARRAY(int32_t) subtrees; // nodes whose trees are refit by one thread
    bool enable_culling;         // of patches that cannot meet themselves; true

    // Written by refit.
    HedSweep sweep;
    HedSweptBox* point_box;
    HedSweptBox* triangle_box;
    HedSweptBox* node_box;
    uint32_t* facing; // per node: directions that all its normals lean towards
    bool* is_new;     // per node

    // Scratch of find.
    HED_ARRAY(HedPair) tasks;
    HedPairs chunk[HED_SURFACE_CHUNKS];
} HedSurfaceTree;

/// Builds the tree over triangles (those of the topology, three points each; copied), and as many
/// segments after them (points a, b, b), with points at rest (finite). The topology is borrowed.
HedStatus hed_surface_tree_create(HedSurfaceTree* tree, const int32_t* triangles,
                                  int32_t segment_count, const HedTopology* topology,
                                  const HedVec3* rest, HedError* error);

/// NULL and half-built ones are allowed.
void hed_surface_tree_free(HedSurfaceTree* tree);

/// Fits boxes and normals to a step. Coordinates must be finite.
void hed_surface_tree_refit(HedSurfaceTree* tree, const HedSweep* sweep, const HedTeam* team);

/// Finds all pairs whose boxes over the step, widened by reach, overlap.
///
/// A patch is passed over if it cannot meet itself in the step: there is a direction d with
///   n . d >= |n| / 4 for the normals n of all its triangles at all times,
/// and its edge, seen along d, is star-shaped about its middle at all times. Seen along d every
/// triangle then has the same orientation, and the edge winds once around every place inside it and
/// never around one outside. The number of triangles above a place equals that winding number, so
/// it is one: nothing lies above anything else. Both conditions are tested for all times at once by
/// the control points of the polynomials in time they are made of. What stays unseen are places
/// within reach of each other that are nearer than four times that along the cloth.
HedStatus hed_surface_tree_find(HedSurfaceTree* tree, const HedTeam* team, HedPairs* pairs,
                                HedError* error);

/// Whether a triangle of the tree is a segment.
static inline bool hed_surface_is_segment(const HedSurfaceTree* tree, int32_t triangle) {
    return tree->order[triangle] >= tree->topology->triangle_count;
}

/// The condition above for one node; of the last refit.
bool hed_surface_node_is_clear(const HedSurfaceTree* tree, int32_t node);

/// The directions that `facing` is about: bit k.
enum { HED_DIRECTIONS = 26 };
HedVec3 hed_surface_direction(int32_t k); // unit

#endif
