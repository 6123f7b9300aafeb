// SPDX-License-Identifier: MIT
// Fabrics of scenes come to rest.
#include "base/log.h"
#include "base/timer.h"
#include "scene/shape_fabric.h"

#include <inttypes.h>

// What is said while it goes on.
typedef struct Talk {
    const char* name;
    double said; // s
} Talk;

static void say(const HedRelaxProgress* p, void* context) {
    const double every = 5.0; // s
    Talk* talk = context;
    double now = hed_time_now();
    if (now - talk->said >= every) {
        talk->said = now;
        hed_log(HED_LOG_INFO,
                "relaxing '%.60s': iteration %" PRId32 " of at most %" PRId32
                ", thickness %.2f, force %.2g, speed %.2g, overlap %.2g, %.0f s",
                talk->name, p->iteration, p->limit, p->thickness, p->force, p->speed, p->overlap,
                p->wall);
    }
}

HedStatus hed_scene_relax(HedSceneDraft* d, const HedSceneRelax* relax, HedSceneYarns* yarns,
                          HedFabric* fabric) {
    if (!relax->node) {
        return HED_OK;
    }
    HedRelaxDef def = relax->def;
    HedRelaxReport report;
    HedError why;
    Talk talk = {yarns->def.name, hed_time_now()};
    def.progress = say;
    def.context = &talk;
    bool is_left = d->is_preview && !hed_fabric_relax_find(fabric, &def, NULL, &report);
    if (is_left) {
        HedStatus done = hed_fabric_relax_check(fabric, &def, &why);
        HedStatus status = hed_scene_pass_on(d, relax->node->place, done, &why);
        if (status != HED_OK) {
            return status;
        }
    }
    if (!d->is_preview) {
        HedStatus done = hed_fabric_relax_cached(fabric, &def, NULL, &report, &why);
        HedStatus status = hed_scene_pass_on(d, relax->node->place, done, &why);
        if (status != HED_OK) {
            return status;
        }
    }
    if (!hed_node_child(yarns->node, "rest") && yarns->def.model == HED_YARN_ROD) {
        yarns->def.rest = HED_YARN_AS_STARTED;
    }
    if (is_left) {
        d->is_partial = true;
        hed_sink_print(d->notes, "%s: as it was made: it has not come to rest yet\n",
                       yarns->def.name);
        return HED_OK;
    }
    hed_sink_print(d->notes,
                   "%s: relaxed%s in %" PRId32 " iterations: force %.2g B/d^2, speed %.2g d, "
                   "overlap %.2g d, links proved in %" PRId32 " ways%s\n",
                   yarns->def.name, report.is_quiet ? "" : ", but not quiet", report.iterations,
                   report.force, report.speed, report.overlap, report.proofs,
                   report.is_cached ? " (kept from before)" : "");
    return HED_OK;
}
