// SPDX-License-Identifier: MIT
#include "cli/stage.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static bool make_room(Stage* stage, int32_t count) {
    size_t n = count > 0 ? (size_t)count : 1;
    stage->objects = calloc(n, sizeof *stage->objects);
    stage->positions = calloc(n, sizeof *stage->positions);
    stage->values = calloc(n, sizeof *stage->values);
    stage->is_ground = calloc(n, sizeof *stage->is_ground);
    if (!stage->objects || !stage->positions || !stage->values || !stage->is_ground) {
        return false;
    }
    for (int32_t i = 0; i < count; ++i) {
        stage->objects[i] = hed_show_object(stage->show, i);
        stage->is_ground[i] = hed_show_is_ground(stage->show, i);
        size_t vertices = (size_t)stage->objects[i].vertex_count + 1;
        stage->positions[i] = calloc(vertices, sizeof **stage->positions);
        stage->values[i] = calloc(vertices, sizeof **stage->values);
        if (!stage->positions[i] || !stage->values[i]) {
            return false;
        }
    }
    return true;
}

int stage_open(Stage* stage, const char* path, const HedShowOptions* options) {
    HedError error = {0};
    *stage = (Stage){.quantity = -1};
    if (hed_show_open(path, options, &stage->show, &error) != HED_OK) {
        return cli_error(&error);
    }
    int32_t count = hed_show_object_count(stage->show);
    if (!make_room(stage, count)) {
        return cli_no_memory();
    }
    stage->picture = (HedPicture){.objects = stage->objects,
                                  .object_count = count,
                                  .positions = (const HedVec3* const*)stage->positions,
                                  .is_ground = stage->is_ground};
    return CLI_GO;
}

void stage_free(Stage* stage) {
    int32_t count = stage->show ? hed_show_object_count(stage->show) : 0;
    for (int32_t i = 0; i < count; ++i) {
        free(stage->positions ? stage->positions[i] : NULL);
        free(stage->values ? stage->values[i] : NULL);
    }
    free(stage->objects);
    free(stage->positions);
    free(stage->values);
    free(stage->is_ground);
    hed_show_close(stage->show);
    *stage = (Stage){.quantity = -1};
}

static int unknown_quantity(const Stage* stage, const char* name) {
    enum { LIMIT = 32 };
    const char* names[LIMIT];
    char list[512] = "";
    int32_t count = hed_show_quantity_count(stage->show);
    count = count < LIMIT ? count : LIMIT;
    size_t used = 0;
    for (int32_t i = 0; i < count; ++i) {
        names[i] = hed_show_quantity(stage->show, i).name;
        int more = snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", names[i]);
        used += more > 0 && (size_t)more < sizeof list - used ? (size_t)more : 0;
    }
    if (count == 0) {
        return cli_fail(CLI_BAD_INPUT, "%s: has no quantities to colour by",
                        hed_show_path(stage->show));
    }
    const char* nearest = cli_nearest(name, names, count);
    if (nearest) {
        return cli_fail(CLI_BAD_INPUT, "unknown quantity '%s'; did you mean '%s'?", name, nearest);
    }
    return cli_fail(CLI_BAD_INPUT, "unknown quantity '%s'; there are %s", name, list);
}

int stage_color_by(Stage* stage, const char* name, const double range[2], int32_t first,
                   int32_t last) {
    HedError error = {0};
    stage->quantity = hed_show_find_quantity(stage->show, name);
    if (stage->quantity < 0) {
        return unknown_quantity(stage, name);
    }
    HedShowQuantity q = hed_show_quantity(stage->show, stage->quantity);
    bool has_unit = q.unit && q.unit[0];
    snprintf(stage->title, sizeof stage->title, "%s%s%s%s", q.name, has_unit ? " (" : "",
             has_unit ? q.unit : "", has_unit ? ")" : "");
    stage->picture.values = (const float* const*)stage->values;
    stage->picture.is_signed = q.is_signed;
    if (isfinite(range[0])) {
        stage->picture.range[0] = (float)range[0];
        stage->picture.range[1] = (float)range[1];
    } else if (hed_show_range(stage->show, stage->quantity, first, last, stage->picture.range,
                              &error) != HED_OK) {
        return cli_error(&error);
    }
    return CLI_GO;
}

int stage_load(Stage* stage, int32_t frame, double* time) {
    HedError error = {0};
    HedStatus status = hed_show_frame(stage->show, frame, time, stage->positions, &error);
    if (status == HED_OK && stage->quantity >= 0) {
        status = hed_show_values(stage->show, frame, stage->quantity, stage->values, &error);
    }
    return status == HED_OK ? CLI_GO : cli_error(&error);
}
