// SPDX-License-Identifier: MIT
// Loops in space by the stress method.
//
// Each loop i has a frame F_i of two vectors at right angles, right and up; a relation says that
// loop j stands at e = (across, up) from loop i. Wanted are places x and frames with the least
//   E = sum w |x_j - x_i - (F_i + F_j) e / 2|^2 + t sum w |F_i - F_j|^2
// The first sum is the stress of the distances with the sides of loops as further information; the
// second keeps the surface from folding: a fabric that can lie flat does, and a tube is round. By
// turns
//   frames: (1 + t L) S = sum w (x_j - x_i) e',  F = S (S' S)^(-1/2)     (t L smooths)
//   places: L x = sum w (F_i + F_j) e / 2
// with the Laplacian L of the relations. Nothing here depends on the number of dimensions: shapes
// unfold in six, where there is room to move, before they are pressed into three.
#include "embed/embed.h"
#include "math/eigen.h"
#include "math/vec3.h"
#include "solve/sparse.h"

#include <math.h>
#include <string.h>

enum { ROUNDS = 12, AXES = 2, LARGE = 20000 }; // AXES: right and up

typedef struct Embedding {
    const HedRelations* relations;
    int32_t count, dims;
    double unit;          // m, typical distance of neighbours
    double* x;            // count * dims
    double* moved;        // the same, in the making
    double* kept[2];      // shapes to come back to
    double* frames[AXES]; // count * dims each
    double* smooth[AXES];
    HedSparseFactor laplace;
    HedSparseFactor diffuse[AXES]; // for each axis its own
    double strength[AXES];         // t, in squares of neighbours
    int32_t iterations;
    HedError* error;
} Embedding;

static void free_embedding(Embedding* e) {
    hed_free(e->x);
    hed_free(e->moved);
    for (int32_t k = 0; k < AXES; ++k) {
        hed_free(e->kept[k]);
        hed_free(e->frames[k]);
        hed_free(e->smooth[k]);
        hed_sparse_factor_free(&e->diffuse[k]);
    }
    hed_sparse_factor_free(&e->laplace);
}

static HedStatus make_room(Embedding* e) {
    int64_t size = (int64_t)e->count * HED_EMBED_DIMS;
    e->x = HED_NEW_ARRAY(double, size);
    e->moved = HED_NEW_ARRAY(double, size);
    bool is_good = e->x && e->moved;
    for (int32_t k = 0; k < AXES; ++k) {
        e->kept[k] = HED_NEW_ARRAY(double, size);
        e->frames[k] = HED_NEW_ARRAY(double, size);
        e->smooth[k] = HED_NEW_ARRAY(double, size);
        is_good = is_good && e->kept[k] && e->frames[k] && e->smooth[k];
    }
    return is_good ? HED_OK : hed_fail_memory(e->error, "an embedding");
}

// diagonal + scale * (Laplacian), factored.
static HedStatus factor(const Embedding* e, double diagonal, double scale, HedSparseFactor* to) {
    HedStatus status = HED_OK;
    const HedRelations* r = e->relations;
    HedSparse matrix = {0};
    int32_t count = e->count + 3 * r->items.count;
    HedSparseEntry* entries = HED_NEW_ARRAY(HedSparseEntry, count);
    hed_sparse_factor_free(to);
    if (!entries) {
        return hed_fail_memory(e->error, "an embedding");
    }
    for (int32_t i = 0; i < e->count; ++i) {
        entries[i] = (HedSparseEntry){i, i, diagonal};
    }
    for (int32_t k = 0; k < r->items.count; ++k) {
        const HedRelation* one = &r->items.data[k];
        HedSparseEntry* at = entries + e->count + 3 * (int64_t)k;
        at[0] = (HedSparseEntry){one->from, one->from, scale * one->weight};
        at[1] = (HedSparseEntry){one->to, one->to, scale * one->weight};
        at[2] = (HedSparseEntry){one->from, one->to, -scale * one->weight};
    }
    HED_TRY(hed_sparse_create(&matrix, e->count, entries, count, e->error));
    HED_TRY(hed_sparse_factor(&matrix, to, e->error));
done:
    hed_sparse_free(&matrix);
    hed_free(entries);
    return status;
}

