// SPDX-License-Identifier: MIT
// Polygons made at random, whose area is known: triangles turn as the polygon does and their areas
// add up to it, so they cover it once.
#include "base/alloc.h"
#include "base/random.h"
#include "geom/ears.h"
#include "math/quat.h"
#include "support/no_memory.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST = 100000 };

typedef struct Polygon {
    HED_ARRAY(HedVec3) x;
    HED_ARRAY(int32_t) corners;
} Polygon;

static void add(Polygon* p, double x, double y) {
    cr_assert(HED_APPEND(&p->corners, p->x.count));
    cr_assert(HED_APPEND(&p->x, (HedVec3){x, y, 0.0}));
}

static void drop(Polygon* p) {
    hed_free(p->x.data);
    hed_free(p->corners.data);
    *p = (Polygon){0};
}

static void swap(Polygon* p, int32_t a, int32_t b) {
    HedVec3 kept = p->x.data[a];
    p->x.data[a] = p->x.data[b];
    p->x.data[b] = kept;
}

// In the plane of the axes u and v, from one corner, so that far polygons lose nothing.
static double shoelace(const Polygon* p, HedVec3 u, HedVec3 v) {
    HedVec3 o = p->x.data[p->corners.data[0]];
    double sum = 0.0;
    for (int32_t i = 1; i + 1 < p->corners.count; ++i) {
        HedVec3 a = hed_sub3(p->x.data[p->corners.data[i]], o);
        HedVec3 b = hed_sub3(p->x.data[p->corners.data[i + 1]], o);
        sum += 0.5 * (hed_dot3(a, u) * hed_dot3(b, v) - hed_dot3(b, u) * hed_dot3(a, v));
    }
    return sum;
}

typedef struct Result {
    double area;  // of all triangles
    double least; // of one
    bool crosses;
    double seconds;
} Result;

static Result cut(const Polygon* p, HedVec3 u, HedVec3 v) {
    Result result = {.least = INFINITY};
    HedEars ears = {0};
    HedError error = {0};
    int32_t count = p->corners.count;
    int32_t* t = HED_NEW_ARRAY(int32_t, 3 * (int64_t)count);
    clock_t start = clock();
    cr_assert_eq(hed_ears_cut(&ears, (HedEarPolygon){p->x.data, p->corners.data, count}, t,
                              &result.crosses, &error),
                 HED_OK);
    result.seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    int32_t* uses = HED_NEW_ARRAY(int32_t, count);
    for (int32_t i = 0; i < count - 2; ++i) {
        HedVec3 x[3];
        for (int k = 0; k < 3; ++k) {
            cr_assert(t[3 * i + k] >= 0 && t[3 * i + k] < count);
            ++uses[t[3 * i + k]];
            x[k] = p->x.data[p->corners.data[t[3 * i + k]]];
        }
        HedVec3 n = hed_cross3(hed_sub3(x[1], x[0]), hed_sub3(x[2], x[0]));
        double area = 0.5 * hed_dot3(n, hed_cross3(u, v));
        result.area += area;
        result.least = fmin(result.least, area);
    }
    for (int32_t i = 0; i < count; ++i) {
        cr_assert_gt(uses[i], 0, "corner %d is in no triangle", i);
    }
    hed_free(uses);
    hed_free(t);
    hed_ears_free(&ears);
    return result;
}

static const HedVec3 X = {1.0, 0.0, 0.0};
static const HedVec3 Y = {0.0, 1.0, 0.0};

