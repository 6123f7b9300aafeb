// SPDX-License-Identifier: MIT
#include "eol/spheres.h"

#include "math/vec3.h"

#include <math.h>
#include <string.h>

static const double APART = 1.5;        // diameters in the fabric below which nodes are neighbours
static const double SPARE = 0.5;        // radii that a pair comes nearer than without forces
static const double STICK_SPEED = 1e-3; // m/s: slip below it sticks, as against bodies

HedStatus hed_spheres_create(HedSpheres* spheres, const HedVec3* home, int32_t node_count,
                             double radius, double stiffness, HedError* error) {
    int32_t cells = 16;
    while (cells < node_count) {
        cells *= 2;
    }
    *spheres = (HedSpheres){
        .node_count = node_count,
        .radius = radius,
        .stiffness = stiffness,
        .home = home,
        .cell_first = HED_NEW_ARRAY(int32_t, (int64_t)cells + 2),
        .cell_list = HED_NEW_ARRAY(int32_t, node_count),
        .cell_of = HED_NEW_ARRAY(int32_t, node_count),
        .cell_count = cells,
    };
    if (!spheres->cell_first || !spheres->cell_list || !spheres->cell_of) {
        hed_spheres_free(spheres);
        return hed_fail_memory(error, "spheres of nodes");
    }
    return HED_OK;
}

void hed_spheres_free(HedSpheres* spheres) {
    hed_free(spheres->pairs.data);
    hed_free(spheres->cell_first);
    hed_free(spheres->cell_list);
    hed_free(spheres->cell_of);
    *spheres = (HedSpheres){0};
}

typedef struct Cell {
    int64_t x, y, z;
} Cell;

static Cell cell_at(const double* q, double size) {
    return (Cell){(int64_t)floor(q[0] / size), (int64_t)floor(q[1] / size),
                  (int64_t)floor(q[2] / size)};
}

static int32_t key_of(const HedSpheres* spheres, Cell c) {
    uint64_t h = (uint64_t)c.x * UINT64_C(0x9E3779B97F4A7C15);
    h = (h ^ (h >> 29)) + (uint64_t)c.y * UINT64_C(0xBF58476D1CE4E5B9);
    h = (h ^ (h >> 31)) + (uint64_t)c.z * UINT64_C(0x94D049BB133111EB);
    h ^= h >> 30;
    return (int32_t)(h & (uint64_t)(spheres->cell_count - 1));
}

static void fill_cells(HedSpheres* spheres, const double* q, double size) {
    int32_t* first = spheres->cell_first;
    memset(first, 0, sizeof *first * ((size_t)spheres->cell_count + 2));
    for (int32_t i = 0; i < spheres->node_count; ++i) {
        int32_t key = key_of(spheres, cell_at(q + (int64_t)HED_NODE_SIZE * i, size));
        spheres->cell_of[i] = key;
        first[key + 2] += 1;
    }
    for (int32_t c = 1; c <= spheres->cell_count + 1; ++c) {
        first[c] += first[c - 1];
    }
    for (int32_t i = 0; i < spheres->node_count; ++i) {
        spheres->cell_list[first[spheres->cell_of[i] + 1]++] = i;
    }
}

static HedVec3 way_between(const double* q, int32_t i, int32_t j) {
    const double* a = q + (int64_t)HED_NODE_SIZE * i;
    const double* b = q + (int64_t)HED_NODE_SIZE * j;
    return (HedVec3){b[0] - a[0], b[1] - a[1], b[2] - a[2]};
}

// As far apart as they are, less what they come nearer while they go where they would go.
static bool may_meet(const HedSpheres* spheres, HedSphereMove move, int32_t i, int32_t j) {
    HedVec3 from = way_between(move.start, i, j);
    double nearer = hed_distance3(from, way_between(move.guess, i, j));
    double far = (2.0 + SPARE) * spheres->radius + nearer;
    return hed_dot3(from, from) < far * far &&
           hed_distance3(spheres->home[i], spheres->home[j]) > APART * 2.0 * spheres->radius;
}

