// SPDX-License-Identifier: MIT
// Damping: by the rate of strain it takes energy and no rigid motion; Rayleigh's takes rigid turns.
#include "base/alloc.h"
#include "base/random.h"
#include "sim/internal.h"
#include "support/rig.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

enum { SIDE = 5, COUNT = SIDE * SIDE };

typedef struct Cloth {
    const char* name;
    HedSheetModel model;
    HedBending bending;
} Cloth;

static const Cloth CLOTHS[] = {
    {"springs", HED_SHEET_SPRINGS, HED_BENDING_SPRINGS},
    {"springs, curvature", HED_SHEET_SPRINGS, HED_BENDING_CURVATURE},
    {"membrane, hinges", HED_SHEET_MEMBRANE, HED_BENDING_HINGES},
    {"membrane, flat", HED_SHEET_MEMBRANE, HED_BENDING_FLAT},
};
enum { CLOTH_COUNT = sizeof CLOTHS / sizeof CLOTHS[0] };

static const double CELL = 0.05; // m

static double draw(uint64_t stream, int32_t k) {
    return 2.0 * hed_random_uniform(11, stream, (uint64_t)k) - 1.0;
}

static HedVec3 draw3(uint64_t stream, int32_t k) {
    return hed_vec3(draw(3 * stream, k), draw(3 * stream + 1, k), draw(3 * stream + 2, k));
}

typedef struct Rig {
    Mesh mesh;
    HedSim* sim;
} Rig;

// How a cloth starts.
typedef struct Start {
    double stretch; // of both sides over rest
    double crumple; // largest way of a point off its place, in cells
    double speed;   // m/s, largest of random velocities
} Start;

static const Start CRUMPLED = {1.0, 0.3, 1.0};
static const Start TAUT = {1.1, 0.01, 0.05}; // and nearly flat: the stiffness is positive

// A cloth without gravity, nothing held.
static Rig start(const Cloth* cloth, HedIntegrator integrator, double h, HedSheetDef change,
                 Start how) {
    const double side = CELL * (SIDE - 1);
    Rig rig = {
        mesh_grid(SIDE, SIDE, (HedVec3){0}, hed_vec3(side, 0.0, 0.0), hed_vec3(0.0, 0.0, side)),
        NULL};
    mesh_keep_rest(&rig.mesh);
    for (int32_t k = 0; k < COUNT; ++k) {
        rig.mesh.vertices[k] =
            hed_madd3(hed_mul3(how.stretch, rig.mesh.rest[k]), how.crumple * CELL, draw3(1, k));
    }
    HedSheetDef sheet = mesh_sheet(&rig.mesh);
    sheet.model = cloth->model;
    sheet.bending = cloth->bending;
    sheet.bend_rigidity = 1e-3; // N m: bending counts beside stretching
    sheet.damping = change.damping;
    sheet.bend_damping = change.bend_damping;
    sheet.damping_model = change.damping_model;
    sheet.dilation_damping = change.dilation_damping;
    sheet.shear_damping = change.shear_damping;
    HedSimDef def = hed_sim_def_default();
    def.gravity = (HedVec3){0};
    def.integrator = integrator;
    def.time_step = h;
    def.newton_tolerance = 1e-10;
    def.newton_iterations = 200;
    def.linear_tolerance = 1e-10;
    def.thread_count = 1;
    rig.sim = rig_sim(&def);
    rig_sheet(rig.sim, &sheet);
    rig_prepare(rig.sim);
    for (int32_t k = 0; k < COUNT; ++k) {
        rig.sim->v.data[k] = hed_mul3(how.speed, draw3(2, k));
    }
    return rig;
}

static void end(Rig* rig) {
    hed_sim_destroy(rig->sim);
    mesh_free(&rig->mesh);
}

static HedSheetDef damped(double time, HedDampingModel model) {
    HedSheetDef def = hed_sheet_def_default();
    def.damping = time;
    def.damping_model = model;
    return def;
}

