// SPDX-License-Identifier: MIT
// The energy of a step and its derivatives: the model's, and what belongs to the step: inertia,
// friction, loads, Rayleigh damping, self-collision.
#include "eol/dirichlet_rows.h"
#include "eol/eol.h"

#include <math.h>
#include <string.h>

// M d / h^2 and its energy.
static double add_inertia(const HedEolMass* m, const double* d, double w, double* g) {
    double f[HED_NODE_SIZE];
    double energy = 0.0;
    for (int c = 0; c < 3; ++c) {
        f[c] = w * (m->mass * d[c] + m->coupling[0][c] * d[3] + m->coupling[1][c] * d[4]);
    }
    for (int s = 0; s < 2; ++s) {
        f[3 + s] = w * (m->coupling[s][0] * d[0] + m->coupling[s][1] * d[1] +
                        m->coupling[s][2] * d[2] + m->along[s] * d[3 + s]);
    }
    for (int c = 0; c < HED_NODE_SIZE; ++c) {
        energy += 0.5 * d[c] * f[c];
        g[c] += f[c];
    }
    return energy;
}

// The bound of friction for a matrix. What begins to slide, or turns, gets all of it at rest, and
// in motion, where inertia keeps corrections short, less in each matrix of a step; so does what
// slides on if the last correction went too far.
static double note_slip(const HedEol* eol, int32_t i, const double slip[2], double size) {
    HedSlipMetric metric = eol->slip_metric[i];
    float* note = eol->slip_bound + 2 * (int64_t)i;
    if (size == 0.0) {
        note[0] = note[1] = 0.0F;
        return 0.0;
    }
    const double last[2] = {note[0], note[1]};
    double before = hed_slip_size(metric, last);
    bool slid = before > 0.0 && !eol->is_wary;
    double cosine = slid ? hed_slip_dot(metric, last, slip) / (before * size) : 0.0;
    double bound = hed_friction_bound(cosine, before, eol->slip_begins);
    for (int s = 0; s < 2; ++s) {
        note[s] = (float)(fmax(bound, 1e-30) / size * slip[s]);
    }
    return bound;
}

// Friction of a crossing: its two yarns slide past each other as far as both places say.
static double add_friction(const HedEol* eol, int32_t i, const double* q, double* g, double* own) {
    HedFriction law = hed_eol_friction_of(eol, i);
    HedSlipMetric metric = eol->slip_metric[i];
    double slip[2];
    if (!(law.limit > 0.0)) {
        return 0.0;
    }
    hed_eol_slip_of(eol, i, q, slip);
    HedFrictionPair f = hed_friction_pair(metric, slip, law);
    g[3] += f.gradient[0];
    g[4] += f.gradient[1];
    if (own) {
        double size = f.law.back != 0.0 ? hed_slip_size(metric, slip) : 0.0;
        HedSlipMetric h = hed_friction_pair_hessian(metric, f, note_slip(eol, i, slip, size));
        own[hed_eol_diagonal(3, 3)] += h.uu;
        own[hed_eol_diagonal(3, 4)] += h.uv;
        own[hed_eol_diagonal(4, 4)] += h.vv;
    }
    return f.energy;
}

// Inertia, friction and load of one node: gradient, own block (NULL: not wanted); returns the
// energy.
static double add_node(const HedEol* eol, int32_t i, const double* q, double over, double* g,
                       double* own) {
    const HedEolMass* m = &eol->mass[i];
    const double* p = eol->guess + (int64_t)HED_NODE_SIZE * i;
    double w = over * over;
    double d[HED_NODE_SIZE];
    for (int c = 0; c < HED_NODE_SIZE; ++c) {
        d[c] = q[c] - p[c];
    }
    double energy = add_inertia(m, d, w, g);
    w += eol->shift;
    for (int c = 0; own && c < 3; ++c) {
        own[hed_eol_diagonal(c, c)] += w * m->mass;
        own[hed_eol_diagonal(c, 3)] += w * m->coupling[0][c];
        own[hed_eol_diagonal(c, 4)] += w * m->coupling[1][c];
    }
    for (int s = 0; own && s < 2; ++s) {
        own[hed_eol_diagonal(3 + s, 3 + s)] += w * m->along[s];
    }
    energy += add_friction(eol, i, q, g, own);
    for (int c = 0; eol->flow && c < HED_NODE_SIZE; ++c) {
        double f = eol->flow[(int64_t)HED_NODE_SIZE * i + c];
        energy += f * (q[c] - p[c]);
        g[c] += f;
    }
    if (eol->load) {
        HedVec3 f = eol->load[i];
        energy -= f.x * q[0] + f.y * q[1] + f.z * q[2];
        g[0] -= f.x;
        g[1] -= f.y;
        g[2] -= f.z;
    }
    return energy;
}

static double add_nodes(HedEol* eol, const double* q, double over, bool has_matrix) {
    int32_t blocks = hed_block_count(eol->node_count);
#pragma omp parallel for schedule(static)                                                          \
    num_threads(hed_team_size(eol->team, INT64_C(40) * eol->node_count))
    for (int32_t b = 0; b < blocks; ++b) {
        double sum = 0.0;
        int32_t end = hed_min_i32(eol->node_count, (b + 1) * HED_BLOCK);
        for (int32_t i = b * HED_BLOCK; i < end; ++i) {
            int64_t at = (int64_t)HED_NODE_SIZE * i;
            double* own = has_matrix ? eol->matrix.diagonal + (int64_t)HED_NODE_DIAGONAL * i : NULL;
            sum += add_node(eol, i, q + at, over, eol->gradient + at, own);
        }
        eol->node_sum[b] = sum;
    }
    double energy = 0.0;
    for (int32_t b = 0; b < blocks; ++b) {
        energy += eol->node_sum[b];
    }
    return energy;
}

