// SPDX-License-Identifier: MIT
#include "model/rod/rod.h"
#include "base/alloc.h"
#include "model/rod/internal.h"

#include <string.h>

enum { STATE_ARRAYS = 12, PLAIN_ARRAYS = 18 };

static HedStatus check_def(const HedRodDef* def, int32_t r, const HedVec3* x, HedError* error) {
    int32_t least = def->is_closed ? 3 : 2;
    if (def->point_count < least) {
        return hed_fail(error, HED_INVALID, "rod %d: %s rod needs at least %d points, got %d", r,
                        def->is_closed ? "a closed" : "an open", least, def->point_count);
    }
    const double values[8] = {def->bend[0],
                              def->bend[1],
                              def->twist,
                              def->density,
                              fabs(def->natural_twist),
                              def->plastic,
                              def->plastic_limit,
                              fabs(def->closing_twist)};
    const char* const names[8] = {"bending stiffness", "bending stiffness", "twisting stiffness",
                                  "density",           "natural twist",     "plastic distance",
                                  "plastic limit",     "closing twist"};
    for (int k = 0; k < 8; ++k) {
        if (!(values[k] >= 0.0 && isfinite(values[k]))) {
            return hed_fail(error, HED_INVALID,
                            "rod %d: %s must be finite and not negative, got %g", r, names[k],
                            values[k]);
        }
    }
    for (int32_t k = 0; k < def->point_count; ++k) {
        HedVec3 p = x[def->first + k];
        if (!hed_is_finite3(p)) {
            return hed_fail(error, HED_INVALID, "rod %d: point %d must be finite, got (%g, %g, %g)",
                            r, k, p.x, p.y, p.z);
        }
    }
    return HED_OK;
}

static HedStatus count_slots(HedRods* rods, const HedRodDef* defs, int32_t count, const HedVec3* x,
                             HedError* error) {
    int64_t slots = 0;
    for (int32_t r = 0; r < count; ++r) {
        HedStatus status = check_def(&defs[r], r, x, error);
        if (status != HED_OK) {
            return status;
        }
        if (r > 0 && defs[r].first < defs[r - 1].first + defs[r - 1].point_count) {
            return hed_fail(error, HED_INVALID,
                            "rod %d: must begin after the last point of rod %d (%d), begins at %d",
                            r, r - 1, defs[r - 1].first + defs[r - 1].point_count - 1,
                            defs[r].first);
        }
        bool is_round = defs[r].bend[0] == defs[r].bend[1];
        rods->rod[r] = (HedRod){
            .def = defs[r],
            .first_slot = (int32_t)slots,
            .segment_count = defs[r].point_count - !defs[r].is_closed,
            .is_plain = is_round && !defs[r].is_bent_at_rest && defs[r].plastic == 0.0,
        };
        slots += (int64_t)defs[r].point_count + HED_ROD_AROUND;
        if (slots > INT32_MAX) {
            return hed_fail(error, HED_INVALID, "rod %d: rods have more than %d points together", r,
                            INT32_MAX);
        }
        rods->vertex_count += defs[r].point_count;
    }
    rods->rod_count = count;
    rods->slot_count = (int32_t)slots;
    return HED_OK;
}

static double* take(double** next, int64_t count) {
    double* block = *next;
    *next += count;
    return block;
}

static HedRodVectors take_vectors(double** next, int64_t count) {
    HedRodVectors v;
    v.x = take(next, count);
    v.y = take(next, count);
    v.z = take(next, count);
    return v;
}

