// SPDX-License-Identifier: MIT
#include "math/mat3.h"
#include "math/eigen.h"
#include "math/quat.h"

HedMat3 hed_mat3_inverse_spd(HedMat3 a, bool* ok) {
    // Cholesky a = L L'; each pivot must stay above rounding of its own diagonal entry.
    double l00 = sqrt(a.m[0][0]);
    double l10 = a.m[1][0] / l00;
    double l20 = a.m[2][0] / l00;
    double d1 = a.m[1][1] - l10 * l10;
    double l11 = sqrt(d1);
    double l21 = (a.m[2][1] - l20 * l10) / l11;
    double d2 = a.m[2][2] - l20 * l20 - l21 * l21;
    double l22 = sqrt(d2);
    *ok = a.m[0][0] > 0.0 && d1 > 1e-15 * a.m[1][1] && d2 > 1e-15 * a.m[2][2] && isfinite(l22);
    if (!*ok) {
        return (HedMat3){{{0.0}}};
    }
    // Inverse of L, then (L L')^-1 = L^-T L^-1.
    double i00 = 1.0 / l00;
    double i11 = 1.0 / l11;
    double i22 = 1.0 / l22;
    double i10 = -l10 * i00 * i11;
    double i21 = -l21 * i11 * i22;
    double i20 = -(l20 * i00 + l21 * i10) * i22;
    double xy = i10 * i11 + i20 * i21;
    double xz = i20 * i22;
    double yz = i21 * i22;
    return (HedMat3){{{i00 * i00 + i10 * i10 + i20 * i20, xy, xz},
                      {xy, i11 * i11 + i21 * i21, yz},
                      {xz, yz, i22 * i22}}};
}

// The rotation R that makes trace(R' a) largest is the quaternion that makes q' K q largest, K
// built from a (Horn 1987): the eigenvector of the largest eigenvalue of a symmetric 4 x 4 matrix.
// Unlike iterations on a itself it has no trouble with singular or inverted input.
HedPolar3 hed_mat3_polar(HedMat3 a) {
    double scale = 0.0;
    for (int i = 0; i < 9; ++i) {
        scale = fmax(scale, fabs((&a.m[0][0])[i]));
    }
    // Divided, not multiplied by 1 / scale, which is infinite for subnormal scales.
    HedMat3 s = a;
    for (int i = 0; i < 9 && scale > 0.0; ++i) {
        (&s.m[0][0])[i] /= scale;
    }
    double xx = s.m[0][0], xy = s.m[1][0], xz = s.m[2][0];
    double yx = s.m[0][1], yy = s.m[1][1], yz = s.m[2][1];
    double zx = s.m[0][2], zy = s.m[1][2], zz = s.m[2][2];
    double k[16] = {
        xx + yy + zz, yz - zy,      zx - xz,       xy - yx,       //
        yz - zy,      xx - yy - zz, xy + yx,       zx + xz,       //
        zx - xz,      xy + yx,      -xx + yy - zz, yz + zy,       //
        xy - yx,      zx + xz,      yz + zy,       -xx - yy + zz, //
    };
    double value[4];
    double vector[16];
    hed_eigen_symmetric(4, k, value, vector);
    HedQuat q = {vector[3], vector[7], vector[11], vector[15]};
    HedMat3 rotation = hed_quat_matrix(hed_quat_unit(q));
    HedMat3 stretch = hed_mat3_mul(hed_mat3_transpose(rotation), a);
    HedMat3 symmetric = hed_mat3_scale(0.5, hed_mat3_add(stretch, hed_mat3_transpose(stretch)));
    return (HedPolar3){rotation, symmetric};
}

HedEigen3 hed_mat3_eigen(HedMat3 a) {
    HedEigen3 eigen;
    hed_eigen_symmetric(3, &a.m[0][0], eigen.value, &eigen.vectors.m[0][0]);
    return eigen;
}
