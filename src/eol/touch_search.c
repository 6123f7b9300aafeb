// SPDX-License-Identifier: MIT
// Which yarns come so near each other in a step that they may touch.
#include "eol/touch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double LAYER = 1.8;       // radii that a woven yarn's layer is thick on either side
static const double CORNER = 0.4;      // of the shorter piece: how far corners are rounded
static const double LEAST_SINE = 0.2;  // of the angle between yarns that cross
static const double WHOLE_SINE = 0.3;  // from which on a contact has all of its stiffness
static const double NEIGHBOURS = 3.0;  // spacings in one fabric within which nothing touches
static const double BESIDE = 0.25;     // of a piece, beyond its ends
static const double STIFFNESS = 10.0;  // bend over spacing cubed
static const double SOFTEST = 1e-4;    // stretch over spacing, at least
static const double LEAST_APART = 0.1; // of the distance, where a contact begins
static const double MOST_DEPTH = 0.9;  // of the margin, at the start of a step

// --- yarns ---

static const HedTouchCloth* cloth_of(const HedTouches* touches, int32_t yarn, int32_t* index) {
    int32_t k = touches->cloths.count - 1;
    while (k > 0 && yarn < touches->cloths.data[k].first_yarn) {
        k -= 1;
    }
    *index = k;
    return &touches->cloths.data[k];
}

static double radius_of(const HedTouches* touches, int32_t yarn) {
    int32_t index;
    const HedTouchCloth* cloth = cloth_of(touches, yarn, &index);
    return cloth->eol->model.materials[yarn - cloth->first_yarn].radius;
}

static double distance_of(const HedTouches* touches, int32_t a, int32_t b) {
    return LAYER * (radius_of(touches, a) + radius_of(touches, b));
}

static double along(const HedYarnPacks* bands, const double* q, int32_t place) {
    return q[(int64_t)HED_NODE_SIZE * bands->node[place] + 3 + bands->slot[place]];
}

static HedVec3 point_at(const HedYarnPacks* bands, const double* q, int32_t place) {
    return hed_eol_point(q + (int64_t)HED_NODE_SIZE * bands->node[place]);
}

// The first place of a yarn that has a node.
static int32_t first_place(const HedEol* eol, int32_t yarn) {
    const HedEolPullout* pullout = &eol->pullout;
    return pullout->line[yarn] >= 0 ? pullout->line[yarn] + pullout->empty[yarn][0] * HED_YARN_PACK
                                    : eol->model.bands.place_of[pullout->yarn_first[yarn]];
}

// Whether the place begins a piece, and that has an inner node.
static bool is_piece(const HedYarnPacks* bands, int32_t place) {
    const int segment = HED_PLACE_OWN | HED_PLACE_SEGMENT;
    if ((bands->kind[place] & segment) != segment) {
        return false;
    }
    int32_t next = hed_touch_beside(bands, place, 1);
    return (bands->kind[place] & HED_PLACE_TURN) || (bands->kind[next] & HED_PLACE_SEGMENT);
}

// --- pieces ---

static HedBox box_of(const HedTouchCloth* cloth, const HedTouchPiece* piece) {
    const HedEol* eol = cloth->eol;
    const HedYarnPacks* bands = &eol->model.bands;
    double radius = eol->model.materials[piece->yarn - cloth->first_yarn].radius;
    double grow = (1.5 * LAYER + 0.25) * radius;
    HedBox box = hed_box_empty();
    for (int end = 0; end < 2; ++end) {
        int32_t place = piece->place + end * HED_YARN_PACK;
        box = hed_box_add(box, point_at(bands, eol->start, place));
        box = hed_box_add(box, point_at(bands, eol->guess, place));
    }
    HedVec3 by = {grow, grow, grow};
    return (HedBox){hed_sub3(box.low, by), hed_add3(box.high, by)};
}

