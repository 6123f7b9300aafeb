// SPDX-License-Identifier: MIT
// Coulomb's law by itself: its limit in all directions, over histories, its bound from above, on an
// incline, around a post, and as an impulse. Derivatives: test_kernels.
#include "base/random.h"
#include "contact/kernel_friction.h"

#include <criterion/criterion.h>
#include <math.h>

// Relative: some dozens of operations, each rounded by 1e-16.
static const double ROUNDING = 1e-14;

static double draw(uint64_t stream, uint64_t k) {
    return hed_random_uniform(20261118, stream, k) - 0.5;
}

static HedVec3 draw3(uint64_t stream, uint64_t k, double size) {
    return hed_vec3(2.0 * size * draw(stream, 3 * k), 2.0 * size * draw(stream, 3 * k + 1),
                    2.0 * size * draw(stream, 3 * k + 2));
}

// What friction exerts is within a circle of the limit, against the slip.
Test(friction, limit_is_a_circle) {
    for (uint64_t k = 0; k < 200; ++k) {
        HedVec3 normal = hed_unit3(draw3(k, 0, 1.0), hed_vec3(0.0, 1.0, 0.0));
        HedFriction law = {0.7, 0.01};
        HedVec3 w = draw3(k, 1, 0.03);
        HedFrictionPlane f = hed_friction_plane(w, normal, law, 0.0);
        HedVec3 slip = hed_friction_slip(w, normal);
        double size = hed_norm3(slip);
        double expected = law.limit * fmin(1.0, size / law.give);
        cr_assert_float_eq(hed_norm3(f.gradient), expected, ROUNDING * law.limit);
        cr_assert_float_eq(hed_dot3(f.gradient, slip), expected * size, ROUNDING * law.limit);
        cr_assert_float_eq(hed_dot3(f.gradient, normal), 0.0, ROUNDING * law.limit);
    }
}

// Two coordinates along a and b are the law in the plane of both: V by s = a u - b v, and work on u
// and v that of the force on s.
Test(friction, two_coordinates_are_a_plane) {
    for (uint64_t k = 0; k < 200; ++k) {
        HedVec3 a = draw3(k, 0, 1.0), b = draw3(k, 1, 1.0);
        HedSlipMetric metric = {hed_dot3(a, a), -hed_dot3(a, b), hed_dot3(b, b)};
        HedFriction law = {0.2 + draw(k, 20), 0.5};
        double slip[2] = {2.0 * draw(k, 21), 2.0 * draw(k, 22)};
        HedVec3 s = hed_madd3(hed_mul3(slip[0], a), -slip[1], b);
        law.limit = fabs(law.limit);
        double bound = draw(k, 23) + 0.5;
        HedVec3 normal = hed_unit3(hed_cross3(a, b), hed_vec3(0.0, 1.0, 0.0));
        HedFrictionPlane plane = hed_friction_plane(s, normal, law, bound);
        HedFrictionPair pair = hed_friction_pair(metric, slip, law);
        HedSlipMetric h = hed_friction_pair_hessian(metric, pair, bound);
        double q = law.limit / law.give;
        cr_assert_float_eq(hed_slip_size(metric, slip), hed_norm3(s), ROUNDING);
        cr_assert_float_eq(pair.energy, plane.energy, ROUNDING);
        cr_assert_float_eq(pair.gradient[0], hed_dot3(plane.gradient, a), ROUNDING);
        cr_assert_float_eq(pair.gradient[1], -hed_dot3(plane.gradient, b), ROUNDING);
        HedVec3 of_a = hed_mat3_apply(plane.hessian, a), of_b = hed_mat3_apply(plane.hessian, b);
        // Slips that are nearly along a line are small differences.
        double slack = 100.0 * ROUNDING * q;
        cr_assert_float_eq(h.uu, hed_dot3(a, of_a), slack);
        cr_assert_float_eq(h.uv, -hed_dot3(a, of_b), slack);
        cr_assert_float_eq(h.vv, hed_dot3(b, of_b), slack);
    }
}

static double model(HedFrictionPlane at, HedVec3 d) {
    return at.energy + hed_dot3(at.gradient, d) + 0.5 * hed_dot3(d, hed_mat3_apply(at.hessian, d));
}

