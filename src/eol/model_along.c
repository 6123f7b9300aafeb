// SPDX-License-Identifier: MIT
// Everything that acts along yarns: stretching, bending, torsion, limits of lengths, weight, mass.
#include "eol/model.h"
#include "model/eol/kernel_bend.h"
#include "model/eol/kernel_mass.h"
#include "model/eol/kernel_rate.h"
#include "model/eol/kernel_stretch.h"

#include <string.h>

// Sums of one lane while elements that begin at step k are added: to the places k .. k + 3.
typedef struct Lane {
    double gradient[4][4];
    double own[4][4][4];  // blocks of a place with itself,
    double near[3][4][4]; // with the next one,
    double far[2][4][4];
    double third[4][4];
    double damped; // J, by the elements of one place
} Lane;

// The places from one on that an element may touch: where they are, and were at the start of the
// step (NULL: no damping).
typedef struct Nodes {
    double q[16], start[16];
    int32_t visit;
    bool has_start, has_turn, has_quad;
} Nodes;

// Position, and along the yarn, of so many places from one on.
static inline void load_nodes(const HedYarnPacks* bands, int32_t place, int count, const double* q,
                              double* out) {
    for (int k = 0; k < count; ++k, place += HED_YARN_PACK, out += 4) {
        const double* at = q + (int64_t)HED_NODE_SIZE * bands->node[place];
        out[0] = at[0];
        out[1] = at[1];
        out[2] = at[2];
        out[3] = at[3 + bands->slot[place]];
    }
}

// Adds an element's gradient and matrix over `count` places from the present one on.
HED_ALWAYS_INLINE void add_element(Lane* lane, int count, const double* g, const double* h,
                                   bool has_matrix) {
    int n = 4 * count;
    for (int i = 0; i < n; ++i) {
        lane->gradient[i / 4][i % 4] += g[i];
    }
    if (!has_matrix) {
        return;
    }
    for (int a = 0; a < count; ++a) {
        for (int r = 0; r < 4; ++r) {
            const double* row = h + (4 * a + r) * n;
            for (int c = 0; c < 4; ++c) {
                lane->own[a][r][c] += row[4 * a + c];
                if (a + 1 < count) {
                    lane->near[a][r][c] += row[4 * (a + 1) + c];
                }
                if (a + 2 < count) {
                    lane->far[a][r][c] += row[4 * (a + 2) + c];
                }
                if (a + 3 < count) {
                    lane->third[r][c] += row[4 * (a + 3) + c];
                }
            }
        }
    }
}

// Adds slope times a row of four numbers per place to the gradient, and weight times the row's
// product with itself to the matrix.
HED_ALWAYS_INLINE void add_row(Lane* lane, int count, const double* row, double slope,
                               double weight, bool has_matrix) {
    for (int i = 0; i < 4 * count; ++i) {
        lane->gradient[i / 4][i % 4] += slope * row[i];
    }
    for (int a = 0; has_matrix && a < count; ++a) {
        for (int r = 0; r < 4; ++r) {
            double w = weight * row[4 * a + r];
            for (int c = 0; c < 4; ++c) {
                // cppcheck takes a row of two places for one that a third can follow.
                // cppcheck-suppress negativeIndex
                lane->own[a][r][c] += w * row[4 * a + c];
                if (a + 1 < count) {
                    lane->near[a][r][c] += w * row[4 * (a + 1) + c];
                }
                if (a + 2 < count) {
                    lane->far[a][r][c] += w * row[4 * (a + 2) + c];
                }
                if (a + 3 < count) {
                    lane->third[r][c] += w * row[4 * (a + 3) + c];
                }
            }
        }
    }
}

// Damping by the rate of a strain over the step, whose gradient at the start is row: k (N s times
// m) over the step times the change of strain.
HED_ALWAYS_INLINE void add_rate(Lane* lane, int count, const double* row, const Nodes* nodes,
                                double k, bool has_matrix) {
    double change = 0.0;
    for (int i = 0; i < 4 * count; ++i) {
        change += row[i] * (nodes->q[i] - nodes->start[i]);
    }
    add_row(lane, count, row, k * change, k, has_matrix);
    lane->damped += 0.5 * k * change * change;
}

