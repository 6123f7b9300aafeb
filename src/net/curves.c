// SPDX-License-Identifier: MIT
// Thick, smooth yarns from a network.
//
// At a crossing the yarns lie at x +- sign R n, with n along S_0 x S_1 (heddle/net.h) and R the
// mean of their radii. In a clasp both run along the same straight way e, and what is in front at
// one end is behind at the other: the offset turns half around e. On its way it points to
//   b = P_e ((x_foot - x_outer0) + (x_outer1 - x_head)),   P_e = I - e e^T
// for the new yarn, which passes inside the old loop, and away from it for the old one. Two points,
// at thirds of the clasp, with the offset turned by 60 and 120 degrees, are enough.
//
// Curves through these points are centripetal Catmull-Rom splines (Barry and Goldman 1988 with the
// square roots of distances as knots): uniform ones overshoot where long and short pieces meet.
#include "base/alloc.h"
#include "base/status.h"
#include "heddle/net.h"
#include "math/vec3.h"

#include <inttypes.h>

enum { CLASP_POINTS = 2 };

// Network and where its nodes are.
typedef struct Place {
    const HedNet* net;
    const HedVec3* x; // NULL: at the start
} Place;

static HedVec3 node_at(Place p, int32_t node) {
    return p.x ? p.x[node] : p.net->nodes[node].position;
}

static HedVec3 visit_at(Place p, int32_t visit) {
    return node_at(p, p.net->visits[visit].node);
}

static const HedVec3 ZERO = {0.0, 0.0, 0.0};

// --- offsets ---

// How a yarn runs at a crossing: S of heddle/net.h.
static HedVec3 run_at(Place p, int32_t visit) {
    HedVec3 x = visit_at(p, visit);
    HedVec3 in = hed_unit3(hed_sub3(x, visit_at(p, visit - 1)), ZERO);
    HedVec3 out = hed_unit3(hed_sub3(visit_at(p, visit + 1), x), ZERO);
    return hed_add3(in, out);
}

// The normal of a crossing; yarns that run along each other have none, then that of the start is
// taken, upright to them.
static HedVec3 normal_at(Place p, const HedNetNode* node) {
    static const double PARALLEL = 1e-3; // sine
    HedVec3 a = run_at(p, node->visit[0]);
    HedVec3 b = run_at(p, node->visit[1]);
    HedVec3 n = hed_cross3(a, b);
    double scale = hed_norm3(a) * hed_norm3(b);
    if (hed_norm3(n) > PARALLEL * scale) {
        return hed_unit3(n, ZERO);
    }
    HedVec3 along = hed_unit3(a, (HedVec3){1.0, 0.0, 0.0});
    HedVec3 start = p.x ? normal_at((Place){p.net, NULL}, node) : ZERO;
    start = hed_madd3(start, -hed_dot3(start, along), along);
    return hed_unit3(start, hed_perpendicular3(along));
}

// Half the distance of the two yarns of a crossing.
static double radius_at(const HedNet* net, const HedNetNode* node) {
    double sum = 0.0;
    for (int slot = 0; slot < 2; ++slot) {
        sum += net->yarns[net->visits[node->visit[slot]].yarn].radius;
    }
    return 0.5 * sum;
}

// From a crossing to its yarn of slot 0; that of slot 1 lies on the other side.
static HedVec3 offset_at(Place p, const HedNetNode* node) {
    return hed_mul3(node->sign * radius_at(p.net, node), normal_at(p, node));
}

// Where the yarn of a visit lies. A tail goes on at the level of its crossing.
static HedVec3 yarn_at(Place p, int32_t visit) {
    const HedNetVisit* v = &p.net->visits[visit];
    const HedNetYarn* yarn = &p.net->yarns[v->yarn];
    int32_t by = visit;
    if (visit == yarn->first) {
        by = visit + 1;
    } else if (visit + 1 == yarn->first + yarn->count) {
        by = visit - 1;
    }
    const HedNetNode* node = &p.net->nodes[p.net->visits[by].node];
    HedVec3 x = node_at(p, v->node);
    if (node->visit[1] < 0) {
        return x;
    }
    return hed_madd3(x, p.net->visits[by].slot == 0 ? 1.0 : -1.0, offset_at(p, node));
}

