// SPDX-License-Identifier: MIT
// Sewing patterns in JSON, as the two public data sets of garments have them. Names, labels and
// parameters that do not matter for the shape are passed over.
#include "base/json.h"
#include "base/array.h"
#include "base/text.h"
#include "garment/draft.h"
#include "garment/plane.h"
#include "math/quat.h"

#include <string.h>

typedef struct GarmentReader {
    HedJson json;
    const char* name;
    HedError* error;
    double unit;      // m per unit of the file
    bool is_relative; // control points are relative to their edge
    HED_ARRAY(HedPanelDef) panels;
    HED_ARRAY(HedSeamDef) seams;
    HED_ARRAY(int32_t) panel_lines; // where each begins
    HED_ARRAY(int32_t) seam_lines;
} GarmentReader;

static HedStatus refuse(const GarmentReader* r, const HedJsonNode* at, const char* what,
                        const char* rule) {
    return hed_fail(r->error, HED_PARSE, "%s:%d:%d: %s %s, got %s", r->name, at->line, at->column,
                    what, rule, hed_json_kind_name(at->kind));
}

// A member that must be there and of that kind.
static HedStatus need(const GarmentReader* r, const HedJsonNode* parent, const char* key,
                      HedJsonKind kind, const HedJsonNode** node) {
    *node = hed_json_member(&r->json, parent, key);
    if (!*node) {
        return hed_fail(r->error, HED_PARSE, "%s:%d:%d: '%s' is missing here", r->name,
                        parent->line, parent->column, key);
    }
    if ((*node)->kind != kind) {
        return hed_fail(r->error, HED_PARSE, "%s:%d:%d: '%s' must be %s, got %s", r->name,
                        (*node)->line, (*node)->column, key, hed_json_kind_name(kind),
                        hed_json_kind_name((*node)->kind));
    }
    return HED_OK;
}

// A list of exactly count numbers.
static HedStatus read_numbers(const GarmentReader* r, const HedJsonNode* node, const char* what,
                              int32_t count, double* values) {
    if (node->kind != HED_JSON_ARRAY || node->child_count != count) {
        return hed_fail(r->error, HED_PARSE,
                        "%s:%d:%d: %s must be a list of %d numbers, got %s of %d", r->name,
                        node->line, node->column, what, count, hed_json_kind_name(node->kind),
                        node->child_count);
    }
    for (const HedJsonNode* v = hed_json_first(&r->json, node); v; v = hed_json_next(&r->json, v)) {
        if (v->kind != HED_JSON_NUMBER) {
            return refuse(r, v, what, "must be a list of numbers");
        }
        *values++ = v->number;
    }
    return HED_OK;
}

static HedStatus read_index(const GarmentReader* r, const HedJsonNode* node, const char* what,
                            int32_t* index) {
    if (node->kind != HED_JSON_NUMBER || node->number != floor(node->number) ||
        node->number < 0.0 || node->number > 1e9) {
        if (node->kind == HED_JSON_NUMBER) {
            return hed_fail(r->error, HED_PARSE,
                            "%s:%d:%d: %s must be a whole number from 0 on, got %g", r->name,
                            node->line, node->column, what, node->number);
        }
        return refuse(r, node, what, "must be a whole number from 0 on");
    }
    *index = (int32_t)node->number;
    return HED_OK;
}

static bool read_flag(const HedJsonNode* node) {
    return node->kind == HED_JSON_BOOL ? node->truth
                                       : node->kind == HED_JSON_NUMBER && node->number != 0.0;
}

// --- edges ---

