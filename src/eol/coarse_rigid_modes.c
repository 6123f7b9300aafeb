// SPDX-License-Identifier: MIT
#include "eol/coarse_rigid_modes.h"

#include "base/array.h"
#include "math/mat3.h"

#include <math.h>
#include <string.h>

// Nodes of a patch. Knits are stiff across their yarns as well, which lines do not see. Near the
// edges of a knit, where loops flap and roll by themselves, a node counts as two.
enum { PATCH_WOVEN = 32, PATCH_KNITTED = 12, RIM = 5 };

// Patches that are solved directly: sweeps over patches of patches do not fit the smooth motions of
// cloth, and leave two (weaves) to six times (knits) as many iterations. With more patches, from
// the level on that has so few: factors of so many take 1 GB.
enum { DIRECT = 40000 };

// Part of a patch's length: one that is narrower hardly resists turning about itself.
static const double NARROW = 0.01;

typedef HED_ARRAY(HedPatchPair) Pairs;

// Positions' block between a node and another one, and which that is.
typedef struct Coupling {
    int32_t node;
    double m[3][3];
} Coupling;

enum { ALONG = 12 }; // neighbours along two yarns

void hed_eol_rigid_modes_free(HedEolRigidModes* patches) {
    hed_free(patches->first);
    hed_free(patches->patch_of);
    hed_free(patches->reach);
    hed_free(patches->arm);
    hed_free(patches->is_free);
    hed_coarse_free(&patches->coarse);
    *patches = (HedEolRigidModes){0};
}

// One block along a yarn: of size n, from place `low`, as its own row or as the other's.
static void load_coupling(const double* block, int n, int32_t low, bool is_row, Coupling* out) {
    const double* b =
        block + (int64_t)(low / HED_YARN_PACK) * n * n * HED_YARN_PACK + low % HED_YARN_PACK;
    for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 3; ++c) {
            out->m[r][c] = b[(is_row ? r * n + c : c * n + r) * HED_YARN_PACK];
        }
    }
}

// All nodes that a node is coupled to along its yarns; with their blocks if has_values.
static int32_t find_along(const HedEolMatrix* m, int32_t node, bool has_values,
                          Coupling out[ALONG]) {
    const HedYarnPacks* bands = m->bands;
    const double* blocks[3] = {m->near, m->far, m->third};
    int32_t count = 0;
    for (int s = 0; s < 2; ++s) {
        int32_t place = bands->place[node][s];
        if (place >= bands->step_count * HED_YARN_PACK) {
            continue;
        }
        for (int k = 0; k < (m->third ? 3 : 2); ++k) {
            int32_t ahead = place + (k + 1) * HED_YARN_PACK;
            int32_t behind = place - (k + 1) * HED_YARN_PACK;
            for (int side = 0; side < 2; ++side) {
                int32_t other = side ? behind : ahead;
                if (bands->visit[other] < 0) {
                    continue;
                }
                out[count].node = bands->node[other];
                if (has_values) {
                    load_coupling(blocks[k], k < 2 ? 4 : 3, side ? behind : place, side == 0,
                                  &out[count]);
                }
                count += 1;
            }
        }
    }
    return count;
}

static bool note_pair(int32_t p, int32_t q, int32_t* mark, Pairs* out) {
    if (q <= p || mark[q] == p + 1) {
        return true;
    }
    mark[q] = p + 1;
    return HED_APPEND(out, (HedPatchPair){p, q});
}

static bool find_pairs(const HedEolRigidModes* patches, int32_t* mark, Pairs* out) {
    const HedEolMatrix* m = patches->matrix;
    bool ok = true;
    for (int32_t i = 0; ok && i < m->bands->node_count; ++i) {
        int32_t p = patches->patch_of[i];
        Coupling along[ALONG];
        int32_t count = find_along(m, i, false, along);
        for (int32_t k = 0; ok && k < count; ++k) {
            ok = note_pair(p, patches->patch_of[along[k].node], mark, out);
        }
        for (int32_t k = m->pairs.row_first[i]; ok && k < m->pairs.row_first[i + 1]; ++k) {
            int32_t other = m->pairs.nodes[m->pairs.row[k] / 2][1 - (m->pairs.row[k] & 1)];
            ok = note_pair(p, patches->patch_of[other], mark, out);
        }
    }
    return ok;
}

