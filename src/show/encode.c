// SPDX-License-Identifier: MIT
// Geometry and frames as compact bytes: docs/protocol.md says what each of them means.
#include "base/alloc.h"
#include "heddle/render.h"
#include "show/buffer.h"
#include "show/internal.h"

#include <inttypes.h>
#include <string.h>

enum {
    VARINT_LIMIT = 5,   // bytes of a 32-bit number, seven bits each
    VALUE_STEPS = 4094, // from low to high
    VALUE_NONE = 4095,
};

// Fine enough for what is seen, coarse enough for few bytes: a 32nd of the thinnest yarn's radius,
// and not less than 2^16 steps across the first frame, nor more than 2^26.
HedStatus hed_show_find_step(HedShow* show, HedError* error) {
    HedVec3 box[2];
    HedStatus status = hed_show_bounds(show, 0, 0, box, error);
    if (status != HED_OK) {
        return status;
    }
    double diagonal = hed_distance3(box[0], box[1]);
    diagonal = diagonal > 0.0 ? diagonal : 1.0;
    show->step = diagonal / 65536.0;
    for (int32_t i = 0; i < show->object_count && !show->run; ++i) {
        for (int32_t k = 0; k < show->objects[i].curve_count; ++k) {
            double radius = show->objects[i].curves[k].radius;
            show->step = radius > 0.0 ? fmin(show->step, radius / 32.0) : show->step;
        }
    }
    show->step = fmax(show->step, diagonal / 67108864.0);
    return HED_OK;
}

static HedStatus fail_far(const HedShow* show, int32_t frame, int32_t object, HedError* error) {
    return hed_fail(error, HED_UNSUPPORTED,
                    "%s: frame %" PRId32 ": '%s' is farther than %g m from the origin, more than "
                    "2^31 steps of %g m",
                    show->path, frame, show->objects[object].name, show->step * INT32_MAX,
                    show->step);
}

// Rounds positions to whole steps; false if one does not fit.
static bool round_positions(const HedVec3* positions, int32_t count, double step, int32_t* q) {
    const double* x = &positions->x;
    bool fits = true;
    for (int64_t i = 0; i < 3 * (int64_t)count; ++i) {
        double whole = nearbyint(x[i] / step);
        bool ok = fabs(whole) <= (double)INT32_MAX;
        fits = fits && ok;
        q[i] = ok ? (int32_t)whole : 0;
    }
    return fits;
}

static HedStatus fill_slot(HedShow* show, int32_t frame, HedShowSlot* slot, HedError* error) {
    HedStatus status = HED_OK;
    slot->q = slot->q ? slot->q : HED_NEW_ARRAY(int32_t, 3 * show->sent_count);
    slot->poses = slot->poses ? slot->poses : HED_NEW_ARRAY(HedPose, show->body_count);
    if (!slot->q || !slot->poses) {
        return hed_fail_memory(error, show->path);
    }
    HED_TRY(hed_show_frame(show, frame, &slot->time, show->positions, error));
    if (show->run) {
        HED_TRY(hed_run_poses(show->run, hed_show_source(show, frame), slot->poses, error));
    }
    for (int32_t i = 0; i < show->body_count && !show->run; ++i) {
        slot->poses[i] = (HedPose){.rotation = {1.0, 0.0, 0.0, 0.0}}; // vertices are in the world
    }
    int32_t* next = slot->q;
    for (int32_t i = 0; i < show->object_count; ++i) {
        const HedSeriesObject* object = &show->objects[i];
        if (object->kind == HED_OBJECT_BODY) {
            continue;
        }
        if (!round_positions(show->positions[i], object->vertex_count, show->step, next)) {
            return fail_far(show, frame, i, error);
        }
        next += 3 * (int64_t)object->vertex_count;
    }
done:
    return status;
}

HedStatus hed_show_slot(HedShow* show, int32_t frame, const HedShowSlot** out, HedError* error) {
    uint64_t stamp = show->run ? hed_run_frame_stamp(show->run, hed_show_source(show, frame)) : 1;
    HedShowSlot* oldest = &show->slots[0];
    for (int32_t i = 0; i < HED_SHOW_SLOTS; ++i) {
        HedShowSlot* slot = &show->slots[i];
        if (slot->is_used && slot->frame == frame && slot->stamp == stamp && stamp != 0) {
            slot->turn = ++show->turn;
            *out = slot;
            return HED_OK;
        }
        oldest = slot->turn < oldest->turn ? slot : oldest;
    }
    oldest->is_used = false;
    HedStatus status = fill_slot(show, frame, oldest, error);
    if (status == HED_OK) {
        oldest->is_used = true;
        oldest->frame = frame;
        oldest->stamp = stamp;
        oldest->turn = ++show->turn;
        *out = oldest;
    }
    return status;
}