// A control point; a relative one counts along the edge and to the left of it, in lengths of it.
static HedStatus read_control(const GarmentReader* r, const HedJsonNode* node, HedMaterialPoint a,
                              HedMaterialPoint b, HedMaterialPoint* control) {
    double c[2] = {0};
    HedStatus status = read_numbers(r, node, "a control point", 2, c);
    if (status != HED_OK) {
        return status;
    }
    HedMaterialPoint e = {b.u - a.u, b.v - a.v};
    *control = r->is_relative ? (HedMaterialPoint){a.u + c[0] * e.u - c[1] * e.v,
                                                   a.v + c[0] * e.v + c[1] * e.u}
                              : (HedMaterialPoint){c[0] * r->unit, c[1] * r->unit};
    return HED_OK;
}

static HedStatus read_arc(const GarmentReader* r, const HedJsonNode* params, HedPanelEdge* edge) {
    const HedJsonNode* radius = hed_json_first(&r->json, params);
    if (params->child_count != 3 || radius->kind != HED_JSON_NUMBER) {
        return refuse(r, params, "'params' of a circle",
                      "must be radius, large arc or not, right or left");
    }
    const HedJsonNode* large = hed_json_next(&r->json, radius);
    edge->kind = HED_EDGE_ARC;
    edge->radius = radius->number * r->unit;
    edge->is_large = read_flag(large);
    edge->is_right = read_flag(hed_json_next(&r->json, large));
    return HED_OK;
}

static HedStatus read_typed_curve(const GarmentReader* r, const HedJsonNode* node,
                                  HedMaterialPoint a, HedMaterialPoint b, HedPanelEdge* edge) {
    const HedJsonNode* type = NULL;
    const HedJsonNode* params = NULL;
    HedStatus status = need(r, node, "type", HED_JSON_TEXT, &type);
    if (status == HED_OK) {
        status = need(r, node, "params", HED_JSON_ARRAY, &params);
    }
    if (status != HED_OK) {
        return status;
    }
    if (strcmp(type->text, "circle") == 0) {
        return read_arc(r, params, edge);
    }
    bool cubic = strcmp(type->text, "cubic") == 0;
    if (!cubic && strcmp(type->text, "quadratic") != 0) {
        return hed_fail(r->error, HED_PARSE,
                        "%s:%d:%d: 'type' must be quadratic, cubic or circle, got '%.40s'", r->name,
                        type->line, type->column, type->text);
    }
    edge->kind = cubic ? HED_EDGE_CUBIC : HED_EDGE_QUADRATIC;
    if (params->child_count != 1 + cubic) {
        return hed_fail(r->error, HED_PARSE,
                        "%s:%d:%d: 'params' of a %s curve must be %d points, got %d", r->name,
                        params->line, params->column, type->text, 1 + cubic, params->child_count);
    }
    const HedJsonNode* point = hed_json_first(&r->json, params);
    status = read_control(r, point, a, b, edge->control);
    if (cubic && status == HED_OK) {
        status = read_control(r, hed_json_next(&r->json, point), a, b, edge->control + 1);
    }
    return status;
}

static HedStatus read_edge(const GarmentReader* r, const HedJsonNode* node,
                           const HedPanelDef* panel, HedPanelEdge* edge) {
    const HedJsonNode* ends = NULL;
    if (node->kind != HED_JSON_OBJECT) {
        return refuse(r, node, "an edge", "must be an object");
    }
    HedStatus status = HED_OK;
    HED_TRY(need(r, node, "endpoints", HED_JSON_ARRAY, &ends));
    if (ends->child_count != 2) {
        HED_TRY(hed_fail(r->error, HED_PARSE, "%s:%d:%d: 'endpoints' must be two vertices, got %d",
                         r->name, ends->line, ends->column, ends->child_count));
    }
    const HedJsonNode* first = hed_json_first(&r->json, ends);
    const HedJsonNode* second = hed_json_next(&r->json, first);
    HED_TRY(read_index(r, first, "an endpoint", &edge->start));
    HED_TRY(read_index(r, second, "an endpoint", &edge->end));
    if (edge->start >= panel->vertex_count || edge->end >= panel->vertex_count) {
        HED_TRY(hed_fail(r->error, HED_PARSE,
                         "%s:%d:%d: 'endpoints' name vertices %d and %d; panel '%s' has 0 to %d",
                         r->name, ends->line, ends->column, edge->start, edge->end, panel->name,
                         panel->vertex_count - 1));
    }
    HedMaterialPoint a = panel->vertices[edge->start];
    HedMaterialPoint b = panel->vertices[edge->end];
    const HedJsonNode* curve = hed_json_member(&r->json, node, "curvature");
    if (!curve || curve->kind == HED_JSON_NULL) {
        edge->kind = HED_EDGE_LINE;
    } else if (curve->kind == HED_JSON_ARRAY) {
        edge->kind = HED_EDGE_QUADRATIC;
        HED_TRY(read_control(r, curve, a, b, edge->control));
    } else if (curve->kind == HED_JSON_OBJECT) {
        HED_TRY(read_typed_curve(r, curve, a, b, edge));
    } else {
        HED_TRY(refuse(r, curve, "'curvature'", "must be a control point or an object"));
    }
done:
    return status;
}