// The same of stretching, by its true change over the step: the change of length along where the
// piece pointed at the start is second order in its turn, and would stretch and slow cloth that
// only turns. k is in N s over the step.
HED_ALWAYS_INLINE void add_stretch_rate(Lane* lane, const Nodes* nodes, double k, bool has_matrix) {
    double before[8], row[8];
    double d = hed_eol_stretch_rate(nodes->start, before);
    double change = d * before[7] - hed_eol_stretch_rate(nodes->q, row) * row[7];
    add_row(lane, 2, row, k * d * change, k * d, has_matrix);
    lane->damped += 0.5 * k * d * change * change;
}

// V = k/2 max(0, least - D)^2, and k/2 (D - length)^2.
static double add_limits(const HedEolRest* rest, double d, double* slope, double* curvature) {
    double gap = rest->limit - d;
    double k = gap > 0.0 ? rest->limit_stiff : 0.0;
    double off = d - rest->length;
    *slope = rest->length_stiff * off - k * gap;
    *curvature = k + rest->length_stiff;
    return 0.5 * (k * gap * gap + rest->length_stiff * off * off);
}

HED_ALWAYS_INLINE void add_segment(const HedEolModel* model, int32_t visit, const double q[8],
                                   Lane* lane, double* energy, bool has_matrix) {
    const HedEolMaterial* m = &model->materials[model->yarn_of[visit]];
    double g[8];
    double h[8][8];
    energy[HED_EOL_STRETCH] +=
        hed_eol_stretch(q, (HedEolStretch){m->tight, m->slack}, g, has_matrix ? h : NULL, false);
    double slope, curvature;
    energy[HED_EOL_LIMIT] += add_limits(&model->rest[visit], q[7] - q[3], &slope, &curvature);
    g[3] -= slope;
    g[7] += slope;
    HedEolWeight weight = {m->density, model->gravity};
    double w[8];
    energy[HED_EOL_GRAVITY] += hed_eol_weight(q, weight, w, NULL, false);
    // Free of the origin: what g.x at a node adds on one side of it, it takes on the other.
    w[3] = w[7] = hed_eol_weight_along(hed_eol_point(q), hed_eol_point(q + 4), weight);
    for (int i = 0; i < 8; ++i) {
        g[i] += w[i];
    }
    if (has_matrix) {
        h[3][3] += curvature;
        h[7][7] += curvature;
        h[3][7] -= curvature;
        h[7][3] -= curvature;
    }
    add_element(lane, 2, g, &h[0][0], has_matrix);
}

// The three points about a place where its yarn bends.
static void load_offsets(const HedEolModel* model, int32_t middle, const double q[12],
                         double out[12]) {
    memcpy(out, q, 12 * sizeof *out);
    for (int k = 0; k < 3; ++k) {
        HedVec3 off = hed_eol_offset(model, middle + (k - 1) * HED_YARN_PACK);
        hed_eol_put3(out + 4 * k, hed_add3(hed_eol_point(q + 4 * k), off));
    }
}

HED_ALWAYS_INLINE void add_turn(const HedEolModel* model, int32_t middle, const double q[12],
                                Lane* lane, double* energy, bool has_matrix) {
    double g[12];
    double h[12][12];
    energy[HED_EOL_BEND] +=
        hed_eol_bend(q, hed_eol_bend_at(model, middle), g, has_matrix ? h : NULL, false);
    add_element(lane, 3, g, &h[0][0], has_matrix);
}

