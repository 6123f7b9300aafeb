// SPDX-License-Identifier: MIT
#include "model/rod/rod.h"

#include "base/random.h"
#include "math/frame.h"
#include "math/quat.h"
#include "support/chain.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

// Relative, or of turns: some hundred operations, each rounded by 1e-16.
static const double ROUNDING = 1e-13;

enum { MOST = 200 };

static double draw(uint64_t stream, uint64_t k) {
    return hed_random_uniform(3, stream, k) - 0.5;
}

// A wavy line in space with uneven segments, or a ring.
static void wavy(HedVec3* x, int32_t n, bool is_closed, uint64_t seed) {
    for (int32_t k = 0; k < n; ++k) {
        double a = 2.0 * HED_PI * k / n;
        HedVec3 p = is_closed ? hed_vec3(cos(a), sin(a), 0.2 * sin(3.0 * a))
                              : hed_vec3(0.15 * k, 0.1 * sin(0.5 * k), 0.1 * cos(0.7 * k));
        HedVec3 noise = {draw(seed, 3 * (uint64_t)k), draw(seed, 3 * (uint64_t)k + 1),
                         draw(seed, 3 * (uint64_t)k + 2)};
        x[k] = hed_madd3(p, is_closed ? 0.3 / n : 0.04, noise);
    }
}

static HedRodDef def_of(int32_t first, int32_t n, bool is_closed) {
    return (HedRodDef){.first = first,
                       .point_count = n,
                       .is_closed = is_closed,
                       .bend = {2e-3, 1e-3},
                       .twist = 1.5e-3,
                       .is_bent_at_rest = true,
                       .natural_twist = 0.4,
                       .director = {0.2, 0.3, 1.0}};
}

static void shake(HedVec3* x, int32_t n, double size, uint64_t seed) {
    for (int32_t k = 0; k < n; ++k) {
        for (int c = 0; c < 3; ++c) {
            (&x[k].x)[c] += size * draw(seed, 1000 + 3 * (uint64_t)k + (uint64_t)c);
        }
    }
}

Test(rod, created_bent_it_rests) {
    HedVec3 x[40], gradient[40];
    wavy(x, 20, false, 1);
    wavy(x + 20, 20, true, 2);
    HedRodDef defs[2] = {def_of(0, 20, false), def_of(20, 20, true)};
    Chain chain;
    chain_create(&chain, defs, 2, x, 7);
    cr_assert_lt(chain_energy(&chain), 1e-25); // rounding of turns, squared
    chain_gradient(&chain, gradient);
    for (int k = 0; k < 40; ++k) {
        // Turns are rounded by 1e-16, and change by 10 for each metre of a point's way.
        cr_assert_lt(hed_norm3(gradient[k]), 1e-13);
    }
    chain_free(&chain);
}

// Differences of gradients, column by column; the energy's against the gradient.
static void difference(Chain* chain, const HedVec3* gradient, double force, double* rise) {
    int32_t n = 3 * chain->count;
    const double step = 1e-5; // m, of segments of 0.1 m: truncation 1e-8
    for (int32_t c = 0; c < n; ++c) {
        double* at = &(&chain->x[0].x)[c];
        double start = *at;
        HedVec3 up[MOST], down[MOST];
        *at = start + step;
        double high = chain_energy(chain);
        chain_gradient(chain, up);
        *at = start - step;
        double low = chain_energy(chain);
        chain_gradient(chain, down);
        *at = start;
        double slope = (high - low) / (2.0 * step);
        // Truncation, with a factor of some units.
        cr_assert_float_eq(slope, (&gradient[0].x)[c], 5e-8 * force, "coordinate %d", c);
        for (int32_t d = 0; d < n; ++d) {
            rise[d * (int64_t)n + c] = ((&up[0].x)[d] - (&down[0].x)[d]) / (2.0 * step);
        }
    }
}

