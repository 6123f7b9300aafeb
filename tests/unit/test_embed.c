// SPDX-License-Identifier: MIT
// Places of loops from their relations: shapes whose measures are known, of fabrics that are flat,
// long, round, toroidal, shaped and cabled; and what stands on them.
#include "base/alloc.h"
#include "knit/chart_text.h"
#include "knit/embed.h"
#include "knit/pattern.h"
#include "knit/sweater.h"
#include "math/vec3.h"
#include "solve/modes.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

static const double PI = 3.14159265358979323846;

enum { MOST = 20000 };

typedef struct Embedded {
    HedLoops graph;
    HedRelations relations;
    HedLoopPlace places[MOST];
    HedEmbedReport report;
} Embedded;

static Embedded it;

static void place(void) {
    HedError error = {0};
    cr_assert_leq(it.relations.count, MOST);
    cr_assert_eq(hed_embed(&it.relations, HED_EMBED_STRESS, it.places, &it.report, &error), HED_OK,
                 "%s", error.message);
}

// Stitches are 1 wide and 0.8 high.
static void relate(void) {
    HedError error = {0};
    cr_assert_eq(hed_relations_find(&it.graph, 1.0, 0.8, &it.relations, &error), HED_OK, "%s",
                 error.message);
}

static void embed_chart(HedChart* chart) {
    HedError error = {0};
    cr_assert_eq(hed_chart_loops(chart, &it.graph, &error), HED_OK, "%s", error.message);
    relate();
    place();
    hed_chart_free(chart);
}

static void embed_pattern(const char* name, int32_t rows, int32_t stitches) {
    HedError error = {0};
    HedChart chart;
    HedPatternSize size = {rows, stitches, false, false};
    cr_assert_eq(hed_pattern_chart(name, &size, &chart, &error), HED_OK);
    embed_chart(&chart);
}

static void drop(void) {
    hed_loops_free(&it.graph);
    hed_relations_free(&it.relations);
}

// Every loop of a flat fabric stands at its column and row, up to the small slack of the fit.
static void check_grid(double tolerance) {
    HedVec3 corner = it.places[0].position;
    double wale = it.graph.loops.data[0].wale;
    for (int32_t i = 0; i < it.graph.loops.count; ++i) {
        const HedLoop* loop = &it.graph.loops.data[i];
        HedVec3 x = hed_sub3(it.places[i].position, corner);
        // What the caller says that the fit leaves.
        cr_assert_float_eq(x.x, loop->wale - wale, tolerance, "loop %d: %g", i, x.x);
        // The same.
        cr_assert_float_eq(x.y, 0.8 * loop->course, tolerance, "loop %d: %g", i, x.y);
        // Flat: nothing leads out of the plane.
        cr_assert_float_eq(x.z, 0.0, 1e-12);
        cr_assert_gt(it.places[i].face.z, 0.99); // no folds, and the face looks along z
    }
}

// All relations of a plain flat fabric can be met at once, so they are: to the last digits in a
// square. In strips the bend that is left of the start fades slowly: a tenth of a stitch.
Test(embed, flat_fabrics_lie_flat) {
    embed_pattern("stockinette", 20, 20);
    check_grid(1e-3);
    // The mean square of 1e-3 of a stitch.
    cr_assert_lt(it.report.stress, 1e-6);
    drop();
    embed_pattern("garter", 5, 100); // 1 : 20
    check_grid(0.1);
    drop();
    embed_pattern("stockinette", 250, 10);
    check_grid(0.5);
    // The mean square of a hundredth of a stitch.
    cr_assert_lt(it.report.stress, 1e-4);
    drop();
    cr_assert_eq(hed_alloc_stats().live_count, 0);
}

