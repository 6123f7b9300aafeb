// SPDX-License-Identifier: MIT
// Yarns on their way through a step: what meets is found, at the right time; what does not is
// proved.
#include "contact/yarn_ccd.h"

#include "base/random.h"

#include <criterion/criterion.h>

static const HedTeam TEAMS[2] = {{.threads = 1}, {.threads = 2}};

enum { SIDE = 20, YARNS = 40, POINTS = SIDE * YARNS };

// A lattice: yarns along x below, yarns along y above.
typedef struct Lattice {
    HedCubicSegment segments[POINTS];
    double rest_length[POINTS];
    HedYarnCurve curves[YARNS];
    HedVec3 start[POINTS], end[POINTS], force[POINTS];
    HedYarnContact contact;
} Lattice;

static const double R = 0.4e-3;
static const double GAP = 0.75e-3; // between layers: yarns are pressed together

static Lattice* open_lattice(const HedTeam* team) {
    Lattice* l = HED_NEW(Lattice);
    HedYarnContactDef def = hed_yarn_contact_def_default();
    for (int c = 0; c < YARNS; ++c) {
        bool is_upper = c >= YARNS / 2;
        double at = 1e-3 * (c % (YARNS / 2));
        l->curves[c] =
            (HedYarnCurve){HED_CUBIC_CATMULL_ROM, c * (SIDE - 1), SIDE - 1, false, R, 10.0};
        for (int i = 0; i < SIDE; ++i) {
            double s = 1e-3 * i + 0.5e-3;
            l->start[c * SIDE + i] = is_upper ? hed_vec3(at, s, GAP) : hed_vec3(s, at, 0.0);
        }
        for (int i = 0; i < SIDE - 1; ++i) {
            l->segments[c * (SIDE - 1) + i] =
                hed_cubic_segment(HED_CUBIC_CATMULL_ROM, c * SIDE, SIDE, false, i);
            l->rest_length[c * (SIDE - 1) + i] = 1e-3;
        }
    }
    for (int i = 0; i < POINTS; ++i) {
        l->end[i] = l->start[i];
    }
    def.point_count = POINTS;
    def.segments = l->segments;
    def.rest_length = l->rest_length;
    def.segment_count = YARNS * (SIDE - 1);
    def.curves = l->curves;
    def.curve_count = YARNS;
    def.team = team;
    HedError error = {0};
    HedStatus status = hed_yarn_contact_create(&l->contact, &def, &error);
    cr_assert_eq(status, HED_OK, "%s", error.message);
    return l;
}

static void close_lattice(Lattice* l) {
    hed_yarn_contact_free(&l->contact);
    hed_free(l);
}

static HedYarnMeeting sweep(Lattice* l) {
    HedYarnMeeting meeting;
    HedError error = {0};
    HedStatus status = hed_yarn_ccd(&l->contact, l->start, l->end, &meeting, &error);
    cr_assert_eq(status, HED_OK, "%s", error.message);
    return meeting;
}

static HedYarnMeeting guard(Lattice* l) {
    HedYarnMeeting meeting;
    HedError error = {0};
    HedYarnTrip trip = {l->start, l->end, 0.0};
    HedStatus status = hed_yarn_ccd_cull(&l->contact, trip, &meeting, &error);
    cr_assert_eq(status, HED_OK, "%s", error.message);
    return meeting;
}

Test(yarn_ccd, rest_is_clear) {
    Lattice* l = open_lattice(&TEAMS[0]);
    HedYarnMeeting meeting = sweep(l);
    cr_assert_not(meeting.is_found);
    cr_assert_eq(meeting.time, 1.0);
    cr_assert_not(guard(l).is_found);
    close_lattice(l);
}