// --- panels ---

// p3 = Rz Ry Rx p + translation, degrees.
static HedStatus read_pose(const GarmentReader* r, const HedJsonNode* node, HedPose* pose) {
    static const double DEGREE = 0.017453292519943295769;
    double t[3] = {0};
    double d[3] = {0};
    const HedJsonNode* translation = hed_json_member(&r->json, node, "translation");
    const HedJsonNode* rotation = hed_json_member(&r->json, node, "rotation");
    HedStatus status = HED_OK;
    if (translation) {
        HED_TRY(read_numbers(r, translation, "'translation'", 3, t));
    }
    if (rotation) {
        HED_TRY(read_numbers(r, rotation, "'rotation'", 3, d));
    }
    // Whole turns first, so that large angles keep their precision and stay finite.
    HedQuat x = hed_quat_from_vector((HedVec3){fmod(d[0], 360.0) * DEGREE, 0.0, 0.0});
    HedQuat y = hed_quat_from_vector((HedVec3){0.0, fmod(d[1], 360.0) * DEGREE, 0.0});
    HedQuat z = hed_quat_from_vector((HedVec3){0.0, 0.0, fmod(d[2], 360.0) * DEGREE});
    pose->rotation = hed_quat_unit(hed_quat_mul(z, hed_quat_mul(y, x)));
    pose->position = (HedVec3){t[0] * r->unit, t[1] * r->unit, t[2] * r->unit};
done:
    return status;
}

static HedStatus read_vertices(const GarmentReader* r, const HedJsonNode* list,
                               HedPanelDef* panel) {
    HedMaterialPoint* vertices = HED_NEW_ARRAY(HedMaterialPoint, list->child_count);
    if (!vertices) {
        return hed_fail_memory(r->error, r->name);
    }
    panel->vertices = vertices;
    for (const HedJsonNode* v = hed_json_first(&r->json, list); v; v = hed_json_next(&r->json, v)) {
        double c[2] = {0};
        HedStatus status = read_numbers(r, v, "a vertex", 2, c);
        if (status != HED_OK) {
            return status;
        }
        vertices[panel->vertex_count++] = (HedMaterialPoint){c[0] * r->unit, c[1] * r->unit};
    }
    return HED_OK;
}

