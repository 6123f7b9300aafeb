// SPDX-License-Identifier: MIT
#include "sim/surfaces.h"

#include "base/alloc.h"
#include "sim/internal.h"

static bool add_segment(HedSurfaces* surfaces, int32_t a, int32_t b) {
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
            ok = add_segment(surfaces, strand->first + k, strand->first + k + 1);
        }
        if (ok && strand->is_closed) {
            ok = add_segment(surfaces, strand->first + strand->count - 1, strand->first);
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
    return cloth->curve_count > 0 && !hed_cloth_part(sim, cloth);
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

static int64_t skin_size(const HedSim* sim) {
    int64_t size = 0;
    for (int32_t k = 0; k < sim->parts.list.count; ++k) {
        const HedPart* part = &sim->parts.list.data[k];
        size += part->type->skin(part->self).size;
    }
    return size;
}

// There is room for the triangles.
static bool add_skins(const HedSim* sim, HedSurfaces* surfaces) {
    bool ok = true;
    for (int32_t p = 0; p < sim->parts.list.count; ++p) {
        const HedPart* part = &sim->parts.list.data[p];
        HedPartSkin skin = part->type->skin(part->self);
        for (int32_t k = 0; k < skin.size; ++k) {
            surfaces->triangles.data[surfaces->triangles.count++] =
                part->first_point + skin.triangles[k];
        }
        for (int32_t i = 0; i < part->point_count && skin.is_apart; ++i) {
            surfaces->is_apart[part->first_point + i] = true;
        }
        for (int32_t k = 0; k < skin.end_size && ok; k += 2) {
            ok = add_segment(surfaces, part->first_point + skin.ends[k],
                             part->first_point + skin.ends[k + 1]);
        }
    }
    return ok;
}

HedStatus hed_surfaces_collect(const HedSim* sim, HedSurfaces* surfaces, HedError* error) {
    int64_t count = sim->triangles.count + skin_size(sim);
    surfaces->is_apart = HED_NEW_ARRAY(bool, sim->x.count);
    if (count > INT32_MAX || !surfaces->is_apart ||
        !HED_RESERVE(&surfaces->triangles, (int32_t)count)) {
        return hed_fail_memory(error, "surfaces");
    }
    for (int32_t k = 0; k < sim->triangles.count; ++k) {
        surfaces->triangles.data[surfaces->triangles.count++] = sim->triangles.data[k];
    }
    surfaces->is_kept = HED_NEW_ARRAY(bool, sim->x.count);
    if (!surfaces->is_kept) {
        return hed_fail_memory(error, "surfaces");
    }
    hed_sim_mark_touches(sim, surfaces->is_kept);
    bool has_faces = count > 0;
    bool ok = !has_faces || (add_strands(sim, surfaces) && add_skins(sim, surfaces));
    if (ok && has_faces && sim->strand_list.count > 0 && sim->ties.list.count > 0) {
        ok = find_seams(sim, surfaces);
    }
    return ok ? HED_OK : hed_fail_memory(error, "surfaces");
}

void hed_surfaces_follow(HedSim* sim) {
    HedSelf* self = &sim->self;
    for (int32_t s = 0; s < self->def.segment_count && sim->parts.list.count > 0; ++s) {
        const int32_t* p = self->triangles + 3 * ((int64_t)self->def.triangle_count + s);
        const HedPart* part = hed_sim_part_at(sim, p[0]);
        if (part) {
            self->is_off[s] = !part->type->has_segment(part->self, p[0] - part->first_point,
                                                       p[1] - part->first_point);
        }
    }
}

void hed_surfaces_free(HedSurfaces* surfaces) {
    hed_free(surfaces->triangles.data);
    hed_free(surfaces->segments.data);
    hed_free(surfaces->is_apart);
    hed_free(surfaces->is_kept);
    hed_free(surfaces->seam);
}
