// SPDX-License-Identifier: MIT
// Impacts are planted: places and velocities are whole numbers, the meeting happens at a time and
// with weights that are multiples of 1/16, so that start and end are exact and the pair does meet,
// beyond any doubt about rounding.
#include "geom/impact.h"

#include "base/random.h"
#include "base/timer.h"

#include <criterion/criterion.h>
#include <stdio.h>

// Of places, distances and normals of about 1: some dozens of operations, each rounded by 1e-16.
static const double ROUNDING = 1e-14;

typedef struct Pair {
    HedMeeting meeting;
    HedVec3 start[4], end[4];
    double time;
} Pair;

static int64_t whole(uint64_t stream, uint64_t i, int64_t limit) {
    return (int64_t)floor(hed_random_uniform(21, stream, i) * (double)(2 * limit + 1)) - limit;
}

static HedVec3 whole_vector(uint64_t stream, uint64_t i, int64_t limit) {
    return hed_vec3((double)whole(stream, 3 * i, limit), (double)whole(stream, 3 * i + 1, limit),
                    (double)whole(stream, 3 * i + 2, limit));
}

// How the planted pairs differ.
typedef struct Kind {
    const char* name;
    int64_t place;  // largest whole number in places at the moment of meeting
    int64_t speed;  // and in velocities
    int flat;       // coordinates set to zero in all places and velocities: 0, 1 (plane), 2 (line)
    bool is_corner; // meets at corners and ends
    double scale;   // a power of two
    HedVec3 offset; // whole multiples of 16, added before scaling
} Kind;

static const Kind KINDS[] = {
    {"random", 1000, 1000, 0, false, 1.0, {0, 0, 0}},
    {"slow", 100000, 1, 0, false, 1.0, {0, 0, 0}},
    {"fast", 10, 100000, 0, false, 1.0, {0, 0, 0}},
    {"small grid", 2, 2, 0, false, 1.0, {0, 0, 0}},
    {"small grid, corners", 2, 2, 0, true, 1.0, {0, 0, 0}},
    {"in one plane", 20, 20, 1, false, 1.0, {0, 0, 0}},
    {"on one line", 20, 20, 2, false, 1.0, {0, 0, 0}},
    {"one plane, corners", 3, 3, 1, true, 1.0, {0, 0, 0}},
    {"tiny", 1000, 1000, 0, false, 0x1p-80, {0, 0, 0}},
    {"huge", 1000, 1000, 0, false, 0x1p60, {0, 0, 0}},
    {"far away", 1000, 1000, 0, false, 0x1p-20, {1048576.0, -16777216.0, 67108864.0}},
};
enum { KIND_COUNT = sizeof KINDS / sizeof KINDS[0] };

static HedVec3 flatten(HedVec3 v, int flat) {
    return hed_vec3(v.x, flat > 1 ? 0.0 : v.y, flat > 0 ? 0.0 : v.z);
}

// Weights of the place where they meet, in sixteenths: first side's then second side's.
static void draw_weights(HedMeeting meeting, bool is_corner, uint64_t i, int64_t w[4]) {
    int64_t s = (int64_t)(16.0 * hed_random_uniform(22, 0, i) + 0.5);
    int64_t t = (int64_t)(16.0 * hed_random_uniform(22, 1, i) + 0.5);
    if (is_corner) {
        s = s < 8 ? 0 : 16;
        t = t < 8 ? 0 : 16;
    }
    if (meeting == HED_POINT_TRIANGLE) {
        int64_t rest = is_corner ? (16 - s) * (t / 16) : (16 - s) * t / 16;
        w[0] = 16;
        w[1] = s;
        w[2] = rest;
        w[3] = 16 - s - rest;
    } else {
        w[0] = 16 - s;
        w[1] = s;
        w[2] = 16 - t;
        w[3] = t;
    }
}

