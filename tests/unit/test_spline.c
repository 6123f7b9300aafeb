// SPDX-License-Identifier: MIT
#include "model/spline/spline.h"

#include "base/alloc.h"
#include "base/random.h"
#include "math/frame.h"
#include "math/mat3.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

// Of differences with a step of 1e-6 where curves turn within 0.1: the square of their ratio is
// 1e-10, and so is rounding over the step.
static const double DIFFERENCE = 1e-8;
// J: strains and bends of rounding, 1e-15, squared, of stiffnesses below 1 N over 1 m.
static const double SQUARED = 1e-30;
// Of accelerations of 10 m/s^2: the matrix has condition 1e5.
static const double SOLVED = 1e-10;

enum { MOST = 80 };

static double draw(uint64_t stream, uint64_t k) {
    return hed_random_uniform(31, stream, k) - 0.5;
}

static void helix(HedVec3* x, int32_t n) {
    for (int32_t k = 0; k < n; ++k) {
        x[k] = hed_vec3(0.1 * k, 0.2 * sin(0.6 * k), 0.2 * cos(0.5 * k));
    }
}

static void shake(HedVec3* x, int32_t n, double size, uint64_t seed) {
    for (int32_t k = 0; k < n; ++k) {
        for (int c = 0; c < 3; ++c) {
            (&x[k].x)[c] += size * draw(seed, 3 * (uint64_t)k + (uint64_t)c);
        }
    }
}

static HedSplineDef def_of(int32_t first, int32_t n, bool is_closed) {
    return (HedSplineDef){.first = first,
                          .point_count = n,
                          .is_closed = is_closed,
                          .bend = 2e-3,
                          .axial = 0.7,
                          .density = 1e-3,
                          .keeps_length = true,
                          .has_full_mass = true};
}

typedef struct Rig {
    HedSplines splines;
    HedVec3 x[MOST];
    int32_t count;
    int32_t first[MOST + 1];
    HedRanges ranges;
    HedTeam team;
    double partial[4];
} Rig;

static void rig_create(Rig* rig, const HedSplineDef* defs, int32_t yarns, const HedVec3* x) {
    memset(rig, 0, sizeof *rig);
    rig->team = (HedTeam){1, rig->partial, 4};
    for (int32_t y = 0; y < yarns; ++y) {
        rig->count += defs[y].point_count;
    }
    memcpy(rig->x, x, sizeof(HedVec3) * (size_t)rig->count);
    int32_t ranges = 0;
    for (int32_t k = 0; k < rig->count; k += 5) { // cuts yarns in many places
        rig->first[ranges++] = k;
    }
    rig->first[ranges] = rig->count;
    rig->ranges = (HedRanges){ranges, rig->first};
    HedError error;
    cr_assert_eq(hed_splines_create(&rig->splines, defs, yarns, x, HED_SPLINE_QUADRATURE, &error),
                 HED_OK);
    cr_assert_eq(hed_splines_cut(&rig->splines, rig->ranges, &error), HED_OK);
}

static double energy_of(Rig* rig, double part[2]) {
    HedTerm term = hed_splines_term(&rig->splines);
    HedEval at = {.x = rig->x, .point_count = rig->count, .ranges = rig->ranges};
    double columns[HED_TERM_COLUMNS] = {0};
    for (int32_t r = 0; r < rig->ranges.count; ++r) {
        term.add_energy(term.self, &at, r, columns);
    }
    part[0] = columns[0];
    part[1] = columns[1];
    return columns[0] + columns[1];
}

static void force_of(Rig* rig, HedVec3* force) {
    HedTerm term = hed_splines_term(&rig->splines);
    HedEval at = {.x = rig->x, .point_count = rig->count, .ranges = rig->ranges};
    for (int32_t r = 0; r < rig->ranges.count; ++r) {
        HedVec3 own[8] = {0};
        term.add_force(term.self, &at, r, own);
        int32_t count = rig->first[r + 1] - rig->first[r];
        memcpy(force + rig->first[r], own, sizeof(HedVec3) * (size_t)count);
    }
}

