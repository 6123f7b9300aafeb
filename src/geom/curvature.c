// SPDX-License-Identifier: MIT
// Mean curvature by the cotangent formula with mixed areas (Meyer, Desbrun, Schroeder and Barr
// 2003, equations 7, 8 and figure 4):
//   K_i = 1/(2 A_i) sum over neighbours j of (cot alpha_ij + cot beta_ij) (x_i - x_j),  H_i =
//   |K_i|/2
// with alpha, beta the angles opposite to the edge ij. A_i is the part of the triangles nearer to
// vertex i than to others (Voronoi); where a triangle is obtuse, half of its area at the obtuse
// corner and a quarter at the others.
#include "geom/curvature.h"
#include "base/alloc.h"
#include "math/vec3.h"

// What is summed up at a vertex.
typedef struct VertexSum {
    HedVec3 pull; // m, sum of cot (x_i - x_j)
    double area;  // m^2
    // Each neighbour enters once for each triangle beside the edge: all cancel around an inner
    // vertex, two are left on a boundary.
    uint64_t ring;
} VertexSum;

// A number for a vertex whose combinations by exclusive or are different (a bijective mix of bits).
static uint64_t mark_of(int32_t vertex) {
    uint64_t h = ((uint64_t)vertex + 1) * 0x9E3779B97F4A7C15u;
    h = (h ^ (h >> 31)) * 0xBF58476D1CE4E5B9u;
    return h ^ (h >> 29);
}

static void add_triangle(const HedSurfacePart* part, const int32_t* corner, VertexSum* sums) {
    HedVec3 x[3];
    double cotangent[3];
    double square[3]; // m^2, of the edges opposite to the corners
    for (int k = 0; k < 3; ++k) {
        x[k] = part->vertices[corner[k]];
    }
    double twice = hed_norm3(hed_cross3(hed_sub3(x[1], x[0]), hed_sub3(x[2], x[0])));
    for (int k = 0; k < 3; ++k) {
        HedVec3 next = hed_sub3(x[(k + 1) % 3], x[k]);
        HedVec3 last = hed_sub3(x[(k + 2) % 3], x[k]);
        HedVec3 across = hed_sub3(next, last);
        cotangent[k] = hed_dot3(next, last) / twice;
        square[k] = hed_dot3(across, across);
        sums[corner[k] - part->first].ring ^=
            mark_of(corner[(k + 1) % 3]) ^ mark_of(corner[(k + 2) % 3]);
    }
    // Too thin for angles: no part of the surface.
    if (!(twice > 1e-12 * (square[0] + square[1] + square[2]))) {
        return;
    }
    bool is_obtuse = cotangent[0] < 0.0 || cotangent[1] < 0.0 || cotangent[2] < 0.0;
    for (int k = 0; k < 3; ++k) {
        int i = (k + 1) % 3;
        int j = (k + 2) % 3;
        VertexSum* sum = &sums[corner[k] - part->first];
        sum->pull = hed_madd3(sum->pull, cotangent[j], hed_sub3(x[k], x[i]));
        sum->pull = hed_madd3(sum->pull, cotangent[i], hed_sub3(x[k], x[j]));
        double voronoi = 0.125 * (square[i] * cotangent[i] + square[j] * cotangent[j]);
        double share = 0.5 * twice * (cotangent[k] < 0.0 ? 0.5 : 0.25);
        sum->area += is_obtuse ? share : voronoi;
    }
}

// Gives each vertex that is still without a value the mean of its neighbours that are `source`
// (where they have one).
static void spread(const HedSurfacePart* part, const bool* source, double* total, int32_t* count,
                   double* values) {
    for (int32_t i = 0; i < part->count; ++i) {
        total[i] = 0.0;
        count[i] = 0;
    }
    for (int64_t t = 0; t < 3 * (int64_t)part->triangle_count; ++t) {
        int32_t i = part->triangles[t] - part->first;
        for (int64_t k = 1; k < 3; ++k) {
            int32_t j = part->triangles[t - t % 3 + (t + k) % 3] - part->first;
            if (isnan(values[i]) && source[j]) {
                total[i] += values[j];
                count[i] += 1;
            }
        }
    }
    for (int32_t i = 0; i < part->count; ++i) {
        values[i] = isnan(values[i]) && count[i] > 0 ? total[i] / count[i] : values[i];
    }
}

