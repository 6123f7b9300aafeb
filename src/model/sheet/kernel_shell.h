// SPDX-License-Identifier: MIT
// Bending of one triangle, by the angles theta_i between it and its three neighbours.
//
// With l_i the length of side i at rest, m_i the unit normal to it in the triangle's plane and A
// the area, the curvature of the sheet over the triangle is
//   Lambda = sum theta_i l_i / (2 A) m_i m_i'      (Grinspun, Gingold, Reisman, Zorin 2006),
// exactly, for small angles, if the sheet is a quadratic function on a regular mesh. A single sum
// of squares of angles (kernel_hinge.h alone) is not: on right-angled triangles cut one way it
// couples bending with twist and is a quarter too soft. An isotropic plate of rigidity D (N m)
// holds
//   E = A D/2 ((1 - nu) Lambda:Lambda + nu tr(Lambda)^2) = 1/2 sum q_ij (theta_i - rest_i) (theta_j
//   - rest_j), q_ij = D l_i l_j / (4 A) ((1 - nu) (m_i.m_j)^2 + nu).
// A side without a neighbour is free: its angle is the one of least energy, which changes q to
//   q_ij - q_ib q_bj / q_bb          for each such side b.
// q is positive semidefinite, so q_ij grad theta_i grad theta_j' is the positive form.
//
// In the quadratic model the angles are vectors c_i, linear in the points (kernel_flat.h).
#ifndef HED_MODEL_SHEET_KERNEL_SHELL_H
#define HED_MODEL_SHEET_KERNEL_SHELL_H

#include "model/sheet/kernel_flat.h"
#include "model/sheet/kernel_hinge.h"

enum { HED_SHELL_POINTS = 6 };

/// Corners 0 to 2; point 3 + i is the neighbour's far corner across the side from i to i + 1.
typedef struct HedShellRest {
    double q[3][3];   // J
    double angle[3];  // rad, at rest
    bool has_side[3]; // there is a neighbour
} HedShellRest;

/// Which points hinge `side` has, in the order of kernel_hinge.h.
static inline void hed_shell_hinge(int side, int point[4]) {
    point[0] = side;
    point[1] = (side + 1) % 3;
    point[2] = (side + 2) % 3;
    point[3] = 3 + side;
}

/// q for a triangle with these corners at rest; free sides are taken out.
static inline void hed_shell_stiffness(const HedVec3 x[3], double rigidity, double poisson,
                                       const bool has_side[3], double q[3][3]) {
    HedVec3 e[3];
    double length[3];
    for (int i = 0; i < 3; ++i) {
        e[i] = hed_sub3(x[(i + 1) % 3], x[i]);
        length[i] = hed_norm3(e[i]);
    }
    double area = 0.5 * hed_norm3(hed_cross3(e[0], e[1]));
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            // Normals to two sides make the angle that the sides make.
            double c = hed_dot3(e[i], e[j]) / (length[i] * length[j]);
            q[i][j] = rigidity * length[i] * length[j] / (4.0 * area) *
                      ((1.0 - poisson) * c * c + poisson);
        }
    }
    for (int b = 0; b < 3; ++b) {
        if (has_side[b]) {
            continue;
        }
        double pivot = q[b][b];
        for (int i = 0; i < 3; ++i) {
            for (int j = 0; j < 3 && i != b; ++j) {
                q[i][j] -= j != b && pivot > 0.0 ? q[i][b] * q[b][j] / pivot : 0.0;
            }
        }
        for (int i = 0; i < 3; ++i) {
            q[i][b] = q[b][i] = 0.0;
        }
    }
}

/// Angles of the three sides, and their gradients by the six points; zero where there is no
/// neighbour.
typedef struct HedShell {
    HedHingeParts parts[3];
    double angle[3];
    HedVec3 gradient[3][HED_SHELL_POINTS];
} HedShell;

static inline void hed_shell_eval(const HedVec3 x[HED_SHELL_POINTS], const HedShellRest* rest,
                                  HedShell* out) {
    *out = (HedShell){0};
    for (int side = 0; side < 3; ++side) {
        if (!rest->has_side[side]) {
            continue;
        }
        int point[4];
        hed_shell_hinge(side, point);
        out->parts[side] =
            hed_hinge_parts((HedHingePoints){{x[point[0]], x[point[1]], x[point[2]], x[point[3]]}});
        HedHingeAngle hinge = hed_hinge_from(&out->parts[side]);
        out->angle[side] = hinge.angle;
        for (int k = 0; k < 4; ++k) {
            out->gradient[side][point[k]] = hinge.gradient[k];
        }
    }
}

