// SPDX-License-Identifier: MIT
#include "support/eol_steps.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// The vectors of a solve.
typedef struct Solve {
    HedEol* eol;
    const TestSlideStep* step;
    HedNewton newton;
} Solve;

static double evaluate(void* self) {
    Solve* s = self;
    double energy = HED_EOL_PART.evaluate(s->eol, s->newton.residual);
    HED_EOL_PART.hold(s->eol, s->newton.residual);
    return energy;
}

static void begin_line(void* self) {
    HED_EOL_PART.begin_line(((Solve*)self)->eol);
}

static bool move(void* self, double share) {
    Solve* s = self;
    return HED_EOL_PART.move(s->eol, share, s->newton.direction);
}

static bool assemble(void* self, HedNewtonForm form) {
    Solve* s = self;
    (void)form;
    HED_EOL_PART.assemble(s->eol, 0.0, s->newton.is_wary, NULL);
    return HED_EOL_PART.precondition_update(s->eol, NULL);
}

static bool relinearise(void* self) {
    (void)self;
    return true;
}

static void multiply(void* self, const double* x, double* y) {
    HED_EOL_PART.multiply(((Solve*)self)->eol, x, y);
}

static void precondition(void* self, const double* x, double* y) {
    HED_EOL_PART.precondition(((Solve*)self)->eol, x, y);
}

static double change(void* self) {
    const Solve* s = self;
    return hed_team_max_abs(s->newton.team, s->newton.direction, s->newton.size) / s->step->h;
}

static double bound(void* self) {
    const Solve* s = self;
    return HED_EOL_PART.bound(s->eol, s->newton.residual);
}

static HedNewtonReason solve(Solve* s, double* room) {
    int32_t size = HED_NODE_SIZE * s->eol->node_count;
    double nonlinear = 0.0;
    s->newton = (HedNewton){
        .self = s,
        .size = size,
        .team = s->eol->team,
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

HedNewtonReason test_slide_step(HedEol* eol, TestSlideStep* step) {
    size_t nodes = (size_t)eol->node_count;
    uint8_t* hold = calloc(nodes, 1);
    HedVec3* target = calloc(nodes, sizeof *target);
    double* room = malloc(sizeof *room * 6 * HED_NODE_SIZE * nodes);
    for (int32_t k = 0; k < step->hold_count; ++k) {
        int32_t point = eol->order[step->holds[k].node];
        hold[point] = step->holds[k].clamps ? HED_HOLD_CLAMP : HED_HOLD_PLACE;
        target[point] = step->holds[k].target;
    }
    HedPartStep begun = {.size = step->h, .hold = hold, .target = target};
    Solve s = {.eol = eol, .step = step};
    HedNewtonReason reason = HED_NEWTON_BLOCKED;
    if (HED_EOL_PART.begin(eol, &begun) == HED_OK && !HED_EOL_PART.is_too_fast(eol)) {
        reason = solve(&s, room);
    }
    if (reason == HED_NEWTON_CONVERGED && HED_EOL_PART.has_passed(eol)) {
        reason = HED_NEWTON_BLOCKED;
    }
    if (reason == HED_NEWTON_CONVERGED) {
        HED_EOL_PART.accept(eol);
    }
    step->iterations = s.newton.done;
    free(hold);
    free(target);
    free(room);
    return reason;
}
