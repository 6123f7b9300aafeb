// SPDX-License-Identifier: MIT
// Arrays that grow. Declare with HED_ARRAY(type), zero-initialise, push, free with
// hed_free(a.data).
#ifndef HED_BASE_ARRAY_H
#define HED_BASE_ARRAY_H

#include "base/alloc.h"

#define HED_ARRAY(type)                                                                            \
    struct {                                                                                       \
        type* data;                                                                                \
        int32_t count;                                                                             \
        int32_t capacity;                                                                          \
    }

/// Makes room for `needed` elements of `size` bytes; false if there is no memory (nothing changed).
bool hed_array_grow(void** data, int32_t* capacity, int64_t needed, size_t size);

/// Makes room for `extra` more elements; false if there is no memory.
#define HED_RESERVE(array, extra)                                                                  \
    ((int64_t)(array)->count + (extra) <= (array)->capacity ||                                     \
     hed_array_grow((void**)&(array)->data, &(array)->capacity, (int64_t)(array)->count + (extra), \
                    sizeof(array)->data[0]))

/// Appends one value, which may use the array's count; false if there is no memory.
#define HED_APPEND(array, ...)                                                                     \
    (HED_RESERVE(array, 1)                                                                         \
         ? ((array)->data[(array)->count] = (__VA_ARGS__), (array)->count += 1, true)              \
         : false)

#endif