Test(spline, straight_at_rest_and_energies_of_a_stretched_line) {
    // Control points of even speed stand at the means of three knots (Greville).
    HedVec3 x[12];
    for (int k = 0; k < 12; ++k) {
        double at = k < 2 ? k / 3.0 : (k > 9 ? 9.0 - (11 - k) / 3.0 : k - 1.0);
        x[k] = hed_vec3(0.1 * at, 0.05 * at, 0);
    }
    HedSplineDef def = def_of(0, 12, false);
    Rig rig;
    rig_create(&rig, &def, 1, x);
    double part[2];
    energy_of(&rig, part);
    cr_assert_lt(part[0], SQUARED);
    cr_assert_lt(part[1], SQUARED);
    double length = 9.0 * hypot(0.1, 0.05);
    for (int k = 0; k < 12; ++k) {
        rig.x[k] = hed_mul3(1.1, x[k]);
    }
    energy_of(&rig, part);
    cr_assert_float_eq(part[1], 0.5 * def.axial * length * 0.01, 1e-14); // 1/2 EA L eps^2
    cr_assert_lt(part[0], SQUARED);
    hed_splines_free(&rig.splines);
}

// The bending energy of a circle is 1/2 EI L/R^2 = pi EI/R.
static double circle_energy(int32_t n) {
    HedVec3 points[MOST], control[MOST];
    for (int32_t k = 0; k < n; ++k) {
        double a = 2.0 * HED_PI * k / n;
        points[k] = hed_vec3(0.3 * cos(a), 0.3 * sin(a), 0);
    }
    cr_assert_eq(hed_spline_interpolate(points, n, true, control, NULL), HED_OK);
    HedSplineDef def = def_of(0, n, true);
    Rig rig;
    rig_create(&rig, &def, 1, control);
    double part[2];
    energy_of(&rig, part);
    hed_splines_free(&rig.splines);
    return part[0];
}

Test(spline, bending_energy_of_a_circle_converges) {
    double exact = HED_PI * 2e-3 / 0.3;
    double coarse = fabs(circle_energy(8) / exact - 1.0);
    double middle = fabs(circle_energy(16) / exact - 1.0);
    double fine = fabs(circle_energy(32) / exact - 1.0);
    cr_log_info("errors %g %g %g", coarse, middle, fine);
    // h^4/720 = 2e-6 is the wavering of the curvature between points, h = 2 pi/32.
    cr_assert_lt(fine, 1e-5);
    // Fourth order: the curvature of a spline wavers about the right one, first order drops out.
    cr_assert_gt(coarse / middle, 12.0);
    cr_assert_gt(middle / fine, 12.0);
}

static void create_matrix(Rig* rig, HedMatrix* matrix) {
    HedTerm term = hed_splines_term(&rig->splines);
    int32_t pairs[2 * 6 * MOST], count = 0;
    for (int32_t e = 0; e < term.stencils.count; ++e) {
        const int32_t* p = term.stencils.point + 4 * (int64_t)e;
        for (int n = 1; n < 4; ++n) {
            for (int m = 0; m < n; ++m) {
                pairs[2 * count] = p[m];
                pairs[2 * count++ + 1] = p[n];
            }
        }
    }
    HedError error;
    cr_assert_eq(hed_matrix_create(matrix, rig->count, rig->ranges, pairs, count, &error), HED_OK);
    cr_assert_eq(term.attach(term.self, rig->ranges, matrix, &error), HED_OK);
    HedEval at = {.x = rig->x, .point_count = rig->count, .ranges = rig->ranges};
    for (int32_t r = 0; r < rig->ranges.count; ++r) {
        hed_matrix_clear_range(matrix, r);
        term.add_matrix(term.self, &at, r, (HedMatrixScale){1.0, 0.0, true, 0.0}, matrix);
    }
}

