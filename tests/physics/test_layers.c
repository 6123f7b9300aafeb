// SPDX-License-Identifier: MIT
// Cloth of sliding yarns and sheets on each other: what they weigh, how they rub, what they keep.
#include "heddle/sliding.h"
#include "sim/internal.h"
#include "support/nets.h"
#include "support/rig.h"

#include <criterion/criterion.h>
#include <math.h>

static const double G = 9.81;       // m/s^2
static const double FRICTION = 0.5; // of what slides

static HedSimDef steps(void) {
    HedSimDef def = hed_sim_def_default();
    def.time_step = 1e-3;
    def.thread_count = 1;
    def.self_collision = true;
    def.self_friction = FRICTION;
    def.newton_tolerance = 1e-6;
    def.linear_tolerance = 1e-6;
    return def;
}

// A weave in the xy plane at a height, moving; its net is the caller's.
static HedYarnsId add_weave(HedSim* sim, HedNet* net, int32_t side, double height,
                            HedVec3 velocity) {
    test_net_weave(side, side, net);
    for (int32_t n = 0; n < net->node_count; ++n) {
        net->nodes[n].position.z += height;
    }
    HedSlidingDef def = hed_sliding_def_default();
    HedYarnsId id = {0};
    HedError error = {0};
    def.name = "weave";
    def.net = net;
    def.velocity = velocity;
    cr_assert_eq(hed_sliding_create(sim, &def, &id, &error), HED_OK, "%s", error.message);
    return id;
}

// All its nodes held where they are.
static void hold_all(HedSim* sim, HedYarnsId id, const HedNet* net) {
    HedPinDef pin = hed_pin_def_default();
    HedPinId pin_id;
    int32_t* nodes = hed_alloc_array(net->node_count, sizeof *nodes);
    for (int32_t n = 0; n < net->node_count; ++n) {
        nodes[n] = n;
    }
    pin.yarns = id;
    pin.vertices = nodes;
    pin.vertex_count = net->node_count;
    pin.clamps = true;
    HedError error = {0};
    cr_assert_eq(hed_pin_create(sim, &pin, &pin_id, &error), HED_OK, "%s", error.message);
    hed_free(nodes);
}

static double mass_of(const HedSim* sim, int32_t first, int32_t count) {
    double sum = 0.0;
    for (int32_t i = first; i < first + count; ++i) {
        sum += sim->mass.data[i];
    }
    return sum;
}

// kg m/s, of all that is there; sliding yarns do not slide here, so that nodes carry their mass.
static HedVec3 momentum_of(const HedSim* sim) {
    HedVec3 sum = {0};
    for (int32_t i = 0; i < sim->x.count; ++i) {
        sum = hed_madd3(sum, sim->mass.data[i], sim->v.data[i]);
    }
    return sum;
}

// A small weave lies on a large one that is held; gravity leans by an angle.
typedef struct Incline {
    HedSim* sim;
    HedNet nets[2];
    int32_t first, count; // points of the upper one
} Incline;

static Incline incline(double angle) {
    Incline made = {0};
    HedSimDef def = steps();
    def.gravity = hed_vec3(G * sin(angle), 0.0, -G * cos(angle));
    made.sim = rig_sim(&def);
    HedYarnsId low = add_weave(made.sim, &made.nets[0], 16, 0.0, (HedVec3){0});
    // Crossings are as thick as four radii: the upper ones lie a hair above touching.
    double thick = 4.0 * made.nets[0].yarns[0].radius;
    made.first = made.sim->x.count;
    add_weave(made.sim, &made.nets[1], 6, 1.001 * thick, (HedVec3){0});
    made.count = made.sim->x.count - made.first;
    hold_all(made.sim, low, &made.nets[0]);
    rig_prepare(made.sim);
    return made;
}

static void end(Incline* made) {
    hed_sim_destroy(made->sim);
    hed_net_free(&made->nets[0]);
    hed_net_free(&made->nets[1]);
}

// m/s, of the upper weave's mass as a whole along the slope.
static double speed_of(const Incline* made) {
    double sum = 0.0;
    for (int32_t i = made->first; i < made->first + made->count; ++i) {
        sum += made->sim->mass.data[i] * made->sim->v.data[i].x;
    }
    return sum / mass_of(made->sim, made->first, made->count);
}

// Below atan of the coefficient it stays, above it gains g (sin - mu cos).
Test(layers, slide_by_coulombs_law) {
    Incline still = incline(atan(FRICTION) - 0.06);
    rig_run(still.sim, 60);
    // Friction has its whole force at 1 mm/s of slip; what sticks creeps at less.
    cr_assert_lt(fabs(speed_of(&still)), 1e-3, "%g m/s", speed_of(&still));
    end(&still);
    double angle = atan(FRICTION) + 0.3;
    Incline slides = incline(angle);
    rig_run(slides.sim, 30); // layers come to rest on each other
    double before = speed_of(&slides);
    rig_run(slides.sim, 30);
    double gained = (speed_of(&slides) - before) / 30e-3;
    double expected = G * (sin(angle) - FRICTION * cos(angle));
    // Layers bounce a little, and where they touch only within a step friction is that of its end:
    // a fiftieth of gravity.
    cr_assert_float_eq(gained, expected, 0.02 * G, "%g, not %g m/s^2", gained, expected);
    end(&slides);
}

// A sheet and two weaves meet in free flight: whatever happens between them, momentum stays.
Test(layers, keep_momentum_in_free_flight) {
    HedSimDef def = steps();
    def.gravity = (HedVec3){0};
    HedSim* sim = rig_sim(&def);
    HedNet nets[2] = {{0}, {0}};
    add_weave(sim, &nets[0], 8, 0.0, hed_vec3(0.02, 0.0, 0.1));
    double radius = nets[0].yarns[0].radius;
    add_weave(sim, &nets[1], 7, 6.0 * radius, (HedVec3){0});
    double half = 3.0 * nets[0].spacing;
    Mesh mesh = mesh_grid(7, 7, hed_vec3(-half, -half, 6.0 * radius + 1e-3),
                          hed_vec3(2.0 * half, 0.0, 0.0), hed_vec3(0.0, 2.0 * half, 0.0));
    HedSheetDef sheet = mesh_sheet(&mesh);
    sheet.density = 0.1;
    sheet.thickness = 4e-4;
    sheet.velocity = hed_vec3(0.0, 0.0, -0.1);
    rig_sheet(sim, &sheet);
    rig_prepare(sim);
    HedVec3 before = momentum_of(sim);
    double scale = mass_of(sim, 0, sim->x.count) * 0.1;
    int64_t touched = 0;
    for (int k = 0; k < 40; ++k) {
        rig_step(sim);
        touched += sim->self.contacts.count > 0;
    }
    cr_assert_gt(touched, 5, "they met");
    double lost = hed_distance3(momentum_of(sim), before);
    // Each step is solved to 1e-6 m/s in every velocity: 40 of them, over 0.1 m/s.
    cr_assert_lt(lost, 40 * 1e-6 / 0.1 * scale, "%g of %g", lost, scale);
    hed_sim_destroy(sim);
    mesh_free(&mesh);
    hed_net_free(&nets[0]);
    hed_net_free(&nets[1]);
}
