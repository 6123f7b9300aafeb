// SPDX-License-Identifier: MIT
#include "scene/net_part.h"

// Which crossings of which ends (threads of the warp) belong to a part: the lowest and the highest,
// of the leftmost and the rightmost.
typedef struct Edges {
    bool low, high, left, right;
    bool is_corner; // both at once, not either
} Edges;

static Edges edges_of(HedNamedPart part) {
    switch (part) {
    case HED_PART_TOP:
        return (Edges){.high = true};
    case HED_PART_BOTTOM:
        return (Edges){.low = true};
    case HED_PART_LEFT:
        return (Edges){.left = true};
    case HED_PART_RIGHT:
        return (Edges){.right = true};
    case HED_PART_CORNERS:
        return (Edges){true, true, true, true, true};
    case HED_PART_TOP_CORNERS:
        return (Edges){.high = true, .left = true, .right = true, .is_corner = true};
    case HED_PART_BOTTOM_CORNERS:
        return (Edges){.low = true, .left = true, .right = true, .is_corner = true};
    case HED_PART_TOP_LEFT:
        return (Edges){.high = true, .left = true, .is_corner = true};
    case HED_PART_TOP_RIGHT:
        return (Edges){.high = true, .right = true, .is_corner = true};
    case HED_PART_BOTTOM_LEFT:
        return (Edges){.low = true, .left = true, .is_corner = true};
    case HED_PART_BOTTOM_RIGHT:
        return (Edges){.low = true, .right = true, .is_corner = true};
    default:
        return (Edges){0};
    }
}

static bool is_single(const HedNet* net, int32_t visit) {
    return net->nodes[net->visits[visit].node].visit[1] < 0;
}

// A crossing, and the ends of yarn next to it.
static void mark_crossing(const HedNet* net, int32_t visit, bool* marks) {
    const HedNetNode* node = &net->nodes[net->visits[visit].node];
    marks[net->visits[visit].node] = true;
    for (int slot = 0; slot < 2; ++slot) {
        for (int32_t k = node->visit[slot] - 1; k <= node->visit[slot] + 1; k += 2) {
            if (is_single(net, k)) {
                marks[net->visits[k].node] = true;
            }
        }
    }
}

// Threads of the warp have slot 0; they come in their order from the left.
static bool is_warp(const HedNet* net, const HedNetYarn* yarn) {
    for (int32_t k = yarn->first; k < yarn->first + yarn->count; ++k) {
        if (!is_single(net, k)) {
            return net->visits[k].slot == 0;
        }
    }
    return false;
}

static void mark_thread(const HedNet* net, const HedNetYarn* yarn, Edges edges, bool is_side,
                        bool* marks) {
    int32_t low = yarn->first;
    int32_t high = yarn->first + yarn->count - 1;
    while (is_single(net, low)) {
        ++low;
    }
    while (is_single(net, high)) {
        --high;
    }
    for (int32_t k = low; k <= high; ++k) {
        bool is_end = (k == low && edges.low) || (k == high && edges.high);
        bool belongs = edges.is_corner ? is_end && is_side : is_end || is_side;
        if (belongs && !is_single(net, k)) {
            mark_crossing(net, k, marks);
        }
    }
}

static void mark_edges(const HedNet* net, Edges edges, bool* marks) {
    int32_t first = -1, last = -1;
    for (int32_t y = 0; y < net->yarn_count; ++y) {
        if (is_warp(net, &net->yarns[y])) {
            first = first < 0 ? y : first;
            last = y;
        }
    }
    for (int32_t y = 0; y < net->yarn_count; ++y) {
        if (is_warp(net, &net->yarns[y])) {
            bool is_side = (y == first && edges.left) || (y == last && edges.right);
            mark_thread(net, &net->yarns[y], edges, is_side, marks);
        }
    }
}

void hed_eol_part(const HedNet* net, HedNamedPart part, bool* marks) {
    bool is_end = part >= HED_PART_START;
    for (int32_t y = 0; is_end && y < net->yarn_count; ++y) {
        const HedNetYarn* yarn = &net->yarns[y];
        marks[net->visits[yarn->first].node] |= part != HED_PART_END;
        marks[net->visits[yarn->first + yarn->count - 1].node] |= part != HED_PART_START;
    }
    if (!is_end) {
        mark_edges(net, edges_of(part), marks);
    }
}
