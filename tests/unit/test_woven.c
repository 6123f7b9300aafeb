// SPDX-License-Identifier: MIT
// Yarns of woven cloth: Peirce's geometry, heights, thinning, selvedges, topology.
#include "geom/closest.h"
#include "math/vec3.h"
#include "weave/peirce.h"
#include "weave/weave.h"

#include <criterion/criterion.h>
#include <string.h>

// Of sizes below 4, and of shares: some dozens of operations that round by 1e-16 each.
static const double ROUNDING = 1e-14;

static const double DEGREES = 57.29577951308232;

static HedFabric weave_fabric(const char* pattern, const HedWeaveDef* def) {
    HedWeave weave = {0};
    HedFabric fabric = {0};
    HedError error = {0};
    cr_assert_eq(hed_weave_named(pattern, &weave, &error), HED_OK, "%s", error.message);
    cr_assert_eq(hed_weave_build(&weave, def, &fabric, &error), HED_OK, "%s", error.message);
    cr_assert_eq(hed_fabric_check(&fabric, &error), HED_OK, "%s: %s", pattern, error.message);
    hed_weave_free(&weave);
    return fabric;
}

// Square plain weave with D = 1: by bisection on Peirce's equations (weave angle, length).
static const double PEIRCE[][4] = {{0.9, 47.18, 1.0684, 0.1871},
                                   {1.0, 36.87, 1.1435, 0.1435},
                                   {1.5, 20.80, 1.5877, 0.0585},
                                   {2.0, 14.98, 2.0642, 0.0321}};

Test(woven, step_is_peirces) {
    for (size_t i = 0; i < sizeof PEIRCE / sizeof PEIRCE[0]; ++i) {
        const double* row = PEIRCE[i];
        HedCrest from = {0.0, 0.25, 0.5, true}, to = {row[0], -0.25, 0.5, false};
        HedCrestStep step = hed_crest_step(from, to);
        cr_assert_float_eq(-step.angle * DEGREES, row[1], 0.01); // as many digits as the table has
        cr_assert_float_eq(step.length, row[2], 1e-4);           // the same
    }
    // The jammed cloth has no straight part: 60 degrees, all arc.
    HedCrest from = {0.0, 0.25, 0.5, true}, to = {sqrt(0.75), -0.25, 0.5, false};
    HedCrestStep step = hed_crest_step(from, to);
    cr_assert_float_eq(-step.angle * DEGREES, 60.0, 1e-5); // a root: half the digits of a double
    cr_assert_float_eq(step.length, 1.0472, 5e-5);         // digits of pi/3
}

// The way is continuous, has unit speed, and ends at the crests.
Test(woven, points_follow_the_way) {
    HedCrest crests[] = {{0.0, 0.3, 0.5, true},
                         {1.3, -0.2, 0.7, false},
                         {2.9, 0.1, 0.4, true},
                         {4.0, 0.3, 0.4, true}};
    for (int i = 0; i < 3; ++i) {
        HedCrestStep step = hed_crest_step(crests[i], crests[i + 1]);
        double x, z, before_x = crests[i].at, before_z = crests[i].height, sum = 0.0;
        enum { PIECES = 2000 };
        for (int k = 0; k <= PIECES; ++k) {
            hed_crest_point(&step, step.length * k / PIECES, &x, &z);
            double piece = hypot(x - before_x, z - before_z);
            // A chord is no longer than its arc, but for rounding of sizes of 4 in pieces of 1e-3.
            cr_assert_leq(piece, step.length / PIECES * (1.0 + 1e-9));
            sum += piece;
            before_x = x;
            before_z = z;
        }
        cr_assert_float_eq(x, crests[i + 1].at, ROUNDING);
        cr_assert_float_eq(z, crests[i + 1].height, ROUNDING);
        // A chord of an arc of angle t is short by t^2 / 24.
        cr_assert_float_eq(sum, step.length, 1e-6 * step.length);
    }
}

static double crimp_of(const HedFabric* fabric, int32_t yarn, int32_t tail) {
    const HedFabricYarn* y = &fabric->yarns[yarn];
    const HedVec3* p = fabric->points + y->first;
    double length = 0.0;
    for (int32_t i = tail; i + 1 < y->count - tail; ++i) {
        length += hed_distance3(p[i], p[i + 1]);
    }
    double way = fmax(fabs(p[y->count - 1 - tail].x - p[tail].x),
                      fabs(p[y->count - 1 - tail].y - p[tail].y));
    return length / way - 1.0;
}

