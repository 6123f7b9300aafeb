// SPDX-License-Identifier: MIT
// Linking integrals against known links, and what the comparison of two frames says.
#include "geom/linking.h"

#include "base/alloc.h"
#include "base/random.h"
#include "heddle/check.h"

#include <criterion/criterion.h>
#include <string.h>

// Of the double sums of Gauss's integral: up to 14,400 numbers of at most 1/2.
static const double SUM = 1e-11;

static const double PI = 3.14159265358979323846;

static double draw(uint64_t stream, int64_t k) {
    return hed_random_uniform(77, stream, (uint64_t)k) - 0.5;
}

static HedVec3 draw3(uint64_t stream, int64_t k) {
    return hed_vec3(draw(stream, 3 * k), draw(stream, 3 * k + 1), draw(stream, 3 * k + 2));
}

// The integral by the midpoint rule, n points on either piece.
static double by_midpoints(const HedVec3 p[4], int n) {
    HedVec3 da = hed_mul3(1.0 / n, hed_sub3(p[1], p[0]));
    HedVec3 db = hed_mul3(1.0 / n, hed_sub3(p[3], p[2]));
    double sum = 0.0;
    for (int i = 0; i < n * n; ++i) {
        HedVec3 a = hed_madd3(p[0], i / n + 0.5, da);
        HedVec3 b = hed_madd3(p[2], i % n + 0.5, db);
        HedVec3 d = hed_sub3(a, b);
        double l = hed_norm3(d);
        sum += hed_dot3(d, hed_cross3(da, db)) / (l * l * l);
    }
    return sum / (4.0 * PI);
}

Test(linking, pair_is_the_integral) {
    int tried = 0;
    for (int64_t k = 0; k < 200; ++k) {
        HedVec3 p[4];
        for (int i = 0; i < 4; ++i) {
            p[i] = draw3(1, 4 * k + i);
        }
        HedVec3 gap = hed_sub3(hed_lerp3(p[0], p[1], 0.5), hed_lerp3(p[2], p[3], 0.5));
        if (hed_norm3(gap) < 0.4) {
            continue; // too near for the midpoint rule
        }
        double coarse = by_midpoints(p, 40), fine = by_midpoints(p, 80);
        double expected = (4.0 * fine - coarse) / 3.0;
        double error = fabs(fine - coarse) + 1e-12; // bounds what is left after extrapolation
        double value = hed_gauss_pair(p[0], p[1], p[2], p[3]);
        // What the last halving changed, before extrapolation, bounds what is left after it.
        cr_assert_float_eq(value, expected, error, "%g instead of %g", value, expected);
        ++tried;
    }
    cr_assert_gt(tried, 60);
}

Test(linking, flat_and_touching_pieces_give_nothing) {
    HedVec3 o = {0}, x = {1.0, 0.0, 0.0}, y = {0.0, 1.0, 0.0}, xy = {1.0, 1.0, 0.0};
    cr_assert_eq(hed_gauss_pair(o, x, y, xy), 0.0);
    cr_assert_eq(hed_gauss_pair(o, xy, x, y), 0.0);
    cr_assert_eq(hed_gauss_pair(o, x, x, y), 0.0);
    cr_assert_eq(hed_gauss_pair(o, o, x, y), 0.0);
}

// A curve on a torus that goes round its hole once and `twist` times round its core; the core is
// the other curve.
static void torus_link(int twist, int n, HedVec3* core, HedVec3* wound) {
    for (int k = 0; k <= n; ++k) {
        double t = 2.0 * PI * (k % n) / n;
        double r = 1.0 + 0.4 * cos(twist * t);
        core[k] = hed_vec3(cos(t), sin(t), 0.0);
        wound[k] = hed_vec3(r * cos(t), r * sin(t), 0.4 * sin(twist * t));
    }
}

Test(linking, closed_curves_have_whole_numbers) {
    enum { N = 120 };
    HedVec3 core[N + 1], wound[N + 1], back[N + 1];
    for (int twist = -3; twist <= 3; ++twist) {
        torus_link(twist, N, core, wound);
        double value = hed_gauss_integral((HedPolyline){core, N + 1}, (HedPolyline){wound, N + 1});
        // The sum of 14,400 numbers of at most 1/2.
        cr_assert_float_eq(fabs(value), abs(twist), 1e-11, "twist %d: %.15g", twist, value);
        for (int k = 0; k <= N; ++k) {
            back[k] = wound[N - k];
        }
        double turned = hed_gauss_integral((HedPolyline){core, N + 1}, (HedPolyline){back, N + 1});
        cr_assert_float_eq(turned, -value, SUM);
    }
}

// A random walk with long and short pieces, far from straight.
static void walk(uint64_t stream, int n, HedVec3* knots) {
    HedVec3 at = hed_mul3(3.0, draw3(stream, 0)), way = {0};
    for (int k = 0; k < n; ++k) {
        way = hed_add3(hed_mul3(0.9, way), hed_mul3(0.05, draw3(stream, k + 1)));
        at = hed_add3(at, way);
        knots[k] = at;
    }
}

