// SPDX-License-Identifier: MIT
// Creating and destroying simulations, and what is put into them.
#include "base/file.h"
#include "model/sheet/continuum.h"
#include "sim/internal.h"

#include <stdio.h>
#include <string.h>

enum {
    SIM_STAMP = 0x73696D31,
    SHEET_STAMP = 0x73687431,
    BODY_STAMP = 0x62647931,
    WIND_STAMP = 0x776E6431
};

const char* hed_integrator_name(HedIntegrator integrator) {
    static const char* const NAMES[HED_INTEGRATOR_COUNT] = {
        "explicit-euler", "symplectic-euler", "verlet", "rk4",      "implicit-euler", "pbd",
        "xpbd",           "newmark",          "bdf2",   "midpoint", "quasi-static"};
    return (unsigned)integrator < HED_INTEGRATOR_COUNT ? NAMES[integrator] : "unknown";
}

const char* hed_reason_name(HedReason reason) {
    static const char* const NAMES[HED_REASON_COUNT] = {
        "converged", "no convergence", "not finite", "yarns passed", "stopped", "sheets intersect"};
    return (unsigned)reason < HED_REASON_COUNT ? NAMES[reason] : "unknown";
}

const char* hed_phase_name(HedPhase phase) {
    static const char* const NAMES[HED_PHASE_COUNT] = {"free", "sewing", "untangling"};
    return (unsigned)phase < HED_PHASE_COUNT ? NAMES[phase] : "unknown";
}

HedSimDef hed_sim_def_default(void) {
    return (HedSimDef){
        .gravity = {0.0, -9.81, 0.0},
        .time_step = 1.0 / 300.0,
        .integrator = HED_IMPLICIT_EULER,
        .self_friction = 0.3,
        .yarn_contact = true,
        .yarn_damping = 0.1,
        .yarn_quadrature = 11,
        .spline_quadrature = 11,
        .nonrigid_size = 0.02,
        .seed = 1,
        .newton_tolerance = 1e-4,
        .newmark_beta = 0.25,
        .newmark_gamma = 0.5,
        .preconditioner = HED_PRECONDITION_AUTO,
        .newton_iterations = 30,
        .linear_tolerance = 1e-4,
        .linear_iterations = 2000,
        .pbd_iterations = 20,
        .least_step = 1.0 / 1024.0,
        .stamp = SIM_STAMP,
    };
}

static HedStatus check_sim_def(const HedSimDef* def, HedError* error) {
    if (def->stamp != SIM_STAMP) {
        return hed_fail(error, HED_INVALID, "sim def was not filled by hed_sim_def_default");
    }
    const struct {
        const char* what;
        double value;
    } positive[] = {
        {"time_step", def->time_step},
        {"newton_tolerance", def->newton_tolerance},
        {"newmark_beta", def->newmark_beta},
        {"newmark_gamma", def->newmark_gamma},
        {"newton_iterations", def->newton_iterations},
        {"linear_tolerance", def->linear_tolerance},
        {"linear_iterations", def->linear_iterations},
        {"pbd_iterations", def->pbd_iterations},
        {"least_step", def->least_step},
        {"nonrigid_size", def->nonrigid_size},
    };
    for (size_t k = 0; k < sizeof positive / sizeof positive[0]; ++k) {
        if (!(positive[k].value > 0.0 && isfinite(positive[k].value))) {
            return hed_fail(error, HED_INVALID, "'%s' must be positive, got %g", positive[k].what,
                            positive[k].value);
        }
    }
    if (!hed_is_finite3(def->gravity) || !(def->drag >= 0.0 && isfinite(def->drag))) {
        return hed_fail(error, HED_INVALID, "gravity must be finite and drag zero or more");
    }
    const struct {
        const char* what;
        double value;
    } not_negative[] = {
        {"self_friction", def->self_friction},
        {"yarn_friction", def->yarn_friction},
        {"yarn_damping", def->yarn_damping},
        {"nonrigid_rate", def->nonrigid_rate},
        {"nonrigid_slowing", def->nonrigid_slowing},
        {"nonrigid_pair_rate", def->nonrigid_pair_rate},
    };
    for (size_t k = 0; k < sizeof not_negative / sizeof not_negative[0]; ++k) {
        if (!(not_negative[k].value >= 0.0 && isfinite(not_negative[k].value))) {
            return hed_fail(error, HED_INVALID, "'%s' must be zero or more, got %g",
                            not_negative[k].what, not_negative[k].value);
        }
    }
    if (!(def->force_tolerance >= 0.0 && isfinite(def->force_tolerance)) ||
        (unsigned)def->preconditioner >= HED_PRECONDITION_COUNT ||
        (unsigned)def->constraints >= HED_CONSTRAIN_COUNT) {
        return hed_fail(error, HED_INVALID,
                        "force_tolerance must be zero or more, preconditioner and constraints "
                        "among those there are");
    }
    if ((unsigned)def->integrator >= HED_INTEGRATOR_COUNT || def->thread_count < 0) {
        return hed_fail(error, HED_INVALID, "unknown integrator or negative thread count");
    }
    return HED_OK;
}

