// SPDX-License-Identifier: MIT
// Sheets, rods, splines and sliding yarns in one simulation: what the equations of a step are made
// of, and what all of them together conserve.
#include "base/random.h"
#include "heddle/sliding.h"
#include "heddle/yarn.h"
#include "sim/newton.h"
#include "support/nets.h"
#include "support/rig.h"
#include "support/sliding_rig.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static HedSimDef small_steps(void) {
    HedSimDef def = hed_sim_def_default();
    def.time_step = 1e-3;
    def.thread_count = 1;
    return def;
}

static HedYarnsId add_net(HedSim* sim, const HedNet* net, HedVec3 velocity) {
    HedYarnsId id = {0};
    HedError error = {0};
    HedSlidingDef def = hed_sliding_def_default();
    def.name = "cloth";
    def.net = net;
    def.velocity = velocity;
    cr_assert_eq(hed_sliding_create(sim, &def, &id, &error), HED_OK, "%s", error.message);
    return id;
}

// --- the equations of a step ---

// A floor into which the lowest points reach by a depth.
static HedBodyId add_floor(HedSim* sim, const HedNet* net, double depth) {
    HedBodyDef def = hed_body_def_default();
    HedKeyframe place = {.pose = {{0.0, HUGE_VAL, 0.0}, {1, 0, 0, 0}}};
    for (int32_t n = 0; n < net->node_count; ++n) {
        // An end has the thickness of its own yarn, a crossing that of both.
        double thick = net->yarns[0].radius * (net->nodes[n].sign != 0 ? 2.0 : 1.0);
        double low = net->nodes[n].position.y - thick + depth;
        place.pose.position.y = fmin(place.pose.position.y, low);
    }
    def.shape = HED_PLANE;
    def.friction = 0.4;
    def.damping = 1e-3;
    def.stiffness *= 1e4; // forces of the size of those in yarns
    def.overlap = HED_OVERLAP_PUSH;
    def.push_speed = 1e3; // at once
    def.keyframes = &place;
    def.keyframe_count = 1;
    return rig_body(sim, &def);
}

// Energy of the step, and its slope, a little way along a direction.
static double energy_along(HedNewton* newton, double share, double* slope) {
    cr_assert(newton->move(newton->self, share));
    double energy = newton->evaluate(newton->self);
    *slope = hed_team_dot(newton->team, newton->residual, newton->tangent, newton->size);
    return energy;
}

// The energy of a step knows what rubs and brakes on a body: without it line searches fail.
Test(parts, residual_is_the_slope_of_the_energy) {
    HedNet net = {0};
    test_net_weave(5, 6, &net);
    HedSimDef def = small_steps();
    HedSim* sim = rig_sim(&def);
    add_net(sim, &net, (HedVec3){0.3, -0.01, 0.0}); // far above where friction sticks
    add_floor(sim, &net, 2e-5);
    rig_prepare(sim);
    HedStep step;
    cr_assert_eq(hed_implicit_begin(sim, &step), HED_OK);
    cr_assert_gt(sim->contacts.list.count, 0);
    HedNewton* newton = &step.newton;
    cr_assert(newton->has_energy);
    const HedPart* part = &sim->parts.list.data[0];
    const double spacing = net.spacing;
    double largest = 0.0, error = 0.0;
    for (int32_t k = 0; k < newton->size; ++k) { // at rest, stiffness jumps between pull and push
        newton->direction[k] = 2e-3 * spacing * (hed_random_uniform(7, 0, (uint64_t)k) - 0.5);
    }
    part->type->hold(part->self, newton->direction);
    newton->begin_line(newton->self);
    cr_assert(newton->move(newton->self, 1.0));
    for (int32_t k = 0; k < newton->size; ++k) {
        memset(newton->direction, 0, sizeof(double) * (size_t)newton->size);
        newton->direction[k] = 1.0;
        part->type->hold(part->self, newton->direction);
        if (newton->direction[k] == 0.0) {
            continue;
        }
        double slope, up, down, ends, by = 1e-6 * spacing;
        newton->begin_line(newton->self);
        up = energy_along(newton, by, &ends);
        down = energy_along(newton, -by, &ends);
        energy_along(newton, 0.0, &slope);
        largest = fmax(largest, fabs(slope));
        error = fmax(error, fabs((up - down) / (2.0 * by) + slope));
    }
    // Central differences over 1e-6 of the spacing, and rounding 1e-16/1e-6 of sums over all.
    cr_assert_lt(error, 1e-6 * largest, "off by %g of %g", error, largest);
    hed_sim_destroy(sim);
    hed_net_free(&net);
}

// --- what acts on points ---

// N, of wind on everything, one short step from rest.
static HedVec3 wind_force(HedSim* sim, HedVec3 velocity) {
    HedWindDef wind = hed_wind_def_default();
    wind.velocity = velocity;
    rig_wind(sim, &wind);
    rig_step(sim);
    HedVec3 sum = {0};
    for (int32_t i = 0; i < sim->x.count; ++i) {
        sum = hed_madd3(sum, sim->mass.data[i] / sim->def.time_step, sim->v.data[i]);
    }
    return sum;
}

// Wind pushes a weave as it pushes a sheet of the size of its cells, less what it leaves open.
Test(parts, wind_blows_on_what_yarns_cover) {
    HedNet net = {0};
    test_net_weave(9, 9, &net);
    HedSimDef def = small_steps();
    def.gravity = (HedVec3){0};
    def.time_step = 1e-5;
    def.newton_tolerance = 1e-8;
    def.linear_tolerance = 1e-8;
    HedVec3 air = {0.0, 0.0, 3.0};
    HedSim* sim = rig_sim(&def);
    add_net(sim, &net, (HedVec3){0});
    double on_weave = wind_force(sim, air).z;
    hed_sim_destroy(sim);
    sim = rig_sim(&def);
    double side = 8.0 * net.spacing;
    Mesh mesh = mesh_grid(9, 9, hed_vec3(0.0, 0.0, 0.0), hed_vec3(side, 0.0, 0.0),
                          hed_vec3(0.0, side, 0.0));
    HedSheetDef sheet = mesh_sheet(&mesh);
    rig_sheet(sim, &sheet);
    double on_sheet = wind_force(sim, air).z;
    // 18 yarns of 10 spacings with tails of half a spacing: each half of the cover is their share.
    double one = 18.0 * 9.0 * net.spacing * net.yarns[0].radius / (side * side);
    double share = 2.0 * one - one * one;
    cr_assert_gt(on_sheet, 0.0);
    // Points move at up to 1e-3 m/s after the step, against 3 m/s of the air, whose pull is quadratic.
    cr_assert_float_eq(on_weave / on_sheet, share, 1e-3 * share, "%g, not %g", on_weave / on_sheet,
                       share);
    hed_sim_destroy(sim);
    mesh_free(&mesh);
    hed_net_free(&net);
}
