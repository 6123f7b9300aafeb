// SPDX-License-Identifier: MIT
// What a show's frames have in common: the box they fill and the ranges of their values.
#include "base/alloc.h"
#include "show/internal.h"

#include <stdlib.h>
#include <string.h>

enum { VALUE_LIMIT = 65536 }; // of one quantity that are looked at: enough for hundredths

// Frames to look at, and what for.
typedef struct Look {
    int32_t frames[HED_SHOW_SAMPLES];
    int32_t frame_count;
    HedBox* box; // NULL: not asked for
    int32_t first_quantity, quantity_count;
    float* values[HED_SHOW_QUANTITIES]; // of each quantity asked for
    int32_t value_count[HED_SHOW_QUANTITIES];
    int64_t stride; // each how-many-th value is taken
} Look;

static void choose_frames(const HedShow* show, int32_t first, int32_t last, Look* look) {
    int64_t span = (int64_t)last - first;
    look->frame_count = span < HED_SHOW_SAMPLES ? (int32_t)span + 1 : HED_SHOW_SAMPLES;
    for (int32_t k = 0; k < look->frame_count; ++k) {
        look->frames[k] = first + (int32_t)(k > 0 ? span * k / (look->frame_count - 1) : 0);
    }
    look->stride = show->sent_count * look->frame_count / VALUE_LIMIT + 1;
}

// Yarns are as thick as their radius says.
static double thickest(const HedSeriesObject* object) {
    double radius = 0.0;
    for (int32_t i = 0; i < object->curve_count; ++i) {
        radius = fmax(radius, object->curves[i].radius);
    }
    return radius;
}

static HedBox box_of(const HedShow* show, bool with_ground) {
    HedBox box = hed_box_empty();
    for (int32_t i = 0; i < show->object_count; ++i) {
        const HedSeriesObject* object = &show->objects[i];
        if (object->vertex_count == 0 || (show->is_ground[i] && !with_ground)) {
            continue;
        }
        double r = thickest(object);
        HedBox own = hed_box_around(show->positions[i], object->vertex_count);
        box = hed_box_add(box, hed_sub3(own.low, hed_vec3(r, r, r)));
        box = hed_box_add(box, hed_add3(own.high, hed_vec3(r, r, r)));
    }
    return box;
}

static HedStatus add_box(HedShow* show, int32_t frame, HedBox* box, HedError* error) {
    HedStatus status = hed_show_frame(show, frame, NULL, show->positions, error);
    if (status != HED_OK) {
        return status;
    }
    HedBox own = box_of(show, false);
    own = own.low.x <= own.high.x ? own : box_of(show, true);
    if (own.low.x <= own.high.x) {
        *box = hed_box_add(hed_box_add(*box, own.low), own.high);
    }
    return HED_OK;
}

static HedStatus add_values(HedShow* show, int32_t frame, int32_t k, Look* look, HedError* error) {
    HedStatus status = hed_show_values(show, frame, look->first_quantity + k, show->values, error);
    for (int64_t i = 0; status == HED_OK && i < show->vertex_count; i += look->stride) {
        if (isfinite(show->value_room[i]) && look->value_count[k] < VALUE_LIMIT) {
            look->values[k][look->value_count[k]++] = show->value_room[i];
        }
    }
    return status;
}

static HedStatus look_at(HedShow* show, int32_t frame, Look* look, HedError* error) {
    HedStatus status = HED_OK;
    if (look->box) {
        HED_TRY(add_box(show, frame, look->box, error));
    }
    for (int32_t k = 0; k < look->quantity_count; ++k) {
        HED_TRY(add_values(show, frame, k, look, error));
    }
done:
    return status;
}

static void look_free(Look* look) {
    for (int32_t k = 0; k < look->quantity_count; ++k) {
        hed_free(look->values[k]);
    }
}

