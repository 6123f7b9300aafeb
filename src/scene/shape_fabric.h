// SPDX-License-Identifier: MIT
// Yarns that come out of a loom or off needles. Private to src/scene.
#ifndef HED_SCENE_SHAPE_FABRIC_H
#define HED_SCENE_SHAPE_FABRIC_H

#include "scene/shape.h"

/// Centre lines of woven yarns.
HedStatus hed_scene_shape_weave(HedSceneDraft* draft, HedSceneYarns* yarns);

/// Centre lines of knitted yarns.
HedStatus hed_scene_shape_knit(HedSceneDraft* draft, HedSceneYarns* yarns);

/// Takes over the yarns of a fabric, placed by pose, and its notes; what names it in them. Yarns of
/// one entry are one material: without `linear_density` it becomes the mean of the fabric, and
/// likewise `radius`.
HedStatus hed_scene_take_fabric(HedSceneDraft* draft, HedSceneYarns* yarns, const HedFabric* fabric,
                                HedPose pose, const char* what);

/// The same for yarns that slide: the fabric's network, and its curves for what is seen.
HedStatus hed_scene_take_net(HedSceneDraft* draft, HedSceneYarns* yarns, const HedFabric* fabric,
                             HedPose pose, const char* what);

/// Finds how a sliding knit curls, if the scene asks for it, and notes it.
HedStatus hed_scene_curl(HedSceneDraft* draft, HedSceneYarns* yarns);

/// Lets a fabric come to rest, if the scene asks for it, and notes how; its yarns then rest in the
/// shape they start in unless the scene says otherwise.
HedStatus hed_scene_relax(HedSceneDraft* draft, const HedSceneRelax* relax, HedSceneYarns* yarns,
                          HedFabric* fabric);

/// "#rrggbb" as 0xRRGGBB; text NULL gives HED_COLOR_NONE. Errors point to the key of owner.
HedStatus hed_scene_read_color(HedSceneDraft* draft, const HedNode* owner, const char* key,
                               const char* text, int32_t* color);

#endif
