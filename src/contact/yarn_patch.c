// SPDX-License-Identifier: MIT
#include "contact/yarn_patch.h"

static const double SHARP = 0.15;

static HedVec3 mix(const double w[4], const int32_t point[4], const HedVec3* values) {
    HedVec3 p[4] = {values[point[0]], values[point[1]], values[point[2]], values[point[3]]};
    return hed_cubic_sum(w, p);
}

static HedVec3 difference(const HedYarnGrip* grip, const HedVec3* values) {
    return hed_sub3(mix(grip->weight[1], grip->point[1], values),
                    mix(grip->weight[0], grip->point[0], values));
}

// Of a symmetric positive definite matrix, whose condition fill_side bounds.
static HedMat3 inverse_of(HedMat3 a) {
    HedVec3 r[3];
    for (int k = 0; k < 3; ++k) {
        r[k] = hed_vec3(a.m[k][0], a.m[k][1], a.m[k][2]);
    }
    HedVec3 c0 = hed_cross3(r[1], r[2]), c1 = hed_cross3(r[2], r[0]), c2 = hed_cross3(r[0], r[1]);
    double determinant = hed_dot3(r[0], c0);
    double f = determinant > 0.0 ? 1.0 / determinant : 0.0;
    return (HedMat3){{{f * c0.x, f * c1.x, f * c2.x},
                      {f * c0.y, f * c1.y, f * c2.y},
                      {f * c0.z, f * c1.z, f * c2.z}}};
}

// Weights, points from their mean, and the inverse. Four points in one place do not turn.
static void fill_side(const HedYarnContact* y, int32_t segment, double s, int side,
                      const HedVec3* x, double reach, HedYarnGrip* grip) {
    const HedCubicMatrix* matrix = hed_yarn_matrix(y, segment);
    const int32_t* point = y->segments[segment].point;
    static const double MEAN[4] = {0.25, 0.25, 0.25, 0.25};
    double slope[4];
    grip->point[side] = point;
    hed_cubic_weights(matrix, s, grip->weight[side]);
    hed_cubic_slopes(matrix, s, slope);
    HedVec3 t = mix(slope, point, x);
    HedVec3 mean = mix(MEAN, point, x);
    double xx = 0.0, yy = 0.0, zz = 0.0, xy = 0.0, xz = 0.0, yz = 0.0;
    for (int k = 0; k < 4; ++k) {
        HedVec3 q = hed_sub3(x[point[k]], mean);
        grip->around[side][k] = q;
        xx += 0.25 * q.x * q.x;
        yy += 0.25 * q.y * q.y;
        zz += 0.25 * q.z * q.z;
        xy -= 0.25 * q.x * q.y;
        xz -= 0.25 * q.x * q.z;
        yz -= 0.25 * q.y * q.z;
    }
    // Four points on a circle of radius r have J = (t^2/r)^2/4 around their tangent.
    double square = hed_dot3(t, t);
    double bent = 0.5 * SHARP * square / reach;
    double e = fmax(bent * bent, 1e-6 * (xx + yy + zz));
    HedMat3 held = hed_mat3_outer_diag(square > 0.0 ? e / square : 0.0, t, 0.0);
    HedMat3 j = {{{yy + zz, xy, xz}, {xy, xx + zz, yz}, {xz, yz, xx + yy}}};
    grip->inverse[side] = inverse_of(hed_mat3_add(j, held));
}

HedYarnGrip hed_yarn_grip(const HedYarnContact* y, int32_t i, int32_t j, const HedYarnTouch* touch,
                          const HedVec3* x) {
    HedYarnGrip grip;
    double first = hed_yarn_radius(y, i);
    double reach = first + hed_yarn_radius(y, j);
    fill_side(y, i, touch->first, 0, x, reach, &grip);
    fill_side(y, j, touch->second, 1, x, reach, &grip);
    HedVec3 d = difference(&grip, x);
    grip.arm[0] = hed_mul3(first / reach, d);
    grip.arm[1] = hed_sub3(d, grip.arm[0]);
    grip.normal = hed_unit3(touch->push, hed_unit3(d, hed_vec3(0.0, 0.0, 1.0)));
    grip.push = hed_norm3(touch->push);
    grip.give = y->def.presliding * reach;
    return grip;
}

static HedVec3 across(const HedYarnGrip* grip, HedVec3 a) {
    return hed_madd3(a, -hed_dot3(a, grip->normal), grip->normal);
}

HedYarnSlip hed_yarn_slip(const HedYarnGrip* grip, const HedVec3* v) {
    HedVec3 slip = difference(grip, v);
    HedVec3 turn = {0.0, 0.0, 0.0};
    for (int side = 0; side < 2; ++side) {
        HedVec3 spin = {0.0, 0.0, 0.0};
        for (int k = 0; k < 4; ++k) {
            HedVec3 moment = hed_cross3(grip->around[side][k], v[grip->point[side][k]]);
            spin = hed_madd3(spin, 0.25, moment);
        }
        HedVec3 o = hed_mat3_apply(grip->inverse[side], spin);
        slip = hed_sub3(slip, hed_cross3(o, grip->arm[side]));
        turn = hed_madd3(turn, 0.5, o);
    }
    return (HedYarnSlip){turn, across(grip, slip)};
}

void hed_yarn_spread(const HedYarnGrip* grip, HedVec3 force, double* first, double* second) {
    HedVec3 f = across(grip, force);
    double* out[2] = {first, second};
    for (int side = 0; side < 2; ++side) {
        HedVec3 m = hed_mat3_apply(grip->inverse[side], hed_cross3(grip->arm[side], f));
        double sign = side == 0 ? -1.0 : 1.0;
        for (int k = 0; k < 4; ++k) {
            HedVec3 couple = hed_cross3(m, grip->around[side][k]);
            double w = sign * grip->weight[side][k];
            out[side][k] += w * f.x - 0.25 * couple.x;
            out[side][4 + k] += w * f.y - 0.25 * couple.y;
            out[side][8 + k] += w * f.z - 0.25 * couple.z;
        }
    }
}

double hed_yarn_lever(const HedYarnGrip* grip, int side, int k) {
    HedVec3 q = grip->around[side][k];
    const HedVec3 unit[3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
    double square = 0.0;
    for (int c = 0; c < 3; ++c) {
        HedVec3 o = hed_mat3_apply(grip->inverse[side], hed_cross3(q, unit[c]));
        square += hed_dot3(o, o);
    }
    return fabs(grip->weight[side][k]) + 0.25 * hed_norm3(grip->arm[side]) * sqrt(square);
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
