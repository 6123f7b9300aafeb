// SPDX-License-Identifier: MIT
#include "contact/yarn_friction.h"

static const double SHARP = 0.15;

// Inverse of J + e t t', a symmetric positive definite matrix; 0 for four points in one place,
// which do not turn.
static void find_turn(double radius, HedYarnFour q, double* turn) {
    HedVec3 t = {q.x[2] - q.x[1], q.y[2] - q.y[1], q.z[2] - q.z[1]};
    HedWide squares = 0.25 * hed_wide_sums(q.x * q.x, q.y * q.y, q.z * q.z);
    HedWide products = -0.25 * hed_wide_sums(q.x * q.y, q.x * q.z, q.y * q.z);
    double xx = squares[0], yy = squares[1], zz = squares[2];
    double xy = products[0], xz = products[1], yz = products[2];
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

void hed_yarn_find_spins(HedYarnContact* y, const HedVec3* x, const HedVec3* v) {
#pragma omp parallel for schedule(static)                                                          \
    num_threads(hed_team_size(y->def.team, INT64_C(50) * y->def.segment_count))
    for (int32_t s = 0; s < y->def.segment_count; ++s) {
        HedYarnFour q = hed_yarn_around(hed_yarn_four(y, s, x));
        HedYarnFour w = hed_yarn_four(y, s, v);
        HedWide sum = 0.25 * hed_wide_sums(q.y * w.z - q.z * w.y, q.z * w.x - q.x * w.z,
                                           q.x * w.y - q.y * w.x);
        find_turn(hed_yarn_radius(y, s), q, y->turn + (int64_t)HED_YARN_TURN * s);
        y->spin[s] = hed_yarn_turn(y, s, hed_vec3(sum[0], sum[1], sum[2]));
    }
}

// |T [q]|^2 = |T|^2 |q|^2 - |T q|^2, squares of all entries, T = (J + e t t')^-1.
HedWide hed_yarn_levers(const HedYarnContact* y, const HedContactFrame* frame, int side) {
    int32_t segment = frame->segment[side];
    const double* t = y->turn + (int64_t)HED_YARN_TURN * segment;
    HedYarnFour q = hed_yarn_around(frame->at[side]);
    HedYarnFour o = {t[0] * q.x + t[3] * q.y + t[4] * q.z, t[3] * q.x + t[1] * q.y + t[5] * q.z,
                     t[4] * q.x + t[5] * q.y + t[2] * q.z};
    double all =
        t[0] * t[0] + t[1] * t[1] + t[2] * t[2] + 2.0 * (t[3] * t[3] + t[4] * t[4] + t[5] * t[5]);
    HedWide square =
        all * (q.x * q.x + q.y * q.y + q.z * q.z) - (o.x * o.x + o.y * o.y + o.z * o.z);
    HedWide lever = hed_wide_abs(hed_wide_load(frame->weight[side]));
    double arm = 0.25 * hed_norm3(frame->arm[side]);
    for (int k = 0; k < 4; ++k) {
        lever[k] += arm * sqrt(square[k] > 0.0 ? square[k] : 0.0);
    }
    return lever;
}
