// SPDX-License-Identifier: MIT
// Four doubles side by side, in the vector extension that gcc and clang share: for the few loops
// whose sums must stay in registers, where arrays of lanes and `omp simd` go through memory (1.9
// times slower for contact between yarns). Any target will do; with AVX each is one register.
#ifndef HED_BASE_SIMD_H
#define HED_BASE_SIMD_H

#include <stdint.h>

#if defined(__AVX__)
#include <immintrin.h>
#endif

#if defined(__GNUC__) && !defined(__clang__) && !defined(__AVX__)
// About calls with such arguments; everything here is inlined.
#pragma GCC diagnostic ignored "-Wpsabi"
#endif

typedef double HedWide __attribute__((vector_size(32)));
typedef int64_t HedWideMask __attribute__((vector_size(32)));
typedef double HedWideLoose __attribute__((vector_size(32), aligned(8), may_alias));

typedef float HedFloatsLoose __attribute__((vector_size(16), aligned(4), may_alias));

#define HED_WIDE static inline __attribute__((always_inline))

/// Asks for a line of memory that will be read once, without waiting for it.
static inline void hed_prefetch_once(const void* at) {
    __builtin_prefetch(at, 0, 0);
}

/// The same for a line that will be read often.
static inline void hed_prefetch(const void* at) {
    __builtin_prefetch(at, 0, 3);
}

/// From and to any four doubles in a row.
HED_WIDE HedWide hed_wide_load(const double* from) {
    return *(const HedWideLoose*)from;
}

/// Four floats in a row, as doubles.
HED_WIDE HedWide hed_wide_load_floats(const float* from) {
#if defined(__AVX__)
    return _mm256_cvtps_pd(_mm_loadu_ps(from)); // gcc makes two halves of the conversion below
#else
    return __builtin_convertvector(*(const HedFloatsLoose*)from, HedWide);
#endif
}

HED_WIDE void hed_wide_store(double* to, HedWide a) {
    *(HedWideLoose*)to = a;
}

HED_WIDE HedWide hed_wide_all(double a) {
    return (HedWide){a, a, a, a};
}

/// Zeros that the compiler does not know as such: of a short loop that stores plain ones gcc makes
/// a string instruction, which takes longer to start than the loop to run.
HED_WIDE HedWide hed_wide_zeros(void) {
    HedWide zeros = {0.0, 0.0, 0.0, 0.0};
#if defined(__AVX__)
    __asm__("" : "+x"(zeros));
#endif
    return zeros;
}

/// a where the mask is set, else 0.
HED_WIDE HedWide hed_wide_where(HedWideMask mask, HedWide a) {
    return (HedWide)(mask & (HedWideMask)a);
}

HED_WIDE HedWide hed_wide_choose(HedWideMask mask, HedWide a, HedWide b) {
    return (HedWide)((mask & (HedWideMask)a) | (~mask & (HedWideMask)b));
}

/// b where one of both is a NaN.
HED_WIDE HedWide hed_wide_max(HedWide a, HedWide b) {
#if defined(__AVX__)
    return _mm256_max_pd(a, b);
#else
    return hed_wide_choose(a > b, a, b);
#endif
}

HED_WIDE HedWide hed_wide_min(HedWide a, HedWide b) {
#if defined(__AVX__)
    return _mm256_min_pd(a, b);
#else
    return hed_wide_choose(a < b, a, b);
#endif
}

/// Bit k is set where the mask is. The builtin is one instruction; the loops that ask skip most of
/// their work by it, and gain 1.5 times.
HED_WIDE uint32_t hed_wide_bits(HedWideMask mask) {
#if defined(__AVX__)
    return (uint32_t)_mm256_movemask_pd((HedWide)mask);
#else
    return (uint32_t)((mask[0] & 1) | (mask[1] & 2) | (mask[2] & 4) | (mask[3] & 8));
#endif
}

