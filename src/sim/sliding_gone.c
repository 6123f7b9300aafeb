// SPDX-License-Identifier: MIT
// Sliding yarns that have come apart: what is left of their net, and what is told about it.
#include "sim/internal.h"

#include <stdio.h>

// --- the net ---

// The visits of a yarn as they are now. Places without a node stand for the end next to them.
static void follow_yarn(HedSlidingSet* set, int32_t yarn) {
    const HedEol* eol = set->eol;
    HedNet* net = &set->net;
    const HedNetYarn* y = &net->yarns[yarn];
    int32_t first = 0;
    int32_t last = y->count - 1;
    while (hed_eol_pullout_visit(eol, yarn, first) < 0) {
        first += 1;
    }
    while (hed_eol_pullout_visit(eol, yarn, last) < 0) {
        last -= 1;
    }
    for (int32_t k = 0; k < y->count; ++k) {
        int32_t near = k < first ? first : k > last ? last : k;
        int32_t at = eol->pullout.visit_at[hed_eol_pullout_visit(eol, yarn, near)];
        HedNetVisit* visit = &net->visits[y->first + k];
        visit->node = eol->order[at / 2];
        visit->slot = at % 2;
        if (near == k) {
            net->nodes[visit->node].visit[visit->slot] = y->first + k;
        }
    }
}

static void follow(HedSlidingSet* set) {
    const HedEol* eol = set->eol;
    for (int32_t n = 0; n < set->net.node_count; ++n) {
        int gone = (int)eol->detached[eol->number[n]];
        int side = eol->sign[eol->number[n]] > 0 ? 1 : -1;
        set->net.nodes[n].sign = eol->sign[eol->number[n]] == 0 ? 0 : side;
        for (int s = 0; s < 2; ++s) {
            set->net.nodes[n].visit[s] = gone >> s & 1 ? -1 : set->net.nodes[n].visit[s];
        }
    }
    for (int32_t y = 0; y < set->net.yarn_count; ++y) {
        if (eol->pullout.line[y] >= 0) {
            follow_yarn(set, y);
        }
    }
    // A node of one yarn has it in its first slot.
    for (int32_t n = 0; n < set->net.node_count; ++n) {
        HedNetNode* node = &set->net.nodes[n];
        if (node->visit[0] < 0 && node->visit[1] >= 0) {
            node->visit[0] = node->visit[1];
            node->visit[1] = -1;
        }
    }
    set->net_version = eol->pullout.version;
}

void hed_sliding_follow(HedSim* sim) {
    for (int32_t k = 0; k < sim->sliding.sets.count; ++k) {
        HedSlidingSet* set = sim->sliding.sets.data[k];
        if (set->net_version != set->eol->pullout.version) {
            follow(set);
        }
    }
}

// --- reports ---

int32_t hed_sliding_gone_count(const HedSim* sim) {
    int32_t count = 0;
    for (int32_t s = 0; s < sim->sliding.sets.count; ++s) {
        count += sim->sliding.sets.data[s]->eol->pullout.count;
    }
    return count;
}

void hed_sliding_count_gone(HedSim* sim) {
    for (int32_t s = 0; s < sim->sliding.sets.count; ++s) {
        HedSlidingSet* set = sim->sliding.sets.data[s];
        set->gone_count = set->eol->pullout.count;
    }
}

static void tell(const HedSim* sim, const HedCloth* cloth, HedStepReport* report) {
    const HedSlidingSet* set = cloth->sliding;
    const HedEolPullout* pullout = &set->eol->pullout;
    int32_t node = set->eol->order[pullout->last_node];
    HedVec3 x = sim->x.data[set->first_point + node];
    const char* name = set->net.yarns[pullout->last_yarn].name;
    bool is_out = hed_eol_pullout_is_out(set->eol, pullout->last_yarn);
    snprintf(report->gone, sizeof report->gone,
             "yarn %d%s%.40s%s of '%.60s' has slid out of node %d at (%.4g, %.4g, %.4g)%s",
             pullout->last_yarn, name[0] ? " ('" : "", name, name[0] ? "')" : "", cloth->name, node,
             x.x, x.y, x.z, is_out ? ", its last: it is out" : "");
}

void hed_sliding_note_gone(const HedSim* sim, HedStepReport* report) {
    report->gone_count = 0;
    for (int32_t c = 0; c < sim->cloths.count; ++c) {
        const HedCloth* cloth = &sim->cloths.data[c];
        const HedSlidingSet* set = cloth->sliding;
        if (set && set->eol->pullout.count > set->gone_count) {
            report->gone_count += set->eol->pullout.count - set->gone_count;
            tell(sim, cloth, report);
        }
    }
}

// --- reading ---

int32_t hed_sliding_gone(const HedSim* sim, HedYarnsId yarns, bool* is_gone) {
    const HedCloth* cloth = hed_sim_find_yarns(sim, yarns, NULL);
    const HedSlidingSet* set = cloth ? cloth->sliding : NULL;
    for (int32_t k = 0; set && is_gone && k < set->net.node_count; ++k) {
        is_gone[k] = set->eol->detached[set->eol->number[k]] != 0.0;
    }
    return set ? set->eol->pullout.count : 0;
}
