// SPDX-License-Identifier: MIT
#include "heddle/net.h"
#include "base/alloc.h"
#include "fabric/notes.h"

void hed_net_free(HedNet* net) {
    if (!net) {
        return;
    }
    hed_notes_free(net->notes, net->note_count);
    hed_free(net->hinges);
    hed_free(net->clasps);
    hed_free(net->yarns);
    hed_free(net->visits);
    hed_free(net->nodes);
    *net = (HedNet){0};
}