Test(woven, crimp_is_peirces) {
    for (size_t i = 0; i < sizeof PEIRCE / sizeof PEIRCE[0]; ++i) {
        HedWeaveDef def = hed_weave_def_default();
        def.warp.count = def.weft.count = 6;
        def.warp.diameter = def.weft.diameter = 0.5e-3;
        def.warp.sett = def.weft.sett = 1e3 / PEIRCE[i][0];
        def.points = 64;
        HedFabric fabric = weave_fabric("plain", &def);
        cr_assert_eq(fabric.note_count, 0);
        cr_assert_eq(fabric.yarn_count, 12);
        for (int32_t yarn = 0; yarn < 12; ++yarn) {
            cr_assert_float_eq(crimp_of(&fabric, yarn, 32), PEIRCE[i][3],
                               1e-4); // digits of the table
        }
        hed_fabric_free(&fabric);
    }
}

// At a crossing both centre lines are half the sum of the diameters apart.
Test(woven, threads_touch_where_they_cross) {
    HedWeaveDef def = hed_weave_def_default();
    def.warp = (HedThreadDef){.count = 10, .diameter = 0.4e-3, .sett = 1000.0, .color = -1};
    def.weft = (HedThreadDef){.count = 10, .diameter = 0.25e-3, .sett = 1400.0, .color = -1};
    HedFabric fabric = weave_fabric("satin 5", &def);
    cr_assert_eq(fabric.crossing_count, 100);
    for (int32_t i = 0; i < fabric.crossing_count; ++i) {
        HedFabricPlace over = fabric.crossings[i].over, under = fabric.crossings[i].under;
        HedVec3 p = fabric.points[fabric.yarns[over.yarn].first + (int32_t)over.at];
        HedVec3 q = fabric.points[fabric.yarns[under.yarn].first + (int32_t)under.at];
        cr_assert_float_eq(p.z - q.z, 0.325e-3, 0.01 * ROUNDING);
        cr_assert(fabs(p.x - q.x) < 1e-15 && fabs(p.y - q.y) < 1e-15); // of 10 mm
    }
    // End 1 is at the smallest x, and the first pick at the smallest y.
    cr_assert(fabric.points[0].x < fabric.points[fabric.yarns[1].first].x);
    cr_assert_str_eq(fabric.yarns[0].name, "warp");
    cr_assert_str_eq(fabric.yarns[10].name, "weft");
    hed_fabric_free(&fabric);
}

// Two plain weaves, one over the other: odd ends with odd picks, even ones with even ones.
static HedFabric double_cloth(const HedWeaveDef* def) {
    const char* const rows[] = {"#...", "###.", "..#.", "#.##"};
    HedWeave weave = {0};
    HedFabric fabric = {0};
    HedError error = {0};
    cr_assert_eq(hed_weave_rows(rows, 4, &weave, &error), HED_OK, "%s", error.message);
    cr_assert_eq(hed_weave_build(&weave, def, &fabric, &error), HED_OK, "%s", error.message);
    cr_assert_eq(hed_fabric_check(&fabric, &error), HED_OK, "%s", error.message);
    hed_weave_free(&weave);
    return fabric;
}

enum { DOUBLE = 14, POINTS = 64 }; // threads of a system, points per crossing

// Length of a thread from the first to the last crossing in its own layer over the distance.
static double own_crimp(const HedFabric* fabric, int32_t yarn) {
    const HedFabricYarn* y = &fabric->yarns[yarn];
    const HedVec3* p = fabric->points + y->first + POINTS / 2 + POINTS * (yarn % 2);
    int32_t count = POINTS * (DOUBLE - 2);
    double length = 0.0;
    for (int32_t i = 0; i < count; ++i) {
        length += hed_distance3(p[i], p[i + 1]);
    }
    return length / hed_distance3(p[0], p[count]) - 1.0;
}

// Each layer waves as a plain weave by itself does, of twice the spacing, and lies clear of the
// other one; yarns cross where the draft has them cross, within layers and between them.
Test(woven, layers_lie_on_each_other) {
    for (size_t i = 0; i < sizeof PEIRCE / sizeof PEIRCE[0]; ++i) {
        HedWeaveDef def = hed_weave_def_default();
        double diameter = 0.5e-3;
        def.warp.count = def.weft.count = DOUBLE;
        def.warp.diameter = def.weft.diameter = diameter;
        def.warp.sett = def.weft.sett = 2e3 / PEIRCE[i][0];
        def.points = POINTS;
        HedFabric fabric = double_cloth(&def);
        cr_assert_eq(fabric.note_count, 1); // two layers; nothing was made thinner
        double low[2] = {HUGE_VAL, HUGE_VAL}, high[2] = {-HUGE_VAL, -HUGE_VAL};
        for (int32_t yarn = 0; yarn < 2 * DOUBLE; ++yarn) {
            const HedFabricYarn* y = &fabric.yarns[yarn];
            for (int32_t k = y->first; k < y->first + y->count; ++k) {
                low[yarn % 2] = fmin(low[yarn % 2], fabric.points[k].z);
                high[yarn % 2] = fmax(high[yarn % 2], fabric.points[k].z);
            }
            double crimp = own_crimp(&fabric, yarn);
            cr_assert_float_eq(crimp, PEIRCE[i][3], 1e-4, "%g", crimp); // digits of the table
        }
        cr_assert_gt(low[0] - high[1], diameter);
        cr_assert_float_eq(high[0] + low[1], 0.0, 1e-15); // the middle at 0, to rounding of 1 mm
        for (int32_t k = 0; k < fabric.crossing_count; ++k) {
            HedFabricPlace over = fabric.crossings[k].over, under = fabric.crossings[k].under;
            HedVec3 p = fabric.points[fabric.yarns[over.yarn].first + (int32_t)over.at];
            HedVec3 q = fabric.points[fabric.yarns[under.yarn].first + (int32_t)under.at];
            // Found by halving a length of a millimetre to rounding.
            cr_assert(fabs(p.x - q.x) < 1e-14 && fabs(p.y - q.y) < 1e-14);
            cr_assert_eq(fabric.crossings[k].is_apart, over.yarn % 2 != under.yarn % 2);
        }
        hed_fabric_free(&fabric);
    }
}