// As it lies, and turned in space. Sums of n terms of the size of the area: their rounding errors
// stay below n epsilon of the largest, and turning moves a corner by an epsilon of its distance,
// so that a triangle of nothing may look turned over by as much.
static void expect_covered(const Polygon* p, double area, const char* what) {
    // Two epsilons of the area for each corner.
    double tolerance = 4e-16 * p->corners.count * area + 1e-300;
    Result flat = cut(p, X, Y);
    cr_assert_float_eq(shoelace(p, X, Y), area, tolerance, "%s", what);
    cr_assert_float_eq(flat.area, area, tolerance, "%s: %.17g of %.17g", what, flat.area, area);
    cr_assert_geq(flat.least, 0.0, "%s: a triangle of %g", what, flat.least);
    cr_assert_not(flat.crosses, "%s", what);
    for (uint64_t turn = 0; turn < 3; ++turn) {
        HedVec3 v = {6.0 * hed_random_uniform(1, turn, 0), 6.0 * hed_random_uniform(1, turn, 1),
                     6.0 * hed_random_uniform(1, turn, 2)};
        HedQuat q = hed_quat_from_vector(v);
        Polygon turned = {.corners = p->corners};
        cr_assert(HED_RESERVE(&turned.x, p->x.count));
        for (int32_t i = 0; i < p->x.count; ++i) {
            turned.x.data[i] = hed_quat_rotate(q, p->x.data[i]);
        }
        HedVec3 u = hed_quat_rotate(q, X);
        HedVec3 w = hed_quat_rotate(q, Y);
        Result found = cut(&turned, u, w);
        cr_assert_float_eq(found.area, area, 10.0 * tolerance, "%s, turned", what);
        // Some epsilons of the square of the extent, which is up to a hundred areas.
        cr_assert_geq(found.least, -1e-13 * area, "%s, turned: %g", what, found.least);
        hed_free(turned.x.data);
    }
}

// --- Simple polygons -------------------------------------------------------------------------

static Polygon make_star(uint64_t seed, int32_t count) {
    Polygon p = {0};
    for (int32_t i = 0; i < count; ++i) {
        double r = 0.1 + hed_random_uniform(seed, 0, (uint64_t)i);
        double angle = 2.0 * 3.14159265358979 * i / count;
        add(&p, r * cos(angle), r * sin(angle));
    }
    return p;
}

static bool meet(HedVec3 a, HedVec3 b, HedVec3 c, HedVec3 d) {
    HedVec3 ab = hed_sub3(b, a), cd = hed_sub3(d, c);
    double s[4] = {hed_cross3(ab, hed_sub3(c, a)).z, hed_cross3(ab, hed_sub3(d, a)).z,
                   hed_cross3(cd, hed_sub3(a, c)).z, hed_cross3(cd, hed_sub3(b, c)).z};
    return s[0] * s[1] <= 0.0 && s[2] * s[3] <= 0.0;
}

// Grows a triangle: a side gets a corner somewhere, unless sides would meet.
static Polygon make_grown(uint64_t seed, int32_t count) {
    Polygon p = {0};
    add(&p, 0.0, 0.0);
    add(&p, 1.0, 0.0);
    add(&p, 0.0, 1.0);
    for (uint64_t i = 0; p.x.count < count; ++i) {
        int32_t n = p.x.count;
        int32_t side = (int32_t)(hed_random_uniform(seed, i, 0) * n);
        HedVec3 m = {2.0 * hed_random_uniform(seed, i, 1) - 0.5,
                     2.0 * hed_random_uniform(seed, i, 2) - 0.5, 0.0};
        HedVec3 a = p.x.data[side], b = p.x.data[(side + 1) % n];
        bool free = true;
        for (int32_t k = 0; k < n && free; ++k) {
            HedVec3 c = p.x.data[k], d = p.x.data[(k + 1) % n];
            free = (k == side || k == (side + 1) % n || !meet(m, b, c, d)) &&
                   (k == side || (k + 1) % n == side || !meet(a, m, c, d)) &&
                   hed_cross3(hed_sub3(d, c), hed_sub3(m, c)).z != 0.0;
            // the corner that both share must not lie within the other side
            free = free && !(k == (side + 1) % n && meet(m, b, d, d)) &&
                   !((k + 1) % n == side && meet(a, m, c, c));
        }
        if (free) {
            add(&p, 0.0, 0.0);
            memmove(p.x.data + side + 2, p.x.data + side + 1,
                    (size_t)(n - side - 1) * sizeof(HedVec3));
            p.x.data[side + 1] = m;
        }
    }
    return p;
}

Test(ears, random_polygons) {
    for (uint64_t seed = 0; seed < 60; ++seed) {
        Polygon p = make_star(seed, 5 + (int32_t)(40.0 * hed_random_uniform(seed, 9, 9)));
        expect_covered(&p, shoelace(&p, X, Y), "star");
        drop(&p);
        p = make_grown(seed, 4 + (int32_t)seed);
        double area = shoelace(&p, X, Y);
        for (int32_t i = 0; i < p.x.count / 2 && area < 0.0; ++i) { // a corner went around it
            swap(&p, i, p.x.count - 1 - i);
        }
        expect_covered(&p, fabs(area), "grown");
        drop(&p);
    }
}

