// SPDX-License-Identifier: MIT
// Inertia of sliding yarns against quadrature of the material's own motion and against Lagrange's
// equations by differences.
#include "base/random.h"
#include "math/eigen.h"
#include "model/eol/kernel_mass.h"

#include <criterion/criterion.h>
#include <string.h>

// Relative: some dozens of operations, each rounded by 1e-16.
static const double ROUNDING = 1e-14;

enum { TRIALS = 100 };

static const double DENSITY = 2.5e-5; // kg/m
static const double LENGTH = 1e-3;    // m

static double draw(uint64_t stream, uint64_t k) {
    return hed_random_uniform(20261117, stream, k) - 0.5;
}

typedef struct Piece {
    double q[8];
    double rate[8];
} Piece;

static Piece make_piece(uint64_t trial) {
    Piece p;
    for (uint64_t k = 0; k < 8; ++k) {
        p.q[k] = 2.0 * LENGTH * draw(trial, k);
        p.rate[k] = 2.0 * draw(trial, 20 + k);
    }
    p.q[7] = p.q[3] + LENGTH * (1.0 + draw(trial, 40));
    return p;
}

static Piece moved(const Piece* p, double time) {
    Piece next = *p;
    for (int k = 0; k < 8; ++k) {
        next.q[k] += time * p->rate[k];
    }
    return next;
}

// Where the material point u is.
static HedVec3 material(const Piece* p, double u) {
    double share = (u - p->q[3]) / (p->q[7] - p->q[3]);
    return hed_lerp3(hed_eol_point(p->q), hed_eol_point(p->q + 4), share);
}

static double quadratic(const double m[8][8], const double v[8]) {
    double sum = 0.0;
    for (int i = 0; i < 64; ++i) {
        sum += 0.5 * v[i / 8] * m[i / 8][i % 8] * v[i % 8];
    }
    return sum;
}

// Gauss's rule with two points is exact for the square of a linear velocity.
Test(eol_mass, kinetic_energy_is_that_of_the_material) {
    for (uint64_t trial = 0; trial < TRIALS; ++trial) {
        Piece p = make_piece(trial);
        double d = p.q[7] - p.q[3];
        double step = 1e-8;
        Piece after = moved(&p, step);
        Piece before = moved(&p, -step);
        double sum = 0.0;
        for (int k = 0; k < 2; ++k) {
            double u = p.q[3] + d * (0.5 + (k ? 0.5 : -0.5) / sqrt(3.0));
            HedVec3 v = hed_mul3(0.5 / step, hed_sub3(material(&after, u), material(&before, u)));
            sum += 0.25 * DENSITY * d * hed_dot3(v, v);
        }
        double m[8][8];
        hed_eol_mass(p.q, DENSITY, m);
        double energy = hed_eol_kinetic(p.q, p.rate, DENSITY);
        // A step of 1e-8 s moves by 1e-5 of the length: second order leaves 1e-10, rounding 1e-11.
        cr_assert_float_eq(energy, sum, 1e-8 * sum, "%g, not %g", energy, sum);
        cr_assert_float_eq(quadratic(m, p.rate), energy, 10.0 * ROUNDING * energy);
    }
}

Test(eol_mass, moving_along_the_yarn_costs_nothing) {
    for (uint64_t trial = 0; trial < TRIALS; ++trial) {
        Piece p = make_piece(trial);
        double m[8][8];
        hed_eol_mass(p.q, DENSITY, m);
        HedVec3 w =
            hed_mul3(1.0 / (p.q[7] - p.q[3]), hed_sub3(hed_eol_point(p.q + 4), hed_eol_point(p.q)));
        for (int node = 0; node < 2; ++node) {
            double v[8] = {0};
            hed_eol_put3(v + 4 * node, w);
            v[4 * node + 3] = 1.0;
            double scale = m[3][3] + m[0][0];
            cr_assert_leq(fabs(quadratic(m, v)), ROUNDING * scale);
            cr_assert_leq(hed_eol_kinetic_lumped(p.q, v, DENSITY), 1e-14 * scale);
        }
        double a[64], value[8], vector[64];
        memcpy(a, m, sizeof a);
        hed_eigen_symmetric(8, a, value, vector);
        cr_assert_leq(fabs(value[1]), ROUNDING * value[7]);
        cr_assert_gt(value[2], 1e-4 * value[7]); // rank 6
    }
}

