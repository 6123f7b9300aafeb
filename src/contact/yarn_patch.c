// SPDX-License-Identifier: MIT
#include "contact/yarn_patch.h"

static const double D_WEIGHT = 0.01; // e

static void locate(const HedYarnContact* y, int32_t segment, double s, int side,
                   HedYarnGrip* grip) {
    const HedCubicMatrix* matrix = hed_yarn_matrix(y, segment);
    grip->point[side] = y->segments[segment].point;
    hed_cubic_weights(matrix, s, grip->weight[side]);
    hed_cubic_slopes(matrix, s, grip->slope[side]);
}

static HedVec3 mix(const double w[4], const int32_t point[4], const HedVec3* values) {
    HedVec3 p[4] = {values[point[0]], values[point[1]], values[point[2]], values[point[3]]};
    return hed_cubic_sum(w, p);
}

static HedVec3 difference(const HedYarnGrip* grip, const HedVec3* values) {
    return hed_sub3(mix(grip->weight[1], grip->point[1], values),
                    mix(grip->weight[0], grip->point[0], values));
}

static double inverse_square(HedVec3 a) {
    double square = hed_dot3(a, a);
    return square > 0.0 ? 1.0 / square : 0.0;
}

// Of a symmetric positive definite matrix; eigenvalues are near 1 but for turns around parallel
// yarns, so the short way is accurate. With both tangents and d on one line there is no inverse:
// turns around it are not seen.
static HedMat3 inverse_of(HedMat3 a, double trace) {
    HedVec3 r[3];
    for (int k = 0; k < 3; ++k) {
        r[k] = hed_vec3(a.m[k][0], a.m[k][1], a.m[k][2]);
    }
    HedVec3 c0 = hed_cross3(r[1], r[2]), c1 = hed_cross3(r[2], r[0]), c2 = hed_cross3(r[0], r[1]);
    double determinant = hed_dot3(r[0], c0);
    if (!(determinant > 1e-9 * trace * trace * trace)) {
        return hed_mat3_diagonal(1.0 / trace, 1.0 / trace, 1.0 / trace);
    }
    double f = 1.0 / determinant;
    return (HedMat3){{{f * c0.x, f * c1.x, f * c2.x},
                      {f * c0.y, f * c1.y, f * c2.y},
                      {f * c0.z, f * c1.z, f * c2.z}}};
}

HedYarnGrip hed_yarn_grip(const HedYarnContact* y, int32_t i, int32_t j, const HedYarnTouch* touch,
                          const HedVec3* x) {
    HedYarnGrip grip = {.push = hed_norm3(touch->push)};
    locate(y, i, touch->first, 0, &grip);
    locate(y, j, touch->second, 1, &grip);
    grip.give = y->def.presliding * (hed_yarn_radius(y, i) + hed_yarn_radius(y, j));
    grip.d = difference(&grip, x);
    grip.d_scale = D_WEIGHT * inverse_square(grip.d);
    grip.normal = hed_unit3(touch->push, hed_unit3(grip.d, hed_vec3(0.0, 0.0, 1.0)));
    double all = D_WEIGHT;
    HedMat3 a = hed_mat3_outer_diag(-grip.d_scale, grip.d, D_WEIGHT);
    for (int k = 0; k < 2; ++k) {
        grip.tangent[k] = mix(grip.slope[k], grip.point[k], x);
        grip.scale[k] = inverse_square(grip.tangent[k]);
        double one = grip.scale[k] > 0.0 ? 1.0 : 0.0;
        a = hed_mat3_add(a, hed_mat3_outer_diag(-grip.scale[k], grip.tangent[k], one));
        all += one;
    }
    grip.inverse = inverse_of(a, all);
    return grip;
}

static HedVec3 across(const HedYarnGrip* grip, HedVec3 a) {
    return hed_madd3(a, -hed_dot3(a, grip->normal), grip->normal);
}

HedYarnSlip hed_yarn_slip(const HedYarnGrip* grip, const HedVec3* v) {
    HedVec3 w = difference(grip, v);
    HedVec3 b = hed_mul3(grip->d_scale, hed_cross3(grip->d, w));
    for (int k = 0; k < 2; ++k) {
        HedVec3 rate = mix(grip->slope[k], grip->point[k], v);
        b = hed_madd3(b, grip->scale[k], hed_cross3(grip->tangent[k], rate));
    }
    HedVec3 turn = hed_mat3_apply(grip->inverse, b);
    return (HedYarnSlip){turn, across(grip, hed_sub3(w, hed_cross3(turn, grip->d)))};
}

static void add_side(double sign, const HedYarnGrip* grip, int side, HedVec3 force, HedVec3 couple,
                     double* out) {
    const double* w = grip->weight[side];
    const double* d = grip->slope[side];
    for (int k = 0; k < 4; ++k) {
        out[k] += sign * w[k] * force.x + d[k] * couple.x;
        out[4 + k] += sign * w[k] * force.y + d[k] * couple.y;
        out[8 + k] += sign * w[k] * force.z + d[k] * couple.z;
    }
}

void hed_yarn_spread(const HedYarnGrip* grip, HedVec3 force, double* first, double* second) {
    HedVec3 f = across(grip, force);
    HedVec3 m = hed_mat3_apply(grip->inverse, hed_cross3(grip->d, f));
    HedVec3 on_d = hed_madd3(f, -grip->d_scale, hed_cross3(m, grip->d));
    double* out[2] = {first, second};
    for (int k = 0; k < 2; ++k) {
        HedVec3 couple = hed_mul3(-grip->scale[k], hed_cross3(m, grip->tangent[k]));
        add_side(k == 0 ? -1.0 : 1.0, grip, k, on_d, couple, out[k]);
    }
}

HedFrictionOut hed_yarn_rub(const HedYarnContact* y, const HedYarnGrip* grip, HedVec3 slip,
                            HedVec3 strain, double ahead) {
    double limit = y->def.friction * grip->push;
    if (y->def.friction_law == HED_YARN_KINETIC) {
        return hed_friction_eval(slip, (HedFriction){grip->normal, limit, y->def.slip_speed});
    }
    if (!(ahead > 0.0)) {
        return (HedFrictionOut){.gradient = hed_mul3(limit, across(grip, strain))};
    }
    // Coulomb's law for the strain after `ahead`: a friction potential whose speed scale is the
    // presliding distance over that time, of the slip plus what the strain amounts to.
    double speed = grip->give / ahead;
    HedVec3 shifted = hed_madd3(slip, speed, across(grip, strain));
    return hed_friction_eval(shifted, (HedFriction){grip->normal, limit, speed});
}