static double largest(const HedVec3* a, const HedVec3* b) {
    double most = 0.0;
    for (int32_t k = 0; k < COUNT; ++k) {
        most = fmax(most, hed_norm3(b ? hed_sub3(a[k], b[k]) : a[k]));
    }
    return most;
}

static const HedVec3 SPIN = {3.0, -5.0, 7.0};  // rad/s
static const HedVec3 DRIFT = {0.3, 0.2, -0.5}; // m/s

// A rigid velocity field gives no force by velocities, and a rigid turn none over a step.
Test(damping, potential_does_not_see_rigid_motion) {
    for (int c = 0; c < CLOTH_COUNT; ++c) {
        HedSheetDef change = damped(0.1, HED_DAMPING_POTENTIAL);
        change.dilation_damping = 3.0;
        change.shear_damping = 2.0;
        Rig rig = start(&CLOTHS[c], HED_IMPLICIT_EULER, 1e-3, change, CRUMPLED);
        HedVec3 v[COUNT], still[COUNT] = {0}, before[COUNT], quiet[COUNT], turning[COUNT];
        double turn = 0.3; // rad about z since the start of the step
        for (int32_t k = 0; k < COUNT; ++k) {
            HedVec3 x = rig.sim->x.data[k];
            v[k] = hed_add3(DRIFT, hed_cross3(SPIN, x));
            before[k] = hed_vec3(cos(turn) * x.x + sin(turn) * x.y - 0.1,
                                 -sin(turn) * x.x + cos(turn) * x.y, x.z + 0.2);
        }
        hed_sim_force(rig.sim, rig.sim->x.data, still, 0.0, quiet);
        HedPower power = hed_sim_force(rig.sim, rig.sim->x.data, v, 0.0, turning);
        // Speeds of 1 m/s against stiffnesses of 1e3 N/m and 0.1 s: rounding is 1e-16 of 1e2 N.
        cr_expect(largest(turning, quiet) < 1e-11, "%s: %g N", CLOTHS[c].name,
                  largest(turning, quiet));
        // Rates of strain that are zero are rounded to 1e-16 m/s: 0.1 s times 1e3 N/m times
        // their square, for a hundred elements.
        cr_expect(fabs(power.dissipated) < 1e-26, "%s: %g W", CLOTHS[c].name, power.dissipated);
        HedEval at = hed_sim_eval_at(rig.sim, rig.sim->x.data, v, 0.0);
        at.start = before;
        at.over = 1e3;
        hed_sim_force_at(rig.sim, &at, turning);
        // Lengths of 0.3 m, 1e3/s: the rate is rounded to 1e-13 of itself.
        cr_expect(largest(turning, quiet) < 1e-9, "%s, over a step: %g N", CLOTHS[c].name,
                  largest(turning, quiet));
        end(&rig);
    }
}

