// SPDX-License-Identifier: MIT
#include "sim/retract.h"
#include "base/alloc.h"
#include "math/vec3.h"
#include "sim/newton.h"

#include <string.h>

static HedStatus list_chains(HedSim* sim, HedChain* chains, double* length, HedError* error) {
    double* next = length;
    for (int32_t k = 0; k < sim->strand_list.count; ++k) {
        const HedCurve* strand = &sim->strand_list.data[k];
        chains[k] = (HedChain){strand->first, strand->count, strand->is_closed, 0};
        for (int32_t s = 0; s < hed_curve_segment_count(strand); ++s) {
            *next++ = 1.0; // written by each move
        }
    }
    return hed_lengths_create(&sim->retract->lengths, chains, sim->strand_list.count, length,
                              error);
}

HedStatus hed_retract_create(HedSim* sim, HedError* error) {
    int32_t count = sim->strand_list.count;
    if (count == 0) {
        return HED_OK;
    }
    HedRetract* own = sim->retract = HED_NEW(HedRetract);
    HedChain* chains = HED_NEW_ARRAY(HedChain, count);
    double* length = HED_NEW_ARRAY(double, sim->x.count);
    HedStatus status = HED_OK;
    if (own) {
        own->base = HED_NEW_ARRAY(HedVec3, sim->x.count);
        own->before = HED_NEW_ARRAY(HedVec3, sim->x.count);
        own->tangent = HED_NEW_ARRAY(HedVec3, sim->x.count);
    }
    if (!own || !chains || !length || !own->base || !own->before || !own->tangent) {
        status = hed_fail_memory(error, "corrections of yarns");
    } else {
        status = list_chains(sim, chains, length, error);
    }
    hed_free(chains);
    hed_free(length);
    return status;
}

void hed_retract_free(HedSim* sim) {
    HedRetract* own = sim->retract;
    if (own) {
        hed_lengths_free(&own->lengths);
        hed_free(own->base);
        hed_free(own->before);
        hed_free(own->tangent);
        hed_free(own);
    }
}

// One yarn: where it comes from, what it is asked to do, and where it goes.
typedef struct Yarn {
    const HedVec3* base;
    const HedVec3* direction;
    const double* free; // 0: held
    double* length;     // m, of segments: what they are to have
    HedVec3* x;
    int32_t count;
    bool is_closed;
} Yarn;

// The edge that segment k is to be, and its length.
static HedVec3 edge_of(const Yarn* yarn, double place, int32_t k) {
    int32_t next = k + 1 < yarn->count ? k + 1 : 0;
    HedVec3 e = hed_sub3(yarn->base[next], yarn->base[k]);
    HedVec3 d = hed_mul3(place, hed_sub3(yarn->direction[next], yarn->direction[k]));
    HedVec3 sum = hed_add3(e, d);
    double before = hed_norm3(e);
    double after = hed_norm3(sum);
    double wanted = before > 0.0 ? before + hed_dot3(e, d) / before : after;
    // A correction that would turn the segment inside out is no small change of its length.
    bool is_sound = wanted > 0.25 * before && after > 0.0;
    yarn->length[k] = is_sound ? wanted : fmax(after, 1e-3 * before);
    return is_sound ? hed_mul3(wanted / after, sum) : sum;
}

