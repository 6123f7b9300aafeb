// SPDX-License-Identifier: MIT
// What can be seen on yarns beside their shape.
#include "sim/internal.h"

typedef struct Segment {
    int32_t a, b;  // points
    double rest;   // m
    double length; // m
} Segment;

static Segment segment_of(const HedSim* sim, const HedCurve* strand, int32_t k) {
    Segment s = {.a = strand->first + k, .b = strand->first + (k + 1) % strand->count};
    s.rest = hed_distance3(sim->rest.data[s.a], sim->rest.data[s.b]);
    s.length = hed_distance3(sim->x.data[s.a], sim->x.data[s.b]);
    return s;
}

// Mean over the segments at each vertex, weighted by their rest lengths.
static void find_strain(const HedSim* sim, const HedCurve* strand, double scale, double* at) {
    int32_t count = hed_curve_segment_count(strand);
    for (int32_t k = 0; k < strand->count; ++k) {
        bool has_before = k > 0 || strand->is_closed;
        bool has_after = k < count;
        double change = 0.0;
        double rest = 0.0;
        if (has_before) {
            Segment s = segment_of(sim, strand, (k + strand->count - 1) % strand->count);
            change += s.length - s.rest;
            rest += s.rest;
        }
        if (has_after) {
            Segment s = segment_of(sim, strand, k);
            change += s.length - s.rest;
            rest += s.rest;
        }
        at[k] = scale * change / rest;
    }
}

// 1/m: twice the tangent of half the turn over the mean length, zero at free ends.
static void find_curvature(const HedSim* sim, const HedCurve* strand, double* at) {
    for (int32_t k = 0; k < strand->count; ++k) {
        bool is_inside = strand->is_closed || (k > 0 && k + 1 < strand->count);
        if (!is_inside) {
            continue;
        }
        const HedVec3* x = sim->x.data + strand->first;
        HedVec3 behind = hed_sub3(x[k], x[(k + strand->count - 1) % strand->count]);
        HedVec3 ahead = hed_sub3(x[(k + 1) % strand->count], x[k]);
        double product = hed_norm3(behind) * hed_norm3(ahead);
        double turn = hed_norm3(hed_cross3(behind, ahead)) / (product + hed_dot3(behind, ahead));
        at[k] = 4.0 * turn / (hed_norm3(behind) + hed_norm3(ahead));
    }
}

void hed_yarns_find_quantity(const HedSim* sim, const HedCloth* yarns, HedQuantity quantity,
                             double* at) {
    for (int32_t c = 0; c < yarns->curve_count; ++c) {
        const HedCurve* strand = &sim->strand_list.data[yarns->first_curve + c];
        double* here = at + strand->first - yarns->first_point;
        if (quantity == HED_QUANTITY_STRAIN) {
            find_strain(sim, strand, 1.0, here);
        } else if (quantity == HED_QUANTITY_TENSION) {
            find_strain(sim, strand, yarns->yarn.stretch, here);
        } else if (quantity == HED_QUANTITY_CURVATURE) {
            find_curvature(sim, strand, here);
        }
        for (int32_t k = 0; k < strand->count; ++k) {
            int32_t i = strand->first + k;
            if (quantity == HED_QUANTITY_SPEED) {
                here[k] = hed_norm3(sim->v.data[i]);
            } else if (quantity == HED_QUANTITY_CONTACT && sim->contact_force) {
                // A point stands for the length area / (2 r).
                here[k] = sim->contact_force[i] * 2.0 * strand->radius / sim->area.data[i];
            }
        }
    }
}

// Mean of the segments at each vertex, weighted by their rest lengths.
static double strain_at(const HedSplines* splines, int32_t y, int32_t vertex, const HedVec3* x) {
    const HedSpline* yarn = &splines->yarn[y];
    int32_t n = yarn->segment_count;
    double change = 0.0;
    double rest = 0.0;
    for (int32_t k = vertex - 1; k <= vertex; ++k) {
        bool is_round = yarn->def.is_closed || yarn->def.goes_on;
        int32_t segment = is_round ? (k + n) % n : k;
        if (segment >= 0 && segment < n) {
            double length = splines->length[yarn->first_segment + segment];
            change += length * hed_splines_strain(splines, y, segment, x);
            rest += length;
        }
    }
    return change / rest;
}

static double spline_quantity(const HedSim* sim, const HedCloth* yarns, HedQuantity quantity,
                              int32_t y, int32_t vertex) {
    const HedSplines* splines = &sim->splines->splines;
    switch (quantity) {
    case HED_QUANTITY_STRAIN:
        return strain_at(splines, y, vertex, sim->x.data);
    case HED_QUANTITY_TENSION:
        return yarns->yarn.stretch * strain_at(splines, y, vertex, sim->x.data);
    case HED_QUANTITY_CURVATURE:
        return hed_splines_curvature(splines, y, vertex, sim->x.data);
    default:
        return 0.0;
    }
}

void hed_splines_find_quantity(const HedSim* sim, const HedCloth* yarns, HedQuantity quantity,
                               double* values) {
    int32_t vertex = 0;
    for (int32_t c = 0; c < yarns->curve_count; ++c) {
        const HedCurve* strand = &sim->strand_list.data[yarns->first_curve + c];
        int32_t y = hed_sim_splines_find(sim, strand->first);
        int32_t count = hed_strand_vertex_count(sim, yarns->first_curve + c, HED_YARN_SPLINE);
        for (int32_t k = 0; k < count; ++k, ++vertex) {
            values[vertex] = spline_quantity(sim, yarns, quantity, y, k);
            if (quantity == HED_QUANTITY_SPEED) {
                values[vertex] = hed_norm3(hed_cloth_mix(yarns, vertex, sim->v.data));
            } else if (quantity == HED_QUANTITY_CONTACT && sim->contact_force) {
                const HedSplineStencil* at = &yarns->knot[vertex];
                for (int m = 0; m < 4; ++m) { // force per length: a point stands for area / (2 r)
                    double length = sim->area.data[at->point[m]] / (2.0 * strand->radius);
                    values[vertex] += at->weight[m] * sim->contact_force[at->point[m]] / length;
                }
            }
        }
    }
}
