// SPDX-License-Identifier: MIT
#include "sim/yarn_dynamics.h"
#include "contact/kernel_friction.h"
#include "contact/yarn_ccd.h"
#include "sim/profile.h"

#include <string.h>

static const double PI = 3.14159265358979323846;

// Which set a strand belongs to.
static const HedCloth* set_of(const HedSim* sim, int32_t strand) {
    return hed_sim_cloth_at(sim, sim->strand_list.data[strand].first);
}

// N/m, of the contact integral. Without a number of its own a yarn is as hard across as a tenth of
// its modulus along, EA over its section, says.
static double contact_stiffness(const HedYarnsDef* yarn, double radius) {
    if (yarn->contact > 0.0) {
        return yarn->contact;
    }
    double modulus = yarn->stretch / (PI * radius * radius);
    return hed_yarn_stiffness(radius, hed_yarn_transverse_modulus(modulus));
}

typedef HedYarnBuild Build;

// m, of a strand's k-th segment.
static double rest_length(const HedSim* sim, int32_t index, HedYarnModel model, int32_t k) {
    const HedCurve* strand = &sim->strand_list.data[index];
    if (model == HED_YARN_SPLINE) {
        const HedSplines* splines = &sim->splines->splines;
        int32_t y = hed_sim_splines_find(sim, strand->first);
        return splines->length[splines->yarn[y].first_segment + k];
    }
    if (hed_turns_on(hed_strand_turns(sim, index))) {
        k += 1; // the first point is a copy
    }
    return hed_distance3(sim->rest.data[strand->first + k],
                         sim->rest.data[strand->first + (k + 1) % strand->count]);
}

static void add_strand(const HedSim* sim, int32_t index, Build* build) {
    const HedCurve* strand = &sim->strand_list.data[index];
    const HedYarnsDef* yarn = &set_of(sim, index)->yarn;
    const HedCubicBasis basis =
        yarn->model == HED_YARN_SPLINE ? HED_CUBIC_BSPLINE : HED_CUBIC_CATMULL_ROM;
    bool goes_on = hed_turns_on(hed_strand_turns(sim, index));
    int32_t count = goes_on ? strand->count - HED_YARN_ENDS
                            : hed_cubic_count(basis, strand->count, strand->is_closed);
    build->curves[index] = (HedYarnCurve){
        .basis = basis,
        .first_segment = build->segment_count,
        .segment_count = count,
        .is_closed = strand->is_closed,
        .radius = strand->radius,
        .stiffness = contact_stiffness(yarn, strand->radius),
    };
    build->leads[index] = (HedYarnLead){index, 0.0};
    build->curve_count = index + 1;
    for (int32_t k = 0; k < count; ++k) {
        int32_t p = strand->first + k;
        build->segments[build->segment_count] =
            goes_on ? (HedCubicSegment){{p, p + 1, p + 2, p + 3}, HED_CUBIC_INNER}
                    : hed_cubic_segment(basis, strand->first, strand->count, strand->is_closed, k);
        build->rest[build->segment_count] = rest_length(sim, index, yarn->model, k);
        build->segment_count += 1;
    }
}

// One number for all contacts: that of the yarn which needs most for the ratio asked for.
static double contact_damping(const HedSim* sim, const HedYarnCurve* curves) {
    double most = 0.0;
    for (int32_t k = 0; k < sim->strand_list.count; ++k) {
        const HedYarnsDef* yarn = &set_of(sim, k)->yarn;
        most = fmax(most, hed_yarn_damping(curves[k].stiffness, curves[k].radius,
                                           yarn->linear_density, sim->def.yarn_damping));
    }
    return most;
}

// Quadrature points of a segment may not be further apart than the radius: yarns that cross between
// points would not feel each other. There are at most as many as the contact has room for.
static int32_t points_needed(const Build* build, int32_t curve_count) {
    double most = 0.0;
    for (int32_t c = 0; c < curve_count; ++c) {
        const HedYarnCurve* curve = &build->curves[c];
        for (int32_t k = 0; k < curve->segment_count; ++k) {
            most = fmax(most, build->rest[curve->first_segment + k] / curve->radius);
        }
    }
    double count = 1.0 + 2.0 * ceil(0.5 * most);
    return (int32_t)fmin(count, (double)HED_YARN_POINTS_MOST);
}