// The gradient g turns with the cloth, so K (w x x) = w x g: Rayleigh's force in a turn is
// b w x f, f the elastic one. And K v is the change of the gradient along v.
Test(damping, rayleigh_is_stiffness_times_velocity) {
    const double beta = 0.1; // s
    for (int c = 0; c < CLOTH_COUNT; ++c) {
        Rig rig = start(&CLOTHS[c], HED_IMPLICIT_EULER, 1e-3, damped(beta, HED_DAMPING_RAYLEIGH),
                        CRUMPLED);
        HedVec3 v[COUNT], still[COUNT] = {0}, quiet[COUNT], turning[COUNT], expected[COUNT];
        const HedVec3* x = rig.sim->x.data;
        hed_sim_force(rig.sim, x, still, 0.0, quiet);
        for (int32_t k = 0; k < COUNT; ++k) {
            v[k] = hed_add3(DRIFT, hed_cross3(SPIN, x[k]));
            expected[k] = hed_madd3(quiet[k], beta, hed_cross3(SPIN, quiet[k]));
        }
        hed_sim_force(rig.sim, x, v, 0.0, turning);
        double size = largest(quiet, NULL);
        double off = largest(turning, expected) / size;
        double seen = largest(turning, quiet) / size;
        printf("%-20s Rayleigh in a turn: %.3g of the elastic force, off by %.1e\n", CLOTHS[c].name,
               seen, off);
        // Forces of elements, of up to a hundred times the largest that is left of them at a
        // point, are rounded by 1e-16 some ten times.
        cr_expect(off < 1e-13, "%s: %g", CLOTHS[c].name, off);
        cr_expect(seen > 0.1, "%s: a turn should be damped, %g", CLOTHS[c].name, seen);

        const double step =
            1e-6; // s, along v: differences lose 1e-10 to rounding, as much to order
        HedVec3 ahead[COUNT], behind[COUNT], moved[COUNT];
        for (int s = -1; s <= 1; s += 2) {
            for (int32_t k = 0; k < COUNT; ++k) {
                moved[k] = hed_madd3(x[k], s * step, rig.sim->v.data[k]);
            }
            hed_sim_force(rig.sim, moved, still, 0.0, s < 0 ? behind : ahead);
        }
        for (int32_t k = 0; k < COUNT; ++k) {
            HedVec3 change = hed_mul3(0.5 / step, hed_sub3(ahead[k], behind[k]));
            expected[k] = hed_madd3(quiet[k], beta, change);
        }
        HedPower power = hed_sim_force(rig.sim, x, rig.sim->v.data, 0.0, turning);
        // 1e-10, as said, of forces of elements: up to a hundred times what is left of them.
        cr_expect(largest(turning, expected) < 1e-8 * largest(turning, NULL), "%s: %g of %g N",
                  CLOTHS[c].name, largest(turning, expected), largest(turning, NULL));
        double taken = 0.0;
        for (int32_t k = 0; k < COUNT; ++k) {
            taken -= hed_dot3(rig.sim->v.data[k], hed_sub3(turning[k], quiet[k]));
        }
        // A sum of some hundred products of forces and speeds, rounded by 1e-16 of terms that
        // may be a thousand times the sum.
        cr_expect(fabs(taken - power.dissipated) < 1e-11 * fabs(taken), "%g and %g W", taken,
                  power.dissipated);
        end(&rig);
    }
}

// The equations that a step solves hold at its end, whatever matrix led there.
Test(damping, rayleigh_steps_solve_the_exact_equations) {
    static const HedIntegrator KINDS[] = {HED_IMPLICIT_EULER, HED_NEWMARK};
    const double h = 1e-3; // s
    for (int c = 0; c < 2 * CLOTH_COUNT; ++c) {
        const Cloth* cloth = &CLOTHS[c / 2];
        Rig rig = start(cloth, KINDS[c % 2], h, damped(0.02, HED_DAMPING_RAYLEIGH), TAUT);
        HedVec3 x0[COUNT], v0[COUNT], f0[COUNT], f1[COUNT];
        for (int32_t k = 0; k < COUNT; ++k) {
            x0[k] = rig.sim->x.data[k];
            v0[k] = rig.sim->v.data[k];
        }
        hed_sim_force(rig.sim, x0, v0, 0.0, f0);
        HedStepReport report = rig_step(rig.sim);
        cr_expect_eq(report.substeps, 1, "%s", cloth->name);
        hed_sim_force(rig.sim, rig.sim->x.data, rig.sim->v.data, h, f1);
        double off = 0.0;
        for (int32_t k = 0; k < COUNT; ++k) {
            bool both = c % 2 == 1;
            HedVec3 mean = both ? hed_mul3(0.5, hed_add3(f0[k], f1[k])) : f1[k];
            HedVec3 v = hed_madd3(v0[k], h / rig.sim->mass.data[k], mean);
            off = fmax(off, hed_distance3(v, rig.sim->v.data[k]));
            HedVec3 speed =
                both ? hed_mul3(0.5, hed_add3(v0[k], rig.sim->v.data[k])) : rig.sim->v.data[k];
            off = fmax(off, hed_distance3(hed_madd3(x0[k], h, speed), rig.sim->x.data[k]) / h);
        }
        // Velocities are solved to 1e-10 m/s; the bound that the solver stops at is of that size.
        cr_expect(off < 1e-8, "%s, %s: off by %g m/s", cloth->name,
                  hed_integrator_name(KINDS[c % 2]), off);
        end(&rig);
    }
}

