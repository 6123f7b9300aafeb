// SPDX-License-Identifier: MIT
// Contacts of yarns: energy, matrix and friction of those that there are.
#include "eol/touch.h"

#include <math.h>
#include <string.h>

static const double NEAREST = 1e-12; // of the spacing: to which u and v are found

void hed_touches_free(HedTouches* touches) {
    for (int32_t k = 0; k < touches->cloths.count; ++k) {
        hed_free(touches->cloths.data[k].own);
        hed_free(touches->cloths.data[k].corner);
        hed_free(touches->cloths.data[k].force);
    }
    hed_free(touches->cloths.data);
    hed_free(touches->memory.data);
    hed_free(touches->contacts.data);
    hed_free(touches->pieces.data);
    hed_free(touches->boxes.data);
    hed_free(touches->found.data);
    hed_free(touches->next.data);
    hed_free(touches->head.data);
    *touches = (HedTouches){0};
}

HedStatus hed_touches_add(HedTouches* touches, HedEol* eol, bool is_knit, HedError* error) {
    int64_t places = (int64_t)(eol->model.bands.step_count + 1) * HED_YARN_PACK;
    HedTouchCloth cloth = {
        .eol = eol,
        .is_knit = is_knit,
        .own = HED_NEW_ARRAY(double, (int64_t)HED_NODE_DIAGONAL * eol->node_count),
        .corner = HED_NEW_ARRAY(double, places),
        .force = HED_NEW_ARRAY(HedVec3, eol->node_count),
    };
    if (touches->cloths.count > 0) {
        const HedTouchCloth* last = &touches->cloths.data[touches->cloths.count - 1];
        cloth.first_yarn = last->first_yarn + last->eol->model.yarn_count;
    }
    if (!cloth.own || !cloth.corner || !cloth.force || !HED_APPEND(&touches->cloths, cloth)) {
        hed_free(cloth.own);
        hed_free(cloth.corner);
        hed_free(cloth.force);
        return hed_fail_memory(error, "contacts of yarns");
    }
    eol->outside = cloth.own;
    return HED_OK;
}

// --- where on a yarn ---

static double along(const HedYarnPacks* bands, const double* q, int32_t place) {
    return q[(int64_t)HED_NODE_SIZE * bands->node[place] + 3 + bands->slot[place]];
}

int32_t hed_touch_locate(const HedEol* eol, const double* q, int32_t place, double u) {
    const HedYarnPacks* bands = &eol->model.bands;
    while ((bands->kind[place] & HED_PLACE_TURN) && u < along(bands, q, place)) {
        place = hed_touch_beside(bands, place, -1);
    }
    for (;;) {
        int32_t next = hed_touch_beside(bands, place, 1);
        if (!(bands->kind[next] & HED_PLACE_SEGMENT) || !(u >= along(bands, q, next))) {
            return place;
        }
        place = next;
    }
}

HedTouchSide hed_touch_side(const HedTouchCloth* cloth, const double* q, int32_t place, double u) {
    const HedYarnPacks* bands = &cloth->eol->model.bands;
    int32_t next = hed_touch_beside(bands, place, 1);
    bool is_first = u - along(bands, q, place) <= along(bands, q, next) - u;
    bool has_before = (bands->kind[place] & HED_PLACE_TURN) != 0;
    bool has_after = (bands->kind[next] & HED_PLACE_SEGMENT) != 0;
    int32_t middle = has_before && (is_first || !has_after) ? place : next;
    HedTouchSide side = {.corner = cloth->corner[middle]};
    for (int k = 0; k < 3; ++k) {
        int32_t at = middle + (k - 1) * HED_YARN_PACK;
        side.node[k] = bands->node[at];
        side.slot[k] = bands->slot[at];
        const double* node = q + (int64_t)HED_NODE_SIZE * side.node[k];
        memcpy(side.q + (ptrdiff_t)4 * k, node, 3 * sizeof *node);
        side.q[4 * k + 3] = node[3 + side.slot[k]];
    }
    return side;
}

// --- the nearest places ---

// A contact at a trial state of its cloths, for some u and v.
typedef struct State {
    HedEolTouch touch;
    HedTouchRub rub;
    int32_t place[2];
    HedTouchSide side[2];
    double g[2];
    double h[3]; // uu, uv, vv
} State;

