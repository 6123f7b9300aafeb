// SPDX-License-Identifier: MIT
// Damping over blocks of stitches in simulations: what is rigid in a block stays, what is not goes,
// and momentum is kept.
#include "heddle/heddle.h"
#include "sim/internal.h"
#include "support/rig.h"

#include <criterion/criterion.h>
#include <string.h>

typedef struct Swatch {
    HedFabric fabric;
    HedFabricParts blocks, pairs;
    HedSim* sim;
    HedYarnsId yarns;
} Swatch;

static HedVertexSets sets_of(const HedFabricParts* parts) {
    return (HedVertexSets){parts->count, parts->first, parts->points};
}

// A knit that flies and whose yarns would be straight: all of it moves at once.
static Swatch open_swatch(HedYarnModel model, const HedSimDef* def) {
    Swatch s = {0};
    HedKnitDef knit = hed_knit_def_default();
    HedCurve curves[4];
    HedError error = {0};
    knit.pattern = "stockinette";
    knit.rows = knit.stitches = 6;
    knit.points_per_loop = 16;
    cr_assert_eq(hed_knit_create(&knit, &s.fabric, NULL, &error), HED_OK, "%s", error.message);
    cr_assert_eq(hed_fabric_blocks(&s.fabric, 4, &s.blocks, NULL), HED_OK);
    cr_assert_eq(hed_fabric_pairs(&s.fabric, &s.pairs, NULL), HED_OK);
    cr_assert_leq(s.fabric.yarn_count, 4);
    for (int32_t k = 0; k < s.fabric.yarn_count; ++k) {
        const HedFabricYarn* yarn = &s.fabric.yarns[k];
        curves[k] = (HedCurve){.first = yarn->first,
                               .count = yarn->count,
                               .color = HED_COLOR_NONE,
                               .radius = 0.4 * yarn->diameter};
    }
    s.sim = rig_sim(def);
    HedYarnsDef yarn = hed_yarns_def_default();
    yarn.model = model;
    yarn.vertices = s.fabric.points;
    yarn.vertex_count = s.fabric.point_count;
    yarn.curves = curves;
    yarn.curve_count = s.fabric.yarn_count;
    yarn.velocity = hed_vec3(0.1, 0.02, -0.05);
    yarn.blocks = sets_of(&s.blocks);
    yarn.pairs = sets_of(&s.pairs);
    cr_assert_eq(hed_yarns_create(s.sim, &yarn, &s.yarns, &error), HED_OK, "%s", error.message);
    rig_prepare(s.sim);
    return s;
}

static void close_swatch(Swatch* s) {
    hed_sim_destroy(s->sim);
    hed_fabric_parts_free(&s->blocks);
    hed_fabric_parts_free(&s->pairs);
    hed_fabric_free(&s->fabric);
}

static HedSimDef free_flight(double step) {
    HedSimDef def = hed_sim_def_default();
    def.gravity = (HedVec3){0};
    def.integrator = HED_SYMPLECTIC_EULER;
    def.time_step = step;
    def.thread_count = 1;
    return def;
}

// m/s: how fast any two points of a part change their distance, where the last piece of a step
// found them.
static double strain_rate(const Swatch* s, const HedFabricParts* parts, int32_t part) {
    const HedVec3 *x = s->sim->yarn_dynamics->lag, *v = s->sim->v.data;
    double most = 0.0;
    for (int32_t i = parts->first[part]; i < parts->first[part + 1]; ++i) {
        for (int32_t j = parts->first[part]; j < i; ++j) {
            int32_t a = parts->points[i], b = parts->points[j];
            HedVec3 way = hed_sub3(x[a], x[b]);
            double rate = hed_dot3(way, hed_sub3(v[a], v[b])) / hed_norm3(way);
            most = fmax(most, fabs(rate));
        }
    }
    return most;
}

// Damped so much that one piece of a step stops all that is not rigid: then all points of a block
// keep their distances, with loops of different rows among them; blocks move against each other.
// Along yarns alone, loops of different rows do.
Test(regions, blocks_of_stitches_move_as_one) {
    const double step = 1e-7;
    double left[2];
    for (int along = 0; along < 2; ++along) {
        HedSimDef def = free_flight(step);
        def.nonrigid_rate = 2.0 / step;
        Swatch s = open_swatch(HED_YARN_ROD, &def);
        if (along) {
            s.sim->blocks.first.count = s.sim->blocks.point.count = 0;
            hed_sim_regions_free(s.sim->yarn_dynamics);
            cr_assert_eq(hed_sim_regions_create(s.sim, s.sim->yarn_dynamics, NULL), HED_OK);
        }
        cr_assert_eq(rig_step(s.sim).substeps, 1);
        left[along] = 0.0;
        for (int32_t p = 0; p < s.blocks.count; ++p) {
            left[along] = fmax(left[along], strain_rate(&s, &s.blocks, p));
        }
        HedFabricParts all = {1, (int32_t[]){0, s.fabric.point_count}, NULL};
        all.points = s.blocks.points;
        all.first[1] = s.blocks.first[s.blocks.count];
        // Far above the roundings below.
        cr_assert_gt(strain_rate(&s, &all, 0), 1e-4);
        close_swatch(&s);
    }
    // Roundings of 1e-16 in speeds of 0.1 m/s, for distances of a hundredth of the block's size.
    cr_expect_lt(left[0], 1e-14, "%g m/s", left[0]);
    // As far.
    cr_expect_gt(left[1], 1e-3, "%g m/s", left[1]);
}

