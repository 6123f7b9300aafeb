// SPDX-License-Identifier: MIT
// Chains of one colour side by side, eight to a group, the longest first.
#include "base/alloc.h"
#include "geom/sort.h"
#include "sim/lines_find.h"

#include <string.h>

// What filling groups needs.
typedef struct Packing {
    const HedLineDef* def;
    const HedChains* chains;
    HedSortItem* order;  // chains by colour, then by falling length
    int32_t* curve_at;   // per point: first curve with this middle; -1: none
    int32_t* next_curve; // per curve: the next one with the same middle; -1: none
    bool* is_taken;      // springs, then curves
} Packing;

static HedStatus packing_create(Packing* packing, HedError* error) {
    const HedLineDef* def = packing->def;
    const HedChains* chains = packing->chains;
    packing->order = HED_NEW_ARRAY(HedSortItem, chains->list.count);
    packing->curve_at = HED_NEW_ARRAY(int32_t, def->point_count);
    packing->next_curve = HED_NEW_ARRAY(int32_t, def->curve_count);
    if (!packing->order || !packing->curve_at || !packing->next_curve) {
        return hed_fail_memory(error, "lines of springs");
    }
    for (int32_t p = 0; p < def->point_count; ++p) {
        packing->curve_at[p] = -1;
    }
    for (int32_t c = def->curve_count - 1; c >= 0; --c) {
        int32_t middle = def->curves[c].point[1];
        packing->next_curve[c] = packing->curve_at[middle];
        packing->curve_at[middle] = c;
    }
    for (int32_t k = 0; k < chains->list.count; ++k) {
        const HedLineChain* chain = &chains->list.data[k];
        uint64_t shortness = (uint64_t)(HED_LINE_EDGES - chain->edge_count);
        packing->order[k] = (HedSortItem){((uint64_t)chain->color << 32) + shortness, k};
    }
    return hed_sort_items(packing->order, chains->list.count, error);
}

static void packing_free(Packing* packing) {
    hed_free(packing->order);
    hed_free(packing->curve_at);
    hed_free(packing->next_curve);
}

static const HedLineChain* chain_at(const Packing* packing, int32_t place) {
    return &packing->chains->list.data[packing->order[place].value];
}

// Chains of one colour from a place on, eight at most.
static int32_t group_size(const Packing* packing, int32_t place) {
    int32_t size = 1;
    while (size < HED_LANES && place + size < packing->chains->list.count &&
           chain_at(packing, place + size)->color == chain_at(packing, place)->color) {
        ++size;
    }
    return size;
}

static HedStatus allocate(HedLines* lines, const Packing* packing, HedError* error) {
    int64_t nodes = 0;
    int32_t count = packing->chains->list.count;
    for (int32_t k = 0; k < count; k += group_size(packing, k)) {
        nodes += chain_at(packing, k)->edge_count + 1;
        lines->group_count += 1;
    }
    lines->color_count = packing->chains->color_count;
    lines->node = HED_NEW_ARRAY(HedLineNode, nodes);
    lines->curve = HED_NEW_ARRAY(HedLineCurve, packing->def->curve_count > 0 ? nodes : 0);
    lines->group = HED_NEW_ARRAY(HedLineGroup, lines->group_count);
    lines->color_first = HED_NEW_ARRAY(int32_t, (int64_t)lines->color_count + 1);
    bool ok =
        nodes <= INT32_MAX && lines->node && lines->curve && lines->group && lines->color_first;
    return ok ? HED_OK : hed_fail_memory(error, "lines of springs");
}

// The curve over three links, if there is one that no chain has; -1 if not.
static int32_t curve_over(const Packing* packing, const HedLineLink* middle) {
    int32_t c = packing->curve_at[middle->point];
    for (; c >= 0; c = packing->next_curve[c]) {
        const int32_t* p = packing->def->curves[c].point;
        bool is_along = p[0] == middle[-1].point && p[2] == middle[1].point;
        bool is_against = p[2] == middle[-1].point && p[0] == middle[1].point;
        if ((is_along || is_against) && !packing->is_taken[packing->def->spring_count + c]) {
            return c;
        }
    }
    return -1;
}

