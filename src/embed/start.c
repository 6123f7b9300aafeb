// SPDX-License-Identifier: MIT
// A first shape from distances along the surface. With the squared distances d_ip^2 of all loops to
// some pivots p, freed of their means over rows and columns,
//   c_ip = -1/2 (d_ip^2 - mean_i - mean_p + mean)
// is a part of the matrix of products of the coordinates that are looked for (Torgerson 1952), so
// its singular vectors are these coordinates but for their lengths (Brandes and Pich 2006): with
// n loops, k pivots and the singular value s, the eigenvalue of the whole matrix is s sqrt(n / k).
#include "embed/embed.h"
#include "math/eigen.h"

#include <math.h>
#include <string.h>

enum { PIVOTS = HED_EIGEN_LIMIT };

// --- neighbours ---

void hed_neighbours_free(HedNeighbours* n) {
    hed_free(n->first);
    hed_free(n->other);
    hed_free(n->across);
    hed_free(n->up);
    hed_free(n->distance);
    *n = (HedNeighbours){0};
}

static bool make_room(HedNeighbours* n, int32_t count, int64_t entries) {
    n->count = count;
    n->first = HED_NEW_ARRAY(int32_t, (int64_t)count + 1);
    n->other = HED_NEW_ARRAY(int32_t, entries);
    n->across = HED_NEW_ARRAY(double, entries);
    n->up = HED_NEW_ARRAY(double, entries);
    n->distance = HED_NEW_ARRAY(double, entries);
    return entries <= INT32_MAX && n->first && n->other && n->across && n->up && n->distance;
}

static void put(HedNeighbours* n, int32_t at, int32_t other, double across, double up) {
    n->other[at] = other;
    n->across[at] = across;
    n->up[at] = up;
    n->distance[at] = hypot(across, up);
}

static HedStatus find_direct(const HedRelations* r, HedNeighbours* n, HedError* error) {
    if (!make_room(n, r->count, 2 * (int64_t)r->items.count)) {
        return hed_fail_memory(error, "neighbours of loops");
    }
    for (int32_t k = 0; k < r->items.count; ++k) {
        n->first[r->items.data[k].from + 1] += 1;
        n->first[r->items.data[k].to + 1] += 1;
    }
    for (int32_t i = 0; i < r->count; ++i) {
        n->first[i + 1] += n->first[i];
    }
    // Filled from the back of each part; afterwards first[i + 1] is where part i begins.
    for (int32_t k = r->items.count - 1; k >= 0; --k) {
        const HedRelation* e = &r->items.data[k];
        put(n, --n->first[e->to + 1], e->from, -e->across, -e->up);
        put(n, --n->first[e->from + 1], e->to, e->across, e->up);
    }
    memmove(n->first, n->first + 1, (size_t)r->count * sizeof(int32_t));
    n->first[r->count] = 2 * r->items.count;
    return HED_OK;
}

HedStatus hed_neighbours_find(const HedRelations* relations, int32_t depth,
                              HedNeighbours* neighbours, HedError* error) {
    HedNeighbours near = {0};
    *neighbours = (HedNeighbours){0};
    HedStatus status = find_direct(relations, depth == 1 ? neighbours : &near, error);
    if (depth == 1 || status != HED_OK) {
        hed_neighbours_free(&near);
        return status;
    }
    int64_t entries = 0;
    for (int32_t i = 0; i < near.count; ++i) {
        for (int32_t e = near.first[i]; e < near.first[i + 1]; ++e) {
            entries += 1 + near.first[near.other[e] + 1] - near.first[near.other[e]];
        }
    }
    if (!make_room(neighbours, near.count, entries)) {
        hed_neighbours_free(&near);
        return hed_fail_memory(error, "neighbours of loops");
    }
    int32_t at = 0;
    for (int32_t i = 0; i < near.count; ++i) {
        for (int32_t e = near.first[i]; e < near.first[i + 1]; ++e) {
            int32_t j = near.other[e];
            put(neighbours, at++, j, near.across[e], near.up[e]);
            for (int32_t h = near.first[j]; h < near.first[j + 1]; ++h) {
                if (near.other[h] != i) {
                    put(neighbours, at++, near.other[h], near.across[e] + near.across[h],
                        near.up[e] + near.up[h]);
                }
            }
        }
        neighbours->first[i + 1] = at;
    }
    hed_neighbours_free(&near);
    return HED_OK;
}

// --- distances along the surface (Dijkstra 1959) ---

typedef struct DistanceWalk {
    const HedNeighbours* near;
    double* distance;
    int32_t* heap;  // loops, the nearest first
    int32_t* place; // per loop: where it is in the heap; -1 if it is not
    int32_t count;
} DistanceWalk;

static void set_heap(DistanceWalk* w, int32_t at, int32_t loop) {
    w->heap[at] = loop;
    w->place[loop] = at;
}

static void rise(DistanceWalk* w, int32_t at) {
    int32_t loop = w->heap[at];
    while (at > 0 && w->distance[w->heap[(at - 1) / 2]] > w->distance[loop]) {
        set_heap(w, at, w->heap[(at - 1) / 2]);
        at = (at - 1) / 2;
    }
    set_heap(w, at, loop);
}

static int32_t take_nearest(DistanceWalk* w) {
    int32_t nearest = w->heap[0];
    int32_t loop = w->heap[--w->count];
    w->place[nearest] = -1;
    int32_t at = 0;
    while (2 * at + 1 < w->count) {
        int32_t child = 2 * at + 1;
        if (child + 1 < w->count && w->distance[w->heap[child + 1]] < w->distance[w->heap[child]]) {
            ++child;
        }
        if (w->distance[w->heap[child]] >= w->distance[loop]) {
            break;
        }
        set_heap(w, at, w->heap[child]);
        at = child;
    }
    if (w->count > 0) {
        set_heap(w, at, loop);
    }
    return nearest;
}

