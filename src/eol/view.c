// SPDX-License-Identifier: MIT
// Curves of sliding yarns, and quantities along them.
#include "base/alloc.h"
#include "eol/eol.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

// --- made and freed ---

HedStatus hed_eol_view_create(HedEol* eol, const HedNet* net, HedError* error) {
    HedStatus status = HED_OK;
    HedEolView* view = &eol->view;
    HED_TRY(hed_net_copy(net, &view->net, error));
    HED_TRY(hed_skin_create(&view->net, &view->skin, error));
    HED_TRY(hed_eol_view_find_ends(view) ? HED_OK : hed_fail_memory(error, "sliding yarns"));
    int64_t vertices = hed_net_curve_point_count(&view->net, HED_SLIDING_SAMPLES);
    if (vertices > INT32_MAX) {
        return hed_fail(error, HED_UNSUPPORTED, "too many points of curves: %" PRId64, vertices);
    }
    view->vertex_count = (int32_t)vertices;
done:
    return status;
}

void hed_eol_view_free(HedEolView* view) {
    hed_net_free(&view->net);
    hed_free(view->skin.triangles.data);
    hed_free(view->ends.data);
    if (view->team) {
        hed_free(view->team->partial);
        hed_free(view->team);
    }
    *view = (HedEolView){0};
}

// --- segments of yarn ---

// A segment of yarn from a visit to the next one.
typedef struct YarnSegment {
    HedVec3 way;     // m
    double length;   // m
    double material; // m
    HedVec3 rate;    // m/s, of the way
    double fed;      // m/s, of the material
} YarnSegment;

typedef struct Visit {
    HedVec3 x;   // m
    HedVec3 v;   // m/s
    double u;    // m
    double rate; // m/s
} Visit;

static Visit visit_of(const HedEol* eol, int32_t visit) {
    const HedNetVisit* at = &eol->view.net.visits[visit];
    int64_t first = (int64_t)HED_NODE_SIZE * eol->number[at->node];
    Visit found = {.u = eol->q[first + 3 + at->slot], .rate = eol->v[first + 3 + at->slot]};
    memcpy(&found.x, eol->q + first, sizeof found.x);
    memcpy(&found.v, eol->v + first, sizeof found.v);
    return found;
}

static YarnSegment segment_of(const HedEol* eol, int32_t visit) {
    Visit a = visit_of(eol, visit);
    Visit b = visit_of(eol, visit + 1);
    YarnSegment segment = {.way = hed_sub3(b.x, a.x),
                           .rate = hed_sub3(b.v, a.v),
                           .material = b.u - a.u,
                           .fed = b.rate - a.rate};
    segment.length = hed_norm3(segment.way);
    return segment;
}

// Places that have lost their node have no yarn between them.
static double strain_of(const YarnSegment* segment) {
    return segment->material > 0.0 ? segment->length / segment->material - 1.0 : 0.0;
}

void hed_eol_view_strain(const HedEol* eol, double values[2]) {
    double sum = 0.0;
    double largest = 0.0;
    int64_t count = 0;
    for (int32_t y = 0; y < eol->view.net.yarn_count; ++y) {
        const HedNetYarn* yarn = &eol->view.net.yarns[y];
        for (int32_t k = yarn->first; k + 1 < yarn->first + yarn->count; ++k) {
            YarnSegment segment = segment_of(eol, k);
            sum += strain_of(&segment);
            largest = fmax(largest, fabs(strain_of(&segment)));
            count += segment.material > 0.0;
        }
    }
    values[0] = count > 0 ? sum / (double)count : 0.0;
    values[1] = largest;
}

// --- curves ---

// Evenly from the first to the last of count + 1 points.
static void straighten(HedVec3* points, int32_t count) {
    for (int32_t k = 1; k < count; ++k) {
        points[k] = hed_lerp3(points[0], points[count], (double)k / count);
    }
}

