// SPDX-License-Identifier: MIT
// What happens once, before the first step: ranges, terms, scratch arrays, overlap at the start.
#include "base/alloc.h"
#include "sim/reader.h"
#include "state/tiles.h"

#include <stdio.h>
#include <stdlib.h>

const HedCloth* hed_sim_cloth_at(const HedSim* sim, int32_t point) {
    const HedCloth* sheet = sim->cloths.data;
    while (point >= sheet->first_point + sheet->point_count) {
        ++sheet;
    }
    return sheet;
}

void hed_sim_describe_point(const HedSim* sim, int32_t point, char* text, size_t size) {
    const HedCloth* cloth = hed_sim_cloth_at(sim, point);
    int32_t best = 0;
    for (int32_t vertex = 1; vertex < cloth->vertex_count; ++vertex) {
        // Exactly the point's vertex, or for control points of splines the one beside.
        bool is_nearer = abs(cloth->place[vertex] - point) < abs(cloth->place[best] - point);
        best = is_nearer ? vertex : best;
    }
    HedVec3 x = hed_cloth_mix(cloth, best, sim->x.data);
    snprintf(text, size, "%s %d of %s '%.30s' at (%.3g, %.3g, %.3g)", hed_cloth_vertex(sim, cloth),
             best, cloth->is_yarns ? "yarns" : "sheet", cloth->name, x.x, x.y, x.z);
}

bool hed_sim_is_by_position(const HedSim* sim) {
    return sim->def.integrator == HED_PBD || sim->def.integrator == HED_XPBD;
}

bool hed_sim_is_implicit(const HedSim* sim) {
    switch (sim->def.integrator) {
    case HED_IMPLICIT_EULER:
    case HED_NEWMARK:
    case HED_BDF2:
    case HED_QUASI_STATIC:
        return true;
    default:
        return false;
    }
}

static HedStatus create_ranges(HedSim* sim, HedError* error) {
    int32_t* first = HED_NEW_ARRAY(int32_t, (int64_t)sim->cloths.count + 1);
    if (!first) {
        return hed_fail_memory(error, "the ranges of points");
    }
    for (int32_t k = 0; k < sim->cloths.count; ++k) {
        first[k] = sim->cloths.data[k].first_point;
    }
    first[sim->cloths.count] = sim->x.count;
    HedStatus status = hed_ranges_create(&sim->ranges, first, sim->cloths.count, error);
    hed_free(first);
    return status;
}

static HedStatus allocate_common(HedSim* sim, HedError* error) {
    int64_t n = sim->x.count;
    sim->team.threads = sim->def.thread_count;
    sim->team.partial_capacity = hed_block_count((int32_t)(3 * n)) + sim->ranges.count;
    sim->team.partial = HED_NEW_ARRAY(double, sim->team.partial_capacity);
    sim->inverse_mass = HED_NEW_ARRAY(double, n);
    sim->force = HED_NEW_ARRAY(HedVec3, n);
    sim->range_power = HED_NEW_ARRAY(HedPower, sim->ranges.count);
    sim->range_peak = HED_NEW_ARRAY(double, sim->ranges.count);
    sim->range_energy = HED_NEW_ARRAY(double, HED_TERM_COLUMNS*(int64_t)sim->ranges.count);
    bool ok = sim->team.partial && sim->inverse_mass && sim->force && sim->range_power &&
              sim->range_peak && sim->range_energy;
    HedIntegrator kind = sim->def.integrator;
    if (kind == HED_VERLET || hed_sim_is_implicit(sim)) {
        sim->acceleration = HED_NEW_ARRAY(HedVec3, n);
        ok = ok && sim->acceleration;
    }
    if (kind == HED_BDF2) {
        sim->x_previous = HED_NEW_ARRAY(HedVec3, n);
        sim->v_previous = HED_NEW_ARRAY(HedVec3, n);
        ok = ok && sim->x_previous && sim->v_previous;
    }
    if (sim->bodies.count > 0) {
        sim->contact_force = HED_NEW_ARRAY(double, n);
        ok = ok && sim->contact_force;
    }
    for (int k = 0; k < 4 && kind == HED_RK4; ++k) {
        sim->stage[k] = HED_NEW_ARRAY(HedVec3, n);
        ok = ok && sim->stage[k];
    }
    return ok ? HED_OK : hed_fail_memory(error, "the simulation's arrays");
}

// What the elements of each range take from their sheets.
typedef struct RangeValues {
    double* damping;      // s
    double* bend_damping; // s
    double* share;
    HedMembraneMaterial* material;
} RangeValues;

static void free_values(RangeValues* values) {
    hed_free(values->damping);
    hed_free(values->bend_damping);
    hed_free(values->share);
    hed_free(values->material);
}

