// SPDX-License-Identifier: MIT
// Mass of spline yarns: density times length at rest, spread evenly over the parameter of each
// segment (Kaldor 2011, 4.2.1; kinetic energy with the factor 1/2 that is missing there).
#include "base/alloc.h"
#include "model/spline/spline.h"

// int b_k ds and int b_k b_l ds over a segment, from int s^p ds = 1/(p + 1).
static double share_of(const HedCubicMatrix* basis, int k) {
    double sum = 0.0;
    for (int i = 0; i < 4; ++i) {
        sum += basis->m[i][k] / (i + 1);
    }
    return sum;
}

static double share_of_pair(const HedCubicMatrix* basis, int k, int l) {
    double sum = 0.0;
    for (int i = 0; i < 4; ++i) {
        for (int j = 0; j < 4; ++j) {
            sum += basis->m[i][k] * basis->m[j][l] / (i + j + 1);
        }
    }
    return sum;
}

void hed_splines_add_mass(const HedSplines* splines, double* mass) {
    for (int32_t y = 0; y < splines->yarn_count; ++y) {
        const HedSpline* yarn = &splines->yarn[y];
        for (int32_t k = 0; k < yarn->segment_count; ++k) {
            int64_t i = (int64_t)yarn->first_segment + k;
            const HedCubicMatrix* basis = hed_spline_matrix(splines, i);
            for (int c = 0; c < 4; ++c) {
                mass[splines->point[4 * i + c]] +=
                    yarn->def.density * splines->length[i] * share_of(basis, c);
            }
        }
    }
}

// A yarn's band: three to the left; the last three rows of a closed one reach back to the first.
static HedStatus create_band(HedSkyline* band, const HedSpline* yarn, int32_t* low,
                             HedError* error) {
    int32_t n = yarn->def.point_count;
    for (int32_t i = 0; i < n; ++i) {
        bool is_back = yarn->def.is_closed && i >= n - 3;
        low[i] = is_back ? 0 : hed_max_i32(0, i - 3);
    }
    return hed_skyline_create(band, n, low, error);
}

static void fill_band(HedSkyline* band, const HedSplines* splines, const HedSpline* yarn,
                      const uint8_t* is_held) {
    int32_t first = yarn->def.first;
    for (int32_t k = 0; k < yarn->segment_count; ++k) {
        int64_t s = (int64_t)yarn->first_segment + k;
        double mass = yarn->def.density * splines->length[s];
        const HedCubicMatrix* basis = hed_spline_matrix(splines, s);
        for (int a = 0; a < 4; ++a) {
            for (int b = 0; b < 4; ++b) {
                int32_t i = splines->point[4 * s + a] - first;
                int32_t j = splines->point[4 * s + b] - first;
                bool is_fixed = is_held && (is_held[first + i] || is_held[first + j]);
                if (j <= i && !is_fixed) {
                    *hed_skyline_at(band, i, j) += mass * share_of_pair(basis, a, b);
                }
            }
        }
    }
    // The row of a held point is empty: factoring leaves it out, and its acceleration is zero.
}

HedStatus hed_spline_mass_create(HedSplineMass* mass, const HedSplines* splines,
                                 const uint8_t* is_held, HedError* error) {
    HedStatus status = HED_OK;
    int64_t points = 0, most = 0;
    *mass = (HedSplineMass){.count = splines->yarn_count, .yarn = splines->yarn};
    mass->factor = HED_NEW_ARRAY(HedSkyline, splines->yarn_count);
    mass->first = HED_NEW_ARRAY(int32_t, splines->yarn_count);
    for (int32_t y = 0; y < splines->yarn_count && mass->first; ++y) {
        mass->first[y] = (int32_t)points;
        points += splines->yarn[y].def.point_count;
        most = hed_max_i32((int32_t)most, splines->yarn[y].def.point_count);
    }
    mass->point_count = points;
    mass->work = HED_NEW_ARRAY(double, 3 * points);
    int32_t* low = HED_NEW_ARRAY(int32_t, most);
    if (!mass->factor || !mass->first || !mass->work || !low) {
        HED_TRY(hed_fail_memory(error, "masses of spline yarns"));
    }
    for (int32_t y = 0; y < splines->yarn_count; ++y) {
        HED_TRY(create_band(&mass->factor[y], &splines->yarn[y], low, error));
        fill_band(&mass->factor[y], splines, &splines->yarn[y], is_held);
        if (!hed_skyline_factor(&mass->factor[y])) {
            HED_TRY(hed_fail(error, HED_INVALID, "spline yarn %d: its mass is not positive", y));
        }
    }
done:
    hed_free(low);
    if (status != HED_OK) {
        hed_spline_mass_free(mass);
    }
    return status;
}

void hed_spline_mass_free(HedSplineMass* mass) {
    for (int32_t y = 0; y < mass->count && mass->factor; ++y) {
        hed_skyline_free(&mass->factor[y]);
    }
    hed_free(mass->factor);
    hed_free(mass->work);
    hed_free(mass->first);
    *mass = (HedSplineMass){0};
}

void hed_spline_mass_solve(const HedSplineMass* mass, const HedTeam* team, HedVec3* force) {
#pragma omp parallel for schedule(dynamic) num_threads(hed_team_size(team, 60 * mass->point_count))
    for (int32_t y = 0; y < mass->count; ++y) {
        int32_t n = mass->yarn[y].def.point_count;
        HedVec3* f = force + mass->yarn[y].def.first;
        double* work = mass->work + 3 * (int64_t)mass->first[y];
        for (int c = 0; c < 3; ++c) {
            double* x = work + c * (int64_t)n;
            for (int32_t k = 0; k < n; ++k) {
                x[k] = hed_get3(f[k], c);
            }
            hed_skyline_solve(&mass->factor[y], x);
            for (int32_t k = 0; k < n; ++k) {
                hed_set3(&f[k], c, x[k]);
            }
        }
    }
}