static double depth_of(const HedSpheres* spheres, HedVec3 way) {
    return fmax(0.0, 2.0 * spheres->radius - hed_norm3(way));
}

static HedSpherePair pair_of(const HedSpheres* spheres, const double* start, int32_t i, int32_t j) {
    HedVec3 way = way_between(start, i, j);
    return (HedSpherePair){
        .node = {i, j},
        .across = hed_unit3(way, (HedVec3){0.0, 0.0, 1.0}),
        .limit = spheres->friction * spheres->stiffness * depth_of(spheres, way),
    };
}

// Cells that share a key are all looked at; a node is met once, by the key that it stands under.
static bool look_around(HedSpheres* spheres, HedSphereMove move, int32_t i, double size) {
    Cell at = cell_at(move.start + (int64_t)HED_NODE_SIZE * i, size);
    int32_t seen[27] = {0};
    int32_t seen_count = 0;
    for (int k = 0; k < 27; ++k) {
        Cell c = {at.x + k % 3 - 1, at.y + k / 3 % 3 - 1, at.z + k / 9 - 1};
        int32_t key = key_of(spheres, c);
        bool is_new = true;
        for (int32_t m = 0; m < seen_count; ++m) {
            is_new = is_new && seen[m] != key;
        }
        if (!is_new) {
            continue;
        }
        seen[seen_count++] = key;
        for (int32_t e = spheres->cell_first[key]; e < spheres->cell_first[key + 1]; ++e) {
            int32_t j = spheres->cell_list[e];
            if (j > i && may_meet(spheres, move, i, j) &&
                !HED_APPEND(&spheres->pairs, pair_of(spheres, move.start, i, j))) {
                return false;
            }
        }
    }
    return true;
}

static HedVec3 move_of(HedSphereMove move, int32_t node) {
    const double* from = move.start + (int64_t)HED_NODE_SIZE * node;
    const double* to = move.guess + (int64_t)HED_NODE_SIZE * node;
    return (HedVec3){to[0] - from[0], to[1] - from[1], to[2] - from[2]};
}

double hed_spheres_reach(const HedSpheres* spheres, HedSphereMove move) {
    HedVec3 mean = {0};
    double reach = 0.0;
    for (int32_t i = 0; i < spheres->node_count; ++i) {
        mean = hed_madd3(mean, 1.0 / spheres->node_count, move_of(move, i));
    }
    for (int32_t i = 0; i < spheres->node_count; ++i) {
        reach = fmax(reach, hed_distance3(move_of(move, i), mean));
    }
    return reach;
}

HedStatus hed_spheres_find(HedSpheres* spheres, HedSphereMove move, HedError* error) {
    double size = (2.0 + SPARE) * spheres->radius + 2.0 * hed_spheres_reach(spheres, move);
    spheres->pairs.count = 0;
    fill_cells(spheres, move.start, size);
    for (int32_t i = 0; i < spheres->node_count; ++i) {
        if (!look_around(spheres, move, i, size)) {
            return hed_fail_memory(error, "pairs of spheres");
        }
    }
    return HED_OK;
}

// On a straight way from one to the other the pair is nearest at share s of it.
static bool has_passed(HedVec3 from, HedVec3 to, double near) {
    HedVec3 way = hed_sub3(to, from);
    double length = hed_dot3(way, way);
    double s = length > 0.0 ? fmin(1.0, fmax(0.0, -hed_dot3(from, way) / length)) : 0.0;
    return hed_dot3(from, to) < 0.0 && hed_norm3(hed_madd3(from, s, way)) < near;
}

bool hed_spheres_passed(const HedSpheres* spheres, const double* start, const double* end) {
    for (int32_t k = 0; k < spheres->pairs.count; ++k) {
        const int32_t* node = spheres->pairs.data[k].node;
        if (has_passed(way_between(start, node[0], node[1]), way_between(end, node[0], node[1]),
                       2.0 * spheres->radius)) {
            return true;
        }
    }
    return false;
}

static bool is_free(const uint8_t* is_held, int32_t node) {
    const uint8_t* at = is_held + (int64_t)HED_NODE_SIZE * node;
    return !(at[0] || at[1] || at[2]);
}

