// SPDX-License-Identifier: MIT
// Sliding yarns that have come apart: what is left of their net, and what is told about it.
#include "eol/eol.h"

#include <stdio.h>

// --- the net ---

// The visits of a yarn as they are now. Places without a node stand for the end next to them.
static void follow_yarn(HedEol* eol, int32_t yarn) {
    HedNet* net = &eol->view.net;
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

void hed_eol_view_follow(HedEol* eol) {
    HedNet* net = &eol->view.net;
    if (eol->view.version == eol->pullout.version || net->node_count == 0) {
        return;
    }
    for (int32_t n = 0; n < net->node_count; ++n) {
        int gone = (int)eol->detached[eol->number[n]];
        int side = eol->sign[eol->number[n]] > 0 ? 1 : -1;
        net->nodes[n].sign = eol->sign[eol->number[n]] == 0 ? 0 : side;
        for (int s = 0; s < 2; ++s) {
            net->nodes[n].visit[s] = gone >> s & 1 ? -1 : net->nodes[n].visit[s];
        }
    }
    for (int32_t y = 0; y < net->yarn_count; ++y) {
        if (eol->pullout.line[y] >= 0) {
            follow_yarn(eol, y);
        }
    }
    // A node of one yarn has it in its first slot.
    for (int32_t n = 0; n < net->node_count; ++n) {
        HedNetNode* node = &net->nodes[n];
        if (node->visit[0] < 0 && node->visit[1] >= 0) {
            node->visit[0] = node->visit[1];
            node->visit[1] = -1;
        }
    }
    eol->view.version = eol->pullout.version;
}

// --- reports ---

void hed_eol_view_tell_gone(const HedEol* eol, const char* name, char* text, size_t size) {
    const HedEolPullout* pullout = &eol->pullout;
    const char* yarn = eol->view.net.yarns[pullout->last_yarn].name;
    HedVec3 x = hed_eol_point(eol->q + (int64_t)HED_NODE_SIZE * pullout->last_node);
    snprintf(text, size,
             "yarn %d%s%.40s%s of '%.60s' has slid out of node %d at (%.4g, %.4g, %.4g)%s",
             pullout->last_yarn, yarn[0] ? " ('" : "", yarn, yarn[0] ? "')" : "", name,
             eol->order[pullout->last_node], x.x, x.y, x.z,
             hed_eol_pullout_is_out(eol, pullout->last_yarn) ? ", its last: it is out" : "");
}
