// SPDX-License-Identifier: MIT
// Dissipation of sliding yarns: rows are gradients of strains, rigid motion is not damped, modes do
// not disturb each other, and a straight yarn that is hit sideways is damped.
#include "base/random.h"
#include "model/eol/kernel_rate.h"

#include <criterion/criterion.h>
#include <string.h>

// Relative: some hundred operations, each rounded by 1e-16.
static const double ROUNDING = 1e-13;
// Relative, of the square of a rate that is rounding, 1e-14.
static const double SQUARED = 1e-28;

enum { TRIALS = 100, MOST = 15 };

static const double LENGTH = 1e-3; // m

static double draw(uint64_t stream, uint64_t k) {
    return hed_random_uniform(20261119, stream, k) - 0.5;
}

// A mode: its strain in plain formulas, its rows, and how many numbers a node has.
typedef struct Mode {
    const char* name;
    int size, stride, rows;
    double (*strain)(const double* q);
    double (*make_rows)(const double* q, double* rows);
} Mode;

static HedVec3 at(const double* q, int k) {
    return hed_eol_point(q + k);
}

static double stretch_strain(const double* q) {
    return hed_distance3(at(q, 0), at(q, 4)) / (q[7] - q[3]) - 1.0;
}

static double stretch_rows(const double* q, double* rows) {
    return hed_eol_stretch_rate(q, rows);
}

static double angle(HedVec3 a, HedVec3 b) {
    return acos(hed_dot3(a, b) / (hed_norm3(a) * hed_norm3(b)));
}

static double bend_strain(const double* q) {
    return angle(hed_sub3(at(q, 4), at(q, 0)), hed_sub3(at(q, 8), at(q, 4))) / (q[11] - q[3]);
}

static double bend_rows(const double* q, double* rows) {
    return hed_eol_bend_rate(q, (double(*)[12])rows);
}

static double shear_strain(const double* q) {
    return angle(hed_sub3(at(q, 0), at(q, 3)), hed_sub3(at(q, 6), at(q, 3)));
}

static double shear_rows(const double* q, double* rows) {
    hed_eol_shear_rate(q, rows);
    return 1.0;
}

static double torsion_strain(const double* q) {
    HedVec3 a = hed_sub3(at(q, 3), at(q, 0));
    HedVec3 b = hed_sub3(at(q, 6), at(q, 3));
    HedVec3 c = hed_sub3(at(q, 9), at(q, 6));
    return -hed_dot3(a, hed_cross3(b, c)) / (hed_norm3(a) * hed_norm3(b) * hed_norm3(c));
}

static double torsion_rows(const double* q, double* rows) {
    hed_eol_torsion_rate(q, rows);
    return 1.0;
}

static HedVec3 unit(const double* q, int from, int to) {
    return hed_unit3(hed_sub3(at(q, 3 * to), at(q, 3 * from)), (HedVec3){0});
}

static double hinge_strain(const double* q) {
    HedVec3 a = unit(q, 1, 0), b = unit(q, 0, 2);
    HedVec3 n = hed_cross3(hed_add3(a, b), hed_add3(unit(q, 3, 0), unit(q, 0, 4)));
    return hed_dot3(hed_sub3(b, a), n) / hed_norm3(n);
}

static double hinge_rows(const double* q, double* rows) {
    hed_eol_hinge_rate(q, rows);
    return 1.0;
}

static const Mode MODES[] = {
    {"stretch", 8, 4, 1, stretch_strain, stretch_rows},
    {"bend", 12, 4, 2, bend_strain, bend_rows},
    {"shear", 9, 3, 1, shear_strain, shear_rows},
    {"torsion", 12, 3, 1, torsion_strain, torsion_rows},
    {"hinge", 15, 3, 1, hinge_strain, hinge_rows},
};

enum { MODE_COUNT = sizeof MODES / sizeof MODES[0] };

static void make_state(const Mode* mode, uint64_t trial, double* q) {
    for (int k = 0; k < mode->size; ++k) {
        int node = k / mode->stride;
        bool along = k % mode->stride == 3;
        q[k] = LENGTH * (along ? node + 0.5 * draw(trial, (uint64_t)k)
                               : 2.0 * draw(trial, (uint64_t)k) + (k % mode->stride == node % 3));
    }
}

