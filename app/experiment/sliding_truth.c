// SPDX-License-Identifier: MIT
// The same patches as rods with contact and as sliding yarns: size at rest, and force over
// extension when two sides are pulled apart, and how they hang by their own weight when one side is
// held. Rods have thickness: where they cross they go around each other, and this way is drawn
// straight first. Sliding yarns pass through crossings straight.
#include "experiment/list.h"
#include "experiment/sliding_drape.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const HedParameter PARAMETERS[] = {
    {.name = "size",
     .number = 8,
     .least = 4,
     .most = 40,
     .whole = true,
     .unit = "",
     .help = "ends and picks of the weave, rows and stitches of the knit"},
    {.name = "extension",
     .number = 0.2,
     .least = 0.02,
     .most = 1.0,
     .unit = "",
     .help = "of the length between held sides, at the end"},
    {.name = "looks",
     .number = 5,
     .least = 2,
     .most = 20,
     .whole = true,
     .unit = "",
     .help = "at the force on the way"},
};

enum { LOOKS = 21, CASES = 2, WEAVE = 0, KNIT = 1, SMALL = 5 };
static const char* const NAMES[CASES] = {"plain-weave", "stockinette"};
static const double SETT = 400.0; // 1/m

// One fabric, made both ways and pulled along an axis: 0 x, 1 y.
typedef struct Pull {
    const char* name;
    int axis;
    int32_t threads;    // that share the force: ends, or rows
    double margin;      // m, of each side that is held
    double drawn, rods; // m, size along the axis as drawn, and of rods at rest
    double sliding;     // size of sliding yarns at rest, over that of the shape they were made of
    double extension[LOOKS], force[2][LOOKS];
    int32_t count;
    double plates; // diameters: rods lie between plates so far apart; 0: none
    double theory; // B/d^2, force per thread at the end if threads between held sides are straight
    double left;   // N, largest unbalanced force of sliding yarns
} Pull;

static double along(HedVec3 x, int axis) {
    return axis == 0 ? x.x : x.y;
}

static void move(HedVec3* x, int axis, double way) {
    x->x += axis == 0 ? way : 0.0;
    x->y += axis == 0 ? 0.0 : way;
}

// Sides of a set of points: 0 low, 1 high, -1 between; the ends of what is free between them.
typedef struct Sides {
    int8_t* side;
    double low, high; // m, the innermost held points
    double ends[2];   // m, the outermost points
} Sides;

static bool find_sides(const HedVec3* x, int32_t count, int axis, double margin, Sides* sides) {
    *sides = (Sides){calloc((size_t)count + 1, 1), -HUGE_VAL, HUGE_VAL, {HUGE_VAL, -HUGE_VAL}};
    for (int32_t i = 0; i < count && sides->side; ++i) {
        sides->ends[0] = fmin(sides->ends[0], along(x[i], axis));
        sides->ends[1] = fmax(sides->ends[1], along(x[i], axis));
    }
    for (int32_t i = 0; i < count && sides->side; ++i) {
        double at = along(x[i], axis);
        bool is_low = at<sides->ends[0] + margin, is_high = at> sides->ends[1] - margin;
        sides->side[i] = is_low ? 0 : (is_high ? 1 : -1);
        sides->low = is_low ? fmax(sides->low, at) : sides->low;
        sides->high = is_high ? fmin(sides->high, at) : sides->high;
    }
    return sides->side != NULL;
}

// ---- rods

static double rod_force(const Sides* sides, const HedVec3* forces, int32_t count, int axis) {
    double sum = 0.0;
    for (int32_t i = 0; i < count; ++i) {
        sum += sides->side[i] == 1 ? along(forces[i], axis) : 0.0;
    }
    return sum;
}

