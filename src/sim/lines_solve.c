// SPDX-License-Identifier: MIT
// The multipliers of a chain of springs, all at once.
//
// One update of XPBD (see integrate_position.c) for all springs j of a chain, with the directions t
// of the moment, is the linear system
//   (1 + g) sum_k (J W J')_jk dl_k + a_j dl_j = -C_j - a_j l_j - g C'_j,    J W J' tridiagonal:
//   (J W J')_jj = w_j + w_(j+1),    (J W J')_j,j+1 = -w_(j+1) t_j . t_(j+1)
// where w are inverse masses. Divided by 1 + g it is symmetric and positive, and is eliminated from
// the first spring on. A held point has w = 0 and so cuts its chain by itself.
#include "sim/lines.h"

#include "math/vec3.h"

#include <math.h>
#include <string.h>

static const HedLineWork EMPTY;

// fmax does not become packed code.
HED_ALWAYS_INLINE double larger(double a, double b) {
    return a > b ? a : b;
}

// Damping of eight chains, and whether multipliers are kept: 1 or 0.
typedef struct Rate {
    double keep;
    double g[HED_LANES];
    double part[HED_LANES]; // 1 / (1 + g)
} Rate;

static Rate rate_of(const double damping[HED_LANES], const HedLineStep* step) {
    Rate rate = {.keep = step->remembers ? 1.0 : 0.0};
    for (int l = 0; l < HED_LANES; ++l) {
        rate.g[l] = rate.keep * damping[l] / step->h;
        rate.part[l] = 1.0 / (1.0 + rate.g[l]);
    }
    return rate;
}

static void gather(const HedLineGroup* group, const HedLineNode* node, const HedLineStep* step,
                   HedLineWork* work) {
    for (int32_t j = 0; j < group->node_count; ++j) {
        hed_lanes_gather(step->x, node[j].point, &work[j].x);
        for (int l = 0; l < HED_LANES; ++l) {
            double w = step->inverse_mass[node[j].point[l]];
            work[j].w[l] = j < group->count[l] ? w : 0.0;
        }
    }
}

static void scatter(const HedLineGroup* group, const HedLineNode* node, const HedLineWork* work,
                    HedVec3* x) {
    for (int32_t j = 0; j < group->node_count; ++j) {
        for (int l = 0; l < HED_LANES && j < group->count[l]; ++l) { // by falling length
            x[node[j].point[l]] = hed_lane(&work[j].x, l);
        }
    }
}

HED_ALWAYS_INLINE HedVec3 turn_of(const HedLineCurve* c, const HedLineWork* middle, int l) {
    HedVec3 d = hed_mul3(c->weight[0][l], hed_lane(&middle[-1].x, l));
    d = hed_madd3(d, c->weight[1][l], hed_lane(&middle[0].x, l));
    return hed_madd3(d, c->weight[2][l], hed_lane(&middle[1].x, l));
}

// Curvature elements one after the other along the chain.
static void bend(HedLineCurve* c, const Rate* rate, HedLineWork* m) {
#pragma omp simd
    for (int l = 0; l < HED_LANES; ++l) {
        HedVec3 d = turn_of(c, m, l);
        double length = hed_norm3(d);
        double mobility = c->weight[0][l] * c->weight[0][l] * m[-1].w[l] +
                          c->weight[1][l] * c->weight[1][l] * m[0].w[l] +
                          c->weight[2][l] * c->weight[2][l] * m[1].w[l];
        double a = c->compliance[l];
        double g = rate->g[l];
        double known = rate->keep * c->multiplier[l];
        double wanted = -(length - c->rest[l]) - a * known - g * (length - c->start[l]);
        bool is_there = length > 0.0 && mobility > 0.0;
        double push = is_there ? wanted / ((1.0 + g) * mobility + a) : 0.0;
        HedVec3 t = hed_mul3(is_there ? push / length : 0.0, d);
        c->multiplier[l] = known + push;
        hed_lane_add(&m[-1].x, l, c->weight[0][l] * m[-1].w[l], t);
        hed_lane_add(&m[0].x, l, c->weight[1][l] * m[0].w[l], t);
        hed_lane_add(&m[1].x, l, c->weight[2][l] * m[1].w[l], t);
    }
}

// One row of the system, with the part of the row before taken off. j = 0 takes EMPTY for it.
static void eliminate(const HedLineNode* n, const Rate* rate, const HedLineWork* before,
                      HedLineWork* k) {
#pragma omp simd
    for (int l = 0; l < HED_LANES; ++l) {
        HedVec3 d = hed_sub3(hed_lane(&k[1].x, l), hed_lane(&k[0].x, l));
        double length = hed_norm3(d);
        bool is_there = length > 0.0 && n->rest[l] > 0.0;
        double inverse = is_there ? 1.0 / length : 0.0;
        HedVec3 t = hed_mul3(inverse, d);
        double a = n->compliance[l];
        double g = rate->g[l];
        double part = rate->part[l];
        double wanted =
            -(length - n->rest[l]) - a * rate->keep * n->multiplier[l] - g * (length - n->start[l]);
        double off = -k->w[l] * hed_dot3(hed_lane(&before->t, l), t);
        double factor = off * before->inverse[l];
        double pivot = k[0].w[l] + k[1].w[l] + a * part - factor * off;
        hed_lane_set(&k->t, l, t);
        k->off[l] = off;
        k->inverse[l] = 1.0 / pivot;
        k->change[l] = (is_there ? wanted * part : 0.0) - factor * before->change[l];
        k->largest[l] = is_there ? larger(length, n->rest[l]) : 0.0;
    }
}

