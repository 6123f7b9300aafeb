// SPDX-License-Identifier: MIT
// START READING HERE: what happens in one time step, one call per stage.
#include "sim/profile.h"
#include "sim/surfaces.h"
#include "sim/watch.h"

#include <string.h>

// One search for what touches, and its filter. Returns how deep the worst was before, m.
static double filter_once(HedSim* sim, double time) {
    hed_sim_note(sim, hed_contacts_find(&sim->contacts, sim->x.data, sim->v.data, time, 0.0, NULL));
    double depth = hed_contacts_depth(&sim->contacts);
    HedPower work =
        hed_contacts_filter(&sim->contacts, sim->inverse_mass, time, sim->x.data, sim->v.data);
    sim->count.dissipated += work.dissipated;
    sim->count.external += work.external;
    return depth;
}

void hed_sim_filter_contacts(HedSim* sim, double time, HedStepReport* report) {
    // What was pushed out may push its neighbours in: after a deep step, look again. Small steps
    // are done at once.
    enum { ROUNDS = 8 };
    const double shallow = 1e-4; // m
    const double done = 1e-5;    // m
    sim->contacts.impulse = sim->contact_force;
    double depth = filter_once(sim, time);
    report->contact_count = sim->contacts.list.count;
    bool was_deep = depth > shallow;
    for (int k = 1; k < ROUNDS && was_deep && depth > done && sim->failure == HED_OK; ++k) {
        depth = filter_once(sim, time);
    }
    report->penetration = fmax(report->penetration, hed_contacts_depth(&sim->contacts));
    sim->contacts.list.count = 0; // filtered contacts hold no energy
}

// Filters and penalties of explicit steps add up impulses over all pieces of a step; a factor of 0
// begins, 1/h makes mean forces of them.
static void scale_impulses(HedSim* sim, double factor) {
    for (int32_t i = 0; sim->contact_force && i < sim->x.count; ++i) {
        sim->contact_force[i] *= factor;
    }
}

double hed_sim_time(const HedSim* sim) {
    return (double)sim->count.steps * sim->def.time_step;
}

int64_t hed_sim_steps(const HedSim* sim) {
    return sim->count.steps;
}

const HedSimDef* hed_sim_def(const HedSim* sim) {
    return &sim->def;
}

// Goes on by h from time t in one piece.
static HedReason integrate(HedSim* sim, double t, double h, HedStepReport* report) {
    switch (sim->def.integrator) {
    case HED_IMPLICIT_EULER:
    case HED_NEWMARK:
    case HED_BDF2:
    case HED_QUASI_STATIC:
        return hed_step_implicit(sim, t, h, report);
    case HED_PBD:
    case HED_XPBD:
        return hed_step_position(sim, t, h, report);
    default:
        return hed_step_explicit(sim, t, h, report);
    }
}

void hed_sim_forget_past(HedSim* sim) {
    sim->count.has_acceleration = 0;
    sim->count.has_previous = 0;
    sim->count.whole_steps = 0;
}

// The same, and then sheets are kept apart, and yarns are proved to be. What fails leaves the state
// of the start.
static HedReason step_once(HedSim* sim, double t, double h, HedStepReport* report) {
    report->piece = h;
    hed_sim_note(sim, hed_snapshot_take(sim, &sim->piece, &sim->why));
    if (sim->has_self) {
        hed_surfaces_follow(sim);
    }
    hed_tangle_begin(sim);
    hed_sim_rods_begin(sim, t, h);
    hed_yarn_dynamics_begin(sim, h);
    HedReason reason = integrate(sim, t, h, report);
    bool is_proposed = reason == HED_REASON_CONVERGED;
    if (is_proposed) {
        double begin = hed_stage_begin(sim);
        reason = hed_sim_self_end(sim, h, report);
        hed_stage_end(sim, HED_STAGE_IMPACTS, begin);
    }
    if (reason == HED_REASON_CONVERGED) {
        reason = hed_sim_sweep_end(sim, t, h, report);
    }
    if (reason == HED_REASON_CONVERGED) {
        hed_yarn_dynamics_end(sim, h);
        return reason;
    }
    hed_sim_note(sim, hed_snapshot_restore(sim, &sim->piece, &sim->why));
    if (is_proposed) {
        hed_sim_forget_past(sim);
    }
    return reason;
}

// After a failure the past says nothing any more; a step that was stopped is made again some day.
static HedReason go_back(HedSim* sim, HedReason reason) {
    hed_sim_note(sim, hed_snapshot_restore(sim, &sim->step, &sim->why));
    if (sim->watch.is_stopped) {
        return HED_REASON_STOPPED;
    }
    hed_sim_forget_past(sim);
    return reason;
}

// How a step is cut: pieces are halved after a failure and doubled again after some successes.
typedef struct Pieces {
    double most;    // s, of any piece
    double stable;  // s, of explicit pieces at present
    double limit;   // s, of the next one, after failures
    int32_t needed; // successes before it is doubled
    int32_t calm;   // successes so far
} Pieces;

// False at the floor. Yarns that would pass through each other deserve smaller pieces than
// equations that cannot be solved: these do not become easier.
static bool cut(const HedSim* sim, Pieces* pieces, double piece, HedReason reason) {
    double least = sim->def.least_step * fmin(sim->def.time_step, pieces->stable);
    pieces->limit = 0.5 * piece;
    pieces->calm = 0;
    return pieces->limit >= (reason == HED_REASON_TUNNELED ? least * sim->def.least_step : least);
}

static void grow(Pieces* pieces) {
    pieces->calm += 1;
    if (pieces->calm >= pieces->needed) {
        pieces->limit = fmin(2.0 * pieces->limit, pieces->most);
        pieces->calm = 0;
    }
}