// Torsion of the piece between the second and the third of four visits; the material in it is that
// of the start of the step.
HED_ALWAYS_INLINE void add_torsion(const HedEolModel* model, const Nodes* nodes, Lane* lane,
                                   double* energy, bool has_matrix) {
    double points[12], by[12], row[16] = {0};
    HedEolChain chain;
    HedVec3 y[3];
    for (int i = 0; i < 12; ++i) {
        points[i] = nodes->q[4 * (i / 3) + i % 3];
    }
    double tau = hed_eol_torsion_strain(points, by, &chain, y);
    for (int i = 0; i < 12; ++i) {
        row[4 * (i / 3) + i % 3] = by[i];
    }
    const double* fixed = nodes->has_start ? nodes->start : nodes->q;
    double k = model->materials[model->yarn_of[nodes->visit]].twist / (fixed[11] - fixed[7]);
    double strain = tau - model->rest[nodes->visit].torsion;
    add_row(lane, 4, row, k * strain, k, has_matrix);
    energy[HED_EOL_TORSION] += 0.5 * k * strain * strain;
}

HED_ALWAYS_INLINE void add_damping(const HedEolModel* model, const Nodes* nodes, double over,
                                   Lane* lane, bool has_matrix) {
    const HedEolMaterial* m = &model->materials[model->yarn_of[nodes->visit]];
    if (m->stretch_damping > 0.0) {
        add_stretch_rate(lane, nodes, m->stretch_damping * over, has_matrix);
    }
    if (nodes->has_turn && m->bend_damping > 0.0) {
        double rows[2][12];
        double k = m->bend_damping * hed_eol_bend_rate(nodes->start, rows) * over;
        add_rate(lane, 3, rows[0], nodes, k, has_matrix);
        add_rate(lane, 3, rows[1], nodes, k, has_matrix);
    }
}

// The elements that begin at a place.
HED_ALWAYS_INLINE void add_elements(const HedEolModel* model, const HedEolEval* at, int32_t place,
                                    Lane* lane, double* sums, bool has_matrix) {
    const HedYarnPacks* bands = &model->bands;
    int kind = bands->kind[place];
    if (!(kind & HED_PLACE_SEGMENT)) {
        return;
    }
    Nodes nodes = {
        .visit = bands->visit[place],
        .has_start = at->start != NULL,
        .has_turn = bands->kind[place + HED_YARN_PACK] & HED_PLACE_TURN,
        .has_quad = model->has_torsion && kind & HED_PLACE_QUAD,
    };
    double none[HED_EOL_SUMS] = {0};
    double* energy = kind & HED_PLACE_OWN ? sums : none; // counted once, by the owner
    int count = nodes.has_quad ? 4 : nodes.has_turn ? 3 : 2;
    load_nodes(bands, place, count, at->q, nodes.q);
    add_segment(model, nodes.visit, nodes.q, lane, energy, has_matrix);
    if (nodes.has_turn && model->thickness > 0.0) {
        double points[12];
        load_offsets(model, place + HED_YARN_PACK, nodes.q, points);
        add_turn(model, nodes.visit + 1, points, lane, energy, has_matrix);
    } else if (nodes.has_turn) {
        add_turn(model, nodes.visit + 1, nodes.q, lane, energy, has_matrix);
    }
    if (nodes.has_start) {
        load_nodes(bands, place, count, at->start, nodes.start);
    }
    if (nodes.has_quad) {
        add_torsion(model, &nodes, lane, energy, has_matrix);
    }
    if (nodes.has_start && model->has_damping) {
        lane->damped = 0.0;
        add_damping(model, &nodes, at->over, lane, has_matrix);
        energy[HED_EOL_DAMPING] += lane->damped;
    }
}

static void store_lane(const HedEolModel* model, HedEolMatrix* matrix, int32_t place,
                       const Lane* lane) {
    int64_t step = place / HED_YARN_PACK;
    int l = place % HED_YARN_PACK;
    for (int c = 0; c < 4; ++c) {
        model->sum[(step * 4 + c) * HED_YARN_PACK + l] = lane->gradient[0][c];
    }
    if (!matrix) {
        return;
    }
    double near[16];
    memcpy(near, lane->near[0], sizeof near);
    if (model->has_shear && model->bands.kind[place] & HED_PLACE_SEGMENT) {
        hed_eol_add_quadrants(model, place, near);
    }
    int k = 0;
    for (int r = 0; r < 4; ++r) {
        for (int c = 0; c < 4; ++c) {
            int64_t to = (step * 16 + 4 * r + c) * HED_YARN_PACK + l;
            matrix->near[to] = near[4 * r + c];
            matrix->far[to] = lane->far[0][r][c];
            if (c >= r) {
                model->own[(step * 10 + k++) * HED_YARN_PACK + l] = lane->own[0][r][c];
            }
            if (matrix->third && r < 3 && c < 3) {
                matrix->third[(step * 9 + 3 * r + c) * HED_YARN_PACK + l] = lane->third[r][c];
            }
        }
    }
}

