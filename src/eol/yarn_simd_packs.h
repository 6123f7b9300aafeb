// SPDX-License-Identifier: MIT
// Yarns of a crossing network side by side, four at a time, so that everything that runs along
// yarns (elements, products, factors) runs along four of them at once.
//
// Yarns are cut into lines in which no node stands twice. A band is four lines; its step k holds
// the k-th node of each, a place per lane. Before and after its own nodes a line has HED_HALO more
// steps with the nodes that its yarn goes on to, if it does: whatever couples nodes along a yarn
// can be made from one band alone. Places without a node are void: they name node 0, and nothing
// is ever read from them.
#ifndef HED_EOL_YARN_SIMD_PACKS_H
#define HED_EOL_YARN_SIMD_PACKS_H

#include "base/parallel.h"
#include "base/status.h"
#include "heddle/net.h"

enum { HED_YARN_PACK = 4, HED_HALO = 3 };

enum {
    HED_PLACE_OWN = 1,     ///< The line's own: each visit of a yarn stands in one such place.
    HED_PLACE_SEGMENT = 2, ///< The yarn goes on to the next place.
    HED_PLACE_TURN = 4,    ///< And comes from the one before.
    HED_PLACE_QUAD = 8,    ///< The yarn goes on for three more places.
};

typedef struct HedYarnPacks {
    int32_t node_count;
    int32_t visit_count;
    int32_t count;
    int32_t step_count;
    int32_t* first; // count + 1: the first step of each band
    int32_t color_count;
    int32_t* color_first; // color_count + 1 bands: lines of one colour share no node

    // Per place, step * HED_YARN_PACK + lane. One step more than there are: of void places.
    int32_t* node;
    int32_t* visit; // -1: void
    uint8_t* slot;
    uint8_t* kind;

    int32_t (*place)[2]; // per node and slot: its own place; step_count * HED_YARN_PACK: none
    int32_t* place_of;   // per visit: the same
} HedYarnPacks;

/// number[k] is the number that node k of the net has here.
HedStatus hed_yarn_packs_create(HedYarnPacks* bands, const HedNet* net, const int32_t* number,
                                HedError* error);
void hed_yarn_packs_free(HedYarnPacks* bands);

/// The bands of first..end-1 that this thread takes: about as many steps as any other, since lines
/// of knits differ in length by a hundred times.
HedShare hed_yarn_packs_share(const HedYarnPacks* bands, HedThreadTeam threads, int32_t first,
                              int32_t end);

/// Where number c (0 to 3: x, y, z, along the yarn) of a place stands in an array of four per
/// place.
static inline int64_t hed_yarn_pack_at(int32_t place, int32_t c) {
    return ((int64_t)(place / HED_YARN_PACK) * 4 + c) * HED_YARN_PACK + place % HED_YARN_PACK;
}

#endif
