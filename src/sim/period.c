// SPDX-License-Identifier: MIT
#include "sim/period.h"
#include "base/file.h"
#include "sim/internal.h"

#include <string.h>

enum { PERIOD_STAMP = 0x70657231 };

HedPeriodDef hed_period_def_default(void) {
    return (HedPeriodDef){.stamp = PERIOD_STAMP};
}

static bool has_vector(const HedPeriod* period, int k) {
    return hed_dot3(period->along[k], period->along[k]) > 0.0;
}

static HedStatus check_def(const HedPeriodDef* def, HedError* error) {
    const HedVec3 vectors[2] = {def->a, def->b};
    for (int k = 0; k < 2; ++k) {
        HedVec3 p = vectors[k];
        bool ok = hed_is_finite3(p) && (k == 1 || hed_norm3(p) > 0.0);
        if (!ok) {
            return hed_fail(error, HED_INVALID,
                            "period: vector %c must be finite%s, got (%g, %g, %g)", 'a' + k,
                            k == 0 ? " and not 0" : "", p.x, p.y, p.z);
        }
        if (!isfinite(def->pull[k])) {
            return hed_fail(error, HED_INVALID, "period: pull along %c must be finite, got %g",
                            'a' + k, def->pull[k]);
        }
    }
    // Nearly parallel vectors would put copies into each other.
    double sine = hed_norm3(hed_cross3(def->a, def->b));
    if (hed_norm3(def->b) > 0.0 && !(sine > 0.1 * hed_norm3(def->a) * hed_norm3(def->b))) {
        return hed_fail(error, HED_INVALID,
                        "period: the angle between a and b must be above 6 degrees, its sine is %g",
                        sine / (hed_norm3(def->a) * hed_norm3(def->b)));
    }
    if (!(def->mass >= 0.0 && isfinite(def->mass))) {
        return hed_fail(error, HED_INVALID, "period: mass must be zero or more, got %g", def->mass);
    }
    return HED_OK;
}

// The two vectors as points; there is room for them.
static void append_vectors(HedSim* sim, const HedPeriodDef* def, HedCloth* cloth) {
    const HedVec3 vectors[2] = {def->a, def->b};
    for (int k = 0; k < 2; ++k) {
        int32_t i = cloth->first_point + k;
        sim->x.data[i] = sim->rest.data[i] = vectors[k];
        sim->v.data[i] = hed_vec3(0.0, 0.0, 0.0);
        sim->mass.data[i] = def->mass;
        sim->area.data[i] = sim->half_thickness.data[i] = 0.0;
        cloth->place[k] = i;
    }
    sim->x.count = sim->v.count = sim->mass.count = sim->area.count = cloth->first_point + 2;
    sim->half_thickness.count = sim->rest.count = sim->x.count;
    sim->cloths.data[sim->cloths.count++] = *cloth;
}

HedStatus hed_sim_set_period(HedSim* sim, const HedPeriodDef* def, HedError* error) {
    HedStatus status = HED_OK;
    HedPeriod* period = NULL;
    HedCloth cloth = {.is_yarns = true, .point_count = 2, .vertex_count = 2};
    HED_TRY(hed_sim_check_open(sim, def->stamp, PERIOD_STAMP, "period", error));
    HED_TRY(check_def(def, error));
    if (sim->cloths.count > 0) {
        return hed_fail(error, HED_INVALID, "a period comes before sheets and yarns, and once");
    }
    period = HED_NEW(HedPeriod);
    cloth.name = hed_text_copy("period");
    cloth.place = HED_NEW_ARRAY(int32_t, 2);
    if (!period || !cloth.name || !cloth.place || !HED_RESERVE(&sim->x, 2) ||
        !HED_RESERVE(&sim->v, 2) || !HED_RESERVE(&sim->mass, 2) || !HED_RESERVE(&sim->area, 2) ||
        !HED_RESERVE(&sim->half_thickness, 2) || !HED_RESERVE(&sim->rest, 2) ||
        !HED_RESERVE(&sim->cloths, 1)) {
        HED_TRY(hed_fail_memory(error, "a period"));
    }
    append_vectors(sim, def, &cloth);
    period->def = *def;
    period->along[0] = hed_unit3(def->a, hed_vec3(0.0, 0.0, 0.0));
    period->along[1] = hed_unit3(def->b, hed_vec3(0.0, 0.0, 0.0));
    period->copies.vector = cloth.first_point;
    sim->period = period;
done:
    if (status != HED_OK) {
        hed_free(period);
        hed_free(cloth.name);
        hed_free(cloth.place);
    }
    return status;
}

