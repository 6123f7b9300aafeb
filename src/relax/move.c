// SPDX-License-Identifier: MIT
// Motion that finds rest: FIRE (Bitzek et al. 2006), with masses as large as stiffness.
#include "contact/yarn_ccd.h"
#include "relax/relax.h"

#include <string.h>

// The paper's numbers but for the largest step: masses make 2 the limit of stability, if contacts
// would not stiffen. Steps are shorter while everything comes to a halt.
static const struct {
    double first, most, settling, grows, shrinks;
} STEP = {0.2, 1.2, 1.0, 1.1, 0.5};
static const struct { double first, shrinks; } MIXING = {0.1, 0.99};
enum { PATIENCE = 5 };

// While everything comes to a halt: part of the velocity that an iteration takes.
static const struct { double first, most, grows; } DRAG = {0.02, 0.2, 1.005};

// No point goes further in an iteration than this part of the least diameter in its stage.
static const double WAY_MOST = 0.05;

typedef struct MoveSums {
    double power, motion, pull; // f.v, m v.v, f.f/m
    double force;               // largest
} MoveSums;

static MoveSums sum_block(const HedRelax* r, int32_t first, int32_t end) {
    MoveSums s = {0};
    double force = 0.0;
    for (int32_t i = first; i < end; ++i) {
        if (hed_relax_is_held(r, i)) {
            continue;
        }
        double ff = hed_dot3(r->force[i], r->force[i]);
        s.power += hed_dot3(r->force[i], r->v[i]);
        s.motion += r->mass[i] * hed_dot3(r->v[i], r->v[i]);
        s.pull += ff / r->mass[i];
        // A vector of the period feels all yarns: what each of them pulls with counts.
        double share = i < r->points ? 1.0 : 1.0 / r->yarn_count;
        ff *= share * share;
        force = ff <= force ? force : ff; // NaN passes on
    }
    s.force = sqrt(force);
    return s;
}

static MoveSums sum_all(HedRelax* r) {
    int32_t blocks = hed_block_count(r->count);
    double* partial = r->team.partial;
#pragma omp parallel for schedule(static)                                                          \
    num_threads(hed_team_size(&r->team, 6 * (int64_t)r->count))
    for (int32_t b = 0; b < blocks; ++b) {
        MoveSums s = sum_block(r, b * HED_BLOCK, hed_min_i32(r->count, (b + 1) * HED_BLOCK));
        memcpy(partial + 4 * (size_t)b, (double[]){s.power, s.motion, s.pull, s.force},
               4 * sizeof(double));
    }
    MoveSums all = {.force = r->whole.pull};
    for (int axis = 0; axis < 3; ++axis) {
        const HedRelaxAxis* a = &r->whole.axes[axis];
        all.power += a->force * a->speed;
        all.motion += r->whole.mass * a->speed * a->speed;
        all.pull += a->is_on ? a->force * a->force / r->whole.mass : 0.0;
    }
    for (int32_t b = 0; b < blocks; ++b) {
        const double* s = partial + 4 * (size_t)b;
        all.power += s[0];
        all.motion += s[1];
        all.pull += s[2];
        all.force = s[3] <= all.force ? all.force : s[3];
    }
    return all;
}

static double least_reach(const HedRelax* r) {
    double least = HUGE_VAL;
    for (int32_t c = 0; c < r->contact.def.curve_count; ++c) {
        least = fmin(least, 2.0 * r->contact.curves[c].radius);
    }
    return least;
}

// v is mixed with the direction of force, then everything goes on by a step.
static double advance(HedRelax* r, HedRelaxBlend blend, double step) {
    double most = WAY_MOST * least_reach(r);
    hed_relax_whole_move(r, blend, step, most);
    int32_t blocks = hed_block_count(r->count);
    double* partial = r->team.partial;
#pragma omp parallel for schedule(static)                                                          \
    num_threads(hed_team_size(&r->team, 10 * (int64_t)r->count))
    for (int32_t b = 0; b < blocks; ++b) {
        double longest = 0.0;
        for (int32_t i = b * HED_BLOCK; i < hed_min_i32(r->count, (b + 1) * HED_BLOCK); ++i) {
            if (hed_relax_is_held(r, i)) {
                continue;
            }
            double w = 1.0 / r->mass[i];
            HedVec3 v =
                hed_madd3(hed_mul3(blend.keep, r->v[i]), (blend.mix + step) * w, r->force[i]);
            double way = step * hed_norm3(v);
            if (way > most) {
                v = hed_mul3(most / way, v);
            }
            r->v[i] = v;
            r->moves[i] = i < r->points ? hed_add3(v, hed_relax_whole_velocity(r, r->x[i])) : v;
            r->x[i] = hed_madd3(r->x[i], step, r->moves[i]);
            longest = fmax(longest, step * hed_norm3(r->moves[i]));
        }
        partial[b] = longest;
    }
    double longest = 0.0;
    for (int32_t b = 0; b < blocks; ++b) {
        longest = fmax(longest, partial[b]);
    }
    return longest;
}

