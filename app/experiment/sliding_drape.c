// SPDX-License-Identifier: MIT
// Both are set in the shape that they start in, and weigh the same.
#include "experiment/sliding_drape.h"

#include "experiment/elastica.h"

#include <stdlib.h>
#include <string.h>

static const double GRAVITY = 9.81; // m/s^2
static const double LEFT = 0.02;    // of a point's weight, that may be unbalanced

static double along(HedVec3 x, int axis) {
    return axis == 0 ? x.x : x.y;
}

static double distance(HedVec3 a, HedVec3 b) {
    double x = a.x - b.x, y = a.y - b.y, z = a.z - b.z;
    return sqrt(x * x + y * y + z * z);
}

// Of a set of points: which are held, which are at the free side, and where they start.
typedef struct Side {
    uint8_t* is_held;
    uint8_t* is_tip;
    double held, tip, end; // m, along the axis: the outermost point held, the mean of tips, the end
    double level;          // m, mean height of tips
} Side;

static void side_free(Side* side) {
    free(side->is_held);
    free(side->is_tip);
    *side = (Side){0};
}

static bool find_side(const HedVec3* x, int32_t count, const Drape* d, Side* side) {
    double low = HUGE_VAL, tips = 0.0;
    *side = (Side){.is_held = calloc((size_t)count + 1, 1),
                   .is_tip = calloc((size_t)count + 1, 1),
                   .held = -HUGE_VAL,
                   .end = -HUGE_VAL};
    if (!side->is_held || !side->is_tip) {
        side_free(side);
        return false;
    }
    for (int32_t i = 0; i < count; ++i) {
        low = fmin(low, along(x[i], d->axis));
        side->end = fmax(side->end, along(x[i], d->axis));
    }
    for (int32_t i = 0; i < count; ++i) {
        double at = along(x[i], d->axis);
        side->is_held[i] = at < low + d->margin;
        side->is_tip[i] = at > side->end - d->margin;
        side->held = side->is_held[i] ? fmax(side->held, at) : side->held;
        if (side->is_tip[i]) {
            tips += 1.0;
            side->tip += at;
            side->level += x[i].z;
        }
    }
    side->tip /= tips;
    side->level /= tips;
    return true;
}

// How far tips have come down and still stick out.
static void measure(const HedVec3* x, int32_t count, const Drape* d, const Side* side, Hung* h) {
    double level = 0.0, out = 0.0, tips = 0.0;
    for (int32_t i = 0; i < count; ++i) {
        if (side->is_tip[i]) {
            tips += 1.0;
            level += x[i].z;
            out += along(x[i], d->axis);
        }
    }
    h->drop = (side->level - level / tips) / (side->tip - side->held);
    h->reach = (out / tips - side->held) / (side->tip - side->held);
}

// Clamped `inside` (m) of the outermost point that is held; the rigidity (N m^2) is that of one
// thread.
static void find_theory(const Side* side, double inside, double rigidity, Hung* h) {
    static Elastica elastica;
    double x, drop, length = side->end - side->held + inside;
    double load = h->pull / (side->end - side->held);
    elastica_solve(load * length * length * length / rigidity, &elastica);
    elastica_at(&elastica, (side->tip - side->held + inside) / length, &x, &drop);
    h->theory = drop * length / (side->tip - side->held);
}

static HedPinId hold(HedSim* sim, HedYarnsId yarns, const Side* side, int32_t count) {
    HedPinDef def = hed_pin_def_default();
    HedPinId pin = {0};
    int32_t* nodes = calloc((size_t)count + 1, sizeof *nodes);
    for (int32_t i = 0; i < count && nodes; ++i) {
        if (side->is_held[i]) {
            nodes[def.vertex_count++] = i;
        }
    }
    def.yarns = yarns;
    def.vertices = nodes;
    def.clamps = true;
    hed_pin_create(sim, &def, &pin, NULL);
    free(nodes);
    return pin;
}

