// SPDX-License-Identifier: MIT
// Sheets that already pass through each other: forces that draw them apart.
//
// Where sheets intersect, they do so along lines. What shortens these lines undoes the
// intersection, whichever side anything came from (Volino and Magnenat-Thalmann, 2006). An edge
// with direction E passes through a triangle with normal N; each triangle on the edge meets that
// one along a line that leaves the edge in direction R. Moving the edge by d, against the triangle,
// moves the place where it passes through by d - E (N.d)/(N.E), and so shortens the lines by G.d
// with
//   G = sum of (R - N (R.E)/(N.E)).
// Each such place becomes two springs that pull the ends of the edge along G.
#include "contact/self.h"

#include "base/alloc.h"
#include "geom/closest.h"
#include "geom/crossing.h"
#include "math/vec3.h"

#include <string.h>

// Of a direction that is to be trusted, the sine of the least angle.
static const double LEAST_SINE = 0.05;

static HedVec3 unit_or_zero(HedVec3 v) {
    double size = hed_norm3(v);
    return size > 0.0 ? hed_mul3(1.0 / size, v) : v;
}

static HedVec3 area_normal(const HedVec3 corner[3]) {
    return hed_cross3(hed_sub3(corner[1], corner[0]), hed_sub3(corner[2], corner[0]));
}

// G's part of one triangle on the edge, whose third point is opposite.
static HedVec3 pull_of_side(HedVec3 along, HedVec3 normal, HedVec3 opposite) {
    HedVec3 inward = hed_madd3(opposite, -hed_dot3(opposite, along), along);
    HedVec3 line = hed_cross3(normal, hed_cross3(along, inward));
    double size = hed_norm3(line);
    if (!(size > LEAST_SINE * hed_norm3(inward))) {
        return (HedVec3){0}; // the two triangles are nearly in one plane
    }
    line = hed_mul3((hed_dot3(line, inward) < 0.0 ? -1.0 : 1.0) / size, line);
    double lean = hed_dot3(normal, along);
    lean = lean < 0.0 ? fmin(lean, -LEAST_SINE) : fmax(lean, LEAST_SINE);
    return hed_madd3(line, -hed_dot3(line, along) / lean, normal);
}

// A place where an edge passes through a triangle.
typedef struct Pierced {
    int32_t edge;
    int32_t triangle;
    double share;     // along the edge
    double weight[3]; // in the triangle
    HedVec3 pull;     // G
} Pierced;

static void locate(const HedSelf* self, const HedVec3* x, Pierced* p) {
    const HedMeshEdge* edge = &self->topology.edges[p->edge];
    const int32_t* t = self->triangles + 3 * (int64_t)p->triangle;
    HedVec3 corner[3] = {x[t[0]], x[t[1]], x[t[2]]};
    HedVec3 normal = unit_or_zero(area_normal(corner));
    double from = hed_dot3(normal, hed_sub3(x[edge->a], corner[0]));
    double to = hed_dot3(normal, hed_sub3(x[edge->b], corner[0]));
    p->share = from != to ? fmin(1.0, fmax(0.0, from / (from - to))) : 0.5;
    HedVec3 place = hed_lerp3(x[edge->a], x[edge->b], p->share);
    HedClosestTriangle nearest = hed_closest_triangle(place, corner[0], corner[1], corner[2]);
    memcpy(p->weight, nearest.weight, sizeof p->weight);
    HedVec3 along = unit_or_zero(hed_sub3(x[edge->b], x[edge->a]));
    p->pull = (HedVec3){0};
    for (int k = 0; k < edge->triangle_count && k < 2; ++k) {
        HedVec3 opposite = hed_sub3(x[edge->opposite[k]], place);
        p->pull = hed_add3(p->pull, pull_of_side(along, normal, opposite));
    }
}

