// SPDX-License-Identifier: MIT
#include "model/sheet/shell_term.h"
#include "base/alloc.h"
#include "state/lanes.h"

#include <string.h>

enum { L = HED_LANES, P = HED_SHELL_POINTS, PAIRS = P * (P - 1) / 2 };

static HedStencils stencils_of(const HedShellTerm* term) {
    return (HedStencils){term->stencil, P, term->list.count};
}

static void fill_groups(HedShellTerm* term, HedRanges ranges) {
    for (int32_t r = 0; r < ranges.count; ++r) {
        for (int32_t o = L * term->groups.first[r]; o < L * term->groups.first[r + 1]; ++o) {
            int32_t e = term->groups.element[o];
            HedShellGroup* group = &term->group[o / L];
            for (int k = 0; k < P && e < 0; ++k) {
                group->point[k][o % L] = ranges.first[r];
            }
            if (e >= 0) {
                hed_hinge_fill(&term->list.data[e], group, o % L);
            }
        }
    }
}

HedStatus hed_shell_term_prepare(HedShellTerm* term, HedRanges ranges, const double* damping_time,
                                 HedError* error) {
    HedStatus status = HED_OK;
    int32_t count = term->list.count;
    term->stencil = HED_NEW_ARRAY(int32_t, P * (int64_t)count);
    term->damping_time = HED_NEW_ARRAY(double, ranges.count);
    if (!term->stencil || !term->damping_time) {
        return hed_fail_memory(error, "shells");
    }
    for (int32_t k = 0; k < count; ++k) {
        memcpy(term->stencil + P * (int64_t)k, term->list.data[k].point, P * sizeof(int32_t));
    }
    memcpy(term->damping_time, damping_time, sizeof(double) * (size_t)ranges.count);
    HED_TRY(hed_groups_create(&term->groups, ranges, stencils_of(term), error));
    term->group = HED_NEW_ARRAY(HedShellGroup, term->groups.count);
    if (!term->group) {
        return hed_fail_memory(error, "shells");
    }
    fill_groups(term, ranges);
done:
    return status;
}

static HedStatus attach(void* self, HedRanges ranges, const HedMatrix* matrix, HedError* error) {
    HedShellTerm* term = self;
    return hed_groups_slots(&term->groups, ranges, stencils_of(term), matrix, &term->slot, error);
}

void hed_shell_term_free(HedShellTerm* term) {
    hed_free(term->list.data);
    hed_groups_free(&term->groups);
    hed_free(term->group);
    hed_free(term->stencil);
    hed_free(term->damping_time);
    hed_free(term->slot);
    *term = (HedShellTerm){0};
}

// The element of a lane; NULL for padding.
static inline const HedShellElement* element_of(const HedShellTerm* term, int32_t lane) {
    int32_t e = term->groups.element[lane];
    return e < 0 ? NULL : &term->list.data[e];
}

static inline void gather(const HedShellElement* element, const HedVec3* from, HedVec3 to[P]) {
    for (int k = 0; k < P; ++k) {
        to[k] = from[element->point[k]];
    }
}

static void add_to_points(const HedShellElement* element, HedTile tile, const HedVec3 pull[P],
                          HedVec3* force) {
    for (int k = 0; k < P; ++k) {
        HedVec3* f = &force[hed_local_index(element->point[k], tile.first, tile.count)];
        *f = hed_sub3(*f, pull[k]);
    }
}

// Blocks (a, b), a <= b, of lane o.
static void add_blocks(const HedShellTerm* term, HedTile tile, int32_t o, const HedMat3 block[P][P],
                       HedMatrix* matrix) {
    const HedShellElement* element = element_of(term, o);
    for (int b = 0; b < P; ++b) {
        int32_t i = element->point[b];
        bool is_there = b < 3 || element->rest.has_side[b - 3];
        if (is_there && hed_tile_owns(tile, i)) {
            matrix->diagonal[i] = hed_mat3_add(matrix->diagonal[i], block[b][b]);
        }
        for (int a = 0; a < b && is_there; ++a) {
            int32_t slot = term->slot[PAIRS * (int64_t)o + hed_pair_index(a, b)];
            hed_slot_add(matrix, slot, &block[a][b]);
        }
    }
}

