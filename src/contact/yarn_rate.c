// SPDX-License-Identifier: MIT
// Bounds for explicit steps.
#include "contact/yarn_ask.h"

#include <string.h>

static bool rubs(const HedYarnContact* y) {
    return y->def.friction_law != HED_YARN_NO_FRICTION && y->def.friction > 0.0;
}

void hed_yarn_add_grip(const HedYarnContact* y, const HedYarnAsk* ask, const HedYarnGrip* grip,
                       double* const out[2]) {
    double limit = y->def.friction * grip->push;
    bool sticks = y->def.friction_law == HED_YARN_STICTION;
    double lever[8] = {0.0}, all = 0.0;
    for (int n = 0; n < 8; ++n) {
        lever[n] = hed_yarn_lever(y, grip, ask->at.x, n);
        all += lever[n];
    }
    for (int n = 0; n < 8; ++n) {
        double* to = out[n / 4] + n % 4;
        // hed_yarn_rate multiplies by 2 reach_most; here the row's sum is known.
        double hard = 0.5 * lever[n] * all * limit / y->reach_most;
        to[0] += sticks ? hard / grip->give : 0.0;
        to[4] += sticks ? hard * ask->at.ahead / grip->give : hard / y->def.slip_speed;
    }
}

// Radii larger by a part, with the same contact-free lengths.
static void grow_radii(HedYarnContact* y, double factor) {
    for (int32_t c = 0; c < y->def.curve_count; ++c) {
        y->curves[c].radius *= factor;
    }
    y->def.contact_free /= factor;
}

HedYarnRate hed_yarn_rate(HedYarnContact* contact, HedYarnState at, HedYarnBound bound,
                          HedVec3* scratch) {
    HedYarnContact* y = contact;
    HedYarnAsk ask = {{HED_YARN_BOUND, false, rubs(y)}, at};
    HedYarnRate rate = {0.0, 0.0};
    for (int32_t i = 0; i < y->def.point_count; ++i) {
        scratch[i] = hed_vec3(0.0, 0.0, 0.0);
    }
    double contact_free = y->def.contact_free;
    memcpy(y->true_curves, y->curves, (size_t)y->def.curve_count * sizeof(HedYarnCurve));
    grow_radii(y, 1.0 + bound.part);
    hed_yarn_ask(y, &ask);
    memcpy(y->curves, y->true_curves, (size_t)y->def.curve_count * sizeof(HedYarnCurve));
    y->def.contact_free = contact_free;
    // Gershgorin: each row adds up to at most reach_most times what it has on either side.
    hed_yarn_gather(y, (HedYarnTarget){&scratch->x, 3, {0, 1, 2}, 2.0 * y->reach_most});
    for (int32_t i = 0; i < y->def.point_count && bound.mass; ++i) {
        if (bound.mass[i] > 0.0) {
            rate.stiffness = fmax(rate.stiffness, scratch[i].x / bound.mass[i]);
            rate.damping = fmax(rate.damping, scratch[i].y / bound.mass[i]);
        }
    }
    return rate;
}