static double mechanical(const HedSim* sim) {
    HedEnergies e = hed_sim_energies(sim);
    return e.total - e.dissipated + e.external;
}

// Nothing pushes from outside: kinetic and elastic energy together only fall.
Test(damping, energy_never_grows) {
    static const HedIntegrator KINDS[] = {HED_IMPLICIT_EULER, HED_NEWMARK, HED_BDF2,
                                          HED_SYMPLECTIC_EULER};
    for (int c = 0; c < 4 * CLOTH_COUNT; ++c) {
        const Cloth* cloth = &CLOTHS[c / 4];
        HedIntegrator kind = KINDS[c % 4];
        double h = kind == HED_SYMPLECTIC_EULER ? 1e-5 : 1e-3;
        Rig rig = start(cloth, kind, h, damped(5e-3, HED_DAMPING_POTENTIAL), CRUMPLED);
        double first = mechanical(rig.sim);
        double before = first;
        double growth = 0.0;
        for (int k = 0; k < 150; ++k) {
            rig_step(rig.sim);
            double now = mechanical(rig.sim);
            growth = fmax(growth, now - before);
            before = now;
        }
        printf("%-20s %-16s energy %.4g -> %.4g J, largest growth in a step %.1e\n", cloth->name,
               hed_integrator_name(kind), first, before, growth / first);
        // Energies are sums of some hundred terms, each rounded by 1e-16.
        cr_expect(growth <= 1e-14 * first, "%s, %s: grew by %g of %g J", cloth->name,
                  hed_integrator_name(kind), growth, first);
        cr_expect(before < 0.9 * first, "%s, %s: %g of %g J is left", cloth->name,
                  hed_integrator_name(kind), before, first);
        end(&rig);
    }
}

// Angular momentum: forces by a potential have no moment, and symplectic Euler keeps it to
// rounding, which is 1e-16 of a point's share in each of 200 steps. Newmark's method keeps sum m (x
// x v + h^2/4 v x a) to the tolerance of its solver.
Test(damping, potential_keeps_angular_momentum) {
    for (int c = 0; c < 2 * CLOTH_COUNT; ++c) {
        const Cloth* cloth = &CLOTHS[c / 2];
        bool newmark = c % 2 == 1;
        double h = newmark ? 1e-3 : 1e-5;
        Rig rig = start(cloth, newmark ? HED_NEWMARK : HED_SYMPLECTIC_EULER, h,
                        damped(5e-3, HED_DAMPING_POTENTIAL), CRUMPLED);
        HedVec3 moment[2];
        for (int k = 0; k < 2; ++k) {
            if (k == 1) {
                rig_run(rig.sim, 200);
            }
            moment[k] = rig_momentum(rig.sim).angular;
            HedVec3 force[COUNT];
            hed_sim_force(rig.sim, rig.sim->x.data, rig.sim->v.data, 0.0, force);
            for (int32_t i = 0; newmark && i < COUNT; ++i) {
                HedVec3 more = hed_cross3(rig.sim->v.data[i], force[i]);
                moment[k] = hed_madd3(moment[k], 0.25 * h * h, more);
            }
        }
        double off = hed_distance3(moment[0], moment[1]) / hed_norm3(moment[0]);
        printf("%-20s angular momentum off by %.1e after 200 steps%s\n", cloth->name, off,
               newmark ? " (newmark)" : "");
        // As above: 200 steps of 1e-16, and for Newmark 200 of newton_tolerance, 1e-10 of 1 m/s.
        cr_expect(off < (newmark ? 2e-8 : 1e-13), "%s: %g", cloth->name, off);
        end(&rig);
    }
}