// The parts of the memory.
static void place_arrays(HedRods* rods) {
    int64_t n = rods->slot_count;
    double* next = rods->memory;
    rods->state = next;
    rods->state_count = STATE_ARRAYS * n;
    rods->old_t = take_vectors(&next, n);
    rods->old_u = take_vectors(&next, n);
    rods->old_theta = take(&next, n);
    rods->old_twist = take(&next, n);
    for (int c = 0; c < 4; ++c) {
        rods->curve[c] = take(&next, n);
    }
    rods->t = take_vectors(&next, n);
    rods->u = take_vectors(&next, n);
    rods->m = take_vectors(&next, n);
    double** const plain[] = {&rods->inverse, &rods->theta,   &rods->twist,
                              &rods->moment,  &rods->bend[0], &rods->bend[1],
                              &rods->stiff,   &rods->turn,    &rods->length};
    for (size_t k = 0; k < sizeof plain / sizeof plain[0]; ++k) {
        *plain[k] = take(&next, n);
    }
}

static HedStatus allocate(HedRods* rods, HedError* error) {
    int64_t n = rods->slot_count;
    rods->memory = HED_NEW_ARRAY(double, (STATE_ARRAYS + PLAIN_ARRAYS) * n);
    rods->work = HED_NEW_ARRAY(double, HED_ROD_WORK* n);
    rods->is_held = HED_NEW_ARRAY(uint8_t, n);
    rods->stencil = HED_NEW_ARRAY(int32_t, 3 * (int64_t)rods->vertex_count);
    rods->vertex = HED_NEW_ARRAY(int32_t, rods->vertex_count);
    if (!rods->memory || !rods->work || !rods->is_held || !rods->stencil || !rods->vertex) {
        return hed_fail_memory(error, "rods");
    }
    place_arrays(rods);
    return HED_OK;
}

// Rods and ranges both rise, so one walk finds which parts of rods lie in which range.
static void walk_runs(HedRods* rods, HedRanges ranges, bool is_counting) {
    int32_t low = 0;
    rods->run_count = 0;
    for (int32_t k = 0; k < ranges.count; ++k) {
        int32_t first = ranges.first[k];
        int32_t end = ranges.first[k + 1];
        rods->run_first[k] = rods->run_count;
        for (int32_t r = low; r < rods->rod_count && rods->rod[r].def.first < end; ++r) {
            const HedRodDef* def = &rods->rod[r].def;
            int32_t from = hed_max_i32(first, def->first) - def->first;
            int32_t to = hed_min_i32(end - def->first, def->point_count);
            low = to == def->point_count ? r + 1 : low;
            if (from < to && !is_counting) {
                rods->run[rods->run_count] = (HedRodRun){r, from, to};
            }
            rods->run_count += from < to;
        }
    }
    rods->run_first[ranges.count] = rods->run_count;
}

static HedStatus create_runs(HedRods* rods, HedRanges ranges, HedError* error) {
    rods->range_count = ranges.count;
    rods->run_first = HED_NEW_ARRAY(int32_t, (int64_t)ranges.count + 1);
    if (!rods->run_first) {
        return hed_fail_memory(error, "runs of rods");
    }
    walk_runs(rods, ranges, true);
    rods->run = HED_NEW_ARRAY(HedRodRun, rods->run_count);
    if (!rods->run) {
        return hed_fail_memory(error, "runs of rods");
    }
    walk_runs(rods, ranges, false);
    return HED_OK;
}

// Slots outside of a rod's segments: some frame, no length, no stiffness.
static void fill_empty(HedRods* rods) {
    for (int32_t i = 0; i < rods->slot_count; ++i) {
        hed_rod_set(rods->old_t, i, (HedVec3){1.0, 0.0, 0.0});
        hed_rod_set(rods->old_u, i, (HedVec3){0.0, 1.0, 0.0});
    }
}