/// The same for the quadratic model's angles, which its damping sees (kernel_flat.h). weight: of
/// each side's hinge.
static inline void hed_shell_flat_turns(const HedVec3 x[HED_SHELL_POINTS], const HedShellRest* rest,
                                        const double weight[3][4], HedShell* out) {
    *out = (HedShell){0};
    for (int side = 0; side < 3; ++side) {
        if (!rest->has_side[side]) {
            continue;
        }
        int point[4];
        hed_shell_hinge(side, point);
        const HedVec3 four[4] = {x[point[0]], x[point[1]], x[point[2]], x[point[3]]};
        HedFlatTurn turn = hed_flat_turn(four, weight[side]);
        out->angle[side] = turn.angle;
        for (int k = 0; k < 4; ++k) {
            out->gradient[side][point[k]] = turn.gradient[k];
        }
    }
}

/// Rates of three angles from the velocities of the points.
static inline void hed_shell_rates(const HedShell* shell, const HedVec3 v[HED_SHELL_POINTS],
                                   double rate[3]) {
    for (int i = 0; i < 3; ++i) {
        rate[i] = 0.0;
        for (int k = 0; k < HED_SHELL_POINTS; ++k) {
            rate[i] += hed_dot3(shell->gradient[i][k], v[k]);
        }
    }
}

/// q times three numbers.
static inline void hed_shell_moments(const double q[3][3], const double turn[3], double out[3]) {
    for (int i = 0; i < 3; ++i) {
        out[i] = q[i][0] * turn[0] + q[i][1] * turn[1] + q[i][2] * turn[2];
    }
}

/// Half the product of angles and moments.
static inline double hed_shell_half_product(const double turn[3], const double moment[3]) {
    return 0.5 * (turn[0] * moment[0] + turn[1] * moment[1] + turn[2] * moment[2]);
}

/// Adds sum_ij scale q_ij grad_i grad_j' to the blocks (a, b), a <= b.
static inline void hed_shell_first(const HedShell* shell, const double q[3][3], double scale,
                                   HedMat3 block[HED_SHELL_POINTS][HED_SHELL_POINTS]) {
    for (int b = 0; b < HED_SHELL_POINTS; ++b) {
        HedVec3 mixed[3];
        for (int i = 0; i < 3; ++i) {
            mixed[i] = hed_mul3(scale * q[i][0], shell->gradient[0][b]);
            mixed[i] = hed_madd3(mixed[i], scale * q[i][1], shell->gradient[1][b]);
            mixed[i] = hed_madd3(mixed[i], scale * q[i][2], shell->gradient[2][b]);
        }
        for (int a = 0; a <= b; ++a) {
            for (int i = 0; i < 3; ++i) {
                HedMat3 part = hed_mat3_outer(shell->gradient[i][a], mixed[i]);
                block[a][b] = hed_mat3_add(block[a][b], part);
            }
        }
    }
}

/// Adds sum_i moment_i * second derivative of angle i to the blocks (a, b), a <= b.
static inline void hed_shell_second(const HedShell* shell, const HedShellRest* rest,
                                    const double moment[3],
                                    HedMat3 block[HED_SHELL_POINTS][HED_SHELL_POINTS]) {
    for (int side = 0; side < 3; ++side) {
        if (!rest->has_side[side]) {
            continue;
        }
        int point[4];
        HedMat3 second[4][4];
        hed_shell_hinge(side, point);
        hed_hinge_hessian(&shell->parts[side], second);
        for (int k = 0; k < 4; ++k) {
            for (int l = 0; l < 4; ++l) {
                HedMat3* to = &block[point[k]][point[l]];
                if (point[k] <= point[l]) {
                    *to = hed_mat3_add(*to, hed_mat3_scale(moment[side], second[k][l]));
                }
            }
        }
    }
}

/// The second derivative times a vector: q grad grad' d + moment * second derivative of the angles
/// * d. moment: q times the turns from rest; zero gives the positive form.
static inline void hed_shell_product(const HedShell* shell, const HedShellRest* rest,
                                     const double moment[3], const HedVec3 d[HED_SHELL_POINTS],
                                     HedVec3 out[HED_SHELL_POINTS]) {
    double rate[3], more[3];
    hed_shell_rates(shell, d, rate);
    hed_shell_moments(rest->q, rate, more);
    for (int side = 0; side < 3; ++side) {
        if (!rest->has_side[side]) {
            continue;
        }
        int point[4];
        HedMat3 second[4][4];
        hed_shell_hinge(side, point);
        hed_hinge_hessian(&shell->parts[side], second);
        for (int k = 0; k < 4; ++k) {
            HedVec3* to = &out[point[k]];
            *to = hed_madd3(*to, more[side], shell->gradient[side][point[k]]);
            for (int l = 0; l < 4; ++l) {
                *to = hed_madd3(*to, moment[side], hed_mat3_apply(second[k][l], d[point[l]]));
            }
        }
    }
}

#endif