// A damaged frame does not spoil the rest: it is an error only if none can be read.
static HedStatus look_around(HedShow* show, Look* look, HedError* error) {
    for (int32_t k = 0; k < look->quantity_count; ++k) {
        look->values[k] = HED_NEW_ARRAY(float, VALUE_LIMIT);
        if (!look->values[k]) {
            return hed_fail_memory(error, show->path);
        }
    }
    int32_t seen = 0;
    HedError first = {0};
    for (int32_t i = 0; i < look->frame_count; ++i) {
        HedStatus status =
            look_at(show, look->frames[i], look, seen == 0 && !first.status ? &first : NULL);
        if (status == HED_NO_MEMORY) {
            return hed_fail_memory(error, show->path);
        }
        seen += status == HED_OK;
    }
    return seen > 0 ? HED_OK : hed_fail(error, first.status, "%s", first.message);
}

static int compare_floats(const void* left, const void* right) {
    float a = *(const float*)left;
    float b = *(const float*)right;
    return (a > b) - (a < b);
}

// From the 1st to the 99th hundredth; where these are equal (a few contacts on a wide sheet) the
// whole range; where that is a single value, from zero to it.
static void range_of(float* values, int32_t count, bool is_signed, float range[2]) {
    float low = 0.0f;
    float high = 0.0f;
    if (count > 0) {
        qsort(values, (size_t)count, sizeof *values, compare_floats);
        low = values[(int64_t)(count - 1) * 1 / 100];
        high = values[(int64_t)(count - 1) * 99 / 100];
        if (!(high > low)) {
            low = values[0];
            high = values[count - 1];
        }
    }
    if (is_signed || !(high > low)) {
        float size = fmaxf(fabsf(low), fabsf(high));
        bool is_negative = !is_signed && low < 0.0f;
        size = size > 0.0f ? size : 1.0f;
        low = is_signed || is_negative ? -size : 0.0f;
        high = is_negative ? 0.0f : size;
    }
    range[0] = low;
    range[1] = high;
}

HedStatus hed_show_range(HedShow* show, int32_t quantity, int32_t first, int32_t last,
                         float range[2], HedError* error) {
    HedStatus status = HED_OK;
    Look look = {.first_quantity = quantity};
    range[0] = 0.0f;
    range[1] = 1.0f;
    HED_TRY(hed_show_check_quantity(show, quantity, error));
    HED_TRY(hed_show_check_frames(show, first, last, error));
    look.quantity_count = 1;
    choose_frames(show, first, last, &look);
    HED_TRY(look_around(show, &look, error));
    range_of(look.values[0], look.value_count[0], show->quantities[quantity].is_signed, range);
done:
    look_free(&look);
    return status;
}

static void take_box(HedBox box, HedVec3 out[2]) {
    bool is_empty = !(box.low.x <= box.high.x);
    out[0] = is_empty ? hed_vec3(0.0, 0.0, 0.0) : box.low;
    out[1] = is_empty ? hed_vec3(1.0, 1.0, 1.0) : box.high;
}

HedStatus hed_show_bounds(HedShow* show, int32_t first, int32_t last, HedVec3 box[2],
                          HedError* error) {
    HedStatus status = HED_OK;
    HedBox found = hed_box_empty();
    Look look = {.box = &found};
    take_box(found, box);
    HED_TRY(hed_show_check_frames(show, first, last, error));
    choose_frames(show, first, last, &look);
    HED_TRY(look_around(show, &look, error));
    take_box(found, box);
done:
    return status;
}

HedStatus hed_show_survey(HedShow* show, HedError* error) {
    HedStatus status = HED_OK;
    HedShowSurvey* survey = &show->survey;
    bool is_growing = hed_show_is_growing(show);
    int32_t count = hed_show_frame_count(show);
    int32_t known = survey->frame_count;
    if (known > 0 &&
        (count == known || (is_growing && count > known && count < known + known / 8))) {
        return HED_OK;
    }
    HedBox box = hed_box_empty();
    Look look = {.box = &box, .quantity_count = show->quantity_count};
    HED_TRY(hed_show_check_frames(show, 0, count - 1, error));
    choose_frames(show, 0, count - 1, &look);
    HED_TRY(look_around(show, &look, error));
    for (int32_t k = 0; k < show->quantity_count; ++k) {
        range_of(look.values[k], look.value_count[k], show->quantities[k].is_signed,
                 survey->range[k]);
    }
    HedVec3 corners[2];
    take_box(box, corners);
    survey->box = (HedBox){corners[0], corners[1]};
    survey->frame_count = count;
done:
    look_free(&look);
    return status;
}
