// SPDX-License-Identifier: MIT
// The skin of a crossing network: triangles over the meshes between its yarns, with crossings as
// their corners, by which it meets other cloth.
//
// Each segment of yarn between two nodes is an edge of a graph. Around a crossing its four edges
// follow each other as both yarns run on and come back: f0, f1, b0, b1 about S_0 x S_1, the normal
// of net.h. Faces of the graph are found by turning to the next edge at every node, normals being
// made to lean to one side first. Free tails are in no face.
#ifndef HED_EOL_SKIN_H
#define HED_EOL_SKIN_H

#include "base/array.h"
#include "heddle/net.h"

typedef struct HedSkin {
    HED_ARRAY(int32_t) triangles; // three nodes each
} HedSkin;

/// Appends the triangles of a net; free triangles.data. Faces of more than 16 corners are holes,
/// such as the outside.
HedStatus hed_skin_create(const HedNet* net, HedSkin* skin, HedError* error);

#endif
