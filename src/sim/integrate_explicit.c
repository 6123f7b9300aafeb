// SPDX-License-Identifier: MIT
// Steps that need forces only: explicit and symplectic Euler, velocity Verlet, explicit midpoint,
// Runge-Kutta of order four. Held points follow their pins; bodies act on the result as a filter
// (contact/filter.c), or by forces (sim/penalty.c).
#include "sim/internal.h"

#include <stdio.h>
#include <string.h>

// A step that would change any velocity by more than this has left physics: cloth is torn at a
// thousandth of it.
static const double WILD_CHANGE = 1e5; // m/s

static bool is_wild(const HedSim* sim, double h) {
    double peak = 0.0;
    for (int32_t r = 0; r < sim->ranges.count; ++r) {
        peak = fmax(peak, sim->range_peak[r]);
    }
    return !(h * peak < WILD_CHANGE);
}

static HedReason refuse(HedSim* sim, HedStepReport* report) {
    int32_t worst = 0;
    double largest = -1.0;
    for (int32_t i = 0; i < sim->x.count; ++i) {
        double f = hed_norm3(sim->force[i]) * sim->inverse_mass[i];
        if (!isfinite(f) || f > largest) {
            largest = f;
            worst = i;
            if (!isfinite(f)) {
                break;
            }
        }
    }
    char place[96];
    hed_sim_describe_point(sim, worst, place, sizeof place);
    snprintf(report->trouble, sizeof report->trouble,
             "acceleration of %s is %.3g m/s^2: the step is too large for this stiffness", place,
             largest);
    return HED_REASON_NOT_FINITE;
}

// Forces, such that over lumped masses they are accelerations.
static HedPower find_force(HedSim* sim, const HedVec3* x, const HedVec3* v, double time,
                           HedVec3* force) {
    HedPower power = hed_sim_force(sim, x, v, time, force);
    HedPower push = hed_sim_penalty_force(sim, x, v, time, force);
    hed_sim_splines_accelerate(sim, force);
    if (sim->yarn_dynamics || sim->has_penalty) {
        hed_sim_find_peaks(sim, force);
    }
    power.dissipated += push.dissipated;
    power.external += push.external;
    return power;
}

static void add_work(HedSim* sim, HedPower power, double h) {
    sim->count.dissipated += h * power.dissipated;
    sim->count.external += h * power.external;
}

// What moving pins put in against the sheet's forces: those times the way, scale * (to - from),
// of each held point.
static void add_pin_work(HedSim* sim, double scale, const HedVec3* to, const HedVec3* from) {
    for (int32_t p = 0; p < sim->pins.count; ++p) {
        const HedPin* pin = &sim->pins.data[p];
        for (int32_t k = 0; k < pin->point_count && pin->is_active && pin->has_track; ++k) {
            int32_t i = pin->points[k];
            HedVec3 way = from ? hed_sub3(to[i], from[i]) : to[i];
            sim->count.external -= scale * hed_dot3(sim->force[i], way);
        }
    }
}

static HedReason step_euler(HedSim* sim, double t, double h, HedStepReport* report) {
    HedVec3* x = sim->x.data;
    HedVec3* v = sim->v.data;
    HedPower power = find_force(sim, x, v, t, sim->force);
    if (is_wild(sim, h)) {
        return refuse(sim, report);
    }
    bool symplectic = sim->def.integrator == HED_SYMPLECTIC_EULER;
#pragma omp parallel for schedule(static)                                                          \
    num_threads(hed_team_size(&sim->team, INT64_C(3) * sim->x.count))
    for (int32_t i = 0; i < sim->x.count; ++i) {
        HedVec3 after = hed_madd3(v[i], h * sim->inverse_mass[i], sim->force[i]);
        x[i] = hed_madd3(x[i], h, symplectic ? after : v[i]);
        v[i] = after;
    }
    add_work(sim, power, h);
    add_pin_work(sim, h, v, NULL);
    return HED_REASON_CONVERGED;
}

// x = x_old + h v_old, v = v_old + h a for each i; held points keep their velocity.
static void advance(HedSim* sim, const HedVec3* x_rate, const HedVec3* force, double h) {
#pragma omp parallel for schedule(static)                                                          \
    num_threads(hed_team_size(&sim->team, INT64_C(3) * sim->x.count))
    for (int32_t i = 0; i < sim->x.count; ++i) {
        sim->x.data[i] = hed_madd3(sim->x_old[i], h, x_rate[i]);
        sim->v.data[i] = hed_madd3(sim->v_old[i], h * sim->inverse_mass[i], force[i]);
    }
}

