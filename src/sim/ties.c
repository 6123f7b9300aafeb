// SPDX-License-Identifier: MIT
#include "sim/ties.h"
#include "geom/cubic.h"
#include "math/quat.h"
#include "sim/internal.h"

#include <string.h>

enum { GLUE_STAMP = 0x676C7565 };

// Stiffness of hard ties over that of a segment: of the springs that help in explicit steps, and of
// those that hold in implicit ones, where a place gives way by a hundredth of what a segment does.
static const double HELP = 1.0;
static const double HOLD = 100.0;

HedGlueDef hed_glue_def_default(void) {
    return (HedGlueDef){
        .name = "glue", .distance = HUGE_VAL, .strength = HUGE_VAL, .stamp = GLUE_STAMP};
}

// The curve of a set that has a vertex, and the vertex's number in it.
static const HedCurve* curve_at(const HedSim* sim, const HedCloth* cloth, int32_t* vertex) {
    for (int32_t c = 0; c < cloth->curve_count; ++c) {
        const HedCurve* strand = &sim->strand_list.data[cloth->first_curve + c];
        int32_t count = hed_strand_vertex_count(sim, cloth->first_curve + c, cloth->yarn.model);
        if (*vertex < count) {
            return strand;
        }
        *vertex -= count;
    }
    return NULL;
}

HedStatus hed_cloth_place(const HedSim* sim, const HedCloth* cloth, double at,
                          HedSplineStencil* place, HedError* error) {
    int32_t vertex = at >= 0.0 && at < cloth->vertex_count ? (int32_t)at : -1;
    double part = at - vertex;
    if (hed_period_goes_on(sim, cloth)) {
        return hed_fail(error, HED_UNSUPPORTED, "'%s' repeats and cannot be tied", cloth->name);
    }
    if (vertex >= 0 && (!cloth->is_yarns || cloth->tie_stiffness > 0.0)) {
        int32_t point = cloth->place[vertex];
        *place = (HedSplineStencil){{point, point, point, point}, {1.0, 0.0, 0.0, 0.0}};
        return part == 0.0
                   ? HED_OK
                   : hed_fail(error, HED_INVALID, "%s are glued at whole vertices, '%s' got %g",
                              cloth->is_yarns ? "sliding yarns" : "sheets", cloth->name, at);
    }
    const HedCurve* strand = vertex >= 0 ? curve_at(sim, cloth, &vertex) : NULL;
    if (!strand) {
        return hed_fail(error, HED_INVALID, "there is no vertex %g, '%s' has 0 to %d", at,
                        cloth->name, cloth->vertex_count - 1);
    }
    HedCubicBasis basis = cloth->knot ? HED_CUBIC_BSPLINE : HED_CUBIC_CATMULL_ROM;
    int32_t segments = hed_cubic_count(basis, strand->count, strand->is_closed);
    if (vertex == segments && part > 0.0) {
        return hed_fail(error, HED_INVALID, "%g lies behind the last vertex of its yarn in '%s'",
                        at, cloth->name);
    }
    int32_t segment = vertex == segments ? segments - 1 : vertex;
    double s = vertex == segments ? 1.0 : part;
    HedCubicSegment on =
        hed_cubic_segment(basis, strand->first, strand->count, strand->is_closed, segment);
    memcpy(place->point, on.point, sizeof place->point);
    if (cloth->knot) {
        hed_cubic_weights(hed_cubic_matrix(basis, on.place), s, place->weight);
    } else { // a rod is straight from vertex to vertex
        memcpy(place->weight, (double[4]){0.0, 1.0 - s, s, 0.0}, sizeof place->weight);
    }
    return HED_OK;
}

static void fill_half(HedGlue* glue, int first, const HedSplineStencil* place, double sign) {
    for (int m = 0; m < 4; ++m) {
        glue->point[first + m] = place->point[m];
        glue->weight[first + m] = sign * place->weight[m];
    }
}

static HedStatus append(HedSim* sim, HedTie tie, HedTieOwner owner, HedError* error) {
    if (!HED_RESERVE(&sim->tie_owners, 1) || !HED_APPEND(&sim->ties.list, tie)) {
        return hed_fail_memory(error, "ties");
    }
    sim->tie_owners.data[sim->tie_owners.count++] = owner;
    return HED_OK;
}

