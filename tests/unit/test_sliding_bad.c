// SPDX-License-Identifier: MIT
// Sliding yarns in a simulation: what is refused, and that nothing is lost without memory.
#include "heddle/sliding.h"

#include "heddle/yarn.h"
#include "support/nets.h"
#include "support/no_memory.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

enum { MOST = 2000 };

static HedNet plain(int32_t ends, int32_t picks) {
    HedNet net = {0};
    test_net_weave(ends, picks, &net);
    return net;
}

static HedSim* make_sim(const HedSimDef* def) {
    HedSim* sim = NULL;
    HedError error = {0};
    cr_assert_eq(hed_sim_create(def, &sim, &error), HED_OK, "%s", error.message);
    return sim;
}

// Pressed together as in a cloth that was woven tight: it does not slide off what holds it.
static HedSlidingDef material(const HedNet* net) {
    HedSlidingDef def = hed_sliding_def_default();
    def.name = "cloth";
    def.net = net;
    def.crossing_preload = 1e-3;
    return def;
}

static HedYarnsId add(HedSim* sim, const HedNet* net) {
    HedYarnsId id = {0};
    HedError error = {0};
    HedSlidingDef def = material(net);
    cr_assert_eq(hed_sliding_create(sim, &def, &id, &error), HED_OK, "%s", error.message);
    return id;
}

static HedPinDef pin_of(HedYarnsId yarns, const int32_t* nodes, int32_t count) {
    HedPinDef def = hed_pin_def_default();
    def.yarns = yarns;
    def.vertices = nodes;
    def.vertex_count = count;
    return def;
}

static HedSimDef small_steps(void) {
    HedSimDef def = hed_sim_def_default();
    def.time_step = 1e-3;
    def.thread_count = 1;
    return def;
}

// --- what is refused ---

static void expect_refused(HedStatus status, HedStatus expected, const HedError* error,
                           const char* words) {
    cr_assert_eq(status, expected, "%s", error->message);
    cr_assert(strstr(error->message, words), "'%s' is not in '%s'", words, error->message);
}

Test(sliding_bad, bad_defs) {
    HedNet net = plain(6, 4);
    HedSimDef sim_def = small_steps();
    HedSim* sim = make_sim(&sim_def);
    HedYarnsId id = {0};
    HedError error = {0};
    HedSlidingDef def = {0};
    expect_refused(hed_sliding_create(sim, &def, &id, &error), HED_INVALID, &error, "sliding");
    def = material(NULL);
    expect_refused(hed_sliding_create(sim, &def, &id, &error), HED_INVALID, &error, "no net");
    const struct {
        size_t offset;
        double value;
        const char* words;
    } bad[] = {
        {offsetof(HedSlidingDef, stretch), 0.0, "stretch must be"},
        {offsetof(HedSlidingDef, bend), -1.0, "bend must be"},
        {offsetof(HedSlidingDef, set_fraction), 1.5, "set_fraction must be at most 1"},
        {offsetof(HedSlidingDef, thickness), 1.5, "thickness must be at most 1"},
        {offsetof(HedSlidingDef, thickness), -0.1, "thickness must be at least 0"},
        {offsetof(HedSlidingDef, friction), (double)NAN, "friction must be"},
        {offsetof(HedSlidingDef, bend_damping.time), -1e-3, "bend_damping.time must be"},
        {offsetof(HedSlidingDef, linear_density), (double)INFINITY, "linear_density must be"},
    };
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; ++k) {
        def = material(&net);
        memcpy((char*)&def + bad[k].offset, &bad[k].value, sizeof bad[k].value);
        expect_refused(hed_sliding_create(sim, &def, &id, &error), HED_INVALID, &error,
                       bad[k].words);
    }
    double at = net.visits[2].at;
    net.visits[2].at = net.visits[1].at;
    def = material(&net);
    expect_refused(hed_sliding_create(sim, &def, &id, &error), HED_INVALID, &error, "visit 2");
    net.visits[2].at = at;
    // A yarn that lists its crossings out of order, and a crossing that has lost one of its yarns.
    HedNetVisit first = net.visits[1];
    net.visits[1] = net.visits[2];
    net.visits[2] = first;
    expect_refused(hed_sliding_create(sim, &def, &id, &error), HED_INVALID, &error, "visit 1");
    net.visits[2] = net.visits[1];
    net.visits[1] = first;
    int32_t* lost = &net.nodes[first.node].visit[1];
    int32_t visit = *lost;
    *lost = -1;
    expect_refused(hed_sliding_create(sim, &def, &id, &error), HED_INVALID, &error,
                   "a crossing needs two yarns");
    *lost = visit;
    cr_assert_eq(id.index, 0);
    expect_refused(hed_sim_prepare(sim, &error), HED_INVALID, &error, "nothing to simulate");
    hed_sim_destroy(sim);
    hed_net_free(&net);
}

