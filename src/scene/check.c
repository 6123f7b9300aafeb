// SPDX-License-Identifier: MIT
#include "scene/check.h"
#include "math/vec3.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

HedLocation hed_node_where(const HedNode* mapping, const char* key) {
    const HedNode* child = hed_node_child(mapping, key);
    return child ? child->place : mapping->place;
}

#define FAIL(draft, place, ...)                                                                    \
    hed_place_fail((draft)->error, (place), HED_PARSE, NULL, __VA_ARGS__)

static HedStatus check_version(HedSceneDraft* d) {
    if (d->data->version != HED_FORMAT_VERSION) {
        return FAIL(d, hed_node_where(d->data->node, "heddle"),
                    "version %d of the format is not known; this program reads %d",
                    (int)d->data->version, HED_FORMAT_VERSION);
    }
    if (d->data->sheets.count == 0 && d->data->yarns.count == 0) {
        return FAIL(d, hed_node_where(d->data->node, "sheets"),
                    "neither 'sheets' nor 'yarns': there is nothing to simulate");
    }
    return HED_OK;
}

static HedStatus check_times(HedSceneDraft* d) {
    static const double MOST_STEPS = 1e9;
    HedSceneData* data = d->data;
    double step = data->sim.time_step;
    const HedNode* steps = hed_node_child(data->node, "step");
    const HedNode* output = hed_node_child(data->node, "output");
    HedLocation step_place = hed_node_where(steps && steps->count ? steps : data->node, "size");
    if (data->duration / step > MOST_STEPS) {
        return FAIL(d, step_place, "'duration' %g s in steps of %g s: more than 1e9 steps",
                    data->duration, step);
    }
    if (step > data->duration) {
        return FAIL(d, step_place, "step 'size' (%g s) must not be longer than 'duration' (%g s)",
                    step, data->duration);
    }
    if (!output || !hed_node_child(output, "frame_interval")) {
        data->output.frame_interval = fmax(step, fmin(data->output.frame_interval, data->duration));
        return HED_OK;
    }
    HedLocation place = hed_node_where(output, "frame_interval");
    if (data->output.frame_interval > data->duration) {
        return FAIL(d, place, "'frame_interval' (%g s) must not be longer than 'duration' (%g s)",
                    data->output.frame_interval, data->duration);
    }
    if (data->output.frame_interval < step) {
        return FAIL(d, place, "'frame_interval' (%g s) must not be shorter than a step (%g s)",
                    data->output.frame_interval, step);
    }
    return HED_OK;
}

// One thing with a name, whatever its record.
typedef struct Named {
    const char** name;
    const HedNode* node;
} Named;

typedef Named (*NameOf)(const HedSceneData* data, int32_t index);

static Named sheet_name(const HedSceneData* data, int32_t index) {
    HedSceneSheet* sheet = &HED_SHEETS(data)[index];
    return (Named){&sheet->def.name, sheet->node};
}

static Named yarns_name(const HedSceneData* data, int32_t index) {
    HedSceneYarns* yarns = &HED_YARNS(data)[index];
    return (Named){&yarns->def.name, yarns->node};
}

static Named body_name(const HedSceneData* data, int32_t index) {
    HedSceneBody* body = &HED_BODIES(data)[index];
    return (Named){&body->def.name, body->node};
}

static Named pin_name(const HedSceneData* data, int32_t index) {
    HedScenePin* pin = &HED_PINS(data)[index];
    return (Named){&pin->def.name, pin->node};
}

static Named load_name(const HedSceneData* data, int32_t index) {
    HedSceneLoad* load = &HED_LOADS(data)[index];
    return (Named){&load->def.name, load->node};
}

static Named glue_name(const HedSceneData* data, int32_t index) {
    HedSceneGlue* glue = &HED_GLUE(data)[index];
    return (Named){&glue->def.name, glue->node};
}

static Named measure_name(const HedSceneData* data, int32_t index) {
    HedSceneMeasure* measure = &HED_MEASURES(data)[index];
    return (Named){&measure->name, measure->node};
}

// Gives names to those without, then refuses any that stands twice.
static HedStatus check_names(HedSceneDraft* d, int32_t count, NameOf name_of, const char* kind) {
    for (int32_t i = 0; i < count; ++i) {
        Named one = name_of(d->data, i);
        if (!*one.name) {
            *one.name = hed_pool_print(d->pool, "%s%d", kind, (int)i);
        }
        if (!*one.name) {
            return hed_fail_memory(d->error, kind);
        }
    }
    for (int32_t i = 0; i < count; ++i) {
        Named one = name_of(d->data, i);
        for (int32_t j = 0; j < i; ++j) {
            if (strcmp(*name_of(d->data, j).name, *one.name) == 0) {
                return FAIL(d, hed_node_where(one.node, "name"), "two %s%s have the name '%s'",
                            kind, kind[strlen(kind) - 1] == 's' ? "" : "s", *one.name);
            }
        }
    }
    return HED_OK;
}

