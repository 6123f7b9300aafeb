// SPDX-License-Identifier: MIT
// What a scene's sheets and yarns take from a run: matched by name, compared number by number.
#include "base/text.h"
#include "math/vec3.h"
#include "scene/start.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// --- what is meant ---

static int32_t find_object(const HedStarting* r, const char* name) {
    for (int32_t i = 0; i < hed_run_object_count(r->run); ++i) {
        HedSeriesObject object = hed_run_object(r->run, i);
        if (object.kind != HED_OBJECT_BODY && strcmp(object.name, name) == 0) {
            return i;
        }
    }
    return -1;
}

// The number of an object among those that are no bodies.
static int32_t part_of(const HedStarting* r, int32_t object) {
    int32_t part = 0;
    for (int32_t i = 0; i < object; ++i) {
        part += hed_run_object(r->run, i).kind != HED_OBJECT_BODY;
    }
    return part;
}

static HedStatus fail_count(const HedStarting* r, const char* kind, const char* name,
                            const char* what, int32_t here, int32_t there) {
    return HED_START_FAIL(
        r, "run",
        "%s '%s' has %d %s here and %d in '%.200s': to start from there it must be the same", kind,
        name, (int)here, what, (int)there, r->start->run);
}

static HedStatus fail_kind(const HedStarting* r, const char* name, const char* here,
                           HedObjectKind kind) {
    return HED_START_FAIL(r, "run", "'%s' is %s here and %s in '%.200s'", name, here,
                          kind == HED_OBJECT_YARNS ? "yarns" : "a sheet", r->start->run);
}

static HedStatus check_sheet(const HedStarting* r, const HedSheetDef* def, int32_t index) {
    HedSeriesObject there = hed_run_object(r->run, index);
    if (there.kind != HED_OBJECT_SHEET) {
        return fail_kind(r, def->name, "a sheet", there.kind);
    }
    if (there.vertex_count != def->vertex_count) {
        return fail_count(r, "sheet", def->name, "vertices", def->vertex_count, there.vertex_count);
    }
    if (there.triangle_count != def->triangle_count) {
        return fail_count(r, "sheet", def->name, "triangles", def->triangle_count,
                          there.triangle_count);
    }
    for (int32_t k = 0; k < 3 * def->triangle_count; ++k) {
        if (there.triangles[k] != def->triangles[k]) {
            return HED_START_FAIL(
                r, "run",
                "sheet '%s' has as many vertices and triangles in '%.200s', but triangle %d "
                "has other corners: it is another mesh",
                def->name, r->start->run, (int)(k / 3));
        }
    }
    return HED_OK;
}

static HedStatus check_yarns(const HedStarting* r, const HedYarnsDef* def, int32_t index) {
    HedSeriesObject there = hed_run_object(r->run, index);
    if (there.kind != HED_OBJECT_YARNS) {
        return fail_kind(r, def->name, "yarns", there.kind);
    }
    if (there.curve_count != def->curve_count) {
        return fail_count(r, "yarns", def->name, "curves", def->curve_count, there.curve_count);
    }
    if (there.vertex_count != def->vertex_count) {
        return fail_count(r, "yarns", def->name, "vertices", def->vertex_count, there.vertex_count);
    }
    for (int32_t k = 0; k < def->curve_count; ++k) {
        const HedCurve* a = &def->curves[k];
        const HedCurve* b = &there.curves[k];
        if (a->count != b->count || a->is_closed != b->is_closed) {
            return HED_START_FAIL(
                r, "run", "curve %d of yarns '%s' has %d vertices%s here and %d%s in '%.200s'",
                (int)k, def->name, (int)a->count, a->is_closed ? ", closed," : "", (int)b->count,
                b->is_closed ? ", closed," : "", r->start->run);
        }
    }
    return HED_OK;
}

static const HedStateKind STATE_OF[HED_YARN_MODEL_COUNT] = {
    [HED_YARN_ROD] = HED_STATE_ROD,
    [HED_YARN_SPLINE] = HED_STATE_SPLINE,
    [HED_YARN_SLIDING] = HED_STATE_SLIDING,
};

