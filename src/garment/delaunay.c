// SPDX-License-Identifier: MIT
// Points are inserted by removing all triangles whose circle holds the new one and joining the rim
// of the hole to it (Bowyer 1981, Watson 1981). Sides are forced in by flips (Sloan 1993), after
// which flips make the rest Delaunay again (Lawson 1977).
#include "garment/delaunay.h"

#include <string.h>

static int32_t next3(int32_t i) {
    return i == 2 ? 0 : i + 1;
}

static int32_t before3(int32_t i) {
    return i == 0 ? 2 : i - 1;
}

static int32_t place_of(const HedTriangle* t, int32_t vertex) {
    return t->v[0] == vertex ? 0 : t->v[1] == vertex ? 1 : 2;
}

static int32_t side_towards(const HedTriangle* t, int32_t neighbour) {
    return t->n[0] == neighbour ? 0 : t->n[1] == neighbour ? 1 : 2;
}

static bool is_fixed(const HedTriangle* t, int32_t side) {
    return (t->is_fixed >> side & 1) != 0;
}

// Whether p lies strictly inside the circle through the corners of an anticlockwise triangle: the
// sign of | ax ay ax^2+ay^2 ; bx by ... ; cx cy ... | with corners relative to p.
static bool circle_holds(const HedDelaunay* d, const HedTriangle* t, HedGridPoint p) {
    __int128 sum = 0;
    for (int32_t i = 0; i < 3; ++i) {
        HedGridPoint a = d->points.data[t->v[i]];
        HedGridPoint b = d->points.data[t->v[next3(i)]];
        HedGridPoint c = d->points.data[t->v[before3(i)]];
        int64_t ax = a.x - p.x;
        int64_t ay = a.y - p.y;
        int64_t cross = (b.x - p.x) * (c.y - p.y) - (b.y - p.y) * (c.x - p.x);
        sum += (__int128)(ax * ax + ay * ay) * cross;
    }
    return sum > 0;
}

static bool add_point(HedDelaunay* d, HedGridPoint p) {
    return HED_APPEND(&d->points, p) && HED_APPEND(&d->incident, -1) && HED_APPEND(&d->first, -1);
}

HedStatus hed_delaunay_begin(HedDelaunay* d, HedError* error) {
    static const HedTriangle HALVES[2] = {
        {.v = {0, 1, 2}, .n = {-1, 1, -1}},
        {.v = {0, 2, 3}, .n = {-1, -1, 0}},
    };
    *d = (HedDelaunay){0};
    bool ok = true;
    for (int32_t i = 0; i < HED_BOX_POINTS; ++i) {
        int64_t low = -HED_GRID_MARGIN;
        int64_t high = HED_GRID + HED_GRID_MARGIN;
        ok = ok && add_point(d, (HedGridPoint){i == 1 || i == 2 ? high : low, i >= 2 ? high : low});
    }
    ok = ok && HED_APPEND(&d->triangles, HALVES[0]) && HED_APPEND(&d->triangles, HALVES[1]);
    if (!ok) {
        hed_delaunay_free(d);
        return hed_fail_memory(error, "a triangulation");
    }
    for (int32_t i = 0; i < HED_BOX_POINTS; ++i) {
        d->incident.data[i] = i == 3;
    }
    return HED_OK;
}

void hed_delaunay_free(HedDelaunay* d) {
    hed_free(d->points.data);
    hed_free(d->incident.data);
    hed_free(d->first.data);
    hed_free(d->triangles.data);
    hed_free(d->cavity.data);
    hed_free(d->link.data);
    hed_free(d->queue.data);
    *d = (HedDelaunay){0};
}

// The side of a triangle beyond which p lies strictly; -1 if p is inside or on the border. The side
// tried first changes from step to step, or walks could go in rings around fixed sides.
static int32_t side_before(const HedDelaunay* d, const HedTriangle* t, HedGridPoint p,
                           int32_t step) {
    for (int32_t k = 0; k < 3; ++k) {
        int32_t i = (k + (step * 7 >> 2)) % 3;
        if (hed_grid_orient(d->points.data[t->v[next3(i)]], d->points.data[t->v[before3(i)]], p) <
            0) {
            return i;
        }
    }
    return -1;
}

// A triangle that holds p, which is in the box.
static int32_t locate(const HedDelaunay* d, HedGridPoint p) {
    int32_t at = d->recent;
    for (int32_t step = 0; step < d->triangles.count + 16; ++step) {
        int32_t side = side_before(d, d->triangles.data + at, p, step & 0xFFFF);
        if (side < 0) {
            return at;
        }
        at = d->triangles.data[at].n[side];
    }
    for (at = 0; side_before(d, d->triangles.data + at, p, 0) >= 0; ++at) {
    }
    return at;
}

