// SPDX-License-Identifier: MIT
#include "model/nonrigid.h"
#include "base/alloc.h"
#include "math/mat3.h"

#include <string.h>

// A principal moment below this part of the largest is that of a line about itself.
static const double LINE = 1e-14;

// The lists of regions per point, by counting.
static HedStatus invert(HedRegions* regions, HedError* error) {
    int32_t total = regions->first[regions->count];
    regions->of_first = HED_NEW_ARRAY(int32_t, (int64_t)regions->point_count + 2);
    regions->of = HED_NEW_ARRAY(int32_t, total);
    regions->motion = HED_NEW_ARRAY(HedRegionMotion, regions->count);
    if (!regions->of_first || !regions->of || !regions->motion) {
        return hed_fail_memory(error, "damping regions");
    }
    // Sizes go two places up, so that filling leaves the starts where they belong.
    for (int32_t k = 0; k < total; ++k) {
        ++regions->of_first[regions->point[k] + 2];
    }
    for (int32_t p = 1; p <= regions->point_count; ++p) {
        regions->of_first[p + 1] += regions->of_first[p];
    }
    for (int32_t r = 0; r < regions->count; ++r) {
        for (int32_t k = regions->first[r]; k < regions->first[r + 1]; ++k) {
            regions->of[regions->of_first[regions->point[k] + 1]++] = r;
        }
    }
    return HED_OK;
}

// seen[p] holds the last region that had p, plus one.
static HedStatus check_region(const HedRegions* regions, int32_t r, int32_t* seen,
                              HedError* error) {
    for (int32_t k = regions->first[r]; k < regions->first[r + 1]; ++k) {
        int32_t p = regions->point[k];
        if (p < 0 || p >= regions->point_count) {
            return hed_fail(error, HED_INVALID, "damping region %d: point must be in 0..%d, got %d",
                            r, regions->point_count - 1, p);
        }
        if (seen[p] == r + 1) {
            return hed_fail(error, HED_INVALID, "damping region %d: has point %d twice", r, p);
        }
        seen[p] = r + 1;
    }
    return HED_OK;
}

HedStatus hed_regions_create(HedRegions* regions, const int32_t* first, const int32_t* point,
                             int32_t count, int32_t point_count, HedError* error) {
    HedStatus status = HED_OK;
    *regions = (HedRegions){.count = count, .point_count = point_count};
    regions->first = HED_NEW_ARRAY(int32_t, (int64_t)count + 1);
    regions->point = HED_NEW_ARRAY(int32_t, count > 0 ? first[count] : 0);
    int32_t* seen = HED_NEW_ARRAY(int32_t, point_count);
    if (!regions->first || !regions->point || !seen) {
        HED_TRY(hed_fail_memory(error, "damping regions"));
    }
    for (int32_t r = 0; r < count; ++r) {
        if (first[r] > first[r + 1] || first[0] != 0) {
            HED_TRY(hed_fail(error, HED_INVALID,
                             "damping region %d: starts must rise from 0, got %d and %d", r,
                             first[r], first[r + 1]));
        }
    }
    if (count > 0) {
        memcpy(regions->first, first, sizeof(int32_t) * ((size_t)count + 1));
        memcpy(regions->point, point, sizeof(int32_t) * (size_t)first[count]);
    }
    for (int32_t r = 0; r < count; ++r) {
        HED_TRY(check_region(regions, r, seen, error));
    }
    HED_TRY(invert(regions, error));
done:
    hed_free(seen);
    if (status != HED_OK) {
        hed_regions_free(regions);
    }
    return status;
}

void hed_regions_free(HedRegions* regions) {
    hed_free(regions->first);
    hed_free(regions->point);
    hed_free(regions->of_first);
    hed_free(regions->of);
    hed_free(regions->motion);
    *regions = (HedRegions){0};
}

void hed_region_lists_free(HedRegionLists* lists) {
    hed_free(lists->first.data);
    hed_free(lists->point.data);
    *lists = (HedRegionLists){0};
}

