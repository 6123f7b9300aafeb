// SPDX-License-Identifier: MIT
// Starting from the state of another simulation, and how a state's points are told apart.
#include "sim/start.h"
#include "base/alloc.h"
#include "sim/internal.h"

#include <inttypes.h>
#include <string.h>

enum { START_STAMP = 0x73747231 };

HedStartDef hed_start_def_default(void) {
    return (HedStartDef){.stamp = START_STAMP};
}

// --- positions and velocities ---

// Control points of splines through vertices. The way from one to the other is linear, so
// velocities go it too.
static HedStatus interpolate(const HedSim* sim, const HedCloth* cloth, const HedVec3* vertices,
                             HedVec3* points, HedError* error) {
    HedStatus status = HED_OK;
    for (int32_t c = 0; c < cloth->curve_count && status == HED_OK; ++c) {
        const HedCurve* strand = &sim->strand_list.data[cloth->first_curve + c];
        int32_t count = hed_strand_vertex_count(sim, cloth->first_curve + c, HED_YARN_SPLINE);
        status = hed_spline_interpolate(vertices, count, strand->is_closed, points + strand->first,
                                        error);
        vertices += count;
    }
    return status;
}

static HedStatus put(const HedSim* sim, const HedCloth* cloth, const HedStartDef* def,
                     const HedVec3* values, HedVec3* points, HedError* error) {
    if (def->are_controls) {
        memcpy(points + cloth->first_point, values, sizeof *values * (size_t)cloth->point_count);
        return HED_OK;
    }
    if (cloth->knot) {
        return interpolate(sim, cloth, values, points, error);
    }
    for (int32_t k = 0; k < cloth->vertex_count; ++k) {
        points[cloth->place[k]] = values[k];
    }
    return HED_OK;
}

static HedStatus check_values(const HedCloth* cloth, const HedStartDef* def, const HedVec3* values,
                              const char* what, HedError* error) {
    int32_t count = def->are_controls ? cloth->point_count : cloth->vertex_count;
    for (int32_t k = 0; values && k < count; ++k) {
        if (!hed_is_finite3(values[k])) {
            return hed_fail(error, HED_INVALID,
                            "'%s': the %s of vertex %" PRId32 " at the start is not finite",
                            cloth->name, what, k);
        }
    }
    return HED_OK;
}

HedStatus hed_sim_start(HedSim* sim, const HedStartDef* def, HedError* error) {
    HedStatus status = HED_OK;
    HED_TRY(hed_sim_check_open(sim, def->stamp, START_STAMP, "start", error));
    const HedCloth* cloth = hed_sim_find_cloth(sim, def->sheet, def->yarns, error);
    if (!cloth) {
        return HED_INVALID;
    }
    if (sim->pins.count > 0 || sim->ties.list.count > 0) {
        return hed_fail(error, HED_INVALID,
                        "'%s': a start comes before pins and glue, which take hold of it",
                        cloth->name);
    }
    if (hed_period_goes_on(sim, cloth)) {
        return hed_fail(error, HED_UNSUPPORTED, "'%s' repeats and cannot start from another state",
                        cloth->name);
    }
    if (!def->positions || (def->are_controls && !cloth->knot)) {
        return hed_fail(error, HED_INVALID,
                        "'%s': a start needs positions; only splines have "
                        "control points",
                        cloth->name);
    }
    HED_TRY(check_values(cloth, def, def->positions, "position", error));
    HED_TRY(check_values(cloth, def, def->velocities, "velocity", error));
    HED_TRY(put(sim, cloth, def, def->positions, sim->x.data, error));
    if (def->velocities) {
        HED_TRY(put(sim, cloth, def, def->velocities, sim->v.data, error));
    }
    sim->start.is_moved = true;
done:
    return status;
}

// --- memory ---

static HedStartArray* array_of(HedSimStart* start, const char* name) {
    const struct {
        const char* name;
        HedStartArray* array;
    } all[] = {{"rods", &start->rods},
               {"sliding", &start->parts},
               {"rows", &start->rows},
               {"yarn_pairs", &start->yarn_pairs},
               {"yarn_strains", &start->yarn_strains}};
    for (size_t k = 0; k < sizeof all / sizeof all[0]; ++k) {
        if (strcmp(all[k].name, name) == 0) {
            return all[k].array;
        }
    }
    return NULL;
}

static bool is_finite_row(const HedStartArray* array) {
    const double* value = array->data;
    for (int64_t k = 0; k < array->bytes / (int64_t)sizeof *value; ++k) {
        if (!isfinite(value[k])) {
            return false;
        }
    }
    return true;
}

HedStatus hed_sim_start_memory(HedSim* sim, const HedSnapshotArray* arrays, int32_t count,
                               bool is_at_rest, HedError* error) {
    HedSimStart* start = &sim->start;
    if (sim->is_prepared) {
        return hed_fail(error, HED_INVALID, "a start cannot be given after the first step");
    }
    start->is_at_rest = is_at_rest;
    for (int32_t k = 0; k < count; ++k) {
        HedStartArray* array = array_of(start, arrays[k].name);
        if (!array) {
            continue;
        }
        hed_free(array->data);
        *array = (HedStartArray){HED_NEW_ARRAY(uint8_t, arrays[k].bytes), arrays[k].bytes};
        if (!array->data) {
            return hed_fail_memory(error, "the start");
        }
        if (array->bytes > 0) {
            memcpy(array->data, arrays[k].data, (size_t)array->bytes);
        }
    }
    bool ok = is_finite_row(&start->rods) && is_finite_row(&start->parts) &&
              is_finite_row(&start->yarn_strains);
    return ok ? HED_OK : hed_fail(error, HED_PARSE, "the state to start from is not finite");
}

