// SPDX-License-Identifier: MIT
// Lists of candidates for contact between yarns leave out what cannot touch, and get it in time.
#include "contact/yarn_contact.h"

#include <criterion/criterion.h>

enum { POINTS = 9, MIDDLE = 4, SEGMENTS = POINTS - 1 };

static const HedTeam ALONE = {.threads = 1};

static const double WIDE = 3e-3, TIGHT = 0.45e-3, RADIUS = 0.5e-3, STEP = 2e-3; // m

// A hairpin of the given radius around the middle of a yarn; legs are twice that apart.
static void fold(double radius, HedVec3 x[POINTS]) {
    const double quarter = 0.5 * 3.14159265358979323846 * radius;
    for (int32_t i = 0; i < POINTS; ++i) {
        double s = (i - MIDDLE) * STEP;
        double along = fmin(fabs(s), quarter);
        x[i] = hed_vec3(radius * cos(along / radius) - (fabs(s) - along),
                        copysign(radius * sin(along / radius), s), 0.0);
    }
}

// Segments are 4 radii long and free of contact for pi radii: neighbours are so in part.
static void open_hairpin(HedYarnContact* contact) {
    HedCubicSegment segments[SEGMENTS];
    double rest_length[SEGMENTS];
    HedYarnCurve curve = {HED_CUBIC_CATMULL_ROM, 0, SEGMENTS, false, RADIUS, 2.0};
    HedYarnContactDef def = hed_yarn_contact_def_default();
    for (int32_t s = 0; s < SEGMENTS; ++s) {
        segments[s] = hed_cubic_segment(HED_CUBIC_CATMULL_ROM, 0, POINTS, false, s);
        rest_length[s] = STEP;
    }
    def.point_count = POINTS;
    def.segments = segments;
    def.rest_length = rest_length;
    def.segment_count = SEGMENTS;
    def.curves = &curve;
    def.curve_count = 1;
    def.team = &ALONE;
    HedError error = {0};
    cr_assert_eq(hed_yarn_contact_create(contact, &def, &error), HED_OK, "%s", error.message);
}

static double evaluate(HedYarnContact* contact, const HedVec3* x, HedVec3* force) {
    const HedVec3 still[POINTS] = {{0.0, 0.0, 0.0}};
    cr_assert_eq(hed_yarn_update(contact, x, NULL), HED_OK);
    return hed_yarn_add_force(contact, (HedYarnState){x, still, 0.0}, force).energy;
}

// The same from a list that holds all that is less than a centimetre apart.
static double evaluate_all(const HedVec3* x, HedVec3* force) {
    HedYarnContact contact;
    open_hairpin(&contact);
    contact.wanted_margin = 1e-2;
    double energy = evaluate(&contact, x, force);
    cr_assert_geq(contact.counts.candidate_pairs, SEGMENTS - 1);
    hed_yarn_contact_free(&contact);
    return energy;
}

static int32_t count_touching_neighbours(const HedYarnContact* contact) {
    int32_t count = 0;
    for (int32_t k = 0; k < contact->list.first[SEGMENTS]; ++k) {
        count += contact->list.is_partial[k] && contact->list.slot[k] >= 0;
    }
    return count;
}

Test(yarn_list, neighbours_are_left_out_until_the_yarn_folds) {
    enum { STEPS = 150 };
    HedYarnContact contact;
    HedVec3 x[POINTS];
    double last = 0.0;
    open_hairpin(&contact);
    fold(WIDE, x);
    cr_assert_eq(hed_yarn_update(&contact, x, NULL), HED_OK);
    cr_assert_eq(contact.counts.candidate_pairs, 0, "%lld neighbours are on the list",
                 (long long)contact.counts.candidate_pairs);
    for (int step = 1; step <= STEPS; ++step) {
        HedVec3 force[POINTS] = {{0.0, 0.0, 0.0}}, all[POINTS] = {{0.0, 0.0, 0.0}};
        fold(WIDE * pow(TIGHT / WIDE, (double)step / STEPS), x);
        last = evaluate(&contact, x, force);
        cr_assert_eq(last, evaluate_all(x, all), "energy in step %d", step);
        cr_assert_arr_eq(force, all, sizeof force, "forces in step %d", step);
    }
    cr_assert_gt(last, 0.0);
    cr_assert_gt(count_touching_neighbours(&contact), 0);
    cr_assert_lt(contact.counts.rebuilds, STEPS / 2);
    hed_yarn_contact_free(&contact);
}