// Whether the yarns of the scene are those of the state, model for model and in their order: then
// what yarns remember of each other can be taken over.
static bool are_alike(const HedStarting* r) {
    const HedSceneData* data = r->d->data;
    int32_t next = 0;
    for (int32_t i = 0; i < hed_run_object_count(r->run); ++i) {
        HedSeriesObject there = hed_run_object(r->run, i);
        if (there.kind != HED_OBJECT_YARNS) {
            continue;
        }
        const HedSceneYarns* yarns = next < data->yarns.count ? &HED_YARNS(data)[next] : NULL;
        int32_t part = part_of(r, i);
        if (!yarns || strcmp(yarns->def.name, there.name) != 0 ||
            part >= hed_run_state_part_count(r->state) ||
            hed_run_state_part(r->state, part).kind != (int32_t)STATE_OF[yarns->def.model]) {
            return false;
        }
        ++next;
    }
    return next == data->yarns.count;
}

// --- what the run knows ---

// Positions and velocities of a part of the state.
static HedStatus take_state(const HedStarting* r, int32_t part, int32_t expected,
                            HedSceneState* out) {
    int32_t count = hed_run_state_points(r->state, part, NULL, NULL);
    HedVec3* x = HED_POOL_ARRAY(r->d->pool, HedVec3, count);
    HedVec3* v = HED_POOL_ARRAY(r->d->pool, HedVec3, count);
    if (!x || !v) {
        return hed_fail_memory(r->d->error, "the start");
    }
    if (count != expected) {
        return HED_START_FAIL(r, "run",
                              "the checkpoint of '%.200s' has %d points where its frame has %d",
                              r->start->run, (int)count, (int)expected);
    }
    hed_run_state_points(r->state, part, x, v);
    out->positions = x;
    out->velocities = r->start->velocities == HED_VELOCITIES_KEEP ? v : NULL;
    return HED_OK;
}

// Points that splines have: two more than vertices for each open curve.
static int32_t control_count(const HedYarnsDef* def) {
    int32_t count = def->vertex_count;
    for (int32_t k = 0; k < def->curve_count; ++k) {
        count += def->curves[k].is_closed ? 0 : 2;
    }
    return count;
}

// Whether the run's garment has its seams closed by the time of the frame.
static HedStatus check_seams(const HedStarting* r, const HedSceneSheet* sheet) {
    const HedNode* list = hed_node_child(r->source, "sheets");
    bool was_started = hed_node_child(r->source, "start") != NULL;
    for (const HedNode* item = list ? list->first : NULL; item && !was_started; item = item->next) {
        const HedNode* name = hed_node_child(item, "name");
        const HedNode* time = hed_node_child(hed_node_child(item, "garment"), "sewing_time");
        double sewing = 0.0;
        if (time && time->text && !hed_span_double((HedSpan){time->text, time->size}, &sewing)) {
            sewing = 0.0;
        }
        bool is_it = name && name->text && strcmp(name->text, sheet->def.name) == 0;
        if (is_it && r->start->at < sewing * (1.0 - 1e-9)) {
            return HED_START_FAIL(
                r, hed_node_child(r->start->node, "time") ? "time" : "frame",
                "the seams of '%s' are open at that time (%g s): they close until %g s; "
                "start from a later frame",
                sheet->def.name, r->start->at, sewing);
        }
    }
    return HED_OK;
}

// Velocities that the frame holds, where motion goes on.
static const HedVec3* velocities_of(const HedStarting* r, int32_t object) {
    bool is_kept = r->start->velocities == HED_VELOCITIES_KEEP;
    return is_kept && r->moving ? r->moving[object] : NULL;
}

static HedStatus start_sheet(HedStarting* r, HedSceneSheet* sheet) {
    HedStatus status = HED_OK;
    HedSceneState* state = &sheet->state;
    int32_t index = find_object(r, sheet->def.name);
    if (index < 0) {
        hed_sink_print(r->d->notes,
                       "start: sheet '%s' is not in '%s': it starts as the scene says\n",
                       sheet->def.name, r->start->run);
        return HED_OK;
    }
    HED_TRY(check_sheet(r, &sheet->def, index));
    HED_TRY(check_seams(r, sheet));
    state->shown = state->positions = r->shown[index];
    state->velocities = velocities_of(r, index);
    if (r->state) {
        HED_TRY(take_state(r, part_of(r, index), sheet->def.vertex_count, state));
    }
    sheet->def.sewing_time = 0.0; // its seams are closed
    r->matched += 1;
done:
    return status;
}

