// SPDX-License-Identifier: MIT
// In motion the matrix, and with it the preconditioner, is kept while it serves: elements hardly
// turn between a good first guess and the solution. Linear solves are as exact as the step still
// needs (inexact Newton methods: Dembo, Eisenstat, Steihaug 1982). What is left after a correction
// is told by the residual in the norm of the preconditioner, sqrt(r.P r): as it fell, so did the
// error, up to the square root of the condition number; and that number shows in the iterations
// that conjugate gradients took.
//
// What is under pressure buckles: with the positive form, which forgets the pressure, corrections
// then shrink by little each. So inertia lends its positivity to elements, first nearly as much as
// there is, which is safe; where corrections shrink slowly, more (HED_FORM_BOLD). If that was too
// much, the safe form serves until the end of the step.
#include "solve/newton.h"

#include "base/timer.h"

#include <float.h>
#include <math.h>

static const double ARMIJO = 1e-4; // of the slope: decrease of the energy that is enough
static const double FLAT = 0.5;    // of the slope at the start: what ends a line search as well
static const double NOISE = 1e-10; // of an energy, or
static const double HINT = 1e-2;   // of the decrease that the slope promises: no difference
static const double STEEP = 0.6;   // of it: left after a correction that was too short
static const double TINY = 0.01;   // a share that tells of a motion that nothing resists
static const double WARY = 0.3;    // a share below it
static const double FARTHEST = 8.0;
static const double MARGIN = 0.9; // of the way to where states end to make sense
static const double SERVES = 0.3; // of the error: a correction that leaves less keeps the matrix
static const double SERVES_ROUGH = 0.1; // the same where friction begins to slide
static const double ROUGH = 10.0; // over a correction: the next one, where friction begins to slide
static const double COARSEST = 0.1; // tolerance of a linear solve, at most,
static const double FIRST = 0.03;   // and of the first one of a step
enum { TRIES = 14, MANY = 30 };     // places on a line; iterations of conjugate gradients

static double slope(const HedNewton* n, const double* along) {
    return hed_team_dot(n->team, n->residual, along, n->size);
}

// --- linear solves ---

static HedPcgReport find_direction(HedNewton* n, double tolerance, double enough) {
    HedPcg pcg = {
        .size = n->size,
        .matrix = n->matrix,
        .precondition = n->precondition,
        .filter = n->filter,
        .tolerance = tolerance,
        .enough = enough,
        .max_iterations = n->linear_iterations,
        .team = n->team,
        .work = n->work,
        .watch = n->watch,
    };
    double begin = n->is_timed ? hed_time_now() : 0.0;
    HedPcgReport solved = hed_pcg_solve(&pcg, n->residual, n->direction);
    n->seconds += n->is_timed ? hed_time_now() - begin : 0.0;
    n->linear_done += solved.iterations;
    return solved;
}

// A solve that ran out of iterations still gives a direction of descent.
static bool is_solved(const HedPcgReport* solved) {
    return solved->reason == HED_PCG_CONVERGED || solved->reason == HED_PCG_MAX_ITERATIONS;
}

// sqrt(r.P r): a size of the error that is as good as the preconditioner.
static double error_size(HedNewton* n) {
    double begin = n->is_timed ? hed_time_now() : 0.0;
    n->precondition.apply(n->precondition.context, n->residual, n->work);
    double square = slope(n, n->work);
    n->seconds += n->is_timed ? hed_time_now() - begin : 0.0;
    return sqrt(fmax(0.0, square));
}

static bool assemble(HedNewton* n, HedNewtonForm form) {
    bool ok = n->assemble(n->self, form);
    n->matrices += 1;
    return ok;
}

// --- line search ---

// A place on a line; slope is not a number where there is no state.
typedef struct Probe {
    double share;
    double slope;
    double energy;
} Probe;

static Probe probe(HedNewton* n, double share) {
    Probe at = {share, (double)NAN, INFINITY};
    if (n->move(n->self, share)) {
        at.energy = n->evaluate(n->self);
        at.slope = slope(n, n->tangent);
    }
    return at;
}