HedStatus hed_ties_add_pin(HedSim* sim, HedSplineStencil place, int32_t pin, double stiffness,
                           HedError* error) {
    HedTie tie = {.stiffness = stiffness, .is_active = true};
    fill_half(&tie.glue, 0, &place, 1.0);
    fill_half(&tie.glue, 4, &place, 0.0);
    tie.glue.anchor = hed_glue_gap(&tie.glue, sim->x.data);
    return append(sim, tie, (HedTieOwner){pin, tie.glue.anchor, stiffness == 0.0, HUGE_VAL}, error);
}

HedStatus hed_glue_create(HedSim* sim, const HedGlueDef* def, HedError* error) {
    HedStatus status = HED_OK;
    const char* name = def->name ? def->name : "glue";
    HED_TRY(hed_sim_check_open(sim, def->stamp, GLUE_STAMP, "glue", error));
    const HedCloth* a = hed_sim_find_cloth(sim, def->sheet, def->yarns, error);
    const HedCloth* b = a ? hed_sim_find_cloth(sim, def->other_sheet, def->other, error) : NULL;
    if (!b) {
        return HED_INVALID;
    }
    HedSplineStencil from, to;
    HED_TRY(hed_cloth_place(sim, a, def->vertex, &from, error));
    HED_TRY(hed_cloth_place(sim, b, def->other_vertex, &to, error));
    if (!(def->distance >= 0.0)) {
        HED_TRY(
            hed_fail(error, HED_INVALID, "'distance' must be zero or more, got %g", def->distance));
    }
    if (!(def->strength > 0.0)) {
        HED_TRY(hed_fail(error, HED_INVALID, "'strength' must be positive, got %g", def->strength));
    }
    if (a == b && def->vertex == def->other_vertex) {
        HED_TRY(hed_fail(error, HED_INVALID, "vertex %g is glued to itself", def->vertex));
    }
    HedTie tie = {.is_active = true};
    fill_half(&tie.glue, 0, &from, 1.0);
    fill_half(&tie.glue, 4, &to, -1.0);
    double now = hed_norm3(hed_glue_gap(&tie.glue, sim->x.data));
    tie.glue.length = isfinite(def->distance) ? def->distance : now;
    HED_TRY(append(sim, tie, (HedTieOwner){.pin = -1, .is_hard = true, .strength = def->strength},
                   error));
done:
    if (status != HED_OK) {
        hed_fail_prefix(error, status, "glue '%s': ", name);
    }
    return status;
}

// N/m, of a mean segment of yarns; of sheets what holds a mean point within a step, or, where steps
// are solved for, their tensile stiffness.
static double segment_stiffness(const HedSim* sim, const HedCloth* cloth) {
    double mass = 0.0;
    for (int32_t k = 0; k < cloth->point_count; ++k) {
        mass += sim->mass.data[cloth->first_point + k];
    }
    if (!cloth->is_yarns) {
        double held = mass / cloth->point_count / (sim->def.time_step * sim->def.time_step);
        return hed_sim_is_implicit(sim) ? fmax(held, cloth->tie_stiffness) : held;
    }
    if (cloth->tie_stiffness > 0.0) {
        return cloth->tie_stiffness;
    }
    double length = mass / cloth->yarn.linear_density / cloth->vertex_count;
    return cloth->yarn.stretch / length;
}

// Hard ties are as stiff as the softer of what they tie.
static HedStatus set_stiffness(HedSim* sim, HedError* error) {
    double part = hed_sim_is_implicit(sim) ? HOLD : HELP;
    double* of_cloth = HED_NEW_ARRAY(double, sim->cloths.count);
    if (!of_cloth) {
        return hed_fail_memory(error, "ties");
    }
    for (int32_t c = 0; c < sim->cloths.count; ++c) {
        const HedCloth* cloth = &sim->cloths.data[c];
        of_cloth[c] = segment_stiffness(sim, cloth);
    }
    for (int32_t k = 0; k < sim->ties.list.count; ++k) {
        HedTie* tie = &sim->ties.list.data[k];
        if (sim->tie_owners.data[k].is_hard) {
            const HedCloth* first = hed_sim_cloth_at(sim, tie->glue.point[0]);
            const HedCloth* second = hed_sim_cloth_at(sim, tie->glue.point[4]);
            tie->stiffness = part * fmin(of_cloth[first - sim->cloths.data],
                                         of_cloth[second - sim->cloths.data]);
        }
    }
    hed_free(of_cloth);
    return HED_OK;
}