static HedStatus collect_values(HedSim* sim, RangeValues* values, HedError* error) {
    int32_t n = sim->ranges.count;
    bool by_position = hed_sim_is_by_position(sim);
    values->damping = HED_NEW_ARRAY(double, n);
    values->bend_damping = HED_NEW_ARRAY(double, n);
    values->share = HED_NEW_ARRAY(double, n);
    values->material = HED_NEW_ARRAY(HedMembraneMaterial, n);
    if (!values->damping || !values->bend_damping || !values->share || !values->material) {
        return hed_fail_memory(error, "the terms");
    }
    for (int32_t r = 0; r < n; ++r) {
        const HedCloth* sheet = hed_sim_cloth_at(sim, sim->ranges.first[r]);
        values->damping[r] = sheet->damping;
        values->bend_damping[r] = sheet->bend_damping;
        values->share[r] = sheet->wind_share;
        values->material[r] = sheet->material;
        bool is_rayleigh = sheet->rayleigh > 0.0 || sheet->bend_rayleigh > 0.0;
        if (is_rayleigh && by_position) {
            return hed_fail(error, HED_INVALID,
                            "sheet '%s': damping by 'rayleigh' is a force, and %s has none; take "
                            "'potential' or another integrator",
                            sheet->name, hed_integrator_name(sim->def.integrator));
        }
        if (is_rayleigh && !sim->rayleigh) {
            sim->rayleigh = HED_NEW_ARRAY(double, 2 * (int64_t)n);
            sim->is_exact = HED_NEW_ARRAY(bool, n);
            if (!sim->rayleigh || !sim->is_exact) {
                return hed_fail_memory(error, "the terms");
            }
        }
        if (is_rayleigh) {
            sim->rayleigh[r] = sheet->rayleigh;
            sim->rayleigh[n + r] = sheet->bend_rayleigh;
            sim->is_exact[r] = sheet->is_exact;
        }
    }
    return HED_OK;
}

// Elements that stretch, or else bend, with the Rayleigh damping of either.
static void add_term(HedSim* sim, HedTerm term, bool bends) {
    if (sim->rayleigh) {
        term.rayleigh = sim->rayleigh + (bends ? sim->ranges.count : 0);
        term.is_exact = sim->is_exact;
    }
    sim->terms[sim->term_count++] = term;
}

static HedStatus create_loads(HedSim* sim, const RangeValues* values, HedError* error) {
    HedStatus status = HED_OK;
    sim->terms[sim->term_count++] = hed_point_term(&sim->point_load);
    HED_TRY(hed_sim_loads_create(sim, error));
    if (sim->load) {
        sim->terms[sim->term_count++] = hed_force_term(sim->load);
    }
    if (sim->has_wind) {
        HedStencils triangles = {sim->wind_triangles.data, 3, sim->wind_triangles.count / 3};
        HED_TRY(hed_wind_term_prepare(&sim->wind, sim->ranges, triangles, values->share, error));
        sim->terms[sim->term_count++] = hed_wind_term(&sim->wind);
    }
done:
    return status;
}

static HedStatus create_terms(HedSim* sim, HedError* error) {
    HedStatus status = HED_OK;
    RangeValues values = {0};
    HED_TRY(collect_values(sim, &values, error));
    HED_TRY(create_loads(sim, &values, error));
    int32_t loads = sim->term_count;
    HED_TRY(hed_spring_term_prepare(&sim->springs, sim->ranges, values.damping, error));
    if (sim->springs.list.count > 0) {
        add_term(sim, hed_spring_term(&sim->springs), false);
    }
    if (sim->membranes.list.count > 0) {
        HED_TRY(hed_membrane_term_prepare(&sim->membranes, sim->ranges, values.material, error));
        add_term(sim, hed_membrane_term(&sim->membranes), false);
    }
    if (sim->curves.list.count > 0) {
        HED_TRY(hed_curve_term_prepare(&sim->curves, sim->ranges, values.bend_damping, error));
        add_term(sim, hed_curve_term(&sim->curves), true);
    }
    if (sim->shells.list.count > 0) {
        HED_TRY(hed_shell_term_prepare(&sim->shells, sim->ranges, values.bend_damping, error));
        add_term(sim, hed_shell_term(&sim->shells), true);
    }
    if (sim->flats.list.count > 0) {
        HED_TRY(hed_shell_term_prepare(&sim->flats, sim->ranges, values.bend_damping, error));
        add_term(sim, hed_flat_term(&sim->flats), true);
    }
    if (sim->rods) {
        sim->terms[sim->term_count++] = hed_rods_term(&sim->rods->rods);
    }
    if (sim->splines) {
        sim->terms[sim->term_count++] = hed_splines_term(&sim->splines->splines);
    }
    if (sim->ties.list.count > 0) {
        sim->terms[sim->term_count++] = hed_tie_term(&sim->ties);
    }
    sim->force_term_count = hed_sim_is_by_position(sim) ? loads : sim->term_count;
done:
    free_values(&values);
    return status;
}