// The energy with angles in equilibrium is a function of points: differences see its whole
// derivative, and forces need no term for the angles. A held angle is not in equilibrium, and
// transport makes its forces depend on the way: the difference is not symmetric, its symmetric part
// is what the matrix has.
static void check_differences(Chain* chain, bool is_held) {
    int32_t n = 3 * chain->count;
    HedVec3 gradient[MOST];
    chain_energy(chain);
    chain_gradient(chain, gradient);
    double* h = calloc((size_t)n * (size_t)n, sizeof(double));
    double* rise = calloc((size_t)n * (size_t)n, sizeof(double));
    chain_hessian(chain, h);
    double force = 0.0, stiff = 0.0;
    for (int32_t c = 0; c < n; ++c) {
        force = fmax(force, fabs((&gradient[0].x)[c]));
        stiff = fmax(stiff, h[c * (int64_t)n + c]);
    }
    difference(chain, gradient, force, rise);
    for (int32_t c = 0; c < n; ++c) {
        for (int32_t d = 0; d < n; ++d) {
            double one = rise[d * (int64_t)n + c], other = rise[c * (int64_t)n + d];
            double expected = is_held ? 0.5 * (one + other) : one;
            // Truncation, as above.
            cr_assert_float_eq(h[d * (int64_t)n + c], expected, 5e-8 * stiff, "%d by %d", d, c);
        }
    }
    free(h);
    free(rise);
}

Test(rod, forces_and_condensed_stiffness_are_the_derivatives) {
    for (int plain = 0; plain < 2; ++plain) {
        for (int closed = 0; closed < 2; ++closed) {
            HedVec3 x[14];
            wavy(x, 14, closed, 5);
            HedRodDef def = def_of(0, 14, closed);
            def.closing_twist = closed ? 1.3 : 0.0;
            if (plain) {
                def.bend[1] = def.bend[0];
                def.is_bent_at_rest = false;
            }
            Chain chain;
            chain_create(&chain, &def, 1, x, 5);
            chain.axial = 0.5;
            cr_assert_eq(chain.rods.rod[0].is_plain, plain);
            if (!closed) {
                hed_rods_clamp(&chain.rods, 0, false, hed_vec3(1, 0.3, 0), hed_vec3(0, 1, 1));
                hed_rods_clamp(&chain.rods, 0, true, hed_vec3(1, 0, 0.2), hed_vec3(0, 1, -2));
            } else if (!plain) {
                hed_rods_hold(&chain.rods, 0, 4, hed_vec3(0, 0, 1));
            }
            shake(chain.x, 14, 0.03, 9);
            chain_energy(&chain);
            hed_rods_commit(&chain.rods);
            check_differences(&chain, closed && !plain);
            chain_free(&chain);
        }
    }
}

// Turned and shifted as a whole, a free rod has the same energy and turned forces, although its
// frames were carried there on another way.
Test(rod, rigid_motion_changes_nothing) {
    HedVec3 x[20], before[20], after[20];
    wavy(x, 20, false, 11);
    HedRodDef def = def_of(0, 20, false);
    Chain chain;
    chain_create(&chain, &def, 1, x, 6);
    shake(chain.x, 20, 0.05, 3);
    double energy = chain_energy(&chain);
    chain_gradient(&chain, before);
    hed_rods_commit(&chain.rods);
    HedVec3 sum = {0}, moment = {0};
    double force = 0.0;
    for (int k = 0; k < 20; ++k) {
        sum = hed_add3(sum, before[k]);
        moment = hed_add3(moment, hed_cross3(chain.x[k], before[k]));
        force = fmax(force, hed_norm3(before[k]));
    }
    cr_assert_lt(hed_norm3(sum), 1e-14 * force);    // twenty forces, each rounded by 1e-16
    cr_assert_lt(hed_norm3(moment), 1e-11 * force); // as well as the angles are solved
    for (int turn = 1; turn <= 12; ++turn) {
        HedQuat q = hed_quat_from_vector(hed_vec3(0.5, -0.3, 0.2));
        for (int k = 0; k < 20; ++k) {
            chain.x[k] = hed_quat_rotate(q, chain.x[k]);
            before[k] = hed_quat_rotate(q, before[k]);
        }
        cr_assert_float_eq(chain_energy(&chain), energy, 10.0 * ROUNDING * energy);
        hed_rods_commit(&chain.rods);
        chain_gradient(&chain, after);
        for (int k = 0; k < 20; ++k) {
            cr_assert_lt(hed_distance3(after[k], before[k]), 1e-11 * force); // as above
        }
    }
    chain_free(&chain);
}

