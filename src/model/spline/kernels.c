// SPDX-License-Identifier: MIT
// The register of spline kernels.
#include "model/spline/kernels.h"
#include "geom/cubic.h"
#include "model/spline/kernel_spline.h"

// One point of quadrature of a segment, and how the four control points enter a and b.
typedef struct SplineRest {
    HedSplineRest rest;
    HedSplineViscosity viscosity;
    double slope[4], bend[4];
} SplineRest;

static void spline_rest(const HedVec3* x, const double* draw, void* data) {
    SplineRest* spline = data;
    const HedCubicMatrix* basis = hed_cubic_matrix(HED_CUBIC_BSPLINE, HED_CUBIC_INNER);
    hed_cubic_slopes(basis, draw[0], spline->slope);
    hed_cubic_bends(basis, draw[0], spline->bend);
    HedCubic y = hed_cubic_make(basis, x);
    double length = hed_cubic_length(&y, 0.0, 1.0, 11);
    spline->rest = (HedSplineRest){1e-9 * (1.0 + draw[1]) * length, draw[2] / length, length};
    spline->viscosity = (HedSplineViscosity){1e-3 * draw[2] / length, 1e-12 * length};
}

// The energy falls like |a|^-6: differences need steps that are small against |a|.
static bool spline_smooth(const HedVec3* x, const HedVec3* v, const void* data, double margin) {
    (void)v;
    const SplineRest* spline = data;
    HedVec3 a = hed_cubic_sum(spline->slope, x), b = hed_cubic_sum(spline->bend, x);
    double speed = hed_norm3(a);
    bool is_bent = hed_norm3(hed_cross3(a, b)) > 6.0 * margin * speed;
    return speed > 6.0 * margin && speed > 2e-3 * spline->rest.length && is_bent;
}

static void spline_spread(const SplineRest* spline, const HedSplineHessian* h,
                          HedMat3 blocks[HED_KERNEL_POINTS][HED_KERNEL_POINTS]) {
    for (int m = 0; m < 4; ++m) {
        for (int n = 0; n < 4; ++n) {
            HedMat3 block = hed_mat3_scale(spline->slope[m] * spline->slope[n], h->aa);
            block = hed_mat3_add(block, hed_mat3_scale(spline->slope[m] * spline->bend[n], h->ab));
            block = hed_mat3_add(block, hed_mat3_scale(spline->bend[m] * spline->slope[n],
                                                       hed_mat3_transpose(h->ab)));
            blocks[m][n] =
                hed_mat3_add(block, hed_mat3_scale(spline->bend[m] * spline->bend[n], h->bb));
        }
    }
}

static void spline_evaluate(const HedVec3* x, const HedVec3* v, const void* data,
                            HedKernelOut* out) {
    const SplineRest* spline = data;
    HedVec3 a = hed_cubic_sum(spline->slope, x), b = hed_cubic_sum(spline->bend, x);
    HedVec3 ra = hed_cubic_sum(spline->slope, v), rb = hed_cubic_sum(spline->bend, v);
    HedSplineOut at = hed_spline_eval(a, b, spline->rest);
    out->energy = at.bend + at.stretch;
    for (int k = 0; k < 4; ++k) {
        out->gradient[k] = hed_madd3(hed_mul3(spline->slope[k], at.a), spline->bend[k], at.b);
    }
    HedSplineHessian exact = hed_spline_exact(a, b, spline->rest);
    HedSplineHessian positive = hed_spline_positive(a, b, spline->rest);
    spline_spread(spline, &exact, out->hessian);
    spline_spread(spline, &positive, out->positive);
    HedSplineStrain strain = hed_spline_strain(a, b, spline->rest.length);
    HedSplineDrag drag = hed_spline_drag(
        strain, hed_dot3(strain.along_a, ra),
        hed_dot3(strain.kappa_a, ra) + hed_dot3(strain.kappa_b, rb), spline->viscosity);
    out->dissipation = drag.dissipation;
    for (int k = 0; k < 4; ++k) {
        out->rate_gradient[k] =
            hed_madd3(hed_mul3(spline->slope[k], drag.a), spline->bend[k], drag.b);
    }
    HedSplineHessian viscous = hed_spline_drag_hessian(strain, spline->viscosity, 1.0);
    spline_spread(spline, &viscous, out->rate_hessian);
}

static const HedKernel KERNELS[] = {
    {"spline", 4, HED_KERNEL_TRANSLATES | HED_KERNEL_ROTATES | HED_KERNEL_SPINS, 0.01, spline_rest,
     spline_smooth, spline_evaluate},
};

HedKernelTable hed_spline_kernels(void) {
    return (HedKernelTable){KERNELS, sizeof KERNELS / sizeof KERNELS[0]};
}