static int pull_rods(HedLab* lab, Pull* p, HedFabric* fabric) {
    int32_t n = fabric->point_count;
    double* lengths = calloc((size_t)n + 1, sizeof *lengths);
    uint8_t* is_held = calloc((size_t)n + 1, 1);
    HedVec3* forces = calloc((size_t)n + 1, sizeof *forces);
    HedVec3* from = calloc((size_t)n + 1, sizeof *from);
    Sides sides = {0};
    HedError error = {0};
    int code = 0;
    if (!lengths || !is_held || !forces || !from ||
        !find_sides(fabric->points, n, p->axis, p->margin, &sides)) {
        code = lab_fail_text(lab, "no memory to pull %s", p->name);
    }
    for (int32_t k = 0; k < fabric->yarn_count && code == 0; ++k) {
        const HedFabricYarn* yarn = &fabric->yarns[k];
        for (int32_t i = yarn->first; i + 1 < yarn->first + yarn->count; ++i) {
            HedVec3 a = fabric->points[i], b = fabric->points[i + 1];
            lengths[i] = sqrt((b.x - a.x) * (b.x - a.x) + (b.y - a.y) * (b.y - a.y) +
                              (b.z - a.z) * (b.z - a.z));
        }
    }
    double gauge = sides.high - sides.low, before = 0.0;
    for (int32_t k = 0; k < p->count && code == 0; ++k) {
        HedRelaxDef def = hed_relax_def_default();
        HedRelaxReport report;
        double way = (p->extension[k] - before) * gauge;
        before = p->extension[k];
        memcpy(from, fabric->points, sizeof *from * (size_t)n);
        // Evenly between the sides, so that no yarn is carried through another.
        double low = sides.low - 0.5 * gauge * (p->extension[k] - way / gauge), span = 0.0;
        span = gauge * (1.0 + p->extension[k] - way / gauge);
        for (int32_t i = 0; i < n; ++i) {
            double part = fmin(1.0, fmax(0.0, (along(from[i], p->axis) - low) / span));
            move(&fabric->points[i], p->axis, way * (part - 0.5));
            is_held[i] = sides.side[i] >= 0;
        }
        def.plates = p->plates;
        def.lengths = lengths;
        def.is_held = is_held;
        def.forces = forces;
        def.limit = lab_quick(lab) ? 800 : 6000;
        def.threads = lab_threads(lab);
        if (hed_fabric_relax(fabric, &def, &report, &error) != HED_OK) {
            code = lab_fail(lab, &error);
        }
        p->force[0][k] = rod_force(&sides, forces, n, p->axis) / p->threads;
    }
    free(lengths);
    free(is_held);
    free(forces);
    free(from);
    free(sides.side);
    return code;
}

// ---- sliding yarns

static HedPinId hold(HedSim* sim, HedYarnsId yarns, const Pull* p, const Sides* sides, int side,
                     int32_t count) {
    HedPinDef def = hed_pin_def_default();
    HedPinId pin = {0};
    HedKeyframe keys[2] = {{0}};
    int32_t* nodes = calloc((size_t)count + 1, sizeof *nodes);
    double way = 0.5 * p->extension[p->count - 1] * (sides->high - sides->low);
    for (int32_t i = 0; i < count && nodes; ++i) {
        if (sides->side[i] == side) {
            nodes[def.vertex_count++] = i;
        }
    }
    keys[0].time = 1.0;
    keys[1].time = p->count;
    keys[0].pose.rotation = keys[1].pose.rotation = (HedQuat){.w = 1.0};
    move(&keys[1].pose.position, p->axis, side == 0 ? -way : way);
    def.yarns = yarns;
    def.vertices = nodes;
    def.keyframes = keys;
    def.keyframe_count = 2;
    def.clamps = true;
    hed_pin_create(sim, &def, &pin, NULL);
    free(nodes);
    return pin;
}

