// SPDX-License-Identifier: MIT
// Yarns as control points of Catmull-Rom curves, with directions that do not turn about them.
#include "base/alloc.h"
#include "math/vec3.h"
#include "render/color.h"
#include "render/sampler.h"
#include "render/shape.h"

static void set_point(HedRenderShape* shape, int32_t at, HedVec3 p, double radius) {
    float* point = shape->points[at];
    point[0] = (float)p.x;
    point[1] = (float)p.y;
    point[2] = (float)p.z;
    point[3] = (float)radius;
}

static HedVec3 point_at(const HedRenderShape* shape, int32_t at) {
    const float* p = shape->points[at];
    return (HedVec3){(double)p[0], (double)p[1], (double)p[2]};
}

static HedVec3 tangent_at(const HedRenderShape* shape, int32_t at, HedVec3 before) {
    return hed_unit3(hed_sub3(point_at(shape, at + 1), point_at(shape, at - 1)), before);
}

// The mirror image of v that takes a to b; twice of it is the rotation of least turning (Wang and
// others 2008, "double reflection").
static HedVec3 reflect(HedVec3 v, HedVec3 a, HedVec3 b) {
    HedVec3 d = hed_sub3(b, a);
    double square = hed_dot3(d, d);
    return square > 0.0 ? hed_madd3(v, -2.0 * hed_dot3(v, d) / square, d) : v;
}

// Carries a direction along the points first to last without turning it about the curve. at - 1 and
// at + 1 must exist for all of them.
static void carry_frame(HedRenderShape* shape, int32_t first, int32_t last) {
    HedVec3 tangent = tangent_at(shape, first, hed_vec3(1.0, 0.0, 0.0));
    HedVec3 across = hed_perpendicular3(tangent);
    double length = 0.0;
    for (int32_t i = first; i <= last; ++i) {
        if (i > first) {
            HedVec3 a = point_at(shape, i - 1);
            HedVec3 b = point_at(shape, i);
            HedVec3 next = tangent_at(shape, i, tangent);
            length += hed_distance3(a, b);
            across = reflect(across, a, b);
            across = reflect(across, reflect(tangent, a, b), next);
            tangent = next;
            across = hed_madd3(across, -hed_dot3(across, tangent), tangent);
            across = hed_unit3(across, hed_perpendicular3(tangent));
        }
        float* frame = shape->frames[i];
        frame[0] = (float)across.x;
        frame[1] = (float)across.y;
        frame[2] = (float)across.z;
        frame[3] = (float)length;
    }
}

// Control points of one yarn from `at` on; returns the place after them.
static int32_t lay_points(HedRenderShape* shape, const HedCurve* curve, const HedVec3* p,
                          HedVec3 origin, int32_t at) {
    int32_t n = curve->count;
    for (int32_t i = 0; i < n; ++i) {
        set_point(shape, at + 1 + i, hed_sub3(p[i], origin), curve->radius);
    }
    if (curve->is_closed) {
        set_point(shape, at, hed_sub3(p[n - 1], origin), curve->radius);
        set_point(shape, at + n + 1, hed_sub3(p[0], origin), curve->radius);
        set_point(shape, at + n + 2, hed_sub3(p[1], origin), curve->radius);
        carry_frame(shape, at + 1, at + n + 1);
        return at + n + 3;
    }
    HedVec3 before = hed_sub3(hed_mul3(2.0, p[0]), p[1]);
    HedVec3 after = hed_sub3(hed_mul3(2.0, p[n - 1]), p[n - 2]);
    set_point(shape, at, hed_sub3(before, origin), curve->radius);
    set_point(shape, at + n + 1, hed_sub3(after, origin), curve->radius);
    carry_frame(shape, at + 1, at + n);
    return at + n + 2;
}

static void lay_values(HedRenderShape* shape, const HedCurve* curve, const float* values,
                       int32_t at) {
    int32_t used = curve->count + (curve->is_closed ? 1 : 0);
    for (int32_t i = 0; i < used; ++i) {
        shape->values[at + 1 + i] = values[curve->first + i % curve->count];
    }
}

static void lay_segments(HedRenderShape* shape, const HedCurve* curve, int32_t strand, int32_t at) {
    int32_t count = hed_curve_segment_count(curve);
    for (int32_t i = 0; i < count; ++i) {
        shape->first[shape->segment_count] = (uint32_t)(at + i);
        shape->strand_of[shape->segment_count] = strand;
        shape->segment_count += 1;
    }
    if (!curve->is_closed) {
        for (int end = 0; end < 2; ++end) {
            int32_t k = shape->cap_count++;
            int32_t from = at + (end ? curve->count : 1);
            for (int c = 0; c < 4; ++c) {
                shape->caps[k][c] = shape->points[from][c];
            }
            shape->cap_segment[k] = (uint32_t)(shape->segment_count - (end ? 1 : count));
        }
    }
}

