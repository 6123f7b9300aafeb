// SPDX-License-Identifier: MIT
// Yarns that touch each other in simulations.
#include "heddle/yarn.h"
#include "support/rig.h"

#include <criterion/criterion.h>
#include <stdlib.h>

enum { N = 24 }; // vertices of a yarn

static HedYarnsDef soft_yarn(void) {
    HedYarnsDef def = hed_yarns_def_default();
    def.radius = 1e-3;
    def.linear_density = 1e-3;
    def.stretch = 10.0;
    def.damping = 1e-5;
    def.bend = 1e-7;
    def.twist = 1e-7;
    return def;
}

// Two free yarns thrown at each other across. Forces between them, of whatever kind, change no
// momentum; angular momentum is kept but for the moments of friction about straight yarns, which
// have nothing that could take them up. `lost` bounds these.
static void throw_across(double friction, double lost) {
    HedSimDef def = hed_sim_def_default();
    def.gravity = (HedVec3){0};
    def.integrator = HED_SYMPLECTIC_EULER;
    def.time_step = 2e-6;
    def.yarn_friction = friction;
    HedSim* sim = rig_sim(&def);
    HedYarnsDef yarn = soft_yarn();
    yarn.velocity = hed_vec3(0.0, -1.0, 0.3);
    rig_yarn_line(sim, &yarn, hed_vec3(-0.03, 2.2e-3, 0.0), hed_vec3(0.03, 2.2e-3, 0.005), N);
    yarn.velocity = hed_vec3(0.2, 1.0, 0.0);
    rig_yarn_line(sim, &yarn, hed_vec3(0.004, 0.0, -0.03), hed_vec3(0.0, 0.0, 0.03), N);
    rig_prepare(sim);
    Momentum before = rig_momentum(sim);
    HedEnergies start = hed_sim_energies(sim);
    rig_run(sim, 2000);
    Momentum after = rig_momentum(sim);
    HedEnergies end = hed_sim_energies(sim);
    // Sums of some 1e4 rounded forces, each of about the size of the momentum over the time.
    double size = before.mass * 1.0;
    double turned = hed_distance3(before.angular, after.angular) / size / 0.03;
    // 1e4 sums, each rounded by 1e-16 of the momentum.
    cr_expect(hed_distance3(before.linear, after.linear) < 1e-12 * size, "%.3g",
              hed_distance3(before.linear, after.linear) / size);
    // The same, and what friction may do.
    cr_expect(turned < 1e-12 + lost, "%.3g with friction %g", turned, friction);
    // A ten-thousandth is far above what rounding makes of no contact at all, which is 0.
    cr_expect(rig_potential(sim, "bend") > 1e-4 * start.kinetic, "they met");
    // Damping and friction are counted; what is left is the error of the method, of first order
    // in the step.
    cr_expect_float_eq(end.total, start.total, 2e-2 * start.kinetic, "%.4g of %.4g",
                       end.total - start.total, start.kinetic);
    hed_sim_destroy(sim);
}

Test(yarn_dynamics, a_free_tangle_keeps_its_momentum) {
    throw_across(0.0, 0.0);
}

// Yarns of half the mass meet at 2 m/s, so the impulse of the push is at most the momentum that
// turns back, 2 m v / 2; friction takes mu times that, at the radius of 1 mm; over mass, speed and
// 3 cm as above.
Test(yarn_dynamics, friction_takes_no_more_than_its_moment) {
    throw_across(0.3, 0.3 * 1e-3 / 0.03);
}

// Two layers of yarns that start pressed together and slide on each other: what friction takes from
// the motion is counted, so the sum of energies stays.
Test(yarn_dynamics, the_work_of_friction_is_counted) {
    enum { LAYER = 5 };
    HedSimDef def = hed_sim_def_default();
    def.gravity = (HedVec3){0};
    def.integrator = HED_SYMPLECTIC_EULER;
    def.time_step = 1e-4;
    def.yarn_friction = 0.5;
    def.yarn_damping = 0.0;
    HedSim* sim = rig_sim(&def);
    HedYarnsDef yarn = soft_yarn();
    yarn.damping = 0.0;
    for (int32_t k = 0; k < LAYER; ++k) {
        double at = 5e-3 * (k - 2);
        yarn.velocity = hed_vec3(0.6, -1.0, 0.2);
        rig_yarn_line(sim, &yarn, hed_vec3(-0.015, 1.9e-3, at), hed_vec3(0.015, 1.9e-3, at), N);
        yarn.velocity = hed_vec3(-0.4, 1.0, 0.5);
        rig_yarn_line(sim, &yarn, hed_vec3(at, 0.0, -0.015), hed_vec3(at, 0.0, 0.015), N);
    }
    rig_prepare(sim);
    HedEnergies start = hed_sim_energies(sim);
    rig_run(sim, 20);
    HedEnergies end = hed_sim_energies(sim);
    double taken = end.dissipated - start.dissipated;
    cr_expect_gt(taken, 0.05 * start.total, "%.4g of %.4g", taken, start.total);
    // Symplectic Euler's own error is of first order: some percent of the energy in stiff contacts.
    cr_expect_float_eq(end.total, start.total, 0.05 * taken + 5e-3 * start.total,
                       "%.4g J more, %.4g taken, of %.4g", end.total - start.total, taken,
                       start.total);
    hed_sim_destroy(sim);
}

// A short yarn laid across two rails stays there, and does not fall through.
Test(yarn_dynamics, a_yarn_lies_on_others) {
    HedSimDef def = hed_sim_def_default();
    def.time_step = 2e-3;
    def.yarn_friction = 0.3;
    def.drag = 30.0;
    HedSim* sim = rig_sim(&def);
    HedYarnsDef yarn = soft_yarn();
    HedYarnsId rails[2] = {
        rig_yarn_line(sim, &yarn, hed_vec3(-0.02, 0.0, -0.03), hed_vec3(-0.02, 0.0, 0.03), N),
        rig_yarn_line(sim, &yarn, hed_vec3(0.02, 0.0, -0.03), hed_vec3(0.02, 0.0, 0.03), N)};
    HedYarnsId over =
        rig_yarn_line(sim, &yarn, hed_vec3(-0.03, 2.1e-3, 0.0), hed_vec3(0.03, 2.1e-3, 0.0), N);
    int32_t all[N];
    for (int k = 0; k < N; ++k) {
        all[k] = k;
    }
    for (int k = 0; k < 2; ++k) {
        HedPinDef pin = hed_pin_def_default();
        pin.yarns = rails[k];
        pin.vertices = all;
        pin.vertex_count = N;
        rig_pin_def(sim, &pin);
    }
    rig_run(sim, 500);
    HedVec3 x[N];
    HedVec3 v[N];
    hed_yarns_positions(sim, over, x);
    hed_yarns_velocities(sim, over, v);
    // Centre lines of yarns of 1 mm that press each other by a few grams stay more than half of
    // their distance apart; between the rails and beyond, the yarn hangs.
    for (int k = 0; k < N; ++k) {
        if (fabs(fabs(x[k].x) - 0.02) < 1.4e-3) {
            // Half of the diameter; at most where it was laid, 2.1 mm up.
            cr_expect(x[k].y > 1e-3 && x[k].y < 2.1e-3, "%.4g", x[k].y);
        }
        // Steps are solved to 1e-4 m/s.
        cr_expect(hed_norm3(v[k]) < 1e-4, "%.3g m/s", hed_norm3(v[k]));
    }
    hed_sim_destroy(sim);
}
