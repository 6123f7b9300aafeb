// SPDX-License-Identifier: MIT
// The register of contact kernels. A kernel_*.h that is not included and listed here fails the
// lint.
#include "contact/kernels.h"
#include "contact/kernel_friction.h"
#include "contact/kernel_gap.h"
#include "contact/kernel_yarn.h"

// Both are tried against the plane n . p = offset, for which they are exact.
typedef struct PlaneRest {
    HedVec3 normal;
    double offset;
    HedGapLaw law;
    HedFriction friction;
} PlaneRest;

static void plane_rest(const HedVec3* x, const double* draw, void* rest) {
    HedVec3 n =
        hed_unit3(hed_vec3(draw[0] - 0.5, draw[1] - 0.5, draw[2] - 0.5), hed_vec3(0.0, 1.0, 0.0));
    double offset = hed_dot3(n, x[0]);
    // Half of the laws are soft at first, over depths that the test's motions reach.
    double soft = fmax(0.0, 0.02 * (draw[6] - 0.5));
    *(PlaneRest*)rest =
        (PlaneRest){n, offset, {1e3 * (1.0 + draw[3]), soft}, {0.1 + draw[4], 0.01 + draw[5]}};
}

static double plane_gap(const HedVec3* x, const PlaneRest* rest) {
    return hed_dot3(rest->normal, x[0]) - rest->offset;
}

static bool gap_smooth(const HedVec3* x, const HedVec3* v, const void* rest, double margin) {
    (void)v;
    double gap = plane_gap(x, rest);
    return fabs(gap) > margin && fabs(gap + ((const PlaneRest*)rest)->law.soft) > margin;
}

static void gap_evaluate(const HedVec3* x, const HedVec3* v, const void* rest, HedKernelOut* out) {
    const PlaneRest* plane = rest;
    HedGapOut g = hed_gap_eval(plane_gap(x, plane), plane->normal, plane->law);
    HedGapDrag drag = hed_gap_drag(plane_gap(x, plane), v[0], plane->normal, plane->friction.limit);
    out->dissipation = drag.dissipation;
    out->rate_gradient[0] = drag.gradient;
    out->rate_hessian[0][0] = drag.hessian;
    out->energy = g.energy;
    out->gradient[0] = g.gradient;
    out->hessian[0][0] = g.hessian;
    out->positive[0][0] = g.hessian;
}

static bool friction_smooth(const HedVec3* x, const HedVec3* v, const void* rest, double margin) {
    (void)x;
    const PlaneRest* plane = rest;
    double slip = hed_norm3(hed_friction_slip(v[0], plane->normal));
    return fabs(slip - plane->friction.give) > margin;
}

static void friction_evaluate(const HedVec3* x, const HedVec3* v, const void* rest,
                              HedKernelOut* out) {
    (void)x;
    const PlaneRest* plane = rest;
    HedFrictionPlane f = hed_friction_plane(v[0], plane->normal, plane->friction, 0.0);
    out->dissipation = f.energy;
    out->rate_gradient[0] = f.gradient;
    out->rate_hessian[0][0] = f.hessian;
}

// One coordinate: the way along the normal.
static bool single_smooth(const HedVec3* x, const HedVec3* v, const void* rest, double margin) {
    (void)x;
    const PlaneRest* plane = rest;
    return fabs(fabs(hed_dot3(v[0], plane->normal)) - plane->friction.give) > margin;
}

static void single_evaluate(const HedVec3* x, const HedVec3* v, const void* rest,
                            HedKernelOut* out) {
    (void)x;
    const PlaneRest* plane = rest;
    double slip = hed_dot3(v[0], plane->normal);
    HedFrictionOut f = hed_friction_eval(fabs(slip), plane->friction);
    double second = f.back == 0.0 ? f.stiffness : 0.0;
    out->dissipation = f.energy;
    out->rate_gradient[0] = hed_mul3(f.stiffness * slip, plane->normal);
    out->rate_hessian[0][0] = hed_mat3_outer_diag(second, plane->normal, 0.0);
}

// Two coordinates along vectors that are not orthogonal, u = (1, 0.4, 0).v and w = (0.3, 0, 1).v;
// the anchor is aside of rest.
static const HedVec3 FIRST = {1.0, 0.4, 0.0};
static const HedVec3 SECOND = {0.3, 0.0, 1.0};

static HedSlipMetric pair_metric(void) {
    return (HedSlipMetric){hed_dot3(FIRST, FIRST), -hed_dot3(FIRST, SECOND),
                           hed_dot3(SECOND, SECOND)};
}

static void pair_slip(const HedVec3* v, const PlaneRest* plane, double slip[2]) {
    slip[0] = hed_dot3(FIRST, v[0]) - 0.5 * plane->normal.x;
    slip[1] = hed_dot3(SECOND, v[0]) - 0.5 * plane->normal.y;
}