// slack: 0, the exact second derivative; 1, its bound from above where the contact slides.
static HedTouchRub rub_at(const HedTouchContact* c, const double u[2], double slack) {
    HedTouchRub rub = {.slide = 1.0};
    if (!(c->friction.limit > 0.0)) {
        return rub;
    }
    const double slip[2] = {u[0] - c->is.anchor[0], u[1] - c->is.anchor[1]};
    HedFrictionPair f = hed_friction_pair(c->metric, slip, c->friction);
    HedSlipMetric h = hed_friction_pair_hessian(c->metric, f, slack);
    double size = hed_slip_size(c->metric, slip);
    rub.energy = f.energy;
    memcpy(rub.g, f.gradient, sizeof rub.g);
    rub.h[0] = h.uu;
    rub.h[1] = h.uv;
    rub.h[2] = h.vv;
    rub.slide = hed_friction_follow(size, c->friction);
    rub.heat = c->friction.limit * rub.slide * size;
    return rub;
}

static void find_state(const HedTouches* touches, const HedTouchContact* c, const double u[2],
                       double slack, State* s) {
    double q[2][HED_TOUCH_NODES];
    HedEolTouchPlace at;
    for (int k = 0; k < 2; ++k) {
        const HedTouchCloth* cloth = &touches->cloths.data[c->cloth[k]];
        const double* trial = cloth->eol->trial;
        s->place[k] = hed_touch_locate(cloth->eol, trial, c->place[k], u[k]);
        s->side[k] = hed_touch_side(cloth, trial, s->place[k], u[k]);
        memcpy(q[k], s->side[k].q, sizeof q[k]);
        at.u[k] = u[k];
        at.corner[k] = s->side[k].corner;
    }
    s->touch = hed_eol_touch(q, at, c->law);
    s->rub = rub_at(c, u, slack);
    memcpy(s->g, s->rub.g, sizeof s->g);
    memcpy(s->h, s->rub.h, sizeof s->h);
    for (int j = 0; j < 3; ++j) {
        double gu = s->touch.g[j][HED_TOUCH_NODES];
        double gv = s->touch.g[j][HED_TOUCH_SIZE - 1];
        double w = s->touch.weight[j];
        s->g[0] += s->touch.force[j] * gu;
        s->g[1] += s->touch.force[j] * gv;
        s->h[0] += w * gu * gu;
        s->h[1] += w * gu * gv;
        s->h[2] += w * gv * gv;
    }
}

// -H^-1 g, of at most a quarter of the spacing. Where H is singular, as in the middle of a bend
// whose radius is the distance, a thousandth of the tracking makes it regular.
static void find_direction(const HedTouchContact* c, const State* s, double d[2]) {
    double soft = 1e-3 * c->law.tracking;
    double a = s->h[0] + soft, b = s->h[1], e = s->h[2] + soft;
    double det = a * e - b * b;
    d[0] = -(e * s->g[0] - b * s->g[1]) / det;
    d[1] = -(a * s->g[1] - b * s->g[0]) / det;
    double most = fmax(fabs(d[0]), fabs(d[1]));
    double limit = 0.25 * c->spacing;
    for (int k = 0; k < 2 && most > limit; ++k) {
        d[k] *= limit / most;
    }
}

// Newton's method in two unknowns. Each correction is cut until the slope along it is no steeper
// at its end than at its start. Friction that slips is exact first, and bounded from above where
// that was cut.
static void solve_places(const HedTouches* touches, HedTouchContact* c, State* s) {
    enum { ITERATIONS = 40, CUTS = 8 };
    double slack = 0.0;
    find_state(touches, c, c->u, slack, s);
    for (int k = 0; k < ITERATIONS && isfinite(s->touch.energy); ++k) {
        double d[2], u[2];
        find_direction(c, s, d);
        double slope = s->g[0] * d[0] + s->g[1] * d[1];
        double share = 2.0;
        State to;
        bool is_good = false;
        for (int cut = 0; cut < CUTS && !is_good; ++cut) {
            share *= 0.5;
            u[0] = c->u[0] + share * d[0];
            u[1] = c->u[1] + share * d[1];
            find_state(touches, c, u, slack, &to);
            is_good =
                isfinite(to.touch.energy) && fabs(to.g[0] * d[0] + to.g[1] * d[1]) <= fabs(slope);
        }
        if (!is_good) {
            break;
        }
        slack = share < 1.0 ? 1.0 : slack;
        memcpy(c->u, u, sizeof u);
        memcpy(c->place, to.place, sizeof to.place);
        *s = to;
        if (share * fmax(fabs(d[0]), fabs(d[1])) <= NEAREST * c->spacing) {
            break;
        }
    }
}

