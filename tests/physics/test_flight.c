// SPDX-License-Identifier: MIT
// label: slow
// A free flight of all parts, which meet each other: a weave flies up against a second one, on
// which a rod and a spline lie, and a sheet comes down on these.
#include "heddle/sliding.h"
#include "sim/internal.h"
#include "support/nets.h"
#include "support/rig.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>

static const double SPEED = 0.1;      // m/s
static const double TOLERANCE = 1e-6; // m/s, of each step in every velocity
static const double TIME = 0.024;     // s

static void add_weave(HedSim* sim, HedNet* net, int32_t side, double height, HedVec3 velocity) {
    test_net_weave(side, side, net);
    for (int32_t n = 0; n < net->node_count; ++n) {
        net->nodes[n].position.z += height;
    }
    HedSlidingDef def = hed_sliding_def_default();
    HedYarnsId id = {0};
    HedError error = {0};
    def.net = net;
    def.velocity = velocity;
    cr_assert_eq(hed_sliding_create(sim, &def, &id, &error), HED_OK, "%s", error.message);
}

static HedYarnsDef yarn_def(HedYarnModel model) {
    HedYarnsDef def = hed_yarns_def_default();
    def.model = model;
    def.radius = 1e-4;
    def.linear_density = 2.5e-5;
    def.bend = def.twist = 2e-9;
    return def;
}

typedef struct Flight {
    HedSim* sim;
    HedNet nets[2];
} Flight;

static Flight make(double h, double friction) {
    HedSimDef def = hed_sim_def_default();
    Flight flight = {0};
    def.time_step = h;
    def.thread_count = 1;
    def.self_collision = true;
    def.self_friction = def.yarn_friction = friction;
    def.newton_tolerance = TOLERANCE;
    def.linear_tolerance = 1e-6;
    def.gravity = (HedVec3){0};
    flight.sim = rig_sim(&def);
    double r = 1e-4, half = 1.2e-3;
    add_weave(flight.sim, &flight.nets[0], 8, 0.0, hed_vec3(0.02, 0.0, SPEED));
    HedYarnsDef rod = yarn_def(HED_YARN_ROD), spline = yarn_def(HED_YARN_SPLINE);
    double z = 8.5 * r;
    rig_yarn_line(flight.sim, &rod, hed_vec3(-half, -0.4e-3, z), hed_vec3(half, -0.3e-3, z), 9);
    rig_yarn_line(flight.sim, &spline, hed_vec3(-half, 0.4e-3, z), hed_vec3(half, 0.5e-3, z), 9);
    add_weave(flight.sim, &flight.nets[1], 7, 5.0 * r, (HedVec3){0});
    Mesh mesh = mesh_grid(7, 7, hed_vec3(-half, -half, 13.0 * r), hed_vec3(2.0 * half, 0.0, 0.0),
                          hed_vec3(0.0, 2.0 * half, 0.0));
    HedSheetDef sheet = mesh_sheet(&mesh);
    sheet.density = 0.1;
    sheet.thickness = 4e-4;
    sheet.velocity = hed_vec3(0.0, 0.0, -SPEED);
    rig_sheet(flight.sim, &sheet);
    mesh_free(&mesh);
    rig_prepare(flight.sim);
    return flight;
}

static void end(Flight* flight) {
    hed_sim_destroy(flight->sim);
    hed_net_free(&flight->nets[0]);
    hed_net_free(&flight->nets[1]);
}

// Of all points; sliding yarns hardly slide here, so that nodes carry their mass.
static void add_momenta(const HedSim* sim, HedVec3 momenta[2], double scale[2]) {
    for (int32_t i = 0; i < sim->x.count; ++i) {
        HedVec3 p = hed_mul3(sim->mass.data[i], sim->v.data[i]);
        HedVec3 spin = hed_cross3(sim->x.data[i], p);
        momenta[0] = hed_add3(momenta[0], p);
        momenta[1] = hed_add3(momenta[1], spin);
        scale[0] += hed_norm3(p);
        scale[1] += hed_norm3(sim->x.data[i]) * hed_norm3(p);
    }
}

// Pairs of kinds that are in contact: 1 rod or spline with a skin, 2 with the sheet, 4 skin with
// skin, 8 skin with the sheet.
static int pairs_met(const HedSim* sim) {
    int met = 0;
    for (int32_t k = 0; k < sim->self.contacts.count; ++k) {
        const HedSelfContact* c = &sim->self.contacts.data[k];
        const HedCloth* a = hed_sim_cloth_at(sim, c->point[0]);
        const HedCloth* b = hed_sim_cloth_at(sim, c->point[3]);
        bool strand = (a->is_yarns && !a->sliding) || (b->is_yarns && !b->sliding);
        bool sheet = !a->is_yarns || !b->is_yarns;
        met |= strand ? (sheet ? 2 : 1) : (sheet ? 8 : 4 * (a != b));
    }
    return met;
}

// Shares of momentum and of angular momentum that are lost.
static void fly(double h, double friction, double lost[2]) {
    Flight flight = make(h, friction);
    HedVec3 before[2] = {{0}}, after[2] = {{0}};
    double scale[2] = {0}, unused[2] = {0};
    int met = 0;
    add_momenta(flight.sim, before, scale);
    for (int k = 0; k < (int)lround(TIME / h); ++k) {
        rig_step(flight.sim);
        met |= pairs_met(flight.sim);
    }
    add_momenta(flight.sim, after, unused);
    for (int k = 0; k < 2; ++k) {
        lost[k] = hed_distance3(before[k], after[k]) / scale[k];
    }
    printf("friction %g, steps of %g ms: lost %.3g of momentum, %.3g of angular momentum; met %d\n",
           friction, 1e3 * h, lost[0], lost[1], met);
    cr_expect_eq(met & 7, 7, "not all have met: %d", met);
    end(&flight);
}

// Forces of contact are equal and opposite along one line: what is lost is what solves leave, which
// is TOLERANCE in a velocity for each step, of SPEED.
Test(flight, keeps_momentum_and_angular_momentum) {
    const double h = 1e-3;
    double lost[2];
    fly(h, 0.0, lost);
    for (int k = 0; k < 2; ++k) {
        cr_expect_lt(lost[k], TIME / h * TOLERANCE / SPEED, "%g", lost[k]);
    }
}

// Friction acts at the middles of the layers, half the thickness of both apart, so that its two
// forces are a couple: of what is exchanged, friction times that distance over the arm.
Test(flight, loses_the_couple_of_friction) {
    const double h = 1e-3, friction = 0.3, apart = 4e-4, arm = 1.2e-3;
    double lost[2];
    fly(h, friction, lost);
    cr_expect_lt(lost[0], TIME / h * TOLERANCE / SPEED, "%g", lost[0]);
    cr_expect_lt(lost[1], friction * apart / arm, "%g", lost[1]);
}