// At the time k / 16 all places are 256 times whole numbers, except the last point of the first
// side, which is put so that the places of meeting agree; speeds are 16 times whole numbers.
static bool plant(const Kind* kind, uint64_t i, Pair* pair) {
    pair->meeting = i % 2 == 0 ? HED_POINT_TRIANGLE : HED_SEGMENT_SEGMENT;
    int64_t w[4];
    draw_weights(pair->meeting, kind->is_corner, i, w);
    double k = 1.0 + floor(hed_random_uniform(23, 0, i) * 16.0);
    pair->time = k / 16.0;
    HedVec3 at[4];
    for (uint64_t p = 0; p < 4; ++p) {
        HedVec3 place = flatten(whole_vector(24, 4 * i + p, kind->place), kind->flat);
        at[p] = hed_mul3(256.0, hed_add3(place, kind->offset));
    }
    HedVec3 meet = {0};
    int first = pair->meeting == HED_POINT_TRIANGLE ? 1 : 2;
    for (int p = first; p < 4; ++p) {
        meet = hed_madd3(meet, (double)w[p] / 16.0, at[p]);
    }
    if (first == 1) {
        at[0] = meet;
    } else {
        // w0 a + w1 b = meet: b = a + (meet - a) * 16 / w1, exact if w1 is a power of two
        int64_t share = w[1] == 0 ? 16 : w[1];
        if ((share & (share - 1)) != 0) {
            return false;
        }
        if (w[1] == 0) {
            at[0] = meet;
        } else {
            at[1] = hed_madd3(at[0], 16.0 / (double)share, hed_sub3(meet, at[0]));
        }
    }
    for (uint64_t p = 0; p < 4; ++p) {
        HedVec3 v = hed_mul3(16.0, flatten(whole_vector(25, 4 * i + p, kind->speed), kind->flat));
        pair->start[p] = hed_mul3(kind->scale, hed_madd3(at[p], -k, v));
        pair->end[p] = hed_mul3(kind->scale, hed_madd3(at[p], 16.0 - k, v));
    }
    return true;
}

static bool moves(const Pair* pair) {
    HedVec3 shift = hed_sub3(pair->end[0], pair->start[0]);
    for (int k = 1; k < 4; ++k) {
        if (hed_distance3(shift, hed_sub3(pair->end[k], pair->start[k])) > 0.0) {
            return true;
        }
    }
    return false;
}

// Two million pairs.
Test(impact, planted_meetings_are_never_missed, .timeout = 120) {
    enum { EACH = 180000 };
    int64_t planted = 0;
    int64_t turns = 0;
    int32_t most = 0;
    for (int k = 0; k < KIND_COUNT; ++k) {
        for (uint64_t i = 0; i < EACH; ++i) {
            Pair pair;
            if (!plant(&KINDS[k], i, &pair) || !moves(&pair)) {
                continue;
            }
            HedImpact impact;
            bool is_hit = hed_impact(pair.meeting, pair.start, pair.end, 0.0, &impact);
            cr_assert(is_hit, "%s %d: missed", KINDS[k].name, (int)i);
            cr_assert_leq(impact.time, pair.time, "%s %d: late", KINDS[k].name, (int)i);
            ++planted;
            turns += impact.turns;
            most = impact.turns > most ? impact.turns : most;
        }
    }
    cr_assert_gt(planted, 1000000);
    printf("planted %lld, turns: mean %.2f, most %d\n", (long long)planted,
           (double)turns / (double)planted, most);
}

static HedVec3 uniform_vector(uint64_t stream, uint64_t i) {
    return hed_vec3(hed_random_uniform(26, stream, 3 * i) - 0.5,
                    hed_random_uniform(26, stream, 3 * i + 1) - 0.5,
                    hed_random_uniform(26, stream, 3 * i + 2) - 0.5);
}

static double least_distance(const Pair* pair) {
    enum { SAMPLES = 400 };
    double least = HUGE_VAL;
    for (int s = 0; s <= SAMPLES; ++s) {
        HedVec3 x[4];
        for (int k = 0; k < 4; ++k) {
            x[k] = hed_lerp3(pair->start[k], pair->end[k], (double)s / SAMPLES);
        }
        least = fmin(least, hed_nearest(pair->meeting, x).distance);
    }
    return least;
}