HedStatus hed_sim_create(const HedSimDef* def, HedSim** sim, HedError* error) {
    *sim = NULL;
    HedStatus status = check_sim_def(def, error);
    if (status != HED_OK) {
        return status;
    }
    HedSim* fresh = HED_NEW(HedSim);
    if (!fresh) {
        return hed_fail_memory(error, "a simulation");
    }
    fresh->def = *def;
    fresh->def.thread_count = hed_thread_count(def->thread_count);
    // Ids of another sim are refused by this number; two sims that are alive never share an
    // address.
    fresh->stamp = (uint32_t)((uintptr_t)fresh >> 6) | 1u << 31;
    fresh->point_load = (HedPointLoad){def->gravity, def->drag};
    *sim = fresh;
    return HED_OK;
}

static void free_built(HedSim* sim) {
    for (int32_t k = 0; k < sim->cloths.count; ++k) {
        hed_free(sim->cloths.data[k].name);
        hed_free(sim->cloths.data[k].place);
        hed_free(sim->cloths.data[k].knot);
        hed_fabric_crossings_free(&sim->cloths.data[k].crossings);
        hed_panels_free(&sim->cloths.data[k]);
    }
    for (int32_t k = 0; k < sim->bodies.count; ++k) {
        hed_body_free(&sim->bodies.data[k]);
    }
    hed_pins_free(sim);
    hed_ties_free(sim);
    hed_free(sim->x.data);
    hed_free(sim->v.data);
    hed_free(sim->mass.data);
    hed_free(sim->area.data);
    hed_free(sim->half_thickness.data);
    hed_free(sim->rest.data);
    hed_free(sim->triangles.data);
    hed_free(sim->wind_triangles.data);
    hed_free(sim->edges.data);
    hed_free(sim->cloths.data);
    hed_free(sim->strand_list.data);
    hed_region_lists_free(&sim->blocks);
    hed_region_lists_free(&sim->pairs);
    hed_free(sim->turn_list.data);
    hed_period_free(sim);
    hed_free(sim->bodies.data);
    hed_spring_term_free(&sim->springs);
    hed_curve_term_free(&sim->curves);
    hed_membrane_term_free(&sim->membranes);
    hed_shell_term_free(&sim->shells);
    hed_shell_term_free(&sim->flats);
    hed_wind_term_free(&sim->wind);
}

void hed_sim_destroy(HedSim* sim) {
    if (!sim) {
        return;
    }
    hed_yarn_dynamics_free(sim);
    hed_sim_touches_free(sim);
    hed_retract_free(sim);
    hed_free(sim->pulls.data);
    hed_free(sim->load);
    hed_sim_rods_free(sim);
    hed_sim_splines_free(sim);
    hed_parts_free(sim);
    hed_sim_self_free(sim);
    hed_contacts_free(&sim->contacts);
    hed_implicit_free(sim);
    hed_constraints_free(&sim->constraints);
    hed_sim_sew_free(sim);
    hed_sim_start_free(sim);
    free_built(sim);
    hed_free((void*)(uintptr_t)sim->ranges.first);
    hed_free(sim->rayleigh);
    hed_free(sim->is_exact);
    hed_free(sim->team.partial);
    hed_free(sim->inverse_mass);
    hed_free(sim->force);
    hed_snapshots_free(sim);
    hed_free(sim->acceleration);
    hed_free(sim->x_previous);
    hed_free(sim->v_previous);
    for (int k = 0; k < 4; ++k) {
        hed_free(sim->stage[k]);
    }
    hed_free(sim->contact_force);
    hed_free(sim->range_power);
    hed_free(sim->range_peak);
    hed_free(sim->range_energy);
    hed_free(sim);
}

HedStatus hed_sim_check_id(const HedSim* sim, int32_t index, uint32_t stamp, int32_t count,
                           const char* what, HedError* error) {
    if (stamp != sim->stamp || index < 1 || index > count) {
        return hed_fail(error, HED_INVALID, "this simulation has no such %s", what);
    }
    return HED_OK;
}

HedStatus hed_sim_check_open(const HedSim* sim, uint32_t stamp, uint32_t expected, const char* what,
                             HedError* error) {
    if (stamp != expected) {
        return hed_fail(error, HED_INVALID, "%s def was not filled by its default function", what);
    }
    if (sim->is_prepared) {
        return hed_fail(error, HED_INVALID, "a %s cannot be added after the first step", what);
    }
    return HED_OK;
}

