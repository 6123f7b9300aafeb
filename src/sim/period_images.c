// SPDX-License-Identifier: MIT
// Copies of a whole repeat for contact: which there are, and forces on them.
#include "geom/box.h"
#include "sim/internal.h"

enum {
    FAR = 8,  // images that are looked at, in each direction
    MOST = 64 // that there may be
};

// By how much the vectors may shrink before images are missing.
static const double SHRUNK = 0.7;

// Of each two opposite images this one is there.
static bool is_upper(int32_t i, int32_t j) {
    return j > 0 || (j == 0 && i > 0);
}

// Whether an image of the repeat, with vectors shrunk to a part, comes within reach of it.
static bool is_near(const HedSim* sim, HedBox box, HedTurns turns, double part) {
    const HedVec3* vector = sim->x.data + sim->period->first;
    HedVec3 way = hed_madd3(hed_mul3(turns.a, vector[0]), turns.b, vector[1]);
    way = hed_mul3(part, way);
    return hed_box_overlaps(box, (HedBox){hed_add3(box.low, way), hed_add3(box.high, way)});
}

// Around all yarns and half of what they reach; curves through points stay within a tenth of it.
static HedBox box_of(const HedSim* sim) {
    HedBox box = hed_box_empty();
    for (int32_t i = sim->period->first + 2; i < sim->x.count; ++i) {
        box = hed_box_add(box, sim->x.data[i]);
    }
    double by = 0.6 * sim->period->reach;
    HedVec3 around = {by, by, by};
    return (HedBox){hed_sub3(box.low, around), hed_add3(box.high, around)};
}

static bool has_image(const HedPeriod* period, int32_t i, int32_t j) {
    for (int32_t k = 0; k < period->images.count; ++k) {
        if (period->images.data[k].a == i && period->images.data[k].b == j) {
            return true;
        }
    }
    return false;
}

HedStatus hed_period_check(const HedSim* sim, HedError* error) {
    const HedPeriod* period = sim->period;
    if (!period || !period->room[0]) {
        return HED_OK;
    }
    HedBox box = box_of(sim);
    bool is_flat = hed_norm3(period->along[1]) > 0.0;
    for (int32_t j = 0; j <= (is_flat ? FAR : 0); ++j) {
        for (int32_t i = -FAR; i <= FAR; ++i) {
            if (is_upper(i, j) && is_near(sim, box, (HedTurns){i, j}, 1.0) &&
                !has_image(period, i, j)) {
                return hed_fail(error, HED_UNSUPPORTED,
                                "period: yarns have come near their copy (%d, %d), which is too "
                                "far off to be looked at; take more repeats of the cloth",
                                i, j);
            }
        }
    }
    return HED_OK;
}

static HedStatus choose_images(HedSim* sim, HedError* error) {
    HedPeriod* period = sim->period;
    HedBox box = box_of(sim);
    bool is_flat = hed_norm3(period->along[1]) > 0.0;
    for (int32_t j = 0; j <= (is_flat ? FAR : 0); ++j) {
        for (int32_t i = -FAR; i <= FAR; ++i) {
            HedTurns turns = {i, j};
            if (!is_upper(i, j) || !is_near(sim, box, turns, SHRUNK)) {
                continue;
            }
            if (i == -FAR || i == FAR || j == FAR || period->images.count >= MOST) {
                return hed_fail(error, HED_UNSUPPORTED,
                                "period: too small against the size of its yarns: they reach their "
                                "copy (%d, %d); take more repeats of the cloth",
                                i, j);
            }
            if (!HED_APPEND(&period->images, turns)) {
                return hed_fail_memory(error, "copies of yarns");
            }
        }
    }
    return HED_OK;
}