// Goes on in pieces of at most `most`, and of what is stable in explicit steps of yarns.
static HedReason step_in_pieces(HedSim* sim, double t, double most, HedStepReport* report) {
    double whole = sim->def.time_step;
    bool is_explicit = !hed_sim_is_implicit(sim);
    Pieces pieces = {most, HUGE_VAL, most, is_explicit ? 4 : 1, 0};
    double gone = 0.0;
    HedReason reason = HED_REASON_CONVERGED;
    while (gone < whole * (1.0 - 1e-12) && sim->failure == HED_OK) {
        if (is_explicit) {
            pieces.stable = hed_yarn_dynamics_piece(sim, report->substeps);
        }
        double left = whole - gone;
        double piece = left / ceil(left * (1.0 - 1e-12) / fmin(pieces.limit, pieces.stable));
        reason =
            hed_sim_is_stopped(sim) ? HED_REASON_STOPPED : step_once(sim, t + gone, piece, report);
        if (reason == HED_REASON_CONVERGED) {
            gone += piece;
            report->substeps += 1;
            grow(&pieces);
        } else if (!sim->watch.is_stopped && cut(sim, &pieces, piece, reason)) {
            report->cuts[reason] += 1;
        } else {
            break;
        }
    }
    return reason != HED_REASON_CONVERGED || sim->failure != HED_OK ? go_back(sim, reason) : reason;
}

// A step as large as the def says: at once, or in pieces where it fails, and from the start where
// explicit steps of yarns would not be stable. Whatever fails, the state is that of the start.
static HedReason step_whole(HedSim* sim, double t, HedStepReport* report) {
    double whole = sim->def.time_step;
    bool is_explicit = !hed_sim_is_implicit(sim);
    hed_sim_note(sim, hed_snapshot_take(sim, &sim->step, &sim->why));
    if (sim->failure != HED_OK) {
        return HED_REASON_MAX_ITERATIONS;
    }
    if (is_explicit && sim->yarn_dynamics) {
        report->substeps = 0;
        return step_in_pieces(sim, t, whole, report);
    }
    report->substeps = 1;
    HedReason reason = step_once(sim, t, whole, report);
    if (is_explicit || (reason == HED_REASON_CONVERGED && sim->failure == HED_OK)) {
        return reason;
    }
    reason = go_back(sim, reason);
    if (sim->failure == HED_OK && reason != HED_REASON_STOPPED) {
        report->substeps = 0;
        report->cuts[reason] += 1;
        reason = step_in_pieces(sim, t, 0.5 * whole, report);
    }
    return reason;
}

static HedStatus go_on(HedSim* sim, HedStepReport* report, HedError* error) {
    double t = hed_sim_time(sim);
    hed_parts_count_gone(sim);
    sim->failure = HED_OK;
    sim->why.message[0] = '\0';
    HedStatus status = hed_period_check(sim, error);
    if (status != HED_OK) {
        return status;
    }
    if (hed_pins_update(sim, t) && hed_sim_is_implicit(sim)) {
        hed_sim_forget_past(sim); // points that are let go accelerate at once
    }
    report->reason = hed_tangle_step(sim, report);
    if (sim->failure != HED_OK) {
        return hed_fail(error, sim->failure, "%s", sim->why.message);
    }
    if (report->reason != HED_REASON_CONVERGED) {
        return HED_OK;
    }
    double sewing_work = hed_sim_sew_step(sim);
    if (sim->sew.time > 0.0 && !sim->sew.is_done) {
        report->phase = hed_sim_sew_is_closed(sim) ? HED_PHASE_UNTANGLING : HED_PHASE_SEWING;
    }
    bool is_implicit = hed_sim_is_implicit(sim);
    if (!is_implicit) {
        scale_impulses(sim, 0.0);
    }
    report->reason = step_whole(sim, t, report);
    if (!is_implicit) {
        scale_impulses(sim, 1.0 / sim->def.time_step);
    }
    if (sim->failure != HED_OK) {
        return hed_fail(error, sim->failure, "%s",
                        sim->why.message[0] ? sim->why.message : "no memory for contacts");
    }
    if (report->reason == HED_REASON_CONVERGED) {
        sim->count.steps += 1;
        sim->count.external += sewing_work;
        sim->count.contact = hed_contacts_energy(&sim->contacts) + hed_parts_contact_energy(sim);
        hed_parts_note_gone(sim, report);
        report->broken_count = hed_ties_break(sim);
        if (is_implicit) {
            hed_sim_note_contacts(sim);
        }
    } else {
        hed_sim_sew_set(sim, t);
    }
    return HED_OK;
}

static double profile_sum(const HedProfile* profile) {
    double sum = 0.0;
    for (int k = 0; k < HED_STAGE_COUNT; ++k) {
        sum += profile->seconds[k];
    }
    return sum;
}

HedStatus hed_sim_step(HedSim* sim, HedStepReport* report, HedError* error) {
    HedStepReport local = {0};
    report = report ? report : &local;
    memset(report, 0, sizeof *report);
    HedStatus status = hed_sim_prepare(sim, error);
    if (status != HED_OK) {
        return status;
    }
    hed_sim_watch_begin(sim, report);
    if (!sim->profile) {
        return go_on(sim, report, error);
    }
    double known = profile_sum(sim->profile);
    double begin = hed_time_now();
    status = go_on(sim, report, error);
    double spent = hed_time_now() - begin;
    sim->profile->seconds[HED_STAGE_OTHER] += spent - (profile_sum(sim->profile) - known);
    return status;
}
