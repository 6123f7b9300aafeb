// SPDX-License-Identifier: MIT
// Which nodes are coupled beyond their yarns: ends of a shear quadrant, nodes of a curl
// hinge or of a clasp.
#include "base/array.h"
#include "eol/model_create.h"

#include <stdlib.h>

typedef struct PairEntry {
    int32_t low, high;
    HedEolLink link;
} PairEntry;

typedef HED_ARRAY(PairEntry) Entries;

static int compare(const void* a, const void* b) {
    const PairEntry* p = a;
    const PairEntry* q = b;
    if (p->low != q->low) {
        return p->low < q->low ? -1 : 1;
    }
    if (p->high != q->high) {
        return p->high < q->high ? -1 : 1;
    }
    if (p->link.is_star != q->link.is_star) {
        return p->link.is_star ? 1 : -1;
    }
    return p->link.source < q->link.source ? -1 : p->link.source > q->link.source;
}

static bool note(Entries* out, int32_t a, int32_t b, HedEolLink link) {
    if (a > b) {
        HedEolLink turned = {link.source, link.is_star, {link.end[1], link.end[0]}};
        return HED_APPEND(out, (PairEntry){b, a, turned});
    }
    return HED_APPEND(out, (PairEntry){a, b, link});
}

static bool note_quadrants(const HedEolModel* model, Entries* out) {
    bool ok = true;
    for (int32_t i = 0; ok && model->has_shear && i < model->node_count; ++i) {
        for (int k = 0; ok && model->is_crossing[i] && k < 4; ++k) {
            const HedYarnPacks* bands = &model->bands;
            int32_t a = bands->place[i][0] + (k / 2 ? HED_YARN_PACK : -HED_YARN_PACK);
            int32_t b = bands->place[i][1] + (k % 2 ? HED_YARN_PACK : -HED_YARN_PACK);
            HedEolLink link = {4 * i + k, false, {0, 1}};
            ok =
                bands->node[a] == bands->node[b] || note(out, bands->node[a], bands->node[b], link);
        }
    }
    return ok;
}

static bool note_stars(const HedEolModel* model, Entries* out) {
    bool ok = true;
    for (int32_t s = 0; ok && s < model->star_count; ++s) {
        const int32_t* node = model->stars[s].node;
        int count = model->stars[s].count;
        for (int a = 0; ok && a < count; ++a) {
            for (int b = a + 1; ok && b < count; ++b) {
                HedEolLink link = {s, true, {(uint8_t)a, (uint8_t)b}};
                ok = note(out, node[a], node[b], link);
            }
        }
    }
    return ok;
}

static int32_t count_pairs(const Entries* entries) {
    int32_t count = 0;
    for (int32_t k = 0; k < entries->count; ++k) {
        count += k == 0 || entries->data[k].low != entries->data[k - 1].low ||
                 entries->data[k].high != entries->data[k - 1].high;
    }
    return count;
}

HedStatus hed_eol_model_pairs(HedEolModel* model, HedError* error) {
    Entries entries = {0};
    bool ok = note_quadrants(model, &entries) && note_stars(model, &entries);
    if (ok && entries.count > 0) {
        qsort(entries.data, (size_t)entries.count, sizeof(PairEntry), compare);
    }
    model->pair_count = count_pairs(&entries);
    model->pairs = (int32_t(*)[2])hed_alloc_array(model->pair_count, sizeof *model->pairs);
    model->link_first = HED_NEW_ARRAY(int32_t, (int64_t)model->pair_count + 1);
    model->links = HED_NEW_ARRAY(HedEolLink, entries.count);
    ok = ok && model->pairs && model->link_first && model->links;
    for (int32_t k = 0, pair = -1; ok && k < entries.count; ++k) {
        const PairEntry* e = &entries.data[k];
        if (k == 0 || e->low != e[-1].low || e->high != e[-1].high) {
            pair += 1;
            model->pairs[pair][0] = e->low;
            model->pairs[pair][1] = e->high;
            model->link_first[pair] = k;
        }
        model->link_first[pair + 1] = k + 1;
        model->links[k] = e->link;
    }
    hed_free(entries.data);
    return ok ? HED_OK : hed_fail_memory(error, "couplings of crossings");
}