static HedStatus refuse(const HedSim* sim, HedError* error) {
    HedVec3 g = sim->def.gravity;
    if (hed_dot3(g, g) > 0.0) {
        return hed_fail(error, HED_INVALID,
                        "a cloth that repeats for ever would fall for ever: gravity must be 0 with "
                        "a period, got (%g, %g, %g)",
                        g.x, g.y, g.z);
    }
    bool by_position = sim->def.integrator == HED_PBD || sim->def.integrator == HED_XPBD;
    if (hed_sim_is_implicit(sim) || by_position) {
        return hed_fail(error, HED_UNSUPPORTED, "a period needs explicit steps, and %s is none",
                        hed_integrator_name(sim->def.integrator));
    }
    if (sim->bodies.count > 0 || sim->triangles.count > 0) {
        return hed_fail(error, HED_UNSUPPORTED, "a period is for yarns alone, without %s",
                        sim->bodies.count > 0 ? "bodies" : "sheets");
    }
    if (sim->strand_list.count == 0) {
        return hed_fail(error, HED_INVALID, "there is a period, but no yarn");
    }
    return HED_OK;
}

// kg, of one repeat.
static double mass_of(const HedSim* sim) {
    double mass = 0.0;
    for (int32_t i = sim->period->first + 2; i < sim->x.count; ++i) {
        mass += sim->mass.data[i];
    }
    return mass;
}

HedStatus hed_period_create(HedSim* sim, HedError* error) {
    HedStatus status = HED_OK;
    HedPeriod* period = sim->period;
    if (!period) {
        return HED_OK;
    }
    HED_TRY(refuse(sim, error));
    for (int k = 0; k < 2; ++k) {
        double* mass = &sim->mass.data[period->first + k];
        *mass = *mass > 0.0 ? *mass : 4.0 * mass_of(sim);
    }
    for (int32_t k = 0; k < sim->strand_list.count; ++k) {
        period->reach = fmax(period->reach, 2.0 * sim->strand_list.data[k].radius);
    }
    period->origin = HED_NEW_ARRAY(HedCopy, sim->x.count);
    period->rows = HED_NEW_ARRAY(double, sim->x.count);
    if (!period->origin || !period->rows) {
        HED_TRY(hed_fail_memory(error, "a period"));
    }
    for (int32_t i = 0; i < sim->x.count; ++i) {
        period->origin[i] = (HedCopy){i, {0, 0}};
    }
    for (int32_t k = 0; k < period->ends.count; ++k) {
        period->origin[period->ends.data[k]] = period->copies.data[k];
    }
    if (sim->def.yarn_contact) {
        HED_TRY(choose_images(sim, error));
        for (int k = 0; k < HED_ROOM_COUNT; ++k) {
            period->room[k] = HED_NEW_ARRAY(HedVec3, hed_period_spread_count(sim));
            HED_TRY(period->room[k] ? HED_OK : hed_fail_memory(error, "copies of yarns"));
        }
    }
done:
    return status;
}

void hed_period_free(HedSim* sim) {
    HedPeriod* period = sim->period;
    if (period) {
        for (int k = 0; k < HED_ROOM_COUNT; ++k) {
            hed_free(period->room[k]);
        }
        hed_free(period->ends.data);
        hed_free(period->copies.data);
        hed_free(period->images.data);
        hed_free(period->origin);
        hed_free(period->rows);
        hed_free(period);
    }
}

int32_t hed_period_spread_count(const HedSim* sim) {
    return sim->x.count * (1 + (sim->period ? sim->period->images.count : 0));
}

const HedVec3* hed_period_spread(const HedSim* sim, HedPeriodRoom room, const HedVec3* values) {
    const HedPeriod* period = sim->period;
    if (!period || !period->room[room]) {
        return values;
    }
    int32_t n = sim->x.count;
    HedVec3* to = period->room[room];
#pragma omp parallel for schedule(static)                                                          \
    num_threads(hed_team_size(&sim->team, INT64_C(3) * n * (1 + period->images.count)))
    for (int32_t k = 0; k <= period->images.count; ++k) {
        HedTurns turns = k > 0 ? period->images.data[k - 1] : (HedTurns){0, 0};
        HedVec3 way =
            hed_madd3(hed_mul3(turns.a, values[period->first]), turns.b, values[period->first + 1]);
        for (int32_t i = 0; i < n; ++i) {
            to[(int64_t)k * n + i] = hed_add3(values[i], way);
        }
    }
    return to;
}

