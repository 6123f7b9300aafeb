// SPDX-License-Identifier: MIT
#include "base/alloc.h"
#include "contact/yarn_ccd.h"
#include "relax/relax.h"

#include <string.h>

static double square(double a) {
    return a * a;
}

// The mean diameter, weighed by points.
static double mean_diameter(const HedFabric* fabric) {
    double sum = 0.0;
    for (int32_t k = 0; k < fabric->yarn_count; ++k) {
        sum += fabric->yarns[k].diameter * fabric->yarns[k].count;
    }
    return sum / fabric->point_count;
}

static bool allocate(HedRelax* r, int32_t end_count) {
    int64_t n = (int64_t)r->count + end_count;
    r->next = HED_NEW_ARRAY(int32_t, n);
    r->prev = HED_NEW_ARRAY(int32_t, n);
    r->next_at = HED_NEW_ARRAY(int32_t, n);
    r->prev_at = HED_NEW_ARRAY(int32_t, n);
    r->length = HED_NEW_ARRAY(double, n);
    r->bend = HED_NEW_ARRAY(double, n);
    r->mass = HED_NEW_ARRAY(double, n);
    r->x = HED_NEW_ARRAY(HedVec3, n);
    r->v = HED_NEW_ARRAY(HedVec3, n);
    r->moves = HED_NEW_ARRAY(HedVec3, n);
    r->force = HED_NEW_ARRAY(HedVec3, n);
    r->first = HED_NEW_ARRAY(HedVec3, n);
    r->last = HED_NEW_ARRAY(HedVec3, n);
    r->tension = HED_NEW_ARRAY(HedVec3, n);
    r->before = HED_NEW_ARRAY(HedVec3, n);
    r->scratch = HED_NEW_ARRAY(HedVec3, n);
    r->proved = HED_NEW_ARRAY(HedVec3, n);
    r->team.partial_capacity = 4 * hed_block_count((int32_t)(3 * n));
    r->team.partial = HED_NEW_ARRAY(double, r->team.partial_capacity);
    return r->next && r->prev && r->next_at && r->prev_at && r->length && r->bend && r->mass &&
           r->x && r->v && r->moves && r->force && r->first && r->last && r->tension && r->before &&
           r->scratch && r->proved && r->team.partial;
}

static void join_yarn(HedRelax* r, const HedFabricYarn* yarn) {
    bool is_round = yarn->is_closed || hed_turns_on(yarn->turns);
    for (int32_t k = 0; k < yarn->count; ++k) {
        int32_t i = yarn->first + k;
        bool is_first = k == 0, is_last = k + 1 == yarn->count;
        r->prev[i] = is_first ? (is_round ? yarn->first + yarn->count - 1 : -1) : i - 1;
        r->next[i] = is_last ? (is_round ? yarn->first : -1) : i + 1;
        r->prev_at[i] = r->prev[i];
        r->next_at[i] = r->next[i];
        r->bend[i] = square(yarn->diameter / r->unit);
    }
}

static HedStatus set_lengths(HedRelax* r, HedError* error) {
    for (int32_t i = 0; i < r->count; ++i) {
        if (r->next[i] < 0) {
            continue;
        }
        double start = hed_distance3(r->x[i], r->x[r->next_at[i]]);
        r->length[i] = r->def.lengths ? r->def.lengths[i] / r->unit : r->def.shrink * start;
        if (!(r->length[i] > 1e-4) || !(r->length[i] < 1e4) || !(start > 0.0)) {
            return hed_fail(error, HED_INVALID,
                            "relaxation: the yarn is %g diameters long from point %d to the next "
                            "one, not 1e-4 to 1e4",
                            r->length[i], i);
        }
    }
    return HED_OK;
}

HedStatus hed_relax_create(HedRelax* relax, const HedFabric* fabric, const HedRelaxDef* def,
                           HedError* error) {
    HedRelax* r = relax;
    r->def = *def;
    HedStatus status = HED_OK;
    int32_t ends = 0;
    r->points = r->count = fabric->point_count;
    r->repeats = hed_dot3(fabric->period[0], fabric->period[0]) > 0.0;
    for (int32_t k = 0; k < fabric->yarn_count && r->repeats; ++k) {
        ends += hed_turns_on(fabric->yarns[k].turns) ? HED_YARN_ENDS : 0;
    }
    r->count += r->repeats ? 2 : 0;
    r->unit = mean_diameter(fabric);
    r->yarn_count = fabric->yarn_count;
    r->team.threads = hed_thread_count(def->threads);
    if (!allocate(r, ends)) {
        return hed_fail_memory(error, "relaxation");
    }
    for (int32_t i = 0; i < r->points; ++i) {
        r->x[i] = hed_mul3(1.0 / r->unit, fabric->points[i]);
    }
    for (int32_t k = 0; k < fabric->yarn_count; ++k) {
        join_yarn(r, &fabric->yarns[k]);
    }
    for (int32_t i = r->points; i < r->count; ++i) {
        r->next[i] = r->prev[i] = -1;
    }
    HED_TRY(hed_relax_repeat(r, fabric, error));
    HED_TRY(set_lengths(r, error));
done:
    return status;
}

