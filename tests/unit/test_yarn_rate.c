// SPDX-License-Identifier: MIT
// Bounds for the size of explicit steps, and on how much nearer yarns have come.
#include "contact/yarn_ccd.h"
#include "contact/yarn_contact.h"

#include "base/random.h"

#include <criterion/criterion.h>
#include <string.h>

enum { YARNS = 6, EACH = 12, POINTS = YARNS * EACH };

static const HedTeam TEAMS[3] = {{.threads = 1}, {.threads = 2}, {.threads = 3}};
static const double RADIUS = 5e-4;

static double draw(uint64_t stream, int64_t k) {
    return hed_random_uniform(8, stream, (uint64_t)k) - 0.5;
}

// Two layers of parallel yarns across each other, uneven and pressed together; every other yarn is
// a B-spline.
typedef struct Layers {
    HedVec3 x[POINTS], v[POINTS];
    double mass[POINTS];
    HedYarnContact contact;
} Layers;

static Layers* open_layers(const HedTeam* team, double factor, double friction) {
    Layers* l = HED_NEW(Layers);
    HedCubicSegment segments[POINTS];
    double rest[POINTS];
    HedYarnCurve curves[YARNS];
    HedYarnContactDef def = hed_yarn_contact_def_default();
    cr_assert_not_null(l);
    for (int32_t p = 0; p < POINTS; ++p) {
        int32_t yarn = p / EACH;
        double along = 1e-3 * (p % EACH), across = 3e-3 + 2e-3 * (yarn / 2);
        HedVec3 at = yarn % 2 ? hed_vec3(across, along, 0.9e-3) : hed_vec3(along, across, 0.0);
        l->x[p] = hed_add3(at, hed_mul3(1e-4, hed_vec3(draw(1, p), draw(2, p), draw(3, p))));
        l->v[p] = hed_vec3(draw(4, p), draw(5, p), draw(6, p));
        l->mass[p] = 1e-6 * (1.5 + draw(7, p));
    }
    for (int32_t yarn = 0; yarn < YARNS; ++yarn) {
        HedCubicBasis basis = yarn % 2 ? HED_CUBIC_BSPLINE : HED_CUBIC_CATMULL_ROM;
        int32_t count = hed_cubic_count(basis, EACH, false);
        curves[yarn] =
            (HedYarnCurve){basis, def.segment_count, count, false, factor * RADIUS, 5.0 + yarn};
        for (int32_t s = 0; s < count; ++s, ++def.segment_count) {
            segments[def.segment_count] = hed_cubic_segment(basis, yarn * EACH, EACH, false, s);
            rest[def.segment_count] = 1e-3;
        }
    }
    def.point_count = POINTS;
    def.segments = segments;
    def.rest_length = rest;
    def.curves = curves;
    def.curve_count = YARNS;
    def.contact_free /= factor;
    def.damping_along = 40.0;
    def.friction = friction;
    def.friction_law = friction > 0.0 ? HED_YARN_STICTION : HED_YARN_NO_FRICTION;
    def.team = team;
    cr_assert_eq(hed_yarn_contact_create(&l->contact, &def, NULL), HED_OK);
    cr_assert_eq(hed_yarn_update_ahead(&l->contact, l->x, 0.2, NULL), HED_OK);
    return l;
}

static void close_layers(Layers* l) {
    hed_yarn_contact_free(&l->contact);
    hed_free(l);
}