// V at any w + d is below its quadratic model with the bound, and not below the exact one.
Test(friction, is_bounded_from_above) {
    int above_exact = 0;
    for (uint64_t k = 0; k < 2000; ++k) {
        HedVec3 normal = hed_unit3(draw3(k, 0, 1.0), hed_vec3(0.0, 1.0, 0.0));
        HedFriction law = {0.7, 1e-2};
        HedVec3 w = draw3(k, 1, 0.05);
        HedVec3 d = draw3(k, 2, 0.1);
        double there = hed_friction_plane(hed_add3(w, d), normal, law, 0.0).energy;
        double bound = model(hed_friction_plane(w, normal, law, 1.0), d);
        // Some ten roundings of energies of the size of 0.1.
        cr_assert_leq(there, bound + 3e-16, "%d", (int)k);
        above_exact += there > model(hed_friction_plane(w, normal, law, 0.0), d) + 1e-15;
    }
    cr_assert_gt(above_exact, 100, "without it there is no bound");
}

// Begins, slides on, slides on, turns, slides on, slides on.
Test(friction, bound_fades_while_slip_goes_on) {
    const double cosine[] = {0.0, 0.99, 0.81, 0.79, 1.0, 0.9};
    const double expected[] = {1.0, 0.1, 0.01, 1.0, 0.1, 0.01};
    double bound = 0.0;
    for (int k = 0; k < 6; ++k) {
        bound = hed_friction_bound(cosine[k], bound, 1.0);
        // Tenths of tenths are rounded.
        cr_expect_float_eq(bound, expected[k], 2e-17, "%d: %g", k, bound);
    }
}

// Work put in, less what the spring stores, is never negative: also while the limit changes, in
// any direction. It is at least the heat that the anchor's way accounts for.
Test(friction, never_gives_energy) {
    const HedSlipMetric metric = {1.0, 0.3, 1.2};
    for (uint64_t history = 0; history < 50; ++history) {
        double anchor[2] = {0.0}, last[2] = {0.0};
        double stored = 0.0;
        double total = 0.0;
        for (uint64_t step = 0; step < 400; ++step) {
            const double stiffness = 100.0;
            double limit = 1e-4 * (1.0 + 2.0 * draw(history, 1000 + step));
            HedFriction f = {limit, limit / stiffness};
            double to[2] = {last[0] + 4e-6 * draw(history, 2 * step),
                            last[1] + 4e-6 * draw(history, 5000 + 2 * step)};
            double slip[2] = {to[0] - anchor[0], to[1] - anchor[1]};
            HedFrictionPair pull = hed_friction_pair(metric, slip, f);
            double size = hed_slip_size(metric, slip);
            double share = hed_friction_follow(size, f);
            double heat = f.limit * share * size;
            double left = (1.0 - share) * size;
            double spring = 0.5 * stiffness * left * left;
            double work =
                pull.gradient[0] * (to[0] - last[0]) + pull.gradient[1] * (to[1] - last[1]);
            double lost = work - (spring - stored);
            cr_assert_geq(heat, 0.0);
            // Of works of limits times ways of some micrometres.
            cr_assert_geq(lost, heat - 4e-6 * f.limit * ROUNDING, "lost %g, heat %g", lost, heat);
            // The spring pulls with what the limit allows, no more.
            cr_assert_leq(stiffness * left, f.limit * (1.0 + 100.0 * ROUNDING));
            for (int s = 0; s < 2; ++s) {
                anchor[s] += share * slip[s];
                last[s] = to[s];
            }
            stored = spring;
            total += heat;
        }
        cr_assert_gt(total, 0.0);
    }
}

// A block of 1 kg on a slope, its motion across the normal in any direction: backward Euler with
// the potential, by Newton's method with the bound. Returns its acceleration along the slope,
// m/s^2.
static double slides_down(double angle, double mu, double direction) {
    enum { STEPS = 200 };
    const double g = 9.81, h = 1e-3;
    const HedVec3 normal = {0.0, 0.0, 1.0};
    const HedVec3 pull = {g * sin(angle) * cos(direction), g * sin(angle) * sin(direction), 0.0};
    HedFriction law = {mu * g * cos(angle), 1e-7};
    HedVec3 x = {0}, v = {0}, anchor = {0};
    double half = 0.0;
    for (int step = 0; step < STEPS; ++step) {
        HedVec3 guess = hed_madd3(x, h, v);
        HedVec3 to = x;
        for (int k = 0; k < 100; ++k) {
            HedFrictionPlane f = hed_friction_plane(hed_sub3(to, anchor), normal, law, 1.0);
            HedVec3 r = hed_madd3(hed_sub3(pull, f.gradient), 1.0 / (h * h), hed_sub3(guess, to));
            HedMat3 a = hed_mat3_add(
                f.hessian, hed_mat3_diagonal(1.0 / (h * h), 1.0 / (h * h), 1.0 / (h * h)));
            bool ok = true;
            to = hed_add3(to, hed_mat3_apply(hed_mat3_inverse_spd(a, &ok), r));
            cr_assert(ok);
        }
        HedVec3 slip = hed_sub3(to, anchor);
        anchor = hed_madd3(anchor, hed_friction_follow(hed_norm3(slip), law), slip);
        v = hed_mul3(1.0 / h, hed_sub3(to, x));
        x = to;
        half = step == STEPS / 2 - 1 ? hed_norm3(v) : half;
    }
    return (hed_norm3(v) - half) / (h * STEPS / 2);
}

