// SPDX-License-Identifier: MIT
#include "contact/ridges.h"

#include "base/alloc.h"
#include "geom/closest.h"

// Places this near to each other, in parts of the edge or face, are one: the deepest of them.
static const double BESIDE = 0.05;

// Nearer to an end or side than this the edges and vertices there feel the body.
static const double INSIDE = 0.002;

typedef struct Sheet {
    const HedMeshField* mesh;
    const HedVec3* corner;
    double reach; // m
    HedPlaces* places;
} Sheet;

static void add(const Sheet* sheet, HedPlace fresh) {
    HedPlaces* places = sheet->places;
    int32_t shallowest = 0;
    for (int32_t k = 0; k < places->count; ++k) {
        HedPlace* known = &places->place[k];
        if (fabs(known->at[0] - fresh.at[0]) < BESIDE &&
            fabs(known->at[1] - fresh.at[1]) < BESIDE) {
            *known = fresh.distance < known->distance ? fresh : *known;
            return;
        }
        shallowest = known->distance > places->place[shallowest].distance ? k : shallowest;
    }
    if (places->count < HED_PLACES) {
        places->place[places->count++] = fresh;
    } else if (fresh.distance < places->place[shallowest].distance) {
        places->place[shallowest] = fresh;
    }
}

// A place at that distance from a ridge or corner counts if nothing else of the body is nearer to
// it, which would have its own minimum, or if it is inside.
static void consider(const Sheet* sheet, HedVec3 point, double gap_squared, HedPlace place) {
    const double rounding = 1e-6;
    double gap = sqrt(gap_squared);
    HedFieldSample sample = {0};
    if (gap < sheet->reach &&
        hed_mesh_field_sample_within(sheet->mesh, point, (1.0 + rounding) * gap, &sample) &&
        (sample.distance < 0.0 || sample.distance >= (1.0 - rounding) * gap)) {
        place.distance = sample.distance;
        add(sheet, place);
    }
}

static void look_along(const Sheet* sheet, const HedMeshRidges* ridges) {
    for (int k = 0; k < 3; ++k) {
        if (ridges->edges >> k & 1U) {
            HedClosestPair pair = hed_closest_segments(
                sheet->corner[0], sheet->corner[1], ridges->corner[k], ridges->corner[(k + 1) % 3]);
            if (pair.s > INSIDE && pair.s < 1.0 - INSIDE) {
                consider(sheet, pair.first, pair.distance_squared, (HedPlace){.at = {pair.s}});
            }
        }
    }
}

static void look_over(const Sheet* sheet, const HedMeshRidges* ridges) {
    for (int k = 0; k < 3; ++k) {
        if (ridges->corners >> k & 1U) {
            HedClosestTriangle near = hed_closest_triangle(ridges->corner[k], sheet->corner[0],
                                                           sheet->corner[1], sheet->corner[2]);
            if (fmin(near.weight[0], fmin(near.weight[1], near.weight[2])) > INSIDE) {
                consider(sheet, near.point, near.distance_squared,
                         (HedPlace){.at = {near.weight[0], near.weight[1]}});
            }
        }
    }
}

static void look(const Sheet* sheet, int32_t corner_count, const int32_t* found, int32_t count) {
    for (int32_t k = 0; k < count; ++k) {
        HedMeshRidges ridges = hed_mesh_field_ridges(sheet->mesh, found[k]);
        if (corner_count == 2) {
            look_along(sheet, &ridges);
        } else {
            look_over(sheet, &ridges);
        }
    }
}

bool hed_ridges_find(const HedMeshField* mesh, const HedVec3* corner, int32_t corner_count,
                     double reach, HedPlaces* places) {
    enum { SOME = 256 };
    int32_t some[SOME];
    int32_t* all = NULL;
    HedBox box = hed_box_around(corner, corner_count);
    Sheet sheet = {mesh, corner, reach, places};
    HedVec3 margin = hed_vec3(reach, reach, reach);
    box = (HedBox){hed_sub3(box.low, margin), hed_add3(box.high, margin)};
    int32_t count = hed_mesh_field_overlap(mesh, box, some, SOME);
    if (count > SOME) {
        all = HED_NEW_ARRAY(int32_t, count);
        if (!all) {
            return false;
        }
        hed_mesh_field_overlap(mesh, box, all, count);
    }
    look(&sheet, corner_count, all ? all : some, count);
    hed_free(all);
    return true;
}
