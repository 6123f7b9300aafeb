// SPDX-License-Identifier: MIT
// The public comparison of two frames of yarns: by the motion between them, and where that proves
// nothing by linking integrals.
#include "contact/yarn_ccd.h"
#include "contact/yarn_inner.h"
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
    HedTeam team;
} Bundle;

static void bundle_free(Bundle* b) {
    for (int f = 0; f < 2; ++f) {
        hed_free(b->x[f]);
    }
    hed_free(b->segments);
    hed_free(b->rest_length);
    hed_free(b->curves);
    hed_free(b->shapes);
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
    bool ok = b->segments && b->rest_length && b->curves && b->shapes;
    for (int f = 0; f < 2; ++f) {
        b->x[f] = HED_NEW_ARRAY(HedVec3, points);
        ok = ok && b->x[f];
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

// First of the two proofs; where it fails, all curves that meet.
static HedStatus compare_motion(const Bundle* b, HedLinking* linking, HedYarnMeetings* meetings,
                                HedError* error) {
    HedStatus status = HED_OK;
    HedYarnContact contact = {0};
    HedYarnMeeting meeting;
    HedYarnContactDef def = hed_yarn_contact_def_default();
    def.point_count = b->point_count;
    def.segments = b->segments;
    def.rest_length = b->rest_length;
    def.segment_count = b->segment_count;
    def.curves = b->curves;
    def.curve_count = b->curve_count;
    def.quadrature = 3;
    def.contact_free = 0.0;
    def.team = &b->team;
    HED_TRY(hed_yarn_contact_create(&contact, &def, error));
    HED_TRY(hed_yarn_ccd(&contact, b->x[0], b->x[1], &meeting, error));
    linking->is_met = meeting.is_found;
    if (meeting.is_found) {
        linking->met_time = meeting.time;
        linking->met[0] = contact.curve_of[meeting.segment[0]];
        linking->met[1] = contact.curve_of[meeting.segment[1]];
        HED_TRY(hed_yarn_list_meetings(&contact, meetings, error));
    }
done:
    hed_yarn_contact_free(&contact);
    return status;
}

// The polyline of a curve: with chords where it has to be the curve's own topology, else through
// its vertices.
static HedPolyline polyline_of(const Bundle* b, int32_t curve, int frame, HedVec3* knots) {
    const HedYarnCurve* yarn = &b->curves[curve];
    int chords = yarn->is_closed ? CHORDS : 1;
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

static int32_t knot_count(const HedYarnCurve* yarn) {
    return yarn->segment_count * (yarn->is_closed ? CHORDS : 1) + 1;
}

// All curves as polylines with trees, in both frames.
typedef struct Forest {
    HedPolylineTree* trees[2];
    HedPolylineNode* nodes;
    HedVec3* knots;
} Forest;

static void forest_free(Forest* f) {
    hed_free(f->trees[0]);
    hed_free(f->trees[1]);
    hed_free(f->nodes);
    hed_free(f->knots);
}

static HedStatus forest_make(const Bundle* b, Forest* f, HedError* error) {
    int64_t knots = 0, nodes = 0;
    for (int32_t c = 0; c < b->curve_count; ++c) {
        knots += knot_count(&b->curves[c]);
        nodes += hed_polyline_tree_size(knot_count(&b->curves[c]));
    }
    f->knots = HED_NEW_ARRAY(HedVec3, 2 * knots);
    f->nodes = HED_NEW_ARRAY(HedPolylineNode, 2 * nodes);
    f->trees[0] = HED_NEW_ARRAY(HedPolylineTree, b->curve_count);
    f->trees[1] = HED_NEW_ARRAY(HedPolylineTree, b->curve_count);
    if (!f->knots || !f->nodes || !f->trees[0] || !f->trees[1]) {
        return hed_fail_memory(error, "comparing yarns");
    }
    HedVec3* knot = f->knots;
    HedPolylineNode* node = f->nodes;
    for (int32_t c = 0; c < b->curve_count; ++c) {
        for (int frame = 0; frame < 2; ++frame) {
            HedPolyline line = polyline_of(b, c, frame, knot);
            f->trees[frame][c] = hed_polyline_tree(line, node);
            knot += line.count;
            node += hed_polyline_tree_size(line.count);
        }
    }
    return HED_OK;
}

// The trees err by about 1e-3, so numbers of closed curves are near whole ones, unless they touch.
static bool is_whole(double value) {
    return fabs(value - rint(value)) < 0.1;
}

static void judge_pair(const Bundle* b, const int32_t pair[2], const double value[2],
                       HedLinking* linking) {
    bool is_proof = b->curves[pair[0]].is_closed && b->curves[pair[1]].is_closed &&
                    is_whole(value[0]) && is_whole(value[1]);
    double jump = is_proof ? fabs(rint(value[1]) - rint(value[0])) : fabs(value[1] - value[0]);
    linking->jump_count += jump >= 0.5;
    if (jump > linking->largest_jump) {
        linking->largest_jump = jump;
        linking->worst[0] = pair[0];
        linking->worst[1] = pair[1];
    }
    if (is_proof && jump > 0.0) {
        linking->verdict = HED_LINKING_CHANGED;
    }
}

// Second proof, and evidence: the integrals of the curves that meet. Those of all others change by
// less than the way of their points says, or not at all.
static HedStatus compare_integrals(const Bundle* b, const HedYarnMeetings* meetings,
                                   HedLinking* linking, HedError* error) {
    HedStatus status = HED_OK;
    Forest forest = {0};
    double(*values)[2] = (double(*)[2])HED_NEW_ARRAY(double, 2 * (int64_t)meetings->count);
    if (!values) {
        HED_TRY(hed_fail_memory(error, "comparing yarns"));
    }
    HED_TRY(forest_make(b, &forest, error));
#pragma omp parallel for schedule(dynamic, 16)                                                     \
    num_threads(hed_team_size(&b->team, INT64_C(10000) * meetings->count))
    for (int32_t k = 0; k < meetings->count; ++k) {
        for (int frame = 0; frame < 2; ++frame) {
            const HedPolylineTree* trees = forest.trees[frame];
            values[k][frame] = hed_gauss_integral_near(&trees[meetings->pairs[k][0]],
                                                       &trees[meetings->pairs[k][1]]);
        }
    }
    linking->verdict = HED_LINKING_UNKNOWN;
    linking->pair_count = meetings->count;
    for (int32_t k = 0; k < meetings->count; ++k) {
        judge_pair(b, meetings->pairs[k], values[k], linking);
    }
done:
    forest_free(&forest);
    hed_free(values);
    return status;
}

HedStatus hed_linking_compare(const HedSeriesObject* objects, int32_t object_count,
                              const HedVec3* const* first, const HedVec3* const* second,
                              HedLinking* linking, HedError* error) {
    HedStatus status = HED_OK;
    Bundle bundle = {.team = {.threads = hed_thread_count(0)}};
    Bundle* b = &bundle;
    HedYarnMeetings meetings = {0};
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
    }
    HED_TRY(compare_motion(b, linking, &meetings, error));
    if (linking->is_met) {
        HED_TRY(compare_integrals(b, &meetings, linking, error));
    }
done:
    hed_free(meetings.pairs);
    bundle_free(b);
    return status;
}