// Pieces of a cloth with their boxes, and how far its corners are rounded in this step.
static bool list_pieces(HedTouches* touches, int32_t index) {
    HedTouchCloth* cloth = &touches->cloths.data[index];
    const HedEol* eol = cloth->eol;
    const HedYarnPacks* bands = &eol->model.bands;
    for (int32_t place = 0; place < bands->step_count * HED_YARN_PACK; ++place) {
        const int inner = HED_PLACE_OWN | HED_PLACE_SEGMENT | HED_PLACE_TURN;
        if ((bands->kind[place] & inner) == inner) {
            double u = along(bands, eol->start, place);
            double back = u - along(bands, eol->start, place - HED_YARN_PACK);
            double ahead = along(bands, eol->start, place + HED_YARN_PACK) - u;
            cloth->corner[place] = CORNER * fmin(back, ahead);
        }
        if (!is_piece(bands, place)) {
            continue;
        }
        int32_t yarn = cloth->first_yarn + eol->model.yarn_of[bands->visit[place]];
        HedTouchPiece piece = {index, yarn, place};
        if (!HED_APPEND(&touches->pieces, piece) ||
            !HED_APPEND(&touches->boxes, box_of(cloth, &piece))) {
            return false;
        }
    }
    return true;
}

// --- contacts that go on ---

// Fills all that follows from memory and from the start of the step; false if the contact ends.
static bool begin_contact(const HedTouches* touches, HedTouchContact* c) {
    HedEolTouchPoint p[2];
    HedVec3 move[2];
    double k = HUGE_VAL;
    c->spacing = HUGE_VAL;
    for (int i = 0; i < 2; ++i) {
        const HedTouchCloth* cloth = cloth_of(touches, (int32_t)c->is.yarn[i], &c->cloth[i]);
        const HedEol* eol = cloth->eol;
        const HedYarnPacks* bands = &eol->model.bands;
        int32_t yarn = (int32_t)c->is.yarn[i] - cloth->first_yarn;
        double u = c->u[i] = c->is.u[i];
        int32_t place = first_place(eol, yarn);
        if (bands->visit[place] < 0 || u < along(bands, eol->start, place)) {
            return false;
        }
        c->place[i] = place = hed_touch_locate(eol, eol->start, place, u);
        if (!is_piece(bands, place) || u > along(bands, eol->start, place + HED_YARN_PACK)) {
            return false;
        }
        HedTouchSide side = hed_touch_side(cloth, eol->start, place, u);
        p[i] = hed_eol_touch_point(side.q, u, side.corner);
        move[i] = hed_sub3(point_at(bands, eol->guess, place), point_at(bands, eol->start, place));
        double l = eol->model.spacing;
        const HedEolMaterial* m = &eol->model.materials[yarn];
        k = fmin(k, fmax(STIFFNESS * m->bend / (l * l * l), SOFTEST * m->tight / l));
        c->spacing = fmin(c->spacing, l);
    }
    double full = distance_of(touches, (int32_t)c->is.yarn[0], (int32_t)c->is.yarn[1]);
    HedEolTouchFrame f = hed_eol_touch_frame(p, c->is.side);
    HedVec3 r = hed_sub3(p[0].y, p[1].y);
    double apart = hed_dot3(r, f.n);
    double astray = fmax(fabs(hed_dot3(r, f.t[0])), fabs(hed_dot3(r, f.t[1])));
    if (!(f.inverse * LEAST_SINE < 1.0) || f.inverse == 0.0 || astray > c->spacing ||
        !(apart > 0.5 * LEAST_APART * full) ||
        apart > 2.0 * (full + hed_distance3(move[0], move[1]))) {
        return false;
    }
    double margin = fmin(0.25 * full / LAYER, 0.5 * c->is.distance);
    c->is.distance = fmin(full, fmax(c->is.distance, apart));
    // Where impacts have pushed yarns nearer than the last step left them.
    c->is.distance = fmin(c->is.distance, apart + MOST_DEPTH * margin);
    double fade = (1.0 / f.inverse - LEAST_SINE) / (WHOLE_SINE - LEAST_SINE);
    c->law = (HedEolTouchLaw){
        .distance = c->is.distance,
        .margin = margin,
        .stiffness = k * fmin(1.0, fmax(0.01, fade)),
        .tracking = k,
        .side = c->is.side,
    };
    c->metric = (HedSlipMetric){hed_dot3(p[0].a, p[0].a), -hed_dot3(p[0].a, p[1].a),
                                hed_dot3(p[1].a, p[1].a)};
    c->friction = hed_touch_limit(c, touches->friction * c->is.normal);
    return true;
}

// --- new ones ---

typedef struct TouchLine {
    HedVec3 from, way;
    HedVec3 move; // m, of its middle
    double u, d;  // m
    HedVec3 home; // m, of its middle
    bool is_first, is_last;
} TouchLine;