static bool gather_cavity(HedDelaunay* d, HedGridPoint p, int32_t start) {
    d->stamp += 1;
    d->cavity.count = 0;
    d->link.count = 0;
    d->triangles.data[start].stamp = d->stamp;
    if (!HED_APPEND(&d->cavity, start)) {
        return false;
    }
    for (int32_t k = 0; k < d->cavity.count; ++k) {
        HedTriangle t = d->triangles.data[d->cavity.data[k]];
        for (int32_t i = 0; i < 3; ++i) {
            bool fixed = is_fixed(&t, i);
            HedTriangle* other = t.n[i] < 0 ? NULL : d->triangles.data + t.n[i];
            bool stamped = other && other->stamp == d->stamp;
            if (!fixed && stamped) {
                continue;
            }
            if (!fixed && other && circle_holds(d, other, p)) {
                other->stamp = d->stamp;
                if (!HED_APPEND(&d->cavity, t.n[i])) {
                    return false;
                }
            } else if (!HED_APPEND(&d->link,
                                   (HedLink){t.v[next3(i)], t.v[before3(i)], t.n[i], fixed})) {
                return false;
            }
        }
    }
    return true;
}

HedCavity hed_delaunay_search(HedDelaunay* d, HedGridPoint p, int32_t* obstacle) {
    if (p.x < 0 || p.y < 0 || p.x > HED_GRID || p.y > HED_GRID) {
        return HED_CAVITY_OUTSIDE;
    }
    int32_t at = locate(d, p);
    d->recent = at;
    if (d->is_inside_only && !d->triangles.data[at].is_inside) {
        return HED_CAVITY_OUTSIDE;
    }
    for (int32_t i = 0; i < 3; ++i) {
        HedGridPoint corner = d->points.data[d->triangles.data[at].v[i]];
        if (corner.x == p.x && corner.y == p.y) {
            *obstacle = d->triangles.data[at].v[i];
            return HED_CAVITY_TAKEN;
        }
    }
    if (!gather_cavity(d, p, at)) {
        return HED_CAVITY_NO_MEMORY;
    }
    // Every side of the hole must be seen from p. It is not if p lies on a fixed side, or if the
    // search went around the end of one.
    for (int32_t k = 0; k < d->link.count; ++k) {
        HedLink l = d->link.data[k];
        if (hed_grid_orient(p, d->points.data[l.u], d->points.data[l.v]) <= 0) {
            return HED_CAVITY_BLOCKED;
        }
    }
    return d->link.count == d->cavity.count + 2 ? HED_CAVITY_FREE : HED_CAVITY_BLOCKED;
}

HedStatus hed_delaunay_insert(HedDelaunay* d, HedGridPoint p, HedError* error) {
    int32_t point = d->points.count;
    uint8_t inside = d->triangles.data[d->cavity.data[0]].is_inside;
    if (!HED_RESERVE(&d->triangles, 2) || !HED_RESERVE(&d->cavity, 2) || !add_point(d, p)) {
        return hed_fail_memory(error, "a triangulation");
    }
    while (d->cavity.count < d->link.count) {
        d->cavity.data[d->cavity.count++] = d->triangles.count++;
    }
    for (int32_t k = 0; k < d->link.count; ++k) {
        HedLink l = d->link.data[k];
        int32_t t = d->cavity.data[k];
        if (l.outer >= 0) {
            HedTriangle* outer = d->triangles.data + l.outer;
            // The corner of the outer triangle that is not on the side names the side.
            int32_t i = outer->v[0] != l.u && outer->v[0] != l.v   ? 0
                        : outer->v[1] != l.u && outer->v[1] != l.v ? 1
                                                                   : 2;
            outer->n[i] = t;
        }
        d->triangles.data[t] = (HedTriangle){.v = {point, l.u, l.v},
                                             .n = {l.outer, -1, -1},
                                             .is_fixed = l.is_fixed,
                                             .is_inside = inside};
        d->first.data[l.u] = t;
        d->incident.data[l.u] = t;
    }
    for (int32_t k = 0; k < d->link.count; ++k) {
        int32_t t = d->cavity.data[k];
        int32_t after = d->first.data[d->link.data[k].v];
        d->triangles.data[t].n[1] = after;
        d->triangles.data[after].n[2] = t;
    }
    d->incident.data[point] = d->cavity.data[0];
    d->recent = d->cavity.data[0];
    return HED_OK;
}

static void set_neighbour(HedDelaunay* d, int32_t triangle, int32_t old, int32_t fresh) {
    if (triangle >= 0) {
        HedTriangle* t = d->triangles.data + triangle;
        t->n[side_towards(t, old)] = fresh;
    }
}

