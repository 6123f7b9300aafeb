// SPDX-License-Identifier: MIT
// Friction of yarns in whole simulations: what stays at rest, and what is kept.
#include "heddle/heddle.h"

#include "math/vec3.h"

#include <criterion/criterion.h>

enum { RAIL = 9, BAR = 9 };

static const double R = 0.5e-3; // m, radius

// Two rails, tilted, held; a yarn lies across them. The angle is that of the rails.
typedef struct Slope {
    HedSim* sim;
    HedYarnsId bar;
    HedVec3 down; // unit, along the rails
} Slope;

static HedYarnsDef material(void) {
    HedYarnsDef def = hed_yarns_def_default();
    def.radius = R;
    def.linear_density = 1e-3;
    def.stretch = 5.0;
    def.bend = def.twist = 1e-6; // a stiff bar: it does not sag between the rails
    def.contact = 20.0;
    return def;
}

static void build(Slope* s, double angle, double mu, double drag) {
    HedError error = {0};
    HedVec3 rail[2 * RAIL], bar[BAR];
    HedCurve curves[2] = {{.first = 0, .count = RAIL, .color = HED_COLOR_NONE},
                          {.first = RAIL, .count = RAIL, .color = HED_COLOR_NONE}};
    HedCurve one = {.first = 0, .count = BAR, .color = HED_COLOR_NONE};
    HedSimDef def = hed_sim_def_default();
    HedVec3 up = hed_vec3(sin(angle), cos(angle), 0.0);
    s->down = hed_vec3(cos(angle), -sin(angle), 0.0);
    for (int k = 0; k < 2 * RAIL; ++k) {
        HedVec3 side = hed_vec3(0.0, 0.0, k < RAIL ? 3e-3 : -3e-3);
        rail[k] = hed_madd3(side, 1.5e-3 * (k % RAIL - RAIL / 2), s->down);
    }
    for (int k = 0; k < BAR; ++k) {
        // As deep as it will lie, about: it need not bounce.
        bar[k] = hed_madd3(hed_vec3(0.0, 0.0, 1.2e-3 * (k - BAR / 2)), 1.98 * R, up);
    }
    def.integrator = HED_SYMPLECTIC_EULER;
    def.time_step = 1e-3;
    def.yarn_friction = mu;
    def.yarn_damping = 0.1;
    def.drag = drag;
    HedYarnsDef rails = material(), yarn = material();
    HedYarnsId held;
    HedPinId id;
    rails.vertices = rail;
    rails.vertex_count = 2 * RAIL;
    rails.curves = curves;
    rails.curve_count = 2;
    yarn.vertices = bar;
    yarn.vertex_count = BAR;
    yarn.curves = &one;
    yarn.curve_count = 1;
    cr_assert_eq(hed_sim_create(&def, &s->sim, &error), HED_OK, "%s", error.message);
    cr_assert_eq(hed_yarns_create(s->sim, &rails, &held, &error), HED_OK, "%s", error.message);
    cr_assert_eq(hed_yarns_create(s->sim, &yarn, &s->bar, &error), HED_OK, "%s", error.message);
    int32_t all[2 * RAIL];
    for (int32_t k = 0; k < 2 * RAIL; ++k) {
        all[k] = k;
    }
    HedPinDef pin = hed_pin_def_default();
    pin.yarns = held;
    pin.vertices = all;
    pin.vertex_count = 2 * RAIL;
    cr_assert_eq(hed_pin_create(s->sim, &pin, &id, &error), HED_OK, "%s", error.message);
}

// How far down the slope the middle of the bar is at a time.
static double way_at(Slope* s, double time) {
    HedVec3 x[BAR];
    HedError error = {0};
    while (hed_sim_time(s->sim) < time - 1e-9) {
        HedStepReport report;
        cr_assert_eq(hed_sim_step(s->sim, &report, &error), HED_OK, "%s", error.message);
        cr_assert_eq(report.reason, HED_REASON_CONVERGED, "%s", report.trouble);
    }
    hed_yarns_positions(s->sim, s->bar, x);
    return hed_dot3(x[BAR / 2], s->down);
}

// Friction angle of mu = 0.4: 21.8 degrees.
Test(yarn_slides, a_yarn_on_a_gentle_slope_stays) {
    Slope s = {0};
    build(&s, 0.9 * atan(0.4), 0.4, 500.0); // drag: it swings on its contacts at first
    double settled = way_at(&s, 0.1);
    double later = way_at(&s, 0.3);
    // Less than 1e-6 m in 10 s, so 2e-8 m here.
    cr_assert_lt(fabs(later - settled), 2e-8, "crept by %g m in 0.2 s", later - settled);
    cr_assert_lt(settled, 0.2 * R, "slid by %g R before it came to rest", settled / R);
    hed_sim_destroy(s.sim);
}

// On a steeper slope it goes as a block does: g (sin a - mu cos a).
Test(yarn_slides, a_yarn_on_a_steep_slope_slides) {
    Slope s = {0};
    const double angle = 1.5 * atan(0.4);
    build(&s, angle, 0.4, 0.0);
    double from = way_at(&s, 0.01);
    double a = way_at(&s, 0.02) - from, b = way_at(&s, 0.03) - from;
    double measured = (b - 2.0 * a) / 1e-4;
    double expected = 9.81 * (sin(angle) - 0.4 * cos(angle));
    // It dips into the rails as it sets out; N swings by some percent.
    cr_assert_float_eq(measured, expected, 0.1 * expected, "%g instead of %g m/s^2", measured,
                       expected);
    hed_sim_destroy(s.sim);
}
