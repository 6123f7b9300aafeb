// SPDX-License-Identifier: MIT
// Steps of sliding yarns: what is held, what was taken and put in, and the way back.
#include "sim/watch.h"
#include "slide/measure.h"
#include "slide/rest.h"
#include "slide/state.h"

#include <stdio.h>
#include <string.h>

// --- state ---

static void save_all(const HedSim* sim, double* state) {
    for (int32_t k = 0; k < sim->sliding.sets.count; ++k) {
        const HedSlide* slide = sim->sliding.sets.data[k]->slide;
        hed_slide_save(slide, state);
        state += hed_slide_state_count(slide);
    }
}

static void restore_all(HedSim* sim, const double* state) {
    for (int32_t k = 0; k < sim->sliding.sets.count; ++k) {
        HedSlide* slide = sim->sliding.sets.data[k]->slide;
        hed_slide_restore(slide, state);
        state += hed_slide_state_count(slide);
    }
}

void hed_sliding_keep(HedSim* sim) {
    sim->sliding.gone_count = hed_sliding_gone_count(sim);
    save_all(sim, sim->sliding.state);
}

void hed_sliding_restore(HedSim* sim) {
    restore_all(sim, sim->sliding.state);
    hed_sliding_give_points(sim);
}

bool hed_sliding_is_finite(const HedSim* sim) {
    bool ok = true;
    for (int64_t k = 0; k < sim->sliding.state_count && ok; ++k) {
        ok = isfinite(sim->sliding.state[k]);
    }
    return ok;
}

void hed_sliding_take_points(HedSim* sim) {
    for (int32_t s = 0; s < sim->sliding.sets.count; ++s) {
        const HedSlidingSet* set = sim->sliding.sets.data[s];
        for (int32_t k = 0; k < set->net.node_count; ++k) {
            int64_t at = (int64_t)HED_NODE_SIZE * set->slide->number[k];
            memcpy(set->slide->q + at, &sim->x.data[set->first_point + k], sizeof(HedVec3));
            memcpy(set->slide->v + at, &sim->v.data[set->first_point + k], sizeof(HedVec3));
        }
    }
}

void hed_sliding_give_points(HedSim* sim) {
    for (int32_t s = 0; s < sim->sliding.sets.count; ++s) {
        HedSlidingSet* set = sim->sliding.sets.data[s];
        if (set->net_version != set->slide->leave.version) {
            hed_sliding_follow(set);
        }
        for (int32_t k = 0; k < set->net.node_count; ++k) {
            int64_t at = (int64_t)HED_NODE_SIZE * set->slide->number[k];
            memcpy(&sim->x.data[set->first_point + k], set->slide->q + at, sizeof(HedVec3));
            memcpy(&sim->v.data[set->first_point + k], set->slide->v + at, sizeof(HedVec3));
        }
    }
}

// --- what is held ---

// Whether a point is a node of the set.
static bool is_of(const HedSlidingSet* set, int32_t point) {
    return point >= set->first_point && point - set->first_point < set->net.node_count;
}

// Where pins have the nodes of a set at a time. Where several hold one, the last does.
static int32_t find_holds(const HedSim* sim, const HedSlidingSet* set, double time) {
    HedSlideHold* holds = sim->sliding.holds;
    int32_t count = 0;
    for (int32_t p = 0; p < sim->pins.count; ++p) {
        const HedPin* pin = &sim->pins.data[p];
        for (int32_t k = 0; k < pin->point_count && pin->is_active; ++k) {
            if (is_of(set, pin->points[k])) {
                HedVec3 rate;
                HedSlideHold* hold = &holds[count++];
                hold->node = set->slide->number[pin->points[k] - set->first_point];
                hold->clamps = pin->clamps;
                hed_pin_place(pin, time, pin->start[k], &hold->target, &rate);
            }
        }
    }
    return count;
}

// --- energy that goes and comes ---

// Forces (N, the other way round) of all but inertia on each node, held ones too, into the engine's
// gradient. The rates are those of the last piece of the step, whatever size it is taken to have;
// what is still has none.
static void find_forces(const HedSim* sim, HedSlide* slide, bool is_still) {
    int64_t size = (int64_t)HED_NODE_SIZE * slide->node_count;
    double h = sim->def.time_step;
    double back = is_still ? 0.0 : h;
    for (int64_t k = 0; k < size; ++k) {
        slide->start[k] = slide->q[k] - back * slide->v[k];
    }
    memcpy(slide->guess, slide->q, sizeof *slide->q * (size_t)size);
    memset(slide->is_held, 0, (size_t)size);
    hed_slide_evaluate(slide, slide->q, 1.0 / h, false);
}

static HedVec3 force_on(const HedSlide* slide, int32_t node) {
    HedVec3 force;
    memcpy(&force, slide->gradient + (int64_t)HED_NODE_SIZE * node, sizeof force);
    return force;
}

