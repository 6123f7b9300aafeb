// SPDX-License-Identifier: MIT
// Chains of springs: which there are, and that solving them together finds what solving springs one
// by one does.
#include "base/alloc.h"
#include "math/vec3.h"
#include "sim/lines.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { POINTS = 4096, SPRINGS = 8192, CURVES = 4096 };

static const double H = 5e-3; // s

// Points and elements of a test, made by the functions below.
typedef struct Net {
    HedVec3 rest[POINTS];
    HedVec3 x[POINTS];
    double inverse_mass[POINTS];
    int32_t point_count;
    HedSpring springs[SPRINGS];
    double damping[SPRINGS];
    int32_t spring_count;
    HedBend curves[CURVES];
    double curve_damping[CURVES];
    int32_t curve_count;
    bool is_taken[SPRINGS + CURVES];
    HedLines lines;
} Net;

static Net* net_create(void) {
    Net* net = calloc(1, sizeof *net);
    cr_assert_not_null(net);
    return net;
}

static void net_free(Net* net) {
    hed_lines_free(&net->lines);
    free(net);
}

static HedStatus net_find(Net* net, HedError* error) {
    HedLineDef def = {net->rest,         net->point_count, net->springs,       net->damping,
                      net->spring_count, net->curves,      net->curve_damping, net->curve_count};
    memset(net->is_taken, 0, sizeof net->is_taken);
    return hed_lines_create(&net->lines, &def, net->is_taken, error);
}

// Numbers in (0, 1) that look random.
static double noise(int32_t k) {
    double r = sin(12.9898 * k + 78.233) * 43758.5453;
    return r - floor(r);
}

static int32_t add_point(Net* net, double x, double y, double z) {
    int32_t p = net->point_count++;
    net->rest[p] = net->x[p] = hed_vec3(x, y, z);
    net->inverse_mass[p] = 5e4 * (1.0 + noise(p)); // 10 to 20 mg
    return p;
}

static void add_spring(Net* net, int32_t a, int32_t b, int32_t kind) {
    int32_t s = net->spring_count++;
    double length = hed_distance3(net->rest[a], net->rest[b]);
    net->springs[s] = (HedSpring){a, b, kind, length, 20.0 * (1.0 + noise(s + 7))};
    net->damping[s] = 2e-3;
}

static void add_curve(Net* net, int32_t a, int32_t m, int32_t b) {
    int32_t c = net->curve_count++;
    net->curves[c] = (HedBend){.point = {a, m, b}};
    net->curves[c].rest.inverse0 = 1.0 / hed_distance3(net->rest[a], net->rest[m]);
    net->curves[c].rest.inverse1 = 1.0 / hed_distance3(net->rest[m], net->rest[b]);
    net->curves[c].rest.stiffness = 1e-5;
    net->curve_damping[c] = 1e-3;
}

// A grid of cells of 1 cm with diagonals and bending along both directions.
static void make_grid(Net* net, int32_t columns, int32_t rows) {
    for (int32_t k = 0; k < columns * rows; ++k) {
        add_point(net, 0.01 * (k % columns), 0.0, 0.01 * (k / columns));
    }
    for (int32_t k = 0; k < columns * rows; ++k) {
        int32_t i = k % columns, j = k / columns;
        if (i + 1 < columns) {
            add_spring(net, k, k + 1, HED_SPRING_STRETCH);
        }
        if (j + 1 < rows) {
            add_spring(net, k, k + columns, HED_SPRING_STRETCH);
        }
        if (i + 1 < columns && j + 1 < rows) {
            add_spring(net, k, k + columns + 1, HED_SPRING_SHEAR);
            add_spring(net, k + 1, k + columns, HED_SPRING_SHEAR);
        }
        if (i + 2 < columns) {
            add_curve(net, k, k + 1, k + 2);
        }
        if (j + 2 < rows) {
            add_curve(net, k, k + columns, k + 2 * columns);
        }
    }
}

static int32_t find_spring(const Net* net, int32_t a, int32_t b) {
    for (int32_t s = 0; s < net->spring_count; ++s) {
        const HedSpring* spring = &net->springs[s];
        if ((spring->a == a && spring->b == b) || (spring->a == b && spring->b == a)) {
            return s;
        }
    }
    return -1;
}

