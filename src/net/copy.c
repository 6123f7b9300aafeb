// SPDX-License-Identifier: MIT
#include "base/alloc.h"
#include "base/status.h"
#include "heddle/net.h"

#include <string.h>

// A copy of so many elements; *ok becomes false without memory.
static void* copy_of(const void* data, int32_t count, size_t size, bool* ok) {
    if (count == 0) {
        return NULL;
    }
    void* copy = hed_alloc((size_t)count * size);
    *ok = *ok && copy;
    return copy ? memcpy(copy, data, (size_t)count * size) : NULL;
}

HedStatus hed_net_copy(const HedNet* net, HedNet* copy, HedError* error) {
    bool ok = true;
    *copy = *net;
    copy->nodes = copy_of(net->nodes, net->node_count, sizeof *net->nodes, &ok);
    copy->visits = copy_of(net->visits, net->visit_count, sizeof *net->visits, &ok);
    copy->yarns = copy_of(net->yarns, net->yarn_count, sizeof *net->yarns, &ok);
    copy->clasps = copy_of(net->clasps, net->clasp_count, sizeof *net->clasps, &ok);
    copy->hinges = copy_of(net->hinges, net->hinge_count, sizeof *net->hinges, &ok);
    copy->node_capacity = net->node_count;
    copy->visit_capacity = net->visit_count;
    copy->yarn_capacity = net->yarn_count;
    copy->clasp_capacity = net->clasp_count;
    copy->hinge_capacity = net->hinge_count;
    copy->notes = NULL;
    copy->note_count = copy->note_capacity = 0;
    if (!ok) {
        hed_net_free(copy);
        return hed_fail_memory(error, "a copy of a network");
    }
    return HED_OK;
}