int32_t hed_region_lists_count(const HedRegionLists* lists) {
    return lists->first.count > 0 ? lists->first.count - 1 : 0;
}

bool hed_region_lists_add(HedRegionLists* lists, int32_t point) {
    return HED_APPEND(&lists->point, point);
}

bool hed_region_lists_end(HedRegionLists* lists) {
    bool has_start = lists->first.count > 0 || HED_APPEND(&lists->first, 0);
    return has_start && HED_APPEND(&lists->first, lists->point.count);
}

HedStatus hed_regions_of_lists(HedRegions* regions, const HedRegionLists* lists,
                               int32_t point_count, HedError* error) {
    return hed_regions_create(regions, lists->first.data, lists->point.data,
                              hed_region_lists_count(lists), point_count, error);
}

// Points from k on until the arc is `size` long; at least two, at most all. Returns how many.
static int32_t points_along(const HedRegionYarn* yarn, int32_t k, double size) {
    double arc = 0.0;
    int32_t count = 1;
    int32_t most = yarn->is_closed ? yarn->point_count : yarn->point_count - k;
    while (count < most && (arc < size || count < 2)) {
        arc += yarn->length[(k + count - 1) % yarn->point_count];
        ++count;
    }
    return count;
}

static bool cut_yarn(const HedRegionYarn* yarn, double size, HedRegionLists* lists) {
    bool is_done = false;
    for (int32_t k = 0; !is_done && k < yarn->point_count;) {
        int32_t count = points_along(yarn, k, size);
        for (int32_t m = 0; m < count; ++m) {
            if (!hed_region_lists_add(lists, yarn->first + (k + m) % yarn->point_count)) {
                return false;
            }
        }
        if (!hed_region_lists_end(lists)) {
            return false;
        }
        is_done = yarn->is_closed ? count == yarn->point_count : k + count == yarn->point_count;
        k += hed_max_i32(1, count / 2);
    }
    return true;
}

HedStatus hed_regions_along(const HedRegionYarn* yarns, int32_t count, double size,
                            HedRegionLists* lists, HedError* error) {
    if (!(size > 0.0)) {
        return hed_fail(error, HED_INVALID, "length of damping regions must be positive, got %g",
                        size);
    }
    for (int32_t y = 0; y < count; ++y) {
        if (!cut_yarn(&yarns[y], size, lists)) {
            return hed_fail_memory(error, "damping regions");
        }
    }
    return HED_OK;
}

// The share of a point's mass that each of its regions has.
static double share_of(const HedRegions* regions, const double* mass, int32_t p) {
    return mass[p] / (regions->of_first[p + 1] - regions->of_first[p]);
}

// The spin that has the angular momentum l with the inertia tensor; none about an axis without
// inertia.
static HedVec3 spin_of(HedMat3 inertia, HedVec3 l) {
    HedEigen3 e = hed_mat3_eigen(inertia);
    HedVec3 spin = {0};
    for (int k = 0; k < 3; ++k) {
        HedVec3 axis = {e.vectors.m[0][k], e.vectors.m[1][k], e.vectors.m[2][k]};
        if (e.value[k] > LINE * e.value[2]) {
            spin = hed_madd3(spin, hed_dot3(axis, l) / e.value[k], axis);
        }
    }
    return spin;
}

static HedVec3 rigid_velocity(const HedRegionMotion* m, HedVec3 x) {
    return hed_add3(m->velocity, hed_cross3(m->spin, hed_sub3(x, m->center)));
}

