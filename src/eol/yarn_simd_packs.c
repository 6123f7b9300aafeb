// SPDX-License-Identifier: MIT
#include "eol/yarn_simd_packs.h"

#include "base/array.h"

#include <stdlib.h>
#include <string.h>

// Visits first .. first + count - 1 of one yarn.
typedef struct PackLine {
    int32_t first, count;
    int32_t yarn;
    int32_t color;
    int32_t size; // lines of about the same length share it
} PackLine;

typedef HED_ARRAY(PackLine) Lines;

void hed_yarn_packs_free(HedYarnPacks* bands) {
    hed_free(bands->first);
    hed_free(bands->color_first);
    hed_free(bands->node);
    hed_free(bands->visit);
    hed_free(bands->slot);
    hed_free(bands->kind);
    hed_free((void*)bands->place);
    hed_free(bands->place_of);
    *bands = (HedYarnPacks){0};
}

// Cuts before a node that the line already has. mark[node]: the last line that it was seen in, + 1.
static bool cut_yarn(const HedNet* net, int32_t y, int32_t* mark, Lines* lines) {
    const HedNetYarn* yarn = &net->yarns[y];
    bool ok = HED_APPEND(lines, (PackLine){.first = yarn->first, .yarn = y});
    for (int32_t e = yarn->first; ok && e < yarn->first + yarn->count; ++e) {
        int32_t node = net->visits[e].node;
        if (mark[node] == lines->count) {
            ok = HED_APPEND(lines, (PackLine){.first = e, .yarn = y});
        }
        if (ok) {
            mark[node] = lines->count;
            lines->data[lines->count - 1].count += 1;
        }
    }
    return ok;
}

// Lines that share a node get different colours, the lowest that is free. used[colour]: the last
// line that may not have it, + 1.
static void color_lines(const HedNet* net, const int32_t* line_of, int32_t* used, Lines* lines) {
    for (int32_t k = 0; k < lines->count; ++k) {
        PackLine* line = &lines->data[k];
        for (int32_t e = line->first; e < line->first + line->count; ++e) {
            const HedNetNode* node = &net->nodes[net->visits[e].node];
            for (int s = 0; s < 2; ++s) {
                int32_t other = node->visit[s] >= 0 ? line_of[node->visit[s]] : k;
                if (other < k) {
                    used[lines->data[other].color] = k + 1;
                }
            }
        }
        while (used[line->color] == k + 1) {
            line->color += 1;
        }
    }
}

static int compare_lines(const void* a, const void* b) {
    const PackLine* p = a;
    const PackLine* q = b;
    if (p->color != q->color) {
        return p->color < q->color ? -1 : 1;
    }
    if (p->size != q->size) {
        return p->size < q->size ? -1 : 1;
    }
    return p->first < q->first ? -1 : p->first > q->first;
}

// Lengths that differ by no more than a quarter may stand side by side.
static int32_t size_of(int32_t count) {
    int32_t size = 0;
    double most = 8.0;
    while (count > most) {
        most *= 1.25;
        size += 1;
    }
    return size;
}

static HedStatus find_lines(const HedNet* net, Lines* lines, HedError* error) {
    int32_t* mark = HED_NEW_ARRAY(int32_t, net->node_count);
    int32_t* line_of = HED_NEW_ARRAY(int32_t, net->visit_count);
    bool ok = mark && line_of;
    for (int32_t y = 0; ok && y < net->yarn_count; ++y) {
        ok = cut_yarn(net, y, mark, lines);
    }
    int32_t* used = HED_NEW_ARRAY(int32_t, lines->count);
    ok = ok && used;
    if (ok) {
        for (int32_t k = 0; k < lines->count; ++k) {
            for (int32_t e = 0; e < lines->data[k].count; ++e) {
                line_of[lines->data[k].first + e] = k;
            }
            lines->data[k].size = size_of(lines->data[k].count);
        }
        color_lines(net, line_of, used, lines);
        qsort(lines->data, (size_t)lines->count, sizeof(PackLine), compare_lines);
    }
    hed_free(mark);
    hed_free(line_of);
    hed_free(used);
    return ok ? HED_OK : hed_fail_memory(error, "lines of yarns");
}

// Bands of up to HED_YARN_PACK lines of one colour and size; counts if bands->first is NULL.
static void lay_out(HedYarnPacks* bands, const Lines* lines) {
    int32_t count = 0;
    int32_t steps = 0;
    int32_t colors = 0;
    for (int32_t k = 0; k < lines->count; ++count) {
        const PackLine* line = &lines->data[k];
        int32_t longest = 0;
        if (colors <= line->color) {
            colors = line->color + 1;
        }
        if (bands->first) {
            bands->first[count] = steps;
            bands->color_first[colors] = count + 1;
        }
        for (int32_t l = 0;
             l < HED_YARN_PACK && k < lines->count && lines->data[k].color == line->color &&
             lines->data[k].size == line->size;
             ++l, ++k) {
            longest = hed_max_i32(longest, lines->data[k].count);
        }
        steps += longest + 2 * HED_HALO;
    }
    bands->count = count;
    bands->step_count = steps;
    bands->color_count = colors;
    if (bands->first) {
        bands->first[count] = steps;
    }
}

