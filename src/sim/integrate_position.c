// SPDX-License-Identifier: MIT
// Position-based stepping: move freely, then pull positions back onto constraints, then read
// velocities off.
//
// A spring or bending element of stiffness k is the constraint C = |d| - rest = 0 with compliance
// 1/k. XPBD (Macklin, Mueller, Chentanez 2016) remembers the multiplier of each constraint over the
// passes of a step, so that stiffness does not depend on their number. Many passes find the
// implicit step but for the turning of elements during them, whose effect falls faster than the
// step:
//   dl = (-C - a l - g C') / ((1 + g) sum w_i^2/m_i + a),    a = 1/(k h^2),  g = damping time / h,
//   C' = change of |d| over the step
// PBD (Mueller et al. 2007) forgets it (l = 0, g = 0): stiffness then grows with the number of
// passes.
//
// Chains of springs are solved together (sim/lines.h): springs one by one would carry a load by one
// point a pass, and leave an error that grows with the square of their number. What is in no chain
// follows one by one. Chains and constraints of one colour share no point and are solved at the
// same time; colours follow each other.
#include "base/alloc.h"
#include "sim/profile.h"
#include "state/tiles.h"

#include <stdio.h>
#include <string.h>

static HedVec3 combine(const HedRadialConstraint* c, const HedVec3* x) {
    HedVec3 d = hed_mul3(c->weight[0], x[c->point[0]]);
    d = hed_madd3(d, c->weight[1], x[c->point[1]]);
    return hed_madd3(d, c->weight[2], x[c->point[2]]);
}

static void project(HedSim* sim, int32_t index, double h, bool remember) {
    const HedRadialConstraint* c = &sim->constraints.list[index];
    HedVec3* x = sim->x.data;
    HedVec3 d = combine(c, x);
    double length = hed_norm3(d);
    double mobility = 0.0;
    for (int m = 0; m < 3; ++m) {
        mobility += c->weight[m] * c->weight[m] * sim->inverse_mass[c->point[m]];
    }
    if (!(length > 0.0) || !(mobility > 0.0)) {
        return;
    }
    HedVec3 t = hed_mul3(1.0 / length, d);
    double a = 1.0 / (c->stiffness * h * h);
    double g = remember ? c->damping_time / h : 0.0;
    double change = length - hed_norm3(combine(c, sim->x_old));
    double known = remember ? sim->constraints.multiplier[index] : 0.0;
    double push = (-(length - c->rest) - a * known - g * change) / ((1.0 + g) * mobility + a);
    sim->constraints.multiplier[index] = known + push;
    for (int m = 0; m < 3; ++m) {
        double w = push * c->weight[m] * sim->inverse_mass[c->point[m]];
        x[c->point[m]] = hed_madd3(x[c->point[m]], w, t);
    }
}

// The functions below run inside one parallel region, each thread with the whole of them: waking
// threads for every colour would cost more than the colour. Groups of chains go to parts in turns,
// because they stand by falling length.
static void begin_lines(HedSim* sim, double h, int32_t parts) {
#pragma omp for schedule(static)
    for (int32_t part = 0; part < parts; ++part) {
        for (int32_t g = part; g < sim->constraints.lines.group_count; g += parts) {
            hed_line_group_begin(&sim->constraints.lines, g, h, sim->x_old);
        }
    }
}

static void solve_lines(HedSim* sim, const HedLineStep* step, int32_t color, int32_t parts) {
    HedConstraints* c = &sim->constraints;
#pragma omp for schedule(static)
    for (int32_t part = 0; part < parts; ++part) {
        HedLineWork* work = c->work + (int64_t)part * c->lines.longest;
        int32_t last = c->lines.color_first[color + 1];
        for (int32_t g = c->lines.color_first[color] + part; g < last; g += parts) {
            hed_line_group_solve(&c->lines, g, step, work);
        }
    }
}

static void pass(HedSim* sim, const HedLineStep* step, int32_t parts) {
    const HedConstraints* c = &sim->constraints;
    for (int32_t color = 0; color < c->color_count; ++color) {
#pragma omp for schedule(static)
        for (int32_t k = c->color_first[color]; k < c->color_first[color + 1]; ++k) {
            project(sim, k, step->h, step->remembers);
        }
    }
    // Stretch comes last: what resists most, and carries loads farthest, is met best.
    for (int32_t color = c->lines.color_count - 1; color >= 0; --color) {
        solve_lines(sim, step, color, parts);
    }
}