// Counts how often each spring stands in a chain, and the points of each colour. Returns the number
// of springs in chains.
static int32_t check_chains(const Net* net) {
    int32_t* times = calloc(SPRINGS, sizeof *times);
    int32_t* color_of = calloc(POINTS, sizeof *color_of);
    int32_t found = 0;
    for (int32_t color = 0; color < net->lines.color_count; ++color) {
        for (int32_t g = net->lines.color_first[color]; g < net->lines.color_first[color + 1];
             ++g) {
            const HedLineGroup* group = &net->lines.group[g];
            for (int l = 0; l < HED_LANES; ++l) {
                for (int32_t j = 0; j < group->count[l]; ++j) {
                    const HedLineNode* node = &net->lines.node[group->first + j];
                    cr_expect_neq(color_of[node->point[l]], color + 1, "a point twice in a colour");
                    color_of[node->point[l]] = color + 1;
                    if (j + 1 < group->count[l]) {
                        int32_t s = find_spring(net, node[0].point[l], node[1].point[l]);
                        cr_assert_geq(s, 0);
                        cr_expect_eq(node->rest[l], net->springs[s].length);
                        times[s] += 1;
                    }
                }
            }
        }
    }
    for (int32_t s = 0; s < net->spring_count; ++s) {
        cr_expect_eq(times[s], net->is_taken[s], "spring %d stands in %d chains", s, times[s]);
        found += times[s];
    }
    free(times);
    free(color_of);
    return found;
}

static int32_t count_taken(const Net* net, int32_t first, int32_t count) {
    int32_t taken = 0;
    for (int32_t k = 0; k < count; ++k) {
        taken += net->is_taken[first + k];
    }
    return taken;
}

// A colour for each direction and each diagonal. Only the diagonals of the four corner cells that
// have no neighbour are alone.
Test(lines, grids_have_four_colours) {
    Net* net = net_create();
    make_grid(net, 9, 13);
    cr_assert_eq(net_find(net, NULL), HED_OK);
    cr_expect_eq(net->lines.color_count, 4);
    cr_expect_eq(net->lines.longest, 13);
    cr_expect_eq(check_chains(net), net->spring_count - 4);
    cr_expect_eq(count_taken(net, net->spring_count, net->curve_count), net->curve_count);
    net_free(net);
}

// A ring is cut at one place, so that no chain comes to a point twice.
Test(lines, rings_are_cut) {
    Net* net = net_create();
    enum { RING = 24 };
    for (int32_t k = 0; k < RING; ++k) {
        double angle = 6.283185307179586 * k / RING;
        add_point(net, cos(angle), sin(angle), 0.0);
    }
    for (int32_t k = 0; k < RING; ++k) {
        add_spring(net, k, (k + 1) % RING, HED_SPRING_STRETCH);
    }
    cr_assert_eq(net_find(net, NULL), HED_OK);
    cr_expect_eq(check_chains(net), RING - 1);
    net_free(net);
}

Test(lines, long_lines_are_cut) {
    Net* net = net_create();
    for (int32_t k = 0; k < 3001; ++k) {
        add_point(net, 0.01 * k, 0.0, 0.0);
        if (k > 0) {
            add_spring(net, k - 1, k, HED_SPRING_STRETCH);
        }
    }
    cr_assert_eq(net_find(net, NULL), HED_OK);
    cr_expect_eq(net->lines.longest, HED_LINE_EDGES + 1);
    cr_expect_eq(count_taken(net, 0, net->spring_count), 3000);
    net_free(net);
}