static HedStatus create_contacts(HedSim* sim, HedError* error) {
    HedStatus status = HED_OK;
    HedContact deepest = {0};
    HedSurface surface = {
        .point_count = sim->x.count,
        .edges = sim->edges.data,
        .edge_count = sim->edges.count / 2,
        .triangles = sim->triangles.data,
        .triangle_count = sim->triangles.count / 3,
        .half_thickness = sim->half_thickness.data,
        .area = sim->area.data,
        .sewing = sim->sew.point,
    };
    if (sim->splines) {
        surface.spots = sim->splines->spots;
        surface.spot_count = sim->splines->spot_count;
        surface.is_hidden = sim->splines->is_control;
    }
    HED_TRY(hed_contacts_create(&sim->contacts, sim->bodies.data, sim->bodies.count, surface,
                                &sim->team, error));
    sim->contacts.goes_on = sim->start.is_moved;
    sim->has_penalty = hed_sim_has_penalty(sim);
    status = hed_contacts_check_start(&sim->contacts, sim->x.data, 0.0, &deepest, error);
    if (status == HED_INVALID) {
        static const char* const KIND[4] = {"", "an edge at ", "a face at ", "a place at "};
        char place[128];
        hed_sim_describe_point(sim, deepest.point[0], place, sizeof place);
        return hed_fail(
            error, HED_INVALID,
            "%s%s is %.3g m inside body '%s' at the start; move one of them, or set the "
            "body's 'overlap' to 'push'",
            KIND[deepest.kind], place, -deepest.distance, sim->bodies.data[deepest.body].name);
    }
    sim->contacts.only = sim->has_penalty ? HED_RESPONSE_FILTER : -1;
done:
    return status;
}

HedStatus hed_sim_prepare(HedSim* sim, HedError* error) {
    HedStatus status = HED_OK;
    if (sim->is_prepared) {
        return HED_OK;
    }
    if (sim->term_count > 0) {
        return hed_fail(error, HED_INVALID, "this simulation could not be prepared before");
    }
    if (sim->cloths.count == 0) {
        return hed_fail(error, HED_INVALID, "there is nothing to simulate: no sheet and no yarn");
    }
    if (sim->x.count > INT32_MAX / 24) {
        return hed_fail(error, HED_UNSUPPORTED, "too many points: %d", sim->x.count);
    }
    HED_TRY(create_ranges(sim, error));
    HED_TRY(allocate_common(sim, error));
    HED_TRY(hed_period_create(sim, error));
    HED_TRY(hed_sim_rods_create(sim, error));
    HED_TRY(hed_sim_splines_create(sim, error));
    HED_TRY(hed_ties_create(sim, error));
    HED_TRY(hed_yarn_dynamics_create(sim, error));
    HED_TRY(create_terms(sim, error));
    HED_TRY(hed_parts_prepare(sim, error));
    HED_TRY(hed_sim_start_parts(sim, error));
    HED_TRY(hed_sim_sew_create(sim, error));
    hed_pins_update(sim, 0.0);
    HED_TRY(create_contacts(sim, error));
    HED_TRY(hed_sim_self_create(sim, error));
    if (hed_sim_is_implicit(sim)) {
        HED_TRY(hed_implicit_create(sim, error));
    }
    if (sim->force_term_count < sim->term_count) {
        HED_TRY(hed_constraints_create(sim, error));
    }
    HED_TRY(hed_snapshots_create(sim, error));
    hed_pins_place(sim, 0.0, sim->x.data, sim->v.data);
    hed_parts_set_points(sim);
    HED_TRY(hed_sim_start_friction(sim, error));
    hed_sim_start_free(sim);
    sim->is_prepared = true;
done:
    return status;
}

// Element data once, x, v and mass once for the forces, then forces written and read, x and v read
// and written.
static int64_t bytes_of_step(const HedSim* sim) {
    if (!sim->is_prepared) {
        return 0;
    }
    int64_t springs = sim->springs.groups.count;
    int64_t curves = sim->curves.groups.count;
    int64_t per_point = 8 * sizeof(HedVec3) + 3 * sizeof(double);
    return springs * (int64_t)sizeof(HedSpringGroup) + curves * (int64_t)sizeof(HedCurveGroup) +
           sim->x.count * per_point;
}

HedSimSize hed_sim_size(const HedSim* sim) {
    HedSimSize size = {
        .points = sim->x.count,
        .springs = sim->springs.list.count,
        .bends = sim->curves.list.count + sim->shells.list.count + sim->flats.list.count,
        .triangles = sim->triangles.count / 3,
        .bodies = sim->bodies.count,
        .held_points = sim->held_count,
        .bytes = hed_alloc_stats().live_bytes,
        .step_bytes = bytes_of_step(sim),
    };
    for (int32_t k = 0; k < sim->parts.list.count; ++k) {
        const HedPart* part = &sim->parts.list.data[k];
        HedPartSize own = part->type->size(part->self);
        size.springs += own.springs;
        size.bends += own.bends;
    }
    if (sim->parts.list.count > 0) { // which know no explicit steps
        return size;
    }
    // Symplectic Euler on x'' = -w x - d x' is stable while h^2 w + 2 h d <= 4.
    HedBounds b;
    HedSimReader reader;
    if (hed_reader_open(sim, &reader, NULL) == HED_OK &&
        hed_sim_bounds(reader.sim, &b, NULL) == HED_OK) {
        double root = sqrt(b.damping * b.damping + 4.0 * b.stiffness);
        size.stable_step = b.stiffness > 0.0 ? (root - b.damping) / b.stiffness : HUGE_VAL;
    }
    hed_reader_close(&reader);
    return size;
}