static void walk_from(DistanceWalk* w, int32_t start) {
    const HedNeighbours* n = w->near;
    for (int32_t i = 0; i < n->count; ++i) {
        w->distance[i] = (double)INFINITY;
        w->place[i] = -1;
    }
    w->count = 1;
    w->distance[start] = 0.0;
    set_heap(w, 0, start);
    while (w->count > 0) {
        int32_t i = take_nearest(w);
        for (int32_t e = n->first[i]; e < n->first[i + 1]; ++e) {
            int32_t j = n->other[e];
            double d = w->distance[i] + n->distance[e];
            if (d < w->distance[j]) {
                w->distance[j] = d;
                if (w->place[j] < 0) {
                    set_heap(w, w->count, j);
                    w->count += 1;
                }
                rise(w, w->place[j]);
            }
        }
    }
}

// --- classical scaling ---

// Squared distances of loops (rows) to pivots; each pivot is as far as can be from those before.
static void measure(DistanceWalk* w, int32_t pivot_count, double* squares, double* least) {
    int32_t n = w->near->count;
    int32_t pivot = 0;
    walk_from(w, 0); // from somewhere to the rim
    for (int32_t i = 0; i < n; ++i) {
        pivot = w->distance[i] > w->distance[pivot] ? i : pivot;
        least[i] = (double)INFINITY;
    }
    for (int32_t p = 0; p < pivot_count; ++p) {
        walk_from(w, pivot);
        for (int32_t i = 0; i < n; ++i) {
            double d = w->distance[i];
            squares[(int64_t)i * pivot_count + p] = d * d;
            least[i] = fmin(least[i], d);
        }
        for (int32_t i = 0; i < n; ++i) {
            pivot = least[i] > least[pivot] ? i : pivot;
        }
    }
}

static void centre(double* c, int32_t n, int32_t k) {
    double of_column[PIVOTS] = {0};
    double all = 0.0;
    for (int32_t i = 0; i < n; ++i) {
        for (int32_t p = 0; p < k; ++p) {
            of_column[p] += c[(int64_t)i * k + p] / n;
        }
    }
    for (int32_t p = 0; p < k; ++p) {
        all += of_column[p] / k;
    }
    for (int32_t i = 0; i < n; ++i) {
        double* row = c + (int64_t)i * k;
        double of_row = 0.0;
        for (int32_t p = 0; p < k; ++p) {
            of_row += row[p] / k;
        }
        for (int32_t p = 0; p < k; ++p) {
            row[p] = -0.5 * (row[p] - of_row - of_column[p] + all);
        }
    }
}

static void scale(const double* c, int32_t n, int32_t k, int32_t dims, double* x) {
    double product[PIVOTS * PIVOTS] = {0};
    double value[PIVOTS];
    double vector[PIVOTS * PIVOTS];
    for (int32_t i = 0; i < n; ++i) {
        const double* row = c + (int64_t)i * k;
        for (int32_t p = 0; p < k; ++p) {
            for (int32_t q = 0; q <= p; ++q) {
                product[p * k + q] += row[p] * row[q];
            }
        }
    }
    for (int32_t p = 0; p < k; ++p) {
        for (int32_t q = 0; q < p; ++q) {
            product[q * k + p] = product[p * k + q];
        }
    }
    hed_eigen_symmetric(k, product, value, vector);
    for (int32_t d = 0; d < dims; ++d) {
        int32_t which = k - 1 - d; // values rise
        double s = which >= 0 ? sqrt(fmax(value[which], 0.0)) : 0.0;
        // C v is s times the coordinate of length 1; it shall be sqrt(s sqrt(n / k)) long.
        double factor = s > 0.0 ? sqrt(s * sqrt((double)n / k)) / s : 0.0;
        for (int32_t i = 0; i < n; ++i) {
            double sum = 0.0;
            for (int32_t p = 0; p < k && which >= 0; ++p) {
                sum += c[(int64_t)i * k + p] * vector[p * k + which];
            }
            x[(int64_t)i * dims + d] = factor * sum;
        }
    }
}

HedStatus hed_embed_landmarks(const HedRelations* relations, int32_t dims, double* x,
                              HedError* error) {
    HedStatus status = HED_OK;
    int32_t n = relations->count;
    int32_t pivots = n < PIVOTS ? n : PIVOTS;
    HedNeighbours near = {0};
    DistanceWalk w = {.near = &near};
    double* squares = HED_NEW_ARRAY(double, (int64_t)n* pivots);
    double* least = HED_NEW_ARRAY(double, n);
    w.distance = HED_NEW_ARRAY(double, n);
    w.heap = HED_NEW_ARRAY(int32_t, n);
    w.place = HED_NEW_ARRAY(int32_t, n);
    if (!squares || !least || !w.distance || !w.heap || !w.place) {
        HED_TRY(hed_fail_memory(error, "distances of loops"));
    }
    HED_TRY(hed_neighbours_find(relations, 2, &near, error));
    measure(&w, pivots, squares, least);
    centre(squares, n, pivots);
    scale(squares, n, pivots, dims, x);
done:
    hed_neighbours_free(&near);
    hed_free(squares);
    hed_free(least);
    hed_free(w.distance);
    hed_free(w.heap);
    hed_free(w.place);
    return status;
}