void hed_relax_free(HedRelax* relax) {
    HedRelax* r = relax;
    void* blocks[] = {r->next,    r->prev,    r->length,       r->bend,   r->mass,
                      r->x,       r->v,       r->force,        r->first,  r->last,
                      r->tension, r->before,  r->scratch,      r->turns,  r->moves,
                      r->proved,  r->next_at, r->team.partial, r->prev_at};
    for (size_t k = 0; k < sizeof blocks / sizeof blocks[0]; ++k) {
        hed_free(blocks[k]);
    }
    hed_copies_free(&r->copies);
    hed_yarn_contact_free(&r->contact);
}

// Returns the length of the longest segment over the radius.
static double add_curve(const HedRelax* r, const HedFabricYarn* yarn, double part,
                        HedYarnBuild* b) {
    bool goes_on = hed_turns_on(yarn->turns);
    int32_t n = goes_on ? yarn->count
                        : hed_cubic_count(HED_CUBIC_CATMULL_ROM, yarn->count, yarn->is_closed);
    double radius = 0.5 * yarn->diameter / r->unit;
    double longest = 0.0;
    b->leads[b->curve_count] = (HedYarnLead){b->curve_count, 0.0};
    b->curves[b->curve_count++] = (HedYarnCurve){.basis = HED_CUBIC_CATMULL_ROM,
                                                 .first_segment = b->segment_count,
                                                 .segment_count = n,
                                                 .is_closed = yarn->is_closed,
                                                 .radius = part * radius,
                                                 .stiffness = r->def.contact / (part * part)};
    for (int32_t k = 0; k < n; ++k) {
        HedCubicSegment segment = {.place = HED_CUBIC_INNER};
        for (int c = 0; c < 4 && goes_on; ++c) {
            segment.point[c] = hed_relax_point(r, yarn, k - 1 + c);
        }
        b->segments[b->segment_count] = goes_on
                                            ? segment
                                            : hed_cubic_segment(HED_CUBIC_CATMULL_ROM, yarn->first,
                                                                yarn->count, yarn->is_closed, k);
        b->rest[b->segment_count] = r->length[yarn->first + k];
        longest = fmax(longest, r->length[yarn->first + k] / (part * radius));
        b->segment_count += 1;
    }
    return longest;
}

// Quadrature points stand no further apart than the radius, or yarns could cross between them.
static int32_t quadrature_for(double longest) {
    double count = 1.0 + 2.0 * ceil(0.5 * longest);
    return (int32_t)fmin(fmax(count, 3.0), (double)HED_YARN_POINTS_MOST);
}

// Friction takes hold over a fifth of the diameter: over less it would be much stiffer than all
// else, and masses with it.
static const double PRESLIDING = 0.2;

HedStatus hed_relax_set_thickness(HedRelax* relax, const HedFabric* fabric, double part,
                                  HedError* error) {
    HedRelax* r = relax;
    HedStatus status = HED_OK;
    int64_t times = 1 + r->copies.images.count;
    double longest = 0.0;
    HedYarnBuild b = {.segments = HED_NEW_ARRAY(HedCubicSegment, times * r->count),
                      .rest = HED_NEW_ARRAY(double, times * r->count),
                      .curves = HED_NEW_ARRAY(HedYarnCurve, times * fabric->yarn_count),
                      .leads = HED_NEW_ARRAY(HedYarnLead, times * fabric->yarn_count)};
    hed_yarn_contact_free(&r->contact);
    r->contact = (HedYarnContact){0};
    if (!b.segments || !b.rest || !b.curves || !b.leads) {
        status = hed_fail_memory(error, "relaxation");
        goto done;
    }
    for (int32_t k = 0; k < fabric->yarn_count; ++k) {
        longest = fmax(longest, add_curve(r, &fabric->yarns[k], part, &b));
    }
    HedYarnContactDef def = hed_yarn_contact_def_default();
    def.own_count = b.segment_count;
    def.point_count = r->count;
    if (r->repeats) {
        hed_copies_add_images(&r->copies, r->turns, &b);
        def.point_count = hed_copies_count(&r->copies);
    }
    def.leads = b.leads;
    def.segments = b.segments;
    def.rest_length = b.rest;
    def.segment_count = b.segment_count;
    def.curves = b.curves;
    def.curve_count = b.curve_count;
    def.quadrature = quadrature_for(longest);
    def.friction = r->def.friction;
    def.presliding = PRESLIDING;
    def.friction_law = def.friction > 0.0 ? HED_YARN_STICTION : HED_YARN_NO_FRICTION;
    def.team = &r->team;
    HED_TRY(hed_yarn_contact_create(&r->contact, &def, error));
done:
    hed_free(b.segments);
    hed_free(b.rest);
    hed_free(b.curves);
    hed_free(b.leads);
    return status;
}