Test(sliding_bad, integrators) {
    HedNet net = plain(6, 4);
    for (int k = 0; k < HED_INTEGRATOR_COUNT; ++k) {
        HedSimDef sim_def = small_steps();
        sim_def.integrator = (HedIntegrator)k;
        HedSim* sim = make_sim(&sim_def);
        HedSlidingDef def = material(&net);
        HedYarnsId id = {0};
        HedError error = {0};
        HedStatus status = hed_sliding_create(sim, &def, &id, &error);
        if (k == HED_IMPLICIT_EULER || k == HED_QUASI_STATIC) {
            cr_assert_eq(status, HED_OK);
        } else {
            expect_refused(status, HED_UNSUPPORTED, &error, hed_integrator_name((HedIntegrator)k));
        }
        hed_sim_destroy(sim);
    }
    hed_net_free(&net);
}

static HedStatus add_rod(HedSim* sim, HedError* error) {
    HedVec3 line[2] = {{0, 0, 0}, {0.1, 0, 0}};
    HedCurve curve = {.count = 2, .color = HED_COLOR_NONE};
    HedYarnsDef rod = hed_yarns_def_default();
    rod.name = "rod";
    rod.vertices = line;
    rod.vertex_count = 2;
    rod.curves = &curve;
    rod.curve_count = 1;
    HedYarnsId id;
    return hed_yarns_create(sim, &rod, &id, error);
}

// Yarns that repeat for ever, and explicit steps, have no place for sliding yarns beside them.
Test(sliding_bad, company) {
    HedNet net = plain(6, 4);
    HedSimDef sim_def = small_steps();
    HedError error = {0};
    HedYarnsId id = {0};
    sim_def.integrator = HED_SYMPLECTIC_EULER;
    HedSim* sim = make_sim(&sim_def);
    cr_assert_eq(add_rod(sim, &error), HED_OK, "%s", error.message);
    HedSlidingDef def = material(&net);
    expect_refused(hed_sliding_create(sim, &def, &id, &error), HED_UNSUPPORTED, &error,
                   "symplectic-euler");
    hed_sim_destroy(sim);
    hed_net_free(&net);
}

Test(sliding_bad, bad_pins) {
    HedNet net = plain(6, 4);
    HedSimDef sim_def = small_steps();
    HedSim* sim = make_sim(&sim_def);
    HedYarnsId id = add(sim, &net);
    HedPinId pin_id;
    HedError error = {0};
    int32_t nodes[2] = {3, net.node_count};
    HedPinDef pin = pin_of(id, nodes, 2);
    expect_refused(hed_pin_create(sim, &pin, &pin_id, &error), HED_INVALID, &error,
                   "node 44 does not exist, 'cloth' has 0 to 43");
    nodes[1] = 4;
    pin.every = 2;
    expect_refused(hed_pin_create(sim, &pin, &pin_id, &error), HED_UNSUPPORTED, &error, "'every'");
    HedYarnsDef rods = hed_yarns_def_default();
    rods.model = HED_YARN_SLIDING;
    HedSim* other = make_sim(&sim_def);
    expect_refused(hed_yarns_create(other, &rods, &id, &error), HED_INVALID, &error,
                   "hed_sliding_create");
    hed_sim_destroy(other);
    hed_sim_destroy(sim);
    hed_net_free(&net);
}

// --- memory ---

static HedNet shared;

static HedStatus build_and_step(void) {
    HedError error = {0};
    HedSim* sim = NULL;
    HedSimDef def = small_steps();
    HedYarnsId id = {0};
    HedPinId pin_id;
    HedStepReport report;
    int32_t nodes[2] = {0, 1};
    HedStatus status = hed_sim_create(&def, &sim, &error);
    HedSlidingDef yarns = material(&shared);
    status = status == HED_OK ? hed_sliding_create(sim, &yarns, &id, &error) : status;
    HedPinDef pin = pin_of(id, nodes, 2);
    status = status == HED_OK ? hed_pin_create(sim, &pin, &pin_id, &error) : status;
    HedLoadDef load = hed_load_def_default();
    load.yarns = id;
    load.vertices = nodes;
    load.vertex_count = 1;
    status = status == HED_OK ? hed_load_create(sim, &load, &error) : status;
    HedBodyDef ball = hed_body_def_default();
    HedKeyframe away = {.pose = {{0.0, -1.0, 0.0}, {1, 0, 0, 0}}};
    HedBodyId body;
    ball.keyframes = &away;
    ball.keyframe_count = 1;
    status = status == HED_OK ? hed_body_create(sim, &ball, &body, &error) : status;
    status = status == HED_OK ? hed_sim_step(sim, &report, &error) : status;
    hed_sim_destroy(sim);
    return status;
}

Test(sliding_bad, no_memory) {
    static HedNetNode nodes[MOST];
    static HedNetVisit visits[MOST];
    static HedNetYarn yarns[64];
    HedNet net = plain(4, 4);
    memcpy(nodes, net.nodes, sizeof nodes[0] * (size_t)net.node_count);
    memcpy(visits, net.visits, sizeof visits[0] * (size_t)net.visit_count);
    memcpy(yarns, net.yarns, sizeof yarns[0] * (size_t)net.yarn_count);
    shared = net;
    shared.nodes = nodes;
    shared.visits = visits;
    shared.yarns = yarns;
    hed_net_free(&net);
    shared.notes = NULL;
    shared.note_count = 0;
    expect_no_memory(build_and_step, 30);
}
