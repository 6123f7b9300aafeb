// SPDX-License-Identifier: MIT
#include "sim/rods.h"
#include "math/quat.h"
#include "sim/reader.h"

#include <string.h>

// Which sets of yarns are rods, and how many yarns they have.
static int32_t count_rods(const HedSim* sim) {
    int32_t count = 0;
    for (int32_t k = 0; k < sim->cloths.count; ++k) {
        const HedCloth* yarns = &sim->cloths.data[k];
        count += yarns->is_yarns && yarns->yarn.model == HED_YARN_ROD ? yarns->curve_count : 0;
    }
    return count;
}

static void fill_defs(const HedSim* sim, HedRodDef* defs) {
    for (int32_t k = 0; k < sim->cloths.count; ++k) {
        const HedCloth* yarns = &sim->cloths.data[k];
        if (!yarns->is_yarns || yarns->yarn.model != HED_YARN_ROD) {
            continue;
        }
        for (int32_t c = 0; c < yarns->curve_count; ++c) {
            const HedCurve* strand = &sim->strand_list.data[yarns->first_curve + c];
            HedTurns turns = hed_strand_turns(sim, yarns->first_curve + c);
            double across = yarns->yarn.bend_across;
            *defs++ = (HedRodDef){
                .first = strand->first,
                // the last copy of those that go on serves contact alone
                .point_count = strand->count - (hed_turns_on(turns) ? 1 : 0),
                .is_closed = strand->is_closed,
                .is_bent_at_rest = yarns->yarn.rest == HED_YARN_AS_STARTED,
                .bend = {yarns->yarn.bend, across > 0.0 ? across : yarns->yarn.bend},
                .twist = yarns->yarn.twist,
                .natural_twist = yarns->yarn.natural_twist,
                .closing_twist = strand->is_closed ? yarns->yarn.closing_twist : 0.0,
                .plastic = yarns->yarn.plastic,
                .plastic_limit = yarns->yarn.plastic_limit,
            };
        }
    }
}

// Marks[point]: 1 + number of the pin that holds it.
static void mark_held(const HedSim* sim, int32_t* marks) {
    for (int32_t p = 0; p < sim->pins.count; ++p) {
        const HedPin* pin = &sim->pins.data[p];
        for (int32_t k = 0; k < pin->point_count; ++k) {
            marks[pin->points[k]] = p + 1;
        }
    }
}

// Finds the grips of one rod; counts only while list is NULL.
static int32_t grip_rod(const HedSim* sim, int32_t index, const int32_t* marks, HedRodGrip* list) {
    const HedRod* rod = &sim->rods->rods.rod[index];
    int32_t n = rod->def.point_count;
    const int32_t* mark = marks + rod->def.first;
    const HedVec3* x = sim->x.data + rod->def.first;
    int32_t count = 0;
    for (int32_t s = 0; s < rod->segment_count; ++s) {
        int32_t next = (s + 1) % n;
        if (mark[s] != 0 && mark[s] == mark[next]) {
            if (list) {
                list[count] = (HedRodGrip){.pin = mark[s] - 1, .rod = index, .segment = s};
            }
            ++count;
        }
    }
    for (int end = 0; end < 2 && !rod->def.is_closed; ++end) {
        int32_t point = end ? n - 1 : 0;
        if (mark[point] != 0 && sim->pins.data[mark[point] - 1].clamps) {
            if (list) {
                HedVec3 along = end ? hed_sub3(x[n - 1], x[n - 2]) : hed_sub3(x[1], x[0]);
                list[count] = (HedRodGrip){.pin = mark[point] - 1,
                                           .rod = index,
                                           .segment = -1,
                                           .is_last = end == 1,
                                           .tangent = hed_unit3(along, along)};
            }
            ++count;
        }
    }
    return count;
}

static HedStatus find_grips(HedSim* sim, HedError* error) {
    HedSimRods* own = sim->rods;
    int32_t* marks = HED_NEW_ARRAY(int32_t, sim->x.count);
    if (!marks) {
        return hed_fail_memory(error, "what holds yarns");
    }
    mark_held(sim, marks);
    int32_t count = 0;
    for (int32_t r = 0; r < own->rods.rod_count; ++r) {
        count += grip_rod(sim, r, marks, NULL);
    }
    own->grip = HED_NEW_ARRAY(HedRodGrip, count);
    for (int32_t r = 0; r < own->rods.rod_count && own->grip; ++r) {
        own->grip_count += grip_rod(sim, r, marks, own->grip + own->grip_count);
    }
    hed_free(marks);
    if (!own->grip) {
        return hed_fail_memory(error, "what holds yarns");
    }
    // Of a state that is gone on from, frames of what is held are those it had: free ones would
    // turn to rest.
    for (int32_t k = 0; k < own->grip_count && sim->start.rods.data; ++k) {
        if (own->grip[k].segment >= 0) {
            hed_rods_keep(&own->rods, own->grip[k].rod, own->grip[k].segment);
        }
    }
    hed_rods_prepare(&own->rods, &sim->team, sim->x.data);
    for (int32_t k = 0; k < own->grip_count; ++k) {
        HedRodGrip* grip = &own->grip[k];
        int32_t last = own->rods.rod[grip->rod].segment_count - 1;
        int32_t segment = grip->segment >= 0 ? grip->segment : grip->is_last ? last : 0;
        grip->director = hed_rods_director(&own->rods, grip->rod, segment);
    }
    return HED_OK;
}

