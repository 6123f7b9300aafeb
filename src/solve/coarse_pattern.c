// SPDX-License-Identifier: MIT
// One level's pattern, and the order of its sweeps: groups of neighbouring patches get colours so
// that coupled groups differ; a forward sweep takes colours in rising order, and patches in rising
// order within a group. Groups of one colour do not see each other, so threads share them and the
// result is that of one thread.
#include "base/alloc.h"
#include "solve/coarse.h"

enum { GROUP = HED_COARSE_GROUP, COLORS = 64 };

static int32_t group_count(int32_t patches) {
    return (patches + GROUP - 1) / GROUP;
}

// Greedy, in order. A group that meets all of the first colours gets one of its own.
static void choose_colors(HedCoarseLevel* level, const HedPatchPair* pairs, int32_t pair_count,
                          uint64_t* met, int32_t* color) {
    int32_t own = COLORS;
    int32_t next = 0;
    level->color_count = 0;
    for (int32_t g = 0; g < group_count(level->count); ++g) {
        int32_t c = 0;
        while (c < COLORS && (met[g] >> c & 1)) {
            ++c;
        }
        color[g] = c < COLORS ? c : own++;
        level->color_count = hed_max_i32(level->color_count, color[g] + 1);
        for (; next < pair_count && pairs[next].low / GROUP == g; ++next) {
            int32_t other = pairs[next].high / GROUP;
            met[other] |= other != g && c < COLORS ? UINT64_C(1) << c : 0;
        }
    }
}

static bool list_groups(HedCoarseLevel* level, const int32_t* color) {
    int32_t groups = group_count(level->count);
    level->group = HED_NEW_ARRAY(int32_t, groups);
    level->color_first = HED_NEW_ARRAY(int32_t, (int64_t)level->color_count + 1);
    if (!level->group || !level->color_first) {
        return false;
    }
    int32_t next = 0;
    for (int32_t c = 0; c < level->color_count; ++c) {
        for (int32_t g = 0; g < groups; ++g) {
            if (color[g] == c) {
                level->group[next++] = g;
            }
        }
        level->color_first[c + 1] = next;
    }
    return true;
}

// Whether a forward sweep is at q before it comes to p.
static bool is_before(const int32_t* color, int32_t p, int32_t q) {
    int32_t mine = color[p / GROUP];
    int32_t other = color[q / GROUP];
    return mine == other ? q < p : other < mine;
}

static void count_entries(HedCoarseLevel* level, const HedPatchPair* pairs, int32_t pair_count,
                          const int32_t* color) {
    for (int32_t k = 0; k < pair_count; ++k) {
        int32_t p = pairs[k].low, q = pairs[k].high;
        level->first[p + 1] += 1;
        level->first[q + 1] += 1;
        level->middle[is_before(color, p, q) ? p : q] += 1;
    }
    for (int32_t p = 0; p < level->count; ++p) {
        level->first[p + 1] += level->first[p];
        level->middle[p] += level->first[p];
    }
}

// Puts every pair into its two rows; early[p] and late[p] say where the next one of each kind goes.
static void place_entries(HedCoarseLevel* level, const HedPatchPair* pairs, int32_t pair_count,
                          const int32_t* color, int32_t* early, int32_t* late) {
    for (int32_t p = 0; p < level->count; ++p) {
        early[p] = level->first[p];
        late[p] = level->middle[p];
    }
    for (int32_t k = 0; k < pair_count; ++k) {
        int32_t p = pairs[k].low, q = pairs[k].high;
        bool q_first = is_before(color, p, q);
        int32_t in_p = q_first ? early[p]++ : late[p]++;
        int32_t in_q = q_first ? late[q]++ : early[q]++;
        level->column[in_p] = q;
        level->column[in_q] = p;
        level->twin[in_p] = in_q;
        level->twin[in_q] = in_p;
    }
}

static bool build_rows(HedCoarseLevel* level, const HedPatchPair* pairs, int32_t pair_count,
                       const int32_t* color) {
    int64_t n = level->count;
    level->first = HED_NEW_ARRAY(int32_t, n + 1);
    level->middle = HED_NEW_ARRAY(int32_t, n);
    level->column = HED_NEW_ARRAY(int32_t, 2 * (int64_t)pair_count);
    level->twin = HED_NEW_ARRAY(int32_t, 2 * (int64_t)pair_count);
    int32_t* fill = HED_NEW_ARRAY(int32_t, 2 * n);
    bool ok = level->first && level->middle && level->column && level->twin && fill;
    if (ok) {
        count_entries(level, pairs, pair_count, color);
        place_entries(level, pairs, pair_count, color, fill, fill + n);
    }
    hed_free(fill);
    return ok;
}

static bool allocate_values(HedCoarseLevel* level) {
    int64_t n = level->count;
    level->block = HED_NEW_ARRAY(double, HED_MODES2*(int64_t)level->first[n]);
    level->diagonal = HED_NEW_ARRAY(double, HED_MODES2* n);
    level->light = HED_NEW_ARRAY(float, HED_MODES2*(int64_t)level->first[n]);
    level->inverse = HED_NEW_ARRAY(float, HED_MODES2* n);
    level->is_good = HED_NEW_ARRAY(bool, n);
    double** vectors[] = {&level->b, &level->x, &level->rest, &level->again_b, &level->again_x};
    bool ok = level->block && level->diagonal && level->light && level->inverse && level->is_good;
    for (size_t k = 0; k < sizeof vectors / sizeof vectors[0]; ++k) {
        *vectors[k] = HED_NEW_ARRAY(double, HED_MODES* n);
        ok = ok && *vectors[k];
    }
    return ok;
}

HedStatus hed_coarse_level_create(HedCoarseLevel* level, int32_t count, const HedPatchPair* pairs,
                                  int32_t pair_count) {
    level->count = count;
    uint64_t* met = HED_NEW_ARRAY(uint64_t, group_count(count));
    int32_t* color = HED_NEW_ARRAY(int32_t, group_count(count));
    bool ok = met && color;
    if (ok) {
        choose_colors(level, pairs, pair_count, met, color);
        ok = list_groups(level, color) && build_rows(level, pairs, pair_count, color) &&
             allocate_values(level);
    }
    hed_free(met);
    hed_free(color);
    return ok ? HED_OK : HED_NO_MEMORY;
}

void hed_coarse_level_free(HedCoarseLevel* level) {
    void* const all[] = {
        level->centre,      level->first,    level->middle,  level->column,      level->twin,
        level->block,       level->diagonal, level->inverse, level->color_first, level->group,
        level->child_first, level->arm,      level->b,       level->x,           level->rest,
        level->again_b,     level->again_x,  level->is_good, level->light,
    };
    for (size_t k = 0; k < sizeof all / sizeof all[0]; ++k) {
        hed_free(all[k]);
    }
    *level = (HedCoarseLevel){0};
}
