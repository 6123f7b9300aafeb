// SPDX-License-Identifier: MIT
// The register of element kernels. A kernel_*.h that is not included and listed here fails the
// lint.
#include "model/kernels.h"
#include "model/load/kernel_point.h"
#include "model/load/kernel_wind.h"
#include "model/sheet/kernel_curve.h"
#include "model/sheet/kernel_flat.h"
#include "model/sheet/kernel_hinge.h"
#include "model/sheet/kernel_membrane.h"
#include "model/sheet/kernel_shell.h"
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

// A triangle laid flat: corner 0 at the origin, corner 1 on the u axis.
static void membrane_rest(const HedVec3* x, const double* draw, void* rest) {
    HedVec3 a = hed_sub3(x[1], x[0]);
    HedVec3 b = hed_sub3(x[2], x[0]);
    double length = hed_norm3(a);
    double along = hed_dot3(a, b) / length;
    double height = hed_norm3(hed_cross3(a, b)) / length;
    HedModulus c = {100.0 + 1000.0 * draw[0], 100.0 + 1000.0 * draw[1], 0.0, 500.0 * draw[2]};
    c.uv = (2.0 * draw[3] - 1.0) * 0.9 * sqrt(c.uu * c.vv);
    HedModulus d = {draw[4], draw[5], 0.5 * sqrt(draw[4] * draw[5]), draw[6]};
    *(HedMembraneRest*)rest = (HedMembraneRest){
        .area = 0.5 * length * height,
        .b = {{-1.0 / length, (along / length - 1.0) / height},
              {1.0 / length, -along / (length * height)},
              {0.0, 1.0 / height}},
        .elastic = c,
        .damping = d,
    };
}

// Gradients and blocks of a membrane under the stress s, with the moduli c.
static void spread_membrane(HedFrame2 f, HedPlane s, HedModulus c, const HedMembraneRest* rest,
                            HedKernelOut* out) {
    HedPlane positive = hed_plane_positive(s);
    for (int i = 0; i < 3; ++i) {
        out->gradient[i] = hed_membrane_gradient(f, s, rest, i);
        for (int j = 0; j < 3; ++j) {
            HedSlope bi = {rest->area * rest->b[i][0], rest->area * rest->b[i][1]};
            HedSlope bj = {rest->b[j][0], rest->b[j][1]};
            out->hessian[i][j] = hed_membrane_block(f, s, c, bi, bj);
            out->positive[i][j] = hed_membrane_block(f, positive, c, bi, bj);
        }
    }
}

static void membrane_evaluate(const HedVec3* x, const HedVec3* v, const void* data,
                              HedKernelOut* out) {
    const HedMembraneRest* rest = data;
    HedFrame2 f = hed_membrane_frame(x[0], x[1], x[2], rest);
    HedPlane e = hed_membrane_strain(f);
    HedPlane s = hed_modulus_apply(rest->elastic, e);
    out->energy = rest->area * hed_plane_half_product(e, s);
    spread_membrane(f, s, rest->elastic, rest, out);
    HedPlane rate = hed_membrane_rate(f, hed_membrane_frame(v[0], v[1], v[2], rest));
    HedPlane drag = hed_modulus_apply(rest->damping, rate);
    out->dissipation = rest->area * hed_plane_half_product(rate, drag);
    for (int i = 0; i < 3; ++i) {
        out->rate_gradient[i] = hed_membrane_gradient(f, drag, rest, i);
        for (int j = 0; j < 3; ++j) {
            HedSlope bi = {rest->area * rest->b[i][0], rest->area * rest->b[i][1]};
            HedSlope bj = {rest->b[j][0], rest->b[j][1]};
            out->rate_hessian[i][j] = hed_membrane_block(f, (HedPlane){0}, rest->damping, bi, bj);
        }
    }
}

typedef struct MembraneStepRest {
    HedMembraneRest membrane;
    HedPlane start; // strain at the start of the step
} MembraneStepRest;

static void membrane_step_rest(const HedVec3* x, const double* draw, void* rest) {
    MembraneStepRest* step = rest;
    membrane_rest(x, draw, &step->membrane);
    step->start = hed_membrane_strain(hed_membrane_frame(x[0], x[1], x[2], &step->membrane));
}

static void membrane_step_evaluate(const HedVec3* x, const HedVec3* v, const void* data,
                                   HedKernelOut* out) {
    (void)v;
    const MembraneStepRest* step = data;
    const HedMembraneRest* rest = &step->membrane;
    HedFrame2 f = hed_membrane_frame(x[0], x[1], x[2], rest);
    HedPlane e = hed_membrane_strain(f);
    HedPlane change = {e.uu - step->start.uu, e.vv - step->start.vv, e.shear - step->start.shear};
    HedPlane s = hed_modulus_apply(rest->elastic, e);
    HedPlane drag =
        hed_modulus_apply(hed_modulus_madd((HedModulus){0}, STEP_OVER, rest->damping), change);
    out->energy =
        rest->area * (hed_plane_half_product(e, s) + hed_plane_half_product(change, drag));
    HedPlane both = {s.uu + drag.uu, s.vv + drag.vv, s.shear + drag.shear};
    spread_membrane(f, both, hed_modulus_madd(rest->elastic, STEP_OVER, rest->damping), rest, out);
}

