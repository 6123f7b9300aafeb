// SPDX-License-Identifier: MIT
#include "contact/yarn_copies.h"

#include "base/alloc.h"
#include "geom/box.h"

enum {
    FAR = 8,  // images that are looked at, in each direction
    MOST = 64 // that there may be
};

// By how much the vectors may shrink before images are missing.
static const double SHRUNK = 0.7;

void hed_copies_ends(int32_t first, int32_t count, HedTurns turns, HedYarnEnd ends[HED_YARN_ENDS]) {
    ends[0] = (HedYarnEnd){first, first + count, {-turns.a, -turns.b}};
    ends[1] = (HedYarnEnd){first + count + 1, first + 1, turns};
    ends[2] = (HedYarnEnd){first + count + 2, first + 2, turns};
}

// Of each two opposite images this one is there.
static bool is_upper(int32_t i, int32_t j) {
    return j > 0 || (j == 0 && i > 0);
}

static bool has_second(const HedYarnCopies* copies, const HedVec3* x) {
    HedVec3 b = x[copies->vector + 1];
    return hed_dot3(b, b) > 0.0;
}

// Around all yarns and half of what they reach; curves through points stay within a tenth of it.
static HedBox box_of(const HedYarnCopies* copies, const HedVec3* x) {
    HedBox box = hed_box_empty();
    for (int32_t i = 0; i < copies->point_count; ++i) {
        if (i != copies->vector && i != copies->vector + 1) {
            box = hed_box_add(box, x[i]);
        }
    }
    double by = 0.6 * copies->reach;
    HedVec3 around = {by, by, by};
    return (HedBox){hed_sub3(box.low, around), hed_add3(box.high, around)};
}

// Whether an image of a box, with vectors shrunk to a part, comes within reach of it.
static bool is_near(HedBox box, HedVec3 way, double part) {
    way = hed_mul3(part, way);
    return hed_box_overlaps(box, (HedBox){hed_add3(box.low, way), hed_add3(box.high, way)});
}

static bool has_image(const HedYarnCopies* copies, int32_t i, int32_t j) {
    for (int32_t k = 0; k < copies->images.count; ++k) {
        if (copies->images.data[k].a == i && copies->images.data[k].b == j) {
            return true;
        }
    }
    return false;
}

HedStatus hed_copies_check(const HedYarnCopies* copies, const HedVec3* x, HedError* error) {
    HedBox box = box_of(copies, x);
    int32_t rows = has_second(copies, x) ? FAR : 0;
    for (int32_t j = 0; j <= rows; ++j) {
        for (int32_t i = -FAR; i <= FAR; ++i) {
            HedVec3 way = hed_turns_way((HedTurns){i, j}, x + copies->vector);
            if (is_upper(i, j) && is_near(box, way, 1.0) && !has_image(copies, i, j)) {
                return hed_fail(error, HED_UNSUPPORTED,
                                "period: yarns have come near their copy (%d, %d), which is too "
                                "far off to be looked at; take more repeats of the cloth",
                                i, j);
            }
        }
    }
    return HED_OK;
}

static HedStatus choose_images(HedYarnCopies* copies, const HedVec3* x, HedError* error) {
    HedBox box = box_of(copies, x);
    int32_t rows = has_second(copies, x) ? FAR : 0;
    for (int32_t j = 0; j <= rows; ++j) {
        for (int32_t i = -FAR; i <= FAR; ++i) {
            HedTurns turns = {i, j};
            HedVec3 way = hed_turns_way(turns, x + copies->vector);
            if (!is_upper(i, j) || !is_near(box, way, SHRUNK)) {
                continue;
            }
            if (i == -FAR || i == FAR || j == FAR || copies->images.count >= MOST) {
                return hed_fail(error, HED_UNSUPPORTED,
                                "period: too small against the size of its yarns: they reach their "
                                "copy (%d, %d); take more repeats of the cloth",
                                i, j);
            }
            if (!HED_APPEND(&copies->images, turns)) {
                return hed_fail_memory(error, "copies of yarns");
            }
        }
    }
    if ((int64_t)copies->point_count * (1 + copies->images.count) > INT32_MAX / 24) {
        return hed_fail(error, HED_UNSUPPORTED, "period: too many points: %d, %d times",
                        copies->point_count, 1 + copies->images.count);
    }
    return HED_OK;
}

