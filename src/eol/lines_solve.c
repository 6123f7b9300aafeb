// SPDX-License-Identifier: MIT
// Solves along lines, four at a time: forward through the factors, backward again, and the other
// coordinates from the positions found.
#include "base/simd.h"
#include "eol/lines.h"

enum { AHEAD = 8 }; // steps

typedef struct Wide4 {
    HedWide c[4];
} Wide4;

// a -= block b, or its transpose.
HED_WIDE const float* subtract_block(const float* block, const Wide4* b, Wide4* a) {
    for (int r = 0; r < 4; ++r) {
        for (int c = 0; c < 4; ++c, block += HED_YARN_PACK) {
            a->c[r] -= hed_wide_load_floats(block) * b->c[c];
        }
    }
    return block;
}

HED_WIDE const float* subtract_transposed(const float* block, const Wide4* b, Wide4* a) {
    for (int r = 0; r < 4; ++r) {
        for (int c = 0; c < 4; ++c, block += HED_YARN_PACK) {
            a->c[c] -= hed_wide_load_floats(block) * b->c[r];
        }
    }
    return block;
}

HED_WIDE Wide4 times_inverse(const float* inverse, const Wide4* a) {
    Wide4 out = {0};
    for (int r = 0; r < 4; ++r) {
        for (int c = 0; c <= r; ++c, inverse += HED_YARN_PACK) {
            out.c[r] += hed_wide_load_floats(inverse) * a->c[c];
        }
    }
    return out;
}

HED_WIDE Wide4 times_inverse_transposed(const float* inverse, const Wide4* a) {
    Wide4 out = {0};
    for (int r = 0; r < 4; ++r) {
        for (int c = 0; c <= r; ++c, inverse += HED_YARN_PACK) {
            out.c[c] += hed_wide_load_floats(inverse) * a->c[r];
        }
    }
    return out;
}

// The five numbers of a step's nodes: positions, along the line's own yarn, along the other.
typedef struct LineNodes {
    Wide4 own;
    HedWide other;
} LineNodes;

// Lanes whose place is on slot 1 of its node.
HED_WIDE HedWideMask second_slots(const HedYarnPacks* bands, int32_t step) {
    const uint8_t* slot = bands->slot + (int64_t)step * HED_YARN_PACK;
    return (HedWideMask){-(int64_t)slot[0], -(int64_t)slot[1], -(int64_t)slot[2],
                         -(int64_t)slot[3]};
}

HED_WIDE LineNodes gather(const HedYarnPacks* bands, int32_t step, const double* r) {
    const int32_t* node = bands->node + (int64_t)step * HED_YARN_PACK;
    const double* a = r + (int64_t)HED_NODE_SIZE * node[0];
    const double* b = r + (int64_t)HED_NODE_SIZE * node[1];
    const double* c = r + (int64_t)HED_NODE_SIZE * node[2];
    const double* d = r + (int64_t)HED_NODE_SIZE * node[3];
    HedWide4 t =
        hed_wide_transpose(hed_wide_load(a), hed_wide_load(b), hed_wide_load(c), hed_wide_load(d));
    HedWide last = {a[4], b[4], c[4], d[4]};
    HedWideMask second = second_slots(bands, step);
    return (LineNodes){{{t.row[0], t.row[1], t.row[2], hed_wide_choose(second, last, t.row[3])}},
                       hed_wide_choose(second, t.row[3], last)};
}

// Asks for the nodes of a step to come: they are anywhere in memory.
HED_WIDE void fetch(const HedYarnPacks* bands, int32_t step, const double* x) {
    const int32_t* node = bands->node + (int64_t)step * HED_YARN_PACK;
    for (int l = 0; l < HED_YARN_PACK; ++l) {
        hed_prefetch(x + (int64_t)HED_NODE_SIZE * node[l]);
    }
}

// What a band's solve is for; the last three are constants where it is called, so that each kind
// has a loop of its own.
typedef struct Job {
    double share;
    HedLineSide side;
    double* z;
    bool has_third, has_clasps, has_own;
} Job;