// How much frames are smoothed: across and up.
static HedStatus set_smoothing(Embedding* e, double right, double up) {
    HedStatus status = HED_OK;
    const double wanted[AXES] = {right, up};
    for (int32_t k = 0; k < AXES; ++k) {
        if (wanted[k] != e->strength[k] || !e->diffuse[k].order) {
            HED_TRY(factor(e, 1.0, wanted[k], &e->diffuse[k]));
            e->strength[k] = wanted[k];
        }
    }
done:
    return status;
}

// --- frames ---

// The frame of a loop whose neighbours are all on one line: along it, and any way across.
static void make_across(double* given, double* other, int32_t dims, double length) {
    int32_t largest = 0;
    for (int32_t k = 0; k < dims; ++k) {
        given[k] /= length;
        other[k] = 0.0;
        largest = fabs(given[k]) > fabs(given[largest]) ? k : largest;
    }
    int32_t next = (largest + 1) % dims;
    double norm = hypot(given[largest], given[next]);
    other[largest] = -given[next] / norm;
    other[next] = given[largest] / norm;
}

// S (S' S)^(-1/2) for the two columns p and q of S; the result may take their place.
static void square_up(const double* p, const double* q, int32_t dims, double* right, double* up) {
    double a = 0.0, b = 0.0, c = 0.0;
    for (int32_t k = 0; k < dims; ++k) {
        a += p[k] * p[k];
        b += p[k] * q[k];
        c += q[k] * q[k];
    }
    double root = sqrt(fmax(a * c - b * b, 0.0)); // of the determinant of S' S
    double sum = sqrt(a + c + 2.0 * root);
    if (!(root > 1e-9 * (a + c))) {
        memmove(right, p, (size_t)dims * sizeof(double));
        memmove(up, q, (size_t)dims * sizeof(double));
        if (a >= c && a > 0.0) {
            make_across(right, up, dims, sqrt(a));
        } else if (c > 0.0) {
            make_across(up, right, dims, sqrt(c));
        }
        return;
    }
    // With M = S' S: M^(1/2) = (M + root I) / sum, and the inverse of that.
    double scale = sum / ((a + root) * (c + root) - b * b);
    for (int32_t k = 0; k < dims; ++k) {
        double along = p[k];
        right[k] = scale * ((c + root) * along - b * q[k]);
        up[k] = scale * ((a + root) * q[k] - b * along);
    }
}

static void gather_frames(Embedding* e) {
    const HedRelations* r = e->relations;
    int32_t dims = e->dims;
    size_t size = (size_t)e->count * (size_t)dims * sizeof(double);
    memset(e->smooth[0], 0, size);
    memset(e->smooth[1], 0, size);
    for (int32_t k = 0; k < r->items.count; ++k) {
        const HedRelation* one = &r->items.data[k];
        int64_t from = (int64_t)one->from * dims;
        int64_t to = (int64_t)one->to * dims;
        double across = one->weight * one->across / (e->unit * e->unit);
        double up = one->weight * one->up / (e->unit * e->unit);
        for (int32_t d = 0; d < dims; ++d) {
            double step = e->x[to + d] - e->x[from + d];
            e->smooth[0][from + d] += across * step;
            e->smooth[0][to + d] += across * step;
            e->smooth[1][from + d] += up * step;
            e->smooth[1][to + d] += up * step;
        }
    }
}

static void find_frames(Embedding* e) {
    gather_frames(e);
    hed_sparse_solve(&e->diffuse[0], e->smooth[0], e->dims);
    hed_sparse_solve(&e->diffuse[1], e->smooth[1], e->dims);
    for (int32_t i = 0; i < e->count; ++i) {
        int64_t at = (int64_t)i * e->dims;
        square_up(e->smooth[0] + at, e->smooth[1] + at, e->dims, e->frames[0] + at,
                  e->frames[1] + at);
    }
}

// --- places ---