// Loops of a tube of n stitches stand on a circle with the circumference n. Within 2 %: rounds are
// a helix, whose pitch is spread over its loops.
static void check_tube(int32_t stitches) {
    double radius = stitches / (2.0 * PI);
    for (int32_t i = 0; i < it.graph.loops.count; ++i) {
        const HedLoopPlace* p = &it.places[i];
        double r = hypot(p->position.x, p->position.z);
        // 2 %, as said, and an eighth of a stitch in the first and last round, held on one side
        // alone.
        cr_assert_float_eq(r, radius, 0.02 * radius + 0.125, "loop %d: %g, not %g", i, r, radius);
        // The face looks outwards, within the angle of two stitches; columns run along the axis.
        double out = (p->face.x * p->position.x + p->face.z * p->position.z) / r;
        cr_assert_gt(out, cos(4.0 * PI / stitches), "loop %d: %g", i, out);
        cr_assert_gt(p->up.y, 0.95);
    }
}

Test(embed, tubes_are_round) {
    embed_pattern("tube", 20, 40);
    check_tube(40);
    drop();
    embed_pattern("tube", 4, 100);
    check_tube(100);
    drop();
    embed_pattern("tube", 100, 16);
    check_tube(16);
    double height = it.places[it.graph.loops.count - 1].position.y - it.places[0].position.y;
    // Within 2 %, as the circumference: the pitch of the helix is spread over its loops.
    cr_assert_float_eq(fabs(height), 0.8 * 100, 0.02 * 80);
    drop();
}

static void make_torus(int32_t around, int32_t along) {
    it.relations = (HedRelations){.count = around * along};
    for (int32_t i = 0; i < along; ++i) {
        for (int32_t j = 0; j < around; ++j) {
            int32_t loop = i * around + j;
            HedRelation right = {loop, i * around + (j + 1) % around, 1.0, 0.0, 1.0};
            HedRelation up = {loop, (i + 1) % along * around + j, 0.0, 0.8, 1.0};
            cr_assert(HED_APPEND(&it.relations.items, right) &&
                      HED_APPEND(&it.relations.items, up));
        }
    }
}

// A torus of equal stitches cannot keep all distances, as its outside is longer than its inside.
// The sizes that it has on average: within 20 %.
Test(embed, a_torus_is_one) {
    enum { AROUND = 20, ALONG = 90 };
    make_torus(AROUND, ALONG);
    place();
    double large = 0.8 * ALONG / (2.0 * PI);
    double small = AROUND / (2.0 * PI);
    double out = 0.0;
    HedVec3 low = it.places[0].position, high = low;
    for (int32_t i = 0; i < it.relations.count; ++i) {
        HedVec3 x = it.places[i].position;
        low = hed_vec3(fmin(low.x, x.x), fmin(low.y, x.y), fmin(low.z, x.z));
        high = hed_vec3(fmax(high.x, x.x), fmax(high.y, x.y), fmax(high.z, x.z));
        out += hed_dot3(x, it.places[i].face) / it.relations.count;
    }
    double sizes[3] = {high.x - low.x, high.y - low.y, high.z - low.z};
    double least = fmin(sizes[0], fmin(sizes[1], sizes[2]));
    double most = fmax(sizes[0], fmax(sizes[1], sizes[2]));
    // Within 20 %, as above.
    cr_assert_float_eq(most, 2.0 * (large + small), 0.4 * (large + small), "%g", most);
    // The same.
    cr_assert_float_eq(least, 2.0 * small, 0.4 * small, "%g", least);
    cr_assert_gt(out, 0.5 * small); // the face is outside
    drop();
}

// Rows that lose a loop at each edge make a trapezoid: 40 loops wide below, 20 above. Its leaning
// edges are longer than its columns and pull the corners in: 5 %.
Test(embed, shaped_fabrics_have_their_shape) {
    char text[512] = "co 40\n";
    HedError error = {0};
    HedChart chart;
    for (int32_t i = 0; i < 10; ++i) {
        strcat(text, "k1 ssk k* k2tog k1\np*\n");
    }
    cr_assert_eq(hed_chart_read(text, "chart", false, &chart, &error), HED_OK, "%s", error.message);
    embed_chart(&chart);
    int32_t n = it.graph.loops.count;
    double below = hed_distance3(it.places[0].position, it.places[39].position);
    double above = hed_distance3(it.places[n - 1].position, it.places[n - 20].position);
    // Within 5 %, as above.
    cr_assert_float_eq(below, 39.0, 0.05 * 39.0, "%g", below);
    // The same.
    cr_assert_float_eq(above, 19.0, 0.05 * 19.0, "%g", above);
    for (int32_t i = 0; i < n; ++i) {
        cr_assert_gt(it.places[i].face.z, 0.9);
    }
    drop();
}