static HedStatus place_segments(HedRods* rods, int32_t r, const HedVec3* x, HedError* error) {
    const HedRod* rod = &rods->rod[r];
    const HedVec3* p = x + rod->def.first;
    for (int32_t k = 0; k < rod->segment_count; ++k) {
        HedVec3 e = hed_sub3(p[(k + 1) % rod->def.point_count], p[k]);
        double length = hed_norm3(e);
        int32_t i = hed_rod_slot(rod, k);
        if (!(length > 0.0 && isfinite(1.0 / length))) {
            return hed_fail(error, HED_INVALID,
                            "rod %d: segment %d must have a length, got %g between equal points", r,
                            k, length);
        }
        rods->length[i] = length;
        rods->inverse[i] = 1.0 / length;
        hed_rod_set(rods->old_t, i, hed_mul3(1.0 / length, e));
    }
    hed_rod_wrap(rod, rods->length);
    return HED_OK;
}

// Frames without twist from the first segment on, material frames turned by the natural twist.
static void place_frames(HedRods* rods, const HedRod* rod) {
    int32_t first = hed_rod_slot(rod, 0);
    HedVec3 t = hed_rod_vector(rods->old_t, first);
    HedVec3 u = hed_across3(rod->def.director, t);
    hed_rod_set(rods->old_u, first, u);
    for (int32_t k = 1; k < rod->segment_count; ++k) {
        HedVec3 next = hed_rod_vector(rods->old_t, first + k);
        u = hed_across3(hed_transport3(u, t, next), next);
        t = next;
        hed_rod_set(rods->old_u, first + k, u);
        double middle = 0.5 * (rods->length[first + k - 1] + rods->length[first + k]);
        rods->old_theta[first + k] =
            rods->old_theta[first + k - 1] + rod->def.natural_twist * middle;
    }
    if (rod->def.is_closed) {
        rods->old_twist[first] = hed_frame_twist(t, u, hed_rod_vector(rods->old_t, first),
                                                 hed_rod_vector(rods->old_u, first));
    }
}

// Half the lengths of the neighbours; those outside of an open rod have none.
static double middle_of(const HedRods* rods, int32_t i) {
    return 0.5 * (rods->length[i - 1] + rods->length[i]);
}

static void stiffen(HedRods* rods, const HedRod* rod, int32_t i) {
    double middle = middle_of(rods, i);
    rods->bend[0][i] = rod->def.bend[0] / (2.0 * middle);
    rods->bend[1][i] = rod->def.bend[1] / (2.0 * middle);
    rods->stiff[i] = rod->def.twist / middle;
}

// The ends of an open rod have no stiffness until they are clamped.
static void place_stiffness(HedRods* rods, const HedRod* rod) {
    int32_t end = !rod->def.is_closed;
    for (int32_t k = 0; k < rod->def.point_count; ++k) {
        int32_t i = hed_rod_slot(rod, k);
        rods->turn[i] = rod->def.natural_twist * middle_of(rods, i);
        if (k >= end && k < rod->def.point_count - end) {
            stiffen(rods, rod, i);
        }
    }
}

// Makes the state of prepare equal to the committed one.
static void start_from_old(HedRods* rods) {
    size_t bytes = sizeof(double) * (size_t)rods->slot_count;
    memcpy(rods->t.x, rods->old_t.x, 3 * bytes);
    memcpy(rods->u.x, rods->old_u.x, 3 * bytes);
    memcpy(rods->theta, rods->old_theta, bytes);
    memcpy(rods->twist, rods->old_twist, bytes);
    for (int32_t i = 0; i < rods->slot_count; ++i) {
        HedVec3 m =
            hed_director3(hed_rod_vector(rods->u, i), hed_rod_vector(rods->t, i), rods->theta[i]);
        hed_rod_set(rods->m, i, m);
    }
    for (int32_t r = 0; r < rods->rod_count; ++r) {
        const HedRod* rod = &rods->rod[r];
        hed_rod_wrap_vectors(rod, rods->t);
        hed_rod_wrap_vectors(rod, rods->m);
        hed_rod_wrap(rod, rods->theta);
        hed_rod_wrap(rod, rods->inverse);
    }
}

