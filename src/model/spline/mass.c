// SPDX-License-Identifier: MIT
// Mass of spline yarns: density times length at rest, spread evenly over the parameter of each
// segment (Kaldor 2011, 4.2.1; kinetic energy with the factor 1/2 that is missing there).
#include "base/alloc.h"
#include "model/spline/spline.h"

#include <string.h>

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

// The row of a held point is empty: factoring leaves it out, and its acceleration is zero.
static void fill_band(HedSkyline* band, const HedSplines* splines, const HedSpline* yarn,
                      const double* inverse_mass) {
    int32_t first = yarn->def.first;
    hed_skyline_clear(band);
    for (int32_t k = 0; k < yarn->segment_count; ++k) {
        int64_t s = (int64_t)yarn->first_segment + k;
        double mass = yarn->def.density * splines->length[s];
        const HedCubicMatrix* basis = hed_spline_matrix(splines, s);
        for (int a = 0; a < 4; ++a) {
            for (int b = 0; b < 4; ++b) {
                int32_t i = splines->point[4 * s + a];
                int32_t j = splines->point[4 * s + b];
                if (j <= i && inverse_mass[i] > 0.0 && inverse_mass[j] > 0.0) {
                    *hed_skyline_at(band, i - first, j - first) +=
                        mass * share_of_pair(basis, a, b);
                }
            }
        }
    }
}