static void evaluate_contact(const HedTouches* touches, HedTouchContact* c) {
    State s;
    solve_places(touches, c, &s);
    c->touch = s.touch;
    c->rub = s.rub;
    for (int k = 0; k < 6; ++k) {
        c->node[k] = s.side[k / 3].node[k % 3];
        c->slot[k] = s.side[k / 3].slot[k % 3];
    }
}

static void evaluate_all(HedTouches* touches) {
    int32_t count = touches->contacts.count;
#pragma omp parallel for schedule(static)                                                          \
    num_threads(hed_team_size(touches->team, INT64_C(1000) * count))
    for (int32_t k = 0; k < count; ++k) {
        evaluate_contact(touches, &touches->contacts.data[k]);
    }
}

static bool is_possible(const HedTouchContact* c) {
    return -c->touch.gap <= HED_TOUCH_MOST * c->law.margin;
}

bool hed_touches_can_be(HedTouches* touches) {
    evaluate_all(touches);
    for (int32_t k = 0; k < touches->contacts.count; ++k) {
        if (!is_possible(&touches->contacts.data[k])) {
            // Wherever it was looked for, there was nothing: the next search begins anew.
            for (int32_t j = 0; j < touches->contacts.count; ++j) {
                HedTouchContact* c = &touches->contacts.data[j];
                memcpy(c->u, c->is.u, sizeof c->u);
            }
            return false;
        }
    }
    return true;
}

// --- sums ---

// Four numbers of the derivative by node n in direction j: position, and along its yarn.
static const double* part_of(const HedTouchContact* c, int j, int n) {
    return c->touch.g[j] + (n < 3 ? 4 * n : HED_TOUCH_SIDE + 4 * (n - 3));
}

static int64_t unknown_of(const HedTouches* touches, const HedTouchContact* c, int n) {
    return touches->cloths.data[c->cloth[n / 3]].first + (int64_t)HED_NODE_SIZE * c->node[n];
}

double hed_touches_evaluate(HedTouches* touches, double* residual) {
    double energy = 0.0;
    evaluate_all(touches);
    for (int32_t k = 0; k < touches->contacts.count; ++k) {
        const HedTouchContact* c = &touches->contacts.data[k];
        energy += c->touch.energy + c->rub.energy;
        if (!isfinite(c->touch.energy)) {
            continue;
        }
        for (int n = 0; n < 6; ++n) {
            double* to = residual + unknown_of(touches, c, n);
            for (int j = 0; j < 3; ++j) {
                const double* g = part_of(c, j, n);
                for (int i = 0; i < 3; ++i) {
                    to[i] -= c->touch.force[j] * g[i];
                }
                to[3 + c->slot[n]] -= c->touch.force[j] * g[3];
            }
        }
    }
    return energy;
}

// The part of the bound of friction that its matrix gets: all of it for what begins to slide or
// turns, less in each matrix for what slides on.
static double find_bound(HedTouchContact* c, double begins, bool is_wary) {
    const double slip[2] = {c->u[0] - c->is.anchor[0], c->u[1] - c->is.anchor[1]};
    double sizes = hed_slip_size(c->metric, slip) * hed_slip_size(c->metric, c->slip);
    double cosine = sizes > 0.0 ? hed_slip_dot(c->metric, slip, c->slip) / sizes : 0.0;
    bool slides = c->friction.limit > 0.0 && c->rub.slide > 0.0;
    c->bound = is_wary ? 1.0 : hed_friction_bound(cosine, c->bound, begins);
    c->slip[0] = slides ? slip[0] : 0.0;
    c->slip[1] = slides ? slip[1] : 0.0;
    return c->bound;
}