// The same turn with Rayleigh's damping comes to rest: a taut cloth that turns as a whole loses
// moment at the rate that b sum x x (w x f) gives.
Test(damping, rayleigh_loses_angular_momentum) {
    const double beta = 0.01; // s
    const double h = 1e-6;    // s
    for (int c = 0; c < CLOTH_COUNT; ++c) {
        Rig rig = start(&CLOTHS[c], HED_SYMPLECTIC_EULER, h, damped(beta, HED_DAMPING_RAYLEIGH),
                        (Start){1.3, 0.0, 0.0});
        HedVec3 force[COUNT], still[COUNT] = {0};
        hed_sim_force(rig.sim, rig.sim->x.data, still, 0.0, force);
        HedVec3 expected = {0};
        for (int32_t k = 0; k < COUNT; ++k) {
            HedVec3 x = rig.sim->x.data[k];
            rig.sim->v.data[k] = hed_cross3(SPIN, x);
            HedVec3 f = hed_mul3(beta, hed_cross3(SPIN, force[k]));
            expected = hed_madd3(expected, h, hed_cross3(x, f));
        }
        HedVec3 before = rig_momentum(rig.sim).angular;
        rig_step(rig.sim);
        HedVec3 lost = hed_sub3(rig_momentum(rig.sim).angular, before);
        // The change is 5e-4 of a moment that is a sum over 25 points, rounded by 1e-16 some ten
        // times: 2e-12 of it.
        cr_expect(hed_distance3(lost, expected) < 1e-11 * hed_norm3(expected), "%s: (%g %g %g)",
                  CLOTHS[c].name, lost.x, lost.y, lost.z);
        cr_expect(hed_dot3(lost, before) < 0.0, "%s gains", CLOTHS[c].name);
        end(&rig);
    }
}

// Bending has its own damping time; "infinite" takes that of stretching.
Test(damping, bending_has_its_own) {
    for (int c = 1; c < CLOTH_COUNT; ++c) {
        double power[3];
        for (int k = 0; k < 3; ++k) {
            HedSheetDef change = damped(k == 0 ? 0.0 : 1e-3, HED_DAMPING_POTENTIAL);
            change.bend_damping = k == 1 ? 0.0 : (k == 0 ? 1e-3 : HUGE_VAL);
            Rig rig = start(&CLOTHS[c], HED_IMPLICIT_EULER, 1e-3, change, CRUMPLED);
            HedVec3 force[COUNT];
            power[k] =
                hed_sim_force(rig.sim, rig.sim->x.data, rig.sim->v.data, 0.0, force).dissipated;
            end(&rig);
        }
        cr_expect(power[0] > 0.0 && power[1] > 0.0, "%s: %g %g", CLOTHS[c].name, power[0],
                  power[1]);
        // Three sums of some hundred positive terms, each rounded by 1e-16.
        cr_expect(fabs(power[0] + power[1] - power[2]) < 1e-13 * power[2], "%s", CLOTHS[c].name);
    }
}

// In its positive form Rayleigh damping takes energy whatever the state; exactly, it also gives.
Test(damping, positive_rayleigh_never_gives) {
    for (int c = 0; c < 2 * CLOTH_COUNT; ++c) {
        bool positive = c % 2 == 0;
        HedDampingModel model = positive ? HED_DAMPING_RAYLEIGH_POSITIVE : HED_DAMPING_RAYLEIGH;
        Start small = {0.7, 0.02, 0.0}; // compressed
        Rig rig = start(&CLOTHS[c / 2], HED_IMPLICIT_EULER, 1e-3, damped(0.1, model), small);
        double least = HUGE_VAL;
        for (uint64_t k = 0; k < 100; ++k) {
            HedVec3 v[COUNT], force[COUNT];
            for (int32_t i = 0; i < COUNT; ++i) {
                v[i] = hed_vec3(0.0, draw(100 + k, i), 0.0); // across the sheet: it would buckle
            }
            least = fmin(least, hed_sim_force(rig.sim, rig.sim->x.data, v, 0.0, force).dissipated);
        }
        cr_expect(positive ? least >= 0.0 : least < 0.0, "%s: %g W", CLOTHS[c / 2].name, least);
        end(&rig);
    }
}