static TouchLine line_of(const HedTouches* touches, const HedTouchPiece* piece) {
    const HedEol* eol = touches->cloths.data[piece->cloth].eol;
    const HedYarnPacks* bands = &eol->model.bands;
    int32_t next = piece->place + HED_YARN_PACK;
    HedVec3 a = point_at(bands, eol->start, piece->place);
    HedVec3 b = point_at(bands, eol->start, next);
    HedVec3 to =
        hed_add3(point_at(bands, eol->guess, piece->place), point_at(bands, eol->guess, next));
    double u = along(bands, eol->start, piece->place);
    return (TouchLine){
        .from = a,
        .way = hed_sub3(b, a),
        .move = hed_mul3(0.5, hed_sub3(to, hed_add3(a, b))),
        .u = u,
        .d = along(bands, eol->start, next) - u,
        .home = hed_mul3(
            0.5, hed_add3(eol->home[bands->node[piece->place]], eol->home[bands->node[next]])),
        .is_first = !(bands->kind[piece->place] & HED_PLACE_TURN),
        .is_last = !(bands->kind[hed_touch_beside(bands, piece->place, 1)] & HED_PLACE_SEGMENT),
    };
}

// Whether a share of a piece is on its yarn, and near the piece.
static bool is_beside(const TouchLine* line, double share) {
    return share >= (line->is_first ? 0.0 : -BESIDE) &&
           share <= (line->is_last ? 1.0 : 1.0 + BESIDE);
}

// Where the lines of two pieces are nearest to each other, if they are so near that they may touch.
static bool meet(const HedTouches* touches, const HedTouchPiece* piece[2], HedTouchMemory* m) {
    TouchLine line[2] = {line_of(touches, piece[0]), line_of(touches, piece[1])};
    const HedTouchCloth* cloth = &touches->cloths.data[piece[0]->cloth];
    if (piece[0]->cloth == piece[1]->cloth &&
        (cloth->is_knit ||
         hed_distance3(line[0].home, line[1].home) < NEIGHBOURS * cloth->eol->model.spacing)) {
        return false;
    }
    HedVec3 a = line[0].way, b = line[1].way;
    HedVec3 r = hed_sub3(line[0].from, line[1].from);
    double aa = hed_dot3(a, a), ab = hed_dot3(a, b), bb = hed_dot3(b, b);
    double det = aa * bb - ab * ab;
    if (!(det > LEAST_SINE * LEAST_SINE * aa * bb)) {
        return false;
    }
    double share[2] = {(ab * hed_dot3(b, r) - bb * hed_dot3(a, r)) / det,
                       (aa * hed_dot3(b, r) - ab * hed_dot3(a, r)) / det};
    if (!is_beside(&line[0], share[0]) || !is_beside(&line[1], share[1])) {
        return false;
    }
    r = hed_madd3(hed_madd3(r, share[0], a), -share[1], b);
    double apart = hed_norm3(r);
    double full = distance_of(touches, piece[0]->yarn, piece[1]->yarn);
    double near = (1.5 + 0.25 / LAYER) * full + hed_distance3(line[0].move, line[1].move);
    // Yarns of a crossing that comes apart lie in each other: there is no side until they are
    // apart.
    if (!(apart < near) || !(apart > LEAST_APART * full)) {
        return false;
    }
    *m = (HedTouchMemory){
        .side = hed_dot3(r, hed_cross3(a, b)) < 0.0 ? -1.0 : 1.0,
        .distance = fmin(full, apart),
    };
    for (int i = 0; i < 2; ++i) {
        m->yarn[i] = piece[i]->yarn;
        m->u[i] = m->anchor[i] = line[i].u + share[i] * line[i].d;
    }
    return true;
}

static int32_t bucket_of(const HedTouches* touches, const double yarn[2]) {
    uint64_t h = (uint64_t)yarn[0] * UINT64_C(0x9E3779B97F4A7C15) + (uint64_t)yarn[1];
    h = (h ^ (h >> 29)) * UINT64_C(0xBF58476D1CE4E5B9);
    return (int32_t)((h ^ (h >> 32)) & (uint64_t)(touches->head.count - 1));
}