HedStatus hed_sim_rods_create(HedSim* sim, HedError* error) {
    HedStatus status = HED_OK;
    int32_t count = count_rods(sim);
    if (count == 0) {
        return HED_OK;
    }
    HedRodDef* defs = HED_NEW_ARRAY(HedRodDef, count);
    sim->rods = HED_NEW(HedSimRods);
    if (!defs || !sim->rods) {
        status = hed_fail_memory(error, "rods");
        goto done;
    }
    HedSimRods* own = sim->rods;
    fill_defs(sim, defs);
    // From the shape of the defs, whose lengths and bends are those at rest.
    const HedVec3* shape = sim->start.is_moved ? sim->rest.data : sim->x.data;
    HED_TRY(hed_rods_create(&own->rods, defs, count, shape, sim->ranges, error));
    HED_TRY(hed_sim_start_rods(sim, error));
    HED_TRY(find_grips(sim, error));
    if (hed_sim_is_implicit(sim)) {
        HED_TRY(hed_rod_condense_create(&own->condense, &own->rods, error));
    }
done:
    hed_free(defs);
    return status;
}

void hed_sim_rods_free(HedSim* sim) {
    HedSimRods* own = sim->rods;
    if (own) {
        hed_rod_condense_free(&own->condense);
        hed_rods_free(&own->rods);
        hed_free(own->grip);
        hed_free(own);
    }
}

void hed_sim_rods_prepare(HedSim* sim, const HedVec3* x) {
    HedSimRods* own = sim->rods;
    if (own && !(own->is_at_start && x == sim->x.data)) {
        hed_rods_prepare(&own->rods, &sim->team, x);
        own->is_at_start = false;
    }
}

// Pins turn the frames of what they hold; what they have let go is free.
static void turn_grips(HedSim* sim, double time) {
    HedSimRods* own = sim->rods;
    for (int32_t k = 0; k < own->grip_count; ++k) {
        const HedRodGrip* grip = &own->grip[k];
        const HedPin* pin = &sim->pins.data[grip->pin];
        HedQuat turn = hed_quat_identity();
        if (pin->has_track) {
            turn = hed_track_pose(&pin->track, time).rotation;
        }
        HedVec3 director = hed_quat_rotate(turn, grip->director);
        HedVec3 tangent = hed_quat_rotate(turn, grip->tangent);
        if (grip->segment < 0 && pin->is_active) {
            hed_rods_clamp(&own->rods, grip->rod, grip->is_last, tangent, director);
        } else if (grip->segment < 0) {
            hed_rods_unclamp(&own->rods, grip->rod, grip->is_last);
        } else if (pin->is_active) {
            hed_rods_hold(&own->rods, grip->rod, grip->segment, director);
        } else {
            hed_rods_release(&own->rods, grip->rod, grip->segment);
        }
    }
}

void hed_sim_rods_begin(HedSim* sim, double t, double h) {
    HedSimRods* own = sim->rods;
    if (!own) {
        return;
    }
    own->is_at_start = false;
    hed_sim_rods_prepare(sim, sim->x.data);
    hed_rods_yield(&own->rods, &sim->team);
    hed_rods_commit(&own->rods);
    // Steps of these kinds ask for forces at sim->x again only when it has not changed. Holders
    // change angles at once.
    bool stays = hed_sim_is_implicit(sim) || sim->def.integrator == HED_EXPLICIT_EULER ||
                 sim->def.integrator == HED_SYMPLECTIC_EULER;
    own->is_at_start = stays && own->grip_count == 0;
    turn_grips(sim, t + h);
}

void hed_sim_rods_moved(const HedSim* sim) {
    if (sim->rods) {
        sim->rods->is_at_start = false;
    }
}

