// SPDX-License-Identifier: MIT
#include "garment/sewn.h"
#include "base/array.h"
#include "garment/plane.h"
#include "geom/sort.h"
#include "geom/topology.h"

static int32_t find_root(int32_t* joined, int32_t i) {
    while (joined[i] != i) {
        joined[i] = joined[joined[i]];
        i = joined[i];
    }
    return i;
}

HedStatus hed_sewn_find(const HedGarment* garment, HedSewn* sewn, HedError* error) {
    *sewn = (HedSewn){0};
    int64_t total = 0;
    for (int32_t p = 0; p < garment->panel_count; ++p) {
        total += garment->panels[p].vertex_count;
    }
    sewn->base = HED_NEW_ARRAY(int32_t, (int64_t)garment->panel_count + 1);
    sewn->joined = total < INT32_MAX / 4 ? HED_NEW_ARRAY(int32_t, total) : NULL;
    if (!sewn->base || !sewn->joined) {
        hed_sewn_free(sewn);
        return hed_fail_memory(error, "a garment");
    }
    sewn->count = (int32_t)total;
    for (int32_t p = 0; p < garment->panel_count; ++p) {
        sewn->base[p + 1] = sewn->base[p] + garment->panels[p].vertex_count;
    }
    for (int32_t i = 0; i < sewn->count; ++i) {
        sewn->joined[i] = i;
    }
    for (int32_t s = 0; s < garment->seam_count; ++s) {
        const HedSeam* seam = garment->seams + s;
        for (int32_t k = 0; k < seam->point_count; ++k) {
            int32_t a =
                find_root(sewn->joined, sewn->base[seam->sides[0].panel] + seam->points[0][k]);
            int32_t b =
                find_root(sewn->joined, sewn->base[seam->sides[1].panel] + seam->points[1][k]);
            sewn->joined[a > b ? a : b] = a < b ? a : b;
        }
    }
    for (int32_t i = 0; i < sewn->count; ++i) {
        sewn->joined[i] = find_root(sewn->joined, i);
    }
    return HED_OK;
}

void hed_sewn_free(HedSewn* sewn) {
    hed_free(sewn->base);
    hed_free(sewn->joined);
    *sewn = (HedSewn){0};
}

// --- chords ---

// A side of triangles that has a point of the outline.
typedef struct Chord {
    int32_t panel;
    int32_t a, b;
    bool is_inner; // two triangles; otherwise it lies on the outline
    bool must_split;
} Chord;

typedef struct Chords {
    HED_ARRAY(Chord) list;
    HedSortItem* order; // by what the ends are sewn to
} Chords;

static HedStatus gather_chords(const HedGarment* garment, Chords* chords, HedError* error) {
    for (int32_t p = 0; p < garment->panel_count; ++p) {
        const HedPanel* panel = garment->panels + p;
        HedTopology topology = {0};
        HedStatus status = hed_topology_create(panel->triangles, panel->triangle_count,
                                               panel->vertex_count, &topology, error);
        for (int32_t e = 0; status == HED_OK && e < topology.edge_count; ++e) {
            const HedMeshEdge* edge = topology.edges + e;
            if (edge->a >= panel->outline_count) {
                continue;
            }
            Chord chord = {p, edge->a, edge->b, edge->triangle_count == 2, false};
            if (!HED_APPEND(&chords->list, chord)) {
                status = hed_fail_memory(error, "a garment");
            }
        }
        hed_topology_free(&topology);
        if (status != HED_OK) {
            return status;
        }
    }
    return HED_OK;
}

static HedStatus sort_chords(Chords* chords, const HedSewn* sewn, HedError* error) {
    chords->order = HED_NEW_ARRAY(HedSortItem, chords->list.count);
    if (!chords->order) {
        return hed_fail_memory(error, "a garment");
    }
    for (int32_t i = 0; i < chords->list.count; ++i) {
        const Chord* c = chords->list.data + i;
        uint32_t a = (uint32_t)sewn->joined[sewn->base[c->panel] + c->a];
        uint32_t b = (uint32_t)sewn->joined[sewn->base[c->panel] + c->b];
        uint64_t key = a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
        chords->order[i] = (HedSortItem){key, i};
    }
    return hed_sort_items(chords->order, chords->list.count, error);
}

static HedStatus refuse_tangle(const HedGarment* garment, const Chord* chord, const char* what,
                               HedError* error) {
    const HedPanel* panel = garment->panels + chord->panel;
    HedMaterialPoint p = hed_mix2(panel->material[chord->a], panel->material[chord->b], 0.5);
    return hed_fail(
        error, HED_INVALID,
        "panel '%s': %s at (%.6g, %.6g) m of the outline: sewn like this the garment is "
        "not a surface; check the seams there, or try a smaller target size",
        panel->name, what, p.u, p.v);
}