HedStatus hed_copies_choose(HedYarnCopies* copies, const HedVec3* x, double reach,
                            HedError* error) {
    HedStatus status = HED_OK;
    copies->reach = reach;
    copies->origin = HED_NEW_ARRAY(HedYarnEnd, copies->point_count);
    copies->rows = HED_NEW_ARRAY(double, copies->point_count);
    if (!copies->origin || !copies->rows) {
        HED_TRY(hed_fail_memory(error, "copies of yarns"));
    }
    for (int32_t i = 0; i < copies->point_count; ++i) {
        copies->origin[i] = (HedYarnEnd){i, i, {0, 0}};
    }
    for (int32_t k = 0; k < copies->ends.count; ++k) {
        copies->origin[copies->ends.data[k].point] = copies->ends.data[k];
    }
    if (reach > 0.0) {
        HED_TRY(choose_images(copies, x, error));
    }
    for (int k = 0; k < HED_YARN_ROOM_COUNT; ++k) {
        copies->room[k] = HED_NEW_ARRAY(HedVec3, hed_copies_count(copies));
        HED_TRY(copies->room[k] ? HED_OK : hed_fail_memory(error, "copies of yarns"));
    }
done:
    return status;
}

void hed_copies_clone(HedYarnCopies* copies, HedClones* clones) {
    for (int k = 0; k < HED_YARN_ROOM_COUNT; ++k) {
        HED_CLONE(clones, copies->room[k], hed_copies_count(copies));
    }
    HED_CLONE(clones, copies->rows, copies->point_count);
}

void hed_copies_free(HedYarnCopies* copies) {
    for (int k = 0; k < HED_YARN_ROOM_COUNT; ++k) {
        hed_free(copies->room[k]);
    }
    hed_free(copies->ends.data);
    hed_free(copies->images.data);
    hed_free(copies->origin);
    hed_free(copies->rows);
    *copies = (HedYarnCopies){0};
}

void hed_copies_place(const HedYarnCopies* copies, HedVec3* values) {
    for (int32_t k = 0; k < copies->ends.count; ++k) {
        HedYarnEnd end = copies->ends.data[k];
        HedVec3 way = hed_turns_way(end.turns, values + copies->vector);
        values[end.point] = hed_add3(values[end.of], way);
    }
}

void hed_copies_fold(const HedYarnCopies* copies, HedVec3* force) {
    HedVec3* vector = force + copies->vector;
    for (int32_t k = 0; k < copies->ends.count; ++k) {
        HedYarnEnd end = copies->ends.data[k];
        HedVec3* at = &force[end.point];
        force[end.of] = hed_add3(force[end.of], *at);
        vector[0] = hed_madd3(vector[0], end.turns.a, *at);
        vector[1] = hed_madd3(vector[1], end.turns.b, *at);
        *at = hed_vec3(0.0, 0.0, 0.0);
    }
}

int32_t hed_copies_count(const HedYarnCopies* copies) {
    return copies->point_count * (1 + copies->images.count);
}

static HedTurns image_turns(const HedYarnCopies* copies, int32_t k) {
    return k > 0 ? copies->images.data[k - 1] : (HedTurns){0, 0};
}

const HedVec3* hed_copies_spread(const HedYarnCopies* copies, HedYarnRoom room,
                                 const HedVec3* values) {
    HedVec3* to = copies->room[room];
    int32_t n = copies->point_count;
    for (int32_t k = 0; k <= copies->images.count; ++k) {
        HedVec3 way = hed_turns_way(image_turns(copies, k), values + copies->vector);
        for (int32_t i = 0; i < n; ++i) {
            to[(int64_t)k * n + i] = hed_add3(values[i], way);
        }
    }
    return to;
}

