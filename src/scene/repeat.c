// SPDX-License-Identifier: MIT
// Scenes of one repeat of a fabric without edges: what can stand beside it, and how it is stepped.
#include "scene/check.h"

#include "math/vec3.h"

#define FAIL(draft, place, status, ...)                                                            \
    hed_place_fail((draft)->error, (place), (status), NULL, __VA_ARGS__)

bool hed_scene_repeats(const HedSceneYarns* yarns) {
    return (yarns->weave.node && yarns->weave.def.is_periodic) ||
           (yarns->knit.node && yarns->knit.def.is_periodic);
}

static HedLocation repeat_place(const HedSceneYarns* yarns) {
    return hed_node_where(yarns->weave.node ? yarns->weave.node : yarns->knit.node, "periodic");
}

// Its copies would have to be of everything else, too.
static HedStatus check_alone(HedSceneDraft* d, const HedSceneYarns* yarns) {
    const HedSceneData* data = d->data;
    const struct {
        const char* key;
        int32_t count;
    } others[] = {{"sheets", data->sheets.count},
                  {"bodies", data->bodies.count},
                  {"pins", data->pins.count},
                  {"glue", data->glue.count}};
    if (data->yarns.count > 1) {
        return FAIL(d, repeat_place(yarns), HED_UNSUPPORTED,
                    "'periodic': a fabric that repeats stands alone, but there are %d 'yarns'",
                    (int)data->yarns.count);
    }
    for (size_t k = 0; k < sizeof others / sizeof others[0]; ++k) {
        if (others[k].count > 0) {
            return FAIL(d, hed_node_where(data->node, others[k].key), HED_UNSUPPORTED,
                        "'%s' cannot be with 'periodic': a fabric that repeats stands alone",
                        others[k].key);
        }
    }
    return HED_OK;
}

static HedStatus check_yarn(HedSceneDraft* d, const HedSceneYarns* yarns) {
    const HedYarnsDef* def = &yarns->def;
    const struct {
        const char* key;
        bool is_set;
    } rules[] = {
        {"inextensible", def->inextensible},
        {"mass", def->mass != HED_YARN_LUMPED},
        {"natural_twist", def->natural_twist != 0.0},
        {"bend_across", def->bend_across != 0.0},
    };
    for (size_t k = 0; k < sizeof rules / sizeof rules[0]; ++k) {
        if (rules[k].is_set) {
            return FAIL(d, hed_node_where(yarns->node, rules[k].key), HED_UNSUPPORTED,
                        "'%s' does not work with 'periodic' yarns", rules[k].key);
        }
    }
    return HED_OK;
}

// The node of a key inside a mapping of the scene; NULL if it is not given.
static const HedNode* find_key(const HedSceneDraft* d, const char* mapping, const char* key) {
    const HedNode* owner = hed_node_child(d->data->node, mapping);
    return owner ? hed_node_child(owner, key) : NULL;
}

static HedStatus check_steps(HedSceneDraft* d) {
    HedSimDef* sim = &d->data->sim;
    const HedNode* gravity = find_key(d, "world", "gravity");
    const HedNode* integrator = find_key(d, "step", "integrator");
    bool is_explicit = sim->integrator <= HED_RK4 || sim->integrator == HED_MIDPOINT;
    if (gravity && hed_norm3(sim->gravity) > 0.0) {
        return FAIL(d, gravity->place, HED_UNSUPPORTED,
                    "'gravity' must be 0 with 'periodic' yarns, which would fall for ever; got "
                    "%g m/s^2",
                    hed_norm3(sim->gravity));
    }
    if (integrator && !is_explicit) {
        return FAIL(d, integrator->place, HED_UNSUPPORTED,
                    "'integrator' must be explicit with 'periodic' yarns, such as %s; got %s",
                    hed_integrator_name(HED_SYMPLECTIC_EULER),
                    hed_integrator_name(sim->integrator));
    }
    sim->gravity = hed_vec3(0.0, 0.0, 0.0);
    if (!integrator) {
        sim->integrator = HED_SYMPLECTIC_EULER;
    }
    return HED_OK;
}

HedStatus hed_scene_check_repeat(HedSceneDraft* d) {
    HedStatus status = HED_OK;
    const HedSceneYarns* found = NULL;
    for (int32_t i = 0; i < d->data->yarns.count && !found; ++i) {
        const HedSceneYarns* yarns = &HED_YARNS(d->data)[i];
        found = hed_scene_repeats(yarns) ? yarns : NULL;
    }
    if (!found) {
        return HED_OK;
    }
    HED_TRY(check_alone(d, found));
    HED_TRY(check_yarn(d, found));
    HED_TRY(check_steps(d));
done:
    return status;
}
