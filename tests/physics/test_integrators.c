// SPDX-License-Identifier: MIT
// label: slow
//
// Orders, stability and energy behaviour of the integrators on problems with exact solutions.
//
// A regular tetrahedron of springs that breathes is an exact harmonic oscillator: its four points
// keep the distance r from the centre, every edge is sqrt(8/3) r long and meets the ray from the
// centre at a cosine of sqrt(2/3), so with rest radius R
//   m r'' = -3 k sqrt(8/3) (r - R) sqrt(2/3) = -4 k (r - R)
// for any amplitude. An edge carries both adjacent triangles, k = S 2 A / l^2 = S sqrt(3)/2, and a
// point a third of three of them, m = density sqrt(3)/4 l^2, so
//   w^2 = 8 S / (density l^2).
// Breathing is the stiffest of its modes (the others have w^2/2 and w^2/4). Damping b of springs
// and drag d give r'' = -w^2 (r - R) - (b w^2 + d) r'.
#include "support/rig.h"

#include <criterion/criterion.h>
#include <stdio.h>

static const double EDGE = 0.1;      // m
static const double DENSITY = 0.15;  // kg/m^2
static const double FREQUENCY = 10.; // 1/s
static const double AMPLITUDE = 0.2; // of the radius

typedef struct Oscillator {
    HedSim* sim;
    HedSheetId sheet;
    double radius; // m, at rest
} Oscillator;

static HedSimDef bare_def(HedIntegrator integrator, double h) {
    HedSimDef def = hed_sim_def_default();
    def.integrator = integrator;
    def.time_step = h;
    def.gravity = hed_vec3(0.0, 0.0, 0.0);
    def.thread_count = 1;
    def.newton_tolerance = 1e-12;
    def.linear_tolerance = 1e-12;
    def.pbd_iterations = 100;
    return def;
}

static HedSheetDef bare_sheet(const Mesh* mesh, double stretch, double damping) {
    HedSheetDef def = mesh_sheet(mesh);
    def.density = DENSITY;
    def.stretch = stretch;
    def.shear = 0.0;
    def.bending = HED_BENDING_NONE;
    def.damping = damping;
    return def;
}

static Oscillator make_oscillator(HedIntegrator integrator, double h, double damping, double drag) {
    Mesh mesh = mesh_tetrahedron(EDGE);
    mesh_keep_rest(&mesh);
    for (int k = 0; k < 4; ++k) {
        mesh.vertices[k] = hed_mul3(1.0 + AMPLITUDE, mesh.rest[k]);
    }
    HedSimDef def = bare_def(integrator, h);
    def.drag = drag;
    double stretch = FREQUENCY * FREQUENCY * DENSITY * EDGE * EDGE / 8.0;
    HedSheetDef sheet = bare_sheet(&mesh, stretch, damping);
    Oscillator o = {.sim = rig_sim(&def), .radius = hed_norm3(mesh.rest[0])};
    o.sheet = rig_sheet(o.sim, &sheet);
    mesh_free(&mesh);
    rig_prepare(o.sim);
    return o;
}

// (r - R) / (amplitude R) and its rate, of the first point.
static double shift_of(const Oscillator* o) {
    double r = hed_norm3(rig_position(o->sim, o->sheet, 0));
    return (r / o->radius - 1.0) / AMPLITUDE;
}

static double rate_of(const Oscillator* o) {
    HedVec3 x = rig_position(o->sim, o->sheet, 0);
    double speed = hed_dot3(rig_velocity(o->sim, o->sheet, 0), x) / hed_norm3(x);
    return speed / (AMPLITUDE * o->radius);
}

// Twice the energy over mass and amplitude squared: 1 at the start.
static double energy_of(const Oscillator* o) {
    double s = shift_of(o);
    double v = rate_of(o) / FREQUENCY;
    return s * s + v * v;
}

static double exact_shift(double t, double damping, double drag) {
    double w = FREQUENCY;
    double g = 0.5 * (damping * w * w + drag);
    double wd = sqrt(w * w - g * g);
    return exp(-g * t) * (cos(wd * t) + g / wd * sin(wd * t));
}

