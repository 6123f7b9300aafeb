// SPDX-License-Identifier: MIT
// How rods are solved: few corrections from a straight start at any load and any stiffness along
// the yarn, and linear solves that know twist.
#include "heddle/yarn.h"
#include "support/rig.h"

#include <criterion/criterion.h>
#include <stdlib.h>

static const double PI = 3.14159265358979323846;
static const double WEIGHT = 0.0981; // N/m

// A heavy cantilever of length 1, clamped level; beta = w L^3/EI, slender = EA L^2/EI.
static HedSim* make_cantilever(int32_t segments, double beta, double slender, HedYarnsId* id) {
    HedSimDef def = hed_sim_def_default();
    def.integrator = HED_QUASI_STATIC;
    def.time_step = 1.0;
    def.gravity = hed_vec3(0.0, -9.81, 0.0);
    HedSim* sim = rig_sim(&def);
    HedVec3* x = calloc((size_t)segments + 1, sizeof *x);
    for (int32_t k = 0; k <= segments; ++k) {
        x[k].x = (double)k / segments;
    }
    HedCurve curve = {.count = segments + 1, .color = HED_COLOR_NONE};
    HedYarnsDef yarn = hed_yarns_def_default();
    yarn.linear_density = WEIGHT / 9.81;
    yarn.bend = WEIGHT / beta;
    yarn.twist = 0.8 * yarn.bend;
    yarn.stretch = slender * yarn.bend;
    yarn.vertices = x;
    yarn.vertex_count = segments + 1;
    yarn.curves = &curve;
    yarn.curve_count = 1;
    cr_assert_eq(hed_yarns_create(sim, &yarn, id, NULL), HED_OK);
    int32_t first = 0;
    HedPinDef pin = hed_pin_def_default();
    pin.yarns = *id;
    pin.vertices = &first;
    pin.vertex_count = 1;
    pin.clamps = true;
    rig_pin_def(sim, &pin);
    free(x);
    return sim;
}

// Newton's method alone took 85 corrections at slender = 1e6 and 390 at 1e8.
Test(rod_solves, any_load_and_any_slenderness_from_straight) {
    const double betas[3] = {0.01, 8.0, 1000.0};
    const double slender[3] = {1e4, 1e6, 1e9};
    for (int k = 0; k < 9; ++k) {
        HedYarnsId id;
        HedSim* sim = make_cantilever(200, betas[k / 3], slender[k % 3], &id);
        HedStepReport report = rig_step(sim);
        cr_expect(report.iterations <= 10 && report.substeps == 1,
                  "beta %g, slender %g: %d corrections in %d parts", betas[k / 3], slender[k % 3],
                  report.iterations, report.substeps);
        HedVec3 x[201];
        hed_yarns_positions(sim, id, x);
        if (k == 5) { // beta 8, hardly any stretch: the table of the heavy elastica
            // Half of (h/L)^2 of the drop, 8e-6, and the digits of the table.
            cr_expect_float_eq(x[200].y, -0.64063, 2e-5, "%.6f", x[200].y);
            // The same.
            cr_expect_float_eq(x[200].x, 0.72442, 2e-5, "%.6f", x[200].x);
        }
        hed_sim_destroy(sim);
    }
}

// A bent rod of two stiffnesses whose end is turned: angles are in the factors, so a linear solve
// takes one iteration, or two where rounding asks for it.
Test(rod_solves, twist_is_part_of_the_factors) {
    enum { N = 60 };
    HedSimDef def = hed_sim_def_default();
    def.time_step = 5e-3;
    def.linear_tolerance = 1e-8;
    HedSim* sim = rig_sim(&def);
    HedVec3 x[N + 1];
    for (int k = 0; k <= N; ++k) {
        double a = PI * k / N;
        x[k] = hed_vec3(sin(a), 0.2 * a, cos(a));
    }
    HedCurve curve = {.count = N + 1, .color = HED_COLOR_NONE};
    HedYarnsDef yarn = hed_yarns_def_default();
    yarn.rest = HED_YARN_AS_STARTED;
    yarn.bend = 1e-4;
    yarn.bend_across = 4e-4;
    yarn.twist = 1e-4;
    yarn.vertices = x;
    yarn.vertex_count = N + 1;
    yarn.curves = &curve;
    yarn.curve_count = 1;
    HedYarnsId id;
    cr_assert_eq(hed_yarns_create(sim, &yarn, &id, NULL), HED_OK);
    const HedKeyframe keys[2] = {{0.0, {{0.0, 0.0, 0.0}, {1.0, 0.0, 0.0, 0.0}}},
                                 {0.2, {{0.0, 0.0, 0.0}, {0.0, 1.0, 0.0, 0.0}}}};
    for (int32_t end = 0; end < 2; ++end) {
        int32_t vertex = end ? N : 0;
        HedPinDef pin = hed_pin_def_default();
        pin.yarns = id;
        pin.vertices = &vertex;
        pin.vertex_count = 1;
        pin.clamps = true;
        pin.pivot = x[vertex];
        pin.keyframes = end ? keys : NULL;
        pin.keyframe_count = end ? 2 : 0;
        rig_pin_def(sim, &pin);
    }
    int32_t corrections = 0, products = 0;
    for (int k = 0; k < 40; ++k) {
        HedStepReport report = rig_step(sim);
        corrections += report.iterations;
        products += report.linear_iterations;
    }
    // The matrix is kept while it serves, and is then not that of the factors' state any more.
    cr_expect(products <= 2 * corrections + 4, "%d iterations for %d corrections", products,
              corrections);
    cr_expect(fabs(hed_yarns_twist(sim, id, 0)) > 0.3, "it was turned");
    hed_sim_destroy(sim);
}