static void hinge_rest(const HedVec3* x, const double* draw, void* rest) {
    double angle = hed_hinge_eval((HedHingePoints){{x[0], x[1], x[2], x[3]}}).angle;
    *(HedHingeRest*)rest = (HedHingeRest){angle, 1e-3 * (1.0 + draw[0]), 1e-5 * draw[1]};
}

// Differences need triangles with some height (their error falls with its fourth power), and an
// angle away from the jump at pi.
static bool hinge_smooth(const HedVec3* x, const HedVec3* v, const void* rest, double margin) {
    (void)v;
    const HedHingeRest* hinge = rest;
    HedHingeParts h = hed_hinge_parts((HedHingePoints){{x[0], x[1], x[2], x[3]}});
    double least = margin * h.length;
    double off = hed_hinge_turn(hed_hinge_angle(&h), hinge->angle);
    double turn = margin / fmin(hed_norm3(h.m), hed_norm3(h.n)) * h.length;
    return hed_norm3(h.m) > 9.0 * least && hed_norm3(h.n) > 9.0 * least &&
           h.length > 9.0 * margin && fabs(off) < 3.1 - turn;
}

static void spread_hinge(const HedHingeParts* h, double force, double stiffness,
                         HedKernelOut* out) {
    HedHingeAngle hinge = hed_hinge_from(h);
    HedMat3 second[4][4];
    hed_hinge_hessian(h, second);
    for (int i = 0; i < 4; ++i) {
        out->gradient[i] = hed_mul3(force, hinge.gradient[i]);
        for (int j = 0; j < 4; ++j) {
            out->positive[i][j] =
                hed_mat3_scale(stiffness, hed_mat3_outer(hinge.gradient[i], hinge.gradient[j]));
            out->hessian[i][j] =
                hed_mat3_add(out->positive[i][j], hed_mat3_scale(force, second[i][j]));
        }
    }
}

static void hinge_evaluate(const HedVec3* x, const HedVec3* v, const void* data,
                           HedKernelOut* out) {
    const HedHingeRest* rest = data;
    HedHingeParts h = hed_hinge_parts((HedHingePoints){{x[0], x[1], x[2], x[3]}});
    HedHingeAngle hinge = hed_hinge_from(&h);
    double off = hed_hinge_turn(hinge.angle, rest->angle);
    out->energy = 0.5 * rest->stiffness * off * off;
    spread_hinge(&h, rest->stiffness * off, rest->stiffness, out);
    double rate = 0.0;
    for (int i = 0; i < 4; ++i) {
        rate += hed_dot3(hinge.gradient[i], v[i]);
    }
    out->dissipation = 0.5 * rest->damping * rate * rate;
    for (int i = 0; i < 4; ++i) {
        out->rate_gradient[i] = hed_mul3(rest->damping * rate, hinge.gradient[i]);
        for (int j = 0; j < 4; ++j) {
            out->rate_hessian[i][j] =
                hed_mat3_scale(rest->damping, hed_mat3_outer(hinge.gradient[i], hinge.gradient[j]));
        }
    }
}

static void flat_rest(const HedVec3* x, const double* draw, void* rest) {
    // The rest shape is flat: the far points are turned into one plane with the edge.
    HedFlatRest* flat = rest;
    HedVec3 e = hed_sub3(x[1], x[0]);
    HedVec3 plane[4] = {{0.0, 0.0, 0.0}, {hed_norm3(e), 0.0, 0.0}};
    for (int k = 2; k < 4; ++k) {
        HedVec3 d = hed_sub3(x[k], x[0]);
        plane[k].x = hed_dot3(d, e) / hed_norm3(e);
        plane[k].y = (k == 2 ? 1.0 : -1.0) * hed_norm3(hed_cross3(d, e)) / hed_norm3(e);
    }
    hed_flat_weights(plane, flat->weight);
    flat->stiffness = 0.1 + draw[0];
    flat->damping = 1e-2 * draw[1];
}

static void flat_evaluate(const HedVec3* x, const HedVec3* v, const void* data, HedKernelOut* out) {
    const HedFlatRest* rest = data;
    HedVec3 c = hed_flat_sum(x, rest->weight);
    spread_radial(hed_radial(c, c, rest->stiffness, 0.0, 0.0), rest->weight, 4, 0.0, out);
    HedFlatTurn turn = hed_flat_turn(x, rest->weight);
    double rate = 0.0;
    for (int i = 0; i < 4; ++i) {
        rate += hed_dot3(turn.gradient[i], v[i]);
    }
    out->dissipation = 0.5 * rest->damping * rate * rate;
    for (int i = 0; i < 4; ++i) {
        out->rate_gradient[i] = hed_mul3(rest->damping * rate, turn.gradient[i]);
        for (int j = 0; j < 4; ++j) {
            out->rate_hessian[i][j] =
                hed_mat3_scale(rest->damping, hed_mat3_outer(turn.gradient[i], turn.gradient[j]));
        }
    }
}