// One weft goes to and fro through both layers, as tubes are woven; a cloth without end.
Test(woven, layers_turned_and_periodic) {
    HedWeaveDef def = hed_weave_def_default();
    def.warp.count = DOUBLE - 1;
    def.weft.count = DOUBLE;
    def.selvedge = HED_SELVEDGE_TURNED;
    HedFabric tube = double_cloth(&def);
    cr_assert_eq(tube.yarn_count, DOUBLE); // 13 ends, one weft
    hed_fabric_free(&tube);
    def = hed_weave_def_default();
    def.is_periodic = true;
    HedFabric repeat = double_cloth(&def);
    cr_assert_eq(repeat.crossing_count, 16);
    int32_t apart = 0;
    for (int32_t k = 0; k < 16; ++k) {
        apart += repeat.crossings[k].is_apart;
    }
    cr_assert_eq(apart, 8);
    hed_fabric_free(&repeat);
}

// Least distance of straight pieces of different yarns, less what both are thick.
static double least_gap(const HedFabric* fabric) {
    double least = HUGE_VAL;
    for (int32_t a = 0; a < fabric->yarn_count; ++a) {
        for (int32_t b = a + 1; b < fabric->yarn_count; ++b) {
            const HedFabricYarn* p = &fabric->yarns[a];
            const HedFabricYarn* q = &fabric->yarns[b];
            for (int32_t i = 0; i < p->count; ++i) {
                for (int32_t j = 0; j < q->count; ++j) {
                    double d =
                        hed_distance3(fabric->points[p->first + i], fabric->points[q->first + j]);
                    least = fmin(least, d - 0.5 * (p->diameter + q->diameter));
                }
            }
        }
    }
    return least;
}

// Threads that are too thick become thinner until they just fit, and then no tubes intersect:
// points lie on the exact curves, so their distances are no less than those of the curves.
Test(woven, thick_threads_are_made_to_fit) {
    const char* const patterns[] = {"plain", "twill 2/2", "twill 3/1", "basket 2/2", "satin 5"};
    for (size_t i = 0; i < sizeof patterns / sizeof patterns[0]; ++i) {
        for (int uneven = 0; uneven < 2; ++uneven) {
            HedWeaveDef def = hed_weave_def_default();
            def.warp = (HedThreadDef){.count = 8, .diameter = 1e-3, .sett = 1e3, .color = -1};
            def.weft = def.warp;
            def.weft.sett = uneven ? 600.0 : 1e3;
            HedFabric fabric = weave_fabric(patterns[i], &def);
            cr_assert_eq(fabric.note_count, 1);
            cr_assert(strstr(fabric.notes[0], "made thinner"), "%s", fabric.notes[0]);
            // Rounding of places within a cloth of 13 mm.
            cr_assert_geq(least_gap(&fabric), -1e-12, "%s: %g", patterns[i], least_gap(&fabric));
            // Mass stays that of the thick yarn.
            cr_assert_float_eq(fabric.yarns[0].linear_density, 910.0 * 0.25e-6 * 3.14159265358979,
                               1e-12);
            hed_fabric_free(&fabric);
        }
    }
}

// Jammed square plain weave: p = sqrt(3)/2 D.
Test(woven, thinning_ends_at_the_jammed_cloth) {
    HedWeaveDef def = hed_weave_def_default();
    def.warp = (HedThreadDef){.count = 4, .diameter = 1e-3, .sett = 1e3, .color = -1};
    def.weft = def.warp;
    HedFabric fabric = weave_fabric("plain", &def);
    cr_assert_float_eq(fabric.yarns[0].diameter, 0.5e-3 / sqrt(0.75), 1e-3 * ROUNDING);
    hed_fabric_free(&fabric);
}