// The outline of a maze: passages one wide, walls one wide, a corner at every whole number, so that
// most lie in line. Its area is counted in squares.
typedef struct Maze {
    int32_t size; // squares each way, odd
    char* open;
    int32_t count; // of open ones
} Maze;

static bool is_open(const Maze* m, int32_t x, int32_t y) {
    return x >= 0 && y >= 0 && x < m->size && y < m->size && m->open[y * m->size + x];
}

static void open_square(Maze* m, int32_t x, int32_t y) {
    m->open[y * m->size + x] = 1;
    ++m->count;
}

static Maze make_maze(uint64_t seed, int32_t rooms) {
    Maze m = {.size = 2 * rooms - 1};
    m.open = hed_alloc((size_t)m.size * (size_t)m.size);
    int32_t* stack = HED_NEW_ARRAY(int32_t, (int64_t)rooms * rooms);
    int32_t depth = 0;
    uint64_t draw = 0;
    open_square(&m, 0, 0);
    stack[depth++] = 0;
    while (depth > 0) {
        int32_t x = 2 * (stack[depth - 1] % rooms), y = 2 * (stack[depth - 1] / rooms);
        static const int32_t WAY[4][2] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}};
        int32_t first = (int32_t)(4.0 * hed_random_uniform(seed, 5, draw++));
        int32_t k = 0;
        for (; k < 4; ++k) {
            const int32_t* w = WAY[(first + k) % 4];
            int32_t u = x + 2 * w[0], v = y + 2 * w[1];
            if (u >= 0 && v >= 0 && u < m.size && v < m.size && !is_open(&m, u, v)) {
                open_square(&m, x + w[0], y + w[1]);
                open_square(&m, u, v);
                stack[depth++] = v / 2 * rooms + u / 2;
                break;
            }
        }
        depth -= k == 4;
    }
    hed_free(stack);
    return m;
}

// Walks with the open squares on the left.
static Polygon outline(const Maze* m) {
    static const int32_t WAY[4][2] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}};
    Polygon p = {0};
    int32_t x = 0, y = 0, way = 0;
    do {
        add(&p, x, y);
        x += WAY[way][0];
        y += WAY[way][1];
        for (int32_t turn = 3; turn < 6; ++turn) { // right, straight, left
            int32_t next = (way + turn) % 4;
            const int32_t* w = WAY[next];
            int32_t fx = x + (w[0] - w[1] - 1) / 2, fy = y + (w[0] + w[1] - 1) / 2;
            int32_t rx = x + (w[0] + w[1] - 1) / 2, ry = y + (w[1] - w[0] - 1) / 2;
            if (is_open(m, fx, fy) && !is_open(m, rx, ry)) {
                way = next;
                break;
            }
        }
    } while (x != 0 || y != 0);
    return p;
}

Test(ears, mazes_with_corners_in_line) {
    for (uint64_t seed = 0; seed < 20; ++seed) {
        Maze m = make_maze(seed, 2 + (int32_t)seed);
        Polygon p = outline(&m);
        cr_assert_gt(p.x.count, 2 * m.size);
        expect_covered(&p, m.count, "maze");
        Result flat = cut(&p, X, Y);
        cr_assert_float_eq(flat.least, 0.5, 0.0, "corners are whole: %g", flat.least); // exact
        drop(&p);
        hed_free(m.open);
    }
}

// --- Holes on slits, and polygons that touch themselves --------------------------------------

// A square with holes in a row, each on a slit from its lowest corner down. shared: both ends of a
// slit name the same vertices twice, or others at the same place.
static Polygon make_holes(int32_t holes, int32_t sides, bool shared, double* area) {
    Polygon p = {0};
    double r = 0.3;
    for (int32_t i = 0; i < holes; ++i) {
        int32_t below = p.x.count;
        add(&p, i + 0.5, 0.0);
        for (int32_t k = 0; k <= sides; ++k) { // clockwise, and the lowest once more
            double angle = -2.0 * 3.14159265358979 * (k % sides) / sides;
            add(&p, i + 0.5 + r * sin(angle), 0.5 - r * cos(angle));
        }
        add(&p, i + 0.5, 0.0);
        if (shared) {
            p.corners.data[p.corners.count - 1] = below;
            p.corners.data[p.corners.count - 2] = below + 1;
        }
    }
    add(&p, holes, 0.0);
    add(&p, holes, 1.0);
    add(&p, 0.0, 1.0);
    add(&p, 0.0, 0.0);
    *area = holes * (1.0 - 0.5 * sides * r * r * sin(2.0 * 3.14159265358979 / sides));
    return p;
}