// The new yarn at thirds of a clasp, from foot to head; the old one is opposite.
static void clasp_offsets(Place p, const HedNetClasp* clasp, HedVec3 offsets[CLASP_POINTS]) {
    static const double COS_60 = 0.5, SIN_60 = 0.86602540378443865;
    const HedNetNode* foot = &p.net->nodes[clasp->foot];
    HedVec3 x = node_at(p, clasp->foot), y = node_at(p, clasp->head);
    HedVec3 ends[2] = {offset_at(p, foot), offset_at(p, &p.net->nodes[clasp->head])};
    HedVec3 e = hed_unit3(hed_sub3(y, x), ZERO);
    HedVec3 in = hed_sub3(x, node_at(p, clasp->outer[0]));
    HedVec3 b = hed_add3(in, hed_sub3(node_at(p, clasp->outer[1]), y));
    b = hed_unit3(hed_madd3(b, -hed_dot3(b, e), e), ZERO);
    double radius = radius_at(p.net, foot);
    for (int32_t k = 0; k < CLASP_POINTS; ++k) {
        HedVec3 side = hed_madd3(ends[k], -hed_dot3(ends[k], e), e);
        HedVec3 way = hed_mul3(COS_60, hed_unit3(side, ZERO));
        offsets[k] = hed_mul3(radius, hed_unit3(hed_madd3(way, SIN_60, b), ZERO));
    }
}

// --- splines ---

// Draws a curve through the points that it is led to.
typedef struct Pen {
    HedVec3 c[4]; // the last points
    int32_t count;
    int32_t samples;
    HedVec3* out;
} Pen;

// Slope at c1 over a piece that lasts d2, between one of d1 and it.
static HedVec3 slope(HedVec3 c0, HedVec3 c1, HedVec3 c2, double d1, double d2, double span) {
    HedVec3 before = hed_mul3(1.0 / d1, hed_sub3(c1, c0));
    HedVec3 after = hed_mul3(1.0 / d2, hed_sub3(c2, c1));
    // The parabola through all three: each side counts as much as the other one lasts.
    return hed_mul3(span / (d1 + d2), hed_madd3(hed_mul3(d2, before), d1, after));
}

// Points from c[1] up to but without c[2].
static void draw(Pen* pen) {
    const HedVec3* c = pen->c;
    double d[3];
    for (int k = 0; k < 3; ++k) {
        d[k] = sqrt(hed_distance3(c[k], c[k + 1]));
    }
    double least = 1e-6 * (d[0] + d[1] + d[2]);
    for (int k = 0; k < 3; ++k) {
        d[k] = d[k] > least ? d[k] : (least > 0.0 ? least : 1.0);
    }
    HedVec3 m = slope(c[0], c[1], c[2], d[0], d[1], d[1]);
    HedVec3 n = slope(c[1], c[2], c[3], d[1], d[2], d[1]);
    for (int32_t k = 0; k < pen->samples; ++k) {
        double s = (double)k / pen->samples;
        double s2 = s * s, s3 = s2 * s;
        HedVec3 x = hed_lerp3(c[1], c[2], 3.0 * s2 - 2.0 * s3);
        *pen->out++ = hed_madd3(hed_madd3(x, s3 - 2.0 * s2 + s, m), s3 - s2, n);
    }
}

static HedVec3 beyond(HedVec3 from, HedVec3 to) {
    return hed_madd3(to, 1.0, hed_sub3(to, from));
}

static void lead(Pen* pen, HedVec3 point) {
    HedVec3* c = pen->c;
    c[3] = point;
    if (pen->count == 1) {
        c[1] = beyond(point, c[2]); // before the first
    } else if (pen->count > 1) {
        draw(pen);
    }
    c[0] = c[1];
    c[1] = c[2];
    c[2] = c[3];
    pen->count += 1;
}

static void lift(Pen* pen) {
    pen->c[3] = beyond(pen->c[1], pen->c[2]);
    draw(pen);
    *pen->out++ = pen->c[2];
}

// --- yarns ---

