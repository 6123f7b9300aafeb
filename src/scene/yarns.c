// SPDX-License-Identifier: MIT
// The centre lines of yarns: from a file, from points, straight, or woven.
#include "base/file.h"
#include "math/quat.h"
#include "scene/shape_fabric.h"

// Room for count vertices of one curve.
static HedStatus make_single(HedSceneDraft* d, HedSceneYarns* yarns, int32_t count,
                             HedVec3** vertices) {
    HedCurve* curve = HED_POOL_ARRAY(d->pool, HedCurve, 1);
    *vertices = HED_POOL_ARRAY(d->pool, HedVec3, count);
    if (!curve || !*vertices) {
        return hed_fail_memory(d->error, yarns->def.name);
    }
    *curve = (HedCurve){.count = count,
                        .color = HED_COLOR_NONE,
                        .is_closed = yarns->is_closed,
                        .radius = yarns->def.radius};
    yarns->def.vertices = *vertices;
    yarns->def.vertex_count = count;
    yarns->def.curves = curve;
    yarns->def.curve_count = 1;
    return HED_OK;
}

static HedStatus shape_line(HedSceneDraft* d, HedSceneYarns* yarns) {
    const HedSceneLine* line = &yarns->line;
    HedVec3* vertices = NULL;
    HedStatus status = make_single(d, yarns, line->segments + 1, &vertices);
    for (int32_t i = 0; status == HED_OK && i <= line->segments; ++i) {
        vertices[i] = hed_lerp3(line->from, line->to, (double)i / line->segments);
    }
    return status;
}

static HedStatus shape_points(HedSceneDraft* d, HedSceneYarns* yarns) {
    HedVec3* vertices = NULL;
    HedStatus status = make_single(d, yarns, yarns->points.count, &vertices);
    for (int32_t i = 0; status == HED_OK && i < yarns->points.count; ++i) {
        vertices[i] = ((const HedVec3*)yarns->points.data)[i];
    }
    return status;
}

static HedStatus take_curves(HedSceneDraft* d, HedSceneYarns* yarns, const HedCurves* read) {
    const HedSceneCurves* c = &yarns->curves;
    HedVec3* vertices = HED_POOL_ARRAY(d->pool, HedVec3, read->vertex_count);
    HedCurve* curves = HED_POOL_ARRAY(d->pool, HedCurve, read->curve_count);
    if (!vertices || !curves) {
        return hed_fail_memory(d->error, yarns->def.name);
    }
    HedPose pose = {c->position, hed_quat_from_vector(c->rotation)};
    for (int32_t i = 0; i < read->vertex_count; ++i) {
        vertices[i] = hed_pose_apply(pose, hed_mul3(c->scale, read->vertices[i]));
    }
    for (int32_t i = 0; i < read->curve_count; ++i) {
        curves[i] = read->curves[i];
        double radius = c->scale * curves[i].radius;
        curves[i].radius = radius > 0.0 ? radius : yarns->def.radius;
    }
    yarns->def.vertices = vertices;
    yarns->def.vertex_count = read->vertex_count;
    yarns->def.curves = curves;
    yarns->def.curve_count = read->curve_count;
    return HED_OK;
}

static HedStatus shape_curves(HedSceneDraft* d, HedSceneYarns* yarns) {
    HedSceneCurves* c = &yarns->curves;
    HedText text;
    HedCurves curves = {0};
    HedError why;
    HedStatus status = hed_scene_read_file(d, c->node, "file", &c->file, &text);
    if (status != HED_OK) {
        return status;
    }
    status =
        hed_curves_parse(text.data, text.size, hed_path_extension(c->file), c->file, &curves, &why);
    hed_text_free(&text);
    const char* key = "file";
    if (status == HED_OK) {
        status = hed_curves_tile(&curves, c->tiles[0], c->tiles[1], &why);
        key = "tiles";
    }
    if (status == HED_OK) {
        status = take_curves(d, yarns, &curves);
    } else if (status == HED_NO_MEMORY) {
        status = hed_fail_memory(d->error, c->file);
    } else {
        status = hed_place_fail(d->error, hed_node_where(c->node, key), status, NULL, "%.400s",
                                why.message);
    }
    hed_curves_free(&curves);
    return status;
}

HedStatus hed_scene_shape_yarns(HedSceneDraft* d, HedSceneYarns* yarns) {
    bool has_points = yarns->points.count > 0;
    int count = (yarns->curves.node != NULL) + (yarns->line.node != NULL) +
                (yarns->weave.node != NULL) + (yarns->knit.node != NULL) + has_points;
    if (count != 1) {
        return hed_place_fail(
            d->error, yarns->node->place, HED_PARSE, NULL,
            "yarns '%s' need one of 'curves', 'line', 'points', 'weave' and 'knit'",
            yarns->def.name);
    }
    if (yarns->is_closed && !has_points) {
        return hed_place_fail(d->error, hed_node_where(yarns->node, "closed"), HED_PARSE, NULL,
                              "'closed' needs 'points'");
    }
    HedStatus status = hed_scene_check_sliding(d, yarns);
    if (status != HED_OK) {
        return status;
    }
    if (yarns->def.model == HED_YARN_SLIDING && !yarns->sliding.node) {
        hed_sliding_table.defaults(&yarns->sliding);
    }
    if (yarns->curves.node) {
        return shape_curves(d, yarns);
    }
    if (yarns->knit.node) {
        return hed_scene_shape_knit(d, yarns);
    }
    if (yarns->weave.node) {
        return hed_scene_shape_weave(d, yarns);
    }
    return yarns->line.node ? shape_line(d, yarns) : shape_points(d, yarns);
}