static void place_rest(HedRods* rods, const HedRod* rod) {
    int32_t end = !rod->def.is_closed;
    for (int32_t k = end; k < rod->def.point_count - end; ++k) {
        int32_t i = hed_rod_slot(rod, k);
        if (rod->def.is_bent_at_rest) {
            HedRodParts p = hed_rod_parts(hed_rod_frame(rods, i - 1), hed_rod_frame(rods, i),
                                          hed_rod_rest(rods, i));
            for (int c = 0; c < 4; ++c) {
                rods->curve[c][i] = p.w[c / 2][c % 2];
            }
            rods->turn[i] = rods->theta[i] - rods->theta[i - 1] + rods->twist[i];
        }
        rods->turn[i] -= k == 0 ? rod->def.closing_twist : 0.0;
    }
    double* const values[] = {rods->curve[0], rods->curve[1], rods->curve[2], rods->curve[3],
                              rods->bend[0],  rods->bend[1],  rods->stiff,    rods->turn};
    for (size_t k = 0; k < sizeof values / sizeof values[0]; ++k) {
        hed_rod_wrap(rod, values[k]);
    }
}

// The ends of an open rod stand on two points; the end itself takes the place of the third.
static void list_vertices(HedRods* rods) {
    int32_t v = 0;
    for (int32_t r = 0; r < rods->rod_count; ++r) {
        const HedRod* rod = &rods->rod[r];
        int32_t n = rod->def.point_count;
        for (int32_t k = 0; k < n; ++k) {
            int32_t before = k > 0 ? k - 1 : (rod->def.is_closed ? n - 1 : 0);
            int32_t after = k + 1 < n ? k + 1 : (rod->def.is_closed ? 0 : k);
            rods->vertex[v] = hed_rod_slot(rod, k);
            rods->stencil[3 * (int64_t)v] = rod->def.first + before;
            rods->stencil[3 * (int64_t)v + 1] = rod->def.first + k;
            rods->stencil[3 * (int64_t)v + 2] = rod->def.first + after;
            ++v;
        }
    }
}

HedStatus hed_rods_create(HedRods* rods, const HedRodDef* defs, int32_t count, const HedVec3* x,
                          HedRanges ranges, HedError* error) {
    HedStatus status = HED_OK;
    *rods = (HedRods){0};
    rods->rod = HED_NEW_ARRAY(HedRod, count);
    if (!rods->rod) {
        return hed_fail_memory(error, "rods");
    }
    HED_TRY(count_slots(rods, defs, count, x, error));
    HED_TRY(allocate(rods, error));
    fill_empty(rods);
    for (int32_t r = 0; r < count; ++r) {
        HED_TRY(place_segments(rods, r, x, error));
        place_frames(rods, &rods->rod[r]);
        place_stiffness(rods, &rods->rod[r]);
    }
    start_from_old(rods);
    for (int32_t r = 0; r < count; ++r) {
        place_rest(rods, &rods->rod[r]);
    }
    list_vertices(rods);
    HED_TRY(create_runs(rods, ranges, error));
    HED_TRY(hed_groups_create(&rods->groups, ranges,
                              (HedStencils){rods->stencil, 3, rods->vertex_count}, error));
done:
    if (status != HED_OK) {
        hed_rods_free(rods);
    }
    return status;
}

void hed_rods_clone(HedRods* rods, HedClones* clones) {
    HED_CLONE(clones, rods->rod, rods->rod_count);
    HED_CLONE(clones, rods->memory, (STATE_ARRAYS + PLAIN_ARRAYS) * (int64_t)rods->slot_count);
    HED_CLONE(clones, rods->work, HED_ROD_WORK * (int64_t)rods->slot_count);
    if (!clones->is_out) {
        place_arrays(rods);
    }
}

