// SPDX-License-Identifier: MIT
// Sums whose bits do not depend on the number of threads: blocks of fixed size, added in order.
#ifndef HED_BASE_PARALLEL_H
#define HED_BASE_PARALLEL_H

#include <stdbool.h>
#include <stdint.h>

enum { HED_BLOCK = 1024, HED_LANES = 8 };

/// What every parallel loop needs: how many threads, and room for one partial sum per block.
typedef struct HedTeam {
    int32_t threads;
    double* partial; // partial_capacity doubles
    int32_t partial_capacity;
} HedTeam;

enum { HED_RANGE = 1024 };

/// Points cut into consecutive ranges of at most HED_RANGE; range r is [first[r], first[r + 1]).
/// The unit of parallel work, whatever the number of threads.
typedef struct HedRanges {
    int32_t count;
    const int32_t* first; // count + 1 entries
} HedRanges;

/// Until the end, parallel regions of libraries that this thread calls have one thread: sums then
/// do not depend on how many there are. The end takes what the begin gave.
int32_t hed_serial_begin(void);
void hed_serial_end(int32_t levels);

/// Threads to use for a request: 0 means one per core. At least 1.
int32_t hed_thread_count(int32_t requested);

/// Threads worth waking for a loop that takes one core about `cost` nanoseconds: waking them takes
/// one or two microseconds where they have cores of their own, and some 20 where the machine is
/// shared. Changes no result.
static inline int32_t hed_team_size(const HedTeam* team, int64_t cost) {
    return cost < 30000 ? 1 : team->threads;
}

/// One of the threads inside a parallel region that goes through several loops: each takes its
/// share of a loop, and all meet at its end. Meeting takes a fraction of what waking does.
/// HED_ALONE is a thread without others.
typedef struct HedThreadTeam {
    int32_t rank, size;
} HedThreadTeam;

#define HED_ALONE ((HedThreadTeam){0, 1})

/// Inside a parallel region: who asks.
HedThreadTeam hed_thread_team(void);

/// The elements of first..end-1 that this thread takes.
typedef struct HedShare {
    int32_t first, end;
} HedShare;

static inline HedShare hed_thread_team_share(HedThreadTeam threads, int32_t first, int32_t end) {
    int64_t count = end - first;
    return (HedShare){first + (int32_t)(count * threads.rank / threads.size),
                      first + (int32_t)(count * (threads.rank + 1) / threads.size)};
}

/// Waits for all others; every thread of the region must come here.
static inline void hed_thread_team_barrier(HedThreadTeam threads) {
    if (threads.size > 1) {
#pragma omp barrier
    }
}

/// Blocks of HED_BLOCK that cover n elements; a team needs that many partials to sum over n.
static inline int32_t hed_block_count(int32_t n) {
    return n / HED_BLOCK + (n % HED_BLOCK != 0);
}

static inline int32_t hed_min_i32(int32_t a, int32_t b) {
    return a < b ? a : b;
}

static inline int32_t hed_max_i32(int32_t a, int32_t b) {
    return a > b ? a : b;
}

/// Sum of a[i] * b[i]. Needs hed_block_count(n) partials.
double hed_team_dot(const HedTeam* team, const double* a, const double* b, int32_t n);

/// Largest |a[i]|; a NaN anywhere gives NaN.
double hed_team_max_abs(const HedTeam* team, const double* a, int32_t n);

/// y += alpha x.
void hed_team_axpy(const HedTeam* team, double alpha, const double* x, double* y, int32_t n);

/// The partial sums of blocks added in order; what a loop of one's own ends with.
double hed_team_total(const HedTeam* team, int32_t block_count);

#endif