// A yarn that has slid out of crossings at an end has the points of what it lost in its tail.
static void spread_tails(const HedEol* eol, int32_t yarn, HedVec3* points) {
    const HedNetYarn* y = &eol->view.net.yarns[yarn];
    const int32_t* empty = eol->pullout.empty[yarn];
    int32_t all = (y->count - 1) * HED_SLIDING_SAMPLES;
    int32_t start = empty[0] > 0 ? (empty[0] + 1) * HED_SLIDING_SAMPLES : 0;
    int32_t end = empty[1] > 0 ? (empty[1] + 1) * HED_SLIDING_SAMPLES : 0;
    if (start + end > all) { // it is out
        straighten(points, all);
        return;
    }
    straighten(points, start);
    straighten(points + all - end, end);
}

void hed_eol_view_vertices(const HedEol* eol, const HedVec3* points, HedVec3* vertices) {
    hed_net_curve_points(&eol->view.net, points, HED_SLIDING_SAMPLES, vertices);
    for (int32_t y = 0; eol->pullout.count > 0 && y < eol->view.net.yarn_count; ++y) {
        // Yarns that may come apart have no clasps.
        if (eol->pullout.empty[y][0] + eol->pullout.empty[y][1] > 0) {
            spread_tails(eol, y, vertices);
        }
        for (int32_t k = 0; k + 1 < eol->view.net.yarns[y].count; ++k) {
            vertices += hed_net_piece_points(&eol->view.net, eol->view.net.yarns[y].first + k,
                                             HED_SLIDING_SAMPLES);
        }
        vertices += 1;
    }
}

// Those of the nodes, and between them on a straight line: turning about the axis of a yarn is left
// out.
void hed_eol_view_velocities(const HedEol* eol, HedVec3* velocities) {
    for (int32_t y = 0; y < eol->view.net.yarn_count; ++y) {
        const HedNetYarn* yarn = &eol->view.net.yarns[y];
        int32_t last = yarn->first + yarn->count - 1;
        for (int32_t k = yarn->first; k < last; ++k) {
            HedVec3 from = visit_of(eol, k).v;
            HedVec3 to = visit_of(eol, k + 1).v;
            int32_t count = hed_net_piece_points(&eol->view.net, k, HED_SLIDING_SAMPLES);
            for (int32_t i = 0; i < count; ++i) {
                *velocities++ = hed_lerp3(from, to, (double)i / count);
            }
        }
        *velocities++ = visit_of(eol, last).v;
    }
}

// --- quantities ---

// Mean over the segments at a visit, weighted by their material.
static double mean_at(const HedEol* eol, int32_t visit, double (*of)(const HedEol*, int32_t)) {
    const HedNetYarn* yarn = &eol->view.net.yarns[eol->view.net.visits[visit].yarn];
    double sum = 0.0;
    double weight = 0.0;
    for (int32_t k = visit - 1; k <= visit; ++k) {
        if (k >= yarn->first && k + 1 < yarn->first + yarn->count) {
            double material = segment_of(eol, k).material;
            sum += material * of(eol, k);
            weight += material;
        }
    }
    return weight > 0.0 ? sum / weight : 0.0;
}

static double strain_from(const HedEol* eol, int32_t visit) {
    YarnSegment segment = segment_of(eol, visit);
    return strain_of(&segment);
}

static const HedEolMaterial* material_of(const HedEol* eol, int32_t visit) {
    return &eol->model.materials[eol->view.net.visits[visit].yarn];
}

// N, of stretching alone.
static double tension_from(const HedEol* eol, int32_t visit) {
    double strain = strain_from(eol, visit);
    const HedEolMaterial* m = material_of(eol, visit);
    return (strain > 0.0 ? m->tight : m->slack) * strain;
}

// W/m, of stretching: the coefficient times the square of the rate of strain.
static double damping_from(const HedEol* eol, int32_t visit) {
    YarnSegment p = segment_of(eol, visit);
    if (!(p.material > 0.0)) {
        return 0.0;
    }
    double lengthening = hed_dot3(p.way, p.rate) / p.length;
    double rate = (lengthening - p.length / p.material * p.fed) / p.material;
    return material_of(eol, visit)->stretch_damping * rate * rate;
}