// Enough energy is gone, or the slope says that the lowest place is near. A correction that goes as
// far as it may can also end where it still goes down.
static bool is_good(const HedNewton* n, double most, Probe start, Probe at) {
    if (!isfinite(at.slope) || (n->has_energy && !isfinite(at.energy))) {
        return false;
    }
    bool is_short = at.share < most && at.slope > FLAT * start.slope;
    if (n->has_energy && at.energy <= start.energy - ARMIJO * at.share * start.slope) {
        return !is_short;
    }
    double noise = fmax(NOISE * fabs(start.energy), HINT * at.share * start.slope);
    bool is_higher = n->has_energy && at.energy > start.energy + noise;
    return at.slope >= -FLAT * start.slope && !is_short && !is_higher;
}

// Where a whole correction leaves most of the slope the matrix is stiffer than the cloth, which
// buckles or whose friction slides: twice as far, as long as the slope says so.
static Probe extend(HedNewton* n, Probe start, Probe at) {
    while (at.share < FARTHEST && at.slope > STEEP * start.slope) {
        Probe next = probe(n, 2.0 * at.share);
        bool is_lower = n->has_energy ? next.energy < at.energy : next.slope >= -FLAT * start.slope;
        if (!isfinite(next.slope) || !is_lower) {
            return probe(n, at.share);
        }
        at = next;
    }
    return at;
}

// Goes along the direction and evaluates there. Returns how far it went, 0 if there is no place on
// it that can be reached and is better; the energy is then that of the last one tried.
//
// If the whole correction went too far, the lowest point lies before its end: regula falsi, in
// Illinois form, finds it roughly. A contact that closes on the way makes the slope break off, and
// much shorter steps than necessary would be the price of a guess from the whole one alone.
static double find_share(HedNewton* n, double* energy) {
    Probe start = {0.0, slope(n, n->direction), *energy};
    Probe low = start;
    n->begin_line(n->self);
    double most = n->longest ? fmin(1.0, MARGIN * n->longest(n->self)) : 1.0;
    Probe now = probe(n, most);
    Probe high = now;
    bool was_low = false, was_high = false;
    if (is_good(n, most, start, now)) {
        now = most == 1.0 ? extend(n, start, now) : now;
        *energy = now.energy;
        return now.share;
    }
    for (int k = 0; k < TRIES; ++k) {
        double part = isfinite(high.slope) ? low.slope / (low.slope - high.slope) : 0.25;
        now = probe(n, low.share + (high.share - low.share) * fmin(fmax(part, 0.05), 0.9));
        if (is_good(n, most, start, now)) {
            *energy = now.energy;
            return now.share;
        }
        if (isfinite(now.slope) && now.slope > 0.0) {
            low = now;
            high.slope = was_low ? 0.5 * high.slope : high.slope;
            was_low = true;
            was_high = false;
        } else {
            high = now;
            low.slope = was_high ? 0.5 * low.slope : low.slope;
            was_high = true;
            was_low = false;
        }
    }
    if (!isfinite(now.slope) && low.share > 0.0) {
        now = probe(n, low.share);
    }
    *energy = now.energy;
    bool is_worse = n->has_energy && !(now.energy <= start.energy);
    return isfinite(now.slope) && !is_worse ? now.share : 0.0;
}

static double search(HedNewton* n, double* energy) {
    double share = find_share(n, energy);
    n->is_wary = share < WARY;
    return share;
}

// --- motion ---

// How far the iteration is.
typedef struct Progress {
    double energy;   // J, at the trial state
    bool is_first;   // no correction yet
    bool is_current; // the matrix serves
    bool is_bold;    // the next matrix need not be safe
    bool is_warned;  // a matrix that was not safe proved indefinite in this step
    double change;   // m/s, largest of the last correction; negative: there was none
    double left;     // m/s, estimate of the next correction; negative: not known
    bool is_enough;  // so little residual that the step may end
} Progress;

// A tolerance that brings what is left to half of what may stay, but not finer than asked for. A
// first solve need not be more exact than what the last step's first correction left anyway.
static double forcing(const HedNewton* n, const Progress* progress) {
    double fine = n->linear_tolerance;
    if (n->iterations == 1) {
        return fine;
    }
    if (progress->is_first) {
        double least = sqrt(fmin(fine, 1.0)) * 0.1;
        return fmax(fine, fmin(FIRST, fmax(least, 0.5 * *n->nonlinear)));
    }
    if (n->enough > 0.0) {
        return fmax(fine, FIRST); // the norm of what is left ends solves
    }
    double next = n->is_smooth ? progress->left : progress->change;
    double wanted = next > 0.0 ? 0.5 * n->tolerance / next : FIRST;
    return fmax(fine, fmin(wanted, COARSEST));
}