Test(woven, turned_weft_is_one_yarn) {
    const char* const patterns[] = {"plain", "twill 2/2", "basket 2/2", "sateen 5"};
    for (size_t i = 0; i < sizeof patterns / sizeof patterns[0]; ++i) {
        HedWeaveDef def = hed_weave_def_default();
        def.warp.count = 9;
        def.weft.count = 11;
        def.selvedge = HED_SELVEDGE_TURNED;
        HedFabric fabric = weave_fabric(patterns[i], &def);
        cr_assert_eq(fabric.yarn_count, 10);
        cr_assert_eq(fabric.crossing_count, 99);
        cr_assert_eq(fabric.first_visits[10] - fabric.first_visits[9], 99);
        // No piece of a turn is longer than twice one of the cloth.
        double slot = 2.0 * fabric.yarns[0].diameter;
        for (int32_t k = fabric.yarns[9].first; k + 1 < fabric.point_count; ++k) {
            double piece = hed_distance3(fabric.points[k], fabric.points[k + 1]);
            cr_assert(piece > 0.0 && piece < 2.0 * slot / def.points, "%g of %g", piece, slot);
        }
        hed_fabric_free(&fabric);
    }
}

// Mirroring puts the first end at the right; the cloth is the mirror image.
Test(woven, mirrored) {
    HedWeaveDef def = hed_weave_def_default();
    def.warp.count = 6;
    def.weft.count = 5;
    HedFabric plain = weave_fabric("twill 2/1", &def);
    def.is_mirrored = true;
    HedFabric mirrored = weave_fabric("twill 2/1", &def);
    cr_assert_eq(plain.point_count, mirrored.point_count);
    for (int32_t e = 0; e < 6; ++e) {
        const HedVec3* p = plain.points + plain.yarns[e].first;
        const HedVec3* q = mirrored.points + mirrored.yarns[5 - e].first;
        for (int32_t i = 0; i < plain.yarns[e].count; ++i) {
            cr_assert_float_eq(p[i].x, -q[i].x, 0.01 * ROUNDING);
            cr_assert_float_eq(p[i].z, q[i].z, 0.01 * ROUNDING);
        }
    }
    hed_fabric_free(&plain);
    hed_fabric_free(&mirrored);
}

static void refuse(HedWeaveDef def, HedStatus status, const char* words) {
    HedWeave weave = {0};
    HedFabric fabric = {0};
    HedError error = {0};
    cr_assert_eq(hed_weave_named("plain", &weave, NULL), HED_OK);
    cr_assert_eq(hed_weave_build(&weave, &def, &fabric, &error), status, "%s", words);
    cr_assert(strstr(error.message, words), "%s", error.message);
    cr_assert_null(fabric.points);
    hed_weave_free(&weave);
}

Test(woven, bad_defs_are_refused) {
    HedWeaveDef def = {0};
    refuse(def, HED_INVALID, "hed_weave_def_default");
    const HedWeaveDef good = hed_weave_def_default();
    def = good;
    def.yarn_density = 0.0;
    refuse(def, HED_INVALID, "'yarn_density' must be positive");
    def = good;
    def.points = 1;
    refuse(def, HED_INVALID, "'points' must be from 2 to 1000, got 1");
    def = good;
    def.warp_share = 1.0;
    refuse(def, HED_INVALID, "'warp_share'");
    def = good;
    def.weft.sett = -1.0;
    refuse(def, HED_INVALID, "weft: 'sett' must not be negative, got -1");
    def = good;
    def.warp.diameter = NAN;
    refuse(def, HED_INVALID, "warp: 'diameter'");
    def = good;
    def.selvedge = HED_SELVEDGE_COUNT;
    refuse(def, HED_INVALID, "no selvedge 2");
    def = good;
    def.warp.count = def.weft.count = 20000;
    refuse(def, HED_UNSUPPORTED, "too large");
    cr_assert_str_eq(hed_selvedge_name(HED_SELVEDGE_TURNED), "turned");
}

Test(woven, cover) {
    HedWeave weave = {0};
    HedCover cover;
    HedWeaveDef def = hed_weave_def_default();
    cr_assert_eq(hed_weave_named("plain", &weave, NULL), HED_OK);
    def.warp.diameter = def.weft.diameter = 0.2e-3;
    def.warp.sett = 2000.0;
    def.weft.sett = 1500.0;
    cr_assert_eq(hed_weave_cover(&weave, &def, &cover, NULL), HED_OK);
    cr_assert_float_eq(cover.warp, 0.4, ROUNDING);
    cr_assert_float_eq(cover.weft, 0.3, ROUNDING);
    cr_assert_float_eq(cover.cloth, 0.58, ROUNDING);
    cr_assert_float_eq(cover.width, 1e-3, 1e-15); // two ends
    hed_weave_free(&weave);
}