Test(linking, trees_give_the_same_integral) {
    enum { N = 700, TRIALS = 12 };
    static HedVec3 knots[2][N];
    static HedPolylineNode nodes[2][2 * N];
    double worst = 0.0;
    for (int trial = 0; trial < TRIALS; ++trial) {
        HedPolylineTree trees[2];
        int32_t count[2] = {N - 7 * trial, 3 + 60 * trial};
        for (int c = 0; c < 2; ++c) {
            walk(10 + 2 * (uint64_t)trial + c, count[c], knots[c]);
            cr_assert_leq(hed_polyline_tree_size(count[c]), 2 * N);
            trees[c] = hed_polyline_tree((HedPolyline){knots[c], count[c]}, nodes[c]);
        }
        double exact = hed_gauss_integral(trees[0].line, trees[1].line);
        worst = fmax(worst, fabs(hed_gauss_integral_near(&trees[0], &trees[1]) - exact));
    }
    // What two parts leave out is at most 3/2 (FAR/2)^2 (FAR)^2 / (4 pi) = 5e-5, some tens of
    // times.
    cr_assert_leq(worst, 1e-3, "%g", worst);
}

Test(linking, trees_of_links_are_nearly_whole) {
    enum { N = 480 };
    static HedVec3 core[N + 1], wound[N + 1];
    static HedPolylineNode nodes[2][4 * N];
    for (int twist = -3; twist <= 3; ++twist) {
        torus_link(twist, N, core, wound);
        HedPolylineTree a = hed_polyline_tree((HedPolyline){core, N + 1}, nodes[0]);
        HedPolylineTree b = hed_polyline_tree((HedPolyline){wound, N + 1}, nodes[1]);
        double value = hed_gauss_integral_near(&a, &b);
        // As above, but the errors of parts along a ring that is wound evenly have one sign.
        cr_assert_float_eq(fabs(value), abs(twist), 5e-3, "twist %d: %.6f", twist, value);
    }
}

// Curves as an object of a series.
enum { MOST = 400 };
typedef struct Frames {
    HedVec3 a[MOST], b[MOST];
    HedCurve curves[8];
    HedSeriesObject object;
} Frames;

static void add_curve(Frames* f, int32_t count, bool is_closed) {
    HedSeriesObject* o = &f->object;
    f->curves[o->curve_count++] = (HedCurve){
        .first = o->vertex_count, .count = count, .is_closed = is_closed, .color = HED_COLOR_NONE};
    o->vertex_count += count;
    o->curves = f->curves;
    o->kind = HED_OBJECT_YARNS;
    o->name = "yarns";
}

static HedLinking compare(const Frames* f) {
    HedLinking linking;
    HedError error = {0};
    const HedVec3* a = f->a;
    const HedVec3* b = f->b;
    HedStatus status = hed_linking_compare(&f->object, 1, &a, &b, &linking, &error);
    cr_assert_eq(status, HED_OK, "%s", error.message);
    return linking;
}

static HedVec3 on_ring(int k, int n, HedVec3 centre, bool is_upright) {
    double t = 2.0 * PI * k / n;
    return hed_add3(centre,
                    is_upright ? hed_vec3(cos(t), 0.0, sin(t)) : hed_vec3(cos(t), sin(t), 0.0));
}

// Two rings, one upright: linked while their centres are 1 apart, not linked when 3 apart.
static Frames* rings(double before, double after) {
    enum { N = 24 };
    Frames* f = HED_NEW(Frames);
    for (int k = 0; k < 2 * N; ++k) {
        f->a[k] = on_ring(k % N, N, hed_vec3(k < N ? 0.0 : before, 0.0, 0.0), k >= N);
        f->b[k] = on_ring(k % N, N, hed_vec3(k < N ? 0.0 : after, 0.0, 0.0), k >= N);
    }
    add_curve(f, N, true);
    add_curve(f, N, true);
    return f;
}

Test(linking, a_motion_apart_is_proof) {
    Frames* f = rings(1.0, 1.2);
    HedLinking linking = compare(f);
    cr_assert_eq(linking.verdict, HED_LINKING_UNCHANGED);
    cr_assert_eq(linking.curve_count, 2);
    cr_assert_eq(linking.closed_count, 2);
    cr_assert_not(linking.is_met);
    hed_free(f);
}

Test(linking, rings_pulled_through_each_other_are_found) {
    Frames* f = rings(1.0, 3.0);
    HedLinking linking = compare(f);
    cr_assert_eq(linking.verdict, HED_LINKING_CHANGED);
    cr_assert(linking.is_met);
    // They meet when the centres are 2 apart, half-way; chords bulge by less than 1e-3.
    cr_assert_float_eq(linking.met_time, 0.5, 2e-3);
    cr_assert_eq(linking.met[0], 0);
    cr_assert_eq(linking.met[1], 1);
    cr_assert_eq(linking.jump_count, 1);
    // A whole number, but for the rounding of some hundred angles.
    cr_assert_float_eq(linking.largest_jump, 1.0, 1e-12);
    hed_free(f);
}