HedStatus hed_ties_create(HedSim* sim, HedError* error) {
    if (hed_sim_is_by_position(sim) && sim->ties.list.count > 0) {
        return hed_fail(error, HED_INVALID,
                        "soft pins are springs, and %s has no forces; take another integrator",
                        hed_integrator_name(sim->def.integrator));
    }
    HedStatus status = set_stiffness(sim, error);
    if (status == HED_OK && sim->ties.list.count > 0) {
        status = hed_tie_term_prepare(&sim->ties, sim->ranges, error);
    }
    if (status == HED_OK && sim->ties.list.count > 0) {
        sim->tie_broken = HED_NEW_ARRAY(uint8_t, sim->ties.list.count);
        status = sim->tie_broken ? HED_OK : hed_fail_memory(error, "ties");
    }
    return status;
}

void hed_ties_free(HedSim* sim) {
    hed_tie_term_free(&sim->ties);
    hed_free(sim->tie_owners.data);
    hed_free(sim->tie_broken);
}

void hed_ties_place(HedSim* sim, double time) {
    for (int32_t k = 0; k < sim->ties.list.count; ++k) {
        const HedTieOwner* owner = &sim->tie_owners.data[k];
        HedTie* tie = &sim->ties.list.data[k];
        if (owner->pin < 0) {
            continue;
        }
        const HedPin* pin = &sim->pins.data[owner->pin];
        hed_pin_place(pin, time, owner->start, &tie->glue.anchor, &tie->rate);
        tie->is_active = pin->is_active;
    }
}

int32_t hed_ties_break(HedSim* sim) {
    int32_t count = 0;
    for (int32_t k = 0; k < sim->ties.list.count; ++k) {
        HedTie* tie = &sim->ties.list.data[k];
        double strength = sim->tie_owners.data[k].strength;
        if (sim->tie_owners.data[k].pin < 0 && tie->is_active && isfinite(strength) &&
            hed_norm3(hed_tie_force(tie, sim->x.data)) > strength) {
            tie->is_active = false;
            sim->tie_broken[k] = 1;
            count += 1;
        }
    }
    return count;
}

void hed_ties_restored(HedSim* sim) {
    for (int32_t k = 0; k < sim->ties.list.count; ++k) {
        bool is_glue = sim->tie_owners.data[k].pin < 0;
        HedTie* tie = &sim->ties.list.data[k];
        tie->is_active = is_glue ? sim->tie_broken[k] == 0 : tie->is_active;
    }
}

bool hed_ties_are_hard(const HedSim* sim) {
    bool is_hard = false;
    for (int32_t k = 0; k < sim->tie_owners.count && !is_hard; ++k) {
        is_hard = sim->tie_owners.data[k].is_hard;
    }
    return is_hard;
}

void hed_ties_project(const HedSim* sim, HedVec3* x) {
    for (int32_t k = 0; k < sim->ties.list.count; ++k) {
        const HedTie* tie = &sim->ties.list.data[k];
        if (sim->tie_owners.data[k].is_hard && tie->is_active) {
            hed_glue_project(&tie->glue, 1, sim->inverse_mass, x);
        }
    }
}

void hed_ties_bound(const HedSim* sim, double* sum) {
    for (int32_t k = 0; k < sim->ties.list.count; ++k) {
        const HedTie* tie = &sim->ties.list.data[k];
        double all = 0.0;
        for (int m = 0; m < HED_GLUE_POINTS; ++m) {
            all += fabs(tie->glue.weight[m]);
        }
        for (int m = 0; m < HED_GLUE_POINTS; ++m) {
            sum[tie->glue.point[m]] += tie->stiffness * fabs(tie->glue.weight[m]) * all;
        }
    }
}

HedVec3 hed_ties_reaction(const HedSim* sim, int32_t pin) {
    HedVec3 sum = {0};
    for (int32_t k = 0; k < sim->ties.list.count; ++k) {
        if (sim->tie_owners.data[k].pin == pin) {
            sum = hed_add3(sum, hed_tie_force(&sim->ties.list.data[k], sim->x.data));
        }
    }
    return sum;
}
