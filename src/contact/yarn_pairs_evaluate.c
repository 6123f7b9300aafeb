// SPDX-License-Identifier: MIT
#include "contact/yarn_pairs_evaluate.h"

#include <string.h>

enum { S = HED_YARN_SPAN, ROW = HED_YARN_ROW_MOST, SLOT = HED_YARN_SLOT, LIMIT = HED_YARN_LIMIT };

// What a thread holds while it goes through the pairs of one segment.
typedef struct Work {
    HedWide own[ROW][3];       // sums of the first segment's points, in lanes
    HedWide own_bound[ROW][2]; // their bounds
    double other[3 * ROW];     // sums of the second one's
    double other_bound[2 * ROW];
    double extra_bound[LIMIT]; // friction's part of the first segment's bounds
    double parameter[ROW];
    HedYarnSides lanes;
    HedYarnLoads load;
    double load_of[3]; // what it follows from: yarns of a cloth have few kinds
    HedYarnNear near;
    int32_t slot, limit; // next places in slots and bounds
    HedYarnSum sum;
    double touching, points;
} Work;

// m^2, R^2 and a little more.
HED_WIDE double beyond(double reach) {
    return 1.000001 * reach * reach;
}

// Of yarns that touch at the distance reach, with k of the integral.
static HedYarnLoad load_of(const HedYarnContact* y, double reach, double k) {
    double over = 1.0 / (reach * reach);
    return (HedYarnLoad){
        .over = over,
        .reach = beyond(reach),
        .energy = k,
        .stiff = 2.0 * k * over,
        .along = 2.0 * y->def.damping_along,
        .across = 2.0 * y->def.damping_across,
    };
}

static void fill_load(const HedYarnContact* y, const HedYarnPairsEval* eval, int32_t i, int32_t j,
                      Work* work) {
    const HedYarnCurve* a = &y->curves[y->curve_of[i]];
    const HedYarnCurve* b = &y->curves[y->curve_of[j]];
    double reach = a->radius + b->radius;
    double sum = a->stiffness + b->stiffness, product = a->stiffness * b->stiffness;
    if (work->load_of[0] == reach && work->load_of[1] == sum && work->load_of[2] == product) {
        return;
    }
    work->load_of[0] = reach;
    work->load_of[1] = sum;
    work->load_of[2] = product;
    work->load.near = load_of(y, reach, 2.0 * product / sum);
    work->load.wide = load_of(y, (1.0 + eval->part) * reach, 2.0 * product / sum);
    work->load.wider = work->load.near.over / work->load.wide.over;
}

// Whether no two points of a span of segment i and one of segment j of the same yarn push each
// other: the way between them along the yarn lies between two bounds, and round a closed yarn it
// is longest at half the length.
static bool spans_are_free(const HedYarnContact* y, const Work* work, int32_t i, int32_t a,
                           int32_t j, int32_t b) {
    int32_t curve = y->curve_of[i];
    double skip = y->def.contact_free * y->curves[curve].radius;
    double start = y->arc[j] - y->arc[i];
    double low = start + work->parameter[S * b] * y->rest_length[j] -
                 work->parameter[S * a + S - 1] * y->rest_length[i];
    double high = start + work->parameter[S * b + S - 1] * y->rest_length[j] -
                  work->parameter[S * a] * y->rest_length[i];
    double half = 0.5 * y->curve_length[curve];
    if (y->curves[curve].is_closed && low < half && half < high) {
        return half < skip;
    }
    return hed_yarn_arc_between(y, curve, low, 0.0) < skip &&
           hed_yarn_arc_between(y, curve, high, 0.0) < skip;
}

// Leaves out spans of which nothing pushes.
static uint64_t drop_free_spans(const HedYarnContact* y, const Work* work, int32_t i, int32_t j,
                                uint64_t spans) {
    uint64_t kept = 0;
    for (uint64_t left = spans; left != 0; left &= left - 1) {
        int32_t at = __builtin_ctzll(left);
        bool is_free =
            spans_are_free(y, work, i, at / HED_YARN_SPANS_MOST, j, at % HED_YARN_SPANS_MOST);
        kept |= is_free ? 0 : left & -left;
    }
    return kept;
}

