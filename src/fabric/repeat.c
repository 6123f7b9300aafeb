// SPDX-License-Identifier: MIT
#include "fabric/repeat.h"
#include "math/vec3.h"

// Diameters by which the end of a piece may miss the copy of its start: what straight pieces of a
// length (diameters) leave of an arc as narrow as one around another yarn. What does not repeat
// misses by a distance of loops, four diameters.
static double most_miss(double length) {
    return 0.05 + length * length / 8.0;
}

static HedVec3 point_at(const HedFabric* fabric, int32_t yarn, double at) {
    const HedFabricYarn* y = &fabric->yarns[yarn];
    int32_t k = (int32_t)at;
    k = k > y->count - 2 ? y->count - 2 : k;
    const HedVec3* x = fabric->points + y->first + k;
    return hed_lerp3(x[0], x[1], at - k);
}

static HedStatus check_piece(const HedFabric* fabric, const HedFabricPiece* piece,
                             HedError* error) {
    const HedFabricYarn* yarn = &fabric->yarns[piece->yarn];
    HedVec3 start = point_at(fabric, piece->yarn, piece->start);
    HedVec3 end = point_at(fabric, piece->yarn, piece->end);
    HedVec3 way =
        hed_madd3(hed_mul3(piece->turns.a, fabric->period[0]), piece->turns.b, fabric->period[1]);
    double miss = hed_distance3(hed_add3(start, way), end) / yarn->diameter;
    double length = hed_fabric_length(fabric, piece->yarn) / yarn->count / yarn->diameter;
    if (!(miss <= most_miss(length))) {
        return hed_fail(error, HED_INVALID,
                        "the fabric does not repeat: yarn %d is %.3g diameters off after %d by %d "
                        "repeats",
                        piece->yarn, miss, piece->turns.a, piece->turns.b);
    }
    return HED_OK;
}

static HedStatus add_piece(const HedFabric* from, const HedFabricPiece* piece, HedFabric* to,
                           HedError* error) {
    HedStatus status = HED_OK;
    HedFabricYarn yarn = from->yarns[piece->yarn];
    yarn.turns = piece->turns;
    HED_TRY(check_piece(from, piece, error));
    HED_TRY(hed_fabric_add_yarn(to, &yarn, error));
    for (int32_t k = 0; k < piece->count; ++k) {
        double at = piece->start + (piece->end - piece->start) * k / piece->count;
        HED_TRY(hed_fabric_add_point(to, point_at(from, piece->yarn, at), error));
    }
done:
    return status;
}

HedStatus hed_fabric_cut(HedFabric* fabric, const HedFabricPiece* pieces, int32_t count,
                         HedError* error) {
    HedStatus status = HED_OK;
    HedFabric cut = {.period = {fabric->period[0], fabric->period[1]}};
    for (int32_t k = 0; k < count; ++k) {
        HED_TRY(add_piece(fabric, &pieces[k], &cut, error));
    }
    cut.notes = fabric->notes;
    cut.note_count = fabric->note_count;
    cut.note_capacity = fabric->note_capacity;
    fabric->notes = NULL;
    fabric->note_count = fabric->note_capacity = 0;
    hed_fabric_free(fabric);
    *fabric = cut;
    return HED_OK;
done:
    hed_fabric_free(&cut);
    return status;
}