// Root mean square of how far loops moved, in typical distances.
static double find_places(Embedding* e) {
    const HedRelations* r = e->relations;
    int32_t dims = e->dims;
    double* b = e->moved;
    memset(b, 0, (size_t)e->count * (size_t)dims * sizeof(double));
    for (int32_t k = 0; k < r->items.count; ++k) {
        const HedRelation* one = &r->items.data[k];
        int64_t from = (int64_t)one->from * dims;
        int64_t to = (int64_t)one->to * dims;
        for (int32_t d = 0; d < dims; ++d) {
            double right = e->frames[0][from + d] + e->frames[0][to + d];
            double up = e->frames[1][from + d] + e->frames[1][to + d];
            double step = 0.5 * one->weight * (one->across * right + one->up * up);
            b[from + d] -= step;
            b[to + d] += step;
        }
    }
    hed_sparse_solve(&e->laplace, b, dims);
    double sum = 0.0;
    for (int64_t i = 0; i < (int64_t)e->count * dims; ++i) {
        sum += (b[i] - e->x[i]) * (b[i] - e->x[i]);
        e->x[i] = b[i];
    }
    e->iterations += 1;
    return sqrt(sum / e->count) / e->unit;
}

// Frames and places by turns until nothing moves.
static HedStatus settle(Embedding* e, double right, double up, int32_t rounds) {
    static const double QUIET = 2e-3;
    HedStatus status = set_smoothing(e, right, up);
    double moved = HUGE_VAL;
    for (int32_t i = 0; status == HED_OK && i < rounds && moved > QUIET; ++i) {
        find_frames(e);
        moved = find_places(e);
    }
    return status;
}

// From smooth to exact.
static HedStatus sharpen(Embedding* e) {
    HedStatus status = HED_OK;
    HED_TRY(settle(e, 16.0, 16.0, ROUNDS));
    HED_TRY(settle(e, 4.0, 4.0, ROUNDS));
    HED_TRY(settle(e, 1.0, 1.0, ROUNDS));
    find_frames(e);
done:
    return status;
}

typedef struct PlaceFit {
    double stress, worst;
} PlaceFit;

static PlaceFit measure(const Embedding* e) {
    const HedRelations* r = e->relations;
    double sum = 0.0;
    double weight = 0.0;
    PlaceFit fit = {0};
    for (int32_t k = 0; k < r->items.count; ++k) {
        const HedRelation* one = &r->items.data[k];
        double wanted = hypot(one->across, one->up);
        double square = 0.0;
        for (int32_t d = 0; d < e->dims; ++d) {
            double step =
                e->x[(int64_t)one->to * e->dims + d] - e->x[(int64_t)one->from * e->dims + d];
            square += step * step;
        }
        if (wanted > 0.0) {
            double off = sqrt(square) / wanted - 1.0;
            sum += one->weight * off * off;
            weight += one->weight;
            fit.worst = fmax(fit.worst, fabs(off));
        }
    }
    fit.stress = weight > 0.0 ? sqrt(sum / weight) : 0.0;
    return fit;
}

// Stress and bending together: a fold has little stress, but turns frames round at once.
static double roughness(Embedding* e) {
    static const double BEND = 0.3;
    const HedRelations* r = e->relations;
    double sum = 0.0;
    gather_frames(e);
    for (int32_t i = 0; i < e->count; ++i) {
        int64_t at = (int64_t)i * e->dims;
        square_up(e->smooth[0] + at, e->smooth[1] + at, e->dims, e->smooth[0] + at,
                  e->smooth[1] + at);
    }
    for (int32_t k = 0; k < r->items.count; ++k) {
        int64_t from = (int64_t)r->items.data[k].from * e->dims;
        int64_t to = (int64_t)r->items.data[k].to * e->dims;
        for (int32_t d = 0; d < e->dims; ++d) {
            double right = e->smooth[0][from + d] - e->smooth[0][to + d];
            double up = e->smooth[1][from + d] - e->smooth[1][to + d];
            sum += right * right + up * up;
        }
    }
    double stress = measure(e).stress;
    return stress * stress + BEND * sum / r->items.count;
}