static void lead_clasp(Place p, int32_t visit, Pen* pen) {
    const HedNetVisit* v = &p.net->visits[visit];
    const HedNetClasp* clasp = &p.net->clasps[v->clasp];
    HedVec3 offsets[CLASP_POINTS];
    clasp_offsets(p, clasp, offsets);
    bool is_up = v->node == clasp->foot;
    HedVec3 x = node_at(p, clasp->foot), y = node_at(p, clasp->head);
    for (int32_t i = 0; i < CLASP_POINTS; ++i) {
        int32_t k = is_up ? i : CLASP_POINTS - 1 - i;
        HedVec3 axis = hed_lerp3(x, y, (k + 1.0) / (CLASP_POINTS + 1.0));
        lead(pen, hed_madd3(axis, v->slot == 0 ? 1.0 : -1.0, offsets[k]));
    }
}

static int64_t control_count(const HedNet* net, const HedNetYarn* yarn) {
    int64_t count = yarn->count;
    for (int32_t k = 0; k < yarn->count; ++k) {
        count += net->visits[yarn->first + k].clasp >= 0 ? CLASP_POINTS : 0;
    }
    return count;
}

int64_t hed_net_curve_point_count(const HedNet* net, int32_t samples) {
    int64_t count = 0;
    for (int32_t i = 0; i < net->yarn_count; ++i) {
        count += (control_count(net, &net->yarns[i]) - 1) * samples + 1;
    }
    return count;
}

int32_t hed_net_piece_points(const HedNet* net, int32_t visit, int32_t samples) {
    return samples * (net->visits[visit].clasp >= 0 ? CLASP_POINTS + 1 : 1);
}

void hed_net_curve_points(const HedNet* net, const HedVec3* positions, int32_t samples,
                          HedVec3* points) {
    HED_ASSERT(samples >= 1);
    Place p = {net, positions};
    Pen pen = {.samples = samples, .out = points};
    for (int32_t i = 0; i < net->yarn_count; ++i) {
        const HedNetYarn* yarn = &net->yarns[i];
        pen.count = 0;
        for (int32_t visit = yarn->first; visit < yarn->first + yarn->count; ++visit) {
            lead(&pen, yarn_at(p, visit));
            if (net->visits[visit].clasp >= 0) {
                lead_clasp(p, visit, &pen);
            }
        }
        lift(&pen);
    }
}

static HedStatus check_positions(const HedNet* net, const HedVec3* positions, HedError* error) {
    for (int32_t i = 0; positions && i < net->node_count; ++i) {
        if (!hed_is_finite3(positions[i])) {
            return hed_fail(error, HED_INVALID,
                            "node %" PRId32 ": its position must be finite, got (%g, %g, %g)", i,
                            positions[i].x, positions[i].y, positions[i].z);
        }
    }
    return HED_OK;
}

HedStatus hed_net_curves(const HedNet* net, const HedVec3* positions, int32_t samples,
                         HedCurves* curves, HedError* error) {
    HedStatus status = HED_OK;
    HedCurves made = {.up_axis = -1};
    int64_t count = samples >= 1 ? hed_net_curve_point_count(net, samples) : 0;
    if (samples < 1 || count > INT32_MAX) {
        return hed_fail(error, HED_INVALID,
                        "curves of a network need 1 point per piece or more, and at most %" PRId32
                        " points, got %" PRId32 " per piece and %" PRId64 " points",
                        INT32_MAX, samples, count);
    }
    HED_TRY(check_positions(net, positions, error));
    made.vertices = HED_NEW_ARRAY(HedVec3, count);
    made.curves = HED_NEW_ARRAY(HedCurve, net->yarn_count);
    if (!made.vertices || !made.curves) {
        HED_TRY(hed_fail_memory(error, "curves of a network"));
    }
    for (int32_t i = 0; i < net->yarn_count; ++i) {
        const HedNetYarn* yarn = &net->yarns[i];
        made.curves[i] =
            (HedCurve){.first = made.vertex_count,
                       .count = (int32_t)((control_count(net, yarn) - 1) * samples + 1),
                       .color = yarn->color,
                       .radius = yarn->radius};
        made.vertex_count += made.curves[i].count;
    }
    made.curve_count = net->yarn_count;
    hed_net_curve_points(net, positions, samples, made.vertices);
    *curves = made;
    return HED_OK;
done:
    hed_free(made.vertices);
    hed_free(made.curves);
    return status;
}