HedVec3* hed_copies_open(const HedYarnCopies* copies) {
    HedVec3* all = copies->room[HED_YARN_ROOM_FORCE];
    int32_t count = hed_copies_count(copies);
    for (int32_t i = 0; i < count; ++i) {
        all[i] = hed_vec3(0.0, 0.0, 0.0);
    }
    return all;
}

void hed_copies_close(const HedYarnCopies* copies, HedVec3* force) {
    const HedVec3* all = copies->room[HED_YARN_ROOM_FORCE];
    int32_t n = copies->point_count;
    HedVec3* vector = force + copies->vector;
    for (int32_t k = 0; k <= copies->images.count; ++k) {
        HedVec3 sum = {0.0, 0.0, 0.0};
        for (int32_t i = 0; i < n; ++i) {
            HedVec3 f = all[(int64_t)k * n + i];
            force[i] = hed_add3(force[i], f);
            sum = hed_add3(sum, f);
        }
        HedTurns turns = image_turns(copies, k);
        vector[0] = hed_madd3(vector[0], turns.a, sum);
        vector[1] = hed_madd3(vector[1], turns.b, sum);
    }
}

// An image may be a further piece of the yarn itself: as many turns on as the image is off.
static int32_t turns_between(HedTurns own, HedTurns image) {
    int32_t turns = own.a != 0 ? image.a / own.a : (own.b != 0 ? image.b / own.b : 0);
    return turns * own.a == image.a && turns * own.b == image.b ? turns : 0;
}

void hed_copies_add_images(const HedYarnCopies* copies, const HedTurns* turns,
                           HedYarnBuild* build) {
    int32_t own_segments = build->segment_count;
    int32_t own_curves = build->curve_count;
    for (int32_t k = 1; k <= copies->images.count; ++k) {
        for (int32_t s = 0; s < own_segments; ++s) {
            HedCubicSegment segment = build->segments[s];
            for (int c = 0; c < 4; ++c) {
                segment.point[c] += k * copies->point_count;
            }
            build->segments[build->segment_count] = segment;
            build->rest[build->segment_count++] = build->rest[s];
        }
        for (int32_t c = 0; c < own_curves; ++c) {
            HedYarnCurve curve = build->curves[c];
            int32_t on = turns_between(turns[c], image_turns(copies, k));
            double length = 0.0;
            for (int32_t s = 0; s < curve.segment_count; ++s) {
                length += build->rest[curve.first_segment + s];
            }
            curve.first_segment += k * own_segments;
            build->leads[build->curve_count] =
                on != 0 ? (HedYarnLead){c, on * length} : (HedYarnLead){build->curve_count, 0.0};
            build->curves[build->curve_count++] = curve;
        }
    }
}

// If the matrix of all points is below diag(R), that of the unknowns is below P' diag(R) P; and
// |u + i a + j b|^2 is at most the number of terms times the sum of their squares.
void hed_copies_bound(const HedYarnCopies* copies, const bool is_free[2], const double* sum,
                      int32_t stride, int32_t count) {
    double* rows = copies->rows;
    for (int32_t i = 0; i < copies->point_count; ++i) {
        rows[i] = 0.0;
    }
    for (int32_t p = 0; p < count; ++p) {
        HedYarnEnd end = copies->origin[p % copies->point_count];
        HedTurns image = image_turns(copies, p / copies->point_count);
        double i = is_free[0] ? end.turns.a + image.a : 0.0;
        double j = is_free[1] ? end.turns.b + image.b : 0.0;
        double row = (1.0 + (i != 0.0) + (j != 0.0)) * sum[(int64_t)p * stride];
        rows[end.of] += row;
        rows[copies->vector] += i * i * row;
        rows[copies->vector + 1] += j * j * row;
    }
}