Test(ears, holes_on_slits) {
    for (int32_t holes = 1; holes < 12; ++holes) {
        for (int32_t sides = 3; sides < 20; ++sides) {
            double area = 0.0;
            Polygon p = make_holes(holes, sides, sides % 2 == 0, &area);
            expect_covered(&p, area, "holes");
            drop(&p);
        }
    }
}

Test(ears, repeated_corners_and_spikes) {
    static const double SHAPES[][10][2] = {
        {{0, 0}, {2, 0}, {2, 0}, {2, 2}, {0, 2}},                         // a corner twice
        {{0, 0}, {2, 0}, {2, 2}, {2, 2}, {2, 2}, {0, 2}, {0, 2}},         // three times
        {{0, 0}, {1, 0}, {2, 0}, {2, 1}, {2, 2}, {1, 2}, {0, 2}, {0, 1}}, // in line
        {{0, 0}, {2, 0}, {3, -1}, {2, 0}, {2, 2}, {0, 2}},                // a spike outside
        {{0, 0}, {2, 0}, {1, 1}, {2, 0}, {2, 2}, {0, 2}},                 // and inside
        {{0, 0}, {2, 0}, {2, 3}, {2, 2}, {0, 2}},                         // along a side
        {{0, 0}, {2, 0}, {1, 0}, {2, 0}, {2, 2}, {0, 2}},                 // back and forth
        {{0, 0}, {1, 0}, {1, 1}, {1, 0}, {2, 0}, {2, 2}, {0, 2}},         // up from a side
        {{0, 0}, {2, 0}, {2, 2}, {1, 0}, {0, 2}, {0, 1}},                 // touches its side: 2
        {{0, 2}, {0, 0}, {2, 0}, {2, 2}, {1, 0}},                         // the same
    };
    static const double AREA[] = {4, 4, 4, 4, 4, 4, 4, 4, 2, 2};
    for (size_t i = 0; i < sizeof AREA / sizeof AREA[0]; ++i) {
        Polygon p = {0};
        for (int32_t k = 0; k < 10 && (k < 3 || SHAPES[i][k][0] != 0 || SHAPES[i][k][1] != 0);
             ++k) {
            add(&p, SHAPES[i][k][0], SHAPES[i][k][1]);
        }
        Result found = cut(&p, X, Y);
        // Corners are whole, so that areas and their sums are exact.
        cr_assert_float_eq(found.area, AREA[i], 0.0, "shape %zu: %g", i, found.area);
        cr_assert_geq(found.least, 0.0, "shape %zu: %g", i, found.least);
        cr_assert_not(found.crosses, "shape %zu", i);
        drop(&p);
    }
}

// --- Polygons that cross themselves ----------------------------------------------------------

Test(ears, crossing_polygons_are_named) {
    for (int32_t points = 5; points < 40; points += 2) {
        for (int32_t step = 2; step < points / 2; ++step) { // {5/2} is a pentagram
            Polygon p = {0};
            for (int32_t i = 0; i < points; ++i) {
                double angle = 2.0 * 3.14159265358979 * step * i / points;
                add(&p, cos(angle), sin(angle));
            }
            cr_assert(cut(&p, X, Y).crosses, "{%d/%d}", points, step);
            drop(&p);
        }
    }
    for (uint64_t seed = 0; seed < 200; ++seed) { // two corners of a star change places
        Polygon p = make_star(seed, 12 + (int32_t)(seed % 30));
        swap(&p, 2, p.x.count / 2 + 2);
        cr_assert(cut(&p, X, Y).crosses, "star %d", (int)seed);
        drop(&p);
    }
}

Test(ears, nothing_at_all) {
    static const double LINES[][2] = {{0, 0}, {1, 0}, {3, 0}, {2, 0}, {1, 0}};
    Polygon p = {0};
    for (int32_t i = 0; i < 5; ++i) {
        add(&p, LINES[i][0], LINES[i][1]);
    }
    cr_assert_eq(cut(&p, X, Y).area, 0.0);
    for (int32_t i = 0; i < 5; ++i) {
        p.x.data[i] = (HedVec3){7.0, 8.0, 9.0};
    }
    cr_assert_eq(cut(&p, X, Y).area, 0.0);
    drop(&p);
}

// --- Cost ------------------------------------------------------------------------------------

