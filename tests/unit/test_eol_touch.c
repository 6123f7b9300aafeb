// SPDX-License-Identifier: MIT
// The contact of two yarns that cross: its point on a yarn, its energy against
// differences, invariances and closed forms.
#include "base/random.h"
#include "math/eigen.h"
#include "math/quat.h"
#include "model/eol/kernel_touch.h"

#include <criterion/criterion.h>
#include <float.h>
#include <string.h>

// Relative: some dozens of operations, each rounded by 1e-16.
static const double ROUNDING = 1e-14;

static const double LENGTH = 1e-3; // m, between nodes
static const double CORNER = 1e-4; // m
static const HedEolTouchLaw LAW = {0.5e-3, 0.125e-3, 20.0, 20.0, 1.0};

enum { N = HED_TOUCH_SIZE, TRIALS = 300 };

static double draw(uint64_t stream, uint64_t k) {
    return hed_random_uniform(20261119, stream, k) - 0.5;
}

// Both sides one after the other: x and place of -, 0, +, and the contact's own place.
typedef struct State {
    double q[N];
} State;

static HedEolTouch at(const State* s) {
    double q[2][HED_TOUCH_NODES];
    memcpy(q[0], s->q, sizeof q[0]);
    memcpy(q[1], s->q + HED_TOUCH_SIDE, sizeof q[1]);
    HedEolTouchPlace place = {{s->q[12], s->q[25]}, {CORNER, CORNER}};
    return hed_eol_touch(q, place, LAW);
}

static void gradient(const HedEolTouch* touch, double g[N]) {
    for (int k = 0; k < N; ++k) {
        g[k] = touch->force[0] * touch->g[0][k] + touch->force[1] * touch->g[1][k] +
               touch->force[2] * touch->g[2][k];
    }
}

// Two bent yarns that cross, their contact nearer than d by a share xi of the margin, somewhere on
// their pieces and corners.
static State random_state(uint64_t trial, double xi) {
    State s;
    for (int side = 0; side < 2; ++side) {
        double* q = s.q + (ptrdiff_t)HED_TOUCH_SIDE * side;
        HedVec3 along = side ? hed_vec3(0.3 * draw(trial, 90), 1.0, 0.0) : hed_vec3(1.0, 0.0, 0.0);
        double height = side ? 0.0 : LAW.distance - xi * LAW.margin;
        for (int k = 0; k < 3; ++k) {
            uint64_t d = (uint64_t)(20 * side + 5 * k);
            HedVec3 off = hed_vec3(draw(trial, d), draw(trial, d + 1), draw(trial, d + 2));
            HedVec3 x = hed_madd3(hed_mul3(LENGTH * (k - 1), along), 0.1 * LENGTH, off);
            x.z += height;
            hed_eol_put3(q + 4 * k, x);
            q[4 * k + 3] = LENGTH * (k + 0.3 * draw(trial, d + 3));
        }
        q[12] = q[7] + 0.6 * LENGTH * draw(trial, 50 + (uint64_t)side);
    }
    return s;
}

// Second derivatives jump where corners begin and end.
static bool is_smooth(const State* s, double margin) {
    for (int side = 0; side < 2; ++side) {
        double from = fabs(s->q[HED_TOUCH_SIDE * side + 12] - s->q[HED_TOUCH_SIDE * side + 7]);
        if (fabs(from - CORNER) < margin) {
            return false;
        }
    }
    return true;
}

static double extrapolate(double coarse, double fine) {
    return (4.0 * fine - coarse) / 3.0;
}