// to += scale from, n numbers.
static void add_scaled(const HedTeam* team, int64_t n, double scale, const double* from,
                       double* to) {
#pragma omp parallel for schedule(static) num_threads(hed_team_size(team, n))
    for (int64_t k = 0; k < n; ++k) {
        to[k] += scale * from[k];
    }
}

// A force -beta K (q - start)/h with the stiffness of the start.
static double add_rayleigh(HedEol* eol, const double* q, double over, bool has_matrix) {
    int32_t size = eol->node_count * HED_NODE_SIZE;
    double scale = eol->rayleigh * over;
    double* change = eol->scratch;
    double* force = change + size;
    for (int32_t k = 0; k < size; ++k) {
        change[k] = q[k] - eol->start[k];
    }
    hed_eol_matrix_multiply(&eol->stiffness, change, force);
    hed_team_axpy(eol->team, scale, force, eol->gradient, size);
    if (has_matrix) {
        const HedEolMatrix* from = &eol->stiffness;
        HedEolMatrix* to = &eol->matrix;
        int64_t steps = (int64_t)eol->model.bands.step_count * HED_YARN_PACK;
        add_scaled(eol->team, steps * 16, scale, from->near, to->near);
        add_scaled(eol->team, steps * 16, scale, from->far, to->far);
        if (from->third) {
            add_scaled(eol->team, steps * 9, scale, from->third, to->third);
        }
        add_scaled(eol->team, (int64_t)eol->node_count * HED_NODE_DIAGONAL, scale, from->diagonal,
                   to->diagonal);
        if (from->pairs.count > 0) {
            add_scaled(eol->team, (int64_t)from->pairs.count * 9, scale, from->pairs.block[0],
                       to->pairs.block[0]);
        }
    }
    return 0.5 * scale * hed_team_dot(eol->team, change, force, size);
}

void hed_eol_add_blocks(HedEol* eol, const HedMat3* blocks) {
    for (int32_t i = 0; i < eol->node_count; ++i) {
        double* own = eol->matrix.diagonal + (int64_t)HED_NODE_DIAGONAL * i;
        for (int r = 0; r < 3; ++r) {
            for (int c = r; c < 3; ++c) {
                own[hed_eol_diagonal(r, c)] += blocks[eol->order[i]].m[r][c];
            }
        }
    }
}

void hed_eol_hold(HedEol* eol) {
    hed_eol_matrix_hold(&eol->matrix, eol->is_held);
    hed_eol_matrix_settle(&eol->matrix);
}

double hed_eol_evaluate(HedEol* eol, const double* q, double over, bool has_matrix) {
    double sums[HED_EOL_SUMS];
    HedEolEval at = {q, eol->start, over, eol->gradient, has_matrix ? &eol->matrix : NULL};
    hed_eol_model_evaluate(&eol->model, at, sums);
    double energy = add_nodes(eol, q, over, has_matrix);
    for (int k = 0; k < HED_EOL_SUMS; ++k) {
        energy += sums[k];
    }
    if (eol->rayleigh > 0.0) {
        energy += add_rayleigh(eol, q, over, has_matrix);
    }
    if (eol->spheres && eol->spheres->pairs.count > 0) {
        HedSphereEval state = {q, eol->start, eol->size, eol->is_held, eol->slip_begins};
        energy += hed_spheres_add(eol->spheres, &state, eol->gradient,
                                  has_matrix ? eol->matrix.diagonal : NULL);
    }
    return energy;
}

// The two unknowns along the yarns by Schur's complement.
double hed_eol_largest_acceleration(const HedEolMass* m, const double* r) {
    double a[2][2], b[2], y[2] = {0.0, 0.0};
    for (int s = 0; s < 2; ++s) {
        b[s] = r[3 + s];
        for (int c = 0; c < 3; ++c) {
            b[s] -= m->coupling[s][c] * r[c] / m->mass;
        }
        for (int t = 0; t < 2; ++t) {
            a[s][t] = s == t ? m->along[s] : 0.0;
            for (int c = 0; c < 3; ++c) {
                a[s][t] -= m->coupling[s][c] * m->coupling[t][c] / m->mass;
            }
        }
    }
    double det = a[0][0] * a[1][1] - a[0][1] * a[1][0];
    if (det > 1e-12 * m->along[0] * m->along[1] && m->along[1] > 0.0) {
        y[0] = (a[1][1] * b[0] - a[0][1] * b[1]) / det;
        y[1] = (a[0][0] * b[1] - a[1][0] * b[0]) / det;
    } else { // a node of one yarn
        int s = m->along[0] > 0.0 ? 0 : 1;
        y[s] = a[s][s] > 1e-12 * m->along[s] ? b[s] / a[s][s] : 0.0;
    }
    double most = fmax(fabs(y[0]), fabs(y[1]));
    for (int c = 0; c < 3 && m->mass > 0.0; ++c) { // one that both yarns have left has none
        double x = (r[c] - m->coupling[0][c] * y[0] - m->coupling[1][c] * y[1]) / m->mass;
        most = isfinite(x) ? fmax(most, fabs(x)) : x;
    }
    return most;
}