static bool pair_smooth(const HedVec3* x, const HedVec3* v, const void* rest, double margin) {
    (void)x;
    const PlaneRest* plane = rest;
    double slip[2];
    pair_slip(v, plane, slip);
    double size = hed_slip_size(pair_metric(), slip);
    return fabs(size - plane->friction.give) > 4.0 * margin;
}

static void pair_evaluate(const HedVec3* x, const HedVec3* v, const void* rest, HedKernelOut* out) {
    (void)x;
    const PlaneRest* plane = rest;
    double slip[2];
    pair_slip(v, plane, slip);
    HedFrictionPair f = hed_friction_pair(pair_metric(), slip, plane->friction);
    HedSlipMetric h = hed_friction_pair_hessian(pair_metric(), f, 0.0);
    HedMat3 mixed = hed_mat3_add(hed_mat3_outer(FIRST, SECOND), hed_mat3_outer(SECOND, FIRST));
    HedMat3 own =
        hed_mat3_add(hed_mat3_outer_diag(h.uu, FIRST, 0.0), hed_mat3_outer_diag(h.vv, SECOND, 0.0));
    out->dissipation = f.energy;
    out->rate_gradient[0] = hed_madd3(hed_mul3(f.gradient[0], FIRST), f.gradient[1], SECOND);
    out->rate_hessian[0][0] = hed_mat3_add(own, hed_mat3_scale(h.uv, mixed));
}

// Three points on either side, by weights that add up to 1, so that d = sum of share * point.
typedef struct YarnRest {
    HedYarnPairRest pair;
    double share[6];
} YarnRest;

static void yarn_rest(const HedVec3* x, const double* draw, void* rest) {
    (void)x;
    *(YarnRest*)rest =
        (YarnRest){{0.012 * (1.0 + draw[0]), 1e-3 * (1.0 + draw[1]), draw[2], draw[3]},
                   {-0.2, -0.5 - 0.4 * draw[4], -0.3 + 0.4 * draw[4], 0.7 * draw[5],
                    0.9 - 0.7 * draw[5], 0.1}};
}

static HedVec3 yarn_mix(const HedVec3* values, const double share[6]) {
    HedVec3 sum = {0.0, 0.0, 0.0};
    for (int k = 0; k < 6; ++k) {
        sum = hed_madd3(sum, share[k], values[k]);
    }
    return sum;
}

// Not at the end of the reach; and not where 1/u^2 is too steep for differences.
static bool yarn_smooth(const HedVec3* x, const HedVec3* v, const void* rest, double margin) {
    (void)v;
    const YarnRest* yarn = rest;
    double d = hed_norm3(yarn_mix(x, yarn->share));
    return fabs(d - yarn->pair.reach) > 2.0 * margin && d > 0.5 * yarn->pair.reach;
}

static void yarn_evaluate(const HedVec3* x, const HedVec3* v, const void* rest, HedKernelOut* out) {
    const YarnRest* yarn = rest;
    const double* share = yarn->share;
    HedYarnPairOut y = hed_yarn_pair_eval(yarn_mix(x, share), yarn_mix(v, share), yarn->pair);
    out->energy = y.energy;
    out->dissipation = y.dissipation;
    for (int i = 0; i < 6; ++i) {
        out->gradient[i] = hed_mul3(share[i], y.gradient);
        out->rate_gradient[i] = hed_mul3(share[i], y.rate_gradient);
        for (int j = 0; j < 6; ++j) {
            out->hessian[i][j] = hed_mat3_scale(share[i] * share[j], y.hessian);
            out->positive[i][j] = hed_mat3_scale(share[i] * share[j], y.positive);
            out->rate_hessian[i][j] = hed_mat3_scale(share[i] * share[j], y.rate_hessian);
        }
    }
}

static const HedKernel KERNELS[] = {
    {"gap", 1, HED_KERNEL_RESTS, 0.01, plane_rest, gap_smooth, gap_evaluate},
    {"friction", 1, 0, 0.01, plane_rest, friction_smooth, friction_evaluate},
    {"friction of one coordinate", 1, 0, 0.01, plane_rest, single_smooth, single_evaluate},
    {"friction of two coordinates", 1, 0, 0.01, plane_rest, pair_smooth, pair_evaluate},
    {"yarn", 6, HED_KERNEL_TRANSLATES | HED_KERNEL_ROTATES, 0.01, yarn_rest, yarn_smooth,
     yarn_evaluate},
};

HedKernelTable hed_contact_kernels(void) {
    return (HedKernelTable){KERNELS, sizeof KERNELS / sizeof KERNELS[0]};
}