// Springs that are as long as the pull is sure of its direction, at most the thickness.
static HedStatus add_springs(HedSelf* self, const HedVec3* x, const Pierced* p, double stiffness,
                             HedError* error) {
    const double sure = 0.2;
    const HedMeshEdge* edge = &self->topology.edges[p->edge];
    const int32_t* t = self->triangles + 3 * (int64_t)p->triangle;
    double size = hed_norm3(p->pull);
    if (!(size > 1e-6)) {
        return HED_OK;
    }
    const int32_t four[4] = {edge->a, t[0], t[1], t[2]};
    double thickness = hed_self_thickness(self, HED_POINT_TRIANGLE, four);
    double way = thickness * size / sqrt(size * size + sure * sure);
    const int32_t end[2] = {edge->a, edge->b};
    const double share[2] = {1.0 - p->share, p->share};
    for (int k = 0; k < 2; ++k) {
        HedSelfContact c = {.meeting = HED_POINT_TRIANGLE,
                            .point = {end[k], t[0], t[1], t[2]},
                            .weight = {1.0, -p->weight[0], -p->weight[1], -p->weight[2]},
                            .normal = hed_mul3(1.0 / size, p->pull)};
        c.offset = hed_dot3(c.normal, hed_self_mix(c.point, c.weight, x)) + way;
        c.stiffness = share[k] * stiffness * self->def.area[end[k]];
        if (c.stiffness > 0.0 && !HED_APPEND(&self->contacts, c)) {
            return hed_fail_memory(error, "intersections");
        }
    }
    return HED_OK;
}

static bool has_point(const int32_t* triangle, int32_t point) {
    return triangle[0] == point || triangle[1] == point || triangle[2] == point;
}

// The edges of one triangle that pass through another, each where the first triangle it belongs to
// comes up.
static HedStatus pull_edges(HedSelf* self, const HedVec3* x, const int32_t pair[2],
                            double stiffness, HedError* error) {
    const int32_t* t = self->triangles + 3 * (int64_t)pair[1];
    const HedVec3 corner[3] = {x[t[0]], x[t[1]], x[t[2]]};
    HedStatus status = HED_OK;
    for (int k = 0; k < 3 && status == HED_OK; ++k) {
        Pierced p = {.edge = self->topology.triangle_edges[3 * (int64_t)pair[0] + k],
                     .triangle = pair[1]};
        const HedMeshEdge* edge = &self->topology.edges[p.edge];
        if (edge->triangle[0] != pair[0] || has_point(t, edge->a) || has_point(t, edge->b) ||
            hed_crossing_segment(x[edge->a], x[edge->b], corner) == HED_CROSSING_NONE) {
            continue;
        }
        locate(self, x, &p);
        status = add_springs(self, x, &p, stiffness, error);
    }
    return status;
}

HedStatus hed_self_untangle(HedSelf* self, const HedVec3* x, const HedCrossings* found,
                            double stiffness, HedError* error) {
    HedStatus status = HED_OK;
    for (int32_t k = 0; k < found->list.count && status == HED_OK; ++k) {
        const HedCrossingPair* pair = &found->list.data[k];
        if (pair->second >= self->def.triangle_count) {
            continue; // curves wait until the sheets they meet are apart
        }
        const int32_t both[3] = {pair->first, pair->second, pair->first};
        for (int m = 0; m < 2 && status == HED_OK; ++m) {
            status = pull_edges(self, x, both + m, stiffness, error);
        }
    }
    bool is_any = self->contacts.count > self->pull_first;
    return status == HED_OK && is_any ? hed_self_index(self, error) : status;
}

double hed_self_pull_work(const HedSelf* self, const HedVec3* from, const HedVec3* to) {
    double work = 0.0;
    for (int32_t k = self->pull_first; k < self->contacts.count; ++k) {
        const HedSelfContact* c = &self->contacts.data[k];
        HedVec3 end = hed_self_mix(c->point, c->weight, to);
        HedVec3 way = hed_sub3(end, hed_self_mix(c->point, c->weight, from));
        double left = fmax(0.0, c->offset - hed_dot3(c->normal, end));
        work += c->stiffness * left * hed_dot3(c->normal, way);
    }
    return work;
}
