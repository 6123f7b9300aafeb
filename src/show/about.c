// SPDX-License-Identifier: MIT
// What a show is, as JSON.
#include "show/buffer.h"
#include "show/internal.h"
#include "show/table.h"

static void put_integer(HedMessage* message, const char* key, int64_t value) {
    hed_json_raw(message, key);
    hed_json_number(message, (double)value);
}

static void put_vector(HedMessage* message, HedVec3 v) {
    hed_json_raw(message, "[");
    hed_json_number(message, v.x);
    hed_json_raw(message, ", ");
    hed_json_number(message, v.y);
    hed_json_raw(message, ", ");
    hed_json_number(message, v.z);
    hed_json_raw(message, "]");
}

static void put_objects(const HedShow* show, HedMessage* message) {
    hed_json_raw(message, ", \"objects\": [");
    for (int32_t i = 0; i < show->object_count; ++i) {
        const HedSeriesObject* object = &show->objects[i];
        hed_json_raw(message, i ? ", {\"name\": " : "{\"name\": ");
        hed_json_string(message, object->name);
        hed_json_raw(message, ", \"kind\": ");
        hed_json_string(message, hed_object_kind_name(object->kind));
        hed_json_raw(message, ", \"ground\": ");
        hed_json_bool(message, show->is_ground[i]);
        put_integer(message, ", \"vertices\": ", object->vertex_count);
        put_integer(message, ", \"triangles\": ", object->triangle_count);
        put_integer(message, ", \"curves\": ", object->curve_count);
        hed_json_raw(message, "}");
    }
    hed_json_raw(message, "]");
}

static void put_quantities(const HedShow* show, HedMessage* message) {
    hed_json_raw(message, ", \"quantities\": [");
    for (int32_t i = 0; i < show->quantity_count; ++i) {
        const HedShowQuantity* quantity = &show->quantities[i];
        hed_json_raw(message, i ? ", {\"name\": " : "{\"name\": ");
        hed_json_string(message, quantity->name);
        hed_json_raw(message, ", \"unit\": ");
        hed_json_string(message, quantity->unit);
        hed_json_raw(message, ", \"signed\": ");
        hed_json_bool(message, quantity->is_signed);
        hed_json_raw(message, ", \"low\": ");
        hed_json_number(message, (double)show->survey.range[i][0]);
        hed_json_raw(message, ", \"high\": ");
        hed_json_number(message, (double)show->survey.range[i][1]);
        hed_json_raw(message, "}");
    }
    hed_json_raw(message, "]");
}

static void put_tables(const HedShow* show, HedMessage* message) {
    bool is_first = true;
    hed_json_raw(message, ", \"tables\": [");
    for (int32_t i = 0; i < HED_TABLE_COUNT; ++i) {
        if (hed_show_has_table(show, (HedTableKind)i)) {
            hed_json_raw(message, is_first ? "" : ", ");
            hed_json_string(message, hed_table_name((HedTableKind)i));
            is_first = false;
        }
    }
    hed_json_raw(message, "]");
}

HedStatus hed_show_encode_about(HedShow* show, int32_t run, HedBuffer* out, HedError* error) {
    HedStatus status = HED_OK;
    HedMessage message = hed_message_begin(out);
    // In this order: a run that has just ended has all its frames.
    bool is_growing = hed_show_is_growing(show);
    int32_t frame_count = hed_show_frame_count(show);
    HED_TRY(hed_show_survey(show, error));
    hed_json_raw(&message, "{\"type\": \"about\"");
    put_integer(&message, ", \"run\": ", run);
    hed_json_raw(&message, ", \"title\": ");
    hed_json_string(&message, show->title);
    hed_json_raw(&message, ", \"path\": ");
    hed_json_string(&message, show->path);
    hed_json_raw(&message, ", \"is_run\": ");
    hed_json_bool(&message, show->run != NULL);
    hed_json_raw(&message, ", \"growing\": ");
    hed_json_bool(&message, is_growing);
    put_integer(&message, ", \"frames\": ", frame_count);
    hed_json_raw(&message, ", \"step\": ");
    hed_json_number(&message, show->step);
    hed_json_raw(&message, ", \"up\": [0, 1, 0], \"box\": [");
    put_vector(&message, show->survey.box.low);
    hed_json_raw(&message, ", ");
    put_vector(&message, show->survey.box.high);
    hed_json_raw(&message, "]");
    put_tables(show, &message);
    put_objects(show, &message);
    put_quantities(show, &message);
    hed_json_raw(&message, "}");
done:
    return hed_message_end(&message, status, show->path, error);
}