HedStatus hed_spline_mass_create(HedSplineMass* mass, const HedSplines* splines, HedError* error) {
    HedStatus status = HED_OK;
    int64_t points = 0;
    int32_t most = 0;
    *mass = (HedSplineMass){.count = splines->yarn_count};
    mass->factor = HED_NEW_ARRAY(HedSkyline, splines->yarn_count);
    mass->first = HED_NEW_ARRAY(int32_t, splines->yarn_count);
    for (int32_t y = 0; y < splines->yarn_count && mass->first; ++y) {
        mass->first[y] = (int32_t)points;
        points += splines->yarn[y].def.point_count;
        most = hed_max_i32(most, splines->yarn[y].def.point_count);
    }
    mass->point_count = points;
    mass->work = HED_NEW_ARRAY(double, 3 * points);
    int32_t* low = HED_NEW_ARRAY(int32_t, most);
    if (!mass->factor || !mass->first || !mass->work || !low) {
        HED_TRY(hed_fail_memory(error, "masses of spline yarns"));
    }
    for (int32_t y = 0; y < splines->yarn_count; ++y) {
        HED_TRY(create_band(&mass->factor[y], &splines->yarn[y], low, error));
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

void hed_spline_mass_factor(HedSplineMass* mass, const HedSplines* splines,
                            const double* inverse_mass) {
    for (int32_t y = 0; y < mass->count; ++y) {
        fill_band(&mass->factor[y], splines, &splines->yarn[y], inverse_mass);
        bool is_positive = hed_skyline_factor(&mass->factor[y]);
        HED_ASSERT(is_positive); // a Gram matrix, whatever is held
        (void)is_positive;
    }
}

void hed_spline_mass_solve(const HedSplineMass* mass, const HedSplines* splines,
                           const HedTeam* team, const double* inverse_mass, const double* lumped,
                           HedVec3* force) {
#pragma omp parallel for schedule(dynamic) num_threads(hed_team_size(team, 60 * mass->point_count))
    for (int32_t y = 0; y < mass->count; ++y) {
        const HedSplineDef* def = &splines->yarn[y].def;
        double* work = mass->work + 3 * (int64_t)mass->first[y];
        for (int c = 0; c < 3 && def->has_full_mass; ++c) {
            for (int32_t k = 0; k < def->point_count; ++k) {
                work[k] = hed_get3(force[def->first + k], c);
            }
            hed_skyline_solve(&mass->factor[y], work);
            for (int32_t k = 0; k < def->point_count; ++k) {
                int32_t i = def->first + k;
                if (inverse_mass[i] > 0.0) {
                    hed_set3(&force[i], c, lumped[i] * work[k]);
                }
            }
        }
    }
}

// work[k] = -sum of M_kc change_c over held points c, of one coordinate; false if nothing is held.
static bool load_coupling(const HedSplines* splines, const HedSpline* yarn,
                          const double* inverse_mass, const HedVec3* change, double* work[3]) {
    bool is_held = false;
    for (int c = 0; c < 3; ++c) {
        memset(work[c], 0, sizeof(double) * (size_t)yarn->def.point_count);
    }
    for (int32_t k = 0; k < yarn->segment_count; ++k) {
        int64_t s = (int64_t)yarn->first_segment + k;
        double mass = yarn->def.density * splines->length[s];
        const HedCubicMatrix* basis = hed_spline_matrix(splines, s);
        const int32_t* p = splines->point + 4 * s;
        for (int pair = 0; pair < 16; ++pair) {
            int a = pair / 4, b = pair % 4;
            if (inverse_mass[p[a]] > 0.0 && !(inverse_mass[p[b]] > 0.0)) {
                double m = mass * share_of_pair(basis, a, b);
                is_held = true;
                for (int c = 0; c < 3; ++c) {
                    work[c][p[a] - yarn->def.first] -= m * hed_get3(change[p[b]], c);
                }
            }
        }
    }
    return is_held;
}

void hed_spline_mass_carry(const HedSplineMass* mass, const HedSplines* splines,
                           const double* inverse_mass, HedVec3* change) {
    for (int32_t y = 0; y < mass->count; ++y) {
        const HedSpline* yarn = &splines->yarn[y];
        int32_t n = yarn->def.point_count;
        double* room = mass->work + 3 * (int64_t)mass->first[y];
        double* work[3] = {room, room + n, room + 2 * (int64_t)n};
        if (!yarn->def.has_full_mass || !load_coupling(splines, yarn, inverse_mass, change, work)) {
            continue;
        }
        for (int c = 0; c < 3; ++c) {
            hed_skyline_solve(&mass->factor[y], work[c]);
            for (int32_t k = 0; k < n; ++k) {
                if (inverse_mass[yarn->def.first + k] > 0.0) {
                    hed_set3(&change[yarn->def.first + k], c, work[c][k]);
                }
            }
        }
    }
}

double hed_splines_held_work(const HedSplines* splines, const double* inverse_mass,
                             const HedVec3* v0, const HedVec3* v1) {
    double sum = 0.0;
    for (int32_t y = 0; y < splines->yarn_count; ++y) {
        const HedSpline* yarn = &splines->yarn[y];
        for (int32_t k = 0; k < 4 * yarn->segment_count && yarn->def.has_full_mass; ++k) {
            int64_t s = (int64_t)yarn->first_segment + k / 4;
            int32_t i = splines->point[4 * s + k % 4];
            if (inverse_mass[i] > 0.0) {
                continue;
            }
            const HedCubicMatrix* basis = hed_spline_matrix(splines, s);
            HedVec3 mean = hed_mul3(0.5, hed_add3(v0[i], v1[i]));
            double power = -share_of(basis, k % 4) * hed_dot3(mean, hed_sub3(v1[i], v0[i]));
            for (int b = 0; b < 4; ++b) {
                int32_t j = splines->point[4 * s + b];
                power += share_of_pair(basis, k % 4, b) * hed_dot3(mean, hed_sub3(v1[j], v0[j]));
            }
            sum += yarn->def.density * splines->length[s] * power;
        }
    }
    return sum;
}

double hed_splines_kinetic_beyond(const HedSplines* splines, const HedVec3* v) {
    double sum = 0.0;
    for (int32_t y = 0; y < splines->yarn_count; ++y) {
        const HedSpline* yarn = &splines->yarn[y];
        for (int32_t k = 0; k < yarn->segment_count && yarn->def.has_full_mass; ++k) {
            int64_t s = (int64_t)yarn->first_segment + k;
            double half = 0.5 * yarn->def.density * splines->length[s];
            const HedCubicMatrix* basis = hed_spline_matrix(splines, s);
            const int32_t* p = splines->point + 4 * s;
            for (int a = 0; a < 4; ++a) {
                sum -= half * share_of(basis, a) * hed_dot3(v[p[a]], v[p[a]]);
                for (int b = 0; b < 4; ++b) {
                    sum += half * share_of_pair(basis, a, b) * hed_dot3(v[p[a]], v[p[b]]);
                }
            }
        }
    }
    return sum;
}
