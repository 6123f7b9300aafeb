// SPDX-License-Identifier: MIT
// Knitted yarns: a pattern by its name or a chart.
#include "heddle/knitout.h"
#include "heddle/weave.h"
#include "math/quat.h"
#include "scene/shape_fabric.h"

#include <inttypes.h>
#include <string.h>

// The lines of a chart as one text; NULL without memory.
static const char* join_lines(HedSceneDraft* d, const HedList* lines) {
    size_t size = 1;
    const char* const* data = lines->data;
    for (int32_t i = 0; i < lines->count; ++i) {
        size += strlen(data[i]) + 1;
    }
    char* text = HED_POOL_ARRAY(d->pool, char, (int64_t)size);
    char* at = text;
    for (int32_t i = 0; text && i < lines->count; ++i) {
        size_t length = strlen(data[i]);
        memcpy(at, data[i], length);
        at[length] = '\n';
        at += length + 1;
    }
    return text;
}

// "3=30 tex": the name before the sign, or NULL, and what stands behind it; NULL without memory.
static const char* split_name(HedSceneDraft* d, const char* text, const char** name) {
    const char* sign = strchr(text, '=');
    *name = NULL;
    if (!sign) {
        return text;
    }
    size_t length = (size_t)(sign - text);
    char* copy = HED_POOL_ARRAY(d->pool, char, (int64_t)length + 1);
    if (!copy) {
        return NULL;
    }
    memcpy(copy, text, length);
    copy[length] = '\0';
    *name = copy;
    return sign + 1;
}

// Counts and colours of the yarns, by their order or by name.
static HedStatus complete_yarns(HedSceneDraft* d, HedSceneKnit* k) {
    HedStatus status = HED_OK;
    HedError why;
    int32_t* colors = HED_POOL_ARRAY(d->pool, int32_t, k->colors.count);
    double* densities = HED_POOL_ARRAY(d->pool, double, k->counts.count);
    const char** names = HED_POOL_ARRAY(d->pool, const char*, k->colors.count + k->counts.count);
    if (!colors || !densities || !names) {
        return hed_fail_memory(d->error, "yarns of a knit");
    }
    for (int32_t i = 0; i < k->counts.count; ++i) {
        const char* text = ((const char* const*)k->counts.data)[i];
        text = split_name(d, text, &names[i]);
        HED_TRY(text ? HED_OK : hed_fail_memory(d->error, "yarns of a knit"));
        HedStatus read = hed_yarn_count_parse(text, &densities[i], &why);
        HED_TRY(hed_scene_pass_on(d, hed_node_where(k->node, "counts"), read, &why));
    }
    for (int32_t i = 0; i < k->colors.count; ++i) {
        const char* text = ((const char* const*)k->colors.data)[i];
        text = text ? split_name(d, text, &names[k->counts.count + i]) : text;
        HED_TRY(hed_scene_read_color(d, k->node, "colors", text, &colors[i]));
    }
    k->def.linear_densities = densities;
    k->def.linear_density_count = k->counts.count;
    k->def.linear_density_names = names;
    k->def.colors = colors;
    k->def.color_count = k->colors.count;
    k->def.color_names = names + k->counts.count;
done:
    return status;
}

// What stands in the scene as text.
static HedStatus complete_def(HedSceneDraft* d, HedSceneKnit* k) {
    HedStatus status = HED_OK;
    HedError why;
    if (k->chart.count > 0 && !(k->def.chart = join_lines(d, &k->chart))) {
        return hed_fail_memory(d->error, "chart");
    }
    if (k->count) {
        HedStatus read = hed_yarn_count_parse(k->count, &k->def.linear_density, &why);
        HED_TRY(hed_scene_pass_on(d, hed_node_where(k->node, "count"), read, &why));
    }
    HED_TRY(complete_yarns(d, k));
done:
    return status;
}

static void tell(HedSceneDraft* d, const HedSceneYarns* yarns, const HedFabric* fabric,
                 const HedKnitReport* report) {
    double mass = hed_fabric_mass(fabric);
    bool is_relaxed = yarns->knit.relax.node != NULL;
    double length = report->loop_length * report->loop_count;
    hed_sink_print(d->notes, "knit: %" PRId32 " loops in %" PRId32 " courses, %.4g m of yarn",
                   report->loop_count, report->course_count, length);
    mass = mass > 0.0 ? mass : length * yarns->def.linear_density;
    if (mass > 0.0) {
        hed_sink_print(d->notes, " (%.4g g)", 1e3 * mass);
    }
    hed_sink_print(d->notes, "; %" PRId32 " loops are live\n", report->live_count);
    if (report->gap < 0.0 && !is_relaxed) {
        hed_sink_print(d->notes, "knit: yarns overlap by up to %.2g of their diameter\n",
                       -report->gap / fabric->yarns[0].diameter);
    }
}

// From a pattern, a chart in the scene, or a file.
static HedStatus make_fabric(HedSceneDraft* d, HedSceneKnit* k, HedFabric* fabric,
                             HedKnitReport* report) {
    HedError why;
    const char* place = k->def.pattern ? "pattern" : "chart";
    if (!k->file) {
        place = k->def.is_periodic ? "periodic" : place;
        return hed_scene_pass_on(d, hed_node_where(k->node, place),
                                 hed_knit_create(&k->def, fabric, report, &why), &why);
    }
    if (k->def.pattern || k->def.chart || k->def.is_periodic) {
        place = k->def.is_periodic ? "periodic" : place;
        return hed_place_fail(d->error, hed_node_where(k->node, place), HED_PARSE, NULL,
                              "a knit from a 'file' takes no '%s'", place);
    }
    HedText text = {0};
    HedLocation where = hed_node_where(k->node, "file");
    HedStatus status = hed_scene_read_file(d, k->node, "file", &k->file, &text);
    if (status == HED_OK) {
        HedKnitDef def = k->def;
        def.name = k->file;
        status = hed_knit_file_parse(text.data, &def, fabric, report, &why);
        status = hed_scene_pass_on(d, where, status, &why);
    }
    hed_text_free(&text);
    return status;
}

HedStatus hed_scene_shape_knit(HedSceneDraft* d, HedSceneYarns* yarns) {
    HedStatus status = HED_OK;
    HedSceneKnit* k = &yarns->knit;
    HedFabric fabric = {0};
    HedKnitReport report = {0};
    HED_TRY(complete_def(d, k));
    HED_TRY(make_fabric(d, k, &fabric, &report));
    HED_TRY(hed_scene_relax(d, &k->relax, yarns, &fabric));
    HED_TRY(hed_scene_curl(d, yarns));
    HedVec3 low, high;
    hed_fabric_bounds(&fabric, &low, &high);
    HedPose pose = {k->position, hed_quat_from_vector(k->rotation)};
    HedPose middle = {hed_mul3(-0.5, hed_add3(low, high)), hed_quat_from_vector((HedVec3){0})};
    for (int32_t i = 0; i < fabric.point_count; ++i) {
        fabric.points[i] = hed_pose_apply(middle, fabric.points[i]);
    }
    HED_TRY(hed_scene_take_fabric(d, yarns, &fabric, pose, "knit"));
    tell(d, yarns, &fabric, &report);
done:
    hed_fabric_free(&fabric);
    return status;
}
