// SPDX-License-Identifier: MIT
// What can be read off sliding yarns: energies, curves, quantities.
#include "sim/internal.h"

#include <string.h>

// --- pieces of yarn ---

// A piece of yarn from a visit to the next one.
typedef struct Piece {
    HedVec3 way;     // m
    double length;   // m
    double material; // m
    HedVec3 rate;    // m/s, of the way
    double fed;      // m/s, of the material
} Piece;

typedef struct Visit {
    HedVec3 x;   // m
    HedVec3 v;   // m/s
    double u;    // m
    double rate; // m/s
} Visit;

static Visit visit_of(const HedSlidingSet* set, int32_t visit) {
    const HedNetVisit* at = &set->net.visits[visit];
    int64_t first = (int64_t)HED_NODE_SIZE * set->eol->number[at->node];
    Visit found = {.u = set->eol->q[first + 3 + at->slot],
                   .rate = set->eol->v[first + 3 + at->slot]};
    memcpy(&found.x, set->eol->q + first, sizeof found.x);
    memcpy(&found.v, set->eol->v + first, sizeof found.v);
    return found;
}

static Piece piece_of(const HedSlidingSet* set, int32_t visit) {
    Visit a = visit_of(set, visit);
    Visit b = visit_of(set, visit + 1);
    Piece piece = {.way = hed_sub3(b.x, a.x),
                   .rate = hed_sub3(b.v, a.v),
                   .material = b.u - a.u,
                   .fed = b.rate - a.rate};
    piece.length = hed_norm3(piece.way);
    return piece;
}

// Places that have lost their node have no yarn between them.
static double strain_of(const Piece* piece) {
    return piece->material > 0.0 ? piece->length / piece->material - 1.0 : 0.0;
}