static void stop_motion(HedRelax* r, HedRelaxPace* pace) {
    memset(r->v, 0, sizeof(HedVec3) * (size_t)r->count);
    memset(r->moves, 0, sizeof(HedVec3) * (size_t)r->count);
    for (int axis = 0; axis < 3; ++axis) {
        r->whole.axes[axis].speed = 0.0;
    }
    pace->step *= STEP.shrinks;
    pace->mixing = MIXING.first;
    pace->downhill = 0;
}

// Down the hill as fast as it goes, or slowly to a halt.
static HedRelaxBlend steer(HedRelax* r, HedRelaxPace* pace, const MoveSums* sums) {
    if (pace->is_settling) {
        pace->step = fmin(STEP.grows * pace->step, STEP.settling);
        pace->drag = fmin(fmax(DRAG.grows * pace->drag, DRAG.first), DRAG.most);
        return (HedRelaxBlend){1.0 - pace->drag, 0.0};
    }
    if (sums->power < 0.0) {
        stop_motion(r, pace);
        return (HedRelaxBlend){1.0, 0.0};
    }
    double pull = sums->pull > 0.0 ? sqrt(sums->motion / sums->pull) : 0.0;
    HedRelaxBlend blend = {1.0 - pace->mixing, pace->mixing * pull};
    pace->downhill += 1;
    if (pace->downhill > PATIENCE) {
        pace->step = fmin(STEP.grows * pace->step, STEP.most);
        pace->mixing *= MIXING.shrinks;
    }
    return blend;
}

static HedStatus renew_masses(HedRelax* r, HedRelaxPace* pace, HedError* error) {
    enum { OFTEN = 24 };
    const double deeper = 0.02;
    HedStatus status = HED_OK;
    if (pace->age % OFTEN == 0 || r->overlap > pace->overlap + deeper) {
        status = hed_relax_find_mass(r, error);
        pace->overlap = pace->age == 0 ? 1.0 : r->overlap;
        pace->age = pace->age % OFTEN == 0 ? pace->age : 0;
    }
    pace->age += 1;
    return status;
}

HedStatus hed_relax_move(HedRelax* relax, HedRelaxPace* pace, HedError* error) {
    HedRelax* r = relax;
    HedStatus status = HED_OK;
    HedYarnMeeting meeting = {0};
    if (pace->step == 0.0) {
        pace->step = STEP.first;
        pace->mixing = MIXING.first;
    }
    r->ahead = 3.0 * pace->step; // damps contacts that stick
    HED_TRY(renew_masses(r, pace, error));
    HED_TRY(hed_relax_find_force(r, error));
    hed_relax_whole_find(r);
    MoveSums sums = sum_all(r);
    pace->largest = sums.force;
    if (!isfinite(sums.force) || !isfinite(sums.pull)) {
        return hed_fail(error, HED_INVALID, "relaxation: forces are not finite");
    }
    HedRelaxBlend blend = steer(r, pace, &sums);
    memcpy(r->before, r->x, sizeof(HedVec3) * (size_t)r->count);
    hed_relax_place(r, r->before);
    pace->speed = advance(r, blend, pace->step);
    hed_relax_place(r, r->x);
    HedYarnTrip trip = {hed_relax_spread(r, HED_YARN_ROOM_START, r->before),
                        hed_relax_spread(r, HED_YARN_ROOM_X, r->x), 0.0};
    HED_TRY(hed_yarn_ccd_cull(&r->contact, trip, &meeting, error));
    if (meeting.is_found) {
        memcpy(r->x, r->before, sizeof(HedVec3) * (size_t)r->count);
        hed_relax_place(r, r->x);
        stop_motion(r, pace);
        pace->backed_out += 1;
    } else {
        // Yarns that touch remember how far they have slid.
        HedYarnState at = {trip.end, hed_relax_spread(r, HED_YARN_ROOM_V, r->moves), pace->step};
        hed_yarn_advance(&r->contact, at, pace->step);
    }
done:
    return status;
}