// Zigzag and seven bits a byte. Differences wrap at 32 bits, as the sums of the receiver do.
static inline uint8_t* put_difference(uint8_t* to, int32_t value, int32_t prediction) {
    uint32_t d = (uint32_t)value - (uint32_t)prediction;
    uint32_t z = (d << 1) ^ (0u - (d >> 31));
    while (z >= 0x80) {
        *to++ = (uint8_t)(z | 0x80);
        z >>= 7;
    }
    *to++ = (uint8_t)z;
    return to;
}

// a + b - c, wrapping.
static inline int32_t mix(int32_t a, int32_t b, int32_t c) {
    return (int32_t)((uint32_t)a + (uint32_t)b - (uint32_t)c);
}

// An object's vertices by those of the reference, which moved as the vertex before did.
static uint8_t* put_moved(uint8_t* to, const int32_t* q, const int32_t* r, int32_t count) {
    for (int64_t i = 0; i < 3 && count > 0; ++i) {
        to = put_difference(to, q[i], r[i]);
    }
    for (int64_t i = 3; i < 3 * (int64_t)count; ++i) {
        to = put_difference(to, q[i], mix(r[i], q[i - 3], r[i - 3]));
    }
    return to;
}

// Vertices one after the other: each as the one before it, or, from the `straight`-th on, on the
// line through the two before. `first`: the first coordinates of the frame come from zero.
static uint8_t* put_chain(uint8_t* to, const int32_t* q, int32_t count, int32_t straight,
                          bool is_first) {
    for (int64_t i = 0; i < 3 * (int64_t)count; ++i) {
        int32_t prediction = is_first && i < 3 ? 0 : q[i - 3];
        if (i >= 3 * (int64_t)straight) {
            prediction = mix(q[i - 3], q[i - 3], q[i - 6]);
        }
        to = put_difference(to, q[i], prediction);
    }
    return to;
}

static uint8_t* put_object(uint8_t* to, const HedSeriesObject* object, const int32_t* q,
                           bool is_first) {
    if (object->kind != HED_OBJECT_YARNS) {
        return put_chain(to, q, object->vertex_count, object->vertex_count, is_first);
    }
    for (int32_t i = 0; i < object->curve_count; ++i) {
        const HedCurve* curve = &object->curves[i];
        to = put_chain(to, q + 3 * (int64_t)curve->first, curve->count, 2, is_first && i == 0);
    }
    return to;
}

static void put_positions(const HedShow* show, const HedShowSlot* slot,
                          const HedShowSlot* reference, HedMessage* message) {
    uint8_t* start = hed_message_room(message, 3 * VARINT_LIMIT * show->sent_count);
    uint8_t* to = start;
    int64_t at = 0;
    for (int32_t i = 0; start && i < show->object_count; ++i) {
        const HedSeriesObject* object = &show->objects[i];
        if (object->kind == HED_OBJECT_BODY) {
            continue;
        }
        to = reference ? put_moved(to, slot->q + at, reference->q + at, object->vertex_count)
                       : put_object(to, object, slot->q + at, at == 0);
        at += 3 * (int64_t)object->vertex_count;
    }
    message->out->size += to - start;
}

// Smallest and largest value of what is sent.
static void find_range(const HedShow* show, float range[2]) {
    float low = HUGE_VALF;
    float high = -HUGE_VALF;
    for (int32_t i = 0; i < show->object_count; ++i) {
        bool is_sent = show->objects[i].kind != HED_OBJECT_BODY;
        for (int32_t k = 0; is_sent && k < show->objects[i].vertex_count; ++k) {
            float value = show->values[i][k];
            low = isfinite(value) && value < low ? value : low;
            high = isfinite(value) && value > high ? value : high;
        }
    }
    range[0] = low <= high ? low : 0.0f;
    range[1] = low <= high ? high : 0.0f;
}

static void put_values(const HedShow* show, const float range[2], HedMessage* message) {
    uint8_t* start = hed_message_room(message, 2 * show->sent_count);
    uint8_t* to = start;
    double low = (double)range[0];
    double span = (double)range[1] - low;
    double scale = span > 0.0 ? VALUE_STEPS / span : 0.0;
    int32_t last = 0;
    for (int32_t i = 0; start && i < show->object_count; ++i) {
        bool is_sent = show->objects[i].kind != HED_OBJECT_BODY;
        for (int32_t k = 0; is_sent && k < show->objects[i].vertex_count; ++k) {
            float value = show->values[i][k];
            bool has_value = isfinite(value);
            int32_t whole = has_value ? (int32_t)lrint(((double)value - low) * scale) : VALUE_NONE;
            to = put_difference(to, whole, last);
            last = whole;
        }
    }
    message->out->size += to - start;
}

