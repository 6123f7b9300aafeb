// SPDX-License-Identifier: MIT
// Bending by angles, eight triangles at a time.
//
// In side i's hinge the corner k of the triangle stands at place (k - i) mod 3, and the far corner
// of the neighbour, point 3 + i, at place 3: only that hinge moves with it. So with
//   M_j[k] = sum_i q_ij grad theta_i[k]       for the corners k,
// the positive form has the blocks
//   (k, l): sum_j M_j[k] grad theta_j[l]',   (k, 3 + j): M_j[k] grad theta_j[3]',
//   (3 + i, 3 + j): q_ij grad theta_i[3] grad theta_j[3]'.
#include "model/sheet/shell_term.h"

enum { L = HED_LANES, P = HED_SHELL_POINTS, PAIRS = P * (P - 1) / 2, BLOCKS = P * (P + 1) / 2 };

// q stands as (0,0), (0,1), (1,1), (0,2), (1,2), (2,2).
static inline int q_index(int i, int j) {
    return i < j ? j * (j + 1) / 2 + i : i * (i + 1) / 2 + j;
}

void hed_hinge_fill(const HedShellElement* element, HedShellGroup* group, int l) {
    for (int k = 0; k < P; ++k) {
        group->point[k][l] = element->point[k];
    }
    for (int i = 0; i < 3; ++i) {
        group->angle[i][l] = element->rest.angle[i];
        for (int j = 0; j <= i; ++j) {
            group->q[q_index(j, i)][l] = element->rest.q[j][i];
        }
    }
}

typedef struct Points {
    HedLanes3 at[P];
} Points;

// A side without a neighbour has some angle, too: q is zero there.
typedef struct Sides {
    double angle[3][L];
    HedLanes3 gradient[3][4];
} Sides;

static inline void gather(const HedShellGroup* group, const HedVec3* from, Points* to) {
    for (int k = 0; k < P; ++k) {
        hed_lanes_gather(from, group->point[k], &to->at[k]);
    }
}

HED_ALWAYS_INLINE HedHingeParts parts_of(const Points* x, const int point[4], int l) {
    return hed_hinge_parts(
        (HedHingePoints){{hed_lane(&x->at[point[0]], l), hed_lane(&x->at[point[1]], l),
                          hed_lane(&x->at[point[2]], l), hed_lane(&x->at[point[3]], l)}});
}

static void find_gradients(const Points* x, Sides* out) {
    for (int side = 0; side < 3; ++side) {
        int point[4];
        hed_shell_hinge(side, point);
#pragma omp simd
        for (int l = 0; l < L; ++l) {
            HedHingeParts h = parts_of(x, point, l);
            HedHingeAngle hinge = hed_hinge_from(&h);
            out->angle[side][l] = hinge.angle;
            hed_lane_set(&out->gradient[side][0], l, hinge.gradient[0]);
            hed_lane_set(&out->gradient[side][1], l, hinge.gradient[1]);
            hed_lane_set(&out->gradient[side][2], l, hinge.gradient[2]);
            hed_lane_set(&out->gradient[side][3], l, hinge.gradient[3]);
        }
    }
}

static void find_angles(const Points* x, double angle[3][L]) {
    for (int side = 0; side < 3; ++side) {
        int point[4];
        hed_shell_hinge(side, point);
#pragma omp simd
        for (int l = 0; l < L; ++l) {
            HedHingeParts h = parts_of(x, point, l);
            angle[side][l] = hed_hinge_from(&h).angle;
        }
    }
}

// The place of corner k in hinge i.
static inline int place_of(int k, int i) {
    return (k - i + 3) % 3;
}

