// SPDX-License-Identifier: MIT
// A finite piece of a fabric that repeats.
#include "fabric/fabric.h"
#include "math/vec3.h"

// How copies of a yarn of the repeat are put together: rows of copies that follow each other.
typedef struct CopyRows {
    int32_t along, across; // copies in a row, rows
    HedVec3 step, side;    // m, from copy to copy, from row to row
    HedVec3 start;         // m, from the yarn to the first copy of the first row
} CopyRows;

static CopyRows rows_of(const HedFabric* f, const HedFabricYarn* yarn, const int32_t times[2]) {
    bool goes_a = yarn->turns.b == 0 && (yarn->turns.a == 1 || yarn->turns.a == -1);
    bool goes_b = yarn->turns.a == 0 && (yarn->turns.b == 1 || yarn->turns.b == -1);
    int along = goes_b ? 1 : 0;
    CopyRows rows = {.along = times[along],
                     .across = times[1 - along],
                     .step = f->period[along],
                     .side = f->period[1 - along]};
    if (yarn->turns.a + yarn->turns.b < 0) { // from the far end back
        rows.start = hed_mul3(times[along] - 1, rows.step);
        rows.step = hed_mul3(-1.0, rows.step);
    }
    if (!goes_a && !goes_b) { // copies stand alone, row by row
        rows.across = times[0] * times[1];
        rows.along = 1;
    }
    return rows;
}

static HedVec3 way_of(const HedFabric* f, const CopyRows* rows, int32_t row, int32_t k,
                      const int32_t times[2]) {
    if (rows->along == 1 && rows->across == times[0] * times[1]) {
        int32_t right = row % times[0], up = row / times[0];
        return hed_madd3(hed_mul3(right, f->period[0]), up, f->period[1]);
    }
    return hed_madd3(hed_madd3(rows->start, k, rows->step), row, rows->side);
}

static HedStatus add_yarn(const HedFabric* f, int32_t index, const int32_t times[2], HedFabric* out,
                          HedError* error) {
    HedStatus status = HED_OK;
    const HedFabricYarn* yarn = &f->yarns[index];
    CopyRows rows = rows_of(f, yarn, times);
    for (int32_t row = 0; row < rows.across; ++row) {
        HedFabricYarn copy = *yarn;
        copy.turns = (HedTurns){0, 0};
        HED_TRY(hed_fabric_add_yarn(out, &copy, error));
        for (int32_t k = 0; k < rows.along; ++k) {
            HedVec3 way = way_of(f, &rows, row, k, times);
            for (int32_t i = 0; i < yarn->count; ++i) {
                HED_TRY(
                    hed_fabric_add_point(out, hed_add3(f->points[yarn->first + i], way), error));
            }
        }
    }
done:
    return status;
}

// The place of a crossing on the copy (i, j) of its yarn; firsts: number of each yarn's first copy.
static HedFabricPlace place_of(const HedFabric* f, HedFabricPlace place, const int32_t at[2],
                               const int32_t times[2], const int32_t* firsts) {
    const HedFabricYarn* yarn = &f->yarns[place.yarn];
    CopyRows rows = rows_of(f, yarn, times);
    bool is_alone = rows.along == 1 && rows.across == times[0] * times[1];
    int along = yarn->turns.b != 0 ? 1 : 0;
    bool is_back = yarn->turns.a + yarn->turns.b < 0;
    int32_t k = is_back ? times[along] - 1 - at[along] : at[along];
    int32_t row = is_alone ? at[0] + times[0] * at[1] : at[1 - along];
    return (HedFabricPlace){firsts[place.yarn] + row,
                            place.at + (is_alone ? 0.0 : (double)k * yarn->count)};
}

static HedStatus add_crossings(const HedFabric* f, const int32_t times[2], const int32_t* firsts,
                               HedFabric* out, HedError* error) {
    HedStatus status = HED_OK;
    for (int64_t k = 0; k < (int64_t)f->crossing_count * times[0] * times[1]; ++k) {
        int32_t copy = (int32_t)(k / f->crossing_count);
        const int32_t at[2] = {copy % times[0], copy / times[0]};
        HedFabricCrossing crossing = f->crossings[k % f->crossing_count];
        crossing.over = place_of(f, crossing.over, at, times, firsts);
        crossing.under = place_of(f, crossing.under, at, times, firsts);
        HED_TRY(hed_fabric_add_crossing(out, crossing, error));
    }
done:
    return status;
}

HedStatus hed_fabric_tile(const HedFabric* fabric, int32_t a_times, int32_t b_times,
                          HedFabric* piece, HedError* error) {
    enum { MOST = 10000 };
    HedStatus status = HED_OK;
    HedFabric out = {0};
    int32_t* firsts = NULL;
    if (a_times < 1 || b_times < 1 || a_times > MOST || b_times > MOST) {
        return hed_fail(error, HED_INVALID, "a fabric is repeated 1 to %d times, got %d by %d",
                        (int)MOST, a_times, b_times);
    }
    const int32_t times[2] = {a_times, b_times};
    firsts = HED_NEW_ARRAY(int32_t, fabric->yarn_count);
    HED_TRY(firsts ? HED_OK : hed_fail_memory(error, "copies of a fabric"));
    for (int32_t k = 0; k < fabric->yarn_count; ++k) {
        firsts[k] = out.yarn_count;
        HED_TRY(add_yarn(fabric, k, times, &out, error));
    }
    HED_TRY(add_crossings(fabric, times, firsts, &out, error));
    HED_TRY(hed_fabric_sort(&out, error));
done:
    hed_free(firsts);
    if (status != HED_OK) {
        hed_fabric_free(&out);
        return status;
    }
    *piece = out;
    return HED_OK;
}
