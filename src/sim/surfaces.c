// SPDX-License-Identifier: MIT
#include "sim/surfaces.h"

#include "base/alloc.h"
#include "sim/internal.h"

bool hed_surfaces_add_segment(HedSurfaces* surfaces, int32_t a, int32_t b) {
    if (!HED_RESERVE(&surfaces->segments, 2)) {
        return false;
    }
    surfaces->segments.data[surfaces->segments.count++] = a;
    surfaces->segments.data[surfaces->segments.count++] = b;
    return true;
}

static bool add_strands(const HedSim* sim, HedSurfaces* surfaces) {
    bool ok = true;
    for (int32_t c = 0; c < sim->strand_list.count && !sim->period; ++c) {
        const HedCurve* strand = &sim->strand_list.data[c];
        for (int32_t k = 0; k + 1 < strand->count && ok; ++k) {
            ok = hed_surfaces_add_segment(surfaces, strand->first + k, strand->first + k + 1);
        }
        if (ok && strand->is_closed) {
            ok = hed_surfaces_add_segment(surfaces, strand->first + strand->count - 1,
                                          strand->first);
        }
    }
    return ok;
}

static int32_t find_seam(int32_t* seam, int32_t i) {
    while (seam[i] != i) {
        seam[i] = seam[seam[i]];
        i = seam[i];
    }
    return i;
}

static bool is_strand(const HedSim* sim, int32_t point) {
    const HedCloth* cloth = hed_sim_cloth_at(sim, point);
    return cloth->curve_count > 0 && cloth->yarn.model != HED_YARN_SLIDING;
}

static bool has_strand(const HedSim* sim, const HedGlue* glue) {
    for (int m = 0; m < HED_GLUE_POINTS; ++m) {
        if (glue->weight[m] != 0.0 && is_strand(sim, glue->point[m])) {
            return true;
        }
    }
    return false;
}

// Points that a tie between a rod or spline and anything else holds together have one number.
static bool find_seams(const HedSim* sim, HedSurfaces* surfaces) {
    int32_t count = sim->x.count;
    int32_t* seam = surfaces->seam = HED_NEW_ARRAY(int32_t, count);
    bool* is_sewn = HED_NEW_ARRAY(bool, count);
    for (int32_t i = 0; i < count && seam; ++i) {
        seam[i] = i;
    }
    for (int32_t k = 0; k < sim->ties.list.count && seam && is_sewn; ++k) {
        const HedGlue* glue = &sim->ties.list.data[k].glue;
        if (sim->tie_owners.data[k].pin >= 0 || !has_strand(sim, glue)) {
            continue;
        }
        int32_t root = -1;
        for (int m = 0; m < HED_GLUE_POINTS; ++m) {
            if (glue->weight[m] == 0.0) {
                continue;
            }
            int32_t own = find_seam(seam, glue->point[m]);
            is_sewn[glue->point[m]] = true;
            seam[root >= 0 && own != root ? (own > root ? own : root) : own] =
                root >= 0 && own > root ? root : own;
            root = root >= 0 && root < own ? root : own;
        }
    }
    for (int32_t i = 0; i < count && seam && is_sewn; ++i) {
        seam[i] = find_seam(seam, i);
    }
    for (int32_t i = 0; i < count && seam && is_sewn; ++i) {
        seam[i] = is_sewn[i] ? seam[i] : -1;
    }
    bool ok = seam && is_sewn;
    hed_free(is_sewn);
    return ok;
}

HedStatus hed_surfaces_collect(const HedSim* sim, HedSurfaces* surfaces, HedError* error) {
    int64_t count = sim->triangles.count + hed_sliding_skin_size(sim);
    surfaces->is_apart = HED_NEW_ARRAY(bool, sim->x.count);
    if (count > INT32_MAX || !surfaces->is_apart ||
        !HED_RESERVE(&surfaces->triangles, (int32_t)count)) {
        return hed_fail_memory(error, "surfaces");
    }
    for (int32_t k = 0; k < sim->triangles.count; ++k) {
        surfaces->triangles.data[surfaces->triangles.count++] = sim->triangles.data[k];
    }
    hed_sliding_skins(sim, surfaces->triangles.data + surfaces->triangles.count,
                      surfaces->is_apart);
    surfaces->is_kept = HED_NEW_ARRAY(bool, sim->x.count);
    if (!surfaces->is_kept) {
        return hed_fail_memory(error, "surfaces");
    }
    hed_sim_mark_touches(sim, surfaces->is_kept);
    surfaces->triangles.count = (int32_t)count;
    bool has_faces = count > 0;
    bool ok = !has_faces || (add_strands(sim, surfaces) && hed_sliding_add_ends(sim, surfaces));
    if (ok && has_faces && sim->strand_list.count > 0 && sim->ties.list.count > 0) {
        ok = find_seams(sim, surfaces);
    }
    return ok ? HED_OK : hed_fail_memory(error, "surfaces");
}

void hed_surfaces_free(HedSurfaces* surfaces) {
    hed_free(surfaces->triangles.data);
    hed_free(surfaces->segments.data);
    hed_free(surfaces->is_apart);
    hed_free(surfaces->is_kept);
    hed_free(surfaces->seam);
}
