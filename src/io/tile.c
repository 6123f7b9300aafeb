// SPDX-License-Identifier: MIT
// Cells of a periodic fabric side by side. A yarn that leaves a cell goes on in the copy of itself
// that begins there, so that copies join to long yarns.
#include "io/curves.h"
#include "io/mesh.h"
#include "math/vec3.h"

#include <inttypes.h>

typedef struct CellTiles {
    const HedCurves* cell;
    int32_t counts[2];
    HedCurveList list;
} CellTiles;

static bool is_inside(const CellTiles* tiles, const int32_t cell[2]) {
    return cell[0] >= 0 && cell[0] < tiles->counts[0] && cell[1] >= 0 && cell[1] < tiles->counts[1];
}

// How many cells a curve goes on: from its first point to its last, which is a copy of the first.
// Beyond the tiles all numbers are the same.
static void find_steps(const CellTiles* tiles, const HedCurve* curve, int32_t steps[2]) {
    const HedVec3* x = tiles->cell->vertices + curve->first;
    HedVec3 way = hed_sub3(x[curve->is_closed ? 0 : curve->count - 1], x[0]);
    for (int32_t k = 0; k < 2; ++k) {
        HedVec3 period = tiles->cell->period[k];
        double step = round(hed_dot3(way, period) / hed_dot3(period, period));
        steps[k] = (int32_t)fmax(-HED_TILES_LIMIT, fmin(HED_TILES_LIMIT, step));
    }
}

static bool add_copy(CellTiles* tiles, const HedCurve* curve, const int32_t cell[2]) {
    const HedVec3* period = tiles->cell->period;
    HedVec3 shift = hed_add3(hed_mul3(cell[0], period[0]), hed_mul3(cell[1], period[1]));
    for (int32_t i = 0; i < curve->count; ++i) {
        HedVec3 x = hed_add3(tiles->cell->vertices[curve->first + i], shift);
        if (!hed_curve_list_point(&tiles->list, x)) {
            return false;
        }
    }
    return true;
}

// Copies from the one in a cell on, as far as they stay within the tiles. The last point of a copy
// is the first of the next and comes once, with the place that the next gives it.
static bool add_chain(CellTiles* tiles, const HedCurve* curve, const int32_t start[2],
                      const int32_t steps[2]) {
    int32_t cell[2] = {start[0], start[1]};
    bool is_ring = steps[0] == 0 && steps[1] == 0;
    bool ok = true;
    do {
        ok = ok && add_copy(tiles, curve, cell);
        cell[0] += steps[0];
        cell[1] += steps[1];
        if (ok && !is_ring && is_inside(tiles, cell)) {
            --tiles->list.vertices.count;
        }
    } while (ok && !is_ring && is_inside(tiles, cell));
    return ok && hed_curve_list_end(&tiles->list, *curve);
}

static bool add_curve(CellTiles* tiles, const HedCurve* curve) {
    int32_t steps[2];
    find_steps(tiles, curve, steps);
    bool is_ring = steps[0] == 0 && steps[1] == 0;
    for (int32_t k = 0; k < tiles->counts[0] * tiles->counts[1]; ++k) {
        int32_t cell[2] = {k % tiles->counts[0], k / tiles->counts[0]};
        int32_t before[2] = {cell[0] - steps[0], cell[1] - steps[1]};
        bool is_first = is_ring || !is_inside(tiles, before);
        if (is_first && !add_chain(tiles, curve, cell, steps)) {
            return false;
        }
    }
    return true;
}

static HedStatus check(const HedCurves* curves, int32_t across, int32_t up, HedError* error) {
    if (across < 1 || up < 1 || across > HED_TILES_LIMIT || up > HED_TILES_LIMIT) {
        return hed_fail(error, HED_INVALID, "tiles must be from 1 to %d each way, got %d x %d",
                        HED_TILES_LIMIT, across, up);
    }
    for (int32_t k = 0; k < 2; ++k) {
        double length = hed_norm3(curves->period[k]);
        if (!(length > 0.0) || !isfinite(length)) {
            return hed_fail(error, HED_INVALID,
                            "tiles need yarns that repeat, such as those of .pyp files");
        }
    }
    int64_t total = (int64_t)across * up * curves->vertex_count;
    if (total > HED_MESH_LIMIT) {
        return hed_fail(error, HED_UNSUPPORTED,
                        "%d x %d tiles have %" PRId64 " points, at most %d are possible", across,
                        up, total, HED_MESH_LIMIT);
    }
    return HED_OK;
}

HedStatus hed_curves_tile(HedCurves* curves, int32_t across, int32_t up, HedError* error) {
    HedStatus status = HED_OK;
    CellTiles tiles = {.cell = curves, .counts = {across, up}};
    if (across == 1 && up == 1) {
        return HED_OK;
    }
    HED_TRY(check(curves, across, up, error));
    bool ok = HED_RESERVE(&tiles.list.vertices, (int64_t)across * up * curves->vertex_count);
    for (int32_t i = 0; ok && i < curves->curve_count; ++i) {
        ok = add_curve(&tiles, &curves->curves[i]);
    }
    if (!ok) {
        status = hed_fail_memory(error, "tiles of yarns");
        goto done;
    }
    HedCurves tiled = {0};
    HED_TRY(hed_curve_list_finish(&tiles.list, -1, "tiles", &tiled, error));
    tiled.up_axis = curves->up_axis;
    tiled.period[0] = hed_mul3(across, curves->period[0]);
    tiled.period[1] = hed_mul3(up, curves->period[1]);
    hed_curves_free(curves);
    *curves = tiled;
done:
    hed_curve_list_free(&tiles.list);
    return status;
}