// Sum of EA times strain of the threads that run from side to side, if they are straight then:
// each is as long as the material between the last node that is held on one side and the first on
// the other, and these two nodes move apart by a way.
static double straight_force(const HedNet* net, const Sides* sides, int axis, double way) {
    double sum = 0.0;
    for (int32_t y = 0; y < net->yarn_count; ++y) {
        int32_t from = -1;
        for (int32_t e = net->yarns[y].first; e < net->yarns[y].first + net->yarns[y].count; ++e) {
            int8_t side = sides->side[net->visits[e].node];
            from = side == 0 ? e : from;
            if (side == 1 && from >= 0) {
                const HedNetVisit *a = &net->visits[from], *b = &net->visits[e];
                double straight = along(net->nodes[b->node].position, axis) -
                                  along(net->nodes[a->node].position, axis) + way;
                sum += hed_relax_def_default().stretch * (straight / (b->at - a->at) - 1.0);
                break;
            }
        }
    }
    return sum;
}

static int pull_sliding(HedLab* lab, Pull* p, Patch* patch) {
    HedSimDef def = hed_sim_def_default();
    HedSlidingDef material = patch_material(patch);
    HedSim* sim = NULL;
    HedYarnsId yarns = {0};
    HedError error = {0};
    Sides sides = {0};
    int32_t n = patch->net.node_count;
    def.integrator = HED_QUASI_STATIC;
    def.gravity = (HedVec3){0};
    def.time_step = 1.0;
    def.thread_count = lab_threads(lab);
    def.force_tolerance = 1e-3 * PATCH_FORCE;
    int code = 0;
    if (!find_sides(patch->nodes, n, p->axis, p->margin, &sides)) {
        return lab_fail_text(lab, "no memory to pull %s", p->name);
    }
    if (hed_sim_create(&def, &sim, &error) != HED_OK ||
        hed_sliding_create(sim, &material, &yarns, &error) != HED_OK) {
        code = lab_fail(lab, &error);
    }
    p->theory = straight_force(&patch->net, &sides, p->axis,
                               p->extension[p->count - 1] * (sides.high - sides.low)) /
                p->threads;
    HedPinId pins[2] = {{0}};
    for (int side = 0; side < 2 && code == 0; ++side) {
        pins[side] = hold(sim, yarns, p, &sides, side, n);
    }
    for (int32_t k = 0; k < p->count && code == 0; ++k) {
        HedStepReport report = {0};
        double force[3] = {0};
        HedMeasureDef measure = {.kind = HED_MEASURE_REACTION, .yarns = yarns, .pin = pins[1]};
        if (hed_sim_step(sim, &report, &error) != HED_OK ||
            hed_sim_measure(sim, &measure, force, &error) != HED_OK) {
            code = lab_fail(lab, &error);
        } else if (report.reason != HED_REASON_CONVERGED) {
            code = lab_fail_text(lab, "%s: no rest at %g: %s", p->name, p->extension[k],
                                 report.trouble);
        }
        hed_sliding_node_positions(sim, yarns, patch->nodes);
        p->sliding = k == 0 ? patch_extent(patch, p->axis) : p->sliding;
        p->force[1][k] = force[p->axis] / PATCH_FORCE / p->threads;
        p->left = lab_worse(p->left, report.residual);
    }
    hed_sim_destroy(sim);
    free(sides.side);
    return code;
}

// ---- cases

static int make_weave(HedLab* lab, int32_t size, HedFabric* fabric) {
    HedWeave weave = {0};
    HedError error = {0};
    HedWeaveDef def = hed_weave_def_default();
    HedThreadDef thread = {.count = size,
                           .sett = SETT,
                           .linear_density = 2e-4,
                           .diameter = PATCH_DIAMETER,
                           .color = HED_COLOR_NONE};
    def.warp = def.weft = thread;
    int code = 0;
    if (hed_weave_named("plain", &weave, &error) != HED_OK ||
        hed_weave_build(&weave, &def, fabric, &error) != HED_OK) {
        code = lab_fail(lab, &error);
    }
    hed_weave_free(&weave);
    return code;
}

static HedVec3* keep_points(const HedFabric* fabric) {
    size_t bytes = sizeof *fabric->points * (size_t)fabric->point_count;
    HedVec3* points = malloc(bytes + 1);
    if (points) {
        memcpy(points, fabric->points, bytes);
    }
    return points;
}