// Next to a segment more than four times as long the curve through the points would run past its
// end and come back: there it is straight.
static void straighten_uneven(const HedYarnCurve* curve, Build* build) {
    const double most = 4.0;
    int32_t n = curve->segment_count;
    const double* rest = build->rest + curve->first_segment;
    for (int32_t k = 0; k < n; ++k) {
        bool has_both = curve->is_closed;
        double before = k > 0 || has_both ? rest[(k + n - 1) % n] : 0.0;
        double after = k + 1 < n || has_both ? rest[(k + 1) % n] : 0.0;
        if (fmax(before, after) > most * rest[k]) {
            build->segments[curve->first_segment + k].place = HED_CUBIC_ONLY;
        }
    }
}

// Centre lines that start nearer than this part of touching are taken to be in each other.
static const double MERGED = 0.5;

static HedStatus create_contact(HedSim* sim, HedYarnDynamics* own, HedError* error) {
    HedStatus status = HED_OK;
    int32_t n = hed_period_spread_count(sim); // no strand has more segments than points
    int64_t copies = n / sim->x.count;
    Build build = {.segments = HED_NEW_ARRAY(HedCubicSegment, n),
                   .rest = HED_NEW_ARRAY(double, n),
                   .curves = HED_NEW_ARRAY(HedYarnCurve, copies * sim->strand_list.count),
                   .leads = HED_NEW_ARRAY(HedYarnLead, copies * sim->strand_list.count)};
    if (!build.segments || !build.rest || !build.curves || !build.leads) {
        status = hed_fail_memory(error, "contact of yarns");
        goto done;
    }
    for (int32_t k = 0; k < sim->strand_list.count; ++k) {
        add_strand(sim, k, &build);
        if (build.curves[k].basis == HED_CUBIC_CATMULL_ROM) {
            straighten_uneven(&build.curves[k], &build);
        }
    }
    HedYarnContactDef def = hed_yarn_contact_def_default();
    def.own_count = build.segment_count;
    def.quadrature =
        hed_max_i32(sim->def.yarn_quadrature, points_needed(&build, sim->strand_list.count));
    if (sim->period) {
        hed_copies_add_images(&sim->period->copies, sim->turn_list.data, &build);
    }
    def.point_count = n;
    def.segments = build.segments;
    def.rest_length = build.rest;
    def.segment_count = build.segment_count;
    def.curves = build.curves;
    def.curve_count = build.curve_count;
    def.leads = build.leads;
    bool is_static = sim->def.integrator == HED_QUASI_STATIC;
    def.damping_along = is_static ? 0.0 : contact_damping(sim, build.curves);
    def.damping_across = 0.0; // it would change angular momentum; friction does that work
    def.friction = sim->def.yarn_friction;
    def.friction_law = def.friction > 0.0 ? HED_YARN_STICTION : HED_YARN_NO_FRICTION;
    def.team = &sim->team;
    HED_TRY(hed_yarn_contact_create(&own->contact, &def, error));
    HED_TRY(hed_yarn_merge(&own->contact, hed_period_spread(sim, HED_YARN_ROOM_X, sim->rest.data),
                           MERGED, error));
    hed_sim_sweep_note(sim, own->contact.merged.data, own->contact.merged.count);
    own->has_contact = true;
    own->least_reach = HUGE_VAL;
    for (int32_t k = 0; k < sim->strand_list.count; ++k) {
        own->least_reach = fmin(own->least_reach, 2.0 * sim->strand_list.data[k].radius);
    }
done:
    hed_free(build.segments);
    hed_free(build.rest);
    hed_free(build.curves);
    hed_free(build.leads);
    return status;
}