// Marks nodes near the edges of a knit: few steps from those on one yarn only.
static void find_rim(const HedEolMatrix* m, uint8_t* rim) {
    const HedYarnPacks* bands = m->bands;
    for (int32_t i = 0; i < bands->node_count; ++i) {
        rim[i] = bands->place[i][1] >= bands->step_count * HED_YARN_PACK;
    }
    for (int round = 1; round <= RIM; ++round) {
        for (int32_t i = 0; i < bands->node_count; ++i) {
            Coupling along[ALONG];
            int32_t count = rim[i] == round ? find_along(m, i, false, along) : 0;
            for (int32_t k = 0; k < count; ++k) {
                uint8_t* other = &rim[along[k].node];
                *other = *other == 0 ? (uint8_t)(round + 1) : *other;
            }
        }
    }
}

// Nodes that follow each other, until a patch is full.
static void cut_patches(HedEolRigidModes* patches, const uint8_t* rim, int32_t size) {
    int32_t nodes = patches->matrix->bands->node_count;
    int32_t sum = size;
    for (int32_t i = 0; i < nodes; ++i) {
        if (sum >= size) {
            patches->first[patches->count++] = i;
            sum = 0;
        }
        sum += rim[i] > 0 ? 2 : 1;
    }
    patches->first[patches->count] = nodes;
}

static void make_patches(HedEolRigidModes* patches, const HedVec3* x, HedVec3* centre) {
    for (int32_t p = 0; p < patches->count; ++p) {
        int32_t begin = patches->first[p];
        int32_t end = patches->first[p + 1];
        HedVec3 sum = {0};
        for (int32_t i = begin; i < end; ++i) {
            sum = hed_add3(sum, x[i]);
        }
        centre[p] = hed_mul3(1.0 / (end - begin), sum);
        for (int32_t i = begin; i < end; ++i) {
            patches->patch_of[i] = p;
            patches->reach[i] = hed_sub3(x[i], centre[p]);
        }
    }
}

static HedStatus make_coarse(HedEolRigidModes* patches, const HedVec3* x) {
    HedVec3* centre = HED_NEW_ARRAY(HedVec3, patches->count);
    int32_t* mark = HED_NEW_ARRAY(int32_t, patches->count);
    Pairs pairs = {0};
    HedStatus status = HED_NO_MEMORY;
    if (centre && mark) {
        make_patches(patches, x, centre);
        if (find_pairs(patches, mark, &pairs)) {
            status = hed_coarse_create(&patches->coarse, patches->count, centre, pairs.data,
                                       pairs.count);
        }
    }
    hed_free(centre);
    hed_free(mark);
    hed_free(pairs.data);
    return status;
}

HedStatus hed_eol_rigid_modes_create(HedEolRigidModes* patches, const HedEolMatrix* matrix,
                                     const HedVec3* x, bool is_knitted, HedError* error) {
    int32_t nodes = matrix->bands->node_count;
    *patches = (HedEolRigidModes){
        .matrix = matrix,
        .first = HED_NEW_ARRAY(int32_t, (int64_t)nodes + 1),
        .patch_of = HED_NEW_ARRAY(int32_t, nodes),
        .reach = HED_NEW_ARRAY(HedVec3, nodes),
        .arm = HED_NEW_ARRAY(HedVec3, nodes),
        .is_free = HED_NEW_ARRAY(double, nodes),
    };
    patches->coarse.team = matrix->team;
    patches->coarse.direct_most = DIRECT;
    uint8_t* rim = HED_NEW_ARRAY(uint8_t, nodes);
    HedStatus status = HED_NO_MEMORY;
    if (patches->first && patches->patch_of && patches->reach && patches->arm && patches->is_free &&
        rim) {
        if (is_knitted) {
            find_rim(matrix, rim);
        }
        cut_patches(patches, rim, is_knitted ? PATCH_KNITTED : PATCH_WOVEN);
        status = make_coarse(patches, x);
    }
    hed_free(rim);
    if (status != HED_OK) {
        hed_eol_rigid_modes_free(patches);
        return hed_fail_memory(error, "patches of the net");
    }
    return HED_OK;
}

// to += P_i' block P_j, by columns, a and b the arms of i and j.
static void project(const double m[3][3], HedVec3 a, HedVec3 b, double* to) {
    double half[3][HED_MODES];
    for (int r = 0; r < 3; ++r) {
        const double* row = m[r];
        half[r][0] = row[0];
        half[r][1] = row[1];
        half[r][2] = row[2];
        half[r][3] = b.y * row[2] - b.z * row[1];
        half[r][4] = b.z * row[0] - b.x * row[2];
        half[r][5] = b.x * row[1] - b.y * row[0];
    }
    for (int c = 0; c < HED_MODES; ++c) {
        double x = half[0][c], y = half[1][c], z = half[2][c];
        double* out = to + HED_MODES * c;
        out[0] += x;
        out[1] += y;
        out[2] += z;
        out[3] += a.y * z - a.z * y;
        out[4] += a.z * x - a.x * z;
        out[5] += a.x * y - a.y * x;
    }
}

