// SPDX-License-Identifier: MIT
// Which vertices pins hold, loads pull and measurements look at.
#include "math/vec3.h"
#include "scene/check.h"
#include "scene/grid.h"
#include "scene/net_part.h"
#include "scene/scene.h"

#include <stdio.h>
#include <string.h>

#define FAIL(draft, place, ...)                                                                    \
    hed_place_fail((draft)->error, (place), HED_PARSE, NULL, __VA_ARGS__)

// A sheet or yarns, as far as vertices are chosen from them.
typedef struct Cloth {
    const char* kind;
    const char* name;
    const HedVec3* vertices;
    int32_t vertex_count;
    const HedSceneGrid* grid; // NULL: none
    const HedYarnsDef* yarns; // NULL: a sheet
    const HedNet* net;        // of yarns that slide: its nodes are chosen; else NULL
    bool is_woven;            // with a net
} Cloth;

static Cloth cloth_of(const HedSceneData* data, HedSceneTarget target) {
    if (target.is_yarns) {
        const HedSceneYarns* set = &HED_YARNS(data)[target.index];
        const HedYarnsDef* def = &set->def;
        Cloth cloth = {.kind = "yarns", .name = def->name, .yarns = def};
        if (def->model == HED_YARN_SLIDING) {
            cloth.vertices = set->state.positions ? set->state.positions : set->sliding.nodes;
            cloth.vertex_count = set->sliding.net.node_count;
            cloth.net = &set->sliding.net;
            cloth.is_woven = set->weave.node != NULL;
        } else {
            cloth.vertices = set->state.shown ? set->state.shown : def->vertices;
            cloth.vertex_count = def->vertex_count;
        }
        return cloth;
    }
    const HedSceneSheet* sheet = &HED_SHEETS(data)[target.index];
    return (Cloth){.kind = "sheet",
                   .name = sheet->def.name,
                   .vertices = sheet->state.shown ? sheet->state.shown : sheet->def.vertices,
                   .vertex_count = sheet->def.vertex_count,
                   .grid = sheet->grid.node ? &sheet->grid : NULL};
}

int32_t hed_scene_hold_count(const HedScene* scene) {
    return scene->data.pins.count;
}

HedSceneHold hed_scene_hold(const HedScene* scene, int32_t index) {
    const HedScenePin* pin = &HED_PINS(&scene->data)[index];
    Cloth cloth = cloth_of(&scene->data, pin->choice.target);
    return (HedSceneHold){.name = pin->def.name,
                          .vertices = pin->def.vertices,
                          .vertex_count = pin->def.vertex_count,
                          .points = {cloth.vertices, cloth.vertex_count}};
}

// A mark per vertex of the sheet.
static void mark(void* context, int32_t vertex) {
    ((bool*)context)[vertex] = true;
}

// What a pin or a load says about its vertices, and where.
typedef struct Choice {
    const HedNode* node;
    const HedSceneChoice* written;
} Choice;

static HedStatus mark_listed(HedSceneDraft* d, Choice choice, const Cloth* cloth, bool* marks) {
    const HedNode* list = hed_node_child(choice.node, "vertices");
    const HedNode* item = list ? list->first : NULL;
    for (int32_t i = 0; i < choice.written->vertices.count; ++i, item = item->next) {
        int32_t vertex = ((const int32_t*)choice.written->vertices.data)[i];
        if (vertex >= cloth->vertex_count) {
            return FAIL(d, item->place, "%s '%s' has the vertices 0 to %d, there is no vertex %d",
                        cloth->kind, cloth->name, (int)cloth->vertex_count - 1, (int)vertex);
        }
        marks[vertex] = true;
    }
    return HED_OK;
}

static void mark_ends(const HedYarnsDef* yarns, HedNamedPart part, bool* marks) {
    for (int32_t i = 0; i < yarns->curve_count; ++i) {
        const HedCurve* curve = &yarns->curves[i];
        marks[curve->first] |= part != HED_PART_END;
        marks[curve->first + curve->count - 1] |= part != HED_PART_START;
    }
}

