// SPDX-License-Identifier: MIT
// A sheet and a cloth of sliding yarns face to face, as one strip that bends.
//
// The strip runs along y, with a node of each layer every s; both are held at rows 0 and 1, so that
// the first place that can turn is row 1. For small turns the moment M_k at row k turns a layer of
// rigidity EI (over the whole width) there by M_k s/EI, and the end, row n, goes by the sum of
// turn times arm, s (n - k).
//
// Yarns along the strip: EI = ends x `bend`. A sheet of springs with `bend_rigidity` D bends over
// its width alone, there is no coupling of curvatures: EI = D x width.
#include "heddle/sliding.h"
#include "heddle/yarn.h"
#include "math/vec3.h"
#include "sim/internal.h"
#include "support/nets.h"
#include "support/rig.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>

enum { ENDS = 5, ROWS = 41, LAST = ROWS - 1 };

static const double S = 4e-4;              // m, spacing of rows and ends
static const double YARN_BEND = 2e-9;      // N m^2
static const double YARN_STRETCH = 0.1;    // N
static const double SHEET_BEND = 5e-6;     // N m
static const double SHEET_STRETCH = 200.0; // N/m

static double width(void) {
    return (ENDS - 1) * S;
}

static double yarn_rigidity(void) {
    return ENDS * YARN_BEND;
}

static double sheet_rigidity(void) {
    return SHEET_BEND * width();
}

typedef struct Strip {
    HedSim* sim;
    HedNet net;
    HedYarnsId cloth;
    HedSheetId sheet;
    int32_t node[ROWS][ENDS]; // of the cloth; the sheet's vertex is row * ENDS + end
} Strip;

// The cloth lies in z = 0, the sheet above it at a height (m); 0: there is none.
static Strip make(double height, HedSimDef def) {
    Strip strip = {0};
    def.gravity = (HedVec3){0};
    def.thread_count = 1;
    strip.sim = rig_sim(&def);
    test_net_weave(ENDS, ROWS, &strip.net);
    HedSlidingDef cloth = hed_sliding_def_default();
    HedError error = {0};
    cloth.net = &strip.net;
    cloth.bend = YARN_BEND;
    cloth.stretch = YARN_STRETCH;
    cloth.compression_ratio = 1.0;
    cr_assert_eq(hed_sliding_create(strip.sim, &cloth, &strip.cloth, &error), HED_OK, "%s",
                 error.message);
    for (int32_t n = 0; n < strip.net.node_count; ++n) {
        HedVec3 x = strip.net.nodes[n].position;
        if (strip.net.nodes[n].sign != 0) {
            long row = lround(x.y / S + 0.5 * LAST), end = lround(x.x / S + 0.5 * (ENDS - 1));
            strip.node[row][end] = n;
        }
    }
    if (height > 0.0) {
        Mesh mesh = mesh_grid(ENDS, ROWS, hed_vec3(-0.5 * width(), -0.5 * LAST * S, height),
                              hed_vec3(width(), 0.0, 0.0), hed_vec3(0.0, LAST * S, 0.0));
        HedSheetDef sheet = mesh_sheet(&mesh);
        sheet.bend_rigidity = SHEET_BEND;
        sheet.stretch = SHEET_STRETCH;
        sheet.shear = 0.0;
        sheet.thickness = 1e-4;
        strip.sheet = rig_sheet(strip.sim, &sheet);
        mesh_free(&mesh);
    }
    return strip;
}

static void end(Strip* strip) {
    hed_sim_destroy(strip->sim);
    hed_net_free(&strip->net);
}