// Replaces the side opposite to corner i of t by the other diagonal of the two triangles.
//   t = (p, u, v), other = (q, v, u)   becomes   t = (p, u, q), other = (q, v, p)
static void flip(HedDelaunay* d, int32_t t_index, int32_t i) {
    HedTriangle t = d->triangles.data[t_index];
    int32_t o_index = t.n[i];
    HedTriangle o = d->triangles.data[o_index];
    int32_t j = side_towards(&o, t_index);
    int32_t p = t.v[i];
    int32_t u = t.v[next3(i)];
    int32_t v = t.v[before3(i)];
    int32_t q = o.v[j];
    int32_t uq = o.n[next3(j)];
    int32_t vp = t.n[next3(i)];
    int uq_fixed = is_fixed(&o, next3(j));
    int vp_fixed = is_fixed(&t, next3(i));
    int pu_fixed = is_fixed(&t, before3(i));
    int qv_fixed = is_fixed(&o, before3(j));
    d->triangles.data[t_index] = (HedTriangle){.v = {p, u, q},
                                               .n = {uq, o_index, t.n[before3(i)]},
                                               .is_fixed = (uint8_t)(uq_fixed | pu_fixed << 2),
                                               .is_inside = t.is_inside};
    d->triangles.data[o_index] = (HedTriangle){.v = {q, v, p},
                                               .n = {vp, t_index, o.n[before3(j)]},
                                               .is_fixed = (uint8_t)(vp_fixed | qv_fixed << 2),
                                               .is_inside = o.is_inside};
    set_neighbour(d, uq, o_index, t_index);
    set_neighbour(d, vp, t_index, o_index);
    d->incident.data[p] = t_index;
    d->incident.data[u] = t_index;
    d->incident.data[q] = o_index;
    d->incident.data[v] = o_index;
}

// Finds the side from a to b: the triangle that has it anticlockwise (or, at the border of the box,
// the other one), and its number there. Goes around a, both ways if the border stops it.
static bool find_side(const HedDelaunay* d, int32_t a, int32_t b, int32_t* triangle,
                      int32_t* side) {
    for (int32_t way = 0; way < 2; ++way) {
        int32_t start = d->incident.data[a];
        int32_t at = start;
        do {
            const HedTriangle* t = d->triangles.data + at;
            int32_t i = place_of(t, a);
            if (t->v[next3(i)] == b || t->v[before3(i)] == b) {
                *triangle = at;
                *side = t->v[next3(i)] == b ? before3(i) : next3(i);
                return true;
            }
            at = t->n[way ? before3(i) : next3(i)];
        } while (at >= 0 && at != start);
        if (at == start) {
            return false;
        }
    }
    return false;
}

static HedStatus stop_at(HedObstacle* obstacle, int32_t point, int32_t u, int32_t v) {
    *obstacle = (HedObstacle){point, {u, v}};
    return HED_INVALID;
}

// Finds the triangle at a through whose opposite side the way to b leaves it.
static HedStatus leave_start(const HedDelaunay* d, int32_t a, int32_t b, int32_t* triangle,
                             HedObstacle* obstacle) {
    HedGridPoint pa = d->points.data[a];
    HedGridPoint pb = d->points.data[b];
    int32_t at = d->incident.data[a];
    for (;;) {
        const HedTriangle* t = d->triangles.data + at;
        int32_t i = place_of(t, a);
        int32_t r = t->v[next3(i)];
        HedGridPoint pr = d->points.data[r];
        int64_t right = hed_grid_orient(pa, pb, pr);
        int64_t left = hed_grid_orient(pa, pb, d->points.data[t->v[before3(i)]]);
        if (right == 0 && (pr.x - pa.x) * (pb.x - pa.x) + (pr.y - pa.y) * (pb.y - pa.y) > 0) {
            return stop_at(obstacle, r, -1, -1);
        }
        // b is ahead of this triangle, not behind it: the side turns anticlockwise around a.
        if (right < 0 && left > 0) {
            *triangle = at;
            return HED_OK;
        }
        at = t->n[next3(i)];
        HED_ASSERT(at != d->incident.data[a]);
    }
}

// Puts all sides that cross the way from a to b into the queue, as pairs of points.
static HedStatus gather_crossings(HedDelaunay* d, int32_t a, int32_t b, HedObstacle* obstacle) {
    int32_t at = 0;
    HedStatus status = leave_start(d, a, b, &at, obstacle);
    if (status != HED_OK) {
        return status;
    }
    int32_t side = place_of(d->triangles.data + at, a);
    d->queue.count = 0;
    for (;;) {
        const HedTriangle* t = d->triangles.data + at;
        int32_t r = t->v[next3(side)];
        int32_t l = t->v[before3(side)];
        if (is_fixed(t, side)) {
            return stop_at(obstacle, -1, r, l);
        }
        if (!HED_APPEND(&d->queue, r) || !HED_APPEND(&d->queue, l)) {
            return HED_NO_MEMORY;
        }
        int32_t beyond = t->n[side];
        t = d->triangles.data + beyond;
        int32_t q = t->v[side_towards(t, at)];
        if (q == b) {
            return HED_OK;
        }
        int64_t turn = hed_grid_orient(d->points.data[a], d->points.data[b], d->points.data[q]);
        if (turn == 0) {
            return stop_at(obstacle, q, -1, -1);
        }
        // The way goes on through the side between q and the point on the other side of it.
        side = place_of(t, turn > 0 ? l : r);
        at = beyond;
    }
}

