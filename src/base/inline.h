// SPDX-License-Identifier: MIT
#ifndef HED_BASE_INLINE_H
#define HED_BASE_INLINE_H

/// For functions that a loop over lanes calls: only what is inlined becomes packed code, and an
/// argument that is constant at the call becomes so inside.
#if defined(__GNUC__)
#define HED_ALWAYS_INLINE static inline __attribute__((always_inline))
#else
#define HED_ALWAYS_INLINE static inline
#endif

#endif