// Nodes lie between the yarns that cross there, as far from one as from the other, and move as
// both do.
static HedStatus find_nodes(const HedStarting* r, const HedSceneYarns* yarns, const HedVec3* shown,
                            const HedVec3** out) {
    const HedNet* net = &yarns->sliding.net;
    HedVec3* nodes = HED_POOL_ARRAY(r->d->pool, HedVec3, net->node_count);
    int32_t* seen = HED_POOL_ARRAY(r->d->pool, int32_t, net->node_count);
    if (!nodes || !seen) {
        return hed_fail_memory(r->d->error, yarns->def.name);
    }
    for (int32_t y = 0; y < net->yarn_count; ++y) {
        const HedNetYarn* yarn = &net->yarns[y];
        for (int32_t k = yarn->first; k < yarn->first + yarn->count; ++k) {
            int32_t node = net->visits[k].node;
            nodes[node] = hed_add3(nodes[node], *shown);
            seen[node] += 1;
            shown += k + 1 < yarn->first + yarn->count
                         ? hed_net_piece_points(net, k, HED_SLIDING_SAMPLES)
                         : 1;
        }
    }
    for (int32_t k = 0; k < net->node_count; ++k) {
        nodes[k] = hed_mul3(1.0 / fmax(1.0, seen[k]), nodes[k]);
    }
    *out = nodes;
    return HED_OK;
}

static HedStatus start_yarns(HedStarting* r, HedSceneYarns* yarns) {
    HedStatus status = HED_OK;
    HedSceneState* state = &yarns->state;
    bool is_sliding = yarns->def.model == HED_YARN_SLIDING;
    int32_t index = find_object(r, yarns->def.name);
    if (hed_scene_repeats(yarns)) {
        return HED_START_FAIL(r, "run",
                              "yarns '%s' repeat, and such a fabric cannot start from a run",
                              yarns->def.name);
    }
    if (index < 0) {
        hed_sink_print(r->d->notes,
                       "start: yarns '%s' are not in '%s': they start as the scene says\n",
                       yarns->def.name, r->start->run);
        return HED_OK;
    }
    HED_TRY(check_yarns(r, &yarns->def, index));
    state->shown = state->positions = r->shown[index];
    state->velocities = velocities_of(r, index);
    r->matched += 1;
    int32_t part = part_of(r, index);
    int32_t kind = r->state && part < hed_run_state_part_count(r->state)
                       ? hed_run_state_part(r->state, part).kind
                       : -1;
    if (kind == (int32_t)STATE_OF[yarns->def.model]) {
        int32_t count = is_sliding ? yarns->sliding.net.node_count : yarns->def.vertex_count;
        state->are_controls = yarns->def.model == HED_YARN_SPLINE;
        HED_TRY(
            take_state(r, part, state->are_controls ? control_count(&yarns->def) : count, state));
    } else if (is_sliding) {
        HED_TRY(find_nodes(r, yarns, r->shown[index], &state->positions));
        HED_TRY(state->velocities ? find_nodes(r, yarns, state->velocities, &state->velocities)
                                  : HED_OK);
    }
done:
    return status;
}

// --- what yarns remember ---

// The rows of nodes in the state of sliding yarns, one set after the other.
static HedStatus take_rows(HedStarting* r) {
    const HedSceneData* data = r->d->data;
    int64_t count = 0;
    for (int32_t i = 0; i < data->yarns.count; ++i) {
        bool is_sliding = HED_YARNS(data)[i].def.model == HED_YARN_SLIDING;
        count += is_sliding ? HED_YARNS(data)[i].sliding.net.node_count : 0;
    }
    int32_t* rows = HED_POOL_ARRAY(r->d->pool, int32_t, count);
    if (!rows) {
        return hed_fail_memory(r->d->error, "the start");
    }
    r->start->memory[r->start->memory_count++] =
        (HedSnapshotArray){"rows", rows, count * (int64_t)sizeof *rows};
    for (int32_t i = 0; i < data->yarns.count && count > 0; ++i) {
        int32_t part = part_of(r, find_object(r, HED_YARNS(data)[i].def.name));
        int32_t nodes = HED_YARNS(data)[i].sliding.net.node_count;
        memcpy(rows, hed_run_state_place(r->state, part), sizeof *rows * (size_t)nodes);
        rows += nodes;
    }
    return HED_OK;
}