// Two kinds of things whose names stand side by side in results.
typedef struct Kinds {
    NameOf name_of[2];
    int32_t count[2];
    const char* what; // "a sheet and a body"
} Kinds;

static HedStatus check_apart(HedSceneDraft* d, Kinds kinds) {
    for (int32_t i = 0; i < kinds.count[1]; ++i) {
        Named second = kinds.name_of[1](d->data, i);
        for (int32_t j = 0; j < kinds.count[0]; ++j) {
            if (strcmp(*kinds.name_of[0](d->data, j).name, *second.name) == 0) {
                return FAIL(d, hed_node_where(second.node, "name"), "%s have the name '%s'",
                            kinds.what, *second.name);
            }
        }
    }
    return HED_OK;
}

static HedStatus check_objects(HedSceneDraft* d) {
    int32_t sheets = d->data->sheets.count;
    int32_t yarns = d->data->yarns.count;
    int32_t bodies = d->data->bodies.count;
    HedStatus status = HED_OK;
    HED_TRY(
        check_apart(d, (Kinds){{sheet_name, body_name}, {sheets, bodies}, "a sheet and a body"}));
    HED_TRY(
        check_apart(d, (Kinds){{sheet_name, yarns_name}, {sheets, yarns}, "a sheet and yarns"}));
    HED_TRY(check_apart(d, (Kinds){{yarns_name, body_name}, {yarns, bodies}, "yarns and a body"}));
done:
    return status;
}

typedef struct NameReference {
    const HedNode* owner; // mapping that refers
    const char* key;      // "sheet" or "pin"
    const char** name;    // NULL inside: the only one there is
    int32_t* index;
    NameOf name_of;
    int32_t count;
} NameReference;

typedef struct Candidates {
    const HedSceneData* data;
    const NameReference* reference;
} Candidates;

static const char* candidate_name(const void* context, int32_t index) {
    const Candidates* c = context;
    return index < c->reference->count ? *c->reference->name_of(c->data, index).name : NULL;
}

static HedStatus resolve(HedSceneDraft* d, NameReference r) {
    if (!*r.name) {
        if (r.count != 1) {
            return FAIL(d, r.owner->place, "'%s' is missing: there are %d to choose from", r.key,
                        (int)r.count);
        }
        *r.name = *r.name_of(d->data, 0).name;
    }
    for (int32_t i = 0; i < r.count; ++i) {
        if (strcmp(*r.name_of(d->data, i).name, *r.name) == 0) {
            *r.index = i;
            return HED_OK;
        }
    }
    char hint[HED_NODE_TEXT];
    Candidates candidates = {d->data, &r};
    return hed_place_fail(d->error, hed_node_where(r.owner, r.key), HED_PARSE,
                          hed_suggest(*r.name, candidate_name, &candidates, hint),
                          "there is no %s with the name '%s'", r.key, *r.name);
}

// The sheet or the yarns that a pin or a measurement is about.
static HedStatus resolve_target(HedSceneDraft* d, const HedNode* owner, const char** sheet,
                                const char** yarns, HedSceneTarget* target) {
    const HedSceneData* data = d->data;
    if (*sheet && *yarns) {
        return FAIL(d, hed_node_where(owner, "yarns"), "'sheet' and 'yarns' exclude each other");
    }
    if (!*sheet && !*yarns && data->sheets.count + data->yarns.count != 1) {
        return FAIL(d, owner->place, "'sheet' or 'yarns' is missing: there are %d to choose from",
                    (int)(data->sheets.count + data->yarns.count));
    }
    target->is_yarns = *yarns || (!*sheet && data->yarns.count > 0);
    return target->is_yarns ? resolve(d, (NameReference){owner, "yarns", yarns, &target->index,
                                                         yarns_name, data->yarns.count})
                            : resolve(d, (NameReference){owner, "sheet", sheet, &target->index,
                                                         sheet_name, data->sheets.count});
}

static HedStatus resolve_choice(HedSceneDraft* d, const HedNode* owner, HedSceneChoice* choice) {
    return resolve_target(d, owner, &choice->sheet, &choice->yarns, &choice->target);
}