Test(eol_mass, lumped) {
    for (uint64_t trial = 0; trial < TRIALS; ++trial) {
        Piece p = make_piece(trial);
        HedEolLump lump = hed_eol_lump(p.q, DENSITY);
        double sum = 0.0;
        for (int node = 0; node < 2; ++node) {
            HedVec3 v = hed_eol_point(p.rate + 4 * node);
            double ud = p.rate[4 * node + 3];
            sum += 0.5 * lump.mass * hed_dot3(v, v) + hed_dot3(lump.coupling, v) * ud +
                   0.5 * lump.along * ud * ud;
        }
        cr_assert_float_eq(sum, hed_eol_kinetic_lumped(p.q, p.rate, DENSITY), 1e-13 * sum);
        // A translation has the energy of the whole mass.
        double even[8] = {0.3, -0.4, 1.2, 0.0, 0.3, -0.4, 1.2, 0.0};
        double whole = 0.5 * DENSITY * (p.q[7] - p.q[3]) * 1.69;
        cr_assert_float_eq(hed_eol_kinetic_lumped(p.q, even, DENSITY), whole, 1e-13 * whole);
        cr_assert_float_eq(hed_eol_kinetic(p.q, even, DENSITY), whole, 1e-13 * whole);
    }
}

// The lumped matrix of a piece.
static void lumped(const double q[8], double m[8][8]) {
    HedEolLump lump = hed_eol_lump(q, DENSITY);
    memset(m, 0, sizeof(double[8][8]));
    for (int i = 0; i < 8; i += 4) {
        hed_eol_put(&m[0][0], 8, i, i, hed_mat3_diagonal(lump.mass, lump.mass, lump.mass));
        hed_eol_put_column(&m[0][0], 8, i, i + 3, lump.coupling);
        m[i + 3][i + 3] = lump.along;
    }
}

// c = Md qd - dT/dq by differences, of the matrix and the energy that steps are made with.
Test(eol_mass, convective_term) {
    for (uint64_t trial = 0; trial < TRIALS; ++trial) {
        Piece p = make_piece(trial);
        double time = 1e-7;
        Piece after = moved(&p, time);
        Piece before = moved(&p, -time);
        double late[8][8], early[8][8], c[8];
        lumped(after.q, late);
        lumped(before.q, early);
        hed_eol_convective(p.q, p.rate, DENSITY, c);
        double scale = 0.0;
        for (int i = 0; i < 8; ++i) {
            scale = fmax(scale, fabs(c[i]));
        }
        for (int i = 0; i < 8; ++i) {
            double want = 0.0;
            for (int j = 0; j < 8; ++j) {
                want += (late[i][j] - early[i][j]) / (2.0 * time) * p.rate[j];
            }
            double step = 1e-4 * LENGTH;
            Piece up = p, down = p;
            up.q[i] += step;
            down.q[i] -= step;
            want -= (hed_eol_kinetic_lumped(up.q, p.rate, DENSITY) -
                     hed_eol_kinetic_lumped(down.q, p.rate, DENSITY)) /
                    (2.0 * step);
            // Second order in 1e-4 of the length, times third derivatives of 1/D.
            cr_assert_float_eq(c[i], want, 1e-6 * scale, "entry %d: %g, not %g", i, c[i], want);
        }
    }
}

// A yarn that runs round a fixed corner at speed V takes rho V^2 (t1 - t0) to turn: the belt.
Test(eol_mass, belt) {
    double speed = 3.0;
    HedVec3 t[2] = {{1.0, 0.0, 0.0}, {0.6, 0.8, 0.0}};
    double in[8] = {-LENGTH * t[0].x, -LENGTH * t[0].y, 0, -LENGTH, 0, 0, 0, 0};
    double out[8] = {0, 0, 0, 0, LENGTH * t[1].x, LENGTH * t[1].y, 0, LENGTH};
    double rate[8] = {0, 0, 0, -speed, 0, 0, 0, -speed};
    double a[8], b[8];
    hed_eol_convective(in, rate, DENSITY, a);
    hed_eol_convective(out, rate, DENSITY, b);
    HedVec3 sum = hed_add3(hed_eol_point(a + 4), hed_eol_point(b));
    HedVec3 want = hed_mul3(DENSITY * speed * speed, hed_sub3(t[1], t[0]));
    cr_assert_leq(hed_distance3(sum, want), ROUNDING * hed_norm3(want));
    cr_assert_leq(fabs(a[7] + b[3]), 1e-14 * DENSITY * speed * speed); // steady flow: no pull along
}

Test(eol_mass, weight_along_is_free_of_the_origin) {
    HedEolWeight weight = {DENSITY, {0.0, -9.81, 1.0}};
    Piece p = make_piece(3);
    double next[8], g[8], h[8];
    memcpy(next, p.q + 4, 4 * sizeof(double));
    memcpy(next + 4, make_piece(4).q, 4 * sizeof(double));
    next[7] = next[3] + LENGTH;
    hed_eol_weight(p.q, weight, g, NULL, false);
    hed_eol_weight(next, weight, h, NULL, false);
    double along = hed_eol_weight_along(hed_eol_point(p.q), hed_eol_point(next + 4), weight);
    cr_assert_float_eq(along, g[7] + h[3], ROUNDING * fabs(g[7]));
}