static HedStatus mark_part(HedSceneDraft* d, Choice choice, const Cloth* cloth, bool* marks) {
    HedNamedPart where = (HedNamedPart)choice.written->where;
    if (where == HED_PART_NONE) {
        return HED_OK;
    }
    if (where == HED_PART_ALL) {
        memset(marks, true, (size_t)cloth->vertex_count);
        return HED_OK;
    }
    bool is_end = where >= HED_PART_START;
    if (cloth->net && (is_end || cloth->is_woven)) {
        hed_eol_part(cloth->net, where, marks);
        return HED_OK;
    }
    if (is_end != (cloth->yarns != NULL)) {
        return FAIL(d, hed_node_where(choice.node, "where"), "%s",
                    is_end ? "'start', 'end' and 'ends' are places of yarns"
                           : "yarns have the places 'all', 'start', 'end' and 'ends'");
    }
    if (is_end) {
        mark_ends(cloth->yarns, where, marks);
        return HED_OK;
    }
    if (!cloth->grid) {
        return hed_place_fail(d->error, hed_node_where(choice.node, "where"), HED_PARSE,
                              "select vertices of a mesh by 'box' or 'vertices'",
                              "'where' needs a grid, and sheet '%s' has none", cloth->name);
    }
    hed_grid_part(cloth->grid, where, mark, marks);
    return HED_OK;
}

static void mark_box(const HedSceneChoice* written, const Cloth* cloth, bool* marks) {
    const HedSceneBox* box = &written->box;
    for (int32_t i = 0; box->node && i < cloth->vertex_count; ++i) {
        HedVec3 p = cloth->vertices[i];
        bool inside = p.x >= box->least.x && p.x <= box->most.x && p.y >= box->least.y &&
                      p.y <= box->most.y && p.z >= box->least.z && p.z <= box->most.z;
        marks[i] = marks[i] || inside;
    }
}

// The vertices that were marked; NULL, with a message, if there are none.
static const int32_t* collect(HedSceneDraft* d, const Cloth* cloth, const bool* marks,
                              int32_t* count) {
    *count = 0;
    for (int32_t i = 0; i < cloth->vertex_count; ++i) {
        *count += marks[i];
    }
    int32_t* chosen = HED_POOL_ARRAY(d->pool, int32_t, *count);
    int32_t next = 0;
    for (int32_t i = 0; i < cloth->vertex_count && chosen; ++i) {
        if (marks[i]) {
            chosen[next++] = i;
        }
    }
    return chosen;
}

// Vertices of a pin or a load; what they do, for the message if there are none.
static HedStatus choose(HedSceneDraft* d, Choice choice, const char* what, const int32_t** vertices,
                        int32_t* count) {
    Cloth cloth = cloth_of(d->data, choice.written->target);
    HedStatus status = HED_OK;
    bool* marks = HED_NEW_ARRAY(bool, cloth.vertex_count);
    if (!marks) {
        return hed_fail_memory(d->error, "vertices of a scene");
    }
    HED_TRY(mark_listed(d, choice, &cloth, marks));
    HED_TRY(mark_part(d, choice, &cloth, marks));
    mark_box(choice.written, &cloth, marks);
    *vertices = collect(d, &cloth, marks, count);
    if (*count == 0) {
        status =
            FAIL(d, choice.node->place, "%s no vertex of %s '%s'", what, cloth.kind, cloth.name);
    } else if (!*vertices) {
        status = hed_fail_memory(d->error, "vertices of a scene");
    }
done:
    hed_free(marks);
    return status;
}

