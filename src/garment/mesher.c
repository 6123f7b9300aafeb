// SPDX-License-Identifier: MIT
// 1. Triangulate the points of the outline and force its sides in; this finds outlines that cross
//    themselves. 2. Tell inside from outside. 3. Insert points of a regular lattice that keep away
//    from the outline. 4. Insert centres of circles of triangles that are too large or too sharp
//    (Chew 1993), never near a side of the outline. 5. Move inner points to the mean of their
//    neighbours where that makes the worst triangle better, and flip. 4 and 5 are done twice.
#include "garment/mesher.h"
#include "garment/delaunay.h"
#include "garment/plane.h"

#include <string.h>

typedef struct Mesher {
    const HedOutline* outline;
    HedDelaunay d;
    HedMaterialPoint low; // m, maps to the grid's origin
    double scale;         // grid units per m
    double size;          // target, in grid units
    HedError* error;
    HED_ARRAY(int32_t) waiting; // refinement: triangles to look at
    int32_t point_limit;
} Mesher;

enum { STAR_LIMIT = 64, SMOOTHING_ROUNDS = 4, PASSES = 2 };

static HedGridPoint to_grid(const Mesher* m, HedMaterialPoint p) {
    return (HedGridPoint){llround((p.u - m->low.u) * m->scale),
                          llround((p.v - m->low.v) * m->scale)};
}

static HedMaterialPoint to_plane(const Mesher* m, HedGridPoint p) {
    return (HedMaterialPoint){m->low.u + (double)p.x / m->scale, m->low.v + (double)p.y / m->scale};
}

// Lengths in grid units from here on.
static HedMaterialPoint grid_place(const Mesher* m, int32_t point) {
    HedGridPoint p = m->d.points.data[point];
    return (HedMaterialPoint){(double)p.x, (double)p.y};
}

void hed_triangle_shape(HedMaterialPoint a, HedMaterialPoint b, HedMaterialPoint c, double* angle,
                        double* quality) {
    double area2 = hed_cross2(a, b, c);
    double la = hed_distance2(b, c);
    double lb = hed_distance2(c, a);
    double lc = hed_distance2(a, b);
    double squares = la * la + lb * lb + lc * lc;
    double least = fmin(la, fmin(lb, lc));
    // The smallest angle is opposite to the shortest side; area2 = product of its sides * sine.
    double others = 0.5 * (squares - 2.0 * least * least);
    *angle = atan2(area2, others);
    *quality = squares > 0.0 ? 2.0 * sqrt(3.0) * area2 / squares : 0.0;
}

// --- the outline ---

static HedStatus set_scale(Mesher* m, double size) {
    const HedOutline* o = m->outline;
    HedMaterialPoint low = o->points[0];
    HedMaterialPoint high = low;
    for (int32_t i = 1; i < o->count; ++i) {
        low = (HedMaterialPoint){fmin(low.u, o->points[i].u), fmin(low.v, o->points[i].v)};
        high = (HedMaterialPoint){fmax(high.u, o->points[i].u), fmax(high.v, o->points[i].v)};
    }
    double extent = fmax(high.u - low.u, high.v - low.v);
    m->low = low;
    m->scale = HED_GRID / extent;
    m->size = size * m->scale;
    if (!(extent > 0.0) || !isfinite(extent) || !isfinite(m->scale) || !isfinite(m->size)) {
        return hed_fail(m->error, HED_INVALID, "panel '%s': its extent, %g m, cannot be meshed",
                        o->name, extent);
    }
    double area = 0.0;
    for (int32_t i = 0; i < o->count; ++i) {
        HedMaterialPoint p = o->points[i];
        HedMaterialPoint q = o->points[o->next[i]];
        area += 0.5 * ((p.u - low.u) * (q.v - low.v) - (p.v - low.v) * (q.u - low.u));
    }
    double expected = o->count + 2.0 * fabs(area) / (size * size);
    if (!(expected < HED_PLANE_MESH_LIMIT)) {
        return hed_fail(m->error, HED_INVALID,
                        "panel '%s': a target size of %g m asks for %.3g points, more than %d",
                        o->name, size, expected, HED_PLANE_MESH_LIMIT);
    }
    m->point_limit = (int32_t)(4.0 * expected) + 1000;
    return HED_OK;
}

