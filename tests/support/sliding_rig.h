// SPDX-License-Identifier: MIT
// A patch of sliding yarns in a simulation, of any size and material.
#ifndef TEST_SUPPORT_SLIDING_RIG_H
#define TEST_SUPPORT_SLIDING_RIG_H

#include "heddle/sliding.h"

typedef struct SlidingPatch {
    bool is_knit;
    int32_t threads; ///< Ends and picks, or rows and stitches.
    double radius;   ///< m
    double spacing;  ///< m, of a weave's threads; a knit's follow from the radius.
    double modulus;  ///< Pa, of yarn along itself.
} SlidingPatch;

/// Its network.
void test_patch_net(SlidingPatch patch, HedNet* net);

/// Yarns as thick as the patch says: EA, EI of a bundle of fibres that slip (a hundredth of a solid
/// rod's), a mass of 910 kg per cubic metre, shear as docs/eol.md, section 8, has it, all else by
/// default.
HedSlidingDef test_patch_material(SlidingPatch patch, const HedNet* net);

/// Nodes in the uppermost part of a network (0 to 1 of its height); returns how many.
int32_t test_patch_top(const HedNet* net, double part, int32_t* nodes, int32_t capacity);

/// Whether all that a simulation has of its sliding yarns is finite, and every piece has
/// material between nodes that yarns have not left.
bool test_patch_is_sound(const HedSim* sim, HedYarnsId yarns, const HedNet* net);

#endif
