// SPDX-License-Identifier: MIT
// The public comparison of two frames of yarns: by the motion between them, and where that proves
// nothing by linking integrals.
#include "contact/yarn_inner.h"
#include "contact/yarn_sweep.h"
#include "geom/linking.h"
#include "heddle/check.h"

enum { CHORDS = 4 }; // per segment, of the polylines of closed curves

const char* hed_linking_verdict_name(HedLinkingVerdict verdict) {
    static const char* const NAMES[] = {"unchanged", "changed", "unknown"};
    return NAMES[verdict];
}

// All yarns of all objects in one list of points.
typedef struct Bundle {
    HedVec3* x[2];
    HedCubicSegment* segments;
    double* rest_length;
    HedYarnCurve* curves;
    HedCurve* shapes;
    int32_t point_count, segment_count, curve_count;
    HedBox* boxes;     // per curve: all that it passes over on its way
    HedVec3* knots[2]; // polyline of a curve in each frame, for two curves
    HedVec3* other_knots[2];
} Bundle;

static void bundle_free(Bundle* b) {
    for (int f = 0; f < 2; ++f) {
        hed_free(b->x[f]);
        hed_free(b->knots[f]);
        hed_free(b->other_knots[f]);
    }
    hed_free(b->segments);
    hed_free(b->rest_length);
    hed_free(b->curves);
    hed_free(b->shapes);
    hed_free(b->boxes);
}

static HedStatus bundle_allocate(Bundle* b, const HedSeriesObject* objects, int32_t object_count,
                                 HedError* error) {
    int64_t points = 0, curves = 0;
    for (int32_t o = 0; o < object_count; ++o) {
        bool is_yarns = objects[o].kind == HED_OBJECT_YARNS;
        points += is_yarns ? objects[o].vertex_count : 0;
        curves += is_yarns ? objects[o].curve_count : 0;
    }
    if (points > INT32_MAX / 8) {
        return hed_fail(error, HED_INVALID, "%lld points of yarns: too many to compare",
                        (long long)points);
    }
    b->segments = HED_NEW_ARRAY(HedCubicSegment, points);
    b->rest_length = HED_NEW_ARRAY(double, points);
    b->curves = HED_NEW_ARRAY(HedYarnCurve, curves);
    b->shapes = HED_NEW_ARRAY(HedCurve, curves);
    b->boxes = HED_NEW_ARRAY(HedBox, curves);
    bool ok = b->segments && b->rest_length && b->curves && b->shapes && b->boxes;
    for (int f = 0; f < 2; ++f) {
        b->x[f] = HED_NEW_ARRAY(HedVec3, points);
        b->knots[f] = HED_NEW_ARRAY(HedVec3, points * CHORDS + 1);
        b->other_knots[f] = HED_NEW_ARRAY(HedVec3, points * CHORDS + 1);
        ok = ok && b->x[f] && b->knots[f] && b->other_knots[f];
    }
    return ok ? HED_OK : hed_fail_memory(error, "comparing yarns");
}

static HedStatus check_curve(const HedSeriesObject* object, int32_t c, HedError* error) {
    const HedCurve* curve = &object->curves[c];
    if (curve->count < (curve->is_closed ? 3 : 2) || curve->first < 0 ||
        curve->first > object->vertex_count - curve->count) {
        return hed_fail(error, HED_INVALID, "%s: curve %d: %d vertices from %d on, of %d",
                        object->name, c, curve->count, curve->first, object->vertex_count);
    }
    return HED_OK;
}

static void add_curve(Bundle* b, HedCurve curve, int32_t offset) {
    const HedCubicBasis basis = HED_CUBIC_CATMULL_ROM;
    int32_t n = hed_cubic_count(basis, curve.count, curve.is_closed);
    curve.first += offset;
    b->shapes[b->curve_count] = curve;
    // The radius only sets a scale here: nothing pushes, and nothing is contact-free.
    b->curves[b->curve_count++] =
        (HedYarnCurve){basis, b->segment_count, n, curve.is_closed, 1.0, 1.0};
    for (int32_t k = 0; k < n; ++k) {
        b->rest_length[b->segment_count] = 1.0;
        b->segments[b->segment_count++] =
            hed_cubic_segment(basis, curve.first, curve.count, curve.is_closed, k);
    }
}

static HedStatus add_object(Bundle* b, const HedSeriesObject* object, const HedVec3* first,
                            const HedVec3* second, HedError* error) {
    const HedVec3* from[2] = {first, second};
    for (int32_t i = 0; i < object->vertex_count; ++i) {
        for (int f = 0; f < 2; ++f) {
            HedVec3 p = from[f][i];
            if (!hed_is_finite3(p)) {
                return hed_fail(error, HED_INVALID,
                                "%s: vertex %d of the %s frame is not finite (%g, %g, %g)",
                                object->name, i, f == 0 ? "first" : "second", p.x, p.y, p.z);
            }
            b->x[f][b->point_count + i] = p;
        }
    }
    for (int32_t c = 0; c < object->curve_count; ++c) {
        HedStatus status = check_curve(object, c, error);
        if (status != HED_OK) {
            return status;
        }
        add_curve(b, object->curves[c], b->point_count);
    }
    b->point_count += object->vertex_count;
    return HED_OK;
}