// Chords between the same two sewn points, order[first .. end). All inner ones but one are split,
// and that one too if the outline has a side there, or if its ends are sewn together.
static HedStatus check_group(const HedGarment* garment, Chords* chords, int32_t first, int32_t end,
                             HedError* error) {
    uint64_t key = chords->order[first].key;
    bool collapses = (uint32_t)(key >> 32) == (uint32_t)key;
    int32_t on_outline = 0;
    for (int32_t i = first; i < end; ++i) {
        const Chord* c = chords->list.data + chords->order[i].value;
        on_outline += !c->is_inner;
        if (!c->is_inner && collapses) {
            return refuse_tangle(garment, c, "the ends of one side are sewn together", error);
        }
        if (on_outline > 2) {
            return refuse_tangle(garment, c, "more than two sides are sewn together", error);
        }
    }
    bool may_stay = !collapses && on_outline == 0;
    for (int32_t i = first; i < end; ++i) {
        Chord* c = chords->list.data + chords->order[i].value;
        c->must_split = c->is_inner && !may_stay;
        may_stay = may_stay && !c->is_inner;
    }
    return HED_OK;
}

// Puts a vertex into the middle of an inner side; each of the two triangles becomes two.
static bool split_side(HedPanel* panel, int32_t a, int32_t b) {
    int32_t* triangles =
        hed_realloc(panel->triangles, 3 * ((size_t)panel->triangle_count + 2) * sizeof(int32_t));
    if (!triangles) {
        return false;
    }
    panel->triangles = triangles;
    HedMaterialPoint* material =
        hed_realloc(panel->material, ((size_t)panel->vertex_count + 1) * sizeof *material);
    if (!material) {
        return false;
    }
    panel->material = material;
    int32_t middle = panel->vertex_count++;
    material[middle] = hed_mix2(material[a], material[b], 0.5);
    int32_t old_count = panel->triangle_count;
    for (int32_t t = 0; t < old_count; ++t) {
        int32_t* v = triangles + 3 * (size_t)t;
        for (int32_t i = 0; i < 3; ++i) {
            int32_t j = (i + 1) % 3;
            if ((v[i] == a && v[j] == b) || (v[i] == b && v[j] == a)) {
                int32_t* fresh = triangles + 3 * (size_t)panel->triangle_count++;
                fresh[i] = middle;
                fresh[j] = v[j];
                fresh[(j + 1) % 3] = v[(j + 1) % 3];
                v[j] = middle;
                break;
            }
        }
    }
    return true;
}

// Splits what has to be split now; *count says how many sides that were.
static HedStatus split_round(HedGarment* garment, const HedSewn* sewn, Chords* chords,
                             int32_t* count, HedError* error) {
    HedStatus status = HED_OK;
    *count = 0;
    HED_TRY(gather_chords(garment, chords, error));
    HED_TRY(sort_chords(chords, sewn, error));
    for (int32_t i = 0; i < chords->list.count;) {
        int32_t end = i + 1;
        while (end < chords->list.count && chords->order[end].key == chords->order[i].key) {
            ++end;
        }
        HED_TRY(check_group(garment, chords, i, end, error));
        i = end;
    }
    for (int32_t i = 0; i < chords->list.count; ++i) {
        const Chord* c = chords->list.data + i;
        if (!c->must_split) {
            continue;
        }
        *count += 1;
        if (!split_side(garment->panels + c->panel, c->a, c->b)) {
            HED_TRY(hed_fail_memory(error, "a garment"));
        }
    }
done:
    return status;
}

// The halves of a side whose ends are sewn together fall together as well, so this goes on until
// nothing is left to split.
HedStatus hed_garment_split_chords(HedGarment* garment, HedError* error) {
    enum { ROUNDS = 8 };
    HedStatus status = HED_OK;
    int32_t count = 1;
    for (int32_t round = 0; count > 0 && status == HED_OK; ++round) {
        HedSewn sewn = {0};
        Chords chords = {0};
        status = hed_sewn_find(garment, &sewn, error);
        if (status == HED_OK) {
            status = split_round(garment, &sewn, &chords, &count, error);
        }
        if (status == HED_OK && count > 0 && round == ROUNDS) {
            status = refuse_tangle(garment, chords.list.data, "sides fall together", error);
        }
        hed_free(chords.list.data);
        hed_free(chords.order);
        hed_sewn_free(&sewn);
    }
    return status;
}