static HedStatus insert_outline(Mesher* m) {
    const HedOutline* o = m->outline;
    for (int32_t i = 0; i < o->count; ++i) {
        HedGridPoint p = to_grid(m, o->points[i]);
        int32_t obstacle = -1;
        HedCavity found = hed_delaunay_search(&m->d, p, &obstacle);
        if (found == HED_CAVITY_TAKEN) {
            return hed_fail(m->error, HED_INVALID,
                            "panel '%s': edges %d and %d pass through the same point (%.6g, %.6g) "
                            "m",
                            o->name, o->edges[obstacle - HED_BOX_POINTS], o->edges[i],
                            o->points[i].u, o->points[i].v);
        }
        if (found == HED_CAVITY_NO_MEMORY) {
            return hed_fail_memory(m->error, "a panel");
        }
        HED_ASSERT(found == HED_CAVITY_FREE);
        HedStatus status = hed_delaunay_insert(&m->d, p, m->error);
        if (status != HED_OK) {
            return status;
        }
    }
    return HED_OK;
}

// The edge of the panel that two neighbours of an outline lie on.
static int32_t edge_between(const HedOutline* o, int32_t a, int32_t b) {
    return o->next[a] == b ? o->edges[a] : o->edges[b];
}

static HedStatus refuse_obstacle(const Mesher* m, int32_t point, const HedObstacle* obstacle) {
    const HedOutline* o = m->outline;
    if (obstacle->point >= 0) {
        int32_t other = obstacle->point - HED_BOX_POINTS;
        HedMaterialPoint p = o->points[other];
        return hed_fail(m->error, HED_INVALID,
                        "panel '%s': edge %d touches edge %d at (%.6g, %.6g) m", o->name,
                        o->edges[point], o->edges[other], p.u, p.v);
    }
    int32_t c = obstacle->ends[0] - HED_BOX_POINTS;
    int32_t d = obstacle->ends[1] - HED_BOX_POINTS;
    HedMaterialPoint a = o->points[point];
    HedMaterialPoint b = o->points[o->next[point]];
    double from = hed_cross2(o->points[c], o->points[d], a);
    double to = hed_cross2(o->points[c], o->points[d], b);
    HedMaterialPoint p = hed_mix2(a, b, from != to ? from / (from - to) : 0.5);
    return hed_fail(m->error, HED_INVALID, "panel '%s': edges %d and %d cross at (%.6g, %.6g) m",
                    o->name, edge_between(o, c, d), o->edges[point], p.u, p.v);
}

static HedStatus fix_outline(Mesher* m) {
    const HedOutline* o = m->outline;
    for (int32_t i = 0; i < o->count; ++i) {
        HedObstacle obstacle;
        HedStatus status = hed_delaunay_fix(&m->d, i + HED_BOX_POINTS, o->next[i] + HED_BOX_POINTS,
                                            &obstacle, m->error);
        if (status == HED_INVALID) {
            return refuse_obstacle(m, i, &obstacle);
        }
        if (status != HED_OK) {
            return status;
        }
    }
    return hed_delaunay_repair(&m->d, m->error);
}

// --- inside and outside ---

// Spreads from a triangle to all that can be reached without crossing a fixed side, and gives them
// a depth (in stamp). Returns the number of triangles reached, or -1 without memory.
static int32_t flood(Mesher* m, int32_t start, int32_t depth) {
    HedDelaunay* d = &m->d;
    int32_t reached = 0;
    m->waiting.count = 0;
    if (!HED_APPEND(&m->waiting, start)) {
        return -1;
    }
    d->triangles.data[start].stamp = depth;
    while (reached < m->waiting.count) {
        HedTriangle t = d->triangles.data[m->waiting.data[reached++]];
        for (int32_t i = 0; i < 3; ++i) {
            bool open = t.n[i] >= 0 && (t.is_fixed >> i & 1) == 0;
            if (open && d->triangles.data[t.n[i]].stamp < 0) {
                d->triangles.data[t.n[i]].stamp = depth;
                if (!HED_APPEND(&m->waiting, t.n[i])) {
                    return -1;
                }
            }
        }
    }
    return reached;
}

// A triangle without a depth behind a fixed side of one with the depth given; -1 if there is none.
static int32_t find_behind(const Mesher* m, int32_t depth) {
    const HedDelaunay* d = &m->d;
    for (int32_t t = 0; t < d->triangles.count; ++t) {
        for (int32_t i = 0; i < 3 && d->triangles.data[t].stamp == depth; ++i) {
            int32_t other = d->triangles.data[t].n[i];
            if (other >= 0 && d->triangles.data[other].stamp < 0) {
                return other;
            }
        }
    }
    return -1;
}