// Comes to rest as rods. The network of the knit is made of what that leaves. A small weave with
// cut ends loses its order there, as a real one would; it is pulled as it was woven, its ends held.
static int settle(HedLab* lab, Pull* p, int which, int32_t size, Patch* patch) {
    HedRelaxDef relax = hed_relax_def_default();
    HedRelaxReport report = {0};
    HedNetDef net_def = hed_net_def_default();
    HedError error = {0};
    HedKnitDef knit = patch_knit_def("stockinette", size, size);
    HedVec3 low, high;
    relax.threads = lab_threads(lab);
    relax.plates = p->plates = which == KNIT ? 4.0 : 0.0;
    relax.limit = lab_quick(lab) ? 3000 : relax.limit;
    p->threads = size;
    p->axis = which == KNIT ? 0 : 1;
    int code = 0;
    if (which == WEAVE) {
        code = make_weave(lab, size, &patch->fabric);
    } else if (hed_knit_create(&knit, &patch->fabric, NULL, &error) != HED_OK) {
        code = lab_fail(lab, &error);
    }
    if (code != 0) {
        return code;
    }
    hed_fabric_bounds(&patch->fabric, &low, &high);
    p->drawn = along(high, p->axis) - along(low, p->axis);
    p->margin = 1.2 * p->drawn / (size + 1);
    HedVec3* drawn = keep_points(&patch->fabric);
    if (!drawn) {
        return lab_fail_text(lab, "no memory for %s", p->name);
    }
    if (hed_fabric_relax_cached(&patch->fabric, &relax, NULL, &report, &error) != HED_OK) {
        free(drawn);
        return lab_fail(lab, &error);
    }
    hed_fabric_bounds(&patch->fabric, &low, &high);
    p->rods = along(high, p->axis) - along(low, p->axis);
    if (which == WEAVE) {
        memcpy(patch->fabric.points, drawn, sizeof *drawn * (size_t)patch->fabric.point_count);
    }
    free(drawn);
    if (hed_net_create(&patch->fabric, &net_def, &patch->net, &error) != HED_OK) {
        return lab_fail(lab, &error);
    }
    patch->nodes = malloc(sizeof *patch->nodes * (size_t)(patch->net.node_count + 1));
    for (int32_t k = 0; k < patch->net.node_count && patch->nodes; ++k) {
        patch->nodes[k] = patch->net.nodes[k].position;
    }
    return patch->nodes ? 0 : lab_fail_text(lab, "no memory for nodes");
}

static void draw(HedLab* lab, const char* picture, const Patch* patch, const double view[2]) {
    YarnCurves left = {0}, right = {0};
    const YarnCurves* sets[2] = {&left, &right};
    patch_add_rods(&left, &patch->fabric, (HedVec3){0});
    patch_add_yarns(lab, &right, patch, (HedVec3){1.4 * patch_extent(patch, 0), 0.0, 0.0});
    if (!left.has_failed && !right.has_failed) {
        yarn_lab_draw(lab, sets, 2, picture, view);
    }
    yarn_curves_free(&left);
    yarn_curves_free(&right);
}

static int run_case(HedLab* lab, Pull* p, int which) {
    Patch patch = {0};
    int code = settle(lab, p, which, lab_quick(lab) ? SMALL : lab_count(lab, "size"), &patch);
    double start = code == 0 ? patch_extent(&patch, p->axis) : 0.0;
    p->count = lab_quick(lab) ? 3 : lab_count(lab, "looks") + 1;
    for (int32_t k = 0; k < p->count; ++k) {
        p->extension[k] = lab_number(lab, "extension") * k / (p->count - 1);
    }
    code = code == 0 ? pull_sliding(lab, p, &patch) : code;
    p->sliding /= start;
    code = code == 0 ? pull_rods(lab, p, &patch.fabric) : code;
    if (code == 0) {
        char picture[64];
        snprintf(picture, sizeof picture, "%s.png", p->name);
        draw(lab, picture, &patch, (double[]){0.2, 0.5});
    }
    patch_free(&patch);
    return code;
}

