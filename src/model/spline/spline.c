// SPDX-License-Identifier: MIT
#include "model/spline/spline.h"
#include "base/alloc.h"
#include "model/spline/kernel_spline.h"

static HedStatus check_def(const HedSplineDef* def, int32_t y, const HedVec3* x, HedError* error) {
    int32_t least = def->is_closed ? 3 : 4;
    if (def->point_count < least) {
        return hed_fail(error, HED_INVALID,
                        "spline yarn %d: needs at least %d control points, got %d", y, least,
                        def->point_count);
    }
    const double values[5] = {def->bend, def->axial, def->density, def->damping, def->bend_damping};
    const char* const names[5] = {"bending stiffness", "axial stiffness", "density",
                                  "damping of stretching", "damping of bending"};
    for (int k = 0; k < 5; ++k) {
        if (!(values[k] >= 0.0 && isfinite(values[k]))) {
            return hed_fail(error, HED_INVALID,
                            "spline yarn %d: %s must be finite and not negative, got %g", y,
                            names[k], values[k]);
        }
    }
    for (int32_t k = 0; k < def->point_count; ++k) {
        HedVec3 p = x[def->first + k];
        if (!hed_is_finite3(p)) {
            return hed_fail(error, HED_INVALID,
                            "spline yarn %d: control point %d must be finite, got (%g, %g, %g)", y,
                            k, p.x, p.y, p.z);
        }
    }
    return HED_OK;
}

static HedStatus count_segments(HedSplines* splines, const HedSplineDef* defs, int32_t count,
                                const HedVec3* x, HedError* error) {
    int64_t segments = 0;
    for (int32_t y = 0; y < count; ++y) {
        HedStatus status = check_def(&defs[y], y, x, error);
        if (status != HED_OK) {
            return status;
        }
        int32_t own = hed_cubic_count(HED_CUBIC_BSPLINE, defs[y].point_count, defs[y].is_closed);
        splines->yarn[y] = (HedSpline){defs[y], (int32_t)segments, own};
        segments += own;
        if (segments > INT32_MAX / 4) {
            return hed_fail(error, HED_INVALID, "spline yarn %d: more than %d segments together", y,
                            INT32_MAX / 4);
        }
    }
    splines->yarn_count = count;
    splines->segment_count = (int32_t)segments;
    return HED_OK;
}

static HedStatus allocate(HedSplines* splines, int32_t quadrature, HedError* error) {
    int64_t n = splines->segment_count;
    splines->point = HED_NEW_ARRAY(int32_t, 4 * n);
    splines->place = HED_NEW_ARRAY(uint8_t, n);
    splines->length = HED_NEW_ARRAY(double, n);
    splines->bend = HED_NEW_ARRAY(double, n);
    splines->axial = HED_NEW_ARRAY(double, n);
    splines->drag = HED_NEW_ARRAY(double, 2 * n);
    splines->s = HED_NEW_ARRAY(double, quadrature);
    splines->weight = HED_NEW_ARRAY(double, quadrature);
    if (!splines->point || !splines->place || !splines->length || !splines->bend ||
        !splines->axial || !splines->drag || !splines->s || !splines->weight) {
        return hed_fail_memory(error, "spline yarns");
    }
    splines->quadrature = quadrature;
    for (int32_t q = 0; q < quadrature; ++q) {
        splines->s[q] = (double)q / (quadrature - 1);
        splines->weight[q] = hed_simpson_weight(q, quadrature);
    }
    return HED_OK;
}

static HedStatus place_segments(HedSplines* splines, int32_t y, const HedVec3* x, HedError* error) {
    const HedSplineDef* def = &splines->yarn[y].def;
    for (int32_t k = 0; k < splines->yarn[y].segment_count; ++k) {
        int64_t i = (int64_t)splines->yarn[y].first_segment + k;
        HedCubicSegment segment =
            hed_cubic_segment(HED_CUBIC_BSPLINE, def->first, def->point_count, def->is_closed, k);
        HedVec3 p[4];
        splines->place[i] = (uint8_t)(def->goes_on ? HED_CUBIC_INNER : segment.place);
        for (int c = 0; c < 4; ++c) {
            splines->point[4 * i + c] = segment.point[c];
            p[c] = x[segment.point[c]];
        }
        HedCubic curve = hed_cubic_make(hed_spline_matrix(splines, i), p);
        double length = hed_cubic_length(&curve, 0.0, 1.0, splines->quadrature);
        // Equal points leave the rounding of their coordinates as a length.
        if (!(length > 1e-12 * hed_norm3(p[0]) && isfinite(1.0 / length))) {
            return hed_fail(error, HED_INVALID,
                            "spline yarn %d: segment %d must have a length, got %g", y, k, length);
        }
        splines->length[i] = length;
        splines->bend[i] = def->bend * length;
        splines->axial[i] = def->axial / length;
        splines->drag[2 * i] = def->damping * splines->axial[i];
        splines->drag[2 * i + 1] = def->bend_damping * splines->bend[i];
        splines->is_damped |= splines->drag[2 * i] > 0.0 || splines->drag[2 * i + 1] > 0.0;
    }
    return HED_OK;
}