HED_WIDE HedYarnMeet meet_of(HedYarnKind kind, const HedYarnContact* y, const Work* work,
                             HedYarnPair pair, HedYarnReach at) {
    const int32_t row = kind.shape.row, p = at.first, q = at.second;
    HedYarnMeet meet = {
        .d = hed_yarn_between(hed_yarn_positions(y, pair.first) + p,
                              hed_yarn_load(hed_yarn_positions(y, pair.second) + q, row), row),
        .c = y->weight[(int64_t)pair.first * row + p] *
             hed_wide_load(y->weight + (int64_t)pair.second * row + q),
        .parameter = work->parameter[p],
        .parameters = work->parameter + q,
    };
    if (kind.is_moving && kind.is_pushed) {
        meet.w = hed_yarn_between(hed_yarn_velocities(y, pair.first) + p,
                                  hed_yarn_load(hed_yarn_velocities(y, pair.second) + q, row), row);
    }
    return meet;
}

HED_WIDE void add_to(double* to, HedWide a) {
    hed_wide_store(to, hed_wide_load(to) + a);
}

// One point against four.
HED_WIDE void meet_row(HedYarnKind kind, const HedYarnMeet* meet, HedYarnReach at, Work* work) {
    const int32_t row = kind.shape.row;
    const HedYarnLoads* load = &work->load;
    HedWide square = hed_yarn_dot(meet->d, meet->d);
    HedWide u = load->near.over * square;
    HedWide inverse = hed_yarn_inverse(u);
    if (kind.is_rated) {
        HedYarnBounds bounds = hed_yarn_bounds(kind, &load->wide, meet, load->wide.over * square,
                                               load->wider * inverse, &work->lanes.wide);
        double* to = work->other_bound + at.second;
        add_to(to, bounds.stiffness);
        add_to(to + row, bounds.damping);
        work->own_bound[at.first][0] += bounds.stiffness;
        work->own_bound[at.first][1] += bounds.damping;
    }
    if (kind.is_pushed &&
        (!kind.is_rated || hed_wide_bits(square < hed_wide_all(load->near.reach)) != 0)) {
        HedYarnWide3 f = hed_yarn_push(kind, &load->near, meet, u, inverse, &work->lanes.near);
        double* to = work->other + at.second;
        HedWide* own = work->own[at.first];
        add_to(to, f.x);
        add_to(to + row, f.y);
        add_to(to + 2 * row, f.z);
        own[0] -= f.x;
        own[1] -= f.y;
        own[2] -= f.z;
    }
}

HED_WIDE void set_zero(double* to, int32_t count) {
    HedWide zeros = hed_wide_zeros();
    for (int32_t k = 0; k < count; k += S) {
        hed_wide_store(to + k, zeros);
    }
}

HED_WIDE void clear_lanes(HedYarnLanes* lanes) {
    HedWide zero = hed_wide_all(0.0);
    lanes->weight = lanes->energy = lanes->damped = lanes->first = lanes->second = zero;
    lanes->x = lanes->y = lanes->z = zero;
    lanes->least = hed_wide_all(1.0);
}

HED_WIDE void clear(HedYarnKind kind, Work* work) {
    clear_lanes(&work->lanes.near);
    set_zero(work->other, 3 * kind.shape.row);
    if (kind.is_rated) {
        clear_lanes(&work->lanes.wide);
        set_zero(work->other_bound, 2 * kind.shape.row);
    }
}