// Chains of the yarns that keep their length in explicit steps.
static HedStatus create_lengths(HedSim* sim, HedYarnDynamics* own, HedError* error) {
    HedStatus status = HED_OK;
    HedChain* chains = HED_NEW_ARRAY(HedChain, sim->strand_list.count);
    double* length = HED_NEW_ARRAY(double, sim->x.count);
    int32_t chain_count = 0;
    int32_t segment_count = 0;
    if (!chains || !length) {
        status = hed_fail_memory(error, "lengths of yarns");
        goto done;
    }
    for (int32_t k = 0; k < sim->strand_list.count; ++k) {
        const HedCurve* strand = &sim->strand_list.data[k];
        const HedYarnsDef* yarn = &set_of(sim, k)->yarn;
        if (!yarn->inextensible || yarn->model != HED_YARN_ROD) {
            continue;
        }
        chains[chain_count++] = (HedChain){strand->first, strand->count, strand->is_closed, 0};
        for (int32_t s = 0; s < hed_curve_segment_count(strand); ++s) {
            int32_t b = strand->first + (s + 1) % strand->count;
            length[segment_count++] =
                hed_distance3(sim->rest.data[strand->first + s], sim->rest.data[b]);
        }
    }
    own->has_lengths = chain_count > 0 && !hed_sim_is_implicit(sim);
    if (own->has_lengths) {
        HED_TRY(hed_lengths_create(&own->lengths, chains, chain_count, length, error));
    }
done:
    hed_free(chains);
    hed_free(length);
    return status;
}

// Damping of stretching beyond that of the fastest oscillation of the elements (half of critical)
// would make explicit steps many times smaller, and damps nothing that could be seen.
static HedStatus bounds_of_explicit(HedSim* sim, HedBounds* bounds, HedError* error) {
    HedStatus status = hed_sim_bounds(sim, bounds, error);
    double stiffness = bounds->stiffness;
    for (int32_t k = 0; k < sim->cloths.count && stiffness > 0.0; ++k) {
        HedCloth* yarns = &sim->cloths.data[k];
        if (yarns->is_yarns) {
            yarns->damping = fmin(yarns->damping, 1.0 / sqrt(stiffness));
        }
    }
    if (sim->splines && stiffness > 0.0) {
        hed_splines_limit_damping(&sim->splines->splines, 1.0 / sqrt(stiffness));
    }
    return status == HED_OK ? hed_sim_bounds(sim, bounds, error) : status;
}

HedStatus hed_yarn_dynamics_create(HedSim* sim, HedError* error) {
    HedStatus status = HED_OK;
    if (sim->strand_list.count == 0) {
        return HED_OK;
    }
    HedYarnDynamics* own = sim->yarn_dynamics = HED_NEW(HedYarnDynamics);
    if (own) {
        own->scratch = HED_NEW_ARRAY(HedVec3, hed_period_spread_count(sim));
        own->rated = HED_NEW_ARRAY(HedVec3, hed_period_spread_count(sim));
    }
    if (!own || !own->scratch || !own->rated) {
        return hed_fail_memory(error, "yarns");
    }
    if (sim->def.yarn_contact) {
        HED_TRY(create_contact(sim, own, error));
    }
    HED_TRY(create_lengths(sim, own, error));
    HED_TRY(hed_sim_regions_create(sim, own, error));
    if (!hed_sim_is_implicit(sim)) {
        HedBounds bounds;
        HED_TRY(bounds_of_explicit(sim, &bounds, error));
        own->stiffness = bounds.stiffness;
        own->damping = bounds.damping;
    }
done:
    return status;
}

void hed_yarn_dynamics_free(HedSim* sim) {
    HedYarnDynamics* own = sim->yarn_dynamics;
    if (own) {
        hed_yarn_contact_free(&own->contact);
        hed_lengths_free(&own->lengths);
        hed_sim_regions_free(own);
        hed_free(own->scratch);
        hed_free(own->rated);
        hed_free(own);
    }
}

