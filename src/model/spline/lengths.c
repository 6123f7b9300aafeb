// SPDX-License-Identifier: MIT
// Arc lengths of spline segments as constraints (Kaldor 2011, 4.5), by fast projection.
//   C_i = (1/l_i) int |dy/ds| ds - 1,   dC_i/dx_k = (1/l_i) int db_k/ds t ds,  t the tangent.
// Neighbouring segments share three control points: J W J' has three bands to each side.
#include "base/alloc.h"
#include "model/spline/spline.h"
#include "state/lanes.h"

HedStatus hed_spline_lengths_create(HedSplineLengths* lengths, const HedSplines* splines,
                                    HedError* error) {
    HedStatus status = HED_OK;
    int32_t most = 0;
    *lengths = (HedSplineLengths){.count = splines->yarn_count};
    for (int32_t y = 0; y < splines->yarn_count; ++y) {
        most = hed_max_i32(most, splines->yarn[y].segment_count);
    }
    lengths->matrix = HED_NEW_ARRAY(HedSkyline, splines->yarn_count);
    lengths->gradient = HED_NEW_ARRAY(HedVec3, 4 * (int64_t)splines->segment_count);
    lengths->value = HED_NEW_ARRAY(double, splines->segment_count);
    lengths->error = HED_NEW_ARRAY(double, splines->yarn_count);
    lengths->iterations = HED_NEW_ARRAY(int32_t, splines->yarn_count);
    int32_t* low = HED_NEW_ARRAY(int32_t, most);
    if (!lengths->matrix || !lengths->gradient || !lengths->value || !lengths->error ||
        !lengths->iterations || !low) {
        HED_TRY(hed_fail_memory(error, "lengths of spline yarns"));
    }
    for (int32_t y = 0; y < splines->yarn_count; ++y) {
        int32_t n = splines->yarn[y].segment_count;
        for (int32_t i = 0; i < n; ++i) {
            bool is_back = splines->yarn[y].def.is_closed && i >= n - 3;
            low[i] = is_back ? 0 : hed_max_i32(0, i - 3);
        }
        HED_TRY(hed_skyline_create(&lengths->matrix[y], n, low, error));
    }
done:
    hed_free(low);
    if (status != HED_OK) {
        hed_spline_lengths_free(lengths);
    }
    return status;
}

void hed_spline_lengths_free(HedSplineLengths* lengths) {
    for (int32_t y = 0; y < lengths->count && lengths->matrix; ++y) {
        hed_skyline_free(&lengths->matrix[y]);
    }
    hed_free(lengths->matrix);
    hed_free(lengths->gradient);
    hed_free(lengths->value);
    hed_free(lengths->error);
    hed_free(lengths->iterations);
    *lengths = (HedSplineLengths){0};
}

// What one yarn needs.
typedef struct LengthYarn {
    const HedSplines* splines;
    const HedSpline* def;
    const int32_t* point; // four per segment
    HedVec3* gradient;    // four per segment
    double* value;        // constraints, then multipliers
    HedSkyline* matrix;
    const double* inverse_mass;
    HedVec3* x;
} LengthYarn;

// Eight segments: coefficients of their cubics, and how the arc lengths change with them.
typedef struct LengthLanes {
    HedLanes3 c[3], g[3];
    double arc[HED_LANES];
} LengthLanes;

static void measure_arcs(const HedSplines* splines, LengthLanes* at) {
    for (int32_t q = 0; q < splines->quadrature; ++q) {
        double s = splines->s[q], w = splines->weight[q];
#pragma omp simd
        for (int l = 0; l < HED_LANES; ++l) {
            HedVec3 a = hed_madd3(hed_lane(&at->c[0], l), 2.0 * s, hed_lane(&at->c[1], l));
            a = hed_madd3(a, 3.0 * s * s, hed_lane(&at->c[2], l));
            double speed = sqrt(hed_dot3(a, a));
            double over = speed > 0.0 ? w / speed : 0.0;
            at->arc[l] += w * speed;
            hed_lane_add(&at->g[0], l, over, a);
            hed_lane_add(&at->g[1], l, 2.0 * s * over, a);
            hed_lane_add(&at->g[2], l, 3.0 * s * s * over, a);
        }
    }
}

// Values and gradients of the segments begin .. begin + count - 1, at most eight. LengthLanes
// beyond stand still.
static void measure_eight(const LengthYarn* yarn, int32_t begin, int32_t count) {
    int64_t first = (int64_t)yarn->def->first_segment + begin;
    LengthLanes at = {0};
    for (int32_t l = 0; l < count; ++l) {
        const HedCubicMatrix* basis = hed_spline_matrix(yarn->splines, first + l);
        const int32_t* point = yarn->point + 4 * (int64_t)(begin + l);
        const HedVec3 p[4] = {yarn->x[point[0]], yarn->x[point[1]], yarn->x[point[2]],
                              yarn->x[point[3]]};
        for (int j = 0; j < 3; ++j) {
            hed_lane_add(&at.c[j], l, 1.0, hed_cubic_sum(basis->m[j + 1], p));
        }
    }
    measure_arcs(yarn->splines, &at);
    for (int32_t l = 0; l < count; ++l) {
        const HedCubicMatrix* basis = hed_spline_matrix(yarn->splines, first + l);
        double over = 1.0 / yarn->splines->length[first + l];
        yarn->value[begin + l] = at.arc[l] * over - 1.0;
        for (int k = 0; k < 4; ++k) {
            HedVec3 g = {0};
            for (int j = 0; j < 3; ++j) {
                g = hed_madd3(g, over * basis->m[j + 1][k], hed_lane(&at.g[j], l));
            }
            yarn->gradient[4 * (int64_t)(begin + l) + k] = g;
        }
    }
}

