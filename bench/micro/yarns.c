// SPDX-License-Identifier: MIT
#define _POSIX_C_SOURCE 200809L // clock_gettime
// How fast is contact between yarns? A knit by formula, one yarn per course, eight segments a loop,
// that stretches to and fro; stages of a step, on one thread and on two.
//
// bench-yarns [LOOPS_ACROSS COURSES [POINTS [one]]]
// One thread is timed by its processor time, so that others on the machine count for little; two
// by the wall clock.
#include "base/alloc.h"
#include "contact/yarn_pairs_evaluate.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { STITCH = 8, ROUNDS = 60 };

static const double WALE = 5e-3;
static const double COURSE = 2.8e-3;
static const double RADIUS = 0.62e-3;
static const double STEP = 1.0 / 24000.0; // s

typedef struct Knit {
    int32_t wales, courses, points, segments;
    HedVec3 *rest, *x, *v, *force;
    double *length, *mass;
    HedCubicSegment* segment;
    HedYarnCurve* curve;
} Knit;

static HedVec3 loop(double stitch, int course) {
    double t = 6.283185307179586 * stitch;
    return hed_vec3(WALE * (stitch + 0.24 * sin(2.0 * t)), COURSE * course - WALE * 0.45 * cos(t),
                    -WALE * 0.17 * cos(2.0 * t));
}

static void make(Knit* k, int32_t wales, int32_t courses) {
    int32_t n = wales * STITCH + 1;
    *k = (Knit){.wales = wales, .courses = courses};
    k->points = n * courses;
    k->segments = (n - 1) * courses;
    k->rest = HED_NEW_ARRAY(HedVec3, k->points);
    k->x = HED_NEW_ARRAY(HedVec3, k->points);
    k->v = HED_NEW_ARRAY(HedVec3, k->points);
    k->force = HED_NEW_ARRAY(HedVec3, k->points);
    k->mass = HED_NEW_ARRAY(double, k->points);
    k->length = HED_NEW_ARRAY(double, k->segments);
    k->segment = HED_NEW_ARRAY(HedCubicSegment, k->segments);
    k->curve = HED_NEW_ARRAY(HedYarnCurve, courses);
    for (int32_t i = 0; i < k->points; ++i) {
        k->rest[i] = loop((double)(i % n) / STITCH, i / n);
        k->mass[i] = 1e-6;
    }
    for (int32_t s = 0; s < k->segments; ++s) {
        int32_t course = s / (n - 1);
        k->segment[s] = hed_cubic_segment(HED_CUBIC_CATMULL_ROM, course * n, n, false, s % (n - 1));
        HedVec3 p[4];
        for (int i = 0; i < 4; ++i) {
            p[i] = k->rest[k->segment[s].point[i]];
        }
        HedCubic y =
            hed_cubic_make(hed_cubic_matrix(HED_CUBIC_CATMULL_ROM, k->segment[s].place), p);
        k->length[s] = hed_cubic_length(&y, 0.0, 1.0, 11);
    }
    for (int32_t c = 0; c < courses; ++c) {
        k->curve[c] =
            (HedYarnCurve){HED_CUBIC_CATMULL_ROM, c * (n - 1), n - 1, false, RADIUS, 3.25};
    }
}

// Stretch to and fro by some percent, with a wave across; speeds of some 0.1 m/s within a loop.
static void move(Knit* k, double t) {
    double w = 2.0 * 3.141592653589793 * 40.0;
    double a = 0.01 * sin(w * t), b = 0.01 * w * cos(w * t);
    for (int32_t i = 0; i < k->points; ++i) {
        HedVec3 p = k->rest[i];
        k->x[i] = hed_vec3(p.x * (1.0 + a), p.y * (1.0 - a), p.z * (1.0 + 3.0 * a));
        k->v[i] = hed_vec3(p.x * b, -p.y * b, p.z * 3.0 * b);
    }
}

static bool CPU_TIME;

typedef struct Times {
    double list, sample, pairs, gather, advance, rate, whole;
} Times;

