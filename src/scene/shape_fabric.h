// SPDX-License-Identifier: MIT
// Yarns that come out of a loom or off needles. Private to src/scene.
#ifndef HED_SCENE_SHAPE_FABRIC_H
#define HED_SCENE_SHAPE_FABRIC_H

#include "scene/shape.h"

/// Centre lines of woven yarns.
HedStatus hed_scene_shape_weave(HedDraft* draft, HedSceneYarns* yarns);

/// Centre lines of knitted yarns.
HedStatus hed_scene_shape_knit(HedDraft* draft, HedSceneYarns* yarns);

/// Takes over the yarns of a fabric, placed by pose, and its notes; what names it in them. Yarns of
/// one entry are one material: without `linear_density` it becomes the mean of the fabric, and
/// likewise `radius`.
HedStatus hed_scene_take_fabric(HedDraft* draft, HedSceneYarns* yarns, const HedFabric* fabric,
                                HedPose pose, const char* what);

/// The same for yarns that slide: the fabric's network, and its curves for what is seen.
HedStatus hed_scene_take_net(HedDraft* draft, HedSceneYarns* yarns, const HedFabric* fabric,
                             HedPose pose, const char* what);

/// Finds how a sliding knit curls, if the scene asks for it, and notes it.
HedStatus hed_scene_curl(HedDraft* draft, HedSceneYarns* yarns);

/// Lets a fabric come to rest, if the scene asks for it, and notes how; its yarns then rest in the
/// shape they start in unless the scene says otherwise.
HedStatus hed_scene_relax(HedDraft* draft, const HedSceneRelax* relax, HedSceneYarns* yarns,
                          HedFabric* fabric);

/// "#rrggbb" as 0xRRGGBB; text NULL gives HED_COLOR_NONE. Errors point to the key of owner.
HedStatus hed_scene_read_color(HedDraft* draft, const HedNode* owner, const char* key,
                               const char* text, int32_t* color);

#endif