static HedSimDef statics(HedLab* lab, double force) {
    HedSimDef def = hed_sim_def_default();
    def.integrator = HED_QUASI_STATIC;
    def.gravity = (HedVec3){0.0, 0.0, -GRAVITY};
    def.time_step = 1.0;
    def.yarn_friction = hed_relax_def_default().friction;
    def.thread_count = lab_threads(lab);
    def.force_tolerance = force;
    return def;
}

static void tell(HedLab* lab, const Drape* d, int kind, int32_t points, const HedStepReport* r) {
    const Hung* h = &d->hung[kind];
    lab_note(lab,
             "%s of %s hangs: %d points, %s after %d iterations, %.2g of a point's weight left",
             d->name, kind == DRAPE_RODS ? "rods" : "sliding yarns", points,
             h->is_quiet ? "rest" : "NO rest", r->iterations, h->left);
}

// ---- rods

static HedYarnsDef rod_material(const HedFabric* fabric) {
    HedRelaxDef relax = hed_relax_def_default();
    HedYarnsDef def = hed_yarns_def_default();
    def.name = "rods";
    def.rest = HED_YARN_AS_STARTED;
    def.linear_density = fabric->yarns[0].linear_density;
    def.bend = PATCH_BEND;
    def.twist = 0.5 * PATCH_BEND; // as that of sliding yarns
    def.stretch = relax.stretch * PATCH_FORCE;
    def.contact = relax.contact * PATCH_FORCE / PATCH_DIAMETER;
    return def;
}

// Yarns of the weave: warp, then weft.
static bool is_edge(int32_t yarn, int32_t threads) {
    int32_t k = yarn % threads;
    return k == 0 || k == threads - 1;
}

// Ends and picks at the edge of a small cut weave fall off; a hem keeps their crossings.
static void hem(YarnTrial* trial, HedYarnsId yarns, const Drape* d, const HedFabric* fabric) {
    for (int32_t k = 0; d->is_woven && k < fabric->crossing_count; ++k) {
        const HedFabricCrossing* c = &fabric->crossings[k];
        HedGlueDef def = hed_glue_def_default();
        if (trial->status == HED_OK &&
            (is_edge(c->over.yarn, d->threads) || is_edge(c->under.yarn, d->threads))) {
            def.yarns = def.other = yarns;
            def.vertex = fabric->yarns[c->over.yarn].first + c->over.at;
            def.other_vertex = fabric->yarns[c->under.yarn].first + c->under.at;
            trial->status = hed_glue_create(trial->sim, &def, &trial->error);
        }
    }
}

// m, of yarn that is free; `crimp`: length of the first yarn over its way along the axis.
static double free_length(const HedFabric* fabric, const Drape* d, const Side* side,
                          double* crimp) {
    double length = 0.0, first = 0.0;
    for (int32_t y = 0; y < fabric->yarn_count; ++y) {
        const HedFabricYarn* yarn = &fabric->yarns[y];
        for (int32_t i = yarn->first; i + 1 < yarn->first + yarn->count; ++i) {
            double piece = distance(fabric->points[i], fabric->points[i + 1]);
            length += 0.5 * piece * (2 - side->is_held[i] - side->is_held[i + 1]);
            first += y == 0 ? piece : 0.0;
        }
    }
    double a = along(fabric->points[0], d->axis);
    double b = along(fabric->points[fabric->yarns[0].count - 1], d->axis);
    *crimp = first / fmax(fabs(b - a), 1e-9);
    return length;
}