static double oscillator_error(HedIntegrator integrator, int steps, double damping, double drag) {
    const double duration = 1.0; // 1.6 periods; not at a place where the error passes zero
    Oscillator o = make_oscillator(integrator, duration / steps, damping, drag);
    rig_run(o.sim, steps);
    double error = fabs(shift_of(&o) - exact_shift(duration, damping, drag));
    hed_sim_destroy(o.sim);
    return error;
}

// A triangle that turns steadily, its springs stretched as the turn needs: radius r with
// m r W^2 = 3 k (r - R), k = S A / l^2 = S sqrt(3)/4 (an edge has one triangle), m a third of all.
// The exact solution is a turn by W t; nonlinear in coordinates, unlike the breathing one.
static double turning_error(HedIntegrator integrator, int steps, double damping, double drag) {
    (void)damping;
    (void)drag;
    const double duration = 1.0;
    const double turn = 3.0; // rad/s
    Mesh mesh = mesh_triangle(EDGE);
    mesh_keep_rest(&mesh);
    double k = 0.5 * sqrt(0.75);                              // N/m, for S = 1 N/m
    double m = DENSITY * sqrt(3.0) / 4.0 * EDGE * EDGE / 3.0; // kg
    double stretch = 20.0 * m / k;                            // 3 k / m = 60 1/s^2
    double grown = 60.0 / (60.0 - turn * turn);
    for (int p = 0; p < 3; ++p) {
        mesh.vertices[p] = hed_mul3(grown, mesh.rest[p]);
    }
    HedSimDef def = bare_def(integrator, duration / steps);
    HedSheetDef sheet_def = bare_sheet(&mesh, stretch, 0.0);
    HedSim* sim = rig_sim(&def);
    HedSheetId sheet = rig_sheet(sim, &sheet_def);
    rig_prepare(sim);
    for (int p = 0; p < 3; ++p) {
        HedVec3 v = hed_cross3(hed_vec3(0.0, 0.0, turn), mesh.vertices[p]);
        rig_set_velocity(sim, sheet, p, v);
    }
    rig_run(sim, steps);
    HedVec3 x = mesh.vertices[0];
    double c = cos(turn * duration);
    double s = sin(turn * duration);
    HedVec3 exact = hed_vec3(c * x.x - s * x.y, s * x.x + c * x.y, 0.0);
    double error = hed_distance3(rig_position(sim, sheet, 0), exact) / hed_norm3(x);
    hed_sim_destroy(sim);
    mesh_free(&mesh);
    return error;
}

typedef double (*Problem)(HedIntegrator, int, double, double);

typedef struct Case {
    HedIntegrator integrator;
    int steps; // of the coarsest run
    double order;
} Case;

// The coarsest step is small enough that the next term of the error (relative size h w) changes
// the slope between the second and the last run, a factor of four apart, by less than 0.1.
static const Case CASES[] = {
    {HED_EXPLICIT_EULER, 800, 1.0}, {HED_SYMPLECTIC_EULER, 100, 1.0},
    {HED_VERLET, 50, 2.0},          {HED_RK4, 80, 4.0},
    {HED_IMPLICIT_EULER, 800, 1.0}, {HED_XPBD, 800, 1.0},
    {HED_MIDPOINT, 100, 2.0},
};

static void check_orders(const char* name, Problem problem, double damping, double drag) {
    for (size_t c = 0; c < sizeof CASES / sizeof CASES[0]; ++c) {
        double size[4];
        double error[4];
        printf("%s, %s:", name, hed_integrator_name(CASES[c].integrator));
        for (int k = 0; k < 4; ++k) {
            int steps = CASES[c].steps << k;
            size[k] = 1.0 / steps;
            error[k] = problem(CASES[c].integrator, steps, damping, drag);
            printf(" %.3g", error[k]);
        }
        double order = observed_order(size + 1, error + 1, 3);
        printf(", order %.3f\n", order);
        cr_expect(fabs(order - CASES[c].order) < 0.1, "%s, %s: order %.3f, expected %g", name,
                  hed_integrator_name(CASES[c].integrator), order, CASES[c].order);
    }
}