// All pairs of points of two segments; true if any are near.
HED_WIDE bool meet_segments(HedYarnKind kind, const HedYarnContact* y, const HedYarnPairsEval* eval,
                            int32_t pair, int32_t i, Work* work) {
    int32_t j = y->list.other[pair];
    const HedYarnPair both = {i, j};
    const bool is_partial = y->list.is_partial[pair];
    double reach = hed_yarn_radius(y, i) + hed_yarn_radius(y, j);
    reach *= kind.is_rated ? 1.0 + eval->part : 1.0;
    uint64_t spans =
        hed_yarn_find_spans(kind.shape, hed_yarn_balls(y, i), hed_yarn_balls(y, j), reach);
    if (is_partial) {
        spans = drop_free_spans(y, work, i, j, spans);
    }
    if (spans == 0) {
        return false;
    }
    HedYarnNear* near = &work->near;
    work->points += S * S * __builtin_popcountll(spans);
    hed_yarn_find_rows(kind.shape, hed_yarn_positions(y, i), hed_yarn_positions(y, j), spans,
                       beyond(reach), near);
    if (near->count == 0) {
        return false;
    }
    fill_load(y, eval, i, j, work);
    clear(kind, work);
    for (int32_t k = 0; k < near->count; ++k) {
        HedYarnReach at = near->rows[k];
        HedYarnMeet meet = meet_of(kind, y, work, both, at);
        if (is_partial) {
            meet.c = hed_wide_where(
                hed_yarn_pushes(y, both, meet.parameter, hed_wide_load(meet.parameters)), meet.c);
        }
        meet_row(kind, &meet, at, work);
    }
    return true;
}

// Numbers of points to numbers of the four points of the segment, by weights.
HED_WIDE void project(HedYarnTableShape shape, const double* table, const double* sum,
                      double* out) {
    HedYarnWide3 to = {{0}, {0}, {0}};
    for (int32_t p = 0; p < shape.points; ++p) {
        HedWide w = hed_wide_load(table + 4 * (size_t)p);
        to.x += w * sum[p];
        to.y += w * sum[shape.row + p];
        to.z += w * sum[2 * shape.row + p];
    }
    hed_wide_store(out, to.x);
    hed_wide_store(out + 4, to.y);
    hed_wide_store(out + 8, to.z);
}

// The same of bounds, by the size of weights.
HED_WIDE void project_bound(HedYarnTableShape shape, const double* table, const double* sum,
                            double* out) {
    HedWide stiffness = hed_wide_all(0.0), damping = hed_wide_all(0.0);
    for (int32_t p = 0; p < shape.points; ++p) {
        HedWide w = hed_wide_abs(hed_wide_load(table + 4 * (size_t)p));
        stiffness += w * sum[p];
        damping += w * sum[shape.row + p];
    }
    hed_wide_store(out, stiffness);
    hed_wide_store(out + 4, damping);
}

HED_WIDE HedYarnTouch touch_of(const HedYarnLanes* lanes, double stiff) {
    double weight = hed_wide_sum(lanes->weight);
    return (HedYarnTouch){
        .first = hed_wide_sum(lanes->first) / weight,
        .second = hed_wide_sum(lanes->second) / weight,
        .push = {stiff * hed_wide_sum(lanes->x), stiff * hed_wide_sum(lanes->y),
                 stiff * hed_wide_sum(lanes->z)},
    };
}

// What a pair that touches leaves behind.
HED_WIDE void keep_pair(HedYarnKind kind, const HedYarnContact* y, int32_t pair, Work* work) {
    const HedYarnLanes* lanes = &work->lanes.near;
    int32_t slot = work->slot++;
    y->list.slot[pair] = slot;
    project(kind.shape, hed_yarn_weights(y, y->list.other[pair]), work->other,
            y->list.slots + (int64_t)SLOT * slot);
    work->touching += 1.0;
    work->sum.energy += work->load.near.energy * hed_wide_sum(lanes->energy);
    work->sum.damped += hed_wide_sum(lanes->damped);
    for (int k = 0; k < S; ++k) {
        double u = lanes->least[k];
        work->sum.deepest = u < work->sum.deepest ? u : work->sum.deepest;
    }
    if (kind.is_rubbing) {
        y->list.touch[slot] = touch_of(lanes, work->load.near.stiff);
    }
}

// Bounds of a pair that is near.
HED_WIDE void keep_bound(HedYarnKind kind, const HedYarnContact* y, const HedYarnPairsEval* eval,
                         int32_t i, int32_t pair, Work* work) {
    int32_t j = y->list.other[pair];
    double* bound = y->list.bounds + (int64_t)LIMIT * work->limit;
    y->list.limit[pair] = work->limit++;
    project_bound(kind.shape, hed_yarn_weights(y, j), work->other_bound, bound);
    if (kind.is_rubbing) {
        double* const out[2] = {work->extra_bound, bound};
        HedYarnTouch touch = touch_of(&work->lanes.wide, work->load.wide.stiff);
        HedContactFrame frame;
        hed_yarn_contact_frame(y, i, j, &touch, eval->at.x, &frame);
        frame.give *= 1.0 + eval->part;
        hed_yarn_add_friction_bound(y, eval, &frame, out);
    }
}