static HedVec3 vector_at(const double* data, int64_t at) {
    return (HedVec3){data[3 * at], data[3 * at + 1], data[3 * at + 2]};
}

// How far faces look away from the middle, on average: 1 for a sphere, 0 for what is flat or passes
// through itself; negative if they look inwards. For frames in three dimensions.
static double outwardness(const Embedding* e, double* const frames[AXES]) {
    HedVec3 centre = {0};
    double out = 0.0;
    double size = 0.0;
    for (int32_t i = 0; i < e->count; ++i) {
        centre = hed_madd3(centre, 1.0 / e->count, vector_at(e->x, i));
    }
    for (int32_t i = 0; i < e->count; ++i) {
        HedVec3 face = hed_cross3(vector_at(frames[0], i), vector_at(frames[1], i));
        HedVec3 from = hed_sub3(vector_at(e->x, i), centre);
        out += hed_dot3(face, from);
        size += hed_norm3(from);
    }
    return size > 0.0 ? out / size : 0.0;
}

// --- dimensions ---

static void keep(const Embedding* e, int32_t slot) {
    memcpy(e->kept[slot], e->x, (size_t)e->count * (size_t)e->dims * sizeof(double));
}

static void restore(Embedding* e, int32_t slot, int32_t dims) {
    memcpy(e->x, e->kept[slot], (size_t)e->count * (size_t)dims * sizeof(double));
    e->dims = dims;
}

// Turns the axes to those of the largest extent, the first the largest; extent gets the root mean
// square along each.
static void turn_axes(Embedding* e, double* extent) {
    int32_t dims = e->dims;
    double mean[HED_EMBED_DIMS] = {0};
    double product[HED_EMBED_DIMS * HED_EMBED_DIMS] = {0};
    double value[HED_EMBED_DIMS];
    double axis[HED_EMBED_DIMS * HED_EMBED_DIMS];
    for (int64_t i = 0; i < (int64_t)e->count * dims; ++i) {
        mean[i % dims] += e->x[i] / e->count;
    }
    for (int32_t i = 0; i < e->count; ++i) {
        double* x = e->x + (int64_t)i * dims;
        for (int32_t d = 0; d < dims; ++d) {
            x[d] -= mean[d];
        }
        for (int32_t d = 0; d < dims * dims; ++d) {
            product[d] += x[d / dims] * x[d % dims];
        }
    }
    hed_eigen_symmetric(dims, product, value, axis);
    for (int32_t i = 0; i < e->count; ++i) {
        double from[HED_EMBED_DIMS];
        double* to = e->x + (int64_t)i * dims;
        memcpy(from, to, (size_t)dims * sizeof(double));
        for (int32_t d = 0; d < dims; ++d) {
            to[d] = 0.0;
            for (int32_t c = 0; c < dims; ++c) {
                to[d] += from[c] * axis[c * dims + dims - 1 - d];
            }
        }
    }
    for (int32_t d = 0; d < dims; ++d) {
        extent[d] = sqrt(fmax(value[dims - 1 - d], 0.0) / e->count);
    }
}

// Keeps the first axes. Two of them, a and b, may take up the next one: away from the line around
// which they turn. That makes a torus of two circles, each of which has a plane of its own.
static void press(Embedding* e, int32_t dims, int32_t a, int32_t b) {
    int32_t old = e->dims;
    for (int32_t i = 0; i < e->count; ++i) {
        double x[HED_EMBED_DIMS];
        memcpy(x, e->x + (int64_t)i * old, (size_t)old * sizeof(double));
        double radius = a != b ? hypot(x[a], x[b]) : 0.0;
        if (radius > 0.0) {
            double grow = 1.0 + x[dims] / radius;
            x[a] *= grow;
            x[b] *= grow;
        }
        memcpy(e->x + (int64_t)i * dims, x, (size_t)dims * sizeof(double));
    }
    e->dims = dims;
}

// --- shapes ---