static void substitute(const HedLineWork* after, HedLineWork* k) {
#pragma omp simd
    for (int l = 0; l < HED_LANES; ++l) {
        k->change[l] = (k->change[l] - after->off[l] * after->change[l]) * k->inverse[l];
    }
}

// Where the point at the start of a spring goes, and the largest change of a spring's vector over
// its length, squared, so far. before: the point and spring before, or EMPTY.
static void find_motion(const HedLineWork* before, HedLineWork* k, double most[HED_LANES]) {
    bool is_first = before == &EMPTY;
#pragma omp simd
    for (int l = 0; l < HED_LANES; ++l) {
        HedVec3 motion = hed_mul3(before->change[l], hed_lane(&before->t, l));
        motion = hed_madd3(motion, -k->change[l], hed_lane(&k->t, l));
        motion = hed_mul3(k->w[l], motion);
        HedVec3 turn = hed_sub3(motion, hed_lane(&before->motion, l));
        double size = before->largest[l];
        double ratio = size > 0.0 && !is_first ? hed_dot3(turn, turn) / (size * size) : 0.0;
        most[l] = larger(most[l], ratio);
        hed_lane_set(&k->motion, l, motion);
    }
}

// No spring's vector changes by more than its length at once: springs that nearly contradict each
// other, or pins that jump, ask for more, and the directions that it was computed with do not hold
// so far.
static void move(HedLineNode* n, double keep, const double most[HED_LANES], HedLineWork* k) {
#pragma omp simd
    for (int l = 0; l < HED_LANES; ++l) {
        double part = most[l] > 1.0 ? 1.0 / sqrt(most[l]) : 1.0;
        n->multiplier[l] = keep * n->multiplier[l] + part * k->change[l];
        hed_lane_add(&k->x, l, part, hed_lane(&k->motion, l));
    }
}

static void stretch(const HedLineGroup* group, HedLineNode* node, const HedLineStep* step,
                    HedLineWork* work) {
    int32_t last = group->node_count - 1;
    double most[HED_LANES] = {0};
    Rate rate = rate_of(group->damping, step);
    for (int32_t j = 0; j < last; ++j) {
        eliminate(&node[j], &rate, j > 0 ? &work[j - 1] : &EMPTY, &work[j]);
    }
    memset(&work[last].t, 0, sizeof work[last].t);
    memset(work[last].change, 0, sizeof work[last].change);
    for (int32_t j = last - 1; j >= 0; --j) {
        substitute(j + 1 < last ? &work[j + 1] : &EMPTY, &work[j]);
    }
    for (int32_t j = 0; j <= last; ++j) {
        find_motion(j > 0 ? &work[j - 1] : &EMPTY, &work[j], most);
    }
    for (int32_t j = 0; j <= last; ++j) {
        move(&node[j], rate.keep, most, &work[j]);
    }
}

void hed_line_group_solve(HedLines* lines, int32_t index, const HedLineStep* step,
                          HedLineWork* work) {
    const HedLineGroup* group = &lines->group[index];
    HedLineNode* node = &lines->node[group->first];
    Rate rate = rate_of(group->bend_damping, step);
    gather(group, node, step, work);
    for (int32_t j = 1; group->has_curves && j < group->node_count - 1; ++j) {
        bend(&lines->curve[group->first + j], &rate, &work[j]);
    }
    stretch(group, node, step, work);
    scatter(group, node, work, step->x);
}

static void begin_node(HedLineNode* node, double h, const HedVec3* x) {
    for (int l = 0; l < HED_LANES; ++l) {
        node->multiplier[l] = 0.0;
        node->compliance[l] = 1.0 / (node->stiffness[l] * h * h);
        node->start[l] = hed_distance3(x[node[0].point[l]], x[node[1].point[l]]);
    }
}

static void begin_curve(HedLineCurve* c, const HedLineNode* middle, double h, const HedVec3* x) {
    for (int l = 0; l < HED_LANES; ++l) {
        HedVec3 d = hed_mul3(c->weight[0][l], x[middle[-1].point[l]]);
        d = hed_madd3(d, c->weight[1][l], x[middle[0].point[l]]);
        d = hed_madd3(d, c->weight[2][l], x[middle[1].point[l]]);
        c->multiplier[l] = 0.0;
        c->compliance[l] = 1.0 / (c->stiffness[l] * h * h);
        c->start[l] = hed_norm3(d);
    }
}

void hed_line_group_begin(HedLines* lines, int32_t index, double h, const HedVec3* x) {
    const HedLineGroup* group = &lines->group[index];
    HedLineNode* node = &lines->node[group->first];
    for (int32_t j = 0; j + 1 < group->node_count; ++j) {
        begin_node(&node[j], h, x);
        if (group->has_curves && j > 0) {
            begin_curve(&lines->curve[group->first + j], &node[j], h, x);
        }
    }
}
