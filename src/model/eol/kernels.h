// SPDX-License-Identifier: MIT
// The kernels of sliding yarns, for the derivative test.
#ifndef HED_MODEL_EOL_KERNELS_H
#define HED_MODEL_EOL_KERNELS_H

#include <stdbool.h>
#include <stdint.h>

enum { HED_EOL_SIZE = 16, HED_EOL_REST_BYTES = 64 };

/// Which laws a kernel obeys. A trait that is claimed is tested.
enum {
    HED_EOL_MATERIAL = 1 << 0, ///< Nodes have four numbers, the last a material coordinate.
    HED_EOL_TURNS = 1 << 1,    ///< Energy unchanged by rigid motions and by another origin along
                               ///< the yarn.
    HED_EOL_SCALAR = 1 << 2,   ///< One number per node, a material coordinate.
};

typedef struct HedEolKernel {
    const char* name;
    int32_t size; ///< Numbers in q.
    uint32_t traits;
    /// Rest data from uniform numbers in [0, 1), for nodes about 1 mm apart.
    void (*make_rest)(const double* draw, void* rest);
    /// False where second derivatives do not exist within about margin (m, or rad times 1 mm) of q.
    bool (*is_smooth)(const double* q, const void* rest, double margin);
    /// g and h (size by size) may be NULL.
    double (*evaluate)(const double* q, const void* rest, double* g, double* h, bool is_exact);
} HedEolKernel;

/// Static storage; *count is the number of entries.
const HedEolKernel* hed_eol_kernels(int32_t* count);

#endif
