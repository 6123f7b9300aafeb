// SPDX-License-Identifier: MIT
// Changing a proposed step until nothing meets.
//
// Every impact that is found becomes a stop: a linear condition n . sum(w x_end) >= gap with the
// weights and the normal of the moment of impact. All stops together ask for the smallest change of
// the end, measured by mass, that keeps them; projected Gauss-Seidel sweeps find it (each sweep is
// one round of impulses, and what an earlier impulse gave too much a later sweep takes back). New
// ends bring new impacts, found by another round that looks only at pairs with a moved point. So
// this is Bridson, Fedkiw and Anderson's (2002) loop with the inelastic projection of Harmon et al.
// (2008) in place of impulses that never retract. Zones that do not come to rest in ROUNDS rounds
// are moved as rigid bodies (Provot 1997; self_zone.c).
#include "contact/self.h"

#include "base/alloc.h"
#include "contact/kernel_friction.h"

#include <string.h>

enum { ROUNDS = 24, SWEEPS = 40 };

// Of the thickness: what impacts keep free; what stops aim at is twice that, or the distance at the
// start if that is less: pairs that are very near do not come nearer.
static const double SEPARATION = HED_SELF_SEPARATION;

typedef struct Resolve {
    HedSelf* self;
    const HedSelfStep* step;
    HedSelfReport* report;
} Resolve;

static bool test_pair(const HedSelf* self, const HedSelfStep* step, int32_t k, HedImpact* impact) {
    int32_t point[4];
    HedVec3 start[4], end[4];
    HedMeeting meeting = hed_self_pair(self, k, point);
    if (hed_self_is_loose(self, meeting, point) || hed_self_is_off(self, k) ||
        hed_self_sewn_distance(self, meeting, point) == 0.0) {
        return false;
    }
    for (int i = 0; i < 4; ++i) {
        start[i] = step->start[point[i]];
        end[i] = step->end[point[i]];
    }
    double separation = SEPARATION * hed_self_thickness(self, meeting, point);
    return hed_impact(meeting, start, end, separation, impact);
}

static HedSelfStop make_stop(const Resolve* r, int32_t k, const HedImpact* impact) {
    HedSelfStop stop = {.normal = impact->nearest.normal};
    HedMeeting meeting = hed_self_pair(r->self, k, stop.point);
    for (int i = 0; i < 4; ++i) {
        double w = impact->nearest.weight[i];
        stop.weight[i] = w;
        stop.mobility += w * w * r->step->inverse_mass[stop.point[i]];
    }
    double goal = 2.0 * SEPARATION * hed_self_thickness(r->self, meeting, stop.point);
    stop.gap = fmin(goal, impact->start_distance);
    return stop;
}

// Tests the pairs of the last search and appends a stop for each that meets.
static HedStatus add_stops(Resolve* r, int32_t* found, HedError* error) {
    HedSelf* self = r->self;
    int32_t count = hed_self_pair_count(self);
    self->is_hit.count = 0;
    if (!HED_RESERVE(&self->is_hit, count)) {
        return hed_fail_memory(error, "impacts");
    }
    bool* is_hit = self->is_hit.data;
#pragma omp parallel for schedule(static)                                                          \
    num_threads(hed_team_size(self->def.team, INT64_C(150) * count))
    for (int32_t k = 0; k < count; ++k) {
        HedImpact impact;
        is_hit[k] = test_pair(self, r->step, k, &impact);
    }
    *found = 0;
    for (int32_t k = 0; k < count; ++k) {
        HedImpact impact;
        if (!is_hit[k] || !test_pair(self, r->step, k, &impact)) {
            continue;
        }
        HedSelfStop stop = make_stop(r, k, &impact);
        if (!HED_APPEND(&self->stops, stop)) {
            return hed_fail_memory(error, "impacts");
        }
        for (int i = 0; i < 4; ++i) {
            self->is_new[stop.point[i]] = true; // to be looked at again, moved or not
        }
        ++*found;
    }
    r->report->pair_count += count;
    r->report->impact_count += *found;
    return HED_OK;
}

static void spread(const Resolve* r, const HedSelfStop* stop, HedVec3 impulse) {
    for (int k = 0; k < 4; ++k) {
        int32_t i = stop->point[k];
        double w = stop->weight[k] * r->step->inverse_mass[i];
        if (w != 0.0) {
            r->step->end[i] = hed_madd3(r->step->end[i], w, impulse);
            r->self->is_new[i] = true;
        }
    }
}

// Slip over the step is resisted by at most friction times the push.
static void rub(const Resolve* r, HedSelfStop* stop) {
    HedVec3 slip = hed_sub3(hed_self_mix(stop->point, stop->weight, r->step->end),
                            hed_self_mix(stop->point, stop->weight, r->step->start));
    HedFrictionImpulse at = {r->self->def.friction, stop->push, stop->mobility};
    HedVec3 drag = hed_friction_impulse(at, hed_friction_slip(slip, stop->normal), stop->drag);
    spread(r, stop, hed_sub3(drag, stop->drag));
    stop->drag = drag;
}