static HedStatus refuse_part(const Mesher* m, int32_t triangle, const char* what) {
    const HedOutline* o = m->outline;
    const HedTriangle* t = m->d.triangles.data + triangle;
    int32_t corner = t->v[0] < HED_BOX_POINTS ? t->v[1] : t->v[0];
    corner -= HED_BOX_POINTS;
    return hed_fail(m->error, HED_INVALID, "panel '%s': edge %d at (%.6g, %.6g) m bounds a %s",
                    o->name, o->edges[corner], o->points[corner].u, o->points[corner].v, what);
}

// Depth 0 is outside, 1 the piece, 2 its holes.
static HedStatus mark_inside(Mesher* m) {
    HedDelaunay* d = &m->d;
    for (int32_t t = 0; t < d->triangles.count; ++t) {
        d->triangles.data[t].stamp = -1;
    }
    // A corner of the box is in no other triangle than outer ones.
    int32_t start = d->incident.data[0];
    for (int32_t depth = 0; depth <= 2; ++depth) {
        int32_t parts = 0;
        while (start >= 0) {
            if (depth == 1 && parts == 1) {
                return refuse_part(m, start, "second piece outside of the outline");
            }
            parts += 1;
            if (flood(m, start, depth) < 0) {
                return hed_fail_memory(m->error, "a panel");
            }
            start = depth == 0 ? -1 : find_behind(m, depth - 1);
        }
        start = find_behind(m, depth);
        if (depth == 0 && start < 0) {
            return hed_fail(m->error, HED_INVALID,
                            "panel '%s': its outline runs back on itself at (%.6g, %.6g) m and has "
                            "no area",
                            m->outline->name, m->outline->points[0].u, m->outline->points[0].v);
        }
    }
    if (start >= 0) {
        return refuse_part(m, start, "part inside of a hole");
    }
    for (int32_t t = 0; t < d->triangles.count; ++t) {
        d->triangles.data[t].is_inside = d->triangles.data[t].stamp == 1;
        d->triangles.data[t].stamp = 0;
    }
    d->stamp = 0;
    d->is_inside_only = true;
    return HED_OK;
}

// --- inner points ---

// Whether the point of the last search is at least `space` from all it would be joined to, and sees
// no fixed side under more than 105 degrees.
static bool has_room(const Mesher* m, HedGridPoint p, double space) {
    const double MOST = -0.26; // cos 105 degrees
    for (int32_t k = 0; k < m->d.link.count; ++k) {
        HedLink l = m->d.link.data[k];
        HedMaterialPoint a = grid_place(m, l.u);
        HedMaterialPoint b = grid_place(m, l.v);
        double ax = a.u - (double)p.x;
        double ay = a.v - (double)p.y;
        double bx = b.u - (double)p.x;
        double by = b.v - (double)p.y;
        double la = hypot(ax, ay);
        double lb = hypot(bx, by);
        if (la < space || (l.is_fixed && ax * bx + ay * by < MOST * la * lb)) {
            return false;
        }
    }
    return true;
}

// Inserts p if it is inside and has room. With `through` >= 0 that triangle must go.
static HedStatus try_point(Mesher* m, HedGridPoint p, double space, int32_t through,
                           bool* inserted) {
    int32_t obstacle = -1;
    *inserted = false;
    HedCavity found = hed_delaunay_search(&m->d, p, &obstacle);
    if (found == HED_CAVITY_NO_MEMORY) {
        return hed_fail_memory(m->error, "a panel");
    }
    if (found != HED_CAVITY_FREE ||
        (through >= 0 && m->d.triangles.data[through].stamp != m->d.stamp) ||
        !has_room(m, p, space)) {
        return HED_OK;
    }
    *inserted = true;
    return hed_delaunay_insert(&m->d, p, m->error);
}

// Rows of equilateral triangles, there and back, so that each search begins near its end.
static HedStatus insert_lattice(Mesher* m) {
    double row_height = m->size * sqrt(0.75);
    double rows = floor(HED_GRID / row_height) + 1.0;
    double columns = floor(HED_GRID / m->size) + 1.0;
    // Of a long piece that lies across its box most of the lattice would be outside; refinement
    // alone fills it as well.
    if (rows * columns > 16.0 * m->point_limit) {
        return HED_OK;
    }
    for (int32_t row = 0; row < (int32_t)rows; ++row) {
        for (int32_t k = 0; k < (int32_t)columns; ++k) {
            int32_t column = row % 2 ? (int32_t)columns - 1 - k : k;
            HedGridPoint p = {llround(m->size * (column + 0.25 + 0.5 * (row % 2))),
                              llround(row_height * (row + 0.5))};
            bool inserted = false;
            HedStatus status = try_point(m, p, 0.68 * m->size, -1, &inserted);
            if (status != HED_OK) {
                return status;
            }
        }
    }
    return HED_OK;
}