// Lines of eight springs through one point: more of them than there are colours, then more than a
// point may have springs to count as a place where lines pass.
Test(lines, fans_are_cut) {
    for (int32_t spokes = 50; spokes <= 100; spokes += 50) {
        Net* net = net_create();
        int32_t hub = add_point(net, 0.0, 0.0, 0.0);
        for (int32_t k = 0; k < spokes; ++k) {
            double angle = 6.283185307179586 * k / spokes;
            int32_t last = hub;
            for (int32_t j = 1; j <= 4; ++j) {
                int32_t next = add_point(net, j * cos(angle), j * sin(angle), 0.0);
                add_spring(net, last, next, HED_SPRING_STRETCH);
                last = next;
            }
        }
        cr_assert_eq(net_find(net, NULL), HED_OK);
        int32_t found = check_chains(net);
        printf("%d spokes: %d of %d springs in chains, %d colours\n", spokes, found,
               net->spring_count, net->lines.color_count);
        cr_expect(found >= net->spring_count / 2);
        cr_expect_leq(net->lines.color_count, 16);
        net_free(net);
    }
}

// Points that coincide at rest give no direction, and no springs at all give no chain.
Test(lines, nothing_to_find) {
    Net* net = net_create();
    cr_assert_eq(net_find(net, NULL), HED_OK);
    cr_expect_eq(net->lines.group_count, 0);
    hed_lines_free(&net->lines);
    for (int32_t k = 0; k < 5; ++k) {
        add_point(net, 0.0, 0.0, 0.0);
        if (k > 0) {
            add_spring(net, k - 1, k, HED_SPRING_STRETCH);
        }
    }
    cr_assert_eq(net_find(net, NULL), HED_OK);
    cr_expect_eq(net->lines.group_count, 0);
    net_free(net);
}

Test(lines, no_memory) {
    Net* net = net_create();
    HedError error = {0};
    HedStatus status = HED_NO_MEMORY;
    make_grid(net, 4, 4);
    int n = 0;
    while (status == HED_NO_MEMORY) {
        hed_alloc_fail_at(++n);
        status = net_find(net, &error);
        hed_alloc_fail_at(0);
        if (status == HED_NO_MEMORY) {
            cr_expect(net->lines.node == NULL && error.message[0] != '\0');
        }
    }
    cr_expect_eq(status, HED_OK);
    cr_expect_gt(n, 10);
    net_free(net);
}

static void pass_lines(Net* net, HedLineWork* work) {
    HedLineStep step = {H, true, net->inverse_mass, net->x};
    for (int32_t color = net->lines.color_count - 1; color >= 0; --color) {
        for (int32_t g = net->lines.color_first[color]; g < net->lines.color_first[color + 1];
             ++g) {
            hed_line_group_solve(&net->lines, g, &step, work);
        }
    }
}

static void run_lines(Net* net, const HedVec3* start, int passes) {
    HedLineWork* work = calloc((size_t)net->lines.longest, sizeof *work);
    for (int32_t g = 0; g < net->lines.group_count; ++g) {
        hed_line_group_begin(&net->lines, g, H, start);
    }
    for (int k = 0; k < passes; ++k) {
        pass_lines(net, work);
    }
    free(work);
}

// XPBD as its paper has it, one constraint |sum of w x| = rest at a time.
typedef struct Plain {
    int32_t point[3];
    double weight[3];
    double rest, stiffness, damping, start, multiplier;
} Plain;

static HedVec3 plain_vector(const Plain* c, const HedVec3* x) {
    HedVec3 d = {0};
    for (int k = 0; k < 3; ++k) {
        d = hed_madd3(d, c->weight[k], x[c->point[k]]);
    }
    return d;
}

static void plain_solve(Plain* c, const double* w, HedVec3* x) {
    HedVec3 d = plain_vector(c, x);
    double length = hed_norm3(d);
    double mobility = 0.0;
    for (int k = 0; k < 3; ++k) {
        mobility += c->weight[k] * c->weight[k] * w[c->point[k]];
    }
    if (length == 0.0 || mobility == 0.0) {
        return;
    }
    double a = 1.0 / (c->stiffness * H * H);
    double g = c->damping / H;
    double change = (c->rest - length - a * c->multiplier - g * (length - c->start)) /
                    ((1.0 + g) * mobility + a);
    c->multiplier += change;
    for (int k = 0; k < 3; ++k) {
        x[c->point[k]] =
            hed_madd3(x[c->point[k]], change * c->weight[k] * w[c->point[k]] / length, d);
    }
}