HedStatus hed_sim_move_period(HedSim* sim, HedVec3 a_rate, HedVec3 b_rate, HedError* error) {
    HedPeriod* period = sim->period;
    const HedVec3 rates[2] = {a_rate, b_rate};
    if (!period) {
        return hed_fail(error, HED_INVALID, "this simulation has no period that could be moved");
    }
    if (!hed_is_finite3(a_rate) || !hed_is_finite3(b_rate)) {
        return hed_fail(error, HED_INVALID, "period: rates must be finite");
    }
    for (int k = 0; k < 2; ++k) {
        if (!period->def.is_free[k] && has_vector(period, k)) {
            sim->v.data[period->copies.vector + k] = rates[k];
        }
    }
    hed_period_place(sim, sim->v.data);
    hed_sim_forget_past(sim);
    return HED_OK;
}

HedPeriodState hed_sim_period(const HedSim* sim) {
    HedPeriodState state = {0};
    for (int k = 0; k < 2 && sim->period; ++k) {
        state.vector[k] = sim->x.data[sim->period->copies.vector + k];
        state.pull[k] = sim->period->pull[k];
    }
    return state;
}

HedTurns hed_strand_turns(const HedSim* sim, int32_t strand) {
    return strand < sim->turn_list.count ? sim->turn_list.data[strand] : (HedTurns){0, 0};
}

bool hed_period_goes_on(const HedSim* sim, const HedCloth* cloth) {
    bool goes_on = false;
    for (int32_t c = 0; c < cloth->curve_count; ++c) {
        goes_on = goes_on || hed_turns_on(hed_strand_turns(sim, cloth->first_curve + c));
    }
    return goes_on;
}

int32_t hed_strand_vertex_count(const HedSim* sim, int32_t strand, HedYarnModel model) {
    const HedCurve* curve = &sim->strand_list.data[strand];
    if (hed_turns_on(hed_strand_turns(sim, strand))) {
        return curve->count - HED_YARN_ENDS;
    }
    return curve->count - (model == HED_YARN_SPLINE && !curve->is_closed ? 2 : 0);
}

HedVec3 hed_period_way(const HedSim* sim, HedTurns turns) {
    return hed_turns_way(turns, sim->rest.data + sim->period->copies.vector);
}

// What a curve that goes on cannot have.
static HedStatus check_curve(const HedSim* sim, const HedYarnsDef* def, int32_t c,
                             HedError* error) {
    HedTurns turns = def->turns[c];
    const HedCurve* curve = &def->curves[c];
    if (!sim->period || (turns.b != 0 && !has_vector(sim->period, 1))) {
        return hed_fail(error, HED_INVALID,
                        "yarns '%s': curve %d goes on by (%d, %d) periods, but the simulation has "
                        "no such period",
                        def->name, c, turns.a, turns.b);
    }
    if (curve->is_closed || curve->count < 3) {
        return hed_fail(error, HED_INVALID,
                        "yarns '%s': curve %d goes on, so it must be open and have at least 3 "
                        "vertices, got %d%s",
                        def->name, c, curve->count, curve->is_closed ? ", closed" : "");
    }
    const struct {
        const char* what;
        bool is_set;
    } rules[] = {
        {"inextensible", def->inextensible},
        {"mass: consistent", def->mass != HED_YARN_LUMPED},
        {"natural_twist", def->natural_twist != 0.0},
        {"bend_across", def->bend_across != 0.0},
    };
    for (size_t k = 0; k < sizeof rules / sizeof rules[0]; ++k) {
        if (rules[k].is_set) {
            return hed_fail(error, HED_UNSUPPORTED,
                            "yarns '%s': '%s' does not work for curves that go on, as %d does",
                            def->name, rules[k].what, c);
        }
    }
    HedVec3 next = hed_add3(def->vertices[curve->first], hed_period_way(sim, turns));
    double radius = curve->radius > 0.0 ? curve->radius : def->radius;
    double gap = hed_distance3(def->vertices[curve->first + curve->count - 1], next);
    if (!(gap >= 1e-3 * radius)) {
        return hed_fail(error, HED_INVALID,
                        "yarns '%s': the last vertex of curve %d must be a thousandth of the "
                        "radius from the copy of its first one, it is %.3g m",
                        def->name, c, gap);
    }
    return HED_OK;
}