// Ten turns at one end of a straight rod: the moment is GJ times twist over length, and nothing is
// lost on the way. Both kinds of rod, the closed form and Newton's.
Test(rod, ten_turns_are_carried) {
    for (int plain = 0; plain < 2; ++plain) {
        enum { N = 21 };
        HedVec3 x[N];
        for (int k = 0; k < N; ++k) {
            x[k] =
                hed_vec3(0.05 * k + (k > 0 && k < N - 1 ? 0.01 * draw(4, (uint64_t)k) : 0.0), 0, 0);
        }
        HedRodDef def = {.point_count = N, .bend = {1e-3, plain ? 1e-3 : 2e-3}, .twist = 5e-4};
        Chain chain;
        chain_create(&chain, &def, 1, x, 8);
        hed_rods_clamp(&chain.rods, 0, false, hed_vec3(1, 0, 0), hed_vec3(0, 1, 0));
        for (int step = 0; step <= 200; ++step) {
            double a = 20.0 * HED_PI * step / 200;
            hed_rods_clamp(&chain.rods, 0, true, hed_vec3(1, 0, 0), hed_vec3(0, cos(a), sin(a)));
            chain_energy(&chain);
            hed_rods_commit(&chain.rods);
            cr_assert_float_eq(hed_rods_twist(&chain.rods, 0), a, 10.0 * ROUNDING);
        }
        double expected = def.twist * 20.0 * HED_PI / 1.0;
        for (int k = 0; k < N; ++k) {
            int32_t i = hed_rod_slot(&chain.rods.rod[0], k);
            cr_assert_float_eq(chain.rods.moment[i], expected, ROUNDING * expected);
        }
        hed_rods_unclamp(&chain.rods, 0, true);
        cr_assert_lt(chain_energy(&chain), 1e-20); // the free end unwinds at once
        chain_free(&chain);
    }
}

// A frame carried round by the points: an end that is led round a closed loop in direction space
// turns its frame by the enclosed area. The clamped angle sees it as twist; the energy, which is a
// function of points alone, comes back.
Test(rod, energy_does_not_depend_on_the_way) {
    enum { N = 9 };
    HedVec3 x[N], home[N];
    for (int k = 0; k < N; ++k) {
        x[k] = hed_vec3(0.1 * k, 0.03 * sin(0.8 * k), 0);
    }
    HedRodDef def = def_of(0, N, false);
    Chain chain;
    chain_create(&chain, &def, 1, x, 4);
    hed_rods_clamp(&chain.rods, 0, false, hed_vec3(1, 0, 0), hed_vec3(0, 0, 1));
    shake(chain.x, N, 0.02, 8);
    memcpy(home, chain.x, sizeof home);
    double start = chain_energy(&chain);
    hed_rods_commit(&chain.rods);
    for (int step = 1; step <= 100; ++step) {
        double a = 2.0 * HED_PI * step / 100;
        for (int k = 2; k < N; ++k) {
            double s = 0.15 * (k - 1);
            HedQuat q = hed_quat_from_vector(
                hed_vec3(0.0, s * sin(a), s * (1.0 - cos(a)))); // back at a = 2 pi
            chain.x[k] = hed_add3(home[1], hed_quat_rotate(q, hed_sub3(home[k], home[1])));
        }
        chain_energy(&chain);
        hed_rods_commit(&chain.rods);
    }
    cr_assert_float_eq(chain_energy(&chain), start, ROUNDING * start);
    chain_free(&chain);
}