// Lays edges one after the other. Where the yarn is held again, or closes, what is missing is
// spread over all points since; true if there was such a place.
static bool lay_edges(const Yarn* yarn, double place) {
    int32_t segments = yarn->count - !yarn->is_closed;
    int32_t held = yarn->free[0] == 0.0 || yarn->is_closed ? 0 : -1;
    bool is_closed = false;
    yarn->x[0] = hed_madd3(yarn->base[0], place, yarn->direction[0]);
    for (int32_t k = 0; k < segments; ++k) {
        int32_t next = k + 1;
        HedVec3 end = hed_add3(yarn->x[k], edge_of(yarn, place, k));
        bool is_round = next == yarn->count;
        HedVec3 goal =
            is_round ? yarn->x[0] : hed_madd3(yarn->base[next], place, yarn->direction[next]);
        if (!is_round) {
            yarn->x[next] = end;
        }
        if (!is_round && yarn->free[next] != 0.0) {
            continue;
        }
        HedVec3 miss = hed_sub3(goal, end);
        int32_t from = held >= 0 ? held : 0;
        for (int32_t i = from; i <= next && i < yarn->count; ++i) {
            double part = held >= 0 ? (double)(i - from) / (next - from) : 1.0;
            yarn->x[i] = hed_madd3(yarn->x[i], part, miss);
        }
        is_closed = is_closed || held >= 0;
        held = next;
    }
    return is_closed;
}

// A yarn that nothing holds goes with the mean of what it is asked to do.
static void centre(const Yarn* yarn, double place) {
    HedVec3 sum = {0};
    for (int32_t k = 0; k < yarn->count; ++k) {
        if (yarn->free[k] == 0.0) {
            return;
        }
        HedVec3 plain = hed_madd3(yarn->base[k], place, yarn->direction[k]);
        sum = hed_add3(sum, hed_sub3(plain, yarn->x[k]));
    }
    for (int32_t k = 0; k < yarn->count; ++k) {
        yarn->x[k] = hed_madd3(yarn->x[k], 1.0 / yarn->count, sum);
    }
}

static Yarn yarn_of(const HedSim* sim, int32_t c, HedVec3* x) {
    const HedRetract* own = sim->retract;
    const HedChain* chain = &own->lengths.chain[c];
    return (Yarn){.base = own->base + chain->first,
                  .direction = hed_point_block(sim->implicit.direction) + chain->first,
                  .free = sim->inverse_mass + chain->first,
                  .length = own->lengths.length + chain->first_segment,
                  .x = x + chain->first,
                  .count = chain->point_count,
                  .is_closed = chain->is_closed};
}

static void move(const HedSim* sim, double place, HedVec3* x) {
    // Lengths are met to rounding, or not at all: then the yarn is taut between held points.
    const HedProjectionLimit limit = {1e-12, 8};
    const double met = 1e-7;
    HedRetract* own = sim->retract;
    bool is_closed = false;
    const HedVec3* d = hed_point_block(sim->implicit.direction);
    for (int32_t i = 0; i < sim->x.count; ++i) {
        x[i] = hed_madd3(own->base[i], place, d[i]);
    }
    for (int32_t c = 0; c < own->lengths.chain_count; ++c) {
        Yarn yarn = yarn_of(sim, c, x);
        is_closed = lay_edges(&yarn, place) || is_closed;
        centre(&yarn, place);
    }
    if (!is_closed) {
        return;
    }
    hed_lengths_project(&own->lengths, &sim->team, limit, sim->inverse_mass, x);
    for (int32_t c = 0; c < own->lengths.chain_count; ++c) {
        Yarn yarn = yarn_of(sim, c, x);
        for (int32_t k = 0; k < yarn.count && !(own->lengths.error[c] <= met); ++k) {
            yarn.x[k] = hed_madd3(yarn.base[k], place, yarn.direction[k]);
        }
    }
}

void hed_retract_begin(const HedSim* sim) {
    memcpy(sim->retract->base, sim->implicit.x_trial, sizeof(HedVec3) * (size_t)sim->x.count);
}

void hed_retract_go(const HedSim* sim, double place) {
    const double back = 1e-3;
    HedRetract* own = sim->retract;
    HedVec3* x = sim->implicit.x_trial;
    move(sim, (1.0 - back) * place, own->before);
    move(sim, place, x);
    for (int32_t i = 0; i < sim->x.count; ++i) {
        own->tangent[i] = hed_mul3(1.0 / (back * place), hed_sub3(x[i], own->before[i]));
    }
}