// J, what moving pins put into the nodes of a set in a step that is done; the points are still
// those of its start.
static double find_work(const HedSim* sim, const HedSlidingSet* set) {
    double work = 0.0;
    for (int32_t p = 0; p < sim->pins.count; ++p) {
        const HedPin* pin = &sim->pins.data[p];
        for (int32_t k = 0; k < pin->point_count && pin->is_active && pin->has_track; ++k) {
            int32_t point = pin->points[k];
            if (!is_of(set, point)) {
                continue;
            }
            int32_t node = set->slide->number[point - set->first_point];
            HedVec3 x, v;
            memcpy(&x, set->slide->q + (int64_t)HED_NODE_SIZE * node, sizeof x);
            memcpy(&v, set->slide->v + (int64_t)HED_NODE_SIZE * node, sizeof v);
            HedVec3 before = sim->v.data[point];
            work += hed_dot3(force_on(set->slide, node), hed_sub3(x, sim->x.data[point]));
            work += 0.5 * sim->mass.data[point] * (hed_dot3(v, v) - hed_dot3(before, before));
        }
    }
    return work;
}

static bool has_moving_pins(const HedSim* sim) {
    bool found = false;
    for (int32_t p = 0; p < sim->pins.count; ++p) {
        found = found || (sim->pins.data[p].is_active && sim->pins.data[p].has_track);
    }
    return found;
}

// Of bodies at the end of a step: friction and damping take, and what moves puts in.
static HedPower body_power(HedSlide* slide) {
    HedSlideBodies* own = slide->bodies;
    for (int32_t i = 0; i < slide->node_count; ++i) {
        memcpy(&own->x[i], slide->q + (int64_t)HED_NODE_SIZE * i, sizeof own->x[i]);
        memcpy(&own->v[i], slide->v + (int64_t)HED_NODE_SIZE * i, sizeof own->v[i]);
    }
    return hed_contacts_add_force(&own->contacts, own->x, own->v, slide->time, own->force);
}

// J, of Rayleigh damping: its force is that of the stiffness at the start of the step.
static double find_rayleigh(HedSlide* slide, double h) {
    int32_t size = HED_NODE_SIZE * slide->node_count;
    double* change = slide->work;
    double* force = change + size;
    for (int32_t k = 0; k < size; ++k) {
        change[k] = slide->q[k] - slide->start[k];
    }
    hed_net_matrix_multiply(&slide->stiffness, change, force);
    return slide->rayleigh / h * hed_team_dot(slide->team, change, force, size);
}

// J, that damping took in a step of size h. Its potentials are quadratic in the rates: it takes
// twice what they are.
static double find_damped(HedSlide* slide, double h) {
    double sums[HED_NET_SUMS];
    HedNetEval at = {slide->q, slide->start, 1.0 / h, slide->gradient, NULL};
    double taken = slide->rayleigh > 0.0 ? find_rayleigh(slide, h) : 0.0;
    if (slide->model.has_damping || slide->model.shear_damping > 0.0) {
        hed_net_evaluate(&slide->model, at, sums);
        taken += 2.0 * sums[HED_NET_DAMPING];
    }
    return taken;
}

// Adds up what a step of a set took and put in.
static void account(HedSim* sim, const HedSlidingSet* set, double h) {
    HedSlide* slide = set->slide;
    sim->count.dissipated += slide->heat;
    sim->count.dissipated += find_damped(slide, h);
    if (slide->bodies) {
        HedPower power = body_power(slide);
        sim->count.dissipated += h * power.dissipated;
        sim->count.external += h * power.external;
    }
    if (has_moving_pins(sim)) {
        find_forces(sim, slide, false);
        sim->count.external += find_work(sim, set);
    }
}

// J, what drag takes in a step of size h: it slows all velocities down by the same factor.
static double find_drag(const HedSim* sim, const HedSlidingSet* set, double h) {
    if (!(sim->def.drag > 0.0)) {
        return 0.0;
    }
    double sums[HED_NET_SUMS];
    double kinetic;
    double slow = 1.0 / (1.0 + sim->def.drag * h);
    hed_slide_energies(set->slide, sums, &kinetic);
    return (1.0 - slow * slow) * kinetic;
}

// --- steps ---

static void note_trouble(const HedSim* sim, int32_t index, HedReason reason,
                         HedStepReport* report) {
    const HedSlidingSet* set = sim->sliding.sets.data[index];
    if (reason == HED_REASON_PASSED) {
        snprintf(report->trouble, sizeof report->trouble,
                 "parts of yarns '%.60s' would have gone through each other",
                 sim->cloths.data[index].name);
        return;
    }
    double force;
    int32_t node = hed_slide_worst(set->slide, &force);
    HedVec3 x = sim->x.data[set->first_point + node];
    snprintf(report->trouble, sizeof report->trouble,
             "%.3g N are left at node %d of yarns '%.60s', which started the step at (%.4g, %.4g, "
             "%.4g)",
             force, node, sim->cloths.data[index].name, x.x, x.y, x.z);
}

// What is worst in the set that is being solved.
typedef struct Place {
    const HedSim* sim;
    int32_t index;
} Place;