// In the plane; the shape goes to kept[1].
static HedStatus try_flat(Embedding* e, PlaceFit* fit) {
    HedStatus status = HED_OK;
    press(e, 2, 0, 0);
    HED_TRY(settle(e, 1024.0, 1024.0, 4));
    HED_TRY(sharpen(e));
    *fit = measure(e);
    keep(e, 1);
done:
    return status;
}

// From six dimensions to three, in the way that fits best.
static HedStatus unfold(Embedding* e) {
    static const int32_t PAIRS[4][2] = {{0, 0}, {0, 1}, {0, 2}, {1, 2}};
    HedStatus status = HED_OK;
    double extent[HED_EMBED_DIMS] = {0};
    double least = HUGE_VAL;
    int32_t best = 0;
    HED_TRY(settle(e, 64.0, 64.0, ROUNDS / 2));
    HED_TRY(settle(e, 16.0, 16.0, ROUNDS / 2));
    turn_axes(e, extent);
    keep(e, 0);
    int32_t ways = extent[3] > 0.2 * extent[2] ? 4 : 1;
    for (int32_t k = 0; k < ways && ways > 1; ++k) {
        restore(e, 0, HED_EMBED_DIMS);
        press(e, 3, PAIRS[k][0], PAIRS[k][1]);
        HED_TRY(settle(e, 16.0, 16.0, ROUNDS / 2));
        // Shapes that enclose something are better than those that pass through themselves.
        double rough = roughness(e) / (0.3 + fabs(outwardness(e, e->smooth)));
        best = rough < 0.99 * least ? k : best;
        least = fmin(least, rough);
    }
    restore(e, 0, HED_EMBED_DIMS);
    press(e, 3, PAIRS[best][0], PAIRS[best][1]);
    HED_TRY(settle(e, 16.0, 16.0, ROUNDS));
done:
    return status;
}

// The first three axes of the start will do if distances can be kept there.
static HedStatus shape_up(Embedding* e) {
    static const double GOOD = 0.02;
    HedStatus status = HED_OK;
    restore(e, 0, HED_EMBED_DIMS);
    press(e, 3, 0, 0);
    HED_TRY(settle(e, 16.0, 16.0, ROUNDS / 2));
    if (measure(e).stress > GOOD) {
        restore(e, 0, HED_EMBED_DIMS);
        HED_TRY(unfold(e));
    }
done:
    return status;
}

// Long bends cost almost nothing and would go slowly: frames are smoothed over long ways, as long
// as the distances do not suffer. A tube bears it along its columns only.
static HedStatus straighten(Embedding* e) {
    static const double FAR = 4096.0, NEAR = 16.0;
    static const double WAYS[3][AXES] = {{FAR, FAR}, {NEAR, FAR}, {FAR, NEAR}};
    HedStatus status = HED_OK;
    double least = measure(e).stress;
    for (int32_t k = 0; k < 3; ++k) {
        keep(e, 0);
        HED_TRY(settle(e, WAYS[k][0], WAYS[k][1], ROUNDS / 2));
        HED_TRY(settle(e, NEAR, NEAR, 2));
        double stress = measure(e).stress;
        if (stress <= 1.02 * least + 2e-4) {
            least = fmin(least, stress);
        } else {
            restore(e, 0, 3);
        }
    }
done:
    return status;
}

// The face of a closed shape looks outwards. Mirrored, it does if it did not.
static void face_outwards(Embedding* e) {
    find_frames(e);
    bool is_inside_out = outwardness(e, e->frames) < 0.0;
    for (int32_t i = 0; is_inside_out && i < e->count; ++i) {
        e->x[3 * (int64_t)i + 2] *= -1.0;
        e->frames[0][3 * (int64_t)i + 2] *= -1.0;
        e->frames[1][3 * (int64_t)i + 2] *= -1.0;
    }
}

// Flat shapes lie in the plane of the first two axes.
static void lay_flat(Embedding* e) {
    restore(e, 1, 2);
    for (int32_t i = e->count - 1; i >= 0; --i) {
        double* x = e->x + 3 * (int64_t)i;
        x[1] = e->x[2 * (int64_t)i + 1];
        x[0] = e->x[2 * (int64_t)i];
        x[2] = 0.0;
    }
    e->dims = 3;
}