// What is shown at the vertices adds up to the power of all damping, for every model and kind.
Test(damping, quantity_adds_up) {
    for (int c = 0; c < HED_DAMPING_MODEL_COUNT * CLOTH_COUNT; ++c) {
        HedDampingModel model = (HedDampingModel)(c / CLOTH_COUNT);
        Rig rig = start(&CLOTHS[c % CLOTH_COUNT], HED_IMPLICIT_EULER, 1e-3, damped(1e-2, model),
                        CRUMPLED);
        HedVec3 force[COUNT];
        double values[COUNT];
        double sum = 0.0;
        HedPower power = hed_sim_force(rig.sim, rig.sim->x.data, rig.sim->v.data, 0.0, force);
        HedSheetId sheet = hed_sim_sheet(rig.sim, 0);
        cr_assert_eq(hed_sheet_quantity(rig.sim, sheet, HED_QUANTITY_DAMPING, values, NULL),
                     HED_OK);
        for (int32_t k = 0; k < COUNT; ++k) {
            sum += values[k] * rig.sim->area.data[rig.sim->cloths.data[0].place[k]];
        }
        // Areas divide and multiply again, and positive and negative shares of some hundred
        // terms cancel to a hundredth: 1e-16 of each.
        cr_expect(fabs(sum - power.dissipated) < 1e-12 * fabs(power.dissipated), "%s: %g and %g W",
                  CLOTHS[c % CLOTH_COUNT].name, sum, power.dissipated);
        end(&rig);
    }
}

Test(damping, bad_values_are_named) {
    HedSimDef def = hed_sim_def_default();
    HedError error;
    HedSheetId id;
    Mesh mesh = mesh_triangle(0.1);
    HedSim* sim = rig_sim(&def);
    HedSheetDef sheet = mesh_sheet(&mesh);
    sheet.bend_damping = -1.0;
    cr_expect_eq(hed_sheet_create(sim, &sheet, &id, &error), HED_INVALID);
    cr_expect(strstr(error.message, "bend_damping") && strstr(error.message, "-1"), "%s",
              error.message);
    sheet.bend_damping = (double)NAN;
    cr_expect_eq(hed_sheet_create(sim, &sheet, &id, &error), HED_INVALID);
    sheet.bend_damping = HUGE_VAL;
    sheet.damping_model = HED_DAMPING_MODEL_COUNT;
    cr_expect_eq(hed_sheet_create(sim, &sheet, &id, &error), HED_INVALID);
    cr_expect(strstr(error.message, "damping"), "%s", error.message);
    hed_sim_destroy(sim);
    def.integrator = HED_XPBD;
    sim = rig_sim(&def);
    sheet.damping_model = HED_DAMPING_RAYLEIGH;
    rig_sheet(sim, &sheet);
    cr_expect_eq(hed_sim_prepare(sim, &error), HED_INVALID);
    cr_expect(strstr(error.message, "rayleigh") && strstr(error.message, "xpbd"), "%s",
              error.message);
    hed_sim_destroy(sim);
    mesh_free(&mesh);
}

// Every allocation of a sim with Rayleigh damping may fail: a status, no leak, no crash.
Test(damping, memory_may_run_out) {
    HedSimDef def = hed_sim_def_default();
    def.thread_count = 1;
    Mesh mesh = mesh_grid(3, 3, (HedVec3){0}, hed_vec3(0.1, 0.0, 0.0), hed_vec3(0.0, 0.0, 0.1));
    HedSheetDef sheet = mesh_sheet(&mesh);
    sheet.damping_model = HED_DAMPING_RAYLEIGH;
    HedStatus status = HED_NO_MEMORY;
    for (int64_t n = 1; status != HED_OK && n < 1000; ++n) {
        HedSim* sim = NULL;
        HedSheetId id;
        hed_alloc_fail_at(n);
        status = hed_sim_create(&def, &sim, NULL);
        status = status != HED_OK ? status : hed_sheet_create(sim, &sheet, &id, NULL);
        status = status != HED_OK ? status : hed_sim_prepare(sim, NULL);
        hed_alloc_fail_at(0);
        cr_expect(status == HED_OK || status == HED_NO_MEMORY, "%d at %lld", (int)status,
                  (long long)n);
        hed_sim_destroy(sim);
    }
    cr_expect_eq(status, HED_OK);
    mesh_free(&mesh);
}