HED_WIDE double hed_wide_sum(HedWide a) {
    return (a[0] + a[1]) + (a[2] + a[3]);
}

HED_WIDE HedWide hed_wide_abs(HedWide a) {
    return (HedWide)((HedWideMask)a & INT64_MAX);
}

/// Four rows of four.
typedef struct HedWide4 {
    HedWide row[4];
} HedWide4;

/// Rows a, b, c, d as columns.
HED_WIDE HedWide4 hed_wide_transpose(HedWide a, HedWide b, HedWide c, HedWide d) {
    HedWide even_ab = __builtin_shufflevector(a, b, 0, 4, 2, 6);
    HedWide odd_ab = __builtin_shufflevector(a, b, 1, 5, 3, 7);
    HedWide even_cd = __builtin_shufflevector(c, d, 0, 4, 2, 6);
    HedWide odd_cd = __builtin_shufflevector(c, d, 1, 5, 3, 7);
    return (HedWide4){{__builtin_shufflevector(even_ab, even_cd, 0, 1, 4, 5),
                       __builtin_shufflevector(odd_ab, odd_cd, 0, 1, 4, 5),
                       __builtin_shufflevector(even_ab, even_cd, 2, 3, 6, 7),
                       __builtin_shufflevector(odd_ab, odd_cd, 2, 3, 6, 7)}};
}

/// (sum of a, sum of b, sum of c, sum of d).
HED_WIDE HedWide hed_wide_sum_rows(HedWide a, HedWide b, HedWide c, HedWide d) {
    HedWide4 t = hed_wide_transpose(a, b, c, d);
    return (t.row[0] + t.row[1]) + (t.row[2] + t.row[3]);
}

/// Four vectors of three that follow each other, as rows of their coordinates; the last is not
/// used.
HED_WIDE HedWide4 hed_wide_load_vectors(const double* from) {
    HedWide a = hed_wide_load(from);     // x0 y0 z0 x1
    HedWide b = hed_wide_load(from + 4); // y1 z1 x2 y2
    HedWide c = hed_wide_load(from + 8); // z2 x3 y3 z3
    HedWide ab = __builtin_shufflevector(a, b, 0, 1, 6, 3);
    HedWide ba = __builtin_shufflevector(a, b, 4, 1, 2, 7);
    HedWide cb = __builtin_shufflevector(c, b, 0, 5, 2, 3);
    HedWide x = __builtin_shufflevector(ab, c, 0, 5, 2, 3); // x0 x3 x2 x1
    HedWide y = __builtin_shufflevector(ba, c, 0, 1, 6, 3); // y1 y0 y3 y2
    HedWide z = __builtin_shufflevector(cb, a, 0, 1, 6, 3); // z2 z1 z0 z3
    return (HedWide4){{__builtin_shufflevector(x, x, 0, 3, 2, 1),
                       __builtin_shufflevector(y, y, 1, 0, 3, 2),
                       __builtin_shufflevector(z, z, 2, 1, 0, 3), hed_wide_all(0.0)}};
}

/// (sum of a, sum of b, sum of c, 0), each as (lane 0 + lane 2) + (lane 1 + lane 3).
HED_WIDE HedWide hed_wide_sums(HedWide a, HedWide b, HedWide c) {
    const HedWide zero = {0.0, 0.0, 0.0, 0.0};
    HedWide ab = __builtin_shufflevector(a, b, 0, 4, 1, 5) + // a0 b0 a1 b1
                 __builtin_shufflevector(a, b, 2, 6, 3, 7);  // a2 b2 a3 b3
    HedWide cz =
        __builtin_shufflevector(c, zero, 0, 4, 1, 5) + __builtin_shufflevector(c, zero, 2, 6, 3, 7);
    return __builtin_shufflevector(ab, cz, 0, 1, 4, 5) + // a b c 0, even lanes
           __builtin_shufflevector(ab, cz, 2, 3, 6, 7);  // odd lanes
}

#endif