// All forces at a state; is_rated: the size of the next pieces is found as well.
static HedStatus evaluate(HedSim* sim, HedYarnState at, bool is_rated, HedVec3* force,
                          HedYarnSum* sum, HedError* error) {
    HedYarnDynamics* own = sim->yarn_dynamics;
    *sum = (HedYarnSum){.deepest = 1.0};
    if (!own || !own->has_contact) {
        return HED_OK;
    }
    double begin = hed_stage_begin(sim);
    at.x = hed_period_spread(sim, HED_YARN_ROOM_X, at.x);
    at.v = hed_period_spread(sim, HED_YARN_ROOM_V, at.v);
    HedStatus status = is_rated ? hed_yarn_update_ahead(&own->contact, at.x, HED_NEARLY, error)
                                : hed_yarn_update(&own->contact, at.x, error);
    hed_stage_end(sim, HED_STAGE_YARN_SEARCH, begin);
    if (status != HED_OK) {
        return status;
    }
    begin = hed_stage_begin(sim);
    HedVec3* all = hed_period_open(sim, force);
    *sum = is_rated ? hed_yarn_dynamics_add_force_rated(sim, at, all)
                    : hed_yarn_add_force(&own->contact, at, all);
    hed_period_close(sim, force);
    hed_stage_end(sim, HED_STAGE_YARN_CONTACT, begin);
    if (sim->profile) {
        sim->profile->yarn_pairs += own->contact.counts.point_pairs;
    }
    return HED_OK;
}

// In statics nothing moves for the forces, but friction sees the way that is gone.
static const HedVec3* way_of(const HedSim* sim, const HedVec3* v) {
    return sim->def.integrator == HED_QUASI_STATIC ? sim->implicit.v_trial : v;
}

double hed_yarn_dynamics_add_force(HedSim* sim, const HedVec3* x, const HedVec3* v,
                                   HedVec3* force) {
    HedYarnDynamics* own = sim->yarn_dynamics;
    HedYarnSum sum;
    if (!own) {
        return 0.0;
    }
    HedYarnState at = {x, way_of(sim, v), own->ahead};
    hed_sim_note(sim, evaluate(sim, at, own->wants_rate, force, &sum, &sim->why));
    own->deepest = sum.deepest;
    own->energy = sum.energy;
    return sum.damped;
}

HedStatus hed_yarn_dynamics_measure(HedSim* sim, const HedVec3* v, HedVec3* force, HedYarnSum* sum,
                                    HedError* error) {
    HedYarnState at = {sim->x.data, v, sim->yarn_dynamics ? sim->yarn_dynamics->ahead : 0.0};
    return evaluate(sim, at, false, force, sum, error);
}

void hed_yarn_dynamics_begin(HedSim* sim, double h) {
    if (sim->yarn_dynamics) {
        // Contacts that stick damp explicit steps if they look a few of them ahead.
        sim->yarn_dynamics->ahead = hed_sim_is_implicit(sim) ? h : 3.0 * h;
        // On the way to rest each correction begins anew, and what the bound holds back adds up.
        bool moves = sim->def.integrator != HED_QUASI_STATIC;
        sim->yarn_dynamics->contact.slip_begins = moves ? 1.0 : 0.0;
    }
}

void hed_yarn_dynamics_end(HedSim* sim, double h) {
    HedYarnDynamics* own = sim->yarn_dynamics;
    if (own && own->has_contact) {
        HedYarnState at = {hed_period_spread(sim, HED_YARN_ROOM_X, sim->x.data),
                           hed_period_spread(sim, HED_YARN_ROOM_V, way_of(sim, sim->v.data)), h};
        double begin = hed_stage_begin(sim);
        sim->count.dissipated += hed_yarn_advance(&own->contact, at, h);
        hed_stage_end(sim, HED_STAGE_YARN_MEMORY, begin);
    }
}

HedStatus hed_yarn_dynamics_assembled(HedSim* sim, double rate, bool is_exact) {
    if (sim->yarn_dynamics) {
        sim->yarn_dynamics->scale = (HedYarnScale){1.0, rate, is_exact};
    }
    return hed_yarn_dynamics_linearise(sim);
}

HedStatus hed_yarn_dynamics_linearise(HedSim* sim) {
    HedYarnDynamics* own = sim->yarn_dynamics;
    if (!own || !own->has_contact) {
        return HED_OK;
    }
    HedYarnState at = {sim->implicit.x_trial, sim->implicit.v_trial, own->ahead};
    HedStatus status = hed_yarn_linearise(&own->contact, at, own->scale, &sim->why);
    own->contact.slip_begins = hed_friction_bound(1.0, own->contact.slip_begins, 1.0);
    return status;
}