static int hang_rods(HedLab* lab, Drape* d, HedFabric* fabric) {
    YarnTrial trial = {0};
    YarnCurves curves = {0};
    HedStepReport report = {0};
    Side side = {0};
    Hung* h = &d->hung[DRAPE_RODS];
    double crimp;
    patch_add_rods(&curves, fabric, (HedVec3){0});
    if (curves.has_failed || !find_side(fabric->points, fabric->point_count, d, &side)) {
        yarn_curves_free(&curves);
        return lab_fail_text(lab, "no memory to hang %s", d->name);
    }
    double weight =
        fabric->yarns[0].linear_density * GRAVITY * free_length(fabric, d, &side, &crimp);
    yarn_trial_begin(&trial, lab, statics(lab, LEFT * weight / fabric->point_count));
    HedYarnsId yarns = yarn_trial_add(&trial, &curves, rod_material(fabric));
    hem(&trial, yarns, d, fabric);
    if (trial.status == HED_OK) {
        hold(trial.sim, yarns, &side, fabric->point_count);
        trial.status = hed_sim_step(trial.sim, &report, &trial.error);
    }
    int code = yarn_trial_code(&trial, lab);
    if (code == 0) {
        hed_yarns_positions(trial.sim, yarns, fabric->points);
        measure(fabric->points, fabric->point_count, d, &side, h);
        h->left = report.residual * fabric->point_count / weight;
        h->is_quiet = report.reason == HED_REASON_CONVERGED;
        h->pull = weight / d->threads;
        // Waves are longer than their way, and turn as much more.
        find_theory(&side, 0.0, PATCH_BEND / crimp, h);
        tell(lab, d, DRAPE_RODS, fabric->point_count, &report);
    }
    yarn_trial_end(&trial);
    yarn_curves_free(&curves);
    side_free(&side);
    return code;
}

// ---- sliding yarns

// N, of what is free: half of the pieces on both sides of a node belong to it.
static double free_weight(const HedNet* net, const Side* side) {
    double mass = 0.0;
    for (int32_t k = 1; k < net->visit_count; ++k) {
        const HedNetVisit *a = &net->visits[k - 1], *b = &net->visits[k];
        if (a->yarn == b->yarn) {
            double piece = net->yarns[b->yarn].linear_density * (b->at - a->at);
            mass += 0.5 * piece * (2 - side->is_held[a->node] - side->is_held[b->node]);
        }
    }
    return mass * GRAVITY;
}

static int hang_sliding(HedLab* lab, Drape* d, Patch* patch) {
    YarnTrial trial = {0};
    HedSlidingDef material = patch_material(patch);
    HedYarnsId yarns = {0};
    HedStepReport report = {0};
    Side side = {0};
    Hung* h = &d->hung[DRAPE_SLIDING];
    int32_t n = patch->net.node_count;
    if (!find_side(patch->nodes, n, d, &side)) {
        return lab_fail_text(lab, "no memory to hang %s", d->name);
    }
    double weight = free_weight(&patch->net, &side);
    yarn_trial_begin(&trial, lab, statics(lab, LEFT * weight / n));
    if (trial.status == HED_OK) {
        trial.status = hed_sliding_create(trial.sim, &material, &yarns, &trial.error);
    }
    if (trial.status == HED_OK) {
        hold(trial.sim, yarns, &side, n);
        trial.status = hed_sim_step(trial.sim, &report, &trial.error);
    }
    int code = yarn_trial_code(&trial, lab);
    if (code == 0) {
        hed_sliding_node_positions(trial.sim, yarns, patch->nodes);
        measure(patch->nodes, n, d, &side, h);
        h->left = report.residual * n / weight;
        h->is_quiet = report.reason == HED_REASON_CONVERGED;
        h->pull = weight / d->threads;
        // A turn at the outermost node that is held stands for the curvature of half a piece on
        // either side of it.
        find_theory(&side, 0.5 * patch->net.spacing, PATCH_BEND, h);
        tell(lab, d, DRAPE_SLIDING, n, &report);
    }
    yarn_trial_end(&trial);
    side_free(&side);
    return code;
}

int sliding_drape(HedLab* lab, Drape* d, Patch* patch) {
    int code = hang_rods(lab, d, &patch->fabric);
    return code == 0 ? hang_sliding(lab, d, patch) : code;
}