// Rows 0 and 1, and the tails of the yarns before them.
static void hold(const Strip* strip) {
    int32_t held[200], count = 0;
    for (int32_t n = 0; n < strip->net.node_count; ++n) {
        if (strip->net.nodes[n].position.y < (1.2 - 0.5 * LAST) * S) {
            held[count++] = n;
        }
    }
    HedPinDef pin = hed_pin_def_default();
    pin.yarns = strip->cloth;
    pin.vertices = held;
    pin.vertex_count = count;
    pin.clamps = true;
    rig_pin_def(strip->sim, &pin);
    if (strip->sheet.index > 0) {
        int32_t vertices[2 * ENDS];
        for (int32_t k = 0; k < 2 * ENDS; ++k) {
            vertices[k] = k;
        }
        rig_pin(strip->sim, strip->sheet, vertices, 2 * ENDS);
    }
}

// On the last row of a layer, N in all. The ends at the edges of the sheet carry half.
static void pull(const Strip* strip, bool is_sheet, HedVec3 force) {
    for (int32_t e = 0; e < ENDS; ++e) {
        bool is_edge = e == 0 || e == ENDS - 1;
        double share = is_sheet ? (is_edge ? 0.5 : 1.0) / (ENDS - 1) : 1.0 / ENDS;
        int32_t vertex = is_sheet ? LAST * ENDS + e : strip->node[LAST][e];
        HedLoadDef load = hed_load_def_default();
        load.vertices = &vertex;
        load.vertex_count = 1;
        load.sheet = is_sheet ? strip->sheet : load.sheet;
        load.yarns = is_sheet ? load.yarns : strip->cloth;
        load.force = hed_mul3(share, force);
        HedError error = {0};
        cr_assert_eq(hed_load_create(strip->sim, &load, &error), HED_OK, "%s", error.message);
    }
}

static void tie(const Strip* strip, int32_t row, int32_t other, int32_t e) {
    HedGlueDef glue = hed_glue_def_default();
    HedError error = {0};
    glue.yarns = strip->cloth;
    glue.vertex = strip->node[row][e];
    glue.other_sheet = strip->sheet;
    glue.other_vertex = other * ENDS + e;
    cr_assert_eq(hed_glue_create(strip->sim, &glue, &error), HED_OK, "%s", error.message);
}

// m, how far the last row of a layer has gone down; mean over its width.
static double drop(const Strip* strip, bool is_sheet, double height) {
    double sum = 0.0;
    HedVec3* x = hed_alloc_array(strip->net.node_count, sizeof *x);
    hed_sliding_node_positions(strip->sim, strip->cloth, x);
    for (int32_t e = 0; e < ENDS; ++e) {
        double z = is_sheet ? rig_position(strip->sim, strip->sheet, LAST * ENDS + e).z - height
                            : x[strip->node[LAST][e]].z;
        sum -= z / ENDS;
    }
    hed_free(x);
    return sum;
}

static HedSimDef at_rest(void) {
    HedSimDef def = hed_sim_def_default();
    def.integrator = HED_QUASI_STATIC;
    def.time_step = 0.01;
    def.force_tolerance = 1e-10; // N; loads are 1e-6 N and more
    return def;
}

// Under a force F at the end: M_k = F s (n - k).
static double cantilever(double force, double rigidity) {
    double n = LAST - 1;
    return force * S * S * S / rigidity * n * (n + 1.0) * (2.0 * n + 1.0) / 6.0;
}

// A cloth alone: the formula above, before anything is added.
Test(glued, alone) {
    const double force = 2e-6; // N
    Strip strip = make(0.0, at_rest());
    hold(&strip);
    pull(&strip, false, hed_vec3(0.0, 0.0, -force));
    rig_step(strip.sim);
    double expected = cantilever(force, yarn_rigidity());
    double got = drop(&strip, false, 0.0);
    printf("cloth alone: %.4g of %.4g mm\n", 1e3 * got, 1e3 * expected);
    // Turns of 0.05 rad: cosines are off by a thousandth.
    cr_assert_float_eq(got, expected, 5e-3 * expected, "%g of %g m", got, expected);
    end(&strip);
}