// No vertex can be held by two pins: they would have to agree.
static HedStatus check_shared(HedSceneDraft* d, HedSceneTarget target, int32_t* owner) {
    for (int32_t i = 0; i < d->data->pins.count; ++i) {
        const HedScenePin* pin = &HED_PINS(d->data)[i];
        bool is_here = pin->choice.target.index == target.index &&
                       pin->choice.target.is_yarns == target.is_yarns;
        for (int32_t k = 0; is_here && k < pin->def.vertex_count; ++k) {
            int32_t* held_by = &owner[pin->def.vertices[k]];
            if (*held_by) {
                return FAIL(d, pin->node->place, "vertex %d is held by pin '%s' already",
                            (int)pin->def.vertices[k], HED_PINS(d->data)[*held_by - 1].def.name);
            }
            *held_by = i + 1;
        }
    }
    return HED_OK;
}

static HedStatus check_all_shared(HedSceneDraft* d) {
    HedStatus status = HED_OK;
    int32_t sheets = d->data->sheets.count;
    for (int32_t i = 0; i < sheets + d->data->yarns.count && status == HED_OK; ++i) {
        HedSceneTarget target = {i >= sheets, i >= sheets ? i - sheets : i};
        int32_t* owner = HED_NEW_ARRAY(int32_t, cloth_of(d->data, target).vertex_count);
        status = owner ? check_shared(d, target, owner) : hed_fail_memory(d->error, "pins");
        hed_free(owner);
    }
    return status;
}

static HedStatus select_pin(HedSceneDraft* d, HedScenePin* pin) {
    char what[128];
    snprintf(what, sizeof what, "pin '%.100s' holds", pin->def.name);
    HedStatus status = choose(d, (Choice){pin->node, &pin->choice}, what, &pin->def.vertices,
                              &pin->def.vertex_count);
    if (status != HED_OK || hed_node_child(pin->node, "pivot")) {
        return status;
    }
    const HedVec3* vertices = cloth_of(d->data, pin->choice.target).vertices;
    HedVec3 sum = {0.0, 0.0, 0.0};
    for (int32_t i = 0; i < pin->def.vertex_count; ++i) {
        sum = hed_add3(sum, vertices[pin->def.vertices[i]]);
    }
    pin->def.pivot = hed_mul3(1.0 / pin->def.vertex_count, sum);
    return HED_OK;
}

static HedStatus select_load(HedSceneDraft* d, HedSceneLoad* load) {
    char what[128];
    snprintf(what, sizeof what, "load '%.100s' acts on", load->def.name);
    return choose(d, (Choice){load->node, &load->choice}, what, &load->def.vertices,
                  &load->def.vertex_count);
}

static HedStatus check_measure(HedSceneDraft* d, const HedSceneMeasure* m) {
    Cloth cloth = cloth_of(d->data, m->target);
    const char* const keys[3] = {"vertex", "a", "b"};
    const int32_t values[3] = {m->def.a, m->def.a, m->def.b};
    for (int i = 0; i < 3; ++i) {
        if (hed_node_child(m->node, keys[i]) && values[i] >= cloth.vertex_count) {
            return FAIL(d, hed_node_where(m->node, keys[i]),
                        "'%s': %s '%s' has the vertices 0 to %d, there is no vertex %d", keys[i],
                        cloth.kind, cloth.name, (int)cloth.vertex_count - 1, (int)values[i]);
        }
    }
    return HED_OK;
}

HedStatus hed_scene_select(HedSceneDraft* d) {
    HedStatus status = HED_OK;
    for (int32_t i = 0; i < d->data->pins.count && status == HED_OK; ++i) {
        status = select_pin(d, &HED_PINS(d->data)[i]);
    }
    for (int32_t i = 0; i < d->data->loads.count && status == HED_OK; ++i) {
        status = select_load(d, &HED_LOADS(d->data)[i]);
    }
    if (status == HED_OK && d->data->pins.count > 1) {
        status = check_all_shared(d);
    }
    for (int32_t i = 0; i < d->data->measures.count && status == HED_OK; ++i) {
        status = check_measure(d, &HED_MEASURES(d->data)[i]);
    }
    return status;
}