// First of the two proofs.
static HedStatus compare_motion(const Bundle* b, HedLinking* linking, HedError* error) {
    HedStatus status = HED_OK;
    HedYarnContact contact = {0};
    HedYarnMeeting meeting;
    HedTeam team = {.threads = hed_thread_count(0)};
    HedYarnContactDef def = hed_yarn_contact_def_default();
    def.point_count = b->point_count;
    def.segments = b->segments;
    def.rest_length = b->rest_length;
    def.segment_count = b->segment_count;
    def.curves = b->curves;
    def.curve_count = b->curve_count;
    def.quadrature = 3;
    def.contact_free = 0.0;
    def.team = &team;
    HED_TRY(hed_yarn_contact_create(&contact, &def, error));
    HED_TRY(hed_yarn_sweep(&contact, b->x[0], b->x[1], &meeting, error));
    linking->is_met = meeting.is_found;
    if (meeting.is_found) {
        linking->met_time = meeting.time;
        linking->met[0] = contact.curve_of[meeting.segment[0]];
        linking->met[1] = contact.curve_of[meeting.segment[1]];
    }
done:
    hed_yarn_contact_free(&contact);
    return status;
}

// The polyline of a curve: with chords where it has to be the curve's own topology, else through
// its vertices.
static HedPolyline polyline_of(const Bundle* b, int32_t curve, int frame, int chords,
                               HedVec3* knots) {
    const HedYarnCurve* yarn = &b->curves[curve];
    int32_t count = 0;
    for (int32_t s = yarn->first_segment; s < yarn->first_segment + yarn->segment_count; ++s) {
        HedVec3 p[4];
        for (int k = 0; k < 4; ++k) {
            p[k] = b->x[frame][b->segments[s].point[k]];
        }
        HedCubic cubic = hed_cubic_make(hed_cubic_matrix(yarn->basis, b->segments[s].place), p);
        for (int k = 0; k < chords; ++k) {
            knots[count++] = hed_cubic_point(&cubic, (double)k / chords);
        }
    }
    const HedCurve* shape = &b->shapes[curve];
    knots[count++] = b->x[frame][shape->first + (shape->is_closed ? 0 : shape->count - 1)];
    return (HedPolyline){knots, count};
}

static HedBox box_of(const Bundle* b, int32_t curve) {
    const HedCurve* shape = &b->shapes[curve];
    HedBox box = hed_box_around(b->x[0] + shape->first, shape->count);
    HedBox end = hed_box_around(b->x[1] + shape->first, shape->count);
    box = (HedBox){hed_min3(box.low, end.low), hed_max3(box.high, end.high)};
    HedVec3 more = hed_mul3(0.25, hed_sub3(box.high, box.low)); // curves bulge out of vertices
    return (HedBox){hed_sub3(box.low, more), hed_add3(box.high, more)};
}

static void compare_pair(const Bundle* b, int32_t i, int32_t j, HedLinking* linking) {
    bool closed = b->curves[i].is_closed && b->curves[j].is_closed;
    int chords = closed ? CHORDS : 1;
    double value[2];
    for (int f = 0; f < 2; ++f) {
        value[f] = hed_gauss_integral(polyline_of(b, i, f, chords, b->knots[f]),
                                      polyline_of(b, j, f, chords, b->other_knots[f]));
    }
    double jump = fabs(value[1] - value[0]);
    ++linking->pair_count;
    linking->jump_count += jump >= 0.5;
    if (jump > linking->largest_jump) {
        linking->largest_jump = jump;
        linking->worst[0] = i;
        linking->worst[1] = j;
    }
    // Rounding of the sum is far below; a value between whole numbers means that curves touch.
    bool is_whole = fabs(value[0] - rint(value[0])) < 0.1 && fabs(value[1] - rint(value[1])) < 0.1;
    if (closed && is_whole && rint(value[0]) != rint(value[1])) {
        linking->verdict = HED_LINKING_CHANGED;
    }
}

HedStatus hed_linking_compare(const HedSeriesObject* objects, int32_t object_count,
                              const HedVec3* const* first, const HedVec3* const* second,
                              HedLinking* linking, HedError* error) {
    HedStatus status = HED_OK;
    Bundle bundle = {0};
    Bundle* b = &bundle;
    *linking = (HedLinking){.verdict = HED_LINKING_UNCHANGED};
    HED_TRY(bundle_allocate(b, objects, object_count, error));
    for (int32_t o = 0; o < object_count; ++o) {
        if (objects[o].kind == HED_OBJECT_YARNS) {
            HED_TRY(add_object(b, &objects[o], first[o], second[o], error));
        }
    }
    linking->curve_count = b->curve_count;
    for (int32_t c = 0; c < b->curve_count; ++c) {
        linking->closed_count += b->curves[c].is_closed;
        b->boxes[c] = box_of(b, c);
    }
    HED_TRY(compare_motion(b, linking, error));
    if (!linking->is_met) {
        goto done;
    }
    linking->verdict = HED_LINKING_UNKNOWN;
    for (int32_t i = 0; i < b->curve_count; ++i) {
        for (int32_t j = i + 1; j < b->curve_count; ++j) {
            if (hed_box_overlaps(b->boxes[i], b->boxes[j])) {
                compare_pair(b, i, j, linking);
            }
        }
    }
done:
    bundle_free(b);
    return status;
}