// Circumcentre and radius relative to the shortest side, in grid units.
typedef struct Circle {
    HedMaterialPoint centre;
    double radius, shortest, longest;
    int32_t short_side;
} Circle;

static Circle circle_of(const Mesher* m, const HedTriangle* t) {
    HedMaterialPoint a = grid_place(m, t->v[0]);
    HedMaterialPoint b = grid_place(m, t->v[1]);
    HedMaterialPoint c = grid_place(m, t->v[2]);
    double bx = b.u - a.u;
    double by = b.v - a.v;
    double cx = c.u - a.u;
    double cy = c.v - a.v;
    double b2 = bx * bx + by * by;
    double c2 = cx * cx + cy * cy;
    double twice = 2.0 * (bx * cy - by * cx);
    double x = (cy * b2 - by * c2) / twice;
    double y = (bx * c2 - cx * b2) / twice;
    double sides[3] = {hypot(bx - cx, by - cy), sqrt(c2), sqrt(b2)};
    int32_t s = sides[1] < sides[0];
    s = sides[2] < sides[s] ? 2 : s;
    return (Circle){.centre = {a.u + x, a.v + y},
                    .radius = hypot(x, y),
                    .shortest = sides[s],
                    .longest = fmax(sides[0], fmax(sides[1], sides[2])),
                    .short_side = s};
}

// Too large, or with an angle under 27 degrees that is not one of the outline itself.
static bool needs_refinement(const Mesher* m, const HedTriangle* t, const Circle* circle) {
    if (circle->radius > 0.8 * m->size) {
        return true;
    }
    int32_t others = 7 & ~(1 << circle->short_side);
    return circle->radius > 1.1 * circle->shortest && (t->is_fixed & others) != others;
}

static HedStatus refine_triangle(Mesher* m, int32_t index) {
    HedTriangle t = m->d.triangles.data[index];
    if (!t.is_inside || m->d.points.count >= m->point_limit) {
        return HED_OK;
    }
    Circle circle = circle_of(m, &t);
    double x = circle.centre.u;
    double y = circle.centre.v;
    if (!needs_refinement(m, &t, &circle) || !(x >= 0.0 && y >= 0.0) || x > HED_GRID ||
        y > HED_GRID) {
        return HED_OK;
    }
    bool inserted = false;
    // No new side is shorter than an old one nearby, so this ends.
    double space = fmin(circle.shortest, 0.6 * m->size);
    m->d.recent = index;
    HedStatus status =
        try_point(m, (HedGridPoint){llround(x), llround(y)}, space, index, &inserted);
    for (int32_t k = 0; inserted && status == HED_OK && k < m->d.cavity.count; ++k) {
        if (!HED_APPEND(&m->waiting, m->d.cavity.data[k])) {
            status = hed_fail_memory(m->error, "a panel");
        }
    }
    return status;
}

static HedStatus refine(Mesher* m) {
    m->waiting.count = 0;
    if (!HED_RESERVE(&m->waiting, m->d.triangles.count)) {
        return hed_fail_memory(m->error, "a panel");
    }
    for (int32_t t = 0; t < m->d.triangles.count; ++t) {
        m->waiting.data[m->waiting.count++] = t;
    }
    HedStatus status = HED_OK;
    for (int32_t k = 0; k < m->waiting.count && status == HED_OK; ++k) {
        status = refine_triangle(m, m->waiting.data[k]);
    }
    return status;
}

// --- smoothing ---

// The worst quality of triangles around a point if it stood at p; below 0 if one would be turned.
static double worst_around(const Mesher* m, int32_t point, HedGridPoint p, const int32_t* star,
                           int32_t count) {
    double worst = 1.0;
    for (int32_t k = 0; k < count; ++k) {
        const HedTriangle* t = m->d.triangles.data + star[k];
        HedGridPoint g[3];
        HedMaterialPoint x[3];
        for (int32_t i = 0; i < 3; ++i) {
            g[i] = t->v[i] == point ? p : m->d.points.data[t->v[i]];
            x[i] = (HedMaterialPoint){(double)g[i].x, (double)g[i].y};
        }
        if (hed_grid_orient(g[0], g[1], g[2]) <= 0) {
            return -1.0;
        }
        double angle = 0.0;
        double quality = 0.0;
        hed_triangle_shape(x[0], x[1], x[2], &angle, &quality);
        worst = fmin(worst, quality);
    }
    return worst;
}