// The right-hand side at the nodes of a step.
HED_WIDE LineNodes load_side(const HedEolLines* lines, int32_t step, const Job* job) {
    LineNodes a = gather(lines->matrix->bands, step, job->side.r);
    if (!job->has_own) {
        return a;
    }
    const float* d = lines->own + (int64_t)step * HED_LINE_OWN * HED_YARN_PACK;
    LineNodes v = gather(lines->matrix->bands, step, job->side.v);
    HedWide weight =
        1.0 - job->side.weight * hed_wide_load_floats(d + (HED_LINE_OWN - 1) * HED_YARN_PACK);
    HedWide in[HED_NODE_SIZE] = {v.own.c[0], v.own.c[1], v.own.c[2], v.own.c[3], v.other};
    HedWide out[HED_NODE_SIZE];
    for (int r = 0; r < 4; ++r) {
        out[r] = weight * a.own.c[r];
    }
    out[4] = weight * a.other;
    for (int r = 0; r < HED_NODE_SIZE; ++r) {
        for (int c = r; c < HED_NODE_SIZE; ++c, d += HED_YARN_PACK) {
            HedWide entry = hed_wide_load_floats(d);
            out[r] += entry * in[c];
            out[c] += c > r ? entry * in[r] : hed_wide_all(0.0);
        }
    }
    return (LineNodes){{{out[0], out[1], out[2], out[3]}}, out[4]};
}

HED_WIDE HedWide other_weight(const float* other, int k) {
    return hed_wide_load_floats(other + k * HED_YARN_PACK);
}

// Adds what was found of the nodes of a step to z.
HED_WIDE void scatter(const HedYarnPacks* bands, int32_t step, const LineNodes* x, const Job* job) {
    const int32_t* node = bands->node + (int64_t)step * HED_YARN_PACK;
    const uint8_t* kind = bands->kind + (int64_t)step * HED_YARN_PACK;
    HedWideMask second = second_slots(bands, step);
    HedWide share = hed_wide_all(job->share);
    HedWide along = hed_wide_choose(second, x->other, x->own.c[3]);
    HedWide last = share * hed_wide_choose(second, x->own.c[3], x->other);
    HedWide4 t = hed_wide_transpose(share * x->own.c[0], share * x->own.c[1], share * x->own.c[2],
                                    share * along);
    for (int l = 0; l < HED_YARN_PACK; ++l) {
        if (kind[l] & HED_PLACE_OWN) {
            double* to = job->z + (int64_t)HED_NODE_SIZE * node[l];
            hed_wide_store(to, hed_wide_load(to) + t.row[l]);
            to[4] += last[l];
        }
    }
}

// Forward: into scratch, together with what the other coordinates would be if positions stayed.
HED_WIDE void go_forward(const HedEolLines* lines, int32_t first, int32_t end, const Job* job) {
    const HedYarnPacks* bands = lines->matrix->bands;
    int64_t width = (int64_t)lines->width * HED_YARN_PACK;
    Wide4 last = {0}, second = {0}, third = {0};
    LineNodes here = load_side(lines, first, job);
    HedWide before = {0};
    for (int32_t s = first; s < end; ++s) {
        const float* row = lines->factor + s * width;
        const float* other = lines->other + (int64_t)s * HED_LINE_OTHER * HED_YARN_PACK;
        double* out = lines->scratch + (int64_t)s * HED_LINE_SCRATCH * HED_YARN_PACK;
        fetch(bands, hed_min_i32(s + AHEAD, end), job->side.r);
        if (job->has_own) {
            fetch(bands, hed_min_i32(s + AHEAD, end), job->side.v);
        }
        LineNodes next = load_side(lines, s + 1, job);
        Wide4 a = here.own;
        HedWide rest = other_weight(other, 6) * here.other;
        for (int c = 0; c < 3; ++c) {
            a.c[c] -= other_weight(other, c) * here.other;
        }
        if (job->has_clasps) {
            HedWide partner = other_weight(other, 8) * next.other + other_weight(other, 9) * before;
            rest += other_weight(other, 7) * partner;
            for (int c = 0; c < 3; ++c) {
                a.c[c] -= other_weight(other, 3 + c) * partner;
            }
        }
        const float* block = subtract_block(row + HED_LINE_TRIANGLE * HED_YARN_PACK, &last, &a);
        block = subtract_block(block, &second, &a);
        if (job->has_third) {
            subtract_block(block, &third, &a);
        }
        third = second;
        second = last;
        last = times_inverse(row, &a);
        for (int c = 0; c < 4; ++c) {
            hed_wide_store(out + c * HED_YARN_PACK, last.c[c]);
        }
        hed_wide_store(out + 4 * HED_YARN_PACK, rest);
        before = here.other;
        here = next;
    }
}

