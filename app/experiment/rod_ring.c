// SPDX-License-Identifier: MIT
// A ring pulled or pushed at two opposite points: how its diameters change.
#include "experiment/list.h"
#include "experiment/rod_lab.h"
#include "experiment/rod_theory.h"

#include <math.h>

static const double PI = 3.14159265358979323846;

enum { STIFF = 64 }; // segments from which on a spline need not be softer

// Radius and EI are 1, so the load is P.
typedef struct Ring {
    double load;
    RodRing exact;
} Ring;

// A polygon whose sides add up to the ring's length; vertex 0 is the lowest.
static double circle(RodTrial* trial) {
    double radius = PI / trial->count / sin(PI / trial->count);
    for (int32_t k = 0; k < trial->count; ++k) {
        double a = 2.0 * PI * k / trial->count;
        trial->x[k] = (HedVec3){radius * sin(a), -radius * cos(a), 0.0};
    }
    return radius;
}

// Of a push: as much as one solve follows without going over to another shape.
static int32_t pieces_of(double push) {
    return (int32_t)ceil(fmax(1.0, push / 0.25));
}

// Begins a ring of its own. `push`: how much nearer the pins that hold both loaded vertices come,
// from 0; NULL: one is held, the other pulled.
static int begin(HedLab* lab, const Ring* ring, const RodWay* way, const double* push,
                 RodTrial* trial) {
    RodWay whole = *way;
    whole.segments *= 2; // segments are those of one side, from load to load
    int code = rod_begin(lab, &whole, true, trial);
    if (code != 0) {
        return code;
    }
    int32_t half = trial->count / 2;
    double load = fabs(ring->load);
    // A spline that is much bent cannot keep its length at all points: it is made softer there, and
    // where segments are long. Its speed differs along a segment by (curvature times length)^4, so
    // what that costs goes with the eighth power.
    double over = way->model == HED_YARN_ROD ? 1e6 : fmin(1e6, fmax(2e3, 2e7 / (load * load)));
    if (way->model == HED_YARN_SPLINE && way->segments < STIFF) {
        over = fmax(2e3, over * pow((double)way->segments / STIFF, 8.0));
    }
    trial->yarn.stretch = fmax(1.0, load) * over;
    trial->def.force_tolerance = 1e-6 * load / way->segments;
    trial->rate = sqrt(2.0 + load);
    trial->size = fabs(ring->exact.along);
    if (push && !way->is_explicit) {
        trial->def.time_step = 1.0 / pieces_of(*push); // keyframes take 1 s
    }
    circle(trial);
    code = rod_build(trial);
    code = code ? code : rod_hold(trial, 0, false, NULL, 0);
    if (code == 0 && push) {
        HedKeyframe keys[2] = {{0.0, {{0.0, 0.0, 0.0}, {1.0, 0.0, 0.0, 0.0}}},
                               {1.0, {{0.0, -*push, 0.0}, {1.0, 0.0, 0.0, 0.0}}}};
        code = rod_hold(trial, half, false, keys, 2);
    } else if (code == 0) {
        code = rod_pull(trial, half, (HedVec3){0.0, ring->load, 0.0});
    }
    return code;
}

static double gap(const RodTrial* trial, int32_t a, int32_t b) {
    return hypot(trial->x[a].x - trial->x[b].x, trial->x[a].y - trial->x[b].y);
}

static void read_ring(const RodTrial* trial, double* values) {
    int32_t quarter = trial->count / 4;
    double diameter = 2.0 * PI / trial->count / sin(PI / trial->count);
    values[0] = gap(trial, 0, 2 * quarter) - diameter;
    values[1] = diameter - gap(trial, quarter, 3 * quarter);
}

// A load that pushes would tip the ring over: both points are held and moved instead, until they
// push back with that load. `push` is known afterwards.
static int push_to(HedLab* lab, const Ring* ring, const RodWay* way, double push, double* force,
                   double* values) {
    RodTrial trial = {0};
    RodWay at_rest = *way;
    at_rest.is_explicit = false;
    int code = begin(lab, ring, &at_rest, &push, &trial);
    code = code ? code : rod_go(&trial, pieces_of(push));
    if (code == 0) {
        *force = -rod_reaction(&trial, 1).y;
        read_ring(&trial, values);
        if (way->is_kept) {
            rod_draw(&trial);
        }
    }
    rod_end(&trial);
    return code;
}

