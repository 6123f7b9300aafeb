// SPDX-License-Identifier: MIT
// Named places of crossing networks.
#ifndef HED_SCENE_NET_PART_H
#define HED_SCENE_NET_PART_H

#include "scene/format.h"

/// Marks the nodes of a named part. Ends of yarns are their first and last nodes; edges and corners
/// are those of a woven cloth: its outermost crossings there, and the ends of yarn beyond them.
void hed_eol_part(const HedNet* net, HedNamedPart part, bool* marks);

#endif