static double measure(const LengthYarn* yarn) {
    double worst = 0.0;
    int32_t n = yarn->def->segment_count;
    for (int32_t begin = 0; begin < n; begin += HED_LANES) {
        measure_eight(yarn, begin, hed_min_i32(HED_LANES, n - begin));
    }
    for (int32_t i = 0; i < n; ++i) {
        double miss = fabs(yarn->value[i]);
        worst = miss > worst || isnan(miss) ? miss : worst;
    }
    return worst;
}

// The entry (i, j) of J W J': what the control points that both share give to it.
static double entry_of(const LengthYarn* yarn, int32_t i, int32_t j) {
    double sum = 0.0;
    for (int a = 0; a < 4; ++a) {
        for (int b = 0; b < 4; ++b) {
            int32_t p = yarn->point[4 * (int64_t)i + a];
            if (p == yarn->point[4 * (int64_t)j + b]) {
                sum += yarn->inverse_mass[p] * hed_dot3(yarn->gradient[4 * (int64_t)i + a],
                                                        yarn->gradient[4 * (int64_t)j + b]);
            }
        }
    }
    return sum;
}

// The same where segment j is d before i on an open stretch: point a of one is point a + d of the
// other.
static double near_entry(const LengthYarn* yarn, int32_t i, int32_t d) {
    const HedVec3* g = yarn->gradient + 4 * (int64_t)i;
    const HedVec3* h = yarn->gradient + 4 * (int64_t)(i - d) + d;
    const int32_t* point = yarn->point + 4 * (int64_t)i;
    double sum = 0.0;
    for (int a = 0; a + d < 4; ++a) {
        sum += yarn->inverse_mass[point[a]] * hed_dot3(g[a], h[a]);
    }
    return sum;
}

// Multipliers in place of values; false if the constraints contradict each other.
static bool solve_multipliers(const LengthYarn* yarn) {
    int32_t n = yarn->def->segment_count;
    bool is_closed = yarn->def->def.is_closed;
    bool is_short = is_closed && n < 7; // segments may share points on both sides
    hed_skyline_clear(yarn->matrix);
    for (int32_t i = 0; i < n; ++i) {
        for (int32_t j = hed_max_i32(0, i - 3); j <= i; ++j) {
            *hed_skyline_at(yarn->matrix, i, j) =
                is_short ? entry_of(yarn, i, j) : near_entry(yarn, i, i - j);
        }
        for (int32_t j = 0; j < 3 && is_closed && i >= n - 3 && j < i - 3; ++j) {
            *hed_skyline_at(yarn->matrix, i, j) = entry_of(yarn, i, j);
        }
    }
    bool ok = hed_skyline_factor(yarn->matrix);
    if (ok) {
        hed_skyline_solve(yarn->matrix, yarn->value);
    }
    return ok;
}

// Moves control points, none by more than the length of a segment.
static void move(const LengthYarn* yarn) {
    const double* length = yarn->splines->length + yarn->def->first_segment;
    double most = 0.0;
    for (int32_t i = 0; i < yarn->def->segment_count; ++i) {
        for (int k = 0; k < 4; ++k) {
            double w = yarn->inverse_mass[yarn->point[4 * (int64_t)i + k]];
            double go = hed_norm3(yarn->gradient[4 * (int64_t)i + k]) * fabs(yarn->value[i]) * w;
            most = fmax(most, go / length[i]);
        }
    }
    double part = most > 1.0 ? 1.0 / most : 1.0;
    for (int32_t i = 0; i < yarn->def->segment_count; ++i) {
        for (int k = 0; k < 4; ++k) {
            int32_t p = yarn->point[4 * (int64_t)i + k];
            double by = -part * yarn->inverse_mass[p] * yarn->value[i];
            yarn->x[p] = hed_madd3(yarn->x[p], by, yarn->gradient[4 * (int64_t)i + k]);
        }
    }
}

static void project_yarn(HedSplineLengths* lengths, int32_t y, const LengthYarn* yarn,
                         HedProjectionLimit limit) {
    double worst = measure(yarn);
    int32_t iteration = 0;
    bool ok = true;
    while (ok && worst > limit.tolerance && iteration < limit.iterations) {
        ok = solve_multipliers(yarn);
        if (ok) {
            move(yarn);
            worst = measure(yarn);
            ++iteration;
        }
    }
    lengths->error[y] = worst;
    lengths->iterations[y] = iteration;
}

HedProjection hed_spline_lengths_project(HedSplineLengths* lengths, const HedSplines* splines,
                                         const HedTeam* team, HedProjectionLimit limit,
                                         const double* inverse_mass, HedVec3* x) {
#pragma omp parallel for schedule(dynamic)                                                         \
    num_threads(hed_team_size(team, 500 * (int64_t)splines->segment_count))
    for (int32_t y = 0; y < lengths->count; ++y) {
        const HedSpline* def = &splines->yarn[y];
        lengths->error[y] = 0.0;
        lengths->iterations[y] = 0;
        if (!def->def.keeps_length) {
            continue;
        }
        LengthYarn yarn = {splines,
                           def,
                           splines->point + 4 * (int64_t)def->first_segment,
                           lengths->gradient + 4 * (int64_t)def->first_segment,
                           lengths->value + def->first_segment,
                           &lengths->matrix[y],
                           inverse_mass,
                           x};
        project_yarn(lengths, y, &yarn, limit);
    }
    HedProjection report = {0, 0.0, true};
    for (int32_t y = 0; y < lengths->count; ++y) {
        report.iterations = hed_max_i32(report.iterations, lengths->iterations[y]);
        report.error = fmax(report.error, lengths->error[y]);
        report.is_converged = report.is_converged && lengths->error[y] <= limit.tolerance;
    }
    return report;
}