static void run_passes(HedSim* sim, double h) {
    HedConstraints* c = &sim->constraints;
    HedLineStep step = {h, sim->def.integrator == HED_XPBD, sim->inverse_mass, sim->x.data};
    // Threads meet after each colour. That takes about half as long as waking them.
    int64_t cost = INT64_C(160) * c->lines.node_count + INT64_C(20) * c->count; // ns, of a pass
    int32_t colors = hed_max_i32(1, c->lines.color_count + c->color_count);
    int32_t parts = hed_team_size(&sim->team, 2 * cost / colors);
    memset(c->multiplier, 0, sizeof(double) * (size_t)c->count);
#pragma omp parallel num_threads(parts)
    {
        begin_lines(sim, h, parts);
        for (int32_t k = 0; k < sim->def.pbd_iterations; ++k) {
            pass(sim, &step, parts);
        }
    }
}

// Gravity, drag and wind move the points before the constraints act.
static HedPower predict(HedSim* sim, double t, double h) {
    HedVec3* x = sim->x.data;
    HedVec3* v = sim->v.data;
    HedPower power = hed_sim_force(sim, x, v, t, sim->force);
#pragma omp parallel for schedule(static)                                                          \
    num_threads(hed_team_size(&sim->team, INT64_C(3) * sim->x.count))
    for (int32_t i = 0; i < sim->x.count; ++i) {
        v[i] = hed_madd3(v[i], h * sim->inverse_mass[i], sim->force[i]);
        x[i] = hed_madd3(x[i], h, v[i]);
    }
    hed_pins_place(sim, t + h, x, v);
    return power;
}

static bool read_velocities(HedSim* sim, double h) {
    double largest = 0.0;
    for (int32_t i = 0; i < sim->x.count; ++i) {
        if (sim->inverse_mass[i] > 0.0) {
            sim->v.data[i] = hed_mul3(1.0 / h, hed_sub3(sim->x.data[i], sim->x_old[i]));
        }
        double speed = hed_dot3(sim->v.data[i], sim->v.data[i]);
        largest = speed <= largest ? largest : speed;
    }
    return isfinite(largest);
}

HedReason hed_step_position(HedSim* sim, double t, double h, HedStepReport* report) {
    HedPower power = predict(sim, t, h);
    double begin = hed_stage_begin(sim);
    run_passes(sim, h);
    hed_stage_end(sim, HED_STAGE_CONSTRAINTS, begin);
    report->iterations = sim->def.pbd_iterations;
    if (!read_velocities(sim, h)) {
        snprintf(report->trouble, sizeof report->trouble, "positions are not finite");
        return HED_REASON_NOT_FINITE;
    }
    sim->count.dissipated += h * power.dissipated;
    sim->count.external += h * power.external;
    hed_sim_filter_contacts(sim, t + h, report);
    return HED_REASON_CONVERGED;
}

static HedRadialConstraint from_spring(const HedSim* sim, const HedSpring* spring) {
    return (HedRadialConstraint){
        .point = {spring->a, spring->b, spring->b},
        .weight = {-1.0, 1.0, 0.0},
        .rest = spring->length,
        .stiffness = spring->stiffness,
        .damping_time = hed_sim_cloth_at(sim, spring->a)->damping,
    };
}

static HedRadialConstraint from_curve(const HedSim* sim, const HedBend* curve) {
    HedVec3 w = hed_curve_weights(curve->rest);
    return (HedRadialConstraint){
        .point = {curve->point[0], curve->point[1], curve->point[2]},
        .weight = {w.x, w.y, w.z},
        .rest = curve->rest.turn,
        .stiffness = curve->rest.stiffness,
        .damping_time = hed_sim_cloth_at(sim, curve->point[0])->bend_damping,
    };
}

// Sorts the constraints by colour, keeping their order within one.
static HedStatus sort_by_color(HedSim* sim, const HedRadialConstraint* list, const int32_t* color,
                               HedError* error) {
    HedConstraints* c = &sim->constraints;
    c->color_first = HED_NEW_ARRAY(int32_t, (int64_t)c->color_count + 2);
    c->list = HED_NEW_ARRAY(HedRadialConstraint, c->count);
    c->multiplier = HED_NEW_ARRAY(double, c->count);
    if (!c->color_first || !c->list || !c->multiplier) {
        return hed_fail_memory(error, "constraints");
    }
    for (int32_t k = 0; k < c->count; ++k) {
        c->color_first[color[k] + 2] += 1;
    }
    for (int32_t k = 1; k <= c->color_count; ++k) {
        c->color_first[k + 1] += c->color_first[k];
    }
    for (int32_t k = 0; k < c->count; ++k) {
        c->list[c->color_first[color[k] + 1]++] = list[k];
    }
    return HED_OK;
}