// Forces and bounds found in one go are those found one after the other, to the last bit.
Test(yarn_rate, together_or_apart) {
    for (int k = 0; k < 6; ++k) {
        Layers* l = open_layers(&TEAMS[k % 3], 1.0, k < 3 ? 0.0 : 0.3);
        HedYarnState at = {l->x, l->v, 1e-5};
        HedYarnBound bound = {l->mass, 0.1, NULL};
        HedVec3 apart[POINTS], both[POINTS];
        HedYarnRate with = {0.0, 0.0};
        memset(apart, 0, sizeof apart);
        memset(both, 0, sizeof both);
        HedYarnRate alone = hed_yarn_rate(&l->contact, at, bound);
        HedYarnSum first = hed_yarn_add_force(&l->contact, at, apart);
        HedYarnSum second = hed_yarn_add_force_rated(&l->contact, at, bound, both, &with);
        cr_assert_gt(alone.stiffness, 0.0);
        cr_assert_gt(alone.damping, 0.0);
        cr_assert_eq(memcmp(&alone, &with, sizeof alone), 0);
        cr_assert_eq(memcmp(&first, &second, sizeof first), 0);
        cr_assert_eq(memcmp(apart, both, sizeof both), 0);
        close_layers(l);
    }
}

// "As if radii were larger" is what larger radii give.
Test(yarn_rate, radii_larger_by_a_part) {
    for (int k = 0; k < 3; ++k) {
        double part = 0.06 * k;
        Layers* thin = open_layers(&TEAMS[0], 1.0, 0.0);
        Layers* thick = open_layers(&TEAMS[0], 1.0 + part, 0.0);
        HedYarnState at = {thin->x, thin->v, 0.0};
        HedYarnRate a = hed_yarn_rate(&thin->contact, at, (HedYarnBound){thin->mass, part, NULL});
        HedYarnRate b = hed_yarn_rate(&thick->contact, at, (HedYarnBound){thick->mass, 0.0, NULL});
        // Sums of some hundred positive numbers that differ by rounding.
        cr_assert_float_eq(a.stiffness, b.stiffness, 1e-12 * b.stiffness);
        // The same.
        cr_assert_float_eq(a.damping, b.damping, 1e-12 * b.damping);
        close_layers(thin);
        close_layers(thick);
    }
}

// m, twice the largest way of any of many places against the mean way of all points.
static double true_motion(const Layers* l, const HedVec3* to) {
    double most = 0.0;
    for (int32_t s = 0; s < l->contact.def.segment_count; ++s) {
        const HedCubicSegment* segment = &l->contact.segments[s];
        HedCubicBasis basis = l->contact.curves[l->contact.curve_of[s]].basis;
        HedVec3 d[4];
        for (int k = 0; k < 4; ++k) {
            d[k] = hed_sub3(to[segment->point[k]], l->x[segment->point[k]]);
        }
        HedCubic c = hed_cubic_make(hed_cubic_matrix(basis, segment->place), d);
        for (int k = 0; k <= 50; ++k) {
            most = fmax(most, hed_norm3(hed_cubic_point(&c, k / 50.0)));
        }
    }
    return 2.0 * most;
}

// Both bounds hold; the second is the smaller one, and near the truth.
Test(yarn_rate, how_much_nearer) {
    Layers* l = open_layers(&TEAMS[1], 1.0, 0.0);
    for (int round = 0; round < 20; ++round) {
        HedVec3 to[POINTS], shifted[POINTS];
        HedVec3 common = {3e-4 * draw(20, round), 2e-4, -1e-4};
        for (int32_t p = 0; p < POINTS; ++p) {
            // One in 16 points tells the common motion: those stand still.
            double size = p % 16 ? 1e-4 : 0.0;
            HedVec3 way = hed_vec3(draw(21, 100 * round + p), draw(22, 100 * round + p),
                                   draw(23, 100 * round + p));
            to[p] = hed_madd3(l->x[p], size, way);
            shifted[p] = hed_add3(to[p], common);
        }
        double motion = true_motion(l, to);
        double rough = hed_yarn_approach(&l->contact, l->x, shifted);
        double fine = hed_yarn_approach_within(&l->contact, l->x, shifted, 0.0);
        const double rounding = 1e-12; // of positions of some mm
        cr_assert_geq(fine + rounding, motion);
        cr_assert_leq(fine, rough + rounding);
        cr_assert_leq(fine, 1.3 * motion, "%g is far above %g", fine, motion);
        cr_assert_eq(hed_yarn_approach_within(&l->contact, l->x, shifted, rough), rough);
    }
    close_layers(l);
}