static void run_plain(const Net* net, const HedVec3* start, HedVec3* x, int passes) {
    int32_t count = net->spring_count + net->curve_count;
    Plain* list = calloc((size_t)count, sizeof *list);
    for (int32_t k = 0; k < count; ++k) {
        if (k < net->spring_count) {
            const HedSpring* s = &net->springs[k];
            list[k] = (Plain){{s->a, s->b, s->b},
                              {-1.0, 1.0, 0.0},
                              s->length,
                              s->stiffness,
                              net->damping[k],
                              0.0,
                              0.0};
        } else {
            const HedBend* b = &net->curves[k - net->spring_count];
            list[k] =
                (Plain){{b->point[0], b->point[1], b->point[2]},
                        {b->rest.inverse0, -b->rest.inverse0 - b->rest.inverse1, b->rest.inverse1},
                        b->rest.turn,
                        b->rest.stiffness,
                        net->curve_damping[k - net->spring_count],
                        0.0,
                        0.0};
        }
        list[k].start = hed_norm3(plain_vector(&list[k], start));
    }
    for (int n = 0; n < passes; ++n) {
        for (int32_t k = 0; k < count; ++k) {
            plain_solve(&list[k], net->inverse_mass, x);
        }
    }
    free(list);
}

static double largest_distance(const Net* net, const HedVec3* a, const HedVec3* b) {
    double largest = 0.0;
    for (int32_t k = 0; k < net->point_count; ++k) {
        largest = fmax(largest, hed_distance3(a[k], b[k]));
    }
    return largest;
}

// Along a straight line all is linear: one pass of the chain is the limit of many over its springs,
// whatever is held.
Test(lines, one_pass_solves_a_straight_chain) {
    for (int held = 0; held < 4; ++held) {
        Net* net = net_create();
        HedVec3 start[40];
        HedVec3 expected[40];
        for (int32_t k = 0; k < 30; ++k) {
            add_point(net, 0.01 * (k + 0.3 * noise(k)), 0.0, 0.0);
            if (k > 0) {
                add_spring(net, k - 1, k, HED_SPRING_STRETCH);
            }
        }
        net->inverse_mass[0] = held & 1 ? 0.0 : net->inverse_mass[0];
        net->inverse_mass[17] = held & 2 ? 0.0 : net->inverse_mass[17];
        net->inverse_mass[18] = held & 2 ? 0.0 : net->inverse_mass[18];
        for (int32_t k = 0; k < 30; ++k) {
            start[k] = hed_add3(net->x[k], hed_vec3(1e-4 * noise(k + 50), 0.0, 0.0));
            net->x[k].x += 2e-3 * noise(k + 90);
            expected[k] = net->x[k];
        }
        cr_assert_eq(net_find(net, NULL), HED_OK);
        run_plain(net, start, expected, 20000);
        run_lines(net, start, 1);
        double error = largest_distance(net, net->x, expected);
        printf("held %d: one pass is %.2g m from 20000\n", held, error);
        cr_expect(error < 1e-13); // rounding of 0.3 m, over 30 springs
        net_free(net);
    }
}

// In a grid that is shaken by e, both ways end at the same place but for the turning of springs
// during the passes (multipliers add up along the directions of the moment), which is of second
// order in e.
Test(lines, passes_end_where_plain_ones_do) {
    double error[2];
    for (int k = 0; k < 2; ++k) {
        double e = k == 0 ? 4e-4 : 1e-4; // m, of cells of 10 mm
        Net* net = net_create();
        make_grid(net, 7, 6);
        net->curve_count = 0; // their vectors are as small as e and turn by any angle
        HedVec3 expected[42];
        for (int32_t p = 0; p < 42; ++p) {
            net->inverse_mass[p] = p < 7 ? 0.0 : net->inverse_mass[p];
            HedVec3 d = hed_vec3(noise(3 * p), noise(3 * p + 1), noise(3 * p + 2));
            net->x[p] = p < 7 ? net->x[p] : hed_madd3(net->x[p], e, d);
            expected[p] = net->x[p];
        }
        cr_assert_eq(net_find(net, NULL), HED_OK);
        // The corner diagonals are in no chain; neither way has them here.
        int32_t left = 0;
        for (int32_t s = 0; s < net->spring_count; ++s) {
            if (net->is_taken[s]) {
                net->springs[left] = net->springs[s];
                net->damping[left++] = net->damping[s];
            }
        }
        net->spring_count = left;
        run_plain(net, net->rest, expected, 3000);
        run_lines(net, net->rest, 300);
        error[k] = largest_distance(net, net->x, expected);
        printf("shaken by %g m: lines end %.3g m from plain passes\n", e, error[k]);
        net_free(net);
    }
    // Of second order: e^2 over a cell would be 0.04 e.
    cr_expect(error[0] < 0.03 * 4e-4);
    cr_expect(error[1] < error[0] / 12.0); // 16 at second order
}