static bool has_block(const HedCoarseLevel* level, int32_t row, int32_t column) {
    bool found = false;
    for (int32_t e = level->first[row]; e < level->first[row + 1] && !found; ++e) {
        found = level->column[e] == column;
    }
    return found;
}

// What stands in place of a coupling that the pattern has no room for: the size of the block on the
// diagonal of either node is never less than the block itself.
static void add_bound(HedEolRigidModes* patches, int32_t i, const Coupling* with) {
    double sum = 0.0;
    for (int k = 0; k < 9; ++k) {
        sum += with->m[k / 3][k % 3] * with->m[k / 3][k % 3];
    }
    double size = sqrt(sum);
    const double bound[3][3] = {{size, 0.0, 0.0}, {0.0, size, 0.0}, {0.0, 0.0, size}};
    int64_t at = (int64_t)HED_MODES2 * patches->patch_of[i];
    project(bound, patches->arm[i], patches->arm[i], patches->coarse.level[0].diagonal + at);
}

// Adds one coupling of node i to the row of its patch: to the diagonal, or to a block right of it.
static void add_coupling(HedEolRigidModes* patches, int32_t i, const Coupling* with) {
    HedCoarseLevel* level = &patches->coarse.level[0];
    int32_t p = patches->patch_of[i];
    int32_t q = patches->patch_of[with->node];
    bool is_free = patches->is_free[with->node] > 0.0;
    if (patches->is_loose && is_free && q != p && !has_block(level, p, q)) {
        add_bound(patches, i, with);
        return;
    }
    if (q < p || !is_free) {
        return;
    }
    double* to = q == p ? level->diagonal + (int64_t)HED_MODES2 * p : hed_coarse_block(level, p, q);
    project(with->m, patches->arm[i], patches->arm[with->node], to);
}

static void project_node(HedEolRigidModes* patches, int32_t i) {
    const HedEolMatrix* m = patches->matrix;
    const double* d = m->diagonal + (int64_t)HED_NODE_DIAGONAL * i;
    Coupling own = {i, {{d[0], d[1], d[2]}, {d[1], d[5], d[6]}, {d[2], d[6], d[9]}}};
    Coupling along[ALONG];
    int32_t count = find_along(m, i, true, along);
    add_coupling(patches, i, &own);
    for (int32_t k = 0; k < count; ++k) {
        add_coupling(patches, i, &along[k]);
    }
    for (int32_t k = m->pairs.row_first[i]; k < m->pairs.row_first[i + 1]; ++k) {
        int32_t pair = m->pairs.row[k] / 2;
        bool is_second = m->pairs.row[k] & 1;
        Coupling with = {.node = m->pairs.nodes[pair][is_second ? 0 : 1]};
        for (int r = 0; r < 3; ++r) {
            for (int c = 0; c < 3; ++c) {
                with.m[r][c] = m->pairs.block[pair][is_second ? 3 * c + r : 3 * r + c];
            }
        }
        add_coupling(patches, i, &with);
    }
}

static void project_patch(HedEolRigidModes* patches, int32_t p) {
    HedCoarseLevel* level = &patches->coarse.level[0];
    memset(level->diagonal + (int64_t)HED_MODES2 * p, 0, HED_MODES2 * sizeof(double));
    memset(level->block + (int64_t)HED_MODES2 * level->first[p], 0,
           HED_MODES2 * sizeof(double) * (size_t)(level->first[p + 1] - level->first[p]));
    for (int32_t i = patches->first[p]; i < patches->first[p + 1]; ++i) {
        if (patches->is_free[i] > 0.0) {
            project_node(patches, i);
        }
    }
}