// The same patches, held at one side, hang over it. A knit of rods that is larger folds up so far
// that statics finds no rest.
static int run_drape(HedLab* lab, Drape* d, int which) {
    Patch patch = {0};
    Pull p = {.name = NAMES[which]};
    int32_t size = lab_quick(lab) || which == KNIT ? SMALL : lab_count(lab, "size");
    int code = settle(lab, &p, which, size, &patch);
    d->name = p.name;
    d->axis = p.axis;
    d->threads = p.threads;
    d->margin = p.margin;
    d->is_woven = which == WEAVE;
    code = code == 0 ? sliding_drape(lab, d, &patch) : code;
    if (code == 0) {
        char picture[64];
        snprintf(picture, sizeof picture, "%s-drape.png", d->name);
        draw(lab, picture, &patch, (double[]){0.9, 0.3});
    }
    patch_free(&patch);
    return code;
}

static void report(HedLab* lab, const Pull* p) {
    char csv[64], name[64], picture[64];
    snprintf(csv, sizeof csv, "%s.csv", p->name);
    lab_table_begin(lab, csv, "extension,rods (B/d^2),sliding (B/d^2)");
    for (int32_t k = 0; k < p->count; ++k) {
        lab_table_row(lab, 3, (double[]){p->extension[k], p->force[0][k], p->force[1][k]});
    }
    lab_table_end(lab);
    const double values[] = {p->drawn,
                             p->rods,
                             p->sliding,
                             p->force[0][p->count - 1],
                             p->force[1][p->count - 1],
                             p->theory,
                             p->left / PATCH_FORCE,
                             p->sliding * p->drawn / p->rods - 1.0,
                             p->force[1][p->count - 1] / p->force[0][p->count - 1] - 1.0};
    static const char* const RESULTS[] = {"drawn_size", "rod_size",        "sliding_relative_size",
                                          "rod_force",  "sliding_force",   "straight_force",
                                          "unbalanced", "size_difference", "force_difference"};
    for (int i = 0; i < 9; ++i) {
        if (i == 5 && p->axis == 0) {
            continue; // of ends; a row of loops is far from straight
        }
        snprintf(name, sizeof name, "%s.%s", p->name, RESULTS[i]);
        lab_result(lab, name, values[i]);
    }
    snprintf(picture, sizeof picture, "%s.svg", p->name);
    const LabCurve curves[] = {{csv, "extension", "rods (B/d^2)", "rods", true},
                               {csv, "extension", "sliding (B/d^2)", "sliding yarns", true}};
    lab_plot(lab, &(LabPlot){.picture = picture,
                             .title = p->name,
                             .x_label = "extension",
                             .y_label = "force per thread or row (B/d^2)",
                             .curves = curves,
                             .curve_count = 2});
}

static void claim(HedLab* lab, const Pull all[CASES]) {
    char text[120];
    for (int c = 0; c < CASES; ++c) {
        const Pull* p = &all[c];
        int32_t last = p->count - 1;
        snprintf(text, sizeof text, "%s: sliding yarns rest in the shape they were made of",
                 p->name);
        lab_claim(lab, text, 1.0, p->sliding, 0.01);
        snprintf(text, sizeof text, "%s: both pull, and more the further", p->name);
        lab_claim_true(lab, text,
                       p->force[0][last] > p->force[0][last / 2] && p->force[0][last / 2] > 0.0 &&
                           p->force[1][last] > p->force[1][last / 2] &&
                           p->force[1][last / 2] > 0.0);
    }
    const Pull* w = &all[WEAVE];
    int32_t last = w->count - 1;
    // Drawn straight; only the tolerance of rest is left.
    lab_claim(lab, "plain-weave: sliding ends pull with EA times their strain", 1.0,
              w->force[1][last] / w->theory, 0.01);
    // Rods have to lose their crimp on the way, which takes less force than stretching them.
    lab_claim_below(lab, "plain-weave: rods pull less than straight ends", w->force[0][last],
                    w->theory);
}