// Rates of the angles: since the start of the step, or by velocities.
static void find_rates(const HedShellGroup* group, const HedEval* at, const Sides* sides,
                       double rate[3][L]) {
    Points other;
    gather(group, at->start ? at->start : at->v, &other);
    if (at->start) {
        find_angles(&other, rate);
        for (int i = 0; i < 3; ++i) {
#pragma omp simd
            for (int l = 0; l < L; ++l) {
                rate[i][l] = at->over * hed_hinge_turn(sides->angle[i][l], rate[i][l]);
            }
        }
        return;
    }
    for (int i = 0; i < 3; ++i) {
        int point[4];
        hed_shell_hinge(i, point);
#pragma omp simd
        for (int l = 0; l < L; ++l) {
            double sum = 0.0;
            sum += hed_dot3(hed_lane(&sides->gradient[i][0], l), hed_lane(&other.at[point[0]], l));
            sum += hed_dot3(hed_lane(&sides->gradient[i][1], l), hed_lane(&other.at[point[1]], l));
            sum += hed_dot3(hed_lane(&sides->gradient[i][2], l), hed_lane(&other.at[point[2]], l));
            sum += hed_dot3(hed_lane(&sides->gradient[i][3], l), hed_lane(&other.at[point[3]], l));
            rate[i][l] = sum;
        }
    }
}

// out = q times in.
static void apply_q(const HedShellGroup* group, const double in[3][L], double out[3][L]) {
    for (int i = 0; i < 3; ++i) {
        const double* a = group->q[q_index(i, 0)];
        const double* b = group->q[q_index(i, 1)];
        const double* c = group->q[q_index(i, 2)];
#pragma omp simd
        for (int l = 0; l < L; ++l) {
            out[i][l] = a[l] * in[0][l] + b[l] * in[1][l] + c[l] * in[2][l];
        }
    }
}

static void elastic_moments(const HedShellGroup* group, const double angle[3][L], double turn[3][L],
                            double moment[3][L]) {
    for (int i = 0; i < 3; ++i) {
#pragma omp simd
        for (int l = 0; l < L; ++l) {
            turn[i][l] = hed_hinge_turn(angle[i][l], group->angle[i][l]);
        }
    }
    apply_q(group, (const double(*)[L])turn, moment);
}

// Moments about the sides, elastic and damped; the power of damping, W.
static void find_moments(const HedShellGroup* group, const HedEval* at, const Sides* sides,
                         double beta, double moment[3][L], double power[L]) {
    double turn[3][L], rate[3][L], drag[3][L];
    elastic_moments(group, sides->angle, turn, moment);
    for (int l = 0; l < L; ++l) {
        power[l] = 0.0;
    }
    if (beta == 0.0) {
        return;
    }
    find_rates(group, at, sides, rate);
    apply_q(group, (const double(*)[L])rate, drag);
    for (int i = 0; i < 3; ++i) {
#pragma omp simd
        for (int l = 0; l < L; ++l) {
            moment[i][l] += beta * drag[i][l];
            power[l] += beta * rate[i][l] * drag[i][l];
        }
    }
}

static void find_pulls(const Sides* sides, double moment[3][L], HedLanes3 pull[P]) {
    for (int k = 0; k < 3; ++k) {
        const HedLanes3* a = &sides->gradient[0][place_of(k, 0)];
        const HedLanes3* b = &sides->gradient[1][place_of(k, 1)];
        const HedLanes3* c = &sides->gradient[2][place_of(k, 2)];
        const HedLanes3* far = &sides->gradient[k][3];
#pragma omp simd
        for (int l = 0; l < L; ++l) {
            HedVec3 sum = hed_mul3(moment[0][l], hed_lane(a, l));
            sum = hed_madd3(sum, moment[1][l], hed_lane(b, l));
            hed_lane_set(&pull[k], l, hed_madd3(sum, moment[2][l], hed_lane(c, l)));
            hed_lane_set(&pull[3 + k], l, hed_mul3(moment[k][l], hed_lane(far, l)));
        }
    }
}

HedPower hed_hinge_force(const void* self, const HedEval* at, int32_t range, HedVec3* force) {
    const HedShellTerm* term = self;
    HedTile tile = hed_tile(at->ranges, range);
    HedPower power = {0};
    for (int32_t g = term->groups.first[range]; g < term->groups.first[range + 1]; ++g) {
        const HedShellGroup* group = &term->group[g];
        Points x;
        Sides sides;
        HedLanes3 pull[P];
        double moment[3][L], taken[L];
        gather(group, at->x, &x);
        find_gradients(&x, &sides);
        find_moments(group, at, &sides, term->damping_time[range], moment, taken);
        find_pulls(&sides, moment, pull);
        for (int l = 0; l < L; ++l) {
            for (int k = 0; k < P; ++k) {
                int32_t local = hed_local_index(group->point[k][l], tile.first, tile.count);
                force[local] = hed_sub3(force[local], hed_lane(&pull[k], l));
            }
            power.dissipated += hed_tile_owns(tile, group->point[0][l]) ? taken[l] : 0.0;
        }
    }
    return power;
}