static bool are_apart(const HedDelaunay* d, int32_t a, int32_t b, int32_t p, int32_t q) {
    const HedGridPoint* x = d->points.data;
    int64_t s = hed_grid_orient(x[a], x[b], x[p]);
    int64_t t = hed_grid_orient(x[a], x[b], x[q]);
    return (s > 0 && t < 0) || (s < 0 && t > 0);
}

// Flips sides in the queue that can be flipped; those that cross the way again go to its end.
static HedStatus flip_crossings(HedDelaunay* d, int32_t a, int32_t b) {
    for (int32_t k = 0; k < d->queue.count; k += 2) {
        int32_t u = d->queue.data[k];
        int32_t v = d->queue.data[k + 1];
        int32_t t = 0;
        int32_t side = 0;
        bool found = find_side(d, u, v, &t, &side);
        HED_ASSERT(found);
        const HedTriangle* other = d->triangles.data + d->triangles.data[t].n[side];
        int32_t p = d->triangles.data[t].v[side];
        int32_t q = other->v[side_towards(other, t)];
        if (are_apart(d, p, q, u, v)) {
            flip(d, t, side);
            bool still = p != a && p != b && q != a && q != b && are_apart(d, a, b, p, q);
            if (!still) {
                continue;
            }
            u = p;
            v = q;
        }
        if (!HED_APPEND(&d->queue, u) || !HED_APPEND(&d->queue, v)) {
            return HED_NO_MEMORY;
        }
    }
    return HED_OK;
}

HedStatus hed_delaunay_fix(HedDelaunay* d, int32_t a, int32_t b, HedObstacle* obstacle,
                           HedError* error) {
    int32_t t = 0;
    int32_t side = 0;
    *obstacle = (HedObstacle){-1, {-1, -1}};
    if (!find_side(d, a, b, &t, &side)) {
        HedStatus status = gather_crossings(d, a, b, obstacle);
        status = status == HED_OK ? flip_crossings(d, a, b) : status;
        if (status == HED_NO_MEMORY) {
            return hed_fail_memory(error, "a triangulation");
        }
        if (status != HED_OK) {
            return status;
        }
        bool found = find_side(d, a, b, &t, &side);
        HED_ASSERT(found);
    }
    int32_t other = d->triangles.data[t].n[side];
    d->triangles.data[t].is_fixed |= (uint8_t)(1 << side);
    if (other >= 0) {
        HedTriangle* o = d->triangles.data + other;
        o->is_fixed |= (uint8_t)(1 << side_towards(o, t));
    }
    return HED_OK;
}

HedStatus hed_delaunay_repair(HedDelaunay* d, HedError* error) {
    d->queue.count = 0;
    if (!HED_RESERVE(&d->queue, d->triangles.count)) {
        return hed_fail_memory(error, "a triangulation");
    }
    for (int32_t t = d->triangles.count - 1; t >= 0; --t) {
        d->queue.data[d->queue.count++] = t;
    }
    while (d->queue.count > 0) {
        int32_t at = d->queue.data[--d->queue.count];
        for (int32_t i = 0; i < 3; ++i) {
            const HedTriangle* t = d->triangles.data + at;
            if (is_fixed(t, i) || t->n[i] < 0) {
                continue;
            }
            int32_t beyond = t->n[i];
            const HedTriangle* other = d->triangles.data + beyond;
            if (circle_holds(d, t, d->points.data[other->v[side_towards(other, at)]])) {
                flip(d, at, i);
                if (!HED_APPEND(&d->queue, beyond) || !HED_APPEND(&d->queue, at)) {
                    return hed_fail_memory(error, "a triangulation");
                }
                break;
            }
        }
    }
    return HED_OK;
}

int32_t hed_delaunay_star(const HedDelaunay* d, int32_t point, int32_t* found, int32_t capacity) {
    int32_t start = d->incident.data[point];
    int32_t at = start;
    int32_t count = 0;
    do {
        if (count < capacity) {
            found[count] = at;
        }
        ++count;
        const HedTriangle* t = d->triangles.data + at;
        at = t->n[next3(place_of(t, point))];
    } while (at != start);
    return count;
}