static HedStatus take_memory(HedStarting* r) {
    HedSceneStart* start = r->start;
    HedSnapshotArray found[HED_RUN_STATE_MEMORY];
    int32_t count = hed_run_state_memory(r->state, found);
    for (int32_t k = 0; k < count; ++k) {
        void* copy = hed_pool_push(r->d->pool, found[k].bytes, 1);
        if (!copy) {
            return hed_fail_memory(r->d->error, "the start");
        }
        memcpy(copy, found[k].data, (size_t)found[k].bytes);
        start->memory[start->memory_count++] =
            (HedSnapshotArray){found[k].name, copy, found[k].bytes};
    }
    start->is_whole = true;
    return take_rows(r);
}

static void note(HedStarting* r, const char* what) {
    hed_sink_print(r->d->notes, "start: %s\n", what);
}

static void note_lack(HedStarting* r) {
    bool has[HED_YARN_MODEL_COUNT] = {false};
    for (int32_t i = 0; i < r->d->data->yarns.count; ++i) {
        const HedSceneYarns* yarns = &HED_YARNS(r->d->data)[i];
        has[yarns->def.model] = has[yarns->def.model] || yarns->state.shown;
    }
    if (has[HED_YARN_ROD]) {
        note(r, "rods go on without the twist, plastic bends and friction that they had");
    }
    if (has[HED_YARN_SPLINE]) {
        note(r, "splines go on without the friction that they had");
    }
    if (has[HED_YARN_SLIDING]) {
        note(r, "of sliding yarns only places are known: material along them is as the scene says");
    }
}

static HedStatus settle_velocities(HedStarting* r) {
    HedSceneStart* start = r->start;
    if (r->state || r->moving || start->velocities == HED_VELOCITIES_ZERO) {
        return HED_OK;
    }
    bool is_asked = hed_node_child(start->node, "velocities") != NULL;
    if (is_asked) {
        return hed_place_fail(r->d->error, hed_node_where(start->node, "velocities"), HED_PARSE,
                              "frames of a run whose 'output.quantities' name 'speed' have them, "
                              "and its end has, in the checkpoint; or say 'velocities: zero'",
                              "frame %d of '%.200s' has no velocities to keep", (int)start->frame,
                              start->run);
    }
    start->velocities = HED_VELOCITIES_ZERO;
    hed_sink_print(r->d->notes,
                   "start: frame %d of '%s' holds no velocities (frames do whose run writes "
                   "'speed' among output.quantities): all is at rest\n",
                   (int)start->frame, start->run);
    return HED_OK;
}

static HedStatus check_matched(const HedStarting* r) {
    char names[256] = "";
    size_t used = 0;
    if (r->matched > 0) {
        return HED_OK;
    }
    for (int32_t i = 0; i < hed_run_object_count(r->run) && used + 80 < sizeof names; ++i) {
        HedSeriesObject object = hed_run_object(r->run, i);
        if (object.kind != HED_OBJECT_BODY) {
            used += (size_t)snprintf(names + used, sizeof names - used, "%s'%.60s'",
                                     used > 0 ? ", " : "", object.name);
        }
    }
    return HED_START_FAIL(r, "run",
                          "no sheet and no yarns of this scene are in '%.200s', which has %s",
                          r->start->run, names);
}

HedStatus hed_scene_start_parts(HedStarting* r) {
    HedStatus status = HED_OK;
    HedSceneData* data = r->d->data;
    HED_TRY(settle_velocities(r));
    for (int32_t i = 0; i < data->sheets.count; ++i) {
        HED_TRY(start_sheet(r, &HED_SHEETS(data)[i]));
    }
    for (int32_t i = 0; i < data->yarns.count; ++i) {
        HED_TRY(start_yarns(r, &HED_YARNS(data)[i]));
    }
    HED_TRY(check_matched(r));
    if (r->state && are_alike(r)) {
        HED_TRY(take_memory(r));
    } else {
        note_lack(r);
    }
    hed_sink_print(r->d->notes, "start: from frame %d (%g s) of '%s'%s\n", (int)r->start->frame,
                   r->start->at, r->start->run,
                   r->start->velocities == HED_VELOCITIES_ZERO ? ", at rest" : "");
done:
    return status;
}