static Polygon make_comb(int32_t teeth) {
    Polygon p = {0};
    for (int32_t i = 0; i < teeth; ++i) {
        add(&p, i, 0.0);
        add(&p, i + 0.5 + 0.9 * teeth, teeth); // teeth lean, so that their boxes overlap
        add(&p, i + 0.5, 0.0);
    }
    add(&p, teeth, -1.0);
    add(&p, 0.0, -1.0);
    for (int32_t i = 0; i < p.x.count / 2; ++i) { // counterclockwise
        swap(&p, i, p.x.count - 1 - i);
    }
    return p;
}

static Polygon make_spiral(int32_t count) {
    Polygon p = {0};
    for (int32_t i = 0; i < count; ++i) {
        double angle = 30.0 * i / count;
        add(&p, (angle + 1.0) * cos(angle), (angle + 1.0) * sin(angle));
    }
    for (int32_t i = count - 1; i >= 0; --i) {
        double angle = 30.0 * i / count;
        add(&p, (angle + 0.2) * cos(angle), (angle + 0.2) * sin(angle));
    }
    return p;
}

// Sixteen times as many corners take about sixteen times as long, and 64 times if they make needles
// that reach through all of the grid's rows; 256 times would be quadratic. The bound lies between,
// in units of the smaller one's time, which counts as a millisecond at least.
Test(ears, time_grows_with_the_corners) {
    for (int kind = 0; kind < 4; ++kind) {
        double seconds[2];
        for (int32_t size = 0; size < 2; ++size) {
            int32_t n = size == 0 ? 2500 : 40000;
            Maze m = {0};
            Polygon p;
            if (kind == 0) {
                m = make_maze(1, size == 0 ? 25 : 100);
                p = outline(&m);
            } else {
                p = kind == 1 ? make_star(1, n) : kind == 2 ? make_comb(n / 3) : make_spiral(n / 2);
            }
            double area = shoelace(&p, X, Y);
            Result found = cut(&p, X, Y);
            seconds[size] = found.seconds;
            // Two sums of n terms, each rounded by an epsilon of 2.2e-16 of what was summed
            // up, of the size of the area.
            cr_assert_float_eq(found.area, area, 1e-15 * n * fabs(area), "kind %d", kind);
            cr_assert_geq(found.least, 0.0, "kind %d: %g", kind, found.least);
            cr_assert_not(found.crosses, "kind %d", kind);
            drop(&p);
            hed_free(m.open);
        }
        cr_log_info("kind %d: %.4f s, %.4f s", kind, seconds[0], seconds[1]);
        // Between 64 and 256, as above.
        cr_assert_lt(seconds[1], 128.0 * fmax(seconds[0], 1e-3), "kind %d", kind);
    }
}

// What is made to be slow ends: all corners at one place, a square run around many times, corners
// drawn at random. About a second each; quadratic would be minutes.
Test(ears, tangles_end) {
    for (int kind = 0; kind < 3; ++kind) {
        Polygon p = {0};
        for (uint64_t i = 0; i < MOST; ++i) {
            double u = hed_random_uniform(3, 0, i), v = hed_random_uniform(3, 1, i);
            double square[2] = {i % 4 == 1 || i % 4 == 2, i % 4 >= 2};
            add(&p,
                kind == 0   ? 1.0
                : kind == 1 ? square[0]
                            : u,
                kind == 0   ? 1.0
                : kind == 1 ? square[1]
                            : v);
        }
        Result found = cut(&p, X, Y);
        cr_log_info("tangle %d: %.3f s", kind, found.seconds);
        cr_assert(found.crosses == (kind > 0), "kind %d", kind);
        cr_assert_lt(found.seconds, 20.0, "kind %d", kind);
        drop(&p);
    }
}

static HedStatus cut_once(void) {
    static const HedVec3 PLACES[6] = {{0, 0, 0}, {2, 0, 0}, {2, 1, 0},
                                      {1, 1, 0}, {1, 2, 0}, {0, 2, 0}};
    static const int32_t CORNERS[6] = {2, 3, 4, 5, 0, 1};
    HedEars ears = {0};
    int32_t t[12];
    bool crosses = false;
    HedStatus status = hed_ears_cut(&ears, (HedEarPolygon){PLACES, CORNERS, 6}, t, &crosses, NULL);
    hed_ears_free(&ears);
    return status;
}

Test(ears, every_allocation_may_fail) {
    expect_no_memory(cut_once, 4);
}