HedVec3* hed_period_open(const HedSim* sim, HedVec3* force) {
    const HedPeriod* period = sim->period;
    if (!period || !period->room[HED_ROOM_FORCE]) {
        return force;
    }
    HedVec3* all = period->room[HED_ROOM_FORCE];
    int32_t count = hed_period_spread_count(sim);
    for (int32_t i = 0; i < count; ++i) {
        all[i] = hed_vec3(0.0, 0.0, 0.0);
    }
    return all;
}

void hed_period_close(const HedSim* sim, const HedVec3* all, HedVec3* force) {
    const HedPeriod* period = sim->period;
    if (all == force) {
        return;
    }
    int32_t n = sim->x.count;
    HedVec3* vector = force + period->first;
    for (int32_t k = 0; k <= period->images.count; ++k) {
        HedVec3 sum = {0.0, 0.0, 0.0};
        for (int32_t i = 0; i < n; ++i) {
            HedVec3 f = all[(int64_t)k * n + i];
            force[i] = hed_add3(force[i], f);
            sum = hed_add3(sum, f);
        }
        HedTurns turns = k > 0 ? period->images.data[k - 1] : (HedTurns){0, 0};
        vector[0] = hed_madd3(vector[0], turns.a, sum);
        vector[1] = hed_madd3(vector[1], turns.b, sum);
    }
}

// An image may be a further piece of the yarn itself: as many turns on as the image is off.
static int32_t turns_between(HedTurns own, HedTurns image) {
    int32_t turns = own.a != 0 ? image.a / own.a : (own.b != 0 ? image.b / own.b : 0);
    return turns * own.a == image.a && turns * own.b == image.b ? turns : 0;
}

void hed_period_add_images(const HedSim* sim, HedPeriodBuild* build) {
    const HedPeriod* period = sim->period;
    int32_t own_segments = build->segment_count;
    int32_t own_curves = build->curve_count;
    for (int32_t k = 0; period && k < period->images.count; ++k) {
        int32_t shift = (k + 1) * sim->x.count;
        for (int32_t s = 0; s < own_segments; ++s) {
            HedCubicSegment segment = build->segments[s];
            for (int c = 0; c < 4; ++c) {
                segment.point[c] += shift;
            }
            build->segments[build->segment_count] = segment;
            build->rest[build->segment_count++] = build->rest[s];
        }
        for (int32_t c = 0; c < own_curves; ++c) {
            HedYarnCurve curve = build->curves[c];
            int32_t turns = turns_between(hed_strand_turns(sim, c), period->images.data[k]);
            double length = 0.0;
            for (int32_t s = 0; s < curve.segment_count; ++s) {
                length += build->rest[curve.first_segment + s];
            }
            curve.first_segment += (k + 1) * own_segments;
            build->leads[build->curve_count] = turns != 0 ? (HedYarnLead){c, turns * length}
                                                          : (HedYarnLead){build->curve_count, 0.0};
            build->curves[build->curve_count++] = curve;
        }
    }
}

// With forces F on points and a matrix below diag(R), the matrix of what is free is below P'
// diag(R) P; and |u + i a + j b|^2 is at most the number of terms times the sum of their squares.
double hed_period_bound(const HedSim* sim, const double* sum, int32_t stride, int32_t count) {
    const HedPeriod* period = sim->period;
    double* rows = period->rows;
    for (int32_t i = 0; i < sim->x.count; ++i) {
        rows[i] = 0.0;
    }
    for (int32_t p = 0; p < count; ++p) {
        int32_t k = p / sim->x.count;
        HedCopy copy = period->origin[p % sim->x.count];
        HedTurns image = k > 0 ? period->images.data[k - 1] : (HedTurns){0, 0};
        double i = period->def.is_free[0] ? copy.turns.a + image.a : 0.0;
        double j = period->def.is_free[1] ? copy.turns.b + image.b : 0.0;
        double terms = 1.0 + (i != 0.0) + (j != 0.0);
        double row = terms * sum[(int64_t)p * stride];
        rows[copy.of] += row;
        rows[period->first] += i * i * row;
        rows[period->first + 1] += j * j * row;
    }
    double largest = 0.0;
    for (int32_t i = 0; i < sim->x.count; ++i) {
        if (sim->mass.data[i] > 0.0) {
            largest = fmax(largest, rows[i] / sim->mass.data[i]);
        }
    }
    return largest;
}