// 1/m, as on rods: twice the tangent of half the turn over the mean length, zero at ends.
static double curvature_at(const HedEol* eol, int32_t visit) {
    const HedNetYarn* yarn = &eol->view.net.yarns[eol->view.net.visits[visit].yarn];
    if (visit == yarn->first || visit + 1 == yarn->first + yarn->count) {
        return 0.0;
    }
    YarnSegment a = segment_of(eol, visit - 1);
    YarnSegment b = segment_of(eol, visit);
    if (!(a.material > 0.0 && b.material > 0.0)) {
        return 0.0;
    }
    double turn =
        hed_norm3(hed_cross3(a.way, b.way)) / (a.length * b.length + hed_dot3(a.way, b.way));
    return 4.0 * turn / (a.length + b.length);
}

// m/s, of the material that passes the node: v - (dx/du) du/dt.
static double speed_at(const HedEol* eol, int32_t visit) {
    const HedNetYarn* yarn = &eol->view.net.yarns[eol->view.net.visits[visit].yarn];
    Visit from = visit_of(eol, visit > yarn->first ? visit - 1 : visit);
    Visit to = visit_of(eol, visit + 1 < yarn->first + yarn->count ? visit + 1 : visit);
    Visit at = visit_of(eol, visit);
    if (!(to.u > from.u)) {
        return hed_norm3(at.v);
    }
    HedVec3 slope = hed_mul3(1.0 / (to.u - from.u), hed_sub3(to.x, from.x));
    return hed_norm3(hed_madd3(at.v, -at.rate, slope));
}

// N/m, of bodies, per length of all yarn that a node stands for.
static double contact_at(const HedEol* eol, const double* push, int32_t visit) {
    int32_t node = eol->view.net.visits[visit].node;
    double length = 0.0;
    for (int slot = 0; slot < 2; ++slot) {
        int32_t own = eol->view.net.nodes[node].visit[slot];
        const HedNetYarn* yarn =
            own >= 0 ? &eol->view.net.yarns[eol->view.net.visits[own].yarn] : NULL;
        for (int32_t k = own - 1; yarn && k <= own; ++k) {
            bool is_there = k >= yarn->first && k + 1 < yarn->first + yarn->count;
            length += is_there ? 0.5 * segment_of(eol, k).material : 0.0;
        }
    }
    return push ? push[node] / length : 0.0;
}

static double value_at(const HedEol* eol, const double* push, HedQuantity quantity, int32_t visit) {
    switch (quantity) {
    case HED_QUANTITY_STRAIN:
        return mean_at(eol, visit, strain_from);
    case HED_QUANTITY_TENSION:
        return mean_at(eol, visit, tension_from);
    case HED_QUANTITY_CURVATURE:
        return curvature_at(eol, visit);
    case HED_QUANTITY_DAMPING:
        return mean_at(eol, visit, damping_from);
    case HED_QUANTITY_CONTACT:
        return contact_at(eol, push, visit);
    default:
        return speed_at(eol, visit);
    }
}

void hed_eol_view_quantity(const HedEol* eol, HedQuantity quantity, const double* push,
                           double* values) {
    for (int32_t y = 0; y < eol->view.net.yarn_count; ++y) {
        const HedNetYarn* yarn = &eol->view.net.yarns[y];
        int32_t last = yarn->first + yarn->count - 1;
        double from = value_at(eol, push, quantity, yarn->first);
        for (int32_t k = yarn->first; k < last; ++k) {
            double to = value_at(eol, push, quantity, k + 1);
            int32_t count = hed_net_piece_points(&eol->view.net, k, HED_SLIDING_SAMPLES);
            for (int32_t i = 0; i < count; ++i) {
                *values++ = from + (to - from) * i / count;
            }
            from = to;
        }
        *values++ = from;
    }
}