void hed_sliding_strain(const HedSlidingSet* set, double values[2]) {
    double sum = 0.0;
    double largest = 0.0;
    int64_t count = 0;
    for (int32_t y = 0; y < set->net.yarn_count; ++y) {
        const HedNetYarn* yarn = &set->net.yarns[y];
        for (int32_t k = yarn->first; k + 1 < yarn->first + yarn->count; ++k) {
            Piece piece = piece_of(set, k);
            sum += strain_of(&piece);
            largest = fmax(largest, fabs(strain_of(&piece)));
            count += piece.material > 0.0;
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
static void spread_tails(const HedSlidingSet* set, int32_t yarn, HedVec3* points) {
    const HedNetYarn* y = &set->net.yarns[yarn];
    const int32_t* empty = set->eol->pullout.empty[yarn];
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

void hed_sliding_positions(const HedSim* sim, const HedSlidingSet* set, HedVec3* positions) {
    hed_net_curve_points(&set->net, sim->x.data + set->first_point, HED_SLIDING_SAMPLES, positions);
    for (int32_t y = 0; set->eol->pullout.count > 0 && y < set->net.yarn_count; ++y) {
        // Yarns that may come apart have no clasps.
        if (set->eol->pullout.empty[y][0] + set->eol->pullout.empty[y][1] > 0) {
            spread_tails(set, y, positions);
        }
        for (int32_t k = 0; k + 1 < set->net.yarns[y].count; ++k) {
            positions +=
                hed_net_piece_points(&set->net, set->net.yarns[y].first + k, HED_SLIDING_SAMPLES);
        }
        positions += 1;
    }
}

// Those of the nodes, and between them on a straight line: turning about the axis of a yarn is left
// out.
void hed_sliding_velocities(const HedSlidingSet* set, HedVec3* velocities) {
    for (int32_t y = 0; y < set->net.yarn_count; ++y) {
        const HedNetYarn* yarn = &set->net.yarns[y];
        int32_t last = yarn->first + yarn->count - 1;
        for (int32_t k = yarn->first; k < last; ++k) {
            HedVec3 from = visit_of(set, k).v;
            HedVec3 to = visit_of(set, k + 1).v;
            int32_t count = hed_net_piece_points(&set->net, k, HED_SLIDING_SAMPLES);
            for (int32_t i = 0; i < count; ++i) {
                *velocities++ = hed_lerp3(from, to, (double)i / count);
            }
        }
        *velocities++ = visit_of(set, last).v;
    }
}

// --- quantities ---

// Mean over the pieces at a visit, weighted by their material.
static double mean_at(const HedSlidingSet* set, int32_t visit,
                      double (*of)(const HedSlidingSet*, int32_t)) {
    const HedNetYarn* yarn = &set->net.yarns[set->net.visits[visit].yarn];
    double sum = 0.0;
    double weight = 0.0;
    for (int32_t k = visit - 1; k <= visit; ++k) {
        if (k >= yarn->first && k + 1 < yarn->first + yarn->count) {
            double material = piece_of(set, k).material;
            sum += material * of(set, k);
            weight += material;
        }
    }
    return weight > 0.0 ? sum / weight : 0.0;
}

static double strain_from(const HedSlidingSet* set, int32_t visit) {
    Piece piece = piece_of(set, visit);
    return strain_of(&piece);
}

static const HedEolMaterial* material_of(const HedSlidingSet* set, int32_t visit) {
    return &set->eol->model.materials[set->net.visits[visit].yarn];
}

// N, of stretching alone.
static double tension_from(const HedSlidingSet* set, int32_t visit) {
    double strain = strain_from(set, visit);
    const HedEolMaterial* m = material_of(set, visit);
    return (strain > 0.0 ? m->tight : m->slack) * strain;
}

// W/m, of stretching: the coefficient times the square of the rate of strain.
static double damping_from(const HedSlidingSet* set, int32_t visit) {
    Piece p = piece_of(set, visit);
    if (!(p.material > 0.0)) {
        return 0.0;
    }
    double lengthening = hed_dot3(p.way, p.rate) / p.length;
    double rate = (lengthening - p.length / p.material * p.fed) / p.material;
    return material_of(set, visit)->stretch_damping * rate * rate;
}

// 1/m, as on rods: twice the tangent of half the turn over the mean length, zero at ends.
static double curvature_at(const HedSlidingSet* set, int32_t visit) {
    const HedNetYarn* yarn = &set->net.yarns[set->net.visits[visit].yarn];
    if (visit == yarn->first || visit + 1 == yarn->first + yarn->count) {
        return 0.0;
    }
    Piece a = piece_of(set, visit - 1);
    Piece b = piece_of(set, visit);
    if (!(a.material > 0.0 && b.material > 0.0)) {
        return 0.0;
    }
    double turn =
        hed_norm3(hed_cross3(a.way, b.way)) / (a.length * b.length + hed_dot3(a.way, b.way));
    return 4.0 * turn / (a.length + b.length);
}

// m/s, of the material that passes the node: v - (dx/du) du/dt.
static double speed_at(const HedSlidingSet* set, int32_t visit) {
    const HedNetYarn* yarn = &set->net.yarns[set->net.visits[visit].yarn];
    Visit from = visit_of(set, visit > yarn->first ? visit - 1 : visit);
    Visit to = visit_of(set, visit + 1 < yarn->first + yarn->count ? visit + 1 : visit);
    Visit at = visit_of(set, visit);
    if (!(to.u > from.u)) {
        return hed_norm3(at.v);
    }
    HedVec3 slope = hed_mul3(1.0 / (to.u - from.u), hed_sub3(to.x, from.x));
    return hed_norm3(hed_madd3(at.v, -at.rate, slope));
}

// N/m, of bodies, per length of all yarn that a node stands for.
static double contact_at(const HedSim* sim, const HedSlidingSet* set, int32_t visit) {
    int32_t node = set->net.visits[visit].node;
    double length = 0.0;
    for (int slot = 0; slot < 2; ++slot) {
        int32_t own = set->net.nodes[node].visit[slot];
        const HedNetYarn* yarn = own >= 0 ? &set->net.yarns[set->net.visits[own].yarn] : NULL;
        for (int32_t k = own - 1; yarn && k <= own; ++k) {
            bool is_there = k >= yarn->first && k + 1 < yarn->first + yarn->count;
            length += is_there ? 0.5 * piece_of(set, k).material : 0.0;
        }
    }
    return sim->contact_force ? sim->contact_force[set->first_point + node] / length : 0.0;
}

static double value_at(const HedSim* sim, const HedSlidingSet* set, HedQuantity quantity,
                       int32_t visit) {
    switch (quantity) {
    case HED_QUANTITY_STRAIN:
        return mean_at(set, visit, strain_from);
    case HED_QUANTITY_TENSION:
        return mean_at(set, visit, tension_from);
    case HED_QUANTITY_CURVATURE:
        return curvature_at(set, visit);
    case HED_QUANTITY_DAMPING:
        return mean_at(set, visit, damping_from);
    case HED_QUANTITY_CONTACT:
        return contact_at(sim, set, visit);
    default:
        return speed_at(set, visit);
    }
}

void hed_sliding_quantity(const HedSim* sim, const HedSlidingSet* set, HedQuantity quantity,
                          double* values) {
    for (int32_t y = 0; y < set->net.yarn_count; ++y) {
        const HedNetYarn* yarn = &set->net.yarns[y];
        int32_t last = yarn->first + yarn->count - 1;
        double from = value_at(sim, set, quantity, yarn->first);
        for (int32_t k = yarn->first; k < last; ++k) {
            double to = value_at(sim, set, quantity, k + 1);
            int32_t count = hed_net_piece_points(&set->net, k, HED_SLIDING_SAMPLES);
            for (int32_t i = 0; i < count; ++i) {
                *values++ = from + (to - from) * i / count;
            }
            from = to;
        }
        *values++ = from;
    }
}
