// SPDX-License-Identifier: MIT
// Crossings of a fabric that are no nodes of a network, besides those that hed_net_thin leaves out.
//
// The two sheets of a flat tube lie over each other, and their yarns cross wherever one is seen
// through the other. They do not touch there: such crossings are no nodes of a network. Two loops
// of different sheets are apart if one lies over the other at all of their crossings and neither
// is pulled through the other; then nothing links them. The layers of a weave are apart in the same
// way; its crossings say so themselves.
//
// A yarn that crosses itself with nothing in between has a kink (Reidemeister's first move). If it
// is too short for a sample both visits would follow each other in one place.
#include "geom/sort.h"
#include "net/maker.h"

#include <inttypes.h>

typedef struct Sheets {
    HedNetMaker* m;
    HedSortItem* items; // crossings of loops of different sheets, pair by pair
    int32_t count;
    bool* is_gone; // per crossing
    int32_t gone_count;
} Sheets;

static bool is_between_sheets(const HedNetMaker* m, int32_t crossing) {
    const int32_t* loop = m->crossings[crossing].loop;
    const HedFabricLoop* loops = m->fabric->loops;
    if (loop[0] < 0 || loop[1] < 0 || loops[loop[0]].layer == loops[loop[1]].layer) {
        return false;
    }
    for (int32_t k = 0; k < 2; ++k) {
        const HedFabricLoop* child = &loops[loop[k]];
        if (child->parent == loop[1 - k] || child->below == loop[1 - k]) {
            return false;
        }
    }
    return true;
}

static HedStatus find_pairs(Sheets* s) {
    HedNetMaker* m = s->m;
    s->items = HED_NEW_ARRAY(HedSortItem, m->fabric->crossing_count);
    s->is_gone = HED_NEW_ARRAY(bool, m->fabric->crossing_count);
    if (!s->items || !s->is_gone) {
        return hed_fail_memory(m->error, "crossings of a network");
    }
    for (int32_t i = 0; i < m->fabric->crossing_count; ++i) {
        if (is_between_sheets(m, i)) {
            const int32_t* loop = m->crossings[i].loop;
            uint64_t low = (uint64_t)(loop[0] < loop[1] ? loop[0] : loop[1]);
            uint64_t high = (uint64_t)(loop[0] < loop[1] ? loop[1] : loop[0]);
            s->items[s->count++] = (HedSortItem){low << 32 | high, i};
        }
    }
    return hed_sort_items(s->items, s->count, m->error);
}

static void take_out_pairs(Sheets* s) {
    const HedNetCrossing* crossings = s->m->crossings;
    for (int32_t first = 0, end; first < s->count; first = end) {
        int32_t over = crossings[s->items[first].value].loop[0];
        bool is_apart = true;
        for (end = first; end < s->count && s->items[end].key == s->items[first].key; ++end) {
            is_apart = is_apart && crossings[s->items[end].value].loop[0] == over;
        }
        for (int32_t k = first; is_apart && k < end; ++k) {
            s->is_gone[s->items[k].value] = true;
            s->gone_count += 1;
        }
    }
}

void hed_net_close_gaps(HedNetMaker* m, const bool* is_gone) {
    int32_t count = 0, k = 0;
    for (int32_t yarn = 0; yarn < m->fabric->yarn_count; ++yarn) {
        int32_t end = m->first_visits[yarn + 1];
        m->first_visits[yarn] = count;
        for (; k < end; ++k) {
            if (!is_gone[m->visits[k].crossing]) {
                m->visits[count++] = m->visits[k];
            }
        }
    }
    m->first_visits[m->fabric->yarn_count] = count;
}

HedStatus hed_net_part_layers(HedNetMaker* m) {
    int32_t count = 0;
    for (int32_t i = 0; i < m->fabric->crossing_count; ++i) {
        count += m->fabric->crossings[i].is_apart;
    }
    if (count == 0) {
        return HED_OK;
    }
    bool* is_gone = HED_NEW_ARRAY(bool, m->fabric->crossing_count);
    if (!is_gone) {
        return hed_fail_memory(m->error, "crossings of a network");
    }
    for (int32_t i = 0; i < m->fabric->crossing_count; ++i) {
        is_gone[i] = m->fabric->crossings[i].is_apart;
    }
    hed_net_close_gaps(m, is_gone);
    hed_free(is_gone);
    return hed_net_note(m,
                        "%" PRId32 " crossings of yarns in different layers are left out: nothing "
                        "holds them together there",
                        count);
}

HedStatus hed_net_part_sheets(HedNetMaker* m) {
    HedStatus status = HED_OK;
    Sheets s = {.m = m};
    HED_TRY(find_pairs(&s));
    take_out_pairs(&s);
    if (s.gone_count > 0) {
        hed_net_close_gaps(m, s.is_gone);
        HED_TRY(hed_net_note(m,
                             "%" PRId32 " crossings of yarns in different sheets of a tube are "
                             "left out: nothing holds them together there",
                             s.gone_count));
    }
done:
    hed_free(s.items);
    hed_free(s.is_gone);
    return status;
}

// Visits of one yarn that are kept so far, as a stack: what closes a kink takes its other end away.
typedef struct Kinks {
    HedNetMaker* m;
    int32_t* kept;
    bool* is_gone; // per crossing
    int32_t gone_count;
} Kinks;

static bool is_kink(const Kinks* k, int32_t a, int32_t b) {
    const HedNetMaker* m = k->m;
    HedFabricPlace from = hed_net_place(m, m->visits[a]);
    HedFabricPlace to = hed_net_place(m, m->visits[b]);
    return m->visits[a].crossing == m->visits[b].crossing &&
           hed_net_farthest(m, from.yarn, from.at, to.at) < 0.0;
}

static void unkink_yarn(Kinks* k, int32_t yarn) {
    const HedNetMaker* m = k->m;
    int32_t count = 0;
    for (int32_t v = m->first_visits[yarn]; v < m->first_visits[yarn + 1]; ++v) {
        if (count > 0 && is_kink(k, k->kept[count - 1], v)) {
            k->is_gone[m->visits[v].crossing] = true;
            k->gone_count += 1;
            count -= 1;
        } else {
            k->kept[count++] = v;
        }
    }
}

HedStatus hed_net_unkink(HedNetMaker* m) {
    HedStatus status = HED_OK;
    const HedFabric* f = m->fabric;
    Kinks k = {.m = m};
    k.kept = HED_NEW_ARRAY(int32_t, m->first_visits[f->yarn_count]);
    k.is_gone = HED_NEW_ARRAY(bool, f->crossing_count);
    if (!k.kept || !k.is_gone) {
        HED_TRY(hed_fail_memory(m->error, "crossings of a network"));
    }
    for (int32_t yarn = 0; yarn < f->yarn_count; ++yarn) {
        unkink_yarn(&k, yarn);
    }
    if (k.gone_count > 0) {
        hed_net_close_gaps(m, k.is_gone);
        HED_TRY(hed_net_note(m, "%" PRId32 " kinks that nothing runs through are left out",
                             k.gone_count));
    }
done:
    hed_free(k.kept);
    hed_free(k.is_gone);
    return status;
}