// It stays below atan(mu), and gains g (sin - mu cos) above, whatever the direction.
Test(friction, incline) {
    const double degree = acos(-1.0) / 180.0;
    for (int k = 0; k < 8; ++k) {
        double direction = 13.0 * k * degree;
        double still = slides_down(44.0 * degree, 1.0, direction);
        // Springs swing by speeds of sqrt(g d), 1e-3 m/s; backward Euler damps that in a few steps.
        cr_assert_lt(fabs(still), 1e-6, "%g", still);
        const double angles[] = {46.0, 50.0, 60.0};
        for (int i = 0; i < 3; ++i) {
            double angle = angles[i] * degree;
            double expected = 9.81 * (sin(angle) - cos(angle));
            double got = slides_down(angle, 1.0, direction);
            // Newton's method with the bound alone comes linearly: a millionth is left.
            cr_assert_float_eq(got, expected, 1e-6 * 9.81, "%g, not %g", got, expected);
        }
    }
}

// A yarn slides around a post: contacts at equal turns, each pressed by T 2 tan(turn/2), T the mean
// of the tensions beside it. Their limits add up to Euler's and Eytelwein's exp(mu angle).
Test(friction, capstan) {
    enum { CONTACTS = 400 };
    const double mu = 0.4, angle = 3.0;
    double turn = angle / CONTACTS;
    double tension = 1.0;
    for (int k = 0; k < CONTACTS; ++k) {
        // T+ - T- = force of (T+ + T-)/2: fixed point.
        double next = tension;
        for (int i = 0; i < 50; ++i) {
            HedFriction law = {mu * (tension + next) * tan(0.5 * turn), 1e-6};
            next = tension + hed_friction_eval(1e-3, law).stiffness * 1e-3;
        }
        tension = next;
    }
    double expected = exp(mu * angle);
    // A chain of corners: mu 2 tan(turn/2) in place of mu turn, off by turn^2/12.
    cr_assert_float_eq(tension, expected, turn * turn * expected, "%g, not %g", tension, expected);
}

// No impulse beyond the coefficient times the push; none that turns a slip round.
Test(friction, impulse) {
    for (uint64_t k = 0; k < 200; ++k) {
        HedFrictionImpulse at = {0.5, 1.0 + draw(k, 0), 2.0 + draw(k, 1)};
        HedVec3 slip = draw3(k, 1, 2.0), given = draw3(k, 2, 0.2);
        HedVec3 impulse = hed_friction_impulse(at, slip, given);
        HedVec3 after = hed_madd3(slip, at.mobility, hed_sub3(impulse, given));
        double most = at.coefficient * at.push;
        cr_assert_leq(hed_norm3(impulse), most * (1.0 + ROUNDING));
        bool stops = hed_norm3(hed_madd3(given, -1.0 / at.mobility, slip)) <= most;
        // Rounding of slips of about 1.
        cr_assert_eq(stops, hed_norm3(after) < 10.0 * ROUNDING);
    }
    HedFrictionImpulse none = {0.5, 0.0, 1.0};
    cr_assert_eq(hed_norm3(hed_friction_impulse(none, hed_vec3(1.0, 0.0, 0.0), (HedVec3){0})), 0.0);
}

Test(friction, no_limit_no_friction) {
    HedFriction law = {0.0, 1e-6};
    for (int k = 0; k < 3; ++k) {
        HedFrictionOut f = hed_friction_eval(1e-6 * k, law);
        cr_assert_eq(f.energy, 0.0);
        cr_assert_eq(f.stiffness, 0.0);
    }
    cr_assert_eq(hed_friction_follow(1e-9, law), 1.0, "the anchor comes along");
    cr_assert_eq(hed_friction_follow(0.0, law), 0.0);
}