HedStatus hed_period_check_yarns(const HedSim* sim, const HedYarnsDef* def, HedError* error) {
    HedStatus status = HED_OK;
    for (int32_t c = 0; def->turns && c < def->curve_count && status == HED_OK; ++c) {
        if (hed_turns_on(def->turns[c])) {
            status = check_curve(sim, def, c, error);
        }
    }
    return status;
}

bool hed_period_reserve(HedSim* sim, int64_t count) {
    return !sim->period || HED_RESERVE(&sim->period->copies.ends, HED_YARN_ENDS * count);
}

void hed_period_join(HedSim* sim, int32_t first, int32_t vertex_count, HedTurns turns) {
    HedYarnCopies* copies = &sim->period->copies;
    HedYarnEnd* ends = copies->ends.data + copies->ends.count;
    hed_copies_ends(first, vertex_count, turns, ends);
    copies->ends.count += HED_YARN_ENDS;
    for (int k = 0; k < HED_YARN_ENDS; ++k) {
        sim->x.data[ends[k].point] =
            hed_add3(sim->x.data[ends[k].of], hed_period_way(sim, ends[k].turns));
    }
}

void hed_period_gather_mass(HedSim* sim) {
    const HedYarnCopies* copies = &sim->period->copies;
    for (int32_t k = 0; k < copies->ends.count; ++k) {
        HedYarnEnd end = copies->ends.data[k];
        sim->mass.data[end.of] += sim->mass.data[end.point];
        sim->area.data[end.of] += sim->area.data[end.point];
        sim->mass.data[end.point] = sim->area.data[end.point] = 0.0;
    }
}

void hed_period_hold(HedSim* sim) {
    HedPeriod* period = sim->period;
    for (int32_t k = 0; period && k < period->copies.ends.count; ++k) {
        sim->inverse_mass[period->copies.ends.data[k].point] = 0.0;
    }
    for (int k = 0; period && k < 2; ++k) {
        bool is_free = period->def.is_free[k] && has_vector(period, k);
        sim->inverse_mass[period->copies.vector + k] =
            is_free ? 1.0 / sim->mass.data[period->copies.vector + k] : 0.0;
    }
}

void hed_period_place(const HedSim* sim, HedVec3* values) {
    if (sim->period) {
        hed_copies_place(&sim->period->copies, values);
    }
}

void hed_period_fold(HedSim* sim, HedVec3* force) {
    HedPeriod* period = sim->period;
    if (!period) {
        return;
    }
    HedVec3* vector = force + period->copies.vector;
    hed_copies_fold(&period->copies, force);
    for (int k = 0; k < 2; ++k) {
        period->pull[k] = hed_mul3(-1.0, vector[k]);
        if (period->def.is_free[k]) { // the direction stays
            double along = hed_dot3(vector[k], period->along[k]) + period->def.pull[k];
            vector[k] = hed_mul3(along, period->along[k]);
        }
    }
}

void hed_period_begin(HedSim* sim) {
    for (int k = 0; k < 2 && sim->period; ++k) {
        sim->period->before[k] = sim->x.data[sim->period->copies.vector + k];
    }
}

void hed_period_end(HedSim* sim) {
    const HedPeriod* period = sim->period;
    for (int k = 0; k < 2 && period; ++k) {
        HedVec3 way = hed_sub3(sim->x.data[period->copies.vector + k], period->before[k]);
        sim->count.external += period->def.is_free[k]
                                   ? period->def.pull[k] * hed_dot3(period->along[k], way)
                                   : -hed_dot3(sim->force[period->copies.vector + k], way);
    }
}

void hed_period_damp(HedSim* sim, double h) {
    const HedPeriod* period = sim->period;
    for (int k = 0; k < 2 && period; ++k) {
        HedVec3* v = &sim->v.data[period->copies.vector + k];
        double speed = hed_norm3(*v);
        if (period->def.is_free[k] && speed > 0.0) {
            double part = fmax(h * sim->def.nonrigid_rate, h * sim->def.nonrigid_slowing / speed);
            HedVec3 change = hed_mul3(-fmin(1.0, part), *v);
            *v = hed_add3(*v, change);
            sim->x.data[period->copies.vector + k] =
                hed_madd3(sim->x.data[period->copies.vector + k], h, change);
        }
    }
}