// Bars between the two that can turn keep their distance and let them slide on each other: they
// bend as one with the sum of both rigidities.
Test(glued, free_to_slide) {
    const double force = 4e-6, height = 3e-4; // N, m
    Strip strip = make(height, at_rest());
    hold(&strip);
    for (int32_t row = 2; row < ROWS; ++row) {
        for (int32_t e = 0; e < ENDS; ++e) {
            tie(&strip, row, row, e);
        }
    }
    pull(&strip, false, hed_vec3(0.0, 0.0, -force));
    rig_step(strip.sim);
    double expected = cantilever(force, yarn_rigidity() + sheet_rigidity());
    double got = 0.5 * (drop(&strip, false, 0.0) + drop(&strip, true, height));
    printf("free to slide: %.4g of %.4g mm\n", 1e3 * got, 1e3 * expected);
    // Turns of 0.03 rad, and bars that lean by 0.04 of their length.
    cr_assert_float_eq(got, expected, 0.01 * expected, "%g of %g m", got, expected);
    end(&strip);
}

// The same where the sheet only lies on the cloth, without friction, and is pressed down.
Test(glued, lying_on_each_other) {
    const double force = 2e-5; // N
    HedSimDef def = at_rest();
    def.self_collision = true;
    def.self_friction = 0.0;
    // Two radii of the yarns that cross, and half of the sheet: they touch from the start, since a
    // step at rest knows the contacts of its start.
    const double height = 0.998 * (2e-4 + 0.5e-4);
    Strip strip = make(height, def);
    hold(&strip);
    pull(&strip, true, hed_vec3(0.0, 0.0, -force));
    rig_step(strip.sim);
    double expected = cantilever(force, yarn_rigidity() + sheet_rigidity());
    double low = drop(&strip, false, 0.0), high = drop(&strip, true, height);
    printf("lying: %.4g and %.4g of %.4g mm\n", 1e3 * low, 1e3 * high, 1e3 * expected);
    // Contact gives way by 0.01 mm.
    cr_assert_float_eq(0.5 * (low + high), expected, 0.03 * expected, "%g of %g m",
                       0.5 * (low + high), expected);
    end(&strip);
}

// Bars across and along diagonals between the two: no sliding. A couple of forces along both
// layers bends the strip evenly, with the parallel-axis theorem's rigidity
//   EI = EI_cloth + EI_sheet + h^2 A_cloth A_sheet/(A_cloth + A_sheet).
// Bars turn evenly from row 1 on, and a layer between two rows goes as the mean of both bars: the
// end goes by kappa s^2 (n - 1)^2/2.
Test(glued, glued) {
    const double height = 3e-4; // m
    Strip strip = make(height, at_rest());
    hold(&strip);
    for (int32_t row = 1; row < ROWS; ++row) {
        for (int32_t e = 0; e < ENDS; ++e) {
            if (row > 1) {
                tie(&strip, row, row, e);
                tie(&strip, row, row - 1, e);
                tie(&strip, row - 1, row, e);
            }
        }
    }
    double cloth = ENDS * YARN_STRETCH, sheet = SHEET_STRETCH * width();
    double steiner = height * height * cloth * sheet / (cloth + sheet);
    double rigidity = yarn_rigidity() + sheet_rigidity() + steiner;
    double kappa = 2.0; // 1/m
    double force = kappa * rigidity / height;
    pull(&strip, false, hed_vec3(0.0, force, 0.0));
    pull(&strip, true, hed_vec3(0.0, -force, 0.0));
    rig_step(strip.sim);
    double expected = 0.5 * kappa * S * S * (LAST - 1.0) * (LAST - 1.0);
    // The lower layer is stretched and the upper one pressed: the end goes up.
    double got = -0.5 * (drop(&strip, false, 0.0) + drop(&strip, true, height));
    printf("glued: %.4g of %.4g mm; %.3g of the rigidity is that of the offset\n", 1e3 * got,
           1e3 * expected, steiner / rigidity);
    // At the ends layers turn by themselves over a row or two of 40.
    cr_assert_float_eq(got, expected, 0.05 * expected, "%g of %g m", got, expected);
    end(&strip);
}