static void describe(const void* self, HedStepReport* report) {
    const Place* place = self;
    hed_slide_worst(place->sim->sliding.sets.data[place->index]->slide, &report->residual);
    note_trouble(place->sim, place->index, HED_REASON_MAX_ITERATIONS, report);
}

HedReason hed_step_sliding(HedSim* sim, double t, double h, HedStepReport* report) {
    HedSimSliding* own = &sim->sliding;
    bool rests = sim->def.integrator == HED_QUASI_STATIC;
    if (own->piece_state) {
        save_all(sim, own->piece_state);
    }
    HedCounters before = sim->count;
    for (int32_t k = 0; k < own->sets.count; ++k) {
        HedSlidingSet* set = own->sets.data[k];
        int32_t count = find_holds(sim, set, t + h);
        double dragged = find_drag(sim, set, h);
        Place place = {sim, k};
        set->slide->profile = sim->profile;
        set->slide->watch = hed_sim_watch(sim);
        hed_sim_watch_describe(sim, describe, &place);
        HedReason reason = rests ? hed_slide_rest(set->slide, t, h, own->holds, count, report)
                                 : hed_slide_step(set->slide, t, h, own->holds, count, report);
        hed_sim_watch_describe(sim, NULL, NULL);
        if (reason != HED_REASON_CONVERGED) {
            hed_sim_note(sim, set->slide->failure);
            note_trouble(sim, k, reason, report);
            if (own->piece_state) {
                restore_all(sim, own->piece_state);
            }
            sim->count = before;
            return reason;
        }
        if (rests) {
            sim->count.dissipated += set->slide->heat;
            continue;
        }
        sim->count.dissipated += dragged;
        account(sim, set, h);
    }
    hed_sliding_give_points(sim);
    return HED_REASON_CONVERGED;
}

HedStatus hed_sliding_measure_solve(HedSim* sim, int32_t rounds, HedSolveMeasure* out,
                                    HedError* error) {
    if (sim->sliding.sets.count > 1) {
        return hed_fail(error, HED_UNSUPPORTED,
                        "linear equations are timed for one set of sliding yarns, got %d",
                        (int)sim->sliding.sets.count);
    }
    const HedSlidingSet* set = sim->sliding.sets.data[0];
    double time = hed_sim_time(sim);
    double h = sim->def.time_step;
    int32_t count = find_holds(sim, set, time + h);
    HedSlideStep step = {time, h, sim->sliding.holds, count};
    hed_sliding_keep(sim);
    HedStatus status = hed_slide_measure(set->slide, step, rounds, out);
    hed_sliding_restore(sim);
    return status == HED_OK ? HED_OK : hed_fail_memory(error, "contacts");
}

HedVec3 hed_sliding_reaction(const HedSim* sim, int32_t index) {
    const HedPin* pin = &sim->pins.data[index];
    HedVec3 sum = {0};
    for (int32_t s = 0; s < sim->sliding.sets.count && pin->is_active; ++s) {
        const HedSlidingSet* set = sim->sliding.sets.data[s];
        find_forces(sim, set->slide, hed_sim_is_still(sim));
        for (int32_t k = 0; k < pin->point_count; ++k) {
            if (is_of(set, pin->points[k])) {
                int32_t node = set->slide->number[pin->points[k] - set->first_point];
                sum = hed_add3(sum, force_on(set->slide, node));
            }
        }
    }
    return sum;
}

// --- contacts ---

static double sphere_energy(const HedSlide* slide) {
    const HedSpheres* spheres = slide->spheres;
    double sum = 0.0;
    for (int32_t k = 0; spheres && k < spheres->pairs.count; ++k) {
        HedVec3 x[2];
        for (int e = 0; e < 2; ++e) {
            int64_t at = (int64_t)HED_NODE_SIZE * spheres->pairs.data[k].node[e];
            memcpy(&x[e], slide->q + at, sizeof x[e]);
        }
        double deep = fmax(0.0, 2.0 * spheres->radius - hed_distance3(x[0], x[1]));
        sum += 0.5 * spheres->stiffness * deep * deep;
    }
    return sum;
}

double hed_sliding_contact_energy(const HedSim* sim) {
    double sum = 0.0;
    for (int32_t s = 0; s < sim->sliding.sets.count; ++s) {
        const HedSlide* slide = sim->sliding.sets.data[s]->slide;
        sum += slide->bodies ? hed_contacts_energy(&slide->bodies->contacts) : 0.0;
        sum += sphere_energy(slide);
    }
    return sum;
}

void hed_sliding_note_contacts(HedSim* sim) {
    for (int32_t s = 0; sim->contact_force && s < sim->sliding.sets.count; ++s) {
        const HedSlidingSet* set = sim->sliding.sets.data[s];
        double* push = set->slide->trial; // as the engine numbers nodes
        memset(push, 0, sizeof *push * (size_t)set->net.node_count);
        hed_contacts_add_push(&set->slide->bodies->contacts, 1.0, push);
        for (int32_t k = 0; k < set->net.node_count; ++k) {
            sim->contact_force[set->first_point + k] = push[set->slide->number[k]];
        }
    }
}