// Only yarn 25 goes down, by twice the gap: it meets the lower layer half-way. A point moved alone
// carries its neighbourhood of the curve with it.
Test(yarn_ccd, a_yarn_that_falls_through_is_found) {
    for (int t = 0; t < 2; ++t) {
        Lattice* l = open_lattice(&TEAMS[t]);
        for (int i = 0; i < SIDE; ++i) {
            l->end[25 * SIDE + i].z -= 2.0 * GAP;
        }
        HedYarnMeeting meeting = sweep(l);
        cr_assert(meeting.is_found);
        cr_assert_float_eq(meeting.time, 0.5, 1e-9); // straight yarns do not bulge
        // It crosses all lower yarns but the first at that time; ties go to the first.
        cr_assert_eq(l->contact.curve_of[meeting.segment[0]], 1);
        cr_assert_eq(l->contact.curve_of[meeting.segment[1]], 25);
        cr_assert_gt(meeting.chord_pairs, 0);
        cr_assert(guard(l).is_found);
        close_lattice(l);
    }
}

Test(yarn_ccd, the_earliest_is_found) {
    Lattice* l = open_lattice(&TEAMS[1]);
    for (int i = 0; i < SIDE; ++i) {
        l->end[25 * SIDE + i].z -= 2.0 * GAP;
        l->end[31 * SIDE + i].z -= 5.0 * GAP;
        l->end[28 * SIDE + i].z -= 3.0 * GAP;
    }
    HedYarnMeeting meeting = sweep(l);
    // The root of a polynomial of places that are rounded by 1e-16 of a yarn's length, over
    // gaps of a hundredth of it.
    cr_assert_float_eq(meeting.time, 0.2, 1e-13);
    cr_assert_eq(l->contact.curve_of[meeting.segment[1]], 31);
    close_lattice(l);
}

// All of it far away together, turned in between: nothing meets, and a shift needs no look at
// pairs.
Test(yarn_ccd, common_motions_are_clear) {
    Lattice* l = open_lattice(&TEAMS[0]);
    cr_assert_eq(hed_yarn_update(&l->contact, l->start, NULL), HED_OK);
    guard(l); // finds distances
    for (int i = 0; i < POINTS; ++i) {
        l->end[i] = hed_add3(l->start[i], hed_vec3(1.0, -2.0, 0.5));
    }
    cr_assert_not(sweep(l).is_found);
    HedYarnMeeting shifted = guard(l);
    cr_assert_not(shifted.is_found);
    cr_assert_eq(shifted.chord_pairs, 0);
    double c = cos(0.5), s = sin(0.5);
    for (int i = 0; i < POINTS; ++i) {
        HedVec3 p = l->start[i];
        l->end[i] = hed_vec3(c * p.x - s * p.y, s * p.x + c * p.y, p.z);
    }
    cr_assert_not(sweep(l).is_found);
    close_lattice(l);
}

// Random motions of all sizes: the guard never misses what the sweep finds, whatever it knew
// before, and small ones it proves without a look at pairs.
Test(yarn_ccd, the_guard_misses_nothing) {
    Lattice* l = open_lattice(&TEAMS[1]);
    cr_assert_eq(hed_yarn_update(&l->contact, l->start, NULL), HED_OK);
    guard(l);
    int proved = 0, met = 0;
    for (uint64_t trial = 0; trial < 22; ++trial) {
        double size = 2e-5 * pow(1.3, (double)trial);
        for (int i = 0; i < POINTS; ++i) {
            double* e = &l->end[i].x;
            for (uint64_t k = 0; k < 3; ++k) {
                double d = hed_random_uniform(trial, k, (uint64_t)i) - 0.5;
                e[k] = (&l->start[i].x)[k] + size * d;
            }
        }
        HedYarnMeeting quick = guard(l);
        HedYarnMeeting slow = sweep(l);
        cr_assert_eq(quick.is_found, slow.is_found, "size %g", size);
        // The same root of the same polynomial.
        cr_assert_float_eq(quick.time, slow.time, 0.0, "size %g", size);
        proved += quick.chord_pairs == 0;
        met += slow.is_found;
    }
    cr_assert_gt(proved, 4);
    cr_assert_gt(met, 4);
    close_lattice(l);
}

