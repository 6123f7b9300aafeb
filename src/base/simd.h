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

#define HED_WIDE static inline __attribute__((always_inline))

/// From and to any four doubles in a row.
HED_WIDE HedWide hed_wide_load(const double* from) {
    return *(const HedWideLoose*)from;
}

HED_WIDE void hed_wide_store(double* to, HedWide a) {
    *(HedWideLoose*)to = a;
}

HED_WIDE HedWide hed_wide_all(double a) {
    return (HedWide){a, a, a, a};
}

/// a where the mask is set, else 0.
HED_WIDE HedWide hed_wide_where(HedWideMask mask, HedWide a) {
    return (HedWide)(mask & (HedWideMask)a);
}

HED_WIDE HedWide hed_wide_choose(HedWideMask mask, HedWide a, HedWide b) {
    return (HedWide)((mask & (HedWideMask)a) | (~mask & (HedWideMask)b));
}

HED_WIDE HedWide hed_wide_max(HedWide a, HedWide b) {
    return hed_wide_choose(a > b, a, b);
}

HED_WIDE HedWide hed_wide_min(HedWide a, HedWide b) {
    return hed_wide_choose(a < b, a, b);
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

#endif