// Time of the processor where one thread runs, so that others on the machine do not count.
static double clock_now(void) {
    struct timespec t;
    clock_gettime(CPU_TIME ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void keep_least(double* least, double value) {
    *least = *least == 0.0 || value < *least ? value : *least;
}

static HedYarnContactDef def_of(const Knit* k, const HedTeam* team, int32_t points, bool rubs) {
    HedYarnContactDef def = hed_yarn_contact_def_default();
    def.point_count = k->points;
    def.segments = k->segment;
    def.rest_length = k->length;
    def.segment_count = k->segments;
    def.curves = k->curve;
    def.curve_count = k->courses;
    def.quadrature = points;
    def.damping_along = 0.1;
    def.damping_across = 0.01;
    def.friction_law = rubs ? HED_YARN_STICTION : HED_YARN_NO_FRICTION;
    def.friction = 0.3;
    def.team = team;
    return def;
}

// One step by its stages; *listing is the time for a new list, if there was one.
static void run_step(Knit* k, HedYarnContact* y, bool rubs, Times* best, double* listing) {
    HedYarnState at = {k->x, k->v, STEP};
    HedYarnPairsEval ask = {{true, true, rubs, false}, at, 0.0};
    double t[8];
    t[0] = clock_now();
    hed_yarn_sample(y, k->x);
    ++y->list.steps;
    t[1] = clock_now();
    bool holds = hed_yarn_list_holds(y, k->x);
    t[2] = clock_now();
    if (!holds && hed_yarn_list_make(y, k->x, NULL) != HED_OK) {
        fprintf(stderr, "no memory\n");
        exit(1);
    }
    t[3] = clock_now();
    hed_yarn_sample_velocities(y, k->v);
    t[4] = clock_now();
    hed_yarn_pairs_evaluate(y, &ask);
    t[5] = clock_now();
    hed_yarn_gather(y, k->force);
    t[6] = clock_now();
    hed_yarn_advance(y, at, STEP);
    t[7] = clock_now();
    *listing = t[3] - t[2];
    keep_least(&best->sample, t[1] - t[0] + t[4] - t[3]);
    keep_least(&best->list, t[2] - t[1]);
    keep_least(&best->pairs, t[5] - t[4]);
    keep_least(&best->gather, t[6] - t[5]);
    keep_least(&best->advance, t[7] - t[6]);
    keep_least(&best->whole, t[7] - t[0] - *listing);
}

static void run(Knit* k, const HedTeam* team, int32_t points, bool rubs) {
    HedYarnContact y = {0};
    HedError error = {0};
    HedYarnContactDef def = def_of(k, team, points, rubs);
    if (hed_yarn_contact_create(&y, &def, &error) != HED_OK) {
        fprintf(stderr, "%s\n", error.message);
        exit(1);
    }
    Times best = {0};
    double lists = 0.0;
    for (int round = 0; round < ROUNDS; ++round) {
        double listing = 0.0;
        move(k, round * STEP);
        run_step(k, &y, rubs, &best, &listing);
        lists += round > 0 ? listing : 0.0; // the first one builds the tree
    }
    HedYarnState at = {k->x, k->v, STEP};
    HedYarnSum sum = hed_yarn_add_force(&y, at, k->force);
    double begin = clock_now();
    hed_yarn_rate(&y, at, (HedYarnBound){k->mass, 0.0, NULL});
    best.rate = clock_now() - begin;
    double scale = 1e6 / k->segments, n = k->segments;
    lists *= scale / ROUNDS;
    printf("%d threads, %s: %.3f us per segment and step: sampling %.3f, pairs %.3f, gathering "
           "%.3f, memory %.3f, list %.3f; a bound %.3f\n",
           team->threads, rubs ? "friction" : "no friction", scale * best.whole + lists,
           scale * best.sample, scale * best.pairs, scale * best.gather, scale * best.advance,
           scale * best.list + lists, scale * best.rate);
    printf("    per segment: %.2f candidates, %.2f touch, %.0f pairs of points (%.0f million a "
           "second); %d lists in %d steps; deepest %.3f\n",
           (double)y.counts.candidate_pairs / n, (double)y.counts.touching_pairs / n,
           (double)y.counts.point_pairs / n, 1e-6 * (double)y.counts.point_pairs / best.pairs,
           (int)y.counts.rebuilds, ROUNDS, sum.deepest);
    hed_yarn_contact_free(&y);
}

int main(int argc, char** argv) {
    Knit k;
    make(&k, argc > 2 ? atoi(argv[1]) : 50, argc > 2 ? atoi(argv[2]) : 65);
    int32_t points = argc > 3 ? atoi(argv[3]) : 11;
    printf("%d segments\n", k.segments);
    for (int c = 0; c < (argc > 4 ? 2 : 4); ++c) {
        HedTeam team = {.threads = 1 + c / 2};
        CPU_TIME = team.threads == 1;
        run(&k, &team, points, c % 2 == 1);
    }
    hed_free(k.rest);
    hed_free(k.x);
    hed_free(k.v);
    hed_free(k.force);
    hed_free(k.mass);
    hed_free(k.length);
    hed_free(k.segment);
    hed_free(k.curve);
    return 0;
}
