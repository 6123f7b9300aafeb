// SPDX-License-Identifier: MIT
// The register of element kernels. A kernel_*.h that is not included and listed here fails the
// lint.
#include "model/kernels.h"
#include "model/load/kernel_point.h"
#include "model/load/kernel_wind.h"
#include "model/sheet/kernel_curve.h"
#include "model/sheet/kernel_spring.h"

// Spreads a radial element over its points by their weights.
static void spread_radial(HedRadial r, const double* weight, int32_t count, double damping,
                          HedKernelOut* out) {
    HedMat3 exact = hed_radial_block(r.t, r.along, r.across);
    HedMat3 positive = hed_radial_block(r.t, r.along, fmax(r.across, 0.0));
    HedMat3 rate = hed_mat3_outer_diag(damping, r.t, 0.0);
    out->energy = r.energy;
    out->dissipation = r.dissipation;
    for (int32_t i = 0; i < count; ++i) {
        out->gradient[i] = hed_mul3(weight[i], r.gradient);
        out->rate_gradient[i] = hed_mul3(weight[i], r.rate_gradient);
        for (int32_t j = 0; j < count; ++j) {
            double w = weight[i] * weight[j];
            out->hessian[i][j] = hed_mat3_scale(w, exact);
            out->positive[i][j] = hed_mat3_scale(w, positive);
            out->rate_hessian[i][j] = hed_mat3_scale(w, rate);
        }
    }
}

static void spring_rest(const HedVec3* x, const double* draw, void* rest) {
    double length = hed_distance3(x[0], x[1]);
    *(HedSpringRest*)rest = (HedSpringRest){length, 10.0 + 1000.0 * draw[0], draw[1]};
}

static bool spring_smooth(const HedVec3* x, const HedVec3* v, const void* rest, double margin) {
    (void)v;
    (void)rest;
    return hed_distance3(x[0], x[1]) > margin;
}

static void spring_evaluate(const HedVec3* x, const HedVec3* v, const void* rest,
                            HedKernelOut* out) {
    HedSpringRest spring = *(const HedSpringRest*)rest;
    HedRadial r = hed_spring_eval(x[0], x[1], v[0], v[1], spring);
    spread_radial(r, (double[]){-1.0, 1.0}, 2, spring.damping, out);
}

static void curve_rest(const HedVec3* x, const double* draw, void* rest) {
    double l1 = hed_distance3(x[0], x[1]);
    double l2 = hed_distance3(x[1], x[2]);
    HedCurveRest curve = {l1 > 0.0 ? 1.0 / l1 : 1.0, l2 > 0.0 ? 1.0 / l2 : 1.0, 0.0,
                          1e-3 * (1.0 + draw[0]), 1e-5 * draw[1]};
    curve.turn = hed_norm3(hed_curve_turn(x[0], x[1], x[2], curve));
    *(HedCurveRest*)rest = curve;
}

static bool curve_smooth(const HedVec3* x, const HedVec3* v, const void* rest, double margin) {
    (void)v;
    HedCurveRest curve = *(const HedCurveRest*)rest;
    double reach = fmax(curve.inverse0, curve.inverse1) * margin;
    return hed_norm3(hed_curve_turn(x[0], x[1], x[2], curve)) > reach;
}

static void curve_evaluate(const HedVec3* x, const HedVec3* v, const void* rest,
                           HedKernelOut* out) {
    HedCurveRest curve = *(const HedCurveRest*)rest;
    HedVec3 w = hed_curve_weights(curve);
    spread_radial(
        hed_curve_eval((HedCurveLine){x[0], x[1], x[2]}, (HedCurveLine){v[0], v[1], v[2]}, curve),
        (double[]){w.x, w.y, w.z}, 3, curve.damping, out);
}

// Over a step, an element's energy and the potential of its damping are one potential of the end
// position.
enum { STEP_OVER = 300 }; // 1/s

typedef struct SpringStepRest {
    HedSpringRest spring;
    HedVec3 start[2];
} SpringStepRest;

typedef struct CurveStepRest {
    HedCurveRest curve;
    HedCurveLine start;
} CurveStepRest;

static void spread_step(HedRadial r, const double* weight, int32_t count, double damping,
                        HedKernelOut* out) {
    r.energy += r.dissipation / STEP_OVER;
    r.gradient = hed_add3(r.gradient, r.rate_gradient);
    r.along += STEP_OVER * damping;
    r.across += r.rate_across;
    spread_radial(r, weight, count, 0.0, out);
    out->dissipation = 0.0;
    for (int32_t i = 0; i < count; ++i) {
        out->rate_gradient[i] = (HedVec3){0};
    }
}