// W - W P (P' W P + F)^-1 P' W
static void condense(HedTouchContact* c, double bound) {
    HedTouchRub rub = rub_at(c, c->u, bound);
    double p[3][2], w[3];
    double a = rub.h[0], b = rub.h[1], e = rub.h[2];
    for (int j = 0; j < 3; ++j) {
        p[j][0] = c->touch.g[j][HED_TOUCH_NODES];
        p[j][1] = c->touch.g[j][HED_TOUCH_SIZE - 1];
        w[j] = isfinite(c->touch.weight[j]) ? c->touch.weight[j] : 0.0;
        a += w[j] * p[j][0] * p[j][0];
        b += w[j] * p[j][0] * p[j][1];
        e += w[j] * p[j][1] * p[j][1];
    }
    double det = a * e - b * b;
    double over = det > 1e-12 * a * e ? 1.0 / det : 0.0;
    c->acts = w[0] > 0.0 || c->friction.limit > 0.0; // else u and v follow, and nothing is left
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            double cross =
                p[i][0] * (e * p[j][0] - b * p[j][1]) + p[i][1] * (a * p[j][1] - b * p[j][0]);
            c->share[i][j] = (i == j ? w[i] : 0.0) - w[i] * over * cross * w[j];
        }
    }
}

static void add_own(const HedTouches* touches, const HedTouchContact* c, int n) {
    const HedTouchCloth* cloth = &touches->cloths.data[c->cloth[n / 3]];
    double* own = cloth->own + (int64_t)HED_NODE_DIAGONAL * c->node[n];
    for (int r = 0; r < 4; ++r) {
        double row[3] = {0.0, 0.0, 0.0};
        for (int i = 0; i < 3; ++i) {
            for (int j = 0; j < 3; ++j) {
                row[j] += part_of(c, i, n)[r] * c->share[i][j];
            }
        }
        int to_r = r < 3 ? r : 3 + c->slot[n];
        for (int k = r; k < 4; ++k) {
            int to_k = k < 3 ? k : 3 + c->slot[n];
            own[hed_eol_diagonal(to_r, to_k)] += row[0] * part_of(c, 0, n)[k] +
                                                 row[1] * part_of(c, 1, n)[k] +
                                                 row[2] * part_of(c, 2, n)[k];
        }
    }
}

void hed_touches_linearise(HedTouches* touches, bool is_wary) {
    for (int32_t k = 0; k < touches->cloths.count; ++k) {
        HedTouchCloth* cloth = &touches->cloths.data[k];
        size_t numbers = (size_t)HED_NODE_DIAGONAL * (size_t)cloth->eol->node_count;
        memset(cloth->own, 0, sizeof *cloth->own * numbers);
    }
    evaluate_all(touches);
    touches->slip_begins = is_wary ? 1.0 : touches->slip_begins;
    for (int32_t k = 0; k < touches->contacts.count; ++k) {
        HedTouchContact* c = &touches->contacts.data[k];
        condense(c, find_bound(c, touches->slip_begins, is_wary));
        for (int n = 0; n < 6 && c->acts; ++n) {
            add_own(touches, c, n);
        }
    }
    double later = hed_friction_bound(1.0, touches->slip_begins, 1.0);
    bool is_static = touches->cloths.data[0].eol->is_static;
    touches->slip_begins = is_static ? touches->slip_begins : later;
}

static double dot4(const double* g, const double* x, int slot) {
    return g[0] * x[0] + g[1] * x[1] + g[2] * x[2] + g[3] * x[3 + slot];
}

void hed_touches_multiply(const HedTouches* touches, const double* x, double* y) {
    for (int32_t k = 0; k < touches->contacts.count; ++k) {
        const HedTouchContact* c = &touches->contacts.data[k];
        if (!c->acts) {
            continue;
        }
        double part[6][3];
        double sum[3] = {0.0, 0.0, 0.0};
        for (int n = 0; n < 6; ++n) {
            const double* from = x + unknown_of(touches, c, n);
            for (int j = 0; j < 3; ++j) {
                part[n][j] = dot4(part_of(c, j, n), from, c->slot[n]);
                sum[j] += part[n][j];
            }
        }
        for (int n = 0; n < 6; ++n) {
            double* to = y + unknown_of(touches, c, n);
            for (int i = 0; i < 3; ++i) {
                double f = 0.0;
                for (int j = 0; j < 3; ++j) {
                    f += c->share[i][j] * (sum[j] - part[n][j]);
                }
                const double* g = part_of(c, i, n);
                to[0] += f * g[0];
                to[1] += f * g[1];
                to[2] += f * g[2];
                to[3 + c->slot[n]] += f * g[3];
            }
        }
    }
}