static bool is_known(const HedTouches* touches, const HedTouchMemory* m) {
    for (int32_t k = touches->head.data[bucket_of(touches, m->yarn)]; k >= 0;
         k = touches->next.data[k]) {
        const HedTouchContact* c = &touches->contacts.data[k];
        if (c->is.yarn[0] == m->yarn[0] && c->is.yarn[1] == m->yarn[1] &&
            fabs(c->is.u[0] - m->u[0]) < 0.75 * c->spacing &&
            fabs(c->is.u[1] - m->u[1]) < 0.75 * c->spacing) {
            return true;
        }
    }
    return false;
}

// One that goes on, or a new one; what ends is left out. False without memory.
static bool append(HedTouches* touches, const HedTouchMemory* m) {
    HedTouchContact c = {.is = *m};
    if (!begin_contact(touches, &c)) {
        return true;
    }
    int32_t* head = &touches->head.data[bucket_of(touches, m->yarn)];
    if (!HED_APPEND(&touches->next, *head) || !HED_APPEND(&touches->contacts, c)) {
        return false;
    }
    *head = touches->contacts.count - 1;
    return true;
}

static bool append_new(HedTouches* touches, const HedTouchPiece* a, const HedTouchPiece* b) {
    bool turns = a->yarn > b->yarn || (a->yarn == b->yarn && a->place > b->place);
    const HedTouchPiece* piece[2] = {turns ? b : a, turns ? a : b};
    HedTouchMemory m;
    return !meet(touches, piece, &m) || is_known(touches, &m) || append(touches, &m);
}

static bool find_new(HedTouches* touches, const HedBvh* tree) {
    for (int32_t k = 0; k < touches->pieces.count; ++k) {
        int32_t count = hed_bvh_overlap(tree, touches->boxes.data[k], touches->found.data,
                                        touches->found.capacity);
        if (count > touches->found.capacity) {
            if (!HED_RESERVE(&touches->found, count)) {
                return false;
            }
            hed_bvh_overlap(tree, touches->boxes.data[k], touches->found.data, count);
        }
        for (int32_t n = 0; n < count; ++n) {
            int32_t other = touches->found.data[n];
            if (other > k &&
                !append_new(touches, &touches->pieces.data[k], &touches->pieces.data[other])) {
                return false;
            }
        }
    }
    return true;
}

// --- all ---

static bool make_buckets(HedTouches* touches) {
    int32_t count = 64;
    while (count < touches->pieces.count) {
        count *= 2;
    }
    touches->head.count = 0;
    if (!HED_RESERVE(&touches->head, count)) {
        return false;
    }
    touches->head.count = count;
    memset(touches->head.data, 0xFF, sizeof(int32_t) * (size_t)count); // -1
    return true;
}

static int compare(const void* a, const void* b) {
    const HedTouchMemory* m = &((const HedTouchContact*)a)->is;
    const HedTouchMemory* n = &((const HedTouchContact*)b)->is;
    const double left[4] = {m->yarn[0], m->yarn[1], m->u[0], m->u[1]};
    const double right[4] = {n->yarn[0], n->yarn[1], n->u[0], n->u[1]};
    for (int k = 0; k < 4; ++k) {
        if (left[k] != right[k]) {
            return left[k] < right[k] ? -1 : 1;
        }
    }
    return 0;
}

HedStatus hed_touches_begin(HedTouches* touches, HedError* error) {
    HedBvh tree = {0};
    touches->pieces.count = touches->boxes.count = 0;
    touches->contacts.count = touches->next.count = 0;
    touches->slip_begins = 1.0;
    bool ok = true;
    for (int32_t k = 0; ok && k < touches->cloths.count; ++k) {
        ok = list_pieces(touches, k);
    }
    ok = ok && make_buckets(touches);
    for (int32_t k = 0; ok && k < touches->memory.count; ++k) {
        ok = append(touches, &touches->memory.data[k]);
    }
    if (ok) {
        ok = hed_bvh_build(touches->boxes.data, touches->boxes.count, &tree, error) == HED_OK &&
             find_new(touches, &tree);
    }
    hed_bvh_free(&tree);
    ok = ok &&
         HED_RESERVE(&touches->memory, (int64_t)touches->contacts.count - touches->memory.count);
    if (!ok) {
        touches->contacts.count = 0;
        return hed_fail_memory(error, "contacts of yarns");
    }
    if (touches->contacts.count > 0) {
        qsort(touches->contacts.data, (size_t)touches->contacts.count,
              sizeof *touches->contacts.data, compare);
    }
    return HED_OK;
}