Test(integrators, orders_on_the_undamped_oscillator) {
    check_orders("oscillator", oscillator_error, 0.0, 0.0);
}

Test(integrators, orders_on_a_turning_triangle) {
    check_orders("turning", turning_error, 0.0, 0.0);
}

Test(integrators, orders_with_damping_in_springs) {
    check_orders("damped springs", oscillator_error, 0.02, 0.0); // g = 1/s, a tenth of critical
}

Test(integrators, orders_with_drag) {
    check_orders("drag", oscillator_error, 0.0, 2.0);
}

// Symplectic Euler on x'' = -w^2 x has the matrix ((1 - h^2 w^2, h), (-h w^2, 1)) of determinant 1
// and trace 2 - h^2 w^2: its eigenvalues leave the unit circle at h w = 2. Verlet's limit is the
// same. At 2.05 the larger one is -1.56, at 1.95 both have size 1.
static const double BEYOND = 4.6; // shift; the radius stays positive up to 1/AMPLITUDE = 5

static double largest_shift(HedIntegrator integrator, double hw, int steps) {
    Oscillator o = make_oscillator(integrator, hw / FREQUENCY, 0.0, 0.0);
    double largest = 0.0;
    for (int k = 0; k < steps && largest < BEYOND; ++k) {
        rig_step(o.sim);
        largest = fmax(largest, fabs(shift_of(&o)));
    }
    hed_sim_destroy(o.sim);
    return largest;
}

Test(integrators, stability_limit) {
    // Bounds of |x| from the conserved quadratic forms w^2 x^2 + v^2 - h w^2 x v (symplectic) and
    // w^2 x^2 (1 - h^2 w^2/4) + v^2 (Verlet), both w^2 at the start: the first gives
    // x^2 <= 1/(1 - h^2 w^2/4), the second x^2 <= 1.
    double hw = 1.95;
    double bound = 1.0 / sqrt(1.0 - 0.25 * hw * hw);
    double symplectic = largest_shift(HED_SYMPLECTIC_EULER, hw, 2000);
    double verlet = largest_shift(HED_VERLET, hw, 2000);
    printf("h w = 1.95: symplectic %.4f (bound %.4f), Verlet %.6f\n", symplectic, bound, verlet);
    // Conserved but for rounding of 2000 steps, some 1e-16 each.
    const double rounding = 1e-12;
    cr_expect(symplectic <= bound * (1.0 + rounding));
    cr_expect(verlet <= 1.0 + rounding);
    // 1.56^n is above 7000 after 20 steps; the start has a good part of the growing mode.
    cr_expect_geq(largest_shift(HED_SYMPLECTIC_EULER, 2.05, 20), BEYOND);
    cr_expect_geq(largest_shift(HED_VERLET, 2.05, 20), BEYOND);
}

// The energy of 10^4 periods. The forms above are conserved, so with e = v^2 + w^2 x^2 (1 at the
// start): symplectic |e - 1| = h w |w x v| <= h w / 2 e, Verlet e - 1 = h^2 w^2/4 (x^2 - 1) within
// h^2 w^2/4. Rounding adds at most 10^5 steps times some 1e-16 each, far below 1e-9.
static void check_drift(HedIntegrator integrator, double bound) {
    const double hw = 0.3;
    const int steps = (int)(1e4 * 2.0 * acos(-1.0) / hw);
    Oscillator o = make_oscillator(integrator, hw / FREQUENCY, 0.0, 0.0);
    double largest = 0.0;
    for (int k = 0; k < steps; ++k) {
        rig_step(o.sim);
        largest = fmax(largest, fabs(energy_of(&o) - 1.0));
    }
    printf("%s: energy within %.5f over %d steps (bound %.5f)\n", hed_integrator_name(integrator),
           largest, steps, bound);
    // As above.
    cr_expect(largest <= bound + 1e-9);
    cr_expect(largest >= 0.8 * bound, "the bound is nearly reached");
    hed_sim_destroy(o.sim);
}

