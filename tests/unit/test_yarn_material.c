// SPDX-License-Identifier: MIT
// The materials of pictures: they return all light that they should, and the same both ways.
#include "render/lobe.h"
#include "render/surface.h"
#include "render/yarn.h"

#include "base/alloc.h"
#include "base/random.h"

#include <criterion/criterion.h>
#include <string.h>

static float uniform(uint64_t stream, uint64_t i) {
    return (float)hed_random_uniform(11, stream, i);
}

static HedVec3f direction_above(uint64_t stream, uint64_t i) {
    float c;
    float s;
    float z = 0.02f + 0.98f * uniform(stream, 2 * i);
    hed_turn(uniform(stream, 2 * i + 1), &c, &s);
    float r = sqrtf(1.0f - z * z);
    return (HedVec3f){r * c, r * s, z};
}

static const float ROUGH[][3] = {
    {0.42f, 0.85f, 0.03f}, {0.55f, 0.55f, 0.035f}, {0.2f, 0.9f, 0.3f}, {0.1f, 0.1f, 1.0f}};

// A white surface in even light is as bright as the light: the mean of the weights is 1, from every
// side. 20000 samples of weights that vary by less than 0.5 leave 0.4 % of noise.
Test(material, a_white_surface_returns_all_light) {
    for (size_t k = 0; k < sizeof ROUGH / sizeof ROUGH[0]; ++k) {
        HedLobe lobe;
        hed_lobe_build(&lobe, ROUGH[k][0], ROUGH[k][1], ROUGH[k][2]);
        for (uint64_t view_index = 0; view_index < 12; ++view_index) {
            enum { COUNT = 20000 };
            HedView view = hed_lobe_view(&lobe, direction_above(1, view_index));
            double sum = 0.0;
            for (uint64_t i = 0; i < COUNT; ++i) {
                HedSample2 u = {uniform(2, i), uniform(3, i)};
                HedLobeSample s = hed_lobe_sample(&lobe, &view, u, uniform(4, i));
                sum += s.is_valid ? (double)(s.weight.shine + s.weight.base) : 0.0;
            }
            // Three standard deviations, of 48 tries.
            cr_expect_float_eq(sum / COUNT, 1.0, 0.01, "lobe %zu view %d (cos %g): %g", k,
                               (int)view_index, (double)view.wo.z, sum / COUNT);
        }
    }
}

// The density that samples are divided by is the right one: summing the value over the hemisphere
// gives the same as sampling.
Test(material, values_agree_with_samples) {
    HedLobe lobe;
    hed_lobe_build(&lobe, 0.42f, 0.85f, 0.03f);
    HedView view = hed_lobe_view(&lobe, direction_above(5, 3));
    enum { SIDE = 300 };
    double shine = 0.0;
    double base = 0.0;
    for (int i = 0; i < SIDE * SIDE; ++i) {
        float c;
        float s;
        float z = ((float)(i / SIDE) + 0.5f) / SIDE;
        hed_turn(((float)(i % SIDE) + 0.5f) / SIDE, &c, &s);
        float r = sqrtf(1.0f - z * z);
        HedScatter f = hed_lobe_eval(&lobe, &view, (HedVec3f){r * c, r * s, z});
        shine += (double)f.shine;
        base += (double)f.base;
    }
    double area = 2.0 * 3.14159265358979 / (SIDE * SIDE);
    // Midpoints 1/300 apart, and a table of values between which it is interpolated.
    cr_expect_float_eq(shine * area, (double)view.returned, 5e-4, "%g, table %g", shine * area,
                       (double)view.returned);
    // The same.
    cr_expect_float_eq((shine + base) * area, 1.0, 5e-4, "%g", (shine + base) * area);
}

// Light takes the same way forth and back: f(a, b) = f(b, a).
Test(material, light_goes_both_ways) {
    HedLobe lobe;
    hed_lobe_build(&lobe, 0.42f, 0.85f, 0.03f);
    for (uint64_t i = 0; i < 200; ++i) {
        HedVec3f a = direction_above(6, i);
        HedVec3f b = direction_above(7, i);
        HedView from_a = hed_lobe_view(&lobe, a);
        HedView from_b = hed_lobe_view(&lobe, b);
        HedScatter ab = hed_lobe_eval(&lobe, &from_a, b);
        HedScatter ba = hed_lobe_eval(&lobe, &from_b, a);
        float f = (ab.shine + ab.base) / b.z;
        float g = (ba.shine + ba.base) / a.z;
        // Some ten roundings of 6e-8.
        cr_expect_float_eq(f, g, 1e-6f * (f + g));
    }
}

// Points of a pixel fill each dimension evenly: one in each interval of 1/64, for any pixel.
Test(sampler, samples_of_a_pixel_are_spread_evenly) {
    HedSampler sampler;
    cr_assert_eq(hed_sampler_create(&sampler, 5, 64, NULL), HED_OK);
    for (int32_t pixel = 0; pixel < 20; ++pixel) {
        for (int32_t pair = 0; pair < HED_SAMPLER_PAIRS; ++pair) {
            int seen[2][64] = {{0}};
            for (int32_t i = 0; i < 64; ++i) {
                HedDraw draw = hed_draw_begin(&sampler, pixel, i);
                draw.pair = pair;
                HedSample2 u = hed_draw_pair(&draw);
                cr_assert(u.a >= 0.0f && u.a < 1.0f && u.b >= 0.0f && u.b < 1.0f);
                seen[0][(int)(64.0f * u.a)] += 1;
                seen[1][(int)(64.0f * u.b)] += 1;
            }
            for (int k = 0; k < 64; ++k) {
                cr_assert(seen[0][k] == 1 && seen[1][k] == 1, "pixel %d pair %d", pixel, pair);
            }
        }
    }
    hed_sampler_free(&sampler);
}