// The other coordinates of a step, once the positions of it and of its neighbours are known.
HED_WIDE void finish(const HedEolLines* lines, int32_t step, const Wide4 x[3], const Job* job) {
    const float* other = lines->other + (int64_t)step * HED_LINE_OTHER * HED_YARN_PACK;
    LineNodes found = {x[1], hed_wide_load(lines->scratch +
                                           ((int64_t)step * HED_LINE_SCRATCH + 4) * HED_YARN_PACK)};
    for (int c = 0; c < 3; ++c) {
        found.other -= other_weight(other, c) * x[1].c[c];
    }
    if (job->has_clasps) {
        HedWide ahead = {0}, behind = {0};
        for (int c = 0; c < 3; ++c) {
            behind += other_weight(other - HED_LINE_OTHER * HED_YARN_PACK, 3 + c) * x[0].c[c];
            ahead += other_weight(other + HED_LINE_OTHER * HED_YARN_PACK, 3 + c) * x[2].c[c];
        }
        found.other -= other_weight(other, 8) * ahead + other_weight(other, 9) * behind;
    }
    scatter(lines->matrix->bands, step, &found, job);
}

// Backward, a step ahead of what is finished.
HED_WIDE void go_back(const HedEolLines* lines, int32_t first, int32_t end, const Job* job) {
    int64_t width = (int64_t)lines->width * HED_YARN_PACK;
    Wide4 a = {0}, before = {0}, before_that = {0}; // what later rows take from this one on
    Wide4 x[3] = {0};                               // of this step and the two after it
    for (int32_t s = end - 1; s >= first; --s) {
        const float* row = lines->factor + s * width;
        const double* from = lines->scratch + (int64_t)s * HED_LINE_SCRATCH * HED_YARN_PACK;
        for (int c = 0; c < 4; ++c) {
            a.c[c] += hed_wide_load(from + c * HED_YARN_PACK);
        }
        fetch(lines->matrix->bands, hed_max_i32(s - AHEAD, first), job->z);
        x[2] = x[1];
        x[1] = x[0];
        x[0] = times_inverse_transposed(row, &a);
        a = before;
        before = before_that;
        before_that = (Wide4){0};
        const float* next = subtract_transposed(row + HED_LINE_TRIANGLE * HED_YARN_PACK, &x[0], &a);
        next = subtract_transposed(next, &x[0], &before);
        if (job->has_third) {
            subtract_transposed(next, &x[0], &before_that);
        }
        if (s + 1 < end) {
            finish(lines, s + 1, x, job);
        }
    }
    x[2] = x[1];
    x[1] = x[0];
    x[0] = (Wide4){0};
    finish(lines, first, x, job);
}

HED_WIDE void solve_band(const HedEolLines* lines, int32_t band, const Job* job) {
    const HedYarnPacks* bands = lines->matrix->bands;
    int32_t first = bands->first[band] + HED_HALO;
    int32_t end = bands->first[band + 1] - HED_HALO;
    if (first < end) {
        go_forward(lines, first, end, job);
        go_back(lines, first, end, job);
    }
}

static void solve_woven(const HedEolLines* lines, int32_t band, Job job) {
    job.has_third = job.has_clasps = job.has_own = false;
    solve_band(lines, band, &job);
}

static void solve_alternating(const HedEolLines* lines, int32_t band, Job job) {
    job.has_third = job.has_clasps = false;
    job.has_own = true;
    solve_band(lines, band, &job);
}

static void solve_knitted(const HedEolLines* lines, int32_t band, Job job) {
    job.has_third = job.has_clasps = true;
    job.has_own = false;
    solve_band(lines, band, &job);
}

static void solve_any(const HedEolLines* lines, int32_t band, Job job) {
    job.has_third = lines->matrix->third != NULL;
    job.has_clasps = lines->has_clasps;
    job.has_own = job.side.v != NULL;
    solve_band(lines, band, &job);
}

void hed_eol_lines_add(const HedEolLines* lines, int32_t color, double share, HedLineSide side,
                       double* z, HedThreadTeam threads) {
    const HedYarnPacks* bands = lines->matrix->bands;
    bool has_third = lines->matrix->third != NULL;
    Job job = {.share = share, .side = side, .z = z};
    HedShare own = hed_yarn_packs_share(bands, threads, bands->color_first[color],
                                        bands->color_first[color + 1]);
    for (int32_t b = own.first; b < own.end; ++b) {
        if (has_third && lines->has_clasps) {
            solve_knitted(lines, b, job);
        } else if (has_third || lines->has_clasps) {
            solve_any(lines, b, job);
        } else if (side.v) {
            solve_alternating(lines, b, job);
        } else {
            solve_woven(lines, b, job);
        }
    }
    hed_thread_team_barrier(threads);
}