// Through and out again on the other side: the ways meet, yet no number has changed.
Test(linking, what_is_not_proved_is_unknown) {
    Frames* f = rings(3.0, -3.0);
    HedLinking linking = compare(f);
    cr_assert_eq(linking.verdict, HED_LINKING_UNKNOWN);
    cr_assert(linking.is_met);
    cr_assert_eq(linking.jump_count, 0);
    hed_free(f);
}

// Two open yarns that cross: the upper one goes through the lower one. No proof, but a jump by 1.
Test(linking, open_yarns_jump) {
    Frames* f = HED_NEW(Frames);
    for (int k = 0; k < 41; ++k) {
        f->a[k] = f->b[k] = hed_vec3(0.05 * (k - 20), 0.0, 0.0);
        f->a[41 + k] = hed_vec3(0.0, 0.05 * (k - 20), 0.02);
        f->b[41 + k] = hed_vec3(0.0, 0.05 * (k - 20), -0.02);
    }
    add_curve(f, 41, false);
    add_curve(f, 41, false);
    HedLinking linking = compare(f);
    cr_assert_eq(linking.verdict, HED_LINKING_UNKNOWN);
    // In straight motion half way is found to rounding.
    cr_assert_float_eq(linking.met_time, 0.5, 1e-12);
    cr_assert_eq(linking.jump_count, 1);
    // Each side is 1/2 less what the ends are short of infinite: some 0.02 x 4 / (2 pi) together.
    cr_assert_float_eq(linking.largest_jump, 1.0, 0.03);
    hed_free(f);
}

// Whatever rings do: where the numbers differ, the motion must have met.
Test(linking, the_two_proofs_never_contradict) {
    int changed = 0, unchanged = 0;
    for (int64_t trial = 0; trial < 60; ++trial) {
        Frames* f = rings(0.0, 0.0);
        HedVec3 from = hed_mul3(3.0, draw3(2, trial)), to = hed_mul3(3.0, draw3(3, trial));
        for (int k = 0; k < 48; ++k) {
            HedVec3 wobble = hed_mul3(0.3, draw3(4, 100 * trial + k));
            f->a[k] = hed_add3(f->a[k], k < 24 ? wobble : from);
            f->b[k] = hed_add3(f->b[k], k < 24 ? hed_mul3(-1.0, wobble) : to);
        }
        HedLinking linking = compare(f);
        cr_assert(linking.is_met || linking.verdict == HED_LINKING_UNCHANGED);
        HedVec3 knots[4][25];
        for (int k = 0; k <= 24; ++k) {
            knots[0][k] = f->a[k % 24];
            knots[1][k] = f->a[24 + k % 24];
            knots[2][k] = f->b[k % 24];
            knots[3][k] = f->b[24 + k % 24];
        }
        double a = hed_gauss_integral((HedPolyline){knots[0], 25}, (HedPolyline){knots[1], 25});
        double b = hed_gauss_integral((HedPolyline){knots[2], 25}, (HedPolyline){knots[3], 25});
        if (linking.verdict == HED_LINKING_UNCHANGED) {
            cr_assert_float_eq(a, b, SUM);
        }
        unchanged += linking.verdict == HED_LINKING_UNCHANGED;
        changed += linking.verdict == HED_LINKING_CHANGED;
        hed_free(f);
    }
    cr_assert_gt(changed, 5);
    cr_assert_gt(unchanged, 5);
}

Test(linking, bad_input_and_no_yarns) {
    Frames* f = rings(1.0, 1.2);
    const HedVec3* a = f->a;
    const HedVec3* b = f->b;
    HedLinking linking;
    HedError error = {0};
    f->b[30].y = NAN;
    cr_assert_eq(hed_linking_compare(&f->object, 1, &a, &b, &linking, &error), HED_INVALID);
    cr_assert_not_null(strstr(error.message, "yarns: vertex 30 of the second frame"));
    f->b[30].y = 0.0;
    f->curves[1].count = 2;
    cr_assert_eq(hed_linking_compare(&f->object, 1, &a, &b, &linking, &error), HED_INVALID);
    f->curves[1].count = 24;
    f->object.kind = HED_OBJECT_SHEET;
    cr_assert_eq(hed_linking_compare(&f->object, 1, &a, &b, &linking, &error), HED_OK);
    cr_assert_eq(linking.verdict, HED_LINKING_UNCHANGED);
    cr_assert_eq(linking.curve_count, 0);
    hed_free(f);
}

Test(linking, survives_every_failed_allocation) {
    Frames* f = rings(1.0, 3.0);
    const HedVec3* a = f->a;
    const HedVec3* b = f->b;
    int64_t before = hed_alloc_stats().live_count;
    HedStatus status = HED_NO_MEMORY;
    for (int64_t n = 1; status != HED_OK; ++n) {
        HedLinking linking;
        cr_assert_lt(n, 200);
        hed_alloc_fail_at(n);
        status = hed_linking_compare(&f->object, 1, &a, &b, &linking, NULL);
        hed_alloc_fail_at(0);
        cr_assert(status == HED_OK || status == HED_NO_MEMORY);
        cr_assert_eq(hed_alloc_stats().live_count, before);
    }
    hed_free(f);
}