HedStatus hed_surface_curvature(HedSurfacePart part, double* values, HedError* error) {
    HedStatus status = HED_OK;
    VertexSum* sums = HED_NEW_ARRAY(VertexSum, part.count);
    bool* source = HED_NEW_ARRAY(bool, part.count);
    double* total = HED_NEW_ARRAY(double, part.count);
    int32_t* count = HED_NEW_ARRAY(int32_t, part.count);
    if (!sums || !source || !total || !count) {
        status = hed_fail_memory(error, "curvature");
        goto done;
    }
    for (int32_t t = 0; t < part.triangle_count; ++t) {
        add_triangle(&part, part.triangles + 3 * (int64_t)t, sums);
    }
    for (int32_t i = 0; i < part.count; ++i) {
        source[i] = sums[i].ring == 0 && sums[i].area > 0.0;
        values[i] = source[i] ? 0.25 * hed_norm3(sums[i].pull) / sums[i].area : (double)NAN;
    }
    spread(&part, source, total, count, values);
    for (int32_t i = 0; i < part.count; ++i) {
        source[i] = !isnan(values[i]);
    }
    spread(&part, source, total, count, values);
done:
    hed_free(sums);
    hed_free(source);
    hed_free(total);
    hed_free(count);
    return status;
}

// Vertex k of a curve, and one beyond its ends.
static HedVec3 vertex_of(const HedVec3* x, const HedCurve* curve, int32_t k) {
    int32_t n = curve->count;
    x += curve->first;
    if (curve->is_closed) {
        return x[(k + n) % n];
    }
    if (k < 0) {
        return hed_sub3(hed_mul3(2.0, x[0]), x[1]);
    }
    return k < n ? x[k] : hed_sub3(hed_mul3(2.0, x[n - 1]), x[n - 2]);
}

// The second derivative of the segment from b to c, at b, with the vertices a before and d behind:
// twice the square coefficient of the Catmull-Rom cubic.
static HedVec3 second_derivative(HedVec3 a, HedVec3 b, HedVec3 c, HedVec3 d) {
    HedVec3 near = hed_sub3(hed_mul3(2.0, a), hed_mul3(5.0, b));
    return hed_add3(near, hed_sub3(hed_mul3(4.0, c), d));
}

void hed_curve_curvature(const HedVec3* vertices, const HedCurve* curve, float* values) {
    for (int32_t k = 0; k < curve->count; ++k) {
        HedVec3 p[5];
        bool has_left = curve->is_closed || k > 0;
        bool has_right = curve->is_closed || k + 1 < curve->count;
        for (int32_t m = 0; m < 5; ++m) {
            bool is_used = (m > 0 || has_left) && (m < 4 || has_right);
            p[m] = is_used ? vertex_of(vertices, curve, k + m - 2) : hed_vec3(0.0, 0.0, 0.0);
        }
        HedVec3 first = hed_mul3(0.5, hed_sub3(p[3], p[1]));
        HedVec3 left = second_derivative(p[3], p[2], p[1], p[0]);
        HedVec3 right = second_derivative(p[1], p[2], p[3], p[4]);
        HedVec3 second = !has_left    ? right
                         : !has_right ? left
                                      : hed_mul3(0.5, hed_add3(left, right));
        double speed = hed_norm3(first);
        double bend = hed_norm3(hed_cross3(first, second));
        values[k] = speed > 0.0 ? (float)(bend / (speed * speed * speed)) : 0.0f;
    }
}