static HedStatus read_panel(GarmentReader* r, const HedJsonNode* node) {
    HedPanelDef fresh = hed_panel_def_default();
    fresh.name = node->key;
    if (!HED_APPEND(&r->panels, fresh) || !HED_APPEND(&r->panel_lines, node->line)) {
        return hed_fail_memory(r->error, r->name);
    }
    HedPanelDef* panel = r->panels.data + r->panels.count - 1;
    if (node->kind != HED_JSON_OBJECT) {
        return refuse(r, node, "a panel", "must be an object");
    }
    const HedJsonNode* vertices = NULL;
    const HedJsonNode* edges = NULL;
    HedStatus status = HED_OK;
    HED_TRY(need(r, node, "vertices", HED_JSON_ARRAY, &vertices));
    HED_TRY(read_vertices(r, vertices, panel));
    HED_TRY(need(r, node, "edges", HED_JSON_ARRAY, &edges));
    HedPanelEdge* list = HED_NEW_ARRAY(HedPanelEdge, edges->child_count);
    if (!list) {
        HED_TRY(hed_fail_memory(r->error, r->name));
    }
    panel->edges = list;
    for (const HedJsonNode* e = hed_json_first(&r->json, edges); e;
         e = hed_json_next(&r->json, e)) {
        HED_TRY(read_edge(r, e, panel, list + panel->edge_count));
        panel->edge_count += 1;
    }
    HED_TRY(read_pose(r, node, &panel->pose));
done:
    return status;
}

// --- stitches ---

static HedStatus read_run(const GarmentReader* r, const HedJsonNode* list, const HedPanelDef* panel,
                          HedSeamSide* side) {
    side->edge_count = 0;
    int32_t before = -1;
    for (const HedJsonNode* e = hed_json_first(&r->json, list); e; e = hed_json_next(&r->json, e)) {
        int32_t edge = 0;
        HedStatus status = read_index(r, e, "an edge of 'edges'", &edge);
        if (status != HED_OK) {
            return status;
        }
        bool known = edge < panel->edge_count;
        if (!known || (before >= 0 && panel->edges[before].end != panel->edges[edge].start)) {
            return hed_fail(r->error, HED_PARSE,
                            "%s:%d:%d: 'edges' must be edges of panel '%s' that follow each other, "
                            "got %d after %d",
                            r->name, e->line, e->column, panel->name, edge, before);
        }
        side->edge = before < 0 ? edge : side->edge;
        side->edge_count += 1;
        before = edge;
    }
    return before < 0 ? refuse(r, list, "'edges'", "must not be empty") : HED_OK;
}

static HedStatus read_side(const GarmentReader* r, const HedJsonNode* node, HedSeamSide* side) {
    if (node->kind != HED_JSON_OBJECT) {
        return refuse(r, node, "a side of a stitch", "must be an object");
    }
    const HedJsonNode* name = NULL;
    HedStatus status = need(r, node, "panel", HED_JSON_TEXT, &name);
    if (status != HED_OK) {
        return status;
    }
    side->panel = 0;
    while (side->panel < r->panels.count &&
           strcmp(r->panels.data[side->panel].name, name->text) != 0) {
        side->panel += 1;
    }
    if (side->panel == r->panels.count) {
        return hed_fail(r->error, HED_PARSE, "%s:%d:%d: there is no panel '%.60s'", r->name,
                        name->line, name->column, name->text);
    }
    const HedPanelDef* panel = r->panels.data + side->panel;
    const HedJsonNode* run = hed_json_member(&r->json, node, "edges");
    if (run) {
        return run->kind == HED_JSON_ARRAY ? read_run(r, run, panel, side)
                                           : refuse(r, run, "'edges'", "must be a list");
    }
    const HedJsonNode* edge = NULL;
    status = need(r, node, "edge", HED_JSON_NUMBER, &edge);
    if (status == HED_OK) {
        status = read_index(r, edge, "'edge'", &side->edge);
    }
    if (status == HED_OK && side->edge >= panel->edge_count) {
        return hed_fail(r->error, HED_PARSE, "%s:%d:%d: panel '%s' has edges 0 to %d, got %d",
                        r->name, edge->line, edge->column, panel->name, panel->edge_count - 1,
                        side->edge);
    }
    return status;
}