// M_j[k], times a factor.
static void mix_gradients(const HedShellGroup* group, const Sides* sides, double factor,
                          HedLanes3 mixed[3][3]) {
    for (int j = 0; j < 3; ++j) {
        for (int k = 0; k < 3; ++k) {
            const HedLanes3* a = &sides->gradient[0][place_of(k, 0)];
            const HedLanes3* b = &sides->gradient[1][place_of(k, 1)];
            const HedLanes3* c = &sides->gradient[2][place_of(k, 2)];
            const double* qa = group->q[q_index(0, j)];
            const double* qb = group->q[q_index(1, j)];
            const double* qc = group->q[q_index(2, j)];
            HedLanes3* to = &mixed[j][k];
#pragma omp simd
            for (int l = 0; l < L; ++l) {
                HedVec3 sum = hed_mul3(factor * qa[l], hed_lane(a, l));
                sum = hed_madd3(sum, factor * qb[l], hed_lane(b, l));
                hed_lane_set(to, l, hed_madd3(sum, factor * qc[l], hed_lane(c, l)));
            }
        }
    }
}

// The place of block (a, b), a <= b.
static inline int block_index(int a, int b) {
    return b * (b + 1) / 2 + a;
}

static inline const double* part_of(const HedLanes3* lanes, int k) {
    return k == 0 ? lanes->x : k == 1 ? lanes->y : lanes->z;
}

// a b' in every lane.
static inline void set_outer(const HedLanes3* a, const HedLanes3* b, HedLanes9* to) {
    for (int r = 0; r < 3; ++r) {
        const double* p = part_of(a, r);
        double(*row)[L] = to->m + 3 * r;
#pragma omp simd
        for (int l = 0; l < L; ++l) {
            row[0][l] = p[l] * b->x[l];
            row[1][l] = p[l] * b->y[l];
            row[2][l] = p[l] * b->z[l];
        }
    }
}

// sum_j M_j[k] grad theta_j[m]', in one pass: sums stay in registers.
static inline void corner_block(const HedLanes3 mixed[3][3], const Sides* sides, int k, int m,
                                HedLanes9* to) {
    const HedLanes3* a = &sides->gradient[0][place_of(m, 0)];
    const HedLanes3* b = &sides->gradient[1][place_of(m, 1)];
    const HedLanes3* c = &sides->gradient[2][place_of(m, 2)];
    for (int r = 0; r < 3; ++r) {
        const double* p = part_of(&mixed[0][k], r);
        const double* q = part_of(&mixed[1][k], r);
        const double* s = part_of(&mixed[2][k], r);
        double(*row)[L] = to->m + 3 * r;
#pragma omp simd
        for (int l = 0; l < L; ++l) {
            row[0][l] = p[l] * a->x[l] + q[l] * b->x[l] + s[l] * c->x[l];
            row[1][l] = p[l] * a->y[l] + q[l] * b->y[l] + s[l] * c->y[l];
            row[2][l] = p[l] * a->z[l] + q[l] * b->z[l] + s[l] * c->z[l];
        }
    }
}

static void positive_blocks(const HedShellGroup* group, const Sides* sides, double factor,
                            HedLanes9 block[BLOCKS]) {
    HedLanes3 mixed[3][3];
    mix_gradients(group, sides, factor, mixed);
    for (int m = 0; m < 3; ++m) {
        const HedLanes3* far = &sides->gradient[m][3];
        for (int k = 0; k < 3; ++k) {
            if (k <= m) {
                corner_block((const HedLanes3(*)[3])mixed, sides, k, m, &block[block_index(k, m)]);
            }
            set_outer(&mixed[m][k], far, &block[block_index(k, 3 + m)]);
        }
        for (int i = 0; i <= m; ++i) {
            const double* q = group->q[q_index(i, m)];
            HedLanes3 part;
#pragma omp simd
            for (int l = 0; l < L; ++l) {
                hed_lane_set(&part, l,
                             hed_mul3(factor * q[l], hed_lane(&sides->gradient[i][3], l)));
            }
            set_outer(&part, far, &block[block_index(3 + i, 3 + m)]);
        }
    }
}