// A closed yarn of some points on a bent loop.
static void build_loop(HedVec3* p, int32_t count, HedCurve* curve) {
    for (int32_t i = 0; i < count; ++i) {
        double a = 2.0 * 3.14159265358979 * i / count;
        p[i] = (HedVec3){cos(a), 0.4 * sin(2.0 * a), sin(a) + 0.3 * cos(3.0 * a)};
    }
    *curve = (HedCurve){.count = count, .is_closed = true, .color = HED_COLOR_NONE, .radius = 0.05};
}

static HedVec3f point3(const float* p) {
    return (HedVec3f){p[0], p[1], p[2]};
}

// Where a closed yarn meets itself its plies go on: the shade and the tilt of the normal just
// before the seam are those just after it.
Test(yarn, plies_of_a_closed_yarn_meet) {
    enum { COUNT = 60 };
    HedVec3 p[COUNT];
    HedCurve curve;
    build_loop(p, COUNT, &curve);
    HedSeriesObject object = {.name = "loop",
                              .kind = HED_OBJECT_YARNS,
                              .vertex_count = COUNT,
                              .curves = &curve,
                              .curve_count = 1};
    HedRenderShape shape = {.kind = HED_OBJECT_YARNS};
    cr_assert_eq(hed_yarn_dynamics_build(&object, p, NULL, (HedVec3){0}, &shape, NULL), HED_OK);
    for (int32_t plies = 1; plies <= 4; ++plies) {
        hed_yarn_dynamics_twist(&shape, &object, 0.2, plies);
        HedYarnStyle style = {.plies = plies, .cavity = 1.0f};
        HedVec3f t = hed_unit3f(hed_sub3f(point3(shape.points[2]), point3(shape.points[COUNT])));
        HedBasis basis = hed_basis_of(t);
        for (int k = 0; k < 16; ++k) {
            float c;
            float s;
            hed_turn((float)k / 16.0f, &c, &s);
            HedVec3f n = hed_madd3f(hed_mul3f(c, basis.x), s, basis.y);
            HedYarnPoint a = hed_yarn_point(&shape, &style, COUNT - 1, 1.0f, n, 0.0f);
            HedYarnPoint b = hed_yarn_point(&shape, &style, 0, 0.0f, n, 0.0f);
            // A place in a groove may fall to either of two plies: shades agree all the same.
            cr_expect_float_eq(a.shade, b.shade, 2e-3f, "plies %d: %g %g", plies, (double)a.shade,
                               (double)b.shade);
        }
    }
    HedScenery owner = {.shapes = hed_alloc(sizeof shape), .shape_count = 1};
    *owner.shapes = shape;
    hed_scenery_free(&owner);
}

// More fuzz means more hair, none means none, and the same place gives the same answer.
Test(yarn, fuzz_covers_as_much_as_asked) {
    enum { COUNT = 20, TRIES = 20000 };
    HedVec3 p[COUNT];
    HedCurve curve = {.count = COUNT, .color = HED_COLOR_NONE, .radius = 0.05};
    for (int32_t i = 0; i < COUNT; ++i) {
        p[i] = (HedVec3){0.1 * i, 0.0, 0.0};
    }
    HedSeriesObject object = {.name = "straight",
                              .kind = HED_OBJECT_YARNS,
                              .vertex_count = COUNT,
                              .curves = &curve,
                              .curve_count = 1};
    HedRenderShape shape = {.kind = HED_OBJECT_YARNS};
    cr_assert_eq(hed_yarn_dynamics_build(&object, p, NULL, (HedVec3){0}, &shape, NULL), HED_OK);
    int covered[3] = {0};
    for (int level = 0; level < 3; ++level) {
        HedYarnStyle style = {.plies = 3, .fuzz = 0.5f * (float)level};
        for (int i = 0; i < TRIES; ++i) {
            float c;
            float s;
            hed_turn(uniform(21, (uint64_t)i), &c, &s);
            HedFuzzHit hit = {.segment = (uint32_t)(i % (COUNT - 1)),
                              .u = uniform(22, (uint64_t)i),
                              .normal = {0.0f, c, s},
                              .direction = {0.0f, -c, -s}};
            bool meets = hed_fuzz_meets(&shape, &style, &hit);
            cr_assert_eq(meets, hed_fuzz_meets(&shape, &style, &hit));
            covered[level] += meets;
        }
    }
    cr_expect_eq(covered[0], 0);
    cr_expect(covered[1] > TRIES / 200, "%d", covered[1]);
    cr_expect(covered[2] > covered[1], "%d %d", covered[1], covered[2]);
    cr_expect(covered[2] < TRIES / 2, "a yarn is not a brush: %d", covered[2]);
    HedScenery owner = {.shapes = hed_alloc(sizeof shape), .shape_count = 1};
    *owner.shapes = shape;
    hed_scenery_free(&owner);
}