HedSheetDef hed_sheet_def_default(void) {
    return (HedSheetDef){
        .name = "sheet",
        .density = 0.15,
        .stretch = 300.0,
        .shear = 60.0,
        .bending = HED_BENDING_CURVATURE,
        .bend_stretch = 30.0,
        .bend_rigidity = 5e-6,
        .poisson = 0.3,
        .damping = 1e-3,
        .bend_damping = HUGE_VAL,
        .thickness = 1e-3,
        .stamp = SHEET_STAMP,
    };
}

// Appends the elements, whose points count from base; there is room for them.
static void append_elements(HedSim* sim, const HedSheetDef* def, const HedSheetParts* parts,
                            int32_t base) {
    for (int32_t k = 0; k < parts->springs.count; ++k) {
        HedSpring spring = parts->springs.data[k];
        spring.a += base;
        spring.b += base;
        sim->springs.list.data[sim->springs.list.count++] = spring;
    }
    for (int32_t k = 0; k < parts->curves.count; ++k) {
        HedBend curve = parts->curves.data[k];
        for (int m = 0; m < 3; ++m) {
            curve.point[m] += base;
        }
        sim->curves.list.data[sim->curves.list.count++] = curve;
    }
    for (int32_t k = 0; k < parts->membranes.count; ++k) {
        HedMembrane membrane = parts->membranes.data[k];
        for (int m = 0; m < 3; ++m) {
            membrane.point[m] += base;
        }
        sim->membranes.list.data[sim->membranes.list.count++] = membrane;
    }
    HedShellTerm* shells = def->bending == HED_BENDING_FLAT ? &sim->flats : &sim->shells;
    for (int32_t k = 0; k < parts->shells.count; ++k) {
        HedShellElement shell = parts->shells.data[k];
        for (int m = 0; m < HED_SHELL_POINTS; ++m) {
            shell.point[m] += base;
        }
        shells->list.data[shells->list.count++] = shell;
    }
}

// Appends the sheet's parts to the arrays of the simulation; all room is made before anything is
// written.
static HedStatus append_parts(HedSim* sim, const HedSheetDef* def, const HedSheetParts* parts,
                              HedError* error) {
    int32_t n = parts->point_count;
    int32_t base = sim->x.count;
    if (!HED_RESERVE(&sim->x, n) || !HED_RESERVE(&sim->v, n) || !HED_RESERVE(&sim->mass, n) ||
        !HED_RESERVE(&sim->area, n) || !HED_RESERVE(&sim->half_thickness, n) ||
        !HED_RESERVE(&sim->rest, n) ||
        !HED_RESERVE(&sim->triangles, 3 * (int64_t)parts->triangle_count) ||
        !HED_RESERVE(&sim->wind_triangles, 3 * (int64_t)parts->wind_count) ||
        !HED_RESERVE(&sim->edges, 2 * (int64_t)parts->edge_count) ||
        !HED_RESERVE(&sim->springs.list, parts->springs.count) ||
        !HED_RESERVE(&sim->curves.list, parts->curves.count) ||
        !HED_RESERVE(&sim->membranes.list, parts->membranes.count) ||
        !HED_RESERVE(&sim->shells.list, parts->shells.count) ||
        !HED_RESERVE(&sim->flats.list, parts->shells.count) || !HED_RESERVE(&sim->cloths, 1)) {
        return hed_fail_memory(error, "a sheet");
    }
    const HedVec3* rest = def->rest_vertices ? def->rest_vertices : def->vertices;
    for (int32_t k = 0; k < n; ++k) {
        sim->x.data[sim->x.count++] = def->vertices[parts->order[k]];
        sim->rest.data[sim->rest.count++] = rest[parts->order[k]];
        sim->v.data[sim->v.count++] = def->velocity;
        sim->mass.data[sim->mass.count++] = def->density * parts->area[k];
        sim->area.data[sim->area.count++] = parts->area[k];
        sim->half_thickness.data[sim->half_thickness.count++] = 0.5 * def->thickness;
    }
    for (int32_t k = 0; k < 3 * parts->triangle_count; ++k) {
        sim->triangles.data[sim->triangles.count++] = base + parts->triangles[k];
    }
    for (int32_t k = 0; k < 3 * parts->wind_count; ++k) {
        sim->wind_triangles.data[sim->wind_triangles.count++] = base + parts->wind_triangles[k];
    }
    for (int32_t k = 0; k < 2 * parts->edge_count; ++k) {
        sim->edges.data[sim->edges.count++] = base + parts->edges[k];
    }
    append_elements(sim, def, parts, base);
    return HED_OK;
}