// Returns how far from kept the stop was, as a share of its gap.
static double keep_stop(const Resolve* r, HedSelfStop* stop) {
    if (!(stop->mobility > 0.0)) {
        return 0.0; // pins on both sides: the next round finds it again
    }
    double now = hed_dot3(stop->normal, hed_self_mix(stop->point, stop->weight, r->step->end));
    double push = fmax(0.0, stop->push + (stop->gap - now) / stop->mobility);
    double change = push - stop->push;
    if (change != 0.0) {
        spread(r, stop, hed_mul3(change, stop->normal));
        stop->push = push;
    }
    if (r->self->def.friction > 0.0 && (push > 0.0 || change != 0.0)) {
        rub(r, stop);
    }
    return fabs(change) * stop->mobility / stop->gap;
}

static void sweep_stops(const Resolve* r) {
    for (int s = 0; s < SWEEPS; ++s) {
        double worst = 0.0;
        for (int32_t k = 0; k < r->self->stops.count; ++k) {
            worst = fmax(worst, keep_stop(r, &r->self->stops.data[k]));
        }
        if (worst < 0.05) { // gaps are asked for with a reserve of one half
            return;
        }
    }
}

// Finds pairs of points that are new (all in the first round) and their impacts.
static HedStatus look(Resolve* r, bool is_first, int32_t* found, HedError* error) {
    HedSelf* self = r->self;
    HedSweep sweep = {r->step->start, r->step->end, self->reach, is_first ? NULL : self->is_new};
    hed_surface_tree_refit(&self->tree, &sweep, self->def.team);
    HedStatus status = hed_surface_tree_find(&self->tree, self->def.team, &self->pairs, error);
    if (status != HED_OK) {
        return status;
    }
    memset(self->is_new, 0, (size_t)self->def.point_count * sizeof(bool));
    ++r->report->rounds;
    return add_stops(r, found, error);
}

static bool is_finite(const HedSelfStep* step, int32_t count, HedSelfReport* report) {
    for (int32_t i = 0; i < count; ++i) {
        if (!hed_is_finite3(step->end[i]) || !hed_is_finite3(step->start[i])) {
            report->reason = HED_SELF_NOT_FINITE;
            report->worst[0] = i;
            return false;
        }
    }
    return true;
}

// Velocities follow the change of the end; energy is that of the mean velocities of the step.
static void finish(const Resolve* r) {
    const HedSelfStep* step = r->step;
    double over = 1.0 / step->size;
    double lost = 0.0;
    for (int32_t i = 0; i < r->self->def.point_count; ++i) {
        if (!(step->inverse_mass[i] > 0.0)) {
            continue;
        }
        HedVec3 before = hed_sub3(r->self->proposed[i], step->start[i]);
        HedVec3 after = hed_sub3(step->end[i], step->start[i]);
        HedVec3 change = hed_sub3(step->end[i], r->self->proposed[i]);
        lost += 0.5 / step->inverse_mass[i] * over * over *
                (hed_dot3(before, before) - hed_dot3(after, after));
        if (step->velocity) {
            step->velocity[i] = hed_madd3(step->velocity[i], over, change);
        }
    }
    r->report->energy = lost;
}

// Zones grow with every impact that is left; in the end all is one body that meets nothing.
static HedStatus run_zones(Resolve* r, int32_t found, HedError* error) {
    HedSelf* self = r->self;
    HedStatus status = HED_OK;
    size_t size = (size_t)self->def.point_count * sizeof(HedVec3);
    self->members.count = 0;
    if (!HED_RESERVE(&self->members, 2 * (int64_t)self->def.point_count)) {
        return hed_fail_memory(error, "rigid zones");
    }
    memcpy(self->held, r->step->end, size);
    for (int32_t i = 0; i < self->def.point_count; ++i) {
        self->zone[i] = -1;
        self->is_shifted[i] = false;
    }
    while (found > 0 && status == HED_OK) {
        int32_t from = self->stops.count - found;
        if (!hed_self_rigidify(self, r->step, from, r->report->worst)) {
            r->report->reason = HED_SELF_STUCK;
            return HED_OK;
        }
        status = look(r, false, &found, error);
    }
    hed_self_count_zones(self, r->report);
    return status;
}

HedStatus hed_self_resolve(HedSelf* self, const HedSelfStep* step, HedSelfReport* report,
                           HedError* error) {
    HedStatus status = HED_OK;
    *report = (HedSelfReport){0};
    Resolve r = {self, step, report};
    int32_t n = self->def.point_count;
    size_t size = (size_t)n * sizeof(HedVec3);
    if (n == 0 || !is_finite(step, n, report)) {
        return HED_OK;
    }
    for (int32_t i = 0; i < n; ++i) {
        self->reach[i] = SEPARATION * self->def.half_thickness[i];
    }
    memcpy(self->proposed, step->end, size);
    self->stops.count = 0;
    int32_t found = 0;
    HED_TRY(look(&r, true, &found, error));
    if (found == 0) {
        return HED_OK;
    }
    for (int round = 1; round < ROUNDS && found > 0; ++round) {
        sweep_stops(&r);
        HED_TRY(look(&r, false, &found, error));
    }
    if (found > 0) {
        HED_TRY(run_zones(&r, found, error));
    }
done:
    if (status == HED_OK && report->reason == HED_SELF_CLEAR) {
        finish(&r);
    } else {
        memcpy(step->end, self->proposed, size);
    }
    return status;
}