// What stands before the arrays of a frame message.
typedef struct FrameHead {
    char mark[4];
    int32_t run, frame, reference, quantity;
    float range[2];
    uint32_t position_bytes, value_bytes, body_count;
    double time;
} FrameHead;

_Static_assert(sizeof(FrameHead) == 48, "the head of a frame message has no gaps");

HedStatus hed_show_encode_frame(HedShow* show, int32_t run, HedFrameRequest request, HedBuffer* out,
                                HedError* error) {
    HedStatus status = HED_OK;
    HedMessage message = hed_message_begin(out);
    const HedShowSlot* slot = NULL;
    const HedShowSlot* reference = NULL;
    FrameHead head = {.mark = {'h', 'd', 'f', '1'},
                      .run = run,
                      .frame = request.frame,
                      .reference = request.reference >= 0 ? request.reference : -1,
                      .quantity = request.quantity >= 0 ? request.quantity : -1,
                      .body_count = (uint32_t)show->body_count};
    if (request.reference >= 0) {
        HED_TRY(hed_show_slot(show, request.reference, &reference, error));
    }
    HED_TRY(hed_show_slot(show, request.frame, &slot, error));
    head.time = slot->time;
    if (request.quantity >= 0) {
        HED_TRY(hed_show_values(show, request.frame, request.quantity, show->values, error));
        find_range(show, head.range);
    }
    hed_message_bytes(&message, &head, sizeof head);
    hed_message_bytes(&message, slot->poses, (int64_t)sizeof(HedPose) * show->body_count);
    int64_t start = out->size;
    put_positions(show, slot, reference, &message);
    head.position_bytes = (uint32_t)(out->size - start);
    if (request.quantity >= 0) {
        start = out->size;
        put_values(show, head.range, &message);
        head.value_bytes = (uint32_t)(out->size - start);
    }
    if (!message.failed) {
        memcpy(out->data + message.start, &head, sizeof head);
    }
done:
    return hed_message_end(&message, status, show->path, error);
}

static void put_curves(const HedSeriesObject* object, HedMessage* message) {
    for (int32_t i = 0; i < object->curve_count; ++i) {
        const HedCurve* curve = &object->curves[i];
        float radius = (float)curve->radius;
        hed_message_u32(message, (uint32_t)curve->count);
        hed_message_u32(message, curve->is_closed ? 1 : 0);
        hed_message_bytes(message, &radius, sizeof radius);
        int32_t color = curve->color == HED_COLOR_NONE ? hed_color_palette(i) : curve->color;
        hed_message_u32(message, (uint32_t)color);
    }
}

static void put_body_vertices(HedVec3View vertices, HedMessage* message) {
    int64_t size = 3 * (int64_t)sizeof(float) * vertices.count;
    uint8_t* to = hed_message_room(message, size);
    for (int32_t k = 0; to && k < vertices.count; ++k) {
        HedVec3 p = vertices.data[k];
        const float numbers[3] = {(float)p.x, (float)p.y, (float)p.z};
        memcpy(to + (size_t)k * sizeof numbers, numbers, sizeof numbers);
    }
    message->out->size += to ? size : 0;
}

HedStatus hed_show_encode_geometry(HedShow* show, int32_t run, HedBuffer* out, HedError* error) {
    static const uint32_t KIND[HED_OBJECT_KIND_COUNT] = {
        [HED_OBJECT_SHEET] = 0, [HED_OBJECT_BODY] = 1, [HED_OBJECT_YARNS] = 2};
    HedMessage message = hed_message_begin(out);
    hed_message_bytes(&message, "hdg1", 4);
    hed_message_u32(&message, (uint32_t)run);
    hed_message_u32(&message, (uint32_t)show->object_count);
    for (int32_t i = 0; i < show->object_count; ++i) {
        const HedSeriesObject* object = &show->objects[i];
        hed_message_u32(&message, KIND[object->kind]);
        hed_message_u32(&message, (uint32_t)object->vertex_count);
        hed_message_u32(&message, (uint32_t)object->triangle_count);
        hed_message_u32(&message, (uint32_t)object->curve_count);
        hed_message_bytes(&message, object->triangles,
                          3 * (int64_t)sizeof(int32_t) * object->triangle_count);
        put_curves(object, &message);
        if (object->kind == HED_OBJECT_BODY) {
            HedVec3View placed = {show->still.count > 0 ? show->still.positions[i] : NULL,
                                  object->vertex_count};
            put_body_vertices(show->run ? hed_run_body_vertices(show->run, i) : placed, &message);
        }
    }
    return hed_message_end(&message, HED_OK, show->path, error);
}
