// SPDX-License-Identifier: MIT
#include "io/chains.h"
#include "io/mesh.h"

void hed_curve_chains_free(HedCurveChains* chains) {
    hed_free(chains->indices.data);
    hed_free(chains->sizes.data);
    *chains = (HedCurveChains){0};
}

bool hed_curve_chains_add(HedCurveChains* chains, int32_t vertex) {
    return HED_APPEND(&chains->indices, vertex);
}

int32_t hed_curve_chains_open_count(const HedCurveChains* chains) {
    return chains->indices.count - chains->first;
}

void hed_curve_chains_part(HedCurveChains* chains) {
    chains->is_chain = false;
}

// Joins the pair that stands behind the last polyline to it, either way round, if they share an
// end. The direction of a chain is free as long as it is one pair itself. A closed chain takes no
// more.
static bool join_pair(HedCurveChains* chains) {
    if (!chains->is_chain) {
        return false;
    }
    int32_t size = chains->sizes.data[chains->sizes.count - 1];
    int32_t* pair = chains->indices.data + chains->indices.count - 2;
    int32_t* chain = pair - size;
    int32_t a = pair[0];
    int32_t b = pair[1];
    if (chain[0] == chain[size - 1]) {
        return false;
    }
    if (size == 2 && chain[1] != a && chain[1] != b) {
        int32_t end = chain[0];
        if (end != a && end != b) {
            return false;
        }
        chain[0] = chain[1];
        chain[1] = end;
    }
    int32_t tail = chain[size - 1];
    if (tail != a && tail != b) {
        return false;
    }
    pair[0] = tail == a ? b : a;
    --chains->indices.count;
    ++chains->sizes.data[chains->sizes.count - 1];
    return true;
}

bool hed_curve_chains_end(HedCurveChains* chains) {
    int32_t size = hed_curve_chains_open_count(chains);
    bool ok = true;
    if (size != 2 || !join_pair(chains)) {
        chains->is_chain = size == 2;
        ok = HED_APPEND(&chains->sizes, size);
    }
    chains->first = chains->indices.count;
    return ok;
}

HedStatus hed_curve_chains_copy(const HedCurveChains* chains, const HedVec3* vertices,
                                const HedCurve* likes, const char* name, HedCurveList* list,
                                HedError* error) {
    if (chains->indices.count > HED_MESH_LIMIT) {
        return hed_fail(error, HED_UNSUPPORTED, "%s: %d points of polylines, at most %d", name,
                        chains->indices.count, HED_MESH_LIMIT);
    }
    if (!HED_RESERVE(&list->vertices, chains->indices.count) ||
        !HED_RESERVE(&list->curves, chains->sizes.count)) {
        return hed_fail_memory(error, name);
    }
    const int32_t* index = chains->indices.data;
    for (int32_t i = 0; i < chains->sizes.count; ++i) {
        int32_t size = chains->sizes.data[i];
        HedCurve like = likes ? likes[index[0]] : (HedCurve){.color = HED_COLOR_NONE};
        like.is_closed = index[0] == index[size - 1];
        for (int32_t j = 0; j < size; ++j) {
            if (!hed_curve_list_point(list, vertices[index[j]])) {
                return hed_fail_memory(error, name);
            }
        }
        if (!hed_curve_list_end(list, like)) {
            return hed_fail_memory(error, name);
        }
        index += size;
    }
    return HED_OK;
}