Test(integrators, energy_drift) {
    const double hw = 0.3;
    check_drift(HED_SYMPLECTIC_EULER, 0.5 * hw / (1.0 - 0.5 * hw));
    check_drift(HED_VERLET, 0.25 * hw * hw);
}

// Each explicit step multiplies x^2 w^2 + v^2 by 1 + h^2 w^2 exactly, each implicit one divides.
Test(integrators, euler_energies) {
    const double hw = 0.1;
    const int steps = 300;
    double factor = pow(1.0 + hw * hw, steps); // 19.8
    Oscillator o = make_oscillator(HED_EXPLICIT_EULER, hw / FREQUENCY, 0.0, 0.0);
    // The shift grows to 4.45, the radius to 1.89 of that at rest: the springs never fold.
    rig_run(o.sim, steps);
    double grown = energy_of(&o);
    // 300 steps, rounded by some 1e-16 each.
    cr_expect(fabs(grown / factor - 1.0) < 1e-12, "explicit: %.12g, theory %.12g", grown, factor);
    hed_sim_destroy(o.sim);
    o = make_oscillator(HED_IMPLICIT_EULER, hw / FREQUENCY, 0.0, 0.0);
    rig_run(o.sim, steps);
    double left = energy_of(&o);
    // The solver leaves 1e-12 m/s of 0.1 m/s a step: 3e-9 relative after 300 of them.
    cr_expect(fabs(left * factor - 1.0) < 1e-7, "implicit: %.12g, theory %.12g", left,
              1.0 / factor);
    printf("explicit x%.6f, implicit x%.6f, (1 + h^2 w^2)^n = %.6f\n", grown, left, factor);
    hed_sim_destroy(o.sim);
}

// The midpoint rule multiplies them by 1 + h^4 w^4/4.
Test(integrators, midpoint_energy) {
    const double hw = 0.3;
    const int steps = 200;
    Oscillator o = make_oscillator(HED_MIDPOINT, hw / FREQUENCY, 0.0, 0.0);
    rig_prepare(o.sim);
    double before = hed_sim_energies(o.sim).total;
    rig_run(o.sim, steps);
    double expected = pow(1.0 + 0.25 * pow(hw, 4.0), steps);
    double grown = hed_sim_energies(o.sim).total / before;
    // The tetrahedron breathes as an exact oscillator: rounding alone.
    cr_expect_float_eq(grown / expected, 1.0, 1e-9, "%.12g, not %.12g", grown, expected);
    hed_sim_destroy(o.sim);
}

// Explicit stepping far above its limit is told, not carried on: the state stays at the last good
// step.
Test(integrators, divergence_is_reported) {
    static const HedIntegrator KIND[] = {HED_EXPLICIT_EULER, HED_SYMPLECTIC_EULER, HED_VERLET,
                                         HED_RK4, HED_MIDPOINT};
    for (size_t c = 0; c < sizeof KIND / sizeof KIND[0]; ++c) {
        Oscillator o = make_oscillator(KIND[c], 5.0 / FREQUENCY, 0.0, 0.0);
        HedStepReport report = {0};
        int steps = 0;
        for (; steps < 1000 && report.reason == HED_REASON_CONVERGED; ++steps) {
            cr_assert_eq(hed_sim_step(o.sim, &report, NULL), HED_OK);
        }
        cr_expect_eq(report.reason, HED_REASON_NOT_FINITE, "%s", hed_integrator_name(KIND[c]));
        cr_expect(report.trouble[0] != '\0');
        cr_expect_eq(hed_sim_steps(o.sim), steps - 1);
        cr_expect(hed_is_finite3(rig_position(o.sim, o.sheet, 0)));
        hed_sim_destroy(o.sim);
    }
}