void hed_rods_free(HedRods* rods) {
    hed_free(rods->rod);
    hed_free(rods->memory);
    hed_free(rods->work);
    hed_free(rods->is_held);
    hed_free(rods->run);
    hed_free(rods->run_first);
    hed_free(rods->stencil);
    hed_free(rods->vertex);
    hed_groups_free(&rods->groups);
    hed_free(rods->slot);
    *rods = (HedRods){0};
}

void hed_rods_hold(HedRods* rods, int32_t rod, int32_t segment, HedVec3 direction) {
    int32_t i = hed_rod_slot(&rods->rod[rod], segment);
    HedVec3 t = hed_rod_vector(rods->old_t, i);
    double angle = hed_angle_about(hed_rod_vector(rods->old_u, i), hed_across3(direction, t), t);
    rods->old_theta[i] = hed_angle_near(angle, rods->old_theta[i]);
    hed_rods_keep(rods, rod, segment);
}

void hed_rods_keep(HedRods* rods, int32_t rod, int32_t segment) {
    int32_t i = hed_rod_slot(&rods->rod[rod], segment);
    rods->rod[rod].held_count += !rods->is_held[i];
    rods->is_held[i] = 1;
}

void hed_rods_release(HedRods* rods, int32_t rod, int32_t segment) {
    int32_t i = hed_rod_slot(&rods->rod[rod], segment);
    rods->rod[rod].held_count -= rods->is_held[i];
    rods->is_held[i] = 0;
}

void hed_rods_clamp(HedRods* rods, int32_t r, bool is_last, HedVec3 tangent, HedVec3 director) {
    HedRod* rod = &rods->rod[r];
    HED_ASSERT(!rod->def.is_closed);
    int32_t vertex = hed_rod_slot(rod, is_last ? rod->def.point_count - 1 : 0);
    int32_t wall = is_last ? vertex : vertex - 1;
    HedVec3 t = hed_unit3(tangent, hed_rod_vector(rods->t, wall));
    HedVec3 u = hed_across3(director, t);
    hed_rod_set(rods->t, wall, t);
    hed_rod_set(rods->u, wall, u);
    hed_rod_set(rods->m, wall, u);
    if (!rods->is_held[wall]) {
        rods->is_held[wall] = 1;
        ++rod->held_count;
        stiffen(rods, rod, vertex);
    }
}

void hed_rods_unclamp(HedRods* rods, int32_t r, bool is_last) {
    HedRod* rod = &rods->rod[r];
    int32_t vertex = hed_rod_slot(rod, is_last ? rod->def.point_count - 1 : 0);
    int32_t wall = is_last ? vertex : vertex - 1;
    rod->held_count -= rods->is_held[wall];
    rods->is_held[wall] = 0;
    rods->bend[0][vertex] = rods->bend[1][vertex] = rods->stiff[vertex] = 0.0;
    rods->moment[vertex] = 0.0;
}

void hed_rods_add_mass(const HedRods* rods, double* mass) {
    for (int32_t r = 0; r < rods->rod_count; ++r) {
        const HedRod* rod = &rods->rod[r];
        for (int32_t k = 0; k < rod->def.point_count; ++k) {
            mass[rod->def.first + k] += rod->def.density * middle_of(rods, hed_rod_slot(rod, k));
        }
    }
}

HedVec3 hed_rods_director(const HedRods* rods, int32_t rod, int32_t segment) {
    int32_t i = hed_rod_slot(&rods->rod[rod], segment);
    return hed_director3(hed_rod_vector(rods->u, i), hed_rod_vector(rods->t, i), rods->theta[i]);
}

double hed_rods_twist(const HedRods* rods, int32_t rod) {
    const HedRod* at = &rods->rod[rod];
    double sum = at->def.closing_twist;
    for (int32_t k = 0; k < at->def.point_count; ++k) {
        int32_t i = hed_rod_slot(at, k);
        bool is_joint = rods->stiff[i] > 0.0;
        sum += is_joint ? rods->theta[i] - rods->theta[i - 1] + rods->twist[i] : 0.0;
    }
    return sum;
}