HED_WIDE void keep_own(HedYarnKind kind, const HedYarnContact* y, int32_t i, const Work* work) {
    const double* table = hed_yarn_weights(y, i);
    HedYarnWide3 to = {{0}, {0}, {0}};
    for (int32_t p = 0; p < kind.shape.points; ++p) {
        HedWide w = hed_wide_load(table + 4 * (size_t)p);
        HedWide sum = hed_wide_sums(work->own[p][0], work->own[p][1], work->own[p][2]);
        to.x += w * sum[0];
        to.y += w * sum[1];
        to.z += w * sum[2];
    }
    double* own = y->own + (int64_t)SLOT * i;
    hed_wide_store(own, to.x);
    hed_wide_store(own + 4, to.y);
    hed_wide_store(own + 8, to.z);
}

HED_WIDE void keep_own_bound(HedYarnKind kind, const HedYarnContact* y, int32_t i,
                             const Work* work) {
    const int32_t row = kind.shape.row;
    double sum[2 * ROW];
    for (int32_t p = 0; p < row; ++p) {
        sum[p] = hed_wide_sum(work->own_bound[p][0]);
        sum[row + p] = hed_wide_sum(work->own_bound[p][1]);
    }
    double* own = y->own_bound + (int64_t)LIMIT * i;
    project_bound(kind.shape, hed_yarn_weights(y, i), sum, own);
    add_to(own, hed_wide_load(work->extra_bound));
    add_to(own + 4, hed_wide_load(work->extra_bound + 4));
}

HED_WIDE void start_segment(HedYarnKind kind, Work* work) {
    HedWide zero = hed_wide_all(0.0);
    for (int32_t p = 0; p < kind.shape.points; ++p) {
        work->own[p][0] = work->own[p][1] = work->own[p][2] = zero;
    }
    if (kind.is_rated) {
        for (int32_t p = 0; p < kind.shape.row; ++p) {
            work->own_bound[p][0] = work->own_bound[p][1] = zero;
        }
        set_zero(work->extra_bound, LIMIT);
    }
}

// Asks for the record of the second segment of a pair that comes soon: balls, positions and, if
// they count, velocities.
HED_WIDE void fetch_ahead(HedYarnKind kind, const HedYarnContact* y, int32_t pair) {
    enum { LINE = 8, AHEAD = 2 };
    int32_t last = y->list.first[y->def.segment_count] - 1;
    const double* next = hed_yarn_balls(y, y->list.other[hed_min_i32(pair + AHEAD, last)]);
    int32_t count = 4 * kind.shape.ball_row + (kind.is_moving ? 6 : 3) * kind.shape.row;
    for (int32_t k = 0; k < count; k += LINE) {
        hed_prefetch(next + k);
    }
}

HED_WIDE void run_segment(HedYarnKind kind, const HedYarnContact* y, const HedYarnPairsEval* eval,
                          int32_t i, Work* work) {
    const int32_t slot = work->slot, limit = work->limit;
    start_segment(kind, work);
    for (int32_t pair = y->list.first[i]; pair < y->list.first[i + 1]; ++pair) {
        fetch_ahead(kind, y, pair);
        bool is_near = meet_segments(kind, y, eval, pair, i, work);
        if (kind.is_pushed) {
            y->list.slot[pair] = -1;
        }
        if (kind.is_rated) {
            y->list.limit[pair] = -1;
        }
        if (is_near && kind.is_pushed && hed_wide_sum(work->lanes.near.weight) > 0.0) {
            keep_pair(kind, y, pair, work);
        }
        if (is_near && kind.is_rated && hed_wide_sum(work->lanes.wide.weight) > 0.0) {
            keep_bound(kind, y, eval, i, pair, work);
        }
    }
    if (work->slot > slot) {
        keep_own(kind, y, i, work);
    } else if (kind.is_pushed) {
        set_zero(y->own + (int64_t)SLOT * i, SLOT);
    }
    if (work->limit > limit) {
        keep_own_bound(kind, y, i, work);
    } else if (kind.is_rated) {
        set_zero(y->own_bound + (int64_t)LIMIT * i, LIMIT);
    }
}

