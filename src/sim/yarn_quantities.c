// SPDX-License-Identifier: MIT
// What can be seen on yarns beside their shape.
#include "base/alloc.h"
#include "sim/reader.h"

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

// m, of yarn that a point stands for; 0 for copies.
static double length_at(const HedSim* sim, const HedCurve* strand, int32_t point) {
    return sim->area.data[point] / (2.0 * strand->radius);
}

// W of the damping of motion that is not rigid, per point of the simulation; NULL: there is none.
static HedStatus find_nonrigid(const HedSim* sim, double** power, HedError* error) {
    *power = NULL;
    if (!sim->yarn_dynamics->has_regions) {
        return HED_OK;
    }
    *power = HED_NEW_ARRAY(double, sim->x.count);
    if (!*power) {
        return hed_fail_memory(error, "damping of yarns");
    }
    HedSimReader reader;
    HedStatus status = hed_reader_open(sim, &reader, error);
    if (status == HED_OK) {
        status = hed_sim_regions_power(reader.sim, *power, error);
    }
    hed_reader_close(&reader);
    if (status != HED_OK) {
        hed_free(*power);
        *power = NULL;
    }
    return status;
}

// W/m, of stretching, bending and motion that is not rigid.
static HedStatus find_damping(const HedSim* sim, const HedCloth* yarns, double* at,
                              HedError* error) {
    double* power = NULL;
    HedStatus status = find_nonrigid(sim, &power, error);
    if (status != HED_OK) {
        return status;
    }
    hed_sim_find_damping(sim, yarns, at);
    for (int32_t c = 0; c < yarns->curve_count; ++c) {
        const HedCurve* strand = &sim->strand_list.data[yarns->first_curve + c];
        for (int32_t i = strand->first; i < strand->first + strand->count; ++i) {
            double length = length_at(sim, strand, i);
            double* here = &at[i - yarns->first_point];
            *here = length > 0.0 ? *here * 2.0 * strand->radius : 0.0;
            *here += power && length > 0.0 ? power[i] / length : 0.0;
        }
    }
    hed_free(power);
    return HED_OK;
}

HedStatus hed_yarns_find_quantity(const HedSim* sim, const HedCloth* yarns, HedQuantity quantity,
                                  double* at, HedError* error) {
    if (quantity == HED_QUANTITY_DAMPING) {
        return find_damping(sim, yarns, at, error);
    }
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
                here[k] = sim->contact_force[i] / length_at(sim, strand, i);
            }
        }
    }
    return HED_OK;
}

// Mean of what the segments at a vertex have, weighted by their rest lengths.
static double mean_at(const HedSim* sim, int32_t y, int32_t vertex,
                      double (*of)(const HedSim*, int32_t, int32_t)) {
    const HedSplines* splines = &sim->splines->splines;
    const HedSpline* yarn = &splines->yarn[y];
    int32_t n = yarn->segment_count;
    double sum = 0.0;
    double rest = 0.0;
    for (int32_t k = vertex - 1; k <= vertex; ++k) {
        bool is_round = yarn->def.is_closed || yarn->def.goes_on;
        int32_t segment = is_round ? (k + n) % n : k;
        if (segment >= 0 && segment < n) {
            double length = splines->length[yarn->first_segment + segment];
            sum += length * of(sim, y, segment);
            rest += length;
        }
    }
    return sum / rest;
}

static double strain_of(const HedSim* sim, int32_t y, int32_t segment) {
    return hed_splines_strain(&sim->splines->splines, y, segment, sim->x.data);
}

// W/m
static double damping_of(const HedSim* sim, int32_t y, int32_t segment) {
    const HedSplines* splines = &sim->splines->splines;
    int32_t index = splines->yarn[y].first_segment + segment;
    return hed_splines_power(splines, index, sim->x.data, sim->v.data) / splines->length[index];
}

static double spline_quantity(const HedSim* sim, const HedCloth* yarns, HedQuantity quantity,
                              int32_t y, int32_t vertex) {
    switch (quantity) {
    case HED_QUANTITY_STRAIN:
        return mean_at(sim, y, vertex, strain_of);
    case HED_QUANTITY_TENSION:
        return yarns->yarn.stretch * mean_at(sim, y, vertex, strain_of);
    case HED_QUANTITY_CURVATURE:
        return hed_splines_curvature(&sim->splines->splines, y, vertex, sim->x.data);
    case HED_QUANTITY_DAMPING:
        return mean_at(sim, y, vertex, damping_of);
    default:
        return 0.0;
    }
}

// What points have, per length of what they stand for, as a mean at a vertex.
static double mix_per_length(const HedSim* sim, const HedCurve* strand, const HedSplineStencil* at,
                             const double* of_point) {
    double sum = 0.0;
    for (int m = 0; m < 4; ++m) {
        sum += at->weight[m] * of_point[at->point[m]] / length_at(sim, strand, at->point[m]);
    }
    return sum;
}

HedStatus hed_splines_find_quantity(const HedSim* sim, const HedCloth* yarns, HedQuantity quantity,
                                    double* values, HedError* error) {
    double* power = NULL;
    HedStatus status = HED_OK;
    if (quantity == HED_QUANTITY_DAMPING) {
        status = find_nonrigid(sim, &power, error);
    }
    const double* of_point = quantity == HED_QUANTITY_CONTACT ? sim->contact_force : power;
    int32_t vertex = 0;
    for (int32_t c = 0; c < yarns->curve_count && status == HED_OK; ++c) {
        const HedCurve* strand = &sim->strand_list.data[yarns->first_curve + c];
        int32_t y = hed_sim_splines_find(sim, strand->first);
        int32_t count = hed_strand_vertex_count(sim, yarns->first_curve + c, HED_YARN_SPLINE);
        for (int32_t k = 0; k < count; ++k, ++vertex) {
            values[vertex] = spline_quantity(sim, yarns, quantity, y, k);
            if (quantity == HED_QUANTITY_SPEED) {
                values[vertex] = hed_norm3(hed_cloth_mix(yarns, vertex, sim->v.data));
            } else if (of_point) {
                values[vertex] += mix_per_length(sim, strand, &yarns->knot[vertex], of_point);
            }
        }
    }
    hed_free(power);
    return status;
}