// Forces against differences of the energy, the matrix against differences of forces; open, closed,
// and closed with three points, where one point stands in two places of each segment.
Test(spline, forces_and_matrix_are_the_derivatives) {
    const int32_t counts[3] = {13, 11, 3};
    for (int shape = 0; shape < 3; ++shape) {
        int32_t n = counts[shape];
        HedVec3 x[MOST], force[MOST], up[MOST], down[MOST];
        helix(x, n);
        for (int32_t k = 0; k < n && shape > 0; ++k) {
            double a = 2.0 * HED_PI * k / n;
            x[k] = hed_vec3(0.3 * cos(a), 0.3 * sin(a), 0.05 * cos(2.0 * a));
        }
        HedSplineDef def = def_of(0, n, shape > 0);
        Rig rig;
        rig_create(&rig, &def, 1, x);
        shake(rig.x, n, 0.03, 4);
        force_of(&rig, force);
        HedMatrix matrix;
        create_matrix(&rig, &matrix);
        double most = 0.0, stiff = 0.0, part[2];
        for (int32_t k = 0; k < n; ++k) {
            most = fmax(most, hed_norm3(force[k]));
            stiff = fmax(stiff, matrix.diagonal[k].m[0][0]);
        }
        const double step = 1e-6;
        for (int32_t c = 0; c < 3 * n; ++c) {
            double* at = &(&rig.x[0].x)[c];
            double start = *at;
            *at = start + step;
            double high = energy_of(&rig, part);
            force_of(&rig, up);
            *at = start - step;
            double low = energy_of(&rig, part);
            force_of(&rig, down);
            *at = start;
            double slope = -(high - low) / (2.0 * step);
            cr_assert_float_eq(slope, (&force[0].x)[c], DIFFERENCE * most, "coordinate %d", c);
            HedVec3 p[MOST] = {0}, y[MOST];
            (&p[0].x)[c] = 1.0;
            hed_matrix_multiply(&matrix, &rig.team, p, y);
            for (int32_t d = 0; d < 3 * n; ++d) {
                double rise = -((&up[0].x)[d] - (&down[0].x)[d]) / (2.0 * step);
                cr_assert_float_eq(rise, (&y[0].x)[d], DIFFERENCE * stiff, "%d: %d by %d", shape, d,
                                   c);
            }
        }
        hed_matrix_free(&matrix);
        hed_splines_free(&rig.splines);
    }
}

Test(spline, free_yarn_has_no_net_force_or_moment) {
    HedVec3 x[30], force[30], sum = {0}, moment = {0};
    helix(x, 30);
    HedSplineDef defs[2] = {def_of(0, 17, false), def_of(17, 13, true)};
    Rig rig;
    rig_create(&rig, defs, 2, x);
    shake(rig.x, 30, 0.05, 5);
    force_of(&rig, force);
    double most = 0.0;
    for (int k = 0; k < 30; ++k) {
        sum = hed_add3(sum, force[k]);
        moment = hed_add3(moment, hed_cross3(rig.x[k], force[k]));
        most = fmax(most, hed_norm3(force[k]));
    }
    cr_assert_lt(hed_norm3(sum), 1e-14 * most);          // rounding of thirty forces
    cr_assert_lt(hed_norm3(moment), 1e-14 * most * 3.0); // arms of up to 3 m
    hed_splines_free(&rig.splines);
}

// Mass is density times length; under the weight of the lumped masses every control point falls
// alike with the consistent matrix too. Held points stay.
Test(spline, masses_agree) {
    HedVec3 x[25], force[25];
    helix(x, 25);
    HedSplineDef defs[2] = {def_of(0, 14, false), def_of(14, 11, true)};
    Rig rig;
    rig_create(&rig, defs, 2, x);
    double mass[25] = {0}, total = 0.0, length = 0.0;
    hed_splines_add_mass(&rig.splines, mass);
    for (int32_t s = 0; s < rig.splines.segment_count; ++s) {
        length += rig.splines.length[s];
    }
    for (int k = 0; k < 25; ++k) {
        total += mass[k];
        force[k] = hed_vec3(0, -9.81 * mass[k], 2.0 * mass[k]);
    }
    cr_assert_float_eq(total, 1e-3 * length, 1e-17); // rounding of 25 masses of 1e-4 kg
    double inverse[25];
    for (int k = 0; k < 25; ++k) {
        inverse[k] = 1.0 / mass[k];
    }
    HedSplineMass full;
    cr_assert_eq(hed_spline_mass_create(&full, &rig.splines, NULL), HED_OK);
    hed_spline_mass_factor(&full, &rig.splines, inverse);
    hed_spline_mass_solve(&full, &rig.splines, &rig.team, inverse, mass, force);
    for (int k = 0; k < 25; ++k) {
        cr_assert_float_eq(force[k].y * inverse[k], -9.81, SOLVED); // the matrix has condition 1e5
        cr_assert_float_eq(force[k].z * inverse[k], 2.0, SOLVED);
    }
    // A rigid velocity has the same energy by both; any other has less by the consistent mass, for
    // lumping is Jensen's inequality.
    HedVec3 v[25];
    for (int k = 0; k < 25; ++k) {
        v[k] = hed_vec3(1, 2, 3);
    }
    cr_assert_float_eq(hed_splines_kinetic_beyond(&rig.splines, v), 0.0, 1e-17); // of 0.02 J
    shake(v, 25, 1.0, 9);
    cr_assert_lt(hed_splines_kinetic_beyond(&rig.splines, v), -1e-5); // 3e-4 J are shaken
    inverse[3] = inverse[20] = 0.0;
    // Where all that is held speeds up alike, and lumped masses are pulled alike, all goes alike.
    HedVec3 speeds[25];
    hed_spline_mass_factor(&full, &rig.splines, inverse);
    for (int k = 0; k < 25; ++k) {
        speeds[k] = inverse[k] > 0.0 ? (HedVec3){0} : hed_vec3(0, -9.81, 2.0);
        force[k] = hed_vec3(0, -9.81 * mass[k], 2.0 * mass[k]);
    }
    hed_spline_mass_carry(&full, &rig.splines, inverse, speeds);
    hed_spline_mass_solve(&full, &rig.splines, &rig.team, inverse, mass, force);
    for (int k = 0; k < 25; ++k) {
        HedVec3 a = inverse[k] > 0.0 ? hed_madd3(speeds[k], inverse[k], force[k]) : speeds[k];
        cr_assert_float_eq(a.y, -9.81, SOLVED, "%d: %g", k, a.y);
        cr_assert_float_eq(a.z, 2.0, SOLVED, "%d: %g", k, a.z);
    }
    HedVec3 kept = force[3];
    hed_spline_mass_factor(&full, &rig.splines, inverse);
    hed_spline_mass_solve(&full, &rig.splines, &rig.team, inverse, mass, force);
    cr_assert_eq(force[3].y, kept.y);
    cr_assert(isfinite(force[4].y) && force[4].y != 0.0);
    hed_spline_mass_free(&full);
    hed_splines_free(&rig.splines);
}