// The damping times of all springs, then of all curves.
static void list_damping(const HedSim* sim, double* damping) {
    for (int32_t k = 0; k < sim->springs.list.count; ++k) {
        damping[k] = from_spring(sim, &sim->springs.list.data[k]).damping_time;
    }
    for (int32_t k = 0; k < sim->curves.list.count; ++k) {
        damping[sim->springs.list.count + k] =
            from_curve(sim, &sim->curves.list.data[k]).damping_time;
    }
}

static HedStatus create_lines(HedSim* sim, bool* is_taken, HedError* error) {
    HedStatus status = HED_OK;
    HedConstraints* c = &sim->constraints;
    int32_t springs = sim->springs.list.count;
    double* damping = HED_NEW_ARRAY(double, (int64_t)springs + sim->curves.list.count);
    if (!damping) {
        HED_TRY(hed_fail_memory(error, "constraints"));
    }
    list_damping(sim, damping);
    HedLineDef def = {.rest = sim->rest.data,
                      .point_count = sim->x.count,
                      .springs = sim->springs.list.data,
                      .spring_damping = damping,
                      .spring_count = springs,
                      .curves = sim->curves.list.data,
                      .curve_damping = damping + springs,
                      .curve_count = sim->curves.list.count};
    HED_TRY(hed_lines_create(&c->lines, &def, is_taken, error));
    c->work = HED_NEW_ARRAY(HedLineWork, (int64_t)c->lines.longest * sim->team.threads);
    status = c->work ? HED_OK : hed_fail_memory(error, "constraints");
done:
    hed_free(damping);
    return status;
}

// What is in no chain, one by one.
static HedStatus create_list(HedSim* sim, const bool* is_taken, HedError* error) {
    HedStatus status = HED_OK;
    HedConstraints* c = &sim->constraints;
    int32_t springs = sim->springs.list.count;
    int32_t count = springs + sim->curves.list.count;
    HedRadialConstraint* list = HED_NEW_ARRAY(HedRadialConstraint, count);
    int32_t* stencil = HED_NEW_ARRAY(int32_t, 3 * (int64_t)count);
    int32_t* color = HED_NEW_ARRAY(int32_t, count);
    if (!list || !stencil || !color) {
        HED_TRY(hed_fail_memory(error, "constraints"));
    }
    for (int32_t k = 0; k < count; ++k) {
        if (!is_taken[k]) {
            HedRadialConstraint* one = &list[c->count];
            *one = k < springs ? from_spring(sim, &sim->springs.list.data[k])
                               : from_curve(sim, &sim->curves.list.data[k - springs]);
            memcpy(stencil + 3 * (int64_t)c->count, one->point, sizeof one->point);
            c->count += 1;
        }
    }
    HED_TRY(hed_color_elements(sim->x.count, (HedStencils){stencil, 3, c->count}, color,
                               &c->color_count, error));
    HED_TRY(sort_by_color(sim, list, color, error));
done:
    hed_free(list);
    hed_free(stencil);
    hed_free(color);
    return status;
}

HedStatus hed_constraints_create(HedSim* sim, HedError* error) {
    HedStatus status = HED_OK;
    if (sim->membranes.list.count + sim->shells.list.count + sim->flats.list.count > 0) {
        return hed_fail(error, HED_INVALID,
                        "position-based steps (pbd, xpbd) know springs only: sheets need 'model: "
                        "springs' and 'bending: curvature', 'springs' or 'none'");
    }
    if (sim->strand_list.count > 0) {
        return hed_fail(error, HED_INVALID,
                        "position-based steps (pbd, xpbd) know springs only: yarns bend, twist and "
                        "touch, and need another 'integrator'");
    }
    bool* is_taken = HED_NEW_ARRAY(bool, (int64_t)sim->springs.list.count + sim->curves.list.count);
    if (!is_taken) {
        return hed_fail_memory(error, "constraints");
    }
    HED_TRY(create_lines(sim, is_taken, error));
    HED_TRY(create_list(sim, is_taken, error));
done:
    hed_free(is_taken);
    if (status != HED_OK) {
        hed_constraints_free(&sim->constraints);
    }
    return status;
}

void hed_constraints_free(HedConstraints* constraints) {
    hed_lines_free(&constraints->lines);
    hed_free(constraints->work);
    hed_free(constraints->list);
    hed_free(constraints->multiplier);
    hed_free(constraints->color_first);
    *constraints = (HedConstraints){0};
}