static HedStatus check_curve(const HedSeriesObject* object, int32_t index, HedError* error) {
    const HedCurve* c = &object->curves[index];
    if (c->first < 0 || c->count < (c->is_closed ? 3 : 2) || c->first > object->vertex_count ||
        c->count > object->vertex_count - c->first) {
        return hed_fail(error, HED_INVALID,
                        "%s: yarn %d: %d points from %d on of %d are not a yarn", object->name,
                        index, c->count, c->first, object->vertex_count);
    }
    if (!(c->radius > 0.0) || !isfinite(c->radius)) {
        return hed_fail(error, HED_INVALID, "%s: yarn %d: the radius must be positive, got %g",
                        object->name, index, c->radius);
    }
    return HED_OK;
}

HedStatus hed_yarn_dynamics_build(const HedSeriesObject* object, const HedVec3* positions,
                                  const float* values, HedVec3 origin, HedRenderShape* shape,
                                  HedError* error) {
    int64_t points = 0;
    int64_t segments = 0;
    for (int32_t i = 0; i < object->curve_count; ++i) {
        HedStatus status = check_curve(object, i, error);
        if (status != HED_OK) {
            return status;
        }
        points += (int64_t)object->curves[i].count + 3;
        segments += hed_curve_segment_count(&object->curves[i]);
    }
    if (points > INT32_MAX) {
        return hed_fail(error, HED_INVALID, "%s: more than %d points", object->name, INT32_MAX);
    }
    int64_t caps = 2 * (int64_t)object->curve_count;
    shape->points = hed_alloc_array(points, sizeof *shape->points);
    shape->frames = hed_alloc_array(points, sizeof *shape->frames);
    shape->first = HED_NEW_ARRAY(uint32_t, segments);
    shape->strand_of = HED_NEW_ARRAY(int32_t, segments);
    shape->strands = HED_NEW_ARRAY(HedStrand, object->curve_count);
    shape->caps = hed_alloc_array(caps, sizeof *shape->caps);
    shape->cap_segment = HED_NEW_ARRAY(uint32_t, caps);
    shape->values = values ? HED_NEW_ARRAY(float, points) : NULL;
    if (!shape->points || !shape->frames || !shape->first || !shape->strand_of || !shape->strands ||
        !shape->caps || !shape->cap_segment || (values && !shape->values)) {
        return hed_fail_memory(error, object->name);
    }
    int32_t at = 0;
    for (int32_t i = 0; i < object->curve_count; ++i) {
        const HedCurve* curve = &object->curves[i];
        int32_t hex = curve->color >= 0 ? curve->color : hed_color_palette(i);
        shape->strands[i] = (HedStrand){.radius = (float)curve->radius,
                                        .color = {0.0f, 0.0f, 0.0f},
                                        .hash = (uint32_t)hed_mix((uint64_t)i + 1)};
        shape->strands[i].color = hed_color_from_hex(hex);
        int32_t end = lay_points(shape, curve, positions + curve->first, origin, at);
        if (values) {
            lay_values(shape, curve, values, at);
        }
        lay_segments(shape, curve, i, at);
        at = end;
    }
    shape->point_count = at;
    shape->strand_count = object->curve_count;
    return HED_OK;
}

// How far a closed yarn's carried direction has turned when it is back, rad.
static double holonomy(const HedRenderShape* shape, int32_t first, int32_t last) {
    HedVec3 tangent = tangent_at(shape, first, hed_vec3(1.0, 0.0, 0.0));
    const float* f = shape->frames[first];
    const float* l = shape->frames[last];
    HedVec3 x = {(double)f[0], (double)f[1], (double)f[2]};
    HedVec3 end = {(double)l[0], (double)l[1], (double)l[2]};
    return atan2(hed_dot3(end, hed_cross3(tangent, x)), hed_dot3(end, x));
}

void hed_yarn_dynamics_twist(HedRenderShape* shape, const HedSeriesObject* object, double twist,
                             int32_t plies) {
    const double pi = 3.14159265358979323846;
    int32_t at = 0;
    for (int32_t i = 0; i < object->curve_count; ++i) {
        const HedCurve* curve = &object->curves[i];
        double rate = pi * twist / curve->radius;
        if (curve->is_closed) {
            int32_t last = at + 1 + curve->count;
            double length = fmax((double)shape->frames[last][3], 1e-12);
            // Seen from the carried direction the plies must come back to a multiple of a ply's
            // share of the turn, less what that direction has turned itself.
            double share = 2.0 * pi / plies;
            double turned = holonomy(shape, at + 1, last);
            rate = (share * round((rate * length + turned) / share) - turned) / length;
        }
        shape->strands[i].rate = (float)rate;
        at += curve->count + (curve->is_closed ? 3 : 2);
    }
}
