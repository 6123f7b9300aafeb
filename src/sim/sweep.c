// SPDX-License-Identifier: MIT
// No yarn passes through another: tests in continuous time, of each piece of an explicit step and
// of each correction of an implicit one.
#include "base/log.h"
#include "contact/yarn_ccd.h"
#include "sim/profile.h"

#include <stdio.h>
#include <string.h>

// An explicit piece may not take yarns that touch nearer to each other than by this part of the
// distance at which they begin to: force would act for a whole piece as if they had been there from
// its beginning on, which puts energy in.
static const double NEARER_MOST = 0.05;

// Explicit steps go at once and are looked at afterwards. Implicit ones look at each leg of their
// way to the solution, so none has to be rolled back.
static bool is_watched(const HedSim* sim) {
    return sim->yarn_dynamics && sim->yarn_dynamics->has_contact && !hed_sim_is_implicit(sim);
}

// "segment 7 of curve 2 of yarns 'warp'".
static void describe_segment(const HedSim* sim, int32_t segment, char* text, size_t size) {
    const HedYarnContact* y = &sim->yarn_dynamics->contact;
    int32_t curve = y->curve_of[segment] % sim->strand_list.count; // copies come in the same order
    const HedCloth* set = hed_sim_cloth_at(sim, sim->strand_list.data[curve].first);
    snprintf(text, size, "segment %d of curve %d of yarns '%.24s'",
             segment - y->curves[y->curve_of[segment]].first_segment, curve - set->first_curve,
             set->name);
}

void hed_sim_sweep_note(const HedSim* sim, const HedYarnPair* pairs, int32_t count) {
    if (count == 0) {
        return;
    }
    char first[96], second[96];
    describe_segment(sim, pairs[0].first, first, sizeof first);
    describe_segment(sim, pairs[0].second, second, sizeof second);
    hed_log(HED_LOG_INFO,
            "%d pairs of yarn segments start in each other and will not touch, such as %s and %s",
            count, first, second);
}

static void describe(const HedSim* sim, const HedYarnMeeting* meeting, const char* how, double time,
                     HedStepReport* report) {
    char first[96], second[96];
    describe_segment(sim, meeting->segment[0], first, sizeof first);
    describe_segment(sim, meeting->segment[1], second, sizeof second);
    snprintf(report->trouble, sizeof report->trouble, "%.80s and %.80s %s %.9g s", first, second,
             how, time);
}

void hed_sim_sweep_describe(const HedSim* sim, const HedYarnMeeting* meeting, double time,
                            HedStepReport* report) {
    describe(sim, meeting, "are in each other's way to equilibrium at", time, report);
}

// Looks at one leg of the way; the reason says PASSED if yarns meet on it.
static HedReason look(HedSim* sim, HedYarnTrip trip, HedYarnMeeting* meeting) {
    double begin = hed_stage_begin(sim);
    hed_sim_note(sim, hed_yarn_ccd_cull(&sim->yarn_dynamics->contact, trip, meeting, &sim->why));
    hed_stage_end(sim, HED_STAGE_SWEEP, begin);
    if (sim->failure != HED_OK) {
        return HED_REASON_MAX_ITERATIONS;
    }
    return meeting->is_found ? HED_REASON_TUNNELED : HED_REASON_CONVERGED;
}

HedReason hed_sim_sweep_end(HedSim* sim, double t, double h, HedStepReport* report) {
    if (!is_watched(sim)) {
        return HED_REASON_CONVERGED;
    }
    HedYarnMeeting meeting = {0};
    HedYarnTrip trip = {hed_period_spread(sim, HED_YARN_ROOM_START, sim->x_old),
                        hed_period_spread(sim, HED_YARN_ROOM_X, sim->x.data), NEARER_MOST};
    HedReason reason = look(sim, trip, &meeting);
    if (reason == HED_REASON_TUNNELED) {
        describe(sim, &meeting, meeting.is_rush ? "meet too fast at" : "pass through each other at",
                 t + meeting.time * h, report);
    }
    return reason;
}

HedReason hed_sim_sweep_guess(HedSim* sim, double t, double h, HedStepReport* report) {
    HedVec3* guess = sim->implicit.x_trial;
    if (!sim->yarn_dynamics || !sim->yarn_dynamics->has_contact) {
        return HED_REASON_CONVERGED;
    }
    HedYarnMeeting meeting = {0};
    HedYarnTrip trip = {sim->x.data, guess, 0.0};
    HedReason reason = look(sim, trip, &meeting);
    if (reason == HED_REASON_TUNNELED) {
        memcpy(guess, sim->x.data, sizeof(HedVec3) * (size_t)sim->x.count);
        hed_pins_place(sim, t + h, guess, NULL);
        reason = look(sim, trip, &meeting);
    }
    if (reason == HED_REASON_TUNNELED) {
        describe(sim, &meeting, "pass through each other at", t + meeting.time * h, report);
    }
    return reason;
}

bool hed_sim_sweep_is_clear(HedSim* sim, const HedVec3* from, const HedVec3* to,
                            HedYarnMeeting* meeting) {
    *meeting = (HedYarnMeeting){0};
    if (!sim->yarn_dynamics || !sim->yarn_dynamics->has_contact) {
        return true;
    }
    for (int32_t i = 0; i < sim->x.count; ++i) {
        if (!hed_is_finite3(to[i])) {
            return false;
        }
    }
    HedYarnTrip trip = {from, to, 0.0};
    return look(sim, trip, meeting) == HED_REASON_CONVERGED;
}