// Loops of a cable keep the order of their columns in every row, and it lies flat.
Test(embed, cables_keep_their_order) {
    embed_pattern("cable", 14, 16);
    for (int32_t i = 1; i < it.graph.loops.count; ++i) {
        const HedLoop* a = &it.graph.loops.data[i - 1];
        const HedLoop* b = &it.graph.loops.data[i];
        if (a->course == b->course) {
            double step = it.places[i].position.x - it.places[i - 1].position.x;
            cr_assert_gt(step * (b->wale - a->wale), 0.6, "loop %d: %g", i, step);
        }
        cr_assert_gt(it.places[i].face.z, 0.9);
    }
    drop();
}

// What Kaldor (2011, 7.2.1) found: a square is embedded well by eigenvectors, a strip of 3 : 1 is
// not.
Test(embed, eigenvectors_need_a_choice_by_hand) {
    HedError error = {0};
    HedEmbedReport report[2][2];
    const HedEmbedMethod methods[2] = {HED_EMBED_SPECTRAL, HED_EMBED_LINEAR};
    for (int32_t long_side = 0; long_side < 2; ++long_side) {
        embed_pattern("stockinette", 9, long_side == 0 ? 10 : 30);
        cr_assert_lt(it.report.stress, 1e-3); // the stress method needs none
        for (int32_t m = 0; m < 2; ++m) {
            HedStatus status =
                hed_embed(&it.relations, methods[m], it.places, &report[long_side][m], &error);
            if (status == HED_UNSUPPORTED) {
                drop();
                cr_skip("no ARPACK in this build");
            }
            cr_assert_eq(status, HED_OK, "%s", error.message);
        }
        drop();
    }
    cr_assert_lt(report[0][0].stress, 0.5);
    cr_assert_lt(report[0][1].stress, 0.5);
    cr_assert_gt(report[1][0].stress, report[0][0].stress);
    cr_assert_gt(report[1][1].stress, report[0][1].stress);
}

// A chain of n equal springs has the eigenvalues 2 - 2 cos(pi k / n).
Test(embed, modes_are_those_of_a_chain) {
    enum { N = 200, COUNT = 5 };
    HedSparseEntry entries[3 * N];
    double values[COUNT];
    static double vectors[COUNT * N];
    HedError error = {0};
    HedSparse matrix;
    int32_t count = 0;
    for (int32_t i = 0; i + 1 < N; ++i) {
        entries[count++] = (HedSparseEntry){i, i, 1.0};
        entries[count++] = (HedSparseEntry){i + 1, i + 1, 1.0};
        entries[count++] = (HedSparseEntry){i, i + 1, -1.0};
    }
    cr_assert_eq(hed_sparse_create(&matrix, N, entries, count, &error), HED_OK);
    HedStatus status = hed_modes_lowest(&matrix, -1e-6, COUNT, values, vectors, &error);
    hed_sparse_free(&matrix);
    if (status == HED_UNSUPPORTED) {
        cr_skip("no ARPACK in this build");
    }
    cr_assert_eq(status, HED_OK, "%s", error.message);
    for (int32_t k = 0; k < COUNT; ++k) {
        double wanted = 2.0 - 2.0 * cos(PI * k / N);
        // ARPACK leaves an epsilon of the norm, which is 4, and rows of N terms round by as
        // much: N times 1e-15.
        cr_assert_float_eq(values[k], wanted, N * 1e-15, "%d: %g, not %g", k, values[k], wanted);
    }
}