static void add_to_product(const HedShellElement* element, HedTile tile, const HedVec3 pull[P],
                           HedVec3* product) {
    for (int k = 0; k < P; ++k) {
        HedVec3* p = &product[hed_local_index(element->point[k], tile.first, tile.count)];
        *p = hed_add3(*p, pull[k]);
    }
}

static void shell_product(const void* self, const HedEval* at, int32_t range, HedStiffness by,
                          HedVec3* product) {
    const HedShellTerm* term = self;
    HedTile tile = hed_tile(at->ranges, range);
    for (int32_t o = L * term->groups.first[range]; o < L * term->groups.first[range + 1]; ++o) {
        const HedShellElement* element = element_of(term, o);
        if (!element) {
            break;
        }
        HedVec3 x[P], change[P], pull[P] = {0};
        HedShell shell;
        double turn[3] = {0}, moment[3];
        gather(element, at->x, x);
        gather(element, by.d, change);
        hed_shell_eval(x, &element->rest, &shell);
        for (int i = 0; i < 3 && by.is_exact; ++i) { // the positive form has no moments
            bool has = element->rest.has_side[i];
            turn[i] = has ? hed_hinge_turn(shell.angle[i], element->rest.angle[i]) : 0.0;
        }
        hed_shell_moments(element->rest.q, turn, moment);
        hed_shell_product(&shell, &element->rest, moment, change, pull);
        add_to_product(element, tile, pull, product);
    }
}

HedTerm hed_shell_term(HedShellTerm* term) {
    return (HedTerm){
        .column = {"hinges"},
        .self = term,
        .add_force = hed_hinge_force,
        .add_matrix = hed_hinge_matrix,
        .add_energy = hed_hinge_energy,
        .add_product = shell_product,
        .stencils = stencils_of(term),
        .attach = attach,
    };
}

// The vectors that stand for angles.
static void find_bends(const HedShellElement* element, const HedVec3* from, HedVec3 bend[3]) {
    HedVec3 x[P];
    gather(element, from, x);
    for (int side = 0; side < 3; ++side) {
        int point[4];
        hed_shell_hinge(side, point);
        const HedVec3 four[4] = {x[point[0]], x[point[1]], x[point[2]], x[point[3]]};
        bend[side] = hed_flat_sum(four, element->weight[side]);
    }
}

// q times three vectors.
static void mix(const double q[3][3], const HedVec3 from[3], HedVec3 to[3]) {
    for (int i = 0; i < 3; ++i) {
        to[i] = hed_mul3(q[i][0], from[0]);
        to[i] = hed_madd3(to[i], q[i][1], from[1]);
        to[i] = hed_madd3(to[i], q[i][2], from[2]);
    }
}

static double product(const HedVec3 a[3], const HedVec3 b[3]) {
    return hed_dot3(a[0], b[0]) + hed_dot3(a[1], b[1]) + hed_dot3(a[2], b[2]);
}

// Moments by the sides to forces by the points.
static void spread_moments(const HedShellElement* element, const HedVec3 moment[3],
                           HedVec3 pull[P]) {
    for (int side = 0; side < 3; ++side) {
        int point[4];
        hed_shell_hinge(side, point);
        for (int k = 0; k < 4; ++k) {
            pull[point[k]] = hed_madd3(pull[point[k]], element->weight[side][k], moment[side]);
        }
    }
}

// Adds the gradient of damping by the points; returns its power, W.
static double add_flat_damping(const HedShellElement* element, const HedEval* at, double beta,
                               HedVec3 pull[P]) {
    HedVec3 x[P], other[P];
    HedShell shell, before;
    double rate[3], drag[3];
    gather(element, at->x, x);
    gather(element, at->start ? at->start : at->v, other);
    hed_shell_flat_turns(x, &element->rest, element->weight, &shell);
    if (at->start) {
        hed_shell_flat_turns(other, &element->rest, element->weight, &before);
        for (int i = 0; i < 3; ++i) {
            rate[i] = at->over * (shell.angle[i] - before.angle[i]);
        }
    } else {
        hed_shell_rates(&shell, other, rate);
    }
    hed_shell_moments(element->rest.q, rate, drag);
    for (int k = 0; k < 3 * P; ++k) {
        pull[k / 3] = hed_madd3(pull[k / 3], beta * drag[k % 3], shell.gradient[k % 3][k / 3]);
    }
    return 2.0 * beta * hed_shell_half_product(rate, drag);
}