// Curvature elements of a chain follow each other from its first point on. Springs without strength
// leave them alone.
Test(lines, curves_are_solved_along_the_chain) {
    Net* net = net_create();
    HedVec3 start[12];
    HedVec3 expected[12];
    for (int32_t k = 0; k < 12; ++k) {
        add_point(net, 0.01 * (k + 0.3 * noise(k)), 0.0, 0.0);
        if (k > 0) {
            add_spring(net, k - 1, k, HED_SPRING_STRETCH);
            net->springs[k - 1].stiffness = 1e-12;
        }
        start[k] = hed_vec3(0.01 * k, 2e-3 * noise(k + 20), 2e-3 * noise(k + 30));
        net->x[k] = hed_add3(start[k], hed_vec3(0.0, 1e-3 * noise(k + 40), 0.0));
        expected[k] = net->x[k];
    }
    for (int32_t k = 2; k < 12; ++k) { // half of them given from the other side
        add_curve(net, k % 2 ? k : k - 2, k - 1, k % 2 ? k - 2 : k);
        net->curves[k - 2].rest.turn = 0.05 * noise(k);
    }
    net->inverse_mass[5] = 0.0;
    cr_assert_eq(net_find(net, NULL), HED_OK);
    cr_expect_eq(count_taken(net, net->spring_count, net->curve_count), 10);
    run_lines(net, start, 3);
    run_plain(net, start, expected, 3);
    // m; 1e-12 N/m over 5 ms move 10 mg by 1e-12 of a strain of 1 mm.
    cr_expect(largest_distance(net, net->x, expected) < 1e-13);
    // m; far above what both ways differ by.
    cr_expect(hed_distance3(net->x[1], start[1]) > 1e-5, "something moved");
    net_free(net);
}

// What the multipliers have to satisfy, spring by spring, in a chain that is far from straight.
Test(lines, multipliers_are_forces) {
    Net* net = net_create();
    HedVec3 start[20];
    for (int32_t k = 0; k < 20; ++k) {
        add_point(net, 0.01 * k, 0.0, 0.0);
        if (k > 0) {
            add_spring(net, k - 1, k, HED_SPRING_STRETCH);
        }
        start[k] = hed_vec3(0.0095 * k, 0.004 * sin(0.9 * k), 0.003 * cos(0.7 * k));
        net->x[k] = hed_add3(start[k], hed_vec3(0.0, -1e-3 * k, 0.0));
    }
    net->inverse_mass[0] = 0.0;
    cr_assert_eq(net_find(net, NULL), HED_OK);
    run_lines(net, start, 200);
    cr_assert_eq(net->lines.group_count, 1);
    for (int32_t j = 0; j < 19; ++j) {
        const HedLineNode* node = &net->lines.node[j];
        int32_t s = find_spring(net, node[0].point[0], node[1].point[0]);
        double length = hed_distance3(net->x[node[0].point[0]], net->x[node[1].point[0]]);
        double before = hed_distance3(start[node[0].point[0]], start[node[1].point[0]]);
        double force = net->springs[s].stiffness *
                       (length - net->springs[s].length + 2e-3 * (length - before) / H);
        // N, of some 0.01 N; 200 passes leave rounding.
        cr_expect_float_eq(-node->multiplier[0] / (H * H), force, 1e-10, "spring %d", s);
    }
    net_free(net);
}