Test(eol_touch, gradient_is_that_of_the_energy) {
    double step = 2e-7; // m
    int count = 0;
    for (uint64_t trial = 0; trial < TRIALS; ++trial) {
        State s = random_state(trial, -0.3 + draw(trial, 60));
        HedEolTouch here = at(&s);
        double g[N];
        gradient(&here, g);
        if (!is_smooth(&s, 3.0 * step) || !(here.gap > -0.8 * LAW.margin)) {
            continue;
        }
        ++count;
        double scale = LAW.stiffness * LAW.margin;
        for (int c = 0; c < N; ++c) {
            double e[4];
            for (int k = 0; k < 4; ++k) {
                State moved = s;
                moved.q[c] += (k % 2 ? -1.0 : 1.0) * (k < 2 ? 1.0 : 0.5) * step;
                e[k] = at(&moved).energy;
            }
            double slope = extrapolate((e[0] - e[1]) / (2.0 * step), (e[2] - e[3]) / step);
            // The fourth order of a step of 2e-3 of the margin and of the corner, whose barrier and
            // rounding have derivatives of the order of their inverse.
            cr_assert_leq(fabs(slope - g[c]), 1e-6 * scale, "trial %d, %d: %g is not %g",
                          (int)trial, c, g[c], slope);
        }
    }
    cr_assert_gt(count, TRIALS / 2);
}

// The Hessian is that of the energy but for what is as large as the forces: along each direction
// the force changes with the state as weight g says.
Test(eol_touch, forces_change_as_the_hessian_says) {
    double step = 2e-7; // m
    int count = 0;
    for (uint64_t trial = 0; trial < TRIALS; ++trial) {
        State s = random_state(trial, -0.3 + draw(trial, 60));
        HedEolTouch here = at(&s);
        if (!is_smooth(&s, 3.0 * step) || !(here.gap > -0.8 * LAW.margin)) {
            continue;
        }
        ++count;
        for (int c = 0; c < N; ++c) {
            double f[4][3];
            for (int k = 0; k < 4; ++k) {
                State moved = s;
                moved.q[c] += (k % 2 ? -1.0 : 1.0) * (k < 2 ? 1.0 : 0.5) * step;
                memcpy(f[k], at(&moved).force, sizeof f[k]);
            }
            for (int j = 0; j < 3; ++j) {
                double rate =
                    extrapolate((f[0][j] - f[1][j]) / (2.0 * step), (f[2][j] - f[3][j]) / step);
                // As above; Phi'' is up to 200 where xi is 0.8.
                cr_assert_leq(fabs(rate - here.weight[j] * here.g[j][c]), 1e-4 * LAW.stiffness,
                              "trial %d, %d along %d: %g is not %g", (int)trial, c, j,
                              here.weight[j] * here.g[j][c], rate);
            }
        }
    }
    cr_assert_gt(count, TRIALS / 2);
}

// However large the load, and however small the angle, it does not push u and v along straight
// yarns.
Test(eol_touch, a_load_does_not_push_the_contact_along) {
    for (int k = 1; k <= 15; ++k) {
        double angle = 0.1 * k;
        State s;
        memset(&s, 0, sizeof s);
        for (int side = 0; side < 2; ++side) {
            double* q = s.q + (ptrdiff_t)HED_TOUCH_SIDE * side;
            for (int n = 0; n < 3; ++n) {
                double along = LENGTH * (n - 1);
                q[4 * n] = along * (side ? cos(angle) : 1.0);
                q[4 * n + 1] = along * (side ? sin(angle) : 0.0);
                q[4 * n + 2] = side ? 0.0 : LAW.distance - 0.9 * LAW.margin;
                q[4 * n + 3] = LENGTH * n;
            }
            q[12] = q[7] + 0.1 * LENGTH * (side ? 1.0 : -2.0); // astray
        }
        HedEolTouch here = at(&s);
        // Phi' is 81 at 0.9.
        cr_assert_float_eq(here.normal, 81.0 * LAW.stiffness * LAW.margin, 1e-11 * here.normal);
        cr_assert_leq(fabs(here.g[0][12]), ROUNDING);
        cr_assert_leq(fabs(here.g[0][N - 1]), ROUNDING);
    }
}