static void report_drape(HedLab* lab, const Drape* d) {
    static const char* const KINDS[DRAPE_KINDS] = {"rod", "sliding"};
    char name[64];
    for (int k = 0; k < DRAPE_KINDS; ++k) {
        const Hung* h = &d->hung[k];
        const double values[] = {h->drop, h->reach, h->theory, h->left};
        static const char* const RESULTS[] = {"drop", "reach", "straight_drop", "unbalanced"};
        for (int i = 0; i < 4; ++i) {
            if (i == 2 && !d->is_woven) {
                continue; // loops are far from straight
            }
            snprintf(name, sizeof name, "%s_drape.%s_%s", d->name, KINDS[k], RESULTS[i]);
            lab_result(lab, name, values[i]);
        }
    }
    snprintf(name, sizeof name, "%s_drape.drop_difference", d->name);
    lab_result(lab, name, d->hung[DRAPE_SLIDING].drop - d->hung[DRAPE_RODS].drop);
}

// Extension at which a patch of sliding yarns pulls with a force per thread, B/d^2.
static double extension_at(const Pull* p, double force) {
    int32_t k = 1;
    while (k + 1 < p->count && p->force[1][k] < force) {
        k += 1;
    }
    double part = (force - p->force[1][k - 1]) / (p->force[1][k] - p->force[1][k - 1]);
    return p->extension[k - 1] + part * (p->extension[k] - p->extension[k - 1]);
}

static void claim_drape(HedLab* lab, const Drape all[CASES], const Pull* knit) {
    static const char* const KINDS[DRAPE_KINDS] = {"rods", "sliding yarns"};
    char text[120];
    for (int k = 0; k < DRAPE_KINDS; ++k) {
        const Hung *w = &all[WEAVE].hung[k], *l = &all[KNIT].hung[k];
        snprintf(text, sizeof text, "%s that hang are at rest", KINDS[k]);
        lab_claim_true(lab, text, w->is_quiet && l->is_quiet);
        snprintf(text, sizeof text, "plain-weave: %s hang as heavy threads do", KINDS[k]);
        // Turns about points are an error of second order in pieces over what is free: their
        // number is that of threads but one. Where rods touch they may bend a little less.
        double pieces = all[WEAVE].threads - 1;
        lab_claim(lab, text, 1.0, w->drop / w->theory, 0.02 + 2.0 / (pieces * pieces));
        snprintf(text, sizeof text, "stockinette: %s hang down: reach over drop", KINDS[k]);
        lab_claim_below(lab, text, fabs(l->reach) / l->drop, 0.25);
    }
    // A strip that hangs down is longer by what half of its weight stretches it, and rods of loops
    // are the stiffer.
    const Hung* h = all[KNIT].hung;
    double longer = extension_at(knit, 0.5 * h[DRAPE_SLIDING].pull / PATCH_FORCE);
    lab_claim_below(lab,
                    "stockinette: sliding yarns hang lower than rods by less than they stretch",
                    fabs(h[DRAPE_SLIDING].drop - h[DRAPE_RODS].drop), longer);
}

static int run(HedLab* lab) {
    Pull all[CASES] = {{0}};
    Drape drapes[CASES] = {{0}};
    for (int c = 0; c < CASES; ++c) {
        all[c].name = NAMES[c];
        int code = run_case(lab, &all[c], c);
        code = code == 0 ? run_drape(lab, &drapes[c], c) : code;
        if (code != 0) {
            return code;
        }
        report(lab, &all[c]);
        report_drape(lab, &drapes[c]);
    }
    claim(lab, all);
    claim_drape(lab, drapes, &all[KNIT]);
    return 0;
}

const HedExperiment EXPERIMENT_SLIDING_TRUTH = {
    .name = "sliding-truth",
    .title = "the same patches as rods and as sliding yarns: size at rest, stretch, drape",
    .parameters = PARAMETERS,
    .parameter_count = sizeof PARAMETERS / sizeof PARAMETERS[0],
    .run = run,
};