static bool renew_matrix(HedNewton* n, Progress* progress) {
    if (progress->is_current) {
        return n->relinearise(n->self);
    }
    progress->is_current = true;
    if (progress->is_bold && assemble(n, HED_FORM_BOLD)) {
        return true;
    }
    progress->is_warned = progress->is_warned || progress->is_bold;
    progress->is_bold = false;
    return assemble(n, HED_FORM_SAFE);
}

static HedPcgReport find_correction(HedNewton* n, Progress* progress, double tolerance) {
    HedPcgReport solved = find_direction(n, tolerance, 0.5 * n->enough);
    if (!is_solved(&solved) && solved.reason != HED_PCG_STOPPED && progress->is_bold) {
        progress->is_bold = false; // indefinite after all
        progress->is_warned = true;
        if (assemble(n, HED_FORM_SAFE)) {
            solved = find_direction(n, tolerance, 0.5 * n->enough);
        }
    }
    return solved;
}

// What is left, over the correction just made. Conjugate gradients take 1/2 sqrt(condition)
// log(2/tolerance) iterations; where they took many, neither norm nor correction say much: then
// only a correction that is small itself ends the step. Else, where corrections shrink steadily,
// twice the rest of their geometric series bounds it, too.
static double share_left(double ratio, int32_t count, double tolerance, double shrink) {
    double root = fmax(1.0, 2.0 * count / log(2.0 / tolerance));
    double by_series = shrink < 0.5 ? 2.0 * shrink / (1.0 - shrink) : HUGE_VAL;
    return count <= MANY ? fmin(ratio * root, by_series) : 1.0;
}

// What a correction that was made says of the next one.
static void judge(HedNewton* n, const HedPcgReport* solved, double tolerance, double change,
                  double share, Progress* progress) {
    double size = error_size(n);
    double ratio = solved->start > 0.0 ? size / solved->start : 0.0;
    double shrink = progress->change > 0.0 ? change / progress->change : HUGE_VAL;
    bool is_whole = share >= 1.0 && solved->reason == HED_PCG_CONVERGED;
    if (progress->is_first) {
        *n->nonlinear = is_whole ? fmin(1.0, ratio) : *n->nonlinear;
    }
    double smooth = share_left(ratio, solved->iterations, tolerance, shrink);
    progress->left = n->is_smooth ? change * smooth : is_whole ? change * ROUGH : -1.0;
    progress->change = change;
    progress->is_enough = is_whole && size < n->enough;
    progress->is_current = ratio <= (n->is_smooth ? SERVES : SERVES_ROUGH) && share >= 1.0;
    progress->is_first = false;
}

// One correction; a reason if there is none.
static HedNewtonReason correct(HedNewton* n, Progress* progress) {
    bool was_current = progress->is_current;
    if (!renew_matrix(n, progress)) {
        return HED_NEWTON_NOT_FINITE;
    }
    double tolerance = forcing(n, progress);
    HedPcgReport solved = find_correction(n, progress, tolerance);
    if (!is_solved(&solved)) {
        return solved.reason == HED_PCG_STOPPED ? HED_NEWTON_STOPPED : HED_NEWTON_NOT_FINITE;
    }
    n->done += 1;
    double change = n->change(n->self);
    double share = search(n, &progress->energy);
    if (share == 0.0) {
        if (was_current && n->move(n->self, 0.0)) { // with a matrix of its own there may be one
            progress->energy = n->evaluate(n->self);
            progress->is_current = false;
            return HED_NEWTON_CONVERGED;
        }
        return HED_NEWTON_BLOCKED;
    }
    bool was_bold = progress->is_bold;
    judge(n, &solved, tolerance, change, share, progress);
    bool is_slow = !progress->is_current && !was_current;
    progress->is_bold = (n->starts_bold || was_bold || is_slow) && !progress->is_warned;
    return isfinite(progress->left) ? HED_NEWTON_CONVERGED : HED_NEWTON_NOT_FINITE;
}