static HedRegionMotion measure_rigid(const HedRegions* regions, int32_t r, const HedVec3* x,
                                     const double* mass, const HedVec3* v) {
    HedRegionMotion m = {0};
    double total = 0.0;
    for (int32_t k = regions->first[r]; k < regions->first[r + 1]; ++k) {
        int32_t p = regions->point[k];
        double share = share_of(regions, mass, p);
        total += share;
        m.center = hed_madd3(m.center, share, x[p]);
        m.velocity = hed_madd3(m.velocity, share, v[p]);
    }
    double over = total > 0.0 ? 1.0 / total : 0.0;
    m.center = hed_mul3(over, m.center);
    m.velocity = hed_mul3(over, m.velocity);
    HedMat3 inertia = {0};
    HedVec3 l = {0};
    for (int32_t k = regions->first[r]; k < regions->first[r + 1]; ++k) {
        int32_t p = regions->point[k];
        double share = share_of(regions, mass, p);
        HedVec3 d = hed_sub3(x[p], m.center);
        l = hed_madd3(l, share, hed_cross3(d, hed_sub3(v[p], m.velocity)));
        inertia = hed_mat3_add(inertia, hed_mat3_outer_diag(-share, d, share * hed_dot3(d, d)));
    }
    m.spin = spin_of(inertia, l);
    return m;
}

static void measure_region(HedRegions* regions, int32_t r, HedNonrigid by, const HedVec3* x,
                           const double* mass, const HedVec3* v) {
    HedRegionMotion m = measure_rigid(regions, r, x, mass, v);
    double square = 0.0;
    int32_t count = regions->first[r + 1] - regions->first[r];
    for (int32_t k = regions->first[r]; k < regions->first[r + 1]; ++k) {
        int32_t p = regions->point[k];
        HedVec3 d = hed_sub3(v[p], rigid_velocity(&m, x[p]));
        square += hed_dot3(d, d);
    }
    double slow = square > 0.0 ? by.constant * sqrt(count / square) : 0.0;
    m.part = count > 1 ? fmin(1.0, fmax(by.proportional, slow)) : 0.0;
    regions->motion[r] = m;
}

static void damp_point(const HedRegions* regions, int32_t p, const HedVec3* x, HedVec3* v) {
    int32_t begin = regions->of_first[p], end = regions->of_first[p + 1];
    HedVec3 change = {0};
    for (int32_t k = begin; k < end; ++k) {
        const HedRegionMotion* m = &regions->motion[regions->of[k]];
        change = hed_madd3(change, m->part, hed_sub3(rigid_velocity(m, x[p]), v[p]));
    }
    if (end > begin) {
        v[p] = hed_madd3(v[p], 1.0 / (end - begin), change);
    }
}

static void measure_regions(HedRegions* regions, const HedTeam* team, HedNonrigid by,
                            const HedVec3* x, const double* mass, const HedVec3* v) {
#pragma omp parallel for schedule(static)                                                          \
    num_threads(hed_team_size(team, INT64_C(60) * regions->point_count))
    for (int32_t r = 0; r < regions->count; ++r) {
        measure_region(regions, r, by, x, mass, v);
    }
}

void hed_nonrigid_damp(HedRegions* regions, const HedTeam* team, HedNonrigid by, const HedVec3* x,
                       const double* mass, HedVec3* v) {
    measure_regions(regions, team, by, x, mass, v);
#pragma omp parallel for schedule(static)                                                          \
    num_threads(hed_team_size(team, INT64_C(60) * regions->point_count))
    for (int32_t p = 0; p < regions->point_count; ++p) {
        damp_point(regions, p, x, v);
    }
}

// The motions that a region damps have no momentum, so what they lose is what it loses.
void hed_nonrigid_power(const HedRegionsAt* at, HedNonrigid rate, double* power) {
    const double soon = 1e-9; // s: regions stop nothing in so short a time
    HedRegions* regions = at->regions;
    HedNonrigid by = {soon * rate.proportional, soon * rate.constant};
    measure_regions(regions, at->team, by, at->x, at->mass, at->v);
    for (int32_t p = 0; p < regions->point_count; ++p) {
        power[p] = 0.0;
        for (int32_t k = regions->of_first[p]; k < regions->of_first[p + 1]; ++k) {
            const HedRegionMotion* m = &regions->motion[regions->of[k]];
            HedVec3 d = hed_sub3(at->v[p], rigid_velocity(m, at->x[p]));
            power[p] += share_of(regions, at->mass, p) * m->part / soon * hed_dot3(d, d);
        }
    }
}