// Enough segments that threads are woken: a ring, an open rod with unequal stiffness, a plain one.
Test(rod, same_bits_for_any_number_of_threads) {
    enum { EACH = 5000, N = 3 * EACH };
    HedVec3* x = calloc(N, sizeof(HedVec3));
    HedVec3* gradient[2] = {calloc(N, sizeof(HedVec3)), calloc(N, sizeof(HedVec3))};
    HedVec3* product[2] = {calloc(N, sizeof(HedVec3)), calloc(N, sizeof(HedVec3))};
    HedRodDef defs[3];
    for (int r = 0; r < 3; ++r) {
        wavy(x + r * EACH, EACH, r == 0, 21 + (uint64_t)r);
        defs[r] = def_of(r * EACH, EACH, r == 0);
        defs[r].plastic = r < 2 ? 1e-3 : 0.0;
    }
    defs[2].bend[1] = defs[2].bend[0];
    defs[2].is_bent_at_rest = false;
    for (int run = 0; run < 2; ++run) {
        Chain chain;
        chain_create(&chain, defs, 3, x, 1024);
        chain.team.threads = run == 0 ? 1 : 3;
        shake(chain.x, N, 1e-5, 4);
        chain_energy(&chain);
        hed_rods_yield(&chain.rods, &chain.team);
        chain_gradient(&chain, gradient[run]);
        HedRodCondense condense;
        cr_assert_eq(hed_rod_condense_create(&condense, &chain.rods, NULL), HED_OK);
        hed_rod_condense_setup(&condense, &chain.rods, &chain.team, true);
        hed_rod_condense_apply(&condense, &chain.rods, &chain.team, chain.x, product[run]);
        hed_rod_condense_free(&condense);
        chain_free(&chain);
    }
    cr_assert_eq(memcmp(gradient[0], gradient[1], N * sizeof(HedVec3)), 0);
    cr_assert_eq(memcmp(product[0], product[1], N * sizeof(HedVec3)), 0);
    free(x);
    for (int run = 0; run < 2; ++run) {
        free(gradient[run]);
        free(product[run]);
    }
}

Test(rod, folds_and_collapsed_segments_stay_finite) {
    HedVec3 x[5] = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {3, 0, 0}, {4, 0, 0}}, gradient[5];
    HedRodDef def = def_of(0, 5, false);
    Chain chain;
    chain_create(&chain, &def, 1, x, 5);
    chain.axial = 0.0;
    chain.x[3] = chain.x[1]; // segment 2 runs back on segment 1
    chain.x[4] = chain.x[3]; // segment 3 has no length
    double energy = chain_energy(&chain);
    cr_assert(isfinite(energy));
    chain_gradient(&chain, gradient);
    for (int k = 0; k < 4; ++k) {
        cr_assert(isfinite(gradient[k].x) || k >= 3);
    }
    hed_rods_commit(&chain.rods);
    memcpy(chain.x, x, sizeof x); // and comes back
    cr_assert(isfinite(chain_energy(&chain)));
    chain_free(&chain);
}

// Both radii of the rest state: within p of the turn, within p_max of straight.
Test(rod, plastic_rest_follows_at_a_distance) {
    HedVec3 x[3] = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}};
    HedRodDef def = {.point_count = 3,
                     .bend = {1e-3, 1e-3},
                     .twist = 1e-3,
                     .plastic = 0.1,
                     .plastic_limit = 0.5,
                     .director = {0, 1, 0}};
    Chain chain;
    chain_create(&chain, &def, 1, x, 3);
    int32_t i = hed_rod_slot(&chain.rods.rod[0], 1);
    const double turns[4] = {0.05, 0.3, 1.2, 0.2};
    // Inside p: nothing. 0.3: follows to 0.2. 1.2: would follow to 1.1, stops at 0.5. Back to 0.2:
    // 0.5 is pulled to 0.3.
    const double rests[4] = {0.0, 0.2, 0.5, 0.3};
    for (int k = 0; k < 4; ++k) {
        double phi = 2.0 * atan(0.5 * turns[k]); // |k| = 2 tan(phi/2)
        chain.x[2] = hed_vec3(1.0 + cos(phi), sin(phi), 0);
        hed_rods_prepare(&chain.rods, &chain.team, chain.x);
        hed_rods_yield(&chain.rods, &chain.team);
        hed_rods_commit(&chain.rods);
        double w0 = hypot(chain.rods.curve[0][i], chain.rods.curve[1][i]);
        double w1 = hypot(chain.rods.curve[2][i], chain.rods.curve[3][i]);
        cr_assert_float_eq(w0, rests[k], ROUNDING, "turn %g: %g", turns[k], w0);
        cr_assert_float_eq(w1, rests[k], ROUNDING);
    }
    chain_free(&chain);
}

