// SPDX-License-Identifier: MIT
// How sliding knits of scenes curl.
#include "base/log.h"
#include "calibrate/curl.h"
#include "scene/shape_fabric.h"

HedStatus hed_scene_curl(HedSceneDraft* d, HedSceneYarns* yarns) {
    HedSlidingDef* sliding = &yarns->sliding.def;
    if (yarns->def.model != HED_YARN_SLIDING || yarns->sliding.curl != HED_CURL_AUTO) {
        return HED_OK;
    }
    HedCurlDef def = hed_curl_def_default();
    int32_t rows = def.knit.rows, stitches = def.knit.stitches;
    HedCurl curl;
    HedError why;
    bool is_chart = yarns->knit.def.chart != NULL;
    def.knit = yarns->knit.def;
    def.knit.rows = rows;
    def.knit.stitches = stitches;
    def.knit.linear_density = yarns->def.linear_density;
    def.relax = yarns->knit.relax.node ? yarns->knit.relax.def : def.relax;
    def.sliding = *sliding;
    def.sliding.linear_density = yarns->def.linear_density;
    if (d->is_preview && !hed_curl_is_known(&def)) {
        d->is_partial = d->is_guessed = true;
        hed_sink_print(d->notes, "%s: how it curls has not been found yet\n", yarns->def.name);
        return HED_OK;
    }
    hed_log(HED_LOG_INFO, "finding how '%.60s' curls", yarns->def.name);
    HedLocation place = hed_node_where(yarns->sliding.node, "curl");
    HedStatus found = hed_curl_calibrate(&def, &curl, &why);
    HedStatus status = hed_scene_pass_on(d, place, found, &why);
    if (status != HED_OK) {
        return status;
    }
    sliding->curl_stiffness = curl.stiffness;
    sliding->curl_along = curl.along;
    sliding->curl_across = curl.across;
    yarns->sliding.curl = HED_CURL_GIVEN; // from here on
    hed_sink_print(d->notes,
                   "%s: curl of %s%s: %.3g and %.3g per stitch along courses and wales as rods, "
                   "%.3g and %.3g with hinges of %.3g J that rest at %.3g and %.3g%s\n",
                   yarns->def.name, is_chart ? "stockinette" : def.knit.pattern,
                   curl.is_quiet ? "" : " that is not quiet", curl.rods[0], curl.rods[1],
                   curl.yarns[0], curl.yarns[1], curl.stiffness, curl.along, curl.across,
                   curl.is_cached ? " (kept from before)" : "");
    return HED_OK;
}