// Friction of a pair that touches, once all pairs of its block are known: one by one among the
// others they would wait for each other's roots and quotients.
static void add_friction(const HedYarnContact* y, const HedYarnPairsEval* eval, int32_t i,
                         int32_t pair, HedYarnSum* sum) {
    int32_t slot = y->list.slot[pair];
    double* const out[2] = {y->own + (int64_t)SLOT * i, y->list.slots + (int64_t)SLOT * slot};
    HedYarnTouch* touch = &y->list.touch[slot];
    const HedYarnPatch* patch = &y->list.patch[pair];
    HedContactFrame frame;
    hed_yarn_contact_frame(y, i, y->list.other[pair], touch, eval->at.x, &frame);
    HedYarnSlip slip = hed_yarn_slip(y, &frame, eval->at.v, y->spin);
    HedVec3 rub = hed_yarn_friction_force(y, &frame, slip.slip, patch->strain, eval->at.ahead);
    hed_yarn_spread(y, &frame, rub, out);
    touch->rub = rub;
    sum->rubbed += hed_dot3(rub, slip.slip);
    sum->stored += hed_yarn_stored(y, patch, frame.give);
}

// Asks for what friction needs of a pair that comes soon.
static void fetch_rub(const HedYarnContact* y, const HedYarnPairsEval* eval, int32_t pair,
                      int32_t end) {
    enum { AHEAD = 3 };
    int32_t slot = pair + AHEAD < end ? y->list.slot[pair + AHEAD] : -1;
    if (slot >= 0) {
        int32_t j = y->list.other[pair + AHEAD];
        const int32_t* point = y->segments[j].point;
        hed_prefetch(&eval->at.x[point[0]]);
        hed_prefetch(&eval->at.x[point[3]]);
        hed_prefetch(&eval->at.v[point[0]]);
        hed_prefetch(&eval->at.v[point[3]]);
        hed_prefetch(&y->spin[j]);
        hed_prefetch(y->turn + (int64_t)HED_YARN_TURN * j);
        hed_prefetch(&y->list.patch[pair + AHEAD]);
    }
}

static void rub_block(const HedYarnContact* y, const HedYarnPairsEval* eval, HedYarnBlock range,
                      HedYarnSum* sum) {
    for (int32_t i = range.first; i < range.end; ++i) {
        for (int32_t pair = y->list.first[i]; pair < y->list.first[i + 1]; ++pair) {
            fetch_rub(y, eval, pair, y->list.first[range.end]);
            if (y->list.slot[pair] >= 0) {
                add_friction(y, eval, i, pair, sum);
            }
        }
    }
}

HED_WIDE void run_block(HedYarnKind kind, const HedYarnContact* y, const HedYarnPairsEval* eval,
                        int32_t block) {
    HedYarnBlock range = hed_yarn_block(y, block);
    Work work = {.sum = {.deepest = 1.0}};
    work.slot = work.limit = y->list.first[range.first];
    for (int32_t p = 0; p < y->row; ++p) {
        work.parameter[p] = hed_min_i32(p, y->def.quadrature - 1) / (y->def.quadrature - 1.0);
    }
    for (int32_t i = range.first; i < range.end; ++i) {
        run_segment(kind, y, eval, i, &work);
    }
    if (!kind.is_pushed) {
        return;
    }
    if (kind.is_rubbing) {
        rub_block(y, eval, range, &work.sum);
    }
    double* partial = y->partial + (int64_t)block * HED_YARN_PARTIALS;
    partial[HED_YARN_ENERGY] = work.sum.energy;
    partial[HED_YARN_STORED] = work.sum.stored;
    partial[HED_YARN_DAMPED] = work.sum.damped;
    partial[HED_YARN_RUBBED] = work.sum.rubbed;
    partial[HED_YARN_DEEPEST] = work.sum.deepest;
    partial[HED_YARN_TOUCHING] = work.touching;
    partial[HED_YARN_POINTS] = work.points;
}

