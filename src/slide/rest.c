// SPDX-License-Identifier: MIT
// Sliding yarns at rest: no inertia, no damping, the least energy under what holds and pulls them.
//
// The way there is a row of implicit steps, each from standstill, of a time that is not that of the
// simulation: it grows as long as steps are easy. Inertia and damping fall with it and vanish where
// nothing moves any more. Friction slips on the way as it would if all went slowly. The measure is
// the force that is left on a node, or on the material at it, without either of them: a way that is
// stuck is no rest. A step that is left early is no loss, the next one takes it from there: each
// only has to get well below the forces that the one before has left.
#include "slide/rest.h"

#include <math.h>
#include <string.h>

static const double WEIGHT = 1e-3;    // of a node's weight,
static const double PULL = 1e-2;      // of the mean pull in yarns: what may be left
static const double PART = 0.1;       // of what the piece before left: enough for the next one,
static const double MARGIN = 0.3;     // or of what may be left
static const double SHORTEST = 1e-6;  // of the simulation's step
static const double LIGHTEST = 1e-12; // inertia of a node over the largest stiffness
// Of the spacing: how well the first and the last pieces are solved.
static const double CLOSE[2] = {1e-2, 1e-6};
enum { MOST_PIECES = 400, EASY = 8 };

double hed_slide_unbalanced(HedSlide* slide) {
    int32_t size = slide->node_count * HED_NODE_SIZE;
    hed_slide_find_press(slide);
    memcpy(slide->start, slide->q, sizeof *slide->q * (size_t)size);
    memcpy(slide->guess, slide->q, sizeof *slide->q * (size_t)size);
    hed_slide_evaluate(slide, slide->q, 0.0, false);
    return hed_team_max_abs(slide->team, slide->gradient, size);
}

// N, mean pull or push of pieces of yarn.
static double mean_pull(const HedSlide* slide) {
    const HedBands* bands = &slide->model.bands;
    const int segment = HED_PLACE_OWN | HED_PLACE_SEGMENT;
    double sum = 0.0;
    int64_t count = 0;
    for (int32_t place = 0; place < bands->step_count * HED_BAND; ++place) {
        if ((bands->kind[place] & segment) != segment) {
            continue;
        }
        const double* a = slide->q + (int64_t)HED_NODE_SIZE * bands->node[place];
        const double* b = slide->q + (int64_t)HED_NODE_SIZE * bands->node[place + HED_BAND];
        const HedNetMaterial* m =
            &slide->model.materials[slide->model.yarn_of[bands->visit[place]]];
        double d = b[3 + bands->slot[place + HED_BAND]] - a[3 + bands->slot[place]];
        HedVec3 way = {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
        double strain = hed_norm3(way) / d - 1.0;
        sum += fabs(strain) * (strain > 0.0 ? m->tight : m->slack);
        count += 1;
    }
    return count > 0 ? sum / (double)count : 0.0;
}

static double mean_mass(const HedSlide* slide) {
    double sum = 0.0;
    for (int32_t i = 0; i < slide->node_count; ++i) {
        sum += slide->mass[i].mass;
    }
    return sum / slide->node_count;
}

static double tolerance_of(const HedSlide* slide) {
    double weight = mean_mass(slide) * hed_norm3(slide->settings.gravity);
    return slide->settings.force_tolerance > 0.0 ? slide->settings.force_tolerance
                                                 : fmax(WEIGHT * weight, PULL * mean_pull(slide));
}

// s: with more, inertia would be lost in the rounding of stiffness, and what nothing holds could
// go anywhere. Bodies move with time, which then cannot run ahead.
static double longest_piece(const HedSlide* slide, double h) {
    double stiff = 0.0;
    for (int32_t y = 0; y < slide->model.yarn_count; ++y) {
        stiff = fmax(stiff, slide->model.materials[y].tight / slide->model.spacing);
    }
    double longest = sqrt(mean_mass(slide) / (LIGHTEST * stiff));
    return slide->bodies || longest < h ? h : longest;
}

static void stand_still(HedSlide* slide) {
    size_t bytes = sizeof *slide->v * HED_NODE_SIZE * (size_t)slide->node_count;
    memset(slide->v, 0, bytes);
    memset(slide->trend, 0, bytes);
}

HedReason hed_slide_rest(HedSlide* slide, double time, double h, const HedSlideHold* holds,
                         int32_t hold_count, HedStepReport* report) {
    const double usual = slide->settings.newton_tolerance;
    HedReason reason = HED_REASON_MAX_ITERATIONS;
    double heat = 0.0, piece = h, close = CLOSE[0];
    for (int32_t k = 0; k < MOST_PIECES && piece >= SHORTEST * h; ++k) {
        HedStepReport part = {0};
        stand_still(slide);
        slide->settings.newton_tolerance = close * slide->model.spacing / piece;
        slide->settings.force_enough =
            k > 0 ? fmax(PART * report->residual, MARGIN * tolerance_of(slide)) : 0.0;
        report->piece = piece;
        HedReason done = hed_slide_step(slide, time + h - piece, piece, holds, hold_count, &part);
        report->iterations += part.iterations;
        report->linear_iterations += part.linear_iterations;
        report->contact_count = part.contact_count;
        report->penetration = part.penetration;
        if (slide->failure != HED_OK || done == HED_REASON_STOPPED) {
            reason = done;
            break;
        }
        if (done != HED_REASON_CONVERGED) {
            piece *= 0.25;
            continue;
        }
        heat += slide->heat;
        report->residual = hed_slide_unbalanced(slide);
        if (report->residual <= tolerance_of(slide)) {
            reason = HED_REASON_CONVERGED;
            break;
        }
        if (part.iterations <= EASY) {
            piece = fmin(longest_piece(slide, h), 2.0 * piece);
            close = fmax(CLOSE[1], 0.5 * close);
        }
    }
    slide->settings.newton_tolerance = usual;
    slide->settings.force_enough = 0.0;
    slide->heat = heat;
    stand_still(slide);
    return reason;
}