// Two loops of neighbouring rows, one pulled through the other, belong to one region of the
// simulation, whatever the yarn is made of.
Test(regions, loops_of_neighbouring_rows_share_a_region) {
    for (int model = HED_YARN_ROD; model <= HED_YARN_SPLINE; ++model) {
        HedSimDef def = free_flight(1e-6);
        def.nonrigid_rate = def.nonrigid_pair_rate = 10.0;
        Swatch s = open_swatch((HedYarnModel)model, &def);
        const HedRegions* pairs = &s.sim->yarn_dynamics->pairs;
        const HedRegions* regions = &s.sim->yarn_dynamics->regions;
        const int32_t* place = s.sim->cloths.data[0].place;
        int32_t index = 0, together = 0;
        for (int32_t i = 0; i < s.fabric.loop_count; ++i) {
            const HedFabricLoop* l = &s.fabric.loops[i];
            if (l->parent < 0) {
                continue;
            }
            const HedFabricLoop* p = &s.fabric.loops[l->parent];
            int32_t a = place[s.fabric.yarns[l->yarn].first + (int32_t)ceil(l->start)];
            int32_t b = place[s.fabric.yarns[p->yarn].first + (int32_t)ceil(p->start)];
            int found = 0;
            for (int32_t k = pairs->first[index]; k < pairs->first[index + 1]; ++k) {
                found += pairs->point[k] == a || pairs->point[k] == b;
            }
            cr_assert_eq(found, 2, "%s: loop %d", hed_yarn_model_name((HedYarnModel)model), i);
            cr_assert_eq(regions->of_first[a + 1] - regions->of_first[a], 1); // blocks: just one
            together += regions->of[regions->of_first[a]] == regions->of[regions->of_first[b]];
            ++index;
        }
        cr_assert_eq(pairs->count, index);
        // 9 courses are 2 bands, so one row of 6 loops has its parents in other blocks; and so has
        // one of those bound off, each of which is pulled through the one before.
        cr_expect_eq(index - together, 7, "%d of %d", together, index);
        for (int32_t p = 0; p < s.sim->x.count; ++p) {
            cr_expect_gt(regions->of_first[p + 1], regions->of_first[p], "point %d in none", p);
        }
        close_swatch(&s);
    }
}

typedef struct Motion {
    HedVec3 linear, angular;
    double scale; // kg m/s
} Motion;

static Motion measure(const HedSim* sim) {
    Motion sum = {0};
    for (int32_t i = 0; i < sim->x.count; ++i) {
        HedVec3 p = hed_mul3(sim->mass.data[i], sim->v.data[i]);
        sum.linear = hed_add3(sum.linear, p);
        sum.angular = hed_add3(sum.angular, hed_cross3(sim->x.data[i], p));
        sum.scale += hed_norm3(p);
    }
    return sum;
}

// Pairs overlap, blocks do not; both keep momentum. The knit is 3 cm wide.
Test(regions, momentum_is_kept_and_energy_is_counted) {
    const double width = 0.03;
    for (int model = HED_YARN_ROD; model <= HED_YARN_SPLINE; ++model) {
        HedSimDef def = free_flight(1e-5);
        def.nonrigid_rate = 200.0;
        def.nonrigid_slowing = 0.1;
        def.nonrigid_pair_rate = 500.0;
        Swatch s = open_swatch((HedYarnModel)model, &def);
        Motion before = measure(s.sim);
        rig_run(s.sim, 20);
        Motion after = measure(s.sim);
        // Roundings of 1e-16 in each of some hundred pieces, of forces and of regions.
        cr_expect_lt(hed_distance3(before.linear, after.linear), 1e-12 * after.scale);
        // The same, with levers of the width.
        cr_expect_lt(hed_distance3(before.angular, after.angular), 1e-12 * width * after.scale);
        cr_expect_gt(hed_sim_energies(s.sim).dissipated, 0.0);
        close_swatch(&s);
    }
}

Test(regions, bad_sets_are_named) {
    static const int32_t first[2] = {0, 2}, late[2] = {1, 2}, falling[3] = {0, 2, 1};
    static const int32_t good[2] = {0, 1}, far[2] = {0, 7}, twice[2] = {1, 1};
    const struct {
        HedVertexSets sets;
        const char* words;
    } cases[] = {
        {{1, first, far}, "vertices of blocks must be in 0..3, got 7"},
        {{1, late, good}, "blocks must begin"},
        {{2, falling, good}, "starts of blocks must rise, got 1 behind 2"},
        {{1, NULL, good}, "blocks must begin"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; ++k) {
        HedSimDef def = free_flight(1e-4);
        HedSim* sim = rig_sim(&def);
        HedYarnsId id;
        HedError error = {0};
        HedVec3 x[4] = {{0, 0, 0}, {0.01, 0, 0}, {0.02, 0, 0}, {0.03, 0, 0}};
        HedCurve curve = {.count = 4, .color = HED_COLOR_NONE};
        HedYarnsDef yarn = hed_yarns_def_default();
        yarn.vertices = x;
        yarn.vertex_count = 4;
        yarn.curves = &curve;
        yarn.curve_count = 1;
        yarn.blocks = cases[k].sets;
        cr_expect_eq(hed_yarns_create(sim, &yarn, &id, &error), HED_INVALID);
        cr_expect(strstr(error.message, cases[k].words), "%s", error.message);
        hed_sim_destroy(sim);
    }
    HedSimDef def = free_flight(1e-4);
    def.nonrigid_rate = 1.0;
    HedSim* sim = rig_sim(&def);
    HedYarnsDef yarn = hed_yarns_def_default();
    HedError error = {0};
    yarn.blocks = (HedVertexSets){1, first, twice};
    rig_yarn_line(sim, &yarn, hed_vec3(0, 0, 0), hed_vec3(0.03, 0, 0), 4);
    cr_expect_eq(hed_sim_prepare(sim, &error), HED_INVALID);
    cr_expect(strstr(error.message, "twice"), "%s", error.message);
    hed_sim_destroy(sim);
}