// "right_wrong", or an object with what the public data sets cannot say.
static HedStatus read_tag(const GarmentReader* r, const HedJsonNode* node, HedSeamDef* seam) {
    if (node->kind == HED_JSON_TEXT && strcmp(node->text, "right_wrong") == 0) {
        seam->joins_starts = true;
        return HED_OK;
    }
    if (node->kind != HED_JSON_OBJECT) {
        return refuse(r, node, "the third part of a stitch",
                      "must be \"right_wrong\" or an object");
    }
    for (const HedJsonNode* m = hed_json_first(&r->json, node); m; m = hed_json_next(&r->json, m)) {
        if (strcmp(m->key, "right_wrong") == 0 && m->kind == HED_JSON_BOOL) {
            seam->joins_starts = m->truth;
        } else if (strcmp(m->key, "gather") == 0 && m->kind == HED_JSON_BOOL) {
            seam->is_gathered = m->truth;
        } else if (strcmp(m->key, "angle") == 0 && m->kind == HED_JSON_NUMBER &&
                   fabs(m->number) <= 180.0) {
            seam->angle = m->number * 0.017453292519943295769;
        } else if (strcmp(m->key, "name") == 0 && m->kind == HED_JSON_TEXT) {
            seam->purpose = m->text;
        } else {
            return hed_fail(r->error, HED_PARSE,
                            "%s:%d:%d: a stitch takes right_wrong (true, false), gather (true, "
                            "false), angle (-180 to 180) and name (text), got '%.40s', %s",
                            r->name, m->line, m->column, m->key, hed_json_kind_name(m->kind));
        }
    }
    return HED_OK;
}

static HedStatus read_stitch(GarmentReader* r, const HedJsonNode* node) {
    if (node->kind != HED_JSON_ARRAY || node->child_count < 2 || node->child_count > 3) {
        return refuse(r, node, "a stitch", "must be a list of two sides and perhaps a tag");
    }
    HedSeamDef seam = hed_seam_def_default();
    const HedJsonNode* first = hed_json_first(&r->json, node);
    const HedJsonNode* second = hed_json_next(&r->json, first);
    const HedJsonNode* tag = hed_json_next(&r->json, second);
    HedStatus status = read_side(r, first, seam.sides);
    status = status == HED_OK ? read_side(r, second, seam.sides + 1) : status;
    status = status == HED_OK && tag ? read_tag(r, tag, &seam) : status;
    if (status == HED_OK &&
        (!HED_APPEND(&r->seams, seam) || !HED_APPEND(&r->seam_lines, node->line))) {
        return hed_fail_memory(r->error, r->name);
    }
    return status;
}

// --- the whole ---

static HedStatus read_properties(GarmentReader* r, const HedJsonNode* root) {
    const HedJsonNode* properties = hed_json_member(&r->json, root, "properties");
    const HedJsonNode* units = hed_json_member(&r->json, properties, "units_in_meter");
    const HedJsonNode* coords = hed_json_member(&r->json, properties, "curvature_coords");
    r->unit = 0.01;
    r->is_relative = true;
    if (units) {
        if (units->kind != HED_JSON_NUMBER) {
            return refuse(r, units, "'units_in_meter'", "must be a positive number");
        }
        if (!(units->number > 0.0)) {
            return hed_fail(r->error, HED_PARSE,
                            "%s:%d:%d: 'units_in_meter' must be positive, got %g", r->name,
                            units->line, units->column, units->number);
        }
        r->unit = 1.0 / units->number;
    }
    if (coords) {
        bool known = coords->kind == HED_JSON_TEXT && (strcmp(coords->text, "relative") == 0 ||
                                                       strcmp(coords->text, "absolute") == 0);
        if (!known) {
            return refuse(r, coords, "'curvature_coords'", "must be \"relative\" or \"absolute\"");
        }
        r->is_relative = coords->text[0] == 'r';
    }
    return HED_OK;
}

