// SPDX-License-Identifier: MIT
#include "support/slide_steps.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// The vectors of a solve.
typedef struct Solve {
    HedSlide* slide;
    const TestSlideStep* step;
    HedNewton newton;
} Solve;

static double evaluate(void* self) {
    Solve* s = self;
    double energy = HED_SLIDE_PART.evaluate(s->slide, s->newton.residual);
    HED_SLIDE_PART.hold(s->slide, s->newton.residual);
    return energy;
}

static void begin_line(void* self) {
    HED_SLIDE_PART.begin_line(((Solve*)self)->slide);
}

static bool move(void* self, double share) {
    Solve* s = self;
    return HED_SLIDE_PART.move(s->slide, share, s->newton.direction);
}

static bool assemble(void* self, HedNewtonForm form) {
    Solve* s = self;
    (void)form;
    HED_SLIDE_PART.assemble(s->slide, 0.0, s->newton.is_wary, NULL);
    return HED_SLIDE_PART.precondition_update(s->slide, NULL);
}

static bool relinearise(void* self) {
    (void)self;
    return true;
}

static void multiply(void* self, const double* x, double* y) {
    HED_SLIDE_PART.multiply(((Solve*)self)->slide, x, y);
}

static void precondition(void* self, const double* x, double* y) {
    HED_SLIDE_PART.precondition(((Solve*)self)->slide, x, y);
}

static double change(void* self) {
    const Solve* s = self;
    return hed_team_max_abs(s->newton.team, s->newton.direction, s->newton.size) / s->step->h;
}

static double bound(void* self) {
    const Solve* s = self;
    return HED_SLIDE_PART.bound(s->slide, s->newton.residual);
}

static HedNewtonReason solve(Solve* s, double* room) {
    int32_t size = HED_NODE_SIZE * s->slide->node_count;
    double nonlinear = 0.0;
    s->newton = (HedNewton){
        .self = s,
        .size = size,
        .team = s->slide->team,
        .residual = room,
        .direction = room + size,
        .tangent = room + size,
        .work = room + 2 * (int64_t)size,
        .evaluate = evaluate,
        .has_energy = true,
        .begin_line = begin_line,
        .move = move,
        .assemble = assemble,
        .relinearise = relinearise,
        .matrix = {multiply, s},
        .precondition = {precondition, s},
        .change = change,
        .bound = bound,
        .tolerance = s->step->tolerance > 0.0 ? s->step->tolerance : 1e-4,
        .nonlinear = &nonlinear,
        .linear_tolerance = 1e-6,
        .linear_iterations = 2000,
        .iterations = 60,
    };
    return hed_newton_motion(&s->newton);
}

HedNewtonReason test_slide_step(HedSlide* slide, TestSlideStep* step) {
    size_t nodes = (size_t)slide->node_count;
    uint8_t* hold = calloc(nodes, 1);
    HedVec3* target = calloc(nodes, sizeof *target);
    double* room = malloc(sizeof *room * 6 * HED_NODE_SIZE * nodes);
    for (int32_t k = 0; k < step->hold_count; ++k) {
        int32_t point = slide->order[step->holds[k].node];
        hold[point] = step->holds[k].clamps ? HED_HOLD_CLAMP : HED_HOLD_PLACE;
        target[point] = step->holds[k].target;
    }
    HedPartStep begun = {.size = step->h, .hold = hold, .target = target};
    Solve s = {.slide = slide, .step = step};
    HedNewtonReason reason = HED_NEWTON_BLOCKED;
    if (HED_SLIDE_PART.begin(slide, &begun) == HED_OK && !HED_SLIDE_PART.is_too_fast(slide)) {
        reason = solve(&s, room);
    }
    if (reason == HED_NEWTON_CONVERGED && HED_SLIDE_PART.has_passed(slide)) {
        reason = HED_NEWTON_BLOCKED;
    }
    if (reason == HED_NEWTON_CONVERGED) {
        HED_SLIDE_PART.accept(slide);
    }
    step->iterations = s.newton.done;
    free(hold);
    free(target);
    free(room);
    return reason;
}