static double arc_error(const Rig* rig) {
    double worst = 0.0;
    const HedSplines* s = &rig->splines;
    for (int32_t i = 0; i < s->segment_count; ++i) {
        const int32_t* p = s->point + 4 * (int64_t)i;
        HedVec3 four[4] = {rig->x[p[0]], rig->x[p[1]], rig->x[p[2]], rig->x[p[3]]};
        HedCubic y = hed_cubic_make(hed_spline_matrix(s, i), four);
        worst = fmax(worst, fabs(hed_cubic_length(&y, 0.0, 1.0, 11) / s->length[i] - 1.0));
    }
    return worst;
}

Test(spline, lengths_are_met_and_momentum_is_kept) {
    HedVec3 x[30], start[30];
    helix(x, 30);
    HedSplineDef defs[2] = {def_of(0, 16, false), def_of(16, 14, true)};
    Rig rig;
    rig_create(&rig, defs, 2, x);
    double mass[30] = {0}, w[30];
    hed_splines_add_mass(&rig.splines, mass);
    for (int k = 0; k < 30; ++k) {
        w[k] = 1.0 / mass[k];
    }
    shake(rig.x, 30, 0.02, 6);
    memcpy(start, rig.x, sizeof start);
    HedSplineLengths lengths;
    cr_assert_eq(hed_spline_lengths_create(&lengths, &rig.splines, NULL), HED_OK);
    HedProjection one = hed_spline_lengths_project(&lengths, &rig.splines, &rig.team,
                                                   (HedProjectionLimit){1e-5, 1}, w, rig.x);
    cr_assert_eq(one.iterations, 1);
    HedVec3 sum = {0}, spin = {0};
    for (int k = 0; k < 30; ++k) {
        HedVec3 p = hed_mul3(mass[k], hed_sub3(rig.x[k], start[k]));
        sum = hed_add3(sum, p);
        spin = hed_add3(spin, hed_cross3(start[k], p));
    }
    cr_assert_lt(hed_norm3(sum), 1e-17);  // masses of 1e-4 kg moved by some mm
    cr_assert_lt(hed_norm3(spin), 1e-17); // arms of up to 3 m, places rounded by 4e-16 m
    HedProjection all = hed_spline_lengths_project(&lengths, &rig.splines, &rig.team,
                                                   (HedProjectionLimit){1e-11, 30}, w, rig.x);
    cr_assert(all.is_converged, "%g after %d", all.error, all.iterations);
    cr_assert_leq(all.iterations, 8);
    cr_assert_lt(arc_error(&rig), 1e-11); // as was asked for
    hed_spline_lengths_free(&lengths);
    // Held as a whole and too long: an outcome.
    memset(w, 0, sizeof w);
    memcpy(rig.x, start, sizeof start);
    cr_assert_eq(hed_spline_lengths_create(&lengths, &rig.splines, NULL), HED_OK);
    HedProjection none = hed_spline_lengths_project(&lengths, &rig.splines, &rig.team,
                                                    hed_projection_limit(), w, rig.x);
    cr_assert(!none.is_converged);
    cr_assert_arr_eq(rig.x, start, sizeof start);
    hed_spline_lengths_free(&lengths);
    hed_splines_free(&rig.splines);
}