static bool allocate(HedYarnPacks* bands, const HedNet* net, const Lines* lines) {
    lay_out(bands, lines);
    int64_t places = ((int64_t)bands->step_count + 1) * HED_YARN_PACK;
    bands->first = HED_NEW_ARRAY(int32_t, (int64_t)bands->count + 1);
    bands->color_first = HED_NEW_ARRAY(int32_t, (int64_t)bands->color_count + 1);
    bands->node = HED_NEW_ARRAY(int32_t, places);
    bands->visit = HED_NEW_ARRAY(int32_t, places);
    bands->slot = HED_NEW_ARRAY(uint8_t, places);
    bands->kind = HED_NEW_ARRAY(uint8_t, places);
    bands->place = (int32_t(*)[2])hed_alloc_array(net->node_count, sizeof *bands->place);
    bands->place_of = HED_NEW_ARRAY(int32_t, net->visit_count);
    return bands->first && bands->color_first && bands->node && bands->visit && bands->slot &&
           bands->kind && bands->place && bands->place_of;
}

// One line in its lane, with what its yarn has before and after it.
static void fill_lane(HedYarnPacks* bands, const HedNet* net, const int32_t* number,
                      const PackLine* line, int32_t place) {
    const HedNetYarn* yarn = &net->yarns[line->yarn];
    int32_t last = yarn->first + yarn->count - 1;
    for (int32_t k = -HED_HALO; k < line->count + HED_HALO; ++k, place += HED_YARN_PACK) {
        int32_t e = line->first + k;
        if (e < yarn->first || e > last) {
            continue;
        }
        bool has_next = e < last && k + 1 < line->count + HED_HALO;
        bool has_previous = e > yarn->first && k > -HED_HALO;
        bool has_quad = e + 3 <= last && k + 3 < line->count + HED_HALO;
        bool is_own = k >= 0 && k < line->count;
        bands->visit[place] = e;
        bands->node[place] = number[net->visits[e].node];
        bands->slot[place] = (uint8_t)net->visits[e].slot;
        bands->kind[place] =
            (uint8_t)((is_own ? HED_PLACE_OWN : 0) | (has_next ? HED_PLACE_SEGMENT : 0) |
                      (has_next && has_previous ? HED_PLACE_TURN : 0) |
                      (has_quad ? HED_PLACE_QUAD : 0));
        if (is_own) {
            bands->place[bands->node[place]][bands->slot[place]] = place;
            bands->place_of[e] = place;
        }
    }
}

HedStatus hed_yarn_packs_create(HedYarnPacks* bands, const HedNet* net, const int32_t* number,
                                HedError* error) {
    Lines lines = {0};
    *bands = (HedYarnPacks){.node_count = net->node_count, .visit_count = net->visit_count};
    HedStatus status = find_lines(net, &lines, error);
    if (status == HED_OK && !allocate(bands, net, &lines)) {
        status = hed_fail_memory(error, "bands of yarns");
    }
    if (status != HED_OK) {
        hed_free(lines.data);
        return status;
    }
    lay_out(bands, &lines);
    int32_t places = (bands->step_count + 1) * HED_YARN_PACK;
    for (int32_t p = 0; p < places; ++p) {
        bands->visit[p] = -1;
    }
    for (int32_t i = 0; i < net->node_count; ++i) {
        bands->place[i][0] = bands->place[i][1] = places - HED_YARN_PACK;
    }
    int32_t k = 0;
    for (int32_t b = 0; b < bands->count; ++b) {
        const PackLine* line = &lines.data[k];
        for (int32_t l = 0; l < HED_YARN_PACK && k < lines.count &&
                            lines.data[k].color == line->color && lines.data[k].size == line->size;
             ++l, ++k) {
            fill_lane(bands, net, number, &lines.data[k], bands->first[b] * HED_YARN_PACK + l);
        }
    }
    hed_free(lines.data);
    return HED_OK;
}

// The first band whose middle is not before a step.
static int32_t band_at(const HedYarnPacks* bands, int32_t first, int32_t end, int64_t step) {
    while (first < end) {
        int32_t middle = first + (end - first) / 2;
        if ((int64_t)bands->first[middle] + bands->first[middle + 1] < 2 * step) {
            first = middle + 1;
        } else {
            end = middle;
        }
    }
    return first;
}

HedShare hed_yarn_packs_share(const HedYarnPacks* bands, HedThreadTeam threads, int32_t first,
                              int32_t end) {
    int64_t begin = bands->first[first];
    int64_t steps = bands->first[end] - begin;
    return (HedShare){
        threads.rank == 0 ? first
                          : band_at(bands, first, end, begin + steps * threads.rank / threads.size),
        threads.rank + 1 == threads.size
            ? end
            : band_at(bands, first, end, begin + steps * (threads.rank + 1) / threads.size)};
}