static void spring_step_rest(const HedVec3* x, const double* draw, void* rest) {
    SpringStepRest* step = rest;
    spring_rest(x, draw, &step->spring);
    step->start[0] = x[0];
    step->start[1] = x[1];
}

static void spring_step_evaluate(const HedVec3* x, const HedVec3* v, const void* rest,
                                 HedKernelOut* out) {
    (void)v;
    const SpringStepRest* step = rest;
    HedRadial r =
        hed_spring_step_eval(x[0], x[1], step->start[0], step->start[1], step->spring, STEP_OVER);
    spread_step(r, (double[]){-1.0, 1.0}, 2, step->spring.damping, out);
}

static void curve_step_rest(const HedVec3* x, const double* draw, void* rest) {
    CurveStepRest* step = rest;
    curve_rest(x, draw, &step->curve);
    step->start = (HedCurveLine){x[0], x[1], x[2]};
}

static void curve_step_evaluate(const HedVec3* x, const HedVec3* v, const void* rest,
                                HedKernelOut* out) {
    (void)v;
    const CurveStepRest* step = rest;
    HedVec3 w = hed_curve_weights(step->curve);
    HedRadial r =
        hed_curve_step_eval((HedCurveLine){x[0], x[1], x[2]}, step->start, step->curve, STEP_OVER);
    spread_step(r, (double[]){w.x, w.y, w.z}, 3, step->curve.damping, out);
}

typedef struct PointRest {
    double mass;
    HedPointLoad load;
} PointRest;

static void point_rest(const HedVec3* x, const double* draw, void* rest) {
    (void)x;
    *(PointRest*)rest =
        (PointRest){0.01 + draw[0], {{draw[1], -9.81 * draw[2], draw[3]}, 0.5 + draw[4]}};
}

static bool always_smooth(const HedVec3* x, const HedVec3* v, const void* rest, double margin) {
    (void)x;
    (void)v;
    (void)rest;
    (void)margin;
    return true;
}

static void point_evaluate(const HedVec3* x, const HedVec3* v, const void* rest,
                           HedKernelOut* out) {
    const PointRest* point = rest;
    HedPointOut p = hed_point_eval(x[0], v[0], point->mass, point->load);
    out->energy = p.energy;
    out->gradient[0] = p.gradient;
    out->dissipation = p.dissipation;
    out->rate_gradient[0] = p.rate_gradient;
    out->rate_hessian[0][0] = hed_mat3_diagonal(p.rate, p.rate, p.rate);
}

static void wind_rest(const HedVec3* x, const double* draw, void* rest) {
    (void)x;
    *(HedAir*)rest = (HedAir){{10.0 * draw[0] - 5.0, 10.0 * draw[1] - 5.0, 10.0 * draw[2] - 5.0},
                              0.5 + draw[3],
                              0.1 + draw[4]};
}

// The third derivative jumps where the normal or the tangential wind vanishes; the second does not.
static void wind_evaluate(const HedVec3* x, const HedVec3* v, const void* rest, HedKernelOut* out) {
    HedWindOut w = hed_wind_eval(x, v, *(const HedAir*)rest);
    out->dissipation = w.dissipation;
    for (int32_t i = 0; i < 3; ++i) {
        out->rate_gradient[i] = hed_mul3(1.0 / 3.0, w.gradient);
        for (int32_t j = 0; j < 3; ++j) {
            out->rate_hessian[i][j] = hed_mat3_scale(1.0 / 9.0, w.hessian);
        }
    }
}

static const HedKernel KERNELS[] = {
    {"spring", 2, HED_KERNEL_TRANSLATES | HED_KERNEL_ROTATES | HED_KERNEL_RESTS | HED_KERNEL_SPINS,
     0.01, spring_rest, spring_smooth, spring_evaluate},
    {"curve", 3, HED_KERNEL_TRANSLATES | HED_KERNEL_ROTATES | HED_KERNEL_RESTS | HED_KERNEL_SPINS,
     0.01, curve_rest, curve_smooth, curve_evaluate},
    {"spring-step", 2, HED_KERNEL_TRANSLATES | HED_KERNEL_ROTATES | HED_KERNEL_RESTS, 0.01,
     spring_step_rest, spring_smooth, spring_step_evaluate},
    {"curve-step", 3, HED_KERNEL_TRANSLATES | HED_KERNEL_ROTATES | HED_KERNEL_RESTS, 0.01,
     curve_step_rest, curve_smooth, curve_step_evaluate},
    {"point", 1, 0, 1.0, point_rest, always_smooth, point_evaluate},
    {"wind", 3, 0, 0.01, wind_rest, always_smooth, wind_evaluate},
};

HedKernelTable hed_model_kernels(void) {
    return (HedKernelTable){KERNELS, sizeof KERNELS / sizeof KERNELS[0]};
}