static void fill_curve(HedLineCurve* to, int lane, const HedBend* curve, int32_t before) {
    HedVec3 w = hed_curve_weights(curve->rest);
    bool is_along = curve->point[0] == before;
    to->weight[0][lane] = is_along ? w.x : w.z;
    to->weight[1][lane] = w.y;
    to->weight[2][lane] = is_along ? w.z : w.x;
    to->rest[lane] = curve->rest.turn;
    to->stiffness[lane] = curve->rest.stiffness;
}

static void fill_lane(HedLines* lines, const Packing* packing, const HedLineChain* chain, int lane,
                      HedLineGroup* group) {
    const HedLineDef* def = packing->def;
    const HedLineLink* link = &packing->chains->links.data[chain->first];
    group->count[lane] = chain->edge_count + 1;
    for (int32_t j = 0; j <= chain->edge_count; ++j) {
        HedLineNode* node = &lines->node[group->first + j];
        node->point[lane] = link[j].point;
        if (j < chain->edge_count) {
            node->rest[lane] = def->springs[link[j].spring].length;
            node->stiffness[lane] = def->springs[link[j].spring].stiffness;
            group->damping[lane] = def->spring_damping[link[j].spring];
            packing->is_taken[link[j].spring] = true;
        }
        int32_t c = j > 0 && j < chain->edge_count ? curve_over(packing, &link[j]) : -1;
        if (c >= 0) {
            fill_curve(&lines->curve[group->first + j], lane, &def->curves[c], link[j - 1].point);
            group->bend_damping[lane] = def->curve_damping[c];
            group->has_curves = true;
            packing->is_taken[def->spring_count + c] = true;
        }
    }
}

// Springs and curves that are not there still get a stiffness, so that none is divided by 0.
static void clear_group(HedLines* lines, const HedLineGroup* group, int32_t point, bool bends) {
    for (int32_t j = 0; j < group->node_count; ++j) {
        for (int l = 0; l < HED_LANES; ++l) {
            lines->node[group->first + j].point[l] = point;
            lines->node[group->first + j].stiffness[l] = 1.0;
            if (bends) {
                lines->curve[group->first + j].stiffness[l] = 1.0;
            }
        }
    }
}

static void fill(HedLines* lines, const Packing* packing) {
    int32_t first = 0;
    int32_t place = 0;
    for (int32_t g = 0; g < lines->group_count; ++g) {
        const HedLineChain* longest = chain_at(packing, place);
        int32_t size = group_size(packing, place);
        HedLineGroup* group = &lines->group[g];
        *group = (HedLineGroup){.first = first, .node_count = longest->edge_count + 1};
        clear_group(lines, group, packing->chains->links.data[longest->first].point,
                    packing->def->curve_count > 0);
        for (int32_t l = 0; l < size; ++l) {
            fill_lane(lines, packing, chain_at(packing, place + l), l, group);
        }
        lines->color_first[longest->color + 1] = g + 1;
        lines->longest = hed_max_i32(lines->longest, group->node_count);
        first += group->node_count;
        place += size;
    }
    lines->node_count = first;
}

HedStatus hed_lines_create(HedLines* lines, const HedLineDef* def, bool* is_taken,
                           HedError* error) {
    HedStatus status = HED_OK;
    HedChains chains = {0};
    Packing packing = {.def = def, .chains = &chains, .is_taken = is_taken};
    *lines = (HedLines){0};
    for (int32_t kind = 0; kind < HED_SPRING_KINDS; ++kind) {
        HED_TRY(hed_chains_find(&chains, def, kind, error));
    }
    HED_TRY(packing_create(&packing, error));
    HED_TRY(allocate(lines, &packing, error));
    fill(lines, &packing);
done:
    packing_free(&packing);
    hed_chains_free(&chains);
    if (status != HED_OK) {
        hed_lines_free(lines);
    }
    return status;
}

void hed_lines_free(HedLines* lines) {
    hed_free(lines->node);
    hed_free(lines->curve);
    hed_free(lines->group);
    hed_free(lines->color_first);
    *lines = (HedLines){0};
}