// What makes the blocks exact: moments times second derivatives of the angles.
static void add_second(const HedShellElement* element, const HedVec3* from, const double moment[3],
                       HedLanes9 block[BLOCKS], int l) {
    HedVec3 x[P];
    HedShell shell;
    HedMat3 second[P][P] = {0};
    for (int k = 0; k < P; ++k) {
        x[k] = from[element->point[k]];
    }
    hed_shell_eval(x, &element->rest, &shell);
    hed_shell_second(&shell, &element->rest, moment, second);
    for (int b = 0; b < P; ++b) {
        for (int a = 0; a <= b; ++a) {
            for (int k = 0; k < 9; ++k) {
                block[block_index(a, b)].m[k][l] += second[a][b].m[k / 3][k % 3];
            }
        }
    }
}

static void make_exact(const HedShellTerm* term, int32_t g, const HedEval* at, double factor,
                       double moment[3][L], HedLanes9 block[BLOCKS]) {
    for (int l = 0; l < L; ++l) {
        int32_t e = term->groups.element[L * g + l];
        if (e >= 0) {
            const double own[3] = {factor * moment[0][l], factor * moment[1][l],
                                   factor * moment[2][l]};
            add_second(&term->list.data[e], at->x, own, block, l);
        }
    }
}

static void add_blocks(const HedShellTerm* term, HedTile tile, int32_t g, const HedLanes9* block,
                       HedMatrix* matrix) {
    const int32_t* slot = term->slot + (int64_t)PAIRS * L * g;
    for (int b = 0; b < P; ++b) {
        for (int a = 0; a < b; ++a) {
            hed_slots_add_lanes(matrix, slot + hed_pair_index(a, b), PAIRS,
                                &block[block_index(a, b)]);
        }
        hed_diagonal_add_lanes(matrix, tile, term->group[g].point[b], &block[block_index(b, b)]);
    }
}

void hed_hinge_matrix(const void* self, const HedEval* at, int32_t range, HedMatrixScale scale,
                      HedMatrix* matrix) {
    const HedShellTerm* term = self;
    HedTile tile = hed_tile(at->ranges, range);
    double beta = term->damping_time[range];
    double factor = scale.stiffness + scale.damping * beta;
    for (int32_t g = term->groups.first[range]; g < term->groups.first[range + 1]; ++g) {
        Points x;
        Sides sides;
        HedLanes9 block[BLOCKS];
        gather(&term->group[g], at->x, &x);
        find_gradients(&x, &sides);
        positive_blocks(&term->group[g], &sides, factor, block);
        if (scale.is_exact) {
            double moment[3][L], taken[L];
            find_moments(&term->group[g], at, &sides, beta, moment, taken);
            make_exact(term, g, at, scale.stiffness, moment, block);
        }
        add_blocks(term, tile, g, block, matrix);
    }
}

void hed_hinge_energy(const void* self, const HedEval* at, int32_t range, double* energy) {
    const HedShellTerm* term = self;
    HedTile tile = hed_tile(at->ranges, range);
    for (int32_t g = term->groups.first[range]; g < term->groups.first[range + 1]; ++g) {
        Points x;
        double angle[3][L], turn[3][L], moment[3][L];
        gather(&term->group[g], at->x, &x);
        find_angles(&x, angle);
        elastic_moments(&term->group[g], (const double(*)[L])angle, turn, moment);
        for (int l = 0; l < L; ++l) {
            const double a[3] = {turn[0][l], turn[1][l], turn[2][l]};
            const double b[3] = {moment[0][l], moment[1][l], moment[2][l]};
            bool own = hed_tile_owns(tile, term->group[g].point[0][l]);
            energy[0] += own ? hed_shell_half_product(a, b) : 0.0;
        }
    }
}