// Whether the free nodes of a patch are spread about more than a line: the second moments about
// their middle have eigenvalues l1 >= l2 >= l3, and l1 l2 + l1 l3 + l2 l3 is about l1 (l2 + l3).
static bool can_turn(const HedEolRigidModes* patches, int32_t p) {
    double count = 0.0, m[6] = {0};
    HedVec3 sum = {0};
    for (int32_t i = patches->first[p]; i < patches->first[p + 1]; ++i) {
        HedVec3 a = hed_mul3(patches->is_free[i], patches->reach[i]);
        count += patches->is_free[i];
        sum = hed_add3(sum, a);
        const double products[6] = {a.x * a.x, a.y * a.y, a.z * a.z,
                                    a.x * a.y, a.x * a.z, a.y * a.z};
        for (int k = 0; k < 6; ++k) {
            m[k] += products[k];
        }
    }
    HedVec3 c = hed_mul3(1.0 / fmax(1.0, count), sum);
    double xx = m[0] - count * c.x * c.x, yy = m[1] - count * c.y * c.y;
    double zz = m[2] - count * c.z * c.z, xy = m[3] - count * c.x * c.y;
    double xz = m[4] - count * c.x * c.z, yz = m[5] - count * c.y * c.z;
    double trace = xx + yy + zz;
    double minors = xx * yy - xy * xy + xx * zz - xz * xz + yy * zz - yz * yz;
    return minors > NARROW * NARROW * trace * trace;
}

static void find_arms(HedEolRigidModes* patches, int32_t p) {
    bool turns = can_turn(patches, p);
    for (int32_t i = patches->first[p]; i < patches->first[p + 1]; ++i) {
        patches->arm[i] = turns ? patches->reach[i] : (HedVec3){0};
    }
}

bool hed_eol_rigid_modes_update(HedEolRigidModes* patches, const uint8_t* is_held) {
    int32_t nodes = patches->matrix->bands->node_count;
    for (int32_t i = 0; i < nodes; ++i) {
        const uint8_t* held = is_held + (int64_t)HED_NODE_SIZE * i;
        patches->is_free[i] = held[0] || held[1] || held[2] ? 0.0 : 1.0;
    }
    for (int32_t p = 0; p < patches->count; ++p) {
        find_arms(patches, p);
    }
#pragma omp parallel for schedule(static)                                                          \
    num_threads(hed_team_size(patches->matrix->team, INT64_C(400) * nodes))
    for (int32_t p = 0; p < patches->count; ++p) {
        project_patch(patches, p);
    }
    return hed_coarse_update(&patches->coarse);
}

static void sum_patch(const HedEolRigidModes* patches, int32_t p, const double* r) {
    HedVec3 shift = {0};
    HedVec3 turn = {0};
    for (int32_t i = patches->first[p]; i < patches->first[p + 1]; ++i) {
        const double* at = r + (int64_t)HED_NODE_SIZE * i;
        HedVec3 value = hed_mul3(patches->is_free[i], (HedVec3){at[0], at[1], at[2]});
        shift = hed_add3(shift, value);
        turn = hed_add3(turn, hed_cross3(patches->arm[i], value));
    }
    double* out = patches->coarse.level[0].b + (int64_t)HED_MODES * p;
    memcpy(out, &shift, sizeof shift);
    memcpy(out + 3, &turn, sizeof turn);
}

static void move_patch(const HedEolRigidModes* patches, int32_t p, bool adds, double* z) {
    const double* in = patches->coarse.level[0].x + (int64_t)HED_MODES * p;
    HedVec3 shift = {in[0], in[1], in[2]};
    HedVec3 turn = {in[3], in[4], in[5]};
    for (int32_t i = patches->first[p]; i < patches->first[p + 1]; ++i) {
        HedVec3 moved = hed_add3(shift, hed_cross3(turn, patches->arm[i]));
        double* at = z + (int64_t)HED_NODE_SIZE * i;
        if (!adds) {
            memset(at, 0, sizeof *at * HED_NODE_SIZE);
        }
        at[0] += patches->is_free[i] * moved.x;
        at[1] += patches->is_free[i] * moved.y;
        at[2] += patches->is_free[i] * moved.z;
    }
}

static void solve(const HedEolRigidModes* patches, const double* r, bool adds, double* z,
                  HedThreadTeam threads) {
    HedShare own = hed_thread_team_share(threads, 0, patches->count);
    for (int32_t p = own.first; p < own.end; ++p) {
        sum_patch(patches, p, r);
    }
    hed_thread_team_barrier(threads);
    hed_coarse_solve(&patches->coarse, threads);
    for (int32_t p = own.first; p < own.end; ++p) {
        move_patch(patches, p, adds, z);
    }
    hed_thread_team_barrier(threads);
}

void hed_eol_rigid_modes_solve(const HedEolRigidModes* patches, const double* r, double* z,
                               HedThreadTeam threads) {
    solve(patches, r, false, z, threads);
}

void hed_eol_rigid_modes_add(const HedEolRigidModes* patches, const double* r, double* z,
                             HedThreadTeam threads) {
    solve(patches, r, true, z, threads);
}