// Where the contact is at rest along both yarns and straight pieces meet at right angles, what the
// positive Hessian leaves out vanishes along u and v, and along the normal.
Test(eol_touch, hessian_is_that_of_straight_yarns_along_the_normal) {
    State s;
    memset(&s, 0, sizeof s);
    for (int side = 0; side < 2; ++side) {
        double* q = s.q + (ptrdiff_t)HED_TOUCH_SIDE * side;
        for (int k = 0; k < 3; ++k) {
            q[4 * k + side] = LENGTH * (k - 1);
            q[4 * k + 2] = side ? 0.0 : LAW.distance - 0.5 * LAW.margin;
            q[4 * k + 3] = LENGTH * k;
        }
        q[12] = q[7];
    }
    HedEolTouch here = at(&s);
    double step = 1e-9; // m
    State moved = s;
    moved.q[6] += step; // the middle of the upper yarn, up
    double g0[N], g1[N];
    gradient(&here, g0);
    HedEolTouch there = at(&moved);
    gradient(&there, g1);
    double h = here.weight[0] * here.g[0][6] * here.g[0][6];
    // First order in a step of 1e-5 of the margin, in which the stiffness doubles.
    cr_assert_float_eq((g1[6] - g0[6]) / step, h, 1e-4 * h);
    // Phi'' at 1/2 is 8.
    cr_assert_float_eq(here.weight[0], 8.0 * LAW.stiffness, ROUNDING * here.weight[0]);
    cr_assert_float_eq(here.normal, LAW.stiffness * LAW.margin, ROUNDING);
}

Test(eol_touch, rigid_motions_and_other_origins_change_nothing) {
    for (uint64_t trial = 0; trial < TRIALS; ++trial) {
        State s = random_state(trial, 0.5 * draw(trial, 61));
        HedEolTouch here = at(&s);
        HedQuat turn = hed_quat_from_vector(
            hed_mul3(6.0, hed_vec3(draw(trial, 70), draw(trial, 71), draw(trial, 72))));
        HedVec3 shift = hed_vec3(draw(trial, 74), draw(trial, 75), draw(trial, 76));
        State moved = s;
        for (int side = 0; side < 2; ++side) {
            double* q = moved.q + (ptrdiff_t)HED_TOUCH_SIDE * side;
            for (int k = 0; k < 3; ++k) {
                HedVec3 x = hed_add3(hed_quat_rotate(turn, hed_eol_point(q + 4 * k)), shift);
                hed_eol_put3(q + 4 * k, x);
                q[4 * k + 3] += 0.25;
            }
            q[12] += 0.25;
        }
        // Places of 0.25 m and shifts of 0.5 m are rounded by 6e-17 m, a gap of 1e-4 m by 1e-12 of
        // it, and the energy grows with its third power.
        double scale = LAW.stiffness * LAW.margin * LAW.margin;
        // As just said.
        cr_assert_float_eq(at(&moved).energy, here.energy, 1e-11 * fmax(scale, here.energy));
    }
}

Test(eol_touch, forces_and_moments_balance) {
    for (uint64_t trial = 0; trial < TRIALS; ++trial) {
        State s = random_state(trial, 0.5 * draw(trial, 62));
        HedEolTouch here = at(&s);
        double g[N];
        gradient(&here, g);
        HedVec3 sum = {0}, moment = {0};
        double size = 0.0;
        double along[2] = {0.0, 0.0};
        for (int side = 0; side < 2; ++side) {
            const double* of = g + (ptrdiff_t)HED_TOUCH_SIDE * side;
            const double* q = s.q + (ptrdiff_t)HED_TOUCH_SIDE * side;
            for (int k = 0; k < 3; ++k) {
                HedVec3 f = hed_eol_point(of + 4 * k);
                sum = hed_add3(sum, f);
                moment = hed_add3(moment, hed_cross3(hed_eol_point(q + 4 * k), f));
                size = fmax(size, hed_norm3(f));
                along[side] += of[4 * k + 3];
            }
            along[side] += of[12];
            // The origin of places along a yarn is free.
            cr_assert_leq(fabs(along[side]), 100.0 * ROUNDING * (size + LAW.stiffness * LENGTH));
        }
        cr_assert_leq(hed_norm3(sum), ROUNDING * (size + LAW.stiffness * LAW.margin));
        cr_assert_leq(hed_norm3(moment),
                      10.0 * ROUNDING * LENGTH * (size + LAW.stiffness * LENGTH));
    }
}