// Without planting: what is reported came near, and what is not reported stayed apart. Samples are
// 1/400 apart and the relative speed is below 3, so that a distance is known to 0.004.
Test(impact, random_motion_agrees_with_sampling) {
    int hits = 0;
    int give_ups = 0;
    const double separation = 0.01;
    for (uint64_t i = 0; i < 20000; ++i) {
        Pair pair = {.meeting = i % 2 ? HED_POINT_TRIANGLE : HED_SEGMENT_SEGMENT};
        for (uint64_t k = 0; k < 4; ++k) {
            pair.start[k] = uniform_vector(1, 4 * i + k);
            pair.end[k] = hed_madd3(pair.start[k], 0.8, uniform_vector(2, 4 * i + k));
        }
        HedImpact impact;
        bool is_hit = hed_impact(pair.meeting, pair.start, pair.end, separation, &impact);
        double least = least_distance(&pair);
        double keep = fmin(separation, 0.5 * hed_nearest(pair.meeting, pair.start).distance);
        hits += is_hit;
        if (is_hit) {
            bool gave_up = impact.turns == 100; // pairs that graze at the distance to keep
            give_ups += gave_up;
            cr_assert(gave_up || least <= 1.05 * keep + 10.0 * ROUNDING + 0.004);
            cr_assert(gave_up || impact.nearest.distance <= 1.05 * keep + 10.0 * ROUNDING);
            cr_assert_geq(impact.nearest.distance, keep - 10.0 * ROUNDING);
        } else {
            cr_assert_geq(least, keep - 10.0 * ROUNDING);
        }
    }
    cr_assert(hits > 1000 && hits < 19000, "%d", hits);
    cr_assert_lt(give_ups, hits / 200); // false alarms are rare: 0.1 % were measured
}

Test(impact, nearest_is_consistent) {
    for (uint64_t i = 0; i < 10000; ++i) {
        HedMeeting meeting = i % 2 ? HED_POINT_TRIANGLE : HED_SEGMENT_SEGMENT;
        HedVec3 x[4];
        HedVec3 sum = {0};
        for (uint64_t k = 0; k < 4; ++k) {
            x[k] = uniform_vector(3, 4 * i + k);
        }
        HedNearest nearest = hed_nearest(meeting, x);
        double total = 0.0;
        for (int k = 0; k < 4; ++k) {
            sum = hed_madd3(sum, nearest.weight[k], x[k]);
            total += nearest.weight[k];
        }
        cr_assert_lt(fabs(total), 0.1 * ROUNDING);
        cr_assert_lt(hed_distance3(sum, hed_mul3(nearest.distance, nearest.normal)), ROUNDING);
        cr_assert_lt(fabs(hed_norm3(nearest.normal) - 1.0), ROUNDING);
    }
}

Test(impact, rest_and_contact) {
    const HedVec3 touching[4] = {{0.25, 0.25, 0}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    HedImpact impact;
    cr_assert(!hed_impact(HED_POINT_TRIANGLE, touching, touching, 0.1, &impact));
    HedVec3 moved[4];
    for (int k = 0; k < 4; ++k) {
        moved[k] = hed_add3(touching[k], hed_vec3(0.5, 0.25, 2.0)); // exact: all move alike
    }
    cr_assert(!hed_impact(HED_POINT_TRIANGLE, touching, moved, 0.1, &impact));
    moved[0].z += 1.0;
    cr_assert(hed_impact(HED_POINT_TRIANGLE, touching, moved, 0.1, &impact));
    cr_assert_eq(impact.time, 0.0);
    cr_assert_lt(fabs(fabs(impact.nearest.normal.z) - 1.0), ROUNDING);
    // All four in one point that bursts: reported, with a normal of length 1.
    HedVec3 point[4] = {{0}};
    cr_assert(hed_impact(HED_SEGMENT_SEGMENT, point, moved, 0.1, &impact));
    cr_assert_lt(fabs(hed_norm3(impact.nearest.normal) - 1.0), ROUNDING);
}

Test(impact, time_of_head_on_impact) {
    const HedVec3 start[4] = {{0.25, 0.25, 1}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    HedVec3 end[4] = {{0.25, 0.25, -1}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    HedImpact impact;
    cr_assert(hed_impact(HED_POINT_TRIANGLE, start, end, 0.01, &impact));
    cr_assert_lt(fabs(impact.time - 0.495), 1e-12); // 1 - 2 t = 0.01
    cr_assert_lt(fabs(impact.nearest.weight[1] + 0.5), ROUNDING);
    end[0].z = 0.02;
    cr_assert(!hed_impact(HED_POINT_TRIANGLE, start, end, 0.01, &impact));
}
