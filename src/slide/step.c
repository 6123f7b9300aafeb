// SPDX-License-Identifier: MIT
// START READING HERE: one step of sliding yarns, a stage at a time.
#include "slide/press.h"
#include "slide/slide.h"

#include <math.h>
#include <string.h>

static const double FASTEST = 16.0; // radii of spheres that nodes go in a step against the fabric

// Where the search for the end of a step begins, if that is possible: forces go on as they were.
static bool follow_trend(HedSlide* slide, double h) {
    int32_t size = slide->node_count * HED_NODE_SIZE;
    for (int32_t k = 0; k < size; ++k) {
        slide->q[k] = slide->guess[k] + (slide->is_held[k] ? 0.0 : h * h * slide->trend[k]);
    }
    return hed_slide_is_feasible(slide, slide->q);
}

// Held positions go to their targets; the guess of the others is where they would go without
// forces.
static void guess(HedSlide* slide, double h, const HedSlideHold* holds, int32_t hold_count) {
    int32_t size = slide->node_count * HED_NODE_SIZE;
    double slow = 1.0 / (1.0 + slide->settings.drag * h);
    memcpy(slide->start, slide->q, sizeof *slide->q * (size_t)size);
    memcpy(slide->is_held, slide->is_fixed, (size_t)size);
    for (int32_t k = 0; k < size; ++k) {
        slide->guess[k] = slide->q[k] + (slide->is_fixed[k] ? 0.0 : slow * h * slide->v[k]);
    }
    for (int32_t k = 0; k < hold_count; ++k) {
        int64_t at = (int64_t)HED_NODE_SIZE * holds[k].node;
        memcpy(slide->guess + at, &holds[k].target, sizeof holds[k].target);
        memset(slide->is_held + at, 1, holds[k].clamps ? HED_NODE_SIZE : 3);
        for (int s = 3; holds[k].clamps && s < HED_NODE_SIZE; ++s) {
            slide->guess[at + s] = slide->start[at + s];
        }
    }
    hed_slide_leave_hold(slide, slide->is_held);
    if (!follow_trend(slide, h)) {
        for (int32_t k = 0; k < size; ++k) {
            slide->q[k] = slide->is_held[k] ? slide->guess[k] : slide->start[k];
        }
    }
}

void hed_slide_find_press(HedSlide* slide) {
    if (slide->friction <= 0.0) {
        return;
    }
    HedPress press = {&slide->model, slide->q, slide->sign, slide->elastic, slide->normal};
    hed_press_find(&press, slide->press);
    for (int32_t i = 0; i < slide->node_count; ++i) {
        // Where yarns pull away from each other by more than that they touch no longer.
        slide->press[i] = fmax(0.0, slide->press[i] + slide->rest_press[i]);
    }
}

// Parts of a fabric that move against each other so fast that one step could take them through many
// layers, and that search would be long.
static bool is_too_fast(const HedSlide* slide) {
    HedSphereMove move = {slide->start, slide->guess};
    return slide->spheres &&
           hed_spheres_reach(slide->spheres, move) > FASTEST * slide->spheres->radius;
}

// What may be met: how far any node moves is not known yet; it is taken from the guess.
static HedStatus find_contacts(HedSlide* slide, double time, double h) {
    HedStatus status = HED_OK;
    int32_t nodes = slide->node_count;
    for (int32_t i = 0; slide->bodies && i < nodes; ++i) {
        const double* from = slide->start + (int64_t)HED_NODE_SIZE * i;
        const double* to = slide->guess + (int64_t)HED_NODE_SIZE * i;
        HedVec3 way = {to[0] - from[0], to[1] - from[1], to[2] - from[2]};
        slide->bodies->x[i] = (HedVec3){from[0], from[1], from[2]};
        slide->bodies->v[i] = hed_mul3(1.0 / h, way);
    }
    if (slide->bodies) {
        status = hed_contacts_find(&slide->bodies->contacts, slide->bodies->x, slide->bodies->v,
                                   time, h, NULL);
    }
    if (status == HED_OK && slide->spheres && !is_too_fast(slide)) {
        HedSphereMove move = {slide->start, slide->guess};
        status = hed_spheres_find(slide->spheres, move, NULL);
    }
    return status;
}

