// SPDX-License-Identifier: MIT
#include "contact/yarn_patch.h"

static const double SHARP = 0.15;

static HedVec3 mix(const double w[4], const int32_t point[4], const HedVec3* values) {
    HedVec3 p[4] = {values[point[0]], values[point[1]], values[point[2]], values[point[3]]};
    return hed_cubic_sum(w, p);
}

static HedVec3 difference(const HedYarnContact* y, const HedYarnGrip* grip, const HedVec3* values) {
    return hed_sub3(mix(grip->weight[1], y->segments[grip->segment[1]].point, values),
                    mix(grip->weight[0], y->segments[grip->segment[0]].point, values));
}

// q: points from their mean.
static void find_around(const HedYarnContact* y, int32_t segment, const HedVec3* x, HedVec3 q[4]) {
    static const double MEAN[4] = {0.25, 0.25, 0.25, 0.25};
    const int32_t* point = y->segments[segment].point;
    HedVec3 mean = mix(MEAN, point, x);
    for (int k = 0; k < 4; ++k) {
        q[k] = hed_sub3(x[point[k]], mean);
    }
}

// Inverse of J + e t t', a symmetric positive definite matrix; 0 for four points in one place,
// which do not turn.
static void find_turn(double radius, const HedVec3 q[4], double* turn) {
    HedVec3 t = hed_sub3(q[2], q[1]);
    double xx = 0.0, yy = 0.0, zz = 0.0, xy = 0.0, xz = 0.0, yz = 0.0;
    for (int k = 0; k < 4; ++k) {
        xx += 0.25 * q[k].x * q[k].x;
        yy += 0.25 * q[k].y * q[k].y;
        zz += 0.25 * q[k].z * q[k].z;
        xy -= 0.25 * q[k].x * q[k].y;
        xz -= 0.25 * q[k].x * q[k].z;
        yz -= 0.25 * q[k].y * q[k].z;
    }
    // Four points on a circle of radius r have J = (t^2/r)^2/4 around their tangent. The floor
    // bounds the condition of the matrix.
    double square = hed_dot3(t, t);
    double bent = 0.25 * SHARP * square / radius;
    double e = square > 0.0 ? fmax(bent * bent, 1e-6 * (xx + yy + zz)) / square : 0.0;
    double a = yy + zz + e * t.x * t.x, b = xx + zz + e * t.y * t.y, c = xx + yy + e * t.z * t.z;
    xy += e * t.x * t.y;
    xz += e * t.x * t.z;
    yz += e * t.y * t.z;
    double caa = b * c - yz * yz, cab = xz * yz - xy * c, cac = xy * yz - xz * b;
    double determinant = a * caa + xy * cab + xz * cac;
    double f = determinant > 0.0 ? 1.0 / determinant : 0.0;
    turn[0] = f * caa;
    turn[1] = f * (a * c - xz * xz);
    turn[2] = f * (a * b - xy * xy);
    turn[3] = f * cab;
    turn[4] = f * cac;
    turn[5] = f * (xy * xz - a * yz);
}

static HedVec3 apply(const double* turn, HedVec3 a) {
    return hed_vec3(turn[0] * a.x + turn[3] * a.y + turn[4] * a.z,
                    turn[3] * a.x + turn[1] * a.y + turn[5] * a.z,
                    turn[4] * a.x + turn[5] * a.y + turn[2] * a.z);
}

static const double* turn_of(const HedYarnContact* y, int32_t segment) {
    return y->turn + (int64_t)HED_YARN_TURN * segment;
}

void hed_yarn_find_spins(HedYarnContact* y, const HedVec3* x, const HedVec3* v) {
#pragma omp parallel for schedule(static)                                                          \
    num_threads(hed_team_size(y->def.team, INT64_C(50) * y->def.segment_count))
    for (int32_t s = 0; s < y->def.segment_count; ++s) {
        HedVec3 q[4];
        HedVec3 sum = {0.0, 0.0, 0.0};
        find_around(y, s, x, q);
        find_turn(hed_yarn_radius(y, s), q, y->turn + (int64_t)HED_YARN_TURN * s);
        for (int k = 0; k < 4; ++k) {
            sum = hed_add3(sum, hed_cross3(q[k], v[y->segments[s].point[k]]));
        }
        y->spin[s] = apply(turn_of(y, s), hed_mul3(0.25, sum));
    }
}