static HedStatus resolve_glue(HedSceneDraft* d, HedSceneGlue* glue) {
    const HedSceneData* data = d->data;
    if (!glue->sheet && !glue->yarns && data->yarns.count == 1) {
        glue->yarns = HED_YARNS(data)[0].def.name;
    }
    HedStatus status = resolve_target(d, glue->node, &glue->sheet, &glue->yarns, &glue->from);
    if (status != HED_OK) {
        return status;
    }
    if (glue->other && glue->other_sheet) {
        return FAIL(d, hed_node_where(glue->node, "other_sheet"),
                    "'other' and 'other_sheet' exclude each other");
    }
    if (!glue->other && !glue->other_sheet) {
        glue->to = glue->from;
        return HED_OK;
    }
    glue->to.is_yarns = glue->other != NULL;
    return glue->other
               ? resolve(d, (NameReference){glue->node, "other", &glue->other, &glue->to.index,
                                            yarns_name, data->yarns.count})
               : resolve(d, (NameReference){glue->node, "other_sheet", &glue->other_sheet,
                                            &glue->to.index, sheet_name, data->sheets.count});
}

// The other pin of a gauge: with two pins it need not be named, and one alone has none.
static HedStatus resolve_from(HedSceneDraft* d, HedSceneMeasure* m) {
    int32_t count = d->data->pins.count;
    m->from_index = -1;
    if (!m->from && count == 2) {
        m->from = HED_PINS(d->data)[1 - m->pin_index].def.name;
    }
    if (m->from) {
        NameReference other = {m->node, "from", &m->from, &m->from_index, pin_name, count};
        HedStatus status = resolve(d, other);
        if (status != HED_OK || m->from_index != m->pin_index) {
            return status;
        }
        return FAIL(d, hed_node_where(m->node, "from"),
                    "a gauge lies between two pins, and 'from' is its 'pin': '%s'", m->from);
    }
    if (count > 2) {
        return FAIL(d, m->node->place, "'from' is missing: there are %d other pins to choose from",
                    (int)(count - 1));
    }
    return hed_norm3(m->def.axis) > 0.0
               ? HED_OK
               : FAIL(d, m->node->place, "a gauge of one pin needs an 'axis'");
}

static HedStatus resolve_measure(HedSceneDraft* d, HedSceneMeasure* m) {
    const HedSceneData* data = d->data;
    if (m->def.kind != HED_MEASURE_REACTION && m->def.kind != HED_MEASURE_GAUGE) {
        return resolve_target(d, m->node, &m->sheet, &m->yarns, &m->target);
    }
    NameReference pin = {m->node, "pin", &m->pin, &m->pin_index, pin_name, data->pins.count};
    HedStatus status = resolve(d, pin);
    if (status == HED_OK) {
        m->target = HED_PINS(data)[m->pin_index].choice.target;
        status = m->def.kind == HED_MEASURE_GAUGE ? resolve_from(d, m) : status;
    }
    return status;
}

static HedStatus check_references(HedSceneDraft* d) {
    HedSceneData* data = d->data;
    HedStatus status = HED_OK;
    for (int32_t i = 0; i < data->pins.count && status == HED_OK; ++i) {
        status = resolve_choice(d, HED_PINS(data)[i].node, &HED_PINS(data)[i].choice);
    }
    for (int32_t i = 0; i < data->loads.count && status == HED_OK; ++i) {
        status = resolve_choice(d, HED_LOADS(data)[i].node, &HED_LOADS(data)[i].choice);
    }
    for (int32_t i = 0; i < data->glue.count && status == HED_OK; ++i) {
        status = resolve_glue(d, &HED_GLUE(data)[i]);
    }
    for (int32_t i = 0; i < data->measures.count && status == HED_OK; ++i) {
        status = resolve_measure(d, &HED_MEASURES(data)[i]);
    }
    return status;
}

HedStatus hed_scene_check(HedSceneDraft* d) {
    HedStatus status = HED_OK;
    HED_TRY(check_version(d));
    HED_TRY(check_times(d));
    HED_TRY(check_names(d, d->data->sheets.count, sheet_name, "sheet"));
    HED_TRY(check_names(d, d->data->yarns.count, yarns_name, "yarns"));
    HED_TRY(check_names(d, d->data->bodies.count, body_name, "body"));
    HED_TRY(check_objects(d));
    HED_TRY(check_names(d, d->data->pins.count, pin_name, "pin"));
    HED_TRY(check_names(d, d->data->loads.count, load_name, "load"));
    HED_TRY(check_names(d, d->data->glue.count, glue_name, "glue"));
    HED_TRY(check_names(d, d->data->measures.count, measure_name, "measure"));
    HED_TRY(check_references(d));
    HED_TRY(hed_scene_check_repeat(d));
done:
    return status;
}