Test(eol_rate, rows_are_gradients_of_strains) {
    for (int m = 0; m < MODE_COUNT; ++m) {
        for (uint64_t trial = 0; trial < TRIALS; ++trial) {
            double q[MOST], rows[2 * MOST];
            make_state(&MODES[m], trial, q);
            MODES[m].make_rows(q, rows);
            double scale = 0.0;
            for (int k = 0; k < MODES[m].size; ++k) {
                scale = fmax(scale, fabs(rows[k]));
            }
            for (int k = 0; k < MODES[m].size; ++k) {
                double step = 1e-5 * LENGTH;
                double up[MOST], down[MOST];
                memcpy(up, q, sizeof q);
                memcpy(down, q, sizeof q);
                up[k] += step;
                down[k] -= step;
                double slope = (MODES[m].strain(up) - MODES[m].strain(down)) / (2.0 * step);
                // Second order in 1e-5 of the length, larger where edges are short.
                cr_assert_float_eq(rows[k], slope, 1e-5 * scale, "%s, entry %d: %g, not %g",
                                   MODES[m].name, k, rows[k], slope);
            }
        }
    }
}

// Phi of all rows of a mode; *size is what it would be without cancellation.
static double dissipation(const Mode* mode, const double* q, const double* rate, double* size) {
    double rows[2 * MOST];
    double weight = mode->make_rows(q, rows);
    double sum = 0.0;
    *size = 0.0;
    for (int r = 0; r < mode->rows; ++r) {
        sum += hed_eol_drag(mode->size, rows + r * mode->size, rate, weight, NULL);
        double all = 0.0;
        for (int k = 0; k < mode->size; ++k) {
            all += fabs(rows[r * mode->size + k] * rate[k]);
        }
        *size += 0.5 * weight * all * all;
    }
    return sum;
}

Test(eol_rate, rigid_motion_is_not_damped) {
    for (int m = 0; m < MODE_COUNT; ++m) {
        for (uint64_t trial = 0; trial < TRIALS; ++trial) {
            double q[MOST], rate[MOST] = {0};
            make_state(&MODES[m], trial, q);
            HedVec3 spin = {draw(trial, 90), draw(trial, 91), draw(trial, 92)};
            HedVec3 shift = {1e-3 * draw(trial, 93), 1e-3 * draw(trial, 94), 0.0};
            for (int k = 0; k < MODES[m].size; k += MODES[m].stride) {
                hed_eol_put3(rate + k, hed_add3(shift, hed_cross3(spin, at(q, k))));
            }
            bool blends = m == 1 && bend_strain(q) * (q[11] - q[3]) < HED_EOL_BLEND;
            double size;
            double phi = dissipation(&MODES[m], q, rate, &size);
            // The square of rates that are rounded by 1e-16 a hundred times over.
            cr_assert(blends || phi <= 1e-28 * size + 1e-300, "%s: %g of %g", MODES[m].name, phi,
                      size);
        }
    }
}

// Within the blend, of all rigid motions only a turn about the yarn's own direction is damped, and
// no more than by s times its rate.
Test(eol_rate, blend) {
    double q[12] = {0, 0, 0, 0, LENGTH, 0, 0, LENGTH, 0, 0, 0, 2 * LENGTH};
    for (int k = 0; k <= 20; ++k) {
        double theta = 0.01 * k;
        hed_eol_put3(q + 8, hed_vec3(LENGTH * (1.0 + cos(theta)), LENGTH * sin(theta), 0.0));
        HedVec3 chord = hed_unit3(at(q, 8), (HedVec3){0});
        const HedVec3 axes[3] = {chord, hed_cross3(hed_vec3(0, 0, 1), chord), {0.0, 0.0, 1.0}};
        double rows[2][12];
        hed_eol_bend_rate(q, rows);
        for (int axis = 0; axis < 3; ++axis) {
            double rate[12] = {0};
            for (int node = 0; node < 3; ++node) {
                hed_eol_put3(rate + 4 * node, hed_cross3(axes[axis], at(q, 4 * node)));
            }
            double turn[2] = {0};
            for (int i = 0; i < 12; ++i) {
                turn[0] += rows[0][i] * rate[i];
                turn[1] += rows[1][i] * rate[i];
            }
            double x = fmax(0.0, 1.0 - theta * theta / (0.17 * 0.17));
            double most = axis == 0 ? x * x * 2.0 * sin(0.5 * theta) / (2.0 * LENGTH) : 0.0;
            // Some ten roundings of numbers of 1/L = 1e3.
            cr_assert_leq(fabs(turn[0]), 1e-12);
            // The same.
            cr_assert_float_eq(fabs(turn[1]), most, 1e-12, "angle %g, axis %d: %g, not %g", theta,
                               axis, turn[1], most);
        }
    }
}