// Sliding onto and off a corner, in its middle and at its ends: energy and gradient have no jump.
Test(eol_touch, corners_are_passed_without_a_jump) {
    for (uint64_t trial = 0; trial < 50; ++trial) {
        State s = random_state(trial, 0.3);
        double least = 1e-12; // m
        for (int end = -1; end <= 1; ++end) {
            State in = s, out = s;
            in.q[12] = s.q[7] + end * CORNER - least;
            out.q[12] = s.q[7] + end * CORNER + least;
            HedEolTouch a = at(&in), b = at(&out);
            if (!(a.gap > -0.8 * LAW.margin)) {
                continue;
            }
            double ga[N], gb[N];
            gradient(&a, ga);
            gradient(&b, gb);
            for (int k = 0; k < N; ++k) {
                // Stiffnesses, at most 1e3 k of the barrier, times the step of 2e-12 m.
                cr_assert_leq(fabs(ga[k] - gb[k]), 2e3 * LAW.stiffness * 2.0 * least + 1e-12);
            }
        }
    }
}

// In the middle of a piece, whichever of its two nodes counts as the nearest, the point is the
// same.
Test(eol_touch, both_nodes_of_a_piece_give_one_point) {
    double x[4][3], place[4];
    for (int k = 0; k < 4; ++k) {
        for (int c = 0; c < 3; ++c) {
            x[k][c] = LENGTH * (draw(7, (uint64_t)(4 * k + c)) + (c == 0 ? k : 0));
        }
        place[k] = LENGTH * k;
    }
    double q[2][HED_TOUCH_NODES];
    for (int k = 0; k < 3; ++k) {
        for (int n = 0; n < 2; ++n) {
            memcpy(q[n] + 4 * k, x[k + n], sizeof x[0]);
            q[n][4 * k + 3] = place[k + n];
        }
    }
    double u = 1.5 * LENGTH;
    HedEolTouchPoint a = hed_eol_touch_point(q[0], u, CORNER);
    HedEolTouchPoint b = hed_eol_touch_point(q[1], u, CORNER);
    cr_assert_leq(hed_distance3(a.y, b.y), ROUNDING * LENGTH);
    cr_assert_leq(hed_distance3(a.a, b.a), ROUNDING);
}

Test(eol_touch, barrier_is_smooth_where_its_series_ends) {
    double below = hed_eol_barrier(1e-2 * (1.0 - 1e-14)).value;
    double above = hed_eol_barrier(1e-2).value;
    // Of the closed form: terms of 2e-2 rounded by 1e-16, against a value of 3e-7.
    cr_assert_float_eq(below, above, 1e-10 * above);
    cr_assert_eq(hed_eol_barrier(0.0).value, 0.0);
    cr_assert_eq(hed_eol_barrier(-1.0).first, 0.0);
    cr_assert(isinf(hed_eol_barrier(1.0).value));
    // Phi' by differences.
    double h = 1e-5;
    for (double xi = 0.05; xi < 0.9; xi += 0.05) {
        HedEolBarrier p = hed_eol_barrier(xi + h), m = hed_eol_barrier(xi - h);
        HedEolBarrier b = hed_eol_barrier(xi);
        // h^2/6 of the third derivative of Phi, at most 600 times Phi' here.
        cr_assert_float_eq((p.value - m.value) / (2.0 * h), b.first, 2e-7 * (b.first + 1e-3));
        // And of Phi'': at most 6000 times it.
        cr_assert_float_eq((p.first - m.first) / (2.0 * h), b.second, 2e-6 * b.second + 1e-9);
    }
}