HED_ALWAYS_INLINE void shift_lane(Lane* lane, bool has_matrix) {
    memmove(lane->gradient[0], lane->gradient[1], sizeof lane->gradient[0] * 3);
    memset(lane->gradient[3], 0, sizeof lane->gradient[3]);
    if (has_matrix) {
        memmove(lane->own[0], lane->own[1], sizeof lane->own[0] * 3);
        memmove(lane->near[0], lane->near[1], sizeof lane->near[0] * 2);
        memmove(lane->far[0], lane->far[1], sizeof lane->far[0]);
        memset(lane->own[3], 0, sizeof lane->own[3]);
        memset(lane->near[2], 0, sizeof lane->near[2]);
        memset(lane->far[1], 0, sizeof lane->far[1]);
        memset(lane->third, 0, sizeof lane->third);
    }
}

HED_ALWAYS_INLINE void walk_band(HedEolModel* model, const HedEolEval* at, int32_t band,
                                 bool has_matrix) {
    Lane lanes[HED_YARN_PACK];
    double sums[HED_EOL_SUMS] = {0};
    memset(lanes, 0, sizeof lanes);
    int32_t end = model->bands.first[band + 1];
    for (int32_t s = model->bands.first[band]; s < end; ++s) {
        for (int l = 0; l < HED_YARN_PACK; ++l) {
            int32_t place = s * HED_YARN_PACK + l;
            add_elements(model, at, place, &lanes[l], sums, has_matrix);
            store_lane(model, has_matrix ? at->matrix : NULL, place, &lanes[l]);
            shift_lane(&lanes[l], has_matrix);
        }
    }
    memcpy(model->band_energy + (int64_t)HED_EOL_SUMS * band, sums, sizeof sums);
}

void hed_eol_model_evaluate_pack(HedEolModel* model, const HedEolEval* at, int32_t band) {
    if (at->matrix) {
        walk_band(model, at, band, true);
    } else {
        walk_band(model, at, band, false);
    }
}

// What the pieces on both sides of a visit give to its node.
static void add_mass(const HedEolModel* model, const double* q, int32_t place, int slot,
                     HedEolMass* mass) {
    const HedYarnPacks* bands = &model->bands;
    for (int side = 0; side < 2; ++side) {
        int32_t from = place - (side ? 0 : HED_YARN_PACK);
        if (place >= bands->step_count * HED_YARN_PACK ||
            !(bands->kind[from] & HED_PLACE_SEGMENT) || bands->visit[from] < 0) {
            continue;
        }
        double nodes[8];
        load_nodes(bands, from, 2, q, nodes);
        double density = model->materials[model->yarn_of[bands->visit[from]]].density;
        HedEolLump lump = hed_eol_lump(nodes, density);
        mass->mass += lump.mass;
        mass->coupling[slot][0] += lump.coupling.x;
        mass->coupling[slot][1] += lump.coupling.y;
        mass->coupling[slot][2] += lump.coupling.z;
        mass->along[slot] += lump.along;
    }
}

void hed_eol_find_mass(HedEolModel* model, const double* q, HedEolMass* mass) {
#pragma omp parallel for schedule(static)                                                          \
    num_threads(hed_team_size(model->team, INT64_C(50) * model->node_count))
    for (int32_t i = 0; i < model->node_count; ++i) {
        mass[i] = (HedEolMass){0};
        for (int s = 0; s < 2; ++s) {
            add_mass(model, q, model->bands.place[i][s], s, &mass[i]);
        }
    }
}