Test(rod, mass_is_density_times_length) {
    HedVec3 x[40];
    wavy(x, 20, false, 1);
    wavy(x + 20, 20, true, 2);
    HedRodDef defs[2] = {def_of(0, 20, false), def_of(20, 20, true)};
    defs[0].density = defs[1].density = 2e-3;
    Chain chain;
    chain_create(&chain, defs, 2, x, 7);
    double mass[40] = {0}, total = 0.0, length = 0.0;
    hed_rods_add_mass(&chain.rods, mass);
    for (int k = 0; k < 40; ++k) {
        total += mass[k];
        length += k == 19 ? 0.0 : hed_distance3(x[k], x[k == 39 ? 20 : k + 1]);
    }
    cr_assert_float_eq(total, 2e-3 * length, 1e-3 * ROUNDING);
    cr_assert_float_eq(mass[0], 1e-3 * hed_distance3(x[0], x[1]), 1e-5 * ROUNDING);
    chain_free(&chain);
}

Test(rod, bad_input_is_named) {
    HedVec3 x[4] = {{0, 0, 0}, {1, 0, 0}, {1, 0, 0}, {2, 0, 0}};
    const int32_t first[2] = {0, 4};
    HedRanges ranges = {1, first};
    HedRods rods;
    HedError error;
    HedRodDef def = {.point_count = 4, .bend = {1, 1}, .twist = 1};
    cr_assert_eq(hed_rods_create(&rods, &def, 1, x, ranges, &error), HED_INVALID);
    cr_assert(strstr(error.message, "rod 0: segment 1"), "%s", error.message);
    def.point_count = 1;
    cr_assert_eq(hed_rods_create(&rods, &def, 1, x, ranges, &error), HED_INVALID);
    cr_assert(strstr(error.message, "at least 2 points, got 1"), "%s", error.message);
    def.point_count = 2;
    def.is_closed = true;
    cr_assert_eq(hed_rods_create(&rods, &def, 1, x, ranges, &error), HED_INVALID);
    def.is_closed = false;
    def.twist = -1.0;
    cr_assert_eq(hed_rods_create(&rods, &def, 1, x, ranges, &error), HED_INVALID);
    cr_assert(strstr(error.message, "twisting stiffness"), "%s", error.message);
    def.twist = 1.0;
    x[1].y = NAN;
    cr_assert_eq(hed_rods_create(&rods, &def, 1, x, ranges, &error), HED_INVALID);
    cr_assert(strstr(error.message, "point 1 must be finite"), "%s", error.message);
    x[1].y = 0.0;
    HedRodDef two[2] = {def, def};
    cr_assert_eq(hed_rods_create(&rods, two, 2, x, ranges, &error), HED_INVALID);
    cr_assert(strstr(error.message, "rod 1: must begin after"), "%s", error.message);
    cr_assert_eq(hed_rods_create(&rods, &def, 1, x, ranges, &error), HED_OK); // one segment
    hed_rods_free(&rods);
}

Test(rod, allocation_failures_leave_nothing) {
    HedVec3 x[12];
    wavy(x, 12, true, 2);
    const int32_t first[3] = {0, 5, 12};
    HedRodDef def = def_of(0, 12, true);
    int64_t live = hed_alloc_stats().live_count;
    for (int64_t n = 1; n < 40; ++n) {
        HedRods rods;
        HedRodCondense condense = {0};
        hed_alloc_fail_at(n);
        HedStatus status = hed_rods_create(&rods, &def, 1, x, (HedRanges){2, first}, NULL);
        if (status == HED_OK) {
            status = hed_rod_condense_create(&condense, &rods, NULL);
        }
        hed_alloc_fail_at(0);
        hed_rod_condense_free(&condense);
        hed_rods_free(&rods);
        cr_assert_eq(hed_alloc_stats().live_count, live);
        if (status == HED_OK) {
            cr_assert_gt(n, 10);
            return;
        }
        cr_assert_eq(status, HED_NO_MEMORY);
    }
    cr_assert_fail("never ran through");
}