HedStatus hed_sheet_create(HedSim* sim, const HedSheetDef* def, HedSheetId* id, HedError* error) {
    HedStatus status = HED_OK;
    HedSheetParts parts = {0};
    bool rayleigh = def->damping_model != HED_DAMPING_POTENTIAL;
    double bend = isinf(def->bend_damping) ? def->damping : def->bend_damping;
    HedCloth sheet = {.damping = rayleigh ? 0.0 : def->damping,
                      .bend_damping = rayleigh ? 0.0 : bend,
                      .rayleigh = rayleigh ? def->damping : 0.0,
                      .bend_rayleigh = rayleigh ? bend : 0.0,
                      .is_exact = def->damping_model == HED_DAMPING_RAYLEIGH,
                      .material = hed_membrane_material(def),
                      .wind_share = def->grid_columns > 0 ? 0.5 : 1.0,
                      .half_thickness = 0.5 * def->thickness,
                      .tie_stiffness = def->stretch,
                      .sewing_time = def->sewing_time};
    HED_TRY(hed_sim_check_open(sim, def->stamp, SHEET_STAMP, "sheet", error));
    HED_TRY(hed_sheet_parts_create(def, &parts, error));
    sheet.name = hed_text_copy(def->name ? def->name : "sheet");
    if (!sheet.name) {
        status = hed_fail_memory(error, "a sheet");
        goto done;
    }
    sheet.first_point = sim->x.count;
    sheet.point_count = sheet.vertex_count = parts.point_count;
    sheet.first_triangle = sim->triangles.count / 3;
    sheet.triangle_count = parts.triangle_count;
    sheet.first_membrane = sim->membranes.list.count;
    sheet.membrane_count = parts.membranes.count;
    HED_TRY(hed_panels_copy(&sheet, def, error));
    HED_TRY(append_parts(sim, def, &parts, error));
    sheet.place = parts.place;
    parts.place = NULL;
    for (int32_t k = 0; k < sheet.point_count; ++k) {
        sheet.place[k] += sheet.first_point;
    }
    sim->cloths.data[sim->cloths.count++] = sheet;
    sheet = (HedCloth){0};
    *id = (HedSheetId){sim->cloths.count, sim->stamp};
done:
    hed_free(sheet.name);
    hed_panels_free(&sheet);
    hed_sheet_parts_free(&parts);
    return status;
}

const char* hed_response_name(HedResponse response) {
    static const char* const NAMES[HED_RESPONSE_COUNT] = {"filter", "penalty"};
    return (unsigned)response < HED_RESPONSE_COUNT ? NAMES[response] : "unknown";
}

HedBodyDef hed_body_def_default(void) {
    return (HedBodyDef){
        .name = "body",
        .shape = HED_SPHERE,
        .radius = 0.1,
        .minor_radius = 0.02,
        .half_length = 0.1,
        .half_size = {0.1, 0.1, 0.1},
        .friction = 0.3,
        .overlap = HED_OVERLAP_REFUSE,
        .push_speed = 0.1,
        .stiffness = 3e6,
        .stamp = BODY_STAMP,
    };
}

HedStatus hed_body_create(HedSim* sim, const HedBodyDef* def, HedBodyId* id, HedError* error) {
    HedStatus status = HED_OK;
    HedBody body = {0};
    HED_TRY(hed_sim_check_open(sim, def->stamp, BODY_STAMP, "body", error));
    HED_TRY(hed_body_init(&body, def, error));
    if (!HED_APPEND(&sim->bodies, body)) {
        hed_body_free(&body);
        status = hed_fail_memory(error, "a body");
        goto done;
    }
    *id = (HedBodyId){sim->bodies.count, sim->stamp};
done:
    return status;
}

HedWindDef hed_wind_def_default(void) {
    return (HedWindDef){
        .density = 1.2,
        .normal_drag = 1.2,
        .tangent_drag = 0.02,
        .gust_length = 2.0,
        .stamp = WIND_STAMP,
    };
}

HedStatus hed_sim_set_wind(HedSim* sim, const HedWindDef* def, HedError* error) {
    HedStatus status = hed_sim_check_open(sim, def->stamp, WIND_STAMP, "wind", error);
    if (status != HED_OK) {
        return status;
    }
    bool ok = hed_is_finite3(def->velocity) && def->density >= 0.0 && def->normal_drag >= 0.0 &&
              def->tangent_drag >= 0.0 && def->gust >= 0.0 && def->gust_length > 0.0 &&
              isfinite(def->density + def->normal_drag + def->tangent_drag + def->gust +
                       def->gust_length);
    if (!ok) {
        return hed_fail(error, HED_INVALID,
                        "wind: velocity must be finite, gust_length positive, others zero or more");
    }
    sim->wind.velocity = def->velocity;
    sim->wind.gust = def->gust;
    sim->wind.air = (HedAir){.normal = def->density * def->normal_drag,
                             .tangent = def->density * def->tangent_drag};
    hed_wind_term_gusts(&sim->wind, def->gust_length, sim->def.seed);
    sim->has_wind = true;
    return HED_OK;
}
