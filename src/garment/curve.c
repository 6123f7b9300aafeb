// SPDX-License-Identifier: MIT
#include "garment/curve.h"

static const double PI = 3.14159265358979323846;

static int32_t degree_of(const HedPlaneCurve* c) {
    return c->kind == HED_EDGE_CUBIC ? 3 : c->kind == HED_EDGE_QUADRATIC ? 2 : 1;
}

// de Casteljau with 1, 2 or 3 steps.
static HedMaterialPoint bezier(const HedPlaneCurve* c, double t) {
    HedMaterialPoint q[4] = {c->p[0], c->p[1], c->p[2], c->p[3]};
    for (int32_t degree = degree_of(c); degree > 0; --degree) {
        for (int32_t i = 0; i < degree; ++i) {
            q[i] = hed_mix2(q[i], q[i + 1], t);
        }
    }
    return q[0];
}

static HedMaterialPoint bezier_derivative(const HedPlaneCurve* c, double t) {
    int32_t degree = degree_of(c);
    HedMaterialPoint d[3] = {{0}};
    for (int32_t i = 0; i < degree; ++i) {
        d[i] = (HedMaterialPoint){degree * (c->p[i + 1].u - c->p[i].u),
                                  degree * (c->p[i + 1].v - c->p[i].v)};
    }
    for (int32_t k = degree - 1; k > 0; --k) {
        for (int32_t i = 0; i < k; ++i) {
            d[i] = hed_mix2(d[i], d[i + 1], t);
        }
    }
    return d[0];
}

static double speed(const HedPlaneCurve* c, double t) {
    if (c->kind == HED_EDGE_ARC) {
        return c->radius * fabs(c->turn);
    }
    HedMaterialPoint d = bezier_derivative(c, t);
    return hypot(d.u, d.v);
}

// Length between two parameters by five-point Gauss-Legendre quadrature.
static double length_between(const HedPlaneCurve* c, double t0, double t1) {
    static const double X[3] = {0.0, 0.53846931010568309, 0.90617984593866399};
    static const double W[3] = {0.56888888888888889, 0.47862867049936647, 0.23692688505618909};
    double middle = 0.5 * (t0 + t1);
    double half = 0.5 * (t1 - t0);
    double sum = W[0] * speed(c, middle);
    for (int32_t i = 1; i < 3; ++i) {
        sum += W[i] * (speed(c, middle - half * X[i]) + speed(c, middle + half * X[i]));
    }
    return half * sum;
}

// Centre and angles of an arc from its ends and its radius. Seen along the way from start to end,
// an arc to the right runs anticlockwise, and its centre is to the left unless it is the large one.
static bool prepare_arc(const HedPanelEdge* edge, HedMaterialPoint a, HedMaterialPoint b,
                        HedPlaneCurve* c) {
    double chord = hed_distance2(a, b);
    if (!(edge->radius > 0.0) || !isfinite(edge->radius) ||
        edge->radius < 0.5 * chord * (1.0 - 1e-6)) {
        return false;
    }
    c->radius = fmax(edge->radius, 0.5 * chord);
    double height = sqrt(fmax(c->radius * c->radius - 0.25 * chord * chord, 0.0));
    double side = edge->is_right != edge->is_large ? height / chord : -height / chord;
    HedMaterialPoint centre = hed_mix2(a, b, 0.5);
    centre.u -= side * (b.v - a.v);
    centre.v += side * (b.u - a.u);
    double half = asin(fmin(0.5 * chord / c->radius, 1.0));
    double turn = edge->is_large ? 2.0 * (PI - half) : 2.0 * half;
    c->p[1] = centre;
    c->angle = atan2(a.v - centre.v, a.u - centre.u);
    c->turn = edge->is_right ? turn : -turn;
    c->bend = turn;
    return true;
}

// Sum of the angles between directions at the ends of pieces; a cusp counts as the turn it is.
static double total_bend(const HedPlaneCurve* c) {
    double bend = 0.0;
    HedMaterialPoint before = {0};
    for (int32_t i = 0; i <= HED_CURVE_PIECES; ++i) {
        HedMaterialPoint d = bezier_derivative(c, (double)i / HED_CURVE_PIECES);
        if (d.u == 0.0 && d.v == 0.0) {
            continue;
        }
        if (before.u != 0.0 || before.v != 0.0) {
            bend += fabs(atan2(before.u * d.v - before.v * d.u, before.u * d.u + before.v * d.v));
        }
        before = d;
    }
    return bend;
}

bool hed_plane_curve(const HedPanelEdge* edge, HedMaterialPoint start, HedMaterialPoint end,
                     HedPlaneCurve* curve) {
    *curve = (HedPlaneCurve){.kind = edge->kind, .p = {start}};
    if (edge->kind == HED_EDGE_ARC) {
        curve->p[3] = end;
        if (!prepare_arc(edge, start, end, curve)) {
            return false;
        }
    } else {
        int32_t inner = degree_of(curve) - 1;
        for (int32_t i = 0; i < inner; ++i) {
            curve->p[i + 1] = edge->control[i];
            if (!hed_is_finite2(edge->control[i])) {
                return false;
            }
        }
        curve->p[inner + 1] = end;
        curve->bend = inner > 0 ? total_bend(curve) : 0.0;
    }
    for (int32_t i = 0; i < HED_CURVE_PIECES; ++i) {
        curve->lengths[i + 1] =
            curve->lengths[i] +
            length_between(curve, (double)i / HED_CURVE_PIECES, (double)(i + 1) / HED_CURVE_PIECES);
    }
    return isfinite(hed_plane_curve_length(curve));
}

// The parameter at a given length: the piece from the table, then bisection safeguards Newton.
static double parameter_at(const HedPlaneCurve* c, double length) {
    int32_t piece = 0;
    while (piece < HED_CURVE_PIECES - 1 && c->lengths[piece + 1] < length) {
        ++piece;
    }
    double start = (double)piece / HED_CURVE_PIECES;
    double low = start;
    double high = (double)(piece + 1) / HED_CURVE_PIECES;
    double t = 0.5 * (low + high);
    for (int32_t i = 0; i < 60; ++i) {
        double excess = c->lengths[piece] + length_between(c, start, t) - length;
        *(excess > 0.0 ? &high : &low) = t;
        double v = speed(c, t);
        double next = v > 0.0 ? t - excess / v : low;
        next = next > low && next < high ? next : 0.5 * (low + high);
        if (fabs(next - t) < 1e-15) {
            break;
        }
        t = next;
    }
    return t;
}

HedMaterialPoint hed_plane_curve_at(const HedPlaneCurve* curve, double s) {
    if (s <= 0.0) {
        return curve->p[0];
    }
    if (s >= 1.0) {
        return curve->kind == HED_EDGE_ARC ? curve->p[3] : curve->p[degree_of(curve)];
    }
    if (curve->kind == HED_EDGE_LINE) {
        return hed_mix2(curve->p[0], curve->p[1], s);
    }
    if (curve->kind == HED_EDGE_ARC) {
        double angle = curve->angle + s * curve->turn;
        return (HedMaterialPoint){curve->p[1].u + curve->radius * cos(angle),
                                  curve->p[1].v + curve->radius * sin(angle)};
    }
    return bezier(curve, parameter_at(curve, s * hed_plane_curve_length(curve)));
}
