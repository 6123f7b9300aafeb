// SPDX-License-Identifier: MIT
// A limp yarn that hangs between two points of one height.
#include "experiment/list.h"
#include "experiment/rod_lab.h"
#include "experiment/rod_theory.h"

#include <math.h>

// The span and the weight of a yarn as long as it are 1.
typedef struct Chain {
    double slack;
    RodCatenary exact;
} Chain;

// A long yarn turns over the length of its parameter, which may be less than a segment. A spline
// cannot turn within one: it would have to slow down there, so it hangs higher by some 0.4 of a
// segment, whatever its length. Therefore vertices stand closer there. But a segment of a spline is
// stretched inside where those beside it are longer and shorter: neighbours differ by a 16th at
// most. Segments in the middle are this / sinh(this) of the mean.
static double finer_of(const Chain* chain, int32_t segments) {
    const double growth = 0.06;
    double wanted = asinh(0.5 * chain->slack / chain->exact.parameter) - 3.0;
    return fmin(fmax(wanted, 0.0), 0.5 * growth * segments); // from a slack of 3.4 on
}

// Arc length of vertex k of last + 1 from the lowest point, over half of the whole.
static double arc_part(const Chain* chain, int32_t k, int32_t last) {
    double u = 2.0 * k / last - 1.0;
    double finer = finer_of(chain, last);
    return finer > 0.0 ? sinh(finer * u) / sinh(finer) : u;
}

// Length of what an arc of a circle over the span becomes; half: its angle. Of a spline it is the
// arc, else the chords.
static double length_over(const RodTrial* trial, const Chain* chain, double half) {
    int32_t last = trial->count - 1;
    double chords = 0.0;
    for (int32_t k = 0; k < last; ++k) {
        double turn = half * (arc_part(chain, k + 1, last) - arc_part(chain, k, last));
        chords += sin(0.5 * turn);
    }
    return (trial->yarn.model == HED_YARN_SPLINE ? half : chords) / sin(half);
}

// An arc of a circle over the span, as long as the yarn.
static void sling(RodTrial* trial, const Chain* chain) {
    int32_t last = trial->count - 1;
    double low = 1e-6, high = 3.14159;
    for (int k = 0; k < 100; ++k) {
        double half = 0.5 * (low + high);
        *(length_over(trial, chain, half) > chain->slack ? &high : &low) = half;
    }
    double half = 0.5 * (low + high);
    double radius = 0.5 / sin(half);
    for (int32_t k = 0; k <= last; ++k) {
        double a = half * arc_part(chain, k, last);
        trial->x[k] = (HedVec3){0.5 + radius * sin(a), -radius * (cos(a) - cos(half)), 0.0};
    }
}

// Farthest vertex from the catenary at its arc length, over the sag.
static double shape_error(const RodTrial* trial, const Chain* chain) {
    double a = chain->exact.parameter;
    double most = 0.0;
    int32_t last = trial->count - 1;
    for (int32_t k = 0; k <= last; ++k) {
        double s = 0.5 * chain->slack * arc_part(chain, k, last);
        double x = 0.5 + a * asinh(s / a);
        double y = hypot(a, s) - a - chain->exact.sag;
        most = fmax(most, hypot(trial->x[k].x - x, trial->x[k].y - y));
    }
    return most / chain->exact.sag;
}

static int hang(HedLab* lab, const Chain* chain, const RodWay* way, RodTrial* trial) {
    int code = rod_begin(lab, way, false, trial);
    if (code != 0) {
        return code;
    }
    double little = fmin(1.0, chain->slack - 1.0);
    // Constraints keep lengths to 1e-5: where that is no little part of the slack, springs do it in
    // explicit steps too. They get longer by three thousandths of the slack there and in splines
    // (stiffer ones do not turn in the narrow bend of a long yarn), else by a millionth, or what
    // rounding leaves of a strain.
    bool is_soft = trial->yarn.model == HED_YARN_SPLINE || (way->is_explicit && little < 5e-3);
    trial->yarn.inextensible = !is_soft;
    trial->yarn.stretch =
        chain->exact.tension / (is_soft ? 3e-3 * little : fmax(1e-6 * little, 2e-9));
    // Bending is there for the model's sake: a hundred-thousandth of what tension does at the
    // lowest point.
    trial->yarn.bend = 1e-5 * pow(fmin(chain->exact.parameter, 1.0), 3.0);
    trial->yarn.twist = trial->yarn.bend;
    trial->def.gravity.y = -1.0;
    trial->def.newton_iterations = 300; // from an arc as high as wide to a narrow bend
    trial->def.force_tolerance = 1e-6 / way->segments;
    trial->def.time_step = way->is_explicit ? 0.05 * chain->slack / way->segments : 1.0;
    trial->rate = 1.5 * sqrt(chain->exact.parameter + chain->exact.sag) / chain->slack;
    trial->size = chain->exact.sag;
    sling(trial, chain);
    code = rod_build(trial);
    code = code ? code : rod_hold(trial, 0, false, NULL, 0);
    code = code ? code : rod_hold(trial, trial->count - 1, false, NULL, 0);
    code = code ? code : rod_rest(trial);
    if (code == 0 && way->is_kept) {
        rod_draw(trial);
    }
    return code;
}

// In explicit steps constraints hold the yarn at its length and no spring tells the tension: there
// it follows from the shape. Half of the weight hangs on each end, and pulls along the yarn.
static double end_tension(const RodTrial* trial, const Chain* chain) {
    if (trial->def.integrator == HED_QUASI_STATIC) {
        HedVec3 pull = rod_reaction(trial, 0);
        return hypot(pull.x, pull.y);
    }
    const HedVec3* x = trial->x;
    double across = x[1].x - x[0].x, down = x[0].y - x[1].y;
    int32_t last = trial->count - 1;
    // Below the middle of the first segment.
    double carried = -0.25 * chain->slack * (arc_part(chain, 0, last) + arc_part(chain, 1, last));
    double level = carried * across / down;
    return hypot(level, 0.5 * chain->slack);
}

static int run_chain(HedLab* lab, const void* context, const RodWay* way, double* values) {
    RodTrial trial = {0};
    const Chain* chain = context;
    int code = hang(lab, chain, way, &trial);
    if (code == 0) {
        double lowest = 0.0;
        for (int32_t k = 0; k < trial.count; ++k) {
            lowest = fmin(lowest, trial.x[k].y);
        }
        values[0] = -lowest;
        values[1] = end_tension(&trial, chain);
        values[2] = shape_error(&trial, chain);
    }
    rod_end(&trial);
    return code;
}

static int catenary(HedLab* lab) {
    Chain chain = {.slack = lab_number(lab, "slack")};
    chain.exact = rod_catenary(chain.slack);
    RodCase from = {.value_count = 2,
                    .name = {"sag", "end_tension"},
                    .expected = {chain.exact.sag, chain.exact.tension},
                    .run = run_chain,
                    .context = &chain,
                    .multiple = 2,
                    .layer = fmin(1.0, chain.exact.parameter / chain.slack)};
    return rod_case_run(lab, &from);
}

static const HedParameter PARAMETERS[] = {
    {.name = "slack",
     .unit = "",
     .number = 1.1,
     .least = 1.0001,
     .most = 20.0,
     .help = "length over span"},
    ROD_PARAMETERS,
};

const HedExperiment EXPERIMENT_CATENARY = {
    .name = "catenary",
    .title = "a limp yarn between two points against the catenary: sag and tension",
    .parameters = PARAMETERS,
    .parameter_count = sizeof PARAMETERS / sizeof PARAMETERS[0],
    .run = catenary,
};