// Short rings, where segments share points on both sides, and longer ones.
Test(spline, lengths_of_short_rings_are_met) {
    for (int32_t n = 3; n <= 9; ++n) {
        HedVec3 x[9];
        for (int32_t k = 0; k < n; ++k) {
            double a = 2.0 * HED_PI * k / n;
            x[k] = hed_vec3(0.3 * cos(a), 0.3 * sin(a), 0.05 * cos(2.0 * a));
        }
        HedSplineDef def = def_of(0, n, true);
        Rig rig;
        rig_create(&rig, &def, 1, x);
        shake(rig.x, n, 0.01, 3);
        const double w[9] = {1, 2, 1, 3, 1, 1, 2, 1, 1};
        HedSplineLengths lengths;
        cr_assert_eq(hed_spline_lengths_create(&lengths, &rig.splines, NULL), HED_OK);
        HedProjection report = hed_spline_lengths_project(
            &lengths, &rig.splines, &rig.team, (HedProjectionLimit){1e-11, 10}, w, rig.x);
        cr_assert(report.is_converged, "%d: %g", n, report.error); // quadratic only if J is right
        hed_spline_lengths_free(&lengths);
        hed_splines_free(&rig.splines);
    }
}

Test(spline, interpolation_passes_through_all_points) {
    for (int closed = 0; closed < 2; ++closed) {
        for (int32_t n = closed ? 3 : 2; n < 20; ++n) {
            HedVec3 points[MOST], control[MOST];
            helix(points, n);
            shake(points, n, 0.1, (uint64_t)n);
            cr_assert_eq(hed_spline_interpolate(points, n, closed, control, NULL), HED_OK);
            int32_t count = closed ? n : n + 2;
            HedSplineDef def = def_of(0, count, closed);
            Rig rig;
            rig_create(&rig, &def, 1, control);
            for (int32_t k = 0; k < n; ++k) {
                HedSplineStencil at = hed_spline_at(&rig.splines, 0, k);
                HedVec3 y = {0};
                for (int c = 0; c < 4; ++c) {
                    y = hed_madd3(y, at.weight[c], control[at.point[c]]);
                }
                // Rounding of places of up to 2 m.
                cr_assert_lt(hed_distance3(y, points[k]), 1e-14, "point %d of %d", k, n);
            }
            hed_splines_free(&rig.splines);
        }
    }
}

// 200 points of a circle by splines of few segments: the distance falls with the fourth power.
static double fit_error(int32_t segments) {
    enum { N = 200 };
    HedVec3 points[N], control[MOST];
    for (int k = 0; k < N; ++k) {
        double a = 2.0 * HED_PI * k / N;
        points[k] = hed_vec3(cos(a), sin(a), 0.5);
    }
    cr_assert_eq(hed_spline_fit(points, N, true, segments, control, NULL), HED_OK);
    HedSplineDef def = def_of(0, segments, true);
    Rig rig;
    rig_create(&rig, &def, 1, control);
    double worst = 0.0;
    for (int k = 0; k <= 100; ++k) {
        HedSplineStencil at = hed_spline_at(&rig.splines, 0, segments * k / 100.0);
        HedVec3 y = {0};
        for (int c = 0; c < 4; ++c) {
            y = hed_madd3(y, at.weight[c], control[at.point[c]]);
        }
        worst = fmax(worst, fabs(hypot(y.x, y.y) - 1.0) + fabs(y.z - 0.5));
    }
    hed_splines_free(&rig.splines);
    return worst;
}