void hed_yarn_dynamics_multiply(const HedSim* sim, const HedVec3* from, HedVec3* to) {
    const HedYarnDynamics* own = sim->yarn_dynamics;
    if (own && own->has_contact) {
        hed_yarn_multiply(&own->contact, from, to);
    }
}

void hed_yarn_dynamics_add_diagonal(const HedSim* sim, HedMat3* diagonal) {
    const HedYarnDynamics* own = sim->yarn_dynamics;
    if (own && own->has_contact) {
        hed_yarn_add_diagonal(&own->contact, diagonal);
    }
}

// Glue first, then lengths (Kaldor 2011, figure 4.12).
static void settle_constraints(HedSim* sim, double t, double h) {
    HedYarnDynamics* own = sim->yarn_dynamics;
    memcpy(own->scratch, sim->x.data, sizeof(HedVec3) * (size_t)sim->x.count);
    hed_ties_place(sim, t + h);
    hed_ties_project(sim, sim->x.data);
    if (own->has_lengths) {
        hed_lengths_project(&own->lengths, &sim->team, hed_projection_limit(), sim->inverse_mass,
                            sim->x.data);
    }
    if (sim->splines && sim->splines->has_lengths) {
        hed_spline_lengths_project(&sim->splines->lengths, &sim->splines->splines, &sim->team,
                                   hed_projection_limit(), sim->inverse_mass, sim->x.data);
    }
    for (int32_t i = 0; i < sim->x.count; ++i) {
        HedVec3 moved = hed_sub3(sim->x.data[i], own->scratch[i]);
        sim->v.data[i] = hed_madd3(sim->v.data[i], 1.0 / h, moved);
    }
}

void hed_yarn_dynamics_settle(HedSim* sim, double t, double h) {
    bool has_splines = sim->splines && sim->splines->has_lengths;
    double begin = hed_stage_begin(sim);
    if (sim->yarn_dynamics &&
        (sim->yarn_dynamics->has_lengths || has_splines || hed_ties_are_hard(sim))) {
        settle_constraints(sim, t, h);
    }
    if (sim->yarn_dynamics && sim->yarn_dynamics->has_regions) {
        hed_sim_regions_settle(sim, h);
        hed_period_damp(sim, h);
        hed_period_place(sim, sim->x.data);
        hed_period_place(sim, sim->v.data);
    }
    hed_stage_end(sim, HED_STAGE_YARN_LENGTHS, begin);
}

// --- what friction remembers ---

bool hed_yarn_dynamics_remembers(const HedSim* sim) {
    const HedYarnDynamics* own = sim->yarn_dynamics;
    return own && own->contact.def.friction_law == HED_YARN_STICTION;
}

// Goes back to what is still owed.
static HedStatus pay(HedSim* sim, HedError* error) {
    HedYarnDynamics* own = sim->yarn_dynamics;
    HedStatus status = HED_OK;
    if (own->owed) {
        const HedVec3* x = hed_period_spread(sim, HED_YARN_ROOM_X, sim->x.data);
        status = hed_yarn_restore(&own->contact, x, own->owed, error);
        own->owed = status == HED_OK ? NULL : own->owed;
    }
    return status;
}

HedStatus hed_yarn_dynamics_save(HedSim* sim, HedYarnMemory* memory, HedError* error) {
    HedYarnDynamics* own = sim->yarn_dynamics;
    if (!own || !own->has_contact) {
        return HED_OK;
    }
    HedStatus status = pay(sim, error);
    return status == HED_OK ? hed_yarn_save(&own->contact, memory, error) : status;
}

HedStatus hed_yarn_dynamics_restore(HedSim* sim, const HedYarnMemory* memory, HedError* error) {
    HedYarnDynamics* own = sim->yarn_dynamics;
    if (!own || !own->has_contact) {
        return HED_OK;
    }
    own->owed = NULL;
    if (memory->pair.count / 2 != memory->value.count / 4) {
        return hed_fail(error, HED_PARSE, "the saved state of contacts is not whole");
    }
    own->owed = memory;
    HedStatus status = pay(sim, error);
    own->owed = status == HED_NO_MEMORY ? memory : NULL;
    return status;
}
