// SPDX-License-Identifier: MIT
// Fabrics that repeat: their vectors are two more points, and yarns go on in their copies.
#include "base/alloc.h"
#include "relax/relax.h"

int32_t hed_relax_point(const HedRelax* r, const HedFabricYarn* yarn, int32_t k) {
    if (k >= 0 && k < yarn->count) {
        return yarn->first + k;
    }
    // Ends stand in threes behind all points that move: before the first, and two behind the last.
    int32_t first = r->prev_at[yarn->first];
    return k < 0 ? first : first + 1 + k - yarn->count;
}

// A yarn that goes on: its ends, beginning at a point.
static HedStatus add_ends(HedRelax* r, const HedFabricYarn* yarn, int32_t at, HedError* error) {
    int32_t last = yarn->first + yarn->count - 1;
    if (yarn->is_closed || yarn->count < 3) {
        return hed_fail(error, HED_INVALID,
                        "relaxation: a yarn that goes on is open and has at least 3 points, got %d",
                        yarn->count);
    }
    const HedYarnEnd ends[HED_YARN_ENDS] = {
        {at, last, {-yarn->turns.a, -yarn->turns.b}},
        {at + 1, yarn->first, yarn->turns},
        {at + 2, yarn->first + 1, yarn->turns},
    };
    for (int k = 0; k < HED_YARN_ENDS; ++k) {
        if (!HED_APPEND(&r->copies.ends, ends[k])) {
            return hed_fail_memory(error, "relaxation");
        }
    }
    r->prev_at[yarn->first] = at;
    r->next_at[last] = at + 1;
    return HED_OK;
}

HedStatus hed_relax_repeat(HedRelax* relax, const HedFabric* fabric, HedError* error) {
    HedRelax* r = relax;
    HedStatus status = HED_OK;
    double reach = 0.0;
    if (!r->repeats) {
        return HED_OK;
    }
    r->turns = HED_NEW_ARRAY(HedTurns, fabric->yarn_count);
    HED_TRY(r->turns ? HED_OK : hed_fail_memory(error, "relaxation"));
    r->copies.vector = r->points;
    r->copies.point_count = r->count;
    for (int k = 0; k < 2; ++k) {
        r->x[r->points + k] = hed_mul3(1.0 / r->unit, fabric->period[k]);
        r->along[k] = hed_unit3(r->x[r->points + k], hed_vec3(0.0, 0.0, 0.0));
        r->is_free[k] = !r->def.holds_period[k] && hed_norm3(r->along[k]) > 0.0;
    }
    for (int32_t k = 0; k < fabric->yarn_count; ++k) {
        const HedFabricYarn* yarn = &fabric->yarns[k];
        r->turns[k] = yarn->turns;
        reach = fmax(reach, yarn->diameter / r->unit);
        if (hed_turns_on(yarn->turns)) {
            HED_TRY(add_ends(r, yarn, r->copies.point_count, error));
            r->copies.point_count += HED_YARN_ENDS;
        }
    }
    hed_relax_place(r, r->x);
    HED_TRY(hed_copies_choose(&r->copies, r->x, reach, error));
    hed_free(r->scratch);
    r->scratch = HED_NEW_ARRAY(HedVec3, hed_copies_count(&r->copies));
    HED_TRY(r->scratch ? HED_OK : hed_fail_memory(error, "relaxation"));
done:
    return status;
}

void hed_relax_place(const HedRelax* r, HedVec3* values) {
    if (r->repeats) {
        hed_copies_place(&r->copies, values);
    }
}

const HedVec3* hed_relax_spread(const HedRelax* r, HedYarnRoom room, const HedVec3* values) {
    return r->repeats ? hed_copies_spread(&r->copies, room, values) : values;
}

// What pieces and turns across the seam do to the vectors: the force on a copy, as often as it is
// off. Their part on points has been gathered.
static void add_seam(HedRelax* r, int32_t last, int32_t first, HedTurns turns) {
    HedVec3* vector = r->force + r->points;
    HedVec3 f = hed_sub3(r->first[first], hed_add3(r->tension[last], r->last[last]));
    vector[0] = hed_madd3(vector[0], turns.a, f);
    vector[1] = hed_madd3(vector[1], turns.b, f);
}

void hed_relax_fold(HedRelax* relax) {
    HedRelax* r = relax;
    if (!r->repeats) {
        return;
    }
    for (int32_t k = 0; k < r->copies.ends.count; ++k) {
        r->force[r->copies.ends.data[k].point] = hed_vec3(0.0, 0.0, 0.0);
    }
    hed_copies_close(&r->copies, r->force);
    hed_copies_fold(&r->copies, r->force);
    for (int32_t k = 0; k < r->copies.ends.count; k += HED_YARN_ENDS) {
        const HedYarnEnd* ends = r->copies.ends.data + k;
        add_seam(r, ends[0].of, ends[1].of, ends[1].turns);
    }
    for (int k = 0; k < 2; ++k) {
        HedVec3* f = &r->force[r->points + k];
        double along = hed_dot3(*f, r->along[k]);
        r->pull[k] = -along;
        *f = hed_mul3(along + r->def.pull[k], r->along[k]);
    }
}

HedStatus hed_relax_fold_mass(HedRelax* relax, HedError* error) {
    HedRelax* r = relax;
    if (!r->repeats) {
        return HED_OK;
    }
    hed_copies_bound(&r->copies, r->is_free, &r->scratch->x, 3, hed_copies_count(&r->copies));
    for (int32_t i = 0; i < r->count; ++i) {
        r->mass[i] += r->copies.rows[i];
    }
    // The rows of points at the seam are as large for the vectors, and twice so with them free.
    for (int32_t k = 0; k < r->copies.ends.count; ++k) {
        HedYarnEnd end = r->copies.ends.data[k];
        double row = r->mass[end.of];
        r->mass[end.of] += row;
        r->mass[r->points] += end.turns.a * end.turns.a * row;
        r->mass[r->points + 1] += end.turns.b * end.turns.b * row;
    }
    for (int k = 0; k < 2; ++k) { // a vector that nothing pulls
        double* mass = &r->mass[r->points + k];
        *mass = *mass > 0.0 ? *mass : 1.0;
    }
    return hed_copies_check(&r->copies, r->x, error);
}