Test(spline, fit_converges_and_straight_points_give_a_straight_curve) {
    double coarse = fit_error(6), fine = fit_error(12);
    cr_assert_lt(coarse, 3e-3); // h^4/384 of a cubic, h = 2 pi/6
    cr_assert_gt(coarse / fine, 10.0, "%g %g", coarse, fine);
    // Three points for ten segments: what they leave open is straight.
    const HedVec3 line[3] = {{0, 0, 0}, {1, 1, 0}, {3, 3, 0}};
    HedVec3 control[13];
    cr_assert_eq(hed_spline_fit(line, 3, false, 10, control, NULL), HED_OK);
    for (int k = 0; k < 13; ++k) {
        double at = k < 2 ? k / 3.0 : (k > 10 ? 10.0 - (12 - k) / 3.0 : k - 1.0);
        // What the points leave open has a weight of 1e-7.
        cr_assert_float_eq(control[k].x, 0.3 * at, 1e-9);
        cr_assert_eq(control[k].y, control[k].x);
    }
}

Test(spline, bad_input_is_named) {
    HedVec3 x[6];
    helix(x, 6);
    HedSplineDef def = def_of(0, 3, false);
    HedSplines splines;
    HedError error;
    cr_assert_eq(hed_splines_create(&splines, &def, 1, x, 11, &error), HED_INVALID);
    cr_assert(strstr(error.message, "at least 4 control points, got 3"), "%s", error.message);
    def.point_count = 6;
    cr_assert_eq(hed_splines_create(&splines, &def, 1, x, 10, &error), HED_INVALID);
    cr_assert(strstr(error.message, "odd"), "%s", error.message);
    def.bend = NAN;
    cr_assert_eq(hed_splines_create(&splines, &def, 1, x, 11, &error), HED_INVALID);
    cr_assert(strstr(error.message, "bending stiffness"), "%s", error.message);
    def.bend = 1.0;
    for (int k = 0; k < 6; ++k) {
        x[k] = x[0];
    }
    cr_assert_eq(hed_splines_create(&splines, &def, 1, x, 11, &error), HED_INVALID);
    cr_assert(strstr(error.message, "segment 0 must have a length"), "%s", error.message);
    HedVec3 control[8];
    cr_assert_eq(hed_spline_fit(x, 6, false, 4, control, &error), HED_INVALID);
    cr_assert(strstr(error.message, "one point"), "%s", error.message);
    cr_assert_eq(hed_spline_fit(x, 6, true, 2, control, &error), HED_INVALID);
    cr_assert_eq(hed_spline_interpolate(x, 1, false, control, &error), HED_INVALID);
    x[2].z = INFINITY;
    cr_assert_eq(hed_spline_interpolate(x, 6, false, control, &error), HED_INVALID);
    cr_assert(strstr(error.message, "point 2"), "%s", error.message);
}

static HedStatus all_of_it(const HedVec3* x, HedRanges ranges) {
    HedStatus status = HED_OK;
    HedSplines splines;
    HedSplineMass mass = {0};
    HedSplineLengths lengths = {0};
    HedSplineDef def = def_of(0, 10, true);
    HedVec3 control[16];
    HED_TRY(hed_splines_create(&splines, &def, 1, x, 11, NULL));
    HED_TRY(hed_splines_cut(&splines, ranges, NULL));
    HED_TRY(hed_spline_mass_create(&mass, &splines, NULL));
    HED_TRY(hed_spline_lengths_create(&lengths, &splines, NULL));
    HED_TRY(hed_spline_interpolate(x, 10, false, control, NULL));
    HED_TRY(hed_spline_fit(x, 10, false, 4, control, NULL));
done:
    hed_spline_lengths_free(&lengths);
    hed_spline_mass_free(&mass);
    hed_splines_free(&splines);
    return status;
}

Test(spline, allocation_failures_leave_nothing) {
    HedVec3 x[10];
    helix(x, 10);
    const int32_t first[3] = {0, 5, 10};
    int64_t live = hed_alloc_stats().live_count;
    HedStatus status = HED_NO_MEMORY;
    int64_t n = 0;
    for (n = 1; n < 80 && status != HED_OK; ++n) {
        hed_alloc_fail_at(n);
        status = all_of_it(x, (HedRanges){2, first});
        hed_alloc_fail_at(0);
        cr_assert(status == HED_OK || status == HED_NO_MEMORY);
        cr_assert_eq(hed_alloc_stats().live_count, live);
    }
    cr_assert(status == HED_OK && n > 30, "%d", (int)n);
}