static bool flat_smooth(const HedVec3* x, const HedVec3* v, const void* rest, double margin) {
    (void)v;
    const HedFlatRest* flat = rest;
    double reach = 0.0;
    for (int k = 0; k < 4; ++k) {
        reach = fmax(reach, fabs(flat->weight[k]) * margin);
    }
    return hed_norm3(hed_flat_sum(x, flat->weight)) > reach;
}

static void shell_rest(const HedVec3* x, const double* draw, void* rest) {
    HedShellRest* shell = rest;
    *shell = (HedShellRest){.has_side = {draw[2] < 0.8, draw[3] < 0.8, draw[4] < 0.8}};
    hed_shell_stiffness(x, 1e-3 * (1.0 + draw[0]), 0.5 * draw[1], shell->has_side, shell->q);
    HedShell state;
    hed_shell_eval(x, shell, &state);
    for (int i = 0; i < 3; ++i) {
        shell->angle[i] = state.angle[i];
    }
}

static bool shell_smooth(const HedVec3* x, const HedVec3* v, const void* rest, double margin) {
    const HedShellRest* shell = rest;
    bool ok = true;
    for (int side = 0; side < 3 && ok; ++side) {
        int point[4];
        hed_shell_hinge(side, point);
        HedVec3 four[4] = {x[point[0]], x[point[1]], x[point[2]], x[point[3]]};
        HedHingeRest hinge = {.angle = shell->angle[side]};
        ok = !shell->has_side[side] || hinge_smooth(four, v, &hinge, margin);
    }
    return ok;
}

static void copy_lower(HedMat3 block[HED_SHELL_POINTS][HED_SHELL_POINTS]) {
    for (int a = 0; a < HED_SHELL_POINTS; ++a) {
        for (int b = 0; b < a; ++b) {
            block[a][b] = hed_mat3_transpose(block[b][a]);
        }
    }
}

static void shell_evaluate(const HedVec3* x, const HedVec3* v, const void* data,
                           HedKernelOut* out) {
    const HedShellRest* rest = data;
    const double damping = 0.01; // s
    HedShell shell;
    hed_shell_eval(x, rest, &shell);
    double turn[3], moment[3], rate[3] = {0}, drag[3];
    for (int i = 0; i < 3; ++i) {
        turn[i] = rest->has_side[i] ? hed_hinge_turn(shell.angle[i], rest->angle[i]) : 0.0;
        for (int k = 0; k < HED_SHELL_POINTS; ++k) {
            rate[i] += hed_dot3(shell.gradient[i][k], v[k]);
        }
    }
    hed_shell_moments(rest->q, turn, moment);
    hed_shell_moments(rest->q, rate, drag);
    out->energy = hed_shell_half_product(turn, moment);
    out->dissipation = damping * hed_shell_half_product(rate, drag);
    for (int k = 0; k < HED_SHELL_POINTS; ++k) {
        for (int i = 0; i < 3; ++i) {
            out->gradient[k] = hed_madd3(out->gradient[k], moment[i], shell.gradient[i][k]);
            out->rate_gradient[k] =
                hed_madd3(out->rate_gradient[k], damping * drag[i], shell.gradient[i][k]);
        }
    }
    hed_shell_first(&shell, rest->q, 1.0, out->positive);
    hed_shell_first(&shell, rest->q, damping, out->rate_hessian);
    hed_shell_first(&shell, rest->q, 1.0, out->hessian);
    hed_shell_second(&shell, rest, moment, out->hessian);
    copy_lower(out->positive);
    copy_lower(out->rate_hessian);
    copy_lower(out->hessian);
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
    {"membrane", 3,
     HED_KERNEL_TRANSLATES | HED_KERNEL_ROTATES | HED_KERNEL_RESTS | HED_KERNEL_SPINS, 0.01,
     membrane_rest, always_smooth, membrane_evaluate},
    {"membrane-step", 3, HED_KERNEL_TRANSLATES | HED_KERNEL_ROTATES | HED_KERNEL_RESTS, 0.01,
     membrane_step_rest, always_smooth, membrane_step_evaluate},
    {"hinge", 4, HED_KERNEL_TRANSLATES | HED_KERNEL_ROTATES | HED_KERNEL_RESTS | HED_KERNEL_SPINS,
     1.0, hinge_rest, hinge_smooth, hinge_evaluate},
    {"shell", HED_SHELL_POINTS,
     HED_KERNEL_TRANSLATES | HED_KERNEL_ROTATES | HED_KERNEL_RESTS | HED_KERNEL_SPINS, 1.0,
     shell_rest, shell_smooth, shell_evaluate},
    {"flat", 4, HED_KERNEL_TRANSLATES | HED_KERNEL_ROTATES | HED_KERNEL_SPINS, 0.01, flat_rest,
     flat_smooth, flat_evaluate},
    {"point", 1, 0, 1.0, point_rest, always_smooth, point_evaluate},
    {"wind", 3, 0, 0.01, wind_rest, always_smooth, wind_evaluate},
};

HedKernelTable hed_model_kernels(void) {
    return (HedKernelTable){KERNELS, sizeof KERNELS / sizeof KERNELS[0]};
}