static HedReason solve(HedSlide* slide, double h, HedStepReport* report) {
    if (is_too_fast(slide)) {
        return HED_REASON_PASSED;
    }
    HedReason reason = hed_slide_descend(slide, h, slide->q, report);
    if (reason == HED_REASON_CONVERGED && slide->spheres &&
        hed_spheres_passed(slide->spheres, slide->start, slide->q)) {
        reason = HED_REASON_PASSED;
    }
    return reason;
}

static void begin_rayleigh(HedSlide* slide) {
    double sums[HED_NET_SUMS];
    HedNetEval at = {slide->start, NULL, 0.0, slide->gradient, &slide->stiffness};
    hed_net_evaluate(&slide->model, at, sums);
    hed_net_matrix_settle(&slide->stiffness);
}

// Velocities, and the anchors of friction where it slipped.
static void finish(HedSlide* slide, double h) {
    int32_t size = slide->node_count * HED_NODE_SIZE;
    hed_slide_leave_carry(slide);
    for (int32_t k = 0; k < size; ++k) {
        double v = (slide->q[k] - slide->start[k]) / h;
        slide->trend[k] = (v - slide->v[k]) / h;
        slide->v[k] = v;
    }
    slide->heat = 0.0;
    for (int32_t i = 0; i < slide->node_count; ++i) {
        HedSlideFriction friction = hed_slide_friction_at(slide, i);
        for (int s = 0; s < 2; ++s) {
            if (friction.limit == 0.0) {
                slide->anchor[2 * i + s] = slide->q[(int64_t)HED_NODE_SIZE * i + 3 + s];
                continue;
            }
            double u = slide->q[(int64_t)HED_NODE_SIZE * i + 3 + s];
            HedSlideAnchor anchor = hed_slide_anchor(u, slide->anchor[2 * i + s], friction);
            slide->anchor[2 * i + s] = anchor.at;
            slide->heat += anchor.heat;
        }
    }
    slide->heat += hed_slide_leave(slide);
}

// The state as it was.
static HedReason give_back(HedSlide* slide, HedReason reason) {
    memcpy(slide->q, slide->start, sizeof *slide->q * HED_NODE_SIZE * (size_t)slide->node_count);
    return reason;
}

HedStatus hed_slide_begin(HedSlide* slide, HedSlideStep step) {
    slide->time = step.time + step.size;
    hed_net_find_mass(&slide->model, slide->q, slide->mass);
    hed_slide_find_press(slide);
    guess(slide, step.size, step.holds, step.hold_count);
    slide->failure = hed_slide_leave_settle(slide);
    slide->failure = slide->failure ? slide->failure : find_contacts(slide, step.time, step.size);
    if (slide->flow) {
        hed_net_find_flow(&slide->model, (HedNetFlow){slide->start, slide->v}, slide->flow);
    }
    if (slide->rayleigh > 0.0) {
        begin_rayleigh(slide);
    }
    return slide->failure;
}

HedReason hed_slide_step(HedSlide* slide, double time, double h, const HedSlideHold* holds,
                         int32_t hold_count, HedStepReport* report) {
    HedStatus begun = hed_slide_begin(slide, (HedSlideStep){time, h, holds, hold_count});
    HedReason reason = begun == HED_OK ? solve(slide, h, report) : HED_REASON_NOT_FINITE;
    if (reason != HED_REASON_CONVERGED) {
        return give_back(slide, reason);
    }
    finish(slide, h);
    if (slide->bodies) {
        report->contact_count = slide->bodies->contacts.list.count;
        report->penetration = hed_contacts_depth(&slide->bodies->contacts);
    }
    return reason;
}

void hed_slide_energies(HedSlide* slide, double sums[HED_NET_SUMS], double* kinetic) {
    HedNetEval at = {slide->q, NULL, 0.0, slide->gradient, NULL};
    hed_net_evaluate(&slide->model, at, sums);
    hed_net_find_mass(&slide->model, slide->q, slide->mass);
    *kinetic = 0.0;
    for (int32_t i = 0; i < slide->node_count; ++i) {
        const HedNetMass* m = &slide->mass[i];
        const double* v = slide->v + (int64_t)HED_NODE_SIZE * i;
        for (int c = 0; c < 3; ++c) {
            *kinetic += 0.5 * m->mass * v[c] * v[c];
            *kinetic += v[c] * (m->coupling[0][c] * v[3] + m->coupling[1][c] * v[4]);
        }
        *kinetic += 0.5 * (m->along[0] * v[3] * v[3] + m->along[1] * v[4] * v[4]);
    }
}
