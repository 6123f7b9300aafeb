// SPDX-License-Identifier: MIT
// The register of rod kernels.
#include "model/rod/kernels.h"
#include "model/rod/kernel_rod.h"

// An element with the frames it carries along.
typedef struct RodRest {
    HedRodRest rest;
    double theta[2];
    double twist;       // of the reference frame, as of the anchor
    HedVec3 t[2], u[2]; // reference frames at the anchor
} RodRest;

static HedVec3 direction(HedVec3 from, HedVec3 to, HedVec3 fallback) {
    return hed_unit3(hed_sub3(to, from), fallback);
}

static HedRodFrame frame_at(const HedVec3* x, const RodRest* rod, int j, HedVec3* u) {
    HedRodFrame frame;
    double length = hed_distance3(x[j], x[j + 1]);
    frame.t = direction(x[j], x[j + 1], rod->t[j]);
    *u = hed_across3(hed_transport3(rod->u[j], rod->t[j], frame.t), frame.t);
    frame.m1 = hed_director3(*u, frame.t, rod->theta[j]);
    frame.inverse = length > 0.0 ? 1.0 / length : 0.0;
    return frame;
}

static void rod_anchor(const HedVec3* x, void* data) {
    RodRest* rod = data;
    HedVec3 u[2];
    HedRodFrame frame[2] = {frame_at(x, rod, 0, &u[0]), frame_at(x, rod, 1, &u[1])};
    for (int j = 0; j < 2; ++j) {
        rod->t[j] = frame[j].t;
        rod->u[j] = u[j];
    }
    rod->twist = hed_angle_near(hed_frame_twist(rod->t[0], u[0], rod->t[1], u[1]), rod->twist);
}

static double* rod_angles(void* data) {
    return ((RodRest*)data)->theta;
}

// Rests at x with a random natural twist and three and a half turns of the reference frame.
static void rod_rest(const HedVec3* x, const double* draw, void* data) {
    RodRest* rod = data;
    *rod = (RodRest){.theta = {6.0 * draw[0] - 3.0, 6.0 * draw[1] - 3.0}, .twist = 22.0};
    for (int j = 0; j < 2; ++j) {
        rod->t[j] = direction(x[j], x[j + 1], (HedVec3){1.0, 0.0, 0.0});
        rod->u[j] = hed_perpendicular3(rod->t[j]);
    }
    rod_anchor(x, rod);
    double length = 0.5 * (hed_distance3(x[0], x[1]) + hed_distance3(x[1], x[2]));
    rod->rest.bend[0] = 1e-9 * (1.0 + draw[2]) / (2.0 * length);
    rod->rest.bend[1] = 1e-9 * (1.0 + draw[3]) / (2.0 * length);
    rod->rest.twist = 1e-9 * (0.5 + draw[4]) / length;
    HedVec3 u;
    HedRodParts p = hed_rod_parts(frame_at(x, rod, 0, &u), frame_at(x, rod, 1, &u), rod->rest);
    for (int j = 0; j < 2; ++j) {
        for (int c = 0; c < 2; ++c) {
            rod->rest.curve[j][c] = p.w[j][c];
        }
    }
    rod->rest.turn = rod->theta[1] - rod->theta[0] + rod->twist;
}

// Away from folds (1 + t0.t1 falls with the square of the distance), from segments without length,
// and from states that turned by more than a right angle since the frames were moved.
static bool rod_smooth(const HedVec3* x, const HedVec3* v, const void* data, double margin) {
    (void)v;
    (void)data;
    double e = hed_distance3(x[0], x[1]);
    double f = hed_distance3(x[1], x[2]);
    HedVec3 t0 = direction(x[0], x[1], (HedVec3){0});
    HedVec3 t1 = direction(x[1], x[2], (HedVec3){0});
    double near = 4.0 * margin / fmin(e, f);
    return e > margin && f > margin && near < 1.0 && hed_norm3(hed_add3(t0, t1)) > near;
}

static void spread(const HedRodHessian* h, HedMat3 blocks[HED_KERNEL_POINTS][HED_KERNEL_POINTS]) {
    for (int m = 0; m < 3; ++m) {
        for (int n = 0; n < 3; ++n) {
            blocks[m][n] = hed_rod_block(h, m, n);
        }
    }
}

static void spread_gradient(HedRodGradient g, HedVec3 points[3]) {
    points[0] = hed_mul3(-1.0, g.e);
    points[1] = hed_sub3(g.e, g.f);
    points[2] = g.f;
}

static void rod_evaluate(const HedVec3* x, const HedVec3* v, const void* data, HedKernelOut* out) {
    (void)v;
    const RodRest* rod = data;
    HedVec3 u[2];
    HedRodFrame a = frame_at(x, rod, 0, &u[0]);
    HedRodFrame b = frame_at(x, rod, 1, &u[1]);
    double twist = hed_angle_near(hed_frame_twist(a.t, u[0], b.t, u[1]), rod->twist);
    double tau = rod->theta[1] - rod->theta[0] + twist;
    HedRodOut exact = hed_rod_eval(a, b, rod->rest, tau, true);
    HedRodOut positive = hed_rod_eval(a, b, rod->rest, tau, false);
    HedRodAngles angles =
        hed_rod_angles(a, b, rod->rest, rod->rest.twist * (tau - rod->rest.turn), true);
    // Away from the anchor, transport in one go differs from transport along the way by a turn.
    HedVec3 hold[2];
    const HedRodFrame* frame[2] = {&a, &b};
    for (int j = 0; j < 2; ++j) {
        HedVec3 t = frame[j]->t;
        double beside = 1.0 + hed_dot3(rod->t[j], t);
        double scale = beside > HED_FRAME_OPPOSITE ? -frame[j]->inverse / beside : 0.0;
        hold[j] = hed_mul3(scale * angles.turns.slope[j], hed_cross3(rod->t[j], t));
        out->angle_gradient[j] = angles.turns.slope[j];
        out->angle_hessian[j][j] = angles.turns.own[j];
        out->angle_hessian[j][1 - j] = -rod->rest.twist;
        spread_gradient(angles.cross[j], out->angle_cross[j]);
    }
    out->energy = exact.energy;
    spread_gradient(
        (HedRodGradient){hed_add3(exact.gradient.e, hold[0]), hed_add3(exact.gradient.f, hold[1])},
        out->gradient);
    spread(&exact.hessian, out->hessian);
    spread(&positive.hessian, out->positive);
}

static const HedAngleKernel KERNELS[] = {
    {{"rod", 3, HED_KERNEL_TRANSLATES | HED_KERNEL_RESTS, 0.01, rod_rest, rod_smooth, rod_evaluate},
     2,
     rod_angles,
     rod_anchor},
};

const HedAngleKernel* hed_rod_kernels(int32_t* count) {
    *count = sizeof KERNELS / sizeof KERNELS[0];
    return KERNELS;
}