static HedFrictionPlane friction_of(const HedSpherePair* pair, const HedSphereEval* at) {
    HedVec3 slip = hed_sub3(way_between(at->q, pair->node[0], pair->node[1]),
                            way_between(at->start, pair->node[0], pair->node[1]));
    return hed_friction_plane(slip, pair->across,
                              (HedFriction){pair->limit, STICK_SPEED * at->size}, at->bound);
}

// What a pair does at a state: energy, derivative by the way from the first to the second. Its
// block is kept.
static HedVec3 evaluate_pair(const HedSpheres* spheres, const HedSphereEval* at,
                             HedSpherePair* pair, double* energy) {
    HedVec3 way = way_between(at->q, pair->node[0], pair->node[1]);
    HedVec3 t = hed_unit3(way, (HedVec3){0.0, 0.0, 1.0});
    double depth = depth_of(spheres, way);
    HedFrictionPlane friction = friction_of(pair, at);
    double stiffness = depth > 0.0 ? spheres->stiffness : 0.0;
    pair->block = hed_mat3_add(hed_mat3_outer_diag(stiffness, t, 0.0), friction.hessian);
    *energy += 0.5 * stiffness * depth * depth + friction.energy;
    return hed_madd3(friction.gradient, -stiffness * depth, t);
}

double hed_spheres_add(HedSpheres* spheres, const HedSphereEval* at, double* gradient,
                       double* diagonal) {
    double energy = 0.0;
    for (int32_t k = 0; k < spheres->pairs.count; ++k) {
        HedSpherePair* pair = &spheres->pairs.data[k];
        HedVec3 pull = evaluate_pair(spheres, at, pair, &energy);
        const double along[3] = {pull.x, pull.y, pull.z};
        for (int s = 0; s < 2; ++s) {
            double* g = gradient + (int64_t)HED_NODE_SIZE * pair->node[s];
            double* own = diagonal ? diagonal + (int64_t)HED_NODE_DIAGONAL * pair->node[s] : NULL;
            for (int r = 0; r < 3; ++r) {
                g[r] += s == 0 ? -along[r] : along[r];
                for (int c = r; own && c < 3; ++c) {
                    own[hed_eol_diagonal(r, c)] += pair->block.m[r][c];
                }
            }
        }
        if (!is_free(at->is_held, pair->node[0]) || !is_free(at->is_held, pair->node[1])) {
            pair->block = (HedMat3){0};
        }
    }
    return energy;
}

double hed_spheres_heat(const HedSpheres* spheres, const HedSphereEval* at) {
    double sum = 0.0;
    for (int32_t k = 0; k < spheres->pairs.count; ++k) {
        const HedSpherePair* pair = &spheres->pairs.data[k];
        HedVec3 slip = hed_sub3(way_between(at->q, pair->node[0], pair->node[1]),
                                way_between(at->start, pair->node[0], pair->node[1]));
        sum += hed_dot3(friction_of(pair, at).gradient, slip);
    }
    return sum;
}

double hed_spheres_energy(const HedSpheres* spheres, const double* q) {
    double sum = 0.0;
    for (int32_t k = 0; k < spheres->pairs.count; ++k) {
        const int32_t* node = spheres->pairs.data[k].node;
        double depth = depth_of(spheres, way_between(q, node[0], node[1]));
        sum += 0.5 * spheres->stiffness * depth * depth;
    }
    return sum;
}

void hed_spheres_multiply(const HedSpheres* spheres, const double* x, double* y) {
    for (int32_t k = 0; k < spheres->pairs.count; ++k) {
        const HedSpherePair* pair = &spheres->pairs.data[k];
        for (int s = 0; s < 2; ++s) {
            const double* from = x + (int64_t)HED_NODE_SIZE * pair->node[1 - s];
            double* to = y + (int64_t)HED_NODE_SIZE * pair->node[s];
            HedVec3 product = hed_mat3_apply(pair->block, (HedVec3){from[0], from[1], from[2]});
            to[0] -= product.x;
            to[1] -= product.y;
            to[2] -= product.z;
        }
    }
}