static HedStatus embed_stress(Embedding* e) {
    HedStatus status = HED_OK;
    double extent[HED_EMBED_DIMS] = {0};
    PlaceFit flat = {0};
    e->dims = HED_EMBED_DIMS;
    HED_TRY(factor(e, 1e-9, 1.0, &e->laplace));
    HED_TRY(hed_embed_landmarks(e->relations, e->dims, e->x, e->error));
    turn_axes(e, extent);
    keep(e, 0);
    HED_TRY(try_flat(e, &flat));
    bool is_flat = flat.stress < 0.02 && flat.worst < 0.2;
    if (!is_flat) {
        HED_TRY(shape_up(e));
        bool is_long = extent[0] > 3.0 * extent[1];
        HED_TRY(is_long || e->count < LARGE ? straighten(e) : HED_OK);
        face_outwards(e);
        HED_TRY(sharpen(e));
        PlaceFit fit = measure(e);
        is_flat = flat.stress < 1.1 * fit.stress + 3e-3 && flat.worst < fit.worst + 0.1;
    }
    if (is_flat) {
        lay_flat(e);
        HED_TRY(set_smoothing(e, 1.0, 1.0));
        find_frames(e);
    }
done:
    return status;
}

// Frames of a shape that another method found.
static HedStatus embed_other(Embedding* e, HedEmbedMethod method) {
    HedStatus status = HED_OK;
    e->dims = 3;
    HED_TRY(method == HED_EMBED_SPECTRAL ? hed_embed_spectral(e->relations, e->x, e->error)
                                         : hed_embed_linear(e->relations, e->x, e->error));
    HED_TRY(set_smoothing(e, 1.0, 1.0));
    find_frames(e);
done:
    return status;
}

// --- the end ---

static void write_places(const Embedding* e, HedLoopPlace* places) {
    HedVec3 x_axis = {1.0, 0.0, 0.0};
    HedVec3 y_axis = {0.0, 1.0, 0.0};
    for (int32_t i = 0; i < e->count; ++i) {
        HedLoopPlace* p = &places[i];
        p->position = vector_at(e->x, i);
        p->right = hed_unit3(vector_at(e->frames[0], i), x_axis);
        HedVec3 up = vector_at(e->frames[1], i);
        up = hed_madd3(up, -hed_dot3(up, p->right), p->right);
        p->up = hed_norm3(up) > 0.0 ? hed_unit3(up, y_axis) : hed_perpendicular3(p->right);
        p->face = hed_cross3(p->right, p->up);
    }
}

HedStatus hed_embed(const HedRelations* relations, HedEmbedMethod method, HedLoopPlace* places,
                    HedEmbedReport* report, HedError* error) {
    HedStatus status = HED_OK;
    int32_t n = relations->count;
    Embedding e = {.relations = relations, .count = n, .error = error};
    if (method < 0 || method >= HED_EMBED_METHODS) {
        return hed_fail(error, HED_INVALID, "unknown method %d of embedding", (int)method);
    }
    HED_TRY(make_room(&e));
    for (int32_t k = 0; k < relations->items.count; ++k) {
        const HedRelation* one = &relations->items.data[k];
        e.unit += hypot(one->across, one->up) / relations->items.count;
    }
    e.unit = e.unit > 0.0 ? e.unit : 1.0; // a single loop
    HED_TRY(method == HED_EMBED_STRESS ? embed_stress(&e) : embed_other(&e, method));
    write_places(&e, places);
    hed_places_turn(places, n);
    if (report) {
        PlaceFit fit = measure(&e);
        *report = (HedEmbedReport){fit.stress, fit.worst, e.iterations};
    }
done:
    free_embedding(&e);
    return status;
}

const char* hed_embed_method_name(HedEmbedMethod method) {
    static const char* const NAMES[HED_EMBED_METHODS] = {"stress", "spectral", "linear"};
    return method >= 0 && method < HED_EMBED_METHODS ? NAMES[method] : "unknown";
}