// One function for each kind, so that its loops hold nothing else; twice, for the number of points
// that most have and for any.
#define KIND(name, ...)                                                                            \
    static void name(const HedYarnContact* y, const HedYarnPairsEval* eval, int32_t block) {       \
        if (y->def.quadrature == HED_YARN_USUAL.points) {                                          \
            run_block((HedYarnKind){__VA_ARGS__, HED_YARN_USUAL}, y, eval, block);                 \
        } else {                                                                                   \
            run_block((HedYarnKind){__VA_ARGS__, hed_yarn_shape(y)}, y, eval, block);              \
        }                                                                                          \
    }
KIND(run_push, true, false, false, false)
KIND(run_push_moving, true, true, false, false)
KIND(run_push_rubbing, true, false, true, false)
KIND(run_push_both, true, true, true, false)
KIND(run_rated, true, false, false, true)
KIND(run_rated_moving, true, true, false, true)
KIND(run_rated_rubbing, true, false, true, true)
KIND(run_rated_both, true, true, true, true)
KIND(run_bound, false, false, false, true)
KIND(run_bound_rubbing, false, false, true, true)

typedef void (*Run)(const HedYarnContact* y, const HedYarnPairsEval* eval, int32_t block);

static Run choose(HedYarnKind kind) {
    static const Run PUSH[2][2][2] = {
        {{run_push, run_push_rubbing}, {run_push_moving, run_push_both}},
        {{run_rated, run_rated_rubbing}, {run_rated_moving, run_rated_both}}};
    if (kind.is_pushed) {
        return PUSH[kind.is_rated][kind.is_moving][kind.is_rubbing];
    }
    return kind.is_rubbing ? run_bound_rubbing : run_bound;
}

void hed_yarn_pairs_evaluate(HedYarnContact* y, const HedYarnPairsEval* eval) {
    Run run = choose(eval->kind);
    if (eval->kind.is_rubbing) {
        hed_yarn_find_spins(y, eval->at.x, eval->at.v);
    }
#pragma omp parallel for schedule(dynamic, 1)                                                      \
    num_threads(hed_team_size(y->def.team, INT64_C(800) * y->def.segment_count))
    for (int32_t block = 0; block < y->block_count; ++block) {
        run(y, eval, block);
    }
}

double hed_yarn_total(const HedYarnContact* y, int32_t which) {
    double sum = 0.0;
    for (int32_t b = 0; b < y->block_count; ++b) {
        sum += y->partial[(int64_t)b * HED_YARN_PARTIALS + which];
    }
    return sum;
}

static void gather_segment(const HedYarnContact* y, int32_t j) {
    const HedYarnList* list = &y->list;
    double* own = y->own + (int64_t)SLOT * j;
    for (int32_t k = list->in_first[j]; k < list->in_first[j + 1]; ++k) {
        int32_t slot = list->slot[list->in_pair[k]];
        if (slot < 0) {
            continue;
        }
        const double* from = list->slots + (int64_t)SLOT * slot;
#pragma omp simd
        for (int c = 0; c < SLOT; ++c) {
            own[c] += from[c];
        }
    }
}

void hed_yarn_gather(HedYarnContact* y, HedVec3* force) {
#pragma omp parallel for schedule(static)                                                          \
    num_threads(hed_team_size(y->def.team, INT64_C(60) * y->def.segment_count))
    for (int32_t j = 0; j < y->def.segment_count; ++j) {
        gather_segment(y, j);
    }
#pragma omp parallel for schedule(static)                                                          \
    num_threads(hed_team_size(y->def.team, INT64_C(60) * y->def.segment_count))
    for (int32_t i = 0; i < y->def.point_count; ++i) {
        HedVec3 sum = {0.0, 0.0, 0.0};
        for (int32_t k = y->point_first[i]; k < y->point_first[i + 1]; ++k) {
            const double* own = y->own + (int64_t)SLOT * (y->point_use[k] / 4);
            int32_t at = y->point_use[k] % 4;
            sum = hed_add3(sum, hed_vec3(own[at], own[4 + at], own[8 + at]));
        }
        force[i] = hed_sub3(force[i], sum);
    }
}