HedYarnGrip hed_yarn_grip(const HedYarnContact* y, int32_t i, int32_t j, const HedYarnTouch* touch,
                          const HedVec3* x) {
    HedYarnGrip grip = {.segment = {i, j}};
    double first = hed_yarn_radius(y, i);
    double reach = first + hed_yarn_radius(y, j);
    hed_cubic_weights(hed_yarn_matrix(y, i), touch->first, grip.weight[0]);
    hed_cubic_weights(hed_yarn_matrix(y, j), touch->second, grip.weight[1]);
    HedVec3 d = difference(y, &grip, x);
    grip.arm[0] = hed_mul3(first / reach, d);
    grip.arm[1] = hed_sub3(d, grip.arm[0]);
    grip.push = hed_norm3(touch->push);
    grip.normal = grip.push > 0.0 ? hed_mul3(1.0 / grip.push, touch->push)
                                  : hed_unit3(d, hed_vec3(0.0, 0.0, 1.0));
    grip.give = y->def.presliding * reach;
    return grip;
}

static HedVec3 across(const HedYarnGrip* grip, HedVec3 a) {
    return hed_madd3(a, -hed_dot3(a, grip->normal), grip->normal);
}

HedYarnSlip hed_yarn_slip(const HedYarnContact* y, const HedYarnGrip* grip, const HedVec3* v,
                          const HedVec3* spin) {
    HedVec3 a = spin[grip->segment[0]], b = spin[grip->segment[1]];
    HedVec3 turned = hed_add3(hed_cross3(a, grip->arm[0]), hed_cross3(b, grip->arm[1]));
    HedVec3 slip = hed_sub3(difference(y, grip, v), turned);
    return (HedYarnSlip){hed_mul3(0.5, hed_add3(a, b)), across(grip, slip)};
}

void hed_yarn_spread(const HedYarnContact* y, const HedYarnGrip* grip, const HedVec3* x,
                     HedVec3 force, double* const out[2]) {
    HedVec3 f = across(grip, force);
    for (int side = 0; side < 2; ++side) {
        int32_t segment = grip->segment[side];
        HedVec3 q[4];
        HedVec3 m = apply(turn_of(y, segment), hed_cross3(hed_mul3(0.25, grip->arm[side]), f));
        HedVec3 on = side == 0 ? hed_mul3(-1.0, f) : f;
        find_around(y, segment, x, q);
        for (int k = 0; k < 4; ++k) {
            HedVec3 at = hed_sub3(hed_mul3(grip->weight[side][k], on), hed_cross3(m, q[k]));
            out[side][k] += at.x;
            out[side][4 + k] += at.y;
            out[side][8 + k] += at.z;
        }
    }
}

double hed_yarn_lever(const HedYarnContact* y, const HedYarnGrip* grip, const HedVec3* x, int n) {
    static const HedVec3 UNIT[3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
    HedVec3 q[4];
    double square = 0.0;
    find_around(y, grip->segment[n / 4], x, q);
    for (int c = 0; c < 3; ++c) {
        HedVec3 o = apply(turn_of(y, grip->segment[n / 4]), hed_cross3(q[n % 4], UNIT[c]));
        square += hed_dot3(o, o);
    }
    return fabs(grip->weight[n / 4][n % 4]) + 0.25 * hed_norm3(grip->arm[n / 4]) * sqrt(square);
}

HedVec3 hed_yarn_rub_force(const HedYarnContact* y, const HedYarnGrip* grip, HedVec3 slip,
                           HedVec3 strain, double ahead) {
    double limit = y->def.friction * grip->push;
    if (y->def.friction_law != HED_YARN_STICTION || !(ahead > 0.0)) {
        return hed_yarn_rub(y, grip, slip, strain, ahead).gradient;
    }
    double speed = grip->give / ahead;
    HedVec3 shifted = across(grip, hed_madd3(slip, speed, strain));
    return hed_mul3(limit / fmax(speed, hed_norm3(shifted)), shifted);
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