static HedPower flat_force(const void* self, const HedEval* at, int32_t range, HedVec3* force) {
    const HedShellTerm* term = self;
    HedTile tile = hed_tile(at->ranges, range);
    double beta = term->damping_time[range];
    HedPower power = {0};
    for (int32_t o = L * term->groups.first[range]; o < L * term->groups.first[range + 1]; ++o) {
        const HedShellElement* element = element_of(term, o);
        if (!element) {
            break;
        }
        HedVec3 bend[3], moment[3], pull[P] = {0};
        find_bends(element, at->x, bend);
        mix(element->rest.q, bend, moment);
        spread_moments(element, moment, pull);
        double taken = beta > 0.0 ? add_flat_damping(element, at, beta, pull) : 0.0;
        add_to_points(element, tile, pull, force);
        power.dissipated += hed_tile_owns(tile, element->point[0]) ? taken : 0.0;
    }
    return power;
}

static void flat_matrix(const void* self, const HedEval* at, int32_t range, HedMatrixScale scale,
                        HedMatrix* matrix) {
    const HedShellTerm* term = self;
    HedTile tile = hed_tile(at->ranges, range);
    double factor = scale.stiffness;
    double damping = scale.damping * term->damping_time[range];
    for (int32_t o = L * term->groups.first[range]; o < L * term->groups.first[range + 1]; ++o) {
        const HedShellElement* element = element_of(term, o);
        if (!element) {
            break;
        }
        double spread[3][P] = {0};
        HedMat3 block[P][P];
        for (int side = 0; side < 3; ++side) {
            int point[4];
            hed_shell_hinge(side, point);
            for (int k = 0; k < 4; ++k) {
                spread[side][point[k]] = element->weight[side][k];
            }
        }
        for (int a = 0; a < P; ++a) {
            for (int b = a; b < P; ++b) {
                double sum = 0.0;
                for (int k = 0; k < 9; ++k) {
                    sum += element->rest.q[k / 3][k % 3] * spread[k / 3][a] * spread[k % 3][b];
                }
                block[a][b] = hed_mat3_diagonal(factor * sum, factor * sum, factor * sum);
            }
        }
        if (damping > 0.0) {
            HedVec3 x[P];
            HedShell shell;
            gather(element, at->x, x);
            hed_shell_flat_turns(x, &element->rest, element->weight, &shell);
            hed_shell_first(&shell, element->rest.q, damping, block);
        }
        add_blocks(term, tile, o, (const HedMat3(*)[P])block, matrix);
    }
}

static void flat_product(const void* self, const HedEval* at, int32_t range, HedStiffness by,
                         HedVec3* product) {
    const HedShellTerm* term = self;
    HedTile tile = hed_tile(at->ranges, range);
    for (int32_t o = L * term->groups.first[range]; o < L * term->groups.first[range + 1]; ++o) {
        const HedShellElement* element = element_of(term, o);
        if (!element) {
            break;
        }
        HedVec3 bend[3], moment[3], pull[P] = {0};
        find_bends(element, by.d, bend); // linear: the change of the vectors
        mix(element->rest.q, bend, moment);
        spread_moments(element, moment, pull);
        add_to_product(element, tile, pull, product);
    }
}

static void flat_energy(const void* self, const HedEval* at, int32_t range, double* energy) {
    const HedShellTerm* term = self;
    HedTile tile = hed_tile(at->ranges, range);
    for (int32_t o = L * term->groups.first[range]; o < L * term->groups.first[range + 1]; ++o) {
        const HedShellElement* element = element_of(term, o);
        if (element && hed_tile_owns(tile, element->point[0])) {
            HedVec3 bend[3], moment[3];
            find_bends(element, at->x, bend);
            mix(element->rest.q, bend, moment);
            energy[0] += 0.5 * product(bend, moment);
        }
    }
}

HedTerm hed_flat_term(HedShellTerm* term) {
    return (HedTerm){
        .column = {"flat_bend"},
        .self = term,
        .add_force = flat_force,
        .add_matrix = flat_matrix,
        .add_energy = flat_energy,
        .add_product = flat_product,
        .stencils = stencils_of(term),
        .attach = attach,
    };
}