HedStatus hed_sim_rods_restored(HedSim* sim, HedError* error) {
    // What is held and clamped is no part of the state, but follows from the pins; the frames of
    // walls are part of it and stay as they were saved.
    HedSimSnapshot saved = {0};
    HedStatus status = HED_OK;
    if (!sim->rods) {
        return HED_OK;
    }
    HED_TRY(hed_snapshot_create(sim, HED_KEEP_FRAMES, &saved, error));
    HED_TRY(hed_snapshot_take(sim, &saved, error));
    turn_grips(sim, hed_sim_time(sim));
    HED_TRY(hed_snapshot_restore(sim, &saved, error));
done:
    hed_snapshot_free(&saved);
    return status;
}

void hed_sim_rods_assembled(HedSim* sim, bool is_exact) {
    HedSimRods* own = sim->rods;
    if (own) {
        own->has_condense =
            hed_rod_condense_setup(&own->condense, &own->rods, &sim->team, is_exact);
    }
}

void hed_sim_rods_condense(const HedSim* sim, const HedVec3* from, HedVec3* to) {
    const HedSimRods* own = sim->rods;
    if (own && own->has_condense) {
        hed_rod_condense_apply(&own->condense, &own->rods, &sim->team, from, to);
    }
}

HedStatus hed_sim_lines_create(HedSim* sim, HedError* error) {
    // A vertex of a rod couples three points; a piece of a cubic spline couples four.
    enum { ROD = 2, SPLINE = 3 };
    HedImplicit* im = &sim->implicit;
    int32_t count = sim->strand_list.count;
    if (count == 0) {
        return HED_OK;
    }
    im->line = HED_NEW_ARRAY(HedRowLine, count);
    im->extra = HED_NEW_ARRAY(HedLineExtra, sim->x.count);
    if (!im->line || !im->extra) {
        return hed_fail_memory(error, "lines of yarns");
    }
    for (int32_t k = 0; k < count; ++k) {
        const HedCurve* strand = &sim->strand_list.data[k];
        bool is_rod = hed_sim_cloth_at(sim, strand->first)->yarn.model == HED_YARN_ROD;
        im->line[k] = (HedRowLine){.first = strand->first,
                                   .count = strand->count,
                                   .width = is_rod ? ROD : SPLINE,
                                   .is_closed = strand->is_closed,
                                   .has_extra = is_rod};
    }
    im->lines = (HedLineSet){im->line, count, im->extra};
    if (sim->rods) {
        sim->rods->condense.extra = im->extra;
    }
    return HED_OK;
}

double hed_yarns_twist(const HedSim* sim, HedYarnsId id, int32_t curve) {
    const HedCloth* yarns = hed_sim_find_yarns(sim, id, NULL);
    if (!yarns || !sim->rods || yarns->yarn.model != HED_YARN_ROD || curve < 0 ||
        curve >= yarns->curve_count) {
        return 0.0;
    }
    int32_t rod = 0;
    int32_t first = sim->strand_list.data[yarns->first_curve + curve].first;
    while (sim->rods->rods.rod[rod].def.first != first) {
        ++rod;
    }
    HedSimReader reader;
    bool is_open = hed_reader_open(sim, &reader, NULL) == HED_OK;
    double twist = (double)NAN; // without memory it is not known
    if (is_open) {
        hed_sim_rods_prepare(reader.sim, sim->x.data);
        twist = hed_rods_twist(&reader.sim->rods->rods, rod);
    }
    hed_reader_close(&reader);
    return twist;
}

void hed_sim_rods_bound(const HedSim* sim, double* sum) {
    // With weights 1/e, 1/e + 1/f, 1/f of the points in the turn, which a right angle makes twice
    // as sensitive.
    for (int32_t r = 0; sim->rods && r < sim->rods->rods.rod_count; ++r) {
        const HedRods* rods = &sim->rods->rods;
        const HedRod* rod = &rods->rod[r];
        int32_t n = rod->def.point_count;
        for (int32_t k = rod->def.is_closed ? 0 : 1; k < (rod->def.is_closed ? n : n - 1); ++k) {
            int32_t slot = hed_rod_slot(rod, k);
            int32_t before = hed_rod_slot(rod, (k + n - 1) % n);
            double e = 1.0 / rods->length[before];
            double f = 1.0 / rods->length[slot];
            double stiffness = 2.0 * fmax(rods->bend[0][slot], rods->bend[1][slot]);
            double scale = 4.0 * stiffness * 2.0 * (e + f);
            sum[rod->def.first + (k + n - 1) % n] += scale * e;
            sum[rod->def.first + k] += scale * (e + f);
            sum[rod->def.first + (k + 1) % n] += scale * f;
        }
    }
}