// Regula falsi, in Illinois form: the force rises with the push, and steeply at the end.
static int find_push(HedLab* lab, const Ring* ring, const RodWay* way, double* push,
                     double* values) {
    enum { MOST = 60 };
    double goal = -ring->load;
    double low = 0.0, at_low = -goal;         // force less the goal
    double high = 0.0, at_high = (double)NAN; // not found yet
    double force = 0.0;
    int side = 0;
    RodWay hidden = *way;
    hidden.is_kept = false;
    *push = fmin(0.1489 * goal, 0.5);
    int code = 0;
    for (int k = 0; k < MOST && code == 0; ++k) {
        code = push_to(lab, ring, &hidden, *push, &force, values);
        double off = force - goal;
        if (code != 0 || fabs(off) < 1e-7 * goal) {
            break;
        }
        if (off < 0.0) {
            at_high = side < 0 ? 0.5 * at_high : at_high;
            low = *push;
            at_low = off;
            side = -1;
        } else {
            at_low = side > 0 ? 0.5 * at_low : at_low;
            high = *push;
            at_high = off;
            side = 1;
        }
        bool is_between = isfinite(at_high);
        *push = is_between ? low - at_low * (high - low) / (at_high - at_low) : 0.5 * (low + 2.0);
    }
    // A stiff ring under a small load: pins feel a millionth of it that the solver leaves.
    if (code == 0 && !(fabs(force - goal) < 1e-5 * goal)) {
        code = lab_fail_text(lab, "no push was found that the ring answers with the load: %.9g",
                             force);
    }
    if (code == 0 && way->is_kept) {
        code = push_to(lab, ring, way, *push, &force, values);
    }
    return code;
}

// Explicit steps bring the points together over a time, and then wait for rest.
static int push_explicit(HedLab* lab, const Ring* ring, const RodWay* way, double push,
                         double* values) {
    RodTrial trial = {0};
    int code = begin(lab, ring, way, &push, &trial);
    code = code ? code : rod_go(&trial, (int32_t)ceil(1.0 / trial.def.time_step));
    code = code ? code : rod_rest(&trial);
    if (code == 0) {
        read_ring(&trial, values);
    }
    rod_end(&trial);
    return code;
}

static int run_ring(HedLab* lab, const void* context, const RodWay* way, double* values) {
    const Ring* ring = context;
    RodTrial trial = {0};
    double push = 0.0;
    int code = 0;
    if (ring->load < 0.0) {
        code = find_push(lab, ring, way, &push, values);
        if (code == 0 && way->is_explicit) {
            code = push_explicit(lab, ring, way, push, values);
        }
    } else {
        code = begin(lab, ring, way, NULL, &trial);
        code = code ? code : rod_rest(&trial);
        if (code == 0) {
            read_ring(&trial, values);
            if (way->is_kept) {
                rod_draw(&trial);
            }
        }
        rod_end(&trial);
    }
    double off = hypot(values[0] - ring->exact.along, values[1] - ring->exact.across);
    values[2] = off / hypot(ring->exact.along, ring->exact.across);
    return code;
}

static int ring_load(HedLab* lab) {
    Ring ring = {.load = lab_number(lab, "load")};
    if (ring.load == 0.0) {
        return lab_refuse(lab, "'load' must not be zero: nothing would change");
    }
    ring.exact = rod_ring(ring.load);
    RodCase from = {.value_count = 2,
                    .name = {"along", "across"},
                    .expected = {ring.exact.along, ring.exact.across},
                    .run = run_ring,
                    .context = &ring,
                    .multiple = 2,
                    .layer = 1.0 / sqrt(fmax(1.0, fabs(ring.load))),
                    .stiff = STIFF};
    return rod_case_run(lab, &from);
}

static const HedParameter PARAMETERS[] = {
    {.name = "load",
     .unit = "",
     .number = 1.0,
     .least = -8.0,
     .most = 200.0,
     .help = "P R^2 / EI; positive pulls apart, negative pushes together (sides meet at -8.03)"},
    ROD_PARAMETERS,
};

const HedExperiment EXPERIMENT_RING_LOAD = {
    .name = "ring-load",
    .title = "a ring pulled or pushed at two opposite points against the elastica",
    .parameters = PARAMETERS,
    .parameter_count = sizeof PARAMETERS / sizeof PARAMETERS[0],
    .run = ring_load,
};