// --- friction, and the end of a step ---

double hed_touches_renew(HedTouches* touches) {
    double before = 0.0, now = 0.0, change = 0.0;
    evaluate_all(touches);
    for (int32_t k = 0; k < touches->contacts.count; ++k) {
        HedTouchContact* c = &touches->contacts.data[k];
        double limit = touches->friction * c->touch.normal;
        change += fabs(limit - c->friction.limit);
        before += c->friction.limit;
        now += limit;
        c->friction = hed_touch_limit(c, limit);
    }
    double larger = fmax(before, now);
    return larger > 0.0 ? change / larger : 0.0;
}

static void note_force(const HedTouches* touches, const HedTouchContact* c) {
    for (int n = 0; n < 6; ++n) {
        HedVec3* to = &touches->cloths.data[c->cloth[n / 3]].force[c->node[n]];
        for (int j = 0; j < 3; ++j) {
            *to = hed_madd3(*to, -c->touch.force[j], hed_eol_point(part_of(c, j, n)));
        }
    }
}

double hed_touches_accept(HedTouches* touches) {
    double heat = 0.0;
    touches->energy = 0.0;
    for (int32_t k = 0; k < touches->cloths.count; ++k) {
        HedTouchCloth* cloth = &touches->cloths.data[k];
        memset(cloth->force, 0, sizeof *cloth->force * (size_t)cloth->eol->node_count);
    }
    evaluate_all(touches);
    for (int32_t k = 0; k < touches->contacts.count; ++k) {
        const HedTouchContact* c = &touches->contacts.data[k];
        HedTouchMemory* m = &touches->memory.data[k]; // the search has made as many
        *m = c->is;
        for (int i = 0; i < 2; ++i) {
            m->anchor[i] += c->rub.slide * (c->u[i] - m->anchor[i]);
            m->u[i] = c->u[i];
        }
        m->normal = c->touch.normal;
        heat += c->rub.heat;
        touches->energy += c->touch.energy + c->rub.energy - c->rub.heat;
        note_force(touches, c);
    }
    touches->memory.count = touches->contacts.count;
    return heat;
}

double hed_touches_load(const HedTouches* touches, int32_t* count) {
    double sum = 0.0;
    *count = 0;
    for (int32_t k = 0; k < touches->memory.count; ++k) {
        sum += touches->memory.data[k].normal;
        *count += touches->memory.data[k].normal > 0.0;
    }
    return sum;
}

// --- memory ---

bool hed_touches_copy(const HedTouchMemories* from, HedTouchMemories* to) {
    if (!HED_RESERVE(to, (int64_t)from->count - to->count)) {
        return false;
    }
    if (from->count > 0) {
        memcpy(to->data, from->data, sizeof *to->data * (size_t)from->count);
    }
    to->count = from->count;
    return true;
}

bool hed_touches_are_memory(const HedTouches* touches, const HedTouchMemories* memory) {
    const HedTouchCloth* last = &touches->cloths.data[touches->cloths.count - 1];
    double yarns = last->first_yarn + last->eol->model.yarn_count;
    bool ok = true;
    for (int32_t k = 0; ok && k < memory->count; ++k) {
        const HedTouchMemory* m = &memory->data[k];
        for (int i = 0; i < 2; ++i) {
            ok = ok && m->yarn[i] >= 0.0 && m->yarn[i] < yarns && m->yarn[i] == floor(m->yarn[i]) &&
                 isfinite(m->u[i]) && isfinite(m->anchor[i]);
        }
        ok = ok && m->normal >= 0.0 && isfinite(m->normal) && fabs(m->side) == 1.0 &&
             m->distance > 0.0 && isfinite(m->distance);
    }
    return ok;
}