HedStatus hed_splines_create(HedSplines* splines, const HedSplineDef* defs, int32_t count,
                             const HedVec3* x, int32_t quadrature, HedError* error) {
    HedStatus status = HED_OK;
    *splines = (HedSplines){0};
    if (quadrature < 3 || quadrature % 2 == 0 || quadrature > HED_SPLINE_QUADRATURE_MOST) {
        return hed_fail(error, HED_INVALID, "points of quadrature must be odd and in 3..%d, got %d",
                        HED_SPLINE_QUADRATURE_MOST, quadrature);
    }
    splines->yarn = HED_NEW_ARRAY(HedSpline, count);
    if (!splines->yarn) {
        return hed_fail_memory(error, "spline yarns");
    }
    HED_TRY(count_segments(splines, defs, count, x, error));
    HED_TRY(allocate(splines, quadrature, error));
    for (int32_t y = 0; y < count; ++y) {
        HED_TRY(place_segments(splines, y, x, error));
    }
done:
    if (status != HED_OK) {
        hed_splines_free(splines);
    }
    return status;
}

void hed_splines_limit_damping(HedSplines* splines, double most) {
    for (int32_t y = 0; y < splines->yarn_count; ++y) {
        HedSpline* yarn = &splines->yarn[y];
        yarn->def.damping = fmin(yarn->def.damping, most);
        for (int32_t k = 0; k < yarn->segment_count; ++k) {
            int64_t i = (int64_t)yarn->first_segment + k;
            splines->drag[2 * i] = yarn->def.damping * splines->axial[i];
        }
    }
}

void hed_splines_free(HedSplines* splines) {
    hed_free(splines->yarn);
    hed_free(splines->point);
    hed_free(splines->place);
    hed_free(splines->length);
    hed_free(splines->bend);
    hed_free(splines->axial);
    hed_free(splines->drag);
    hed_free(splines->s);
    hed_free(splines->weight);
    hed_groups_free(&splines->groups);
    hed_free(splines->slot);
    *splines = (HedSplines){0};
}

HedStatus hed_splines_cut(HedSplines* splines, HedRanges ranges, HedError* error) {
    return hed_groups_create(&splines->groups, ranges,
                             (HedStencils){splines->point, 4, splines->segment_count}, error);
}

HedSplineStencil hed_spline_at(const HedSplines* splines, int32_t yarn, double s) {
    const HedSpline* at = &splines->yarn[yarn];
    int32_t last = at->segment_count - 1;
    int32_t k = s > 0.0 ? (s < last ? (int32_t)s : last) : 0;
    HedSplineStencil out;
    int64_t segment = (int64_t)at->first_segment + k;
    const int32_t* point = splines->point + 4 * segment;
    for (int c = 0; c < 4; ++c) {
        out.point[c] = point[c];
    }
    double local = s - k;
    hed_cubic_weights(hed_spline_matrix(splines, segment),
                      local > 0.0 ? (local < 1.0 ? local : 1.0) : 0.0, out.weight);
    return out;
}

double hed_splines_strain(const HedSplines* splines, int32_t yarn, int32_t k, const HedVec3* x) {
    int64_t segment = (int64_t)splines->yarn[yarn].first_segment + k;
    HedCubic y = hed_spline_cubic(splines, segment, x);
    return hed_cubic_length(&y, 0.0, 1.0, splines->quadrature) / splines->length[segment] - 1.0;
}

double hed_splines_power(const HedSplines* splines, int32_t segment, const HedVec3* x,
                         const HedVec3* v) {
    HedCubic y = hed_spline_cubic(splines, segment, x);
    HedCubic rate = hed_spline_cubic(splines, segment, v);
    double power = 0.0;
    for (int32_t q = 0; q < splines->quadrature; ++q) {
        double s = splines->s[q], w = splines->weight[q];
        HedVec3 a = hed_cubic_slope(&rate, s), b = hed_cubic_bend(&rate, s);
        HedSplineStrain at = hed_spline_strain(hed_cubic_slope(&y, s), hed_cubic_bend(&y, s),
                                               splines->length[segment]);
        HedSplineViscosity by = {w * splines->drag[2 * (int64_t)segment],
                                 w * splines->drag[2 * (int64_t)segment + 1]};
        double along = hed_dot3(at.along_a, a);
        double kappa = hed_dot3(at.kappa_a, a) + hed_dot3(at.kappa_b, b);
        power += 2.0 * hed_spline_drag(at, along, kappa, by).dissipation;
    }
    return power;
}

double hed_splines_curvature(const HedSplines* splines, int32_t yarn, double s, const HedVec3* x) {
    const HedSpline* at = &splines->yarn[yarn];
    int32_t last = at->segment_count - 1;
    int32_t k = s > 0.0 ? (s < last ? (int32_t)s : last) : 0;
    HedCubic y = hed_spline_cubic(splines, (int64_t)at->first_segment + k, x);
    HedVec3 a = hed_cubic_slope(&y, s - k);
    double speed = hed_norm3(a);
    double turn = hed_norm3(hed_cross3(a, hed_cubic_bend(&y, s - k)));
    return speed > 0.0 ? turn / (speed * speed * speed) : 0.0;
}
