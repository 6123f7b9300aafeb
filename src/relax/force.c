// SPDX-License-Identifier: MIT
// Forces on the points of yarns, and masses that suit them.
#include "relax/kernel_chain.h"
#include "relax/relax.h"

// What the loop over points leaves for a block of them.
typedef struct BlockSum {
    double energy, strain;
} BlockSum;

static bool has_turn(const HedRelax* r, int32_t i) {
    return r->prev[i] >= 0 && r->next[i] >= 0;
}

// Stiffness of the plates, as hard as contact between yarns pressed by a tenth.
static double plate_stiffness(const HedRelax* r) {
    return r->def.contact;
}

static BlockSum find_block(HedRelax* r, int32_t first, int32_t end) {
    BlockSum part = {0.0, 0.0};
    for (int32_t i = first; i < end; ++i) {
        int32_t j = r->next[i];
        if (j >= 0) {
            HedPieceOut piece = hed_piece_eval(r->x[i], r->x[r->next_at[i]], r->length[i],
                                               r->def.stretch * r->bend[i]);
            r->tension[i] = piece.grad;
            part.energy += piece.energy;
            part.strain = fmax(part.strain, fabs(piece.strain));
        }
        if (has_turn(r, i)) {
            int32_t h = r->prev[i];
            double mean = 0.5 * (r->length[h] + r->length[i]);
            HedTurnOut turn =
                hed_turn_eval(r->x[r->prev_at[i]], r->x[i], r->x[r->next_at[i]], r->bend[i], mean);
            r->first[i] = turn.first;
            r->last[i] = turn.last;
            part.energy += turn.energy;
        }
    }
    return part;
}

static void gather_block(HedRelax* r, int32_t first, int32_t end) {
    double half = 0.5 * r->def.plates;
    for (int32_t i = first; i < end; ++i) {
        int32_t h = r->prev[i], j = r->next[i];
        HedVec3 f = {0};
        if (j >= 0) {
            f = hed_add3(f, r->tension[i]);
        }
        if (h >= 0) {
            f = hed_sub3(f, r->tension[h]);
        }
        if (has_turn(r, i)) {
            f = hed_add3(f, hed_add3(r->first[i], r->last[i]));
        }
        if (j >= 0 && has_turn(r, j)) {
            f = hed_sub3(f, r->first[j]);
        }
        if (h >= 0 && has_turn(r, h)) {
            f = hed_sub3(f, r->last[h]);
        }
        if (half > 0.0 && fabs(r->x[i].z) > half - 0.5) {
            double deep = fabs(r->x[i].z) - (half - 0.5);
            f.z -= plate_stiffness(r) * (r->x[i].z > 0.0 ? deep : -deep);
        }
        r->force[i] = f;
    }
}

HedStatus hed_relax_find_force(HedRelax* relax, HedError* error) {
    HedRelax* r = relax;
    int32_t blocks = hed_block_count(r->count);
    hed_relax_place(r, r->moves); // x has been
    const HedVec3* x = hed_relax_spread(r, HED_YARN_ROOM_X, r->x);
    const HedVec3* v = hed_relax_spread(r, HED_YARN_ROOM_V, r->moves);
    HedStatus status = hed_yarn_update(&r->contact, x, error);
    if (status != HED_OK) {
        return status;
    }
#pragma omp parallel for schedule(static)                                                          \
    num_threads(hed_team_size(&r->team, 60 * (int64_t)r->count))
    for (int32_t b = 0; b < blocks; ++b) {
        BlockSum part = find_block(r, b * HED_BLOCK, hed_min_i32(r->count, (b + 1) * HED_BLOCK));
        r->team.partial[2 * b] = part.energy;
        r->team.partial[2 * b + 1] = part.strain;
    }
    r->energy = r->strain = 0.0;
    for (int32_t b = 0; b < blocks; ++b) {
        r->energy += r->team.partial[2 * b];
        r->strain = fmax(r->strain, r->team.partial[2 * b + 1]);
    }
#pragma omp parallel for schedule(static)                                                          \
    num_threads(hed_team_size(&r->team, 30 * (int64_t)r->count))
    for (int32_t b = 0; b < blocks; ++b) {
        gather_block(r, b * HED_BLOCK, hed_min_i32(r->count, (b + 1) * HED_BLOCK));
    }
    HedVec3* all = r->repeats ? hed_copies_open(&r->copies) : r->force;
    HedYarnSum sum = hed_yarn_add_force(&r->contact, (HedYarnState){x, v, r->ahead}, all);
    hed_relax_fold(r);
    r->energy += sum.energy;
    r->overlap = 1.0 - sum.deepest;
    return HED_OK;
}

// Gershgorin's bound of what stretching and bending at a point add to its row: two ends of a piece
// are bound by twice its stiffness k/L each; a turn with pieces L long by 16 B/L^3 in the middle
// and 8 B/L^3 outside.
static double chain_bound(const HedRelax* r, int32_t i) {
    double sum = 0.0;
    for (int side = -1; side <= 1; ++side) {
        int32_t k = side < 0 ? r->prev[i] : (side == 0 ? i : r->next[i]);
        if (k >= 0 && has_turn(r, k)) {
            double shorter = fmin(r->length[r->prev[k]], r->length[k]);
            double mean = 0.5 * (r->length[r->prev[k]] + r->length[k]);
            sum += (side == 0 ? 8.0 : 4.0) * r->bend[k] / (mean * shorter * shorter);
        }
        if (k >= 0 && side < 1 && r->next[k] >= 0) {
            sum += 2.0 * r->def.stretch * r->bend[k] / r->length[k];
        }
    }
    return sum + (r->def.plates > 0.0 ? plate_stiffness(r) : 0.0);
}

HedStatus hed_relax_find_mass(HedRelax* relax, HedError* error) {
    const double nearly = 0.1; // contacts that are about to begin count
    HedRelax* r = relax;
    const HedVec3* x = hed_relax_spread(r, HED_YARN_ROOM_X, r->x);
    HedStatus status = hed_yarn_update_ahead(&r->contact, x, nearly, error);
    if (status != HED_OK) {
        return status;
    }
    HedYarnBound bound = {NULL, nearly, r->scratch};
    const HedVec3* v = hed_relax_spread(r, HED_YARN_ROOM_V, r->moves);
    hed_yarn_rate(&r->contact, (HedYarnState){x, v, r->ahead}, bound);
    for (int32_t i = 0; i < r->count; ++i) {
        r->mass[i] = chain_bound(r, i) + (r->repeats ? 0.0 : r->scratch[i].x);
    }
    return hed_relax_fold_mass(r, error);
}
