// SPDX-License-Identifier: MIT
// Cantilevers clamped level: under a load at the free end, and under their own weight.
#include "experiment/elastica.h"
#include "experiment/list.h"
#include "experiment/rod_lab.h"
#include "experiment/rod_theory.h"

#include <math.h>

static const double DEGREES = 57.29577951308232;

// Length and EI are 1, so the load or the whole weight is alpha or beta.
typedef struct Cantilever {
    double load;
    bool is_heavy; // its weight, else a load at the end
    Elastica exact;
} Cantilever;

// Farthest vertex from where the elastica has it, over the elastica's drop.
static double shape_error(const RodTrial* trial, const Elastica* exact) {
    double most = 0.0;
    int32_t last = trial->count - 1;
    for (int32_t k = 0; k <= last; ++k) {
        double x, drop;
        elastica_at(exact, (double)k / last, &x, &drop);
        most = fmax(most, hypot(trial->x[k].x - x, -trial->x[k].y - drop));
    }
    return most / exact->drop[ELASTICA_STEPS];
}

// Strains are 1e-7. A segment of a spline that is much bent cannot keep its length at all points:
// there it is made softer, to strains of 5e-4 at most. Explicit steps have constraints for rods; a
// spline's get shorter the stiffer it is, and 5e-5 is small against what they are asked for.
static double stretch_of(const Cantilever* from, const RodWay* way) {
    double most = way->is_explicit ? 2e4 : 1e7;
    if (way->model == HED_YARN_ROD) {
        return 1e7 * from->load;
    }
    return from->load * fmin(fmax(2e7 / (from->load * from->load), 2e3), most);
}

static int bend(HedLab* lab, const Cantilever* from, const RodWay* way, RodTrial* trial) {
    int code = rod_begin(lab, way, false, trial);
    if (code != 0) {
        return code;
    }
    int32_t last = trial->count - 1;
    trial->yarn.stretch = stretch_of(from, way);
    trial->def.force_tolerance = 1e-7 * from->load / way->segments;
    // The slowest motion: that of a beam, or of a thread under tension.
    trial->rate = sqrt(12.0 + (from->is_heavy ? 1.4 : 2.4) * from->load);
    trial->size = from->exact.drop[ELASTICA_STEPS];
    trial->def.gravity.y = from->is_heavy ? -from->load : 0.0;
    rod_line(trial, (HedVec3){0.0, 0.0, 0.0}, (HedVec3){1.0, 0.0, 0.0});
    code = rod_build(trial);
    code = code ? code : rod_hold(trial, 0, true, NULL, 0);
    if (code == 0 && !from->is_heavy) {
        code = rod_pull(trial, last, (HedVec3){0.0, -from->load, 0.0});
    }
    code = code ? code : rod_rest(trial);
    if (code == 0 && way->is_kept) {
        rod_draw(trial);
    }
    return code;
}

// The last segment's slope is that of its middle. Near the free end the moment, and with it the
// curvature, goes to zero: half a segment further it has grown by an eighth of what the last vertex
// turned.
static double tip_slope(const RodTrial* trial) {
    int32_t n = trial->count - 1;
    const HedVec3* x = trial->x;
    double last = atan2(x[n - 1].y - x[n].y, x[n].x - x[n - 1].x);
    double before = atan2(x[n - 2].y - x[n - 1].y, x[n - 1].x - x[n - 2].x);
    return last + 0.125 * (last - before);
}

static int run_tip(HedLab* lab, const void* context, const RodWay* way, double* values) {
    RodTrial trial = {0};
    int code = bend(lab, context, way, &trial);
    if (code == 0) {
        const HedVec3* tip = &trial.x[trial.count - 1];
        values[0] = -tip->y;
        values[1] = tip->x;
        values[2] = DEGREES * tip_slope(&trial);
        values[3] = shape_error(&trial, &((const Cantilever*)context)->exact);
    }
    rod_end(&trial);
    return code;
}

static int cantilever(HedLab* lab) {
    Cantilever of = {.load = lab_number(lab, "alpha")};
    rod_elastica(of.load, &of.exact);
    const Elastica* exact = &of.exact;
    RodCase from = {.value_count = 3,
                    .name = {"drop", "tip_x", "tip_slope_deg"},
                    .expected = {exact->drop[ELASTICA_STEPS], exact->x[ELASTICA_STEPS],
                                 DEGREES * exact->slope[ELASTICA_STEPS]},
                    .run = run_tip,
                    .context = &of,
                    .multiple = 1,
                    .layer = 1.0 / sqrt(fmax(1.0, of.load))};
    return rod_case_run(lab, &from);
}

static const HedParameter ALPHA[] = {
    {.name = "alpha",
     .unit = "",
     .number = 1.0,
     .least = 1e-3,
     .most = 200.0,
     .help = "load at the free end * length^2 / EI"},
    ROD_PARAMETERS,
};

const HedExperiment EXPERIMENT_CANTILEVER = {
    .name = "cantilever",
    .title = "a yarn held in a wall with a load at its end against the elastica",
    .parameters = ALPHA,
    .parameter_count = sizeof ALPHA / sizeof ALPHA[0],
    .run = cantilever,
};

static int run_heavy(HedLab* lab, const void* context, const RodWay* way, double* values) {
    RodTrial trial = {0};
    int code = bend(lab, context, way, &trial);
    if (code == 0) {
        const HedVec3* tip = &trial.x[trial.count - 1];
        values[0] = -tip->y;
        values[1] = DEGREES * atan2(-tip->y, tip->x);
        values[2] = shape_error(&trial, &((const Cantilever*)context)->exact);
    }
    rod_end(&trial);
    return code;
}

static int self_weight(HedLab* lab) {
    Cantilever of = {.load = lab_number(lab, "beta"), .is_heavy = true};
    elastica_solve(of.load, &of.exact);
    RodCase from = {.value_count = 2,
                    .name = {"drop", "chord_angle_deg"},
                    .expected = {of.exact.drop[ELASTICA_STEPS], elastica_chord_deg(&of.exact)},
                    .run = run_heavy,
                    .context = &of,
                    .multiple = 1,
                    .layer = 1.0 / sqrt(fmax(1.0, of.load))};
    return rod_case_run(lab, &from);
}

static const HedParameter BETA[] = {
    {.name = "beta",
     .unit = "",
     .number = 8.0,
     .least = 1e-4,
     .most = 2000.0,
     .help = "weight per length * length^3 / EI; 8 is the bending test of fabrics"},
    ROD_PARAMETERS,
};

const HedExperiment EXPERIMENT_SELF_WEIGHT = {
    .name = "self-weight",
    .title = "a yarn held in a wall under its own weight against the heavy elastica",
    .parameters = BETA,
    .parameter_count = sizeof BETA / sizeof BETA[0],
    .run = self_weight,
};