void hed_sim_start_free(HedSim* sim) {
    HedSimStart* start = &sim->start;
    HedStartArray* const all[] = {&start->rods, &start->parts, &start->rows, &start->yarn_pairs,
                                  &start->yarn_strains};
    for (size_t k = 0; k < sizeof all / sizeof all[0]; ++k) {
        hed_free(all[k]->data);
        *all[k] = (HedStartArray){0};
    }
}

static HedStatus fail_size(const char* what, int64_t bytes, int64_t expected, HedError* error) {
    return hed_fail(error, HED_INVALID,
                    "the state to start from has %" PRId64
                    " bytes of %s, these yarns need %" PRId64,
                    bytes, what, expected);
}

HedStatus hed_sim_start_rods(HedSim* sim, HedError* error) {
    const HedStartArray* from = &sim->start.rods;
    HedRods* rods = &sim->rods->rods;
    int64_t bytes = (int64_t)sizeof(double) * rods->state_count;
    if (!from->data) {
        return HED_OK;
    }
    if (from->bytes != bytes) {
        return fail_size("rods", from->bytes, bytes, error);
    }
    memcpy(rods->state, from->data, (size_t)bytes);
    return HED_OK;
}

HedStatus hed_sim_start_parts(HedSim* sim, HedError* error) {
    const HedParts* own = &sim->parts;
    const HedStartArray* rows = &sim->start.rows;
    const double* state = sim->start.parts.data;
    int64_t left = sim->start.parts.bytes / (int64_t)sizeof *state;
    const int32_t* row = rows->data;
    int64_t rows_needed = (int64_t)sizeof *row * sim->x.count;
    if (!state) {
        return HED_OK;
    }
    if (!row || rows->bytes != rows_needed) {
        return fail_size("rows", row ? rows->bytes : 0, rows_needed, error);
    }
    if (own->list.count > 1 && left != own->state_count) {
        return fail_size("sliding yarns", sim->start.parts.bytes,
                         (int64_t)sizeof *state * own->state_count, error);
    }
    HedStatus status = HED_OK;
    for (int32_t k = 0; k < own->list.count && status == HED_OK; ++k) {
        const HedPart* part = &own->list.data[k];
        // Of one part alone, the solver's share may be of another size: solvers may differ.
        int64_t count = own->list.count > 1 ? part->type->state_count(part->self) : left;
        status = part->type->start(part->self, state, count, row + part->first_point,
                                   sim->start.is_at_rest, error);
        state += count;
    }
    if (status == HED_OK) {
        hed_parts_get_points(sim);
    }
    return status;
}

static HedStatus take_friction(HedSim* sim, const char* name, const HedStartArray* from,
                               HedError* error) {
    HedSnapshotArray array = {.name = name};
    HedStatus status = hed_sim_snapshot_resize(sim, from->bytes, &array, error);
    if (status == HED_OK && from->bytes > 0) {
        memcpy(array.data, from->data, (size_t)from->bytes);
    }
    return status;
}

HedStatus hed_sim_start_friction(HedSim* sim, HedError* error) {
    HedStatus status = HED_OK;
    const HedSimStart* start = &sim->start;
    bool has_friction =
        sim->yarn_dynamics && sim->yarn_dynamics->has_contact && sim->def.yarn_friction > 0.0;
    if (has_friction && start->yarn_pairs.data && start->yarn_strains.data) {
        HED_TRY(take_friction(sim, "yarn_pairs", &start->yarn_pairs, error));
        HED_TRY(take_friction(sim, "yarn_strains", &start->yarn_strains, error));
        HED_TRY(hed_yarn_dynamics_restore(sim, &sim->told.friction, error));
    }
done:
    return status;
}

// --- layout ---

static int32_t kind_of(const HedCloth* cloth) {
    static const HedStateKind KIND[HED_YARN_MODEL_COUNT] = {
        [HED_YARN_ROD] = HED_STATE_ROD,
        [HED_YARN_SPLINE] = HED_STATE_SPLINE,
        [HED_YARN_SLIDING] = HED_STATE_SLIDING,
    };
    return cloth->is_yarns ? (int32_t)KIND[cloth->yarn.model] : (int32_t)HED_STATE_SHEET;
}

HedStatus hed_sim_layout(const HedSim* sim, HedStateLayout* layout, HedError* error) {
    int64_t vertices = 0;
    for (int32_t k = 0; k < sim->cloths.count; ++k) {
        vertices += sim->cloths.data[k].vertex_count;
    }
    *layout = (HedStateLayout){0};
    layout->parts = HED_NEW_ARRAY(HedStatePart, sim->cloths.count);
    layout->place = HED_NEW_ARRAY(int32_t, vertices);
    if (!layout->parts || !layout->place) {
        hed_state_layout_free(layout);
        return hed_fail_memory(error, "the layout of a state");
    }
    for (int32_t k = 0; k < sim->cloths.count; ++k) {
        const HedCloth* cloth = &sim->cloths.data[k];
        if (cloth->is_yarns && cloth->curve_count == 0) {
            continue; // the period
        }
        layout->parts[layout->part_count++] = (HedStatePart){
            kind_of(cloth), cloth->first_point, cloth->point_count, cloth->vertex_count};
        const HedPart* part = hed_cloth_part(sim, cloth);
        for (int32_t i = 0; i < cloth->vertex_count; ++i) {
            layout->place[layout->place_count++] =
                part ? part->type->row(part->self, i) : cloth->place[i];
        }
    }
    return HED_OK;
}

void hed_state_layout_free(HedStateLayout* layout) {
    hed_free(layout->parts);
    hed_free(layout->place);
    *layout = (HedStateLayout){0};
}
