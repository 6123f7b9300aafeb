// SPDX-License-Identifier: MIT
// Sheets, rods, splines and sliding yarns in one simulation: what the equations of a step are made
// of, and what all of them together conserve.
#include "base/random.h"
#include "heddle/sliding.h"
#include "heddle/yarn.h"
#include "sim/newton.h"
#include "support/nets.h"
#include "support/no_memory.h"
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

// --- all kinds together ---

// A weave, a rod that is stitched to it, a sheet below, a ball and wind; false if there was no
// memory for a call.
static HedStatus make_mixed(const HedNet* net, int32_t threads, HedSim** out) {
    HedSimDef def = small_steps();
    def.thread_count = threads;
    def.self_collision = true;
    HedStatus status = hed_sim_create(&def, out, NULL);
    if (status != HED_OK) {
        return status;
    }
    HedSim* sim = *out;
    HedSlidingDef cloth = hed_sliding_def_default();
    HedYarnsDef rod = hed_yarns_def_default();
    HedVec3 line[4] = {
        {0.0, -0.01, 0.004}, {0.004, -0.01, 0.004}, {0.008, -0.01, 0.004}, {0.012, -0.01, 0.004}};
    HedCurve curve = {.count = 4, .color = HED_COLOR_NONE};
    HedSheetDef sheet = hed_sheet_def_default();
    HedVec3 corners[4] = {{-0.004, 0.0, -0.002},
                          {0.004, 0.0, -0.002},
                          {-0.004, 0.004, -0.002},
                          {0.004, 0.004, -0.002}};
    int32_t triangles[6] = {0, 1, 2, 1, 3, 2};
    HedBodyDef ball = hed_body_def_default();
    HedWindDef wind = hed_wind_def_default();
    HedGlueDef glue = hed_glue_def_default();
    HedYarnsId cloth_id, rod_id;
    HedSheetId sheet_id;
    HedBodyId body_id;
    cloth.net = net;
    rod.vertices = line;
    rod.vertex_count = curve.count;
    rod.curves = &curve;
    rod.curve_count = 1;
    sheet.vertices = corners;
    sheet.vertex_count = 4;
    sheet.triangles = triangles;
    sheet.triangle_count = 2;
    sheet.thickness = 2e-4;
    ball.shape = HED_SPHERE;
    ball.radius = 0.01;
    HedKeyframe place = {.pose = {{0.0, 0.0, -0.02}, {1, 0, 0, 0}}};
    ball.keyframes = &place;
    ball.keyframe_count = 1;
    wind.velocity = (HedVec3){1.0, 0.0, 0.5};
    status = hed_sliding_create(sim, &cloth, &cloth_id, NULL);
    status = status ? status : hed_yarns_create(sim, &rod, &rod_id, NULL);
    status = status ? status : hed_sheet_create(sim, &sheet, &sheet_id, NULL);
    status = status ? status : hed_body_create(sim, &ball, &body_id, NULL);
    status = status ? status : hed_sim_set_wind(sim, &wind, NULL);
    if (status == HED_OK) {
        glue.yarns = rod_id;
        glue.other = cloth_id;
        glue.other_vertex = 3.0;
        glue.strength = 1.0;
        status = hed_glue_create(sim, &glue, NULL);
    }
    return status;
}

static const HedNet* SHARED;

static HedStatus build_mixed(void) {
    HedSim* sim = NULL;
    HedStatus status = make_mixed(SHARED, 1, &sim);
    for (int k = 0; k < 2 && status == HED_OK; ++k) {
        status = hed_sim_step(sim, NULL, NULL);
    }
    hed_sim_destroy(sim);
    return status;
}

// The net is not counted: it is copied to memory of the test's own.
Test(parts, survive_without_memory) {
    HedNet net = {0}, own;
    test_net_weave(5, 4, &net);
    own = net;
    own.nodes = malloc(sizeof *net.nodes * (size_t)net.node_count);
    own.visits = malloc(sizeof *net.visits * (size_t)net.visit_count);
    own.yarns = malloc(sizeof *net.yarns * (size_t)net.yarn_count);
    memcpy(own.nodes, net.nodes, sizeof *net.nodes * (size_t)net.node_count);
    memcpy(own.visits, net.visits, sizeof *net.visits * (size_t)net.visit_count);
    memcpy(own.yarns, net.yarns, sizeof *net.yarns * (size_t)net.yarn_count);
    hed_net_free(&net);
    SHARED = &own;
    expect_no_memory(build_mixed, 100);
    free(own.nodes);
    free(own.visits);
    free(own.yarns);
}

// A mixed scene has the same bits for any number of threads, and after it was taken up again.
Test(parts, same_bits_for_any_number_of_threads_and_when_resumed) {
    HedNet net = {0};
    test_net_weave(24, 24, &net);
    uint64_t expected = 0;
    for (int32_t threads = 1; threads <= 8; threads = threads == 3 ? 8 : threads + 1) {
        HedSim* sim = NULL;
        cr_assert_eq(make_mixed(&net, threads, &sim), HED_OK);
        rig_prepare(sim);
        rig_run(sim, 2);
        uint8_t* saved = rig_save(sim);
        rig_run(sim, 2);
        uint64_t hash = rig_hash(sim);
        expected = threads == 1 ? hash : expected;
        cr_assert_eq(hash, expected, "%d threads", threads);
        HedSim* second = NULL;
        cr_assert_eq(make_mixed(&net, threads, &second), HED_OK);
        rig_prepare(second);
        rig_restore(second, saved);
        rig_run(second, 2);
        cr_assert_eq(rig_hash(second), expected, "%d threads, resumed", threads);
        hed_sim_destroy(sim);
        hed_sim_destroy(second);
        free(saved);
        if (threads == 8) {
            break;
        }
    }
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
    // Points move at up to 1e-3 m/s after the step, against 3 m/s of the air, whose pull is
    // quadratic.
    cr_assert_float_eq(on_weave / on_sheet, share, 1e-3 * share, "%g, not %g", on_weave / on_sheet,
                       share);
    hed_sim_destroy(sim);
    mesh_free(&mesh);
    hed_net_free(&net);
}