static void smooth_point(Mesher* m, int32_t point) {
    int32_t star[STAR_LIMIT];
    int32_t count = hed_delaunay_star(&m->d, point, star, STAR_LIMIT);
    if (count > STAR_LIMIT) {
        return;
    }
    int64_t x = 0;
    int64_t y = 0;
    for (int32_t k = 0; k < count; ++k) {
        const HedTriangle* t = m->d.triangles.data + star[k];
        int32_t i = t->v[0] == point ? 0 : t->v[1] == point ? 1 : 2;
        HedGridPoint p = m->d.points.data[t->v[(i + 1) % 3]];
        x += p.x;
        y += p.y;
    }
    HedGridPoint old = m->d.points.data[point];
    HedGridPoint mean = {x / count, y / count};
    double before = worst_around(m, point, old, star, count);
    if (worst_around(m, point, mean, star, count) > before) {
        m->d.points.data[point] = mean;
    }
}

static HedStatus smooth(Mesher* m) {
    HedStatus status = HED_OK;
    for (int32_t round = 0; round < SMOOTHING_ROUNDS && status == HED_OK; ++round) {
        for (int32_t p = HED_BOX_POINTS + m->outline->count; p < m->d.points.count; ++p) {
            smooth_point(m, p);
        }
        status = hed_delaunay_repair(&m->d, m->error);
    }
    return status;
}

// --- the result ---

// Triangles begin with their lowest point. The positions of outline points are those given, not
// those of the grid, so shapes are checked once more.
static HedStatus extract(const Mesher* m, HedPlaneMesh* mesh) {
    const HedOutline* o = m->outline;
    int32_t inside = 0;
    for (int32_t t = 0; t < m->d.triangles.count; ++t) {
        inside += m->d.triangles.data[t].is_inside;
    }
    mesh->point_count = m->d.points.count - HED_BOX_POINTS;
    mesh->points = HED_NEW_ARRAY(HedMaterialPoint, mesh->point_count);
    mesh->triangles = HED_NEW_ARRAY(int32_t, 3 * (int64_t)inside);
    if (!mesh->points || !mesh->triangles) {
        return hed_fail_memory(m->error, "a panel");
    }
    memcpy(mesh->points, o->points, (size_t)o->count * sizeof o->points[0]);
    for (int32_t i = o->count; i < mesh->point_count; ++i) {
        mesh->points[i] = to_plane(m, m->d.points.data[i + HED_BOX_POINTS]);
    }
    for (int32_t k = 0; k < m->d.triangles.count; ++k) {
        const HedTriangle* t = m->d.triangles.data + k;
        if (!t->is_inside) {
            continue;
        }
        int32_t i = t->v[0] < t->v[1] ? (t->v[0] < t->v[2] ? 0 : 2) : t->v[1] < t->v[2] ? 1 : 2;
        int32_t* out = mesh->triangles + 3 * (size_t)mesh->triangle_count++;
        for (int32_t c = 0; c < 3; ++c) {
            out[c] = t->v[(i + c) % 3] - HED_BOX_POINTS;
        }
        HedMaterialPoint p = mesh->points[out[0]];
        double angle = 0.0;
        double quality = 0.0;
        hed_triangle_shape(p, mesh->points[out[1]], mesh->points[out[2]], &angle, &quality);
        if (!(angle > 1e-4)) {
            return hed_fail(m->error, HED_INVALID,
                            "panel '%s': too narrow to be meshed at (%.6g, %.6g) m", o->name, p.u,
                            p.v);
        }
    }
    return HED_OK;
}

HedStatus hed_plane_mesh(const HedOutline* outline, double size, HedPlaneMesh* mesh,
                         HedError* error) {
    *mesh = (HedPlaneMesh){0};
    Mesher m = {.outline = outline, .error = error};
    HedStatus status = HED_OK;
    HED_TRY(set_scale(&m, size));
    HED_TRY(hed_delaunay_begin(&m.d, error));
    HED_TRY(insert_outline(&m));
    HED_TRY(fix_outline(&m));
    HED_TRY(mark_inside(&m));
    HED_TRY(insert_lattice(&m));
    for (int32_t pass = 0; pass < PASSES; ++pass) {
        HED_TRY(refine(&m));
        HED_TRY(smooth(&m));
    }
    HED_TRY(extract(&m, mesh));
done:
    if (status != HED_OK) {
        hed_plane_mesh_free(mesh);
    }
    hed_delaunay_free(&m.d);
    hed_free(m.waiting.data);
    return status;
}

void hed_plane_mesh_free(HedPlaneMesh* mesh) {
    hed_free(mesh->points);
    hed_free(mesh->triangles);
    *mesh = (HedPlaneMesh){0};
}
