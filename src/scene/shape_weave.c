// SPDX-License-Identifier: MIT
// Woven yarns: a weave by name, from rows or from a WIF file.
#include "heddle/weave.h"
#include "math/quat.h"
#include "scene/shape_fabric.h"

#include <math.h>

static const double MOST_THREADS = 100000.0; // as the keys `ends` and `picks` have it

static HedStatus read_draft(HedSceneDraft* d, HedSceneWeave* w, HedWeave* weave) {
    HedText text = {0};
    HedError why;
    HedLocation place = hed_node_where(w->node, "draft");
    HedStatus status = hed_scene_read_file(d, w->node, "draft", &w->draft, &text);
    if (status != HED_OK) {
        return status;
    }
    status = hed_weave_parse(text.data, text.size, w->draft, weave, &why);
    hed_text_free(&text);
    return hed_scene_pass_on(d, place, status, &why);
}

static HedStatus make_weave(HedSceneDraft* d, HedSceneWeave* w, HedWeave* weave) {
    int count = (w->pattern != NULL) + (w->draft != NULL) + (w->rows.count > 0);
    HedError why;
    if (count != 1) {
        return hed_place_fail(d->error, w->node->place, HED_PARSE, NULL,
                              "a weave needs one of 'pattern', 'draft' and 'rows'");
    }
    if (w->draft) {
        return read_draft(d, w, weave);
    }
    HedStatus status = w->pattern ? hed_weave_named(w->pattern, weave, &why)
                                  : hed_weave_rows(w->rows.data, w->rows.count, weave, &why);
    return hed_scene_pass_on(d, hed_node_where(w->node, w->pattern ? "pattern" : "rows"), status,
                             &why);
}

static HedStatus read_count(HedSceneDraft* d, const HedSceneWeave* w, const char* key,
                            const char* text, double* linear_density) {
    HedError why;
    return text ? hed_scene_pass_on(d, hed_node_where(w->node, key),
                                    hed_yarn_count_parse(text, linear_density, &why), &why)
                : HED_OK;
}

// What stands in the scene as text or in pairs. The weave looks at its own keys alone: those of the
// yarns are filled in from it, and a scene with all of them must give the same cloth again.
static HedStatus complete_def(HedSceneDraft* d, HedSceneWeave* w) {
    HedStatus status = HED_OK;
    HedThreadDef* warp = &w->def.warp;
    HedThreadDef* weft = &w->def.weft;
    warp->sett = w->sett[0];
    weft->sett = w->sett[1];
    warp->diameter = w->diameter[0];
    weft->diameter = w->diameter[1];
    HED_TRY(read_count(d, w, "warp", w->warp, &warp->linear_density));
    weft->linear_density = warp->linear_density;
    HED_TRY(read_count(d, w, "weft", w->weft, &weft->linear_density));
    HED_TRY(hed_scene_read_color(d, w->node, "warp_color", w->warp_color, &warp->color));
    HED_TRY(hed_scene_read_color(d, w->node, "weft_color", w->weft_color, &weft->color));
done:
    return status;
}

// --- cutting

static bool has_cut(const HedSceneWeave* w) {
    return w->cut[0] > 0.0 || w->cut[1] > 0.0;
}

// As many threads as a cut needs, where the scene does not count them.
static HedStatus count_threads(HedSceneDraft* d, const HedSceneWeave* w, HedWeaveDef* def) {
    if (!has_cut(w)) {
        return w->bias == 0.0 ? HED_OK
                              : hed_place_fail(d->error, hed_node_where(w->node, "bias"), HED_PARSE,
                                               NULL, "'bias' needs a 'cut'");
    }
    if (!(w->cut[0] > 0.0 && w->cut[1] > 0.0) || def->is_periodic) {
        return hed_place_fail(d->error, hed_node_where(w->node, "cut"), HED_PARSE, NULL,
                              def->is_periodic ? "a cloth without edges cannot be cut"
                                               : "both sides of 'cut' must be positive");
    }
    double c = fabs(cos(w->bias)), s = fabs(sin(w->bias));
    const double across[2] = {w->cut[0] * c + w->cut[1] * s, w->cut[0] * s + w->cut[1] * c};
    HedThreadDef* threads[2] = {&def->warp, &def->weft};
    for (int k = 0; k < 2; ++k) {
        double needed = ceil(across[k] * threads[k]->sett) + 1.0;
        if (threads[k]->count > 0) {
            continue;
        }
        if (!(threads[k]->sett > 0.0) || needed > MOST_THREADS) {
            return hed_place_fail(d->error, hed_node_where(w->node, "cut"), HED_PARSE, NULL,
                                  threads[k]->sett > 0.0
                                      ? "the cut needs %.0f threads, and there are %g at most"
                                      : "a cut needs 'sett', or 'ends' and 'picks'",
                                  needed, MOST_THREADS);
        }
        threads[k]->count = (int32_t)needed;
    }
    return HED_OK;
}

static HedStatus cut_out(HedSceneDraft* d, const HedSceneWeave* w, HedFabric* fabric) {
    HedFabric part = {0};
    HedError why;
    if (!has_cut(w)) {
        return HED_OK;
    }
    HedStatus status =
        hed_fabric_cut_out(fabric, (HedFabricCut){w->bias, w->cut[0], w->cut[1]}, &part, &why);
    if (status == HED_OK) {
        hed_fabric_free(fabric);
        *fabric = part;
    }
    return hed_scene_pass_on(d, hed_node_where(w->node, "cut"), status, &why);
}

HedStatus hed_scene_shape_weave(HedSceneDraft* d, HedSceneYarns* yarns) {
    HedStatus status = HED_OK;
    HedSceneWeave* w = &yarns->weave;
    HedWeave weave = {0};
    HedFabric fabric = {0};
    HedError why;
    HED_TRY(complete_def(d, w));
    HED_TRY(make_weave(d, w, &weave));
    const char* what = w->draft ? w->draft : "weave";
    for (int32_t i = 0; i < weave.note_count; ++i) {
        hed_sink_print(d->notes, "%s: %s\n", what, weave.notes[i]);
    }
    HedWeaveDef def = w->def;
    HED_TRY(count_threads(d, w, &def));
    HedStatus built = hed_weave_build(&weave, &def, &fabric, &why);
    HED_TRY(hed_scene_pass_on(d, w->node->place, built, &why));
    HED_TRY(hed_scene_relax(d, &w->relax, yarns, &fabric));
    HED_TRY(cut_out(d, w, &fabric));
    HED_TRY(hed_scene_take_fabric(d, yarns, &fabric,
                                  (HedPose){w->position, hed_quat_from_vector(w->rotation)}, what));
done:
    hed_fabric_free(&fabric);
    hed_weave_free(&weave);
    return status;
}