// Velocity Verlet (Swope et al. 1982). Forces that depend on velocity are taken at the predicted
// one, which keeps the second order; they are carried to the next step, which then needs one
// evaluation.
static HedReason step_verlet(HedSim* sim, double t, double h, HedStepReport* report) {
    HedVec3* x = sim->x.data;
    HedVec3* v = sim->v.data;
    HedVec3* a = sim->acceleration;
    if (!sim->count.has_acceleration) {
        sim->count.power = find_force(sim, x, v, t, a);
        sim->count.has_acceleration = 1;
    }
#pragma omp parallel for schedule(static)                                                          \
    num_threads(hed_team_size(&sim->team, INT64_C(3) * sim->x.count))
    for (int32_t i = 0; i < sim->x.count; ++i) {
        double w = h * sim->inverse_mass[i];
        x[i] = hed_madd3(hed_madd3(x[i], h, v[i]), 0.5 * h * w, a[i]);
        v[i] = hed_madd3(v[i], w, a[i]);
    }
    hed_pins_place(sim, t + h, x, v);
    HedPower power = find_force(sim, x, v, t + h, sim->force);
    if (is_wild(sim, h)) {
        return refuse(sim, report);
    }
#pragma omp parallel for schedule(static)                                                          \
    num_threads(hed_team_size(&sim->team, INT64_C(3) * sim->x.count))
    for (int32_t i = 0; i < sim->x.count; ++i) {
        HedVec3 mean = hed_mul3(0.5, hed_add3(a[i], sim->force[i]));
        double w = h * sim->inverse_mass[i];
        v[i] = w > 0.0 ? hed_madd3(sim->v_old[i], w, mean) : v[i];
        a[i] = sim->force[i];
        sim->force[i] = mean;
    }
    add_work(sim, sim->count.power, 0.5 * h);
    add_work(sim, power, 0.5 * h);
    add_pin_work(sim, 1.0, x, sim->x_old);
    sim->count.power = power;
    return HED_REASON_CONVERGED;
}

// Explicit midpoint (Runge 1895): forces and velocities of half a step carry the whole one.
static HedReason step_midpoint(HedSim* sim, double t, double h, HedStepReport* report) {
    find_force(sim, sim->x.data, sim->v.data, t, sim->force);
    if (is_wild(sim, h)) {
        return refuse(sim, report);
    }
    advance(sim, sim->v_old, sim->force, 0.5 * h);
    hed_pins_place(sim, t + 0.5 * h, sim->x.data, sim->v.data);
    HedPower power = find_force(sim, sim->x.data, sim->v.data, t + 0.5 * h, sim->force);
    if (is_wild(sim, h)) {
        return refuse(sim, report);
    }
    advance(sim, sim->v.data, sim->force, h); // reads each velocity before it writes it
    hed_pins_place(sim, t + h, sim->x.data, sim->v.data);
    add_work(sim, power, h);
    add_pin_work(sim, 1.0, sim->x.data, sim->x_old);
    return HED_REASON_CONVERGED;
}

static HedReason step_rk4(HedSim* sim, double t, double h, HedStepReport* report) {
    static const double NODE[4] = {0.0, 0.5, 0.5, 1.0};
    HedVec3* const* force = sim->stage;
    HedPower power = {0};
    // Velocities of the stages: v_k = v_old + node_k h a_(k-1); their weighted sum moves the
    // positions, and follows from the stage forces alone: x = x_old + h v_old + h^2/6 (a1 + a2 +
    // a3).
    for (int k = 0; k < 4; ++k) {
        HedPower one = find_force(sim, sim->x.data, sim->v.data, t + NODE[k] * h, force[k]);
        double weight = k == 0 || k == 3 ? 1.0 / 6.0 : 1.0 / 3.0;
        power.dissipated += weight * one.dissipated;
        power.external += weight * one.external;
        if (is_wild(sim, h)) {
            memcpy(sim->force, force[k], sizeof(HedVec3) * (size_t)sim->x.count);
            return refuse(sim, report);
        }
        if (k < 3) {
            double step = NODE[k + 1] * h;
            // The velocity of this stage is what moves the next one.
            memcpy(sim->force, sim->v.data, sizeof(HedVec3) * (size_t)sim->x.count);
            advance(sim, sim->force, force[k], step);
            hed_pins_place(sim, t + step, sim->x.data, sim->v.data);
        }
    }
#pragma omp parallel for schedule(static)                                                          \
    num_threads(hed_team_size(&sim->team, INT64_C(3) * sim->x.count))
    for (int32_t i = 0; i < sim->x.count; ++i) {
        HedVec3 middle = hed_add3(force[1][i], force[2][i]);
        HedVec3 early = hed_add3(force[0][i], middle);
        HedVec3 all = hed_add3(hed_add3(force[0][i], force[3][i]), hed_mul3(2.0, middle));
        double w = sim->inverse_mass[i] * h / 6.0;
        sim->x.data[i] = hed_madd3(hed_madd3(sim->x_old[i], h, sim->v_old[i]), h * w, early);
        sim->v.data[i] = hed_madd3(sim->v_old[i], w, all);
        sim->force[i] = hed_mul3(1.0 / 6.0, all);
    }
    hed_pins_place(sim, t + h, sim->x.data, sim->v.data);
    add_work(sim, power, h);
    add_pin_work(sim, 1.0, sim->x.data, sim->x_old);
    return HED_REASON_CONVERGED;
}

HedReason hed_step_explicit(HedSim* sim, double t, double h, HedStepReport* report) {
    HedReason reason = HED_REASON_CONVERGED;
    double held = hed_pins_kinetic(sim);
    hed_period_begin(sim);
    switch (sim->def.integrator) {
    case HED_VERLET:
        reason = step_verlet(sim, t, h, report);
        break;
    case HED_RK4:
        reason = step_rk4(sim, t, h, report);
        break;
    case HED_MIDPOINT:
        reason = step_midpoint(sim, t, h, report);
        break;
    default:
        reason = step_euler(sim, t, h, report);
        break;
    }
    if (reason == HED_REASON_CONVERGED) {
        hed_pins_place(sim, t + h, sim->x.data, sim->v.data);
        hed_sim_splines_carry(sim, h);
        hed_period_end(sim);
        hed_yarn_dynamics_settle(sim, t, h);
        sim->count.external += hed_pins_kinetic(sim) - held;
        hed_sim_filter_contacts(sim, t + h, report);
        hed_sim_penalty_end(sim, t + h, h, report);
    }
    report->iterations = 1;
    return reason;
}