// A straight yarn hit sideways: the same finite drag whichever way across, against the motion.
Test(eol_rate, straight_yarn_hit_sideways) {
    HedVec3 axis = {0.36, 0.48, 0.8};
    double q[12];
    for (int node = 0; node < 3; ++node) {
        hed_eol_put3(q + 4 * node, hed_mul3(LENGTH * node, axis));
        q[4 * node + 3] = LENGTH * node;
    }
    // Strains from their definition: the turn is 2 v/L, over D = 2 L.
    double speed = 0.7;
    double want = 0.5 * 2.0 * LENGTH * pow(2.0 * speed / LENGTH / (2.0 * LENGTH), 2.0);
    HedVec3 first = hed_perpendicular3(axis);
    HedVec3 second = hed_cross3(axis, first);
    for (int k = 0; k < 16; ++k) {
        HedVec3 way = hed_add3(hed_mul3(cos(0.4 * k), first), hed_mul3(sin(0.4 * k), second));
        double rate[12] = {0}, rows[2][12], g[2][12];
        hed_eol_put3(rate + 4, hed_mul3(speed, way));
        double weight = hed_eol_bend_rate(q, rows);
        double phi = 0.0;
        for (int r = 0; r < 2; ++r) {
            phi += hed_eol_drag(12, rows[r], rate, weight, g[r]);
        }
        cr_assert_float_eq(phi, want, ROUNDING * want, "way %d: %g, not %g", k, phi, want);
        HedVec3 drag = hed_add3(at(g[0], 4), at(g[1], 4));
        HedVec3 along = hed_mul3(2.0 * want / speed, way); // Phi is quadratic: force.v = 2 Phi
        cr_assert_leq(hed_distance3(drag, along), ROUNDING * hed_norm3(along));
    }
}

// Pulling the ends apart along their pieces is not bending; turning a piece about its node is not
// stretching; sliding a straight yarn's material changes no angle.
Test(eol_rate, modes_are_independent) {
    for (uint64_t trial = 0; trial < TRIALS; ++trial) {
        double q[MOST] = {0}, rate[MOST] = {0}, size;
        make_state(&MODES[1], trial, q);
        HedVec3 a = hed_sub3(at(q, 4), at(q, 0));
        HedVec3 b = hed_sub3(at(q, 8), at(q, 4));
        hed_eol_put3(rate, hed_mul3(-3.0, a));
        hed_eol_put3(rate + 8, hed_mul3(5.0, b));
        double phi = dissipation(&MODES[1], q, rate, &size);
        cr_assert_leq(phi, SQUARED * size, "stretching is bending: %g of %g", phi, size);
        HedVec3 spin = {draw(trial, 90), draw(trial, 91), draw(trial, 92)};
        double turn[MOST] = {0};
        hed_eol_put3(turn + 4, hed_cross3(spin, a));
        phi = dissipation(&MODES[0], q, turn, &size);
        cr_assert_leq(phi, SQUARED * size, "bending is stretching: %g of %g", phi, size);
    }
    double line[12] = {0, 0, 0, 0, LENGTH, 0, 0, LENGTH, 2 * LENGTH, 0, 0, 2 * LENGTH};
    double eol[12] = {0, 0, 0, -1.0, 0, 0, 0, 0, 0, 0, 0, 1.0}, size;
    cr_assert_eq(dissipation(&MODES[1], line, eol, &size), 0.0);
}

// A node that moves along its straight yarn with matching material deforms nothing.
Test(eol_rate, resampling_is_not_damped) {
    for (uint64_t trial = 0; trial < TRIALS; ++trial) {
        double q[MOST] = {0}, rate[MOST] = {0}, size;
        make_state(&MODES[0], trial, q);
        HedVec3 w = hed_mul3(1.0 / (q[7] - q[3]), hed_sub3(at(q, 4), at(q, 0)));
        hed_eol_put3(rate + 4, w);
        rate[7] = 1.0;
        double phi = dissipation(&MODES[0], q, rate, &size);
        cr_assert_leq(phi, SQUARED * size);
    }
}

// Everything stays finite where strains are not defined.
Test(eol_rate, finite) {
    for (int m = 0; m < MODE_COUNT; ++m) {
        for (int shape = 0; shape < 3; ++shape) {
            double q[MOST] = {0}, rows[2 * MOST];
            for (int k = 0; k < MODES[m].size && shape; ++k) {
                int node = k / MODES[m].stride;
                q[k] = k % MODES[m].stride == 0 ? LENGTH * (shape == 1 ? node : node % 2) : 0.0;
            }
            double weight = MODES[m].make_rows(q, rows);
            cr_assert(isfinite(weight));
            for (int k = 0; k < MODES[m].size * MODES[m].rows; ++k) {
                cr_assert(isfinite(rows[k]), "%s, shape %d: entry %d is %g", MODES[m].name, shape,
                          k, rows[k]);
            }
        }
    }
}
