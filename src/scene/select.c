// SPDX-License-Identifier: MIT
// Which vertices pins hold and measurements look at.
#include "math/vec3.h"
#include "scene/check.h"
#include "scene/grid.h"

#include <string.h>

#define FAIL(draft, place, ...)                                                                    \
    hed_place_fail((draft)->error, (place), HED_PARSE, NULL, __VA_ARGS__)

// A mark per vertex of the sheet.
static void mark(void* context, int32_t vertex) {
    ((bool*)context)[vertex] = true;
}

static HedStatus mark_listed(HedDraft* d, const HedScenePin* pin, const HedSceneSheet* sheet,
                             bool* marks) {
    const HedNode* list = hed_node_child(pin->node, "vertices");
    const HedNode* item = list ? list->first : NULL;
    for (int32_t i = 0; i < pin->vertices.count; ++i, item = item->next) {
        int32_t vertex = ((const int32_t*)pin->vertices.data)[i];
        if (vertex >= sheet->def.vertex_count) {
            return FAIL(d, item->place,
                        "sheet '%s' has the vertices 0 to %d, there is no vertex %d",
                        sheet->def.name, (int)sheet->def.vertex_count - 1, (int)vertex);
        }
        marks[vertex] = true;
    }
    return HED_OK;
}

static HedStatus mark_part(HedDraft* d, const HedScenePin* pin, const HedSceneSheet* sheet,
                           bool* marks) {
    if (pin->where == HED_PART_NONE) {
        return HED_OK;
    }
    if (pin->where == HED_PART_ALL) {
        memset(marks, true, (size_t)sheet->def.vertex_count);
        return HED_OK;
    }
    if (!sheet->grid.node) {
        return hed_place_fail(d->error, hed_node_where(pin->node, "where"), HED_PARSE,
                              "select vertices of a mesh by 'box' or 'vertices'",
                              "'where' needs a grid, and sheet '%s' is a mesh", sheet->def.name);
    }
    hed_grid_part(&sheet->grid, (HedPart)pin->where, mark, marks);
    return HED_OK;
}

static void mark_box(const HedScenePin* pin, const HedSceneSheet* sheet, bool* marks) {
    const HedSceneBox* box = &pin->box;
    for (int32_t i = 0; box->node && i < sheet->def.vertex_count; ++i) {
        HedVec3 p = sheet->def.vertices[i];
        bool inside = p.x >= box->least.x && p.x <= box->most.x && p.y >= box->least.y &&
                      p.y <= box->most.y && p.z >= box->least.z && p.z <= box->most.z;
        marks[i] = marks[i] || inside;
    }
}

static HedStatus collect(HedDraft* d, HedScenePin* pin, const HedSceneSheet* sheet,
                         const bool* marks) {
    int32_t count = 0;
    for (int32_t i = 0; i < sheet->def.vertex_count; ++i) {
        count += marks[i];
    }
    if (count == 0) {
        return FAIL(d, pin->node->place, "pin '%s' holds no vertex of sheet '%s'", pin->def.name,
                    sheet->def.name);
    }
    int32_t* held = HED_POOL_ARRAY(d->pool, int32_t, count);
    if (!held) {
        return hed_fail_memory(d->error, pin->def.name);
    }
    pin->def.vertices = held;
    pin->def.vertex_count = count;
    HedVec3 sum = {0.0, 0.0, 0.0};
    for (int32_t i = 0; i < sheet->def.vertex_count; ++i) {
        if (marks[i]) {
            *held++ = i;
            sum = hed_add3(sum, sheet->def.vertices[i]);
        }
    }
    if (!hed_node_child(pin->node, "pivot")) {
        pin->def.pivot = hed_mul3(1.0 / count, sum);
    }
    return HED_OK;
}

// No vertex can be held by two pins: they would have to agree.
static HedStatus check_shared(HedDraft* d, int32_t sheet_index, int32_t* owner) {
    for (int32_t i = 0; i < d->data->pins.count; ++i) {
        const HedScenePin* pin = &HED_PINS(d->data)[i];
        for (int32_t k = 0; pin->sheet_index == sheet_index && k < pin->def.vertex_count; ++k) {
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

static HedStatus check_all_shared(HedDraft* d) {
    HedStatus status = HED_OK;
    for (int32_t i = 0; i < d->data->sheets.count && status == HED_OK; ++i) {
        int32_t* owner = HED_NEW_ARRAY(int32_t, HED_SHEETS(d->data)[i].def.vertex_count);
        status = owner ? check_shared(d, i, owner) : hed_fail_memory(d->error, "pins");
        hed_free(owner);
    }
    return status;
}

static HedStatus select_pin(HedDraft* d, HedScenePin* pin) {
    const HedSceneSheet* sheet = &HED_SHEETS(d->data)[pin->sheet_index];
    HedStatus status = HED_OK;
    bool* marks = HED_NEW_ARRAY(bool, sheet->def.vertex_count);
    if (!marks) {
        return hed_fail_memory(d->error, pin->def.name);
    }
    HED_TRY(mark_listed(d, pin, sheet, marks));
    HED_TRY(mark_part(d, pin, sheet, marks));
    mark_box(pin, sheet, marks);
    HED_TRY(collect(d, pin, sheet, marks));
done:
    hed_free(marks);
    return status;
}

static HedStatus check_measure(HedDraft* d, const HedSceneMeasure* m) {
    const HedSceneSheet* sheet = &HED_SHEETS(d->data)[m->sheet_index];
    const char* const keys[3] = {"vertex", "a", "b"};
    const int32_t values[3] = {m->def.a, m->def.a, m->def.b};
    for (int i = 0; i < 3; ++i) {
        if (hed_node_child(m->node, keys[i]) && values[i] >= sheet->def.vertex_count) {
            return FAIL(d, hed_node_where(m->node, keys[i]),
                        "'%s': sheet '%s' has the vertices 0 to %d, there is no vertex %d", keys[i],
                        sheet->def.name, (int)sheet->def.vertex_count - 1, (int)values[i]);
        }
    }
    return HED_OK;
}

HedStatus hed_scene_select(HedDraft* d) {
    HedStatus status = HED_OK;
    for (int32_t i = 0; i < d->data->pins.count && status == HED_OK; ++i) {
        status = select_pin(d, &HED_PINS(d->data)[i]);
    }
    if (status == HED_OK && d->data->pins.count > 1) {
        status = check_all_shared(d);
    }
    for (int32_t i = 0; i < d->data->measures.count && status == HED_OK; ++i) {
        status = check_measure(d, &HED_MEASURES(d->data)[i]);
    }
    return status;
}