// One yarn that folds onto itself and through: pieces far apart along it count.
Test(yarn_ccd, a_yarn_may_not_pass_through_itself) {
    enum { N = 40 };
    HedCubicSegment segments[N];
    double rest_length[N];
    HedVec3 start[N], end[N];
    HedYarnCurve curve = {HED_CUBIC_CATMULL_ROM, 0, N - 1, false, R, 10.0};
    for (int i = 0; i < N; ++i) {
        // A hairpin seen from above; the second leg crosses over the first one.
        double t = (double)i / (N - 1);
        start[i] =
            hed_vec3(20e-3 * sin(3.14159265 * t), 10e-3 * (t - 0.5) * cos(6.0 * t), 3e-3 * t);
        end[i] = start[i];
        end[i].z = 3e-3 * (1.0 - t);
        segments[i] = hed_cubic_segment(HED_CUBIC_CATMULL_ROM, 0, N, false, i < N - 1 ? i : 0);
        rest_length[i] = 1e-3;
    }
    HedYarnContactDef def = hed_yarn_contact_def_default();
    HedYarnContact contact;
    HedYarnMeeting meeting;
    def.point_count = N;
    def.segments = segments;
    def.rest_length = rest_length;
    def.segment_count = N - 1;
    def.curves = &curve;
    def.curve_count = 1;
    def.team = &TEAMS[0];
    cr_assert_eq(hed_yarn_contact_create(&contact, &def, NULL), HED_OK);
    cr_assert_eq(hed_yarn_ccd(&contact, start, end, &meeting, NULL), HED_OK);
    cr_assert(meeting.is_found);
    cr_assert_float_eq(meeting.time, 0.5, 0.02); // all heights are equal then; less the bulge
    cr_assert_gt(meeting.segment[1] - meeting.segment[0], 4);
    hed_yarn_contact_free(&contact);
}

// Two rings of six pieces each, one above the other: their centre lines are as far apart as the
// rings, however much they bulge out of their chords (here by nearly a radius).
Test(yarn_ccd, what_only_touches_is_not_merged) {
    enum { N = 6 };
    const double r = 0.05e-3;
    static const double APART[] = {0.45, 0.55, 0.9}; // of 2 r; merged is below a half
    for (int k = 0; k < 3; ++k) {
        HedCubicSegment segments[2 * N];
        double rest_length[2 * N];
        HedVec3 x[2 * N];
        HedYarnCurve curves[2];
        for (int c = 0; c < 2; ++c) {
            curves[c] = (HedYarnCurve){HED_CUBIC_CATMULL_ROM, c * N, N, true, r, 10.0};
            for (int i = 0; i < N; ++i) {
                double angle = 2.0 * 3.14159265358979 * i / N;
                x[c * N + i] =
                    hed_vec3(5e-3 * cos(angle), 5e-3 * sin(angle), c * 2.0 * r * APART[k]);
                segments[c * N + i] = hed_cubic_segment(HED_CUBIC_CATMULL_ROM, c * N, N, true, i);
                rest_length[c * N + i] = 5e-3;
            }
        }
        HedYarnContactDef def = hed_yarn_contact_def_default();
        def.point_count = def.segment_count = 2 * N;
        def.segments = segments;
        def.rest_length = rest_length;
        def.curves = curves;
        def.curve_count = 2;
        def.team = &TEAMS[0];
        HedYarnContact contact;
        cr_assert_eq(hed_yarn_contact_create(&contact, &def, NULL), HED_OK);
        cr_assert_eq(hed_yarn_merge(&contact, x, 0.5, NULL), HED_OK);
        // Each piece with the one above it, and at its ends with that one's neighbours.
        cr_assert_eq(contact.merged.count, k == 0 ? 3 * N : 0, "%g: %d", APART[k],
                     contact.merged.count);
        hed_yarn_contact_free(&contact);
    }
}