static HedStatus read_pattern(GarmentReader* r) {
    const HedJsonNode* root = r->json.nodes;
    const HedJsonNode* pattern = NULL;
    const HedJsonNode* panels = NULL;
    HedStatus status = HED_OK;
    if (root->kind != HED_JSON_OBJECT) {
        return refuse(r, root, "a garment", "must be an object");
    }
    HED_TRY(read_properties(r, root));
    HED_TRY(need(r, root, "pattern", HED_JSON_OBJECT, &pattern));
    HED_TRY(need(r, pattern, "panels", HED_JSON_OBJECT, &panels));
    if (panels->child_count == 0) {
        HED_TRY(refuse(r, panels, "'panels'", "must not be empty"));
    }
    for (const HedJsonNode* p = hed_json_first(&r->json, panels); p;
         p = hed_json_next(&r->json, p)) {
        HED_TRY(read_panel(r, p));
    }
    const HedJsonNode* stitches = hed_json_member(&r->json, pattern, "stitches");
    if (stitches && stitches->kind != HED_JSON_ARRAY) {
        HED_TRY(refuse(r, stitches, "'stitches'", "must be a list"));
    }
    for (const HedJsonNode* s = stitches ? hed_json_first(&r->json, stitches) : NULL; s;
         s = hed_json_next(&r->json, s)) {
        HED_TRY(read_stitch(r, s));
    }
done:
    return status;
}

static void free_reader(GarmentReader* r) {
    for (int32_t p = 0; p < r->panels.count; ++p) {
        // The arrays were made here; a def only promises not to change them.
        union {
            const void* given;
            void* own;
        } vertices = {r->panels.data[p].vertices}, edges = {r->panels.data[p].edges};
        hed_free(vertices.own);
        hed_free(edges.own);
    }
    hed_free(r->panels.data);
    hed_free(r->seams.data);
    hed_free(r->panel_lines.data);
    hed_free(r->seam_lines.data);
    hed_json_free(&r->json);
}

// Puts file and line before the message of a pattern that cannot be made.
static HedStatus tell_where(const GarmentReader* r, HedDraftPlace place, HedStatus status) {
    int32_t line = place.panel >= 0  ? r->panel_lines.data[place.panel]
                   : place.seam >= 0 ? r->seam_lines.data[place.seam]
                                     : 0;
    return line > 0 ? hed_fail_prefix(r->error, status, "%s:%d: ", r->name, line)
                    : hed_fail_prefix(r->error, status, "%s: ", r->name);
}

HedStatus hed_garment_parse(const char* data, size_t size, const char* name, double target_size,
                            HedGarment* garment, HedError* error) {
    *garment = (HedGarment){0};
    GarmentReader r = {.name = name, .error = error};
    HedStatus status = HED_OK;
    HED_TRY(hed_json_parse(data, size, name, &r.json, error));
    HED_TRY(read_pattern(&r));
    HedGarmentDef def = hed_garment_def_default();
    def.panels = r.panels.data;
    def.panel_count = r.panels.count;
    def.seams = r.seams.data;
    def.seam_count = r.seams.count;
    def.target_size = target_size;
    HedDraftPlace place;
    status = hed_garment_build(&def, garment, &place, error);
    if (status != HED_OK && status != HED_NO_MEMORY) {
        tell_where(&r, place, status);
    }
done:
    free_reader(&r);
    return status;
}

HedStatus hed_garment_load(const char* path, double target_size, HedGarment* garment,
                           HedError* error) {
    *garment = (HedGarment){0};
    HedText text = {0};
    HedStatus status = hed_text_read(path, &text, error);
    if (status == HED_OK) {
        status = hed_garment_parse(text.data, text.size, path, target_size, garment, error);
    }
    hed_text_free(&text);
    return status;
}

bool hed_garment_is_file(const char* path) {
    HedText text = {0};
    HedJson json = {0};
    bool is_garment = hed_text_read(path, &text, NULL) == HED_OK &&
                      hed_json_parse(text.data, text.size, path, &json, NULL) == HED_OK &&
                      hed_json_member(&json, json.nodes, "pattern");
    hed_json_free(&json);
    hed_text_free(&text);
    return is_garment;
}