HedNewtonReason hed_newton_motion(HedNewton* n) {
    Progress progress = {.is_first = true, .change = -1.0, .left = -1.0};
    progress.is_bold = n->starts_bold;
    progress.energy = n->evaluate(n->self);
    for (int32_t k = 0; k < n->iterations; ++k) {
        if (hed_watch_stops(n->watch)) {
            return HED_NEWTON_STOPPED;
        }
        double bound = n->bound(n->self);
        if (isnan(bound) || (n->has_energy && !isfinite(progress.energy))) {
            return HED_NEWTON_NOT_FINITE;
        }
        if (bound <= n->tolerance) {
            return HED_NEWTON_CONVERGED;
        }
        HedNewtonReason reason = correct(n, &progress);
        if (reason != HED_NEWTON_CONVERGED) {
            return reason;
        }
        bool is_near = progress.left >= 0.0 && progress.left <= n->tolerance;
        if (is_near || progress.is_enough || n->iterations == 1) {
            return HED_NEWTON_CONVERGED;
        }
    }
    return HED_NEWTON_MAX_ITERATIONS;
}

// --- rest ---

// A direction by the exact matrix, if it is positive. What can turn as a whole has one that is only
// just not: a larger shift makes it so.
static bool try_exact(HedNewton* n) {
    const double more = 30.0;
    double kept = n->shift;
    for (int32_t k = 0; k < n->exact_tries; ++k) {
        if (assemble(n, HED_FORM_EXACT)) {
            HedPcgReport solved = find_direction(n, n->linear_tolerance, 0.0);
            if (is_solved(&solved) || solved.reason == HED_PCG_STOPPED) {
                return true;
            }
        }
        n->shift *= more;
    }
    n->shift = kept;
    return false;
}

// Near a solution the exact matrix is positive and Newton's method doubles its digits; where
// compression makes it indefinite, the positive form takes over for a while.
static bool find_rest_direction(HedNewton* n, int32_t* exact_after) {
    if (*exact_after > 0) {
        *exact_after -= 1;
    } else if (try_exact(n)) {
        return true;
    } else {
        *exact_after = 1;
    }
    if (!assemble(n, HED_FORM_PLAIN)) {
        return false;
    }
    HedPcgReport solved = find_direction(n, n->linear_tolerance, 0.0);
    return is_solved(&solved) || solved.reason == HED_PCG_STOPPED;
}

// The same iteration with a shift of the matrix in place of inertia (Levenberg 1944), made smaller
// while whole corrections are taken and larger when they have to be cut.
HedNewtonReason hed_newton_rest(HedNewton* n) {
    double before = HUGE_VAL;
    int32_t exact_after = 0;
    double energy = n->evaluate(n->self);
    n->shift = n->first_shift;
    for (int32_t k = 0; k < n->iterations; ++k) {
        if (hed_watch_stops(n->watch)) {
            return HED_NEWTON_STOPPED;
        }
        double left = n->left(n->self);
        if (isnan(left)) {
            return HED_NEWTON_NOT_FINITE;
        }
        bool has_stalled = left > 0.3 * before; // then a correction changes nothing but rounding
        if (left <= 1.0 || (has_stalled && left <= n->noise(n->self))) {
            return HED_NEWTON_CONVERGED;
        }
        before = left;
        if (!find_rest_direction(n, &exact_after)) {
            return HED_NEWTON_NO_DIRECTION;
        }
        if (hed_watch_stops(n->watch)) {
            return HED_NEWTON_STOPPED;
        }
        n->done += 1;
        bool is_short = n->shorten(n->self);
        double share = search(n, &energy);
        if (share == 0.0) {
            return HED_NEWTON_BLOCKED;
        }
        if (n->meet(n->self, share)) {
            energy = n->evaluate(n->self);
        }
        double factor = share < TINY ? 100.0 : share < 1.0 ? 4.0 : is_short ? 1.0 : 0.1;
        n->shift = fmin(n->most_shift, factor * n->shift);
    }
    return HED_NEWTON_MAX_ITERATIONS;
}