// A sweater: two of its ends are cuffs, one the hem, one the neck; all faces look outwards.
Test(embed, a_sweater_is_one, .timeout = 60) {
    HedKnitDef def = hed_knit_def_default();
    HedKnitReport report;
    HedFabric fabric;
    HedError error = {0};
    def.pattern = "raglan-sweater";
    def.stitches = 36;
    def.rows = 16;
    cr_assert_eq(hed_knit_create(&def, &fabric, &report, &error), HED_OK, "%s", error.message);
    cr_assert_eq(report.yarn_count, 3);
    cr_assert_eq(report.live_count, 0);
    HedVec3 low, high;
    hed_fabric_bounds(&fabric, &low, &high);
    // Sleeves stand out: it is wider than it is deep. The neck is above, where the first loop is.
    cr_assert_gt(high.x - low.x, 1.5 * (high.z - low.z));
    cr_assert_gt(fabric.points[0].y, 0.5 * high.y);
    hed_fabric_free(&fabric);
    cr_assert_eq(hed_alloc_stats().live_count, 0);
}

Test(embed, bad_sweaters_are_refused) {
    static const HedSweaterSize SIZES[] = {
        {34, 0, 5, 0, true}, {37, 0, 5, 0, true}, {36, -1, 5, 0, true}, {36, 0, 0, 0, true}};
    for (size_t i = 0; i < sizeof SIZES / sizeof SIZES[0]; ++i) {
        HedLoops graph;
        HedError error = {0};
        cr_assert_eq(hed_sweater_loops(&SIZES[i], &graph, &error), HED_INVALID);
        cr_assert(strstr(error.message, "a sweater must"), "%s", error.message);
        hed_loops_free(&graph);
    }
}

// Patterns that rows and columns can show are right in space, too: the proof holds there.
Test(embed, patterns_are_right_in_space, .timeout = 60) {
    static const char* const NAMES[] = {"stockinette", "rib-2x2",  "cable",
                                        "lace",        "jacquard", "tube"};
    for (size_t i = 0; i < sizeof NAMES / sizeof NAMES[0]; ++i) {
        HedKnitDef def = hed_knit_def_default();
        HedFabric fabric;
        HedError error = {0};
        def.pattern = NAMES[i];
        def.rows = 8;
        def.stitches = 24;
        def.is_embedded = true;
        cr_assert_eq(hed_knit_create(&def, &fabric, NULL, &error), HED_OK, "%s: %s", NAMES[i],
                     error.message);
        hed_fabric_free(&fabric);
    }
}

// Flat fabrics are placed and drawn; tubes, which take more steps, only placed.
Test(embed, memory_may_run_out, .timeout = 60) {
    for (int32_t round = 0; round < 2; ++round) {
        HedKnitDef def = hed_knit_def_default();
        def.pattern = round ? "tube" : "stockinette";
        def.rows = 1;
        def.stitches = round ? 8 : 2;
        def.is_embedded = true;
        HedStatus status = HED_NO_MEMORY;
        for (int64_t n = 1; status == HED_NO_MEMORY; ++n) {
            HedFabric fabric = {0};
            HedLoopPlace* places = NULL;
            int32_t count = 0;
            HedError error = {0};
            hed_alloc_fail_at(n);
            status = round ? hed_knit_places(&def, HED_EMBED_STRESS, &places, &count, NULL, &error)
                           : hed_knit_create(&def, &fabric, NULL, &error);
            hed_alloc_fail_at(0);
            hed_fabric_free(&fabric);
            hed_loop_places_free(places);
            cr_assert_eq(hed_alloc_stats().live_count, 0, "allocation %d", (int)n);
        }
        cr_assert_eq(status, HED_OK);
    }
}

// The row before the last one is crossed: the chain that binds off rises and falls over cables.
Test(embed, cables_are_bound_off_in_space) {
    HedKnitDef def = hed_knit_def_default();
    HedFabric fabric;
    HedError error = {0};
    def.pattern = "cable";
    def.rows = 16;
    def.stitches = 16;
    def.is_embedded = true;
    cr_assert_eq(hed_knit_create(&def, &fabric, NULL, &error), HED_OK, "%s", error.message);
    hed_fabric_free(&fabric);
}
